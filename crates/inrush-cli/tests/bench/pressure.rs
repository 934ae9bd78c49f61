//! `inrush bench pressure`: rows are counted on both sides, errors end nothing, and what was measured stays whatever happens.

use super::{Place, said};
use inrush_testkit::patience::{growing_limits, until, until_some};
use inrush_testkit::servers;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

pub(super) fn on(place: &Place) {
    every_way_is_measured(place);
    so_many_rows_are_written(place);
    rows_are_due_at_a_rate(place);
    a_lost_connection_ends_nothing(place);
    an_interrupted_case_is_kept(place);
    what_makes_no_sense_is_told(place);
}

fn every_way_is_measured(place: &Place) {
    // On a busy machine a second may pass before a row is stored.
    let is_enough = |length: &Duration| every_way_stores_rows(place, length.as_secs());
    growing_limits("rows by each way").find(is_enough).unwrap();
}

fn every_way_stores_rows(place: &Place, seconds_each: u64) -> bool {
    let _ = fs::remove_file(place.path("w1.jsonl"));
    let arguments = format!("pressure --for {seconds_each}s --clients 3 --statement-rows 20 --json -o w1.jsonl");
    let done = place.bench(&arguments);
    assert_eq!(done.status.code(), Some(0), "{}", said(&done));
    let document: Value = serde_json::from_slice(&done.stdout).unwrap();
    let cases = document["cases"].as_array().unwrap();
    let names: Vec<&str> = cases.iter().map(|case| case["case"]["subject"].as_str().unwrap()).collect();
    assert_eq!(names, ["one", "statement", "connection", "connections", "connections-multi-row", "inserter"]);
    let samples = place.samples("w1.jsonl");
    assert_eq!(samples.len(), names.len(), "each case once");
    assert_eq!(place.sql("SHOW DATABASES LIKE 'inrush_bench'"), "");
    if samples.iter().any(|sample| sample["rows"] == 0) {
        return false;
    }
    for sample in &samples {
        let rows = sample["rows"].as_u64().unwrap();
        assert!(sample["errors"].is_null() && sample["latency"].is_object(), "{sample}");
        assert_eq!((seconds(sample, "curve"), seconds(sample, "server_curve")), (rows, rows), "{sample}");
    }
    assert!(cases.iter().all(|case| case["speed_up"].is_number()), "{document}");
    true
}

fn so_many_rows_are_written(place: &Place) {
    let ways = "connections,connections-multi-row,inserter";
    let arguments = format!("pressure --rows 205 --on {ways} --clients 4 --statement-rows 50 --keep -o w2.jsonl");
    let document = place.document(&arguments, 0);
    assert!(document["cases"].as_array().unwrap().iter().all(|case| case["done"] == 205), "{document}");
    assert_eq!(place.sql("SELECT COUNT(*) FROM inrush_bench.bench_pressure; DROP DATABASE inrush_bench"), "205");
}

fn rows_are_due_at_a_rate(place: &Place) {
    let arguments = "pressure --rate 40 --for 3s --ramp-up 500ms --on connections --clients 4 -o w3.jsonl";
    let done = place.bench(arguments);
    assert_eq!(done.status.code(), Some(0), "{}", said(&done));
    let sample = &place.samples("w3.jsonl")[0];
    let unsent = sample["unsent"].as_u64().unwrap();
    // The ramp-up is in the curve, and counts for nothing.
    assert_eq!((seconds(sample, "curve") + unsent, seconds(sample, "server_curve") + unsent), (130, 130), "{sample}");
    let of_ramp_up = seconds(sample, "curve") - sample["rows"].as_u64().unwrap();
    // A machine that stalls at its beginning does not send all of them.
    assert!(of_ramp_up == 10 || of_ramp_up < 10 && unsent > 0, "{sample}");
    // One that stalls leaves a second out.
    let is_of_a_second = |line: &str| line.contains("connections / 4: ") && line.contains(" s of 3 s");
    assert!(said(&done).lines().any(is_of_a_second), "a line a second: {}", said(&done));
    assert!(!said(&place.bench("-q pressure --for 1s --on one -o w4.jsonl")).contains("1 s of 1 s"));
}

fn a_lost_connection_ends_nothing(place: &Place) {
    // On a busy machine it may end before one is found, or none but that of a warm-up.
    growing_limits("a connection that is killed").find(|length| is_killed(place, length.as_secs())).unwrap();
}

/// Returns whether a connection was killed that mattered.
fn is_killed(place: &Place, seconds: u64) -> bool {
    let _ = fs::remove_file(place.path("w5.jsonl"));
    let mut run = start(place.command(&format!("pressure --for {seconds}s --on connections --clients 3 -o w5.jsonl")));
    let sql = "SELECT id FROM /*!80022 performance_schema*//*M!100000 information_schema*/.processlist WHERE info LIKE 'INSERT INTO%bench_pressure%' LIMIT 1";
    // A connection of the warm-up may be gone by the time that it is to be killed.
    until("a statement", || {
        run.try_wait().unwrap().is_some() || place.server.try_sql(&format!("KILL {}", place.sql(sql))).is_ok()
    });
    let done = run.wait_with_output().unwrap();
    if done.status.code() == Some(0) {
        return false;
    }
    assert_eq!(done.status.code(), Some(4), "{}", said(&done));
    let sample = &place.samples("w5.jsonl")[0];
    assert!(sample["errors"].is_object() && sample["first_error"].is_string(), "{sample}");
    assert!(sample["cut"] == false && sample["rows"].as_u64() > Some(0), "{sample}");
    assert!(said(&done).contains("the first error: "), "{}", said(&done));
    true
}

fn an_interrupted_case_is_kept(place: &Place) {
    let mut run = start(place.command("pressure --for 60s --on inserter,connections --clients 3 -o w6.jsonl"));
    await_lines(&mut run);
    kill_process(Pid::from_child(&run), Signal::INT).unwrap();
    let done = run.wait_with_output().unwrap();
    assert_eq!(done.status.code(), Some(130), "{}", said(&done));
    let samples = place.samples("w6.jsonl");
    assert!(samples.len() == 1 && samples[0]["rows"].as_u64() > Some(0) && samples[0]["cut"] == false, "{samples:?}");
    assert_eq!(seconds(&samples[0], "curve"), seconds(&samples[0], "server_curve"));
    assert_eq!(place.sql("SHOW DATABASES LIKE 'inrush_bench'"), "");
}

fn what_makes_no_sense_is_told(place: &Place) {
    place.fails("pressure --for 5s --rows 7 -o w7.jsonl", 1, "cannot be used with");
    place.fails("pressure --for soon -o w7.jsonl", 1, "a time such as `10s`");
    place.fails("pressure --for 0s -o w7.jsonl", 1, "measures nothing");
    place.fails("pressure --rate 0 -o w7.jsonl", 1, "0 is not in 1..=");
    place.fails("pressure --clients 5000 -o w7.jsonl", 1, "max_connections");
}

#[test]
fn a_server_that_dies_leaves_what_was_measured() {
    for family in ["mysql-9.7", "mariadb-11.8"] {
        let folder = tempfile::tempdir().unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_inrush"));
        command.args("bench pressure --for 60s --on connections,one --clients 3 -o a.jsonl".split(' '));
        command.env("INRUSH_MYSQLD", servers::one(family).mysqld).env_remove("INRUSH_URL").current_dir(folder.path());
        command.env("HOME", folder.path()).env("TMPDIR", folder.path());
        let mut run = start(command);
        await_lines(&mut run);
        let server = folder.path().join(format!("inrush-bench-{}", run.id()));
        kill_process(until_some("the server's process", || pid_in(&server)), Signal::KILL).unwrap();
        let done = run.wait_with_output().unwrap();
        assert_eq!(done.status.code(), Some(3), "{}", said(&done));
        assert!(said(&done).contains("cut after ") && said(&done).contains("the server is gone"), "{}", said(&done));
        let text = fs::read_to_string(folder.path().join("a.jsonl")).unwrap();
        let end: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
        assert_eq!((&end["record"], &end["complete"]), (&"end".into(), &false.into()));
        let sample: Value = serde_json::from_str(text.lines().rev().nth(1).unwrap()).unwrap();
        assert!(sample["rows"].as_u64() > Some(0) && seconds(&sample, "curve") > 0, "{sample}");
    }
}

/// The server's process, by the file that it writes its number into.
fn pid_in(folder: &Path) -> Option<Pid> {
    let files = fs::read_dir(folder).ok()?.flatten().flat_map(|entry| match entry.path().is_dir() {
        true => fs::read_dir(entry.path()).into_iter().flatten().flatten().map(|entry| entry.path()).collect(),
        false => vec![entry.path()],
    });
    let mut pids = files.filter(|path| path.extension().is_some_and(|extension| extension == "pid"));
    Pid::from_raw(fs::read_to_string(pids.next()?).ok()?.trim().parse().ok()?)
}

/// All rows of a curve.
fn seconds(sample: &Value, curve: &str) -> u64 {
    sample[curve].as_array().unwrap().iter().map(|tick| tick["rows"].as_u64().unwrap()).sum()
}

fn start(mut command: Command) -> Child {
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Reads what is said until a second of a case is over in which rows were stored.
fn await_lines(run: &mut Child) {
    use std::io::Read as _;
    let mut said = Vec::new();
    let stderr = run.stderr.as_mut().unwrap();
    let has_rows = |line: &str| line.contains(" s of ") && line.contains(" rows/s") && !line.contains(", 0 rows/s");
    while !String::from_utf8_lossy(&said).lines().any(has_rows) {
        let mut byte = [0];
        assert_eq!(stderr.read(&mut byte).unwrap(), 1, "{}", String::from_utf8_lossy(&said));
        said.extend(byte);
    }
}
