use super::*;
use crate::dump::RowText;

/// A folder with these files.
fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

/// The contents, or the error with the name of the folder as `F`.
fn read(files: &[(&str, &str)], database: &str) -> Result<DumpContents, String> {
    let folder = folder(files);
    let path = folder.path().to_str().unwrap();
    let found = DumpFolder::find(&format!("{path}{database}")).unwrap().expect("it is a dump");
    let shown = |error: Error| format!("{error} -> {}", error.hint().unwrap_or_default()).replace(path, "F");
    let mut contents = found.read().map_err(shown)?;
    for table in &mut contents.tables {
        table.files.iter_mut().for_each(|file| *file = file.replace(path, "F"));
    }
    Ok(contents)
}

const ENDED: (&str, &str) = ("metadata", "Started dump at: 1\nFinished dump at: 2\n");
const CREATE: (&str, &str) = ("shop-schema-create.sql", "CREATE DATABASE `shop`;");
const TABLE: (&str, &str) = ("shop.t-schema.sql", "CREATE TABLE `t` (\n`a` int);\n");

#[test]
fn names_are_ordered_by_their_numbers() {
    let check = |one: &str, other: &str| assert_eq!(by_numbers(one, other), Ordering::Less, "{one} {other}");
    check("a.2.sql", "a.10.sql");
    check("a.00000.sql", "a.00001.sql");
    check("a.99999.sql", "a.100000.sql");
    check("a@0.tsv", "a@1.tsv");
    check("a.sql", "b.0.sql");
    check("a01b", "a1b");
}

#[test]
fn which_folders_are_dumps() {
    let check = |files: &[(&str, &str)], want: Option<&str>| {
        let folder = folder(files);
        let found = DumpFolder::find(folder.path().to_str().unwrap()).unwrap();
        assert_eq!(found.map(|found| found.program()), want, "{files:?}");
    };
    check(&[("a.csv", ""), ("metadata", "")], None);
    check(&[("a.sql", "")], None);
    check(&[CREATE], Some("mydumper"));
    check(&[ENDED, ("shop.t-schema.sql.gz", "")], Some("mydumper"));
    check(&[("@.json", "{}")], Some("MySQL Shell"));
    assert_eq!(DumpFolder::find("no-folder").unwrap(), None);
}

#[test]
fn a_folder_of_mydumper() {
    let head = "/*!40101 SET NAMES binary*/;\n/*!40103 SET TIME_ZONE='+00:00' */;\n";
    let rows = format!("{head}INSERT INTO `t` VALUES\n(1),\n(2);\n");
    let load = format!(
        "{head}LOAD DATA LOCAL INFILE 'shop.l.00000.dat' REPLACE INTO TABLE `l` CHARACTER SET binary FIELDS TERMINATED BY '\\t' \
         ENCLOSED BY '' ESCAPED BY '\\\\' LINES STARTING BY '' TERMINATED BY '\\n' (`a`,@b,@j) SET `b`=UNHEX(@b),`j`=CONVERT(@j USING UTF8MB4);\n"
    );
    let contents = read(
        &[
            ENDED,
            CREATE,
            TABLE,
            ("shop.t.00010.sql", &rows),
            ("shop.t.00002.sql", &rows),
            ("shop.l-schema.sql", "CREATE TABLE `l` (a int, b blob, j json);"),
            ("shop.l.00000.sql", &load),
            ("shop.l.00000.dat.gz", "1"),
            ("shop.a-schema.sql", "CREATE TABLE `a` (`x` int)ENGINE=MyISAM;"),
            ("shop.a-schema-view.sql", "DROP TABLE IF EXISTS `a`; CREATE VIEW `a` AS select `x` from `b`;"),
            ("shop.b-schema-view.sql", "CREATE VIEW `b` AS select 1 AS `x`;"),
            ("shop.t-schema-triggers.sql", "CREATE TRIGGER tr BEFORE INSERT ON `t` FOR EACH ROW SET NEW.a = 1;"),
            ("shop-schema-post.sql", "CREATE PROCEDURE p() SELECT 1;"),
            ("shop.empty-schema.sql", "CREATE TABLE `empty` (`x` int);"),
        ],
        "",
    )
    .unwrap();
    let tables: Vec<_> =
        contents.tables.iter().map(|table| (&table.name[..], table.has_rows, &table.files[..])).collect();
    let files = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let (l, t) = (files(&["F/shop.l.00000.dat.gz"]), files(&["F/shop.t.00002.sql#t", "F/shop.t.00010.sql#t"]));
    assert_eq!(tables, [("empty", false, &[][..]), ("l", true, &l[..]), ("t", true, &t[..])]);
    let columns = vec![("a".into(), None), ("b".into(), Some("UNHEX".into())), ("j".into(), None)];
    let text =
        RowText { delimiter: "\t".into(), quote: String::new(), escape: "\\".into(), columns, bits_as_bytes: false };
    assert_eq!(contents.tables[1].text.as_ref(), Some(&text));
    assert_eq!(contents.time_zone.as_deref(), Some("+00:00"));
    let others: Vec<_> = contents.others.iter().filter_map(|other| other.subject.clone()).collect();
    assert_eq!(others, ["procedure `p`", "view `b`", "view `a`", "trigger `tr`"]);
    assert_eq!(contents.others[0].place(), "line 1 of `shop-schema-post.sql`");
}

#[test]
fn folders_of_mydumper_that_are_refused() {
    let check = |files: &[(&str, &str)], database: &str, says: &str| {
        let error = read(files, database).unwrap_err();
        assert!(error.contains(says), "{files:?}: {error}");
    };
    check(&[CREATE], "", "it has no file `metadata`");
    check(&[CREATE, ("metadata.partial", "")], "", "that did not come to its end: it has a file `metadata.partial`");
    check(&[CREATE, ("metadata", "Started dump at: 1")], "", "does not say `Finished dump at`");
    let (b, b_table) =
        (("b-schema-create.sql", "CREATE DATABASE `b``x`;"), ("b.u-schema.sql", "CREATE TABLE `u` (a int);"));
    let both = [ENDED, CREATE, b, TABLE, b_table];
    check(&both, "", "dump of several databases: `b`x`, `shop` -> name one after a `#`: `F#b`x`");
    check(&both, "#c", "is no dump of a database `c`");
    assert_eq!(read(&both, "#shop").unwrap().tables[0].name, "t");
    assert_eq!(read(&both, "#b`x").unwrap().tables[0].name, "u");
    let rows = |text| [ENDED, CREATE, TABLE, ("shop.t.sql", text)];
    check(&rows("DELETE FROM t;"), "", "`DELETE FROM t` may change rows");
    check(
        &rows("LOAD DATA LOCAL INFILE 'shop.t.dat' INTO TABLE t (a);"),
        "",
        "no file `shop.t.dat`, which `shop.t.sql` names",
    );
    check(
        &rows("LOAD DATA LOCAL INFILE 'x' INTO TABLE t LINES STARTING BY '>' (a);"),
        "",
        "means what only a server knows",
    );
    check(&rows("LOAD DATA INFILE 'x' INTO TABLE t CHARACTER SET latin1 (a);"), "", "are in latin1");
    let dat = |fields: &str, says: &str| {
        let load = format!("LOAD DATA LOCAL INFILE 'shop.t.dat' INTO TABLE t FIELDS {fields} (a);");
        let files = [ENDED, CREATE, TABLE, ("shop.t.sql", &*load), ("shop.t.dat", "1\n")];
        check(&files, "", &format!("rows of table `t` in `F/shop.t.dat` are not read: fields are {says}"));
    };
    dat(r#"TERMINATED BY ',' ENCLOSED BY '"' ESCAPED BY '\\'"#, "enclosed by `\"`");
    dat("ESCAPED BY ''", "escaped by ``, not by `\\`");
    check(&[ENDED, CREATE, TABLE, ("shop.t2-schema.sql", "CREATE TABLE `t` (a int);")], "", "table `t` comes twice");
    check(
        &[
            ENDED,
            CREATE,
            TABLE,
            ("shop.t.1.sql", "INSERT INTO t VALUES (1);"),
            ("shop.t.2.sql", "SET TIME_ZONE='+01:00'; INSERT INTO t VALUES (1);"),
        ],
        "",
        "in another time zone",
    );
}

/// mydumper writes no DELIMITER: a `;` ends a statement at the end of a line.
#[test]
fn bodies_of_mydumper() {
    let post = "/*!40101 SET NAMES binary*/;\nDROP PROCEDURE IF EXISTS `p`;\nCREATE PROCEDURE `p`()\nBEGIN\n  SELECT ';'; \n  -- it's; \n  \
                SELECT 2; \nEND;\nCREATE EVENT e ON SCHEDULE EVERY 1 DAY DO BEGIN DELETE FROM t; \n END;\n";
    let trigger = "CREATE TRIGGER tr BEFORE INSERT ON `t` FOR EACH ROW BEGIN\nSET NEW.a = 1; \nSET NEW.a = 2; \nEND";
    let ended = format!("{trigger};\n");
    let files =
        |triggers| [ENDED, CREATE, TABLE, ("shop-schema-post.sql", post), ("shop.t-schema-triggers.sql", triggers)];
    let contents = read(&files(&ended), "").unwrap();
    let others: Vec<_> = contents.others.iter().filter_map(|other| other.subject.clone()).collect();
    assert_eq!(others, ["DROP of procedure `p`", "procedure `p`", "event `e`", "trigger `tr`"]);
    assert!(contents.others.iter().any(|other| other.text.ends_with(b"SELECT 2; \nEND")));
    assert_eq!(contents.others.last().unwrap().text, trigger.as_bytes());
    // Cut off within a body.
    let error = read(&files(&ended[..60]), "").unwrap_err();
    assert!(error.contains("nothing ends the last statement"), "{error}");
    // Other programs say DELIMITER, or end the file with the last `;`.
    let other = "DELIMITER ;;\nCREATE TRIGGER tr BEFORE INSERT ON `t` FOR EACH ROW BEGIN\nSET NEW.a = 1;\nEND ;;\nDELIMITER ;\nSET @a = 1; SET @b = 2;";
    assert_eq!(read(&files(other), "").unwrap().others.last().unwrap().text, b"SET @b = 2");
}

/// `metadata` says how many rows a table has since 0.14.
#[test]
fn counts_of_mydumper() {
    let counts = "Started dump at: 1\n[config]\nquote-character = BACKTICK\n[source]\nrows = 7\n\n[`shop`.`t`]\nreal_table_name=t\nrows = 2\n\
                  [`other`.`t`]\nrows = 9\n[`shop`.`mydumper_0`]\nrows = 4\n[\"shop\".\"mydumper_1\"]\nreal_table_name=a b\nRows = 3\n\
                  [`shop`.`v`]\nrows = 0\nFinished dump at: 2\n";
    let rows = ("shop.t.00000.sql", "INSERT INTO `t` VALUES (1),(2);\n");
    let other = ("shop.mydumper_1.00000.sql", "INSERT INTO `a b` VALUES (1),(2),(3);\n");
    let contents = read(&[("metadata", counts), CREATE, TABLE, rows, other], "").unwrap();
    let found: Vec<_> = contents.tables.iter().map(|table| (&table.name[..], table.n_rows)).collect();
    assert_eq!(found, [("t", Some(2)), ("a b", Some(3))]);
    let error = read(&[("metadata", counts), CREATE, TABLE, rows], "").unwrap_err();
    assert!(error.contains("`metadata` says that table `a b` has 3 rows, and no file has them"), "{error}");
    let error = read(&[("metadata", counts), CREATE, TABLE, other], "").unwrap_err();
    assert!(error.contains("`metadata` says that table `t` has 2 rows, and no file has them"), "{error}");
}

/// The names of the files of a table differ by numbers alone.
#[test]
fn copies_of_files_of_mydumper() {
    let rows = |name| (name, "INSERT INTO `t` VALUES (1);\n");
    let with = |name| read(&[ENDED, CREATE, TABLE, rows("shop.t.00000.sql"), rows(name)], "");
    for name in ["shop.t.00001.sql", "shop.t.sql", "shop.t.00000.00001.sql", "shop.t.9.9.9.sql"] {
        assert!(with(name).is_ok(), "{name}: {:?}", with(name));
    }
    for name in
        ["shop.t.00000 (copy).sql", "shop.t.00000 - Copy.sql", "shop.t.00000_1.sql", "shop.t2.00000.sql", "shop.t..sql"]
    {
        let error = with(name).unwrap_err();
        assert!(
            error.contains("have rows of table `t`, and their names differ by more than a number"),
            "{name}: {error}"
        );
    }
    // The name of a table may be any.
    assert!(read(&[ENDED, CREATE, TABLE, rows("shop.t (copy).00000.sql"), rows("shop.t (copy).1.sql")], "").is_ok());
}

/// Texts as they are stored, where names are in double quotes.
#[test]
fn character_sets_are_found_in_each_mode() {
    let table = "CREATE TABLE \"t\" (\n\"a\" varchar(9) CHARACTER SET latin1,\n\"f\" bit(3));\n";
    let ansi = format!("SET SQL_MODE='ANSI_QUOTES';\n{table}");
    let usual = table.replace('"', "`");
    let load =
        "SET NAMES binary;\nLOAD DATA LOCAL INFILE 'shop.t.00000.dat' INTO TABLE `t` CHARACTER SET binary (`a`,`f`);\n";
    for definition in [&ansi, &usual] {
        let files = [
            ENDED,
            CREATE,
            ("shop.t-schema.sql", &**definition),
            ("shop.t.00000.dat", "1\t1\n"),
            ("shop.t.00000.sql", load),
        ];
        let error = read(&files, "").unwrap_err();
        assert!(error.contains("are in latin1, not in UTF-8"), "{definition}: {error}");
        let definition = definition.replace("latin1", "utf8mb4");
        let files = [
            ENDED,
            CREATE,
            ("shop.t-schema.sql", &*definition),
            ("shop.t.00000.dat", "1\t1\n"),
            ("shop.t.00000.sql", load),
        ];
        let contents = read(&files, "").unwrap();
        assert!(contents.tables[0].text.as_ref().unwrap().bits_as_bytes, "{definition}");
    }
    let views = [
        (
            "shop.a-schema-view.sql",
            "SET SQL_MODE='ANSI_QUOTES';\nCREATE VIEW \"a\" AS select \"x\" from \"b\";\nSET SQL_MODE='';\n",
        ),
        ("shop.b-schema-view.sql", "SET SQL_MODE='ANSI_QUOTES';\nCREATE VIEW \"b\" AS select 1 AS \"x\";\n"),
    ];
    let contents = read(&[ENDED, CREATE, TABLE, views[0], views[1]], "").unwrap();
    let made: Vec<_> = contents.others.iter().filter_map(|other| other.view.clone()).collect();
    assert_eq!(made, ["b", "a"]);
}

/// Files that are there and would be passed over.
#[test]
fn files_of_mydumper_that_are_refused() {
    let check = |name: &str, text: &str, says: &str| {
        let error = read(&[ENDED, CREATE, TABLE, ("shop.t.00000.dat", "1"), (name, text)], "").unwrap_err();
        assert!(error.contains(says), "{name}: {error}");
    };
    let load = "LOAD DATA LOCAL INFILE 'shop.t.00000.dat' INTO TABLE `t` (`a`);\n";
    assert!(read(&[ENDED, CREATE, TABLE, ("shop.t.00000.dat", "1"), ("shop.t.00000.sql", load)], "").is_ok());
    check("shop.t.00000.sql", &format!("{load}{load}"), "is in a file of rows of table `t`");
    check("shop.t.00000.sql", &format!("{load}INSERT INTO u VALUES (1);"), "is in a file of rows of table `t`");
    check("shop.t.00000.sql", load.trim_end_matches(";\n"), "nothing ends the last statement");
    check(
        "shop.u.00000.sql",
        "INSERT INTO u VALUES (1);",
        "no script of the dump loads the rows of `F/shop.t.00000.dat`",
    );
    check("shop.t.00000.sql", "", "`F/shop.t.00000.sql` is empty");
    check("shop.t.00000.sql", "-- nothing", "`F/shop.t.00000.sql` is empty");
    check("shop.u-schema.sql", "", "`F/shop.u-schema.sql` is empty");
    check("shop.t.00001.dat", "", "`F/shop.t.00001.dat` is empty");
    check("shop.t-schema-indexes.sql", "ALTER TABLE `t` ADD KEY (a);", "`F/shop.t-schema-indexes.sql` has no rows");
    check("shop.t-schema-indexes.sql", "SET NAMES utf8;", "`F/shop.t-schema-indexes.sql` has no rows");
    check("more.sql", "CREATE VIEW v AS SELECT 1;", "`F/more.sql` is of no database of the dump");
}

/// A dump of some tables has no CREATE DATABASE.
#[test]
fn a_folder_of_mydumper_without_its_database() {
    let files = [
        ENDED,
        TABLE,
        ("shop-schema-post.sql", "CREATE PROCEDURE p() SELECT 1;\n"),
        ("shop-schema-triggers.sql", "CREATE TRIGGER tr BEFORE INSERT ON `t` FOR EACH ROW SET NEW.a = 1;\n"),
        ("all-schema-create-tablespace.sql", "CREATE TABLESPACE x;"),
    ];
    let contents = read(&files, "").unwrap();
    let others: Vec<_> = contents.others.iter().filter_map(|other| other.subject.clone()).collect();
    assert_eq!(others, ["procedure `p`", "trigger `tr`"]);
}

/// Databases of which one's name begins with the other's.
#[test]
fn files_belong_to_the_database_with_the_longest_name() {
    let files = [
        ENDED,
        ("a-schema-create.sql", "CREATE DATABASE `a`;"),
        ("a.b-schema-create.sql", "CREATE DATABASE `a.b`;"),
        ("a.t-schema.sql", "CREATE TABLE `t` (a int);"),
        ("a.b.u-schema.sql", "CREATE TABLE `u` (a int);"),
    ];
    let names =
        |database| read(&files, database).unwrap().tables.into_iter().map(|table| table.name).collect::<Vec<_>>();
    assert_eq!(names("#a"), ["t"]);
    assert_eq!(names("#a.b"), ["u"]);
}

/// The beginning of a file that zstd compresses.
const ZST: &str = "P*M\u{18}";

/// What MySQL Shell writes of a database with tables `t` (rows in three files), `odd @` and `none`, and views of which `a` reads `b`.
const SHELL: [(&str, &str); 21] = [
    (
        "@.json",
        r#"{"dumper": "mysqlsh Ver 8.4", "schemas": ["shop"], "basenames": {"shop": "shop"}, "defaultCharacterSet": "utf8mb4",
            "tzUtc": true, "capabilities": [{"id": "partition_awareness"}]}"#,
    ),
    (
        "@.done.json",
        r#"{"chunkFileBytes": {"shop@t@0.tsv.zst": 9, "shop@t@1.tsv.zst": 9, "shop@t@@2.tsv.zst": 9, "shop@odd%20%40.tsv": 2, "shop@none.tsv": 0}}"#,
    ),
    ("@.sql", "-- nothing"),
    ("@.users.sql", "CREATE USER x;"),
    (
        "shop.json",
        r#"{"schema": "shop", "tables": ["t", "odd @", "none"], "views": ["a", "b"], "procedures": ["p"], "functions": [], "includesDdl": true,
            "basenames": {"t": "shop@t", "odd @": "shop@odd%20%40", "none": "shop@none", "a": "shop@a", "b": "shop@b"}}"#,
    ),
    ("shop.sql", "DELIMITER //\nCREATE PROCEDURE p() SELECT 1//\nDELIMITER ;\n"),
    (
        "shop@t.json",
        r#"{"options": {"columns": ["a", "b"], "decodeColumns": {"b": "FROM_BASE64"}, "fieldsTerminatedBy": "\t", "fieldsEnclosedBy": "",
            "fieldsEscapedBy": "\\", "linesTerminatedBy": "\n", "defaultCharacterSet": "utf8mb4"}, "extension": "tsv.zst", "chunking": true,
            "triggers": ["tr"]}"#,
    ),
    ("shop@odd%20%40.json", r#"{"options": {"columns": ["a"]}, "extension": "tsv"}"#),
    ("shop@none.json", r#"{"options": {"columns": ["a"]}, "extension": "tsv"}"#),
    ("shop@t.sql", "CREATE TABLE IF NOT EXISTS `t` (`a` int, `b` blob);"),
    ("shop@odd%20%40.sql", "CREATE TABLE IF NOT EXISTS `odd @` (`a` int);"),
    ("shop@none.sql", "CREATE TABLE IF NOT EXISTS `none` (`a` int);"),
    ("shop@t@0.tsv.zst", ZST),
    ("shop@t@0.tsv.zst.idx", ""),
    ("shop@t@1.tsv.zst", ZST),
    ("shop@t@@2.tsv.zst", ZST),
    ("shop@odd%20%40.tsv", "1\n"),
    ("shop@none.tsv", ""),
    ("shop@t.triggers.sql", "CREATE TRIGGER tr BEFORE INSERT ON `t` FOR EACH ROW SET NEW.a = 1;"),
    ("shop@a.sql", "DROP VIEW IF EXISTS `a`; CREATE VIEW `a` AS select `x` from `b`;"),
    // Its column has the name of the view that reads it.
    ("shop@b.sql", "CREATE VIEW `b` AS select 1 AS `x`,`t`.`a` AS `a` from `t`;"),
];

#[test]
fn a_folder_of_mysql_shell() {
    let contents = read(&SHELL, "").unwrap();
    let tables: Vec<_> = contents.tables.iter().map(|table| (&table.name[..], table.files.join(" "))).collect();
    let chunks = "F/shop@t@0.tsv.zst F/shop@t@1.tsv.zst F/shop@t@@2.tsv.zst".to_owned();
    let (odd, none) = ("F/shop@odd%20%40.tsv".to_owned(), "F/shop@none.tsv".to_owned());
    assert_eq!(tables, [("t", chunks), ("odd @", odd), ("none", none)]);
    assert_eq!(contents.tables[0].text.as_ref().unwrap().columns[1], ("b".into(), Some("FROM_BASE64".into())));
    let others: Vec<_> = contents.others.iter().filter_map(|other| other.subject.clone()).collect();
    assert_eq!(others, ["procedure `p`", "view `b`", "DROP of view `a`", "view `a`", "trigger `tr`"]);
    assert_eq!(contents.unread, ["@.users.sql"]);
    assert_eq!(contents.time_zone.as_deref(), Some("+00:00"));
}

/// With files of other texts, or without them.
fn changed<'a>(changes: &[(&'a str, Option<&'a str>)]) -> Vec<(&'a str, &'a str)> {
    let kept = SHELL.into_iter().filter(|(name, _)| !changes.iter().any(|(changed, _)| changed == name));
    kept.chain(changes.iter().filter_map(|(name, text)| Some((*name, (*text)?)))).collect()
}

#[test]
fn folders_of_mysql_shell_that_are_refused() {
    let check = |changes: &[(&str, Option<&str>)], says: &str| {
        let error = read(&changed(changes), "").unwrap_err();
        assert!(error.contains(says), "{changes:?}: {error}");
    };
    let text_of = |file: &str| SHELL.iter().find(|(name, _)| *name == file).unwrap().1;
    let with = |file: &'static str, from: &str, to: &str, says: &str| {
        let text = text_of(file).replace(from, to);
        assert_ne!(text, text_of(file));
        check(&[(file, Some(&text))], says);
    };
    with("@.json", "\"tzUtc\": true", "\"tzUtc\": false", "in the time zone of its server");
    check(&[("@.done.json", None)], "by MySQL Shell that did not come to its end: it has no file `@.done.json`");
    check(&[("@.done.json", Some("{"))], "is no document of JSON");
    check(&[("@.done.json", Some("{}"))], "`F/@.done.json` does not list the files of rows");
    check(&[("shop@t@9.tsv.zst", Some("x"))], "of which `@.done.json` says nothing");
    // Each file that is listed.
    for (file, by) in [
        ("shop.json", "a dump by MySQL Shell"),
        ("shop.sql", "`shop.json`"),
        ("shop@t.json", "`shop.json`"),
        ("shop@t.sql", "`shop.json`"),
        ("shop@a.sql", "`shop.json`"),
        ("shop@t.triggers.sql", "`shop@t.json`"),
        ("shop@t@@2.tsv.zst", "`@.done.json`"),
        ("shop@none.tsv", "`@.done.json`"),
    ] {
        check(&[(file, None)], &format!("has no file `{file}`, which {by} names"));
    }
    // Files that were cut off.
    check(&[("shop@odd%20%40.tsv", Some("1"))], "`F/shop@odd%20%40.tsv` has 1 bytes, and 2 by `@.done.json`");
    check(&[("shop@odd%20%40.tsv", Some(""))], "has 0 bytes, and 2 by");
    check(&[("shop@t@1.tsv.zst", Some(""))], "`F/shop@t@1.tsv.zst` has 0 bytes, and is not compressed by zstd");
    check(&[("shop@t@1.tsv.zst", Some("P*"))], "has 2 bytes, and is not compressed by zstd");
    check(
        &[("shop.sql", Some("-- MySQLShell dump"))],
        "`F/shop.sql` does not make procedure `p`, which `shop.json` names",
    );
    check(&[("shop@t.sql", Some(""))], "`F/shop@t.sql` does not make table `t`");
    check(&[("shop@a.sql", Some("DROP VIEW IF EXISTS `a`;"))], "`F/shop@a.sql` does not make view `a`");
    check(&[("shop@t.triggers.sql", Some(""))], "does not make trigger `tr`, which `shop@t.json` names");
    with("@.done.json", r#", "shop@none.tsv": 0"#, "", "a file `shop@none.tsv`, of which `@.done.json` says nothing");
    with("shop@none.json", "tsv", "csv", "names no file of table `none`");
    // Forms that are not read.
    with("shop@t.json", r#""linesTerminatedBy": "\n""#, r#""linesTerminatedBy": "|""#, "linesTerminatedBy is `|`");
    with("shop@t.json", "FROM_BASE64", "REVERSE", "decodeColumns is `REVERSE`");
    let enclosed = "rows of table `t` in `F/shop@t@0.tsv.zst` are not read: fields are enclosed by `\"`";
    with("shop@t.json", r#""fieldsEnclosedBy": """#, r#""fieldsEnclosedBy": "\"""#, enclosed);
    with(
        "shop@t.json",
        r#""fieldsEscapedBy": "\\""#,
        r#""fieldsEscapedBy": """#,
        "fields are escaped by ``, not by `\\`",
    );
    with("@.json", "utf8mb4", "latin1", "are in latin1");
    with("@.json", r#"["shop"]"#, r#"["shop", "x"]"#, "several databases: `shop`, `x`");
    with("@.json", "partition_awareness", "multifile_schema_ddl", "the capability `multifile_schema_ddl`");
    let reads_a = "CREATE VIEW `b` AS select `x` from `a`;";
    check(&[("shop@b.sql", Some(reads_a))], "views of `F` need each other: `a`, `b`");
}

/// Without rows, and without definitions.
#[test]
fn parts_of_a_dump_by_mysql_shell() {
    let no_rows = [
        ("shop@none.json", Some(r#"{"options": {"columns": ["a"]}, "extension": "tsv", "includesData": false}"#)),
        ("shop@none.tsv", None),
        (
            "@.done.json",
            Some(
                r#"{"chunkFileBytes": {"shop@t@0.tsv.zst": 9, "shop@t@1.tsv.zst": 9, "shop@t@@2.tsv.zst": 9, "shop@odd%20%40.tsv": 2}}"#,
            ),
        ),
    ];
    let contents = read(&changed(&no_rows), "").unwrap();
    assert!(!contents.tables[2].has_rows && contents.tables[2].definition.is_some());
    let rows_only = [
        ("shop.json", Some(r#"{"tables": ["odd @"], "includesDdl": false, "basenames": {"odd @": "shop@odd%20%40"}}"#)),
        ("shop.sql", None),
        ("shop@odd%20%40.sql", None),
        ("shop@odd%20%40.json", Some(r#"{"options": {"columns": ["a"]}, "extension": "tsv", "includesDdl": false}"#)),
    ];
    let contents = read(&changed(&rows_only), "").unwrap();
    assert!(contents.tables[0].has_rows && contents.tables[0].definition.is_none() && contents.others.is_empty());
}

#[test]
fn a_file_that_is_there_twice_is_refused() {
    for (folder, file) in [(folder(&SHELL), "shop@t@9.tsv"), (folder(&[ENDED, CREATE, TABLE]), "shop.t.00009.sql")] {
        for ending in ["", ".zst"] {
            std::fs::write(folder.path().join(format!("{file}{ending}")), "").unwrap();
        }
        let error = DumpFolder::find(folder.path().to_str().unwrap()).unwrap_err();
        assert!(error.to_string().contains("are the same file of the dump"), "{error}");
    }
}

#[test]
fn what_is_no_regular_file_is_refused() {
    let folder = folder(&SHELL);
    let link = folder.path().join("shop@link.sql");
    std::os::unix::fs::symlink("nowhere", &link).unwrap();
    let error = DumpFolder::find(folder.path().to_str().unwrap()).unwrap_err();
    assert!(error.to_string().contains(&format!("`{}` is no regular file", link.display())), "{error}");
}
