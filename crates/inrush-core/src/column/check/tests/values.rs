//! Values as they are bound: how each kind is sent, and that the message is that of its printed form. Every kind in every type is
//! compared with the servers in crates/inrush/tests/checks_oracle/values.rs.

use crate::column::check::tests::*;
use crate::value::{Date, DateTime, Time, Value};

#[track_caller]
fn judged_under(rules: &Rules, column: &Column, value: Value<'_>) -> Result<Sent, String> {
    let check = Check::new(column, rules);
    let mut scratch = b"what stands before".to_vec();
    let n_before = scratch.len();
    let judged = check.validate_value(&value, &mut scratch);
    let appended = scratch.split_off(n_before);
    assert_eq!(scratch, b"what stands before");
    assert!(judged == BoundVerdict::Keep || !check.bounds().holds(&value), "{value:?} is not kept");
    let text = || String::from_utf8(appended.clone()).unwrap();
    Ok(match judged {
        BoundVerdict::Text => Sent::Text(text()),
        BoundVerdict::Bytes => Sent::Bytes(appended),
        judged => {
            assert_eq!(text(), "", "{value:?}");
            match judged {
                BoundVerdict::Keep => Sent::AsIs,
                BoundVerdict::AsText => Sent::AsText,
                BoundVerdict::UInt(n) => Sent::UInt(n),
                BoundVerdict::Bad(why) => return Err(check.reason_of(&value, why).0),
                BoundVerdict::Text | BoundVerdict::Bytes => unreachable!(),
            }
        }
    })
}

#[derive(Debug, PartialEq, Eq)]
enum Sent {
    AsIs,
    AsText,
    Text(String),
    Bytes(Vec<u8>),
    UInt(u64),
}

fn text(text: &str) -> Sent {
    Sent::Text(text.into())
}

#[track_caller]
fn check(ty: &str, value: Value<'_>, want: Result<Sent, &str>) {
    check_under(&rules(), ty, value, want);
}

#[track_caller]
fn check_under(rules: &Rules, ty: &str, value: Value<'_>, want: Result<Sent, &str>) {
    let got = judged_under(rules, &column(ty), value);
    assert_eq!(got, want.map_err(str::to_owned), "{value:?} into {ty}");
}

/// The common kinds of columns, and values that must not take the fast path.
#[test]
fn what_is_usual_is_kept_without_a_judge() {
    let moment = |year, month, day| DateTime { date: Date { year, month, day }, hour: 23, ..DateTime::default() };
    let usual = |ty: &str, values: &[Value<'_>]| Check::new(&column(ty), &rules()).bounds().holds_all(values, 1);
    assert!(usual("tinyint(4)", &[Value::Int(-128), Value::Null, Value::Int(127)]));
    assert!(!usual("tinyint(4)", &[Value::Int(1), Value::Int(128)]));
    assert!(usual("varchar(3)", &[Value::Text("abc"), Value::Null]));
    assert!(!usual("varchar(3)", &[Value::Text("abc"), Value::Text("abcd")]));
    assert!(usual("double", &[Value::Double(1.5), Value::Null]));
    assert!(!usual("double", &[Value::Double(f64::NAN)]));
    assert!(usual("date", &[Value::Date(Date { year: 2024, month: 2, day: 29 })]));
    assert!(usual("longblob", &[Value::Bytes(b"\xff")]));
    assert!(usual("datetime", &[1, 28, 29, 30].map(|day| Value::DateTime(moment(2024, 4, day)))));
    for (year, month, day) in [(2023, 2, 29), (2024, 0, 1), (2024, 13, 1), (2024, 1, 0), (0, 1, 1), (10_000, 1, 1)] {
        assert!(!usual("datetime", &[Value::DateTime(moment(year, month, day))]));
    }
    let fine = DateTime { micros: 1, ..moment(2024, 4, 30) };
    assert!(!usual("datetime", &[Value::DateTime(fine)]) && usual("datetime(6)", &[Value::DateTime(fine)]));
    let every_second = [Value::Int(1), Value::Text("no number"), Value::Int(2)];
    assert!(Check::new(&column("int"), &rules()).bounds().holds_all(&every_second, 2));
    let required = Check::new(&Column { nullable: false, ..column("int") }, &rules());
    assert!(
        required.bounds().holds_all(&[Value::Int(1)], 1)
            && !required.bounds().holds_all(&[Value::Int(1), Value::Null], 1)
    );
}

#[track_caller]
fn kept(ty: &str, values: &[Value<'_>]) {
    for value in values {
        check(ty, *value, Ok(Sent::AsIs));
    }
}

#[test]
fn whole_numbers() {
    use Value::{Int, UInt};
    kept("tinyint", &[Int(-128), Int(127), UInt(127)]);
    kept("bigint unsigned", &[Int(0), Int(i64::MAX), UInt(u64::MAX)]);
    kept("decimal(5,2)", &[Int(-999), UInt(999)]);
    kept("double", &[Int(i64::MIN), UInt(u64::MAX)]);
    kept("bit(3)", &[Int(7), UInt(0)]);
    kept("year", &[Int(1901), UInt(2155)]);
    check("tinyint", Int(128), Err("`128` is out of range for TINYINT (-128 to 127)"));
    check("int unsigned", Int(-1), Err("`-1` is out of range for INT UNSIGNED (0 to 4294967295)"));
    check(
        "bigint",
        UInt(1 << 63),
        Err("`9223372036854775808` is out of range for BIGINT (-9223372036854775808 to 9223372036854775807)"),
    );
    check("decimal(5,2)", Int(1000), Err("`1000` is out of range for DECIMAL(5,2)"));
    check("bit(3)", Int(8), Err("`8` is out of range for BIT(3) (0 to 7)"));
    check("bit(64)", Int(-1), Err("`-1` is out of range for BIT(64) (0 to 18446744073709551615)"));
    check("year", Int(24), Err("`24` has no four-digit year"));
    check("year", Int(0), Ok(text("0000")));
    check("varchar(3)", Int(123), Ok(text("123")));
    check("varchar(3)", Int(1234), Err("`1234` is 4 characters long, VARCHAR(3) takes 3"));
    check("date", Int(20_240_229), Ok(text("2024-02-29")));
    check("time", Int(101_112), Err("`101112` is not a time"));
    check("enum('a','2')", Int(2), Ok(text("2")));
    check("enum('a','2')", Int(1), Err("`1` is not a member of ENUM('a','2')"));
    check("json", Int(1), Ok(text("1")));
}

#[test]
fn fractions() {
    use Value::{Double, Float};
    kept("double", &[Double(0.1), Double(-0.0), Double(1e300), Float(0.1)]);
    kept("float", &[Double(0.1), Double(f32::MAX.into()), Float(f32::MAX)]);
    kept("int", &[Double(2.0), Double(-2.0), Float(16_777_216.0)]);
    kept("decimal(10,2)", &[Double(1.25), Double(-0.5), Double(12_345_678.0)]);
    check("int", Double(1.7), Err("`1.7` has a fraction, which INT does not hold"));
    check("int", Double(1e300), Err("`1e300` is out of range for INT (-2147483648 to 2147483647)"));
    check("int", Double(f64::NAN), Err("`NaN` is not a whole number"));
    check("int", Double(f64::INFINITY), Err("`inf` is out of range for INT (-2147483648 to 2147483647)"));
    check("decimal(10,2)", Double(1.005), Err("`1.005` has more than 2 digits behind the point, DECIMAL(10,2)"));
    check("decimal(10,2)", Float(0.5), Ok(text("0.5")));
    // Two texts with this many digits may be the same number.
    check("decimal(65,30)", Double(0.1 + 0.2), Ok(text("0.30000000000000004")));
    check("double", Double(f64::NAN), Err("`NaN` is not a number"));
    check("double unsigned", Double(-0.0), Ok(text("0")));
    check("double unsigned", Double(-1.0), Err("`-1` is out of range for DOUBLE UNSIGNED"));
    check("float", Double(1e39), Err("`1e39` is out of range for FLOAT"));
    check("float", Double(1e-50), Err("`1e-50` is too small for FLOAT: it would become 0"));
    check("double(10,2)", Double(0.125), Err("`0.125` has more than 2 digits behind the point, DOUBLE(10,2)"));
    check("bit(8)", Double(5.0), Ok(Sent::UInt(5)));
    check("bit(8)", Double(1.7), Err("`1.7` has a fraction, which BIT(8) does not hold"));
    check("varchar(9)", Double(1e16), Ok(text("1e16")));
}

#[test]
fn days_and_times() {
    let day = Date { year: 2024, month: 2, day: 29 };
    let at = |hour, micros| Value::DateTime(DateTime { date: day, hour, micros, ..DateTime::default() });
    kept("date", &[Value::Date(day), at(0, 0)]);
    kept("datetime", &[Value::Date(day), at(10, 0)]);
    kept("datetime(3)", &[at(10, 500_000)]);
    kept("timestamp", &[Value::Date(day), at(10, 0)]);
    check("date", at(10, 0), Err("`2024-02-29 10:00:00` has a time of day, which DATE does not hold"));
    check("date", Value::Date(Date { year: 2023, ..day }), Err("`2023-02-29` is not a date"));
    check("date", Value::Date(Date::default()), Err("`0000-00-00` is not a date"));
    check(
        "datetime(3)",
        at(10, 500),
        Err("`2024-02-29 10:00:00.000500` has a finer fraction of a second than DATETIME(3) holds"),
    );
    check("datetime", at(24, 0), Err("`2024-02-29 24:00:00` is not a date and time"));
    check("timestamp", Value::Date(Date { year: 2039, ..day }), Err("`2039-02-29` is not a date and time"));
    check(
        "timestamp",
        Value::Date(Date { year: 2040, ..day }),
        Err("`2040-02-29` is out of range for TIMESTAMP(0) (1970 to 2038)"),
    );
    check("time", at(10, 0), Err("`2024-02-29 10:00:00` is not a time"));
    check("int", Value::Date(day), Err("`2024-02-29` is not a whole number"));
    check("varchar(30)", at(10, 500_000), Ok(text("2024-02-29 10:00:00.500000")));
    let time = |days, hours| Time { days, hours, ..Time::default() };
    kept("time", &[Value::Time(time(34, 22)), Value::Time(Time { negative: true, ..time(0, 1) })]);
    check("time", Value::Time(Time { negative: true, ..time(0, 0) }), Ok(text("-00:00:00")));
    check("time", Value::Time(time(34, 23)), Err("`839:00:00` is out of range for TIME(0) (-838:59:59 to 838:59:59)"));
    check("datetime", Value::Time(time(0, 10)), Err("`10:00:00` is not a date and time"));
}

#[test]
fn moments_of_a_zone_with_leaps() {
    let at = |month, day, hour| {
        let date = Date { year: 2024, month, day };
        Value::DateTime(DateTime { date, hour, minute: 30, ..DateTime::default() })
    };
    check_under(
        &in_berlin(),
        "timestamp",
        at(3, 31, 2),
        Err("`2024-03-31 02:30:00` does not exist in time zone Europe/Berlin"),
    );
    check_under(&in_berlin(), "timestamp", at(3, 31, 3), Ok(Sent::AsIs));
    check_under(&in_berlin(), "datetime", at(3, 31, 2), Ok(Sent::AsIs));
}

#[test]
fn a_zone_that_is_not_known() {
    let rules = Rules { zone: TimeZone::unknown(), ..rules() };
    let year = |year| Value::Date(Date { year, month: 1, day: 1 });
    let first = "`1969-01-01 00:00:00` is out of range for TIMESTAMP(0) (1970 to 2038)";
    check_under(&rules, "timestamp", Value::Text("2024-02-29 10:00:00"), Ok(Sent::AsIs));
    check_under(&rules, "timestamp", year(1970), Ok(Sent::AsIs));
    check_under(&rules, "timestamp", Value::Text("1969-01-01 00:00:00"), Err(first));
    check_under(&rules, "timestamp", year(2040), Err("`2040-01-01` is out of range for TIMESTAMP(0) (1970 to 2038)"));
    for ty in ["date", "datetime", "timestamp"] {
        let reason = "`2024-02-29T00:00:00Z` has an offset, and the session's time zone is not known";
        check_under(&rules, ty, Value::Text("2024-02-29T00:00:00Z"), Err(reason));
    }
}

#[test]
fn texts() {
    use Value::Text;
    kept("int", &[Text("5")]);
    kept("varchar(3)", &[Text("äöü")]);
    kept("json", &[Text("{}")]);
    check("tinyint(1)", Text("true"), Ok(text("1")));
    check("bit(8)", Text("5"), Err("`5` is a text, whose bits BIT(8) would hold"));
    check("datetime", Text("2024-02-29T10:00:00Z"), Ok(text("2024-02-29 10:00:00")));
    check(
        "vector(2)",
        Text("[1, -2.5]"),
        Ok(Sent::Bytes([1_f32, -2.5].iter().flat_map(|n| n.to_le_bytes()).collect())),
    );
    check("vector(2)", Text("[1,2,x]"), Err("`[1,2,x]` is not a vector (`[1,2,3]`)"));
    check("point", Text("POINT(1 2)"), Err("`POINT(1 2)` is a text, and a placeholder takes a POINT in bytes only"));
    assert_eq!(Why::GeometryText.hint(), Some("write `ST_GeomFromText(?)` in the statement"));
}

#[test]
fn bytes() {
    use Value::Bytes;
    kept("varbinary(2)", &[Bytes(b"\xff\0")]);
    kept("longblob", &[Bytes(b"\xff")]);
    kept("varchar(3)", &[Bytes("äöü".as_bytes())]);
    check("varchar(3)", Bytes(b"\xff"), Err("not valid UTF-8 at byte 1"));
    check("int", Bytes(b"5"), Ok(Sent::AsText));
    check("int", Bytes(b" 5"), Ok(text("5")));
    check("json", Bytes(b"[1]"), Ok(Sent::AsText));
    check("bit(8)", Bytes(b"\0\x05"), Ok(Sent::UInt(5)));
    check("bit(8)", Bytes(b"\x01\0"), Err("2 bytes with more bits than BIT(8) takes"));
    check("vector(2)", Bytes(b"12345"), Err("5 bytes are not the 4-byte floats of a VECTOR(2)"));
    check("vector(1)", Bytes(&f32::NAN.to_le_bytes()), Err("a number that is not finite, in a VECTOR(1)"));
    check("vector(1)", Bytes(&[0; 8]), Err("`\\0\\0\\0\\0\\0\\0\\0\\0` has 2 numbers, VECTOR(1) takes 1"));
    let point = b"\0\0\0\0\x01\x01\0\0\0................";
    check("point", Bytes(point), Ok(Sent::AsIs));
    check("point", Bytes(&point[4..]), Ok(Sent::Bytes(point.to_vec())));
    check("linestring", Bytes(point), Err("a POINT is not a LINESTRING"));
    check("point", Bytes(b"\0"), Err("1 bytes that are no POINT (4 bytes SRID, then WKB, or WKB alone)"));
}

#[test]
fn bytes_in_other_character_sets_are_another_text() {
    let of = |charset: &str| Column { charset: Some(charset.into()), ..column("varchar(3)") };
    assert_eq!(judged_under(&rules(), &of("latin1"), Value::Bytes(b"e")), Ok(Sent::AsText));
    for (charset, text) in [("latin1", "é"), ("latin1", "Б"), ("ucs2", "e"), ("utf32", "e")] {
        assert!(judged_under(&rules(), &of(charset), Value::Bytes(text.as_bytes())).is_err(), "{text} in {charset}");
    }
}

/// Numbers that a server reads as something else.
#[test]
fn numbers_that_a_server_takes_for_something_else() {
    let place = "`2` is a number, which stands for the place of a member of ";
    check("enum('2','1')", Value::Int(2), Err(&format!("{place}ENUM('2','1')")));
    check("enum('1','2')", Value::Int(2), Ok(text("2")));
    check("enum('1','2')", Value::Double(2.0), Ok(text("2")));
    check("set('a','b','2')", Value::UInt(2), Err(&format!("{place}SET('a','b','2')")));
    check("bit(64)", Value::Double(5.0), Ok(Sent::UInt(5)));
    check("bit(64)", Value::Double(1_234_567_890_123_456_768.0), Ok(Sent::UInt(1_234_567_890_123_456_768)));
    check("bit(64)", Value::Double(1e19), Err("`1e19` is out of range for BIT(64) (0 to 18446744073709551615)"));
    check("varchar(30)", Value::Float(0.1), Ok(text("0.10000000149011612")));
    check("varchar(30)", Value::Double(f64::INFINITY), Err("`inf` is not a number that VARCHAR(30) holds"));
    check("decimal(10,2)", Value::Float(0.1), Ok(text("0.1")));
    let digits = "`0.1` is a FLOAT, of which DECIMAL(20,15) would hold more digits than it has";
    check("decimal(20,15)", Value::Float(0.1), Err(digits));
}

#[test]
fn addresses() {
    let raw = b"\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\x01";
    let on_mariadb = on_mariadb();
    check_under(&on_mariadb, "uuid", Value::Bytes(raw), Ok(text("20010db8-0000-0000-0000-000000000001")));
    check_under(&on_mariadb, "inet6", Value::Bytes(raw), Ok(text("2001:db8::1")));
    check_under(&on_mariadb, "inet6", Value::Bytes(b"2001:db8::1:2:33"), Ok(Sent::AsText));
    check_under(&on_mariadb, "inet4", Value::Bytes(&[1, 2, 3, 4]), Ok(text("1.2.3.4")));
}

#[test]
fn null_and_default() {
    let needed = Column { nullable: false, ..column("int") };
    let optional = Column { optional: true, ..needed.clone() };
    assert_eq!(judged_under(&rules(), &column("int"), Value::Null), Ok(Sent::AsIs));
    assert_eq!(judged_under(&rules(), &needed, Value::Null), Err("NULL into NOT NULL column".into()));
    assert_eq!(judged_under(&rules(), &needed, Value::Default), Err("DEFAULT into a column that has none".into()));
    assert_eq!(judged_under(&rules(), &optional, Value::Default), Ok(Sent::AsIs));
}

#[test]
fn members_that_a_server_cannot_print() {
    let emoji = |text| Value::Text(text);
    check("enum('a','?','x?y')", emoji("😀"), Ok(Sent::AsIs));
    check("enum('a','?','x?y')", emoji("x🐍y"), Ok(Sent::AsIs));
    check("set('a','?')", emoji("a,😀"), Ok(Sent::AsIs));
    check("enum('a','?')", emoji("😀😀"), Err("`😀😀` is not a member of ENUM('a','?')"));
    check("enum('a','é')", emoji("😀"), Err("`😀` is not a member of ENUM('a','é')"));
    check("set('a','?')", emoji("a,😀,b"), Err("`a,😀,b` is not a member of SET('a','?')"));
}
