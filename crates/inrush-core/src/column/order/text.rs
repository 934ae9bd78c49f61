//! CHAR, VARCHAR and TEXT by their collation.
//!
//! | collation | order | exact |
//! |---|---|---|
//! | `.._bin` of ascii, latin1, utf8mb3, utf8mb4 | bytes ([`bin`]) | yes |
//! | `ascii_general_ci`, four of latin1 | a weight for each byte ([`single`]) | yes |
//! | `utf8.._general_ci` | a weight for each character ([`general`]) | yes |
//! | `.._0900_..`, `uca1400_..`, `.._unicode_ci`, `.._unicode_520_ci` | weights of the root collation ([`uca`]) | near |
//! | all others | as the most similar of these | near |
//!
//! Where a collation pads with blanks, a text is compared as if blanks followed it for ever ([`weights`]).

mod bin;
mod general;
mod listed;
mod single;
mod uca;
mod weights;

pub(crate) use single::latin1_swedish_weights;

use weights::Pad;

#[derive(Clone, Debug)]
pub(super) struct TextOrder {
    weights: Weights,
    /// Only so many characters count.
    prefix: usize,
    /// CHAR: the server drops blanks at the end.
    trimmed: bool,
    exact: bool,
}

#[derive(Clone, Debug)]
enum Weights {
    /// Bytes of UTF-8.
    Bin(Pad),
    Single(single::Single),
    General(general::General),
    Uca(uca::Uca),
}

impl TextOrder {
    pub(super) fn new(collation: Option<&str>, prefix: Option<u32>, is_char: bool) -> Self {
        let name = collation.unwrap_or("utf8mb4_general_ci").to_ascii_lowercase();
        let (weights, exact) = choose(&name, is_char);
        let prefix = prefix.map_or(usize::MAX, |chars| chars as usize);
        Self { weights, prefix, trimmed: is_char, exact }
    }

    pub(super) fn is_exact(&self) -> bool {
        self.exact
    }

    #[inline]
    pub(super) fn append(&self, cell: &[u8], key: &mut Vec<u8>) {
        let mut cell = if cell.len() > self.prefix { first_chars(cell, self.prefix) } else { cell };
        if self.trimmed {
            cell = without_blanks(cell);
        }
        match &self.weights {
            Weights::Bin(pad) => bin::append(cell, *pad, key),
            Weights::Single(single) => single.append(cell, key),
            Weights::General(general) => general.append(cell, key),
            Weights::Uca(uca) => uca.append(cell, key),
        }
    }
}

/// The weights of a collation, and whether they are exact.
///
/// A CHAR of a NO PAD collation is near: MySQL compares it without the blanks that fill it, as here; MariaDB with or without them, by
/// version and character set.
fn choose(name: &str, is_char: bool) -> (Weights, bool) {
    let pad = if name.contains("_0900_") || name.contains("nopad") { Pad::No } else { Pad::Space };
    let (weights, exact) = choose_weights(name, pad);
    (weights, exact && !(is_char && pad == Pad::No))
}

fn choose_weights(name: &str, pad: Pad) -> (Weights, bool) {
    let charset = name.split('_').next().unwrap_or_default();
    let is_utf8 = matches!(charset, "utf8" | "utf8mb3" | "utf8mb4");
    if name == "binary" {
        (Weights::Bin(Pad::No), true)
    } else if name.ends_with("_bin") {
        match single::Single::bin(charset, pad) {
            Some(single) => (Weights::Single(single), true),
            None => (Weights::Bin(pad), is_utf8 || charset == "ascii"),
        }
    } else if let Some((table, levels)) = uca::Uca::tables_of(name) {
        (Weights::Uca(uca::Uca::new(table, levels, pad)), false)
    } else if matches!(charset, "ascii" | "latin1") {
        let (single, exact) = single::Single::named(name, pad);
        (Weights::Single(single), exact)
    } else {
        let exact = is_utf8 && (name.ends_with("_general_ci") || name.ends_with("_general_nopad_ci"));
        (Weights::General(general::General::new(pad)), exact)
    }
}

fn first_chars(text: &[u8], n: usize) -> &[u8] {
    let starts = text.iter().enumerate().filter(|(_, byte)| **byte & 0xc0 != 0x80);
    starts.map(|(at, _)| at).nth(n).map_or(text, |end| &text[..end])
}

fn without_blanks(text: &[u8]) -> &[u8] {
    &text[..text.len() - text.iter().rev().take_while(|byte| **byte == b' ').count()]
}

/// The characters of a text; a byte that is not of UTF-8 is a character beyond all others.
#[inline]
fn next_char(text: &[u8]) -> Option<(u32, &[u8])> {
    let (first, rest) = text.split_first()?;
    let (n_more, bits) = match first {
        0..=0x7f => return Some(((*first).into(), rest)),
        0xc2..=0xdf => (1, first & 0x1f),
        0xe0..=0xef => (2, first & 0x0f),
        0xf0..=0xf4 => (3, first & 0x07),
        _ => return Some((NOT_UTF8 + u32::from(*first), rest)),
    };
    match rest.split_at_checked(n_more) {
        Some((more, rest)) if more.iter().all(|byte| byte & 0xc0 == 0x80) => {
            let join = |char: u32, byte: &u8| char << 6 | u32::from(byte & 0x3f);
            Some((more.iter().fold(bits.into(), join), rest))
        }
        _ => Some((NOT_UTF8 + u32::from(*first), rest)),
    }
}

/// Beyond the last character.
const NOT_UTF8: u32 = 0x20_0000;

#[cfg(test)]
mod tests;
