//! What the answer to a statement of a mode means for its rows, as numbers that add up.
//!
//! Invariant: `stored + skipped` is the number of rows that were sent; an answer that contradicts this is an error.

use crate::error::Result;
use crate::load::Mode;
use crate::session::Outcome;
use crate::write::answer::miscounted;
use std::ops::AddAssign;

/// The outcome of the rows that were sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counted {
    /// Rows that the table has now: inserted, replaced, brought up to date; rows that it had, in a delete.
    pub stored: u64,
    /// Rows that the mode left out: their key existed (ignore), or did not (update, delete).
    pub skipped: u64,
    /// Rows of the table that existed and have other values now, or are gone (replace, upsert, update); `None` if the server does
    /// not report it.
    pub changed: Option<u64>,
}

impl Default for Counted {
    fn default() -> Self {
        Self::all(0)
    }
}

impl AddAssign for Counted {
    fn add_assign(&mut self, more: Self) {
        self.stored += more.stored;
        self.skipped += more.skipped;
        self.changed = self.changed.zip(more.changed).map(|(a, b)| a + b);
    }
}

impl Counted {
    /// Every row is stored, and none existed before.
    pub fn all(n_rows: u64) -> Self {
        Self { stored: n_rows, skipped: 0, changed: Some(0) }
    }

    fn new(n_rows: u64, stored: u64, changed: Option<u64>) -> Self {
        Self { stored, skipped: n_rows - stored, changed }
    }

    /// Counts the rows of an INSERT or REPLACE of `n_rows`, on a connection without CLIENT_FOUND_ROWS.
    ///
    /// # Errors
    /// If the server's counts are impossible, as with a trigger that changes the row which was to be left alone.
    pub fn of_insert(mode: Mode, n_rows: u64, answer: &Outcome) -> Result<Self> {
        let affected = answer.affected;
        let duplicates = match (answer.counts(), n_rows) {
            (Some([_, duplicates, _]), _) => Some(duplicates),
            // For a single row the servers report no counts.
            (None, 1) => Some(u64::from(affected > 1)),
            (None, _) => None,
        };
        let counted = match mode {
            Mode::Insert if affected == n_rows => Some(Self::all(n_rows)),
            // An update that does nothing: one that did something counts twice and as a duplicate.
            Mode::Ignore if affected <= n_rows && duplicates.unwrap_or(0) == 0 => {
                Some(Self::new(n_rows, affected, Some(0)))
            }
            // Each row counts once, and each row that it replaced counts once.
            Mode::Replace if affected >= n_rows => Some(Self::new(n_rows, n_rows, Some(affected - n_rows))),
            // An inserted row counts once, a changed one twice, one that had these values already not at all.
            Mode::Upsert if affected <= 2 * n_rows => Some(Self::new(n_rows, n_rows, duplicates)),
            _ => None,
        };
        counted.ok_or_else(|| miscounted(affected, n_rows))
    }

    /// Of the statement that brings `n_rows` from the stage into the table.
    ///
    /// # Errors
    /// As [`Counted::of_insert`]; also if the server does not report how many rows an UPDATE found.
    pub fn of_apply(mode: Mode, n_rows: u64, answer: &Outcome) -> Result<Self> {
        let counted = match (mode, answer.counts()) {
            (Mode::Update, Some([found, changed, _])) if found <= n_rows => {
                Some(Self::new(n_rows, found, Some(changed)))
            }
            (Mode::Delete | Mode::Undo, _) if answer.affected <= n_rows => {
                Some(Self::new(n_rows, answer.affected, Some(0)))
            }
            (Mode::Update | Mode::Delete | Mode::Undo, _) => None,
            _ => return Self::of_insert(mode, n_rows, answer),
        };
        counted.ok_or_else(|| miscounted(answer.affected, n_rows))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::Status;

    fn answer(affected: u64, info: &str) -> Outcome {
        Outcome { affected, last_insert_id: None, warnings: 0, info: info.into(), status: Status::empty() }
    }

    #[track_caller]
    fn check(mode: Mode, n_rows: u64, affected: u64, info: &str, want: Option<(u64, u64, Option<u64>)>) {
        let got = match mode {
            Mode::Update | Mode::Delete | Mode::Undo => Counted::of_apply(mode, n_rows, &answer(affected, info)),
            _ => Counted::of_insert(mode, n_rows, &answer(affected, info)),
        };
        assert_eq!(got.ok().map(|c| (c.stored, c.skipped, c.changed)), want);
    }

    #[test]
    fn insert() {
        check(Mode::Insert, 3, 3, "Records: 3  Duplicates: 0  Warnings: 0", Some((3, 0, Some(0))));
        check(Mode::Insert, 3, 2, "Records: 3  Duplicates: 1  Warnings: 0", None);
    }
    #[test]
    fn ignore() {
        check(Mode::Ignore, 3, 1, "Records: 3  Duplicates: 0  Warnings: 0", Some((1, 2, Some(0))));
        check(Mode::Ignore, 1, 0, "", Some((0, 1, Some(0))));
        check(Mode::Ignore, 3, 4, "", None);
        check(Mode::Ignore, 2, 2, "Records: 2  Duplicates: 0  Warnings: 0", Some((2, 0, Some(0))));
    }
    #[test]
    fn a_trigger_that_changes_a_row_to_be_left_alone_is_seen() {
        check(Mode::Ignore, 4, 4, "Records: 4  Duplicates: 1  Warnings: 0", None);
        check(Mode::Ignore, 1, 2, "", None);
    }
    #[test]
    fn replace() {
        check(Mode::Replace, 3, 5, "Records: 3  Duplicates: 2  Warnings: 0", Some((3, 0, Some(2))));
        check(Mode::Replace, 1, 3, "", Some((1, 0, Some(2))));
        check(Mode::Replace, 3, 2, "", None);
    }
    #[test]
    fn upsert() {
        check(Mode::Upsert, 3, 3, "Records: 3  Duplicates: 1  Warnings: 0", Some((3, 0, Some(1))));
        check(Mode::Upsert, 1, 2, "", Some((1, 0, Some(1))));
        check(Mode::Upsert, 1, 0, "", Some((1, 0, Some(0))));
        check(Mode::Upsert, 3, 4, "", Some((3, 0, None)));
        check(Mode::Upsert, 3, 7, "", None);
    }
    #[test]
    fn update() {
        check(Mode::Update, 4, 2, "Rows matched: 3  Changed: 2  Warnings: 0", Some((3, 1, Some(2))));
        check(Mode::Update, 4, 2, "Rows matched: 5  Changed: 2  Warnings: 0", None);
        check(Mode::Update, 4, 2, "", None);
    }
    #[test]
    fn delete() {
        check(Mode::Delete, 4, 3, "", Some((3, 1, Some(0))));
        check(Mode::Delete, 4, 5, "", None);
    }
    #[test]
    fn what_one_does_not_tell_nobody_knows() {
        let mut sum = Counted::default();
        sum += Counted::new(3, 3, Some(1));
        sum += Counted::new(3, 2, None);
        assert_eq!((sum.stored, sum.skipped, sum.changed), (5, 1, None));
    }
}
