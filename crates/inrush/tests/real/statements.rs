//! Prepared statements: each family of types there and back, results, errors.

use crate::cases::{everywhere, texts};
use inrush::Kind;
use inrush::sans_io::value::Value;
use inrush::sans_io::value::{Date, DateTime, Time};

/// A column type, a value to send, and what must come back.
const FAMILIES: &[(&str, Value<'static>, Value<'static>)] = &[
    ("TINYINT", Value::Int(-128), Value::Int(-128)),
    ("TINYINT UNSIGNED", Value::UInt(255), Value::UInt(255)),
    ("SMALLINT", Value::Int(-32_768), Value::Int(-32_768)),
    ("MEDIUMINT", Value::Int(-8_388_608), Value::Int(-8_388_608)),
    ("MEDIUMINT UNSIGNED", Value::Int(16_777_215), Value::UInt(16_777_215)),
    ("INT", Value::Int(-2_147_483_648), Value::Int(-2_147_483_648)),
    ("BIGINT", Value::Int(i64::MIN), Value::Int(i64::MIN)),
    ("BIGINT UNSIGNED", Value::UInt(u64::MAX), Value::UInt(u64::MAX)),
    ("FLOAT", Value::Float(1.5), Value::Float(1.5)),
    ("DOUBLE", Value::Double(-1.0e300), Value::Double(-1.0e300)),
    ("DECIMAL(10,3)", Value::Text("-1234567.125"), Value::Bytes(b"-1234567.125")),
    ("VARCHAR(20)", Value::Text("grün 🦀"), Value::Bytes("grün 🦀".as_bytes())),
    ("CHAR(3)", Value::Text("abc"), Value::Bytes(b"abc")),
    ("TEXT", Value::Text(""), Value::Bytes(b"")),
    ("BLOB", Value::Bytes(b"\0\xFF'\\\n"), Value::Bytes(b"\0\xFF'\\\n")),
    ("VARBINARY(4)", Value::Bytes(b"\xFE\0"), Value::Bytes(b"\xFE\0")),
    ("BIT(12)", Value::UInt(0xABC), Value::Bytes(b"\x0A\xBC")),
    ("YEAR", Value::UInt(2155), Value::UInt(2155)),
    ("ENUM('a','b')", Value::Text("b"), Value::Bytes(b"b")),
    ("SET('a','b','c')", Value::Text("a,c"), Value::Bytes(b"a,c")),
    ("DATE", Value::Date(Date { year: 2024, month: 2, day: 29 }), Value::Date(Date { year: 2024, month: 2, day: 29 })),
    ("DATETIME", Value::DateTime(MIDNIGHT), Value::DateTime(MIDNIGHT)),
    ("DATETIME(6)", Value::DateTime(LATE), Value::DateTime(LATE)),
    ("TIME", Value::Time(Time { hours: 1, ..ZERO }), Value::Time(Time { hours: 1, ..ZERO })),
    ("TIME(6)", Value::Time(LONG), Value::Time(LONG)),
    ("INT", Value::Null, Value::Null),
    ("BLOB", Value::Null, Value::Null),
];

const MIDNIGHT: DateTime =
    DateTime { date: Date { year: 1000, month: 1, day: 1 }, hour: 0, minute: 0, second: 0, micros: 0 };
const LATE: DateTime =
    DateTime { date: Date { year: 9999, month: 12, day: 31 }, hour: 23, minute: 59, second: 58, micros: 999_999 };
const ZERO: Time = Time { negative: false, days: 0, hours: 0, minutes: 0, seconds: 0, micros: 0 };
/// MySQL 9.7 refuses 838 hours with a fraction as a parameter, though the column holds them; 837 hours it takes.
const LONG: Time = Time { negative: true, days: 34, hours: 21, minutes: 59, seconds: 59, micros: 123_456 };

#[test]
fn each_type_comes_back_as_it_went() {
    everywhere(|case| {
        let schema = case.server.schema("types");
        let mut connection = case.open_with(&case.config().with_database(schema.name()));
        let columns: Vec<_> = FAMILIES.iter().enumerate().map(|(i, (ty, ..))| format!("c{i} {ty}")).collect();
        connection.execute(&format!("CREATE TABLE t ({})", columns.join(", "))).unwrap();
        let placeholders = vec!["?"; FAMILIES.len()].join(", ");
        let insert = connection.prepare(&format!("INSERT INTO t VALUES ({placeholders})")).unwrap();
        let params: Vec<_> = FAMILIES.iter().map(|(_, sent, _)| *sent).collect();
        let results = connection.query_result_sets(&insert, &params).unwrap();
        let outcome = results[0].outcome().unwrap();
        assert_eq!((outcome.affected, outcome.warnings), (1, 0));

        let select = connection.prepare("SELECT * FROM t").unwrap();
        let results = connection.query_result_sets(&select, &[]).unwrap();
        assert_eq!(results[0].columns().len(), FAMILIES.len());
        let row = results[0].rows().next().unwrap();
        for (value, (ty, _, want)) in row.values().zip(FAMILIES) {
            assert_eq!(value.unwrap(), *want, "{ty}");
        }
        assert_eq!(row.values().count(), FAMILIES.len());
    });
}

#[test]
fn a_statement_serves_many_times_with_values_of_changing_type() {
    everywhere(|case| {
        let mut connection = case.open();
        let statement = connection.prepare("SELECT CONCAT(?, '-', ?)").unwrap();
        let rounds: [[Value<'_>; 2]; 4] = [
            [Value::Int(1), Value::Text("a")],
            [Value::Text("b"), Value::UInt(u64::MAX)],
            [Value::Null, Value::Int(1)],
            [Value::Double(1.5), Value::Bytes(b"z")],
        ];
        let want = ["1-a", "b-18446744073709551615", "NULL", "1.5-z"];
        for (params, want) in rounds.iter().zip(want) {
            assert_eq!(texts(&connection.query_result_sets(&statement, params).unwrap()[0]), [[want]]);
        }
    });
}

#[test]
fn a_wrong_number_of_values_costs_nothing() {
    everywhere(|case| {
        let mut connection = case.open();
        let statement = connection.prepare("SELECT ?, ?").unwrap();
        let error = connection.query_result_sets(&statement, &[Value::Int(1)]).unwrap_err();
        assert!(error.kind() == Kind::Config && !error.is_fatal(), "{error:?}");
        assert_eq!(
            texts(&connection.query_result_sets(&statement, &[Value::Int(1), Value::Int(2)]).unwrap()[0]),
            [["1", "2"]]
        );
    });
}

#[test]
fn an_error_leaves_the_statement_usable() {
    everywhere(|case| {
        let schema = case.server.schema("stmterror");
        let mut connection = case.open_with(&case.config().with_database(schema.name()));
        connection.execute("CREATE TABLE t (id INT PRIMARY KEY)").unwrap();
        assert_eq!(connection.prepare("INSERT INTO nothing VALUES (?)").unwrap_err().code(), 1146);
        let insert = connection.prepare("INSERT INTO t VALUES (?)").unwrap();
        connection.query_result_sets(&insert, &[Value::Int(1)]).unwrap();
        assert_eq!(connection.query_result_sets(&insert, &[Value::Int(1)]).unwrap_err().code(), 1062);
        connection.query_result_sets(&insert, &[Value::Int(2)]).unwrap();
        assert_eq!(connection.ask("SELECT COUNT(*) FROM t"), "2");
    });
}

#[test]
fn a_procedure_gives_several_results_in_both_forms() {
    everywhere(|case| {
        let schema = case.server.schema("procedure");
        let mut connection = case.open_with(&case.config().with_database(schema.name()));
        connection.execute("CREATE PROCEDURE p(n INT) BEGIN SELECT n; SELECT n + 1, 'x'; END").unwrap();
        let results = connection.query("CALL p(1)").unwrap();
        assert_eq!(results.len(), 3);
        assert_eq!(
            (texts(&results[0]), texts(&results[1])),
            (vec![vec!["1".into()]], vec![vec!["2".into(), "x".into()]])
        );
        let statement = connection.prepare("CALL p(?)").unwrap();
        for _ in 0..2 {
            let results = connection.query_result_sets(&statement, &[Value::Int(7)]).unwrap();
            assert_eq!(results.len(), 3);
            assert_eq!(texts(&results[1]), [["8", "x"]]);
        }
    });
}
