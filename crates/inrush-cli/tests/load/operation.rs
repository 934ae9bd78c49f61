//! What runs loads at night: events as they happen, metrics, jobs from a file, and the state on request.

use crate::numbers::{TABLE, numbers};
use crate::place::{Place, everywhere};
use inrush_testkit::patience::until_some;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Stdio;

#[test]
fn events_tell_of_every_chunk_and_add_up() {
    everywhere("events", |place| {
        place.sql(TABLE);
        place.write(
            "numbers.csv",
            numbers(500, |id| if id % 100 == 7 { format!("{id},x") } else { format!("{id},{id}") }),
        );
        let done = place.load("numbers.csv --into numbers --batch 50 --bad-rows skip --events events.jsonl");
        assert_eq!(done.code, 4, "{done}");
        let events = events(&place.read("events.jsonl"));
        assert_eq!(events[0]["event"], "start");
        let last = events.last().unwrap();
        assert_eq!((&last["event"], &last["rows"]), (&"summary".into(), &done.json["rows"]));
        let of = |name: &str| events.iter().filter(|event| event["event"] == name).collect::<Vec<_>>();
        let sum = |key: &str| of("chunk").iter().map(|chunk| chunk[key].as_u64().unwrap()).sum::<u64>();
        assert_eq!((of("chunk").len(), sum("rows"), sum("rejected")), (10, 495, 5), "{events:#?}");
        let lines: BTreeSet<u64> = of("reject").iter().map(|reject| reject["line"].as_u64().unwrap()).collect();
        assert_eq!(lines, [8, 108, 208, 308, 408].into());
        keys_are_documented(&events);
    });
}

#[test]
fn a_load_that_sends_nothing_tells_why() {
    everywhere("events_failure", |place| {
        place.write("numbers.csv", numbers(1, |id| format!("{id},{id}")));
        let done = place.load("numbers.csv --into no_such_table --events events.jsonl");
        let events = events(&place.read("events.jsonl"));
        let last = events.last().unwrap();
        assert_eq!((&last["event"], &last["exit_code"]), (&"failure".into(), &1.into()), "{done}");
        assert!(last["message"].as_str().unwrap().contains("no_such_table"), "{last}");
        keys_are_documented(&events);
    });
}

#[test]
fn a_job_file_has_what_the_command_line_would() {
    everywhere("job_file", |place| {
        place.sql(TABLE);
        std::fs::create_dir(place.path("jobs")).unwrap();
        place.write("jobs/numbers.csv", numbers(40, |id| format!("{id},{id}")));
        place.write("jobs/nightly.toml", "files = ['numbers.csv']\ninto = 'numbers'\nbatch = 7\nlanes = 1\n");
        let done = place.load("--job jobs/nightly.toml");
        assert_eq!((done.code, &done.json["chunks"]), (0, &6.into()), "{done}");
        place.sql("DELETE FROM numbers");
        place.write("jobs/nightly.toml", "files = ['numbers.csv']\ninto = 'numbers'\nbatches = 7\n");
        let done = place.load("--job jobs/nightly.toml");
        assert_eq!(done.code, 1, "{done}");
        done.says("error: job file `jobs/nightly.toml`: there is no option `batches`\nhint: did you mean `batch`?");
        assert_eq!(place.sql("SELECT COUNT(*) FROM numbers"), "0");
    });
}

/// Each line of a file of events.
fn events(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{line}: {e}"))).collect()
}

/// Every event and each of its keys is in the table of docs/events.md.
fn keys_are_documented(events: &[Value]) {
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/events.md");
    let guide = std::fs::read_to_string(guide).unwrap();
    let named = |text: &str| text.split('`').skip(1).step_by(2).map(str::to_owned).collect::<BTreeSet<_>>();
    let table: BTreeMap<String, BTreeSet<String>> = guide
        .lines()
        .filter(|line| line.starts_with("| `"))
        .map(|line| {
            let cells: Vec<&str> = line.split('|').collect();
            (cells[1].trim().trim_matches('`').to_owned(), named(cells[3]))
        })
        .collect();
    for event in events {
        let name = event["event"].as_str().unwrap();
        let keys = table.get(name).unwrap_or_else(|| panic!("`{name}` is not in docs/events.md"));
        assert_eq!(event["version"], 1);
        event["at"].as_str().unwrap().parse::<jiff::Timestamp>().unwrap();
        let own = event.as_object().unwrap().keys().filter(|key| !["event", "version", "at"].contains(&key.as_str()));
        if name != "summary" {
            let unknown: Vec<_> = own.filter(|key| !keys.contains(*key)).collect();
            assert!(unknown.is_empty(), "`{name}` has keys that are not in docs/events.md: {unknown:?}");
        }
    }
}

#[test]
fn a_report_that_cannot_be_written_is_an_error() {
    everywhere("unwritten", |place| {
        place.sql("DROP TABLE IF EXISTS numbers; CREATE TABLE numbers (id INT PRIMARY KEY, value INT)");
        place.forget();
        place.write("numbers.csv", "id,value\n1,1\n");
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = place.command("numbers.csv --into numbers -q").stdout(full).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{said}");
        assert!(said.contains("the command is done, but its result cannot be written to standard output"), "{said}");
        assert_eq!(place.sql("SELECT COUNT(*) FROM numbers"), "1");
    });
}

#[test]
fn metrics_of_a_load_are_scraped_and_end_in_a_file() {
    everywhere("metrics", |place| {
        place.sql(TABLE);
        place.forget();
        let options = "- --into numbers --batch 500 --lanes 1 --metrics-listen 127.0.0.1:0 --metrics-file load.prom";
        let mut command = place.command(options);
        let mut load = command.stdin(Stdio::piped()).stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        let mut said = BufReader::new(load.stderr.take().unwrap()).lines().map(Result::unwrap);
        let address = said.find_map(|line| Some(line.split_once("metrics are at http://")?.1.to_owned())).unwrap();
        let saying = std::thread::spawn(move || said.collect::<Vec<_>>());
        let begun = place.read("load.prom");
        assert!(begun.starts_with("# HELP inrush_build_info ") && !begun.contains("inrush_exit_code"), "{begun}");
        let (n_rows, label) = (100_000, format!("{{table=\"{}.numbers\"}}", place.schema.name()));
        let mut stdin = load.stdin.take().unwrap();
        stdin.write_all(numbers(n_rows, |id| format!("{id},{id}")).as_bytes()).unwrap();
        // The load waits for more rows: what it has stored by now is seen.
        let of = |text: &str, name: &str| value(text, &format!("inrush_load_{name}{label}"));
        let under_way = until_some("rows that are stored", || {
            scrape(address.strip_suffix("/metrics").unwrap())
                .filter(|text| of(text, "rows_stored_total").is_some_and(|stored| stored > 0.0))
        });
        assert_eq!((of(&under_way, "exit_code"), of(&under_way, "lanes")), (None, Some(1.0)), "{under_way}");
        drop(stdin);
        assert!(load.wait().unwrap().success(), "{:?}", saying.join());
        let ended = file_of_metrics(place);
        let names = ["rows_read_total", "rows_stored_total", "rows_rejected_total", "rows_resumed", "exit_code"];
        let n_rows = n_rows as f64;
        assert_eq!(names.map(|name| of(&ended, name)), [n_rows, n_rows, 0.0, 0.0, 0.0].map(Some), "{ended}");
        let chunks = of(&ended, "chunks_total").unwrap();
        assert_eq!((chunks, of(&ended, "chunk_seconds_count")), (n_rows / 500.0, Some(chunks)), "{ended}");
        assert_eq!(value(&ended, "inrush_exit_code"), Some(0.0), "{ended}");
    });
}

#[test]
fn metrics_say_how_a_load_ended_that_stored_nothing() {
    everywhere("metrics_failed", |place| {
        place.sql(TABLE);
        place.forget();
        place.write("numbers.csv", numbers(9, |id| if id == 7 { "x,1".to_owned() } else { format!("{id},{id}") }));
        let done = place.load("numbers.csv --into numbers --metrics-file load.prom");
        let text = file_of_metrics(place);
        let label = format!("{{table=\"{}.numbers\"}}", place.schema.name());
        assert_eq!((done.code, value(&text, &format!("inrush_load_exit_code{label}"))), (2, Some(2.0)), "{done}{text}");
        let done = place.load("missing.csv --into numbers --metrics-file load.prom");
        let text = file_of_metrics(place);
        assert_eq!((done.code, value(&text, "inrush_exit_code")), (1, Some(1.0)), "{done}{text}");
        assert!(!text.contains(&label), "{text}");
    });
}

#[test]
fn metrics_that_go_nowhere_are_an_error_before_the_load() {
    everywhere("metrics_nowhere", |place| {
        place.sql(TABLE);
        place.forget();
        place.write("numbers.csv", numbers(3, |id| format!("{id},{id}")));
        let taken = TcpListener::bind("127.0.0.1:0").unwrap();
        let taken = taken.local_addr().unwrap();
        for (option, code, message) in [
            ("--metrics-listen 9899", 1, "error: `--metrics-listen 9899` is not an address"),
            (&format!("--metrics-listen {taken}"), 1, &format!("error: `--metrics-listen {taken}` cannot be used: ")),
            (
                "--metrics-file no/such/load.prom",
                1,
                "error: `--metrics-file no/such/load.prom` cannot be written: No such file or directory",
            ),
            ("--metrics-file .", 1, "error: `--metrics-file .` cannot be written: "),
        ] {
            let done = place.load(&format!("numbers.csv --into numbers {option}"));
            assert_eq!(done.code, code, "{option}: {done}");
            done.says(message);
            done.says("hint: ");
        }
        assert_eq!(place.sql("SELECT COUNT(*) FROM numbers"), "0");
    });
}

/// What the listener answers to `GET /metrics`, without its headers; `None` if the request took longer than it waits for one.
fn scrape(address: &str) -> Option<String> {
    let mut client = TcpStream::connect(address).unwrap();
    client.write_all(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n").ok()?;
    let mut answer = String::new();
    client.read_to_string(&mut answer).ok()?;
    let (head, body) = answer.split_once("\r\n\r\n")?;
    assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{head}");
    Some(body.to_owned())
}

/// The value of a sample; `None` if there is none.
/// The file `load.prom` without the label that its samples have in common.
fn file_of_metrics(place: &Place) -> String {
    let text = place.read("load.prom");
    let mut samples = text.lines().filter(|line| !line.starts_with('#'));
    assert!(samples.all(|line| line.contains("{run=\"load\"")), "{text}");
    text.replace("{run=\"load\",", "{").replace("{run=\"load\"}", "")
}

fn value(text: &str, sample: &str) -> Option<f64> {
    text.lines().find_map(|line| line.strip_prefix(sample)?.strip_prefix(' ')?.parse().ok())
}
