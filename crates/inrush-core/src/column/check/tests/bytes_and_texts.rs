//! CHAR, VARCHAR, TEXT and their character sets; BINARY, VARBINARY, BLOB.

use crate::column::check::tests::*;

#[track_caller]
fn in_charset(charset: &str, ty: &str, cell: &str, want: Result<(), &str>) {
    let column = Column { charset: Some(charset.into()), ..column(ty) };
    let got = run(&column, &rules(), cell.as_bytes()).map(|_| ());
    assert_eq!(got, want.map_err(str::to_owned), "{ty} {charset} of `{cell}`");
}

#[test]
fn length_in_characters() {
    good("varchar(3)", &["", "abc", "äöü", "😀😀😀", "a\0b", "  "]);
    good("char(1)", &["é"]);
    bad("varchar(10)", "123456789012", "`123456789012` is 12 characters long, VARCHAR(10) takes 10");
    bad("char(1)", "ab", "`ab` is 2 characters long, CHAR(1) takes 1");
    bad("varchar(3)", "äöüß", "`äöüß` is 4 characters long, VARCHAR(3) takes 3");
    bad("varchar(3)", "a   ", "`a   ` is 4 characters long, VARCHAR(3) takes 3");
}

#[test]
fn length_in_bytes() {
    good("tinytext", &[&"x".repeat(255), &"é".repeat(127)]);
    let shown = "`".to_owned() + &"é".repeat(20) + "..` is 256 bytes long, TINYTEXT takes 255";
    bad("tinytext", &"é".repeat(128), &shown);
    in_charset("latin1", "tinytext", &"é".repeat(255), Ok(()));
    in_charset("latin1", "tinytext", &"é".repeat(256), Err(&shown));
    in_charset("ucs2", "tinytext", &"é".repeat(127), Ok(()));
    in_charset("utf16", "tinytext", &"é".repeat(128), Err(&shown));
    in_charset("utf32", "tinytext", &"é".repeat(63), Ok(()));
    in_charset("sjis", "tinytext", &"é".repeat(256), Ok(()));
}

#[test]
fn characters_that_a_set_does_not_have() {
    in_charset("ascii", "varchar(9)", "abc", Ok(()));
    in_charset("ascii", "varchar(9)", "é", Err("`é` (U+00E9) does not exist in character set ascii"));
    in_charset("latin1", "varchar(9)", "é€\u{81}ÿ", Ok(()));
    in_charset("latin1", "varchar(9)", "ł", Err("`ł` (U+0142) does not exist in character set latin1"));
    in_charset("latin1", "varchar(9)", "\u{80}", Err("`\\u{80}` (U+0080) does not exist in character set latin1"));
    in_charset("utf8mb3", "varchar(9)", "ł€", Ok(()));
    in_charset("utf8mb3", "varchar(9)", "😀", Err("`😀` (U+1F600) does not exist in character set utf8mb3"));
    in_charset("utf8", "varchar(9)", "😀", Err("`😀` (U+1F600) does not exist in character set utf8"));
    in_charset("cp1250", "varchar(9)", "😀", Ok(()));
}

#[test]
fn text_must_be_utf8() {
    for ty in ["varchar(9)", "text", "enum('a')", "json", "xmltype"] {
        let got = run(&column(ty), &rules(), b"ab\xff");
        assert_eq!(got, Err("not valid UTF-8 at byte 3".into()), "{ty}");
    }
}

#[test]
fn bytes() {
    assert_eq!(run(&column("varbinary(3)"), &rules(), b"\xff\0\x80"), Ok(b"\xff\0\x80".to_vec()));
    good("binary(3)", &["", "abc"]);
    bad("varbinary(3)", "äö", "`äö` is 4 bytes long, VARBINARY(3) takes 3");
    good("longblob", &["x"]);
    let got = run(&column("tinyblob"), &rules(), &[0xff; 256]).unwrap_err();
    assert!(got.ends_with("..` is 256 bytes long, TINYBLOB takes 255") && got.len() < 400, "{got}");
}

#[test]
fn messages_are_one_short_line() {
    bad("int", "a\nb\tc\0`", "`a\\nb\\tc\\0`` is not a whole number");
    let long = format!("`{}..` is not a whole number", "x".repeat(40));
    bad("int", &"x".repeat(1 << 20), &long);
}
