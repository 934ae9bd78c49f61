//! The key of masks: HMAC-SHA256, and what is derived from it. It is in no message and in no `Debug`.

use hmac::{Hmac, KeyInit, Mac};
use inrush_core::error::{Error, Result};
use sha2::Sha256;
use std::fmt;

/// A secret: who has it can try values until a masked one comes out.
#[derive(Clone)]
pub struct MaskKey(Hmac<Sha256>);

impl MaskKey {
    /// A key of the bytes of a file; line ends at its end do not count.
    ///
    /// # Errors
    /// `Config` for fewer than 16 bytes.
    pub fn new(bytes: &[u8]) -> Result<Self> {
        let end = bytes.iter().rposition(|byte| !b"\r\n".contains(byte)).map_or(0, |last| last + 1);
        if end < LEAST_BYTES {
            return Err(Error::config(format!(
                "a key of masks has at least {LEAST_BYTES} bytes, and this one has {end}"
            ))
            .with_hint("`openssl rand -hex 32 > mask.key` makes one"));
        }
        match Hmac::new_from_slice(&bytes[..end]) {
            Ok(mac) => Ok(Self(mac)),
            Err(_) => Err(Error::config("this key of masks has a length that HMAC does not take")),
        }
    }

    /// HMAC-SHA256 of a value for a purpose: two purposes have nothing in common.
    pub(super) fn mac(&self, purpose: &str, value: &[u8]) -> [u8; 32] {
        let mut mac = self.0.clone();
        mac.update(purpose.as_bytes());
        mac.update(&[0]);
        mac.update(value);
        mac.finalize().into_bytes().into()
    }

    /// As many bytes as are needed, of one value.
    pub(super) fn stream(&self, purpose: &str, value: &[u8], n: usize) -> Vec<u8> {
        let first = self.mac(purpose, value);
        let mut bytes = first.to_vec();
        let mut counter = 0u64;
        while bytes.len() < n {
            counter += 1;
            bytes.extend(self.mac("stream", &[&first[..], &counter.to_be_bytes()].concat()));
        }
        bytes.truncate(n);
        bytes
    }

    /// The first 8 bytes of [`MaskKey::mac`].
    pub(super) fn number(&self, purpose: &str, value: &[u8]) -> u64 {
        let [a, b, c, d, e, f, g, h, ..] = self.mac(purpose, value);
        u64::from_be_bytes([a, b, c, d, e, f, g, h])
    }

    /// The number at the place of `value` in a permutation of the numbers below `size`, which the key decides: a Feistel network over
    /// the bits of `size`, again until the number is below it.
    pub(super) fn permute(&self, value: u128, size: u128) -> u128 {
        if size < 2 || value >= size {
            return value;
        }
        let half = (u128::BITS - (size - 1).leading_zeros()).div_ceil(2).max(1);
        let mask = (1u128 << half) - 1;
        let mut now = value;
        loop {
            let (mut left, mut right) = (now >> half, now & mask);
            for round in 0..ROUNDS {
                let mut input = [0; 33];
                input[..16].copy_from_slice(&size.to_be_bytes());
                input[16..32].copy_from_slice(&right.to_be_bytes());
                input[32] = round;
                let mixed = left ^ (u128::from(self.number("permute", &input)) & mask);
                (left, right) = (right, mixed);
            }
            now = left << half | right;
            if now < size {
                return now;
            }
        }
    }

    /// Identifies this key together with rules: 64 bits, which do not give the key away.
    pub(super) fn fingerprint(&self, rules: &str) -> String {
        format!("{:016x}", self.number("fingerprint", rules.as_bytes()))
    }
}

impl fmt::Debug for MaskKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MaskKey(hidden)")
    }
}

/// 128 bits.
const LEAST_BYTES: usize = 16;

/// As many as NIST's FF1 has.
const ROUNDS: u8 = 10;
