//! Runs the cells of `load`. The file is written once; if a cell copies, its rows are also stored in a table to copy from. Each run fills
//! an empty table, whose rows are then counted and summed.

use super::data::Data;
use super::disk::{self, Pages};
use super::seconds::ServerSeconds;
use super::{Cell, LoadWriter, Order};
use crate::clock::Clock;
use crate::counters::SharedCounters;
use crate::dataset::{Checksum, checksum_query};
use crate::facts::ServerProcess;
use crate::profile::Recording;
use crate::results::Sample;
use crate::server_file::ServerFile;
use inrush::blocking::Connection;
use inrush::sans_io::column::ColumnType;
use inrush::sans_io::load::Source;
use inrush::sans_io::load::report::{Report, Stop};
use inrush::sans_io::{Error, Kind, Result};
use inrush::{BatchSize, Computed, Config, EventHandler, FrontEnd, LoadEvent, LoadOptions, Loader, Method, Sort};
use inrush_files::{CsvOptions, Format};
use std::fs::File;
use std::io::{BufWriter, ErrorKind, Write as _};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

/// What is loaded.
#[derive(Clone, Debug, PartialEq)]
pub enum Input {
    /// A data set, which is written to a file first.
    Made(Data),
    /// A file, and the columns of its table with their types; with `None` they are inferred from the file.
    File(PathBuf, Option<String>),
}

/// How cells are run.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The schema, which must exist.
    pub schema: String,
    /// The seed of the rows.
    pub seed: u64,
    /// What takes longer is cut, and not run again.
    pub cap: Duration,
    /// Where the server reads files that we write.
    pub folder: Option<PathBuf>,
    /// Whether rows are copied from another table.
    pub copies: bool,
    /// Whether the server reads a sorted file as well.
    pub sorts_file: bool,
    /// Whether the server is profiled meanwhile.
    pub profiles: bool,
    /// Set when the user interrupts.
    pub stop: Arc<AtomicBool>,
}

/// Loads a file again and again.
pub struct Loads {
    settings: Settings,
    config: Config,
    connection: Connection,
    server: Option<ServerProcess>,
    file: OurFile,
    /// The same, where the server reads it.
    server_file: Option<ServerFile>,
    /// The same in the order of the keys.
    sorted_file: Option<ServerFile>,
    csv: CsvOptions,
    columns: Vec<String>,
    data: Option<Data>,
    ddl: String,
    want: Checksum,
    /// Whether the ledger goes with us: no other loads are in it.
    owns_ledger: bool,
}

/// A file; one that we wrote goes with it.
struct OurFile {
    path: PathBuf,
    is_ours: bool,
}

impl Drop for OurFile {
    fn drop(&mut self) {
        if self.is_ours {
            // The error cannot be reported any more.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

impl Drop for Loads {
    fn drop(&mut self) {
        if self.owns_ledger {
            let tables = LEDGER.map(|name| format!("`{}`.{name}", self.settings.schema)).join(", ");
            let _ = self.connection.execute(&format!("DROP TABLE IF EXISTS {tables}"), ());
        }
    }
}

impl Input {
    /// Checks that it can be read, before connecting to a server.
    ///
    /// # Errors
    /// Those of opening it.
    pub fn check(&self) -> Result<()> {
        match self {
            Input::Made(_) => Ok(()),
            Input::File(path, _) => {
                inrush_files::open(&path.to_string_lossy(), Format::Auto, &CsvOptions::default()).map(drop)
            }
        }
    }

    /// The definition of the table `name`, with so many secondary indexes if it is one of ours.
    ///
    /// # Errors
    /// Those of reading the file.
    pub fn ddl(&self, name: &str, indexes: usize) -> Result<String> {
        let columns = match self {
            Input::Made(data) => return Ok(data.ddl(name, indexes)),
            Input::File(_, Some(columns)) => columns.clone(),
            Input::File(path, None) => {
                let mut file = inrush_files::open(&path.to_string_lossy(), Format::Auto, &CsvOptions::default())?;
                let found = file.infer_types(SAMPLE_BYTES)?;
                let is_csv = file.as_csv().is_some();
                let column = |column: &inrush_files::Inferred| {
                    // The server itself reads the file too, and it does not rewrite texts.
                    let is_rewritten = column.date_format.is_some()
                        || column.ty == ColumnType::Uuid
                        || is_csv && matches!(column.ty, ColumnType::Int { bool: true, .. });
                    let definition = if is_rewritten { "VARCHAR(64)".into() } else { column.definition(false) };
                    format!("`{}` {definition}", column.name.replace('`', "``"))
                };
                found.iter().map(column).collect::<Vec<_>>().join(", ")
            }
        };
        Ok(format!("CREATE TABLE {name} ({columns}) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4"))
    }
}

impl Loads {
    /// Writes the file if it is one of ours, and loads it into the table that is copied from. Every run must have the same checksum. Of
    /// a file of the user it is that of the first load.
    ///
    /// # Errors
    /// `Io`, and those of the server.
    pub fn new(config: &Config, settings: Settings, input: &Input) -> Result<Self> {
        let config = config.clone().with_local_infile(true);
        let mut connection = Connection::connect(&config)?;
        let server = ServerProcess::find(&mut connection);
        let schema = &settings.schema;
        let sql = "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = ? AND table_name = ?";
        let ledgers: u64 = connection.query_one(sql, (schema.as_str(), LEDGER[0]))?;
        // A copy of a run that could not clean up is removed as well.
        let others = format!("SELECT COUNT(*) FROM `{schema}`.{} WHERE NOT {OF_OURS}", LEDGER[0]);
        let owns_ledger = ledgers == 0 || connection.query_one::<u64>(&others, ())? == 0;
        let (file, data, want) = match input {
            Input::Made(data) => {
                let (file, sum) = write(|out| data.write(settings.seed, out))?;
                (file, Some(*data), Some(sum))
            }
            Input::File(path, _) => (OurFile { path: path.clone(), is_ours: false }, None, None),
        };
        let server_file = match &settings.folder {
            Some(folder) if data.is_some() => Some(ServerFile::copy(folder, &file.path)?),
            _ => None,
        };
        let sorted_file = match (&settings.folder, data) {
            (Some(folder), Some(data)) if settings.sorts_file => {
                let (sorted, sum) = write(|out| data.write_sorted(settings.seed, out))?;
                want.unwrap_or_default().expect_there(sum)?;
                Some(ServerFile::copy(folder, &sorted.path)?)
            }
            _ => None,
        };
        let nulls: Vec<_> = data.iter().map(|_| b"\\N".to_vec()).collect();
        let csv = CsvOptions::default().with_nulls(nulls);
        let ddl = input.ddl("{}", 0)?;
        let is_copied = settings.copies || data.is_none();
        let mut loads = Self {
            settings,
            config,
            connection,
            server,
            file,
            server_file,
            sorted_file,
            csv,
            columns: data.iter().flat_map(Data::columns).collect(),
            data,
            ddl,
            want: want.unwrap_or_default(),
            owns_ledger,
        };
        loads.forget()?;
        if is_copied {
            loads.fill_source(want)?;
        }
        Ok(loads)
    }

    /// Connects again, to a server that was started again.
    ///
    /// # Errors
    /// Those of the server.
    pub fn reconnect(&mut self) -> Result<()> {
        self.connection = Connection::connect(&self.config)?;
        self.server = ServerProcess::find(&mut self.connection);
        Ok(())
    }

    /// Rows of the file.
    pub fn rows(&self) -> u64 {
        self.want.rows
    }

    fn fill_source(&mut self, want: Option<Checksum>) -> Result<()> {
        self.make(SOURCE, 0)?;
        let sql = "SELECT column_name FROM information_schema.columns WHERE table_schema = ? AND table_name = ? ORDER BY ordinal_position";
        self.columns = self
            .connection
            .query::<(String,)>(sql, (self.settings.schema.as_str(), SOURCE))?
            .into_iter()
            .map(|row| row.0)
            .collect();
        // Without LOCAL, by any method that the server allows.
        let options = LoadOptions::default().with_set(self.set()?);
        let (report, _) = self.loader(SOURCE, options, &self.csv.clone(), None, None)?;
        let (stored, read) = report.map_or((0, 0), |report| (report.stored, report.read));
        let there = self.sum(SOURCE)?;
        match want {
            Some(want) => want.expect_there(there)?,
            None if there.rows == stored && stored == read => self.want = there,
            None => {
                return Err(Error::new(
                    Kind::Protocol,
                    format!("the file has {read} rows, {stored} were stored, the table holds {}", there.rows),
                ));
            }
        }
        Ok(())
    }

    fn make(&mut self, table: &str, indexes: usize) -> Result<()> {
        let quoted = self.quoted(table);
        let ddl = self.data.map_or_else(|| self.ddl.replacen("{}", &quoted, 1), |data| data.ddl(&quoted, indexes));
        self.connection.execute(&format!("DROP TABLE IF EXISTS {quoted}"), ())?;
        self.connection.execute(&ddl, ())?;
        Ok(())
    }

    /// The columns that are computed from fields of the file.
    fn set(&self) -> Result<Vec<Computed>> {
        self.data.and_then(|data| data.set()).into_iter().map(Computed::parse).collect()
    }

    fn quoted(&self, table: &str) -> String {
        format!("`{}`.`{table}`", self.settings.schema)
    }

    fn sum(&mut self, table: &str) -> Result<Checksum> {
        let table = self.quoted(table);
        let columns: Vec<String> = self.columns.iter().map(|name| format!("`{}`", name.replace('`', "``"))).collect();
        let sql = self.data.map_or_else(|| checksum_query(&table, &columns), |data| data.checksum_query(&table));
        let (rows, sum): (u64, u64) = self.connection.query_one(&sql, ())?;
        Ok(Checksum { rows, sum })
    }

    /// Runs a cell once. A load that is cut has stored some of its chunks, a statement nothing. What was lost or undone and tried again
    /// is among the errors. The clock stops at the last answer: pages that are still to be written then do not count.
    ///
    /// # Errors
    /// Those of the loader and of the server; `Protocol` if the table does not hold the rows of the file.
    pub fn run(&mut self, cell: &Cell) -> Result<Sample> {
        self.make(TARGET, cell.indexes.unwrap_or(0))?;
        self.forget()?;
        let seconds = ServerSeconds::watch(&self.config)?;
        let chunks = Arc::new(SharedCounters::new(1));
        let pages = Pages::so_far(&mut self.connection)?;
        let folder = std::env::temp_dir();
        let recording = self.settings.profiles.then(|| Recording::start(self.server.as_ref(), folder)).transpose()?;
        let clock = Clock::start(self.server.as_ref());
        let (report, cut_at) = self.load(cell, clock.started(), &chunks)?;
        let written = clock.written(cut_at.unwrap_or(self.want.rows), cut_at.is_some());
        let server_curve = seconds.stop();
        let profile = recording.map(Recording::end).transpose()?.unwrap_or_default();
        let pages = Pages::so_far(&mut self.connection)?.zip(pages).map(|(now, then)| now.since(then));
        if cut_at.is_some() {
            self.forget()?;
        }
        let table_bytes = disk::table_bytes(&mut self.connection, &self.settings.schema, TARGET);
        let there = self.sum(TARGET)?;
        match cut_at {
            None => self.want.expect_there(there)?,
            // Which ones they are is not known.
            Some(rows) => Checksum { rows, ..there }.expect_there(there)?,
        }
        let cut = cut_at.is_some() || written.took > self.settings.cap;
        let retries = report.map(|report| report.retries).unwrap_or_default();
        let first_error = retries.first().map(|retry| retry.message.clone());
        let name = |code: u16| if code == 0 { "connection".to_owned() } else { code.to_string() };
        let errors = retries.iter().map(|retry| (name(retry.code), retry.times)).collect();
        Ok(Sample {
            cut,
            errors,
            first_error,
            table_bytes,
            pages_read: pages.map(|pages| pages.read),
            pages_written: pages.map(|pages| pages.written),
            curve: chunks.take().curve(),
            server_curve,
            profile,
            ..written.sample()
        })
    }

    /// Fills the table; see [`Self::loader`]. Chunks are counted from `began` on.
    fn load(
        &mut self,
        cell: &Cell,
        began: Instant,
        chunks: &Arc<SharedCounters>,
    ) -> Result<(Option<Report>, Option<u64>)> {
        let (target, source) = (self.quoted(TARGET), self.quoted(SOURCE));
        let quoted = |name: &String| format!("`{}`", name.replace('`', "``"));
        let columns = self.columns.iter().map(quoted).collect::<Vec<_>>().join(", ");
        let (method, lanes, batch) = match cell.way {
            LoadWriter::Copy => {
                let sql = format!("INSERT INTO {target} ({columns}) SELECT {columns} FROM {source}");
                return Ok((None, self.execute(&sql)?));
            }
            LoadWriter::OnServer => {
                let file = if cell.order == Some(Order::SortedFile) { &self.sorted_file } else { &self.server_file };
                let file = file.as_ref().ok_or_else(|| Error::config("the server reads no file of ours"))?;
                let sql = match self.data.and_then(|data| data.set().zip(Some(data))) {
                    None => file.load_csv_into(&target, &columns),
                    Some((set, data)) => {
                        let field =
                            |name: String| if set.contains(&format!("@{name}")) { format!("@{name}") } else { name };
                        let fields = data.columns().into_iter().map(field).collect::<Vec<_>>().join(", ");
                        file.load_csv_into(&target, &fields) + " SET " + set
                    }
                };
                return Ok((None, self.execute(&sql)?));
            }
            LoadWriter::Lanes(lanes) => (Method::LoadData, Some(lanes).filter(|lanes| *lanes > 0), BatchSize::Auto),
            LoadWriter::Rows(rows) => (Method::MultiRow, Some(1), BatchSize::Rows(rows)),
        };
        let csv = match cell.way {
            LoadWriter::Rows(rows) => self.csv.clone().with_batch_rows(rows),
            _ => self.csv.clone(),
        };
        let mut options = LoadOptions::default()
            .with_method(method)
            .with_lanes(lanes)
            .with_batch(batch)
            .with_set(self.set()?)
            .with_defer_indexes(cell.deferred == Some(true))
            .with_again(true)
            .with_retries_for(self.settings.cap);
        if let Some(Order::Sort(sort)) = cell.order {
            // The server sorts a copy of the table.
            options = options.with_sort(sort).with_atomic(sort == Sort::Server);
        }
        let chunks = Arc::clone(chunks);
        let count = move |event: &LoadEvent| {
            if let LoadEvent::Stored(chunk) = event {
                chunks.of(0).answered(began.elapsed(), chunk.rows);
            }
        };
        self.loader(TARGET, options, &csv, Some(self.settings.cap), Some(Box::new(count)))
    }

    /// Deletes our loads from the ledger: a load that was cut would block the next one.
    fn forget(&mut self) -> Result<()> {
        let sql = "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = ? AND table_name = ?";
        if self.connection.query_one::<u64>(sql, (self.settings.schema.as_str(), LEDGER[0]))? == 0 {
            return Ok(());
        }
        let [job, chunk, reject] = LEDGER.map(|name| format!("`{}`.{name}", self.settings.schema));
        for table in [chunk, reject] {
            self.connection
                .execute(&format!("DELETE FROM {table} WHERE job IN (SELECT id FROM {job} WHERE {OF_OURS})"), ())?;
        }
        self.connection.execute(&format!("DELETE FROM {job} WHERE {OF_OURS}"), ())?;
        Ok(())
    }

    /// Runs a statement that fills the table. Returns `None` if it completed, and 0 rows if it was cut.
    fn execute(&mut self, sql: &str) -> Result<Option<u64>> {
        let id = self.connection.connection_id();
        let (config, connection) = (&self.config, &mut self.connection);
        let kill = || {
            // If this fails, the statement runs to its end.
            let _ = Connection::connect(config).and_then(|mut other| other.execute(&format!("KILL QUERY {id}"), ()));
        };
        let (done, end) = within(&self.settings, Some(self.settings.cap), kill, || connection.execute(sql, ()));
        if end.is_some() {
            // It may have been too late for the statement, and would end the next one.
            let _ = self.connection.execute("DO 0", ());
        }
        match (done, end) {
            (_, Some(End::Interrupted)) => Err(Error::new(Kind::Interrupted, "interrupted")),
            (Ok(_), _) => Ok(None),
            (Err(error), Some(End::Late)) if !error.is_fatal() => Ok(Some(0)),
            (Err(error), _) => Err(error),
        }
    }

    /// Loads as `inrush load` does. Returns the report, which is missing if the load was cut before it had read the table, and the number of
    /// stored rows if the load was cut.
    fn loader(
        &self,
        table: &str,
        options: LoadOptions,
        csv: &CsvOptions,
        cap: Option<Duration>,
        handler: Option<EventHandler>,
    ) -> Result<(Option<Report>, Option<u64>)> {
        let file = inrush_files::open(&self.file.path.to_string_lossy(), Format::Auto, csv)?;
        let mut loader = Loader::new(self.config.clone(), format!("{}.{table}", self.settings.schema))
            .with_options(options)
            .with_front_end(FrontEnd::Command);
        if let Some(handler) = handler {
            loader = loader.with_event_handler(handler);
        }
        let control = loader.control();
        let (report, end) =
            within(&self.settings, cap, || control.stop(), || loader.load(vec![file as Box<dyn Source>]));
        let report = match report {
            Err(error) if error.kind() == Kind::Interrupted && end == Some(End::Late) => {
                return Ok((None, Some(0)));
            }
            report => report?,
        };
        match report.stop {
            None => Ok((Some(report), None)),
            Some(Stop::Interrupted) if end == Some(End::Late) => {
                let stored = report.stored;
                Ok((Some(report), Some(stored)))
            }
            Some(Stop::Interrupted) => Err(Error::new(Kind::Interrupted, "interrupted")),
            Some(Stop::BadData(error) | Stop::Unreadable(error) | Stop::Failed(error)) => Err(error),
        }
    }
}

/// Why something was ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// Its time was over.
    Late,
    /// The user wanted it.
    Interrupted,
}

/// Does some work; calls `end` when the time is over or the user interrupts, and returns the reason.
fn within<T>(
    settings: &Settings,
    cap: Option<Duration>,
    end: impl Fn() + Sync,
    work: impl FnOnce() -> T,
) -> (T, Option<End>) {
    let (began, is_over) = (Instant::now(), AtomicBool::new(false));
    thread::scope(|scope| {
        let watcher = scope.spawn(|| {
            while !is_over.load(Relaxed) {
                let reasons = [
                    (settings.stop.load(Relaxed), End::Interrupted),
                    (cap.is_some_and(|cap| began.elapsed() > cap), End::Late),
                ];
                if let Some((_, reason)) = reasons.into_iter().find(|(is_so, _)| *is_so) {
                    end();
                    return Some(reason);
                }
                thread::park_timeout(LOOK_EVERY);
            }
            None
        });
        let done = work();
        is_over.store(true, Relaxed);
        watcher.thread().unpark();
        (done, watcher.join().unwrap_or_default())
    })
}

/// Writes a file of ours; returns it with the checksum that `rows` returns.
fn write(rows: impl FnOnce(&mut BufWriter<File>) -> Result<Checksum>) -> Result<(OurFile, Checksum)> {
    let mut number = 0;
    // The folder is shared by all users: an existing file of this name, a link for example, is not ours.
    let (path, file) = loop {
        let path = std::env::temp_dir().join(format!("inrush-bench-{}-{number}.csv", std::process::id()));
        match File::create_new(&path) {
            Err(e) if e.kind() == ErrorKind::AlreadyExists && number < MOST_LEFT => number += 1,
            made => break (path, made),
        }
    };
    let cannot = |e| Error::io(format!("cannot write `{}`", path.display()), e);
    let mut out = BufWriter::new(file.map_err(cannot)?);
    let file = OurFile { path: path.clone(), is_ours: true };
    let sum = rows(&mut out)?;
    out.flush().map_err(cannot)?;
    Ok((file, sum))
}

/// The most files of killed processes with the same process id that are skipped.
const MOST_LEFT: u32 = 100;

const TARGET: &str = "bench_load";
const SOURCE: &str = "bench_load_source";

/// The tables of a load's ledger.
const LEDGER: [&str; 3] = inrush::sans_io::load::ledger::Ledger::TABLES;

/// What types are guessed from.
const SAMPLE_BYTES: usize = 4 << 20;

/// Jobs of the lab: of [`TARGET`] and [`SOURCE`].
const OF_OURS: &str = "target LIKE '%bench\\_load%'";

const LOOK_EVERY: Duration = Duration::from_millis(50);
