//! The workers that write for the lanes of one or of many inserters: which lane has work, which worker is idle. A worker is a thread or a
//! task with a connection; a lane is a place in the queue of one inserter. So thousands of inserters can do with a few connections.
//!
//! Lanes take turns: one that wrote a batch comes after all others that have work.
//!
//! Invariant: a lane is in its slot, among those that are ready, or a worker has it; when the last worker is gone, so are all lanes, and
//! with them every row that was queued has its answer.

use crate::Result;
use crate::inserter::queue::WakeOrder;
use crate::inserter::shared::{Lane, Next, Shared, Taken, abandoned, closed};
use crate::waiter::Waiter;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Wake, Waker};

/// What all workers share.
pub(crate) struct Workers(Mutex<State>);

struct State {
    /// Lanes that have work, or may have some.
    ready: VecDeque<Arc<Slot>>,
    /// All lanes.
    slots: Vec<Arc<Slot>>,
    /// Workers without work.
    idle: Vec<Arc<Waiter<()>>>,
    n_workers: usize,
    /// The waiters until no worker is left.
    ends: Vec<Arc<Waiter<()>>>,
    /// Whether inserters may still be added.
    is_open: bool,
}

/// Where a lane is while no worker has it. Waking the lane puts it among those that are ready.
struct Slot {
    workers: Weak<Workers>,
    lane: Mutex<Option<Lane>>,
}

/// One of the workers. Its thread or task drops it at its end.
pub(crate) struct Worker(Arc<Workers>);

/// What a worker does next.
pub(crate) enum NextJob {
    Write(Held, Taken),
    /// A lane has nothing to do any more: its ledger is to be ended, and then the lane.
    Conclude(Held),
    /// Sleep until called.
    Rest(Arc<Waiter<()>>),
    End,
}

/// A lane that a worker has. The lane ends when this is dropped.
pub(crate) struct Held {
    workers: Arc<Workers>,
    slot: Arc<Slot>,
    /// `None` once it is put back.
    lane: Option<Lane>,
}

impl Workers {
    /// So many workers, each to be given a thread or a task.
    pub(crate) fn new(n: usize) -> (Arc<Self>, Vec<Worker>) {
        let state = State {
            ready: VecDeque::new(),
            slots: Vec::new(),
            idle: Vec::new(),
            n_workers: n,
            ends: Vec::new(),
            is_open: true,
        };
        let workers = Arc::new(Self(Mutex::new(state)));
        let each = (0..n).map(|_| Worker(Arc::clone(&workers))).collect();
        (workers, each)
    }

    /// Writes for this inserter as well.
    ///
    /// # Errors
    /// `Interrupted`: it is closed, or no worker is left.
    pub(crate) fn add(self: &Arc<Self>, inserter: &Arc<Shared>) -> Result<()> {
        // If it fails, they end with it: the inserter takes no rows.
        let lanes = (0..inserter.options.lanes).map(|number| Lane::new(inserter, number));
        let slots = lanes.map(|lane| Arc::new(Slot { workers: Arc::downgrade(self), lane: Mutex::new(Some(lane)) }));
        let slots: Vec<_> = slots.collect();
        let mut state = self.state();
        if !state.is_open {
            return Err(closed());
        }
        if state.n_workers == 0 {
            return Err(abandoned());
        }
        state.slots.extend(slots.iter().cloned());
        drop(state);
        slots.into_iter().for_each(|slot| self.ready(slot));
        Ok(())
    }

    /// Takes no more inserters. The workers end once all lanes have.
    pub(crate) fn close(&self) {
        let mut state = self.state();
        state.is_open = false;
        self.call_all_at_the_end(state);
    }

    /// Waits until the workers have ended and given their connections back. `None`: an inserter still exists.
    pub(crate) fn wait_for_end(&self) -> Option<Arc<Waiter<()>>> {
        let mut state = self.state();
        if !state.is_over() {
            return None;
        }
        let waiter = Arc::new(Waiter::new());
        match state.n_workers {
            0 => call(vec![Arc::clone(&waiter)]),
            _ => state.ends.push(Arc::clone(&waiter)),
        }
        Some(waiter)
    }

    /// A lane may have work, and a worker is called for it.
    fn ready(&self, slot: Arc<Slot>) {
        let mut state = self.state();
        if state.n_workers == 0 {
            return;
        }
        state.ready.push_back(slot);
        while let Some(waiter) = state.idle.pop() {
            // Waking is the expensive part: not under the lock.
            drop(state);
            if waiter.serve(()).is_ok() {
                return;
            }
            state = self.state();
        }
    }

    /// The lane of this slot ends.
    fn forget(&self, slot: &Arc<Slot>) {
        let mut state = self.state();
        state.slots.retain(|other| !Arc::ptr_eq(other, slot));
        self.call_all_at_the_end(state);
    }

    fn call_all_at_the_end(&self, mut state: MutexGuard<'_, State>) {
        if !state.is_over() {
            return;
        }
        let idle = std::mem::take(&mut state.idle);
        drop(state);
        call(idle);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing that runs under the lock can panic half-way.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn is_over(&self) -> bool {
        !self.is_open && self.slots.is_empty()
    }
}

impl Slot {
    fn lane(&self) -> MutexGuard<'_, Option<Lane>> {
        self.lane.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Wake for Slot {
    fn wake(self: Arc<Self>) {
        if let Some(workers) = self.workers.upgrade() {
            workers.ready(self);
        }
    }
}

impl Worker {
    /// What to do next; also after a call.
    pub(crate) fn next(&mut self) -> NextJob {
        loop {
            let slot = {
                let mut state = self.0.state();
                match state.ready.pop_front() {
                    Some(slot) => slot,
                    None if state.is_over() => return NextJob::End,
                    None => {
                        let waiter = Arc::new(Waiter::new());
                        state.idle.push(Arc::clone(&waiter));
                        return NextJob::Rest(waiter);
                    }
                }
            };
            let Some(lane) = slot.lane().take() else { continue };
            let mut held = Held { workers: Arc::clone(&self.0), slot, lane: Some(lane) };
            match held.lane_mut().next() {
                Next::Write(taken) => return NextJob::Write(held, taken),
                Next::Rest(waiter) => held.rest(&waiter),
                Next::End => return NextJob::Conclude(held),
            }
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.n_workers -= 1;
        if state.n_workers > 0 {
            return;
        }
        state.ready.clear();
        let slots = std::mem::take(&mut state.slots);
        let ends = std::mem::take(&mut state.ends);
        drop(state);
        call(ends);
        for slot in slots {
            // This reports to its callers.
            let lane = slot.lane().take();
            drop(lane);
        }
    }
}

impl Held {
    pub(crate) fn lane_mut(&mut self) -> &mut Lane {
        self.lane.as_mut().unwrap_or_else(|| unreachable!("a lane is there until it is put back"))
    }

    /// The lane wrote what it had; perhaps there is more. Its worker checks at once, after the other lanes that are ready, so no worker is called.
    pub(crate) fn put_back(mut self) {
        *self.slot.lane() = self.lane.take();
        self.workers.state().ready.push_back(Arc::clone(&self.slot));
    }

    /// The lane sleeps until its waiter is called.
    fn rest(mut self, waiter: &Waiter<WakeOrder>) {
        *self.slot.lane() = self.lane.take();
        let waker = Waker::from(Arc::clone(&self.slot));
        if waiter.poll(&mut Context::from_waker(&waker)).is_ready() {
            self.workers.state().ready.push_back(Arc::clone(&self.slot));
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if let Some(lane) = self.lane.take() {
            // In this order: a caller that waited for the end of the lane may wait for that of the workers next.
            self.workers.forget(&self.slot);
            drop(lane);
        }
    }
}

fn call(waiters: Vec<Arc<Waiter<()>>>) {
    for waiter in waiters {
        // A waiter that is gone need not be woken.
        let _ = waiter.serve(());
    }
}

#[cfg(test)]
mod tests;
