//! Transactions that lose against others: deadlocks, lock time-outs, changed rows; what is run again and what must not be.

use crate::cases::{Case, Shell};
use crate::transactions::{ids, on_each_server, table};
use crate::twins::with_twin;
use inrush::{Config, Kind, TransactionOptions, blocking};
use inrush_testkit::patience::{patience, until};
use inrush_testkit::proxy::cut::{Cut, Relay};
use inrush_testkit::servers::{Schema, Vendor};
use std::cell::{Cell, RefCell};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// Another session that holds row 2 and, once told, wants row 1; it changed many rows, so it is not the one to lose.
fn rival(config: &Config) -> (Sender<()>, Receiver<()>, JoinHandle<inrush::Result<()>>) {
    let config = config.clone();
    let (go, told) = channel();
    let (says, ready) = channel();
    let thread = thread::spawn(move || {
        let mut connection = blocking::Connection::connect(&config)?;
        connection.transaction(|tx| {
            tx.execute("UPDATE heavy SET v = v + 1", ())?;
            tx.execute("UPDATE t SET v = v + 100 WHERE id = 2", ())?;
            says.send(()).unwrap();
            told.recv().unwrap();
            tx.execute("UPDATE t SET v = v + 100 WHERE id = 1", ()).map(drop)
        })
    });
    (go, ready, thread)
}

fn tables(case: &Case) -> Schema {
    let schema = table(case);
    schema.sql(
        "CREATE TABLE heavy (id INT PRIMARY KEY, v INT) ENGINE=InnoDB; \
         INSERT INTO heavy VALUES (1,0),(2,0),(3,0),(4,0),(5,0),(6,0),(7,0),(8,0),(9,0)",
    );
    schema
}

#[test]
fn a_deadlock_is_run_again() {
    on_each_server(|case| {
        let schema = tables(case);
        let config = case.config().with_database(schema.name());
        let (go, ready, thread) = rival(&config);
        ready.recv().unwrap();
        let n_runs = Cell::new(0);
        with_twin!(case, config, connection => {
            let options = TransactionOptions::new().with_retries(3);
            wait!(connection.transaction_with(&options, work!(tx => {
                n_runs.set(n_runs.get() + 1);
                wait!(tx.execute("UPDATE t SET v = v + 1 WHERE id = 1", ()))?;
                if n_runs.get() == 1 {
                    go.send(()).unwrap();
                    case.server.until_a_row_is_waited_for(schema.name());
                }
                wait!(tx.execute("UPDATE t SET v = v + 1 WHERE id = 2", ()))
            }))).unwrap();
        });
        thread.join().unwrap().unwrap();
        assert_eq!(n_runs.get(), 2);
        assert_eq!(schema.sql("SELECT v FROM t ORDER BY id"), [["101"], ["101"]]);
    });
}

#[test]
fn a_deadlock_that_a_closure_swallows_is_noticed() {
    on_each_server(|case| {
        let schema = tables(case);
        let config = case.config().with_database(schema.name());
        for insists in [false, true] {
            let (go, ready, thread) = rival(&config);
            ready.recv().unwrap();
            with_twin!(case, config, connection => {
                let mut tx = wait!(connection.begin()).unwrap();
                wait!(tx.execute("INSERT INTO t VALUES (3,0)", ())).unwrap();
                wait!(tx.execute("UPDATE t SET v = v + 1 WHERE id = 1", ())).unwrap();
                go.send(()).unwrap();
                case.server.until_a_row_is_waited_for(schema.name());
                assert_eq!(wait!(tx.execute("UPDATE t SET v = v + 1 WHERE id = 2", ())).unwrap_err().code(), 1213);
                if insists {
                    // It would be committed by itself.
                    let error = wait!(tx.execute("INSERT INTO t VALUES (4,0)", ())).unwrap_err();
                    assert!(error.code() == 1213 && error.message().contains("is over"), "{error:?}");
                }
                let error = wait!(tx.commit()).unwrap_err();
                assert!(error.code() == 1213 && error.message().contains("is over"), "{error:?}");
                assert!(error.is_retryable() && !error.is_fatal() && !error.is_outcome_unknown());
                wait!(connection.ping()).unwrap();
            });
            thread.join().unwrap().unwrap();
        }
        assert_eq!(ids(&schema), "1 2");
    });
}

#[test]
fn a_lock_that_is_not_free_in_time_is_run_again_from_the_start() {
    on_each_server(|case| {
        let schema = table(case);
        let config = case.config().with_database(schema.name());
        let mut other = blocking::Connection::connect(&config).unwrap();
        let n_runs = Cell::new(0);
        with_twin!(case, config, connection => {
            wait!(connection.execute("SET innodb_lock_wait_timeout = 1", ())).unwrap();
            let holder = RefCell::new(Some(other.begin().unwrap()));
            holder.borrow_mut().as_mut().unwrap().execute("UPDATE t SET v = 7 WHERE id = 2", ()).unwrap();
            let options = TransactionOptions::new().with_retries_for(patience());
            wait!(connection.transaction_with(&options, work!(tx => {
                n_runs.set(n_runs.get() + 1);
                if n_runs.get() == 2 {
                    holder.borrow_mut().take().unwrap().commit().unwrap();
                }
                // 1205 undoes the second statement only; without a ROLLBACK the first would count twice.
                wait!(tx.execute("UPDATE t SET v = v + 1 WHERE id = 1", ()))?;
                wait!(tx.execute("UPDATE t SET v = v + 1 WHERE id = 2", ()))
            }))).unwrap();
        });
        assert_eq!(n_runs.get(), 2);
        assert_eq!(schema.sql("SELECT v FROM t ORDER BY id"), [["1"], ["8"]]);
    });
}

#[test]
fn a_row_changed_since_the_snapshot_is_run_again() {
    on_each_server(|case| {
        let schema = table(case);
        let config = case.config().with_database(schema.name());
        let other = RefCell::new(blocking::Connection::connect(&config).unwrap());
        let n_runs = Cell::new(0);
        with_twin!(case, config, connection => {
            let options = TransactionOptions::new().with_retries(2).with_consistent_snapshot(true);
            wait!(connection.transaction_with(&options, work!(tx => {
                n_runs.set(n_runs.get() + 1);
                wait!(tx.execute("INSERT INTO t VALUES (3,0)", ()))?;
                if n_runs.get() == 1 {
                    other.borrow_mut().execute("UPDATE t SET v = 10 WHERE id = 1", ()).unwrap();
                }
                wait!(tx.execute("UPDATE t SET v = v + 1 WHERE id = 1", ()))
            }))).unwrap();
        });
        // Only MariaDB from 11.6 on minds (innodb_snapshot_isolation).
        let minds = case.server.vendor == Vendor::Mariadb && !case.server.version.starts_with("10.");
        assert_eq!(n_runs.get(), if minds { 2 } else { 1 });
        assert_eq!(schema.sql("SELECT id, v FROM t ORDER BY id"), [["1", "11"], ["2", "0"], ["3", "0"]]);
    });
}

#[test]
fn retries_end() {
    on_each_server(|case| {
        let schema = table(case);
        let config = case.config().with_database(schema.name());
        let n_runs = Cell::new(0);
        with_twin!(case, config, connection => {
            for (options, want) in [
                (TransactionOptions::new(), 1),
                (TransactionOptions::new().with_retries(2), 3),
                (TransactionOptions::new().with_retries_for(Duration::ZERO), 1),
            ] {
                n_runs.set(0);
                let error = wait!(connection.transaction_with(&options, work!(tx => {
                    n_runs.set(n_runs.get() + 1);
                    wait!(tx.execute("INSERT INTO t VALUES (3,0)", ()))?;
                    wait!(tx.execute("SIGNAL SQLSTATE '40001' SET MYSQL_ERRNO = 1213", ()))
                }))).unwrap_err();
                assert_eq!((error.code(), n_runs.get()), (1213, want));
            }
            n_runs.set(0);
            let error = wait!(connection.transaction_with(&TransactionOptions::new().with_retries(5), work!(tx => {
                n_runs.set(n_runs.get() + 1);
                wait!(tx.execute("INSERT INTO t VALUES (1,0)", ()))
            }))).unwrap_err();
            assert_eq!((error.code(), n_runs.get()), (1062, 1), "nothing gets better by running it again");
        });
        assert_eq!(ids(&schema), "1 2");
    });
}

#[test]
fn a_commit_without_an_answer_is_not_run_again() {
    on_each_server(|case| {
        let schema = table(case);
        // The answer is lost, or already the COMMIT: on this side they look the same.
        for (cut, want) in [(Cut::AfterCommit(1), "1 2 3"), (Cut::BeforeCommit(1), "1 2")] {
            let relay = Relay::start(case.server.port, cut);
            let config = case.config().with_port(relay.port()).with_database(schema.name());
            let n_runs = Cell::new(0);
            with_twin!(case, config, connection => {
                let options = TransactionOptions::new().with_retries(5);
                let error = wait!(connection.transaction_with(&options, work!(tx => {
                    n_runs.set(n_runs.get() + 1);
                    wait!(tx.execute("INSERT INTO t VALUES (3,0)", ()))
                }))).unwrap_err();
                assert!(error.is_outcome_unknown() && error.is_fatal() && !error.is_retryable(), "{error:?}");
                assert!(error.message().contains("COMMIT"), "{error:?}");
                assert!(wait!(connection.ping()).unwrap_err().is_fatal());
            });
            assert_eq!(n_runs.get(), 1);
            // The server may be a moment behind.
            until(want, || ids(&schema) == want);
            schema.sql("DELETE FROM t WHERE id = 3");
        }
    });
}

#[test]
fn a_connection_lost_before_the_commit_is_no_unknown_outcome() {
    on_each_server(|case| {
        let schema = table(case);
        with_twin!(case, case.config().with_database(schema.name()), connection => {
            let error = wait!(connection.transaction(work!(tx => {
                wait!(tx.execute("INSERT INTO t VALUES (3,0)", ()))?;
                case.server.sql(&format!("KILL {}", tx.connection_id()));
                wait!(tx.execute("INSERT INTO t VALUES (4,0)", ()))
            }))).unwrap_err();
            assert!(error.is_fatal() && !error.is_outcome_unknown(), "{error:?}");
            assert!(matches!(error.kind(), Kind::Io | Kind::Server), "{error:?}");
        });
        assert_eq!(ids(&schema), "1 2");
    });
}

#[test]
fn the_futures_can_move_between_threads() {
    on_each_server(|case| {
        let Case { shell: Shell::Tokio, .. } = case else { return };
        let schema = table(case);
        let config = case.config().with_database(schema.name());
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let task = runtime.spawn(async move {
            let mut connection = inrush::Connection::connect(&config).await?;
            let name = String::from("borrowed across an await");
            connection
                .transaction(async |tx| {
                    tx.execute("INSERT INTO t VALUES (3,0)", ()).await?;
                    assert!(!name.is_empty());
                    tx.execute("INSERT INTO t VALUES (4,0)", ()).await
                })
                .await?;
            let mut tx = connection.begin().await?;
            tx.execute("INSERT INTO t VALUES (5,0)", ()).await?;
            let part = tx.savepoint().await?;
            part.release().await?;
            tx.commit().await
        });
        runtime.block_on(task).unwrap().unwrap();
        assert_eq!(ids(&schema), "1 2 3 4 5");
    });
}
