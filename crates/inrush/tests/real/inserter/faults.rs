//! Inserters whose connections are killed, whose answers are lost, whose callers go away, whose runtime ends. Each test ends with
//! counts: stored is what was acknowledged, besides what callers were told that nobody knows.

use super::twin::{Ends, TwinInserter, Who};
use super::{check_all_good, check_stored, config, on_all, open, row, stored, table};
use crate::cases::{Case, Shell};
use inrush::{Inserter, InserterOptions, InserterStatus, Pool, PoolOptions, Result};
use inrush_testkit::patience::{Wait, until};
use inrush_testkit::proxy::cut::{Cut, Relay};
use inrush_testkit::servers::Schema;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

/// Kills all connections to the schema, now and then, while crowds are at work, one after the other until several were killed. Between
/// two kills a batch is stored: on a slow machine nothing ever would be otherwise.
fn crowd_under_fire(case: &Case, schema: &Schema, inserter: &TwinInserter) -> Ends {
    let is_over = AtomicBool::new(false);
    let n_killed = AtomicU32::new(0);
    thread::scope(|scope| {
        scope.spawn(|| {
            let list = format!("SELECT ID FROM /*!80022 performance_schema*//*M!100000 information_schema*/.processlist WHERE DB = '{}'", schema.name());
            let mut n_batches = 0;
            while !is_over.load(Ordering::SeqCst) {
                thread::sleep(Duration::from_millis(20));
                let n_before = std::mem::replace(&mut n_batches, inserter.status().batches);
                if n_batches == n_before {
                    continue;
                }
                for id in case.server.sql(&list) {
                    // It may be gone meanwhile.
                    let is_killed = case.server.try_sql(&format!("KILL {}", id[0])).is_ok();
                    n_killed.fetch_add(u32::from(is_killed), Ordering::SeqCst);
                }
            }
        });
        let mut ends = Ends::new();
        let wait = Wait::begin();
        for first in (0..).step_by(10_000) {
            let crowd = inserter.crowd(Who::Many, 12, move |n| row(first + n));
            ends.extend(crowd.into_iter().map(|(n, end)| (first + n, end)));
            if n_killed.load(Ordering::SeqCst) > 2 || wait.is_over() {
                break;
            }
        }
        is_over.store(true, Ordering::SeqCst);
        assert!(n_killed.load(Ordering::SeqCst) > 0, "nobody was killed");
        ends
    })
}

#[test]
fn killed_connections() {
    on_all(|case| {
        let schema = table(case);
        let inserter = open(case, &schema, InserterOptions::new().with_batch_rows(40).with_lanes(2));
        let ends = crowd_under_fire(case, &schema, &inserter);
        for (n, end) in &ends {
            let is_as_said = end.as_ref().err().is_none_or(|error| error.is_outcome_unknown() || error.code() == 1317);
            assert!(is_as_said, "{n}: {end:?}");
        }
        inserter.close().unwrap();
        check_stored(&schema, &ends);
    });
}

#[test]
fn killed_connections_exactly_once() {
    on_all(|case| {
        let schema = table(case);
        let options = InserterOptions::new().with_batch_rows(40).with_lanes(2).with_exactly_once(true);
        let inserter = open(case, &schema, options);
        let ends = crowd_under_fire(case, &schema, &inserter);
        for (n, end) in &ends {
            assert!(end.as_ref().err().is_none_or(|error| error.code() == 1317), "{n}: {end:?}");
        }
        inserter.close().unwrap();
        check_stored(&schema, &ends);
        assert_eq!(inserter.status().unknown, 0);
    });
}

/// An inserter behind a relay that cuts once.
fn behind(case: &Case, schema: &Schema, relay: &Relay, options: InserterOptions) -> TwinInserter {
    TwinInserter::new(case, &config(case, schema).with_port(relay.port()), "t", options)
}

#[test]
fn an_answer_that_is_lost_leaves_nobody_in_the_dark() {
    on_all(|case| {
        let schema = table(case);
        let relay = Relay::healing(case.server.port, Cut::AfterWrite(2));
        // One connection: the relay cuts all that were open, each at its next word.
        let inserter = behind(case, &schema, &relay, InserterOptions::new().with_lanes(1));
        inserter.insert(row(1)).unwrap();
        let error = inserter.insert(row(2)).unwrap_err();
        assert!(relay.has_cut() && error.is_outcome_unknown() && !error.is_retryable(), "{error:?}");
        assert!(error.message().starts_with("the row may be stored or not") && error.hint().is_some(), "{error:?}");
        inserter.insert(row(3)).unwrap();
        // It is stored, as it happens.
        until("the third row", || stored(&schema).len() == 3);
        let status = inserter.status();
        assert_eq!((status.stored, status.unknown, status.failed), (2, 1, 0));
    });
}

#[test]
fn a_lost_commit_is_settled() {
    on_all(|case| {
        for cut in [Cut::AfterCommit(2), Cut::BeforeCommit(2)] {
            let schema = table(case);
            let relay = Relay::healing(case.server.port, cut);
            let inserter = behind(case, &schema, &relay, InserterOptions::new().with_exactly_once(true));
            let ends: Ends = (0..4).map(|n| (n, inserter.insert(row(n)))).collect();
            assert!(relay.has_cut());
            check_all_good(&ends);
            check_stored(&schema, &ends);
            let ends = inserter.insert_many((10..20).map(row));
            assert!(ends.iter().all(Result::is_ok));
            inserter.close().unwrap();
            assert_eq!((stored(&schema).len(), inserter.status().stored), (14, 14));
            assert_eq!(schema.sql("SELECT COUNT(*) FROM inrush_inserter"), [["0"]]);
        }
    });
}

#[test]
fn a_connection_lost_at_a_rollback_makes_no_row_bad() {
    on_all(|case| {
        for cut in [Cut::BeforeUndo(1), Cut::AfterUndo(1)] {
            for exactly_once in [false, true] {
                let schema = table(case);
                schema.sql("INSERT INTO t (n) VALUES (100000)");
                let relay = Relay::healing(case.server.port, cut);
                let options = InserterOptions::new().with_lanes(1);
                let options = if exactly_once { options.with_exactly_once(true) } else { options };
                let inserter = behind(case, &schema, &relay, options);
                inserter.insert(row(0)).unwrap();
                let numbers = (1..300).chain([100_000]).chain(300..400);
                let ends: Ends = numbers.clone().zip(inserter.insert_many(numbers.map(row))).collect();
                // On the others a batch is one command, which undoes itself; `batch_cuts` has more of them there.
                assert!(relay.has_cut() || !case.server.name.starts_with("mariadb-10"), "{cut:?}, {exactly_once}");
                let (bad, good): (Ends, Ends) = ends.into_iter().partition(|(n, _)| *n == 100_000);
                check_all_good(&good);
                assert_eq!(bad[0].1.as_ref().unwrap_err().code(), 1062);
                inserter.close().unwrap();
                let status = inserter.status();
                assert_eq!((status.stored, status.failed, status.unknown), (400, 1, 0));
                assert_eq!(stored(&schema).len(), 401);
            }
        }
    });
}

/// The first row is brought while nobody knows the table yet.
#[test]
fn a_connection_lost_while_the_table_is_read_is_replaced() {
    on_all(|case| {
        for bytes in [1, 400, 700, 1_000] {
            let schema = table(case);
            let relay = Relay::healing(case.server.port, Cut::AfterBytes(bytes));
            let inserter = behind(case, &schema, &relay, InserterOptions::new().with_exactly_once(true));
            let inserted = inserter.insert(row(1));
            assert!(inserted.is_ok() && relay.has_cut(), "{bytes}: {inserted:?}");
            inserter.close().unwrap();
            assert_eq!(stored(&schema).len(), 1);
        }
    });
}

#[test]
fn without_a_server_callers_hear_of_it_in_time() {
    on_all(|case| {
        let schema = table(case);
        let relay = Relay::start(case.server.port, Cut::AfterWrite(2));
        let options = InserterOptions::new().with_lanes(1).with_retries_for(Duration::from_millis(300));
        let inserter = behind(case, &schema, &relay, options);
        inserter.insert(row(1)).unwrap();
        assert!(inserter.insert(row(2)).unwrap_err().is_outcome_unknown());
        let error = inserter.insert(row(3)).unwrap_err();
        assert!(!error.is_outcome_unknown() && error.message().starts_with("not stored after"), "{error:?}");
        // One that was never cut off from its server in the midst of anything.
        assert!(stored(&schema).len() <= 2 && !stored(&schema).contains_key(&3));
        inserter.close().unwrap();
    });
}

/// The rest is about futures, so for tasks only.
#[track_caller]
fn on_all_with_tasks(check: impl Fn(&Case, &Schema) + Sync) {
    on_all(|case| {
        if case.shell == Shell::Tokio {
            check(case, &table(case));
        }
    });
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap()
}

/// A runtime in which nothing else runs while a test looks.
fn one_thread() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

async fn inserter(case: &Case, schema: &Schema, options: InserterOptions) -> Inserter {
    let config = config(case, schema).with_pool(PoolOptions::new().with_max(2));
    Pool::new(&config).unwrap().inserter_with("t", &options).unwrap()
}

#[test]
fn a_dropped_caller_drops_nothing_of_others() {
    on_all_with_tasks(|case, schema| {
        runtime().block_on(async {
            let inserter = inserter(case, schema, InserterOptions::new().with_batch_rows(16)).await;
            let mut callers = Vec::new();
            for n in 0..400 {
                let inserter = inserter.clone();
                callers.push(tokio::spawn(async move { inserter.insert(row(n)).await }));
            }
            tokio::time::sleep(Duration::from_millis(3)).await;
            callers.iter().step_by(2).for_each(|caller| caller.abort());
            let mut ends: Ends = Vec::new();
            for (n, caller) in callers.into_iter().enumerate() {
                match caller.await {
                    Ok(end) => ends.push((n as i64, end)),
                    Err(error) => assert!(error.is_cancelled() && n % 2 == 0),
                }
            }
            check_all_good(&ends);
            assert!(ends.len() >= 200);
            inserter.close().await.unwrap();
            let (stored, status) = (stored(schema), inserter.status());
            assert!(ends.iter().all(|(n, end)| stored.get(n) == end.as_ref().unwrap().id.as_ref()));
            assert_eq!(stored.len() as u64, status.stored);
            assert_eq!((status.failed, status.unknown, status.queued, status.in_flight), (0, 0, 0, 0));
        });
    });
}

#[test]
fn what_a_dropped_caller_did_not_hear_is_told_at_the_next_flush() {
    on_all_with_tasks(|case, schema| {
        one_thread().block_on(async {
            let inserter = inserter(case, schema, InserterOptions::new()).await;
            inserter.insert(row(1)).await.unwrap();
            // Polled once, it is queued; then its caller goes away.
            let mut second = Box::pin(inserter.insert(row(1)));
            assert!(poll_once(&mut second).await.is_none());
            drop(second);
            let error = inserter.flush().await.unwrap_err();
            assert_eq!(error.code(), 1062);
            assert!(error.message().starts_with("1 rows of callers that had gone were not acknowledged"), "{error:?}");
            inserter.flush().await.unwrap();
        });
    });
}

/// Polls a future once.
async fn poll_once<F: Future + Unpin>(future: &mut F) -> Option<F::Output> {
    std::future::poll_fn(|cx| match std::pin::Pin::new(&mut *future).poll(cx) {
        std::task::Poll::Ready(output) => std::task::Poll::Ready(Some(output)),
        std::task::Poll::Pending => std::task::Poll::Ready(None),
    })
    .await
}

#[test]
fn what_is_queued_when_the_last_handle_goes_is_written() {
    on_all_with_tasks(|case, schema| {
        one_thread().block_on(async {
            let inserter = inserter(case, schema, InserterOptions::new().with_batch_rows(10)).await;
            inserter.insert(row(0)).await.unwrap();
            let mut rest = Box::pin({
                let inserter = inserter.clone();
                async move { inserter.insert_many((1..100).map(row)).await }
            });
            assert!(poll_once(&mut rest).await.is_none());
            drop((rest, inserter));
            let wait = Wait::begin();
            while stored(schema).len() < 100 {
                wait.check("all rows");
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        });
    });
}

#[test]
fn a_runtime_that_ends_leaves_nobody_waiting() {
    on_all_with_tasks(|case, schema| {
        // Whoever holds the table's lock holds the batch up.
        let rival = case.open_with(&config(case, schema));
        let (lanes, callers) = (runtime(), runtime());
        let inserter = lanes.block_on(inserter(case, schema, InserterOptions::new()));
        lanes.block_on(inserter.insert(row(0))).unwrap();
        let mut rival = rival;
        rival.execute("LOCK TABLES t WRITE").unwrap();
        let waiting: Vec<_> = (1..20)
            .map(|n| {
                let inserter = inserter.clone();
                callers.spawn(async move { (n, inserter.insert(row(n)).await) })
            })
            .collect();
        let is_at_work = |status: InserterStatus| status.in_flight > 0 && status.queued + status.in_flight == 19;
        until("a batch in flight", || is_at_work(inserter.status()));
        drop(lanes);
        let ends: Ends = callers.block_on(async {
            let mut ends = Vec::new();
            for caller in waiting {
                ends.push(caller.await.unwrap());
            }
            ends
        });
        assert!(ends.iter().all(|(_, end)| end.is_err()), "{ends:?}");
        assert!(ends.iter().any(|(_, end)| end.as_ref().unwrap_err().is_outcome_unknown()));
        rival.execute("UNLOCK TABLES").unwrap();
        let error = callers.block_on(inserter.insert(row(50))).unwrap_err();
        assert_eq!(error.message(), "the inserter is closed");
        let unknown = |n: &i64| ends.iter().any(|(of, end)| of == n && end.as_ref().unwrap_err().is_outcome_unknown());
        assert!(stored(schema).keys().all(|n| *n == 0 || unknown(n)));
    });
}
