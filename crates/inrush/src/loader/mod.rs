//! The loader: sources in, one table filled, a report out. Threads and connections live here; every decision is the core's.
//!
//! ```text
//! sources -> reader -> queue -> N x (check + encode) -> N x lane (send, compare, commit) -> counters -> report
//! ```
//!
//! | folder | content, each uses those above it |
//! |---|---|
//! | `report` | events, counters, rejected rows |
//! | `plan` | what the load will do: target, columns, mode, order, sizes |
//! | `read` | sources become chunks that can be sent |
//! | `lanes` | connections: send, compare, replay, retry, wait |
//! | `commit` | what makes rows last: COMMIT with its line, the ledger |
//! | `sort` | rows in the order of the key, by temporary files |
//! | `open` | the beginning: nothing is sent before all of it worked |
//! | `undo` | a finished refresh is taken back |
//!
//! A batch is a chunk is a transaction. Queues hold one batch a lane, so memory follows the number of lanes, not the file. Each
//! lane has a thread that prepares the next chunk while the other waits for the server.

mod back_off;
mod budget;
mod commit;
mod control;
mod lanes;
mod load;
mod open;
mod options;
mod plan;
mod read;
mod report;
mod run;
mod sort;
pub(crate) mod sql;
mod undo;

pub use commit::ledger::{Forgotten, JobProgress, JobRun, JobStatus, KeptTable};
pub use control::{Control, Snapshot, Waiting};
pub use options::{
    BadRows, BatchSize, DerivedLoad, Guarantee, LoadOption, LoadOptions, MaxBad, MinRows, OptionValue, ReplicaUrl,
    Sort, UnreadableReplicas, UnreadableSignals,
};
pub use report::event::{EventHandler, LoadEvent, StoredChunk};
pub use undo::{UndoOptions, Undone};

use crate::Config;
use crate::waiter::Waiter;
use commit::ledger::{self, Jobs};
use control::lock;
use inrush_core::column::Column;
use inrush_core::load::ledger::Totals;
use inrush_core::load::report::{self as load_report, Report, Stop};
use inrush_core::load::{LoadPlan, RejectStore, Source, Unchanged};
use inrush_core::{Error, FrontEnd, Kind, Result};
use lanes::lane::Lane;
use lanes::throttle::Yielding;
use load::Load;
use open::{preflight, steps};
use plan::source_plan::SourcePlan;
use plan::target::Target;
use report::rejects::{self, RejectFile};
use report::spans::{LoadSpan, StepSpan};
use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::thread;

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
    handler: EventHandler,
    control: Arc<Control>,
    reject_header: Vec<u8>,
    reject_store: Option<Arc<dyn RejectStore>>,
    front_end: FrontEnd,
}

impl Loader {
    /// A load into `table` (`name` or `schema.name`) on the server of `config`.
    pub fn new(config: Config, table: impl Into<String>) -> Self {
        Self {
            config,
            table: table.into(),
            options: LoadOptions::default(),
            handler: Box::new(|_| {}),
            control: Arc::default(),
            reject_header: Vec::new(),
            reject_store: None,
            front_end: FrontEnd::Library,
        }
    }

    /// Sets the options.
    #[must_use]
    pub fn with_options(mut self, options: LoadOptions) -> Self {
        self.options = options;
        self
    }

    /// Sets the function that is called with each event of the load. It is called from several threads.
    #[must_use]
    pub fn with_event_handler(mut self, handler: impl Fn(&LoadEvent) + Send + Sync + 'static) -> Self {
        self.handler = Box::new(handler);
        self
    }

    /// Sets the first line of a reject file, so that it can be loaded like its sources; empty for sources without a header.
    #[must_use]
    pub fn with_reject_header(mut self, header: Vec<u8>) -> Self {
        self.reject_header = header;
        self
    }

    /// Sets the objects that bad rows and their log are written to, where [`BadRows::Divert`] names an object of a store. Needs the ledger
    /// ([`Guarantee::ExactlyOnce`]), which keeps the rows until the objects are complete.
    #[must_use]
    pub fn with_reject_store(mut self, store: Option<Arc<dyn RejectStore>>) -> Self {
        self.reject_store = store;
        self
    }

    /// Sets which names options have in errors and in the report; default: those of this library.
    #[must_use]
    pub fn with_front_end(mut self, front_end: FrontEnd) -> Self {
        self.front_end = front_end;
        self
    }

    /// The handle that watches, stops or aborts the load from other threads.
    pub fn control(&self) -> Arc<Control> {
        self.control.clone()
    }

    /// Loads every source, in order. An error means that no row was sent; whatever happens later is in the report.
    ///
    /// # Errors
    /// `Config` for mistakes of the mapping (all at once), `Guarantee` for a table that cannot keep the guarantee, else the
    /// error of the server or the network.
    pub fn load(self, sources: Vec<Box<dyn Source>>) -> Result<Report> {
        let span = LoadSpan::begin(&self.config, &self.table, &self.options);
        self.load_within(&span, sources)
    }

    fn load_within(self, span: &LoadSpan, sources: Vec<Box<dyn Source>>) -> Result<Report> {
        let front_end = self.front_end;
        let end = span.within(|| self.run(sources, span));
        span.end(&end);
        match end {
            Ok(report) => Ok(named(report, front_end)),
            Err(error) => Err(front_end.name_options(error)),
        }
    }

    fn run(self, mut sources: Vec<Box<dyn Source>>, span: &LoadSpan) -> Result<Report> {
        self.options.check()?;
        let opening = StepSpan::open();
        let control = self.control();
        let interrupted = |error: Error| {
            if control.is_aborted() {
                Error::new(Kind::Interrupted, "interrupted before a row was sent")
            } else {
                error
            }
        };
        let Self { config, table, options, handler, reject_header, reject_store, .. } = self;
        let load = Arc::new(Load::new(options, (reject_header, reject_store), control.clone(), handler));
        let mut yielding = Yielding::open(&load, &config).map_err(interrupted)?;
        let (target, mut plans) = open::open(load, config, &table, &mut sources).map_err(interrupted)?;
        span.opened(target.session.profile.family);
        if let Some(yielding) = &mut yielding {
            yielding.begin(&target).map_err(interrupted)?;
        }
        sort::remove_left(&target);
        let columns = columns_of_all(&plans);
        let null_elsewhere = null_elsewhere(&plans, &target, &columns);
        let whole = |report: Report| Report { columns, null_elsewhere, ..report };
        let mut first = open::first_lane(&target).map_err(interrupted)?;
        let (mut jobs, mut sorted) = (Jobs::default(), None);
        if let Some(first) = &mut first {
            jobs = ledger::open(first, &mut sources, &mut plans).map_err(interrupted)?;
            target.run_lock.set(jobs.run_locks());
            target.run_lock.show(&mut first.connection);
        }
        opening.end();
        if let Some(first) = &mut first {
            let begun = begin(first, &target, &mut jobs, &mut sources, &mut plans, &mut yielding).map_err(interrupted);
            let begun = begun.inspect_err(|error| {
                first.let_go();
                jobs.note_end(&target, &error.to_string());
            });
            match begun? {
                Begun::AsTheyCome => {}
                Begun::Sorted(sort) => sorted = Some(sort),
                Begun::Stopped(stop) => {
                    count_resumed(&target, &mut jobs);
                    control.count_gathered();
                    lock(&target.load.counters).stop_at(0, stop, &control);
                    return Ok(whole(report(target, jobs, false, &[], None)));
                }
            }
        }
        if first.is_none() {
            preflight::check_dry(&target, &mut sources)?;
        }
        count_resumed(&target, &mut jobs);
        if jobs.is_all_loaded() {
            return Ok(whole(report(target, jobs, true, &[], None)));
        }
        let lanes = open::lanes(first, &target);
        let unchanged: Vec<_> =
            sources.iter().filter_map(|source| Some((source.name().into(), source.unchanged()?))).collect();
        let finished = run::run(&target, lanes, sources, plans, yielding);
        let report = report(target, jobs, finished, &unchanged, sorted.as_ref().map(|sort| sort.report.clone()));
        Ok(whole(report))
    }

    /// [`Loader::load`] for tasks: it runs in a thread of its own, with any runtime. If the future is dropped before its end, it
    /// [stops](Control::stop) the load: chunks that are in flight are committed, and the same load can continue there later.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> inrush::Result<()> {
    /// # let shop = inrush_testkit::shop::open();
    /// # let source = inrush_testkit::shop::newcomers();
    /// let url = "mysql://app@localhost/shop";
    /// # let url = &shop.at(url);
    /// let report = inrush::Loader::new(inrush::Config::from_url(url)?, "people").load_async(vec![source]).await?;
    /// # assert_eq!(report.stored, 2);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`Loader::load`].
    pub async fn load_async(self, sources: Vec<Box<dyn Source>>) -> Result<Report> {
        let _stop = StopOnDrop(self.control());
        let waiter = Arc::new(Waiter::new());
        let over = TellOnDrop(waiter.clone());
        // Where the span of the caller is known.
        let span = LoadSpan::begin(&self.config, &self.table, &self.options);
        let load = move || {
            // Also where the load panics.
            let _over = over;
            self.load_within(&span, sources)
        };
        let thread = thread::Builder::new().name("inrush-load".to_owned()).spawn(load);
        let thread = thread.map_err(|e| Error::io("cannot start a thread", e))?;
        poll_fn(|cx| waiter.poll(cx)).await;
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}

/// The report with options named as the front end has them.
fn named(mut report: Report, front_end: FrontEnd) -> Report {
    let name = |error| front_end.name_options(error);
    report.method_reason = front_end.names(&report.method_reason, false).into_owned();
    report.stop = report.stop.map(|stop| match stop {
        Stop::BadData(error) => Stop::BadData(name(error)),
        Stop::Failed(error) => Stop::Failed(name(error)),
        Stop::Unreadable(error) => Stop::Unreadable(name(error)),
        Stop::Interrupted => Stop::Interrupted,
    });
    report
}

/// The columns that every source fills with values of its own.
fn columns_of_all(plans: &[Arc<SourcePlan>]) -> Vec<String> {
    let names = |plan: &Arc<SourcePlan>| plan.plan.of_fields().map(|column| column.name.clone()).collect::<Vec<_>>();
    let mut names = plans.iter().map(names);
    let first = names.next().unwrap_or_default();
    names.fold(first, |common, names| common.into_iter().filter(|name| names.contains(name)).collect())
}

/// The columns that some sources fill, and that are NULL in the rows of the others.
fn null_elsewhere(plans: &[Arc<SourcePlan>], target: &Target, of_all: &[String]) -> Vec<String> {
    let is_null = |column: &Column, plan: &LoadPlan| {
        let is_it = |other: &Column| other.name == column.name;
        let by_server = column.nullable && !(column.has_default || column.auto_increment || column.generated);
        plan.of_fields().any(is_it) || plan.sets_null(&column.name) || (by_server && !plan.filled().iter().any(is_it))
    };
    let is_of_some =
        |column: &&Column| plans.iter().any(|plan| plan.plan.of_fields().any(|other| other.name == column.name));
    let columns = target.table.columns.iter().filter(|column| !of_all.contains(&column.name)).filter(is_of_some);
    let are_null = columns.filter(|column| plans.iter().all(|plan| is_null(column, &plan.plan)));
    are_null.map(|column| column.name.clone()).collect()
}

/// Stops a load that no caller waits for any more. It has no effect on a load that is over.
struct StopOnDrop(Arc<Control>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// Wakes the task that waits for the load.
struct TellOnDrop(Arc<Waiter<()>>);

impl Drop for TellOnDrop {
    fn drop(&mut self) {
        // If the future was dropped, no task waits for the load.
        self.0.serve(()).ok();
    }
}

/// As many rejects as a report shows.
const SHOWN_REJECTS: usize = 20;

/// The outcome of the beginning.
enum Begun {
    AsTheyCome,
    Sorted(sort::Sort),
    /// While rows were sorted, or while the load yielded to others.
    Stopped(Stop),
}

/// The steps between the opening of the jobs and the first row.
fn begin(
    first: &mut Lane<'_>,
    target: &Target,
    jobs: &mut Jobs,
    sources: &mut Vec<Box<dyn Source>>,
    plans: &mut Vec<Arc<SourcePlan>>,
    yielding: &mut Option<Yielding>,
) -> Result<Begun> {
    begin_rejects(target, jobs)?;
    if jobs.is_all_loaded() {
        return Ok(Begun::AsTheyCome);
    }
    let begun = if target.sort.sorts() {
        match sort::sort(target, jobs, sources, plans)? {
            Ok(sort) => {
                preflight::check_rows(target, Some(sort.report.records))?;
                Begun::Sorted(sort)
            }
            Err(stop) => return Ok(Begun::Stopped(stop)),
        }
    } else {
        preflight::check(target, jobs, sources, plans)?;
        Begun::AsTheyCome
    };
    // Until now the table is as it was.
    let has_waited = match yielding.as_mut().map_or(Ok(false), |yielding| yielding.wait(&target.load)) {
        Ok(has_waited) => has_waited,
        Err(stop) => return Ok(Begun::Stopped(stop)),
    };
    if has_waited || matches!(begun, Begun::Sorted(_)) {
        // Nothing was sent to the server for as long as the sort or the wait took.
        first.run_to_its_end("the connection", |connection| connection.execute("DO 0", ()).map(drop))?;
    }
    let preparing = StepSpan::prepare();
    let steps = open::first_steps(first, target, jobs);
    preparing.end();
    if steps.is_err() {
        first.let_go();
        open::drop_if_unused(target);
    }
    steps.map_err(|error| jobs.explained(target, error))?;
    if matches!(begun, Begun::Sorted(_)) || target.sort.by_server() {
        jobs.claim(first)?;
    }
    Ok(begun)
}

/// Makes sure that rejects can be written: during the load if no ledger keeps them, else at the end.
fn begin_rejects(target: &Target, jobs: &Jobs) -> Result<()> {
    if let BadRows::Divert(path) = &target.load.options.bad_rows
        && !jobs.is_all_loaded()
    {
        match &target.load.reject_store {
            Some(_) if !jobs.is_kept() => {
                return Err(Error::config(format!("without a ledger no bad rows are written to `{}`", path.display()))
                    .with_hint("the ledger keeps them until the object is complete: `--guarantee exactly-once`, or a file on the disk"));
            }
            // What is there may be what an earlier run has written when it was killed.
            Some(_) if jobs.may_have_reject_file() => {}
            Some(store) => store.check()?,
            None => rejects::check(path, jobs.may_have_reject_file())?,
        }
        if !jobs.is_kept() {
            lock(&target.load.counters).reject_file =
                Some(RejectFile::create(path, target.load.reject_header.clone())?);
        }
    }
    Ok(())
}

/// What earlier runs have stored counts as read and stored: `--max-bad` and the report are about the job.
fn count_resumed(target: &Target, jobs: &mut Jobs) {
    let resumed = jobs.resumed();
    let control = &target.load.control;
    control.read.fetch_add(resumed.records, Relaxed);
    control.stored.fetch_add(resumed.rows, Relaxed);
    control.resumed.fetch_add(resumed.rows, Relaxed);
    control.skipped.fetch_add(resumed.skipped, Relaxed);
    control.rejected.fetch_add(resumed.rejected, Relaxed);
    lock(&target.load.counters).stored_records = jobs.take_stored_records();
}

/// Whether the error is one that an abort itself causes: connections that were cut, waits that were cut short.
fn is_failure(stop: &Stop) -> bool {
    matches!(stop, Stop::Failed(error) if error.is_fatal() || matches!(error.kind(), Kind::Interrupted | Kind::Io | Kind::Protocol))
}

/// Checks that everything loaded is still what it was when it was opened. A file that another one has replaced was read as a whole.
fn confirm(sources: &[(Arc<str>, Arc<dyn Unchanged>)], target: &Target) -> Result<()> {
    for (name, unchanged) in sources {
        unchanged.confirm()?;
        if unchanged.is_replaced() {
            target.load.notify(&LoadEvent::Replaced { source: name.clone() });
        }
    }
    Ok(())
}

/// Makes the report; `sources` are those that can be compared with what they were.
fn report(
    target: Target,
    mut jobs: Jobs,
    finished: bool,
    sources: &[(Arc<str>, Arc<dyn Unchanged>)],
    sort: Option<load_report::Sort>,
) -> Report {
    let _finishing = StepSpan::finish();
    let control = &target.load.control;
    let mut counters = lock(&target.load.counters);
    // What an earlier run has finished was judged by that run.
    if !jobs.is_all_loaded() {
        counters.finish(&target.load.options, control);
    }
    let mut snapshot = control.snapshot();
    let not_loaded = snapshot.read - snapshot.stored - snapshot.skipped - snapshot.rejected - counters.unknown;
    // The connections of an aborted load fail because they were cut.
    let mut stop =
        counters.stop.take().map(|(_, stop)| stop).filter(|stop| !(control.is_aborted() && is_failure(stop)));
    if stop.is_none() && control.is_stopping() && (!finished || not_loaded > 0 || counters.unknown > 0) {
        stop = Some(Stop::Interrupted);
    }
    if let Some(file) = counters.reject_file.take()
        && let Err(error) = file.finish()
    {
        stop.get_or_insert(Stop::Failed(error));
    }
    let mut first_rejects = counters.take_first_rejects();
    let resumed = jobs.resumed();
    let mut is_whole = stop.is_none() && finished && not_loaded == 0 && counters.unknown == 0;
    if is_whole && let Err(error) = confirm(sources, &target) {
        (stop, is_whole) = (Some(Stop::Unreadable(error)), false);
    }
    if is_whole {
        let finished_before = jobs.already_loaded();
        let want = Totals {
            chunks: 0,
            records: snapshot.read - finished_before.records,
            rows: snapshot.stored - finished_before.rows,
            skipped: snapshot.skipped - finished_before.skipped,
            rejected: snapshot.rejected - finished_before.rejected,
        };
        match jobs.finish(&target, steps::LAST, &want) {
            Ok(Some(rejects)) => first_rejects = rejects,
            Ok(None) => {}
            Err(error) if error.kind() == Kind::Data => stop = Some(Stop::BadData(error)),
            Err(error) => stop = Some(Stop::Failed(error)),
        }
        snapshot.stored -= jobs.late();
        snapshot.rejected += jobs.late();
    }
    stop = stop.map(|stop| match stop {
        Stop::Failed(error) => Stop::Failed(jobs.explained(&target, error)),
        other => other,
    });
    if stop.is_some() {
        jobs.forget_passing(&target, steps::LAST);
    }
    match &stop {
        Some(Stop::BadData(error) | Stop::Failed(error) | Stop::Unreadable(error)) => {
            jobs.note_end(&target, &error.to_string());
        }
        Some(Stop::Interrupted) => jobs.note_end(&target, "interrupted"),
        None => {}
    }
    if stop.is_some() && snapshot.stored == 0 && counters.unknown == 0 {
        open::drop_if_unused(&target);
    }
    let choice = target.choice();
    let (mut lanes, tuning) = target.tuning.finish();
    if jobs.is_all_loaded() {
        lanes = 0;
    }
    let is_over = jobs.is_all_loaded() || is_whole && stop.is_none() || !jobs.can_go_on();
    let pending = if is_over || target.load.options.dry_run { Vec::new() } else { steps::pending(&target, &jobs) };
    Report {
        columns: Vec::new(),
        null_elsewhere: Vec::new(),
        pending,
        jobs: jobs.job_reports(is_whole && stop.is_none()),
        resumed,
        table: target.name(),
        server: target.server.clone(),
        host: target.config.taken_host(),
        method: choice.method,
        method_reason: choice.reason,
        lanes,
        tuning,
        order: target.sort.choice(),
        time_zone: target.session.time_zone.clone(),
        chunks: snapshot.chunks,
        replays: target.load.replays.load(Relaxed),
        retries: std::mem::take(&mut lock(&target.load.retries)),
        read: snapshot.read,
        mode: target.load.options.mode,
        stored: snapshot.stored,
        skipped: snapshot.skipped,
        changed: counters.changed.changed,
        rejected: snapshot.rejected,
        not_loaded,
        unknown: counters.unknown,
        bytes: sort.as_ref().map_or(snapshot.bytes, |sort| sort.source_bytes),
        sort,
        elapsed: control.elapsed(),
        yielded: control.yielded(),
        waits: control.waited(),
        stored_records: load_report::merge(std::mem::take(&mut counters.stored_records)),
        unknown_records: load_report::merge(std::mem::take(&mut counters.unknown_records)),
        first_rejects,
        harmless: std::mem::take(&mut lock(&target.load.noted)),
        dry_run: target.load.options.dry_run,
        stop,
    }
}
