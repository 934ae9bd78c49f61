use super::*;
use crate::wire::ColumnFlags;

fn column(ty: ColumnType, unsigned: bool) -> ColumnDef {
    ColumnDef {
        name: String::new(),
        table: String::new(),
        schema: String::new(),
        collation: 63,
        length: 0,
        ty,
        flags: if unsigned { ColumnFlags::UNSIGNED_FLAG } else { ColumnFlags::empty() },
        decimals: 0,
    }
}

#[track_caller]
fn check(columns: &[(ColumnType, bool)], body: &[u8], want: &[Value<'_>]) {
    let columns: Vec<_> = columns.iter().map(|&(ty, unsigned)| column(ty, unsigned)).collect();
    let format = if body[0] == 0 { RowFormat::Binary } else { RowFormat::Text };
    let row = |body| Row::new(&columns, body, format).values().collect::<Result<Vec<_>, _>>();
    assert_eq!(row(body).unwrap(), want);
    for n in 0..body.len() {
        assert!(row(&body[..n]).is_err(), "cut at {n}");
    }
    assert!(row(&[body, b"\0"].concat()).is_err(), "a byte too many");
}

use ColumnType::*;

#[test]
fn text() {
    let columns = [(MYSQL_TYPE_LONG, false), (MYSQL_TYPE_VAR_STRING, false), (MYSQL_TYPE_BLOB, false)];
    check(&columns, b"\x0242\xfb\x00", &[Value::Bytes(b"42"), Value::Null, Value::Bytes(b"")]);
}

#[test]
fn binary_integers() {
    check(
        &[
            (MYSQL_TYPE_TINY, false),
            (MYSQL_TYPE_TINY, true),
            (MYSQL_TYPE_SHORT, false),
            (MYSQL_TYPE_YEAR, true),
            (MYSQL_TYPE_INT24, false),
            (MYSQL_TYPE_LONG, true),
            (MYSQL_TYPE_LONGLONG, false),
            (MYSQL_TYPE_LONGLONG, true),
        ],
        b"\0\0\0\xff\xff\xfe\xff\xe5\x07\xfd\xff\xff\xff\xff\xff\xff\xff\
          \xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
        &[
            Value::Int(-1),
            Value::UInt(255),
            Value::Int(-2),
            Value::UInt(2021),
            Value::Int(-3),
            Value::UInt(u32::MAX.into()),
            Value::Int(-1),
            Value::UInt(u64::MAX),
        ],
    );
}

#[test]
fn binary_nulls_start_at_bit_two() {
    let columns = [(MYSQL_TYPE_TINY, false); 7];
    let mut want = [Value::Null; 7];
    want[1] = Value::Int(9);
    check(&columns, b"\0\xf4\x01\x09", &want);
}

#[test]
fn binary_floats_and_bytes() {
    check(
        &[(MYSQL_TYPE_FLOAT, false), (MYSQL_TYPE_DOUBLE, false), (MYSQL_TYPE_NEWDECIMAL, false)],
        b"\0\0\0\0\xc0\x3f\0\0\0\0\0\0\x04\xc0\x041.50",
        &[Value::Float(1.5), Value::Double(-2.5), Value::Bytes(b"1.50")],
    );
}

#[test]
fn binary_times() {
    let date = Date { year: 2021, month: 12, day: 31 };
    check(&[(MYSQL_TYPE_DATE, false)], b"\0\0\x04\xe5\x07\x0c\x1f", &[Value::Date(date)]);
    let mut moment = DateTime { date, hour: 23, minute: 59, second: 58, micros: 0 };
    check(&[(MYSQL_TYPE_DATETIME, false)], b"\0\0\x07\xe5\x07\x0c\x1f\x17\x3b\x3a", &[Value::DateTime(moment)]);
    moment.micros = 1;
    check(
        &[(MYSQL_TYPE_TIMESTAMP, false)],
        b"\0\0\x0b\xe5\x07\x0c\x1f\x17\x3b\x3a\x01\0\0\0",
        &[Value::DateTime(moment)],
    );
    check(&[(MYSQL_TYPE_DATETIME, false)], b"\0\0\0", &[Value::DateTime(DateTime::default())]);
    let time = Time { negative: true, days: 34, hours: 22, minutes: 59, seconds: 59, micros: 5 };
    check(&[(MYSQL_TYPE_TIME, false)], b"\0\0\x0c\x01\x22\0\0\0\x16\x3b\x3b\x05\0\0\0", &[Value::Time(time)]);
    assert_eq!(Value::Time(time).to_string(), "-838:59:59.000005");
    assert_eq!(Value::DateTime(moment).to_string(), "2021-12-31 23:59:58.000001");
}

#[test]
fn lengths_and_types_nobody_knows() {
    for (ty, body) in
        [(MYSQL_TYPE_DATE, &b"\0\0\x05aaaaa"[..]), (MYSQL_TYPE_TIME, b"\0\0\x01a"), (MYSQL_TYPE_UNKNOWN, b"\0\0\x01a")]
    {
        let columns = [column(ty, false)];
        let mut values = Row::new(&columns, body, RowFormat::Binary).values();
        assert!(values.next().unwrap().is_err());
        assert!(values.next().is_none());
    }
}
