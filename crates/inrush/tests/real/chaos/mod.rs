//! Campaigns: connections and inserters at work while the network cuts, stalls, loses and delays what they send, and another
//! session kills them. Every answer is checked against its question; at the end the table is compared with what callers were told.
//!
//! The short form is part of the usual tests; `scripts/fire driver inserter` runs the long one (docs/fire.md).

mod driver;
mod inserter;
mod verbs;

use crate::cases::Case;
use inrush_testkit::dice::{Dice, is_long};
use inrush_testkit::patience::until;
use inrush_testkit::proxy::faults::{Fault, Relay, What, When};
use inrush_testkit::servers::Schema;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::thread;
use std::time::{Duration, Instant};

/// How long one case of a campaign takes: a server and a shell. `CHAOS_SECONDS` says how long in the long form.
fn time_of_a_case(short: Duration) -> Duration {
    let seconds = std::env::var("CHAOS_SECONDS").map_or(300, |s| s.parse().expect("CHAOS_SECONDS is a number"));
    if is_long() { Duration::from_secs(seconds) } else { short }
}

/// Runs until this moment.
fn deadline(short: Duration) -> Instant {
    Instant::now() + time_of_a_case(short)
}

/// More faults than a campaign meets, drawn from the dice.
fn faults(dice: &mut Dice) -> Vec<Fault> {
    (0..200_000).map(|_| fault(dice)).collect()
}

fn fault(dice: &mut Dice) -> Fault {
    let when = match dice.below(10) {
        0..4 => When::Up(dice.below(20_000)),
        4..8 => When::Down(dice.below(20_000)),
        _ => When::Commit(dice.between(1, 8)),
    };
    let pause = if dice.percent(5) { BEYOND } else { Duration::from_millis(dice.below(150)) };
    let what = match dice.below(10) {
        0..4 => What::Cut,
        4..6 => What::Swallow(pause),
        6..8 => What::Stall(pause),
        _ => What::Hold(pause),
    };
    Fault { when, what }
}

/// The `read-timeout` of connections under chaos.
const READ_TIMEOUT: Duration = Duration::from_secs(2);
/// Longer than that.
const BEYOND: Duration = Duration::from_millis(2_500);

/// Kills queries and connections of a schema now and then until the work is done, and counts the kills. Between two kills the work must
/// come on, by the count that `n_done` returns: on a slow machine nothing ever would be done otherwise.
fn kill_until(
    is_over: &AtomicBool,
    case: &Case,
    schema: &Schema,
    pause: Duration,
    dice: &mut Dice,
    n_done: impl Fn() -> u64,
) -> u64 {
    let list = format!(
        "SELECT ID FROM /*!80022 performance_schema*//*M!100000 information_schema*/.processlist WHERE DB = '{}'",
        schema.name()
    );
    let (mut n_killed, mut n_before) = (0, u64::MAX);
    while !is_over.load(SeqCst) {
        thread::sleep(pause);
        if n_done() == n_before {
            continue;
        }
        let Ok(found) = case.server.try_sql(&list) else { continue };
        if found.is_empty() {
            continue;
        }
        let id = &found[dice.below(found.len() as u64) as usize][0];
        let what = if dice.percent(50) { "KILL QUERY" } else { "KILL" };
        // It may be gone meanwhile.
        n_before = n_done();
        n_killed += u64::from(case.server.try_sql(&format!("{what} {id}")).is_ok());
    }
    n_killed
}

/// Waits until the server has no connection to the schema any more: what was on its way has arrived, or never will.
#[track_caller]
fn await_quiet(case: &Case, schema: &Schema, relay: &Relay) {
    let count = format!(
        "SELECT COUNT(*) FROM /*!80022 performance_schema*//*M!100000 information_schema*/.processlist WHERE DB = '{}'",
        schema.name()
    );
    // First the relay, which may hold back a packet: the server learns of that connection's end only behind it.
    let what = format!("the end of the connections to {}", schema.name());
    until(what, || relay.is_idle() && case.server.sql(&count)[0][0] == "0");
}

/// A number that no other row has.
fn next_id() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, SeqCst)
}
