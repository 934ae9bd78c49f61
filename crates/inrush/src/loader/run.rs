//! The way of the batches: a reader, and for each lane a thread that prepares the next chunk while another sends one.

use super::control::{Control, lock};
use super::lane::Lane;
use super::prepare::{Prepared, Work, prepare};
use super::shared::{Shared, SourcePlan};
use super::tally::ChunkEnd;
use super::watch;
use crate::fault;
use inrush_core::bulk::Source;
use inrush_core::bulk::modes::Counted;
use inrush_core::bulk::report::Stop;
use inrush_core::{Error, Result};
use std::mem;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// Moves every batch from the sources through the lanes. Returns whether every source was read to its end.
pub(super) fn run(
    shared: &Shared,
    lanes: Vec<Option<Lane<'_>>>,
    sources: Vec<Box<dyn Source>>,
    plans: Vec<Arc<SourcePlan>>,
) -> bool {
    // Without a place in the queue: the next batch waits in the reader's hands.
    let (batches_in, batches) = sync_channel(0);
    let inlet = Inlet { batches: Mutex::new(Some(batches)), closed: AtomicBool::new(false) };
    let control = shared.control.clone();
    // Not a thread of the scope: a source that waits for its next bytes, such as a pipe, cannot be interrupted, and those who
    // asked for an end need not wait for it.
    let reader = thread::spawn(move || read(&control, sources, &plans, &batches_in));
    thread::scope(|scope| {
        let (over, is_over) = channel();
        scope.spawn(move || watch::watch(shared, &is_over));
        let inlet = &inlet;
        let lanes: Vec<_> = lanes
            .into_iter()
            .map(|lane| {
                // Without a place in the queue: one chunk is on its way, the next is made ready, no more.
                let (chunks_in, chunks) = sync_channel(0);
                scope.spawn(move || prepare_all(shared, inlet, &chunks_in));
                scope.spawn(move || deliver_all(shared, lane, &chunks))
            })
            .collect();
        for lane in lanes {
            lane.join().unwrap_or_else(|panic| resume_unwind(panic));
        }
        drop(over);
    });
    if !inlet.closed.load(Relaxed) {
        return false;
    }
    match reader.join().unwrap_or_else(|panic| resume_unwind(panic)) {
        Ok(finished) => finished,
        Err((number, error)) => {
            lock(&shared.tally).stop_at(number, Stop::Unreadable(error), &shared.control);
            false
        }
    }
}

/// The reader: batches in order, each with its number and its source's plan. Returns whether it came to the end; an error has
/// the number of the batch that could not be read.
fn read(
    control: &Control,
    sources: Vec<Box<dyn Source>>,
    plans: &[Arc<SourcePlan>],
    batches: &SyncSender<Next>,
) -> Result<bool, (u64, Error)> {
    let mut number = 0;
    for (mut source, plan) in sources.into_iter().zip(plans) {
        loop {
            if !control.wants_more() {
                return Ok(false);
            }
            let batch = match source.next() {
                // Whoever stopped us may have ended the program that fed us too: then this is not the end of its rows.
                Ok(None) | Err(_) if control.is_stopping() => return Ok(false),
                Ok(None) => break,
                Ok(Some(batch)) => batch,
                Err(error) => return Err((number, error)),
            };
            control.read.fetch_add(batch.records(), Relaxed);
            control.bytes.fetch_add(batch.bytes(), Relaxed);
            if batches.send((Work { number, batch }, plan.clone())).is_err() {
                return Ok(false);
            }
            number += 1;
        }
    }
    Ok(true)
}

/// A batch and the plan of its source.
type Next = (Work, Arc<SourcePlan>);

/// Where the lanes take the reader's batches from.
struct Inlet {
    /// `None` once nobody takes batches any more.
    batches: Mutex<Option<Receiver<Next>>>,
    /// The reader is done, for better or worse.
    closed: AtomicBool,
}

impl Inlet {
    /// The next batch; `None` if there is none, or the load is to end and the reader has none at hand: batches come in order,
    /// so what it may still bring lies behind the one that ends the load.
    fn next(&self, control: &Control) -> Option<Next> {
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

/// A lane's preparing half: checks and encodes the next chunk while the other half waits for the server.
fn prepare_all(shared: &Shared, inlet: &Inlet, chunks: &SyncSender<Prepared>) {
    while let Some((work, plan)) = inlet.next(&shared.control) {
        let number = work.number;
        if !shared.control.wants(number) || shared.control.is_stopping() {
            continue;
        }
        let method = lock(&shared.choice).method;
        match prepare(work, plan, method, shared) {
            Ok(chunk) => {
                if chunks.send(chunk).is_err() {
                    return;
                }
            }
            Err(stop) => lock(&shared.tally).stop_at(number, stop, &shared.control),
        }
    }
}

/// A lane's sending half. Without a connection (a dry run) what passed the checks counts as stored.
fn deliver_all(shared: &Shared, mut lane: Option<Lane<'_>>, chunks: &Receiver<Prepared>) {
    while let Ok(mut chunk) = chunks.recv() {
        let end = match &mut lane {
            Some(lane) => lane.deliver(&mut chunk),
            None => ChunkEnd::Stored { counted: Counted::all(chunk.n_rows()), rejects: Vec::new() },
        };
        let (number, records) = (chunk.work.number, chunk.records());
        let rejects = mem::take(&mut chunk.rejects);
        lock(&shared.tally).enter(number, records, rejects, end, &shared.options, &shared.control);
        fault::point("tallied");
        chunk.recycle(shared);
    }
    if let Some(lane) = lane {
        lane.close();
    }
}
