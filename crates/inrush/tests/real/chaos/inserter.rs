//! Inserters under chaos, with and without `exactly_once`: what is acknowledged is stored once under its id, what is refused is
//! not stored, a good row is never refused as a duplicate, and with `exactly_once` no outcome stays unknown.

use super::{await_quiet, deadline, faults, kill_until, time_of_a_case};
use crate::cases::{Case, Route, in_cases};
use crate::inserter::twin::{Ends, TwinInserter, Who};
use crate::inserter::{check_stored, config, row, table};
use inrush::{InserterOptions, InserterStatus};
use inrush_testkit::dice::{Dice, seed};
use inrush_testkit::patience::{Wait, patience};
use inrush_testkit::proxy::faults::Relay;
use inrush_testkit::servers;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread;
use std::time::{Duration, Instant};

#[test]
fn inserter_under_chaos() {
    in_cases(servers::with_local_infile(), &[Route::Tcp], |case| campaign(case, false));
}

#[test]
fn inserter_exactly_once_under_chaos() {
    in_cases(servers::with_local_infile(), &[Route::Tcp], |case| campaign(case, true));
}

/// Rounds of a crowd each, with a table, an inserter and a relay of their own.
fn campaign(case: &Case, exactly_once: bool) {
    let name = format!("inserter {} {:?} exactly_once={exactly_once}", case.server.instance, case.shell);
    let mut dice = Dice::of(&name);
    let mut sum = Sum::default();
    let (end, wait) = (deadline(SHORT), Wait::begin());
    loop {
        round(case, exactly_once, &mut dice, &mut sum);
        if Instant::now() > end && sum.n_faults + sum.n_killed > 0 && sum.n_stored > 0 {
            break;
        }
        wait.check(format_args!("faults and rows that are stored: {name}"));
    }
    report(&name, &sum);
}

#[derive(Default)]
struct Sum {
    n_rounds: u64,
    n_rows: usize,
    n_stored: usize,
    n_unknown: usize,
    n_refused: usize,
    n_faults: u64,
    n_killed: u64,
}

fn round(case: &Case, exactly_once: bool, dice: &mut Dice, sum: &mut Sum) {
    let schema = table(case);
    schema.sql("INSERT INTO t (n) VALUES (100000), (100001)");
    let mut options = InserterOptions::new()
        .with_batch_rows(dice.between(2, 60) as usize)
        .with_lanes(dice.between(1, 3) as usize)
        .with_retries_for(2 * patience());
    if exactly_once {
        options = options.with_exactly_once(true);
    }
    let relay = Relay::start(case.server.port, faults(dice));
    let config = config(case, &schema)
        .with_port(relay.port())
        .with_connect_timeout(Duration::from_secs(2))
        .with_read_timeout(Some(super::READ_TIMEOUT));
    let inserter = TwinInserter::new(case, &config, "t", options);
    let is_over = AtomicBool::new(false);
    let (is_bad, n_rows) = (dice.percent(70), if time_of_a_case(SHORT) > SHORT { 25 } else { 6 });
    let (ends, n_killed) = thread::scope(|scope| {
        let mut kill_dice = Dice::of(&format!("kills {}", dice.below(u64::MAX)));
        let (is_over, schema) = (&is_over, &schema);
        let n_done = || {
            let InserterStatus { stored, failed, unknown, .. } = inserter.status();
            stored + failed + unknown
        };
        let pause = Duration::from_millis(60);
        let killer = scope.spawn(move || kill_until(is_over, case, schema, pause, &mut kill_dice, n_done));
        let ends = inserter.crowd(Who::Many, n_rows, move |n| match n % 40 {
            7 if is_bad => (100_000 + n % 2, String::new()),
            _ => row(n),
        });
        is_over.store(true, SeqCst);
        (ends, killer.join().unwrap())
    });
    // What closing says of the last flush was said to the rows' own callers.
    let _ = inserter.close();
    inserter.close_pool();
    let status = inserter.status();
    drop(inserter);
    await_quiet(case, &schema, &relay);
    schema.sql("DELETE FROM t WHERE n >= 100000");
    check(&ends, is_bad, exactly_once);
    check_stored(&schema, &ends);
    if exactly_once {
        assert_eq!(status.unknown, 0, "{status:?}");
    }
    sum.n_rounds += 1;
    sum.n_rows += ends.len();
    sum.n_stored += ends.iter().filter(|(_, end)| end.is_ok()).count();
    sum.n_unknown += ends.iter().filter(|(_, end)| end.as_ref().is_err_and(|e| e.is_outcome_unknown())).count();
    sum.n_refused += ends.iter().filter(|(_, end)| end.as_ref().is_err_and(|e| !e.is_outcome_unknown())).count();
    sum.n_faults += relay.n_met();
    sum.n_killed += n_killed;
}

#[track_caller]
fn check(ends: &Ends, has_bad: bool, exactly_once: bool) {
    for (n, end) in ends {
        let Err(error) = end else {
            assert!(!has_bad || n % 40 != 7, "{n} is a duplicate and yet acknowledged");
            continue;
        };
        assert!(!exactly_once || !error.is_outcome_unknown(), "{n}: {error:?}");
        if has_bad && n % 40 == 7 {
            continue;
        }
        // A query that somebody kills may fail its rows; nothing else may.
        let is_as_said = error.is_outcome_unknown() || error.code() == 1317;
        assert!(is_as_said, "the good row {n} is refused: {error:?}");
    }
}

#[allow(clippy::print_stdout, reason = "the numbers are the result")]
fn report(name: &str, sum: &Sum) {
    println!(
        "{name}: {} rounds, {} rows, {} stored, {} refused, {} unknown, {} faults, {} kills (seed {})",
        sum.n_rounds,
        sum.n_rows,
        sum.n_stored,
        sum.n_refused,
        sum.n_unknown,
        sum.n_faults,
        sum.n_killed,
        seed()
    );
}

const SHORT: Duration = Duration::from_millis(1);
