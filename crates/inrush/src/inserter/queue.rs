//! An inserter's queue: which rows are sent together, who waits for room, which lane has work, when a flush is over. No lock, no
//! clock, no socket in here.
//!
//! Rows are put into batches as they come: the last batch takes rows until it is full, has a lane's share, or a lane takes it. A lane
//! that is free takes the first batch at once, however small: there is no batching delay. What comes while all lanes are busy forms the
//! next batch.
//!
//! Invariant: while there is room no caller waits for it, and while there is a batch no lane sleeps that was not called
//! (`settled`, checked in tests).

use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// A queue of batches `B`, and of waiters `W`.
#[derive(Debug)]
pub(crate) struct Queue<B, W> {
    limits: Limits,
    forming: VecDeque<Forming<B>>,
    next_batch: u64,
    /// The numbers of batches whose rows have no answer yet.
    open: BTreeSet<u64>,
    queued: Size,
    /// Rows that are counted in and are in no batch yet.
    n_entering: usize,
    n_in_flight: usize,
    /// The callers that wait for room, by the number drawn: the smallest came first.
    blocked: BTreeMap<u64, BlockedProducer<W>>,
    next_number: u64,
    /// Lanes without work, by their numbers.
    idle: Vec<(usize, W)>,
    /// Lanes that were called and have not requested work yet.
    called: Vec<usize>,
    n_lanes: usize,
    /// The waiters for the end of all batches up to this one.
    flushes: Vec<(u64, W)>,
    /// The waiters until no lane is left.
    ends: Vec<W>,
    life: Life,
}

/// How much a batch may hold, and how much may wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Limits {
    /// A batch is full with so much; a larger row is one of its own.
    pub(crate) batch: Size,
    /// So much may wait for a lane; a larger row may wait alone.
    pub(crate) queue: Size,
}

/// So many rows of so many bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Size {
    pub(crate) rows: usize,
    pub(crate) bytes: usize,
}

/// The answer to a caller that brings a row.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Admission {
    /// It is counted in: [`Queue::place`] it.
    Enter,
    /// Wait, under a number of [`Queue::wait`].
    Wait,
    /// No more rows are taken.
    Closed,
}

/// The answer to a lane that requests work.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Work<B> {
    /// This batch, under this number.
    Batch(u64, B),
    /// None: [`Queue::rest`] until called.
    Nothing,
    /// None, and there will be none.
    End,
}

/// Why a waiter is woken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WakeOrder {
    /// A caller with a row: it is counted in, with so many bytes.
    Enter(usize),
    /// A lane: check for work.
    Look,
    /// What was waited for is over.
    Over,
    /// No more rows are taken.
    Closed,
}

#[derive(Debug)]
struct Forming<B> {
    number: u64,
    size: Size,
    batch: B,
}

#[derive(Debug)]
struct BlockedProducer<W> {
    bytes: usize,
    who: W,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Life {
    Open,
    /// No more rows are taken; queued rows are written.
    Closing,
    /// No lane is left to write.
    Ended,
}

impl<B, W> Queue<B, W> {
    pub(crate) fn new(limits: Limits, n_lanes: usize) -> Self {
        Self {
            limits,
            forming: VecDeque::new(),
            next_batch: 0,
            open: BTreeSet::new(),
            queued: Size::default(),
            n_entering: 0,
            n_in_flight: 0,
            blocked: BTreeMap::new(),
            next_number: 0,
            idle: Vec::new(),
            called: Vec::new(),
            n_lanes,
            flushes: Vec::new(),
            ends: Vec::new(),
            life: Life::Open,
        }
    }

    /// A caller brings a row of so many bytes.
    pub(crate) fn admit(&mut self, bytes: usize) -> Admission {
        match self.life {
            Life::Open if self.blocked.is_empty() && self.has_room(bytes) => {
                self.count_in(bytes);
                Admission::Enter
            }
            Life::Open => Admission::Wait,
            Life::Closing | Life::Ended => Admission::Closed,
        }
    }

    /// From now on no batch has more rows than that.
    pub(crate) fn limit_rows(&mut self, n: usize) {
        self.limits.batch.rows = self.limits.batch.rows.min(n);
    }

    /// Waits for room for a row.
    pub(crate) fn wait(&mut self, bytes: usize, who: W) -> u64 {
        let number = self.next_number;
        self.next_number += 1;
        self.blocked.insert(number, BlockedProducer { bytes, who });
        number
    }

    /// Gives up waiting for room, if there was none yet.
    pub(crate) fn leave(&mut self, number: u64) {
        self.blocked.remove(&number);
    }

    /// A row that was counted in does not come after all.
    pub(crate) fn forgo(&mut self, bytes: usize) {
        self.n_entering -= 1;
        self.queued.rows -= 1;
        self.queued.bytes -= bytes;
    }

    /// The batch of a row that was counted in, and its place there. `None`: in the meantime everything ended.
    pub(crate) fn place(&mut self, bytes: usize, make: impl FnOnce() -> B) -> Option<(&mut B, usize)> {
        if self.life == Life::Ended {
            self.forgo(bytes);
            return None;
        }
        self.n_entering -= 1;
        let limit = Size { rows: self.share(), ..self.limits.batch };
        let takes_it = |last: &Forming<B>| last.size.rows < limit.rows && last.size.bytes + bytes <= limit.bytes;
        if !self.forming.back().is_some_and(takes_it) {
            let number = self.next_batch;
            self.next_batch += 1;
            self.open.insert(number);
            self.forming.push_back(Forming { number, size: Size::default(), batch: make() });
        }
        self.forming.back_mut().map(|last| {
            let row = last.size.rows;
            last.size.rows += 1;
            last.size.bytes += bytes;
            (&mut last.batch, row)
        })
    }

    /// A lane requests work, because it is new, was called, or has finished a batch.
    pub(crate) fn work(&mut self, lane: usize) -> Work<B> {
        self.is_here(lane);
        match self.forming.pop_front() {
            Some(Forming { number, size, batch }) => {
                self.queued.rows -= size.rows;
                self.queued.bytes -= size.bytes;
                self.n_in_flight += size.rows;
                Work::Batch(number, batch)
            }
            None if self.life == Life::Open || self.n_entering > 0 => Work::Nothing,
            None => Work::End,
        }
    }

    /// A lane without work waits to be called.
    pub(crate) fn rest(&mut self, lane: usize, who: W) {
        self.idle.push((lane, who));
    }

    /// Undoes a call whose receiver is gone.
    pub(crate) fn undo(&mut self, call: WakeOrder) {
        match call {
            WakeOrder::Enter(bytes) => self.forgo(bytes),
            // A lane that is gone reports that itself.
            WakeOrder::Look | WakeOrder::Over | WakeOrder::Closed => {}
        }
    }

    /// All rows of a batch have their answer.
    pub(crate) fn answered(&mut self, number: u64, n_rows: usize) {
        self.open.remove(&number);
        self.n_in_flight -= n_rows;
    }

    /// A lane is gone. Once the last one is, everything queued is handed over: no lane will write it.
    pub(crate) fn lane_ended(&mut self, lane: usize) -> Vec<B> {
        self.n_lanes -= 1;
        self.is_here(lane);
        if self.n_lanes > 0 {
            return Vec::new();
        }
        self.life = Life::Ended;
        let left = std::mem::take(&mut self.forming);
        for Forming { number, size, .. } in &left {
            self.queued.rows -= size.rows;
            self.queued.bytes -= size.bytes;
            self.open.remove(number);
        }
        left.into_iter().map(|forming| forming.batch).collect()
    }

    /// Takes no more rows. Those that are queued are written.
    pub(crate) fn close(&mut self) {
        if self.life == Life::Open {
            self.life = Life::Closing;
        }
    }

    /// Waits until every row that is here now has its answer.
    pub(crate) fn flush(&mut self, who: W) {
        self.flushes.push((self.next_batch, who));
    }

    /// Waits until no lane is left.
    pub(crate) fn wait_for_end(&mut self, who: W) {
        self.ends.push(who);
    }

    /// Returns the next waiter to call, and why. Call this after each of the methods above, until it returns `None`.
    pub(crate) fn serve(&mut self) -> Option<(W, WakeOrder)> {
        if let Some(blocked) = self.blocked.first_entry() {
            let bytes = blocked.get().bytes;
            match self.life {
                Life::Open if self.has_room(bytes) => {
                    self.count_in(bytes);
                    return self.blocked.pop_first().map(|(_, blocked)| (blocked.who, WakeOrder::Enter(bytes)));
                }
                Life::Open => {}
                Life::Closing | Life::Ended => {
                    return self.blocked.pop_first().map(|(_, blocked)| (blocked.who, WakeOrder::Closed));
                }
            }
        }
        let is_over = self.life != Life::Open && self.n_entering == 0;
        if (self.forming.len() > self.called.len() || is_over)
            && let Some((lane, who)) = self.idle.pop()
        {
            self.called.push(lane);
            return Some((who, WakeOrder::Look));
        }
        if self.n_lanes == 0
            && let Some(who) = self.ends.pop()
        {
            return Some((who, WakeOrder::Over));
        }
        let first_open = self.open.first().copied().unwrap_or(u64::MAX);
        let at = self.flushes.iter().position(|(end, _)| *end <= first_open)?;
        Some((self.flushes.swap_remove(at).1, WakeOrder::Over))
    }

    /// Whether rows are still taken.
    pub(crate) fn is_open(&self) -> bool {
        self.life == Life::Open
    }

    /// What waits for a lane.
    pub(crate) fn queued(&self) -> Size {
        self.queued
    }

    /// How many rows are being written.
    pub(crate) fn n_in_flight(&self) -> usize {
        self.n_in_flight
    }

    /// How many wait for room.
    pub(crate) fn n_blocked(&self) -> usize {
        self.blocked.len()
    }

    /// The most rows of the batch that forms: a lane's share of all rows in the inserter. Otherwise one lane takes all of them and the
    /// others are idle; and while its callers are woken and bring their next rows, the server has nothing to do.
    fn share(&self) -> usize {
        let n_here = self.queued.rows + self.n_in_flight;
        n_here.div_ceil(self.n_lanes.max(1)).max(MIN_SHARE).min(self.limits.batch.rows)
    }

    /// Marks a lane as neither called nor idle.
    fn is_here(&mut self, lane: usize) {
        self.called.retain(|number| *number != lane);
        self.idle.retain(|(number, _)| *number != lane);
    }

    fn has_room(&self, bytes: usize) -> bool {
        let Size { rows, bytes: limit } = self.limits.queue;
        self.queued.rows == 0 || (self.queued.rows < rows && self.queued.bytes.saturating_add(bytes) <= limit)
    }

    fn count_in(&mut self, bytes: usize) {
        self.n_entering += 1;
        self.queued.rows += 1;
        self.queued.bytes += bytes;
    }

    #[cfg(test)]
    fn settled(&self) -> bool {
        let nobody_waits_in_vain = match self.blocked.first_key_value() {
            Some((_, blocked)) => self.life == Life::Open && !self.has_room(blocked.bytes),
            None => true,
        };
        nobody_waits_in_vain && (self.idle.is_empty() || self.forming.len() <= self.called.len())
    }
}

/// Fewer rows than that are not worth a commit of their own while there are more.
const MIN_SHARE: usize = 32;

#[cfg(test)]
mod tests;
