//! The statement, each form by a one-line case, and a round trip through a decoder of its own.

use super::*;
use crate::value::check::Check;
use crate::value::column::ColumnType;
use crate::wire::ServerVersion;
use arrow_array::BinaryViewArray;
use jiff::tz::TimeZone;
use proptest::prelude::*;

fn column(name: &str, ty: &str) -> Column {
    Column {
        name: name.into(),
        ty: ColumnType::parse(ty),
        nullable: true,
        optional: true,
        auto_increment: false,
        generated: false,
        charset: None,
    }
}

fn rules(server: &str) -> Rules {
    Rules { zone: TimeZone::UTC, server: ServerVersion::parse(server) }
}

#[track_caller]
fn check_statement(server: &str, columns: &[(&str, &str)], want_list: &str) {
    let columns: Vec<Column> = columns.iter().map(|(name, ty)| column(name, ty)).collect();
    let sql = statement("`d`.`t`", &columns, &rules(server), "it's");
    let head = "LOAD DATA LOCAL INFILE 'it''s' INTO TABLE `d`.`t` CHARACTER SET utf8mb4 \
                FIELDS TERMINATED BY X'09' ESCAPED BY X'5C' LINES TERMINATED BY X'0A' ";
    assert_eq!(sql, head.to_owned() + want_list);
}

#[test]
fn plain_columns_are_listed() {
    check_statement(
        "9.7.4",
        &[("a", "int"), ("b`c", "text"), ("d", "datetime(6)"), ("e", "json")],
        "(`a`,`b``c`,`d`,`e`)",
    );
}

#[test]
fn characters_are_bytes_where_no_column_can_tell() {
    check_charset(&[("int", None), ("decimal(5,2)", None), ("double", None), ("year", None)], "binary");
    check_charset(&[("date", None), ("time(3)", None), ("datetime", None), ("timestamp(6)", None)], "binary");
    check_charset(
        &[("char(3)", Some("utf8mb4")), ("varchar(9)", Some("utf8mb4")), ("text", Some("utf8mb4"))],
        "binary",
    );
    for (ty, charset) in [
        ("varchar(9)", Some("latin1")),
        ("varchar(9)", Some("utf8mb3")),
        ("varchar(9)", None),
        ("enum('a')", Some("utf8mb4")),
        ("set('a')", Some("utf8mb4")),
        ("json", Some("utf8mb4")),
        ("blob", None),
        ("bit(3)", None),
        ("uuid", None),
        ("inet6", None),
    ] {
        check_charset(&[("int", None), (ty, charset)], "utf8mb4");
    }
}

#[track_caller]
fn check_charset(columns: &[(&str, Option<&str>)], want: &str) {
    let columns: Vec<Column> =
        columns.iter().map(|(ty, charset)| Column { charset: charset.map(Into::into), ..column("a", ty) }).collect();
    let sql = statement("t", &columns, &rules("9.7.4"), "f");
    assert!(sql.contains(&format!("INTO TABLE t CHARACTER SET {want} FIELDS")), "{sql}");
}

#[test]
fn others_pass_through_a_variable() {
    check_statement(
        "9.7.4",
        &[("a", "blob"), ("b", "int"), ("c", "bit(3)")],
        "(@inrush1,`b`,@inrush3) SET `a`=UNHEX(@inrush1),`c`=CAST(@inrush3 AS UNSIGNED)",
    );
    check_statement("9.7.4", &[("v", "vector(3)")], "(@inrush1) SET `v`=STRING_TO_VECTOR(@inrush1)");
    check_statement("11.8.9-MariaDB", &[("v", "vector(3)")], "(@inrush1) SET `v`=VEC_FromText(@inrush1)");
    check_statement(
        "9.7.4",
        &[("g", "point")],
        "(@inrush1) SET `g`=IF(@inrush1 REGEXP '^[0-9A-Fa-f]',UNHEX(@inrush1),ST_GeomFromText(@inrush1))",
    );
}

fn checked(columns: &[(&str, Vec<Option<&[u8]>>)]) -> Vec<CheckedColumn> {
    let check_one = |(ty, cells): &(&str, Vec<Option<&[u8]>>)| {
        let cells = BinaryViewArray::from_iter(cells.iter().copied());
        Check::new(&column("c", ty), &rules("9.7.4")).run(&cells, false, &mut Vec::new())
    };
    columns.iter().map(check_one).collect()
}

#[track_caller]
fn check(columns: &[(&str, Vec<Option<&[u8]>>)], skip: &[u32], want: &str) {
    let mut out = Vec::new();
    let n_rows = encode(&checked(columns), skip, &mut out);
    assert_eq!(String::from_utf8_lossy(&out), want);
    assert_eq!(n_rows, want.matches('\n').count());
}

#[test]
fn rows_of_fields() {
    check(&[("int", vec![Some(b"1"), Some(b"2")]), ("text", vec![Some(b"a"), None])], &[], "1\ta\n2\t\\N\n");
}
#[test]
fn one_empty_field_is_an_empty_line() {
    check(&[("text", vec![Some(b""), Some(b"")])], &[], "\n\n");
}
#[test]
fn bad_rows_are_left_out() {
    check(&[("int", vec![Some(b"1"), Some(b"x"), Some(b"3"), Some(b"y")])], &[1, 3], "1\n3\n");
    check(&[("int", vec![Some(b"x")])], &[0], "");
}
#[test]
fn specials_are_escaped() {
    check(&[("text", vec![Some(b"a\tb\nc\\d\0e\rf'g\"")])], &[], "a\\tb\\nc\\\\d\\0e\rf'g\"\n");
    check(&[("text", vec![Some(b"\\N"), Some(b"NULL"), None])], &[], "\\\\N\nNULL\n\\N\n");
}
#[test]
fn long_text_is_escaped_in_every_step() {
    check(
        &[("text", vec![Some(b"0123456789abcdef\\123456789abcdef0123456789abcd\n")])],
        &[],
        "0123456789abcdef\\\\123456789abcdef0123456789abcd\\n\n",
    );
}
#[test]
fn bytes_go_as_hex() {
    check(&[("blob", vec![Some(b"\0\xff\n"), Some(b""), None])], &[], "00FF0A\n\n\\N\n");
}
#[test]
fn bits_go_as_numbers() {
    check(&[("bit(8)", vec![Some(b"0x41"), Some(b"1")])], &[], "65\n1\n");
}
#[test]
fn rewritten_cells_are_written() {
    check(
        &[("datetime", vec![Some(b"2013-01-05T07:03:00Z"), Some(b"2013-01-05")])],
        &[],
        "2013-01-05 07:03:00\n2013-01-05\n",
    );
}
#[test]
fn no_rows() {
    check(&[("int", vec![])], &[], "");
}

/// What the manual says of a field under these separators; shares nothing with the encoder.
fn decode(text: &[u8]) -> Vec<Vec<Option<Vec<u8>>>> {
    let mut rows = Vec::new();
    let mut row = Vec::new();
    let mut field = Vec::new();
    let mut null = false;
    let mut bytes = text.iter();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' => match bytes.next() {
                Some(b'N') if field.is_empty() => null = true,
                Some(b't') => field.push(b'\t'),
                Some(b'n') => field.push(b'\n'),
                Some(b'0') => field.push(0),
                Some(b'r') => field.push(b'\r'),
                Some(b'b') => field.push(8),
                Some(b'Z') => field.push(26),
                Some(other) => field.push(*other),
                None => panic!("a backslash at the end"),
            },
            b'\t' | b'\n' => {
                let finished = std::mem::take(&mut field);
                row.push(if std::mem::take(&mut null) { None } else { Some(finished) });
                if *byte == b'\n' {
                    rows.push(std::mem::take(&mut row));
                }
            }
            other => {
                assert!(!null, "a character behind \\N");
                field.push(*other);
            }
        }
    }
    assert!(row.is_empty() && field.is_empty(), "the last row has no end");
    rows
}

fn cell() -> impl Strategy<Value = Option<Vec<u8>>> {
    let nasty = prop::sample::select(b"\\\\\\\t\n\0NntrbZ0'\r\x1a,\"a".to_vec());
    prop_oneof![
        1 => Just(None),
        6 => prop::collection::vec(nasty, 0..40).prop_map(Some),
        3 => prop::collection::vec(0x20u8..0x7f, 0..200).prop_map(Some),
        2 => ".{0,40}".prop_map(|s: String| Some(s.into_bytes())),
    ]
}

proptest! {
    #[test]
    fn decodes_to_what_was_encoded(rows in prop::collection::vec((cell(), cell(), cell()), 0..40), skip in prop::collection::btree_set(0u32..40, 0..10)) {
        let texts: Vec<[Option<Vec<u8>>; 3]> = rows.into_iter().map(|(a, b, c)| [a, b, c]).collect();
        let columns: Vec<CheckedColumn> = (0..3)
            .map(|i| {
                let cells = BinaryViewArray::from_iter(texts.iter().map(|row| row[i].as_deref()));
                Check::new(&column("c", "longtext"), &rules("9.7.4")).run(&cells, true, &mut Vec::new())
            })
            .collect();
        let skip: Vec<u32> = skip.into_iter().collect();
        let mut out = Vec::new();
        let n_rows = encode(&columns, &skip, &mut out);
        let want: Vec<Vec<Option<Vec<u8>>>> = texts
            .into_iter()
            .enumerate()
            .filter(|(row, _)| !skip.contains(&(*row as u32)))
            .map(|(_, row)| row.to_vec())
            .collect();
        prop_assert_eq!(n_rows, want.len());
        prop_assert_eq!(decode(&out), want);
    }
}
