//! Maps values to places in a picture, chooses the ticks of an axis, and writes numbers as short texts. Pure.

/// Maps values between `low` and `high` to places between `from` and `to`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Scale {
    kind: Kind,
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

/// How places grow with values.
#[derive(Clone, Debug, PartialEq)]
enum Kind {
    Linear,
    Log,
    /// These values, as far from each other as each.
    Even(Vec<f64>),
    /// Shares below 1 by what is left of them: 0.9, 0.99 and 0.999 are as far from each other.
    Tail,
}

/// A place that an axis names.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tick {
    pub(super) at: f64,
    /// Empty of one that only shows where the scale bends.
    pub(super) label: String,
}

impl Scale {
    /// From zero to a round number that is not less than any value.
    pub(super) fn from_zero(values: impl Iterator<Item = f64>) -> Self {
        let most = usable(values).fold(0.0, f64::max);
        let most = if most > 0.0 { most } else { 1.0 };
        let step = round_step(most / 5.0);
        Self::new(Kind::Linear, 0.0, (most / step).ceil() * step)
    }

    /// Around values that are more than zero; the others are left out.
    pub(super) fn log(values: impl Iterator<Item = f64>) -> Self {
        let (low, high) = bounds(values.filter(|value| *value > 0.0)).unwrap_or((1.0, 10.0));
        let (low, high) = (round_down(low * 0.999), round_up(high * 1.001));
        Self::new(Kind::Log, low, high)
    }

    /// From zero, or by logarithms where one of the values is much more than another.
    pub(super) fn of_rates(values: impl Iterator<Item = f64> + Clone) -> Self {
        match bounds(values.clone().filter(|value| *value > 0.0)) {
            Some((low, high)) if high > MUCH_MORE * low => Self::log(values),
            _ => Self::from_zero(values),
        }
    }

    /// The scale of an axis with these values, ascending: logarithmic, or even if one of them is zero or less.
    pub(super) fn of_axis(values: &[f64]) -> Self {
        let (low, high) = bounds(values.iter().copied()).unwrap_or((0.0, 1.0));
        match low > 0.0 && high > low {
            true => Self::new(Kind::Log, low, high),
            false => Self::new(Kind::Even(values.to_vec()), 0.0, (values.len().max(2) - 1) as f64),
        }
    }

    /// The scale of percentiles from the median to `highest`, as shares.
    pub(super) fn tail(highest: f64) -> Self {
        Self::new(Kind::Tail, 0.5, highest.max(0.9))
    }

    /// The scale of seconds 0 to `last`.
    pub(super) fn seconds(last: f64) -> Self {
        Self::new(Kind::Linear, 0.0, last.max(1.0))
    }

    fn new(kind: Kind, low: f64, high: f64) -> Self {
        Self { kind, low, high, from: 0.0, to: 1.0 }
    }

    /// With its places between these two.
    pub(super) fn between(mut self, from: f64, to: f64) -> Self {
        (self.from, self.to) = (from, to);
        self
    }

    pub(super) fn is_log(&self) -> bool {
        self.kind == Kind::Log
    }

    pub(super) fn is_even(&self) -> bool {
        matches!(self.kind, Kind::Even(_))
    }

    /// The place of a value; a value outside of the scale is at its edge.
    pub(super) fn at(&self, value: f64) -> f64 {
        let share = match &self.kind {
            Kind::Linear => (value - self.low) / (self.high - self.low),
            Kind::Log => (value.max(self.low) / self.low).ln() / (self.high / self.low).ln(),
            Kind::Even(values) => {
                let place = values.iter().position(|one| *one >= value).unwrap_or(values.len() - 1);
                place as f64 / self.high
            }
            Kind::Tail => {
                let depth = |share: f64| -(1.0 - share.min(0.999_999_999)).log10();
                (depth(value) - depth(self.low)) / (depth(self.high) - depth(self.low))
            }
        };
        let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
        self.from + share * (self.to - self.from)
    }

    /// About so many with a label.
    pub(super) fn ticks(&self, about: usize) -> Vec<Tick> {
        let tick = |value: f64, label: String| Tick { at: self.at(value), label };
        match &self.kind {
            Kind::Linear => {
                let step = round_step((self.high - self.low) / about.max(1) as f64);
                let n_of = |step: f64| ((self.high - self.low) / step + 1e-9) as usize;
                // A single tick above zero does not help to read values beyond it.
                let step = if n_of(step) < 2 { step / 2.0 } else { step };
                (0..=n_of(step)).map(|i| self.low + i as f64 * step).map(|value| tick(value, short(value))).collect()
            }
            Kind::Log => self.log_ticks(about),
            Kind::Even(values) => values.iter().map(|value| tick(*value, short(*value))).collect(),
            Kind::Tail => TAIL
                .iter()
                .filter(|(share, _)| *share <= self.high + 1e-9)
                .map(|(share, label)| tick(*share, (*label).into()))
                .collect(),
        }
    }

    /// Names for whole seconds, a few of them.
    pub(super) fn ticks_of_seconds(&self) -> Vec<(f64, String)> {
        let step = round_step((self.high - self.low) / 6.0).ceil().max(1.0);
        let n = (self.high / step + 1e-9) as usize;
        (0..=n).map(|i| i as f64 * step).map(|second| (second, short(second))).collect()
    }

    fn log_ticks(&self, about: usize) -> Vec<Tick> {
        let (first, last) = (self.low.log10().floor() as i32, self.high.log10().ceil() as i32);
        let decades = (self.high / self.low).log10();
        let is_inside = |value: f64| value >= self.low * 0.999 && value <= self.high * 1.001;
        let with_label: &[f64] = match decades {
            few if few < 1.2 => &[1.0, 2.0, 5.0],
            few if few < 2.2 && about > 4 => &[1.0, 3.0],
            _ => &[1.0],
        };
        let every = (decades / about.max(1) as f64).ceil().max(1.0) as i32;
        let mut ticks = Vec::new();
        for power in first..=last {
            for digit in 1..10 {
                let digit = f64::from(digit);
                let value = digit * 10_f64.powi(power);
                if is_inside(value) {
                    let is_named = with_label.contains(&digit) && power.rem_euclid(every) == 0;
                    let label = if is_named { short(value) } else { String::new() };
                    ticks.push(Tick { at: self.at(value), label });
                }
            }
        }
        ticks
    }
}

/// Three digits and a letter for thousands: `1.23k`, `45.6M`, `0.05`.
pub(super) fn short(value: f64) -> String {
    let size = value.abs();
    let (divisor, letter) = match size {
        size if size >= 999.5e6 => (1e9, "G"),
        size if size >= 999.5e3 => (1e6, "M"),
        size if size >= 999.5 => (1e3, "k"),
        _ => (1.0, ""),
    };
    let value = value / divisor;
    let digits = match value.abs() {
        size if size >= 99.95 => 0,
        size if size >= 9.995 => 1,
        size if size >= 0.1 || size <= 0.0 => 2,
        size => (2 - size.log10().floor() as i32).clamp(2, 9) as usize,
    };
    let text = format!("{value:.digits$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("{text}{letter}")
}

/// The finite values.
fn usable(values: impl Iterator<Item = f64>) -> impl Iterator<Item = f64> {
    values.filter(|value| value.is_finite())
}

fn bounds(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    usable(values).fold(None, |bounds, value| {
        let (low, high) = bounds.unwrap_or((value, value));
        Some((value.min(low), value.max(high)))
    })
}

/// The least of 1, 2, 2.5, 5 and 10 times a power of ten that is not less.
fn round_step(least: f64) -> f64 {
    let power = 10_f64.powf(least.log10().floor());
    let digit = [1.0, 2.0, 2.5, 5.0].into_iter().find(|digit| digit * power >= least * 0.999_999);
    digit.unwrap_or(10.0) * power
}

fn round_up(value: f64) -> f64 {
    let power = 10_f64.powf(value.log10().floor());
    [1.0, 2.0, 5.0].into_iter().find(|digit| digit * power >= value).unwrap_or(10.0) * power
}

fn round_down(value: f64) -> f64 {
    let power = 10_f64.powf(value.log10().floor());
    [5.0, 2.0].into_iter().find(|digit| digit * power <= value).unwrap_or(1.0) * power
}

/// Past this no length can show the lesser one.
const MUCH_MORE: f64 = 30.0;

/// Percentiles that an axis names.
const TAIL: [(f64, &str); 6] =
    [(0.5, "50"), (0.9, "90"), (0.99, "99"), (0.999, "99.9"), (0.9999, "99.99"), (0.999_99, "99.999")];

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_ticks(scale: Scale, about: usize, want: &str) {
        let labels = scale.ticks(about).into_iter().map(|tick| tick.label).filter(|label| !label.is_empty());
        assert_eq!(labels.collect::<Vec<_>>().join(" "), want);
    }

    #[test]
    fn ticks_are_round() {
        check_ticks(Scale::from_zero([75_544.0].into_iter()), 4, "0 20k 40k 60k 80k");
        check_ticks(Scale::from_zero([0.0].into_iter()), 4, "0 0.25 0.5 0.75 1");
        check_ticks(Scale::from_zero([7_900.0].into_iter()), 3, "0 2.5k 5k 7.5k");
        check_ticks(Scale::of_rates([500.0, 160_000.0].into_iter()), 4, "1k 10k 100k");
        check_ticks(Scale::of_rates([500.0, 2_000.0].into_iter()), 4, "0 500 1k 1.5k 2k");
        check_ticks(Scale::of_axis(&[1.0, 10.0, 100.0, 1000.0]), 4, "1 10 100 1k");
        check_ticks(Scale::of_axis(&[0.0, 0.5, 5.0, 30.0]), 4, "0 0.5 5 30");
        check_ticks(Scale::log([0.02, 0.09].into_iter()), 4, "0.01 0.02 0.05 0.1");
        check_ticks(Scale::tail(0.999), 5, "50 90 99 99.9");
        check_ticks(Scale::log([1e-3, 1e9].into_iter()), 4, "1 10k 100M");
    }

    #[test]
    fn places_are_between_the_ends() {
        let scale = Scale::log([1.0, 100.0].into_iter()).between(0.0, 100.0);
        assert!(scale.at(10.0) > 45.0 && scale.at(10.0) < 55.0);
        for value in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e300] {
            for scale in [scale.clone(), Scale::tail(0.99), Scale::from_zero([1.0].into_iter()), Scale::of_axis(&[0.0])]
            {
                assert!((0.0..=100.0).contains(&scale.at(value)), "{value} {scale:?}");
            }
        }
    }

    #[test]
    fn numbers_are_short() {
        for (value, want) in [
            (0.0, "0"),
            (0.0123, "0.0123"),
            (0.5, "0.5"),
            (9.996, "10"),
            (12.34, "12.3"),
            (999.4, "999"),
            (999.6, "1k"),
            (75_544.0, "75.5k"),
            (1_234_567.0, "1.23M"),
            (2e9, "2G"),
        ] {
            assert_eq!(short(value), want);
        }
    }
}
