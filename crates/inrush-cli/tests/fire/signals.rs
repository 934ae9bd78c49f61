//! Ctrl-C, once or twice, at random moments, while the network cuts, stalls and loses answers. After the second one a run ends
//! at once with exit code 130; whatever it reported, the same command then finishes the job.

use crate::job::{Job, Kind, Shape};
use crate::kills::finish;
use crate::network::servers;
use crate::place::on;
use crate::run::{Ended, Run};
use crate::table::Line;
use inrush_testkit::dice::{Dice, is_long, times};
use inrush_testkit::patience::patience;
use inrush_testkit::proxy::faults::{Fault, Relay, What, When};
use inrush_testkit::servers::Server;
use std::thread::sleep;
use std::time::{Duration, Instant};

#[test]
fn two_signals_at_random_moments() {
    on(servers(), "signals", |place| {
        let server = &place.server;
        let mut dice = Dice::of(&format!("signals {}", server.instance));
        let mut line = Line::new("two signals", &server.instance);
        let mut slowest = Duration::ZERO;
        for turn in 0..times(5, 300) {
            let shape = Shape::draw_of(&Kind::ALL, dice.below(11) + turn, 6_000, server, &mut dice);
            let job = Job::new(server, shape, &mut dice);
            let faults = (0..dice.below(6)).map(|_| fault(&mut dice)).collect::<Vec<_>>();
            let relay = Relay::start(server.port, faults);
            let read_timeout = dice.percent(50).then_some(2);
            let mut finished = None;
            for _ in 0..dice.between(1, if is_long() { 4 } else { 2 }) {
                line.runs += 1;
                let run = job.start(job.command_to(relay.port(), read_timeout));
                match interrupt(run, &mut dice, &mut slowest) {
                    Ended::BySignal => line.faults += 1,
                    Ended::ByItself(done) if job.is_finished_by(&done) => {
                        finished = Some(done);
                        break;
                    }
                    Ended::ByItself(done) => {
                        line.faults += 1;
                        assert!([130, 3].contains(&done.code), "{:?}: {done}", job.shape);
                        if let Some(rows) = done.rows() {
                            let sum = rows.stored + rows.skipped + rows.rejected + rows.not_loaded + rows.unknown;
                            assert_eq!(rows.read, sum, "the report adds up: {done}");
                        }
                    }
                }
            }
            match finished {
                Some(done) => job.check(&done, &mut line),
                None => finish(&job, &mut line),
            }
        }
        report(server, slowest);
        line.conclude();
    });
}

/// Signals a run up to twice; measures how long it takes to end after the second one.
fn interrupt(mut run: Run<'_>, dice: &mut Dice, slowest: &mut Duration) -> Ended {
    if dice.percent(15) {
        // While it starts, reads the table, opens the job.
        sleep(Duration::from_millis(dice.below(300)));
    } else if run.await_visits("chunk.begin", 1) {
        sleep(Duration::from_micros(dice.below(120_000)));
    }
    run.signal();
    sleep(Duration::from_millis(if dice.percent(50) { dice.below(30) } else { dice.below(800) }));
    if run.is_over() {
        return run.end_or_signal();
    }
    run.signal();
    let start = Instant::now();
    let ended = run.end_or_signal();
    let took = start.elapsed();
    *slowest = took.max(*slowest);
    // `load/aborted.rs` has the waits that would not end by themselves.
    assert!(took < patience(), "it took {took:?} to end after the second signal");
    ended
}

fn fault(dice: &mut Dice) -> Fault {
    let when = match dice.below(3) {
        0 => When::Up(dice.below(60_000)),
        1 => When::Down(dice.below(2_000)),
        _ => When::Commit(dice.between(1, 6)),
    };
    let pause = Duration::from_millis(dice.between(100, 3_000));
    let what = match dice.below(4) {
        0 => What::Cut,
        1 => What::Stall(pause),
        2 => What::Swallow(pause),
        _ => What::Hold(pause),
    };
    Fault { when, what }
}

#[allow(clippy::print_stdout, reason = "the numbers are the result")]
fn report(server: &Server, slowest: Duration) {
    println!(
        "two signals, {}: the slowest end after the second signal took {} ms",
        server.instance,
        slowest.as_millis()
    );
}
