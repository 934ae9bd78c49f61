//! A disk that is really full. Where a table cannot grow the server says so at once; where its binary log cannot, it waits for
//! somebody to make room, and so does the load, aloud.
//!
//! The disks are small tmpfs mounts, made in a mount namespace that only the server lives in, so that they vanish with it.

use crate::numbers::{TABLE, check_table, numbers};
use crate::place::{Place, Rows};
use crate::server_of_own::OwnServer;
use crate::stopped::Running;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

#[test]
fn mysql_9_7() {
    on_small_disks("mysql-9.7");
}
#[test]
fn mariadb_10_11() {
    on_small_disks("mariadb-10.11");
}
#[test]
fn mariadb_11_8() {
    on_small_disks("mariadb-11.8");
}

fn on_small_disks(family: &str) {
    // MariaDB 11.8 keeps transactions that outgrow their cache beside the binary log, where they fail instead of waiting.
    let own = OwnServer::new(family, &["max-binlog-size=1G", "binlog-cache-size=8M"]);
    let place = Place::own(&own);
    own.stop();
    let tables = own.above().join("server/data").join(place.schema.name());
    a_disk_without_room_for_a_table(&own, &place, &tables);
    a_disk_that_the_server_waits_for(&own, &place, &tables);
}

fn a_disk_without_room_for_a_table(own: &OwnServer, place: &Place, tables: &Path) {
    own.start_with_disk(tables, 48, 0, &[]);
    let pad = "x".repeat(3_000);
    place
        .write("numbers.csv", numbers(20_000, |id| format!("{id},{id},{pad}")).replacen("id,value", "id,value,pad", 1));
    for method in ["load-data", "multi-row"] {
        // Not TRUNCATE, which needs room for a new file beside the old one.
        place.sql("DROP TABLE IF EXISTS numbers");
        place.sql("CREATE TABLE numbers (id INT PRIMARY KEY, value INT, pad VARCHAR(4000)) ENGINE=InnoDB");
        let done = place.load(&format!("numbers.csv --into numbers --batch 500 --method {method}"));
        assert_eq!((done.code, &done.json["stop"]["code"]), (3, &1114.into()), "{done}");
        done.says("error: The table 'numbers' is full (server error 1114, SQLSTATE HY000)\nhint: the server's disk is full, or ");
        let stored = check_table(place, &done, |_| true);
        assert!(!stored.is_empty(), "{done}");
    }
    // What is on this disk goes with it.
    place.sql("DROP TABLE numbers, inrush_job, inrush_chunk, inrush_reject");
    own.stop();
}

/// The server looks again every minute: the test takes as long. What says that it waits comes after 30 s.
fn a_disk_that_the_server_waits_for(own: &OwnServer, place: &Place, tables: &Path) {
    let logs = own.above().join("logs");
    fs::create_dir(&logs).unwrap();
    // As the server's account sees its own folder.
    let owner = fs::metadata(tables).unwrap();
    std::os::unix::fs::chown(&logs, Some(owner.uid()), Some(owner.gid())).unwrap();
    let binlog = logs.join("binlog");
    let log = format!("log-bin={}", binlog.display());
    let started =
        own.start_with_disk(&logs, 24, 23, &["--set", &log, "--set", "server-id=1", "--set", "binlog-format=ROW"]);
    place.sql(TABLE);
    place.write("numbers.csv", numbers(200_000, |id| format!("{id},{id}")));
    let mut load = Running::start(place, "numbers.csv --into numbers --batch 5000");
    load.await_notice("no answer to COMMIT for ");
    load.await_notice(match place.is_mysql() {
        true => "s, state `waiting for handler commit`",
        false => "s, state `Waiting for someone to free space`",
    });
    // The server's own view of its disk.
    let root = PathBuf::from(format!("/proc/{}/root", started["pid"]));
    fs::remove_file(root.join(logs.join("filler").strip_prefix("/").unwrap())).unwrap();
    let done = load.end();
    assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(200_000))), "{done}");
    assert_eq!(place.sql("SELECT COUNT(*), SUM(value) FROM numbers"), "200000,20000100000");
}
