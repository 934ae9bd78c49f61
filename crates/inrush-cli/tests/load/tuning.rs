//! Lanes and batches that are found out, memory and rate that are kept to.
//!
//! A trigger empties the wide column and sleeps, so that much text and much time cost the server nothing.

use crate::place::{Done, Place, Rows, everywhere, on};
use inrush_core::load::tuner::trace::replay;
use inrush_testkit::patience::growing_limits;
use inrush_testkit::servers::{Server, all};
use std::io::Write;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

#[test]
fn lanes_are_tried_while_the_load_runs() {
    on(with_local_infile(), "tuning", |place| {
        // On a busy machine lanes may wait for rows, and more of them would wait as well: then the server is to take longer.
        let is_one_more_tried = |limit: Duration| {
            wide_table(place, &format!("{:.1}", limit.as_secs_f64() / 10.0));
            lanes_are_tried(place)
        };
        growing_limits("one more lane").find(|limit| is_one_more_tried(*limit)).unwrap();
    });
}

/// Returns whether the first that is tried is one more.
fn lanes_are_tried(place: &Place) -> bool {
    {
        let command = place.command("- --into wide --json -v --no-progress --batch 256KiB --tuning-trace trace.txt");
        let (done, _) = load_wide(place, command, 300, 60_000);
        assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(300))), "{done}");
        assert_eq!(place.sql("SELECT COUNT(*), COUNT(DISTINCT id) FROM wide"), "300,300");
        let tuning = done.json["tuning"].as_array().unwrap();
        let lanes = tuning.iter().find(|tuned| tuned["what"] == "lanes");
        // What it decided follows from what it saw.
        let trace = place.read("trace.txt");
        let (_, replayed) = replay(&trace).unwrap();
        let decisions = |text: &str| text.lines().filter(|line| line.starts_with("tuned")).map(str::to_owned).collect();
        let (told, again): (Vec<String>, Vec<String>) = (decisions(&trace), decisions(&replayed));
        assert_eq!((told.len(), told), (tuning.len(), again), "{done}");
        let is_one_more = lanes.is_some_and(|lanes| (&lanes["from"], &lanes["to"]) == (&2.into(), &3.into()));
        if is_one_more {
            done.says("lanes 2 to 3: to see whether one more is faster");
        }
        is_one_more
    }
}

/// A lane alone finds out on MariaDB which of two methods is faster; what is stored is the same, bad rows of either included.
#[test]
fn methods_take_turns_in_the_first_chunks() {
    everywhere("methods", |place| {
        place.sql("CREATE TABLE people (id INT AUTO_INCREMENT PRIMARY KEY, name VARCHAR(20), CHECK (name <> 'Bad'))");
        let line = |id: u32| match id {
            333 | 3_333 | 13_333 => format!("{id}x,Ann\n"),
            4_444 => format!("{id},Bad\n"),
            _ => format!("{id},Ann\n"),
        };
        let rows: String = (1..=20_000).map(line).collect();
        place.write("a.csv", format!("id,name\n{rows}"));
        let load = "a.csv --into people --batch 200 --bad-rows skip --tuning-trace trace.txt";
        // Without a number of lanes one begins where LOADs would wait for each other, as on MariaDB.
        for lanes in ["", "--lanes 1"] {
            place.sql("TRUNCATE people");
            place.forget();
            let done = place.load(&format!("{load} {lanes}"));
            assert_eq!((done.code, done.rows().unwrap().stored), (4, 19_996), "{done}");
            assert_eq!(place.sql("SELECT COUNT(*), COUNT(DISTINCT id), SUM(id) FROM people"), "19996,19996,199988557");
            let trace = place.read("trace.txt");
            let is_by = |method: &str| trace.lines().any(|line| line.starts_with("ack") && line.ends_with(method));
            let tries = !place.is_mysql() && place.server.local_infile;
            assert_eq!(is_by(" method=load-data") && is_by(" method=bulk"), tries, "{done}{trace}");
            let tuning = done.json["tuning"].as_array().unwrap();
            let decided: Vec<_> = tuning.iter().filter(|tuned| tuned["what"] == "method").collect();
            assert_eq!(decided.len(), usize::from(tries), "{done}");
            if let [decided] = decided[..] {
                assert_eq!(
                    (&decided["from"], &decided["to"]),
                    (&"load-data".into(), &done.json["method"]["name"]),
                    "{done}"
                );
            }
            let (_, replayed) = replay(&trace).unwrap();
            assert_eq!(replayed, trace);
        }
    });
}

#[test]
fn a_short_load_is_not_tuned() {
    everywhere("untuned", |place| {
        place.sql("CREATE TABLE people (id INT PRIMARY KEY)");
        let rows: String = (0..2_000).map(|id| format!("{id}\n")).collect();
        place.write("a.csv", format!("id\n{rows}"));
        let done = place.load("a.csv --into people --method multi-row");
        assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(2_000))), "{done}");
        assert_eq!((&done.json["tuning"], &done.json["lanes"]), (&serde_json::json!([]), &2.into()), "{done}");
    });
}

#[test]
fn a_rate_is_kept_to_smoothly() {
    everywhere("rate", |place| {
        place.sql("CREATE TABLE people (id INT PRIMARY KEY, name VARCHAR(20))");
        let rows: String = (0..6_000).map(|id| format!("{id},Ann\n")).collect();
        place.write("a.csv", format!("id,name\n{rows}"));
        let begun = Instant::now();
        let done = place.load("a.csv --into people --rate 2k/s");
        let took = begun.elapsed();
        assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(6_000))), "{done}");
        // The last batch goes before it is paid for, and the first is sized by guess.
        assert!(took >= Duration::from_millis(1_500), "{took:?}\n{done}");
        assert!(done.json["chunks"].as_u64().unwrap() >= 4, "{done}");
    });
}

#[test]
fn memory_is_kept_to() {
    let server =
        with_local_infile().into_iter().filter(|server| server.vendor != inrush_testkit::servers::Vendor::Mysql);
    on(server.take(1).collect(), "memory", |place| {
        wide_table(place, "0");
        // What is asked for one by one would come to a gigabyte.
        for (options, n_rows) in [("", 5_000), ("--lanes 8 --batch 16MiB", 1_500)] {
            let command =
                place.command(&format!("- --into wide --json --no-progress --memory 64MiB --truncate {options}"));
            let (done, peak_mib) = load_wide(place, command, n_rows, 100_000);
            assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(n_rows as u64))), "{done}");
            assert!(peak_mib < 64 + 48, "{options}: {peak_mib} MiB at its peak\n{done}");
            let is_told = done.stderr.contains("there is no memory to keep 8 lanes busy: a batch takes ");
            assert_eq!(is_told, !options.is_empty(), "{done}");
        }
    });
}

fn with_local_infile() -> Vec<Server> {
    all().into_iter().filter(|server| server.local_infile).collect()
}

fn wide_table(place: &Place, seconds: &str) {
    place.sql(&format!(
        "DROP TABLE IF EXISTS wide; CREATE TABLE wide (id INT PRIMARY KEY, text LONGTEXT);
         CREATE TRIGGER t BEFORE INSERT ON wide FOR EACH ROW SET NEW.text = CONCAT('', SLEEP({seconds}))"
    ));
}

/// Feeds so many rows of so many bytes to a command. Returns what it said, and its largest memory in MiB.
fn load_wide(place: &Place, mut command: Command, n_rows: usize, bytes: usize) -> (Done, u64) {
    let mut load = command.stdin(Stdio::piped()).spawn().unwrap();
    let mut pipe = load.stdin.take().unwrap();
    let text = "x".repeat(bytes);
    let feeder = std::thread::spawn(move || {
        pipe.write_all(b"id,text\n").unwrap();
        for id in 0..n_rows {
            // A load that fails closes its end.
            if writeln!(pipe, "{id},{text}").is_err() {
                return;
            }
        }
    });
    let (output, peak_mib) = watched(load);
    feeder.join().unwrap();
    (place.done(&output), peak_mib)
}

/// Waits for a command. Returns what it printed, and its largest memory in MiB.
pub(crate) fn watched(load: Child) -> (Output, u64) {
    let watch = load.id();
    let (over, is_over) = std::sync::mpsc::channel::<()>();
    let peak = std::thread::spawn(move || {
        let mut peak = 0;
        while is_over.recv_timeout(Duration::from_millis(5)) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
            peak = peak.max(peak_mib(watch).unwrap_or_default());
        }
        peak
    });
    let output = load.wait_with_output().unwrap();
    drop(over);
    (output, peak.join().unwrap())
}

/// The kernel's word for the most memory that a process had.
fn peak_mib(pid: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix(" kB")?.parse::<u64>().ok()? / 1024)
}
