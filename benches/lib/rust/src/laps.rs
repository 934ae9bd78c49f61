//! The same work several times in one process, of which the first few times are not measured: a steady state.

use crate::{Result, n_allocations};
use std::fmt;
use std::time::Instant;

/// How often, and with how many rows.
#[derive(Clone, Copy)]
pub struct Plan {
    pub n_warm_ups: usize,
    pub n_laps: usize,
}

impl Plan {
    /// The number of rows of each batch, of `n_rows` that there are: warm-ups take no more than need be.
    pub fn batches(self, n_rows: usize) -> impl Iterator<Item = (bool, usize)> {
        let warm_ups = (0..self.n_warm_ups).map(move |_| (false, n_rows.min(WARM_UP_ROWS)));
        warm_ups.chain((0..self.n_laps).map(move |_| (true, n_rows)))
    }

    /// From the two last arguments of a program.
    pub fn parse(n_warm_ups: &str, n_laps: &str) -> Result<Self> {
        Ok(Self { n_warm_ups: n_warm_ups.parse()?, n_laps: n_laps.parse()? })
    }
}

/// What the measured batches took; displays as JSON.
#[derive(Default)]
pub struct Laps {
    seconds: Vec<f64>,
    user: f64,
    system: f64,
    n_allocations: u64,
    start: Option<Start>,
}

struct Start {
    time: Instant,
    user: f64,
    system: f64,
    n_allocations: u64,
}

impl Laps {
    /// Starts the clock, if this batch is measured.
    pub fn start(&mut self, is_measured: bool) {
        self.start = is_measured.then(|| {
            let (user, system) = cpu();
            Start { n_allocations: n_allocations(), user, system, time: Instant::now() }
        });
    }

    pub fn stop(&mut self) {
        let Some(start) = self.start.take() else { return };
        self.seconds.push(start.time.elapsed().as_secs_f64());
        let (user, system) = cpu();
        self.user += user - start.user;
        self.system += system - start.system;
        self.n_allocations += n_allocations() - start.n_allocations;
    }
}

impl fmt::Display for Laps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { seconds, user, system, n_allocations, .. } = self;
        write!(f, r#"{{"seconds": {seconds:?}, "user": {user}, "system": {system}, "allocations": {n_allocations}}}"#)
    }
}

/// Seconds of processor time that the process has used, outside and inside the kernel.
pub fn cpu() -> (f64, f64) {
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
    // SAFETY: a struct of numbers, for which zeros are a value; the call writes to it alone.
    let usage = unsafe {
        let mut usage = std::mem::zeroed::<libc::rusage>();
        assert_eq!(libc::getrusage(libc::RUSAGE_SELF, &mut usage), 0);
        usage
    };
    (seconds(usage.ru_utime), seconds(usage.ru_stime))
}

const WARM_UP_ROWS: usize = 10_000;
