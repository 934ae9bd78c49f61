//! Where words go: results to standard output, everything else to standard error, and how loud. The only place that prints.

use indicatif::ProgressBar;
use inrush_core::Error;
use inrush_core::printable::{printable, printable_json};
use serde_json::json;
use std::io::{ErrorKind, IsTerminal, Write};
use std::sync::{Arc, Mutex, PoisonError};

/// How a command speaks; clones share the progress bar.
#[derive(Clone)]
pub(crate) struct Output {
    json: bool,
    quiet: bool,
    verbose: bool,
    progress: bool,
    log_json: bool,
    bar: Arc<Mutex<Option<ProgressBar>>>,
    /// Why a result could not be written.
    unwritten: Arc<Mutex<Option<std::io::Error>>>,
}

impl Output {
    /// Columns of what is not printed on a terminal.
    pub(crate) const FILE_WIDTH: usize = 100;

    /// `json` prints one document and nothing else on standard output; `log_json` makes every line on standard error a JSON
    /// object.
    pub(crate) fn new(json: bool, quiet: bool, progress: bool, log_json: bool) -> Self {
        Self { json, quiet, verbose: false, progress, log_json, bar: Arc::default(), unwritten: Arc::default() }
    }

    /// Whether details are printed too.
    pub(crate) fn verbose(self, verbose: bool) -> Self {
        Self { verbose, ..self }
    }

    pub(crate) fn is_json(&self) -> bool {
        self.json
    }

    pub(crate) fn is_terminal(&self) -> bool {
        std::io::stderr().is_terminal() && !self.log_json
    }

    /// How many columns a table may have: those of the terminal that it goes to, or as many as are easy to read.
    pub(crate) fn width(&self) -> usize {
        let stdout = std::io::stdout();
        let size = stdout.is_terminal().then(|| rustix::termios::tcgetwinsize(&stdout).ok()).flatten();
        size.map(|size| usize::from(size.ws_col))
            .filter(|width| *width > 0)
            .map_or(Self::FILE_WIDTH, |width| width.max(NARROWEST))
    }

    pub(crate) fn shows_progress(&self) -> bool {
        self.progress && !self.quiet
    }

    /// The bar that other lines must not be printed through.
    pub(crate) fn set_bar(&self, bar: Option<ProgressBar>) {
        *self.bar.lock().unwrap_or_else(PoisonError::into_inner) = bar;
    }

    /// The result of a command.
    pub(crate) fn result(&self, text: &str) {
        let text = if self.json { printable_json(text) } else { printable(text) };
        let mut out = std::io::stdout().lock();
        match writeln!(out, "{text}").and_then(|()| out.flush()) {
            // Who closes a pipe (`| head`) has read enough.
            Err(error) if error.kind() != ErrorKind::BrokenPipe => {
                self.unwritten.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
            }
            _ => {}
        }
    }

    /// The error for results that could not be written; the work itself is done.
    pub(crate) fn unwritten(&self) -> Option<Error> {
        let error = self.unwritten.lock().unwrap_or_else(PoisonError::into_inner).take()?;
        Some(Error::io("the command is done, but its result cannot be written to standard output", error))
    }

    /// Something worth knowing on the way.
    pub(crate) fn notice(&self, text: &str) {
        if !self.quiet {
            self.line("notice", text);
        }
    }

    /// Details, which are printed with `-v` only.
    pub(crate) fn detail(&self, text: &str) {
        if self.verbose {
            self.line("detail", text);
        }
    }

    /// The error, which is printed with `-q` too.
    pub(crate) fn error(&self, text: &str) {
        self.line("error", text);
    }

    /// An error with its hint, and with `--json` as a document too.
    pub(crate) fn failure(&self, error: &Error, command: &str, exit_code: u8) {
        if self.json {
            let document = json!({
                "inrush": command, "version": 1, "exit_code": exit_code,
                "error": { "message": error.to_string(), "hint": error.hint(), "code": error.code() },
            });
            self.result(&format!("{document:#}"));
        }
        self.error(&crate::exit::explain(error));
    }

    fn line(&self, level: &str, text: &str) {
        let text = match self.log_json {
            true => printable_json(&json!({ "level": level, "message": text }).to_string()),
            false => printable(text),
        };
        let print = || {
            let _ = writeln!(std::io::stderr(), "{text}");
        };
        match &*self.bar.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(bar) => bar.suspend(print),
            None => print(),
        }
    }
}

/// A table of fewer columns has nothing left to read.
const NARROWEST: usize = 60;
