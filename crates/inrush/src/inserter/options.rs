//! How an inserter forms its batches, how much may wait, and what it promises.

use crate::inserter::queue::{Limits, Size};
use crate::{Error, Result};
use std::time::Duration;

/// How an inserter behaves.
///
/// ```
/// # use inrush::InserterOptions;
/// let options = InserterOptions::new().with_columns(["name", "age"]).with_batch_rows(1000).with_exactly_once(true);
/// ```
#[derive(Clone, Debug)]
pub struct InserterOptions {
    pub(crate) columns: Option<Vec<String>>,
    pub(crate) lanes: usize,
    pub(crate) limits: Limits,
    pub(crate) ids: bool,
    pub(crate) exactly_once: bool,
    pub(crate) retries_for: Duration,
    pub(crate) on_duplicate: OnDuplicate,
}

/// What becomes of a row whose key is in the table already.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum OnDuplicate {
    /// It is refused: the error of its caller.
    #[default]
    Fail,
    /// The existing row stays as it is, and the caller gets the same answer as if its row were stored. Nothing else is ignored: a value that
    /// does not fit is an error (INSERT IGNORE would bend it). A trigger for updates sees an update that changes nothing.
    Keep,
    /// The existing row gets the new values of all columns of the inserter.
    Update,
    /// The same for these columns only.
    UpdateColumns(Vec<String>),
}

/// What an inserter promises of its rows.
#[derive(Clone, Copy)]
pub(crate) struct Terms<'a> {
    pub(crate) exactly_once: bool,
    pub(crate) on_duplicate: &'a OnDuplicate,
}

impl InserterOptions {
    /// All columns that take a value, batches of at most 4096 rows, no ledger.
    pub fn new() -> Self {
        Self::default()
    }

    /// The columns of each row, in the order of its values. Default: the names of the first row, if it has names, else
    /// all columns of the table that take a value, in its order.
    #[must_use]
    pub fn with_columns<S: Into<String>>(mut self, columns: impl IntoIterator<Item = S>) -> Self {
        self.columns = Some(columns.into_iter().map(Into::into).collect());
        self
    }

    /// How many batches are written at the same time, each on a connection of its own. Default: 2. While the server works on
    /// one, we wake the callers of the other. Between lanes there is no order; with 1 rows go in as they come.
    #[must_use]
    pub fn with_lanes(mut self, n: usize) -> Self {
        self.lanes = n;
        self
    }

    /// The most rows of one batch. Default: 4096.
    #[must_use]
    pub fn with_batch_rows(mut self, n: usize) -> Self {
        self.limits.batch.rows = n;
        self
    }

    /// The most bytes of one batch; a larger row is sent alone. Default: 1 MiB.
    #[must_use]
    pub fn with_batch_bytes(mut self, n: usize) -> Self {
        self.limits.batch.bytes = n;
        self
    }

    /// The most rows that wait to be written; a caller that brings more waits for room. Default: 65,536.
    #[must_use]
    pub fn with_queue_rows(mut self, n: usize) -> Self {
        self.limits.queue.rows = n;
        self
    }

    /// The most bytes that wait to be written. Default: 64 MiB.
    #[must_use]
    pub fn with_queue_bytes(mut self, n: usize) -> Self {
        self.limits.queue.bytes = n;
        self
    }

    /// Whether to request the ids that the server generates. Default: yes.
    #[must_use]
    pub fn with_ids(mut self, ask: bool) -> Self {
        self.ids = ask;
        self
    }

    /// For how long a batch is tried again after a deadlock or if no server is found, and the query that describes the table as well.
    /// 30 seconds unless set. No attempt waits longer for a connection than this or, if that is longer, the pool's
    /// [acquire time-out](crate::PoolOptions::with_acquire_timeout), both from the first attempt on.
    #[must_use]
    pub fn with_retries_for(mut self, limit: Duration) -> Self {
        self.retries_for = limit;
        self
    }

    /// Whether each batch is a transaction that moves a line in the table `inrush_inserter` of the same schema, so that a COMMIT whose
    /// answer was lost is found there: its rows are acknowledged or sent again, and stored exactly once. Costs an UPDATE a batch.
    ///
    /// The table is created if it does not exist. Needs the right to SELECT, INSERT, UPDATE and DELETE in it, and to CREATE it once.
    #[must_use]
    pub fn with_exactly_once(mut self, settle: bool) -> Self {
        self.exactly_once = settle;
        self
    }

    /// What becomes of a row whose key is in the table already. Default: it is refused.
    ///
    /// Ids are reported only with [`OnDuplicate::Fail`]. Between lanes there is no order: where rows of one key follow each other, one lane
    /// ([`with_lanes`](InserterOptions::with_lanes)) stores them as they come.
    ///
    /// ```
    /// # use inrush::{InserterOptions, OnDuplicate};
    /// let counters = InserterOptions::new().with_columns(["name", "n"]).with_on_duplicate(OnDuplicate::Update);
    /// ```
    #[must_use]
    pub fn with_on_duplicate(mut self, what: OnDuplicate) -> Self {
        self.on_duplicate = what;
        self
    }

    pub(crate) fn terms(&self) -> Terms<'_> {
        Terms { exactly_once: self.exactly_once, on_duplicate: &self.on_duplicate }
    }

    /// Refuses options that make no sense.
    pub(crate) fn check(&self) -> Result<()> {
        let Limits { batch, queue } = self.limits;
        if self.lanes == 0 || self.lanes > MAX_LANES {
            let message = format!("an inserter has 1 to {MAX_LANES} lanes, not {}", self.lanes);
            return Err(Error::config(message));
        }
        if batch.rows == 0 || queue.rows == 0 {
            return Err(Error::config("an inserter whose batches or whose queue hold 0 rows can write none"));
        }
        if matches!(&self.on_duplicate, OnDuplicate::UpdateColumns(columns) if columns.is_empty()) {
            return Err(Error::config("an update of no columns is `OnDuplicate::Keep`"));
        }
        let Some(columns) = &self.columns else { return Ok(()) };
        if columns.is_empty() {
            return Err(Error::config("an inserter needs a column"));
        }
        let twice = columns.iter().enumerate().find(|(i, name)| columns[..*i].contains(name));
        match twice {
            Some((_, name)) => Err(Error::config(format!("column `{name}` comes twice"))),
            None => Ok(()),
        }
    }
}

impl Default for InserterOptions {
    fn default() -> Self {
        Self {
            columns: None,
            lanes: 2,
            limits: Limits {
                batch: Size { rows: 4096, bytes: 1 << 20 },
                queue: Size { rows: 65_536, bytes: 64 << 20 },
            },
            ids: true,
            exactly_once: false,
            retries_for: Duration::from_secs(30),
            on_duplicate: OnDuplicate::Fail,
        }
    }
}

/// More lanes than any server gains from.
const MAX_LANES: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(options: InserterOptions, want: Option<&str>) {
        assert_eq!(options.check().map_err(|e| e.to_string()).err().as_deref(), want);
    }

    #[test]
    fn what_makes_sense() {
        check(InserterOptions::new(), None);
        check(InserterOptions::new().with_columns(["a", "b"]).with_lanes(2).with_batch_rows(1), None);
    }
    #[test]
    fn what_does_not() {
        check(InserterOptions::new().with_lanes(0), Some("an inserter has 1 to 64 lanes, not 0"));
        let nothing = Some("an inserter whose batches or whose queue hold 0 rows can write none");
        check(InserterOptions::new().with_batch_rows(0), nothing);
        check(InserterOptions::new().with_queue_rows(0), nothing);
        check(InserterOptions::new().with_columns(["a", "b", "a"]), Some("column `a` comes twice"));
        check(InserterOptions::new().with_columns([""; 0]), Some("an inserter needs a column"));
    }
}
