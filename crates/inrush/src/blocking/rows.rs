//! Results row by row, for threads: nothing is kept, and rows that are not requested stay at the server.
//!
//! Made of `tokio/rows.rs` by `INRUSH_WRITE_BLOCKING=1 cargo test -p inrush-testkit --test blocking_twin`.

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
/// # let shop = inrush_testkit::shop::open();
/// let mut rows = {
///     let connection = inrush::blocking::Connection::connect(&shop.url())?;
///     inrush::blocking::ResultRows::open(connection, "SELECT name FROM people WHERE id < ?", (3,))?
/// };
/// # let mut seen = Vec::new();
/// while let Some((name,)) = rows.next_as::<(String,)>()? {
///     println!("{name}");
/// #     seen.push(name);
/// }
/// # assert_eq!(seen, ["Ann", "Bob"]);
/// # Ok::<(), inrush::Error>(())
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
    /// # let shop = inrush_testkit::shop::open();
    /// # let mut connection = inrush::blocking::Connection::connect(&shop.url())?;
    /// # let mut seen = String::new();
    /// let mut rows = connection.query_iter("SELECT id, name FROM people", ())?;
    /// while let Some((id, name)) = rows.next_as::<(u64, &str)>()? {
    ///     println!("{id} {name}");
    /// #     seen += &format!("{id} {name}, ");
    /// }
    /// # assert_eq!(seen, "1 Ann, 2 Bob, 3 Cy, ");
    /// # Ok::<(), inrush::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`execute`](Connection::execute), up to the first row.
    pub fn query_iter(&mut self, sql: &(impl Sql + ?Sized), params: impl Params) -> Result<Rows<'_>> {
        ResultRows::in_form(self, sql, &params, Form::AsAsked)
    }

    /// Runs the statement up to its first result.
    fn begin_rows<P: Params>(&mut self, sql: &(impl Sql + ?Sized), params: &P, form: Form) -> Result<Reading> {
        let mut reading = Reading { columns: Vec::new(), outcome: self.open(sql, params, form)? };
        if reading.outcome.is_none() {
            self.next_result(&mut reading)?;
        }
        Ok(reading)
    }

    /// Sends the statement and reads until its results begin. An outcome means that it has no rows.
    fn open<P: Params>(&mut self, sql: &(impl Sql + ?Sized), params: &P, form: Form) -> Result<Option<Outcome>> {
        let source = StatementSource::new::<P>(sql)?;
        let values = params.values(source.names())?;
        let mut memory = Vec::new();
        let values = values.resolve(self.session().zone(), &mut memory)?;
        let trace = Trace::statement(&self.config, self.session(), source.sql(), !values.is_empty());
        trace.within(|| self.open_statement(&source, &values, form))
    }

    fn open_statement(
        &mut self,
        source: &StatementSource<'_>,
        values: &[Value<'_>],
        form: Form,
    ) -> Result<Option<Outcome>> {
        let is_plain = source.is_plain(values.len());
        let mut saved = SavedEvent::default();
        if !is_plain || form == Form::Binary {
            self.start()?;
            let mut execute = CachedExecute::new(source.sql(), values, &mut saved);
            let opened = self.drive(None, |link, _| link.open(&mut execute));
            let opened = opened.map_err(|e| self.fail(self.link.judge(e, &execute)));
            if !opened.as_ref().is_err_and(|e| is_plain && e.code() == UNPREPARABLE) {
                return opened?.transpose();
            }
        }
        self.start()?;
        let mut query = Query::new(source.sql(), &mut saved);
        let opened = self.drive(None, |link, _| link.open(&mut query));
        opened.map_err(|e| self.fail(self.link.judge(e, &query)))
    }

    fn start(&mut self) -> Result<()> {
        self.make_ready(QueryTime::new(&self.config))?;
        self.link.channel.begin()
    }

    /// Reads the next row into the link; false at the end of the result.
    fn next_row(&mut self, reading: &mut Reading) -> Result<bool> {
        if reading.outcome.is_some() {
            return Ok(false);
        }
        match self.fetch()? {
            Event::Row => Ok(true),
            Event::End(outcome) => {
                reading.outcome = Some(outcome);
                Ok(false)
            }
            Event::Columns | Event::Nothing => Err(Error::protocol("columns in the middle of rows")),
        }
    }

    fn next_result(&mut self, reading: &mut Reading) -> Result<bool> {
        if !self.link.has_stream() {
            return Ok(false);
        }
        while reading.outcome.is_none() && !reading.columns.is_empty() {
            self.next_row(reading)?;
        }
        if !self.link.has_stream() {
            return Ok(false);
        }
        *reading = Reading::default();
        match self.fetch()? {
            Event::Columns => reading.columns = self.link.columns(),
            Event::End(outcome) => reading.outcome = Some(outcome),
            Event::Row | Event::Nothing => return Err(Error::protocol("a row before its columns")),
        }
        Ok(true)
    }

    fn fetch(&mut self) -> Result<Event> {
        let event = self.drive(None, |link, _| link.fetch());
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
    pub fn open(connection: C, sql: &(impl Sql + ?Sized), params: impl Params) -> Result<Self> {
        Self::in_form(connection, sql, &params, Form::AsAsked)
    }

    /// The same with a choice of how the rows are written.
    pub(super) fn in_form<P: Params>(
        mut connection: C,
        sql: &(impl Sql + ?Sized),
        params: &P,
        form: Form,
    ) -> Result<Self> {
        let reading = connection.borrow_mut().begin_rows(sql, params, form)?;
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
    pub fn next_row(&mut self) -> Result<Option<Row<'_>>> {
        let connection: &mut Connection = self.connection.borrow_mut();
        Ok(if connection.next_row(&mut self.reading)? { connection.link.row() } else { None })
    }

    /// The next row as a tuple or a struct, which may borrow from it. A row that does not fit is an error; the next one can still
    /// be requested.
    ///
    /// # Errors
    /// [`Reason::Conversion`](crate::Reason::Conversion) if a value does not fit its Rust type; those of
    /// [`next_row`](ResultRows::next_row).
    pub fn next_as<'r, T: FromRow<'r>>(&'r mut self) -> Result<Option<T>> {
        self.next_row()?.map(T::from_row).transpose()
    }

    /// Continues with the next result and skips what is left of this one. Returns `false` if there is none.
    ///
    /// # Errors
    /// `Server` if the next statement fails; `Io` if the connection is lost or a time-out passes.
    pub fn next_result(&mut self) -> Result<bool> {
        self.connection.borrow_mut().next_result(&mut self.reading)
    }

    /// Returns the connection, also before the end of the results: then it reads the rest before its next command.
    pub fn into_connection(self) -> C {
        self.connection
    }
}
