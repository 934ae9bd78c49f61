//! One command of a batch that is not sent yet: encoded, owned, and valid for any connection.

use crate::error::{Error, Result};
use crate::session::pipeline::bound::{self, Bound};
use crate::session::pipeline::queue::{Expect, Queue};
use crate::session::{Effect, Session, Statement};
use crate::wire::bulk_execute::{BulkBody, bulk_execute};
use crate::wire::{Outbox, command};

/// One command.
#[derive(Clone, Debug)]
pub enum Command {
    /// COM_QUERY of this text.
    Query(Vec<u8>),
    /// COM_STMT_EXECUTE of this statement, which the connection prepares if it does not have it.
    Execute(Statement, Bound),
    /// COM_STMT_BULK_EXECUTE of it.
    Bulk(Statement, BulkBody),
}

impl Command {
    /// The bytes of rows that it holds, including those written once for all of them.
    pub fn n_bytes(&self) -> usize {
        match self {
            Self::Query(sql) => sql.len(),
            Self::Execute(_, bound) => bound.n_bytes(),
            Self::Bulk(_, body) => body.bytes.len(),
        }
    }

    /// The largest of its buffers, for reuse.
    pub fn into_buffer(self) -> Vec<u8> {
        match self {
            Self::Query(sql) => sql,
            Self::Execute(_, bound) => bound.into_values(),
            Self::Bulk(_, body) => body.bytes,
        }
    }

    /// The statement that must be prepared before it.
    pub(super) fn statement(&self) -> Option<&Statement> {
        match self {
            Self::Query(_) => None,
            Self::Execute(statement, _) | Self::Bulk(statement, _) => Some(statement),
        }
    }

    /// Sends it, or refuses it. Returns `false` if its statement must be prepared first.
    pub(super) fn send(&self, session: &mut Session, queue: &mut Queue, out: &mut Outbox) -> bool {
        match self {
            Self::Query(sql) => {
                let effect = Effect::at_a_glance(sql, session.takes_one_statement(), session.dialect());
                queue.push(out, Expect::query(sql), effect, |out| command::query(out, sql));
                true
            }
            Self::Execute(statement, bound) => send_bound(statement, bound, session, queue, out),
            Self::Bulk(statement, body) => send_bulk(statement, body, session, queue, out),
        }
    }
}

/// The same for an execution whose values the caller keeps.
pub(super) fn send_bound(
    statement: &Statement,
    bound: &Bound,
    session: &mut Session,
    queue: &mut Queue,
    out: &mut Outbox,
) -> bool {
    let Some(slot) = session.statements.find(statement.sql().as_bytes()) else { return false };
    if bound.is_bent_by(slot, &session.statements, session.profile.keeps_param_types) {
        return false;
    }
    let entry = session.statements.get_mut(slot);
    match bound.check(entry.prepared.n_params) {
        Ok(()) => {
            let effect = entry.prepared.effect;
            bound.send(slot, entry, out, |out, execution, body| {
                queue.push_execution(out, statement, effect, execution, body);
            });
            session.executes(slot);
        }
        Err(error) => queue.push_settled(Expect::Refused(error)),
    }
    true
}

fn send_bulk(
    statement: &Statement,
    body: &BulkBody,
    session: &mut Session,
    queue: &mut Queue,
    out: &mut Outbox,
) -> bool {
    if let Err(error) = check_bulk(session) {
        queue.push_settled(Expect::Refused(error));
        return true;
    }
    let Some(slot) = session.statements.find(statement.sql().as_bytes()) else { return false };
    let keeps_types = session.profile.keeps_param_types;
    let entry = session.statements.get_mut(slot);
    if entry.bends(&[], keeps_types) {
        return false;
    }
    match bound::check_count(body.n_params, entry.prepared.n_params) {
        Ok(()) => {
            let (id, effect) = (entry.prepared.id, entry.prepared.effect);
            // The server keeps the types of this packet for the next execution, too.
            entry.forget_types();
            queue.push(out, Expect::execution(statement, None), effect, |out| bulk_execute(out, id, body));
        }
        Err(error) => queue.push_settled(Expect::Refused(error)),
    }
    true
}

/// A proxy in between may do anything with a command that it does not know, so it is never sent through one.
fn check_bulk(session: &Session) -> Result<()> {
    match session.profile.bulk_execute {
        true => Ok(()),
        false => Err(Error::config("this server does not know COM_STMT_BULK_EXECUTE, which MariaDB has")),
    }
}
