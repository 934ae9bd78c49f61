//! A connection for threads: the loop, and the verbs.

use super::socket;
use crate::net::Link;
use crate::pace::Pace;
use crate::verbs::{self, Each, Settings};
use crate::{Config, Error, Kind, Result};
use inrush_core::session::{
    Collect, Conversation, Discard, Execute, Outcome, Prepare, Query, ResultSet, Session, Statement, simple,
};
use inrush_core::wire::{Row, ServerVersion, Value};
use socket2::Socket;
use std::fmt;
use std::net::Shutdown;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

/// One connection to a server, for use by one thread at a time.
pub struct Connection {
    config: Config,
    link: Link,
    wire: Arc<Wire>,
    settings: Option<Settings>,
}

/// Ends a connection from another thread, at once, whatever it is doing. Cheap to clone.
#[derive(Clone)]
pub struct Aborter(Weak<Wire>);

struct Wire {
    socket: Socket,
    aborted: AtomicBool,
}

impl Connection {
    /// Connects and logs in, all within the connect time-out.
    pub fn connect(config: &Config) -> Result<Self> {
        let deadline = config.connect_deadline();
        let mut this = Self::over(socket::connect(config, deadline)?, config);
        this.run_at(Pace::Until(deadline), &mut verbs::login(config)?).map_err(|e| verbs::not_let_in(config, e))?;
        Ok(this)
    }

    /// A connection over a socket that is connected and does not block; nobody has logged in yet.
    pub(crate) fn over(socket: Socket, config: &Config) -> Self {
        let wire = Arc::new(Wire { socket, aborted: AtomicBool::new(false) });
        Self { config: config.clone(), link: Link::new(config), wire, settings: None }
    }

    /// What both sides agreed on, and what the server told since.
    pub fn session(&self) -> &Session {
        &self.link.channel.session
    }

    /// Which server this is.
    pub fn server_version(&self) -> &ServerVersion {
        self.session().version()
    }

    /// The number by which the server knows this connection, and which KILL takes.
    pub fn connection_id(&self) -> u32 {
        self.session().connection_id()
    }

    /// The largest packet the server takes, so the longest statement. Asks the server once.
    pub fn max_allowed_packet(&mut self) -> Result<u64> {
        Ok(self.settings()?.max_allowed_packet)
    }

    /// A handle by which another thread can end this connection.
    pub fn aborter(&self) -> Aborter {
        Aborter(Arc::downgrade(&self.wire))
    }

    /// Asks whether the server is there.
    pub fn ping(&mut self) -> Result<()> {
        self.run(simple::ping()).map(drop)
    }

    /// Runs one statement (or several, if the configuration allows it) and collects all results.
    pub fn query(&mut self, sql: &(impl AsRef<[u8]> + ?Sized)) -> Result<Vec<ResultSet>> {
        let mut sink = Collect::new(self.config.max_result);
        self.run(Query::new(sql, &mut sink))?;
        Ok(sink.into_results())
    }

    /// Runs one statement and collects its first result, the only one of most statements.
    pub fn query_first(&mut self, sql: &(impl AsRef<[u8]> + ?Sized)) -> Result<ResultSet> {
        verbs::first(self.query(sql)?)
    }

    /// Runs one statement and hands over each row as it arrives. An error from `each` ends the connection: the rest of
    /// the rows would have to be read.
    pub fn query_each(
        &mut self,
        sql: &(impl AsRef<[u8]> + ?Sized),
        each: impl FnMut(Row<'_>) -> Result<()>,
    ) -> Result<Outcome> {
        self.run(Query::new(sql, &mut Each(each)))
    }

    /// Runs a statement without a result set; rows that come all the same are read and dropped.
    pub fn exec(&mut self, sql: &(impl AsRef<[u8]> + ?Sized)) -> Result<Outcome> {
        self.run(Query::new(sql, &mut Discard))
    }

    /// Prepares a statement. It lives until it is closed or the connection ends or is reset.
    pub fn prepare(&mut self, sql: &str) -> Result<Statement> {
        self.run(Prepare::new(sql))
    }

    /// Executes a prepared statement with one value for each placeholder, and collects all results.
    pub fn execute(&mut self, statement: &Statement, params: &[Value<'_>]) -> Result<Vec<ResultSet>> {
        let mut sink = Collect::new(self.config.max_result);
        self.run(Execute::new(statement, params, &mut sink)?)?;
        Ok(sink.into_results())
    }

    /// Executes a prepared statement without a result set, with values that are encoded already.
    pub(crate) fn exec_encoded(
        &mut self,
        statement: &Statement,
        types: Option<&[u8]>,
        bound: &[u8],
    ) -> Result<Outcome> {
        self.run(Execute::encoded(statement, types, bound, &mut Discard))
    }

    /// Frees a prepared statement on the server.
    pub fn close_statement(&mut self, statement: Statement) -> Result<()> {
        self.run(simple::close(statement.id))
    }

    /// Sends `content` as the file of a LOAD DATA LOCAL INFILE. `make_sql` makes the statement from the file's name, a random
    /// one, to be put into single quotes. Needs [`Config::with_local_infile`].
    pub fn load_local(&mut self, make_sql: impl FnOnce(&str) -> String, content: &[u8]) -> Result<Outcome> {
        verbs::check_local(self.session(), &self.config)?;
        let settings = self.settings()?;
        let name = verbs::infile_name();
        let sql = make_sql(&name);
        self.run(verbs::infile(&sql, &name, content, &settings))
    }

    /// As after login: temporary tables, variables, prepared statements and an open transaction are gone.
    pub fn reset(&mut self) -> Result<()> {
        self.settings = None;
        self.run(simple::reset_connection())?;
        self.exec(verbs::AFTER_RESET).map(drop)
    }

    /// Becomes another account, that of `config`, with its database; everything else is as after a reset.
    pub fn change_user(&mut self, config: &Config) -> Result<()> {
        self.settings = None;
        self.run(verbs::change_user(config)?).map(drop)
    }

    /// Says goodbye to the server. So does dropping the value.
    pub fn close(self) {}

    /// Drives one exchange to its end: reads while it writes. Before it whatever the connection owes is paid.
    pub fn run<C: Conversation>(&mut self, conversation: C) -> Result<C::Output> {
        self.settle()?;
        self.session().check_use()?;
        self.run_now(conversation)
    }

    /// Drives one exchange, whatever the connection owes.
    pub(super) fn run_now<C: Conversation>(&mut self, mut conversation: C) -> Result<C::Output> {
        let pace = Pace::new(&self.config);
        self.run_at(pace, &mut conversation)
    }

    pub(super) fn session_mut(&mut self) -> &mut Session {
        &mut self.link.channel.session
    }

    fn run_at<C: Conversation>(&mut self, pace: Pace, conversation: &mut C) -> Result<C::Output> {
        self.link.channel.begin()?;
        let end = self.drive(pace, conversation);
        end.map_err(|e| self.give_up(e))
    }

    fn settings(&mut self) -> Result<Settings> {
        if let Some(settings) = self.settings {
            return Ok(settings);
        }
        let settings = Settings::from_result(&self.query_first(Settings::SQL)?)?;
        Ok(*self.settings.insert(settings))
    }

    fn give_up(&mut self, error: Error) -> Error {
        let error = self.link.give_up(error);
        if !error.is_fatal() {
            return error;
        }
        // At once, not when the value is dropped: the server stops working for a client that is gone.
        let _ = self.wire.socket.shutdown(Shutdown::Both);
        match self.wire.aborted.load(Ordering::Acquire) {
            true => Error::new(Kind::Interrupted, "the connection was aborted").fatal(),
            false => error,
        }
    }

    fn drive<C: Conversation>(&mut self, mut pace: Pace, conversation: &mut C) -> Result<C::Output> {
        let mut socket = &self.wire.socket;
        loop {
            if let Some(output) = self.link.advance(conversation, &self.config)? {
                return Ok(output);
            }
            let interest = self.link.interest();
            let ready = socket::wait(socket, interest, pace.deadline(interest))
                .map_err(|e| Error::io("cannot wait for the socket", e))?
                .ok_or_else(|| pace.timed_out(interest))?;
            let read = ready.read && self.link.fill_from(&mut socket)?;
            let written = ready.write && self.link.write_some_to(&mut socket)?;
            if read || written {
                pace.moved();
            }
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.link.say_goodbye(&mut &self.wire.socket, &self.config);
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").field("config", &self.config).field("session", self.session()).finish()
    }
}

impl Aborter {
    /// Ends the connection. What it was doing fails with [`Kind::Interrupted`]; the server rolls back what is not committed.
    pub fn abort(&self) {
        if let Some(wire) = self.0.upgrade() {
            wire.aborted.store(true, Ordering::Release);
            // Fails only if the other side was faster.
            let _ = wire.socket.shutdown(Shutdown::Both);
        }
    }
}
