//! Every column type there and back, sent as SQL text and as values, read as text and in binary form, as Rust types and as Arrow.

use crate::cases::{Case, Route, Twin, in_cases};
use inrush::sans_io::value::{Date, DateTime, Time};
use inrush::{Config, FromValue, ResultSet, Row, ToValue, Value};
use inrush_testkit::servers::{self, Vendor};
use jiff::{SignedDuration, civil};
use std::fmt::Debug;

/// A column type, a value as SQL writes it and as it is sent, and the check that it came back.
pub(crate) struct Probe {
    ty: &'static str,
    literal: String,
    value: Box<dyn ToValue>,
    check: Box<dyn Fn(Row<'_>, usize)>,
}

/// The Rust value goes and must come back as it is.
pub(crate) fn probe<T>(ty: &'static str, literal: &str, value: T) -> Probe
where
    T: ToValue + for<'r> FromValue<'r> + Clone + PartialEq + Debug + 'static,
{
    probe_as(ty, literal, value.clone(), value)
}

/// One Rust value goes, another one must come back.
pub(crate) fn probe_as<T>(ty: &'static str, literal: &str, value: impl ToValue + 'static, want: T) -> Probe
where
    T: for<'r> FromValue<'r> + PartialEq + Debug + 'static,
{
    let check = move |row: Row<'_>, column: usize| {
        let got: T = row.get(column).unwrap();
        assert_eq!(got, want, "{ty}, {:?}", row.format());
    };
    Probe { ty, literal: literal.to_owned(), value: Box::new(value), check: Box::new(check) }
}

fn text(text: &str) -> String {
    text.to_owned()
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "''"))
}

fn hex(bytes: &[u8]) -> String {
    format!("x'{}'", bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>())
}

fn numbers() -> Vec<Probe> {
    let nines = format!("{}.{}", "9".repeat(35), "9".repeat(30));
    let small = format!("-0.{}1", "0".repeat(29));
    vec![
        probe("TINYINT", "-128", -128_i8),
        probe("TINYINT UNSIGNED", "255", 255_u8),
        probe("BOOL", "TRUE", true),
        probe("SMALLINT", "-32768", -32_768_i16),
        probe("SMALLINT UNSIGNED", "65535", 65_535_u16),
        probe("MEDIUMINT", "-8388608", -8_388_608_i32),
        probe("MEDIUMINT UNSIGNED", "16777215", 16_777_215_u32),
        probe("INT", "-2147483648", i32::MIN),
        probe("INT UNSIGNED", "4294967295", u32::MAX),
        probe("BIGINT", "-9223372036854775808", i64::MIN),
        probe("BIGINT UNSIGNED", "18446744073709551615", u64::MAX),
        probe("BIGINT UNSIGNED", "18446744073709551615", usize::MAX),
        probe("INT ZEROFILL", "7", 7_u32),
        probe("FLOAT", "1.5", 1.5_f32),
        probe("FLOAT", "-3.25e10", -3.25e10_f32),
        probe("DOUBLE", "-1e300", -1e300_f64),
        probe("DOUBLE", "0.1", 0.1_f64),
        probe("DOUBLE", "1.7976931348623157e308", f64::MAX),
        probe("DOUBLE", "5e-300", 5e-300_f64),
        probe("DECIMAL(65,30)", &nines, nines.clone()),
        probe("DECIMAL(65,30)", &small, small.clone()),
        probe("DECIMAL(10,2)", "-12345678.50", text("-12345678.50")),
        probe("DECIMAL(20,0)", "18446744073709551615", u64::MAX),
        probe_as("DECIMAL(10,2)", "7", 7_i32, 7.0_f64),
        probe("BIT(1)", "b'1'", true),
        probe("BIT(1)", "b'0'", 0_u8),
        probe("BIT(12)", "b'101010111100'", 0xABC_u16),
        probe("BIT(63)", "0x7FFFFFFFFFFFFFFF", u64::MAX >> 1),
        probe("BIT(64)", "0xFFFFFFFFFFFFFFFF", u64::MAX),
        probe_as("BIT(9)", "257", 257_u64, vec![1_u8, 1]),
        probe("YEAR", "1901", 1901_u16),
        probe("YEAR", "2155", 2155_u16),
        probe_as("YEAR", "0000", "0000", 0_u16),
    ]
}

fn texts_and_bytes() -> Vec<Probe> {
    let all_bytes: Vec<u8> = (0..=255).collect();
    let odd = "grün 🦀 \0 \\ ' \" \n \u{1a} %_";
    let (long_text, long_bytes) = ("🦀x".repeat(70_000), all_bytes.repeat(1200));
    let mut probes = vec![
        probe("CHAR(5)", "'abc'", text("abc")),
        probe("CHAR(0)", "''", text("")),
        probe("CHAR(1) CHARACTER SET latin1", "'ä'", text("ä")),
        probe("VARCHAR(50) CHARACTER SET ascii", "'a'", text("a")),
        probe("VARCHAR(10) CHARACTER SET utf16", "'🦀'", text("🦀")),
        probe("JSON", "'[1]'", text("[1]")),
        probe("ENUM('a','b c','ü')", "'ü'", text("ü")),
        probe("SET('a','b','c')", "'a,c'", text("a,c")),
        probe("SET('a','b','c')", "''", text("")),
        probe("BINARY(4)", "x'00FF'", vec![0, 0xFF, 0, 0_u8]),
        probe("BINARY(4)", "x'00FF0102'", [0, 0xFF, 1, 2_u8]),
    ];
    for ty in ["VARCHAR(60)", "TINYTEXT", "TEXT", "MEDIUMTEXT", "LONGTEXT"] {
        probes.push(probe(ty, &quoted(odd), text(odd)));
        probes.push(probe(ty, "''", text("")));
    }
    for ty in ["VARBINARY(256)", "BLOB", "MEDIUMBLOB", "LONGBLOB"] {
        probes.push(probe(ty, &hex(&all_bytes), all_bytes.clone()));
        probes.push(probe(ty, "''", Vec::<u8>::new()));
    }
    probes.push(probe("TINYBLOB", &hex(&all_bytes[1..]), all_bytes[1..].to_vec()));
    probes.push(probe("MEDIUMTEXT", &quoted(&long_text), long_text));
    probes.push(probe("LONGBLOB", &hex(&long_bytes), long_bytes));
    // SRID 0, little endian, POINT, 1, -2.
    let point = [&[0, 0, 0, 0, 1, 1, 0, 0, 0][..], &1.0_f64.to_le_bytes(), &(-2.0_f64).to_le_bytes()].concat();
    probes.push(probe("GEOMETRY", "ST_GeomFromText('POINT(1 -2)')", point.clone()));
    probes.push(probe("POINT", "ST_GeomFromText('POINT(1 -2)')", point));
    probes
}

fn dates_and_times() -> Vec<Probe> {
    let (day, late) = (civil::date(2024, 2, 29), civil::time(23, 59, 58, 123_456_000));
    let micro = SignedDuration::from_micros(1);
    let our_day = Date { year: 9999, month: 12, day: 31 };
    let our_moment = DateTime { date: our_day, hour: 23, minute: 59, second: 59, micros: 999_999 };
    vec![
        probe("DATE", "'2024-02-29'", day),
        probe("DATE", "'1000-01-01'", text("1000-01-01")),
        probe("DATE", "'9999-12-31'", our_day),
        probe("DATETIME", "'2024-02-29 00:00:00'", day.at(0, 0, 0, 0)),
        probe("DATETIME(6)", "'2024-02-29 23:59:58.123456'", day.to_datetime(late)),
        probe("DATETIME(3)", "'2024-02-29 23:59:58.120'", text("2024-02-29 23:59:58.120")),
        probe("DATETIME(6)", "'9999-12-31 23:59:59.999999'", our_moment),
        probe("TIMESTAMP NULL", "'2038-01-19 03:14:07'", civil::date(2038, 1, 19).at(3, 14, 7, 0)),
        probe("TIMESTAMP(6) NULL", "'2024-02-29 23:59:58.123456'", day.to_datetime(late)),
        probe("TIME", "'23:59:58'", civil::time(23, 59, 58, 0)),
        probe("TIME(6)", "'23:59:58.123456'", late),
        probe("TIME", "'838:59:59'", SignedDuration::from_secs(3_020_399)),
        probe("TIME", "'-838:59:59'", SignedDuration::from_secs(-3_020_399)),
        probe("TIME(6)", "'-00:00:00.000001'", -micro),
        probe("TIME(6)", "'-837:59:59.999999'", SignedDuration::from_micros(-3_016_799_999_999)),
        probe("TIME(3)", "'-34:22:59.500'", text("-34:22:59.500")),
        probe("TIME", "'-01:02:03'", Time { negative: true, hours: 1, minutes: 2, seconds: 3, ..Time::default() }),
    ]
}

/// What only some servers have.
fn of_one_server(case: &Case) -> Vec<Probe> {
    let vector = vec![1.5_f32, -2.25, 3.4e30];
    let mut probes = Vec::new();
    match case.server.vendor {
        Vendor::Mysql => {
            probes.push(probe("VECTOR(3)", "STRING_TO_VECTOR('[1.5,-2.25,3.4e30]')", vector));
            probes.push(probe("VECTOR", "STRING_TO_VECTOR('[1]')", vec![1.0_f32]));
            // It writes JSON in its own way.
            probes.push(probe_as("JSON", r#"'{"b":1,"a":[]}'"#, r#"{"b":1,"a":[]}"#, text(r#"{"a": [], "b": 1}"#)));
        }
        Vendor::Mariadb => {
            if case.server.name == "mariadb-11.8" {
                let literal = "VEC_FromText('[1.5,-2.25,0.125]')";
                probes.push(probe("VECTOR(3)", literal, vec![1.5_f32, -2.25, 0.125]));
            }
            probes.push(probe("JSON", r#"'{"b":1,"a":[]}'"#, text(r#"{"b":1,"a":[]}"#)));
            let uuid = "123e4567-e89b-12d3-a456-426655440000";
            probes.push(probe("UUID", &quoted(uuid), text(uuid)));
            probes.push(probe("INET6", "'::1'", text("::1")));
            probes.push(probe("INET4", "'10.0.0.1'", text("10.0.0.1")));
            // MySQL stops at 838:59:59 sharp.
            let longest = SignedDuration::from_micros(-3_020_399_999_999);
            probes.push(probe("TIME(6)", "'-838:59:59.999999'", longest));
        }
    }
    probes
}

/// All probes of a server.
pub(crate) fn all_probes(case: &Case) -> Vec<Probe> {
    [numbers(), texts_and_bytes(), dates_and_times(), of_one_server(case)].into_iter().flatten().collect()
}

/// A table with a column for each probe and the rows 1 (as SQL text), 2 (as values) and 3, 4 (NULLs by either way).
pub(crate) fn filled(case: &Case, config: Config, schema: &str, probes: &[Probe]) -> Twin {
    let mut twin = case.open_with(&config.with_database(schema));
    let columns: Vec<_> = probes.iter().enumerate().map(|(i, probe)| format!("c{i} {}", probe.ty)).collect();
    twin.execute(&format!("CREATE TABLE t (id INT NOT NULL PRIMARY KEY, {})", columns.join(", "))).unwrap();
    let insert = |cells: Vec<&str>| format!("INSERT INTO t VALUES ({})", cells.join(", "));
    let literals = probes.iter().map(|probe| probe.literal.as_str());
    let outcome = twin.execute(&insert(["1"].into_iter().chain(literals).collect())).unwrap();
    assert_eq!(outcome.warnings, 0);
    twin.execute(&insert([vec!["3"], vec!["NULL"; probes.len()]].concat())).unwrap();
    let statement = twin.prepare(&insert(vec!["?"; probes.len() + 1])).unwrap();
    let values = |id| [Value::Int(id)].into_iter();
    let sent: Vec<_> = values(2).chain(probes.iter().map(|probe| probe.value.to_value())).collect();
    let results = twin.query_result_sets(&statement, &sent).unwrap();
    assert_eq!(results[0].outcome().unwrap().warnings, 0);
    let nulls: Vec<_> = values(4).chain(probes.iter().map(|_| Value::Null)).collect();
    twin.query_result_sets(&statement, &nulls).unwrap();
    twin
}

/// The whole table as text and in binary form.
pub(crate) fn both_forms(twin: &mut Twin) -> [ResultSet; 2] {
    let sql = "SELECT * FROM t ORDER BY id";
    let statement = twin.prepare(sql).unwrap();
    [twin.query(sql).unwrap().remove(0), twin.query_result_sets(&statement, &[]).unwrap().remove(0)]
}

fn check_round_trips(name: &str, probes: impl Fn(&Case) -> Vec<Probe> + Sync) {
    in_cases(servers::all(), &[Route::Tcp], |case| {
        let (schema, probes) = (case.server.schema(name), probes(case));
        let mut twin = filled(case, case.config(), schema.name(), &probes);
        check_probes(both_forms(&mut twin), &probes);
    });
}

/// Checks what [`filled`] left in a table.
pub(crate) fn check_probes(results: [ResultSet; 2], probes: &[Probe]) {
    for result in results {
        assert_eq!(result.len(), 4);
        for (row, id) in result.rows().zip(1..) {
            assert_eq!(row.get::<i32>("id").unwrap(), id);
            for (i, probe) in probes.iter().enumerate() {
                match id {
                    1 | 2 => (probe.check)(row, i + 1),
                    _ => assert_eq!(row.get::<Option<Value<'_>>>(i + 1).unwrap(), None, "{}", probe.ty),
                }
            }
        }
    }
}

#[test]
fn numbers_come_back() {
    check_round_trips("numbers", |_| numbers());
}

#[test]
fn texts_and_bytes_come_back() {
    check_round_trips("texts", |_| texts_and_bytes());
}

#[test]
fn dates_and_times_come_back() {
    check_round_trips("times", |_| dates_and_times());
}

#[test]
fn types_of_one_server_come_back() {
    check_round_trips("special", of_one_server);
}
