//! Tables over deadlines: seconds since some moment.

use super::*;

const READING: Ready = Ready { read: true, write: false };
const WRITING: Ready = Ready { read: true, write: true };

fn s(n: u64) -> Duration {
    Duration::from_secs(n)
}

struct At {
    zero: Instant,
    deadlines: Deadlines,
}

fn with(read: u64, write: u64, query: u64, kills: bool) -> At {
    let some = |n: u64| (n > 0).then_some(s(n));
    let config = Config::new().with_read_timeout(some(read)).with_write_timeout(some(write));
    let config = config.with_query_timeout(some(query)).with_kill_on_timeout(kills);
    let zero = Instant::now();
    At { zero, deadlines: Deadlines::new(&config, QueryTime::new(&config), zero) }
}

impl At {
    #[track_caller]
    fn check(&self, interest: Ready, deadline: Option<u64>, want: &str) {
        assert_eq!(self.deadlines.deadline(interest), deadline.map(|n| self.zero + s(n)));
        if deadline.is_none() {
            return;
        }
        let got = match self.deadlines.on_timeout(interest) {
            TimeoutAction::Kill => "kill".to_owned(),
            TimeoutAction::Fail(error) => {
                assert!(error.is_timeout() && error.is_fatal(), "{error:?}");
                error.message().to_owned()
            }
        };
        assert!(got.contains(want), "{got}");
    }

    fn moved(mut self, n: u64) -> Self {
        let now = self.zero + s(n);
        self.deadlines.moved(|| now);
        self
    }

    fn killed(mut self, n: u64) -> Self {
        self.deadlines.killed(self.zero + s(n));
        self
    }

    /// The caller stopped reading at `stopped` and continues at `goes_on`.
    fn again(mut self, stopped: u64, goes_on: u64) -> Self {
        let rest = self.deadlines.rest(self.zero + s(stopped));
        self.deadlines = Deadlines::new(&Config::new(), rest, self.zero + s(goes_on));
        self
    }
}

#[test]
fn no_limit() {
    with(0, 0, 0, true).check(READING, None, "");
}
#[test]
fn silence() {
    with(3, 5, 0, false).check(READING, Some(3), "read time-out");
    with(3, 5, 0, false).check(WRITING, Some(5), "write time-out");
    with(3, 5, 0, false).moved(2).check(READING, Some(5), "read time-out");
}
#[test]
fn the_whole_query() {
    with(0, 0, 4, false).check(READING, Some(4), "query time-out: not over after 4s");
    // Bytes that move do not stretch it.
    with(3, 0, 4, false).moved(2).check(READING, Some(4), "query time-out");
    with(3, 0, 9, false).moved(2).check(READING, Some(5), "read time-out");
}
#[test]
fn a_kill_gives_it_a_little_more() {
    with(0, 0, 4, true).check(READING, Some(4), "kill");
    with(0, 0, 4, true).killed(5).check(READING, Some(15), "nor 10s after KILL QUERY");
    with(3, 0, 4, true).moved(3).killed(5).check(READING, Some(8), "read time-out");
}
#[test]
fn what_is_not_sent_cannot_be_killed() {
    with(0, 0, 4, true).check(WRITING, Some(4), "not even sent");
}
#[test]
fn the_callers_own_time_does_not_count() {
    with(0, 0, 4, false).again(1, 100).check(READING, Some(103), "query time-out");
    with(0, 0, 4, true).killed(5).again(6, 100).check(READING, Some(109), "nor 10s after KILL");
}
#[test]
fn some_have_no_limit_and_some_no_kill() {
    let config = Config::new().with_query_timeout(Some(s(4))).with_kill_on_timeout(true);
    let zero = Instant::now();
    At { zero, deadlines: Deadlines::new(&config, QueryTime::NONE, zero) }.check(READING, None, "");
    At { zero, deadlines: Deadlines::new(&config, QueryTime::without_kill(&config), zero) }.check(
        READING,
        Some(4),
        "query time-out",
    );
}
#[test]
fn a_limit_beyond_the_clock_is_none() {
    let config = Config::new().with_query_timeout(Some(Duration::MAX)).with_read_timeout(Some(Duration::MAX));
    let zero = Instant::now();
    At { zero, deadlines: Deadlines::new(&config, QueryTime::new(&config), zero) }.check(READING, None, "");
}
#[test]
fn connecting_has_one_deadline() {
    let zero = Instant::now();
    At { zero, deadlines: Deadlines::Until(zero + s(7)) }.moved(3).check(READING, Some(7), "connect time-out");
}
