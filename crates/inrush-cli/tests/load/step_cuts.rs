//! The connection is cut at every COMMIT of a load that has steps before and after its rows: its answer is lost, or it never arrives. By
//! itself or by the same command again the load comes to its end, and each statement of the user was run once.

use crate::lost::{ONE_LANE, over_port};
use crate::numbers::{TABLE, numbers};
use crate::place::{Done, Place, on};
use inrush_testkit::proxy::cut::{Cut, Relay};
use inrush_testkit::servers::with_local_infile;
use std::process::Command;

const TABLES: &str = "CREATE TABLE marks (what VARCHAR(10))";

#[test]
fn statements_of_the_user_and_rebuilt_indexes() {
    on(with_local_infile(), "cut_indexes", |place| {
        at_every_commit(place, "--truncate --defer-indexes", Cut::AfterCommit);
        place.sql("DROP TABLE numbers, marks");
        at_every_commit(place, "--truncate --defer-indexes", Cut::BeforeCommit);
    });
}

#[test]
fn statements_of_the_user_and_a_copy_that_takes_the_place() {
    on(with_local_infile(), "cut_atomic", |place| at_every_commit(place, "--atomic --truncate", Cut::AfterCommit));
}

/// Cuts at the first, the second .. COMMIT, until a load has no more of them.
fn at_every_commit(place: &Place, args: &str, cut: fn(u64) -> Cut) {
    place.sql(&format!("{TABLE}; {TABLES}; ALTER TABLE numbers ADD KEY by_value (value)"));
    let create = place.sql("SHOW CREATE TABLE numbers");
    place.write("numbers.csv", numbers(200, |id| format!("{id},{id}")));
    for n in 1.. {
        place.forget();
        place.sql("TRUNCATE numbers; TRUNCATE marks");
        let relay = Relay::healing(place.server.port, cut(n));
        let mut done = run(place, over_port(place, relay.port(), ONE_LANE), args);
        if !relay.has_cut() {
            assert_eq!(done.code, 0, "{done}");
            // Two chunks, two steps, and some for the ledger itself.
            assert!(n > 7, "only {n} COMMITs");
            return;
        }
        // What comes before the first row is not tried again by the same run.
        if done.code != 0 {
            assert_eq!((done.code, done.rows()), (3, None), "{args}, {:?}: {done}", cut(n));
            done = run(place, place.command(ONE_LANE), args);
        }
        assert_eq!(done.code, 0, "{args}, {:?}: {done}", cut(n));
        let held = place.sql("SELECT what FROM marks UNION ALL SELECT CONCAT(COUNT(*), ' ', SUM(value)) FROM numbers");
        assert_eq!(held, "before|after|200 20100", "{args}, {:?}: {done}", cut(n));
        assert_eq!(place.sql("SHOW CREATE TABLE numbers"), create, "{args}, {:?}: {done}", cut(n));
    }
}

fn run(place: &Place, mut command: Command, args: &str) -> Done {
    command.args(args.split_whitespace()).args(["--json", "-q"]);
    command.args(["--before", "INSERT INTO marks VALUES ('before')", "--after", "INSERT INTO marks VALUES ('after')"]);
    place.done(&command.output().unwrap())
}

/// Nobody can know what became of it, so it is not done again, and said.
#[test]
fn without_a_ledger_it_is_told() {
    on(with_local_infile(), "cut_bare", |place| {
        place.sql(&format!("{TABLE}; {TABLES}"));
        place.write("numbers.csv", numbers(100, |id| format!("{id},{id}")));
        let args = "--guarantee at-least-once";
        // The COMMITs of such a load are those of its statements and its chunk.
        for (n, option, want) in [(1, "--before", "before"), (4, "--after", "after|before")] {
            place.sql("TRUNCATE numbers; TRUNCATE marks");
            let relay = Relay::healing(place.server.port, Cut::AfterCommit(n));
            let done = run(place, over_port(place, relay.port(), ONE_LANE), args);
            assert!(relay.has_cut(), "{done}");
            assert_eq!(done.code, 3, "{done}");
            done.says(&format!(
                "the answer to the COMMIT behind `{option}` was lost, and without a ledger nobody knows"
            ));
            crate::session::await_true("the COMMIT", || place.sql("SELECT what FROM marks ORDER BY what") == want);
        }
    });
}
