//! Finds out during a load which method is faster, how large a chunk should be and how many lanes are worth it. It consists of
//! three small machines, whose input is the cost and time of each chunk. They know no clock, so that a load can be tuned again
//! from its [`trace`], decision by decision.
//!
//! Invariants: method, batch size and lanes never change at the same time, because their effects could not be separated. On a
//! rate that is constant except for noise, the number of changes is bounded by the logarithm of the time (`tests`).

pub mod batch;
mod gain;
pub mod lanes;
pub mod memory;
pub mod pace;
pub mod trace;
pub mod trial;
mod window;

use crate::write::Method;
use batch::BatchTuner;
use lanes::LaneTuner;
use std::fmt;
use std::time::Duration;
use trial::Trial;

/// What one stored chunk cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ack {
    /// When it was stored, since the load began.
    pub at: Duration,
    /// Which lane stored it, counted from 0.
    pub lane: usize,
    /// Bytes of its text.
    pub bytes: u64,
    /// Its rows.
    pub rows: u64,
    /// Bytes of memory that it took, the text made of it included.
    pub held: u64,
    /// From the first byte sent to the last answer.
    pub took: Duration,
    /// What of that was for the transaction, not for its rows: the ledger's line, COMMIT.
    pub fixed: Duration,
    /// How long its lane had waited for it.
    pub idle: Duration,
    /// The least time in which the ledger's line was answered so far: little more than the network round trip; zero if unknown.
    pub trip: Duration,
    /// Bytes of text that were still to be read then, if that is known.
    pub left: Option<u64>,
    /// The method by which it was stored, if that is known.
    pub method: Option<Method>,
}

impl Ack {
    /// With times in whole microseconds, as a trace has them, so that its decisions are the same.
    pub fn in_micros(self) -> Self {
        let whole = |time: Duration| Duration::from_micros(time.as_micros() as u64);
        let [at, took, fixed, idle, trip] = [self.at, self.took, self.fixed, self.idle, self.trip].map(whole);
        Self { at, took, fixed, idle, trip, ..self }
    }
}

/// The range in which the tuner may choose. Where first, least and most are the same, nothing is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Lanes to begin with.
    pub lanes: usize,
    /// The fewest lanes, at least 1.
    pub min_lanes: usize,
    /// The most lanes.
    pub max_lanes: usize,
    /// Bytes of text of a batch to begin with.
    pub batch: usize,
    /// The fewest bytes of a batch.
    pub min_batch: usize,
    /// The most bytes of a batch.
    pub max_batch: usize,
    /// Bytes of memory for all batches in progress; a chosen batch size keeps to it, a fixed one does not.
    pub memory: usize,
    /// Two methods; the load finds out which one is faster, if it begins with one lane. In doubt it takes the first.
    pub methods: Option<[Method; 2]>,
}

/// A decision, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tuned {
    /// When, since the load began.
    pub at: Duration,
    /// What was changed: what it was, and what it is from now on.
    pub change: Change,
    /// Why, in a few words.
    pub why: String,
}

/// What the tuner changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Connections side by side.
    Lanes {
        /// Before.
        from: usize,
        /// From now on.
        to: usize,
    },
    /// Bytes of text of a batch.
    BatchBytes {
        /// Before.
        from: usize,
        /// From now on.
        to: usize,
    },
    /// How rows are written.
    Method {
        /// The one that is taken in doubt.
        from: Method,
        /// The one that proved to be faster.
        to: Method,
    },
}

impl Change {
    /// Its name in reports and traces.
    pub fn name(self) -> &'static str {
        match self {
            Change::Lanes { .. } => "lanes",
            Change::BatchBytes { .. } => "batch",
            Change::Method { .. } => "method",
        }
    }
}

impl fmt::Display for Tuned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.change.name();
        match self.change {
            Change::Lanes { from, to } => write!(f, "{name} {from} to {to}: {}", self.why),
            Change::BatchBytes { from, to } => write!(f, "{name} {} KiB to {} KiB: {}", from >> 10, to >> 10, self.why),
            Change::Method { from, to } => write!(f, "{name} {from} to {to}: {}", self.why),
        }
    }
}

/// All machines.
#[derive(Debug)]
pub struct Tuner {
    limits: Limits,
    /// Until the trial has chosen a method, nothing else changes.
    trial: Option<Trial>,
    batch: BatchTuner,
    lanes: LaneTuner,
    /// Bytes of memory that a byte of text takes, with all that is made of it: the most that was seen.
    held_per_byte: f64,
    /// The batch size as it was reported last.
    told: usize,
}

impl Tuner {
    /// A tuner that has seen nothing yet.
    pub fn new(limits: Limits) -> Self {
        let mut tuner = Self {
            limits,
            trial: limits.methods.filter(|_| limits.lanes == 1).map(Trial::new),
            batch: BatchTuner::new(limits.batch, limits.min_batch, limits.max_batch),
            lanes: LaneTuner::new(limits.lanes, limits.min_lanes, limits.max_lanes),
            held_per_byte: memory::LIKELY_HELD_PER_BYTE,
            told: limits.batch,
        };
        tuner.told = tuner.batch_bytes();
        tuner
    }

    /// How many lanes are to be used.
    pub fn lanes(&self) -> usize {
        self.lanes.lanes()
    }

    /// Returns how many lanes have proved to be worth it; a lane that is only being tried is not counted.
    pub fn settled_lanes(&self) -> usize {
        self.lanes.settled()
    }

    /// How many bytes of text a batch is to have.
    pub fn batch_bytes(&self) -> usize {
        self.batch.target().min(self.room()).max(self.limits.min_batch)
    }

    /// The method of the next chunk, while methods are tried.
    pub fn next_method(&mut self) -> Option<Method> {
        self.trial.as_mut()?.next_method()
    }

    /// The server has refused one of the two methods of the trial.
    pub fn no_more_trials(&mut self) {
        self.trial = None;
    }

    /// Bytes of memory that a byte of text takes: the most that was seen.
    pub fn held_per_byte(&self) -> f64 {
        self.held_per_byte
    }

    /// Learns from a stored chunk; returns what is to be changed now.
    pub fn on_ack(&mut self, ack: &Ack) -> Option<Tuned> {
        if ack.bytes > 0 {
            self.held_per_byte = self.held_per_byte.max(ack.held as f64 / ack.bytes as f64);
        }
        if let Some(trial) = &mut self.trial {
            let decided = trial.on_ack(ack);
            if trial.is_over() {
                self.trial = None;
                self.lanes.start_over(ack.at);
            }
            let ((to, why), [from, _]) = (decided?, self.limits.methods?);
            return Some(Tuned { at: ack.at, change: Change::Method { from, to }, why });
        }
        let room = self.room();
        // If the batch size changed during a comparison of lanes, its effect would be measured too.
        let changed = if self.lanes.is_probing() { None } else { self.batch.on_ack(ack, room) };
        if let Some((from, why)) = changed {
            self.lanes.start_over(ack.at);
            self.told = self.batch_bytes();
            let change = Change::BatchBytes { from: from.min(room), to: self.told };
            return Some(Tuned { at: ack.at, change, why });
        }
        if let Some((from, why)) = self.lanes.on_ack(ack) {
            // More lanes leave less memory to each; that follows from the number of lanes and is not reported separately.
            self.told = self.batch_bytes();
            return Some(Tuned { at: ack.at, change: Change::Lanes { from, to: self.lanes() }, why });
        }
        self.tell_of_memory(ack.at)
    }

    /// The server has no room for more than this many lanes.
    pub fn no_room_for_more_than(&mut self, lanes: usize, now: Duration) {
        self.limits.max_lanes = lanes;
        self.lanes.no_more_than(lanes, now);
    }

    /// The most bytes of a batch with which all lanes together keep to the memory.
    fn room(&self) -> usize {
        match self.limits.min_batch == self.limits.max_batch {
            true => usize::MAX,
            false => memory::largest_batch(self.limits.memory, self.lanes(), self.held_per_byte),
        }
    }

    fn tell_of_memory(&mut self, at: Duration) -> Option<Tuned> {
        let (from, to) = (self.told, self.batch_bytes());
        // The ratio moves a little with every chunk.
        if from.abs_diff(to) * 8 < from {
            return None;
        }
        self.told = to;
        let lanes = self.lanes();
        let why = format!("{lanes} lanes share {} MiB of memory", self.limits.memory >> 20);
        Some(Tuned { at, change: Change::BatchBytes { from, to }, why })
    }
}

/// The middle of some values; 0 of none.
fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests;
