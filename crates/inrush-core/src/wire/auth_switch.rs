//! The packets that a server sends between the client's first answer and OK or ERR.

use crate::wire::{Cursor, Malformed};

/// The server's next step in the authentication.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuthPacket<'a> {
    /// `00`: the login succeeded. The body is an OK packet.
    Ok,
    /// `ff`: the login is refused. The body is an ERR packet.
    Err,
    /// `fe name 00 nonce`: start again with another plugin.
    Switch {
        /// The plugin's name; empty for the password hash from before MySQL 4.1.
        plugin: &'a [u8],
        /// Its nonce; some servers append a closing NUL: only the plugin knows the length without it.
        nonce: &'a [u8],
    },
    /// `01 data`, or (MariaDB) just the data: for the plugin.
    More(&'a [u8]),
    /// `02 ..`: this account needs a second factor.
    NextFactor,
}

impl<'a> AuthPacket<'a> {
    /// Reads the packet.
    pub fn parse(body: &'a [u8]) -> Result<Self, Malformed> {
        let mut r = Cursor::new(body, "authentication packet");
        Ok(match body {
            [] => return Err(r.malformed("it is empty")),
            [0x00, ..] => Self::Ok,
            [0xFF, ..] => Self::Err,
            [0xFE] => Self::Switch { plugin: b"", nonce: b"" },
            [0xFE, ..] => {
                r.expect(0xFE)?;
                let plugin = r.nul_bytes()?;
                Self::Switch { plugin, nonce: r.rest() }
            }
            [0x02, ..] => Self::NextFactor,
            // MariaDB before MDEV-37554 prefixes only what would be taken for something else; since then, everything.
            [0x01, data @ ..] => Self::More(data),
            data => Self::More(data),
        })
    }
}
