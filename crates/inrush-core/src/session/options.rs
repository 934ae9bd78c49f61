//! The kind of a transaction: [`TransactionOptions`] and the statements that begin one.

use crate::error::Error;
use crate::retry::Retries;
use std::fmt;
use std::time::Duration;

/// The kind of a transaction, and how often it may be run again. The default is the session's own kind, run once.
///
/// ```
/// use inrush_core::session::{Access, Isolation, TransactionOptions};
/// use std::time::Duration;
///
/// let report = TransactionOptions::new().with_access(Access::ReadOnly).with_consistent_snapshot(true);
/// let transfer = TransactionOptions::new().with_isolation(Isolation::Serializable).with_retries_for(Duration::from_secs(5));
/// # let _ = (report, transfer);
/// ```
///
/// `E` is the error that a closure returns: [`Error`], or a type of the application's own ([`TransactionOptions::with_error`]).
pub struct TransactionOptions<E = Error> {
    /// The isolation level. Unset: as the session is set.
    pub isolation: Option<Isolation>,
    /// Whether it may write. Unset: as the session is set.
    pub access: Option<Access>,
    /// Whether its snapshot is taken at its start, not at its first read. Servers honour this under REPEATABLE READ only.
    pub consistent_snapshot: bool,
    /// How often a closure is run again after a deadlock and its like.
    pub retries: Retries,
    /// Whether a lost answer to COMMIT is settled by a ledger.
    pub exactly_once: bool,
    /// Finds the database error in the closure's error.
    find: fn(&E) -> Option<&Error>,
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
    /// It may write, also where the session's default is read-only.
    ReadWrite,
}

impl TransactionOptions {
    /// The session's own kind, run once.
    pub const fn new() -> Self {
        Self {
            isolation: None,
            access: None,
            consistent_snapshot: false,
            retries: Retries::Never,
            exactly_once: false,
            find: |error| Some(error),
        }
    }
}

impl<E> TransactionOptions<E> {
    /// Makes the closure return an error type of the application, which a transaction returns unchanged after its rollback. The
    /// application's error is converted from an [`Error`] by `From`.
    ///
    /// To decide whether the closure can be run again, the [`Error`] is searched in the chain of
    /// [`source`](std::error::Error::source)s. If it is not in there, the closure is not run again.
    ///
    /// ```
    /// # use inrush_core::{Error, session::TransactionOptions};
    /// #[derive(Debug)]
    /// enum ShopError {
    ///     SoldOut,
    ///     Database(Error),
    /// }
    ///
    /// impl From<Error> for ShopError {
    ///     fn from(error: Error) -> Self {
    ///         Self::Database(error)
    ///     }
    /// }
    /// # impl std::fmt::Display for ShopError {
    /// #     fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { write!(f, "{self:?}") }
    /// # }
    ///
    /// impl std::error::Error for ShopError {
    ///     fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
    ///         match self {
    ///             Self::SoldOut => None,
    ///             Self::Database(error) => Some(error),
    ///         }
    ///     }
    /// }
    ///
    /// let options = TransactionOptions::new().with_retries(5).with_error::<ShopError>();
    /// # let _ = (options, ShopError::SoldOut);
    /// ```
    #[must_use]
    pub fn with_error<F: std::error::Error + 'static>(self) -> TransactionOptions<F> {
        self.with_error_by(|error| find_in_chain(error))
    }

    /// The same for any error that `?` converts to `Box<dyn std::error::Error + Send + Sync>`.
    ///
    /// ```
    /// # use inrush_core::session::TransactionOptions;
    /// let options = TransactionOptions::new().with_retries(5).with_boxed_error();
    /// # let _ = options;
    /// ```
    #[must_use]
    pub fn with_boxed_error(self) -> TransactionOptions<BoxedError> {
        self.with_error_by(|error| find_in_chain(&**error))
    }

    /// The same for a type that is no [`std::error::Error`], or hides its source: `find` returns the [`Error`] in it.
    #[must_use]
    pub fn with_error_by<F>(self, find: fn(&F) -> Option<&Error>) -> TransactionOptions<F> {
        let Self { isolation, access, consistent_snapshot, retries, exactly_once, find: _ } = self;
        TransactionOptions { isolation, access, consistent_snapshot, retries, exactly_once, find }
    }

    /// Returns the database error in the closure's error.
    pub fn find<'e>(&self, error: &'e E) -> Option<&'e Error> {
        (self.find)(error)
    }

    /// Sets the isolation level.
    #[must_use]
    pub fn with_isolation(mut self, isolation: Isolation) -> Self {
        self.isolation = Some(isolation);
        self
    }

    /// Only reads, or may write also where the session's default is read-only.
    #[must_use]
    pub fn with_access(mut self, access: Access) -> Self {
        self.access = Some(access);
        self
    }

    /// Whether the snapshot is taken at its start. The default is no.
    #[must_use]
    pub fn with_consistent_snapshot(mut self, fixed: bool) -> Self {
        self.consistent_snapshot = fixed;
        self
    }

    /// Runs a closure up to so many times more after a deadlock and its like.
    #[must_use]
    pub fn with_retries(mut self, times: u32) -> Self {
        self.retries = Retries::Times(times);
        self
    }

    /// Whether a lost answer to COMMIT is settled, so that what the closure does is stored exactly once or the error says that it is not: the
    /// transaction moves a line in the table `inrush_inserter`, by which it is found again over a new connection. Costs an UPDATE a
    /// transaction, and an INSERT for each connection that is in such a transaction at the same time.
    ///
    /// Transactions of a pool only. Needs a database in the pool's configuration, and there the right to SELECT, INSERT and UPDATE in
    /// that table and to CREATE it once; tables with transactions (InnoDB); no Galera cluster and no group with several primaries. A
    /// transaction that only reads does without.
    #[must_use]
    pub fn with_exactly_once(mut self, settle: bool) -> Self {
        self.exactly_once = settle;
        self
    }

    /// Runs a closure again after a deadlock and its like, until so much time has passed.
    #[must_use]
    pub fn with_retries_for(mut self, limit: Duration) -> Self {
        self.retries = Retries::For(limit);
        self
    }

    /// Whether the transaction needs a line in the ledger.
    pub fn needs_ledger(&self) -> bool {
        self.exactly_once && self.access != Some(Access::ReadOnly)
    }

    /// The statement that must be sent before the start.
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

impl Default for TransactionOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl<E> Clone for TransactionOptions<E> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E> Copy for TransactionOptions<E> {}

impl<E> fmt::Debug for TransactionOptions<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TransactionOptions")
            .field("isolation", &self.isolation)
            .field("access", &self.access)
            .field("consistent_snapshot", &self.consistent_snapshot)
            .field("retries", &self.retries)
            .field("exactly_once", &self.exactly_once)
            .finish()
    }
}

/// Any error of an application.
type BoxedError = Box<dyn std::error::Error + Send + Sync>;

/// Returns the database error among an error and its sources.
fn find_in_chain<'e>(error: &'e (dyn std::error::Error + 'static)) -> Option<&'e Error> {
    std::iter::successors(Some(error), |error| error.source()).find_map(|error| error.downcast_ref())
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
        check(TransactionOptions::new().with_access(Access::ReadOnly), None, "START TRANSACTION READ ONLY");
        check(TransactionOptions::new().with_access(Access::ReadWrite), None, "START TRANSACTION READ WRITE");
    }
    #[test]
    fn with_a_snapshot() {
        let options = TransactionOptions::new().with_consistent_snapshot(true);
        check(options, None, "START TRANSACTION WITH CONSISTENT SNAPSHOT");
        check(options.with_access(Access::ReadOnly), None, "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY");
    }
    #[test]
    fn with_a_level() {
        let of = |isolation| TransactionOptions::new().with_isolation(isolation);
        let sql = |level: &str| format!("SET TRANSACTION ISOLATION LEVEL {level}");
        check(of(Isolation::ReadUncommitted), Some(&sql("READ UNCOMMITTED")), "START TRANSACTION");
        check(of(Isolation::ReadCommitted), Some(&sql("READ COMMITTED")), "START TRANSACTION");
        check(of(Isolation::RepeatableRead), Some(&sql("REPEATABLE READ")), "START TRANSACTION");
        check(
            of(Isolation::Serializable).with_access(Access::ReadOnly),
            Some(&sql("SERIALIZABLE")),
            "START TRANSACTION READ ONLY",
        );
    }
}
