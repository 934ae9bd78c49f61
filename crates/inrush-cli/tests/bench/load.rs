//! `inrush bench load` on a server.

use super::{Place, said};
use serde_json::Value;
use std::fs;

pub(super) fn files_are_loaded_in_every_way(place: &Place) {
    let mut sets = ["t1 --rows 300", "t5 --rows 40", "tpch:lineitem --scale 0.001"].map(str::to_owned).to_vec();
    // Every data set on one server.
    if place.server.instance == "mariadb-11.8-nolocal" {
        let others = ["region", "nation", "supplier", "customer", "part", "orders"];
        sets.extend(others.map(|name| format!("tpch:{name} --scale 0.001")));
        // With fewer suppliers a part has one of them twice.
        sets.push("tpch:partsupp --scale 0.01".into());
        sets.push("t2 --rows 40".into());
    }
    for data in sets {
        let file = "load.jsonl";
        let done = place.bench(&format!("load --data {data} --lanes 1,auto --commit-rows 500 --json -o {file}"));
        assert_eq!(done.status.code(), Some(0), "{data}: {}", said(&done));
        fs::remove_file(place.path(file)).unwrap();
        let document: Value = serde_json::from_slice(&done.stdout).unwrap();
        let cases = document["cases"].as_array().unwrap();
        assert_eq!(cases.len(), 3 + 2 * usize::from(place.server.local_infile), "{document}");
        for case in cases {
            assert_eq!(case["rate"]["n"], 3, "{data}: {case}");
            assert!(case["of_limit"].is_number() && case["speed_up"].is_number(), "{data}: {case}");
        }
    }
    assert_eq!(place.sql("SHOW DATABASES LIKE 'inrush_bench'"), "", "it cleans up");
}

pub(super) fn a_file_of_ones_own(place: &Place) {
    fs::write(place.path("people.csv"), "id,name,born\n1,Ann,1980-01-02\n2,,1990-03-04\n3,\"O, N\",\n").unwrap();
    // A schema of somebody.
    place.sql("CREATE DATABASE inrush_bench; CREATE TABLE inrush_bench.mine (id INT)");
    for table in [None, Some("id INT PRIMARY KEY, name VARCHAR(20), born DATE")] {
        let mut command = place.command("load --file people.csv --lanes 2 --commit-rows 2 -o own.jsonl");
        command.args(table.map(|columns| ["--table", columns]).into_iter().flatten());
        let done = command.output().unwrap();
        assert_eq!(done.status.code(), Some(0), "{}", said(&done));
        assert!(said(&done).contains("insert-select") && said(&done).contains("Fastest: "), "{}", said(&done));
        assert!(said(&done).contains("load-data-on-server is not measured"), "{}", said(&done));
        assert_eq!(place.sql("SHOW TABLES FROM inrush_bench"), "mine", "tables and ledger are gone");
        fs::remove_file(place.path("own.jsonl")).unwrap();
    }
    place.sql("DROP DATABASE inrush_bench");
    assert_eq!(fs::read_to_string(place.path("people.csv")).unwrap().lines().count(), 4, "it is left alone");
}

pub(super) fn what_cannot_be_is_told(place: &Place) {
    place.fails("load --data t9", 1, "`t9` is not a data set");
    place.fails("load --file nothing.csv", 1, "nothing.csv");
    place.fails("load --file a.csv --rows 5", 1, "cannot be used with");
    place.fails("load --lanes 0", 1, "1 to 64, or `auto`");
    fs::write(place.path("bad.csv"), "id,name\n1,Ann\nx,Bob\n").unwrap();
    let mut command = place.command("load --file bad.csv -o bad.jsonl");
    let done = command.args(["--table", "id INT, name TEXT"]).output().unwrap();
    assert_eq!(done.status.code(), Some(2), "{}", said(&done));
    assert!(said(&done).contains("bad.csv, line 3"), "{}", said(&done));
}
