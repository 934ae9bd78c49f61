//! The experiment `insert`: every way to write rows, each committed row by row (statement by statement) or once, at several sizes;
//! beside them what the server does by itself. Which cases there are is pure; running one is [`Writer`]'s.

use crate::dataset::{Checksum, Users};
use crate::results::{Case, Role};
use inrush::blocking::Connection;
use inrush::core::wire::{BoundRows, RowReader, Rows as _, Vendor};
use inrush::core::{Error, Kind, Result};
use inrush::{BatchOptions, Config, Method};
use std::collections::BTreeMap;
use std::ops::Range;
use std::time::{Duration, Instant};

/// A way to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// One of inrush's.
    Batch(Method),
    /// The server copies from another table of its own.
    InsertSelect,
}

/// When rows are committed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Commits {
    /// Each statement by itself: autocommit.
    Each,
    /// All rows in one transaction.
    Once,
}

/// One cell of the experiment's table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// How.
    pub way: Way,
    /// In how many transactions.
    pub commits: Commits,
    /// How many.
    pub rows: u64,
}

/// A way that is not measured, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// Its name.
    pub way: &'static str,
    /// Half a sentence.
    pub reason: String,
}

impl Way {
    /// All, in the order of the table: the baseline first, the limit last.
    pub fn all() -> impl Iterator<Item = Way> {
        Method::ALL.into_iter().rev().map(Way::Batch).chain([Way::InsertSelect])
    }

    /// As it is called in tables and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Way::Batch(method) => method.name(),
            Way::InsertSelect => "insert-select",
        }
    }

    fn role(self) -> Role {
        match self {
            Way::Batch(Method::Row) => Role::Baseline,
            Way::Batch(_) => Role::Subject,
            Way::InsertSelect => Role::Limit,
        }
    }

    /// How many rows one of its statements carries at most, when statements carry `many`.
    fn statement_rows(self, many: u64) -> u64 {
        match self {
            Way::Batch(Method::Row | Method::Prepared | Method::Pipelined) => 1,
            Way::Batch(_) => many,
            Way::InsertSelect => u64::MAX,
        }
    }
}

impl Commits {
    /// As it is called in tables.
    pub fn name(self) -> &'static str {
        match self {
            Commits::Each => "each statement",
            Commits::Once => "once",
        }
    }
}

impl Cell {
    /// What the results say of it.
    pub fn case(&self) -> Case {
        let Self { way, commits, rows } = *self;
        Case {
            id: format!("{} / {} / {rows}", way.name(), commits.name()),
            subject: way.name().into(),
            with: BTreeMap::from([("commits".into(), commits.name().into()), ("rows".into(), rows.to_string())]),
            rows,
            role: way.role(),
        }
    }
}

/// The cells for these sizes, and what is left out on a server that does not allow it.
pub fn cells(sizes: &[u64], vendor: Vendor, local_infile: bool) -> (Vec<Cell>, Vec<LeftOut>) {
    let mut left_out = Vec::new();
    let ways: Vec<Way> = Way::all()
        .filter(|way| {
            let reason = match way {
                Way::Batch(Method::Bulk) if vendor != Vendor::MariaDb => "only MariaDB has this command",
                Way::Batch(Method::LoadData) if !local_infile => "the server has `local_infile` off",
                _ => return true,
            };
            left_out.push(LeftOut { way: way.name(), reason: reason.into() });
            false
        })
        .collect();
    let mut cells = Vec::new();
    for &rows in sizes {
        for commits in [Commits::Each, Commits::Once] {
            let of_size = ways.iter().map(|way| Cell { way: *way, commits, rows });
            // What the server does by itself is one statement.
            cells.extend(of_size.filter(|cell| cell.way != Way::InsertSelect || commits == Commits::Once));
        }
    }
    (cells, left_out)
}

/// What one run of a cell came to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Written {
    /// From the first byte sent to the last answer.
    pub took: Duration,
    /// Processor time of this thread meanwhile.
    pub client_cpu: Duration,
    /// Rows that are stored.
    pub rows: u64,
    /// The time ran out first.
    pub cut: bool,
}

/// Writes cells into a table of its own, over one connection.
pub struct Writer {
    connection: Connection,
    users: Users,
    /// Quoted, with their schema.
    target: String,
    source: String,
    /// Rows a statement, where it may carry many.
    many: u64,
    /// A case ends after so long.
    cap: Duration,
}

impl Writer {
    /// Makes the tables in `schema`, which is there, and fills the one that is copied from with `most` rows.
    ///
    /// # Errors
    /// Those of the server.
    pub fn new(config: &Config, schema: &str, users: Users, most: u64, many: u64, cap: Duration) -> Result<Self> {
        let config = config.clone().with_local_infile(true).with_multi_statements(true);
        let connection = Connection::connect(&config)?;
        let table = |name: &str| format!("`{schema}`.`{name}`");
        let mut writer =
            Self { connection, users, target: table("bench_users"), source: table("bench_source"), many, cap };
        let source = writer.source.clone();
        writer.make(&source)?;
        let into = insert_into(&source);
        for rows in pieces(1..most + 1, FILL_ROWS) {
            writer.connection.execute_batch(&into, &made(&writer.users, rows)?)?;
        }
        Ok(writer)
    }

    /// Runs a cell into an empty table. The making of the table and of the rows is outside the clock; what is stored afterwards is
    /// counted and summed.
    ///
    /// # Errors
    /// Those of the server; `Protocol` if the table does not hold what was written.
    pub fn run(&mut self, cell: &Cell) -> Result<Written> {
        let target = self.target.clone();
        self.make(&target)?;
        let statement_rows = cell.way.statement_rows(self.many);
        let written = match cell.way {
            Way::InsertSelect => self.copy(cell.rows)?,
            Way::Batch(Method::Pipelined) if cell.commits == Commits::Each => self.pipeline(cell.rows)?,
            Way::Batch(method) => self.batches(method, cell.commits, cell.rows, statement_rows)?,
        };
        self.verify(written.rows)?;
        Ok(written)
    }

    fn make(&mut self, table: &str) -> Result<()> {
        self.connection.exec(&format!("DROP TABLE IF EXISTS {table}"), ())?;
        self.connection.exec(&Users::ddl(table), ())?;
        Ok(())
    }

    fn copy(&mut self, rows: u64) -> Result<Written> {
        let columns = Users::COLUMNS.join(", ");
        let Self { target, source, .. } = self;
        let sql = format!("INSERT INTO {target} ({columns}) SELECT {columns} FROM {source} WHERE id <= {rows}");
        let clock = Clock::start();
        self.connection.exec(&sql, ())?;
        Ok(clock.stop(rows, false))
    }

    /// A batch for each statement, or batches within one transaction.
    fn batches(&mut self, method: Method, commits: Commits, rows: u64, statement_rows: u64) -> Result<Written> {
        let all = made(&self.users, 1..rows + 1)?;
        let sql = insert_into(&self.target);
        let options = BatchOptions::new().with_method(method).with_rows(statement_rows as usize);
        let step = match commits {
            Commits::Each => statement_rows,
            // The clock is looked at between two of them.
            Commits::Once => self.many,
        };
        // The first use of a statement has it prepared and its columns described: that is connecting, in a way.
        self.connection.prepare(&sql)?;
        let deadline = Instant::now() + self.cap;
        let clock = Clock::start();
        let mut stored = 0;
        if commits == Commits::Once {
            self.connection.exec("BEGIN", ())?;
        }
        for part in pieces(0..rows, step) {
            if Instant::now() >= deadline {
                break;
            }
            let slice = all.slice(part.start as usize, (part.end - part.start) as usize);
            self.connection.execute_batch_with(&sql, &slice, &options)?;
            stored = part.end;
        }
        if commits == Commits::Once {
            self.connection.exec("COMMIT", ())?;
        }
        Ok(clock.stop(stored, stored < rows))
    }

    /// An execution a row, each committed by itself, in one flight.
    fn pipeline(&mut self, rows: u64) -> Result<Written> {
        let all = made(&self.users, 1..rows + 1)?;
        let columns = Users::COLUMNS.join(", ");
        let insert =
            self.connection.prepare(&format!("INSERT INTO {} ({columns}) VALUES (?, ?, ?, ?, ?, ?)", self.target))?;
        let names = Users::COLUMNS.map(Box::from);
        let bound = all.bind(&names, names.len())?;
        let deadline = Instant::now() + self.cap;
        let mut reader = RowReader::new(&*bound as &dyn BoundRows, 0..rows as usize);
        let (mut sent, mut stored) = (0, 0);
        let clock = Clock::start();
        self.connection.pipeline_each(
            |turn| {
                if sent == rows || Instant::now() >= deadline {
                    return turn.end();
                }
                sent += 1;
                turn.execute(&insert, reader.row(sent as usize - 1)?)
            },
            |_, reply| {
                reply?;
                stored += 1;
                Ok(())
            },
        )?;
        Ok(clock.stop(stored, stored < rows))
    }

    /// The table holds exactly the first `rows` rows.
    fn verify(&mut self, rows: u64) -> Result<()> {
        let (rows_there, sum): (u64, u64) = self.connection.query_one(&Users::checksum_query(&self.target), ())?;
        let (there, want) = (Checksum { rows: rows_there, sum }, self.users.checksum(1..rows + 1));
        if there == want {
            return Ok(());
        }
        Err(Error::new(
            Kind::Protocol,
            format!("the table holds {} rows of sum {}, not {} of sum {}", there.rows, there.sum, want.rows, want.sum),
        ))
    }
}

/// Time on the clock and of the processor.
struct Clock {
    start: Instant,
    cpu: Duration,
}

impl Clock {
    fn start() -> Self {
        Self { cpu: thread_cpu(), start: Instant::now() }
    }

    fn stop(self, rows: u64, cut: bool) -> Written {
        Written { took: self.start.elapsed(), client_cpu: thread_cpu().saturating_sub(self.cpu), rows, cut }
    }
}

/// One thread does all of the client's work.
fn thread_cpu() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

fn insert_into(table: &str) -> String {
    let columns = Users::COLUMNS.join(", ");
    let places = Users::COLUMNS.map(|name| format!(":{name}")).join(", ");
    format!("INSERT INTO {table} ({columns}) VALUES ({places})")
}

fn made(users: &Users, numbers: Range<u64>) -> Result<arrow_array::RecordBatch> {
    users.rows(numbers).map_err(|e| Error::new(Kind::Data, format!("rows could not be made: {e}")))
}

/// A range in pieces of at most `step`.
fn pieces(range: Range<u64>, step: u64) -> impl Iterator<Item = Range<u64>> {
    let step = step.max(1);
    let n = (range.end - range.start).div_ceil(step);
    (0..n).map(move |i| range.start + i * step..range.end.min(range.start + (i + 1) * step))
}

/// Rows a batch when the table that is copied from is filled.
const FILL_ROWS: u64 = 20_000;
