//! Time-outs: connect, read, write, the whole query; and statements that the server is told to end.

use crate::cases::{Case, ROUTES, Route, Shell, Twin, in_cases, until_asleep};
use crate::transactions::{ids, on_each_server, table};
use crate::twins::with_twin;
use inrush::{Config, Kind};
use inrush_testkit::patience::{Wait, growing_limits, patience};
use inrush_testkit::proxy::throttle::{Pieces, SlowRelay};
use inrush_testkit::servers;
use std::cell::Cell;
use std::thread;
use std::time::{Duration, Instant};

/// Runs for a very long time, notices a KILL, and sends nothing before its end.
const LONG: &str = "SELECT COUNT(*) FROM information_schema.collations a, information_schema.collations b, \
                    information_schema.collations c, information_schema.collations d WHERE a.id + b.id + c.id + d.id < 0";

/// Set around a statement that must be late, and taken away again before one that must not.
const SHORT: Option<Duration> = Some(Duration::from_millis(300));

#[track_caller]
fn check_in_step(twin: &mut Twin) {
    for marker in ["one", "two", "three"] {
        assert_eq!(twin.ask(&format!("SELECT '{marker}'")), marker);
    }
}

#[test]
fn a_query_beyond_its_time_ends_the_connection() {
    on_each_server(|case| {
        let mut twin = case.open();
        check_in_step(&mut twin);
        twin.set_query_timeout(SHORT);
        let before = Instant::now();
        let error = twin.execute("SELECT SLEEP(30)").unwrap_err();
        assert!(before.elapsed() >= SHORT.unwrap());
        assert!(error.is_timeout() && error.is_fatal() && error.kind() == Kind::Io, "{error:?}");
        assert!(error.message().contains("query time-out") && error.hint().unwrap().contains("kill"), "{error:?}");
        assert!(twin.ping().unwrap_err().is_fatal());
    });
}

#[test]
fn a_query_beyond_its_time_is_killed_and_the_connection_goes_on() {
    in_cases(servers::with_local_infile(), &ROUTES, |case| {
        let mut twin = case.open_with(&case.config().with_kill_on_timeout(true));
        let id = twin.session().connection_id();
        for sql in [LONG, "SELECT SLEEP(30)", "DO SLEEP(30)"] {
            twin.set_query_timeout(SHORT);
            let before = Instant::now();
            let error = twin.execute(sql).unwrap_err();
            assert!(before.elapsed() >= SHORT.unwrap());
            twin.set_query_timeout(None);
            assert!(error.is_timeout() && !error.is_fatal() && !error.is_retryable(), "{error:?}");
            assert!(error.message().contains("query time-out") && error.message().contains("killed"), "{error:?}");
            assert_eq!(error.code() == 1317, error.sql_state() == "70100", "{error:?}");
            check_in_step(&mut twin);
            assert_eq!(twin.ask("SELECT CONNECTION_ID()"), id.to_string());
        }
    });
}

#[test]
fn a_prepared_statement_is_killed_as_well() {
    on_each_server(|case| {
        with_twin!(case, case.config().with_kill_on_timeout(true), connection => {
            let sql = format!("{LONG} AND a.id > ?");
            wait!(connection.prepare(&sql)).unwrap();
            for _ in 0..2 {
                connection.set_query_timeout(SHORT);
                let error = wait!(connection.query::<(u64,)>(&sql, (0,))).unwrap_err();
                assert!(error.is_timeout() && error.code() == 1317 && !error.is_fatal(), "{error:?}");
                connection.set_query_timeout(None);
                assert_eq!(wait!(connection.query_one::<(String,)>("SELECT ?", ("marker",))).unwrap().0, "marker");
            }
        });
    });
}

#[test]
fn a_killed_statement_leaves_its_transaction_open() {
    on_each_server(|case| {
        let schema = table(case);
        let config = case.config().with_database(schema.name()).with_kill_on_timeout(true);
        with_twin!(case, config, connection => {
            let mut tx = wait!(connection.begin()).unwrap();
            wait!(tx.execute("INSERT INTO t VALUES (3,0)", ())).unwrap();
            tx.set_query_timeout(SHORT);
            assert_eq!(wait!(tx.execute(LONG, ())).unwrap_err().code(), 1317);
            tx.set_query_timeout(None);
            wait!(tx.execute("INSERT INTO t VALUES (4,0)", ())).unwrap();
            tx.set_query_timeout(SHORT);
            // Killed in the middle, the whole statement is undone.
            let error = wait!(tx.execute("INSERT INTO t SELECT 10 + id, SLEEP(10) FROM t ORDER BY id", ())).unwrap_err();
            assert!(error.is_timeout(), "{error:?}");
            tx.set_query_timeout(None);
            wait!(tx.commit()).unwrap();
        });
        let stored = ids(&schema);
        // SLEEP ends early where it is killed, and on MySQL well; the statement that it is in does not.
        assert_eq!(stored, "1 2 3 4");
    });
}

#[test]
fn rows_that_stop_coming_are_killed() {
    on_each_server(|case| {
        with_twin!(case, case.config().with_kill_on_timeout(true), connection => {
            wait!(connection.execute("SET @@max_recursive_iterations = 5000", ())).ok();
            for limit in growing_limits("the rows that come at once") {
                connection.set_query_timeout(Some(limit));
                // Rows come at once, then ever more slowly.
                let sql = "SELECT seq.n, IF(seq.n > 2000, SLEEP(10), REPEAT('x', 1000)) FROM \
                           (WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 3000) \
                           SELECT /*+ SET_VAR(cte_max_recursion_depth = 5000) */ n FROM s) seq";
                let mut n_rows = 0;
                let error = match wait!(connection.query_iter(sql, ())) {
                    Err(error) => error,
                    Ok(mut rows) => loop {
                        match wait!(rows.next_row()) {
                            Ok(Some(_)) => n_rows += 1,
                            Ok(None) => panic!("it came to its end"),
                            Err(error) => break error,
                        }
                    },
                };
                assert!(error.is_timeout() && !error.is_fatal(), "{error:?}");
                connection.set_query_timeout(None);
                assert_eq!(wait!(connection.query_one::<(String,)>("SELECT 'marker'", ())).unwrap().0, "marker");
                if n_rows > 100 {
                    break;
                }
            }
        });
    });
}

#[test]
fn the_callers_own_time_does_not_count() {
    on_each_server(|case| {
        // The arithmetic is in `pace/tests.rs`, with a clock of its own. Here the caller takes more than the limit, and the server must
        // answer at all within it.
        for limit in growing_limits("four answers") {
            let last = Cell::new(None);
            with_twin!(case, case.config(), connection => {
                connection.set_query_timeout(Some(limit));
                let mut rows = wait!(connection.query_iter("SELECT 1 UNION SELECT 2 UNION SELECT 3", ()));
                let mut n_rows = 0;
                let end = loop {
                    match &mut rows {
                        Err(_) => break rows.map(drop),
                        Ok(rows) => match wait!(rows.next_row()) {
                            Err(error) => break Err(error),
                            Ok(None) => break Ok(()),
                            Ok(Some(_)) => {
                                thread::sleep(limit / 2);
                                n_rows += 1;
                            }
                        },
                    }
                };
                assert!(n_rows == 3 || end.is_err());
                last.set(Some(match end {
                    Err(error) => Err(error),
                    Ok(()) => {
                        // Nor does that of an earlier command.
                        thread::sleep(limit);
                        wait!(connection.ping())
                    }
                }));
            });
            match last.take().unwrap() {
                Err(error) if error.is_timeout() => {}
                end => return end.unwrap(),
            }
        }
    });
}

#[test]
fn the_limit_of_one_connection_can_change() {
    on_each_server(|case| {
        with_twin!(case, case.config(), connection => {
            assert_eq!(connection.query_timeout(), None);
            wait!(connection.query::<(u8,)>("SELECT SLEEP(0.3)", ())).unwrap();
            connection.set_query_timeout(Some(Duration::from_millis(100)));
            assert!(wait!(connection.query::<(u8,)>("SELECT SLEEP(30)", ())).unwrap_err().is_timeout());
        });
    });
}

#[test]
fn a_kill_never_meets_the_next_statement() {
    on_each_server(|case| {
        // Statements that take about as long as they may: the KILL comes before, at and after their end. How long that is depends on
        // how busy the machine is, so each statement takes a little longer than one that was in time, and less than one that was late.
        let mut twin = case.open_with(&case.config().with_kill_on_timeout(true));
        let (mut n_late, mut n_in_time, mut sleep_ms) = (0, 0, 15u32);
        let wait = Wait::begin();
        while n_late + n_in_time < 60 || n_late <= 5 || n_in_time <= 5 {
            wait.check(format_args!("more than {n_late} late and {n_in_time} in time"));
            twin.set_query_timeout(Some(Duration::from_millis(20)));
            let sql = format!("SELECT BENCHMARK(1, 1), SLEEP({})", f64::from(sleep_ms) / 1000.0);
            match twin.execute(&sql) {
                Ok(_) => (n_in_time, sleep_ms) = (n_in_time + 1, sleep_ms + 1),
                Err(error) => {
                    assert!(error.is_timeout() && !error.is_fatal(), "{error:?}");
                    (n_late, sleep_ms) = (n_late + 1, sleep_ms.saturating_sub(1));
                }
            }
            // No limit, so that only a KILL meant for the other could end one of these.
            twin.set_query_timeout(None);
            check_in_step(&mut twin);
        }
    });
}

#[test]
fn a_kill_that_cannot_be_told_ends_the_connection() {
    on_each_server(|case| {
        let relay = SlowRelay::start(case.server.port, AT_ONCE);
        let config = case.config().with_port(relay.port()).with_connect_timeout(Duration::from_secs(1));
        let mut twin = case.open_at_last(&config.with_kill_on_timeout(true));
        check_in_step(&mut twin);
        let n_before = relay.n_connections();
        relay.hold();
        twin.set_query_timeout(SHORT);
        let error = twin.execute("SELECT 1").unwrap_err();
        assert!(error.is_fatal() && error.is_timeout() && error.message().contains("KILL QUERY failed"), "{error:?}");
        assert!(relay.n_connections() > n_before, "nobody tried");
        assert!(twin.ping().unwrap_err().is_fatal());
    });
}

#[test]
fn a_network_that_swallows_everything() {
    in_cases(servers::with_local_infile(), &[Route::Tcp, Route::Tls], |case| {
        // Only what must be late has this limit: logging in has its own.
        let hurry = Duration::from_millis(300);
        let through = |relay: &SlowRelay| case.config().with_port(relay.port());

        let relay = SlowRelay::start(case.server.port, AT_ONCE);
        relay.hold();
        check_late(case, &through(&relay).with_connect_timeout(hurry), "connect time-out", |_| ());

        let relay = SlowRelay::start(case.server.port, AT_ONCE);
        check_late(case, &through(&relay).with_read_timeout(Some(hurry)), "read time-out", |_| relay.hold());

        let relay = SlowRelay::start(case.server.port, AT_ONCE);
        check_late(case, &through(&relay).with_write_timeout(Some(hurry)), "write time-out", |_| relay.hold());

        // In the middle of a large result, and of a login.
        let relay = SlowRelay::start(case.server.port, Pieces { bytes: 10, pause: Duration::from_millis(20) });
        check_late(case, &through(&relay).with_connect_timeout(hurry), "connect time-out", |_| ());
    });
}

/// Connects and sends a large statement: somewhere the time is over.
#[track_caller]
fn check_late(case: &Case, config: &Config, want: &str, hold: impl FnOnce(&mut Twin)) {
    let error = match Twin::connect(case.shell, config) {
        Err(error) => error,
        Ok(mut twin) => {
            hold(&mut twin);
            let large = format!("SELECT LENGTH('{}')", "x".repeat(if want.contains("write") { 12 << 20 } else { 10 }));
            let error = twin.execute(&large).unwrap_err();
            assert!(twin.ping().unwrap_err().is_fatal());
            error
        }
    };
    assert!(error.is_timeout() && error.message().contains(want), "{want}: {error:?}");
    // Without a connection there is none to throw away.
    assert_eq!(error.is_fatal(), want != "connect time-out", "{want}: {error:?}");
}

#[test]
fn an_abort_ends_a_transaction_like_anything_else() {
    on_each_server(|case| {
        let Case { shell: Shell::Blocking, .. } = case else { return };
        let schema = table(case);
        let config = case.config().with_database(schema.name()).with_query_timeout(Some(patience()));
        let config = config.with_kill_on_timeout(true);
        let mut connection = inrush::blocking::Connection::connect(&config).unwrap();
        let aborter = connection.aborter();
        let (server, id) = (case.server.clone(), connection.connection_id());
        let other = thread::spawn(move || {
            until_asleep(&server, id);
            aborter.abort();
        });
        let error = connection
            .transaction(|tx| {
                tx.execute("INSERT INTO t VALUES (3,0)", ())?;
                tx.execute("SELECT SLEEP(30)", ())
            })
            .unwrap_err();
        assert!(error.kind() == Kind::Interrupted && error.is_fatal(), "{error:?}");
        assert!(connection.ping().unwrap_err().is_fatal());
        other.join().unwrap();
        assert_eq!(ids(&schema), "1 2");
    });
}

const AT_ONCE: Pieces = Pieces { bytes: 64 << 10, pause: Duration::ZERO };
