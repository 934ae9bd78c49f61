//! Which waits of a load are reported while it runs. A slow replica makes a load wait for a moment every few seconds: the first such wait is
//! reported, a long one, and of all others a summary now and then.

use std::time::Duration;

/// What is to be reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitReport {
    /// The load waits, or still waits.
    Waits,
    /// It continues after a wait that was reported, which took so long.
    Continues(Duration),
    /// It has waited since the last report.
    Waited {
        /// How many times; waits that were reported by themselves do not count.
        times: u64,
        /// For how long in all.
        waited: Duration,
    },
}

/// Decides what is reported.
#[derive(Clone, Debug, Default)]
pub struct WaitReports {
    /// When something was last reported.
    reported: Option<Duration>,
    /// Since when the load waits, and whether that was reported.
    wait: Option<(Duration, bool)>,
    /// Waits that were not reported.
    times: u64,
    waited: Duration,
}

impl WaitReports {
    /// Takes in whether the load waits at this time. Times are those of any clock that does not go back.
    pub fn take(&mut self, waits: bool, now: Duration) -> Option<WaitReport> {
        let is_due = self.reported.is_none_or(|reported| now.saturating_sub(reported) >= RARELY);
        let report = match (self.wait, waits) {
            (None, false) => None,
            (None, true) => {
                let is_reported = is_due && self.times == 0;
                self.wait = Some((now, is_reported));
                is_reported.then_some(WaitReport::Waits)
            }
            (Some((_, true)), true) => is_due.then_some(WaitReport::Waits),
            (Some((since, false)), true) => (now.saturating_sub(since) >= LONG).then(|| {
                self.wait = Some((since, true));
                WaitReport::Waits
            }),
            (Some((since, is_reported)), false) => {
                self.wait = None;
                let waited = now.saturating_sub(since);
                if !is_reported {
                    self.times += 1;
                    self.waited += waited;
                }
                is_reported.then_some(WaitReport::Continues(waited))
            }
        };
        let report = report.or_else(|| (is_due && self.times > 0).then(|| self.summary()));
        if report.is_some() {
            self.reported = Some(now);
        }
        report
    }

    fn summary(&mut self) -> WaitReport {
        WaitReport::Waited { times: std::mem::take(&mut self.times), waited: std::mem::take(&mut self.waited) }
    }
}

/// A wait that continues, and short ones together, are reported once in this time.
const RARELY: Duration = Duration::from_secs(60);

/// A wait of this time is reported by itself.
const LONG: Duration = Duration::from_secs(5);

#[cfg(test)]
mod tests {
    use super::*;

    /// Readings a second apart: `w` the load waits, `.` it does not. And what is reported: `W` waits, `C` continues, `S` a summary, `.` nothing.
    #[track_caller]
    fn check(readings: &str, want: &str) {
        let mut reports = WaitReports::default();
        let reported = |(second, reading): (u64, char)| match reports.take(reading == 'w', Duration::from_secs(second))
        {
            None => '.',
            Some(WaitReport::Waits) => 'W',
            Some(WaitReport::Continues(_)) => 'C',
            Some(WaitReport::Waited { .. }) => 'S',
        };
        assert_eq!((0..).zip(readings.chars()).map(reported).collect::<String>(), want, "{readings}");
    }

    #[test]
    fn the_first_wait_and_long_ones_are_reported() {
        check("..ww.", "..W.C");
        // The second one is short, the third is long.
        check("ww..ww..wwwwwww.", "W.C..........W.C");
        // One that does not end is reported each minute.
        check(&"w".repeat(122), &format!("W{0}W{0}W.", ".".repeat(59)));
    }

    #[test]
    fn short_ones_are_a_summary_each_minute() {
        let alternates = "w.".repeat(62);
        check(&alternates, &format!("WC{0}S{0}S..", ".".repeat(59)));
        // A summary that is due comes before the next wait.
        check(&format!("w.w.{}ww.", ".".repeat(60)), &format!("WC..{}S{}...", ".".repeat(57), ".".repeat(2)));
    }

    #[test]
    fn a_summary_counts_what_was_not_reported() {
        let mut reports = WaitReports::default();
        let mut take = |waits, second| reports.take(waits, Duration::from_secs(second));
        assert_eq!(take(true, 0), Some(WaitReport::Waits));
        assert_eq!(take(false, 2), Some(WaitReport::Continues(Duration::from_secs(2))));
        assert_eq!([take(true, 3), take(false, 5), take(true, 6), take(false, 7)], [None; 4]);
        assert_eq!(take(false, 62), Some(WaitReport::Waited { times: 2, waited: Duration::from_secs(3) }));
        assert_eq!(take(false, 200), None);
    }
}
