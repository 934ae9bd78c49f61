//! Lines that are cut, and columns that are measured.

use super::*;

#[test]
fn options() {
    let is = |text: &str, want: Option<&str>| {
        assert_eq!(Widths::parse(text).ok().map(|widths| widths.to_string()).as_deref(), want, "{text}");
    };
    is("5,10,8", Some("5,10,8"));
    is(" 5 , 10 ,rest", Some("5,10,rest"));
    is("7", Some("7"));
    for wrong in ["", "rest", ",rest", "5,,8", "0", "-1", "5,10rest", "5,rest,8", "99999999999999999999", "2000000"] {
        is(wrong, None);
    }
}

#[test]
fn lines() {
    let is = |widths: &str, line: &str, want: &str| {
        let mut fields = Vec::new();
        Widths::parse(widths).unwrap().cut(line.as_bytes(), |field| fields.push(String::from_utf8_lossy(field)));
        assert_eq!(fields.join("|"), want, "{widths} {line}");
    };
    is("3,3,3", " 1 ab xyz", "1|ab|xyz");
    is("3,3,3", "éé ßß\u{20ac}xyz", "éé|ßß€|xyz");
    is("3,3,3", "1     z", "1||z");
    is("3,3,3", "1", "1");
    is("3,3,3", "1  b", "1|b");
    is("3,3,3", "1  b  c     ", "1|b|c");
    is("3,3,3", "1  b  cccd", "1|b|ccc|d");
    is("3,rest", "1  b  cccd", "1|b  cccd");
    is("3,rest", "1   ", "1|");
    is("3,rest", "1  ", "1");
    is("3", "", "");
    is("2,2", "\u{a0}a\t ", "\u{a0}a|\t");
}

#[test]
fn columns_are_measured() {
    let is = |text: &str, want: Option<(&str, bool)>| {
        let lines: Vec<&[u8]> = text.split('\n').map(str::as_bytes).collect();
        let measured = Widths::measure(&lines).map(|(widths, is_short)| (widths.to_string(), is_short));
        assert_eq!(measured, want.map(|(widths, is_short)| (widths.to_owned(), is_short)), "{text}");
    };
    is("id  name       born\n 1  Ann Lee    2024\n20  Bob        2023", Some(("4,11,rest", false)));
    is("id  name\n 1  Ännchen  x\n20", Some(("4,9,rest", true)));
    is("  a  b\n  c  d", Some(("5,rest", false)));
    is("abc\ndef", None);
    is("", None);
    is("  a\n  b", None);
    // Words of a name are not cut, a line of dashes says where columns begin.
    is("id  First Name  Age\n 1  Ann          40\n20  Bob          17", Some(("4,12,rest", false)));
    is("Name  Unit Price\nAnn         2.50\nBob        12.00", Some(("6,rest", false)));
    is("id name\n 1 Ann\n20 Bob", Some(("3,rest", false)));
    is("id First Name\n-- ----------\n 1 Ann\n20 Bob Lee", Some(("3,rest", false)));
    is("id  name\n--------\n 1  Ann\n20  Bob", Some(("4,rest", false)));
}
