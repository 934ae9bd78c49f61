//! Batches on real servers: every method, rows and columns, every kind of statement, what is told and what is undone.

use crate::cases::{Case, Route, SHELLS, in_cases, rotation};
use crate::twins::with_twin;
use arrow_array::{ArrayRef, Int32Array, RecordBatch, StringViewArray, UInt16Array};
use inrush::sans_io::write::RowsPerCommand;
use inrush::{BatchOptions, Kind, Method, OnBadRow, columns, params};
use inrush_testkit::servers;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread::spawn;

/// Each method on each server, over TCP. The shells take turns, since what a method does is the same on both: which of them begins
/// depends on the behaviour.
#[track_caller]
fn with_methods<C: Fn(&Case, Method) + Sync>(check: C) {
    let first = rotation::<C>();
    in_cases(servers::with_local_infile(), &[Route::Tcp], |case| {
        for (turn, method) in methods(case).into_iter().enumerate() {
            if SHELLS[(first + turn) % SHELLS.len()] == case.shell {
                check(case, method);
            }
        }
    });
}

/// Those that the server has.
pub(crate) fn methods(case: &Case) -> Vec<Method> {
    let has = |method: &Method| *method != Method::Bulk || case.server.name.starts_with("mariadb");
    Method::ALL.into_iter().filter(has).collect()
}

const CREATE: &str = "CREATE TABLE people (id INT PRIMARY KEY AUTO_INCREMENT, name VARCHAR(20) UNIQUE, age TINYINT)";
const INSERT: &str = "INSERT INTO people (name, age) VALUES (:name, :age)";

fn names(n: usize) -> Vec<(String, u8)> {
    (0..n).map(|i| (format!("name {i}"), (i % 100) as u8)).collect()
}

#[test]
fn rows_go_in_by_each_method() {
    with_methods(|case, method| {
        let schema = case.server.schema("batch");
        let config = case.config().with_database(schema.name()).with_local_infile(true).with_multi_statements(true);
        with_twin!(case, config, connection => {
            wait!(connection.execute(CREATE, ())).unwrap();
            let options = BatchOptions::new().with_method(method);
            let report = wait!(connection.execute_batch_with(INSERT, &names(1000), &options)).unwrap();
            assert_eq!((report.method, report.n_rows, report.affected), (method, 1000, 1000), "{report:?}");
            let sums = wait!(connection.query_one::<(u64, u64)>("SELECT COUNT(*), SUM(age) FROM people", ())).unwrap();
            assert_eq!(sums, (1000, 49_500), "{method}");
            assert!(!connection.session().in_transaction(), "{method}");
        });
    });
}

#[test]
fn a_bad_row_undoes_all_and_is_named() {
    with_methods(|case, method| {
        let schema = case.server.schema("badbatch");
        let config = case.config().with_database(schema.name()).with_local_infile(true).with_multi_statements(true);
        with_twin!(case, config, connection => {
            wait!(connection.execute(CREATE, ())).unwrap();
            let options = BatchOptions::new().with_method(method);
            let mut rows = names(700);
            rows[555].0 = "name 3".into();
            let error = wait!(connection.execute_batch_with(INSERT, &rows, &options)).unwrap_err();
            assert_eq!((error.code(), error.row()), (1062, Some(555)), "{method}: {error}");
            assert_eq!(wait!(connection.query_one::<(u64,)>("SELECT COUNT(*) FROM people", ())).unwrap(), (0,), "{method}");
            // Inside of a transaction what was there before stays.
            let mut tx = wait!(connection.begin()).unwrap();
            wait!(tx.execute("INSERT INTO people (name) VALUES ('before')", ())).unwrap();
            let error = wait!(tx.execute_batch_with(INSERT, &rows, &options)).unwrap_err();
            assert_eq!((error.code(), error.row()), (1062, Some(555)), "{method}: {error}");
            wait!(tx.execute("INSERT INTO people (name) VALUES ('after')", ())).unwrap();
            wait!(tx.commit()).unwrap();
            let left: Vec<(String,)> = wait!(connection.query("SELECT name FROM people ORDER BY id", ())).unwrap();
            assert_eq!(left, [("before".into(),), ("after".into(),)], "{method}");
            assert!(connection.session().autocommit() || method == Method::Pipelined);
            wait!(connection.ping()).unwrap();
            assert!(connection.session().autocommit(), "{method}");
        });
    });
}

#[test]
fn bad_rows_are_skipped_if_asked() {
    with_methods(|case, method| {
        let schema = case.server.schema("skipbatch");
        let config = case.config().with_database(schema.name()).with_local_infile(true).with_multi_statements(true);
        with_twin!(case, config, connection => {
            wait!(connection.execute(CREATE, ())).unwrap();
            let options = BatchOptions::new().with_method(method).with_bad_rows(OnBadRow::Skip);
            let mut rows = names(700);
            for bad in [1, 300, 301, 699] {
                rows[bad].0 = "name 0".into();
            }
            let report = wait!(connection.execute_batch_with(INSERT, &rows, &options)).unwrap();
            let bad: Vec<_> = report.bad_rows.iter().map(|bad| (bad.row, bad.error.code())).collect();
            assert_eq!(bad, [(1, 1062), (300, 1062), (301, 1062), (699, 1062)], "{method}");
            assert_eq!((report.n_rows, report.affected), (696, 696), "{method}");
            assert_eq!(wait!(connection.query_one::<(u64,)>("SELECT COUNT(*) FROM people", ())).unwrap(), (696,), "{method}");
        });
    });
}

/// Holds the key 500, waits until another connection runs into it, and then wants what that holds.
fn adversary(case: &Case, schema: &str, ready: &Sender<()>) {
    let config = case.config().with_database(schema);
    let mut connection = inrush::blocking::Connection::connect(&config).unwrap();
    let mut tx = connection.begin().unwrap();
    // The one that changed less is the one that is rolled back.
    let weight: Vec<_> = (0..3000).map(|i| (100_000 + i,)).collect();
    tx.execute_batch("INSERT INTO numbers VALUES (?)", &weight).unwrap();
    tx.execute("INSERT INTO numbers VALUES (500)", ()).unwrap();
    ready.send(()).unwrap();
    case.server.until_a_row_is_waited_for(schema);
    tx.execute("SELECT * FROM numbers WHERE n = 1 FOR UPDATE", ()).unwrap();
    tx.rollback().unwrap();
}

#[test]
fn behind_a_deadlock_nothing_is_committed() {
    with_methods(|case, method| {
        let schema = case.server.schema("deadbatch");
        let config = case.config().with_database(schema.name()).with_local_infile(true).with_multi_statements(true);
        for inside in ["a guard", "nothing", "autocommit off"] {
            with_twin!(case, config, connection => {
                wait!(connection.execute("DROP TABLE IF EXISTS numbers", ())).unwrap();
                wait!(connection.execute("CREATE TABLE numbers (n INT PRIMARY KEY)", ())).unwrap();
                let (ready, is_ready) = channel();
                let (other, name) = (case.clone(), schema.name().to_owned());
                let thread = spawn(move || adversary(&other, &name, &ready));
                is_ready.recv().unwrap();
                let rows: Vec<_> = (1..=1000).map(|n| (n,)).collect();
                let options = BatchOptions::new().with_method(method).with_rows(100);
                if inside == "autocommit off" {
                    wait!(connection.execute("SET autocommit = 0", ())).unwrap();
                }
                let error = match inside == "a guard" {
                    false => wait!(connection.execute_batch_with("INSERT INTO numbers VALUES (?)", &rows, &options)).unwrap_err(),
                    true => {
                        let mut tx = wait!(connection.begin()).unwrap();
                        let error = wait!(tx.execute_batch_with("INSERT INTO numbers VALUES (?)", &rows, &options)).unwrap_err();
                        // The transaction is gone, and says so.
                        assert!(wait!(tx.execute("INSERT INTO numbers VALUES (7)", ())).is_err(), "{method}");
                        assert!(wait!(tx.commit()).is_err(), "{method}");
                        error
                    }
                };
                assert!(error.is_retryable() && error.code() == 1213, "{method}: {error}");
                thread.join().unwrap();
                // Whoever commits now commits nothing of it.
                wait!(connection.execute("COMMIT", ())).unwrap();
                if inside == "autocommit off" {
                    wait!(connection.execute("SET autocommit = 1", ())).unwrap();
                }
                assert_eq!(wait!(connection.query_one::<(u64,)>("SELECT COUNT(*) FROM numbers", ())).unwrap(), (0,), "{method} {inside}");
                assert!(connection.session().autocommit(), "{method} {inside}");
            });
        }
    });
}

/// Kind of statement, what is in the table before, affected rows, what is in the table afterwards, and whether many rows can share one.
const KINDS: [(&str, &str, u64, &str, bool); 5] = [
    ("INSERT INTO t (id, a, b) VALUES (:id, :a, :b)", "(8, 80, 'h')", 3, "1 100 x, 2 200 y, 3 NULL z, 8 80 h", true),
    (
        "REPLACE INTO t (id, b, a) VALUES (:id, :b, :a)",
        "(1, 10, 'o'), (2, 20, 't')",
        5,
        "1 100 x, 2 200 y, 3 NULL z",
        true,
    ),
    (
        "INSERT INTO t (id, a, b) VALUES (:id, :a, :b) ON DUPLICATE KEY UPDATE a = VALUES(a), b = 'up'",
        "(1, 10, 'o'), (2, 20, 't')",
        5,
        "1 100 up, 2 200 up, 3 NULL z",
        true,
    ),
    ("UPDATE t SET b = :b, a = :a WHERE id = :id", "(1, 10, 'o'), (3, 30, 't')", 2, "1 100 x, 3 NULL z", false),
    (
        "DELETE FROM t WHERE id = :id OR (a = :a AND b = :b)",
        "(1, 10, 'o'), (7, 200, 'y'), (9, 9, 'n')",
        2,
        "9 9 n",
        false,
    ),
];

#[test]
fn every_kind_of_statement_by_rows_and_by_columns() {
    with_methods(|case, method| {
        let schema = case.server.schema("kinds");
        let config = case.config().with_database(schema.name()).with_local_infile(true).with_multi_statements(true);
        let data = [(1, Some(100), "x"), (2, Some(200), "y"), (3, None, "z")];
        let rows: Vec<_> = data.iter().map(|(id, a, b)| params! { "id" => *id, "a" => *a, "b" => *b }).collect();
        let (ids, a, b) = ([1, 2, 3], [Some(100), Some(200), None], ["x", "y", "z"]);
        let columns = columns! { a: &a, b: &b, id: &ids };
        let arrow = RecordBatch::try_from_iter([
            ("id", Arc::new(Int32Array::from(ids.to_vec())) as ArrayRef),
            ("b", Arc::new(StringViewArray::from(b.to_vec()))),
            ("a", Arc::new(UInt16Array::from(vec![Some(100), Some(200), None]))),
        ]);
        let arrow = arrow.unwrap();
        with_twin!(case, config, connection => {
            wait!(connection.execute("CREATE TABLE t (id INT PRIMARY KEY, a INT, b VARCHAR(20))", ())).unwrap();
            let options = BatchOptions::new().with_method(method);
            for (sql, before, affected, want, is_shared) in KINDS {
                for carrier in ["rows", "columns", "arrow"] {
                    wait!(connection.execute("DELETE FROM t", ())).unwrap();
                    wait!(connection.execute(&format!("INSERT INTO t VALUES {before}"), ())).unwrap();
                    let end = match carrier {
                        "rows" => wait!(connection.execute_batch_with(sql, &rows, &options)),
                        "columns" => wait!(connection.execute_batch_with(sql, &columns, &options)),
                        _ => wait!(connection.execute_batch_with(sql, &arrow, &options)),
                    };
                    let case = format!("{method}, {carrier}: {sql}");
                    let cannot = match method {
                        Method::MultiRow | Method::MultiRowPrepared => !is_shared,
                        Method::LoadData => affected != 3,
                        _ => false,
                    };
                    if cannot {
                        assert_eq!(end.map(|report| report.method).unwrap_err().kind(), Kind::Config, "{case}");
                        continue;
                    }
                    let report = end.unwrap_or_else(|e| panic!("{case}: {e}"));
                    assert_eq!((report.n_rows, report.affected), (3, affected), "{case}");
                    let got = "SELECT GROUP_CONCAT(CONCAT_WS(' ', id, COALESCE(a, 'NULL'), b) ORDER BY id SEPARATOR ', ') FROM t";
                    assert_eq!(wait!(connection.query_one::<(String,)>(got, ())).unwrap().0, want, "{case}");
                }
            }
        });
    });
}

#[test]
fn auto_takes_what_the_statement_allows() {
    with_methods(|case, method| {
        // Once a server and twin.
        if method != Method::Prepared {
            return;
        }
        let schema = case.server.schema("auto");
        with_twin!(case, case.config().with_database(schema.name()), connection => {
            wait!(connection.execute("CREATE TABLE t (id INT PRIMARY KEY, a INT, b VARCHAR(20))", ())).unwrap();
            for (sql, ..) in KINDS {
                let ids: Vec<i32> = (0..50).collect();
                let rows: Vec<_> = ids.iter().map(|id| params! { "id" => *id, "a" => *id, "b" => "x" }).collect();
                wait!(connection.execute("DELETE FROM t", ())).unwrap();
                let report = wait!(connection.execute_batch(sql, &rows)).unwrap();
                assert_eq!(report.n_rows, 50, "{sql}");
                assert!(!report.reason.is_empty());
                assert!(report.method != Method::Prepared, "{sql}: {report:?}");
            }
            let none: [(i32,); 0] = [];
            assert_eq!(wait!(connection.execute_batch("INSERT INTO t (id) VALUES (?)", &none)).unwrap().n_rows, 0);
            assert_eq!(wait!(connection.execute_batch("INSERT INTO t (id) VALUES (?)", &[(77,)])).unwrap().affected, 1);
        });
    });
}

#[test]
fn ids_are_told_or_refused() {
    with_methods(|case, method| {
        let schema = case.server.schema("batchids");
        let config = case.config().with_database(schema.name()).with_local_infile(true).with_multi_statements(true);
        with_twin!(case, config, connection => {
            wait!(connection.execute(CREATE, ())).unwrap();
            wait!(connection.execute("SET auto_increment_increment = 3", ())).unwrap();
            let options = BatchOptions::new().with_method(method).with_ids(true).with_rows(7);
            let end = wait!(connection.execute_batch_with(INSERT, &names(20), &options));
            let tells = match method {
                Method::LoadData => false,
                Method::Bulk => case.server.name.starts_with("mariadb-11"),
                _ => true,
            };
            if !tells {
                assert_eq!(end.map(|report| report.method).unwrap_err().kind(), Kind::Config, "{method}");
                return;
            }
            let ids: Vec<_> = end.unwrap().ids.unwrap_or_else(|| panic!("{method}")).iter().flatten().collect();
            let stored = "SELECT id FROM people ORDER BY LENGTH(name), name";
            let stored: Vec<(u64,)> = wait!(connection.query(stored, ())).unwrap();
            assert_eq!(ids, stored.into_iter().map(|(id,)| id).collect::<Vec<_>>(), "{method}");
            // Ids that the caller gives are not generated.
            let given = [(1000, "a"), (1001, "b")];
            let options = BatchOptions::new().with_method(method).with_ids(true);
            match wait!(connection.execute_batch_with("INSERT INTO people (id, name) VALUES (?, ?)", &given, &options)) {
                Ok(report) => assert!(report.ids.is_none() || method.rows_per_command() == RowsPerCommand::Single || method == Method::Bulk, "{method} {report:?}"),
                Err(error) => assert_eq!(error.kind(), Kind::Config, "{method}"),
            }
        });
    });
}

#[test]
fn a_value_that_its_column_cannot_hold_is_found_before_anything_is_sent() {
    with_methods(|case, method| {
        let schema = case.server.schema("unfit");
        let config = case.config().with_database(schema.name()).with_local_infile(true).with_multi_statements(true);
        with_twin!(case, config, connection => {
            wait!(connection.execute(CREATE, ())).unwrap();
            let mut rows: Vec<_> = names(300).into_iter().map(|(name, age)| (name, i32::from(age))).collect();
            (rows[7].1, rows[200].0) = (128, "longer than twenty characters".into());
            let options = BatchOptions::new().with_method(method);
            let error = wait!(connection.execute_batch_with(INSERT, &rows, &options)).unwrap_err();
            let column = error.place().and_then(|place| place.column.clone());
            assert_eq!((error.kind(), error.row(), column.as_deref()), (Kind::Data, Some(7), Some("age")), "{error}");
            // Not even an id was used up.
            assert_eq!(wait!(connection.execute("INSERT INTO people (name) VALUES ('first')", ())).unwrap().last_insert_id, Some(1));
            let skip = options.with_bad_rows(OnBadRow::Skip);
            rows[250].0 = "name 0".into();
            let report = wait!(connection.execute_batch_with(INSERT, &rows, &skip)).unwrap();
            let bad: Vec<_> = report.bad_rows.iter().map(|bad| (bad.row, bad.error.code())).collect();
            assert_eq!((report.n_rows, &bad[..]), (297, &[(7, 0), (200, 0), (250, 1062)][..]), "{method}");
            assert_eq!(wait!(connection.query_one::<(u64,)>("SELECT COUNT(*) FROM people", ())).unwrap(), (298,), "{method}");
        });
    });
}

#[test]
fn a_table_that_was_altered_meanwhile_is_read_anew() {
    with_methods(|case, method| {
        let schema = case.server.schema("altered");
        let config = case.config().with_database(schema.name()).with_local_infile(true).with_multi_statements(true);
        with_twin!(case, config, connection => {
            wait!(connection.execute("CREATE TABLE people (name VARCHAR(20), age TINYINT)", ())).unwrap();
            let options = BatchOptions::new().with_method(method);
            wait!(connection.execute_batch_with(INSERT, &names(3), &options)).unwrap();
            let mut other = inrush::blocking::Connection::connect(&config).unwrap();
            other.execute("ALTER TABLE people MODIFY age SMALLINT", ()).unwrap();
            wait!(connection.execute_batch_with(INSERT, &[("x", 999), ("y", 998)], &options)).unwrap();
            other.execute("ALTER TABLE people MODIFY age MEDIUMINT", ()).unwrap();
            let skip = options.clone().with_bad_rows(OnBadRow::Skip);
            let report = wait!(connection.execute_batch_with(INSERT, &[("z", 40_000), ("u", 9_000_000)], &skip)).unwrap();
            assert_eq!((report.n_rows, report.bad_rows.len()), (1, 1), "{method}");
            other.execute("ALTER TABLE people MODIFY age INT", ()).unwrap();
            let error = wait!(connection.execute_batch_with(INSERT, &[("x", 9), ("y", 3_000_000_000_u32)], &options)).unwrap_err();
            assert_eq!(error.row(), Some(1), "{method}");
            let sums = wait!(connection.query_one::<(u64, u64)>("SELECT COUNT(*), SUM(age) FROM people", ())).unwrap();
            assert_eq!(sums, (6, 42_000), "{method}");
        });
    });
}

#[test]
fn a_refused_method_is_replaced_only_under_auto_and_named() {
    let without = servers::without_local_infile();
    in_cases(without, &[Route::Tcp], |case| {
        let schema = case.server.schema("refused");
        let config = case.config().with_database(schema.name()).with_local_infile(true);
        with_twin!(case, config, connection => {
            wait!(connection.execute(CREATE, ())).unwrap();
            let options = BatchOptions::new().with_method(Method::LoadData);
            let error = wait!(connection.execute_batch_with(INSERT, &names(3000), &options)).unwrap_err();
            assert!([1148, 3948, 4166, 0].contains(&error.code()), "{error}");
            assert!(!connection.session().in_transaction());
            let report = wait!(connection.execute_batch(INSERT, &names(3000))).unwrap();
            assert_ne!(report.method, Method::LoadData);
            let told = report.reason.contains("`load-data` was refused");
            // MariaDB's bulk command comes first in any case.
            assert!(told || report.method == Method::Bulk, "{report:?}");
            assert_eq!(wait!(connection.query_one::<(u64,)>("SELECT COUNT(*) FROM people", ())).unwrap(), (3000,));
        });
    });
}

#[test]
fn a_row_longer_than_a_packet_goes_ahead_in_parts_or_is_an_error() {
    with_methods(|case, method| {
        // Much text; so on MySQL, where a packet has 64 MiB, two methods.
        let is_mysql = case.server.name.starts_with("mysql");
        if is_mysql && !matches!(method, Method::MultiRow | Method::LoadData) {
            return;
        }
        let schema = case.server.schema("longbatch");
        let config = case.config().with_database(schema.name()).with_local_infile(true).with_multi_statements(true);
        with_twin!(case, config, connection => {
            wait!(connection.execute("CREATE TABLE t (id INT, a LONGTEXT, b LONGTEXT)", ())).unwrap();
            let packet = usize::try_from(wait!(connection.max_allowed_packet()).unwrap()).unwrap();
            let half = "x".repeat(packet * 3 / 5);
            let rows = [(1, "short", "s"), (2, half.as_str(), half.as_str()), (3, "also short", "s")];
            let options = BatchOptions::new().with_method(method);
            let end = wait!(connection.execute_batch_with("INSERT INTO t VALUES (?, ?, ?)", &rows, &options));
            let report = end.unwrap_or_else(|e| panic!("{method}: {e}"));
            assert_eq!((report.n_rows, report.affected), (3, 3), "{method}");
            let lengths: Vec<(u64,)> = wait!(connection.query("SELECT LENGTH(a) + LENGTH(b) FROM t ORDER BY id", ())).unwrap();
            assert_eq!(lengths, [(6,), (2 * half.len() as u64,), (11,)], "{method}");
        });
    });
}
