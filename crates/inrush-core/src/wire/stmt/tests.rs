use super::*;

#[test]
fn no_parameters_no_bitmap() {
    let mut out = Vec::new();
    execute(&mut out, StmtId(5), &[], None, |_| false);
    assert_eq!(out, b"\x17\x05\0\0\0\0\x01\0\0\0");
}

#[test]
fn nulls_types_and_values() {
    let mut out = Vec::new();
    let params = [
        Value::Int(-2),
        Value::Null,
        Value::UInt(3),
        Value::Text("ab"),
        Value::Bytes(b"\0"),
        Value::Double(1.0),
        Value::Float(1.0),
        Value::Date(Date { year: 2021, month: 1, day: 2 }),
        Value::Null,
    ];
    let mut known = Vec::new();
    types(&mut known, &params, &[]);
    execute(&mut out, StmtId(1), &params, Some(&known), |_| false);
    let want: &[&[u8]] = &[
        b"\x17\x01\0\0\0\0\x01\0\0\0",
        b"\x02\x01\x01",
        b"\x08\0\x06\0\x08\x80\xfd\0\xfc\0\x05\0\x04\0\x0a\0\x06\0",
        b"\xfe\xff\xff\xff\xff\xff\xff\xff",
        b"\x03\0\0\0\0\0\0\0",
        b"\x02ab\x01\0",
        b"\0\0\0\0\0\0\xf0\x3f\0\0\x80\x3f",
        b"\x04\xe5\x07\x01\x02",
    ];
    assert_eq!(out, want.concat());
}

#[test]
fn moments_leave_out_a_zero_fraction() {
    let mut moment = DateTime { date: Date { year: 1, month: 2, day: 3 }, hour: 4, minute: 5, second: 6, micros: 0 };
    let mut time = Time { negative: true, days: 1, hours: 2, minutes: 3, seconds: 4, micros: 0 };
    let mut out = Vec::new();
    put_date_time(&mut out, &moment);
    put_time(&mut out, &time);
    assert_eq!(out, b"\x07\x01\0\x02\x03\x04\x05\x06\x08\x01\x01\0\0\0\x02\x03\x04");
    (moment.micros, time.micros) = (7, 8);
    out.clear();
    put_date_time(&mut out, &moment);
    put_time(&mut out, &time);
    assert_eq!(out, b"\x0b\x01\0\x02\x03\x04\x05\x06\x07\0\0\0\x0c\x01\x01\0\0\0\x02\x03\x04\x08\0\0\0");
}

#[test]
fn the_reply_to_a_prepare() {
    let body = b"\0\x07\0\0\0\x02\0\x03\0\0\x01\0";
    let want = PrepareOk { id: StmtId(7), n_columns: 2, n_params: 3, warnings: 1 };
    assert_eq!(PrepareOk::parse(body), Ok(want));
    assert_eq!(PrepareOk::parse(&body[..10]), Ok(PrepareOk { warnings: 0, ..want }));
    for n in (0..body.len()).filter(|&n| n != 10) {
        assert!(PrepareOk::parse(&body[..n]).is_err(), "{n}");
    }
}

#[test]
fn types_hold_as_long_as_the_values_fit() {
    let params = [Value::Int(1), Value::Null, Value::Text("a")];
    let mut known = Vec::new();
    types(&mut known, &params, &[]);
    assert_eq!(known, [8, 0, 6, 0, 253, 0]);
    assert!(has_types(&params, &known));
    assert!(has_types(&[Value::Null, Value::Null, Value::Null], &known));
    // A parameter that was only NULL so far gets its type with the first value.
    let params = [Value::Null, Value::UInt(1), Value::Text("b")];
    assert!(!has_types(&params, &known));
    let mut next = Vec::new();
    types(&mut next, &params, &known);
    assert_eq!(next, [8, 0, 8, 0x80, 253, 0]);
    assert!(!has_types(&params, &[]) && !has_types(&params, &next[2..]));
}

#[test]
fn values_that_went_ahead_leave_no_bytes() {
    let mut out = Vec::new();
    execute(&mut out, StmtId(1), &[Value::Text("long"), Value::Int(1)], None, |value| value.as_bytes().is_some());
    assert_eq!(out, [0x17, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]);
    out.clear();
    long_data(&mut out, StmtId(1), 2, b"part");
    assert_eq!(out, b"\x18\x01\0\0\0\x02\0part");
}

#[test]
fn dates_and_times_that_no_column_holds() {
    let refused = |value| check(&[Value::Null, value]).map_err(|error| error.message().to_owned());
    let date = |year, month, day| Date { year, month, day };
    let time = |text: &str| Value::Time(Time::parse(text.as_bytes()).unwrap());
    for fine in [
        Value::Date(Date::default()),
        Value::Date(date(2024, 2, 31)),
        Value::Date(date(9999, 12, 31)),
        Value::DateTime(DateTime { date: date(1, 1, 1), hour: 23, minute: 59, second: 59, micros: 999_999 }),
        time("-838:59:59.999999"),
        Value::Int(839),
    ] {
        assert_eq!(refused(fine), Ok(()));
    }
    assert_eq!(refused(Value::Default), Err("value 2 is DEFAULT, which an execution cannot send".to_owned()));
    let longer = "value 2 is `-839:00:00`, which no column holds";
    assert_eq!(refused(time("-839:00:00")), Err(longer.to_owned()));
    for wrong in [
        Value::Date(date(10_000, 1, 1)),
        Value::Date(date(2024, 13, 1)),
        Value::DateTime(DateTime { hour: 24, ..DateTime::default() }),
        Value::Time(Time { minutes: 60, ..Time::default() }),
        Value::Time(Time { days: u32::MAX, ..Time::default() }),
    ] {
        assert!(refused(wrong).is_err(), "{wrong:?}");
    }
}

#[test]
fn texts_among_other_values() {
    let moment = DateTime { date: Date { year: 1, month: 2, day: 3 }, hour: 4, minute: 5, second: 6, micros: 7 };
    let long = "x".repeat(300);
    let params = [
        Value::Text("one"),
        Value::Null,
        Value::Float(1.0),
        Value::UInt(3),
        Value::DateTime(moment),
        Value::Time(Time { negative: true, days: 1, hours: 2, minutes: 3, seconds: 4, micros: 0 }),
        Value::Bytes(long.as_bytes()),
        Value::Double(0.1),
        Value::Date(Date { year: 2021, month: 1, day: 2 }),
        Value::Text(""),
    ];
    let (mut nulls, mut told, mut bytes) = (Vec::new(), Vec::new(), Vec::new());
    bitmap(&mut nulls, &params);
    types(&mut told, &params, &[]);
    values(&mut bytes, &params, |_| false);
    let found: Vec<_> = texts(&nulls, &told, &bytes).collect();
    assert_eq!(found, [(0, b"one".as_slice()), (6, long.as_bytes()), (9, b"")]);
}
