//! What a load shares with those who watch or stop it: counters, the stop request, and each lane's state.
//!
//! Has only atomics and short locks; no decision, and no I/O except that `abort` shuts down sockets.

use crate::blocking::Aborter;
use inrush_core::load::lag::Progress;
use inrush_core::load::slow::LoadWaits;
use std::fmt;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// A handle on a running load: watch it, stop it, abort it. Threads share it by reference count.
pub struct Control {
    started: Instant,
    stop: AtomicBool,
    aborted: AtomicBool,
    yields: Mutex<Yields>,
    /// What lanes may have taken before the reader waits; [`UNKNOWN`] without a limit.
    most_taken: AtomicU64,
    /// How large a batch may be for the sake of others.
    most_batch: AtomicUsize,
    waited: Mutex<LoadWaits>,
    /// Chunks after this one are not to be committed: a bad row was found in it, or it could not be stored.
    stop_after: AtomicU64,
    pub(super) read: AtomicU64,
    pub(super) stored: AtomicU64,
    pub(super) skipped: AtomicU64,
    pub(super) rejected: AtomicU64,
    pub(super) bytes: AtomicU64,
    /// Bytes that the reader has handed to lanes.
    pub(super) taken_bytes: AtomicU64,
    pub(super) settled_bytes: AtomicU64,
    /// [`UNKNOWN`] if the sources do not know it.
    left: AtomicU64,
    pub(super) resumed: AtomicU64,
    /// Records that were read to be sorted; they are read once more when they are loaded.
    gathered: AtomicU64,
    pub(super) chunks: AtomicU64,
    pub(super) lanes: Mutex<Vec<LaneState>>,
    /// Aborters of connections that are not the lanes'.
    others: Mutex<Vec<Aborter>>,
}

/// What a load has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// Records read.
    pub read: u64,
    /// Rows committed.
    pub stored: u64,
    /// Rows that the mode left out.
    pub skipped: u64,
    /// Records refused and left out.
    pub rejected: u64,
    /// Bytes of (decompressed) text read.
    pub bytes: u64,
    /// Those of them whose chunk has an outcome: it is committed, or will not be. The others are in progress.
    pub settled_bytes: u64,
    /// About how many bytes of text are still to be read, if the sources know. Earlier runs have stored none of them.
    pub left: Option<u64>,
    /// The part of `stored` that earlier runs have committed.
    pub resumed: u64,
    /// Records that were read so far to be sorted; 0 as soon as they are, or if they are not.
    pub gathered: u64,
    /// Transactions committed.
    pub chunks: u64,
    /// Connections in use.
    pub lanes: usize,
    /// For how long the load has yielded to others (`--throttle`, `--max-lag`).
    pub yielded: Duration,
    /// Since when it yields now; `None`: it does not.
    pub yields_for: Option<Duration>,
}

/// The times in which nothing more was to be read.
#[derive(Default)]
struct Yields {
    /// Since when that is so now.
    since: Option<Instant>,
    /// For how long it was so before.
    before: Duration,
}

/// What a lane waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// Its number, counted from 1.
    pub lane: usize,
    /// Its connection, as the server numbers it.
    pub connection_id: u32,
    /// Which answer, and since when; `None` while it waits only for this program.
    pub waits: Option<(&'static str, Duration)>,
}

/// A lane as others see it.
#[derive(Default)]
pub(super) struct LaneState {
    pub(super) connection_id: u32,
    /// What it waits for, and since when; `None` while it waits only for this program.
    pub(super) waiting: Option<(&'static str, Instant)>,
    /// When the silence was last reported.
    pub(super) told: Option<Instant>,
    pub(super) aborter: Option<Aborter>,
    /// Time spent on its transactions rather than on their rows, since it was last taken.
    pub(super) fixed: Duration,
    /// The shortest time that a line of the ledger took.
    pub(super) trip: Option<Duration>,
    /// It takes no more batches for now.
    pub(super) is_parked: bool,
}

/// The names of waits that belong to the transaction rather than to its rows.
const OF_THE_TRANSACTION: [&str; 2] = ["COMMIT", LINES];

/// The same of the lines that a chunk writes into the ledger.
pub(super) const LINES: &str = "its lines in the ledger";

const UNKNOWN: u64 = u64::MAX;

impl Default for Control {
    fn default() -> Self {
        Self {
            started: Instant::now(),
            stop: AtomicBool::new(false),
            aborted: AtomicBool::new(false),
            yields: Mutex::default(),
            most_taken: AtomicU64::new(UNKNOWN),
            most_batch: AtomicUsize::new(usize::MAX),
            waited: Mutex::default(),
            stop_after: AtomicU64::new(u64::MAX),
            read: AtomicU64::new(0),
            stored: AtomicU64::new(0),
            skipped: AtomicU64::new(0),
            rejected: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
            taken_bytes: AtomicU64::new(0),
            settled_bytes: AtomicU64::new(0),
            left: AtomicU64::new(UNKNOWN),
            resumed: AtomicU64::new(0),
            gathered: AtomicU64::new(0),
            chunks: AtomicU64::new(0),
            lanes: Mutex::new(Vec::new()),
            others: Mutex::new(Vec::new()),
        }
    }
}

impl Control {
    /// Requests an orderly end: chunks whose rows are in flight are committed, nothing new is begun.
    pub fn stop(&self) {
        self.stop.store(true, Relaxed);
    }

    /// Ends it at once: every connection is shut down. The outcome of chunks whose COMMIT was not answered yet is unknown.
    pub fn abort(&self) {
        self.stop();
        self.aborted.store(true, Relaxed);
        for lane in lock(&self.lanes).iter() {
            if let Some(aborter) = &lane.aborter {
                aborter.abort();
            }
        }
        lock(&self.others).iter().for_each(Aborter::abort);
    }

    /// Whether a stop was requested.
    pub fn is_stopping(&self) -> bool {
        self.stop.load(Relaxed)
    }

    /// Whether an abort was requested.
    pub fn is_aborted(&self) -> bool {
        self.aborted.load(Relaxed)
    }

    /// What has been done so far.
    pub fn snapshot(&self) -> Snapshot {
        let yields_for = lock(&self.yields).since.map(|since| since.elapsed());
        Snapshot {
            read: self.read.load(Relaxed),
            stored: self.stored.load(Relaxed),
            skipped: self.skipped.load(Relaxed),
            rejected: self.rejected.load(Relaxed),
            bytes: self.bytes.load(Relaxed),
            settled_bytes: self.settled_bytes.load(Relaxed),
            left: Some(self.left.load(Relaxed)).filter(|left| *left != UNKNOWN),
            resumed: self.resumed.load(Relaxed),
            gathered: self.gathered.load(Relaxed),
            chunks: self.chunks.load(Relaxed),
            lanes: lock(&self.lanes).iter().filter(|lane| !lane.is_parked).count(),
            yielded: self.yielded(),
            yields_for,
        }
    }

    /// What each connection waits for, if it does.
    pub fn waiting(&self) -> Vec<Waiting> {
        let lanes = lock(&self.lanes);
        lanes
            .iter()
            .enumerate()
            .map(|(number, lane)| Waiting {
                lane: number + 1,
                connection_id: lane.connection_id,
                waits: lane.waiting.map(|(what, since)| (what, since.elapsed())),
            })
            .collect()
    }

    /// Time since the load began.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Says that nothing after chunk `number` may be committed any more.
    pub(super) fn stop_after(&self, number: u64) {
        self.stop_after.fetch_min(number, Relaxed);
    }

    /// Whether a chunk may still be begun (and committed): nothing before it stopped the load.
    pub(super) fn wants(&self, number: u64) -> bool {
        number <= self.stop_after.load(Relaxed)
    }

    /// Like [`wants`](Self::wants), and no stop was requested.
    pub(super) fn wants_now(&self, number: u64) -> bool {
        self.wants(number) && !self.is_stopping()
    }

    /// Whether the reader should read on.
    pub(super) fn wants_more(&self) -> bool {
        !self.is_stopping() && self.stop_after.load(Relaxed) == u64::MAX
    }

    /// Whether the load yields to others.
    pub(super) fn is_yielding(&self) -> bool {
        lock(&self.yields).since.is_some()
    }

    /// Whether the reader should wait before it hands on a batch: the load yields, or enough is on its way to replicas until they are read again.
    pub(super) fn holds_back(&self) -> bool {
        self.is_yielding() || self.taken_bytes.load(Relaxed) >= self.most_taken.load(Relaxed)
    }

    /// Limits what is on its way to replicas: the bytes that lanes may have taken, from the start of the load on, and those of a batch.
    pub(super) fn limit(&self, most_taken: Option<u64>, most_batch: usize) {
        self.most_taken.store(most_taken.unwrap_or(UNKNOWN), Relaxed);
        self.most_batch.store(most_batch, Relaxed);
    }

    /// How many bytes a batch may have for the sake of others.
    pub(super) fn most_batch(&self) -> usize {
        self.most_batch.load(Relaxed)
    }

    /// What was handed to lanes, and what they have settled.
    pub(super) fn progress(&self) -> Progress {
        let settled = self.settled_bytes.load(Relaxed);
        Progress { taken: self.taken_bytes.load(Relaxed), settled }
    }

    /// The load yields to others from now on.
    pub(super) fn begin_yielding(&self) {
        lock(&self.yields).since.get_or_insert_with(Instant::now);
    }

    /// It yields no longer. Returns for how long it did.
    pub(super) fn end_yielding(&self) -> Duration {
        let mut yields = lock(&self.yields);
        let waited = yields.since.take().map_or(Duration::ZERO, |since| since.elapsed());
        yields.before += waited;
        waited
    }

    /// For how long the load has yielded to others (`--throttle`, `--max-lag`) until now.
    pub fn yielded(&self) -> Duration {
        let yields = lock(&self.yields);
        yields.before + yields.since.map_or(Duration::ZERO, |since| since.elapsed())
    }

    /// Adds to what the load waited for.
    pub(super) fn count_waits(&self, add: impl FnOnce(&mut LoadWaits)) {
        add(&mut lock(&self.waited));
    }

    /// What the load waited for so far.
    pub(super) fn waited(&self) -> LoadWaits {
        *lock(&self.waited)
    }

    /// Has an abort end a connection that belongs to no lane.
    pub(super) fn aborts(&self, aborter: Aborter) {
        let mut others = lock(&self.others);
        // An abort that came while it was connecting must reach it too.
        if self.is_aborted() {
            aborter.abort();
        }
        others.push(aborter);
    }

    /// Sets how many bytes of text are still to be read, if the sources know.
    pub(super) fn set_left(&self, left: Option<u64>) {
        self.left.store(left.unwrap_or(UNKNOWN), Relaxed);
    }

    /// A chunk was read to be sorted.
    pub(super) fn gather(&self, records: u64, bytes: u64) {
        self.gathered.fetch_add(records, Relaxed);
        self.bytes.fetch_add(bytes, Relaxed);
    }

    /// The sort has come to its end, and the load begins. Returns how many bytes of text were read for it.
    pub(super) fn forget_gathered(&self) -> u64 {
        self.gathered.store(0, Relaxed);
        self.bytes.swap(0, Relaxed)
    }

    /// The load ends while rows are sorted: they were read, and none of them was sent.
    pub(super) fn count_gathered(&self) {
        self.read.fetch_max(self.gathered.load(Relaxed), Relaxed);
    }

    /// A chunk of so many bytes was read.
    pub(super) fn count_read(&self, records: u64, bytes: u64) {
        self.read.fetch_add(records, Relaxed);
        self.bytes.fetch_add(bytes, Relaxed);
        let left = self.left.load(Relaxed);
        if left != UNKNOWN {
            // Only the reader writes it.
            self.left.store(left.saturating_sub(bytes), Relaxed);
        }
    }

    pub(super) fn set_lane(&self, lane: usize, connection_id: u32, aborter: Aborter) {
        let mut lanes = lock(&self.lanes);
        if lanes.len() <= lane {
            lanes.resize_with(lane + 1, LaneState::default);
        }
        // An abort that came while this lane was connecting must reach it too.
        if self.aborted.load(Relaxed) {
            aborter.abort();
        }
        let state = &mut lanes[lane];
        state.connection_id = connection_id;
        state.aborter = Some(aborter);
        (state.waiting, state.told) = (None, None);
    }

    /// Says that lanes from this number on take no more batches for now.
    pub(super) fn park_from(&self, first: usize) {
        for (number, lane) in lock(&self.lanes).iter_mut().enumerate() {
            lane.is_parked = number >= first;
        }
    }

    pub(super) fn waits(&self, lane: usize, what: Option<&'static str>) {
        if let Some(state) = lock(&self.lanes).get_mut(lane) {
            let now = Instant::now();
            if let Some((what, since)) = state.waiting.filter(|(what, _)| OF_THE_TRANSACTION.contains(what)) {
                let took = now.duration_since(since);
                state.fixed += took;
                if what == LINES {
                    state.trip = Some(state.trip.map_or(took, |least| least.min(took)));
                }
            }
            state.waiting = what.map(|what| (what, now));
            state.told = None;
        }
    }
}

impl fmt::Debug for Control {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Control").field("done", &self.snapshot()).field("is_stopping", &self.is_stopping()).finish()
    }
}

/// Locks, also after a panic elsewhere: every value that these locks protect is complete after each statement.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_under_way_counts_as_yielded() {
        let control = Control::default();
        assert_eq!((control.is_yielding(), control.yielded()), (false, Duration::ZERO));
        control.begin_yielding();
        let under_way = control.yielded();
        control.begin_yielding();
        assert!(control.is_yielding() && control.yielded() >= under_way);
        let waited = control.end_yielding();
        assert!(waited >= under_way);
        assert_eq!((control.is_yielding(), control.yielded()), (false, waited));
        assert_eq!(control.end_yielding(), Duration::ZERO);
    }
}
