//! Values in, type out: one line a case. Whatever is guessed must pass the core's own check for that type.

use super::*;
use crate::FileSource as _;
use crate::csv::CsvReader;
use crate::dialect::CsvOptions;
use arrow_array::BinaryViewArray;
use inrush_core::column::Column;
use inrush_core::column::Rules;
use inrush_core::column::check::{Check, Grid};
use inrush_core::load::{FieldUse, Source};
use inrush_core::wire::{ServerVersion, Vendor};

#[test]
fn whole_numbers() {
    check(&["1", "-2", "0"], "INT");
    check(&["2147483647", "-2147483648"], "INT");
    check(&["2147483648"], "BIGINT");
    check(&["-9223372036854775808", "9223372036854775807"], "BIGINT");
    check(&["9223372036854775808"], "BIGINT UNSIGNED");
    check(&["18446744073709551615", "0"], "BIGINT UNSIGNED");
    check(&["18446744073709551615", "-1"], "DECIMAL(65,0)");
    check(&["0", "1", "1"], "INT");
}
#[test]
fn codes_stay_text() {
    check(&["00501", "10115"], "VARCHAR(64)");
    check(&["+4930123", "1"], "VARCHAR(64)");
    check(&["1,234"], "VARCHAR(64)");
    check(&["1 "], "VARCHAR(64)");
    check(&["00.5"], "VARCHAR(64)");
    check(&[&"9".repeat(40)], "VARCHAR(255)");
}
#[test]
fn money_is_decimal() {
    check(&["12.50", "-3.99", "0.00"], "DECIMAL(18,2)");
    check(&["1.0842", "0.9000"], "DECIMAL(18,4)");
    check(&["12345678901234567890.25"], "DECIMAL(22,2)");
}
#[test]
fn measurements_are_double() {
    check(&["39.02", "41", "37.9"], "DOUBLE");
    check(&["10.357019999999999", "8.05546"], "DOUBLE");
    check(&["1e5", "1.5E-3", "2"], "DOUBLE");
    check(&[".5", "-.25"], "DOUBLE");
    check(&["12.55", "7"], "DOUBLE");
    check(&["20.0", "20.25"], "DOUBLE");
    check(&["1e400"], "VARCHAR(64)");
}
#[test]
fn more_digits_than_a_double_has_are_kept() {
    check(&["0.1234567890123456789", "1.5"], "DECIMAL(20,19)");
    check(&["9007199254740993", "0.5"], "DECIMAL(18,1)");
    check(&["9007199254740992", "0.5"], "DOUBLE");
    check(&["0.0000000000000000000000000000000000000000000000001234567890123456789"], "VARCHAR(255)");
    check(&["1.2345678901234567891e-7", "0.5"], "VARCHAR(64)");
    check(&["-1.234567890123456e-07", "0.5"], "DOUBLE");
    check(&["1e-400", "0.5"], "VARCHAR(64)");
}
#[test]
fn zeros_at_the_end_are_kept() {
    check(&["12.50", "7"], "DECIMAL(18,2)");
    check(&["3.9", "3.10", "3.11"], "DECIMAL(18,2)");
    check(&["8.055460", "7.100001"], "DECIMAL(18,6)");
    check(&["1.50", "1e-7"], "VARCHAR(64)");
    assert_eq!(
        infer(&["1.5", "1.50", "1e-7"]).cause.unwrap().to_string(),
        ": `1.50` in line 3 would lose its spelling"
    );
}
#[test]
fn what_a_column_promises_of_cells_behind_the_sample() {
    let check = |sample: &[&str], later: &[(&str, bool)]| {
        let inferred = infer(sample);
        let column = Column { keeps_spelling: inferred.keeps_spelling, ..Column::new("v", inferred.ty.clone()) };
        let server = ServerVersion { vendor: Vendor::MariaDb, numbers: (11, 8, 0), text: "11.8.0-MariaDB".into() };
        let judge = Check::new(&column, &Rules::utc(server));
        for (cell, want) in later {
            let cells = BinaryViewArray::from_iter_values([cell.as_bytes()]);
            let (mut bad, text) = (Vec::new(), format!("{cell}\n{:16}", ""));
            let checked = judge.run(&cells, true, &mut bad);
            assert_eq!(bad.is_empty(), *want, "`{cell}` in {}: {bad:?}", inferred.ddl_type());
            let passes = judge.accepts_column(Grid::new(text.as_bytes(), &[u32::MAX, cell.len() as u32], 1), 0);
            assert!(*want || !passes, "`{cell}` in {} while it is not taken apart", inferred.ddl_type());
            if *want
                && !matches!(
                    inferred.ty,
                    ColumnType::Int { bool: true, .. } | ColumnType::DateTime { .. } | ColumnType::Time { .. }
                )
            {
                assert!(checked.is_untouched(&cells) || inferred.ddl_type() == "DOUBLE", "`{cell}` is rewritten");
            }
        }
    };
    let whole =
        [("7", true), ("-12", true), ("0", true), ("00123", false), ("007", false), ("1E5", false), ("+45", false)];
    check(&["1", "2"], &whole);
    check(
        &["1", "2"],
        &[("5.0", false), ("5.", false), (" 5", false), ("123456789012345", false), ("2147483647", true)],
    );
    check(&["18446744073709551615", "-1"], &whole);
    check(
        &["12.50", "3.99"],
        &[("1.00", true), ("7", true), ("1.5", true), ("01.50", false), ("1.500", false), ("1e2", false)],
    );
    check(
        &["3.5", "2.25"],
        &[("3.10", false), ("3.1", true), ("3.0", true), ("10", true), ("1e5", true), ("03.1", false)],
    );
    check(
        &["3.5", "2.25"],
        &[("9007199254740993", false), ("9007199254740992", true), ("-3.10", false), ("+3.1", false)],
    );
    check(&["true", "FALSE"], &[("True", true), ("1", true), ("0", true), ("2", false), ("yes", false), ("01", false)]);
    check(&["2024-01-31"], &[("2024-12-31", true), ("2024-1-5", false), ("20240105", false), ("2024/01/05", false)]);
    check(&["2024-01-31 10:00:00"], &[("2024-12-31T10:00", true), ("2024-1-5 10:00:00", false), ("2024-12-31", true)]);
    check(&["10:00:00"], &[("23:59", true), ("9:30", false), ("100:00:00", true)]);
    let uuid = "0192f3a8-0000-7000-8000-0000000000ff";
    check(&[uuid], &[(uuid, true), (&uuid.to_uppercase(), false), (&uuid.replace('-', ""), false)]);
    check(&["{}"], &[("[1]", true), ("5", false), ("null", false)]);
    check(&["a"], &[("00123", true), (" x", true)]);
}
#[test]
fn the_type_of_several_files_holds_the_values_of_all() {
    let check = |one: &[&str], other: &[&str], want: &str| {
        let merged = infer(one).widened_by(&infer(other));
        assert_eq!(merged.ddl_type(), want, "{one:?} and {other:?}");
        assert_eq!(infer(other).widened_by(&infer(one)).ddl_type(), want, "{other:?} and {one:?}");
        merged.cause.map(|cause| cause.to_string())
    };
    check(&["9007199254740993"], &["0.5"], "DECIMAL(18,1)");
    check(&["9007199254740992"], &["0.5"], "DOUBLE");
    check(&["12.55"], &["0.5"], "DOUBLE");
    check(&["12.50"], &["0.5"], "DECIMAL(18,2)");
    check(&["1"], &["12.50"], "DECIMAL(18,2)");
    check(&["0.1234567890123456789"], &["1.5"], "DECIMAL(20,19)");
    check(&["18446744073709551615"], &["-1"], "DECIMAL(65,0)");
    check(&["18446744073709551615"], &["1"], "BIGINT UNSIGNED");
    check(&["5000000000"], &["1"], "BIGINT");
    check(&["true"], &["0", "1"], "TINYINT(1)");
    check(&["1"], &[""], "INT");
    let cause = check(&["true"], &["5"], "VARCHAR(64)");
    assert_eq!(
        cause.as_deref(),
        Some(": it is TINYINT(1) in one file and INT in another one, and no other type holds both")
    );
    check(&["1"], &["2024-01-01"], "VARCHAR(64)");
    check(&[&"x".repeat(20_000)], &["1"], "MEDIUMTEXT");
    // Types of files that have types: only these are known.
    let typed = |ty: &str| Inferred::new("v", ColumnType::parse(ty), true);
    let check = |one: &str, other: &str, want: &str| {
        assert_eq!(typed(one).widened_by(&typed(other)).ddl_type(), want, "{one} and {other}");
        assert_eq!(typed(other).widened_by(&typed(one)).ddl_type(), want, "{other} and {one}");
    };
    check("bigint", "double", "VARCHAR(64)");
    check("int", "double", "DOUBLE");
    check("decimal(18,2)", "double", "VARCHAR(64)");
    check("decimal(10,2)", "double", "DOUBLE");
    check("bigint unsigned", "bigint", "DECIMAL(20,0)");
    check("int unsigned", "smallint", "BIGINT");
    check("mediumint unsigned", "tinyint", "INT");
    check("smallint unsigned", "tinyint", "INT");
    check("tinyint unsigned", "tinyint", "SMALLINT");
    check("tinyint(1)", "int", "VARCHAR(64)");
    check("decimal(65,30)", "decimal(60,0)", "VARCHAR(255)");
    check("bigint", "decimal(10,2)", "DECIMAL(22,2)");
}
#[test]
fn dates_and_times() {
    check(&["2013-01-31", "2012-02-29"], "DATE");
    check(&["2013-02-29"], "VARCHAR(64)");
    check(&["0000-00-00"], "VARCHAR(64)");
    check(&["2013-01-01 05:00:00", "2013-01-01T05:00"], "DATETIME");
    check(&["2013-01-01 05:00:00.5", "2013-01-01 05:00:00.123456"], "DATETIME(6)");
    check(&["2013-01-01 05:00:00.1234567"], "VARCHAR(64)");
    check(&["2013-01-01", "2013-01-01 05:00:00.25"], "DATETIME(2)");
    check(&["2013-01-01T10:00:00Z", "2013-01-01T10:00:00+02:00", "2013-01-01 10:00:00-0530"], "DATETIME");
    check(&["2013-01-01T10:00:00+15:00"], "VARCHAR(64)");
    check(&["24:00:00"], "VARCHAR(64)");
    check(&["23:59:59", "00:00:00.250"], "TIME(3)");
    check(&["10:00", "23:59"], "TIME");
    check(&["10:00", "10:00:30"], "TIME");
    check(&["9:30"], "VARCHAR(64)");
    check(&["24:00"], "VARCHAR(64)");
    check(&["2013-01-01", "12:30:00"], "VARCHAR(64)");
    assert!(infer(&["2013-01-01T10:00:00Z"]).zoned);
    assert!(!infer(&["2013-01-01T10:00:00"]).zoned);
}
#[test]
fn texts_leave_room() {
    check(&["EWR"], "VARCHAR(64)");
    check(&["exactly 13 by"], "VARCHAR(64)");
    check(&["é".repeat(14).as_str()], "VARCHAR(64)");
    check(&["x".repeat(32).as_str()], "VARCHAR(64)");
    check(&["x".repeat(33).as_str()], "VARCHAR(255)");
    check(&["x".repeat(500).as_str()], "VARCHAR(1000)");
    check(&["x".repeat(2_000).as_str()], "VARCHAR(4000)");
    check(&["x".repeat(2_001).as_str()], "TEXT");
    check(&["x".repeat(20_000).as_str()], "MEDIUMTEXT");
    check(&["x".repeat(5 << 20).as_str()], "LONGTEXT");
}
#[test]
fn dates_that_can_be_read_in_one_way_alone() {
    check(&["31/01/2013", "02/03/2013"], "DATE");
    check(&["01/31/2013", "02/03/2013"], "DATE");
    check(&["1/5/2024", "2/6/2024"], "VARCHAR(64)");
    check(&["31/01/2013", "01/31/2013"], "VARCHAR(64)");
    check(&["2013/01/31"], "DATE");
    check(&["01.02.2013 10:00"], "DATETIME");
    check(&["May 12, 2020", "May 3, 2021"], "DATE");
    check(&["31/01/13"], "VARCHAR(64)");
    check(&["31/01/2013", "2013-01-31"], "VARCHAR(64)");
    check(&["31/01/2013", "unknown"], "VARCHAR(64)");
    assert_eq!(infer(&["31/01/2013"]).date_format.as_deref(), Some("%d/%m/%Y"));
    assert_eq!(infer(&["31/01/2013", "NA"]).null_texts, ["NA"]);
}
#[test]
fn truths_uuids_and_documents() {
    check(&["true", "FALSE", "True"], "TINYINT(1)");
    check(&["true", "0", "1"], "TINYINT(1)");
    check(&["true", "2"], "VARCHAR(64)");
    check(&["yes", "no"], "VARCHAR(64)");
    check(&["0192f3a8-0000-7000-8000-0000000000ff"], "UUID");
    check(&["0192F3A8-0000-7000-8000-0000000000ff"], "CHAR(36)");
    check(&["0192f3a8-0000-8000-8000-0000000000ff"], "CHAR(36)");
    check(&["0192f3a8-0000-7000-8000-0000000000ff", "none of these"], "VARCHAR(255)");
    check(&["\"{\"\"a\"\": [1]}\"", "[]"], "JSON");
    check(&["[a]"], "VARCHAR(64)");
    check(&["{}", "x"], "VARCHAR(64)");
}
#[test]
fn numbers_that_may_be_codes() {
    check(&["1234", "1E5"], "VARCHAR(64)");
    check(&["1234", "1e+05"], "DOUBLE");
    check(&["1234", "1E5", "0.5"], "DOUBLE");
}
#[test]
fn why_a_column_is_a_text() {
    let why = |values: &[&str], want: &str| {
        assert_eq!(infer(values).cause.map(|cause| cause.to_string()).unwrap_or_default(), want, "{values:?}");
    };
    why(&["12", "007"], ": `007` in line 3 would lose its spelling");
    why(&["12", "13", "1E5"], ": `1E5` in line 4 would lose its spelling");
    why(&["+49 30", "12", "13"], " because of `+49 30`, line 2: 2 of 3 values are numbers");
    why(&["1", "2", "Total", "x"], " because of `Total`, line 4: 2 of 4 values are numbers");
    why(&["2013-01-01", "soon"], " because of `soon`, line 3: 1 of 2 values are dates");
    why(&["1e-400", "0.5"], ": `1e-400` in line 2 would lose digits as a number");
    why(&["a", "b", "1"], "");
    why(&["1", "2"], "");
    why(&[""], "");
}
#[test]
fn a_given_type() {
    let given = |text: &str, nullable: bool| {
        let mut field = Inferred::new("v", ColumnType::Date, nullable);
        field.set_type(text).map(|()| (field.definition(false), field.definition(true)))
    };
    let pair = |a: &str, b: &str| Some((a.to_owned(), b.to_owned()));
    assert_eq!(given("char(5)", true).ok(), pair("char(5) NULL", "char(5) NOT NULL"));
    assert_eq!(given("INT UNSIGNED not null", true).ok(), pair("INT UNSIGNED NOT NULL", "INT UNSIGNED NOT NULL"));
    assert_eq!(given("ENUM('a','NULL') NULL", false).ok(), pair("ENUM('a','NULL') NULL", "ENUM('a','NULL') NOT NULL"));
    assert_eq!(given("BOOL", true).ok(), pair("BOOL NULL", "BOOL NOT NULL"));
    assert_eq!(given("Boolean not null", true).ok(), pair("Boolean NOT NULL", "Boolean NOT NULL"));
    assert_eq!(given("ENUM('a)','b''c')", true).ok(), pair("ENUM('a)','b''c') NULL", "ENUM('a)','b''c') NOT NULL"));
    let utf8 = "VARCHAR(5) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin";
    assert!(given(utf8, true).is_ok());
    for right in
        ["INT(10) UNSIGNED ZEROFILL", "DOUBLE PRECISION", "ENUM('a') CHARSET latin1", "TEXT COLLATE latin1_bin null"]
    {
        assert!(given(right, true).is_ok(), "{right}");
    }
    for wrong in [
        "",
        "CHR(5)",
        "VARCHAR",
        "INT, x INT",
        "NOT NULL",
        "VARCHAR(5), evil INT, y VARCHAR(5)",
        "VARCHAR(5)) ENGINE=MyISAM; DROP TABLE t; --",
        "ENUM('a\\'), evil INT, y ENUM('b')",
        "ENUM('a'), evil INT, y ENUM('b')",
        "INT COMMENT 'x', evil INT",
        "VARCHAR(5) /* */",
        "INT CHECK (v > 1)",
        "INT NOT NULL DEFAULT 5",
        "INT DEFAULT 5 NULL",
        "INT UNIQUE",
        "INT FIRST",
        "INT AUTO_INCREMENT NOT NULL",
        "INT INVISIBLE",
        "INT ZEROFILL",
        "INT CHARACTER SET latin1",
        "VARCHAR(5) UNSIGNED",
        "VARCHAR(5) BINARY",
        "VARCHAR(5) CHARACTER SET",
        "VARCHAR(5) CHARACTER SET utf8",
        "VARCHAR(5) COLLATE utf8_bin",
        "VARCHAR(5) CHARACTER SET binary",
        "VARCHAR(5) COLLATE latin1_bin CHARACTER SET latin1",
        "TEXT(100)",
        "ENUM('a ')",
        "UUID PRIMARY KEY",
        "DECIMAL(5",
    ] {
        assert!(given(wrong, true).is_err(), "{wrong}");
    }
}
#[test]
fn missing_values_are_found_beside_numbers_and_times() {
    check_nulls(&["1", "NA", "2", "-"], "INT", &["-", "NA"]);
    check_nulls(&["1.5", "nan", "NULL", "\\N"], "DOUBLE", &["NULL", "\\N", "nan"]);
    check_nulls(&["2013-01-01", "N/A"], "DATE", &["N/A"]);
    assert!(infer(&["1", "NA"]).nullable);
    assert!(!infer(&["1", "2"]).nullable);
    assert!(infer(&["1", ""]).nullable && infer(&["1", ""]).null_texts.is_empty());
}
#[test]
fn what_is_quoted_is_never_missing() {
    check_nulls(&["1", "\"NA\""], "VARCHAR(64)", &[]);
    check_nulls(&["1", "\"\""], "INT", &[]);
    assert!(infer(&["1", "\"\""]).nullable && infer(&["1", "\"\""]).empties);
    check_nulls(&["2024-01-31", "\"\"", ""], "DATE", &[]);
    check_nulls(&["1", "\"\"", "NA"], "INT", &["NA"]);
    check_nulls(&["a", "\"\""], "VARCHAR(64)", &[]);
    check_nulls(&["\"\"", "\"\""], "VARCHAR(64)", &[]);
    assert!(!infer(&["a", "\"\""]).nullable);
    check_nulls(&["1", "NA", "\"NA\""], "VARCHAR(64)", &[]);
}
#[test]
fn in_texts_they_are_texts() {
    check_nulls(&["America/New_York", "NA"], "VARCHAR(64)", &[]);
    check_nulls(&["NA", "NA"], "VARCHAR(64)", &[]);
    check_nulls(&[""], "VARCHAR(64)", &[]);
    check_nulls(&["1", "NA", "x"], "VARCHAR(64)", &[]);
}
#[test]
fn tables_without_room() {
    let tight = |value: &str| {
        let mut fields = [infer(&[value])];
        tighten(&mut fields);
        fields[0].ddl_type()
    };
    assert_eq!(tight("EWR"), "VARCHAR(16)");
    assert_eq!(tight(&"é".repeat(14)), "VARCHAR(32)");
    assert_eq!(tight(&"x".repeat(204)), "VARCHAR(255)");
    assert_eq!(tight(&"x".repeat(205)), "TEXT");
    assert_eq!(tight(&"x".repeat(20_000)), "MEDIUMTEXT");
    assert_eq!(tight("12"), "INT");
}
#[test]
fn short_texts_of_many_columns_lie_outside_of_their_page() {
    let mut fields: Vec<Inferred> = (0..150).map(|_| infer(&["x"])).collect();
    assert!(fields.iter().all(|field| field.ddl_type() == "VARCHAR(64)"));
    tighten(&mut fields);
    let n_long = fields.iter().filter(|field| field.ddl_type() == "VARCHAR(64)").count();
    assert_eq!((n_long, fields.len()), (43, 150));
}
#[test]
fn keys_have_no_room_that_does_not_fit() {
    let mut fields: Vec<Inferred> = (0..4).map(|_| infer(&[&"x".repeat(40)])).collect();
    fit_key(&mut fields);
    let types: Vec<String> = fields.iter().map(Inferred::ddl_type).collect();
    assert_eq!(types.iter().filter(|ty| *ty == "VARCHAR(255)").count(), 2, "{types:?}");
    let mut field = infer(&[&"x".repeat(300)]);
    fit_key([&mut field]);
    assert_eq!(field.definition(true), "VARCHAR(512) NOT NULL");
}
#[test]
fn a_row_of_many_texts_still_fits() {
    let wide = |n: usize| {
        let header: Vec<String> = (0..n).map(|i| format!("c{i}")).collect();
        let row = vec!["x".repeat(150); n];
        let types = infer_text(&format!("{}\n{}\n", header.join(","), row.join(",")));
        types.iter().filter(|column| column.ddl_type() == "TEXT").count()
    };
    assert_eq!(wide(50), 0);
    assert_eq!(wide(100), 42);
}
#[test]
fn the_new_york_flights() {
    let text = "year,dep_delay,carrier,tailnum,time_hour,temp\n\
        2013,2,UA,N14228,2013-01-01T10:00:00Z,39.02\n\
        2013,NA,B6,NA,2013-01-01T11:00:00Z,41\n";
    let types: Vec<String> = infer_text(text).iter().map(Inferred::ddl_type).collect();
    assert_eq!(types, ["INT", "INT", "VARCHAR(64)", "VARCHAR(64)", "DATETIME", "DOUBLE"]);
    let nulls: Vec<_> = infer_text(text).into_iter().map(|column| column.null_texts).collect();
    let na = &["NA".to_owned()][..];
    assert_eq!(nulls, [na, na, &[], na, na, na]);
}

#[track_caller]
fn check(values: &[&str], ddl: &str) {
    assert_eq!(infer(values).ddl_type(), ddl);
    passes_the_check(values);
}

#[track_caller]
fn check_nulls(values: &[&str], ddl: &str, nulls: &[&str]) {
    let inferred = infer(values);
    assert_eq!(inferred.ddl_type(), ddl);
    assert_eq!(if inferred.is_text() { &[][..] } else { &inferred.null_texts[..] }, nulls);
    passes_the_check(values);
}

/// Sends the values through the checks that the loader will use, for both kinds of server.
#[track_caller]
fn passes_the_check(values: &[&str]) {
    let mut reader = reader(&text_of(values));
    let fields = reader.infer_types(SAMPLE).unwrap();
    reader.read_as(&fields);
    let inferred = &fields[0];
    let column_kind = inferred.ty.properties().kind;
    reader.select(&[FieldUse {
        index: 0,
        empty_is_null: !inferred.is_text(),
        quoted_empty_is_null: !inferred.is_text(),
        column_kind,
    }]);
    let batch = reader.next().unwrap().unwrap();
    let cells: &BinaryViewArray = batch.rows.column(0).as_any().downcast_ref().unwrap();
    let column = Column { keeps_spelling: inferred.keeps_spelling, ..Column::new("v", inferred.ty.clone()) };
    for (vendor, text) in [(Vendor::MySql, "9.7.0"), (Vendor::MariaDb, "10.6.0-MariaDB")] {
        let server = ServerVersion { vendor, numbers: (10, 6, 0), text: text.into() };
        let check = Check::new(&column, &Rules::utc(server));
        let mut bad = Vec::new();
        check.run(cells, batch.utf8, &mut bad);
        let reasons: Vec<_> = bad.iter().map(|bad| check.reason(cells, bad).0).collect();
        assert!(reasons.is_empty(), "{}: {reasons:?}", inferred.ddl_type());
    }
}

fn infer(values: &[&str]) -> Inferred {
    infer_text(&text_of(values)).remove(0)
}

fn text_of(values: &[&str]) -> String {
    let quoted = |value: &&str| match value.contains(',') {
        true => format!("\"{value}\""),
        false => (*value).to_owned(),
    };
    std::iter::once("v".to_owned()).chain(values.iter().map(quoted)).map(|line| line + "\n").collect()
}

fn infer_text(text: &str) -> Vec<Inferred> {
    reader(text).infer_types(SAMPLE).unwrap()
}

fn reader(text: &str) -> CsvReader {
    CsvReader::new("x", std::io::Cursor::new(text.as_bytes().to_vec()), &CsvOptions::default()).unwrap()
}

const SAMPLE: usize = 16 << 20;
