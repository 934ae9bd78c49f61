//! How long single things took, every one of them counted: an HDR histogram of three digits, kept whole, so that any percentile can be
//! computed later and those of several runs can be merged. Pure.

use hdrhistogram::Histogram;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::time::Duration;

/// Durations from a nanosecond to an hour; a longer one counts as an hour.
#[derive(Clone, Debug, PartialEq)]
pub struct Latencies(Histogram<u64>);

impl Latencies {
    /// An empty histogram.
    pub fn new() -> Self {
        let bounds = Histogram::new_with_bounds(1, LONGEST, DIGITS);
        // These bounds are good ones.
        Self(bounds.unwrap_or_else(|_| unreachable!()))
    }

    /// Counts one.
    pub fn record(&mut self, took: Duration) {
        self.0.saturating_record(u64::try_from(took.as_nanos()).unwrap_or(LONGEST).clamp(1, LONGEST));
    }

    /// Counts those of another as well.
    pub fn merge(&mut self, other: &Self) {
        // Both have the same bounds.
        let _ = self.0.add(&other.0);
    }

    /// How many there are.
    pub fn count(&self) -> u64 {
        self.0.len()
    }

    /// What so large a share of them did not exceed, 0.99 for instance; zero of none.
    pub fn quantile(&self, share: f64) -> Duration {
        Duration::from_nanos(self.0.value_at_quantile(share))
    }

    /// Their mean.
    pub fn mean(&self) -> Duration {
        Duration::from_nanos(self.0.mean() as u64)
    }

    /// The longest.
    pub fn max(&self) -> Duration {
        Duration::from_nanos(self.0.max())
    }

    /// Each duration that came up, ascending, and how often.
    pub fn counts(&self) -> impl Iterator<Item = (Duration, u64)> {
        self.0.iter_recorded().map(|step| (Duration::from_nanos(step.value_iterated_to()), step.count_at_value()))
    }
}

impl Default for Latencies {
    fn default() -> Self {
        Self::new()
    }
}

/// `{"ns": [[value, count], ..]}`, ascending.
#[derive(Serialize, Deserialize)]
struct Written {
    ns: Vec<(u64, u64)>,
}

impl Serialize for Latencies {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let ns = self.counts().map(|(took, count)| (took.as_nanos() as u64, count)).collect();
        Written { ns }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Latencies {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut latencies = Self::new();
        for (value, count) in Written::deserialize(deserializer)?.ns {
            if value == 0 || value > 2 * LONGEST {
                return Err(D::Error::custom(format!("{value} ns is no latency")));
            }
            latencies.0.saturating_record_n(value.min(LONGEST), count);
        }
        Ok(latencies)
    }
}

/// Nanoseconds.
const LONGEST: u64 = 3_600_000_000_000;

/// Two neighbours differ by less than a thousandth.
const DIGITS: u8 = 3;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let mut latencies = Latencies::new();
        for micros in (0..2000).map(|i| i * i) {
            latencies.record(Duration::from_micros(micros));
        }
        latencies.record(Duration::from_secs(100_000));
        let text = serde_json::to_string(&latencies).unwrap();
        assert_eq!(serde_json::from_str::<Latencies>(&text).unwrap(), latencies);
        assert!(serde_json::from_str::<Latencies>(r#"{"ns": [[0, 1]]}"#).is_err());
    }

    #[test]
    fn percentiles_are_those_of_all() {
        let (mut all, mut half) = (Latencies::new(), Latencies::new());
        (1..=500).for_each(|micros| all.record(Duration::from_micros(micros)));
        (501..=1000).for_each(|micros| half.record(Duration::from_micros(micros)));
        all.merge(&half);
        let is_near = |a: Duration, micros: f64| (a.as_secs_f64() * 1e6 / micros - 1.0).abs() < 0.002;
        assert_eq!(all.count(), 1000);
        assert!(is_near(all.quantile(0.5), 500.0) && is_near(all.quantile(0.99), 990.0), "{all:?}");
        assert!(is_near(all.max(), 1000.0) && is_near(all.mean(), 500.5));
        assert_eq!(Latencies::new().quantile(0.5), Duration::ZERO);
    }
}
