//! The options that decide what is done: the table made or emptied, nothing sent at all, the method, how loud.

use crate::place::{Rows, best_insert, everywhere, methods};
use serde_json::Value;

#[test]
fn a_table_is_made_if_it_is_not_there() {
    everywhere("create", |place| {
        place.write("a.csv", "id,name,born,pay\n1,Ann,1990-01-02,1.50\n2,Bob,NA,\n");
        let dry = place.load("a.csv --into people --create-table --dry-run");
        assert_eq!((dry.code, dry.rows()), (0, Some(Rows::stored(2))), "{dry}");
        assert_eq!(place.sql("SHOW TABLES"), "");
        let done = place.done(&place.command("a.csv --into people --create-table --json").output().unwrap());
        assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(2))), "{done}");
        done.says("`NA` is read as NULL in id, born, pay");
        done.says("created the table:\nCREATE TABLE `shop`.`people` (\n");
        assert_eq!(place.sql("SELECT * FROM people ORDER BY id"), "1,Ann,1990-01-02,1.50|2,Bob,NULL,NULL");
        // There already: it is used as it is.
        place.write("b.csv", "id,name\n3,Cy\n");
        assert_eq!(place.load("b.csv --into people --create-table").rows(), Some(Rows::stored(1)));
        assert_eq!(place.sql("SELECT COUNT(*) FROM people"), "3");
        place.write("empty.csv", "");
        let done = place.load("empty.csv --into nobody --create-table --no-header");
        assert_eq!(done.code, 1, "{done}");
        done.says("error: `--create-table` needs a first row, and there is none");
    });
}

#[test]
fn an_empty_file_without_a_header_has_no_rows() {
    everywhere("empty", |place| {
        place.sql("CREATE TABLE people (id INT, name VARCHAR(20))");
        place.write("a.csv", "");
        place.write("b.csv", "1,Ann\n");
        assert_eq!(place.load("a.csv b.csv --into people --no-header").rows(), Some(Rows::stored(1)));
        assert_eq!(place.load("a.csv --into people --no-header").rows(), Some(Rows::stored(0)));
        let done = place.done(&place.command("a.csv --into people --no-header --json").output().unwrap());
        done.says("no rows: ");
    });
}

#[test]
fn a_dry_run_checks_everything_and_sends_nothing() {
    everywhere("dry_run", |place| {
        place.sql("CREATE TABLE people (id INT PRIMARY KEY, age TINYINT); INSERT INTO people VALUES (1, 1)");
        let rows: String = (2..5_000).map(|id| format!("{id},{}\n", if id % 1_000 == 0 { "x" } else { "1" })).collect();
        place.write("a.csv", format!("id,age\n{rows}"));
        let done = place.load("a.csv --into people --dry-run --batch 100 --bad-rows skip --truncate");
        assert_eq!(
            (done.code, done.rows(), &done.json["dry_run"]),
            (4, Some(Rows::rejecting(4_994, 4)), &Value::Bool(true)),
            "{done}"
        );
        let lines: Vec<_> =
            done.json["first_rejects"].as_array().unwrap().iter().map(|r| r["line"].as_u64().unwrap()).collect();
        assert_eq!(lines, [1000, 2000, 3000, 4000]);
        let done = place.load("a.csv --into people --dry-run");
        assert_eq!(done.code, 2, "{done}");
        done.says(
            "error: `x` is not a whole number; 3 more bad rows in the same chunk (a.csv, line 1000, column `age`)",
        );
        assert!(!done.stderr.contains("stored"), "{done}");
        assert_eq!(place.sql("SELECT * FROM people"), "1,1");
    });
}

#[test]
fn the_method_is_the_server_s_or_the_user_s() {
    everywhere("method", |place| {
        place.sql("CREATE TABLE people (id INT, name VARCHAR(20))");
        place.write("a.csv", "id,name\n1,Ann\n");
        let auto = place.load("a.csv --into people");
        let (name, reason) = if place.server.local_infile {
            ("load-data", "the server allows LOAD DATA LOCAL, its fastest way in")
        } else {
            (best_insert(place), "the server has `local_infile` off, so LOAD DATA LOCAL is not allowed")
        };
        assert_eq!(auto.json["method"], serde_json::json!({ "name": name, "reason": reason }), "{auto}");
        for method in methods(place) {
            let asked = place.load(&format!("a.csv --into people --method {method}"));
            let want = serde_json::json!({ "name": method, "reason": "requested" });
            assert_eq!((asked.code, &asked.json["method"]), (0, &want), "{asked}");
        }
        place.sql("CREATE TABLE flags (id INT, name BIT(8))");
        let refused = place.load("a.csv --into flags --method multi-row-prepared");
        assert_eq!(refused.code, 1, "{refused}");
        refused.says("\nhint: `--method multi-row` can");
        let bulk = place.load("a.csv --into flags --method bulk");
        assert_eq!(bulk.code, 1, "{bulk}");
        bulk.says(if place.is_mysql() {
            "it is a command of MariaDB"
        } else {
            "`bulk` cannot write this load: the table has"
        });
        let load_data = place.load("a.csv --into people --method load-data");
        if place.server.local_infile {
            assert_eq!(load_data.code, 0, "{load_data}");
        } else {
            assert_eq!(load_data.code, 1, "{load_data}");
            load_data.says("`local_infile`");
            load_data.says("\nhint: ");
        }
        let unknown = place.load("a.csv --into people --method fast");
        assert_eq!(unknown.code, 1, "{unknown}");
    });
}

#[test]
fn lanes_insert_where_a_load_would_hold_the_lock_of_the_ids() {
    everywhere("serial", |place| {
        let columns = "id INT AUTO_INCREMENT PRIMARY KEY, name VARCHAR(20)";
        for table in ["a", "b", "c", "d", "e"] {
            place.sql(&format!("CREATE TABLE {table} ({columns}, KEY (name))"));
        }
        place.sql(&format!("CREATE TABLE f ({columns})"));
        place.write("a.csv", "id,name\n7,Ann\n8,Bea\n");
        place.write("b.csv", "name\nAnn\nBea\n");
        let locks = place.sql("SELECT @@innodb_autoinc_lock_mode") == "1";
        assert_eq!(locks, !place.is_mysql(), "the servers' defaults");
        let insert = best_insert(place);
        for (load, is_serial) in [
            ("a.csv --into a", true),
            ("b.csv --into b --lanes 2", true),
            ("a.csv --into c --lanes 1", false),
            // Its LOAD goes into a stage, which makes no ids.
            ("a.csv --into d --mode upsert", false),
            // There is nothing but the primary key to keep.
            ("a.csv --into e --defer-indexes", false),
            ("a.csv --into f", false),
        ] {
            let done = place.load(load);
            assert_eq!(done.code, 0, "{done}");
            let want = if place.server.local_infile && !(locks && is_serial) { "load-data" } else { insert };
            assert_eq!(done.json["method"]["name"], want, "{done}");
            let says_why = done.json["method"]["reason"].as_str().unwrap().contains("AUTO_INCREMENT");
            assert_eq!(says_why, place.server.local_infile && locks && is_serial, "{done}");
        }
        for table in ["a", "b", "c", "d", "e", "f"] {
            let want = if table == "b" { "1,Ann|2,Bea" } else { "7,Ann|8,Bea" };
            assert_eq!(place.sql(&format!("SELECT * FROM {table} ORDER BY id")), want);
        }
    });
}

#[test]
fn a_summary_for_people_and_a_document_for_programs() {
    everywhere("summary", |place| {
        place.sql("CREATE TABLE people (id INT PRIMARY KEY, age INT)");
        place.write("a.csv", "id,age\n1,30\n2,x\n3,31\n");
        let text = place.done(&place.command("a.csv --into people --bad-rows skip -q").output().unwrap());
        assert_eq!((text.code, text.stderr.as_str()), (4, ""), "{text}");
        let lines: Vec<&str> = text.stdout.lines().collect();
        let names: Vec<&str> = lines.iter().map(|line| line.split("  ").next().unwrap()).collect();
        assert_eq!(names, ["table", "method", "rows", "chunks", "speed", "rejected"], "{text}");
        assert!(lines.contains(&"rows      3 read = 2 stored + 1 rejected"), "{text}");
        assert!(lines.contains(&"rejected  `x` is not a whole number (a.csv, line 3, column `age`)"), "{text}");

        let json = place.load("a.csv --into people --bad-rows skip --truncate").json;
        let mut keys: Vec<&str> = json.as_object().unwrap().keys().map(String::as_str).collect();
        keys.sort_unstable();
        assert_eq!(
            keys,
            [
                "bytes",
                "chunks",
                "dry_run",
                "exit_code",
                "first_rejects",
                "host",
                "inrush",
                "jobs",
                "lanes",
                "method",
                "mode",
                "noted",
                "pending",
                "replays",
                "resumed",
                "retries",
                "rows",
                "seconds",
                "server",
                "sort",
                "stop",
                "stored_records",
                "table",
                "time_zone",
                "tuning",
                "unknown_records",
                "version",
                "waits",
                "yielded_seconds"
            ]
        );
        assert_eq!((&json["inrush"], &json["version"], &json["stop"]), (&"load".into(), &1.into(), &Value::Null));
        let reject = serde_json::json!(
            { "source": "a.csv", "line": 3, "column": "age", "code": 0, "reason": "`x` is not a whole number" });
        assert_eq!(json["first_rejects"], serde_json::json!([reject]));
        let stored = serde_json::json!({ "source": "a.csv", "first": 1, "last": 3, "first_line": 2, "last_line": 4 });
        assert_eq!(json["stored_records"], serde_json::json!([stored]));

        let failed = place.load("nope.csv --into people").json;
        let error = serde_json::json!({ "message": "cannot open `nope.csv`: No such file or directory (os error 2)", "hint": null, "code": 0 });
        assert_eq!((&failed["exit_code"], &failed["error"]), (&1.into(), &error));
    });
}

/// `-h` is the host, as in the mysql client; without one it asks for help.
#[test]
fn every_command_takes_a_bare_h_for_help() {
    for call in
        ["", "load", "load people.csv --into people", "export", "bench", "bench insert", "server", "server start"]
    {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_inrush"));
        let done = command.args(call.split_whitespace()).arg("-h").output().unwrap();
        let said = String::from_utf8_lossy(&done.stdout);
        assert!(done.status.success() && said.contains("Usage: inrush"), "{call}: {done:?}");
    }
}

#[test]
fn words_for_true_and_false() {
    everywhere("truths", |place| {
        place.sql("CREATE TABLE flags (id INT PRIMARY KEY, a TINYINT(1), b BIT(1), n INT, t VARCHAR(9))");
        place.write("flags.csv", "id,a,b,n,t\n1,ja,N,Y,ja\n2,NEIN,y,7,N\n");
        let words = "--true ja --true Y --false nein --false N";
        let done = place.load(&format!("flags.csv --into flags {words}"));
        assert_eq!(done.code, 0, "{done}");
        assert_eq!(place.sql("SELECT id, a, b+0, n, t FROM flags ORDER BY id"), "1,1,0,1,ja|2,0,1,7,N");
        place.write("bad.csv", "id,a,b,n,t\n3,jein,N,Y,x\n");
        assert_eq!(place.load(&format!("bad.csv --into flags {words}")).code, 2);
        let done = place.load(&format!("flags.csv --into made --create-table {words}"));
        assert_eq!(done.code, 0, "{done}");
        let types = "SELECT GROUP_CONCAT(LEFT(COLUMN_TYPE, 7) ORDER BY ORDINAL_POSITION SEPARATOR ' ') FROM information_schema.COLUMNS \
                     WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 'made' AND COLUMN_NAME IN ('a', 'b', 't')";
        assert_eq!(place.sql(types), "tinyint tinyint tinyint");
        assert_eq!(place.sql("SELECT a, b, t FROM made ORDER BY id"), "1,0,1|0,1,0");
        let done = place.load(&format!("flags.csv --into flags {words} --false JA"));
        assert_eq!(done.code, 1, "{done}");
        done.says("`ja` cannot be both `--true` and `--false`");
    });
}
