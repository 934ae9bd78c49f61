//! Each form by a one-line case, where statements are cut, and a round trip of texts through a reader of SQL literals.

use super::*;
use crate::value::Rules;
use crate::value::check::Check;
use crate::value::column::ColumnType;
use crate::wire::ServerVersion;
use arrow_array::BinaryViewArray;
use proptest::prelude::*;

const HEAD: &str = "INSERT INTO `d`.`t` (`c`) VALUES ";
const NO_LIMITS: Limits = Limits { bytes: usize::MAX, max_bytes: usize::MAX, rows: usize::MAX };

fn column(ty: &str) -> Column {
    Column { charset: None, ..Column::new("c", ColumnType::parse(ty)) }
}

fn checked(ty: &str, cells: &[Option<&[u8]>]) -> CheckedColumn {
    let rules = Rules::utc(ServerVersion::parse("9.7.4"));
    let cells = BinaryViewArray::from_iter(cells.iter().copied());
    Check::new(&column(ty), &rules).run(&cells, true, &mut Vec::new())
}

/// All statements and their row ranges.
fn all(multi_row: &MultiRow, columns: &[CheckedColumn], skip: &[u32], n_rows: usize) -> Vec<(Range<usize>, String)> {
    let mut statements = Vec::new();
    let mut from = 0;
    loop {
        let mut out = b"before".to_vec();
        match multi_row.next(columns, skip, from..n_rows, &mut out) {
            Next::Statement { rows, .. } => {
                from = rows.end;
                statements.push((rows, String::from_utf8(out).unwrap().strip_prefix("before").unwrap().to_owned()));
            }
            Next::TooLong { row, bytes } => {
                from = row + 1;
                assert_eq!(out, b"before");
                statements.push((row..row + 1, format!("too long: {bytes}")));
            }
            Next::End => return statements,
        }
    }
}

#[track_caller]
fn check(ty: &str, cells: &[Option<&[u8]>], want: &str) {
    let multi_row = MultiRow::new("`d`.`t`", &[column(ty)], NO_LIMITS, true);
    let statements = all(&multi_row, &[checked(ty, cells)], &[], cells.len());
    assert_eq!(statements, [(0..cells.len(), format!("{HEAD}{want}"))]);
}

#[test]
fn numbers_stand_bare() {
    check("int", &[Some(b"1"), Some(b"-2"), None], "(1),(-2),(NULL)");
    check("decimal(5,2)", &[Some(b"+1.50")], "(1.5)");
    check("bit(8)", &[Some(b"0xff")], "(255)");
}
#[test]
fn floats_and_times_are_quoted() {
    check("double", &[Some(b"1e5")], "('1e5')");
    check("datetime", &[Some(b"2013-01-05T07:03:00Z")], "('2013-01-05 07:03:00')");
    check("year", &[Some(b"0000")], "('0000')");
}
#[test]
fn texts_are_escaped() {
    check("text", &[Some(b"it's"), Some(b"a\\b\0\n"), Some(b"")], "('it''s'),('a\\\\b\0\n'),('')");
    check("enum('a''b')", &[Some(b"a'b")], "('a''b')");
}
#[test]
fn bytes_say_that_they_are_none_of_a_character_set() {
    check("varbinary(9)", &[Some(b"\0'\\\x7f"), Some(b"")], "(_binary'\0''\\\\\x7f'),(_binary'')");
}
#[test]
fn functions() {
    check("vector(2)", &[Some(b"[1,2]"), None], "(STRING_TO_VECTOR('[1,2]')),(NULL)");
    check("point", &[Some(b"POINT(1 2)")], "(ST_GeomFromText('POINT(1 2)'))");
    let own_form = b"000000000101000000000000000000F03F0000000000000040";
    check("point", &[Some(own_form)], &format!("(X'{}')", String::from_utf8_lossy(own_form)));
}

#[test]
fn columns_are_named() {
    let columns = [Column { name: "a`b".into(), ..column("int") }, column("text")];
    let multi_row = MultiRow::new("`t`", &columns, NO_LIMITS, true);
    let cells = [checked("int", &[Some(b"1"), Some(b"2")]), checked("text", &[Some(b"x"), None])];
    let statements = all(&multi_row, &cells, &[], 2);
    assert_eq!(statements[0].1, "INSERT INTO `t` (`a``b`,`c`) VALUES (1,'x'),(2,NULL)");
}

#[track_caller]
fn check_cuts(limits: Limits, skip: &[u32], want: &[(Range<usize>, &str)]) {
    let multi_row = MultiRow::new("`d`.`t`", &[column("text")], limits, true);
    let cells = checked("text", &[Some(b"a"), Some(b"bb"), Some(b"a long one"), Some(b"c"), Some(b"d")]);
    let got = all(&multi_row, &[cells], skip, 5);
    let want: Vec<(Range<usize>, String)> = want
        .iter()
        .map(|(rows, text)| {
            (rows.clone(), if text.starts_with('(') { format!("{HEAD}{text}") } else { (*text).into() })
        })
        .collect();
    assert_eq!(got, want);
}

#[test]
fn cut_by_rows() {
    let limits = Limits { rows: 2, ..NO_LIMITS };
    check_cuts(limits, &[], &[(0..2, "('a'),('bb')"), (2..4, "('a long one'),('c')"), (4..5, "('d')")]);
}
#[test]
fn cut_by_bytes() {
    let limits = Limits { bytes: HEAD.len() + 14, ..NO_LIMITS };
    check_cuts(limits, &[], &[(0..2, "('a'),('bb')"), (2..3, "('a long one')"), (3..5, "('c'),('d')")]);
}
#[test]
fn a_row_larger_than_a_usual_statement_travels_alone() {
    let limits = Limits { bytes: HEAD.len() + 13, max_bytes: HEAD.len() + 14, ..NO_LIMITS };
    check_cuts(limits, &[], &[(0..2, "('a'),('bb')"), (2..3, "('a long one')"), (3..5, "('c'),('d')")]);
}
#[test]
fn a_row_that_never_fits_is_named_and_not_sent() {
    let limits = Limits { bytes: HEAD.len() + 13, max_bytes: HEAD.len() + 13, ..NO_LIMITS };
    let too_long = format!("too long: {}", HEAD.len() + 14);
    check_cuts(limits, &[], &[(0..2, "('a'),('bb')"), (2..3, &too_long), (3..5, "('c'),('d')")]);
    check_cuts(Limits { bytes: 10, max_bytes: 10, ..limits }, &[0, 1, 3, 4], &[(2..3, &too_long)]);
}
#[test]
fn skipped_rows() {
    check_cuts(NO_LIMITS, &[0, 2, 4], &[(0..4, "('bb'),('c')")]);
    check_cuts(NO_LIMITS, &[0, 1, 2, 3, 4], &[]);
}
#[test]
fn a_range_alone() {
    let multi_row = MultiRow::new("`d`.`t`", &[column("int")], NO_LIMITS, true);
    let cells = [checked("int", &[Some(b"0"), Some(b"1"), Some(b"2"), Some(b"3")])];
    let mut out = Vec::new();
    assert_eq!(multi_row.next(&cells, &[0, 2], 1..3, &mut out), Next::Statement { rows: 1..2, n_rows: 1 });
    assert!(out.ends_with(b"VALUES (1)"));
    assert_eq!(multi_row.next(&cells, &[0, 2], 2..3, &mut out), Next::End);
}

/// Reads the text of the single literal in `('..')` as the manual says; shares nothing with the encoder.
fn decode(sql: &[u8], backslash_escapes: bool) -> Vec<u8> {
    let inner = sql.strip_prefix(HEAD.as_bytes()).and_then(|s| s.strip_prefix(b"('")).unwrap();
    let mut text = Vec::new();
    let mut rest = inner;
    loop {
        match rest {
            [b'\'', b'\'', tail @ ..] => {
                text.push(b'\'');
                rest = tail;
            }
            [b'\'', tail @ ..] => {
                assert_eq!(tail, b")", "the literal ended early");
                return text;
            }
            [b'\\', escaped, tail @ ..] if backslash_escapes => {
                assert!(b"\\'\"".contains(escaped), "an escape that means something else");
                text.push(*escaped);
                rest = tail;
            }
            [byte, tail @ ..] => {
                text.push(*byte);
                rest = tail;
            }
            [] => panic!("the literal has no end"),
        }
    }
}

proptest! {
    #[test]
    fn a_text_stays_inside_its_quotes(text in prop::collection::vec(prop_oneof![Just(b'\''), Just(b'\\'), Just(b'a'), Just(0u8), 0x20u8..0x7f], 0..80), backslash_escapes: bool) {
        let multi_row = MultiRow::new("`d`.`t`", &[column("text")], NO_LIMITS, backslash_escapes);
        let mut out = Vec::new();
        multi_row.next(&[checked("text", &[Some(&text)])], &[], 0..1, &mut out);
        prop_assert_eq!(decode(&out, backslash_escapes), text);
    }
}
