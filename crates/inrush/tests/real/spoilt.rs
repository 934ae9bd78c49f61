//! Executions that fail by their values: the statement serves the next values all the same, whoever sends them.

use crate::cases::{Case, Route, SHELLS, in_cases};
use crate::twins::with_twin;
use inrush::sans_io::batch::OnBadRow;
use inrush::sans_io::session::{Discard, Execute, Prepare};
use inrush::sans_io::value::Time;
use inrush::sans_io::wire::Vendor;
use inrush::{BatchOptions, Config, InserterOptions, Method, Pool, blocking};
use inrush_testkit::servers::{self, Schema};
use std::sync::LazyLock;

/// Beyond what the servers take of a value, whatever way it goes.
static TOO_LONG: LazyLock<Vec<u8>> = LazyLock::new(|| vec![b'x'; 65 << 20]);
/// Goes ahead of its execution.
static LONG: LazyLock<Vec<u8>> = LazyLock::new(|| vec![b'y'; 300 << 10]);

fn on_each(ty: &str, check: impl Fn(&Case, &Schema, Config) + Sync) {
    in_cases(servers::with_local_infile(), &[Route::Unix], |case| {
        let schema = case.server.schema("spoilt");
        schema.sql(&format!("CREATE TABLE t (id INT PRIMARY KEY, doc {ty}) ENGINE=InnoDB"));
        check(case, &schema, case.config().with_database(schema.name()).with_read_timeout(None));
    });
}

/// The shells take turns with the methods: what is under test is the same on both, and the values are large.
fn is_turn_of(case: &Case, turn: usize) -> bool {
    SHELLS[turn % SHELLS.len()] == case.shell
}

const INSERT: &str = "INSERT INTO t (id, doc) VALUES (?, ?)";

#[track_caller]
fn check_stored(schema: &Schema, want: &[(i32, usize)]) {
    let rows = schema.sql("SELECT id, LENGTH(doc), doc = REPEAT(LEFT(doc, 1), LENGTH(doc)) FROM t ORDER BY id");
    let want: Vec<_> = want.iter().map(|(id, n)| vec![id.to_string(), n.to_string(), "1".to_owned()]).collect();
    assert_eq!(rows, want);
    schema.sql("TRUNCATE t");
}

#[test]
fn a_value_that_is_too_long_fails_alone() {
    on_each("LONGBLOB", |case, schema, config| {
        with_twin!(case, config, connection => {
            for _ in 0..2 {
                let error = wait!(connection.execute(INSERT, (1, &TOO_LONG[..]))).unwrap_err();
                assert!(error.code() == 1105 && !error.is_fatal() && !error.is_outcome_unknown(), "{error:?}");
                wait!(connection.execute(INSERT, (2, &b"z"[..]))).unwrap();
                wait!(connection.execute(INSERT, (3, &LONG[..]))).unwrap();
                // Behind an error of another kind nothing of the long value is left over.
                assert_eq!(wait!(connection.execute(INSERT, (3, &LONG[..]))).unwrap_err().code(), 1062);
                wait!(connection.execute(INSERT, (4, &LONG[1..]))).unwrap();
                assert_eq!(wait!(connection.execute(INSERT, (4, &LONG[..]))).unwrap_err().code(), 1062);
                wait!(connection.execute(INSERT, (5, &b"zz"[..]))).unwrap();
                check_stored(schema, &[(2, 1), (3, LONG.len()), (4, LONG.len() - 1), (5, 2)]);
            }
        });
    });
}

#[test]
fn in_a_pipeline_as_well() {
    on_each("LONGBLOB", |case, schema, config| {
        for mode in [inrush::PipelineMode::On, inrush::PipelineMode::Off] {
            with_twin!(case, config.clone().with_pipeline(mode), connection => {
                let insert = wait!(connection.prepare(INSERT)).unwrap();
                let mut pipeline = connection.pipeline();
                pipeline.execute(&insert, (1, &b"z"[..])).execute(&insert, (2, &TOO_LONG[..]));
                pipeline.execute(&insert, (3, &b"zz"[..])).execute(&insert, (4, &LONG[..]));
                pipeline.execute(&insert, (4, &LONG[..])).execute(&insert, (5, &b"zzz"[..]));
                let replies = wait!(pipeline.run()).unwrap();
                let codes: Vec<_> = replies.iter().map(|reply| reply.as_ref().err().map_or(0, |e| e.code())).collect();
                assert_eq!(codes, [0, 1105, 0, 0, 1062, 0], "{mode:?}");
                check_stored(schema, &[(1, 1), (3, 2), (4, LONG.len()), (5, 3)]);
                // Nothing is left for what comes later either.
                wait!(connection.execute(&insert, (6, &b"z"[..]))).unwrap();
                check_stored(schema, &[(6, 1)]);
            });
        }
    });
}

#[test]
fn in_a_batch_as_well() {
    on_each("LONGBLOB", |case, schema, config| {
        for (turn, method) in [None, Some(Method::MultiRowPrepared)].into_iter().enumerate() {
            if !is_turn_of(case, turn) {
                continue;
            }
            let options = BatchOptions::new().with_method(method);
            let skip = options.clone().with_bad_rows(OnBadRow::Skip);
            with_twin!(case, config, connection => {
                let error = wait!(connection.execute_batch_with(INSERT, &[(1, &TOO_LONG[..])], &options)).unwrap_err();
                assert!(error.code() == 1105 && !error.is_fatal(), "{method:?}: {error:?}");
                for n in 2..5 {
                    wait!(connection.execute_batch_with(INSERT, &[(n, &b"z"[..])], &options)).unwrap();
                }
                let rows = [(5, &b"z"[..]), (6, &TOO_LONG[..]), (7, &LONG[..]), (8, &b"zz"[..])];
                let report = wait!(connection.execute_batch_with(INSERT, &rows, &skip)).unwrap();
                let bad: Vec<_> = report.bad_rows.iter().map(|bad| (bad.row, bad.error.code())).collect();
                assert_eq!(bad, [(1, 1105)], "{method:?}");
                check_stored(schema, &[(2, 1), (3, 1), (4, 1), (5, 1), (7, LONG.len()), (8, 2)]);
            });
        }
    });
}

#[test]
fn through_an_inserter_as_well() {
    on_each("LONGBLOB", |case, schema, config| {
        // One lane, so one connection.
        let options = InserterOptions::new().with_lanes(1).with_columns(["id", "doc"]);
        let ends: Vec<_> = match case.shell {
            crate::cases::Shell::Blocking => {
                let inserter = blocking::Pool::new(&config).unwrap().inserter_with("t", &options).unwrap();
                let first = inserter.insert((0, &TOO_LONG[..]));
                let rest = (1..50).map(|n| match n {
                    25 => (n, &TOO_LONG[..]),
                    _ => (n, &b"z"[..]),
                });
                std::iter::once(first).chain(inserter.insert_many(rest)).collect()
            }
            crate::cases::Shell::Tokio => {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
                runtime.block_on(async {
                    let inserter = Pool::new(&config).unwrap().inserter_with("t", &options).unwrap();
                    let first = inserter.insert((0, &TOO_LONG[..])).await;
                    let rest = (1..50).map(|n| match n {
                        25 => (n, &TOO_LONG[..]),
                        _ => (n, &b"z"[..]),
                    });
                    std::iter::once(first).chain(inserter.insert_many(rest).await).collect()
                })
            }
        };
        let bad: Vec<_> =
            ends.iter().enumerate().filter_map(|(n, end)| Some((n, end.as_ref().err()?.code()))).collect();
        assert_eq!(bad, [(0, 1105), (25, 1105)]);
        let want: Vec<_> = (1..50).filter(|n| *n != 25).map(|n| (n, 1)).collect();
        check_stored(schema, &want);
    });
}

/// More than MySQL takes as a parameter, though the column holds it. MariaDB takes it.
const BEYOND: Time = Time { negative: false, days: 34, hours: 22, minutes: 59, seconds: 0, micros: 1 };
const HOUR: Time = Time { negative: false, days: 0, hours: 1, minutes: 0, seconds: 0, micros: 0 };

#[test]
fn a_value_that_is_refused_leaves_the_types_of_the_next_ones() {
    in_cases(servers::with_local_infile(), &[Route::Unix], |case| {
        let schema = case.server.schema("refused");
        schema.sql("CREATE TABLE t (id INT PRIMARY KEY, a TIME(6), b VARCHAR(20)) ENGINE=InnoDB");
        const INSERT: &str = "INSERT INTO t (id, a, b) VALUES (?, ?, ?)";
        let config = case.config().with_database(schema.name());
        let methods = [None, Some(Method::Prepared), Some(Method::MultiRowPrepared), Some(Method::Pipelined)];
        for (at, method) in methods.into_iter().enumerate() {
            for (turn, bad_row) in [0, 3, 7].into_iter().enumerate() {
                if !is_turn_of(case, at + turn) {
                    continue;
                }
                let options = BatchOptions::new().with_method(method);
                with_twin!(case, config, connection => {
                    let refuses = connection.server_version().vendor == Vendor::MySql;
                    let row = |n: i32, a: Time| (n, a, format!("row {n}"));
                    for round in 0..3 {
                        let rows: Vec<_> =
                            (0..8).map(|n| row(n, if n == bad_row && round < 2 { BEYOND } else { HOUR })).collect();
                        let end = wait!(connection.execute_batch_with(INSERT, &rows, &options)).map(drop);
                        match (&end, refuses && round < 2) {
                            (Err(error), true) => assert!(error.code() == 1690, "{method:?} {bad_row}: {error:?}"),
                            (Ok(()), _) => {}
                            (Err(error), false) => panic!("{method:?} {bad_row} {round}: {error:?}"),
                        }
                        let n_rows: usize = if end.is_ok() { 8 } else { 0 };
                        let whole = "SELECT COUNT(*) FROM t WHERE b = CONCAT('row ', id)";
                        assert_eq!(schema.sql(whole), [[n_rows.to_string()]], "{method:?} {bad_row} {round}");
                        wait!(connection.execute("DELETE FROM t", ())).unwrap();
                    }
                });
            }
        }
        // The same one by one, with values of differing types.
        with_twin!(case, config, connection => {
            let _ = wait!(connection.execute(INSERT, (1, BEYOND, "one")));
            wait!(connection.execute(INSERT, (2, HOUR, "two"))).unwrap();
            let _ = wait!(connection.execute(INSERT, (3, BEYOND, 3)));
            wait!(connection.execute(INSERT, (4, HOUR, 4))).unwrap();
            let mut pipeline = connection.pipeline();
            let insert = inrush::Statement::new(INSERT).unwrap();
            pipeline.execute(&insert, (11, "01:00:00", 11)).execute(&insert, (12, BEYOND, "12"));
            pipeline.execute(&insert, (13, HOUR, "13")).execute(&insert, (14, "01:00:00", 14));
            let replies = wait!(pipeline.run()).unwrap();
            assert!(replies[0].is_ok() && replies[2].is_ok() && replies[3].is_ok(), "{replies:?}");
            let rows = "SELECT GROUP_CONCAT(id, ' ', b ORDER BY id) FROM t WHERE a = '01:00:00'";
            assert_eq!(schema.sql(rows), [["2 two,4 4,11 11,13 13,14 14"]]);
        });
    });
}

/// What the pipeline relies on: an execution that was refused by its values loses no types that an earlier one told well, whether it told
/// them again or not.
#[test]
fn types_that_were_told_well_outlive_values_that_are_refused() {
    in_cases(servers::all(), &[Route::Unix], |case| {
        let schema = case.server.schema("goodtypes");
        let mut connection = case.open_with(&case.config().with_database(schema.name()));
        connection.execute("CREATE TABLE t (id INT PRIMARY KEY, a TIME(6), b VARCHAR(9))").unwrap();
        // id, a, b: 8 (LONGLONG), 11 (TIME), 253 (VAR_STRING).
        const TYPES: &[u8] = &[8, 0, 11, 0, 253, 0];
        let values = |id: i64, beyond: bool| {
            let time: &[u8] =
                if beyond { b"\x0c\0\x22\0\0\0\x16\x3b\x3b\x01\0\0\0" } else { b"\x08\0\0\0\0\0\x01\0\0" };
            [&[0][..], &id.to_le_bytes(), time, b"\x02xy"].concat()
        };
        for tells in [false, true] {
            let insert = connection.run(Prepare::new("INSERT INTO t VALUES (?, ?, ?)")).unwrap();
            let base = if tells { 10 } else { 0 };
            for (id, types, beyond) in [(1, true, false), (2, tells, true), (3, false, false)] {
                let bound = values(base + id, beyond);
                let end = connection.run(Execute::encoded(&insert, types.then_some(TYPES), &bound, &mut Discard));
                assert!(beyond || end.is_ok(), "{tells} {id}: {end:?}");
            }
        }
        let ids = connection.ask("SELECT GROUP_CONCAT(id ORDER BY id) FROM t WHERE b = 'xy' AND a = '01:00:00'");
        assert_eq!(ids, "1,3,11,13");
    });
}
