//! The next command of a flight: exactly one is chosen, or the end of the flight.

use crate::convert::Params;
use crate::error::{Error, Result};
use crate::session::pipeline::Verb;
use crate::session::pipeline::bound::{self, Bound};
use crate::session::pipeline::command::{self, Command};
use crate::session::pipeline::queue::{Expect, Queue};
use crate::session::{Effect, Session, Statement};
use crate::value::Value;
use crate::wire::{self, Outbox, RowFormat, StmtId, stmt};

/// The place for the next command in a flight. Each method appends one command and so uses the place up.
pub struct NextCommand<'a> {
    pub(super) out: &'a mut Outbox,
    pub(super) queue: &'a mut Queue,
    pub(super) session: &'a mut Session,
    pub(super) best_effort: bool,
}

/// The decision about a [`NextCommand`].
#[derive(Debug)]
pub struct Decision(pub(super) Choice);

#[derive(Debug)]
pub(super) enum Choice {
    Command,
    Wait,
    Commit(Vec<u8>),
    Hold(Command),
    Reset,
    End,
}

impl NextCommand<'_> {
    /// What the server has reported so far.
    pub fn session(&self) -> &Session {
        self.session
    }

    /// COM_QUERY. A text that begins with COMMIT is a [`NextCommand::commit`].
    pub fn query(self, sql: &(impl AsRef<[u8]> + ?Sized)) -> Result<Decision> {
        let sql = sql.as_ref();
        self.session.sends(sql);
        match Verb::of(sql) {
            Verb::Commit if !self.best_effort => Ok(Decision(Choice::Commit(sql.to_vec()))),
            verb => {
                let is_one = self.session.takes_one_statement();
                let effect = Effect::at_a_glance(sql, is_one, self.session.dialect());
                self.push_query(sql, verb, effect)
            }
        }
    }

    /// COMMIT, once every reply before it is read. If one of them failed, or the transaction ended meanwhile, ROLLBACK is sent
    /// instead and the step fails, with the first error's code.
    pub fn commit(self) -> Result<Decision> {
        self.query("COMMIT")
    }

    /// COM_STMT_EXECUTE. A statement that the connection has not prepared yet is prepared first, and nothing else is sent until
    /// that is answered: see [`NextCommand::prepare_ahead`]. Values that do not fit the placeholders fail the step and send nothing.
    pub fn execute(self, statement: &Statement, params: impl Params) -> Result<Decision> {
        match params.values(statement.names()) {
            Ok(values) => {
                let mut memory = Vec::new();
                match values.resolve(self.session.zone(), &mut memory) {
                    Ok(values) => self.execute_in_order(statement, &values),
                    Err(error) => self.refuse(error),
                }
            }
            Err(error) => self.refuse(error),
        }
    }

    /// The same with one value for each placeholder, whether it has a name or not.
    pub fn execute_in_order(self, statement: &Statement, values: &[Value<'_>]) -> Result<Decision> {
        if let Err(error) = stmt::check(values) {
            return self.refuse(error);
        }
        let keeps_types = self.session.profile.keeps_param_types;
        let slot = self.session.statements.find(statement.sql().as_bytes());
        let Some(slot) = slot.filter(|slot| !self.session.statements.bends(*slot, values, keeps_types)) else {
            return self.hold(Command::Execute(statement.clone(), Bound::new(values)));
        };
        let Self { out, queue, session, .. } = self;
        let entry = session.statements.get_mut(slot);
        if let Err(error) = bound::check_count(values.len(), entry.prepared.n_params) {
            queue.push_settled(Expect::Refused(error));
            return Ok(Decision(Choice::Command));
        }
        let effect = entry.prepared.effect;
        bound::send_values(values, slot, entry, out, |out, execution, body| {
            queue.push_execution(out, statement, effect, execution, body);
        });
        session.executes(slot);
        Ok(Decision(Choice::Command))
    }

    /// The same with values that are encoded already.
    pub fn execute_bound(self, statement: &Statement, bound: &Bound) -> Result<Decision> {
        match command::send_bound(statement, bound, self.session, self.queue, self.out) {
            true => Ok(Decision(Choice::Command)),
            false => self.hold(Command::Execute(statement.clone(), bound.clone())),
        }
    }

    /// The same for a command of rows, which has the effect of its statement: a text of many rows is not parsed for that.
    pub fn send_rows(self, command: &Command, effect: Effect) -> Result<Decision> {
        match command {
            Command::Query(sql) => match Verb::of(sql) {
                Verb::Other => self.push_query(sql, Verb::Other, effect),
                _ => self.query(sql),
            },
            Command::Execute(..) | Command::Bulk(..) => self.send(command),
        }
    }

    /// Sends a command that a writer of a batch made. Its statement is prepared first if necessary, as for
    /// [`NextCommand::execute`].
    pub fn send(self, command: &Command) -> Result<Decision> {
        if let Command::Query(sql) = command {
            return self.query(sql);
        }
        match command.send(self.session, self.queue, self.out) {
            true => Ok(Decision(Choice::Command)),
            false => self.hold(command.clone()),
        }
    }

    /// COM_STMT_EXECUTE of a statement that the caller keeps, by its number. Types are sent each time.
    pub fn execute_by_id(self, id: StmtId, values: &[Value<'_>]) -> Result<Decision> {
        let mut types = Vec::with_capacity(2 * values.len());
        stmt::types(&mut types, values, &[]);
        let expect = Expect::Results { format: RowFormat::Binary, verb: Verb::Other, execution: None };
        // The text of the statement is not known.
        self.push(expect, Effect::Lasts, |out| stmt::execute(out, id, values, Some(&types), |_| false))
    }

    /// COM_STMT_PREPARE, for the connection's cache; nothing if the statement is in there.
    pub fn prepare(self, statement: &Statement) -> Result<Decision> {
        match self.session.statements.find(statement.sql().as_bytes()) {
            Some(_) => self.queue.push_settled(Expect::Known(statement.clone())),
            None => {
                self.queue.push(self.out, Expect::Prepared(statement.clone()), Effect::Nothing, prepare(statement));
            }
        }
        Ok(Decision(Choice::Command))
    }

    /// The same without being a step: for executions that follow later, after a [`NextCommand::wait`], so that all of them are
    /// prepared in one flight. An error is reported by the execution, which tries again.
    pub fn prepare_ahead(self, statement: &Statement) -> Result<Decision> {
        if self.session.statements.find(statement.sql().as_bytes()).is_none() {
            self.queue.push(self.out, Expect::PreparedAhead(statement.clone()), Effect::Nothing, prepare(statement));
        }
        Ok(Decision(Choice::Command))
    }

    /// COM_PING.
    pub fn ping(self) -> Result<Decision> {
        self.push(Expect::Plain, Effect::Nothing, wire::command::ping)
    }

    /// COM_RESET_CONNECTION: as after login; prepared statements, temporary tables and an open transaction are gone.
    pub fn reset(self) -> Result<Decision> {
        self.queue.push(self.out, Expect::FirstPart, Effect::Reset, wire::command::reset_connection);
        // What is executed after the reset must be prepared again.
        self.session.statements.clear();
        Ok(Decision(Choice::Reset))
    }

    /// COM_STMT_RESET: drops a statement's long data and cursor.
    pub fn reset_statement(self, id: StmtId) -> Result<Decision> {
        self.push(Expect::Plain, Effect::Nothing, |out| stmt::reset(out, id))
    }

    /// COM_STMT_CLOSE of a statement that the caller keeps. The server does not answer.
    pub fn close(self, id: StmtId) -> Result<Decision> {
        self.push(Expect::Nothing, Effect::Nothing, |out| stmt::close(out, id))
    }

    /// A step that fails without being sent.
    pub fn refuse(self, error: Error) -> Result<Decision> {
        self.queue.push_settled(Expect::Refused(error));
        Ok(Decision(Choice::Command))
    }

    /// Sends nothing until every reply to what was sent is read; then `next` is called again.
    pub fn wait(self) -> Result<Decision> {
        Ok(Decision(Choice::Wait))
    }

    /// There is nothing more to send.
    pub fn end(self) -> Result<Decision> {
        Ok(Decision(Choice::End))
    }

    fn hold(self, command: Command) -> Result<Decision> {
        if let Some(statement) = command.statement() {
            self.queue.push(self.out, Expect::PreparedAhead(statement.clone()), Effect::Nothing, prepare(statement));
        }
        Ok(Decision(Choice::Hold(command)))
    }

    fn push_query(self, sql: &[u8], verb: Verb, effect: Effect) -> Result<Decision> {
        let expect = Expect::Results { format: RowFormat::Text, verb, execution: None };
        self.push(expect, effect, |out| wire::command::query(out, sql))
    }

    fn push(self, expect: Expect, effect: Effect, body: impl FnOnce(&mut Vec<u8>)) -> Result<Decision> {
        self.queue.push(self.out, expect, effect, body);
        Ok(Decision(Choice::Command))
    }
}

fn prepare(statement: &Statement) -> impl Fn(&mut Vec<u8>) {
    move |out| stmt::prepare(out, statement.sql().as_bytes())
}
