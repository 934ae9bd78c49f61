use super::*;
use crate::wire::{ColumnFlags, ColumnType, RowFormat};

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
        check_refused(row.get::<u64>("b"), "column `b` holds NULL, which is not a whole number that fits u64")
    });
    with_row(|row| check_refused(row.get::<String>("c"), "column `c` holds `a\u{FFFD}b`, which is not text"));
    with_row(|row| check_refused(row.get::<u64>("d"), "the result has no such column; it has `A`, `b`, `c`"));
    with_row(|row| check_refused(row.get::<u64>(3), "the result has no such column; it has `A`, `b`, `c`"));
}

#[test]
fn a_malformed_row_is_an_error() {
    let columns = [column("a")];
    let row = Row::new(&columns, b"\x09short", RowFormat::Text);
    row.get::<String>(0).unwrap_err();
}

#[track_caller]
fn check<T: for<'a> FromValue<'a> + PartialEq + std::fmt::Debug>(value: Value<'_>, want: Option<T>) {
    assert_eq!(T::from_value(value), want, "{value:?}");
}

#[test]
fn whole_numbers_keep_their_range() {
    check(Value::UInt(u64::MAX), Some(u64::MAX));
    check(Value::Bytes(b"18446744073709551615"), Some(u64::MAX));
    check::<i64>(Value::UInt(u64::MAX), None);
    check(Value::Int(-1), Some(-1_i8));
    check::<u32>(Value::Int(-1), None);
    check::<u8>(Value::Int(256), None);
    check::<i32>(Value::Bytes(b"1.0"), None);
}

#[test]
fn the_rest() {
    check(Value::Int(0), Some(false));
    check(Value::Bytes(b"2"), Some(true));
    check(Value::Bytes(b"1.5"), Some(1.5));
    check(Value::Double(0.25), Some("0.25".to_owned()));
    check(Value::Bytes(b"\xFF"), Some(vec![0xFF]));
    check::<String>(Value::Null, None);
}
