//! MariaDB's UUID, INET4 and INET6.

use super::number;
use super::{CellValidator, Verdict, Why};
use std::net::{Ipv4Addr, Ipv6Addr};

#[derive(Clone, Debug)]
pub(super) enum NetworkValidator {
    Uuid,
    Inet4,
    Inet6,
}

impl NetworkValidator {
    /// Writes an address that is given by its bytes. MariaDB reads any bytes of the right length in this way, even
    /// `2001:db8::1:2:33`. A text of that length is no UUID and no IPv4 address, but may be an IPv6 address; then it is read as
    /// one.
    pub(super) fn write_raw(&self, bytes: &[u8], out: &mut Vec<u8>) -> bool {
        use std::io::Write;
        let is_text = || std::str::from_utf8(bytes).is_ok_and(|text| text.parse::<Ipv6Addr>().is_ok());
        match (self, bytes.len()) {
            (Self::Uuid, 16) => bytes.iter().enumerate().for_each(|(i, byte)| {
                let hyphen = if matches!(i, 4 | 6 | 8 | 10) { "-" } else { "" };
                // Writing to a `Vec` does not fail.
                let _ = write!(out, "{hyphen}{byte:02x}");
            }),
            (Self::Inet4, 4) => drop(write!(out, "{}", Ipv4Addr::from([bytes[0], bytes[1], bytes[2], bytes[3]]))),
            (Self::Inet6, 16) if !is_text() => {
                let octets: [u8; 16] = bytes.try_into().unwrap_or_default();
                drop(write!(out, "{}", Ipv6Addr::from(octets)));
            }
            _ => return false,
        }
        true
    }
}

impl CellValidator for NetworkValidator {
    fn validate(&self, cell: &[u8], out: &mut Vec<u8>) -> Verdict {
        let trimmed = number::trim(cell);
        let text = std::str::from_utf8(trimmed).unwrap_or_default();
        let fits = match self {
            Self::Uuid => return validate_uuid(cell, trimmed, out),
            Self::Inet4 => text.parse::<Ipv4Addr>().is_ok(),
            Self::Inet6 => text.parse::<Ipv6Addr>().is_ok(),
        };
        if !fits {
            return Verdict::Bad(Why::Shape);
        }
        if trimmed.len() == cell.len() {
            return Verdict::Keep;
        }
        out.extend_from_slice(trimmed);
        Verdict::Rewrite
    }
}

/// 32 hex digits, with hyphens in the standard places or none; braces and `urn:uuid:` around them are removed.
fn validate_uuid(cell: &[u8], trimmed: &[u8], out: &mut Vec<u8>) -> Verdict {
    if is_hyphenated(cell) {
        return if takes_uuid(cell) { Verdict::Keep } else { Verdict::Bad(Why::UuidNotTaken) };
    }
    let mut inner = trimmed;
    if let [b'{', rest @ .., b'}'] = trimmed {
        inner = rest;
    } else if trimmed.len() > 9 && trimmed[..9].eq_ignore_ascii_case(b"urn:uuid:") {
        inner = &trimmed[9..];
    }
    let start = out.len();
    if is_hyphenated(inner) {
        out.extend_from_slice(inner);
    } else if inner.len() == 32 && inner.iter().all(u8::is_ascii_hexdigit) {
        for (i, digit) in inner.iter().enumerate() {
            if matches!(i, 8 | 12 | 16 | 20) {
                out.push(b'-');
            }
            out.push(*digit);
        }
    } else {
        return Verdict::Bad(Why::Shape);
    }
    if takes_uuid(&out[start..]) { Verdict::Rewrite } else { Verdict::Bad(Why::UuidNotTaken) }
}

/// Whether a UUID column accepts a UUID, which is written with its hyphens. Those of MariaDB do not if byte 6 is 0x80 or more and
/// byte 8 from 0x01 to 0x80, whatever the other bytes are (tried for all values of both on 10.11 and 11.8;
/// docs/notes/column-checks.md).
pub fn takes_uuid(text: &[u8]) -> bool {
    let digit = |at: usize| text.get(at).map_or(0, u8::to_ascii_lowercase);
    let is_high = |at: usize| digit(at) >= b'8';
    let byte_8 = [digit(19), digit(20)];
    let is_low = !is_high(19) && byte_8 != *b"00" || byte_8 == *b"80";
    !(is_high(14) && is_low)
}

fn is_hyphenated(text: &[u8]) -> bool {
    text.len() == 36
        && text.iter().enumerate().all(
            |(i, b)| {
                if matches!(i, 8 | 13 | 18 | 23) { *b == b'-' } else { b.is_ascii_hexdigit() }
            },
        )
}
