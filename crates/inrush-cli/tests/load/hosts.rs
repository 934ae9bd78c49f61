//! Several hosts: a load is on one of them, and its next run on whichever is left.

use crate::numbers::{TABLE, numbers};
use crate::place::{Place, Rows, everywhere};
use crate::server_of_own::OwnServer;
use inrush_testkit::closed_port::ClosedPort;
use inrush_testkit::proxy::cut::{Cut, Relay};
use inrush_testkit::proxy::throttle::{Pieces, SlowRelay};
use inrush_testkit::servers::one;
use std::process::Command;
use std::time::Duration;

const ARGS: &str = "numbers.csv --into numbers --batch 100 --lanes 3 --retry-for 0";

/// A load over these ports of this machine, not encrypted, with its report.
fn over(place: &Place, ports: [u16; 2], args: &str) -> Command {
    let [first, second] = ports;
    let mut command = place.bare(&format!("{args} --json -q --tls disabled -h 127.0.0.1:{first},127.0.0.1:{second}"));
    command.args(["-u", &place.server.user, "-D", place.schema.name()]).env("INRUSH_PASSWORD", &place.server.password);
    command
}

#[test]
fn all_lanes_are_on_one_of_them() {
    everywhere("hosts_one", |place| {
        place.sql(TABLE);
        place.write("numbers.csv", numbers(3000, |id| format!("{id},{id}")));
        let relays =
            [(); 2].map(|()| SlowRelay::start(place.server.port, Pieces { bytes: 64 << 10, pause: Duration::ZERO }));
        let mut command = over(place, [relays[0].port(), relays[1].port()], ARGS);
        command.env("INRUSH_URL", "mysql://?host-order=round-robin");
        let done = place.done(&command.output().unwrap());
        assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(3000))), "{done}");
        let [first, second] = relays.each_ref().map(SlowRelay::n_connections);
        assert!((first == 0) != (second == 0), "{first} connections to one, {second} to the other");
        let taken = relays[usize::from(first == 0)].port();
        assert_eq!(done.json["host"], format!("127.0.0.1:{taken}"), "{done}");
    });
}

#[test]
fn the_next_run_goes_on_on_the_server_that_is_left() {
    everywhere("hosts_next", |place| {
        place.sql(TABLE);
        place.write("numbers.csv", numbers(3000, |id| format!("{id},{id}")));
        // The second stays away until the first is cut: whatever a load does about the loss, it does on its own server.
        let cut = Relay::start(place.server.port, Cut::AfterCommit(9));
        let ports = [cut.port(), place.server.port];
        let done = place.done(&over(place, ports, ARGS).output().unwrap());
        assert!(cut.has_cut() && done.code == 3, "{done}");
        let lost = format!("127.0.0.1:{}` ", cut.port());
        assert!(done.json["stop"]["message"].as_str().unwrap().contains(&lost), "{done}");
        assert!(done.rows().unwrap().stored < 3000, "{done}");
        let done = place.done(&over(place, ports, ARGS).output().unwrap());
        assert_eq!(done.code, 0, "{done}");
        assert_eq!(place.sql("SELECT COUNT(*), SUM(id), SUM(value) FROM numbers"), "3000,4501500,4501500", "{done}");
    });
}

#[test]
fn a_read_only_server_is_left_for_a_writable_one() {
    for family in ["mysql-9.7", "mariadb-11.8"] {
        let place = Place::new(one(family), "hosts_role");
        let own = OwnServer::new(family, &["read_only=ON"]);
        let replica = Place::own(&own);
        let (user, password, schema) = (&place.server.user, &place.server.password, place.schema.name());
        replica.sql(&format!(
            "CREATE USER {user}@'%' IDENTIFIED BY '{password}'; GRANT ALL ON *.* TO {user}@'%'; CREATE DATABASE {schema}"
        ));
        place.sql(TABLE);
        place.write("numbers.csv", numbers(100, |id| format!("{id},{id}")));
        let run = |url: &str| {
            let mut command = over(&place, [replica.server.port, place.server.port], ARGS);
            command.env("INRUSH_URL", url);
            place.done(&command.output().unwrap())
        };
        let done = run("mysql://?server-role=writable&get-server-public-key");
        assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(100))), "{family}: {done}");
        assert_eq!(place.sql("SELECT COUNT(*) FROM numbers"), "100");
        let done = run("mysql://?server-role=read-only&get-server-public-key");
        assert_eq!(done.code, 1, "{family}: {done}");
        done.says("there is no table `numbers`");
    }
}

/// The summary of a load, of an export and of `verify` says where it was, and `-v` says it before.
#[test]
fn the_server_that_was_taken_is_named() {
    let place = Place::new(one("mariadb-11.8"), "hosts_named");
    place.sql(TABLE);
    place.write("numbers.csv", numbers(100, |id| format!("{id},{id}")));
    let closed = ClosedPort::new();
    let (taken, connected) = (format!("`127.0.0.1:{}`", place.server.port), "connected to");
    let hosts = format!("127.0.0.1:{},127.0.0.1:{}", closed.number(), place.server.port);
    for command in [
        "load numbers.csv --into numbers",
        "verify numbers.csv --into numbers",
        "verify numbers numbers2",
        "export numbers --to out",
    ] {
        place
            .sql("CREATE TABLE IF NOT EXISTS numbers2 LIKE numbers; INSERT IGNORE INTO numbers2 SELECT * FROM numbers");
        let run = |more: &str| {
            let mut run = Command::new(env!("CARGO_BIN_EXE_inrush"));
            run.args(command.split(' ')).args([more, "--tls", "disabled", "-h", &hosts, "-D", place.schema.name()]);
            run.args(["-u", &place.server.user]).env("INRUSH_PASSWORD", &place.server.password);
            run.current_dir(place.folder.path()).env("HOME", place.folder.path()).env_remove("INRUSH_URL");
            let output = run.output().unwrap();
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
            assert_eq!(output.status.code(), Some(0), "{command}: {stdout}{stderr}");
            (stdout, stderr)
        };
        let (stdout, stderr) = run("-v");
        assert!(stdout.contains(&taken) && stderr.contains(connected), "{command}: {stdout}{stderr}");
        let _ = std::fs::remove_dir_all(place.path("out"));
        let (stdout, stderr) = run("--json");
        let json: serde_json::Value = serde_json::from_str(&stdout).unwrap_or_else(|e| panic!("{e}: {stdout}{stderr}"));
        assert_eq!(json["host"], taken.trim_matches('`'), "{command}: {stdout}");
    }
}

#[test]
fn a_socket_beside_hosts_is_refused() {
    let place = Place::new(one("mariadb-11.8"), "hosts_socket");
    place.sql(TABLE);
    place.write("numbers.csv", numbers(3, |id| format!("{id},{id}")));
    let mut command = over(&place, [1, 2], ARGS);
    command.arg("-S").arg(&place.server.socket);
    let done = place.done(&command.output().unwrap());
    assert_eq!((done.code, place.sql("SELECT COUNT(*) FROM numbers")), (1, "0".into()), "{done}");
    done.says("both a Unix socket");
    done.says("`127.0.0.1:1,127.0.0.1:2`");
}
