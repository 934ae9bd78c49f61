//! Where the callers of one batch find their answers: one lock and one bell for all of them, a slot a row. A caller is a task or
//! a thread; a caller that is gone leaves its slot, and its row is still written.

use crate::inserter::Inserted;
use crate::{Error, Result};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

/// The answers to the rows of one batch.
pub(crate) struct Answers {
    slots: Mutex<Vec<Slot>>,
    /// For threads. Nearly all of them get their answers at the same moment, so one bell is enough.
    bell: Condvar,
    unreported: Arc<UnreportedErrors>,
}

enum Slot {
    /// The caller has not come for it yet.
    Fresh,
    Task(Waker),
    Thread,
    Told(Result<Inserted>),
    /// The caller got it, or does not need it any more.
    Left,
}

/// A caller's right to the answer to one row. When it is dropped, it leaves the slot.
pub(crate) struct Ticket {
    answers: Arc<Answers>,
    row: usize,
    /// Whether the answer was taken.
    is_used: bool,
}

/// Bad answers of one inserter that no caller received: how many, and the first.
#[derive(Debug, Default)]
pub(crate) struct UnreportedErrors(Mutex<(usize, Option<Error>)>);

impl UnreportedErrors {
    fn add(&self, error: Error) {
        let (n, first) = &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *n += 1;
        first.get_or_insert(error);
    }

    /// Returns them and forgets them: the caller reports them.
    pub(crate) fn take(&self) -> Option<(usize, Error)> {
        let (n, first) = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        first.map(|first| (n, first))
    }
}

impl Answers {
    pub(crate) fn new(unreported: &Arc<UnreportedErrors>) -> Self {
        Self { slots: Mutex::new(Vec::new()), bell: Condvar::new(), unreported: Arc::clone(unreported) }
    }

    /// The right to the answer to this row; for each row there is one.
    pub(crate) fn ticket(self: &Arc<Self>, row: usize) -> Ticket {
        Ticket { answers: Arc::clone(self), row, is_used: false }
    }

    /// Delivers the answers to all `n_rows`, once, and wakes the callers that wait.
    pub(crate) fn tell(&self, n_rows: usize, mut answer: impl FnMut(usize) -> Result<Inserted>) {
        let mut wakers = Vec::with_capacity(n_rows);
        let mut has_threads = false;
        let mut slots = self.slots();
        slots.resize_with(n_rows, || Slot::Fresh);
        for (row, slot) in slots.iter_mut().enumerate() {
            let answer = answer(row);
            match std::mem::replace(slot, Slot::Left) {
                Slot::Left => {
                    answer.map_or_else(|error| self.unreported.add(error), drop);
                    continue;
                }
                Slot::Task(waker) => wakers.push(waker),
                Slot::Thread => has_threads = true,
                Slot::Fresh | Slot::Told(_) => {}
            }
            *slot = Slot::Told(answer);
        }
        // Waking is the expensive part: not under the lock.
        drop(slots);
        if has_threads {
            self.bell.notify_all();
        }
        wakers.into_iter().for_each(Waker::wake);
    }

    fn slots(&self) -> MutexGuard<'_, Vec<Slot>> {
        // Nothing in here can panic half-way.
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Ticket {
    /// Waits in a task. Must not be called again once it was ready.
    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Result<Inserted>> {
        let mut slots = self.answers.slots();
        let slot = slot(&mut slots, self.row);
        match std::mem::replace(slot, Slot::Left) {
            Slot::Told(answer) => {
                self.is_used = true;
                Poll::Ready(answer)
            }
            Slot::Task(waker) if waker.will_wake(cx.waker()) => {
                *slot = Slot::Task(waker);
                Poll::Pending
            }
            _ => {
                *slot = Slot::Task(cx.waker().clone());
                Poll::Pending
            }
        }
    }

    /// Waits in a thread.
    pub(crate) fn wait(mut self) -> Result<Inserted> {
        let mut slots = self.answers.slots();
        loop {
            let slot = slot(&mut slots, self.row);
            if let Slot::Told(answer) = std::mem::replace(slot, Slot::Thread) {
                *slot = Slot::Left;
                self.is_used = true;
                return answer;
            }
            slots = self.answers.bell.wait(slots).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        if self.is_used {
            return;
        }
        let before = std::mem::replace(slot(&mut self.answers.slots(), self.row), Slot::Left);
        if let Slot::Told(Err(error)) = before {
            self.answers.unreported.add(error);
        }
    }
}

fn slot(slots: &mut Vec<Slot>, row: usize) -> &mut Slot {
    if slots.len() <= row {
        slots.resize_with(row + 1, || Slot::Fresh);
    }
    &mut slots[row]
}

#[cfg(test)]
mod tests;
