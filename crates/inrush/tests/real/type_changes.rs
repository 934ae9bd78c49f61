//! A placeholder that gets a value of one kind and then one of another: what is stored is what a statement stores that never saw the first.

use crate::cases::{Case, Route, in_cases};
use crate::twins::with_twin;
use inrush::sans_io::value::{Date, DateTime, Time, Value};
use inrush_testkit::servers;

const DAY: Date = Date { year: 2024, month: 2, day: 29 };

/// Each of them looks like one of the others.
const VALUES: [Value<'static>; 18] = [
    Value::Int(-7),
    Value::Int(9_007_199_254_740_993),
    Value::UInt(u64::MAX),
    Value::Float(0.5),
    Value::Double(1.5),
    Value::Double(20_240_229.0),
    Value::Date(DAY),
    Value::DateTime(DateTime { date: DAY, hour: 10, minute: 0, second: 0, micros: 0 }),
    Value::Time(Time { negative: false, days: 0, hours: 10, minutes: 11, seconds: 12, micros: 0 }),
    Value::Text("007"),
    Value::Text("1.50"),
    Value::Text("1e3"),
    Value::Text("2024/2/1"),
    Value::Text("12345678901234567.89"),
    Value::Bytes(b"007"),
    Value::Bytes(b"20240201101112"),
    Value::Text("é"),
    Value::Bytes("é".as_bytes()),
];

#[test]
fn the_first_value_does_not_decide_over_the_second() {
    in_cases(servers::with_local_infile(), &[Route::Unix], |case| {
        for ty in ["VARCHAR(40)", "VARBINARY(40)", "DECIMAL(30,5)"] {
            check(case, ty);
        }
    });
}

fn check(case: &Case, ty: &str) {
    let schema = case.server.schema("kinds");
    let config = case.config().with_database(schema.name());
    schema.sql(&format!("CREATE TABLE t (id INT PRIMARY KEY, c {ty} NULL)"));
    with_twin!(case, config, connection => {
        wait!(connection.execute("SET sql_mode = ''", ())).unwrap();
        wait!(connection.execute("BEGIN", ())).unwrap();
        for (i, first) in VALUES.iter().enumerate() {
            for (k, second) in VALUES.iter().enumerate() {
                let id = |n: usize| Value::UInt((n * 10_000 + i * 100 + k) as u64);
                let mixed = format!("INSERT INTO t VALUES (?, ?) /* {i} {k} */");
                wait!(connection.execute(&mixed, [id(0), *first])).unwrap();
                wait!(connection.execute(&mixed, [id(1), *second])).unwrap();
                wait!(connection.execute(&mixed, [id(2), Value::Null])).unwrap();
                wait!(connection.execute(&mixed, [id(3), *second])).unwrap();
                wait!(connection.execute(&format!("INSERT INTO t VALUES (?, ?) /* {k} */"), [id(4), *second])).unwrap();
            }
        }
        wait!(connection.execute("COMMIT", ())).unwrap();
    });
    let rows = schema.sql("SELECT a.id, a.c, b.c FROM t a JOIN t b ON b.id = 40000 + a.id % 10000 WHERE a.id DIV 10000 IN (1, 3) AND HEX(a.c) <> HEX(b.c) ORDER BY a.id");
    let shown = |row: &Vec<String>| {
        let pair: usize = row[0].parse().unwrap();
        format!("{:?} behind {:?}: {} instead of {}", VALUES[pair % 100], VALUES[pair / 100 % 100], row[1], row[2])
    };
    let wrong: Vec<String> = rows.iter().map(shown).collect();
    assert!(wrong.is_empty(), "{ty} on {}:\n{}", case.server.name, wrong.join("\n"));
}
