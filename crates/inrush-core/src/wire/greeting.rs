//! The server's first packet.
//!
//! ```text
//! 0a           protocol version
//! ..00         server version
//! cc cc cc cc  connection id
//! 8 bytes      nonce, first part
//! 00
//! cc cc        capabilities, low half
//! cc           default collation
//! ss ss        status
//! cc cc        capabilities, high half
//! ll           length of the nonce
//! 6 bytes      filler
//! cc cc cc cc  MariaDB: further capabilities (where the first bit of the others is not set); MySQL: filler
//! ..           nonce, second part: max(13, length - 8) bytes, the last of them NUL
//! ..00         name of the default authentication plugin
//! ```

use crate::wire::{Capabilities, Cursor, Malformed, MariaDbCapabilities, Status};

/// The server's first packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Greeting<'a> {
    /// The version text as sent.
    pub version: &'a [u8],
    /// The number KILL takes.
    pub connection_id: u32,
    /// What the server can do.
    pub capabilities: Capabilities,
    /// What a MariaDB server can do beyond that.
    pub mariadb_capabilities: MariaDbCapabilities,
    /// The status flags.
    pub status: Status,
    /// The nonce for the default plugin, with a closing NUL.
    pub nonce: Vec<u8>,
    /// The name of the default plugin.
    pub plugin: &'a [u8],
}

impl<'a> Greeting<'a> {
    /// Reads the packet.
    pub fn parse(body: &'a [u8]) -> Result<Self, Malformed> {
        let mut r = Cursor::new(body, "greeting");
        r.expect(0x0A)?;
        let version = r.nul_bytes()?;
        let connection_id = r.u32()?;
        let mut nonce = r.take(8)?.to_vec();
        r.take(1)?;
        let low = r.u16()?;
        r.take(1)?; // The server's default collation; we always ask for our own.
        let status = Status::from_bits_retain(r.u16()?);
        let high = r.u16()?;
        let capabilities = Capabilities::from_bits_retain(u32::from(low) | u32::from(high) << 16);
        let nonce_length = usize::from(r.u8()?);
        r.take(6)?;
        let further = r.u32()?;
        // The first bit says "I am MySQL, this is filler".
        let mariadb_capabilities = match capabilities.contains(Capabilities::CLIENT_LONG_PASSWORD) {
            true => MariaDbCapabilities::empty(),
            false => MariaDbCapabilities::from_bits_retain(further),
        };
        let mut plugin: &[u8] = DEFAULT_PLUGIN;
        if capabilities.contains(Capabilities::CLIENT_SECURE_CONNECTION) {
            nonce.extend_from_slice(r.take(nonce_length.saturating_sub(8).max(13))?);
        }
        if capabilities.contains(Capabilities::CLIENT_PLUGIN_AUTH) {
            // Servers of old forgot the NUL at the end.
            let name = r.rest();
            plugin = name.split(|&byte| byte == 0).next().unwrap_or_default();
        }
        Ok(Self { version, connection_id, capabilities, mariadb_capabilities, status, nonce, plugin })
    }
}

/// The plugin of a server that names none.
const DEFAULT_PLUGIN: &[u8] = b"mysql_native_password";

#[cfg(test)]
mod tests;
