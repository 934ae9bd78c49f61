//! What cases differ in: the names of `with` whose values are all numbers are axes. Pure.

use crate::results::{Case, Results};
use std::collections::BTreeSet;

/// Something that was tried with several numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Axis {
    /// As `with` calls it.
    pub name: String,
    /// The numbers as `with` has them, ascending; two at least.
    pub values: Vec<String>,
}

/// The axes, in the order of their names.
pub fn of(results: &Results) -> Vec<Axis> {
    let names: BTreeSet<&String> = results.cases.iter().flat_map(|case| case.with.keys()).collect();
    names.into_iter().filter_map(|name| axis(results, name)).collect()
}

fn axis(results: &Results, name: &str) -> Option<Axis> {
    let texts: BTreeSet<&String> = results.cases.iter().filter_map(|case| case.with.get(name)).collect();
    let numbers: Option<Vec<(f64, &String)>> = texts
        .into_iter()
        .map(|text| Some((text.parse().ok().filter(|number: &f64| number.is_finite())?, text)))
        .collect();
    let mut numbers = numbers.filter(|numbers| numbers.len() > 1)?;
    numbers.sort_by(|a, b| a.0.total_cmp(&b.0));
    Some(Axis { name: name.into(), values: numbers.into_iter().map(|(_, text)| text.clone()).collect() })
}

/// Describes how a case differs from the others, apart from the axes `but`, as `subject, name value, ..`. Names and values that are the
/// same in all cases are left out.
pub(crate) fn rest(results: &Results, case: &Case, but: &[&str]) -> String {
    let differs = |name: &str| results.cases.iter().any(|other| other.with.get(name) != case.with.get(name));
    let subject = results.cases.iter().any(|other| other.subject != case.subject).then(|| case.subject.clone());
    let with = case.with.iter().filter(|(name, _)| !but.contains(&name.as_str()) && differs(name));
    let with = with.map(|(name, value)| format!("{name} {value}"));
    subject.into_iter().chain(with).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::results::tests::results;

    /// Cases with two axes, `rows` and `connections`, and their rates.
    pub(crate) fn grid(cells: &[(u64, u64, f64)]) -> Results {
        let names: Vec<String> = (0..cells.len()).map(|i| i.to_string()).collect();
        let seconds: Vec<(&str, f64)> =
            names.iter().zip(cells).map(|(name, (_, _, rate))| (name.as_str(), 100.0 / rate)).collect();
        let mut results = results(&seconds);
        for sample in &mut results.samples {
            sample.seconds = seconds.iter().find(|(name, _)| *name == sample.case).unwrap().1;
        }
        for (case, (rows, connections, _)) in results.cases.iter_mut().zip(cells) {
            case.subject = "multi-row".into();
            let with = [("rows", rows.to_string()), ("connections", connections.to_string()), ("columns", "4".into())];
            case.with = with.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        }
        results
    }

    #[test]
    fn numbers_that_differ_are_an_axis() {
        let results = grid(&[(100, 1, 1.0), (20, 1, 1.0), (3, 2, 1.0)]);
        let axes: Vec<_> = of(&results).into_iter().map(|axis| (axis.name, axis.values.join(" "))).collect();
        assert_eq!(axes, [("connections".into(), "1 2".into()), ("rows".into(), "3 20 100".into())]);
        assert_eq!(rest(&results, &results.cases[0], &["rows"]), "connections 1");
    }

    #[test]
    fn words_are_none() {
        let mut results = grid(&[(100, 1, 1.0), (20, 2, 1.0)]);
        for case in &mut results.cases {
            case.with.insert("rows".into(), format!("{} rows", case.id));
        }
        assert_eq!(of(&results).len(), 1);
    }
}
