//! Batches whose connection is lost, by a relay that cuts it: the error tells the truth about the rows. What is said to be stored is, what
//! is said not to be is not, and only where nobody can know is it said so.

use crate::batch_cancel::until_gone;
use crate::batches::methods;
use crate::cases::{Case, Route, Shell, in_cases};
use crate::twins::with_twin;
use inrush::sans_io::write::RowsPerCommand;
use inrush::{BatchOptions, Error, Method, blocking};
use inrush_testkit::proxy::cut::{Cut, Relay};
use inrush_testkit::servers::{self, Schema};
use std::cell::{Cell, RefCell};

const INSERT: &str = "INSERT INTO t (run, n) VALUES (?, ?)";
const N_ROWS: u32 = 8;

/// What a batch stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Around {
    /// It is one command, if the method allows.
    Nothing,
    /// It is several commands, so a transaction of its own.
    Own,
    /// A transaction of the caller's.
    Transaction,
}

struct Bench<'a> {
    case: &'a Case,
    schema: Schema,
    next: Cell<u32>,
    observer: RefCell<blocking::Connection>,
}

/// Each method, its shell by turns: what is under test is the same on both, and the other cases are in the twin's turn.
#[track_caller]
fn with_methods(check: impl Fn(&Bench<'_>, Method) + Sync) {
    in_cases(servers::with_local_infile(), &[Route::Tcp], |case| {
        let schema = case.server.schema("cutbatch");
        schema.sql("CREATE TABLE t (run INT, n INT, KEY (run)) ENGINE=InnoDB");
        let observer = blocking::Connection::connect(case.config().with_database(schema.name())).unwrap();
        let bench = Bench { case, schema, next: Cell::new(0), observer: observer.into() };
        for (turn, method) in methods(case).into_iter().enumerate() {
            if (turn % 2 == 0) == (case.shell == Shell::Tokio) {
                check(&bench, method);
            }
        }
    });
}

impl Bench<'_> {
    /// Runs a batch through a relay that cuts. What it came to, and how many rows are stored once the server has noticed; None: there
    /// was no connection to begin with.
    fn run(&self, method: Method, around: Around, cut: Cut) -> Option<(Result<(), Error>, u32)> {
        let run = self.next.replace(self.next.get() + 1);
        let relay = Relay::start(self.case.server.port, cut);
        let config = self.case.config().with_port(relay.port()).with_database(self.schema.name());
        let config = config.with_local_infile(true).with_multi_statements(true);
        let rows: Vec<_> = (0..N_ROWS).map(|n| (run, n)).collect();
        let options = BatchOptions::new().with_method(method);
        let options = if around == Around::Nothing { options } else { options.with_rows(3) };
        if blocking::Connection::connect(&config).is_err() {
            return None;
        }
        let end = Cell::new(None);
        let id = Cell::new(0);
        // The first connection has used up some of the bytes.
        let relay = Relay::start(self.case.server.port, cut);
        let config = config.with_port(relay.port());
        with_twin!(self.case, config, connection => {
            id.set(connection.connection_id());
            end.set(Some(match around {
                Around::Nothing | Around::Own => wait!(connection.execute_batch_with(INSERT, &rows, &options)).map(drop),
                Around::Transaction => {
                    let mut tx = wait!(connection.begin());
                    let written = match &mut tx {
                        Ok(tx) => wait!(tx.execute_batch_with(INSERT, &rows, &options)).map(drop),
                        Err(_) => Ok(()),
                    };
                    match (tx, written) {
                        (Err(error), _) => Err(error),
                        (Ok(tx), Ok(())) => wait!(tx.commit()),
                        (Ok(tx), Err(error)) => {
                            assert!(error.is_fatal() && !error.is_outcome_unknown(), "{method}: {error:?}");
                            let late = wait!(tx.commit()).unwrap_err();
                            assert!(!late.is_outcome_unknown(), "{method}: {late:?}");
                            Err(error)
                        }
                    }
                }
            }));
        });
        let end = end.take().unwrap();
        let mut observer = self.observer.borrow_mut();
        until_gone(&mut observer, &id.get().to_string());
        let (count,): (u32,) = observer.query_one("SELECT COUNT(*) FROM t WHERE run = ? FOR UPDATE", (run,)).unwrap();
        match &end {
            Ok(()) => assert_eq!(count, N_ROWS, "{method} {around:?} {cut:?}"),
            Err(error) => {
                assert!(error.is_fatal(), "{method} {around:?} {cut:?}: {error:?}");
                let may_be: &[u32] = if error.is_outcome_unknown() { &[0, N_ROWS] } else { &[0] };
                assert!(may_be.contains(&count), "{method} {around:?} {cut:?}: {count} rows, and {error:?}");
            }
        }
        Some((end, count))
    }
}

/// Nobody knows whether a COMMIT came through whose answer is missing, whether it did or not.
#[test]
fn at_the_commit() {
    with_methods(|bench, method| {
        for around in [Around::Own, Around::Transaction] {
            for (cut, stored) in [(Cut::AfterCommit(1), N_ROWS), (Cut::BeforeCommit(1), 0)] {
                let (end, count) = bench.run(method, around, cut).unwrap();
                assert_eq!(count, stored, "{method} {around:?} {cut:?}");
                assert!(end.unwrap_err().is_outcome_unknown(), "{method} {around:?} {cut:?}");
            }
        }
    });
}

/// The answer to each command with rows is lost: in a transaction nothing is stored, and that is known.
#[test]
fn at_each_answer() {
    with_methods(|bench, method| {
        // Neither is seen by the relay, or it is all of the batch.
        if matches!(method, Method::LoadData) {
            return;
        }
        for n in 1..=3 {
            for around in [Around::Own, Around::Transaction] {
                let (end, count) = bench.run(method, around, Cut::AfterWrite(n)).unwrap();
                // A method may need fewer commands.
                let Err(error) = end else {
                    assert!(n > 1, "{method} {around:?} {n}");
                    continue;
                };
                assert!(!error.is_outcome_unknown() && count == 0, "{method} {around:?} {n}: {error:?}");
            }
        }
        if method.rows_per_command() == RowsPerCommand::Many {
            let (end, count) = bench.run(method, Around::Nothing, Cut::AfterWrite(1)).unwrap();
            assert!(end.unwrap_err().is_outcome_unknown(), "{method}");
            assert_eq!(count, N_ROWS, "{method}");
        }
    });
}

/// Wherever the bytes end.
#[test]
fn at_any_byte() {
    with_methods(|bench, method| {
        for around in [Around::Nothing, Around::Own, Around::Transaction] {
            let mut n_lost = 0;
            // Another start for each: together they meet many places.
            let strides = (300 + 37 * u64::from(bench.next.get() % 11)..9_000).step_by(397);
            for limit in strides {
                match bench.run(method, around, Cut::AfterBytes(limit)) {
                    Some((Ok(()), _)) => break,
                    Some((Err(_), _)) => n_lost += 1,
                    None => {}
                }
            }
            assert!(n_lost >= 2, "{method} {around:?}: {n_lost}");
        }
    });
}

/// The caller's transaction is gone with the connection, whatever its batch failed by: to take it for open, or the bad row for all that
/// happened, would lose what came before.
#[test]
fn at_the_rollback_to_the_start_of_a_batch() {
    with_methods(|bench, method| {
        for cut in [Cut::BeforeUndo(1), Cut::AfterUndo(1)] {
            bench.schema.sql("DROP TABLE IF EXISTS k");
            bench.schema.sql("CREATE TABLE k (n INT PRIMARY KEY) ENGINE=InnoDB");
            bench.schema.sql("INSERT INTO k VALUES (5)");
            let relay = Relay::start(bench.case.server.port, cut);
            let config = bench.case.config().with_port(relay.port()).with_database(bench.schema.name());
            let config = config.with_local_infile(true).with_multi_statements(true);
            let options = BatchOptions::new().with_method(method);
            let rows: Vec<_> = (0..N_ROWS).map(|n| (n,)).collect();
            with_twin!(bench.case, config, connection => {
                let id = connection.connection_id();
                let mut tx = wait!(connection.begin()).unwrap();
                wait!(tx.execute("INSERT INTO k VALUES (100)", ())).unwrap();
                let error = wait!(tx.execute_batch_with("INSERT INTO k VALUES (?)", &rows, &options)).unwrap_err();
                assert!(error.is_fatal() && error.code() == 0 && error.row().is_none(), "{method} {cut:?}: {error:?}");
                assert!(!error.is_outcome_unknown(), "{method} {cut:?}: {error:?}");
                assert!(relay.has_cut() && tx.session().is_dead(), "{method} {cut:?}");
                assert!(!wait!(tx.commit()).unwrap_err().is_outcome_unknown());
                until_gone(&mut bench.observer.borrow_mut(), &id.to_string());
            });
            assert_eq!(bench.schema.sql("SELECT COUNT(*) FROM k"), [["1"]], "{method} {cut:?}");
        }
    });
}
