//! The flights of the driver: steps put together beforehand, and steps chosen one by one.

use super::Reply;
use super::reply::Gather;
use crate::{Error, Result};
use inrush_core::convert::Params;
use inrush_core::session::pipeline::{Bound, Decision, Flight, NextCommand, Reply as Answer};
use inrush_core::session::{Outcome, Statement};
use inrush_core::wire::{ColumnDef, Row, stmt};
use jiff::tz::TimeZone;
use std::fmt;

/// Steps put together beforehand, and the replies to them.
pub(crate) struct Batch {
    steps: Vec<QueuedCommand>,
    /// The statements among them, each once.
    statements: Vec<Statement>,
    pub(crate) best_effort: bool,
    next_step: usize,
    next_statement: usize,
    has_waited: bool,
    gather: Gather,
    replies: Vec<Result<Reply>>,
    /// The session's, if it is known.
    zone: Option<TimeZone>,
}

enum QueuedCommand {
    Query(Vec<u8>),
    Execute(Statement, Bound),
    Prepare(Statement),
    Ping,
    Reset,
    /// `None` once the error was reported.
    Refused(Option<Error>),
}

impl Batch {
    pub(super) fn new(max_result: usize, zone: Option<TimeZone>) -> Self {
        Self {
            zone,
            steps: Vec::new(),
            statements: Vec::new(),
            best_effort: false,
            next_step: 0,
            next_statement: 0,
            has_waited: false,
            gather: Gather::new(max_result, false),
            replies: Vec::new(),
        }
    }

    pub(super) fn query(&mut self, sql: &[u8]) {
        self.steps.push(QueuedCommand::Query(sql.to_vec()));
    }

    pub(super) fn execute(&mut self, statement: &Statement, params: impl Params) {
        let bound = params.values(statement.names()).and_then(|values| {
            let mut memory = Vec::new();
            let values = values.resolve(self.zone.as_ref(), &mut memory)?;
            stmt::check(&values).map(|()| Bound::new(&values))
        });
        self.steps.push(match bound {
            Ok(bound) => QueuedCommand::Execute(statement.clone(), bound),
            Err(error) => QueuedCommand::Refused(Some(error)),
        });
        // More than that many would remove each other from the cache.
        if self.statements.len() < MAX_LEARNED && !self.statements.iter().rev().any(|known| known == statement) {
            self.statements.push(statement.clone());
        }
    }

    pub(super) fn prepare(&mut self, statement: &Statement) {
        self.steps.push(QueuedCommand::Prepare(statement.clone()));
    }

    pub(super) fn ping(&mut self) {
        self.steps.push(QueuedCommand::Ping);
    }

    pub(super) fn reset(&mut self) {
        self.steps.push(QueuedCommand::Reset);
    }

    pub(crate) fn len(&self) -> usize {
        self.steps.len()
    }

    /// One reply for each step.
    pub(crate) fn into_replies(self) -> Vec<Result<Reply>> {
        self.replies
    }
}

impl Flight for &mut Batch {
    fn next(&mut self, next: NextCommand<'_>) -> Result<Decision> {
        let room = next.session().statements().capacity();
        if self.next_statement < self.statements.len().min(room) {
            self.next_statement += 1;
            return next.prepare_ahead(&self.statements[self.next_statement - 1]);
        }
        if !self.statements.is_empty() && !std::mem::replace(&mut self.has_waited, true) {
            return next.wait();
        }
        self.next_step += 1;
        match self.steps.get_mut(self.next_step - 1) {
            None => next.end(),
            Some(QueuedCommand::Query(sql)) => next.query(sql),
            Some(QueuedCommand::Execute(statement, bound)) => next.execute_bound(statement, bound),
            Some(QueuedCommand::Prepare(statement)) => next.prepare(statement),
            Some(QueuedCommand::Ping) => next.ping(),
            Some(QueuedCommand::Reset) => next.reset(),
            Some(QueuedCommand::Refused(error)) => {
                next.refuse(error.take().unwrap_or_else(|| Error::config("the step was refused before")))
            }
        }
    }

    fn reply(&mut self, _step: u64, reply: Result<Answer>) -> Result<()> {
        let reply = self.gather.finish(reply);
        self.replies.push(reply);
        Ok(())
    }

    fn columns(&mut self, _step: u64, columns: &[ColumnDef]) -> Result<()> {
        self.gather.columns(columns)
    }

    fn row(&mut self, _step: u64, row: Row<'_>) -> Result<()> {
        self.gather.row(row)
    }

    fn end(&mut self, _step: u64, outcome: &Outcome) -> Result<()> {
        self.gather.end(outcome)
    }
}

/// Shows counts only: values may be confidential.
impl fmt::Debug for Batch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Batch").field("n_steps", &self.steps.len()).finish_non_exhaustive()
    }
}

/// Steps chosen one by one, and replies handed over as they arrive: memory holds what is in flight.
pub(crate) struct Each<N, E> {
    next: N,
    each: E,
    gather: Gather,
}

impl<N, E> Each<N, E> {
    pub(crate) fn new(next: N, each: E, max_result: usize) -> Self {
        Self { next, each, gather: Gather::new(max_result, true) }
    }
}

impl<N, E> Flight for Each<N, E>
where
    N: FnMut(NextCommand<'_>) -> Result<Decision>,
    E: FnMut(u64, Result<Reply>) -> Result<()>,
{
    fn next(&mut self, next: NextCommand<'_>) -> Result<Decision> {
        (self.next)(next)
    }

    fn reply(&mut self, step: u64, reply: Result<Answer>) -> Result<()> {
        (self.each)(step, self.gather.finish(reply))
    }

    fn columns(&mut self, _step: u64, columns: &[ColumnDef]) -> Result<()> {
        self.gather.columns(columns)
    }

    fn row(&mut self, _step: u64, row: Row<'_>) -> Result<()> {
        self.gather.row(row)
    }

    fn end(&mut self, _step: u64, outcome: &Outcome) -> Result<()> {
        self.gather.end(outcome)
    }
}

/// Statements that are prepared before the first step; others are prepared in their place.
const MAX_LEARNED: usize = 100;
