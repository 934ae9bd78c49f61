//! Dumps in SQL as a source: one table of them, all tables, and what comes after the rows. Each is compared with what the server's own client
//! makes of the same text.

use crate::manifests::{beside, is_equal, stored};
use crate::place::{Done, Place, everywhere};
use crate::server_of_own::OwnServer;
use crate::session::Session;
use crate::stopped::{Running, await_true, waits};
use std::fs::File;
use std::io::Write as _;
use std::process::Stdio;

/// Tables with all that a dump may hold.
const TABLES: &str = r#"
CREATE TABLE parent (id INT PRIMARY KEY, n VARCHAR(20) CHARACTER SET utf8mb4);
CREATE TABLE child (id INT PRIMARY KEY AUTO_INCREMENT, p INT, t TEXT CHARACTER SET utf8mb4, b BLOB, f BIT(5), g GEOMETRY, d DECIMAL(9,3),
  e ENUM('a','','c'), s SET('x','y'), ts TIMESTAMP NULL, dt DATETIME(3), y YEAR, db DOUBLE, j JSON, gen INT AS (p + 1) VIRTUAL,
  bb VARBINARY(10), KEY kp (p), FOREIGN KEY (p) REFERENCES parent (id));
CREATE TABLE nokey (a INT, `odd ``name` VARCHAR(50));
CREATE TABLE `none` (a INT);
INSERT INTO parent VALUES (1, 'one'), (2, 'tw''o\\');
INSERT INTO child (p, t, b, f, g, d, e, s, ts, dt, y, db, j, bb) VALUES
  (1, 'line1\nline2\t;"q"''s', 0x00ff0a5c27, b'101', ST_GeomFromText('POINT(1 2)'), 1.5, '', '', '2024-01-01 00:00:00',
   '2024-05-05 01:02:03.456', 2024, 1e100, '{"a": [1, "x\\n"]}', ''),
  (2, '', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
  (NULL, 'ünï😀', REPEAT(0x27, 10), 0, ST_GeomFromText('LINESTRING(0 0,1 1)'), -0.001, 'c', 'x,y', '1999-12-31 23:59:59',
   '1000-01-01', 1901, -0.1, '[null]', 0x5c00);
INSERT INTO nokey VALUES (1, 'r1'), (1, 'r1'), (2, NULL);
CREATE VIEW v AS SELECT id, t FROM child;
CREATE TRIGGER tr BEFORE INSERT ON nokey FOR EACH ROW SET NEW.a = NEW.a + 1000;
CREATE PROCEDURE pr() INSERT INTO parent VALUES (99, 'p');
"#;

/// What the server's own program dumps of the place, as `dump.sql` in its folder.
pub(crate) fn dump(place: &Place, arguments: &str) -> String {
    let output = place.server.dump().args(arguments.split_whitespace()).arg(place.schema.name()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    place.write("dump.sql", &output.stdout);
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// `inrush load` of the dump of `from` into all tables of `into`.
#[track_caller]
pub(crate) fn load(from: &Place, into: &Place, arguments: &str) -> Done {
    let mut command = into.command(arguments);
    command.current_dir(from.folder.path()).args(["--json", "-q"]);
    into.done(&command.output().unwrap())
}

/// The dump of `from`, played by the server's own client.
pub(crate) fn play(from: &Place, into: &Place) {
    let mut client = into.server.client();
    client.args(["--default-character-set=utf8mb4", "--user=root"]).env("MYSQL_PWD", &into.server.root_password);
    let output = client.arg(into.schema.name()).stdin(File::open(from.path("dump.sql")).unwrap()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

const NAMES: [&str; 3] = ["parent", "child", "nokey"];

/// The definitions of everything in a place.
fn definitions(place: &Place) -> Vec<String> {
    let schema = place.schema.name();
    let shown = |what: &str| place.sql(&format!("SHOW CREATE {what}")).replace(schema, "shop");
    let mut all: Vec<_> =
        ["parent", "child", "nokey", "none"].iter().map(|name| shown(&format!("TABLE `{name}`"))).collect();
    all.extend(["VIEW v", "TRIGGER tr", "PROCEDURE pr"].iter().map(|what| shown(what)));
    // When a trigger was made.
    all[5] = all[5].rsplit_once(",20").map_or(String::new(), |(text, _)| text.to_owned());
    all
}

/// A whole dump becomes what the client makes of it: tables, rows, views, triggers, routines.
#[test]
fn all_of_a_dump() {
    everywhere("dump_all", |place| {
        place.sql(TABLES);
        for (label, arguments) in
            [("plain", ""), ("hex", "--hex-blob"), ("names", "--complete-insert --skip-extended-insert")]
        {
            dump(place, &format!("--routines {arguments}"));
            let (ours, theirs) = (Place::new(place.server.clone(), "ours"), beside(place));
            let done = load(place, &ours, "dump.sql --into *");
            assert_eq!(stored(&done), (0, 8), "{label}: {}", done.stderr);
            play(place, &theirs);
            assert_eq!(definitions(&ours), definitions(&theirs), "{label}");
            NAMES.iter().for_each(|table| is_equal(place, &ours, table, ""));
            // Once more, nothing is stored twice, and what is there is passed over.
            let again = load(place, &ours, "dump.sql --into *");
            assert_eq!(stored(&again), (0, 8), "{label}: {}", again.stderr);
            NAMES.iter().for_each(|table| is_equal(place, &ours, table, ""));
        }
    });
}

/// The rows of one table, by the name of the target, by its own, from a compressed file, from standard input.
#[test]
fn one_table_of_a_dump() {
    everywhere("dump_one", |place| {
        place.sql(TABLES);
        dump(place, "");
        place.sql("CREATE TABLE other LIKE child");
        let into = beside(place);
        into.sql(TABLES);
        into.sql("DROP TRIGGER tr; SET foreign_key_checks = 0; TRUNCATE parent; TRUNCATE child; TRUNCATE nokey");
        let check = |command: &str, want: (i32, u64)| {
            let mut command = into.command(command);
            let done = into.done(&command.current_dir(place.folder.path()).args(["--json", "-q"]).output().unwrap());
            let stored = done.json["rows"]["stored"].as_u64().unwrap_or(0);
            assert_eq!((done.code, stored), want, "{}", done.stderr);
            done
        };
        check("dump.sql --into parent", (0, 2));
        assert!(
            std::process::Command::new("gzip")
                .args(["-k", "dump.sql"])
                .current_dir(place.folder.path())
                .status()
                .unwrap()
                .success()
        );
        check("dump.sql.gz#child --into child", (0, 3));
        let mut command = into.command("- --format sql --into nokey");
        let mut child = command.args(["--json", "-q"]).stdin(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(&std::fs::read(place.path("dump.sql")).unwrap()).unwrap();
        assert!(child.wait_with_output().unwrap().status.success());
        NAMES.iter().for_each(|table| is_equal(place, &into, table, ""));
        // A table without rows, and one that is not there.
        into.sql("CREATE TABLE absent (a INT)");
        let absent = check("dump.sql --into absent", (1, 0));
        assert!(absent.stderr.contains("no rows of a table `absent`"), "{}", absent.stderr);
        check("dump.sql#nokey --into absent --delimiter ;", (1, 0));
        check("dump.sql#none --into none --allow-empty", (0, 0));
    });
}

/// A part of a dump: some tables, only definitions, only rows; and another user after DEFINER.
#[test]
fn a_part_of_a_dump() {
    everywhere("dump_part", |place| {
        place.sql(TABLES);
        place.sql("CREATE TRIGGER tp BEFORE INSERT ON parent FOR EACH ROW SET NEW.n = 'new'");
        dump(place, "--routines");
        let made = "SELECT GROUP_CONCAT(n ORDER BY n) FROM (SELECT TABLE_NAME AS n FROM information_schema.TABLES
            WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME NOT LIKE 'inrush%' UNION ALL SELECT TRIGGER_NAME FROM information_schema.TRIGGERS
            WHERE TRIGGER_SCHEMA = DATABASE() UNION ALL SELECT ROUTINE_NAME FROM information_schema.ROUTINES WHERE ROUTINE_SCHEMA = DATABASE()) AS a";
        let check = |arguments: &str, want: (i32, u64), names: &str| {
            let into = beside(place);
            let done = load(place, &into, &format!("dump.sql --into * {arguments}"));
            let rows = &done.json["total"]["rows"]["stored"];
            assert_eq!((done.code, rows.as_u64().unwrap_or(0)), want, "{arguments}: {}", done.stderr);
            assert_eq!(into.sql(made), names, "{arguments}: {}", done.stderr);
            into
        };
        check("--only nokey", (0, 3), "nokey,tr");
        check("--only nokey,parent", (0, 5), "nokey,parent,tp,tr");
        check("--except nokey", (0, 5), "child,none,parent,pr,tp,v");
        check("--only nokey --rows-only", (1, 0), "NULL");
        // The view needs the table that is left out; what comes after it is played.
        check("--except child", (0, 5), "nokey,none,parent,pr,tp,tr");
        let into = check("--schema-only", (0, 0), "child,nokey,none,parent,pr,tp,tr,v");
        assert_eq!(into.sql("SELECT COUNT(*) FROM nokey"), "0");
        // They would fire for the rows.
        for arguments in ["--rows-only", ""] {
            let refused = load(place, &into, &format!("dump.sql --into * {arguments}"));
            assert_eq!(refused.code, 5, "{}", refused.stderr);
            assert!(refused.stderr.contains("has triggers (`t"), "{}", refused.stderr);
        }
        into.sql("DROP VIEW v; DROP PROCEDURE pr; DROP TRIGGER tr; DROP TRIGGER tp");
        let done = load(place, &into, "dump.sql --into * --rows-only");
        assert_eq!(stored(&done), (0, 8), "{}", done.stderr);
        assert_eq!(into.sql(made), "child,nokey,none,parent");
        NAMES.iter().for_each(|table| is_equal(place, &into, table, ""));
        // Each table is the same job, however much of the dump is loaded: what is missing comes now, and no row a second time.
        let done = load(place, &into, "dump.sql --into * --definers app@%.example.org");
        assert_eq!(stored(&done), (0, 8), "{}", done.stderr);
        NAMES.iter().for_each(|table| is_equal(place, &into, table, ""));
        let definers = "SELECT GROUP_CONCAT(DISTINCT d) FROM (SELECT DEFINER AS d FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = DATABASE()
            UNION ALL SELECT DEFINER FROM information_schema.VIEWS WHERE TABLE_SCHEMA = DATABASE()
            UNION ALL SELECT DEFINER FROM information_schema.ROUTINES WHERE ROUTINE_SCHEMA = DATABASE()) AS a";
        assert_eq!(into.sql(definers), "app@%.example.org");
        let stripped = check("--definers strip", (0, 8), "child,nokey,none,parent,pr,tp,tr,v");
        assert_eq!(stripped.sql(definers), stripped.sql("SELECT USER()").replace("localhost", "%"));
    });
}

/// Tables under other names are those of the client, renamed by the server: also in a circle of foreign keys, a trigger and a view.
#[test]
fn tables_under_other_names() {
    everywhere("dump_renamed", |place| {
        place.sql(
            "SET foreign_key_checks = 0; CREATE TABLE a (id INT PRIMARY KEY, b INT, v VARCHAR(10), CHECK (id < 1000));
             CREATE TABLE b (id INT PRIMARY KEY, a INT, KEY ka (a), FOREIGN KEY (a) REFERENCES a (id));
             ALTER TABLE a ADD FOREIGN KEY (b) REFERENCES b (id); CREATE TABLE c (id INT);
             INSERT INTO a VALUES (1, 2, 'one'), (2, NULL, 'two'); INSERT INTO b VALUES (2, 1), (3, 2); INSERT INTO c VALUES (7);
             CREATE TRIGGER tr BEFORE INSERT ON a FOR EACH ROW SET NEW.v = 'new';
             CREATE VIEW w AS SELECT a.id, y.a, a.b FROM a JOIN b y ON y.a = a.id",
        );
        dump(place, "");
        let (ours, theirs) = (Place::new(place.server.clone(), "ours"), beside(place));
        for run in ["first", "again"] {
            let done = load(place, &ours, "dump.sql --into * --rename a=a2,b=`x=,y`");
            assert_eq!(stored(&done), (0, 5), "{run}: {}", done.stderr);
        }
        play(place, &theirs);
        theirs.sql("DROP VIEW w; RENAME TABLE a TO a2, b TO `x=,y`");
        for table in ["a2", "`x=,y`", "c"] {
            let shown =
                |place: &Place| place.sql(&format!("SHOW CREATE TABLE {table}")).replace(place.schema.name(), "shop");
            assert_eq!(shown(&ours), shown(&theirs));
            is_equal(&theirs, &ours, table, "");
        }
        assert_eq!(ours.sql("SHOW TABLES LIKE 'a'"), "");
        assert_eq!(ours.sql("SELECT * FROM w ORDER BY 1, 2"), place.sql("SELECT * FROM w ORDER BY 1, 2"));
        ours.sql("INSERT INTO a2 VALUES (3, 2, 'x')");
        assert_eq!(ours.sql("SELECT v FROM a2 WHERE id = 3"), "new");
        // One of them, under one more name.
        let done = load(place, &ours, "dump.sql --into * --only b --rename b=b3");
        assert_eq!((stored(&done), ours.sql("SHOW TABLES LIKE 'b3'")), ((0, 2), "b3".to_owned()), "{}", done.stderr);
    });
}

/// What these options refuse.
#[test]
fn parts_that_cannot_be_taken() {
    everywhere("dump_part_bad", |place| {
        place.sql("CREATE TABLE t (a INT PRIMARY KEY)");
        let other = if place.is_mysql() { "utf8mb4_uca1400_danish_ai_ci" } else { "utf8mb4_bg_0900_ai_ci" };
        place.write(
            "d.sql",
            format!("CREATE TABLE u (a text COLLATE {other}); INSERT INTO t VALUES (1); INSERT INTO u VALUES (1);"),
        );
        place.write("d.csv", "a\n1\n");
        let check = |arguments: &str, code: i32, says: &str| {
            let done = place.load(arguments);
            assert_eq!(done.code, code, "{arguments}: {}", done.stderr);
            assert!(done.stderr.contains(says), "{arguments}: {}", done.stderr);
            assert_eq!(place.sql("SELECT COUNT(*) FROM t"), "0", "{arguments}");
        };
        check("d.sql --into * --rename t", 1, "`--rename t` is not understood");
        check("d.sql --into * --rename t=a=b", 1, "`--rename t=a=b` is not understood");
        check("d.sql --into * --rename ,", 1, "`--rename` names no table");
        check("d.sql --into * --rename x=y", 1, "has no table `x` that is taken");
        check("d.sql --into * --only u --rename t=y", 1, "has no table `t` that is taken");
        check("d.sql --into * --rename t=x,t=y", 1, "gives `t` two names");
        check("d.sql --into * --rename t=u", 1, "two tables or views `u`");
        check("d.sql --into * --rename t=other.t", 1, "`--rename t=other.t` names a database");
        check("d.sql --into * --rename t=``", 1, "`--rename`: `` is no name of a table");
        check(&format!("d.sql --into * --rename t={}", "x".repeat(65)), 1, "is no name of a table");
        check("d.sql --into t --rename t=u", 1, "`--rename` is for a whole dump");
        check("d.sql --into * --only t,x", 1, "`d.sql` has no table `x`");
        check("d.sql --into * --except T", 1, "it has `u`, `t`");
        check("d.sql --into * --except t,u", 1, "leaves no table");
        check("d.sql --into * --only t --except u", 1, "cannot be used with");
        check("d.sql --into * --schema-only --rows-only", 1, "cannot be used with");
        check("d.sql --into * --only ,", 1, "names no table");
        check("d.sql --into * --rows-only --strict", 1, "`--strict` has no meaning");
        check("d.sql --into * --schema-only --truncate", 1, "exclude each other");
        check("d.sql --into * --definers root", 1, "`keep`, `strip` or a user");
        check("d.sql --into * --strict", 1, &format!("no collation {other}"));
        check("d.sql --into * --rows-only", 1, "`--rows-only` makes no table");
        check("d.sql --into t --only t", 1, "`--only` is for a whole dump");
        check("d.csv --into t --schema-only", 1, "`--schema-only` is for a whole dump");
        // What is missing is not made, nor checked.
        let dry = place.load("d.sql --into * --dry-run");
        assert_eq!((dry.code, &dry.json["total"]["tables"]), (0, &1.into()), "{}", dry.stderr);
        let there =
            "SELECT COUNT(*) FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 'u'";
        assert_eq!(place.sql(there), "0");
        if place.is_mysql() {
            let column = "`a` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL CHECK (json_valid(`a`))";
            place.write("j.sql", format!("CREATE TABLE `j` (\n  {column}\n);"));
            check("j.sql --into * --strict", 1, "which keeps the last of members of one name");
        }
        assert_eq!(place.load("d.sql --into * --strict --only t").code, 0);
        // Also outside of tables: in what comes before a trigger.
        let view = format!("SET collation_connection = {other}; CREATE VIEW v AS SELECT a FROM t;");
        place.write("e.sql", format!("INSERT INTO t VALUES (2); {view}"));
        let done = place.load("e.sql --into *");
        assert_eq!(done.code, 0, "{}", done.stderr);
        assert_eq!(place.sql("SELECT MAX(a) FROM v"), "2");
    });
}

/// Bad dumps: what is said, and that nothing is stored of a dump that cannot be read.
#[test]
fn dumps_that_cannot_be_loaded() {
    everywhere("dump_bad", |place| {
        place.sql("CREATE TABLE t (a INT PRIMARY KEY, ts TIMESTAMP NULL); CREATE VIEW v AS SELECT 1 AS a");
        let check = |dump: &str, arguments: &str, code: i32, says: &str| {
            place.write("d.sql", dump);
            let done = place.load(&format!("d.sql {arguments}"));
            assert_eq!(done.code, code, "{dump}: {}", done.stderr);
            assert!(done.stderr.contains(says), "{dump}: {}", done.stderr);
            assert_eq!(place.sql("SELECT COUNT(*) FROM t"), "0", "{dump}");
        };
        check("INSERT INTO t VALUES (1, NOW());", "--into t", 2, "`NOW()` is no literal");
        check("INSERT INTO t VALUES (1, NULL", "--into *", 2, "nothing ends the last statement");
        check("INSERT INTO t VALUES (1, NULL)", "--into t", 2, "nothing ends the last statement");
        check("INSERT INTO t VALUES (1, 'cut", "--into *", 2, "ends within a quoted text");
        check("INSERT INTO t VALUES (1, NULL), ('x', NULL);", "--into t", 2, "`x`");
        check("SET NAMES latin1; INSERT INTO t VALUES (1, NULL);", "--into *", 1, "are in latin1");
        check("USE a; INSERT INTO t VALUES (1, NULL); USE b;", "--into *", 1, "several databases");
        check("INSERT INTO t VALUES (1, NULL); DROP DATABASE t;", "--into *", 2, "`DROP DATABASE t` may change rows");
        check("TRUNCATE t; INSERT INTO t VALUES (1, NULL);", "--into t", 2, "`TRUNCATE t` may change rows");
        check("CREATE VIEW v AS SELECT 1;", "--into *", 1, "has no table");
        check("CREATE TABLE inrush_job (a INT);", "--into *", 1, "table of the ledger");
        let view = "CREATE TABLE u (a INT); CREATE VIEW t AS SELECT 1 AS a;";
        check(view, "--into *", 1, "`t` is a table here, and a view in the dump");
        check("CREATE TABLE v (a INT);", "--into *", 1, "`v` is a view here, and a table in the dump");
        let foreign = "CREATE TABLE u (a TEXT); SET NAMES latin1; INSERT INTO u VALUES ('x');";
        check(foreign, "--into *", 1, "the rows of `u` are not read: the texts of the dump are in latin1");
        let stored = "CREATE TABLE u (a TEXT CHARACTER SET latin1); SET NAMES binary; INSERT INTO u VALUES ('x');";
        check(stored, "--into *", 1, "of a table in latin1");
        check(
            "CREATE TABLE u (a INT); /*!99999 SET NAMES latin1 */; INSERT INTO u VALUES (1);",
            "--into *",
            2,
            "may change rows",
        );
        let made =
            "SELECT COUNT(*) FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 'u'";
        assert_eq!(place.sql(made), "0");
        // What is not loaded of such a dump is no reason to refuse the rest.
        let other = "CREATE TABLE w (a INT); INSERT INTO w VALUES (1);";
        place.write("d.sql", format!("{other} {foreign}"));
        let without = place.load("d.sql --into * --except u");
        assert_eq!((without.code, place.sql("SELECT COUNT(*) FROM w")), (0, "1".to_owned()), "{}", without.stderr);
        let schema = place.load("d.sql --into * --schema-only");
        assert_eq!((schema.code, place.sql("SELECT COUNT(*) FROM u")), (0, "0".to_owned()), "{}", schema.stderr);
        place.sql("DROP TABLE u, w");
        check("INSERT INTO t VALUES (1, NULL);", "--into * --columns a,ts", 1, "`--columns` is for one table");
        check(
            "INSERT INTO t VALUES (1, NULL);",
            "--into t --delimiter ;",
            1,
            "`--delimiter` has no meaning for `d.sql`, which is a dump",
        );
        check("SET TIME_ZONE='+02:00'; INSERT INTO t VALUES (1, NULL);", "--into t", 1, "`--time-zone +02:00`");
        check(
            "SET TIME_ZONE='+02:00'; INSERT INTO t VALUES (1, NULL);",
            "--into * --time-zone +03:00",
            1,
            "says that its times",
        );
    });
}

/// Dumps that a server does not take as they are: the exit code, what is said, and how many rows of `t` are stored. The same command says
/// the same again.
#[test]
fn dumps_that_a_server_does_not_take() {
    everywhere("dump_odd", |place| {
        let rows = "CREATE TABLE `t` (`a` int NOT NULL PRIMARY KEY, `b` varchar(20) CHARACTER SET utf8mb4, `g` int AS (`a` + 1) STORED);\n\
                    INSERT INTO `t` VALUES (1,'C:\\\\new\\\\x',2),(2,'y',3);\n";
        let check = |dump: &[u8], (code, n_rows): (i32, u32), says: &str| {
            let into = beside(place);
            place.write("d.sql", dump);
            let shown = String::from_utf8_lossy(dump);
            for run in ["first", "again"] {
                let done = load(place, &into, "d.sql --into *");
                assert_eq!(done.code, code, "{run}: {shown}: {}", done.stderr);
                assert!(done.stderr.contains(says), "{run}: {shown}: {}", done.stderr);
                let is_there = "SELECT COUNT(*) FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 't'";
                let n_there =
                    if into.sql(is_there) == "0" { "0".to_owned() } else { into.sql("SELECT COUNT(*) FROM t") };
                assert_eq!(n_there, n_rows.to_string(), "{run}: {shown}: {}", done.stderr);
            }
            into
        };
        let with = |more: &str| format!("{rows}{more}\n").into_bytes();
        let into = check(with("").as_slice(), (0, 2), "");
        assert_eq!(into.sql("SELECT a, HEX(b), g FROM t ORDER BY a"), "1,433A5C6E65775C78,2|2,79,3");
        check(rows.replace('\n', "\r\n").as_bytes(), (0, 2), "");
        check(&[rows.as_bytes(), b"INSERT INTO `t` VALUES (3,'\xff\xfe',4);\n"].concat(), (2, 0), "column `b`");
        check(&with("CREATE VIEW v AS SELECT * FROM missing;"), (3, 2), "all rows are stored");
        check(&with("CREATE DEFINER=`nobody_dump`@`%` VIEW v AS SELECT a FROM t;"), (0, 2), "");
        // To MySQL it is a statement without words, and the first one to MariaDB.
        let view = "CREATE VIEW v AS SELECT a FROM t;";
        let into = check(&with(&format!("/*M!100100 SET @x = 1 */; /*!80000 SET @y = 1 */; {view}")), (0, 2), "");
        assert_eq!(into.sql("SELECT COUNT(*) FROM v"), "2");
        check(&with("/*!99999 FROBNICATE */;"), (2, 0), "`/*!99999 FROBNICATE */` may change rows");
        check(&with("CREATE TABLE `u` (`a` int) ENGINE=NoSuchEngine;"), (3, 0), "the definition is of another server");
        let wide = (0..40).map(|n| format!("`c{n}` char(255) CHARACTER SET utf8mb4")).collect::<Vec<_>>().join(",");
        let wide = format!("CREATE TABLE `u` ({wide}) ROW_FORMAT=COMPACT;");
        check(&with(&wide), (3, 0), "create the table as it should be here");
        check(
            &with("CREATE TABLE `u` (`a` int) KEY_BLOCK_SIZE=7 ROW_FORMAT=COMPRESSED;"),
            (3, 0),
            "create the table as it should be here",
        );
        // A target that is not empty, and the row of a generated column that is another one here.
        let into = beside(place);
        place.write("d.sql", rows);
        into.sql("CREATE TABLE t (a INT NOT NULL PRIMARY KEY, b VARCHAR(20), g INT AS (a + 5) STORED); INSERT INTO t (a) VALUES (7)");
        let done = load(place, &into, "d.sql --into *");
        assert_eq!(
            (done.code, into.sql("SELECT a, g FROM t ORDER BY a")),
            (0, "1,6|2,7|7,12".to_owned()),
            "{}",
            done.stderr
        );
        let into = beside(place);
        into.sql("CREATE TABLE t (a INT NOT NULL PRIMARY KEY, b VARCHAR(20), g INT AS (a + 1) STORED); INSERT INTO t (a) VALUES (2)");
        let done = load(place, &into, "d.sql --into *");
        assert_eq!((done.code, into.sql("SELECT a FROM t ORDER BY a")), (2, "2".to_owned()), "{}", done.stderr);
    });
}

/// Where names that differ by case are one table, a dump of two such tables is refused, and one of them goes on.
#[test]
fn names_in_other_letters() {
    for family in ["mariadb-10.11", "mariadb-11.8"] {
        let own = OwnServer::new(family, &["lower_case_table_names=1"]);
        let place = Place::own(&own);
        place.write(
            "d.sql",
            "CREATE TABLE `Orders` (`a` int PRIMARY KEY);\nINSERT INTO `Orders` VALUES (1),(2);\nCREATE TABLE `orders` (`a` int);\n\
             INSERT INTO `orders` VALUES (3);\nCREATE TRIGGER tr BEFORE INSERT ON `Orders` FOR EACH ROW SET NEW.a = 9;\n",
        );
        let refused = place.load("d.sql --into *");
        assert_eq!((refused.code, place.sql("SHOW TABLES")), (1, String::new()), "{family}: {}", refused.stderr);
        refused.says("has the tables `Orders` and `orders`, which are one table on this server");
        for run in ["first", "again"] {
            let done = place.go_on("d.sql --into * --rename orders=small");
            assert_eq!(stored(&done), (0, 3), "{family}, {run}: {}", done.stderr);
            let of = |table: &str| place.sql(&format!("SELECT a FROM {table} ORDER BY a"));
            assert_eq!((of("orders"), of("small")), ("1|2".to_owned(), "3".to_owned()), "{family}, {run}");
        }
    }
}

/// TIMESTAMPs are instants in the zone that the dump says.
#[test]
fn the_zone_of_a_dump() {
    everywhere("dump_zone", |place| {
        place.sql("CREATE TABLE t (a INT PRIMARY KEY, ts TIMESTAMP NULL)");
        let dump =
            "SET TIME_ZONE='+02:00';\nINSERT INTO t VALUES (1, '2024-01-01 02:00:00'), (2, '0000-00-00 00:00:00');\n";
        place.write("d.sql", dump);
        let done = place.load("d.sql --into *");
        assert_eq!(done.code, 0, "{}", done.stderr);
        let rows = place.sql("SET time_zone = '+00:00'; SELECT a, ts FROM t ORDER BY a");
        assert_eq!(rows, "1,2024-01-01 00:00:00|2,0000-00-00 00:00:00");
    });
}

/// A zero in an AUTO_INCREMENT column stays one, also where other columns of the row need an expression.
#[test]
fn a_zero_that_is_no_new_number() {
    everywhere("dump_zero", |place| {
        place.sql("CREATE TABLE t (id BIGINT AUTO_INCREMENT PRIMARY KEY, a BIT(64), b BLOB)");
        let dump = "SET SQL_MODE='NO_AUTO_VALUE_ON_ZERO';\nINSERT INTO t VALUES (0,b'1','x'),(5,2,NULL),(-5,3,'');\n";
        place.write("d.sql", dump);
        let done = place.load("d.sql --into t");
        assert_eq!(done.code, 0, "{}", done.stderr);
        assert_eq!(place.sql("SELECT id, a + 0 FROM t ORDER BY id"), "-5,3|0,1|5,2");
    });
}

/// A dump says itself what is NULL: a text that often means it stays, also where a new table is made of the cells.
#[test]
fn a_text_that_looks_like_null() {
    everywhere("dump_na", |place| {
        place.write("d.sql", "INSERT INTO t (id, a) VALUES (1,'1'),(2,'NA'),(3,NULL),(4,'-');\n");
        for options in ["--create-table", "--create-table --sample all --again"] {
            place.sql("DROP TABLE IF EXISTS t");
            let done = place.load(&format!("d.sql --into t {options}"));
            assert_eq!(done.code, 0, "{options}: {}", done.stderr);
            assert_eq!(
                place.sql("SELECT id, COALESCE(a, 'none') FROM t ORDER BY id"),
                "1,1|2,NA|3,none|4,-",
                "{options}"
            );
        }
    });
}

/// Where a dump is in another mode than that of the load, its tables are made as the client makes them.
#[test]
fn modes_of_quotes() {
    everywhere("dump_quotes", |place| {
        let table = r#"CREATE TABLE "o""dd" ("id" int NOT NULL, "a`b" varchar(20) DEFAULT 'x\' COMMENT 'it''s "q"', PRIMARY KEY ("id"));"#;
        let text = r#"INSERT INTO "o""dd" VALUES (1,'c:\new'),(2,'"');"#;
        let view = r#"CREATE VIEW "v" AS SELECT "id" FROM "o""dd";"#;
        for (mode, change) in [
            ("ANSI_QUOTES,NO_BACKSLASH_ESCAPES", None),
            ("ANSI_QUOTES", Some((r"\", r"\\"))),
            ("NO_BACKSLASH_ESCAPES", Some(("", ""))),
        ] {
            let mut dump = format!("SET SQL_MODE='{mode}';\n{table}\n{text}\n{view}\n");
            match change {
                Some(("", _)) => {
                    dump = dump
                        .replace("\"o\"\"dd\"", "`o\"dd`")
                        .replace("\"a`b\"", "`a``b`")
                        .replace("(\"id\")", "(`id`)")
                        .replace("(\"id\" int", "(`id` int")
                        .replace("\"v\"", "`v`")
                        .replace("SELECT \"id\"", "SELECT `id`")
                }
                Some((from, to)) => dump = dump.replace(from, to),
                None => {}
            }
            place.write("dump.sql", &dump);
            let (ours, theirs) = (beside(place), Place::new(place.server.clone(), "theirs"));
            let done = load(place, &ours, "dump.sql --into *");
            assert_eq!(stored(&done), (0, 2), "{mode}: {}", done.stderr);
            play(place, &theirs);
            for query in
                ["SHOW CREATE TABLE `o\"dd`", "SELECT HEX(`a``b`) FROM `o\"dd` ORDER BY id", "SELECT COUNT(*) FROM v"]
            {
                assert_eq!(ours.sql(query), theirs.sql(query), "{mode}");
            }
        }
    });
}

/// A signal ends a CREATE TABLE that waits, at the server too.
#[test]
fn a_table_that_waits_to_be_made() {
    everywhere("dump_create_waits", |place| {
        place.write("d.sql", "CREATE TABLE t (a INT, FOREIGN KEY (a) REFERENCES p (a));\nINSERT INTO t VALUES (1);\n");
        place.sql("CREATE TABLE p (a INT PRIMARY KEY)");
        let holder = Session::open(place, &name_lock(place, "t", "p"));
        let running = Running::spawn(place, place.command("d.sql --into *"));
        await_true("a CREATE that waits", || creates(place));
        running.signal("INT");
        let done = running.end();
        assert_eq!(done.code, 130, "{done}");
        done.says("interrupted before a row was sent");
        assert!(!creates(place));
        drop(holder);
        let made =
            "SELECT COUNT(*) FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 't'";
        assert_eq!(place.sql(made), "0");
        let done = place.go_on("d.sql --into *");
        assert_eq!(stored(&done), (0, 1), "{}", done.stderr);
    });
}

/// A signal ends what is played after the rows while it waits, at the server too; the same command plays what is left.
#[test]
fn what_comes_after_the_rows_and_waits() {
    everywhere("dump_play_waits", |place| {
        let has = |what: &str, name: &str| {
            let query = match what {
                "key" => {
                    format!("information_schema.STATISTICS WHERE TABLE_SCHEMA = DATABASE() AND INDEX_NAME = '{name}'")
                }
                "trigger" => {
                    format!("information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = DATABASE() AND TRIGGER_NAME = '{name}'")
                }
                _ => format!("information_schema.VIEWS WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = '{name}'"),
            };
            place.sql(&format!("SELECT COUNT(*) FROM {query}")) == "1"
        };
        for (statement, held, what) in [
            ("ALTER TABLE t ADD KEY made (b)", "t", "key"),
            ("CREATE INDEX made ON t (b)", "t", "key"),
            ("CREATE TRIGGER made BEFORE INSERT ON t FOR EACH ROW SET NEW.b = 9", "t", "trigger"),
            ("DROP VIEW IF EXISTS v; CREATE VIEW made AS SELECT a FROM t", "v", "view"),
        ] {
            place.sql("DROP VIEW IF EXISTS v, made, earlier, later; DROP TABLE IF EXISTS t; CREATE TABLE t (a INT PRIMARY KEY, b INT)");
            place.sql("CREATE VIEW v AS SELECT 1 AS a");
            place.forget();
            let views = ["earlier", "later"].map(|name| format!("CREATE VIEW {name} AS SELECT a FROM t"));
            place.write(
                "d.sql",
                format!("INSERT INTO t VALUES (1,2),(2,3);\n{};\n{statement};\n{};\n", views[0], views[1]),
            );
            let holder = Session::open(place, &format!("BEGIN; SELECT COUNT(*) FROM {held} INTO @n"));
            let mut running = Running::spawn(place, place.command("d.sql --into *"));
            await_true("a statement that waits", || waits(place));
            running.signal("INT");
            running.await_notice("stopping: ");
            let done = running.end();
            assert_eq!(done.code, 130, "{statement}: {done}");
            done.says("error: interrupted before ");
            done.says("all rows are stored; the same command plays what is left");
            assert!(!waits(place), "{statement}");
            drop(holder);
            assert_eq!(
                (has("view", "earlier"), has(what, "made"), has("view", "later")),
                (true, false, false),
                "{statement}"
            );
            let done = place.go_on("d.sql --into *");
            assert_eq!(stored(&done), (0, 2), "{statement}: {}", done.stderr);
            assert_eq!((has(what, "made"), has("view", "later")), (true, true), "{statement}");
            assert_eq!(place.sql("SELECT a, b FROM t ORDER BY a"), "1,2|2,3", "{statement}");
        }
    });
}

/// Whether a CREATE TABLE waits, of a connection without a database.
fn creates(place: &Place) -> bool {
    let query = format!(
        "SELECT COUNT(*) FROM /*!80022 performance_schema*//*M!100000 information_schema*/.processlist
         WHERE INFO LIKE 'CREATE TABLE `{}`.%' AND STATE LIKE 'Waiting for table metadata%'",
        place.schema.name()
    );
    place.server.sql(&query)[0][0] != "0"
}

/// What holds a CREATE TABLE of `table`, which has a foreign key to `parent`.
pub(crate) fn name_lock(place: &Place, table: &str, parent: &str) -> String {
    match place.is_mysql() {
        true => format!("BEGIN; SELECT COUNT(*) FROM {parent} INTO @n"),
        false => format!("BACKUP LOCK {}.{table}", place.schema.name()),
    }
}

/// Killed in the middle of a table, the same command stores the rest of it and of the others.
#[test]
fn a_killed_load_goes_on() {
    everywhere("dump_killed", |place| {
        let rows = |from: u32| (from..from + 20_000).map(|n| format!("({n},'row {n}')")).collect::<Vec<_>>().join(",");
        let table = |name: &str| {
            format!(
                "CREATE TABLE `{name}` (`a` int NOT NULL, `b` varchar(20));\nINSERT INTO `{name}` VALUES {};\nINSERT INTO `{name}` VALUES {};\n",
                rows(0),
                rows(20_000)
            )
        };
        let view = "CREATE VIEW `v` AS SELECT COUNT(*) AS n FROM `one`;\n";
        place.write("d.sql", format!("{}{view}{}", table("one"), table("two")));
        // Eighty seconds: it is at work when it is killed, on any machine.
        let mut child = place.command("d.sql --into * --batch 500 --rate 1000 --json -q").spawn().unwrap();
        let is_there =
            "SELECT COUNT(*) FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 'one'";
        let begun = || place.sql(is_there) == "1" && place.sql("SELECT COUNT(*) FROM one") != "0";
        while !begun() {
            assert!(child.try_wait().unwrap().is_none(), "it ended before it was killed");
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let done = place.go_on("d.sql --into * --batch 500");
        assert_eq!(stored(&done), (0, 80_000), "{}", done.stderr);
        let count = "SELECT COUNT(*), COUNT(DISTINCT a), SUM(a) FROM";
        for name in ["one", "two"] {
            assert_eq!(place.sql(&format!("{count} {name}")), "40000,40000,799980000");
        }
        assert_eq!(place.sql("SELECT n FROM v"), "40000");
    });
}
