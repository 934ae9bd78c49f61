//! Transactions: what stays, what goes, and what a guard says when the server ended one by itself.

use crate::cases::{Case, Route, Shell, everywhere, in_cases};
use crate::twins::with_twin;
use inrush::{Error, Isolation, Kind, PipelineMode, TransactionOptions, blocking};
use inrush_testkit::servers::{self, Schema};
use std::error::Error as _;

/// What the server does is the same on every route.
#[track_caller]
pub(crate) fn on_each_server(check: impl Fn(&Case) + Sync) {
    in_cases(servers::with_local_infile(), &[Route::Tcp], check);
}

/// A schema with a table `t (id, v)` that holds (1, 0) and (2, 0).
pub(crate) fn table(case: &Case) -> Schema {
    let schema = case.server.schema("tx");
    schema.sql("CREATE TABLE t (id INT PRIMARY KEY, v INT) ENGINE=InnoDB; INSERT INTO t VALUES (1,0),(2,0)");
    schema
}

/// The ids in the table, as others see them.
pub(crate) fn ids(schema: &Schema) -> String {
    let ids: Vec<_> = schema.sql("SELECT id FROM t ORDER BY id").into_iter().map(|row| row[0].clone()).collect();
    ids.join(" ")
}

#[test]
fn only_what_is_committed_stays() {
    everywhere(|case| {
        let schema = table(case);
        with_twin!(case, case.config().with_database(schema.name()), connection => {
            let mut tx = wait!(connection.begin()).unwrap();
            assert!(tx.session().in_transaction());
            wait!(tx.execute("INSERT INTO t VALUES (3,0)", ())).unwrap();
            assert_eq!(ids(&schema), "1 2", "seen before it was committed");
            wait!(tx.commit()).unwrap();
            assert!(!connection.session().in_transaction());
            assert_eq!(ids(&schema), "1 2 3");

            let mut tx = wait!(connection.begin()).unwrap();
            wait!(tx.execute("INSERT INTO t VALUES (4,0)", ())).unwrap();
            wait!(tx.rollback()).unwrap();
            assert!(!connection.session().in_transaction());

            let mut tx = wait!(connection.begin()).unwrap();
            wait!(tx.execute("INSERT INTO t VALUES (5,0)", ())).unwrap();
            drop(tx);
            wait!(connection.execute("INSERT INTO t VALUES (6,0)", ())).unwrap();
            assert!(!connection.session().in_transaction());
        });
        assert_eq!(ids(&schema), "1 2 3 6");
    });
}

#[test]
fn a_dropped_guard_frees_its_locks() {
    everywhere(|case| {
        let schema = table(case);
        with_twin!(case, case.config().with_database(schema.name()), connection => {
            let mut tx = wait!(connection.begin()).unwrap();
            wait!(tx.execute("UPDATE t SET v = 1 WHERE id = 1", ())).unwrap();
            drop(tx);
            // At once where a drop can wait; else by the next use, whatever it is.
            assert_eq!(connection.session().needs_rollback(), case.shell == Shell::Tokio);
            if case.shell == Shell::Tokio {
                wait!(connection.ping()).unwrap();
            }
            assert!(!connection.session().needs_rollback() && !connection.session().in_transaction());
            schema.sql("SET innodb_lock_wait_timeout=1; UPDATE t SET v = 2 WHERE id = 1");
        });
    });
}

#[test]
fn a_second_begin_is_refused_before_it_commits_the_first() {
    on_each_server(|case| {
        let schema = table(case);
        with_twin!(case, case.config().with_database(schema.name()), connection => {
            let mut tx = wait!(connection.begin()).unwrap();
            wait!(tx.execute("INSERT INTO t VALUES (3,0)", ())).unwrap();
            let error = wait!(tx.begin()).err().unwrap();
            assert!(error.kind() == Kind::Config && error.hint().unwrap().contains("savepoint"), "{error:?}");
            wait!(tx.rollback()).unwrap();

            // One that was begun by hand, also after an error, which tells nothing about it.
            wait!(connection.execute("START TRANSACTION", ())).unwrap();
            wait!(connection.execute("INSERT INTO t VALUES (4,0)", ())).unwrap();
            assert_eq!(wait!(connection.begin()).err().unwrap().kind(), Kind::Config);
            assert_eq!(wait!(connection.execute("INSERT INTO t VALUES (4,0)", ())).unwrap_err().code(), 1062);
            assert_eq!(wait!(connection.begin()).err().unwrap().kind(), Kind::Config);
            wait!(connection.execute("ROLLBACK", ())).unwrap();

            // One that an error has ended since is none.
            wait!(connection.execute("START TRANSACTION", ())).unwrap();
            assert_eq!(wait!(connection.execute("CREATE TABLE t (id INT)", ())).unwrap_err().code(), 1050);
            wait!(wait!(connection.begin()).unwrap().commit()).unwrap();

            // Nor may it commit what autocommit=0 left open.
            wait!(connection.execute("SET autocommit = 0", ())).unwrap();
            wait!(wait!(connection.begin()).unwrap().commit()).unwrap();
            wait!(connection.execute("INSERT INTO t VALUES (5,0)", ())).unwrap();
            assert_eq!(wait!(connection.begin()).err().unwrap().kind(), Kind::Config);
        });
        assert_eq!(ids(&schema), "1 2");
    });
}

#[test]
fn savepoints_undo_their_part() {
    on_each_server(|case| {
        let schema = table(case);
        with_twin!(case, case.config().with_database(schema.name()), connection => {
            let mut tx = wait!(connection.begin()).unwrap();
            wait!(tx.execute("INSERT INTO t VALUES (10,0)", ())).unwrap();
            let mut kept = wait!(tx.savepoint()).unwrap();
            wait!(kept.execute("INSERT INTO t VALUES (11,0)", ())).unwrap();
            let mut undone = wait!(kept.savepoint()).unwrap();
            wait!(undone.execute("INSERT INTO t VALUES (12,0)", ())).unwrap();
            wait!(undone.rollback()).unwrap();
            let mut dropped = wait!(kept.savepoint()).unwrap();
            wait!(dropped.execute("INSERT INTO t VALUES (13,0)", ())).unwrap();
            let mut inner = wait!(dropped.savepoint()).unwrap();
            wait!(inner.execute("INSERT INTO t VALUES (14,0)", ())).unwrap();
            drop(inner);
            drop(dropped);
            wait!(kept.execute("INSERT INTO t VALUES (15,0)", ())).unwrap();
            wait!(kept.release()).unwrap();
            wait!(tx.execute("INSERT INTO t VALUES (16,0)", ())).unwrap();
            let mut last = wait!(tx.savepoint()).unwrap();
            wait!(last.execute("INSERT INTO t VALUES (17,0)", ())).unwrap();
            drop(last);
            // The undo of a part must not come behind the COMMIT.
            wait!(tx.commit()).unwrap();

            let mut tx = wait!(connection.begin()).unwrap();
            let mut part = wait!(tx.savepoint()).unwrap();
            wait!(part.execute("INSERT INTO t VALUES (20,0)", ())).unwrap();
            wait!(part.release()).unwrap();
            drop(tx);
            wait!(connection.ping()).unwrap();
        });
        assert_eq!(ids(&schema), "1 2 10 11 15 16");
    });
}

#[derive(Debug, PartialEq)]
struct SoldOut;

impl std::fmt::Display for SoldOut {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("sold out")
    }
}

impl std::error::Error for SoldOut {}

#[test]
fn a_closure_decides() {
    on_each_server(|case| {
        let schema = table(case);
        with_twin!(case, case.config().with_database(schema.name()), connection => {
            let affected = wait!(connection.transaction(work!(tx => {
                wait!(tx.execute("INSERT INTO t VALUES (3,0)", ()))?;
                wait!(tx.execute("UPDATE t SET v = v + 1", ())).map(|outcome| outcome.affected)
            })));
            assert_eq!(affected.unwrap(), 3);
            let error = wait!(connection.transaction(work!(tx => {
                wait!(tx.execute("INSERT INTO t VALUES (4,0)", ()))?;
                wait!(tx.execute("INSERT INTO t VALUES (1,0)", ()))
            }))).unwrap_err();
            assert_eq!(error.code(), 1062);
            let error = wait!(connection.transaction(work!(tx => {
                wait!(tx.execute("INSERT INTO t VALUES (5,0)", ()))?;
                Err::<(), _>(Error::application(SoldOut))
            }))).unwrap_err();
            assert_eq!(error.kind(), Kind::Application);
            assert_eq!(error.source().unwrap().downcast_ref(), Some(&SoldOut));
            wait!(connection.ping()).unwrap();
        });
        assert_eq!(ids(&schema), "1 2 3");
    });
}

#[test]
fn a_panic_rolls_back() {
    on_each_server(|case| {
        let Case { shell: Shell::Blocking, .. } = case else { return };
        let schema = table(case);
        let mut connection = blocking::Connection::connect(case.config().with_database(schema.name())).unwrap();
        let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            connection.transaction(|tx| {
                tx.execute("INSERT INTO t VALUES (3,0)", ()).unwrap();
                // Not a failure to report: no message.
                std::panic::resume_unwind(Box::new("on purpose")) as inrush::Result<()>
            })
        }));
        assert!(caught.is_err());
        assert!(!connection.session().in_transaction());
        connection.execute("INSERT INTO t VALUES (4,0)", ()).unwrap();
        assert_eq!(ids(&schema), "1 2 4");
    });
}

#[test]
fn of_every_kind() {
    on_each_server(|case| {
        let schema = table(case);
        with_twin!(case, case.config().with_database(schema.name()), connection => {
            wait!(connection.execute("SET innodb_lock_wait_timeout = 1", ())).unwrap();
            let mut tx = wait!(connection.begin_with(&TransactionOptions::new().with_access(inrush::Access::ReadOnly))).unwrap();
            assert_eq!(wait!(tx.execute("UPDATE t SET v = 1", ())).unwrap_err().code(), 1792);
            wait!(tx.commit()).unwrap();
            wait!(connection.execute("SET SESSION TRANSACTION READ ONLY", ())).unwrap();
            let mut tx = wait!(connection.begin_with(&TransactionOptions::new().with_access(inrush::Access::ReadWrite))).unwrap();
            wait!(tx.execute("UPDATE t SET v = 1", ())).unwrap();
            wait!(tx.rollback()).unwrap();
            wait!(connection.execute("SET SESSION TRANSACTION READ WRITE", ())).unwrap();

            // A snapshot is taken at the start; otherwise the first read takes it.
            for (options, want) in [
                (TransactionOptions::new().with_consistent_snapshot(true), "1 2"),
                (TransactionOptions::new(), "1 2 9"),
                (TransactionOptions::new().with_consistent_snapshot(true).with_access(inrush::Access::ReadOnly), "1 2"),
            ] {
                let options = options.with_isolation(Isolation::RepeatableRead);
                let mut tx = wait!(connection.begin_with(&options)).unwrap();
                schema.sql("INSERT INTO t VALUES (9,0)");
                let seen = wait!(tx.query_result_sets("SELECT GROUP_CONCAT(id ORDER BY id SEPARATOR ' ') FROM t", ())).unwrap();
                assert_eq!(seen[0].value(0, 0).unwrap().to_string(), want);
                wait!(tx.commit()).unwrap();
                schema.sql("DELETE FROM t WHERE id = 9");
            }
        });
    });
}

#[test]
fn a_level_holds_for_one_transaction() {
    // Asked for in one flight with the start, and before it.
    for pipeline in [PipelineMode::On, PipelineMode::Off] {
        on_each_server(|case| {
            let schema = table(case);
            let mut other = blocking::Connection::connect(case.config().with_database(schema.name())).unwrap();
            with_twin!(case, case.config().with_database(schema.name()).with_pipeline(pipeline), connection => {
                wait!(connection.execute("SET innodb_lock_wait_timeout = 1", ())).unwrap();
                let mut writer = other.begin().unwrap();
                writer.execute("UPDATE t SET v = 7 WHERE id = 1", ()).unwrap();
                // What each level sees of a row that another transaction has changed and not committed.
                for (level, want) in [
                    (Isolation::ReadUncommitted, Some("7")),
                    (Isolation::ReadCommitted, Some("0")),
                    (Isolation::RepeatableRead, Some("0")),
                    (Isolation::Serializable, None),
                ] {
                    let mut tx = wait!(connection.begin_with(&TransactionOptions::new().with_isolation(level))).unwrap();
                    let seen = wait!(tx.query_result_sets("SELECT v FROM t WHERE id = 1", ()));
                    match want {
                        Some(want) => assert_eq!(seen.unwrap()[0].value(0, 0).unwrap().to_string(), want, "{level:?}"),
                        None => assert_eq!(seen.unwrap_err().code(), 1205, "{level:?}"),
                    }
                    wait!(tx.rollback()).unwrap();
                    let mut tx = wait!(connection.begin()).unwrap();
                    let seen = wait!(tx.query_result_sets("SELECT v FROM t WHERE id = 1", ())).unwrap();
                    assert_eq!(seen[0].value(0, 0).unwrap().to_string(), "0", "{level:?} held on");
                    wait!(tx.commit()).unwrap();
                }
            });
        });
    }
}

#[test]
fn a_statement_that_commits_by_itself_ends_the_transaction() {
    on_each_server(|case| {
        let schema = table(case);
        for ddl in ["CREATE TABLE other (id INT)", "TRUNCATE other", "DROP TABLE other", "COMMIT"] {
            with_twin!(case, case.config().with_database(schema.name()), connection => {
                let mut tx = wait!(connection.begin()).unwrap();
                wait!(tx.execute(ddl, ())).unwrap();
                // It would be committed by itself.
                let error = wait!(tx.execute("INSERT INTO t VALUES (3,0)", ())).unwrap_err();
                assert!(error.kind() == Kind::Config && error.message().contains("is over"), "{ddl}: {error:?}");
                assert!(!error.is_retryable() && !error.is_fatal(), "{error:?}");
                let error = wait!(tx.commit()).unwrap_err();
                assert!(error.message().contains("is over") && !error.is_outcome_unknown(), "{ddl}: {error:?}");
                wait!(connection.ping()).unwrap();
            });
        }
        // One that fails ends it as well. Here nothing is left to be undone.
        with_twin!(case, case.config().with_database(schema.name()), connection => {
            let mut tx = wait!(connection.begin()).unwrap();
            assert_eq!(wait!(tx.execute("CREATE TABLE t (id INT)", ())).unwrap_err().code(), 1050);
            let error = wait!(tx.execute("INSERT INTO t VALUES (3,0)", ())).unwrap_err();
            assert!(error.code() == 1050 && error.message().contains("is over"), "{error:?}");
            wait!(tx.rollback()).unwrap();
        });
        assert_eq!(ids(&schema), "1 2");
    });
}

#[test]
fn an_error_that_leaves_it_open_changes_nothing() {
    on_each_server(|case| {
        let schema = table(case);
        with_twin!(case, case.config().with_database(schema.name()), connection => {
            let mut tx = wait!(connection.begin()).unwrap();
            wait!(tx.execute("INSERT INTO t VALUES (3,0)", ())).unwrap();
            assert_eq!(wait!(tx.execute("INSERT INTO t VALUES (3,0)", ())).unwrap_err().code(), 1062);
            assert_eq!(wait!(tx.execute("nonsense", ())).unwrap_err().code(), 1064);
            wait!(tx.execute("INSERT INTO t VALUES (4,0)", ())).unwrap();
            assert_eq!(wait!(tx.execute("INSERT INTO t VALUES (3,0)", ())).unwrap_err().code(), 1062);
            wait!(tx.commit()).unwrap();
        });
        assert_eq!(ids(&schema), "1 2 3 4");
    });
}

#[test]
fn a_reset_ends_the_transaction() {
    on_each_server(|case| {
        let schema = table(case);
        with_twin!(case, case.config().with_database(schema.name()), connection => {
            let mut tx = wait!(connection.begin()).unwrap();
            wait!(tx.execute("INSERT INTO t VALUES (3,0)", ())).unwrap();
            let _ = wait!(tx.reset());
            let error = wait!(tx.execute("INSERT INTO t VALUES (4,0)", ())).unwrap_err();
            assert!(error.message().contains("is over"), "{error:?}");
            assert!(wait!(tx.commit()).unwrap_err().message().contains("is over"));
            wait!(connection.execute("INSERT INTO t VALUES (5,0)", ())).unwrap();
        });
        assert_eq!(ids(&schema), "1 2 5");
    });
}
