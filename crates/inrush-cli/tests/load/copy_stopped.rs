//! Copies that a signal ends: while the target takes rows, while the source is waited for, while tables are compared. They end in order, with
//! what they have done, and the same command goes on.

use crate::copy::{copy, watched};
use crate::copy_resumed::{SMALL, is_whole, source, target};
use crate::dumps::name_lock;
use crate::place::{Done, Place, on};
use crate::session::Session;
use crate::stopped::{Running, await_true, waits};
use inrush_testkit::servers;

/// Runs `test` with each of the six servers as the target, and one of another kind as the source.
fn into_each(label: &str, test: impl Fn(&Place, &Place) + Sync) {
    on(servers::all(), label, |into| {
        let from = target(into);
        source(&from);
        test(&from, into);
    });
}

/// Removes what a copy has made, and what the ledger has of it.
fn clear(into: &Place) {
    into.sql("SET foreign_key_checks = 0; DROP TABLE IF EXISTS a, b, c, inrush_chunk, inrush_job, inrush_reject");
}

/// Names of tables in a part of the document.
fn names(done: &Done, part: &str) -> Vec<String> {
    let name = |one: &serde_json::Value| one["table"].as_str().or(one.as_str()).unwrap_or_default().to_owned();
    done.json[part].as_array().unwrap_or_else(|| panic!("no {part}: {done}")).iter().map(name).collect()
}

#[test]
fn ctrl_c_while_rows_are_stored() {
    into_each("copy_ctrl_c", |from, into| {
        for (signal, times) in [("INT", 1), ("TERM", 1), ("INT", 2)] {
            clear(into);
            into.sql("CREATE TABLE a (id INT PRIMARY KEY, t VARCHAR(20), KEY (t))");
            // The second chunk waits for this row; a table that refers to this one could not be made meanwhile.
            let mut holder = Some(Session::open(into, "BEGIN; INSERT INTO a VALUES (150, 'held')"));
            let mut running = Running::spawn(into, watched(from, into, &format!("{SMALL} --tables a,b")));
            await_true("a copy that waits for the row", || into.server.is_a_row_waited_for(into.schema.name()));
            running.signal(signal);
            running.await_notice("stopping: chunks on their way are finished first; once more stops at once");
            match times {
                1 => drop(holder.take()),
                _ => running.signal(signal),
            }
            let done = running.end();
            assert_eq!((done.code, names(&done, "tables")), (130, vec!["a".to_owned()]), "{signal}: {done}");
            assert_eq!(names(&done, "not_begun"), ["b"], "{done}");
            assert_eq!(done.json["tables"][0]["load"]["stop"]["why"], "interrupted", "{done}");
            done.says("interrupted: what is stored stays");
            done.says("the same command goes on where this one stopped");
            // After the second signal the holder is still there: its row is not.
            let stored: u64 = into.sql("SELECT COUNT(*) FROM a").parse().unwrap();
            let is_expected = if times == 2 { stored == 100 } else { stored == 200 || stored == 300 };
            assert!(is_expected, "{stored}: {done}");
            drop(holder);
            is_whole(from, into, &copy(from, into, SMALL), signal);
        }
    });
}

#[test]
fn ctrl_c_while_the_source_is_waited_for() {
    into_each("copy_ctrl_c_source", |from, into| {
        let mut command = watched(from, into, SMALL);
        command.env("INRUSH_FAULT", "job.taken:1:stop");
        let running = Running::spawn(into, command);
        await_true("the first table is begun", || running.is_stopped());
        let holder = Session::open(from, "LOCK TABLES b WRITE");
        running.signal("CONT");
        await_true("a query that waits", || waits(from));
        running.signal("INT");
        let done = running.end();
        assert_eq!((done.code, names(&done, "tables")), (130, vec!["a".to_owned()]), "{done}");
        assert_eq!(names(&done, "not_begun"), ["b", "c"], "{done}");
        assert_eq!(done.json["tables"][0]["rows"], 300, "{done}");
        done.says("stopping; once more leaves at once");
        done.says("interrupted: what is stored stays");
        done.says("the same command goes on where this one stopped");
        drop(holder);
        is_whole(from, into, &copy(from, into, SMALL), "again");
    });
}

#[test]
fn ctrl_c_while_a_table_is_made() {
    into_each("copy_ctrl_c_create", |from, into| {
        from.sql("CREATE TABLE d (id INT PRIMARY KEY, a INT, FOREIGN KEY (a) REFERENCES a (id))");
        into.sql("CREATE TABLE a (id INT PRIMARY KEY)");
        let holder = Session::open(into, &name_lock(into, "d", "a"));
        let mut running = Running::spawn(into, watched(from, into, "--tables d"));
        await_true("a CREATE that waits", || waits(into));
        running.signal("INT");
        running.await_notice("stopping; once more leaves at once");
        let done = running.end();
        assert_eq!((done.code, names(&done, "not_begun")), (130, vec!["d".to_owned()]), "{done}");
        done.says("the same command goes on where this one stopped");
        assert!(!waits(into));
        drop(holder);
        let made =
            "SELECT COUNT(*) FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 'd'";
        assert_eq!(into.sql(made), "0");
        let done = copy(from, into, "--tables d");
        assert_eq!(done.code, 0, "{done}");
        into.sql("DROP TABLE d");
    });
}

#[test]
fn ctrl_c_while_tables_are_compared() {
    into_each("copy_ctrl_c_compared", |from, into| {
        let mut command = watched(from, into, SMALL);
        command.env("INRUSH_FAULT", "done.answered:3:stop");
        let mut running = Running::spawn(into, command);
        await_true("the last table is stored", || running.is_stopped());
        let holder = Session::open(into, "LOCK TABLES a WRITE");
        running.signal("CONT");
        await_true("a query that waits", || waits(into));
        running.signal("INT");
        running.await_notice("stopping: queries on their way are finished first; once more leaves at once");
        drop(holder);
        let done = running.end();
        assert_eq!((done.code, names(&done, "tables")), (130, ["a", "b", "c"].map(str::to_owned).to_vec()), "{done}");
        assert!(done.json["tables"][2]["verify"].is_null(), "{done}");
        done.says("interrupted: what is stored stays");
        is_whole(from, into, &copy(from, into, SMALL), "again");
    });
}
