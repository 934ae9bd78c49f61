//! The statement, and each kind of value in each kind of column.

use crate::convert::{Params, Rows};
use crate::value::{Date, DateTime, Time};
use crate::write::load_data::*;

fn columns(types: &[(&str, &str)]) -> Vec<Column> {
    let column = |&(name, ty): &(&str, &str)| Column {
        generated: name == "generated",
        charset: Some(if name == "latin" { "latin1" } else { "utf8mb4" }.into()),
        ..Column::new(name, ColumnType::parse(ty))
    };
    types.iter().map(column).collect()
}

const TABLE: &[(&str, &str)] = &[("a", "int"), ("B", "blob"), ("c", "bit(3)"), ("d", "vector(3)")];

fn load(sql: &str, types: &[(&str, &str)]) -> Result<LoadData> {
    let statement = Statement::new(sql).unwrap();
    LoadData::new(&statement, &Template::parse(&statement), &columns(types))
}

#[track_caller]
fn check_statement(sql: &str, into: &str, list: &str) {
    let got = load(sql, TABLE).unwrap().statement("é".as_bytes(), "rows");
    // Whole numbers, bytes and bits need not be read as characters.
    let charset = if list.contains("`d`") { "utf8mb4" } else { "binary" };
    let how = format!("CHARACTER SET {charset} FIELDS TERMINATED BY X'09' ESCAPED BY X'5C' LINES TERMINATED BY X'0A'");
    assert_eq!(got, format!("LOAD DATA LOCAL INFILE 'rows' {into} {how} {list}"));
}

#[track_caller]
fn check_refused(sql: &str, want: &str) {
    assert_eq!(load(sql, &[TABLE, &[("generated", "int")]].concat()).unwrap_err().message(), want);
}

/// The field of one value in a column of this type; `None` if it is refused.
#[track_caller]
fn check(ty: &str, value: Value<'_>, want: Option<&str>) {
    check_in("a", ty, value, want);
}

#[track_caller]
fn check_in(name: &str, ty: &str, value: Value<'_>, want: Option<&str>) {
    let load = load("INSERT t VALUES (?)", &[(name, ty)]).unwrap();
    let mut out = b"before\n".to_vec();
    let result = load.encode(&*[[value]].bind(&[], 1).unwrap(), 0..1, 0, &mut out);
    let got = std::str::from_utf8(&out[7..]).unwrap();
    match want {
        Some(want) => assert_eq!((result.map_err(|error| error.to_string()), got), (Ok(1), &*format!("{want}\n"))),
        None => assert_eq!((result.unwrap_err().row(), got), (Some(0), "")),
    }
}

#[track_caller]
fn check_rows<P: Params + Sync>(rows: &[P], n_bytes: usize, want: (usize, &str)) {
    let load = load("INSERT t (a, B) VALUES (?, ?)", TABLE).unwrap();
    let mut out = Vec::new();
    let n_rows = load.encode(&*rows.bind(&[], 2).unwrap(), 0..rows.len(), n_bytes, &mut out).unwrap();
    assert_eq!((n_rows, std::str::from_utf8(&out).unwrap()), want);
}

#[test]
fn statements() {
    check_statement("INSERT INTO t (a) VALUES (?)", "INTO TABLE t", "(`a`)");
    check_statement("INSERT IGNORE `s`.t (a) VALUES (?)", "IGNORE INTO TABLE `s`.t", "(`a`)");
    check_statement(
        "REPLACE INTO t PARTITION (p) (b) VALUES (?)",
        "REPLACE INTO TABLE t PARTITION (p)",
        "(@inrush1) SET `B`=UNHEX(@inrush1)",
    );
    check_statement(
        "INSERT t VALUES (:x, :y, :z, :v)",
        "INTO TABLE t",
        "(`a`,@inrush2,@inrush3,@inrush4) SET `B`=UNHEX(@inrush2),`c`=CAST(@inrush3 AS UNSIGNED),`d`=UNHEX(@inrush4)",
    );
}

#[test]
fn what_no_load_can_do() {
    let cannot = |why: &str| format!("LOAD DATA cannot do what the statement does: {why}");
    check_refused(
        "INSERT t (a, b) VALUES (?, 1)",
        &cannot("its VALUES list has more than a placeholder for each column"),
    );
    check_refused(
        "INSERT t (a) VALUES (?), (?)",
        &cannot("its VALUES list has more than a placeholder for each column"),
    );
    check_refused("INSERT t (a) VALUES (?) ON DUPLICATE KEY UPDATE a = 1", &cannot("ON DUPLICATE KEY UPDATE"));
    check_refused("INSERT t (a) VALUES (?) RETURNING a", &cannot("RETURNING"));
    check_refused("UPDATE t SET a = ?", "an UPDATE cannot carry many rows");
    check_refused("INSERT t (x) VALUES (?)", "the table has no column `x`");
    check_refused("INSERT t VALUES (?)", "the statement has 1 values for 5 columns");
    check_refused("INSERT t (generated) VALUES (?)", "column `generated` is generated and takes no value");
}

#[test]
fn rows_until_there_are_bytes_enough() {
    let rows = [(1, "x"), (2, "y"), (3, "z")];
    check_rows(&rows, 100, (3, "1\t78\n2\t79\n3\t7A\n"));
    check_rows(&rows, 10, (2, "1\t78\n2\t79\n"));
    check_rows(&rows, 0, (1, "1\t78\n"));
}

#[test]
fn words() {
    check("int", Value::Null, Some("\\N"));
    check("blob", Value::Null, Some("\\N"));
    check("int", Value::Default, None);
}
#[test]
fn numbers() {
    check("int", Value::Int(-3), Some("-3"));
    check("bigint unsigned", Value::UInt(u64::MAX), Some("18446744073709551615"));
    check("int", Value::Double(2.5), Some("2"));
    check("int", Value::Double(3.5), Some("4"));
    check("bigint", Value::Double(-1_234_567_890_123_456_768.0), Some("-1234567890123456768"));
    check("bigint unsigned", Value::Double(18_446_744_073_709_549_568.0), Some("18446744073709549568"));
    check("bigint", Value::Float(34_000_000_000.0), Some("33999998976"));
    check("bigint", Value::Double(9_223_372_036_854_774_784.0), None);
    check("double", Value::Double(2.5), Some("2.5"));
    check("decimal(5,2)", Value::Double(1e20), Some("1e+20"));
    check("double", Value::Float(0.1), Some("0.10000000149011612"));
    check("double", Value::Double(f64::NAN), None);
    check("int", Value::Text("7"), Some("7"));
}
#[test]
fn numbers_as_text() {
    check("varchar(9)", Value::Int(7), Some("7"));
    check("varchar(9)", Value::Double(812.37), Some("812.37"));
    check("varchar(9)", Value::Double(0.0), Some("0"));
    check("varchar(9)", Value::Double(-0.0), None);
    check("varchar(9)", Value::Double(1e15), None);
    check("varchar(9)", Value::Double(0.000_09), None);
    check("blob", Value::Double(1.5), Some("312E35"));
    check("blob", Value::Int(-7), Some("2D37"));
}
#[test]
fn texts() {
    check("text", Value::Text("a\tb\nc\\d\0'é🦀"), Some("a\\tb\\nc\\\\d\\0'é🦀"));
    check("text", Value::Text("\\N"), Some("\\\\N"));
    check("text", Value::Text(""), Some(""));
    check("text", Value::Text("without any special byte"), Some("without any special byte"));
    check("varbinary(9)", Value::Text("é"), Some("C3A9"));
}
#[test]
fn bytes() {
    check("blob", Value::Bytes(b"\0\xff"), Some("00FF"));
    check("point", Value::Bytes(b"\x01"), Some("01"));
    check("text", Value::Bytes("é".as_bytes()), Some("é"));
    check("text", Value::Bytes(b"\xff"), None);
    check_in("latin", "text", Value::Bytes("é".as_bytes()), None);
    check_in("latin", "text", Value::Bytes(b"e"), Some("e"));
    check("int", Value::Bytes(b"5"), Some("5"));
}
#[test]
fn bits() {
    check("bit(8)", Value::Int(5), Some("5"));
    check("bit(64)", Value::Int(-3), Some("18446744073709551613"));
    check("bit(16)", Value::Bytes(b"\x01\x02"), Some("258"));
    check("bit(64)", Value::Bytes(b"123456789"), None);
    check("bit(8)", Value::Text("1"), None);
    check("bit(8)", Value::Double(1.0), None);
}
#[test]
fn members() {
    check("enum('1','b')", Value::Int(2), Some("b"));
    check("enum('1','b')", Value::Int(0), None);
    check("enum('1','b')", Value::UInt(3), None);
    check("enum('1','b')", Value::Text("1"), Some("1"));
    check("set('a','b','c')", Value::Int(5), Some("a,c"));
    check("set('a','b','c')", Value::Int(0), Some(""));
    check("set('a','b','c')", Value::Int(8), None);
    check("set('a','b','c')", Value::Int(-1), None);
}
#[test]
fn days_and_times() {
    let day = Date { year: 2024, month: 2, day: 29 };
    check("date", Value::Date(day), Some("2024-02-29"));
    check(
        "datetime(6)",
        Value::DateTime(DateTime { date: day, hour: 1, minute: 2, second: 3, micros: 4 }),
        Some("2024-02-29 01:02:03.000004"),
    );
    check("time", Value::Time(Time { negative: true, days: 1, hours: 2, ..Time::default() }), Some("-26:00:00"));
    check("year", Value::Int(0), Some("0000"));
    check("year", Value::Int(7), Some("7"));
    check("year", Value::Double(7.0), None);
    check("datetime", Value::Double(7.0), None);
    check("binary(10)", Value::Date(day), Some("323032342D30322D3239"));
}
#[test]
fn what_only_its_own_kind_fits() {
    check("json", Value::Text("[1]"), Some("[1]"));
    check("json", Value::Int(1), None);
    check("json", Value::Bytes(b"1"), None);
    check("json", Value::Date(Date::default()), None);
    check("vector(2)", Value::Text("[1,2]"), None);
    check("vector(2)", Value::Int(1), None);
}
