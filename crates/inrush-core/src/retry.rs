//! What is run again after an error, when, and for how long. Everything that retries decides here.
//!
//! [`verdict`] says whether another attempt may succeed, by the table in [`codes`]; [`Retry`] counts the failures in a row and
//! returns how long to wait, or that no retry is left. Time and randomness are arguments. [`fate`] says what an error means at
//! each stage of an attempt, [`rerun`] decides about transactions of a pool.
//!
//! Invariant: a transaction is run again from its start or not at all. One statement that is run again in a transaction which the server
//! has rolled back loses every row before it.

pub mod fate;
pub mod rerun;

use crate::error::codes::{self, Connection};
use crate::error::{Class, Error, Kind};
use std::time::Duration;

/// What to do about an error that left nothing of a transaction in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Run the same transaction again, from its start.
    Again {
        /// Run it over a new connection: this one is lost, or leads to a server that cannot do it.
        reconnect: bool,
    },
    /// The same rows in several transactions: this one is too large for some limit of the server.
    Shrink,
    /// It would fail again.
    No,
}

/// Judges an error of a load. `n_failed`: how many attempts have failed in a row, this one included. `has_stored`: the server has
/// stored rows before, so that it is read-only only temporarily.
pub fn verdict(error: &Error, n_failed: u32, has_stored: bool) -> Verdict {
    let again = Verdict::Again { reconnect: !keeps_connection(error) };
    let is_early = n_failed < FEW;
    match error.class() {
        _ if error.kind() == Kind::Interrupted => Verdict::No,
        Class::Conflict => again,
        Class::NoId | Class::ConflictOrLimit if is_early => again,
        Class::TooLarge | Class::ConflictOrLimit => Verdict::Shrink,
        Class::Full | Class::Unavailable | Class::Lost => again,
        Class::ReadOnly if has_stored => again,
        Class::Killed if error.is_fatal() => again,
        Class::Other if error.code() == 0 && error.kind() == Kind::Io => Verdict::Again { reconnect: true },
        Class::NoId | Class::ReadOnly | Class::Killed | Class::Other => Verdict::No,
    }
}

/// Whether the connection is as good as before the error.
pub fn keeps_connection(error: &Error) -> bool {
    error.code() != 0 && !error.is_fatal() && codes::of(error.code()).1 == Connection::Usable
}

/// The maximum number of attempts where the cause may be a limit of the server, or a counter that reached its end.
const FEW: u32 = 4;

/// How often a transaction is run again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Retries {
    /// Not at all.
    #[default]
    Never,
    /// So many times more.
    Times(u32),
    /// For as long as this, from the first start.
    For(Duration),
}

impl Retries {
    /// How long to wait before the next attempt; `None`: give up. `n_failed` attempts have failed in a row, `elapsed` is the time since the
    /// first of them, `random` is from 0 to 1.
    pub fn pause(self, back_off: BackOff, n_failed: u32, elapsed: Duration, random: f64) -> Option<Duration> {
        let pause = back_off.pause(n_failed, random);
        match self {
            Self::Never => None,
            Self::Times(times) => (n_failed <= times).then_some(pause),
            Self::For(limit) => (elapsed.saturating_add(pause) <= limit).then_some(pause),
        }
    }

    /// The same for a transaction that runs again over its own connection; `None` also if that would fail again.
    pub fn rerun(self, error: &Error, n_failed: u32, elapsed: Duration, random: f64) -> Option<Duration> {
        match error.is_retryable() && !error.is_fatal() {
            true => self.pause(BackOff::TRANSACTION, n_failed, elapsed, random),
            false => None,
        }
    }
}

/// How the pauses grow: twice as long each time, multiplied by a random factor between a half and one, so that clients that
/// collided once do not collide again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BackOff {
    /// The first pause.
    pub first: Duration,
    /// No pause is longer.
    pub longest: Duration,
}

impl BackOff {
    /// For short transactions: the winner should have finished after the first pause.
    pub const TRANSACTION: Self = Self { first: Duration::from_millis(5), longest: Duration::from_secs(1) };
    /// For chunks of a load: the winner of a deadlock needs a few first pauses to commit. A restarted server is noticed after the
    /// longest pause at the latest.
    pub const CHUNK: Self = Self { first: Duration::from_millis(20), longest: Duration::from_secs(5) };
    /// For connections of a pool.
    pub const CONNECTION: Self = Self { first: Duration::from_millis(50), longest: Duration::from_secs(5) };

    /// The pause after `n_failed` failures in a row; `random` is from 0 (half of it) to 1.
    pub fn pause(self, n_failed: u32, random: f64) -> Duration {
        let doublings = n_failed.saturating_sub(1).min(MAX_DOUBLINGS);
        let full = self.first.saturating_mul(1 << doublings).min(self.longest);
        let share = if random.is_finite() { random.clamp(0.0, 1.0) } else { 1.0 };
        full.mul_f64(0.5 + share / 2.0)
    }
}

const MAX_DOUBLINGS: u32 = 16;

/// Failures in a row.
#[derive(Clone, Copy, Debug)]
pub struct Retry {
    limit: Retries,
    back_off: BackOff,
    /// Since when time counts, on the caller's clock.
    since: Option<Duration>,
    n_failed: u32,
}

impl Retry {
    /// Time counts from the first failure on.
    pub fn new(limit: Retries, back_off: BackOff) -> Self {
        Self { limit, back_off, since: None, n_failed: 0 }
    }

    /// Time counts from `start` on.
    #[must_use]
    pub fn since(mut self, start: Duration) -> Self {
        self.since = Some(start);
        self
    }

    /// Counts a failure at `now`. Returns how long to wait before the next attempt, `None` to give up. `random` is from 0 to 1.
    pub fn failed(&mut self, now: Duration, random: f64) -> Option<Duration> {
        self.n_failed = self.n_failed.saturating_add(1);
        let elapsed = now.saturating_sub(*self.since.get_or_insert(now));
        self.limit.pause(self.back_off, self.n_failed, elapsed, random)
    }

    /// How many attempts have failed.
    pub fn n_failed(&self) -> u32 {
        self.n_failed
    }
}

#[cfg(test)]
mod tests;
