//! Keeps to a maximum rate: rows are released one batch at a time, each when the time of the rows before it is over. Batches are
//! made small enough that this is smooth.

use std::num::NonZeroU64;
use std::time::Duration;

/// A bucket without room: unused time does not allow a burst later.
#[derive(Clone, Debug)]
pub struct Pace {
    rows_per_second: NonZeroU64,
    /// When the time of the released rows is over.
    paid_at: Duration,
    /// Bytes of text of a row, by the last batch.
    row_bytes: f64,
}

impl Pace {
    /// At most this many rows a second.
    pub fn new(rows_per_second: NonZeroU64) -> Self {
        Self { rows_per_second, paid_at: Duration::ZERO, row_bytes: LIKELY_ROW_BYTES }
    }

    /// How long to wait before the next batch may go.
    pub fn wait(&self, now: Duration) -> Duration {
        self.paid_at.saturating_sub(now)
    }

    /// Records that a batch was released.
    pub fn let_go(&mut self, rows: u64, bytes: u64, now: Duration) {
        if rows == 0 {
            return;
        }
        let costs = Duration::from_secs_f64(rows as f64 / self.rows_per_second.get() as f64);
        self.paid_at = self.paid_at.max(now) + costs;
        self.row_bytes = bytes as f64 / rows as f64;
    }

    /// Returns how many bytes of text a batch should have to take [`SMOOTH`].
    pub fn batch_bytes(&self) -> usize {
        let rows = self.rows_per_second.get() as f64 * SMOOTH.as_secs_f64();
        (rows.max(1.0) * self.row_bytes.max(1.0)) as usize
    }
}

/// The time for one batch. A shorter time makes more transactions.
const SMOOTH: Duration = Duration::from_millis(250);

const LIKELY_ROW_BYTES: f64 = 64.0;

#[cfg(test)]
mod tests {
    use super::*;

    fn pace(rows_per_second: u64) -> Pace {
        Pace::new(NonZeroU64::new(rows_per_second).unwrap())
    }

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    /// Batches of these rows, as soon as each may go: when each went.
    #[track_caller]
    fn check(rows_per_second: u64, batches: &[u64], want_ms: &[u64]) {
        let mut pace = pace(rows_per_second);
        let mut now = Duration::ZERO;
        let mut went = Vec::new();
        for &rows in batches {
            now += pace.wait(now);
            went.push(now.as_millis() as u64);
            pace.let_go(rows, rows * 10, now);
        }
        assert_eq!(went, want_ms);
    }

    #[test]
    fn each_batch_waits_for_the_one_before() {
        check(1000, &[100, 500, 1, 1], &[0, 100, 600, 601]);
    }
    #[test]
    fn nothing_costs_nothing() {
        check(1000, &[0, 0, 10, 0], &[0, 0, 0, 10]);
    }
    #[test]
    fn a_pause_is_not_made_up_for() {
        let mut pace = pace(100);
        pace.let_go(10, 100, ms(0));
        pace.let_go(10, 100, ms(5_000));
        assert_eq!(pace.wait(ms(5_000)), ms(100));
    }
    #[test]
    fn batches_follow_the_rate_and_the_rows() {
        let mut pace = pace(4000);
        assert_eq!(pace.batch_bytes(), 64_000);
        pace.let_go(10, 2_000, ms(0));
        assert_eq!(pace.batch_bytes(), 200_000);
        assert_eq!(super::Pace::new(NonZeroU64::MIN).batch_bytes(), 64, "a row is the least");
    }
    #[test]
    fn over_any_time_no_more_than_the_rate_and_one_batch() {
        let mut pace = pace(1000);
        let (mut now, mut rows) = (Duration::ZERO, 0);
        for i in 0..200_u64 {
            now += pace.wait(now) + ms(i % 7 * 10);
            pace.let_go(i % 50, 100, now);
            rows += i % 50;
            assert!(rows as f64 <= now.as_secs_f64() * 1000.0 + 50.0, "{rows} rows after {now:?}");
        }
    }
}
