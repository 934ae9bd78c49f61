//! Finds out in a load's first chunks which of two methods is faster. A few chunks by the one and a few by the other take turns,
//! so that changes from outside count for both. This is done only while one lane runs: with several lanes, a chunk's time depends
//! on the others.
//!
//! In doubt the first one stays.

use super::Ack;
use super::gain::{Gain, mean};
use crate::write::Method;

/// The machine that chooses between two methods.
#[derive(Debug)]
pub struct Trial {
    methods: [Method; 2],
    /// Chunks that were given a method.
    given: usize,
    /// Bytes a second of the chunks of each, but for the first of each turn.
    rates: [Vec<f64>; 2],
    /// The method of the last chunk that was stored.
    last: Option<Method>,
    is_over: bool,
}

impl Trial {
    /// Tries the second method in turns with the first.
    pub fn new(methods: [Method; 2]) -> Self {
        Self { methods, given: 0, rates: [Vec::new(), Vec::new()], last: None, is_over: false }
    }

    /// The method of the next chunk; `None` once the trial is over.
    pub fn next_method(&mut self) -> Option<Method> {
        if self.is_over {
            return None;
        }
        let turn = self.given / TURN;
        self.given += 1;
        Some(self.methods[turn % 2])
    }

    /// Whether there is nothing more to find out.
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// Learns from a stored chunk. Once enough was measured: which one stays, and why.
    pub fn on_ack(&mut self, ack: &Ack) -> Option<(Method, String)> {
        let method = ack.method?;
        let which = self.methods.iter().position(|one| *one == method)?;
        let is_first = self.last.replace(method) != Some(method);
        if self.is_over {
            return None;
        }
        // The first chunk of a turn runs with server caches that the other method has left.
        if !is_first {
            self.rates[which].push(ack.bytes as f64 / (ack.took + ack.idle).as_secs_f64().max(f64::MIN_POSITIVE));
        }
        let too_little = |left: u64| left < ack.bytes * WORTH_ITS_TIME && mean(&self.rates[1]) == 0.0;
        if ack.left.is_some_and(too_little) {
            self.is_over = true;
            return None;
        }
        let [base, tried] = &self.rates;
        let n = base.len().min(tried.len());
        if n < LEAST {
            return None;
        }
        let gain = Gain::of(base, tried);
        let (is_surely, surely_not) = (gain.share - gain.error > WORTH, gain.share + gain.error < WORTH);
        if !(is_surely || surely_not || n >= MOST) {
            return None;
        }
        let chosen = usize::from(gain.share >= WORTH);
        let [first, second] = self.methods;
        let why = format!(
            "`{second}` changed the rate of `{first}` by {:+.1} %, {:.0} % is worth it",
            gain.share * 100.0,
            WORTH * 100.0
        );
        self.is_over = true;
        Some((self.methods[chosen], why))
    }
}

/// Chunks of a turn. The first does not count.
const TURN: usize = 3;

/// Chunks of each that count, before it is judged: two turns of each.
const LEAST: usize = 4;

/// The same where no difference is measured.
const MOST: usize = 12;

/// What the second must gain: it takes more of the client's processor.
const WORTH: f64 = 0.03;

/// The least number of chunks that must be left, where it is known: the turns of a trial, and as many again that gain by it.
const WORTH_ITS_TIME: u64 = 12;
