//! The tuner at work: its limits from the options, what chunks cost handed to it, its decisions carried out and kept for the report.

use crate::loader::budget::Budget;
use crate::loader::control::{Control, LaneState, lock};
use crate::loader::options::{BatchSize, LoadOptions};
use crate::loader::report::event::LoadEvent;
use inrush_core::load::tuner::memory::batches;
use inrush_core::load::tuner::trace::Line;
use inrush_core::load::tuner::{Ack, Limits, Tuned, Tuner};
use inrush_core::write::Method;
use inrush_core::{Error, Result};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::thread::available_parallelism;
use std::time::Duration;

/// How the rows come, as far as lanes and chunks depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// As in the source.
    AsTheyCome,
    /// Sorted by the key.
    Sorted,
    /// The same, into a table that a second lane would make larger and hardly faster.
    SortedForOneLane,
}

/// What is known of a load before its first chunk.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Before {
    /// The most that one transaction takes.
    pub(crate) transaction_bytes: usize,
    pub(crate) order: Order,
    /// A lane's statement would keep another one waiting until it ends: a lane begins alone.
    pub(crate) is_serial: bool,
    /// The methods to compare while it is not known which one is faster.
    pub(crate) methods: Option<[Method; 2]>,
}

/// What all lanes share of it.
pub(crate) struct Tuning {
    state: Mutex<State>,
    /// The methods that are tried, or were. What one of them has encoded may be sent, until the server refuses it.
    tried: Mutex<Option<[Method; 2]>>,
    budget: Arc<Budget>,
    batch: BatchSize,
    /// As many bytes as a batch may have before the server refuses it as a whole, as far as that is known.
    largest: AtomicUsize,
    /// Bytes that are still to be read; [`UNKNOWN`] if the sources do not know.
    left: AtomicU64,
}

struct State {
    tuner: Tuner,
    told: Vec<Tuned>,
    trace: Option<BufWriter<File>>,
}

impl Tuning {
    pub(crate) fn new(options: &LoadOptions, before: Before) -> Result<Self> {
        let limits = limits(options, before);
        let tuner = Tuner::new(limits);
        let budget = Budget::new(options.memory as u64, tuner.held_per_byte());
        let trace = options.tuning_trace.as_ref().map(|path| {
            let doing = || format!("cannot write `{}`", path.display());
            File::create(path).map(BufWriter::new).map_err(|error| Error::io(doing(), error))
        });
        let mut state = State { tuner, told: Vec::new(), trace: trace.transpose()? };
        state.write(&Line::Limits(limits));
        Ok(Self {
            state: Mutex::new(state),
            tried: limits.methods.into(),
            budget,
            batch: options.batch.at_most(before.transaction_bytes),
            largest: usize::MAX.into(),
            left: UNKNOWN.into(),
        })
    }

    /// How many lanes are to be used now.
    pub(crate) fn lanes(&self) -> usize {
        lock(&self.state).tuner.lanes()
    }

    /// The method of the next chunk that is prepared, while methods are tried.
    pub(crate) fn next_method(&self) -> Option<Method> {
        lock(&self.state).tuner.next_method()
    }

    /// Whether what was encoded for this method may be sent though it is not the chosen one.
    pub(crate) fn tries(&self, method: Method) -> bool {
        lock(&self.tried).is_some_and(|methods| methods.contains(&method))
    }

    /// The server has refused one of the methods.
    pub(crate) fn no_more_trials(&self) {
        *lock(&self.tried) = None;
        lock(&self.state).tuner.no_more_trials();
    }

    /// How many bytes of text a batch is to have now; `None` where its source decides.
    pub(crate) fn batch_bytes(&self) -> Option<usize> {
        match self.batch {
            BatchSize::Rows(_) => None,
            BatchSize::Bytes(bytes) => Some(bytes),
            BatchSize::Auto => Some(lock(&self.state).tuner.batch_bytes().min(self.largest.load(Relaxed))),
        }
    }

    /// The server has refused a batch of this size: those to come are made so much smaller that its halves would be taken.
    pub(crate) fn refused(&self, bytes: usize) {
        self.largest.fetch_min(bytes / 4 * 3, Relaxed);
    }

    /// How many bytes are still to be read, if the sources know.
    pub(crate) fn left(&self) -> Option<u64> {
        Some(self.left.load(Relaxed)).filter(|left| *left != UNKNOWN)
    }

    /// Sets how many bytes are still to be read, if the sources know.
    pub(crate) fn set_left(&self, left: Option<u64>) {
        self.left.store(left.unwrap_or(UNKNOWN), Relaxed);
    }

    /// Whether a batch may be smaller than the tuner says, for the sake of a rate or near the end.
    pub(crate) fn may_shrink_batches(&self) -> bool {
        self.batch == BatchSize::Auto
    }

    /// Returns the event for a lane that has no batch because there is no memory for one of the requested size.
    pub(crate) fn shortage(&self) -> Option<LoadEvent> {
        if self.may_shrink_batches() {
            return None;
        }
        let lanes = self.lanes();
        let takes = self.budget.lacks_memory_for(lanes)?;
        let enough = takes * batches(lanes) as u64;
        Some(LoadEvent::ShortOfMemory { lanes, takes, memory: self.budget.limit(), enough })
    }

    pub(crate) fn budget(&self) -> &Arc<Budget> {
        &self.budget
    }

    /// Learns from a stored chunk; returns what is to be changed now.
    pub(crate) fn on_ack(&self, ack: &Ack) -> Option<Tuned> {
        let (ack, state) = (ack.in_micros(), &mut *lock(&self.state));
        state.write(&Line::Ack(ack));
        let tuned = state.tuner.on_ack(&ack);
        if let Some(tuned) = &tuned {
            state.write(&Line::from(tuned));
            if state.told.len() < MOST_TOLD {
                state.told.push(tuned.clone());
            }
        }
        tuned
    }

    /// The server has no room for more than this many lanes.
    pub(crate) fn no_room_for_more_than(&self, lanes: usize, now: Duration) {
        let state = &mut *lock(&self.state);
        state.write(&Line::Room { lanes, at: now });
        state.tuner.no_room_for_more_than(lanes, now);
    }

    /// The lanes that proved to be worth it, and all decisions, for the report.
    pub(crate) fn finish(&self) -> (usize, Vec<Tuned>) {
        let state = &mut *lock(&self.state);
        if let Some(mut trace) = state.trace.take() {
            // The trace is for people who inspect the tuner: a load does not fail because of it.
            let _ = trace.flush();
        }
        (state.tuner.settled_lanes(), std::mem::take(&mut state.told))
    }
}

impl State {
    fn write(&mut self, line: &Line) {
        if let Some(trace) = &mut self.trace
            && writeln!(trace, "{line}").is_err()
        {
            self.trace = None;
        }
    }
}

/// Lanes to begin with, if the options set no number. Two are worth it nearly everywhere: while one waits for the disk at its
/// COMMIT, the server works for the other.
pub(crate) fn first_lanes() -> usize {
    available_parallelism().map_or(1, |n| n.get().min(2))
}

fn limits(options: &LoadOptions, before: Before) -> Limits {
    let Before { transaction_bytes, order, is_serial, methods } = before;
    let first = match order {
        Order::AsTheyCome => FIRST_BATCH,
        Order::Sorted | Order::SortedForOneLane => SORTED_BATCH.min(options.memory / 16).max(FIRST_BATCH),
    };
    let max_batch = MAX_BATCH.min(transaction_bytes);
    // Nothing is sent by a dry run, and what a rate or others allow needs no more lanes: there is nothing to find out.
    let is_fixed = options.dry_run || options.rate.is_some() || !options.throttle.is_empty();
    let for_one = order == Order::SortedForOneLane;
    let is_one = for_one || is_serial && !options.dry_run;
    let lanes = options.lanes.unwrap_or_else(|| if is_one { 1 } else { first_lanes() });
    let (min_lanes, max_lanes) =
        if options.lanes.is_some() || is_fixed || for_one { (lanes, lanes) } else { (1, MAX_LANES.max(lanes)) };
    let (batch, min_batch, max_batch) = match options.batch.at_most(transaction_bytes) {
        BatchSize::Bytes(bytes) => (bytes, bytes, bytes),
        BatchSize::Rows(_) => (FIRST_BATCH, FIRST_BATCH, FIRST_BATCH),
        BatchSize::Auto if options.dry_run => (FIRST_BATCH, FIRST_BATCH, FIRST_BATCH),
        BatchSize::Auto => (first.min(max_batch), MIN_BATCH.min(max_batch), max_batch),
    };
    let methods = methods.filter(|_| lanes == 1 && !is_fixed);
    Limits { lanes, min_lanes, max_lanes, batch, min_batch, max_batch, memory: options.memory, methods }
}

impl BatchSize {
    /// The same, of at most so many bytes. Rows are only counted while they are read: a lane cuts a chunk that is larger
    /// ([`Target::is_too_large`](super::target::Target::is_too_large)).
    fn at_most(self, most: usize) -> Self {
        match self {
            Self::Bytes(bytes) => Self::Bytes(bytes.min(most)),
            Self::Auto | Self::Rows(_) => self,
        }
    }
}

const UNKNOWN: u64 = u64::MAX;

/// The size of a batch if the options set none and nothing is known yet (docs/notes/chunk-size.md).
const FIRST_BATCH: usize = 4 << 20;

/// The same for rows that are sorted: where a lane begins after another one, MySQL begins pages that nothing fills (docs/notes/sort.md).
const SORTED_BATCH: usize = 16 << 20;

const MIN_BATCH: usize = 256 << 10;
const MAX_BATCH: usize = 64 << 20;

const MAX_LANES: usize = 16;

/// As many decisions as a report has.
const MOST_TOLD: usize = 200;

impl Control {
    /// The time of a lane's answers that had nothing to do with its rows, since the last call, and the shortest time that a line of the
    /// ledger ever took.
    pub(crate) fn take_fixed(&self, lane: usize) -> (Duration, Duration) {
        let taken = |state: &mut LaneState| (std::mem::take(&mut state.fixed), state.trip.unwrap_or_default());
        lock(&self.lanes).get_mut(lane).map(taken).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEFORE: Before =
        Before { transaction_bytes: usize::MAX, order: Order::AsTheyCome, is_serial: false, methods: None };

    fn options() -> LoadOptions {
        LoadOptions::default()
    }

    #[test]
    fn methods_are_tried_by_a_lane_alone() {
        let methods = Some([Method::LoadData, Method::Bulk]);
        let tried = |options: &LoadOptions, is_serial| limits(options, Before { is_serial, methods, ..BEFORE });
        let (alone, given) = (tried(&options(), true), LoadOptions { lanes: Some(2), ..options() });
        assert_eq!((alone.lanes, alone.max_lanes, alone.methods), (1, MAX_LANES, methods));
        assert_eq!((tried(&given, true).lanes, tried(&given, true).methods), (2, None));
        let (one, dry) = (LoadOptions { lanes: Some(1), ..options() }, LoadOptions { dry_run: true, ..options() });
        assert_eq!((tried(&one, false).methods, tried(&dry, true).methods), (methods, None));
        assert_eq!(tried(&dry, true).lanes, first_lanes());
        assert_eq!(tried(&options(), false).lanes, first_lanes());
    }

    #[test]
    fn what_is_given_is_not_tuned() {
        let given = limits(&LoadOptions { lanes: Some(5), batch: BatchSize::Bytes(7), ..options() }, BEFORE);
        assert_eq!((given.min_lanes, given.lanes, given.max_lanes), (5, 5, 5));
        assert_eq!((given.min_batch, given.batch, given.max_batch), (7, 7, 7));
    }

    #[test]
    fn a_rate_needs_no_more_lanes() {
        let paced = limits(&LoadOptions { rate: std::num::NonZeroU64::new(5), ..options() }, BEFORE);
        assert_eq!((paced.min_lanes, paced.max_lanes), (first_lanes(), first_lanes()));
    }

    #[test]
    fn sorted_rows_may_be_for_one_lane() {
        let lanes = |order, given| {
            let of = limits(&LoadOptions { lanes: given, ..options() }, Before { order, ..BEFORE });
            (of.lanes, of.max_lanes)
        };
        assert_eq!(lanes(Order::SortedForOneLane, None), (1, 1));
        assert_eq!(lanes(Order::SortedForOneLane, Some(3)), (3, 3));
        assert_eq!(lanes(Order::Sorted, None), (first_lanes(), MAX_LANES));
    }

    #[test]
    fn what_was_refused_is_not_read_again() {
        let auto = Tuning::new(&options(), BEFORE).unwrap();
        assert_eq!(auto.batch_bytes(), Some(FIRST_BATCH));
        auto.refused(1000);
        assert_eq!(auto.batch_bytes(), Some(750));
        let fixed = Tuning::new(&LoadOptions { batch: BatchSize::Bytes(5000), ..options() }, BEFORE).unwrap();
        fixed.refused(1000);
        assert_eq!(fixed.batch_bytes(), Some(5000));
    }

    #[test]
    fn a_cluster_takes_smaller_batches() {
        assert_eq!(limits(&options(), BEFORE).max_batch, 64 << 20);
        let batch = |memory, order| limits(&LoadOptions { memory, ..options() }, Before { order, ..BEFORE }).batch;
        assert_eq!(
            (batch(256 << 20, Order::AsTheyCome), batch(256 << 20, Order::Sorted), batch(1 << 20, Order::Sorted)),
            (4 << 20, 16 << 20, 4 << 20)
        );
        let of_at_most = |transaction_bytes| limits(&options(), Before { transaction_bytes, ..BEFORE });
        assert_eq!(of_at_most(16 << 20).max_batch, 16 << 20);
        let small = of_at_most(100 << 10);
        assert_eq!([small.batch, small.min_batch, small.max_batch], [100 << 10; 3]);
        let given = LoadOptions { batch: BatchSize::Bytes(64 << 20), ..options() };
        let before = Before { transaction_bytes: 16 << 20, ..BEFORE };
        assert_eq!(limits(&given, before).batch, 16 << 20);
        assert_eq!(Tuning::new(&given, before).unwrap().batch_bytes(), Some(16 << 20));
    }
}
