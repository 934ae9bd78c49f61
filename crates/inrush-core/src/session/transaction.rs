//! Transactions: [`Begin`], [`Commit`], savepoints ([`savepoint`], [`release`]), and [`Debt`], what must be sent before a
//! connection's next use.
//!
//! ```text
//! SET TRANSACTION ISOLATION LEVEL ..   only if one is asked for; holds for the next transaction only
//! START TRANSACTION ..
//! COMMIT | ROLLBACK
//! SAVEPOINT inrush_2 | RELEASE SAVEPOINT inrush_2 | ROLLBACK TO SAVEPOINT inrush_2
//! ```
//!
//! Each is answered by a plain OK or an ERR. Their effect on the connection is kept in its [guards](super::guards).

use crate::error::{Error, Result};
use crate::session::options::TransactionOptions;
use crate::session::{Conversation, Session, Step, reply};
use crate::wire::{Outbox, command};

/// Begins a transaction. [`Session::check_begin`] must have allowed it.
#[derive(Debug)]
pub struct Begin {
    isolation: Option<String>,
    start: String,
    in_one_flight: bool,
    state: State,
}

#[derive(Debug)]
enum State {
    Unsent,
    /// `start`: the START was sent as well, and its reply has this number.
    ExpectIsolation {
        start: Option<u8>,
    },
    /// `isolated`: a level is set for the next transaction, whichever that is. `refused`: it was not.
    ExpectStart {
        isolated: bool,
        refused: Option<Error>,
    },
}

impl Begin {
    /// A transaction of this kind.
    pub fn new<E>(options: &TransactionOptions<E>) -> Self {
        Self {
            isolation: options.isolation_sql(),
            start: options.start_sql(),
            in_one_flight: false,
            state: State::Unsent,
        }
    }

    /// Saves a round trip where the server takes several commands in one flight.
    #[must_use]
    pub fn in_one_flight(mut self, can: bool) -> Self {
        self.in_one_flight = can;
        self
    }
}

impl Conversation for Begin {
    type Output = ();

    fn send(&mut self, _session: &mut Session, out: &mut Outbox) -> Result<Step<()>> {
        if let State::Unsent = self.state {
            self.state = match &self.isolation {
                None => {
                    out.command(|out| command::query(out, self.start.as_bytes()));
                    State::ExpectStart { isolated: false, refused: None }
                }
                Some(sql) if self.in_one_flight => {
                    let first = out.pipelined(|out| command::query(out, sql.as_bytes()));
                    let start = out.pipelined(|out| command::query(out, self.start.as_bytes()));
                    out.expect_reply(first);
                    State::ExpectIsolation { start: Some(start) }
                }
                Some(sql) => {
                    out.command(|out| command::query(out, sql.as_bytes()));
                    State::ExpectIsolation { start: None }
                }
            };
        }
        Ok(Step::More)
    }

    fn receive(&mut self, packet: &[u8], session: &mut Session, out: &mut Outbox) -> Result<Step<()>> {
        let reply = reply::plain(packet, session);
        match (std::mem::replace(&mut self.state, State::Unsent), reply) {
            (State::Unsent, _) => Err(reply::unexpected(packet, session).fatal()),
            (_, Err(e)) if e.is_fatal() => Err(e),
            (State::ExpectIsolation { start: Some(number) }, reply) => {
                out.expect_reply(number);
                self.state = State::ExpectStart { isolated: reply.is_ok(), refused: reply.err() };
                Ok(Step::More)
            }
            (State::ExpectIsolation { start: None }, Err(e)) => Err(e),
            (State::ExpectIsolation { start: None }, Ok(_)) => {
                out.command(|out| command::query(out, self.start.as_bytes()));
                self.state = State::ExpectStart { isolated: true, refused: None };
                Ok(Step::More)
            }
            (State::ExpectStart { refused: None, .. }, Ok(outcome)) => {
                session.guards.began(outcome.in_transaction());
                Ok(Step::Done(()))
            }
            // A transaction has begun, but of another kind.
            (State::ExpectStart { refused: Some(refused), .. }, Ok(_)) => {
                session.guards.undo_all();
                Err(refused)
            }
            (State::ExpectStart { isolated, refused }, Err(e)) => {
                // Otherwise the level would apply to the next transaction; a ROLLBACK resets it.
                if isolated {
                    session.guards.undo_all();
                }
                Err(refused.unwrap_or(e))
            }
        }
    }
}

/// Commits the open transaction.
#[derive(Debug, Default)]
pub struct Commit {
    was_sent: bool,
}

impl Commit {
    /// Whether the server may have received it: without an answer, the fate of the transaction is then unknown.
    pub fn was_sent(&self) -> bool {
        self.was_sent
    }
}

impl Conversation for Commit {
    type Output = ();

    fn send(&mut self, _session: &mut Session, out: &mut Outbox) -> Result<Step<()>> {
        if !self.was_sent {
            self.was_sent = true;
            out.command(|out| command::query(out, b"COMMIT"));
        }
        Ok(Step::More)
    }

    fn receive(&mut self, packet: &[u8], session: &mut Session, _out: &mut Outbox) -> Result<Step<()>> {
        match reply::plain(packet, session) {
            Ok(_) => {
                session.guards.left(1);
                Ok(Step::Done(()))
            }
            Err(e) => {
                // A COMMIT that failed has ended the transaction in most cases, but not always.
                session.guards.undo_all();
                Err(e)
            }
        }
    }

    fn may_be_stored(&self, _session: &Session, out: &Outbox) -> bool {
        self.was_sent && out.has_sent_command()
    }
}

/// Sets a savepoint inside what is open. Its output is the savepoint's depth.
pub fn savepoint(session: &Session) -> Savepoint {
    Savepoint { depth: session.guards.next_depth(), verb: Some("SAVEPOINT"), is_over: false }
}

/// Releases the savepoint of this depth: its changes become part of what is around it.
pub fn release(depth: u32) -> Savepoint {
    Savepoint { depth, verb: Some("RELEASE SAVEPOINT"), is_over: true }
}

/// Sets or releases a savepoint.
#[derive(Debug)]
pub struct Savepoint {
    depth: u32,
    /// Taken when sent.
    verb: Option<&'static str>,
    is_over: bool,
}

impl Conversation for Savepoint {
    type Output = u32;

    fn send(&mut self, _session: &mut Session, out: &mut Outbox) -> Result<Step<u32>> {
        if let Some(verb) = self.verb.take() {
            let sql = format!("{verb} {}", name(self.depth));
            out.command(|out| command::query(out, sql.as_bytes()));
        }
        Ok(Step::More)
    }

    fn receive(&mut self, packet: &[u8], session: &mut Session, _out: &mut Outbox) -> Result<Step<u32>> {
        reply::plain(packet, session)?;
        match self.is_over {
            true => session.guards.left(self.depth),
            false => session.guards.entered(self.depth),
        }
        Ok(Step::Done(self.depth))
    }
}

/// What must be sent before a connection's next use: see [`Session::debt`].
#[derive(Debug)]
pub struct Debt {
    kind: Kind,
    was_sent: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Undoes everything from this depth on.
    Undo(u32),
    /// Queries whether the transaction is still open.
    Ping,
    /// Switches autocommit on again.
    Autocommit,
}

impl Session {
    /// Returns what must be done before anything else may be sent. A shell runs it, and calls this again.
    pub fn debt(&self) -> Option<Debt> {
        match self.guards.undo_from() {
            Some(depth) => Some(Debt::undo(depth)),
            None if self.guards.is_unsure(self.refusal) => Some(Debt::ping()),
            None if self.owes_autocommit && !self.guards.is_open() => Some(Debt::autocommit()),
            None => None,
        }
    }
}

impl Debt {
    pub(crate) fn undo(depth: u32) -> Self {
        Self { kind: Kind::Undo(depth), was_sent: false }
    }

    pub(crate) fn ping() -> Self {
        Self { kind: Kind::Ping, was_sent: false }
    }

    pub(crate) fn autocommit() -> Self {
        Self { kind: Kind::Autocommit, was_sent: false }
    }
}

impl Conversation for Debt {
    type Output = ();

    fn send(&mut self, _session: &mut Session, out: &mut Outbox) -> Result<Step<()>> {
        if !std::mem::replace(&mut self.was_sent, true) {
            out.command(|out| match self.kind {
                Kind::Undo(0 | 1) => command::query(out, b"ROLLBACK"),
                Kind::Undo(depth) => command::query(out, format!("ROLLBACK TO SAVEPOINT {}", name(depth)).as_bytes()),
                Kind::Ping => command::ping(out),
                Kind::Autocommit => command::query(out, b"SET autocommit = 1"),
            });
        }
        Ok(Step::More)
    }

    fn receive(&mut self, packet: &[u8], session: &mut Session, _out: &mut Outbox) -> Result<Step<()>> {
        match (reply::plain(packet, session), self.kind) {
            (Ok(_), Kind::Ping) => {}
            (Ok(_), Kind::Autocommit) => session.owes_autocommit = false,
            (Ok(_), Kind::Undo(depth)) => session.guards.left(depth),
            // The savepoint ended with its transaction, as the next query will show.
            (Err(e), Kind::Undo(depth @ 2..)) if e.code() == NO_SUCH_SAVEPOINT => session.guards.left(depth),
            // It is not known what is still open.
            (Err(e), _) => return Err(e.fatal()),
        }
        Ok(Step::Done(()))
    }
}

/// A depth has one savepoint: setting it again replaces the one that was released or undone.
fn name(depth: u32) -> String {
    format!("inrush_{depth}")
}

const NO_SUCH_SAVEPOINT: u16 = 1305;
