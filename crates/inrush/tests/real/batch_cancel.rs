//! Batches whose futures are dropped at every place where they wait: all of the rows are stored or none, a transaction around them
//! keeps its own fate, and the connection is in step, with autocommit on, or says that it is of no use.

use crate::batches::methods;
use crate::cancel::wait_at_most;
use crate::cases::{Case, Route, Shell, in_cases};
use inrush::{BatchOptions, Connection, Method};
use inrush_testkit::patience::Wait;
use inrush_testkit::proxy::throttle::{Pieces, SlowRelay};
use inrush_testkit::servers;
use std::time::Duration;

const AT_ONCE: Pieces = Pieces { bytes: 64 << 10, pause: Duration::ZERO };
const SLOWLY: Pieces = Pieces { bytes: 150, pause: Duration::from_micros(200) };
const INSERT: &str = "INSERT INTO t (run, n) VALUES (?, ?)";
const N_ROWS: u32 = 7;

#[test]
fn outside_of_a_transaction() {
    each_method(false);
}

#[test]
fn inside_of_a_transaction() {
    each_method(true);
}

#[track_caller]
fn each_method(inside: bool) {
    in_cases(servers::with_local_infile(), &[Route::Tcp], |case| {
        if case.shell == Shell::Tokio {
            methods(case).into_iter().for_each(|method| drop_everywhere(case, method, inside));
        }
    });
}

#[track_caller]
fn drop_everywhere(case: &Case, method: Method, inside: bool) {
    let schema = case.server.schema("dropbatch");
    schema.sql("CREATE TABLE t (run INT, n INT, KEY (run)) ENGINE=InnoDB");
    let relay = SlowRelay::start(case.server.port, AT_ONCE);
    let config = case.config().with_port(relay.port()).with_database(schema.name());
    let config = config.with_local_infile(true).with_multi_statements(true);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let options = BatchOptions::new().with_method(method).with_rows(3);
    let mut ids = Vec::new();
    // Of each run, how many rows there may be.
    let mut fates: Vec<Vec<u32>> = Vec::new();
    let mut n_dropped = 0;
    runtime.block_on(async {
        for run in 0_u32.. {
            relay.pass_in(AT_ONCE);
            let mut connection = Connection::connect(&config).await.unwrap();
            ids.push(connection.connection_id().to_string());
            // So that the table is known.
            connection.execute_batch_with(INSERT, &[(-1, 0), (-1, 1)], &options).await.unwrap();
            let rows: Vec<_> = (0..N_ROWS).map(|n| (run, n)).collect();
            let dropped = match inside {
                false => {
                    relay.pass_in(SLOWLY);
                    let end = wait_at_most(run as usize, connection.execute_batch_with(INSERT, &rows, &options)).await;
                    relay.pass_in(AT_ONCE);
                    if let Some(end) = &end {
                        assert_eq!(end.as_ref().unwrap().n_rows, u64::from(N_ROWS), "{method}");
                    }
                    fates.push(if end.is_some() { vec![N_ROWS] } else { vec![0, N_ROWS] });
                    end.is_none()
                }
                true => {
                    let mut tx = connection.begin().await.unwrap();
                    tx.execute("INSERT INTO t VALUES (?, 100)", (run,)).await.unwrap();
                    relay.pass_in(SLOWLY);
                    let end = wait_at_most(run as usize, tx.execute_batch_with(INSERT, &rows, &options)).await;
                    relay.pass_in(AT_ONCE);
                    // Whoever goes on has the rows around the batch, and all of the batch or none of it; or nothing at all.
                    let behind = tx.execute("INSERT INTO t VALUES (?, 101)", (run,)).await;
                    let committed = tx.commit().await;
                    assert_eq!(behind.is_ok(), committed.is_ok(), "{method} {run}: {behind:?} {committed:?}");
                    fates.push(match (&end, committed) {
                        (Some(end), committed) => {
                            assert!(end.is_ok() && committed.is_ok(), "{method}: {end:?} {committed:?}");
                            vec![N_ROWS + 2]
                        }
                        (None, Ok(())) => vec![2, N_ROWS + 2],
                        (None, Err(error)) => {
                            assert!(error.is_fatal() && !error.is_outcome_unknown(), "{method} {run}: {error:?}");
                            vec![0]
                        }
                    });
                    end.is_none()
                }
            };
            match connection.query_one::<(u32, u8)>("SELECT ?, @@autocommit", (run,)).await {
                Ok(row) => {
                    assert_eq!(row, (run, 1), "{method}");
                    assert!(!connection.session().in_transaction(), "{method} {run}");
                }
                Err(error) => {
                    assert!(dropped && error.is_fatal() && connection.session().is_dead(), "{method} {run}: {error:?}");
                }
            }
            n_dropped += u32::from(dropped);
            // On a busy machine what it waits for may be there before it waits: then it is done earlier than it was, and asked again.
            if !dropped && run >= 2 {
                break;
            }
        }
    });
    assert!(n_dropped > 0, "{method} never waits");
    settle(case, &ids);
    let counts = schema.sql("SELECT run, COUNT(*) FROM t WHERE run >= 0 GROUP BY run");
    for (run, fate) in fates.iter().enumerate() {
        let count = counts.iter().find(|row| row[0] == run.to_string()).map_or(0, |row| row[1].parse().unwrap());
        assert!(fate.contains(&count), "{method}, dropped after {run} waits: {count} rows instead of {fate:?}");
    }
}

/// Waits until the server has noticed that these connections are gone.
fn settle(case: &Case, ids: &[String]) {
    let mut observer = inrush::blocking::Connection::connect(case.config()).unwrap();
    until_gone(&mut observer, &ids.join(","));
}

/// The same for who watches more than once.
pub(crate) fn until_gone(observer: &mut inrush::blocking::Connection, ids: &str) {
    let sql = format!(
        "SELECT COUNT(*) FROM /*!80022 performance_schema*//*M!100000 information_schema*/.processlist WHERE id IN ({ids})"
    );
    let wait = Wait::begin();
    while observer.query_one::<(u32,)>(&sql, ()).unwrap().0 > 0 {
        wait.pause("the end of the connections");
    }
}
