//! Batches under fire: bad rows anywhere, statements and connections that are killed, time that runs out. All or nothing, and the row
//! that is named is the bad one.

use crate::batch_cancel::until_gone;
use crate::batches::methods;
use crate::cases::{Case, Route, Shell, in_cases};
use crate::twins::with_twin;
use inrush::sans_io::write::RowsPerCommand;
use inrush::{BatchOptions, Config, Method, OnBadRow, blocking};
use inrush_testkit::patience::{patience, until};
use inrush_testkit::servers;
use std::thread::spawn;
use std::time::Duration;

const INSERT: &str = "INSERT INTO t VALUES (?)";

/// Each method on each server, by one shell or the other: the twins differ in nothing that is tested here.
#[track_caller]
pub(crate) fn by_turns(label: &str, check: impl Fn(&Case, &Config, Method) + Sync) {
    in_cases(servers::with_local_infile(), &[Route::Tcp], |case| {
        let schema = case.server.schema(label);
        let config = case.config().with_database(schema.name()).with_local_infile(true).with_multi_statements(true);
        for (turn, method) in methods(case).into_iter().enumerate() {
            if (turn % 2 == 0) == (case.shell == Shell::Tokio) {
                check(case, &config, method);
            }
        }
    });
}

/// A key that is taken, and a value that a trigger refuses in words that name another row.
const TAKEN: u32 = 7_000_000;
const SIGNALLED: u32 = 8_000_000;

#[test]
fn one_bad_row_at_the_start_in_the_middle_at_the_end() {
    by_turns("onebad", |case, config, method| {
        with_twin!(case, config.clone(), connection => {
            wait!(connection.execute("DROP TABLE IF EXISTS t", ())).unwrap();
            wait!(connection.execute("CREATE TABLE t (n INT UNSIGNED PRIMARY KEY)", ())).unwrap();
            wait!(connection.execute(&format!("INSERT INTO t VALUES ({TAKEN})"), ())).unwrap();
            let refuses = format!("IF NEW.n = {SIGNALLED} THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'no good at row 1'; END IF");
            wait!(connection.execute(&format!("CREATE TRIGGER refuses BEFORE INSERT ON t FOR EACH ROW {refuses}"), ())).unwrap();
            let n_rows: usize = if method.rows_per_command() == RowsPerCommand::Single { 200 } else { 5000 };
            for (at, value, code) in [(0, TAKEN, 1062), (n_rows / 2, SIGNALLED, 1644), (n_rows - 1, TAKEN, 1062)] {
                let mut rows: Vec<_> = (0..n_rows as u32).map(|n| (n,)).collect();
                rows[at].0 = value;
                let options = BatchOptions::new().with_method(method);
                let error = wait!(connection.execute_batch_with(INSERT, &rows, &options)).unwrap_err();
                assert_eq!((error.code(), error.row()), (code, Some(at as u64)), "{method}: {error}");
                assert_eq!(wait!(connection.query_one::<(usize,)>("SELECT COUNT(*) FROM t", ())).unwrap().0, 1, "{method}");
                if value == TAKEN && at > 0 {
                    continue;
                }
                let skip = options.with_bad_rows(OnBadRow::Skip);
                let report = wait!(connection.execute_batch_with(INSERT, &rows, &skip)).unwrap();
                let bad: Vec<_> = report.bad_rows.iter().map(|bad| (bad.row, bad.error.code())).collect();
                assert_eq!(bad, [(at as u64, code)], "{method}");
                assert_eq!((report.n_rows, report.affected), (n_rows as u64 - 1, n_rows as u64 - 1), "{method}");
                let sums = wait!(connection.query_one::<(usize, usize)>("SELECT COUNT(*), COUNT(DISTINCT n) FROM t", ())).unwrap();
                assert_eq!(sums, (n_rows, n_rows), "{method}");
                wait!(connection.execute(&format!("DELETE FROM t WHERE n < {TAKEN}"), ())).unwrap();
            }
        });
    });
}

/// Runs a batch of which one row takes far longer than anybody waits; `meanwhile` is done as soon as it does. Whatever the error is,
/// nothing is stored.
#[track_caller]
fn slowly(
    label: &str,
    change: fn(Config) -> Config,
    meanwhile: Option<fn(&mut blocking::Connection, u32)>,
    judge: fn(Method, &inrush::Error),
) {
    by_turns(label, |case, config, method| {
        let mut observer = blocking::Connection::connect(config).unwrap();
        observer.execute("DROP TABLE IF EXISTS t", ()).unwrap();
        observer.execute("CREATE TABLE t (n INT UNSIGNED PRIMARY KEY)", ()).unwrap();
        let long = 2 * patience().as_secs();
        let waits = format!("FOR EACH ROW IF NEW.n = 150 THEN DO SLEEP({long}); END IF");
        observer.execute(&format!("CREATE TRIGGER waits BEFORE INSERT ON t {waits}"), ()).unwrap();
        let rows: Vec<_> = (0..300).map(|n| (n,)).collect();
        let options = BatchOptions::new().with_method(method).with_rows(100);
        with_twin!(case, change(config.clone()), connection => {
            let id = connection.connection_id();
            let mut other = blocking::Connection::connect(config).unwrap();
            let thread = spawn(move || {
                let Some(meanwhile) = meanwhile else { return };
                let sleeps = "SELECT COUNT(*) FROM /*!80022 performance_schema*//*M!100000 information_schema*/.processlist WHERE id = ? AND state = 'User sleep'";
                let what = format!("{method}: the row that takes long");
                until(what, || other.query_one::<(u32,)>(sleeps, (id,)).unwrap().0 > 0);
                meanwhile(&mut other, id);
            });
            let error = wait!(connection.execute_batch_with(INSERT, &rows, &options)).unwrap_err();
            judge(method, &error);
            thread.join().unwrap();
            assert_eq!(connection.session().is_dead(), error.is_fatal(), "{method}: {error:?}");
            match error.is_fatal() {
                true => {
                    // A server that sleeps does not notice by itself that nobody listens any more.
                    let _ = observer.execute(&format!("KILL {id}"), ());
                    until_gone(&mut observer, &id.to_string());
                }
                false => {
                    assert!(!connection.session().in_transaction(), "{method}");
                    assert_eq!(wait!(connection.query_one::<(u8,)>("SELECT @@autocommit", ())).unwrap().0, 1, "{method}");
                }
            }
            assert_eq!(observer.query_one::<(u32,)>("SELECT COUNT(*) FROM t FOR UPDATE", ()).unwrap().0, 0, "{method}: {error}");
        });
    });
}

#[test]
fn a_killed_statement_undoes_the_batch() {
    slowly(
        "killquery",
        |config| config,
        Some(|other, id| drop(other.execute(&format!("KILL QUERY {id}"), ()).unwrap())),
        |method, error| {
            assert!(error.code() == 1317 && !error.is_fatal() && !error.is_outcome_unknown(), "{method}: {error:?}");
        },
    );
}

/// Of several commands none is committed, and that is known.
#[test]
fn a_killed_connection_undoes_the_batch() {
    slowly(
        "killall",
        |config| config,
        Some(|other, id| drop(other.execute(&format!("KILL {id}"), ()).unwrap())),
        |method, error| {
            assert!(error.is_fatal(), "{method}: {error:?}");
            assert!(!error.is_outcome_unknown() || method == Method::Bulk, "{method}: {error:?}");
        },
    );
}

#[test]
fn time_that_runs_out_undoes_the_batch() {
    // Wherever it runs out: on a machine that is not busy, at the row that takes long.
    let change = |config: Config| config.with_query_timeout(Some(Duration::from_secs(3)));
    slowly("timeout", change, None, |method, error| {
        assert!(error.is_timeout(), "{method}: {error:?}");
        assert!(!error.is_outcome_unknown() || method == Method::Bulk, "{method}: {error:?}");
    });
}
