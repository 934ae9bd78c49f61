//! `inrush bench sweep` on a server.

use super::{Place, gives_advice, said};
use serde_json::Value;

pub(super) fn every_combination_is_measured(place: &Place) {
    let grid = "--statement-rows 1,20 --connections 1,3 --columns 6 --partitions 0,2 --for 0.03";
    let done = place.bench(&format!("sweep {grid} --json -o sweep.jsonl"));
    assert_eq!(done.status.code(), Some(0), "{}", said(&done));
    let document: Value = serde_json::from_slice(&done.stdout).unwrap();
    let cases = document["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 8, "{document}");
    for case in cases {
        assert_eq!((&case["rate"]["n"], &case["case"]["rows"]), (&3.into(), &0.into()), "{case}");
        for name in ["rows_per_second", "speed_up", "client_cpu", "bytes_sent"] {
            assert!(case[name].as_f64().unwrap() > 0.0, "{name}: {case}");
        }
        assert!(case["latency"]["n"].as_u64() > Some(0), "{case}");
    }
    assert_eq!(document["run"]["ddl"].as_array().unwrap().len(), 2, "{document}");
    let shown = said(&place.bench("report sweep.jsonl"));
    assert!(shown.contains("rows/s by connections (down) and partitions (across)"), "{shown}");
    assert!(shown.contains("\nrows a statement 20\n"), "{shown}");
    assert_eq!(place.sql("SHOW DATABASES LIKE 'inrush_bench'"), "", "it cleans up");
}

pub(super) fn knees_are_named(place: &Place) {
    let mut methods = vec!["multi-row", "multi-row-prepared"];
    methods.extend(place.server.local_infile.then_some("load-data"));
    methods.extend((!place.server.name.contains("mysql")).then_some("bulk"));
    for method in methods {
        let done = place.bench(&format!(
            "sweep --statement-rows 2,5,50 --connections 2 --for 0.02 --method {method} -o {method}.jsonl"
        ));
        let shown = said(&done);
        assert_eq!(done.status.code(), Some(0), "{shown}");
        gives_advice(&shown, &["rows a statement: the peak is at ", "Fastest: rows a statement "]);
    }
}

pub(super) fn what_cannot_be_is_told(place: &Place) {
    place.fails("sweep --indexes 4", 1, "`--indexes 4` is too many for a table of 4 columns");
    place.fails("sweep --for 0", 1, "seconds, 0.01 to 86400");
    place.fails("sweep --method row", 1, "it takes `multi-row`");
    place.fails("sweep --grid published --connections 3", 1, "cannot be used with");
    place.fails(
        "sweep --connections 1024 -o h.jsonl",
        1,
        "nothing is left to be measured on this server: 1024 connections",
    );
    if place.server.name.contains("mysql") {
        place.fails("sweep --method bulk", 1, "`--method bulk`: it is a command of MariaDB");
    }
    let done = place.bench("sweep --statement-rows 1,10 --connections 1,1024 --for 0.02 -o i.jsonl");
    assert_eq!(done.status.code(), Some(0), "{}", said(&done));
    assert!(said(&done).contains("a part of the grid is not measured: 1024 connections"), "{}", said(&done));
}
