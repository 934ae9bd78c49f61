//! Futures dropped at every place where they wait: afterwards the connection is in step, or says that it is of no use.
//!
//! A relay lets bytes through in small pieces, so that there are many such places. A verb is run again and again on a fresh
//! connection, dropped at its first wait, at its second .., until it comes to its end.

use crate::cases::{Case, Route, Shell, in_cases};
use inrush::{Connection, Result, TransactionOptions, params};
use inrush_testkit::patience::{Wait, patience, until};
use inrush_testkit::proxy::throttle::{Pieces, SlowRelay};
use inrush_testkit::servers::{self, Schema};
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicU32, Ordering};
use std::task::Poll;
use std::time::Duration;

type Verb = fn(&mut Connection) -> Pin<Box<dyn Future<Output = Result<()>> + '_>>;

const AT_ONCE: Pieces = Pieces { bytes: 64 << 10, pause: Duration::ZERO };
const DRIBBLE: Pieces = Pieces { bytes: 6, pause: Duration::from_micros(600) };
const COARSE: Pieces = Pieces { bytes: 40, pause: Duration::from_micros(300) };
/// So that the rows of a result arrive one after the other, also in TLS, whose records have up to 16 KiB.
const STREAM: Pieces = Pieces { bytes: 1500, pause: Duration::from_micros(300) };
const GUSH: Pieces = Pieces { bytes: 16 << 10, pause: Duration::from_micros(300) };

/// How a verb fared over all its runs.
#[derive(Debug, Default)]
struct Counters {
    n_dropped: usize,
    n_usable: usize,
}

/// Lets the future wait `n` times. None: it was dropped when it wanted to wait once more.
pub(crate) async fn wait_at_most<T>(n: usize, future: impl Future<Output = T>) -> Option<T> {
    let mut future = pin!(future);
    let mut left = n;
    poll_fn(|cx| match future.as_mut().poll(cx) {
        Poll::Ready(output) => Poll::Ready(Some(output)),
        Poll::Pending if left == 0 => Poll::Ready(None),
        Poll::Pending => {
            left -= 1;
            Poll::Pending
        }
    })
    .await
}

/// Drops `verb` at each of its waits. `prepare` runs first on each connection, at full speed and to its end.
#[track_caller]
fn drop_everywhere(case: &Case, schema: &Schema, pieces: Pieces, prepare: Verb, verb: Verb) -> Counters {
    let relay = SlowRelay::start(case.server.port, AT_ONCE);
    let config = case.config().with_port(relay.port()).with_database(schema.name());
    let config = config
        .with_local_infile(true)
        .with_socket_buffers(Some(8 << 10))
        .with_connect_timeout(patience())
        .with_kill_on_timeout(true);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let mut counters = Counters::default();
    runtime.block_on(async {
        for n in 0.. {
            relay.pass_in(AT_ONCE);
            let mut connection = Connection::connect(&config).await.unwrap();
            prepare(&mut connection).await.unwrap();
            relay.pass_in(pieces);
            let end = tokio::time::timeout(patience(), wait_at_most(n, verb(&mut connection))).await.expect("no hang");
            relay.pass_in(AT_ONCE);
            if let Some(end) = end {
                end.unwrap();
                assert!(is_in_step(&mut connection, n).await, "not even when nothing was dropped");
                break;
            }
            counters.n_dropped += 1;
            counters.n_usable += usize::from(is_in_step(&mut connection, n).await);
        }
    });
    counters
}

/// Whether the connection answers exactly what it is asked. If it does not, it must say why, and go on to do so.
async fn is_in_step(connection: &mut Connection, n: usize) -> bool {
    let marker = format!("marker {n}");
    let sql = format!("SELECT '{marker}', 1 UNION ALL SELECT 'two', ?");
    for _ in 0..2 {
        let asked = tokio::time::timeout(patience(), connection.query::<(String, u8)>(&sql, (2,))).await;
        match asked.expect("no hang") {
            Ok(rows) => {
                assert_eq!(rows, [(marker.clone(), 1), ("two".to_owned(), 2)], "out of step after {n} waits");
                assert!(!connection.session().in_transaction(), "a transaction is open after {n} waits");
            }
            Err(error) => {
                assert!(error.is_fatal(), "after {n} waits: {error:?}");
                assert!(error.message().contains("cannot be used any more"), "after {n} waits: {error:?}");
                assert!(connection.session().is_dead());
                return false;
            }
        }
    }
    true
}

/// Every verb on every server, over plain TCP, and over TLS on one. `least` is how many waits there are at the least; where
/// the connection must survive some of them, `survives`.
#[track_caller]
fn check(pieces: Pieces, least: usize, survives: bool, prepare: Verb, verb: Verb) {
    let check = |case: &Case| {
        let Case { shell: Shell::Tokio, .. } = case else { return };
        let schema = tables(case);
        let is_enough = |counters: &Counters| counters.n_dropped >= least && (!survives || counters.n_usable > 0);
        // On a busy machine several pieces arrive at once, and there are fewer waits: then again.
        let wait = Wait::begin();
        loop {
            let counters = drop_everywhere(case, &schema, pieces, prepare, verb);
            if is_enough(&counters) {
                break;
            }
            wait.check(format_args!("more than {counters:?}"));
        }
        check_pairs(&schema);
    };
    in_cases(servers::with_local_infile(), &[Route::Tcp], check);
    in_cases(vec![servers::one("mysql-9.7")], &[Route::Tls], check);
}

fn tables(case: &Case) -> Schema {
    let schema = case.server.schema("cancel");
    schema.sql(
        "CREATE TABLE n (n INT PRIMARY KEY, text VARCHAR(50)) ENGINE=InnoDB; \
         INSERT INTO n VALUES (1,'one'),(2,'two'),(3,'three'),(4,'four'),(5,'five'); \
         CREATE TABLE loaded (text VARCHAR(200)) ENGINE=InnoDB; \
         CREATE TABLE pairs (connection BIGINT UNSIGNED, half INT) ENGINE=InnoDB",
    );
    schema
}

/// A transaction writes both halves of a pair, or none: also where it was dropped.
#[track_caller]
fn check_pairs(schema: &Schema) {
    let torn = "SELECT COUNT(*) FROM (SELECT connection FROM pairs GROUP BY connection HAVING COUNT(*) <> 2) torn";
    // The server may be about to notice that a client is gone.
    until("the end of half a transaction", || schema.sql(torn)[0][0] == "0");
}

fn nothing(_: &mut Connection) -> Pin<Box<dyn Future<Output = Result<()>> + '_>> {
    Box::pin(async { Ok(()) })
}

/// Waits that are not for the server: dropped here, the connection is between two commands. Several, because how often the
/// connection has waited before differs from run to run.
async fn something_else() {
    for _ in 0..10 {
        tokio::task::yield_now().await;
    }
}

/// Both halves of a pair, by the connection's number.
const HALVES: [&str; 2] =
    ["INSERT INTO pairs VALUES (CONNECTION_ID(), 1)", "INSERT INTO pairs VALUES (CONNECTION_ID(), 2)"];

#[test]
fn connect() {
    in_cases(servers::with_local_infile(), &[Route::Tcp, Route::Tls], |case| {
        let Case { shell: Shell::Tokio, .. } = case else { return };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        // On a busy machine an answer may be there before it is waited for: then again.
        until("a login that waits several times", || {
            let relay = SlowRelay::start(case.server.port, COARSE);
            let config = case.config().with_port(relay.port()).with_connect_timeout(patience());
            let config = config.with_kill_on_timeout(true);
            let n_dropped = runtime.block_on(async {
                for n in 0.. {
                    if let Some(connected) = wait_at_most(n, Connection::connect(&config)).await {
                        assert!(is_in_step(&mut connected.unwrap(), n).await);
                        return n;
                    }
                }
                unreachable!("a login ends")
            });
            assert_eq!(relay.n_connections() as usize, n_dropped + 1);
            n_dropped >= 3
        });
    });
}

#[test]
fn ping() {
    check(DRIBBLE, 2, false, nothing, |c| Box::pin(c.ping()));
}

#[test]
fn query() {
    check(DRIBBLE, 4, false, nothing, |c| {
        Box::pin(async {
            let rows: Vec<(i32, String)> = c.query("SELECT n, text FROM n ORDER BY n", ()).await?;
            assert_eq!(rows.len(), 5);
            Ok(())
        })
    });
}

#[test]
fn query_that_must_be_prepared_first() {
    check(DRIBBLE, 4, false, nothing, |c| {
        Box::pin(async {
            let rows: Vec<(i32,)> = c.query("SELECT n FROM n WHERE n > :least", params! { "least" => 3 }).await?;
            assert_eq!(rows, [(4,), (5,)]);
            Ok(())
        })
    });
}

#[test]
fn query_that_is_prepared() {
    let prepare: Verb = |c| Box::pin(async { c.prepare("SELECT n FROM n WHERE n > ?").await.map(drop) });
    check(DRIBBLE, 4, false, prepare, |c| {
        Box::pin(async {
            let rows: Vec<(i32,)> = c.query("SELECT n FROM n WHERE n > ?", (3,)).await?;
            assert_eq!(rows, [(4,), (5,)]);
            Ok(())
        })
    });
}

#[test]
fn exec_results_and_warnings() {
    check(DRIBBLE, 4, false, nothing, |c| {
        Box::pin(async {
            c.execute("DO CAST('12abc' AS SIGNED)", ()).await?;
            c.warnings().await?;
            assert_eq!(c.query_result_sets("SELECT 1 UNION SELECT 2", ()).await?.len(), 1);
            Ok(())
        })
    });
}

#[test]
fn prepare() {
    check(DRIBBLE, 4, false, nothing, |c| Box::pin(async { c.prepare("SELECT ?, n FROM n").await.map(drop) }));
}

#[test]
fn rows_that_are_read_in_part() {
    check(STREAM, 4, true, nothing, |c| {
        Box::pin(async {
            let mut rows = c.query_iter("SELECT n, REPEAT(text, 2000) FROM n ORDER BY n", ()).await?;
            for _ in 0..2 {
                assert!(rows.next_row().await?.is_some());
            }
            drop(rows);
            // Reads the rest first.
            c.ping().await
        })
    });
}

#[test]
fn rows_with_values_to_their_end() {
    check(STREAM, 4, true, nothing, |c| {
        Box::pin(async {
            let mut rows = c.query_iter("SELECT n, REPEAT(text, ?) FROM n ORDER BY n", (2000,)).await?;
            let mut n_rows = 0;
            while rows.next_as::<(i32, &str)>().await?.is_some() {
                n_rows += 1;
            }
            assert_eq!(n_rows, 5);
            Ok(())
        })
    });
}

#[test]
fn load_local() {
    check(GUSH, 4, false, nothing, |c| {
        Box::pin(async {
            let content = "some text that is loaded\n".repeat(8_000);
            let sql = |file: &str| format!("LOAD DATA LOCAL INFILE '{file}' INTO TABLE loaded");
            assert_eq!(c.load_local(sql, content.as_bytes()).await?.affected, 8_000);
            Ok(())
        })
    });
}

#[test]
fn a_statement_too_long_for_one_write() {
    check(GUSH, 4, false, nothing, |c| {
        Box::pin(async {
            let sql = format!("SELECT '{}'", "x".repeat(300_000));
            let (text,): (String,) = c.query_one(&sql, ()).await?;
            assert_eq!(text.len(), 300_000);
            Ok(())
        })
    });
}

#[test]
fn reset_and_change_user() {
    check(DRIBBLE, 4, false, nothing, |c| {
        Box::pin(async {
            c.reset().await?;
            c.ping().await
        })
    });
}

#[test]
fn a_transaction() {
    check(DRIBBLE, 4, true, nothing, |c| {
        Box::pin(c.transaction(async |tx| {
            for half in HALVES {
                tx.execute(half, ()).await?;
                something_else().await;
            }
            Ok(())
        }))
    });
}

#[test]
fn a_transaction_of_a_kind() {
    check(DRIBBLE, 4, true, nothing, |c| {
        Box::pin(async {
            let options = TransactionOptions::new()
                .with_isolation(inrush::Isolation::ReadCommitted)
                .with_access(inrush::Access::ReadWrite);
            let mut tx = c.begin_with(&options).await?;
            for half in HALVES {
                tx.execute(half, ()).await?;
            }
            let mut part = tx.savepoint().await?;
            part.execute(HALVES[0], ()).await?;
            something_else().await;
            part.rollback().await?;
            let part = tx.savepoint().await?;
            part.release().await?;
            let mut part = tx.savepoint().await?;
            part.execute(HALVES[0], ()).await?;
            drop(part);
            tx.commit().await
        })
    });
}

#[test]
fn a_transaction_that_nobody_ends() {
    check(DRIBBLE, 4, true, nothing, |c| {
        Box::pin(async {
            let mut tx = c.begin().await?;
            tx.execute(HALVES[0], ()).await?;
            something_else().await;
            drop(tx);
            something_else().await;
            let mut tx = c.begin().await?;
            tx.execute(HALVES[0], ()).await?;
            tx.rollback().await?;
            assert_eq!(c.query_one::<(u32,)>("SELECT COUNT(*) FROM pairs", ()).await?, (0,));
            Ok(())
        })
    });
}

#[test]
fn a_transaction_that_is_run_again() {
    check(DRIBBLE, 4, false, nothing, |c| {
        Box::pin(async {
            let n_runs = AtomicU32::new(0);
            c.transaction_with(&TransactionOptions::new().with_retries(3), async |tx| {
                let n_before = n_runs.fetch_add(1, Ordering::Relaxed);
                tx.execute(HALVES[0], ()).await?;
                if n_before == 0 {
                    tx.execute("SIGNAL SQLSTATE '40001' SET MYSQL_ERRNO = 1213", ()).await?;
                }
                tx.execute(HALVES[1], ()).await
            })
            .await
            .map(drop)
        })
    });
}

#[test]
fn a_pipeline() {
    check(COARSE, 4, false, nothing, |c| {
        Box::pin(async {
            let mut pipeline = c.pipeline();
            pipeline.query("BEGIN").query(HALVES[0]).query(HALVES[1]).commit();
            for reply in pipeline.run().await? {
                reply?;
            }
            Ok(())
        })
    });
}

#[test]
fn a_query_that_is_killed() {
    check(COARSE, 4, false, nothing, |c| {
        Box::pin(async {
            c.set_query_timeout(Some(Duration::from_millis(30)));
            let error = c.execute("SELECT SLEEP(30)", ()).await.unwrap_err();
            assert!(error.is_timeout() && !error.is_fatal(), "{error:?}");
            c.set_query_timeout(None);
            c.ping().await
        })
    });
}
