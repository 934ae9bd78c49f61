//! The engines of `scripts/engines` under fire: loads that are killed, and nodes of clusters that are killed while they are loaded.
//!
//! Compiled by the feature `fire` only: `scripts/fire engine NAME` names an engine that is up in `INRUSH_TEST_ENGINE`.

use crate::job::{Job, Kind, Shape};
use crate::kills::{finish, kill_until_done};
use crate::rows::{HELD, Held};
use crate::session::await_true;
use crate::table::Line;
use inrush_testkit::dice::{Dice, times};
use inrush_testkit::servers::{Server, engine};
use std::process::Command;
use std::thread::sleep;
use std::time::Duration;

#[test]
fn engine_of_the_environment() {
    let nodes = engine();
    match &*nodes[0].name {
        "group-replication" => {
            loads_are_killed(&nodes);
            a_primary_is_killed(&nodes);
        }
        "galera" => a_node_is_killed(&nodes),
        "seekdb" | "tidb" => loads_are_killed(&nodes),
        other => panic!("{other} has no test under fire"),
    }
}

/// Exactly once, on a single server or on one node of a cluster.
fn loads_are_killed(nodes: &[Server]) {
    let mut dice = Dice::of("engine kills");
    // LOAD DATA of seekdb commits while it runs, and is refused.
    let node = Server { local_infile: nodes[0].name != "seekdb", ..nodes[0].clone() };
    let mut line = Line::new("kill -9", &nodes[0].name);
    let kinds = [Kind::Csv, Kind::BadRows, Kind::Several, Kind::JsonLines, Kind::Stdin, Kind::Parquet];
    let n_kills = times(20, 100);
    let mut turn = dice.below(kinds.len() as u64);
    while line.faults < n_kills {
        // A table of a group needs a key.
        let shape = Shape { has_key: true, ..Shape::draw_of(&kinds, turn, 8_000, &node, &mut dice) };
        kill_until_done(&Job::new(&node, shape, &mut dice), 5, &mut line, &mut dice);
        turn += 1;
    }
    line.conclude();
}

/// The primary of a group is killed, and the same command continues on the member that takes its place.
fn a_primary_is_killed(nodes: &[Server]) {
    let mut dice = Dice::of("primary");
    let mut line = Line::new("the primary is killed", &nodes[0].name);
    let mut job = Job::new(&nodes[0], shape(), &mut dice);
    job.arguments += " --retry-for 2s";
    let mut run = job.start(job.command());
    line.runs += 1;
    assert!(run.await_visits("tallied", 20));
    kill(&nodes[0]);
    line.faults += 1;
    let done = run.end();
    assert_eq!(done.code, 3, "{done}");
    await_true("another primary", || primary(&nodes[1..]).is_some());
    let primary = primary(&nodes[1..]).unwrap();
    job.place.schema.move_to(primary.clone());
    job.place.server = primary;
    finish(&job, &mut line);
    line.conclude();
}

/// Row locks do not reach the other nodes of a Galera cluster, so the fence would not hold: exactly-once is refused with a clear word,
/// at-least-once works.
fn a_node_is_killed(nodes: &[Server]) {
    let mut dice = Dice::of("galera");
    exactly_once_is_refused(&nodes[0], &mut dice);
    let mut line = Line::new("Galera, another node is killed", &nodes[0].name);
    let job = at_least_once(&nodes[0], &mut dice);
    let mut run = job.start(job.command());
    line.runs += 1;
    assert!(run.await_visits("tallied", 20));
    kill(&nodes[2]);
    line.faults += 1;
    let done = run.end();
    assert_eq!((done.code, done.rows().unwrap().stored), (0, job.shape.records), "{done}");
    check(&job, &nodes[..2], &mut line);
    line.conclude();

    let mut line = Line::new("Galera, the loaded node is killed", &nodes[0].name);
    let job = at_least_once(&nodes[0], &mut dice);
    let mut run = job.start(job.command());
    line.runs += 1;
    assert!(run.await_visits("tallied", 20));
    kill(&nodes[0]);
    line.faults += 1;
    let done = run.end();
    // What became of a COMMIT without an answer is unknown here, and said so.
    assert_eq!(done.code, 3, "{done}");
    let rows = done.rows().unwrap();
    // The last node needs to be told that it is alone on purpose.
    await_true("the last node", || nodes[1].try_sql("SET GLOBAL wsrep_provider_options = 'pc.bootstrap=1'").is_ok());
    sleep(Duration::from_secs(1));
    let held = held(&nodes[1], &job);
    assert_eq!(held.rows, held.ids, "doubled: {done}");
    assert!((rows.stored..=rows.stored + rows.unknown).contains(&held.rows), "{held:?}: {done}");
    line.jobs += 1;
    line.conclude();
}

fn shape() -> Shape {
    Shape {
        kind: Kind::Csv,
        method: "load-data",
        lanes: 2,
        batch: 100,
        records: 20_000,
        // A table of a group needs a key.
        has_key: true,
        has_bad: false,
        is_sorted: false,
    }
}

fn exactly_once_is_refused(node: &Server, dice: &mut Dice) {
    let job = Job::new(node, shape(), dice);
    let done = job.start(job.command()).end();
    assert_eq!(done.code, 5, "{done}");
    done.says("Galera");
    done.says("--guarantee at-least-once");
    assert_eq!(job.place.sql("SELECT COUNT(*) FROM fire WHERE id > 0"), "0", "{done}");
}

fn at_least_once(node: &Server, dice: &mut Dice) -> Job {
    let mut job = Job::new(node, shape(), dice);
    job.arguments += " --guarantee at-least-once --retry-for 2s";
    job
}

/// Every node that is left holds every row.
fn check(job: &Job, nodes: &[Server], line: &mut Line) {
    let want = held(&nodes[0], job);
    line.jobs += 1;
    line.lost += job.shape.records - want.ids;
    line.doubled += want.rows - want.ids;
    for node in &nodes[1..] {
        await_true("the same rows on another node", || held(node, job) == want);
    }
}

fn held(node: &Server, job: &Job) -> Held {
    Held::parse(&node.sql(&format!("USE `{}`; {HELD}", job.place.schema.name()))[0].join(","))
}

/// The member that takes writes now.
fn primary(nodes: &[Server]) -> Option<Server> {
    let is_primary = |node: &&Server| {
        let role = "SELECT MEMBER_ROLE FROM performance_schema.replication_group_members WHERE MEMBER_ID = @@server_uuid AND MEMBER_STATE = 'ONLINE'";
        node.try_sql(role).is_ok_and(|rows| rows == [["PRIMARY"]])
            && node.try_sql("SELECT @@super_read_only").is_ok_and(|rows| rows == [["0"]])
    };
    nodes.iter().find(is_primary).cloned()
}

fn kill(node: &Server) {
    assert!(Command::new("kill").args(["-9", &node.pid.to_string()]).status().unwrap().success());
}
