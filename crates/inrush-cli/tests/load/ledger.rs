//! What a load remembers: loaded twice is loaded once, what was interrupted goes on, what was mended goes in, what is forgotten
//! begins anew. After each the table holds every row once, and the ledger is one line a file.

use crate::numbers::{TABLE, numbers};
use crate::place::{Done, Place, Rows, everywhere};
use crate::stopped::{Running, await_true};
use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::process::Command;

#[test]
fn the_same_command_twice_loads_once() {
    everywhere("twice", |place| {
        place.sql(TABLE);
        place.write("numbers.csv", numbers(300, |id| format!("{id},{id}")));
        let args = "numbers.csv --into numbers --batch 100";
        first(place, args, Rows::stored(300));
        for args in
            [args, "numbers.csv --into numbers --lanes 1 --method multi-row --null NA", "./numbers.csv --into numbers"]
        {
            let done = place.go_on(args);
            assert_eq!((done.code, done.rows(), done.stderr.as_str()), (0, Some(Rows::stored(300)), ""), "{done}");
            assert_eq!(done.json["resumed"]["rows"], 300, "{done}");
            assert_eq!(done.json["jobs"][0]["state"], "already-loaded", "{done}");
            assert!(done.json["jobs"][0]["loaded_on"].as_str().unwrap().starts_with("20"), "{done}");
        }
        let text = place.done(&place.command(args).arg("-q").output().unwrap());
        let (table, already) = text.stdout.trim_end().split_once('\n').unwrap();
        assert!(table.starts_with("table     shop.numbers on "), "{text}");
        assert!(already.starts_with("already   `numbers.csv` was loaded on 20"), "{text}");
        assert_eq!(held(place), "300,45150");
        // Its rows are there, so it may be asked for again only where that does no harm.
        let again = place.go_on(&format!("{args} --again --truncate"));
        assert_eq!((again.code, again.rows()), (0, Some(Rows::stored(300))), "{again}");
        assert_eq!((held(place).as_str(), lines(place)), ("300,45150", [1, 0, 0]));
    });
}

#[test]
fn an_interrupted_load_goes_on() {
    everywhere("goes_on", |place| {
        place.sql(TABLE);
        place.write("numbers.csv", numbers(60_000, |id| format!("{id},{id}")));
        // Half a minute: it is at work when the signal comes, on any machine.
        let load = Running::start(place, "numbers.csv --into numbers --batch 200 --rate 2000");
        await_true("rows in the table", || place.sql("SELECT COUNT(*) > 1000 FROM numbers") == "1");
        load.signal("INT");
        let stopped = load.end();
        assert_eq!(stopped.code, 130, "{stopped}");
        stopped.says("the same command goes on where this one stopped");
        let stored = stopped.rows().unwrap().stored;
        assert_eq!(stopped.json["jobs"][0]["state"], "unfinished", "{stopped}");
        let status = place.done(&place.command("--status --json").output().unwrap());
        let job = &status.json["jobs"][0];
        assert_eq!(
            (&job["state"], &job["rows"], &job["table"]),
            (&"running".into(), &stored.into(), &"shop.numbers".into())
        );

        let done = place.go_on("numbers.csv --into numbers --batch 7000");
        assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(60_000))), "{done}");
        assert_eq!(done.json["resumed"]["rows"], stored, "{done}");
        assert_eq!((held(place).as_str(), lines(place)), ("60000,1800030000", [1, 0, 0]));
    });
}

#[test]
fn a_killed_load_goes_on_however_often() {
    everywhere("killed_often", |place| {
        place.sql(TABLE);
        place.write("numbers.csv", numbers(20_000, |id| format!("{id},{id}")));
        place.forget();
        for kill_at in [2_000, 7_000, 12_000] {
            let mut load = place.command("numbers.csv --into numbers --batch 100 -q").spawn().unwrap();
            await_true("rows in the table", || {
                place.sql(&format!("SELECT COUNT(*) >= {kill_at} FROM numbers")) == "1"
                    || load.try_wait().unwrap().is_some()
            });
            let _ = load.kill();
            load.wait().unwrap();
        }
        let done = place.go_on("numbers.csv --into numbers");
        assert_eq!(done.code, 0, "{done}");
        assert_eq!((held(place).as_str(), lines(place)), ("20000,200010000", [1, 0, 0]));
    });
}

#[test]
fn the_bad_row_is_mended_and_the_same_command_run() {
    everywhere("mended", |place| {
        place.sql(TABLE);
        place.write("numbers.csv", numbers(1_000, |id| if id == 555 { "555,x".into() } else { format!("{id},{id}") }));
        let args = "numbers.csv --into numbers --batch 100 --lanes 1";
        let stopped = place.load(args);
        assert_eq!((stopped.code, stopped.rows().unwrap().stored), (2, 500), "{stopped}");
        place.write("numbers.csv", numbers(1_000, |id| format!("{id},{id}")));
        let done = place.go_on(args);
        assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(1_000))), "{done}");
        assert_eq!((&done.json["resumed"]["rows"], held(place).as_str()), (&500.into(), "1000,500500"), "{done}");
    });
}

#[test]
fn rejects_of_all_runs_are_in_one_file() {
    everywhere("rejects", |place| {
        place.sql(TABLE);
        // Bad: 40 and 640 for us, 340 for the server; 840 ends the first run.
        let rows = |end: &str| {
            let row = |id: u64| match id {
                40 | 640 => format!("{id},x"),
                340 => "1,340".into(),
                840 => end.to_owned(),
                _ => format!("{id},{id}"),
            };
            numbers(1_000, row)
        };
        place.write("numbers.csv", rows("840,\"never closed"));
        let args = "numbers.csv --into numbers --batch 100 --lanes 1 --bad-rows divert:bad.csv";
        let stopped = place.load(args);
        assert_eq!((stopped.code, stopped.rows().unwrap().rejected), (2, 3), "{stopped}");
        assert!(!place.path("bad.csv").exists(), "not before the load is over");
        // Counted over all runs: the three of the first are too many for the second.
        place.write("numbers.csv", rows("840,x"));
        let too_many = place.go_on(&format!("{args} --max-bad 3"));
        assert_eq!(too_many.code, 2, "{too_many}");
        let done = place.go_on(args);
        assert_eq!((done.code, done.rows()), (4, Some(Rows::rejecting(996, 4))), "{done}");
        assert_eq!(place.read("bad.csv"), "id,value\n40,x\n1,340\n640,x\n840,x\n");
        let log = place.read("bad.csv.log");
        let places: Vec<&str> = log.lines().map(|line| line.split('\t').nth(1).unwrap()).collect();
        assert_eq!(places, ["41", "341", "641", "841"], "{log}");
        let first: Vec<_> = done.json["first_rejects"].as_array().unwrap().iter().map(|r| r["line"].as_u64()).collect();
        assert_eq!(first, [Some(41), Some(341), Some(641), Some(841)]);
        assert_eq!(lines(place), [1, 0, 0]);
        // What is loaded already needs no reject file.
        let again = place.go_on(args);
        assert_eq!((again.code, again.rows()), (4, Some(Rows::rejecting(996, 4))), "{again}");
        let text = place.done(&place.command(args).args(["-q", "--max-bad", "1"]).output().unwrap());
        assert!(text.stdout.contains("\nrows      1,000 read = 996 stored + 4 rejected\n"), "{text}");
        assert_eq!(text.code, 4, "{text}");
    });
}

/// Killed in the middle, and killed when all was done but the report.
#[test]
fn rejects_of_all_runs_are_named_and_counted() {
    everywhere("named", |place| {
        place.sql(TABLE);
        place.write(
            "numbers.csv",
            numbers(1_000, |id| if id % 50 == 7 { format!("{id},x") } else { format!("{id},{id}") }),
        );
        let args = "numbers.csv --into numbers --batch 100 --lanes 1 --bad-rows skip";
        let killed = |fault: &str| {
            let output = place.command(args).env("INRUSH_FAULT", fault).output().unwrap();
            assert_eq!(output.status.signal(), Some(9), "{output:?}");
        };
        let named = |done: &Done| -> Vec<u64> {
            done.json["first_rejects"].as_array().unwrap().iter().map(|r| r["line"].as_u64().unwrap()).collect()
        };
        killed("tallied:4");
        let done = place.go_on(args);
        assert_eq!((done.code, done.rows()), (4, Some(Rows::rejecting(980, 20))), "{done}");
        assert_eq!(named(&done), (0..20).map(|n| n * 50 + 8).collect::<Vec<u64>>(), "{done}");
        assert_eq!(lines(place), [1, 0, 0]);
        place.forget();
        place.sql("TRUNCATE numbers");
        killed("done.answered:1");
        let done = place.go_on(args);
        assert_eq!((done.code, done.rows()), (4, Some(Rows::rejecting(980, 20))), "{done}");
        assert_eq!(done.json["jobs"][0]["state"], "already-loaded", "{done}");
        assert_eq!(lines(place), [1, 0, 0]);
    });
}

#[test]
fn rejects_that_nobody_kept_are_told() {
    everywhere("not_kept", |place| {
        place.sql(TABLE);
        let rows = |end: &str| {
            numbers(300, |id| match id {
                40 => "40,x".into(),
                240 => end.to_owned(),
                _ => format!("{id},{id}"),
            })
        };
        place.write("numbers.csv", rows("240,\"never closed"));
        let args = "numbers.csv --into numbers --batch 100 --lanes 1 --bad-rows";
        assert_eq!(place.load(&format!("{args} skip")).code, 2);
        place.write("numbers.csv", rows("240,y"));
        let done = place.done(&place.command(&format!("{args} divert:bad.csv --json")).output().unwrap());
        assert_eq!((done.code, done.rows()), (4, Some(Rows::rejecting(298, 2))), "{done}");
        assert_eq!(place.read("bad.csv"), "id,value\n240,y\n");
        done.says("the reject file lacks 1 record that an earlier run of this load refused");
    });
}

#[test]
fn a_file_added_later_is_loaded_and_the_others_are_not() {
    everywhere("added", |place| {
        place.sql(TABLE);
        let part = |from: u64| (from..from + 100).map(|id| format!("{id},{id}\n")).collect::<String>();
        for (name, from) in [("a.csv", 1), ("b.csv", 101), ("c.csv", 201)] {
            place.write(name, format!("id,value\n{}", part(from)));
        }
        first(place, "a.csv b.csv --into numbers", Rows::stored(200));
        assert_eq!(lines(place), [2, 0, 0]);
        let done = place.go_on("a.csv b.csv c.csv --into numbers");
        assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(300))), "{done}");
        assert_eq!(done.json["resumed"]["rows"], 200, "{done}");
        let states: Vec<_> = done.json["jobs"].as_array().unwrap().iter().map(|job| job["state"].as_str()).collect();
        assert_eq!(states, [Some("already-loaded"), Some("already-loaded"), Some("done")]);
        assert_eq!((held(place).as_str(), lines(place)), ("300,45150", [3, 0, 0]));
        // A table that is emptied gets all of its files.
        place.write("c.csv", format!("id,value\n{}", part(301)));
        let done = place.go_on("a.csv b.csv c.csv --into numbers --truncate");
        assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(300))), "{done}");
        assert_eq!(held(place), "300,55150");
        let twice = place.go_on("a.csv ./a.csv --into numbers --again");
        assert_eq!(twice.code, 1, "{twice}");
        twice.says("error: `a.csv` is given twice");
    });
}

#[test]
fn a_truncate_happens_once() {
    everywhere("truncate_once", |place| {
        place.sql(&format!("{TABLE}; INSERT INTO numbers VALUES (0, 0)"));
        let rows = |last: &str| numbers(300, |id| if id == 250 { last.into() } else { format!("{id},{id}") });
        place.write("numbers.csv", rows("250,x"));
        let args = "numbers.csv --into numbers --truncate --batch 100 --lanes 1";
        let stopped = place.load(args);
        assert_eq!((stopped.code, held(place).as_str()), (2, "200,20100"), "{stopped}");
        place.write("numbers.csv", rows("250,250"));
        let done = place.go_on(args);
        assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(300))), "{done}");
        assert_eq!(held(place), "300,45150");
        // The rows of every other job are gone with it.
        place.write("others.csv", "id,value\n1,1\n");
        let done = place.go_on("others.csv --into numbers --truncate");
        assert_eq!((done.code, held(place).as_str(), lines(place)), (0, "1,1", [1, 0, 0]), "{done}");
    });
}

#[test]
fn the_newer_of_two_runs_takes_over() {
    everywhere("two_runs", |place| {
        place.sql(TABLE);
        place.write("numbers.csv", numbers(60_000, |id| format!("{id},{id}")));
        // A minute: it is at work when the newer one begins, on any machine.
        let older = Running::start(place, "numbers.csv --into numbers --batch 50 --rate 1000");
        await_true("rows in the table", || place.sql("SELECT COUNT(*) > 500 FROM numbers") == "1");
        let newer = place.go_on("numbers.csv --into numbers");
        assert_eq!((newer.code, newer.rows()), (0, Some(Rows::stored(60_000))), "{newer}");
        let older = older.end();
        assert_eq!(older.code, 3, "{older}");
        older.says("error: another run has taken this job over");
        assert_eq!((held(place).as_str(), lines(place)), ("60000,1800030000", [1, 0, 0]));
    });
}

#[test]
fn standard_input_goes_on_where_it_stopped() {
    everywhere("stdin", |place| {
        place.sql(TABLE);
        // Longer than what tells one stream from another.
        let rows = |bad: &str| numbers(30_000, |id| if id == 20_000 { bad.into() } else { format!("{id},{id}") });
        place.forget();
        let feed = |content: String| {
            place.write("numbers.csv", content);
            let file = fs::File::open(place.path("numbers.csv")).unwrap();
            let args = "- --into numbers --batch 500 --json -q";
            let mut shell = Command::new("cat");
            // A pipe, which nobody can go back in.
            let mut cat = shell.stdin(file).stdout(std::process::Stdio::piped()).spawn().unwrap();
            let done = place.done(&place.command(args).stdin(cat.stdout.take().unwrap()).output().unwrap());
            cat.wait().unwrap();
            done
        };
        // As long as what it is mended to: chunks behind it may be stored already, and must be where they were.
        let stopped = feed(rows("20000,2000x"));
        assert_eq!(stopped.code, 2, "{stopped}");
        let stored = stopped.rows().unwrap().stored;
        assert!(stored > 0, "{stopped}");
        let done = feed(rows("20000,20000"));
        assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(30_000))), "{done}");
        assert_eq!(done.json["resumed"]["rows"], stored, "{done}");
        assert_eq!((held(place).as_str(), lines(place)), ("30000,450015000", [1, 0, 0]));
    });
}

#[test]
fn a_session_without_a_database_keeps_its_ledger_too() {
    everywhere("no_database", |place| {
        place.sql(TABLE);
        place.write("numbers.csv", numbers(300, |id| format!("{id},{id}")));
        let (server, schema) = (&place.server, place.schema.name());
        let run = |args: &str| {
            let mut command = place.bare(&format!("numbers.csv --into {schema}.numbers --json --no-progress {args}"));
            command.arg("-S").arg(&server.socket).args(["-u", &server.user]).env("INRUSH_PASSWORD", &server.password);
            place.done(&command.output().unwrap())
        };
        for args in ["", "--again --truncate"] {
            let done = run(args);
            assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(300))), "{args}: {done}");
            assert_eq!((held(place).as_str(), lines(place)), ("300,45150", [1, 0, 0]), "{args}");
        }
    });
}

#[test]
fn a_job_is_forgotten_by_the_beginning_of_its_id() {
    everywhere("forgotten", |place| {
        place.sql(TABLE);
        place.write("numbers.csv", numbers(300, |id| if id == 150 { "150,x".into() } else { format!("{id},{id}") }));
        let stopped = place.load("numbers.csv --into numbers --batch 100 --lanes 1");
        assert_eq!(stopped.code, 2, "{stopped}");
        let listed = place.done(&place.command("--status").output().unwrap());
        let id = stopped.json["jobs"][0]["job"].as_str().unwrap();
        let head = format!("{id}  stopped  shop.numbers: 100 rows so far (26%), begun 20");
        assert!(listed.stdout.starts_with(&head), "{listed}");
        let mut more = listed.stdout.lines().skip(1);
        assert!(more.next().unwrap().ends_with("/numbers.csv"), "{listed}");
        let last = more.next().unwrap();
        assert!(last.starts_with("    its last run stopped on 20"), "{listed}");
        assert!(last.ends_with(" UTC: `x` is not a whole number (numbers.csv, line 151, column `value`)"), "{listed}");
        let of_table = |table: &str| place.done(&place.command(&format!("--status --into {table}")).output().unwrap());
        assert_eq!(of_table("NUMBERS").stdout, listed.stdout);
        assert_eq!(of_table("others").stdout, "database `shop` has no load into table `others` in its ledger\n");
        for (id, says) in [("x", "has no job `x`"), ("", "the id of the job to forget is empty")] {
            let wrong = place.done(&place.command("").args(["--forget", id]).output().unwrap());
            assert_eq!(wrong.code, 1, "{wrong}");
            wrong.says(says);
        }
        let done = place.done(&place.command(&format!("--forget {} --json", &id[..6])).output().unwrap());
        assert_eq!((done.code, &done.json["removed"]["chunks"]), (0, &1.into()), "{done}");
        assert_eq!(lines(place), [0, 0, 0]);
        let empty = place.done(&place.command("--status").output().unwrap());
        assert_eq!(empty.stdout, "database `shop` has no load in its ledger\n");
        place.sql("DELETE FROM numbers");
        place.write("numbers.csv", numbers(300, |id| format!("{id},{id}")));
        first(place, "numbers.csv --into numbers", Rows::stored(300));
    });
}

/// The first load of a schema.
#[track_caller]
fn first(place: &Place, args: &str, want: Rows) -> Done {
    let done = place.load(args);
    assert_eq!((done.code, done.rows()), (0, Some(want)), "{done}");
    done
}

/// Count and sum.
pub(crate) fn held(place: &Place) -> String {
    place.sql("SELECT COUNT(*), SUM(value) FROM numbers")
}

/// Lines of the ledger's tables: jobs, chunks, rejects.
pub(crate) fn lines(place: &Place) -> [u64; 3] {
    ["inrush_job", "inrush_chunk", "inrush_reject"]
        .map(|table| place.sql(&format!("SELECT COUNT(*) FROM {table}")).parse().unwrap())
}
