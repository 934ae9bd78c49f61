//! `inrush bench rtt` on a server.

use super::{Place, gives_advice, said};
use serde_json::Value;
use std::path::Path;

pub(super) fn every_way_to_the_server_is_measured(place: &Place) {
    let done = place.bench("rtt --rtt 0,2 --jitter 0.1 --rows 6 --json -o rtt.jsonl");
    assert_eq!(done.status.code(), Some(0), "{}", said(&done));
    let document: Value = serde_json::from_slice(&done.stdout).unwrap();
    let cases = document["cases"].as_array().unwrap();
    let is_mysql = place.server.name.contains("mysql");
    let n_ways = 8 - usize::from(is_mysql) - usize::from(!place.server.local_infile);
    // The inserter and the pings.
    assert_eq!(cases.len(), 3 * (2 * n_ways + 2), "{document}");
    for case in cases {
        assert_eq!(case["seconds"]["n"], 3, "{case}");
        // A relay of 2 ms lets no answer through before that, row by row not one of six.
        let waits = match case["case"]["subject"].as_str().unwrap() {
            "row" | "prepared" => 6.0,
            "ping" => 21.0,
            _ => 1.0,
        };
        let is_far = case["case"]["with"]["rtt ms"] == "2";
        assert!(!is_far || case["seconds"]["min"].as_f64().unwrap() >= waits * 0.002, "{case}");
    }
    // A host by TCP; and what is said.
    let server = &place.server;
    let by_tcp = format!("rtt --rtt 1 --rows 3 -h {} -P {} -u {} -o tcp.jsonl", server.host, server.port, server.user);
    let done = place.command_as_is(&by_tcp).output().unwrap();
    let shown = said(&done);
    assert_eq!(done.status.code(), Some(0), "{shown}");
    assert!(shown.contains("by tcp"), "{shown}");
    gives_advice(&shown, &["\n1 ms (ping ", "of 1000/ping", "times as fast: "]);
    assert!(sockets_left(&std::env::temp_dir()).is_empty(), "{:?}", sockets_left(&std::env::temp_dir()));
}

/// Of one server: everything takes its time there.
pub(super) fn a_far_server_cuts_what_takes_too_long(place: &Place) {
    if place.server.instance != "mysql-9.7-nolocal" {
        return;
    }
    let done = place.bench("rtt --rtt 20 --rows 70 --cap 1 -o far.jsonl");
    let shown = said(&done);
    assert_eq!(done.status.code(), Some(0), "{shown}");
    let row = shown.lines().find(|line| line.starts_with("row ") && line.contains(" 20 ")).unwrap();
    assert!(row.contains(" cut ") && shown.contains("20 ms / row / each statement / 70: cut after "), "{shown}");
    gives_advice(&shown, &["row by row was cut"]);
}

pub(super) fn what_cannot_be_is_told(place: &Place) {
    place.fails("rtt --rtt=-1", 1, "milliseconds, 0 to 10000");
    place.fails("rtt --rtt far", 1, "milliseconds, 0 to 10000");
    place.fails("rtt --bandwidth 0", 1, "megabits a second");
    let server = &place.server;
    let verified = format!(
        "rtt --rtt 1 -h {} -P {} -u {} --tls verify-full --tls-ca {} -o k.jsonl",
        server.host,
        server.port,
        server.user,
        server.ca.display()
    );
    // Where its certificate does not name the host, the first connection fails already.
    let done = place.command_as_is(&verified).output().unwrap();
    assert!(!done.status.success(), "{}", said(&done));
}

/// Of relays of programs that have ended.
fn sockets_left(folder: &Path) -> Vec<String> {
    let names =
        std::fs::read_dir(folder).unwrap().flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
    let is_ended = |name: &String| {
        let number = name.strip_prefix("inrush-relay-").and_then(|rest| rest.split('-').next());
        number.is_some_and(|number| !Path::new(&format!("/proc/{number}")).exists())
    };
    names.filter(is_ended).collect()
}
