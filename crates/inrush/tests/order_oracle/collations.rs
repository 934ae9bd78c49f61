//! Texts by collation.

use super::cells::{dense, mixed};
use super::oracle::{Part, exact_parts, on};
use inrush_testkit::servers;

/// Blanks, what is below and above them, both cases, accents, other scripts, beyond the BMP.
const WIDE: &str = "aAbBzZ019 \t\u{1}!_-~éÉäßøæœſłİıΑαжЖ漢\u{fb01}\u{a0}€“\u{301}\u{ffff}\u{1f600}\u{1f601}";
const LATIN: &str = "aAbBzZ019 \t\u{1}!_-~éÉäßøæœÿ€“\u{a0}þÐ";
const ASCII: &str = "aAbBzZ019 \t\u{1}!_-~";

#[track_caller]
fn exact(collation: &'static str, alphabet: &str) {
    // A CHAR of a NO PAD collation is near: versions of MariaDB differ.
    let types = ["varchar(60)", "char(60)"];
    for ty in &types[..if collation.contains("nopad") || collation.contains("_0900_") { 1 } else { 2 }] {
        exact_parts(&[Part::collate(ty, collation)], &[&dense(700, alphabet)]);
        exact_parts(&[Part::collate(ty, collation)], &[&mixed(if alphabet == WIDE { 400 } else { 1 })]);
    }
}

#[test]
fn binary() {
    for collation in ["utf8mb4_bin", "utf8mb3_bin", "utf8mb4_nopad_bin", "utf8mb4_0900_bin"] {
        exact(collation, if collation.contains("mb3") { LATIN } else { WIDE });
    }
    exact("latin1_bin", LATIN);
    exact("latin1_nopad_bin", LATIN);
    exact("ascii_bin", ASCII);
}

#[test]
fn general() {
    exact("utf8mb4_general_ci", WIDE);
    exact("utf8mb4_general_nopad_ci", WIDE);
    exact("utf8mb3_general_ci", LATIN);
}

#[test]
fn one_byte() {
    for collation in
        ["latin1_swedish_ci", "latin1_general_ci", "latin1_general_cs", "latin1_german1_ci", "latin1_swedish_nopad_ci"]
    {
        exact(collation, LATIN);
    }
    exact("ascii_general_ci", ASCII);
    exact("ascii_general_nopad_ci", ASCII);
}

/// The most inverted neighbours in percent, of mixed texts and of dense ones.
const NEAR: &[(&str, f64, f64)] = &[
    ("utf8mb4_0900_ai_ci", 0.5, 15.0),
    ("utf8mb4_0900_as_ci", 0.5, 15.0),
    ("utf8mb4_0900_as_cs", 1.0, 15.0),
    ("utf8mb4_uca1400_ai_ci", 0.5, 15.0),
    ("utf8mb4_uca1400_as_ci", 0.5, 15.0),
    ("utf8mb4_uca1400_as_cs", 1.0, 15.0),
    ("utf8mb4_uca1400_nopad_ai_ci", 0.5, 15.0),
    ("utf8mb4_unicode_ci", 0.5, 10.0),
    ("utf8mb4_unicode_nopad_ci", 0.5, 10.0),
    ("utf8mb4_unicode_520_ci", 0.5, 10.0),
    ("utf8mb4_general1400_as_ci", 15.0, 5.0),
    ("utf8mb4_de_pb_0900_ai_ci", 5.0, 15.0),
    ("utf8mb4_sv_0900_ai_ci", 20.0, 40.0),
    ("utf8mb4_swedish_ci", 20.0, 40.0),
    ("utf8mb4_german2_ci", 20.0, 40.0),
    ("latin1_german2_ci", 20.0, 40.0),
    ("latin1_danish_ci", 20.0, 40.0),
    ("utf16_general_ci", 20.0, 40.0),
    ("utf16_bin", 20.0, 40.0),
    ("ucs2_bin", 20.0, 40.0),
];

#[test]
fn near() {
    let mixed = mixed(1500);
    for (collation, most_mixed, most_dense) in NEAR {
        let parts = [Part::collate("varchar(60)", collation)];
        assert!(!parts[0].is_exact(), "{collation}");
        let is_wide = collation.starts_with("utf8") && !collation.contains("general1400");
        let dense = dense(700, if is_wide { WIDE } else { ASCII });
        let mut n_servers = 0;
        for server in servers::with_local_infile() {
            for (sample, cells, most) in [("mixed", &mixed, most_mixed), ("dense", &dense, most_dense)] {
                let Some(found) = on(&server, &parts, &[cells]) else { continue };
                n_servers += 1;
                for (how, found, example) in found {
                    let percent = found.percent();
                    println!("{collation} | {} | {sample} | {how} | {percent:.2} % | {}", server.name, example);
                    assert!(percent <= *most, "{collation} on {}, {sample}: {percent:.2} %: {example}", server.name);
                }
            }
        }
        assert!(n_servers > 0, "no server has {collation}");
    }
}
