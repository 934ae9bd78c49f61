//! Transactions of a pool: run again after a deadlock and over a new connection, never once COMMIT may have been applied unless the ledger
//! proves that it was not. Rows are counted by the server's own client.

use crate::cases::{Case, Shell, kill};
use crate::transactions::{ids, on_each_server, table};
use inrush::{Config, Error, Pool, PoolOptions, Reason, Result, Transaction, TransactionOptions, blocking};
use inrush_testkit::patience::until;
use inrush_testkit::proxy::cut::{Cut, Relay};
use inrush_testkit::servers::Schema;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Barrier};

/// A pool of either shell that runs the statements given to it in one transaction.
#[derive(Clone)]
enum TwinPool {
    Blocking(blocking::Pool),
    Tokio(Pool, Arc<tokio::runtime::Runtime>),
}

impl TwinPool {
    fn new(case: &Case, config: &Config) -> Self {
        match case.shell {
            Shell::Blocking => Self::Blocking(blocking::Pool::new(config).unwrap()),
            Shell::Tokio => {
                let runtime =
                    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
                let pool = runtime.block_on(async { Pool::new(config).unwrap() });
                Self::Tokio(pool, Arc::new(runtime))
            }
        }
    }

    /// Runs the statements; `before` is called with the number of the run and of the statement. Returns the number of runs as well.
    fn run(
        &self,
        options: &TransactionOptions,
        statements: &[&str],
        before: &(impl Fn(u32, usize, u32) + Sync),
    ) -> (Result<()>, u32) {
        let n_runs = AtomicU32::new(0);
        let end = match self {
            Self::Blocking(pool) => pool.transaction_with(options, |tx: &mut blocking::Transaction<'_>| {
                let run = n_runs.fetch_add(1, Ordering::Relaxed) + 1;
                for (i, sql) in statements.iter().enumerate() {
                    before(run, i, tx.connection_id());
                    tx.execute(*sql, ())?;
                }
                before(run, statements.len(), tx.connection_id());
                Ok(())
            }),
            Self::Tokio(pool, runtime) => {
                runtime.block_on(pool.transaction_with(options, async |tx: &mut Transaction<'_>| {
                    let run = n_runs.fetch_add(1, Ordering::Relaxed) + 1;
                    for (i, sql) in statements.iter().enumerate() {
                        before(run, i, tx.connection_id());
                        tx.execute(*sql, ()).await?;
                    }
                    before(run, statements.len(), tx.connection_id());
                    Ok(())
                }))
            }
        };
        (end, n_runs.load(Ordering::Relaxed))
    }
}

fn nothing(_: u32, _: usize, _: u32) {}

const OPTIONS: TransactionOptions = TransactionOptions::new();
const INSERT: &[&str] = &["INSERT INTO t VALUES (3,0)", "UPDATE t SET v = v + 1 WHERE id = 1"];

fn behind(case: &Case, schema: &Schema, relay: &Relay) -> Config {
    case.config().with_port(relay.port()).with_database(schema.name())
}

/// The server may be a moment behind.
#[track_caller]
fn until_ids(schema: &Schema, want: &str) {
    until(want, || ids(schema) == want);
}

fn value(schema: &Schema) -> String {
    schema.sql("SELECT v FROM t WHERE id = 1")[0][0].clone()
}

#[test]
fn two_transactions_that_meet_are_both_stored() {
    on_each_server(|case| {
        let schema = table(case);
        let pool = TwinPool::new(case, &case.config().with_database(schema.name()));
        let barrier = Arc::new(Barrier::new(2));
        let options = OPTIONS.with_retries(5);
        let forth = ["UPDATE t SET v = v + 1 WHERE id = 1", "UPDATE t SET v = v + 1 WHERE id = 2"];
        let back = [forth[1], forth[0]];
        let threads = [forth, back].map(|statements| {
            let (pool, barrier) = (pool.clone(), Arc::clone(&barrier));
            std::thread::spawn(move || {
                pool.run(&options, &statements, &|run, i, _| {
                    if (run, i) == (1, 1) {
                        barrier.wait();
                    }
                })
            })
        });
        let n_runs: u32 =
            threads.into_iter().map(|thread| thread.join().unwrap()).map(|(end, n)| end.map(|()| n).unwrap()).sum();
        assert_eq!(n_runs, 3);
        assert_eq!(schema.sql("SELECT v FROM t ORDER BY id"), [["2"], ["2"]]);
    });
}

#[test]
fn a_connection_lost_before_commit_is_replaced() {
    on_each_server(|case| {
        let schema = table(case);
        let pool =
            TwinPool::new(case, &case.config().with_database(schema.name()).with_pool(PoolOptions::new().with_max(1)));
        for options in [OPTIONS.with_retries(3), OPTIONS.with_retries(3).with_exactly_once(true)] {
            // At the first statement, the second, and at COMMIT or the line of the ledger.
            for at in 0..3 {
                let (end, n_runs) = pool.run(&options, INSERT, &|run, i, id| {
                    if (run, i) == (1, at) {
                        kill(&case.server, id);
                    }
                });
                // A COMMIT that was written into a connection which is closed: without a ledger nobody knows.
                match end {
                    Ok(()) => {
                        assert_eq!((n_runs, ids(&schema).as_str(), value(&schema).as_str()), (2, "1 2 3", "1"), "{at}")
                    }
                    Err(error) => {
                        assert!(at == 2 && error.is_outcome_unknown() && !options.exactly_once, "{at}: {error:?}");
                        assert_eq!((n_runs, ids(&schema).as_str()), (1, "1 2"));
                    }
                }
                schema.sql("DELETE FROM t WHERE id = 3; UPDATE t SET v = 0");
            }
        }
        // Once means once.
        let (end, n_runs) = pool.run(&OPTIONS, INSERT, &|_, i, id| {
            if i == 1 {
                case.server.sql(&format!("KILL {id}"));
            }
        });
        let error = end.unwrap_err();
        assert!(n_runs == 1 && error.is_fatal() && !error.is_outcome_unknown(), "{error:?}");
        until_ids(&schema, "1 2");
    });
}

#[test]
fn a_connection_cut_before_commit_is_replaced() {
    on_each_server(|case| {
        let schema = table(case);
        for options in [OPTIONS.with_retries(3), OPTIONS.with_retries(3).with_exactly_once(true)] {
            let relay = Relay::healing(case.server.port, Cut::AfterText("UPDATE t"));
            let (end, n_runs) = TwinPool::new(case, &behind(case, &schema, &relay)).run(&options, INSERT, &nothing);
            end.unwrap();
            assert!(relay.has_cut() && n_runs == 2);
            assert_eq!((ids(&schema).as_str(), value(&schema).as_str()), ("1 2 3", "1"));
            schema.sql("DELETE FROM t WHERE id = 3; UPDATE t SET v = 0");
        }
    });
}

/// COMMIT never reaches the server; it does, and its answer is lost: on this side they look the same.
#[test]
fn without_a_ledger_a_lost_commit_is_unknown_and_not_run_again() {
    on_each_server(|case| {
        for (cut, stored) in [(Cut::BeforeCommit(1), "1 2"), (Cut::AfterCommit(1), "1 2 3")] {
            let schema = table(case);
            let relay = Relay::healing(case.server.port, cut);
            let pool = TwinPool::new(case, &behind(case, &schema, &relay));
            let (end, n_runs) = pool.run(&OPTIONS.with_retries(5), INSERT, &nothing);
            let error = end.unwrap_err();
            assert!(error.is_outcome_unknown() && !error.is_retryable() && relay.has_cut(), "{error:?}");
            assert!(error.hint().unwrap_or_default().contains("exactly_once"), "{error:?}");
            assert_eq!(n_runs, 1);
            until_ids(&schema, stored);
        }
    });
}

#[test]
fn with_a_ledger_a_lost_commit_is_settled() {
    on_each_server(|case| {
        for (cut, n_runs_want) in
            [(Cut::BeforeCommit(1), 2), (Cut::AfterCommit(1), 1), (Cut::BeforeCommit(2), 2), (Cut::AfterCommit(2), 1)]
        {
            let schema = table(case);
            let relay = Relay::healing(case.server.port, cut);
            let pool = TwinPool::new(case, &behind(case, &schema, &relay));
            let options = OPTIONS.with_retries(5).with_exactly_once(true);
            if let Cut::BeforeCommit(2) | Cut::AfterCommit(2) = cut {
                // The line is not new.
                pool.run(&options, &["UPDATE t SET v = 0"], &nothing).0.unwrap();
            }
            let (end, n_runs) = pool.run(&options, INSERT, &nothing);
            end.unwrap();
            assert!(relay.has_cut() && n_runs == n_runs_want, "{cut:?}: {n_runs}");
            assert_eq!((ids(&schema).as_str(), value(&schema).as_str()), ("1 2 3", "1"), "{cut:?}");
            // Its line goes on.
            pool.run(&options, &["INSERT INTO t VALUES (4,0)"], &nothing).0.unwrap();
            assert_eq!(ids(&schema), "1 2 3 4");
            assert_eq!(schema.sql("SELECT COUNT(*) FROM inrush_inserter"), [["1"]], "{cut:?}");
        }
    });
}

/// Nothing is run again, but what became of the COMMIT is known.
#[test]
fn with_a_ledger_and_without_retries_the_error_is_sure() {
    on_each_server(|case| {
        for (cut, is_stored) in [(Cut::BeforeCommit(1), false), (Cut::AfterCommit(1), true)] {
            let schema = table(case);
            let relay = Relay::healing(case.server.port, cut);
            let pool = TwinPool::new(case, &behind(case, &schema, &relay));
            let (end, n_runs) = pool.run(&OPTIONS.with_exactly_once(true), INSERT, &nothing);
            assert_eq!((end.is_ok(), n_runs), (is_stored, 1), "{end:?}");
            if let Err(error) = end {
                assert!(!error.is_outcome_unknown() && error.message().starts_with("nothing is stored"), "{error:?}");
            }
            assert_eq!(ids(&schema), if is_stored { "1 2 3" } else { "1 2" });
        }
    });
}

/// Wherever the bytes end: stored exactly once.
#[test]
fn with_a_ledger_every_cut_is_survived() {
    on_each_server(|case| {
        let schema = table(case);
        let n_cuts = (150..1_500).step_by(83).filter(|bytes| {
            let relay = Relay::healing(case.server.port, Cut::AfterBytes(*bytes));
            let pool = TwinPool::new(case, &behind(case, &schema, &relay));
            let (end, _) = pool.run(&OPTIONS.with_retries(5).with_exactly_once(true), INSERT, &nothing);
            end.unwrap_or_else(|error| panic!("{bytes}: {error:?}"));
            assert_eq!((ids(&schema).as_str(), value(&schema).as_str()), ("1 2 3", "1"), "{bytes}");
            schema.sql("DELETE FROM t WHERE id = 3; UPDATE t SET v = 0");
            relay.has_cut()
        });
        let n_cuts = n_cuts.count();
        assert!(n_cuts >= 3, "{n_cuts}");
    });
}

#[test]
fn many_at_once_with_a_ledger() {
    on_each_server(|case| {
        let schema = table(case);
        let pool =
            TwinPool::new(case, &case.config().with_database(schema.name()).with_pool(PoolOptions::new().with_max(4)));
        let threads: Vec<_> = (0..8)
            .map(|_| {
                let pool = pool.clone();
                std::thread::spawn(move || {
                    for _ in 0..5 {
                        let options = OPTIONS.with_retries(9).with_exactly_once(true);
                        pool.run(&options, &["UPDATE t SET v = v + 1 WHERE id = 1"], &nothing).0.unwrap();
                    }
                })
            })
            .collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        assert_eq!(value(&schema), "40");
        let lines: u32 = schema.sql("SELECT COUNT(*) FROM inrush_inserter")[0][0].parse().unwrap();
        assert!((1..=8).contains(&lines), "{lines}");
    });
}

#[test]
fn an_error_of_the_closure_ends_it() {
    on_each_server(|case| {
        let schema = table(case);
        let pool = TwinPool::new(case, &case.config().with_database(schema.name()));
        let (end, n_runs) =
            pool.run(&OPTIONS.with_retries(5), &["INSERT INTO t VALUES (3,0)", "INSERT INTO t VALUES (1,0)"], &nothing);
        assert!(end.unwrap_err().is_unique_violation() && n_runs == 1);
        assert_eq!(ids(&schema), "1 2");
        // A statement that committed by itself and whose answer is lost.
        let relay = Relay::healing(case.server.port, Cut::AfterText("TRUNCATE"));
        let (end, n_runs) = TwinPool::new(case, &behind(case, &schema, &relay)).run(
            &OPTIONS.with_retries(5),
            &["TRUNCATE t"],
            &nothing,
        );
        assert!(end.unwrap_err().is_outcome_unknown() && n_runs == 1);
    });
}

#[test]
fn a_ledger_needs_a_pool_with_a_database() {
    on_each_server(|case| {
        let options = OPTIONS.with_exactly_once(true);
        let error = TwinPool::new(case, &case.config()).run(&options, &["DO 1"], &nothing).0.unwrap_err();
        assert!(error.message().contains("needs a database"), "{error:?}");
        let error = blocking::Connection::connect(case.config())
            .unwrap()
            .transaction_with(&options, |tx| tx.ping())
            .unwrap_err();
        assert!(error.message().contains("needs a pool"), "{error:?}");
        // What only reads does without.
        TwinPool::new(case, &case.config())
            .run(&options.with_access(inrush::Access::ReadOnly), &["DO 1"], &nothing)
            .0
            .unwrap();
    });
}

#[test]
fn verbs_of_a_pool() {
    on_each_server(|case| {
        let schema = table(case);
        let config = case.config().with_database(schema.name()).with_pool(PoolOptions::new().with_max(1));
        let check = |rows: Vec<(u8, u8)>,
                     one: u8,
                     opt: Option<u8>,
                     first: Option<u8>,
                     affected: u64,
                     batch: u64,
                     missing: Error| {
            assert_eq!((rows, one, opt, first), (vec![(1, 0), (2, 0)], 2, None, Some(1)));
            assert_eq!((affected, batch, missing.reason()), (2, 2, Reason::RowNotFound));
        };
        let (all, one) = ("SELECT id, v FROM t ORDER BY id", "SELECT id FROM t WHERE id = ?");
        let (first, update, insert) =
            ("SELECT id FROM t ORDER BY id", "UPDATE t SET v = 7", "INSERT INTO t VALUES (?, ?)");
        match TwinPool::new(case, &config) {
            TwinPool::Blocking(pool) => check(
                pool.query(all, ()).unwrap(),
                pool.query_one(one, (2,)).unwrap(),
                pool.query_opt(one, (9,)).unwrap(),
                pool.query_first(first, ()).unwrap(),
                pool.execute(update, ()).unwrap().affected,
                pool.execute_batch(insert, &[(3, 1), (4, 1)]).unwrap().n_rows,
                pool.query_one::<u8>(one, (9,)).unwrap_err(),
            ),
            TwinPool::Tokio(pool, runtime) => runtime.block_on(async {
                check(
                    pool.query(all, ()).await.unwrap(),
                    pool.query_one(one, (2,)).await.unwrap(),
                    pool.query_opt(one, (9,)).await.unwrap(),
                    pool.query_first(first, ()).await.unwrap(),
                    pool.execute(update, ()).await.unwrap().affected,
                    pool.execute_batch(insert, &[(3, 1), (4, 1)]).await.unwrap().n_rows,
                    pool.query_one::<u8>(one, (9,)).await.unwrap_err(),
                );
            }),
        }
        assert_eq!(ids(&schema), "1 2 3 4");
    });
}
