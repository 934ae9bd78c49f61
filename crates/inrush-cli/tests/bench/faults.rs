//! What goes wrong in the middle of a run: a server that is killed or begins anew, or has no room for a table; a disk without room for
//! results. What was measured until then is kept, and the command says what happened.

use crate::server_of_own::OwnServer;
use crate::{Place, said};
use inrush_testkit::patience::until;
use std::fs;
use std::process::{Child, Command, Stdio};

/// The engines differ in how they die and recover; the version of MariaDB changes nothing that the lab sees.
#[test]
fn mysql() {
    in_the_middle("mysql-9.7");
}
#[test]
fn mariadb() {
    in_the_middle("mariadb-11.8");
}

fn in_the_middle(family: &str) {
    let own = OwnServer::new(family, &["local-infile=ON"]);
    let mut place = Place { folder: tempfile::tempdir().unwrap(), server: own.server() };
    for (experiment, is_back_at_once) in EXPERIMENTS {
        a_server_that_is_killed(&own, &mut place, experiment, is_back_at_once);
    }
    loads_that_take_too_long(&place);
    results_without_room(&place);
    own.stop();
    a_table_without_room(&own, &mut place);
}

/// They go on for longer than they are let, each with whether the server is back at once. (`load`, `query` and `pool` would go on then,
/// and count what failed.)
const EXPERIMENTS: [(&str, bool); 6] = [
    ("insert --rows 300 --full", true),
    ("sweep --statement-rows 5,50 --connections 1,2 --for 0.2 --full", false),
    ("rtt --rtt 0,1 --rows 50 --full", true),
    ("load --data t1 --rows 5000 --full --cap 3", false),
    ("query --clients 2 --queries 2000 --full", false),
    ("pool --min 1 --max 2 --concurrency 4 --queries 2000 --full", false),
];

fn a_server_that_is_killed(own: &OwnServer, place: &mut Place, experiment: &str, is_back_at_once: bool) {
    let name = experiment.split(' ').next().unwrap();
    let file = format!("{name}.jsonl");
    let mut run = start(place.command(&format!("{experiment} -o {file}")));
    await_samples(place, &file, 3, &mut run);
    assert!(Command::new("kill").args(["-9", &place.server.pid.to_string()]).status().unwrap().success());
    if is_back_at_once {
        place.server = own.server();
    }
    let done = run.wait_with_output().unwrap();
    assert_eq!(done.status.code(), Some(3), "{experiment}: {}", said(&done));
    assert!(said(&done).contains("error: "), "{experiment}: {}", said(&done));
    assert!(place.samples(&file).len() >= 3, "{experiment}");
    let report = place.bench(&format!("report {file}"));
    assert_eq!(report.status.code(), Some(0), "{experiment}: {}", said(&report));
    assert!(said(&report).contains("did not come to its end: "), "{experiment}: {}", said(&report));
    if !is_back_at_once {
        assert!(said(&done).contains("could not be cleaned up"), "{experiment}: {}", said(&done));
        place.server = own.server();
    }
    // What it could not clean up is in nobody's way. The schema may be somebody's then, and stays.
    let small = if name == "load" { "load --data t1 --rows 50 --lanes 1" } else { "insert --rows 5" };
    // One round is enough to see that.
    let again = place.bench(&format!("{small} --full --budget 0s -o after-{file}"));
    assert_eq!(again.status.code(), Some(0), "{experiment}: {}", said(&again));
    place.sql("CREATE DATABASE IF NOT EXISTS inrush_bench");
    let left = place.sql("SHOW TABLES FROM inrush_bench; DROP DATABASE inrush_bench");
    assert_eq!(left, "", "{experiment}");
}

/// What is cut has stored some chunks, or, in one statement, nothing. A machine with too much to do stores no chunk within the first limits.
fn loads_that_take_too_long(place: &Place) {
    for seconds in [1, 2, 4, 8, 16, 32] {
        let file = format!("cut-{seconds}.jsonl");
        let load = format!("load --data t1 --rows 1500000 --lanes 1 --commit-rows 1 --cap {seconds} -o {file}");
        let done = place.bench(&load);
        assert_eq!(done.status.code(), Some(0), "{}", said(&done));
        let samples = place.samples(&file);
        let cut =
            || samples.iter().filter(|sample| sample["cut"] == true).map(|sample| sample["rows"].as_u64().unwrap());
        assert!(cut().any(|rows| rows == 0), "{samples:?}");
        assert!(cut().all(|rows| rows < 1_500_000), "{samples:?}");
        assert!(said(&done).contains("cut after 0 rows"), "{}", said(&done));
        if cut().any(|rows| rows > 0) {
            return;
        }
    }
    panic!("no load was cut behind its first chunk");
}

/// The disk is a mount that only the command sees.
fn results_without_room(place: &Place) {
    let disk = place.path("disk");
    fs::create_dir(&disk).unwrap();
    let script = "mount -t tmpfs -o size=48k tmpfs disk; set +e; \"$@\"; echo \"code $?\"; ls -l disk/a.jsonl; exec \"$1\" bench report disk/a.jsonl";
    let bench = place.command("insert --rows 20,50 --full -o disk/a.jsonl");
    let mut command = Command::new("unshare");
    command.args(["--mount", "--propagation", "private", "sh", "-euc", script, "sh"]);
    command.arg(bench.get_program()).args(bench.get_args()).current_dir(place.folder.path());
    command.env("INRUSH_PASSWORD", &place.server.password);
    let done = command.output().unwrap();
    assert_eq!(done.status.code(), Some(0), "{}", said(&done));
    for words in ["cannot write the results: No space left on device", "code 3\n", "the run was killed", "speed-up"] {
        assert!(said(&done).contains(words), "no `{words}`: {}", said(&done));
    }
    assert_eq!(place.sql("SHOW DATABASES LIKE 'inrush_bench'"), "");
}

fn a_table_without_room(own: &OwnServer, place: &mut Place) {
    place.server = own.server();
    place.sql("CREATE DATABASE inrush_bench");
    own.stop();
    let tables = own.above().join("server/data/inrush_bench");
    own.start_with_disk(&tables, 8, 0, &[]);
    let done = place.bench("load --data t1 --rows 100000 -o full.jsonl");
    assert_eq!(done.status.code(), Some(3), "{}", said(&done));
    assert!(said(&done).contains("is full (server error 1114"), "{}", said(&done));
    assert!(said(&place.bench("report full.jsonl")).contains("did not come to its end: "), "{}", said(&done));
}

fn start(mut command: Command) -> Child {
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn await_samples(place: &Place, file: &str, n: usize, run: &mut Child) {
    until(format_args!("{n} samples in {file}"), || {
        assert!(run.try_wait().unwrap().is_none(), "{file}: it ended before there were {n} samples");
        fs::read_to_string(place.path(file)).unwrap_or_default().matches("\"sample\"").count() >= n
    });
}
