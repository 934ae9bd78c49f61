//! A second session on the same server that does harm: it kills connections, provokes deadlocks, holds a row for too long.

use crate::job::{Job, Kind, Shape};
use crate::network::servers;
use crate::place::{Done, Place, on};
use crate::run::Run;
use crate::session::{Session, await_true};
use crate::table::Line;
use inrush_testkit::dice::{Dice, times};
use inrush_testkit::patience::Wait;
use inrush_testkit::servers::Server;
#[cfg(feature = "fire")]
use std::{thread::sleep, time::Duration};

#[test]
fn connections_are_killed() {
    on(servers(), "killed", |place| {
        let server = &place.server;
        let mut dice = Dice::of(&format!("killed {}", server.instance));
        let mut line = Line::new("KILL of connections", &server.instance);
        // A run may be faster than all that is done to it: then there is another one.
        let wait = Wait::begin();
        for turn in 0.. {
            if turn >= times(2, 24) && line.faults > 0 {
                break;
            }
            wait.check("a connection that is killed");
            let job = Job::new(server, Shape::draw(turn, 60_000, server, &mut dice), &mut dice);
            let mut run = job.start(job.command());
            line.runs += 1;
            if run.await_visits("chunk.begin", 1) {
                for _ in 0..dice.between(3, 10) {
                    if run.is_over() {
                        break;
                    }
                    if let Some(victim) = a_connection_of(&job.place, server, 0, &mut dice) {
                        // It may end by itself meanwhile.
                        line.faults += u64::from(server.try_sql(&format!("KILL {victim}")).is_ok());
                    }
                }
            }
            let done = finish(&job, run, &mut line);
            job.check(&done, &mut line);
        }
        line.conclude();
    });
}

/// The same command again while it runs: the newer run takes the job over, the older one is told so and stops.
#[test]
fn a_newer_run_takes_the_job_over() {
    on(servers(), "taken over", |place| {
        let server = &place.server;
        let mut dice = Dice::of(&format!("taken over {}", server.instance));
        let mut line = Line::new("two runs at once", &server.instance);
        let wait = Wait::begin();
        for turn in 0.. {
            if turn >= times(2, 24) && line.faults > 0 {
                break;
            }
            wait.check("a run that takes over");
            let job = Job::new(server, Shape::draw_of(&Kind::ALL, turn, 20_000, server, &mut dice), &mut dice);
            let (done, _) = job.take_over(&mut dice, &mut line, |_, number| job.start_beside(number));
            job.check(&done, &mut line);
        }
        line.conclude();
    });
}

/// The victim is the load, because the other session has changed more.
#[test]
fn a_deadlock_with_another_session() {
    on(servers(), "deadlock", |place| {
        let server = &place.server;
        let mut dice = Dice::of(&format!("deadlock {}", server.instance));
        let mut line = Line::new("deadlock", &server.instance);
        for turn in 0..times(1, 12) {
            let drawn = Shape::draw(turn, 2_000, server, &mut dice);
            let shape = Shape { kind: Kind::Csv, has_key: true, lanes: 1, batch: 100, is_sorted: false, ..drawn };
            let job = Job::new(server, shape, &mut dice);
            let chunk = dice.below(15) * 100;
            let mut other = Session::open(
                &job.place,
                &format!(
                    "CREATE TABLE heavy (n INT) AS WITH RECURSIVE s (n) AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM s WHERE n < 900) \
                     SELECT a.n FROM s a, (SELECT 1 UNION SELECT 2 UNION SELECT 3) b; \
                     BEGIN; UPDATE heavy SET n = n + 1; INSERT INTO fire VALUES ({}, 0, 'held')",
                    chunk + 90
                ),
            );
            let run = job.start(job.command());
            await_true("a load that waits for the row", || {
                job.place.server.is_a_row_waited_for(job.place.schema.name())
            });
            // It holds this row, and we hold the one that it wants.
            other.say(&format!("INSERT INTO fire VALUES ({}, 0, 'wanted'); ROLLBACK", chunk + 2));
            let done = finish(&job, run, &mut line);
            line.runs += 1;
            line.faults += retried(&done, 1213);
            job.check(&done, &mut line);
        }
        assert!(line.faults > 0, "no deadlock");
        line.conclude();
    });
}

/// A load waits for 50 s, then begins the chunk anew.
#[cfg(feature = "fire")]
#[test]
fn a_lock_wait_that_takes_too_long() {
    on(servers(), "lock wait", |place| {
        let server = &place.server;
        let mut dice = Dice::of(&format!("lock wait {}", server.instance));
        let mut line = Line::new("lock wait time-out", &server.instance);
        let shape =
            Shape { kind: Kind::Csv, has_key: true, is_sorted: false, ..Shape::draw(0, 2_000, server, &mut dice) };
        let job = Job::new(server, shape, &mut dice);
        let other = Session::open(&job.place, "BEGIN; INSERT INTO fire VALUES (777, 0, 'held')");
        let mut run = job.start(job.command());
        line.runs += 1;
        // After 50 s.
        let began = std::time::Instant::now();
        while !run.is_over() && !run.said().contains("Lock wait timeout") {
            assert!(began.elapsed() < 3 * inrush_testkit::patience::patience(), "no time-out: {}", run.said());
            sleep(Duration::from_millis(20));
        }
        drop(other);
        let done = finish(&job, run, &mut line);
        line.faults += retried(&done, 1205);
        job.check(&done, &mut line);
        assert!(line.faults > 0, "no time-out: {done}");
        line.conclude();
    });
}

/// Waits for the run; one that gave up is followed by the same command.
pub(crate) fn finish(job: &Job, run: Run<'_>, line: &mut Line) -> Done {
    let done = run.end();
    if job.is_finished_by(&done) {
        return done;
    }
    assert_eq!(done.code, 3, "{:?}: {done}", job.shape);
    line.runs += 1;
    let done = job.start(job.command()).end();
    assert!(job.is_finished_by(&done), "{:?}: {done}", job.shape);
    done
}

/// How often the report says that a chunk was run again for this error.
pub(crate) fn retried(done: &Done, code: u64) -> u64 {
    let retries = done.json["retries"].as_array().unwrap_or_else(|| panic!("no retries in the report: {done}"));
    retries.iter().filter(|retry| retry["code"] == code).filter_map(|retry| retry["times"].as_u64()).sum()
}

/// One of the load's connections, if there is one: connections that came after the one with this number. `server` has the rights to see them.
pub(crate) fn a_connection_of(place: &Place, server: &Server, after: u64, dice: &mut Dice) -> Option<String> {
    let query = format!(
        "SELECT ID FROM /*!80022 performance_schema*//*M!100000 information_schema*/.processlist WHERE DB = '{}' AND ID <> CONNECTION_ID() AND ID > {after}",
        place.schema.name()
    );
    let mut ids = server.sql(&query);
    (!ids.is_empty()).then(|| ids.swap_remove(dice.below(ids.len() as u64) as usize).remove(0))
}
