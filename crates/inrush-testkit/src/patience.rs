//! How long a test waits, at most, for what must come: [`patience`] is the upper bound of every wait in every test.
//!
//! No test decides by the clock. It waits for an event, and asserts outcomes and their order. The bound only ends a test that would
//! otherwise wait for ever. It is far longer than anything takes: 60 s, times the factor in `INRUSH_TEST_PATIENCE`, which a slow machine
//! raises.

use std::fmt::Display;
use std::sync::LazyLock;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The longest wait.
///
/// Panics if `INRUSH_TEST_PATIENCE` is set and is not a number of at least 1.
pub fn patience() -> Duration {
    static PATIENCE: LazyLock<Duration> = LazyLock::new(|| {
        let factor = std::env::var("INRUSH_TEST_PATIENCE").ok().filter(|text| !text.is_empty());
        USUAL * factor.map_or(1, |text| parse(&text))
    });
    *PATIENCE
}

/// Waits until `check` returns true. Panics with `what` if it does not within [`patience`].
#[track_caller]
pub fn until(what: impl Display, mut check: impl FnMut() -> bool) {
    until_some(what, || check().then_some(()));
}

/// Waits until `look` returns something, and returns that. Panics with `what` if it does not within [`patience`].
#[track_caller]
pub fn until_some<T>(what: impl Display, mut look: impl FnMut() -> Option<T>) -> T {
    let wait = Wait::begin();
    loop {
        if let Some(found) = look() {
            return found;
        }
        wait.pause(&what);
    }
}

/// For a time limit that is to be short, and under which something must succeed all the same: a second, then two, four .. Panics with
/// `what` if [`patience`] was not enough either.
pub fn growing_limits(what: impl Display) -> impl Iterator<Item = Duration> {
    let grow = |limit: &Duration| Some((*limit * 2).min(patience()));
    let not_enough = std::iter::from_fn(move || panic!("not even {:?} was enough for {what}", patience()));
    std::iter::successors(Some(Duration::from_secs(1)), grow)
        .take_while(|limit| *limit < patience())
        .chain([patience()])
        .chain(not_enough)
}

/// A wait that has begun, for loops that do more than check a condition.
#[derive(Clone, Copy, Debug)]
pub struct Wait {
    end: Instant,
}

impl Wait {
    /// Begins one.
    pub fn begin() -> Self {
        Self { end: Instant::now() + patience() }
    }

    /// Whether [`patience`] is over.
    pub fn is_over(&self) -> bool {
        Instant::now() >= self.end
    }

    /// Panics with `what` if [`patience`] is over.
    #[track_caller]
    pub fn check(&self, what: impl Display) {
        assert!(!self.is_over(), "waited {:?} in vain for {what}", patience());
    }

    /// The same, and sleeps for a moment.
    #[track_caller]
    pub fn pause(&self, what: impl Display) {
        self.check(what);
        sleep(MOMENT);
    }
}

fn parse(factor: &str) -> u32 {
    match factor.parse() {
        Ok(factor @ 1..) => factor,
        _ => panic!("`INRUSH_TEST_PATIENCE` is `{factor}`, not a whole number of at least 1"),
    }
}

const USUAL: Duration = Duration::from_secs(60);
const MOMENT: Duration = Duration::from_millis(5);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_factor_is_a_whole_number_of_at_least_one() {
        assert_eq!((parse("1"), parse("10")), (1, 10));
        for wrong in ["0", "0.5", "-1", "much"] {
            std::panic::catch_unwind(|| parse(wrong)).unwrap_err();
        }
    }
    #[test]
    fn it_looks_until_there_is_something() {
        let mut n = 0;
        let found = until_some("the third look", || {
            n += 1;
            (n == 3).then_some("here")
        });
        assert_eq!((found, n), ("here", 3));
    }
    #[test]
    fn limits_grow_to_the_longest_wait() {
        let mut limits = growing_limits("ever");
        assert_eq!(limits.by_ref().take(3).map(|limit| limit.as_secs()).collect::<Vec<_>>(), [1, 2, 4]);
        assert_eq!(limits.find(|limit| *limit >= patience()), Some(patience()));
        let message = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| limits.next())).unwrap_err();
        assert!(message.downcast_ref::<String>().unwrap().ends_with("was enough for ever"));
    }
    #[test]
    fn a_wait_that_is_over_names_what_it_was_for() {
        let over = Wait { end: Instant::now() };
        let message = std::panic::catch_unwind(|| over.pause("the answer")).unwrap_err();
        assert!(message.downcast_ref::<String>().unwrap().ends_with("in vain for the answer"));
        assert!(over.is_over() && !Wait::begin().is_over());
    }
}
