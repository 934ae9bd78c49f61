//! Statistics of samples: medians with intervals, ratios, outliers, more than one mode. Pure, and without assumptions about the
//! distribution: everything is based on ranks. Samples are seconds, or other positive numbers.

/// The statistics of the samples of one case.
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
    /// The 95 % confidence interval of the median; `None` for fewer than six samples.
    pub interval: Option<Interval>,
    /// Indexes of the outliers, in the order of the samples.
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
    /// The 95 % interval; `None` with too few samples.
    pub interval: Option<Interval>,
}

/// The conclusion from a ratio.
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
    /// The ratio of samples taken in turn, round by round: a disturbance of a whole round slows both.
    pub fn of_pairs(pairs: &[(f64, f64)]) -> Option<Self> {
        let sorted = sorted(&pairs.iter().map(|(a, b)| a / b).collect::<Vec<_>>());
        sorted.first()?;
        Some(Self { times: middle(&sorted), interval: median_interval(&sorted) })
    }

    /// Of samples that have nothing to do with each other: the median of all ratios of one of `a` to one of `b`, with the interval of
    /// the rank sum test (Hodges and Lehmann 1963). `n_ratios` are reported together: all their intervals are right at once in 95 % of
    /// cases, or else one case of twenty would be called faster or slower for nothing (Bonferroni).
    pub fn of_runs(a: &[f64], b: &[f64], n_ratios: usize) -> Option<Self> {
        let sorted = sorted(&a.iter().flat_map(|a| b.iter().map(move |b| a / b)).collect::<Vec<_>>());
        sorted.first()?;
        let outside = rank_sums_outside(a.len(), b.len(), OUTSIDE_EACH_SIDE / n_ratios.max(1) as f64);
        let interval = (outside > 0).then(|| ends(&sorted, outside));
        Some(Self { times: middle(&sorted), interval })
    }

    /// A ratio without an interval allows no conclusion.
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

/// The median of sorted values; 0 without values.
fn middle(sorted: &[f64]) -> f64 {
    match sorted.len() {
        0 => 0.0,
        n if n.is_multiple_of(2) => (sorted[n / 2 - 1] + sorted[n / 2]) / 2.0,
        n => sorted[n / 2],
    }
}

/// The interval between two samples that misses the true median in at most one of twenty cases. Each sample is as likely above the
/// median as below it, so the number below it is distributed like as many coin tosses.
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

/// How many of the ratios of `n` samples to `m` may be on one side of the interval's inner part, so that the truth is beyond its end in
/// at most this share of cases. It is the rank sum test's count U: exact for few samples, from a normal distribution for many.
fn rank_sums_outside(n: usize, m: usize, share: f64) -> usize {
    let (n_f, m_f) = (n as f64, m as f64);
    if n * m > EXACT_UP_TO {
        let deviation = (n_f * m_f * (n_f + m_f + 1.0) / 12.0).sqrt();
        return (n_f * m_f / 2.0 - normal_quantile(share) * deviation).max(0.0) as usize;
    }
    // `of[j][u]`: how probable U = u is among the first i of the one and j of the other. The last of all of them is one of the former
    // with probability i / (i + j), and then all j are below it.
    let mut of: Vec<Vec<f64>> = (0..=m).map(|_| vec![1.0]).collect();
    for i in 1..=n {
        for j in 1..=m {
            let (last_of_a, last_of_b) = (i as f64 / (i + j) as f64, j as f64 / (i + j) as f64);
            let mut next = vec![0.0; i * j + 1];
            of[j].iter().enumerate().for_each(|(u, p)| next[u + j] += last_of_a * p);
            of[j - 1].iter().enumerate().for_each(|(u, p)| next[u] += last_of_b * p);
            of[j] = next;
        }
    }
    let at_most = of[m].iter().scan(0.0, |sum, p| {
        *sum += p;
        Some(*sum)
    });
    at_most.take_while(|sum| *sum <= share).count()
}

/// The number of standard deviations from the mean that a normal sample exceeds in this share of cases, on one side (Abramowitz and
/// Stegun 26.2.23, within 0.0005).
fn normal_quantile(share: f64) -> f64 {
    let t = (-2.0 * share.ln()).sqrt();
    let above = 2.515_517 + t * (0.802_853 + t * 0.010_328);
    let below = 1.0 + t * (1.432_788 + t * (0.189_269 + t * 0.001_308));
    t - above / below
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

/// Pairs of samples: a millisecond's work.
const EXACT_UP_TO: usize = 1_000;

const OUTSIDE_EACH_SIDE: f64 = 0.025;

const ENOUGH_FOR_OUTLIERS: usize = 5;

const ENOUGH_FOR_MODES: usize = 8;

/// A gap of less than a twentieth of the median does not matter.
const WIDE: f64 = 0.05;

#[cfg(test)]
mod tests;
