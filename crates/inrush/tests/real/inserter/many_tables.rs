//! The inserters of many tables: few connections, every row in its own table, none lost when some of the tables fail.

use super::twin::{Ends, TwinInserter, Who};
use super::{check_all_good, config, on_all, row};
use crate::cases::{Case, Shell};
use inrush::{
    Config, InserterOptions, InserterStatus, Inserters, Kind, Pool, PoolOptions, PoolStatus, Result, blocking,
};
use inrush_testkit::patience::until;
use inrush_testkit::servers::Schema;
use std::fmt::Write as _;
use std::sync::Arc;
use std::thread;
use tokio::runtime::Runtime;

/// The inserters of either twin.
enum Twin {
    Blocking(blocking::Inserters, blocking::Pool),
    Tokio(Inserters, Pool, Arc<Runtime>),
}

impl Twin {
    fn new(case: &Case, config: &Config, options: &InserterOptions) -> Self {
        match case.shell {
            Shell::Blocking => {
                let pool = blocking::Pool::new(config).unwrap();
                Self::Blocking(pool.inserters_with(options).unwrap(), pool)
            }
            Shell::Tokio => {
                let runtime =
                    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
                let pool = Pool::new(config).unwrap();
                let inserters = runtime.block_on(async { pool.inserters_with(options).unwrap() });
                Self::Tokio(inserters, pool, Arc::new(runtime))
            }
        }
    }

    fn table(&self, name: &str) -> Result<TwinInserter> {
        match self {
            Self::Blocking(inserters, pool) => Ok(TwinInserter::Blocking(inserters.table(name)?, pool.clone())),
            Self::Tokio(inserters, pool, runtime) => {
                Ok(TwinInserter::Tokio(inserters.table(name)?, pool.clone(), Arc::clone(runtime)))
            }
        }
    }

    fn flush(&self) -> Result<()> {
        match self {
            Self::Blocking(inserters, _) => inserters.flush(),
            Self::Tokio(inserters, _, runtime) => runtime.block_on(inserters.flush()),
        }
    }

    fn close(&self) -> Result<()> {
        match self {
            Self::Blocking(inserters, _) => inserters.close(),
            Self::Tokio(inserters, _, runtime) => runtime.block_on(inserters.close()),
        }
    }

    fn status(&self) -> InserterStatus {
        match self {
            Self::Blocking(inserters, _) => inserters.status(),
            Self::Tokio(inserters, ..) => inserters.status(),
        }
    }

    fn pool_status(&self) -> PoolStatus {
        match self {
            Self::Blocking(_, pool) => pool.status(),
            Self::Tokio(_, pool, _) => pool.status(),
        }
    }

    fn is_removed(&self, table: &str) -> bool {
        match self {
            Self::Blocking(inserters, _) => inserters.remove(table).is_some(),
            Self::Tokio(inserters, ..) => inserters.remove(table).is_some(),
        }
    }
}

const N_TABLES: usize = 120;

fn tables(case: &Case) -> Schema {
    let schema = case.server.schema("inserters");
    let mut sql = String::from("SET SESSION default_storage_engine = InnoDB;");
    for n in 0..N_TABLES {
        write!(sql, "CREATE TABLE t{n} (id INT AUTO_INCREMENT PRIMARY KEY, n INT NOT NULL UNIQUE, name VARCHAR(20));")
            .unwrap();
    }
    schema.sql(&sql);
    schema
}

/// The rows of one table's callers.
fn crowd(inserters: &Twin, table: usize, n_rows: i64) -> Ends {
    inserters.table(&format!("t{table}")).unwrap().crowd(Who::Few, n_rows, row)
}

#[test]
fn many_tables_take_few_connections() {
    on_all(|case| {
        let schema = tables(case);
        let config = config(case, &schema).with_pool(PoolOptions::new().with_max(3));
        let inserters = Twin::new(case, &config, &InserterOptions::new());
        thread::scope(|scope| {
            for first in 0..8 {
                let inserters = &inserters;
                scope.spawn(move || {
                    for table in (first..N_TABLES).step_by(8) {
                        check_all_good(&crowd(inserters, table, 2));
                    }
                });
            }
        });
        let sums: Vec<_> = (0..N_TABLES).map(|n| format!("SELECT COUNT(*), SUM(n) FROM t{n}")).collect();
        let want = vec![vec!["8".to_owned(), "28".to_owned()]; N_TABLES];
        assert_eq!(schema.sql(&sums.join(" UNION ALL ")), want);
        let status = inserters.status();
        assert_eq!((status.stored, status.queued, status.in_flight), (8 * N_TABLES as u64, 0, 0));
        let opened = inserters.pool_status();
        assert!(opened.idle + opened.in_use <= 3, "{opened:?}");
        inserters.flush().unwrap();
        inserters.close().unwrap();
        assert_eq!(inserters.pool_status().in_use, 0, "the connections are back");
        assert_eq!(inserters.table("t0").unwrap().insert(row(1)).unwrap_err().kind(), Kind::Interrupted);
        let error = inserters.table("t_never").map(drop).unwrap_err();
        assert_eq!((error.kind(), error.message()), (Kind::Interrupted, "the inserter is closed"));
    });
}

#[test]
fn a_table_that_is_locked_or_missing_holds_nobody_up() {
    on_all(|case| {
        let schema = tables(case);
        let config = config(case, &schema);
        let inserters = Twin::new(case, &config, &InserterOptions::new().with_lanes(2));
        inserters.table("t0").unwrap().insert(row(1)).unwrap();
        let mut holder = blocking::Connection::connect(&config).unwrap();
        let mut tx = holder.begin().unwrap();
        tx.execute("INSERT INTO t0 (n) VALUES (2)", ()).unwrap();
        thread::scope(|scope| {
            let waits = scope.spawn(|| inserters.table("t0").unwrap().insert(row(2)));
            case.server.until_a_row_is_waited_for(schema.name());
            let error = inserters.table("t_missing").unwrap().insert(row(1)).unwrap_err();
            assert!(error.message().contains("`t_missing`"), "{error:?}");
            for table in 1..10 {
                check_all_good(&crowd(&inserters, table, 2));
            }
            tx.rollback().unwrap();
            waits.join().unwrap().unwrap();
        });
        inserters.close().unwrap();
        assert_eq!(schema.sql("SELECT n FROM t0 ORDER BY n"), [["1"], ["2"]]);
    });
}

#[test]
fn each_table_has_its_own_lines_where_rows_are_stored_exactly_once() {
    on_all(|case| {
        let schema = tables(case);
        let options = InserterOptions::new().with_exactly_once(true).with_lanes(2);
        let inserters = Twin::new(case, &config(case, &schema), &options);
        thread::scope(|scope| {
            for table in 0..6 {
                let inserters = &inserters;
                scope.spawn(move || check_all_good(&crowd(inserters, table, 3)));
            }
        });
        let lines = schema.sql("SELECT SUM(batch), COUNT(DISTINCT inserter) FROM inrush_inserter");
        assert_eq!(lines, [[inserters.status().batches.to_string(), "6".to_owned()]]);
        // The last clone of a table that gets no more rows closes it.
        assert!(inserters.is_removed("t5") && !inserters.is_removed("t5"));
        let left = "SELECT COUNT(DISTINCT inserter) FROM inrush_inserter";
        until("the end of its lines", || schema.sql(left) == [["5"]]);
        inserters.close().unwrap();
        assert_eq!(schema.sql(left), [["0"]]);
    });
}

#[test]
fn without_a_handle_what_is_queued_is_written() {
    on_all(|case| {
        let schema = tables(case);
        let inserters = Twin::new(case, &config(case, &schema), &InserterOptions::new().with_lanes(1));
        let one = inserters.table("t1").unwrap();
        one.insert(row(1)).unwrap();
        // An inserter may outlive them all.
        drop(inserters);
        one.insert(row(2)).unwrap();
        one.close().unwrap();
        assert_eq!(schema.sql("SELECT n FROM t1 ORDER BY n"), [["1"], ["2"]]);
    });
}
