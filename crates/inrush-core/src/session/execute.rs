//! COM_STMT_EXECUTE: a prepared statement with values, results in binary form.

use crate::error::{Error, Result};
use crate::session::prepare::Statement;
use crate::session::results::{Results, Sink};
use crate::session::{Conversation, Outcome, Session, Step};
use crate::wire::{Outbox, RowFormat, Value, stmt};

/// One execution. Its output is the last result's outcome; rows go to the sink.
pub struct Execute<'a, S: Sink> {
    statement: &'a Statement,
    /// Taken when sent.
    params: Option<&'a [Value<'a>]>,
    sink: &'a mut S,
    results: Results,
}

impl<'a, S: Sink> Execute<'a, S> {
    /// One value for each placeholder, or it is an error (which costs nothing: nothing was sent).
    pub fn new(statement: &'a Statement, params: &'a [Value<'a>], sink: &'a mut S) -> Result<Self> {
        if params.len() != usize::from(statement.n_params) {
            let message = format!("the statement takes {} values, not {}", statement.n_params, params.len());
            return Err(Error::config(message));
        }
        Ok(Self { statement, params: Some(params), sink, results: Results::new(RowFormat::Binary) })
    }
}

impl<S: Sink> Conversation for Execute<'_, S> {
    type Output = Outcome;

    fn send(&mut self, _session: &mut Session, out: &mut Outbox) -> Result<Step<Outcome>> {
        if let Some(params) = self.params.take() {
            out.command(|out| stmt::execute(out, self.statement.id, params));
        }
        Ok(Step::More)
    }

    fn receive(&mut self, packet: &[u8], session: &mut Session, _out: &mut Outbox) -> Result<Step<Outcome>> {
        self.results.receive(packet, session, self.sink)
    }
}
