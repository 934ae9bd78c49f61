//! OK and EOF packets: the end of a command that succeeded.
//!
//! ```text
//! 00           OK; fe at the end of a result set
//! n            affected rows (lenenc)
//! n            last insert id (lenenc)
//! ss ss        status
//! ww ww        warnings
//! l ..         info, after its length (with CLIENT_SESSION_TRACK), else all the rest
//! l ..         session state, if the status says that it changed
//! ```

use std::ops::ControlFlow;

use crate::wire::{Capabilities, Cursor, Malformed, Status};

/// An OK packet, also in its role as the end of a result set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OkPacket<'a> {
    /// Rows changed.
    pub affected: u64,
    /// The first id that was generated.
    pub last_insert_id: u64,
    /// The status flags.
    pub status: Status,
    /// Number of warnings; stops at 65,535.
    pub warnings: u16,
    /// Text for people; for LOAD DATA the only place of the true counts.
    pub info: &'a [u8],
    /// What changed in the session, unparsed: see [`SessionChange::read_all`].
    pub state: &'a [u8],
}

impl<'a> OkPacket<'a> {
    /// Reads an OK packet (header 00, or fe in place of an EOF).
    pub fn parse(body: &'a [u8], capabilities: Capabilities) -> Result<Self, Malformed> {
        let mut r = Cursor::new(body, "OK packet");
        if !matches!(r.u8()?, 0x00 | 0xFE) {
            return Err(r.malformed("it begins with neither 00 nor fe"));
        }
        let affected = r.lenenc()?;
        let last_insert_id = r.lenenc()?;
        let status = Status::from_bits_retain(r.u16()?);
        let warnings = r.u16()?;
        let (mut info, mut state): (&[u8], &[u8]) = (&[], &[]);
        if !capabilities.contains(Capabilities::CLIENT_SESSION_TRACK) {
            info = r.rest();
            // TiDB writes the length as well.
            if let Some((&length, text)) = info.split_first()
                && usize::from(length) == text.len()
            {
                info = text;
            }
        } else if !r.is_empty() {
            // Both are left out where they are empty.
            info = r.lenenc_bytes()?;
            if status.contains(Status::SERVER_SESSION_STATE_CHANGED) && !r.is_empty() {
                state = r.lenenc_bytes()?;
            }
        }
        Ok(Self { affected, last_insert_id, status, warnings, info, state })
    }

    /// Reads an EOF packet of the old form: `fe`, warnings, status.
    pub fn parse_eof(body: &'a [u8]) -> Result<Self, Malformed> {
        let mut r = Cursor::new(body, "EOF packet");
        r.expect(0xFE)?;
        let warnings = r.u16()?;
        let status = Status::from_bits_retain(r.u16()?);
        Ok(Self { affected: 0, last_insert_id: 0, status, warnings, info: &[], state: &[] })
    }
}

/// Something that changed in the session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionChange<'a> {
    /// A system variable that the server tracks.
    Variable {
        /// Its name.
        name: &'a [u8],
        /// Its new value.
        value: &'a [u8],
    },
    /// The default schema.
    Schema(&'a [u8]),
    /// A change that it does not name (`session_track_state_change`).
    State,
}

impl<'a> SessionChange<'a> {
    /// Passes each change to `visit`. Kinds that this crate does not use (transaction state, GTIDs) are skipped.
    pub fn read_all(state: &'a [u8], mut visit: impl FnMut(SessionChange<'a>)) -> Result<(), Malformed> {
        let mut r = Cursor::new(state, "session state");
        while !r.is_empty() {
            let kind = r.u8()?;
            let mut entry = Cursor::new(r.lenenc_bytes()?, "session state");
            match kind {
                // MariaDB puts several variables into one entry.
                0x00 => {
                    while !entry.is_empty() {
                        visit(Self::Variable { name: entry.lenenc_bytes()?, value: entry.lenenc_bytes()? });
                    }
                }
                0x01 => visit(Self::Schema(entry.lenenc_bytes()?)),
                0x02 => visit(Self::State),
                _ => {}
            }
        }
        Ok(())
    }
}

/// Whether a packet that may be a row ends the result set instead: `Break` with its content.
///
/// A row's first field can begin with fe only if it is longer than 16 MiB, so the length distinguishes them.
pub fn end_of_rows(body: &[u8], capabilities: Capabilities) -> Result<ControlFlow<OkPacket<'_>>, Malformed> {
    let deprecated = capabilities.contains(Capabilities::CLIENT_DEPRECATE_EOF);
    Ok(match body {
        [0xFE, ..] if deprecated && body.len() < 0xFF_FFFF => ControlFlow::Break(OkPacket::parse(body, capabilities)?),
        [0xFE, ..] if !deprecated && body.len() < 9 => ControlFlow::Break(OkPacket::parse_eof(body)?),
        _ => ControlFlow::Continue(()),
    })
}

#[cfg(test)]
mod tests;
