//! Rounds of subjects, each in a new order: a disturbance that slows a whole round slows all subjects. Pure: callbacks run a case, return
//! the time and take the records.

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
    /// Once each case was run, none begins after so long. A warm-up that leaves no time for a round is the first round.
    pub budget: Duration,
    /// Each case is run once before the rounds that count.
    pub warm_up: bool,
}

impl Effort {
    /// A warm-up and three rounds, within ten minutes.
    pub const QUICK: Effort =
        Effort { least_rounds: 3, most_rounds: 3, precision: 0.0, budget: Duration::from_secs(10 * 60), warm_up: true };

    /// Rounds until the medians are known within 2 %, or half an hour is over. Eight at least: fewer do not distinguish two runs of many cases
    /// apart.
    pub const FULL: Effort = Effort {
        least_rounds: 8,
        most_rounds: 100,
        precision: 0.02,
        budget: Duration::from_secs(30 * 60),
        warm_up: true,
    };

    /// Each case once, for cases that run for long and show the result of each second.
    pub const ONCE: Effort = Effort { least_rounds: 1, most_rounds: 1, warm_up: false, ..Effort::QUICK };
}

/// Why a case failed, and what it had measured until then.
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

/// Runs all cases once as a warm-up and then in rounds, and passes every record on as soon as it is known. A case whose warm-up was cut
/// is not run again: its rounds would be cut as well.
///
/// `run` runs a case in a round; `elapsed` returns the time since the start.
///
/// # Errors
/// The errors of both callbacks that return a result; an `end` record with the reason is written before.
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
    let mut seconds = vec![Vec::<f64>::new(); cases.len()];
    let mut warm_ups: Vec<(usize, Sample)> = Vec::new();
    let prepared = elapsed();
    let mut is_over = false;
    let mut wanted: Vec<usize> = (0..cases.len()).collect();
    'rounds: for round in u32::from(!effort.warm_up)..=effort.most_rounds {
        if round == 1 && effort.warm_up && has_no_time(elapsed(), prepared, effort.budget) {
            for (at, sample) in std::mem::take(&mut warm_ups) {
                let sample = Sample { round, ..sample };
                seconds[at].push(sample.seconds);
                tell(Record::Sample(sample))?;
            }
            continue;
        }
        dice.shuffle(&mut wanted);
        for at in wanted.clone() {
            if round > 1 && elapsed() >= effort.budget {
                is_over = round <= effort.least_rounds;
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
                false => warm_ups.push((at, sample.clone())),
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
    let reason = is_over.then(|| format!("the time of {} s was over", effort.budget.as_secs()));
    tell(Record::End(End { complete: true, reason }))
}

/// Whether a round that takes as long as the warm-up did would not end within the budget.
fn has_no_time(now: Duration, prepared: Duration, budget: Duration) -> bool {
    now.saturating_add(now.saturating_sub(prepared)) > budget
}

/// The time that a stage may take: an equal part of the time left, so that a slow stage leaves time for the others.
pub fn part_of(budget: Duration, elapsed: Duration, stages_left: u32) -> Duration {
    budget.saturating_sub(elapsed) / stages_left.max(1)
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

    /// Runs cases `a`, `b` and `c`; `took` returns their seconds. Returns the rounds of each case, the records, and whether the run
    /// succeeded.
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
        let reason = Some("the time of 8 s was over".to_owned());
        assert_eq!(told.last(), Some(&Record::End(End { complete: true, reason })));
    }

    /// There is no time for a round after the warm-up, so the warm-up is the only round, and it counts.
    #[test]
    fn a_slow_warm_up_is_the_first_round() {
        for (seconds, n_run) in [(0, 3), (3, 3), (5, 5)] {
            let effort = Effort { budget: Duration::from_secs(seconds), ..Effort::QUICK };
            let (ran, told, ok) = rounds(effort, |_, _| Ok((1.0, false)));
            assert_eq!((ran.iter().map(Vec::len).sum::<usize>(), ok), (n_run, true));
            assert!(ran.iter().all(|rounds| matches!(rounds[..], [0] | [0, 2])), "{ran:?}");
            let counted = told.iter().filter(|record| matches!(record, Record::Sample(sample) if sample.round == 1));
            assert_eq!(counted.count(), 3);
            let reason = Some(format!("the time of {} s was over", effort.budget.as_secs()));
            assert_eq!(told.last(), Some(&Record::End(End { complete: true, reason })));
        }
        // A case that was cut is shown as cut, and does not count as a round.
        let effort = Effort { budget: Duration::from_secs(3), ..Effort::QUICK };
        let (_, told, _) = rounds(effort, |at, _| Ok((1.0, at == 1)));
        let rounds_of_b = told.iter().filter_map(|record| match record {
            Record::Sample(sample) if sample.case == "b" => Some(sample.round),
            _ => None,
        });
        assert_eq!(rounds_of_b.collect::<Vec<_>>(), [0]);
    }

    /// Three stages, on a machine that is some times as slow: the time is kept, and each case is run.
    #[test]
    fn a_tour_keeps_its_time_on_a_slow_machine() {
        let budget = Duration::from_secs(150);
        let tour = |slow: f64| {
            let clock = Cell::new(Duration::ZERO);
            let mut counted = Vec::new();
            for (stages_left, (n, seconds)) in [(3, (20, 0.4)), (2, (9, 0.5)), (1, (24, 0.3))] {
                let cases: Vec<Case> = (0..n).map(|i| case(&i.to_string())).collect();
                let began = clock.get();
                let effort = Effort { budget: part_of(budget, began, stages_left), ..Effort::QUICK };
                let mut n_counted = 0;
                let run_one = |at: usize, round: u32| {
                    clock.set(clock.get() + Duration::from_secs_f64(seconds * slow));
                    Ok(Sample { case: at.to_string(), round, seconds, rows: 1, ..Sample::default() })
                };
                let tell = |record| {
                    n_counted += usize::from(matches!(record, Record::Sample(sample) if sample.round == 1));
                    Ok(())
                };
                run(&cases, effort, 1, run_one, || clock.get() - began, tell).unwrap();
                counted.push(n_counted);
            }
            assert_eq!(counted, [20, 9, 24], "{slow} times as slow");
            clock.get()
        };
        assert_eq!(tour(1.0).as_secs(), 78, "a warm-up and three rounds");
        for slow in [2.0, 4.0, 6.0] {
            let took = tour(slow);
            assert!(took <= budget + Duration::from_secs(6), "{took:?}, {slow} times as slow");
        }
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
