//! Where words go: results to standard output, everything else to standard error, and how loud. The only place that prints.

use crate::colour::{AsStream, Color, painted};
use crate::wrap::wrapped;
use indicatif::ProgressBar;
use inrush::Config;
use inrush_core::Error;
use inrush_core::printable::{printable, printable_json};
use serde_json::json;
use std::io::{ErrorKind, IsTerminal, Write};
use std::sync::{Arc, Mutex, PoisonError};

/// How a command speaks; clones share the line of progress.
#[derive(Clone)]
pub(crate) struct Output {
    json: bool,
    quiet: bool,
    notices: bool,
    verbose: bool,
    progress: bool,
    log_json: bool,
    color: Color,
    shown: Arc<Mutex<Shown>>,
    /// Why a result could not be written.
    unwritten: Arc<Mutex<Option<std::io::Error>>>,
}

impl Output {
    /// Columns of what is not printed on a terminal.
    pub(crate) const FILE_WIDTH: usize = 100;

    /// `json` prints one document and nothing else on standard output; `log_json` makes every line on standard error a JSON
    /// object.
    pub(crate) fn new(json: bool, quiet: bool, progress: bool, log_json: bool) -> Self {
        Self {
            json,
            quiet,
            notices: true,
            verbose: false,
            progress,
            log_json,
            color: Color::Auto,
            shown: Arc::default(),
            unwritten: Arc::default(),
        }
    }

    /// Whether details are printed too.
    pub(crate) fn verbose(self, verbose: bool) -> Self {
        Self { verbose, ..self }
    }

    /// Without notices about files, which were printed before.
    pub(crate) fn without_notices(self) -> Self {
        Self { notices: false, ..self }
    }

    /// When there are colours. JSON never has any.
    pub(crate) fn color(self, color: Color) -> Self {
        Self { color, ..self }
    }

    pub(crate) fn is_json(&self) -> bool {
        self.json
    }

    /// Whether messages go to a terminal on which a line can be replaced.
    pub(crate) fn is_terminal(&self) -> bool {
        let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        std::io::stderr().is_terminal() && !self.log_json && !is_dumb
    }

    /// How many columns a table may have: those of the terminal that it goes to, or as many as are easy to read.
    pub(crate) fn width(&self) -> usize {
        columns_of(&std::io::stdout()).map_or(Self::FILE_WIDTH, |width| width.max(NARROWEST))
    }

    /// Breaks a text for standard output between words, if that is a terminal; what continues a line is indented by `hang`.
    pub(crate) fn fitted(&self, text: &str, hang: usize) -> String {
        match columns_of(&std::io::stdout()) {
            // As it will be printed: an escaped character is wider than itself.
            Some(width) if !self.json => wrapped(&printable(text), width, hang),
            _ => text.to_owned(),
        }
    }

    /// The columns of the terminal that messages go to; `None` if standard error is not a terminal.
    pub(crate) fn message_width() -> Option<usize> {
        columns_of(&std::io::stderr())
    }

    pub(crate) fn shows_progress(&self) -> bool {
        self.progress && !self.quiet
    }

    /// The bar that other lines must not be printed through. The old one, if any, frees its line before anything else is printed.
    pub(crate) fn set_bar(&self, bar: Option<ProgressBar>) {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        shown.clear();
        *shown = bar.map_or(Shown::Nothing, Shown::Bar);
    }

    /// Shows a line of progress in place of the last one; `None` frees the terminal's line. The line is empty after the text, so that a
    /// `^C` that the terminal adds is erased with it, as long as both fit.
    pub(crate) fn set_line(&self, line: Option<&str>) {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        match line {
            None => shown.clear(),
            Some(line) => {
                *shown = Shown::Line(printable(line));
                shown.draw();
            }
        }
    }

    /// Frees the terminal's line because the process is about to be ended. It does not wait for a thread that is printing.
    pub(crate) fn drop_progress(&self) {
        if let Ok(mut shown) = self.shown.try_lock() {
            shown.clear();
        }
    }

    /// The result of a command.
    pub(crate) fn result(&self, text: &str) {
        let text = match self.json {
            true => printable_json(text),
            false if self.color.is_on(&std::io::stdout()) => painted(&printable(text)),
            false => printable(text),
        };
        let mut out = std::io::stdout().lock();
        self.wrote(writeln!(out, "{text}").and_then(|()| out.flush()));
    }

    /// A row of what the server returned: its bytes as they are, unless they go to a terminal.
    pub(crate) fn row(&self, line: &[u8]) {
        let mut out = std::io::stdout().lock();
        self.wrote(match out.is_terminal() {
            true => writeln!(out, "{}", printable(&String::from_utf8_lossy(line))),
            false => out.write_all(line).and_then(|()| out.write_all(b"\n")),
        });
    }

    /// Keeps why a result could not be written.
    fn wrote(&self, written: std::io::Result<()>) {
        match written {
            // A reader that closes a pipe (`| head`) has read enough.
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

    /// Prints a message about the progress of a command.
    pub(crate) fn notice(&self, text: &str) {
        if !self.quiet && self.notices {
            self.line("notice", text);
        }
    }

    /// Details, which are printed with `-v` only.
    pub(crate) fn detail(&self, text: &str) {
        if self.verbose {
            self.line("detail", text);
        }
    }

    /// Which of several hosts was taken, with `-v`.
    pub(crate) fn detail_host(&self, config: &Config) {
        if let Some(host) = config.taken_host() {
            self.detail(&format!("connected to `{host}`, of the hosts that are named"));
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

    /// A text as it goes to standard error.
    fn message(&self, text: &str) -> String {
        let text = printable(text);
        let text = Self::message_width().map_or_else(|| text.clone(), |width| wrapped(&text, width, HANG));
        if self.color.is_on(&std::io::stderr()) { painted(&text) } else { text }
    }

    fn line(&self, level: &str, text: &str) {
        let text = match self.log_json {
            true => printable_json(&json!({ "level": level, "message": text }).to_string()),
            false => self.message(text),
        };
        let print = || {
            let _ = writeln!(std::io::stderr(), "{text}");
        };
        let shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        match &*shown {
            Shown::Bar(bar) => bar.suspend(print),
            Shown::Nothing => print(),
            Shown::Line(_) => {
                let _ = write!(std::io::stderr(), "\r{ERASE_REST}");
                print();
                shown.draw();
            }
        }
    }
}

/// The content of the terminal's last lines, which must be erased before anything else is printed.
#[derive(Default)]
enum Shown {
    #[default]
    Nothing,
    /// A line, with the cursor at its end.
    Line(String),
    Bar(ProgressBar),
}

impl Shown {
    /// Draws a line, in place of an older one.
    fn draw(&self) {
        if let Shown::Line(line) = self {
            // In one piece, so that the terminal never shows a part of it.
            let _ = std::io::stderr().write_all(format!("\r{line}{ERASE_REST}").as_bytes());
        }
    }

    /// Erases it.
    fn clear(&mut self) {
        match std::mem::take(self) {
            Shown::Nothing => {}
            Shown::Line(_) => {
                let _ = write!(std::io::stderr(), "\r{ERASE_REST}");
            }
            Shown::Bar(bar) => bar.finish_and_clear(),
        }
    }
}

/// EL: from the cursor to the end of the line.
const ERASE_REST: &str = "\u{1b}[K";

/// How many columns the terminal has, if the stream is one that says so.
fn columns_of(stream: &(impl AsStream + std::os::fd::AsFd)) -> Option<usize> {
    let size = stream.is_terminal().then(|| rustix::termios::tcgetwinsize(stream).ok()).flatten();
    size.map(|size| usize::from(size.ws_col)).filter(|width| *width > 0)
}

/// What continues a line of a message is indented by so much.
const HANG: usize = 2;

/// A table of fewer columns has nothing left to read.
const NARROWEST: usize = 60;
