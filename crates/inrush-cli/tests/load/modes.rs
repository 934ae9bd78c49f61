//! Modes: on every server and by every method the same rows, the same counts.

use crate::place::{Place, Rows, everywhere, methods};

const PEOPLE: &str = "DROP TABLE IF EXISTS people; \
     CREATE TABLE people (id INT PRIMARY KEY, name VARCHAR(20) NOT NULL, age INT, hits INT NOT NULL DEFAULT 7); \
     INSERT INTO people VALUES (1,'Ann',40,1),(2,'Bob',17,2),(3,'Cy',NULL,3)";

/// One row as it is there, one with other values, one that is new.
const FILE: &str = "id,name,age\n1,Ann,40\n2,Rob,18\n9,New,\n";

const ALL: &str = "SELECT * FROM people ORDER BY id";

/// Loads `file` into [`PEOPLE`] by every method.
#[track_caller]
fn check(place: &Place, args: &str, file: &str, want: (i32, Rows, Option<u64>), holds: &str) {
    for method in methods(place) {
        place.sql(PEOPLE);
        place.write("people.csv", file);
        let done = place.load(&format!("people.csv --into people --method {method} {args}"));
        let (code, rows, changed) = want;
        assert_eq!((done.code, done.rows()), (code, Some(rows)), "{method} {args}\n{done}");
        assert_eq!(done.json["rows"]["changed"].as_u64(), changed, "{method} {args}\n{done}");
        assert_eq!(place.sql(ALL), holds, "{method} {args}\n{done}");
    }
}

/// MariaDB counts what the trigger changes among the rows of a bulk command, so `auto` does not take that one.
#[test]
fn rows_whose_trigger_changes_another_table() {
    everywhere("modes_trigger", |place| {
        place.sql(
            "CREATE TABLE counters (n INT); INSERT INTO counters VALUES (0);
             CREATE TABLE ev (id INT AUTO_INCREMENT PRIMARY KEY, who VARCHAR(20), KEY (who));
             CREATE TRIGGER counted AFTER INSERT ON ev FOR EACH ROW UPDATE counters SET n = n + 1",
        );
        for (round, arguments) in ["", "--lanes 2", "--mode upsert --key id"].into_iter().enumerate() {
            let fields = if arguments.contains("key") { "id,who\n7,Ann\n8,Bob\n9,Cy\n" } else { "who\nAnn\nBob\nCy\n" };
            place.write("ev.csv", fields);
            let done = place.load(&format!("ev.csv --into ev {arguments}"));
            assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(3))), "{arguments}\n{done}");
            assert_eq!(
                place.sql("SELECT COUNT(*), (SELECT n FROM counters) FROM ev"),
                format!("{0},{0}", 3 * (round + 1))
            );
        }
    });
}

#[test]
fn every_mode_by_every_method() {
    everywhere("modes", |place| {
        let as_it_was = "1,Ann,40,1|2,Bob,17,2|3,Cy,NULL,3";
        check(place, "", FILE, (2, Rows::stopping(0, 3), Some(0)), as_it_was);
        let ignored = format!("{as_it_was}|9,New,NULL,7");
        check(place, "--mode ignore", FILE, (0, Rows::skipping(1, 2), Some(0)), &ignored);
        let upserted = "1,Ann,40,1|2,Rob,18,2|3,Cy,NULL,3|9,New,NULL,7";
        check(place, "--mode upsert", FILE, (0, Rows::stored(3), Some(1)), upserted);
        let updated = "1,Ann,40,1|2,Rob,18,2|3,Cy,NULL,3";
        check(place, "--mode update", FILE, (0, Rows::skipping(2, 1), Some(1)), updated);
        check(place, "--mode delete", FILE, (0, Rows::skipping(2, 1), Some(0)), "3,Cy,NULL,3");
    });
}

#[test]
fn replace_makes_rows_anew() {
    everywhere("replace", |place| {
        // The column that is not in the file has its default again.
        let replaced = "1,Ann,40,7|2,Rob,18,7|3,Cy,NULL,3|9,New,NULL,7";
        check(place, "--mode replace", FILE, (0, Rows::stored(3), Some(2)), replaced);
    });
}

#[test]
fn of_a_key_that_comes_twice_the_last_wins() {
    everywhere("twice", |place| {
        let file = "id,name,age\n2,Rob,18\n9,New,1\n2,Bert,19\n9,Newer,2\n";
        let both = "1,Ann,40,1|2,Bert,19,2|3,Cy,NULL,3|9,Newer,2,7";
        check(place, "--mode upsert", file, (0, Rows::stored(4), Some(3)), both);
        let both = "1,Ann,40,1|2,Bert,19,7|3,Cy,NULL,3|9,Newer,2,7";
        check(place, "--mode replace", file, (0, Rows::stored(4), Some(3)), both);
        let there = "1,Ann,40,1|2,Bert,19,2|3,Cy,NULL,3";
        check(place, "--mode update", file, (0, Rows::skipping(2, 2), Some(2)), there);
        // But of rows to be ignored the first.
        let first = "1,Ann,40,1|2,Bob,17,2|3,Cy,NULL,3|9,New,1,7";
        check(place, "--mode ignore", file, (0, Rows::skipping(1, 3), Some(0)), first);
        // What is gone is not there a second time.
        check(place, "--mode delete", file, (0, Rows::skipping(1, 3), Some(0)), "1,Ann,40,1|3,Cy,NULL,3");
    });
}

#[test]
fn only_a_duplicate_is_ignored() {
    everywhere("ignored", |place| {
        // A value that would be bent, and a name that is missing: bad rows like any other.
        let file = "id,name,age\n1,Ann,40\n8,Eve,99999999999\n9,New,5\n";
        let holds = "1,Ann,40,1|2,Bob,17,2|3,Cy,NULL,3|9,New,5,7";
        let want = Rows { read: 3, stored: 1, skipped: 1, rejected: 1, ..Rows::default() };
        check(place, "--mode ignore --bad-rows skip", file, (4, want, Some(0)), holds);
        check(place, "--mode ignore", file, (2, Rows::stopping(0, 3), Some(0)), "1,Ann,40,1|2,Bob,17,2|3,Cy,NULL,3");
        for method in methods(place) {
            place.sql(
                "DROP TABLE IF EXISTS pets; DROP TABLE IF EXISTS owners; CREATE TABLE owners (id INT PRIMARY KEY); \
                 CREATE TABLE pets (id INT PRIMARY KEY, owner INT NOT NULL, legs INT CHECK (legs < 9), \
                 FOREIGN KEY (owner) REFERENCES owners (id)); \
                 INSERT INTO owners VALUES (1); INSERT INTO pets VALUES (1,1,4)",
            );
            place.write("pets.csv", "id,owner,legs\n1,1,3\n2,77,4\n3,1,10\n4,1,2\n");
            let done = place.load(&format!("pets.csv --into pets --mode ignore --bad-rows skip --method {method}"));
            let want = Rows { read: 4, stored: 1, skipped: 1, rejected: 2, ..Rows::default() };
            assert_eq!((done.code, done.rows()), (4, Some(want)), "{method} {done}");
            assert_eq!(place.sql("SELECT * FROM pets ORDER BY id"), "1,1,4|4,1,2", "{method}");
        }
    });
}

#[test]
fn a_row_to_be_left_alone_is_left_alone_by_triggers_too() {
    everywhere("ignored_triggers", |place| {
        for method in methods(place) {
            place.sql(PEOPLE);
            place.sql("CREATE TRIGGER touched BEFORE UPDATE ON people FOR EACH ROW SET NEW.hits = OLD.hits + 100");
            place.write("people.csv", FILE);
            let done = place.load(&format!("people.csv --into people --mode ignore --method {method}"));
            assert_eq!((done.code, done.rows()), (0, Some(Rows::skipping(1, 2))), "{method} {done}");
            assert_eq!(place.sql(ALL), "1,Ann,40,1|2,Bob,17,2|3,Cy,NULL,3|9,New,NULL,7", "{method}");
        }
    });
}

#[test]
fn a_bad_row_of_an_update_stands_alone() {
    everywhere("bad_update", |place| {
        for method in methods(place) {
            place.sql(PEOPLE);
            place.sql("ALTER TABLE people ADD UNIQUE KEY (name)");
            // The second takes a name that is taken: another key than the one that finds the row.
            place.write("people.csv", "id,name,age\n1,Anna,41\n2,Cy,18\n3,Cyrus,5\n77,Nobody,1\n");
            let done = place.load(&format!("people.csv --into people --mode update --bad-rows skip --method {method}"));
            let want = Rows { read: 4, stored: 2, skipped: 1, rejected: 1, ..Rows::default() };
            assert_eq!((done.code, done.rows()), (4, Some(want)), "{method} {done}");
            assert_eq!(done.json["first_rejects"][0]["line"], 3, "{done}");
            assert_eq!(done.json["first_rejects"][0]["code"], 1062, "{done}");
            assert_eq!(place.sql(ALL), "1,Anna,41,1|2,Bob,17,2|3,Cyrus,5,3", "{method}");
        }
    });
}

#[test]
fn another_key() {
    everywhere("keys", |place| {
        for method in methods(place) {
            place.sql(PEOPLE);
            place.sql("ALTER TABLE people ADD UNIQUE KEY (name)");
            place.write("people.csv", "name,age\nBob,71\nZoe,5\n");
            let load = |args: &str| place.load(&format!("people.csv --into people --method {method} {args}"));
            let done = load("--mode update --key name");
            assert_eq!((done.code, done.rows()), (0, Some(Rows::skipping(1, 1))), "{method} {done}");
            let done = load("--mode update");
            assert_eq!(done.code, 1, "{done}");
            done.says("needs the columns of the primary key");
            let done = load("--mode delete --key age");
            assert_eq!(done.code, 1, "{done}");
            done.says("`--key age` is not a unique key of table `people`");
            done.says("it has (`id`), (`name`)");
            let done = load("--mode delete --key name");
            assert_eq!((done.code, done.rows()), (0, Some(Rows::skipping(1, 1))), "{method} {done}");
            assert_eq!(place.sql(ALL), "1,Ann,40,1|3,Cy,NULL,3", "{method}");
        }
        place.sql("CREATE TABLE bare (name VARCHAR(20), age INT)");
        let done = place.load("people.csv --into bare --mode upsert");
        assert_eq!(done.code, 1, "{done}");
        done.says("table `bare` has no unique key");
        let done = place.load("people.csv --into people --mode upsret");
        assert_eq!(done.code, 1, "{done}");
        done.says("`--mode upsret` is not understood");
    });
}

#[test]
fn many_chunks_over_many_lanes() {
    everywhere("many_modes", |place| {
        let n_rows = 4_000;
        let table = "CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(30), b INT)";
        let line = |id: u32| format!("{id},new {id},{}\n", id * 2);
        let file: String = (1..=n_rows).map(line).collect();
        place.write("t.csv", format!("id,a,b\n{file}"));
        for method in methods(place) {
            // Every odd id is there, and 1 of 4 has the values of the file already.
            let fill = format!(
                "DROP TABLE IF EXISTS t; {table}; SET SESSION max_recursive_iterations = 100000; \
                 INSERT INTO t WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 2 FROM n WHERE i < {}) \
                 SELECT i, IF(i % 4 = 1, CONCAT('new ', i), 'old'), i * 2 FROM n",
                n_rows - 1
            );
            let fill = if place.is_mysql() {
                fill.replace("max_recursive_iterations", "cte_max_recursion_depth")
            } else {
                fill
            };
            let half = u64::from(n_rows / 2);
            for (mode, want, changed, sum) in [
                ("ignore", Rows::skipping(half, half), 0, "4000,3000"),
                ("upsert", Rows::stored(2 * half), half / 2, "4000,4000"),
                ("replace", Rows::stored(2 * half), half, "4000,4000"),
                ("update", Rows::skipping(half, half), half / 2, "2000,2000"),
                ("delete", Rows::skipping(half, half), 0, "0,NULL"),
            ] {
                place.sql(&fill);
                let args = format!("t.csv --into t --mode {mode} --method {method} --batch 300 --lanes 3");
                let done = place.load(&args);
                assert_eq!((done.code, done.rows()), (0, Some(want)), "{args} {done}");
                // MySQL does not delete a row to insert the same.
                let told = done.json["rows"]["changed"].as_u64().unwrap();
                assert!(told == changed || mode == "replace" && told == half / 2, "{args}: {told} {done}");
                assert_eq!(place.sql("SELECT COUNT(*), SUM(a LIKE 'new%') FROM t"), sum, "{args} {done}");
            }
        }
    });
}
