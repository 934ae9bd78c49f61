//! `inrush export`: what comes out is what went in, of one state, whole or not at all. Global locks are for servers of one's own.

use crate::place::{Done, Place, Rows, everywhere};
use crate::session::{Session, await_true};
use inrush_testkit::dice::{is_long, times};
use inrush_testkit::patience::Wait;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

/// `inrush export ARGUMENTS`, of words between spaces.
pub(crate) fn command(place: &Place, arguments: &str) -> Command {
    let mut command = command_of(place, &place.server.user, arguments);
    command.env("INRUSH_PASSWORD", &place.server.password);
    command
}

/// The same of another user.
fn command_of(place: &Place, user: &str, arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_inrush"));
    command.arg("export").args(["--json", "-q"]).current_dir(place.folder.path());
    command.arg("-S").arg(&place.server.socket).args(["-u", user, "-D", place.schema.name()]);
    command.env("HOME", place.folder.path()).env_remove("INRUSH_URL");
    command.args(arguments.split_whitespace()).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

#[track_caller]
pub(crate) fn export(place: &Place, arguments: &str) -> Done {
    place.done(&command(place, &format!("{arguments} --snapshot tables")).output().unwrap())
}

pub(crate) fn names(place: &Place, folder: &str) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(place.path(folder)) else { return Vec::new() };
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

pub(crate) const TYPES: &str = "id BIGINT UNSIGNED PRIMARY KEY, ti TINYINT, tu TINYINT UNSIGNED, b BOOL, su SMALLINT UNSIGNED, mi MEDIUMINT, i INT, \
    bi BIGINT, bu BIGINT UNSIGNED, y YEAR, b1 BIT(1), b64 BIT(64), d DECIMAL(10,2), dd DECIMAL(65,30), f FLOAT, db DOUBLE, dt DATE, \
    dtm DATETIME(6), ts TIMESTAMP(3) NULL, tm TIME(6), c CHAR(5), v VARCHAR(50), t LONGTEXT, e ENUM('a','b,c',''), s SET('x','y'), \
    j JSON, l VARCHAR(20) CHARACTER SET latin1, u VARCHAR(20) CHARACTER SET ucs2, `a b``,\"c` INT, twice INT GENERATED ALWAYS AS (ti * 2) STORED";

/// Of each column but the last, which the server makes: the ends of types, what other readers lose, and NULL.
pub(crate) const ROWS: &str = r#"(1,-128,255,1,65535,-8388608,-2147483648,-9223372036854775808,18446744073709551615,2024,1,0xffffffffffffffff,-7.5,
      12345678901234567890123456789012345.123456789012345678901234567891,1.17549e-38,0.1,'2024-02-29','9999-12-31 23:59:59.999999',
      '2024-05-05 10:00:00.123','-838:59:59.000000','ab','say "hi", x','two
lines','b,c','x,y','{"a": [1, 2.5, "x,\\"y"]}','grün','日本',1),
    (18446744073709551615,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,
      NULL,NULL,NULL,NULL,NULL,NULL),
    (9223372036854775808,127,0,0,0,0,0,9223372036854775807,0,1901,0,0,0,0,-3.4e38,-1.7976931348623157e308,'0001-01-01','1000-01-01 00:00:00',
      '1970-01-01 00:00:01','838:59:59.000000','',' a ','\\N','','','null','','',-1),
    (4,0,0,0,0,0,0,0,0,2155,0,1,0.01,-0.000000000000000000000000000001,0,1e-300,'9999-12-31','2000-01-01 00:00:00.000001',
      '2038-01-19 03:14:07.999','00:00:00.000001','\\','#''\t\r\n','NULL','a','y','"s"','\'q\'','''',0)"#;

#[test]
fn what_comes_out_goes_back_in() {
    everywhere("export_types", |place| {
        place.sql(&format!("CREATE TABLE types ({TYPES}); CREATE TABLE back LIKE types"));
        let columns = "id,ti,tu,b,su,mi,i,bi,bu,y,b1,b64,d,dd,f,db,dt,dtm,ts,tm,c,v,t,e,s,j,l,u,`a b``,\"c`";
        place.sql(&format!("SET time_zone = '+00:00'; INSERT INTO types ({columns}) VALUES {ROWS}"));
        let checksum = |table: &str| place.schema.sql(&format!("CHECKSUM TABLE {table}"))[0][1].clone();
        for (format, null) in [("parquet", ""), ("arrow", ""), ("jsonl", ""), ("csv", r"--null \N")] {
            if format == "jsonl" {
                let done = export(place, "types --to jsonl --format jsonl");
                assert_eq!(done.code, 2, "{done}");
                done.says("column `j` holds the JSON value null, which a reader of JSON Lines takes for NULL");
                place.sql("UPDATE types SET j = '[null]' WHERE JSON_TYPE(j) = 'NULL'");
            }
            let done = export(place, &format!("types --to {format} --format {format} --lanes 2"));
            assert_eq!((done.code, &done.json["tables"][0]["rows"]), (0, &4.into()), "{done}");
            let parts = [format!("types.1.{format}"), format!("types.2.{format}")];
            assert_eq!(names(place, format), ["manifest.json", &parts[0], &parts[1]]);
            place.sql("TRUNCATE back");
            let done = place.load(&format!("{format}/{} {format}/{} --into back {null}", parts[0], parts[1]));
            assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(4))), "{format}: {done}");
            assert_eq!(checksum("back"), checksum("types"), "{format}");
        }
        let query = "SELECT id, i + 1 AS next FROM types WHERE id = 1";
        let done = place.done(&command(place, "--to query --format jsonl --query").arg(query).output().unwrap());
        assert_eq!((done.code, &done.json["tables"][0]["query"]), (0, &query.into()), "{done}");
        assert_eq!(place.read("query/query.jsonl"), "{\"id\":1,\"next\":-2147483647}\n");
        let generated = export(place, "types --to named --columns id,twice --format csv --lanes 1");
        assert_eq!(
            (generated.code, place.read("named/types.csv").lines().next()),
            (0, Some("id,twice")),
            "{generated}"
        );
    });
}

#[test]
fn compressed_and_in_order() {
    everywhere("export_order", |place| {
        place.sql(
            "CREATE TABLE t (a VARCHAR(5), b INT, v INT, PRIMARY KEY (b, a)); CREATE TABLE n (id INT PRIMARY KEY, v INT, KEY (v)); \
             CREATE TABLE keyless (id INT); INSERT INTO t VALUES ('x',2,1),('b',1,2),('a',1,3),('a',3,4); \
             INSERT INTO n VALUES (5,1),(1,9),(3,4),(9,0); CREATE TABLE back LIKE t",
        );
        let done = export(place, "t n --to plain --format csv --order key --lanes 2");
        assert_eq!(done.code, 0, "{done}");
        assert_eq!(place.read("plain/t.csv"), "a,b,v\na,1,3\nb,1,2\nx,2,1\na,3,4\n");
        assert_eq!(place.read("plain/n.1.csv") + &place.read("plain/n.2.csv"), "id,v\n1,9\n3,4\n5,1\nid,v\n9,0\n");
        for (format, compression, extension) in [
            ("csv", "gzip", "csv.gz"),
            ("csv", "zstd", "csv.zst"),
            ("jsonl", "gzip", "jsonl.gz"),
            ("jsonl", "zstd", "jsonl.zst"),
        ] {
            let folder = format!("{format}-{compression}");
            let done = export(place, &format!("t --to {folder} --format {format} --compress {compression} --lanes 1"));
            assert_eq!(done.code, 0, "{done}");
            assert_eq!(names(place, &folder), ["manifest.json", &format!("t.{extension}")]);
            place.sql("TRUNCATE back");
            let null = if format == "csv" { r"--null \N" } else { "" };
            let done = place.load(&format!("{folder}/t.{extension} --into back {null}"));
            assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(4))), "{done}");
            let checksum = |table: &str| place.schema.sql(&format!("CHECKSUM TABLE {table}"))[0][1].clone();
            assert_eq!(checksum("back"), checksum("t"), "{extension}");
        }
        for (arguments, says) in [
            ("keyless --to none --order key", "has no primary key"),
            ("t --to none --format parquet --compress gzip", "files of parquet have Zstandard inside"),
        ] {
            let done = export(place, arguments);
            assert_eq!(done.code, 1, "{done}");
            done.says(says);
            assert!(!place.path("none").exists());
        }
    });
}

#[test]
fn all_tables_of_a_database() {
    everywhere("export_all", |place| {
        place.sql("CREATE TABLE `a.b/c` (id INT); CREATE TABLE z (id INT); CREATE VIEW v AS SELECT 1 AS one");
        let kept = if place.is_mysql() { "" } else { " WITH SYSTEM VERSIONING" };
        place.sql(&format!("CREATE TABLE history (id INT){kept}; INSERT INTO history VALUES (7)"));
        let all = format!("{}.* --to all --format csv", place.schema.name());
        assert_eq!(export(place, &all).code, 0);
        assert_eq!(names(place, "all"), ["a%2Eb%2Fc.csv", "history.csv", "manifest.json", "z.csv"]);
        assert_eq!(place.read("all/history.csv"), "id\n7\n");
        let view = export(place, "v --to view --format csv");
        assert_eq!((view.code, place.read("view/v.csv").as_str()), (0, "one\n1\n"), "{view}");
        // Nothing that an export has not made is removed.
        std::fs::create_dir(place.path("own")).unwrap();
        place.write("own/notes.unfinished", "");
        assert_eq!(export(place, "z --to own").code, 1);
        assert_eq!(names(place, "own"), ["notes.unfinished"]);
    });
}

#[test]
fn bytes_go_by_parquet_and_arrow() {
    everywhere("export_bytes", |place| {
        let types = "(n INT, bn BINARY(4), vb VARBINARY(20), bl LONGBLOB, g GEOMETRY, p POINT)";
        place.sql(&format!("CREATE TABLE bytes {types}; CREATE TABLE back LIKE bytes"));
        place.sql("INSERT INTO bytes VALUES (1, 0x00ff, 0x010200, 0xdeadbeef0a0d2c22, ST_GeomFromText('LINESTRING(0 0,1 1)'), ST_GeomFromText('POINT(1 2)', 4326)), \
                  (2, '', '', '', ST_GeomFromText('GEOMETRYCOLLECTION(POINT(1 2),LINESTRING(0 0,-1.5 1e3))'), NULL), (3, NULL, NULL, NULL, NULL, NULL)");
        for format in ["parquet", "arrow"] {
            assert_eq!(export(place, &format!("bytes --to {format} --format {format}")).code, 0);
            assert_eq!(names(place, format), [format!("bytes.{format}"), "manifest.json".to_owned()]);
            assert_eq!(place.load(&format!("{format}/bytes.{format} --into back")).code, 0);
        }
        let differ = "SELECT COUNT(*) FROM (SELECT * FROM bytes UNION SELECT * FROM back) AS a";
        assert_eq!((place.sql("SELECT COUNT(*) FROM back").as_str(), place.sql(differ).as_str()), ("6", "3"));
    });
}

#[test]
fn what_cannot_be_exported_is_said_and_leaves_nothing() {
    everywhere("export_refused", |place| {
        place
            .sql("SET sql_mode = ''; CREATE TABLE days (id INT, born DATE); INSERT INTO days VALUES (1, '0000-00-00')");
        std::fs::create_dir(place.path("full")).unwrap();
        place.write("full/readme", "");
        for (arguments, code, says) in [
            ("nowhere --to new", 1, "error: there is no table `shop`.`nowhere` that this user may see"),
            ("nowhere.* --to new", 1, "error: there is no table in database `nowhere` that this user may see"),
            (
                "days --columns id,bron --to new",
                1,
                "error: `shop`.`days` has no column `bron`\nhint: it has `id`, `born`",
            ),
            ("days --where id=!! --to new", 1, "SQL syntax"),
            ("days --where nothing=1 --to new", 1, "error: the condition `nothing=1` is wrong for `shop`.`days`"),
            ("a.b --to new", 1, "hint: a table whose name has a dot in it is written in backticks: '`a.b`'"),
            ("days.days.days --to new", 1, "a name with a dot in it in backticks"),
            ("days --to full", 1, "error: `full` is not empty: it holds `readme`\nhint: name a new folder"),
            ("days --to no/such", 1, "error: cannot make the folder `no/such`"),
            ("days --to new", 2, "`0000-00-00`"),
            ("days --to new", 2, "hint: `--invalid-dates null` makes it NULL"),
        ] {
            let done = export(place, arguments);
            assert_eq!(done.code, code, "{arguments}: {done}");
            done.says(says);
            assert!(!place.path("new").exists(), "{arguments}: {done}");
        }
        assert_eq!(names(place, "full"), ["readme"]);
        for (dates, want) in [("null", r"1,\N"), ("text", "1,0000-00-00")] {
            let done = export(place, &format!("days --invalid-dates {dates} --format csv --to {dates}"));
            assert_eq!(
                (done.code, place.read(&format!("{dates}/days.csv"))),
                (0, format!("id,born\n{want}\n")),
                "{done}"
            );
        }
    });
}

/// The error value of an ENUM is shown as '', which may be a member too.
#[test]
fn the_error_value_of_an_enum_is_not_written_as_a_member() {
    everywhere("export_enums", |place| {
        place.sql(
            "SET sql_mode = ''; CREATE TABLE e (a ENUM('z','y') NOT NULL, b ENUM('x','','index 0') NOT NULL, PRIMARY KEY (b, a)); \
             INSERT INTO e VALUES ('z', ''), ('y', ''), ('y', 'index 0'), ('y', 'x'); CREATE TABLE back LIKE e",
        );
        for (format, null) in [("parquet", ""), ("arrow", ""), ("jsonl", ""), ("csv", r"--null \N")] {
            let done = export(place, &format!("e --to {format} --format {format} --order key"));
            assert_eq!(done.code, 0, "{format}: {done}");
            assert_eq!(place.load(&format!("{format}/e.{format} --into back --truncate {null}")).code, 0, "{format}");
            let rows = "SELECT a+0, b+0 FROM {} ORDER BY 1, 2";
            assert_eq!(place.sql(&rows.replace("{}", "back")), place.sql(&rows.replace("{}", "e")), "{format}");
        }
        // The order of the key, which is that of the members.
        assert_eq!(place.read("csv/e.csv"), "a,b\ny,x\nz,\"\"\ny,\"\"\ny,index 0\n");
        for (column, rest) in [("a", "z"), ("b", "x")] {
            place.sql(&format!(
                "SET sql_mode = ''; TRUNCATE e; INSERT INTO e VALUES ('z', 'x'); UPDATE e SET {column} = 0"
            ));
            assert_eq!(place.sql(&format!("SELECT {column}+0, {column} = '' FROM e")), "0,1");
            for format in ["parquet", "csv", "sql"] {
                let done = export(place, &format!("e --to none --format {format}"));
                assert_eq!((done.code, place.path("none").exists()), (2, false), "{done}");
                done.says(&format!("column `{column}` holds the error value of an ENUM (index 0)"));
                done.says("`--invalid-enums null`");
            }
            for (option, want) in [("null", r"\N"), ("empty", "\"\"")] {
                let folder = format!("{column}-{option}");
                let done =
                    export(place, &format!("e --to {folder} --format csv --columns {column} --invalid-enums {option}"));
                assert_eq!(
                    (done.code, place.read(&format!("{folder}/e.csv"))),
                    (0, format!("{column}\n{want}\n")),
                    "{done}"
                );
                let done = export(place, &format!("e --to {folder}-p --invalid-enums {option}"));
                assert_eq!(done.code, 0, "{done} {rest}");
            }
        }
    });
}

#[test]
fn an_export_that_ends_early_leaves_nothing_that_looks_whole() {
    everywhere("export_ends", |place| {
        place.sql("CREATE TABLE slow (id INT PRIMARY KEY); INSERT INTO slow VALUES (1), (2)");
        let reads = || {
            let list = "SELECT IFNULL(MAX(ID), 0) FROM information_schema.PROCESSLIST WHERE STATE = 'User sleep' AND DB = DATABASE()";
            place.sql(list)
        };
        let start = || command(place, "slow --where SLEEP(1000)=0 --lanes 1 --to out").spawn().unwrap();
        let killed = start();
        await_true("the reading", || reads() != "0");
        // The folder is another's as long as that lasts.
        let second = export(place, "slow --to out");
        assert_eq!(second.code, 1, "{second}");
        second.says("error: another export writes to `out`");
        place.sql(&format!("KILL {}", reads()));
        let done = place.done(&killed.wait_with_output().unwrap());
        assert_eq!(done.code, 3, "{done}");
        done.says("the same command begins anew");
        assert!(!place.path("out").exists());

        let mut killed = start();
        await_true("the reading", || reads() != "0");
        killed.kill().unwrap();
        killed.wait().unwrap();
        assert_eq!(names(place, "out"), [".slow.parquet.unfinished"]);
        let wait = Wait::begin();
        loop {
            let reader = reads();
            if reader == "0" {
                break;
            }
            // It may have ended meanwhile, which is an error.
            place.server.client().args(["-e", &format!("KILL {reader}")]).output().unwrap();
            wait.check("the end of the reading");
        }
        assert_eq!(export(place, "slow --lanes 1 --to out").code, 0);
        assert_eq!(names(place, "out"), ["manifest.json", "slow.parquet"]);
    });
}

/// The tables that are read later change while the first one is read.
#[test]
fn a_table_that_changes_meanwhile_ends_the_export() {
    everywhere("export_changed", |place| {
        for (change, code) in [
            ("ALTER TABLE later ADD COLUMN more INT DEFAULT 7", 1412),
            ("ALTER TABLE later ADD COLUMN more INT DEFAULT 7, ALGORITHM=COPY", 1412),
            ("DROP TABLE later", 1146),
            ("RENAME TABLE later TO renamed", 1146),
        ] {
            place.sql(
                "DROP TABLE IF EXISTS first, later, renamed; CREATE TABLE first (id INT PRIMARY KEY); INSERT INTO first VALUES (1); \
                 CREATE TABLE later LIKE first; INSERT INTO later VALUES (2)",
            );
            let lock = format!("{}_change", place.schema.name());
            let holder = Session::open(place, &format!("DO GET_LOCK('{lock}', 100)"));
            let mut export = command(place, "first later --format csv --snapshot tables --lanes 1 --to out");
            let export = export.arg("--where").arg(format!("id > 1 OR GET_LOCK('{lock}', 1000) = 1")).spawn().unwrap();
            await_true("the reading", || {
                let list =
                    "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE STATE = 'User lock' AND DB = DATABASE()";
                place.sql(list) != "0"
            });
            place.sql(change);
            drop(holder);
            let done = place.done(&export.wait_with_output().unwrap());
            if done.code == 0 && !place.is_mysql() && change.ends_with("DEFAULT 7") {
                // MariaDB still knows the state before a column that it added instantly.
                assert_eq!(place.read("out/later.csv"), "id\n2\n", "{done}");
                std::fs::remove_dir_all(place.path("out")).unwrap();
                continue;
            }
            assert_eq!((done.code, &done.json["error"]["code"]), (3, &code.into()), "{change}: {done}");
            done.says("`later`: ");
            done.says("was altered, renamed or dropped after the export began");
            assert!(!place.path("out").exists(), "{change}: {done}");
        }
    });
}

/// A disk without room for the files: nothing stays, and the table is named.
#[test]
fn a_full_disk_ends_the_export() {
    everywhere("export_full", |place| {
        place.sql(
            "CREATE TABLE much (id INT PRIMARY KEY, t VARCHAR(8000)); INSERT INTO much \
             WITH RECURSIVE s AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM s WHERE n < 900) \
             SELECT n, CONCAT(SHA2(n, 512), SHA2(n + 0.1, 512), SHA2(n + 0.2, 512), SHA2(n + 0.3, 512), SHA2(n + 0.4, 512)) FROM s",
        );
        std::fs::create_dir(place.path("small")).unwrap();
        for format in ["csv", "jsonl", "parquet", "arrow", "sql"] {
            let export = command(place, &format!("much --snapshot tables --format {format} --to small/out"));
            let mut small = Command::new("unshare");
            let script = "mount -t tmpfs -o size=200k none small && \"$@\"; code=$?; ls -A small >&2; exit $code";
            small.args(["--mount", "--propagation", "private", "sh", "-c", script, "sh"]);
            small.arg(export.get_program()).args(export.get_args());
            small.current_dir(place.folder.path()).stdin(Stdio::null());
            for (name, value) in export.get_envs() {
                match value {
                    Some(value) => small.env(name, value),
                    None => small.env_remove(name),
                };
            }
            let done = place.done(&small.output().unwrap());
            assert_eq!(done.code, 3, "{format}: {done}");
            done.says("No space left on device");
            done.says("much");
            assert!(!done.stderr.contains("out"), "{format}: the folder stays: {done}");
        }
    });
}

/// Amounts move between two tables all the time; each export must see all of them once. Without a lock it would not.
#[test]
fn all_files_are_of_one_state() {
    everywhere("export_state", |place| {
        let n = times(5, 200);
        assert_eq!(exports_of_one_state(place, "tables", n), n);
        if is_long() {
            let n_equal = exports_of_one_state(place, "none", 50);
            assert!(n_equal < 50, "a lock is not needed");
        }
    });
}

/// Exports so often while eight writers move amounts, and returns how many of the exports have the sum of all amounts.
fn exports_of_one_state(place: &Place, snapshot: &str, times: u64) -> u64 {
    place.sql("DROP TABLE IF EXISTS here, there");
    for name in ["here", "there"] {
        let rows: Vec<_> = (1..=160).map(|id| format!("({id},100)")).collect();
        let rows = rows.join(",");
        place.sql(&format!("CREATE TABLE {name} (id INT PRIMARY KEY, amount INT); INSERT INTO {name} VALUES {rows}"));
    }
    let is_over = AtomicBool::new(false);
    let write = |writer: u64| {
        for round in 0.. {
            if is_over.load(Ordering::Relaxed) {
                break;
            }
            // In the order in which LOCK TABLES takes the tables, and rows of its own: otherwise two may wait for each other.
            let (id, amount) = (writer * 20 + round % 20 + 1, if round % 2 == 0 { 7 } else { -9 });
            place.sql(&format!(
                "BEGIN; UPDATE here SET amount = amount - {amount} WHERE id = {id};
                 UPDATE there SET amount = amount + {amount} WHERE id = {id}; COMMIT"
            ));
        }
    };
    std::thread::scope(|scope| {
        let write = &write;
        let writers: Vec<_> = (0..8).map(|writer| scope.spawn(move || write(writer))).collect();
        let mut n_equal = 0;
        for _ in 0..times {
            let done = place.done(
                &command(place, &format!("here there --format csv --lanes 3 --snapshot {snapshot} --to state"))
                    .output()
                    .unwrap(),
            );
            assert_eq!(done.code, 0, "{done}");
            assert_eq!(done.json["lock"], if snapshot == "auto" { "global" } else { snapshot }, "{done}");
            let sum: i64 = names(place, "state")
                .iter()
                .filter(|name| name.ends_with(".csv"))
                .flat_map(|name| {
                    let text = place.read(&format!("state/{name}"));
                    let amount = |line: &str| line.split_once(',').unwrap().1.parse::<i64>().unwrap();
                    text.lines().skip(1).map(amount).collect::<Vec<_>>()
                })
                .sum();
            n_equal += u64::from(sum == 32_000);
            std::fs::remove_dir_all(place.path("state")).unwrap();
        }
        is_over.store(true, Ordering::Relaxed);
        for writer in writers {
            writer.join().unwrap();
        }
        n_equal
    })
}

/// Each user takes the best lock of those it may, and sees the position if it may; what came out is the same.
pub(crate) fn by_the_rights_of_the_user(place: &Place) {
    place.sql("CREATE TABLE rights (id INT PRIMARY KEY); INSERT INTO rights VALUES (1), (2)");
    let schema = place.schema.name();
    let sees_log = if place.is_mysql() { "REPLICATION CLIENT" } else { "BINLOG MONITOR" };
    let has_log = place.sql("SELECT @@log_bin") == "1";
    for (user, everywhere, here, lock) in [
        ("rights_all", format!("RELOAD, {sees_log}"), "SELECT", "global"),
        ("rights_tables", "USAGE".into(), "SELECT, LOCK TABLES", "tables"),
        ("rights_read", "USAGE".into(), "SELECT", "one-connection"),
    ] {
        place.sql(&format!(
            "CREATE USER {user}@localhost IDENTIFIED BY 'some-Pass1'; GRANT {everywhere} ON *.* TO {user}@localhost; \
             GRANT {here} ON `{schema}`.* TO {user}@localhost"
        ));
        let mut export = command_of(place, user, &format!("rights --format csv --lanes 2 --to {user}"));
        let done = place.done(&export.env("INRUSH_PASSWORD", "some-Pass1").output().unwrap());
        place.sql(&format!("DROP USER {user}@localhost"));
        assert_eq!((done.code, &done.json["lock"]), (0, &lock.into()), "{user}: {done}");
        let manifest: serde_json::Value = serde_json::from_str(&place.read(&format!("{user}/manifest.json"))).unwrap();
        assert_eq!(manifest["lock"], lock, "{manifest}");
        let position = &manifest["binary_log"];
        assert_eq!(
            position["position"].as_u64().is_some_and(|at| at > 0),
            has_log && lock == "global",
            "{user}: {manifest}"
        );
        let text: String = [1, 2].map(|part| place.read(&format!("{user}/rights.{part}.csv"))).concat();
        assert_eq!(text, "id\n1\nid\n2\n", "{user}: {done}");
    }
}

/// For a server of its own: FLUSH TABLES WITH READ LOCK stops everybody else for a moment.
pub(crate) fn by_a_lock_of_all_tables(place: &Place) {
    assert_eq!(exports_of_one_state(place, "auto", 5), 5);
}
