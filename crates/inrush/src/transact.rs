//! Transactions of a pool, the part that both shells share: how a run fails, what is kept of a COMMIT without an answer, and the lines of
//! the ledger that settle it.
//!
//! A line is leased to one transaction at a time, so that none waits for the lock of another one's line.

use crate::once::{Line, LineLedger};
use crate::{Config, Error, Result, TransactionOptions};
use inrush_core::retry::fate::Stage;
use inrush_core::retry::{self, Retries};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How a run failed.
pub(crate) struct Failure<T, E> {
    pub(crate) stage: Stage,
    fault: Fault<E>,
    /// Set if the answer to COMMIT is missing and a ledger has its outcome.
    pub(crate) doubt: Option<Doubt<T>>,
}

enum Fault<E> {
    Ours(Error),
    /// What the closure returned.
    Own(E),
}

/// A COMMIT without an answer.
pub(crate) struct Doubt<T> {
    /// Where the line was.
    pub(crate) before: u64,
    /// The result of the closure.
    pub(crate) value: T,
    error: Error,
}

impl<T, E: From<Error>> Failure<T, E> {
    pub(crate) fn own(error: E) -> Self {
        Self { stage: Stage::Open, fault: Fault::Own(error), doubt: None }
    }

    /// COMMIT failed, at this stage. `before`: where the line in the ledger was.
    pub(crate) fn of_commit((stage, error): (Stage, Error), value: T, before: Option<u64>) -> Self {
        let doubt =
            before.filter(|_| stage == Stage::Commit).map(|before| Doubt { before, value, error: error.clone() });
        Self { stage, fault: Fault::Ours(error), doubt }
    }

    /// The ledger could not be read, or was changed by another program.
    pub(crate) fn unsettled(error: Error, doubt: Doubt<T>) -> Self {
        Self { stage: Stage::Settle, fault: Fault::Ours(error), doubt: Some(doubt) }
    }

    /// The ledger shows that nothing is stored.
    pub(crate) fn not_stored(doubt: Doubt<T>) -> Self {
        let error = doubt.error.outcome_known().while_doing("nothing is stored");
        Self { stage: Stage::Open, fault: Fault::Ours(error), doubt: None }
    }

    /// The database error that it contains.
    pub(crate) fn error(&self, options: &TransactionOptions<E>) -> Option<&Error> {
        match &self.fault {
            Fault::Ours(error) => Some(error),
            Fault::Own(error) => options.find(error),
        }
    }

    /// Whether the connection works, but is to a server that cannot do the work.
    pub(crate) fn is_misplaced(&self, options: &TransactionOptions<E>) -> bool {
        self.error(options).is_some_and(|error| error.code() != 0 && !retry::keeps_connection(error))
    }

    /// The error for the caller.
    pub(crate) fn into_error(self) -> E {
        match self.fault {
            Fault::Ours(error) => error.into(),
            Fault::Own(error) => error,
        }
    }

    /// The same if it is unknown whether the transaction is stored.
    pub(crate) fn into_unknown(self) -> E {
        match (self.fault, self.doubt) {
            (Fault::Ours(error), None) => error
                .with_hint(
                    "`TransactionOptions::with_exactly_once` finds that out, and runs the transaction again if it is not",
                )
                .outcome_unknown()
                .into(),
            (Fault::Ours(error), Some(doubt)) => {
                let message = format!("{}; the ledger could not be queried: {error}", doubt.error.message());
                Error::new(doubt.error.kind(), message).outcome_unknown().into()
            }
            (Fault::Own(error), _) => error,
        }
    }
}

impl<T, E: From<Error>> From<(Stage, Error)> for Failure<T, E> {
    fn from((stage, error): (Stage, Error)) -> Self {
        Self { stage, fault: Fault::Ours(error), doubt: None }
    }
}

/// The default kind of transaction of a pool: it runs again after transient errors, for this long.
pub(crate) const OF_POOL: TransactionOptions = {
    let mut options = TransactionOptions::new();
    options.retries = Retries::For(RETRY_FOR);
    options
};

/// Short enough for a caller that waits for an answer, long enough for a deadlock and for a server that changes its primary.
const RETRY_FOR: Duration = Duration::from_secs(10);

/// The lines of one pool in the ledger.
pub(crate) struct Lines {
    number: u128,
    state: Mutex<State>,
    /// Whether locks of this server's cluster reach all of its servers.
    is_checked: AtomicBool,
}

#[derive(Default)]
struct State {
    free: Vec<LineLedger>,
    n_lines: usize,
}

/// A line for one transaction; it goes back when it is dropped.
pub(crate) struct Lease {
    lines: Arc<Lines>,
    ledger: Option<LineLedger>,
}

impl Lines {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self { number: rand::random(), state: Mutex::default(), is_checked: AtomicBool::new(false) })
    }

    /// Leases a line, if the transaction needs one.
    pub(crate) fn lease<E>(
        self: &Arc<Self>,
        options: &TransactionOptions<E>,
        config: &Config,
    ) -> Result<Option<Lease>> {
        if !options.needs_ledger() {
            return Ok(None);
        }
        let schema = config.database().ok_or_else(|| {
            Error::config("`with_exactly_once(true)` needs a database in the pool's configuration, where its ledger is")
        })?;
        let mut state = self.state();
        let ledger = state.free.pop().unwrap_or_else(|| {
            state.n_lines += 1;
            LineLedger::new(Line::new(schema, self.number, state.n_lines - 1))
        });
        Ok(Some(Lease { lines: Arc::clone(self), ledger: Some(ledger) }))
    }

    pub(crate) fn is_checked(&self) -> bool {
        self.is_checked.load(Ordering::Relaxed)
    }

    /// Records that the cluster was checked.
    pub(crate) fn checked(&self) {
        self.is_checked.store(true, Ordering::Relaxed);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing in here can panic half-way.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Lease {
    pub(crate) fn ledger(&mut self) -> &mut LineLedger {
        self.ledger.as_mut().unwrap_or_else(|| unreachable!("it goes back when the lease is dropped"))
    }

    /// All lines of the pool.
    pub(crate) fn lines(&self) -> &Lines {
        &self.lines
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if let Some(ledger) = self.ledger.take() {
            self.lines.state().free.push(ledger);
        }
    }
}

/// The error of a transaction without a pool.
pub(crate) fn needs_pool() -> Error {
    Error::config("`with_exactly_once(true)` needs a pool: a lost connection cannot ask what became of its COMMIT")
        .with_hint("use the pool's `transaction_with`")
}
