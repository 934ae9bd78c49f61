//! A ledger in its mutex, and the values that hold a place in it: [`Pooled`], [`Opening`], [`Waiting`]. Each gives back what it
//! holds when it is dropped, wherever that happens, so nothing leaks from a future that is dropped or a thread that panics.
//!
//! A connection that comes back is cleaned without a wait: the first command of the clean-up is written at once,
//! which frees locks and ends transactions, and the caller that gets the connection next reads the answers.

use crate::PoolOptions;
use crate::pool::ledger::{Acquired, Answer, Check, Chores, PoolLedger, PoolStatus, Resting};
use crate::pool::meters::Meters;
use crate::waiter::Waiter;
use crate::{Config, Error, Kind, Result, verbs};
use inrush_core::error::Reason;
use inrush_core::session::{Changes, Channel, Clean, Cleanup};
use std::borrow::{Borrow, BorrowMut};
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A connection that a pool can lend. Both twins are.
pub trait Lendable: Send + 'static {
    /// The connection without its socket.
    #[doc(hidden)]
    fn channel(&self) -> &Channel;

    /// When it last received from the server or sent to it.
    #[doc(hidden)]
    fn last_moved(&self) -> Option<Instant>;

    /// Ends what its user broke off, as far as that is possible without waiting, and takes back the settings that the user changed on our side.
    #[doc(hidden)]
    fn prepare_for_return(&mut self, config: &Config);

    /// Begins an exchange and writes what the socket takes, without waiting.
    #[doc(hidden)]
    fn start(&mut self, clean: &mut Clean) -> Result<()>;
}

pub(super) type Book<C> = PoolLedger<Rested<C>, Arc<Waiter<Acquired<Rested<C>>>>>;

/// What all handles of one pool share.
pub(crate) struct Shared<C> {
    pub(crate) config: Config,
    ledger: Mutex<Book<C>>,
    pub(crate) meters: Meters,
    /// Wakes the pool's maintenance.
    wake_keeper: Box<dyn Fn() + Send + Sync>,
}

/// A connection between two users.
pub(crate) struct Rested<C> {
    /// Boxed, because it is large and is moved often.
    pub(crate) connection: Box<C>,
    /// A clean-up whose answers were not read yet.
    pub(crate) cleaning: Option<Box<Clean>>,
}

/// A connection from a pool: use it like any other; dropping it gives it back.
///
/// Dropping takes no time and does not wait. The next user gets a session in the state of a new one.
pub struct Pooled<C: Lendable> {
    /// `None` once it is gone.
    connection: Option<Box<C>>,
    shared: Arc<Shared<C>>,
    expires: Option<Instant>,
    since: Instant,
}

/// The right to open a connection.
pub(crate) struct Opening<C: Lendable> {
    pub(super) shared: Arc<Shared<C>>,
    pub(crate) not_before: Option<Instant>,
    pub(super) is_settled: bool,
}

/// A place in the queue.
pub(crate) struct Waiting<C: Lendable> {
    shared: Arc<Shared<C>>,
    pub(crate) waiter: Arc<Waiter<Acquired<Rested<C>>>>,
    /// When to ask again if no call comes: set for a caller that the server refused.
    retry_at: Option<Instant>,
    number: u64,
    is_over: bool,
}

/// The server refused a caller, because it has as many connections as it takes.
pub(crate) struct Refused {
    pub(super) error: Error,
    /// The caller's place in the queue, which it keeps.
    pub(super) place: u64,
}

/// What a caller that asks for a connection must do next.
pub(crate) enum Next<C: Lendable> {
    /// Finish its clean-up, check it, use it.
    Prepare(Pooled<C>, Option<Box<Clean>>, Check),
    Open(Opening<C>),
    Wait(Waiting<C>),
}

impl<C: Lendable> Shared<C> {
    pub(crate) fn new(config: &Config, wake_keeper: impl Fn() + Send + Sync + 'static) -> Result<Arc<Self>> {
        config.pool.check()?;
        let meters = Meters::new(config);
        Ok(Arc::new(Self {
            config: config.clone(),
            ledger: Mutex::new(PoolLedger::new(config.pool)),
            meters,
            wake_keeper: Box::new(wake_keeper),
        }))
    }

    pub(crate) fn options(&self) -> &PoolOptions {
        &self.config.pool
    }

    pub(crate) fn status(&self) -> PoolStatus {
        self.ledger().status()
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.ledger().is_closed()
    }

    /// When to stop waiting.
    pub(crate) fn deadline(&self, began: Instant) -> Option<Instant> {
        self.options().acquire_timeout.and_then(|limit| began.checked_add(limit))
    }

    /// Asks for a connection.
    pub(crate) fn take(self: &Arc<Self>, now: Instant) -> Result<Next<C>> {
        self.take_again(now, None)
    }

    /// The same for a caller that the server refused before: it keeps its place.
    fn take_again(self: &Arc<Self>, now: Instant, refused: Option<&Refused>) -> Result<Next<C>> {
        loop {
            let mut ledger = self.ledger();
            match ledger.take(now) {
                Answer::Acquired(acquired) => {
                    drop(ledger);
                    if matches!(acquired, Acquired::Lend(_)) {
                        self.meters.lent_idle();
                    }
                    return self.accept(acquired, now);
                }
                Answer::Retire(old) => {
                    drop(ledger);
                    self.meters.closed_idle();
                    // The drop sends a quit command, which is a system call: not under the lock.
                    drop(old);
                }
                Answer::Wait => {
                    let waiter = Arc::new(Waiter::new());
                    let (number, retry_at) = match refused {
                        None => (ledger.wait(Arc::clone(&waiter)), None),
                        Some(Refused { place, .. }) => {
                            (ledger.wait_refused(Some(*place), Arc::clone(&waiter)), Some(ledger.next_try(now)))
                        }
                    };
                    drop(ledger);
                    return Ok(Next::Wait(Waiting::new(self, waiter, number, retry_at)));
                }
            }
        }
    }

    /// Turns what was acquired into a value that gives it back.
    pub(crate) fn accept(self: &Arc<Self>, acquired: Acquired<Rested<C>>, now: Instant) -> Result<Next<C>> {
        match acquired {
            Acquired::Lend(Resting { item, expires, last_used }) => {
                let check = PoolLedger::<C, ()>::check(self.options(), last_used, now);
                let connection = Some(item.connection);
                let lent = Pooled { connection, shared: Arc::clone(self), expires, since: now };
                Ok(Next::Prepare(lent, item.cleaning, check))
            }
            Acquired::Open(not_before) => Ok(Next::Open(Opening::new(self, not_before))),
            Acquired::Closed => Err(closed()),
        }
    }

    /// Serves those who wait, as far as there is something for them, and wakes the maintenance if something is missing.
    pub(super) fn settle<'a>(&'a self, ledger: MutexGuard<'a, Book<C>>) {
        let ledger = self.serve(ledger);
        let is_short = ledger.is_short();
        drop(ledger);
        if is_short {
            (self.wake_keeper)();
        }
    }

    fn serve<'a>(&'a self, mut ledger: MutexGuard<'a, Book<C>>) -> MutexGuard<'a, Book<C>> {
        loop {
            let Some((waiter, acquired)) = ledger.serve() else { return ledger };
            let is_idle = matches!(acquired, Acquired::Lend(_));
            // Waking is the expensive part: not under the lock.
            drop(ledger);
            let not_taken = waiter.serve(acquired).err();
            if is_idle && not_taken.is_none() {
                self.meters.lent_idle();
            }
            ledger = self.ledger();
            if let Some(acquired) = not_taken {
                let unwanted = ledger.undo(acquired);
                drop(unwanted);
            }
        }
    }

    fn give_back(&self, mut connection: Box<C>, expires: Option<Instant>, since: Instant) {
        let now = Instant::now();
        self.meters.used_for(now.saturating_duration_since(since));
        let last_used = connection.last_moved().unwrap_or(since);
        let cleaning = match self.cleaning(&mut connection) {
            Ok(cleaning) => cleaning,
            Err(_) => return self.lost(connection),
        };
        let resting = Resting { item: Rested { connection, cleaning }, expires, last_used };
        let mut ledger = self.ledger();
        let unwanted = ledger.give_back(resting, now);
        match &unwanted {
            None => self.meters.returned(),
            Some(_) => self.meters.closed_used(),
        }
        self.settle(ledger);
        drop(unwanted);
    }

    /// Begins the clean-up that the session needs, if it needs one. After an error the connection must not be used any more.
    fn cleaning(&self, connection: &mut C) -> Result<Option<Box<Clean>>> {
        connection.prepare_for_return(&self.config);
        let channel = connection.channel();
        if !channel.session.is_idle() {
            return Err(Error::new(Kind::Io, "its last use was interrupted"));
        }
        let home = self.config.database();
        let cleanup = Changes::of(channel, home).cleanup(self.options().reset, home.is_some());
        if cleanup == Cleanup::Nothing {
            return Ok(None);
        }
        let mut cleaning =
            Clean::new(cleanup, home, self.config.time_zone.as_deref(), || verbs::change_user(&self.config))?
                .map(Box::new);
        if let Some(clean) = &mut cleaning {
            connection.start(clean)?;
        }
        Ok(cleaning)
    }

    /// A lent connection can no longer be used.
    fn lost(&self, connection: Box<C>) {
        drop(connection);
        self.meters.closed_used();
        let mut ledger = self.ledger();
        ledger.lost();
        self.settle(ledger);
    }

    /// What the maintenance does from time to time. `None`: the pool is closed.
    pub(crate) fn chores(self: &Arc<Self>, now: Instant) -> Option<(Option<Opening<C>>, Duration)> {
        let mut ledger = self.ledger();
        if ledger.is_closed() {
            return None;
        }
        let Chores { close, open, again_in } = ledger.chores(now);
        // The maintenance knows what is missing: if it woke itself it would never sleep.
        drop(self.serve(ledger));
        close.iter().for_each(|_| self.meters.closed_idle());
        drop(close);
        Some((open.then(|| Opening::new(self, None)), again_in))
    }

    pub(crate) fn close(&self) {
        let mut ledger = self.ledger();
        let idle = ledger.close();
        self.settle(ledger);
        idle.iter().for_each(|_| self.meters.closed_idle());
        drop(idle);
        (self.wake_keeper)();
    }

    /// Closes it; the waiter is served once nothing is left.
    pub(crate) fn close_and_tell(&self, waiter: &Arc<Waiter<Acquired<Rested<C>>>>) {
        self.close();
        let mut ledger = self.ledger();
        ledger.wait_for_end(Arc::clone(waiter));
        self.settle(ledger);
    }

    /// The error when the deadline passed.
    pub(crate) fn timed_out(&self, began: Instant, refused: Option<&Refused>) -> Error {
        self.meters.timed_out();
        let PoolStatus { in_use, idle, opening, waiting, max, .. } = self.status();
        let waited = began.elapsed().as_secs_f64();
        let message = format!(
            "no connection of the pool became free within {waited:.1} s: of at most {max}, {in_use} are in use, {idle} idle, \
             {opening} being opened; {waiting} more wait"
        );
        let (message, hint, reason) = match (refused, opening) {
            (Some(Refused { error, .. }), _) => (
                format!("{message}; the server lets no more in: {error}"),
                "lower `pool-max`, or raise the server's limit",
                Reason::PoolExhausted,
            ),
            (None, 0) => (message, "give connections back sooner, or raise `pool-max`", Reason::PoolExhausted),
            (None, _) => (message, "the server is slow to let us in, or cannot be reached", Reason::PoolTimedOut),
        };
        Error::new(Kind::Io, message).with_hint(hint).because(reason).timed_out().not_fatal()
    }

    pub(super) fn ledger(&self) -> MutexGuard<'_, Book<C>> {
        // Nothing that runs under the lock can panic half-way.
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<C> Drop for Shared<C> {
    fn drop(&mut self) {
        (self.wake_keeper)();
    }
}

impl<C: Lendable> Opening<C> {
    /// The configuration of the connection to open.
    pub(crate) fn config(&self) -> &Config {
        &self.shared.config
    }

    fn new(shared: &Arc<Shared<C>>, not_before: Option<Instant>) -> Self {
        Self { shared: Arc::clone(shared), not_before, is_settled: false }
    }

    /// Opening worked.
    pub(crate) fn opened(mut self, connection: C, began: Instant) -> Pooled<C> {
        let now = Instant::now();
        self.is_settled = true;
        self.shared.meters.created(now.saturating_duration_since(began));
        let mut ledger = self.shared.ledger();
        ledger.opened();
        let expires = ledger.expiry(now, rand::random());
        // The server can be reached again: others may open, too.
        self.shared.settle(ledger);
        Pooled { connection: Some(Box::new(connection)), shared: Arc::clone(&self.shared), expires, since: now }
    }

    /// Opening failed. The next caller in the queue tries, a little later.
    pub(crate) fn failed(mut self) {
        self.is_settled = true;
        let mut ledger = self.shared.ledger();
        ledger.open_failed(Instant::now(), rand::random());
        self.shared.settle(ledger);
    }
}

impl<C: Lendable> Drop for Opening<C> {
    fn drop(&mut self) {
        if !self.is_settled {
            let mut ledger = self.shared.ledger();
            ledger.open_dropped();
            self.shared.settle(ledger);
        }
    }
}

impl<C: Lendable> Waiting<C> {
    pub(super) fn new(
        shared: &Arc<Shared<C>>,
        waiter: Arc<Waiter<Acquired<Rested<C>>>>,
        number: u64,
        retry_at: Option<Instant>,
    ) -> Self {
        shared.meters.pending(1.0);
        Self { shared: Arc::clone(shared), waiter, retry_at, number, is_over: false }
    }

    /// When to stop waiting at this waiter.
    pub(crate) fn until(&self, deadline: Option<Instant>) -> Option<Instant> {
        [self.retry_at, deadline].into_iter().flatten().min()
    }

    /// No call came: asks again if it is time for that; an error if the deadline passed.
    pub(crate) fn not_served(
        self,
        asked: Instant,
        deadline: Option<Instant>,
        refused: Option<&Refused>,
    ) -> Result<Next<C>> {
        let shared = Arc::clone(&self.shared);
        drop(self);
        let now = Instant::now();
        match deadline.is_some_and(|at| now >= at) {
            true => Err(shared.timed_out(asked, refused)),
            false => shared.take_again(now, refused),
        }
    }

    /// Turns what was acquired into the next step.
    pub(crate) fn served(mut self, acquired: Acquired<Rested<C>>) -> Result<Next<C>> {
        self.is_over = true;
        self.shared.accept(acquired, Instant::now())
    }
}

impl<C: Lendable> Drop for Waiting<C> {
    fn drop(&mut self) {
        self.shared.meters.pending(-1.0);
        if self.is_over {
            return;
        }
        let left_behind = self.waiter.leave();
        let mut ledger = self.shared.ledger();
        ledger.leave(self.number);
        if let Some(acquired) = left_behind {
            if matches!(acquired, Acquired::Lend(_)) {
                self.shared.meters.returned();
            }
            let unwanted = ledger.undo(acquired);
            self.shared.settle(ledger);
            drop(unwanted);
        }
    }
}

impl<C: Lendable> Pooled<C> {
    /// It is dead, so another is opened in its place.
    pub(crate) fn replace(mut self) -> Opening<C> {
        let shared = Arc::clone(&self.shared);
        drop(self.connection.take());
        shared.meters.closed_used();
        let not_before = shared.ledger().replace();
        Opening::new(&shared, not_before)
    }

    /// Marks the beginning of its use.
    pub(crate) fn begin_use(&mut self, asked: Instant) {
        // Unless it had to wait or to be opened, the time is the one at which it was requested.
        self.shared.meters.waited_for(self.since.saturating_duration_since(asked));
    }

    /// Takes the connection out of the pool for good. The pool may open another in its place.
    pub fn detach(mut self) -> C {
        let Some(connection) = self.connection.take() else { unreachable!("{GONE}") };
        self.shared.meters.closed_used();
        let mut ledger = self.shared.ledger();
        ledger.lost();
        self.shared.settle(ledger);
        *connection
    }
}

impl<C: Lendable> Deref for Pooled<C> {
    type Target = C;

    fn deref(&self) -> &C {
        self.connection.as_deref().unwrap_or_else(|| unreachable!("{GONE}"))
    }
}

impl<C: Lendable> DerefMut for Pooled<C> {
    fn deref_mut(&mut self) -> &mut C {
        self.connection.as_deref_mut().unwrap_or_else(|| unreachable!("{GONE}"))
    }
}

impl<C: Lendable> Borrow<C> for Pooled<C> {
    fn borrow(&self) -> &C {
        self
    }
}

impl<C: Lendable> BorrowMut<C> for Pooled<C> {
    fn borrow_mut(&mut self) -> &mut C {
        self
    }
}

impl<C: Lendable> Drop for Pooled<C> {
    fn drop(&mut self) {
        if let Some(connection) = self.connection.take() {
            self.shared.give_back(connection, self.expires, self.since);
        }
    }
}

impl<C: Lendable + fmt::Debug> fmt::Debug for Pooled<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Pooled").field(&**self).finish()
    }
}

/// Until when the clean-up or the check of an idle connection may last, for a user who waits until `deadline`.
pub(crate) fn patience(deadline: Option<Instant>) -> Instant {
    let limit = Instant::now() + PATIENCE;
    deadline.map_or(limit, |deadline| limit.min(deadline))
}

fn closed() -> Error {
    Error::new(Kind::Interrupted, "the pool is closed").because(Reason::PoolClosed).with_hint("open a new pool")
}

/// How long the clean-up or the check of an idle connection may take before another is opened instead.
const PATIENCE: Duration = Duration::from_secs(5);
/// Only methods that consume the value take the connection out of it.
const GONE: &str = "a lent connection is there until it is dropped";

#[cfg(test)]
mod tests;
