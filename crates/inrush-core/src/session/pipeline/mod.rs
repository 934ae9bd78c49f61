//! Many commands whose replies are read while later ones are still being sent.
//!
//! ```text
//! client  command 0, command 1, command 2 ..     as many as the window holds
//! server  reply 0, reply 1 ..                    each numbered from its own command
//! client  .. command n                           once at most half of the window is in flight
//! ```
//!
//! A server works a pipeline off one command after the other, whatever the outcome of the earlier ones: an error is that of its
//! step, and later steps are answered all the same. That is why a COMMIT waits for every reply before it and becomes a ROLLBACK
//! where one of them failed (see `guard`), unless the caller chose best effort.
//!
//! Invariants: a reply is read by what its command expects, in order. A packet that belongs to no command, a request for a local
//! file, and an error that closes the connection end the pipeline, at any step. Memory follows the window, not the number of
//! commands.

mod bound;
mod command;
mod guard;
mod next_command;
mod queue;
mod verb;

use crate::error::{Error, Kind, Result};
use crate::session::prepare::Prepare;
use crate::session::prepared::Prepared;
use crate::session::results::{Results, Sink};
use crate::session::{Conversation, Effect, Outcome, Session, Statement, Step, reply};
use crate::wire::{self, Capabilities, ColumnDef, Outbox, Row, RowFormat, stmt};
pub use bound::Bound;
pub use command::Command;
use guard::Guard;
use next_command::Choice;
pub use next_command::{Decision, NextCommand};
pub use queue::Window;
use queue::{Expect, Queue};
pub use verb::Verb;

/// Chooses what is sent, and handles the replies.
///
/// Steps are the commands in their order, counted from 0. An error from [`Flight::next`] or [`Flight::reply`] ends the
/// pipeline early: nothing more is sent, what is in flight is read and dropped, and the connection stays usable.
pub trait Flight {
    /// Chooses the next command, or reports that there is none. Called repeatedly while there is room in the window.
    fn next(&mut self, next: NextCommand<'_>) -> Result<Decision>;

    /// Receives the outcome of a step: the last result of its reply, or the server's refusal.
    fn reply(&mut self, step: u64, reply: Result<Reply>) -> Result<()>;

    /// A result set of a step begins. As in a [`Sink`], an error from here ends the connection.
    fn columns(&mut self, _step: u64, _columns: &[ColumnDef]) -> Result<()> {
        Ok(())
    }

    /// One row of a step, borrowed until the call returns.
    fn row(&mut self, _step: u64, _row: Row<'_>) -> Result<()> {
        Ok(())
    }

    /// A result of a step ends, be it a result set or a plain OK.
    fn end(&mut self, _step: u64, _outcome: &Outcome) -> Result<()> {
        Ok(())
    }
}

/// The outcome of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// A statement ran, or a plain command succeeded: its last result.
    Done(Outcome),
    /// The connection has prepared the statement.
    Prepared(Statement),
    /// The command is one that servers do not answer; it was appended after those before it.
    Unanswered,
}

/// Many commands in one flight. Its output is the error of the [`Flight`] that ended it early.
pub struct Pipeline<F: Flight> {
    flight: F,
    queue: Queue,
    guard: Guard,
    state: State,
    /// How the reply to the oldest command in flight is being read.
    reading: Option<Reading>,
    /// The step that is answered next.
    step: u64,
    /// The error of the first part of a step in two parts.
    failed_part: Option<Error>,
    best_effort: bool,
}

/// What is sent next.
enum State {
    Fresh,
    /// The command that the flight chooses.
    Choosing,
    /// Nothing, until every reply is read.
    Waiting,
    /// The same, then this COMMIT or, after a failure, a ROLLBACK.
    Committing(Vec<u8>),
    /// The same, then this command, whose statement is being prepared; or nothing, if that failed.
    Holding(Command, Option<Error>),
    /// The second part of a reset.
    HalfReset,
    /// Nothing any more.
    Ended(Result<()>),
}

enum Reading {
    Results(Results),
    Prepare(Prepare<'static>),
    Plain,
}

/// The outcome that the server reported.
enum Answer {
    Done(Outcome),
    Prepared(Prepared),
}

impl<F: Flight> Pipeline<F> {
    /// A pipeline of the commands that `flight` chooses.
    pub fn new(flight: F) -> Self {
        Self {
            flight,
            queue: Queue::default(),
            guard: Guard::default(),
            state: State::Fresh,
            reading: None,
            step: 0,
            failed_part: None,
            best_effort: false,
        }
    }

    /// Sets the limit of what is in flight.
    #[must_use]
    pub fn with_window(mut self, window: Window) -> Self {
        self.queue.window = window;
        self
    }

    /// Sends a COMMIT like any other command: without waiting for the replies before it, even if they are errors.
    #[must_use]
    pub fn best_effort(mut self, best_effort: bool) -> Self {
        self.best_effort = best_effort;
        self
    }

    /// Returns the flight.
    pub fn into_flight(self) -> F {
        self.flight
    }

    /// Sends as much as there is room for.
    fn fill_up(&mut self, session: &mut Session, out: &mut Outbox) -> Step<Result<()>> {
        if let State::Fresh = self.state {
            self.guard.begin(session.in_transaction());
            self.state = State::Choosing;
        }
        // A full window must not turn into one tiny write for each reply.
        if !self.queue.is_half_empty() {
            return Step::More;
        }
        while self.queue.has_room(out) {
            let is_clear = self.queue.is_empty();
            match std::mem::replace(&mut self.state, State::Choosing) {
                State::Fresh | State::Choosing => self.choose(session, out),
                State::Waiting if is_clear => self.choose_after_wait(session, out),
                State::Committing(sql) if is_clear => self.commit(&sql, out),
                State::Holding(_, Some(error)) if is_clear => self.finish_step(Verb::Other, Err(error), session),
                State::Holding(command, None) if is_clear => self.release(&command, session, out),
                State::HalfReset if is_clear || self.queue.window.n_commands > 1 => {
                    let names = Expect::Results { format: RowFormat::Text, verb: Verb::Rollback, execution: None };
                    self.queue.push(out, names, Effect::Nothing, |out| wire::command::query(out, AFTER_RESET));
                }
                State::Ended(end) if is_clear && out.is_empty() => return Step::Done(end),
                waiting => {
                    self.state = waiting;
                    break;
                }
            }
        }
        Step::More
    }

    fn choose(&mut self, session: &mut Session, out: &mut Outbox) {
        let next = NextCommand { out, queue: &mut self.queue, session, best_effort: self.best_effort };
        self.state = match self.flight.next(next) {
            Ok(Decision(Choice::Command)) => State::Choosing,
            Ok(Decision(Choice::Wait)) => State::Waiting,
            Ok(Decision(Choice::Commit(sql))) => State::Committing(sql),
            Ok(Decision(Choice::Hold(command))) => State::Holding(command, None),
            Ok(Decision(Choice::Reset)) => State::HalfReset,
            Ok(Decision(Choice::End)) => State::Ended(Ok(())),
            Err(error) => State::Ended(Err(error)),
        };
        self.settle(session, out);
    }

    /// Everything that the flight can wait for has arrived: it must choose something now.
    fn choose_after_wait(&mut self, session: &mut Session, out: &mut Outbox) {
        self.choose(session, out);
        if matches!(self.state, State::Waiting) && self.queue.is_empty() {
            self.state = State::Ended(Err(Error::config("a pipeline waits for replies, and none is to come")));
        }
    }

    fn commit(&mut self, sql: &[u8], out: &mut Outbox) {
        let commit = Expect::Results { format: RowFormat::Text, verb: Verb::Commit, execution: None };
        match self.guard.objection() {
            None => self.queue.push(out, commit, Effect::Lasts, |out| wire::command::query(out, sql)),
            Some(_) => {
                self.queue.push(out, Expect::Rollback, Effect::Rollback, |out| {
                    wire::command::query(out, b"ROLLBACK");
                });
            }
        }
    }

    fn release(&mut self, command: &Command, session: &mut Session, out: &mut Outbox) {
        if !command.send(session, &mut self.queue, out) {
            self.queue.push_settled(Expect::Refused(Error::protocol("a statement was lost")));
        }
        self.settle(session, out);
    }

    /// Handles the end of the reply to the oldest command in flight.
    fn answered(&mut self, answer: Result<Answer>, session: &mut Session, out: &mut Outbox) {
        self.reading = None;
        let Some(command) = self.queue.pop(out) else { return };
        session.was_refused = false;
        if let Expect::Results { execution: Some(execution), .. } = command.expect {
            match answer {
                Ok(_) => session.statements.took(execution),
                Err(_) => session.statements.failed(execution, self.queue.resets()),
            }
        }
        match (command.expect, answer) {
            (Expect::Unspoilt(execution), answer) => {
                if answer.is_err() {
                    session.statements.failed(execution, false);
                }
            }
            (Expect::FirstPart, answer) => self.failed_part = answer.err(),
            (Expect::PreparedAhead(statement), Ok(Answer::Prepared(prepared))) => {
                keep(&statement, prepared, session, out);
            }
            (Expect::PreparedAhead(_), answer) => {
                // Nothing was sent after the PREPARE for an execution that is held back.
                if let (State::Holding(_, failed), true) = (&mut self.state, self.queue.is_empty()) {
                    *failed = answer.err();
                }
            }
            (Expect::Prepared(statement), Ok(Answer::Prepared(prepared))) => {
                let slot = keep(&statement, prepared, session, out);
                session.statements.get_mut(slot).rests();
                self.finish_step(Verb::Other, Ok(Reply::Prepared(statement)), session);
            }
            (expect, answer) => {
                let answer = self.failed_part.take().map_or(answer, Err);
                let reply = match (&expect, answer, self.guard.objection()) {
                    (Expect::Rollback, Ok(_), Some(objection)) => Err(objection),
                    (_, Ok(Answer::Done(outcome)), _) => Ok(Reply::Done(outcome)),
                    (_, Ok(Answer::Prepared(_)), _) => Ok(Reply::Unanswered),
                    (_, Err(error), _) => Err(error),
                };
                self.finish_step(expect.verb(), reply, session);
            }
        }
        self.settle(session, out);
    }

    /// Steps for which no packet comes are over as soon as those before them are.
    fn settle(&mut self, session: &Session, out: &mut Outbox) {
        while self.queue.front().is_some_and(|command| command.expect.is_settled()) {
            let Some(command) = self.queue.pop(out) else { return };
            let reply = match command.expect {
                Expect::Known(statement) => Ok(Reply::Prepared(statement)),
                Expect::Refused(error) => Err(error),
                _ => Ok(Reply::Unanswered),
            };
            self.finish_step(Verb::Other, reply, session);
        }
    }

    fn finish_step(&mut self, verb: Verb, reply: Result<Reply>, session: &Session) {
        self.guard.note(self.step, verb, reply.as_ref().err(), session.in_transaction());
        self.report(reply);
    }

    fn report(&mut self, answer: Result<Reply>) {
        let step = self.step;
        self.step += 1;
        if let State::Ended(Err(_)) = self.state {
            return;
        }
        if let Err(error) = self.flight.reply(step, answer) {
            self.state = State::Ended(Err(error));
        }
    }
}

impl<F: Flight> Conversation for Pipeline<F> {
    type Output = Result<()>;

    fn send(&mut self, session: &mut Session, out: &mut Outbox) -> Result<Step<Self::Output>> {
        let step = self.fill_up(session, out);
        // A server that may ask for a local file sends little and then waits for us.
        let can_wait = !session.capabilities().contains(Capabilities::CLIENT_LOCAL_FILES);
        session.least_to_come = if can_wait { self.queue.least_to_come() } else { 0 };
        Ok(step)
    }

    fn receive(&mut self, packet: &[u8], session: &mut Session, out: &mut Outbox) -> Result<Step<Self::Output>> {
        let Some(command) = self.queue.front() else {
            return Err(reply::unexpected(packet, session).fatal());
        };
        let reading = self.reading.get_or_insert_with(|| match &command.expect {
            Expect::Results { format, .. } => Reading::Results(Results::new(*format)),
            Expect::PreparedAhead(_) | Expect::Prepared(_) => Reading::Prepare(Prepare::new(b"")),
            _ => Reading::Plain,
        });
        let answer = match reading {
            Reading::Results(results) => {
                let is_dropped = matches!(self.state, State::Ended(Err(_)));
                let sink = &mut StepSink { step: self.step, flight: &mut self.flight, is_dropped };
                results.receive(packet, session, sink).map(|step| step.map(Answer::Done))
            }
            Reading::Prepare(prepare) => prepare.receive(packet, session, out).map(|step| step.map(Answer::Prepared)),
            Reading::Plain => reply::plain(packet, session).map(|outcome| Step::Done(Answer::Done(outcome))),
        };
        match answer {
            Ok(Step::Done(reply)) => self.answered(Ok(reply), session, out),
            Ok(_) => {}
            Err(error) if error.kind() == Kind::Server && !error.is_fatal() => {
                self.answered(Err(error), session, out);
            }
            Err(error) => return Err(error.while_doing(&format!("step {} of a pipeline", self.step)).fatal()),
        }
        Ok(Step::More)
    }

    fn may_be_stored(&self, session: &Session, out: &Outbox) -> bool {
        self.queue.may_be_stored(session, out)
    }
}

/// Keeps a statement for later executions, in place of its older version or of the least recently used one. Returns its slot.
fn keep(statement: &Statement, prepared: Prepared, session: &mut Session, out: &mut Outbox) -> usize {
    let (slot, gone) = session.statements.insert(statement.sql().as_bytes(), prepared);
    if let Some(gone) = gone {
        out.pipelined(|out| stmt::close(out, gone));
    }
    slot
}

/// Passes the results of one step on.
struct StepSink<'a, F: Flight> {
    step: u64,
    flight: &'a mut F,
    is_dropped: bool,
}

impl<F: Flight> Sink for StepSink<'_, F> {
    fn columns(&mut self, columns: &[ColumnDef]) -> Result<()> {
        if self.is_dropped { Ok(()) } else { self.flight.columns(self.step, columns) }
    }

    fn row(&mut self, row: Row<'_>) -> Result<()> {
        if self.is_dropped { Ok(()) } else { self.flight.row(self.step, row) }
    }

    fn end(&mut self, outcome: &Outcome) -> Result<()> {
        if self.is_dropped { Ok(()) } else { self.flight.end(self.step, outcome) }
    }
}

/// A reset gives MySQL the character set of the server's configuration instead of the one of the login (its bug 97633).
const AFTER_RESET: &[u8] = b"SET NAMES utf8mb4";
