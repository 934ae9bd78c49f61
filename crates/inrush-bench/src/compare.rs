//! Compares two runs, case by case: the ratio of times, and whether it is significant. Pure.
//!
//! The cases that the server runs by itself are the control: if they changed, the machine caused it, and a case counts as faster or
//! slower only by a change beyond theirs.

use crate::results::{Case, Results, Role, Run};
use crate::stats::{Interval, Ratio, Verdict};
use crate::wrap::wrapped;
use inrush::sans_io::{Error, Kind, Result};

/// One case that both runs have.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// Its id.
    pub case: String,
    /// Seconds a row after over seconds a row before.
    pub ratio: Ratio,
    /// How far the server's own speed may have changed between the runs. `None` if it is not in both runs, or if this is that case.
    pub control: Option<Interval>,
    /// It is something that the server does by itself.
    pub is_limit: bool,
}

impl Change {
    /// Whether the program surely takes longer by more than this share.
    pub fn is_slower_than(&self, share: f64) -> bool {
        let control = self.control.map_or(1.0, |control| control.high.max(1.0));
        !self.is_limit && self.ratio.interval.is_some_and(|interval| interval.low > (1.0 + share) * control)
    }

    /// The conclusion.
    pub fn word(&self) -> &'static str {
        let least = self.control.map_or(1.0, |control| control.low.min(1.0));
        match self.ratio.verdict() {
            Verdict::Less if self.is_limit => "the server by itself was faster",
            Verdict::More if self.is_limit => "the server by itself was slower",
            Verdict::Less if self.ratio.interval.is_some_and(|interval| interval.high < least) => "faster",
            Verdict::More if self.is_slower_than(0.0) => "slower",
            Verdict::Less | Verdict::More => "no difference: so did the server by itself",
            Verdict::NoDifference if self.ratio.interval.is_none() => "undecided: too few rounds",
            Verdict::NoDifference if self.ratio.interval.is_some_and(is_wide) => {
                "undecided: the rounds differ too much, take more"
            }
            Verdict::NoDifference => "no difference",
        }
    }
}

/// Whether a difference worth talking about may hide in it.
fn is_wide(Interval { low, high }: Interval) -> bool {
    low < 1.0 - WORTH_KNOWING || high > 1.0 + WORTH_KNOWING
}

/// 5 %: what repeated runs differ by on a machine with other work.
const WORTH_KNOWING: f64 = 0.05;

/// Every case of both, in the order of the first.
///
/// # Errors
/// `Data` for runs that have no case in common.
pub fn changes(before: &Results, after: &Results) -> Result<Vec<Change>> {
    let costs =
        |results: &Results, case: &str| results.costs(case).into_iter().map(|(_, cost)| cost).collect::<Vec<_>>();
    let both: Vec<(&Case, Vec<f64>, Vec<f64>)> = before
        .cases
        .iter()
        .map(|case| (case, costs(before, &case.id), costs(after, &case.id)))
        .filter(|(_, before, after)| !before.is_empty() && !after.is_empty())
        .collect();
    let ratios: Vec<(&Case, Ratio)> = both
        .iter()
        .filter_map(|(case, before, after)| Some((*case, Ratio::of_runs(after, before, both.len())?)))
        .collect();
    let control = |of: &Case| {
        let limits = ratios.iter().filter(|(case, _)| case.role == Role::Limit && case.group == of.group);
        let hull = |a: Interval, b: Interval| Interval { low: a.low.min(b.low), high: a.high.max(b.high) };
        limits.filter_map(|(_, ratio)| ratio.interval).reduce(hull)
    };
    let change = |(case, ratio): &(&Case, Ratio)| {
        let is_limit = case.role == Role::Limit;
        let control = if is_limit { None } else { control(case) };
        Change { case: case.id.clone(), ratio: *ratio, control, is_limit }
    };
    let changes: Vec<Change> = ratios.iter().map(change).collect();
    if changes.is_empty() {
        return Err(Error::data(format!(
            "the two runs have no case in common that both came to: `{}` and `{}`",
            before.run.experiment, after.run.experiment
        )));
    }
    Ok(changes)
}

/// Refuses runs of different servers, or of different machines: they would compare the servers, not the programs.
///
/// # Errors
/// `Guarantee`.
pub fn same_place(before: &Results, after: &Results) -> Result<()> {
    let (a, b) = (&before.run, &after.run);
    let cpu = |run: &Run| run.machine.cpu.clone().unwrap_or_else(|| "unknown".into());
    let mut lines = Lines::default();
    lines.compare("the server", &a.server.version, &b.server.version);
    lines.compare("the transport", &a.server.transport, &b.server.transport);
    lines.compare("the processor", &cpu(a), &cpu(b));
    lines.compare("the number of cores", &a.machine.cores.to_string(), &b.machine.cores.to_string());
    if lines.0.is_empty() {
        return Ok(());
    }
    let message = format!("the two runs are not of the same place: {}", lines.0.join("; "));
    Err(Error::new(Kind::Guarantee, message).with_hint("`--anyway` compares them anyway"))
}

/// The other differences between the runs, a line each.
pub fn differences(before: &Results, after: &Results) -> Vec<String> {
    let (a, b) = (&before.run, &after.run);
    let mut lines = Lines::default();
    lines.compare("the seed", &a.seed.to_string(), &b.seed.to_string());
    for (name, value) in &a.server.settings {
        lines.compare(name, value, b.server.settings.get(name).map_or("unset", String::as_str));
    }
    for (name, value) in &a.options {
        lines.compare(&format!("`--{name}`"), value, b.options.get(name).map_or("not given", String::as_str));
    }
    lines.0
}

/// The differences found.
#[derive(Default)]
struct Lines(Vec<String>);

impl Lines {
    fn compare(&mut self, what: &str, a: &str, b: &str) {
        if a != b {
            self.0.push(format!("{what} was `{a}`, then `{b}`"));
        }
    }
}

/// A line a case, under a head, of at most `width` columns where that is possible; what does not fit is in notes below.
pub fn render(changes: &[Change], width: usize) -> String {
    let ratio = |change: &Change| format!("{:.3}", change.ratio.times);
    let interval = |change: &Change| match change.ratio.interval {
        Some(Interval { low, high }) => format!("{low:.3} to {high:.3}"),
        None => "too few rounds".into(),
    };
    let rows = |words: &[String]| -> Vec<[String; 4]> {
        let head = [HEAD, "ratio", "95 % interval", "verdict"].map(str::to_owned);
        let row =
            |(change, word): (&Change, &String)| [change.case.clone(), ratio(change), interval(change), word.clone()];
        std::iter::once(head).chain(changes.iter().zip(words).map(row)).collect()
    };
    let longest = |rows: &[[String; 4]], i: usize| rows.iter().map(|row| row[i].chars().count()).max().unwrap_or(0);
    let mut words: Vec<String> = changes.iter().map(|change| change.word().to_owned()).collect();
    let mut table = rows(&words);
    let mut notes = vec!["ratio: time of the second run over that of the first".to_owned()];
    if (0..4).map(|i| longest(&table, i)).sum::<usize>() + 6 > width {
        // The reasons, each once.
        let mut reasons: Vec<String> = Vec::new();
        for word in &mut words {
            let Some((short, reason)) = word.split_once(": ").or_else(|| word.split_once(" by itself was ")) else {
                continue;
            };
            let reason = if word.contains(": ") { reason.to_owned() } else { word.clone() };
            let at = reasons.iter().position(|other| *other == reason).unwrap_or_else(|| {
                reasons.push(reason);
                reasons.len() - 1
            });
            *word = format!("{short} ({})", at + 1);
        }
        notes.extend(reasons.iter().enumerate().map(|(i, reason)| format!("({}) {reason}", i + 1)));
        table = rows(&words);
    }
    let widths = [0, 1, 2, 3].map(|i| longest(&table, i));
    let line = |row: &[String; 4]| {
        let cells = row.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
    };
    let notes: String = notes.iter().map(|note| wrapped(note.split(' '), width, "  ")).collect();
    table.iter().map(line).collect::<String>() + "\n" + &notes
}

const HEAD: &str = "case";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::tests::{case, results, results_of};

    #[test]
    fn what_is_slower_is_told() {
        let (before, after) = (results(&[("a", 1.0), ("b", 1.0)]), results(&[("a", 1.3), ("b", 1.01), ("c", 1.0)]));
        let changes = changes(&before, &after).unwrap();
        let text = render(&changes, 100);
        assert!(text.contains("a     1.300") && text.lines().nth(1).unwrap().ends_with("slower"), "{text}");
        assert!(text.starts_with("case  ratio  95 % interval"), "{text}");
        assert!(text.contains("\n\nratio: time of the second run over that of the first\n"), "{text}");
        assert!(text.lines().nth(2).unwrap().ends_with("no difference"), "{text}");
        assert_eq!(changes.iter().map(|change| change.is_slower_than(0.1)).collect::<Vec<_>>(), [true, false]);
    }

    #[test]
    fn long_names_leave_reasons_to_notes() {
        let change = |case: &str, interval| Change {
            case: case.into(),
            ratio: Ratio { times: 1.0, interval },
            control: None,
            is_limit: false,
        };
        let wide = Some(Interval { low: 0.5, high: 1.5 });
        let name = "mariadb-connector-j executeBatch / each statement / 10000";
        let text = render(&[change(name, None), change(name, wide), change("b", None)], 100);
        assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
        assert!(text.contains("undecided (1)") && text.contains("undecided (2)"), "{text}");
        assert!(text.contains("(1) too few rounds\n(2) the rounds differ too much, take more\n"), "{text}");
    }

    /// Checks the words for three cases that take this many seconds, before and after. The first case is run by the server itself.
    #[track_caller]
    fn check_words(before: [f64; 3], after: [f64; 3], want: [&str; 3]) {
        let run = |seconds: [f64; 3]| {
            let limit = Case { role: Role::Limit, ..case("copy") };
            results_of(&[(limit, seconds[0]), (case("a"), seconds[1]), (case("b"), seconds[2])])
        };
        let changes = changes(&run(before), &run(after)).unwrap();
        assert_eq!(changes.iter().map(Change::word).collect::<Vec<_>>(), want);
        let slower: Vec<bool> = changes.iter().map(|change| change.is_slower_than(0.1)).collect();
        assert_eq!(slower, want.map(|word| word == "slower"));
    }

    #[test]
    fn what_cannot_be_told_is_undecided() {
        let word = |interval: Option<(f64, f64)>| {
            let interval = interval.map(|(low, high)| Interval { low, high });
            let ratio = Ratio { times: 1.0, interval };
            Change { case: String::new(), ratio, control: None, is_limit: false }.word()
        };
        assert_eq!(word(None), "undecided: too few rounds");
        assert_eq!(word(Some((0.9, 1.2))), "undecided: the rounds differ too much, take more");
        assert_eq!(word(Some((0.97, 1.04))), "no difference");
        assert_eq!(word(Some((1.01, 1.2))), "slower");
    }

    #[test]
    fn what_the_server_does_by_itself_is_the_control() {
        const SO_DID_IT: &str = "no difference: so did the server by itself";
        check_words([1.0; 3], [1.0, 1.0, 1.5], ["no difference", "no difference", "slower"]);
        check_words([1.0; 3], [1.3, 1.3, 1.3], ["the server by itself was slower", SO_DID_IT, SO_DID_IT]);
        check_words([1.0; 3], [0.7, 0.7, 1.0], ["the server by itself was faster", SO_DID_IT, "no difference"]);
        check_words([1.0; 3], [1.3, 2.0, 0.5], ["the server by itself was slower", "slower", "faster"]);
        check_words([1.0; 3], [0.7, 0.4, 1.5], ["the server by itself was faster", "faster", "slower"]);
    }

    #[test]
    fn runs_of_other_things_are_not_compared() {
        let error = changes(&results(&[("a", 1.0)]), &results(&[("b", 1.0)])).unwrap_err();
        assert!(error.to_string().contains("no case in common"), "{error}");
    }

    #[test]
    fn what_else_changed_is_told() {
        let (before, mut after) = (results(&[("a", 1.0)]), results(&[("a", 1.0)]));
        assert_eq!(differences(&before, &after), [""; 0]);
        after.run.seed = 7;
        after.cases.push(case("z"));
        assert_eq!(differences(&before, &after), ["the seed was `1`, then `7`"]);
    }

    #[test]
    fn other_places_are_not_compared() {
        let (before, mut after) = (results(&[("a", 1.0)]), results(&[("a", 1.0)]));
        same_place(&before, &after).unwrap();
        after.run.server.version = "11.8".into();
        after.run.machine.cores = 9;
        let error = same_place(&before, &after).unwrap_err().to_string();
        let want = "the two runs are not of the same place: the server was `9.7.4`, then `11.8`; \
                    the number of cores was `2`, then `9`";
        assert_eq!(error, want);
    }
}
