//! `inrush run`: scripts of SQL do what the server's own client program does with them, and what stops one is named with its line.

use crate::place::{Place, everywhere, on};
use inrush_testkit::servers::with_local_infile;
use std::io::Write as _;
use std::process::{Command, Stdio};

struct Ran {
    code: i32,
    stdout: String,
    stderr: String,
}

fn run_with(place: &Place, arguments: &str, input: &[u8]) -> Ran {
    let mut command = Command::new(env!("CARGO_BIN_EXE_inrush"));
    command.arg("run").args(arguments.split(' ')).args(["-D", place.schema.name(), "--no-progress"]);
    command.arg("-S").arg(&place.server.socket).args(["-u", &place.server.user]);
    command.current_dir(place.folder.path()).env("HOME", place.folder.path());
    command.env_remove("INRUSH_URL").env("INRUSH_PASSWORD", &place.server.password);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // It may end before it has read all.
    let _ = child.stdin.take().unwrap().write_all(input);
    let output = child.wait_with_output().unwrap();
    let [stdout, stderr] = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    Ran { code: output.status.code().unwrap(), stdout, stderr }
}

/// After `\\G` each value has a line, as of the client programs.
#[test]
fn rows_with_a_line_for_each_value() {
    everywhere("run_vertical", |place| {
        let ran = run_with(
            place,
            "-",
            b"SELECT 1 AS a, 'x\\ty' AS bcd UNION SELECT 2, NULL\\G\nSELECT 3\\g SELECT 4 WHERE FALSE\\G",
        );
        let stars = "*".repeat(27);
        let want =
            format!("{stars} 1. row {stars}\n  a: 1\nbcd: x\ty\n{stars} 2. row {stars}\n  a: 2\nbcd: NULL\n3\n3\n");
        assert_eq!((ran.code, ran.stdout), (0, want), "{}", ran.stderr);
    });
}

/// Runs a script that fails with this message, at the beginning of the first line of errors.
#[track_caller]
fn fails(place: &Place, script: &str, code: i32, says: &str) {
    place.write("script.sql", script);
    let ran = run_with(place, "script.sql", b"");
    assert_eq!(ran.code, code, "{script}: {}", ran.stderr);
    assert!(ran.stderr.starts_with(&format!("error: {says}")), "{script}: {}", ran.stderr);
}

#[test]
fn what_a_dump_has() {
    everywhere("run_dump", |place| {
        let script = "/*M!999999\\- enable the sandbox mode */ \n-- A dump\n/*!40101 SET NAMES utf8mb4 */;\n\
            DROP TABLE IF EXISTS `t`;\n\
            CREATE TABLE `t` (`id` int NOT NULL, `a` blob, PRIMARY KEY (`id`)) ENGINE=InnoDB;\n\
            LOCK TABLES `t` WRITE;\n/*!40000 ALTER TABLE `t` DISABLE KEYS */;\n\
            INSERT INTO `t` VALUES (1,'a;\\'b'),(2,_binary '\u{1}\\0\\\\'),\n(3,NULL);\n\
            /*!40000 ALTER TABLE `t` ENABLE KEYS */;\nUNLOCK TABLES;\n\
            DELIMITER ;;\nCREATE TRIGGER tr BEFORE INSERT ON t FOR EACH ROW BEGIN SET NEW.a = 'x;y'; END ;;\nDELIMITER ;\n\
            INSERT INTO t VALUES (4, 'z');\nSELECT id, a FROM t WHERE id IN (1, 3, 4) ORDER BY id;\nSELECT 'a\\tb\\nc\\\\' AS `x y`";
        place.write("dump.sql", script);
        let ran = run_with(place, "dump.sql", b"");
        assert_eq!(
            (ran.code, &*ran.stdout),
            (0, "id\ta\n1\ta;'b\n3\tNULL\n4\tx;y\nx y\na\\tb\\nc\\\\\n"),
            "{}",
            ran.stderr
        );
        assert!(ran.stderr.starts_with("12 statements in "), "{}", ran.stderr);
        assert!(ran.stderr.contains(", 4 rows affected"), "{}", ran.stderr);
        assert_eq!(place.sql("SELECT id, HEX(a) FROM t WHERE id = 2"), "2,01005C");
    });
}

#[test]
fn from_files_and_pipes() {
    on(with_local_infile(), "run_files", |place| {
        place.write("a.sql", "\u{feff}CREATE TABLE t (a INT); INSERT INTO t VALUES (1)");
        place.write("b.sql", "INSERT INTO t VALUES (2);\n-- the end\n");
        assert!(Command::new("gzip").arg(place.path("b.sql")).status().unwrap().success());
        let ran = run_with(place, "a.sql b.sql.gz - --json -q", b"INSERT INTO t VALUES (3), (4); SELECT 1");
        let json: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!((ran.code, &*ran.stderr), (0, ""));
        assert_eq!(
            (&json["statements"], &json["affected_rows"], &json["exit_code"]),
            (&5.into(), &4.into(), &0.into())
        );
        assert_eq!(place.sql("SELECT SUM(a) FROM t"), "10");

        let missing = run_with(place, "missing.sql", b"");
        assert_eq!(missing.code, 1);
        assert!(missing.stderr.starts_with("error: cannot open `missing.sql`"), "{}", missing.stderr);
        place.write("utf16.sql", b"\xff\xfeS\0");
        let other = run_with(place, "utf16.sql", b"");
        assert!(other.code == 1 && other.stderr.contains("hint: `iconv -f UTF-16"), "{}", other.stderr);
        let whole = std::fs::read(place.path("b.sql.gz")).unwrap();
        let cut = run_with(place, "-", &whole[..whole.len() - 9]);
        assert!(cut.code == 2 && cut.stderr.starts_with("error: cannot read `-`"), "{}", cut.stderr);
        let folder = run_with(place, ".", b"");
        assert!(folder.code == 1 && folder.stderr.starts_with("error: `.` is a folder"), "{}", folder.stderr);
    });
}

#[test]
fn what_stops_a_script() {
    everywhere("run_errors", |place| {
        place.sql("CREATE TABLE t (id INT PRIMARY KEY)");
        fails(place, "SELECT 1;\n\nSELEC 2;", 3, "You have an error in your SQL syntax");
        fails(place, "INSERT INTO t VALUES (1);\nINSERT INTO t\nVALUES (1);\nDELETE FROM t", 3, "Duplicate entry '1'");
        assert_eq!(place.sql("SELECT COUNT(*) FROM t"), "1");
        let ran = run_with(place, "script.sql", b"");
        assert!(ran.stderr.contains("(script.sql, line 1)"), "{}", ran.stderr);
        place.write(
            "more.sql",
            "DELETE FROM t; INSERT INTO t VALUES (1);\nINSERT INTO t VALUES (1);\nINSERT INTO t VALUES (2)",
        );
        let ran = run_with(place, "more.sql", b"");
        assert!(ran.stderr.contains("(more.sql, line 2)"), "{}", ran.stderr);
        assert!(ran.stderr.contains("hint: 2 statements before it ran; what they committed stays"), "{}", ran.stderr);
        let forced = run_with(place, "more.sql --force", b"");
        assert!(forced.code == 3 && forced.stderr.contains("(more.sql, line 2)"), "{}", forced.stderr);
        assert!(forced.stderr.contains("4 statements in ") && forced.stderr.contains(", 1 error"), "{}", forced.stderr);
        assert_eq!(place.sql("SELECT COUNT(*) FROM t"), "2");

        fails(place, "SELECT 'a;\n", 2, "`script.sql`: the script ends within a quoted text that begins in line 1");
        fails(place, "DELIMITER\n", 1, "`script.sql`: DELIMITER in line 1 names no delimiter");
        place.write("script.sql", "source other.sql");
        let ran = run_with(place, "script.sql", b"");
        assert!(
            ran.code == 3 && ran.stderr.contains("hint: SOURCE is a command of the mysql client"),
            "{}",
            ran.stderr
        );
    });
}

#[test]
fn a_transaction_that_is_left_open_is_an_error_if_rows_are_lost() {
    everywhere("run_open", |place| {
        place.sql("DROP TABLE IF EXISTS t; CREATE TABLE t (a INT PRIMARY KEY) ENGINE=InnoDB");
        let lost = "the scripts end within a transaction, which is rolled back: it had changed ";
        for (script, rows) in [
            ("BEGIN; INSERT INTO t VALUES (1), (2);", "2 rows"),
            ("SET autocommit = 0; INSERT INTO t VALUES (1); COMMIT; DELETE FROM t;", "1 row"),
            ("START TRANSACTION; INSERT INTO t VALUES (5); SELECT * FROM t;", "1 row"),
        ] {
            fails(place, script, 2, &format!("{lost}{rows}\nhint: "));
        }
        assert_eq!(place.sql("SELECT a FROM t"), "1");
        // Nothing is lost: nothing was changed, or it was committed.
        for script in [
            "BEGIN; SELECT * FROM t;",
            "SET autocommit = 0; SELECT * FROM t;",
            "BEGIN; INSERT INTO t VALUES (7); COMMIT; BEGIN; SELECT * FROM t;",
            "BEGIN; INSERT INTO t VALUES (8); CREATE TABLE IF NOT EXISTS u (a INT);",
            "BEGIN; INSERT INTO t VALUES (9); ROLLBACK;",
        ] {
            place.write("script.sql", script);
            let ran = run_with(place, "script.sql", b"");
            assert_eq!(ran.code, 0, "{script}: {}", ran.stderr);
        }
        assert_eq!(place.sql("SELECT GROUP_CONCAT(a ORDER BY a) FROM t"), "1,7,8");
    });
}

#[test]
fn long_inserts_are_cut() {
    everywhere("run_long", |place| {
        place.sql("CREATE TABLE t (id INT PRIMARY KEY, a LONGTEXT) ENGINE=InnoDB");
        let packet: usize = place.sql("SELECT @@max_allowed_packet").parse().unwrap();
        let text = "x".repeat(packet / 3);
        let rows: Vec<_> = (1..=5).map(|id| format!("({id},'{text}')")).collect();
        let script = format!("SELECT 'before'; INSERT INTO t VALUES {};SELECT COUNT(*) FROM t", rows.join(",\n"));
        let ran = run_with(place, "-", script.as_bytes());
        assert_eq!((ran.code, &*ran.stdout), (0, "before\nbefore\nCOUNT(*)\n5\n"), "{}", ran.stderr);
        assert!(ran.stderr.contains(", 5 rows affected, 1 INSERT cut"), "{}", ran.stderr);

        place.sql("TRUNCATE t");
        let small = "INSERT INTO t VALUES (1,''),(2,''),(3,''),(4,''),(1,''),(5,'');";
        let ran = run_with(place, "- --split-rows 2", small.as_bytes());
        assert_eq!((ran.code, place.sql("SELECT COUNT(*) FROM t").as_str()), (3, "0"), "{}", ran.stderr);
        assert!(ran.stderr.starts_with("error: row 5 of the statement: Duplicate entry '1'"), "{}", ran.stderr);
        let ran = run_with(place, "- --split-bytes 30 --split-commit", small.as_bytes());
        assert_eq!((ran.code, place.sql("SELECT COUNT(*) FROM t").as_str()), (3, "4"), "{}", ran.stderr);
        assert!(ran.stderr.contains("(rows 1 to 4 are stored)"), "{}", ran.stderr);
        // Rows that are given back are not lost.
        if !place.is_mysql() {
            let ran = run_with(place, "- --split-rows 1", b"INSERT INTO t VALUES (8,''),(9,'') RETURNING id");
            assert_eq!((ran.code, &*ran.stdout), (0, "id\n8\n9\n"), "{}", ran.stderr);
        }
    });
}
