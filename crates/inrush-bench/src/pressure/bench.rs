//! Runs the cells of `pressure` into a table of its own, watches them, and verifies the table afterwards.

use super::Cell;
use super::pacer::{Pace, Pacer, Until};
use super::writers::{COLUMNS, ROW, Through, Writers};
use crate::clock::Clock;
use crate::counters::Counters;
use crate::facts::ServerProcess;
use crate::results::{Sample, Tick};
use crate::workers::{Workers, ended_early};
use inrush::Config;
use inrush::blocking::Connection;
use inrush::sans_io::{Error, Kind, Result};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::Duration;

/// How cells are run.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The schema, which must exist.
    pub schema: String,
    /// When statements are sent.
    pub pace: Pace,
    /// Rows a statement, where it may carry many.
    pub many: u64,
    /// A statement may take so long.
    pub timeout: Duration,
    /// A case of so many rows may take so long.
    pub cap: Duration,
}

/// The progress of a case, once a second.
#[derive(Debug)]
pub struct Now<'a> {
    /// The case.
    pub case: &'a str,
    /// Since it began.
    pub elapsed: Duration,
    /// When it ends.
    pub until: Until,
    /// Before this nothing counts.
    pub ramp_up: Duration,
    /// What was counted since the last time.
    pub latest: &'a Counters,
    /// What was counted since it began.
    pub total: &'a Counters,
}

/// Runs cells.
pub struct Bench {
    settings: Settings,
    config: Config,
    control: Connection,
    server: Option<ServerProcess>,
    stop: Arc<AtomicBool>,
    watch: Box<dyn Fn(&Now<'_>)>,
    target: String,
    ended_by: Option<Error>,
}

/// The definition of the table `name`, which is quoted if need be.
pub fn ddl(name: &str) -> String {
    format!(
        "CREATE TABLE {name} (id BIGINT AUTO_INCREMENT PRIMARY KEY, name VARCHAR(32) NOT NULL, age INT NOT NULL, level INT NOT NULL, \
         region VARCHAR(32) NOT NULL, address VARCHAR(128) NOT NULL, stored_at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP) \
         ENGINE=InnoDB DEFAULT CHARSET=utf8mb4"
    )
}

impl Bench {
    /// `watch` is called once a second with the progress.
    ///
    /// # Errors
    /// Those of the server.
    pub fn new(
        config: &Config,
        settings: Settings,
        stop: &Arc<AtomicBool>,
        watch: impl Fn(&Now<'_>) + 'static,
    ) -> Result<Self> {
        let config = config.clone();
        let mut control = Connection::connect(&config)?;
        let server = ServerProcess::find(&mut control);
        let target = format!("`{}`.bench_pressure", settings.schema);
        let (stop, watch) = (Arc::clone(stop), Box::new(watch));
        Ok(Self { settings, config, control, server, stop, watch, target, ended_by: None })
    }

    /// Runs a cell. The making of the table and connecting are outside the clock; what the table holds afterwards is counted and summed.
    ///
    /// # Errors
    /// Those of the server; `Protocol` if the table does not hold what was acknowledged.
    pub fn run(&mut self, cell: &Cell) -> Result<Sample> {
        self.control.execute(&format!("DROP TABLE IF EXISTS {}", self.target), ())?;
        self.control.execute(&ddl(&self.target), ())?;
        let Settings { schema, pace, cap, many, timeout } = self.settings.clone();
        let config = self
            .config
            .clone()
            .with_query_timeout(Some(timeout))
            .with_kill_on_timeout(true)
            .with_statement_cache(cell.clients + STATEMENTS_BESIDE);
        let table = format!("{schema}.bench_pressure");
        let through = Through::new(cell.on, &config, cell.clients, &table)?;
        let cap = match pace.until {
            Until::For(_) => Duration::MAX,
            Until::Rows(_) => cap.saturating_add(pace.ramp_up),
        };
        let workers = Workers::new(cell.clients, cap, &self.stop);
        let pacer = Pacer::new(pace, cell.clients as u64, cell.on.statement_rows(many));
        let began: i64 = self.control.query_one("SELECT UNIX_TIMESTAMP()", ())?;
        let writers =
            Writers { on: cell.on, config: &config, target: &self.target, workers: &workers, pacer: &pacer, through };
        let case = cell.case(pace.until).id;
        let (clock, total) = self.watch_over(&writers, cell.clients, &case)?;
        let mut sample = clock.stop();
        // Not earlier: the server drops the statistics of closed connections.
        drop(writers);

        let lost = workers.ended_by();
        let is_by_time = matches!(pace.until, Until::For(_));
        let is_lost = lost.as_ref().is_some_and(|error| error.kind() != Kind::Interrupted);
        // An interrupted case has a rate too, if its length is a time.
        sample.cut = workers.is_cut() || is_lost || lost.is_some() && (!is_by_time || total.done == 0);
        sample.curve = total.curve();
        sample.unsent = if lost.is_none() { pacer.unsent() } else { None };
        let looked_at = self.look_at(&total, began);
        // At a rate, all due statements may be answered some time before the end.
        let end = if lost.is_none() && is_by_time { pacer.end() } else { Duration::ZERO };
        let counted = total.last.max(end).checked_sub(pace.ramp_up);
        total.tell(&mut sample);
        sample.seconds = counted.map_or(sample.seconds, |counted| counted.as_secs_f64());
        self.ended_by = match (lost, looked_at) {
            (Some(error), Err(again)) if again.kind() != Kind::Protocol => {
                Some(error.while_doing("the server is gone, so its rows could not be verified"))
            }
            (_, Err(error)) => return Err(error),
            (lost, Ok(curve)) => {
                sample.server_curve = curve;
                lost
            }
        };
        Ok(sample)
    }

    /// Why the last case ended before its end, if it did.
    pub fn ended_by(&mut self) -> Option<Error> {
        self.ended_by.take()
    }

    /// Runs all clients, and reports the progress every second. The clock starts at the end of the ramp-up.
    fn watch_over(&self, writers: &Writers<'_>, n_clients: usize, case: &str) -> Result<(Clock, Counters)> {
        let Pace { ramp_up, until, .. } = self.settings.pace;
        let workers = writers.workers;
        thread::scope(|scope| {
            let mut clock = Clock::start(self.server.as_ref());
            workers.begin(clock.started());
            let mut threads = Vec::new();
            for client in 0..n_clients {
                match thread::Builder::new().spawn_scoped(scope, move || writers.write(client)) {
                    Ok(thread) => threads.push(thread),
                    Err(e) => workers.lose(Error::io(format!("cannot start a thread for client {}", client + 1), e)),
                }
            }
            let (mut total, mut seconds, mut is_ramping) = (Counters::default(), 1, !ramp_up.is_zero());
            while threads.iter().any(|thread| !thread.is_finished()) {
                thread::sleep(LOOK_EVERY);
                let elapsed = workers.elapsed();
                if is_ramping && elapsed >= ramp_up {
                    is_ramping = false;
                    clock = Clock::start(self.server.as_ref());
                }
                if elapsed.as_secs() >= seconds {
                    seconds = elapsed.as_secs() + 1;
                    let latest = workers.take();
                    total.merge(latest.clone());
                    (self.watch)(&Now { case, elapsed, until, ramp_up, latest: &latest, total: &total });
                }
            }
            threads.into_iter().try_for_each(|thread| thread.join().map_err(ended_early))?;
            total.merge(workers.take());
            Ok((clock, total))
        })
    }

    /// Checks that the table holds all acknowledged rows, and only rows that were sent. Returns the rows of each second by the server's
    /// clock.
    fn look_at(&mut self, total: &Counters, began: i64) -> Result<Vec<Tick>> {
        if self.control.session().is_dead() || self.control.ping().is_err() {
            self.control = Connection::connect(&self.config)?;
        }
        let columns = COLUMNS.join(", ");
        let (name, age, level, region, address) = ROW;
        let crc = u64::from(crc32fast::hash(format!("{name}|{age}|{level}|{region}|{address}").as_bytes()));
        let sql = format!(
            "SELECT COUNT(*), CAST(COALESCE(SUM(CRC32(CONCAT_WS('|', {columns}))), 0) AS UNSIGNED) FROM {}",
            self.target
        );
        let (rows, sum): (u64, u64) = self.control.query_one(&sql, ())?;
        let stored = total.stored();
        if !(stored..=stored + total.unknown).contains(&rows) || sum != rows * crc {
            let unknown = match total.unknown {
                0 => String::new(),
                n => format!(" (and {n} of unknown outcome)"),
            };
            let message = format!(
                "the table holds {rows} rows of sum {sum}, where {stored} were acknowledged{unknown}, of sum {crc} each"
            );
            return Err(Error::new(Kind::Protocol, message));
        }
        let sql = format!(
            "SELECT CAST(UNIX_TIMESTAMP(stored_at) AS SIGNED) AS at, COUNT(*) FROM {} GROUP BY at ORDER BY at",
            self.target
        );
        let seconds: Vec<(i64, u64)> = self.control.query(&sql, ())?;
        let ticks = seconds.into_iter().map(|(at, rows)| {
            let second = u32::try_from(at - began).unwrap_or(0);
            (second, Tick { second, rows, errors: 0 })
        });
        Ok(Counters { ticks: ticks.collect(), ..Counters::default() }.curve())
    }
}

const LOOK_EVERY: Duration = Duration::from_millis(10);

/// The number of statements that a connection prepares besides those of its clients.
const STATEMENTS_BESIDE: usize = 16;
