use super::*;
use crate::value::{Date, DateTime, Time};
use crate::wire::{ColumnFlags, ColumnType, RowFormat};
use jiff::{SignedDuration, civil};

fn column(name: &str) -> ColumnDef {
    ColumnDef {
        name: name.to_owned(),
        table: String::new(),
        schema: String::new(),
        collation: 45,
        length: 0,
        ty: ColumnType::MYSQL_TYPE_VAR_STRING,
        flags: ColumnFlags::empty(),
        decimals: 0,
    }
}

/// A value as this type.
pub(in crate::convert) fn read<'a, T: FromValue<'a>>(value: Value<'a>) -> Option<T> {
    T::from_value_in(value, &column("a"), None)
}

/// The same in a session with this time zone.
pub(in crate::convert) fn read_in<'a, T: FromValue<'a>>(value: Value<'a>, zone: &str) -> Option<T> {
    T::from_value_in(value, &column("a"), Some(&crate::zone::find(zone).unwrap()))
}

/// The error message for a value that is not of this type.
#[cfg(feature = "serde_json")]
pub(in crate::convert) fn refused<'a, T: FromValue<'a>>(value: Value<'a>) -> String {
    misfit::<T>(&column("a"), &value, false).message().to_owned()
}

/// A text row with the columns `A`, `b`, `c`.
fn with_row<T>(check: impl FnOnce(Row<'_>) -> T) -> T {
    let columns = [column("A"), column("b"), column("c")];
    check(Row::new(&columns, b"\x0242\xFB\x03a\xFFb", RowFormat::Text))
}

#[test]
fn by_position_and_by_name_in_any_case() {
    with_row(|row| {
        assert_eq!(row.get::<u64>(0).unwrap(), 42);
        assert_eq!(row.get::<u64>("A").unwrap(), 42);
        assert_eq!(row.get::<&str>("a").unwrap(), "42");
        assert_eq!(row.get::<&[u8]>("C").unwrap(), b"a\xFFb");
    });
}

#[test]
fn null_is_an_option() {
    with_row(|row| {
        assert_eq!(row.get::<Option<u64>>("b").unwrap(), None);
        assert_eq!(row.get::<Option<u64>>("a").unwrap(), Some(42));
        assert_eq!(row.get::<Value<'_>>("b").unwrap(), Value::Null);
    });
}

#[track_caller]
fn check_refused<'a, T: FromValue<'a> + std::fmt::Debug>(got: Result<T>, want: &str) {
    assert_eq!(got.unwrap_err().message(), want);
}

#[test]
fn what_does_not_fit_is_named() {
    with_row(|row| {
        check_refused(row.get::<u64>("b"), "column `b` holds NULL, which is not a whole number that fits `u64`")
    });
    with_row(|row| {
        check_refused(row.get::<String>("c"), "column `c` holds `a\u{FFFD}b`, which is not text (`String`)")
    });
    with_row(|row| check_refused(row.get::<u64>("d"), "the result has no such column; it has `A`, `b`, `c`"));
    with_row(|row| check_refused(row.get::<u64>(3), "the result has no such column; it has `A`, `b`, `c`"));
}

#[test]
fn a_malformed_row_is_an_error() {
    let columns = [column("a")];
    let row = Row::new(&columns, b"\x09short", RowFormat::Text);
    row.get::<String>(0).unwrap_err();
}

/// As a column of this type.
#[track_caller]
fn check_in<T>(ty: ColumnType, value: Value<'_>, want: Option<T>)
where
    T: for<'a> FromValue<'a> + PartialEq + std::fmt::Debug,
{
    let column = ColumnDef { ty, collation: 63, ..column("c") };
    assert_eq!(T::from_value(value, &column), want, "{value:?}");
}

#[track_caller]
fn check<T: for<'a> FromValue<'a> + PartialEq + std::fmt::Debug>(value: Value<'_>, want: Option<T>) {
    check_in(ColumnType::MYSQL_TYPE_VAR_STRING, value, want);
}

#[test]
fn whole_numbers_keep_their_range() {
    check(Value::UInt(u64::MAX), Some(u64::MAX));
    check(Value::Bytes(b"18446744073709551615"), Some(u64::MAX));
    check::<u64>(Value::Bytes(b"18446744073709551616"), None);
    check(Value::Bytes(b"-9223372036854775808"), Some(i64::MIN));
    check::<i64>(Value::UInt(u64::MAX), None);
    check(Value::Int(-1), Some(-1_i8));
    check::<u32>(Value::Int(-1), None);
    check::<u8>(Value::Int(256), None);
    check(Value::Bytes(b"00007"), Some(7_u8));
    check(Value::Bytes(b"170141183460469231731687303715884105727"), Some(i128::MAX));
    check::<i128>(Value::Bytes(b"170141183460469231731687303715884105728"), None);
    check::<u8>(Value::Null, None);
}

#[test]
fn whole_decimals_are_whole_numbers() {
    check(Value::Bytes(b"-12.00"), Some(-12_i32));
    check::<i32>(Value::Bytes(b"12.01"), None);
    for text in ["", "-", ".", ".0", "1e3", "+1", " 1", "1 ", "1.0.0", "a"] {
        check::<i32>(Value::Bytes(text.as_bytes()), None);
    }
}

#[test]
fn bits_are_a_number() {
    let bits = |bytes| Value::Bytes(bytes);
    check_in(ColumnType::MYSQL_TYPE_BIT, bits(b"\x01\x02"), Some(258_u64));
    check_in(ColumnType::MYSQL_TYPE_BIT, bits(&[0xFF; 8]), Some(u64::MAX));
    check_in(ColumnType::MYSQL_TYPE_BIT, bits(b"1"), Some(49_u8));
    check_in(ColumnType::MYSQL_TYPE_BIT, bits(b"\x00"), Some(false));
    check_in(ColumnType::MYSQL_TYPE_BIT, bits(b"\x01"), Some(true));
    check_in::<u64>(ColumnType::MYSQL_TYPE_BIT, bits(&[1; 9]), None);
}

#[test]
fn floats() {
    check(Value::Bytes(b"1.5"), Some(1.5));
    check(Value::Float(1.1), Some(1.1_f32));
    check_in(ColumnType::MYSQL_TYPE_FLOAT, Value::Bytes(b"1.1"), Some(1.1_f32));
    check(Value::Double(1.5), Some(1.5_f32));
    check::<f32>(Value::Double(1.1), None);
    check::<f32>(Value::Double(1e300), None);
}

#[test]
fn texts_and_bytes() {
    check(Value::Int(0), Some(false));
    check(Value::Bytes(b"2"), Some(true));
    check(Value::Double(0.25), Some("0.25".to_owned()));
    check(Value::Double(-1e300), Some("-1e300".to_owned()));
    check(Value::Double(5.0), Some("5".to_owned()));
    check(Value::Float(1e-7), Some("0.0000001".to_owned()));
    check(Value::Double(1e15), Some("1e15".to_owned()));
    check(Value::Double(-1.5e-16), Some("-1.5e-16".to_owned()));
    check(Value::Bytes(b"\xFF"), Some(vec![0xFF_u8]));
    check(Value::Bytes(b"ab"), Some(*b"ab"));
    check::<[u8; 3]>(Value::Bytes(b"ab"), None);
    check::<String>(Value::Null, None);
    check_in(ColumnType::MYSQL_TYPE_VECTOR, Value::Bytes(b"\0\0\x80\x3F\0\0\x20\xC0"), Some(vec![1.0_f32, -2.5]));
    check_in::<Vec<f32>>(ColumnType::MYSQL_TYPE_VECTOR, Value::Bytes(b"\0\0\x80"), None);
    let text = column("c");
    assert_eq!(Vec::<f32>::from_value(Value::Bytes(b"text"), &text), None);
    assert!(matches!(Cow::<str>::from_value(Value::Bytes(b"a"), &text), Some(Cow::Borrowed("a"))));
}

#[test]
fn dates_and_times() {
    let date = Date { year: 2024, month: 2, day: 29 };
    let moment = DateTime { date, hour: 23, minute: 59, second: 58, micros: 500_000 };
    let (day, late) = (civil::date(2024, 2, 29), civil::time(23, 59, 58, 500_000_000));
    for value in [Value::Date(date), Value::Bytes(b"2024-02-29")] {
        check(value, Some(date));
        check(value, Some(day));
        check(value, Some("2024-02-29".to_owned()));
        check(value, Some(day.to_datetime(civil::Time::midnight())));
    }
    for value in [Value::DateTime(moment), Value::Bytes(b"2024-02-29 23:59:58.500000")] {
        check(value, Some(moment));
        check(value, Some(day.to_datetime(late)));
        check::<civil::Date>(value, None);
    }
    let column = |decimals| ColumnDef { decimals, ..column("c") };
    let printed = |value, decimals| String::from_value(value, &column(decimals)).unwrap();
    assert_eq!(printed(Value::DateTime(moment), 3), "2024-02-29 23:59:58.500");
    assert_eq!(printed(Value::DateTime(moment), 0), "2024-02-29 23:59:58.5");
    assert_eq!(printed(Value::DateTime(DateTime { micros: 0, ..moment }), 0), "2024-02-29 23:59:58");
    assert_eq!(printed(Value::DateTime(DateTime { micros: 0, ..moment }), 6), "2024-02-29 23:59:58.000000");
    assert_eq!(printed(Value::Time(Time { micros: 1, ..Time::default() }), 1), "00:00:00.000001");
    let time = Time { hours: 23, minutes: 59, seconds: 58, micros: 500_000, ..Time::default() };
    for value in [Value::Time(time), Value::Bytes(b"23:59:58.5")] {
        check(value, Some(time));
        check(value, Some(late));
        check(value, Some(SignedDuration::from_millis(86_398_500)));
    }
    for value in [Value::Bytes(b"-00:00:00.000001"), Value::Bytes(b"24:00:00")] {
        check::<civil::Time>(value, None);
    }
    check(Value::Bytes(b"-838:59:59.999999"), Some(SignedDuration::from_micros(-3_020_399_999_999)));
}

#[test]
fn days_that_no_calendar_has() {
    for text in ["0000-00-00", "2024-02-31", "2024-00-01"] {
        let value = Value::Bytes(text.as_bytes());
        check::<civil::Date>(value, None);
        check::<civil::DateTime>(value, None);
        check(value, Some(text.to_owned()));
        check(value, Date::parse(text.as_bytes()));
    }
    let columns = [ColumnDef { ty: ColumnType::MYSQL_TYPE_DATE, ..column("born") }];
    let row = Row::new(&columns, b"\x0A0000-00-00", RowFormat::Text);
    let error = row.get::<civil::Date>("born").unwrap_err();
    let want = "column `born` holds `0000-00-00`, which is not a day of the calendar (`jiff::civil::Date`)";
    assert_eq!((error.message(), error.is_fatal()), (want, false));
    assert!(error.hint().unwrap().contains("`String`"), "{error:?}");
}
