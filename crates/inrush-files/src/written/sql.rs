//! INSERT statements of many rows, which the client programs of MySQL and MariaDB run alike. No literal depends on a setting that the file
//! does not set: texts are escaped by backslashes, bytes are `X'..'`, and nothing that a client takes for a command is outside of a literal.
//!
//! Invariant: a statement is at most [`MOST_BYTES`] long, unless it has one row.

use super::column::{LineColumn, hexadecimal};
use super::rows::{Cell, RowLayout};
use inrush_core::column::ident::quote_ident;
use inrush_core::error::Result;
use inrush_core::load::ColumnKind;
use inrush_core::wire::Row;

/// The table of the rows, and what surrounds them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SqlStyle {
    /// The table, in backticks.
    pub table: String,
    /// Statements before the rows, such as its CREATE TABLE, each with its `;`.
    pub before: String,
}

impl Default for SqlStyle {
    /// A table `rows`.
    fn default() -> Self {
        Self { table: "`rows`".into(), before: String::new() }
    }
}

/// The statements under way.
pub(super) struct Statements {
    /// Up to the first row.
    insert: Vec<u8>,
    /// Bytes of the statement that is open; 0 if none is.
    n_bytes: usize,
    row: Vec<u8>,
}

impl Statements {
    /// Begins a file.
    pub(super) fn begin(style: &SqlStyle, columns: &[LineColumn], lines: &mut Vec<u8>) -> Self {
        lines.extend_from_slice(HEAD.as_bytes());
        lines.extend_from_slice(style.before.as_bytes());
        let names: Vec<_> = columns.iter().map(|column| quote_ident(&String::from_utf8_lossy(&column.name))).collect();
        let insert = format!("INSERT INTO {} ({}) VALUES\n", style.table, names.join(", ")).into_bytes();
        Self { insert, n_bytes: 0, row: Vec::new() }
    }

    pub(super) fn row<'c>(
        &mut self,
        cells: impl Iterator<Item = (&'c LineColumn, Option<&'c [u8]>)>,
        lines: &mut Vec<u8>,
    ) {
        self.row.clear();
        for (at, (column, cell)) in cells.enumerate() {
            self.row.push(if at > 0 { b',' } else { b'(' });
            match cell {
                None => self.row.extend_from_slice(b"NULL"),
                Some(cell) if column.is_bytes => {
                    self.row.extend_from_slice(b"X'");
                    self.row.extend_from_slice(cell);
                    self.row.push(b'\'');
                }
                Some(cell) if is_number(column.kind, cell) => {
                    let is_float = matches!(column.kind, ColumnKind::Double | ColumnKind::Float);
                    number(cell, is_float, &mut self.row);
                }
                Some(cell) => text(cell, &mut self.row),
            }
        }
        self.end_row(lines);
    }

    /// The same of a row of a result.
    pub(super) fn result_row(&mut self, row: &Row<'_>, layout: &mut RowLayout, lines: &mut Vec<u8>) -> Result<()> {
        self.row.clear();
        layout.write(row, |at, cell| {
            self.row.push(if at > 0 { b',' } else { b'(' });
            match cell {
                Cell::Null => self.row.extend_from_slice(b"NULL"),
                Cell::Number(cell) => self.row.extend_from_slice(cell),
                Cell::Float(cell) if is_number(ColumnKind::Double, cell) => number(cell, true, &mut self.row),
                Cell::Plain(cell) => {
                    self.row.push(b'\'');
                    self.row.extend_from_slice(cell);
                    self.row.push(b'\'');
                }
                Cell::Float(cell) | Cell::Text(cell) => text(cell, &mut self.row),
                Cell::Bytes(bytes) => {
                    self.row.extend_from_slice(b"X'");
                    hexadecimal(bytes, &mut self.row);
                    self.row.push(b'\'');
                }
            }
            Ok(())
        })?;
        self.end_row(lines);
        Ok(())
    }

    /// Appends the row to the statement that is open, or to a new one.
    fn end_row(&mut self, lines: &mut Vec<u8>) {
        self.row.push(b')');
        if self.n_bytes + self.row.len() + END.len() + 2 > MOST_BYTES {
            self.end(lines);
        }
        if self.n_bytes == 0 {
            lines.extend_from_slice(&self.insert);
            self.n_bytes = self.insert.len();
        } else {
            lines.extend_from_slice(b",\n");
            self.n_bytes += 2;
        }
        lines.extend_from_slice(&self.row);
        self.n_bytes += self.row.len();
    }

    /// Ends the statement that is open.
    pub(super) fn end(&mut self, lines: &mut Vec<u8>) {
        if std::mem::take(&mut self.n_bytes) > 0 {
            lines.extend_from_slice(END);
        }
    }

    /// Ends the file.
    pub(super) fn finish(&mut self, lines: &mut Vec<u8>) {
        self.end(lines);
        lines.extend_from_slice(TAIL.as_bytes());
    }
}

/// A NaN and the infinities are no numbers of SQL.
fn is_number(kind: ColumnKind, cell: &[u8]) -> bool {
    let is_number = matches!(kind, ColumnKind::Integer | ColumnKind::Double | ColumnKind::Float | ColumnKind::Decimal);
    is_number && cell.last().is_some_and(u8::is_ascii_digit)
}

/// `-0` would be the whole number 0.
fn number(cell: &[u8], is_float: bool, row: &mut Vec<u8>) {
    row.extend_from_slice(cell);
    if is_float && is_minus_zero(cell) {
        row.extend_from_slice(b"e0");
    }
}

fn is_minus_zero(cell: &[u8]) -> bool {
    cell.starts_with(b"-0") && cell[1..].iter().all(|byte| matches!(byte, b'0' | b'.'))
}

fn text(cell: &[u8], row: &mut Vec<u8>) {
    row.push(b'\'');
    let mut rest = cell;
    while let Some(at) = rest.iter().position(|byte| ESCAPES[usize::from(*byte)] != 0) {
        row.extend_from_slice(&rest[..at]);
        row.extend([b'\\', ESCAPES[usize::from(rest[at])]]);
        rest = &rest[at + 1..];
    }
    row.extend_from_slice(rest);
    row.push(b'\'');
}

/// What stands after the backslash for a byte; 0: the byte stands for itself.
const ESCAPES: [u8; 256] = {
    let mut escapes = [0; 256];
    escapes[b'\'' as usize] = b'\'';
    escapes[b'\\' as usize] = b'\\';
    escapes[0] = b'0';
    escapes[b'\n' as usize] = b'n';
    escapes[b'\r' as usize] = b'r';
    escapes[0x1a] = b'Z';
    escapes
};

const HEAD: &str = "\
SET @inrush_mode = @@sql_mode, @inrush_zone = @@time_zone, @inrush_keys = @@foreign_key_checks;
SET NAMES utf8mb4;
SET sql_mode = 'STRICT_ALL_TABLES,ALLOW_INVALID_DATES,NO_AUTO_VALUE_ON_ZERO', time_zone = '+00:00', foreign_key_checks = 0;
";

const TAIL: &str = "\
SET sql_mode = @inrush_mode, time_zone = @inrush_zone, foreign_key_checks = @inrush_keys;
";

const END: &[u8] = b";\n";

/// The least that every server takes without a setting of its own, and every client: 1 MiB.
pub(super) const MOST_BYTES: usize = 1 << 20;
