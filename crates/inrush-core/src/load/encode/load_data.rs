//! LOAD DATA: the statement, and the text that the server reads for LOCAL INFILE.
//!
//! Invariant: each row ends in `\n`, and no field holds a bare separator, newline or backslash; NULL is `\N`. A batch whose own
//! text already has this form is sent unchanged ([`batch_passes_through`]).
//! The statement says everything that decides how the text is read, so that no default of a server can. Binary, BIT, spatial and
//! VECTOR columns pass through a user variable: in one file with text, raw bytes are refused by MySQL and changed by MariaDB.

mod lines;

pub use lines::Lines;
pub(crate) use lines::of_cells;

pub use crate::write::load_text::{ENCODED, ESCAPED, LoadText, NULL};

use super::Layout;
use crate::column::Column;
use crate::column::Rules;
use crate::column::check::{Check, CheckedColumn, Form};
use crate::load::{Batch, PassThrough};
use crate::write::Separators;
use crate::write::block::Block;
use crate::write::fields::{Field, fields, kept};
use crate::write::load_text::{AS_CHARACTERS, Reading, SPECIAL, TextField, charset, escape, statement_with};
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use memchr::memchr2;

/// Returns the statement that reads `text`, rows of `columns`, into `table` (quoted, with its schema). `file_name` is the file
/// that the server will request.
///
/// The separators are hex literals, which mean the same in every sql_mode.
pub fn statement(table: &str, columns: &[Column], rules: &Rules, text: &[u8], file_name: &str) -> String {
    let (into, text) = (format!("INTO TABLE {table}"), LoadText::encoded(text));
    statement_into(&into, columns, &Layout::plain(columns), rules, text, file_name)
}

/// Like [`statement`], but `into` may name the action for duplicate keys (`REPLACE INTO TABLE t`), columns may be computed, and
/// the text may have other separators.
pub fn statement_into(
    into: &str,
    columns: &[Column],
    layout: &Layout,
    rules: &Rules,
    text: LoadText<'_>,
    file_name: &str,
) -> String {
    let fields: Vec<_> = columns.iter().map(|column| TextField::new(column, Form::of(&column.ty, rules))).collect();
    let (values, variables) = fields.split_at(layout.n_values);
    let charset = if layout.computed.is_empty() { charset(&columns[..layout.n_values], text) } else { AS_CHARACTERS };
    let names = &layout.names[layout.n_values..];
    let reading = Reading { into, charset, separators: text.separators };
    statement_with(&reading, values, variables.len(), &layout.computed, names, file_name)
}

/// Appends all rows but those in `skip` (sorted) to `out`. Returns how many they are.
///
/// ```text
/// field \t field \t .. \n     a row of one empty field is an empty line, and the servers count it
/// ```
pub fn encode(columns: &[CheckedColumn], skip: &[u32], out: &mut Vec<u8>) -> usize {
    let n_rows = columns.first().map_or(0, |column| column.cells.views().len());
    let fields = fields(columns);
    let mut block = Block::new(out);
    let mut n_encoded = 0;
    for row in kept(0..n_rows, skip) {
        for field in &fields {
            encode_field(field, row, &mut block);
            block.push(ENCODED.terminated_by);
        }
        // Every field is followed by a separator; the last field's separator is replaced by the row end.
        block.set_last(b'\n');
        n_encoded += 1;
    }
    block.finish();
    n_encoded
}

/// Returns the separators with which the server can read a batch's own text unchanged. That is possible if all of the text is
/// rows without a NULL, no row is skipped, `columns` did not change when they were checked, and nothing in the text would be
/// escaped.
///
/// Where fields may be enclosed, the servers read the bare word `NULL` as NULL (MySQL manual, LOAD DATA, "Field and Line
/// Handling").
pub fn batch_passes_through(batch: &Batch, columns: &[CheckedColumn], skip: &[u32]) -> Option<Separators> {
    let Separators { terminated_by, enclosed_by } = nameable(batch.origin.verbatim)?;
    let has_nulls = || columns.iter().any(|column| column.cells.null_count() > 0);
    let says_null = || enclosed_by.is_some() && columns.iter().any(|column| column.cells.views().contains(&NULL_VIEW));
    let [backslash, nul] = ESCAPED;
    let stands = says_all(batch, columns, skip)
        && !has_nulls()
        && !says_null()
        && memchr2(backslash, nul, &batch.origin.text).is_none();
    stands.then_some(Separators { terminated_by, enclosed_by })
}

/// Whether the [encoded](encode) text of a batch has all of its rows, with their cells as they were before they were checked.
pub fn says_all(batch: &Batch, columns: &[CheckedColumn], skip: &[u32]) -> bool {
    let cells = batch.rows.columns();
    let says_it = |(column, cells): (&CheckedColumn, &ArrayRef)| {
        takes_text(column.form) && column.is_untouched(cells.as_binary_view())
    };
    skip.is_empty() && columns.len() == cells.len() && columns.iter().zip(cells).all(says_it)
}

/// Whether a text can be sent unchanged at all into columns of these checks.
pub fn may_pass_through(checks: &[Check]) -> bool {
    checks.iter().all(|check| takes_text(check.form()))
}

/// Returns the separators with which the server can read the text of a [`PassThrough`] unchanged. `checks` must be the checks
/// that validated it, and [`may_pass_through`] must be true for them.
pub fn passes_through(pass_through: &PassThrough) -> Option<Separators> {
    nameable(pass_through.origin.verbatim)
}

/// Bytes must always be encoded.
fn takes_text(form: Form) -> bool {
    form != Form::Bytes
}

/// Separators that a statement can name.
fn nameable(separators: Option<Separators>) -> Option<Separators> {
    separators.filter(|it| is_separator(it.terminated_by) && it.enclosed_by.is_none_or(is_separator))
}

/// After the escape, letters and digits mean other bytes, and the servers warn about them.
fn is_separator(byte: u8) -> bool {
    byte.is_ascii() && !byte.is_ascii_alphanumeric()
}

#[inline]
fn encode_field(field: &Field<'_>, row: usize, block: &mut Block<'_>) {
    if field.cells.is_null(row) {
        return block.extend(NULL);
    }
    match field.form {
        Form::Number | Form::Bits | Form::Plain | Form::Argument(_) => block.copy(field.cell(row)),
        Form::Text | Form::Geometry => block.copy_escaped(field.cell(row), SPECIAL, escape),
        Form::Bytes => block.hex(field.cells.bytes(row)),
    }
}

/// The word that the servers read as NULL where fields may be enclosed, if it is the whole field and not enclosed.
pub const NULL_WORD: [u8; 4] = *b"NULL";

/// The view of a cell that is this word.
const NULL_VIEW: u128 = NULL_WORD.len() as u128 | (u32::from_le_bytes(NULL_WORD) as u128) << 32;

#[cfg(test)]
mod tests;
