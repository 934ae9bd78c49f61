//! Dumps that are folders: what the client makes of the dump of the same tables, and what is refused.

use crate::manifests::{beside, is_equal, stored};
use crate::place::{Done, Place, everywhere};
use std::process::Command;

const TABLES: &str = r#"
CREATE TABLE parent (id INT PRIMARY KEY, n VARCHAR(20) CHARACTER SET utf8mb4);
CREATE TABLE child (id INT PRIMARY KEY AUTO_INCREMENT, p INT, t TEXT CHARACTER SET utf8mb4, b BLOB, f BIT(5), ts TIMESTAMP NULL, j JSON,
  gen INT AS (p + 1) VIRTUAL, KEY kp (p), FOREIGN KEY (p) REFERENCES parent (id));
CREATE TABLE `none` (a INT);
INSERT INTO parent VALUES (1, 'one'), (2, 'tw''o\\'), (3, NULL);
INSERT INTO child (p, t, b, f, ts, j) VALUES (1, 'line1\nline2\t;"q"''s', 0x00ff0a5c27, b'101', '2024-01-01 00:00:00', '{"a": [1, "x\\n"]}'),
  (2, '', NULL, NULL, NULL, NULL), (NULL, 'ünï😀', '', 0, '1999-12-31 23:59:59', '[null]');
CREATE VIEW a AS SELECT id FROM b;
CREATE OR REPLACE VIEW b AS SELECT id, t FROM child;
CREATE TRIGGER tr BEFORE INSERT ON parent FOR EACH ROW SET NEW.n = 'new';
CREATE PROCEDURE pr() INSERT INTO parent VALUES (99, 'p');
"#;

/// The tables, the view `a` after the one that it needs.
fn make(place: &Place) {
    place.sql(&TABLES.replace("CREATE VIEW a", "CREATE VIEW b AS SELECT id, t FROM child; CREATE VIEW a"));
}

/// What the server's own program dumps, into a file of a folder.
fn dump(place: &Place, arguments: &str, file: &str) {
    let output = place
        .server
        .dump()
        .args(["--compact", "--skip-opt", "--quick", "--extended-insert"])
        .args(arguments.split(' '))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    place.write(file, &output.stdout);
}

fn compress(place: &Place, file: &str) {
    assert!(Command::new("gzip").arg(place.path(file)).status().unwrap().success());
}

/// `inrush load` of the folder `dump` of `from`.
#[track_caller]
fn load(from: &Place, into: &Place, arguments: &str) -> Done {
    let mut command = into.command(arguments);
    command.current_dir(from.folder.path()).args(["--json", "-q"]);
    into.done(&command.output().unwrap())
}

/// The folder `dump` as mydumper writes it.
fn mydumper(place: &Place) {
    let schema = place.schema.name();
    std::fs::create_dir(place.path("dump")).unwrap();
    place.write("dump/metadata", "# Started dump at: 2026-01-01 00:00:00\n# Finished dump at: 2026-01-01 00:00:01\n");
    place.write("dump/shop-schema-create.sql", "CREATE DATABASE `shop`;\n");
    for table in ["parent", "child", "none"] {
        dump(
            place,
            &format!("--create-options --no-data --skip-triggers {schema} {table}"),
            &format!("dump/shop.{table}-schema.sql"),
        );
    }
    for view in ["a", "b"] {
        place.write(
            &format!("dump/shop.{view}-schema.sql"),
            format!("CREATE TABLE `{view}` (\n`id` int\n) ENGINE=MyISAM;\n"),
        );
        let made = place.sql(&format!("SHOW CREATE VIEW {view}"));
        let from = made.find("CREATE ").unwrap();
        let until = made.find(",utf8").unwrap();
        let made = made[from..until].replace(&format!("`{schema}`."), "");
        place.write(
            &format!("dump/shop.{view}-schema-view.sql"),
            format!(
                "/*!40101 SET NAMES binary*/;\nDROP TABLE IF EXISTS `{view}`;\nDROP VIEW IF EXISTS `{view}`;\n{made};\n"
            ),
        );
    }
    let rows = "--no-create-info --skip-triggers --tz-utc --set-charset";
    dump(place, &format!("{rows} --where id<3 {schema} parent"), "dump/shop.parent.00000.sql");
    dump(place, &format!("{rows} --where id>=3 {schema} parent"), "dump/shop.parent.00001.sql");
    compress(place, "dump/shop.parent.00001.sql");
    dump(place, &format!("{rows} --hex-blob {schema} child"), "dump/shop.child.00000.sql");
    dump(
        place,
        &format!("--no-create-info --no-data --triggers {schema} parent"),
        "dump/shop.parent-schema-triggers.sql",
    );
    dump(
        place,
        &format!("--no-create-info --no-data --skip-triggers --routines {schema}"),
        "dump/shop-schema-post.sql",
    );
}

/// What is there beside rows.
const MADE: &str = "SELECT GROUP_CONCAT(n ORDER BY n) FROM (SELECT TABLE_NAME AS n FROM information_schema.TABLES
    WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME NOT LIKE 'inrush%' UNION ALL SELECT TRIGGER_NAME FROM information_schema.TRIGGERS
    WHERE TRIGGER_SCHEMA = DATABASE() UNION ALL SELECT ROUTINE_NAME FROM information_schema.ROUTINES WHERE ROUTINE_SCHEMA = DATABASE()) AS x";

#[test]
fn a_folder_of_mydumper() {
    everywhere("dump_mydumper", |place| {
        make(place);
        mydumper(place);
        let into = beside(place);
        for run in ["first", "again"] {
            let done = load(place, &into, "dump --into *");
            assert_eq!(stored(&done), (0, 6), "{run}: {}", done.stderr);
            ["parent", "child"].iter().for_each(|table| is_equal(place, &into, table, ""));
            assert_eq!(into.sql(MADE), "a,b,child,none,parent,pr,tr", "{run}: {}", done.stderr);
            assert_eq!(into.sql("SELECT COUNT(*) FROM a"), "3");
        }
        // A part of it.
        let into = beside(place);
        let mut command = into.command("dump --into * --only child");
        let done = into.done(&command.current_dir(place.folder.path()).arg("--json").output().unwrap());
        assert_eq!(stored(&done), (0, 3), "{}", done.stderr);
        assert!(done.stderr.contains("`child` has a foreign key to `parent`, which is not there"), "{}", done.stderr);
        assert_eq!(into.sql(MADE), "child");
        is_equal(place, &into, "child", "");
    });
}

/// The form in which LOAD DATA reads the rows.
#[test]
fn a_folder_of_mydumper_with_load_data() {
    everywhere("dump_mydumper_dat", |place| {
        std::fs::create_dir(place.path("dump")).unwrap();
        place.write("dump/metadata", "Finished dump at: 2026-01-01 00:00:01\n");
        place.write("dump/shop-schema-create.sql", "CREATE DATABASE `shop`;\n");
        place.write(
            "dump/shop.t-schema.sql",
            "CREATE TABLE `t` (\n`id` int PRIMARY KEY,\n`x` text CHARACTER SET utf8mb4,\n`b` blob,\n`c` blob,\n`f` bit(8),\n`w` bit(64));\n",
        );
        place.write(
            "dump/shop.t.00000.sql",
            "/*!40101 SET NAMES binary*/;\n/*!40103 SET TIME_ZONE='+00:00' */;\nLOAD DATA LOCAL INFILE 'shop.t.00000.dat' REPLACE INTO TABLE `t` \
             CHARACTER SET binary FIELDS TERMINATED BY '\\t' ENCLOSED BY '' ESCAPED BY '\\\\' LINES STARTING BY '' TERMINATED BY '\\n' \
             (`id`,`x`,@b,`c`,`f`,`w`) SET `b`=UNHEX(@b);\n",
        );
        // A BIT column has the bytes of its number.
        let rows = [
            &b"1\t\xc3\xbc\\n\\t\\\\\t00ff\t\xff\\0\\\n\t1\t\xff\xfe\xfd\xfc\xfb\xfa\xf9\xf8\n"[..],
            b"2\t\\N\t\\N\t\t\\N\t\\N\n3\t\t\t\t\\0\t\\0\\0\\0\\0\\0\\0\\0\x05\n4\t\t\t\t\\t\t12345678\n",
        ];
        place.write("dump/shop.t.00000.dat", rows.concat());
        let done = place.load("dump --into *");
        assert_eq!(stored(&done), (0, 4), "{}", done.stderr);
        let rows = place.sql("SELECT id, HEX(x), HEX(b), HEX(c) FROM t ORDER BY id");
        assert_eq!(rows, "1,C3BC0A095C,00FF,FF000A|2,NULL,NULL,|3,,,|4,,,");
        let bits = place.sql("SELECT id, f + 0, HEX(w) FROM t ORDER BY id");
        assert_eq!(bits, "1,49,FFFEFDFCFBFAF9F8|2,NULL,NULL|3,0,5|4,9,3132333435363738");
        // Bytes that are no such number.
        place.write("dump/shop.t.00000.dat", b"5\t\t\t\t\x01\x02\t1\n");
        let into = beside(place);
        let done = load(place, &into, "dump --into *");
        assert_eq!((done.code, into.sql("SELECT COUNT(*) FROM t")), (2, "0".to_owned()), "{}", done.stderr);
    });
}

/// What `metadata` counts, the bodies of routines as mydumper writes them, and its JSON.
#[test]
fn rows_of_mydumper_are_counted() {
    everywhere("dump_mydumper_counts", |place| {
        std::fs::create_dir(place.path("dump")).unwrap();
        place.write("dump/shop-schema-create.sql", "CREATE DATABASE `shop`;\n");
        place.write(
            "dump/metadata",
            "[`shop`.`t`]\nreal_table_name=t\nrows = 3\n# Finished dump at: 2026-01-01 00:00:01\n",
        );
        place.write("dump/shop.t-schema.sql", "CREATE TABLE `t` (\n`id` int PRIMARY KEY,\n`j` json);\n");
        place.write(
            "dump/shop.t.00000.sql",
            "INSERT INTO `t` VALUES(1,CONVERT(\"[\\\"a\\\"]\" USING UTF8MB4))\n,(2,NULL);\n",
        );
        place.write(
            "dump/shop.t-schema-triggers.sql",
            "CREATE TRIGGER tr BEFORE INSERT ON `t` FOR EACH ROW BEGIN\n  SET NEW.id = 7; \n  SET NEW.j = NULL; \nEND;\n",
        );
        let post = "CREATE PROCEDURE pr()\nBEGIN\n  SELECT 1; \n  SELECT 2; \nEND;\n";
        place.write("dump/shop-schema-post.sql", post);
        for run in ["a file is missing", "and again"] {
            let done = load(place, place, "dump --into *");
            assert_eq!(done.code, 2, "{run}: {}", done.stderr);
            let says = "2 rows were read, and `metadata` of the dump says 3 rows";
            assert!(done.stderr.contains(says), "{run}: {}", done.stderr);
            assert_eq!(place.sql(MADE), "t", "{run}: {}", done.stderr);
        }
        // The same command, when it is there.
        place.write("dump/shop.t.00001.sql", "INSERT INTO `t` VALUES(3,CONVERT(\"{}\" USING UTF8MB4));\n");
        for run in ["first", "again"] {
            let done = load(place, place, "dump --into *");
            assert_eq!(stored(&done), (0, 3), "{run}: {}", done.stderr);
            assert_eq!(place.sql("SELECT * FROM t ORDER BY id"), "1,[\"a\"]|2,NULL|3,{}", "{run}");
            assert_eq!(place.sql(MADE), "pr,t,tr", "{run}: {}", done.stderr);
        }
        // Rows of another table, which are found after the first ones.
        place.write("dump/shop.t.00001.sql", "INSERT INTO `t` VALUES(3,NULL);\nINSERT INTO `u` VALUES(3);\n");
        let into = beside(place);
        let done = load(place, &into, "dump --into *");
        assert_eq!(done.code, 2, "{}", done.stderr);
        assert!(
            done.stderr.contains("`INSERT INTO `u` VALUES(3)` is in a file of rows of table `t`"),
            "{}",
            done.stderr
        );
    });
}

/// A file of which a part is stored, and which is gone or compressed when the same command goes on.
#[test]
fn a_file_that_is_gone_when_a_load_goes_on() {
    everywhere("dump_gone", |place| {
        std::fs::create_dir(place.path("dump")).unwrap();
        place.write("dump/metadata", "Finished dump at: 2026-01-01 00:00:01\n");
        place.write("dump/shop-schema-create.sql", "CREATE DATABASE `shop`;\n");
        place.write("dump/shop.t-schema.sql", "CREATE TABLE `t` (`a` int, `b` int);\n");
        let rows = |from: u32| (from..from + 300).map(|n| format!("({n},{n})")).collect::<Vec<_>>().join(",");
        place.write("dump/shop.t.00000.sql", format!("INSERT INTO `t` VALUES {};\n", rows(0)));
        place.write("dump/shop.t.00001.sql", format!("INSERT INTO `t` VALUES {};\n", rows(300)));
        let mut command = place.command("dump --into * --batch 100 --lanes 1 --json -q");
        let killed = command.env("INRUSH_FAULT", "commit.answered:2").output().unwrap();
        assert_ne!(killed.status.code(), Some(0));
        let there = place.sql("SELECT COUNT(*) FROM t");
        assert_ne!(there, "0");
        let refused = |says: &str| {
            let done = place.go_on("dump --into * --batch 100 --lanes 1");
            assert_eq!(done.code, 2, "{}", done.stderr);
            assert!(done.stderr.contains(says), "{}", done.stderr);
            assert!(done.stderr.contains("put the file back"), "{}", done.stderr);
            assert_eq!(place.sql("SELECT COUNT(*) FROM t"), there, "{}", done.stderr);
        };
        std::fs::rename(place.path("dump/shop.t.00000.sql"), place.path("aside")).unwrap();
        refused("shop.t.00000.sql`, which is gone and was not whole");
        std::fs::rename(place.path("aside"), place.path("dump/shop.t.00000.sql")).unwrap();
        compress(place, "dump/shop.t.00000.sql");
        refused("shop.t.00000.sql`, which is gone, and `");
        assert!(Command::new("gunzip").arg(place.path("dump/shop.t.00000.sql.gz")).status().unwrap().success());
        let done = place.go_on("dump --into * --batch 100 --lanes 1");
        assert_eq!(stored(&done), (0, 600), "{}", done.stderr);
        // A whole one may go; under another name it would be stored again.
        compress(place, "dump/shop.t.00000.sql");
        let done = place.go_on("dump --into *");
        assert_eq!(done.code, 2, "{}", done.stderr);
        std::fs::remove_file(place.path("dump/shop.t.00000.sql.gz")).unwrap();
        let done = place.go_on("dump --into *");
        assert_eq!((done.code, place.sql("SELECT COUNT(*) FROM t")), (0, "600".to_owned()), "{}", done.stderr);
    });
}

/// The files of a table that is not whole are there, and of a table whose name differs by case.
#[test]
fn names_of_tables_that_differ_by_case() {
    everywhere("dump_case", |place| {
        std::fs::create_dir(place.path("dump")).unwrap();
        place.write("dump/metadata", "Finished dump at: 2026-01-01 00:00:01\n");
        place.write("dump/shop-schema-create.sql", "CREATE DATABASE `shop`;\n");
        let rows = (0..300).map(|n| format!("({n})")).collect::<Vec<_>>().join(",");
        for table in ["T", "t"] {
            place.write(&format!("dump/shop.{table}-schema.sql"), format!("CREATE TABLE `{table}` (`a` int);\n"));
            place.write(&format!("dump/shop.{table}.00000.sql"), format!("INSERT INTO `{table}` VALUES {rows};\n"));
        }
        let mut command = place.command("dump --into * --batch 100 --lanes 1 --json -q");
        let killed = command.env("INRUSH_FAULT", "commit.answered:2").output().unwrap();
        assert_ne!(killed.status.code(), Some(0));
        let done = place.go_on("dump --into * --batch 100 --lanes 1");
        assert_eq!(stored(&done), (0, 600), "{}", done.stderr);
        assert_eq!(place.sql("SELECT (SELECT COUNT(*) FROM T), (SELECT COUNT(*) FROM t)"), "300,300");
    });
}

#[test]
fn a_folder_of_mysql_shell() {
    everywhere("dump_shell", |place| {
        let into = beside(place);
        make(place);
        let schema = place.schema.name();
        std::fs::create_dir(place.path("dump")).unwrap();
        place.write(
            "dump/@.json",
            r#"{"schemas": ["shop"], "basenames": {"shop": "shop"}, "defaultCharacterSet": "utf8mb4", "tzUtc": true}"#,
        );
        let rows = "1\t1\tline1\\nline2\\t;\"q\"'s\tAP8KXCc=\t05\t2024-01-01 00:00:00\t{\"a\": [1, \"x\\\\n\"]}\n2\t2\t\t\\N\t\\N\t\\N\t\\N\n\
             3\t\\N\tünï😀\t\t00\t1999-12-31 23:59:59\t[null]\n";
        place.write(
            "dump/@.done.json",
            format!(
                r#"{{"chunkFileBytes": {{"shop@parent@0.tsv.gz": 1, "shop@parent@@1.tsv.gz": 1, "shop@child.tsv": {}, "shop@none.tsv": 0}}}}"#,
                rows.len()
            ),
        );
        place.write("dump/shop@none.tsv", "");
        place.write("dump/shop@none.json", r#"{"options": {"columns": ["a"]}, "extension": "tsv"}"#);
        place.write(
            "dump/shop.json",
            r#"{"tables": ["parent", "child", "none"], "views": ["a", "b"], "procedures": ["pr"], "events": [], "basenames":
             {"parent": "shop@parent", "child": "shop@child", "none": "shop@none", "a": "shop@a", "b": "shop@b"}}"#,
        );
        let options = |columns: &str, decoded: &str, extension: &str| {
            format!(
                r#"{{"options": {{"columns": [{columns}], "decodeColumns": {{{decoded}}}, "fieldsTerminatedBy": "\t"}}, "extension": "{extension}"}}"#
            )
        };
        let of_parent =
            options(r#""id", "n""#, "", "tsv.gz").replace(r#"{"options""#, r#"{"triggers": ["tr"], "options""#);
        place.write("dump/shop@parent.json", of_parent);
        let of_child = options(r#""id", "p", "t", "b", "f", "ts", "j""#, r#""b": "FROM_BASE64", "f": "UNHEX""#, "tsv");
        place.write("dump/shop@child.json", of_child);
        for table in ["parent", "child", "none"] {
            dump(
                place,
                &format!("--create-options --no-data --skip-triggers {schema} {table}"),
                &format!("dump/shop@{table}.sql"),
            );
        }
        place.write("dump/shop@a.sql", "DROP TABLE IF EXISTS `a`;\nDROP VIEW IF EXISTS `a`;\nCREATE VIEW `a` AS select `b`.`id` AS `id` from `b`;\n");
        place.write(
            "dump/shop@b.sql",
            "CREATE VIEW `b` AS select `child`.`id` AS `id`,`child`.`t` AS `t` from `child`;\n",
        );
        place.write("dump/shop@b.pre.sql", "CREATE TABLE `b` (`id` int);\n");
        dump(place, &format!("--no-create-info --no-data --triggers {schema} parent"), "dump/shop@parent.triggers.sql");
        dump(place, &format!("--no-create-info --no-data --skip-triggers --routines {schema}"), "dump/shop.sql");
        place.write("dump/shop@parent@0.tsv", "1\tone\n2\ttw'o\\\\\n");
        compress(place, "dump/shop@parent@0.tsv");
        place.write("dump/shop@parent@@1.tsv", "3\t\\N\n");
        compress(place, "dump/shop@parent@@1.tsv");
        place.write("dump/shop@child.tsv", rows);
        for run in ["first", "again"] {
            let done = load(place, &into, "dump --into *");
            assert_eq!(stored(&done), (0, 6), "{run}: {}", done.stderr);
            ["parent", "child"].iter().for_each(|table| is_equal(place, &into, table, ""));
            assert_eq!(into.sql(MADE), "a,b,child,none,parent,pr,tr", "{run}: {}", done.stderr);
        }
    });
}

/// A dump by MySQL Shell of one table: the columns, the file of its rows and how many bytes it has without compression.
fn one_table(place: &Place, columns: &str, (extension, rows, bytes): (&str, &[u8], usize)) {
    drop(std::fs::remove_dir_all(place.path("dump")));
    std::fs::create_dir(place.path("dump")).unwrap();
    place.write("dump/@.json", r#"{"schemas": ["shop"], "basenames": {"shop": "shop"}, "capabilities": []}"#);
    place.write("dump/@.done.json", format!(r#"{{"chunkFileBytes": {{"shop@t.{extension}": {bytes}}}}}"#));
    place.write("dump/shop.json", r#"{"tables": ["t"], "basenames": {"t": "shop@t"}}"#);
    place.write("dump/shop.sql", "-- MySQLShell dump\n");
    place.write("dump/shop@t.sql", "CREATE TABLE IF NOT EXISTS `t` (`a` int PRIMARY KEY, `b` blob);\n");
    place.write("dump/shop@t.json", format!(r#"{{"options": {{{columns}}}, "extension": "{extension}"}}"#));
    place.write(&format!("dump/shop@t.{extension}"), rows);
}

#[test]
fn files_of_mysql_shell_that_were_cut_off() {
    everywhere("dump_shell_cut", |place| {
        let columns = r#""columns": ["a", "b"]"#;
        let rows: String = (0..5000).map(|n| format!("{n}\trow {}\n", n * 7919 % 4999)).collect();
        let zst = zstd::encode_all(rows.as_bytes(), 3).unwrap();
        place.write("rows", &rows);
        compress(place, "rows");
        let gz = std::fs::read(place.path("rows.gz")).unwrap();
        let check = |extension: &str, file: &[u8], says: &str| {
            one_table(place, columns, (extension, file, rows.len()));
            let into = beside(place);
            let done = load(place, &into, "dump --into *");
            assert_eq!(done.code, 2, "{extension} of {} bytes: {}", file.len(), done.stderr);
            assert!(done.stderr.contains(says), "{extension} of {} bytes: {}", file.len(), done.stderr);
            into
        };
        // Refused before anything is changed.
        let plain = format!("and {} by `@.done.json`", rows.len());
        for file in [&rows[..rows.len() / 2], &rows[..rows.len() - 1], ""] {
            let into = check("tsv", file.as_bytes(), &plain);
            assert_eq!(into.sql("SHOW TABLES"), "");
        }
        for (extension, file) in [("tsv.zst", &zst), ("tsv.gz", &gz)] {
            for length in [0, 1] {
                let into = check(extension, &file[..length], "and is not compressed by");
                assert_eq!(into.sql("SHOW TABLES"), "");
            }
            // Found when the file is read.
            for length in [10, file.len() / 2, file.len() - 9, file.len() - 1] {
                check(extension, &file[..length], extension);
            }
            one_table(place, columns, (extension, file, rows.len()));
            let done = load(place, &beside(place), "dump --into *");
            assert_eq!(stored(&done), (0, 5000), "{extension}: {}", done.stderr);
        }
    });
}

#[test]
fn texts_that_cannot_be_decoded() {
    everywhere("dump_shell_decode", |place| {
        for (function, good, bad) in [("FROM_BASE64", "AP8KXCc=", "AP8KXCc"), ("UNHEX", "00ff0A5c27", "00fg")] {
            let columns = format!(r#""columns": ["a", "b"], "decodeColumns": {{"b": "{function}"}}"#);
            let rows = format!("1\t{good}\n2\t\\N\n3\t\n");
            one_table(place, &columns, ("tsv", rows.as_bytes(), rows.len()));
            let into = beside(place);
            let done = load(place, &into, "dump --into *");
            assert_eq!(stored(&done), (0, 3), "{function}: {}", done.stderr);
            assert_eq!(into.sql("SELECT a, HEX(b) FROM t ORDER BY a"), "1,00FF0A5C27|2,NULL|3,", "{function}");
            let rows = format!("{rows}4\t{bad}\n");
            one_table(place, &columns, ("tsv", rows.as_bytes(), rows.len()));
            let into = beside(place);
            let done = load(place, &into, "dump --into *");
            assert_eq!(done.code, 2, "{function}: {}", done.stderr);
            assert_eq!(into.sql("SELECT COUNT(*) FROM t WHERE a = 4"), "0", "{function}");
        }
    });
}

#[test]
fn folders_that_cannot_be_loaded() {
    everywhere("dump_folder_bad", |place| {
        place.sql("CREATE TABLE t (a INT)");
        let check = |arguments: &str, code: i32, says: &str| {
            let done = place.load(arguments);
            assert_eq!(done.code, code, "{arguments}: {}", done.stderr);
            assert!(done.stderr.contains(says), "{arguments}: {}", done.stderr);
            assert_eq!(place.sql("SELECT COUNT(*) FROM t"), "0", "{arguments}");
        };
        std::fs::create_dir(place.path("dump")).unwrap();
        place.write("dump/shop-schema-create.sql", "CREATE DATABASE `shop`;\n");
        place.write("dump/shop.t-schema.sql", "CREATE TABLE `t` (`a` int);\n");
        place.write("dump/shop.t.00000.sql", "INSERT INTO `t` VALUES (1);\n");
        place.write("dump/metadata.partial", "Started dump at: 1\n");
        check("dump --into *", 2, "did not come to its end");
        std::fs::rename(place.path("dump/metadata.partial"), place.path("dump/metadata")).unwrap();
        check("dump --into *", 2, "does not say `Finished dump at`");
        place.write("dump/metadata", "Finished dump at: 2\n");
        check("dump --into t", 1, "`dump` is a dump by mydumper, which is loaded into a database");
        check("dump#other --into *", 1, "is no dump of a database `other`");
        check("dump --into * --delimiter ;", 1, "`--delimiter` contradicts the folder of a dump");
        check("dump --into * --only u", 1, "`dump` has no table `u`");
        // Found at its end, so rows before it may be stored: here it has none.
        place.write("dump/shop.t.00000.sql", "INSERT INTO `t` VALUES (1");
        check("dump --into *", 2, "nothing ends the last statement");
        place.write("dump/@.json", r#"{"schemas": ["shop"]}"#);
        check("dump --into *", 2, "it has no file `@.done.json`");
        // A pipe that nothing writes to would block its reader.
        assert!(Command::new("mkfifo").arg(place.path("dump/shop.t.00001.sql")).status().unwrap().success());
        check("dump --into *", 2, "shop.t.00001.sql` is no regular file");
    });
}
