//! Yields to others: reads what the server reports of itself twice a second, on a connection of its own, and holds the reader back while it
//! is too much. What the lanes hold already is stored.

use super::waits::beside;
use crate::Config;
use crate::blocking::Connection;
use crate::loader::load::Load;
use crate::loader::report::event::LoadEvent;
use inrush_core::load::throttle::{Status, Throttle, Turn};
use inrush_core::{Error, Kind, Result};
use std::time::{Duration, Instant};

/// The readings of a load, and since when it waits.
pub(crate) struct Yielding {
    config: Config,
    throttle: Throttle,
    /// `None` after an error, and while a reading is under way.
    connection: Option<Connection>,
    began: Instant,
    since: Option<Instant>,
    is_unread_told: bool,
}

impl Yielding {
    /// Connects, and reads once; `None` if the load yields to nothing.
    ///
    /// # Errors
    /// `Config` for what the server does not report or the user may not read; else those of the connection.
    pub(crate) fn open(load: &Load, config: &Config) -> Result<Option<Self>> {
        if load.options.throttle.is_empty() || load.options.dry_run {
            return Ok(None);
        }
        let limit = Some(Duration::from_secs(5));
        let mut yielding = Self {
            config: config.clone().with_read_timeout(limit).with_write_timeout(limit),
            throttle: Throttle::new(load.options.throttle.clone()),
            connection: None,
            began: Instant::now(),
            since: None,
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
        if let Some(status) = read {
            yielding.take(status, load).map_err(|error| error.with_hint(REPORTED))?;
        }
        Ok(Some(yielding))
    }

    /// Reads once more. An error changes nothing, and is reported once; the next time another connection is tried.
    pub(crate) fn poll(&mut self, load: &Load, is_over: impl Fn() -> bool) {
        let taken = match self.read(is_over) {
            Ok(None) => return,
            Ok(Some(status)) => self.take(status, load),
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
    }

    /// `None` if the load is over meanwhile.
    fn read(&mut self, is_over: impl Fn() -> bool) -> Result<Option<Status>> {
        let (config, connection, at) = (self.config.clone(), self.connection.take(), self.began.elapsed());
        // For the thread, which owns all that it uses.
        let throttle = Throttle::new(self.throttle.ceilings().to_vec());
        let read = beside("inrush-throttle", is_over, move || {
            let mut connection = connection.map_or_else(|| Connection::connect(&config), Ok)?;
            let mut rows = connection.texts(&throttle.query())?;
            if let Some(more) = throttle.more(&status(at, &rows)) {
                rows.extend(connection.texts(&more)?);
            }
            Ok::<_, Error>((connection, status(at, &rows)))
        })?;
        let Some(read) = read else { return Ok(None) };
        let (connection, status) = read?;
        self.connection = Some(connection);
        Ok(Some(status))
    }

    fn take(&mut self, status: Status, load: &Load) -> Result<()> {
        let turn = self.throttle.take(status);
        let turn = turn.map_err(|signal| Error::config(format!("this server does not report `{}`", signal.name())))?;
        match turn {
            None => {}
            Some(Turn::Waits(reason)) => {
                self.since = Some(Instant::now());
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
        if let Some(connection) = self.connection {
            connection.close();
        }
    }
}

fn status(at: Duration, rows: &[Vec<String>]) -> Status {
    Status::new(at, rows.iter().filter_map(|row| Some((row.first()?.as_str(), row.get(1)?.as_str()))))
}

const REPORTED: &str = "`threads-running`, `history` and `checkpoint-age` are of every MySQL and MariaDB with InnoDB, `flow-control` of nodes of Galera";
