//! Texts in the order of their collations. `crates/inrush/tests/order_oracle` compares with the servers.

use crate::column::order::tests::{ascends, compares_bytes, equal};
use proptest::prelude::*;
use std::cmp::Ordering;

const PADDED: [&str; 7] = [
    "varchar(9) utf8mb4_bin",
    "varchar(9) latin1_bin",
    "varchar(9) ascii_general_ci",
    "varchar(9) latin1_swedish_ci",
    "varchar(9) utf8mb4_general_ci",
    "char(9) utf8mb4_bin",
    "char(9) utf8mb4_general_ci",
];

#[test]
fn padded_with_blanks() {
    for ty in PADDED {
        ascends(ty, &["\t", "", "a\t", "a \t", "a", "a  !", "a !", "a!", "aa"]);
        equal(ty, &["a", "a ", "a   "]);
        equal(ty, &["", " ", "   "]);
    }
    for ty in ["varchar(9) utf8mb4_unicode_ci", "varchar(9) utf8mb4_uca1400_ai_ci"] {
        ascends(ty, &["a\t", "a", "a  !", "a !", "a!", "aa"]);
        equal(ty, &["a", "a ", "a\u{a0} "]);
    }
}

#[test]
fn not_padded() {
    for ty in [
        "varchar(9) utf8mb4_0900_bin",
        "varchar(9) utf8mb4_nopad_bin",
        "varchar(9) binary",
        "varchar(9) latin1_swedish_nopad_ci",
    ] {
        ascends(ty, &["", "\0", "\t", " ", "a", "a\0", "a\t", "a ", "a  ", "a!"]);
    }
    ascends("varchar(9) utf8mb4_0900_ai_ci", &["", "\t", " ", "a", "a\t", "a ", "a  ", "a!", "aa"]);
    equal("char(9) utf8mb4_0900_ai_ci", &["a", "a  "]);
    equal("char(9) utf8mb4_0900_bin", &["a", "a  "]);
}

#[test]
fn binary() {
    ascends("varchar(9) utf8mb4_bin", &["A", "Z", "a", "z", "é", "€", "\u{ffff}", "\u{1f600}"]);
    // cp1252 has the euro at 0x80.
    ascends("varchar(9) latin1_bin", &["A", "z", "€", "™", "é"]);
}

#[test]
fn one_byte() {
    ascends("varchar(9) latin1_swedish_ci", &["1", "a", "B", "z", "å", "ä", "ö"]);
    equal("varchar(9) latin1_swedish_ci", &["apfel", "APFEL", "ápfel"]);
    equal("varchar(9) latin1_german1_ci", &["ä", "A"]);
    ascends("varchar(9) latin1_general_cs", &["A", "a", "B", "b"]);
    equal("varchar(9) ascii_general_ci", &["a", "A"]);
}

#[test]
fn general() {
    ascends("varchar(9) utf8mb4_general_ci", &["", "1", "A", "_", "Æ", "Ж", "я", "€", "漢"]);
    equal("varchar(9) utf8mb4_general_ci", &["straSe", "STRASE", "straße", "ſtraße"]);
    equal("varchar(9) utf8mb4_general_ci", &["\u{1f600}", "\u{1f4a9}", "\u{fffd}"]);
}

#[test]
fn by_unicode() {
    for ty in [
        "varchar(9) utf8mb4_0900_ai_ci",
        "varchar(9) utf8mb4_uca1400_ai_ci",
        "varchar(9) utf8mb4_unicode_ci",
        "varchar(9) utf8mb4_unicode_520_ci",
    ] {
        ascends(ty, &["_", "-", "@", "$", "€", "0", "9", "a", "az", "B", "z", "α", "Ж", "漢"]);
        equal(ty, &["resume", "Résumé", "RÉSUMÉ"]);
        equal(ty, &["strasse", "Straße"]);
    }
}

#[test]
fn with_accents_and_case() {
    ascends("varchar(9) utf8mb4_0900_as_cs", &["role", "Role", "rôle", "Rôle", "roles"]);
    equal("varchar(9) utf8mb4_0900_as_ci", &["rôle", "Rôle"]);
    ascends("varchar(9) utf8mb4_0900_as_ci", &["role", "rôle", "roles"]);
    ascends("varchar(9) utf8mb4_uca1400_as_cs", &["role", "Role", "rôle", "Rôle", "roles"]);
}

/// As if blanks followed for ever.
fn padded(a: &[u8], b: &[u8]) -> Ordering {
    let pad = |text: &[u8]| [text, &[b' '; 12]].concat()[..12].to_vec();
    pad(a).cmp(&pad(b))
}

proptest! {
    #[test]
    fn as_padded_bytes(a in "[\\x00\t !a]{0,8}", b in "[\\x00\t !a]{0,8}") {
        for ty in PADDED {
            let upper = |text: &str| text.to_ascii_uppercase();
            let (a, b) = if ty.ends_with("bin") { (a.clone(), b.clone()) } else { (upper(&a), upper(&b)) };
            compares_bytes(ty, a.as_bytes(), b.as_bytes(), padded(a.as_bytes(), b.as_bytes()));
        }
    }
}
