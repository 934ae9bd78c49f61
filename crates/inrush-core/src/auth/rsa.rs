//! Encrypts a password for the server's RSA key (PKCS #1 OAEP with SHA-1, as MySQL 8 wants it).
//!
//! The key comes from the server, so its reader is checked like any decoder; the arithmetic is `mysql_common`'s.
//!
//! ```text
//! -----BEGIN PUBLIC KEY-----          base64 of SEQUENCE { SEQUENCE algorithm, BIT STRING { key } }
//! -----BEGIN RSA PUBLIC KEY-----      base64 of the key itself: SEQUENCE { INTEGER modulus, INTEGER exponent }
//! ```

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use mysql_common::crypto::rsa::{Pkcs1OaepPadding, PublicKey, Rng};
use num_bigint::BigUint;
use rand::RngCore;

use crate::error::{Error, Result};
use crate::wire::{Cursor, Malformed};

/// Encrypts a message of up to 86 bytes (with a key of 1024 bits, more with a longer one).
pub fn encrypt(message: &[u8], pem: &[u8], random: &mut dyn RngCore) -> Result<Vec<u8>> {
    let key = Key::from_pem(pem)?;
    // OAEP needs 42 bytes of the block.
    if message.len() > key.modulus.len() - 42 {
        return Err(Error::config("the password is too long for the server's RSA key").fatal().with_hint("use TLS"));
    }
    let public = PublicKey::new(BigUint::from_bytes_be(key.modulus()), BigUint::from_bytes_be(&key.exponent));
    public
        .encrypt_block(message, Pkcs1OaepPadding::new(Random(random)))
        .map_err(|_| Error::protocol("the server's RSA key does not fit the password"))
}

/// A checked RSA public key, big endian.
struct Key {
    modulus: Vec<u8>,
    exponent: Vec<u8>,
}

impl Key {
    fn from_pem(pem: &[u8]) -> Result<Self> {
        let (der, is_bare) =
            from_base64(pem).ok_or_else(|| Error::protocol("the server's RSA key is not in PEM form"))?;
        let (modulus, exponent) = if is_bare { numbers(&der)? } else { wrapped(&der)? };
        // A small modulus protects nothing, a huge one keeps us busy, and the padding below expects whole bytes.
        let whole =
            modulus.first().is_some_and(|byte| byte & 0x80 != 0) && modulus.last().is_some_and(|byte| byte & 1 == 1);
        if !whole || !(128..=1024).contains(&modulus.len()) || !(1..=8).contains(&exponent.len()) {
            return Err(Error::protocol("the server's RSA key is too weak, too large or malformed"));
        }
        Ok(Self { modulus: modulus.to_vec(), exponent: exponent.to_vec() })
    }

    fn modulus(&self) -> &[u8] {
        &self.modulus
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

fn wrapped(der: &[u8]) -> Result<(&[u8], &[u8]), Malformed> {
    let mut outer = Cursor::new(element(&mut Cursor::new(der, "RSA key"), SEQUENCE)?, "RSA key");
    element(&mut outer, SEQUENCE)?;
    let bits = element(&mut outer, BIT_STRING)?;
    match bits {
        [0, key @ ..] => numbers(key),
        _ => Err(outer.malformed("its bits are not whole bytes")),
    }
}

fn numbers(der: &[u8]) -> Result<(&[u8], &[u8]), Malformed> {
    let mut r = Cursor::new(element(&mut Cursor::new(der, "RSA key"), SEQUENCE)?, "RSA key");
    let mut number = || element(&mut r, INTEGER).map(|bytes| bytes.strip_prefix(&[0]).unwrap_or(bytes));
    Ok((number()?, number()?))
}

/// The content of one DER element with that tag.
fn element<'a>(r: &mut Cursor<'a>, tag: u8) -> Result<&'a [u8], Malformed> {
    r.expect(tag)?;
    let length = match r.u8()? {
        short @ 0..=0x7F => usize::from(short),
        0x81 => usize::from(r.u8()?),
        0x82 => usize::from(u16::from_be_bytes(r.array()?)),
        _ => return Err(r.malformed("an element is too long")),
    };
    r.take(length)
}

/// Hands our randomness to the padding.
struct Random<'a>(&'a mut dyn RngCore);

impl Rng for Random<'_> {
    type Error = std::convert::Infallible;

    fn fill(&mut self, dest: &mut [u8]) -> Result<(), Self::Error> {
        self.0.fill_bytes(dest);
        Ok(())
    }
}

const SEQUENCE: u8 = 0x30;
const BIT_STRING: u8 = 0x03;
const INTEGER: u8 = 0x02;
/// A key of 8192 bits takes less than 2 KiB.
const MAX_PEM: usize = 16 * 1024;

#[cfg(test)]
pub(crate) mod tests;
