//! Decides when statements are sent. Closed: each client sends the next statement when the last one is answered. Open: statements are
//! due at a rate, whether a client is free to send them or not, and the time of a statement is counted from when it was due: a server
//! that stalls delays many statements, not one. Pure: the time is an argument, counted from the start.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// When it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// This long after the ramp-up.
    For(Duration),
    /// After this many rows since the ramp-up.
    Rows(u64),
}

/// How statements are spread over time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pace {
    /// Rows a second; `None`: as fast as answers come.
    pub rate: Option<f64>,
    /// During this time clients begin one after the other, or the rate rises to its target. Nothing in it counts.
    pub ramp_up: Duration,
    /// When it ends.
    pub until: Until,
}

/// Hands out statements to a number of clients.
#[derive(Debug)]
pub(super) struct Pacer {
    pace: Pace,
    n_clients: u64,
    /// Rows a statement.
    statement_rows: u64,
    /// Statements that were taken, with a rate.
    taken: AtomicU64,
    /// The taken statements that came in time, so that they were sent.
    sent: AtomicU64,
    /// Rows of the returned statements that count.
    counted: AtomicU64,
}

/// A statement to be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Turn {
    /// When it should be sent: what it takes is counted from here.
    pub(super) due: Duration,
    /// Whether it counts.
    pub(super) counts: bool,
    /// Rows that it carries.
    pub(super) rows: u64,
}

impl Pacer {
    pub(super) fn new(pace: Pace, n_clients: u64, statement_rows: u64) -> Self {
        let zero = || AtomicU64::new(0);
        Self { pace, n_clients, statement_rows, taken: zero(), sent: zero(), counted: zero() }
    }

    pub(super) fn statement_rows(&self) -> u64 {
        self.statement_rows
    }

    /// The next statement of a client that is free at `now`; `None` if none is left.
    pub(super) fn next(&self, client: u64, now: Duration) -> Option<Turn> {
        let due = match self.pace.rate {
            // Without a rate no row is late: a client sends its next row when it is free.
            None => now.max(self.pace.ramp_up.mul_f64(client as f64 / self.n_clients.max(1) as f64)),
            Some(rate) => self.due(rate, self.taken.fetch_add(1, Relaxed)),
        };
        let counts = due >= self.pace.ramp_up;
        let mut rows = self.statement_rows;
        match self.pace.until {
            Until::For(_) if due >= self.end() || now >= self.end() => return None,
            Until::Rows(n) if counts => {
                let before = self.counted.fetch_add(rows, Relaxed);
                rows = rows.min(n.saturating_sub(before));
            }
            _ => {}
        }
        self.sent.fetch_add(1, Relaxed);
        (rows > 0).then_some(Turn { due, counts, rows })
    }

    /// Rows that were due before the end but that no client was free to send.
    pub(super) fn unsent(&self) -> Option<u64> {
        let (rate, Until::For(length)) = (self.pace.rate?, self.pace.until) else { return None };
        let statements = rate / self.statement_rows as f64;
        let all = (statements * (self.pace.ramp_up.as_secs_f64() / 2.0 + length.as_secs_f64())).ceil() as u64;
        Some(all.saturating_sub(self.sent.load(Relaxed)) * self.statement_rows)
    }

    /// When the whole thing ends, if it is by the clock.
    pub(super) fn end(&self) -> Duration {
        match self.pace.until {
            Until::For(length) => self.pace.ramp_up.saturating_add(length),
            Until::Rows(_) => Duration::MAX,
        }
    }

    /// When the statement of this number is due. The rate rises evenly, so statements in the ramp-up grow with the square of the time.
    fn due(&self, rate: f64, number: u64) -> Duration {
        let statements = rate / self.statement_rows as f64;
        let ramp = self.pace.ramp_up.as_secs_f64();
        let in_ramp = statements * ramp / 2.0;
        let number = number as f64;
        let seconds = match number < in_ramp {
            true => (2.0 * number * ramp / statements).sqrt(),
            false => ramp + (number - in_ramp) / statements,
        };
        Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
    }
}

impl Turn {
    /// How long to wait at `now` before it is sent.
    pub(super) fn wait(&self, now: Duration) -> Duration {
        self.due.saturating_sub(now)
    }

    /// The time that it took if it is answered at `now`.
    pub(super) fn took(&self, now: Duration) -> Duration {
        now.saturating_sub(self.due)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    fn open(rate: f64, ramp_up: u64, until: Until, statement_rows: u64) -> Pacer {
        Pacer::new(Pace { rate: Some(rate), ramp_up: SECOND * ramp_up as u32, until }, 4, statement_rows)
    }

    /// Milliseconds at which the first statements are due.
    #[track_caller]
    fn check(pacer: &Pacer, want: &[u64]) {
        let due: Vec<u64> =
            want.iter().map_while(|_| pacer.next(0, Duration::ZERO)).map(|turn| turn.due.as_millis() as u64).collect();
        assert_eq!(due, want);
    }

    #[test]
    fn statements_are_due_at_the_rate() {
        check(&open(10.0, 0, Until::For(SECOND), 1), &[0, 100, 200, 300, 400, 500, 600, 700, 800, 900]);
        check(&open(1000.0, 0, Until::For(SECOND), 250), &[0, 250, 500, 750]);
        // Half as many as later while it rises.
        check(&open(4.0, 2, Until::For(SECOND), 1), &[0, 1000, 1414, 1732, 2000, 2250, 2500, 2750]);
    }

    #[test]
    fn what_is_due_does_not_wait_for_who_is_free() {
        let pacer = open(10.0, 0, Until::For(SECOND), 1);
        let first = pacer.next(0, Duration::ZERO).unwrap();
        assert_eq!((first.wait(Duration::ZERO), first.took(ms(5))), (Duration::ZERO, ms(5)));
        // The server stalls for half a second: what was due meanwhile has waited already.
        let took: Vec<Duration> = (0..5).map(|_| pacer.next(0, ms(505)).unwrap().took(ms(505))).collect();
        assert_eq!(took, [405, 305, 205, 105, 5].map(ms));
        let next = pacer.next(0, ms(505)).unwrap();
        assert_eq!((next.wait(ms(505)), next.took(ms(601))), (ms(95), ms(1)));
    }

    #[test]
    fn what_was_never_sent_is_known() {
        let pacer = open(100.0, 2, Until::For(SECOND), 10);
        for _ in 0..5 {
            pacer.next(0, ms(10)).unwrap();
        }
        assert_eq!(pacer.next(0, SECOND * 3), None);
        // 10 in the ramp-up and 10 after it, of 10 rows each; the last one was taken too late.
        assert_eq!(pacer.unsent(), Some(150));
        assert_eq!(open(100.0, 0, Until::Rows(5), 1).unsent(), None);
    }

    #[test]
    fn a_client_in_a_closed_model_sends_when_it_can() {
        let pace = Pace { rate: None, ramp_up: SECOND * 4, until: Until::For(SECOND) };
        let pacer = Pacer::new(pace, 4, 1);
        let begins: Vec<u64> = (0..4).map(|client| pacer.next(client, ms(0)).unwrap().due.as_secs()).collect();
        assert_eq!(begins, [0, 1, 2, 3]);
        assert_eq!(pacer.next(1, ms(2500)), Some(Turn { due: ms(2500), counts: false, rows: 1 }));
        assert_eq!(pacer.next(1, ms(4000)), Some(Turn { due: ms(4000), counts: true, rows: 1 }));
        assert_eq!(pacer.next(1, ms(5000)), None);
        assert_eq!(pacer.unsent(), None);
    }

    #[test]
    fn so_many_rows_are_so_many_rows() {
        let pace = Pace { rate: None, ramp_up: ms(10), until: Until::Rows(25) };
        let pacer = Pacer::new(pace, 1, 10);
        assert_eq!(pacer.next(0, ms(1)).map(|turn| (turn.counts, turn.rows)), Some((false, 10)));
        let rows: Vec<u64> = (0..9).map_while(|_| pacer.next(0, ms(20))).map(|turn| turn.rows).collect();
        assert_eq!(rows, [10, 10, 5]);
    }
}
