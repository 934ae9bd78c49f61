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

use super::{Computed, Plan};
use crate::value::Cells;
use crate::value::check::{CheckedColumn, Form};
use crate::value::column::Column;
use crate::value::ident::quote_ident;

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

/// What the statements of a mapping name, and what each row is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The columns that get a value, in the order of the statement.
    pub names: Vec<String>,
    /// How many of them get the value of a field, the first ones; the others are computed.
    pub n_values: usize,
    /// What is computed for the others, from all fields.
    pub computed: Vec<Computed<usize>>,
}

impl Layout {
    /// Every column gets the value of a field.
    pub fn plain(columns: &[Column]) -> Self {
        let names = columns.iter().map(|column| column.name.clone()).collect();
        Self { names, n_values: columns.len(), computed: Vec::new() }
    }

    /// That of a plan.
    pub fn of(plan: &Plan) -> Self {
        Self {
            names: plan.filled().into_iter().map(|column| column.name).collect(),
            n_values: plan.n_values,
            computed: plan.computed.iter().map(|(_, computed)| computed.clone()).collect(),
        }
    }

    fn list(&self) -> String {
        self.names.iter().map(|name| quote_ident(name)).collect::<Vec<_>>().join(",")
    }
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
