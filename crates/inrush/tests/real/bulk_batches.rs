//! Batches in bulk where MariaDB is not what one would expect: statements that run row by row, rows that no packet holds.

use crate::cases::{Route, in_cases};
use crate::twins::with_twin;
use inrush::{BatchOptions, Method, OnBadRow, Value};
use inrush_testkit::servers::{self, Server};

/// A packet of UPDATEs that fails has changed the rows before the bad one. They must not be changed twice, nor stay changed.
#[test]
fn updates_in_bulk_happen_once_or_not_at_all() {
    in_cases(mariadb(), &[Route::Unix], |case| {
        let schema = case.server.schema("bulkonce");
        with_twin!(case, case.config().with_database(schema.name()), connection => {
            wait!(connection.execute("CREATE TABLE t (id INT PRIMARY KEY, v TINYINT NOT NULL)", ())).unwrap();
            let ids: Vec<(u32,)> = (0..100).map(|id| (id,)).collect();
            wait!(connection.execute_batch("INSERT INTO t VALUES (?, 0)", &ids)).unwrap();
            let add = "UPDATE t SET v = v + ? WHERE id = ?";
            let rows: Vec<(u32, u32)> = (0..100).map(|id| (if id == 40 || id == 41 { 200 } else { 1 }, id)).collect();
            let sum = "SELECT CAST(SUM(v) AS SIGNED), MIN(v) FROM t";
            let stop = BatchOptions::new().with_method(Method::Bulk);
            let error = wait!(connection.execute_batch_with(add, &rows, &stop)).unwrap_err();
            assert_eq!((error.code(), error.row()), (1264, Some(40)));
            assert_eq!(wait!(connection.query_one::<(i64, i64)>(sum, ())).unwrap(), (0, 0));
            for counted in [false, true] {
                let skip = stop.clone().with_bad_rows(OnBadRow::Skip).with_affected_each(counted);
                let report = match wait!(connection.execute_batch_with(add, &rows, &skip)) {
                    Err(error) if counted && case.server.name == "mariadb-10.11" => {
                        assert!(error.to_string().contains("11.5"), "{error}");
                        return;
                    }
                    report => report.unwrap(),
                };
                let bad: Vec<_> = report.bad_rows.iter().map(|bad| bad.row).collect();
                assert_eq!((bad, report.n_rows, report.affected), (vec![40, 41], 98, 98));
                assert_eq!(wait!(connection.query_one::<(i64, i64)>(sum, ())).unwrap(), (98, 0));
                if let Some(each) = report.affected_each {
                    let want: Vec<u64> = (0..100).map(|id| u64::from(id != 40 && id != 41)).collect();
                    assert_eq!(each, want);
                }
                wait!(connection.execute("UPDATE t SET v = 0", ())).unwrap();
            }
        });
    });
}

/// A row that is longer than any packet travels by itself, and is told of like the others.
#[test]
fn a_row_longer_than_a_packet_is_one_of_the_batch() {
    let long = "x".repeat(9_000_000);
    in_cases(mariadb(), &[Route::Unix], |case| {
        let schema = case.server.schema("bulklong");
        with_twin!(case, case.config().with_database(schema.name()), connection => {
            let columns = "id INT PRIMARY KEY AUTO_INCREMENT, a LONGTEXT, b LONGTEXT";
            wait!(connection.execute(&format!("CREATE TABLE t ({columns})"), ())).unwrap();
            let rows = ["a", &long, "c"].map(|text| [Value::Text(text), Value::Text(text)]);
            let tells = case.server.name != "mariadb-10.11";
            let options = BatchOptions::new().with_method(Method::Bulk).with_ids(tells).with_affected_each(tells);
            let report = wait!(connection.execute_batch_with("INSERT INTO t (a, b) VALUES (?, ?)", &rows, &options)).unwrap();
            assert_eq!((report.n_rows, report.affected), (3, 3));
            assert_eq!(report.ids.map(|ids| ids.iter().collect::<Vec<_>>()), tells.then(|| vec![Some(1), Some(2), Some(3)]));
            assert_eq!(report.affected_each, tells.then(|| vec![1, 1, 1]));
            let lengths = wait!(connection.query_one::<(String,)>("SELECT GROUP_CONCAT(LENGTH(a) + LENGTH(b) ORDER BY id) FROM t", ()));
            assert_eq!(lengths.unwrap().0, "2,18000000,2");
        });
    });
}

/// DEFAULT goes in where the method has a form for it, and is refused where it has none.
#[test]
fn default_by_each_method() {
    in_cases(servers::with_local_infile(), &[Route::Unix], |case| {
        let schema = case.server.schema("defaultbatch");
        let config = case.config().with_database(schema.name()).with_multi_statements(true);
        with_twin!(case, config, connection => {
            wait!(connection.execute("CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, v INT NOT NULL DEFAULT 7)", ())).unwrap();
            let rows = [[Value::Int(1)], [Value::Default], [Value::Int(3)]];
            for method in [Method::MultiRow, Method::Bulk, Method::Pipelined, Method::MultiRowPrepared] {
                if method == Method::Bulk && case.server.name.starts_with("mysql") {
                    continue;
                }
                wait!(connection.execute("DELETE FROM t", ())).unwrap();
                let options = BatchOptions::new().with_method(method);
                let end = wait!(connection.execute_batch_with("INSERT INTO t (v) VALUES (?)", &rows, &options));
                let got = wait!(connection.query_one::<(Option<String>,)>("SELECT GROUP_CONCAT(v ORDER BY id) FROM t", ())).unwrap().0;
                match (method, end) {
                    (Method::Pipelined | Method::MultiRowPrepared, Err(error)) => {
                        assert!(error.to_string().contains("DEFAULT"), "{method}: {error}");
                        assert_eq!((error.row(), got), (Some(1), None), "{method}");
                    }
                    (_, end) => assert_eq!((end.unwrap().affected, got.as_deref()), (3, Some("1,7,3")), "{method}"),
                }
            }
        });
    });
}

fn mariadb() -> Vec<Server> {
    servers::all().into_iter().filter(|server| server.name.starts_with("mariadb")).collect()
}
