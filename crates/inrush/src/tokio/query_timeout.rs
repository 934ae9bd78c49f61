//! A statement whose time is over: a KILL QUERY ends it at the server, and the connection is made ready for the next one.

use super::Connection;
use super::shell::kill;
use crate::Result;
use crate::deadlines::QueryTime;
use crate::net::Link;
use crate::verbs;
use inrush_core::session::{Discard, Query};
use std::time::Duration;

impl Connection {
    /// Changes how long a command may take from now on: see [`Config::with_query_timeout`](crate::Config::with_query_timeout).
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> inrush::Result<()> {
    /// # let shop = inrush_testkit::shop::open();
    /// # let mut connection = inrush::Connection::connect(&shop.at("?query-timeout=30")).await?;
    /// let before = connection.query_timeout();
    /// connection.set_query_timeout(Some(std::time::Duration::from_secs(600)));
    /// connection.execute("ALTER TABLE people ADD COLUMN born DATE", ()).await?;
    /// # assert_eq!(connection.query_timeout(), Some(std::time::Duration::from_secs(600)));
    /// connection.set_query_timeout(before);
    /// # assert_eq!(connection.query_timeout(), Some(std::time::Duration::from_secs(30)));
    /// # assert_eq!(shop.ask("SELECT COUNT(born) FROM people"), ["0"]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn set_query_timeout(&mut self, limit: Option<Duration>) {
        self.config.query_timeout = limit;
    }

    /// How long a command may take.
    pub fn query_timeout(&self) -> Option<Duration> {
        self.config.query_timeout
    }

    /// Sends a KILL QUERY for the statement over a connection of its own. Once that is answered, whatever the KILL did is done.
    pub(super) async fn kill_query(&self) -> Result<()> {
        let killed = kill(verbs::killer(&self.config), self.connection_id()).await;
        killed.map_err(|e| verbs::not_killed(&self.query_time, &e))
    }

    /// After a KILL: makes sure that neither the statement nor the KILL affects the next command.
    pub(super) async fn after_kill<T>(&mut self, end: Result<T>) -> Result<T> {
        match &end {
            Err(e) if e.is_fatal() || self.session().is_dead() => return end,
            Err(_) => self.link.forget_stream(),
            // No caller takes the rows that still come.
            Ok(_) if self.link.has_stream() => match self.move_bytes(&mut None, Link::drain).await {
                Err(e) if e.is_fatal() => return Err(e),
                _ => {}
            },
            Ok(_) => {}
        }
        self.drain_kill().await?;
        let time = std::mem::replace(&mut self.query_time, QueryTime::NONE);
        Err(verbs::too_late(&time, end.err()))
    }

    /// A KILL that arrives late could hit the next statement, so a dummy statement is sent first.
    async fn drain_kill(&mut self) -> Result<()> {
        loop {
            self.link.channel.begin()?;
            let mut nothing = Discard;
            let mut query = Query::new("DO 0", &mut nothing);
            match self.move_bytes(&mut None, |link, config| link.advance(&mut query, config)).await {
                Ok(_) => return Ok(()),
                Err(e) if e.code() == verbs::KILLED => {}
                Err(e) => return Err(e.fatal()),
            }
        }
    }
}
