//! `inrush bench insert --peers` with a scripted peer: it comes into the same table, its rows are checked, and when it fails it is named
//! and what was measured stays. How its process is handled is tested in `inrush-bench`.

use super::{Place, said};
use serde_json::Value;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;

pub(super) fn peers_are_measured(place: &Place) {
    // The rows of the table that the server copies from are those of the file.
    let stores = "INSERT INTO inrush_bench.bench_users SELECT * FROM inrush_bench.bench_source WHERE id <= $rows";
    peer(place, "good-one", &format!("sql \"{stores}\"; answer $rows"));
    let done = place.bench("insert --rows 20,50 --peers good --peers-folder peers --json -o peers.jsonl");
    assert_eq!(done.status.code(), Some(0), "{}", said(&done));
    let document: Value = serde_json::from_slice(&done.stdout).unwrap();
    let cases = document["cases"].as_array().unwrap();
    let theirs: Vec<_> = cases.iter().filter(|case| case["case"]["subject"] == "fake multi-row").collect();
    assert_eq!(theirs.len(), 2, "{document}");
    for case in theirs {
        assert_eq!((&case["case"]["role"], &case["seconds"]["n"]), (&"subject".into(), &3.into()), "{case}");
        assert!(case["speed_up"].is_number() && case["of_limit"].is_number(), "{case}");
        assert!((case["client_cpu"].as_f64().unwrap() * 1e6).round() > 0.0, "{case}");
    }
    assert_eq!(document["run"]["options"]["peers"], "Fake 7");
    assert!(said(&done).contains("\"complete\": true"), "{}", said(&done));
    what_fails_is_named(place);
}

fn what_fails_is_named(place: &Place) {
    let run = |file: &str| format!("insert --rows 5 --peers all --peers-folder peers -o {file}.jsonl");
    // Each ends the run in its first round or before; ours may have been measured by then.
    peer(place, "good-one", "answer $rows");
    place.fails(&run("lies"), 3, "`fake multi-row / once / 5`: the table holds 0 rows");
    peer(place, "good-one", "echo oops >&2; exit 7");
    place.fails(&run("dies"), 3, "the peer `good-one` ended when it was to run `fake multi-row` (exit code 7): oops");
    let report = place.bench("report dies.jsonl");
    assert_eq!(report.status.code(), Some(0), "{}", said(&report));
    assert!(said(&report).contains("did not come to its end"), "{}", said(&report));
    peer(place, "good-one", "echo done");
    place.fails(&run("babbles"), 3, "the peer `good-one` said `done`");
    assert_eq!(place.sql("SHOW DATABASES LIKE 'inrush_bench'"), "", "it cleans up");
    place.fails("insert --peers go --peers-folder peers", 1, "no peer `go`");
    place.fails("insert --peers all --peers-folder nowhere", 1, "make peers");
    place.fails("insert --peers all --peers-folder peers --operation delete", 1, "peers insert rows");
}

/// Makes a peer that does what `run` says; `sql` and `answer` are there for it.
fn peer(place: &Place, name: &str, run: &str) {
    let server = &place.server;
    let script = format!(
        r#"#!/usr/bin/env bash
sql() {{ MYSQL_PWD=$INRUSH_PASSWORD '{client}' --no-defaults -S '{socket}' -u '{user}' -e "$1"; }}
answer() {{ echo "{{\"seconds\": 0.000001, \"rows\": $1, \"cut\": false, \"client_cpu\": 0.001}}"; }}
number() {{ [[ $message =~ \"$1\":([0-9]+) ]] && echo "${{BASH_REMATCH[1]}}"; }}
echo '{{"protocol": 1, "peer": "Fake", "version": "7", "routes": ["socket"],
  "cases": [{{"subject": "fake multi-row", "commits": ["once"]}}, {{"subject": "fake moon", "commits": ["once"], "needs": ["moon"]}}]}}' | tr -d '\n'; echo
while read -r message; do
  rows=$(number rows)
  case $message in *'"op":"prepare"'*) echo "{{\"ready\": $rows}}" ;; *) {run} ;; esac
done
"#,
        client = server.client.display(),
        socket = server.socket.display(),
        user = server.user,
    );
    let folder = place.path("peers");
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join(name);
    fs::write(&path, script).unwrap();
    fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
}
