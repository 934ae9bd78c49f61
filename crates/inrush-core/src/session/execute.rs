//! COM_STMT_EXECUTE: a prepared statement with values, results in binary form.

use crate::error::{Error, Result};
use crate::session::prepared::Prepared;
use crate::session::results::{Results, Sink};
use crate::session::{Conversation, Outcome, Session, Step};
use crate::value::Value;
use crate::wire::{Outbox, RowFormat, stmt};

/// One execution. Its output is the last result's outcome; rows go to the sink.
pub struct Execute<'a, S: Sink> {
    statement: &'a Prepared,
    /// Taken when sent.
    params: Option<Params<'a>>,
    sink: &'a mut S,
    results: Results,
}

enum Params<'a> {
    Values(&'a [Value<'a>]),
    Encoded { bitmap: &'a [u8], types: Option<&'a [u8]>, values: &'a [u8] },
}

impl<'a, S: Sink> Execute<'a, S> {
    /// One value for each placeholder, or it is an error (which costs nothing: nothing was sent).
    pub fn new(statement: &'a Prepared, params: &'a [Value<'a>], sink: &'a mut S) -> Result<Self> {
        if params.len() != usize::from(statement.n_params) {
            let message = format!("the statement takes {} values, not {}", statement.n_params, params.len());
            return Err(Error::config(message));
        }
        stmt::check(params)?;
        Ok(Self { statement, params: Some(Params::Values(params)), sink, results: Results::new(RowFormat::Binary) })
    }

    /// The same with the bitmap and the values of all placeholders as a bulk encoder wrote them. Only the first execution must
    /// send their types.
    pub fn encoded(statement: &'a Prepared, types: Option<&'a [u8]>, bound: &'a [u8], sink: &'a mut S) -> Self {
        let (bitmap, values) = bound.split_at(usize::from(statement.n_params).div_ceil(8).min(bound.len()));
        let params = Some(Params::Encoded { bitmap, types, values });
        Self { statement, params, sink, results: Results::new(RowFormat::Binary) }
    }
}

impl<S: Sink> Conversation for Execute<'_, S> {
    type Output = Outcome;

    fn send(&mut self, _session: &mut Session, out: &mut Outbox) -> Result<Step<Outcome>> {
        let id = self.statement.id;
        match self.params.take() {
            Some(Params::Values(values)) => {
                let mut types = Vec::with_capacity(2 * values.len());
                stmt::types(&mut types, values, &[]);
                out.command(|out| stmt::execute(out, id, values, Some(&types), |_| false));
            }
            Some(Params::Encoded { bitmap, types, values }) => {
                out.command(|out| stmt::execute_encoded(out, id, bitmap, types, values));
            }
            None => {}
        }
        Ok(Step::More)
    }

    fn receive(&mut self, packet: &[u8], session: &mut Session, _out: &mut Outbox) -> Result<Step<Outcome>> {
        self.results.receive(packet, session, self.sink)
    }

    fn may_be_stored(&self, session: &Session, out: &Outbox) -> bool {
        self.params.is_none() && out.has_sent_command() && self.statement.effect.may_be_stored(session)
    }
}
