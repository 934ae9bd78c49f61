//! MariaDB's UUID, INET4 and INET6: the bytes as the server stores them.
//!
//! A UUID of version 1 to 5 is stored with its groups in reverse order: the node first, the lowest part of the time last. Others
//! (6, 7, and what is of no version) are stored as they are written. Servers before 10.10.6 and 10.11.5 reverse all of them.

use std::net::{Ipv4Addr, Ipv6Addr};

#[derive(Clone, Copy, Debug)]
pub(super) enum NetworkOrder {
    Uuid,
    Inet4,
    Inet6,
}

impl NetworkOrder {
    #[inline]
    pub(super) fn append(self, cell: &[u8], key: &mut Vec<u8>) {
        match self {
            Self::Uuid => append_uuid(&hex_16(cell), key),
            Self::Inet4 => key.extend_from_slice(&parse::<Ipv4Addr>(cell).unwrap_or(Ipv4Addr::UNSPECIFIED).octets()),
            Self::Inet6 => key.extend_from_slice(&parse::<Ipv6Addr>(cell).unwrap_or(Ipv6Addr::UNSPECIFIED).octets()),
        }
    }
}

#[inline]
fn append_uuid(uuid: &[u8; 16], key: &mut Vec<u8>) {
    if (0x01..0x60).contains(&uuid[6]) && uuid[8] >= 0x80 {
        for group in [10..16, 8..10, 6..8, 4..6, 0..4] {
            key.extend_from_slice(&uuid[group]);
        }
    } else {
        key.extend_from_slice(uuid);
    }
}

fn parse<T: std::str::FromStr>(cell: &[u8]) -> Option<T> {
    std::str::from_utf8(cell).ok()?.parse().ok()
}

/// The first 32 hex digits; other bytes are skipped, missing ones are zero.
#[inline]
pub(super) fn hex_16(cell: &[u8]) -> [u8; 16] {
    let mut bytes = [0; 16];
    let mut n = 0;
    for byte in cell {
        let digit = HEX[usize::from(*byte)];
        if digit < 16 && n < 32 {
            bytes[n / 2] |= digit << (4 * (1 - n % 2));
            n += 1;
        }
    }
    bytes
}

/// The value of a hex digit; 255 for other bytes.
pub(super) const HEX: [u8; 256] = {
    let mut table = [255; 256];
    let mut digit = 0;
    while digit < 16 {
        table[b"0123456789abcdef"[digit] as usize] = digit as u8;
        table[b"0123456789ABCDEF"[digit] as usize] = digit as u8;
        digit += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use crate::column::order::tests::{ascends, equal};

    #[test]
    fn uuids_by_their_node() {
        ascends(
            "uuid",
            &[
                "ffffffff-ffff-4fff-bfff-000000000001",
                "00000000-0000-1000-8001-000000000002",
                "00000000-0000-1001-8001-000000000002",
                "00000000-0001-1001-8001-000000000002",
                "00000001-0001-1001-8001-000000000002",
                "00000000-0000-4000-8000-000000000003",
            ],
        );
        equal("uuid", &["00112233-4455-4677-8899-aabbccddeeff", "00112233445546778899AABBCCDDEEFF"]);
    }

    #[test]
    fn uuids_of_version_7_as_written() {
        ascends(
            "uuid",
            &[
                "017f22e2-79b0-7cc3-98c4-dc0c0c07398f",
                "017f22e2-79b1-7000-8000-000000000000",
                "117f22e2-79b0-7000-8000-000000000000",
            ],
        );
    }

    #[test]
    fn addresses() {
        ascends("inet4", &["0.0.0.1", "9.255.255.255", "10.0.0.0", "10.0.0.9", "10.0.0.10", "255.255.255.255"]);
        ascends("inet6", &["::", "::1", "::ffff:10.0.0.1", "2001:db8::1", "2001:db8::2", "fe80::"]);
        equal("inet6", &["2001:db8::1", "2001:0DB8:0:0:0:0:0:1"]);
        equal("inet4", &["", "word", "0.0.0.0"]);
    }
}
