//! Groups cases into pictures, and names each case in its picture: the name omits what all of them have in common. Pure.

use super::scale::short;
use crate::results::Case;
use crate::table::Line;
use std::collections::BTreeMap;

/// The settings that distinguish some cases.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Names<'r> {
    /// Whether they are about more than one subject.
    pub(super) subjects: bool,
    /// The settings that are not the same for all, except those that the picture shows in another way, such as on an axis.
    pub(super) settings: Vec<&'r str>,
}

/// Some cases, and what they have in common.
#[derive(Debug)]
pub(super) struct Part<'a, 'r> {
    pub(super) title: String,
    pub(super) lines: Vec<&'a Line<'r>>,
}

/// A setting whose values are numbers.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Axis<'r> {
    pub(super) name: &'r str,
    /// Ascending, each once.
    pub(super) values: Vec<f64>,
}

impl<'r> Names<'r> {
    pub(super) fn of(lines: &[&Line<'r>], without: &[&str]) -> Self {
        let subjects = lines.windows(2).any(|pair| pair[0].case.subject != pair[1].case.subject);
        let settings = values(lines).into_iter().filter(|(name, values)| values.len() > 1 && !without.contains(name));
        let mut settings: Vec<&str> = settings.map(|(name, _)| name).collect();
        let mut named: Vec<&str> = lines.iter().map(|line| line.case.subject.as_str()).collect();
        named.sort_unstable();
        named.dedup();
        if subjects && named.len() == together(lines, without).len() {
            // The subject is enough.
            settings.clear();
        }
        Self { subjects, settings }
    }

    /// `multi-row, once, 4 connections`.
    pub(super) fn label(&self, case: &Case) -> String {
        let mut words: Vec<String> = self.subjects.then(|| case.subject.clone()).into_iter().collect();
        words.extend(self.settings.iter().filter_map(|name| Some(setting(name, case.with.get(*name)?))));
        if words.is_empty() { case.subject.clone() } else { words.join(", ") }
    }
}

/// `once`; `4 connections`.
pub(super) fn setting(name: &str, value: &str) -> String {
    match value.parse::<f64>() {
        Ok(_) => format!("{} {value}", shown(name)),
        Err(_) => value.to_owned(),
    }
}

/// `statement rows`.
pub(super) fn shown(name: &str) -> String {
    name.replace(['_', '-'], " ")
}

/// The settings of some cases, with each value that they have; a case that has none of that name has the empty one.
fn values<'r>(lines: &[&Line<'r>]) -> BTreeMap<&'r str, Vec<&'r str>> {
    let mut all: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for name in lines.iter().flat_map(|line| line.case.with.keys()) {
        all.entry(name).or_default();
    }
    for (name, values) in &mut all {
        for line in lines {
            let value = line.case.with.get(*name).map_or("", String::as_str);
            if !values.contains(&value) {
                values.push(value);
            }
        }
    }
    all
}

/// The settings whose values are numbers, two at least.
pub(super) fn axes<'r>(lines: &[&Line<'r>]) -> Vec<Axis<'r>> {
    let axis = |(name, texts): (&'r str, Vec<&'r str>)| {
        let mut values: Vec<f64> = texts.iter().filter_map(|text| text.parse().ok()).collect();
        let is_all = values.len() == texts.len() && values.iter().all(|value| value.is_finite());
        values.sort_by(f64::total_cmp);
        values.dedup();
        (is_all && values.len() > 1).then_some(Axis { name, values })
    };
    values(lines).into_iter().filter_map(axis).collect()
}

/// The place of a case on an axis.
pub(super) fn place(case: &Case, axis: &str) -> Option<f64> {
    case.with.get(axis)?.parse().ok().filter(|value: &f64| value.is_finite())
}

/// The key of a picture's line: it has all cases that differ only in the settings `without`.
pub(super) fn key<'a>(case: &'a Case, without: &[&str]) -> Vec<&'a str> {
    let settings = case.with.iter().filter(|(name, _)| !without.contains(&name.as_str()));
    std::iter::once(case.subject.as_str()).chain(settings.flat_map(|(name, value)| [name.as_str(), value])).collect()
}

/// Cases of one [`key`] together, in the order in which they come first.
pub(super) fn together<'a, 'r>(lines: &[&'a Line<'r>], without: &[&str]) -> Vec<Vec<&'a Line<'r>>> {
    let mut groups: Vec<(Vec<&str>, Vec<&Line<'r>>)> = Vec::new();
    for line in lines {
        let key = key(line.case, without);
        match groups.iter_mut().find(|(other, _)| *other == key) {
            Some((_, group)) => group.push(line),
            None => groups.push((key, vec![line])),
        }
    }
    groups.into_iter().map(|(_, group)| group).collect()
}

/// Those of one group together: they are compared with each other.
pub(super) fn by_group<'a, 'r>(lines: &'a [Line<'r>]) -> Vec<Part<'a, 'r>> {
    let mut parts: Vec<Part<'_, '_>> = Vec::new();
    for line in lines {
        match parts.iter_mut().find(|part| part.title == line.case.group) {
            Some(part) => part.lines.push(line),
            None => parts.push(Part { title: line.case.group.clone(), lines: vec![line] }),
        }
    }
    parts
}

/// Cases that are alone in their groups, put together by the value of a setting that most of them have, until none is left.
pub(super) fn by_common_setting<'a, 'r>(parts: Vec<Part<'a, 'r>>) -> Vec<Part<'a, 'r>> {
    let mut left: Vec<&Line<'r>> = parts.iter().flat_map(|part| &part.lines).copied().collect();
    if parts.iter().any(|part| part.lines.len() > 1) || left.len() < 3 {
        return parts;
    }
    let mut together = Vec::new();
    while !left.is_empty() {
        let settings =
            values(&left).into_iter().flat_map(|(name, values)| values.into_iter().map(move |value| (name, value)));
        let has = |line: &Line<'r>, (name, value): (&str, &str)| line.case.with.get(name).is_some_and(|of| of == value);
        let n = |setting| left.iter().filter(|line| has(line, setting)).count();
        // The first of those that are equally frequent.
        let Some(most) = settings.rev().max_by_key(|setting| n(*setting)).filter(|most| n(*most) > 1) else {
            together.push(Part { title: String::new(), lines: left });
            break;
        };
        let (with, others): (Vec<_>, Vec<_>) = left.into_iter().partition(|line| has(line, most));
        let title = if together.is_empty() && others.is_empty() { String::new() } else { setting(most.0, most.1) };
        together.push(Part { title, lines: with });
        left = others;
    }
    together
}

/// Parts of at most `most` lines of a picture each: by the setting (or the subject) with the fewest values, as long as there is one.
pub(super) fn split<'a, 'r>(part: Part<'a, 'r>, without: &[&str], most: usize) -> Vec<Part<'a, 'r>> {
    if together(&part.lines, without).len() <= most {
        return vec![part];
    }
    let mut by = values(&part.lines);
    by.retain(|name, values| values.len() > 1 && !without.contains(name));
    // Words part better than numbers, which may be the axis of something.
    let is_number = |values: &[&str]| values.iter().all(|value| value.parse::<f64>().is_ok());
    let Some((name, texts)) = by.into_iter().min_by_key(|(_, values)| (is_number(values), values.len())) else {
        let series = together(&part.lines, without);
        let n = series.len().div_ceil(most);
        let chunk = |(i, chunk): (usize, &[Vec<&'a Line<'r>>])| Part {
            title: titled(&part.title, &format!("{} of {n}", i + 1)),
            lines: chunk.concat(),
        };
        return series.chunks(series.len().div_ceil(n)).enumerate().map(chunk).collect();
    };
    let of_value = |text: &&str| Part {
        title: titled(&part.title, &setting(name, text)),
        lines: part
            .lines
            .iter()
            .filter(|line| line.case.with.get(name).map_or("", String::as_str) == *text)
            .copied()
            .collect(),
    };
    texts.iter().map(of_value).flat_map(|part| split(part, without, most)).collect()
}

fn titled(title: &str, more: &str) -> String {
    if title.is_empty() { more.to_owned() } else { format!("{title}, {more}") }
}

/// A number on an axis: as in the file if that is short.
pub(super) fn number(value: f64) -> String {
    if value.abs() < 1e5 { format!("{value}") } else { short(value) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::tests::results;
    use crate::results::{Results, Role};
    use crate::table;

    /// A case for each of `subject|name=value|..`.
    fn cases(texts: &[&str]) -> Results {
        let mut results = results(&[]);
        for text in texts {
            let mut parts = text.split('|');
            let mut case = crate::results::tests::case(parts.next().unwrap());
            case.role = Role::Subject;
            case.with = parts.filter_map(|part| part.split_once('=')).map(|(a, b)| (a.into(), b.into())).collect();
            case.id = (*text).into();
            results.cases.push(case);
        }
        results
    }

    #[track_caller]
    fn check_labels(texts: &[&str], want: &[&str]) {
        let results = cases(texts);
        let lines = table::lines(&results);
        let lines: Vec<_> = lines.iter().collect();
        let names = Names::of(&lines, &[]);
        assert_eq!(lines.iter().map(|line| names.label(line.case)).collect::<Vec<_>>(), want);
    }

    #[test]
    fn what_is_common_is_not_said() {
        check_labels(&["row|commits=once", "load|commits=once"], &["row", "load"]);
        check_labels(&["row|commits=once|n=1", "row|commits=each|n=1"], &["once", "each"]);
        check_labels(
            &["a|client_n=1", "b|client_n=1", "b|client_n=2"],
            &["a, client n 1", "b, client n 1", "b, client n 2"],
        );
        check_labels(&["a|n=1", "b|n=2"], &["a", "b"]);
        check_labels(&["a|n=1"], &["a"]);
    }

    #[test]
    fn axes_are_numbers_only() {
        let results = cases(&["a|n=10|m=x|o=1|p=1", "a|n=2|m=1|o=1", "a|n=2|m=1|o=1|p=2"]);
        let lines = table::lines(&results);
        let axes = axes(&lines.iter().collect::<Vec<_>>());
        assert_eq!(axes, [Axis { name: "n", values: vec![2.0, 10.0] }]);
    }

    #[test]
    fn large_parts_are_split_by_words_first() {
        let texts: Vec<String> =
            (0..6).flat_map(|n| ["each", "once"].map(|word| format!("a|commits={word}|n={n}"))).collect();
        let results = cases(&texts.iter().map(String::as_str).collect::<Vec<_>>());
        let lines = table::lines(&results);
        let part = || Part { title: "t".into(), lines: lines.iter().collect() };
        let titles = |parts: Vec<Part<'_, '_>>| parts.into_iter().map(|part| part.title).collect::<Vec<_>>();
        assert_eq!(titles(split(part(), &[], 12)), ["t"]);
        assert_eq!(titles(split(part(), &[], 6)), ["t, each", "t, once"]);
        assert_eq!(titles(split(part(), &["n"], 6)), ["t"]);
        let subjects = cases(&["a", "b", "c"]);
        let lines = table::lines(&subjects);
        let part = Part { title: String::new(), lines: lines.iter().collect() };
        assert_eq!(titles(split(part, &[], 2)), ["1 of 2", "2 of 2"]);
    }
}
