//! Connections: what Python's side wraps.

use crate::capsule;
use crate::cells;
use crate::ending::Visit;
use crate::failure;
use crate::params::{Params, named};
use crate::result::Result;
use crate::wait::patiently;
use inrush::blocking::{self, ResultBatches};
use inrush::{ArrowOptions, BatchOptions, Config, InvalidDates, OnBadRow};
use inrush_adbc::batches;
use inrush_core::Error;
use pyo3::prelude::*;
use pyo3::types::PyString;
use std::borrow::{Borrow, BorrowMut};
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Where to connect: a URL, a [`Connection`], or `None` for INRUSH_URL and the option files.
pub(crate) fn config(to: &Bound<'_, PyAny>) -> PyResult<Config> {
    if let Ok(connection) = to.cast::<Connection>() {
        return Ok(connection.get().slot.config.clone());
    }
    let text = match to.cast::<PyString>() {
        Ok(text) => Some(text.to_string()),
        Err(_) if to.is_none() => std::env::var("INRUSH_URL").ok().filter(|url| !url.is_empty()),
        Err(_) => {
            let class = to.get_type().name()?.to_string();
            let message = format!("`to` is a URL (`mysql://user@host/database`) or a connection, not a `{class}`");
            return Err(failure::interface(to.py(), message));
        }
    };
    of_text(text.as_deref()).map_err(|error| failure::exception(to.py(), &error))
}

/// As the command finds its server: the option files, and what the URL says instead.
fn of_text(url: Option<&str>) -> inrush::Result<Config> {
    let mut config = Config::from_option_files(None)?;
    match url {
        Some(url) => config = config.with_text(url)?,
        None if config.address() == Config::new().address() && !config.has_password() => {
            return Err(Error::config("no server is named").with_hint(
                "`to=\"mysql://user@host/database\"`, INRUSH_URL or ~/.my.cnf; `inrush server start` makes a local one",
            ));
        }
        None => {}
    }
    let says_password = url.is_some_and(|url| Config::parse(url).is_ok_and(|config| config.has_secret()));
    Ok(match std::env::var("INRUSH_PASSWORD") {
        Ok(password) if !says_password => config.with_password(password),
        _ => config,
    })
}

/// A connection that Python's side wraps.
#[pyclass(frozen)]
pub(crate) struct Connection {
    slot: Arc<Slot>,
}

/// A connection's place.
struct Slot {
    config: Config,
    /// The process that made it.
    pid: u32,
    place: Mutex<ConnectionState>,
}

enum ConnectionState {
    Here(Box<blocking::Connection>),
    /// It is in use: by a call, or by a result that is being read.
    Taken,
    Closed,
}

/// What a batch did: rows, affected rows, and the rows that were left out: number and reason.
type Batched = (u64, u64, Vec<(u64, String)>);

/// A connection that was taken out of its place. It goes back when this is dropped.
pub(crate) struct Held {
    // Only `drop` takes it.
    connection: Option<Box<blocking::Connection>>,
    slot: Arc<Slot>,
}

impl Slot {
    fn place(&self) -> MutexGuard<'_, ConnectionState> {
        self.place.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_of_this_process(&self) -> bool {
        self.pid == std::process::id()
    }
}

impl Held {
    /// Takes a connection, or returns an error with the reason why it is not available. It does not wait, since the caller itself may
    /// hold it.
    fn take(py: Python<'_>, slot: &Arc<Slot>) -> PyResult<Self> {
        let why_not = if slot.is_of_this_process() {
            let mut place = slot.place();
            match mem::replace(&mut *place, ConnectionState::Taken) {
                ConnectionState::Here(connection) => {
                    return Ok(Self { connection: Some(connection), slot: slot.clone() });
                }
                ConnectionState::Taken => {
                    "a result of this connection is being read, or another thread uses it: read the result to its end, close it, \
                     or connect once more"
                }
                ConnectionState::Closed => {
                    *place = ConnectionState::Closed;
                    "this connection is closed"
                }
            }
        } else {
            "this connection is of the process that has forked this one: connect anew in the child"
        };
        Err(failure::interface(py, why_not))
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let Some(connection) = self.connection.take() else { return };
        if !self.slot.is_of_this_process() {
            // The parent's: a goodbye of the child would end it.
            mem::forget(connection);
            return;
        }
        let mut place = self.slot.place();
        // It may have been closed in the meantime.
        if matches!(*place, ConnectionState::Taken) {
            *place = ConnectionState::Here(connection);
        }
    }
}

impl Borrow<blocking::Connection> for Held {
    #[expect(clippy::expect_used, reason = "only `drop` takes it")]
    fn borrow(&self) -> &blocking::Connection {
        self.connection.as_ref().expect("a connection that is held is there")
    }
}

impl BorrowMut<blocking::Connection> for Held {
    #[expect(clippy::expect_used, reason = "only `drop` takes it")]
    fn borrow_mut(&mut self) -> &mut blocking::Connection {
        self.connection.as_mut().expect("a connection that is held is there")
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        if self.is_of_this_process() {
            return;
        }
        if let ConnectionState::Here(connection) = mem::replace(&mut *self.place(), ConnectionState::Closed) {
            // As above.
            mem::forget(connection);
        }
    }
}

#[pymethods]
impl Connection {
    #[new]
    fn new(py: Python<'_>, to: &Bound<'_, PyAny>) -> PyResult<Self> {
        Self::connect(py, config(to)?)
    }

    /// Runs a statement; returns affected rows, the last insert id, warnings and the server's text.
    fn execute(
        &self,
        py: Python<'_>,
        sql: &str,
        params: &Bound<'_, PyAny>,
    ) -> PyResult<(u64, Option<u64>, u16, String)> {
        let params = Params::of(params)?;
        let outcome = self.with(py, |connection| match &params {
            Params::ByPlace(values) if values.is_empty() => connection.execute(sql, ()),
            Params::ByPlace(values) => connection.execute(sql, values),
            Params::ByName(values) => connection.execute(sql, named(values)),
        })?;
        Ok((outcome.affected, outcome.last_insert_id, outcome.warnings, outcome.info))
    }

    /// Runs a statement for each row, as a batch.
    #[pyo3(signature = (sql, rows, skip_bad_rows=false))]
    fn execute_batch(
        &self,
        py: Python<'_>,
        sql: &str,
        rows: &Bound<'_, PyAny>,
        skip_bad_rows: bool,
    ) -> PyResult<Batched> {
        let options = match skip_bad_rows {
            true => BatchOptions::new().with_bad_rows(OnBadRow::Skip),
            false => BatchOptions::new(),
        };
        if let Some(reader) = capsule::reader(rows)? {
            let done = self.with(py, |connection| batches::execute(connection, sql, reader, &options))?;
            let bad = done.bad_rows.into_iter().map(|(row, error)| (row, error.to_string())).collect();
            return Ok((done.n_rows, done.affected, bad));
        }
        let mut all = Vec::new();
        for (at, row) in rows.try_iter()?.enumerate() {
            all.push(cells::bound(&row?, Some(at))?);
        }
        let report = self.with(py, |connection| connection.execute_batch_with(sql, &all, &options))?;
        let bad = report.bad_rows.iter().map(|bad| (bad.row, bad.error.to_string())).collect();
        Ok((report.n_rows, report.affected, bad))
    }

    /// Runs a statement; its rows follow in the result.
    #[pyo3(signature = (sql, params, batch_rows=None, invalid_dates=None))]
    fn query(
        &self,
        py: Python<'_>,
        sql: &str,
        params: &Bound<'_, PyAny>,
        batch_rows: Option<usize>,
        invalid_dates: Option<&str>,
    ) -> PyResult<Result> {
        let params = Params::of(params)?;
        let options = arrow_options(py, batch_rows, invalid_dates)?;
        let held = Held::take(py, &self.slot)?;
        let aborter = Borrow::<blocking::Connection>::borrow(&held).aborter();
        let (schema, batches) = patiently(py, std::slice::from_ref(&aborter), || {
            let mut batches = match &params {
                Params::ByPlace(values) if values.is_empty() => ResultBatches::open(held, sql, (), &options)?,
                Params::ByPlace(values) => ResultBatches::open(held, sql, values, &options)?,
                Params::ByName(values) => ResultBatches::open(held, sql, named(values), &options)?,
            };
            // At once, so that a small result does not keep the connection from the next statement.
            let first = batches.next_batch()?;
            let schema = batches.schema().clone();
            let rest = Some(batches).filter(|batches| !batches.is_over());
            Ok((schema, first.map(Ok).into_iter().chain(rest.into_iter().flatten())))
        })?;
        Ok(Result::new(schema, Box::new(batches), vec![aborter]))
    }

    /// Whether a transaction is open.
    #[getter]
    fn in_transaction(&self) -> bool {
        match &*self.slot.place() {
            ConnectionState::Here(connection) => connection.session().in_transaction(),
            _ => false,
        }
    }

    #[getter]
    fn is_closed(&self) -> bool {
        matches!(&*self.slot.place(), ConnectionState::Closed)
    }

    /// Whether it was lost: closed by the server, by a time-out, by Ctrl-C.
    #[getter]
    fn is_lost(&self) -> bool {
        matches!(&*self.slot.place(), ConnectionState::Here(connection) if connection.session().is_dead())
    }

    #[getter]
    fn connection_id(&self) -> Option<u32> {
        match &*self.slot.place() {
            ConnectionState::Here(connection) => Some(connection.connection_id()),
            _ => None,
        }
    }

    #[getter]
    fn server_version(&self) -> Option<String> {
        match &*self.slot.place() {
            ConnectionState::Here(connection) => Some(connection.server_version().to_string()),
            _ => None,
        }
    }

    /// The database of the URL.
    #[getter]
    fn database(&self) -> Option<String> {
        self.slot.config.database().map(str::to_owned)
    }

    fn close(&self, py: Python<'_>) {
        let place = mem::replace(&mut *self.slot.place(), ConnectionState::Closed);
        if let ConnectionState::Here(connection) = place {
            match self.slot.is_of_this_process() {
                true => Visit::new().detached(py, || connection.close()),
                false => mem::forget(connection),
            }
        }
    }

    fn __repr__(&self) -> String {
        let config = &self.slot.config;
        let state = if self.is_closed() { ", closed" } else { "" };
        format!("<inrush connection to {}{state}>", config.address())
    }
}

impl Connection {
    pub(crate) fn connect(py: Python<'_>, config: Config) -> PyResult<Self> {
        let connection = patiently(py, &[], || blocking::Connection::connect(&config))?;
        let place = Mutex::new(ConnectionState::Here(Box::new(connection)));
        Ok(Self { slot: Arc::new(Slot { config, pid: std::process::id(), place }) })
    }

    fn with<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut blocking::Connection) -> inrush::Result<T> + Send,
    ) -> PyResult<T> {
        let mut held = Held::take(py, &self.slot)?;
        let aborter = Borrow::<blocking::Connection>::borrow(&held).aborter();
        patiently(py, std::slice::from_ref(&aborter), || work(held.borrow_mut()))
    }
}

pub(crate) fn arrow_options(
    py: Python<'_>,
    batch_rows: Option<usize>,
    invalid_dates: Option<&str>,
) -> PyResult<ArrowOptions> {
    let invalid_dates = match invalid_dates {
        None | Some("error") => InvalidDates::Refuse,
        Some("null") => InvalidDates::Null,
        Some("text") => InvalidDates::Text,
        Some(_) => {
            return Err(failure::interface(py, "`invalid_dates` takes \"error\", \"null\" or \"text\""));
        }
    };
    let options = ArrowOptions::default().with_invalid_dates(invalid_dates);
    Ok(match batch_rows {
        Some(rows) => options.with_batch_rows(rows),
        None => options,
    })
}
