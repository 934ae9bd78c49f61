//! How many rows a sample has: so many that a load of it takes long enough to be compared, and no more than the budget has time for. Pure: the
//! caller loads and measures.
//!
//! The first load has few rows, as nothing is known of the table and the server. The next ones have as many as the last one suggests, more
//! or fewer, until one takes about [`share_of`] the budget. Where fewer rows do not take less time, since each load has its own cost, the
//! larger sample is taken.

use std::time::Duration;

/// The sizes that were loaded.
#[derive(Clone, Debug)]
pub struct Sizing {
    goal: f64,
    first: u64,
    least: u64,
    most: u64,
    seen: Vec<SizingLoad>,
}

/// A load by the defaults.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SizingLoad {
    /// The most rows that it could have.
    pub rows: u64,
    /// Whether these are all that there are.
    pub is_all: bool,
    /// How long it took with all that belongs to it.
    pub wall: f64,
    /// How long the load itself took.
    pub seconds: f64,
}

impl Sizing {
    /// Samples for a race that may take `budget`. The first load has `first` rows; a sample has `least` to `most`.
    pub fn new(budget: Duration, first: u64, least: u64, most: u64) -> Self {
        Self { goal: share_of(budget), first: first.min(most), least: least.min(most), most, seen: Vec::new() }
    }

    /// How many rows the next load is to have; `None` if the size is chosen.
    pub fn next_rows(&self) -> Option<u64> {
        let Some(last) = self.seen.last() else { return Some(self.first) };
        if self.seen.len() == MOST_LOADS {
            return None;
        }
        if let [.., before, last] = &self.seen[..]
            && before.rows > last.rows
            && last.wall > before.wall * IN_VAIN
        {
            return None;
        }
        let times = (self.goal / last.wall.max(0.001)).min(MOST_GROWTH);
        let rows = ((last.rows as f64 * times) as u64).clamp(self.least, self.most);
        let is_enough = match times > 1.0 {
            true => times < NEAR || last.is_all,
            false => times > 1.0 / NEAR,
        };
        // No size is loaded twice.
        (!is_enough && self.seen.iter().all(|seen| seen.rows != rows)).then_some(rows)
    }

    /// Adds a load.
    pub fn add(&mut self, seen: SizingLoad) {
        self.seen.push(seen);
    }

    /// The sample: the largest that took about as long as intended, or else about as long as the fastest.
    pub fn chosen(&self) -> Option<SizingLoad> {
        let least = self.seen.iter().map(|seen| seen.wall).reduce(f64::min)?;
        let limit = (self.goal.max(least) * NEAR).max(least);
        self.seen.iter().filter(|seen| seen.wall <= limit).max_by_key(|seen| seen.rows).copied()
    }
}

/// How long a load of a sample should take, in seconds.
pub fn share_of(budget: Duration) -> f64 {
    (budget.as_secs_f64() / LOADS).clamp(SHORTEST, LONGEST)
}

/// The budget in which a race has enough turns if each load takes so many seconds, as a person would write it: larger than the one that was
/// too small. `None` if that is more than a day.
pub fn budget_that_decides(too_small: Duration, seconds: f64) -> Option<Duration> {
    // A machine that was slower meanwhile needs more than its loads say.
    let all = (seconds * LOADS).max(too_small.as_secs_f64() * NEAR).max(1.0).ceil();
    let unit = if all <= 120.0 { 10.0 } else { 60.0 };
    let all = (all / unit).ceil() * unit;
    (all <= MOST_SECONDS).then(|| Duration::from_secs(all as u64))
}

/// A race has time for so many loads by the defaults: a third of them is the final, six turns of three candidates and some that are slower.
const LOADS: f64 = 100.0;
/// A shorter load is mostly its own cost.
const SHORTEST: f64 = 0.2;
/// A longer one says no more.
const LONGEST: f64 = 10.0;
const MOST_LOADS: usize = 4;
/// A day: no budget is longer.
const MOST_SECONDS: f64 = 86_400.0;
/// The rate rises with the rows, so a small load says little of one that is much larger.
const MOST_GROWTH: f64 = 20.0;
/// Fewer rows that take this share of the time: even fewer would take no less.
const IN_VAIN: f64 = 0.8;
/// What is this near to the goal, as a multiple, is left.
const NEAR: f64 = 1.5;

#[cfg(test)]
mod tests {
    use super::*;

    /// Sizes for a table of `all` rows where a load takes `fixed` and `each` row so many seconds: what is loaded, and the sample.
    #[track_caller]
    fn check(budget: u64, all: u64, (fixed, each): (f64, f64), loads: &[u64], sample: u64) {
        let mut sizing = Sizing::new(Duration::from_secs(budget), 1000, 100, 5_000_000);
        let mut loaded = Vec::new();
        while let Some(rows) = sizing.next_rows() {
            loaded.push(rows);
            let seconds = fixed + each * rows.min(all) as f64;
            sizing.add(SizingLoad { rows, is_all: rows > all, wall: seconds, seconds });
        }
        assert_eq!((&loaded[..], sizing.chosen().unwrap().rows), (loads, sample));
    }

    const MANY: u64 = 1 << 40;

    #[test]
    fn grows_to_a_hundredth_of_the_budget() {
        check(120, MANY, (0.01, 2e-5), &[1000, 20_000, 58_536], 58_536);
        check(120, MANY, (0.2, 1e-6), &[1000, 5970, 34_781, 177_770], 177_770);
    }
    #[test]
    fn a_fast_server_gets_four_loads() {
        check(600, MANY, (0.05, 1e-7), &[1000, 20_000, 400_000, 5_000_000], 5_000_000);
    }
    #[test]
    fn the_first_may_be_right() {
        check(100, MANY, (0.1, 9e-4), &[1000], 1000);
    }
    #[test]
    fn shrinks_where_rows_are_slow() {
        check(120, MANY, (0.0, 5e-3), &[1000, 240], 240);
        check(120, MANY, (0.0, 0.2), &[1000, 100], 100);
    }
    #[test]
    fn what_fewer_rows_do_not_change_is_no_reason_for_fewer() {
        check(120, MANY, (5.0, 1e-4), &[1000, 235], 1000);
    }
    #[test]
    fn a_step_too_far_is_taken_back() {
        // A warm-up that promises too much.
        let mut sizing = Sizing::new(Duration::from_secs(100), 1000, 100, 5_000_000);
        let of = |rows, wall| SizingLoad { rows, is_all: false, wall, seconds: wall };
        sizing.add(of(1000, 0.05));
        assert_eq!(sizing.next_rows(), Some(20_000));
        sizing.add(of(20_000, 8.0));
        assert_eq!(sizing.next_rows(), Some(2500));
        sizing.add(of(2500, 1.1));
        assert_eq!((sizing.next_rows(), sizing.chosen().unwrap().rows), (None, 2500));
    }
    #[test]
    fn all_rows_are_enough() {
        check(120, 300, (0.1, 1e-5), &[1000], 1000);
        check(120, 7000, (0.1, 1e-5), &[1000, 10_909], 10_909);
        // But they may be too many.
        check(120, 900, (0.0, 1e-2), &[1000, 133], 133);
    }
    #[test]
    fn budgets_that_decide() {
        let of = |too_small, seconds| {
            budget_that_decides(Duration::from_millis(too_small), seconds).map_or(0, |budget| budget.as_secs())
        };
        for (seconds, want) in
            [(0.001, 10), (0.2, 20), (0.55, 60), (1.0, 100), (1.25, 180), (3.0, 300), (863.9, 86_400)]
        {
            assert_eq!(of(1, seconds), want, "{seconds}");
        }
        assert_eq!([of(60_000, 0.2), of(120_000, 1.2), of(1, 864.1), of(1, f64::INFINITY)], [90, 180, 0, 0]);
        // In the budget that is named a load may take as long, so the sample is the same.
        assert!(share_of(Duration::from_secs(of(1, 3.0))) <= 3.0);
        assert_eq!([share_of(Duration::ZERO), share_of(Duration::from_secs(100_000))], [SHORTEST, LONGEST]);
    }
}
