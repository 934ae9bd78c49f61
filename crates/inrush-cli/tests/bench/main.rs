//! `inrush bench` on every version of the servers, and on each engine with LOCAL INFILE on and off: what it measures, what it leaves
//! behind, what it says when something is wrong.
//!
//! The lab's schema has one name, so the tests of a server run one after the other.

// The helpers of tests fail like tests.
#![allow(clippy::unwrap_used, clippy::panic)]

mod faults;
mod load;
mod peers;
mod pool;
mod pressure;
mod query;
mod report;
mod rtt;
#[allow(unused_imports, unused_macros, reason = "shared with the tests of `load`")]
#[path = "../load/server_of_own.rs"]
mod server_of_own;
mod sweep;

use inrush_testkit::patience::until;
use inrush_testkit::servers::{self, Server};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

#[test]
fn on_each_engine_and_version() {
    std::thread::scope(|scope| {
        for server in servers::spread(0) {
            scope.spawn(move || {
                let place = Place { folder: tempfile::tempdir().unwrap(), server };
                by_version_and_method(&place);
                // Two of the four: MySQL 9.7 and MariaDB 10.11 with LOCAL INFILE on.
                if place.server.local_infile {
                    by_engine(&place);
                }
                if place.server.instance == "mariadb-11.8-nolocal" {
                    by_nothing(&place);
                }
            });
        }
    });
}

/// What a server's version or its methods may change.
fn by_version_and_method(place: &Place) {
    every_way_is_measured(place);
    results_are_shown_again(place);
    sweep::knees_are_named(place);
    rtt::every_way_to_the_server_is_measured(place);
    rtt::a_far_server_cuts_what_takes_too_long(place);
    rtt::what_cannot_be_is_told(place);
    load::files_are_loaded_in_every_way(place);
    load::orders_of_rows_are_compared(place);
}

/// What differs between MySQL and MariaDB, whatever the version and whether LOCAL INFILE is on.
fn by_engine(place: &Place) {
    rows_are_changed_and_deleted(place);
    query::on(place);
    pool::on(place);
    pressure::on(place);
    sweep::every_combination_is_measured(place);
    sweep::what_cannot_be_is_told(place);
    load::a_file_of_ones_own(place);
    load::the_server_is_profiled(place);
    peers::peers_are_measured(place);
}

/// What the lab does itself, before or after it has used a server.
fn by_nothing(place: &Place) {
    a_schema_that_was_there_stays(place);
    a_cut_case_is_shown_as_cut(place);
    an_interrupted_run_keeps_what_it_measured(place);
    a_second_run_is_refused(place);
    a_terminal_shows_what_is_under_way(place);
    results_are_not_written_over(place);
    rounds_are_as_many_as_asked(place);
    a_busy_machine_gives_no_verdict(place);
    load::what_cannot_be_is_told(place);
}

fn every_way_is_measured(place: &Place) {
    let done = place.bench("insert --rows 20,50 --statement-rows 7 --overhead --json -o a.jsonl");
    assert_eq!(done.status.code(), Some(0), "{}", said(&done));
    let document: Value = serde_json::from_slice(&done.stdout).unwrap();
    assert_eq!(document["complete"], true, "{document}");
    let cases = document["cases"].as_array().unwrap();
    let is_mysql = place.server.name.contains("mysql");
    let n_ways = 8 - usize::from(is_mysql) - usize::from(!place.server.local_infile);
    // The inserter, what the server does by itself in two ways, and nothing.
    assert_eq!(cases.len(), 2 * (2 * n_ways + 4), "{document}");
    for case in cases {
        assert_eq!(case["seconds"]["n"], 3, "{case}");
        assert!(case["rows_per_second"].as_f64().unwrap() > 0.0, "{case}");
        assert!(case["speed_up"].is_number() && case["of_limit"].is_number(), "{case}");
        assert!(case["client_cpu"].is_number() && case["server_cpu"].is_number(), "{case}");
        let sends_nothing = ["inserter", "nothing"].iter().any(|subject| case["case"]["subject"] == *subject);
        assert!(sends_nothing || case["bytes_sent"].as_f64().unwrap() > 1.0, "{case}");
    }
    let settings = &document["run"]["server"]["settings"];
    assert!(
        settings["innodb_flush_log_at_trx_commit"].is_string() && settings["max_allowed_packet"].is_string(),
        "{settings}"
    );
    assert_eq!(place.sql("SHOW DATABASES LIKE 'inrush_bench'"), "", "it cleans up");
}

fn results_are_shown_again(place: &Place) {
    let text = place.bench("report a.jsonl");
    let shown = String::from_utf8_lossy(&text.stdout).into_owned();
    for word in ["multi-row-prepared", "insert-select", "speed-up", "each statement"] {
        assert!(shown.contains(word), "{shown}");
    }
    let csv = place.bench("report a.jsonl --csv");
    let parts: Vec<&str> = shown.split("\n\n").collect();
    assert!(parts[0].contains("round trip"), "{shown}");
    gives_advice(&shown, &["times as fast as row by row"]);
    assert_eq!(String::from_utf8_lossy(&csv.stdout).lines().count(), parts[1].lines().count());
    assert!(parts[1].lines().chain(parts[2].lines()).all(|line| line.chars().count() <= 100), "{shown}");
    let has_bulk = !place.server.name.contains("mysql");
    assert_eq!(shown.contains("bulk is not measured: "), !has_bulk, "{shown}");
    let same = place.bench("compare a.jsonl a.jsonl --fail-if-slower 0%");
    let words = String::from_utf8_lossy(&same.stdout).into_owned();
    assert_eq!(same.status.code(), Some(0), "{words}");
    assert!(words.starts_with("case ") && words.lines().count() > 1, "{words}");
    let rows = words.split("\n\n").next().unwrap();
    assert!(rows.lines().skip(1).all(|line| line.ends_with("undecided: too few rounds")), "{words}");
    // Six rounds of one case, in twice the time.
    let lines = fs::read_to_string(place.path("a.jsonl")).unwrap();
    let head: String = lines.split_inclusive('\n').take(2).collect();
    let id = serde_json::from_str::<Value>(lines.lines().nth(1).unwrap()).unwrap()["id"].clone();
    for (name, seconds) in [("before.jsonl", 1.0), ("after.jsonl", 2.0)] {
        let sample = |round: u32| {
            let seconds = seconds + f64::from(round) / 100.0;
            format!(
                "{}\n",
                serde_json::json!({ "record": "sample", "case": id, "round": round, "seconds": seconds, "rows": 20, "cut": false })
            )
        };
        fs::write(place.path(name), head.clone() + &(1..7).map(sample).collect::<String>()).unwrap();
    }
    place.fails("compare before.jsonl after.jsonl --fail-if-slower 50%", 4, "slower");
    assert_eq!(place.bench("compare before.jsonl after.jsonl --fail-if-slower 150%").status.code(), Some(0));
    let elsewhere = fs::read_to_string(place.path("after.jsonl")).unwrap().replacen("\"cores\":", "\"cores\":9", 1);
    fs::write(place.path("elsewhere.jsonl"), elsewhere).unwrap();
    place.fails("compare before.jsonl elsewhere.jsonl", 5, "not of the same place: the number of cores was `");
    assert_eq!(place.bench("compare before.jsonl elsewhere.jsonl --anyway").status.code(), Some(0));
    place.fails("report nothing.jsonl", 1, "cannot read `nothing.jsonl`");
    fs::write(place.path("b.jsonl"), "id,name\n1,Ann\n").unwrap();
    place.fails("report b.jsonl", 2, "this is not a file of `inrush bench` (b.jsonl, line 1)");
    place.fails("compare a.jsonl b.jsonl", 2, "this is not a file of `inrush bench`");
}

fn rows_are_changed_and_deleted(place: &Place) {
    let bulk = usize::from(!place.server.name.contains("mysql"));
    for (operation, limit) in [("update", "update-join"), ("delete", "delete-range")] {
        let file = format!("{operation}.jsonl");
        let done =
            place.bench(&format!("insert --rows 30 --statement-rows 7 --operation {operation} --json -o {file}"));
        assert_eq!(done.status.code(), Some(0), "{}", said(&done));
        let document: Value = serde_json::from_slice(&done.stdout).unwrap();
        let cases = document["cases"].as_array().unwrap();
        assert_eq!(cases.len(), 2 * (4 + bulk) + 1, "{document}");
        assert!(cases.iter().any(|case| case["case"]["subject"] == limit), "{document}");
    }
}

fn a_schema_that_was_there_stays(place: &Place) {
    place.sql("CREATE DATABASE inrush_bench; CREATE TABLE inrush_bench.mine (id INT); INSERT INTO inrush_bench.mine VALUES (7)");
    let done = place.bench("insert --rows 5 -o c.jsonl");
    assert_eq!(done.status.code(), Some(0), "{}", said(&done));
    assert_eq!(place.sql("SHOW TABLES FROM inrush_bench; SELECT id FROM inrush_bench.mine"), "mine|7");
    place.sql("DROP DATABASE inrush_bench");
    let kept = place.bench("insert --rows 5 --keep -o d.jsonl");
    assert_eq!(kept.status.code(), Some(0), "{}", said(&kept));
    assert_eq!(place.sql("SELECT COUNT(*) FROM inrush_bench.bench_users; DROP DATABASE inrush_bench"), "5");
}

fn a_cut_case_is_shown_as_cut(place: &Place) {
    let done = place.bench("insert --rows 100000 --cap 1 --statement-rows 5000 -o e.jsonl");
    assert_eq!(done.status.code(), Some(0), "{}", said(&done));
    let shown = String::from_utf8_lossy(&done.stdout).into_owned();
    let cut = shown.lines().find(|line| line.starts_with("row ") && line.contains("each statement")).unwrap();
    assert!(cut.contains(" cut ") && !cut.contains("rows/s"), "{shown}");
    assert!(shown.contains("row / each statement / 100000: cut after "), "{shown}");
}

fn an_interrupted_run_keeps_what_it_measured(place: &Place) {
    let mut run = place
        .command("insert --rows 2000 --full -o f.jsonl")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let samples = || fs::read_to_string(place.path("f.jsonl")).unwrap_or_default().matches("\"sample\"").count();
    until("three samples", || samples() >= 3);
    rustix::process::kill_process(rustix::process::Pid::from_child(&run), rustix::process::Signal::INT).unwrap();
    assert_eq!(run.wait().unwrap().code(), Some(130));
    assert_eq!(place.sql("SHOW DATABASES LIKE 'inrush_bench'"), "");
    let report = place.bench("report f.jsonl");
    assert_eq!(report.status.code(), Some(0), "{}", said(&report));
    assert!(said(&report).contains("did not come to its end"), "{}", said(&report));
}

/// Until the first one ends, by a signal that it handles or by one that it cannot.
fn a_second_run_is_refused(place: &Place) {
    use rustix::process::{Pid, Signal, kill_process};
    for (signal, code) in [(Signal::INT, Some(130)), (Signal::KILL, None)] {
        let file = format!("first-{}.jsonl", code.unwrap_or(0));
        let mut first = place.command(&format!("insert --rows 2000 --full -o {file}"));
        let mut first = first.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        until("its first record", || place.path(&file).metadata().is_ok_and(|file| file.len() > 0));
        let second = place.bench("insert --rows 5 -o second.jsonl");
        assert_eq!(second.status.code(), Some(1), "{}", said(&second));
        for words in ["another `inrush bench` run uses the schema `inrush_bench`", "connection ", "hint: ", "KILL "] {
            assert!(said(&second).contains(words), "{words}: {}", said(&second));
        }
        assert!(!place.path("second.jsonl").exists());
        assert_eq!(first.try_wait().unwrap(), None, "the first run goes on");
        kill_process(Pid::from_child(&first), signal).unwrap();
        assert_eq!(first.wait().unwrap().code(), code);
        let third = place.bench(&format!("insert --rows 5 -o third-{file}"));
        assert_eq!(third.status.code(), Some(0), "{}", said(&third));
        place.sql("DROP DATABASE IF EXISTS inrush_bench");
    }
}

fn a_terminal_shows_what_is_under_way(place: &Place) {
    let words = "warm-up, case 1 of ";
    let done = place.bench("insert --rows 5 -o silent.jsonl");
    assert!(done.status.code() == Some(0) && !said(&done).contains(words), "{}", said(&done));
    let bench = place.command("insert --rows 5 -o shown.jsonl");
    let quoted = |word: &std::ffi::OsStr| format!("'{}'", word.to_string_lossy());
    let line: Vec<String> = std::iter::once(bench.get_program()).chain(bench.get_args()).map(quoted).collect();
    let mut terminal = Command::new("script");
    terminal.args(["-qec", &line.join(" "), "/dev/null"]).current_dir(place.folder.path()).env("TERM", "xterm");
    let done = terminal.env("INRUSH_PASSWORD", &place.server.password).stdin(Stdio::null()).output().unwrap();
    assert!(done.status.code() == Some(0) && said(&done).contains(words), "{}", said(&done));
}

fn results_are_not_written_over(place: &Place) {
    place.fails("insert --rows 5 -o a.jsonl", 1, "cannot write `a.jsonl`");
    place.fails("insert --rows 0 -o g.jsonl", 1, "0 is not in 1..=");
}

fn rounds_are_as_many_as_asked(place: &Place) {
    for (options, want) in [("--quick", 3), ("--full --budget 0s", 1), ("--full --precision 9999%", 8)] {
        let file = format!("rounds-{want}.jsonl");
        let done = place.bench(&format!("insert --rows 3 {options} -o {file}"));
        assert_eq!(done.status.code(), Some(0), "{options}: {}", said(&done));
        let last = place.samples(&file).iter().filter_map(|sample| sample["round"].as_u64()).max();
        assert_eq!(last, Some(want), "{options}");
    }
    place.fails("insert --quick --full", 1, "cannot be used with");
    place.fails("insert --precision 1%", 1, "--full");
    place.fails("insert --full --budget soon", 1, "a time such as");
}

#[test]
fn a_server_that_is_not_there_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let done = Command::new(env!("CARGO_BIN_EXE_inrush"))
        .args(["bench", "insert", "-S", "nowhere.sock", "-u", "nobody"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert_eq!(done.status.code(), Some(3), "{}", said(&done));
    assert!(said(&done).contains("nowhere.sock"), "{}", said(&done));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "no results of nothing");
}

#[test]
fn without_a_server_it_starts_one_and_takes_it_away_again() {
    for family in ["mysql-9.7", "mariadb-11.8"] {
        let folder = tempfile::tempdir().unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_inrush"));
        command.args(["bench", "insert", "--rows", "20", "-o", "a.jsonl"]).current_dir(folder.path());
        command.env("INRUSH_MYSQLD", servers::one(family).mysqld).env_remove("INRUSH_URL");
        command.env("HOME", folder.path()).env("TMPDIR", folder.path());
        let done = command.output().unwrap();
        assert_eq!(done.status.code(), Some(0), "{}", said(&done));
        assert!(said(&done).contains("no server is named: starting a temporary local one"), "{}", said(&done));
        assert!(said(&done).contains("load-data"), "{}", said(&done));
        let left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, ["a.jsonl"], "what it leaves behind");
    }
}

#[test]
fn memory_is_compared_on_servers_of_its_own() {
    std::thread::scope(|scope| {
        for family in ["mysql-9.7", "mariadb-11.8"] {
            scope.spawn(move || load::servers_of_several_sizes(family));
        }
    });
}

#[test]
fn the_tour_ends_with_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_inrush"));
    // All of its way with fewer rows: two minutes of a debug build say no more.
    command.args(["bench", "--small"]).current_dir(folder.path());
    command.env("INRUSH_MYSQLD", servers::one("mariadb-10.11").mysqld).env_remove("INRUSH_URL");
    command.env("HOME", folder.path()).env("TMPDIR", folder.path());
    let done = command.output().unwrap();
    assert_eq!(done.status.code(), Some(0), "{}", said(&done));
    let shown = String::from_utf8_lossy(&done.stdout).into_owned();
    for word in ["## insert", "## sweep", "## rtt", "## load"] {
        assert!(shown.contains(word), "no `{word}`: {}", said(&done));
    }
    gives_advice(
        &shown,
        &[
            "On this server use `",
            "rows a statement are enough",
            "round trip of 5 ms",
            "To copy: `inrush load FILE --into TABLE",
        ],
    );
    let kept = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = kept.map(|name| name.split('-').nth(2).unwrap_or_default().to_owned()).collect();
    names.sort_unstable();
    assert_eq!(names, ["again", "insert", "load", "rtt", "sweep"], "what it leaves behind");
}

/// Of no experiment; what failed is still said.
fn a_busy_machine_gives_no_verdict(place: &Place) {
    fs::write(place.path("few.csv"), "id,name\n1,Ann\n2,Bob\n").unwrap();
    for (options, verdict) in [
        ("insert --rows 5", "5 rows: `"),
        ("sweep --statement-rows 2,5,9 --connections 1 --for 0.02", "Fastest: "),
        ("rtt --rtt 1 --rows 3", "Over a round trip of 1 ms"),
        ("load --file few.csv", "Fastest: "),
        ("query --clients 1 --queries 5", "most with 1 clients"),
        ("pool --min 1 --max 2 --concurrency 2 --queries 5", "most by the "),
        ("pressure --clients 2 --for 0.2", "Most by `"),
    ] {
        let file = format!("busy-{}.jsonl", options.split(' ').next().unwrap());
        let done = place.bench(&format!("{options} --once -o {file}"));
        assert_eq!(done.status.code(), Some(0), "{options}: {}", said(&done));
        let lines = fs::read_to_string(place.path(&file)).unwrap();
        let (first, rest) = lines.split_once('\n').unwrap();
        for (share, is_withheld) in [(0.0, false), (0.5, true)] {
            let mut run: Value = serde_json::from_str(first).unwrap();
            run["machine"]["busy"] = share.into();
            fs::write(place.path("of-this-machine.jsonl"), format!("{run}\n{rest}")).unwrap();
            for how in ["", " --html"] {
                let shown = said(&place.bench(&format!("report of-this-machine.jsonl{how}"))).replace('\u{a0}', " ");
                let verdict = if how.is_empty() { verdict.to_owned() } else { html(verdict) };
                assert_eq!(shown.contains(&verdict), !is_withheld, "{options}{how}: {shown}");
                let word = "The machine was busy, so these numbers give no advice: other programs used 50 % of its";
                assert_eq!(shown.contains(word), is_withheld, "{options}{how}: {shown}");
            }
        }
    }
}

/// As a page has it.
fn html(sentence: &str) -> String {
    sentence.replace('`', "<code>")
}

/// These words, or why there are none: other tests may keep the machine busy.
#[track_caller]
fn gives_advice(shown: &str, words: &[&str]) {
    let is_withheld = shown.contains("The machine was busy, so these numbers give no advice: ");
    assert!(is_withheld || words.iter().all(|word| shown.contains(word)), "none of {words:?}: {shown}");
}

/// A server, and a folder to be in.
struct Place {
    folder: tempfile::TempDir,
    server: Server,
}

impl Place {
    fn path(&self, name: &str) -> PathBuf {
        Path::new(self.folder.path()).join(name)
    }

    fn command(&self, arguments: &str) -> Command {
        let mut command = self.command_as_is(arguments);
        if !["report", "compare"].iter().any(|verb| arguments.starts_with(verb)) {
            command.arg("-S").arg(&self.server.socket).args(["-u", &self.server.user]);
        }
        command
    }

    /// The arguments name the server, if one is needed.
    fn command_as_is(&self, arguments: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_inrush"));
        command.arg("bench").args(arguments.split(' ')).current_dir(self.folder.path());
        command.env("INRUSH_PASSWORD", &self.server.password);
        command
    }

    fn bench(&self, arguments: &str) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// The document of a run that ends with this code.
    #[track_caller]
    fn document(&self, arguments: &str, code: i32) -> Value {
        let done = self.bench(&format!("{arguments} --json"));
        assert_eq!(done.status.code(), Some(code), "{arguments}: {}", said(&done));
        serde_json::from_slice(&done.stdout).unwrap()
    }

    /// The samples of a file.
    fn samples(&self, file: &str) -> Vec<Value> {
        let text = fs::read_to_string(self.path(file)).unwrap();
        let records = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        records.filter(|record| record["record"] == "sample").collect()
    }

    #[track_caller]
    fn fails(&self, arguments: &str, code: i32, says: &str) {
        let done = self.bench(arguments);
        assert_eq!(done.status.code(), Some(code), "{arguments}: {}", said(&done));
        assert!(said(&done).contains(says), "{arguments}: {}", said(&done));
    }

    fn sql(&self, statements: &str) -> String {
        let rows = self.server.sql(statements);
        rows.iter().map(|row| row.join(",")).collect::<Vec<_>>().join("|")
    }
}

fn said(done: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr))
}
