//! `INSERT INTO t (a,b) VALUES (?,?),(?,?)..`: one statement for a fixed number of rows, prepared once, and what each execution
//! sends.
//!
//! Every value is bound as a text (bytes as bytes) and so means what the same field of a LOAD means, in strict mode. What is gained is
//! the server's parser: it sees the statement once (docs/notes/multi-row.md). Rows that do not make up a full statement, or are
//! long, are left to [`MultiRow`](super::multi_row::MultiRow).

use super::block::Block;
use super::{Field, Layout, fields, kept};
use crate::value::Rules;
use crate::value::check::{CheckedColumn, Form};
use crate::value::column::Column;
use crate::wire::ColumnType;
use crate::wire::lenenc::put_int;
use std::ops::Range;

/// How the rows of one table are bound.
#[derive(Clone, Debug)]
pub struct MultiRowPrepared {
    sql: String,
    rows: usize,
    max_bytes: usize,
    /// Type and flag of every placeholder.
    types: Vec<u8>,
}

impl MultiRowPrepared {
    /// `table` is quoted, with its schema; an execution sends at most `max_bytes`. `None` if a column needs an expression around
    /// its value, or there are too many columns to gain anything.
    pub fn new(table: &str, columns: &[Column], rules: &Rules, max_bytes: usize) -> Option<Self> {
        Self::with_words("INSERT INTO", table, columns, &Layout::plain(columns), "", rules, max_bytes)
    }

    /// The same with another `verb`, and something behind the rows. `None` too if something is computed.
    pub fn with_words(
        verb: &str,
        table: &str,
        columns: &[Column],
        layout: &Layout,
        tail: &str,
        rules: &Rules,
        max_bytes: usize,
    ) -> Option<Self> {
        let rows = (MAX_PLACEHOLDERS / columns.len().max(1)).min(ROWS);
        let types = columns.iter().map(|column| bound_type(Form::of(&column.ty, rules)));
        let types: Vec<u8> = types.collect::<Option<Vec<ColumnType>>>()?.iter().flat_map(|ty| [*ty as u8, 0]).collect();
        if rows < FEWEST_ROWS || !layout.computed.is_empty() {
            return None;
        }
        let row = format!("({})", vec!["?"; columns.len()].join(","));
        let sql = format!("{verb} {table} ({}) VALUES {}{tail}", layout.list(), vec![row; rows].join(","));
        let types = types.repeat(rows);
        // The first execution carries the types too, and the statement itself must fit into a packet.
        let max_bytes = max_bytes.checked_sub(types.len() + EXECUTE_HEAD).filter(|most| sql.len() <= *most)?;
        Some(Self { sql, rows, max_bytes, types })
    }

    /// How many rows an execution inserts.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The statement to prepare.
    pub fn sql(&self) -> &str {
        &self.sql
    }

    /// Type and flag of every placeholder, for the first execution.
    pub fn types(&self) -> &[u8] {
        &self.types
    }

    /// Appends the bitmap and the values of an execution: of the first of `rows` that are not in `skip` (sorted), as many as the
    /// statement takes. Returns where they end; `None`, and nothing appended: they are too few or too long.
    ///
    /// ```text
    /// bitmap  one bit a value, set for NULL: (n + 7) / 8 bytes
    /// ..      the values that are not NULL, row by row: length and bytes
    /// ```
    pub fn next(
        &self,
        columns: &[CheckedColumn],
        skip: &[u32],
        rows: Range<usize>,
        out: &mut Vec<u8>,
    ) -> Option<usize> {
        let fields = fields(columns);
        let last = kept(rows.clone(), skip).nth(self.rows - 1)?;
        let start = out.len();
        out.resize(start + (self.rows * fields.len()).div_ceil(8), 0);
        mark_nulls(&fields, kept(rows.start..last + 1, skip), &mut out[start..]);
        let mut block = Block::new(out);
        for row in kept(rows.start..last + 1, skip) {
            for field in &fields {
                put_value(field, row, &mut block);
            }
            if block.total() - start > self.max_bytes {
                block.truncate(start);
                block.finish();
                return None;
            }
        }
        block.finish();
        Some(last + 1)
    }
}

fn mark_nulls(fields: &[Field<'_>], rows: impl Iterator<Item = usize>, bitmap: &mut [u8]) {
    for (i, row) in rows.enumerate() {
        for (j, field) in fields.iter().enumerate() {
            if field.cells.is_null(row) {
                let bit = i * fields.len() + j;
                bitmap[bit / 8] |= 1 << (bit % 8);
            }
        }
    }
}

#[inline]
fn put_value(field: &Field<'_>, row: usize, block: &mut Block<'_>) {
    if field.cells.is_null(row) {
        return;
    }
    let cell = field.cell(row);
    match u8::try_from(cell.1) {
        Ok(short @ 0..=250) => block.push(short),
        _ => {
            let mut length = Vec::with_capacity(9);
            put_int(&mut length, cell.1 as u64);
            block.extend(&length);
        }
    }
    block.copy(cell);
}

/// How values of a form are bound; `None` for those that only an expression makes right.
fn bound_type(form: Form) -> Option<ColumnType> {
    match form {
        Form::Number | Form::Plain | Form::Text => Some(ColumnType::MYSQL_TYPE_VAR_STRING),
        Form::Bytes => Some(ColumnType::MYSQL_TYPE_BLOB),
        // The text of a number would be stored as the bits of its characters.
        Form::Bits | Form::Argument(_) | Form::Geometry => None,
    }
}

/// Command, statement id, flags, iteration count, and whether types follow.
const EXECUTE_HEAD: usize = 11;

/// A server counts placeholders with 16 bits.
const MAX_PLACEHOLDERS: usize = 65_535;

/// A server spends a little more on each row of larger statements, a slow network more on smaller ones (docs/notes/multi-row.md).
const ROWS: usize = 500;

/// A statement of fewer rows gains too little over text to be worth preparing.
const FEWEST_ROWS: usize = 32;

#[cfg(test)]
mod tests;
