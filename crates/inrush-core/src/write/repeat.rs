//! A text that is repeated for each row, with literals in the place of its placeholders: an INSERT as text.
//!
//! ```text
//! head  row , row , .. row  tail
//! ```

use super::block::Block;
use super::literal::put_literal;
use super::row_source::{CheckedRows, RowSource};
use super::{Command, Limits, Next};
use crate::convert::RowReader;
use crate::error::{Error, Result};
use crate::session::Statement;
use crate::value::Value;
use std::ops::Range;

/// How the rows of one statement are written.
#[derive(Clone, Debug)]
pub(super) struct Repeat {
    pub(super) head: Vec<u8>,
    pub(super) row: Pieces,
    pub(super) tail: Vec<u8>,
    pub(super) limits: Limits,
    pub(super) backslash_escapes: bool,
}

impl Repeat {
    /// A command of the first of `range`, which is not empty.
    pub(super) fn next(&self, rows: RowSource<'_>, range: Range<usize>, mut text: Vec<u8>) -> Result<Next> {
        let one_row = self.row.text.len() + LIKELY_BYTES * self.row.ends.len();
        text.reserve(self.head.len() + one_row + self.tail.len());
        let mut block = Block::new(&mut text);
        block.extend(&self.head);
        let n_rows = match self.fill(rows, range, &mut block)? {
            Filled::Rows(n_rows) => n_rows,
            Filled::TooLong(bytes) => return Ok(Next::TooLong { bytes }),
        };
        block.extend(&self.tail);
        block.finish();
        Ok(Next::Command { command: Command::Query(text), n_rows })
    }

    fn fill(&self, rows: RowSource<'_>, range: Range<usize>, block: &mut Block<'_>) -> Result<Filled> {
        let range = range.start..range.start + range.len().min(self.limits.rows);
        match rows {
            RowSource::Bound(rows) => {
                let mut reader = RowReader::new(rows, range.clone());
                self.fill_with(range, block, |row, block| {
                    let values = reader.row(row)?;
                    self.row.put(values, self.backslash_escapes, block).map_err(|error| error.at_row(row as u64))
                })
            }
            RowSource::Checked(rows) => self.fill_with(range, block, |row, block| {
                self.row.put_cells(rows, row, self.backslash_escapes, block);
                Ok(())
            }),
        }
    }

    fn fill_with(
        &self,
        range: Range<usize>,
        block: &mut Block<'_>,
        mut put: impl FnMut(usize, &mut Block<'_>) -> Result<()>,
    ) -> Result<Filled> {
        let n_offered = range.len();
        let mut n_rows = 0;
        for row in range {
            let start = block.total();
            if n_rows > 0 {
                block.push(b',');
            }
            put(row, block)?;
            let bytes = block.total() + self.tail.len();
            // A row that alone is larger than the target size of a command is sent alone.
            if n_rows == 0 && bytes > self.limits.max_bytes {
                return Ok(Filled::TooLong(bytes));
            }
            if n_rows > 0 && bytes > self.limits.bytes.min(self.limits.max_bytes) {
                block.truncate(start);
                break;
            }
            n_rows += 1;
            if n_rows == 1 && n_offered > 1 {
                // As if all rows were like the first.
                let row_bytes = block.total() - self.head.len() + 1;
                block.reserve(row_bytes.saturating_mul(n_offered).min(self.limits.bytes) + self.tail.len());
            }
        }
        Ok(Filled::Rows(n_rows))
    }
}

enum Filled {
    Rows(usize),
    TooLong(usize),
}

/// The text around and between placeholders.
#[derive(Clone, Debug)]
pub(super) struct Pieces {
    text: Vec<u8>,
    /// Where in it each placeholder's value goes.
    ends: Vec<usize>,
}

impl Pieces {
    /// Cuts a part of a statement at its placeholders. Blanks before and after them are removed, and one is added where a value
    /// would run into the text next to it: `a=?AND`.
    pub(super) fn new(statement: &Statement, range: Range<usize>) -> Self {
        let sql = statement.sql().as_bytes();
        let marks = statement.marks().iter().copied().filter(|mark| range.contains(mark));
        let mut pieces = Self { text: Vec::with_capacity(range.len()), ends: Vec::new() };
        let mut start = range.start;
        for mark in marks {
            pieces.push(&sql[start..mark], start > range.start, true);
            pieces.ends.push(pieces.text.len());
            start = mark + 1;
        }
        pieces.push(&sql[start..range.end], start > range.start, false);
        pieces
    }

    fn push(&mut self, piece: &[u8], is_behind: bool, is_before: bool) {
        let mut piece = piece;
        while let Some(rest) = piece.strip_prefix(b" ").filter(|_| is_behind) {
            piece = rest;
        }
        while let Some(rest) = piece.strip_suffix(b" ").filter(|_| is_before) {
            piece = rest;
        }
        if is_behind && piece.first().map_or(is_before, |byte| runs_on(*byte)) {
            self.text.push(b' ');
        }
        self.text.extend_from_slice(piece);
        if is_before && piece.last().is_some_and(|byte| runs_on(*byte)) {
            self.text.push(b' ');
        }
    }

    /// Appends the text with these values, one for each placeholder.
    #[inline]
    fn put(&self, values: &[Value<'_>], backslash_escapes: bool, out: &mut Block<'_>) -> Result<()> {
        debug_assert_eq!(values.len(), self.ends.len());
        let mut start = 0;
        for (end, value) in self.ends.iter().zip(values) {
            self.put_piece(start..*end, out);
            put_literal(value, backslash_escapes, out)?;
            start = *end;
        }
        out.put(&self.text[start..]);
        Ok(())
    }

    /// The same with the cells of a row.
    #[inline]
    fn put_cells(&self, rows: &CheckedRows<'_>, row: usize, backslash_escapes: bool, out: &mut Block<'_>) {
        let mut start = 0;
        for (i, end) in self.ends.iter().enumerate() {
            self.put_piece(start..*end, out);
            rows.put_literal(row, i, backslash_escapes, out);
            start = *end;
        }
        out.put(&self.text[start..]);
    }

    #[inline]
    fn put_piece(&self, piece: Range<usize>, out: &mut Block<'_>) {
        match &self.text[piece] {
            [byte] => out.push(*byte),
            piece => out.put(piece),
        }
    }
}

/// Room for a value, so that one row does not need a second allocation.
const LIKELY_BYTES: usize = 32;

/// Whether a value next to this byte would merge with it into one token. A minus is no such byte: `5--3` is 8, and with a blank
/// after it, the two would begin a comment.
fn runs_on(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'.' | b'@' | b'\'' | b'"' | b'`' | 0x80..)
}

/// Refuses an ambiguous text: its placeholders were found under the assumption that a backslash escapes.
pub(super) fn check_quotes(statement: &Statement, backslash_escapes: bool) -> Result<()> {
    let is_doubtful = |pair: &[u8]| pair[0] == b'\\' && (pair[1] == b'\'' || pair[1] == b'"');
    if !backslash_escapes && statement.sql().as_bytes().windows(2).any(is_doubtful) {
        return Err(Error::config(
            "the statement has a backslash before a quote, and the session is in NO_BACKSLASH_ESCAPES",
        )
        .with_hint("give the text as a value, or choose a method that prepares the statement"));
    }
    Ok(())
}
