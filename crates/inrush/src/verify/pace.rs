//! The rate of a comparison: lanes wait after each cell until its rows may have been read.

use crate::Result;
use std::num::NonZeroU64;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Rows a second, for all lanes together.
#[derive(Debug)]
pub(super) struct Pace {
    rate: NonZeroU64,
    /// When the next cell may begin.
    next: Mutex<Instant>,
}

impl Pace {
    pub(super) fn new(rate: NonZeroU64) -> Self {
        Self { rate, next: Mutex::new(Instant::now()) }
    }

    /// Waits as long as reading `rows` may have taken; `check` ends the wait early by an error.
    pub(super) fn wait(&self, rows: u64, check: impl Fn() -> Result<()>) -> Result<()> {
        let takes = Duration::from_secs_f64(rows as f64 / self.rate.get() as f64);
        let until = {
            let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
            *next = (*next).max(Instant::now() - takes) + takes;
            *next
        };
        loop {
            check()?;
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(());
            }
            thread::sleep(left.min(STEP));
        }
    }
}

/// So soon a comparison that is stopped ends.
const STEP: Duration = Duration::from_millis(100);
