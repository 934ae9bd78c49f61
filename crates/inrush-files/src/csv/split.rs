//! Splits text into records and fields. Pure: it takes a text and an offset, and returns the places of the record's fields.
//!
//! A field is a [`Span`] of the text, unless it has doubled quotes or escapes: then it is a span of a side buffer with its plain form.
//! An incomplete record is split again from its start after more text was read; the reader doubles the size of each read, so the work
//! stays linear.

use super::marks::Marks;
use crate::dialect::Dialect;
use memchr::{memchr, memchr2, memchr3};

/// The place of a field. Two flags share the words with the offsets, which are below 2^31.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    start: u32,
    end: u32,
}

impl Span {
    /// A field that is a part of the text.
    fn plain(start: usize, end: usize) -> Self {
        Self { start: start as u32, end: end as u32 }
    }

    /// A field that is never NULL: it was quoted or escaped.
    fn literal(start: usize, end: usize) -> Self {
        Self { start: start as u32 | FLAG, end: end as u32 }
    }

    /// A field whose plain form is in the side buffer; never NULL.
    fn aside(start: usize, end: usize) -> Self {
        Self { start: start as u32 | FLAG, end: end as u32 | FLAG }
    }

    pub(super) fn start(self) -> usize {
        (self.start & !FLAG) as usize
    }

    pub(super) fn end(self) -> usize {
        (self.end & !FLAG) as usize
    }

    pub(super) fn is_literal(self) -> bool {
        self.start & FLAG != 0
    }

    pub(super) fn is_aside(self) -> bool {
        self.end & FLAG != 0
    }
}

/// The result of splitting a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SplitRecord {
    /// A record.
    Record {
        /// Where the next one begins.
        end: usize,
        /// The number of its fields; at most `width` of them were recorded.
        fields: usize,
        /// The first field whose closing quote is followed by text.
        garbled: Option<usize>,
    },
    /// A line that is no record.
    Comment {
        /// Where the next line begins.
        end: usize,
    },
    /// The text read so far ends before the record does.
    Incomplete {
        /// The place of the open quote.
        open_quote: Option<usize>,
    },
}

/// The fields found, row by row, and the side buffer.
#[derive(Debug, Default)]
pub(super) struct Fields {
    pub(super) spans: Vec<Span>,
    pub(super) side: Vec<u8>,
}

impl Fields {
    /// Adds empty fields until there are so many.
    pub(super) fn fill(&mut self, n: usize) {
        self.spans.resize(n, Span::plain(0, 0));
    }
}

/// Splits one text; `at_end` says that the text's end is the input's end.
#[derive(Debug)]
pub(super) struct Splitter<'a> {
    dialect: &'a Dialect,
    text: &'a [u8],
    at_end: bool,
    marks: Marks,
    /// Some field was quoted.
    pub(super) has_quoted: bool,
}

/// The fields of a record so far.
#[derive(Clone, Copy, Debug)]
struct Begun {
    fields: usize,
    garbled: Option<usize>,
    /// Where the next field begins.
    at: usize,
}

impl<'a> Splitter<'a> {
    pub(super) fn new(dialect: &'a Dialect, text: &'a [u8], at: usize, at_end: bool) -> Self {
        Self { dialect, text, at_end, marks: Marks::from(dialect.delimiter, at), has_quoted: false }
    }

    /// Splits the record that begins at `start`, unless a comment does; records the first `width` fields. `start` never decreases, and at the
    /// input's end it is before the text's end.
    #[inline(always)]
    pub(super) fn record(&mut self, start: usize, width: usize, found: &mut Fields) -> SplitRecord {
        if self.dialect.is_comment(&self.text[start..]) {
            return self.comment(start);
        }
        let begun = Begun { fields: 0, garbled: None, at: start };
        match (self.dialect.quote, self.dialect.escape) {
            (Some(quote), _) => self.plain_fields(begun, |byte| byte == quote, width, found),
            (None, None) => self.plain_fields(begun, |_| false, width, found),
            (None, Some(_)) => self.any_fields(begun, width, found),
        }
    }

    #[cold]
    fn comment(&mut self, start: usize) -> SplitRecord {
        let end = match memchr(b'\n', &self.text[start..]) {
            Some(at) => start + at + 1,
            None if self.at_end => self.text.len(),
            None => return SplitRecord::Incomplete { open_quote: None },
        };
        self.marks.pass(end);
        SplitRecord::Comment { end }
    }

    /// The fast path, for records without quotes. `text` and the numbers stay in registers; `any_fields` does the rest.
    #[inline(always)]
    fn plain_fields(
        &mut self,
        Begun { mut fields, garbled, mut at }: Begun,
        is_quote: impl Fn(u8) -> bool,
        width: usize,
        found: &mut Fields,
    ) -> SplitRecord {
        let (text, delimiter) = (self.text, self.dialect.delimiter);
        loop {
            if text.get(at).is_some_and(|&byte| is_quote(byte)) {
                return self.any_fields(Begun { fields, garbled, at }, width, found);
            }
            let Some(end) = self.marks.next(text) else {
                return self.any_fields(Begun { fields, garbled, at }, width, found);
            };
            let ends_line = text[end] != delimiter;
            let content_end = if ends_line { self.line_trimmed(at, end) } else { end };
            if fields < width {
                found.spans.push(Span::plain(at, content_end));
            }
            fields += 1;
            at = end + 1;
            if ends_line {
                return SplitRecord::Record { end: at, fields, garbled };
            }
        }
    }

    /// The slow path, for fields of all kinds.
    #[inline(never)]
    fn any_fields(&mut self, begun: Begun, width: usize, found: &mut Fields) -> SplitRecord {
        let text = self.text;
        let escapes_unquoted = self.dialect.escapes_unquoted();
        let Begun { mut fields, mut garbled, mut at } = begun;
        loop {
            let first = text.get(at).copied();
            let (span, end) = if first.is_some() && first == self.dialect.quote {
                let Some((span, after)) = self.quoted(at, &mut found.side) else {
                    return SplitRecord::Incomplete { open_quote: Some(at) };
                };
                self.marks.pass(after);
                self.has_quoted = true;
                let Some(end) = self.field_end() else { return SplitRecord::Incomplete { open_quote: None } };
                if self.line_trimmed(after, end) != after {
                    garbled = garbled.or(Some(fields));
                }
                (span, end)
            } else if escapes_unquoted {
                match self.escaped(at, &mut found.side) {
                    Some(field) => field,
                    None => return SplitRecord::Incomplete { open_quote: None },
                }
            } else {
                let Some(end) = self.field_end() else { return SplitRecord::Incomplete { open_quote: None } };
                (Span::plain(at, self.line_trimmed(at, end)), end)
            };
            if fields < width {
                found.spans.push(span);
            }
            fields += 1;
            at = end + 1;
            if text.get(end) != Some(&self.dialect.delimiter) {
                return SplitRecord::Record { end: at.min(text.len()), fields, garbled };
            }
        }
    }

    /// The end of the current field: the next mark, or the end of the input.
    #[inline(always)]
    fn field_end(&mut self) -> Option<usize> {
        match self.marks.next(self.text) {
            None if self.at_end => Some(self.text.len()),
            mark => mark,
        }
    }

    /// `end` without the CR of a CRLF.
    #[inline(always)]
    fn line_trimmed(&self, start: usize, end: usize) -> usize {
        let crlf = end > start && self.text[end - 1] == b'\r' && self.text.get(end) == Some(&b'\n');
        end - usize::from(crlf)
    }

    /// A field that begins with a quote at `open`, and the place after its closing quote; `None` if that is not in
    /// sight.
    fn quoted(&self, open: usize, side: &mut Vec<u8>) -> Option<(Span, usize)> {
        let (text, quote) = (self.text, self.dialect.quote?);
        let content = open + 1;
        let (mut from, mut at) = (content, content);
        let mut aside = None;
        loop {
            let hit = at
                + match self.dialect.escape {
                    Some(escape) => memchr2(quote, escape, text.get(at..)?)?,
                    None => memchr(quote, text.get(at..)?)?,
                };
            let next = text.get(hit + 1).copied();
            if text[hit] == quote && next != Some(quote) {
                if next.is_none() && !self.at_end {
                    return None; // The first half of a doubled quote, perhaps.
                }
                let span = match aside {
                    None => Span::literal(content, hit),
                    Some(start) => {
                        side.extend_from_slice(&text[from..hit]);
                        Span::aside(start, side.len())
                    }
                };
                return Some((span, hit + 1));
            }
            // A doubled quote or an escape: the next byte is text.
            next?;
            aside.get_or_insert(side.len());
            side.extend_from_slice(&text[from..hit]);
            from = hit + 1;
            at = hit + 2;
        }
    }

    /// A field of a file without quotes but with an escape, and the place of the mark that ends it.
    fn escaped(&self, start: usize, side: &mut Vec<u8>) -> Option<(Span, usize)> {
        let (text, escape) = (self.text, self.dialect.escape?);
        let aside = side.len();
        let (mut from, mut at) = (start, start);
        loop {
            let hit = match memchr3(self.dialect.delimiter, b'\n', escape, &text[at..]) {
                Some(hit) => at + hit,
                None if self.at_end => text.len(),
                None => return None,
            };
            if text.get(hit) == Some(&escape) {
                match text.get(hit + 1) {
                    Some(&byte) => {
                        side.extend_from_slice(&text[from..hit]);
                        side.push(unescaped(byte));
                        from = hit + 2;
                        at = from;
                    }
                    None if self.at_end => at = hit + 1, // An escape at the end is text.
                    None => return None,
                }
                continue;
            }
            let end = self.line_trimmed(from, hit);
            if from == start || self.dialect.nulls.iter().any(|null| *null == text[start..end]) {
                side.truncate(aside);
                return Some((Span::plain(start, end), hit));
            }
            side.extend_from_slice(&text[from..end]);
            return Some((Span::aside(aside, side.len()), hit));
        }
    }
}

/// What an escaped byte means to MySQL: `\N` is left to the list of NULL texts.
fn unescaped(byte: u8) -> u8 {
    match byte {
        b'0' => 0,
        b'b' => 8,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'Z' => 26,
        other => other,
    }
}

const FLAG: u32 = 1 << 31;

/// What is wrong with a record that has text after the closing quote of this field, counted from 0.
pub(super) fn garbled_reason(field: usize) -> String {
    format!("text follows the closing quote of field {}", field + 1)
}
