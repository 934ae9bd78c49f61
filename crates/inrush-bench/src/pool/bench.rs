//! Runs the cells of `pool`.

use super::Cell;
use super::callers::{self, Work};
use crate::clock::Clock;
use crate::facts::ServerProcess;
use crate::query::{Client, check, runtime};
use crate::results::Sample;
use crate::workers::Workers;
use inrush::blocking::Connection;
use inrush::sans_io::{Error, Result};
use inrush::{Config, PoolOptions};
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
    /// Queries of each caller.
    pub queries: u64,
    /// Queries of each client that are a warm-up.
    pub warm_up: u64,
    /// A query, or a connection out of the pool, may take so long.
    pub timeout: Duration,
    /// A case may take so long.
    pub cap: Duration,
}

/// Runs cells.
pub struct Bench {
    settings: Settings,
    config: Config,
    server: Option<ServerProcess>,
    runtime: Runtime,
    stop: Arc<AtomicBool>,
    ended_by: Option<Error>,
}

impl Bench {
    /// Runs the query once as a check.
    ///
    /// # Errors
    /// Those of the server; `Config` for an invalid query.
    pub fn new(config: &Config, settings: Settings, stop: &Arc<AtomicBool>) -> Result<Self> {
        let timeout = Some(settings.timeout);
        let config =
            config.clone().with_database(&settings.schema).with_query_timeout(timeout).with_kill_on_timeout(true);
        let mut connection = Connection::connect(&config)?;
        let server = ServerProcess::find(&mut connection);
        check(&mut connection, &settings.sql, false)?;
        Ok(Self { settings, config, server, runtime: runtime()?, stop: Arc::clone(stop), ended_by: None })
    }

    /// Runs a cell with a pool of its own. The opening of what it keeps and the warm-up of the callers are outside the clock.
    ///
    /// # Errors
    /// Those of the server.
    pub fn run(&mut self, cell: &Cell) -> Result<Sample> {
        let Self { settings, config, server, runtime, stop, .. } = self;
        let timeout = Some(settings.timeout);
        let options = PoolOptions::new().with_min(cell.min).with_max(cell.max).with_acquire_timeout(timeout);
        let config = config.clone().with_pool(options);
        let workers = Workers::new(cell.callers, settings.cap, stop);
        let work = Arc::new(Work { sql: settings.sql.clone(), workers });
        let (queries, warm_up) = (settings.queries, settings.warm_up);
        let start = || Clock::start(server.as_ref());
        let mut sample = match cell.client {
            Client::Blocking => callers::threads(&work, &config, cell, [warm_up, queries], start)?,
            Client::Async => runtime.block_on(callers::tasks(&work, &config, cell, [warm_up, queries], start))?,
        };
        work.workers.take().tell(&mut sample);
        self.ended_by = work.workers.ended_by();
        sample.cut = work.workers.is_cut() || self.ended_by.is_some();
        Ok(sample)
    }

    /// Why the last case ended before its end, if it did.
    pub fn ended_by(&mut self) -> Option<Error> {
        self.ended_by.take()
    }
}
