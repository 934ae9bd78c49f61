//! Encoders: checked columns become the bytes of one write method, a method a file.
//!
//! They trust the checks: a cell of [`Form::Number`] stands in SQL without quotes. Whoever builds a [`CheckedColumn`] by hand
//! takes over that duty.
//!
//! [`Form::Number`]: crate::value::check::Form::Number
//! [`CheckedColumn`]: crate::value::check::CheckedColumn

pub(in crate::bulk) mod block;
pub mod load_data;
pub mod multi_row;
pub mod multi_row_prepared;

use crate::value::Cells;
use crate::value::check::{CheckedColumn, Form};

/// The rows of `range` that are not in `skip`, which is sorted.
fn kept(range: std::ops::Range<usize>, skip: &[u32]) -> impl Iterator<Item = usize> {
    let mut skip = &skip[skip.partition_point(|row| (*row as usize) < range.start)..];
    range.filter(move |row| match skip.first() {
        Some(first) if *first as usize == *row => {
            skip = &skip[1..];
            false
        }
        _ => true,
    })
}

/// A column as the row loop wants it.
#[derive(Clone, Copy)]
struct Field<'a> {
    cells: Cells<'a>,
    form: Form,
}

impl<'a> Field<'a> {
    /// The cell's memory; see [`Cells::bytes_and_more`].
    #[inline]
    fn cell(&self, row: usize) -> (&'a [u8], usize) {
        self.cells.bytes_and_more(row)
    }
}

fn fields(columns: &[CheckedColumn]) -> Vec<Field<'_>> {
    columns.iter().map(|column| Field { cells: Cells::new(&column.cells), form: column.form }).collect()
}
