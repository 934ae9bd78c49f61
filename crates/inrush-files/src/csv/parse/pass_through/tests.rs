//! One line a case: the text, and whether it passes validation. Each result is compared with parsing and checking the same chunk.

use crate::csv::CsvReader;
use crate::dialect::CsvOptions;
use arrow_array::cast::AsArray;
use inrush_core::column::Rules;
use inrush_core::column::check::{Check, CheckedColumn};
use inrush_core::column::{Column, ColumnType};
use inrush_core::load::encode::load_data;
use inrush_core::load::{FieldUse, Origin, Source};
use inrush_core::wire::ServerVersion;
use proptest::prelude::*;
use std::io::Cursor;

const TYPES: [&str; 3] = ["int", "varchar(20)", "decimal(6,2)"];

// Ordinary text.
#[test]
fn lines_whose_cells_all_pass() {
    check("1,a,2.50\n22,,3\n333,é and more than 12,0.01\n", true);
    check("1,a,2.50\n", true);
}
#[test]
fn a_quote_that_may_not_be_one_is_not() {
    check_with(CsvOptions { quote: None, ..plain() }, "1,\"a\",2\n", true);
    check_with(CsvOptions { quote: Some(b'\''), ..plain() }, "1,\"a\",2\n", true);
}
#[test]
fn an_escape_that_escapes_nothing() {
    check_with(CsvOptions { quote: None, escape: Some(b'^'), ..plain() }, "1,a,2\n", true);
    check_with(CsvOptions { escape: Some(b'^'), ..plain() }, "1,a,2\n", true);
}
#[test]
fn other_delimiters() {
    check_with(CsvOptions { delimiter: Some(b'|'), ..plain() }, "1|a,b|2\n3||4\n", true);
    check_with(CsvOptions { delimiter: Some(b'\t'), ..plain() }, "1\ta b\t2\n", true);
}
#[test]
fn what_is_written_as_it_would_be_rewritten() {
    check_types(&["double", "json"], "1.5e10,[1]\n-1,{}\n", true);
}

#[test]
fn cells_in_quotes() {
    check("1,\"a\",2\n", true);
    check("\"1\",\"a,b\",\"2\"\n3,\"\",4\n", true);
    check("1,\"12345678901234567890\",2\n", true);
    check(&format!("1,\"{}\",2\n", ",x".repeat(10)), true);
    check_types(&["varchar(200)", "varchar(200)"], &format!("\"{}\",\"{}\"\n", "x".repeat(61), "y,".repeat(70)), true);
}

#[test]
fn chunks_without_a_comment() {
    let options = plain().with_comment(b"#".to_vec());
    check_with(options.clone(), "1,#,2\n3,a#,4\n", true);
    check_with(options.clone(), "1,a,2\n#,a,2\n", false);
    check_with(options, "#\n1,a,2\n", false);
}

// Text that is not ordinary.
#[test]
fn quotes_elsewhere() {
    check("1,a\"b,2\n", false);
    check("1,a\"b\",2\n", false);
    check("1,\"a\"b,2\n", false);
    check("1,\"a\"\"b\",2\n", false);
    check("1,\"a\n\",2\n", false);
    check("1,\"123456789012345678901\",2\n", false);
    check("\"1x\",a,2\n", false);
}
#[test]
fn a_bare_null_beside_quotes() {
    check("1,NULL,2\n", true);
    check("1,NULL,2\n1,\"a\",2\n", false);
    check("1,\"a\",2\n1,NULL,2\n", false);
    check(&["1,NULL,2\n".repeat(2000), "1,\"a\",2\n".into()].concat(), false);
}
#[test]
fn a_cell_that_is_bad_or_rewritten() {
    check("1,a,2\nx,a,2\n", false);
    check("1,a,2\n+1,a,2\n", false);
    check("1,a,2\n1,a,2.505\n", false);
    check("1,123456789012345678901,2\n", false);
}
#[test]
fn what_the_server_would_read_otherwise() {
    check("1,a\\b,2\n", false);
    check("1,a\0b,2\n", false);
    check("1,a,2\r\n", false);
    check("1,a\rb,2\n", false);
    check_with(CsvOptions { quote: None, escape: Some(b'^'), ..plain() }, "1,^n,2\n", false);
}
#[test]
fn a_null() {
    let with_null = CsvOptions { nulls: vec![b"NA".to_vec(), b"\\N".to_vec()], ..plain() };
    check_with(with_null.clone(), "1,a,2\n", true);
    check_with(with_null.clone(), "1,NA,2\n", false);
    check_with(with_null.clone(), "NA,a,2\n", false);
    check_with(with_null, "1,\\N,2\n", false);
}
#[test]
fn an_empty_field_that_is_null() {
    let uses: Vec<_> = (0..3).map(|index| FieldUse { index, empty_is_null: true, ..FieldUse::default() }).collect();
    assert!(validate(&plain(), &TYPES, &uses, b"1,,2\n").is_none());
    assert!(validate(&plain(), &TYPES, &uses, b"1,a,2\n").is_some());
}
#[test]
fn lines_of_another_width() {
    check("1,a\n", false);
    check("1,a,2,\n", false);
    check("1,a,2\n1,a\n1,a,2,3\n", false);
    check("1,a,2\n\n1,a,2\n", false);
}
#[test]
fn a_last_line_without_its_end() {
    check("1,a,2\n1,a,2", false);
}
#[test]
fn what_is_not_utf_8() {
    assert!(validate(&plain(), &TYPES, &all(3), b"1,a\xff,2\n").is_none());
    // Cut in two by the end of its cell.
    assert!(validate(&plain(), &["varchar(9)", "varchar(9)"], &all(2), b"\xc3,\xa9\n").is_none());
}
#[test]
fn fields_left_out_or_moved() {
    assert!(validate(&plain(), &["int", "int"], &all(2)[..1], b"1,2\n").is_none());
    let moved: Vec<_> = all(2).into_iter().rev().collect();
    assert!(validate(&plain(), &["int", "int"], &moved, b"1,2\n").is_none());
}
#[test]
fn a_single_field() {
    check_types(&["varchar(3)"], "a\n\nb\n", true);
}

// The ends of blocks.
#[test]
fn an_exception_in_any_line_is_seen() {
    let line = |number: usize| format!("{number},name {number},{}.5\n", number % 100);
    let good: Vec<String> = (0..5000).map(line).collect();
    let options = plain();
    assert!(validate(&options, &TYPES, &all(3), good.concat().as_bytes()).is_some());
    let around = |n: usize| [n - 1, n, n + 1];
    for at in [0, 1, 2499, 4998, 4999].into_iter().chain([682, 683, 1365, 2048, 4096].into_iter().flat_map(around)) {
        for bad in ["1,2\n", "1,2,3,4\n", "x,2,3\n", "1,\\,3\n", "1,2,3\r\n", "1,\"2\"\"\",3\n", "\n"] {
            let mut lines = good.clone();
            lines[at] = bad.into();
            assert!(validate(&options, &TYPES, &all(3), lines.concat().as_bytes()).is_none(), "{bad:?} in line {at}");
        }
    }
}
#[test]
fn lines_wider_than_a_slab() {
    let types = vec!["varchar(9)"; 3000];
    let line = [vec!["a"; 2999], vec!["b\n"]].concat().join(",");
    check_types(&types, &line.repeat(4), true);
    check_types(&types, &[line.repeat(3), line.replacen(',', "", 1)].concat(), false);
}

fn plain() -> CsvOptions {
    CsvOptions::default()
}

#[track_caller]
fn check(text: &str, want: bool) {
    check_with(plain(), text, want);
}

#[track_caller]
fn check_with(options: CsvOptions, text: &str, want: bool) {
    assert_eq!(validate(&options, &TYPES, &all(3), text.as_bytes()).is_some(), want);
}

#[track_caller]
fn check_types(types: &[&str], text: &str, want: bool) {
    assert_eq!(validate(&plain(), types, &all(types.len()), text.as_bytes()).is_some(), want);
}

fn all(n: usize) -> Vec<FieldUse> {
    (0..n).map(|index| FieldUse { index, ..FieldUse::default() }).collect()
}

/// Validates a text after a header, and parses it as well. Returns the number of rows if it passes.
#[track_caller]
fn validate(options: &CsvOptions, types: &[&str], uses: &[FieldUse], text: &[u8]) -> Option<u64> {
    let header = vec!["h"; types.len()].join(char::from(options.delimiter.unwrap_or(b',')).encode_utf8(&mut [0; 4]));
    let text = [header.as_bytes(), b"\n", text].concat();
    let mut reader = CsvReader::new("a.csv", Cursor::new(text.clone()), options).unwrap();
    reader.select(uses);
    let chunk = reader.next_raw_chunk().unwrap()?;
    let checks: Vec<Check> = uses.iter().map(|use_| check_of(types[use_.index])).collect();
    let seen = chunk.pass_through(&checks);
    let (n_records, batch) = (chunk.records(), chunk.parse().unwrap());
    let mut bad = Vec::new();
    let run =
        |(check, cells): (&Check, &arrow_array::ArrayRef)| check.run(cells.as_binary_view(), batch.utf8, &mut bad);
    let columns: Vec<CheckedColumn> = checks.iter().zip(batch.rows.columns()).map(run).collect();
    let skip: Vec<u32> = bad.iter().map(|cell| cell.row).collect();
    let stands = load_data::batch_passes_through(&batch, &columns, &skip);
    let Some(pass_through) = seen else {
        assert!(stands.is_none() || exceeds_the_validation(options, &text), "it would have passed");
        return None;
    };
    // With an escape and no quote, parsing never finds text for pass-through.
    let gives_up = options.escape.is_some() && options.quote.is_none();
    assert!(load_data::passes_through(&pass_through) == stands || gives_up);
    assert!((stands.is_some() || gives_up) && bad.is_empty() && batch.rejects.is_empty());
    let (origin, seen) = (&batch.origin, &pass_through.origin);
    let place = |origin: &Origin| (origin.first_line, origin.first_record, origin.lines, origin.span.clone());
    assert_eq!((place(seen), &seen.text), (place(origin), &origin.text));
    assert_eq!((pass_through.n_rows(), pass_through.n_rows()), (n_records, batch.rows.num_rows() as u64));
    assert_eq!(Some(pass_through.longest), (0..batch.rows.num_rows()).map(|row| batch.row_bytes(row)).max());
    assert_eq!(pass_through.is_ascii, Some(seen.text.is_ascii()));
    assert_eq!(pass_through.parse().unwrap().rows, batch.rows);
    Some(n_records)
}

/// Text that validation refuses, although the server reads it unchanged: doubled quotes and line feeds in quotes, quotes that are text,
/// an escape that escapes nothing, the letters of NULL within a cell next to quotes.
fn exceeds_the_validation(options: &CsvOptions, text: &[u8]) -> bool {
    let has = |byte: Option<u8>| byte.is_some_and(|byte| text.contains(&byte));
    has(options.escape) || has(options.quote)
}

fn check_of(ty: &str) -> Check {
    let column = Column { optional: false, ..Column::new("c", ColumnType::parse(ty)) };
    Check::new(&column, &Rules::utc(ServerVersion::parse("9.7.4")))
}

/// A cell for each of `MANY`; nearly all of them are ordinary.
fn cells() -> impl Strategy<Value = String> {
    let odd = || {
        prop::sample::select(vec![
            "",
            "NA",
            "x",
            "\\N",
            "\"a\"",
            "\"a,b\"",
            "\"\"",
            "a\"b",
            "\r",
            "NULL",
            "1e3",
            " 1",
            "0000-00-00",
            "é",
            "9".repeat(30).leak(),
        ])
    };
    let cell = |usual: &'static str| prop_oneof![40 => usual.prop_map(|cell| cell), 1 => odd().prop_map(String::from)];
    (
        cell("-?[1-9][0-9]{0,8}"),
        cell("[a-z ]{0,19}"),
        cell("[0-9]{1,4}(\\.[0-9]{1,2})?"),
        cell("20[0-9]{2}-1[0-2]-0[1-9]"),
        prop::sample::select(vec!["\n", "\n", "\n", "\n", "\n", "\n", "\n", "\n", "\r\n", ",\n", "\n\n"]),
    )
        .prop_map(|(a, b, c, d, end)| format!("{a},{b},{c},{d}{end}"))
}

const MANY: [&str; 4] = ["int", "varchar(19)", "decimal(6,2)", "date"];

proptest! {
    #[test]
    fn agrees_with_what_is_taken_apart(lines in prop::collection::vec(cells(), 1..6), times in 1usize..300, nulls in any::<bool>()) {
        let nulls = if nulls { vec![b"NA".to_vec()] } else { Vec::new() };
        validate(&CsvOptions { nulls, ..plain() }, &MANY, &all(4), lines.concat().repeat(times).as_bytes());
    }
}
