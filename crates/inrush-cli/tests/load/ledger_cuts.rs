//! The connection is cut at every COMMIT of a load, those of the ledger included: its answer is lost, or it never arrives. The same
//! command again ends it, with every row once.

use crate::ledger::{held, lines};
use crate::lost::{ONE_LANE, through_relay};
use crate::numbers::{TABLE, numbers};
use crate::place::{Place, Rows, on};
use inrush_testkit::proxy::cut::{Cut, Relay};
use inrush_testkit::servers::with_local_infile;

#[test]
fn at_every_commit() {
    on(with_local_infile(), "every_commit", |place| {
        place.sql(TABLE);
        place.write("numbers.csv", numbers(300, |id| if id == 150 { "150,x".into() } else { format!("{id},{id}") }));
        for cut in [Cut::AfterCommit, Cut::BeforeCommit] {
            let mut n = 1;
            while cut_at(place, cut(n)) {
                n += 1;
            }
            // Three chunks, and some for the ledger itself.
            assert!(n > 6, "only {n} COMMITs");
        }
    });
}

/// Returns whether it came to that COMMIT.
fn cut_at(place: &Place, cut: Cut) -> bool {
    place.forget();
    place.sql("TRUNCATE numbers");
    for name in ["bad.csv", "bad.csv.log"] {
        let _ = std::fs::remove_file(place.path(name));
    }
    let args = format!("{ONE_LANE} --bad-rows divert:bad.csv");
    let relay = Relay::start(place.server.port, cut);
    let first = place.done(&through_relay(place, &relay, &format!("{args} --retry-for 0")).output().unwrap());
    let was_cut = relay.has_cut();
    assert_eq!(first.code, if was_cut { 3 } else { 4 }, "{cut:?}: {first}");
    if was_cut {
        let done = place.go_on(&args);
        // An answer that was lost may have been that of the end.
        assert_eq!((done.code, done.rows()), (4, Some(Rows::rejecting(299, 1))), "{cut:?}: {done}");
    }
    assert_eq!((held(place).as_str(), lines(place)), ("299,45000", [1, 0, 0]), "{cut:?}");
    assert_eq!(place.read("bad.csv"), "id,value\n150,x\n", "{cut:?}");
    // And by itself, where connections can be made again.
    if was_cut {
        place.forget();
        place.sql("TRUNCATE numbers");
        for name in ["bad.csv", "bad.csv.log"] {
            std::fs::remove_file(place.path(name)).unwrap();
        }
        let relay = Relay::healing(place.server.port, cut);
        let done = place.done(&through_relay(place, &relay, &args).output().unwrap());
        if done.code != 4 {
            assert_eq!(
                (done.code, done.rows()),
                (3, None),
                "only what comes before the first row may fail: {cut:?}: {done}"
            );
            assert_eq!(place.go_on(&args).code, 4, "{cut:?}");
        }
        assert_eq!((held(place).as_str(), lines(place)), ("299,45000", [1, 0, 0]), "{cut:?}");
    }
    was_cut
}
