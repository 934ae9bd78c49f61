//! The first half of a sort: every row of the sources is read, checked and written into runs; nothing is sent.
//!
//! ```text
//! reader (a thread of its own) -> queue -> N x (parse, check, key, line -> run in memory -> file)
//! ```

use super::Sorted;
use super::spill::{Folder, SpilledRun};
use crate::fault;
use crate::loader::control::lock;
use crate::loader::options::BadRows;
use crate::loader::plan::source_plan::SourcePlan;
use crate::loader::plan::target::Target;
use crate::loader::read::prepare::{Checked, stopping};
use crate::loader::report::counters::too_many;
use inrush_core::column::Cells;
use inrush_core::load::encode::load_data::Lines;
use inrush_core::load::report::Stop;
use inrush_core::load::sort::{REJECT, ROW, Record, RunBuilder, SortKey, SourcePlace, lines, write_reject};
use inrush_core::load::{RawChunk, Reject, Source};
use inrush_core::{Error, Result};
use std::mem;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// A chunk of a source, on its way to the thread that sorts it.
struct Read {
    /// Counted from 0 over all sources.
    number: u64,
    source: usize,
    raw_chunk: Box<dyn RawChunk>,
}

/// What the threads of a sort share.
struct Gathering<'a> {
    target: &'a Target,
    plans: &'a [Arc<SourcePlan>],
    key: &'a SortKey,
    folder: &'a Folder,
    /// The most memory that a run takes, in bytes.
    run_bytes: usize,
    keeps_raw: bool,
    sorted: Mutex<Sorted>,
    next_run: AtomicUsize,
    records: AtomicU64,
    rejected: AtomicU64,
    /// Why it ends, with the number of the chunk: the earliest counts.
    stop: Mutex<Option<(u64, Stop)>>,
    stopped: Arc<AtomicBool>,
}

/// Reads all sources and leaves their rows in runs in `folder`.
///
/// # Errors
/// Why the load stops, before a row is sent.
pub(super) fn gather(
    target: &Target,
    (sources, plans): (Vec<Box<dyn Source>>, &[Arc<SourcePlan>]),
    key: &SortKey,
    folder: &Folder,
) -> Result<Sorted, Stop> {
    let workers = thread::available_parallelism().map_or(2, usize::from).clamp(1, MOST_WORKERS);
    let options = &target.load.options;
    let keeps_raw = matches!(options.bad_rows, BadRows::Divert(_)) && sources.iter().all(|source| source.is_text());
    let stopped = Arc::new(AtomicBool::new(false));
    let gathering = Gathering {
        target,
        plans,
        key,
        folder,
        run_bytes: (options.memory / 4 * 3 / workers).max(LEAST_RUN),
        keeps_raw,
        sorted: Mutex::new(Sorted::new(sources.len(), keeps_raw)),
        next_run: AtomicUsize::new(0),
        records: AtomicU64::new(0),
        rejected: AtomicU64::new(0),
        stop: Mutex::default(),
        stopped: stopped.clone(),
    };
    let (chunks_in, chunks) = sync_channel(workers);
    let control = target.load.control.clone();
    let wants_more = move || !stopped.load(Relaxed) && !control.is_stopping();
    // Not a thread of the scope: a source that waits for its next bytes cannot be interrupted.
    let reader = thread::Builder::new().name("inrush-sort-reader".into());
    let reader = reader.spawn({
        let left = target.load.control.clone();
        let chunk_bytes = (gathering.run_bytes / 4).min(MOST_CHUNK);
        move || read(sources, &chunks_in, chunk_bytes, &wants_more, |bytes| left.set_left(bytes))
    });
    let reader = reader.map_err(|e| Stop::Failed(Error::io("cannot start a thread", e)))?;
    let chunks = Mutex::new(chunks);
    let came_to_the_end = thread::scope(|scope| {
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(|| Worker::new(&gathering).work(&chunks))).collect();
        let mut all = true;
        for worker in workers {
            all &= worker.join().unwrap_or_else(|panic| resume_unwind(panic));
        }
        all
    });
    if came_to_the_end && let Err((number, error)) = reader.join().unwrap_or_else(|panic| resume_unwind(panic)) {
        gathering.stop_at(number, Stop::Unreadable(error));
    }
    let (records, rejected) = (gathering.records.load(Relaxed), gathering.rejected.load(Relaxed));
    if let Some((_, stop)) = lock(&gathering.stop).take() {
        return Err(stop);
    }
    if target.load.control.is_stopping() || !came_to_the_end {
        return Err(Stop::Interrupted);
    }
    if options.max_bad.is_some_and(|most| most.is_exceeded(rejected, records, true)) {
        return Err(too_many(rejected, records, None));
    }
    fault::point("sort.gathered");
    Ok(mem::take(&mut lock(&gathering.sorted)))
}

/// Hands on the chunks of all sources in order. An error has the number of the chunk that could not be read.
fn read(
    sources: Vec<Box<dyn Source>>,
    chunks: &SyncSender<Read>,
    chunk_bytes: usize,
    wants_more: &dyn Fn() -> bool,
    left: impl Fn(Option<u64>),
) -> Result<(), (u64, Error)> {
    let mut number = 0;
    let mut behind: Vec<Option<u64>> = sources.iter().map(|source| source.bytes_left()).collect();
    for (at, mut source) in sources.into_iter().enumerate() {
        let unchanged = source.unchanged();
        source.set_batch_bytes(chunk_bytes);
        loop {
            behind[at] = source.bytes_left();
            left(behind.iter().copied().sum());
            if !wants_more() {
                return Ok(());
            }
            let read = source.next_raw_chunk();
            if !wants_more() && !matches!(read, Ok(Some(_))) {
                return Ok(());
            }
            if let Some(unchanged) = &unchanged {
                let is_more = matches!(read, Ok(Some(_)));
                let compared = if is_more { unchanged.check() } else { unchanged.confirm() };
                compared.map_err(|error| (number, error))?;
            }
            let Some(raw_chunk) = read.map_err(|error| (number, error))? else { break };
            if chunks.send(Read { number, source: at, raw_chunk }).is_err() {
                return Ok(());
            }
            number += 1;
        }
        behind[at] = Some(0);
    }
    Ok(())
}

impl Gathering<'_> {
    fn stop_at(&self, number: u64, stop: Stop) {
        self.stopped.store(true, Relaxed);
        let mut earliest = lock(&self.stop);
        if earliest.as_ref().is_none_or(|(other, _)| number < *other) {
            *earliest = Some((number, stop));
        }
    }

    fn goes_on(&self) -> bool {
        !self.stopped.load(Relaxed) && !self.target.load.control.is_stopping()
    }
}

/// One of the threads that check and sort.
struct Worker<'a> {
    gathering: &'a Gathering<'a>,
    run: RunBuilder,
    lines: Vec<u8>,
    key: Vec<u8>,
    per_source: Vec<(u64, u64)>,
    text_bytes: u64,
}

impl<'a> Worker<'a> {
    fn new(gathering: &'a Gathering<'a>) -> Self {
        Self {
            gathering,
            run: RunBuilder::new(gathering.run_bytes),
            lines: Vec::new(),
            key: Vec::new(),
            per_source: vec![(0, 0); gathering.plans.len()],
            text_bytes: 0,
        }
    }

    /// Takes chunks until there are no more. Returns whether that was the end of the sources.
    fn work(mut self, chunks: &Mutex<Receiver<Read>>) -> bool {
        loop {
            let read = match next(chunks, || self.gathering.goes_on()) {
                Next::Chunk(read) => read,
                Next::End => break,
                Next::Left => return false,
            };
            let number = read.number;
            if let Err(stop) = self.take(read) {
                self.gathering.stop_at(number, stop);
            }
        }
        if let Err(error) = self.write() {
            self.gathering.stop_at(u64::MAX, Stop::Failed(error));
        }
        lock(&self.gathering.sorted).count(&self.per_source, self.text_bytes);
        true
    }

    fn take(&mut self, Read { source, raw_chunk, .. }: Read) -> Result<(), Stop> {
        let Gathering { target, plans, key, .. } = *self.gathering;
        let batch = raw_chunk.parse().map_err(Stop::Unreadable)?;
        let (n_records, bytes) = (batch.records(), batch.bytes());
        let checked = Checked::of_first(batch, &plans[source], target.max_packet);
        self.per_source[source].0 += n_records;
        let read = self.gathering.records.fetch_add(n_records, Relaxed) + n_records;
        target.load.control.gather(n_records, bytes);
        self.reject(source, checked.rejects(), read)?;
        let columns: Vec<Cells<'_>> = checked.cells();
        self.lines.clear();
        let mut text = Lines::new(&mut self.lines);
        for row in checked.kept() {
            columns.iter().for_each(|cells| text.cell(cells, row));
            text.end();
        }
        text.finish();
        self.text_bytes += self.lines.len() as u64;
        let raw_bytes = if self.gathering.keeps_raw { bytes as usize } else { 0 };
        let keys = checked.batch.rows.num_rows() * BYTES_BESIDE;
        self.make_room(self.lines.len() + raw_bytes + keys).map_err(Stop::Failed)?;
        let mut places = checked.batch.origin.places();
        for (row, line) in checked.kept().zip(lines(&self.lines)) {
            self.key.clear();
            self.key.push(ROW);
            key.append(&columns, row, &mut self.key);
            let raw = if self.gathering.keeps_raw { checked.batch.origin.raw(row) } else { &[] };
            let place = SourcePlace::new(source, places.of(row).line);
            self.run.push(&Record { key: &self.key, place, line, raw });
        }
        Ok(())
    }

    fn reject(&mut self, source: usize, rejects: &[Reject], read: u64) -> Result<(), Stop> {
        let Some(first) = rejects.first() else { return Ok(()) };
        let (options, n_rejects) = (&self.gathering.target.load.options, rejects.len() as u64);
        if options.bad_rows == BadRows::Stop {
            return Err(Stop::BadData(stopping(first, rejects.len())));
        }
        self.per_source[source].1 += n_rejects;
        let rejected = self.gathering.rejected.fetch_add(n_rejects, Relaxed) + n_rejects;
        if options.max_bad.is_some_and(|most| most.is_exceeded(rejected, read, false)) {
            return Err(too_many(rejected, read, Some(first)));
        }
        let is_diverted = matches!(options.bad_rows, BadRows::Divert(_));
        let mut line = Vec::new();
        for reject in rejects {
            line.clear();
            write_reject(reject, &mut line);
            let raw = if is_diverted { &reject.raw[..] } else { &[] };
            let place = SourcePlace::new(source, reject.place.line);
            self.run.push(&Record { key: &[REJECT], place, line: &line, raw });
        }
        Ok(())
    }

    /// Makes sure that so many bytes more fit into the run.
    fn make_room(&mut self, bytes: usize) -> Result<()> {
        if self.run.memory() + bytes > self.gathering.run_bytes && self.run.n_rows() > 0 {
            self.write()?;
            fault::point("sort.run_written");
        }
        Ok(())
    }

    fn write(&mut self) -> Result<()> {
        if self.run.n_rows() == 0 {
            return Ok(());
        }
        let number = self.gathering.next_run.fetch_add(1, Relaxed);
        let run: SpilledRun = self.gathering.folder.write(&mut self.run, number)?;
        lock(&self.gathering.sorted).runs.push(run);
        Ok(())
    }
}

/// What comes next.
enum Next {
    Chunk(Read),
    /// The reader is done.
    End,
    /// The load is to end before that.
    Left,
}

fn next(chunks: &Mutex<Receiver<Read>>, goes_on: impl Fn() -> bool) -> Next {
    let chunks = lock(chunks);
    loop {
        match chunks.recv_timeout(LOOK_EVERY) {
            Ok(read) => return Next::Chunk(read),
            Err(RecvTimeoutError::Timeout) if goes_on() => {}
            Err(RecvTimeoutError::Timeout) => return Next::Left,
            Err(RecvTimeoutError::Disconnected) => return Next::End,
        }
    }
}

/// How long it takes to notice that the load is to end.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// 1 MiB: it stays in a near cache while it is checked.
const MOST_CHUNK: usize = 1 << 20;

/// A key, a place and the other data that a row takes besides its line: about so many bytes.
const BYTES_BESIDE: usize = 64;

/// Runs of less are not worth their files.
const LEAST_RUN: usize = 256 << 10;

/// More threads than this wait for the one that reads.
const MOST_WORKERS: usize = 8;
