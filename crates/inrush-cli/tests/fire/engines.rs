//! The engines of `scripts/engines` under fire: loads that are killed and go on from another node, runs that take over from another node,
//! and nodes of clusters that are killed while they are loaded.
//!
//! Compiled by the feature `fire` only: `scripts/fire engine NAME` names an engine that is up in `INRUSH_TEST_ENGINE`.

use crate::job::{Job, Kind, Shape};
use crate::kills::{finish, kill_until_done};
use crate::node::Nodes;
use crate::run::Run;
use crate::session::await_true;
use crate::table::Line;
use inrush_testkit::dice::{Dice, times};
use inrush_testkit::servers::{Server, engine};
use std::thread::sleep;
use std::time::Duration;

#[test]
fn engine_of_the_environment() {
    let nodes = engine();
    match &*nodes[0].name {
        "group-replication" => {
            loads_are_killed(&nodes[..1]);
            a_primary_is_killed(Nodes::of(nodes));
        }
        "group-replication-many" | "galera" => {
            what_commits_by_itself_is_refused(&nodes[0]);
            loads_are_killed(&nodes);
            a_run_on_another_node_takes_over(&nodes);
            a_run_sleeps_while_another_node_goes_on(&nodes);
            a_node_is_killed(Nodes::of(nodes));
        }
        "seekdb" | "tidb" => loads_are_killed(&nodes[..1]),
        other => panic!("{other} has no test under fire"),
    }
}

/// Those that need nothing which commits by itself: clusters refuse that.
const KINDS: [Kind; 8] =
    [Kind::Csv, Kind::BadRows, Kind::Several, Kind::JsonLines, Kind::Stdin, Kind::Parquet, Kind::Gz, Kind::Upsert];

/// The next shape. A table of a group needs a key.
fn draw(turn: u64, records: u64, node: &Server, dice: &mut Dice) -> Shape {
    let drawn = Shape::draw_of(&KINDS, turn, records, node, dice);
    Shape { has_key: true, is_partitioned: dice.percent(33), ..drawn }
}

/// Each run is on any of these nodes.
fn loads_are_killed(nodes: &[Server]) {
    let mut dice = Dice::of("engine kills");
    // Their LOAD DATA is refused.
    let node = Server { local_infile: !["seekdb", "tidb"].contains(&&*nodes[0].name), ..nodes[0].clone() };
    let mut line = Line::new("kill -9", &nodes[0].name);
    let n_kills = times(20, 100);
    let mut turn = dice.below(KINDS.len() as u64);
    while line.faults < n_kills {
        let mut job = Job::new(&node, draw(turn, 8_000, &node, &mut dice), &mut dice);
        job.nodes = if nodes.len() > 1 { nodes.to_vec() } else { Vec::new() };
        kill_until_done(&mut job, 5, &mut line, &mut dice);
        turn += 1;
    }
    line.conclude();
}

/// Row locks do not reach the other node: of two transactions the certification of the cluster refuses the later one.
fn a_run_on_another_node_takes_over(nodes: &[Server]) {
    let mut dice = Dice::of("taken over from another node");
    let mut line = Line::new("a run on another node takes over", &nodes[0].name);
    let n_faults = times(6, 60);
    let mut turn = 0;
    while line.faults < n_faults {
        let mut job = Job::new(&nodes[0], draw(turn, 20_000, &nodes[0], &mut dice), &mut dice);
        turn += 1;
        if job.shape.kind == Kind::Stdin {
            continue;
        }
        nodes.iter().for_each(|node| job.await_table(node));
        let mut at = Vec::new();
        let (done, number) = job.take_over(&mut dice, &mut line, |dice, number| {
            at.push(at.last().map_or(0, |at| (at + 1 + dice.below(nodes.len() as u64 - 1) as usize) % nodes.len()));
            Run::start_as(&format!("-{number}"), &job.place, job.command_on(&nodes[at[number as usize]]), None)
        });
        job.move_to(&nodes[at[number]]);
        job.check(&done, &mut line);
    }
    line.conclude();
}

/// It stops anywhere in the life of a chunk, also with a transaction that is open, and wakes up when the job is further or done.
fn a_run_sleeps_while_another_node_goes_on(nodes: &[Server]) {
    let mut dice = Dice::of("sleeps");
    let mut line = Line::new("a run sleeps, another node goes on", &nodes[0].name);
    let points = ["line.answered", "chunk.begin", "commit.sent", "line.sent"];
    for turn in 0..times(4, 40) {
        let point = points[turn as usize % points.len()];
        let kind = [Kind::Csv, Kind::BadRows][dice.below(2) as usize];
        let drawn = draw(turn, 3_000, &nodes[0], &mut dice);
        let shape = Shape { kind, has_bad: kind == Kind::BadRows, batch: 100, is_sorted: false, ..drawn };
        let mut job = Job::new(&nodes[0], shape, &mut dice);
        nodes.iter().for_each(|node| job.await_table(node));
        let visit = dice.between(1, 8) as usize;
        let older = Run::start_and_stop("-0", &job.place, job.command_on(&nodes[0]), point, visit);
        let mut newer = match dice.percent(50) {
            true => Run::start_as("-1", &job.place, job.command_on(&nodes[1]), None),
            // It sleeps too, so that both are at work at once.
            false => Run::start_and_stop("-1", &job.place, job.command_on(&nodes[1]), "chunk.begin", 2),
        };
        line.runs += 2;
        line.faults += 1;
        assert!(newer.await_visits("job.taken", 1), "{}", newer.said());
        sleep(Duration::from_millis(dice.below(100)));
        older.go_on();
        let older = older.end();
        newer.go_on();
        let newer = newer.end();
        assert!(job.is_finished_by(&newer), "{:?}: {newer}", job.shape);
        assert_eq!(older.code, 3, "{:?}, {point}:{visit}: {older}", job.shape);
        older.says("another run has taken this job over");
        job.move_to(&nodes[1]);
        job.check(&newer, &mut line);
    }
    line.conclude();
}

/// Another node than the loaded one, then the loaded one: the same command goes on on a node that is left.
fn a_node_is_killed(mut nodes: Nodes) {
    let mut dice = Dice::of("nodes");
    let mut line = Line::new("another node is killed", nodes.name());
    let mut loaded = Line::new("the loaded node is killed", nodes.name());
    for turn in 0..times(1, 8) {
        let job = Job::new(nodes.get(0), in_chunks(&mut dice), &mut dice);
        let mut run = job.start(job.command());
        line.runs += 1;
        assert!(run.await_visits("tallied", 20));
        sleep(Duration::from_micros(dice.below(60_000)));
        nodes.kill(2);
        line.faults += 1;
        let done = run.end();
        assert!(job.is_finished_by(&done), "{done}");
        job.check(&done, &mut line);
        nodes.revive(2);

        let at = turn as usize % 2;
        let mut job = Job::new(nodes.get(at), in_chunks(&mut dice), &mut dice);
        job.await_table(nodes.get(1 - at));
        job.arguments += " --retry-for 2s";
        let mut run = job.start(job.command());
        loaded.runs += 1;
        assert!(run.await_visits("tallied", 20));
        sleep(Duration::from_micros(dice.below(60_000)));
        nodes.kill(at);
        loaded.faults += 1;
        let done = run.end();
        assert_eq!(done.code, 3, "{done}");
        await_true("a cluster of the others", || nodes.takes_writes(1 - at));
        job.move_to(nodes.get(1 - at));
        finish(&job, &mut loaded);
        nodes.revive(at);
    }
    line.conclude();
    loaded.conclude();
}

/// The primary of a group is killed, and the same command continues on the member that takes its place.
fn a_primary_is_killed(mut nodes: Nodes) {
    let mut dice = Dice::of("primary");
    let mut line = Line::new("the primary is killed", nodes.name());
    for _ in 0..times(1, 10) {
        let at = nodes.primary().expect("the group has a primary");
        let mut job = Job::new(nodes.get(at), in_chunks(&mut dice), &mut dice);
        job.arguments += " --retry-for 2s";
        let mut run = job.start(job.command());
        line.runs += 1;
        assert!(run.await_visits("tallied", 20));
        sleep(Duration::from_micros(dice.below(60_000)));
        nodes.kill(at);
        line.faults += 1;
        let done = run.end();
        assert_eq!(done.code, 3, "{done}");
        await_true("another primary", || nodes.primary().is_some());
        let next = nodes.primary().unwrap();
        job.move_to(nodes.get(next));
        finish(&job, &mut line);
        nodes.revive(at);
    }
    line.conclude();
}

/// Enough chunks to be killed within.
fn in_chunks(dice: &mut Dice) -> Shape {
    Shape {
        kind: Kind::Csv,
        method: ["load-data", "multi-row"][dice.below(2) as usize],
        lanes: dice.between(1, 4),
        batch: 100,
        records: 20_000,
        has_key: true,
        has_bad: false,
        is_sorted: false,
        is_partitioned: false,
    }
}

/// Such a statement of a run that sleeps could come after another node's run has begun.
fn what_commits_by_itself_is_refused(node: &Server) {
    let mut dice = Dice::of("refused");
    for kind in [Kind::Truncate, Kind::Atomic, Kind::Replaced, Kind::Deferred] {
        let job = Job::new(node, Shape { kind, ..in_chunks(&mut dice) }, &mut dice);
        let done = job.start(job.command()).end();
        assert_eq!(done.code, 5, "{kind:?}: {done}");
        done.says("statements that commit by themselves");
        assert_eq!(job.place.sql("SELECT COUNT(*) FROM fire WHERE id > 0"), "0", "{done}");
    }
}
