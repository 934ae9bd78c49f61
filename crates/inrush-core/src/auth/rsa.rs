//! Encrypts a password for the server's RSA key (PKCS #1 OAEP with SHA-1, as MySQL 8 requires it).
//!
//! The key comes from the server, so its reader is checked like any decoder; the padding and the arithmetic are those of the crate `rsa`.
//!
//! ```text
//! -----BEGIN PUBLIC KEY-----          base64 of SEQUENCE { SEQUENCE algorithm, BIT STRING { key } }
//! -----BEGIN RSA PUBLIC KEY-----      base64 of the key itself: SEQUENCE { INTEGER modulus, INTEGER exponent }
//! ```

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rand::CryptoRng;
use rsa::{BoxedUint, PublicKey};
use sha1::Sha1;

use crate::error::{Error, Result};

/// Encrypts a message of up to 86 bytes (with a key of 1024 bits, more with a longer one).
pub fn encrypt(message: &[u8], pem: &[u8], random: &mut dyn CryptoRng) -> Result<Vec<u8>> {
    let key = Key::from_pem(pem)?;
    // OAEP needs 42 bytes of the block.
    if message.len() > key.modulus.len() - 42 {
        return Err(Error::config("the password is too long for the server's RSA key").fatal().with_hint("use TLS"));
    }
    let [modulus, exponent] = [&key.modulus, &key.exponent].map(|number| BoxedUint::from_be_slice_vartime(number));
    PublicKey::new(modulus, exponent)
        .and_then(|public| public.oaep_encrypt_with_rng::<Sha1, _>(random, message))
        .map_err(|_| Error::protocol("the server's RSA key does not fit the password"))
}

/// A checked RSA public key, big endian.
struct Key {
    modulus: Vec<u8>,
    exponent: Vec<u8>,
}

impl Key {
    fn from_pem(pem: &[u8]) -> Result<Self> {
        let unreadable = || Error::protocol("the server's RSA key is not readable");
        let (der, is_bare) = from_base64(pem).ok_or_else(unreadable)?;
        let (modulus, exponent) = if is_bare { numbers(&der) } else { wrapped(&der) }.ok_or_else(unreadable)?;
        // A small modulus protects nothing, a huge one keeps us busy, and the padding expects whole bytes.
        let is_whole = modulus.first().is_some_and(|byte| byte & 0x80 != 0);
        if !is_whole || !(128..=1024).contains(&modulus.len()) || !(1..=8).contains(&exponent.len()) {
            return Err(Error::protocol("the server's RSA key is too weak or too large"));
        }
        Ok(Self { modulus: modulus.to_vec(), exponent: exponent.to_vec() })
    }
}

/// The DER bytes, and whether they are the bare key.
fn from_base64(pem: &[u8]) -> Option<(Vec<u8>, bool)> {
    let text = std::str::from_utf8(&pem[..pem.len().min(MAX_PEM)]).ok()?;
    [("PUBLIC KEY", false), ("RSA PUBLIC KEY", true)].iter().find_map(|&(label, is_bare)| {
        let (_, body) = text.split_once(&format!("-----BEGIN {label}-----"))?;
        let (body, _) = body.split_once(&format!("-----END {label}-----"))?;
        let body: String = body.split_ascii_whitespace().collect();
        Some((STANDARD.decode(body).ok()?, is_bare))
    })
}

fn wrapped(der: &[u8]) -> Option<(&[u8], &[u8])> {
    let (outer, _) = element(der, SEQUENCE)?;
    let (_algorithm, rest) = element(outer, SEQUENCE)?;
    let (bits, _) = element(rest, BIT_STRING)?;
    // The first byte says how many bits of the last one are not used.
    numbers(bits.strip_prefix(&[0])?)
}

fn numbers(der: &[u8]) -> Option<(&[u8], &[u8])> {
    let (both, _) = element(der, SEQUENCE)?;
    let (modulus, rest) = element(both, INTEGER)?;
    let (exponent, _) = element(rest, INTEGER)?;
    Some((magnitude(modulus), magnitude(exponent)))
}

/// A number without the leading zero byte that marks it as not negative.
fn magnitude(number: &[u8]) -> &[u8] {
    number.strip_prefix(&[0]).unwrap_or(number)
}

/// The content of the DER element with that tag, and what follows it.
fn element(der: &[u8], tag: u8) -> Option<(&[u8], &[u8])> {
    let (length, rest) = match der.strip_prefix(&[tag])? {
        [short @ 0..=0x7F, rest @ ..] => (usize::from(*short), rest),
        [0x81, length, rest @ ..] => (usize::from(*length), rest),
        [0x82, high, low, rest @ ..] => (usize::from(u16::from_be_bytes([*high, *low])), rest),
        _ => return None,
    };
    rest.split_at_checked(length)
}

const SEQUENCE: u8 = 0x30;
const BIT_STRING: u8 = 0x03;
const INTEGER: u8 = 0x02;
/// A key of 8192 bits takes less than 2 KiB.
const MAX_PEM: usize = 16 * 1024;

#[cfg(test)]
pub(crate) mod tests;
