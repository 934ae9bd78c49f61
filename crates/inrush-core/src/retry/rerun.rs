//! Decides whether and when a transaction of a pool is run again, and which error the caller gets otherwise. Pure: time and
//! randomness are arguments.
//!
//! ```text
//! get a connection -> BEGIN -> closure -> (ledger) -> COMMIT -> answer
//! |     run again    |   run again, if the    |  without an answer: unknown,
//! |                  |   error may pass       |  or settled by the ledger
//! ```
//!
//! Invariant: the closure runs again only if the server cannot have committed the last run.

use crate::error::{Error, Reason};
use crate::retry::fate::{Fate, Stage, fate};
use crate::retry::{BackOff, Retries, Retry};
use std::time::Duration;

/// The runs of one transaction.
#[derive(Clone, Debug)]
pub struct Rerun {
    retries: Retries,
    n_failed: u32,
    has_ledger: bool,
    /// The retries of reading the ledger after a COMMIT: also used where nothing is run again.
    settling: Retry,
}

/// What to do after a run that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Nothing is stored: wait, and run the closure again.
    Again(Duration),
    /// The answer to COMMIT is missing: wait, and read the outcome from the ledger.
    Settle(Duration),
    /// Return the error: nothing is stored.
    Fail,
    /// Return the error as one of an unknown outcome.
    Unknown,
}

impl Rerun {
    /// `has_ledger`: a COMMIT without an answer is settled by a line in the ledger.
    pub fn new(retries: Retries, has_ledger: bool) -> Self {
        let settling = Retry::new(Retries::For(SETTLE_FOR), BackOff::TRANSACTION);
        Self { retries, n_failed: 0, has_ledger, settling }
    }

    /// Records how a run failed, `elapsed` after the start of the first one. `error` is `None` if the closure's error contains
    /// none of the database. `random` is from 0 to 1.
    pub fn failed(&mut self, stage: Stage, error: Option<&Error>, elapsed: Duration, random: f64) -> Next {
        let Some(error) = error else { return Next::Fail };
        match judge(stage, error, self.has_ledger) {
            Fate::Failed => Next::Fail,
            Fate::Unknown => Next::Unknown,
            Fate::Doubt => self.settling.failed(elapsed, random).map_or(Next::Unknown, Next::Settle),
            Fate::Again(_) => {
                self.n_failed = self.n_failed.saturating_add(1);
                let pause = self.retries.pause(BackOff::TRANSACTION, self.n_failed, elapsed, random);
                pause.map_or(Next::Fail, Next::Again)
            }
        }
    }
}

fn judge(stage: Stage, error: &Error, has_ledger: bool) -> Fate {
    match (stage, error.reason()) {
        // The pool's time-out is a limit for the whole wait, so it is not waited for several times.
        (Stage::Before, Reason::PoolTimedOut | Reason::PoolExhausted) => Fate::Failed,
        // A statement that commits by itself, or one over another connection; a statement that a slow server would not finish the
        // next time either.
        (Stage::Open, _) if error.is_outcome_unknown() || error.is_timeout() => Fate::Failed,
        _ => fate(stage, error, has_ledger),
    }
}

/// For how long the ledger is read after a COMMIT without an answer: in most cases a server that restarts is back by then.
const SETTLE_FOR: Duration = Duration::from_secs(30);

#[cfg(test)]
mod tests;
