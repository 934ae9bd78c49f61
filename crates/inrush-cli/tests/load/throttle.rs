//! Loads that yield to others (`--throttle`).

use crate::numbers::{TABLE, check_table, numbers};
use crate::place::everywhere;
use crate::session::await_true;
use crate::stopped::Running;
use std::process::Stdio;

/// Others keep the server busy: the load sends nothing until they are gone, and is not disturbed in what it stores.
#[test]
fn a_load_waits_while_too_many_threads_run() {
    everywhere("throttle_threads", |place| {
        place.sql(TABLE);
        std::fs::write(place.path("numbers.csv"), numbers(5_000, |id| format!("{id},{id}"))).unwrap();
        let busy = || {
            let mut client = place.server.client();
            client.args(["-e", "SELECT SLEEP(1000)", place.schema.name()]).stdout(Stdio::null()).stderr(Stdio::null());
            client.spawn().unwrap()
        };
        let mut others: Vec<_> = (0..N_OTHERS).map(|_| busy()).collect();
        let ids = || {
            place.sql("SELECT ID FROM /*!80022 performance_schema*//*M!100000 information_schema*/.processlist WHERE DB = DATABASE() AND STATE = 'User sleep'")
        };
        await_true("the others", || ids().split('|').count() == N_OTHERS);
        let mut load = Running::start(place, "numbers.csv --into numbers --throttle threads-running=12");
        load.await_notice("waiting, a server has too much to do: `threads-running` is ");
        assert_eq!(place.sql("SELECT COUNT(*) FROM numbers"), "0");
        for id in ids().split('|') {
            place.sql(&format!("KILL {id}"));
        }
        for other in &mut others {
            other.wait().unwrap();
        }
        let done = load.end();
        assert_eq!((done.code, place.sql("SELECT COUNT(*) FROM numbers").as_str()), (0, "5000"), "{done}");
        done.says("going on after ");
        assert!(done.json["yielded_seconds"].as_f64().unwrap() > 0.0, "{done}");
    });
}

/// What a server reports is read on each of them; what it does not report is refused before the table is touched.
#[test]
fn signals_of_every_server() {
    everywhere("throttle_signals", |place| {
        place.sql(TABLE);
        std::fs::write(place.path("numbers.csv"), numbers(500, |id| format!("{id},{id}"))).unwrap();
        let done =
            place.load("numbers.csv --into numbers --throttle history=1000M,checkpoint-age=99%,threads-running=5000");
        assert_eq!((done.code, &done.json["yielded_seconds"]), (0, &0.0.into()), "{done}");
        let done = place.load("numbers.csv --into numbers --truncate --again --throttle commit-latency=100000x");
        assert_eq!((done.code, place.sql("SELECT COUNT(*) FROM inrush_heartbeat").as_str()), (0, "0"), "{done}");
        for signal in ["flow-control", "group-queue"] {
            let throttle = format!(
                "--throttle {signal}=5{} --unreadable-signals ignore",
                if signal == "flow-control" { "%" } else { "" }
            );
            let done =
                place.load(&format!("numbers.csv --into numbers --truncate --again {throttle} --events {signal}"));
            assert_eq!((done.code, place.sql("SELECT COUNT(*) FROM numbers").as_str()), (0, "500"), "{done}");
            let events = place.read(signal);
            assert!(events.contains("what the load yields to cannot be read, going on meanwhile: "), "{events}");
        }
        let done = place.load("numbers.csv --into numbers --again --throttle group-queue=5");
        assert_eq!(done.code, 1, "{done}");
        done.says("`group-queue` of members of Group Replication");
        let done = place.load("numbers.csv --into numbers --again --throttle flow-control=5%");
        assert_eq!(done.code, 1, "{done}");
        done.says("error: this server does not report `flow-control`");
        done.says("`flow-control` of nodes of Galera");
        let done = place.load("numbers.csv --into numbers --again --throttle load=5");
        assert_eq!(done.code, 1, "{done}");
        done.says("a signal and its limit: `--throttle threads-running=40`");
        assert_eq!(place.sql("SELECT COUNT(*) FROM numbers"), "500");
    });
}

/// The table for the transactions that are measured cannot be made: that signal is left out, if that is wished, and the others are read.
#[test]
fn a_latency_that_cannot_be_measured() {
    everywhere("throttle_right", |place| {
        place.sql(TABLE);
        place.sql("DROP TABLE IF EXISTS inrush_heartbeat");
        std::fs::write(place.path("numbers.csv"), numbers(500, |id| format!("{id},{id}"))).unwrap();
        place.load("numbers.csv --into numbers");
        let (schema, user) = (place.schema.name(), format!("t{}", place.schema.name().rsplit('_').next().unwrap()));
        place.server.sql(&format!(
            "CREATE USER {user}@localhost IDENTIFIED BY 'some-Pass1'; GRANT SELECT, INSERT, UPDATE, DELETE ON `{schema}`.* TO {user}@localhost"
        ));
        let load = |more: &str| {
            place.sql("DELETE FROM numbers; DELETE FROM inrush_job; DELETE FROM inrush_chunk");
            let mut command = place.bare(&format!(
                "numbers.csv --into numbers --throttle commit-latency=100000x,threads-running=5000 --json --events events {more}"
            ));
            command.arg("-S").arg(&place.server.socket).args(["-u", &user, "-D", schema]);
            place.done(&command.env("INRUSH_PASSWORD", "some-Pass1").output().unwrap())
        };
        let done = load("");
        assert_eq!((done.code, place.sql("SELECT COUNT(*) FROM numbers").as_str()), (3, "0"), "{done}");
        done.says("cannot make the table `inrush_heartbeat` ready");
        let done = load("--unreadable-signals ignore");
        assert_eq!((done.code, place.sql("SELECT COUNT(*) FROM numbers").as_str()), (0, "500"), "{done}");
        let events = place.read("events");
        assert!(
            events.contains("`commit-latency` cannot be read: cannot make the table `inrush_heartbeat` ready"),
            "{events}"
        );
        place.server.sql(&format!("DROP USER {user}@localhost"));
    });
}

/// A signal that was there and is gone: the load waits, and goes on with it.
#[test]
fn a_load_waits_while_a_signal_cannot_be_read() {
    everywhere("throttle_unread", |place| {
        place.sql(TABLE);
        let mut load = Running::start(place, "- --into numbers --batch 500 --throttle commit-latency=100000x");
        let feeder = load.feed();
        await_true("rows in the table", || place.sql("SELECT COUNT(*) > 0 FROM numbers") == "1");
        place.sql("RENAME TABLE inrush_heartbeat TO elsewhere");
        load.await_notice("waiting: what `--throttle` needs cannot be read: ");
        place.sql("RENAME TABLE elsewhere TO inrush_heartbeat");
        load.await_notice("going on after ");
        load.signal("INT");
        let done = load.end();
        feeder.join().unwrap();
        assert_eq!(done.code, 130, "{done}");
        check_table(place, &done, |_| true);
    });
}

const N_OTHERS: usize = 16;
