//! Counters of concurrent clients. A client shares its counters with few others; a reader takes and merges all of them. Pure, except for
//! the locks.

use crate::histogram::Latencies;
use crate::results::{Sample, Tick};
use inrush::sans_io::{Error, Kind};
use std::collections::BTreeMap;
use std::mem;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Counts of some clients over some time. Times are counted from the start of the case.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Counters {
    /// Rows stored, or queries answered, that count: all but those of a ramp-up.
    pub done: u64,
    /// Rows of unknown outcome: the connection was lost, or the time was over.
    pub unknown: u64,
    /// The time of each statement that counts.
    pub latency: Latencies,
    /// The time to get a connection.
    pub acquire: Latencies,
    /// The rows and errors of each second, also of seconds that do not count.
    pub ticks: BTreeMap<u32, Tick>,
    /// By code.
    pub errors: BTreeMap<String, u64>,
    /// The time and the text of the first error.
    pub first_error: Option<(Duration, String)>,
    /// The time of the last answer, including errors.
    pub last: Duration,
}

/// Counters, each for some of the clients.
#[derive(Debug)]
pub(crate) struct SharedCounters(Vec<Mutex<Counters>>);

impl Counters {
    /// Adds an answer at `at` for `n` rows (or queries).
    pub fn answered(&mut self, at: Duration, n: u64) {
        self.tick(at).rows += n;
        self.last = self.last.max(at);
    }

    /// Adds `n` rows that count, in one statement that took so long.
    pub fn counts(&mut self, n: u64, took: Duration) {
        self.done += n;
        self.latency.record(took);
    }

    /// Adds an error at `at` for `n` rows (or queries).
    pub fn failed(&mut self, at: Duration, error: &Error, n: u64) {
        self.tick(at).errors += n;
        self.last = self.last.max(at);
        *self.errors.entry(code_of(error)).or_default() += n;
        self.first_error.get_or_insert_with(|| (at, error.to_string()));
    }

    /// Rows stored, of all seconds.
    pub fn stored(&self) -> u64 {
        self.ticks.values().map(|tick| tick.rows).sum()
    }

    /// Errors of all codes.
    pub fn n_errors(&self) -> u64 {
        self.errors.values().sum()
    }

    /// Adds those of another.
    pub fn merge(&mut self, other: Counters) {
        self.done += other.done;
        self.unknown += other.unknown;
        self.latency.merge(&other.latency);
        self.acquire.merge(&other.acquire);
        for (second, tick) in other.ticks {
            let mine = self.ticks.entry(second).or_insert(Tick { second, ..Tick::default() });
            mine.rows += tick.rows;
            mine.errors += tick.errors;
        }
        for (code, n) in other.errors {
            *self.errors.entry(code).or_default() += n;
        }
        self.first_error = match (self.first_error.take(), other.first_error) {
            (Some(mine), Some(other)) => Some(if other.0 < mine.0 { other } else { mine }),
            (mine, other) => mine.or(other),
        };
        self.last = self.last.max(other.last);
    }

    /// Every second from the first on, also those without answers.
    pub fn curve(&self) -> Vec<Tick> {
        let n = self.ticks.keys().next_back().map_or(0, |last| last + 1);
        (0..n).map(|second| self.ticks.get(&second).copied().unwrap_or(Tick { second, ..Tick::default() })).collect()
    }

    /// Writes the counters to a sample.
    pub(crate) fn tell(self, sample: &mut Sample) {
        sample.rows = self.done;
        // The last answer, not the end of the last client.
        sample.seconds = if self.last.is_zero() { sample.seconds } else { self.last.as_secs_f64() };
        sample.latency = (self.latency.count() > 0).then_some(self.latency);
        sample.acquire = (self.acquire.count() > 0).then_some(self.acquire);
        sample.errors = self.errors;
        sample.first_error = self.first_error.map(|(_, words)| words);
    }

    fn tick(&mut self, at: Duration) -> &mut Tick {
        let second = u32::try_from(at.as_secs()).unwrap_or(u32::MAX);
        self.ticks.entry(second).or_insert(Tick { second, ..Tick::default() })
    }
}

impl SharedCounters {
    /// For so many clients.
    pub(crate) fn new(n_clients: usize) -> Self {
        Self((0..n_clients.clamp(1, MOST)).map(|_| Mutex::default()).collect())
    }

    /// The counters of a client.
    pub(crate) fn of(&self, client: usize) -> MutexGuard<'_, Counters> {
        // A client that panicked has ended the run; what it counted is whole.
        self.0[client % self.0.len()].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What was counted since the last time.
    pub(crate) fn take(&self) -> Counters {
        let mut sum = Counters::default();
        for client in 0..self.0.len() {
            let one = mem::take(&mut *self.of(client));
            sum.merge(one);
        }
        sum
    }
}

/// The key that errors are counted by: the server's code, or a word for an error without a code.
fn code_of(error: &Error) -> String {
    match (error.code(), error.kind()) {
        _ if error.is_timeout() => "timeout".into(),
        (0, Kind::Io) => "connection".into(),
        (0, Kind::Protocol) => "protocol".into(),
        (0, _) => "other".into(),
        (code, _) => code.to_string(),
    }
}

/// With so many counters two clients rarely wait for the same one; more counters only take memory.
const MOST: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn tallies_are_put_together() {
        let counters = SharedCounters::new(40);
        for client in 0..40 {
            let mut counters = counters.of(client);
            counters.answered(MS * (client as u32 * 100), 2);
            counters.counts(2, MS * (client as u32 + 1));
            if client % 10 == 0 {
                counters.failed(MS * 3000, &Error::server(1213, *b"40001", format!("deadlock {client}")), 1);
            }
        }
        counters.of(3).failed(MS * 500, &Error::new(Kind::Io, "gone"), 1);
        let sum = counters.take();
        assert_eq!((sum.done, sum.stored(), sum.latency.count(), sum.last), (80, 80, 40, MS * 3900));
        assert_eq!(sum.errors, BTreeMap::from([("1213".into(), 4), ("connection".into(), 1)]));
        assert_eq!(sum.first_error, Some((MS * 500, "gone".to_owned())));
        let seconds: Vec<_> = sum.curve().iter().map(|tick| (tick.second, tick.rows, tick.errors)).collect();
        assert_eq!(seconds, [(0, 20, 1), (1, 20, 0), (2, 20, 0), (3, 20, 4)]);
        assert_eq!(counters.take(), Counters::default());
    }

    #[test]
    fn a_second_without_an_answer_is_one_too() {
        let mut counters = Counters::default();
        counters.answered(MS * 2500, 7);
        assert_eq!(counters.curve().iter().map(|tick| tick.rows).collect::<Vec<_>>(), [0, 0, 7]);
        assert_eq!(Counters::default().curve(), []);
    }
}
