//! One attempt at a batch: a flight of commands, and the outcome of their replies.
//!
//! A quick attempt keeps several commands in flight and ends at the first that fails. A strict one sends one at a time. If a
//! command fails because of a row, it searches for that row until the row alone fails: a statement that fails undoes only itself.

use super::report::{BadRow, Counters};
use crate::convert::BoundRows;
use crate::error::{Error, Result};
use crate::session::pipeline::{Decision, Flight, NextCommand, Reply, Window};
use crate::session::{Effect, Outcome, Statement};
use crate::wire::{ColumnDef, Row};
use crate::write::answer::{is_row_fault, row_of};
use crate::write::row_source::RowSource;
use crate::write::search::{Search, Try};
use crate::write::{Command, Next, Writer};
use std::collections::VecDeque;
use std::ops::Range;

/// One attempt at a batch.
pub struct Attempt<'a> {
    rows: RowSource<'a>,
    /// The statement for a single row.
    statement: &'a Statement,
    /// `None`: an execution a row.
    writer: Option<Box<dyn Writer>>,
    /// Rows that are not sent yet. They go in in their order, so of two equal keys the first is stored.
    pending: PendingRows,
    /// The first command, if it was made ahead.
    ready: Option<(Command, usize)>,
    in_flight: VecDeque<Sent>,
    detail: ResultDetail,
    mode: Mode,
    /// Statements that are sent before it.
    preludes: VecDeque<&'static str>,
    /// Statements that are likely to be executed: all of them are prepared in one flight.
    to_prepare: Vec<Statement>,
    is_preparing: bool,
    /// Whether a command is sent only once the one before it was answered.
    one_at_a_time: bool,
    effect: Effect,
    counters: Counters,
}

/// Where the ids and counts of single rows come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultDetail {
    /// From nowhere.
    Nothing,
    /// Each row has a reply of its own.
    EachReply,
    /// The reply to several rows reports the first id; the others follow in steps of this value.
    FirstId(u64),
    /// A result set has the id of each row.
    ReturnedIds,
    /// A result set has id and affected rows of each row.
    UnitResults,
}

/// What the attempt does when a command fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// It ends.
    Quick,
    /// Rows that fail as a command of their own are set aside; all others continue. Only where each row is a command.
    EachAlone,
    /// The bad row is searched for until it fails alone, which ends the attempt.
    StrictStop,
    /// The bad row is searched for until it fails alone, and is set aside.
    StrictSkip,
}

/// What is still to be sent.
enum PendingRows {
    /// The earliest rows on top.
    Stack(Vec<Range<usize>>),
    /// What the search returns, after the rest of the rows that it tries one by one.
    Search { search: Search, one_by_one: Range<usize> },
}

impl PendingRows {
    fn new(rows: Range<usize>, mode: Mode) -> Self {
        match mode {
            Mode::Quick | Mode::EachAlone => Self::Stack(vec![rows]),
            Mode::StrictStop | Mode::StrictSkip => Self::Search { search: Search::new(rows, 0.0), one_by_one: 0..0 },
        }
    }

    /// Returns the rows that come next. The next command takes as many of the first ones as it can hold.
    fn next(&mut self) -> Option<Range<usize>> {
        match self {
            Self::Stack(stack) => stack.pop(),
            Self::Search { search, one_by_one } => {
                if let Some(row) = one_by_one.next() {
                    return Some(row..row + 1);
                }
                match search.next()? {
                    Try::Together(rows) => Some(rows),
                    Try::OneByOne(rows) => {
                        *one_by_one = rows;
                        self.next()
                    }
                }
            }
        }
    }

    /// These rows were left out of a command.
    fn left(&mut self, rows: Range<usize>) {
        match self {
            Self::Stack(stack) if !rows.is_empty() => stack.push(rows),
            Self::Stack(_) => {}
            Self::Search { search, .. } => search.left(rows),
        }
    }

    /// So many rows of one command were stored.
    fn stored(&mut self, n_rows: usize) {
        if let Self::Search { search, .. } = self {
            search.stored(n_rows);
        }
    }

    /// A row by itself was refused.
    fn set_aside(&mut self) {
        if let Self::Search { search, .. } = self {
            search.told_apart(1, 1);
        }
    }

    /// Rows of one command were refused; `named`: the one that the server names, counted from 1.
    fn refused(&mut self, rows: Range<usize>, named: Option<u64>) {
        if let Self::Search { search, .. } = self {
            search.refused(rows, named);
        }
    }
}

struct Sent {
    rows: Range<usize>,
    /// Ids of its rows, and how many each affected. A server reports some before it finds a row that fails, so they count only
    /// when the command is over.
    returned: Vec<(u64, u64)>,
    /// A statement that is sent before the batch and does not belong to it.
    is_prelude: bool,
}

impl<'a> Attempt<'a> {
    /// An attempt that has not begun. Without a writer each row is an execution of `statement`.
    pub fn new(
        rows: &'a dyn BoundRows,
        statement: &'a Statement,
        writer: Option<Box<dyn Writer>>,
        detail: ResultDetail,
        mode: Mode,
    ) -> Self {
        let pending = PendingRows::new(0..rows.n_rows(), mode);
        Self {
            rows: RowSource::Bound(rows),
            statement,
            writer,
            pending,
            ready: None,
            in_flight: VecDeque::new(),
            detail,
            mode,
            preludes: VecDeque::new(),
            to_prepare: Vec::new(),
            is_preparing: false,
            one_at_a_time: matches!(mode, Mode::StrictStop | Mode::StrictSkip),
            effect: Effect::of_prepared(statement.sql().as_bytes()),
            counters: Counters::default(),
        }
    }

    /// Sends these statements first, in the same flight.
    #[must_use]
    pub fn behind(mut self, preludes: impl IntoIterator<Item = &'static str>) -> Self {
        self.preludes.extend(preludes);
        self
    }

    /// Whether it is a single command. Makes the first one for it.
    pub fn is_one(&mut self) -> Result<bool> {
        let n_rows = self.rows.n_rows();
        let Some(writer) = &mut self.writer else { return Ok(n_rows <= 1) };
        if let Next::Command { command, n_rows } = writer.next(self.rows, 0..n_rows, Vec::new())? {
            self.ready = Some((command, n_rows));
        }
        self.to_prepare = writer.statements(n_rows);
        // A single one is prepared where it is met.
        self.to_prepare.truncate(if self.to_prepare.len() > 1 { MAX_PREPARED } else { 0 });
        Ok(self.ready.as_ref().is_some_and(|(_, n)| *n == n_rows))
    }

    /// Sends a command only after the one before it was answered: for cases where a command that follows a deadlock would be
    /// committed by itself.
    #[must_use]
    pub fn one_at_a_time(mut self, yes: bool) -> Self {
        self.one_at_a_time |= yes;
        self
    }

    /// Whether it sends one command at a time, so that a pipeline gains little.
    pub fn is_one_at_a_time(&self) -> bool {
        self.one_at_a_time
    }

    /// How much of it may be in flight, where a pipeline may have `window`.
    pub fn window(&self, window: Window) -> Window {
        match (&self.writer, self.one_at_a_time) {
            (None, _) => window,
            (Some(_), true) => Window { n_bytes: usize::MAX, ..window },
            // One on the server, one in its buffer, one on its way there. More would only take memory.
            (Some(_), false) => Window { n_bytes: usize::MAX, n_commands: window.n_commands.min(COMMANDS) },
        }
    }

    /// Returns the sums over the replies.
    pub fn into_counters(self) -> Counters {
        self.counters
    }

    fn send(&mut self, next: NextCommand<'_>) -> Result<Decision> {
        let Some(range) = self.pending.next() else { return next.end() };
        let made = match (self.ready.take(), &mut self.writer) {
            (Some(ready), _) => Some(ready),
            (None, Some(writer)) => match writer.next(self.rows, range.clone(), Vec::new())? {
                Next::Command { command, n_rows } => Some((command, n_rows)),
                Next::TooLong { .. } => None,
            },
            (None, None) => None,
        };
        if let Some((command, n_rows)) = made {
            let end = range.start + n_rows;
            self.sent(range.start..end, range.end);
            return next.send_rows(&command, self.effect);
        }
        // A single row: values that no packet holds are sent ahead as long data.
        let mut values = Vec::with_capacity(16);
        self.rows.as_bound().row(range.start, &mut values)?;
        self.sent(range.start..range.start + 1, range.end);
        next.execute_in_order(self.statement, &values)
    }

    fn sent(&mut self, rows: Range<usize>, end: usize) {
        self.pending.left(rows.end..end);
        self.in_flight.push_back(Sent { rows, returned: Vec::new(), is_prelude: false });
    }

    fn stored(&mut self, sent: &Sent, outcome: &Outcome) -> Result<()> {
        let n_rows = sent.rows.len();
        match self.detail {
            ResultDetail::Nothing => {}
            ResultDetail::FirstId(step) => self.counters.ids.push(outcome.last_insert_id.unwrap_or(0), step, n_rows),
            // A row may have any number of results: those of a procedure. The last result counts for the row.
            ResultDetail::EachReply => {
                self.counters.ids.push(outcome.last_insert_id.unwrap_or(0), 1, 1);
                self.counters.affected_each.push(outcome.affected);
            }
            // An execution of its own: of a row that no bulk packet can hold, or that is tried alone.
            ResultDetail::UnitResults if n_rows == 1 && sent.returned.is_empty() => {
                self.counters.ids.push(outcome.last_insert_id.unwrap_or(0), 1, 1);
                self.counters.affected_each.push(outcome.affected);
            }
            ResultDetail::ReturnedIds | ResultDetail::UnitResults if sent.returned.len() != n_rows => {
                let message = format!("the server returned {} rows for {n_rows} inserted", sent.returned.len());
                return Err(Error::protocol(message));
            }
            ResultDetail::ReturnedIds => sent.returned.iter().for_each(|(id, _)| self.counters.ids.push(*id, 1, 1)),
            ResultDetail::UnitResults => {
                for (id, affected) in &sent.returned {
                    self.counters.ids.push(*id, 1, 1);
                    self.counters.affected += affected;
                    self.counters.affected_each.push(*affected);
                }
            }
        }
        self.pending.stored(n_rows);
        self.counters.n_rows += n_rows as u64;
        Ok(())
    }

    /// The error of a command, with its row if that is known.
    fn failed(&mut self, sent: Sent, error: Error) -> Result<()> {
        let rows = sent.rows;
        let (stands_alone, fault) = (rows.len() == 1, is_row_fault(&error));
        match self.mode {
            Mode::StrictStop | Mode::StrictSkip if fault && rows.len() > 1 => {
                self.pending.refused(rows, row_of(&error));
                Ok(())
            }
            Mode::EachAlone | Mode::StrictSkip if fault && stands_alone => {
                self.pending.set_aside();
                self.set_aside(rows.start, error);
                Ok(())
            }
            _ if stands_alone => Err(error.at_row(rows.start as u64)),
            _ => Err(error),
        }
    }

    fn set_aside(&mut self, row: usize, error: Error) {
        match self.detail {
            ResultDetail::Nothing => {}
            ResultDetail::EachReply | ResultDetail::UnitResults => {
                self.counters.ids.push(0, 0, 1);
                self.counters.affected_each.push(0);
            }
            ResultDetail::FirstId(_) | ResultDetail::ReturnedIds => self.counters.ids.push(0, 0, 1),
        }
        self.counters.bad_rows.push(BadRow { row: row as u64, error });
    }
}

impl Flight for &mut Attempt<'_> {
    fn next(&mut self, next: NextCommand<'_>) -> Result<Decision> {
        if let Some(sql) = self.preludes.pop_front() {
            self.in_flight.push_back(Sent { rows: 0..0, returned: Vec::new(), is_prelude: true });
            return next.query(sql);
        }
        if let Some(statement) = self.to_prepare.pop() {
            self.is_preparing = true;
            return next.prepare_ahead(&statement);
        }
        if std::mem::take(&mut self.is_preparing) {
            return next.wait();
        }
        if self.one_at_a_time && self.in_flight.iter().any(|sent| !sent.is_prelude) {
            return next.wait();
        }
        self.send(next)
    }

    fn reply(&mut self, _step: u64, reply: Result<Reply>) -> Result<()> {
        let Some(sent) = self.in_flight.pop_front() else {
            return Err(Error::protocol("a reply that belongs to no command of the batch"));
        };
        match reply {
            Ok(_) if sent.is_prelude => Ok(()),
            Err(error) if sent.is_prelude => Err(error),
            Ok(Reply::Done(outcome)) => self.stored(&sent, &outcome),
            Ok(_) => Ok(()),
            Err(error) => self.failed(sent, error),
        }
    }

    fn columns(&mut self, _step: u64, _columns: &[ColumnDef]) -> Result<()> {
        Ok(())
    }

    fn row(&mut self, _step: u64, row: Row<'_>) -> Result<()> {
        let Some(sent) = self.in_flight.front_mut() else { return Ok(()) };
        match self.detail {
            ResultDetail::ReturnedIds => sent.returned.push((number(row, 0)?, 1)),
            ResultDetail::UnitResults => sent.returned.push((number(row, 0)?, number(row, 1)?)),
            ResultDetail::Nothing | ResultDetail::EachReply | ResultDetail::FirstId(_) => {}
        }
        Ok(())
    }

    fn end(&mut self, _step: u64, outcome: &Outcome) -> Result<()> {
        if self.in_flight.front().is_some_and(|sent| !sent.is_prelude) {
            self.counters.add(outcome);
        }
        Ok(())
    }
}

/// The number in this column of a row; 0 for NULL.
fn number(row: Row<'_>, column: usize) -> Result<u64> {
    let value = row.values().nth(column).transpose()?.ok_or_else(|| Error::protocol("a row without ids"))?;
    Ok(value.as_u64().unwrap_or(0))
}

/// More than a template has sizes.
const MAX_PREPARED: usize = 16;

/// See [`Attempt::window`].
const COMMANDS: usize = 4;
