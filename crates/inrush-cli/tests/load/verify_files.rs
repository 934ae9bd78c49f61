//! `inrush verify FILE.. --into TABLE` and `inrush load --verify`: whether the rows of files are in a table, each once.

use crate::place::{Place, everywhere};
use crate::verify::{Done, command, numbers, verify};
use std::process::Command;

const PEOPLE: &str = "CREATE TABLE people (id INT PRIMARY KEY, name VARCHAR(20), born DATE, score DOUBLE, note VARCHAR(20) DEFAULT 'none', \
    made TIMESTAMP(6) DEFAULT CURRENT_TIMESTAMP(6) ON UPDATE CURRENT_TIMESTAMP(6), loud VARCHAR(20) AS (UPPER(name)) STORED) CHARACTER SET utf8mb4";

const FILE: &str = "id,name,born,score\n1,Ann,1999-12-31,0.1\n2,\"Bo, b\",,1e300\n3,,2000-02-29,-0\n4,'Cy ',,\n";

/// What others do to the table after the load, and what differs then: missing, extra, different; and with `--subset`.
const CHANGES: &[(&str, [u64; 3], [u64; 3])] = &[
    ("DO 0", [0, 0, 0], [0, 0, 0]),
    ("UPDATE people SET note = 'x'", [0, 0, 0], [0, 0, 0]),
    ("DELETE FROM people WHERE id = 2", [1, 0, 0], [1, 0, 0]),
    ("INSERT INTO people (id, name) VALUES (0, 'Zoe'), (9, 'Zoe')", [0, 2, 0], [0, 0, 0]),
    ("UPDATE people SET name = '' WHERE id = 4", [0, 0, 1], [0, 0, 1]),
    ("UPDATE people SET name = '''Cy''' WHERE id = 4", [0, 0, 1], [0, 0, 1]),
    ("UPDATE people SET id = 7 WHERE id = 4", [1, 1, 0], [1, 0, 0]),
    ("UPDATE people SET score = 0.1 + 0.2 WHERE id = 1", [0, 0, 1], [0, 0, 1]),
    ("UPDATE people SET born = '2000-02-28', name = 'x' WHERE id = 3", [0, 0, 1], [0, 0, 1]),
    ("UPDATE people SET name = IF(id = 1, 'Bo, b', 'Ann') WHERE id < 3", [0, 0, 2], [0, 0, 2]),
    ("TRUNCATE people", [4, 0, 0], [4, 0, 0]),
];

#[track_caller]
fn check(place: &Place, arguments: &str, want: [u64; 3], what: &str) -> Done {
    let done = verify(place, arguments);
    let code = if want == [0, 0, 0] { 0 } else { 2 };
    assert_eq!(numbers(&done), (code, want), "{what}: {done}");
    assert_eq!(place.sql("SHOW TABLES LIKE '%verify%'"), "", "{what}: {done}");
    done
}

#[test]
fn every_change_is_found() {
    everywhere("verify_files", |place| {
        place.write("people.csv", FILE);
        for (change, all, subset) in CHANGES {
            place.sql(&format!("DROP TABLE IF EXISTS people; {PEOPLE}"));
            assert_eq!(place.load("people.csv --into people --again").code, 0);
            place.sql(change);
            let done = check(place, "people.csv --into people", *all, change);
            check(place, "people.csv --into people --subset", *subset, change);
            assert_eq!(done.json["not_compared"], serde_json::json!(["note", "made"]), "{done}");
            assert_eq!(done.json["key"], serde_json::json!(["`id`"]), "{done}");
            // The statements mend the columns that the file has.
            let done = verify(place, "people.csv --into people --differences-to mend.sql");
            assert_eq!(numbers(&done).1, *all, "{done}");
            place.sql(&place.read("mend.sql"));
            check(place, "people.csv --into people", [0, 0, 0], change);
            std::fs::remove_file(place.path("mend.sql")).unwrap();
        }
        // The ledger has nothing of it.
        assert_eq!(place.sql("SELECT COUNT(*) FROM inrush_job WHERE target LIKE '%inrush_verify%'"), "0");
    });
}

/// A table whose key the file does not have: its rows are counted.
#[test]
fn keys_that_the_server_made_are_not_compared() {
    everywhere("verify_files_ids", |place| {
        place.sql("CREATE TABLE log (id INT AUTO_INCREMENT PRIMARY KEY, day DATE, what VARCHAR(9)); INSERT INTO log (what) VALUES ('old')");
        place.write("log.csv", "day,what\n2026-11-27,a\n2026-11-27,a\n2026-11-28,\n");
        let load = "log.csv --into log --lanes 1";
        assert_eq!(place.load(load).code, 0);
        check(place, "log.csv --into log --subset", [0, 0, 0], "after the load");
        check(place, "log.csv --into log", [0, 1, 0], "the old row");
        check(place, "log.csv --into log --where day>20200101", [0, 0, 0], "rows of some days");
        // Loaded twice.
        assert_eq!(place.load(&format!("{load} --again")).code, 0);
        let done = check(place, "log.csv --into log --subset", [0, 3, 0], "twice");
        assert_eq!(done.json["differences"][0]["kind"], "extra", "{done}");
        place.sql("DELETE FROM log ORDER BY id DESC LIMIT 5");
        check(place, "log.csv --into log --subset", [2, 0, 0], "one of two equal rows is lost");
    });
}

#[test]
fn options_of_reading_are_those_of_a_load() {
    everywhere("verify_files_options", |place| {
        place
            .sql("CREATE TABLE t (a INT PRIMARY KEY, b DECIMAL(10,2), c DATETIME, d VARCHAR(10)) CHARACTER SET latin1");
        place.write("t.txt", b"# made today\n1;1.234,5;28.11.2026 07:00;gr\xfcn\n2;NA;NA;NA\n".as_slice());
        place.write("u.txt", "3;7;;x\n");
        let args = |command: &mut Command| {
            command.args([
                "t.txt",
                "u.txt",
                "--into",
                "t",
                "--set",
                "d=LOWER(@up)",
                "--date-format",
                "c3=%d.%m.%Y %H:%M",
            ]);
            command.args(
                "--delimiter ; --no-header --comment # --null NA --decimal , --thousands . --encoding latin1 --columns a,b,c,@up --time-zone +05:00"
                    .split(' '),
            );
        };
        let mut load = place.command("");
        args(&mut load);
        let done = place.done(&load.output().unwrap());
        assert_eq!(done.code, 0, "{done}");
        let verify = || {
            let mut verify = command(place, "");
            args(&mut verify);
            Done::of(&mut verify)
        };
        let done = verify();
        assert_eq!((numbers(&done), &done.json["rows"]), ((0, [0, 0, 0]), &3.into()), "{done}");
        place.sql("UPDATE t SET d = 'GR\u{dc}N' WHERE a = 1");
        assert_eq!(numbers(&verify()), (2, [0, 0, 1]));
    });
}

/// What is computed of no field is not compared.
#[test]
fn computed_columns() {
    everywhere("verify_files_computed", |place| {
        place.sql("CREATE TABLE t (a INT PRIMARY KEY, b VARCHAR(9), c CHAR(36), d INT)");
        place.write("t.csv", "a,x\n1,p\n2,q\n");
        let args = "t.csv --into t --set b=UPPER(@x) --set c=UUID() --set d=7";
        let done = place.load(&format!("{args} --verify"));
        assert_eq!((done.code, &done.json["verify"]["equal"]), (0, &true.into()), "{done}");
        assert_eq!(done.json["verify"]["not_compared"], serde_json::json!(["c", "d"]), "{done}");
        place.sql("UPDATE t SET b = 'p' WHERE a = 1");
        check(place, args, [0, 0, 1], "what is computed of a field is compared");
    });
}

#[test]
fn files_that_cannot_be_in_the_table() {
    everywhere("verify_files_bad", |place| {
        place.sql("CREATE TABLE t (a INT PRIMARY KEY, b VARCHAR(3)); INSERT INTO t VALUES (1, 'x')");
        let says = |file: &str, arguments: &str, code: i32, text: &str| {
            place.write("t.csv", file);
            let done = verify(place, arguments);
            assert_eq!(done.code, code, "{done}");
            done.says(text);
            assert_eq!(place.sql("SHOW TABLES LIKE '%verify%'"), "", "{done}");
        };
        says("a,b\n1,x\n2,long\n", "t.csv --into t", 2, "4 characters long");
        says("a,b\n1,x\n1,x\n", "t.csv --into t", 2, "Duplicate entry '1'");
        says("a,c\n1,x\n", "t.csv --into t", 1, "field `c`: the table has no such column");
        says("a,b\n1,x\n", "t.csv --into nothing", 1, "there is no table");
        says("a,b\n1,x\n", "t.csv t2.csv --into t", 1, "t2.csv");
        says("a,b\n1,x\n", "t.csv t", 1, "there is no table");
        says("a,b\n1,x\n", "t.csv", 1, "`inrush verify FILE.. --into TABLE`");
        says("a,b\n1,x\n", "t t --null NA", 1, "`inrush verify FILE.. --into TABLE`");
        place.sql("CREATE VIEW v AS SELECT * FROM t");
        says("a,b\n1,x\n", "t.csv --into v", 1, "v");
    });
}

#[test]
fn a_user_without_the_right_to_make_a_copy_is_refused() {
    everywhere("verify_files_rights", |place| {
        let (schema, user) = (place.schema.name(), format!("vf{}", std::process::id()));
        place.sql(&format!(
            "CREATE TABLE t (a INT PRIMARY KEY); INSERT INTO t VALUES (1); DROP USER IF EXISTS {user}@localhost; \
             CREATE USER {user}@localhost IDENTIFIED BY 'some-Pass1'; GRANT SELECT ON `{schema}`.* TO {user}@localhost"
        ));
        place.write("t.csv", "a\n1\n");
        let mut verify = Command::new(env!("CARGO_BIN_EXE_inrush"));
        verify.args(["verify", "t.csv", "--into", "t", "-q", "--json", "-S"]).arg(&place.server.socket);
        verify.args(["-u", &user, "-D", schema]).current_dir(place.folder.path());
        verify.env("HOME", place.folder.path()).env_remove("INRUSH_URL").env("INRUSH_PASSWORD", "some-Pass1");
        let done = Done::of(&mut verify);
        assert_eq!(done.code, 1, "{done}");
        done.says("which this user may not make");
        done.says("GRANT SELECT, INSERT, CREATE, ALTER, DROP");
        place.sql(&format!("DROP USER {user}@localhost"));
    });
}

/// The copy of a run that was killed is dropped by the next one; a table that only looks like it is not.
#[test]
fn what_a_killed_run_left_is_dropped() {
    everywhere("verify_files_left", |place| {
        place.sql(
            "CREATE TABLE t (a INT PRIMARY KEY); INSERT INTO t VALUES (1); CREATE TABLE t__inrush_verify_00000001 LIKE t; \
             ALTER TABLE t__inrush_verify_00000001 COMMENT = 'A copy of inrush verify, which drops it'; CREATE TABLE t__inrush_verify_00000002 LIKE t",
        );
        place.write("t.csv", "a\n1\n");
        assert_eq!(numbers(&verify(place, "t.csv --into t")), (0, [0, 0, 0]));
        assert_eq!(place.sql("SHOW TABLES LIKE '%verify%'"), "t__inrush_verify_00000002");
    });
}

#[test]
fn a_load_that_verifies() {
    everywhere("verify_loads", |place| {
        place.sql("CREATE TABLE t (a INT PRIMARY KEY, b VARCHAR(9)); INSERT INTO t VALUES (77, 'old')");
        place.write("t.csv", "a,b\n1,x\n2,y\n3,\n");
        let done = place.load("t.csv --into t --verify");
        let verified = &done.json["verify"];
        assert_eq!((done.code, &done.json["exit_code"], &verified["rows"]), (0, &0.into(), &3.into()), "{done}");
        // Nothing to load, and all of it to compare.
        place.sql("UPDATE t SET b = 'z' WHERE a = 2");
        let done = place.go_on("t.csv --into t --verify");
        assert_eq!(
            (done.code, &done.json["exit_code"], &done.json["verify"]["different"]),
            (2, &2.into(), &1.into()),
            "{done}"
        );
        // The table has these rows alone.
        let done = place.load("t.csv --into t --truncate --again --verify");
        assert_eq!((done.code, &done.json["verify"]["subset"]), (0, &false.into()), "{done}");
        // Rows that are changed on their way: by a trigger.
        place.sql("CREATE TRIGGER t_b BEFORE INSERT ON t FOR EACH ROW SET NEW.b = UPPER(NEW.b)");
        let done = place.load("t.csv --into t --truncate --again --verify");
        assert_eq!((done.code, &done.json["verify"]["different"]), (2, &2.into()), "{done}");
        place.sql("DROP TRIGGER t_b");
        // Rejected rows are in neither.
        place.write("t.csv", "a,b\n1,x\n2,far too long\n4,\n");
        let done = place.load("t.csv --into t --truncate --again --verify --bad-rows skip");
        assert_eq!(
            (done.code, &done.json["verify"]["equal"], &done.json["verify"]["rejected"]),
            (4, &true.into(), &1.into()),
            "{done}"
        );
        // The last of several rows with a key counts, in the copy too.
        place.write("t.csv", "a,b\n1,x\n1,y\n4,z\n");
        let done = place.load("t.csv --into t --mode replace --lanes 1 --verify");
        assert_eq!((done.code, &done.json["verify"]["rows"]), (0, &2.into()), "{done}");
        for refused in ["--mode ignore", "--mode update", "--mode delete", "--dry-run"] {
            let done = place.load(&format!("t.csv --into t --verify {refused}"));
            assert_eq!(done.code, 1, "{done}");
            assert!(done.stderr.contains("exclude each other"), "{done}");
        }
        // New tables, each by its name.
        place.write("n1.csv", "a,b\n1,x\n");
        place.write("n2.csv", "c\n2026-11-28\n");
        let into = format!("{}.*", place.schema.name());
        let done = place.load(&format!("n1.csv n2.csv --into {into} --create-table --verify"));
        assert_eq!((done.code, &done.json["tables"][1]["verify"]["equal"]), (0, &true.into()), "{done}");
        place.sql("DELETE FROM n2");
        let done = verify(place, &format!("n1.csv n2.csv --into {into}"));
        assert_eq!((done.code, &done.json["tables"][1]["missing"]), (2, &1.into()), "{done}");
        assert_eq!(place.sql("SHOW TABLES LIKE '%verify%'"), "");
    });
}

/// Days that no calendar has, and a folder whose manifest is missing or broken.
#[test]
fn an_export_with_zero_dates_and_one_without_its_manifest() {
    everywhere("verify_zero_dates", |place| {
        place.sql("SET sql_mode = ''; CREATE TABLE days (id INT PRIMARY KEY, day DATE, at DATETIME(3)); INSERT INTO days VALUES (1, '0000-00-00', '0000-00-00'), (2, '2024-02-29', '2024-02-29 01:02:03.004')");
        for format in ["csv", "parquet"] {
            let done =
                crate::export::export(place, &format!("days --to {format} --format {format} --invalid-dates text"));
            assert_eq!(done.code, 0, "{done}");
            let done = verify(place, format);
            assert_eq!(done.code, 2, "{done}");
            done.says("--unchecked zero-dates");
            let done = verify(place, &format!("{format} --unchecked zero-dates"));
            assert_eq!((done.code, &done.json["tables"][0]["equal"]), (0, &true.into()), "{done}");
        }
        place.write("csv/manifest.json", "{\"inrush_export\": 1, \"tab");
        let done = verify(place, "csv");
        assert_eq!(done.code, 1, "{done}");
        done.says("`csv/manifest.json` is no whole manifest");
        place.write("csv/manifest.json", "[]");
        for name in ["csv", "csv/manifest.json"] {
            let done = verify(place, name);
            assert_eq!(done.code, 1, "{done}");
            done.says("`csv/manifest.json` is no manifest of an export");
        }
        std::fs::remove_file(place.path("csv/manifest.json")).unwrap();
        let done = verify(place, "csv");
        assert_eq!(done.code, 1, "{done}");
        done.says("the folder `csv` has no manifest.json");
    });
}

/// The files of an export and the tables that they are of, or others.
#[test]
fn an_export_and_its_tables() {
    everywhere("verify_export", |place| {
        place.sql(
            "CREATE TABLE a (id INT PRIMARY KEY, b VARBINARY(9), t TIMESTAMP(3) NULL, n VARCHAR(9)); \
             INSERT INTO a VALUES (1, x'00ff', '2026-11-28 10:00:00.123', ''), (2, '', NULL, NULL); CREATE TABLE c (x INT); INSERT INTO c VALUES (1), (1)",
        );
        for format in ["csv", "jsonl", "parquet"] {
            let mut export = command(place, "");
            let arguments: Vec<_> = export.get_args().map(std::ffi::OsStr::to_owned).skip(1).collect();
            export = Command::new(env!("CARGO_BIN_EXE_inrush"));
            export.arg("export").args(arguments).args(["a", "c", "--format", format, "--to", format]);
            export.current_dir(place.folder.path()).env("HOME", place.folder.path()).env_remove("INRUSH_URL");
            let done = Done::of(export.env("INRUSH_PASSWORD", &place.server.password));
            assert_eq!(done.code, 0, "{done}");
            let done = verify(place, format);
            assert_eq!((done.code, &done.json["tables"][0]["equal"]), (0, &true.into()), "{format}: {done}");
            place.sql("DELETE FROM c LIMIT 1; UPDATE a SET n = NULL WHERE id = 1");
            let done = verify(place, &format!("{format}/manifest.json"));
            let tables = &done.json["tables"];
            assert_eq!(
                (done.code, &tables[0]["different"], &tables[1]["missing"]),
                (2, &1.into(), &1.into()),
                "{format}: {done}"
            );
            place.sql("INSERT INTO c VALUES (1); UPDATE a SET n = '' WHERE id = 1");
            let done = verify(place, &format!("{format} --null NA"));
            assert_eq!(done.code, 1, "{done}");
            done.says("contradicts the manifest");
        }
        let file = std::fs::read_dir(place.path("csv")).unwrap().filter_map(Result::ok).map(|entry| entry.path());
        let file = file.into_iter().find(|path| path.ends_with("c.csv")).unwrap();
        std::fs::write(file, "x\n1\n2\n").unwrap();
        let done = verify(place, "csv");
        assert_eq!(done.code, 2, "a file that is not that of the manifest: {done}");
    });
}
