//! Kept statements in a session that changes: a server keeps to the schema and the settings in which it prepared a statement, so each is
//! prepared anew, and does what its text does now.

use crate::cases::{Route, in_cases};
use crate::twins::with_twin;
use inrush_testkit::servers;

const READ: &str = "SELECT name FROM t WHERE id = ?";

#[test]
fn another_schema() {
    in_cases(servers::with_local_infile(), &[Route::Tcp], |case| {
        let (one, other) = (case.server.schema("keptone"), case.server.schema("keptother"));
        for (schema, name) in [(&one, "one"), (&other, "other")] {
            schema.sql("CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(20))");
            schema.sql(&format!("INSERT INTO t VALUES (1, '{name}')"));
        }
        let (go_one, go_other) = (format!("USE {}", one.name()), format!("USE `{}`", other.name()));
        with_twin!(case, case.config().with_database(one.name()), connection => {
            let kept = wait!(connection.prepare(READ)).unwrap();
            for (go, want) in [(&go_other, "other"), (&go_one, "one"), (&go_one, "one")] {
                wait!(connection.execute(go.as_str(), ())).unwrap();
                for _ in 0..2 {
                    assert_eq!(wait!(connection.query_one::<(String,)>(&kept, (1,))).unwrap().0, want);
                }
                let rows = [(want,), (want,)];
                wait!(connection.execute_batch("INSERT INTO t (id, name) VALUES (9, ?) ON DUPLICATE KEY UPDATE name = 'batch'", &rows)).unwrap();
                assert_eq!(wait!(connection.query_one::<(String,)>(READ, (9,))).unwrap().0, "batch");
                wait!(connection.execute("DELETE FROM t WHERE id = ?", (9,))).unwrap();
            }
            // What does not change anything costs nothing.
            assert!(connection.session().statements().len() <= 4);
            // In one flight, where no answer has told of the schema yet.
            let mut pipeline = connection.pipeline();
            pipeline.query(&go_other).execute(&kept, (1,)).query(&go_one).execute(&kept, (1,));
            let replies = wait!(pipeline.run()).unwrap();
            let names: Vec<Vec<(String,)>> =
                [1, 3].map(|at: usize| replies[at].as_ref().unwrap().rows().unwrap()).into();
            assert_eq!(names, [[("other".to_owned(),)], [("one".to_owned(),)]]);
            assert_eq!(wait!(connection.query_one::<(String,)>(&kept, (1,))).unwrap().0, "one");
        });
    });
}

#[test]
fn another_sql_mode() {
    in_cases(servers::with_local_infile(), &[Route::Tcp], |case| {
        with_twin!(case, case.config(), connection => {
            // A string, or a column that is not there; OR, or the joining of texts.
            for (sql, before, after) in [("SELECT CONCAT('a' || 'b', ?)", "0", "ab"), ("SELECT CONCAT(\"x\", ?)", "x", "")] {
                for _ in 0..2 {
                    wait!(connection.execute("SET SESSION sql_mode = 'STRICT_ALL_TABLES'", ())).unwrap();
                    assert_eq!(wait!(connection.query_one::<(String,)>(sql, ("",))).unwrap().0, before, "{sql}");
                    wait!(connection.execute("SET @@session.SQL_MODE = 'ANSI'", ())).unwrap();
                    let text = wait!(connection.query_one::<(String,)>(sql, ("",)));
                    match after.is_empty() {
                        true => assert_eq!(text.unwrap_err().code(), 1054),
                        false => assert_eq!(text.unwrap().0, after, "{sql}"),
                    }
                }
            }
        });
    });
}
