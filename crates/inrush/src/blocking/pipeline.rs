//! Pipelines on a connection for threads.
//!
//! Made of `tokio/pipeline.rs` by `INRUSH_WRITE_BLOCKING=1 cargo test -p inrush-testkit --test blocking_twin`.

use super::Connection;
use crate::Result;
use crate::deadlines::QueryTime;
use crate::pipeline::probe::{self, PipelineStart};
use crate::pipeline::{Each, Pipeline, Reply};
use inrush_core::session::Pipeline as Conversation;
use inrush_core::session::pipeline::{Decision, NextCommand, Window};

impl Connection {
    /// Many commands in one flight: see [`Pipeline`].
    pub fn pipeline(&mut self) -> Pipeline<'_, Self> {
        let max_result = self.config.max_result;
        let zone = self.session().zone().cloned();
        Pipeline::new(self, max_result, zone)
    }

    /// Sends as many commands in one flight as `next` returns, one a call, and hands over each reply as it arrives: millions of them take
    /// no more memory than a few. Steps are counted from 0.
    ///
    /// An error from either ends the pipeline: nothing more is sent, the replies under way are read and dropped, and the connection
    /// stays usable. COMMIT waits for the replies before it, as in [`Pipeline::commit`].
    ///
    /// ```
    /// # let shop = inrush_testkit::shop::open();
    /// # let mut connection = inrush::blocking::Connection::connect(&shop.url())?;
    /// let insert = connection.prepare("INSERT INTO numbers VALUES (?)")?;
    /// let mut numbers = 0..10_000;
    /// let mut tx = connection.begin()?;
    /// tx.pipeline_each(
    ///     |next| match numbers.next() {
    ///         Some(number) => next.execute(&insert, (number,)),
    ///         None => next.end(),
    ///     },
    ///     |step, reply| reply.map(drop).map_err(|e| e.while_doing(&format!("number {step}"))),
    /// )?;
    /// tx.commit()?;
    /// # assert_eq!(shop.ask("SELECT COUNT(*), MAX(n) FROM numbers"), ["10000 9999"]);
    /// # Ok::<(), inrush::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of `next` and of the replies' function; those of the connection: `Io` if the connection is lost or a time-out passes. An error
    /// of a step is in its reply.
    pub fn pipeline_each(
        &mut self,
        next: impl FnMut(NextCommand<'_>) -> Result<Decision>,
        each: impl FnMut(u64, Result<Reply>) -> Result<()>,
    ) -> Result<()> {
        let window = self.window(None)?;
        let flight = Each::new(next, each, self.config.max_result);
        let conversation = Conversation::new(flight).with_window(window);
        self.run_within(QueryTime::of_steps(&self.config), conversation)?
    }

    /// How much may be in flight at this server; finds out first if that is unknown.
    pub(crate) fn window(&mut self, n_steps: Option<usize>) -> Result<Window> {
        match probe::way(&self.config, n_steps) {
            PipelineStart::Clear(window) => Ok(window),
            PipelineStart::Unknown => Ok(Self::find_window(&self.config)),
        }
    }

    /// Finds out how much may be in flight at a server, over a connection of its own.
    pub(crate) fn find_window(config: &crate::Config) -> Window {
        let answer = Self::probe(config);
        probe::conclude(config, answer)
    }

    /// Whether two pings are answered; `None` if none is.
    fn probe(config: &crate::Config) -> Option<Result<Result<()>>> {
        let mut connection = Self::connect(probe::config(config)).ok()?;
        connection.ping().ok()?;
        Some(connection.run(probe::two_pings()))
    }
}

impl Pipeline<'_, Connection> {
    /// Sends all steps and reads their replies, one for each, in order. An error from here is one of the connection, which is
    /// dead then; it is unknown which of the steps without a reply were run.
    ///
    /// # Errors
    /// Those of the connection: `Io` if the connection is lost or a time-out passes. An error of a step is its result.
    pub fn run(mut self) -> Result<Vec<Result<Reply>>> {
        let window = self.connection.window(Some(self.batch.len()))?;
        let best_effort = self.batch.best_effort;
        let conversation = Conversation::new(&mut self.batch).with_window(window);
        let time = QueryTime::of_steps(&self.connection.config);
        self.connection.run_within(time, conversation.best_effort(best_effort))??;
        Ok(self.batch.into_replies())
    }
}
