//! Statements whose answer is lost, by a relay that passes them on and cuts: `is_outcome_unknown()` is true for all that may have had an
//! effect, and false for reads, for what a lost connection rolls back and for what was never sent.

use crate::batch_cancel::until_gone;
use crate::cases::{Case, Route, in_cases};
use crate::twins::with_twin;
use inrush::{Config, Error, Result, blocking};
use inrush_testkit::patience::until;
use inrush_testkit::proxy::cut::{Cut, Relay};
use inrush_testkit::servers::{self, Schema};
use std::cell::Cell;
use std::time::Duration;

/// Runs a piece of work through a relay, of which each case makes its own.
macro_rules! through_relay {
    ($bench:expr, $cut:expr, $connection:ident => $body:expr) => {{
        let relay = Relay::start($bench.case.server.port, $cut);
        let config = $bench.config().with_port(relay.port());
        let end = Cell::new(None);
        let id = Cell::new(0);
        with_twin!($bench.case, config, $connection => {
            id.set($connection.connection_id());
            #[allow(unused_macros)]
            end.set(Some($body));
        });
        assert!(relay.has_cut(), "{:?}", $cut);
        $bench.until_gone(id.get());
        end.take().unwrap()
    }};
}

struct Bench<'a> {
    case: &'a Case,
    schema: Schema,
}

impl Bench<'_> {
    fn config(&self) -> Config {
        self.case.config().with_database(self.schema.name()).with_local_infile(true)
    }

    fn observer(&self) -> blocking::Connection {
        blocking::Connection::connect(self.case.config().with_database(self.schema.name())).unwrap()
    }

    /// Waits until the server has run what it got and knows that the client is gone.
    fn until_gone(&self, id: u32) {
        until_gone(&mut self.observer(), &id.to_string());
    }

    /// What is stored, and forgets it.
    fn take_ids(&self) -> Vec<i64> {
        let mut observer = self.observer();
        let ids: Vec<(i64,)> = observer.query("SELECT id FROM t ORDER BY id FOR UPDATE", ()).unwrap();
        observer.execute("TRUNCATE t", ()).unwrap();
        ids.into_iter().map(|(id,)| id).collect()
    }

    /// It was lost; whether it is stored nobody knows, and it is.
    #[track_caller]
    fn check_unknown<T: std::fmt::Debug>(&self, what: &str, end: Result<T>, stored: &[i64]) {
        let error = end.unwrap_err();
        assert!(error.is_outcome_unknown() && error.is_fatal() && !error.is_retryable(), "{what}: {error:?}");
        assert_eq!(self.take_ids(), stored, "{what}");
    }

    /// It was lost, and it is known that it left nothing.
    #[track_caller]
    fn check_known<T: std::fmt::Debug>(&self, what: &str, end: Result<T>) {
        let error = end.unwrap_err();
        assert!(!error.is_outcome_unknown() && error.is_fatal(), "{what}: {error:?}");
        assert_eq!(self.take_ids(), [0; 0], "{what}");
    }
}

fn on_each(check: impl Fn(&Bench<'_>) + Sync) {
    in_cases(servers::with_local_infile(), &[Route::Tcp], |case| {
        let schema = case.server.schema("lostanswer");
        schema.sql("CREATE TABLE t (id INT PRIMARY KEY) ENGINE=InnoDB");
        schema.sql("CREATE PROCEDURE p(n INT) INSERT INTO t VALUES (n)");
        check(&Bench { case, schema });
    });
}

const INSERT: &str = "INSERT INTO t VALUES (?)";

#[test]
fn of_a_statement_that_commits_by_itself() {
    on_each(|bench| {
        let end = through_relay!(bench, Cut::AfterWrite(1), c => wait!(c.execute("INSERT INTO t VALUES (1)", ())));
        bench.check_unknown("text", end, &[1]);
        let end = through_relay!(bench, Cut::AfterWrite(1), c => wait!(c.execute(INSERT, (2,))));
        bench.check_unknown("prepared", end, &[2]);
        let end = through_relay!(bench, Cut::AfterWrite(2), c => {
            wait!(c.execute(INSERT, (3,))).unwrap();
            wait!(c.execute(INSERT, (4,)))
        });
        bench.check_unknown("kept", end, &[3, 4]);
        let end = through_relay!(bench, Cut::AfterText("CALL"), c => wait!(c.query_result_sets("CALL p(5)", ())));
        bench.check_unknown("call", end, &[5]);
        let end = through_relay!(bench, Cut::AfterWrite(1), c => wait!(c.query::<(i64,)>("CALL p(?)", (6,))));
        bench.check_unknown("prepared call", end, &[6]);
        let end =
            through_relay!(bench, Cut::AfterText("CREATE"), c => wait!(c.execute("CREATE TABLE made (a INT)", ())));
        bench.check_unknown("create", end, &[]);
        assert_eq!(bench.schema.sql("SELECT COUNT(*) FROM made"), [["0"]]);
        bench.schema.sql("DROP TABLE made");
        let end = through_relay!(bench, Cut::AfterText("LOAD DATA"), c => {
            wait!(c.load_local(|name| format!("LOAD DATA LOCAL INFILE '{name}' INTO TABLE t"), b"7\n"))
        });
        bench.check_unknown("load", end, &[]);
        let end = through_relay!(bench, Cut::AfterWrite(1), c => {
            wait!(c.execute_batch(INSERT, &[(8,), (9,)])).map(drop)
        });
        bench.check_unknown("batch", end, &[8, 9]);
    });
}

#[test]
fn of_a_step_of_a_pipeline() {
    on_each(|bench| {
        let end = through_relay!(bench, Cut::AfterWrite(1), c => {
            let mut pipeline = c.pipeline();
            pipeline.query("INSERT INTO t VALUES (1)");
            wait!(pipeline.run()).map(drop)
        });
        bench.check_unknown("text", end, &[1]);
        for (n, stored) in [(1, &[2][..]), (2, &[2, 3])] {
            let end = through_relay!(bench, Cut::AfterWrite(n), c => {
                let insert = wait!(c.prepare(INSERT)).unwrap();
                let mut pipeline = c.pipeline();
                pipeline.execute(&insert, (2,));
                pipeline.execute(&insert, (3,));
                wait!(pipeline.run()).map(drop)
            });
            bench.check_unknown("prepared", end, stored);
        }
        let end = through_relay!(bench, Cut::AfterText("SELECT 1"), c => {
            let mut pipeline = c.pipeline();
            pipeline.query("SELECT 1").ping().query("SELECT COUNT(*) FROM t");
            wait!(pipeline.run()).map(drop)
        });
        bench.check_known("reads", end);
        let end = through_relay!(bench, Cut::AfterText("SET autocommit"), c => {
            let mut pipeline = c.pipeline();
            pipeline.query("SET autocommit = 0").query("INSERT INTO t VALUES (4)").query("INSERT INTO t VALUES (5)");
            pipeline.commit();
            wait!(pipeline.run()).map(drop)
        });
        bench.check_known("before the COMMIT", end);
        let end = through_relay!(bench, Cut::AfterCommit(1), c => {
            let mut pipeline = c.pipeline();
            pipeline.query("SET autocommit = 0").query("INSERT INTO t VALUES (6)").commit();
            wait!(pipeline.run()).map(drop)
        });
        bench.check_unknown("COMMIT", end, &[6]);
    });
}

#[test]
fn of_a_read() {
    on_each(|bench| {
        for sql in ["SELECT id FROM t", "SHOW TABLES", "SET NAMES utf8mb4", "DO SLEEP(0)"] {
            let end = through_relay!(bench, Cut::AfterText(sql), c => wait!(c.execute(sql, ())));
            bench.check_known(sql, end);
        }
        let end = through_relay!(bench, Cut::AfterWrite(1), c => {
            wait!(c.query::<(i64,)>("SELECT COUNT(*) FROM t WHERE id > ?", (1,)))
        });
        bench.check_known("prepared", end);
        // What is prepared has not run yet.
        let end = through_relay!(bench, Cut::AfterText("INSERT"), c => wait!(c.execute(INSERT, (2,))));
        bench.check_known("prepare", end);
        // A function may write.
        let function =
            "CREATE FUNCTION f(n INT) RETURNS INT DETERMINISTIC BEGIN INSERT INTO t VALUES (n); RETURN n; END";
        bench.observer().execute(function, ()).unwrap();
        let end = through_relay!(bench, Cut::AfterText("SELECT f"), c => wait!(c.query::<(i64,)>("SELECT f(3)", ())));
        bench.check_unknown("function", end, &[3]);
        bench.schema.sql("DROP FUNCTION f");
    });
}

#[test]
fn in_a_transaction() {
    on_each(|bench| {
        let end = through_relay!(bench, Cut::AfterWrite(2), c => {
            let mut tx = wait!(c.begin()).unwrap();
            wait!(tx.execute("INSERT INTO t VALUES (1)", ())).unwrap();
            wait!(tx.execute("INSERT INTO t VALUES (2)", ()))
        });
        bench.check_known("guarded", end);
        let end = through_relay!(bench, Cut::AfterWrite(1), c => {
            wait!(c.execute("BEGIN", ())).unwrap();
            wait!(c.execute(INSERT, (3,)))
        });
        bench.check_known("begun by text", end);
        let end = through_relay!(bench, Cut::AfterWrite(1), c => {
            wait!(c.execute("SET autocommit = 0", ())).unwrap();
            wait!(c.execute(INSERT, (4,)))
        });
        bench.check_known("without autocommit", end);
        let end = through_relay!(bench, Cut::AfterText("COMMIT"), c => {
            wait!(c.execute("BEGIN", ())).unwrap();
            wait!(c.execute(INSERT, (5,))).unwrap();
            wait!(c.execute("COMMIT", ()))
        });
        bench.check_unknown("COMMIT as text", end, &[5]);
        let end = through_relay!(bench, Cut::AfterText("CREATE"), c => {
            let mut tx = wait!(c.begin()).unwrap();
            wait!(tx.execute(INSERT, (6,))).unwrap();
            wait!(tx.execute("CREATE TABLE IF NOT EXISTS made (a INT)", ()))
        });
        bench.check_unknown("what commits without a word", end, &[6]);
        let end = through_relay!(bench, Cut::AfterText("ROLLBACK"), c => {
            wait!(c.execute("BEGIN", ())).unwrap();
            wait!(c.execute(INSERT, (7,))).unwrap();
            wait!(c.execute("ROLLBACK", ()))
        });
        bench.check_known("ROLLBACK", end);
        let end = through_relay!(bench, Cut::AfterWrite(3), c => {
            wait!(c.execute("BEGIN", ())).unwrap();
            wait!(c.execute(INSERT, (8,))).unwrap();
            wait!(c.execute(INSERT, (8,))).unwrap_err();
            wait!(c.execute(INSERT, (9,)))
        });
        // An error may have ended the transaction; this one has not.
        bench.check_unknown("behind an error", end, &[]);
    });
}

/// The time-out passes while the statement waits for a lock; the server goes on once it gets that.
#[test]
fn of_a_statement_beyond_its_time() {
    on_each(|bench| {
        let limit = Some(Duration::from_secs(1));
        for is_text in [true, false] {
            let mut holder = bench.observer();
            holder.execute("BEGIN", ()).unwrap();
            holder.execute("INSERT INTO t VALUES (1)", ()).unwrap();
            let end = Cell::new(None);
            with_twin!(bench.case, bench.config(), c => {
                // Only the statement itself is to be late.
                wait!(c.prepare(INSERT)).unwrap();
                c.set_query_timeout(limit);
                end.set(Some(match is_text {
                    true => wait!(c.execute("INSERT INTO t VALUES (1)", ())),
                    false => wait!(c.execute(INSERT, (1,))),
                }));
            });
            let error = end.take().unwrap().unwrap_err();
            assert!(error.is_timeout() && error.is_fatal() && error.is_outcome_unknown(), "{is_text}: {error:?}");
            holder.execute("ROLLBACK", ()).unwrap();
            until_stored(bench, &mut holder);
            with_twin!(bench.case, bench.config().with_query_timeout(limit), c => {
                end.set(Some(wait!(c.execute("SELECT SLEEP(30)", ()))));
            });
            let error = end.take().unwrap().unwrap_err();
            assert!(error.is_timeout() && !error.is_outcome_unknown(), "{error:?}");
        }
    });
}

/// Killed: it is known that nothing is stored. The KILL cannot be sent: nobody knows.
#[test]
fn of_a_statement_that_is_killed() {
    on_each(|bench| {
        let config = bench.config().with_kill_on_timeout(true);
        let limit = Some(Duration::from_secs(1));
        let mut holder = bench.observer();
        holder.execute("BEGIN", ()).unwrap();
        holder.execute("INSERT INTO t VALUES (1)", ()).unwrap();
        let end = Cell::new(None);
        with_twin!(bench.case, config, c => {
            wait!(c.prepare(INSERT)).unwrap();
            c.set_query_timeout(limit);
            end.set(Some(wait!(c.execute(INSERT, (1,)))));
            c.set_query_timeout(None);
            wait!(c.ping()).unwrap();
        });
        let error = end.take().unwrap().unwrap_err();
        assert!(error.code() == 1317 && !error.is_fatal() && !error.is_outcome_unknown(), "{error:?}");
        // Whoever comes after the first one is turned away.
        let relay = Relay::start(bench.case.server.port, Cut::AfterText("nothing"));
        let config = config.with_port(relay.port());
        let mut relay = Some(relay);
        with_twin!(bench.case, config, c => {
            wait!(c.prepare(INSERT)).unwrap();
            c.set_query_timeout(limit);
            drop(relay.take());
            end.set(Some(wait!(c.execute(INSERT, (1,)))));
        });
        let error = end.take().unwrap().unwrap_err();
        assert!(error.is_timeout() && error.is_fatal() && error.is_outcome_unknown(), "{error:?}");
        holder.execute("ROLLBACK", ()).unwrap();
        until_stored(bench, &mut holder);
    });
}

#[test]
fn of_what_was_never_sent() {
    on_each(|bench| {
        let end = through_relay!(bench, Cut::AfterWrite(1), c => {
            wait!(c.execute(INSERT, (1,))).unwrap_err();
            // The connection is dead already.
            let again: Error = wait!(c.execute("INSERT INTO t VALUES (2)", ())).unwrap_err();
            assert!(!again.is_outcome_unknown(), "{again:?}");
            let batch = wait!(c.execute_batch(INSERT, &[(3,)])).map(drop).unwrap_err();
            assert!(!batch.is_outcome_unknown(), "{batch:?}");
            Err::<(), _>(again)
        });
        assert!(end.is_err());
        assert_eq!(bench.take_ids(), [1]);
        let nobody = bench.config().with_port(1);
        let error = blocking::Connection::connect(&nobody).unwrap_err();
        assert!(!error.is_outcome_unknown(), "{error:?}");
    });
}

/// Another thread ends the connection.
#[test]
fn of_a_statement_that_is_aborted() {
    on_each(|bench| {
        let mut holder = bench.observer();
        holder.execute("BEGIN", ()).unwrap();
        holder.execute("INSERT INTO t VALUES (1)", ()).unwrap();
        let mut connection = blocking::Connection::connect(bench.config()).unwrap();
        let aborter = connection.aborter();
        let id = connection.connection_id();
        let error = std::thread::scope(|scope| {
            let waiting = scope.spawn(|| connection.execute(INSERT, (1,)).unwrap_err());
            let mut observer = bench.observer();
            let running = "SELECT COUNT(*) FROM /*!80022 performance_schema*//*M!100000 information_schema*/.processlist WHERE id = ? AND command = 'Execute'";
            until("the statement", || observer.query_one::<(i64,)>(running, (id,)).unwrap().0 > 0);
            aborter.abort();
            waiting.join().unwrap()
        });
        assert!(error.kind() == inrush::Kind::Interrupted && error.is_outcome_unknown(), "{error:?}");
        holder.execute("ROLLBACK", ()).unwrap();
        until_stored(bench, &mut holder);
    });
}

/// Waits until row 1 is there, and takes it away.
#[track_caller]
fn until_stored(bench: &Bench<'_>, observer: &mut blocking::Connection) {
    until("row 1", || !observer.query::<(i64,)>("SELECT id FROM t FOR UPDATE", ()).unwrap().is_empty());
    assert_eq!(bench.take_ids(), [1]);
}
