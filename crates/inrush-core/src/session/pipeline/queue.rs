//! The commands in flight: the replies that are expected, their form, and how much of the window they take.

use crate::error::Error;
use crate::session::cache::Execution;
use crate::session::lost_answer::any_may_be_stored;
use crate::session::pipeline::Verb;
use crate::session::{Effect, Session, Statement};
use crate::wire::{Outbox, RowFormat, stmt};
use std::collections::VecDeque;

/// The limits for what is in flight, whichever is reached first. One command is always allowed, of any size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Bytes of commands that are not answered yet.
    pub n_bytes: usize,
    /// Commands that are not answered yet.
    pub n_commands: usize,
}

/// The commands in flight, the oldest first.
#[derive(Debug, Default)]
pub(super) struct Queue {
    commands: VecDeque<InFlight>,
    n_bytes: usize,
    /// How many of them a server answers.
    n_answered: usize,
    pub(super) window: Window,
}

/// One command whose reply is to come.
#[derive(Debug)]
pub(super) struct InFlight {
    pub(super) expect: Expect,
    /// The number of its reply's first packet.
    number: u8,
    n_bytes: usize,
    /// Where in the outbox it begins.
    at: u64,
    effect: Effect,
}

/// The expected reply to a command.
#[derive(Debug)]
pub(super) enum Expect {
    /// Results, of a statement with this effect on transactions.
    Results { format: RowFormat, verb: Verb, execution: Option<Execution> },
    /// A plain OK: the reset of a statement whose values went ahead. Not a step.
    Unspoilt(Execution),
    /// The server's answer to a PREPARE, for the cache. Not a step.
    PreparedAhead(Statement),
    /// The same as a step.
    Prepared(Statement),
    /// A plain OK.
    Plain,
    /// The answer to the ROLLBACK that was sent in place of a COMMIT.
    Rollback,
    /// A plain OK; the step is over with the answer to the next command.
    FirstPart,
    /// Nothing: servers do not answer it.
    Nothing,
    /// Nothing: the connection has prepared it already.
    Known(Statement),
    /// Nothing: the step was not sent at all.
    Refused(Error),
}

impl Queue {
    /// Appends a command whose bytes `body` appends.
    pub(super) fn push(&mut self, out: &mut Outbox, expect: Expect, effect: Effect, body: impl FnOnce(&mut Vec<u8>)) {
        let at = out.position();
        let n_before = out.unsent().len();
        let number = out.pipelined(body);
        let n_bytes = out.unsent().len() - n_before;
        if self.commands.is_empty() {
            out.expect_reply(number);
        }
        self.n_bytes += n_bytes;
        self.n_answered += usize::from(!expect.is_settled());
        self.commands.push_back(InFlight { expect, number, n_bytes, at, effect });
    }

    /// Appends a step that sends nothing: it is over once those before it are.
    pub(super) fn push_settled(&mut self, expect: Expect) {
        self.commands.push_back(InFlight { expect, number: 0, n_bytes: 0, at: 0, effect: Effect::Nothing });
    }

    /// Appends an execution. Where values went ahead of it, a reset of the statement follows, so that an error of theirs affects
    /// no later execution; where only one command may be in flight, it is prepared again after an error instead.
    pub(super) fn push_execution(
        &mut self,
        out: &mut Outbox,
        statement: &Statement,
        effect: Effect,
        execution: Execution,
        body: &dyn Fn(&mut Vec<u8>),
    ) {
        self.push(out, Expect::execution(statement, Some(execution)), effect, body);
        if execution.has_long && self.resets() {
            self.push(out, Expect::Unspoilt(execution), Effect::Nothing, |out| stmt::reset(out, execution.id()));
        }
    }

    /// Whether executions with values that go ahead are followed by a reset.
    pub(super) fn resets(&self) -> bool {
        self.window.n_commands > 1
    }

    /// Whether anything that was sent and not answered may be stored.
    pub(super) fn may_be_stored(&self, session: &Session, out: &Outbox) -> bool {
        // If a reply ended the exchange, it answered the oldest one.
        let unanswered = self.commands.iter().skip(session.was_refused.into());
        let sent = unanswered.filter(|command| !command.expect.is_settled() && out.has_sent(command.at));
        any_may_be_stored(sent.map(|command| command.effect), session)
    }

    /// Removes the oldest one, and sets the expected reply number in the outbox for the next one.
    pub(super) fn pop(&mut self, out: &mut Outbox) -> Option<InFlight> {
        let command = self.commands.pop_front()?;
        self.n_bytes -= command.n_bytes;
        self.n_answered -= usize::from(!command.expect.is_settled());
        if let Some(next) = self.commands.front() {
            out.expect_reply(next.number);
        }
        Some(command)
    }

    pub(super) fn front(&self) -> Option<&InFlight> {
        self.commands.front()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.commands.is_empty()
    }

    /// How many bytes must arrive before the last reply: at least so many for each reply, without the oldest one, which may have
    /// been read in part.
    pub(super) fn least_to_come(&self) -> usize {
        self.n_answered.saturating_sub(1) * LEAST_REPLY
    }

    /// Whether it is worth refilling: then what is sent at once fills half of the window.
    pub(super) fn is_half_empty(&self) -> bool {
        self.n_bytes <= self.window.n_bytes / 2 && self.commands.len() <= self.window.n_commands / 2
    }

    /// Commands that servers do not answer do not count in the window; they must not fill the memory either.
    pub(super) fn has_room(&self, out: &Outbox) -> bool {
        let fits = self.n_bytes < self.window.n_bytes && self.commands.len() < self.window.n_commands;
        (fits || self.commands.is_empty()) && out.unsent().len() < self.window.n_bytes.max(1)
    }
}

impl Expect {
    /// Results in text form, of a statement that may be a COMMIT.
    pub(super) fn query(sql: &[u8]) -> Self {
        Self::Results { format: RowFormat::Text, verb: Verb::of(sql), execution: None }
    }

    /// Results in binary form, of a statement whose text may be a COMMIT as well.
    pub(super) fn execution(statement: &Statement, execution: Option<Execution>) -> Self {
        Self::Results { format: RowFormat::Binary, verb: Verb::of(statement.sql().as_bytes()), execution }
    }

    /// The effect of the command on transactions.
    pub(super) fn verb(&self) -> Verb {
        match self {
            Self::Results { verb, .. } => *verb,
            Self::Rollback => Verb::Rollback,
            _ => Verb::Other,
        }
    }

    /// Whether no packet is expected for it.
    pub(super) fn is_settled(&self) -> bool {
        matches!(self, Self::Nothing | Self::Known(_) | Self::Refused(_))
    }
}

/// An ERR packet without a message; an OK has 11 bytes.
const LEAST_REPLY: usize = 7;

/// The measurements for these numbers are in `docs/notes/pipeline.md`.
impl Default for Window {
    fn default() -> Self {
        Self { n_bytes: 128 * 1024, n_commands: 4096 }
    }
}
