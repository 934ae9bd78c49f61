//! A waiting thread or task, and how it gets what it waits for. Each has a [`Waiter`] of its own, so that
//! one connection wakes one.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Instant;

/// A waiter for a `G`.
pub(crate) struct Waiter<G> {
    state: Mutex<State<G>>,
    /// For a thread.
    bell: Condvar,
}

enum State<G> {
    Fresh,
    Thread,
    Task(Waker),
    Served(G),
    /// The waiter got it, or does not need it any more.
    Left,
}

impl<G> Waiter<G> {
    pub(crate) fn new() -> Self {
        Self { state: Mutex::new(State::Fresh), bell: Condvar::new() }
    }

    /// Hands the value over and wakes the waiter. `Err`: the waiter is gone.
    pub(crate) fn serve(&self, value: G) -> Result<(), G> {
        let mut state = self.lock();
        if let State::Left = *state {
            return Err(value);
        }
        let before = std::mem::replace(&mut *state, State::Served(value));
        drop(state);
        match before {
            State::Thread => self.bell.notify_one(),
            State::Task(waker) => waker.wake(),
            _ => {}
        }
        Ok(())
    }

    /// Waits in a task.
    pub(crate) fn poll(&self, cx: &mut Context<'_>) -> Poll<G> {
        let mut state = self.lock();
        match std::mem::replace(&mut *state, State::Left) {
            State::Served(value) => Poll::Ready(value),
            State::Task(waker) if waker.will_wake(cx.waker()) => {
                *state = State::Task(waker);
                Poll::Pending
            }
            _ => {
                *state = State::Task(cx.waker().clone());
                Poll::Pending
            }
        }
    }

    /// Waits in a thread. `None`: the deadline passed, and nothing can be handed over any more.
    pub(crate) fn wait(&self, deadline: Option<Instant>) -> Option<G> {
        let mut state = self.lock();
        loop {
            if let State::Served(value) = std::mem::replace(&mut *state, State::Left) {
                return Some(value);
            }
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            if left.is_some_and(|left| left.is_zero()) {
                return None;
            }
            *state = State::Thread;
            state = match left {
                Some(left) => self.bell.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0,
                None => self.bell.wait(state).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }

    /// Stops waiting; `Some`: a value that came at the last moment.
    pub(crate) fn leave(&self) -> Option<G> {
        match std::mem::replace(&mut *self.lock(), State::Left) {
            State::Served(value) => Some(value),
            _ => None,
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<G>> {
        // Nothing in here can panic half-way.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
