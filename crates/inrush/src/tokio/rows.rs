//! Results row by row, for tasks: nothing is kept, and what is not asked for stays with the server.

use super::Connection;
use crate::pace::QueryTime;
use crate::sql::{Asked, Form, Sql, UNPREPARABLE};
use crate::{Error, Result};
use inrush_core::convert::{FromRow, Params};
use inrush_core::session::{Ask, Event, Noted, Outcome, Query};
use inrush_core::wire::{ColumnDef, Row};

/// Results that are being read. See [`Connection::query_iter`].
///
/// Dropped before their end they cost no more than time: the connection reads the rest before its next command.
#[derive(Debug)]
pub struct Rows<'c> {
    connection: &'c mut Connection,
    columns: Vec<ColumnDef>,
    /// What the result under way, or the last one, came to; none as long as it has rows.
    outcome: Option<Outcome>,
}

impl Connection {
    /// Runs a statement and reads its rows one by one, each borrowed until the next is asked for.
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
    pub async fn query_iter(&mut self, sql: &(impl Sql + ?Sized), params: impl Params) -> Result<Rows<'_>> {
        self.rows(sql, &params, Form::AsAsked).await
    }

    /// The same with a say in how the rows are written.
    pub(super) async fn rows<P: Params>(
        &mut self,
        sql: &(impl Sql + ?Sized),
        params: &P,
        form: Form,
    ) -> Result<Rows<'_>> {
        let outcome = self.open(sql, params, form).await?;
        let mut rows = Rows { connection: self, columns: Vec::new(), outcome };
        if rows.outcome.is_none() {
            rows.next_result().await?;
        }
        Ok(rows)
    }

    /// Sends the statement and reads until its results begin. An outcome is all there is of them.
    async fn open<P: Params>(&mut self, sql: &(impl Sql + ?Sized), params: &P, form: Form) -> Result<Option<Outcome>> {
        let asked = Asked::new::<P>(sql)?;
        let values = params.values(asked.names())?;
        let values = values.as_ref();
        let is_plain = asked.is_plain(values.len());
        let mut noted = Noted::default();
        if !is_plain || form == Form::Binary {
            self.start().await?;
            let mut ask = Ask::new(asked.sql(), values, &mut noted);
            let opened = self.drive(None, |link, _| link.open(&mut ask)).await;
            let opened = opened.map_err(|e| self.give_up(self.link.judge(e, &ask)));
            if !opened.as_ref().is_err_and(|e| is_plain && e.code() == UNPREPARABLE) {
                return opened?.transpose();
            }
        }
        self.start().await?;
        let mut query = Query::new(asked.sql(), &mut noted);
        let opened = self.drive(None, |link, _| link.open(&mut query)).await;
        opened.map_err(|e| self.give_up(self.link.judge(e, &query)))
    }

    async fn start(&mut self) -> Result<()> {
        self.make_ready(QueryTime::new(&self.config)).await?;
        self.link.channel.begin()
    }
}

impl Rows<'_> {
    /// The columns of the result set under way; none if the statement had none.
    pub fn columns(&self) -> &[ColumnDef] {
        &self.columns
    }

    /// What the result came to, once its last row was read.
    pub fn outcome(&self) -> Option<&Outcome> {
        self.outcome.as_ref()
    }

    /// The next row. `None`: the result is over; another may follow, see [`Rows::next_result`].
    pub async fn next_row(&mut self) -> Result<Option<Row<'_>>> {
        if self.outcome.is_some() {
            return Ok(None);
        }
        match self.fetch().await? {
            Event::Row => Ok(self.connection.link.row()),
            Event::End(outcome) => {
                self.outcome = Some(outcome);
                Ok(None)
            }
            Event::Columns | Event::Nothing => Err(Error::protocol("columns in the middle of rows")),
        }
    }

    /// The next row as a tuple or a struct, which may borrow from it. A row that does not fit is an error, and the next one can
    /// be asked for all the same.
    pub async fn next_as<'r, T: FromRow<'r>>(&'r mut self) -> Result<Option<T>> {
        self.next_row().await?.map(T::from_row).transpose()
    }

    /// Goes on to the next result, past what is left of this one. `false`: there is none.
    pub async fn next_result(&mut self) -> Result<bool> {
        if !self.connection.link.has_stream() {
            return Ok(false);
        }
        while self.outcome.is_none() && !self.columns.is_empty() {
            self.next_row().await?;
        }
        if !self.connection.link.has_stream() {
            return Ok(false);
        }
        self.columns.clear();
        self.outcome = None;
        match self.fetch().await? {
            Event::Columns => self.columns = self.connection.link.columns(),
            Event::End(outcome) => self.outcome = Some(outcome),
            Event::Row | Event::Nothing => return Err(Error::protocol("a row before its columns")),
        }
        Ok(true)
    }

    async fn fetch(&mut self) -> Result<Event> {
        let event = self.connection.drive(None, |link, _| link.fetch()).await;
        match event.map_err(|e| self.connection.give_up(self.connection.link.judge_stream(e))) {
            Ok(event) => event.ok_or_else(|| Error::config("nothing is left of these results")),
            Err(error) => {
                self.connection.link.forget_stream();
                Err(error)
            }
        }
    }
}
