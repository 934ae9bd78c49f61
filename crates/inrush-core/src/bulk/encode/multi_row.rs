//! `INSERT INTO t (a,b) VALUES (..),(..)`: text, right in every sql_mode, cut by bytes and rows.
//!
//! [`MultiRow`] holds the head and the limits; [`MultiRow::next`] writes one statement from a given row on and says how far it
//! came, so that a caller can go on, or replay any range of rows in halves to find the one that the server refuses.

use super::escape::copy_escaped;
use super::{Field, fields, kept};
use crate::value::check::{CheckedColumn, Form};
use crate::value::column::Column;
use crate::value::ident::quote_ident;
use crate::value::text_literal::hex;
use std::ops::Range;

/// How the rows of one table are written.
#[derive(Clone, Debug)]
pub struct MultiRow {
    head: Vec<u8>,
    limits: Limits,
    backslash_escapes: bool,
}

/// How large a statement may become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a statement. Never more than `max_allowed_packet` less 1 (the command byte belongs to the packet).
    pub bytes: usize,
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
        let names: Vec<String> = columns.iter().map(|column| quote_ident(&column.name)).collect();
        let head = format!("INSERT INTO {table} ({}) VALUES ", names.join(",")).into_bytes();
        Self { head, limits, backslash_escapes }
    }

    /// Appends the statement that holds the first rows of `rows` which are not in `skip` (sorted).
    pub fn next(&self, columns: &[CheckedColumn], skip: &[u32], rows: Range<usize>, out: &mut Vec<u8>) -> Next {
        let fields = fields(columns);
        let start = out.len();
        let mut statement = Next::End;
        let mut n_rows = 0;
        for row in kept(rows.clone(), skip) {
            let row_start = out.len();
            if n_rows == 0 {
                out.extend_from_slice(&self.head);
            } else {
                out.push(b',');
            }
            self.encode_row(&fields, row, out);
            let bytes = out.len() - start;
            if bytes > self.limits.bytes {
                out.truncate(row_start);
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

    fn encode_row(&self, fields: &[Field<'_>], row: usize, out: &mut Vec<u8>) {
        out.push(b'(');
        for field in fields {
            self.encode_value(field, row, out);
            out.push(b',');
        }
        // Every value has put a comma behind itself; the last one's place is the row's end.
        match out.last_mut() {
            Some(last) if !fields.is_empty() => *last = b')',
            _ => out.push(b')'),
        }
    }

    #[inline]
    fn encode_value(&self, field: &Field<'_>, row: usize, out: &mut Vec<u8>) {
        if field.cells.is_null(row) {
            return out.extend_from_slice(b"NULL");
        }
        let cell = field.cells.bytes(row);
        match field.form {
            Form::Number | Form::Bits => out.extend_from_slice(cell),
            Form::Plain => quote_plain(cell, out),
            Form::Text => self.quote(cell, out),
            Form::Bytes => write_hex(cell, out),
            Form::Argument(function) => {
                out.extend_from_slice(function.as_bytes());
                out.push(b'(');
                quote_plain(cell, out);
                out.push(b')');
            }
            Form::Geometry if cell.first().is_some_and(u8::is_ascii_hexdigit) => {
                out.extend_from_slice(b"X'");
                out.extend_from_slice(cell);
                out.push(b'\'');
            }
            Form::Geometry => {
                out.extend_from_slice(b"ST_GeomFromText(");
                self.quote(cell, out);
                out.push(b')');
            }
        }
    }

    /// As [`crate::value::text_literal::quote_text`], in steps of 16 bytes.
    #[inline]
    fn quote(&self, text: &[u8], out: &mut Vec<u8>) {
        out.push(b'\'');
        let double = |byte, out: &mut Vec<u8>| out.extend_from_slice(&[byte, byte]);
        if self.backslash_escapes {
            copy_escaped(text, |b| matches!(b, b'\'' | b'\\'), double, out);
        } else {
            copy_escaped(text, |b| b == b'\'', double, out);
        }
        out.push(b'\'');
    }
}

fn quote_plain(text: &[u8], out: &mut Vec<u8>) {
    out.push(b'\'');
    out.extend_from_slice(text);
    out.push(b'\'');
}

fn write_hex(bytes: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(b"X'");
    hex(bytes, out);
    out.push(b'\'');
}

#[cfg(test)]
mod tests;
