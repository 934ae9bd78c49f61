//! The statement, each form by a one-line case, and a round trip through a decoder of its own.

use crate::column::ColumnType;
use crate::column::check::Check;
use crate::load::Origin;
use crate::load::encode::load_data::*;
use crate::wire::ServerVersion;
use crate::write::Separators;
use arrow_array::{BinaryViewArray, RecordBatch};
use arrow_buffer::Buffer;
use proptest::prelude::*;
use std::sync::Arc;

fn column(name: &str, ty: &str) -> Column {
    Column { charset: None, ..Column::new(name, ColumnType::parse(ty)) }
}

fn rules(server: &str) -> Rules {
    Rules::utc(ServerVersion::parse(server))
}

#[track_caller]
fn check_statement(server: &str, columns: &[(&str, &str)], want_list: &str) {
    let columns: Vec<Column> = columns.iter().map(|(name, ty)| column(name, ty)).collect();
    let sql = statement("`d`.`t`", &columns, &rules(server), "ä".as_bytes(), "it's");
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
    for (ty, charset) in [
        ("int", None),
        ("decimal(5,2)", None),
        ("double", None),
        ("year", None),
        ("date", None),
        ("time(3)", None),
        ("datetime", None),
        ("timestamp(6)", None),
        ("blob", None),
        ("binary(3)", None),
        ("bit(3)", None),
        ("char(3)", Some("utf8mb4")),
        ("varchar(9)", Some("utf8mb4")),
        ("text", Some("utf8mb4")),
        ("enum('a')", Some("utf8mb4")),
        ("set('a')", Some("utf8mb4")),
    ] {
        check_charset(ty, charset, ["binary", "binary"]);
    }
    for (ty, charset) in [
        ("varchar(9)", Some("latin1")),
        ("char(9)", Some("utf8mb3")),
        ("text", Some("gbk")),
        ("enum('a')", Some("latin1")),
        ("set('a')", Some("cp1251")),
    ] {
        check_charset(ty, charset, ["binary", "utf8mb4"]);
    }
    for (ty, charset) in [
        ("varchar(9)", None),
        ("varchar(9)", Some("sjis")),
        ("varchar(9)", Some("swe7")),
        ("varchar(9)", Some("ucs2")),
        ("json", Some("utf8mb4")),
        ("geometry", None),
        ("uuid", None),
        ("inet6", None),
    ] {
        check_charset(ty, charset, ["utf8mb4", "utf8mb4"]);
    }
}

/// The character sets for a number and a column of this type: of a text of ASCII alone, and of another text.
#[track_caller]
fn check_charset(ty: &str, charset: Option<&str>, wants: [&str; 2]) {
    let columns = [column("a", "int"), Column { charset: charset.map(Into::into), ..column("b", ty) }];
    for (text, want) in ["1\t~\n", "1\té\n"].into_iter().zip(wants) {
        let sql = statement("t", &columns, &rules("9.7.4"), text.as_bytes(), "f");
        assert!(sql.contains(&format!("INTO TABLE t CHARACTER SET {want} FIELDS")), "{ty} {charset:?} `{text}`: {sql}");
        // What is known is not checked again.
        let (into, layout, unknown) = ("INTO TABLE t", Layout::plain(&columns), LoadText::encoded(text.as_bytes()));
        for is_ascii in [true, false] {
            let known = LoadText { is_ascii: Some(is_ascii), ..unknown };
            let sql = statement_into(into, &columns, &layout, &rules("9.7.4"), known, "f");
            let want = if is_ascii { wants[0] } else { wants[1] };
            assert!(sql.contains(&format!("CHARACTER SET {want} ")), "{ty} {charset:?} {is_ascii}: {sql}");
        }
    }
}

#[test]
fn others_pass_through_a_variable() {
    check_statement(
        "9.7.4",
        &[("a", "blob"), ("b", "int"), ("c", "bit(3)"), ("t", "text")],
        "(@inrush1,`b`,@inrush3,`t`) SET `a`=UNHEX(@inrush1),`c`=CAST(@inrush3 AS UNSIGNED)",
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

// A batch's own text.
#[test]
fn good_rows_stand_as_they_are() {
    check_as_it_stands("1,a b\n2,\n", b',', &["int", "text"], Some(b','));
    check_as_it_stands("1;2024-01-31\n", b';', &["decimal(3,1)", "date"], Some(b';'));
    check_as_it_stands("18446744073709551615,1e5\n", b',', &["bigint unsigned", "double"], Some(b','));
    check_as_it_stands("1|x\r\"y'\tz\n", b'|', &["bit(3)", "text"], Some(b'|'));
    check_as_it_stands("1\tPOINT(1 2)\t[1,2]\n", b'\t', &["int", "point", "vector(2)"], Some(b'\t'));
}
#[test]
fn what_is_null_or_rewritten_does_not() {
    check_as_it_stands("1,a\n2,NULL\n", b',', &["int", "text"], None);
    check_as_it_stands("1.0\n", b',', &["int"], None);
    check_as_it_stands("2024-01-31T10:00:00Z\n", b',', &["datetime"], None);
}
#[test]
fn what_would_be_escaped_does_not() {
    check_as_it_stands("a\\N\n", b',', &["text"], None);
    check_as_it_stands("a\0\n", b',', &["text"], None);
}
#[test]
fn bytes_do_not() {
    check_as_it_stands("1,a\n", b',', &["int", "blob"], None);
}
#[test]
fn letters_are_no_separators() {
    check_as_it_stands("1t2\n", b't', &["int", "int"], None);
    check_as_it_stands("1\u{1}2\n", 1, &["int", "int"], Some(1));
    check_as_it_stands("x\n", 0xff, &["text"], None);
}
#[test]
fn the_bare_word_null_would_be_no_text_where_fields_are_enclosed() {
    check_as_it_stands("NULLS,null\n", b',', &["text", "text"], Some(b','));
    check_enclosed("NULLS,null\n", b'"', &["text", "text"], true);
    check_enclosed(" NULL,ANULL\n", b'"', &["text", "text"], true);
    let mut batch = batch("1,NULL\n", b',');
    let cells = [b"1".as_slice(), b"NULL"].map(|cell| Arc::new(BinaryViewArray::from_iter([Some(cell)])) as ArrayRef);
    batch.rows = RecordBatch::try_from_iter(["a", "b"].into_iter().zip(cells)).unwrap();
    let columns = checked_batch(&batch, &["int", "text"]);
    assert_eq!(batch_passes_through(&batch, &columns, &[]), by(b','));
    batch.origin.verbatim = Some(Separators { terminated_by: b',', enclosed_by: Some(b'"') });
    assert_eq!(batch_passes_through(&batch, &columns, &[]), None);
}
#[test]
fn letters_enclose_nothing() {
    check_enclosed("1,2\n", b'\'', &["int", "int"], true);
    check_enclosed("1,2\n", b'N', &["int", "int"], false);
    check_enclosed("1,2\n", b'0', &["int", "int"], false);
}
#[test]
fn text_that_is_not_just_the_rows_or_has_bad_ones_does_not() {
    let mut batch = batch("1\n", b',');
    let columns = checked_batch(&batch, &["int"]);
    assert_eq!(batch_passes_through(&batch, &columns, &[]), by(b','));
    assert_eq!(batch_passes_through(&batch, &columns, &[0]), None);
    assert_eq!(batch_passes_through(&batch, &[], &[]), None);
    batch.origin.verbatim = None;
    assert_eq!(batch_passes_through(&batch, &columns, &[]), None);
}
#[test]
fn a_part_of_it_stands_as_well() {
    let (first, second) = batch("1\n22\n333\n", b',').cut(1).unwrap();
    for half in [first, second] {
        assert_eq!(batch_passes_through(&half, &checked_batch(&half, &["int"]), &[]), by(b','));
    }
}
#[test]
fn the_statement_names_the_separator() {
    let columns = [column("a", "int")];
    let text = LoadText { text: b"", is_ascii: None, separators: SEMICOLON };
    let sql = statement_into("INTO TABLE t", &columns, &Layout::plain(&columns), &rules("9.7.4"), text, "f");
    assert!(sql.contains(" FIELDS TERMINATED BY X'3B' OPTIONALLY ENCLOSED BY X'22' ESCAPED BY X'5C' "), "{sql}");
}

const SEMICOLON: Separators = Separators { terminated_by: b';', enclosed_by: Some(b'"') };

#[track_caller]
fn check_as_it_stands(text: &str, separator: u8, types: &[&str], want: Option<u8>) {
    let batch = batch(text, separator);
    assert_eq!(batch_passes_through(&batch, &checked_batch(&batch, types), &[]), want.and_then(by));
}

/// The same for a text that is known to have quoted fields: whether it can be sent unchanged.
#[track_caller]
fn check_enclosed(text: &str, enclosed_by: u8, types: &[&str], want: bool) {
    let mut batch = batch(text, b',');
    let separators = Separators { terminated_by: b',', enclosed_by: Some(enclosed_by) };
    batch.origin.verbatim = Some(separators);
    assert_eq!(batch_passes_through(&batch, &checked_batch(&batch, types), &[]), want.then_some(separators));
}

fn by(terminated_by: u8) -> Option<Separators> {
    Some(Separators { terminated_by, enclosed_by: None })
}

fn checked_batch(batch: &Batch, types: &[&str]) -> Vec<CheckedColumn> {
    let mut bad = Vec::new();
    let check = |(ty, cells): (&&str, &ArrayRef)| {
        Check::new(&column("c", ty), &rules("9.7.4")).run(cells.as_binary_view(), false, &mut bad)
    };
    let columns = types.iter().zip(batch.rows.columns()).map(check).collect();
    assert!(bad.is_empty(), "{bad:?}");
    columns
}

/// The batch that a reader creates for a text without quotes; the field `NULL` is NULL.
fn batch(text: &str, separator: u8) -> Batch {
    let rows: Vec<Vec<&[u8]>> =
        text.lines().map(|line| line.as_bytes().split(|byte| *byte == separator).collect()).collect();
    let cells = |i: usize| rows.iter().map(move |row| (row[i] != b"NULL").then_some(row[i]));
    let columns =
        (0..rows[0].len()).map(|i| (i.to_string(), Arc::new(BinaryViewArray::from_iter(cells(i))) as ArrayRef));
    let ends: Vec<u32> = memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at as u32 + 1).collect();
    let origin = Origin {
        source: "a.csv".into(),
        first_record: 1,
        first_line: 1,
        span: 0..text.len() as u64,
        text: Buffer::from(text.as_bytes()),
        lines: ends.len() as u64,
        verbatim: by(separator),
        record_starts: std::iter::once(0).chain(ends.iter().copied()).take(ends.len()).collect(),
        record_ends: ends,
        stood: None,
    };
    Batch {
        rows: RecordBatch::try_from_iter(columns).unwrap(),
        utf8: true,
        known: Vec::new(),
        origin,
        rejects: Vec::new(),
    }
}

/// Decodes a field under these separators as the manual describes; shares nothing with the encoder.
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
