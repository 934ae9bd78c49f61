//! Runs the cells of `load`: the file is written once, and lies in a table that is copied from; each run fills an empty table and is counted
//! and summed.

use super::Cell;
use super::data::Data;
use crate::clock::Clock;
use crate::dataset::{Checksum, checksum_query};
use crate::facts::ServerProcess;
use crate::results::Sample;
use crate::server_file::ServerFile;
use inrush::blocking::Connection;
use inrush::core::bulk::Source;
use inrush::core::bulk::report::{Report, Stop};
use inrush::core::{Error, Kind, Result};
use inrush::{BatchSize, Config, LoadOptions, Loader, Method};
use inrush_files::{CsvOptions, Format};
use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

/// What is loaded.
#[derive(Clone, Debug, PartialEq)]
pub enum Input {
    /// A data set, which is written to a file first.
    Made(Data),
    /// A file, and the columns of its table with their types; none are found out of the file.
    File(PathBuf, Option<String>),
}

/// How cells are run.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The schema, which is there.
    pub schema: String,
    /// Of the rows.
    pub seed: u64,
    /// What takes longer is called cut, and not run again.
    pub cap: Duration,
    /// Where the server reads files that we write.
    pub folder: Option<PathBuf>,
    /// Set when the user wants an end.
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
    csv: CsvOptions,
    /// Asks for the sum of a table, whose name is `{}`.
    columns: Vec<String>,
    data: Option<Data>,
    ddl: String,
    want: Checksum,
    /// Whether the ledger goes with us: none was there before.
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
            // Nobody is left to be told.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

impl Drop for Loads {
    fn drop(&mut self) {
        if self.owns_ledger {
            let tables = LEDGER.map(|name| format!("`{}`.{name}", self.settings.schema)).join(", ");
            let _ = self.connection.exec(&format!("DROP TABLE IF EXISTS {tables}"), ());
        }
    }
}

impl Input {
    /// Whether it can be read: what is wrong is said before a server is sought.
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

    /// The definition of the table `name`.
    ///
    /// # Errors
    /// Those of reading the file.
    pub fn ddl(&self, name: &str) -> Result<String> {
        let columns = match self {
            Input::Made(data) => return Ok(data.ddl(name)),
            Input::File(_, Some(columns)) => columns.clone(),
            Input::File(path, None) => {
                let mut file = inrush_files::open(&path.to_string_lossy(), Format::Auto, &CsvOptions::default())?;
                let found = file.infer_types(SAMPLE_BYTES)?;
                let column = |column: &inrush_files::Inferred| {
                    format!("`{}` {}", column.name.replace('`', "``"), column.definition(false))
                };
                found.iter().map(column).collect::<Vec<_>>().join(", ")
            }
        };
        Ok(format!("CREATE TABLE {name} ({columns}) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4"))
    }
}

impl Loads {
    /// Writes the file if it is one of ours, and loads it into the table that is copied from. What that comes to is what every run must
    /// come to.
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
        let (file, data, want) = match input {
            Input::Made(data) => {
                let (file, sum) = write(*data, settings.seed)?;
                (file, Some(*data), Some(sum))
            }
            Input::File(path, _) => (OurFile { path: path.clone(), is_ours: false }, None, None),
        };
        let server_file = match &settings.folder {
            Some(folder) if data.is_some() => Some(ServerFile::copy(folder, &file.path)?),
            _ => None,
        };
        let csv = CsvOptions { nulls: data.iter().map(|_| b"\\N".to_vec()).collect(), ..CsvOptions::default() };
        let ddl = input.ddl("{}")?;
        let mut loads = Self {
            settings,
            config,
            connection,
            server,
            file,
            server_file,
            csv,
            columns: Vec::new(),
            data,
            ddl,
            want: want.unwrap_or_default(),
            owns_ledger: ledgers == 0,
        };
        loads.fill_source(want)?;
        Ok(loads)
    }

    /// Rows of the file.
    pub fn rows(&self) -> u64 {
        self.want.rows
    }

    fn fill_source(&mut self, want: Option<Checksum>) -> Result<()> {
        self.make(SOURCE)?;
        let sql = "SELECT column_name FROM information_schema.columns WHERE table_schema = ? AND table_name = ? ORDER BY ordinal_position";
        self.columns = self
            .connection
            .query::<(String,)>(sql, (self.settings.schema.as_str(), SOURCE))?
            .into_iter()
            .map(|row| row.0)
            .collect();
        // Without LOCAL, by whatever the server allows.
        let report = self.loader(SOURCE, LoadOptions::default(), &self.csv.clone())?;
        let there = self.sum(SOURCE)?;
        match want {
            Some(want) => want.expect_there(there)?,
            None if there.rows == report.stored && report.stored == report.read => self.want = there,
            None => {
                return Err(Error::new(
                    Kind::Protocol,
                    format!(
                        "the file has {} rows, {} were stored, the table holds {}",
                        report.read, report.stored, there.rows
                    ),
                ));
            }
        }
        Ok(())
    }

    fn make(&mut self, table: &str) -> Result<()> {
        let quoted = self.quoted(table);
        self.connection.exec(&format!("DROP TABLE IF EXISTS {quoted}"), ())?;
        self.connection.exec(&self.ddl.replacen("{}", &quoted, 1), ())?;
        Ok(())
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

    /// Runs a cell once.
    ///
    /// # Errors
    /// Those of the loader and of the server; `Protocol` if the table does not hold the rows of the file.
    pub fn run(&mut self, cell: &Cell) -> Result<Sample> {
        self.make(TARGET)?;
        let (target, source) = (self.quoted(TARGET), self.quoted(SOURCE));
        let one = |name: &String| format!("`{}`", name.replace('`', "``"));
        let columns = self.columns.iter().map(one).collect::<Vec<_>>().join(", ");
        let by_loader = |lanes: Option<usize>, method: Method, batch: BatchSize| LoadOptions {
            method: Some(method),
            lanes,
            batch,
            again: true,
            ..LoadOptions::default()
        };
        let clock = Clock::start(self.server.as_ref());
        match cell {
            Cell::Copy => {
                self.connection
                    .exec(&format!("INSERT INTO {target} ({columns}) SELECT {columns} FROM {source}"), ())?;
            }
            Cell::OnServer => {
                let file =
                    self.server_file.as_ref().ok_or_else(|| Error::config("the server reads no file of ours"))?;
                self.connection.exec(&file.load_csv_into(&target, &columns), ())?;
            }
            Cell::Lanes(lanes) => {
                let lanes = Some(*lanes).filter(|lanes| *lanes > 0);
                let csv = self.csv.clone();
                self.loader(TARGET, by_loader(lanes, Method::LoadData, BatchSize::Auto), &csv)?;
            }
            Cell::Rows(rows) => {
                let csv = CsvOptions { batch_rows: Some(*rows), ..self.csv.clone() };
                self.loader(TARGET, by_loader(Some(1), Method::MultiRow, BatchSize::Rows(*rows)), &csv)?;
            }
        }
        let written = clock.written(self.want.rows, false);
        let there = self.sum(TARGET)?;
        self.want.expect_there(there)?;
        let cut = written.took > self.settings.cap;
        Ok(Sample { cut, ..written.sample() })
    }

    /// As `inrush load` does it. The user may stop it.
    fn loader(&self, table: &str, options: LoadOptions, csv: &CsvOptions) -> Result<Report> {
        let file = inrush_files::open(&self.file.path.to_string_lossy(), Format::Auto, csv)?;
        let loader =
            Loader::new(self.config.clone(), format!("{}.{table}", self.settings.schema)).with_options(options);
        let (control, is_over) = (loader.control(), AtomicBool::new(false));
        let report = thread::scope(|scope| {
            scope.spawn(|| {
                while !is_over.load(Relaxed) {
                    if self.settings.stop.load(Relaxed) {
                        control.stop();
                    }
                    thread::park_timeout(LOOK_EVERY);
                }
            });
            let report = loader.load(vec![file as Box<dyn Source>]);
            is_over.store(true, Relaxed);
            report
        })?;
        match report.stop {
            None => Ok(report),
            Some(Stop::Interrupted) => Err(Error::new(Kind::Interrupted, "interrupted")),
            Some(Stop::BadData(error) | Stop::Unreadable(error) | Stop::Failed(error)) => Err(error),
        }
    }
}

fn write(data: Data, seed: u64) -> Result<(OurFile, Checksum)> {
    let path = std::env::temp_dir().join(format!("inrush-bench-{}.csv", std::process::id()));
    let cannot = |e| Error::io(format!("cannot write `{}`", path.display()), e);
    let mut out = BufWriter::new(File::create(&path).map_err(cannot)?);
    let file = OurFile { path: path.clone(), is_ours: true };
    let sum = data.write(seed, &mut out)?;
    out.flush().map_err(cannot)?;
    Ok((file, sum))
}

const TARGET: &str = "bench_load";
const SOURCE: &str = "bench_load_source";

/// The tables of a load's ledger.
const LEDGER: [&str; 3] = inrush::core::bulk::ledger::Ledger::TABLES;

/// What types are guessed from.
const SAMPLE_BYTES: usize = 4 << 20;

const LOOK_EVERY: Duration = Duration::from_millis(50);
