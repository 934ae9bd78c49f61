//! The beginning of a text as records of fields, by one dialect. It is the sniffer's own and forgives everything: what is malformed is
//! counted, so that dialects can be compared.

use super::Sample;
use std::ops::Range;

/// The special bytes that are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Trial {
    pub(super) delimiter: u8,
    pub(super) quote: Option<u8>,
    /// The byte that escapes the next one inside quotes; everywhere, if there are no quotes.
    pub(super) escape: Option<u8>,
}

/// A field, without its quotes.
#[derive(Clone, Debug)]
pub(super) struct Field {
    pub(super) text: Range<usize>,
    pub(super) is_quoted: bool,
}

/// A record.
#[derive(Clone, Debug)]
pub(super) struct Record {
    /// The number of lines before it.
    pub(super) line: u64,
    pub(super) fields: Vec<Field>,
    /// Text follows a closing quote, or a quote does not close.
    pub(super) is_malformed: bool,
    /// A quoted field holds both a delimiter and a line end.
    pub(super) swallows: bool,
}

/// The records of a sample.
#[derive(Clone, Debug)]
pub(super) struct Records {
    pub(super) all: Vec<Record>,
    /// Line ends in the last record, if the sample cuts it off: many if a quote did not close.
    pub(super) n_lines_cut: u64,
}

impl Record {
    /// Whether there is nothing on its line.
    pub(super) fn is_blank(&self) -> bool {
        matches!(&self.fields[..], [only] if only.text.is_empty() && !only.is_quoted)
    }
}

/// The first records of a text, at most `most` of them, without comments. A last one that the sample cuts off is left out.
pub(super) fn records(text: &[u8], trial: Trial, sample: Sample<'_>, most: usize) -> Records {
    let mut records = Records { all: Vec::new(), n_lines_cut: 0 };
    let (mut at, mut line) = (0, 0);
    while at < text.len() && records.all.len() < most {
        if sample.is_comment(&text[at..]) {
            at = memchr::memchr(b'\n', &text[at..]).map_or(text.len(), |end| at + end + 1);
            line += 1;
            continue;
        }
        let mut record = Record { line, fields: Vec::new(), is_malformed: false, swallows: false };
        let end = loop {
            let (field, end, lines) = field(text, at, trial, &mut record.is_malformed);
            line += lines;
            record.swallows |= lines > 0 && memchr::memchr(trial.delimiter, &text[field.text.clone()]).is_some();
            record.fields.push(field);
            match text.get(end) {
                Some(&byte) if byte == trial.delimiter => at = end + 1,
                Some(_) => break Some(end + 1),
                None => break None,
            }
        };
        line += 1;
        match end {
            Some(end) => at = end,
            None if sample.is_all => at = text.len(),
            None => {
                records.n_lines_cut = line - 1 - record.line;
                break;
            }
        }
        records.all.push(record);
    }
    records
}

/// The field at `at`, where it ends (at a delimiter, a line feed or the end of the text), and how many lines end in it.
fn field(text: &[u8], at: usize, trial: Trial, is_malformed: &mut bool) -> (Field, usize, u64) {
    let quote = trial.quote.filter(|quote| text.get(at) == Some(quote));
    let Some(quote) = quote else {
        let mut end = at;
        while let Some(&byte) = text.get(end) {
            if byte == trial.delimiter || byte == b'\n' {
                break;
            }
            let is_escape = trial.quote.is_none() && trial.escape == Some(byte);
            end += if is_escape { 2 } else { 1 };
        }
        let end = end.min(text.len());
        let is_last = text.get(end) != Some(&trial.delimiter);
        let text_end = if is_last && end > at && text[end - 1] == b'\r' { end - 1 } else { end };
        return (Field { text: at..text_end, is_quoted: false }, end, 0);
    };
    let start = at + 1;
    let (mut end, mut lines) = (start, 0);
    let close = loop {
        match text.get(end) {
            None => break None,
            Some(&byte) if trial.escape == Some(byte) => {
                lines += u64::from(text.get(end + 1) == Some(&b'\n'));
                end += 2;
            }
            Some(&byte) if byte == quote && text.get(end + 1) == Some(&quote) => end += 2,
            Some(&byte) if byte == quote => break Some(end),
            Some(&byte) => {
                lines += u64::from(byte == b'\n');
                end += 1;
            }
        }
    };
    let Some(close) = close else {
        *is_malformed = true;
        return (Field { text: start.min(text.len())..text.len(), is_quoted: true }, text.len(), lines);
    };
    let mut end = close + 1;
    while let Some(&byte) = text.get(end).filter(|byte| **byte != trial.delimiter && **byte != b'\n') {
        *is_malformed |= byte != b'\r';
        end += 1;
    }
    (Field { text: start..close, is_quoted: true }, end, lines)
}
