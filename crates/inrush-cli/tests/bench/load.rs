//! `inrush bench load` on a server.

use super::{Place, gives_advice, said};
use inrush_testkit::servers;
use serde_json::Value;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

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

pub(super) fn orders_of_rows_are_compared(place: &Place) {
    // The same rows as ours, or the run would end with an error.
    for data in ["t6", "t7", "t8"] {
        let document = place.document(&format!("load --data {data} --rows 300 {KEYED} -o {data}.jsonl"), 0);
        let ids: Vec<&str> =
            document["cases"].as_array().unwrap().iter().map(|case| case["case"]["id"].as_str().unwrap()).collect();
        // Three sorts, of which each has no indexes, indexes, and deferred ones.
        let n_loads = 3 * 3 * (1 + usize::from(place.server.local_infile));
        assert_eq!(ids.len(), n_loads + 2 * 2, "{ids:?}");
        let of_server =
            if data == "t7" { "insert-select / 0 indexes" } else { "load-data-on-server / sorted file / 0 indexes" };
        assert!(ids.contains(&of_server) && ids.contains(&DEFERRED), "{ids:?}");
        for case in document["cases"].as_array().unwrap() {
            assert!(case["of_limit"].is_number() && case["speed_up"].is_number(), "{data}: {case}");
            assert!(case["pages_read"].is_number() && case["pages_written"].is_number(), "{data}: {case}");
            assert!(case["table_bytes"].as_f64() >= Some(65_536.0), "{data}: {case}");
        }
        let ddl = document["run"]["ddl"].as_array().unwrap();
        assert!(ddl.len() == 2 && ddl[1].as_str().unwrap().contains("KEY pad_2"), "{ddl:?}");
    }
}

pub(super) fn servers_of_several_sizes(family: &str) {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_inrush"));
    command.args(
        "bench load --data t6 --rows 300 --lanes 1 --commit-rows none --sort key --once --json -o a.jsonl".split(' '),
    );
    command.args(["--server-memory", "64MiB,128MiB"]).current_dir(folder.path());
    command.env("INRUSH_MYSQLD", servers::one(family).mysqld).env_remove("INRUSH_URL");
    command.env("HOME", folder.path()).env("TMPDIR", folder.path());
    let done = command.output().unwrap();
    assert_eq!(done.status.code(), Some(0), "{}", said(&done));
    let document: Value = serde_json::from_slice(&done.stdout).unwrap();
    assert_eq!(document["run"]["server"]["settings"]["innodb_buffer_pool_size"], "67108864,134217728");
    let cases = document["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 2 * 3, "{document}");
    for case in cases {
        assert_eq!(case["seconds"]["n"], 1, "{case}");
        assert!(["64", "128"].iter().any(|size| case["case"]["with"]["pool MiB"] == *size), "{case}");
        assert!(case["of_limit"].is_number() && case["speed_up"].is_number(), "{case}");
    }
    let left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["a.jsonl"], "what it leaves behind");
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
        assert!(said(&done).contains("insert-select"), "{}", said(&done));
        gives_advice(&said(&done), &["Fastest: "]);
        assert!(said(&done).contains("load-data-on-server is not measured"), "{}", said(&done));
        assert_eq!(place.sql("SHOW TABLES FROM inrush_bench"), "mine", "tables and ledger are gone");
        fs::remove_file(place.path("own.jsonl")).unwrap();
    }
    place.sql("DROP DATABASE inrush_bench");
    assert_eq!(fs::read_to_string(place.path("people.csv")).unwrap().lines().count(), 4, "it is left alone");
}

/// By a `perf` of ours, which says what it was asked for.
pub(super) fn the_server_is_profiled(place: &Place) {
    let folder = place.path("programs");
    fs::create_dir(&folder).unwrap();
    let perf = "#!/bin/sh
if [ $1 = record ]; then
  for file; do :; done
  echo $6 >$file
  trap 'exit 0' INT
  while :; do sleep 0.01; done
fi
echo ' 30 |libc.so.6 |[.] memmove'
echo ' 60 |server |[.] Field::store(char const*)'
echo ' 10 |server |[.] 0x000000000072d8f6'
";
    fs::write(folder.join("perf"), perf).unwrap();
    fs::set_permissions(folder.join("perf"), fs::Permissions::from_mode(0o755)).unwrap();
    let profiled = "load --data t1 --rows 300 --lanes 1 --commit-rows none --once --profile -o profiled.jsonl";
    let mut command = place.command(profiled);
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
    let done = command.env("PATH", path).env("TMPDIR", &folder).output().unwrap();
    assert_eq!(done.status.code(), Some(0), "{}", said(&done));
    let shares = " 60.0 %  Field::store(char const*) (server)\n 30.0 %  memmove (libc.so.6)\n 10.0 %  functions without a name (server)";
    assert!(said(&done).contains(&format!("The server's time during insert-select:\n{shares}\n")), "{}", said(&done));
    fs::remove_file(folder.join("perf")).unwrap();
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 0, "its samples are gone");
    let mut command = place.command(&profiled.replace("profiled.j", "none.j"));
    let done = command.env("PATH", &folder).output().unwrap();
    assert!(done.status.code() != Some(0) && said(&done).contains("cannot run `perf`"), "{}", said(&done));
    assert!(said(&done).contains("`--profile` needs it"), "{}", said(&done));
}

pub(super) fn what_cannot_be_is_told(place: &Place) {
    place.fails("load --data t9", 1, "`t9` is not a data set");
    place.fails("load --file nothing.csv", 1, "nothing.csv");
    place.fails("load --file a.csv --rows 5", 1, "cannot be used with");
    place.fails("load --data t5 --indexes 1 -o no.jsonl", 1, "`t5` may have 0 of them");
    place.fails("load --data t6 --indexes 0,3 -o no.jsonl", 1, "`--indexes 3`: `t6` may have 2 of them");
    place.fails("load --sort backwards", 1, "`key` (sorted by the table's clustered key)");
    place.fails("load --defer-indexes", 1, "--indexes");
    place.fails("load --commit-rows 0", 1, "1 to 1000000, or `none`");
    place.fails("load --once --full", 1, "cannot be used with");
    place.fails("load --server-memory 1M", 1, "at least 16M");
    place.fails("load --server-memory 128M -o no.jsonl", 1, "another one is named");
    place.fails("load --lanes 0", 1, "1 to 64, or `auto`");
    fs::write(place.path("bad.csv"), "id,name\n1,Ann\nx,Bob\n").unwrap();
    let mut command = place.command("load --file bad.csv -o bad.jsonl");
    let done = command.args(["--table", "id INT, name TEXT"]).output().unwrap();
    assert_eq!(done.status.code(), Some(2), "{}", said(&done));
    assert!(said(&done).contains("bad.csv, line 3"), "{}", said(&done));
}

const KEYED: &str = "--lanes auto --commit-rows 100 --sort none,key,auto --indexes 0,2 --defer-indexes";

const DEFERRED: &str = "multi-row / 100 rows a commit / sort key / 2 indexes deferred";
