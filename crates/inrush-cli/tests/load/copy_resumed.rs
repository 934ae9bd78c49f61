//! Copies that did not come to their end: killed at each point, cut on both sides, two at once, and a source that has changed since. The same command
//! goes on, and no row is lost or doubled.

use crate::copy::{command, command_by, copy, done, tables};
use crate::place::{Place, on};
use crate::stopped::await_true;
use inrush_testkit::proxy::cut::{Cut, Relay};
use inrush_testkit::servers;
use std::os::unix::process::ExitStatusExt as _;
use std::process::Command;

pub(crate) const SMALL: &str = "--batch 100 --lanes 1";

/// A source with a table of each kind of order, 700 rows, and an empty place for it on another server.
pub(crate) fn source(from: &Place) {
    let rows = |with: &str| (1..=300).map(|id| format!("({id},'{with} {id}')")).collect::<Vec<_>>().join(",");
    from.sql(&format!(
        "CREATE TABLE a (id INT PRIMARY KEY, t VARCHAR(20), KEY (t)); INSERT INTO a VALUES {}; \
         CREATE TABLE b (a INT, t VARCHAR(20), KEY (t, a)); INSERT INTO b VALUES {}; INSERT INTO b SELECT 1, 'twice' FROM a WHERE id <= 50; \
         CREATE TABLE c (t VARCHAR(20) PRIMARY KEY, a INT, FOREIGN KEY (a) REFERENCES a (id)); INSERT INTO c SELECT t, id FROM a WHERE id <= 50",
        rows("row"),
        rows("line")
    ));
}

/// The server that a copy goes to: another kind than that of its source.
pub(crate) fn target(from: &Place) -> Place {
    let name = match from.server.name.as_str() {
        "mysql-9.7" => "mariadb-11.8",
        "mariadb-10.11" => "mysql-9.7",
        _ => "mariadb-10.11",
    };
    Place::new(servers::one(name), "target")
}

/// All rows of a place, in one order.
fn content(place: &Place) -> [String; 3] {
    ["a", "b", "c"].map(|table| place.sql(&format!("SELECT * FROM {table} ORDER BY 1, 2")))
}

const WHOLE: [&str; 3] = ["a 300 true", "b 350 true", "c 50 true"];

#[track_caller]
pub(crate) fn is_whole(from: &Place, into: &Place, again: &crate::place::Done, what: &str) {
    assert_eq!(tables(again), (0, WHOLE.map(str::to_owned).to_vec()), "{what}: {again}");
    assert!(content(into) == content(from), "{what}: other rows\n{again}");
}

#[test]
fn killed_anywhere_it_goes_on() {
    on(servers::with_local_infile(), "copy_killed", |from| {
        source(from);
        for fault in [
            "job.taken:1",
            "chunk.begin:2",
            "data.answered:3",
            "line.answered:2",
            "commit.answered:1",
            "commit.answered:5",
            "done.answered:1",
            "job.taken:2",
            "commit.answered:7",
            "job.taken:3",
            "done.answered:3",
        ] {
            let into = target(from);
            let killed = command(from, &into, SMALL).env("INRUSH_FAULT", fault).output().unwrap();
            assert_eq!(killed.status.signal(), Some(9), "{fault}: {killed:?}");
            is_whole(from, &into, &copy(from, &into, SMALL), fault);
        }
        // Indexes that were dropped come back.
        for fault in ["step.before:1", "step.after:1", "commit.answered:2", "step.before:2", "step.after:2"] {
            let into = target(from);
            let killed =
                command(from, &into, &format!("{SMALL} --defer-indexes")).env("INRUSH_FAULT", fault).output().unwrap();
            assert_eq!(killed.status.signal(), Some(9), "{fault}: {killed:?}");
            is_whole(from, &into, &copy(from, &into, &format!("{SMALL} --defer-indexes")), fault);
            assert!(into.sql("SHOW CREATE TABLE a").contains("KEY `t` (`t`)"), "{fault}");
        }
    });
}

#[test]
fn cut_on_both_sides() {
    on(servers::with_local_infile(), "copy_cut", |from| {
        source(from);
        let port = |place: &Place| place.server.port;
        // The target is lost at a COMMIT: of the ledger, of a chunk, of the end of a table.
        let cuts =
            [1, 2, 3, 4, 5, 7, 9].map(Cut::AfterCommit).into_iter().chain([2, 3, 4, 6, 8].map(Cut::BeforeCommit));
        for cut in cuts {
            let into = target(from);
            let relay = Relay::start(port(&into), cut);
            let arguments = format!("{SMALL} --retry-for 0");
            let first = done(from, &into, &mut command_by((from, port(from)), (&into, relay.port()), &arguments));
            assert!(relay.has_cut() && first.code == 3, "{cut:?}: {first}");
            is_whole(from, &into, &copy(from, &into, SMALL), &format!("{cut:?}"));
        }
        // It goes on by itself where connections can be made again.
        let into = target(from);
        let relay = Relay::healing(port(&into), Cut::AfterCommit(6));
        let by_itself = done(from, &into, &mut command_by((from, port(from)), (&into, relay.port()), SMALL));
        assert!(relay.has_cut(), "{by_itself}");
        is_whole(from, &into, &by_itself, "by itself");
        // The source is lost while its rows are read: the state that they were of is gone with it.
        for text in ["SELECT `id`, `t` FROM", "SELECT `a`, `t` FROM", "SELECT `t`, `a` FROM"] {
            let into = target(from);
            let relay = Relay::healing(port(from), Cut::AfterText(text));
            let lost = done(from, &into, &mut command_by((from, relay.port()), (&into, port(&into)), SMALL));
            assert!(relay.has_cut() && lost.code == 3, "{text}: {lost}");
            let again = done(from, &into, &mut command_by((from, relay.port()), (&into, port(&into)), SMALL));
            is_whole(from, &into, &again, text);
        }
    });
}

/// The line of a table that a refresh has replaced names the copy as its source, and says nothing of the table that took its place.
#[test]
fn a_refreshed_table_is_no_copy() {
    on(servers::spread(0), "copy_refreshed", |from| {
        from.sql("CREATE TABLE t (id INT PRIMARY KEY, t VARCHAR(9)); INSERT INTO t VALUES (1, 'x'), (2, 'y')");
        let into = target(from);
        assert_eq!(tables(&copy(from, &into, "")), (0, vec!["t 2 true".to_owned()]));
        into.write("t.csv", "id,t\n7,new\n");
        let refreshed = into.go_on("t.csv --into t --replace-table --keep-old 24h");
        assert_eq!(refreshed.code, 0, "{refreshed}");
        for arguments in ["", "--fuzzy"] {
            let refused = copy(from, &into, arguments);
            assert_eq!((refused.code, into.sql("SELECT * FROM t").as_str()), (1, "7,new"), "{refused}");
            refused.says("`shop`.`t` of the target is not empty");
        }
        assert_eq!(tables(&copy(from, &into, "--truncate")), (0, vec!["t 2 true".to_owned()]));
        assert_eq!(into.sql("SELECT * FROM t ORDER BY id"), "1,x|2,y");
    });
}

/// Ends a copy of `a` (and of what comes before) after some of its chunks.
fn begin(from: &Place, into: &Place, fault: &str) {
    let killed = command(from, into, SMALL).env("INRUSH_FAULT", fault).output().unwrap();
    assert_eq!(killed.status.signal(), Some(9), "{killed:?}");
}

#[test]
fn a_source_that_has_changed() {
    on(servers::spread(0), "copy_changed", |from| {
        source(from);
        let first = "commit.answered:2";
        // In rows that are stored already.
        for (change, back) in [
            ("UPDATE a SET t = 'new' WHERE id = 5", "UPDATE a SET t = 'row 5' WHERE id = 5"),
            ("INSERT INTO a VALUES (0, 'new')", "DELETE FROM a WHERE id = 0"),
            (
                "DELETE FROM a WHERE id = 299; DELETE FROM c WHERE a = 7; DELETE FROM a WHERE id = 7",
                "INSERT INTO a VALUES (7, 'row 7'), (299, 'row 299'); INSERT INTO c VALUES ('row 7', 7)",
            ),
        ] {
            let into = target(from);
            begin(from, &into, first);
            from.sql(change);
            let refused = copy(from, &into, SMALL);
            assert_eq!(refused.code, 5, "{change}: {refused}");
            refused.says("is not the source whose rows are stored");
            refused.says("hint: the source, or the copy, was written to since: `--truncate` copies such tables anew");
            from.sql(back);
            is_whole(from, &into, &copy(from, &into, SMALL), change);
        }
        // Whoever says so gets the new state, of tables that are not whole.
        for option in ["--fuzzy", "--truncate"] {
            let into = target(from);
            begin(from, &into, first);
            from.sql("UPDATE a SET t = 'new' WHERE id = 5");
            is_whole(from, &into, &copy(from, &into, &format!("{SMALL} {option}")), option);
            from.sql("UPDATE a SET t = 'row 5' WHERE id = 5");
        }
        // In rows that are not stored yet: they are read as they are now.
        let into = target(from);
        begin(from, &into, first);
        from.sql("UPDATE a SET t = 'new' WHERE id = 299");
        is_whole(from, &into, &copy(from, &into, SMALL), "later rows");
        from.sql("UPDATE a SET t = 'row 299' WHERE id = 299");

        // In a table that is whole, while another one is not.
        let into = target(from);
        begin(from, &into, "job.taken:2");
        from.sql("UPDATE a SET t = 'new' WHERE id = 5");
        let refused = copy(from, &into, SMALL);
        assert_eq!(refused.code, 5, "{refused}");
        refused.says("`origin`.`a` was copied by an earlier run, and the two tables are not equal any more: of 300 rows, the target lacks 0, has 0 more, and has other values in 1");
        assert_eq!(into.sql("SELECT COUNT(*) FROM b"), "0");
        let fuzzy = copy(from, &into, &format!("{SMALL} --fuzzy"));
        assert_eq!(
            tables(&fuzzy),
            (0, vec!["a 300 null".to_owned(), "b 350 true".to_owned(), "c 50 true".to_owned()]),
            "{fuzzy}"
        );
        assert_eq!(into.sql("SELECT t FROM a WHERE id = 5"), "row 5");
        is_whole(from, &into, &copy(from, &into, &format!("{SMALL} --truncate")), "anew");
        assert_eq!(into.sql("SELECT t FROM a WHERE id = 5"), "new");
    });
}

#[test]
fn a_target_that_has_changed() {
    on(servers::spread(1), "copy_target", |from| {
        source(from);
        let into = target(from);
        assert_eq!(copy(from, &into, SMALL).code, 0);
        into.sql("DELETE FROM b WHERE t = 'line 7'");
        let refused = copy(from, &into, SMALL);
        assert_eq!(refused.code, 5, "{refused}");
        refused.says("the target lacks 1, has 0 more");
        into.sql("SET foreign_key_checks = 0; DROP TABLE b");
        let refused = copy(from, &into, SMALL);
        assert_eq!(refused.code, 5, "{refused}");
        refused.says("`origin`.`b` was copied by an earlier run, at least in part, and is not there any more\nhint: `inrush load --forget ");
        // A row that nobody copied, in a table that is half there.
        let into = target(from);
        begin(from, &into, "commit.answered:2");
        into.sql("INSERT INTO a VALUES (1000, 'mine')");
        let found = copy(from, &into, SMALL);
        assert_eq!((found.code, &found.json["tables"][0]["verify"]["extra"]), (2, &1.into()), "{found}");
    });
}

#[test]
fn two_at_once() {
    on(servers::spread(0), "copy_twice", |from| {
        source(from);
        for fault in ["chunk.begin:1:stop", "commit.answered:2:stop", "chunk.begin:5:stop"] {
            let into = target(from);
            let first = command(from, &into, SMALL).env("INRUSH_FAULT", fault).spawn().unwrap();
            let pid = first.id();
            await_true("the first copy has stopped", || {
                let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
                status.contains("State:\tT")
            });
            is_whole(from, &into, &copy(from, &into, SMALL), fault);
            Command::new("kill").args(["-CONT", &pid.to_string()]).status().unwrap();
            let first = into.done(&first.wait_with_output().unwrap());
            assert!([0, 3, 5].contains(&first.code), "{fault}: {first}");
            is_whole(from, &into, &copy(from, &into, SMALL), fault);
        }
    });
}
