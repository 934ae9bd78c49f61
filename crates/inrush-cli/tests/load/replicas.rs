//! Loads that yield to replicas (`--max-lag`): a source and a replica of it, both started by the test.

use crate::numbers::{TABLE, check_table, numbers};
use crate::place::{Done, Place};
use crate::server_of_own::{OwnServer, on_each_family};
use crate::session::{Session, await_true};
use crate::stopped::Running;
use std::process::{Command, Stdio};

on_each_family!(on_its_own);

fn on_its_own(family: &str) {
    let source_server = OwnServer::new(family, &["server-id=1", "log-bin=binlog"]);
    let replica_server = OwnServer::new(family, &["server-id=2", "report-host=127.0.0.1"]);
    let (source, replica) = (Place::own(&source_server), Place::own(&replica_server));
    replicate(&source, &replica);
    source.sql(TABLE);
    nothing_changes_before_the_first_heartbeat_arrives(&source, &replica);
    a_copy_waits_too(&source, &replica);
    a_load_under_way_waits_for_a_replica_that_is_listed(&source, &replica);
    a_sorted_load_is_held_while_it_writes(&source, &replica);
    a_load_waits_while_no_heartbeat_can_be_written(&source, &replica);
    what_is_no_replica_is_refused(&source);
    a_replica_that_may_not_be_read_is_refused(&source, &replica);
    a_replica_that_is_gone_ends_the_load(&source, &replica, &replica_server);
    a_replica_that_is_gone_is_refused_or_ignored(&source, &replica);
}

fn nothing_changes_before_the_first_heartbeat_arrives(source: &Place, replica: &Place) {
    source.write("numbers.csv", numbers(5_000, |id| format!("{id},{id}")));
    source.sql("INSERT INTO numbers VALUES (7, 7)");
    replica.sql("STOP REPLICA SQL_THREAD");
    let url = url(replica);
    let arguments = format!("numbers.csv --into numbers --truncate --max-lag 1h --replica {url} --events events");
    let mut load = start(source, &arguments);
    load.await_notice(&format!("waiting: replica `{}` has no heartbeat of this load yet", address(replica)));
    assert_eq!(source.sql("SELECT COUNT(*) FROM numbers"), "1");
    replica.sql("START REPLICA SQL_THREAD");
    let done = load.end();
    assert_eq!((done.code, source.sql("SELECT COUNT(*) FROM numbers").as_str()), (0, "5000"), "{done}");
    assert!(done.json["yielded_seconds"].as_f64().unwrap() > 0.0, "{done}");
    done.says("going on after ");
    let events = source.read("events");
    let last = |waits: bool| events.rfind(&format!("\"waits\":{waits}"));
    assert!(last(true).is_some() && last(false) > last(true), "{events}");
    assert_eq!(source.sql("SELECT COUNT(*) FROM inrush_heartbeat"), "0");
}

fn a_copy_waits_too(source: &Place, replica: &Place) {
    source.sql("CREATE DATABASE origin; CREATE TABLE origin.fruits (id INT PRIMARY KEY); INSERT INTO origin.fruits VALUES (1), (2)");
    replica.sql("STOP REPLICA SQL_THREAD");
    let (address_of_source, schema) = (address(source), source.schema.name());
    let mut command = Command::new(env!("CARGO_BIN_EXE_inrush"));
    command.arg("copy").current_dir(source.folder.path()).env("HOME", source.folder.path()).env_remove("INRUSH_URL");
    command.args(["origin", schema].map(|database| format!("mysql://loader@{address_of_source}/{database}")));
    command.args(["--max-lag", "1h", "--throttle", "threads-running=5000", "--replica", &url(replica)]);
    command.envs(["INRUSH_PASSWORD", "INRUSH_OTHER_PASSWORD"].map(|name| (name, "loader-Pass1")));
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut copy = Running::spawn(source, command);
    copy.await_notice(&format!("waiting: replica `{}` has no heartbeat of this load yet", address(replica)));
    assert_eq!(source.sql("SELECT COUNT(*) FROM fruits"), "0");
    replica.sql("START REPLICA SQL_THREAD");
    let done = copy.end();
    assert_eq!((done.code, source.sql("SELECT COUNT(*) FROM fruits").as_str()), (0, "2"), "{done}");
    done.says("going on after ");
}

fn a_load_under_way_waits_for_a_replica_that_is_listed(source: &Place, replica: &Place) {
    source.sql("TRUNCATE numbers");
    let listed = if source.is_mysql() { "SHOW REPLICAS" } else { "SHOW SLAVE HOSTS" };
    await_true("the replica in the list", || source.sql(listed).contains("127.0.0.1"));
    let mut load = start(source, "- --into numbers --batch 500 --max-lag 1s");
    let feeder = load.feed();
    await_true("rows in the table", || source.sql("SELECT COUNT(*) > 0 FROM numbers") == "1");
    let lock = Session::open(replica, "FLUSH TABLES WITH READ LOCK");
    load.await_notice(&format!("waiting: the lag of replica `{}` ", address(replica)));
    let stored = || source.sql("SELECT COUNT(*) FROM numbers");
    let beats = || source.sql("SELECT beat FROM inrush_heartbeat").parse::<u64>().unwrap();
    // What was on its way is stored, and then nothing more, from heartbeat to heartbeat.
    let mut held = String::new();
    await_true("the load to be held", || {
        let before = (stored(), beats());
        await_true("two heartbeats", || beats() >= before.1 + 2);
        held = stored();
        held == before.0
    });
    drop(lock);
    load.await_notice("going on after ");
    await_true("more rows", || stored() != held);
    load.signal("INT");
    let done = load.end();
    feeder.join().unwrap();
    assert_eq!(done.code, 130, "{done}");
    check_table(source, &done, |_| true);
}

/// Another transaction keeps the load at one of its first chunks until the replica lags.
fn a_sorted_load_is_held_while_it_writes(source: &Place, replica: &Place) {
    source.sql("TRUNCATE numbers");
    source.write("many.csv", numbers(50_000, |id| format!("{id},{id}")));
    let row = Session::open(source, "BEGIN; INSERT INTO numbers VALUES (2000, 2000)");
    let options = format!("--sort key --lanes 1 --batch 500 --max-lag 1s --replica {}", url(replica));
    let load = start(source, &format!("many.csv --into numbers {options}"));
    let stored = || source.sql("SELECT COUNT(*) FROM numbers");
    await_true("rows in the table", || stored() != "0");
    let lock = Session::open(replica, "FLUSH TABLES WITH READ LOCK");
    let beats = || source.sql("SELECT beat FROM inrush_heartbeat").parse::<u64>().unwrap();
    let before = beats();
    // At least a tenth of `--max-lag` is between two of them.
    await_true("a lag of more than a second", || beats() >= before + 30);
    drop(row);
    let mut held = String::new();
    await_true("the load to be held", || {
        let before = (stored(), beats());
        await_true("two heartbeats", || beats() >= before.1 + 2);
        held = stored();
        held == before.0
    });
    assert_ne!(held, "50000");
    drop(lock);
    let done = load.end();
    assert_eq!((done.code, stored().as_str()), (0, "50000"), "{done}");
    assert!(done.json["yielded_seconds"].as_f64().unwrap() > 0.0, "{done}");
}

fn a_load_waits_while_no_heartbeat_can_be_written(source: &Place, replica: &Place) {
    source.sql("TRUNCATE numbers");
    let mut load = start(source, &format!("- --into numbers --batch 500 --max-lag 1h --replica {}", url(replica)));
    let feeder = load.feed();
    await_true("rows in the table", || source.sql("SELECT COUNT(*) > 0 FROM numbers") == "1");
    source.sql("RENAME TABLE inrush_heartbeat TO elsewhere");
    load.await_notice("waiting: no heartbeat can be written for `--max-lag`: ");
    source.sql("RENAME TABLE elsewhere TO inrush_heartbeat");
    load.await_notice("going on after ");
    load.signal("INT");
    let done = load.end();
    feeder.join().unwrap();
    assert_eq!(done.code, 130, "{done}");
    check_table(source, &done, |_| true);
    assert_eq!(source.sql("SELECT COUNT(*) FROM inrush_heartbeat"), "0");
}

fn what_is_no_replica_is_refused(source: &Place) {
    source.sql("TRUNCATE numbers");
    let itself = url(source);
    let done = load(source, &format!("numbers.csv --into numbers --truncate --max-lag 5s --replica {itself}"));
    assert_eq!(done.code, 1, "{done}");
    done.says(" is no replica: it is the server of the load itself");
    let done = load(source, &format!("numbers.csv --into numbers --replica {itself}"));
    assert_eq!(done.code, 1, "{done}");
    done.says("hint: add `--max-lag 5s`");
    let done = load(source, "numbers.csv --into numbers --max-lag 5s --replica mysql://me:secret@db2");
    assert_eq!(done.code, 1, "{done}");
    done.says("a password in `--replica` is seen by every user of this machine");
    assert!(!done.stderr.contains("secret"), "{done}");
    let done = load(source, "numbers.csv --into numbers --max-lag 5s --replica mysql://db2,db3");
    assert_eq!(done.code, 1, "{done}");
    done.says("error: `--replica`: a replica's URL names several hosts");
}

fn a_replica_that_may_not_be_read_is_refused(source: &Place, replica: &Place) {
    source.sql("TRUNCATE numbers; INSERT INTO numbers VALUES (7, 7)");
    replica.sql("CREATE USER blind@'%' IDENTIFIED BY 'loader-Pass1'");
    let url = format!("mysql://blind@{}", address(replica));
    let done = load(source, &format!("numbers.csv --into numbers --truncate --max-lag 1h --replica {url}"));
    assert_eq!((done.code, source.sql("SELECT COUNT(*) FROM numbers").as_str()), (3, "1"), "{done}");
    done.says(&format!("error: replica `{}` cannot be read: ", address(replica)));
    assert_eq!(source.sql("SELECT COUNT(*) FROM inrush_heartbeat"), "0");
}

fn a_replica_that_is_gone_ends_the_load(source: &Place, replica: &Place, server: &OwnServer) {
    source.sql("TRUNCATE numbers");
    let url = url(replica);
    let mut load = start(source, &format!("- --into numbers --batch 500 --max-lag 1h --replica {url} --retry-for 0"));
    let feeder = load.feed();
    await_true("rows in the table", || source.sql("SELECT COUNT(*) > 0 FROM numbers") == "1");
    server.stop();
    let done = load.end();
    feeder.join().unwrap();
    assert_eq!((done.code, &done.json["stop"]["why"]), (3, &"server".into()), "{done}");
    done.says(&format!("error: replica `{}` cannot be read: ", address(replica)));
    done.says("hint: `--unreadable-replicas ignore` loads without it");
    check_table(source, &done, |_| true);
}

fn a_replica_that_is_gone_is_refused_or_ignored(source: &Place, replica: &Place) {
    let arguments = format!("numbers.csv --into numbers --truncate --max-lag 5s --replica {}", url(replica));
    let before = source.sql("SELECT COUNT(*) FROM numbers");
    let done = load(source, &arguments);
    assert_eq!((done.code, source.sql("SELECT COUNT(*) FROM numbers")), (3, before), "{done}");
    done.says(&format!("error: replica `{}` cannot be read: ", address(replica)));
    let done = load(source, &format!("{arguments} --unreadable-replicas ignore"));
    assert_eq!((done.code, source.sql("SELECT COUNT(*) FROM numbers").as_str()), (0, "5000"), "{done}");
    done.says("what the load yields to cannot be read, going on meanwhile: replica ");
}

/// Makes one a replica of the other, and a user of loads who is the same on both.
fn replicate(source: &Place, replica: &Place) {
    source.sql(
        "CREATE USER copier@'%' IDENTIFIED BY 'copier-Pass1'; GRANT REPLICATION SLAVE ON *.* TO copier@'%';
         CREATE USER loader@'%' IDENTIFIED BY 'loader-Pass1'; GRANT ALL ON *.* TO loader@'%'",
    );
    replica.sql("CREATE USER loader@'%' IDENTIFIED BY 'loader-Pass1'; GRANT ALL ON *.* TO loader@'%'");
    let (status, statement, word) = match source.is_mysql() {
        true => ("SHOW BINARY LOG STATUS", "CHANGE REPLICATION SOURCE TO GET_SOURCE_PUBLIC_KEY = 1,", "SOURCE"),
        false => ("SHOW MASTER STATUS", "CHANGE MASTER TO", "MASTER"),
    };
    let status = source.schema.sql(status);
    let (port, file, position) = (source.server.port, &status[0][0], &status[0][1]);
    replica.sql(&format!(
        "{statement} {word}_HOST = '127.0.0.1', {word}_PORT = {port}, {word}_USER = 'copier', {word}_PASSWORD = 'copier-Pass1', \
         {word}_LOG_FILE = '{file}', {word}_LOG_POS = {position}; START REPLICA"
    ));
    // The schema of the loads was there before.
    replica.sql(&format!("CREATE DATABASE IF NOT EXISTS `{}`", source.schema.name()));
}

fn address(place: &Place) -> String {
    format!("127.0.0.1:{}", place.server.port)
}

fn url(place: &Place) -> String {
    format!("mysql://{}", address(place))
}

/// A load by the user that both servers have.
fn command(source: &Place, arguments: &str) -> Command {
    let mut command = source.bare(arguments);
    command.args(["-h", "127.0.0.1", "-P", &source.server.port.to_string(), "-u", "loader"]);
    command.args(["-D", source.schema.name()]).env("INRUSH_PASSWORD", "loader-Pass1");
    command
}

fn start<'a>(source: &'a Place, arguments: &str) -> Running<'a> {
    source.forget();
    Running::spawn(source, command(source, arguments))
}

fn load(source: &Place, arguments: &str) -> Done {
    source.forget();
    source.done(&command(source, arguments).args(["--json", "--no-progress"]).output().unwrap())
}
