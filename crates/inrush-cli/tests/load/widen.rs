//! Columns that a load widens (`--widen`): the rest of their definition, what is refused, and what others see.

use crate::place::{Done, Place, everywhere};

fn fresh(place: &Place, table: &str) {
    let left = place.schema.sql("SHOW TABLES LIKE 'people%'").concat();
    left.iter().for_each(|table| drop(place.sql(&format!("DROP TABLE {table}"))));
    place.sql(table);
    place.forget();
}

/// A load that reports all that it does.
fn loud(place: &Place, arguments: &str) -> Done {
    place.done(&place.command(arguments).arg("--json").output().unwrap())
}

fn definition(place: &Place, table: &str) -> Vec<String> {
    let create = place.schema.sql(&format!("SHOW CREATE TABLE {table}")).concat().remove(1);
    let (body, options) = create.rsplit_once("\n)").unwrap();
    let options = options.split_whitespace().filter(|word| !word.starts_with("AUTO_INCREMENT="));
    body.lines().skip(1).map(str::to_owned).chain(options.map(str::to_owned)).collect()
}

/// The same without the types of columns.
fn without_types(definition: &[String]) -> Vec<String> {
    let of = |line: &String| match line.strip_prefix("  `").and_then(|line| line.split_once("` ")) {
        Some((name, rest)) => format!("{name} {}", rest.split_once(' ').map_or("", |(_, rest)| rest)),
        None => line.clone(),
    };
    // The default of a DECIMAL has the digits of its type.
    let of = |line: &String| of(line).replace("'0.50'", "0.5").replace("'0.5'", "0.5").replace("0.50 ", "0.5 ");
    definition.iter().map(of).collect()
}

fn types(place: &Place, table: &str) -> String {
    let query = format!(
        "SELECT GROUP_CONCAT(COLUMN_NAME, ' ', DATA_TYPE, COALESCE(CONCAT(' ', CHARACTER_MAXIMUM_LENGTH), CONCAT(' ', IF(DATA_TYPE = 'decimal', CONCAT(NUMERIC_PRECISION, '.', NUMERIC_SCALE), '')), '') \
         ORDER BY ORDINAL_POSITION SEPARATOR '; ') FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = '{table}'"
    );
    place.sql(&query).replace(" ;", ";").trim().to_owned()
}

#[test]
fn nothing_but_the_type_changes() {
    everywhere("widen", |place| {
        fresh(
            place,
            "CREATE TABLE people (id INT NOT NULL AUTO_INCREMENT COMMENT 'the `id` int, `n` int' PRIMARY KEY, \
             name VARCHAR(5) CHARACTER SET latin1 COLLATE latin1_bin NOT NULL DEFAULT 'it''s' COMMENT 'a, varchar(5)', \
             n SMALLINT UNSIGNED NULL DEFAULT 7, price DECIMAL(4,1) NOT NULL DEFAULT 0.5 CHECK (price < 100000), \
             code VARCHAR(3) NULL DEFAULT 'x' INVISIBLE, narrow VARCHAR(9) DEFAULT NULL, `by` TIMESTAMP NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP, \
             UNIQUE KEY by_name (name(3)), KEY by_n (n, narrow)) DEFAULT CHARSET=utf8mb3; INSERT INTO people (id, name, price) VALUES (1, 'Ann', 3.5)",
        );
        let before = definition(place, "people");
        place.write("a.csv", "id,name,n,price,narrow\n3000000000,longer name,70000,12345.25,short\n4,x,-0,1,\n");
        let dry = loud(place, "a.csv --into people --widen --dry-run");
        assert_eq!((dry.code, definition(place, "people")), (0, before.clone()), "{dry}");
        dry.says("would widen columns of the table:");
        dry.says("MODIFY COLUMN `name` VARCHAR(64) CHARACTER SET latin1 COLLATE latin1_bin NOT NULL DEFAULT 'it''s' COMMENT 'a, varchar(5)'");
        let done = loud(place, "a.csv --into people --widen");
        assert_eq!(done.code, 0, "{done}");
        done.says("widening columns of the table");
        let after = definition(place, "people");
        assert_eq!(without_types(&after), without_types(&before), "{done}");
        assert_eq!(
            types(place, "people"),
            "id bigint; name varchar 64; n int; price decimal 7.2; code varchar 3; narrow varchar 9; by timestamp"
        );
        let rows = "SELECT id, name, n, price FROM people ORDER BY id";
        assert_eq!(place.sql(rows), "1,Ann,7,3.50|4,x,0,1.00|3000000000,longer name,70000,12345.25");
        // A second file that needs nothing, and one that needs more of one column.
        place.write("b.csv", "id,name\n5,Bob\n");
        let done = loud(place, "b.csv --into people --widen");
        assert_eq!((done.code, definition(place, "people")), (0, after), "{done}");
        assert!(!done.stderr.contains("widening"), "{done}");
        place.write("c.csv", format!("id,name\n6,{}\n", "y".repeat(65)));
        let done = loud(place, "c.csv --into people --widen --tight");
        assert_eq!((done.code, &types(place, "people")[..30]), (0, "id bigint; name varchar 128; n"), "{done}");
        let status = place.done(&place.command("--status").output().unwrap()).stdout;
        assert!(status.contains("columns widened for it: name VARCHAR(64) to VARCHAR(128)"), "{status}");
        assert!(status.contains("columns widened for it: id INT to BIGINT, name VARCHAR(5) to VARCHAR(64), n SMALLINT UNSIGNED to INT UNSIGNED"), "{status}");
    });
}

#[test]
fn invisible_columns_and_several_files() {
    everywhere("widen_more", |place| {
        fresh(place, "CREATE TABLE people (id INT PRIMARY KEY, code VARCHAR(3) NULL DEFAULT 'x' INVISIBLE)");
        let before = definition(place, "people");
        place.write("a.csv", "id,code,city\n1,abcdef,Oslo\n");
        place.write("b.jsonl", "{\"id\": 3000000000, \"code\": \"ab\"}\n");
        let done = loud(place, "a.csv b.jsonl --into people --widen --new-columns add");
        assert_eq!(done.code, 0, "{done}");
        assert_eq!(without_types(&definition(place, "people"))[..2], without_types(&before)[..2]);
        assert_eq!(place.sql("SELECT id, code, city FROM people ORDER BY id"), "1,abcdef,Oslo|3000000000,ab,NULL");
    });
}

#[test]
fn what_depends_on_the_type_is_refused() {
    everywhere("widen_refused", |place| {
        place.write("a.csv", "id,n\n1,5000000000\n");
        let plain = "CREATE TABLE people (id INT PRIMARY KEY, n INT";
        let mut cases = vec![
            (format!("{plain}, g INT AS (n + 1) STORED)"), "a generated column is made of it"),
            (
                format!(
                    "{plain}, UNIQUE KEY (n)); CREATE TABLE peoples (n INT, FOREIGN KEY (n) REFERENCES people (n))"
                ),
                "a foreign key goes by it",
            ),
            (
                format!("CREATE TABLE peoples (n INT PRIMARY KEY); {plain}, FOREIGN KEY (n) REFERENCES peoples (n))"),
                "a foreign key goes by it",
            ),
            (
                "CREATE TABLE people (id INT, n INT) PARTITION BY HASH (n) PARTITIONS 3".to_owned(),
                "the table is partitioned by it",
            ),
            ("CREATE TABLE people (id INT PRIMARY KEY, n INT ZEROFILL)".to_owned(), "ZEROFILL"),
        ];
        if place.is_mysql() {
            cases.push((format!("{plain}, KEY e ((n + 1)))"), "an index is made of an expression"));
        }
        for (table, says) in cases {
            place.sql("SET FOREIGN_KEY_CHECKS = 0; DROP TABLE IF EXISTS peoples, people");
            fresh(place, &table);
            let before = definition(place, "people");
            for more in ["", "--dry-run"] {
                let done = loud(place, &format!("a.csv --into people --widen {more}"));
                assert_eq!((done.code, definition(place, "people")), (5, before.clone()), "{table}: {done}");
                done.says("table `people` cannot be widened:");
                done.says(says);
            }
            assert_eq!(place.sql("SELECT COUNT(*) FROM people"), "0");
            place.sql("SET FOREIGN_KEY_CHECKS = 0; DROP TABLE IF EXISTS peoples, people");
        }
        // MariaDB would cut such an index, or make a hash of it; MySQL refuses.
        for (key, length) in [("KEY k (n)", 4_000), ("UNIQUE KEY k (n)", 4_000), ("UNIQUE KEY k (m, n, id)", 6_408)] {
            fresh(
                place,
                &format!(
                    "CREATE TABLE people (id INT PRIMARY KEY, n VARCHAR(100), m VARCHAR(600), {key}) DEFAULT CHARSET=utf8mb4"
                ),
            );
            place.write("long.csv", format!("id,n\n1,{}\n", "x".repeat(300)));
            let before = definition(place, "people");
            let done = loud(place, "long.csv --into people --widen");
            let code = if place.is_mysql() { 3 } else { 5 };
            assert_eq!((done.code, definition(place, "people")), (code, before), "{key}: {done}");
            if !place.is_mysql() {
                done.says(&format!("its index `k`, or make a hash of it, which would have {length} bytes"));
            }
        }
        fresh(place, "CREATE TABLE people (id INT PRIMARY KEY, n VARCHAR(100), KEY k (n)) DEFAULT CHARSET=utf8mb4");
        let before = definition(place, "people");
        let done = loud(place, "long.csv --into people --widen --tight");
        assert_eq!((done.code, without_types(&definition(place, "people"))), (0, without_types(&before)), "{done}");
        // What the server refuses.
        fresh(
            place,
            "CREATE TABLE people (id INT PRIMARY KEY, n VARCHAR(100), KEY (n)) DEFAULT CHARSET=utf8mb4 ROW_FORMAT=COMPACT",
        );
        place.write("long.csv", format!("id,n\n1,{}\n", "x".repeat(120)));
        let before = definition(place, "people");
        let done = loud(place, "long.csv --into people --widen");
        assert_eq!((done.code, definition(place, "people")), (3, before), "{done}");
        done.says("an index of the column would be too long");
        let done = loud(place, "long.csv --into people --widen --mode delete");
        assert_eq!(done.code, 1, "{done}");
        done.says("`--widen` and `--mode delete` exclude each other");
    });
}

/// A field that an expression names goes into the column of its name too, unless that is the one that is computed.
#[test]
fn fields_of_expressions() {
    everywhere("widen_set", |place| {
        place.write("a.csv", "id,name\n1,longer\n");
        for (set, want, rows) in [
            ("code=left(@name,3)", "id int; name varchar 64; code varchar 3", "1,longer,lon"),
            ("name=left(@name,2)", "id int; name varchar 2; code varchar 3", "1,lo,NULL"),
        ] {
            fresh(place, "CREATE TABLE people (id INT PRIMARY KEY, name VARCHAR(2), code VARCHAR(3))");
            let done = loud(place, &format!("a.csv --into people --widen --set {set}"));
            assert_eq!((done.code, types(place, "people").as_str()), (0, want), "{done}");
            assert_eq!(place.sql("SELECT * FROM people"), rows);
        }
    });
}

/// What no wider type of the same kind holds is a bad row, as without the option; so is what only a later row needs.
#[test]
fn what_stays_bad() {
    everywhere("widen_bad", |place| {
        let table = "CREATE TABLE people (id INT PRIMARY KEY, n INT UNSIGNED, c CHAR(3))";
        for (row, says) in [("1,-1,x", "column `n`"), ("1,x,x", "column `n`"), ("1,1,long", "column `c`")] {
            fresh(place, table);
            place.write("a.csv", format!("id,n,c\n{row}\n"));
            let before = definition(place, "people");
            let done = loud(place, "a.csv --into people --widen");
            assert_eq!((done.code, definition(place, "people")), (2, before), "{row}: {done}");
            done.says(says);
        }
        fresh(place, table);
        place.write("a.csv", "id,n,c\n1,1,x\n2,5000000000,x\n");
        let done = loud(place, "a.csv --into people --widen --sample 1");
        assert_eq!((done.code, types(place, "people").as_str()), (2, "id int; n int; c char 3"), "{done}");
        let done = loud(place, "a.csv --into people --widen --sample all");
        assert_eq!((done.code, types(place, "people").as_str()), (0, "id int; n bigint; c char 3"), "{done}");
        assert_eq!(place.sql("SELECT id, n FROM people ORDER BY id"), "1,1|2,5000000000");
    });
}

/// The copy is widened, and the table is as it was until the copy takes its place.
#[test]
fn a_copy_is_widened() {
    everywhere("widen_copy", |place| {
        place.write("people.csv", "id,n\n5,3000000000\n");
        for (how, want) in [
            ("--atomic", "1,7|5,3000000000"),
            ("--atomic --truncate", "5,3000000000"),
            ("--replace-table --keep-old 1h", "5,3000000000"),
            ("--replace-table --sort server", "5,3000000000"),
            ("--replace-table --defer-indexes", "5,3000000000"),
        ] {
            for point in ["", "widen.before:1", "widen.after:1", "step.after:1", "swap.before:1"] {
                fresh(
                    place,
                    "CREATE TABLE people (id INT PRIMARY KEY, n INT NOT NULL COMMENT 'n'); INSERT INTO people VALUES (1, 7)",
                );
                let load = format!("people.csv --into people --widen {how}");
                if !point.is_empty() {
                    let mut command = place.command(&load);
                    let killed = place.done(&command.env("INRUSH_FAULT", point).output().unwrap());
                    assert_eq!(killed.code, -1, "{how} {point}: {killed}");
                    assert_eq!(
                        (types(place, "people").as_str(), place.sql("SELECT * FROM people")),
                        ("id int; n int", "1,7".into())
                    );
                }
                let done = loud(place, &load);
                assert_eq!(done.code, 0, "{how} {point}: {done}");
                assert_eq!(types(place, "people"), "id int; n bigint", "{how} {point}: {done}");
                assert_eq!(place.sql("SELECT * FROM people ORDER BY id"), want, "{how} {point}");
                assert!(definition(place, "people")[1].contains(" NOT NULL COMMENT 'n'"), "{how} {point}");
            }
        }
        // Digits behind the point make the rows of the copy others.
        fresh(place, "CREATE TABLE people (id INT PRIMARY KEY, n DECIMAL(4,1)); INSERT INTO people VALUES (1, 7)");
        place.write("people.csv", "id,n\n5,0.25\n");
        let done = loud(place, "people.csv --into people --widen --atomic");
        assert_eq!((done.code, types(place, "people").as_str()), (5, "id int; n decimal 4.1"), "{done}");
        done.says("would not be comparable");
        let done = loud(place, "people.csv --into people --widen --replace-table");
        assert_eq!((done.code, place.sql("SELECT * FROM people").as_str()), (0, "5,0.25"), "{done}");
    });
}

/// The table is altered when the job's line says so already: the same command goes on, with the columns as they are by then.
#[test]
fn killed_around_the_alter() {
    everywhere("widen_killed", |place| {
        place.write("a.csv", "id,n\n5,3000000000\n");
        for (point, widened) in [("widen.before:1", false), ("widen.after:1", true), ("commit.answered:1", true)] {
            fresh(place, "CREATE TABLE people (id INT PRIMARY KEY, n INT)");
            let mut command = place.command("a.csv --into people --widen");
            let killed = place.done(&command.env("INRUSH_FAULT", point).output().unwrap());
            assert_eq!(killed.code, -1, "{point}: {killed}");
            assert_eq!(types(place, "people").ends_with("n bigint"), widened, "{point}");
            let status = place.done(&place.command("--status").output().unwrap()).stdout;
            assert!(status.contains("n INT to BIGINT"), "{point}: {status}");
            let done = loud(place, "a.csv --into people --widen");
            assert_eq!(done.code, 0, "{point}: {done}");
            assert_eq!(place.sql("SELECT * FROM people"), "5,3000000000", "{point}");
            let status = place.done(&place.command("--status").output().unwrap()).stdout;
            assert!(status.contains("columns widened for it: n INT to BIGINT"), "{point}: {status}");
            // Loaded.
            let done = loud(place, "a.csv --into people --widen");
            assert!(done.code == 0 && done.stdout.contains("\"already-loaded\""), "{point}: {done}");
        }
    });
}

/// Rows are stored when a value is met that is too wide: the same command with `--widen` continues behind them. Without a key a row that is stored
/// twice is there twice.
#[test]
fn a_load_that_has_begun_is_widened() {
    everywhere("widen_begun", |place| {
        for how in ["", "--lanes 2 --method multi-row"] {
            fresh(place, "CREATE TABLE people (id INT, n INT, name VARCHAR(4))");
            place.write("a.csv", "id,n,name\n1,1,a\n2,2,b\n3,3000000000,c\n4,4,too long\n5,5,e\n");
            let load = format!("a.csv --into people --batch 1 {how}");
            let stopped = loud(place, &load);
            assert_eq!(stopped.code, 2, "{stopped}");
            // The first row alone is looked at: nothing is widened.
            let stopped = loud(place, &format!("{load} --widen --sample 2"));
            assert_eq!((stopped.code, types(place, "people").contains("n int;")), (2, true), "{stopped}");
            let stopped = loud(place, &format!("{load} --widen --sample 3"));
            assert_eq!(
                (stopped.code, types(place, "people").contains("n bigint; name varchar 4")),
                (2, true),
                "{stopped}"
            );
            let done = loud(place, &format!("{load} --widen --sample all"));
            assert_eq!((done.code, done.rows().unwrap().stored), (0, 5), "{done}");
            let want = "1,1,a|2,2,b|3,3000000000,c|4,4,too long|5,5,e";
            assert_eq!(place.sql("SELECT * FROM people ORDER BY id"), want, "{done}");
            let status = place.done(&place.command("--status").output().unwrap()).stdout;
            assert!(
                status.contains("columns widened for it: n INT to BIGINT, name VARCHAR(4) to VARCHAR(64)"),
                "{status}"
            );
            // Also without the option.
            let again = loud(place, &load);
            assert!(again.code == 0 && again.stdout.contains("\"already-loaded\""), "{again}");
        }
    });
}

#[test]
fn files_that_do_not_say_what_they_need() {
    everywhere("widen_files", |place| {
        fresh(place, "CREATE TABLE people (id INT PRIMARY KEY, n INT)");
        place.write("dump.sql", "INSERT INTO `people` VALUES (1,3000000000);\n");
        let done = loud(place, "dump.sql --into people --widen");
        assert_eq!(done.code, 1, "{done}");
        done.says("`dump.sql` is a dump");
        place.write("a.csv", "1,3000000000\n");
        let done = loud(place, "a.csv --into people --widen --no-header");
        assert_eq!(done.code, 1, "{done}");
        done.says("`--widen` needs the names of the fields");
        let done = loud(place, "a.csv --into people --widen --no-header --columns id,n");
        assert_eq!((done.code, types(place, "people").as_str()), (0, "id int; n bigint"), "{done}");
        let done = loud(place, "a.csv --into people --tight --no-header --columns id,n");
        assert_eq!(done.code, 1, "{done}");
        done.says("`--type`, `--sample` and `--tight` are for");
    });
}
