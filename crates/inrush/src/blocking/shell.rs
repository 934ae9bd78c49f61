//! How threads wait, and what else is theirs alone: `tokio/shell.rs` has the same for tasks.

use super::Connection;
use super::socket::Aborter;
use crate::inserter::Inserted;
use crate::inserter::answers::Ticket;
use crate::inserter::shared::Shared;
use crate::waiter::Waiter;
use crate::{Config, Error, Result, verbs};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

pub(super) use std::thread::sleep;

/// What one caller at a time does.
#[derive(Default)]
pub(super) struct Alone(Mutex<()>);

impl Alone {
    pub(super) fn lock(&self) -> MutexGuard<'_, ()> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(super) fn wait<G>(waiter: &Waiter<G>) -> G {
    loop {
        // Without a deadline it is called in any case.
        if let Some(called) = waiter.wait(None) {
            return called;
        }
    }
}

/// The same, at most until `deadline`: then it returns `None`.
pub(super) fn wait_until<G>(waiter: &Waiter<G>, deadline: Option<Instant>) -> Option<G> {
    waiter.wait(deadline)
}

pub(super) fn sleep_until(at: Instant) {
    sleep(at.saturating_duration_since(Instant::now()));
}

/// Waits until a row is stored or not.
pub(super) fn answer(ticket: Ticket) -> Result<Inserted> {
    ticket.wait()
}

/// Starts a worker of an inserter.
pub(super) fn spawn(work: impl FnOnce() + Send + 'static) -> Result<()> {
    let thread = thread::Builder::new().name("inrush-inserter".to_owned());
    thread.spawn(work).map(drop).map_err(|error| Error::io("cannot start a thread", error))
}

/// Sends a KILL QUERY.
pub(super) fn kill(killer: Config, id: u32) -> Result<()> {
    let mut killer = Connection::connect(killer)?;
    killer.execute(&verbs::kill_query(id), ()).map(drop)
}

/// Threads run by themselves.
pub(super) fn let_others_run(_shared: &Shared) {}

impl Connection {
    /// A guard of this depth was dropped: its changes are undone at once.
    pub(super) fn abandon(&mut self, depth: u32) {
        self.session_mut().abandon(depth);
        if self.session().needs_rollback() && !self.session().is_dead() {
            // If it fails the connection is dead, as its next use shows.
            let _ = self.settle();
        }
    }

    /// A handle that lets another thread end this connection.
    pub fn aborter(&self) -> Aborter {
        self.socket.aborter()
    }
}
