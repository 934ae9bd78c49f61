//! Some of many rows.

use crate::error::Result;
use crate::wire::{BoundRows, Value};

/// The rows of these numbers, in this order.
pub struct Picked<'a> {
    rows: &'a dyn BoundRows,
    kept: Vec<usize>,
}

impl<'a> Picked<'a> {
    /// All rows but those of `bad`, which is sorted.
    pub fn without(rows: &'a dyn BoundRows, bad: impl IntoIterator<Item = usize>) -> Self {
        let mut bad = bad.into_iter().peekable();
        let kept = (0..rows.n_rows()).filter(|row| bad.next_if_eq(row).is_none()).collect();
        Self { rows, kept }
    }

    /// The number that a row of these has among all.
    pub fn number(&self, row: usize) -> usize {
        self.kept[row]
    }
}

impl BoundRows for Picked<'_> {
    fn n_rows(&self) -> usize {
        self.kept.len()
    }

    fn row<'s>(&'s self, row: usize, out: &mut Vec<Value<'s>>) -> Result<()> {
        self.rows.row(self.kept[row], out)
    }
}
