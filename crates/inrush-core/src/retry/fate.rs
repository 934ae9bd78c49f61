//! Judges what an error means for the rows of an attempt, by how far the attempt had come: they can be sent again, they are not
//! stored, or that is unknown. Inserters use it for their batches, pools for transactions ([`super::rerun`]).
//!
//! Bad rows are not errors here: a batch sets them aside and stores the others. The errors here concern all rows of the attempt.
//!
//! Invariant: rows are sent again only if nothing of the last attempt can be stored.

use crate::error::{Class, Error, Kind};
use crate::retry;

/// How far an attempt had come when it failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// It had no connection yet, or nothing was sent.
    Before,
    /// It was written as a batch of its own, whose error says whether anything can have been committed.
    Write,
    /// Its rows were in a transaction, whose COMMIT was not sent.
    Open,
    /// COMMIT was sent.
    Commit,
    /// The ledger was read for the outcome of a COMMIT.
    Settle,
}

/// The outcome of the rows of an attempt that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// They are not stored, and may be if they are sent again.
    Again(Over),
    /// They are not stored, and would not be the next time.
    Failed,
    /// They may be stored or not, and there is no way to find out.
    Unknown,
    /// They may be stored or not; the ledger shows which.
    Doubt,
}

/// The connection on which to continue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Over {
    /// The connection is as good as before.
    TheSame,
    /// It is dead, or leads to a server that cannot do the work.
    ANewConnection,
}

/// Judges an error. `has_ledger`: each batch leaves a line in its transaction by which it can be found again.
pub fn fate(stage: Stage, error: &Error, has_ledger: bool) -> Fate {
    // A command that was to be cancelled because it took too long, but succeeded.
    let was_done_late = error.is_timeout() && error.code() == 0 && !error.is_fatal();
    let nobody_knows = error.is_outcome_unknown() || was_done_late;
    match stage {
        Stage::Before if may_pass(error) => Fate::Again(Over::ANewConnection),
        Stage::Before => Fate::Failed,
        // A read that was killed says nothing about the line that it was to read.
        Stage::Settle if may_pass(error) || is_silence(error) || error.class() == Class::Killed => Fate::Doubt,
        // A peer that breaks the protocol at that address is not the server.
        Stage::Settle if error.kind() == Kind::Protocol => Fate::Doubt,
        Stage::Settle => Fate::Unknown,
        Stage::Commit if (nobody_knows || is_silence(error)) && has_ledger => Fate::Doubt,
        Stage::Commit if nobody_knows || is_silence(error) => Fate::Unknown,
        Stage::Write if nobody_knows => Fate::Unknown,
        // What was sent until then is not committed by itself; and a transaction without COMMIT is rolled back, however it ended.
        Stage::Write | Stage::Open if is_silence(error) => Fate::Again(Over::ANewConnection),
        Stage::Write | Stage::Open | Stage::Commit if error.is_retryable() => Fate::Again(over(error)),
        Stage::Write | Stage::Open | Stage::Commit => Fate::Failed,
    }
}

/// Whether the server did not report the outcome of the command.
fn is_silence(error: &Error) -> bool {
    error.class() == Class::Lost || error.code() == 0 && (error.is_fatal() || error.is_timeout())
}

/// Whether an attempt that sent nothing so far may succeed later.
fn may_pass(error: &Error) -> bool {
    match error.kind() {
        Kind::Io => true,
        Kind::Server => error.is_retryable(),
        _ => false,
    }
}

/// Returns the connection on which to continue after a transient error.
fn over(error: &Error) -> Over {
    match retry::keeps_connection(error) {
        true => Over::TheSame,
        false => Over::ANewConnection,
    }
}

#[cfg(test)]
mod tests;
