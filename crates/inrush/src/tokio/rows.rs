//! Results row by row, for tasks: nothing is kept, and rows that are not requested stay at the server.

use super::Connection;
use crate::Value;
use crate::deadlines::QueryTime;
use crate::reading::Reading;
use crate::sql::{Form, Sql, StatementSource, UNPREPARABLE};
use crate::trace::Trace;
use crate::{Error, Result};
use inrush_core::convert::{FromRow, Params};
use inrush_core::session::{CachedExecute, Event, Outcome, Query, SavedEvent};
use inrush_core::wire::{ColumnDef, Row};
use std::borrow::BorrowMut;

/// Results that are being read, over a connection that they borrow. See [`Connection::query_iter`].
pub type Rows<'c> = ResultRows<&'c mut Connection>;

/// Results that are being read, over a connection that they borrow ([`Rows`]) or own: a [`Connection`], or one
/// [from a pool](super::PooledConnection), which goes back to it with them.
///
/// If they are dropped before their end, only time is lost: the connection reads the rest before its next command.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> inrush::Result<()> {
/// # let shop = inrush_testkit::shop::open();
/// let mut rows = {
///     let connection = inrush::Connection::connect(&shop.url()).await?;
///     inrush::ResultRows::open(connection, "SELECT name FROM people WHERE id < ?", (3,)).await?
/// };
/// # let mut seen = Vec::new();
/// while let Some((name,)) = rows.next_as::<(String,)>().await? {
///     println!("{name}");
/// #     seen.push(name);
/// }
/// # assert_eq!(seen, ["Ann", "Bob"]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct ResultRows<C> {
    connection: C,
    reading: Reading,
}

impl Connection {
    /// Runs a statement and reads its rows one by one, each borrowed until the next is requested.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> inrush::Result<()> {
    /// # let shop = inrush_testkit::shop::open();
    /// # let mut connection = inrush::Connection::connect(&shop.url()).await?;
    /// # let mut seen = String::new();
    /// let mut rows = connection.query_iter("SELECT id, name FROM people", ()).await?;
    /// while let Some((id, name)) = rows.next_as::<(u64, &str)>().await? {
    ///     println!("{id} {name}");
    /// #     seen += &format!("{id} {name}, ");
    /// }
    /// # assert_eq!(seen, "1 Ann, 2 Bob, 3 Cy, ");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Those of [`execute`](Connection::execute), up to the first row.
    pub async fn query_iter(&mut self, sql: &(impl Sql + ?Sized), params: impl Params) -> Result<Rows<'_>> {
        ResultRows::in_form(self, sql, &params, Form::AsAsked).await
    }

    /// Runs the statement up to its first result.
    async fn begin_rows<P: Params>(&mut self, sql: &(impl Sql + ?Sized), params: &P, form: Form) -> Result<Reading> {
        let mut reading = Reading { columns: Vec::new(), outcome: self.open(sql, params, form).await? };
        if reading.outcome.is_none() {
            self.next_result(&mut reading).await?;
        }
        Ok(reading)
    }

    /// Sends the statement and reads until its results begin. An outcome means that it has no rows.
    async fn open<P: Params>(&mut self, sql: &(impl Sql + ?Sized), params: &P, form: Form) -> Result<Option<Outcome>> {
        let source = StatementSource::new::<P>(sql)?;
        let values = params.values(source.names())?;
        let mut memory = Vec::new();
        let values = values.resolve(self.session().zone(), &mut memory)?;
        let trace = Trace::statement(&self.config, self.session(), source.sql(), !values.is_empty());
        trace.follow(self.open_statement(&source, &values, form)).await
    }

    async fn open_statement(
        &mut self,
        source: &StatementSource<'_>,
        values: &[Value<'_>],
        form: Form,
    ) -> Result<Option<Outcome>> {
        let is_plain = source.is_plain(values.len());
        let mut saved = SavedEvent::default();
        if !is_plain || form == Form::Binary {
            self.start().await?;
            let mut execute = CachedExecute::new(source.sql(), values, &mut saved);
            let opened = self.drive(None, |link, _| link.open(&mut execute)).await;
            let opened = opened.map_err(|e| self.fail(self.link.judge(e, &execute)));
            if !opened.as_ref().is_err_and(|e| is_plain && e.code() == UNPREPARABLE) {
                return opened?.transpose();
            }
        }
        self.start().await?;
        let mut query = Query::new(source.sql(), &mut saved);
        let opened = self.drive(None, |link, _| link.open(&mut query)).await;
        opened.map_err(|e| self.fail(self.link.judge(e, &query)))
    }

    async fn start(&mut self) -> Result<()> {
        self.make_ready(QueryTime::new(&self.config)).await?;
        self.link.channel.begin()
    }

    /// Reads the next row into the link; false at the end of the result.
    async fn next_row(&mut self, reading: &mut Reading) -> Result<bool> {
        if reading.outcome.is_some() {
            return Ok(false);
        }
        match self.fetch().await? {
            Event::Row => Ok(true),
            Event::End(outcome) => {
                reading.outcome = Some(outcome);
                Ok(false)
            }
            Event::Columns | Event::Nothing => Err(Error::protocol("columns in the middle of rows")),
        }
    }

    async fn next_result(&mut self, reading: &mut Reading) -> Result<bool> {
        if !self.link.has_stream() {
            return Ok(false);
        }
        while reading.outcome.is_none() && !reading.columns.is_empty() {
            self.next_row(reading).await?;
        }
        if !self.link.has_stream() {
            return Ok(false);
        }
        *reading = Reading::default();
        match self.fetch().await? {
            Event::Columns => reading.columns = self.link.columns(),
            Event::End(outcome) => reading.outcome = Some(outcome),
            Event::Row | Event::Nothing => return Err(Error::protocol("a row before its columns")),
        }
        Ok(true)
    }

    async fn fetch(&mut self) -> Result<Event> {
        let event = self.drive(None, |link, _| link.fetch()).await;
        match event.map_err(|e| self.fail(self.link.judge_stream(e))) {
            Ok(event) => event.ok_or_else(|| Error::config("nothing is left of these results")),
            Err(error) => {
                self.link.forget_stream();
                Err(error)
            }
        }
    }
}

impl<C: BorrowMut<Connection>> ResultRows<C> {
    /// Runs a statement over `connection` and reads its rows one by one, as [`Connection::query_iter`] does. After an error
    /// `connection` is dropped: one from a pool goes back to it.
    ///
    /// # Errors
    /// Those of [`Connection::query_iter`].
    pub async fn open(connection: C, sql: &(impl Sql + ?Sized), params: impl Params) -> Result<Self> {
        Self::in_form(connection, sql, &params, Form::AsAsked).await
    }

    /// The same with a choice of how the rows are written.
    pub(super) async fn in_form<P: Params>(
        mut connection: C,
        sql: &(impl Sql + ?Sized),
        params: &P,
        form: Form,
    ) -> Result<Self> {
        let reading = connection.borrow_mut().begin_rows(sql, params, form).await?;
        Ok(Self { connection, reading })
    }

    /// The columns of the current result set; none if the statement had none.
    pub fn columns(&self) -> &[ColumnDef] {
        &self.reading.columns
    }

    /// The outcome of the result, once its last row was read.
    pub fn outcome(&self) -> Option<&Outcome> {
        self.reading.outcome.as_ref()
    }

    /// The next row. `None`: the result is over; another may follow, see [`ResultRows::next_result`].
    ///
    /// # Errors
    /// `Server` if the statement fails in the middle of its rows; `Io` if the connection is lost or a time-out passes.
    pub async fn next_row(&mut self) -> Result<Option<Row<'_>>> {
        let connection: &mut Connection = self.connection.borrow_mut();
        Ok(if connection.next_row(&mut self.reading).await? { connection.link.row() } else { None })
    }

    /// The next row as a tuple or a struct, which may borrow from it. A row that does not fit is an error; the next one can still
    /// be requested.
    ///
    /// # Errors
    /// [`Reason::Conversion`](crate::Reason::Conversion) if a value does not fit its Rust type; those of
    /// [`next_row`](ResultRows::next_row).
    pub async fn next_as<'r, T: FromRow<'r>>(&'r mut self) -> Result<Option<T>> {
        self.next_row().await?.map(T::from_row).transpose()
    }

    /// Continues with the next result and skips what is left of this one. Returns `false` if there is none.
    ///
    /// # Errors
    /// `Server` if the next statement fails; `Io` if the connection is lost or a time-out passes.
    pub async fn next_result(&mut self) -> Result<bool> {
        self.connection.borrow_mut().next_result(&mut self.reading).await
    }

    /// Returns the connection, also before the end of the results: then it reads the rest before its next command.
    pub fn into_connection(self) -> C {
        self.connection
    }
}
