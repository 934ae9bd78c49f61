//! A run that sleeps (a suspended machine, a client that is starved) while a newer run of the same job goes on, and wakes up when that one
//! is further or done.

use crate::job::{Job, Kind, Shape};
use crate::network::servers;
use crate::place::{Done, Place, on};
use crate::run::Run;
use crate::session::Session;
use crate::table::Line;
use inrush_testkit::dice::Dice;

/// The newer one has stored the same rows meanwhile, its keys and rejects are in the way. Not the rows are at fault, whatever the server
/// says of them.
#[test]
fn asleep_before_a_chunk() {
    on(servers(), "woken", |place| {
        let server = &place.server;
        let mut dice = Dice::of(&format!("woken {}", server.instance));
        let mut line = Line::new("a run that slept", &server.instance);
        // A key stops the older one, or sends it to rows that are rejected; without a key rejects alone are in its way.
        for (has_key, has_bad) in [(true, false), (true, true), (false, true)] {
            let kind = if has_bad { Kind::BadRows } else { Kind::Csv };
            let drawn = Shape::draw(0, 1_000, server, &mut dice);
            let job = Job::new(
                server,
                Shape { kind, has_key, has_bad, lanes: 1, batch: 100, is_sorted: false, ..drawn },
                &mut dice,
            );
            let older = Run::start_and_stop("-0", &job.place, job.command(), "chunk.begin", 3);
            // It stores chunks 3 to 8 first.
            let newer = Run::start_and_stop("-1", &job.place, job.command(), "chunk.begin", 7);
            is_taken_over(older);
            newer.go_on();
            line.runs += 2;
            line.faults += 1;
            job.check(&newer.end(), &mut line);
        }
        line.conclude();
    });
}

/// A transaction holds the job's line: the read that finds out whose the job is does not wait for it, so that the row is not blamed.
#[test]
fn asleep_while_the_jobs_line_is_locked() {
    on(servers(), "sleepy_line", |place| {
        prepare(place, "PRIMARY KEY (id)");
        let args = "a.csv --into numbers --lanes 1 --batch 10";
        let older = Run::start_and_stop("-0", place, place.command(args), "chunk.begin", 3);
        is_done(&place.go_on(args));
        let holder = Session::open(place, "BEGIN; UPDATE inrush_job SET state = 'held'");
        is_taken_over(older);
        drop(holder);
        assert_eq!(held(place), "103");
    });
}

/// What it was about to do cannot be undone: the newer run's rows must survive its TRUNCATE.
#[test]
fn asleep_before_a_truncate() {
    on(servers(), "sleepy_truncate", |place| {
        prepare(place, "PRIMARY KEY (id)");
        let args = "a.csv --into numbers --truncate";
        let older = Run::start_and_stop("-0", place, place.command(args), "alone.before", 1);
        is_done(&place.go_on(args));
        is_done(&place.go_on("b.csv --into numbers"));
        is_taken_over(older);
        assert_eq!(held(place), "200");
    });
}

/// A RENAME that comes late would put the half of another load in the table's place.
#[test]
fn asleep_before_the_copy_takes_the_tables_place() {
    on(servers(), "sleepy_rename", |place| {
        prepare(place, "PRIMARY KEY (id)");
        let args = |file: &str| format!("{file} --into numbers --atomic --lanes 1 --batch 10");
        let older = Run::start_and_stop("-0", place, place.command(&args("a.csv")), "alone.before", 2);
        is_done(&place.go_on(&args("a.csv")));
        let other = Run::start_and_stop("-1", place, place.command(&args("b.csv")), "chunk.begin", 5);
        is_taken_over(older);
        assert_eq!(held(place), "103");
        other.go_on();
        is_done(&other.end());
        assert_eq!((held(place).as_str(), place.sql("SHOW TABLES LIKE 'numbers%'").as_str()), ("203", "numbers"));
    });
}

/// What it would write comes out of the ledger, which has no rejects any more: the newer run's file must stay.
#[test]
fn asleep_before_the_file_of_rejects() {
    on(servers(), "sleepy_rejects", |place| {
        prepare(place, "PRIMARY KEY (id)");
        place.write("a.csv", "id,value\n1,1\n2,x\n3,3\n");
        let args = "a.csv --into numbers --bad-rows divert:bad.csv";
        let older = Run::start_and_stop("-0", place, place.command(args), "file.before", 1);
        let newer = place.go_on(args);
        assert_eq!(newer.code, 4, "{newer}");
        is_taken_over(older);
        assert_eq!((held(place).as_str(), place.read("bad.csv").as_str()), ("5", "id,value\n2,x\n"));
        assert_eq!(place.read("bad.csv.log").lines().count(), 1);
    });
}

/// In the middle of such a step nobody takes it over: the newer run says who is at work, and gives up if that takes too long. Else a DROP
/// INDEX would come late, and nobody would rebuild it any more.
#[test]
fn asleep_where_nobody_may_come_between() {
    on(servers(), "sleepy_inside", |place| {
        prepare(place, "PRIMARY KEY (id), KEY by_value (value)");
        let args = "a.csv --into numbers --defer-indexes";
        let older = Run::start_and_stop("-0", place, place.command(args), "step.before", 1);
        // It looks again every five seconds: also on a machine that stalls it says so before it gives up.
        let newer = place.done(&place.command(&format!("{args} --retry-for 12s")).output().unwrap());
        assert_eq!(newer.code, 3, "{newer}");
        newer.says("another run of this load is not done with what it has begun: waiting for it for ");
        newer.says("another run of this load still prepares or ends table `");
        let owner = newer.stderr.split_once("connection ").map(|(_, rest)| rest.split([' ', '\n']).next().unwrap());
        let is_there = format!(
            "SELECT COUNT(*) FROM /*!80022 performance_schema*//*M!100000 information_schema*/.processlist WHERE ID = {}",
            owner.unwrap()
        );
        assert_eq!(place.sql(&is_there), "1", "{newer}");
        older.go_on();
        is_done(&older.end());
        assert_eq!(held(place), "103");
        assert_eq!(place.sql("SHOW INDEX FROM numbers WHERE Key_name = 'by_value'").lines().count(), 1);
    });
}

/// Three rows, and two files of a hundred.
fn prepare(place: &Place, keys: &str) {
    place.sql(&format!(
        "CREATE TABLE numbers (id INT NOT NULL, value INT NOT NULL, {keys}); INSERT INTO numbers VALUES (-1, 1), (-2, 2), (-3, 3)"
    ));
    for (name, first) in [("a.csv", 1), ("b.csv", 101)] {
        let rows: String = (first..first + 100).map(|id| format!("{id},{id}\n")).collect();
        place.write(name, format!("id,value\n{rows}"));
    }
}

fn held(place: &Place) -> String {
    place.sql("SELECT COUNT(*) FROM numbers")
}

#[track_caller]
fn is_done(done: &Done) {
    assert_eq!(done.code, 0, "{done}");
}

#[track_caller]
fn is_taken_over(older: Run<'_>) {
    older.go_on();
    let older = older.end();
    assert_eq!(older.code, 3, "{older}");
    older.says("error: another run has taken this job over");
}
