//! Authentication plugins, one file for each: from the server's nonce and the password to the bytes of an answer.
//!
//! | plugin | file | what leaves this machine |
//! |---|---|---|
//! | mysql_native_password | [`native`] | a SHA-1 scramble |
//! | caching_sha2_password | [`caching_sha2`] | a SHA-256 scramble; if the server does not remember the account, the password: through TLS or a Unix socket, else encrypted for the server's RSA key |
//! | sha256_password | [`sha256`] | the password: through TLS, else encrypted for the server's RSA key |
//! | client_ed25519 | [`ed25519`] | a signature |
//! | parsec | [`parsec`] | a signature |
//! | mysql_clear_password | [`clear`] | the password: only if the caller allows it, and never over plain TCP |

use rand::rngs::StdRng;

use crate::error::{Error, Kind, Result};

pub mod caching_sha2;
pub mod clear;
pub mod ed25519;
pub mod native;
pub mod parsec;
pub mod rsa;
pub mod secret;
pub mod sha256;

pub use secret::Secret;

/// One run of a plugin.
pub trait Plugin: Send {
    /// The first answer, to the nonce.
    fn start(&mut self, nonce: &[u8], with: &mut Context<'_>) -> Result<Vec<u8>>;

    /// The answer to further data; `None` if the server continues without one.
    fn answer(&mut self, data: &[u8], with: &mut Context<'_>) -> Result<Option<Vec<u8>>> {
        let _ = (data, with);
        Err(out_of_turn())
    }
}

/// The inputs of an answer.
pub struct Context<'a> {
    /// The password; empty for none.
    pub password: &'a Secret,
    /// Whether the connection is safe from eavesdroppers: TLS, or a Unix socket.
    pub secure: bool,
    /// Whether that is by TLS.
    pub tls: bool,
    /// Whether the caller allows mysql_clear_password.
    pub allow_clear: bool,
    /// Where the server's RSA key comes from.
    pub server_key: &'a ServerKey,
    /// Fresh randomness.
    pub random: &'a mut StdRng,
}

/// Where the RSA key comes from that encrypts a password on plain TCP.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ServerKey {
    /// Request the key from the server. An attacker who can change packets can insert his own key; TLS prevents that.
    #[default]
    Request,
    /// This one, in PEM.
    Known(Vec<u8>),
    /// None: such a login fails.
    Refuse,
}

/// Creates the plugin with that name, for one run.
pub fn plugin(name: &[u8]) -> Result<Box<dyn Plugin>> {
    Ok(match name {
        b"mysql_native_password" => Box::new(native::Native),
        b"caching_sha2_password" => Box::new(caching_sha2::CachingSha2::default()),
        b"sha256_password" => Box::new(sha256::Sha256::default()),
        b"client_ed25519" => Box::new(ed25519::Ed25519),
        b"parsec" => Box::new(parsec::Parsec::default()),
        b"mysql_clear_password" => Box::new(clear::Clear),
        b"" | b"mysql_old_password" => return Err(unsupported("mysql_old_password", "is broken since 2003")),
        name => return Err(unsupported(&printable(name), "is not known to inrush")),
    })
}

/// Whether a plugin's first answer is made from a nonce like that of the greeting.
pub fn starts_from(name: &[u8], nonce: &[u8]) -> bool {
    matches!(name, b"mysql_native_password" | b"caching_sha2_password" | b"sha256_password")
        && exactly::<20>(nonce).is_ok()
}

fn unsupported(name: &str, why: &str) -> Error {
    Error::new(Kind::Config, format!("the server requires the authentication plugin `{name}`, which {why}"))
        .fatal()
        .with_hint(
            "give the account another one, for example `ALTER USER .. IDENTIFIED WITH caching_sha2_password BY '..'` \
         (MariaDB: `IDENTIFIED VIA ed25519 USING PASSWORD('..')`)",
        )
}

fn printable(name: &[u8]) -> String {
    let name = String::from_utf8_lossy(&name[..name.len().min(64)]);
    name.chars().map(|c| if c.is_control() { '?' } else { c }).collect()
}

/// The packet came when the plugin expected none, or none like it.
fn out_of_turn() -> Error {
    Error::protocol("the server broke off the order of the authentication")
}

/// A nonce of `N` bytes, which may be closed by a NUL. (Its own last byte may be zero as well: only the length decides.)
fn exactly<const N: usize>(nonce: &[u8]) -> Result<&[u8; N]> {
    match nonce.split_first_chunk() {
        Some((head, [] | [0])) => Ok(head),
        _ => Err(Error::protocol(format!("the server's nonce has {} bytes, not {N}", nonce.len()))),
    }
}

/// One hash masked by another of the same length.
fn xor(one: &[u8], other: &[u8]) -> Vec<u8> {
    one.iter().zip(other).map(|(one, other)| one ^ other).collect()
}

/// The password with a closing NUL, for a transport that is safe from eavesdroppers.
fn clear_password(with: &Context<'_>) -> Result<Vec<u8>> {
    match with.secure {
        true => Ok([with.password.expose(), &[0]].concat()),
        false => Err(plain_tcp()),
    }
}

/// The password with a closing NUL, encrypted for the server's RSA key.
fn encrypted_password(nonce: &[u8; 20], pem: &[u8], with: &mut Context<'_>) -> Result<Vec<u8>> {
    let mut password = [with.password.expose(), &[0]].concat();
    // So that an eavesdropper cannot send the same bytes again.
    password.iter_mut().zip(nonce.iter().cycle()).for_each(|(byte, nonce)| *byte ^= nonce);
    rsa::encrypt(&password, pem, with.random)
}

fn plain_tcp() -> Error {
    Error::new(Kind::Config, "the password would have to travel over plain TCP").fatal().with_hint(
        "use TLS (`tls=required`) or a Unix socket, give the server's key (`server-public-key=FILE` in the URL), or ask it for its key (`get-server-public-key=1`)",
    )
}

#[cfg(test)]
mod tests;
