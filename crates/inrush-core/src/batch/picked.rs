//! The rows of a batch that can be sent; the others are added to its report afterwards.

use super::Ids;
use super::options::{BatchOptions, OnBadRow};
use super::report::{BadRow, BatchReport};
use super::validator::{Replaced, Validator};
use crate::convert::BoundRows;
use crate::error::{Error, Result};
use crate::value::Value;

/// Rows that were checked.
pub struct Checked<'a> {
    replaced: Replaced<'a>,
    /// The errors of those that are not sent, in their order.
    bad: Vec<Error>,
}

impl<'a> Checked<'a> {
    /// # Errors
    /// The first bad row, unless bad rows are skipped; those of [`Validator::check`].
    pub fn new(rows: &'a dyn BoundRows, validator: &Validator, options: &BatchOptions) -> Result<Self> {
        Ok(match options.on_bad_row {
            OnBadRow::Stop => Self { replaced: validator.check(rows)?, bad: Vec::new() },
            OnBadRow::Skip => {
                let (replaced, bad) = validator.bad_rows(rows)?;
                Self { replaced, bad }
            }
        })
    }

    /// Whether there are rows that are not sent.
    pub fn has_bad(&self) -> bool {
        !self.bad.is_empty()
    }

    /// The rows that are sent, if they are not all.
    pub fn picked(&self) -> Option<Picked<'_>> {
        let bad = self.bad.iter().filter_map(|error| usize::try_from(error.row()?).ok());
        (!self.bad.is_empty()).then(|| Picked::without(self.replaced.rows(), bad))
    }

    /// All rows.
    pub fn rows(&self) -> &dyn BoundRows {
        self.replaced.rows()
    }

    /// Maps row numbers of the outcome back to the numbers of all rows, and adds the bad rows that were not sent.
    pub fn result(self, end: Result<BatchReport>, kept: Option<Vec<usize>>) -> Result<BatchReport> {
        let Some(kept) = kept else { return end };
        let number = |row: u64| kept.get(row as usize).map_or(row, |row| *row as u64);
        let mut report = end.map_err(|error| match error.row() {
            Some(row) => error.at_row(number(row)),
            None => error,
        })?;
        let n_rows = kept.len() + self.bad.len();
        let spread = |each: &mut dyn FnMut(Option<usize>)| {
            let mut kept = kept.iter().enumerate().peekable();
            for row in 0..n_rows {
                each(kept.next_if(|(_, number)| **number == row).map(|(at, _)| at));
            }
        };
        if let Some(ids) = &report.ids {
            let mut all = Ids::default();
            spread(&mut |at| all.push(at.and_then(|at| ids.get(at)).unwrap_or(0), 1, 1));
            report.ids = Some(all);
        }
        if let Some(affected) = &report.affected_each {
            let mut all = Vec::with_capacity(n_rows);
            spread(&mut |at| all.push(at.and_then(|at| affected.get(at).copied()).unwrap_or(0)));
            report.affected_each = Some(all);
        }
        for bad in &mut report.bad_rows {
            bad.row = number(bad.row);
        }
        let unsent = self.bad.into_iter().filter_map(|error| Some(BadRow { row: error.row()?, error }));
        report.bad_rows.extend(unsent);
        report.bad_rows.sort_by_key(|bad| bad.row);
        Ok(report)
    }
}

/// Some of many rows.
pub struct Picked<'a> {
    rows: &'a dyn BoundRows,
    kept: Vec<usize>,
}

impl<'a> Picked<'a> {
    /// All rows but those of `bad`, which is sorted.
    fn without(rows: &'a dyn BoundRows, bad: impl IntoIterator<Item = usize>) -> Self {
        let mut bad = bad.into_iter().peekable();
        let kept = (0..rows.n_rows()).filter(|row| bad.next_if_eq(row).is_none()).collect();
        Self { rows, kept }
    }

    /// Their numbers among all.
    pub fn into_numbers(self) -> Vec<usize> {
        self.kept
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::column::Rules;
    use crate::column::{Column, ColumnType};
    use crate::convert::Rows;
    use crate::wire::{ServerVersion, Vendor};
    use crate::write::Method;

    fn tiny() -> Column {
        Column::new("n", ColumnType::Int { bytes: 1, unsigned: false, bool: false })
    }

    #[test]
    fn rows_keep_their_numbers() {
        let server = ServerVersion { vendor: Vendor::MySql, numbers: (8, 4, 0), text: String::new() };
        let rules = Rules::utc(server);
        let validator = Validator::new(&[Some(&tiny())], &rules);
        let rows = [(1,), (999,), (2,), (3,), (-999,)];
        let bound = rows.bind(&[], 1).unwrap();
        let options = BatchOptions::new().with_bad_rows(OnBadRow::Skip);
        let checked = Checked::new(&*bound, &validator, &options).unwrap();
        let kept = checked.picked().unwrap().into_numbers();
        assert_eq!(kept, [0, 2, 3]);
        let mut ids = Ids::default();
        ids.push(7, 1, 3);
        let refused = BadRow { row: 1, error: Error::server(1062, *b"23000", "no") };
        let report = BatchReport {
            method: Method::Prepared,
            reason: String::new(),
            n_rows: 2,
            affected: 2,
            warnings: 0,
            ids: Some(ids),
            affected_each: Some(vec![1, 0, 1]),
            bad_rows: vec![refused],
        };
        let report = checked.result(Ok(report), Some(kept)).unwrap();
        let ids: Vec<_> = report.ids.unwrap().iter().collect();
        assert_eq!(ids, [Some(7), None, Some(8), Some(9), None]);
        assert_eq!(report.affected_each.unwrap(), [1, 0, 0, 1, 0]);
        assert_eq!(report.bad_rows.iter().map(|bad| bad.row).collect::<Vec<_>>(), [1, 2, 4]);
    }
}
