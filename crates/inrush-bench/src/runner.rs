//! Rounds of subjects in a new order each: what makes a whole round slow makes all of them slow. Pure: what a case does, what time it is
//! and where records go is handed in.

use crate::dataset::Dice;
use crate::results::{Case, End, Record, Sample};
use crate::stats::Summary;
use inrush::sans_io::{Error, Kind, Result};
use std::time::Duration;

/// When it is enough.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effort {
    /// Rounds that count, at least.
    pub least_rounds: u32,
    /// Rounds that count, at most.
    pub most_rounds: u32,
    /// Each case is run until its median is known as well as this (half its 95 % interval, as a share of it).
    pub precision: f64,
    /// Once each case was run, none begins after so long.
    pub budget: Duration,
    /// Each case is run once before the rounds that count.
    pub warm_up: bool,
}

impl Effort {
    /// A warm-up and three rounds.
    pub const QUICK: Effort =
        Effort { least_rounds: 3, most_rounds: 3, precision: 0.0, budget: Duration::MAX, warm_up: true };

    /// Rounds until the medians are known within 2 %, or half an hour is over. Eight at least: fewer do not distinguish two runs of many cases
    /// apart.
    pub const FULL: Effort = Effort {
        least_rounds: 8,
        most_rounds: 100,
        precision: 0.02,
        budget: Duration::from_secs(30 * 60),
        warm_up: true,
    };

    /// Each case once, for those that go on for long and show what each second came to.
    pub const ONCE: Effort = Effort { least_rounds: 1, most_rounds: 1, warm_up: false, ..Effort::QUICK };
}

/// Why a case came to no good end, and what it had measured until then.
#[derive(Debug)]
pub struct Broken {
    /// Why.
    pub error: Error,
    /// Kept like any other.
    pub sample: Option<Box<Sample>>,
}

impl From<Error> for Broken {
    fn from(error: Error) -> Self {
        Self { error, sample: None }
    }
}

/// Runs all cases once as a warm-up and then in rounds, and hands every record on as soon as it is known. A case whose warm-up was cut
/// is not run again: its rounds would be cut as well.
///
/// `run` runs a case in a round; `elapsed` returns the time since the start.
///
/// # Errors
/// Those of `run` and of `tell`; an `end` record with the reason is written before.
pub fn run(
    cases: &[Case],
    effort: Effort,
    seed: u64,
    mut run: impl FnMut(usize, u32) -> Result<Sample, Broken>,
    elapsed: impl Fn() -> Duration,
    mut tell: impl FnMut(Record) -> Result<()>,
) -> Result<()> {
    for case in cases {
        tell(Record::Case(case.clone()))?;
    }
    let mut dice = Dice::new(seed);
    let mut seconds = vec![Vec::new(); cases.len()];
    let mut wanted: Vec<usize> = (0..cases.len()).collect();
    'rounds: for round in u32::from(!effort.warm_up)..=effort.most_rounds {
        dice.shuffle(&mut wanted);
        for at in wanted.clone() {
            if round > 1 && elapsed() >= effort.budget {
                break 'rounds;
            }
            let sample = match run(at, round) {
                Ok(sample) => sample,
                Err(Broken { error, sample }) => {
                    if let Some(sample) = sample {
                        tell(Record::Sample(*sample))?;
                    }
                    let reason = format!("{}, round {round}: {error}", cases[at].id);
                    tell(Record::End(End { complete: false, reason: Some(reason) }))?;
                    let while_doing = format!("case `{}`", cases[at].id);
                    return Err(if error.kind() == Kind::Interrupted {
                        error
                    } else {
                        error.while_doing(&while_doing)
                    });
                }
            };
            match sample.cut {
                true => wanted.retain(|other| *other != at),
                false if round > 0 => seconds[at].push(sample.seconds),
                false => {}
            }
            tell(Record::Sample(sample))?;
        }
        if round >= effort.least_rounds {
            wanted.retain(|at| !is_known(&seconds[*at], effort.precision));
        }
        if wanted.is_empty() {
            break;
        }
    }
    tell(Record::End(End { complete: true, reason: None }))
}

fn is_known(seconds: &[f64], precision: f64) -> bool {
    Summary::of(seconds).and_then(|summary| summary.uncertainty()).is_some_and(|uncertainty| uncertainty <= precision)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::{Role, Unit};
    use inrush::sans_io::Error;
    use std::cell::{Cell, RefCell};
    use std::collections::BTreeMap;

    fn case(id: &str) -> Case {
        Case {
            id: id.into(),
            subject: id.into(),
            with: BTreeMap::new(),
            group: String::new(),
            rows: 10,
            unit: Unit::Rows,
            role: Role::Subject,
        }
    }

    /// Cases `a`, `b` and `c`, whose seconds `took` tells; the rounds that each was run in, and how it ended.
    fn rounds(effort: Effort, took: impl Fn(usize, u32) -> Result<(f64, bool)>) -> (Vec<Vec<u32>>, Vec<Record>, bool) {
        let cases = ["a", "b", "c"].map(case);
        let (ran, told) = (RefCell::new(vec![Vec::new(); 3]), RefCell::new(Vec::new()));
        let clock = Cell::new(Duration::ZERO);
        let run_one = |at: usize, round: u32| {
            ran.borrow_mut()[at].push(round);
            let (seconds, cut) = took(at, round)?;
            clock.set(clock.get() + Duration::from_secs_f64(seconds));
            Ok(Sample { case: cases[at].id.clone(), round, seconds, rows: 10, cut, ..Sample::default() })
        };
        let done = run(
            &cases,
            effort,
            1,
            run_one,
            || clock.get(),
            |record| {
                told.borrow_mut().push(record);
                Ok(())
            },
        );
        (ran.into_inner(), told.into_inner(), done.is_ok())
    }

    #[test]
    fn a_quick_run_is_a_warm_up_and_three_rounds() {
        let (ran, told, ok) = rounds(Effort::QUICK, |_, _| Ok((1.0, false)));
        assert_eq!(ran, vec![vec![0, 1, 2, 3]; 3]);
        assert_eq!((told.len(), ok), (3 + 12 + 1, true));
        assert_eq!(told.last(), Some(&Record::End(End { complete: true, reason: None })));
    }

    #[test]
    fn once_is_once() {
        let (ran, told, _) = rounds(Effort::ONCE, |_, _| Ok((1.0, false)));
        assert_eq!((ran, told.len()), (vec![vec![1]; 3], 3 + 3 + 1));
    }

    /// Each case once, and then none that would begin too late: not even the rest of a round.
    #[test]
    fn a_budget_ends_a_round_in_its_middle() {
        let effort = Effort { budget: Duration::from_secs(8), ..Effort::QUICK };
        let (ran, told, ok) = rounds(effort, |_, _| Ok((1.0, false)));
        assert_eq!((ran.iter().map(Vec::len).sum::<usize>(), ok), (8, true));
        assert!(ran.iter().all(|rounds| rounds.starts_with(&[0, 1])), "{ran:?}");
        assert_eq!(told.last(), Some(&Record::End(End { complete: true, reason: None })));
        let (ran, ..) = rounds(Effort { budget: Duration::ZERO, ..Effort::QUICK }, |_, _| Ok((1.0, false)));
        assert_eq!(ran, vec![vec![0, 1]; 3]);
    }

    #[test]
    fn what_a_broken_case_measured_is_kept() {
        let mut told = Vec::new();
        let broken = |_, round| {
            let sample = Some(Box::new(Sample { case: "a".into(), round, cut: true, ..Sample::default() }));
            Err(Broken { error: Error::new(Kind::Io, "gone"), sample })
        };
        let tell = |record| {
            told.push(record);
            Ok(())
        };
        let error = run(&[case("a")], Effort::ONCE, 1, broken, || Duration::ZERO, tell).unwrap_err();
        assert_eq!(error.to_string(), "case `a`: gone");
        assert!(matches!(&told[1..], [Record::Sample(sample), Record::End(end)] if sample.cut && !end.complete));
    }

    #[test]
    fn the_order_changes() {
        let (_, told, _) =
            rounds(Effort { least_rounds: 20, most_rounds: 20, ..Effort::QUICK }, |_, _| Ok((1.0, false)));
        let first = |round: u32| {
            told.iter().find_map(|record| match record {
                Record::Sample(sample) if sample.round == round => Some(sample.case.clone()),
                _ => None,
            })
        };
        let firsts: std::collections::BTreeSet<_> = (0..20).map(first).collect();
        assert_eq!(firsts.len(), 3);
    }

    #[test]
    fn what_is_known_well_is_run_no_more() {
        // `a` is always the same, `b` varies by half.
        let (ran, _, _) =
            rounds(Effort::FULL, |at, round| Ok((if at == 1 { 1.0 + f64::from(round % 4) / 4.0 } else { 1.0 }, false)));
        assert_eq!(ran[0].last(), Some(&8));
        assert!(ran[1].last() > Some(&20), "{ran:?}");
    }

    #[test]
    fn a_case_that_was_cut_is_not_run_again() {
        let (ran, told, ok) = rounds(Effort::QUICK, |at, _| Ok((1.0, at == 2)));
        assert_eq!((&ran[0][..], &ran[2][..], ok), (&[0, 1, 2, 3][..], &[0][..], true));
        assert!(told.iter().any(|record| matches!(record, Record::Sample(sample) if sample.cut)));
    }

    #[test]
    fn the_budget_ends_it_between_rounds() {
        let effort = Effort { budget: Duration::from_secs(8), ..Effort::FULL };
        let (ran, _, ok) = rounds(effort, |_, round| Ok((1.0 + f64::from(round % 3), false)));
        assert_eq!((ran[0].len(), ran[1].len(), ok), (2, 2, true));
    }

    #[test]
    fn an_error_ends_it_and_is_kept() {
        let fail = |at: usize, round: u32| match (at, round) {
            (1, 2) => Err(Error::new(Kind::Server, "the server has gone away")),
            _ => Ok((1.0, false)),
        };
        let (ran, told, ok) = rounds(Effort::QUICK, fail);
        assert!(!ok && ran[1] == [0, 1, 2]);
        let reason = Some("b, round 2: the server has gone away".to_owned());
        assert_eq!(told.last(), Some(&Record::End(End { complete: false, reason })));
    }
}
