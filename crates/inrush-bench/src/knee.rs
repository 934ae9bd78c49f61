//! How a rate goes with a number that was varied: where it comes near its peak (the knee), where the peak is, and from where on more of it
//! hurts. Pure.

use crate::axes::{self, Axis};
use crate::results::Results;
use crate::table::{self, Line, grouped};
use std::collections::BTreeSet;

/// The shape of one line: indexes in it, counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KneeShape {
    /// The first that reaches [`NEAR`] of the peak.
    pub knee: usize,
    /// The highest.
    pub peak: usize,
    /// The first after the peak that does not reach [`NEAR`] of it.
    pub hurts: Option<usize>,
}

impl KneeShape {
    /// The shape of rates in the order of the varied setting; `None` without rates.
    pub fn of(rates: &[f64]) -> Option<Self> {
        let highest = rates.iter().copied().reduce(f64::max)?;
        let is_near = |rate: &f64| *rate >= NEAR * highest;
        let peak = rates.iter().position(|rate| *rate >= highest)?;
        let hurts = rates[peak..].iter().position(|rate| !is_near(rate)).map(|behind| peak + behind);
        Some(Self { knee: rates.iter().position(is_near)?, peak, hurts })
    }
}

/// A sentence for each line of a results file along each of its axes, and one for the best of all.
pub fn sentences(results: &Results) -> Vec<String> {
    let lines = table::lines(results);
    let axes = axes::of(results);
    let mut sentences = Vec::new();
    for axis in &axes {
        let groups: Vec<String> = lines.iter().map(|line| axes::rest(results, line.case, &[&axis.name])).collect();
        let mut seen = BTreeSet::new();
        for group in groups.iter().filter(|group| seen.insert(group.as_str())) {
            let members: Vec<&Line<'_>> =
                lines.iter().zip(&groups).filter(|(_, other)| *other == group).map(|(line, _)| line).collect();
            sentences.extend(sentence(axis, group, &members));
        }
    }
    sentences.extend(best(results, &lines).filter(|_| !axes.is_empty()));
    sentences
}

/// The sentence for lines that differ only in the axis.
fn sentence(axis: &Axis, group: &str, lines: &[&Line<'_>]) -> Option<String> {
    let at = |value: &str| {
        let line = lines.iter().find(|line| line.case.with.get(&axis.name).is_some_and(|text| text == value))?;
        Some((line.median_rate()?, line.case.unit.name()))
    };
    let values = axis.values.iter().map(String::as_str);
    let points: Vec<(&str, f64, &str)> =
        values.filter_map(|value| at(value).map(|(rate, unit)| (value, rate, unit))).collect();
    let name = &axis.name;
    let head = if group.is_empty() { name.clone() } else { format!("{name} ({group})") };
    if let [(less, rate, _), (more, other, _)] = points[..] {
        return Some(format!("{head}: {more} instead of {less} is {:.2} times as fast.", other / rate));
    }
    let shape =
        KneeShape::of(&points.iter().map(|(_, rate, _)| *rate).collect::<Vec<_>>()).filter(|_| points.len() > 2)?;
    let value = |place: usize| points[place].0;
    let (_, rate, unit) = points[shape.peak];
    let mut text = format!("{head}: the peak is at {}, {} {unit}/s", value(shape.peak), grouped(rate, 0));
    if shape.knee < shape.peak {
        text += &format!("; 90 % of it from {} on", value(shape.knee));
    }
    text += &match shape.hurts {
        Some(hurts) => format!("; more hurts from {} on ({:.0} %)", value(hurts), points[hurts].1 / rate * 100.0),
        None if shape.peak + 1 == points.len() => "; more was not tried".to_owned(),
        None => "; more does not hurt".to_owned(),
    };
    Some(text + ".")
}

/// The highest rate, and the modest case that comes near it.
fn best(results: &Results, lines: &[Line<'_>]) -> Option<String> {
    let rated: Vec<(&Line<'_>, f64)> = lines.iter().filter_map(|line| Some((line, line.median_rate()?))).collect();
    let (best, rate) = rated.iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
    let name = |line: &Line<'_>| axes::rest(results, line.case, &[]);
    let mut text = format!("Fastest: {}, {} {}/s", name(best), grouped(*rate, 0), best.case.unit.name());
    // The cases are in the order of the options: few before many.
    let near = rated.iter().find(|(line, other)| *other >= NEAR * rate && line.case.id != best.case.id);
    if let Some((line, other)) = near {
        text += &format!("; {} comes to {:.0} % of it", name(line), other / rate * 100.0);
    }
    Some(text + ".")
}

/// The share of the peak that is near enough.
pub const NEAR: f64 = 0.9;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::axes::tests::grid;

    #[track_caller]
    fn check(rates: &[f64], knee: usize, peak: usize, hurts: Option<usize>) {
        assert_eq!(KneeShape::of(rates), Some(KneeShape { knee, peak, hurts }));
    }

    #[test]
    fn rises_and_falls() {
        check(&[10.0, 50.0, 91.0, 100.0, 92.0, 60.0, 95.0], 2, 3, Some(5));
    }
    #[test]
    fn only_rises() {
        check(&[10.0, 50.0, 100.0], 2, 2, None);
    }
    #[test]
    fn only_falls() {
        check(&[100.0, 95.0, 50.0], 0, 0, Some(2));
    }
    #[test]
    fn stays_at_its_peak() {
        check(&[50.0, 100.0, 99.0, 91.0], 1, 1, None);
    }
    #[test]
    fn one_of_two_equals_is_the_first() {
        check(&[100.0, 100.0], 0, 0, None);
    }
    #[test]
    fn nothing_has_no_shape() {
        assert_eq!(KneeShape::of(&[]), None);
    }

    #[test]
    fn a_sentence_a_line() {
        let cells = [(1, 1, 10.0), (10, 1, 95.0), (100, 1, 100.0), (1000, 1, 50.0), (1, 2, 20.0), (10, 2, 120.0)];
        let want = [
            "connections (rows 1): 2 instead of 1 is 2.00 times as fast.",
            "connections (rows 10): 2 instead of 1 is 1.26 times as fast.",
            "rows (connections 1): the peak is at 100, 100 rows/s; 90 % of it from 10 on; more hurts from 1000 on (50 %).",
            "rows (connections 2): 10 instead of 1 is 6.00 times as fast.",
            "Fastest: connections 2, rows 10, 120 rows/s.",
        ];
        assert_eq!(sentences(&grid(&cells)), want);
    }

    #[test]
    fn what_does_not_hurt_is_told() {
        let up = grid(&[(1, 1, 10.0), (10, 1, 20.0), (100, 1, 30.0)]);
        assert!(
            sentences(&up)[0].ends_with("the peak is at 100, 30 rows/s; more was not tried."),
            "{:?}",
            sentences(&up)
        );
        let flat = grid(&[(1, 1, 100.0), (10, 1, 99.0), (100, 1, 98.0)]);
        let want = [
            "rows: the peak is at 1, 100 rows/s; more does not hurt.",
            "Fastest: rows 1, 100 rows/s; rows 10 comes to 99 % of it.",
        ];
        assert_eq!(sentences(&flat), want);
        assert_eq!(sentences(&grid(&[(1, 1, 100.0)])), [""; 0]);
    }
}
