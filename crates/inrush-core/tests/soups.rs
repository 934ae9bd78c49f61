//! Any bytes at all, and damaged packets of real servers, into every decoder and conversation: nothing panics or hangs.

use inrush_testkit::captured::*;
use inrush_testkit::soup;
use proptest::prelude::*;

/// Packets of real servers, as the conversations' soups take them: a byte of length before each.
fn real_exchanges() -> Vec<Vec<u8>> {
    let column = COLUMN_CURRENT_USER;
    let end = b"\xfe\x00\x00\x02\x00\x00\x00";
    let prepared = b"\x00\x07\x00\x00\x00\x01\x00\x01\x00\x00\x00\x00";
    let exchanges: &[&[&[u8]]] = &[
        &[MYSQL_GREETING, b"\x01\x04", OK],
        &[MYSQL_GREETING, SWITCH_TO_SHA256, OK],
        &[MARIADB_GREETING, MARIADB_LOGIN_OK],
        &[MARIADB_GREETING, SWITCH_TO_ED25519, MARIADB_LOGIN_OK],
        &[MARIADB_GREETING, SWITCH_TO_PARSEC, PARSEC_SALT, MARIADB_LOGIN_OK],
        &[MARIADB_GREETING, SWITCH_TO_CACHING_SHA2, b"\x01\x03", MARIADB_LOGIN_OK],
        &[TOO_MANY_CONNECTIONS],
        &[b"\x01", column, b"\x03abc", end],
        &[b"\x01", column, b"\x00\x00\x03abc", end],
        &[prepared, column, column],
        &[b"\xfbn", OK],
        &[OK],
    ];
    exchanges
        .iter()
        .map(|packets| {
            let framed = packets.iter().flat_map(|packet| [&[packet.len() as u8], *packet].concat());
            [0].into_iter().chain(framed).collect()
        })
        .collect()
}

fn every_soup(bytes: &[u8]) {
    soup::ALL.iter().for_each(|(_, soup)| soup(bytes));
}

#[test]
fn real_exchanges_as_they_are() {
    real_exchanges().iter().for_each(|bytes| every_soup(bytes));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        every_soup(&bytes);
    }

    #[test]
    fn damaged_exchanges(
        exchange in prop::sample::select(real_exchanges()),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        end in any::<prop::sample::Index>(),
    ) {
        let mut bytes = exchange;
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        every_soup(&bytes);
        every_soup(&bytes[..end.index(bytes.len() + 1)]);
    }
}
