//! What others do to a table while an atomic load fills its copy: noticed and kept, never undone.

use crate::place::{Done, Place, everywhere};
use crate::stopped::{Running, await_true};
use std::os::unix::process::ExitStatusExt as _;

const PEOPLE: &str = "DROP TABLE IF EXISTS people, people__inrush_new, people__inrush_old; \
     CREATE TABLE people (id INT PRIMARY KEY AUTO_INCREMENT, name VARCHAR(20), f FLOAT, at TIMESTAMP NULL, \
     twice INT AS (LENGTH(name) * 2), KEY by_name (name)); \
     INSERT INTO people (id, name, f, at) VALUES (101, 'Gus', 1.5, '2020-01-01 00:00:00'), (102, 'Hal', 2.5, NULL)";

const ARGS: &str = "people.csv --into people --atomic --batch 1 --lanes 1";

const ROWS: &str = "SELECT id, name, f, at FROM people ORDER BY id";

/// A load that stopped at a bad row, which is mended by now.
fn paused(place: &Place, args: &str) -> Done {
    place.sql(PEOPLE);
    place.write("people.csv", "id,name\n1,Ann\nx,Bob\n");
    let stopped = place.load(args);
    assert_eq!(stopped.code, 2, "{stopped}");
    place.write("people.csv", "id,name\n1,Ann\n2,Bob\n");
    stopped
}

#[test]
fn what_others_did_in_a_pause_is_kept() {
    everywhere("atomic_pause", |place| {
        for (change, why) in [
            ("INSERT INTO people (id, name) VALUES (7, 'new')", "other rows"),
            ("DELETE FROM people WHERE id = 101", "other rows"),
            ("UPDATE people SET name = 'Iva' WHERE id = 101", "other rows"),
            ("UPDATE people SET f = 1.5000001 WHERE id = 101", "other rows"),
            ("UPDATE people SET f = IF(id = 101, 2.5, 1.5)", "other rows"),
            ("UPDATE people SET at = '2020-01-01 00:00:00' WHERE id = 102", "other rows"),
            ("ALTER TABLE people ADD COLUMN more INT", "another definition"),
            ("ALTER TABLE people COMMENT 'mine'", "another definition"),
            ("CREATE TRIGGER t BEFORE INSERT ON people FOR EACH ROW SET NEW.name = 'x'", "triggers"),
        ] {
            paused(place, ARGS);
            place.sql(change);
            let (rows, create) = (place.sql("SELECT * FROM people ORDER BY id"), place.sql("SHOW CREATE TABLE people"));
            let refused = place.go_on(ARGS);
            assert_eq!(refused.code, 5, "{change}: {refused}");
            refused.says(why);
            assert_eq!(place.sql("SELECT * FROM people ORDER BY id"), rows, "{change}");
            assert_eq!(place.sql("SHOW CREATE TABLE people"), create, "{change}");
            // A trigger is found before a row is sent.
            let copied = if why == "triggers" { "3" } else { "4" };
            assert_eq!(place.sql("SELECT COUNT(*) FROM people__inrush_new"), copied, "{change}");
            // The refusal lasts, and does not turn into another end.
            assert_eq!(place.go_on(ARGS).code, 5, "{change}");
        }
        // What does not change the table does no harm.
        paused(place, ARGS);
        place.sql(
            "UPDATE people SET name = 'x'; UPDATE people SET name = IF(id = 101, 'Gus', 'Hal'); ANALYZE TABLE people",
        );
        let done = place.go_on(ARGS);
        assert_eq!(done.code, 0, "{done}");
        assert_eq!(place.sql("SELECT id, name FROM people ORDER BY id"), "1,Ann|2,Bob|101,Gus|102,Hal");
    });
}

/// Within one run too; `--truncate` replaces the rows that are there, whenever they came, but no definition that others changed.
#[test]
fn what_others_did_while_it_runs_is_kept() {
    everywhere("atomic_run", |place| {
        for (args, change, code) in [
            (ARGS.to_owned(), "INSERT INTO people (id, name) VALUES (7, 'new')", 5),
            (format!("{ARGS} --truncate"), "ALTER TABLE people ADD COLUMN more INT", 5),
            (format!("{ARGS} --truncate"), "INSERT INTO people (id, name) VALUES (7, 'new')", 0),
            (format!("{ARGS} --guarantee at-least-once"), "DELETE FROM people WHERE id = 101", 5),
        ] {
            place.sql(PEOPLE);
            place.write("people.csv", "id,name\n1,Ann\n2,Bob\n");
            let run = stopped_at(place, &args, "swap.before:1:stop");
            place.sql(change);
            let rows = place.sql(ROWS);
            run.signal("CONT");
            let done = run.end();
            assert_eq!(done.code, code, "{args}, {change}: {done}");
            let want = if code == 0 { "1,Ann,NULL,NULL|2,Bob,NULL,NULL".to_owned() } else { rows };
            assert_eq!(place.sql(ROWS), want, "{args}, {change}");
        }
    });
}

/// From the comparison to the RENAME nobody else gets in: who comes meanwhile finds the new table.
#[test]
fn nobody_writes_between_the_comparison_and_the_rename() {
    everywhere("atomic_lock", |place| {
        place.sql(PEOPLE);
        place.write("people.csv", "id,name\n1,Ann\n2,Bob\n");
        let run = stopped_at(place, ARGS, "swap.locked:1:stop");
        std::thread::scope(|scope| {
            let writer = scope.spawn(|| place.sql("INSERT INTO people (id, name) VALUES (7, 'new')"));
            let waits = "SELECT COUNT(*) FROM /*!80022 performance_schema*//*M!100000 information_schema*/.processlist WHERE STATE LIKE 'Waiting for table%' AND DB = DATABASE()";
            await_true("the writer to wait", || place.sql(waits) == "1");
            assert!(!writer.is_finished());
            run.signal("CONT");
            let done = run.end();
            assert_eq!(done.code, 0, "{done}");
            writer.join().unwrap();
        });
        assert_eq!(place.sql("SELECT id FROM people ORDER BY id"), "1|2|7|101|102");
        assert_eq!(place.sql("SHOW TABLES LIKE 'people%'"), "people");
    });
}

/// A run that is killed at any moment of it leaves either table, whole.
#[test]
fn a_run_killed_at_the_rename_is_finished_by_the_next() {
    everywhere("atomic_killed", |place| {
        for fault in ["swap.before:1", "swap.locked:1", "step.after:3"] {
            place.sql(PEOPLE);
            place.write("people.csv", "id,name\n1,Ann\n2,Bob\n");
            place.forget();
            let killed = place.command(ARGS).env("INRUSH_FAULT", fault).output().unwrap();
            assert_eq!(killed.status.signal(), Some(9), "{fault}: {killed:?}");
            let done = place.go_on(ARGS);
            assert_eq!(done.code, 0, "{fault}: {done}");
            assert_eq!(place.sql("SELECT id FROM people ORDER BY id"), "1|2|101|102", "{fault}");
            assert_eq!(place.sql("SHOW TABLES LIKE 'people%'"), "people", "{fault}");
        }
    });
}

#[test]
fn ids_are_not_handed_out_twice() {
    everywhere("atomic_ids", |place| {
        for (args, ids) in [("", "51|52|101"), (" --truncate", "1|2")] {
            place.sql(&format!("{PEOPLE}; DELETE FROM people; ALTER TABLE people AUTO_INCREMENT = 1"));
            place.sql("INSERT INTO people (id) VALUES (50); DELETE FROM people");
            if args.is_empty() {
                place.sql("INSERT INTO people (id) VALUES (101); INSERT INTO people (id) VALUES (199); DELETE FROM people WHERE id = 199");
            }
            place.write("people.csv", "name\nAnn\nBob\n");
            let next = if args.is_empty() { 200 } else { 51 };
            let ids = if args.is_empty() { "101|200|201" } else { ids };
            let done = place.load(&format!("{ARGS}{args}"));
            assert_eq!(done.code, 0, "{done}");
            assert_eq!(place.sql("SELECT id FROM people ORDER BY id"), ids);
            place.sql("INSERT INTO people (name) VALUES ('new')");
            let new: u64 = place.sql("SELECT id FROM people WHERE name = 'new'").parse().unwrap();
            assert!(new >= next, "{args}: {new}");
        }
        // Ids that are handed out while it runs, of rows that are gone again.
        place.sql(&format!("{PEOPLE}; DELETE FROM people"));
        place.write("people.csv", "name\nAnn\nBob\n");
        let run = stopped_at(place, ARGS, "swap.before:1:stop");
        place.sql("INSERT INTO people (id, name) VALUES (5000, 'x'); DELETE FROM people");
        run.signal("CONT");
        let done = run.end();
        assert_eq!(done.code, 0, "{done}");
        place.sql("INSERT INTO people (name) VALUES ('new')");
        assert_eq!(place.sql("SELECT id FROM people WHERE name = 'new'"), "5001");
    });
}

/// A table of somebody else under one of the names that a load uses is neither dropped nor proposed to be, and no copy that is gone
/// counts as swapped.
#[test]
fn tables_of_others_are_left_alone() {
    everywhere("atomic_foreign", |place| {
        place.sql(PEOPLE);
        place.sql("CREATE TABLE people__inrush_new (mine INT); INSERT INTO people__inrush_new VALUES (1)");
        place.write("people.csv", "id,name\n1,Ann\n2,Bob\n");
        let refused = place.load(ARGS);
        assert_eq!(refused.code, 5, "{refused}");
        refused.says("or somebody made it for something else");
        assert!(!refused.stderr.contains("DROP"), "{refused}");
        assert_eq!(place.sql("SELECT mine FROM people__inrush_new"), "1");

        paused(place, ARGS);
        place.sql("CREATE TABLE people__inrush_old (mine INT); INSERT INTO people__inrush_old VALUES (1)");
        let refused = place.go_on(ARGS);
        assert_eq!(refused.code, 5, "{refused}");
        refused.says("table `people__inrush_old` is there");
        assert_eq!(place.sql("SELECT mine FROM people__inrush_old"), "1");
        assert_eq!(place.sql("SELECT id FROM people"), "101|102");
        // The copy is taken away: that is no swap, and the other table is still not ours.
        place.sql("DROP TABLE people__inrush_new");
        let refused = place.go_on(ARGS);
        assert_eq!(refused.code, 5, "{refused}");
        refused.says("is gone, and `shop.people` was not replaced");
        assert_eq!(place.sql("SELECT mine FROM people__inrush_old"), "1");
    });
}

/// A load that stands still at a point.
fn stopped_at<'a>(place: &'a Place, args: &str, fault: &str) -> Running<'a> {
    place.forget();
    let mut command = place.command(args);
    command.env("INRUSH_FAULT", fault);
    let run = Running::spawn(place, command);
    await_true("it to stand still", || run.is_stopped());
    run
}
