//! One turn to send: exactly one command, or the word that there is none.

use crate::error::Result;
use crate::session::Session;
use crate::session::pipeline::Verb;
use crate::session::pipeline::queue::{Expect, Queue};
use crate::wire::{Outbox, RowFormat, StmtId, Value, command, stmt};

/// One turn to send. Each method appends one command and so uses the turn up.
pub struct Turn<'a> {
    pub(super) out: &'a mut Outbox,
    pub(super) queue: &'a mut Queue,
    pub(super) session: &'a Session,
    pub(super) best_effort: bool,
}

/// What was done with a [`Turn`].
#[derive(Debug)]
pub struct Chosen(pub(super) Choice);

#[derive(Debug)]
pub(super) enum Choice {
    Command,
    Wait,
    Commit(Vec<u8>),
    End,
}

impl Turn<'_> {
    /// What the server told so far.
    pub fn session(&self) -> &Session {
        self.session
    }

    /// COM_QUERY. A text that begins with COMMIT is a [`Turn::commit`].
    pub fn query(self, sql: &(impl AsRef<[u8]> + ?Sized)) -> Result<Chosen> {
        let sql = sql.as_ref();
        match Verb::of(sql) {
            Verb::Commit if !self.best_effort => Ok(Chosen(Choice::Commit(sql.to_vec()))),
            verb => self.push(Expect::Results { format: RowFormat::Text, verb }, |out| command::query(out, sql)),
        }
    }

    /// COMMIT, once every reply before it is read. If one of them failed, or the transaction has ended under way, ROLLBACK
    /// is sent instead and the step fails, with the first error's code.
    pub fn commit(self) -> Result<Chosen> {
        self.query("COMMIT")
    }

    /// COM_STMT_EXECUTE of a statement that this connection has prepared.
    pub fn execute(self, id: StmtId, params: &[Value<'_>]) -> Result<Chosen> {
        let expect = Expect::Results { format: RowFormat::Binary, verb: Verb::Other };
        let mut types = Vec::with_capacity(2 * params.len());
        stmt::types(&mut types, params, &[]);
        self.push(expect, |out| stmt::execute(out, id, params, Some(&types), |_| false))
    }

    /// COM_STMT_PREPARE.
    pub fn prepare(self, sql: &(impl AsRef<[u8]> + ?Sized)) -> Result<Chosen> {
        self.push(Expect::Prepared, |out| stmt::prepare(out, sql.as_ref()))
    }

    /// COM_PING.
    pub fn ping(self) -> Result<Chosen> {
        self.push(Expect::Plain { verb: Verb::Other }, command::ping)
    }

    /// COM_RESET_CONNECTION: as after login; prepared statements, temporary tables and an open transaction are gone.
    pub fn reset(self) -> Result<Chosen> {
        self.queue.push(self.out, Expect::FirstPart, command::reset_connection);
        let names = Expect::Results { format: RowFormat::Text, verb: Verb::Rollback };
        self.push(names, |out| command::query(out, AFTER_RESET))
    }

    /// COM_STMT_RESET: drops a statement's long data and cursor.
    pub fn reset_statement(self, id: StmtId) -> Result<Chosen> {
        self.push(Expect::Plain { verb: Verb::Other }, |out| stmt::reset(out, id))
    }

    /// COM_STMT_CLOSE: frees a statement on the server, which does not answer.
    pub fn close(self, id: StmtId) -> Result<Chosen> {
        self.push(Expect::Nothing, |out| stmt::close(out, id))
    }

    /// Sends nothing until every reply to what was sent is read; then there is another turn.
    pub fn wait(self) -> Result<Chosen> {
        Ok(Chosen(Choice::Wait))
    }

    /// There is nothing more to send.
    pub fn end(self) -> Result<Chosen> {
        Ok(Chosen(Choice::End))
    }

    fn push(self, expect: Expect, body: impl FnOnce(&mut Vec<u8>)) -> Result<Chosen> {
        self.queue.push(self.out, expect, body);
        Ok(Chosen(Choice::Command))
    }
}

/// A reset gives MySQL the character set of the server's configuration instead of the one of the login (its bug 97633).
const AFTER_RESET: &[u8] = b"SET NAMES utf8mb4";
