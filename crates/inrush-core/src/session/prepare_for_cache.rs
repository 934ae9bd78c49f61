//! Prepares a statement for the connection's cache, unless the cache has it.

use crate::error::Result;
use crate::session::prepare::Prepare;
use crate::session::{Conversation, Session, Statement, Step};
use crate::wire::{Outbox, stmt};

/// Prepares a statement and keeps it. Its output is the statement's slot in the cache.
pub struct PrepareForCache<'a> {
    sql: &'a [u8],
    state: State<'a>,
}

enum State<'a> {
    Start,
    ExpectPrepared(Prepare<'a>),
    /// The dropped one is being closed; no answer comes.
    Closing {
        slot: usize,
    },
}

impl<'a> PrepareForCache<'a> {
    /// Nothing is sent for a statement that the connection has prepared already.
    pub fn new(statement: &'a Statement) -> Self {
        Self { sql: statement.sql().as_bytes(), state: State::Start }
    }
}

impl Conversation for PrepareForCache<'_> {
    type Output = usize;

    fn send(&mut self, session: &mut Session, out: &mut Outbox) -> Result<Step<usize>> {
        match &self.state {
            State::Start => {
                if let Some(slot) = session.statements.find(self.sql) {
                    return Ok(Step::Done(slot));
                }
                let mut prepare = Prepare::new(self.sql);
                prepare.send(session, out)?;
                self.state = State::ExpectPrepared(prepare);
            }
            State::Closing { slot } => return Ok(Step::Done(*slot)),
            State::ExpectPrepared(_) => {}
        }
        Ok(Step::More)
    }

    fn receive(&mut self, packet: &[u8], session: &mut Session, out: &mut Outbox) -> Result<Step<usize>> {
        let State::ExpectPrepared(prepare) = &mut self.state else {
            return Err(crate::session::reply::unexpected(packet, session).fatal());
        };
        let Step::Done(prepared) = prepare.receive(packet, session, out)? else { return Ok(Step::More) };
        let (slot, gone) = session.statements.insert(self.sql, prepared);
        let Some(gone) = gone else { return Ok(Step::Done(slot)) };
        out.command(|out| stmt::close(out, gone));
        self.state = State::Closing { slot };
        Ok(Step::More)
    }
}
