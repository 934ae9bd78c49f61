//! How much faster something became, and how sure that is.

/// By how much a rate grew.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gain {
    /// As a share of what it was.
    pub(super) share: f64,
    /// By how much that may be wrong.
    pub(super) error: f64,
}

impl Gain {
    /// From rates before to rates after.
    pub(super) fn of(base: &[f64], rates: &[f64]) -> Self {
        let (before, after) = (mean(base), mean(rates));
        let noise = LEAST_NOISE.max(spread(base, before)).max(spread(rates, after));
        let error = noise * (1.0 / base.len() as f64 + 1.0 / rates.len() as f64).sqrt();
        Self { share: after / before.max(f64::MIN_POSITIVE) - 1.0, error }
    }
}

pub(super) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// The standard deviation, as a share of the mean.
fn spread(values: &[f64], mean: f64) -> f64 {
    let squares: f64 = values.iter().map(|value| (value / mean.max(f64::MIN_POSITIVE) - 1.0).powi(2)).sum();
    (squares / (values.len().max(2) - 1) as f64).sqrt()
}

/// Two rates that agree by chance do not make the rate certain.
const LEAST_NOISE: f64 = 0.02;
