//! The memory of rows under way, counted: batches in hand and the texts made of them. The reader waits while there is no room for
//! another batch, so memory follows the limit and not the speed of the server.

use super::control::lock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

/// The memory limit, and how much of it is reserved.
#[derive(Debug)]
pub(crate) struct Budget {
    limit: u64,
    reserved: Mutex<Reserved>,
    freed: Condvar,
    /// Bytes of memory that 1024 bytes of a source take: the most that was seen.
    memory_per_kib: AtomicU64,
}

/// What is reserved.
#[derive(Debug, Default)]
struct Reserved {
    bytes: u64,
    batches: usize,
    /// How much memory the batch needs that waits for it.
    wanted: Option<u64>,
}

impl Budget {
    pub(crate) fn new(limit: u64, held_per_byte: f64) -> Arc<Self> {
        let memory_per_kib = AtomicU64::new((held_per_byte * 1024.0) as u64);
        Arc::new(Self { limit, reserved: Mutex::default(), freed: Condvar::new(), memory_per_kib })
    }

    /// Waits until there is room for a batch of about `bytes` of a source, as long as `goes_on`. If nothing is reserved there is room for
    /// any one.
    pub(crate) fn wait_for(&self, bytes: u64, goes_on: impl Fn() -> bool) {
        let wanted = self.expected(bytes);
        let mut reserved = lock(&self.reserved);
        while reserved.bytes > 0 && reserved.bytes + wanted > self.limit && goes_on() {
            reserved.wanted = Some(wanted);
            reserved = self
                .freed
                .wait_timeout(reserved, LOOK_EVERY)
                .map_or_else(|e| e.into_inner().0, |(reserved, _)| reserved);
        }
        reserved.wanted = None;
    }

    /// Returns the memory that the next batch needs, if there is no room for it now although fewer batches are under way than there are lanes.
    pub(crate) fn lacks_memory_for(&self, lanes: usize) -> Option<u64> {
        let reserved = lock(&self.reserved);
        reserved.wanted.filter(|_| reserved.batches < lanes)
    }

    /// The memory limit, in bytes.
    pub(crate) fn limit(&self) -> u64 {
        self.limit
    }

    /// Reserves what a batch of `bytes` of a source is expected to take.
    pub(crate) fn reserve(self: &Arc<Self>, bytes: u64) -> Reservation {
        lock(&self.reserved).batches += 1;
        let mut reservation = Reservation { budget: self.clone(), bytes: 0 };
        reservation.set(self.expected(bytes));
        reservation
    }

    /// Learns that a batch of `bytes` of a source took `memory` bytes.
    pub(crate) fn learn(&self, bytes: u64, memory: u64) {
        self.memory_per_kib.fetch_max(memory.saturating_mul(1024) / bytes.max(1024), Relaxed);
    }

    fn expected(&self, bytes: u64) -> u64 {
        bytes.saturating_mul(self.memory_per_kib.load(Relaxed)) / 1024
    }

    #[cfg(test)]
    fn reserved(&self) -> u64 {
        lock(&self.reserved).bytes
    }
}

/// How long it takes to notice that the load is to end.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// The memory that is reserved for one chunk; given back when it is dropped.
#[derive(Debug)]
pub(crate) struct Reservation {
    budget: Arc<Budget>,
    bytes: u64,
}

impl Reservation {
    /// It takes this much, as it turned out.
    pub(crate) fn set(&mut self, bytes: u64) {
        let mut reserved = lock(&self.budget.reserved);
        reserved.bytes = reserved.bytes - self.bytes + bytes;
        if bytes < self.bytes {
            self.budget.freed.notify_one();
        }
        self.bytes = bytes;
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.set(0);
        lock(&self.budget.reserved).batches -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;
    use std::thread;
    use std::time::Instant;

    #[test]
    fn the_reader_waits_for_room() {
        let budget = Budget::new(100, 2.0);
        let mut first = budget.reserve(30);
        budget.wait_for(20, || true);
        assert_eq!((first.bytes(), budget.reserved()), (60, 60));
        first.set(70);
        let (waited, has_waited) = channel();
        let reader = {
            let budget = budget.clone();
            thread::spawn(move || {
                budget.wait_for(20, || true);
                waited.send(()).unwrap();
            })
        };
        // The budget records how much the reader needs only once the reader waits.
        let deadline = Instant::now() + Duration::from_secs(20);
        while budget.lacks_memory_for(2).is_none() {
            assert!(Instant::now() < deadline, "the reader does not wait");
            thread::yield_now();
        }
        assert_eq!(
            (budget.lacks_memory_for(1), budget.lacks_memory_for(2)),
            (None, Some(40)),
            "one batch is under way"
        );
        assert!(has_waited.try_recv().is_err(), "70 and 40 are more than 100");
        drop(first);
        has_waited.recv_timeout(Duration::from_secs(10)).unwrap();
        reader.join().unwrap();
        assert_eq!((budget.reserved(), budget.lacks_memory_for(1)), (0, None));
    }

    #[test]
    fn a_batch_larger_than_all_goes_alone() {
        let budget = Budget::new(100, 1.0);
        budget.wait_for(1000, || true);
        let _held = budget.reserve(1000);
        budget.wait_for(1, || false);
    }

    #[test]
    fn it_learns_what_rows_take() {
        let budget = Budget::new(100, 1.0);
        budget.learn(2048, 6144);
        budget.learn(2048, 4096);
        assert_eq!(budget.reserve(10).bytes(), 30);
    }
}
