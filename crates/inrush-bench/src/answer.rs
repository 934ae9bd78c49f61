//! What to do on this server, in plain words: drawn from the experiments of the tour, and from nothing else. Pure.

use crate::busy;
use crate::results::{Results, Role};
use crate::table::{self, Line, grouped};
use std::collections::BTreeSet;

/// The experiments of the tour.
#[derive(Clone, Copy, Debug)]
pub struct Tour<'r> {
    /// Methods to write.
    pub insert: &'r Results,
    /// Rows a statement and connections.
    pub sweep: &'r Results,
    /// Round trips.
    pub rtt: &'r Results,
    /// Loads of a file.
    pub load: &'r Results,
    /// The load that is to be copied, run once more, beside one with the loader's own choice.
    pub again: &'r Results,
}

/// The answer, a sentence a line: how to write, when to commit, how many rows a statement and connections, what distance changes, and a
/// command to copy. Results of a busy machine say so instead, and leave the command undecided.
pub fn of(tour: &Tour<'_>) -> Vec<String> {
    let Tour { insert, sweep, rtt, load, again } = *tour;
    match [insert, sweep, rtt, load, again].into_iter().find_map(busy::of) {
        Some(why) => vec![busy::withheld(&why), undecided(again, "the machine was busy"), MORE.into()],
        None => whatever_the_machine_did(tour),
    }
}

/// The same from any machine.
pub fn whatever_the_machine_did(tour: &Tour<'_>) -> Vec<String> {
    let Tour { insert, sweep, rtt, load, again } = *tour;
    [ways(insert), commits(insert), amounts(sweep), distance(rtt), vec![to_copy(load, again), MORE.into()]].concat()
}

/// Where the options of a load into a table come from.
const MORE: &str =
    "`inrush tune TABLE FILE` measures more options for one table, `inrush doctor` says what slows this server.";

/// The number of lanes that the command to copy names: another one than the loader's own choice only if it is faster by more than a tenth.
/// `None` if the loads were not measured.
pub fn lanes_to_copy(load: &Results) -> Option<String> {
    let lines = table::lines(load);
    let rates = rates(&lines);
    let (auto, named): (Vec<_>, Vec<_>) = rates.into_iter().partition(|(lanes, _)| *lanes == AUTO);
    let (_, auto) = auto.first()?;
    let best = named.into_iter().max_by(|a, b| a.1.total_cmp(&b.1)).filter(|(_, best)| *best > auto * WORTH_IT);
    Some(best.map_or(AUTO, |(lanes, _)| lanes).to_owned())
}

/// Rows a second, by the number of lanes.
fn rates<'l>(lines: &'l [Line<'_>]) -> Vec<(&'l str, f64)> {
    lines.iter().filter_map(|line| Some((line.case.with.get("lanes")?.as_str(), line.median_rate()?))).collect()
}

/// The command that loads a file here, with the rate at which it was run last.
fn to_copy(load: &Results, again: &Results) -> String {
    let Some(lanes) = lanes_to_copy(load) else {
        let reason = load.run.left_out.first().map(|left_out| format!(": {}", left_out.reason)).unwrap_or_default();
        return format!("To copy: `{COMMAND}`; its rate was not measured{reason}.");
    };
    let (before, now) = (table::lines(load), table::lines(again));
    let rate =
        |lines: &[Line<'_>], lanes: &str| rates(lines).into_iter().find(|(of, _)| *of == lanes).map(|(_, rate)| rate);
    let (Some(before), Some(last)) = (rate(&before, &lanes), rate(&now, &lanes)) else {
        return undecided(again, "it did not come to its end when it was run once more");
    };
    let auto = rate(&now, AUTO);
    if before / last > NOISY || last / before > NOISY {
        return undecided(
            again,
            &format!("the same load stored {} rows/s at first, then {}", grouped(before, 0), grouped(last, 0)),
        );
    }
    match auto {
        Some(_) if lanes == AUTO => format!(
            "To copy: `{COMMAND}`: {} rows/s here, run once more with what it chooses itself; no number of lanes was faster by more than a tenth.",
            grouped(last, 0)
        ),
        Some(auto) if last > auto => format!(
            "To copy: `{COMMAND} --lanes {lanes}`: {} rows/s here, run once more; without `--lanes` {} rows/s.",
            grouped(last, 0),
            grouped(auto, 0)
        ),
        _ => undecided(again, &format!("`--lanes {lanes}` was faster at first, and not when it was run once more")),
    }
}

/// The command without options, and why no option is named.
fn undecided(again: &Results, why: &str) -> String {
    let lines = table::lines(again);
    let rate = rates(&lines).into_iter().find(|(lanes, _)| *lanes == AUTO);
    let rate = rate.map_or_else(String::new, |(_, rate)| format!(": {} rows/s when it was run last", grouped(rate, 0)));
    format!("To copy: `{COMMAND}`{rate}. Undecided whether `--lanes` makes it faster: {why}.")
}

/// The fastest method of inrush, for the largest number of rows.
pub fn best_way(insert: &Results) -> Option<String> {
    let lines = table::lines(insert);
    Some(fastest(&most_rows(&lines))?.case.subject.clone())
}

fn ways(insert: &Results) -> Vec<String> {
    let all = table::lines(insert);
    let lines = most_rows(&all);
    let Some(best) = fastest(&lines) else { return vec!["Nothing was measured to its end.".into()] };
    let rate = best.median_rate().unwrap_or_default();
    let times = |line: &Line<'_>| line.median_rate().map(|other| rate / other);
    let find = |subject: &str, commits: &str| {
        lines
            .iter()
            .find(|line| line.case.subject == subject && line.case.with.get("commits").is_some_and(|c| c == commits))
    };
    let mut text = format!("On this server use `{}`: {} rows/s", best.case.subject, grouped(rate, 0));
    let mut compared = Vec::new();
    // The method of most drivers' batch call.
    if let Some(times) = find("prepared", "once").and_then(|line| times(line)) {
        compared.push(format!("{times:.1} times the usual batch (a prepared statement a row, one commit)"));
    }
    if let Some(times) = best.speed_up.filter(|times| *times > 1.0) {
        compared.push(format!("{times:.0} times row by row"));
    }
    if let Some(share) = best.of_limit {
        compared.push(format!("{:.0} % of what the server does by itself", share * 100.0));
    }
    if !compared.is_empty() {
        text += &format!(", {}", compared.join(", "));
    }
    let mut sentences = vec![text + "."];
    let is_measured = |subject: &str| insert.cases.iter().any(|case| case.subject == subject);
    let next = lines.iter().filter(|line| line.case.subject != best.case.subject).copied().collect::<Vec<_>>();
    if let Some(next) = fastest(&next) {
        let share = next.median_rate().unwrap_or_default() / rate * 100.0;
        sentences.push(match is_measured("load-data") {
            true if best.case.subject == "load-data" => {
                format!("Where LOCAL is not allowed: `{}`, {share:.0} % of that.", next.case.subject)
            }
            true => format!("Next comes `{}`, {share:.0} % of that.", next.case.subject),
            false => {
                format!("LOCAL is off, so `load-data` was not tried. Next comes `{}`, {share:.0} %.", next.case.subject)
            }
        });
    }
    sentences
}

/// Whether one commit for all rows pays, for the best method.
fn commits(insert: &Results) -> Vec<String> {
    let all = table::lines(insert);
    let lines = most_rows(&all);
    let Some(best) = fastest(&lines) else { return Vec::new() };
    let rate = |commits: &str| {
        let same = lines.iter().find(|line| {
            line.case.subject == best.case.subject && line.case.with.get("commits").is_some_and(|c| c == commits)
        });
        same.and_then(|line| line.median_rate())
    };
    let (Some(each), Some(once)) = (rate("each statement"), rate("once")) else { return Vec::new() };
    let statement = insert.run.options.get("statement-rows").map_or("1000", String::as_str);
    let rows = best.case.rows;
    vec![if once > each * WORTH_IT {
        format!(
            "In a program commit every {rows} rows rather than every {statement}: {:.1} times as fast.",
            once / each
        )
    } else {
        format!(
            "In a program a commit every {statement} rows is often enough: one for {rows} is no faster by more than a tenth."
        )
    }]
}

/// The fewest rows a statement and connections that come near the peak.
fn amounts(sweep: &Results) -> Vec<String> {
    let lines = table::lines(sweep);
    let number = |line: &Line<'_>, name: &str| line.case.with.get(name).and_then(|text| text.parse::<u64>().ok());
    let points: Vec<(u64, u64, f64)> = lines
        .iter()
        .filter_map(|line| Some((number(line, "connections")?, number(line, "rows a statement")?, line.median_rate()?)))
        .collect();
    let Some(peak) = points.iter().map(|point| point.2).reduce(f64::max) else { return Vec::new() };
    let near = points.iter().filter(|point| point.2 >= crate::knee::NEAR * peak);
    let Some((connections, rows, rate)) = near.min_by_key(|point| (point.0, point.1)).copied() else {
        return Vec::new();
    };
    let alone = points.iter().filter(|point| point.0 == 1).map(|point| point.2).reduce(f64::max);
    let mut text = format!(
        "In a program of your own {connections} {} and {rows} rows a statement are enough",
        plural(connections, "connection")
    );
    text += &match alone {
        Some(alone) if connections > 1 => format!(" ({:.1} times one connection)", rate / alone),
        _ => String::new(),
    };
    let most = points.iter().map(|point| point.0).max().unwrap_or(1);
    let with_most = points.iter().filter(|point| point.0 == most).map(|point| point.2).reduce(f64::max).unwrap_or(peak);
    if most > connections {
        text += &match with_most < crate::knee::NEAR * peak {
            true => format!("; {most} connections hurt ({:.0} % of the peak)", with_most / peak * 100.0),
            false => format!("; {most} connections gain no more than a tenth"),
        };
    }
    vec![text + "."]
}

/// The effect of a longer round trip on rows that are sent one by one, and on the best method.
fn distance(rtt: &Results) -> Vec<String> {
    let lines = table::lines(rtt);
    let groups: BTreeSet<&str> = rtt.cases.iter().map(|case| case.group.as_str()).collect();
    let far =
        |group: &str| group.split(' ').next().and_then(|number| number.parse::<f64>().ok()).filter(|ms| *ms > 0.0);
    let mut sentences = Vec::new();
    for group in groups {
        let Some(ms) = far(group) else { continue };
        let there: Vec<&Line<'_>> = lines.iter().filter(|line| line.case.group == group).collect();
        let row = there.iter().find(|line| line.case.role == Role::Baseline).and_then(|line| line.median_rate());
        let Some(best) = fastest(&there) else { continue };
        let best_rate = best.median_rate().unwrap_or_default();
        let against = match row {
            Some(row) => format!(
                "row by row comes to {} rows/s, `{}` to {}",
                grouped(row, 0),
                best.case.subject,
                grouped(best_rate, 0)
            ),
            None => format!(
                "row by row does not come to its end, `{}` to {} rows/s",
                best.case.subject,
                grouped(best_rate, 0)
            ),
        };
        sentences.push(format!("With a round trip of {ms} ms {against}."));
    }
    sentences
}

/// The lines with the most rows that any of inrush's methods completed.
fn most_rows<'l, 'r>(lines: &'l [Line<'r>]) -> Vec<&'l Line<'r>> {
    let rated = lines.iter().filter(|line| line.rate.is_some() && line.case.role != Role::Limit);
    let most = rated.map(|line| line.case.rows).max().unwrap_or(0);
    lines.iter().filter(|line| line.case.rows == most).collect()
}

/// The fastest line among the methods that a program can choose.
fn fastest<'l, 'r>(lines: &[&'l Line<'r>]) -> Option<&'l Line<'r>> {
    let ours = lines.iter().filter(|line| matches!(line.case.role, Role::Subject | Role::Baseline));
    let rated = ours.filter_map(|line| Some((*line, line.median_rate()?)));
    rated.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(line, _)| line)
}

fn plural(n: u64, word: &str) -> String {
    if n == 1 { word.into() } else { format!("{word}s") }
}

/// Less is not worth a longer transaction.
const WORTH_IT: f64 = 1.1;

/// Two runs of the same load that differ by more say nothing.
const NOISY: f64 = 1.5;

const COMMAND: &str = "inrush load FILE --into TABLE";

/// The number of lanes that the loader finds by itself.
const AUTO: &str = "auto";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::tests::results_of;
    use crate::results::{Case, Unit};
    use std::collections::BTreeMap;

    /// A case of so many rows.
    fn case(subject: &str, with: &[(&str, &str)], group: &str, rows: u64) -> Case {
        let id = format!("{subject} {with:?} {group}");
        let with: BTreeMap<String, String> =
            with.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        let role = match subject {
            "row" => Role::Baseline,
            "insert-select" => Role::Limit,
            _ => Role::Subject,
        };
        Case { id, subject: subject.into(), with, group: group.into(), rows, unit: Unit::Rows, role }
    }

    fn insert(subjects: &[(&str, &str, f64)]) -> Results {
        let of = |(subject, commits, seconds): &(&str, &str, f64)| {
            (case(subject, &[("commits", commits)], "10000 rows", 10_000), *seconds)
        };
        results_of(&subjects.iter().map(of).collect::<Vec<_>>())
    }

    fn sweep(points: &[(&str, &str, f64)]) -> Results {
        let of = |(connections, rows, seconds): &(&str, &str, f64)| {
            (case("load-data", &[("connections", connections), ("rows a statement", rows)], "", 10_000), *seconds)
        };
        results_of(&points.iter().map(of).collect::<Vec<_>>())
    }

    #[test]
    fn what_to_use_and_when_to_commit() {
        let insert = insert(&[
            ("row", "each statement", 10.0),
            ("prepared", "once", 1.0),
            ("multi-row", "once", 0.3),
            ("load-data", "each statement", 0.2),
            ("load-data", "once", 0.1),
            ("insert-select", "once", 0.05),
        ]);
        assert_eq!(best_way(&insert).as_deref(), Some("load-data"));
        assert_eq!(
            [ways(&insert), commits(&insert)].concat(),
            [
                "On this server use `load-data`: 98,039 rows/s, 10.0 times the usual batch (a prepared statement a row, one commit), \
                 100 times row by row, 50 % of what the server does by itself.",
                "Where LOCAL is not allowed: `multi-row`, 33 % of that.",
                "In a program commit every 10000 rows rather than every 1000: 2.0 times as fast.",
            ]
        );
    }

    #[test]
    fn without_local() {
        let insert =
            insert(&[("multi-row", "each statement", 0.21), ("multi-row", "once", 0.2), ("pipelined", "once", 2.0)]);
        assert_eq!(
            [ways(&insert), commits(&insert)].concat(),
            [
                "On this server use `multi-row`: 49,020 rows/s.",
                "LOCAL is off, so `load-data` was not tried. Next comes `pipelined`, 10 %.",
                "In a program a commit every 1000 rows is often enough: one for 10000 is no faster by more than a tenth.",
            ]
        );
    }

    #[test]
    fn few_connections_and_rows_that_are_enough() {
        let all = [("1", "100", 1.0), ("1", "1000", 0.8), ("2", "100", 0.6), ("2", "1000", 0.41), ("4", "1000", 0.4)];
        let want = "In a program of your own 2 connections and 1000 rows a statement are enough (2.0 times one connection); \
                    4 connections gain no more than a tenth.";
        assert_eq!(amounts(&sweep(&all)), [want]);
        let hurt = [("1", "100", 1.0), ("4", "100", 2.0)];
        let want = "In a program of your own 1 connection and 100 rows a statement are enough; 4 connections hurt (50 % of the peak).";
        assert_eq!(amounts(&sweep(&hurt)), [want]);
    }

    #[test]
    fn distance_hurts_rows_that_go_one_by_one() {
        let of = |subject: &str, group: &str| case(subject, &[], group, 1000);
        let rtt = results_of(&[(of("row", "0 ms"), 1.0), (of("row", "5 ms"), 5.0), (of("load-data", "5 ms"), 0.1)]);
        assert_eq!(distance(&rtt), ["With a round trip of 5 ms row by row comes to 196 rows/s, `load-data` to 9,804."]);
    }

    fn loads(loads: &[(&str, f64)]) -> Results {
        let of = |(lanes, seconds): &(&str, f64)| (case("load-data", &[("lanes", lanes)], "", 10_000), *seconds);
        results_of(&loads.iter().map(of).collect::<Vec<_>>())
    }

    #[track_caller]
    fn copies(before: &[(&str, f64)], again: &[(&str, f64)], want: &str) {
        assert_eq!(to_copy(&loads(before), &loads(again)), want);
    }

    #[test]
    fn one_command_to_copy() {
        let even = [("1", 1.0), ("2", 0.6), ("auto", 0.61)];
        assert_eq!(lanes_to_copy(&loads(&even)).as_deref(), Some("auto"));
        copies(
            &even,
            &[("auto", 0.61)],
            "To copy: `inrush load FILE --into TABLE`: 16,072 rows/s here, run once more with what it chooses itself; \
             no number of lanes was faster by more than a tenth.",
        );
        let four = [("1", 1.0), ("4", 0.3), ("auto", 0.6)];
        assert_eq!(lanes_to_copy(&loads(&four)).as_deref(), Some("4"));
        copies(
            &four,
            &[("4", 0.3), ("auto", 0.6)],
            "To copy: `inrush load FILE --into TABLE --lanes 4`: 32,680 rows/s here, run once more; without `--lanes` 16,340 rows/s.",
        );
    }

    #[test]
    fn what_does_not_repeat_is_undecided() {
        let four = [("1", 1.0), ("4", 0.3), ("auto", 0.6)];
        let auto = "To copy: `inrush load FILE --into TABLE`: 16,340 rows/s when it was run last. Undecided whether `--lanes` makes it faster: ";
        copies(
            &four,
            &[("4", 0.9), ("auto", 0.6)],
            &format!("{auto}the same load stored 32,680 rows/s at first, then 10,893."),
        );
        copies(
            &[("4", 0.5), ("auto", 0.6)],
            &[("4", 0.61), ("auto", 0.6)],
            &format!("{auto}`--lanes 4` was faster at first, and not when it was run once more."),
        );
        copies(
            &four,
            &[],
            "To copy: `inrush load FILE --into TABLE`. Undecided whether `--lanes` makes it faster: it did not come to its end when it was run once more.",
        );
    }

    #[test]
    fn nothing_is_said_of_nothing() {
        let none = insert(&[]);
        let want = [
            "Nothing was measured to its end.",
            "To copy: `inrush load FILE --into TABLE`; its rate was not measured: the server has `local_infile` off.",
            MORE,
        ];
        assert_eq!(of(&Tour { insert: &none, sweep: &none, rtt: &none, load: &none, again: &none }), want);
    }
}
