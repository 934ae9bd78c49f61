//! Rows of a load: the cells of a file that passed their checks. The feature `loader`; without it `no_checked.rs` is in this place.

use crate::column::Cells;
use crate::column::check::{CheckedColumn, Form};
use crate::convert::{BoundRows, RowBlockWriter};
use crate::error::Result;
use crate::value::Value;
use crate::wire::ParamType;
use crate::write::block::{Block, Special};
use crate::write::fields::kept;
use std::ops::Range;

/// Rows of checked cells. Rows that a check refused are left out, so row numbers count the others only.
pub struct CheckedRows<'a> {
    /// What each placeholder gets.
    fields: Vec<Field<'a>>,
    /// The rows that are not left out; `None` if all are in.
    kept: Option<Vec<u32>>,
    n_rows: usize,
}

/// The cells that go to one placeholder.
#[derive(Clone, Copy)]
struct Field<'a> {
    cells: Cells<'a>,
    form: Form,
    ty: ParamType,
}

impl<'a> CheckedRows<'a> {
    /// Of the first `n_all` rows of `columns` those that are not in `skip`, which is ascending. `uses`: for each placeholder, the number of its
    /// column.
    pub fn new(columns: &'a [CheckedColumn], n_all: usize, skip: &[u32], uses: &[usize]) -> Self {
        let field = |column: &'a CheckedColumn| Field {
            cells: Cells::new(&column.cells),
            form: column.form,
            ty: if column.form == Form::Bytes { ParamType::BYTES } else { ParamType::TEXT },
        };
        let kept = (!skip.is_empty()).then(|| kept(0..n_all, skip).map(|row| row as u32).collect());
        let n_rows = kept.as_ref().map_or(n_all, Vec::len);
        Self { fields: uses.iter().filter_map(|number| columns.get(*number)).map(field).collect(), kept, n_rows }
    }

    /// The number of a row among all rows of its batch.
    #[inline]
    pub fn row_of_batch(&self, row: usize) -> usize {
        match &self.kept {
            None => row,
            Some(kept) => kept[row] as usize,
        }
    }

    pub(super) fn put_types(&self, types: &mut [ParamType]) {
        types.iter_mut().zip(&self.fields).for_each(|(ty, field)| *ty = field.ty);
    }

    /// Appends the literal of placeholder `i` in `row`, as [`Form`] says. `backslash_escapes`: whether the session lets a backslash escape.
    #[inline]
    pub(crate) fn put_literal(&self, row: usize, i: usize, backslash_escapes: bool, block: &mut Block<'_>) {
        let (field, row) = (&self.fields[i], self.row_of_batch(row));
        if field.cells.is_null(row) {
            return block.extend(b"NULL");
        }
        let cell = field.cells.bytes_and_more(row);
        match field.form {
            Form::Number | Form::Bits => block.copy(cell),
            Form::Plain => quote_plain(cell, block),
            Form::Text => quote(cell, backslash_escapes, block),
            // Half the length of X'..', and read faster (docs/notes/encode.md).
            Form::Bytes => {
                block.extend(b"_binary");
                quote(cell, backslash_escapes, block);
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
                quote(cell, backslash_escapes, block);
                block.push(b')');
            }
        }
    }

    fn value(&self, row: usize, field: &Field<'a>) -> Value<'a> {
        let Some(cell) = field.cells.get(row) else { return Value::Null };
        match std::str::from_utf8(cell) {
            Ok(text) if field.ty == ParamType::TEXT => Value::Text(text),
            _ => Value::Bytes(cell),
        }
    }
}

impl BoundRows for CheckedRows<'_> {
    fn n_rows(&self) -> usize {
        self.n_rows
    }

    fn row<'s>(&'s self, row: usize, out: &mut Vec<Value<'s>>) -> Result<()> {
        let row = self.row_of_batch(row);
        out.extend(self.fields.iter().map(|field| self.value(row, field)));
        Ok(())
    }

    fn put_common(&self, rows: Range<usize>, writer: &mut RowBlockWriter<'_>) -> usize {
        let types = writer.types.iter();
        if writer.types.len() != self.fields.len() || types.zip(&self.fields).any(|(ty, field)| *ty != field.ty) {
            return 0;
        }
        match &self.kept {
            None => writer.put_cells(rows, |row, i| self.fields[i].cells.get(row)),
            Some(kept) => writer.put_cells(rows, |row, i| self.fields[i].cells.get(kept[row] as usize)),
        }
    }
}

/// As [`crate::column::text_literal::quote_text`], many bytes at once.
#[inline]
fn quote(cell: (&[u8], usize), backslash_escapes: bool, block: &mut Block<'_>) {
    let special = if backslash_escapes { QUOTE_AND_BACKSLASH } else { QUOTE };
    block.push(b'\'');
    block.copy_escaped(cell, special, |byte| [byte, byte]);
    block.push(b'\'');
}

#[inline]
fn quote_plain(cell: (&[u8], usize), block: &mut Block<'_>) {
    block.push(b'\'');
    block.copy(cell);
    block.push(b'\'');
}

const QUOTE: Special = Special::new([b'\''; 4]);
const QUOTE_AND_BACKSLASH: Special = Special::new([b'\'', b'\\', b'\'', b'\\']);
