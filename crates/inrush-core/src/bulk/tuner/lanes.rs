//! How many lanes are worth it: one more is tried, and kept if the rate grew by at least 5 %, then another; after a rest one less is
//! tried, and kept if the rate did not fall; so on in turns, with rests that become longer.
//!
//! One less comes second because it nearly always costs something, and a load of a minute has no time to earn that back.

use super::Ack;
use super::window::Window;
use std::time::Duration;

/// The machine that chooses the number of lanes.
#[derive(Debug)]
pub struct LaneTuner {
    lanes: usize,
    min: usize,
    max: usize,
    window: Window,
    phase: Phase,
    rest: Duration,
    turn: Turn,
}

/// What is tried next.
#[derive(Clone, Copy, Debug)]
enum Turn {
    OneMore,
    OneLess,
}

#[derive(Debug)]
enum Phase {
    /// Measuring how fast it is with the lanes that there are: bytes a second, window by window.
    Measure(Vec<f64>),
    /// Measuring how fast it is with one more or less.
    Probe { from: usize, base: Vec<f64>, rates: Vec<f64> },
    /// Enough was tried for now.
    Rest { until: Duration },
}

impl LaneTuner {
    /// Begins with `lanes`.
    pub fn new(lanes: usize, min: usize, max: usize) -> Self {
        let window = Window::new(Duration::ZERO);
        let phase = Phase::Measure(Vec::new());
        Self { lanes, min, max, window, phase, rest: FIRST_REST, turn: Turn::OneMore }
    }

    /// How many lanes are to be used.
    pub fn lanes(&self) -> usize {
        self.lanes
    }

    /// How many lanes there are but for one that is only tried.
    pub fn settled(&self) -> usize {
        match self.phase {
            Phase::Probe { from, .. } => from,
            _ => self.lanes,
        }
    }

    /// Whether two numbers of lanes are being compared.
    pub(super) fn is_probing(&self) -> bool {
        matches!(self.phase, Phase::Probe { .. })
    }

    /// What was measured holds no longer.
    pub(super) fn start_over(&mut self, now: Duration) {
        if let Phase::Measure(rates) = &mut self.phase {
            rates.clear();
            self.window = Window::new(now + SETTLE);
        }
    }

    /// There will not be more than this many.
    pub(super) fn no_more_than(&mut self, most: usize, now: Duration) {
        self.max = most.max(1);
        self.min = self.min.min(self.max);
        if self.lanes > self.max {
            self.lanes = self.max;
            self.measure(now);
        }
    }

    /// Learns from a chunk. If the number of lanes changes: what it was, and why.
    pub(super) fn on_ack(&mut self, ack: &Ack) -> Option<(usize, String)> {
        if self.min == self.max {
            return None;
        }
        if let Phase::Rest { until } = self.phase {
            if ack.at >= until {
                self.measure(ack.at);
            }
            return None;
        }
        self.window.add(ack);
        if !self.window.is_full(ack.at, self.lanes) {
            return self.give_up_early(ack.at);
        }
        let measured = self.window.measured();
        self.window = self.window.next(ack.at);
        match &mut self.phase {
            Phase::Measure(rates) => {
                rates.push(measured.rate);
                if rates.len() < WINDOWS {
                    return None;
                }
                let base = std::mem::take(rates);
                self.try_next(base, measured.idle, None, ack.at)
            }
            Phase::Probe { from, base, rates } => {
                rates.push(measured.rate);
                let gain = Gain::of(base, rates);
                let grew = self.lanes > *from;
                // What noise may do alone is no gain.
                let wanted = if grew { WORTH_MORE.max(gain.error) } else { -WORTH_LESS };
                let goes_on = match rates.len() {
                    n if n < WINDOWS => !gain.is_far_below(wanted, grew),
                    n => n < MOST_WINDOWS && gain.is_near(wanted) && (grew || gain.share >= wanted),
                };
                if goes_on {
                    return None;
                }
                let (from, rates) = (*from, std::mem::take(rates));
                self.judge(from, rates, gain, gain.share >= wanted, measured.idle, ack.at)
            }
            Phase::Rest { .. } => None,
        }
    }

    /// Ends a try that is far worse than before without waiting for a whole window: where chunks take long, that is a good part of a
    /// minute at half the rate.
    fn give_up_early(&mut self, now: Duration) -> Option<(usize, String)> {
        let Phase::Probe { from, base, rates } = &self.phase else { return None };
        if !self.window.hints(now, self.lanes) {
            return None;
        }
        let measured = self.window.measured();
        let seen: Vec<f64> = rates.iter().copied().chain([measured.rate]).collect();
        let gain = Gain::of(base, &seen);
        let from = *from;
        if !gain.is_far_below(-HOPELESS, self.lanes > from) {
            return None;
        }
        self.judge(from, seen, gain, false, measured.idle, now)
    }

    /// Tries one more or one less, whichever it is the turn of, if that is worth a try; else rests. `kept` is why the lanes that there are
    /// stay.
    fn try_next(&mut self, base: Vec<f64>, idle: f64, kept: Option<String>, now: Duration) -> Option<(usize, String)> {
        let from = self.lanes;
        let (to, why) = match self.turn {
            // Lanes that wait for rows would wait with one more.
            Turn::OneMore if from < self.max && idle < STARVED => (from + 1, "to see whether one more is faster"),
            Turn::OneLess if from > self.min => (from - 1, "to see whether one less is as fast"),
            _ => {
                self.rest(now);
                return kept.map(|kept| (from, kept));
            }
        };
        self.lanes = to;
        self.window = Window::new(now + SETTLE);
        self.phase = Phase::Probe { from, base, rates: Vec::new() };
        Some((from, kept.map_or_else(|| why.into(), |kept| format!("{kept}; {why}"))))
    }

    fn judge(
        &mut self,
        from: usize,
        rates: Vec<f64>,
        gain: Gain,
        is_kept: bool,
        idle: f64,
        now: Duration,
    ) -> Option<(usize, String)> {
        let (probed, told) = (self.lanes, gain.told(self.lanes > from));
        if is_kept {
            return self.try_next(rates, idle, Some(told), now);
        }
        self.lanes = from;
        self.rest(now);
        Some((probed, told))
    }

    /// Enough was tried this way.
    fn rest(&mut self, now: Duration) {
        self.turn = match self.turn {
            Turn::OneMore => Turn::OneLess,
            Turn::OneLess => Turn::OneMore,
        };
        self.phase = Phase::Rest { until: now + self.rest };
        self.rest = (self.rest * 2).min(LAST_REST);
    }

    fn measure(&mut self, now: Duration) {
        self.window = Window::new(now + SETTLE);
        self.phase = Phase::Measure(Vec::new());
    }
}

/// How much faster it became.
#[derive(Clone, Copy, Debug)]
struct Gain {
    share: f64,
    /// By how much it may be wrong.
    error: f64,
}

impl Gain {
    fn of(base: &[f64], rates: &[f64]) -> Self {
        let (before, after) = (mean(base), mean(rates));
        let noise = LEAST_NOISE.max(spread(base, before)).max(spread(rates, after));
        let error = noise * (1.0 / base.len() as f64 + 1.0 / rates.len() as f64).sqrt();
        Self { share: after / before.max(f64::MIN_POSITIVE) - 1.0, error }
    }

    /// Too near to what is wanted to be told from it.
    fn is_near(&self, wanted: f64) -> bool {
        (self.share - wanted).abs() < self.error
    }

    /// So bad that looking on would only cost more. Of one less that is soon believed: if it is an error, a lane too many is kept, which
    /// costs the load nothing.
    fn is_far_below(&self, wanted: f64, grew: bool) -> bool {
        self.share + if grew { 2.0 } else { 1.0 } * self.error < wanted
    }

    fn told(&self, grew: bool) -> String {
        let percent = self.share * 100.0;
        match grew {
            // More than is asked for, and still no proof.
            true if self.share >= WORTH_MORE && self.share < self.error => {
                format!("one more changed the rate by {percent:+.1} %, which its noise may do alone")
            }
            true => format!("one more changed the rate by {percent:+.1} %, {:.0} % is worth it", WORTH_MORE * 100.0),
            false => format!("one less changed the rate by {percent:+.1} %"),
        }
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// The standard deviation, as a share of the mean.
fn spread(values: &[f64], mean: f64) -> f64 {
    let squares: f64 = values.iter().map(|value| (value / mean.max(f64::MIN_POSITIVE) - 1.0).powi(2)).sum();
    (squares / (values.len().max(2) - 1) as f64).sqrt()
}

/// What one more lane must gain to be kept.
const WORTH_MORE: f64 = 0.05;

/// What one less may lose.
const WORTH_LESS: f64 = 0.03;

/// What is lost for sure where a part of a window is enough to give up.
const HOPELESS: f64 = 0.1;

/// How many windows are measured before and after, and how many at the most if they leave a doubt.
const WINDOWS: usize = 2;
const MOST_WINDOWS: usize = 4;

/// Two windows that agree by chance do not make the rate certain.
const LEAST_NOISE: f64 = 0.02;

/// A change takes this long to show: a lane connects, the chunks of before end.
const SETTLE: Duration = Duration::from_millis(500);

/// The share of their time that lanes wait for rows from which on more of them gain nothing.
const STARVED: f64 = 0.25;

const FIRST_REST: Duration = Duration::from_secs(30);
const LAST_REST: Duration = Duration::from_secs(240);
