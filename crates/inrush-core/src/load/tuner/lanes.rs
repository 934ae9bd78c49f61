//! How many lanes are worth it. The tuner tries one more lane and keeps it if the rate grew by at least 5 %, then tries another.
//! Otherwise it measures the rate again without it, because the rate falls by itself as a table outgrows its caches: measured on
//! both sides, one more may be worth it after all. After a pause it tries one more again if that had gained something, else one
//! less, which is kept if the rate did not fall. This repeats, with pauses that become longer.
//!
//! Removing a lane nearly always costs throughput, so it is tried second, and only if enough work is left to recover the loss.

use super::Ack;
use super::gain::{Gain, mean};
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
    next_trial: NextTrial,
    /// What one more lost when it was last tried. Each lane gains less than the one before, so removing one gains no more than
    /// that.
    lost: f64,
    /// Bytes that are still to be read, if that is known.
    left: Option<u64>,
}

/// What is tried next.
#[derive(Clone, Copy, Debug)]
enum NextTrial {
    OneMore,
    OneLess,
}

impl NextTrial {
    fn other(self) -> Self {
        match self {
            NextTrial::OneMore => NextTrial::OneLess,
            NextTrial::OneLess => NextTrial::OneMore,
        }
    }
}

#[derive(Debug)]
enum Phase {
    /// Measuring the rate with the current lanes: bytes a second, window by window.
    Measure(Vec<f64>),
    /// Measuring the rate with one more or less.
    Probe { from: usize, base: Vec<f64>, rates: Vec<f64> },
    /// One more seemed to gain nothing: measuring again without it, because the rate may have fallen by itself meanwhile.
    Review { probed: usize, before: Vec<f64>, with: Vec<f64>, after: Vec<f64> },
    /// Enough was tried for now.
    Rest { until: Duration },
}

impl LaneTuner {
    /// Begins with `lanes`.
    pub fn new(lanes: usize, min: usize, max: usize) -> Self {
        let window = Window::new(Duration::ZERO);
        let phase = Phase::Measure(Vec::new());
        Self { lanes, min, max, window, phase, rest: FIRST_REST, next_trial: NextTrial::OneMore, lost: 0.0, left: None }
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
        matches!(self.phase, Phase::Probe { .. } | Phase::Review { .. })
    }

    /// What was measured is no longer valid.
    pub(super) fn start_over(&mut self, now: Duration) {
        if let Phase::Measure(rates) = &mut self.phase {
            rates.clear();
            self.window = Window::new(now + SETTLE);
        }
    }

    /// Sets a new maximum.
    pub(super) fn no_more_than(&mut self, most: usize, now: Duration) {
        self.max = most.max(1);
        self.min = self.min.min(self.max);
        let is_undone = matches!(self.phase, Phase::Review { probed, .. } if probed > self.max);
        if self.lanes > self.max || is_undone {
            self.lanes = self.lanes.min(self.max);
            self.measure(now);
        }
    }

    /// Learns from a chunk. If the number of lanes changes: what it was, and why.
    pub(super) fn on_ack(&mut self, ack: &Ack) -> Option<(usize, String)> {
        if self.min == self.max {
            return None;
        }
        self.left = ack.left;
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
                let wanted = if grew { WORTH_MORE } else { -WORTH_LESS };
                if gain.is_open(wanted, grew, rates.len()) {
                    return None;
                }
                let (from, rates) = (*from, std::mem::take(rates));
                self.decide(from, rates, gain, gain.share >= wanted, measured.idle, ack.at)
            }
            Phase::Review { probed, before, with, after } => {
                after.push(measured.rate);
                if after.len() < WINDOWS {
                    return None;
                }
                // As many windows from before as from after: then a rate that falls evenly counts for neither.
                let last = &before[before.len().saturating_sub(after.len())..];
                let (probed, gain) = (*probed, Gain::of(&[last, &after[..]].concat(), with));
                self.review(probed, gain, ack.at)
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
        self.decide(from, seen, gain, false, measured.idle, now)
    }

    /// Tries one more or one less lane, according to `next_trial`, if that is worth a try; otherwise pauses. `kept` is the reason why
    /// the current lanes stay.
    fn try_next(&mut self, base: Vec<f64>, idle: f64, kept: Option<String>, now: Duration) -> Option<(usize, String)> {
        let from = self.lanes;
        let (to, why) = match self.next_trial {
            // Lanes that wait for rows would wait with one more.
            NextTrial::OneMore if from < self.max && idle < STARVED => (from + 1, "to see whether one more is faster"),
            NextTrial::OneLess if from > self.min && self.lasts(mean(&base)) => {
                (from - 1, "to see whether one less is as fast")
            }
            next_trial => {
                self.rest(next_trial.other(), now);
                return kept.map(|kept| (from, kept));
            }
        };
        self.lanes = to;
        self.window = Window::new(now + SETTLE);
        self.phase = Phase::Probe { from, base, rates: Vec::new() };
        Some((from, kept.map_or_else(|| why.into(), |kept| format!("{kept}; {why}"))))
    }

    fn decide(
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
        match std::mem::replace(&mut self.phase, Phase::Measure(Vec::new())) {
            Phase::Probe { base, .. } if probed > from => {
                self.window = Window::new(now + SETTLE);
                self.phase = Phase::Review { probed, before: base, with: rates, after: Vec::new() };
            }
            _ => self.rest(NextTrial::OneMore, now),
        }
        Some((probed, told))
    }

    /// Judges a try of one more again, by the rates before and after it.
    fn review(&mut self, probed: usize, gain: Gain, now: Duration) -> Option<(usize, String)> {
        if gain.share < WORTH_MORE {
            self.lost = -gain.share;
            // Where one more gains as much as one less may lose, one less would lose more.
            self.rest(if gain.share >= WORTH_LESS { NextTrial::OneMore } else { NextTrial::OneLess }, now);
            return None;
        }
        let from = std::mem::replace(&mut self.lanes, probed);
        self.measure(now);
        Some((from, format!("the rate fell without it too: it was {:+.1} % after all", gain.share * 100.0)))
    }

    /// Whether enough work is left at this rate to repay a try of one less, if it gains as much as it can.
    fn lasts(&self, rate: f64) -> bool {
        self.left.is_none_or(|left| left as f64 / rate * self.lost.max(WORTH_LESS) >= COST_OF_A_TRY.as_secs_f64())
    }

    /// Pauses: enough was tried in this direction.
    fn rest(&mut self, next: NextTrial, now: Duration) {
        self.next_trial = next;
        self.phase = Phase::Rest { until: now + self.rest };
        self.rest = (self.rest * 2).min(LAST_REST);
    }

    fn measure(&mut self, now: Duration) {
        self.window = Window::new(now + SETTLE);
        self.phase = Phase::Measure(Vec::new());
    }
}

impl Gain {
    /// Whether another window is worth its time, after so many.
    fn is_open(&self, wanted: f64, grew: bool, windows: usize) -> bool {
        let is_clear = self.is_far_below(wanted, grew) || (grew && self.share - self.error > wanted);
        match windows {
            n if n < WINDOWS => !is_clear,
            // It costs nothing to measure for longer, and noise hides a gain as large as the wanted one.
            n if grew && (0.0..wanted).contains(&self.share) => n < MOST_FREE_WINDOWS,
            n => n < MOST_WINDOWS && self.is_near(wanted) && (grew || self.share >= wanted),
        }
    }

    /// Whether the share is too close to `wanted` to be distinguished from it.
    fn is_near(&self, wanted: f64) -> bool {
        (self.share - wanted).abs() < self.error
    }

    /// Whether the result is so bad that more windows would only cost more. A try of one less needs a smaller margin: if the
    /// result is wrong, a lane too many is kept, which costs the load nothing.
    fn is_far_below(&self, wanted: f64, grew: bool) -> bool {
        self.share + if grew { 2.0 } else { 1.0 } * self.error < wanted
    }

    fn told(&self, grew: bool) -> String {
        let percent = self.share * 100.0;
        match grew {
            true => format!("one more changed the rate by {percent:+.1} %, {:.0} % is worth it", WORTH_MORE * 100.0),
            false => format!("one less changed the rate by {percent:+.1} %"),
        }
    }
}

/// What one more lane must gain to be kept.
const WORTH_MORE: f64 = 0.05;

/// What one less may lose.
const WORTH_LESS: f64 = 0.03;

/// The cost of a try of one less that loses something, as nearly all do: some seconds at down to half the rate.
const COST_OF_A_TRY: Duration = Duration::from_secs(3);

/// The loss that is certain where a part of a window is enough to give up.
const HOPELESS: f64 = 0.1;

/// How many windows are measured before and after, and how many at the most if they leave a doubt, or if they cost nothing besides.
const WINDOWS: usize = 2;
const MOST_WINDOWS: usize = 4;
const MOST_FREE_WINDOWS: usize = 8;

/// A change takes this long to show: a lane connects, the chunks of before end.
const SETTLE: Duration = Duration::from_millis(500);

/// The share of their time that lanes wait for rows from which on more of them gain nothing.
const STARVED: f64 = 0.25;

const FIRST_REST: Duration = Duration::from_secs(20);
const LAST_REST: Duration = Duration::from_secs(300);
