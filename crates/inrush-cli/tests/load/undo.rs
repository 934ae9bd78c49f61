//! A refresh that keeps the table which it has replaced (`--keep-old`), and `inrush undo`, which puts it back.

use crate::place::{Done, Place, everywhere};
use crate::session::{Session, await_true};
use std::process::{Command, Stdio};

/// `inrush undo ARGUMENTS`.
fn undo_command(place: &Place, arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_inrush"));
    command.arg("undo").args(arguments.split_whitespace()).args(["--json", "-q", "-D", place.schema.name()]);
    command.arg("-S").arg(&place.server.socket).args(["-u", &place.server.user]);
    command.env("INRUSH_PASSWORD", &place.server.password).env("HOME", place.folder.path()).env_remove("INRUSH_URL");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn undo(place: &Place, arguments: &str) -> Done {
    place.done(&undo_command(place, arguments).output().unwrap())
}

fn fresh(place: &Place) {
    let left = place.schema.sql("SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME LIKE 'people%'");
    left.concat().iter().for_each(|table| drop(place.sql(&format!("DROP TABLE {table}"))));
    place.sql(
        "CREATE TABLE people (id INT AUTO_INCREMENT PRIMARY KEY, name VARCHAR(20) CHECK (name <> 'x')); INSERT INTO people VALUES (1, 'Ann'), (2, 'Bob')",
    );
    place.forget();
}

/// A refresh that keeps the old table; returns its job.
#[track_caller]
fn refresh(place: &Place, arguments: &str) -> String {
    let done = place.go_on(&format!("people.csv --into people --keep-old 24h {arguments}"));
    assert_eq!(done.code, 0, "{done}");
    job(place)
}

fn job(place: &Place) -> String {
    place.sql("SELECT LOWER(HEX(id)) FROM inrush_job WHERE source LIKE '%people.csv' AND target NOT LIKE '%inrush%'")
}

fn people(place: &Place) -> String {
    place.sql("SELECT id, name FROM people ORDER BY id")
}

fn tables(place: &Place, like: &str) -> usize {
    place.schema.sql(&format!("SHOW TABLES LIKE '{like}'")).len()
}

const NEW: &str = "id,name\n5,Eve\n";

#[test]
fn the_old_table_comes_back() {
    everywhere("undo", |place| {
        place.write("people.csv", NEW);
        place.write("before.csv", "id,name\n3,Cleo\n");
        let cases = [
            ("--replace-table", "5,Eve"),
            ("--atomic --truncate", "5,Eve"),
            ("--atomic", "1,Ann|2,Bob|3,Cleo|5,Eve"),
            ("--replace-table --create-table --key id", "5,Eve"),
            ("--replace-table --sort server", "5,Eve"),
            ("--replace-table --defer-indexes", "5,Eve"),
        ];
        for (how, new) in cases {
            fresh(place);
            match how {
                // The ids of an AUTO_INCREMENT need their key for each row.
                "--replace-table --sort server" => place.sql("ALTER TABLE people MODIFY id INT NOT NULL"),
                _ => place.sql("ALTER TABLE people ADD KEY by_name (name)"),
            };
            assert_eq!(place.go_on("before.csv --into people").code, 0);
            let old = people(place);
            let job = refresh(place, how);
            assert_eq!(people(place), new, "{how}");
            assert_eq!(tables(place, "people\\_\\_inrush\\_kept%"), 1, "{how}");
            let dry = undo(place, &format!("{job} --dry-run"));
            assert_eq!((dry.code, &dry.json["already"]), (0, &false.into()), "{how}: {dry}");
            assert_eq!(people(place), new, "{how}");
            // By the beginning of its id, and then once more.
            for already in [false, true] {
                let done = undo(place, &job[..12]);
                assert_eq!((done.code, &done.json["already"]), (0, &already.into()), "{how}: {done}");
                assert_eq!(people(place), old, "{how}");
                let aside = done.json["aside"].as_str().unwrap();
                assert_eq!(place.sql(&format!("SELECT id, name FROM {aside} ORDER BY id")), new, "{how}");
            }
            // What was loaded before is known again, and the same refresh can be loaded again.
            let again = place.go_on("before.csv --into people");
            assert!(again.code == 0 && again.stdout.contains("\"already-loaded\""), "{how}: {again}");
            assert_eq!(people(place), old, "{how}");
            let job = refresh(place, how);
            assert_eq!(people(place), new, "{how}");
            assert_eq!(undo(place, &job).code, 0, "{how}");
            assert_eq!(people(place), old, "{how}");
        }
    });
}

#[test]
fn what_was_undone_is_not_loaded_beside_rows_that_may_be_its_own() {
    everywhere("undo_beside", |place| {
        fresh(place);
        place.write("people.csv", NEW);
        let job = refresh(place, "--replace-table");
        assert_eq!(undo(place, &job).code, 0);
        let done = place.go_on("people.csv --into people");
        assert_eq!(done.code, 5, "{done}");
        done.says("as that was undone: an earlier load of it may have stored some of them");
        let done = place.go_on("people.csv --into people --again");
        assert_eq!((done.code, people(place).as_str()), (0, "1,Ann|2,Bob|5,Eve"), "{done}");
    });
}

#[test]
fn what_others_did_is_not_undone() {
    everywhere("undo_others", |place| {
        place.write("people.csv", NEW);
        place.write("more.csv", "id,name\n6,Finn\n");
        let cases = [
            ("ALTER TABLE people ADD city INT", "has another definition than the load gave it"),
            ("DROP TABLE people", "table `people` is gone"),
            ("CREATE TRIGGER stamp BEFORE INSERT ON people FOR EACH ROW SET @x = 1", "which has triggers"),
            ("CREATE TABLE peoples (id INT, FOREIGN KEY (id) REFERENCES people (id))", "which has foreign keys"),
        ];
        for (change, says) in cases {
            fresh(place);
            let job = refresh(place, "--replace-table");
            place.sql(change);
            let done = undo(place, &job);
            assert_eq!(done.code, 5, "{change}: {done}");
            done.says(says);
            assert_eq!(tables(place, "people\\_\\_inrush\\_kept%"), 1, "{change}");
            place.sql("DROP TRIGGER IF EXISTS stamp; DROP TABLE IF EXISTS peoples");
        }
        fresh(place);
        let first = refresh(place, "--replace-table");
        assert_eq!(place.go_on("more.csv --into people").code, 0);
        let done = undo(place, &first);
        assert_eq!((done.code, people(place).as_str()), (5, "5,Eve|6,Finn"), "{done}");
        done.says("has rows of other loads since (job ");
        // Another user's job; no job; a refresh that keeps nothing.
        place.sql(&format!("UPDATE inrush_job SET owner = 'somebody@%' WHERE id = x'{first}'"));
        let done = undo(place, &first);
        assert_eq!(done.code, 5, "{done}");
        done.says("is one of user `somebody@%`");
        assert_eq!(undo(place, "0000").code, 1);
        fresh(place);
        assert_eq!(place.go_on("people.csv --into people --replace-table").code, 0);
        let done = undo(place, &job(place));
        assert_eq!(done.code, 5, "{done}");
        done.says("has kept no table that could be put back");
    });
}

#[test]
fn it_is_kept_as_long_as_it_was_said_and_then_dropped_by_the_next_load() {
    everywhere("undo_kept", |place| {
        fresh(place);
        place.write("people.csv", NEW);
        place.write("other.csv", "id\n1\n");
        place.sql("DROP TABLE IF EXISTS other; CREATE TABLE other (id INT PRIMARY KEY)");
        // A file of the same name each night: each old table is kept for its own time.
        refresh(place, "--replace-table");
        place.write("people.csv", "id,name\n7,Gus\n");
        let job = refresh(place, "--replace-table");
        assert_eq!(tables(place, "people\\_\\_inrush\\_kept%"), 2);
        let status = place.done(&place.command("--status --json").output().unwrap());
        let jobs = status.json["jobs"].as_array().unwrap();
        let kept = |is_line: bool| jobs.iter().filter(|job| job["kept"]["is_line_of_it"] == is_line).count();
        assert_eq!((kept(true), kept(false)), (2, 1), "{status}\n{}", status.stdout);
        let text = place.done(&place.command("--status").output().unwrap()).stdout;
        assert!(
            text.contains("the old table is kept as `people__inrush_kept_") && text.contains("  kept  shop.people"),
            "{text}"
        );
        assert_eq!(undo(place, "--sweep").json["dropped"], serde_json::json!([]));
        place.sql("UPDATE inrush_job SET finished = UTC_TIMESTAMP(6) - INTERVAL 1 SECOND WHERE mapping LIKE 'kept: %'");
        // A table that is in use stays for a later load.
        let names = place.schema.sql("SHOW TABLES LIKE 'people\\_\\_inrush\\_kept%'").concat();
        let in_use: Vec<String> = names.iter().map(|name| format!("DO (SELECT COUNT(*) FROM {name})")).collect();
        let reader = Session::open(place, &format!("START TRANSACTION; {}", in_use.join("; ")));
        assert_eq!(place.go_on("other.csv --into other").code, 0);
        assert_eq!(tables(place, "people\\_\\_inrush\\_kept%"), 2);
        drop(reader);
        // The server may take a while to end its session.
        let mut is_said = false;
        await_true("a load to drop what was kept", || {
            let load = "other.csv --into other --mode ignore --again --json";
            let done = place.done(&place.command(load).output().unwrap());
            assert_eq!(done.code, 0, "{done}");
            is_said |= done.stderr.contains("which an earlier load kept: its time is over");
            tables(place, "people%") == 1
        });
        assert!(is_said);
        assert_eq!(people(place), "7,Gus");
        let done = undo(place, &job);
        assert_eq!(done.code, 5, "{done}");
        done.says("is not kept any more: its time was over");
        assert_eq!(place.sql("SELECT COUNT(*) FROM inrush_job WHERE mapping LIKE 'kept: %'"), "0");
    });
}

const OVER: &str = "UPDATE inrush_job SET started = UTC_TIMESTAMP(6) - INTERVAL 2 HOUR, finished = UTC_TIMESTAMP(6) - INTERVAL 1 HOUR WHERE mapping LIKE 'kept: %'";

#[test]
fn what_is_at_work_is_not_dropped() {
    everywhere("undo_at_work", |place| {
        fresh(place);
        place.write("people.csv", NEW);
        place.write("before.csv", "id,name\n3,Cleo\n");
        // A refresh that was killed behind its RENAME.
        let mut command = place.command("people.csv --into people --replace-table --keep-old 1h --json -q");
        command.env("INRUSH_FAULT", "swap.after:1");
        assert_eq!(place.done(&command.output().unwrap()).code, -1);
        place.sql(OVER);
        assert_eq!(undo(place, "--sweep").json["dropped"], serde_json::json!([]));
        let job = refresh(place, "--replace-table");
        assert_eq!((people(place).as_str(), tables(place, "people\\_\\_inrush\\_kept%")), ("5,Eve", 1));
        // An undo that was killed behind its own.
        let mut command = undo_command(place, &job);
        command.env("INRUSH_FAULT", "undo.renamed:1");
        assert_eq!(place.done(&command.output().unwrap()).code, -1);
        place.sql(OVER);
        assert_eq!(undo(place, "--sweep").json["dropped"], serde_json::json!([]));
        let done = undo(place, &job);
        assert_eq!((done.code, people(place).as_str()), (0, "1,Ann|2,Bob"), "{done}");
        // What was undone is kept as long as the old table was to be, from now on.
        let left =
            "SELECT finished > UTC_TIMESTAMP() + INTERVAL 50 MINUTE FROM inrush_job WHERE mapping LIKE 'kept: %'";
        assert_eq!((place.sql(left).as_str(), tables(place, "people\\_\\_inrush\\_undone%")), ("1", 1));
    });
}

#[test]
fn two_refreshes_are_undone_one_after_the_other() {
    everywhere("undo_two", |place| {
        fresh(place);
        place.write("people.csv", NEW);
        place.write("second.csv", "id,name\n22,Gus\n");
        let first = refresh(place, "--replace-table");
        assert_eq!(place.go_on("second.csv --into people --replace-table --keep-old 24h").code, 0);
        let second = "SELECT LOWER(HEX(id)) FROM inrush_job WHERE source LIKE '%second.csv'";
        let second = place.sql(second);
        // Its line is put aside, and its id stays for people.
        let status = place.done(&place.command("--status").output().unwrap());
        assert!(status.stdout.contains(&first), "{status}");
        let done = undo(place, &first);
        assert_eq!((done.code, people(place).as_str()), (5, "22,Gus"), "{done}");
        done.says("a later refresh has replaced them");
        done.says(&format!("undo the later refresh first: `inrush undo {second}`"));
        assert_eq!(undo(place, &second).code, 0);
        assert_eq!(people(place), "5,Eve");
        let done = undo(place, &first);
        assert_eq!((done.code, people(place).as_str()), (0, "1,Ann|2,Bob"), "{done}");
        // The ids of both are not handed out again.
        place.sql("INSERT INTO people (name) VALUES ('Hal')");
        assert_eq!(place.sql("SELECT id > 5 FROM people WHERE name = 'Hal'"), "1");
        // The line about a kept table is no job.
        let line = place.sql("SELECT LOWER(HEX(MIN(id))) FROM inrush_job WHERE mapping LIKE 'kept: %'");
        let done = place.go_on(&format!("--forget {line}"));
        assert_eq!(done.code, 5, "{done}");
        done.says("is the line about a kept table");
    });
}

/// The job of a refresh is forgotten, or begun anew, by a load that empties the table.
#[test]
fn a_table_that_was_emptied_since() {
    everywhere("undo_emptied", |place| {
        place.write("people.csv", NEW);
        place.write("other.csv", "id,name\n8,Ida\n");
        for (load, says) in [
            ("other.csv --into people --truncate", "a later load has emptied or replaced the table"),
            ("other.csv --into people --replace-table", "a later load has emptied or replaced the table"),
            ("people.csv --into people --truncate --again", "was loaded again since its refresh"),
        ] {
            fresh(place);
            let job = refresh(place, "--replace-table");
            let done = place.go_on(load);
            assert_eq!(done.code, 0, "{load}: {done}");
            let (there, kept) = (people(place), place.sql("SHOW TABLES LIKE 'people\\_\\_inrush\\_kept%'"));
            for id in [&job[..], &job[..10]] {
                let done = undo(place, id);
                assert_eq!((done.code, people(place)), (5, there.clone()), "{load}: {done}");
                done.says(says);
                done.says(&format!("table `{kept}` is still there for a while"));
            }
        }
    });
}

/// What the statements of `--after` make of the table is the load's own.
#[test]
fn statements_after_the_load_may_alter_the_table() {
    everywhere("undo_after", |place| {
        place.write("people.csv", NEW);
        let load = |after: &str| {
            fresh(place);
            let mut command = place.command("people.csv --into people --keep-old 24h --replace-table --json -q");
            command.args(["--after", after]);
            command
        };
        for (after, killed) in [
            ("ALTER TABLE people ADD city INT", false),
            ("ALTER TABLE people ADD KEY by_name (name)", false),
            ("ALTER TABLE people ADD COLUMN IF NOT EXISTS city INT", true),
        ] {
            // MySQL has no such statement, and no other ALTER can be done twice.
            if killed && place.is_mysql() {
                continue;
            }
            let mut command = load(after);
            if killed {
                // Once the statement was run, and before that is noted.
                command.env("INRUSH_FAULT", "step.after:4");
                assert_eq!(place.done(&command.output().unwrap()).code, -1);
                assert_eq!(place.sql("SELECT COUNT(city) FROM people"), "0");
                command.env_remove("INRUSH_FAULT");
            }
            let done = place.done(&command.output().unwrap());
            assert_eq!(done.code, 0, "{after}: {done}");
            let job = job(place);
            let done = undo(place, &job);
            assert_eq!((done.code, people(place).as_str()), (0, "1,Ann|2,Bob"), "{after}: {done}");
        }
        // Of others it is not.
        let done = place.done(&load("ALTER TABLE people ADD city INT").output().unwrap());
        assert_eq!(done.code, 0, "{done}");
        place.sql("ALTER TABLE people ADD more INT");
        let done = undo(place, &job(place));
        assert_eq!(done.code, 5, "{done}");
        done.says("has another definition than the load gave it");
        // A table that they drop is none to put back.
        let done = place.done(&load("RENAME TABLE people TO peoples").output().unwrap());
        assert_eq!(done.code, 0, "{done}");
        assert_eq!(undo(place, &job(place)).code, 5);
        place.sql("DROP TABLE peoples");
    });
}

/// MySQL makes names of checks of the table's name.
#[test]
fn names_of_every_length() {
    everywhere("undo_names", |place| {
        for n in [30, 35, 36, 44, 45, 47, 58] {
            let name = "n".repeat(n);
            place.sql(&format!("DROP TABLE IF EXISTS {name}; CREATE TABLE {name} (id INT PRIMARY KEY, v INT CHECK (v > 0)); INSERT INTO {name} VALUES (1, 1)"));
            place.forget();
            place.write("names.csv", "id,v\n2,2\n");
            let done = place.go_on(&format!("names.csv --into {name} --replace-table --keep-old 1h"));
            assert_eq!(done.code, 0, "{n}: {done}");
            let job = place.sql(
                "SELECT LOWER(HEX(id)) FROM inrush_job WHERE source LIKE '%names.csv' AND target NOT LIKE '%inrush%'",
            );
            assert_eq!(undo(place, &job).code, 0, "{n}");
            assert_eq!(place.sql(&format!("SELECT id FROM {name}")), "1", "{n}");
            place.sql(&format!("DROP TABLE {name}"));
        }
    });
}

/// A load that is not finished when a refresh replaces its rows, which come back.
#[test]
fn a_load_that_was_not_finished_goes_on_after_it() {
    everywhere("undo_unfinished", |place| {
        fresh(place);
        place.write("people.csv", NEW);
        let rows: String = (10..110).map(|id| format!("{id},n{id}\n")).collect();
        place.write("long.csv", format!("id,name\n{rows}"));
        let long = "long.csv --into people --batch 10 --lanes 1";
        let mut command = place.command(long);
        command.env("INRUSH_FAULT", "commit.answered:3");
        assert_eq!(place.done(&command.output().unwrap()).code, -1);
        let stored = place.sql("SELECT COUNT(*) FROM people");
        assert_eq!(stored, "32");
        let job = refresh(place, "--replace-table");
        assert_eq!(people(place), "5,Eve");
        assert_eq!(undo(place, &job).code, 0);
        assert_eq!(place.sql("SELECT COUNT(*) FROM people"), stored);
        let done = place.go_on(long);
        assert_eq!((done.code, place.sql("SELECT COUNT(*), SUM(id) FROM people").as_str()), (0, "102,5953"), "{done}");
    });
}

#[test]
fn a_ledger_that_names_another_table_drops_none() {
    everywhere("undo_hostile", |place| {
        fresh(place);
        place.write("people.csv", NEW);
        place.write("other.csv", "id\n1\n");
        place.sql("DROP TABLE IF EXISTS other; CREATE TABLE other (id INT PRIMARY KEY)");
        let job = refresh(place, "--replace-table");
        for change in [
            "mapping = REPLACE(mapping, '70656f706c65', '6f74686572')",
            "target = REPLACE(target, 'people__inrush_kept', 'other')",
            "mapping = REPLACE(mapping, 'kept: ', 'kept: `')",
        ] {
            place.sql("DROP TABLE IF EXISTS saved_job; CREATE TABLE saved_job AS SELECT * FROM inrush_job");
            place.sql(&format!(
                "UPDATE inrush_job SET finished = UTC_TIMESTAMP(6) - INTERVAL 1 SECOND, {change} WHERE mapping LIKE 'kept: %'"
            ));
            assert_ne!(undo(place, "--sweep").code, 0, "{change}");
            assert_ne!(undo(place, &job).code, 0, "{change}");
            assert_eq!(place.go_on("other.csv --into other --again").code, 0, "{change}");
            assert_eq!((tables(place, "other"), tables(place, "people%")), (1, 2), "{change}");
            place.sql("DELETE FROM inrush_job; INSERT INTO inrush_job SELECT * FROM saved_job; DELETE FROM other");
        }
        assert_eq!(undo(place, &job).code, 0);
        assert_eq!(people(place), "1,Ann|2,Bob");
    });
}

#[test]
fn it_needs_a_copy_and_a_ledger() {
    everywhere("undo_refused", |place| {
        fresh(place);
        place.write("people.csv", NEW);
        for wrong in [
            "1h",
            "1h --truncate",
            "1h --atomic --guarantee at-least-once",
            "0 --atomic",
            "soon --atomic",
            "99999999h --atomic",
        ] {
            let done = place.go_on(&format!("people.csv --into people --keep-old {wrong}"));
            assert_eq!((done.code, people(place).as_str()), (1, "1,Ann|2,Bob"), "{wrong}: {done}");
            done.says("`--keep-old");
        }
    });
}

/// A refresh and its undoing, killed at each step: the same command goes on, and the table has the old content or the new one.
#[test]
fn killed_at_each_step() {
    everywhere("undo_killed", |place| {
        place.write("people.csv", NEW);
        place.write("before.csv", "id,name\n3,Cleo\n");
        let (old, new) = ("1,Ann|2,Bob|3,Cleo", "5,Eve");
        for how in ["--replace-table", "--atomic --truncate"] {
            for point in ["swap.before", "swap.locked", "swap.after", "step.after", "step.noted", "done.answered"] {
                fresh(place);
                assert_eq!(place.go_on("before.csv --into people").code, 0);
                let visit = if point.starts_with("step") { 3 } else { 1 };
                let mut command = place.command(&format!("people.csv --into people --keep-old 24h {how} --json -q"));
                command.env("INRUSH_FAULT", format!("{point}:{visit}"));
                let killed = place.done(&command.output().unwrap());
                assert_eq!(killed.code, -1, "{point}: {killed}");
                let between = people(place);
                assert!(between == old || between == new, "{point}: {between}");
                let job = refresh(place, how);
                assert_eq!((people(place).as_str(), tables(place, "people%")), (new, 2), "{point}");
                for point in ["undo.before", "undo.renamed", "undo.noted"] {
                    let mut command = undo_command(place, &job);
                    command.env("INRUSH_FAULT", format!("{point}:1"));
                    let killed = place.done(&command.output().unwrap());
                    // Only the first of them is before the RENAME.
                    assert_eq!(killed.code, -1, "{point}: {killed}");
                    assert_eq!(people(place), if point == "undo.before" { new } else { old }, "{point}");
                    // Its rows may be in the table by now, and its job is still put aside.
                    let beside = place.go_on("before.csv --into people");
                    assert_eq!(beside.code, 5, "{point}: {beside}");
                    beside.says("is being undone, and that was not finished");
                }
                let done = undo(place, &job);
                assert_eq!((done.code, people(place).as_str()), (0, old), "{point}: {done}");
                let again = place.go_on("before.csv --into people");
                assert!(again.stdout.contains("\"already-loaded\""), "{point}: {again}");
                assert_eq!(people(place), old, "{point}");
            }
        }
    });
}
