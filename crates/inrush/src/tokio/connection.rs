//! A connection for tasks: the loop, and the verbs.

use super::socket::{self, Socket};
use crate::net::Link;
use crate::pace::Pace;
use crate::verbs::{self, Each, Settings};
use crate::{Config, Error, Result};
use inrush_core::session::{
    Collect, Conversation, Discard, Execute, Outcome, Prepare, Query, ResultSet, Session, Statement, simple,
};
use inrush_core::wire::{Row, ServerVersion, Value};
use std::fmt;
use std::net::Shutdown;

/// One connection to a server, the async twin of [`crate::blocking::Connection`].
///
/// A future that is dropped before it is ready leaves an exchange half done: the connection then refuses every further use.
pub struct Connection {
    config: Config,
    link: Link,
    socket: Socket,
    settings: Option<Settings>,
}

impl Connection {
    /// Connects and logs in, all within the connect time-out.
    pub async fn connect(config: &Config) -> Result<Self> {
        let deadline = config.connect_deadline();
        let mut this = Self::over(socket::connect(config, deadline.into()).await?, config);
        let login = &mut verbs::login(config)?;
        this.run_at(Pace::Until(deadline), login).await.map_err(|e| verbs::not_let_in(config, e))?;
        Ok(this)
    }

    /// A connection over a socket that is connected; nobody has logged in yet.
    pub(crate) fn over(socket: Socket, config: &Config) -> Self {
        Self { config: config.clone(), link: Link::new(config), socket, settings: None }
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
    pub async fn max_allowed_packet(&mut self) -> Result<u64> {
        Ok(self.settings().await?.max_allowed_packet)
    }

    /// Asks whether the server is there.
    pub async fn ping(&mut self) -> Result<()> {
        self.run(simple::ping()).await.map(drop)
    }

    /// Runs one statement (or several, if the configuration allows it) and collects all results.
    pub async fn query(&mut self, sql: &(impl AsRef<[u8]> + ?Sized)) -> Result<Vec<ResultSet>> {
        let mut sink = Collect::new(self.config.max_result);
        self.run(Query::new(sql, &mut sink)).await?;
        Ok(sink.into_results())
    }

    /// Runs one statement and collects its first result, the only one of most statements.
    pub async fn query_first(&mut self, sql: &(impl AsRef<[u8]> + ?Sized)) -> Result<ResultSet> {
        verbs::first(self.query(sql).await?)
    }

    /// Runs one statement and hands over each row as it arrives. An error from `each` ends the connection: the rest of
    /// the rows would have to be read.
    pub async fn query_each(
        &mut self,
        sql: &(impl AsRef<[u8]> + ?Sized),
        each: impl FnMut(Row<'_>) -> Result<()>,
    ) -> Result<Outcome> {
        self.run(Query::new(sql, &mut Each(each))).await
    }

    /// Runs a statement without a result set; rows that come all the same are read and dropped.
    pub async fn exec(&mut self, sql: &(impl AsRef<[u8]> + ?Sized)) -> Result<Outcome> {
        self.run(Query::new(sql, &mut Discard)).await
    }

    /// Prepares a statement. It lives until it is closed or the connection ends or is reset.
    pub async fn prepare(&mut self, sql: &str) -> Result<Statement> {
        self.run(Prepare::new(sql)).await
    }

    /// Executes a prepared statement with one value for each placeholder, and collects all results.
    pub async fn execute(&mut self, statement: &Statement, params: &[Value<'_>]) -> Result<Vec<ResultSet>> {
        let mut sink = Collect::new(self.config.max_result);
        self.run(Execute::new(statement, params, &mut sink)?).await?;
        Ok(sink.into_results())
    }

    /// Frees a prepared statement on the server.
    pub async fn close_statement(&mut self, statement: Statement) -> Result<()> {
        self.run(simple::close(statement.id)).await
    }

    /// Sends `content` as the file of a LOAD DATA LOCAL INFILE. `make_sql` makes the statement from the file's name, a random
    /// one, to be put into single quotes. Needs [`Config::with_local_infile`].
    pub async fn load_local(&mut self, make_sql: impl FnOnce(&str) -> String, content: &[u8]) -> Result<Outcome> {
        verbs::check_local(self.session(), &self.config)?;
        let settings = self.settings().await?;
        let name = verbs::infile_name();
        let sql = make_sql(&name);
        self.run(verbs::infile(&sql, &name, content, &settings)).await
    }

    /// As after login: temporary tables, variables, prepared statements and an open transaction are gone.
    pub async fn reset(&mut self) -> Result<()> {
        self.settings = None;
        self.run(simple::reset_connection()).await?;
        self.exec(verbs::AFTER_RESET).await.map(drop)
    }

    /// Becomes another account, that of `config`, with its database; everything else is as after a reset.
    pub async fn change_user(&mut self, config: &Config) -> Result<()> {
        self.settings = None;
        self.run(verbs::change_user(config)?).await.map(drop)
    }

    /// Says goodbye to the server. So does dropping the value.
    pub fn close(self) {}

    /// Drives one exchange to its end: reads while it writes. Before it whatever the connection owes is paid.
    pub async fn run<C: Conversation>(&mut self, conversation: C) -> Result<C::Output> {
        self.settle().await?;
        self.session().check_use()?;
        self.run_now(conversation).await
    }

    /// Drives one exchange, whatever the connection owes.
    pub(super) async fn run_now<C: Conversation>(&mut self, mut conversation: C) -> Result<C::Output> {
        let pace = Pace::new(&self.config);
        self.run_at(pace, &mut conversation).await
    }

    pub(super) fn session_mut(&mut self) -> &mut Session {
        &mut self.link.channel.session
    }

    async fn run_at<C: Conversation>(&mut self, pace: Pace, conversation: &mut C) -> Result<C::Output> {
        self.link.channel.begin()?;
        let end = self.drive(pace, conversation).await;
        end.map_err(|e| self.give_up(e))
    }

    async fn settings(&mut self) -> Result<Settings> {
        if let Some(settings) = self.settings {
            return Ok(settings);
        }
        let settings = Settings::from_result(&self.query_first(Settings::SQL).await?)?;
        Ok(*self.settings.insert(settings))
    }

    fn give_up(&mut self, error: Error) -> Error {
        let error = self.link.give_up(error);
        if error.is_fatal() {
            // At once, not when the value is dropped: the server stops working for a client that is gone.
            let _ = self.socket.options().shutdown(Shutdown::Both);
        }
        error
    }

    async fn drive<C: Conversation>(&mut self, mut pace: Pace, conversation: &mut C) -> Result<C::Output> {
        let mut socket = &self.socket;
        loop {
            if let Some(output) = self.link.advance(conversation, &self.config)? {
                return Ok(output);
            }
            let interest = self.link.interest();
            let ready = socket::wait(socket, interest, pace.deadline(interest))
                .await
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
        self.link.say_goodbye(&mut &self.socket, &self.config);
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").field("config", &self.config).field("session", self.session()).finish()
    }
}
