//! Kept statements in a session that changes: a server keeps to the schema and the settings in which it prepared a statement, so each is
//! prepared anew, and does what its text does now.

use crate::cases::{Route, Shell, in_cases};
use crate::twins::with_twin;
use inrush::sans_io::batch::BatchOptions;
use inrush::sans_io::value::{Date, DateTime};
use inrush::sans_io::write::Method;
use inrush::{Value, blocking};
use inrush_testkit::servers;
use std::sync::Mutex;

const READ: &str = "SELECT name FROM t WHERE id = ?";

#[test]
fn another_schema() {
    in_cases(servers::with_local_infile(), &[Route::Tcp], |case| {
        let (one, other) = (case.server.schema("keptone"), case.server.schema("keptother"));
        for (schema, name) in [(&one, "one"), (&other, "other")] {
            schema.sql("CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(20))");
            schema.sql(&format!("INSERT INTO t VALUES (1, '{name}')"));
        }
        let (go_one, go_other) = (format!("USE {}", one.name()), format!("USE `{}`", other.name()));
        with_twin!(case, case.config().with_database(one.name()), connection => {
            let kept = wait!(connection.prepare(READ)).unwrap();
            for (go, want) in [(&go_other, "other"), (&go_one, "one"), (&go_one, "one")] {
                wait!(connection.execute(go.as_str(), ())).unwrap();
                for _ in 0..2 {
                    assert_eq!(wait!(connection.query_one::<(String,)>(&kept, (1,))).unwrap().0, want);
                }
                let rows = [(want,), (want,)];
                wait!(connection.execute_batch("INSERT INTO t (id, name) VALUES (9, ?) ON DUPLICATE KEY UPDATE name = 'batch'", &rows)).unwrap();
                assert_eq!(wait!(connection.query_one::<(String,)>(READ, (9,))).unwrap().0, "batch");
                wait!(connection.execute("DELETE FROM t WHERE id = ?", (9,))).unwrap();
            }
            // What does not change anything costs nothing.
            assert!(connection.session().statements().len() <= 4);
            // In one flight, where no answer has told of the schema yet.
            let mut pipeline = connection.pipeline();
            pipeline.query(&go_other).execute(&kept, (1,)).query(&go_one).execute(&kept, (1,));
            let replies = wait!(pipeline.run()).unwrap();
            let names: Vec<Vec<(String,)>> =
                [1, 3].map(|at: usize| replies[at].as_ref().unwrap().rows().unwrap()).into();
            assert_eq!(names, [[("other".to_owned(),)], [("one".to_owned(),)]]);
            assert_eq!(wait!(connection.query_one::<(String,)>(&kept, (1,))).unwrap().0, "one");
        });
    });
}

#[test]
fn another_sql_mode() {
    in_cases(servers::with_local_infile(), &[Route::Tcp], |case| {
        with_twin!(case, case.config(), connection => {
            // A string, or a column that is not there; OR, or the joining of texts.
            for (sql, before, after) in [("SELECT CONCAT('a' || 'b', ?)", "0", "ab"), ("SELECT CONCAT(\"x\", ?)", "x", "")] {
                for _ in 0..2 {
                    wait!(connection.execute("SET SESSION sql_mode = 'STRICT_ALL_TABLES'", ())).unwrap();
                    assert_eq!(wait!(connection.query_one::<(String,)>(sql, ("",))).unwrap().0, before, "{sql}");
                    wait!(connection.execute("SET @@session.SQL_MODE = 'ANSI'", ())).unwrap();
                    let text = wait!(connection.query_one::<(String,)>(sql, ("",)));
                    match after.is_empty() {
                        true => assert_eq!(text.unwrap_err().code(), 1054),
                        false => assert_eq!(text.unwrap().0, after, "{sql}"),
                    }
                }
            }
        });
    });
}

/// Types before and after somebody else's ALTER TABLE.
const ALTERED: &[(&str, &str)] = &[
    ("DOUBLE", "DECIMAL(38,18)"),
    ("FLOAT", "DECIMAL(38,18)"),
    ("DOUBLE", "VARCHAR(60)"),
    ("INT", "VARCHAR(60)"),
    ("DECIMAL(10,2)", "VARCHAR(60)"),
    ("DECIMAL(10,2)", "DECIMAL(38,18)"),
    ("DATE", "VARCHAR(60)"),
    ("DATETIME", "VARCHAR(60)"),
    ("TIME", "VARCHAR(60)"),
    ("TIME", "DATETIME(6)"),
    ("VARCHAR(60)", "DECIMAL(38,18)"),
];

fn values_for_altered() -> Vec<Value<'static>> {
    let date = Date { year: 2024, month: 2, day: 29 };
    let moment = DateTime { date, hour: 23, minute: 59, second: 58, micros: 123_456 };
    let texts = [
        "1",
        "007",
        "1234567890.123456789012345678",
        "-9007199254740993",
        "1e3",
        "2024-02-29",
        "2024-02-29 10:11:12.123456",
        "10:11:12",
        "äöü€",
        "2",
    ];
    let mut values: Vec<_> = texts.map(Value::Text).into();
    values.extend([1, 2, -9_007_199_254_740_993, 9_007_199_254_740_993, 20_240_229].map(Value::Int));
    values.extend([
        Value::UInt(u64::MAX),
        Value::Double(0.1),
        Value::Double(1_234_567_890_123_456_768.0),
        Value::Float(0.1),
    ]);
    values.extend([Value::Date(date), Value::DateTime(moment), Value::Bytes(b"\xff\xfe"), Value::Bytes(b"2")]);
    values
}

/// A statement that is kept stores what a fresh one does, also after somebody else has altered its table.
#[test]
fn somebody_else_alters_the_table() {
    let values = values_for_altered();
    let differ = Mutex::new(Vec::new());
    in_cases(servers::with_local_infile(), &[Route::Unix], |case| {
        if case.shell != Shell::Blocking {
            return;
        }
        let schema = case.server.schema("altered");
        let config = case.config().with_database(schema.name());
        let mut connection = blocking::Connection::connect(&config).unwrap();
        let mut other = blocking::Connection::connect(&config).unwrap();
        for (before, after) in ALTERED {
            for (id, value) in values.iter().enumerate() {
                other.execute("DROP TABLE IF EXISTS t", ()).unwrap();
                other.execute(&format!("CREATE TABLE t (id INT, c {before})"), ()).unwrap();
                let text = |name: &str| format!("INSERT INTO t VALUES (?, ?) /* {name} {before} {after} {id} */");
                let (executed, prepared) = (text("executed"), connection.prepare(&text("prepared")).unwrap());
                connection.execute(&executed, (0, Value::Null)).unwrap();
                other.execute(&format!("ALTER TABLE t MODIFY c {after}"), ()).unwrap();
                let outcomes = [
                    connection.execute(&text("fresh"), (1, *value)).is_ok(),
                    connection.execute(&executed, (2, *value)).is_ok(),
                    connection.execute(&prepared, (3, *value)).is_ok(),
                ];
                let select = "SELECT id, CAST(c AS BINARY) FROM t WHERE id > 0 ORDER BY id";
                let stored: Vec<(usize, Option<Vec<u8>>)> = other.query(select, ()).unwrap();
                let of = |id: usize| stored.iter().find(|row| row.0 == id).map(|row| row.1.as_deref());
                if of(1) != of(2) || of(1) != of(3) {
                    let line = format!("{}: {before} to {after}, {value:?}: {outcomes:?} {stored:?}", case.server.name);
                    differ.lock().unwrap().push(line);
                }
            }
        }
    });
    let differ = differ.into_inner().unwrap();
    assert!(differ.is_empty(), "{} differ:\n{}", differ.len(), differ.join("\n"));
}

/// The same for batches of one row and of two rows.
#[test]
fn somebody_else_alters_the_table_of_a_batch() {
    let values = values_for_altered();
    let methods = [Method::Prepared, Method::Pipelined, Method::MultiRowPrepared, Method::Bulk];
    let differ = Mutex::new(Vec::new());
    in_cases(servers::with_local_infile(), &[Route::Unix], |case| {
        if case.shell != Shell::Blocking {
            return;
        }
        let schema = case.server.schema("alteredbatch");
        let config = case.config().with_database(schema.name());
        let mut connection = blocking::Connection::connect(&config).unwrap();
        let mut other = blocking::Connection::connect(&config).unwrap();
        let can_bulk = connection.session().profile().bulk_execute;
        let methods = methods.into_iter().filter(|method| *method != Method::Bulk || can_bulk);
        for ((before, after), method) in ALTERED.iter().flat_map(|types| methods.clone().map(move |m| (types, m))) {
            other.execute("DROP TABLE IF EXISTS t", ()).unwrap();
            other.execute(&format!("CREATE TABLE t (id INT, c {before})"), ()).unwrap();
            let options = BatchOptions::new().with_method(method);
            let text = |of: usize| format!("INSERT INTO t VALUES (?, ?) /* {before} {after} {method} {of} */");
            for of in 0..values.len() {
                connection.execute_batch_with(&text(of), &[(0, Value::Null)], &options).unwrap();
                connection.execute_batch_with(&text(of), &[(0, Value::Null); 2], &options).unwrap();
            }
            other.execute(&format!("ALTER TABLE t MODIFY c {after}"), ()).unwrap();
            // What the connection knows of the table may be a minute old.
            connection.execute("/* forget it */ DO 0", ()).unwrap();
            for (of, value) in values.iter().enumerate() {
                let id = |n: usize| 10 * of + n;
                let rows = [1, 2, 3].map(|n| (id(n), *value));
                let outcomes = [
                    connection.execute_batch_with(&text(of), &rows[..1], &options).map(|_| ()),
                    connection.execute_batch_with(&text(of), &rows[1..], &options).map(|_| ()),
                    connection
                        .execute(&format!("INSERT INTO t VALUES (?, ?) /* fresh {of} */"), (id(4), *value))
                        .map(|_| ()),
                ];
                let select = "SELECT id, CAST(c AS BINARY) FROM t WHERE id BETWEEN ? AND ?";
                let stored: Vec<(usize, Option<Vec<u8>>)> = other.query(select, (id(1), id(4))).unwrap();
                let of = |n: usize| stored.iter().find(|row| row.0 == id(n)).map(|row| row.1.as_deref());
                // What a batch refuses is not there; MySQL loses fractions of seconds of an execution where they become text.
                let is_moment = matches!(value, Value::DateTime(_)) && after.starts_with("VARCHAR");
                if [1, 2, 3].into_iter().any(|n| of(n).is_some() && of(n) != of(4)) && !is_moment {
                    let server = &case.server.name;
                    let line = format!("{server}: {method}, {before} to {after}, {value:?}: {outcomes:?} {stored:?}");
                    differ.lock().unwrap().push(line);
                }
            }
        }
    });
    let differ = differ.into_inner().unwrap();
    assert!(differ.is_empty(), "{} differ:\n{}", differ.len(), differ.join("\n"));
}
