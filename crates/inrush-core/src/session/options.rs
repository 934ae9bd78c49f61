//! What kind of transaction: [`TransactionOptions`] and the statements that begin one.

use crate::retry::Retries;
use std::time::Duration;

/// What kind of transaction. The default is the session's own kind, run once.
///
/// ```
/// use inrush_core::session::{Isolation, TransactionOptions};
/// use std::time::Duration;
///
/// let report = TransactionOptions::new().read_only().with_consistent_snapshot();
/// let transfer = TransactionOptions::new().with_isolation(Isolation::Serializable).with_retries_for(Duration::from_secs(5));
/// # let _ = (report, transfer);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TransactionOptions {
    /// What it sees of others. Unset: as the session is set.
    pub isolation: Option<Isolation>,
    /// Whether it may write. Unset: as the session is set.
    pub access: Option<Access>,
    /// Whether what it reads is fixed at its start, not at its first read. Servers heed it under REPEATABLE READ only.
    pub consistent_snapshot: bool,
    /// How often a closure is run again after a deadlock and its like.
    pub retries: Retries,
}

/// What a transaction sees of others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Isolation {
    /// Also what is not committed.
    ReadUncommitted,
    /// Each statement sees what was committed before it.
    ReadCommitted,
    /// All statements see what was committed before the first read.
    RepeatableRead,
    /// As if they ran one after the other: a plain read locks what it sees.
    Serializable,
}

/// Whether a transaction may write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// It only reads; a write is error 1792.
    ReadOnly,
    /// It may write, also where the session only reads unless told.
    ReadWrite,
}

impl TransactionOptions {
    /// The session's own kind, run once.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sees this much of others.
    #[must_use]
    pub fn with_isolation(mut self, isolation: Isolation) -> Self {
        self.isolation = Some(isolation);
        self
    }

    /// Only reads.
    #[must_use]
    pub fn read_only(mut self) -> Self {
        self.access = Some(Access::ReadOnly);
        self
    }

    /// May write, also where the session only reads unless told.
    #[must_use]
    pub fn read_write(mut self) -> Self {
        self.access = Some(Access::ReadWrite);
        self
    }

    /// Fixes what it reads at its start.
    #[must_use]
    pub fn with_consistent_snapshot(mut self) -> Self {
        self.consistent_snapshot = true;
        self
    }

    /// Runs a closure up to so many times more after a deadlock and its like.
    #[must_use]
    pub fn with_retries(mut self, times: u32) -> Self {
        self.retries = Retries::Times(times);
        self
    }

    /// Runs a closure again after a deadlock and its like, until so much time has passed.
    #[must_use]
    pub fn with_retries_for(mut self, limit: Duration) -> Self {
        self.retries = Retries::For(limit);
        self
    }

    /// The statement that comes before the start.
    pub(crate) fn isolation_sql(&self) -> Option<String> {
        let level = match self.isolation? {
            Isolation::ReadUncommitted => "READ UNCOMMITTED",
            Isolation::ReadCommitted => "READ COMMITTED",
            Isolation::RepeatableRead => "REPEATABLE READ",
            Isolation::Serializable => "SERIALIZABLE",
        };
        Some(format!("SET TRANSACTION ISOLATION LEVEL {level}"))
    }

    /// The statement that starts it.
    pub(crate) fn start_sql(&self) -> String {
        let access = self.access.map(|access| match access {
            Access::ReadOnly => "READ ONLY",
            Access::ReadWrite => "READ WRITE",
        });
        let snapshot = self.consistent_snapshot.then_some("WITH CONSISTENT SNAPSHOT");
        let traits: Vec<_> = snapshot.into_iter().chain(access).collect();
        match traits.is_empty() {
            true => "START TRANSACTION".to_owned(),
            false => format!("START TRANSACTION {}", traits.join(", ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(options: TransactionOptions, isolation: Option<&str>, start: &str) {
        assert_eq!((options.isolation_sql().as_deref(), options.start_sql().as_str()), (isolation, start));
    }

    #[test]
    fn of_the_sessions_own_kind() {
        check(TransactionOptions::new(), None, "START TRANSACTION");
        check(TransactionOptions::new().with_retries(3), None, "START TRANSACTION");
    }
    #[test]
    fn that_reads_or_writes() {
        check(TransactionOptions::new().read_only(), None, "START TRANSACTION READ ONLY");
        check(TransactionOptions::new().read_write(), None, "START TRANSACTION READ WRITE");
    }
    #[test]
    fn with_a_snapshot() {
        let options = TransactionOptions::new().with_consistent_snapshot();
        check(options.clone(), None, "START TRANSACTION WITH CONSISTENT SNAPSHOT");
        check(options.read_only(), None, "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY");
    }
    #[test]
    fn with_a_level() {
        let of = |isolation| TransactionOptions::new().with_isolation(isolation);
        let sql = |level: &str| format!("SET TRANSACTION ISOLATION LEVEL {level}");
        check(of(Isolation::ReadUncommitted), Some(&sql("READ UNCOMMITTED")), "START TRANSACTION");
        check(of(Isolation::ReadCommitted), Some(&sql("READ COMMITTED")), "START TRANSACTION");
        check(of(Isolation::RepeatableRead), Some(&sql("REPEATABLE READ")), "START TRANSACTION");
        check(of(Isolation::Serializable).read_only(), Some(&sql("SERIALIZABLE")), "START TRANSACTION READ ONLY");
    }
}
