//! Whether the machine did something else while it measured: then the numbers say that, and no advice is drawn from them. Pure.
//!
//! Two signs: other programs had a good part of the processors just before the run, and rounds of the same case had very different rates.
//! The load average is named, and decides nothing: it remembers the run before.

use crate::results::Results;
use std::collections::BTreeMap;

/// What was seen of a busy machine; `None` for a quiet one.
pub fn of(results: &Results) -> Option<String> {
    let machine = &results.run.machine;
    let others = machine.busy.filter(|share| *share >= MOST_BUSY).map(|share| {
        let load = machine.load_average.map_or_else(String::new, |load| format!(", load average {load:.1}"));
        format!(
            "other programs used {:.0} % of its {} processors before the run began{load}",
            share * 100.0,
            machine.cores
        )
    });
    let spread = spread(results).filter(|spread| *spread >= MOST_SPREAD);
    let spread = spread.map(|spread| {
        format!("the slowest round of a case took {spread:.1} times as long a row as the fastest (median of the cases)")
    });
    let signs: Vec<String> = others.into_iter().chain(spread).collect();
    (!signs.is_empty()).then(|| signs.join("; "))
}

/// The sentence in place of advice.
pub fn withheld(why: &str) -> String {
    format!("The machine was busy, so these numbers give no advice: {why}. Measure again when nothing else runs.")
}

/// Returns the verdicts, or for a busy machine a sentence that withholds them: its numbers would depend on the other programs.
pub fn or_withheld(results: &Results, verdicts: Vec<String>) -> Vec<String> {
    match of(results) {
        Some(why) => vec![withheld(&why)],
        None => verdicts,
    }
}

/// The slowest round over the fastest, the median of all cases with several rounds. It compares the time for a row, since some cases run
/// for a fixed time, with any number of rows.
fn spread(results: &Results) -> Option<f64> {
    let mut rounds = BTreeMap::<&str, Vec<f64>>::new();
    for sample in results.samples.iter().filter(|sample| sample.round > 0 && !sample.cut && sample.seconds > 0.0) {
        rounds.entry(&sample.case).or_default().push(sample.seconds / sample.rows.max(1) as f64);
    }
    let of_case = |seconds: &Vec<f64>| {
        let (least, most) = seconds.iter().fold((f64::MAX, 0.0_f64), |(a, b), s| (a.min(*s), b.max(*s)));
        (seconds.len() >= LEAST_ROUNDS).then_some(most / least)
    };
    let mut spreads: Vec<f64> = rounds.values().filter_map(of_case).collect();
    spreads.sort_by(f64::total_cmp);
    spreads.get(spreads.len() / 2).copied()
}

/// A quarter of the processors for others.
const MOST_BUSY: f64 = 0.25;

/// On a quiet machine rounds agree within a tenth, or a third where a case takes some milliseconds.
const MOST_SPREAD: f64 = 2.0;

/// Two rounds may differ by chance.
const LEAST_ROUNDS: usize = 3;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::tests::results;
    use crate::results::{Results, Sample};

    fn rounds(cases: &[&[f64]]) -> Results {
        let mut all = results(&[("a", 1.0)]);
        let of = |(n, seconds): (usize, &&[f64])| {
            let sample = move |(round, seconds): (usize, &f64)| Sample {
                case: format!("case {n}"),
                round: round as u32 + 1,
                seconds: *seconds,
                ..Sample::default()
            };
            seconds.iter().enumerate().map(sample).collect::<Vec<_>>()
        };
        all.samples = cases.iter().enumerate().flat_map(of).collect();
        all
    }

    #[test]
    fn verdicts_of_a_busy_machine_are_withheld() {
        let verdicts = || vec!["rows a statement: the peak is at 1000.".to_owned()];
        assert_eq!(or_withheld(&rounds(&[&[1.0, 1.1, 0.9]]), verdicts()), verdicts());
        let told = or_withheld(&rounds(&[&[1.0, 3.1, 0.9]]), verdicts());
        assert!(
            told.len() == 1 && told[0].starts_with("The machine was busy, so these numbers give no advice"),
            "{told:?}"
        );
    }
    /// Cases that run for a second, whose rows differ.
    #[test]
    fn rounds_that_run_for_a_time() {
        let of_rows = |rows: [u64; 3]| {
            let mut results = rounds(&[&[1.0, 1.0, 1.0]]);
            results.samples.iter_mut().zip(rows).for_each(|(sample, rows)| sample.rows = rows);
            of(&results)
        };
        assert_eq!(of_rows([1000, 1100, 900]), None);
        assert!(of_rows([1000, 300, 900]).is_some());
    }
    #[test]
    fn rounds_that_agree() {
        assert_eq!(of(&rounds(&[&[1.0, 1.1, 0.9], &[2.0, 2.5, 2.1]])), None);
        // One case of three, and a case with two rounds.
        assert_eq!(of(&rounds(&[&[1.0, 1.1, 0.9], &[2.0, 2.5, 2.1], &[1.0, 9.0, 1.0], &[1.0, 9.0]])), None);
        assert_eq!(of(&rounds(&[])), None);
    }
    #[test]
    fn rounds_that_do_not() {
        let why = of(&rounds(&[&[1.0, 3.0, 1.0], &[1.0, 2.5, 1.0], &[1.0, 1.0, 1.0]])).unwrap();
        assert_eq!(
            why,
            "the slowest round of a case took 2.5 times as long a row as the fastest (median of the cases)"
        );
        assert!(withheld(&why).starts_with("The machine was busy, so these numbers give no advice: the slowest"));
    }
    #[test]
    fn a_machine_that_others_use() {
        let mut results = rounds(&[]);
        (results.run.machine.busy, results.run.machine.load_average) = (Some(0.9), Some(14.25));
        assert_eq!(
            of(&results).unwrap(),
            "other programs used 90 % of its 2 processors before the run began, load average 14.2"
        );
        results.run.machine.busy = Some(0.1);
        assert_eq!(of(&results), None);
    }
}
