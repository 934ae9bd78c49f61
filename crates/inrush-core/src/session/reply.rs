//! The common handling of packets that end a command: update the session, and turn the packet into a result.

use crate::error::{Error, Result};
use crate::session::{Outcome, Session};
use crate::wire::{ErrPacket, Malformed, OkPacket};

/// Stores an OK packet, or the end of a result set, in the session.
pub(crate) fn accept(ok: OkPacket<'_>, session: &mut Session) -> Result<Outcome, Malformed> {
    session.apply(&ok)?;
    Ok(ok.into())
}

/// Handles the end of a command whose reply is OK or ERR and nothing else.
pub(crate) fn plain(packet: &[u8], session: &mut Session) -> Result<Outcome> {
    match packet {
        [0x00, ..] => Ok(accept(OkPacket::parse(packet, session.capabilities())?, session)?),
        _ => Err(unexpected(packet, session)),
    }
}

/// The error for a packet that the conversation does not expect. An ERR packet is always reported as its error.
pub(crate) fn unexpected(packet: &[u8], session: &Session) -> Error {
    match packet {
        [0xFF, ..] => {
            let error: Error = ErrPacket::parse(packet).map_or_else(Error::from, Error::from);
            error.with_table_in_key(session.profile().key_has_table)
        }
        [0xFB, ..] => Error::protocol("the server asks for a local file that nobody offered")
            .with_hint("do not trust this server: it tries to read files of its clients"),
        [] => Error::protocol("the server sent an empty packet out of turn"),
        [first, ..] => Error::protocol(format!("the server sent a packet of an unexpected kind (0x{first:02x})")),
    }
}
