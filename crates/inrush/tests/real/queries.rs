//! Statements with values, typed rows, streams, and the statements a connection keeps.

use crate::cases::{Case, Route, Shell, Twin, everywhere, in_cases};
use crate::twins::with_twin;
use inrush::{Kind, Reason, Result, blocking, params};
use inrush_testkit::servers::{all, with_local_infile};

/// The same call on either twin.
macro_rules! call {
    ($twin:expr, $connection:ident => $call:expr) => {
        match $twin {
            Twin::Blocking($connection) => $call,
            Twin::Tokio($connection, runtime) => runtime.block_on($call),
        }
    };
}

/// Reads a stream: at most `most` rows of each result, each row as one text.
fn read(twin: &mut Twin, sql: &str, most: usize) -> Result<Vec<Vec<String>>> {
    macro_rules! read {
        ($connection:expr $(, $wait:tt)?) => {{
            let mut rows = $connection.query_iter(sql, ())$(.$wait)??;
            let mut results = Vec::new();
            loop {
                let mut texts = Vec::new();
                while texts.len() < most {
                    let Some(row) = rows.next_row()$(.$wait)?? else { break };
                    texts.push(row.values().map(|value| value.unwrap().to_string()).collect::<Vec<_>>().join(","));
                }
                results.push(texts);
                if most == 0 || !rows.next_result()$(.$wait)?? {
                    return Ok(results);
                }
            }
        }};
    }
    match twin {
        Twin::Blocking(connection) => read!(connection),
        Twin::Tokio(connection, runtime) => runtime.block_on(async { read!(connection, await) }),
    }
}

fn people(case: &Case, test: impl FnOnce(&mut Twin)) {
    let schema = case.server.schema("people");
    let mut twin = case.open_with(&case.config().with_database(schema.name()).with_multi_statements(true));
    twin.execute("CREATE TABLE people (id INT PRIMARY KEY, name VARCHAR(50), age INT UNSIGNED, born DATE)").unwrap();
    twin.execute("INSERT INTO people VALUES (1, 'Ann', 40, '1984-02-29'), (2, 'Bob', NULL, NULL)").unwrap();
    test(&mut twin);
}

type Person = (i32, String, Option<u8>, Option<String>);

#[test]
fn rows_as_tuples_by_text_and_by_values() {
    everywhere(|case| {
        people(case, |twin| {
            let ann = (1, "Ann".to_owned(), Some(40), Some("1984-02-29".to_owned()));
            let bob = (2, "Bob".to_owned(), None, None);
            let sql = "SELECT * FROM people ORDER BY id";
            let by_text: Vec<Person> = call!(twin, c => c.query(sql, ())).unwrap();
            assert_eq!(by_text, [ann.clone(), bob.clone()]);
            let sql = "SELECT * FROM people WHERE id >= ? ORDER BY id";
            let by_values: Vec<Person> = call!(twin, c => c.query(sql, (1,))).unwrap();
            assert_eq!(by_values, [ann.clone(), bob.clone()]);
            let one: Person = call!(twin, c => c.query_one(sql, [2])).unwrap();
            assert_eq!(one, bob);
            let first: Option<Person> = call!(twin, c => c.query_first(sql, [1])).unwrap();
            assert_eq!(first.as_ref(), Some(&ann));
            let none: Option<Person> = call!(twin, c => c.query_opt(sql, (3,))).unwrap();
            assert_eq!(none, None);
            let error = call!(twin, c => c.query_one::<Person>(sql, (3,))).unwrap_err();
            assert_eq!((error.kind(), error.message()), (Kind::Data, "the query returned no row"));
        });
    });
}

#[test]
fn values_by_name() {
    everywhere(|case| {
        people(case, |twin| {
            let name = "O'Neil \\ 🦀".to_owned();
            let insert = "INSERT INTO people (id, name, age) VALUES (:id, :name, :id + :more)";
            let outcome =
                call!(twin, c => c.execute(insert, params! { "name" => name, "more" => 2u8, "id" => 7 })).unwrap();
            assert_eq!(outcome.affected, 1);
            let statement = call!(twin, c => c.prepare("SELECT name, age FROM people WHERE id = :id")).unwrap();
            let row: (String, u64) = call!(twin, c => c.query_one(&statement, params! { "id" => 7 })).unwrap();
            assert_eq!(row, (name.clone(), 9));
            // By position as well: each name stands for one place.
            let row: (String, u64) = call!(twin, c => c.query_one(&statement, (7,))).unwrap();
            assert_eq!(row.0, name);
            let error = call!(twin, c => c.execute(&statement, params! { "other" => 7 })).unwrap_err();
            assert_eq!(error.message(), "the statement has no placeholder `:other`");
            assert_eq!(twin.ask("SELECT 'usable'"), "usable");
        });
    });
}

#[test]
fn a_row_that_does_not_fit_costs_nothing_but_itself() {
    everywhere(|case| {
        people(case, |twin| {
            let error =
                call!(twin, c => c.query::<(i32, u8)>("SELECT id, age FROM people ORDER BY id", ())).unwrap_err();
            assert!(error.message().starts_with("column `age` holds NULL, which is not a whole number"), "{error}");
            let error = call!(twin, c => c.query::<(i8,)>("SELECT 300 WHERE 1 = ?", (1,))).unwrap_err();
            assert!(error.message().ends_with("holds `300`, which is not a whole number that fits `i8`"), "{error}");
            let error = call!(twin, c => c.query::<(i8,)>("SELECT 1, 2", ())).unwrap_err();
            assert_eq!(error.message(), "a row of 2 columns is not one of 1");
            let error = call!(twin, c => c.execute("SELECT ?", (1, 2))).unwrap_err();
            assert_eq!((error.kind(), error.message()), (Kind::Config, "the statement takes 1 values, not 2"));
            assert_eq!(twin.ask("SELECT 'usable'"), "usable");
        });
    });
}

#[test]
fn statements_are_prepared_once_and_closed_when_dropped() {
    everywhere(|case| {
        let mut twin = case.open_with(&case.config().with_statement_cache(2));
        let ask = |twin: &mut Twin, n: u32| {
            let sql = format!("SELECT ? + {n}");
            let (sum,): (u32,) = call!(twin, c => c.query_one(&sql, (1,))).unwrap();
            assert_eq!(sum, 1 + n);
        };
        let counted = |twin: &mut Twin| {
            let names = ["Com_stmt_prepare", "Com_stmt_execute", "Com_stmt_close"];
            names.map(|name| {
                let rows = &twin.query(&format!("SHOW SESSION STATUS LIKE '{name}'")).unwrap()[0];
                rows.value(0, 1).unwrap().as_u64().unwrap()
            })
        };
        for n in [1, 2, 1, 2, 1, 1] {
            ask(&mut twin, n);
        }
        assert_eq!(counted(&mut twin), [2, 6, 0]);
        // 2 was unused for longest.
        ask(&mut twin, 3);
        ask(&mut twin, 1);
        assert_eq!(counted(&mut twin), [3, 8, 1]);
        assert_eq!(twin.session().statements().len(), 2);
        twin.reset().unwrap();
        ask(&mut twin, 1);
        assert_eq!(twin.session().statements().len(), 1);
    });
}

#[test]
fn values_longer_than_a_packet_may_be() {
    in_cases(all(), &[Route::Unix], |case| {
        let schema = case.server.schema("long");
        let mut twin = case.open_with(&case.config().with_database(schema.name()));
        twin.execute("CREATE TABLE t (id INT, a LONGTEXT, b LONGBLOB, c VARCHAR(10))").unwrap();
        // Each fits a packet, and on MariaDB, whose packets have 16 MiB, both together do not.
        let most = twin.max_allowed_packet().unwrap().min(16 << 20) as usize;
        let (text, bytes) = ("grün🦀".repeat(most / 11), vec![0xFFu8; most / 2 + 100_000]);
        let none: Option<&str> = None;
        for id in 0..2 {
            let insert = "INSERT INTO t VALUES (?, ?, ?, ?)";
            assert_eq!(call!(&mut twin, c => c.execute(insert, (id, &text, &bytes, none))).unwrap().affected, 1);
        }
        let sql = "SELECT COUNT(*), SUM(a = ?), SUM(b = ?), SUM(c IS NULL) FROM t";
        let sums: (u8, u8, u8, u8) = call!(&mut twin, c => c.query_one(sql, (&text, &bytes))).unwrap();
        assert_eq!(sums, (2, 2, 2, 2));
        // What the server finds wrong with long data it says at the execution, and the statement lives on.
        let error = call!(&mut twin, c => c.execute("INSERT INTO t (c) VALUES (?)", (&text,))).unwrap_err();
        assert_eq!(error.code(), 1406, "{error}");
        assert_eq!(call!(&mut twin, c => c.execute("INSERT INTO t (c) VALUES (?)", ("short",))).unwrap().affected, 1);
    });
}

#[test]
fn streams_give_every_row_once() {
    everywhere(|case| {
        people(case, |twin| {
            let all =
                read(twin, "SELECT id FROM people ORDER BY id; SELECT 'x', 'y'; SET @a = 1; SELECT 1 WHERE 1 = 0", 9);
            assert_eq!(all.unwrap(), [vec!["1", "2"], vec!["x,y"], vec![], vec![]]);
            // Stopped early: in a result, before the next, before any row.
            for most in [1, 0] {
                let sql = "SELECT id FROM people UNION ALL SELECT 3 UNION ALL SELECT 4; SELECT 7";
                assert_eq!(read(twin, sql, most).unwrap()[0].len(), most);
                assert_eq!(twin.ask("SELECT 'in step'"), "in step");
            }
            assert_eq!(read(twin, "SELECT nothing", 9).unwrap_err().code(), 1054);
            assert_eq!(read(twin, "SELECT 1; SELECT nothing", 9).unwrap_err().code(), 1054);
            assert_eq!(read(twin, "DO 1", 9).unwrap(), [Vec::<String>::new()]);
            assert_eq!(twin.ask("SELECT 'in step'"), "in step");
        });
    });
}

#[test]
fn a_large_stream_is_read_in_little_memory_and_may_be_left() {
    in_cases(all(), &[Route::Tcp], |case| {
        let mut twin = case.open_with(&case.config().with_max_result(1 << 20));
        let digits = "(SELECT 0 n UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4)";
        let from: Vec<_> = (0..7).map(|i| format!("{digits} t{i}")).collect();
        let sql = format!("SELECT REPEAT('x', 100) FROM {}", from.join(", "));
        assert_eq!(call!(&mut twin, c => c.query::<(String,)>(&sql, ())).unwrap_err().kind(), Kind::Config);
        let mut twin = case.open();
        assert_eq!(read(&mut twin, &sql, usize::MAX).unwrap()[0].len(), 78_125);
        assert_eq!(read(&mut twin, &sql, 1).unwrap()[0].len(), 1);
        assert_eq!(twin.ask("SELECT 'in step'"), "in step");
    });
}

#[test]
fn warnings_can_be_asked_for() {
    everywhere(|case| {
        let mut twin = case.open();
        let outcome = twin.execute("SELECT CAST('12abc' AS UNSIGNED)").unwrap();
        assert_eq!(outcome.warnings, 1);
        let warnings = call!(&mut twin, c => c.warnings()).unwrap();
        assert_eq!((warnings[0].code, &*warnings[0].level), (1292, "Warning"));
    });
}

/// 40 MB in 200,000 rows.
const MANY: &str = "SELECT a.n * 100000 + b.n * 1000 + c.n AS id, REPEAT('x', 200) AS text FROM \
                    (SELECT 0 AS n UNION ALL SELECT 1) a, \
                    (SELECT d.n * 10 + e.n AS n FROM ten d, ten e) b, \
                    (SELECT f.n * 100 + g.n * 10 + h.n AS n FROM ten f, ten g, ten h) c";

/// Of a read nobody wants the rows behind its answer: what is on its way is left, whatever changes something is read to its end.
#[test]
fn an_answer_does_not_wait_for_the_rest_of_its_rows() {
    in_cases(with_local_infile(), &[Route::Tcp], |case| {
        let schema = case.server.schema("answers");
        schema.sql("CREATE TABLE ten (n INT); INSERT INTO ten VALUES (0),(1),(2),(3),(4),(5),(6),(7),(8),(9)");
        let config = case.config().with_database(schema.name());
        with_twin!(case, config, connection => {
            let prepared = wait!(connection.prepare(MANY)).unwrap();
            macro_rules! check {
                ($sql:expr) => {
                    assert!(wait!(connection.query_first::<(u64, String)>($sql, ())).unwrap().is_some());
                    assert_eq!(wait!(connection.query_one::<u8>("SELECT 7", ())).unwrap(), 7);
                    let error = wait!(connection.query_one::<(u64, String)>($sql, ())).unwrap_err();
                    assert_eq!((error.reason(), error.is_fatal()), (Reason::TooManyRows, false));
                    let error = wait!(connection.query_opt::<(u64, String)>($sql, ())).unwrap_err();
                    assert_eq!((error.reason(), error.is_fatal()), (Reason::TooManyRows, false));
                    let error = wait!(connection.query::<(u64, u64)>($sql, ())).unwrap_err();
                    assert_eq!((error.reason(), error.is_fatal()), (Reason::Conversion, false));
                    assert_eq!(wait!(connection.query_one::<u8>("SELECT 7", ())).unwrap(), 7);
                };
            }
            check!(MANY);
            check!(&prepared);
        });
        if case.shell != Shell::Blocking {
            return;
        }
        // The connection is closed, as it had not read all; one that has comes back.
        let pool = blocking::Pool::new(&config).unwrap();
        for (sql, idle) in [(MANY.to_owned(), 0), (format!("{MANY} FOR UPDATE"), 1), (format!("{MANY} LIMIT 10"), 1)] {
            assert!(pool.query_first::<(u64, String)>(&sql, ()).unwrap().is_some());
            assert_eq!((pool.status().idle, pool.status().in_use), (idle, 0), "{sql}");
        }
    });
}
