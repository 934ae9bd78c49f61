//! A period over which the rate is measured, from one answer of a lane to a later one of the same lane: counted by whole chunks
//! between two clock ticks, a window of ten chunks would be off by 10 %.

use super::Ack;
use std::time::Duration;

/// What was measured in a window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Measured {
    /// Bytes a second, of all lanes together.
    pub(super) rate: f64,
    /// The share of their time that lanes waited for a chunk to send.
    pub(super) idle: f64,
}

/// A window that fills.
#[derive(Debug)]
pub(super) struct Window {
    /// Chunks that were begun before do not count.
    since: Duration,
    lanes: Vec<Span>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Span {
    /// The answer from which on it is measured, and the last one.
    ends: Option<(Duration, Duration)>,
    chunks: u32,
    bytes: u64,
    idle: Duration,
}

impl Window {
    pub(super) fn new(since: Duration) -> Self {
        Self { since, lanes: Vec::new() }
    }

    /// The next window, which begins for each lane where this one ended.
    pub(super) fn next(&self, at: Duration) -> Self {
        let after = |span: &Span| Span { ends: span.ends.map(|(_, last)| (last, last)), ..Span::default() };
        Self { since: at, lanes: self.lanes.iter().map(after).collect() }
    }

    pub(super) fn add(&mut self, ack: &Ack) {
        if self.lanes.len() <= ack.lane {
            self.lanes.resize(ack.lane + 1, Span::default());
        }
        let span = &mut self.lanes[ack.lane];
        match &mut span.ends {
            Some((_, last)) => {
                *last = ack.at;
                span.chunks += 1;
                span.bytes += ack.bytes;
                span.idle += ack.idle;
            }
            none if ack.at >= self.since => *none = Some((ack.at, ack.at)),
            None => {}
        }
    }

    /// Whether it has enough data of the first `lanes` lanes.
    pub(super) fn is_full(&self, now: Duration, lanes: usize) -> bool {
        let took = now.saturating_sub(self.since);
        let chunks: u32 = self.lanes.iter().map(|span| span.chunks).sum();
        let heard = self.lanes.iter().take(lanes).filter(|span| span.chunks >= CHUNKS_PER_LANE).count();
        let enough = took >= LEAST && chunks >= CHUNKS && heard == lanes;
        // A lane that waits, for a lock for example, must not keep the others from being measured: it counts as what it does.
        enough || (took >= MOST && chunks > 0)
    }

    /// Whether it has enough data to detect something that is far worse than before.
    pub(super) fn hints(&self, now: Duration, lanes: usize) -> bool {
        let chunks: u32 = self.lanes.iter().map(|span| span.chunks).sum();
        let heard = self.lanes.iter().take(lanes).filter(|span| span.chunks > 0).count();
        now.saturating_sub(self.since) >= LEAST && chunks >= CHUNKS_FOR_A_HINT && heard == lanes
    }

    pub(super) fn measured(&self) -> Measured {
        let mut rate = 0.0;
        let (mut idle, mut all) = (Duration::ZERO, Duration::ZERO);
        for span in &self.lanes {
            let Some((first, last)) = span.ends.filter(|(first, last)| last > first) else { continue };
            rate += span.bytes as f64 / (last - first).as_secs_f64();
            idle += span.idle;
            all += last - first;
        }
        let idle = if all.is_zero() { 0.0 } else { idle.as_secs_f64() / all.as_secs_f64() };
        Measured { rate, idle }
    }
}

/// In shorter windows the variation of the disk dominates.
const LEAST: Duration = Duration::from_secs(2);
const CHUNKS: u32 = 8;
const CHUNKS_PER_LANE: u32 = 2;
const CHUNKS_FOR_A_HINT: u32 = 3;
const MOST: Duration = Duration::from_secs(20);
