//! The pool's book: who gets which connection, who may open one, what is retired. No lock, no clock, no socket in here.
//!
//! Rules: the connection used last is lent first, so that the others can grow old; those who wait are served in the order
//! in which they came; the caller that waits longest gets the next connection or the next free place to open one; after a failed
//! attempt there is one attempt at a time, with growing pauses; if the server lets no more in, a caller that it refused waits, before
//! all others, for a connection of the pool to come back, or until it is time to try again.
//!
//! Invariant: while a caller waits, no connection is idle and none could be opened (`settled`, checked in tests).

use crate::PoolOptions;
use inrush_core::retry::BackOff;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// A pool's book over connections `C` and waiters `W`.
#[derive(Debug)]
pub(crate) struct PoolLedger<C, W> {
    options: PoolOptions,
    /// The last one was used last.
    idle: Vec<Resting<C>>,
    n_lent: usize,
    n_opening: usize,
    /// Waiters by the number drawn: the smallest came first.
    waiting: BTreeMap<u64, W>,
    next_number: u64,
    /// The number of the next caller that the server refused: below all others, so served before them.
    next_refused: u64,
    /// Those who wait for the end of a closed pool.
    waiting_for_end: Vec<W>,
    /// Attempts to connect that failed since the last one that did not.
    n_failed: u32,
    retry_at: Option<Instant>,
    /// The server lets no more in, as far as is known.
    is_full: bool,
    is_closed: bool,
}

/// A connection that is not in use.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Resting<C> {
    pub(crate) item: C,
    /// When it is too old. `None`: never.
    pub(crate) expires: Option<Instant>,
    pub(crate) last_used: Instant,
}

/// What a caller gets that asks, or that waited.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Acquired<C> {
    /// This one, once it was checked.
    Lend(Resting<C>),
    /// A place to open one, not before that moment.
    Open(Option<Instant>),
    /// Nothing: the pool is closed.
    Closed,
}

/// The answer to a caller that asks.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Answer<C> {
    Acquired(Acquired<C>),
    /// This one is too old: close it and ask again.
    Retire(C),
    /// Wait, under a number of [`PoolLedger::wait`].
    Wait,
}

/// How sure to make that a connection is alive before it is lent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Check {
    Nothing,
    /// Whether its socket is open and silent: a system call.
    Look,
    /// Whether the server answers: a round trip.
    Ping,
}

impl Check {
    /// Whether to ping the server. `is_quiet` checks the socket, if that is needed.
    pub(crate) fn needs_ping(self, is_quiet: impl FnOnce() -> bool) -> bool {
        match self {
            Self::Nothing => false,
            Self::Look => !is_quiet(),
            Self::Ping => true,
        }
    }
}

/// What there is to do from time to time.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Chores<C> {
    pub(crate) close: Vec<C>,
    /// Whether to open one (its place is taken already), and then to ask again.
    pub(crate) open: bool,
    /// When to ask again at the latest.
    pub(crate) again_in: Duration,
}

/// A pool at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PoolStatus {
    /// Connections that are in use.
    pub in_use: usize,
    /// Connections that are not in use.
    pub idle: usize,
    /// Connections that are being opened.
    pub opening: usize,
    /// How many wait for a connection.
    pub waiting: usize,
    /// The most connections there may be.
    pub max: usize,
    /// How many are kept.
    pub min: usize,
}

impl<C, W> PoolLedger<C, W> {
    pub(crate) fn new(options: PoolOptions) -> Self {
        Self {
            options,
            idle: Vec::new(),
            n_lent: 0,
            n_opening: 0,
            waiting: BTreeMap::new(),
            next_number: FIRST_NUMBER,
            next_refused: 0,
            waiting_for_end: Vec::new(),
            n_failed: 0,
            retry_at: None,
            is_full: false,
            is_closed: false,
        }
    }

    /// A caller asks for a connection.
    pub(crate) fn take(&mut self, now: Instant) -> Answer<C> {
        if self.is_closed {
            return Answer::Acquired(Acquired::Closed);
        }
        self.look_again(now);
        match self.idle.pop() {
            Some(old) if is_over(old.expires, now) => Answer::Retire(old.item),
            Some(resting) => {
                self.n_lent += 1;
                Answer::Acquired(Acquired::Lend(resting))
            }
            None if self.may_open() => Answer::Acquired(self.grant_opening()),
            None => Answer::Wait,
        }
    }

    /// Takes a place in the queue.
    pub(crate) fn wait(&mut self, who: W) -> u64 {
        let number = self.next_number;
        self.next_number += 1;
        self.waiting.insert(number, who);
        number
    }

    /// Takes a place for a caller that the server refused: its earlier place, or one before all others.
    pub(crate) fn wait_refused(&mut self, place: Option<u64>, who: W) -> u64 {
        let number = place.unwrap_or(self.next_refused);
        self.next_refused = self.next_refused.max(number + 1);
        self.waiting.insert(number, who);
        number
    }

    /// Gives up a place in the queue, if it was not served yet.
    pub(crate) fn leave(&mut self, number: u64) {
        self.waiting.remove(&number);
    }

    /// Returns the next waiter to serve, and what it gets. Call this after each of the methods below, until it returns `None`.
    pub(crate) fn serve(&mut self) -> Option<(W, Acquired<C>)> {
        if self.waiting.is_empty() {
            let is_over = self.is_closed && self.total() == 0;
            return self.waiting_for_end.pop_if(|_| is_over).map(|who| (who, Acquired::Closed));
        }
        let acquired = match self.idle.pop() {
            _ if self.is_closed => Acquired::Closed,
            Some(resting) => {
                self.n_lent += 1;
                Acquired::Lend(resting)
            }
            None if self.may_open() => self.grant_opening(),
            None => return None,
        };
        self.waiting.pop_first().map(|(_, who)| (who, acquired))
    }

    /// What a waiter got was not taken: the caller that waited is gone.
    pub(crate) fn undo(&mut self, acquired: Acquired<C>) -> Option<C> {
        match acquired {
            Acquired::Lend(resting) => {
                self.n_lent -= 1;
                if self.is_closed {
                    return Some(resting.item);
                }
                self.idle.push(resting);
            }
            Acquired::Open(_) => self.n_opening -= 1,
            Acquired::Closed => {}
        }
        None
    }

    /// A connection comes back. `Some`: close it instead.
    pub(crate) fn give_back(&mut self, resting: Resting<C>, now: Instant) -> Option<C> {
        self.n_lent -= 1;
        self.look_again(now);
        if self.is_closed || is_over(resting.expires, now) {
            self.left_room();
            return Some(resting.item);
        }
        self.idle.push(resting);
        None
    }

    /// A lent connection is gone.
    pub(crate) fn lost(&mut self) {
        self.n_lent -= 1;
        self.left_room();
    }

    /// A lent connection turned out to be dead; its holder opens another in its place.
    pub(crate) fn replace(&mut self) -> Option<Instant> {
        self.n_lent -= 1;
        self.left_room();
        self.n_opening += 1;
        self.retry_at
    }

    /// An attempt to open worked; the connection counts as lent.
    pub(crate) fn opened(&mut self) {
        self.n_opening -= 1;
        self.n_lent += 1;
        (self.n_failed, self.retry_at, self.is_full) = (0, None, false);
    }

    /// An attempt to open failed. `jitter` is a random number from 0 to 1, so that several programs do not come back together.
    pub(crate) fn open_failed(&mut self, now: Instant, jitter: f64) {
        self.n_opening -= 1;
        self.n_failed = self.n_failed.saturating_add(1);
        self.retry_at = Some(now + pause_after(self.n_failed, jitter));
    }

    /// The server lets no more in. Returns when to try again, if there are connections that may come back before.
    pub(crate) fn open_refused(&mut self, now: Instant, jitter: f64) -> Option<Instant> {
        self.open_failed(now, jitter);
        self.is_full = self.total() > 0;
        self.retry_at.filter(|_| self.is_full)
    }

    /// When a caller that the server refused tries again, if it is not called before.
    pub(crate) fn next_try(&self, now: Instant) -> Instant {
        self.retry_at.filter(|at| *at > now).unwrap_or(now + BackOff::CONNECTION.first)
    }

    /// After the pause an attempt shows whether the server is still full.
    fn look_again(&mut self, now: Instant) {
        self.is_full &= self.retry_at.is_some_and(|at| now < at);
    }

    /// A connection of the pool is gone, so that the server has room for another.
    fn left_room(&mut self) {
        if std::mem::take(&mut self.is_full) {
            (self.n_failed, self.retry_at) = (0, None);
        }
    }

    /// An attempt to open was given up.
    pub(crate) fn open_dropped(&mut self) {
        self.n_opening -= 1;
    }

    /// When a connection that is opened now is to end. `jitter` is a random number from 0 to 1.
    pub(crate) fn expiry(&self, now: Instant, jitter: f64) -> Option<Instant> {
        let lifetime = self.options.max_lifetime?;
        now.checked_add(lifetime.mul_f64(1.0 - LIFETIME_SPREAD * jitter))
    }

    /// How to check a connection that has been idle since `last_used`.
    pub(crate) fn check(options: &PoolOptions, last_used: Instant, now: Instant) -> Check {
        let rest = now.saturating_duration_since(last_used);
        match options.check_after {
            Some(limit) if rest >= limit => Check::Ping,
            _ if rest >= LOOK_AFTER => Check::Look,
            _ => Check::Nothing,
        }
    }

    /// What there is to do: close what was idle for too long or is too old, open what is missing.
    pub(crate) fn chores(&mut self, now: Instant) -> Chores<C> {
        let mut close = Vec::new();
        let mut n_spare = self.total().saturating_sub(self.options.min);
        let idle_timeout = self.options.idle_timeout;
        // The connections that have been idle longest come first.
        for resting in std::mem::take(&mut self.idle) {
            let is_idle = idle_timeout.is_some_and(|limit| now.saturating_duration_since(resting.last_used) >= limit);
            if is_over(resting.expires, now) || (is_idle && n_spare > 0) {
                n_spare = n_spare.saturating_sub(1);
                self.left_room();
                close.push(resting.item);
            } else {
                self.idle.push(resting);
            }
        }
        let is_short = self.is_short();
        let is_early = self.retry_at.is_some_and(|at| at > now);
        let open = is_short && !is_early && self.may_open();
        if open {
            self.n_opening += 1;
        }
        let again_in = match self.retry_at {
            Some(at) if is_short && is_early => at - now,
            _ => self.rhythm(),
        };
        Chores { close, open, again_in }
    }

    /// Whether connections are missing that are to be kept.
    pub(crate) fn is_short(&self) -> bool {
        !self.is_closed && self.total() < self.options.min
    }

    /// Lends nothing any more; hands over the idle connections. Those who wait are to be served.
    pub(crate) fn close(&mut self) -> Vec<Resting<C>> {
        self.is_closed = true;
        std::mem::take(&mut self.idle)
    }

    /// Serves `who` once the pool is closed and nothing of it is left.
    pub(crate) fn wait_for_end(&mut self, who: W) {
        self.waiting_for_end.push(who);
    }

    /// Whether it was closed.
    pub(crate) fn is_closed(&self) -> bool {
        self.is_closed
    }

    pub(crate) fn status(&self) -> PoolStatus {
        PoolStatus {
            in_use: self.n_lent,
            idle: self.idle.len(),
            opening: self.n_opening,
            waiting: self.waiting.len(),
            max: self.options.max,
            min: self.options.min,
        }
    }

    fn total(&self) -> usize {
        self.idle.len() + self.n_lent + self.n_opening
    }

    fn may_open(&self) -> bool {
        let is_tried = self.n_failed > 0 && self.n_opening > 0;
        !self.is_closed && !self.is_full && !is_tried && self.total() < self.options.max
    }

    fn grant_opening(&mut self) -> Acquired<C> {
        self.n_opening += 1;
        Acquired::Open(self.retry_at)
    }

    /// Nothing is overdue by more than that.
    fn rhythm(&self) -> Duration {
        let limits = [self.options.idle_timeout, self.options.max_lifetime];
        let shortest = limits.into_iter().flatten().min().unwrap_or(LONGEST_RHYTHM);
        (shortest / 4).clamp(SHORTEST_RHYTHM, LONGEST_RHYTHM)
    }

    #[cfg(test)]
    fn settled(&self) -> bool {
        self.waiting.is_empty() || (self.idle.is_empty() && !self.may_open() && !self.is_closed)
    }
}

fn is_over(expires: Option<Instant>, now: Instant) -> bool {
    expires.is_some_and(|at| now >= at)
}

fn pause_after(n_failed: u32, jitter: f64) -> Duration {
    BackOff::CONNECTION.pause(n_failed, 1.0 - jitter)
}

/// Numbers below it belong to callers that the server refused.
const FIRST_NUMBER: u64 = 1 << 48;
/// A server that closed a connection may have done so a moment ago; the check costs less than a microsecond, which only a pool in
/// full use would notice, and there connections are not idle.
const LOOK_AFTER: Duration = Duration::from_millis(5);
const LIFETIME_SPREAD: f64 = 0.1;
const SHORTEST_RHYTHM: Duration = Duration::from_millis(10);
const LONGEST_RHYTHM: Duration = Duration::from_secs(30);

#[cfg(test)]
mod tests;
