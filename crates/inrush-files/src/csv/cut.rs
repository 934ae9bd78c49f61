//! Cuts a text into raw chunks of complete records without parsing them. Pure.
//!
//! It examines line feeds and quotes only. A quote counts under the rules of the [`Splitter`]: it opens as the first byte of a field, and
//! directly after a closing quote it is the second half of a doubled one. Elsewhere it is text. Windows without quotes are counted at the
//! speed of memory; windows with regular quotes are processed 64 bytes at a time ([`parity`]); a dialect with an escape or with comments is
//! cut by the splitter itself.
//!
//! Invariant: the end of a chunk depends on the text alone, not on how much of it was available at each call of [`Cut::advance`].

mod parity;

use super::split::{Fields, SplitRecord, Splitter};
use crate::dialect::{CsvOptions, Dialect};
use inrush_core::error::Result;
use memchr::memmem::Finder;
use memchr::{memchr, memchr_iter, memchr2, memrchr};
pub(super) use parity::running_parity;
use parity::{Signs, Within};
use std::sync::LazyLock;

/// The rules for every chunk of a file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules<'a> {
    pub(super) dialect: &'a Dialect,
    /// Whether a blank line is a record, as it is if a record has only one field.
    pub(super) blank_is_record: bool,
    pub(super) max_record: usize,
    /// The most records.
    pub(super) max_records: u64,
    /// The most bytes, unless the first record alone is longer.
    pub(super) max_bytes: usize,
}

/// Why a chunk ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// It is full.
    Full,
    /// The record at its end is incomplete.
    Incomplete {
        /// Where a quote is still open.
        open_quote: Option<usize>,
    },
    /// The record at its end is longer than allowed.
    TooLong,
}

/// The front of a text up to the cut.
#[derive(Debug)]
pub(super) struct Cut {
    /// Where the next record begins.
    pub(super) end: usize,
    /// The number of records before it, good and bad. Comments are not records, nor are blank lines if a record has several fields.
    pub(super) records: u64,
    /// How many lines end before it.
    pub(super) lines: u64,
    /// All bytes before this one were examined.
    seen: usize,
    /// Line feeds before it.
    lines_seen: u64,
    /// The place of the quote that is open at `seen`.
    open: Option<usize>,
    /// The start of the last quoted text, and the place after its closing quote.
    closed: Option<(usize, usize)>,
    /// The previous window had quotes: the next one is searched for them at once.
    meets_quotes: bool,
    /// The bytes of a window.
    window: usize,
}

impl Cut {
    pub(super) fn new() -> Self {
        Self::in_windows_of(WINDOW)
    }

    fn in_windows_of(window: usize) -> Self {
        Self {
            end: 0,
            records: 0,
            lines: 0,
            seen: 0,
            lines_seen: 0,
            open: None,
            closed: None,
            meets_quotes: false,
            window,
        }
    }

    /// Adds the complete records of the text. `text` has the same start in all calls; `ends` is true if the input ends with it.
    pub(super) fn advance(&mut self, rules: Rules<'_>, text: &[u8], ends: bool) -> Stop {
        if self.records >= rules.max_records {
            return Stop::Full;
        }
        let Dialect { escape, comment, .. } = rules.dialect;
        let stop = match escape.is_none() && comment.is_none() {
            true => self.by_quotes(rules, text, ends),
            false => self.by_splitter(rules, text, ends),
        };
        self.lines = self.lines_seen - count_lines(&text[self.end.min(self.seen)..self.seen]);
        stop.unwrap_or(match self.end {
            start if text.len() > rules.max_bytes && start > 0 => Stop::Full,
            start if text.len() - start > rules.max_record => Stop::TooLong,
            _ => Stop::Incomplete { open_quote: self.open },
        })
    }

    /// Examines the rest of the text, window by window.
    fn by_quotes(&mut self, rules: Rules<'_>, text: &[u8], ends: bool) -> Option<Stop> {
        while self.seen < text.len() {
            let end = text.len().min(self.seen + self.window);
            let taken = !self.meets_quotes && self.by_lines(rules, text, end) || self.by_parity(rules, text, end);
            let stop = match taken {
                true => (self.records >= rules.max_records).then_some(Stop::Full),
                false => self.by_events(rules, text, end),
            };
            if stop.is_some() {
                return stop;
            }
        }
        // The last line may lack its end.
        let is_record = ends && self.open.is_none() && self.end < text.len();
        if is_record { self.take(rules, text, text.len()) } else { None }
    }

    /// Whether everything that ends before `end` fits the limits.
    fn has_room(&self, rules: Rules<'_>, end: usize) -> bool {
        end <= rules.max_bytes && end - self.end <= rules.max_record
    }

    /// Whether the first line feed from here, or a later one, ends a blank line.
    fn has_blank(&self, text: &[u8], end: usize) -> bool {
        let window = &text[self.seen..end];
        let first_end = self.seen + memchr(b'\n', window).map_or(window.len(), |at| at + 1);
        is_blank(&text[self.end..first_end]) || BLANKS.iter().any(|blank| blank.find(window).is_some())
    }

    /// Adds the lines that end before `end`, if there are no quotes.
    fn by_lines(&mut self, rules: Rules<'_>, text: &[u8], end: usize) -> bool {
        let window = &text[self.seen..end];
        let has_quotes = rules.dialect.quote.is_some_and(|quote| memchr(quote, window).is_some());
        if has_quotes || self.open.is_some() || !self.has_room(rules, end) {
            return false;
        }
        let lines = count_lines(window);
        if self.records + lines > rules.max_records || !rules.blank_is_record && self.has_blank(text, end) {
            return false;
        }
        self.records += lines;
        self.lines_seen += lines;
        if let Some(at) = memrchr(b'\n', window) {
            self.end = self.seen + at + 1;
        }
        self.seen = end;
        true
    }

    /// The same, if each quote is one that opens or closes: then a line feed with an even number of them before it ends a record.
    fn by_parity(&mut self, rules: Rules<'_>, text: &[u8], end: usize) -> bool {
        let Dialect { delimiter, quote: Some(quote), .. } = *rules.dialect else { return false };
        if !self.has_room(rules, end) {
            return false;
        }
        let start = self.seen;
        let closed = self.closed.filter(|(_, behind)| *behind == start && self.open.is_none());
        let begins = Within {
            quotes: self.open.is_some(),
            field_begins: start == self.end || text[start - 1] == delimiter,
            record_begins: start == self.end,
            closed: closed.is_some(),
        };
        let Some(found) = Signs::new(delimiter, quote).find(&text[start..end], begins) else { return false };
        let records = found.lines - found.quoted_lines;
        // A line of a CR is blank as well, and the CR may be before the window.
        let has_return = found.has_return || text[self.end..start] == *b"\r";
        let may_be_blank = || found.has_blank || has_return && self.has_blank(text, end);
        if self.records + records > rules.max_records || !rules.blank_is_record && may_be_blank() {
            return false;
        }
        self.records += records;
        self.lines_seen += found.lines;
        self.meets_quotes = found.has_quotes;
        if let Some(behind) = found.last_end {
            self.end = start + behind;
        }
        // The open quote, or the last closed one, may have been opened in an earlier window.
        let open = found.last_open.map(|at| start + at).or(self.open).or(closed.map(|(open, _)| open));
        self.open = open.filter(|_| found.ends.quotes);
        self.closed = open.filter(|_| found.ends.closed).map(|open| (open, end));
        self.seen = end;
        true
    }

    /// Steps from quote to quote and from line feed to line feed.
    fn by_events(&mut self, rules: Rules<'_>, text: &[u8], end: usize) -> Option<Stop> {
        let start = self.seen;
        let stop = self.event_by_event(rules, text, end);
        self.lines_seen += count_lines(&text[start..self.seen]);
        stop
    }

    fn event_by_event(&mut self, rules: Rules<'_>, text: &[u8], end: usize) -> Option<Stop> {
        let Dialect { delimiter, quote, .. } = *rules.dialect;
        let quote = quote.unwrap_or(b'\n');
        while self.seen < end {
            let ahead = &text[self.seen..end];
            if let Some(open) = self.open {
                let Some(at) = memchr(quote, ahead) else {
                    self.seen = end;
                    break;
                };
                self.seen += at + 1;
                (self.open, self.closed) = (None, Some((open, self.seen)));
                continue;
            }
            let Some(at) = memchr2(quote, b'\n', ahead) else {
                self.seen = end;
                break;
            };
            let at = self.seen + at;
            self.seen = at + 1;
            if text[at] == b'\n' {
                let stop = self.take(rules, text, at + 1);
                if stop.is_some() {
                    return stop;
                }
            } else if at == self.end || text[at - 1] == delimiter {
                self.open = Some(at);
            } else if let Some((open, behind)) = self.closed
                && behind == at
            {
                self.open = Some(open); // It was the first half of a doubled one.
            }
        }
        None
    }

    /// Steps from record to record.
    fn by_splitter(&mut self, rules: Rules<'_>, text: &[u8], ends: bool) -> Option<Stop> {
        let mut splitter = Splitter::new(rules.dialect, text, self.end, ends);
        let mut fields = Fields::default();
        let mut stop = None;
        while self.end < text.len() && stop.is_none() {
            fields.side.clear();
            match splitter.record(self.end, 0, &mut fields) {
                SplitRecord::Record { end, .. } => stop = self.take(rules, text, end),
                SplitRecord::Comment { end } => stop = self.pass(rules, end, false),
                SplitRecord::Incomplete { open_quote } => {
                    self.open = open_quote;
                    break;
                }
            }
        }
        self.lines_seen += count_lines(&text[self.seen..self.end]);
        self.seen = self.end;
        stop
    }

    /// Adds the record or the blank line that ends at `end`, if it fits the limits.
    #[inline(always)]
    fn take(&mut self, rules: Rules<'_>, text: &[u8], end: usize) -> Option<Stop> {
        let record = &text[self.end..end];
        let is_record = !is_blank(record) || (rules.blank_is_record && !is_end_mark(record));
        self.pass(rules, end, is_record)
    }

    /// Adds the lines before `end`, which are one record or none.
    #[inline(always)]
    fn pass(&mut self, rules: Rules<'_>, end: usize, is_record: bool) -> Option<Stop> {
        // The order of these two checks matters: a batch ends before a record that is too long.
        if end > rules.max_bytes && self.end > 0 {
            return Some(Stop::Full);
        }
        if end - self.end > rules.max_record {
            return Some(Stop::TooLong);
        }
        self.records += u64::from(is_record);
        self.end = end;
        self.open = None;
        (self.records >= rules.max_records).then_some(Stop::Full)
    }
}

/// Counts the records of `width` fields of a complete text, cut into chunks of a batch's size. For measurements.
pub fn count_records(text: &[u8], options: &CsvOptions, width: usize) -> Result<u64> {
    let dialect = Dialect::new(options, b',')?;
    let (max_record, max_bytes) = (options.max_record, options.batch_bytes);
    let rules = Rules { dialect: &dialect, blank_is_record: width == 1, max_record, max_records: u64::MAX, max_bytes };
    let (mut at, mut records) = (0, 0);
    loop {
        let mut cut = Cut::new();
        cut.advance(rules, &text[at..], true);
        if cut.end == 0 {
            return Ok(records);
        }
        at += cut.end;
        records += cut.records;
    }
}

/// The number of line ends in a text.
pub(super) fn count_lines(text: &[u8]) -> u64 {
    memchr_iter(b'\n', text).count() as u64
}

/// Whether a record is only a line end, or the end mark.
pub(crate) fn is_blank(record: &[u8]) -> bool {
    matches!(record, b"\n" | b"\r\n") || is_end_mark(record)
}

/// Whether a record is the Ctrl-Z with which files of DOS end: it has no line end, so it is the last one.
pub(super) fn is_end_mark(record: &[u8]) -> bool {
    record == b"\x1a"
}

/// The line ends of a blank line after another line. Built once: to build them for each window takes a tenth of its time.
static BLANKS: LazyLock<[Finder<'static>; 2]> = LazyLock::new(|| [Finder::new(b"\n\n"), Finder::new(b"\n\r\n")]);

/// The place of the quote that is open at the end of `record`, the longest allowed part of a record. The result does not depend on how
/// much of the rest was read.
pub(super) fn open_quote_at_limit(dialect: &Dialect, record: &[u8]) -> Option<usize> {
    match Splitter::new(dialect, record, 0, false).record(0, 0, &mut Fields::default()) {
        SplitRecord::Incomplete { open_quote } => open_quote,
        SplitRecord::Record { .. } | SplitRecord::Comment { .. } => None,
    }
}

/// 16 KiB: it is read several times while it is in the first-level cache.
const WINDOW: usize = 16 << 10;

#[cfg(test)]
mod tests;
