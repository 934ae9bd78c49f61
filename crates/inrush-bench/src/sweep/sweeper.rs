//! Runs the cells of `sweep`: a thread for each connection, all begin and end together; what they stored is counted and summed.

use super::Cell;
use crate::clock::Clock;
use crate::dataset::{Checksum, Sbtest, SbtestRows};
use crate::facts::ServerProcess;
use crate::histogram::Latencies;
use crate::meter;
use crate::results::Sample;
use arrow_array::RecordBatch;
use inrush::blocking::Connection;
use inrush::sans_io::{Error, Kind, Result};
use inrush::{BatchOptions, Config};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Barrier};
use std::thread;
use std::time::{Duration, Instant};

/// How cells are run.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The schema, which must exist.
    pub schema: String,
    /// The seed of the rows.
    pub seed: u64,
    /// How long a cell begins statements.
    pub time: Duration,
    /// A cell whose last statements take longer than this is cut.
    pub cap: Duration,
    /// Set when the user interrupts.
    pub stop: Arc<AtomicBool>,
}

/// Writes cells into a table of its own.
pub struct Sweeper {
    settings: Settings,
    /// Creates and verifies tables.
    connection: Connection,
    server: Option<ServerProcess>,
    writers: Vec<Connection>,
    /// The rows for the current shape of the table.
    rows: (Sbtest, SbtestRows),
    /// The most rows of a statement.
    most: u64,
    /// The bytes of querying a session's byte counters, sent and received.
    asking: (u64, u64),
    /// Quoted, with its schema.
    table: String,
}

/// What the threads of a cell have in common.
struct Common<'s> {
    cell: &'s Cell,
    rows: &'s SbtestRows,
    sql: &'s str,
    settings: &'s Settings,
    /// Statements that were taken.
    next: &'s AtomicU64,
    has_failed: &'s AtomicBool,
    /// All are ready; then all begin.
    start: &'s Barrier,
}

impl Sweeper {
    /// Connects as often as `cells` need.
    ///
    /// # Errors
    /// Those of the server.
    pub fn new(config: &Config, settings: Settings, cells: &[Cell]) -> Result<Self> {
        let config = config.clone().with_local_infile(true);
        let mut connection = Connection::connect(&config)?;
        let server = ServerProcess::find(&mut connection);
        let n = cells.iter().map(|cell| cell.connections).max().unwrap_or(0);
        let writers = (0..n).map(|_| Connection::connect(&config)).collect::<Result<_>>()?;
        let most = cells.iter().map(|cell| cell.statement_rows).max().unwrap_or(0);
        let before = meter::traffic(&mut connection)?;
        let after = meter::traffic(&mut connection)?;
        let asking = meter::more(after, before);
        let shape = Sbtest::new(settings.seed);
        let table = format!("`{}`.`bench_sbtest`", settings.schema);
        Ok(Self { rows: (shape, shape.made(most)), settings, connection, server, writers, most, asking, table })
    }

    /// Runs a cell once. The making of the table is outside the clock.
    ///
    /// # Errors
    /// Those of the server; `Protocol` if the table does not hold what was stored; `Interrupted`.
    pub fn run(&mut self, cell: &Cell) -> Result<Sample> {
        let shape = cell.table(self.settings.seed);
        if self.rows.0 != shape {
            self.rows = (shape, shape.made(self.most));
        }
        let Self { table, .. } = self;
        self.connection.execute(&format!("DROP TABLE IF EXISTS {table}"), ())?;
        self.connection.execute(&shape.ddl(table, cell.indexes as usize, cell.partitions), ())?;
        let before = self.traffic(cell)?;
        let (next, has_failed, start) =
            (AtomicU64::new(0), AtomicBool::new(false), Barrier::new(cell.connections as usize + 1));
        let names = shape.names();
        let places: Vec<String> = names.iter().map(|name| format!(":{name}")).collect();
        let sql = format!("INSERT INTO {} ({}) VALUES ({})", self.table, names.join(", "), places.join(", "));
        let common = Common {
            cell,
            rows: &self.rows.1,
            sql: &sql,
            settings: &self.settings,
            next: &next,
            has_failed: &has_failed,
            start: &start,
        };
        let writers = &mut self.writers[..cell.connections as usize];
        let server = self.server.as_ref();
        let (clock, latencies) = thread::scope(|scope| {
            let threads: Vec<_> =
                writers.iter_mut().map(|connection| scope.spawn(|| common.write(connection))).collect();
            start.wait();
            let clock = Clock::start(server);
            start.wait();
            let ended_early = |_| Err(Error::new(Kind::Io, "a thread ended early"));
            let ends: Vec<Result<Latencies>> =
                threads.into_iter().map(|thread| thread.join().unwrap_or_else(ended_early)).collect();
            let stored = next.load(Relaxed) * cell.statement_rows;
            (clock.written(stored, false), ends)
        });
        let mut all = Latencies::new();
        for latencies in latencies {
            all.merge(&latencies?);
        }
        if self.settings.stop.load(Relaxed) {
            return Err(Error::new(Kind::Interrupted, "interrupted"));
        }
        let after = self.traffic(cell)?;
        self.verify(clock.rows)?;
        let asking = (self.asking.0 * cell.connections, self.asking.1 * cell.connections);
        let bytes = meter::more(meter::more(after, before), asking);
        let cut = clock.took > self.settings.time + self.settings.cap;
        let sample = meter::Written { bytes: Some(bytes), cut, ..clock }.sample();
        Ok(Sample { latency: Some(all), ..sample })
    }

    /// The bytes of all sessions of a cell, sent and received.
    fn traffic(&mut self, cell: &Cell) -> Result<(u64, u64)> {
        let mut sum = (0, 0);
        for connection in &mut self.writers[..cell.connections as usize] {
            let (sent, received) = meter::traffic(connection)?;
            sum = (sum.0 + sent, sum.1 + received);
        }
        Ok(sum)
    }

    fn verify(&mut self, stored: u64) -> Result<()> {
        let (shape, made) = &self.rows;
        let (rows, sum): (u64, u64) = self.connection.query_one(&shape.checksum_query(&self.table), ())?;
        made.checksum(1..stored + 1).expect_there(Checksum { rows, sum })
    }
}

impl Common<'_> {
    /// Takes one statement's rows after the other, as long as there is time.
    fn write(&self, connection: &mut Connection) -> Result<Latencies> {
        let ready = self.make_ready(connection);
        // Others wait for this one even if it cannot.
        self.start.wait();
        self.start.wait();
        ready.and_then(|_| self.write_until_end(connection)).inspect_err(|_| self.has_failed.store(true, Relaxed))
    }

    fn options(&self) -> BatchOptions {
        BatchOptions::new().with_method(self.cell.method).with_rows(self.cell.statement_rows as usize)
    }

    /// A batch of no rows has the table described.
    fn make_ready(&self, connection: &mut Connection) -> Result<()> {
        connection.execute_batch_with(self.sql, &self.made(1..1)?, &self.options())?;
        Ok(())
    }

    fn made(&self, numbers: Range<u64>) -> Result<RecordBatch> {
        self.rows.rows(numbers).map_err(|e| Error::new(Kind::Data, format!("rows could not be made: {e}")))
    }

    fn write_until_end(&self, connection: &mut Connection) -> Result<Latencies> {
        let (options, statement_rows) = (self.options(), self.cell.statement_rows);
        let deadline = Instant::now() + self.settings.time;
        let mut latencies = Latencies::new();
        loop {
            let begun = Instant::now();
            if begun >= deadline || self.has_failed.load(Relaxed) || self.settings.stop.load(Relaxed) {
                return Ok(latencies);
            }
            // A free connection takes the next rows: keys increase like AUTO_INCREMENT keys.
            let first = self.next.fetch_add(1, Relaxed) * statement_rows + 1;
            let rows = self.made(first..first + statement_rows)?;
            connection.execute_batch_with(self.sql, &rows, &options)?;
            latencies.record(begun.elapsed());
        }
    }
}
