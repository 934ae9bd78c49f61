//! Reads bound rows one after the other, some of them ahead: a call for many rows instead of one for each, and columns are read a
//! column at a time (docs/notes/binding.md).

use crate::convert::BoundRows;
use crate::error::Result;
use crate::value::Value;
use std::ops::Range;

/// Rows that are read in order.
pub struct RowReader<'s> {
    rows: &'s dyn BoundRows,
    /// No row from here on is read ahead.
    end: usize,
    /// The values of the rows `read`.
    values: Vec<Value<'s>>,
    read: Range<usize>,
}

impl<'s> RowReader<'s> {
    /// To read the rows of a range.
    pub fn new(rows: &'s dyn BoundRows, range: Range<usize>) -> Self {
        Self { rows, end: range.end, values: Vec::new(), read: range.start..range.start }
    }

    /// The values of a row.
    ///
    /// # Errors
    /// Those of [`BoundRows::row`], of this row.
    #[inline]
    pub fn row(&mut self, row: usize) -> Result<&[Value<'s>]> {
        if !self.read.contains(&row) {
            self.read_from(row)?;
        }
        let n_values = self.values.len() / self.read.len();
        let first = (row - self.read.start) * n_values;
        Ok(&self.values[first..first + n_values])
    }

    /// Returns the values of several rows, this one first, one row after the other, and the number of rows.
    ///
    /// # Errors
    /// Those of [`BoundRows::row`], of this row.
    pub fn rows(&mut self, row: usize) -> Result<(usize, &[Value<'s>])> {
        if !self.read.contains(&row) {
            self.read_from(row)?;
        }
        let n_values = self.values.len() / self.read.len();
        let first = (row - self.read.start) * n_values;
        Ok((self.read.end - row, &self.values[first..]))
    }

    /// Reads more rows each time, until the values are as many as stay in the cache nearest to the processor.
    fn read_from(&mut self, row: usize) -> Result<()> {
        let n_values = self.values.len() / self.read.len().max(1);
        let n_most = (VALUES / n_values.max(1)).min(GROWTH * self.read.len()).min(self.end.saturating_sub(row)).max(1);
        self.read = row..row;
        self.values.resize(n_most * n_values, Value::Null);
        if n_values > 0 && self.rows.fill_rows(row..row + n_most, &mut self.values) {
            self.read = row..row + n_most;
            return Ok(());
        }
        self.values.clear();
        // A bad row is reported only when it is read.
        let n_rows = match self.rows.rows(row..row + n_most, &mut self.values) {
            Ok(()) => n_most,
            Err(error) if n_most == 1 => return Err(error),
            Err(_) => {
                self.rows.row(row, &mut self.values)?;
                1
            }
        };
        self.read = row..row + n_rows;
        Ok(())
    }
}

/// 12 KiB of them.
const VALUES: usize = 512;

/// A caller that reads only one row does not pay for others.
const GROWTH: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convert::{Columns, Rows as _};
    use arrow_array::Date32Array;

    /// Reads rows whose first value is their number, the second one a day that is none in the bad ones.
    #[track_caller]
    fn check(n_rows: usize, range: Range<usize>, bad: &[usize]) {
        let numbers: Vec<u64> = (0..n_rows as u64).collect();
        let days = Date32Array::from_iter_values((0..n_rows).map(|row| if bad.contains(&row) { i32::MAX } else { 0 }));
        let columns = Columns::default().with("n", &numbers).with("day", &days);
        let bound = columns.bind(&[], 2).unwrap();
        let mut reader = RowReader::new(&*bound, range.clone());
        for row in range {
            match reader.row(row) {
                Ok(values) => {
                    assert_eq!((values.len(), values[0], bad.contains(&row)), (2, Value::UInt(row as u64), false));
                    let first = values.to_vec();
                    let (n_rows, several) = reader.rows(row).unwrap();
                    assert_eq!((several.len(), &several[..2]), (2 * n_rows, &first[..]));
                }
                Err(error) => assert_eq!((error.row(), bad.contains(&row)), (Some(row as u64), true)),
            }
        }
    }

    #[test]
    fn every_row_in_its_turn() {
        for n_rows in [1, 2, 5, 6, 21, 300, 1000] {
            check(n_rows, 0..n_rows, &[]);
        }
        check(1000, 100..777, &[]);
        check(10, 5..5, &[]);
    }
    #[test]
    fn a_bad_row_is_one_when_its_turn_comes() {
        check(300, 0..300, &[0]);
        check(300, 0..300, &[1, 100, 101, 299]);
        check(3, 0..3, &[0, 1, 2]);
    }
    #[test]
    fn rows_may_be_read_again() {
        let numbers: Vec<u64> = (0..100).collect();
        let columns = Columns::default().with("n", &numbers);
        let bound = columns.bind(&[], 1).unwrap();
        let mut reader = RowReader::new(&*bound, 0..50);
        for row in [0, 1, 2, 1, 49, 0, 99] {
            assert_eq!(reader.row(row).unwrap(), [Value::UInt(row as u64)]);
        }
    }
    #[test]
    fn rows_without_values() {
        let rows = [(), ()];
        let bound = rows.bind(&[], 0).unwrap();
        let mut reader = RowReader::new(&*bound, 0..2);
        assert!((0..2).all(|row| reader.row(row).unwrap().is_empty()));
    }
}
