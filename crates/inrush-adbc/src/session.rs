//! The connection that all statements of one ADBC connection share, and its transaction.
//!
//! A result that is being read holds the connection. Outside of a transaction another statement then gets a connection of its own. Inside
//! of a transaction it fails as busy, since the transaction is on that connection. If the connection is lost, so is the transaction, and
//! every statement reports this until it is rolled back: no statement may begin another transaction in its place.

use crate::failure::{self, Result};
use adbc_core::error::Error;
use adbc_core::{CancelHandle, constants};
use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use inrush::Config;
use inrush::blocking::{Connection, ResultBatches};
use inrush::sans_io::column::ident::quote_ident;
use std::borrow::{Borrow, BorrowMut};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What statements share.
pub(crate) struct SharedSession {
    state: Mutex<State>,
    /// What is at work, for a cancel from another thread.
    running: Mutex<Running>,
}

struct State {
    config: Config,
    connection: Option<Connection>,
    /// A statement or a result holds the connection.
    is_out: bool,
    autocommit: bool,
    /// A transaction of the driver is open, or was when its connection was lost.
    has_begun: bool,
    /// Statements for every new connection: what was set on this one.
    settings: Vec<(&'static str, String)>,
}

/// What is at work now.
#[derive(Default)]
struct Running {
    connection_id: Option<u32>,
    load: Option<Arc<inrush::Control>>,
}

/// Rows.
pub(crate) type Reader = Box<dyn RecordBatchReader + Send + 'static>;

/// A connection that was taken. It goes back when this is dropped.
pub(crate) struct Held {
    // Only `drop` takes it.
    connection: Option<Connection>,
    session: Arc<SharedSession>,
}

impl SharedSession {
    pub(crate) fn connect(config: Config) -> Result<Arc<Self>> {
        let connection = Connection::connect(&config).map_err(|error| failure::of(&error))?;
        let state = State {
            config,
            connection: Some(connection),
            is_out: false,
            autocommit: true,
            has_begun: false,
            settings: Vec::new(),
        };
        Ok(Arc::new(Self { state: Mutex::new(state), running: Mutex::default() }))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn running(&self) -> MutexGuard<'_, Running> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn config(&self) -> Config {
        self.lock().config.clone()
    }

    pub(crate) fn autocommit(&self) -> bool {
        self.lock().autocommit
    }

    /// Switches autocommit; turning it on commits an open transaction, as ADBC specifies.
    pub(crate) fn set_autocommit(&self, on: bool) -> Result<()> {
        if on && !self.autocommit() {
            self.commit()?;
        }
        self.lock().autocommit = on;
        Ok(())
    }

    /// Sets something for this connection and those that come after it.
    pub(crate) fn set(self: &Arc<Self>, what: &'static str, statement: String) -> Result<()> {
        self.with(|connection| connection.execute(&statement, ()))?;
        let mut state = self.lock();
        state.settings.retain(|(name, _)| *name != what);
        state.settings.push((what, statement));
        Ok(())
    }

    /// Makes this the database of the connection.
    pub(crate) fn use_database(self: &Arc<Self>, name: &str) -> Result<()> {
        self.set("database", format!("USE {}", quote_ident(name)))?;
        let mut state = self.lock();
        state.config = state.config.clone().with_database(name);
        Ok(())
    }

    pub(crate) fn commit(&self) -> Result<()> {
        self.end("COMMIT")
    }

    pub(crate) fn rollback(&self) -> Result<()> {
        self.end("ROLLBACK")
    }

    fn end(&self, how: &str) -> Result<()> {
        let mut state = self.lock();
        if state.is_out && !state.autocommit {
            return Err(busy());
        }
        if state.is_lost() {
            // The server has rolled it back.
            (state.connection, state.has_begun) = (None, false);
            return if how == "COMMIT" { Err(lost()) } else { Ok(()) };
        }
        state.has_begun = false;
        match &mut state.connection {
            Some(connection) if connection.session().in_transaction() => {
                connection.execute(how, ()).map(drop).map_err(|error| failure::of(&error))
            }
            _ => Ok(()),
        }
    }

    /// Does something with the connection, in its transaction.
    pub(crate) fn with<T>(self: &Arc<Self>, work: impl FnOnce(&mut Connection) -> inrush::Result<T>) -> Result<T> {
        let mut held = self.take()?;
        work(held.borrow_mut()).map_err(|error| failure::of(&error))
    }

    /// Opens a result, which holds the connection until it is read or dropped.
    pub(crate) fn open(
        self: &Arc<Self>,
        open: impl FnOnce(Held) -> inrush::Result<ResultBatches<Held>>,
    ) -> Result<Batches> {
        let batches = open(self.take()?).map_err(|error| failure::of(&error))?;
        Batches::new(batches).map_err(|error| failure::of(&error))
    }

    /// The connection, in a transaction unless every statement is its own.
    fn take(self: &Arc<Self>) -> Result<Held> {
        let mut state = self.lock();
        if state.is_out && !state.autocommit {
            return Err(busy());
        }
        if state.is_lost() {
            return Err(lost());
        }
        let mut connection = match state.connection.take().filter(|connection| !connection.session().is_dead()) {
            Some(connection) => connection,
            // Lost, or reading a result.
            None => state.connect()?,
        };
        if !state.autocommit && !connection.session().in_transaction() {
            connection.execute("START TRANSACTION", ()).map_err(|error| failure::of(&error))?;
        }
        (state.is_out, state.has_begun) = (true, connection.session().in_transaction());
        self.running().connection_id = Some(connection.connection_id());
        drop(state);
        Ok(Held { connection: Some(connection), session: self.clone() })
    }

    /// Sets the load that `cancel` also aborts.
    pub(crate) fn watch(&self, load: Option<Arc<inrush::Control>>) {
        self.running().load = load;
    }

    /// The progress of the running load in bytes of text: the settled bytes, or all bytes. `None` for any other option.
    pub(crate) fn progress(&self, option: &str) -> Option<f64> {
        let load = self.running().load.clone();
        let now = load.map(|load| load.snapshot());
        match option {
            constants::ADBC_STATEMENT_OPTION_PROGRESS => Some(now.map_or(0.0, |now| now.settled_bytes as f64)),
            constants::ADBC_STATEMENT_OPTION_MAX_PROGRESS => {
                Some(now.and_then(|now| Some((now.bytes + now.left?) as f64)).unwrap_or(0.0))
            }
            _ => None,
        }
    }

    /// Cancels the running statement and load.
    pub(crate) fn cancel(&self) -> Result<()> {
        let (connection_id, load) = {
            let running = self.running();
            (running.connection_id, running.load.clone())
        };
        if let Some(load) = load {
            load.abort();
        }
        let Some(id) = connection_id else { return Ok(()) };
        let config = self.config();
        let killed =
            Connection::connect(&config).and_then(|mut killer| killer.execute(&format!("KILL QUERY {id}"), ()));
        killed.map(drop).map_err(|error| failure::of(&error))
    }
}

impl State {
    /// Whether a transaction is lost with its connection.
    fn is_lost(&self) -> bool {
        let is_gone = self.connection.as_ref().is_none_or(|connection| connection.session().is_dead());
        self.has_begun && !self.is_out && is_gone
    }

    fn connect(&self) -> Result<Connection> {
        let connect = || -> inrush::Result<Connection> {
            let mut connection = Connection::connect(&self.config)?;
            for (_, statement) in &self.settings {
                connection.execute(statement, ())?;
            }
            Ok(connection)
        };
        connect().map_err(|error| failure::of(&error))
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let Some(connection) = self.connection.take() else { return };
        let mut state = self.session.lock();
        self.session.running().connection_id = None;
        state.is_out = false;
        if !connection.session().is_dead() {
            state.has_begun = connection.session().in_transaction();
        }
        if state.connection.is_none() {
            state.connection = Some(connection);
        }
    }
}

impl Borrow<Connection> for Held {
    #[expect(clippy::expect_used, reason = "only `drop` takes it")]
    fn borrow(&self) -> &Connection {
        self.connection.as_ref().expect("a connection that is held is there")
    }
}

impl BorrowMut<Connection> for Held {
    #[expect(clippy::expect_used, reason = "only `drop` takes it")]
    fn borrow_mut(&mut self) -> &mut Connection {
        self.connection.as_mut().expect("a connection that is held is there")
    }
}

fn busy() -> Error {
    failure::state("a result of this connection's transaction is still being read: read it to its end, or release it")
}

fn lost() -> Error {
    failure::state(
        "the connection was lost, and its transaction with it: nothing of it is stored; roll back, and begin anew",
    )
}

/// A result, which gives the connection back at its end. Its first batch is read at once, so that a small result does not keep the
/// connection from the next statement, whether it is read or not.
pub(crate) struct Batches {
    schema: SchemaRef,
    first: Option<RecordBatch>,
    batches: Option<ResultBatches<Held>>,
}

impl Batches {
    fn new(mut batches: ResultBatches<Held>) -> inrush::Result<Self> {
        let schema = batches.schema().clone();
        let first = batches.next_batch()?;
        Ok(Self { schema, first, batches: Some(batches).filter(|batches| !batches.is_over()) })
    }
}

impl Iterator for Batches {
    type Item = std::result::Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(first) = self.first.take() {
            return Some(Ok(first));
        }
        let batches = self.batches.as_mut()?;
        let next = batches.next();
        if batches.is_over() || !matches!(next, Some(Ok(_))) {
            self.batches = None;
        }
        next
    }
}

impl RecordBatchReader for Batches {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}

/// Ends what a connection or one of its statements does.
pub(crate) struct Cancel(pub(crate) Arc<SharedSession>);

impl CancelHandle for Cancel {
    fn try_cancel(&self) -> Result<()> {
        self.0.cancel()
    }
}
