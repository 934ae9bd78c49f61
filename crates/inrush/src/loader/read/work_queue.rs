//! Where the lanes take their batches from, in order; lanes that are parked wait here.

use super::reader::Next;
use crate::loader::control::{Control, lock};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Condvar, Mutex};
use std::time::Duration;

/// The lanes' end of the reader's queue.
pub(crate) struct WorkQueue {
    /// `None` once no lane takes batches any more.
    batches: Mutex<Option<Receiver<Next>>>,
    /// The reader has ended, with or without an error.
    closed: AtomicBool,
    open: Mutex<Open>,
    changed: Condvar,
}

/// Which lanes may take batches.
struct Open {
    /// The first lanes, so many of them.
    lanes: usize,
    is_over: bool,
}

impl WorkQueue {
    pub(crate) fn new(batches: Receiver<Next>, lanes: usize) -> Self {
        Self {
            batches: Mutex::new(Some(batches)),
            closed: AtomicBool::new(false),
            open: Mutex::new(Open { lanes, is_over: false }),
            changed: Condvar::new(),
        }
    }

    /// Only the first `lanes` lanes take batches from now on.
    pub(crate) fn open_for(&self, lanes: usize) {
        lock(&self.open).lanes = lanes;
        self.changed.notify_all();
    }

    /// Whether the reader has ended, with or without an error, and everything it brought was taken.
    pub(crate) fn is_closed(&self) -> bool {
        self.closed.load(Relaxed)
    }

    /// Whether no lane will get another batch.
    pub(crate) fn is_over(&self) -> bool {
        lock(&self.open).is_over
    }

    /// The next batch for this lane; `None` if there is none, or the load is to end and the reader has none ready: batches come in
    /// order, so what it may still bring comes after the one that ends the load.
    pub(crate) fn next(&self, lane: usize, control: &Control) -> Option<Next> {
        let next = if self.wait_for_turn(lane) { self.take(control) } else { None };
        if next.is_none() {
            self.end();
        }
        next
    }

    /// No lane gets another batch.
    pub(crate) fn end(&self) {
        lock(&self.open).is_over = true;
        self.changed.notify_all();
    }

    /// Waits while the lane is parked. The first lane never is, so one lane always notices the end. Returns `false` if it is over.
    fn wait_for_turn(&self, lane: usize) -> bool {
        let mut open = lock(&self.open);
        while lane >= open.lanes && !open.is_over {
            open = self.changed.wait(open).unwrap_or_else(std::sync::PoisonError::into_inner);
        }
        !open.is_over
    }

    fn take(&self, control: &Control) -> Option<Next> {
        let mut batches = lock(&self.batches);
        loop {
            match batches.as_ref()?.recv_timeout(LOOK_EVERY) {
                Ok(next) => return Some(next),
                Err(RecvTimeoutError::Timeout) if control.wants_more() => {}
                Err(RecvTimeoutError::Timeout) => *batches = None,
                Err(RecvTimeoutError::Disconnected) => {
                    self.closed.store(true, Relaxed);
                    *batches = None;
                }
            }
        }
    }
}

/// How long an idle lane takes to notice that the load is to end.
const LOOK_EVERY: Duration = Duration::from_millis(100);
