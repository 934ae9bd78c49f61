//! Values as they are bound, every kind into every type of column: what is sent is stored without a word, bound and as a literal
//! alike, and as a LOAD stores the value's printed form. Where only one of the two forms is good, that is listed.

use super::oracle::Oracle;
use inrush::sans_io::value::{Date, DateTime, Time, Value};

#[test]
fn a_value_is_stored_as_its_printed_form() {
    let values = printed_values();
    for ty in TYPES {
        check_all(ty, &values);
    }
}

#[test]
fn bytes_are_read_as_text_where_a_type_has_no_bytes() {
    let values: Vec<Value<'_>> =
        TEXTS.map(|text| Value::Bytes(text.as_bytes())).into_iter().chain(BYTES.map(Value::Bytes)).collect();
    for ty in TYPES.into_iter().filter(|ty| !OF_BYTES.iter().any(|prefix| ty.starts_with(prefix))) {
        check_all(ty, &values);
    }
}

#[test]
fn bytes_are_what_a_result_has_where_a_type_has_bytes() {
    stores("bit(10)", &[(Value::Bytes(b"\x05"), "5"), (Value::Bytes(b"\0\x05"), "5"), (Value::Bytes(b"5"), "53")]);
    stores("bit(64)", &[(Value::Bytes(&[0xff; 8]), "18446744073709551615"), (Value::Bytes(&[0; 9]), "0")]);
    refuses("bit(10)", &[Value::Bytes(b"\x05\x05"), Value::Bytes(b"")]);
    let raw = b"\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\x01";
    stores(
        "uuid",
        &[(Value::Bytes(raw), "20010db8-0000-0000-0000-000000000001"), (Value::Bytes(UUID.as_bytes()), UUID)],
    );
    refuses("uuid", &[Value::Bytes(b"\0\x11\x22\x33\x44\x55\x80\x77\x01\x99\xaa\xbb\xcc\xdd\xee\xff")]);
    let text = "2001:db8::1:2:33";
    stores("inet6", &[(Value::Bytes(raw), "2001:db8::1"), (Value::Bytes(text.as_bytes()), text)]);
    stores("inet4", &[(Value::Bytes(&[1, 2, 3, 4]), "1.2.3.4"), (Value::Bytes(b"1.2.3.4"), "1.2.3.4")]);
    refuses("inet4", &[Value::Bytes(b"12345")]);
}

#[test]
fn geometries_are_bytes() {
    let [point, line] = [geometry(1, 1), geometry(2, 2)];
    let (own, wkb) = (Value::Bytes(&point), Value::Bytes(&point[4..]));
    stores("point", &[(own, "POINT(0 2)"), (wkb, "POINT(0 2)")]);
    stores("geometry", &[(own, "POINT(0 2)"), (wkb, "POINT(0 2)"), (Value::Bytes(&line), "LINESTRING(0 2,1 2)")]);
    refuses("point", &[Value::Bytes(&line), Value::Bytes(b"POINT(1 2)"), Value::Bytes(b""), Value::Bytes(&point[..8])]);
}

#[test]
fn vectors_are_bytes_or_text() {
    let [two, one, nan, tiny, long] =
        VECTORS.map(|floats| floats.iter().flat_map(|float| float.to_le_bytes()).collect::<Vec<u8>>());
    for oracle in Oracle::on_all("vector(2)") {
        let mysql = oracle.server_name().contains("mysql");
        let shown = if mysql { "[1.00000e+00,2.50000e+00]" } else { "[1,2.5]" };
        check_stored(&oracle, &[(Value::Bytes(&two), shown), (Value::Text(" [ 1 , 2.5]"), shown)]);
        let good = |bytes: &[u8]| oracle.judge(Value::Bytes(bytes), &mut Vec::new()).is_ok();
        assert_eq!([&one, &nan, &tiny, &long].map(|bytes| good(bytes)), [mysql, false, true, mysql]);
        for (id, bytes) in [&tiny, &one, &long].into_iter().enumerate().filter(|(_, bytes)| good(bytes)) {
            oracle.send(100 + id, Value::Bytes(bytes), true).unwrap();
        }
    }
    refuses("vector(2)", &[Value::Bytes(b"[1,2.5]"), Value::Bytes(b""), Value::Text("[1,2,3]"), Value::Int(1)]);
}

/// A server prints a bound DOUBLE to make a DECIMAL of it, and it must print what we print.
#[test]
fn doubles_into_decimals() {
    let mut state = 1_u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 33
    };
    let cents = (0..200).map(|_| Value::Double(random() as f64 / 100.0)).collect::<Vec<_>>();
    check_all("decimal(12,2)", &cents);
    let any =
        (0..200).map(|_| Value::Double(random() as f64 * 2_f64.powi((random() % 60) as i32 - 50))).collect::<Vec<_>>();
    check_all("decimal(65,30)", &any);
}

/// Each of them is stored as the text beside it, bound and as a literal.
#[track_caller]
fn stores(ty: &str, values: &[(Value<'_>, &str)]) {
    Oracle::on_all(ty).iter().for_each(|oracle| check_stored(oracle, values));
}

#[track_caller]
fn check_stored(oracle: &Oracle, values: &[(Value<'_>, &str)]) {
    for (id, (value, _)) in values.iter().enumerate() {
        let mut scratch = Vec::new();
        let sent = oracle.judge(*value, &mut scratch).unwrap();
        oracle.send(id, sent, true).unwrap();
        oracle.send(id + LITERALS, sent, false).unwrap();
    }
    let stored = oracle.stored(false);
    for (id, (value, want)) in values.iter().enumerate() {
        assert_eq!(
            (&*stored[&id], &*stored[&(id + LITERALS)]),
            (*want, *want),
            "{value:?} on {}",
            oracle.server_name()
        );
    }
}

#[track_caller]
fn refuses(ty: &str, values: &[Value<'_>]) {
    for oracle in Oracle::on_all(ty) {
        for value in values {
            let verdict = oracle.judge(*value, &mut Vec::new()).map(|sent| format!("{sent:?}"));
            assert!(verdict.is_err(), "{value:?} into {ty} becomes {verdict:?}");
        }
    }
}

/// Value and printed form are both good or both bad, and stored alike.
#[track_caller]
fn check_all(ty: &str, values: &[Value<'_>]) {
    let texts: Vec<Vec<u8>> = values.iter().map(|value| printed(ty, value)).collect();
    for oracle in Oracle::on_all(ty) {
        let place = |id: usize| format!("{:?} into {ty} on {}", values[id], oracle.server_name());
        oracle.at_once(|| {
            for (id, value) in values.iter().enumerate() {
                let mut scratch = Vec::new();
                let verdict = oracle.judge(*value, &mut scratch);
                let expected = oracle.verdict(&texts[id]).is_ok() && !is_good_as_text_only(ty, value);
                assert_eq!(verdict.is_ok(), expected || is_good_as_value_only(ty, value), "{}: {verdict:?}", place(id));
                let Ok(sent) = verdict else { continue };
                oracle.send(id, sent, true).unwrap_or_else(|e| panic!("{}: {e}", place(id)));
                oracle.send(id + LITERALS, sent, false).unwrap_or_else(|e| panic!("{}: {e}", place(id)));
            }
        });
        oracle.load_good(&texts);
        let (sent, loaded) = (oracle.stored(false), oracle.stored(true));
        for (id, value) in values.iter().enumerate() {
            assert_eq!(sent.get(&id), sent.get(&(id + LITERALS)), "as a literal, {}", place(id));
            if let (Some(sent), Some(loaded)) = (sent.get(&id), loaded.get(&id))
                && !is_stored_as_it_is(ty, value)
            {
                assert_eq!(sent, loaded, "{}", place(id));
            }
        }
    }
}

fn is_good_as_text_only(ty: &str, value: &Value<'_>) -> bool {
    match value {
        // A server takes each of these for something else: the bits of the text, bytes in the column's character set.
        Value::Text(_) => {
            ty.starts_with("bit") || (*value == Value::Text("POINT(1 2)") && matches!(ty, "point" | "geometry"))
        }
        Value::Bytes(bytes) => {
            ["ucs2", "utf32"].iter().any(|set| ty.ends_with(set)) || (ty.ends_with("latin1") && !bytes.is_ascii())
        }
        // A number that is no number has a text.
        Value::Double(n) if !n.is_finite() => true,
        Value::Float(n) if !n.is_finite() => true,
        Value::Double(n) if ty == "bit(64)" => *n >= 2_f64.powi(63),
        Value::Float(n) if ty == "bit(64)" => *n >= 2_f32.powi(63),
        // The text of a member, and not its place.
        Value::Int(2) | Value::Double(2.0) | Value::Float(2.0) => ty.starts_with("set"),
        // More digits than a FLOAT has.
        Value::Float(0.1) => ty == "decimal(20,15)",
        // A placeholder takes no well-known text.
        // An hour that no TIME of the protocol has.
        Value::Time(Time { hours: 24, .. }) => ty.starts_with("time"),
        _ => false,
    }
}

fn is_good_as_value_only(ty: &str, value: &Value<'_>) -> bool {
    match value {
        // The text `0` is 2000.
        Value::Int(0) => ty == "year",
        // In print it is a little more than the greatest one.
        Value::Float(f32::MAX) => ty.starts_with("float"),
        _ => false,
    }
}

/// A FLOAT is a DOUBLE exactly, and its digits are fewer.
fn is_stored_as_it_is(ty: &str, value: &Value<'_>) -> bool {
    matches!(value, Value::Float(_)) && !ty.starts_with("float")
}

/// As the text of a file would write it. A server makes a DOUBLE of a FLOAT, but for a column of FLOATs; a DECIMAL, and a DOUBLE that is
/// declared with digits, have their own.
fn printed(ty: &str, value: &Value<'_>) -> Vec<u8> {
    match value {
        Value::Float(n) if !["float", "decimal", "double("].iter().any(|own| ty.starts_with(own)) => {
            Value::Double(f64::from(*n)).to_string().into_bytes()
        }
        _ => value.as_bytes().map_or_else(|| value.to_string().into_bytes(), <[u8]>::to_vec),
    }
}

/// Numbers, days and times, and texts.
pub(super) fn printed_values() -> Vec<Value<'static>> {
    numbers().into_iter().chain(times()).chain(TEXTS.map(Value::Text)).collect()
}

fn numbers() -> Vec<Value<'static>> {
    let ints = [
        0,
        1,
        -1,
        2,
        5,
        99,
        128,
        300,
        1901,
        2024,
        2156,
        70_000,
        1_234_567,
        20_240_229,
        20_240_229_101_112,
        i64::MIN,
        i64::MAX,
    ];
    let doubles = [
        0.0,
        -0.0,
        1.0,
        2.0,
        1.7,
        -1.5,
        0.1,
        1.005,
        0.125,
        2024.0,
        255.0,
        1e10,
        1_234_567.89,
        1e16,
        1e18,
        1.2e19,
        9.3e18,
        1e30,
        1e39,
        1e300,
        1e-7,
        1.5e-7,
        1e-50,
        1e-300,
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
    ];
    let floats = [0.0, -0.0, 2.0, 0.1, 1.5, 16_777_216.0, 1e10, f32::MAX, f32::MIN_POSITIVE, f32::NAN, f32::INFINITY];
    let ints = ints.map(Value::Int).into_iter().chain([1, u64::MAX, 1 << 63, 300].map(Value::UInt));
    ints.chain(doubles.map(Value::Double)).chain(floats.map(Value::Float)).collect()
}

fn times() -> Vec<Value<'static>> {
    let date = |year, month, day| Date { year, month, day };
    let leap_day = date(2024, 2, 29);
    let dates = [
        leap_day,
        date(2023, 2, 29),
        date(0, 0, 0),
        date(0, 1, 1),
        date(2024, 0, 1),
        date(1, 1, 1),
        date(9999, 12, 31),
    ];
    let at = |date, hour, micros| DateTime { date, hour, micros, ..DateTime::default() };
    let moments = [
        at(leap_day, 0, 0),
        at(leap_day, 10, 0),
        at(leap_day, 10, 500_000),
        at(leap_day, 10, 500),
        at(leap_day, 10, 1),
        at(leap_day, 24, 0),
        at(date(1970, 1, 1), 0, 0),
        at(date(1970, 1, 1), 1, 0),
        at(date(1969, 12, 31), 23, 0),
        at(date(2038, 1, 19), 3, 0),
        at(date(2038, 1, 19), 4, 0),
        at(date(2106, 2, 7), 6, 0),
        at(date(2106, 2, 7), 7, 0),
        at(date(0, 1, 1), 1, 0),
        at(date(9999, 12, 31), 23, 999_999),
    ];
    let time = |days, hours, micros| Time { days, hours, micros, ..Time::default() };
    let last = Time { minutes: 59, seconds: 59, ..time(34, 22, 0) };
    let spans = [
        time(0, 0, 0),
        time(0, 10, 0),
        time(0, 10, 500_000),
        time(0, 10, 1),
        time(3, 2, 0),
        last,
        Time { negative: true, ..last },
        Time { micros: 1, ..last },
        time(34, 23, 0),
        time(0, 24, 0),
        Time { negative: true, ..time(0, 0, 0) },
        Time { negative: true, ..time(0, 1, 0) },
    ];
    let dates = dates.map(Value::Date).into_iter();
    dates.chain(moments.map(Value::DateTime)).chain(spans.map(Value::Time)).collect()
}

/// So many points, in the server's own form.
fn geometry(kind: u8, n_points: u8) -> Vec<u8> {
    let mut bytes = vec![0, 0, 0, 0, 1, kind, 0, 0, 0];
    if n_points > 1 {
        bytes.extend(u32::from(n_points).to_le_bytes());
    }
    for n in 0..n_points {
        bytes.extend([f64::from(n), 2.0].into_iter().flat_map(f64::to_le_bytes));
    }
    bytes
}

/// Where the rows begin that literals make.
const LITERALS: usize = 1000;

pub(super) const TYPES: [&str; 46] = [
    "tinyint",
    "tinyint(1)",
    "smallint unsigned",
    "mediumint",
    "int",
    "bigint",
    "bigint unsigned",
    "decimal(10,2)",
    "decimal(20,15)",
    "decimal(5,0) unsigned",
    "float",
    "float unsigned",
    "double",
    "double unsigned",
    "double(10,2)",
    "bit(1)",
    "bit(10)",
    "bit(64)",
    "year",
    "date",
    "time",
    "time(3)",
    "time(6)",
    "datetime",
    "datetime(3)",
    "datetime(6)",
    "timestamp",
    "timestamp(6)",
    "char(5)",
    "varchar(30)",
    "varchar(30) character set latin1",
    "varchar(30) character set ucs2",
    "tinytext",
    "tinytext character set utf32",
    "binary(5)",
    "varbinary(30)",
    "longblob",
    "enum('a','2','B')",
    "set('a','b','2')",
    "json",
    "point",
    "geometry",
    "vector(2)",
    "uuid",
    "inet4",
    "inet6",
];

const TEXTS: [&str; 24] = [
    "",
    "5",
    "2",
    " 7 ",
    "-3.5",
    "1e3",
    "007",
    "true",
    "a",
    "A ",
    "b,a",
    "é",
    "€uro🦀",
    "x'1f'",
    "2024",
    "2024-02-29",
    "2024-02-29 10:11:12",
    "2024-02-29T10:00:00Z",
    "10:11:12",
    "{\"a\": 1}",
    "[1,2.5]",
    "POINT(1 2)",
    "550e8400-e29b-41d4-a716-446655440000",
    "2001:db8::1:2:33",
];

const BYTES: [&[u8]; 8] = [
    b"\xff",
    b"\x05",
    b"\0\x05",
    &[0xff; 8],
    &[0; 9],
    b"\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\x01",
    &[1, 2, 3, 4],
    b"\xed\xa0\x80",
];

const VECTORS: [&[f32]; 5] = [&[1.0, 2.5], &[1.0], &[1.0, f32::NAN], &[1.0, f32::from_bits(1)], &[1.9e19, 0.0]];

const UUID: &str = "550e8400-e29b-41d4-a716-446655440000";

/// Types whose bytes mean something else than their text.
const OF_BYTES: [&str; 7] = ["bit", "point", "geometry", "vector", "uuid", "inet4", "inet6"];
