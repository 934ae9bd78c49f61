//! What a slow load says at its end.

use crate::numbers::{TABLE, numbers};
use crate::place::on;
use inrush_testkit::servers;
use std::process::Stdio;

/// The rate makes the load last: no clock of the test does.
#[test]
fn a_slow_load_says_what_it_waited_for() {
    let servers = ["mysql-9.7", "mariadb-11.8"].map(servers::one).to_vec();
    on(servers, "slow", |place| {
        place.sql(&format!("{TABLE}; {}", TABLE.replace("numbers", "others")));
        place.write("numbers.csv", numbers(1_300, |id| format!("{id},{id}")));
        place.write("few.csv", numbers(1_500, |id| format!("{},{}", id + 1_300, id + 1_300)));
        let slow = |arguments: &str| {
            let mut command = place.command(&format!("numbers.csv --rate 100 {arguments}"));
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
        };
        let (loud, quiet) = (slow("--into numbers --json"), slow("--into others -q"));
        let [loud, quiet] = [loud, quiet].map(|load| place.done(&load.wait_with_output().unwrap()));
        assert_eq!((loud.code, quiet.code), (0, 0), "{loud}{quiet}");
        loud.says("% of their time for rows, as `--rate` allowed no more");
        let waits = &loud.json["waits"];
        assert_eq!(waits["slow"]["for"], "rate", "{loud}");
        assert!(waits["slow"]["share"].as_f64().unwrap() > 0.5, "{loud}");
        for name in ["commit", "rows", "chunks", "source", "rate"] {
            assert!(waits[format!("{name}_seconds")].as_f64().unwrap() > 0.0, "{name}: {loud}");
        }
        assert_eq!(waits["retries_seconds"], 0.0, "{loud}");
        assert_eq!(quiet.stderr, "", "{quiet}");
        // A short one has nothing to say.
        let short = place.load("few.csv --into numbers");
        assert_eq!((short.code, &short.json["waits"]["slow"]), (0, &serde_json::Value::Null), "{short}");
        assert!(!short.stderr.contains("of their time"), "{short}");
    });
}
