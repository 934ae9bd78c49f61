//! What the race says: the options to copy, how much faster they are than none, and what the next best costs. Pure.

use super::Options;
use super::race::{Arm, Outcome};
use crate::stats::{Interval, Ratio, Summary, Verdict};

/// What to do.
#[derive(Clone, Debug, PartialEq)]
pub struct Advice<C> {
    /// The options: none if the defaults are as good, or may be.
    pub candidate: C,
    /// The fastest finalist.
    pub fastest: C,
    /// How sure that is.
    pub certainty: Certainty,
    /// How many times as long the defaults took as the fastest finalist.
    pub gain: Ratio,
    /// Rows a second with these options.
    pub rate: Rate,
    /// The next best finalist, and how many times as long it took.
    pub next: Option<(C, Ratio)>,
}

/// Rows a second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rate {
    /// The median.
    pub median: f64,
    /// The 95 % interval of the median.
    pub interval: Option<Interval>,
}

/// What may be said about the fastest finalist and the defaults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Certainty {
    /// The options are faster: the whole interval says so.
    Faster,
    /// The defaults are as fast, or so nearly that options are not worth it.
    DefaultsAreEnough,
    /// The machine was too noisy or the time too short: the options may be faster, and the interval has 1 in it, or there is none.
    Undecided,
}

impl Certainty {
    /// Its name in reports for programs.
    pub fn name(self) -> &'static str {
        match self {
            Certainty::Faster => "faster",
            Certainty::DefaultsAreEnough => "defaults-are-enough",
            Certainty::Undecided => "undecided",
        }
    }
}

/// Draws the conclusion. `rows` is the number of rows of the sample. `None` without a final.
pub fn of<C: Options>(outcome: &Outcome<C>, rows: u64) -> Option<Advice<C>> {
    let defaults = outcome.finalists.iter().find(|arm| arm.candidate == C::DEFAULT)?;
    let mut ranked: Vec<&Arm<C>> = outcome.finalists.iter().collect();
    ranked.sort_by(|a, b| a.median().total_cmp(&b.median()));
    let fastest = *ranked.first()?;
    let gain = ratio(defaults, fastest)?;
    let certainty = match gain.verdict() {
        _ if gain.interval.is_none() => Certainty::Undecided,
        _ if fastest.candidate == C::DEFAULT || gain.times < WORTH_IT => Certainty::DefaultsAreEnough,
        Verdict::More => Certainty::Faster,
        Verdict::Less | Verdict::NoDifference => Certainty::Undecided,
    };
    let chosen = if certainty == Certainty::Faster { fastest } else { defaults };
    let next = ranked.iter().find(|arm| arm.candidate != chosen.candidate);
    Some(Advice {
        candidate: chosen.candidate,
        fastest: fastest.candidate,
        certainty,
        gain,
        rate: rate(chosen, rows)?,
        next: next.and_then(|arm| Some((arm.candidate, ratio(arm, chosen)?))),
    })
}

/// Whether nothing is decided because there were too few turns for an interval.
pub fn lacks_turns<C>(advice: &Advice<C>) -> bool {
    advice.certainty == Certainty::Undecided && advice.gain.interval.is_none()
}

/// How many times as long the one took as the other, turn by turn.
fn ratio<C>(one: &Arm<C>, other: &Arm<C>) -> Option<Ratio> {
    let pairs: Vec<(f64, f64)> = one.seconds.iter().copied().zip(other.seconds.iter().copied()).collect();
    Ratio::of_pairs(&pairs)
}

fn rate<C>(arm: &Arm<C>, rows: u64) -> Option<Rate> {
    let seconds = Summary::of(&arm.seconds)?;
    let per_second = |seconds: f64| rows as f64 / seconds;
    Some(Rate {
        median: per_second(seconds.median),
        interval: seconds.interval.map(|at| Interval { low: per_second(at.high), high: per_second(at.low) }),
    })
}

/// Less than three in a hundred is not worth an option that somebody has to remember.
const WORTH_IT: f64 = 1.03;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tune::Candidate;
    use inrush::Method;

    fn arm(lanes: Option<usize>, seconds: &[f64]) -> Arm<Candidate> {
        let method = lanes.map(|_| Method::LoadData);
        Arm { candidate: Candidate { method, lanes, ..Candidate::DEFAULT }, seconds: seconds.to_vec() }
    }

    fn advice(finalists: &[Arm<Candidate>]) -> Advice<Candidate> {
        let none = (Vec::new(), Vec::new(), Vec::new());
        let outcome = Outcome { finalists: finalists.to_vec(), dropped: none.0, refused: none.1, not_measured: none.2 };
        of(&outcome, 1000).unwrap()
    }

    #[test]
    fn options_that_are_faster_each_time() {
        let defaults = arm(None, &[2.0, 2.2, 2.1, 2.0, 2.3, 2.1]);
        let two = arm(Some(2), &[1.0, 1.1, 1.0, 1.0, 1.1, 1.0]);
        let four = arm(Some(4), &[1.2, 1.2, 1.2, 1.2, 1.2, 1.2]);
        let advice = advice(&[defaults, two.clone(), four.clone()]);
        assert_eq!((advice.candidate, advice.certainty), (two.candidate, Certainty::Faster));
        assert!((advice.gain.times - 2.05).abs() < 0.1 && advice.rate.median == 1000.0, "{advice:?}");
        let (next, times) = advice.next.unwrap();
        assert!(next == four.candidate && times.times > 1.1, "{times:?}");
    }

    #[test]
    fn defaults_that_are_as_fast() {
        let defaults = arm(None, &[1.0, 1.0, 1.0, 1.0, 1.0, 1.0]);
        for other in [0.98, 1.0, 1.5] {
            let advice = advice(&[defaults.clone(), arm(Some(2), &[other; 6])]);
            assert_eq!((advice.candidate, advice.certainty), (Candidate::DEFAULT, Certainty::DefaultsAreEnough));
        }
    }

    #[test]
    fn too_few_turns_decide_nothing() {
        let defaults = arm(None, &[2.0; 5]);
        for other in [1.0, 2.0, 4.0] {
            let advice = advice(&[defaults.clone(), arm(Some(2), &[other; 5])]);
            assert_eq!((advice.candidate, advice.certainty), (Candidate::DEFAULT, Certainty::Undecided));
            assert!(lacks_turns(&advice));
        }
        assert_eq!(advice(&[arm(None, &[2.0])]).certainty, Certainty::Undecided);
    }

    #[test]
    fn noise_is_said() {
        let defaults = arm(None, &[1.0, 2.0, 1.0, 2.0, 1.0, 2.0]);
        let advice = advice(&[defaults, arm(Some(2), &[1.9, 1.0, 0.7, 1.0, 1.2, 1.0])]);
        assert_eq!((advice.certainty, advice.candidate), (Certainty::Undecided, Candidate::DEFAULT), "{advice:?}");
        assert!(!lacks_turns(&advice));
        assert_eq!(advice.fastest.lanes, Some(2));
    }
}
