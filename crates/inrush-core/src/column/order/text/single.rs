//! Character sets of one byte: a weight for each byte. `latin1` is cp1252 on the servers.
//!
//! The weights are those of MySQL 9.7.4; docs/notes/sort-order.md has the statement, and what was compared with MariaDB.

use super::next_char;
use super::weights::{Pad, Writer};
use std::sync::{Arc, LazyLock};

#[derive(Clone, Debug)]
pub(super) struct Single {
    weights: Arc<[u8; 256]>,
    pad: Pad,
}

impl Single {
    /// Bytes themselves. `None` for character sets whose bytes we do not know, and for those whose bytes are those of UTF-8.
    pub(super) fn bin(charset: &str, pad: Pad) -> Option<Self> {
        (charset == "latin1").then(|| Self { weights: Arc::new(std::array::from_fn(|byte| byte as u8)), pad })
    }

    /// A collation of ascii or latin1, and whether it is known: others are taken for `latin1_general_ci`.
    pub(super) fn named(name: &str, pad: Pad) -> (Self, bool) {
        let padded = name.replace("_nopad", "");
        if padded == "ascii_general_ci" {
            let weights = std::array::from_fn(|byte| (byte as u8).to_ascii_uppercase());
            return (Self { weights: Arc::new(weights), pad }, true);
        }
        let weights_of = |wanted: &str| {
            let (_, hex) = LATIN1.lines().filter_map(|line| line.split_once(' ')).find(|(name, _)| *name == wanted)?;
            let byte = |at: usize| hex.get(2 * at..2 * at + 2).and_then(|two| u8::from_str_radix(two, 16).ok());
            Some(std::array::from_fn(|at| byte(at).unwrap_or_default()))
        };
        let known: Option<[u8; 256]> = weights_of(&padded);
        let weights = known.or_else(|| weights_of("latin1_general_ci")).unwrap_or([0; 256]);
        (Self { weights: Arc::new(weights), pad }, known.is_some())
    }

    #[inline]
    pub(super) fn append(&self, text: &[u8], key: &mut Vec<u8>) {
        let mut writer = Writer::new(self.pad, self.weights[usize::from(b' ')], key);
        let mut rest = text;
        while let Some((char, behind)) = next_char(rest) {
            writer.byte(self.weights[usize::from(if char < 0x80 { char as u8 } else { byte_of(char) })]);
            rest = behind;
        }
        writer.end();
    }
}

/// The weight of each byte in latin1_swedish_ci.
pub(crate) fn latin1_swedish_weights() -> &'static [u8; 256] {
    static WEIGHTS: LazyLock<Arc<[u8; 256]>> =
        LazyLock::new(|| Single::named("latin1_swedish_ci", Pad::Space).0.weights);
    &WEIGHTS
}

/// The byte of a character in cp1252; `?` for others, as the servers have it.
fn byte_of(char: u32) -> u8 {
    match u8::try_from(char) {
        Ok(byte) => byte,
        Err(_) => CP1252.iter().position(|known| u32::from(*known) == char).map_or(b'?', |at| 0x80 + at as u8),
    }
}

/// The characters of the bytes 0x80 to 0x9f; 0 for those that are control characters.
#[rustfmt::skip]
const CP1252: [u16; 32] = [
    0x20ac, 0, 0x201a, 0x192, 0x201e, 0x2026, 0x2020, 0x2021, 0x2c6, 0x2030, 0x160, 0x2039, 0x152, 0, 0x17d, 0,
    0, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014, 0x2dc, 0x2122, 0x161, 0x203a, 0x153, 0, 0x17e, 0x178,
];

const LATIN1: &str = include_str!("latin1.txt");
