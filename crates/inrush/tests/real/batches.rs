//! Batches on real servers: every method, rows and columns, every kind of statement, what is told and what is undone.

use crate::cases::{Case, Route, in_cases};
use crate::twins::with_twin;
use inrush::{BatchOptions, Method, OnBadRow};
use inrush_testkit::servers;

/// Each method on each server, over TCP.
#[track_caller]
fn with_methods(check: impl Fn(&Case, Method) + Sync) {
    in_cases(servers::with_local_infile(), &[Route::Tcp], |case| {
        for method in methods(case) {
            check(case, method);
        }
    });
}

/// Those that the server has.
fn methods(case: &Case) -> Vec<Method> {
    let has = |method: &Method| *method != Method::Bulk || case.server.name.starts_with("mariadb");
    Method::ALL
        .into_iter()
        .filter(|method| matches!(method, Method::Prepared | Method::Pipelined))
        .filter(has)
        .collect()
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
            wait!(connection.exec(CREATE, ())).unwrap();
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
            wait!(connection.exec(CREATE, ())).unwrap();
            let options = BatchOptions::new().with_method(method);
            let mut rows = names(700);
            rows[555].0 = "name 3".into();
            let error = wait!(connection.execute_batch_with(INSERT, &rows, &options)).unwrap_err();
            assert_eq!((error.code(), error.row()), (1062, Some(555)), "{method}: {error}");
            assert_eq!(wait!(connection.query_one::<(u64,)>("SELECT COUNT(*) FROM people", ())).unwrap(), (0,), "{method}");
            // Inside of a transaction what was there before stays.
            let mut tx = wait!(connection.begin()).unwrap();
            wait!(tx.exec("INSERT INTO people (name) VALUES ('before')", ())).unwrap();
            let error = wait!(tx.execute_batch_with(INSERT, &rows, &options)).unwrap_err();
            assert_eq!((error.code(), error.row()), (1062, Some(555)), "{method}: {error}");
            wait!(tx.exec("INSERT INTO people (name) VALUES ('after')", ())).unwrap();
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
            wait!(connection.exec(CREATE, ())).unwrap();
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
