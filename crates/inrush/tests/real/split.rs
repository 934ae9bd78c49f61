//! `execute_split`: an INSERT of any length stores what it would store whole, all of it or nothing, and names the row that is refused.

use crate::cases::{Case, Route, everywhere, in_cases};
use crate::twins::with_twin;
use inrush::{Config, Kind, SplitOptions};
use inrush_testkit::patience::until;
use inrush_testkit::proxy::cut::{Cut, Relay};
use inrush_testkit::servers::{self, Schema};

fn place(case: &Case, table: &str) -> (Schema, Config) {
    let schema = case.server.schema("split");
    schema.sql(table);
    let config = case.config().with_database(schema.name());
    (schema, config)
}

fn rows(ids: impl Iterator<Item = u32>) -> String {
    let rows: Vec<String> = ids.map(|id| format!("({id},'{id}')")).collect();
    format!("INSERT INTO t VALUES {}", rows.join(","))
}

const TABLE: &str = "CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(9)) ENGINE=InnoDB";

#[test]
fn a_statement_longer_than_a_packet() {
    everywhere(|case| {
        let (schema, config) = place(case, "CREATE TABLE t (id INT PRIMARY KEY, a LONGTEXT) ENGINE=InnoDB");
        with_twin!(case, config, connection => {
            let most = usize::try_from(wait!(connection.max_allowed_packet()).unwrap()).unwrap() - 2;
            let [head, tail] = ["INSERT INTO t VALUES (1, '", "'), (2, 'b')"];
            let statement = |length: usize| {
                let text = "x".repeat(length - head.len() - tail.len());
                (format!("{head}{text}{tail}"), text.len())
            };
            for (length, n_statements) in [(most, 1), (most + 1, 2)] {
                let (sql, text) = statement(length);
                let report = wait!(connection.execute_split(&sql, &SplitOptions::new())).unwrap();
                assert_eq!((report.n_rows, report.affected, report.n_statements), (2, 2, n_statements));
                let stored: Vec<(u64,)> = wait!(connection.query("SELECT LENGTH(a) FROM t ORDER BY id", ())).unwrap();
                assert_eq!(stored, [(text as u64,), (1,)]);
                wait!(connection.execute("DELETE FROM t", ())).unwrap();
            }
            let long = format!("INSERT INTO t VALUES (1, 'a'), (2, '{}')", "x".repeat(most));
            let error = wait!(connection.execute_split(&long, &SplitOptions::new())).unwrap_err();
            assert_eq!((error.kind(), error.row()), (Kind::Config, Some(1)), "{error}");
            let unsteady = format!("INSERT INTO t VALUES (1, '{}'), (2, NOW())", "x".repeat(most));
            let error = wait!(connection.execute_split(&unsteady, &SplitOptions::new())).unwrap_err();
            assert_eq!(error.kind(), Kind::Config);
            assert!(error.message().ends_with("cannot be cut: the value of `NOW` in row 2 might be another one in another statement"), "{error}");
        });
        assert_eq!(schema.sql("SELECT COUNT(*) FROM t"), [["0"]]);
    });
}

#[test]
fn all_rows_or_none() {
    everywhere(|case| {
        let (_schema, config) = place(case, TABLE);
        with_twin!(case, config, connection => {
            let options = SplitOptions::new().with_max_rows(7);
            // The last but one row has a key that is there, in the third piece.
            let bad = rows((1..=20).chain([5, 21]));
            let error = wait!(connection.execute_split(&bad, &options)).unwrap_err();
            assert_eq!((error.code(), error.row()), (1062, Some(20)), "{error}");
            assert!(error.message().starts_with("row 21 of the statement: Duplicate entry '5'"), "{error}");
            let count = "SELECT COUNT(*), SUM(id) FROM t";
            let none: (u64, Option<u64>) = wait!(connection.query_one(count, ())).unwrap();
            assert_eq!(none, (0, None));

            // Inside a transaction, which continues.
            let mut tx = wait!(connection.begin()).unwrap();
            wait!(tx.execute("INSERT INTO t VALUES (100, '')", ())).unwrap();
            let error = wait!(tx.execute_split(&bad, &options)).unwrap_err();
            assert_eq!(error.row(), Some(20), "{error}");
            wait!(tx.execute_split(&rows(1..=20), &options)).unwrap();
            wait!(tx.commit()).unwrap();
            let all: (u64, Option<u64>) = wait!(connection.query_one(count, ())).unwrap();
            assert_eq!(all, (21, Some(310)));

            // With autocommit off nothing is committed.
            wait!(connection.execute("SET autocommit = 0", ())).unwrap();
            wait!(connection.execute_split(&rows(21..=40), &options)).unwrap();
            wait!(connection.execute("ROLLBACK", ())).unwrap();
            let all: (u64, Option<u64>) = wait!(connection.query_one(count, ())).unwrap();
            assert_eq!(all, (21, Some(310)));
        });
    });
}

#[test]
fn pieces_that_commit_by_themselves() {
    everywhere(|case| {
        let (_schema, config) = place(case, TABLE);
        with_twin!(case, config, connection => {
            let options = SplitOptions::new().with_max_rows(7).with_commits_each(true);
            let error = wait!(connection.execute_split(&rows((1..=20).chain([5])), &options)).unwrap_err();
            assert!(error.message().starts_with("rows 15 to 21 of the statement (rows 1 to 14 are stored): Duplicate entry '5'"), "{error}");
            let count: u64 = wait!(connection.query_one("SELECT COUNT(*) FROM t", ())).unwrap();
            assert_eq!(count, 14);
            // The server names a row where a value is wrong.
            let wrong = "INSERT INTO t VALUES (30, ''), (31, ''), (32, 'much too long')";
            let options = options.with_max_rows(2);
            let error = wait!(connection.execute_split(wrong, &options)).unwrap_err();
            assert_eq!((error.code(), error.row()), (1406, Some(2)), "{error}");
        });
    });
}

#[test]
fn locks_of_tables_are_kept() {
    everywhere(|case| {
        let (schema, config) = place(case, TABLE);
        schema.sql("CREATE TABLE other (a INT)");
        with_twin!(case, config, connection => {
            let options = SplitOptions::new().with_max_rows(7);
            wait!(connection.execute("LOCK TABLES t WRITE", ())).unwrap();
            wait!(connection.execute_split(&rows(1..=20), &options)).unwrap();
            wait!(connection.execute_split(&rows(20..=40), &options)).unwrap_err();
            let error = wait!(connection.execute("INSERT INTO other VALUES (1)", ())).unwrap_err();
            assert_eq!(error.code(), 1100, "{error}");
            wait!(connection.execute("UNLOCK TABLES", ())).unwrap();
            assert!(connection.session().autocommit());
            let count: u64 = wait!(connection.query_one("SELECT COUNT(*) FROM t", ())).unwrap();
            assert_eq!(count, 20);
        });
    });
}

/// Where the connection is lost: all rows, or none, and what is said of them is true.
#[test]
fn at_each_cut() {
    in_cases(servers::with_local_infile(), &[Route::Tcp], |case| {
        let (schema, config) = place(case, TABLE);
        let cuts = [
            (Cut::AfterWrite(1), false),
            (Cut::AfterWrite(3), false),
            (Cut::BeforeCommit(1), true),
            (Cut::AfterCommit(1), true),
        ];
        for (cut, is_unknown) in cuts {
            let relay = Relay::start(case.server.port, cut);
            let mut error = None;
            with_twin!(case, config.clone().with_port(relay.port()), connection => {
                let options = SplitOptions::new().with_max_rows(7);
                error = wait!(connection.execute_split(&rows(1..=20), &options)).err();
                assert!(connection.session().is_dead());
            });
            let error = error.unwrap();
            assert_eq!(error.is_outcome_unknown(), is_unknown, "{cut:?}: {error:?}");
            let want = if cut == Cut::AfterCommit(1) { "20" } else { "0" };
            until("the server's end of the connection", || {
                schema.sql("SELECT COUNT(*) FROM t FOR UPDATE")[0][0] == want
            });
            schema.sql("DELETE FROM t");
        }
    });
}

/// What a failed statement leaves there cannot be undone, so the row is not searched.
#[test]
fn a_table_without_transactions() {
    everywhere(|case| {
        let (_schema, config) = place(case, "CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(9)) ENGINE=MyISAM");
        with_twin!(case, config, connection => {
            let options = SplitOptions::new().with_max_rows(7);
            let bad = rows((1..=20).chain([5]));
            let error = wait!(connection.execute_split(&bad, &options)).unwrap_err();
            let count: u64 = wait!(connection.query_one("SELECT COUNT(*) FROM t", ())).unwrap();
            if case.server.name.starts_with("mysql") {
                // These servers have GTIDs, and refuse the second statement.
                assert_eq!((error.code(), count), (1785, 7), "{error}");
                assert!(error.hint().unwrap().contains("with_commits_each"), "{error}");
            } else {
                assert_eq!((error.code(), error.row(), count), (1062, None, 20), "{error}");
            }
            wait!(connection.execute("DELETE FROM t", ())).unwrap();
            wait!(connection.execute_split(&bad, &options.with_commits_each(true))).unwrap_err();
            let count: u64 = wait!(connection.query_one("SELECT COUNT(*) FROM t", ())).unwrap();
            assert_eq!(count, 20);
        });
    });
}

#[test]
fn the_same_values_as_whole() {
    everywhere(|case| {
        let (schema, config) = place(
            case,
            "CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, a BLOB, b DECIMAL(9,2) DEFAULT 7, c VARCHAR(20) CHARACTER SET latin1, d DATE);
             CREATE TABLE u LIKE t",
        );
        with_twin!(case, config, connection => {
            let values = "(NULL, 'a\\'),(''b', -1.5e1, CONVERT('é' USING latin1), DATE '2026-01-31'), (7, 0x00ff, DEFAULT, _latin1 X'e9', NULL),
                (default, _binary '\\0\\n;', (1 + 2) * 3, 'a' 'b', '2026-02-28') /* (1) */, (9, x'41', TRUE, N'n', CAST('2026-03-01' AS DATE))";
            let tail = "ON DUPLICATE KEY UPDATE a = VALUES(a), b = IFNULL(VALUES(b), 1)";
            let whole = wait!(connection.execute_split(&format!("INSERT INTO t VALUES {values} {tail}"), &SplitOptions::new())).unwrap();
            let cut = SplitOptions::new().with_max_bytes(1);
            let pieces = wait!(connection.execute_split(&format!("INSERT INTO u VALUES {values} {tail}; -- end"), &cut)).unwrap();
            assert_eq!((whole.n_statements, pieces.n_statements), (1, 4));
            assert_eq!((pieces.n_rows, pieces.affected), (whole.n_rows, whole.affected));
            assert_eq!((whole.last_insert_id, pieces.last_insert_id), (Some(1), Some(1)));
            // Anything else is sent as it is.
            let other = wait!(connection.execute_split("DELETE FROM t WHERE id > 100", &cut)).unwrap();
            assert_eq!((other.n_rows, other.n_statements), (0, 1));
        });
        let rows = |table: &str| schema.sql(&format!("SELECT id, HEX(a), b, HEX(c), d FROM {table} ORDER BY id"));
        assert_eq!(rows("t"), rows("u"));
        assert_eq!(rows("t").len(), 4);
    });
}
