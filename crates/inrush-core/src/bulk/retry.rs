//! What becomes of a chunk that could not be stored: the same transaction once more, a smaller one, or the end of the load.
//!
//! Pure: time and chance come in as arguments. A transaction is run again from its start or not at all: one statement of it that
//! is run again in a transaction which the server has rolled back loses every row before it.

use crate::error::{Error, Kind};
use std::time::Duration;

/// What to do about an error that left nothing of a chunk in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The same transaction once more, from its start.
    Again {
        /// Over a new connection: this one is gone, or leads to a server that will not take it.
        reconnect: bool,
    },
    /// The same rows in more transactions than one: this one is too large for some limit of the server.
    Shrink,
    /// It would fail again.
    No,
}

/// What an attempt met with.
#[derive(Clone, Copy, Debug)]
pub struct Failure<'a> {
    /// What the server or the network said.
    pub error: &'a Error,
    /// How many attempts of this chunk have failed in a row, this one included.
    pub n_failed: u32,
    /// Whether this load has stored anything yet: a server that has taken rows before is read-only for a while only.
    pub has_stored: bool,
}

impl Failure<'_> {
    /// Judges by the error's code; by its kind where the server did not speak.
    pub fn verdict(&self) -> Verdict {
        let error = self.error;
        if matches!(error.kind(), Kind::Interrupted) {
            return Verdict::No;
        }
        let again = Verdict::Again { reconnect: error.is_fatal() };
        let elsewhere = Verdict::Again { reconnect: true };
        match error.code() {
            DEADLOCK | LOCK_WAIT | CHANGED_SINCE => again,
            NO_ID if self.n_failed < FEW => again,
            COMMIT_FAILED | HOOK_FAILED | HOOK_ROLLED_BACK | LOCKS_FULL if self.n_failed < FEW => again,
            COMMIT_FAILED | HOOK_FAILED | HOOK_ROLLED_BACK | LOCKS_FULL => Verdict::Shrink,
            TRANSACTION_CACHE_FULL | STATEMENT_CACHE_FULL | TIDB_TOO_LARGE => Verdict::Shrink,
            NODE_NOT_READY | SHUTDOWN | TOO_MANY_CONNECTIONS | TOO_MANY_OF_USER | KILLED | GONE | LOST | IDLE => {
                elsewhere
            }
            1158..=1161 => elsewhere,
            OPTION_PREVENTS | READ_ONLY_TRANSACTION | READ_ONLY_MODE if self.has_stored && says_read_only(error) => {
                elsewhere
            }
            // Somebody's KILL, and the connection with it. A KILL QUERY alone is meant for what the statement does.
            INTERRUPTED if error.is_fatal() => elsewhere,
            0 if error.kind() == Kind::Io => elsewhere,
            _ => Verdict::No,
        }
    }
}

/// So many times a chunk is tried that fails by what may be a limit of the server, or a counter that has come to its end.
const FEW: u32 = 4;

/// 1290 is every option that forbids a statement.
fn says_read_only(error: &Error) -> bool {
    error.code() != OPTION_PREVENTS || error.message().contains("read-only") || error.message().contains("read_only")
}

const DEADLOCK: u16 = 1213;
/// Only the statement was undone, so a ROLLBACK comes first.
const LOCK_WAIT: u16 = 1205;
/// A row changed since the snapshot (MariaDB with innodb_snapshot_isolation).
const CHANGED_SINCE: u16 = 1020;
/// No AUTO_INCREMENT value, just then or ever.
const NO_ID: u16 = 1467;
const COMMIT_FAILED: u16 = 1180;
/// Group replication or another plugin failed before the COMMIT, by a conflict or by a limit of its own.
const HOOK_FAILED: u16 = 3100;
const HOOK_ROLLED_BACK: u16 = 3101;
const LOCKS_FULL: u16 = 1206;
/// `max_binlog_cache_size`.
const TRANSACTION_CACHE_FULL: u16 = 1197;
/// `max_binlog_stmt_cache_size`.
const STATEMENT_CACHE_FULL: u16 = 1705;
const TIDB_TOO_LARGE: u16 = 8004;
/// A Galera node that is not part of its cluster just then.
const NODE_NOT_READY: u16 = 1047;
const SHUTDOWN: u16 = 1053;
const TOO_MANY_CONNECTIONS: u16 = 1040;
const TOO_MANY_OF_USER: u16 = 1203;
/// MariaDB's word for a connection that was killed.
const KILLED: u16 = 1927;
/// These two are a client's own, but proxies say them too.
const GONE: u16 = 2006;
const LOST: u16 = 2013;
/// MySQL's word for a connection that it closed because nobody used it.
const IDLE: u16 = 4031;
const OPTION_PREVENTS: u16 = 1290;
const READ_ONLY_TRANSACTION: u16 = 1792;
const READ_ONLY_MODE: u16 = 1836;
const INTERRUPTED: u16 = 1317;

/// How long failures in a row are borne, and what lies between two attempts.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    limit: Duration,
    /// When the first failure in a row was, on the caller's clock.
    since: Option<Duration>,
    n_failed: u32,
}

impl Patience {
    /// Tries again for as long as `limit` from the first failure on; zero: not at all.
    pub fn new(limit: Duration) -> Self {
        Self { limit, since: None, n_failed: 0 }
    }

    /// Takes note of a failure at `now`, and returns how many there have been in a row.
    pub fn failed(&mut self, now: Duration) -> u32 {
        self.since.get_or_insert(now);
        self.n_failed += 1;
        self.n_failed
    }

    /// How long to wait before the next attempt; none: give up. `random` is any number.
    pub fn pause(&self, now: Duration, random: u64) -> Option<Duration> {
        let spent = now.saturating_sub(self.since?);
        let pause = back_off(self.n_failed, random);
        (spent.saturating_add(pause) <= self.limit).then_some(pause)
    }
}

/// Twice as long each time, and by chance between half of that and all of it, so that lanes that met once do not meet again.
fn back_off(n_failed: u32, random: u64) -> Duration {
    let full = (FIRST_PAUSE * (1 << n_failed.saturating_sub(1).min(MAX_DOUBLINGS))).min(LONGEST_PAUSE);
    full / 2 + (full / 2).mul_f64((random >> 11) as f64 / (1u64 << 53) as f64)
}

/// A chunk that won a deadlock needs a few of these to commit.
const FIRST_PAUSE: Duration = Duration::from_millis(20);
/// A server that starts again is noticed this much later at most.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
const MAX_DOUBLINGS: u32 = 16;

#[cfg(test)]
mod tests;
