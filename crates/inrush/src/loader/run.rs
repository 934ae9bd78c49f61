//! The path of the batches: a reader, and for each lane a thread that prepares the next chunk while another sends one. Lanes are opened
//! and parked during the load, as the tuner decides.

use super::control::lock;
use super::lanes::lane::{Attempts, Lane};
use super::lanes::throttle::Yielding;
use super::lanes::watch;
use super::plan::source_plan::SourcePlan;
use super::plan::target::Target;
use super::read::prepare::{PreparedChunk, prepare};
use super::read::reader::Reader;
use super::read::work_queue::WorkQueue;
use super::report::counters::ChunkOutcome;
use super::report::event::LoadEvent;
use crate::fault;
use crate::trace::Context;
use inrush_core::load::Source;
use inrush_core::load::modes::Counted;
use inrush_core::load::report::Stop;
use inrush_core::load::tuner::{Ack, Change};
use std::cell::Cell;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed, Ordering::SeqCst};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::{self, Scope};
use std::time::{Duration, Instant};

/// Moves every batch from the sources through the lanes. Returns whether every source was read to its end.
pub(super) fn run(
    target: &Target,
    lanes: Vec<Option<Lane<'_>>>,
    sources: Vec<Box<dyn Source>>,
    plans: Vec<Arc<SourcePlan>>,
    yielding: Option<Yielding>,
) -> bool {
    // Without a place in the queue: the reader holds the next batch.
    let (batches_in, batches) = sync_channel(0);
    let work_queue = WorkQueue::new(batches, lanes.len());
    let reader = Reader::new(target, batches_in);
    // Not a thread of the scope: a source that waits for its next bytes, such as a pipe, cannot be interrupted, and the caller that
    // requested an end need not wait for it.
    let reader = thread::spawn(move || reader.read(sources, &plans));
    let context = &Context::current();
    thread::scope(|scope| {
        let (over, is_over) = channel();
        scope.spawn(move || context.within(|| watch::watch(target, &is_over, yielding)));
        let n_lanes = Arc::new(AtomicUsize::new(lanes.len()));
        let workers = LoadWorkers { scope, target, work_queue: &work_queue, n_lanes, context, _over: over };
        for (number, lane) in lanes.into_iter().enumerate() {
            workers.start(number, lane);
        }
    });
    if !work_queue.is_closed() {
        return false;
    }
    match reader.join().unwrap_or_else(|panic| resume_unwind(panic)) {
        Ok(finished) => finished,
        Err((number, error)) => {
            lock(&target.load.counters).stop_at(number, Stop::Unreadable(error), &target.load.control);
            false
        }
    }
}

/// The lanes' threads. Each has a clone of it, so that any of them can have another lane opened; when the last one is gone, the watch
/// over silent lanes ends.
#[derive(Clone)]
struct LoadWorkers<'scope, 'env> {
    scope: &'scope Scope<'scope, 'env>,
    target: &'env Target,
    work_queue: &'env WorkQueue,
    /// Lanes that were ever requested, parked ones included.
    n_lanes: Arc<AtomicUsize>,
    /// The load's span, for the lanes' threads.
    context: &'env Context,
    _over: Sender<()>,
}

impl<'scope, 'env> LoadWorkers<'scope, 'env> {
    /// Starts the two threads of a lane.
    fn start(&self, number: usize, lane: Option<Lane<'env>>) {
        // Without a place in the queue: one chunk is in flight, the next is prepared, no more.
        let (chunks_in, chunks) = sync_channel(0);
        let (target, work_queue, workers) = (self.target, self.work_queue, self.clone());
        self.scope.spawn(move || prepare_all(target, work_queue, number, &chunks_in));
        self.scope.spawn(move || workers.context.within(|| workers.deliver_all(number, lane, &chunks)));
    }

    /// A lane's sending half. Without a connection (a dry run) what passed the checks counts as stored.
    fn deliver_all(&self, number: usize, mut lane: Option<Lane<'env>>, chunks: &Receiver<PreparedChunk>) {
        let target = self.target;
        let mut free_since = Instant::now();
        let begun_at = Cell::new(free_since);
        let enter = |mut chunk: PreparedChunk, end| {
            let (chunk_number, records) = (chunk.number, chunk.records());
            let rejects = chunk.take_rejects();
            if let ChunkOutcome::Stored { counted, rejects: late } = &end {
                target.load.tell_stored(
                    number,
                    chunk.origin().text.len() as u64,
                    &records,
                    *counted,
                    [&rejects[..], late],
                    begun_at.get().elapsed(),
                );
            }
            lock(&target.load.counters).enter(
                chunk_number,
                records,
                rejects,
                end,
                &target.load.options,
                &target.load.control,
            );
            target.load.control.settled_bytes.fetch_add(chunk.bytes, Relaxed);
            fault::point("tallied");
            chunk.recycle(target);
        };
        while let Ok(chunk) = chunks.recv() {
            let begun = Instant::now();
            begun_at.set(begun);
            let mut ack = Ack {
                at: Duration::ZERO,
                lane: number,
                bytes: chunk.bytes,
                rows: chunk.n_records(),
                held: chunk.reservation.bytes(),
                took: Duration::ZERO,
                fixed: Duration::ZERO,
                idle: begun.duration_since(free_since),
                trip: Duration::ZERO,
                left: target.tuning.left(),
                method: Some(chunk.payload.method()),
            };
            let attempts = match &mut lane {
                Some(lane) => lane.deliver(chunk, enter),
                None => {
                    let counted = Counted::all(chunk.n_rows());
                    enter(chunk, ChunkOutcome::Stored { counted, rejects: Vec::new() });
                    Attempts::FirstTry
                }
            };
            let took = begun.elapsed();
            let (fixed, trip) = target.load.control.take_fixed(number);
            target.load.control.count_waits(|waits| {
                waits.chunks += ack.idle;
                match attempts {
                    Attempts::FirstTry => {
                        waits.commit += fixed.min(took);
                        waits.rows += took.saturating_sub(fixed);
                    }
                    _ => waits.retries += took,
                }
            });
            // What a deadlock or a lost connection cost says nothing about sizes.
            if attempts == Attempts::FirstTry {
                ack.at = target.load.control.elapsed();
                (ack.took, ack.fixed, ack.trip) = (took, fixed, trip);
                self.tune(&ack);
            }
            free_since = Instant::now();
        }
        if let Some(lane) = lane {
            lane.close();
        }
    }

    /// Learns from a stored chunk, and does what follows from it.
    fn tune(&self, ack: &Ack) {
        let Some(tuned) = self.target.tuning.on_ack(ack) else { return };
        let (change, why) = (tuned.change, tuned.why.clone());
        self.target.load.notify(&LoadEvent::Tuned(tuned));
        match change {
            Change::Lanes { from, to } if from != to => self.staff(self.target.tuning.lanes()),
            Change::Method { from, to } if from != to => {
                lock(&self.target.chooser).switch(to, why);
                self.target.notify_choice();
            }
            _ => {}
        }
    }

    /// Keeps so many lanes at work: parked lanes continue, new ones are opened, others are parked.
    fn staff(&self, wanted: usize) {
        let opened = self.n_lanes.load(SeqCst);
        self.work_queue.open_for(wanted.min(opened));
        self.target.load.control.park_from(wanted);
        // One at a time, as the tuner requests them; of two threads that see the same need one opens it.
        if wanted > opened && self.n_lanes.compare_exchange(opened, wanted, SeqCst, SeqCst).is_ok() {
            for number in opened..wanted {
                let workers = self.clone();
                self.scope.spawn(move || workers.context.within(|| workers.open(number)));
            }
        }
    }

    /// Opens one more lane, while the others work on.
    fn open(&self, number: usize) {
        let target = self.target;
        if self.work_queue.is_over() || !target.load.control.wants_more() {
            return;
        }
        match Lane::open(number, target) {
            Ok(lane) => {
                self.start(number, Some(lane));
                self.work_queue.open_for(target.tuning.lanes());
            }
            Err(error) => {
                target.tuning.no_room_for_more_than(number, target.load.control.elapsed());
                target.load.notify(&LoadEvent::FewerLanes { lanes: number, reason: error.to_string() });
            }
        }
    }
}

/// A lane's preparing half: parses, checks and encodes the next chunk while the other half waits for the server.
fn prepare_all(target: &Target, work_queue: &WorkQueue, lane: usize, chunks: &SyncSender<PreparedChunk>) {
    while let Some((unparsed, plan)) = work_queue.next(lane, &target.load.control) {
        let number = unparsed.number;
        if !target.load.control.wants_now(number) {
            continue;
        }
        let method = target.tuning.next_method().unwrap_or_else(|| target.choice().method);
        match prepare(unparsed, plan, method, target) {
            Ok(chunk) => {
                if chunks.send(chunk).is_err() {
                    // The other half is gone, which happens only after a panic: no lane may wait for more.
                    return work_queue.end();
                }
            }
            Err(stop) => lock(&target.load.counters).stop_at(number, stop, &target.load.control),
        }
    }
}
