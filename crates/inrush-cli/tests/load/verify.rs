//! `inrush verify`: every change of a table is found, also those that a sum of CRC32 does not see, and nothing else is.

use crate::place::{Place, everywhere};
use crate::stopped::await_true;
use inrush_testkit::dice::{Dice, is_long};
use inrush_testkit::servers;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

pub(crate) fn command(place: &Place, arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_inrush"));
    command.arg("verify").args(["--json", "-q"]).current_dir(place.folder.path());
    command.arg("-S").arg(&place.server.socket).args(["-u", &place.server.user, "-D", place.schema.name()]);
    command.env("HOME", place.folder.path()).env_remove("INRUSH_URL").env("INRUSH_PASSWORD", &place.server.password);
    command.args(arguments.split_whitespace()).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// How a comparison ended.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) code: i32,
    pub(crate) json: serde_json::Value,
    stderr: String,
}

impl Done {
    pub(crate) fn of(command: &mut Command) -> Self {
        let output = command.output().unwrap();
        Self {
            code: output.status.code().unwrap(),
            json: serde_json::from_slice(&output.stdout).unwrap_or_default(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    #[track_caller]
    pub(crate) fn says(&self, text: &str) {
        assert!(self.stderr.contains(text) || self.json.to_string().contains(text), "{self}");
    }
}

impl std::fmt::Display for Done {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "exit code {}\n{}\n{}", self.code, self.json, self.stderr)
    }
}

pub(crate) fn verify(place: &Place, arguments: &str) -> Done {
    Done::of(&mut command(place, arguments))
}

/// The exit code, and the numbers of missing, extra and different rows.
pub(crate) fn numbers(done: &Done) -> (i32, [u64; 3]) {
    (done.code, ["missing", "extra", "different"].map(|name| done.json[name].as_u64().unwrap_or(u64::MAX)))
}

#[track_caller]
fn check(place: &Place, what: &str, want: [u64; 3]) -> Done {
    let done = verify(place, "one other");
    let code = if want == [0, 0, 0] { 0 } else { 2 };
    assert_eq!(numbers(&done), (code, want), "{what}: {done}");
    done
}

const TYPES: &str = "ti TINYINT, bu BIGINT UNSIGNED, z INT(8) ZEROFILL, y YEAR, b64 BIT(64), d DECIMAL(30,10), f FLOAT, db DOUBLE, dt DATE, \
    dtm DATETIME(6), ts TIMESTAMP(3) NULL, tm TIME(6), c CHAR(5), v VARCHAR(50), l VARCHAR(20) CHARACTER SET latin1, t TEXT, lt LONGTEXT, \
    vb VARBINARY(20), bl LONGBLOB, e ENUM('a','b',''), s SET('x','y'), j JSON, g GEOMETRY, n VARCHAR(10) NOT NULL";

const ROWS: &str = r#"(1,-1,18446744073709551615,7,2024,0xffffffffffffffff,-7.5,1.5,0.1,'2024-02-29','9999-12-31 23:59:59.999999','2024-05-05 10:00:00.123',
      '-837:59:59.5','ab','say "hi", x','grün',REPEAT('x',60000),REPEAT('y',70000),'a\0b',REPEAT('z',70000),'b','x,y','{"a": [1, 2.5, "x"]}',ST_GeomFromText('POINT(1 2)'),'n'),
    (2,1,0,NULL,1901,NULL,NULL,NULL,-0.0,NULL,NULL,NULL,NULL,NULL,'',NULL,'',NULL,'','',NULL,'',NULL,NULL,''),
    (3,0,1,0,2155,0,0.0000000001,1e-7,1e-300,'0001-01-01','1000-01-01 00:00:00',NULL,'00:00:00.000001','','a','b','a','b','a','b','','y','[]',ST_GeomFromText('POINT(2 1)'),'a'),
    (4,0,1,0,2155,0,0.0000000001,1e-7,1e-300,'0001-01-01','1000-01-01 00:00:00',NULL,'00:00:00.000001','','b','a','b','a','b','a','a','y','[]',ST_GeomFromText('POINT(2 1)'),'b')"#;

fn tables(place: &Place, key: &str) {
    place.sql(&format!(
        "DROP TABLE IF EXISTS one, other; CREATE TABLE one (id INT UNSIGNED {key}, {TYPES}) CHARACTER SET utf8mb4; \
         SET time_zone = '+00:00'; INSERT INTO one VALUES {ROWS}"
    ));
    again(place);
}

fn again(place: &Place) {
    place.sql("DROP TABLE IF EXISTS other; CREATE TABLE other LIKE one; INSERT INTO other SELECT * FROM one");
}

/// What XOR or CRC32 would miss, and what a text of the value would.
const CHANGES: &[(&str, [u64; 3])] = &[
    ("UPDATE other SET ti = 2 WHERE id = 3", [0, 0, 1]),
    // Values exchanged between rows.
    ("UPDATE other SET v = IF(v = 'a', 'b', 'a') WHERE id IN (3, 4)", [0, 0, 2]),
    ("UPDATE other SET v = 'b', l = 'a' WHERE id = 3", [0, 0, 1]),
    ("DELETE FROM other WHERE id = 4", [1, 0, 0]),
    ("INSERT INTO other (id, n) VALUES (9, '')", [0, 1, 0]),
    ("UPDATE other SET v = NULL WHERE id = 2", [0, 0, 1]),
    ("UPDATE other SET v = 'a ' WHERE id = 3", [0, 0, 1]),
    ("UPDATE other SET v = 'A' WHERE id = 3", [0, 0, 1]),
    ("UPDATE other SET l = 'grun' WHERE id = 1", [0, 0, 1]),
    // The same letter of one character and of two, and without its accent.
    ("UPDATE one SET v = 'caf\u{e9}' WHERE id = 3; UPDATE other SET v = 'cafe\u{301}' WHERE id = 3", [0, 0, 1]),
    ("UPDATE one SET v = 'caf\u{e9}' WHERE id = 3; UPDATE other SET v = 'cafe' WHERE id = 3", [0, 0, 1]),
    ("UPDATE one SET f = 16777216 WHERE id = 3; UPDATE other SET f = 16777218 WHERE id = 3", [0, 0, 1]),
    (
        "UPDATE one SET db = -1.7976931348623157e308 WHERE id = 3; UPDATE other SET db = -1.7976931348623155e308 WHERE id = 3",
        [0, 0, 1],
    ),
    (
        "UPDATE one SET g = ST_GeomFromText('POINT(1 1)') WHERE id = 3; UPDATE other SET g = ST_GeomFromText('POINT(1 1)', 4326) WHERE id = 3",
        [0, 0, 1],
    ),
    ("UPDATE other SET lt = CONCAT(REPEAT('y', 69999), 'Y') WHERE id = 1", [0, 0, 1]),
    ("UPDATE other SET t = CONCAT(REPEAT('x', 59999), 'X') WHERE id = 1", [0, 0, 1]),
    ("UPDATE other SET bl = CONCAT(REPEAT('z', 69999), 'Z') WHERE id = 1", [0, 0, 1]),
    ("UPDATE other SET vb = 'a' WHERE id = 1", [0, 0, 1]),
    ("UPDATE other SET dtm = '9999-12-31 23:59:59.999998' WHERE id = 1", [0, 0, 1]),
    ("UPDATE other SET tm = '00:00:00.000002' WHERE id = 3", [0, 0, 1]),
    ("UPDATE other SET bu = bu - 1 WHERE id = 1", [0, 0, 1]),
    ("UPDATE other SET b64 = 0xfffffffffffffffe WHERE id = 1", [0, 0, 1]),
    ("UPDATE other SET d = 0.0000000002 WHERE id = 3", [0, 0, 1]),
    ("UPDATE other SET f = 1.0000001e-7 WHERE id = 3", [0, 0, 1]),
    ("UPDATE other SET db = 1.0000000000000002e-300 WHERE id = 3", [0, 0, 1]),
    ("UPDATE other SET j = '[0]' WHERE id = 3", [0, 0, 1]),
    ("UPDATE other SET g = ST_GeomFromText('POINT(1 2)') WHERE id = 3", [0, 0, 1]),
    ("UPDATE other SET s = '' WHERE id = 3", [0, 0, 1]),
    ("SET sql_mode = ''; UPDATE other SET e = 'unknown' WHERE id = 3", [0, 0, 1]),
    ("UPDATE other SET id = 5 WHERE id = 4", [1, 1, 0]),
    // The same value in another column, and a text that looks like two.
    ("UPDATE one SET ti = 1, z = NULL WHERE id = 3; UPDATE other SET ti = NULL, z = 1 WHERE id = 3", [0, 0, 1]),
    ("UPDATE one SET v = 'a,1,b', l = '' WHERE id = 3; UPDATE other SET v = 'a', l = '1,b' WHERE id = 3", [0, 0, 1]),
    ("UPDATE one SET v = '', l = NULL WHERE id = 3; UPDATE other SET v = NULL, l = '' WHERE id = 3", [0, 0, 1]),
    // Two rows lost.
    ("DELETE FROM other WHERE id IN (3, 4)", [2, 0, 0]),
];

#[test]
fn every_change_is_found() {
    everywhere("verify_changes", |place| {
        // By ranges of a number, and by digests of a key of two columns.
        for key in ["PRIMARY KEY", ", PRIMARY KEY (id, n)"] {
            tables(place, key);
            check(place, "nothing", [0, 0, 0]);
            for (change, want) in CHANGES {
                place.sql(change);
                check(place, change, *want);
                again(place);
            }
        }
        let done = {
            tables(place, "PRIMARY KEY");
            place.sql("UPDATE other SET v = 'c' WHERE id = 3");
            check(place, "shown", [0, 0, 1])
        };
        let column = &done.json["differences"][0]["columns"][0];
        assert_eq!(
            (&column["column"], &column["value"], &column["other"]),
            (&"v".into(), &"'a'".into(), &"'c'".into())
        );
    });
}

/// Columns, rows of the one table and of the other, and what differs.
const KEYS: &[(&str, &str, &str, [u64; 3])] = &[
    ("k INT UNIQUE, v INT", "(1,2),(NULL,0)", "(1,2),(NULL,1)", [1, 1, 0]),
    ("k INT NOT NULL UNIQUE, v INT", "(1,2),(-3,0)", "(1,2),(-3,1)", [0, 0, 1]),
    ("k INT, v INT, PRIMARY KEY (v, k)", "(1,2),(2,1)", "(1,2),(2,2)", [1, 1, 0]),
    // Keys that are equal in their collation.
    ("k VARCHAR(9) COLLATE utf8mb4_general_ci PRIMARY KEY, v INT", "('a',1),('b',2)", "('A',1),('b',2)", [1, 1, 0]),
    (
        "k VARCHAR(9) CHARACTER SET latin1 PRIMARY KEY, v INT",
        "('\u{fc}',1),('it''s',2),('\\\\',1)",
        "('\u{fc}',1),('it''s',3),('\\\\',2)",
        [0, 0, 2],
    ),
    ("k VARBINARY(9) PRIMARY KEY, v INT", "(0x00,1),(0xff00,2),('',1)", "(0x00,1),(0xff00,3),('',1)", [0, 0, 1]),
    (
        "k DECIMAL(30,5) PRIMARY KEY, v INT",
        "(12345678901234567890.12345,1)",
        "(12345678901234567890.12344,1)",
        [1, 1, 0],
    ),
    (
        "k DATE, c CHAR(3), v INT, PRIMARY KEY (c, k)",
        "('2024-02-29','a',1),('2024-02-29','b',2),('0001-01-01','a',3)",
        "('2024-02-29','a',2),('2024-02-29','b',1),('0001-01-02','a',3)",
        [1, 1, 2],
    ),
    (
        "k DATE PRIMARY KEY, v INT",
        "('2024-02-29',1),('9999-12-31',2)",
        "('2024-02-29',1),('9999-12-31',NULL)",
        [0, 0, 1],
    ),
    (
        "k BIGINT UNSIGNED PRIMARY KEY, v INT",
        "(18446744073709551615,1),(0,1)",
        "(18446744073709551615,2),(0,1)",
        [0, 0, 1],
    ),
    (
        "k DATETIME(6) PRIMARY KEY, v INT",
        "('2024-01-01 00:00:00.000001',1)",
        "('2024-01-01 00:00:00.000001',2)",
        [0, 0, 1],
    ),
];

#[test]
fn keys_of_every_kind() {
    everywhere("verify_keys", |place| {
        for (columns, one, other, want) in KEYS {
            place.sql(&format!(
                "DROP TABLE IF EXISTS one, other; CREATE TABLE one ({columns}) DEFAULT CHARSET utf8mb4; CREATE TABLE other LIKE one; \
                 INSERT INTO one VALUES {one}; INSERT INTO other VALUES {other}"
            ));
            check(place, columns, *want);
        }
    });
}

/// The columns of a table whose key has ranges, and the n-th value of the key's first column.
const RANGES: &[(&str, &str)] = &[
    ("k INT PRIMARY KEY", "n * 3"),
    ("k BIGINT, part INT DEFAULT 7, PRIMARY KEY (k, part)", "n * 1000000007"),
    ("k DATE PRIMARY KEY", "'1000-01-01' + INTERVAL n DAY"),
    ("k DATETIME(6) PRIMARY KEY", "'2024-01-01' + INTERVAL n * 0.25 SECOND"),
    ("k TIMESTAMP(3) PRIMARY KEY", "'2024-03-31' + INTERVAL n * 17 SECOND"),
    ("k VARCHAR(20) PRIMARY KEY", "CONCAT(CHAR(97 + n % 26 USING utf8mb4), n, 'é')"),
    ("k VARCHAR(20) CHARACTER SET latin1 PRIMARY KEY", "CONCAT(CHAR(65 + n % 26 USING latin1), n)"),
    ("k VARBINARY(28) PRIMARY KEY", "UNHEX(SHA2(n, 224))"),
];

/// Ranges of keys of every kind: what differs in the first, in the middle, and beyond the last is found, and nothing else.
#[test]
fn ranges_of_keys_of_every_kind() {
    everywhere("verify_ranges", |place| {
        for (columns, value) in RANGES {
            place.sql(&format!(
                "SET time_zone = '+00:00'; DROP TABLE IF EXISTS one, other; \
                 CREATE TABLE one ({columns}, v INT) DEFAULT CHARSET utf8mb4; \
                 INSERT INTO one (k, v) WITH RECURSIVE s AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM s WHERE n < 900) \
                 SELECT {value}, n FROM s; CREATE TABLE other LIKE one; INSERT INTO other SELECT * FROM one; \
                 UPDATE other SET v = -1 WHERE v = 300; DELETE FROM one WHERE v = 900; DELETE FROM other WHERE v = 2; ANALYZE TABLE one, other"
            ));
            // So slow that each range has few rows.
            let done = verify(place, "one other --rate 450 --lanes 3 --differences 5");
            assert_eq!(numbers(&done), (2, [1, 1, 1]), "{columns}: {done}");
            assert_eq!((&done.json["rows"], &done.json["other_rows"]), (&899.into(), &899.into()), "{columns}: {done}");
        }
    });
}

/// A comparison that is interrupted, and killed, continues after the ranges that were equal.
#[test]
fn an_interrupted_comparison_continues() {
    everywhere("verify_continues", |place| {
        place.sql(
            "CREATE TABLE one (id INT PRIMARY KEY, v INT); \
             INSERT INTO one WITH RECURSIVE s AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM s WHERE n < 1000) SELECT n, n FROM s; \
             CREATE TABLE other LIKE one; INSERT INTO other SELECT * FROM one; ANALYZE TABLE one, other",
        );
        let arguments = "one other --rate 50 --lanes 1 --checkpoint c";
        let n_equal = || {
            let text = std::fs::read_to_string(place.path("c")).unwrap_or_default();
            text.lines().filter(|line| line.starts_with("equal ")).count()
        };
        for (n, name, end) in [(1, "INT", (Some(130), None)), (2, "KILL", (None, Some(9)))] {
            let child = command(place, arguments).spawn().unwrap();
            await_true("equal ranges", || n_equal() >= n);
            assert!(Command::new("kill").args(["-s", name, &child.id().to_string()]).status().unwrap().success());
            let output = child.wait_with_output().unwrap();
            assert_eq!((output.status.code(), output.status.signal()), end, "{output:?}");
        }
        let earlier = n_equal();
        assert!(earlier < 20);
        let other = verify(place, "one other --columns id --checkpoint c");
        assert_eq!(other.code, 1, "{other}");
        other.says("is of another comparison");
        // In a range that was equal: it is not compared again.
        place.sql("UPDATE other SET v = 0 WHERE id = 1; UPDATE other SET v = 0 WHERE id = 1000");
        let done = verify(place, &arguments.replace("--rate 50", "--rate 100k"));
        assert_eq!(numbers(&done), (2, [0, 0, 1]), "{done}");
        assert_eq!(
            (&done.json["rows"], done.json["differences"][0]["key"]["id"].as_str()),
            (&1000.into(), Some("1000")),
            "{done}"
        );
        let of_earlier = &done.json["earlier"];
        assert_eq!(of_earlier["ranges"], earlier, "{done}");
        assert!((1..1000).contains(&of_earlier["rows"].as_u64().unwrap()), "{done}");
        assert!(!place.path("c").exists());
        check(place, "from the beginning", [0, 0, 2]);
    });
}

/// A table that was made anew or altered has other rows than those that were compared.
#[test]
fn a_checkpoint_is_of_the_same_tables() {
    everywhere("verify_anew", |place| {
        let make = "CREATE TABLE other LIKE one; INSERT INTO other SELECT * FROM one";
        for (at, change) in ["DROP TABLE other", "ALTER TABLE other MODIFY v BIGINT"].into_iter().enumerate() {
            place.sql(&format!(
                "DROP TABLE IF EXISTS one, other; CREATE TABLE one (id INT PRIMARY KEY, v INT); \
                 INSERT INTO one WITH RECURSIVE s AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM s WHERE n < 1000) SELECT n, n FROM s; \
                 {make}; ANALYZE TABLE one, other"
            ));
            let file = format!("c{at}");
            let text = || std::fs::read_to_string(place.path(&file)).unwrap_or_default();
            let child = command(place, &format!("one other --rate 50 --lanes 1 --checkpoint {file}")).spawn().unwrap();
            await_true("equal ranges", || text().contains("\nequal "));
            assert!(Command::new("kill").args(["-s", "INT", &child.id().to_string()]).status().unwrap().success());
            assert_eq!(child.wait_with_output().unwrap().status.code(), Some(130));
            // Servers note when a table was made by the second.
            let passed =
                "SELECT MAX(CREATE_TIME) < NOW() FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE()";
            await_true("another second", || place.sql(passed) == "1");
            place.sql(change);
            if change.starts_with("DROP") {
                place.sql(make);
            }
            let done = verify(place, &format!("one other --checkpoint {file}"));
            assert_eq!(done.code, 1, "{change}: {done}");
            done.says("or a table was made anew or altered since");
            std::fs::remove_file(place.path(&file)).unwrap();
            check(place, change, [0, 0, 0]);
        }
    });
}

/// Both tables are changed in one transaction, again and again: one state of both is equal.
#[test]
fn one_state_of_both_tables() {
    everywhere("verify_snapshot", |place| {
        place.sql(
            "CREATE TABLE one (id INT PRIMARY KEY, v INT); \
             INSERT INTO one WITH RECURSIVE s AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM s WHERE n < 1000) SELECT n, n FROM s; \
             CREATE TABLE other LIKE one; INSERT INTO other SELECT * FROM one; ANALYZE TABLE one, other",
        );
        let over = AtomicBool::new(false);
        thread::scope(|scope| {
            let writer = scope.spawn(|| {
                let mut n = 0;
                while !over.load(Ordering::Relaxed) {
                    place.sql("BEGIN; UPDATE one SET v = v + 1; UPDATE other SET v = v + 1; COMMIT");
                    n += 1;
                }
                n
            });
            for _ in 0..10 {
                let done = verify(place, "one other --snapshot");
                assert_eq!(numbers(&done), (0, [0, 0, 0]), "{done}");
            }
            over.store(true, Ordering::Relaxed);
            assert!(writer.join().unwrap() > 0);
        });
    });
}

/// What the server cannot put into one text is not equal: MariaDB makes NULL of it.
#[test]
fn a_text_beyond_max_allowed_packet_is_not_left_out() {
    everywhere("verify_packet", |place| {
        place.sql("CREATE TABLE one (id INT PRIMARY KEY, t LONGTEXT CHARACTER SET latin1); INSERT INTO one VALUES (1, REPEAT(_latin1 0xfc, 9000000))");
        again(place);
        place.sql("UPDATE other SET t = INSERT(t, 9000000, 1, 'x')");
        let is_null = "SELECT SHA2(CAST(CONVERT(t USING utf8mb4) AS BINARY), 256) IS NULL FROM one";
        if place.sql(is_null) == "1" {
            let done = verify(place, "one other");
            assert_eq!(done.code, 3, "{done}");
            done.says("the server could not compute the digest of a row of");
            done.says("max_allowed_packet");
        } else {
            check(place, "a long text", [0, 0, 1]);
        }
    });
}

#[test]
fn rows_without_a_key_are_counted() {
    everywhere("verify_keyless", |place| {
        place.sql("CREATE TABLE one (a INT, b VARCHAR(5)); INSERT INTO one VALUES (1,'x'),(1,'x'),(2,'y'),(NULL,'z'),(NULL,NULL)");
        again(place);
        check(place, "nothing", [0, 0, 0]);
        for (change, want) in [
            ("INSERT INTO other VALUES (1, 'x')", [0, 1, 0]),
            ("INSERT INTO other VALUES (3, 'x'), (3, 'x')", [0, 2, 0]),
            ("DELETE FROM other WHERE a = 1 LIMIT 1", [1, 0, 0]),
            ("DELETE FROM other WHERE a = 1", [2, 0, 0]),
            ("UPDATE other SET b = '' WHERE a IS NULL AND b IS NULL", [1, 1, 0]),
            ("UPDATE other SET a = 0 WHERE a IS NULL AND b IS NULL", [1, 1, 0]),
        ] {
            place.sql(change);
            check(place, change, want);
            let file = "mend.sql";
            let done = verify(place, &format!("one other --differences-to {file}"));
            assert_eq!(numbers(&done), (2, want), "{done}");
            place.sql(&place.read(file));
            check(place, "mended", [0, 0, 0]);
            std::fs::remove_file(place.path(file)).unwrap();
            again(place);
        }
    });
}

#[test]
fn keys_of_texts_are_compared_by_their_bytes() {
    everywhere("verify_texts", |place| {
        place.sql(
            "CREATE TABLE one (k VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci PRIMARY KEY, v INT); \
             INSERT INTO one VALUES ('a', 1), ('B', 2), ('é', 3), ('', 4)",
        );
        again(place);
        check(place, "nothing", [0, 0, 0]);
        place.sql("UPDATE other SET k = 'A' WHERE k = 'a'");
        check(place, "another case", [1, 1, 0]);
        // Another character set, another collation, another order of columns, no index: the same rows.
        place.sql(
            "DROP TABLE other; CREATE TABLE other (v BIGINT, k CHAR(30) CHARACTER SET ucs2); \
             INSERT INTO other (k, v) SELECT k, v FROM one",
        );
        check(place, "as other types", [0, 0, 0]);
    });
}

/// The second table need not have the first one's key.
#[test]
fn a_key_that_is_there_twice_is_found() {
    everywhere("verify_twice", |place| {
        for key in ["id INT PRIMARY KEY, v INT", "id INT, v INT, PRIMARY KEY (id, v)"] {
            place.sql(&format!(
                "DROP TABLE IF EXISTS one, other; CREATE TABLE one ({key}); CREATE TABLE other (id INT NOT NULL, v INT); \
                 INSERT INTO one VALUES (1, 1), (2, 2), (3, 3); INSERT INTO other SELECT * FROM one"
            ));
            check(place, "nothing", [0, 0, 0]);
            place.sql("INSERT INTO other VALUES (2, 2)");
            check(place, "doubled", [0, 1, 0]);
            place.sql("INSERT INTO other VALUES (2, 2); DELETE FROM other WHERE id = 3");
            let done = verify(place, "one other --differences-to twice.sql");
            assert_eq!(numbers(&done), (2, [1, 2, 0]), "{done}");
            assert!(place.read("twice.sql").contains("-- by hand: extra (2 times): `id` = 2"), "{done}");
            std::fs::remove_file(place.path("twice.sql")).unwrap();
        }
        place.sql(
            "DROP TABLE one; CREATE TABLE one (id INT PRIMARY KEY, v INT); INSERT INTO one VALUES (1, 1), (2, 2); \
             DELETE FROM other; INSERT INTO other VALUES (1, 1), (2, 5), (2, 6)",
        );
        check(place, "twice, and neither is right", [1, 2, 0]);
    });
}

/// A row that no range of the key has.
#[test]
fn a_row_without_a_key_is_found() {
    everywhere("verify_no_key", |place| {
        place.sql(
            "CREATE TABLE one (id INT PRIMARY KEY, v INT); CREATE TABLE other (id INT, v INT); \
             INSERT INTO one VALUES (1, 1), (2, 2); INSERT INTO other VALUES (1, 1), (2, 2)",
        );
        check(place, "nothing", [0, 0, 0]);
        place.sql("INSERT INTO other VALUES (NULL, 3)");
        check(place, "a row without a key", [0, 1, 0]);
    });
}

#[test]
fn the_file_of_differences_mends_the_other_table() {
    everywhere("verify_mends", |place| {
        tables(place, "PRIMARY KEY");
        place.sql(
            "UPDATE other SET ti = 9, v = 'it''s \\\\ \"x\"', vb = x'00ff', g = NULL WHERE id = 1; DELETE FROM other WHERE id = 2; \
             INSERT INTO other (id, n) VALUES (7, 'x'); UPDATE other SET e = 'a' WHERE id = 3",
        );
        let done = verify(place, "one other --differences-to mend.sql");
        assert_eq!(numbers(&done), (2, [1, 1, 2]), "{done}");
        place.sql(&place.read("mend.sql"));
        check(place, "mended", [0, 0, 0]);
        place.sql("DELETE FROM other WHERE id = 2");
        let done = verify(place, "one other --differences-to all.csv --columns ti");
        assert_eq!(numbers(&done), (2, [1, 0, 0]), "{done}");
        assert_eq!(
            place.read("all.csv"),
            "kind,times,key,column,value,other\nmissing,1,\"`id` = 2\",\"id\",\"2\",\nmissing,1,\"`id` = 2\",\"ti\",\"1\",\n"
        );
        // A file is never written over.
        assert_eq!(verify(place, "one other --differences-to all.csv").code, 1);
    });
}

/// Rows without a key that a collation calls equal, a document, and an id of 0: the statements mean the right row and the right value.
#[test]
fn the_statements_mean_one_row() {
    everywhere("verify_means", |place| {
        for (columns, one, other) in [
            ("v VARCHAR(9) COLLATE utf8mb4_general_ci", "('A'),('b')", "('A'),('a')"),
            ("v VARCHAR(9) COLLATE utf8mb4_general_ci", "('a'),('b')", "('a'),('a ')"),
            (
                "v VARCHAR(9) CHARACTER SET latin1, t TIME(3)",
                "('é','-10:00:00.5')",
                "('é','-10:00:00.5'),('e','100:00:00')",
            ),
            ("j JSON", "('{\"a\": 1}')", "('{\"a\": 1}'),('{\"a\": 1.0}'),(NULL)"),
            ("id INT AUTO_INCREMENT PRIMARY KEY, v INT", "(7,1),(1,1)", "(1,1)"),
        ] {
            place.sql(&format!(
                "SET sql_mode = 'NO_AUTO_VALUE_ON_ZERO'; DROP TABLE IF EXISTS one, other; CREATE TABLE one ({columns}) DEFAULT CHARSET utf8mb4; \
                 CREATE TABLE other LIKE one; INSERT INTO one VALUES {one}; INSERT INTO other VALUES {other}"
            ));
            if columns.starts_with("id") {
                place.sql("UPDATE one SET id = 0 WHERE id = 7");
            }
            let done = verify(place, "one other --differences-to means.sql");
            assert_eq!(done.code, 2, "{columns}: {done}");
            place.sql(&place.read("means.sql"));
            check(place, columns, [0, 0, 0]);
            std::fs::remove_file(place.path("means.sql")).unwrap();
        }
    });
}

#[test]
fn what_cannot_be_compared_is_said() {
    everywhere("verify_refused", |place| {
        place.sql("CREATE TABLE one (id INT PRIMARY KEY, a INT); CREATE TABLE other (id INT PRIMARY KEY, b INT); CREATE TABLE third (id INT PRIMARY KEY, a VARCHAR(3))");
        let says = |arguments: &str, text: &str| {
            let done = verify(place, arguments);
            assert_eq!(done.code, 1, "{done}");
            done.says(text);
        };
        says("one nothing", "there is no table");
        says("one one", "a table is compared with itself");
        says("one other", "has a column `a`");
        says("one third", "cannot be compared: it is INT and VARCHAR(3)");
        says("one other --columns c", "has no column `c`");
        says("one other --differences-to x.txt", "neither .csv nor .sql");
        says("one other --other mysql://a:b@h/d", "is seen by every user");
        assert_eq!(verify(place, "one other --columns id").code, 0);
        place.sql("INSERT INTO one VALUES (1, 1), (2, 2); INSERT INTO other VALUES (1, 1), (3, 3)");
        let done = verify(place, "one other --columns id --where id<2");
        assert_eq!((numbers(&done), &done.json["rows"]), ((0, [0, 0, 0]), &1.into()), "{done}");
    });
}

/// Compares tables of two servers.
fn two_servers(place: &Place, other: &Place, arguments: &str) -> Done {
    let (server, mut command) = (&other.server, command(place, arguments));
    let url = format!("mysql://{}@{}:{}/{}", server.user, server.host, server.port, other.schema.name());
    command.arg("--other").arg(url).env("INRUSH_OTHER_PASSWORD", &server.password);
    Done::of(&mut command)
}

/// A place on each version.
fn three_places(label: &str) -> [Place; 3] {
    let all = servers::all();
    let find = |name: &str| all.iter().find(|server| server.local_infile && server.name == name).unwrap().clone();
    ["mysql-9.7", "mariadb-10.11", "mariadb-11.8"].map(|name| Place::new(find(name), label))
}

/// Documents that are not those of row 1, and what the server of row 1 has.
const DOCUMENTS: &[&str] = &[
    r#"{"b": [1, 2.50, "x"], "a": {"y": null, "x": true}, "ü": "é\\n\\"q\\" "}"#,
    "[]",
    "null",
    "{}",
    "\"\"",
    "1.0",
    "-0.10",
    "18446744073709551615",
    "[9007199254740993, 0.1, 1e-7, 1.7976931348623157e308]",
];

/// MySQL writes documents anew, MariaDB keeps them: they are compared by their values.
#[test]
fn documents_of_two_kinds_of_servers() {
    let places = three_places("verify_documents");
    for place in &places {
        let rows: Vec<_> =
            DOCUMENTS.iter().enumerate().map(|(id, text)| format!("({id},'{text}','{text}',{id})")).collect();
        place.sql(&format!(
            "CREATE TABLE one (id INT PRIMARY KEY, j JSON, k JSON NOT NULL, n INT) CHARACTER SET utf8mb4; INSERT INTO one VALUES {}; \
             INSERT INTO one VALUES (20, NULL, '1', 0); CREATE TABLE bag (j JSON); INSERT INTO bag SELECT j FROM one; INSERT INTO bag SELECT k FROM one",
            rows.join(",")
        ));
    }
    for (one, two) in [(0, 1), (2, 0)] {
        let (one, two) = (&places[one], &places[two]);
        let done = two_servers(one, two, "one one");
        assert_eq!((numbers(&done), &done.json["rows"]), ((0, [0, 0, 0]), &10.into()), "{done}");
        assert_eq!(numbers(&two_servers(one, two, "bag bag")), (0, [0, 0, 0]));
        for (id, other) in [
            (0, r#"{"b": [1, 2.5, "x"], "a": {"y": null, "x": true}, "ü": "é\\n\\"q\\""}"#),
            (0, r#"{"b": [2.5, 1, "x"], "a": {"y": null, "x": true}, "ü": "é\\n\\"q\\" "}"#),
            (1, "{}"),
            (2, "\"null\""),
            (4, "\" \""),
            (5, "1.1"),
            (6, "-1"),
            (7, "18446744073709551614"),
            (8, "[9007199254740992, 0.1, 1e-7, 1.7976931348623157e308]"),
        ] {
            two.sql(&format!("UPDATE one SET j = '{other}' WHERE id = {id}"));
            let done = two_servers(one, two, "one one");
            assert_eq!(numbers(&done), (2, [0, 0, 1]), "{other}: {done}");
            let columns = done.json["differences"][0]["columns"].as_array().unwrap();
            assert_eq!((columns.len(), &columns[0]["column"]), (1, &"j".into()), "{other}: {done}");
            two.sql(&format!("UPDATE one SET j = k WHERE id = {id}"));
        }
        two.sql("UPDATE one SET j = NULL WHERE id = 2");
        assert_eq!(numbers(&two_servers(one, two, "one one")), (2, [0, 0, 1]), "NULL and null");
        two.sql("UPDATE one SET j = k WHERE id = 2; INSERT INTO bag VALUES ('[]')");
        assert_eq!(numbers(&two_servers(one, two, "bag bag")), (2, [0, 1, 0]), "without a key");
        two.sql("DELETE FROM bag WHERE CAST(j AS CHAR) = '[]' LIMIT 1");
    }
}

/// MySQL and MariaDB, both ways.
#[test]
fn tables_of_two_kinds_of_servers() {
    let places = three_places("verify_two");
    for place in &places {
        tables(place, "PRIMARY KEY");
    }
    // Numbers of every size, which the two kinds write in another notation.
    let mut dice = Dice::of("doubles");
    let values: Vec<_> = (0..400)
        .map(|id| {
            let mut number = |most: u64| {
                let sign = if dice.percent(50) { "-" } else { "" };
                let digits = dice.below(1_000_000_000_000_000);
                format!(
                    "{sign}{}.{digits:015}e{}",
                    dice.below(10),
                    i128::from(dice.between(0, 2 * most)) - i128::from(most)
                )
            };
            format!("({id},{},{})", number(305), number(35))
        })
        .collect();
    let borders = "(400,1.7976931348623157e308,0.5),(401,5e-324,0.99999994),(402,0.9999999999999999,1),(403,1023.9999999999999,-0.0),\
        (404,2.2250738585072014e-308,3.4028234e38),(405,-4503599627370495.5,1.17549435e-38),(406,NULL,NULL)";
    for place in &places {
        place.sql(&format!(
            "CREATE TABLE numbers (id INT PRIMARY KEY, d DOUBLE, f FLOAT); INSERT INTO numbers VALUES {},{borders}",
            values.join(",")
        ));
    }
    for (one, two) in [(0, 1), (2, 0), (1, 2)] {
        let (one, two) = (&places[one], &places[two]);
        let columns = "one one";
        let done = two_servers(one, two, columns);
        assert_eq!(numbers(&done), (0, [0, 0, 0]), "{done}");
        two.sql("UPDATE one SET db = db * 2 WHERE id = 3");
        let done = two_servers(one, two, columns);
        assert_eq!(numbers(&done), (2, [0, 0, 1]), "{done}");
        two.sql("UPDATE one SET db = db / 2 WHERE id = 3");
        let done = two_servers(one, two, "numbers numbers");
        assert_eq!((numbers(&done), &done.json["rows"]), ((0, [0, 0, 0]), &407.into()), "{done}");
    }
}

/// Single cells that change at random, in a table of many ranges.
#[test]
fn random_changes_are_found() {
    let n = if is_long() { 10_000 } else { 60 };
    everywhere("verify_random", |place| {
        place.sql(
            "CREATE TABLE one (id INT PRIMARY KEY, a INT, b VARCHAR(20), c DATETIME(3), d DECIMAL(10,3), e VARBINARY(8), f DOUBLE); \
             INSERT INTO one WITH RECURSIVE s AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM s WHERE n < 500) \
             SELECT n * 7, n % 5, CONCAT('b', n % 9), '2024-01-01' + INTERVAL n * 0.001 SECOND, n / 8, CHAR(n % 200), n / 3 FROM s",
        );
        again(place);
        let mut dice = Dice::of("verify");
        for _ in 0..n {
            let id = 7 * (1 + dice.below(500));
            let change = [
                "a = a + 1",
                "a = NULL",
                "b = CONCAT(b, ' ')",
                "b = UPPER(b)",
                "b = ''",
                "c = c + INTERVAL 0.001 SECOND",
                "d = d + 0.001",
                "e = CONCAT(e, x'00')",
                "f = f * (1 + 2.5e-16)",
                "f = -f",
            ][usize::try_from(dice.below(10)).unwrap()];
            place.sql(&format!("UPDATE other SET {change} WHERE id = {id}"));
            let done = check(place, &format!("{change} of {id}"), [0, 0, 1]);
            assert_eq!(done.json["differences"][0]["key"]["id"], id.to_string(), "{done}");
            place.sql(&format!("REPLACE INTO other SELECT * FROM one WHERE id = {id}"));
        }
    });
}
