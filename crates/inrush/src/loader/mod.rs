//! The loader: sources in, one table filled, a report out. Threads and connections live here; every decision is the core's.
//!
//! ```text
//! sources -> reader -> queue -> N x (check + encode) -> N x lane (send, compare, commit) -> tally -> report
//! ```
//!
//! A batch is a chunk is a transaction. Queues hold one batch a lane, so memory follows the number of lanes, not the file. Each
//! lane has a thread that prepares the next chunk while the other waits for the server.

mod control;
mod flight;
mod lane;
mod open;
mod options;
mod prepare;
mod rejects;
mod replay;
mod shared;
pub(crate) mod sql;
mod tally;
mod watch;

pub use control::{Control, Snapshot};
pub use options::{BadRows, Guarantee, LoadOptions, MaxBad};
pub use shared::{Notice, Observer};

use crate::Config;
use control::lock;
use inrush_core::bulk::Source;
use inrush_core::bulk::report::{self, Report, Stop};
use inrush_core::{Error, Kind, Result};
use lane::Lane;
use prepare::{Prepared, Work, prepare};
use shared::{Shared, SourcePlan};
use std::mem;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;
use tally::ChunkEnd;

/// Loads sources into one table.
///
/// ```
/// # let shop = inrush_testkit::shop::open();
/// # let source = inrush_testkit::shop::newcomers();
/// let url = "mysql://app@localhost/shop";
/// # let url = &shop.at(url);
/// let report = inrush::Loader::new(inrush::Config::from_url(url)?, "people").load(vec![source])?;
/// println!("{} rows stored", report.stored);
/// # assert_eq!((report.stored, report.rejected), (2, 0));
/// # assert_eq!(shop.ask("SELECT name, age FROM people WHERE id > 3 ORDER BY id"), ["Dora 33", "Emil 61"]);
/// # Ok::<(), inrush::Error>(())
/// ```
pub struct Loader {
    config: Config,
    table: String,
    options: LoadOptions,
    observer: Observer,
    control: Arc<Control>,
    reject_header: Vec<u8>,
}

impl Loader {
    /// A load into `table` (`name` or `schema.name`) on the server of `config`.
    pub fn new(config: Config, table: impl Into<String>) -> Self {
        Self {
            config,
            table: table.into(),
            options: LoadOptions::default(),
            observer: Box::new(|_| {}),
            control: Arc::default(),
            reject_header: Vec::new(),
        }
    }

    /// Sets how it is done.
    #[must_use]
    pub fn with_options(mut self, options: LoadOptions) -> Self {
        self.options = options;
        self
    }

    /// Sets who is told of what happens on the way. It is called from several threads.
    #[must_use]
    pub fn with_observer(mut self, observer: impl Fn(&Notice) + Send + Sync + 'static) -> Self {
        self.observer = Box::new(observer);
        self
    }

    /// Sets the first line of a reject file, so that it can be loaded like its sources; empty for sources without a header.
    #[must_use]
    pub fn with_reject_header(mut self, header: Vec<u8>) -> Self {
        self.reject_header = header;
        self
    }

    /// The handle that watches, stops or aborts the load from other threads.
    pub fn control(&self) -> Arc<Control> {
        self.control.clone()
    }

    /// Loads every source, in order. An error means that no row was sent; whatever happens later is in the report.
    ///
    /// # Errors
    /// `Config` for mistakes of the mapping (all at once), `Promise` for a table that cannot keep the guarantee, else what
    /// the server or the network said.
    pub fn load(self, mut sources: Vec<Box<dyn Source>>) -> Result<Report> {
        if self.options.lanes == 0 {
            return Err(Error::config("a load needs at least one lane"));
        }
        let control = self.control();
        let interrupted = |error: Error| {
            if control.is_aborted() {
                Error::new(Kind::Interrupted, "interrupted before a row was sent")
            } else {
                error
            }
        };
        let (shared, plans) = open::open(self, &mut sources).map_err(interrupted)?;
        let lanes = open::lanes(&shared).map_err(interrupted)?;
        let n_lanes = lanes.len();
        let finished = run(&shared, lanes, sources, plans);
        Ok(report(shared, n_lanes, finished))
    }
}

/// Moves every batch from the sources through the lanes. Returns whether every source was read to its end.
fn run(
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
            control.bytes.fetch_add(batch.origin.text.len() as u64, Relaxed);
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
            None => ChunkEnd::Stored { rows: chunk.n_rows(), rejects: Vec::new() },
        };
        let (number, records) = (chunk.work.number, chunk.records());
        let rejects = mem::take(&mut chunk.rejects);
        lock(&shared.tally).enter(number, records, rejects, end, &shared.options, &shared.control);
        chunk.recycle(shared);
    }
    if let Some(lane) = lane {
        lane.close();
    }
}

/// What an aborted load has of its own: connections that were cut.
fn is_failure(stop: &Stop) -> bool {
    matches!(stop, Stop::Failed(error) if error.is_fatal())
}

fn report(shared: Shared, lanes: usize, finished: bool) -> Report {
    let control = &shared.control;
    let mut tally = lock(&shared.tally);
    tally.finish(&shared.options, control);
    let snapshot = control.snapshot();
    let not_loaded = snapshot.read - snapshot.stored - snapshot.rejected - tally.unknown;
    // The connections of an aborted load fail because they were cut.
    let mut stop = tally.stop.take().map(|(_, stop)| stop).filter(|stop| !(control.is_aborted() && is_failure(stop)));
    if stop.is_none() && control.is_stopping() && (!finished || not_loaded > 0 || tally.unknown > 0) {
        stop = Some(Stop::Interrupted);
    }
    if let Some(file) = tally.reject_file.take()
        && let Err(error) = file.finish()
    {
        stop.get_or_insert(Stop::Failed(error));
    }
    let choice = lock(&shared.choice).clone();
    Report {
        table: format!("{}.{}", shared.table.schema, shared.table.name),
        server: shared.server.clone(),
        method: choice.method,
        method_reason: choice.reason,
        lanes,
        time_zone: shared.session.time_zone.clone(),
        chunks: snapshot.chunks,
        replays: shared.replays.load(Relaxed),
        read: snapshot.read,
        stored: snapshot.stored,
        rejected: snapshot.rejected,
        not_loaded,
        unknown: tally.unknown,
        bytes: snapshot.bytes,
        elapsed: control.elapsed(),
        stored_records: report::merge(std::mem::take(&mut tally.stored_records)),
        unknown_records: report::merge(std::mem::take(&mut tally.unknown_records)),
        first_rejects: tally.take_first_rejects(),
        harmless: std::mem::take(&mut lock(&shared.noted)),
        dry_run: shared.options.dry_run,
        stop,
    }
}
