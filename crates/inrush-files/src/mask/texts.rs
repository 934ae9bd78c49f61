//! Rules of texts: what comes out is ASCII, so that every character set holds it.

use super::{MaskKey, Unfit};
use inrush_core::column::ColumnType;

/// The first hexadecimal digits of the HMAC.
pub(super) fn hmac(key: &MaskKey, cell: &[u8], digits: usize) -> Vec<u8> {
    hex(&key.mac("hmac", cell), digits)
}

/// An address that no mail reaches (RFC 2606). Its domain does not depend on the value's.
pub(super) fn email(key: &MaskKey, cell: &[u8]) -> Vec<u8> {
    let mut address = hex(&key.mac("email", cell), 16);
    address.extend_from_slice(EMAIL_DOMAIN);
    address
}

/// Characters of [`email`].
pub(super) const EMAIL_CHARS: usize = 16 + EMAIL_DOMAIN.len();
const EMAIL_DOMAIN: &[u8] = b"@example.com";

/// A name of the same length: letters that can be spoken, in the same case; digits for digits; blanks and signs stay.
pub(super) fn name(key: &MaskKey, cell: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(cell);
    let random = key.stream("name", cell, text.chars().count());
    let mut is_vowel = random.last().is_some_and(|byte| byte % 2 == 0);
    let letter = |(char, byte): (char, u8)| {
        let pick = |from: &[u8]| from.get(usize::from(byte) % from.len()).copied().unwrap_or(b'x');
        if char.is_numeric() {
            return pick(b"0123456789");
        }
        if char.is_ascii() && !char.is_alphabetic() {
            // Whatever comes next begins as a new word may.
            return char as u8;
        }
        is_vowel = !is_vowel;
        let picked = if is_vowel { pick(b"aeiou") } else { pick(b"bcdfghjklmnprstvwz") };
        if char.is_uppercase() { picked.to_ascii_uppercase() } else { picked }
    };
    text.chars().zip(random.iter().copied()).map(letter).collect()
}

/// As many `x` as there are characters, or bytes.
pub(super) fn redact(cell: &[u8], is_bytes: bool) -> Vec<u8> {
    vec![b'x'; if is_bytes { cell.len() } else { String::from_utf8_lossy(cell).chars().count() }]
}

/// `x` for all characters but the last ones; for all of them where no more than those are there.
pub(super) fn keep_last(cell: &[u8], n: usize) -> Vec<u8> {
    let text = String::from_utf8_lossy(cell);
    let hidden = text.chars().count().saturating_sub(n);
    match hidden {
        0 => redact(cell, false),
        _ => "x".repeat(hidden).chars().chain(text.chars().skip(hidden)).collect::<String>().into_bytes(),
    }
}

/// The same of the first ones.
pub(super) fn keep_first(cell: &[u8], n: usize) -> Vec<u8> {
    let text = String::from_utf8_lossy(cell);
    let hidden = text.chars().count().saturating_sub(n);
    match hidden {
        0 => redact(cell, false),
        _ => text.chars().take(n).chain("x".repeat(hidden).chars()).collect::<String>().into_bytes(),
    }
}

/// A UUID of version 8 (RFC 9562: made in a way of one's own).
pub(super) fn uuid(key: &MaskKey, cell: &[u8], ty: &ColumnType) -> Result<Vec<u8>, Unfit> {
    let is_raw = matches!(ty, ColumnType::Binary { .. } | ColumnType::VarBinary { .. });
    let digits: Vec<u8> = match is_raw {
        true if cell.len() != 16 => return Err("it has not the 16 bytes of a UUID"),
        true => hex(cell, 32),
        false => cell.iter().filter(|byte| !b"-{}".contains(byte)).map(u8::to_ascii_lowercase).collect(),
    };
    if digits.len() != 32 || !digits.iter().all(u8::is_ascii_hexdigit) {
        return Err("it is no UUID");
    }
    let mut bytes = key.mac("uuid", &digits);
    bytes[6] = bytes[6] & 0x0f | 0x80;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    if is_raw {
        return Ok(bytes[..16].to_vec());
    }
    let digits = hex(&bytes, 32);
    Ok([&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]].join(&b'-'))
}

fn hex(bytes: &[u8], digits: usize) -> Vec<u8> {
    let digit = |four: u8| if four < 10 { b'0' + four } else { b'a' + four - 10 };
    let mut text: Vec<u8> = bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect();
    text.truncate(digits);
    text
}
