//! Helpers for the tables of all kinds, and properties of every part: NULL, descending, composite keys, no panics.

use crate::column::order::*;
use proptest::prelude::*;
use std::cmp::Ordering;

pub(super) fn column(ty: &str) -> Column {
    Column::new("c", ColumnType::parse(ty))
}

/// `ty` may be followed by a collation: `varchar(9) latin1_bin`.
#[track_caller]
pub(super) fn part(ty: &str) -> KeyPart {
    let (ty, collation) =
        ty.split_once(") ").map_or((ty.to_owned(), None), |(ty, name)| (format!("{ty})"), Some(name)));
    KeyPart::of(&column(&ty), collation, None, false).unwrap()
}

pub(super) fn key(part: &KeyPart, cell: Option<&[u8]>) -> Vec<u8> {
    let mut key = Vec::new();
    part.append(cell, &mut key);
    key
}

/// Each cell is above the one before it.
#[track_caller]
pub(super) fn ascends(ty: &str, cells: &[&str]) {
    for (at, a) in cells.iter().enumerate() {
        for b in &cells[at + 1..] {
            compares(ty, a, b, Ordering::Less);
        }
    }
}

#[track_caller]
pub(super) fn equal(ty: &str, cells: &[&str]) {
    cells.windows(2).for_each(|pair| compares(ty, pair[0], pair[1], Ordering::Equal));
}

#[track_caller]
pub(super) fn compares(ty: &str, a: &str, b: &str, want: Ordering) {
    compares_bytes(ty, a.as_bytes(), b.as_bytes(), want);
}

/// The cells compare in this way: alone, in a descending part, and in front of a part that compares the other way.
#[track_caller]
pub(super) fn compares_bytes(ty: &str, a: &[u8], b: &[u8], want: Ordering) {
    let ascending = part(ty);
    let descending = KeyPart { descending: true, ..ascending.clone() };
    let place = || format!("{ty}: {} and {}", a.escape_ascii(), b.escape_ascii());
    assert_eq!(key(&ascending, Some(a)).cmp(&key(&ascending, Some(b))), want, "{}", place());
    assert_eq!(key(&descending, Some(a)).cmp(&key(&descending, Some(b))), want.reverse(), "{}, descending", place());
    for tail in [0, 1, 0x20, 0xff] {
        let (mut a, mut b) = (key(&ascending, Some(a)), key(&ascending, Some(b)));
        a.push(0xff - tail);
        b.push(tail);
        let want = want.then((0xff - tail).cmp(&tail));
        assert_eq!(a.cmp(&b), want, "{}, with a tail of {tail}", place());
    }
}

const TYPES: [&str; 30] = [
    "int",
    "bigint unsigned",
    "bit(9)",
    "year",
    "decimal(9,2)",
    "decimal(30,5)",
    "decimal(65,30)",
    "float",
    "double",
    "date",
    "datetime",
    "datetime(6)",
    "timestamp",
    "time",
    "time(6)",
    "binary(4)",
    "binary(99)",
    "varbinary(9)",
    "char(9) utf8mb4_bin",
    "varchar(9) utf8mb4_nopad_bin",
    "varchar(9) latin1_swedish_ci",
    "varchar(9) utf8mb4_general_ci",
    "varchar(9) utf8mb4_unicode_ci",
    "varchar(9) utf8mb4_0900_as_cs",
    "varchar(9) utf8mb4_uca1400_ai_ci",
    "enum('a','b')",
    "set('a','b')",
    "uuid",
    "inet4",
    "inet6",
];

#[test]
fn null_is_first() {
    for ty in TYPES {
        let ascending = part(ty);
        assert!(key(&ascending, None) < key(&ascending, Some(b"")), "{ty}");
        let descending = KeyPart { descending: true, ..ascending };
        assert!(key(&descending, None) > key(&descending, Some(b"")), "{ty}");
    }
}

#[test]
fn no_order_is_known() {
    for ty in ["json", "point", "vector(3)", "xmltype"] {
        assert!(KeyPart::of(&column(ty), None, None, false).is_none(), "{ty}");
    }
}

#[test]
fn a_column_without_null_has_no_byte_for_it() {
    let column = Column { nullable: false, ..column("int") };
    let part = KeyPart::of(&column, None, None, false).unwrap();
    assert_eq!(key(&part, Some(b"1")), [0x80, 0, 0, 1]);
    assert_eq!(key(&part, None).len(), 4);
}

#[test]
fn prefixes() {
    let equal = |ty: &str, collation: Option<&str>, a: &str, b: &str| {
        let part = KeyPart::of(&column(ty), collation, Some(3), false).unwrap();
        key(&part, Some(a.as_bytes())) == key(&part, Some(b.as_bytes()))
    };
    assert!(equal("varbinary(9)", None, "abcd", "abce"));
    assert!(!equal("varbinary(9)", None, "abc", "abd"));
    assert!(equal("binary(9)", None, "abcd", "abce"));
    assert!(equal("varchar(9)", Some("utf8mb4_bin"), "äöüx", "äöüy"));
    assert!(!equal("varchar(9)", Some("utf8mb4_bin"), "äöüx", "äö"));
}

#[test]
fn what_is_exact() {
    for (ty, want) in [
        ("int", true),
        ("datetime", true),
        ("timestamp", false),
        ("varchar(9) utf8mb4_bin", true),
        ("varchar(9) utf8mb4_0900_bin", true),
        ("char(9) utf8mb4_0900_bin", false),
        ("varchar(9) cp1251_bin", false),
        ("varchar(9) utf8mb4_general_ci", true),
        ("varchar(9) latin1_swedish_ci", true),
        ("varchar(9) latin1_danish_ci", false),
        ("varchar(9) utf8mb4_0900_ai_ci", false),
    ] {
        assert_eq!(part(ty).is_exact(), want, "{ty}");
    }
    assert!(part("timestamp").with_fixed_zone().is_exact());
    assert!(!part("varchar(9) utf8mb4_0900_ai_ci").with_fixed_zone().is_exact());
}

fn cell() -> impl Strategy<Value = Vec<u8>> {
    let pieces = [
        "",
        "0",
        "9",
        "12",
        "99999999",
        "-",
        "+",
        ".",
        ":",
        ":59",
        "2013-01-05",
        " ",
        "  ",
        "e9",
        "a",
        "A",
        "é",
        "€",
        "\u{1f600}",
        "a,b",
        "\0",
        "\t",
        "::",
    ];
    let piece = prop_oneof![
        8 => prop::sample::select(pieces.map(|piece| piece.as_bytes().to_vec()).to_vec()),
        1 => any::<u8>().prop_map(|byte| vec![byte]),
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    /// For any bytes: no panic, and no key is the beginning of another, so that what follows a part cannot change its order.
    #[test]
    fn keys_delimit_themselves(a in cell(), b in cell()) {
        for ty in TYPES {
            let part = part(ty);
            let (a, b) = (key(&part, Some(&a)), key(&part, Some(&b)));
            prop_assert!(a == b || !(a.starts_with(&b) || b.starts_with(&a)), "{}: {:?} {:?}", ty, a, b);
        }
    }
}
