//! Files and tables whose columns differ: `--new-columns` and `--missing-columns`.

use crate::place::{Done, Place, Rows, everywhere, methods};
use crate::stopped::{Running, await_true};

const PEOPLE: &str = "CREATE TABLE people (id INT PRIMARY KEY, name VARCHAR(20)); INSERT INTO people VALUES (1, 'Ann')";

fn fresh(place: &Place, table: &str) {
    place.sql("DROP TABLE IF EXISTS people, people__inrush_new, people__inrush_old");
    place.sql(table);
    place.forget();
}

/// A load that reports all that it does.
fn loud(place: &Place, arguments: &str) -> Done {
    place.done(&place.command(arguments).arg("--json").output().unwrap())
}

fn people(place: &Place) -> String {
    place.sql("SELECT * FROM people ORDER BY id")
}

/// What a text column is added with, where the tables of the database are not utf8mb4.
fn charset(place: &Place) -> &'static str {
    if place.sql("SELECT @@character_set_database") == "utf8mb4" { "" } else { " CHARACTER SET utf8mb4" }
}

/// Names and types of the columns.
fn columns(place: &Place) -> String {
    place.sql(
        "SELECT GROUP_CONCAT(COLUMN_NAME, ' ', DATA_TYPE, ' ', IS_NULLABLE ORDER BY ORDINAL_POSITION SEPARATOR '; ') \
         FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 'people'",
    )
}

#[test]
fn fields_without_a_column_are_refused_or_left_out() {
    everywhere("left_out", |place| {
        fresh(place, PEOPLE);
        place.write("a.csv", "id,city,name,,n\n2,Oslo,Bob,x,7\n");
        let done = loud(place, "a.csv --into people");
        assert_eq!(done.code, 1, "{done}");
        done.says("field `city`: the table has no such column (it has id, name)\n");
        done.says("field 4 has no name");
        let done = loud(place, "a.csv --into people --new-columns ignore");
        assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(1))), "{done}");
        done.says("left out of `a.csv`, because the table has no such column: city, field 4, n\n");
        assert_eq!(people(place), "1,Ann|2,Bob");
        // Names that the command line gives are names, too.
        place.write("b.csv", "3,Cy,x\n");
        let done = loud(place, "b.csv --into people --no-header --columns id,name,city --new-columns ignore");
        assert_eq!((done.code, people(place).as_str()), (0, "1,Ann|2,Bob|3,Cy"), "{done}");
        // Without names only their number counts.
        place.write("c.csv", "4,Di,x\n");
        for how in ["ignore", "add"] {
            let done = loud(place, &format!("c.csv --into people --no-header --new-columns {how}"));
            assert_eq!(done.code, 1, "{done}");
            done.says("it has 3 fields, and the table has 2 columns");
        }
        let done = loud(place, "a.csv --into people --new-columns drop");
        assert_eq!(done.code, 1, "{done}");
        done.says("hint: it takes `error`, `ignore` or `add`");
    });
}

#[test]
fn columns_are_added_before_the_first_row() {
    everywhere("added", |place| {
        fresh(place, PEOPLE);
        let file = "id,name,city,n,born,`tag`\n2,Bob,Oslo,NA,31/01/2013,x\n3,Cy,Rome,7,NA,007\n";
        place.write("a.csv", file.replace('`', "\"").replace("\"tag\"", "the tag"));
        let charset = charset(place);
        let alter = format!(
            "ALTER TABLE `shop`.`people`\n  ADD COLUMN `city` VARCHAR(64){charset} NULL,\n  ADD COLUMN `n` INT NULL,\n  \
             ADD COLUMN `born` DATE NULL,\n  ADD COLUMN `the tag` VARCHAR(64){charset} NULL\n"
        );
        let done = loud(place, "a.csv --into people --new-columns add --dry-run");
        assert_eq!((done.code, done.rows(), people(place).as_str()), (0, Some(Rows::stored(2)), "1,Ann"), "{done}");
        done.says(&format!("would add columns to the table:\n{alter}"));
        let load = "a.csv --into people --new-columns add";
        let done = loud(place, load);
        assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(2))), "{done}");
        done.says(&format!("adding columns to the table:\n{alter}"));
        done.says("`NA` is read as NULL in id, n, born\n");
        done.says("dates are read by `%d/%m/%Y`, which alone fits, in born");
        assert!(!done.stderr.contains("rewrites"), "{done}");
        let held = "1,Ann,NULL,NULL,NULL,NULL|2,Bob,Oslo,NULL,2013-01-31,x|3,Cy,Rome,7,NULL,007";
        assert_eq!(people(place), held);
        // Done is done, with and without the option.
        for again in [load, "a.csv --into people"] {
            let done = loud(place, again);
            assert_eq!((done.code, people(place).as_str()), (0, held), "{done}");
            assert!(!done.stderr.contains("ALTER"), "{done}");
        }
        // The next file is read in the same way, and adds what is new in it.
        place.write("b.csv", "id,name,n,born,Pay\n4,Di,NA,28/02/2014,1.50\n5,Ed,8,NA,2.50\n");
        let done = loud(place, "b.csv --into people --new-columns add");
        assert_eq!(done.code, 0, "{done}");
        done.says("adding columns to the table:\nALTER TABLE `shop`.`people`\n  ADD COLUMN `Pay` DECIMAL(18,2) NULL\n");
        assert_eq!(place.sql("SELECT * FROM people WHERE id = 4"), "4,Di,NULL,NULL,2014-02-28,NULL,1.50");
    });
}

/// Texts of columns that are there stay as they are written: `NA` is no NULL in them, whatever the other cells are.
#[test]
fn texts_of_columns_that_are_there_are_not_changed() {
    everywhere("kept_texts", |place| {
        fresh(place, "CREATE TABLE people (id INT, code VARCHAR(20), day VARCHAR(20))");
        place.write("a.csv", "id,code,day,n\n1,12,31/01/2013,NA\n2,NA,NA,5\n");
        let done = loud(place, "a.csv --into people --new-columns add");
        assert_eq!((done.code, people(place).as_str()), (0, "1,12,31/01/2013,NULL|2,NA,NA,5"), "{done}");
        done.says("`NA` is read as NULL in id, n\n");
    });
}

#[test]
fn files_of_several_shapes() {
    everywhere("shapes", |place| {
        place.write("a.csv", "id,name,city\n2,Bob,Oslo\n");
        place.write("b.csv", "n,id,born\n5000000000,3,2024-01-31\n");
        place.write("c.csv", "N,CITY,id\n7,Rome,4\n");
        let files = "a.csv b.csv c.csv --into people";
        fresh(place, PEOPLE);
        let done = loud(place, files);
        assert_eq!(done.code, 1, "{done}");
        for field in ["a.csv` does", "b.csv` does", "c.csv` does", "`city`", "`born`"] {
            done.says(field);
        }
        let rows = "2,Bob,Oslo,NULL,NULL|3,NULL,NULL,5000000000,2024-01-31|4,NULL,Rome,7,NULL";
        let done = loud(place, &format!("{files} --new-columns add"));
        assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(3))), "{done}");
        assert_eq!(done.stderr.matches("ALTER TABLE").count(), 1, "{done}");
        assert_eq!(people(place), format!("1,Ann,NULL,NULL,NULL|{rows}"), "{done}");
        let types = "city varchar YES; n bigint YES; born date YES";
        assert_eq!(columns(place), format!("id int NO; name varchar YES; {types}"));
        fresh(place, PEOPLE);
        let done = loud(place, &format!("{files} --new-columns ignore"));
        assert_eq!((done.code, people(place).as_str()), (0, "1,Ann|2,Bob|3,NULL|4,NULL"), "{done}");
        done.says("left out of `b.csv`, because the table has no such column: n, born\n");
        // A new table has the columns of all files.
        for key in ["", "--key id"] {
            fresh(place, "DO 0");
            let done = loud(place, &format!("{files} --create-table {key}"));
            assert_eq!(done.code, 1, "{done}");
            done.says("`--create-table` needs files with the same fields\nhint: `--new-columns add` makes the columns");
            let done = loud(place, &format!("{files} --create-table --new-columns add {key}"));
            assert_eq!((done.code, people(place).as_str()), (0, rows), "{done}");
            let is_null = if key.is_empty() { "YES" } else { "NO" };
            assert_eq!(columns(place), format!("id int {is_null}; name varchar YES; {types}"));
        }
    });
}

/// Whatever else a load does to its table.
#[test]
fn columns_are_added_with_other_options() {
    everywhere("with_others", |place| {
        place.write("a.csv", "id,name,city\n2,Bob,Oslo\n3,Cy,NULL\n");
        let (old, new) = ("1,Ann,NULL|", "2,Bob,Oslo|3,Cy,NULL");
        for (options, keeps) in [
            ("--atomic", true),
            ("--atomic --truncate", false),
            ("--replace-table", false),
            ("--replace-table --create-table", false),
            ("--atomic --sort server --key id", true),
            ("--truncate", false),
            ("--guarantee at-least-once", true),
            ("--create-table", true),
            ("--create-table --tight --key id", true),
            ("--defer-indexes", true),
            ("--mode upsert", true),
            ("--mode replace", true),
            ("--sort key", true),
            ("--verify", true),
            ("--job-name j --part 1 --parts 2", true),
            ("--type city=CHAR(9)", true),
            ("--sample all", true),
            ("--columns id,name,city", true),
            ("--set name=UPPER(@name)", true),
            ("--set name=CONCAT(@name,@city)", true),
        ] {
            fresh(place, &format!("{PEOPLE}; ALTER TABLE people ADD KEY (name)"));
            let done = loud(place, &format!("a.csv --into people --new-columns add --null NULL {options}"));
            assert_eq!(done.code, 0, "{options}: {done}");
            let held = if keeps { format!("{old}{new}") } else { new.to_owned() };
            let held = match options {
                "--set name=UPPER(@name)" => held.replace("Bob", "BOB").replace("Cy", "CY"),
                // A field that only an expression names is no column.
                "--set name=CONCAT(@name,@city)" => "1,Ann|2,BobOslo|3,NULL".to_owned(),
                _ => held,
            };
            assert_eq!(people(place), held, "{options}: {done}");
            assert_eq!(place.sql("SHOW TABLES LIKE 'people\\_\\_%'"), "", "{options}");
            // The same command finds that it is done.
            if !options.contains("once") {
                let done = loud(place, &format!("a.csv --into people --new-columns add --null NULL {options}"));
                assert_eq!((done.code, people(place)), (0, held), "{options}: {done}");
            }
        }
        fresh(place, PEOPLE);
        let done = loud(place, "a.csv --into * --new-columns add --create-table");
        assert_eq!((done.code, place.sql("SELECT * FROM a ORDER BY id").as_str()), (0, "2,Bob,Oslo|3,Cy,NULL"));
        place.write("a.2.csv", "id,zip\n9,007\n");
        let done = loud(place, "a.2.csv --into * --new-columns add");
        assert_eq!((done.code, place.sql("SELECT * FROM a WHERE id = 9").as_str()), (0, "9,NULL,NULL,007"), "{done}");
    });
}

#[test]
fn columns_are_not_added_for_what_cannot_be_stored() {
    everywhere("not_added", |place| {
        fresh(place, PEOPLE);
        place.write("a.csv", "id,name,city\nx,Bob,Oslo\n");
        place.write("ok.csv", "id,name,city\n2,Bob,Oslo\n");
        for (load, code, says) in [
            ("a.csv --into people --new-columns add", 2, "`x` is not a whole number"),
            ("ok.csv --into people --new-columns add --mode delete", 1, "exclude each other"),
            ("ok.csv --into people --new-columns add --mask name=name --mask-key-file k", 1, ""),
            ("ok.csv --into people --new-columns add --type nmae=INT", 1, "hint: did you mean `name`?"),
            ("ok.csv --into people --columns id,name,name --new-columns add", 1, "filled by more than one field"),
            ("ok.csv --into nobody --new-columns add", 1, "there is no table `nobody`"),
        ] {
            let done = place.load(load);
            assert_eq!((done.code, people(place).as_str()), (code, "1,Ann"), "{load}: {done}");
            done.says(says);
            assert_eq!(columns(place), "id int NO; name varchar YES", "{load}");
        }
    });
}

/// Behind the sample, what the types keep in it is kept: in the columns that the load adds.
#[test]
fn spellings_of_new_columns_are_kept_behind_the_sample() {
    everywhere("kept_spellings", |place| {
        fresh(place, PEOPLE);
        let rows = |n: u32| (2..=n).map(|id| format!("{id},x,{id}\n")).collect::<String>();
        place.write("a.csv", format!("id,name,zip\n{}200001,x,007\n", rows(150_000)));
        let load = "a.csv --into people --new-columns add --sample 100 --batch 20000";
        let done = place.go_on(load);
        assert_eq!(done.code, 2, "{done}");
        done.says("`007` would lose its spelling");
        done.says(
            "`--type 'zip=VARCHAR(255)'` gives it one; once the column is added, ALTER TABLE people MODIFY `zip` ",
        );
        let done = place.go_on(load);
        assert_eq!(done.code, 2, "{done}");
        done.says("`007` would lose its spelling");
        place.sql("ALTER TABLE people MODIFY zip VARCHAR(255)");
        let done = place.go_on(load);
        assert_eq!(done.code, 0, "{done}");
        assert_eq!(place.sql("SELECT COUNT(*), MAX(id), MIN(zip) FROM people"), "150001,200001,007");
    });
}

/// The statement of `--before` waits as long as the test lets it.
const NAP: &str = "DO (SELECT SLEEP(seconds) FROM nap)";

/// Runs a load until it waits behind the ALTER, and kills it there.
fn kill_behind_the_alter(place: &Place, load: &str) {
    place.sql("DROP TABLE IF EXISTS nap; CREATE TABLE nap (seconds INT); INSERT INTO nap VALUES (1000)");
    let mut command = place.command(load);
    command.args(["--before", NAP]);
    let running = Running::spawn(place, command);
    let waits = "SELECT COUNT(*) > 0 FROM information_schema.PROCESSLIST WHERE DB = DATABASE() AND INFO LIKE 'DO (SELECT SLEEP%'";
    await_true("a load behind its ALTER", || place.sql(waits) == "1");
    running.signal("KILL");
    running.end();
    let ids = "SELECT ID FROM information_schema.PROCESSLIST WHERE DB = DATABASE() AND INFO LIKE 'DO (SELECT SLEEP%'";
    await_true("a statement that is gone", || {
        // The server may notice by itself that its client is gone.
        place.schema.sql(ids).iter().for_each(|id| drop(place.server.try_sql(&format!("KILL {}", id[0]))));
        place.sql(waits) == "0"
    });
    place.sql("UPDATE nap SET seconds = 0");
}

#[test]
fn a_load_killed_behind_its_alter_goes_on() {
    everywhere("killed_behind", |place| {
        place.write("a.csv", "id,name,n,day\n2,Bob,NA,31/01/2024\n3,Cy,7,NA\n");
        for (options, in_table) in [("", true), ("--truncate", true), ("--atomic", false), ("--type n=BIGINT", true)] {
            fresh(place, PEOPLE);
            let load = format!("a.csv --into people --new-columns add {options}");
            kill_behind_the_alter(place, &load);
            assert_eq!(columns(place).contains("; n "), in_table, "{options}: {}", columns(place));
            let status = place.go_on("--status");
            let added = &status.json["jobs"][0]["added"];
            let ty = if options.contains("BIGINT") { "BIGINT" } else { "INT" };
            assert_eq!(added, &format!("n {ty} NULL, day DATE NULL"), "{options}: {status}");
            let mut again = place.command(&load);
            let done = place.done(&again.args(["--before", NAP, "--json"]).output().unwrap());
            assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(2))), "{options}: {done}");
            let altered = done.stderr.matches("ALTER TABLE").count();
            assert_eq!(altered, 0, "{options}: {done}");
            let old = if options == "--truncate" { "" } else { "1,Ann,NULL,NULL|" };
            assert_eq!(people(place), format!("{old}2,Bob,NULL,2024-01-31|3,Cy,7,NULL"), "{options}: {done}");
        }
    });
}

#[test]
fn a_load_killed_among_its_rows_goes_on() {
    everywhere("killed_among", |place| {
        let rows: String = (2..=40_001).map(|id| format!("{id},x,{id},it's\n")).collect();
        place.write("a.csv", format!("id,name,n,tag\n{rows}"));
        // The ledger is there before.
        place.write("other.csv", "id\n1\n");
        place.load("other.csv --into other --create-table");
        for options in ["", "--atomic", "--type tag=ENUM('a','it''s')"] {
            fresh(place, PEOPLE);
            let load = format!("a.csv --into people --new-columns add {options}");
            let running = Running::spawn(place, place.command(&format!("{load} --batch 500 --rate 1000")));
            await_true("chunks", || place.sql("SELECT COUNT(*) > 3 FROM inrush_chunk") == "1");
            running.signal("KILL");
            running.end();
            let done = loud(place, &load);
            assert_eq!((done.code, done.rows().unwrap().stored), (0, 40_000), "{options}: {done}");
            done.says("going on with `a.csv`: ");
            assert!(!done.stderr.contains("ALTER TABLE"), "{options}: {done}");
            let counts = "SELECT COUNT(*), COUNT(DISTINCT id), SUM(n), SUM(tag = 'it''s') FROM people";
            assert_eq!(place.sql(counts), "40001,40001,800060000,40000", "{options}: {done}");
            if let Some(ty) = options.strip_prefix("--type tag=") {
                let status = place.done(&place.command("--status").output().unwrap());
                assert!(
                    status.stdout.contains(&format!(
                        "\n    columns added for it: n INT NULL, tag {ty}{} NULL\n",
                        charset(place)
                    )),
                    "{status}"
                );
            }
        }
    });
}

/// A column that others add while the load prepares.
#[test]
fn one_of_two_loads_adds_the_columns() {
    everywhere("two_add", |place| {
        fresh(place, PEOPLE);
        for (file, first) in [("a.csv", 2), ("b.csv", 10_002)] {
            let rows: String = (first..first + 10_000).map(|id| format!("{id},x,{id}\n")).collect();
            place.write(file, format!("id,name,n\n{rows}"));
        }
        let loads = ["a.csv", "b.csv"]
            .map(|file| Running::spawn(place, place.command(&format!("{file} --into people --new-columns add"))));
        for load in loads {
            let done = load.end();
            assert_eq!(done.code, 0, "{done}");
        }
        assert_eq!(place.sql("SELECT COUNT(*), COUNT(n) FROM people"), "20001,20000");
    });
}

#[test]
fn names_of_json_are_fields() {
    everywhere("json_names", |place| {
        let rows: String = (2..=10_001).map(|id| format!("{{\"id\":{id},\"city\":\"Oslo\"}}\n")).collect();
        place.write("a.jsonl", format!("{rows}{{\"id\":10002,\"late\":1}}\n"));
        fresh(place, PEOPLE);
        let done = loud(place, "a.jsonl --into people --new-columns ignore");
        assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(10_001))), "{done}");
        done.says("left out of `a.jsonl`, because the table has no such column: city\n");
        fresh(place, PEOPLE);
        let done = loud(place, "a.jsonl --into people --new-columns add --extra-fields ignore");
        assert_eq!(done.code, 1, "{done}");
        done.says("`--new-columns add` adds columns for them\nhint: give one of the two options");
        let done = loud(place, "a.jsonl --into people --new-columns add");
        assert_eq!(done.code, 2, "{done}");
        done.says("hint: `--sample all` reads the names of all records first");
        fresh(place, PEOPLE);
        let done = loud(place, "a.jsonl --into people --new-columns add --sample all");
        assert_eq!(done.code, 0, "{done}");
        assert_eq!(
            place.sql("SELECT * FROM people WHERE id IN (1, 2, 10002)"),
            "1,Ann,NULL,NULL|2,NULL,Oslo,NULL|10002,NULL,NULL,1"
        );
    });
}

const DEFAULTS: &str = "CREATE TABLE people (id INT AUTO_INCREMENT PRIMARY KEY, name VARCHAR(20), n INT DEFAULT 7, \
    made TIMESTAMP NULL DEFAULT CURRENT_TIMESTAMP, twice INT AS (n * 2) VIRTUAL)";

#[test]
fn columns_without_a_field() {
    everywhere("no_field", |place| {
        place.write("a.csv", "name\nAnn\n");
        let held = |options: &str| {
            fresh(place, DEFAULTS);
            let done = place.load(&format!("a.csv --into people {options}"));
            assert_eq!(done.code, 0, "{options}: {done}");
            place.sql("SELECT id, name, n, made IS NULL, twice FROM people")
        };
        assert_eq!(held(""), "1,Ann,7,0,14");
        assert_eq!(held("--missing-columns default"), "1,Ann,7,0,14");
        assert_eq!(held("--missing-columns null"), "1,Ann,NULL,1,NULL");
        assert_eq!(held("--missing-columns null --set n=3"), "1,Ann,3,1,6");
        assert_eq!(held("--missing-columns null --mode replace"), "1,Ann,NULL,1,NULL");
        assert_eq!(held("--missing-columns null --atomic"), "1,Ann,NULL,1,NULL");
        assert_eq!(held("--missing-columns error --set n=3 --set made=NULL"), "1,Ann,3,1,6");
        for method in methods(place).into_iter().filter(|method| ["load-data", "multi-row"].contains(method)) {
            assert_eq!(held(&format!("--missing-columns null --method {method}")), "1,Ann,NULL,1,NULL", "{method}");
        }
        let refused = |options: &str, says: &[&str]| {
            let done = place.load(&format!("a.csv --into people --missing-columns {options}"));
            assert_eq!(done.code, 1, "{options}: {done}");
            says.iter().for_each(|text| done.says(text));
        };
        fresh(place, DEFAULTS);
        refused("error", &["column `n`: no field fills it\n", "column `made`: no field fills it\n"]);
        refused("error", &["hint: `--missing-columns default` stores the defaults of such columns"]);
        refused("null --mode upsert", &["`--missing-columns null` and `--mode upsert` exclude each other"]);
        refused("none", &["hint: it takes `default`, `null` or `error`"]);
        place.sql("ALTER TABLE people MODIFY n INT NOT NULL DEFAULT 7");
        refused("null", &["column `n` is NOT NULL, and no field fills it\n"]);
        assert_eq!(place.sql("SELECT COUNT(*) FROM people"), "0");
    });
}

/// The reason, and what to do about it, for a user who may not alter the table.
#[test]
fn a_right_that_is_missing() {
    everywhere("no_alter", |place| {
        fresh(place, PEOPLE);
        place.write("a.csv", "id,city\n2,Oslo\n");
        let (schema, user) = (place.schema.name(), format!("d{}", place.schema.name().rsplit('_').next().unwrap()));
        place.server.sql(&format!(
            "CREATE USER {user}@localhost IDENTIFIED BY 'some-Pass1'; \
             GRANT SELECT, INSERT, UPDATE, DELETE, CREATE ON `{schema}`.* TO {user}@localhost"
        ));
        let load = |how: &str| {
            let mut command = place.bare(&format!("a.csv --into people --new-columns {how} --json -q"));
            command.arg("-S").arg(&place.server.socket).args(["-u", &user, "-D", schema]);
            place.done(&command.env("INRUSH_PASSWORD", "some-Pass1").output().unwrap())
        };
        let done = load("add");
        assert_eq!((done.code, done.rows()), (3, None), "{done}");
        done.says("cannot add columns to table `people`: ");
        done.says("hint: `--new-columns add` needs the right ALTER on the table; `--new-columns ignore` leaves");
        let done = load("ignore");
        assert_eq!((done.code, people(place).as_str()), (0, "1,Ann|2,NULL"), "{done}");
        place.server.sql(&format!("DROP USER {user}@localhost"));
    });
}

/// Where the server cannot add columns at once, it rewrites the table.
#[test]
fn a_table_that_is_rewritten() {
    everywhere("rewritten", |place| {
        fresh(place, &format!("{PEOPLE}; ALTER TABLE people ROW_FORMAT=COMPRESSED"));
        place.write("a.csv", "id,city\n2,Oslo\n");
        let done = loud(place, "a.csv --into people --new-columns add");
        assert_eq!((done.code, people(place).as_str()), (0, "1,Ann,NULL|2,NULL,Oslo"), "{done}");
        done.says("the server rewrites the table for the new columns, which takes a while: ");
    });
}
