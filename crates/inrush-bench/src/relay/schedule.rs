//! The arrival of bytes that are sent over a link: after their time on the wire, after earlier bytes, and after half a round trip.
//! Pure: the time is an argument.

use crate::dataset::Dice;
use std::time::{Duration, Instant};

/// A link to a server.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Link {
    /// The least time of a request and its answer; half of it in each direction.
    pub round_trip: Duration,
    /// The most time that is added to a round trip at random; half of it in each direction.
    pub jitter: Duration,
    /// The bandwidth of all connections together, in each direction; `None`: no limit.
    pub bytes_per_second: Option<u64>,
    /// The seed of the jitter.
    pub seed: u64,
}

impl Link {
    /// Whether it changes nothing.
    pub(super) fn is_none(&self) -> bool {
        self.round_trip.is_zero() && self.jitter.is_zero() && self.bytes_per_second.is_none()
    }

    /// The most bytes that are treated as one: of two milliseconds, so that the first do not wait for the last.
    pub(super) fn piece(&self) -> usize {
        self.bytes_per_second.map_or(64 << 10, |bytes| (bytes / 500).clamp(1_460, 64 << 10) as usize)
    }

    /// One direction, which all connections share.
    pub(super) fn wire(&self) -> Wire {
        Wire { bytes_per_second: self.bytes_per_second, free: None }
    }

    /// One direction of one connection.
    pub(super) fn flow(&self, number: u64) -> Flow {
        let dice = Dice::new(self.seed ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        Flow { delay: self.round_trip / 2, jitter: self.jitter / 2, dice, last: None }
    }
}

/// Carries one piece after the other.
#[derive(Debug)]
pub(super) struct Wire {
    bytes_per_second: Option<u64>,
    /// When it has carried all that it was given.
    free: Option<Instant>,
}

impl Wire {
    /// The time at which the last of these bytes, which are given to it now, is sent.
    pub(super) fn sent(&mut self, now: Instant, bytes: usize) -> Instant {
        let Some(rate) = self.bytes_per_second else { return now };
        let begins = self.free.map_or(now, |free| free.max(now));
        let sent = begins + Duration::from_secs_f64(bytes as f64 / rate.max(1) as f64);
        self.free = Some(sent);
        sent
    }
}

/// Delays each piece, and lets none overtake another.
#[derive(Debug)]
pub(super) struct Flow {
    delay: Duration,
    jitter: Duration,
    dice: Dice,
    last: Option<Instant>,
}

impl Flow {
    /// When a piece arrives that was sent then.
    pub(super) fn due(&mut self, sent: Instant) -> Instant {
        let jitter = Duration::from_nanos(self.dice.below(self.jitter.as_nanos() as u64 + 1));
        let due = sent + self.delay + jitter;
        let due = self.last.map_or(due, |last| last.max(due));
        self.last = Some(due);
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// When pieces arrive, in microseconds, that are given to a link (round trip and jitter in microseconds, bytes a second) at some times.
    fn arrivals(link: (u64, u64, Option<u64>), pieces: &[(u64, usize)]) -> Vec<u64> {
        let micros = Duration::from_micros;
        let link = Link { round_trip: micros(link.0), jitter: micros(link.1), bytes_per_second: link.2, seed: 1 };
        let (mut wire, mut flow, start) = (link.wire(), link.flow(0), Instant::now());
        let due = |(at, bytes): &(u64, usize)| flow.due(wire.sent(start + micros(*at), *bytes)) - start;
        pieces.iter().map(due).map(|due| due.as_micros() as u64).collect()
    }

    #[track_caller]
    fn check(link: (u64, u64, Option<u64>), pieces: &[(u64, usize)], want: &[u64]) {
        assert_eq!(arrivals(link, pieces), want);
    }

    #[test]
    fn half_a_round_trip_each_way() {
        check((5_000, 0, None), &[(0, 10), (1, 1 << 20), (900, 0)], &[2_500, 2_501, 3_400]);
    }
    #[test]
    fn no_delay_at_all() {
        check((0, 0, None), &[(0, 10), (7, 10)], &[0, 7]);
    }
    #[test]
    fn a_narrow_wire_carries_one_after_the_other() {
        // A megabyte a second: a byte a microsecond.
        check((100, 0, Some(1_000_000)), &[(0, 1_000), (10, 500), (5_000, 10)], &[1_050, 1_550, 5_060]);
    }
    #[test]
    fn jitter_is_within_bounds_and_nothing_overtakes() {
        let pieces: Vec<(u64, usize)> = (0..1_000).map(|i| (i * 10, 1)).collect();
        let due = arrivals((1_000, 400, None), &pieces);
        assert!(due.windows(2).all(|pair| pair[0] <= pair[1]));
        let waits: Vec<u64> = due.iter().zip(&pieces).map(|(due, (at, _))| due - at).collect();
        assert!(waits.iter().all(|wait| (500..=700).contains(wait)));
        assert!(waits.iter().min() < Some(&690) && waits.iter().max() > Some(&650));
    }
    #[test]
    fn pieces_are_small_on_a_narrow_wire() {
        let piece = |bytes_per_second| Link { bytes_per_second, ..Link::default() }.piece();
        assert_eq!((piece(None), piece(Some(1_000_000)), piece(Some(1))), (65_536, 2_000, 1_460));
    }
}
