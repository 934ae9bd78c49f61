//! What a run came to, as JSON.

use bench_lib::n_allocations;
use std::fmt;
use std::fs;
use std::time::{Duration, Instant};

/// Seconds of the part that matters: without the logins before it.
pub(crate) struct Measured {
    seconds: f64,
    /// Processor time of the process meanwhile.
    cpu: f64,
    n_allocations: u64,
    /// What the client made of what it read; the same for all of them.
    checksum: u64,
    /// How long single steps took, in order.
    steps: Vec<Duration>,
}

/// A clock, and a count of allocations.
pub(crate) struct Stopwatch {
    start: Instant,
    cpu: f64,
    n_allocations: u64,
}

impl Stopwatch {
    pub(crate) fn start() -> Self {
        Self { n_allocations: n_allocations(), cpu: cpu(), start: Instant::now() }
    }

    pub(crate) fn stop(self, checksum: u64) -> Measured {
        let seconds = self.start.elapsed().as_secs_f64();
        let (cpu, n_allocations) = (cpu() - self.cpu, n_allocations() - self.n_allocations);
        Measured { seconds, cpu, n_allocations, checksum, steps: Vec::new() }
    }
}

/// Seconds of processor time that the threads of the process have used.
fn cpu() -> f64 {
    let tasks = fs::read_dir("/proc/self/task").expect("Linux tells of threads");
    let nanoseconds = tasks.flatten().filter_map(|task| {
        let told = fs::read_to_string(task.path().join("schedstat")).ok()?;
        told.split(' ').next()?.parse::<u64>().ok()
    });
    nanoseconds.sum::<u64>() as f64 / 1e9
}

impl Measured {
    pub(crate) fn with_steps(mut self, mut steps: Vec<Duration>) -> Self {
        steps.sort_unstable();
        self.steps = steps;
        self
    }

    fn percentile(&self, share: f64) -> f64 {
        let position = (self.steps.len().saturating_sub(1) as f64 * share).round() as usize;
        self.steps.get(position).map_or(0.0, Duration::as_secs_f64) * 1e6
    }
}

impl fmt::Display for Measured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { seconds, cpu, n_allocations, checksum, .. } = self;
        let (p50, p99) = (self.percentile(0.5), self.percentile(0.99));
        write!(f, r#"{{"seconds": {seconds}, "cpu": {cpu}, "allocations": {n_allocations}, "checksum": {checksum}, "#)?;
        write!(f, r#""p50_us": {p50:.2}, "p99_us": {p99:.2}}}"#)
    }
}
