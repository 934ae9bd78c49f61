//! What a run came to, as JSON.

use bench_lib::cpu;
use std::fmt;
use std::time::{Duration, Instant};

/// How long the rows took, all together and each.
pub(crate) struct Measured {
    seconds: f64,
    user: f64,
    system: f64,
    n_rows: usize,
    /// Latencies, in order.
    each: Vec<Duration>,
}

/// A clock.
pub(crate) struct Stopwatch {
    start: Instant,
    cpu: (f64, f64),
}

impl Stopwatch {
    pub(crate) fn start() -> Self {
        Self { cpu: cpu(), start: Instant::now() }
    }

    pub(crate) fn stop(self, n_rows: usize, each: Vec<Duration>) -> Measured {
        let seconds = self.start.elapsed().as_secs_f64();
        let (user, system) = cpu();
        Measured { seconds, user: user - self.cpu.0, system: system - self.cpu.1, n_rows, ..Measured::of(each) }
    }
}

impl Measured {
    /// Of latencies alone.
    pub(crate) fn of(mut each: Vec<Duration>) -> Self {
        each.sort_unstable();
        let seconds = each.iter().sum::<Duration>().as_secs_f64();
        Self { seconds, user: 0.0, system: 0.0, n_rows: each.len(), each }
    }

    fn percentile(&self, share: f64) -> f64 {
        let position = (self.each.len().saturating_sub(1) as f64 * share).round() as usize;
        self.each.get(position).map_or(0.0, Duration::as_secs_f64)
    }
}

impl fmt::Display for Measured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { seconds, user, system, n_rows, .. } = self;
        let (p50, p99) = (self.percentile(0.5), self.percentile(0.99));
        write!(
            f,
            r#"{{"seconds": {seconds}, "user": {user}, "system": {system}, "rows": {n_rows}, "p50": {p50}, "p99": {p99}}}"#
        )
    }
}
