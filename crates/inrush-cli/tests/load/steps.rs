//! What comes before the first row and after the last: statements of the user, indexes that are rebuilt, a copy that takes the table's
//! place. Each happens once, however often a load is begun.

use crate::place::{Done, Place, Rows, everywhere};
use std::os::unix::process::ExitStatusExt as _;

const PEOPLE: &str = "DROP TABLE IF EXISTS people; DROP TABLE IF EXISTS log; \
     CREATE TABLE people (id INT PRIMARY KEY, name VARCHAR(20), note TEXT, mail VARCHAR(50), \
     twice INT AS (id * 2), UNIQUE KEY by_mail (mail), KEY by_name (name(4) DESC, mail) COMMENT 'it''s, (one)', \
     KEY by_twice (twice), FULLTEXT KEY words (note), FULLTEXT KEY names (name)); \
     CREATE TABLE log (what VARCHAR(50))";

const FILE: &str = "id,name,note\n1,Ann,a b\n2,Bob,c d\n3,Cy,\n";

fn load(place: &Place, args: &[&str]) -> Done {
    place.done(&place.command("people.csv --into people").args(args).args(["--json", "-q"]).output().unwrap())
}

fn create(place: &Place) -> String {
    place.sql("SHOW CREATE TABLE people")
}

#[test]
fn statements_before_and_after() {
    everywhere("before_after", |place| {
        place.sql(PEOPLE);
        place.write("people.csv", FILE);
        let steps = [
            "--before",
            "INSERT INTO log SELECT CONCAT('before ', COUNT(*)) FROM people",
            "--before",
            "SELECT 1",
            "--after",
            "INSERT INTO log SELECT CONCAT('after ', COUNT(*)) FROM people",
        ];
        let done = load(place, &steps);
        assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(3))), "{done}");
        assert_eq!(place.sql("SELECT * FROM log ORDER BY what DESC"), "before 0|after 3");
        // Loaded already: nothing is run.
        assert_eq!(load(place, &steps).code, 0);
        assert_eq!(place.sql("SELECT COUNT(*) FROM log"), "2");
    });
}

#[test]
fn a_step_is_not_done_again() {
    everywhere("once", |place| {
        place.sql(PEOPLE);
        // Bad for the server only: what is bad for us is known before a step is done.
        place.write("people.csv", "id,name\n1,Ann\n1,Bob\n");
        let steps = [
            "--before",
            "INSERT INTO log VALUES ('before')",
            "--after",
            "INSERT INTO nowhere VALUES (1)",
            "--after",
            "INSERT INTO log VALUES ('after')",
        ];
        let done = load(place, &[&steps[..], &["--defer-indexes"]].concat());
        assert_eq!(done.code, 2, "{done}");
        done.says("pending: dropped until the load is finished: index `by_name`, `by_twice`, ");
        assert_eq!(place.sql("SELECT * FROM log"), "before");
        assert!(!create(place).contains("by_name") && create(place).contains("by_mail"), "{}", create(place));
        // Mended; then the last step fails, and only that is left to do.
        place.write("people.csv", "id,name\n1,Ann\n2,Bob\n");
        let done = load(place, &steps);
        assert_eq!((done.code, done.rows()), (3, Some(Rows::stored(2))), "{done}");
        done.says("`--after INSERT INTO nowhere VALUES (1)` failed");
        assert!(create(place).contains("by_name"), "{}", create(place));
        place.sql("CREATE TABLE nowhere (i INT)");
        let done = load(place, &steps);
        assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(2))), "{done}");
        assert_eq!(place.sql("SELECT what FROM log ORDER BY what"), "after|before");
        assert_eq!(place.sql("SELECT COUNT(*) FROM nowhere"), "1");
    });
}

#[test]
fn indexes_come_back_as_they_were() {
    everywhere("deferred", |place| {
        place.sql(PEOPLE);
        if place.is_mysql() {
            place.sql("ALTER TABLE people ADD KEY hidden (name) INVISIBLE, ADD KEY computed ((id + 1))");
        }
        let before = create(place);
        place.write("people.csv", FILE);
        let done = place.done(&place.command("people.csv --into people --defer-indexes").output().unwrap());
        assert_eq!(done.code, 0, "{done}");
        done.says("dropped until the end: index by_name, ");
        done.says("rebuilt index by_name, ");
        // Servers list the kinds of indexes in an order of their own.
        let sorted = |text: &str| {
            let mut lines: Vec<String> = text.lines().map(|line| line.trim_end_matches(',').to_owned()).collect();
            lines.sort();
            lines
        };
        assert_eq!(sorted(&create(place)), sorted(&before));
        assert_eq!(place.sql("SELECT COUNT(*) FROM people"), "3");
    });
}

#[test]
fn indexes_that_foreign_keys_need_stay() {
    everywhere("deferred_fk", |place| {
        place.sql(
            "CREATE TABLE owners (id INT PRIMARY KEY); INSERT INTO owners VALUES (1); \
             CREATE TABLE people (id INT AUTO_INCREMENT, name VARCHAR(20), note TEXT, owner INT, PRIMARY KEY (name), \
             KEY counted (id), KEY by_owner (owner), KEY by_note (note(5)), FOREIGN KEY (owner) REFERENCES owners (id))",
        );
        place.write("people.csv", "name,owner\nAnn,1\n");
        let done = place.done(&place.command("people.csv --into people --defer-indexes").output().unwrap());
        assert_eq!(done.code, 0, "{done}");
        done.says("dropped until the end: index by_note\n");
    });
}

#[test]
fn all_or_nothing() {
    everywhere("atomic", |place| {
        place.sql(PEOPLE);
        place.sql("INSERT INTO people (id, name) VALUES (7, 'Gus')");
        place.write("people.csv", "id,name\n1,Ann\n2,Bob\nx,Cy\n");
        let done = load(place, &["--atomic", "--batch", "1", "--lanes", "1"]);
        assert_eq!((done.code, done.rows().unwrap().stored), (2, 2), "{done}");
        done.says("table `people` is as it was; what is stored is in `people__inrush_new`");
        assert_eq!(place.sql("SELECT id FROM people"), "7");
        // What is gone on with must be meant to be atomic too.
        let other = load(place, &["--batch", "1"]);
        assert_eq!(other.code, 5, "{other}");
        place.write("people.csv", "id,name\n1,Ann\n2,Bob\n3,Cy\n");
        let done = load(place, &["--atomic", "--defer-indexes"]);
        assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(3))), "{done}");
        assert_eq!(place.sql("SELECT id, twice FROM people ORDER BY id"), "1,2|2,4|3,6|7,14");
        assert!(create(place).contains("by_name"), "{}", create(place));
        assert_eq!(place.sql("SHOW TABLES LIKE 'people%'"), "people");
        // With --truncate the new rows alone.
        let done = load(place, &["--atomic", "--truncate", "--again"]);
        assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(3))), "{done}");
        assert_eq!(place.sql("SELECT id FROM people ORDER BY id"), "1|2|3");
    });
}

/// The run that made it was killed before it could say so.
#[test]
fn a_copy_that_nobody_noted_is_made_anew() {
    everywhere("atomic_left", |place| {
        place.sql(PEOPLE);
        place.write("people.csv", FILE);
        let args = "people.csv --into people --atomic";
        let killed = place.command(args).env("INRUSH_FAULT", "step.after:1").output().unwrap();
        assert_eq!(killed.status.signal(), Some(9), "{killed:?}");
        assert_eq!(place.sql("SHOW TABLES LIKE 'people%'"), "people|people__inrush_new");
        // Of another file's load it is none.
        place.write("others.csv", FILE);
        let other = place.go_on("others.csv --into people --atomic");
        assert_eq!(other.code, 5, "{other}");
        let other = place.go_on("others.csv --into people --atomic");
        assert_eq!(other.code, 5, "{other}");
        let done = place.go_on(args);
        assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(3))), "{done}");
        assert_eq!(place.sql("SHOW TABLES LIKE 'people%'"), "people");
        assert_eq!(place.sql("SELECT COUNT(*) FROM people"), "3");
    });
}

#[test]
fn without_a_ledger_nothing_is_left_behind() {
    everywhere("atomic_bare", |place| {
        place.sql(PEOPLE);
        let bare = ["--atomic", "--guarantee", "at-least-once"];
        place.write("people.csv", "id,name\n1,Ann\nx,Bob\n");
        assert_eq!(load(place, &bare).code, 2);
        assert_eq!(place.sql("SHOW TABLES LIKE 'people%'"), "people");
        place.write("people.csv", FILE);
        let done = load(place, &bare);
        assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(3))), "{done}");
        assert_eq!(place.sql("SELECT COUNT(*) FROM people"), "3");
        assert_eq!(place.sql("SHOW TABLES LIKE 'people%'"), "people");
        let done = load(place, &["--defer-indexes", "--guarantee", "at-least-once"]);
        assert_eq!(done.code, 1, "{done}");
    });
}

#[test]
fn a_table_that_cannot_be_replaced_is_not() {
    everywhere("atomic_refused", |place| {
        for (what, sql) in [
            ("triggers", "CREATE TRIGGER t BEFORE INSERT ON people FOR EACH ROW SET NEW.mail = 'x'"),
            (
                "foreign keys",
                "CREATE TABLE pets (id INT PRIMARY KEY, owner INT, FOREIGN KEY (owner) REFERENCES people (id))",
            ),
            ("foreign keys", "ALTER TABLE people ADD chief INT, ADD FOREIGN KEY (chief) REFERENCES people (id)"),
        ] {
            place.sql("DROP TABLE IF EXISTS pets");
            place.sql(PEOPLE);
            place.sql(sql);
            place.write("people.csv", FILE);
            let done = load(place, &["--atomic"]);
            assert_eq!(done.code, 5, "{done}");
            done.says(what);
            assert_eq!(place.sql("SELECT COUNT(*) FROM people"), "0");
        }
        // Another load's shadow is left alone.
        place.sql("DROP TABLE IF EXISTS pets");
        place.sql(PEOPLE);
        place.sql("CREATE TABLE people__inrush_new (id INT)");
        let done = load(place, &["--atomic"]);
        assert_eq!(done.code, 5, "{done}");
        done.says("table `people__inrush_new` is there: another atomic load of `people` is at work");
    });
}

/// A table that foreign keys of others point at: what the hints propose works.
#[test]
fn a_parent_is_truncated_unchecked() {
    everywhere("truncated_parent", |place| {
        place.sql(
            "CREATE TABLE people (id INT PRIMARY KEY, name VARCHAR(20)); INSERT INTO people VALUES (1, 'old'), (7, 'old'); \
             CREATE TABLE pets (id INT PRIMARY KEY, owner INT, FOREIGN KEY (owner) REFERENCES people (id)); \
             INSERT INTO pets VALUES (1, 1)",
        );
        place.write("people.csv", "id,name\n1,Ann\n2,Bob\n");
        let replaces = "`--truncate --unchecked foreign-keys` replaces all rows";
        for (args, hint, held) in [
            ("--replace-table", replaces, "1,old|7,old"),
            ("--truncate", "with `--unchecked foreign-keys` the table is truncated", "1,old|7,old"),
            ("--mode upsert", "", "1,Ann|2,Bob|7,old"),
            ("--truncate --unchecked foreign-keys --again", "", "1,Ann|2,Bob"),
        ] {
            let done = load(place, &args.split(' ').collect::<Vec<_>>());
            assert_eq!(done.code == 0, hint.is_empty(), "{args}: {done}");
            done.says(hint);
            assert_eq!(place.sql("SELECT id, name FROM people ORDER BY id"), held, "{args}");
        }
    });
}

#[test]
fn what_is_not_to_be_checked() {
    everywhere("unchecked", |place| {
        place.sql(
            "CREATE TABLE owners (id INT PRIMARY KEY); \
             CREATE TABLE people (id INT PRIMARY KEY, owner INT, FOREIGN KEY (owner) REFERENCES owners (id))",
        );
        place.write("people.csv", "id,owner\n1,77\n2,78\n");
        let done = load(place, &[]);
        assert_eq!(done.code, 2, "{done}");
        done.says("owner");
        let done = load(place, &["--unchecked", "foreign-keys,unique"]);
        if place.is_mysql() {
            assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(2))), "{done}");
            place.sql("DELETE FROM people; DELETE FROM inrush_job");
        } else {
            assert_eq!(done.code, 5, "{done}");
            done.says("MariaDB loses rows that it has acknowledged");
        }
        let done = load(place, &["--unchecked", "foreign-keys"]);
        assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(2))), "{done}");
        assert_eq!(load(place, &["--unchecked", "keys"]).code, 1);
    });
}

#[test]
fn rows_before_a_bad_one_stay_whatever_is_not_checked() {
    everywhere("unchecked_bad", |place| {
        for check in ["unique", "foreign-keys"] {
            place.sql("DROP TABLE IF EXISTS people; CREATE TABLE people (id INT PRIMARY KEY, u INT, UNIQUE KEY (u))");
            // Row by row and many at once: the duplicate comes last.
            let rows: String = (1..=500).map(|id| format!("{id},{id}\n")).collect();
            place.write("people.csv", format!("id,u\n{rows}500,501\n"));
            let done = load(place, &["--unchecked", check, "--bad-rows", "skip", "--again"]);
            assert_eq!((done.code, done.rows()), (4, Some(Rows::rejecting(500, 1))), "{check}: {done}");
            assert_eq!(place.sql("SELECT COUNT(*) FROM people"), "500", "{check}: {done}");
            place.sql("DELETE FROM inrush_job");
        }
    });
}
