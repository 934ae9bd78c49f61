//! Tests of what a script leaves in its session, of long scripts, and of errors; on each family of servers.

use crate::servers::with_local_infile;

#[test]
fn each_script_has_a_new_session() {
    for server in with_local_infile() {
        let schema = server.schema("kept");
        schema.sql("CREATE TABLE t (id INT PRIMARY KEY)");
        schema.sql("SET @a = 1; CREATE TEMPORARY TABLE u (id INT); BEGIN; INSERT INTO t VALUES (1)");
        assert_eq!(server.sql("SELECT @a, @@autocommit"), [["NULL", "1"]]);
        assert_eq!(schema.sql("SELECT COUNT(*) FROM t"), [["0"]]);
        assert!(server.try_sql(&format!("SELECT * FROM {}.u", schema.name())).is_err());
    }
}

#[test]
fn an_error_ends_a_script_and_nothing_else() {
    for server in with_local_infile() {
        let schema = server.schema("kept");
        let script =
            format!("USE {}; CREATE TABLE t (id INT);\nDO nothing_of_the_kind();\nDROP TABLE t", schema.name());
        let message = server.try_sql(&script).unwrap_err();
        assert!(message.contains("ERROR 1305 ") && !message.contains(" at line "), "{message}");
        assert_eq!(schema.sql("SELECT COUNT(*) FROM t; -- a comment at the end"), [["0"]]);
    }
}

#[test]
fn a_long_script_with_a_long_result_ends() {
    for server in with_local_infile() {
        let text = "x".repeat(1 << 20);
        let rows = server.sql(&format!("SELECT '{text}'; SELECT '{text}'; SELECT 'a\\nb\\tc'"));
        assert_eq!(rows, [[text.as_str()], [text.as_str()], ["a\nb\tc"]]);
    }
}
