//! A [`Stretch`] is a batch under construction: the records split so far from the front of a text. Pure.
//!
//! Invariant: where a stretch is full, what it rejects and why, depends on the text alone, not on how much of it was
//! there at each call of [`Stretch::advance`].

use super::columns::Columns;
use super::dialect::Dialect;
use super::split::{Fields, Found, Splitter};
use memchr::memchr_iter;

/// What holds for every stretch of a file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules<'a> {
    pub(super) dialect: &'a Dialect,
    /// How many fields a record must have.
    pub(super) width: usize,
    pub(super) max_record: usize,
    /// The most records.
    pub(super) max_records: u64,
    /// The most bytes, unless the first record alone is longer.
    pub(super) max_bytes: usize,
}

/// The text at hand: the front of what is left of the input.
#[derive(Clone, Copy, Debug)]
pub(super) struct Text<'a> {
    pub(super) bytes: &'a [u8],
    /// Where `bytes` begins within all the text of the input.
    pub(super) at: u64,
    /// Whether the input ends where `bytes` does.
    pub(super) ends: bool,
    /// Where, within all the text of the input, it was malformed.
    pub(super) malformed: &'a [u64],
}

/// Why a stretch went no further.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// It is full.
    Full,
    /// The record at its end is not whole.
    Incomplete {
        /// Where a quote is still open.
        open_quote: Option<usize>,
    },
    /// The record at its end is longer than allowed.
    TooLong,
}

/// A record that is no row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BadRecord {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) fault: Fault,
}

/// What is wrong with a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// Text that is not valid in the declared encoding.
    Malformed,
    /// Text behind the closing quote of this field.
    Garbled(usize),
    /// As many fields as this.
    Fields(usize),
}

/// The records of one batch.
#[derive(Debug)]
pub(super) struct Stretch {
    pub(super) columns: Columns,
    pub(super) side: Vec<u8>,
    pub(super) starts: Vec<u32>,
    pub(super) ends: Vec<u32>,
    pub(super) bad: Vec<BadRecord>,
    /// Where the next record begins.
    pub(super) end: usize,
    /// Blank lines passed over.
    blank: u64,
    /// Each record ends in the only line feed it holds.
    one_line_each: bool,
    /// All the text before `end` is valid UTF-8.
    pub(super) utf8: bool,
}

impl Stretch {
    /// An empty one; `rows` is how many are expected.
    pub(super) fn new(columns: Columns, rows: usize) -> Self {
        Self {
            columns,
            side: Vec::new(),
            starts: Vec::with_capacity(rows),
            ends: Vec::with_capacity(rows),
            bad: Vec::new(),
            end: 0,
            blank: 0,
            one_line_each: true,
            utf8: true,
        }
    }

    /// How many records it holds, good and bad.
    pub(super) fn records(&self) -> u64 {
        (self.starts.len() + self.bad.len()) as u64
    }

    /// How many lines of `text`, where it lies, end within it. (Counting took a twentieth of the time of plain files.)
    pub(super) fn lines(&self, text: &[u8]) -> u64 {
        if self.one_line_each { self.records() + self.blank } else { count_lines(text) }
    }

    /// Takes in what is whole of the text's records. `text` begins where it began in all calls.
    pub(super) fn advance(&mut self, rules: Rules<'_>, text: Text<'_>) -> Stop {
        let mut fields = Fields { spans: Vec::with_capacity(SLAB + rules.width), side: std::mem::take(&mut self.side) };
        let start = self.end;
        let stop = self.split(rules, text, &mut fields);
        // Here the bytes are still in a near cache, and whole records are whole characters: each ends in a line feed.
        self.utf8 &= simdutf8::basic::from_utf8(&text.bytes[start..self.end]).is_ok();
        self.columns.append(text.bytes, &fields, rules.width);
        self.side = fields.side;
        stop
    }

    fn split(&mut self, rules: Rules<'_>, text: Text<'_>, fields: &mut Fields) -> Stop {
        let mut splitter = Splitter::new(rules.dialect, text.bytes, self.end, text.ends);
        let stop = self.split_by(&mut splitter, rules, text, fields);
        self.one_line_each &= !splitter.went_long_way;
        stop
    }

    fn split_by(&mut self, splitter: &mut Splitter<'_>, rules: Rules<'_>, text: Text<'_>, fields: &mut Fields) -> Stop {
        let mut malformed = text.malformed.iter().peekable();
        loop {
            let start = self.end;
            if self.records() >= rules.max_records {
                return Stop::Full;
            }
            if text.ends && start == text.bytes.len() {
                return Stop::Incomplete { open_quote: None };
            }
            let (spans_before, side_before) = (fields.spans.len(), fields.side.len());
            let found = splitter.record(start, rules.width, fields);
            let end = match found {
                Found::Record { end, .. } => end,
                Found::Incomplete { .. } => text.bytes.len(),
            };
            // The order of these two questions matters: a batch is cut before a record that is too long.
            let full = end > rules.max_bytes && start > 0;
            let too_long = end - start > rules.max_record;
            let (end, n_fields, garbled) = match found {
                Found::Record { end, fields, garbled } if !full && !too_long => (end, fields, garbled),
                _ => {
                    fields.spans.truncate(spans_before);
                    fields.side.truncate(side_before);
                    return match found {
                        _ if full => Stop::Full,
                        _ if too_long => Stop::TooLong,
                        Found::Record { .. } => Stop::Full,
                        Found::Incomplete { open_quote } => Stop::Incomplete { open_quote },
                    };
                }
            };
            self.end = end;
            let mut is_malformed = false;
            while let Some(&at) = malformed.next_if(|&&at| at < text.at + end as u64) {
                is_malformed |= at >= text.at + start as u64;
            }
            if n_fields == rules.width && garbled.is_none() && !is_malformed {
                self.starts.push(start as u32);
                self.ends.push(end as u32);
                if fields.spans.len() >= SLAB {
                    self.columns.append(text.bytes, fields, rules.width);
                    fields.spans.clear();
                }
                continue;
            }
            fields.spans.truncate(spans_before);
            fields.side.truncate(side_before);
            if is_blank(&text.bytes[start..end]) {
                self.blank += 1; // In a file of one column it is a row, and did not come here.
                continue;
            }
            let fault = match garbled {
                _ if is_malformed => Fault::Malformed,
                Some(field) => Fault::Garbled(field),
                None => Fault::Fields(n_fields),
            };
            self.bad.push(BadRecord { start, end, fault });
        }
    }
}

/// How many lines end in a text.
pub(super) fn count_lines(text: &[u8]) -> u64 {
    memchr_iter(b'\n', text).count() as u64
}

/// Whether a record is nothing but a line end.
pub(super) fn is_blank(record: &[u8]) -> bool {
    matches!(record, b"\n" | b"\r\n")
}

/// Where a quote is still open at the end of `record`, the longest part of a record that is allowed. Asking the part, not
/// the whole, makes the answer the same whether or not the rest has been read.
pub(super) fn open_quote_at_limit(dialect: &Dialect, record: &[u8]) -> Option<usize> {
    match Splitter::new(dialect, record, 0, false).record(0, 0, &mut Fields::default()) {
        Found::Incomplete { open_quote } => open_quote,
        Found::Record { .. } => None,
    }
}

/// Spans are turned into views while they are still in the first-level cache: 2,048 of them take 16 KiB.
const SLAB: usize = 2048;
