//! A connection for threads: the loop, and the verbs.
//!
//! Made of `tokio/connection.rs` by `INRUSH_WRITE_BLOCKING=1 cargo test -p inrush-testkit --test blocking_twin`.

use super::socket::{self, Socket};
use crate::config::IntoConfig;
use crate::deadlines::{Deadlines, QueryTime, TimeoutAction};
use crate::net::servers::Candidates;
use crate::net::{self, Link, Progress, dial};
use crate::pool::Lendable;
use crate::sql::{Sql, StatementSource, Typed, Warning, may_be_left};
use crate::table::kept::Tables;
use crate::trace::Trace;
use crate::verbs::{self, Each, Settings};
use crate::{Config, Error, Result, ServerRole, fault};
use inrush_core::convert::{FromRow, Params};
use inrush_core::session::fetch::Leaves;
use inrush_core::session::{
    CachedExecute, Channel, Clean, Collect, Conversation, Discard, Outcome, PrepareForCache, Query, ResultSet, Session,
    Sink, Statement, simple,
};
use inrush_core::wire::{Row, ServerVersion};
use std::fmt;
use std::time::Instant;

/// One connection to a server, for use by one thread at a time.
pub struct Connection {
    pub(super) config: Config,
    pub(super) link: Link,
    pub(super) socket: Socket,
    pub(super) settings: Option<Settings>,
    pub(super) tables: Tables,
    /// The time that is left to the current command.
    pub(super) query_time: QueryTime,
    /// When bytes were last sent or received.
    last_moved: Option<Instant>,
}

impl Connection {
    /// Connects and logs in, all within the connect time-out.
    ///
    /// # Errors
    /// `Config` for a configuration that is invalid, also for its certificates; `Io` if the server cannot be reached in time or TLS fails;
    /// `Server` if it refuses the login.
    pub fn connect(config: impl IntoConfig) -> Result<Self> {
        let config = &config.into_config()?;
        let deadline = config.connect_deadline();
        let mut this = Self::connect_until(config, deadline).map_err(Error::not_fatal)?;
        if config.time_zone.is_some() {
            let mut fresh = Clean::unreported(config.time_zone.as_deref());
            this.run_until(&mut fresh, deadline).map_err(Error::not_fatal)?;
        }
        Ok(this)
    }

    fn connect_until(config: &Config, deadline: Instant) -> Result<Self> {
        let mut candidates = Candidates::of(config)?;
        while let Some((server, until)) = candidates.next(deadline) {
            match Trace::connect(&server).within(|| Self::log_in(&server, until)) {
                Ok(this) => return Ok(this),
                Err(error) => candidates.failed(&server, error)?,
            }
        }
        Err(candidates.error())
    }

    fn log_in(config: &Config, deadline: Instant) -> Result<Self> {
        let mut this = Self::over(socket::connect(config, deadline)?, config);
        let login = &mut verbs::login(config)?;
        this.run_at(Some(Deadlines::Until(deadline)), login).map_err(|e| verbs::not_let_in(config, e))?;
        let role = config.hosts.role;
        if role != ServerRole::Any {
            let mut values = Typed::only(config);
            this.run_until(&mut Query::new(ServerRole::QUERY, &mut values), deadline)?;
            role.check(config, &values.into_one()?)?;
        }
        Ok(this)
    }

    /// A connection over a socket that is connected; no user has logged in yet.
    pub(crate) fn over(socket: Socket, config: &Config) -> Self {
        let mut config = config.clone();
        // What else is opened for this connection, as a KILL, must reach the same server.
        config.hosts.address = dial::peer(&socket.options());
        Self {
            link: Link::new(&config),
            config,
            socket,
            settings: None,
            tables: Tables::default(),
            query_time: QueryTime::NONE,
            last_moved: None,
        }
    }

    /// The configuration by which further connections reach the same server, also if several hosts are named or a name has several
    /// addresses.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// What both sides agreed on, and what the server has reported since.
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

    /// The largest packet that the server accepts, so the longest statement, in bytes. Queries the server once.
    ///
    /// # Errors
    /// Those of [`execute`](Connection::execute).
    pub fn max_allowed_packet(&mut self) -> Result<u64> {
        Ok(self.settings()?.max_allowed_packet)
    }

    /// Checks that the server answers.
    ///
    /// # Errors
    /// `Io` if the connection is lost or a time-out passes.
    pub fn ping(&mut self) -> Result<()> {
        self.run(simple::ping()).map(drop)
    }

    /// Runs a statement and makes a `T` of each row: a tuple, a struct with `#[derive(FromRow)]`. Results after the first are dropped.
    ///
    /// `sql` is text or a [`Statement`]; `params` are `()`, a tuple, a slice, or [`params!`](crate::params). Text without values is sent as
    /// text; anything else is prepared once and kept.
    ///
    /// # Errors
    /// [`Reason::Conversion`](crate::Reason::Conversion) if a value does not fit its Rust type; `Config` if the result is larger than
    /// [`Config::with_max_result`](crate::Config::with_max_result) allows; those of [`execute`](Connection::execute).
    pub fn query<T: for<'r> FromRow<'r>>(&mut self, sql: &(impl Sql + ?Sized), params: impl Params) -> Result<Vec<T>> {
        let mut rows = Typed::all(&self.config);
        self.ask_typed(sql, &params, &mut rows)?;
        rows.into_rows()
    }

    /// Runs a statement that returns one row and makes a `T` of it.
    ///
    /// # Errors
    /// [`Reason::RowNotFound`](crate::Reason::RowNotFound), [`Reason::TooManyRows`](crate::Reason::TooManyRows),
    /// [`Reason::Conversion`](crate::Reason::Conversion) if a value does not fit its Rust type; those of the server.
    pub fn query_one<T: for<'r> FromRow<'r>>(&mut self, sql: &(impl Sql + ?Sized), params: impl Params) -> Result<T> {
        let mut row = Typed::only(&self.config);
        self.ask_typed(sql, &params, &mut row)?;
        row.into_one()
    }

    /// The same for a statement that returns at most one row.
    ///
    /// # Errors
    /// Those of [`query_one`](Connection::query_one), but for a row that is not found.
    pub fn query_opt<T: for<'r> FromRow<'r>>(
        &mut self,
        sql: &(impl Sql + ?Sized),
        params: impl Params,
    ) -> Result<Option<T>> {
        let mut row = Typed::only(&self.config);
        self.ask_typed(sql, &params, &mut row)?;
        Ok(row.into_rows()?.pop())
    }

    /// Runs a statement and makes a `T` of its first row. Other rows are dropped: up to 1 MiB of them are read at once. If the result is
    /// larger, the connection reads the rest before its next command, and one from a pool is closed instead. `LIMIT 1` saves sending them.
    ///
    /// # Errors
    /// Those of [`query_one`](Connection::query_one), but for the number of rows.
    pub fn query_first<T: for<'r> FromRow<'r>>(
        &mut self,
        sql: &(impl Sql + ?Sized),
        params: impl Params,
    ) -> Result<Option<T>> {
        let mut row = Typed::first(&self.config);
        self.ask_typed(sql, &params, &mut row)?;
        Ok(row.into_rows()?.pop())
    }

    /// Runs a statement and collects all its results: of a procedure, or of several statements if the configuration allows them.
    ///
    /// # Errors
    /// `Config` if the result is larger than [`Config::with_max_result`](crate::Config::with_max_result) allows; those of
    /// [`execute`](Connection::execute). An error of a later statement is returned in place of the results before it.
    pub fn query_result_sets(&mut self, sql: &(impl Sql + ?Sized), params: impl Params) -> Result<Vec<ResultSet>> {
        let mut sink = Collect::new(self.config.max_result);
        self.ask(sql, &params, &mut sink)?;
        Ok(sink.into_results())
    }

    /// Runs a statement and hands over each row as it arrives. An error from `each` ends the connection: the rest of the rows
    /// would have to be read.
    ///
    /// # Errors
    /// Those of `each` and of [`execute`](Connection::execute).
    pub fn query_each(
        &mut self,
        sql: &(impl Sql + ?Sized),
        params: impl Params,
        each: impl FnMut(Row<'_>) -> Result<()>,
    ) -> Result<Outcome> {
        self.ask(sql, &params, &mut Each(each))
    }

    /// Runs a statement without a result set; if rows come, they are read and dropped.
    ///
    /// # Errors
    /// `Config` for values that do not match the placeholders; `Server` for what the server refuses; `Io` if the connection is lost or a
    /// time-out passes: [`is_outcome_unknown`](crate::Error::is_outcome_unknown) returns whether the statement may have been executed.
    pub fn execute(&mut self, sql: &(impl Sql + ?Sized), params: impl Params) -> Result<Outcome> {
        self.ask(sql, &params, &mut Discard)
    }

    /// The server's warnings about the last statement. The server forgets them with the next statement.
    ///
    /// # Errors
    /// Those of [`execute`](Connection::execute).
    pub fn warnings(&mut self) -> Result<Vec<Warning>> {
        self.query("SHOW WARNINGS", ())
    }

    /// Prepares a statement, so that a mistake in it shows now, and keeps it in the connection's cache. Its placeholders are `?` or `:name`.
    ///
    /// The [`Statement`] belongs to no connection: another one, or this one after a reset, prepares it for itself at its first use.
    ///
    /// # Errors
    /// `Config` for `?` together with `:name`; `Server` for what the server cannot prepare; `Io` if the connection is lost or a time-out passes.
    pub fn prepare(&mut self, sql: &str) -> Result<Statement> {
        let statement = Statement::new(sql)?;
        let slot = self.run(PrepareForCache::new(&statement))?;
        self.session_mut().statements_mut().get_mut(slot).rests();
        Ok(statement)
    }

    /// Sends `content` as the file of a LOAD DATA LOCAL INFILE. `make_sql` makes the statement from the file's name, a random
    /// one, to be put into single quotes. Needs [`Config::with_local_infile`].
    ///
    /// # Errors
    /// `Config` without [`Config::with_local_infile`]; those of [`execute`](Connection::execute).
    pub fn load_local(&mut self, make_sql: impl FnOnce(&str) -> String, content: &[u8]) -> Result<Outcome> {
        verbs::check_local(self.session(), &self.config)?;
        let settings = self.settings()?;
        let name = verbs::infile_name();
        let sql = make_sql(&name);
        self.run(fault::told("data.sent", verbs::infile(&sql, &name, content, &settings)))
    }

    /// Resets the session to its state after login: temporary tables, variables, prepared statements and an open transaction are gone.
    ///
    /// # Errors
    /// `Server` if the server refuses it; `Io` if the connection is lost or a time-out passes.
    pub fn reset(&mut self) -> Result<()> {
        self.settings = None;
        self.tables.forget_temporary();
        self.run(simple::reset_connection())?;
        self.run(Clean::unreported(self.config.time_zone.clone().as_deref()))
    }

    /// Changes to the account of `config`, with its database; everything else is as after a reset.
    ///
    /// # Errors
    /// `Config` for a configuration that is invalid; `Server` if the server refuses the login, which may end the connection:
    /// [`is_fatal`](crate::Error::is_fatal) returns that. `Io` if the connection is lost or a time-out passes.
    pub fn change_user(&mut self, config: &Config) -> Result<()> {
        self.settings = None;
        self.tables.forget_all();
        self.run(verbs::change_user(config)?)?;
        match &config.time_zone {
            Some(zone) => self.run(Clean::unreported(Some(zone))),
            None => Ok(()),
        }
    }

    /// Sends the quit command and closes the connection. Dropping the value does the same.
    pub fn close(self) {}

    /// Drives one exchange to its end: reads while it writes. First it does what is due from earlier uses: results to read, a rollback.
    ///
    /// # Errors
    /// Those of the exchange; `Io` if the connection is lost or a time-out passes.
    pub fn run<C: Conversation>(&mut self, conversation: C) -> Result<C::Output> {
        self.run_within(QueryTime::new(&self.config), conversation)
    }

    /// The same with a time of its own.
    pub(super) fn run_within<C: Conversation>(&mut self, time: QueryTime, mut conversation: C) -> Result<C::Output> {
        self.make_ready(time)?;
        self.run_at(None, &mut conversation)
    }

    /// Drives an exchange that is due from an earlier use. It has no time limit.
    pub(super) fn run_now<C: Conversation>(&mut self, mut conversation: C) -> Result<C::Output> {
        self.query_time = QueryTime::NONE;
        self.run_at(None, &mut conversation)
    }

    /// Before a command: does what is due from earlier uses, and starts the command's time.
    pub(super) fn make_ready(&mut self, time: QueryTime) -> Result<()> {
        self.settle()?;
        self.session_mut().check_use()?;
        self.query_time = time;
        Ok(())
    }

    pub(super) fn session_mut(&mut self) -> &mut Session {
        &mut self.link.channel.session
    }

    fn ask<P: Params, S: Sink>(&mut self, sql: &(impl Sql + ?Sized), params: &P, sink: &mut S) -> Result<Outcome> {
        let source = StatementSource::new::<P>(sql)?;
        self.tables.see(source.sql());
        let values = params.values(source.names())?;
        let mut memory = Vec::new();
        let values = values.resolve(self.session().zone(), &mut memory)?;
        let trace = Trace::statement(&self.config, self.session(), source.sql(), !values.is_empty());
        let work = || match source.is_plain(values.len()) {
            true => self.run(Query::new(source.sql(), sink)),
            false => self.run(CachedExecute::new(source.sql(), &values, sink))?,
        };
        trace.within(work)
    }

    /// The same for typed rows: reads no more rows than the answer takes.
    fn ask_typed<T, P>(&mut self, sql: &(impl Sql + ?Sized), params: &P, rows: &mut Typed<T>) -> Result<()>
    where
        T: for<'r> FromRow<'r>,
        P: Params,
    {
        let source = StatementSource::new::<P>(sql)?;
        self.tables.see(source.sql());
        let values = params.values(source.names())?;
        let mut memory = Vec::new();
        let values = values.resolve(self.session().zone(), &mut memory)?;
        let trace = Trace::statement(&self.config, self.session(), source.sql(), !values.is_empty());
        let work = || match source.is_plain(values.len()) {
            true => self.run_or_leave(Query::new(source.sql(), rows), source.sql()).map(drop),
            false => match self.run_or_leave(CachedExecute::new(source.sql(), &values, rows), source.sql())? {
                Some(end) => end.map(drop),
                None => Ok(()),
            },
        };
        trace.within(work)
    }

    /// Drives a statement to its end, or until its rows are enough; then there is no output.
    fn run_or_leave<T, C: Leaves<Sink = Typed<T>>>(
        &mut self,
        mut statement: C,
        sql: &[u8],
    ) -> Result<Option<C::Output>> {
        self.make_ready(QueryTime::new(&self.config))?;
        self.link.channel.begin()?;
        let work = self.drive(None, |link, config| {
            link.advance_or_leave(&mut statement, config, |rows| rows.is_enough() && may_be_left(sql))
        });
        let end = work;
        end.map_err(|e| self.fail(self.link.judge(e, &statement)))
    }

    fn run_at<C: Conversation>(&mut self, deadlines: Option<Deadlines>, conversation: &mut C) -> Result<C::Output> {
        self.link.channel.begin()?;
        let end = self.drive(deadlines, |link, config| link.advance(conversation, config));
        end.map_err(|e| self.fail(self.link.judge(e, conversation)))
    }

    /// Opens a connection that records how its session changes.
    pub(super) fn for_pool(config: &Config, deadline: Option<Instant>) -> Result<Self> {
        let limit = config.connect_deadline();
        let limit = deadline.map_or(limit, |deadline| limit.min(deadline));
        let mut this = Self::connect_until(config, limit).map_err(Error::not_fatal)?;
        this.link.channel.outbox.watch(config.multi_statements);
        this.run_until(&mut Clean::fresh(config.time_zone.as_deref()), limit).map_err(Error::not_fatal)?;
        Ok(this)
    }

    /// The same as [`Connection::run`], with a limit on the whole.
    pub(super) fn run_until<C: Conversation>(&mut self, conversation: &mut C, limit: Instant) -> Result<C::Output> {
        self.run_at(Some(Deadlines::Until(limit)), conversation)
    }

    /// Continues what [`Lendable::start`] began.
    pub(super) fn finish<C: Conversation>(&mut self, conversation: &mut C, limit: Instant) -> Result<C::Output> {
        let end = self.drive(Some(Deadlines::Until(limit)), |link, config| link.advance(conversation, config));
        end.map_err(|e| self.fail(e))
    }

    /// Whether the server keeps the connection open and has sent nothing.
    pub(super) fn is_quiet(&self) -> bool {
        net::is_quiet(&*self.socket.options())
    }

    /// Reads the rest of results that the caller stopped reading.
    pub(super) fn drain(&mut self) {
        if self.link.has_stream()
            && let Err(error) = self.drive(None, Link::drain)
        {
            // The error is dropped: no caller reads those results any more, and the next use shows whether the connection still works.
            self.fail(error);
        }
    }

    pub(super) fn fail(&mut self, error: Error) -> Error {
        let error = self.link.fail(error);
        match error.is_fatal() {
            true => self.socket.close(error),
            false => error,
        }
    }

    /// Continues an exchange until `advance` is done, and moves bytes meanwhile. An error that is not fatal leaves the connection
    /// ready for the next command.
    pub(super) fn drive<T>(
        &mut self,
        mut deadlines: Option<Deadlines>,
        advance: impl FnMut(&mut Link, &Config) -> Result<Progress<T>>,
    ) -> Result<T> {
        let end = self.move_bytes(&mut deadlines, advance);
        match self.query_time.was_killed() {
            false => end,
            true => self.after_kill(end),
        }
    }

    /// The same, whatever is left on the connection then.
    pub(super) fn move_bytes<T>(
        &mut self,
        deadlines: &mut Option<Deadlines>,
        mut advance: impl FnMut(&mut Link, &Config) -> Result<Progress<T>>,
    ) -> Result<T> {
        loop {
            if let Progress::Done(output) = advance(&mut self.link, &self.config)? {
                if let Some(deadlines) = deadlines {
                    deadlines.moved(Instant::now);
                }
                self.last_moved = deadlines.as_ref().and_then(Deadlines::last_moved).or(self.last_moved);
                // Without a limit the time is not needed.
                if let (true, Some(deadlines)) = (self.query_time.is_limited(), deadlines) {
                    self.query_time = deadlines.rest(Instant::now());
                }
                return Ok(output);
            }
            let deadlines =
                deadlines.get_or_insert_with(|| Deadlines::new(&self.config, self.query_time, Instant::now()));
            if self.link.has_come_on() {
                deadlines.moved(Instant::now);
            }
            let interest = self.link.interest();
            if socket::exchange(&mut self.socket, &mut self.link, deadlines.deadline(interest))? {
                continue;
            }
            match deadlines.on_timeout(interest) {
                TimeoutAction::Fail(error) => return Err(error),
                TimeoutAction::Kill => {
                    self.kill_query()?;
                    deadlines.killed(Instant::now());
                    self.query_time = deadlines.rest(Instant::now());
                }
            }
        }
    }
}

impl Lendable for Connection {
    fn channel(&self) -> &Channel {
        &self.link.channel
    }

    fn last_moved(&self) -> Option<Instant> {
        self.last_moved
    }

    fn prepare_for_return(&mut self, config: &Config) {
        self.config.query_timeout = config.query_timeout;
        self.session_mut().reset_row_errors();
        self.link.drain_what_is_there(&mut self.socket.now(), &self.config);
    }

    fn start(&mut self, clean: &mut Clean) -> Result<()> {
        self.settings = None;
        self.tables.forget_temporary();
        self.link.start(clean, &mut self.socket.now(), &self.config)
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.link.say_goodbye(&mut self.socket.now(), &self.config);
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").field("config", &self.config).field("session", self.session()).finish()
    }
}
