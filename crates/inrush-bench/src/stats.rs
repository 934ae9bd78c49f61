//! What samples say: medians with intervals, ratios, outliers, more than one mode. Pure, and without assumptions about how the samples
//! are spread: everything rests on their order. Samples are seconds, or whatever else is positive.

/// What the samples of one case come to.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// How many there are.
    pub n: usize,
    /// The median.
    pub median: f64,
    /// The least.
    pub min: f64,
    /// The most.
    pub max: f64,
    /// Where the median of all runs that could have been lies, 95 % sure; none of fewer than six samples can say.
    pub interval: Option<Interval>,
    /// Which samples stand apart from the rest, counted from 0 in the order they were taken.
    pub outliers: Vec<usize>,
    /// Whether the samples fall into two groups, so that their median is typical of neither.
    pub two_modes: bool,
}

/// From here to there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// How many times as much one takes as another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ratio {
    /// The middle estimate.
    pub times: f64,
    /// 95 %; none where there are too few samples.
    pub interval: Option<Interval>,
}

/// What a ratio allows to be said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Surely less than 1.
    Less,
    /// Surely more than 1.
    More,
    /// The noise allows no other word.
    NoDifference,
}

impl Summary {
    /// `None` of no samples.
    pub fn of(samples: &[f64]) -> Option<Self> {
        let sorted = sorted(samples);
        let (min, max) = (*sorted.first()?, *sorted.last()?);
        Some(Self {
            n: sorted.len(),
            median: middle(&sorted),
            min,
            max,
            interval: median_interval(&sorted),
            outliers: outliers(samples, &sorted),
            two_modes: has_two_modes(&sorted),
        })
    }

    /// Half the width of the interval as a share of the median: how well it is known.
    pub fn uncertainty(&self) -> Option<f64> {
        self.interval.map(|interval| (interval.high - interval.low) / 2.0 / self.median)
    }
}

impl Ratio {
    /// Of samples taken in turn, round by round: what slows down a whole round slows down both.
    pub fn of_pairs(pairs: &[(f64, f64)]) -> Option<Self> {
        let sorted = sorted(&pairs.iter().map(|(a, b)| a / b).collect::<Vec<_>>());
        sorted.first()?;
        Some(Self { times: middle(&sorted), interval: median_interval(&sorted) })
    }

    /// Of samples that have nothing to do with each other: the median of all ratios of one of `a` to one of `b`, with the interval of
    /// the rank sum test (Hodges and Lehmann 1963; normal approximation).
    pub fn of_runs(a: &[f64], b: &[f64]) -> Option<Self> {
        let sorted = sorted(&a.iter().flat_map(|a| b.iter().map(move |b| a / b)).collect::<Vec<_>>());
        sorted.first()?;
        let (n, m) = (a.len() as f64, b.len() as f64);
        let outside = n * m / 2.0 - Z * (n * m * (n + m + 1.0) / 12.0).sqrt();
        let interval = (outside >= 1.0).then(|| ends(&sorted, outside as usize));
        Some(Self { times: middle(&sorted), interval })
    }

    /// A ratio without an interval says nothing for sure.
    pub fn verdict(&self) -> Verdict {
        match self.interval {
            Some(Interval { high, .. }) if high < 1.0 => Verdict::Less,
            Some(Interval { low, .. }) if low > 1.0 => Verdict::More,
            _ => Verdict::NoDifference,
        }
    }
}

fn sorted(samples: &[f64]) -> Vec<f64> {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

/// The median of what is sorted; 0 of nothing.
fn middle(sorted: &[f64]) -> f64 {
    match sorted.len() {
        0 => 0.0,
        n if n.is_multiple_of(2) => (sorted[n / 2 - 1] + sorted[n / 2]) / 2.0,
        n => sorted[n / 2],
    }
}

/// The interval between two samples of which the true median lies outside in at most one of twenty cases: each sample is as likely above
/// it as below, so the number of those below is a toss of so many coins.
fn median_interval(sorted: &[f64]) -> Option<Interval> {
    let n = sorted.len() as i32;
    let mut at_most = 0.5_f64.powi(n);
    let mut term = at_most;
    let mut outside = 0;
    // As long as one more on each side may be left out.
    while at_most <= OUTSIDE_EACH_SIDE && 2 * outside < n {
        outside += 1;
        term *= f64::from(n - outside + 1) / f64::from(outside);
        at_most += term;
    }
    (outside > 0).then(|| ends(sorted, outside as usize))
}

/// What is left without `outside - 1` samples on each side.
fn ends(sorted: &[f64], outside: usize) -> Interval {
    Interval { low: sorted[outside - 1], high: sorted[sorted.len() - outside] }
}

/// Samples farther from the median than three and a half of the deviations that normal samples would have (median absolute deviation,
/// Iglewicz and Hoaglin 1993).
fn outliers(samples: &[f64], sorted_samples: &[f64]) -> Vec<usize> {
    let median = middle(sorted_samples);
    let deviation = 1.4826 * middle(&sorted(&samples.iter().map(|sample| (sample - median).abs()).collect::<Vec<_>>()));
    if samples.len() < ENOUGH_FOR_OUTLIERS || deviation <= 0.0 {
        return Vec::new();
    }
    (0..samples.len()).filter(|i| (samples[*i] - median).abs() > 3.5 * deviation).collect()
}

/// Whether one gap among the samples is far wider than the others, with at least a quarter of the samples on each side of it.
fn has_two_modes(sorted_samples: &[f64]) -> bool {
    let n = sorted_samples.len();
    if n < ENOUGH_FOR_MODES {
        return false;
    }
    let gaps: Vec<f64> = sorted_samples.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let quarter = n.div_ceil(4);
    let within = quarter - 1..n - quarter;
    let widest = gaps[within].iter().copied().fold(0.0, f64::max);
    let spread_without = sorted_samples[n - 1] - sorted_samples[0] - widest;
    widest > WIDE * middle(sorted_samples) && widest > spread_without
}

/// 95 % of a normal distribution lie within so many standard deviations.
const Z: f64 = 1.96;

const OUTSIDE_EACH_SIDE: f64 = 0.025;

const ENOUGH_FOR_OUTLIERS: usize = 5;

const ENOUGH_FOR_MODES: usize = 8;

/// A gap of less than a twentieth of the median is nobody's concern.
const WIDE: f64 = 0.05;

#[cfg(test)]
mod tests;
