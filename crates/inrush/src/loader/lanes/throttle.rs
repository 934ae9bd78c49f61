//! Yields to others: reads what the server reports of itself, and how far replicas are behind, twice a second, on connections of its own, and
//! holds the reader back while it is too much. What the lanes hold already is stored.

use super::replicas::Replicas;
use super::waits::beside;
use crate::Config;
use crate::blocking::Connection;
use crate::loader::control::lock;
use crate::loader::load::Load;
use crate::loader::plan::target::Target;
use crate::loader::report::event::LoadEvent;
use inrush_core::load::lag::{Lag, ReplicaLag};
use inrush_core::load::report::Stop;
use inrush_core::load::throttle::{Status, Throttle, Turn};
use inrush_core::{Error, Kind, Result};
use std::time::{Duration, Instant};

/// The readings of a load, and since when it waits.
pub(crate) struct Yielding {
    config: Config,
    throttle: Throttle,
    replicas: Option<Replicas>,
    /// `None` after an error, and while a reading is under way.
    connection: Option<Connection>,
    began: Instant,
    since: Option<Instant>,
    /// When the wait was last reported.
    told: Instant,
    is_unread_told: bool,
}

/// What one reading has found.
struct Reading {
    status: Status,
    lags: Vec<ReplicaLag>,
}

impl Yielding {
    /// Connects, and reads the server's status once; `None` if the load yields to nothing.
    ///
    /// # Errors
    /// `Config` for what the server does not report or the user may not read; else those of the connections.
    pub(crate) fn open(load: &Load, config: &Config) -> Result<Option<Self>> {
        let options = &load.options;
        if options.dry_run || (options.throttle.is_empty() && options.max_lag.is_none()) {
            return Ok(None);
        }
        let limit = Some(Duration::from_secs(5));
        let throttle = Throttle::new(options.throttle.clone());
        let mut yielding = Self {
            config: config.clone().with_read_timeout(limit).with_write_timeout(limit),
            throttle: throttle.with_max_lag(options.max_lag.unwrap_or(Duration::MAX)),
            replicas: None,
            connection: None,
            began: Instant::now(),
            since: None,
            told: Instant::now(),
            is_unread_told: false,
        };
        let is_over = || load.control.is_aborted();
        let read = yielding.read(is_over).map_err(|error| match error.kind() {
            Kind::Server if !error.is_fatal() => {
                Error::config(format!("what `--throttle` needs cannot be read: {}", error.message())).with_hint(
                    "`history` needs the right PROCESS on MySQL: grant it to this user, or leave that signal out",
                )
            }
            _ => error,
        })?;
        if let Some(reading) = read {
            yielding.take(reading, load).map_err(|error| error.with_hint(REPORTED))?;
        }
        if options.max_lag.is_some() {
            yielding.replicas = Some(Replicas::open(load, &yielding.config)?);
            // Its session writes no heartbeats.
            yielding.connection = None;
        }
        Ok(Some(yielding))
    }

    /// Begins the heartbeats, and waits a moment until the replicas have the first one. A load begins to wait where one has it not.
    ///
    /// # Errors
    /// Those of the table for the heartbeats.
    pub(crate) fn begin(&mut self, target: &Target) -> Result<()> {
        let Some(replicas) = &mut self.replicas else { return Ok(()) };
        let load = &target.load;
        let mut connection = load.control.connect(&self.config)?;
        let made =
            Replicas::prepare(&mut connection).and_then(|()| replicas.begin(&mut connection, &target.table.schema));
        made.map_err(|error| error.while_doing("cannot make the table `inrush_heartbeat` for `--max-lag` ready"))?;
        self.connection = Some(connection);
        let is_over = || load.control.is_aborted();
        for attempt in 1.. {
            let Some(reading) = self.read(is_over)? else { return Ok(()) };
            let is_there = reading.lags.iter().all(|lag| lag.lag != Lag::NoneYet);
            if is_there || attempt == FIRST_READINGS {
                return self.take(reading, load);
            }
            if !load.control.pause(BETWEEN_FIRST_READINGS, |control| control.is_stopping()) {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Reads once more. An error changes nothing, and is reported once; the next time another connection is tried.
    pub(crate) fn poll(&mut self, load: &Load, is_over: impl Fn() -> bool) {
        let taken = match self.read(is_over) {
            Ok(None) => return,
            Ok(Some(reading)) => self.take(reading, load),
            Err(error) => Err(error),
        };
        match taken {
            Ok(()) => self.is_unread_told = false,
            Err(error) if !self.is_unread_told => {
                self.is_unread_told = true;
                load.notify(&LoadEvent::ThrottleUnread { waits: self.throttle.waits(), reason: error.to_string() });
            }
            Err(_) => {}
        }
        if self.throttle.waits() && self.told.elapsed() >= TOLD_EVERY {
            self.told = Instant::now();
            load.notify(&LoadEvent::Yields { reason: self.throttle.over().to_owned() });
        }
        if let Some(replicas) = &mut self.replicas {
            replicas.tell(load);
            if load.control.wants_more()
                && let Some(error) = replicas.given_up(load.options.retries_for)
            {
                lock(&load.counters).stop_at(0, Stop::Failed(error), &load.control);
            }
        }
    }

    /// `None` if the load is over meanwhile.
    fn read(&mut self, is_over: impl Fn() -> bool) -> Result<Option<Reading>> {
        let (config, connection, began) = (self.config.clone(), self.connection.take(), self.began);
        // For the thread, which owns all that it uses.
        let throttle = Throttle::new(self.throttle.ceilings().to_vec());
        let mut replicas = self.replicas.take();
        let read = beside("inrush-throttle", is_over, move || {
            let read = read(&config, connection, &throttle, replicas.as_mut(), began);
            (read, replicas)
        })?;
        let Some((read, replicas)) = read else { return Ok(None) };
        self.replicas = replicas;
        let (connection, reading) = read?;
        self.connection = connection;
        Ok(Some(reading))
    }

    fn take(&mut self, reading: Reading, load: &Load) -> Result<()> {
        let turn = self.throttle.take(reading.status, &reading.lags);
        let turn = turn.map_err(|signal| Error::config(format!("this server does not report `{}`", signal.name())))?;
        match turn {
            None => {}
            Some(Turn::Waits(reason)) => {
                self.told = Instant::now();
                self.since = Some(self.told);
                load.control.set_yielding(true);
                load.notify(&LoadEvent::Yields { reason });
            }
            Some(Turn::Continues) => {
                load.control.set_yielding(false);
                let waited = self.end_wait(load);
                load.notify(&LoadEvent::Continues { waited });
            }
        }
        Ok(())
    }

    /// Counts the wait that ends now.
    fn end_wait(&mut self, load: &Load) -> Duration {
        let waited = self.since.take().map_or(Duration::ZERO, |since| since.elapsed());
        load.control.count_yielded(waited);
        waited
    }

    /// The load is over, whether it waits or not.
    pub(crate) fn end(mut self, load: &Load) {
        self.end_wait(load);
        let Some(mut connection) = self.connection else { return };
        let last = self.replicas.and_then(|replicas| replicas.end_statement());
        // What is left after an error is removed by a later load.
        let _ = beside(
            "inrush-throttle",
            || load.control.is_aborted(),
            move || {
                if let Some(last) = last {
                    connection.execute(&last, ()).ok();
                }
                connection.close();
            },
        );
    }
}

/// Reads the signals of the server, if any, and the lags of replicas.
fn read(
    config: &Config,
    connection: Option<Connection>,
    throttle: &Throttle,
    replicas: Option<&mut Replicas>,
    began: Instant,
) -> Result<(Option<Connection>, Reading)> {
    let has_signals = !throttle.ceilings().is_empty();
    if !has_signals && replicas.is_none() {
        return Ok((connection, Reading { status: Status::new(began.elapsed(), []), lags: Vec::new() }));
    }
    let mut connection = match connection {
        Some(connection) => connection,
        None => {
            let mut connection = Connection::connect(config)?;
            if replicas.is_some() {
                Replicas::prepare(&mut connection)?;
            }
            connection
        }
    };
    let at = began.elapsed();
    let mut rows = Vec::new();
    if has_signals {
        rows = connection.texts(&throttle.query())?;
        if let Some(more) = throttle.more(&status(at, &rows)) {
            rows.extend(connection.texts(&more)?);
        }
    }
    let lags = match replicas {
        Some(replicas) => replicas.read(&mut connection, began)?,
        None => Vec::new(),
    };
    Ok((Some(connection), Reading { status: status(at, &rows), lags }))
}

fn status(at: Duration, rows: &[Vec<String>]) -> Status {
    Status::new(at, rows.iter().filter_map(|row| Some((row.first()?.as_str(), row.get(1)?.as_str()))))
}

const REPORTED: &str = "`threads-running`, `history` and `checkpoint-age` are of every MySQL and MariaDB with InnoDB, `flow-control` of nodes of Galera";

/// A wait is reported again after this time.
const TOLD_EVERY: Duration = Duration::from_secs(60);

/// How often replicas are read at first until they have a heartbeat.
const FIRST_READINGS: u32 = 20;

const BETWEEN_FIRST_READINGS: Duration = Duration::from_millis(50);
