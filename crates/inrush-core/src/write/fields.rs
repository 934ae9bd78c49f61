//! Checked columns, as the loops over their rows read them.

use crate::column::Cells;
use crate::column::check::{CheckedColumn, Form};

/// The rows of `range` that are not in `skip`, which is sorted.
pub(crate) fn kept(range: std::ops::Range<usize>, skip: &[u32]) -> impl Iterator<Item = usize> {
    let mut skip = &skip[skip.partition_point(|row| (*row as usize) < range.start)..];
    range.filter(move |row| match skip.first() {
        Some(first) if *first as usize == *row => {
            skip = &skip[1..];
            false
        }
        _ => true,
    })
}

/// A column in the form that the row loop needs.
#[derive(Clone, Copy)]
pub(crate) struct Field<'a> {
    pub(crate) cells: Cells<'a>,
    pub(crate) form: Form,
}

impl<'a> Field<'a> {
    /// The cell's memory; see [`Cells::bytes_and_more`].
    #[inline]
    pub(crate) fn cell(&self, row: usize) -> (&'a [u8], usize) {
        self.cells.bytes_and_more(row)
    }
}

pub(crate) fn fields(columns: &[CheckedColumn]) -> Vec<Field<'_>> {
    columns.iter().map(|column| Field { cells: Cells::new(&column.cells), form: column.form }).collect()
}
