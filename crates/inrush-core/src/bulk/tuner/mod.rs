//! Finds out under way how large a chunk should be and how many lanes are worth it: two small machines, fed with what each chunk
//! cost and when. They know no clock, so that a load can be tuned again from its [`trace`], decision by decision.
//!
//! Invariants: batch size and lanes never change at the same time, for neither could be judged; on a rate that is flat but for
//! noise the number of changes is bounded by the logarithm of the time (`tests`).

pub mod batch;
pub mod lanes;
pub mod memory;
pub mod pace;
pub mod trace;
mod window;

use batch::BatchTuner;
use lanes::LaneTuner;
use std::fmt;
use std::time::Duration;

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
    /// The least time in which the ledger's line was answered so far: the way to the server and back, and little more; zero if unknown.
    pub trip: Duration,
    /// Bytes of text that were still to be read then, if that is known.
    pub left: Option<u64>,
}

impl Ack {
    /// With times in whole microseconds, as a trace has them, so that its decisions are the same.
    pub fn in_micros(self) -> Self {
        let whole = |time: Duration| Duration::from_micros(time.as_micros() as u64);
        let [at, took, fixed, idle, trip] = [self.at, self.took, self.fixed, self.idle, self.trip].map(whole);
        Self { at, took, fixed, idle, trip, ..self }
    }
}

/// Between what the tuner may choose. Where first, least and most are the same, nothing is chosen.
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
    /// Bytes of memory for all that is under way; a chosen batch size keeps to it, a fixed one does not.
    pub memory: usize,
}

/// A decision, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tuned {
    /// When, since the load began.
    pub at: Duration,
    /// What was changed.
    pub knob: Knob,
    /// What it was.
    pub from: usize,
    /// What it is from now on.
    pub to: usize,
    /// Why, in a few words.
    pub why: String,
}

/// What the tuner turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Knob {
    /// Connections side by side.
    Lanes,
    /// Bytes of text of a batch.
    BatchBytes,
}

impl Knob {
    /// Its name in reports and traces.
    pub fn name(self) -> &'static str {
        match self {
            Knob::Lanes => "lanes",
            Knob::BatchBytes => "batch",
        }
    }
}

impl fmt::Display for Tuned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |value: usize| match self.knob {
            Knob::Lanes => value.to_string(),
            Knob::BatchBytes => format!("{} KiB", value >> 10),
        };
        write!(f, "{} {} to {}: {}", self.knob.name(), shown(self.from), shown(self.to), self.why)
    }
}

/// Both machines.
#[derive(Debug)]
pub struct Tuner {
    limits: Limits,
    batch: BatchTuner,
    lanes: LaneTuner,
    /// Bytes of memory that a byte of text takes, with all that is made of it: the most that was seen.
    held_per_byte: f64,
    /// The batch size as it was told last.
    told: usize,
}

impl Tuner {
    /// A tuner that has seen nothing yet.
    pub fn new(limits: Limits) -> Self {
        let mut tuner = Self {
            limits,
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

    /// How many lanes have proved to be worth it: not counted is one that is only tried.
    pub fn settled_lanes(&self) -> usize {
        self.lanes.settled()
    }

    /// How many bytes of text a batch is to have.
    pub fn batch_bytes(&self) -> usize {
        self.batch.target().min(self.room()).max(self.limits.min_batch)
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
        let room = self.room();
        // A batch that changes while lanes are compared would be compared too.
        let changed = if self.lanes.is_probing() { None } else { self.batch.on_ack(ack, room) };
        if let Some((from, why)) = changed {
            self.lanes.start_over(ack.at);
            self.told = self.batch_bytes();
            return Some(Tuned { at: ack.at, knob: Knob::BatchBytes, from: from.min(room), to: self.told, why });
        }
        if let Some((from, why)) = self.lanes.on_ack(ack) {
            // More lanes leave less memory to each; that follows from it and is not told by itself.
            self.told = self.batch_bytes();
            return Some(Tuned { at: ack.at, knob: Knob::Lanes, from, to: self.lanes(), why });
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
        Some(Tuned { at, knob: Knob::BatchBytes, from, to, why })
    }
}

/// The middle of some values; 0 of none.
fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests;
