//! Yields to others: reads what the server reports of itself, and how far replicas are behind, twice a second, on connections of its own, and
//! holds the reader back while it is too much. What the lanes hold already is stored.

use super::replicas::{Replicas, on_kept};
use super::retry::{Tried, Why, Work};
use super::waits::{aborted, beside};
use crate::Config;
use crate::blocking::Connection;
use crate::loader::control::{Control, lock};
use crate::loader::load::Load;
use crate::loader::plan::target::Target;
use crate::loader::report::event::LoadEvent;
use inrush_core::load::lag::{Lag, ReplicaLag};
use inrush_core::load::report::Stop;
use inrush_core::load::throttle::{Status, Throttle, Turn};
use inrush_core::{Error, Kind, Result};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// The decision of a load to wait, and what it is made of. When it is dropped, the run's heartbeats are removed.
pub(crate) struct Yielding {
    control: Arc<Control>,
    throttle: Throttle,
    /// Shared with the thread of a reading, which may still be under way when the load is over.
    reader: Arc<Mutex<YieldReader>>,
    /// When the wait was last reported.
    told: Instant,
    is_unread_told: bool,
}

/// What reads.
struct YieldReader {
    config: Config,
    /// For its queries alone.
    throttle: Throttle,
    replicas: Option<Replicas>,
    /// `None` after an error.
    connection: Option<Connection>,
    began: Instant,
}

/// What one reading has found.
struct Reading {
    /// `None`: there is nothing to read, or no connection to read it on.
    status: Result<Option<Status>>,
    /// The error is that of the heartbeat.
    lags: Result<Vec<ReplicaLag>>,
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
        let reader = YieldReader {
            config: limited(config),
            throttle: Throttle::new(options.throttle.clone()),
            replicas: None,
            connection: None,
            began: Instant::now(),
        };
        let mut yielding = Self {
            control: load.control.clone(),
            throttle: Throttle::new(options.throttle.clone()).with_max_lag(options.max_lag.unwrap_or(Duration::MAX)),
            reader: Arc::new(Mutex::new(reader)),
            told: Instant::now(),
            is_unread_told: false,
        };
        if let Some(Reading { status, lags }) = yielding.read(|| load.control.is_aborted())? {
            let status = Ok(status.map_err(|error| match error.kind() {
                Kind::Server if !error.is_fatal() => {
                    Error::config(format!("what `--throttle` needs cannot be read: {}", error.message())).with_hint(
                        "`history` needs the right PROCESS on MySQL: grant it to this user, or leave that signal out",
                    )
                }
                _ => error,
            })?);
            yielding.take(Reading { status, lags }, load).map_err(|error| error.with_hint(REPORTED))?;
        }
        Ok(Some(yielding))
    }

    /// Connects to the replicas, begins the heartbeats, and waits a moment until the replicas have the first one. A load begins to wait where
    /// one has it not. From now on everything is read of the server that the load is to.
    ///
    /// # Errors
    /// Those of the replicas, and of the table for the heartbeats.
    pub(crate) fn begin(&mut self, target: &Target) -> Result<()> {
        let load = &target.load;
        let is_over = || load.control.is_aborted();
        {
            let mut reader = lock(&self.reader);
            // The session so far writes no heartbeats, and may be one to another of several servers.
            (reader.config, reader.connection) = (limited(&target.config), None);
        }
        if load.options.max_lag.is_none() {
            return Ok(());
        }
        let (reader, asked, schema) = (self.reader.clone(), load.clone(), target.table.schema.clone());
        let opened = beside(THREAD, is_over, move || lock(&reader).open_replicas(&asked, &schema))?;
        for reason in opened.ok_or_else(aborted)?? {
            load.notify(&LoadEvent::ThrottleUnread { waits: false, reason });
        }
        let begun = load.retrying(0, Work::Step("the table of the heartbeats")).run(Control::is_stopping, |_| {
            let reader = self.reader.clone();
            match beside(THREAD, is_over, move || lock(&reader).begin()) {
                Ok(Some(begun)) => begun.into(),
                Ok(None) => Tried::Refused(aborted()),
                Err(error) => Tried::Refused(error),
            }
        });
        begun.map_err(|gave_up| match gave_up.why {
            Why::Interrupted => gave_up.interrupted("interrupted before a row was sent"),
            _ => gave_up.error.while_doing("cannot make the table `inrush_heartbeat` for `--max-lag` ready"),
        })?;
        for attempt in 1.. {
            let Some(reading) = self.read(is_over)? else { return Ok(()) };
            if let Some(error) = lock(&self.reader).replicas.as_ref().and_then(Replicas::unread) {
                return Err(error);
            }
            let lacks_it = |lag: &ReplicaLag| lag.lag == Lag::NoneYet;
            let is_awaited = reading.lags.as_ref().is_ok_and(|lags| lags.iter().any(lacks_it));
            if !is_awaited || attempt == FIRST_READINGS {
                return self.take(reading, load);
            }
            if !load.control.pause(BETWEEN_FIRST_READINGS, Control::is_stopping) {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Reads once more. A signal that cannot be read changes nothing, and is reported once; the next time another connection is tried.
    /// Returns the error that ends the load: of a replica or of the heartbeat.
    pub(crate) fn poll(&mut self, load: &Load, is_over: impl Fn() -> bool) -> Option<Error> {
        let taken = match self.read(is_over) {
            Ok(None) => return None,
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
        let (ignored, given_up) = {
            let mut reader = lock(&self.reader);
            let replicas = reader.replicas.as_mut()?;
            (replicas.newly_ignored(), replicas.given_up(load.options.retries_for))
        };
        for reason in ignored {
            load.notify(&LoadEvent::ThrottleUnread { waits: false, reason });
        }
        given_up
    }

    /// Waits for as long as the load yields. Returns whether it has waited.
    ///
    /// # Errors
    /// The end of the load: an interruption, or the error of a replica or of the heartbeat.
    pub(crate) fn wait(&mut self, load: &Load) -> Result<bool, Stop> {
        let mut has_waited = false;
        loop {
            if let Some(error) = self.poll(load, || load.control.is_stopping()) {
                return Err(Stop::Failed(error));
            }
            if load.control.is_stopping() {
                return Err(Stop::Interrupted);
            }
            if !load.control.is_yielding() {
                return Ok(has_waited);
            }
            has_waited = true;
            if !load.control.pause(POLL_EVERY, Control::is_stopping) {
                return Err(Stop::Interrupted);
            }
        }
    }

    fn read(&self, is_over: impl Fn() -> bool) -> Result<Option<Reading>> {
        let reader = self.reader.clone();
        beside(THREAD, is_over, move || lock(&reader).read())
    }

    fn take(&mut self, reading: Reading, load: &Load) -> Result<()> {
        let (status, unread) = match reading.status {
            Ok(status) => (status, None),
            Err(error) => (None, Some(error)),
        };
        let turn = self.throttle.take(status, reading.lags.as_deref());
        let turn = turn.map_err(|signal| Error::config(format!("this server does not report `{}`", signal.name())))?;
        match turn {
            None => {}
            Some(Turn::Waits(reason)) => {
                self.told = Instant::now();
                load.control.begin_yielding();
                load.notify(&LoadEvent::Yields { reason });
            }
            Some(Turn::Continues) => {
                let waited = load.control.end_yielding();
                load.notify(&LoadEvent::Continues { waited });
            }
        }
        unread.map_or(Ok(()), Err)
    }
}

impl Drop for Yielding {
    /// The load is over, however it ended and whether it waits or not.
    fn drop(&mut self) {
        self.control.end_yielding();
        let (reader, began) = (self.reader.clone(), Instant::now());
        let is_over = || self.control.is_aborted() || began.elapsed() >= LIMIT;
        // A reading that is under way ends first.
        let _ = beside(THREAD, is_over, move || lock(&reader).end());
    }
}

impl YieldReader {
    /// Returns what is to be reported.
    fn open_replicas(&mut self, load: &Load, schema: &str) -> Result<Vec<String>> {
        let (replicas, left_out) = Replicas::open(&load.options, &self.config, schema)?;
        self.replicas = Some(replicas);
        Ok(left_out)
    }

    fn begin(&mut self) -> Result<()> {
        let Self { config, replicas: Some(replicas), connection, began, .. } = self else { return Ok(()) };
        replicas.begin(connection, &|| connect(config, true), *began)
    }

    /// Writes a heartbeat and reads the replicas, if there are any, and then the signals of the server.
    fn read(&mut self) -> Reading {
        let Self { config, throttle, replicas, connection, began } = self;
        let writes = replicas.is_some();
        let connect = || connect(config, writes);
        let lags = match replicas {
            Some(replicas) => replicas.read(connection, &connect, *began),
            None => Ok(Vec::new()),
        };
        let status = match throttle.ceilings().is_empty() || lags.is_err() {
            true => Ok(None),
            false => on_kept(connection, &connect, |connection| signals(connection, throttle, *began)).map(Some),
        };
        Reading { status, lags }
    }

    fn end(&mut self) {
        let Self { config, replicas, connection, .. } = self;
        if let Some(replicas) = replicas {
            replicas.end(connection, &|| connect(config, true));
        }
        if let Some(connection) = connection.take() {
            connection.close();
        }
    }
}

/// Short limits: an answer that comes later is of no use.
fn limited(config: &Config) -> Config {
    let connecting = config.connect_timeout().min(LONGEST_CONNECT);
    config.clone().with_connect_timeout(connecting).with_read_timeout(Some(LIMIT)).with_write_timeout(Some(LIMIT))
}

fn connect(config: &Config, writes: bool) -> Result<Connection> {
    let mut connection = Connection::connect(config)?;
    if writes {
        Replicas::prepare(&mut connection)?;
    }
    Ok(connection)
}

fn signals(connection: &mut Connection, throttle: &Throttle, began: Instant) -> Result<Status> {
    let at = began.elapsed();
    let mut rows = connection.texts(&throttle.query())?;
    if let Some(more) = throttle.more(&status(at, &rows)) {
        rows.extend(connection.texts(&more)?);
    }
    Ok(status(at, &rows))
}

fn status(at: Duration, rows: &[Vec<String>]) -> Status {
    Status::new(at, rows.iter().filter_map(|row| Some((row.first()?.as_str(), row.get(1)?.as_str()))))
}

const REPORTED: &str = "`threads-running`, `history` and `checkpoint-age` are of every MySQL and MariaDB with InnoDB, `flow-control` of nodes of Galera";

const THREAD: &str = "inrush-throttle";

/// How long an answer of the server may take, and the end of the heartbeats.
const LIMIT: Duration = Duration::from_secs(5);

/// A user may have set a longer time, or none, for the lanes.
const LONGEST_CONNECT: Duration = Duration::from_secs(30);

/// A wait is reported again after this time.
const TOLD_EVERY: Duration = Duration::from_secs(60);

/// How often replicas are read at first until they have a heartbeat.
const FIRST_READINGS: u32 = 20;

/// As often as the watch over a load under way.
const POLL_EVERY: Duration = Duration::from_millis(500);

const BETWEEN_FIRST_READINGS: Duration = Duration::from_millis(50);
