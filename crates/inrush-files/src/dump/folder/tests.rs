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
            ("shop.l.00000.dat.gz", ""),
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
    let text = RowText { delimiter: "\t".into(), quote: String::new(), escape: "\\".into(), columns };
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

const BEGIN: (&str, &str) = (
    "@.json",
    r#"{"dumper": "mysqlsh Ver 8.4", "schemas": ["shop"], "basenames": {"shop": "shop"}, "defaultCharacterSet": "utf8mb4", "tzUtc": true}"#,
);
const DATABASE: (&str, &str) = (
    "shop.json",
    r#"{"schema": "shop", "tables": ["t", "odd @", "none"], "views": ["a", "b"], "basenames": {"t": "shop@t", "odd @": "shop@odd%20%40", "none": "shop@none", "a": "shop@a", "b": "shop@b"}}"#,
);
const OPTIONS: (&str, &str) = (
    "shop@t.json",
    r#"{"options": {"columns": ["a", "b"], "decodeColumns": {"b": "FROM_BASE64"}, "fieldsTerminatedBy": "\t", "fieldsEnclosedBy": "", "fieldsEscapedBy": "\\", "linesTerminatedBy": "\n", "defaultCharacterSet": "utf8mb4"}, "extension": "tsv.zst", "chunking": true}"#,
);

#[test]
fn a_folder_of_mysql_shell() {
    let contents = read(
        &[
            BEGIN,
            DATABASE,
            OPTIONS,
            ("@.done.json", r#"{"chunkFileBytes": {"shop@t@0.tsv.zst": 1, "shop@t@1.tsv.zst": 1, "shop@t@@2.tsv.zst": 1, "shop@odd%20%40.tsv": 2}}"#),
            ("@.sql", "-- nothing"),
            ("@.users.sql", "CREATE USER x;"),
            ("shop.sql", "DELIMITER //\nCREATE PROCEDURE p() SELECT 1//\nDELIMITER ;\n"),
            ("shop@t.sql", "CREATE TABLE IF NOT EXISTS `t` (`a` int, `b` blob);"),
            ("shop@odd%20%40.sql", "CREATE TABLE IF NOT EXISTS `odd @` (`a` int);"),
            ("shop@none.sql", "CREATE TABLE IF NOT EXISTS `none` (`a` int);"),
            ("shop@odd%20%40.json", r#"{"options": {"columns": ["a"]}, "extension": "tsv"}"#),
            ("shop@t@0.tsv.zst", ""),
            ("shop@t@0.tsv.zst.idx", ""),
            ("shop@t@1.tsv.zst", ""),
            ("shop@t@@2.tsv.zst", ""),
            ("shop@odd%20%40.tsv", ""),
            ("shop@t.triggers.sql", "CREATE TRIGGER tr BEFORE INSERT ON `t` FOR EACH ROW SET NEW.a = 1;"),
            ("shop@a.pre.sql", "CREATE VIEW `a` AS SELECT 1 AS `x`;"),
            ("shop@a.sql", "DROP VIEW IF EXISTS `a`; CREATE VIEW `a` AS select `x` from `b`;"),
            ("shop@b.sql", "CREATE VIEW `b` AS select 1 AS `x`;"),
        ],
        "",
    )
    .unwrap();
    let tables: Vec<_> = contents.tables.iter().map(|table| (&table.name[..], table.files.join(" "))).collect();
    let chunks = "F/shop@t@0.tsv.zst F/shop@t@1.tsv.zst F/shop@t@@2.tsv.zst".to_owned();
    assert_eq!(tables, [("t", chunks), ("odd @", "F/shop@odd%20%40.tsv".to_owned()), ("none", String::new())]);
    assert_eq!(contents.tables[0].text.as_ref().unwrap().columns[1], ("b".into(), Some("FROM_BASE64".into())));
    let others: Vec<_> = contents.others.iter().filter_map(|other| other.subject.clone()).collect();
    assert_eq!(others, ["procedure `p`", "view `b`", "DROP of view `a`", "view `a`", "trigger `tr`"]);
    assert_eq!(contents.unread, ["@.users.sql"]);
    assert_eq!(contents.time_zone.as_deref(), Some("+00:00"));
}

#[test]
fn folders_of_mysql_shell_that_are_refused() {
    let check = |files: &[(&str, &str)], says: &str| {
        let error = read(files, "").unwrap_err();
        assert!(error.contains(says), "{files:?}: {error}");
    };
    let done = ("@.done.json", r#"{"chunkFileBytes": {"shop@t@@0.tsv.zst": 1}}"#);
    check(&[BEGIN], "by MySQL Shell that did not come to its end: it has no file `@.done.json`");
    check(&[BEGIN, done], "has no file `shop.json`");
    check(&[BEGIN, done, DATABASE, OPTIONS], "has no file `shop@t@@0.tsv.zst`, which `@.done.json` names");
    check(&[BEGIN, ("@.done.json", "{")], "is no document of JSON");
    let rows = ("shop@t@@0.tsv.zst", "");
    check(&[BEGIN, done, DATABASE, OPTIONS, rows, ("shop@t@9.tsv.zst", "")], "of which `@.done.json` says nothing");
    let with = |from: &str, to: &str| OPTIONS.1.replace(from, to);
    let lines = with(r#""linesTerminatedBy": "\n""#, r#""linesTerminatedBy": "|""#);
    check(&[BEGIN, done, DATABASE, ("shop@t.json", &lines), rows], "linesTerminatedBy is `|`");
    let function = with("FROM_BASE64", "REVERSE");
    check(&[BEGIN, done, DATABASE, ("shop@t.json", &function), rows], "decodeColumns is `REVERSE`");
    let latin = BEGIN.1.replace("utf8mb4", "latin1");
    check(&[("@.json", &latin), done], "are in latin1");
    let two = BEGIN.1.replace(r#"["shop"]"#, r#"["shop", "x"]"#);
    check(&[("@.json", &two), done], "several databases: `shop`, `x`");
}
