//! Connections that are lost: killed, cut in the middle of a chunk, cut while a COMMIT is under way. What the report names
//! is true, and what nobody can know is named too.

use crate::numbers::{TABLE, check_table, numbers, records};
use crate::place::{Done, Place, Rows, everywhere};
use crate::stopped::{Running, await_true, kill_connections};
use inrush_testkit::proxy::cut::{Cut, Relay};
use std::process::Command;

#[test]
fn a_killed_connection() {
    everywhere("killed", |place| {
        place.sql(TABLE);
        let mut load = Running::start(place, "- --into numbers --batch 500 --lanes 2 --retry-for 0");
        let feeder = load.feed();
        await_true("rows in the table", || place.sql("SELECT COUNT(*) > 0 FROM numbers") == "1");
        // A connection that is killed after its COMMIT was sent is missed by nobody: the ledger tells that the chunk is stored.
        while !load.is_over() {
            kill_connections(place);
        }
        let done = load.end();
        feeder.join().unwrap();
        assert_eq!((done.code, &done.json["stop"]["why"]), (3, &"server".into()), "{done}");
        check_table(place, &done, |_| true);
    });
}

#[test]
fn a_connection_cut_in_the_middle_of_a_chunk() {
    everywhere("cut_in_chunk", |place| {
        let done = through(place, Cut::AfterBytes(60_000), 20_000);
        assert_eq!((done.code, done.rows().unwrap().unknown), (3, 0), "{done}");
        done.says("error: ");
        check_table(place, &done, |_| true);
    });
}

#[test]
fn a_commit_whose_answer_is_lost() {
    everywhere("lost_answer", |place| {
        let done = through(place, Cut::AfterCommit(3), 500);
        let rows = done.rows().unwrap();
        assert_eq!((done.code, rows.stored, rows.unknown), (3, 200, 100), "{done}");
        done.says("\nunknown: numbers.csv, records 201 to 300 (lines 202 to 301): in the table or not; look for them before you load them again\n");
        done.says("\nstored: numbers.csv, records 1 to 200 (lines 2 to 201)");
        // The server ran it, if a moment later.
        await_true("the COMMIT", || place.sql("SELECT COUNT(*), MAX(id) FROM numbers") == "300,300");
        assert_eq!(records(&done.json["unknown_records"]), (201..=300).collect());
    });
}

#[test]
fn a_commit_that_never_arrives() {
    everywhere("lost_commit", |place| {
        let done = through(place, Cut::BeforeCommit(3), 500);
        assert_eq!((done.code, done.rows().unwrap().stored, done.rows().unwrap().unknown), (3, 200, 100), "{done}");
        assert_eq!(place.sql("SELECT COUNT(*), MAX(id) FROM numbers"), "200,200");
        check_table(place, &done, |_| true);
    });
}

/// A table that keeps no transactions: what the server did before it found fault stays, so nobody can say which rows are in.
#[test]
fn a_table_without_transactions() {
    everywhere("myisam", |place| {
        place.sql(&format!("{TABLE} ENGINE=MyISAM"));
        let args = "numbers.csv --into numbers --batch 100 --lanes 1 --guarantee at-least-once";
        place.write("numbers.csv", numbers(300, |id| format!("{id},{id}")));
        let done = place.load(args);
        assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(300))), "{done}");
        place.sql("TRUNCATE numbers; INSERT INTO numbers VALUES (150, 0)");
        for how in ["stop", "skip"] {
            let done = place.load(&format!("{args} --bad-rows {how}"));
            let rows = done.rows().unwrap();
            assert_eq!((done.code, rows.stored, rows.unknown), (3, 100, 100), "{done}");
            done.says("error: the server found fault with rows of this chunk, and its table cannot roll back (numbers.csv, line 102)\n");
            done.says("\nunknown: numbers.csv, records 101 to 200 (lines 102 to 201): in the table or not; ");
            check_table(place, &done, |_| true);
            place.sql("DELETE FROM numbers WHERE id <> 150");
        }
        // What we find ourselves is known before anything is sent.
        place.sql("TRUNCATE numbers");
        place.write("numbers.csv", numbers(300, |id| if id == 150 { "150,x".into() } else { format!("{id},{id}") }));
        let done = place.load(&format!("{args} --bad-rows skip"));
        assert_eq!((done.code, done.rows()), (4, Some(Rows::rejecting(299, 1))), "{done}");
        check_table(place, &done, |id| id != 150);
    });
}

/// One lane, chunks of 100 rows.
pub(crate) const ONE_LANE: &str = "numbers.csv --into numbers --batch 100 --lanes 1";

/// Without a ledger, so that nobody can ask what became of a COMMIT.
const UNGUARDED: &str = "--guarantee at-least-once";

/// A load over TCP through a relay.
pub(crate) fn through_relay(place: &Place, relay: &Relay, args: &str) -> Command {
    let mut command = over_port(place, relay.port(), args);
    command.args(["--json", "-q"]);
    command
}

/// A load over a port of this machine, not encrypted.
pub(crate) fn over_port(place: &Place, port: u16, args: &str) -> Command {
    let mut command = place.bare(&format!("{args} --tls disabled -h 127.0.0.1"));
    command.args(["-P", &port.to_string(), "-u", &place.server.user, "-D", place.schema.name()]);
    command.env("INRUSH_PASSWORD", &place.server.password);
    command
}

fn through(place: &Place, cut: Cut, n_rows: u64) -> Done {
    place.sql(TABLE);
    place.write("numbers.csv", numbers(n_rows, |id| format!("{id},{id}")));
    let relay = Relay::start(place.server.port, cut);
    let done =
        place.done(&through_relay(place, &relay, &format!("{ONE_LANE} --retry-for 0 {UNGUARDED}")).output().unwrap());
    assert!(relay.has_cut(), "it ended before the cut: {done}");
    done
}
