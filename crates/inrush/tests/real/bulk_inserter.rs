//! Bulk inserters on real servers: all rows are in, or somebody is told.

use crate::cases::{Case, Route, in_cases};
use crate::twins::with_twin;
use inrush::{BulkOptions, Config, Kind, PoolOptions, params};
use inrush_testkit::servers::{self, Schema};

#[track_caller]
fn on_all(check: impl Fn(&Case) + Sync) {
    in_cases(servers::with_local_infile(), &[Route::Tcp], check);
}

fn table(case: &Case) -> (Schema, Config) {
    let schema = case.server.schema("bulk_inserter");
    schema.sql("CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, n INT UNIQUE, name VARCHAR(9)) ENGINE=InnoDB");
    let config = case.config().with_database(schema.name());
    (schema, config)
}

fn numbers(schema: &Schema) -> String {
    schema.sql("SELECT COALESCE(GROUP_CONCAT(n ORDER BY n), '') FROM t")[0][0].clone()
}

#[test]
fn rows_one_at_a_time() {
    on_all(|case| {
        let (schema, config) = table(case);
        with_twin!(case, config, connection => {
            let options = BulkOptions::new().with_rows(4);
            let mut bulk = connection.bulk_with("t", &["n", "name"], &options).unwrap();
            for n in 0..10 {
                wait!(bulk.push((n, format!("row {n}")))).unwrap();
                let want = (u64::from((n + 1) as u32 % 4), u64::from((n + 1) as u32 / 4 * 4));
                assert_eq!((bulk.queued(), bulk.flushed()), want);
            }
            wait!(bulk.push(params! { "name" => "last", "n" => 10 })).unwrap();
            assert_eq!(bulk.affected(), 8);
            let report = wait!(bulk.finish()).unwrap();
            assert_eq!((report.n_rows, report.affected, report.batches), (11, 11, 3));
        });
        assert_eq!(numbers(&schema), "0,1,2,3,4,5,6,7,8,9,10");
    });
}

#[test]
fn a_bad_batch_is_not_stored_and_ends_it() {
    on_all(|case| {
        let (schema, config) = table(case);
        with_twin!(case, config, connection => {
            let mut bulk = connection.bulk_with("t", &["n", "name"], &BulkOptions::new().with_rows(4)).unwrap();
            for n in 0..6 {
                wait!(bulk.push((n, "good"))).unwrap();
            }
            wait!(bulk.push((6, "much too long"))).unwrap();
            let error = wait!(bulk.push((7, "good"))).unwrap_err();
            assert_eq!((error.kind(), error.row()), (Kind::Data, Some(6)), "{error:?}");
            assert!(error.message().starts_with("rows 4 to 8 for `t` were not written"), "{error:?}");
            wait!(bulk.push((8, "good"))).unwrap_err();
            wait!(bulk.finish()).unwrap_err();
            // Told is told.
            wait!(connection.ping()).unwrap();
        });
        assert_eq!(numbers(&schema), "0,1,2,3");
    });
}

#[test]
fn in_a_transaction_it_is_part_of_it() {
    on_all(|case| {
        let (schema, config) = table(case);
        with_twin!(case, config, connection => {
            for commits in [false, true] {
                let mut tx = wait!(connection.begin()).unwrap();
                let mut bulk = tx.bulk_with("t", &["n"], &BulkOptions::new().with_rows(2)).unwrap();
                for n in 0..5 {
                    wait!(bulk.push((n,))).unwrap();
                }
                assert_eq!(wait!(bulk.finish()).unwrap().n_rows, 5);
                match commits {
                    true => wait!(tx.commit()).unwrap(),
                    false => drop(tx),
                }
            }
        });
        assert_eq!(numbers(&schema), "0,1,2,3,4");
    });
}

const LEFT: &str = "1 rows for `t` were never written: a `BulkInserter` was dropped";

#[test]
fn who_forgets_to_finish_is_told_at_the_next_use() {
    on_all(|case| {
        let (schema, config) = table(case);
        with_twin!(case, config, connection => {
            let mut bulk = connection.bulk_with("t", &["n"], &BulkOptions::new().with_rows(2)).unwrap();
            for n in 0..3 {
                wait!(bulk.push((n,))).unwrap();
            }
            drop(bulk);
            assert_eq!(wait!(connection.execute("DELETE FROM t", ())).unwrap_err().message(), LEFT);
            wait!(connection.ping()).unwrap();
            // Nothing queued, nothing to tell.
            drop(connection.bulk("t", &["n"]).unwrap());
            wait!(connection.ping()).unwrap();
        });
        assert_eq!(numbers(&schema), "0,1");
    });
}

#[test]
fn a_transaction_that_lacks_rows_is_not_committed() {
    on_all(|case| {
        let (schema, config) = table(case);
        with_twin!(case, config, connection => {
            let mut tx = wait!(connection.begin()).unwrap();
            wait!(tx.execute("INSERT INTO t (n) VALUES (77)", ())).unwrap();
            let mut bulk = tx.bulk("t", &["n"]).unwrap();
            wait!(bulk.push((1,))).unwrap();
            drop(bulk);
            for _ in 0..2 {
                let error = wait!(tx.execute("INSERT INTO t (n) VALUES (78)", ())).unwrap_err();
                assert_eq!(error.message(), LEFT);
            }
            assert_eq!(wait!(tx.commit()).unwrap_err().message(), LEFT);
            wait!(connection.ping()).unwrap();
            assert_eq!(numbers(&schema), "");

            // A savepoint takes its own with it.
            let mut tx = wait!(connection.begin()).unwrap();
            let mut part = wait!(tx.savepoint()).unwrap();
            let mut bulk = part.bulk("t", &["n"]).unwrap();
            wait!(bulk.push((1,))).unwrap();
            drop(bulk);
            assert_eq!(wait!(part.ping()).unwrap_err().message(), LEFT);
            wait!(part.rollback()).unwrap();
            wait!(tx.execute("INSERT INTO t (n) VALUES (79)", ())).unwrap();
            wait!(tx.commit()).unwrap();
        });
        assert_eq!(numbers(&schema), "79");
    });
}

#[test]
fn the_next_user_of_a_pools_connection_is_not_told() {
    on_all(|case| {
        let (_schema, config) = table(case);
        let pool = inrush::blocking::Pool::new(config.with_pool(PoolOptions::new().with_max(1))).unwrap();
        let mut lent = pool.get().unwrap();
        let id = lent.connection_id();
        lent.bulk("t", &["n"]).unwrap().push((1,)).unwrap();
        drop(lent);
        let mut lent = pool.get().unwrap();
        assert_eq!(lent.connection_id(), id);
        lent.ping().unwrap();
    });
}
