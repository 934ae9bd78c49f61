//! How long a small transaction takes that the load commits for this alone, as a multiple of what it took before the first row.

use super::{Rules, Unit};
use std::collections::VecDeque;
use std::time::Duration;

pub(super) const RULES: Rules = Rules {
    name: "commit-latency",
    unit: Unit::Times,
    variables: &[],
    query: None,
    // Before the first row nothing is known, and nothing is to be waited for.
    value: |now, _| Some(now.get(TIMES).unwrap_or(1.0)),
};

pub(super) const TIMES: &str = "commit_latency_times";

/// The times of small transactions: those before the load, and the last ones.
#[derive(Clone, Debug, Default)]
pub struct CommitLatency {
    before: Vec<Duration>,
    last: VecDeque<Duration>,
}

impl CommitLatency {
    /// Adds a transaction before the first row.
    pub fn before(&mut self, took: Duration) {
        self.before.push(took);
    }

    /// Adds one during the load. Returns the median of the last few as a multiple of the median before.
    pub fn take(&mut self, took: Duration) -> f64 {
        self.last.push_back(took);
        if self.last.len() > LAST {
            self.last.pop_front();
        }
        let before = median(self.before.iter().copied()).max(LEAST);
        median(self.last.iter().copied()).as_secs_f64() / before.as_secs_f64()
    }
}

fn median(times: impl Iterator<Item = Duration>) -> Duration {
    let mut times: Vec<_> = times.collect();
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

/// One slow transaction alone says nothing.
const LAST: usize = 3;

/// A multiple of less than this is noise.
const LEAST: Duration = Duration::from_micros(200);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_latency_is_a_multiple_of_what_it_was_before() {
        let ms = Duration::from_millis;
        let mut latency = CommitLatency::default();
        [2, 1, 90, 2, 2].iter().for_each(|took| latency.before(ms(*took)));
        let times = [2, 90, 8, 8, 3, 3].map(|took| latency.take(ms(took)));
        assert_eq!(times, [1.0, 45.0, 4.0, 4.0, 4.0, 1.5]);
        // Of nothing, or of very short ones.
        assert_eq!(CommitLatency::default().take(Duration::from_micros(400)), 2.0);
    }
}
