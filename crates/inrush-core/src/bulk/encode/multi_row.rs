//! `INSERT INTO t (a,b) VALUES (..),(..)`: text, right in every sql_mode, cut by bytes and rows.
//!
//! [`MultiRow`] holds the head and the limits; [`MultiRow::next`] writes one statement from a given row on and says how far it
//! came, so that a caller can go on, or replay any range of rows in halves to find the one that the server refuses.

use super::block::{Block, Special};
use super::{Field, Layout, fields, kept};
use crate::bulk::expression::{Computed, Part};
use crate::value::check::{CheckedColumn, Form};
use crate::value::column::Column;
use std::ops::Range;

/// How the rows of one table are written.
#[derive(Clone, Debug)]
pub struct MultiRow {
    head: Vec<u8>,
    tail: Vec<u8>,
    n_values: usize,
    computed: Vec<Computed<usize>>,
    limits: Limits,
    backslash_escapes: bool,
}

/// How large a statement may become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a statement of several rows.
    pub bytes: usize,
    /// Bytes of a statement whatever its rows: `max_allowed_packet` less 2 (the command byte belongs to the packet,
    /// which must be shorter than that).
    pub max_bytes: usize,
    /// Rows of a statement.
    pub rows: usize,
}

/// What [`MultiRow::next`] did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// A statement has been appended.
    Statement {
        /// The rows it was made of, skipped ones included; the next statement begins at its end.
        rows: Range<usize>,
        /// The rows that are in it.
        n_rows: usize,
    },
    /// This row alone is longer than a statement may be. Nothing has been appended; go on behind it.
    TooLong {
        /// The row.
        row: usize,
        /// The bytes of the statement that would have held it alone.
        bytes: usize,
    },
    /// There are no more rows.
    End,
}

impl MultiRow {
    /// `table` is quoted, with its schema. `backslash_escapes` is false where the session is in NO_BACKSLASH_ESCAPES.
    pub fn new(table: &str, columns: &[Column], limits: Limits, backslash_escapes: bool) -> Self {
        Self::with_words("INSERT INTO", table, Layout::plain(columns), "", limits, backslash_escapes)
    }

    /// The same with another `verb`, something behind the rows, and values that are computed.
    pub fn with_words(
        verb: &str,
        table: &str,
        layout: Layout,
        tail: &str,
        limits: Limits,
        backslash_escapes: bool,
    ) -> Self {
        let head = format!("{verb} {table} ({}) VALUES ", layout.list()).into_bytes();
        let Layout { n_values, computed, .. } = layout;
        Self { head, tail: tail.into(), n_values, computed, limits, backslash_escapes }
    }

    /// Appends the statement that holds the first rows of `rows` which are not in `skip` (sorted).
    pub fn next(&self, columns: &[CheckedColumn], skip: &[u32], rows: Range<usize>, out: &mut Vec<u8>) -> Next {
        let fields = fields(columns);
        let mut block = Block::new(out);
        let next = self.fill(&fields, skip, rows, &mut block);
        block.finish();
        next
    }

    fn fill(&self, fields: &[Field<'_>], skip: &[u32], rows: Range<usize>, block: &mut Block<'_>) -> Next {
        let next = self.fill_rows(fields, skip, rows, block);
        if let Next::Statement { .. } = next {
            block.extend(&self.tail);
        }
        next
    }

    fn fill_rows(&self, fields: &[Field<'_>], skip: &[u32], rows: Range<usize>, block: &mut Block<'_>) -> Next {
        let start = block.total();
        let mut statement = Next::End;
        let mut n_rows = 0;
        for row in kept(rows.clone(), skip) {
            let row_start = block.total();
            if n_rows == 0 {
                block.extend(&self.head);
            } else {
                block.push(b',');
            }
            self.encode_row(fields, row, block);
            let bytes = block.total() - start + self.tail.len();
            // A row that alone is more than a statement usually is travels alone.
            let limit = if n_rows == 0 { self.limits.max_bytes } else { self.limits.bytes };
            if bytes > limit {
                block.truncate(row_start);
                return if n_rows == 0 { Next::TooLong { row, bytes } } else { statement };
            }
            n_rows += 1;
            statement = Next::Statement { rows: rows.start..row + 1, n_rows };
            if n_rows == self.limits.rows {
                break;
            }
        }
        statement
    }

    fn encode_row(&self, fields: &[Field<'_>], row: usize, block: &mut Block<'_>) {
        block.push(b'(');
        for field in &fields[..self.n_values] {
            self.encode_value(field, row, block);
            block.push(b',');
        }
        for computed in &self.computed {
            for part in &computed.parts {
                match part {
                    Part::Sql(sql) => block.extend(sql.as_bytes()),
                    Part::Field(number) => self.encode_value(&fields[*number], row, block),
                }
            }
            block.push(b',');
        }
        // Every value has put a comma behind itself; the last one's place is the row's end. (A table has a column.)
        block.set_last(b')');
    }

    #[inline]
    fn encode_value(&self, field: &Field<'_>, row: usize, block: &mut Block<'_>) {
        if field.cells.is_null(row) {
            return block.extend(b"NULL");
        }
        let cell = field.cell(row);
        match field.form {
            Form::Number | Form::Bits => block.copy(cell),
            Form::Plain => quote_plain(cell, block),
            Form::Text => self.quote(cell, block),
            // Half the length of X'..', and read faster (docs/notes/encode.md).
            Form::Bytes => {
                block.extend(b"_binary");
                self.quote(cell, block);
            }
            Form::Argument(function) => {
                block.extend(function.as_bytes());
                block.push(b'(');
                quote_plain(cell, block);
                block.push(b')');
            }
            Form::Geometry if cell.1 > 0 && cell.0[0].is_ascii_hexdigit() => {
                block.push(b'X');
                quote_plain(cell, block);
            }
            Form::Geometry => {
                block.extend(b"ST_GeomFromText(");
                self.quote(cell, block);
                block.push(b')');
            }
        }
    }

    /// As [`crate::value::text_literal::quote_text`], many bytes at once.
    #[inline]
    fn quote(&self, cell: (&[u8], usize), block: &mut Block<'_>) {
        let special = if self.backslash_escapes { QUOTE_AND_BACKSLASH } else { QUOTE };
        block.push(b'\'');
        block.copy_escaped(cell, special, |byte| [byte, byte]);
        block.push(b'\'');
    }
}

#[inline]
fn quote_plain(cell: (&[u8], usize), block: &mut Block<'_>) {
    block.push(b'\'');
    block.copy(cell);
    block.push(b'\'');
}

const QUOTE: Special = Special::new([b'\''; 4]);
const QUOTE_AND_BACKSLASH: Special = Special::new([b'\'', b'\\', b'\'', b'\\']);

#[cfg(test)]
mod tests;
