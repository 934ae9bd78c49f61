//! Jobs with a name, in parts: each part is stored once, by whatever command, from whatever file, at whatever time.

use crate::numbers::numbers;
use crate::place::{Done, Place, everywhere};
use crate::stopped::{Running, await_true};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// No key: a row that is stored twice stays twice.
const TABLE: &str = "CREATE TABLE numbers (id INT NOT NULL, value INT NOT NULL)";

const SUMS: &str = "SELECT COUNT(*), COUNT(DISTINCT id), COALESCE(SUM(value), 0) FROM numbers";

/// Numbers of a part: 1,000 for each.
fn part(number: u64) -> String {
    numbers(1000, |id| format!("{0},{0}", number * 1000 + id))
}

/// What the table must hold of the parts up to this one.
fn sums(parts: u64) -> String {
    let n = parts * 1000;
    format!("{n},{n},{}", n * (n + 1) / 2)
}

fn state(done: &Done) -> &str {
    done.json["jobs"][0]["state"].as_str().unwrap_or("none")
}

fn plain(place: &Place, arguments: &str) -> Done {
    place.done(&place.command(arguments).output().unwrap())
}

#[test]
fn a_part_is_known_by_its_name_alone() {
    everywhere("named", |place| {
        place.sql(TABLE);
        place.write("a.csv", part(0));
        let done = place.go_on("a.csv --into numbers --job-name orders --part 1 --parts 2");
        assert_eq!((done.code, state(&done)), (0, "done"), "{done}");
        std::fs::create_dir(place.path("other")).unwrap();
        place.write("other/x.csv", part(0));
        let twice = "other/x.csv --into numbers --job-name orders --part 1 --parts 2";
        let done = place.go_on(twice);
        assert_eq!((done.code, state(&done)), (0, "already-loaded"), "{done}");
        let done = plain(place, twice);
        assert!(done.stdout.contains("\nalready   part 1 of job orders was loaded on 20"), "{done}");
        assert!(!done.stdout.contains("--again"), "{done}");

        place.write("b.csv", part(1));
        for (arguments, says) in [
            ("b.csv --job-name orders --part 1 --parts 2", "part 1 of job orders was loaded on 20"),
            (
                "b.csv --job-name orders --part 2 --parts 3",
                "job `orders` was begun with 2 parts, and this load has 3 parts",
            ),
            (
                "b.csv --job-name orders --part 2",
                "job `orders` was begun with 2 parts, and this load has no number of parts",
            ),
            ("b.csv --job-name orders --part 1 --parts 2 --mode replace --key id", ""),
        ] {
            let done = plain(place, &format!("--into numbers {arguments}"));
            assert!(done.code != 0 && done.stderr.contains(says), "{done}");
            assert!(says.is_empty() || done.code == 5, "{done}");
        }
        let done = place.go_on("b.csv --into numbers --job-name orders --part 2 --parts 2");
        assert_eq!((done.code, state(&done)), (0, "done"), "{done}");
        // Another name is another job.
        assert_eq!(place.sql(SUMS), sums(2));
    });
}

#[test]
fn jobs_and_parts_are_listed_and_forgotten() {
    everywhere("named_status", |place| {
        place.sql(TABLE);
        for n in 0..2 {
            place.write(&format!("{n}.csv"), part(n));
            let done = place.go_on(&format!("{n}.csv --into numbers --job-name orders --part p{n} --parts 3"));
            assert_eq!(done.code, 0, "{done}");
        }
        let said = plain(place, "--status --job-name orders");
        assert!(
            said.stdout.contains("job orders  ") && said.stdout.contains(": 2 of 3 parts loaded, 2,000 rows"),
            "{said}"
        );
        assert!(said.stdout.contains("\n    part p1 of job orders\n"), "{said}");
        let jobs = place.go_on("--status --job-name orders --part p1").json["jobs"].clone();
        assert_eq!((jobs[0]["job_name"].as_str(), jobs[0]["part"].as_str()), (Some("orders"), Some("p1")), "{jobs}");
        let said = plain(place, "--status --job-name other").stdout;
        assert!(said.contains("has no job `other` in its ledger"), "{said}");

        assert_eq!(plain(place, "--forget").code, 1);
        assert_eq!(plain(place, "--forget --job-name other").code, 1);
        assert_eq!(plain(place, "--forget --job-name orders --part p1").code, 0);
        let done = place.go_on("1.csv --into numbers --job-name orders --part p1 --parts 3");
        assert_eq!((done.code, place.sql("SELECT COUNT(*) FROM numbers").as_str()), (0, "3000"), "{done}");
        assert_eq!(plain(place, "--forget --job-name orders").code, 0);
        assert_eq!(place.sql("SELECT COUNT(*) FROM inrush_job"), "0");
    });
}

#[test]
fn what_makes_no_sense_with_parts_is_refused() {
    everywhere("named_refused", |place| {
        place.sql(TABLE);
        place.write("a.csv", part(0));
        place.write("b.csv", part(1));
        for (arguments, says) in [
            ("a.csv --job-name orders", "`orders` is loaded in parts, and none is named"),
            ("a.csv --part 1", "--job-name"),
            ("a.csv --job-name o'clock --part 1", "has a quote"),
            ("a.csv --job-name orders --part 1 --parts 0", "`--parts 0` is no number of parts"),
            ("a.csv --job-name orders --part 1 --truncate", "`--truncate` is for whole tables"),
            ("a.csv --job-name orders --part 1 --replace-table", "`--replace-table` is for whole tables"),
            ("a.csv --job-name orders --part 1 --guarantee at-least-once", "is kept in the ledger"),
            ("a.csv b.csv --job-name orders --part 1", "part 1 of job orders is one file, and `b.csv` is another one"),
        ] {
            let done = plain(place, &format!("--into numbers {arguments}"));
            assert!(done.code != 0 && done.stderr.contains(says), "{arguments}\n{done}");
        }
        assert_eq!(place.sql("SELECT COUNT(*) FROM numbers"), "0");
    });
}

#[test]
fn a_twin_waits_and_then_finds_the_part_loaded() {
    everywhere("named_twins", |place| {
        place.sql(TABLE);
        place.write("a.csv", part(0));
        let arguments = "a.csv --into numbers --job-name orders --part 1 --batch 100";
        let first = Running::spawn(place, place.command(&format!("{arguments} --rate 500")));
        await_true("rows in the table", || place.sql("SELECT COUNT(*) > 0 FROM numbers") == "1");
        let twin = Running::spawn(place, place.command(arguments));
        let (first, twin) = (first.end(), twin.end());
        assert_eq!((first.code, state(&first)), (0, "done"), "{first}");
        assert_eq!((twin.code, state(&twin)), (0, "already-loaded"), "{twin}");
        assert_eq!(place.sql(SUMS), sums(1));
    });
}

#[test]
fn a_part_whose_load_was_killed_is_continued_from_another_copy() {
    everywhere("named_killed", |place| {
        place.sql(TABLE);
        place.write("a.csv", part(0));
        place.write("copy.csv", part(0));
        let named = "--into numbers --job-name orders --part 1 --batch 100";
        // Slow enough that it is at work for as long as the kill takes, on any machine.
        let first = Running::spawn(place, place.command(&format!("a.csv {named} --rate 50")));
        await_true("rows in the table", || place.sql("SELECT COUNT(*) > 0 FROM numbers") == "1");
        let twin = Running::spawn(place, place.command(&format!("copy.csv {named}")));
        first.signal("KILL");
        first.end();
        let twin = twin.end();
        assert_eq!((twin.code, state(&twin)), (0, "done"), "{twin}");
        assert_eq!(place.sql(SUMS), sums(1));
        let done = place.go_on(&format!("a.csv {named}"));
        assert_eq!((done.code, state(&done)), (0, "already-loaded"), "{done}");
    });
}

#[test]
fn many_parts_side_by_side() {
    const PARTS: u64 = 24;
    everywhere("named_many", |place| {
        place.sql(TABLE);
        (0..PARTS).for_each(|n| place.write(&format!("{n}.csv"), part(n)));
        // Each twice, by eight commands at a time.
        let (next, odd) = (AtomicU64::new(0), Mutex::new(Vec::new()));
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    loop {
                        let n = next.fetch_add(1, Relaxed);
                        if n >= 2 * PARTS {
                            return;
                        }
                        let (file, part) = (n / 2, n / 2);
                        let done = place.go_on(&format!(
                            "{file}.csv --into numbers --job-name orders --part {part} --parts {PARTS} --lanes 1"
                        ));
                        let is_calm = done.json["retries"].as_array().is_none_or(Vec::is_empty);
                        if done.code != 0 || !is_calm {
                            odd.lock().unwrap().push(done.to_string());
                        }
                    }
                });
            }
        });
        let odd = odd.into_inner().unwrap();
        assert!(odd.is_empty(), "{}", odd.join("\n\n"));
        assert_eq!(place.sql(SUMS), sums(PARTS));
        assert!(plain(place, "--status --job-name orders").stdout.contains("24 of 24 parts loaded, 24,000 rows"));
    });
}
