//! `kill -9` of inrush: at random moments, and at every step of a chunk's and a job's life, one by one.

use crate::job::{Job, Kind, Shape};
use crate::place::{Place, everywhere, on};
use crate::run::Killed;
use crate::table::Line;
use crate::trace::visits;
use inrush_testkit::dice::{Dice, is_long, times};
use inrush_testkit::servers::{Server, all, with_local_infile};
use std::thread::sleep;
use std::time::Duration;

#[test]
fn at_random_moments() {
    let campaign = |place: &Place| {
        let server = &place.server;
        let mut dice = Dice::of(&format!("kills {}", server.instance));
        let mut lines: Vec<Line> =
            Kind::ALL.iter().map(|kind| Line::new(&format!("kill -9, {kind:?}"), &server.instance)).collect();
        let n_kills = times(20, 300);
        let mut turn = dice.below(Kind::ALL.len() as u64);
        while lines.iter().map(|line| line.faults).sum::<u64>() < n_kills {
            let shape = Shape::draw_of(&Kind::ALL, turn, if is_long() { 12_000 } else { 8_000 }, server, &mut dice);
            let line = lines.iter_mut().zip(Kind::ALL).find(|(_, kind)| *kind == shape.kind).unwrap().0;
            let most = if is_long() { 10 } else { 4 };
            kill_until_done(&mut Job::new(server, shape, &mut dice), most, line, &mut dice);
            turn += 1;
        }
        let mut all = Line::new("kill -9, all", &server.instance);
        lines.iter().for_each(|line| all.add(line));
        lines.iter().filter(|line| line.jobs > 0).for_each(Line::conclude);
        all.conclude();
        let inside = all.inside_percent().unwrap_or(0);
        // Of few kills most may miss it: how far a run comes is up to the machine.
        assert!(
            if n_kills >= 100 { inside >= 80 } else { inside > 0 },
            "only {inside} % of the kills met a chunk's life or a sort on {}",
            server.instance
        );
    };
    if is_long() { on(all(), "kills", campaign) } else { everywhere("kills", campaign) }
}

/// Rows go to the partitions of a table; where they are sorted, those of a partition come together.
#[test]
fn of_partitioned_tables() {
    let campaign = |place: &Place| {
        let server = &place.server;
        let mut dice = Dice::of(&format!("partitions {}", server.instance));
        let mut line = Line::new("kill -9, partitions", &server.instance);
        let n_kills = times(4, 100);
        let mut turn = dice.below(Kind::ALL.len() as u64);
        while line.faults < n_kills {
            let drawn = Shape::draw_of(&Kind::ALL, turn, 8_000, server, &mut dice);
            let mut job = Job::new(server, Shape { is_partitioned: true, ..drawn }, &mut dice);
            kill_until_done(&mut job, 5, &mut line, &mut dice);
            turn += 1;
        }
        line.conclude();
    };
    if is_long() { on(all(), "partitions", campaign) } else { everywhere("partitions", campaign) }
}

#[test]
fn at_every_point() {
    let servers = if is_long() { all() } else { with_local_infile() };
    on(servers, "points", |place| {
        let server = &place.server;
        let mut dice = Dice::of(&format!("points {}", server.instance));
        let mut line = Line::new("kill -9 at each fault point", &server.instance);
        let methods = match server.local_infile {
            true => vec!["load-data", "multi-row"],
            false if server.name.starts_with("mariadb") => vec!["bulk", "multi-row-prepared"],
            false => vec!["multi-row-prepared"],
        };
        for method in if is_long() { methods } else { methods[..1].to_vec() } {
            let kinds = [
                (Kind::Truncate, false),
                (Kind::Atomic, false),
                (Kind::Several, true),
                (Kind::ServerSorted, false),
                (Kind::Adds, false),
                (Kind::Stdin, false),
                (Kind::Stdin, true),
                (Kind::Deferred, false),
                (Kind::Replaced, false),
                (Kind::Atomic, true),
            ];
            for (kind, is_sorted) in kinds.into_iter().take(if is_long() { 10 } else { 5 }) {
                let (records, batch) = match (kind, is_sorted) {
                    // More than fits into one run.
                    (_, true) => (9_000, 1_000),
                    (Kind::Truncate, _) => (1_500, 100),
                    _ if is_long() => (1_500, 100),
                    // Of an atomic job the steps are what is new.
                    _ => (200, 100),
                };
                let has_key = kind == Kind::ServerSorted;
                let shape = Shape {
                    kind,
                    method,
                    lanes: 2,
                    batch,
                    records,
                    has_key,
                    has_bad: true,
                    is_sorted,
                    is_partitioned: false,
                };
                visit_each_point(server, shape, &mut line, &mut dice);
            }
        }
        line.conclude();
    });
}

/// A clean run tells the points; then one job a point and visit.
fn visit_each_point(server: &Server, shape: Shape, line: &mut Line, dice: &mut Dice) {
    let clean = Job::new(server, shape, dice);
    let run = clean.start(clean.command());
    let done = run.end();
    let points = visits(&clean.place.read("trace"));
    clean.check(&done, line);
    assert!(points.contains_key("line.answered"), "the binary has no fault points: {points:?}");
    for (point, n_visits) in points {
        let mut chosen = vec![dice.between(1, n_visits)];
        if is_long() {
            chosen.extend([1, n_visits]);
            chosen.sort_unstable();
            chosen.dedup();
        }
        for visit in chosen {
            let job = Job::new(server, shape, dice);
            let mut command = job.command();
            command.env("INRUSH_FAULT", format!("{point}:{visit}"));
            line.runs += 1;
            match job.start(command).end_or_fault() {
                Killed::Here(places) => {
                    note_kill(line, &places);
                    finish(&job, line);
                }
                // Another order of the lanes may visit a point less often.
                Killed::Ended(done) => {
                    assert!(job.is_finished_by(&done), "{point}:{visit}: {done}");
                    job.check(&done, line);
                }
            }
        }
    }
}

/// Kills a job's runs, `most` times or until one of them was faster, then lets it come to its end.
pub(crate) fn kill_until_done(job: &mut Job, most: u64, line: &mut Line, dice: &mut Dice) {
    for _ in 0..most {
        job.move_on(dice);
        let mut run = job.start(job.command());
        line.runs += 1;
        if dice.percent(5) {
            // Anywhere: while it starts, opens the job, reads what is stored.
            sleep(Duration::from_millis(dice.below(250)));
        } else if job.shape.is_sorted && dice.percent(25) && run.await_visits("sort.run_written", 1) {
            sleep(Duration::from_micros(dice.below(30_000)));
        } else if run.await_visits("chunk.begin", 1) {
            sleep(Duration::from_micros(dice.below(60_000)));
        }
        match run.kill() {
            Killed::Here(places) => note_kill(line, &places),
            Killed::Ended(done) => {
                assert!(job.is_finished_by(&done), "{:?}: {done}", job.shape);
                return conclude(job, &done, line);
            }
        }
    }
    job.move_on(dice);
    finish(job, line);
}

fn note_kill(line: &mut Line, places: &[&'static str]) {
    line.faults += 1;
    line.inside += u64::from(!places.is_empty());
    line.places.add(places);
}

/// The same command again, unharmed.
pub(crate) fn finish(job: &Job, line: &mut Line) {
    line.runs += 1;
    let done = job.start(job.command()).end();
    assert!(job.is_finished_by(&done), "{:?}, `{}`: {done}", job.shape, job.arguments);
    conclude(job, &done, line);
}

fn conclude(job: &Job, done: &crate::place::Done, line: &mut Line) {
    job.check(done, line);
    job.check_again();
}
