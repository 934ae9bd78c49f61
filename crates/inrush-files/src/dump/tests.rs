use super::contents::DumpContents;
use super::rows::{KnownTable, Rows};
use super::words;
use inrush_core::sql::Dialect;
use std::io::{self, Read};

/// A text that arrives in pieces.
struct Pieces<'a>(&'a [u8], usize);

impl Read for Pieces<'_> {
    fn read(&mut self, space: &mut [u8]) -> io::Result<usize> {
        let n = self.1.min(space.len());
        self.0.read(&mut space[..n])
    }
}

/// The lines of a table, or the error.
fn lines(dump: &str, table: &str) -> Result<String, String> {
    let read = |piece: usize| {
        let mut text = String::new();
        let mut rows = Rows::new("d.sql", Pieces(dump.as_bytes(), piece), table, KnownTable::default(), 1 << 20)
            .map_err(|error| format!("{error} -> {}", error.hint().unwrap_or_default()))?;
        rows.read_to_string(&mut text).map(|_| text).map_err(|error| error.to_string())
    };
    let whole = read(usize::MAX);
    assert_eq!(read(1), whole, "the size of reads matters");
    whole
}

fn contents(dump: &str) -> DumpContents {
    let whole = DumpContents::of_bytes("d.sql", dump.as_bytes()).unwrap();
    assert_eq!(DumpContents::of_bytes("d.sql", Pieces(dump.as_bytes(), 1)).unwrap(), whole);
    whole
}

/// As `mysqldump` writes it.
const DUMP: &str = r"/*M!999999\- enable the sandbox mode */
-- MySQL dump 10.13
/*!40101 SET NAMES utf8mb4 */;
/*!40103 SET @OLD_TIME_ZONE=@@TIME_ZONE */;
/*!40103 SET TIME_ZONE='+00:00' */;
/*!40101 SET @OLD_SQL_MODE=@@SQL_MODE, SQL_MODE='NO_AUTO_VALUE_ON_ZERO' */;
DROP TABLE IF EXISTS `people`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
CREATE TABLE `people` (
  `id` int NOT NULL AUTO_INCREMENT,
  `na``me` varchar(9) DEFAULT NULL COMMENT 'a, b) c',
  `flag` bit(3) DEFAULT b'0',
  `twice` int GENERATED ALWAYS AS (`id` * 2) VIRTUAL,
  `key` decimal(9,2) NOT NULL DEFAULT (1 + 2) CHECK (`key` > 0),
  PRIMARY KEY (`id`),
  KEY `k` (`na``me`(3))
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;
LOCK TABLES `people` WRITE;
/*!40000 ALTER TABLE `people` DISABLE KEYS */;
INSERT INTO `people` VALUES (1,'O\'Neil; x',_binary '',1.50),(2,NULL,b'101',-2);
INSERT INTO `people` VALUES
(3,'INSERT INTO `people` VALUES (9)',NULL,0);
/*!40000 ALTER TABLE `people` ENABLE KEYS */;
UNLOCK TABLES;
DELIMITER ;;
/*!50003 CREATE*/ /*!50017 DEFINER=`root`@`%`*/ /*!50003 TRIGGER `t` BEFORE INSERT ON `people` FOR EACH ROW BEGIN
  INSERT INTO log VALUES (1); END */;;
DELIMITER ;
CREATE TABLE `empty` (`a` int, `b` blob);
INSERT INTO other (x, y) VALUES (1, 'a');
/*!50001 CREATE TABLE `v` (`a` tinyint NOT NULL) ENGINE=MyISAM */;
/*!50001 DROP TABLE IF EXISTS `v`*/;
/*!50001 CREATE VIEW `v` AS select 1 AS `a` */;
SET @@GLOBAL.GTID_PURGED=/*!80000 '+'*/ 'x:1-2';
/*!40103 SET TIME_ZONE=@OLD_TIME_ZONE */;

-- Dump completed on 2026-01-01  0:00:00
";

/// Where statements name a table that gets another name.
#[test]
fn tables_that_are_renamed() {
    let rename = |dump: &str| {
        let mut contents = contents(dump);
        let names = [("a".to_owned(), "new".to_owned()), ("b".to_owned(), "b`2".to_owned())];
        contents.rename(&names, true).map(|()| contents).map_err(|error| error.to_string())
    };
    let tables = "CREATE TABLE `a` (`a` int, `b` int); CREATE TABLE `c` (`x` int); CREATE TABLE `b` (`a` int);";
    let check = |statement: &str, want: &str| {
        let contents = rename(&format!("{tables} {statement};")).unwrap_or_else(|error| panic!("{statement}: {error}"));
        assert_eq!(String::from_utf8_lossy(&contents.others.last().unwrap().text), want, "{statement}");
    };
    let contents = rename(tables).unwrap();
    let names: Vec<_> = contents.tables.iter().map(|table| (&table.name[..], &table.name_in_dump[..])).collect();
    assert_eq!(names, [("new", "a"), ("c", "c"), ("b`2", "b")]);
    assert_eq!(contents.tables[0].definition.as_deref(), Some("CREATE TABLE `new` (`a` int, `b` int)"));
    let definition = |text: &str, want: &str| {
        let contents = rename(&format!("CREATE TABLE b (x int); {text};")).unwrap();
        assert_eq!(contents.tables[1].definition.as_deref(), Some(want), "{text}");
    };
    definition(
        "CREATE TABLE `a` (`b` int, CONSTRAINT `a_ibfk_1` FOREIGN KEY (`b`) REFERENCES `b` (`a`), CONSTRAINT `a_chk_12` CHECK (`a` > 1), \
         CONSTRAINT `a_ibfk_x` CHECK (1), CONSTRAINT `ab_ibfk_1` FOREIGN KEY (`a`) REFERENCES `other`.`c` (`a`)) COMMENT='a'",
        "CREATE TABLE `new` (`b` int, CONSTRAINT `new_ibfk_1` FOREIGN KEY (`b`) REFERENCES `b``2` (`a`), CONSTRAINT `new_chk_12` CHECK (`a` > 1), \
         CONSTRAINT `a_ibfk_x` CHECK (1), CONSTRAINT `ab_ibfk_1` FOREIGN KEY (`a`) REFERENCES `other`.`c` (`a`)) COMMENT='a'",
    );
    check(
        "ALTER TABLE a ADD CONSTRAINT x FOREIGN KEY (b) REFERENCES b (a)",
        "ALTER TABLE `new` ADD CONSTRAINT x FOREIGN KEY (b) REFERENCES `b``2` (a)",
    );
    check("CREATE INDEX a ON a (a)", "CREATE INDEX a ON `new` (a)");
    check(
        "/*!50003 CREATE*/ /*!50017 DEFINER=`a`@`b`*/ /*!50003 TRIGGER a BEFORE INSERT ON `a` FOR EACH ROW SET NEW.a = OLD.b + 1 */",
        "/*!50003 CREATE*/ /*!50017 DEFINER=`a`@`b`*/ /*!50003 TRIGGER a BEFORE INSERT ON `new` FOR EACH ROW SET NEW.a = OLD.b + 1 */",
    );
    check("DROP TRIGGER a", "DROP TRIGGER a");
    check("CREATE PROCEDURE a() SELECT 'a' FROM c", "CREATE PROCEDURE a() SELECT 'a' FROM c");
    check(
        "CREATE VIEW `v` AS select `a`.`a` AS `a`,`y`.`b` AS `x` from ((`a` join `b` `y` on(`a`.`a` = `y`.`a`)) left join `c` on(1)) where `a`.`b` > 1",
        "CREATE VIEW `v` AS select `a`.`a` AS `a`,`y`.`b` AS `x` from ((`new` `a` join `b``2` `y` on(`a`.`a` = `y`.`a`)) left join `c` on(1)) where `a`.`b` > 1",
    );
    check("CREATE VIEW v AS select 1 from a", "CREATE VIEW v AS select 1 from `new` `a`");
    check("CREATE VIEW v AS select 1 from c", "CREATE VIEW v AS select 1 from c");
    check("SET SQL_MODE='ANSI_QUOTES'; CREATE INDEX i ON \"a\" (a)", "CREATE INDEX i ON `new` (a)");
    for (statement, says) in [
        (
            "CREATE PROCEDURE p() SELECT * FROM a",
            "procedure `p` (line 1) cannot be rewritten for new names of tables with certainty: it names `a`",
        ),
        ("CREATE PROCEDURE p() SELECT * FROM A", "it names `a`"),
        (
            "CREATE EVENT e ON SCHEDULE EVERY 1 DAY DO DELETE FROM c WHERE b = 1",
            "event `e` (line 1) cannot be rewritten",
        ),
        ("CREATE TRIGGER t AFTER INSERT ON a FOR EACH ROW INSERT INTO b VALUES (1)", "it names `b`"),
        ("CREATE TRIGGER t AFTER INSERT ON shop.a FOR EACH ROW SET @x = 1", "it names `a`"),
        ("CREATE INDEX i ON shop.a (x)", "it names `a` with a database, `shop`"),
        ("CREATE INDEX i ON A (x)", "it names `a` in other letters, `A`"),
        ("CREATE VIEW v AS select a from c", "it names `a`"),
        ("CREATE VIEW v AS select 1 from shop.a", "it names `a` with a database"),
        ("CREATE VIEW v AS select shop.a.x from a", "it names `a`"),
        ("CREATE VIEW v AS select 1 from a x", "`x` comes after `a`"),
        ("CREATE VIEW v AS select 1 from a partition (p)", "`partition` comes after `a`"),
        ("CREATE VIEW new AS select 1", "two tables or views `new`"),
        // They would read another table than before.
        (
            "CREATE VIEW v AS with new as (select 1) select 1 from new join a",
            "it reads `new`, which another table gets as its name",
        ),
        ("CREATE VIEW v AS select 1 from c join New", "it reads `New`, which another table gets as its name"),
        ("ALTER TABLE c ADD FOREIGN KEY (x) REFERENCES new (x)", "it names `new`, which another table gets"),
        ("CREATE PROCEDURE p() SELECT 1 FROM new", "it may name `new`, which another table gets"),
    ] {
        let error = rename(&format!("{tables} {statement};")).unwrap_err();
        assert!(error.contains(says), "{statement}: {error}");
    }
    for (table, says) in [
        ("CREATE TABLE new (a int); CREATE TABLE a (a int)", "two tables or views `new`"),
        (
            "CREATE TABLE m (a int) ENGINE=MERGE UNION=(`a`,`c`)",
            "table `m` cannot be rewritten for new names of tables with certainty: it is made of `a`",
        ),
        ("CREATE TABLE m (a int, FOREIGN KEY (a) REFERENCES shop.a (a))", "it names `a` with a database"),
        ("CREATE TABLE m (a int, FOREIGN KEY (a) REFERENCES new (a))", "it names `new`, which another table gets"),
        ("CREATE TABLE a (x int, CHECK (a.x > 1))", "it names `a` before a column"),
    ] {
        let error = rename(&format!("{table};")).unwrap_err();
        assert!(error.contains(says), "{table}: {error}");
    }
}

/// A table is made in the default mode.
#[test]
fn definitions_of_other_modes() {
    let check = |mode: &str, table: &str, want: &str| {
        let contents = contents(&format!("SET SQL_MODE='{mode}'; {table};"));
        assert_eq!(contents.tables[0].definition.as_deref(), Some(want), "{mode}: {table}");
    };
    let table = r#"CREATE TABLE `t` (`a` text DEFAULT 'x\\' COMMENT "it's")"#;
    check("", table, table);
    let ansi = r#"CREATE TABLE "t" ("a""`" int /* "x" */ COMMENT '"y" \'')"#;
    check("ANSI_QUOTES", ansi, r#"CREATE TABLE `t` (`a"``` int /* "x" */ COMMENT '"y" \'')"#);
    let plain = r#"CREATE TABLE t (a text DEFAULT 'x\' COMMENT "\n")"#;
    check("NO_BACKSLASH_ESCAPES", plain, r#"CREATE TABLE `t` (a text DEFAULT 'x\\' COMMENT "\\n")"#);
    check(
        "NO_BACKSLASH_ESCAPES,ANSI",
        r#"CREATE TABLE "t" ("a" text DEFAULT 'x\')"#,
        r"CREATE TABLE `t` (`a` text DEFAULT 'x\\')",
    );
    // These would be made as something else.
    let pipes = "CREATE TABLE t (a int, b int AS (a || 1), c text DEFAULT '||')";
    check("ANSI_QUOTES", pipes, &pipes.replace("TABLE t", "TABLE `t`"));
    check(
        "PIPES_AS_CONCAT",
        "CREATE TABLE t (c text DEFAULT '||', d int DEFAULT (1 | 2))",
        "CREATE TABLE `t` (c text DEFAULT '||', d int DEFAULT (1 | 2))",
    );
    check("REAL_AS_FLOAT", "CREATE TABLE t (`real` double)", "CREATE TABLE `t` (`real` double)");
    for (mode, table, says) in [
        ("PIPES_AS_CONCAT", pipes, "line 1: table `t` has `||`, which puts texts together"),
        ("ANSI", pipes, "table `t` has `||`"),
        ("ANSI", "CREATE TABLE t (a REAL)", "table `t` has REAL, which is FLOAT"),
        ("REAL_AS_FLOAT", "CREATE TABLE t (a real(5,2))", "table `t` has REAL, which is FLOAT"),
    ] {
        let error = DumpContents::of_bytes("d.sql", format!("SET SQL_MODE='{mode}'; {table};").as_bytes()).unwrap_err();
        assert!(error.to_string().contains(says), "{mode}: {table}: {error}");
    }
}

#[test]
fn rows_become_lines() {
    let want =
        "id\tna`me\tflag\tkey\n1\tO'Neil; x\t0\t1.50\n2\t\\N\t5\t-2\n3\tINSERT INTO `people` VALUES (9)\t\\N\t0\n";
    assert_eq!(lines(DUMP, "people").as_deref(), Ok(want));
    assert_eq!(lines(DUMP, "empty").as_deref(), Ok("a\tb\n"));
    assert_eq!(lines(DUMP, "other").as_deref(), Ok("x\ty\n1\ta\n"));
    let no = lines(DUMP, "peoples").unwrap_err();
    assert!(
        no.contains("no rows of a table `peoples`") && no.contains("`people`") && no.contains("d.sql#other"),
        "{no}"
    );
}

#[test]
fn contents_are_tables_and_the_rest() {
    let contents = contents(DUMP);
    let tables: Vec<_> = contents.tables.iter().map(|table| (&table.name[..], table.has_rows)).collect();
    assert_eq!(tables, [("people", true), ("empty", false), ("other", true)]);
    assert!(contents.tables[0].definition.as_deref().unwrap().starts_with("CREATE TABLE `people` (\n  `id` int"));
    assert_eq!(contents.tables[2].definition, None);
    assert_eq!(contents.time_zone.as_deref(), Some("+00:00"));
    assert_eq!(contents.left_out.len(), 1);
    let others: Vec<_> =
        contents.others.iter().map(|other| String::from_utf8_lossy(&other.text).into_owned()).collect();
    assert!(others.iter().any(|other| other.contains("TRIGGER `t`")), "{others:?}");
    assert!(others.last().unwrap().contains("OLD_TIME_ZONE"), "{others:?}");
    assert!(!others.iter().any(|other| other.contains("LOCK") || other.contains("KEYS")), "{others:?}");
}

#[test]
fn statements_of_all_kinds() {
    let check = |dump: &str, want: Result<&str, &str>| match (lines(&format!("{dump};\n"), "t"), want) {
        (Ok(got), Ok(want)) => assert_eq!(got, want, "{dump}"),
        (Err(got), Err(want)) => assert!(got.contains(want), "{dump}: {got}"),
        (got, want) => panic!("{dump}: {got:?}, not {want:?}"),
    };
    let all = "CREATE TABLE t (a int, g int AS (a) VIRTUAL, b int); INSERT INTO t VALUES ";
    check(&format!("{all}(1,2)"), Ok("a\tb\n1\t2\n"));
    check(&format!("{all}(1,NULL,2),(3,3,4)"), Ok("a\tb\n1\t2\n3\t4\n"));
    check(&format!("{all}(1,2,3),(3,4)"), Err("it has 2 values, and the table has 3 columns"));
    check("CREATE TABLE t (a int, g int AS (a), b int); INSERT INTO t (b, g) VALUES (1, DEFAULT)", Ok("b\n1\n"));
    check("REPLACE INTO db.t VALUES (1),(2)", Ok("1\n2\n"));
    check("INSERT IGNORE INTO `t` (`a`) VALUES (1) , /* x */ (2) -- y\n", Ok("a\n1\n2\n"));
    check("insert into t values\n(1)\n,\n(2)\n", Ok("1\n2\n"));
    check("DELIMITER $$\nINSERT INTO t VALUES (';')$$\nDELIMITER ;\n", Ok(";\n"));
    check("INSERT INTO t VALUES (''),('')", Ok("\n\n"));
    check("BEGIN; INSERT INTO t VALUES (1); COMMIT; ALTER TABLE t ADD KEY (a)", Ok("1\n"));
    check("USE a; INSERT INTO t VALUES (1); USE b; INSERT INTO u VALUES (1)", Ok("1\n"));
    // How quotes are read.
    check(r"SET SQL_MODE='NO_BACKSLASH_ESCAPES'; INSERT INTO t VALUES ('\'),('a')", Ok("\\\\\na\n"));
    check("SET SESSION sql_mode = 'ANSI_QUOTES'; INSERT INTO \"t\" (\"a\") VALUES ('b')", Ok("a\nb\n"));
    check(r"SET SQL_MODE='NO_BACKSLASH_ESCAPES'; SET SQL_MODE=@OLD_SQL_MODE; INSERT INTO t VALUES ('\n')", Ok("\\n\n"));
    // As around a trigger: what is set again is what was set before.
    check(
        r"SET SQL_MODE='NO_BACKSLASH_ESCAPES'; SET @saved_sql_mode = @@sql_mode; SET sql_mode = ''; SET sql_mode = @saved_sql_mode; INSERT INTO t VALUES ('\n')",
        Ok("\\\\n\n"),
    );
    check(r"SET AUTOCOMMIT=0, SQL_MODE='NO_BACKSLASH_ESCAPES'; INSERT INTO t VALUES ('\')", Ok("\\\\\n"));
    check(r"SET @SQL_MODE='NO_BACKSLASH_ESCAPES', @time_zone='+09:00'; INSERT INTO t VALUES ('\n')", Ok("\\n\n"));
    check(
        "SET SQL_MODE=concat(@@sql_mode, ',ANSI'); INSERT INTO t VALUES (1)",
        Err("depends on the sql_mode of line 1"),
    );
    check("SET @@session.sql_mode=@m; INSERT INTO t VALUES (1)", Err("depends on the sql_mode of line 1"));
    // Character sets.
    check("/*!40101 SET NAMES utf8 */; INSERT INTO t VALUES (1)", Ok("1\n"));
    check(
        "SET @saved = @@character_set_client; SET character_set_client = @saved; INSERT INTO t VALUES (1)",
        Ok("1\n"),
    );
    check(
        "SET @kept = @@session.character_set_client, NAMES latin1; SET character_set_client = @kept; INSERT INTO t VALUES (1)",
        Ok("1\n"),
    );
    // As around a CREATE TABLE.
    let around = "SET @saved_cs_client = @@character_set_client; SET character_set_client = utf8mb4; SET character_set_client = @saved_cs_client";
    check(&format!("SET NAMES latin1; {around}; INSERT INTO t VALUES (1)"), Err("in latin1"));
    check(&format!("SET NAMES binary; {around}; INSERT INTO t VALUES (1)"), Err("no definition of the table"));
    let sets = [
        "NAMES latin1",
        "NAMES 'latin1' COLLATE latin1_bin",
        "CHARACTER SET latin1",
        "CHARSET latin1",
        "character_set_client = latin1",
    ];
    for set in sets {
        check(&format!("SET {set}; INSERT INTO t VALUES (1)"), Err("in latin1"));
    }
    check("SET NAMES binary; CREATE TABLE t (a int); INSERT INTO t VALUES (1)", Ok("a\n1\n"));
    check("SET NAMES binary; INSERT INTO t VALUES (1)", Err("no definition of the table"));
    check("SET NAMES binary; CREATE TABLE t (a text) CHARSET=latin1; INSERT INTO t VALUES (1)", Err("table in latin1"));
    check(
        "SET NAMES binary; CREATE TABLE t (a text COLLATE latin1_bin); INSERT INTO t VALUES (1)",
        Err("table in latin1"),
    );
    // What cannot be rows of one table in any order.
    check("INSERT INTO t (a) VALUES (1); INSERT INTO t (a) VALUES (2)", Ok("a\n1\n2\n"));
    check("INSERT INTO t (a) VALUES (1); INSERT INTO t (b) VALUES (2)", Err("names other columns"));
    check("INSERT INTO t VALUES (1); SET TIME_ZONE='+02:00'; INSERT INTO t VALUES (2)", Err("line 1: the time zone"));
    check(
        "SET TIME_ZONE='+02:00'; INSERT INTO t VALUES (1); SET @save_time_zone = @@TIME_ZONE; SET TIME_ZONE='SYSTEM'; SET TIME_ZONE = @save_time_zone; INSERT INTO t VALUES (2)",
        Ok("1\n2\n"),
    );
    check("INSERT INTO t VALUES (1); INSERT INTO other.t VALUES (2)", Err("in the database none and in `other`"));
    check("USE a; INSERT INTO t VALUES (1); USE b; INSERT INTO t VALUES (2)", Err("database `a` and in `b`"));
    check("CREATE TABLE t (a int); INSERT INTO t VALUES (1); DROP TABLE IF EXISTS t", Err("makes table `t` anew"));
    check("CREATE TABLE t (a int); INSERT INTO t VALUES (1); CREATE TABLE t (a int)", Err("makes table `t` anew"));
    let others = [
        "TRUNCATE TABLE t",
        "DELETE FROM t",
        "UPDATE t SET a = 1",
        "INSERT INTO t SELECT 1",
        "INSERT INTO t SET a = 1",
        "INSERT INTO t VALUES ROW(1)",
        "DROP DATABASE a",
        "SET GLOBAL x = 1",
        "SET STATEMENT a=1 FOR INSERT INTO t VALUES (2)",
        "BEGIN NOT ATOMIC DELETE FROM t",
        "CREATE TABLE u AS SELECT 1",
        "CREATE TABLE u (a int) SELECT 1",
        "PRAGMA foreign_keys=OFF",
        "CALL p()",
        "LOAD DATA INFILE 'a' INTO TABLE t",
        "ALTER TABLE t DROP COLUMN a",
        "SET standard_conforming_strings = on",
        "RENAME TABLE t TO u",
        "CREATE SEQUENCE s",
    ];
    for other in others {
        check(&format!("{other}; INSERT INTO t VALUES (1)"), Err("may change rows"));
        check(&format!("INSERT INTO t VALUES (1); {other}"), Err("may change rows"));
        assert!(DumpContents::of_bytes("d.sql", format!("{other};").as_bytes()).is_err(), "{other}");
    }
    // A server of another version passes over it.
    for condition in ["/*!99999", "/*!40000", "/*M!100100"] {
        check(&format!("INSERT INTO t VALUES (1); {condition} INSERT INTO t VALUES (2) */"), Err("may change rows"));
        check(&format!("INSERT INTO t VALUES (1); {condition} SET @a = 1 */"), Ok("1\n"));
    }
    for what in [
        "SET NAMES latin1",
        "SET sql_mode = 'NO_BACKSLASH_ESCAPES'",
        "SET TIME_ZONE = '+01:00'",
        "SET @OLD_SQL_MODE = @@sql_mode",
        "SET GTID_PURGED = '', time_zone = '+01:00'",
        "CREATE TABLE t (a text)",
        "CREATE DATABASE other",
        "DROP TABLE IF EXISTS t",
        "USE other",
    ] {
        for condition in ["/*!50700", "/*!99999", "/*!100100", "/*M!100100", "/*M!"] {
            check(&format!("{condition} {what} */; INSERT INTO t VALUES (1)"), Err("may change rows"));
            check(&format!("INSERT INTO t VALUES (1); {condition} {what} */"), Err("may change rows"));
            let whole = format!("{condition} {what} */;");
            assert!(DumpContents::of_bytes("d.sql", whole.as_bytes()).is_err(), "{whole}");
        }
    }
    let made = "INSERT INTO t VALUES (1)";
    check(&format!("/*!50699 CREATE TABLE t (a int) */; {made}"), Ok("a\n1\n"));
    check(
        &format!("CREATE TABLE t (a int /*!80023 INVISIBLE */, /*!80000 KEY k (a), */ /*!50699 KEY l (a) */); {made}"),
        Ok("a\n1\n"),
    );
    check(&format!("CREATE TABLE t (a int, /*!80000 b int */); {made}"), Err("may change rows"));
    check(&format!("CREATE TABLE t (/*M! b int, */ a int); {made}"), Err("may change rows"));
    // A server plays these, or passes over them, once all rows are stored.
    let played = contents(
        "INSERT INTO t VALUES (1); /*!80000 SET foo = 1 */; /*M!100100 CREATE VIEW v AS SELECT 1 */; /*!99999 ALTER TABLE t ADD KEY (a) */;",
    );
    assert_eq!(played.others.len(), 3);
    check(r"/*M!999999\- enable the sandbox mode */ INSERT INTO t VALUES (1)", Ok("1\n"));
    check("/*!99999 FROBNICATE t */; INSERT INTO t VALUES (1)", Err("may change rows"));
    check("CREATE TABLE t (a int);\r\nINSERT INTO t VALUES\r\n(1),\r\n(2)", Ok("a\n1\n2\n"));
    // Rows that only a server knows.
    check("INSERT INTO t VALUES (NOW())", Err("row 1 of the INSERT in line 1: `NOW()` is no literal"));
    check("\nINSERT INTO t VALUES (1), (1+1)", Err("row 2 of the INSERT in line 2: `1+1` is no literal"));
    check("INSERT INTO t VALUES (1) ON DUPLICATE KEY UPDATE a = 1", Err("is no row of literals"));
    check("INSERT INTO t VALUES (1) /*!50000 ,(2) */", Err("is no row of literals"));
    check("INSERT INTO t VALUES (1),", Err("is no row of literals"));
    check("INSERT INTO t VALUES (1) (2)", Err("is no row of literals"));
    check("INSERT INTO t (a, b) VALUES (1, 2), (3)", Err("row 2 of the INSERT in line 1: it has 1 values"));
    check("INSERT INTO t VALUES (0x41)", Err("depends on the column"));
    check("CREATE TABLE t (a enum('2','1')); INSERT INTO t VALUES (1)", Err("`1` is no literal"));
    check("INSERT INTO t VALUES ('open", Err("ends within a quoted text"));
    check("", Err("no INSERT of literal values"));
}

/// An INSERT of any length is read in parts.
#[test]
fn memory_of_a_long_statement() {
    /// The beginning of an INSERT, then so many rows, then its end.
    struct Long(usize, Vec<u8>);

    impl Read for Long {
        fn read(&mut self, space: &mut [u8]) -> io::Result<usize> {
            while self.1.len() < 4096 && self.0 > 0 {
                self.0 -= 1;
                let end = if self.0 == 0 { ";\n" } else { "," };
                self.1.extend(format!("({},'{}'){end}", self.0, "x".repeat(1000)).bytes());
            }
            let n = space.len().min(self.1.len());
            space[..n].copy_from_slice(&self.1[..n]);
            self.1.drain(..n);
            Ok(n)
        }
    }

    const ROWS: usize = 30_000;
    let long = || Long(ROWS, b"CREATE TABLE t (a int, b text);\nINSERT INTO t VALUES ".to_vec());
    let mut rows = Rows::new("d.sql", long(), "t", KnownTable::default(), 1 << 20).unwrap();
    let (mut space, mut n_lines) = (vec![0; 64 << 10], 0);
    loop {
        let n = rows.read(&mut space).unwrap();
        if n == 0 {
            break;
        }
        n_lines += space[..n].iter().filter(|byte| **byte == b'\n').count();
        assert!(rows.held() < 8 << 20, "{} bytes", rows.held());
    }
    assert_eq!(n_lines, ROWS + 1);
    assert!(DumpContents::of_bytes("d.sql", long()).unwrap().tables[0].has_rows);
}

/// A statement that nothing ends may have been longer.
#[test]
fn a_last_statement_must_end() {
    for cut in [
        "INSERT INTO t VALUES (1)",
        "INSERT INTO t VALUES (1); CREATE TABLE u (a int) COLLATE=utf8mb4_090",
        "INSERT INTO t VALUES (1),",
    ] {
        assert!(lines(cut, "t").unwrap_err().contains("nothing ends the last statement"), "{cut}");
        assert!(DumpContents::of_bytes("d.sql", cut.as_bytes()).is_err(), "{cut}");
    }
}

/// Tables of which one would lose rows, or get them in another zone.
#[test]
fn dumps_of_several_states() {
    let check = |dump: &str, says: &str| {
        let error = DumpContents::of_bytes("d.sql", dump.as_bytes()).unwrap_err().to_string();
        assert!(error.contains(says), "{dump}: {error}");
    };
    let one = "CREATE TABLE t (a int); INSERT INTO t VALUES (1);";
    check(&format!("{one} DROP TABLE IF EXISTS t; {one}"), "`t` comes twice");
    check(&format!("{one} {one}"), "`t` comes twice");
    check(&format!("{one} SET TIME_ZONE='+02:00'; INSERT INTO u VALUES (1);"), "another time zone");
    check(&format!("SET TIME_ZONE='+02:00'; {one} SET TIME_ZONE=@x; INSERT INTO u VALUES (1);"), "another time zone");
    check("INSERT INTO a.t VALUES (1); INSERT INTO b.u VALUES (1);", "`u` is of another database");
    check("INSERT INTO t VALUES (1); INSERT INTO b.u VALUES (1);", "`u` is of another database");
    check("USE a; CREATE TABLE t (a int); USE b; CREATE TABLE u (a int);", "`u` is of another database");
    assert_eq!(contents("USE a; INSERT INTO t VALUES (1); INSERT INTO a.u VALUES (1);").databases, ["a"]);
    check(
        "CREATE TABLE t (a int); ALTER TABLE t MODIFY a text; INSERT INTO t VALUES (1);",
        "come after an ALTER TABLE",
    );
    assert_eq!(contents("INSERT INTO t VALUES (1); ALTER TABLE t ADD KEY (a);").others.len(), 1);
}

/// Whose table a statement is about, and what it is without the user after DEFINER, and with another one.
#[test]
fn other_statements() {
    let check = |statement: &str, table: Option<&str>, stripped: Option<&str>, other: Option<&str>| {
        let dump = format!("CREATE TABLE t (a int);\nDELIMITER ;;\n{statement} ;;\nDELIMITER ;\n");
        let contents = contents(&dump);
        let [found] = &contents.others[..] else { panic!("{statement}: {contents:?}") };
        let text = |other: crate::OtherStatement| String::from_utf8(other.text).unwrap().trim_end().to_owned();
        assert_eq!(found.table.as_deref(), table, "{statement}");
        assert_eq!(found.has_definer(), stripped.is_some(), "{statement}");
        assert_eq!(text(found.with_definer(None)), stripped.unwrap_or(statement), "{statement}");
        let given = found.with_definer(Some("`a`@`%`"));
        assert_eq!(text(given.clone()), other.unwrap_or(statement), "{statement}");
        assert_eq!(text(given.with_definer(None)), stripped.unwrap_or(statement), "{statement}");
    };
    check("ALTER TABLE `t` ADD KEY (a)", Some("t"), None, None);
    check("ALTER TABLE `d`.`t` ADD KEY (a)", Some("t"), None, None);
    check("CREATE UNIQUE INDEX `on` ON t (a)", Some("t"), None, None);
    check("DROP INDEX i ON `t`", Some("t"), None, None);
    check("DROP VIEW v", None, None, None);
    check("CREATE VIEW v AS SELECT 'DEFINER=x' ON_t", None, None, None);
    check("CREATE EVENT e ON SCHEDULE EVERY 1 DAY DO SELECT 1", None, None, None);
    check("CREATE FUNCTION f() RETURNS INT RETURN (SELECT 1 FROM t JOIN t AS u ON 1)", None, None, None);
    check(
        "/*!50003 CREATE*/ /*!50017 DEFINER=`ro``ot`@`%`*/ /*!50003 TRIGGER `x` BEFORE INSERT ON `t` FOR EACH ROW SET @a = 1 */",
        Some("t"),
        Some("/*!50003 CREATE*/ /*!50017 */ /*!50003 TRIGGER `x` BEFORE INSERT ON `t` FOR EACH ROW SET @a = 1 */"),
        Some(
            "/*!50003 CREATE*/ /*!50017 DEFINER=`a`@`%`*/ /*!50003 TRIGGER `x` BEFORE INSERT ON `t` FOR EACH ROW SET @a = 1 */",
        ),
    );
    check(
        "CREATE OR REPLACE ALGORITHM=MERGE DEFINER = root@localhost SQL SECURITY DEFINER VIEW v AS SELECT 1",
        None,
        Some("CREATE OR REPLACE ALGORITHM=MERGE  SQL SECURITY DEFINER VIEW v AS SELECT 1"),
        Some("CREATE OR REPLACE ALGORITHM=MERGE DEFINER=`a`@`%` SQL SECURITY DEFINER VIEW v AS SELECT 1"),
    );
    check(
        "CREATE DEFINER=CURRENT_USER() PROCEDURE p() SELECT 1",
        None,
        Some("CREATE  PROCEDURE p() SELECT 1"),
        Some("CREATE DEFINER=`a`@`%` PROCEDURE p() SELECT 1"),
    );
    check(
        "CREATE DEFINER=app@db.example.org TRIGGER x AFTER INSERT ON `t` FOR EACH ROW SET @a = 1",
        Some("t"),
        Some("CREATE  TRIGGER x AFTER INSERT ON `t` FOR EACH ROW SET @a = 1"),
        Some("CREATE DEFINER=`a`@`%` TRIGGER x AFTER INSERT ON `t` FOR EACH ROW SET @a = 1"),
    );
    check(
        "CREATE DEFINER=event@10.0.0.1 TRIGGER x AFTER INSERT ON `t` FOR EACH ROW SET @a = 1",
        Some("t"),
        Some("CREATE  TRIGGER x AFTER INSERT ON `t` FOR EACH ROW SET @a = 1"),
        Some("CREATE DEFINER=`a`@`%` TRIGGER x AFTER INSERT ON `t` FOR EACH ROW SET @a = 1"),
    );
    check(
        "ALTER DEFINER=`x`@`%` EVENT e DISABLE",
        None,
        Some("ALTER  EVENT e DISABLE"),
        Some("ALTER DEFINER=`a`@`%` EVENT e DISABLE"),
    );
    check(
        "CREATE DEFINER='role' PROCEDURE p() SELECT 1",
        None,
        Some("CREATE  PROCEDURE p() SELECT 1"),
        Some("CREATE DEFINER=`a`@`%` PROCEDURE p() SELECT 1"),
    );
}

/// What statements are about, in lists; and a DROP TRIGGER, which is about the table of the trigger that is made again.
#[test]
fn subjects() {
    let check = |statement: &str, subject: Option<&str>| {
        let contents = contents(&format!("CREATE TABLE t (a int); {statement};"));
        assert_eq!(contents.others[0].subject.as_deref(), subject, "{statement}");
    };
    check("ALTER TABLE `d`.`t` ADD KEY (a)", Some("ALTER TABLE `t`"));
    check("CREATE OR REPLACE DEFINER=a@b SQL SECURITY INVOKER VIEW `d`.`v``w` AS SELECT 1", Some("view `v``w`"));
    check("CREATE PROCEDURE IF NOT EXISTS p() SELECT 1", Some("procedure `p`"));
    check("/*!50001 DROP VIEW IF EXISTS `v`*/", Some("DROP of view `v`"));
    check("CREATE UNIQUE INDEX i ON t (a)", Some("index `i`"));
    let trigger = "CREATE TRIGGER x AFTER INSERT ON t FOR EACH ROW SET @a = 1";
    let dump = format!("CREATE TABLE t (a int); DROP TRIGGER IF EXISTS x; DROP TRIGGER y; {trigger};");
    let tables: Vec<_> = contents(&dump).others.into_iter().map(|other| other.table).collect();
    assert_eq!(tables, [Some("t".to_owned()), None, Some("t".to_owned())]);
}

/// A dump that ends between two statements.
#[test]
fn a_dump_says_that_it_is_complete() {
    let cut = &DUMP[..DUMP.find("-- Dump completed").unwrap()];
    assert!(lines(cut, "people").unwrap_err().contains("was cut off"));
    assert!(DumpContents::of_bytes("d.sql", cut.as_bytes()).unwrap_err().message().contains("was cut off"));
    let text = DUMP.replacen("x',_binary", "-- Dump completed',_binary", 1);
    assert!(
        lines(&text[..text.find("\n-- Dump completed on").unwrap()], "people").unwrap_err().contains("was cut off")
    );
    assert!(lines(&format!("{DUMP}{cut}"), "other").is_err());
    assert!(lines(&format!("\n\n-- x\n{cut}"), "people").unwrap_err().contains("was cut off"));
    let without_comments = &cut[cut.find("/*!40101").unwrap()..];
    assert!(lines(without_comments, "people").is_ok());
}

/// One INSERT that is longer than any part, and rows longer than what is allowed.
#[test]
fn a_long_insert_comes_in_parts() {
    let row = format!("(1,'{}')", "x".repeat(1000));
    let rows = vec![row.as_str(); 5000].join(",\n");
    let dump = format!(
        "CREATE TABLE t (a int, b text);\nINSERT INTO `t` VALUES {rows};\nINSERT INTO `u` VALUES {rows};\nDROP VIEW v;"
    );
    let mut text = Vec::new();
    let mut read = Rows::new("d.sql", dump.as_bytes(), "t", KnownTable::default(), 1 << 20).unwrap();
    read.read_to_end(&mut text).unwrap();
    assert_eq!(text.iter().filter(|byte| **byte == b'\n').count(), 5001);
    assert_eq!(text.len(), "a\tb\n".len() + 5000 * (1000 + "1\t\n".len()));
    let contents = DumpContents::of_bytes("d.sql", dump.as_bytes()).unwrap();
    assert_eq!((contents.tables.len(), contents.others.len()), (2, 1));
    let long = format!("INSERT INTO t VALUES ('{}');", "x".repeat(32 << 20));
    let mut read = Rows::new("d.sql", long.as_bytes(), "t", KnownTable::default(), 1 << 20);
    let error = match &mut read {
        Ok(read) => read.read_to_end(&mut Vec::new()).unwrap_err().to_string(),
        Err(error) => error.to_string(),
    };
    assert!(error.contains("more than"), "{error}");
}

#[test]
fn tables_that_queries_read() {
    let check = |sql: &str, want: &[&str]| {
        assert_eq!(words::tables_read(sql.as_bytes(), Dialect::default()), want, "{sql}");
    };
    check("DROP VIEW IF EXISTS `a`; CREATE VIEW `a` AS select `c` AS `d` from `b`;", &["b"]);
    check(
        "select 1 from (`a` join `s`.`b` on((`a`.`c` = `b`.`d`))) left join `e` `f` using (`g`, `h`)",
        &["a", "b", "e"],
    );
    check("select 1 from a, (b, c) where x in (select y, z from d) order by e, f", &["a", "b", "c", "d"]);
    check("select extract(year from `c`), trim(leading 'x' from (select d from `a`)) from b", &["a", "b"]);
    check(
        "with x as (select 1 from a) select 1 from x union select 2 from (select b, c from d) e, f",
        &["a", "x", "d", "f"],
    );
    check("/*!50001 VIEW `v` AS select 'from q' from `a` */; select b, c", &["a"]);
}

/// Texts in another character set are known before a table is made for them, and which tables have none.
#[test]
fn tables_whose_rows_are_in_another_character_set() {
    let check = |dump: &str, want: &[(&str, Option<&str>)]| {
        let contents = contents(dump);
        let found: Vec<_> =
            contents.tables.iter().map(|table| (&table.name[..], table.unreadable.as_deref())).collect();
        assert_eq!(found.len(), want.len(), "{dump}");
        for ((name, why), (of, says)) in found.iter().zip(want) {
            let is_it = match says {
                Some(says) => why.is_some_and(|why| why.contains(says)),
                None => why.is_none(),
            };
            assert!(name == of && is_it, "{dump}: {found:?}");
        }
    };
    let tables = "CREATE TABLE a (x text CHARACTER SET latin1); CREATE TABLE b (x text CHARACTER SET utf8mb4); CREATE TABLE c (x int);";
    let rows = "INSERT INTO a VALUES ('1'); INSERT INTO b VALUES ('1');";
    check(&format!("{tables} {rows}"), &[("a", None), ("b", None), ("c", None)]);
    check(
        &format!("SET NAMES latin1; {tables} {rows}"),
        &[("a", Some("in latin1")), ("b", Some("in latin1")), ("c", None)],
    );
    check(&format!("SET NAMES binary; {tables} {rows}"), &[("a", Some("table in latin1")), ("b", None), ("c", None)]);
    check("SET NAMES binary; INSERT INTO a VALUES ('1');", &[("a", Some("no definition of the table"))]);
    let later = "INSERT INTO b VALUES ('1'); SET NAMES latin1; INSERT INTO b VALUES ('2'); SET NAMES utf8mb4; INSERT INTO b VALUES ('3');";
    check(later, &[("b", Some("in latin1"))]);
    let refused = |dump: &str| DumpContents::of_bytes("d.sql", dump.as_bytes()).unwrap_err().to_string();
    let error = refused("SET NAMES latin1;\nCREATE TABLE a (x int COMMENT '\u{e9}');");
    assert!(error.contains("line 2: the definition of table `a` is in latin1"), "{error}");
    let in_utf8 = "SET NAMES latin1; SET character_set_client = utf8mb4; CREATE TABLE a (x int COMMENT '\u{e9}');";
    check(in_utf8, &[("a", None)]);
}

/// What a refused new name leaves as a way out.
#[test]
fn hints_of_names_that_are_refused() {
    let rename = |dump: &str, makes_tables: bool| {
        let names = [("a".to_owned(), "new".to_owned())];
        contents(dump).rename(&names, makes_tables).map_err(|error| error.hint().unwrap_or_default().to_owned())
    };
    let check = |dump: &str, want: &[&str], not: &str| {
        let hint = rename(dump, true).unwrap_err();
        assert!(
            want.iter().all(|want| hint.contains(want)) && (not.is_empty() || !hint.contains(not)),
            "{dump}: {hint}"
        );
    };
    let table = "CREATE TABLE a (x int);";
    check(&format!("{table} CREATE TABLE new (x int);"), &["names that no other table"], "--rows-only");
    check(&format!("{table} CREATE PROCEDURE p() SELECT 1 FROM a;"), &["`--only`", "`--rows-only`"], "");
    check(
        &format!("{table} CREATE TRIGGER t BEFORE INSERT ON b FOR EACH ROW DELETE FROM a;"),
        &["`--rows-only`"],
        "`--only`",
    );
    let merged = "CREATE TABLE a (x int); CREATE TABLE m (x int) ENGINE=MERGE UNION=(a);";
    check(merged, &["make that table by hand", "`--rows-only`"], "`--only`");
    // That is a way out: no definition is needed for rows alone.
    assert_eq!(rename(merged, false), Ok(()));
}
