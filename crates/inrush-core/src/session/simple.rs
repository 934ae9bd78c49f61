//! The commands whose reply is a plain OK ([`ping`], [`reset_connection`], [`reset_statement`]) or nothing ([`quit`],
//! [`close`]). One file, because each is one line.

use crate::error::Result;
use crate::session::{Conversation, Outcome, Session, Step, reply};
use crate::wire::{Outbox, StmtId, command, stmt};

/// COM_PING: checks that the server answers.
pub fn ping() -> Simple {
    Simple(Command::Ping)
}

/// COM_RESET_CONNECTION: as after login. Prepared statements, temporary tables, variables and an open transaction are gone.
pub fn reset_connection() -> Simple {
    Simple(Command::ResetConnection)
}

/// COM_STMT_RESET: drops a statement's long data and cursor.
pub fn reset_statement(id: StmtId) -> Simple {
    Simple(Command::ResetStatement(id))
}

/// COM_QUIT: ends the connection cleanly. The session is dead afterwards.
pub fn quit() -> Unanswered {
    Unanswered { command: UnansweredCommand::Quit, was_sent: false }
}

/// COM_STMT_CLOSE: frees a statement on the server.
pub fn close(id: StmtId) -> Unanswered {
    Unanswered { command: UnansweredCommand::Close(id), was_sent: false }
}

/// A command whose reply is a plain OK.
#[derive(Debug)]
pub struct Simple(Command);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Command {
    Ping,
    ResetConnection,
    ResetStatement(StmtId),
    ExpectOk { forgets_statements: bool },
}

impl Conversation for Simple {
    type Output = Outcome;

    fn send(&mut self, _session: &mut Session, out: &mut Outbox) -> Result<Step<Outcome>> {
        let sent = Command::ExpectOk { forgets_statements: self.0 == Command::ResetConnection };
        match self.0 {
            Command::Ping => out.command(command::ping),
            Command::ResetConnection => out.command(command::reset_connection),
            Command::ResetStatement(id) => out.command(|out| stmt::reset(out, id)),
            Command::ExpectOk { .. } => return Ok(Step::More),
        }
        self.0 = sent;
        Ok(Step::More)
    }

    fn receive(&mut self, packet: &[u8], session: &mut Session, _out: &mut Outbox) -> Result<Step<Outcome>> {
        let outcome = reply::plain(packet, session)?;
        if let Command::ExpectOk { forgets_statements: true } = self.0 {
            session.statements.clear();
            session.owes_autocommit = false;
            session.set_zone(None);
        }
        Ok(Step::Done(outcome))
    }
}

/// A command to which the server does not reply.
#[derive(Debug)]
pub struct Unanswered {
    command: UnansweredCommand,
    was_sent: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum UnansweredCommand {
    Quit,
    Close(StmtId),
}

impl Conversation for Unanswered {
    type Output = ();

    fn send(&mut self, session: &mut Session, out: &mut Outbox) -> Result<Step<()>> {
        if self.was_sent {
            if self.command == UnansweredCommand::Quit {
                session.kill();
            }
            return Ok(Step::Done(()));
        }
        self.was_sent = true;
        match self.command {
            UnansweredCommand::Quit => out.command(command::quit),
            UnansweredCommand::Close(id) => out.command(|out| stmt::close(out, id)),
        }
        Ok(Step::More)
    }

    fn receive(&mut self, packet: &[u8], session: &mut Session, _out: &mut Outbox) -> Result<Step<()>> {
        Err(reply::unexpected(packet, session).fatal())
    }
}
