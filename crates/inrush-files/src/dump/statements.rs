//! The statements of a dump, one after the other, and what the session is like at each: how quotes are read, the time zone, the character set.
//! An INSERT of any length comes in parts, so memory does not depend on it.
//!
//! Invariant: a part of a statement ends between two lexemes.

use super::words::{self, Setting, Variable, Words};
use inrush_core::error::{Error, Result};
use inrush_core::sql::{Cut, Dialect, ScriptCutter, ScriptStatement};
use std::collections::BTreeMap;
use std::io::{self, Read};
use std::ops::Range;

/// Reads a script.
pub(super) struct Statements<R> {
    bytes: R,
    buffer: Vec<u8>,
    cutter: ScriptCutter,
    is_whole: bool,
    /// Whether the last part was not the last one of its statement.
    is_within: bool,
    /// An open INSERT of more bytes is returned in parts.
    most_open: usize,
    most_bytes: usize,
    settings: Settings,
    /// What was set when a statement kept a variable in one of the user's, by the name of the latter.
    kept: BTreeMap<(String, Variable), Settings>,
    /// The program that wrote it says at its beginning who it is, and at its end that it came there.
    says_end: bool,
}

/// What earlier statements have set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Settings {
    pub(super) dialect: Dialect,
    pub(super) time_zone: Zone,
    /// A character set other than UTF-8, in lower case.
    pub(super) charset: Option<String>,
    /// The database of USE.
    pub(super) database: Option<String>,
    /// The line of a SET after which it is not known how quotes are read.
    pub(super) unknown_mode: Option<u64>,
    /// `||` puts texts together (PIPES_AS_CONCAT).
    pub(super) concats_pipes: bool,
    /// REAL is FLOAT (REAL_AS_FLOAT).
    pub(super) real_is_float: bool,
}

/// In which zone TIMESTAMPs are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Zone {
    /// The dump does not say.
    #[default]
    Unsaid,
    Is(String),
}

/// A statement, or a part of an INSERT.
#[derive(Clone, Debug)]
pub(super) struct Part {
    range: Range<usize>,
    /// The line in which the statement begins, counted from 1.
    pub(super) line: u64,
    pub(super) is_first: bool,
    pub(super) is_last: bool,
    /// Whether a delimiter ends the statement; false too of a part that is not the last one.
    pub(super) is_ended: bool,
}

impl<R: Read> Statements<R> {
    /// A statement, or a value of an INSERT, of more than `most_bytes` is an error.
    pub(super) fn new(bytes: R, most_bytes: usize) -> Self {
        Self {
            bytes,
            buffer: Vec::new(),
            cutter: ScriptCutter::default(),
            is_whole: false,
            is_within: false,
            most_open: PART_BYTES,
            most_bytes,
            settings: Settings::default(),
            kept: BTreeMap::new(),
            says_end: false,
        }
    }

    /// The same of a script whose statements end at a `;` that ends its line. Others are within a routine or a trigger.
    pub(super) fn ending_at_lines(self) -> Self {
        Self { cutter: self.cutter.with_delimiter(b";\n"), ..self }
    }

    /// The bytes that it holds.
    #[cfg(test)]
    pub(super) fn held(&self) -> usize {
        self.buffer.capacity()
    }

    /// What the statements before the last one have set.
    pub(super) fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The text of a part, until the next one is read.
    pub(super) fn text(&self, part: &Part) -> &[u8] {
        &self.buffer[part.range.clone()]
    }

    /// The next statement or part; `None` at the end.
    ///
    /// # Errors
    /// Those of reading, as errors of input; one of our own within for a script that was cut off.
    pub(super) fn next(&mut self) -> io::Result<Option<Part>> {
        loop {
            self.cutter.set_dialect(self.settings.dialect);
            match self.cutter.next(&self.buffer, self.is_whole).map_err(own)? {
                Cut::End if self.says_end && !self.has_end() => return Err(own(cut_off())),
                Cut::End => return Ok(None),
                Cut::Statement(statement) => {
                    self.most_open = PART_BYTES;
                    let is_first = !std::mem::take(&mut self.is_within);
                    let ScriptStatement { range, line, is_ended, .. } = statement;
                    let part = Part { range, line, is_first, is_last: true, is_ended };
                    return Ok(Some(part));
                }
                Cut::More => {
                    let line = self.cutter.line();
                    if let Some(part) = self.open_part(line) {
                        return Ok(Some(part));
                    }
                    self.buffer.drain(..self.cutter.drain());
                    if self.buffer.len() > self.most_bytes {
                        return Err(own(endless(line, self.most_bytes)));
                    }
                    let want = self.buffer.len().max(READ_BYTES) as u64;
                    let read = (&mut self.bytes).take(want).read_to_end(&mut self.buffer)?;
                    self.says_end = self.says_end || self.has_beginning();
                    self.is_whole = (read as u64) < want;
                }
            }
        }
    }

    /// Whether a program that writes dumps says who it is, before the first statement.
    fn has_beginning(&self) -> bool {
        self.cutter.line() == 1 && self.buffer.split(|byte| *byte == b'\n').take(HEAD_LINES).any(is_beginning)
    }

    /// Whether the comments after the last statement say that the dump is complete, and no other one begins after that.
    fn has_end(&mut self) -> bool {
        self.buffer.drain(..self.cutter.drain());
        let says = |line: &&[u8]| line.starts_with(END) || is_beginning(line);
        let last = self.buffer.split(|byte| *byte == b'\n').rfind(says);
        last.is_some_and(|line| line.starts_with(END))
    }

    /// What was read of an INSERT that is long and not whole.
    fn open_part(&mut self, line: u64) -> Option<Part> {
        let range = self.cutter.open_statement().filter(|range| range.len() > self.most_open)?;
        (self.is_within || Words::new(&self.buffer[range.clone()], self.settings.dialect).is_insert()).then(|| {
            // Without a release more of it is needed.
            self.most_open = range.len() * 2;
            Part {
                range,
                line,
                is_first: !std::mem::replace(&mut self.is_within, true),
                is_last: false,
                is_ended: false,
            }
        })
    }

    /// So many bytes of a part that is not the last one are done with; the next part begins after them.
    pub(super) fn release(&mut self, part: &Part, n: usize) {
        if n > 0 {
            self.cutter.release(&self.buffer, part.range.start + n);
            self.most_open = PART_BYTES;
        }
    }

    /// Notes that this database is used from here on.
    pub(super) fn use_database(&mut self, name: &str) {
        self.settings.database = Some(name.to_owned());
    }

    /// Notes what a statement sets.
    pub(super) fn note(&mut self, part: &Part) {
        for setting in words::settings(&self.buffer[part.range.clone()], self.settings.dialect) {
            match setting {
                Setting::SqlMode(None) => self.settings.unknown_mode = Some(part.line),
                Setting::SqlMode(Some(mode)) => {
                    self.settings.unknown_mode = None;
                    let has = |word: &str| mode.split(',').any(|one| one.trim().eq_ignore_ascii_case(word));
                    self.settings.dialect = Dialect {
                        no_backslash_escapes: has("NO_BACKSLASH_ESCAPES"),
                        ansi_quotes: has("ANSI_QUOTES") || has("ANSI"),
                    };
                    self.settings.concats_pipes = has("PIPES_AS_CONCAT") || has("ANSI");
                    self.settings.real_is_float = has("REAL_AS_FLOAT") || has("ANSI");
                }
                Setting::TimeZone(zone) => self.settings.time_zone = zone.map_or(Zone::Unsaid, Zone::Is),
                Setting::Names(charset) => self.settings.charset = Some(charset).filter(|name| !is_utf8(name)),
                Setting::Kept(name, variable) => drop(self.kept.insert((name, variable), self.settings.clone())),
                Setting::Back(name, variable) => self.set_back(name, variable, part.line),
            }
        }
    }

    /// Sets what a variable of the user's has kept.
    fn set_back(&mut self, name: String, variable: Variable, line: u64) {
        // Dumps keep in these what was set before them.
        let is_of_dumps = name.starts_with("OLD_") || name.starts_with("SAVED_");
        let kept = self.kept.get(&(name, variable)).cloned();
        let is_known = kept.is_some() || is_of_dumps;
        let settings = &mut self.settings;
        match (variable, kept) {
            (Variable::SqlMode, _) if !is_known => settings.unknown_mode = Some(line),
            (Variable::SqlMode, kept) => {
                let Settings { dialect, unknown_mode, concats_pipes, real_is_float, .. } = kept.unwrap_or_default();
                (settings.dialect, settings.unknown_mode) = (dialect, unknown_mode);
                (settings.concats_pipes, settings.real_is_float) = (concats_pipes, real_is_float);
            }
            (Variable::TimeZone, kept) => settings.time_zone = kept.unwrap_or_default().time_zone,
            (Variable::Client, Some(kept)) => settings.charset = kept.charset,
            (Variable::Client, None) => {}
        }
    }
}

/// Whether text in a character set is UTF-8.
pub(super) fn is_utf8(charset: &str) -> bool {
    ["utf8mb4", "utf8mb3", "utf8", "ascii"].contains(&charset)
}

/// An error of our own, which the reader of lines shows as it is.
pub(super) fn own(error: Error) -> io::Error {
    io::Error::other(error)
}

/// The same back.
pub(super) fn own_or_io(doing: &str, error: io::Error) -> Error {
    match error.get_ref().and_then(|error| error.downcast_ref::<Error>()) {
        Some(own) => own.clone(),
        None => Error::data(format!("{doing}: {error}")),
    }
}

/// The result of a reader of ours.
pub(super) fn settled<T>(doing: &str, result: io::Result<T>) -> Result<T> {
    result.map_err(|error| own_or_io(doing, error))
}

fn endless(line: u64, most: usize) -> Error {
    Error::data(format!("the statement of line {line} has more than {} MiB, or a row of it has", most >> 20))
        .with_hint("a quote or a comment may be open there, or a delimiter may be missing")
}

fn is_beginning(line: &[u8]) -> bool {
    BEGINNINGS.iter().any(|beginning| line.starts_with(beginning))
}

fn cut_off() -> Error {
    Error::data(
        "the dump was cut off: the program that wrote it says at its end that it is complete, and this one does not",
    )
    .with_hint("compare its size with that of its origin, or dump again")
}

/// As many lines may come before.
const HEAD_LINES: usize = 50;

/// What `mysqldump` and `mariadb-dump` write at the beginning, unless comments are off, and into the last line.
const BEGINNINGS: [&[u8]; 2] = [b"-- MySQL dump ", b"-- MariaDB dump "];
const END: &[u8] = b"-- Dump completed";

const PART_BYTES: usize = 1 << 20;

const READ_BYTES: usize = 256 << 10;
