//! A load from its arguments to its report.
//!
//! The load runs in a thread of its own. The thread that called answers the iterators' requests, passes messages on, shows progress, and
//! handles Ctrl-C: the first stops after the current chunks, the second shuts the connections.

use crate::capsule;
use crate::cells::{Rows, Taming};
use crate::ending::Visit;
use crate::source::{Ask, Data, Iterator_, Opening, Planned, PlannedSources, Request};
use crate::{connection, failure, files, new_table, report};
use inrush::documents::Events;
use inrush::sans_io::load::{FieldTarget, Matching};
use inrush::{
    BadRows, BatchSize, Computed, LoadEvent, LoadOption, LoadOptions, Loader, NamedJob, NewColumns, OptionValue,
    ReplicaUrl, Report, Source,
};
use inrush_core::{Error, FrontEnd, Kind};
use inrush_files::hints::{self, Reading};
use inrush_files::{
    FileOptions, Makes, NewTypes, QuotedEmpties, TableColumns, check_all_names, check_fields_of_formats,
    check_other_names, check_reject_file, describe_all, likely_encodings, refuse_other_encodings, reject_file_name,
    reject_header, reject_store,
};
use pyo3::exceptions::{PyException, PyKeyboardInterrupt, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};
use serde_json::json;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Stops a load from another thread: what `asyncio` cancels by.
#[pyclass(frozen)]
#[derive(Default)]
pub(crate) struct Control {
    load: Mutex<Option<Arc<inrush::Control>>>,
    is_stopping: AtomicBool,
}

#[pymethods]
impl Control {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// Stops after the current chunks; called again, at once.
    fn stop(&self) {
        let was_stopping = self.is_stopping.swap(true, Relaxed);
        let load = self.load.lock().unwrap_or_else(PoisonError::into_inner);
        match &*load {
            Some(load) if was_stopping => load.abort(),
            Some(load) => load.stop(),
            None => {}
        }
    }
}

impl Control {
    fn watch(&self, load: &Arc<inrush::Control>) {
        *self.load.lock().unwrap_or_else(PoisonError::into_inner) = Some(load.clone());
        if self.is_stopping.load(Relaxed) {
            load.stop();
        }
    }
}

/// The messages of the load's thread.
enum Event {
    Request(Request),
    /// The level of `logging`, and the text.
    Said(u8, String),
    /// An event as JSON, where a function takes them.
    Told(String),
    Begun(Arc<inrush::Control>),
    Done(inrush::Result<Report>),
}

/// Levels of `logging`.
const DEBUG: u8 = 10;
const INFO: u8 = 20;
const WARNING: u8 = 30;

/// How often progress is shown and signals are looked for.
const TICK: Duration = Duration::from_millis(50);

/// How long a load that was aborted may take to end. It takes longer only where code that gives rows does not come back.
const PATIENCE: Duration = Duration::from_secs(5);

/// Loads `data` and returns the report.
///
/// `data` is a list of tuples: `("paths", texts)`, `("arrow", object, number of rows or None)`, `("batches", iterator)`, or
/// `("rows", iterator, names)`, where a row is a sequence of as many values. `options` are those of `inrush.load` by their names.
#[pyfunction]
#[pyo3(signature = (data, table, to, options, progress=None, log=None, events=None, control=None))]
#[expect(clippy::too_many_arguments, reason = "called by one function of Python, by keyword")]
pub(crate) fn load<'py>(
    py: Python<'py>,
    data: Vec<Bound<'py, PyTuple>>,
    table: String,
    to: &Bound<'py, PyAny>,
    options: &Bound<'py, PyDict>,
    progress: Option<Bound<'py, PyAny>>,
    log: Option<Bound<'py, PyAny>>,
    events: Option<Bound<'py, PyAny>>,
    control: Option<Bound<'py, Control>>,
) -> PyResult<Bound<'py, PyAny>> {
    let config = connection::config(to)?;
    let mut options = Options::read(options)?;
    options.has_event_caller = events.is_some();
    let data = data.iter().map(|one| of_tuple(one, options.taming)).collect::<PyResult<Vec<_>>>()?;
    let plan = PlannedSources::new(data);
    let job = options.job.clone();
    let (sender, mut inbox) = channel();
    let PlannedSources { sources, mut iterators } = plan;
    let thread = thread::Builder::new().name("inrush load".into()).spawn(move || {
        let result = run(config, table, options, sources, &sender);
        // The caller may have given up.
        let _ = sender.send(Event::Done(result));
    })?;
    let mut caller = Caller {
        visit: Visit::new(),
        progress,
        log,
        events,
        control,
        load: None,
        stops: 0,
        aborted: None,
        raised: None,
    };
    let outcome = caller.attend(py, &mut inbox, &mut iterators);
    if outcome.is_some() {
        // It has nothing more to do.
        let _ = caller.visit.detached(py, || thread.join());
    }
    let raised = caller.raised.take().or_else(|| iterators.iter_mut().find_map(|iterator| iterator.raised.take()));
    finish(py, outcome, raised, job.as_deref())
}

/// The result of the call, or the exception that it raises.
fn finish<'py>(
    py: Python<'py>,
    outcome: Option<inrush::Result<Report>>,
    raised: Option<PyErr>,
    job: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let error = match outcome {
        None => raised.unwrap_or_else(|| failure::left(py)),
        Some(Err(error)) => raised.unwrap_or_else(|| failure::not_begun(py, &error, job)),
        Some(Ok(report)) => match raised {
            // Ctrl-C; perhaps it came too late to stop anything, and is still the caller's to hear of.
            Some(raised) if !raised.is_instance_of::<PyException>(py) => with_report(py, raised, &report),
            raised => match (failure::stopped(py, &report, job, raised.as_ref()), raised) {
                (None, None) => return report::as_report(py, &report),
                (None, Some(raised)) => with_report(py, raised, &report),
                (Some(stopped), _) => stopped,
            },
        },
    };
    Err(error)
}

fn with_report(py: Python<'_>, raised: PyErr, report: &Report) -> PyErr {
    // An exception without room for it says less.
    let _ = report::as_report(py, report).and_then(|report| raised.value(py).setattr("report", report));
    raised
}

/// The thread that called, as it waits for its load.
struct Caller<'py> {
    visit: Visit,
    progress: Option<Bound<'py, PyAny>>,
    log: Option<Bound<'py, PyAny>>,
    /// What takes each event as JSON.
    events: Option<Bound<'py, PyAny>>,
    control: Option<Bound<'py, Control>>,
    load: Option<Arc<inrush::Control>>,
    /// How many times a stop was requested.
    stops: u32,
    aborted: Option<Instant>,
    /// What a signal's handler, or the progress, raised first.
    raised: Option<PyErr>,
}

impl Caller<'_> {
    /// Until the load is over. `None`: it was aborted, and does not end.
    fn attend(
        &mut self,
        py: Python<'_>,
        inbox: &mut Receiver<Event>,
        iterators: &mut [Iterator_],
    ) -> Option<inrush::Result<Report>> {
        let mut shown = Instant::now();
        loop {
            let waiting = &mut *inbox;
            let event = self.visit.detached(py, move || waiting.recv_timeout(TICK));
            match event {
                Ok(Event::Done(result)) => {
                    self.show(py, true);
                    return Some(result);
                }
                Ok(Event::Begun(load)) => {
                    if let Some(control) = &self.control {
                        control.get().watch(&load);
                    }
                    self.load = Some(load);
                    if self.stops > 0 {
                        self.stop();
                    }
                }
                Ok(Event::Said(level, text)) => self.say(level, &text),
                Ok(Event::Told(line)) => {
                    if let Some(events) = &self.events
                        && let Err(raised) = events.call1((line,))
                    {
                        self.interrupt(raised);
                    }
                }
                Ok(Event::Request(request)) => {
                    let reply = match self.raised {
                        Some(_) => Err("the load was interrupted".into()),
                        None => iterators[request.iterator].next(py),
                    };
                    self.note_raised(py, &mut iterators[request.iterator]);
                    let _ = request.reply.send(reply);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Some(Err(Error::new(
                        Kind::Protocol,
                        "the load ended without a result; this is a bug of inrush",
                    )));
                }
            }
            if let Err(raised) = py.check_signals() {
                self.interrupt(raised);
            }
            if shown.elapsed() >= TICK * 2 {
                self.show(py, false);
                shown = Instant::now();
            }
            if self.aborted.is_some_and(|aborted| aborted.elapsed() > PATIENCE) {
                return None;
            }
        }
    }

    /// Ctrl-C within the code that gives the rows is Ctrl-C.
    fn note_raised(&mut self, py: Python<'_>, iterator: &mut Iterator_) {
        if iterator.raised.as_ref().is_some_and(|raised| raised.is_instance_of::<PyKeyboardInterrupt>(py))
            && let Some(raised) = iterator.raised.take()
        {
            self.interrupt(raised);
        }
    }

    fn interrupt(&mut self, raised: PyErr) {
        // A callback that raises each time it is called asks once; a second Ctrl-C means at once.
        let is_ctrl_c = Python::attach(|py| raised.is_instance_of::<PyKeyboardInterrupt>(py));
        let is_first = self.raised.is_none();
        self.raised.get_or_insert(raised);
        if !is_first && !is_ctrl_c {
            return;
        }
        self.stops += 1;
        self.stop();
        let how = if self.stops > 1 { "stopping at once" } else { "stopping: chunks on their way are finished first" };
        self.say(WARNING, how);
    }

    fn stop(&mut self) {
        let Some(load) = &self.load else { return };
        if self.stops > 1 {
            self.aborted.get_or_insert_with(Instant::now);
            load.abort();
        } else {
            load.stop();
        }
    }

    fn say(&mut self, level: u8, text: &str) {
        if let Some(log) = &self.log
            && let Err(raised) = log.call1((level, text))
        {
            self.interrupt(raised);
        }
    }

    fn show(&mut self, py: Python<'_>, is_over: bool) {
        let (Some(progress), Some(load)) = (&self.progress, &self.load) else { return };
        let now = load.snapshot();
        let show = || -> PyResult<()> {
            let class = py.import("inrush._report")?.getattr("Progress")?;
            let seconds = load.elapsed().as_secs_f64();
            let state = class.call1((
                now.read,
                now.stored,
                now.skipped,
                now.rejected,
                now.bytes,
                now.left,
                now.chunks,
                now.lanes,
                seconds,
                is_over,
            ))?;
            progress.call1((state,)).map(drop)
        };
        if let Err(raised) = show() {
            self.interrupt(raised);
        }
    }
}

/// The load's own thread: opens, looks, loads.
fn run(
    config: inrush::Config,
    table: String,
    mut options: Options,
    planned: Vec<Planned>,
    events: &Sender<Event>,
) -> inrush::Result<Report> {
    let say = |text: &str| {
        let _ = events.send(Event::Said(INFO, FrontEnd::Python.names(text, true).into_owned()));
    };
    let asked = events.clone();
    let ask: Ask = Arc::new(move |request| asked.send(Event::Request(request)).is_ok());
    let of_table = (config.clone(), table.clone());
    let read = move || Loader::columns(&of_table.0, &of_table.1);
    let makes_anew = options.creates && options.load.replace;
    let columns = TableColumns::of_load(&options.load.matching, &options.load.set, options.load.mode, makes_anew, read);
    let csv = options
        .files
        .csv_options(options.creates)?
        .with_memory(options.load.memory)
        .with_columns_of_table(columns)
        .with_dump_table(inrush::table::TableName::parse(&table)?.name)
        .with_ignore_late_names(options.load.new_columns == NewColumns::Ignore);
    let csv = match options.load.batch {
        BatchSize::Rows(rows) => csv.with_batch_rows(Some(rows)).with_batch_bytes(BatchSize::MOST_BYTES),
        BatchSize::Bytes(bytes) => csv.with_batch_bytes(bytes),
        BatchSize::Auto => csv,
    };
    let opening = Opening {
        job: options.job.clone(),
        by_content: options.load.job.is_some() && !options.load.skip_loaded,
        format: options.files.format,
        csv: &csv,
        taming: options.taming,
        ask,
    };
    let mut opened = opening.open_all(planned)?;
    drop(opening);
    let has_names = options.has_names && opened.have_header;
    if !has_names && options.load.matching == Matching::ByName {
        options.load.matching = Matching::ByPosition;
    }
    check_fields_of_formats(&opened.sources, &csv)?;
    check_all_names(&opened.sources, &csv, options.types.is_some())?;
    check_other_names(&opened.sources, (&csv, options.files.format), options.load.new_columns)?;
    describe_all(&opened.sources).iter().for_each(|line| say(line));
    let likely = likely_encodings(&opened.sources);
    if options.load.new_columns == NewColumns::Add
        && let Some(types) = options.types.take()
    {
        let makes = match (options.creates, makes_anew) {
            (_, true) => Makes::TableAnew,
            (true, false) => Makes::Table,
            (false, false) => Makes::Columns,
        };
        let used = options.load.set.iter().flat_map(Computed::fields).map(str::to_owned).collect();
        let read = || Loader::columns(&config, &table);
        options.types = types.adding_to(makes, &options.load.matching, used, read)?;
    }
    if let Some(types) = &options.types {
        refuse_other_encodings(&likely)?;
        let made =
            new_table::columns(&mut opened, types, &options.load, options.files.format, &csv, &mut |line| say(line))?;
        if types.only_adds() {
            options.load.addable.clone_from(&made.columns);
        }
        if options.creates {
            options.load.create = Some(made.columns);
        }
        options.load.keep_spelling = made.keep_spelling;
    }
    let (mut header, mut bad_rows_to) = (Vec::new(), None);
    if let BadRows::Divert(file) = &mut options.load.bad_rows {
        *file = reject_file_name(&file.to_string_lossy(), &table, &opened.files).into();
        check_reject_file(file, &opened.files, &opened.sources)?;
        bad_rows_to = reject_store(file)?;
        if has_names || opened.sources.iter().any(|source| source.as_csv().is_some()) {
            header = reject_header(&opened.sources, has_names, &options.load.matching);
        }
    }
    let quoted_empties = QuotedEmpties::of(&opened.sources);
    let told = match (&options.events, options.has_event_caller) {
        (None, true) => {
            let to = events.clone();
            Events::to(move |line| drop(to.send(Event::Told(line.to_owned()))))
        }
        (file, _) => Events::open(file.as_deref())?,
    };
    told.write("start", json!({ "files": opened.files, "into": table }));
    let sources: Vec<Box<dyn Source>> = opened.sources.into_iter().map(|source| source as Box<dyn Source>).collect();
    let loader = Loader::new(config, &table).with_front_end(FrontEnd::Command);
    let _ = events.send(Event::Begun(loader.control()));
    let (said, observed) = (events.clone(), told.clone());
    let loader = loader.with_options(options.load).with_reject_header(header).with_reject_store(bad_rows_to);
    let loader = loader.with_event_handler(move |event| {
        observed.write_event(event);
        if let Some((level, text)) = words(event) {
            let _ = said.send(Event::Said(level, text));
        }
    });
    let report = loader.load(sources);
    if let Some(line) = quoted_empties.describe() {
        say(&line);
    }
    let (files, format) = (&opened.files[..], options.files.format);
    let reading = Reading { files, format, csv: &csv, types: options.types.as_ref(), table: &table };
    let end = hints::at_end(report, &reading, &likely);
    told.write_end(&end);
    end
}

/// An event for `logging`; the report has the others.
fn words(event: &LoadEvent) -> Option<(u8, String)> {
    let level = match event {
        LoadEvent::Stored(_) | LoadEvent::Rejected(_) => return None,
        LoadEvent::Tuned(_) | LoadEvent::Method(_) => DEBUG,
        LoadEvent::Retry { .. }
        | LoadEvent::RetryStep { .. }
        | LoadEvent::FewerLanes { .. }
        | LoadEvent::Silent { .. }
        | LoadEvent::ThrottleUnread { .. }
        | LoadEvent::ShortOfMemory { .. }
        | LoadEvent::Touched { .. }
        | LoadEvent::Replaced { .. }
        | LoadEvent::TempDir { .. }
        | LoadEvent::RejectsNotKept { .. } => WARNING,
        _ => INFO,
    };
    Some((level, event.in_words(FrontEnd::Python)))
}

/// One argument of `data`.
fn of_tuple(tuple: &Bound<'_, PyTuple>, taming: Taming) -> PyResult<Data> {
    let kind: String = tuple.get_item(0)?.extract()?;
    let object = tuple.get_item(1)?;
    match &*kind {
        "paths" => Ok(Data::Paths(object.extract()?)),
        "arrow" => match capsule::reader(&object)? {
            Some(reader) => Ok(Data::Arrow(reader, tuple.get_item(2)?.extract()?)),
            None => Err(PyTypeError::new_err("it has no Arrow data")),
        },
        "batches" => Ok(Data::Batches(object.unbind())),
        "rows" => Ok(Data::Rows(object.unbind(), Rows::new(tuple.get_item(2)?.extract()?, taming))),
        other => Err(PyValueError::new_err(format!("`{other}` is no kind of data"))),
    }
}

/// The options that the caller gave.
struct Options {
    load: LoadOptions,
    files: FileOptions,
    /// How the types of a new table are found, if one may be made.
    types: Option<NewTypes>,
    job: Option<String>,
    part: Option<String>,
    parts: Option<u64>,
    /// The file that events are appended to.
    events: Option<PathBuf>,
    /// Whether a function takes them instead.
    has_event_caller: bool,
    taming: Taming,
    creates: bool,
    has_names: bool,
}

impl Options {
    /// Reads every option; an unknown one is a mistake of the Python side.
    fn read(given: &Bound<'_, PyDict>) -> PyResult<Self> {
        let mut options = Options {
            load: LoadOptions::default(),
            files: FileOptions::default(),
            types: None,
            job: None,
            part: None,
            parts: None,
            events: None,
            has_event_caller: false,
            taming: Taming::default(),
            creates: false,
            has_names: true,
        };
        for (name, value) in given {
            let name: String = name.extract()?;
            if !value.is_none() {
                options.set(&name, &value)?;
            }
        }
        options.types = options.new_types(given)?;
        options.load.job = options.named_job(given.py())?;
        Ok(options)
    }

    /// The part of a named job that is loaded.
    fn named_job(&self, py: Python<'_>) -> PyResult<Option<NamedJob>> {
        match (&self.job, &self.part) {
            (Some(job), Some(part)) => Ok(Some(NamedJob::new(job).part(part).of(self.parts))),
            (None, Some(_)) => Err(failure::interface(py, "`part` is a part of a job: give `job`, its name")),
            (_, None) if self.parts.is_some() => {
                Err(failure::interface(py, "`parts` is the number of parts: give `part`, the one that is loaded"))
            }
            (_, None) => Ok(None),
        }
    }

    /// How the types of a new table are found.
    fn new_types(&self, given: &Bound<'_, PyDict>) -> PyResult<Option<NewTypes>> {
        let given = |name: &str| Ok::<_, PyErr>(given.get_item(name)?.filter(|value| !value.is_none()));
        let sample: Option<String> = given("sample")?.map(|value| value.extract()).transpose()?;
        let tight = given("tight")?.is_some_and(|value| value.is_truthy().unwrap_or(true));
        let types: Vec<String> = given("type")?.map(|value| value.extract()).transpose()?.unwrap_or_default();
        let adds = self.load.new_columns == NewColumns::Add;
        if self.creates || adds {
            let types = NewTypes::parse(sample.as_deref(), tight, &types).map(Some);
            return types.map_err(|error| Python::attach(|py| failure::exception(py, &error)));
        }
        let has_none = sample.is_none() || self.files.reads_all_names;
        match has_none && !tight && types.is_empty() {
            true => Ok(None),
            false => Err(Python::attach(|py| {
                failure::interface(py, "`type`, `sample` and `tight` are for a new table: give `create`, too")
            })),
        }
    }

    fn set(&mut self, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let load = &mut self.load;
        let text = || value.extract::<String>();
        let refuse = |takes: &str| {
            let shown = value.repr().map_or_else(|_| "?".into(), |shown| shown.to_string());
            failure::interface(value.py(), format!("`{name}={shown}` is not understood: it takes {takes}"))
        };
        let ours = |error: Error| failure::exception(value.py(), &error);
        match name {
            "job" => self.job = Some(text()?),
            "part" => {
                self.part = Some(match value.extract::<u64>() {
                    Ok(number) => number.to_string(),
                    Err(_) => text()?,
                })
            }
            "parts" => self.parts = Some(value.extract()?),
            "columns" => {
                load.matching = match value.cast::<PyString>() {
                    Ok(word) if word.to_str()? == "name" => Matching::ByName,
                    Ok(word) if word.to_str()? == "position" => Matching::ByPosition,
                    Ok(_) => return Err(refuse("\"name\", \"position\", or a list of columns")),
                    Err(_) => {
                        let target = |name: String| match name.strip_prefix('@') {
                            Some(name) => FieldTarget::Skip(name.to_owned()),
                            None => FieldTarget::Column(name),
                        };
                        Matching::Listed(value.extract::<Vec<String>>()?.into_iter().map(target).collect())
                    }
                }
            }
            "has_names" => self.has_names = value.extract()?,
            "create" => {
                let (creates, replaces) = match (value.extract::<bool>(), value.extract::<String>().as_deref()) {
                    (Ok(creates), _) => (creates, false),
                    (_, Ok("append")) => (true, false),
                    (_, Ok("replace")) => (true, true),
                    _ => return Err(refuse("True, \"append\" or \"replace\"")),
                };
                self.creates = creates;
                replace(load, replaces);
            }
            "bad_rows" => {
                let known = BadRows::parse(&text()?);
                load.bad_rows = known.ok_or_else(|| refuse("\"stop\", \"skip\" or \"divert:FILE\""))?;
            }
            // Read together.
            "sample" => self.files.reads_all_names = text()? == "all",
            "tight" | "type" => {}
            "nan" => {
                self.taming.nan_is_null = match &*text()? {
                    "error" => false,
                    "null" => true,
                    _ => return Err(refuse("\"error\" or \"null\"")),
                }
            }
            "time_zone" => load.time_zone = text()?,
            "set" => {
                let all = value.extract::<Vec<String>>()?;
                load.set = all.iter().map(|one| Computed::parse(one)).collect::<inrush::Result<_>>().map_err(ours)?;
            }
            "events" => self.events = Some(value.extract()?),
            "tuning_trace" => load.tuning_trace = Some(value.extract()?),
            "temp_dir" => load.temp_dir = Some(value.extract()?),
            "if_loaded" => {
                load.skip_loaded = match &*text()? {
                    "error" => false,
                    "skip" => true,
                    _ => return Err(refuse("\"error\" or \"skip\"")),
                }
            }
            "nanoseconds" => {
                self.taming.truncates = match &*text()? {
                    "error" => false,
                    "truncate" => true,
                    _ => return Err(refuse("\"error\" or \"truncate\"")),
                }
            }
            "force" => load.force = value.extract()?,
            declared if LoadOption::find(declared).is_some() => set_declared(load, declared, value, &refuse)?,
            other => {
                let no_such = || failure::interface(value.py(), format!("`{other}` is no option of a load"));
                files::set(&mut self.files, other, value)?.ok_or_else(no_such)?;
            }
        }
        Ok(())
    }
}

/// Sets an option of the library's table. Numbers are read as the text that they are written as.
fn set_declared(
    load: &mut LoadOptions,
    name: &str,
    value: &Bound<'_, PyAny>,
    refuse: &dyn Fn(&str) -> PyErr,
) -> PyResult<()> {
    let Some(option) = LoadOption::find(name) else { return Ok(()) };
    let texts: Vec<String> = match option.value {
        OptionValue::Switch => {
            if value.extract::<bool>()? {
                vec!["true".into()]
            } else {
                Vec::new()
            }
        }
        OptionValue::One { .. } => vec![value.str()?.extract()?],
        OptionValue::Many { .. } | OptionValue::List { .. } => value.extract()?,
    };
    if name == "replica" {
        // A refusal would show the URL, and its password.
        let parsed = texts.iter().try_for_each(|text| ReplicaUrl::parse(text).map(drop));
        parsed.map_err(|error| failure::exception(value.py(), &error.while_doing("`replica`")))?;
    }
    texts.iter().try_for_each(|text| option.set(load, text).ok_or_else(|| refuse(option.takes)))
}

/// With `replaces`, a new table replaces the existing one.
fn replace(load: &mut LoadOptions, replaces: bool) {
    load.replace |= replaces;
    load.atomic |= replaces;
    load.truncate |= replaces;
}
