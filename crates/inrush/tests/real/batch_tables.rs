//! Batches into tables and in sessions of every sort: by each method what is stored is what was given, or nothing and an error says why.

use crate::batch_faults::by_turns;
use crate::twins::with_twin;
use inrush::{BatchOptions, Kind, Method, OnBadRow};

/// A table, a session, and a batch for it.
struct Odd {
    /// Makes both.
    before: &'static [&'static str],
    sql: &'static str,
    rows: &'static [(i64, &'static str)],
    /// What is stored in the end: `n=s`, ordered by n.
    want: &'static str,
    affected: u64,
    /// Whether LOAD DATA takes it: a plain INSERT into a table that the server describes.
    loads: bool,
}

const TABLE: &str = "CREATE TABLE t (n BIGINT PRIMARY KEY, s VARCHAR(30))";
const TEXTS: &[(i64, &str)] =
    &[(1, "it's"), (2, "\"q\" ?"), (3, r"back\slash\"), (4, "new\nline\tand\0nul"), (5, r"\N"), (6, "%_ é 日 🦀")];
const STORED: &str = "1=it's,2=\"q\" ?,3=back\\slash\\,4=new\nline\tand\0nul,5=\\N,6=%_ é 日 🦀";
const PLAIN: Odd = Odd {
    before: &[TABLE],
    sql: "INSERT INTO t (n, s) VALUES (?, ?)",
    rows: TEXTS,
    want: STORED,
    affected: 6,
    loads: true,
};

#[track_caller]
fn check(label: &str, odd: &Odd) {
    by_turns(label, |case, config, method| {
        with_twin!(case, config.clone(), connection => {
            wait!(connection.execute("DROP VIEW IF EXISTS v", ())).unwrap();
            wait!(connection.execute("DROP TABLE IF EXISTS t", ())).unwrap();
            for sql in odd.before {
                wait!(connection.execute(*sql, ())).unwrap();
            }
            let options = BatchOptions::new().with_method(method).with_rows(4);
            let end = wait!(connection.execute_batch_with(odd.sql, odd.rows, &options));
            if method == Method::LoadData && !odd.loads {
                assert_eq!(end.map(|report| report.n_rows).unwrap_err().kind(), Kind::Config);
                return;
            }
            let report = end.unwrap_or_else(|e| panic!("{method}: {e}"));
            assert_eq!((report.n_rows, report.affected), (odd.rows.len() as u64, odd.affected), "{method}");
            let stored: Vec<(i64, String)> = wait!(connection.query("SELECT n, s FROM t ORDER BY n", ())).unwrap();
            let stored: Vec<_> = stored.iter().map(|(n, s)| format!("{n}={s}")).collect();
            assert_eq!(stored.join(","), odd.want, "{method}");
        });
    });
}

#[test]
fn texts_of_every_sort() {
    check("texts", &PLAIN);
}
#[test]
fn where_a_backslash_is_a_character() {
    check(
        "nobackslash",
        &Odd { before: &[TABLE, "SET sql_mode = CONCAT(@@sql_mode, ',NO_BACKSLASH_ESCAPES')"], ..PLAIN },
    );
}
#[test]
fn where_double_quotes_hold_names() {
    let sql = r#"INSERT INTO "t" ("n", "s") VALUES (?, ?)"#;
    check("ansiquotes", &Odd { before: &[TABLE, "SET sql_mode = CONCAT(@@sql_mode, ',ANSI_QUOTES')"], sql, ..PLAIN });
}
#[test]
fn without_a_list_of_columns() {
    check("nolist", &Odd { sql: "INSERT INTO t VALUES (?, ?)", ..PLAIN });
}
#[test]
fn where_some_are_ignored() {
    let rows: &[_] = &[(1, "a"), (2, "b"), (1, "c"), (7, "d"), (2, "e")];
    let sql = "INSERT IGNORE INTO t (n, s) VALUES (?, ?)";
    let before: &[_] = &[TABLE, "INSERT INTO t VALUES (7, 'seven')"];
    check("ignore", &Odd { before, sql, rows, want: "1=a,2=b,7=seven", affected: 2, loads: false });
}
#[test]
fn beside_generated_columns() {
    const COLUMNS: &str =
        "CREATE TABLE t (twice BIGINT AS (n * 2) STORED, n BIGINT, half BIGINT AS (n / 2) VIRTUAL, s TEXT)";
    check("generated", &Odd { before: &[COLUMNS], ..PLAIN });
}
#[test]
fn through_a_view() {
    let before: &[_] = &[TABLE, "CREATE VIEW v AS SELECT s AS text, n AS number FROM t"];
    check("view", &Odd { before, sql: "INSERT INTO v (number, text) VALUES (?, ?)", ..PLAIN });
}
#[test]
fn into_a_temporary_table() {
    let before: &[_] = &["CREATE TEMPORARY TABLE t (n BIGINT PRIMARY KEY, s VARCHAR(30))"];
    check("temporary", &Odd { before, loads: false, ..PLAIN });
}
/// What the server tells of a table that is hidden by a temporary one is not held against the rows.
#[test]
fn into_a_temporary_table_that_hides_another() {
    let before: &[_] =
        &["CREATE TABLE t (s TINYINT, n BIT)", "CREATE TEMPORARY TABLE t (n BIGINT PRIMARY KEY, s VARCHAR(30))"];
    check("hidden", &Odd { before, loads: false, ..PLAIN });
}
#[test]
fn into_partitions() {
    check(
        "partitions",
        &Odd {
            before: &["CREATE TABLE t (n BIGINT PRIMARY KEY, s VARCHAR(30)) PARTITION BY HASH (n) PARTITIONS 3"],
            ..PLAIN
        },
    );
}

/// What no partition takes, and what a view does not let through.
#[test]
fn rows_that_have_no_place() {
    by_turns("noplace", |case, config, method| {
        with_twin!(case, config.clone(), connection => {
            wait!(connection.execute("DROP VIEW IF EXISTS v", ())).unwrap();
            wait!(connection.execute("DROP TABLE IF EXISTS t", ())).unwrap();
            let parts = "PARTITION BY RANGE (n) (PARTITION a VALUES LESS THAN (10), PARTITION b VALUES LESS THAN (1000))";
            wait!(connection.execute(&format!("CREATE TABLE t (n BIGINT PRIMARY KEY) {parts}"), ())).unwrap();
            wait!(connection.execute("CREATE VIEW v AS SELECT n FROM t WHERE n < 500 WITH CHECK OPTION", ())).unwrap();
            for (table, value, code) in [("t", 1000, 1526), ("v", 700, 1369)] {
                let mut rows: Vec<_> = (0..20_i64).map(|n| (n,)).collect();
                rows[13].0 = value;
                let sql = format!("INSERT INTO {table} (n) VALUES (?)");
                let options = BatchOptions::new().with_method(method);
                let error = wait!(connection.execute_batch_with(&sql, &rows, &options)).unwrap_err();
                assert_eq!((error.code(), error.row()), (code, Some(13)), "{method}: {error}");
                let skip = options.with_bad_rows(OnBadRow::Skip);
                let report = wait!(connection.execute_batch_with(&sql, &rows, &skip)).unwrap();
                let bad: Vec<_> = report.bad_rows.iter().map(|bad| (bad.row, bad.error.code())).collect();
                assert_eq!((report.n_rows, bad), (19, vec![(13, code)]), "{method}");
                assert_eq!(wait!(connection.execute("DELETE FROM t", ())).unwrap().affected, 19, "{method}");
            }
        });
    });
}

/// Where the server would bend a value, it is refused all the same.
#[test]
fn where_the_server_is_not_strict() {
    by_turns("lax", |case, config, method| {
        with_twin!(case, config.clone(), connection => {
            wait!(connection.execute("DROP TABLE IF EXISTS t", ())).unwrap();
            wait!(connection.execute("CREATE TABLE t (n TINYINT NOT NULL, s VARCHAR(3))", ())).unwrap();
            wait!(connection.execute("SET sql_mode = ''", ())).unwrap();
            let options = BatchOptions::new().with_method(method);
            for bad in [(Some(300), "abc"), (Some(1), "abcd"), (None, "abc")] {
                let rows = [(Some(1), "a"), bad, (Some(3), "c")];
                let error = wait!(connection.execute_batch_with("INSERT INTO t (n, s) VALUES (?, ?)", &rows, &options)).unwrap_err();
                assert_eq!((error.kind(), error.row()), (Kind::Data, Some(1)), "{method}: {error}");
            }
            let rows = [(127, "abc"), (-128, "")];
            let report = wait!(connection.execute_batch_with("INSERT INTO t (n, s) VALUES (?, ?)", &rows, &options)).unwrap();
            assert_eq!((report.n_rows, report.warnings), (2, 0), "{method}");
            assert_eq!(wait!(connection.query_one::<(i64,)>("SELECT SUM(n * 10 + LENGTH(s)) FROM t", ())).unwrap().0, -7, "{method}");
        });
    });
}

/// Servers print a `?` for such a character in a member, so that a batch cannot know the members.
#[test]
fn members_beyond_the_bmp() {
    check(
        "emojienum",
        &Odd {
            before: &["CREATE TABLE t (n BIGINT PRIMARY KEY, s ENUM('a','😀','x🐍y') CHARACTER SET utf8mb4)"],
            rows: &[(1, "a"), (2, "😀"), (3, "x🐍y"), (4, "😀"), (5, "A"), (6, "😀")],
            want: "1=a,2=😀,3=x🐍y,4=😀,5=a,6=😀",
            ..PLAIN
        },
    );
    check(
        "emojiset",
        &Odd {
            before: &["CREATE TABLE t (n BIGINT PRIMARY KEY, s SET('a','😀','é') CHARACTER SET utf8mb4)"],
            rows: &[(1, "a"), (2, "😀"), (3, "a,😀"), (4, "é,😀"), (5, ""), (6, "😀")],
            want: "1=a,2=😀,3=a,😀,4=😀,é,5=,6=😀",
            ..PLAIN
        },
    );
}

/// What a session limits its SELECTs to is its user's affair, and does not cut what the library asks of the table.
#[test]
fn sessions_that_limit_what_a_query_returns() {
    by_turns("limits", |case, config, method| {
        with_twin!(case, config.clone(), connection => {
            for (i, limit) in ["sql_select_limit = 1", "sql_select_limit = 0"].into_iter().enumerate() {
                wait!(connection.execute(&*format!("DROP TABLE IF EXISTS limited{i}"), ())).unwrap();
                wait!(connection.execute(&*format!("CREATE TABLE limited{i} (n BIGINT PRIMARY KEY, s VARCHAR(30))"), ())).unwrap();
                wait!(connection.execute(&*format!("SET SESSION {limit}"), ())).unwrap();
                let options = BatchOptions::new().with_method(method).with_rows(4);
                let sql = format!("INSERT INTO limited{i} (n, s) VALUES (?, ?)");
                let end = wait!(connection.execute_batch_with(&*sql, TEXTS, &options));
                wait!(connection.execute("SET SESSION sql_select_limit = DEFAULT", ())).unwrap();
                let report = end.unwrap_or_else(|e| panic!("{method}, {limit}: {e}"));
                assert_eq!(report.affected, 6, "{method}, {limit}");
            }
        });
    });
}
