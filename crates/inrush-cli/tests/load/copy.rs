//! `inrush copy`: what is in the copy is what was in the source, between all kinds of servers; and what is refused before anything is changed.

use crate::manifests::is_equal;
use crate::place::{Done, Place, message, on};
use inrush_testkit::servers;
use std::process::{Command, Stdio};

/// `inrush copy` from one place into another one, with other ports where a test goes through a relay.
pub(crate) fn command_by(
    (from, from_port): (&Place, u16),
    (into, into_port): (&Place, u16),
    arguments: &str,
) -> Command {
    let mut command = watched_by((from, from_port), (into, into_port), arguments);
    command.args(["--json", "-q"]);
    command
}

/// The same, with what it says on the way.
pub(crate) fn watched_by(
    (from, from_port): (&Place, u16),
    (into, into_port): (&Place, u16),
    arguments: &str,
) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_inrush"));
    command.arg("copy").current_dir(from.folder.path());
    for (place, port) in [(from, from_port), (into, into_port)] {
        let (user, schema) = (&place.server.user, place.schema.name());
        command.arg(format!("mysql://{user}@127.0.0.1:{port}/{schema}?tls=disabled"));
    }
    command.env("HOME", from.folder.path()).env_remove("INRUSH_URL").env("INRUSH_PASSWORD", &from.server.password);
    command.env("INRUSH_OTHER_PASSWORD", &into.server.password);
    command.args(arguments.split_whitespace()).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

pub(crate) fn command(from: &Place, into: &Place, arguments: &str) -> Command {
    command_by((from, from.server.port), (into, into.server.port), arguments)
}

#[track_caller]
pub(crate) fn done(from: &Place, into: &Place, command: &mut Command) -> Done {
    let done = into.done(&command.output().unwrap());
    Done { stderr: done.stderr.replace(from.schema.name(), "origin"), ..done }
}

#[track_caller]
pub(crate) fn copy(from: &Place, into: &Place, arguments: &str) -> Done {
    done(from, into, &mut command(from, into, arguments))
}

pub(crate) fn watched(from: &Place, into: &Place, arguments: &str) -> Command {
    watched_by((from, from.server.port), (into, into.server.port), arguments)
}

/// The exit code, and for each table its name, its rows, and whether it was found equal.
pub(crate) fn tables(done: &Done) -> (i32, Vec<String>) {
    let line = |table: &serde_json::Value| {
        let word = |value: &serde_json::Value| value.to_string().trim_matches('"').to_owned();
        format!("{} {} {}", word(&table["table"]), table["rows"], word(&table["verify"]["equal"]))
    };
    (done.code, done.json["tables"].as_array().map_or(Vec::new(), |tables| tables.iter().map(line).collect()))
}

/// Runs `test` with each server as the source and each kind of server as the target.
fn pairs(label: &str, test: impl Fn(&Place, &Place) + Sync) {
    on(servers::with_local_infile(), label, |from| {
        for target in servers::without_local_infile() {
            let name = target.instance.clone();
            let into = Place::new(target, "copied");
            let tried = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| test(from, &into)));
            if let Err(panic) = tried {
                panic!("into {name}: {}", message(&*panic));
            }
        }
    });
}

/// A type, and values of it as SQL.
type Case = (&'static str, &'static [&'static str]);

/// One table each: what other tools lose.
const CASES: &[Case] = &[
    ("TINYINT", &["-128", "127", "0"]),
    ("BIGINT", &["-9223372036854775808", "9223372036854775807"]),
    ("BIGINT UNSIGNED", &["18446744073709551615", "0"]),
    ("INT(8) ZEROFILL", &["7"]),
    ("YEAR", &["0", "1901", "2155"]),
    ("BIT(1)", &["b'1'", "b'0'"]),
    ("BIT(5)", &["b'10101'"]),
    ("BIT(64)", &["0xffffffffffffffff", "0"]),
    (
        "DECIMAL(65,30)",
        &["12345678901234567890123456789012345.123456789012345678901234567891", "-0.000000000000000000000000000001"],
    ),
    ("FLOAT", &["1.17549e-38", "-3.4e38", "0.333333", "16777217", "0.1"]),
    ("DOUBLE", &["0.1", "-1.7976931348623157e308", "1e-300", "3.141592653589793", "9007199254740993", "5e-324"]),
    ("DATE", &["'0000-00-00'", "'0001-01-01'", "'9999-12-31'", "'2024-02-29'"]),
    ("DATETIME(6)", &["'0000-00-00 00:00:00'", "'1000-01-01 00:00:00.000001'", "'9999-12-31 23:59:59.999999'"]),
    (
        "TIMESTAMP(3) NULL",
        &[
            "'0000-00-00 00:00:00'",
            "'1970-01-01 00:00:01'",
            "'2038-01-19 03:14:07.999'",
            "'2024-10-27 00:30:00'",
            "'2024-10-27 01:30:00'",
        ],
    ),
    ("TIME(6)", &["'-838:59:59'", "'838:59:59'", "'-00:00:00.000001'", "'00:00:00'"]),
    ("CHAR(5) CHARACTER SET utf8mb4", &["''", "' a'", "'ä😀'"]),
    (
        "VARCHAR(99) CHARACTER SET utf8mb4",
        &["''", "'a  '", "'\\\\N'", "'NULL'", "'a\\tb\\nc\\r\\0\\\\'", "'\"\\'`,;'", "'😀'"],
    ),
    ("VARCHAR(20) CHARACTER SET latin1", &["'grün €'", "''"]),
    ("VARCHAR(20) CHARACTER SET ucs2", &["'日本'"]),
    ("LONGTEXT CHARACTER SET utf8mb4", &["''", "REPEAT('x', 200000)"]),
    ("VARBINARY(9)", &["''", "0x00ff0a5c27", "0x5c4e"]),
    ("BINARY(3)", &["0x01", "''"]),
    ("LONGBLOB", &["''", "REPEAT(0x00275c0a, 50000)"]),
    ("ENUM('a','b,c','')", &["'a'", "'b,c'", "''"]),
    ("ENUM('1','0','2')", &["'0'", "'2'"]),
    ("SET('x','y')", &["''", "'x,y'"]),
    ("JSON", &["'{\"b\": [1, 2.5, \"x\\\\ny\"], \"a\": null}'", "'null'", "'[]'", "'\"s\"'"]),
    ("GEOMETRY", &["ST_GeomFromText('POINT(1 2)')", "ST_GeomFromText('LINESTRING(0 0,1 1)', 4326)"]),
    ("POINT", &["ST_GeomFromText('POINT(-1.5 2)')"]),
];

/// Each value as a text that is the same on both kinds of servers; documents and floating-point numbers are compared by `verify`.
fn shown(case: &Case) -> &'static str {
    match case.0 {
        "JSON" | "FLOAT" | "DOUBLE" => "c IS NULL",
        ty if ty.starts_with("BIT") => "HEX(c + 0)",
        "GEOMETRY" | "POINT" | "LONGBLOB" | "VARBINARY(9)" | "BINARY(3)" => "HEX(c)",
        _ => "HEX(CONVERT(CONCAT(c) USING utf8mb4))",
    }
}

#[test]
fn every_type_between_all_servers() {
    on(servers::with_local_infile(), "copy_types", |place| {
        place.sql("SELECT 1");
    });
    pairs("copy_types", |from, into| {
        if from.sql("SHOW TABLES").is_empty() {
            let mut sql = "SET time_zone = '+00:00', sql_mode = 'NO_AUTO_VALUE_ON_ZERO';".to_owned();
            for (at, (ty, values)) in CASES.iter().enumerate() {
                let rows: Vec<_> = values.iter().enumerate().map(|(id, value)| format!("({id}, {value})")).collect();
                sql += &format!(
                    "CREATE TABLE c{at} (id INT PRIMARY KEY, c {ty}); INSERT INTO c{at} VALUES (-1, NULL), {};",
                    rows.join(", ")
                );
            }
            from.sql(&sql);
        }
        let done = copy(from, into, "");
        let mut want: Vec<_> =
            CASES.iter().enumerate().map(|(at, case)| format!("c{at} {} true", case.1.len() + 1)).collect();
        want.sort();
        assert_eq!(tables(&done), (0, want), "{done}");
        for (at, case) in CASES.iter().enumerate() {
            let of = |place: &Place| {
                place.sql(&format!("SET time_zone = '+00:00'; SELECT id, {} FROM c{at} ORDER BY id", shown(case)))
            };
            assert_eq!(of(into), of(from), "{}", case.0);
        }
    });
}

/// Keys of all kinds, foreign keys in a circle, odd names, generated and invisible columns, zeros in AUTO_INCREMENT columns.
const TABLES: &str = r#"
SET sql_mode = 'NO_AUTO_VALUE_ON_ZERO';
CREATE TABLE numbered (id INT AUTO_INCREMENT PRIMARY KEY, t VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci, KEY (t));
INSERT INTO numbered VALUES (0, 'zero'), (5, 'five'), (-3, '');
CREATE TABLE nokey (a INT, b VARCHAR(9) CHARACTER SET utf8mb4, KEY (a, b));
INSERT INTO nokey VALUES (3, 'c'), (1, 'a'), (1, 'a'), (NULL, NULL), (NULL, NULL);
CREATE TABLE c1 (id INT PRIMARY KEY, c2 INT);
CREATE TABLE c2 (id INT PRIMARY KEY, c1 INT, FOREIGN KEY (c1) REFERENCES c1 (id));
ALTER TABLE c1 ADD FOREIGN KEY (c2) REFERENCES c2 (id);
INSERT INTO c1 VALUES (1, NULL); INSERT INTO c2 VALUES (2, 1); UPDATE c1 SET c2 = 2;
CREATE TABLE own (id INT PRIMARY KEY, up INT, FOREIGN KEY (up) REFERENCES own (id)); INSERT INTO own VALUES (2, NULL), (1, 2);
CREATE TABLE pair (a VARCHAR(5) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin, b INT, g INT AS (b * 2) STORED, v INT AS (b + 1) VIRTUAL, PRIMARY KEY (b, a));
INSERT INTO pair (a, b) VALUES ('x', 2), ('X', 2), ('b', 1), ('', 1);
CREATE TABLE `a.b``c` (`id ``1` INT PRIMARY KEY, `select` INT); INSERT INTO `a.b``c` VALUES (1, 2);
CREATE TABLE parted (id INT PRIMARY KEY, n INT) PARTITION BY RANGE (id) (PARTITION p0 VALUES LESS THAN (10), PARTITION p1 VALUES LESS THAN MAXVALUE);
INSERT INTO parted VALUES (1, 1), (20, 2), (3, 3);
CREATE TABLE nothing (id INT PRIMARY KEY);
CREATE VIEW v AS SELECT id FROM own;
CREATE TRIGGER tr BEFORE INSERT ON numbered FOR EACH ROW SET NEW.t = 'by the trigger';
CREATE PROCEDURE pr() SELECT 1;
"#;

const NAMES: [&str; 9] = ["`a.b``c`", "c1", "c2", "nokey", "nothing", "numbered", "own", "pair", "parted"];

const WANT: [&str; 9] = [
    "a.b`c 1 true",
    "c1 1 true",
    "c2 1 true",
    "nokey 5 true",
    "nothing 0 true",
    "numbered 3 true",
    "own 2 true",
    "pair 4 true",
    "parted 3 true",
];

#[test]
fn whole_databases() {
    pairs("copy_tables", |from, into| {
        if from.sql("SHOW TABLES").is_empty() {
            from.sql(TABLES);
        }
        let invisible =
            if from.is_mysql() == into.is_mysql() { "h INT DEFAULT 3 INVISIBLE" } else { "h INT DEFAULT 3" };
        from.sql(&format!("DROP TABLE IF EXISTS hidden; CREATE TABLE hidden (id INT PRIMARY KEY, {invisible}); INSERT INTO hidden (id, h) VALUES (1, 7), (2, NULL)"));
        let dry = copy(from, into, "--dry-run");
        assert_eq!(
            (dry.code, dry.json["tables"][0]["state"].as_str(), into.sql("SHOW TABLES")),
            (0, Some("missing"), String::new()),
            "{dry}"
        );
        let done = copy(from, into, "--defer-indexes");
        let mut want: Vec<_> = WANT.iter().map(|line| (*line).to_owned()).collect();
        want.insert(3, "hidden 2 true".to_owned());
        assert_eq!(tables(&done), (0, want.clone()), "{done}");
        assert_eq!(done.json["not_copied"].to_string(), r#"{"routine":["pr"],"trigger":["tr"],"view":["v"]}"#);
        for name in NAMES.iter().chain(&["hidden"]) {
            is_equal(from, into, name, "");
            let shown =
                |place: &Place| place.sql(&format!("SHOW CREATE TABLE {name}")).replace(place.schema.name(), "");
            if from.server.name == into.server.name {
                assert_eq!(shown(into), shown(from));
                let sum = |place: &Place| place.sql(&format!("CHECKSUM TABLE {name}")).replace(place.schema.name(), "");
                assert_eq!(sum(into), sum(from), "{name}");
            }
        }
        assert_eq!(into.sql("SELECT id, t FROM numbered ORDER BY id"), "-3,|0,zero|5,five");
        assert_eq!(into.sql("SELECT a, b, g, v FROM pair ORDER BY b, a"), ",1,2,2|b,1,2,2|X,2,4,3|x,2,4,3");
        assert_eq!(into.sql("SELECT h FROM hidden ORDER BY id"), "7|NULL");
        // Once more, it is compared and nothing is stored.
        let again = copy(from, into, "");
        assert_eq!(tables(&again), (0, want), "{again}");
        assert!(again.json["tables"][0]["load"].is_null(), "{again}");
    });
}

/// Tables that refreshes keep or fill are no data of the source; tables with like names are.
#[test]
fn tables_of_refreshes_are_left_out() {
    on(servers::with_local_infile(), "copy_refreshes", |from| {
        let names = [
            "t__inrush_kept_00abcdef",
            "t__inrush_new",
            "t__inrush_old",
            "t__inrush_undone_12345678",
            "t__inrush_verify_00000007",
        ];
        let others = ["t", "t__inrush_kept_00abcde", "t__inrush_keep_00abcdef", "inrush_new"];
        for name in names.iter().chain(&others) {
            from.sql(&format!("CREATE TABLE {name} (a INT PRIMARY KEY); INSERT INTO {name} VALUES (1)"));
        }
        let into = Place::new(from.server.clone(), "refreshed");
        let done = copy(from, &into, "");
        assert_eq!(done.code, 0, "{done}");
        assert_eq!(done.json["not_copied"]["refresh"].to_string(), format!("{names:?}").replace(", ", ","), "{done}");
        let copied = into.sql("SHOW TABLES LIKE '%t\\_\\_inrush%'");
        assert_eq!(copied, "t__inrush_keep_00abcdef|t__inrush_kept_00abcde");
        assert_eq!(into.sql("SELECT COUNT(*) FROM t, inrush_new"), "1");
        // One that is named is copied.
        let done = copy(from, &into, "--tables t__inrush_old");
        assert_eq!((done.code, into.sql("SELECT a FROM t__inrush_old")), (0, "1".to_owned()), "{done}");
    });
}

/// What cannot be copied as it is, by table: what makes it at the source and at the target, the options, the exit code, and words of the message.
const REFUSED: &[(&str, &str, &str, i32, &str)] = &[
    (
        "CREATE TABLE t (id INT); INSERT INTO t VALUES (1)",
        "CREATE TABLE t (id INT); INSERT INTO t VALUES (9)",
        "",
        1,
        "`shop`.`t` of the target is not empty\nhint: `--truncate` empties",
    ),
    (
        "CREATE TABLE t (id INT, n INT)",
        "CREATE TABLE t (id INT)",
        "",
        1,
        "`shop`.`t` of the target has no column `n` that could be written",
    ),
    (
        "CREATE TABLE t (id INT)",
        "CREATE TABLE t (id INT, n INT DEFAULT 3)",
        "",
        1,
        "`shop`.`t` of the target has a column `n`, and the source has none",
    ),
    (
        "CREATE TABLE t (id INT, d DOUBLE)",
        "CREATE TABLE t (id INT, d FLOAT)",
        "",
        1,
        "`shop`.`t` of the target: column `d` cannot be compared: it is DOUBLE and FLOAT\nhint: make both tables alike",
    ),
    (
        "CREATE TABLE t (id INT, d DATETIME(6))",
        "CREATE TABLE t (id INT, d DATETIME(3))",
        "",
        1,
        "`shop`.`t` of the target: column `d` cannot be compared: it is DATETIME(6) and DATETIME(3)\nhint: make both tables alike",
    ),
    (
        "CREATE TABLE t (id INT)",
        "CREATE TABLE t (id INT); CREATE TRIGGER tr BEFORE INSERT ON t FOR EACH ROW SET NEW.id = 1",
        "",
        1,
        "has the trigger `tr`, which would run for each row",
    ),
    ("CREATE TABLE t (id INT) ENGINE=MyISAM", "SELECT 1", "", 5, "`origin`.`t` is MyISAM, which has no transactions"),
    (
        "CREATE TABLE t (id INT)",
        "CREATE TABLE t (id INT) ENGINE=MyISAM",
        "",
        5,
        "`shop`.`t` is MyISAM, which has no transactions",
    ),
    ("SELECT 1", "SELECT 1", "", 1, "there is no table in database `origin` that this user may see"),
    (
        "CREATE TABLE t (id INT)",
        "SELECT 1",
        "--tables t,nix",
        1,
        "there is no table `origin`.`nix` that this user may see",
    ),
    ("CREATE VIEW t AS SELECT 1", "SELECT 1", "--tables t", 1, "`origin`.`t` is a view, and views are not copied"),
    (
        "CREATE TABLE t (id INT)",
        "SELECT 1",
        "--tables mysql.user",
        1,
        "`mysql.user` is of another database than `origin`",
    ),
    ("CREATE TABLE inrush_job (id INT)", "SELECT 1", "--tables inrush_job", 1, "is a table of the ledger of loads"),
    ("CREATE TABLE t (id INT)", "SELECT 1", "--lanes 0", 1, "`--lanes 0` is not understood"),
    ("CREATE TABLE t (id INT)", "SELECT 1", "--read-rate 0", 1, "`--read-rate 0` is not understood"),
];

#[test]
fn what_is_refused_changes_nothing() {
    on(servers::spread(0), "copy_refused", |from| {
        for (source, target, arguments, code, says) in REFUSED {
            let clean = |place: &Place| {
                place.sql("DROP VIEW IF EXISTS t");
                place.sql("DROP TABLE IF EXISTS t, inrush_job, inrush_chunk, inrush_reject");
            };
            clean(from);
            let into = Place::new(from.server.clone(), "refused");
            from.sql(source);
            into.sql(target);
            let state = |place: &Place| {
                let tables = place.sql("SHOW TABLES");
                let sums = tables
                    .split('|')
                    .filter(|name| !name.is_empty())
                    .map(|name| place.sql(&format!("CHECKSUM TABLE {name}")));
                sums.collect::<String>() + &tables
            };
            let before = state(&into);
            let done = copy(from, &into, arguments);
            assert_eq!(done.code, *code, "{source}: {done}");
            done.says(says);
            assert_eq!(state(&into), before, "{source}: {done}");
        }
        let same = copy(from, from, "");
        assert_eq!(same.code, 1, "{same}");
        same.says("FROM and TO are the same database of the same server");
        for (at, url) in ["mysql://a:secret@127.0.0.1/shop", "mysql://127.0.0.1"].iter().enumerate() {
            let mut wrong = Command::new(env!("CARGO_BIN_EXE_inrush"));
            let output = wrong.args(["copy", url, "mysql://127.0.0.1/shop"]).output().unwrap();
            let said = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(1), "{said}");
            assert!(
                said.contains(["a password in FROM is seen by every user", "FROM names no database"][at]),
                "{said}"
            );
            assert!(!said.contains("secret"), "{said}");
        }
    });
}

/// `--truncate` would empty the source.
#[test]
fn one_database_under_two_addresses() {
    on(servers::all(), "copy_same", |place| {
        place.sql("CREATE TABLE t (id INT PRIMARY KEY); INSERT INTO t VALUES (1), (2), (3)");
        let (user, schema) = (&place.server.user, place.schema.name());
        let by_port = format!("mysql://{user}@127.0.0.1:{}/{schema}?tls=disabled", place.server.port);
        let by_socket = format!("mysql://{user}@localhost/{schema}?socket={}", place.server.socket.display());
        let by_name = by_port.replace("127.0.0.1", "localhost");
        for (from, to) in [(&by_port, &by_socket), (&by_socket, &by_port), (&by_name, &by_port)] {
            for arguments in [&["--truncate"][..], &["--truncate", "--dry-run"], &[]] {
                let mut command = Command::new(env!("CARGO_BIN_EXE_inrush"));
                command.arg("copy").args([from, to]).args(arguments).env("HOME", place.folder.path());
                command.env_remove("INRUSH_URL").env("INRUSH_PASSWORD", &place.server.password);
                command.env("INRUSH_OTHER_PASSWORD", &place.server.password);
                let refused = place.done(&command.output().unwrap());
                assert_eq!(refused.code, 1, "{from} {to}: {refused}");
                refused.says("FROM and TO are the same database of the same server, as `");
                refused.says("hint: TO must name another database, or another server");
                assert_eq!(place.sql("SHOW TABLES; SELECT COUNT(*) FROM t"), "t|3", "{from} {to}");
            }
        }
    });
}

/// A value that a column of the target does not hold ends the copy; what is stored of other rows stays, and the copy goes on once it fits.
#[test]
fn values_that_do_not_fit() {
    const WRONG: &[(&str, &str, &str)] = &[
        ("VARCHAR(9) CHARACTER SET utf8mb4", "VARCHAR(9) CHARACTER SET latin1", "'日本'"),
        ("BIGINT", "INT", "2147483648"),
        ("DECIMAL(9,3)", "DECIMAL(4,3)", "123.456"),
        ("VARCHAR(9)", "VARCHAR(3)", "'four'"),
        ("INT NULL", "INT NOT NULL", "NULL"),
    ];
    on(servers::spread(1), "copy_bad", |from| {
        for (of_source, of_target, value) in WRONG {
            from.sql(&format!("DROP TABLE IF EXISTS t; CREATE TABLE t (id INT PRIMARY KEY, c {of_source}); INSERT INTO t VALUES (1, {value})"));
            let into = Place::new(from.server.clone(), "bad");
            into.sql(&format!("CREATE TABLE t (id INT PRIMARY KEY, c {of_target})"));
            let done = copy(from, &into, "");
            assert_eq!((done.code, into.sql("SELECT COUNT(*) FROM t").as_str()), (2, "0"), "{of_target}: {done}");
            done.says("column `c`");
            done.says("hint: the column of the target must hold the value as it is");
            into.sql(&format!("ALTER TABLE t MODIFY c {of_source}"));
            let done = copy(from, &into, "");
            assert_eq!(tables(&done), (0, vec!["t 1 true".to_owned()]), "{of_target}: {done}");
        }
        // The error value of an ENUM looks like the member '' and is none.
        from.sql("DROP TABLE t; CREATE TABLE t (id INT PRIMARY KEY, c ENUM('a','')); SET sql_mode = ''; INSERT IGNORE INTO t VALUES (1, 'x')");
        let into = Place::new(from.server.clone(), "bad");
        let done = copy(from, &into, "");
        assert_eq!((done.code, into.sql("SELECT COUNT(*) FROM t").as_str()), (2, "0"), "{done}");
        done.says("column `c` holds the error value of an ENUM");
        assert!(!done.stderr.contains("--invalid"), "{done}");
    });
}

#[test]
fn rights_that_are_missing() {
    on(servers::spread(0), "copy_rights", |from| {
        let into = Place::new(from.server.clone(), "rights");
        from.sql("CREATE TABLE t (id INT PRIMARY KEY); INSERT INTO t VALUES (1)");
        let user = format!("copy_{}", into.schema.name().chars().rev().take(20).collect::<String>());
        let root = |sql: &str| drop(from.server.sql(sql));
        root(&format!("CREATE USER '{user}'@'%' IDENTIFIED BY 'Pass-1'"));
        let check = |grant: &str, code: i32, says: &str| {
            if !grant.is_empty() {
                root(&format!("GRANT {grant} TO '{user}'@'%'"));
            }
            let mut command = Command::new(env!("CARGO_BIN_EXE_inrush"));
            command
                .args(["copy", "--json", "-q"])
                .env("INRUSH_PASSWORD", "Pass-1")
                .env("INRUSH_OTHER_PASSWORD", "Pass-1");
            for place in [from, &into] {
                command.arg(format!("mysql://{user}@127.0.0.1:{}/{}", place.server.port, place.schema.name()));
            }
            let done = done(from, &into, &mut command);
            assert_eq!(done.code, code, "{grant}: {done}");
            done.says(says);
        };
        let (source, target) = (from.schema.name(), into.schema.name());
        check("", 3, "denied");
        check(&format!("SELECT ON `{source}`.*"), 3, "denied");
        check(&format!("SELECT ON `{target}`.*"), 3, "denied");
        check(&format!("CREATE ON `{target}`.*"), 5, "denied");
        check(&format!("INSERT, UPDATE, DELETE ON `{target}`.*"), 0, "");
        assert_eq!(into.sql("SELECT id FROM t"), "1");
        root(&format!("DROP USER '{user}'@'%'"));
    });
}
