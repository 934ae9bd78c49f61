//! Time-outs: connect, read, write, the whole query; and statements that the server is told to end.

use crate::cases::{Case, ROUTES, Route, Shell, Twin, in_cases, until_asleep};
use crate::transactions::{ids, on_each_server, table};
use crate::twins::with_twin;
use inrush::{Config, Kind};
use inrush_testkit::proxy::throttle::{Pieces, SlowRelay};
use inrush_testkit::servers;
use std::thread;
use std::time::{Duration, Instant};

/// Runs for a very long time, notices a KILL, and sends nothing before its end.
const LONG: &str = "SELECT COUNT(*) FROM information_schema.collations a, information_schema.collations b, \
                    information_schema.collations c, information_schema.collations d WHERE a.id + b.id + c.id + d.id < 0";

fn killing(config: Config, limit: u64) -> Config {
    config.with_query_timeout(Some(Duration::from_millis(limit))).with_kill_on_timeout(true)
}

#[track_caller]
fn check_in_step(twin: &mut Twin) {
    for marker in ["one", "two", "three"] {
        assert_eq!(twin.ask(&format!("SELECT '{marker}'")), marker);
    }
}

/// The same under a limit so short that a question may meet it: its own time-out is no fault, a KILL meant for another is one.
#[track_caller]
fn check_in_step_in_time(twin: &mut Twin) {
    for marker in ["one", "two", "three"] {
        match twin.query(&format!("SELECT '{marker}'")) {
            Ok(results) => assert_eq!(results[0].value(0, 0).unwrap().to_string(), marker),
            Err(error) => assert!(error.is_timeout() && !error.is_fatal(), "{error:?}"),
        }
    }
}

#[test]
fn a_query_beyond_its_time_ends_the_connection() {
    on_each_server(|case| {
        let mut twin = case.open_with(&case.config().with_query_timeout(Some(Duration::from_millis(300))));
        check_in_step(&mut twin);
        let before = Instant::now();
        let error = twin.execute("SELECT SLEEP(30)").unwrap_err();
        assert!((300..29_000).contains(&before.elapsed().as_millis()));
        assert!(error.is_timeout() && error.is_fatal() && error.kind() == Kind::Io, "{error:?}");
        assert!(error.message().contains("query time-out") && error.hint().unwrap().contains("kill"), "{error:?}");
        assert!(twin.ping().unwrap_err().is_fatal());
    });
}

#[test]
fn a_query_beyond_its_time_is_killed_and_the_connection_goes_on() {
    in_cases(servers::with_local_infile(), &ROUTES, |case| {
        let mut twin = case.open_with(&killing(case.config(), 300));
        let id = twin.session().connection_id();
        for sql in [LONG, "SELECT SLEEP(30)", "DO SLEEP(30)"] {
            let before = Instant::now();
            let error = twin.execute(sql).unwrap_err();
            assert!((300..29_000).contains(&before.elapsed().as_millis()), "{:?}", before.elapsed());
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
        with_twin!(case, killing(case.config(), 300), connection => {
            let sql = format!("{LONG} AND a.id > ?");
            for _ in 0..2 {
                let error = wait!(connection.query::<(u64,)>(&sql, (0,))).unwrap_err();
                assert!(error.is_timeout() && error.code() == 1317 && !error.is_fatal(), "{error:?}");
                assert_eq!(wait!(connection.query_one::<(String,)>("SELECT ?", ("marker",))).unwrap().0, "marker");
            }
        });
    });
}

#[test]
fn a_killed_statement_leaves_its_transaction_open() {
    on_each_server(|case| {
        let schema = table(case);
        // Far more than the first INSERT takes.
        with_twin!(case, killing(case.config().with_database(schema.name()), 1500), connection => {
            let mut tx = wait!(connection.begin()).unwrap();
            wait!(tx.execute("INSERT INTO t VALUES (3,0)", ())).unwrap();
            assert_eq!(wait!(tx.execute(LONG, ())).unwrap_err().code(), 1317);
            wait!(tx.execute("INSERT INTO t VALUES (4,0)", ())).unwrap();
            // Killed in the middle, the whole statement is undone.
            let error = wait!(tx.execute("INSERT INTO t SELECT 10 + id, SLEEP(10) FROM t ORDER BY id", ())).unwrap_err();
            assert!(error.is_timeout(), "{error:?}");
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
        with_twin!(case, killing(case.config(), 1500), connection => {
            for _ in 0..2 {
                // Rows come at once, then ever more slowly.
                let sql = "SELECT seq.n, IF(seq.n > 2000, SLEEP(10), REPEAT('x', 1000)) FROM \
                           (WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 3000) \
                           SELECT /*+ SET_VAR(cte_max_recursion_depth = 5000) */ n FROM s) seq";
                wait!(connection.execute("SET @@max_recursive_iterations = 5000", ())).ok();
                let mut n_rows = 0;
                let error = {
                    let mut rows = wait!(connection.query_iter(sql, ())).unwrap();
                    loop {
                        match wait!(rows.next_row()) {
                            Ok(Some(_)) => n_rows += 1,
                            Ok(None) => panic!("it came to its end"),
                            Err(error) => break error,
                        }
                    }
                };
                assert!(error.is_timeout() && !error.is_fatal(), "{error:?}");
                assert!(n_rows > 100, "only {n_rows} rows came");
                assert_eq!(wait!(connection.query_one::<(String,)>("SELECT 'marker'", ())).unwrap().0, "marker");
            }
        });
    });
}

#[test]
fn the_callers_own_time_does_not_count() {
    on_each_server(|case| {
        // The arithmetic is in `pace/tests.rs`, with a clock of its own. Here the caller takes more than the limit, and the server must
        // answer at all within it.
        let limit = Duration::from_millis(1500);
        with_twin!(case, case.config().with_query_timeout(Some(limit)), connection => {
            let mut rows = wait!(connection.query_iter("SELECT 1 UNION SELECT 2 UNION SELECT 3", ())).unwrap();
            let mut n_rows = 0;
            while wait!(rows.next_row()).unwrap().is_some() {
                thread::sleep(limit / 2);
                n_rows += 1;
            }
            assert_eq!(n_rows, 3);
            // Nor does that of an earlier command.
            thread::sleep(limit);
            wait!(connection.ping()).unwrap();
        });
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
        let mut twin = case.open_with(&killing(case.config(), 20));
        let (mut n_late, mut n_in_time, mut sleep_ms) = (0, 0, 15u32);
        let deadline = Instant::now() + Duration::from_secs(60);
        while n_late + n_in_time < 60 || n_late <= 5 || n_in_time <= 5 {
            assert!(Instant::now() < deadline, "{n_late} late, {n_in_time} in time");
            let sql = format!("SELECT BENCHMARK(1, 1), SLEEP({})", f64::from(sleep_ms) / 1000.0);
            match twin.execute(&sql) {
                Ok(_) => (n_in_time, sleep_ms) = (n_in_time + 1, sleep_ms + 1),
                Err(error) => {
                    assert!(error.is_timeout() && !error.is_fatal(), "{error:?}");
                    (n_late, sleep_ms) = (n_late + 1, sleep_ms.saturating_sub(1));
                }
            }
            check_in_step_in_time(&mut twin);
        }
    });
}

#[test]
fn a_kill_that_cannot_be_told_ends_the_connection() {
    on_each_server(|case| {
        let relay = SlowRelay::start(case.server.port, AT_ONCE);
        let config = case.config().with_port(relay.port()).with_connect_timeout(Duration::from_millis(500));
        let mut twin = case.open_with(&killing(config, 200));
        check_in_step(&mut twin);
        relay.hold();
        let error = twin.execute("SELECT 1").unwrap_err();
        assert!(error.is_fatal() && error.is_timeout() && error.message().contains("KILL QUERY failed"), "{error:?}");
        assert!(relay.n_connections() >= 2, "nobody tried");
        assert!(twin.ping().unwrap_err().is_fatal());
    });
}

#[test]
fn a_network_that_swallows_everything() {
    in_cases(servers::with_local_infile(), &[Route::Tcp, Route::Tls], |case| {
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
    let before = Instant::now();
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
    assert!(before.elapsed() < Duration::from_secs(8), "{:?}", before.elapsed());
}

#[test]
fn an_abort_ends_a_transaction_like_anything_else() {
    on_each_server(|case| {
        let Case { shell: Shell::Blocking, .. } = case else { return };
        let schema = table(case);
        let config = killing(case.config().with_database(schema.name()), 20_000);
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
