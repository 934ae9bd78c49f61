//! COM_STMT_PREPARE: a statement with placeholders, parsed once.

use crate::error::Result;
use crate::session::{Conversation, Derived, Effect, Prepared, Session, Step, reply};
use crate::wire::{ColumnDefs, OkPacket, Outbox, PrepareOk, stmt};

/// Prepares a statement.
#[derive(Debug)]
pub struct Prepare<'a> {
    sql: &'a [u8],
    was_sent: bool,
    state: State,
    derived: Vec<Derived>,
}

#[derive(Debug)]
enum State {
    ExpectHead,
    ExpectParam { head: PrepareOk, left: u16 },
    ExpectEndOfParams { head: PrepareOk },
    ExpectColumn { head: PrepareOk, left: u16, columns: ColumnDefs },
    ExpectEndOfColumns { head: PrepareOk, columns: ColumnDefs },
    Finished,
}

impl<'a> Prepare<'a> {
    /// `sql` holds at most 65,535 placeholders.
    pub fn new(sql: &'a (impl AsRef<[u8]> + ?Sized)) -> Self {
        Self { sql: sql.as_ref(), was_sent: false, state: State::ExpectHead, derived: Vec::new() }
    }
}

impl Conversation for Prepare<'_> {
    type Output = Prepared;

    fn send(&mut self, _session: &mut Session, out: &mut Outbox) -> Result<Step<Prepared>> {
        if !std::mem::replace(&mut self.was_sent, true) {
            out.command(|out| stmt::prepare(out, self.sql));
        }
        Ok(Step::More)
    }

    fn receive(&mut self, packet: &[u8], session: &mut Session, _out: &mut Outbox) -> Result<Step<Prepared>> {
        let ends_with_eof = !session.deprecates_eof();
        if let [] | [0xFF | 0xFB, ..] = packet {
            return Err(reply::unexpected(packet, session));
        }
        if let State::ExpectParam { .. } = self.state
            && session.profile.keeps_param_types
        {
            self.derived.push(Derived::of(packet));
        }
        self.state = match std::mem::replace(&mut self.state, State::Finished) {
            State::ExpectHead => {
                let head = PrepareOk::parse(packet)?;
                params(head, head.n_params)
            }
            // Only their number matters, and for some servers their type.
            State::ExpectParam { head, left: 1 } if ends_with_eof => State::ExpectEndOfParams { head },
            State::ExpectParam { head, left } => params(head, left - 1),
            State::ExpectEndOfParams { head } => {
                OkPacket::parse_eof(packet)?;
                params(head, 0)
            }
            State::ExpectColumn { head, left, mut columns } => {
                columns.push(packet)?;
                match left - 1 {
                    0 if ends_with_eof => State::ExpectEndOfColumns { head, columns },
                    left => State::ExpectColumn { head, left, columns },
                }
            }
            State::ExpectEndOfColumns { head, columns } => {
                OkPacket::parse_eof(packet)?;
                State::ExpectColumn { head, left: 0, columns }
            }
            State::Finished => return Err(reply::unexpected(packet, session).fatal()),
        };
        match std::mem::replace(&mut self.state, State::Finished) {
            // With nothing left to define, the reply is over.
            State::ExpectColumn { head, left: 0, columns } => {
                let (columns, effect) = (columns.into_vec(), Effect::of_prepared(self.sql));
                let derived = std::mem::take(&mut self.derived);
                Ok(Step::Done(Prepared { id: head.id, n_params: head.n_params, columns, effect, derived }))
            }
            state => {
                self.state = state;
                Ok(Step::More)
            }
        }
    }
}

fn params(head: PrepareOk, left: u16) -> State {
    match left {
        0 => State::ExpectColumn { head, left: head.n_columns, columns: ColumnDefs::default() },
        left => State::ExpectParam { head, left },
    }
}
