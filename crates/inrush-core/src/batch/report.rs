//! The outcome of a batch.

use super::Ids;
use crate::error::Error;
use crate::session::Outcome;
use crate::write::Method;
use std::fmt;

/// The outcome of a batch.
#[non_exhaustive]
pub struct BatchReport {
    /// The method that wrote it.
    pub method: Method,
    /// Why this one, as half a sentence.
    pub reason: String,
    /// Rows that were written.
    pub n_rows: u64,
    /// Rows that the server counts as affected; an upsert counts 1, 2 or 0 for each.
    pub affected: u64,
    /// Warnings of the server.
    pub warnings: u64,
    /// Generated ids, by the number of the row, where the server reports them for each row. `None`: it does not, or none was
    /// generated.
    pub ids: Option<Ids>,
    /// Affected rows of each set of values, by the number of the row, where the method reports them. 0 for a bad row.
    pub affected_each: Option<Vec<u64>>,
    /// Rows that were not written, in order: only where bad rows are skipped.
    pub bad_rows: Vec<BadRow>,
}

/// Without the count of each row: they may be millions.
impl fmt::Debug for BatchReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BatchReport")
            .field("method", &self.method)
            .field("reason", &self.reason)
            .field("n_rows", &self.n_rows)
            .field("affected", &self.affected)
            .field("warnings", &self.warnings)
            .field("ids", &self.ids)
            .field("bad_rows", &self.bad_rows)
            .finish_non_exhaustive()
    }
}

/// A row that was not written.
#[derive(Debug)]
pub struct BadRow {
    /// Its number, counted from 0.
    pub row: u64,
    /// Why.
    pub error: Error,
}

/// Sums over the replies of an attempt.
#[derive(Debug, Default)]
pub struct Counters {
    pub(super) n_rows: u64,
    pub(super) affected: u64,
    pub(super) warnings: u64,
    pub(super) ids: Ids,
    pub(super) affected_each: Vec<u64>,
    pub(super) bad_rows: Vec<BadRow>,
}

impl Counters {
    /// Adds one result.
    pub(super) fn add(&mut self, outcome: &Outcome) {
        self.affected += outcome.affected;
        self.warnings += u64::from(outcome.warnings);
    }
}
