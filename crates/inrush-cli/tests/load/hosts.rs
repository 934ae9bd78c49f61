//! Several hosts: a load is on one of them, and its next run on whichever is left.

use crate::numbers::{TABLE, numbers};
use crate::place::{Place, Rows, everywhere};
use crate::server_of_own::OwnServer;
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
        let [first, second] = relays.map(|relay| relay.n_connections());
        assert!((first == 0) != (second == 0), "{first} connections to one, {second} to the other");
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
