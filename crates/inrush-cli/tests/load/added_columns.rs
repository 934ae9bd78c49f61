//! Columns that a load adds (`--new-columns add`): what they store, byte by byte, in tables of any character set; names and types that servers do
//! not take; what others do to the table between two runs; and tables that have more than columns.

use crate::export;
use crate::place::{Done, Place, Rows, everywhere, methods};
use crate::stopped::{Running, await_true};

const PEOPLE: &str = "CREATE TABLE people (id INT PRIMARY KEY, name VARCHAR(20)); INSERT INTO people VALUES (1, 'Ann')";

fn fresh(place: &Place, table: &str) {
    place.sql("DROP TABLE IF EXISTS people, people__inrush_new, people__inrush_old");
    place.sql(table);
    place.forget();
}

/// A load that reports all that it does. `more`: arguments with spaces in them.
fn loud(place: &Place, arguments: &str, more: &[&str]) -> Done {
    place.done(&place.command(arguments).args(more).arg("--json").output().unwrap())
}

fn people(place: &Place) -> String {
    place.sql("SELECT * FROM people ORDER BY id")
}

fn columns(place: &Place) -> String {
    place.sql(
        "SELECT GROUP_CONCAT(COLUMN_NAME, ' ', DATA_TYPE, COALESCE(CONCAT(' ', CHARACTER_SET_NAME), '') ORDER BY ORDINAL_POSITION SEPARATOR '; ') \
         FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 'people'",
    )
}

/// The bytes of a column's texts in UTF-8.
fn bytes(place: &Place, column: &str) -> String {
    place.sql(&format!(
        "SELECT GROUP_CONCAT(HEX(CONVERT({column} USING utf8mb4)) ORDER BY id SEPARATOR ' ') FROM people WHERE id > 1"
    ))
}

fn hex(texts: &[&str]) -> String {
    let one = |text: &&str| text.bytes().map(|byte| format!("{byte:02X}")).collect::<String>();
    texts.iter().map(one).collect::<Vec<_>>().join(" ")
}

const TEXTS: [&str; 4] = ["na\u{ef}ve", "\u{3a9}mega \u{416}", "\u{1f600} \u{4e2d}", "plain"];

/// The default character set of a table is not that of the columns that are added.
#[test]
fn texts_are_stored_as_they_are_in_tables_of_any_character_set() {
    everywhere("added_texts", |place| {
        let rows: String = (2..).zip(TEXTS).map(|(id, text)| format!("{id},x,{text},b\u{fc}\n")).collect();
        place.write("a.csv", format!("id,name,city,kind\n{rows}"));
        let others = [
            "--atomic",
            "--truncate",
            "--replace-table",
            "--method multi-row",
            "--mode upsert",
            "--sort key",
            "--mode replace",
        ];
        let charsets = ["latin1", "utf8mb3", "ucs2", "utf16", "cp1251", "gbk", "binary", "utf8mb4"];
        for (charset, other) in charsets.into_iter().zip(others.into_iter().cycle()) {
            let table = format!(
                "CREATE TABLE people (id INT PRIMARY KEY, name VARCHAR(20)) DEFAULT CHARSET={charset}; INSERT INTO people VALUES (1, 'Ann')"
            );
            for options in ["", other] {
                fresh(place, &table);
                let given = ["--type", "kind=ENUM('a','b\u{fc}')"];
                let done = loud(place, &format!("a.csv --into people --new-columns add {options}"), &given);
                assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(4))), "{charset} {options}: {done}");
                assert_eq!(bytes(place, "city"), hex(&TEXTS), "{charset} {options}");
                assert_eq!(bytes(place, "kind"), hex(&["b\u{fc}"; 4]), "{charset} {options}");
                let there = columns(place);
                assert!(there.ends_with("; city varchar utf8mb4; kind enum utf8mb4"), "{charset} {options}: {there}");
                let names = done.stderr.contains("CHARACTER SET utf8mb4");
                assert_eq!(names, charset != "utf8mb4", "{charset}: {done}");
                // A later file into columns that are there.
                place.write("b.csv", "id,name,city,kind\n9,x,\u{416}\u{1f600},b\u{fc}\n");
                let done = loud(place, &format!("b.csv --into people --new-columns add {options}"), &given);
                assert_eq!(done.code, 0, "{charset} {options}: {done}");
                assert!(bytes(place, "city").ends_with(&hex(&["\u{416}\u{1f600}"])), "{charset} {options}: {done}");
            }
        }
    });
}

/// A character set that the user names is the one that cells are checked against, of a new table as well.
#[test]
fn texts_are_stored_as_they_are_in_a_character_set_that_is_given() {
    everywhere("given_charset", |place| {
        place.write("a.csv", "id,name,city\n2,x,na\u{ef}ve\n3,x,plain\n");
        place.write("bad.csv", "id,name,city\n2,x,\u{1f600}\n");
        let makes = "CREATE TABLE people (id INT PRIMARY KEY, name VARCHAR(20)) DEFAULT CHARSET=latin2";
        for (table, how) in [(makes, "--new-columns add"), ("DO 0", "--create-table")] {
            for ty in ["VARCHAR(20) CHARACTER SET latin1", "VARCHAR(20) COLLATE latin1_bin", "TEXT CHARSET latin1 NULL"]
            {
                for method in methods(place) {
                    fresh(place, table);
                    let given = format!("city={ty}");
                    let load = format!("--into people {how} --method {method}");
                    let done = loud(place, &format!("a.csv {load}"), &["--type", &given]);
                    assert_eq!(done.code, 0, "{ty} {load}: {done}");
                    assert_eq!(bytes(place, "city"), hex(&["na\u{ef}ve", "plain"]), "{ty} {load}: {done}");
                    assert!(columns(place).ends_with("latin1"), "{}", columns(place));
                    fresh(place, table);
                    let done = loud(place, &format!("bad.csv {load}"), &["--type", &given]);
                    assert_eq!(done.code, 2, "{ty} {load}: {done}");
                    done.says("column `city`");
                }
            }
        }
        fresh(place, makes);
        for (ty, says) in [
            ("CHAR(9) CHARACTER SET utf8", "write `utf8mb4` or `utf8mb3`"),
            ("CHAR(9) CHARSET binary", "write VARBINARY"),
        ] {
            let done = loud(place, "a.csv --into people --new-columns add", &["--type", &format!("city={ty}")]);
            assert_eq!(done.code, 1, "{ty}: {done}");
            done.says(says);
        }
        // With a collation of its own, a column of a table in utf8mb4 has that of the table.
        fresh(place, "CREATE TABLE people (id INT PRIMARY KEY, name VARCHAR(20)) COLLATE utf8mb4_bin");
        let done = loud(place, "a.csv --into people --new-columns add", &[]);
        let collation = "SELECT COLLATION_NAME FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() AND COLUMN_NAME = 'city'";
        assert_eq!((done.code, place.sql(collation).as_str()), (0, "utf8mb4_bin"), "{done}");
    });
}

#[test]
fn types_have_no_more_than_a_type() {
    everywhere("bare_types", |place| {
        fresh(place, PEOPLE);
        place.write("a.csv", "id,name,n,x\n2,Bob,7,3\n");
        let add = "a.csv --into people --new-columns add";
        for (ty, says) in [
            ("INT NOT NULL", "a column that is added takes NULL"),
            ("INT NOT NULL DEFAULT 5", "`DEFAULT` is no part of a type"),
            ("INT DEFAULT 5", "`DEFAULT` is no part of a type"),
            ("INT UNIQUE", "`UNIQUE` is no part of a type"),
            ("INT FIRST", "`FIRST` is no part of a type"),
            ("INT AFTER id", "`AFTER` is no part of a type"),
            ("INT PRIMARY KEY", "`PRIMARY` is no part of a type"),
            ("INT AUTO_INCREMENT", "`AUTO_INCREMENT` is no part of a type"),
            ("INT INVISIBLE", "`INVISIBLE` is no part of a type"),
            ("TEXT(100)", "another type for a TEXT or BLOB with a length"),
        ] {
            let done = loud(place, add, &["--type", &format!("n={ty}")]);
            assert_eq!(done.code, 1, "{ty}: {done}");
            done.says(says);
        }
        for (given, says) in [
            ("name=CHAR(3)", "the table has this column, as VARCHAR(20)"),
            ("id=BIGINT", "the table has this column, as INT"),
        ] {
            let done = loud(place, add, &["--type", given]);
            assert_eq!(done.code, 1, "{given}: {done}");
            done.says(says);
            done.says("hint: without `--type` for it the load goes on");
        }
        let done = loud(place, &format!("{add} --set name=CONCAT(@x,'!')"), &["--type", "x=INT"]);
        assert_eq!(done.code, 1, "{done}");
        done.says("only `--set` uses this field, which gets no column");
        assert_eq!((people(place).as_str(), columns(place).matches(';').count()), ("1,Ann", 1));
        for ty in [
            "BIGINT UNSIGNED NULL",
            "INT(5)UNSIGNED ZEROFILL",
            "DOUBLE PRECISION",
            "DECIMAL(9,2)",
            "SET('7','8')",
            "BIT(8)",
            "JSON",
            "TINYINT(1)",
            "CHAR(3)",
            "BLOB",
        ] {
            fresh(place, PEOPLE);
            let given = format!("n={ty}");
            for _ in 0..2 {
                // The second time it is there, with the type that is given.
                place.forget();
                let done =
                    loud(place, &format!("{add} --mode replace"), &["--type", &given, "--type", "name=VARCHAR(20)"]);
                assert_eq!(done.code, 0, "{ty}: {done}");
            }
            let n = place.sql(
                "SELECT IF(DATA_TYPE = 'bit', 'n + 0', 'TRIM(LEADING 0 FROM n)') FROM information_schema.COLUMNS \
                 WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 'people' AND COLUMN_NAME = 'n'",
            );
            let stored = place.sql(&format!("SELECT {n} FROM people WHERE id = 2"));
            assert_eq!(stored.trim_end_matches(".00"), "7", "{ty}");
        }
    });
}

/// Names that servers refuse, or do not survive. The hint, when followed, works.
#[test]
fn names_that_no_column_can_have() {
    everywhere("unfit_names", |place| {
        let long = "x".repeat(65);
        for (name, says) in [
            ("DB_ROW_ID", "InnoDB uses this name"),
            ("db_trx_id", "InnoDB uses this name"),
            ("Db_Roll_Ptr", "InnoDB uses this name"),
            ("DB_ROW_HASH", "InnoDB uses this name"),
            ("fts_doc_id", "InnoDB uses this name"),
            ("FTS_DOC_ID", "InnoDB uses this name"),
            ("a\u{1f600}", "beyond U+FFFF"),
            (&long, "it has 65 characters"),
        ] {
            place.write("a.csv", format!("id,name,{name}\n2,Bob,7\n"));
            for (table, how) in [(PEOPLE, "--new-columns add"), ("DO 0", "--create-table")] {
                if name == long && table == "DO 0" {
                    // The name is cut for a new table.
                    continue;
                }
                fresh(place, table);
                let done = loud(place, &format!("a.csv --into people {how}"), &[]);
                assert_eq!(done.code, 1, "{name} {how}: {done}");
                done.says(" cannot be created: ");
                done.says(says);
                done.says("hint: `--columns a,b` gives the columns other names");
                for (list, rows) in [("id,name,n", "2,Bob,7"), ("id,name,@skip", "2,Bob")] {
                    fresh(place, table);
                    let done = loud(place, &format!("a.csv --into people {how} --columns {list}"), &[]);
                    assert_eq!(done.code, 0, "{name} {how} {list}: {done}");
                    assert!(people(place).ends_with(rows), "{name} {how} {list}: {}", people(place));
                }
            }
        }
        // Names that need quotes.
        let odd = ["select", "a`b", "a b", "caf\u{e9}", "'", "1", "\u{4e2d}", "a.b", "--", "x;y", "NULL"];
        let header: String = odd.iter().map(|name| format!(",\"{name}\"")).collect();
        let values: String = (0..odd.len()).map(|i| format!(",v{i}")).collect();
        place.write("a.csv", format!("id{header}\n2{values}\n"));
        fresh(place, PEOPLE);
        let done = loud(place, "a.csv --into people --new-columns add", &[]);
        assert_eq!(
            (done.code, people(place)),
            (0, format!("1,Ann{}|2,NULL{values}", ",NULL".repeat(odd.len()))),
            "{done}"
        );
        // One name for the server.
        place.write("a.csv", "id,cafe\n2,x\n");
        fresh(
            place,
            "CREATE TABLE people (id INT PRIMARY KEY, `caf\u{e9}` VARCHAR(9)); INSERT INTO people VALUES (1, 'y')",
        );
        let done = loud(place, "a.csv --into people --new-columns add --truncate", &[]);
        if done.code != 0 {
            assert_eq!((done.code, people(place).as_str()), (3, "1,y"), "{done}");
            done.says("hint: names that differ by case and accents alone are one name for the server");
        }
    });
}

/// The ALTER comes first: if the server refuses it, the rows that are there stay, and nothing was added.
#[test]
fn a_refused_alter_leaves_the_rows() {
    everywhere("refused_alter", |place| {
        fresh(place, PEOPLE);
        place.write("a.csv", "id,city\n2,Oslo\n");
        let (schema, user) = (place.schema.name(), format!("e{}", place.schema.name().rsplit('_').next().unwrap()));
        place.server.sql(&format!(
            "CREATE USER {user}@localhost IDENTIFIED BY 'some-Pass1'; \
             GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, DROP ON `{schema}`.* TO {user}@localhost"
        ));
        let as_user = |arguments: &str| {
            let mut command = place.bare(arguments);
            command.arg("-S").arg(&place.server.socket).args(["-u", &user, "-D", schema]);
            place.done(&command.env("INRUSH_PASSWORD", "some-Pass1").output().unwrap())
        };
        let done = as_user("a.csv --into people --new-columns add --truncate --json");
        assert_eq!((done.code, people(place).as_str()), (3, "1,Ann"), "{done}");
        let status = as_user("--status --json");
        let job = &status.json["jobs"][0];
        assert_eq!((job["added"].as_str(), job["to_add"].is_string()), (None, true), "{status}");
        let status = as_user("--status");
        assert!(status.stdout.contains("columns to be added before its first row: city VARCHAR(64) "), "{status}");
        assert!(!status.stdout.contains("columns added"), "{status}");
        place.server.sql(&format!("GRANT ALTER ON `{schema}`.* TO {user}@localhost"));
        let done = as_user("a.csv --into people --new-columns add --truncate --json");
        assert_eq!((done.code, people(place).as_str()), (0, "2,NULL,Oslo"), "{done}");
        let status = as_user("--status --json");
        let job = &status.json["jobs"][0];
        assert_eq!((job["added"].is_string(), job["to_add"].as_str()), (true, None), "{status}");
        place.server.sql(&format!("DROP USER {user}@localhost"));
    });
}

/// A column that somebody drops or renames is not added again under rows that had values in it.
#[test]
fn a_column_that_is_gone_is_not_added_again() {
    everywhere("gone_column", |place| {
        let rows: String = (2..=40_001).map(|id| format!("{id},x,{id},it's\n")).collect();
        place.write("a.csv", format!("id,name,n,tag\n{rows}"));
        place.write("b.csv", "id,more\n50000,1\n");
        place.write("other.csv", "id\n1\n");
        place.load("other.csv --into other --create-table");
        let load = "a.csv --into people --new-columns add";
        let begin = || {
            fresh(place, PEOPLE);
            let running = Running::spawn(place, place.command(&format!("{load} --batch 500 --rate 1000")));
            await_true("chunks", || place.sql("SELECT COUNT(*) > 3 FROM inrush_chunk") == "1");
            running.signal("KILL");
            running.end();
        };
        let sum = "SELECT COUNT(*), COUNT(DISTINCT id), SUM(n), SUM(tag = 'it''s') FROM people";
        begin();
        place.sql("ALTER TABLE people RENAME COLUMN n TO m");
        for options in ["", "b.csv", "--truncate"] {
            let done = loud(place, &format!("{load} {options}"), &[]);
            assert_eq!(done.code, 5, "{options}: {done}");
            done.says("and column `n` of table `shop.people` is gone, with what it held of them: it was dropped or renamed since");
            assert!(!columns(place).contains("n int"), "{}", columns(place));
        }
        place.sql("ALTER TABLE people RENAME COLUMN m TO n");
        let done = loud(place, load, &[]);
        assert_eq!((done.code, place.sql(sum).as_str()), (0, "40001,40001,800060000,40000"), "{done}");
        place.sql("ALTER TABLE people DROP COLUMN tag");
        let done = loud(place, load, &[]);
        assert_eq!(done.code, 5, "{done}");
        done.says("and column `tag` of table `shop.people` is gone");
        let done = loud(place, &format!("{load} --truncate"), &[]);
        assert_eq!((done.code, place.sql(sum).as_str()), (0, "40000,40000,800060000,40000"), "{done}");
        begin();
        place.sql("ALTER TABLE people DROP COLUMN tag");
        let done = loud(place, load, &[]);
        assert_eq!(done.code, 5, "{done}");
        let id = place.sql("SELECT LOWER(HEX(id)) FROM inrush_job WHERE `target` LIKE '%people'");
        done.says(&format!("`inrush load --forget {id}`"));
    });
}

/// Cells of columns that are there are read as without the option.
#[test]
fn cells_of_columns_that_are_there_are_not_changed() {
    everywhere("cells_there", |place| {
        let table = "CREATE TABLE people (id INT, code VARCHAR(20), doc JSON, raw VARBINARY(9), u CHAR(36), kind ENUM('NA','5'))";
        let uuid = "0192f3a8-0000-7000-8000-0000000000ff";
        place.write("a.csv", format!("id,code,doc,raw,u,kind,n\n1,12,null,NA,{uuid},5,NA\n2,NA,{{}},7,NA,NA,5\n"));
        for options in
            ["--new-columns add", "--create-table --new-columns add", "--create-table --new-columns add --tight"]
        {
            fresh(place, table);
            let done = loud(place, &format!("a.csv --into people {options}"), &[]);
            assert_eq!(done.code, 0, "{options}: {done}");
            assert_eq!(people(place), format!("1,12,null,NA,{uuid},5,NULL|2,NA,{{}},7,NA,NA,5"), "{options}: {done}");
            assert_eq!(place.sql("SELECT JSON_TYPE(doc) FROM people WHERE id = 1"), "NULL", "{options}");
            assert_eq!(place.sql("SELECT doc IS NULL FROM people WHERE id = 1"), "0", "{options}");
            done.says("`NA` is read as NULL in id, n\n");
        }
        // In new columns of documents as well, whether the table is there or not.
        place.write("b.csv", "id,n,doc\n1,NA,null\n2,5,[1]\n");
        for (table, options) in [("DO 0", "--create-table"), ("CREATE TABLE people (id INT)", "")] {
            fresh(place, table);
            let load = format!("b.csv --into people --new-columns add {options} --verify --type doc=JSON");
            let done = loud(place, &load, &[]);
            assert_eq!((done.code, &done.json["verify"]["equal"]), (0, &true.into()), "{options}: {done}");
            assert_eq!(place.sql("SELECT id, n, doc FROM people ORDER BY id"), "1,NULL,null|2,5,[1]", "{options}");
        }
        // A field that only an expression uses.
        place.write("c.csv", "id,pay\n1,NA\n2,5\n");
        fresh(place, "CREATE TABLE people (id INT, text VARCHAR(9))");
        let done = loud(place, "c.csv --into people --new-columns add --set text=CONCAT('<',@pay,'>')", &[]);
        assert_eq!((done.code, people(place).as_str()), (0, "1,<NA>|2,<5>"), "{done}");
        assert!(!done.stderr.contains("ALTER") && !done.stderr.contains("NULL in id, pay"), "{done}");
    });
}

#[test]
fn columns_by_a_list() {
    everywhere("by_a_list", |place| {
        place.write("a.csv", "id,name,city\n2,Bob,Oslo\n");
        place.write("b.csv", "no,who,where\n3,Cy,Rome\n");
        place.write("c.csv", "no,who\n4,Di\n");
        for (table, options) in
            [(PEOPLE, "--new-columns add"), ("DO 0", "--create-table"), ("DO 0", "--create-table --new-columns add")]
        {
            fresh(place, table);
            let done = loud(place, &format!("a.csv b.csv --into people {options} --columns id,name,town"), &[]);
            assert_eq!(done.code, 0, "{options}: {done}");
            assert!(people(place).ends_with("2,Bob,Oslo|3,Cy,Rome"), "{options}: {}", people(place));
            fresh(place, table);
            let done = loud(place, &format!("a.csv c.csv --into people {options} --columns id,name,town"), &[]);
            assert_eq!(done.code, 1, "{options}: {done}");
            done.says("the files have different numbers of fields: `a.csv` has 3, `c.csv` has 2\n");
            done.says("hint: load them one after the other, each with its own `--columns`");
        }
    });
}

/// `--verify` compares every column that a file has.
#[test]
fn files_of_several_shapes_are_verified() {
    everywhere("shapes_verified", |place| {
        place.write("a.csv", "id,name,city\n2,Bob,Oslo\n");
        place.write("b.csv", "n,id\n5000000000,3\n");
        let load = "a.csv b.csv --into people --new-columns add --verify";
        for options in ["", "--truncate", "--mode replace", "--create-table", "--missing-columns null"] {
            fresh(place, PEOPLE);
            let done = loud(place, &format!("{load} {options}"), &[]);
            assert_eq!((done.code, &done.json["verify"]["equal"]), (0, &true.into()), "{options}: {done}");
            assert_eq!(done.json["verify"]["not_compared"], serde_json::json!([]), "{options}: {done}");
        }
        // A difference in a column of one of the files is found.
        fresh(place, PEOPLE);
        let done = loud(place, load, &[]);
        assert_eq!(done.code, 0, "{done}");
        place.sql("UPDATE people SET city = 'Rome' WHERE id = 2");
        let done = loud(place, load, &[]);
        assert_eq!((done.code, &done.json["verify"]["different"]), (2, &1.into()), "{done}");
        place.sql("UPDATE people SET city = 'Oslo' WHERE id = 2; UPDATE people SET city = 'Rome' WHERE id = 3");
        let done = loud(place, load, &[]);
        assert_eq!((done.code, &done.json["verify"]["different"]), (2, &1.into()), "{done}");
        // What a row gets that has no field is not known: it may be older, or a trigger makes it.
        fresh(place, PEOPLE);
        let done = loud(place, &format!("{load} --mode upsert"), &[]);
        assert_eq!(done.code, 0, "{done}");
        assert_eq!(done.json["verify"]["not_compared"], serde_json::json!(["name", "city", "n"]), "{done}");
        fresh(place, PEOPLE);
        place.sql("CREATE TRIGGER tr BEFORE INSERT ON people FOR EACH ROW SET NEW.name = COALESCE(NEW.name, 'nobody')");
        let done = loud(place, load, &[]);
        assert_eq!(
            (done.code, people(place).as_str()),
            (0, "1,Ann,NULL,NULL|2,Bob,Oslo,NULL|3,nobody,NULL,5000000000"),
            "{done}"
        );
        assert_eq!(done.json["verify"]["not_compared"], serde_json::json!(["name", "city", "n"]), "{done}");
    });
}

/// Tables that have more than columns, and typed files.
#[test]
fn tables_and_files_of_all_kinds() {
    everywhere("added_kinds", |place| {
        place.write("a.csv", "id,name,city\n2,Bob,Oslo\n");
        for (table, held) in [
            (
                "ALTER TABLE people ADD CHECK (id > 0), ADD COLUMN twice INT AS (id * 2) VIRTUAL",
                "1,Ann,2,NULL|2,Bob,4,Oslo",
            ),
            (
                "ALTER TABLE people ADD COLUMN twice INT AS (id * 2) STORED, ADD KEY (twice)",
                "1,Ann,2,NULL|2,Bob,4,Oslo",
            ),
            ("ALTER TABLE people ADD FULLTEXT KEY (name)", "1,Ann,NULL|2,Bob,Oslo"),
            ("ALTER TABLE people MODIFY name VARCHAR(20) INVISIBLE", "1,Ann,NULL|2,Bob,Oslo"),
            ("ALTER TABLE people PARTITION BY HASH (id) PARTITIONS 3", "1,Ann,NULL|2,Bob,Oslo"),
            ("ALTER TABLE people ROW_FORMAT=COMPRESSED", "1,Ann,NULL|2,Bob,Oslo"),
            (
                "CREATE TRIGGER tr BEFORE INSERT ON people FOR EACH ROW SET NEW.name = UPPER(NEW.name)",
                "1,Ann,NULL|2,BOB,Oslo",
            ),
            ("ALTER TABLE people ADD COLUMN note VARCHAR(9) NOT NULL DEFAULT 'd' FIRST", "d,1,Ann,NULL|d,2,Bob,Oslo"),
        ] {
            fresh(place, PEOPLE);
            place.sql(table);
            let load = "a.csv --into people --new-columns add";
            let done = loud(place, &format!("{load} --dry-run"), &[]);
            assert_eq!((done.code, columns(place).contains("city")), (0, false), "{table}: {done}");
            done.says("would add columns to the table:\nALTER TABLE `shop`.`people`\n  ADD COLUMN `city` VARCHAR(64) ");
            let done = loud(place, load, &[]);
            assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(1))), "{table}: {done}");
            let names = place.sql(
                "SELECT GROUP_CONCAT('`', COLUMN_NAME, '`' ORDER BY ORDINAL_POSITION) FROM information_schema.COLUMNS \
                 WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 'people'",
            );
            assert_eq!(place.sql(&format!("SELECT {names} FROM people ORDER BY id")), held, "{table}: {done}");
        }
        // A generated column takes no field.
        fresh(place, PEOPLE);
        place.sql("ALTER TABLE people ADD COLUMN twice INT AS (id * 2) VIRTUAL");
        place.write("g.csv", "id,twice,city\n2,4,Oslo\n");
        let done = loud(place, "g.csv --into people --new-columns add", &[]);
        assert_eq!((done.code, columns(place).contains("city")), (1, false), "{done}");
        done.says("column `twice` is generated and takes no value");
        // A dump has types of its own.
        place
            .write("d.sql", "CREATE TABLE `q` (`id` int, `n` varchar(9));\nINSERT INTO `q` VALUES (2,'NA'),(3,'7');\n");
        for (file, into) in [("d.sql#q", "people"), ("d.sql", "*")] {
            fresh(place, PEOPLE);
            let done = loud(place, &format!("{file} --into {into} --new-columns add"), &[]);
            assert_eq!((done.code, columns(place).contains("n int")), (1, false), "{file}: {done}");
        }
        place.sql("ALTER TABLE people ADD COLUMN n VARCHAR(9)");
        let done = loud(place, "d.sql#q --into people", &[]);
        assert_eq!((done.code, people(place).as_str()), (0, "1,Ann,NULL|2,NULL,NA|3,NULL,7"), "{done}");
        // Typed files.
        place.sql(
            "DROP TABLE IF EXISTS src; CREATE TABLE src (id INT PRIMARY KEY, name VARCHAR(20), big BIGINT UNSIGNED, pay DECIMAL(10,2), day DATE, \
             at DATETIME(6), txt VARCHAR(40) CHARACTER SET utf8mb4, raw VARBINARY(9)); \
             INSERT INTO src VALUES (2, 'Bob', 18446744073709551615, '1.50', '2024-01-31', '2024-01-31 10:00:00.123456', CONVERT(X'F09F9880C3AF' USING utf8mb4), X'00FF'), \
             (3, NULL, NULL, NULL, NULL, NULL, NULL, NULL)",
        );
        for ending in ["parquet", "arrow"] {
            let done = export::export(place, &format!("src --to {ending} --format {ending} --lanes 1"));
            assert_eq!(done.code, 0, "{ending}: {done}");
            let names = export::names(place, ending);
            let file = names.iter().find(|name| name.ends_with(ending)).unwrap();
            fresh(place, "CREATE TABLE people (id INT PRIMARY KEY, name VARCHAR(20)) DEFAULT CHARSET=latin1");
            let done = loud(place, &format!("{ending}/{file} --into people --new-columns add --verify"), &[]);
            assert_eq!((done.code, &done.json["verify"]["equal"]), (0, &true.into()), "{ending}: {done}");
            let of = |table: &str| {
                place.sql(&format!(
                    "SELECT id, name, big, pay, day, at, HEX(CONVERT(txt USING utf8mb4)), HEX(raw) FROM {table} ORDER BY id"
                ))
            };
            let stored = of("people");
            assert!(stored.contains("18446744073709551615") && stored.contains("F09F9880C3AF"), "{ending}: {stored}");
            assert_eq!(stored, of("src"), "{ending}: {done}");
        }
    });
}

/// A part of a named job adds what it has, and the next part finds it.
#[test]
fn parts_of_a_job_add_columns() {
    everywhere("parts_add", |place| {
        fresh(place, PEOPLE);
        place.write("a.csv", "id,city\n2,Oslo\n");
        place.write("b.csv", "id,city,n\n3,Rome,7\n");
        for (file, part) in [("a.csv", 1), ("b.csv", 2), ("a.csv", 1), ("b.csv", 2)] {
            let done = loud(
                place,
                &format!("{file} --into people --new-columns add --job-name j --part {part} --parts 2"),
                &[],
            );
            assert_eq!(done.code, 0, "{part}: {done}");
        }
        assert_eq!(people(place), "1,Ann,NULL,NULL|2,NULL,Oslo,NULL|3,NULL,Rome,7");
        place.sql("ALTER TABLE people DROP COLUMN n");
        let done = loud(place, "b.csv --into people --new-columns add --job-name j --part 2 --parts 2", &[]);
        assert_eq!(done.code, 5, "{done}");
        done.says("and column `n` of table `shop.people` is gone");
    });
}

#[test]
fn hints_that_work() {
    everywhere("drift_hints", |place| {
        fresh(place, PEOPLE);
        place.write("a.csv", "id,name,\n2,Bob,7\n");
        for how in ["error", "add"] {
            let done = loud(place, &format!("a.csv --into people --new-columns {how}"), &[]);
            assert_eq!(done.code, 1, "{how}: {done}");
            done.says("field 3 has no name\n");
            done.says("`--new-columns ignore` leaves such fields out");
            assert!(!done.stderr.contains("adds columns for them"), "{how}: {done}");
        }
        for how in ["--new-columns add --columns id,name,n", "--new-columns ignore", "--columns id,name,@skip"] {
            fresh(place, PEOPLE);
            let done = loud(place, &format!("a.csv --into people {how}"), &[]);
            assert_eq!(done.code, 0, "{how}: {done}");
        }
        // Columns that must have a value.
        place.write("b.csv", "id\n2\n");
        for (table, missing, hint) in [
            ("name VARCHAR(9) NOT NULL", "null", "`--set 'column = 0'` gives such a column a value"),
            ("name VARCHAR(9) NOT NULL", "default", "`--set 'column = 0'` gives such a column a value"),
            ("name VARCHAR(9) NOT NULL", "error", "`--set 'column = 0'` gives such a column a value"),
            ("name VARCHAR(9) NOT NULL DEFAULT 'x', d INT DEFAULT 4", "null", "`--missing-columns default` stores"),
        ] {
            fresh(place, &format!("CREATE TABLE people (id INT PRIMARY KEY, {table})"));
            let done = loud(place, &format!("b.csv --into people --missing-columns {missing}"), &[]);
            assert_eq!(done.code, 1, "{table} {missing}: {done}");
            done.says(hint);
            let follows = if hint.contains("--set") { ["--set", "name = 0"] } else { ["--missing-columns", "default"] };
            let done = loud(place, "b.csv --into people", &follows);
            assert_eq!(done.code, 0, "{table} {missing}: {done}");
        }
        // Thousands of columns do not make thousands of lines.
        let many: Vec<String> = (0..300).map(|n| format!("c{n} INT")).collect();
        fresh(place, &format!("CREATE TABLE people (id INT PRIMARY KEY, {})", many.join(", ")));
        let done = loud(place, "b.csv --into people --missing-columns error", &[]);
        assert_eq!(done.code, 1, "{done}");
        done.says("  - and 250 more\n");
        // More columns than a table has.
        let header: String = (0..1_200).map(|n| format!(",n{n}")).collect();
        place.write("c.csv", format!("id{header}\n2{}\n", ",1".repeat(1_200)));
        fresh(place, PEOPLE);
        let done = loud(place, "c.csv --into people --new-columns add --truncate", &[]);
        assert_eq!((done.code, people(place).as_str()), (3, "1,Ann"), "{done}");
        done.says("hint: a table has at most 4,096 columns, in InnoDB 1,017: `--columns a,b,@skip`");
        // A history that must not change.
        if !place.is_mysql() {
            place.write("d.csv", "id,city\n2,Oslo\n");
            fresh(place, "CREATE TABLE people (id INT PRIMARY KEY) WITH SYSTEM VERSIONING");
            let done = loud(place, "d.csv --into people --new-columns add", &[]);
            assert_eq!(done.code, 3, "{done}");
            done.says("hint: the table keeps its history: ");
            place.sql(
                "SET SESSION system_versioning_alter_history = KEEP; ALTER TABLE people ADD COLUMN city VARCHAR(64)",
            );
            let done = loud(place, "d.csv --into people --new-columns add", &[]);
            assert_eq!((done.code, people(place).as_str()), (0, "2,Oslo"), "{done}");
        }
    });
}

/// Two loads add the same column with different types: what is stored is what the files have.
#[test]
fn loads_that_add_different_types() {
    everywhere("two_types", |place| {
        fresh(place, PEOPLE);
        for (file, first, value) in [("a.csv", 2, "7"), ("b.csv", 10_002, "na\u{ef}ve")] {
            let rows: String = (first..first + 10_000).map(|id| format!("{id},x,{value}\n")).collect();
            place.write(file, format!("id,name,n\n{rows}"));
        }
        let load = |file: &str| format!("{file} --into people --new-columns add");
        let runs = ["a.csv", "b.csv"].map(|file| Running::spawn(place, place.command(&load(file))));
        let ends = runs.map(Running::end);
        let mut n_stored = 0;
        for (file, done) in ["a.csv", "b.csv"].iter().zip(&ends) {
            // Refused, or a bad row, or stored.
            assert!([0, 1, 2].contains(&done.code), "{done}");
            n_stored += if done.code == 0 { 10_000 } else { 0 };
            assert!(done.code == 0 || *file == "b.csv" || done.code == 1, "{done}");
        }
        assert!(n_stored > 0, "{} {}", ends[0], ends[1]);
        let bad = "SELECT COUNT(*) FROM people WHERE id > 1 AND HEX(CONVERT(CAST(n AS CHAR) USING utf8mb4)) NOT IN ('37', '6E61C3AF7665')";
        assert_eq!(place.sql(bad), "0");
        assert_eq!(place.sql("SELECT COUNT(*) FROM people"), format!("{}", n_stored + 1));
    });
}
