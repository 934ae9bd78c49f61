//! CHAR, VARCHAR, TEXT in several character sets; BINARY, VARBINARY, BLOB.

use super::oracle::{Oracle, Stored};
use super::{refuses, stores, stores_as_is};

const NASTY: [&str; 12] = [
    "",
    "a",
    "\\N",
    "NULL",
    "it's",
    "a\\b",
    "tab\there",
    "line\nbreak",
    "nul\0byte",
    "\r\n",
    "\u{1a}",
    "\"'`%_\\'--;#/*",
];

#[test]
fn any_text() {
    let long = "0123456789abcde\\".repeat(100) + "'" + &"é😀".repeat(100);
    let cells: Vec<&str> =
        NASTY.into_iter().chain(["é", "😀", "e\u{301}", "\u{feff}x", "\u{7f}\u{80}", long.as_str()]).collect();
    stores_as_is("text", &cells);
    stores_as_is("varchar(2000)", &cells);
    stores_as_is("longtext COLLATE utf8mb4_bin", &cells);
}

/// Twice, so that each stands once at an even and once at an odd place: there it is quoted only if it must be, and here in any case.
#[test]
fn quotes() {
    const QUOTES: [&str; 9] = ["a\"b", "a\"\"b", "a\"", "\"", "\"\"", "\"a\"", " \"a\"", "a\"|\"b", "\"\n\"|"];
    let cells = [QUOTES, QUOTES].concat();
    stores_as_is("text", &cells);
    stores_as_is("varchar(20) CHARACTER SET latin1", &cells);
}

#[test]
fn length_in_characters() {
    stores_as_is("varchar(3)", &["", "abc", "äöü", "😀😀😀", "   "]);
    stores_as_is("char(3)", &["", "abc", "😀😀😀", " a"]);
    refuses("varchar(3)", &["abcd", "äöüß", "a    ", "    "]);
    refuses("char(3)", &["abcd", "😀😀😀😀"]);
}

#[test]
fn length_in_bytes() {
    stores_as_is("tinytext", &[&"x".repeat(255), &"é".repeat(127)]);
    refuses("tinytext", &[&"x".repeat(256), &"é".repeat(128)]);
    stores_as_is("tinytext CHARACTER SET latin1", &[&"é".repeat(255)]);
    refuses("tinytext CHARACTER SET latin1", &[&"é".repeat(256)]);
    stores_as_is("tinytext CHARACTER SET utf16", &[&"é".repeat(127), &"😀".repeat(63)]);
    refuses("tinytext CHARACTER SET utf16", &[&"é".repeat(128), &"😀".repeat(64)]);
    stores_as_is("tinytext CHARACTER SET utf32", &[&"é".repeat(63)]);
    refuses("tinytext CHARACTER SET utf32", &[&"é".repeat(64)]);
    stores_as_is("text", &[&"x".repeat(65_535)]);
    refuses("text", &[&"x".repeat(65_536)]);
}

#[test]
fn characters_of_a_set() {
    stores_as_is("varchar(9) CHARACTER SET ascii", &["abc", "\x7f"]);
    refuses("varchar(9) CHARACTER SET ascii", &["é", "\u{80}"]);
    stores_as_is("varchar(9) CHARACTER SET utf8mb3", &["é", "ł€", "\u{ffff}"]);
    refuses("varchar(9) CHARACTER SET utf8mb3", &["😀", "a😀"]);
    stores_as_is("varchar(9) CHARACTER SET ucs2", &["é", "ł€"]);
    refuses("varchar(9) CHARACTER SET ucs2", &["😀"]);
    stores_as_is("varchar(9) CHARACTER SET utf16", &["😀"]);
    stores_as_is("varchar(9) CHARACTER SET utf16le", &["😀"]);
}

/// Every character that we say latin1 has is stored, and every other one up to U+2FFF is refused.
#[test]
fn all_of_latin1() {
    for oracle in Oracle::on_all("varchar(9) CHARACTER SET latin1") {
        let all: Vec<String> = (1..0x3000).filter_map(char::from_u32).map(String::from).collect();
        let (good, bad): (Vec<&String>, Vec<&String>) = all.iter().partition(|c| oracle.verdict(c.as_bytes()).is_ok());
        assert_eq!(good.len(), 255, "{}", oracle.server_name());
        let pairs: Vec<(&str, &str)> = good.iter().map(|c| (c.as_str(), c.as_str())).collect();
        oracle.check_stored(&pairs);
        for c in bad.iter().step_by(97).chain(bad.iter().take(40)) {
            assert_eq!(oracle.raw(c.as_bytes()), Stored::Noticed, "{c:?} on {}", oracle.server_name());
        }
    }
}

/// A set that we do not know: the server refuses what it does not have.
#[test]
fn unknown_sets_are_left_to_the_server() {
    for oracle in Oracle::on_all("varchar(9) CHARACTER SET cp1250") {
        oracle.check_stored(&[("ł", "ł")]);
        assert_eq!(oracle.verdict("😀".as_bytes()), Ok(()));
        assert_eq!(oracle.raw("😀".as_bytes()), Stored::Noticed, "{}", oracle.server_name());
    }
}

#[test]
fn not_utf8() {
    for ty in ["varchar(9)", "text", "varchar(9) CHARACTER SET latin1", "json", "enum('a')"] {
        for oracle in Oracle::on_all(ty) {
            for cell in [&b"\xff"[..], b"a\xc3", b"\xc3(", b"\xf4\x90\x80\x80", b"\xc0\x80", b"\x80"] {
                oracle.check_refused(cell);
            }
        }
    }
    // Half a surrogate pair is no character, whatever MariaDB says.
    for oracle in Oracle::on_all("varchar(9)") {
        let mariadb = oracle.server_name().contains("mariadb");
        let check = if mariadb { Oracle::check_stricter } else { Oracle::check_refused };
        check(&oracle, b"\xed\xa0\x80");
    }
}

#[test]
fn bytes() {
    let all: Vec<u8> = (0..=255).collect();
    let hostile: [&[u8]; 7] = [&all, b"", b"'", b"\\", b"\xff\xfe\0\n\t\\N", b"\xed\xa0\x80", b"\xe9'"];
    for ty in ["blob", "varbinary(300)", "longblob"] {
        for oracle in Oracle::on_all(ty) {
            oracle.check_stored_bytes(&hostile);
        }
    }
    stores("binary(3)", &[("abc", "abc")]);
    refuses("varbinary(3)", &["abcd", "äö"]);
    refuses("binary(3)", &["abcd"]);
    refuses("tinyblob", &[&"x".repeat(256)]);
}
