//! What runs loads at night: events as they happen, jobs from a file, and the state on request.

use crate::numbers::{TABLE, numbers};
use crate::place::everywhere;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

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
