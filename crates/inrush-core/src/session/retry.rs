//! How often and how soon a transaction is run again that lost against another one.
//!
//! Pure: time and chance come in as arguments.

use crate::error::Error;
use std::time::Duration;

/// How often a transaction is run again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Retries {
    /// Not at all.
    #[default]
    Never,
    /// So many times more.
    Times(u32),
    /// For as long as this, from the first start.
    For(Duration),
}

impl Retries {
    /// How long to wait before the next run. None: give up. `n_runs` have failed, the last with `error`; `random` is from 0 to 1.
    pub fn pause(self, error: &Error, n_runs: u32, elapsed: Duration, random: f64) -> Option<Duration> {
        // On the same connection: one that is gone takes the closure's session with it.
        if !error.is_retryable() || error.is_fatal() {
            return None;
        }
        let pause = back_off(n_runs, random);
        match self {
            Self::Never => None,
            Self::Times(times) => (n_runs <= times).then_some(pause),
            Self::For(limit) => (elapsed.saturating_add(pause) <= limit).then_some(pause),
        }
    }
}

/// The pause after `n_runs` failed runs: twice as long each time up to a second, and by chance between half of that and all of
/// it, so that those who met once do not meet again.
pub fn back_off(n_runs: u32, random: f64) -> Duration {
    let doublings = n_runs.saturating_sub(1).min(MAX_DOUBLINGS);
    let full = (FIRST_PAUSE * (1 << doublings)).min(LONGEST_PAUSE);
    let share = if random.is_finite() { random.clamp(0.0, 1.0) } else { 1.0 };
    full.mul_f64(0.5 + share / 2.0)
}

/// About the time a short transaction takes: the winner should be through by then.
const FIRST_PAUSE: Duration = Duration::from_millis(5);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);
const MAX_DOUBLINGS: u32 = 16;

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    #[track_caller]
    fn check_back_off(n_runs: u32, random: f64, want: Duration) {
        assert_eq!(back_off(n_runs, random), want);
    }

    #[test]
    fn doubles() {
        check_back_off(1, 1.0, ms(5));
        check_back_off(2, 1.0, ms(10));
        check_back_off(3, 1.0, ms(20));
        check_back_off(8, 1.0, ms(640));
    }
    #[test]
    fn is_bounded() {
        check_back_off(9, 1.0, ms(1000));
        check_back_off(u32::MAX, 1.0, ms(1000));
        check_back_off(0, 1.0, ms(5));
    }
    #[test]
    fn leaves_half_to_chance() {
        check_back_off(3, 0.0, ms(10));
        check_back_off(3, 0.5, ms(15));
        check_back_off(3, f64::NAN, ms(20));
        check_back_off(3, -7.0, ms(10));
        check_back_off(3, 7.0, ms(20));
    }

    fn deadlock() -> Error {
        Error::server(1213, *b"40001", "Deadlock found")
    }

    #[track_caller]
    fn check(retries: Retries, error: &Error, n_runs: u32, elapsed: Duration, want: bool) {
        assert_eq!(retries.pause(error, n_runs, elapsed, 1.0).is_some(), want);
    }

    #[test]
    fn so_many_times() {
        check(Retries::Never, &deadlock(), 1, ms(0), false);
        check(Retries::Times(0), &deadlock(), 1, ms(0), false);
        check(Retries::Times(2), &deadlock(), 1, ms(0), true);
        check(Retries::Times(2), &deadlock(), 2, ms(99_999), true);
        check(Retries::Times(2), &deadlock(), 3, ms(0), false);
    }
    #[test]
    fn for_so_long() {
        check(Retries::For(ms(100)), &deadlock(), 1, ms(95), true);
        check(Retries::For(ms(100)), &deadlock(), 1, ms(96), false);
        check(Retries::For(Duration::MAX), &deadlock(), 1000, Duration::MAX, true);
    }
    #[test]
    fn only_what_may_pass() {
        let twice = Retries::Times(2);
        check(twice, &Error::server(1062, *b"23000", "Duplicate entry"), 1, ms(0), false);
        check(twice, &Error::new(crate::Kind::Io, "the connection was lost"), 1, ms(0), false);
        check(twice, &deadlock().outcome_unknown(), 1, ms(0), false);
        check(twice, &deadlock().fatal(), 1, ms(0), false);
        check(twice, &Error::config("the transaction is over"), 1, ms(0), false);
    }
}
