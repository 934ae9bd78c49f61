//! Yields to others: reads what the server reports of itself, and how far replicas are behind, twice a second or more often, on connections of its own,
//! and holds the reader back while it is too much. What the lanes hold already is stored.

use super::latency::LatencyProbe;
use super::replicas::{Replicas, on_kept};
use super::retry::{Tried, Why, Work};
use super::waits::{LEAST_PAUSE, aborted, beside};
use crate::Config;
use crate::blocking::Connection;
use crate::loader::control::{Control, lock};
use crate::loader::load::Load;
use crate::loader::options::UnreadableSignals;
use crate::loader::plan::target::Target;
use crate::loader::report::event::LoadEvent;
use inrush_core::error::Class;
use inrush_core::load::lag::{Lag, ReplicaLag};
use inrush_core::load::report::Stop;
use inrush_core::load::throttle::wait_reports::{WaitReport, WaitReports};
use inrush_core::load::throttle::{Signal, Status, Throttle, Turn, Unread};
use inrush_core::{Error, Kind, Result};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// The decision of a load to wait, and what it is made of. When it is dropped, the run's heartbeats are removed.
pub(crate) struct Yielding {
    control: Arc<Control>,
    throttle: Throttle,
    /// Shared with the thread of a reading, which may still be under way when the load is over.
    reader: Arc<Mutex<YieldReader>>,
    reports: WaitReports,
    /// Signals that cannot be read are left out.
    ignores_unread: bool,
    is_unread_reported: bool,
    /// Since when they cannot be read.
    unread_since: Option<Instant>,
    /// The load was not refused: from now on it waits where it cannot read them.
    is_open: bool,
    /// The time between two readings.
    every: Duration,
}

/// What reads.
struct YieldReader {
    config: Config,
    /// For its queries alone.
    throttle: Throttle,
    replicas: Option<Replicas>,
    latency: Option<LatencyProbe>,
    /// `None` after an error.
    connection: Option<Connection>,
    began: Instant,
    control: Arc<Control>,
}

/// What one reading has found.
struct Reading {
    /// `None`: there is nothing to read.
    signals: Result<Option<Signals>>,
    /// The error is that of the heartbeat.
    lags: Result<Vec<ReplicaLag>>,
}

struct Signals {
    status: Status,
    /// What the server refused.
    unread: Vec<Unread>,
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
            latency: None,
            connection: None,
            began: Instant::now(),
            control: load.control.clone(),
        };
        let most = options.max_lag.unwrap_or(Duration::MAX);
        let ignores_unread = options.unreadable_signals == UnreadableSignals::Ignore;
        let mut yielding = Self {
            control: load.control.clone(),
            throttle: Throttle::new(options.throttle.clone()).with_max_lag(most).with_ignored_signals(ignores_unread),
            reader: Arc::new(Mutex::new(reader)),
            reports: WaitReports::default(),
            ignores_unread,
            is_unread_reported: false,
            unread_since: None,
            is_open: false,
            every: (most / READINGS_OF_A_LAG).clamp(LEAST_PAUSE, POLL_EVERY),
        };
        if let Some(reading) = yielding.read(|| load.control.is_aborted())?
            && let Err(error) = yielding.take(reading, load)
        {
            if !ignores_unread || error.is_fatal() {
                return Err(error.with_hint(REPORTED));
            }
            yielding.report_unread(&error, load);
        }
        yielding.is_open = true;
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
        let schema = target.table.schema.clone();
        if self.throttle.yields_to(Signal::CommitLatency) {
            lock(&self.reader).latency = Some(LatencyProbe::new(&schema));
        } else if load.options.max_lag.is_none() {
            return Ok(());
        }
        if load.options.max_lag.is_some() {
            let (reader, of) = (self.reader.clone(), load.clone());
            let opened = beside(THREAD, is_over, move || lock(&reader).open_replicas(&of, &schema))?;
            for reason in opened.ok_or_else(aborted)?? {
                load.notify(&LoadEvent::ThrottleUnread { waits: false, reason });
            }
        }
        let ignores_unread = self.ignores_unread;
        let begun = load.retrying(0, Work::Step("the table of the heartbeats")).run(Control::is_stopping, |_| {
            let reader = self.reader.clone();
            match beside(THREAD, is_over, move || lock(&reader).begin(ignores_unread)) {
                Ok(Some(begun)) => begun.into(),
                Ok(None) => Tried::Refused(aborted()),
                Err(error) => Tried::Refused(error),
            }
        });
        let unread = begun.map_err(|gave_up| match gave_up.why {
            Why::Interrupted => gave_up.interrupted("interrupted before a row was sent"),
            _ => gave_up.error.while_doing(UNREADY),
        })?;
        if let Some(unread) = unread {
            self.leave_out(&unread, load);
        }
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

    /// The time between two readings.
    pub(crate) fn every(&self) -> Duration {
        self.every
    }

    /// Reads once more. Where signals cannot be read, another connection is tried the next time; meanwhile the load waits, or continues if they are to
    /// be ignored. Returns the error that ends the load: of a signal, of a replica or of the heartbeat.
    pub(crate) fn poll(&mut self, load: &Load, is_over: impl Fn() -> bool) -> Option<Error> {
        let taken = match self.read(is_over) {
            Ok(None) => return None,
            Ok(Some(reading)) => self.take(reading, load),
            Err(error) => Err(error),
        };
        match taken {
            Ok(()) => (self.is_unread_reported, self.unread_since) = (false, None),
            Err(error) if self.ignores_unread => self.report_unread(&error, load),
            Err(error) => {
                let since = *self.unread_since.get_or_insert_with(Instant::now);
                if since.elapsed() >= load.options.retries_for {
                    return Some(error.while_doing(UNREAD));
                }
            }
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
            if !load.control.pause(self.every, Control::is_stopping) {
                return Err(Stop::Interrupted);
            }
        }
    }

    fn read(&self, is_over: impl Fn() -> bool) -> Result<Option<Reading>> {
        let reader = self.reader.clone();
        beside(THREAD, is_over, move || lock(&reader).read())
    }

    fn report_unread(&mut self, error: &Error, load: &Load) {
        if !std::mem::replace(&mut self.is_unread_reported, true) {
            load.notify(&LoadEvent::ThrottleUnread { waits: self.throttle.waits(), reason: error.to_string() });
        }
    }

    /// The error of a signal that cannot be read, if it is not to be ignored.
    fn leave_out(&mut self, unread: &Unread, load: &Load) -> Option<Error> {
        if !self.ignores_unread {
            return Some(Error::config(unread.to_string()));
        }
        self.throttle.leave_out(unread.signal);
        load.notify(&LoadEvent::ThrottleUnread { waits: false, reason: unread.to_string() });
        None
    }

    fn take(&mut self, reading: Reading, load: &Load) -> Result<()> {
        let control = &load.control;
        let (signals, mut error) = match reading.signals {
            Ok(signals) => (signals, None),
            Err(error) => (None, Some(error)),
        };
        let (mut status, unread) = signals.map_or((None, Vec::new()), |signals| (Some(signals.status), signals.unread));
        for unread in unread.iter().filter(|unread| self.throttle.yields_to(unread.signal)).cloned().collect::<Vec<_>>()
        {
            error = error.or(self.leave_out(&unread, load));
        }
        if error.is_some() {
            status = None;
        }
        if let Ok(lags) = &reading.lags {
            // Without a replica no batch is too large.
            let most_batch = if lags.is_empty() { usize::MAX } else { self.throttle.most_batch_bytes(lags) };
            control.limit(self.throttle.most_taken(lags), most_batch);
        }
        let turn = loop {
            match self.throttle.take(status.clone(), reading.lags.as_deref(), control.progress()) {
                Ok(turn) => break turn,
                Err(unread) => {
                    if let Some(unread) = self.leave_out(&unread, load) {
                        error = Some(unread);
                        break None;
                    }
                }
            }
        };
        if let Some(error) = &error
            && self.is_open
            && !self.ignores_unread
            && self.throttle.wait_for(&format!("{UNREAD}: {error}"))
        {
            control.begin_yielding();
        }
        match turn {
            None => {}
            Some(Turn::Waits(_)) => control.begin_yielding(),
            Some(Turn::Continues) => drop(control.end_yielding()),
        }
        match self.reports.take(self.throttle.waits(), control.elapsed()) {
            None => {}
            Some(WaitReport::Waits) => load.notify(&LoadEvent::Yields { reason: self.throttle.over().to_owned() }),
            Some(WaitReport::Continues(waited)) => load.notify(&LoadEvent::Continues { waited }),
            Some(WaitReport::Waited { times, waited }) => {
                load.notify(&LoadEvent::Yielded { times, waited, reason: self.throttle.over().to_owned() });
            }
        }
        error.map_or(Ok(()), Err)
    }
}

impl Drop for Yielding {
    /// The load is over, however it ended and whether it waits or not.
    fn drop(&mut self) {
        self.control.end_yielding();
        self.control.limit(None, usize::MAX);
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

    /// Returns the signal that cannot be measured, where such signals are to be ignored.
    fn begin(&mut self, ignores_unread: bool) -> Result<Option<Unread>> {
        let Self { config, replicas, latency, connection, began, .. } = self;
        let connect = || connect(config, true);
        let mut unread = None;
        if let Some(probe) = latency {
            match on_kept(connection, &connect, |connection| probe.begin(connection)) {
                // What a later attempt may do is tried again.
                Err(error) if ignores_unread && error.kind() == Kind::Server && error.class() == Class::Other => {
                    let reason = Some(error.while_doing(UNREADY).to_string());
                    unread = Some(Unread { signal: Signal::CommitLatency, reason });
                    *latency = None;
                }
                begun => begun?,
            }
        }
        if let Some(replicas) = replicas {
            replicas.begin(connection, &connect, *began)?;
        }
        Ok(unread)
    }

    /// Writes a heartbeat and reads the replicas, if there are any, and then the signals of the server.
    fn read(&mut self) -> Reading {
        let Self { config, throttle, replicas, latency, connection, began, control } = self;
        let writes = replicas.is_some() || latency.is_some();
        let connect = || connect(config, writes);
        let lags = match replicas {
            Some(replicas) => replicas.read(connection, &connect, *began, control.progress()),
            None => Ok(Vec::new()),
        };
        let signals = match throttle.ceilings().is_empty() || lags.is_err() {
            true => Ok(None),
            false => {
                on_kept(connection, &connect, |connection| signals(connection, throttle, latency.as_mut(), *began))
                    .map(Some)
            }
        };
        Reading { signals, lags }
    }

    fn end(&mut self) {
        let Self { config, replicas, latency, connection, .. } = self;
        if let Some(latency) = latency {
            // What is left after an error is removed by a later load.
            let _ = on_kept(connection, &|| connect(config, true), |connection| latency.end(connection));
        }
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

fn signals(
    connection: &mut Connection,
    throttle: &Throttle,
    latency: Option<&mut LatencyProbe>,
    began: Instant,
) -> Result<Signals> {
    let at = began.elapsed();
    let mut rows = match throttle.query() {
        Some(query) => connection.texts(&query)?,
        None => Vec::new(),
    };
    let mut unread = Vec::new();
    for (signal, query) in throttle.more(&status(at, &rows)) {
        match connection.texts(query) {
            Ok(more) => rows.extend(more),
            // A table that this server does not have, or a right.
            Err(error) if error.kind() == Kind::Server && !error.is_fatal() => {
                unread.push(Unread { signal, reason: Some(error.message().to_owned()) });
            }
            Err(error) => return Err(error),
        }
    }
    let mut status = status(at, &rows);
    if let Some(latency) = latency {
        status = status.with_commit_latency(latency.take(connection)?);
    }
    Ok(Signals { status, unread })
}

fn status(at: Duration, rows: &[Vec<String>]) -> Status {
    Status::new(at, rows.iter().filter_map(|row| Some((row.first()?.as_str(), row.get(1)?.as_str()))))
}

const REPORTED: &str = "`threads-running`, `commit-latency`, `history` and `checkpoint-age` are of every MySQL and MariaDB with InnoDB (on MySQL `history` needs the \
    right PROCESS), `flow-control` of nodes of Galera, `group-queue` of members of Group Replication; `--unreadable-signals ignore` loads without \
    what cannot be read";

const UNREADY: &str = "cannot make the table `inrush_heartbeat` ready";

const UNREAD: &str = "what `--throttle` needs cannot be read";

const THREAD: &str = "inrush-throttle";

/// How long an answer of the server may take, and the end of the heartbeats.
const LIMIT: Duration = Duration::from_secs(5);

/// A user may have set a longer time, or none, for the lanes.
const LONGEST_CONNECT: Duration = Duration::from_secs(30);

/// How often replicas are read at first until they have a heartbeat.
const FIRST_READINGS: u32 = 20;

/// As often as the watch over a load under way, or so many times in the time of `--max-lag`.
const POLL_EVERY: Duration = Duration::from_millis(500);
const READINGS_OF_A_LAG: u32 = 10;

const BETWEEN_FIRST_READINGS: Duration = Duration::from_millis(50);
