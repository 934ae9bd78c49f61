//! A cluster of three Galera nodes, of which one is killed. Row locks do not reach other nodes there, so the fence would not hold:
//! exactly-once is refused with a clear word, at-least-once works.
//!
//! Compiled by the feature `fire` only: `scripts/galera` makes the cluster (`FIRE_GALERA`: socket, port, process and client of each node).

use crate::job::{Job, Kind, Shape};
use crate::rows::{HELD, Held};
use crate::session::await_true;
use crate::table::Line;
use inrush_testkit::dice::Dice;
use inrush_testkit::servers::{Server, one};
use std::process::Command;
use std::thread::sleep;
use std::time::Duration;

#[test]
fn a_node_is_killed() {
    let nodes = nodes();
    let mut dice = Dice::of("galera");
    let shape = Shape {
        kind: Kind::Csv,
        method: "load-data",
        lanes: 2,
        batch: 100,
        records: 20_000,
        has_key: true,
        has_bad: false,
        is_sorted: false,
    };
    exactly_once_is_refused(&nodes[0], shape, &mut dice);
    let mut line = Line::new("Galera, another node is killed", "mariadb-10.11");
    let job = at_least_once(&nodes[0], shape, &mut dice);
    let mut run = job.start(job.command());
    line.runs += 1;
    assert!(run.await_visits("tallied", 20));
    kill(&nodes[2]);
    line.faults += 1;
    let done = run.end();
    assert_eq!((done.code, done.rows().unwrap().stored), (0, shape.records), "{done}");
    check(&job, &nodes[..2], &mut line);
    line.conclude();

    let mut line = Line::new("Galera, the loaded node is killed", "mariadb-10.11");
    let job = at_least_once(&nodes[0], shape, &mut dice);
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
    let held = nodes[1].sql(&format!("USE `{}`; {HELD}", job.place.schema.name()));
    let held = Held::parse(&held[0].join(","));
    assert_eq!(held.rows, held.ids, "doubled: {done}");
    assert!((rows.stored..=rows.stored + rows.unknown).contains(&held.rows), "{held:?}: {done}");
    line.jobs += 1;
    line.conclude();
}

fn exactly_once_is_refused(node: &Server, shape: Shape, dice: &mut Dice) {
    let job = Job::new(node, shape, dice);
    let done = job.start(job.command()).end();
    assert_eq!(done.code, 5, "{done}");
    done.says("Galera");
    done.says("--guarantee at-least-once");
    assert_eq!(job.place.sql("SELECT COUNT(*) FROM fire WHERE id > 0"), "0", "{done}");
}

fn at_least_once(node: &Server, shape: Shape, dice: &mut Dice) -> Job {
    let mut job = Job::new(node, shape, dice);
    job.arguments += " --guarantee at-least-once --retry-for 2s";
    job
}

/// Every node that is left holds every row.
fn check(job: &Job, nodes: &[Server], line: &mut Line) {
    let held =
        |node: &Server| Held::parse(&node.sql(&format!("USE `{}`; {HELD}", job.place.schema.name()))[0].join(","));
    let want = held(&nodes[0]);
    line.jobs += 1;
    line.lost += job.shape.records - want.ids;
    line.doubled += want.rows - want.ids;
    for node in &nodes[1..] {
        await_true("the same rows on another node", || held(node) == want);
    }
}

fn kill(node: &Server) {
    assert!(Command::new("kill").args(["-9", &node.pid.to_string()]).status().unwrap().success());
}

fn nodes() -> Vec<Server> {
    let list = std::env::var("FIRE_GALERA").expect("FIRE_GALERA: a file, see scripts/galera");
    let list = std::fs::read_to_string(list).unwrap();
    let node = |line: &str| {
        let [socket, port, pid, client] = line.split(' ').collect::<Vec<_>>()[..] else { panic!("`{line}`") };
        Server {
            instance: "galera".into(),
            socket: socket.into(),
            port: port.parse().unwrap(),
            pid: pid.parse().unwrap(),
            client: client.into(),
            user: "root".into(),
            password: String::new(),
            ..one("mariadb-10.11")
        }
    };
    list.lines().map(node).collect()
}
