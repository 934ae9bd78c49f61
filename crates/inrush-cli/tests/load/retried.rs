//! What ends well after it went wrong: a deadlock, a connection cut or killed, a server that is full, read-only or has a limit below
//! the chunk. Each row is stored once, and the report says what was tried again.

use crate::numbers::{TABLE, numbers};
use crate::place::{Done, Place, Rows, everywhere, methods};
use crate::server_of_own::{OwnServer, on_each_family};
use crate::session::{Session, await_true};
use crate::stopped::{Running, kill_connections};
use inrush_testkit::patience::until_some as await_some;
use inrush_testkit::proxy::cut::{Cut, Relay};
use std::io::Write as _;

#[test]
fn a_deadlock_with_another_session() {
    everywhere("deadlock", |place| {
        place.sql(&format!("{TABLE}; CREATE TABLE ballast (id INT PRIMARY KEY)"));
        for method in methods(place) {
            place.write(&format!("{method}.csv"), numbers(100, |id| format!("{id},{id}")));
            // The server undoes the smaller transaction of the two.
            let mut other = Session::open(
                place,
                "BEGIN; INSERT INTO ballast WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900) \
                 SELECT i FROM n; INSERT INTO numbers VALUES (60, 60)",
            );
            let mut load = Running::start(place, &format!("{method}.csv --into numbers --lanes 1 --method {method}"));
            await_true("a lock wait", || place.server.is_a_row_waited_for(place.schema.name()));
            other.say("INSERT INTO numbers VALUES (1, 1); ROLLBACK");
            load.await_notice("; trying again in ");
            let done = load.end();
            drop(other);
            check(place, &done, 100, 1213);
            place.sql("DELETE FROM numbers; DELETE FROM ballast");
        }
    });
}

/// Each lane has a range of keys of its own at any time: nothing to wait for, nothing to try again.
#[test]
fn lanes_do_not_fight_over_an_ascending_key() {
    everywhere("ascending", |place| {
        place.sql(TABLE);
        place.write("numbers.csv", numbers(30_000, |id| format!("{id},{id}")));
        for method in methods(place) {
            let done = place.load(&format!("numbers.csv --into numbers --method {method} --lanes 4 --batch 300"));
            assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(30_000))), "{done}");
            assert_eq!(done.json["retries"], serde_json::json!([]), "{done}");
            place.sql("TRUNCATE numbers");
        }
    });
}

#[test]
fn a_connection_cut_in_the_middle_of_a_chunk() {
    everywhere("cut_and_healed", |place| check(place, &through(place, Cut::AfterBytes(60_000), 20_000), 20_000, 0));
}

#[test]
fn a_commit_whose_answer_is_lost() {
    everywhere("lost_and_found", |place| {
        let done = through(place, Cut::AfterCommit(6), 1_000);
        assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(1_000))), "{done}");
        assert_eq!(place.sql("SELECT COUNT(*), SUM(value) FROM numbers"), "1000,500500", "{done}");
    });
}

#[test]
fn a_commit_that_never_arrives() {
    everywhere("lost_on_the_way", |place| check(place, &through(place, Cut::BeforeCommit(6), 1_000), 1_000, 0));
}

/// Whatever of the ledger's opening was done, the next attempt does the rest.
#[test]
fn a_connection_cut_while_the_ledger_is_opened() {
    everywhere("cut_opening", |place| {
        for n in 1..=3 {
            for cut in [Cut::AfterCommit(n), Cut::BeforeCommit(n)] {
                check(place, &through(place, cut, 1_000), 1_000, 0);
                place.sql("DROP TABLE numbers, inrush_job, inrush_chunk, inrush_reject");
            }
        }
    });
}

/// Killed again and again, whatever it is doing. Between two kills it stores rows: on a slow machine it never would be done otherwise.
#[test]
fn connections_that_are_killed() {
    everywhere("kills", |place| {
        place.sql(TABLE);
        place.write("numbers.csv", numbers(30_000, |id| format!("{id},{id}")));
        let mut load = Running::start(place, "numbers.csv --into numbers --batch 250");
        // Before it has begun to write, who started it is told that nothing was sent.
        let (mut n_kills, mut n_before) = (0, "0".to_owned());
        for _ in 0..12 {
            await_true("rows in the table", || load.is_over() || place.sql("SELECT COUNT(*) FROM numbers") != n_before);
            n_before = place.sql("SELECT COUNT(*) FROM numbers");
            n_kills += kill_connections(place);
        }
        let done = load.end();
        assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(30_000))), "{n_kills} kills: {done}");
        assert_eq!(place.sql("SELECT COUNT(*), SUM(value) FROM numbers"), "30000,450015000", "{done}");
    });
}

on_each_family!(on_its_own);

fn on_its_own(family: &str) {
    let own = OwnServer::new(family, &["log-bin=binlog", "server-id=1", "binlog-format=ROW"]);
    let place = Place::own(&own);
    a_server_that_is_read_only_for_a_while(&place);
    a_server_without_a_free_connection(&place);
    a_transaction_too_large_for_the_binary_log(&place);
    a_member_of_a_group(&place);
}

fn a_server_that_is_read_only_for_a_while(place: &Place) {
    let switch = if place.is_mysql() { "super_read_only" } else { "read_only" };
    place.sql(&format!(
        "{TABLE}; CREATE USER app@localhost IDENTIFIED BY 'app-Pass1'; GRANT ALL ON *.* TO app@localhost"
    ));
    if !place.is_mysql() {
        place.sql("REVOKE SUPER, READ_ONLY ADMIN ON *.* FROM app@localhost");
    }
    let mut command = place.bare("- --into numbers --batch 500 -u app");
    command.arg("-S").arg(&place.server.socket).args(["-D", place.schema.name()]).env("INRUSH_PASSWORD", "app-Pass1");
    let mut load = Running::spawn(place, command);
    load.begin();
    await_true("rows in the table", || place.sql("SELECT COUNT(*) > 0 FROM numbers") == "1");
    place.sql(&format!("SET GLOBAL {switch} = 1"));
    let mut stdin = load.stdin.take().unwrap();
    let feeder = std::thread::spawn(move || {
        let rows: String = (60_001..=80_000).map(|id| format!("{id},{id}\n")).collect();
        stdin.write_all(rows.as_bytes()).unwrap();
    });
    load.await_notice("read-only option so it cannot execute this statement");
    load.await_notice("; trying again in ");
    place.sql("SET GLOBAL read_only = 0");
    feeder.join().unwrap();
    check(place, &load.end(), 80_000, 1290);
}

fn a_server_without_a_free_connection(place: &Place) {
    empty(place);
    // As many as a server must allow, and the one more that root may have.
    let mut others: Vec<Session> = (0..11).map(|_| Session::open(place, "DO 1")).collect();
    let last = place.sql("SELECT CONNECTION_ID()");
    let mut load = Running::start(place, "- --into numbers --batch 500 --lanes 1");
    load.begin();
    await_true("rows in the table", || place.sql("SELECT COUNT(*) > 0 FROM numbers") == "1");
    let lane = format!(
        "SELECT ID FROM /*!80022 performance_schema*//*M!100000 information_schema*/.processlist WHERE DB = '{}' AND COMMAND = 'Sleep' AND ID > {last} \
         ORDER BY ID DESC LIMIT 1",
        place.schema.name()
    );
    // What it has read is stored but for the last rows, and what comes later of it is still to be read: the lane waits.
    await_true("a lane that waits for rows", || {
        place.sql("SELECT COUNT(*) FROM numbers").parse::<u64>().unwrap() > 40_000
    });
    let id = await_some("the lane", || Some(place.server.sql(&lane).first()?[0].clone()));
    others[0].say(&format!("SET GLOBAL max_connections = 10; KILL {id}"));
    let mut stdin = load.stdin.take().unwrap();
    let feeder = std::thread::spawn(move || {
        let rows: String = (60_001..=80_000).map(|id| format!("{id},{id}\n")).collect();
        stdin.write_all(rows.as_bytes()).unwrap();
    });
    load.await_notice("Too many connections");
    drop(others);
    feeder.join().unwrap();
    check(place, &load.end(), 80_000, 1040);
    place.sql("SET GLOBAL max_connections = 100");
}

fn a_transaction_too_large_for_the_binary_log(place: &Place) {
    place.sql("SET GLOBAL binlog_cache_size = 4096; SET GLOBAL max_binlog_cache_size = 65536");
    place.write("numbers.csv", numbers(40_000, |id| format!("{id},{id}")));
    for method in ["load-data", "multi-row"] {
        empty(place);
        let arguments = format!("numbers.csv --into numbers --method {method} --json --no-progress");
        let load = place.command(&arguments).output().unwrap();
        let done = place.done(&load);
        done.says(" are too large for the server (");
        check(place, &done, 40_000, 1197);
        assert!(done.json["chunks"].as_u64().unwrap() > 4, "{done}");
    }
    place.sql("SET GLOBAL max_binlog_cache_size = 18446744073709547520");
}

/// A member of a group, as far as its variables show it, gets no transaction larger than a group should have, however large chunks were
/// requested. MariaDB shows a cluster only with Galera's library.
fn a_member_of_a_group(place: &Place) {
    let rows = 24_000;
    place.write("texts.csv", numbers(rows, |id| format!("{id},{}", "x".repeat(1000))));
    let chunks = |batch: &str| {
        place.sql("DROP TABLE IF EXISTS texts; CREATE TABLE texts (id INT PRIMARY KEY, value VARCHAR(1000))");
        let done = place.load(&format!("texts.csv --into texts --again --lanes 1 --batch {batch}"));
        assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(rows))), "{done}");
        let stored = place.sql("SELECT COUNT(*), COUNT(DISTINCT id), SUM(LENGTH(value)) FROM texts");
        assert_eq!(stored, format!("{rows},{rows},{}", rows * 1000), "{done}");
        done.json["chunks"].as_u64().unwrap()
    };
    assert_eq!(["64MiB", "24000", "12MiB"].map(chunks), [1, 1, 2]);
    if place.is_mysql() {
        place.sql(
            "INSTALL PLUGIN group_replication SONAME 'group_replication.so'; \
             SET GLOBAL group_replication_group_name = '3e11fa47-71ca-11e1-9e33-c80aa9429562'",
        );
        // Bytes are as many as there may be, rows are the halves of what was read, and what is below the limit stays as it is.
        assert_eq!(["64MiB", "24000", "12MiB"].map(chunks), [2, 2, 2]);
        place.sql("UNINSTALL PLUGIN group_replication");
    }
}

/// As if nothing had ever been loaded.
fn empty(place: &Place) {
    place.sql("DROP TABLE IF EXISTS inrush_job, inrush_chunk, inrush_reject; TRUNCATE numbers");
}

/// Every row is in once, and the report names what was tried again.
#[track_caller]
fn check(place: &Place, done: &Done, n_rows: u64, code: u16) {
    assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(n_rows))), "{done}");
    let want = format!("{n_rows},{}", n_rows * (n_rows + 1) / 2);
    assert_eq!(place.sql("SELECT COUNT(*), SUM(value) FROM numbers"), want, "{done}");
    let retries = done.json["retries"].as_array().unwrap();
    assert!(retries.iter().any(|retry| retry["code"] == code), "{retries:?}\n{done}");
}

/// One lane, chunks of 100 rows, over TCP through a relay that cuts once.
fn through(place: &Place, cut: Cut, n_rows: u64) -> Done {
    place.sql(TABLE);
    place.write("numbers.csv", numbers(n_rows, |id| format!("{id},{id}")));
    let relay = Relay::healing(place.server.port, cut);
    let mut command =
        place.bare("numbers.csv --into numbers --batch 100 --lanes 1 --tls disabled -h 127.0.0.1 --json --no-progress");
    command.args(["-P", &relay.port().to_string(), "-u", &place.server.user, "-D", place.schema.name()]);
    let done = place.done(&command.env("INRUSH_PASSWORD", &place.server.password).output().unwrap());
    assert!(relay.has_cut(), "it ended before the cut: {done}");
    done
}
