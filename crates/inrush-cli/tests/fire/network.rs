//! The network between inrush and the server fails: connections are cut at a random byte, stall, lose an answer; and COMMITs that
//! the server runs when their client has been given up, or is dead.

use crate::job::{Job, Shape};
use crate::place::{Done, on};
use crate::run::Killed;
use crate::table::Line;
use inrush_testkit::dice::{Dice, is_long, times};
use inrush_testkit::patience::until;
use inrush_testkit::proxy::faults::{Fault, Relay, What, When};
use inrush_testkit::servers::{Server, all, with_local_infile};
use std::thread::sleep;
use std::time::Duration;

#[test]
fn cut_at_a_random_byte() {
    under("cut at a random byte", 6, 80, |bytes, dice| Fault { when: anywhere(bytes, dice), what: What::Cut });
}

/// Longer than the client waits for an answer; the server learns of it later still.
#[test]
fn stalled_beyond_the_time_outs() {
    under("stalled", 2, 16, |bytes, dice| Fault { when: anywhere(bytes, dice), what: What::Stall(LONG) });
}

#[test]
fn an_answer_to_commit_is_swallowed() {
    under("answer to COMMIT swallowed", 2, 24, |_, dice| Fault {
        when: When::Commit(dice.between(1, 12)),
        what: What::Swallow(Duration::from_millis(dice.below(200))),
    });
}

/// The client gives up while its COMMIT is on its way, and asks the ledger over a new connection.
#[test]
fn a_commit_arrives_after_it_was_given_up() {
    under("late COMMIT, client alive", 2, 16, |_, dice| Fault {
        when: When::Commit(dice.between(1, 12)),
        what: What::Hold(LONG),
    });
}

/// The client dies while its COMMIT is on its way, and another run begins before it arrives.
#[test]
fn a_commit_outlives_its_client() {
    on(servers(), "zombie", |place| {
        let server = &place.server;
        let mut dice = Dice::of(&format!("zombie {}", server.instance));
        let mut line = Line::new("zombie COMMIT, client dead", &server.instance);
        for turn in 0..times(2, 24) {
            let when = When::Commit(dice.between(2, 8));
            zombie(server, turn, when, &mut line, &mut dice);
        }
        line.conclude();
    });
}

/// The same for anything else that the client had sent: data, the chunk's line in the ledger.
#[test]
fn any_byte_outlives_its_client() {
    on(servers(), "zombie bytes", |place| {
        let server = &place.server;
        let mut dice = Dice::of(&format!("zombie bytes {}", server.instance));
        let mut line = Line::new("zombie bytes, client dead", &server.instance);
        for turn in 0..times(1, 24) {
            let when = When::Up(dice.between(4_000, 60_000));
            zombie(server, turn, when, &mut line, &mut dice);
        }
        line.conclude();
    });
}

/// Jobs through a relay; one to four faults each.
fn under(case: &str, short: u64, long: u64, fault: fn((u64, u64), &mut Dice) -> Fault) {
    on(servers(), case, |place| {
        let server = &place.server;
        let mut dice = Dice::of(&format!("{case} {}", server.instance));
        let mut line = Line::new(case, &server.instance);
        let clean = Job::new(server, Shape::draw(0, RECORDS, server, &mut dice), &mut dice);
        let relay = Relay::start(server.port, []);
        let done = clean.start(clean.command_to(relay.port(), None)).end();
        clean.check(&done, &mut line);
        let bytes = relay.bytes();
        for turn in 0..times(short, long) {
            let job = Job::new(server, Shape::draw(turn, RECORDS, server, &mut dice), &mut dice);
            let n_faults = dice.between(1, 4);
            // Most shapes pass fewer bytes than another, and all faults are to be met.
            let bytes = (bytes.0 / (n_faults + 1), bytes.1 / (n_faults + 1));
            let faults: Vec<_> = (0..n_faults).map(|_| fault(bytes, &mut dice)).collect();
            let relay = Relay::start(server.port, faults);
            let done = until_done(&job, relay.port(), Some(READ_TIMEOUT), &mut line);
            line.faults += relay.n_met();
            job.check(&done, &mut line);
        }
        assert!(line.faults > 0, "no fault was met");
        line.conclude();
    });
}

/// The same command until it is done. A run may fail before it has stored anything: it is not to try for ever then.
pub(crate) fn until_done(job: &Job, port: u16, read_timeout: Option<u64>, line: &mut Line) -> Done {
    for _ in 0..MOST_RUNS {
        line.runs += 1;
        let done = job.start(job.command_to(port, read_timeout)).end();
        if job.is_finished_by(&done) {
            return done;
        }
        assert_eq!(done.code, 3, "{:?}: {done}", job.shape);
    }
    panic!("not done after {MOST_RUNS} runs: {:?}, the last one said {}", job.shape, job.place.read("stderr"));
}

fn zombie(server: &Server, turn: u64, when: When, line: &mut Line, dice: &mut Dice) {
    let shape = Shape { lanes: dice.between(1, 2), ..Shape::draw(turn, RECORDS, server, dice) };
    let job = Job::new(server, shape, dice);
    let held_for = Duration::from_millis(dice.between(500, if is_long() { 4_000 } else { 1_500 }));
    let relay = Relay::start(server.port, [Fault { when, what: What::Hold(held_for) }]);
    let mut run = job.start(job.command_to(relay.port(), None));
    line.runs += 1;
    until("the fault", || relay.n_met() > 0 || run.is_over());
    // What is held is on its way: some time passes, but less than it takes.
    sleep(Duration::from_millis(dice.below(50)));
    match run.kill() {
        Killed::Here(places) => {
            line.faults += 1;
            line.inside += u64::from(!places.is_empty());
            line.places.add(&places);
            let done = until_done(&job, relay.port(), None, line);
            job.check(&done, line);
        }
        Killed::Ended(done) => {
            assert!(job.is_finished_by(&done), "{:?}: {done}", job.shape);
            job.check(&done, line);
        }
    }
    // Whatever was held is through by now, and must have changed nothing.
    sleep(held_for);
    job.check_again();
}

fn anywhere((up, down): (u64, u64), dice: &mut Dice) -> When {
    if dice.percent(50) { When::Up(dice.below(up)) } else { When::Down(dice.below(down)) }
}

/// Both forms meet every family.
pub(crate) fn servers() -> Vec<Server> {
    if is_long() { all() } else { with_local_infile() }
}

const RECORDS: u64 = 2_000;
const MOST_RUNS: u64 = 12;
/// Seconds.
const READ_TIMEOUT: u64 = 3;
/// Beyond that.
const LONG: Duration = Duration::from_millis(4_500);
