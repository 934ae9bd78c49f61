//! How large a batch should be: so large that the transaction's own cost (COMMIT, the ledger's line) does not count, and so small
//! that a chunk is over soon, so that little is lost and replayed when something fails.

use super::{Ack, median};
use std::time::Duration;

/// The machine that chooses the batch size.
#[derive(Debug)]
pub struct BatchTuner {
    target: usize,
    min: usize,
    max: usize,
    /// Chunks of this size.
    seen: Vec<Chunk>,
    /// What they were like at half the size.
    before: Option<Chunk>,
    /// How many chunks are measured before a decision.
    enough: usize,
    /// Whether the last change was to a larger size.
    grew: Option<bool>,
}

/// A chunk, or the median of some.
#[derive(Clone, Copy, Debug)]
struct Chunk {
    /// How long it took, in seconds.
    took: f64,
    /// Its transaction's share of that.
    share: f64,
    /// Bytes a second.
    rate: f64,
    /// The share that its round trips have.
    way: f64,
}

impl Chunk {
    fn of(ack: &Ack) -> Self {
        let took = ack.took.as_secs_f64().max(1e-9);
        let way = TRIPS * ack.trip.as_secs_f64() / took;
        Self { took, share: ack.fixed.as_secs_f64() / took, rate: ack.bytes as f64 / took, way }
    }

    fn median(chunks: &[Chunk]) -> Self {
        let of = |part: fn(&Chunk) -> f64| median(&mut chunks.iter().map(part).collect::<Vec<_>>());
        Self {
            took: of(|chunk| chunk.took),
            share: of(|chunk| chunk.share),
            rate: of(|chunk| chunk.rate),
            way: of(|chunk| chunk.way),
        }
    }
}

impl BatchTuner {
    /// Begins at `target` bytes of text.
    pub fn new(target: usize, min: usize, max: usize) -> Self {
        Self { target, min, max, seen: Vec::new(), before: None, enough: CHUNKS, grew: None }
    }

    /// The bytes of text that a batch should have.
    pub fn target(&self) -> usize {
        self.target
    }

    /// Learns from a chunk, when there is memory for batches of `room` bytes. If the size changes: what it was, and why.
    pub(super) fn on_ack(&mut self, ack: &Ack, room: usize) -> Option<(usize, String)> {
        if self.min == self.max || !self.is_of_size(ack, room) {
            return None;
        }
        self.seen.push(Chunk::of(ack));
        if self.seen.len() < self.enough {
            return None;
        }
        let chunk = Chunk::median(&self.seen);
        self.seen.clear();
        self.decide(chunk, room)
    }

    /// The last chunk of a source is short, and a chunk from before a change has the old size: neither counts for this size.
    fn is_of_size(&self, ack: &Ack, room: usize) -> bool {
        let size = self.target.min(room) as u64;
        (size * 5 / 8..=size * 13 / 8).contains(&ack.bytes)
    }

    fn decide(&mut self, chunk: Chunk, room: usize) -> Option<(usize, String)> {
        let Chunk { took, share, rate, way } = chunk;
        let percent = share * 100.0;
        let may_double = self.target * 2 <= self.max.min(room);
        if way > DEAR && may_double && took * 2.0 <= LONG.as_secs_f64() {
            // The round trip does not become longer with the bytes that are sent: this needs no proof.
            self.before = None;
            let why = format!("the ways to the server and back take {:.1} % of a chunk's time", way * 100.0);
            return self.set(self.target * 2, why);
        }
        if let Some(before) = self.before.take() {
            let did_not_help = if share > before.share * HELPED {
                // What COMMIT writes grows with the chunk, such as a binary log: then size changes nothing.
                Some(format!("its transaction still takes {percent:.1} % of a chunk's time"))
            } else if rate < before.rate {
                // Large transactions may cost a server more than their COMMITs.
                Some(format!("a lane is {:.1} % slower with it", (1.0 - rate / before.rate) * 100.0))
            } else {
                None
            };
            if let Some(why) = did_not_help {
                self.max = self.target / 2;
                return self.set(self.target / 2, why);
            }
        }
        if share > DEAR && may_double && took <= LONG.as_secs_f64() {
            self.before = Some(chunk);
            return self.set(self.target * 2, format!("its transaction takes {percent:.1} % of a chunk's time"));
        }
        if took > 2.0 * LONG.as_secs_f64() && share.max(way) * 2.0 < DEAR && self.target / 2 >= self.min {
            return self.set(self.target / 2, format!("a chunk takes {took:.1} s"));
        }
        None
    }

    fn set(&mut self, target: usize, why: String) -> Option<(usize, String)> {
        let grows = target > self.target;
        if self.grew.is_some_and(|grew| grew != grows) {
            // The size goes back and forth: for any cause, measure more chunks before the next decision.
            self.enough = (self.enough * 2).min(MOST_CHUNKS);
        }
        self.grew = Some(grows);
        let from = std::mem::replace(&mut self.target, target);
        Some((from, why))
    }
}

/// How many bytes a batch may have when `left` are to come: near the end of a load they shrink, so that no lane still has a large one
/// to itself when the others have nothing left (docs/notes/tuner.md).
pub fn bytes_near_the_end(left: u64, lanes: usize) -> usize {
    let share = left / (2 * lanes.max(1) as u64);
    usize::try_from(share).unwrap_or(usize::MAX).max(LEAST_AT_THE_END)
}

/// A smaller one is not worth its COMMIT.
const LEAST_AT_THE_END: usize = 512 << 10;

/// How many chunks of one size are measured, and how many at most after the size went back and forth for long.
const CHUNKS: usize = 8;
const MOST_CHUNKS: usize = 1024;

/// Round trips of a chunk: the LOAD and the server's request for the file, the data, the ledger's line, COMMIT.
const TRIPS: f64 = 4.0;

/// A transaction's share of a chunk's time that is worth larger chunks, and that of the round trips.
const DEAR: f64 = 0.025;

/// The share must fall to this much of itself when the size doubles: half if its cost were the same each time.
const HELPED: f64 = 0.8;

/// A chunk should be over by then.
const LONG: Duration = Duration::from_secs(1);

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: usize = 1 << 20;

    /// A server that takes `ms_per_mib` for the rows, `fixed_ms` for each transaction and `commit_ms_per_mib` more at its COMMIT:
    /// the sizes that a tuner goes through within 200 chunks, in KiB.
    #[track_caller]
    fn check(ms_per_mib: f64, fixed_ms: f64, commit_ms_per_mib: f64, want_kib: &[usize]) {
        let mut tuner = BatchTuner::new(4 * MIB, MIB / 4, 64 * MIB);
        let mut sizes = vec![tuner.target() >> 10];
        for _ in 0..200 {
            let mib = tuner.target() as f64 / MIB as f64;
            let fixed = (fixed_ms + commit_ms_per_mib * mib) / 1000.0;
            let ack = Ack {
                bytes: tuner.target() as u64,
                took: Duration::from_secs_f64(ms_per_mib * mib / 1000.0 + fixed),
                fixed: Duration::from_secs_f64(fixed),
                ..Ack::default()
            };
            if tuner.on_ack(&ack, 64 * MIB).is_some() {
                sizes.push(tuner.target() >> 10);
            }
        }
        assert_eq!(sizes, want_kib);
    }

    #[test]
    fn stays_where_a_commit_costs_little() {
        check(100.0, 5.0, 0.0, &[4096]);
    }
    #[test]
    fn grows_until_a_commit_costs_little() {
        check(50.0, 20.0, 0.0, &[4096, 8192, 16384]);
    }
    #[test]
    fn goes_on_as_far_as_a_chunk_is_short() {
        check(10.0, 20.0, 0.0, &[4096, 8192, 16384, 32768, 65536]);
    }
    #[test]
    fn goes_back_where_size_does_not_help() {
        check(50.0, 1.0, 5.0, &[4096, 8192, 4096]);
    }
    #[test]
    fn shrinks_where_chunks_take_long() {
        check(1900.0, 5.0, 0.0, &[4096, 2048, 1024]);
    }
    #[test]
    fn does_not_shrink_what_would_cost() {
        check(600.0, 50.0, 0.0, &[4096]);
    }
    #[test]
    fn stays_within_its_limits() {
        check(60_000.0, 5.0, 0.0, &[4096, 2048, 1024, 512, 256]);
    }

    #[test]
    fn a_short_tail_says_nothing() {
        let mut tuner = BatchTuner::new(4 * MIB, MIB / 4, 64 * MIB);
        let tail = Ack {
            bytes: MIB as u64,
            took: Duration::from_millis(10),
            fixed: Duration::from_millis(9),
            ..Ack::default()
        };
        assert!((0..100).all(|_| tuner.on_ack(&tail, 64 * MIB).is_none()));
    }

    #[test]
    fn a_fixed_size_stays() {
        let mut tuner = BatchTuner::new(MIB, MIB, MIB);
        let dear = Ack {
            bytes: MIB as u64,
            took: Duration::from_millis(10),
            fixed: Duration::from_millis(9),
            ..Ack::default()
        };
        assert!((0..100).all(|_| tuner.on_ack(&dear, 64 * MIB).is_none()));
    }

    #[test]
    fn grows_only_into_memory_that_is_there() {
        let mut tuner = BatchTuner::new(4 * MIB, MIB / 4, 64 * MIB);
        let dear =
            Ack { bytes: 4 << 20, took: Duration::from_millis(10), fixed: Duration::from_millis(9), ..Ack::default() };
        assert!((0..100).all(|_| tuner.on_ack(&dear, 7 * MIB).is_none()));
    }

    #[test]
    fn goes_back_where_large_transactions_are_slow() {
        let mut tuner = BatchTuner::new(4 * MIB, MIB / 4, 64 * MIB);
        // COMMIT takes the same time each; the rows of twice the size take more than twice the time.
        let sizes: Vec<usize> = (0..60)
            .filter_map(|_| {
                let mib = tuner.target() as u64 >> 20;
                let took = Duration::from_millis(20 + 40 * mib + mib * mib);
                let ack = Ack { bytes: mib << 20, took, fixed: Duration::from_millis(20), ..Ack::default() };
                tuner.on_ack(&ack, 64 * MIB).map(|_| tuner.target() / MIB)
            })
            .collect();
        assert_eq!(sizes, [8, 4]);
    }

    #[test]
    fn goes_as_far_as_a_long_way_is_worth_it() {
        let sizes = |trip_ms: u64| {
            let mut tuner = BatchTuner::new(4 * MIB, MIB / 4, 64 * MIB);
            for _ in 0..200 {
                let mib = tuner.target() as u64 >> 20;
                // A binary log: COMMIT takes as much longer as there is more to write.
                let (fixed, trip) = (Duration::from_millis(2 * trip_ms + 4 * mib), Duration::from_millis(trip_ms));
                let took = fixed + 2 * trip + Duration::from_millis(70 * mib);
                tuner.on_ack(&Ack { bytes: mib << 20, took, fixed, trip, ..Ack::default() }, 64 * MIB);
            }
            tuner.target() / MIB
        };
        assert_eq!([0, 1, 5, 30].map(sizes), [4, 4, 8, 16]);
    }
}
