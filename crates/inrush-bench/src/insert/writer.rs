//! Runs the cells of `insert` into tables of its own, over one connection (the inserter over a pool), and checks what they leave.

use super::text::put_statement;
use super::{Cell, Commits, InsertMethod, Operation};
use crate::clock::Clock;
use crate::dataset::{Checksum, Users};
use crate::facts::ServerProcess;
use crate::meter::{self, Written};
use crate::server_file::ServerFile;
use arrow_array::RecordBatch;
use inrush::blocking::{Connection, Pool};
use inrush::sans_io::convert::{BoundRows, RowReader, Rows as _};
use inrush::sans_io::{Error, Kind, Result};
use inrush::{BatchOptions, Config, InserterOptions, Method, PoolOptions};
use std::hint::black_box;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// How cells are run.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The schema, which must exist.
    pub schema: String,
    /// What is done.
    pub operation: Operation,
    /// The rows.
    pub users: Users,
    /// The most rows of a cell.
    pub most: u64,
    /// Rows a statement, where it may carry many.
    pub many: u64,
    /// A case ends after so long.
    pub cap: Duration,
    /// Where the server reads files that we write.
    pub folder: Option<PathBuf>,
}

/// Writes cells into a table of its own.
pub struct Writer {
    settings: Settings,
    config: Config,
    connection: Connection,
    server: Option<ServerProcess>,
    /// What rows become when they are changed.
    changed: Users,
    /// The bytes of querying a session's byte counters, sent and received.
    asking: (u64, u64),
    /// Quoted, with their schema.
    target: String,
    source: String,
    source_of_changes: String,
}

impl Writer {
    /// Makes the tables, and fills those that are copied from.
    ///
    /// # Errors
    /// Those of the server.
    pub fn new(config: &Config, settings: Settings) -> Result<Self> {
        let config = config.clone().with_local_infile(true).with_multi_statements(true);
        let mut connection = Connection::connect(&config)?;
        let server = ServerProcess::find(&mut connection);
        let table = |name: &str| format!("`{}`.`{name}`", settings.schema);
        let (target, source, source_of_changes) = (table("bench_users"), table("bench_source"), table("bench_changes"));
        let changed = settings.users.others();
        let mut writer =
            Self { settings, config, connection, server, changed, asking: (0, 0), target, source, source_of_changes };
        let (source, changes) = (writer.source.clone(), writer.source_of_changes.clone());
        writer.fill(&source, writer.settings.users)?;
        if writer.settings.operation == Operation::Update {
            writer.fill(&changes, writer.changed)?;
        }
        let before = writer.traffic()?;
        let after = writer.traffic()?;
        writer.asking = meter::more(after, before);
        Ok(writer)
    }

    /// Runs a cell. The making of the table and of the rows is outside the clock; what the table holds afterwards is counted and summed.
    ///
    /// # Errors
    /// Those of the server; `Protocol` if the table does not hold what it should.
    pub fn run(&mut self, cell: &Cell) -> Result<Written> {
        self.make_target()?;
        if cell.operation != Operation::Insert {
            self.copy(cell.rows + BESIDE)?;
        }
        let before = self.traffic()?;
        let statement_rows = cell.way.statement_rows(self.settings.many);
        let written = match cell.way {
            InsertMethod::OnServer => self.on_server(cell)?,
            InsertMethod::ServerFile => self.server_file(cell.rows)?,
            InsertMethod::Inserter => self.inserter(cell.rows)?,
            InsertMethod::Nothing => self.nothing(cell.rows, statement_rows)?,
            InsertMethod::Row => self.texts(cell.commits, cell.rows, 1)?,
            InsertMethod::MultiStatement => self.texts(cell.commits, cell.rows, TEXT_ROWS.min(statement_rows))?,
            InsertMethod::Batch(Method::Pipelined) if cell.commits == Commits::Each => self.pipeline(cell.rows)?,
            InsertMethod::Batch(method) => self.batches(method, cell.commits, cell.rows, statement_rows)?,
        };
        let after = self.traffic()?;
        let bytes = meter::more(meter::more(after, before), self.asking);
        self.verify(cell, if cell.way == InsertMethod::Nothing { 0 } else { written.rows })?;
        // The inserter's bytes are sent on other connections.
        Ok(Written { bytes: Some(bytes).filter(|_| cell.way != InsertMethod::Inserter), ..written })
    }

    /// Has another program insert the first `rows` rows into a new table, and checks what that holds afterwards.
    ///
    /// # Errors
    /// Those of `write` and of the server; `Protocol` if the table does not hold what it should.
    pub fn run_other(&mut self, rows: u64, write: impl FnOnce() -> Result<Written>) -> Result<Written> {
        self.make_target()?;
        let clock = self.clock();
        let written = write()?;
        let server_cpu = clock.written(rows, false).server_cpu;
        let cell = Cell { operation: Operation::Insert, way: InsertMethod::OnServer, commits: Commits::Once, rows };
        self.verify(&cell, written.rows)?;
        Ok(Written { server_cpu, ..written })
    }

    /// Makes the table that is written into, empty.
    ///
    /// # Errors
    /// Those of the server.
    pub fn make_target(&mut self) -> Result<()> {
        let target = self.target.clone();
        self.make(&target)
    }

    fn make(&mut self, table: &str) -> Result<()> {
        self.connection.execute(&format!("DROP TABLE IF EXISTS {table}"), ())?;
        self.connection.execute(&Users::ddl(table), ())?;
        Ok(())
    }

    /// Makes a table that is copied from.
    fn fill(&mut self, table: &str, users: Users) -> Result<()> {
        self.make(table)?;
        let into = insert_into(table);
        for rows in pieces(1..self.settings.most + BESIDE + 1, FILL_ROWS) {
            self.connection.execute_batch(&into, &made(&users, rows)?)?;
        }
        Ok(())
    }

    fn copy(&mut self, rows: u64) -> Result<()> {
        let columns = Users::COLUMNS.join(", ");
        let Self { target, source, .. } = self;
        let sql = format!("INSERT INTO {target} ({columns}) SELECT {columns} FROM {source} WHERE id <= {rows}");
        self.connection.execute(&sql, ())?;
        Ok(())
    }

    fn traffic(&mut self) -> Result<(u64, u64)> {
        meter::traffic(&mut self.connection)
    }

    fn clock(&self) -> Clock {
        Clock::start(self.server.as_ref())
    }

    fn deadline(&self) -> Instant {
        Instant::now() + self.settings.cap
    }

    fn on_server(&mut self, cell: &Cell) -> Result<Written> {
        let clock = self.clock();
        let Self { target, source_of_changes, .. } = self;
        match cell.operation {
            Operation::Insert => self.copy(cell.rows)?,
            Operation::Update => {
                let set = Users::COLUMNS[1..].iter().map(|name| format!("t.{name} = s.{name}")).collect::<Vec<_>>();
                let sql = format!(
                    "UPDATE {target} t JOIN {source_of_changes} s ON s.id = t.id SET {} WHERE t.id <= {}",
                    set.join(", "),
                    cell.rows
                );
                self.connection.execute(&sql, ())?;
            }
            Operation::Delete => {
                self.connection.execute(&format!("DELETE FROM {target} WHERE id <= {}", cell.rows), ())?;
            }
        }
        Ok(clock.written(cell.rows, false))
    }

    /// LOAD DATA of a file in a folder that the server reads. The file is written before the clock starts.
    fn server_file(&mut self, rows: u64) -> Result<Written> {
        let Some(folder) = &self.settings.folder else {
            return Err(Error::config("no folder is known that the server reads"));
        };
        let file = ServerFile::write(folder, self.settings.users.tsv(1..rows + 1).as_bytes())?;
        let sql = file.load_into(&self.target, &Users::COLUMNS.join(", "));
        let clock = self.clock();
        self.connection.execute(&sql, ())?;
        Ok(clock.written(rows, false))
    }

    /// Threads that each bring a row and wait until it is stored.
    fn inserter(&mut self, rows: u64) -> Result<Written> {
        let config = self.config.clone().with_pool(PoolOptions::new().with_max(INSERTER_LANES));
        let pool = Pool::new(&config)?;
        let options = InserterOptions::new().with_columns(Users::COLUMNS).with_lanes(INSERTER_LANES);
        let table = format!("{}.bench_users", self.settings.schema);
        let inserter = pool.inserter_with(&table, &options)?;
        let (users, deadline) = (self.settings.users, self.deadline());
        let all: Vec<_> = (1..rows + 1).map(|number| users.values(number)).collect();
        // Reads the table, and connects: that is not part of inserting.
        inserter.flush()?;
        let clock = self.clock();
        // A free connection takes the next one, so the first ones are stored when the time runs out.
        let next = AtomicU64::new(0);
        let bring = || {
            while Instant::now() < deadline {
                let Some(row) = all.get(next.fetch_add(1, Relaxed) as usize) else { break };
                inserter.insert(row)?;
            }
            Ok(())
        };
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..INSERTER_THREADS.min(rows)).map(|_| scope.spawn(bring)).collect();
            let ended_early = |_| Err(Error::new(Kind::Io, "a thread of the inserter ended early"));
            threads.into_iter().try_for_each(|thread| thread.join().unwrap_or_else(ended_early))
        })?;
        let stored = next.into_inner().min(rows);
        let written = clock.written(stored, stored < rows);
        inserter.close()?;
        Ok(written)
    }

    /// A batch for each statement, or batches within one transaction.
    fn batches(&mut self, method: Method, commits: Commits, rows: u64, statement_rows: u64) -> Result<Written> {
        let all = self.given(rows)?;
        let sql = self.sql(":");
        let options = BatchOptions::new().with_method(method).with_rows(statement_rows as usize);
        let step = match commits {
            Commits::Each => statement_rows,
            // The clock is checked between two of them.
            Commits::Once => self.settings.many,
        };
        // The first use of a statement prepares it and describes its columns: that is a cost of connecting.
        self.connection.prepare(&sql)?;
        self.connection.execute_batch_with(&sql, &all.slice(0, 0), &options)?;
        let deadline = self.deadline();
        let write = |connection: &mut Connection| -> Result<u64> {
            let mut stored = 0;
            for part in pieces(0..rows, step).take_while(|_| Instant::now() < deadline) {
                let slice = all.slice(part.start as usize, (part.end - part.start) as usize);
                connection.execute_batch_with(&sql, &slice, &options)?;
                stored = part.end;
            }
            Ok(stored)
        };
        let clock = self.clock();
        let stored = match commits {
            Commits::Each => write(&mut self.connection)?,
            Commits::Once => {
                // Not BEGIN as text: then it would be unknown what a deadlock has rolled back, and nothing would be pipelined.
                let mut tx = self.connection.begin()?;
                let stored = write(&mut tx)?;
                tx.commit()?;
                stored
            }
        };
        Ok(clock.written(stored, stored < rows))
    }

    /// Statements as text, `in_one` of them in each command. They are made within the clock, as a batch makes its commands. Where not all
    /// rows are one transaction, so many rows are one as a batch has.
    fn texts(&mut self, commits: Commits, rows: u64, in_one: u64) -> Result<Written> {
        let operation = self.settings.operation;
        let users = if operation == Operation::Update { self.changed } else { self.settings.users };
        let all: Vec<_> = (1..rows + 1).map(|number| users.values(number)).collect();
        let (target, many, deadline) = (self.target.clone(), self.settings.many.max(1), self.deadline());
        let write = |connection: &mut Connection, range: Range<u64>| -> Result<u64> {
            let mut stored = range.start;
            let mut text = String::new();
            for part in pieces(range, in_one).take_while(|_| Instant::now() < deadline) {
                text.clear();
                for user in &all[part.start as usize..part.end as usize] {
                    if !text.is_empty() {
                        text.push(';');
                    }
                    put_statement(operation, &target, user, &mut text);
                }
                connection.query_result_sets(&text, ())?;
                stored = part.end;
            }
            Ok(stored)
        };
        let in_transaction = |connection: &mut Connection, range: Range<u64>| -> Result<u64> {
            let mut tx = connection.begin()?;
            let stored = write(&mut tx, range)?;
            tx.commit()?;
            Ok(stored)
        };
        let clock = self.clock();
        let stored = match commits {
            Commits::Once => in_transaction(&mut self.connection, 0..rows)?,
            Commits::Each if in_one == 1 => write(&mut self.connection, 0..rows)?,
            Commits::Each => {
                let mut stored = 0;
                for part in pieces(0..rows, many).take_while(|_| Instant::now() < deadline) {
                    stored = in_transaction(&mut self.connection, part)?;
                }
                stored
            }
        };
        Ok(clock.written(stored, stored < rows))
    }

    /// The work of a case besides writing.
    fn nothing(&mut self, rows: u64, statement_rows: u64) -> Result<Written> {
        let all = self.given(rows)?;
        let deadline = self.deadline();
        let clock = self.clock();
        let mut done = 0;
        for part in pieces(0..rows, statement_rows) {
            if Instant::now() >= deadline {
                break;
            }
            black_box(all.slice(part.start as usize, (part.end - part.start) as usize));
            done = part.end;
        }
        Ok(clock.written(done, done < rows))
    }

    /// An execution a row, each committed by itself, in one flight.
    fn pipeline(&mut self, rows: u64) -> Result<Written> {
        let all = self.given(rows)?;
        let statement = self.connection.prepare(&self.sql("?"))?;
        let names: Vec<Box<str>> = columns_of(self.settings.operation).into_iter().map(Box::from).collect();
        let bound = all.bind(&names, names.len())?;
        let deadline = self.deadline();
        let mut reader = RowReader::new(&*bound as &dyn BoundRows, 0..rows as usize);
        let (mut sent, mut stored) = (0, 0);
        let clock = self.clock();
        self.connection.pipeline_each(
            |next| {
                if sent == rows || Instant::now() >= deadline {
                    return next.end();
                }
                sent += 1;
                next.execute(&statement, reader.row(sent as usize - 1)?)
            },
            |_, reply| {
                reply?;
                stored += 1;
                Ok(())
            },
        )?;
        Ok(clock.written(stored, stored < rows))
    }

    /// The values that the operation is given, those of the first `rows` rows.
    fn given(&self, rows: u64) -> Result<RecordBatch> {
        let users = if self.settings.operation == Operation::Update { &self.changed } else { &self.settings.users };
        let all = made(users, 1..rows + 1)?;
        match self.settings.operation {
            // The key alone, which comes first.
            Operation::Delete => all.project(&[0]).map_err(|e| Error::new(Kind::Data, e.to_string())),
            Operation::Insert | Operation::Update => Ok(all),
        }
    }

    /// The statement for one row; a placeholder is `?`, or `:` and its name.
    fn sql(&self, placeholder: &str) -> String {
        let place = |name: &&str| if placeholder == "?" { "?".to_owned() } else { format!(":{name}") };
        let target = &self.target;
        match self.settings.operation {
            Operation::Insert if placeholder == ":" => insert_into(target),
            Operation::Insert => {
                let places = Users::COLUMNS.each_ref().map(place).join(", ");
                format!("INSERT INTO {target} ({}) VALUES ({places})", Users::COLUMNS.join(", "))
            }
            Operation::Update => {
                let set = Users::COLUMNS[1..].iter().map(|name| format!("{name} = {}", place(name)));
                format!("UPDATE {target} SET {} WHERE id = {}", set.collect::<Vec<_>>().join(", "), place(&"id"))
            }
            Operation::Delete => format!("DELETE FROM {target} WHERE id = {}", place(&"id")),
        }
    }

    /// The table holds exactly what it should after the operation was done for the first `done` rows.
    fn verify(&mut self, cell: &Cell, done: u64) -> Result<()> {
        let (rows, sum): (u64, u64) = self.connection.query_one(&Users::checksum_query(&self.target), ())?;
        let there = Checksum { rows, sum };
        let Self { settings: Settings { users, .. }, changed, .. } = self;
        let filled = cell.rows + BESIDE;
        let want = match cell.operation {
            Operation::Insert => users.checksum(1..done + 1),
            Operation::Update => changed.checksum(1..done + 1) + users.checksum(done + 1..filled + 1),
            Operation::Delete => users.checksum(done + 1..filled + 1),
        };
        want.expect_there(there)
    }
}

/// In the order of the placeholders.
fn columns_of(operation: Operation) -> Vec<&'static str> {
    match operation {
        Operation::Insert => Users::COLUMNS.to_vec(),
        Operation::Update => [&Users::COLUMNS[1..], &Users::COLUMNS[..1]].concat(),
        Operation::Delete => vec!["id"],
    }
}

fn insert_into(table: &str) -> String {
    let columns = Users::COLUMNS.join(", ");
    let places = Users::COLUMNS.map(|name| format!(":{name}")).join(", ");
    format!("INSERT INTO {table} ({columns}) VALUES ({places})")
}

fn made(users: &Users, numbers: Range<u64>) -> Result<RecordBatch> {
    users.rows(numbers).map_err(|e| Error::new(Kind::Data, format!("rows could not be made: {e}")))
}

/// A range in pieces of at most `step`.
fn pieces(range: Range<u64>, step: u64) -> impl Iterator<Item = Range<u64>> {
    let step = step.max(1);
    let n = (range.end - range.start).div_ceil(step);
    (0..n).map(move |i| range.start + i * step..range.end.min(range.start + (i + 1) * step))
}

/// Rows a batch when a table that is copied from is filled.
const FILL_ROWS: u64 = 20_000;

/// Rows that an UPDATE or DELETE is to leave alone.
const BESIDE: u64 = 100;

/// Statements in one text: about 128 KiB.
const TEXT_ROWS: u64 = 800;

/// Connections of the inserter.
const INSERTER_LANES: usize = 2;

/// Callers of the inserter.
const INSERTER_THREADS: u64 = 32;
