//! What `--status` says of the last run of a job: at work, ended, or gone; and what a later run of a finished job says of its rejects.

use crate::numbers::{TABLE, numbers};
use crate::place::{Done, Place, everywhere};
use crate::stopped::{Running, await_true};
use serde_json::Value;

const SLOW: &str = "numbers.csv --into numbers --rate 500";

fn fill(place: &Place) {
    place.sql(TABLE);
    place.write("numbers.csv", numbers(100_000, |id| format!("{id},{id}")));
}

fn status(place: &Place) -> Done {
    place.done(&place.command("--status").output().unwrap())
}

/// What is known of the run of the only job.
fn run(place: &Place) -> Value {
    place.go_on("--status").json["jobs"][0]["run"].clone()
}

fn begin(place: &Place) -> Running<'_> {
    let load = Running::spawn(place, place.command(SLOW));
    await_true("a run at work", || run(place)["state"] == "active");
    load
}

#[test]
fn a_run_is_at_work_then_interrupted_then_killed() {
    everywhere("runs", |place| {
        fill(place);
        let load = begin(place);
        let said = status(place);
        let client = format!(" of {}@localhost", place.server.user);
        assert!(said.stdout.contains("  running  shop.numbers: "), "{said}");
        assert!(said.stdout.contains("\n    a run is at work since 20"), "{said}");
        assert!(said.stdout.trim_end().ends_with(&client), "{said}");
        await_true("rows in the table", || place.sql("SELECT COUNT(*) > 0 FROM numbers") == "1");
        load.signal("INT");
        assert_eq!(load.end().code, 130);
        assert_eq!((&run(place)["state"], &run(place)["why"]), (&"ended".into(), &"interrupted".into()));
        assert!(status(place).stdout.contains("  stopped  "), "{}", status(place));

        let load = begin(place);
        load.signal("KILL");
        load.end();
        // The server notices a moment later.
        await_true("a run that is gone", || run(place)["state"] == "gone");
        let said = status(place);
        assert!(said.stdout.contains("  broken off  shop.numbers: "), "{said}");
        assert!(
            said.stdout.trim_end().ends_with(" UTC, was killed, or has lost the server: it is not connected"),
            "{said}"
        );
    });
}

#[test]
fn a_run_that_lost_its_connection_is_at_work_again() {
    everywhere("runs_again", |place| {
        fill(place);
        let load = begin(place);
        let connection = run(place)["connection_id"].as_u64().unwrap();
        place.sql(&format!("KILL {connection}"));
        await_true("another connection", || run(place)["connection_id"].as_u64().is_some_and(|now| now != connection));
        load.signal("INT");
        assert_eq!(load.end().code, 130);
    });
}

#[test]
fn a_run_that_fails_before_its_first_row_has_ended() {
    everywhere("runs_failed", |place| {
        place.sql(TABLE);
        place.write("numbers.csv", "id,value\n1,1\n");
        let done = place.load("numbers.csv --into numbers --before NONSENSE");
        assert_eq!(done.code, 3, "{done}");
        let run = run(place);
        assert_eq!(run["state"], "ended", "{run}");
        assert!(run["why"].as_str().unwrap().contains("NONSENSE"), "{run}");
    });
}

#[test]
fn several_jobs_are_forgotten_at_once() {
    everywhere("forget_several", |place| {
        place.sql(TABLE);
        let ids = ["a.csv", "b.csv"].map(|file| {
            let first = if file == "a.csv" { 1 } else { 3 };
            place.write(file, format!("id,value\n{first},{first}\n"));
            let done = place.go_on(&format!("{file} --into numbers"));
            done.json["jobs"][0]["job"].as_str().unwrap().to_owned()
        });
        let done = place.done(&place.command(&format!("--forget {} x --forget {}", ids[0], ids[1])).output().unwrap());
        assert_eq!((done.code, done.stdout.lines().count()), (1, 2), "{done}");
        assert_eq!(done.stderr, "error: database `shop` has no job `x`\nhint: `inrush load --status` lists them\n");
        assert_eq!(place.sql("SELECT COUNT(*) FROM inrush_job"), "0");
        let done = place.go_on(&format!("--forget {} {}", ids[0], ids[1]));
        assert_eq!((done.code, done.json["results"][1]["job"].as_str()), (1, Some(&ids[1][..])), "{done}");
        assert!(done.json["results"][0]["error"]["message"].as_str().unwrap().contains("has no job"), "{done}");
    });
}

#[test]
fn a_load_that_was_finished_with_rejects_says_so() {
    everywhere("finished_with_rejects", |place| {
        place.sql(TABLE);
        place.write(
            "numbers.csv",
            numbers(300, |id| if id % 100 == 7 { format!("{id},x") } else { format!("{id},{id}") }),
        );
        let args = "numbers.csv --into numbers --bad-rows divert:bad.csv";
        assert_eq!(place.load(args).code, 4);
        let again = |args: &str| place.done(&place.command(args).output().unwrap());
        let done = again(args);
        assert_eq!((done.code, done.stderr.as_str()), (4, ""), "{done}");
        assert!(done.stdout.contains(" UTC; 3 rows were rejected then; `--again` loads it once more\n"), "{done}");
        assert!(done.stdout.ends_with("\nrejected  see `bad.csv`, and `bad.csv.log` for the reasons\n"), "{done}");
        let done = again("numbers.csv --into numbers");
        assert_eq!(done.code, 4, "{done}");
        assert!(
            done.stdout.contains("\nrejected  the output of the run that finished the load names them; "),
            "{done}"
        );
    });
}
