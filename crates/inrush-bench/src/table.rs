//! Results as a table: one row a case, with its spread, its speed-up over the baseline and its share of the limit. Pure: made of the
//! records alone, printed as text, Markdown or CSV.

use crate::results::{Case, Results, Role};
use crate::stats::{Ratio, Summary};
use serde_json::json;

/// One row of the table: a case and what its rounds come to.
#[derive(Clone, Debug, PartialEq)]
pub struct Line<'r> {
    /// The case.
    pub case: &'r Case,
    /// Of the seconds; none of a case that was cut.
    pub seconds: Option<Summary>,
    /// Rows that went in before the time ran out.
    pub cut_at: Option<u64>,
    /// How many times as fast as the baseline of the same number of rows that commits each statement.
    pub speed_up: Option<f64>,
    /// Its rate as a share of the limit's, for as many rows.
    pub of_limit: Option<f64>,
    /// Mean processor time of the client, in seconds.
    pub client_cpu: Option<f64>,
}

impl Line<'_> {
    /// Rows a second in the median.
    pub fn rate(&self) -> Option<f64> {
        self.seconds.as_ref().map(|seconds| self.case.rows as f64 / seconds.median)
    }
}

/// A line for each case, in the order of the file.
pub fn lines(results: &Results) -> Vec<Line<'_>> {
    let reference = |role: Role, rows: u64| results.cases.iter().find(|case| case.role == role && case.rows == rows);
    results
        .cases
        .iter()
        .map(|case| {
            let against = |role: Role| {
                let other = reference(role, case.rows)?;
                Ratio::of_pairs(&pairs(results, &other.id, &case.id)).map(|ratio| ratio.times)
            };
            let seconds: Vec<f64> = results.seconds(&case.id).into_iter().map(|(_, seconds)| seconds).collect();
            let cut = results.samples.iter().find(|sample| sample.case == case.id && sample.cut);
            Line {
                case,
                seconds: Summary::of(&seconds),
                cut_at: cut.map(|sample| sample.rows),
                speed_up: against(Role::Baseline),
                of_limit: against(Role::Limit),
                client_cpu: mean_cpu(results, &case.id),
            }
        })
        .collect()
}

/// Seconds of two cases by round.
fn pairs(results: &Results, a: &str, b: &str) -> Vec<(f64, f64)> {
    let b = results.seconds(b);
    let in_round = |round: u32| b.iter().find(|(other, _)| *other == round).map(|(_, seconds)| *seconds);
    results.seconds(a).into_iter().filter_map(|(round, seconds)| Some((seconds, in_round(round)?))).collect()
}

fn mean_cpu(results: &Results, case: &str) -> Option<f64> {
    let counts = results.samples.iter().filter(|sample| sample.case == case && sample.round > 0);
    let seconds: Vec<f64> = counts.filter_map(|sample| sample.client_cpu).collect();
    (!seconds.is_empty()).then(|| seconds.iter().sum::<f64>() / seconds.len() as f64)
}

/// How a table is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Columns side by side.
    Text,
    /// For a page.
    Markdown,
    /// For other programs: every number in full.
    Csv,
}

/// All lines.
pub fn render(results: &Results, style: Style) -> String {
    let lines = lines(results);
    let mut with: Vec<&str> = lines.iter().flat_map(|line| line.case.with.keys().map(String::as_str)).collect();
    with.sort_unstable();
    with.dedup();
    let fixed = ["what", "ms: median", "least", "most", "rows/s", "speed-up", "of the limit", "client CPU ms"];
    let head: Vec<String> = [&fixed[..1], &with, &fixed[1..]].concat().into_iter().map(str::to_owned).collect();
    let number = |value: Option<f64>, digits: usize| match (value, style) {
        (None, Style::Csv) => String::new(),
        (None, _) => "-".into(),
        (Some(value), Style::Csv) => value.to_string(),
        (Some(value), _) => grouped(value, digits),
    };
    let rows = lines.iter().map(|line| {
        let ms = |of: fn(&Summary) -> f64| line.seconds.as_ref().map(|seconds| of(seconds) * 1e3);
        let mut cells = vec![line.case.subject.clone()];
        cells.extend(with.iter().map(|name| line.case.with.get(*name).cloned().unwrap_or_default()));
        match line.cut_at {
            Some(rows) => cells.push(format!("cut after {rows} rows")),
            None => cells.push(number(ms(|seconds| seconds.median), 1)),
        }
        cells.push(number(ms(|seconds| seconds.min), 1));
        cells.push(number(ms(|seconds| seconds.max), 1));
        cells.push(number(line.rate(), 0));
        cells.push(number(line.speed_up, 1));
        cells.push(number(line.of_limit, 2));
        cells.push(number(line.client_cpu.map(|seconds| seconds * 1e3), 1));
        cells
    });
    let table: Vec<Vec<String>> = std::iter::once(head).chain(rows).collect();
    match style {
        Style::Text => aligned(&table),
        Style::Markdown => markdown(&table),
        Style::Csv => table
            .iter()
            .map(|cells| cells.iter().map(|cell| quoted(cell)).collect::<Vec<_>>().join(",") + "\n")
            .collect(),
    }
}

/// One document of all of it, for `--json`.
pub fn json(results: &Results) -> String {
    let seconds = |line: &Line<'_>| {
        line.seconds.as_ref().map(|seconds| {
            let interval = seconds.interval.map(|interval| [interval.low, interval.high]);
            json!({
                "n": seconds.n, "median": seconds.median, "min": seconds.min, "max": seconds.max, "interval": interval,
                "outliers": seconds.outliers, "two_modes": seconds.two_modes,
            })
        })
    };
    let cases: Vec<_> = lines(results)
        .iter()
        .map(|line| {
            json!({
                "case": line.case, "seconds": seconds(line), "cut_at": line.cut_at, "rows_per_second": line.rate(),
                "speed_up": line.speed_up, "of_limit": line.of_limit, "client_cpu": line.client_cpu,
            })
        })
        .collect();
    let complete = results.end.as_ref().is_some_and(|end| end.complete);
    let document = json!({ "inrush": "bench", "version": 1, "run": results.run, "complete": complete, "cases": cases });
    format!("{document:#}")
}

/// `12,345.6`.
fn grouped(value: f64, digits: usize) -> String {
    let text = format!("{value:.digits$}");
    let whole = text.find('.').unwrap_or(text.len());
    let mut out = String::new();
    for (i, digit) in text.chars().enumerate() {
        if i > 0 && i < whole && (whole - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// The first column is words, the others stand at the right.
fn aligned(table: &[Vec<String>]) -> String {
    let n_columns = table.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        table.iter().filter_map(|cells| cells.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..n_columns).map(width).collect();
    let line = |cells: &Vec<String>| {
        let cells = cells.iter().zip(&widths).enumerate().map(|(i, (cell, width))| match i {
            0 => format!("{cell:width$}"),
            _ => format!("{cell:>width$}"),
        });
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
    };
    table.iter().map(line).collect()
}

fn markdown(table: &[Vec<String>]) -> String {
    let line = |cells: &Vec<String>| format!("| {} |\n", cells.join(" | "));
    let mut out = String::new();
    for (i, cells) in table.iter().enumerate() {
        out += &line(cells);
        if i == 0 {
            out += &format!("|---|{}\n", "---:|".repeat(cells.len().saturating_sub(1)));
        }
    }
    out
}

fn quoted(cell: &str) -> String {
    if cell.contains([',', '"', '\n']) { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell.into() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::{Record, Sample};
    use std::collections::BTreeMap;

    fn results() -> Results {
        let run = serde_json::json!({
            "record": "run", "version": 1, "experiment": "insert", "at": "", "seed": 1, "inrush": {"version": "0"},
            "machine": {"cores": 2}, "server": {"version": "", "transport": "tcp", "round_trip": 0.0, "settings": {}}, "ddl": [],
            "options": {},
        });
        let case = |id: &str, role: Role| Case {
            id: id.into(),
            subject: id.into(),
            with: BTreeMap::from([("commits".into(), "once".into())]),
            rows: 1_000,
            role,
        };
        let sample = |case: &str, round: u32, seconds: f64| Sample {
            case: case.into(),
            round,
            seconds,
            rows: 1_000,
            client_cpu: Some(seconds / 10.0),
            ..Sample::default()
        };
        let mut records = vec![
            Record::Case(case("row", Role::Baseline)),
            Record::Case(case("multi-row", Role::Subject)),
            Record::Case(case("slow, very", Role::Subject)),
            Record::Case(case("insert-select", Role::Limit)),
            Record::Sample(Sample { cut: true, rows: 77, ..sample("slow, very", 0, 9.0) }),
        ];
        for round in 0..4 {
            // A slow round is slow for all.
            let slow = if round == 2 { 2.0 } else { 1.0 };
            for (name, seconds) in [("row", 2.0), ("multi-row", 0.04), ("insert-select", 0.02)] {
                records.push(Record::Sample(sample(name, round, seconds * slow)));
            }
        }
        let mut file = serde_json::to_vec(&run).unwrap();
        file.push(b'\n');
        records.iter().for_each(|record| record.write(&mut file).unwrap());
        Results::read("r", &file[..]).unwrap()
    }

    #[test]
    fn text() {
        let want = "\
what           commits           ms: median    least     most  rows/s  speed-up  of the limit  client CPU ms
row               once              2,000.0  2,000.0  4,000.0     500       1.0          0.01          266.7
multi-row         once                 40.0     40.0     80.0  25,000      50.0          0.50            5.3
slow, very        once  cut after 77 rows        -        -       -         -             -              -
insert-select     once                 20.0     20.0     40.0  50,000     100.0          1.00            2.7
";
        let squeeze = |text: &str| text.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
        assert_eq!(squeeze(&render(&results(), Style::Text)), squeeze(want));
    }

    #[test]
    fn other_styles() {
        let markdown = render(&results(), Style::Markdown);
        assert!(markdown.starts_with("| what | commits | ms: median |"), "{markdown}");
        assert!(markdown.contains("\n|---|---:|---:|"), "{markdown}");
        let csv = render(&results(), Style::Csv);
        assert!(csv.contains("\n\"slow, very\",once,cut after 77 rows,,,,,,\n"), "{csv}");
        assert!(csv.contains("\nmulti-row,once,40,40,80,25000,50,0.5,"), "{csv}");
    }
}
