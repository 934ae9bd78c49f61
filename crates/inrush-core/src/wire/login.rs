//! What a client sends to log in: SSLRequest, HandshakeResponse41, COM_CHANGE_USER.

use crate::wire::lenenc::{put_bytes, put_int};
use crate::wire::{Capabilities, Compression, MariaDbCapabilities};

/// The account, and how it logs in.
#[derive(Clone, Copy, Debug)]
pub struct LoginPacket<'a> {
    /// What this side will use; a subset of what the server offered.
    pub capabilities: Capabilities,
    /// The same beyond the first 32 bits, for MariaDB.
    pub mariadb_capabilities: MariaDbCapabilities,
    /// The account's name.
    pub user: &'a [u8],
    /// The plugin's first answer.
    pub auth: &'a [u8],
    /// The plugin that made it.
    pub plugin: &'a [u8],
    /// The default schema, empty for none.
    pub database: &'a [u8],
    /// Connection attributes, as performance_schema shows them.
    pub attributes: &'a [(String, String)],
    /// What follows the login is compressed like this.
    pub compression: Compression,
}

impl LoginPacket<'_> {
    /// SSLRequest: the head of a HandshakeResponse41, alone; TLS begins after it.
    ///
    /// ```text
    /// cc cc cc cc  capabilities
    /// mm mm mm mm  the greatest packet the client would take: 1 GiB, which is any
    /// cc           collation
    /// 19 bytes     filler
    /// cc cc cc cc  MariaDB: further capabilities; MySQL: filler
    /// ```
    pub fn put_ssl_request(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.capabilities.bits().to_le_bytes());
        out.extend_from_slice(&(1u32 << 30).to_le_bytes());
        out.push(UTF8MB4 as u8);
        out.extend_from_slice(&[0; 19]);
        out.extend_from_slice(&self.mariadb_capabilities.bits().to_le_bytes());
    }

    /// HandshakeResponse41.
    ///
    /// ```text
    /// ..    as in SSLRequest
    /// ..00  user
    /// l ..  the plugin's first answer, after its length
    /// ..00  default schema, if announced in the capabilities
    /// ..00  plugin
    /// l ..  connection attributes: the length of all, then length and name, length and value of each
    /// ll    level of zstd, if announced
    /// ```
    pub fn put_handshake_response(&self, out: &mut Vec<u8>) {
        self.put_ssl_request(out);
        put_nul(out, self.user);
        if self.capabilities.contains(Capabilities::CLIENT_PLUGIN_AUTH_LENENC_CLIENT_DATA) {
            put_bytes(out, self.auth);
        } else {
            put_short(out, self.auth);
        }
        if self.capabilities.contains(Capabilities::CLIENT_CONNECT_WITH_DB) {
            put_nul(out, self.database);
        }
        self.put_plugin_and_attributes(out);
        if let Compression::Zstd(level) = self.compression {
            out.push(level);
        }
    }

    /// COM_CHANGE_USER.
    ///
    /// ```text
    /// 11     command
    /// ..00   user
    /// ll ..  the plugin's first answer, after its length in one byte
    /// ..00   default schema
    /// cc cc  collation
    /// ..00   plugin
    /// l ..   connection attributes
    /// ```
    pub fn put_change_user(&self, out: &mut Vec<u8>) {
        out.push(0x11);
        put_nul(out, self.user);
        put_short(out, self.auth);
        put_nul(out, self.database);
        out.extend_from_slice(&UTF8MB4.to_le_bytes());
        self.put_plugin_and_attributes(out);
    }

    fn put_plugin_and_attributes(&self, out: &mut Vec<u8>) {
        if self.capabilities.contains(Capabilities::CLIENT_PLUGIN_AUTH) {
            put_nul(out, self.plugin);
        }
        if self.capabilities.contains(Capabilities::CLIENT_CONNECT_ATTRS) {
            let mut attributes = Vec::new();
            for (name, value) in self.attributes {
                put_bytes(&mut attributes, name.as_bytes());
                put_bytes(&mut attributes, value.as_bytes());
            }
            put_int(out, attributes.len() as u64);
            out.extend_from_slice(&attributes);
        }
    }
}

fn put_nul(out: &mut Vec<u8>, text: &[u8]) {
    // A NUL inside would move the rest of the name into the next field.
    let end = memchr::memchr(0, text).unwrap_or(text.len());
    out.extend_from_slice(&text[..end]);
    out.push(0);
}

fn put_short(out: &mut Vec<u8>, auth: &[u8]) {
    // No plugin's first answer is longer: the longest one, of ed25519, has 64 bytes (a clear password is checked before).
    let auth = &auth[..auth.len().min(255)];
    out.push(auth.len() as u8);
    out.extend_from_slice(auth);
}

/// utf8mb4_general_ci: the one collation of utf8mb4 that MySQL 5.5 to 9 and MariaDB know under the same number.
pub const UTF8MB4: u16 = 45;
