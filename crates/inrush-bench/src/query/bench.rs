//! Runs the cells of `query`.

use super::work::{Ask, Work};
use super::{Cell, Client, JOIN, Mode, blocking, people, tasks};
use crate::clock::Clock;
use crate::facts::ServerProcess;
use crate::results::Sample;
use crate::workers::Workers;
use inrush::blocking::Connection;
use inrush::sans_io::{Error, Kind, Result};
use inrush::{Config, Statement};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use tokio::runtime::Runtime;

/// The query and its options.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The schema of the query.
    pub schema: String,
    /// What.
    pub sql: String,
    /// It is the JOIN, whose tables are made for it.
    pub join: bool,
    /// By a prepared statement instead of as text.
    pub prepared: bool,
    /// How they are sent.
    pub mode: Mode,
    /// How many are sent together, if the mode does this.
    pub batch: u64,
    /// Queries of each client.
    pub queries: u64,
    /// Queries of each client that are a warm-up.
    pub warm_up: u64,
    /// A query may take so long.
    pub timeout: Duration,
    /// A case may take so long.
    pub cap: Duration,
    /// Of the selected rows.
    pub seed: u64,
}

/// Runs cells.
pub struct Bench {
    work: Arc<Work>,
    server: Option<ServerProcess>,
    runtime: Runtime,
    stop: Arc<AtomicBool>,
    ended_by: Option<Error>,
}

impl Bench {
    /// Creates the tables, and runs the query once as a check.
    ///
    /// # Errors
    /// Those of the server; `Config` for an invalid query.
    pub fn new(config: &Config, settings: &Settings, stop: &Arc<AtomicBool>) -> Result<Self> {
        let Settings { mode, queries, warm_up, cap, .. } = *settings;
        let config = config
            .clone()
            .with_database(&settings.schema)
            .with_query_timeout(Some(settings.timeout))
            .with_kill_on_timeout(true)
            .with_multi_statements(false);
        let mut connection = Connection::connect(&config)?;
        let server = ServerProcess::find(&mut connection);
        if settings.join {
            people::make(&mut connection, settings.seed)?;
        }
        check(&mut connection, &settings.sql, settings.prepared)?;
        let ask = match settings.prepared {
            true => Ask::Prepared(Statement::new(&settings.sql)?),
            false => Ask::Text(settings.sql.clone()),
        };
        let answer_rows = match &*settings.sql {
            JOIN => Some(people::JOIN_ROWS),
            SELECT_1 => Some(1),
            _ => None,
        };
        let config = config.with_multi_statements(mode == Mode::Batch);
        let batch = if mode == Mode::Normal { 1 } else { settings.batch.max(1) };
        Ok(Self {
            work: Arc::new(Work { config, mode, batch, queries, warm_up, ask, answer_rows, cap }),
            server,
            runtime: runtime()?,
            stop: Arc::clone(stop),
            ended_by: None,
        })
    }

    /// Runs a cell. Connecting, preparing and the warm-up of the clients are outside the clock.
    ///
    /// # Errors
    /// Those of the server; `Protocol` for an answer of another number of rows than it must have.
    pub fn run(&mut self, cell: &Cell) -> Result<Sample> {
        let Self { work, server, runtime, stop, .. } = self;
        let workers = Arc::new(Workers::new(cell.clients, work.cap, stop));
        let start = || Clock::start(server.as_ref());
        let mut sample = match cell.client {
            Client::Blocking => blocking::run(work, &workers, cell.clients, start)?,
            Client::Async => runtime.block_on(tasks::run(work, &workers, cell.clients, start))?,
        };
        workers.take().tell(&mut sample);
        self.ended_by = workers.ended_by();
        sample.cut = workers.is_cut() || self.ended_by.is_some();
        match &self.ended_by {
            Some(error) if error.kind() == Kind::Protocol => Err(error.clone()),
            _ => Ok(sample),
        }
    }

    /// Why the last case ended before its end, if it did.
    pub fn ended_by(&mut self) -> Option<Error> {
        self.ended_by.take()
    }
}

/// With as many threads as there are cores.
pub(crate) fn runtime() -> Result<Runtime> {
    let built = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    built.map_err(|e| Error::io("cannot start the threads of tasks", e))
}

/// Runs it once in a read-only transaction.
///
/// # Errors
/// Those of the server; `Config` for a statement that is not a query.
pub(crate) fn check(connection: &mut Connection, sql: &str, prepared: bool) -> Result<()> {
    // DDL is not held back by a transaction that only reads, it ends it.
    let word: String = sql.trim_start().trim_start_matches('(').chars().take_while(char::is_ascii_alphabetic).collect();
    if !QUERIES.contains(&&*word.to_ascii_uppercase()) {
        return Err(no_query());
    }
    connection.execute("START TRANSACTION READ ONLY", ())?;
    let asked = match prepared {
        true => connection.prepare(sql).and_then(|statement| connection.execute(&statement, ())),
        false => connection.execute(sql, ()),
    };
    match asked {
        Err(e) if e.code() == READ_ONLY => Err(no_query()),
        // The experiment counts timeouts.
        Err(e) if e.is_timeout() => Ok(()),
        Err(e) => Err(e.while_doing("the query")),
        Ok(_) => Ok(()),
    }
}

fn no_query() -> Error {
    Error::config("`--sql` takes one query that changes nothing").with_hint(
        "`SELECT ..` or `WITH ..`; `inrush bench insert` and `inrush bench pressure` write, into tables of their own",
    )
}

/// What a query begins with.
const QUERIES: [&str; 5] = ["SELECT", "SHOW", "TABLE", "VALUES", "WITH"];

/// The default query.
const SELECT_1: &str = "SELECT 1";

/// ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION.
const READ_ONLY: u16 = 1792;
