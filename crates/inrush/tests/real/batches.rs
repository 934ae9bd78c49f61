//! Batches on real servers: every method, rows and columns, every kind of statement, what is told and what is undone.

use crate::cases::{Case, Route, in_cases};
use crate::twins::with_twin;
use inrush::{BatchOptions, Method, OnBadRow};
use inrush_testkit::servers;
use std::sync::mpsc::{Sender, channel};
use std::thread::{sleep, spawn};
use std::time::{Duration, Instant};

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
        .filter(|method| !matches!(method, Method::Bulk | Method::MultiRowPrepared | Method::LoadData))
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

/// Holds the key 500, lets the connection `victim` run into it, and then wants what that holds.
fn adversary(case: &Case, schema: &str, victim: u32, ready: &Sender<()>) {
    let config = case.config().with_database(schema);
    let mut connection = inrush::blocking::Connection::connect(&config).unwrap();
    let mut tx = connection.begin().unwrap();
    // The one that changed less is the one that is rolled back.
    let weight: Vec<_> = (0..3000).map(|i| (100_000 + i,)).collect();
    tx.execute_batch("INSERT INTO numbers VALUES (?)", &weight).unwrap();
    tx.exec("INSERT INTO numbers VALUES (500)", ()).unwrap();
    ready.send(()).unwrap();
    let waits =
        "SELECT COUNT(*) FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT' AND trx_mysql_thread_id = ?";
    let deadline = Instant::now() + Duration::from_secs(20);
    while tx.query_one::<(u64,)>(waits, (victim,)).unwrap().0 == 0 {
        assert!(Instant::now() < deadline, "the victim does not wait");
        // Asked more often than every 100 ms, MySQL answers what it answered before.
        sleep(Duration::from_millis(150));
    }
    tx.exec("SELECT * FROM numbers WHERE n = 1 FOR UPDATE", ()).unwrap();
    tx.rollback().unwrap();
}

#[test]
fn behind_a_deadlock_nothing_is_committed() {
    with_methods(|case, method| {
        let schema = case.server.schema("deadbatch");
        let config = case.config().with_database(schema.name()).with_local_infile(true).with_multi_statements(true);
        for inside in [false, true] {
            with_twin!(case, config, connection => {
                wait!(connection.exec("DROP TABLE IF EXISTS numbers", ())).unwrap();
                wait!(connection.exec("CREATE TABLE numbers (n INT PRIMARY KEY)", ())).unwrap();
                let (ready, is_ready) = channel();
                let (other, name, victim) = (case.clone(), schema.name().to_owned(), connection.connection_id());
                let thread = spawn(move || adversary(&other, &name, victim, &ready));
                is_ready.recv().unwrap();
                let rows: Vec<_> = (1..=1000).map(|n| (n,)).collect();
                let options = BatchOptions::new().with_method(method).with_rows(100);
                let error = match inside {
                    false => wait!(connection.execute_batch_with("INSERT INTO numbers VALUES (?)", &rows, &options)).unwrap_err(),
                    true => {
                        let mut tx = wait!(connection.begin()).unwrap();
                        let error = wait!(tx.execute_batch_with("INSERT INTO numbers VALUES (?)", &rows, &options)).unwrap_err();
                        // The transaction is gone, and says so.
                        assert!(wait!(tx.exec("INSERT INTO numbers VALUES (7)", ())).is_err(), "{method}");
                        assert!(wait!(tx.commit()).is_err(), "{method}");
                        error
                    }
                };
                assert!(error.is_retryable() && error.code() == 1213, "{method}: {error}");
                thread.join().unwrap();
                assert_eq!(wait!(connection.query_one::<(u64,)>("SELECT COUNT(*) FROM numbers", ())).unwrap(), (0,), "{method} {inside}");
                assert!(connection.session().autocommit(), "{method} {inside}");
            });
        }
    });
}
