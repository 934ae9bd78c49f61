//! `--rate`: all lanes together write at most so many rows a second; `--read-rate` of a copy, which reads so many.

use std::num::NonZeroU64;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The rows that may be written by now.
#[derive(Debug)]
pub(crate) struct Pace {
    began: Instant,
    pub(crate) rate: Option<NonZeroU64>,
}

impl Pace {
    /// From now on.
    pub(crate) fn start(rate: Option<NonZeroU64>) -> Self {
        Self { began: Instant::now(), rate }
    }

    /// Waits until `rows` may be written, or another lane has failed.
    pub(crate) fn wait(&self, rows: u64, is_over: &AtomicBool) {
        let Some(rate) = self.rate else { return };
        let due = due(rows, rate);
        while let Some(left) = due.checked_sub(self.began.elapsed())
            && !left.is_zero()
            && !is_over.load(Ordering::Relaxed)
        {
            std::thread::sleep(left.min(LONGEST_SLEEP));
        }
    }
}

/// When so many rows may be written, since the beginning.
fn due(rows: u64, rate: NonZeroU64) -> Duration {
    Duration::from_secs_f64(rows as f64 / rate.get() as f64)
}

/// So that a lane notices soon that it is over.
const LONGEST_SLEEP: Duration = Duration::from_millis(100);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_due_by_their_number() {
        let rate = NonZeroU64::new(500).unwrap();
        assert_eq!(due(0, rate), Duration::ZERO);
        assert_eq!(due(1250, rate), Duration::from_millis(2500));
    }
}
