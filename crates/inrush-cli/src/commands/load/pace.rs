//! The progress of a load, its rate and the remaining time, from counts at several moments. Pure.
//!
//! All numbers are of rows that this run has *committed*. Reading is ahead of that by some chunks, and the rows of earlier runs do not show
//! the speed. The rate is that of the last [`WINDOW`], so that the time left follows a server that becomes slower.

use inrush::Snapshot;
use std::collections::VecDeque;
use std::time::Duration;

/// What was counted at a moment.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Moment {
    /// Since the load began.
    pub(super) at: Duration,
    pub(super) done: Snapshot,
    /// Bytes of the sources that are read, as they are on the disk.
    pub(super) read: u64,
    /// All of them, if that is known.
    pub(super) total: Option<u64>,
}

/// Where a load is at a moment.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Standing {
    /// The share of the input that is stored, or rejected, in percent, if the size of the input is known.
    pub(super) percent: Option<u8>,
    /// Rows and bytes of text a second; `None` while there is nothing to measure.
    pub(super) rates: Option<(f64, f64)>,
    /// How long the rest will take at this rate.
    pub(super) left: Option<Duration>,
    /// How long nothing was committed, if that is long.
    pub(super) stalled: Option<Duration>,
    /// Whether chunks were begun.
    pub(super) has_begun: bool,
    /// Whether every chunk has ended: what remains are the last steps.
    pub(super) is_ending: bool,
}

/// What is kept of earlier moments.
#[derive(Debug, Default)]
pub(super) struct Pace {
    recent: VecDeque<Point>,
    /// When the last commit was seen.
    last_commit: Duration,
    /// Bytes that were read before the first chunk: the parts that earlier runs have stored, which are skipped.
    read_before: u64,
    /// Rows are read to be sorted.
    is_sorting: bool,
}

#[derive(Clone, Copy, Debug)]
struct Point {
    at: Duration,
    settled_bytes: u64,
    /// Rows that this run has committed.
    rows: u64,
}

impl Pace {
    /// Takes a moment later than those before it.
    pub(super) fn take(&mut self, now: &Moment) -> Standing {
        if (now.done.gathered > 0) != self.is_sorting {
            self.is_sorting = now.done.gathered > 0;
            self.recent.clear();
            self.last_commit = now.at;
        }
        if self.is_sorting {
            return self.take_sorting(now);
        }
        let Snapshot { bytes, settled_bytes, left, .. } = now.done;
        let has_begun = bytes > 0;
        let rows = now.done.stored.saturating_sub(now.done.resumed);
        if !has_begun || self.recent.back().is_none_or(|last| last.settled_bytes != settled_bytes) {
            self.last_commit = now.at;
        }
        if !has_begun {
            // The rate does not include the time of connecting and of comparing stored rows.
            self.recent.clear();
            self.read_before = now.read;
        }
        self.push(Point { at: now.at, settled_bytes, rows });
        let rates = self.rates();
        let remaining = left.filter(|_| now.total.is_some()).map(|left| left + bytes.saturating_sub(settled_bytes));
        let is_ending = has_begun && bytes == settled_bytes && left == Some(0);
        let quiet = now.at.saturating_sub(self.last_commit);
        let stalled = (has_begun && !is_ending && quiet >= QUIET).then_some(quiet);
        let has_time = has_begun && !is_ending && stalled.is_none();
        let time = remaining.zip(rates).filter(|(_, (_, bytes))| *bytes > 0.0 && has_time);
        Standing {
            percent: remaining.filter(|_| has_begun).and_then(|remaining| self.percent(now, remaining)),
            rates,
            left: time.and_then(|(rest, (_, bytes))| Duration::try_from_secs_f64(rest as f64 / bytes).ok()),
            stalled,
            has_begun,
            is_ending,
        }
    }

    /// The share of what is read, and how fast: nothing is sent yet.
    fn take_sorting(&mut self, now: &Moment) -> Standing {
        self.push(Point { at: now.at, settled_bytes: now.done.bytes, rows: now.done.gathered });
        let percent = |total: u64| (u128::from(now.read.min(total)) * 100 / u128::from(total.max(1))) as u8;
        Standing { percent: now.total.map(percent), rates: self.rates(), ..Standing::default() }
    }

    fn push(&mut self, point: Point) {
        self.recent.push_back(point);
        while self.recent.get(1).is_some_and(|next| point.at.saturating_sub(next.at) >= WINDOW) {
            self.recent.pop_front();
        }
    }

    /// The share that is done, in percent; `remaining` bytes of text are not committed. Shares are of the bytes on the disk: the size of
    /// the parts that earlier runs stored is known only there.
    ///
    /// A byte of text counts as (bytes of this run on the disk / bytes of text of this run) bytes on the disk. Bytes that a reader holds
    /// are read, but their text is still to come, so a ratio of the unread bytes would be too small.
    fn percent(&self, now: &Moment, remaining: u64) -> Option<u8> {
        let total = now.total.filter(|total| *total > 0)?;
        let Snapshot { bytes, left, resumed, .. } = now.done;
        let of_run = match total.saturating_sub(self.read_before) {
            rest if resumed > 0 && rest > total / MUCH => rest,
            // Nothing was skipped; or a small file was read at once.
            _ => total,
        };
        let on_disk = of_run as f64 / (bytes + left.unwrap_or(0)).max(1) as f64;
        let rest = remaining as f64 * on_disk * 100.0 / total as f64;
        // Rounded down, after a correction of rounding errors.
        Some((100.0 - rest + 1e-6).clamp(0.0, 100.0) as u8)
    }

    fn rates(&self) -> Option<(f64, f64)> {
        let (first, last) = (self.recent.front()?, self.recent.back()?);
        let seconds = last.at.saturating_sub(first.at).as_secs_f64();
        let (rows, bytes) = (last.rows.saturating_sub(first.rows), last.settled_bytes - first.settled_bytes);
        (seconds > 0.0 && bytes > 0).then(|| (rows as f64 / seconds, bytes as f64 / seconds))
    }
}

/// Rates are those of so long. A chunk takes two seconds at most where the server is not in trouble.
const WINDOW: Duration = Duration::from_secs(10);

/// The part of a file, one in so many, that is more than a reader's first look.
const MUCH: u64 = 20;

/// As long as nothing is committed, the time left says nothing.
const QUIET: Duration = Duration::from_secs(5);

#[cfg(test)]
mod tests {
    use super::*;

    /// (seconds, bytes, settled, left, rows) of a file whose text has 1,000 bytes, `on_disk` of them on the disk: the last standing.
    fn standing(on_disk: u64, moments: &[(u64, u64, u64, u64, u64)]) -> Standing {
        let mut pace = Pace::default();
        let mut last = Standing::default();
        for &(at, bytes, settled_bytes, left, stored) in moments {
            let read = (1000 - left) * on_disk / 1000;
            let done = Snapshot { bytes, settled_bytes, left: Some(left), stored, ..Snapshot::default() };
            last = pace.take(&Moment { at: Duration::from_secs(at), done, read, total: Some(on_disk) });
        }
        last
    }

    #[track_caller]
    fn check(on_disk: u64, moments: &[(u64, u64, u64, u64, u64)], want: (Option<u8>, Option<(f64, f64)>, Option<u64>)) {
        let got = standing(on_disk, moments);
        assert_eq!((got.percent, got.rates, got.left.map(|left| left.as_secs())), want);
    }

    #[test]
    fn what_is_read_is_not_stored_yet() {
        check(1000, &[(0, 0, 0, 1000, 0)], (None, None, None));
        check(1000, &[(0, 0, 0, 1000, 0), (1, 500, 0, 500, 0)], (Some(0), None, None));
        check(1000, &[(0, 0, 0, 1000, 0), (1, 500, 200, 500, 20)], (Some(20), Some((20.0, 200.0)), Some(4)));
    }
    /// A reader holds 300 bytes: they are read from the disk, and their text is still to come.
    #[test]
    fn what_a_reader_holds_is_no_progress() {
        let mut pace = Pace::default();
        pace.take(&Moment {
            total: Some(1000),
            done: Snapshot { left: Some(1000), ..Snapshot::default() },
            ..Moment::default()
        });
        let done = Snapshot { bytes: 300, settled_bytes: 240, left: Some(700), stored: 24, ..Snapshot::default() };
        let got = pace.take(&Moment { at: Duration::from_secs(1), done, read: 600, total: Some(1000) });
        assert_eq!(got.percent, Some(24));
    }
    #[test]
    fn text_of_a_compressed_file_is_longer() {
        check(100, &[(0, 0, 0, 1000, 0), (1, 500, 200, 500, 20)], (Some(20), Some((20.0, 200.0)), Some(4)));
    }
    #[test]
    fn the_rate_is_that_of_the_last_seconds() {
        let slow = (1..=40).map(|at| (at, 800, 100 + 10 * at, 200, 10 * at));
        let all: Vec<_> = std::iter::once((0, 0, 0, 1000, 0)).chain(slow).collect();
        check(1000, &all, (Some(50), Some((10.0, 10.0)), Some(50)));
    }
    #[test]
    fn connecting_is_no_time_of_the_rate() {
        let moments = [(0, 0, 0, 1000, 0), (20, 0, 0, 1000, 0), (21, 500, 500, 500, 50)];
        check(1000, &moments, (Some(50), Some((50.0, 500.0)), Some(1)));
    }
    #[test]
    fn what_earlier_runs_stored_is_no_speed() {
        let mut pace = Pace::default();
        let done = Snapshot { stored: 60, resumed: 60, left: Some(400), ..Snapshot::default() };
        let got = pace.take(&Moment { at: Duration::from_secs(3), done, read: 600, total: Some(1000) });
        assert_eq!((got.percent, got.rates, got.has_begun), (None, None, false));
        let done = Snapshot { stored: 70, bytes: 200, settled_bytes: 100, left: Some(200), ..done };
        let got = pace.take(&Moment { at: Duration::from_secs(4), done, read: 800, total: Some(1000) });
        assert_eq!((got.percent, got.rates), (Some(70), Some((10.0, 100.0))));
        assert_eq!(got.left, Some(Duration::from_secs(3)));
    }
    #[test]
    fn a_small_file_is_read_at_once() {
        let mut pace = Pace::default();
        let done = Snapshot { left: Some(1000), ..Snapshot::default() };
        pace.take(&Moment { at: Duration::ZERO, done, read: 1000, total: Some(1000) });
        let done = Snapshot { bytes: 500, settled_bytes: 250, left: Some(500), stored: 2, ..done };
        let got = pace.take(&Moment { at: Duration::from_secs(1), done, read: 1000, total: Some(1000) });
        assert_eq!((got.percent, got.left), (Some(25), Some(Duration::from_secs(3))));
    }
    #[test]
    fn a_load_that_stands_still_has_no_time_left() {
        let got = standing(1000, &[(0, 0, 0, 1000, 0), (1, 500, 200, 500, 20), (9, 600, 200, 400, 20)]);
        assert_eq!((got.left, got.stalled), (None, Some(Duration::from_secs(8))));
        let got = standing(1000, &[(0, 0, 0, 1000, 0), (1, 1000, 1000, 0, 20)]);
        assert_eq!((got.left, got.is_ending, got.percent), (None, true, Some(100)));
    }
    #[test]
    fn a_sort_has_a_share_and_a_rate_of_its_own() {
        let mut pace = Pace::default();
        let sorting = |at, gathered, bytes, read| {
            let done = Snapshot { gathered, bytes, left: Some(1000 - bytes), ..Snapshot::default() };
            Moment { at: Duration::from_secs(at), done, read, total: Some(1000) }
        };
        pace.take(&sorting(1, 10, 100, 100));
        let got = pace.take(&sorting(3, 30, 300, 400));
        assert_eq!((got.percent, got.rates, got.has_begun), (Some(40), Some((10.0, 100.0)), false));
        // The rows are sent: bytes that were read are not progress any more.
        let loading = |at, bytes, settled_bytes, stored| {
            let done = Snapshot { bytes, settled_bytes, stored, left: Some(1200 - bytes), ..Snapshot::default() };
            Moment { at: Duration::from_secs(at), done, read: 1000, total: Some(1000) }
        };
        pace.take(&loading(5, 0, 0, 0));
        let got = pace.take(&loading(7, 700, 600, 60));
        assert_eq!((got.percent, got.rates, got.left), (Some(50), Some((30.0, 300.0)), Some(Duration::from_secs(2))));
    }
    #[test]
    fn without_a_size_there_is_no_share() {
        let mut pace = Pace::default();
        pace.take(&Moment::default());
        let done = Snapshot { bytes: 100, settled_bytes: 100, stored: 7, ..Snapshot::default() };
        let got = pace.take(&Moment { at: Duration::from_secs(1), done, read: 100, total: None });
        assert_eq!((got.percent, got.rates, got.left, got.is_ending), (None, Some((7.0, 100.0)), None, false));
    }
}
