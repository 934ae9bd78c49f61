//! Results as a table: one row a case, with its spread, its speed-up over the baseline and its share of the limit. Pure: made of the
//! records alone, printed as text, Markdown or CSV. A column that no case has anything for is not shown.

use crate::histogram::Latencies;
use crate::results::{Case, Results, Role, Sample, Unit};
use crate::stats::{Ratio, Summary};
use crate::wrap::wrapped;
use serde_json::json;
use std::collections::BTreeMap;

/// One row of the table: a case and the statistics of its rounds.
#[derive(Clone, Debug, PartialEq)]
pub struct Line<'r> {
    /// The case.
    pub case: &'r Case,
    /// The statistics of the seconds; `None` for a case that was cut.
    pub seconds: Option<Summary>,
    /// The statistics of the rows (or queries) a second.
    pub rate: Option<Summary>,
    /// Rows that went in before the time ran out.
    pub cut_at: Option<u64>,
    /// How many times as fast as the baseline of its group.
    pub speed_up: Option<f64>,
    /// Its rate as a share of that of its group's limit.
    pub of_limit: Option<f64>,
    /// Mean processor time of the client for one of its unit, in seconds.
    pub client_cpu: Option<f64>,
    /// The same of the server.
    pub server_cpu: Option<f64>,
    /// Mean bytes sent for one of its unit.
    pub bytes_sent: Option<f64>,
    /// Bytes of the table's file, the median of the rounds.
    pub table_bytes: Option<f64>,
    /// Pages that the server read in a round, the median.
    pub pages_read: Option<f64>,
    /// Pages that it wrote.
    pub pages_written: Option<f64>,
    /// The latencies of all statements of all rounds.
    pub latency: Option<Latencies>,
    /// The times to get a connection from a pool, of all connections.
    pub acquire: Option<Latencies>,
    /// By code.
    pub errors: BTreeMap<String, u64>,
    /// Rows stored, or queries answered, in all rounds that count.
    pub done: u64,
    /// Rows or queries that failed meanwhile.
    pub failed: u64,
}

/// A line for each case, in the order of the file.
pub fn lines(results: &Results) -> Vec<Line<'_>> {
    results.cases.iter().map(|case| line(results, case)).collect()
}

fn line<'r>(results: &'r Results, case: &'r Case) -> Line<'r> {
    let against = |role: Role| {
        let is_like = |other: &&Case| other.role == role && other.group == case.group && other.unit == case.unit;
        let others = results.cases.iter().filter(is_like);
        let ratios = others.filter_map(|other| Ratio::of_pairs(&pairs(results, &other.id, &case.id)));
        // The baseline is one; of several limits the fastest is the limit.
        ratios.map(|ratio| ratio.times).min_by(f64::total_cmp)
    };
    let of_case = || results.samples.iter().filter(|sample| sample.case == case.id);
    let rounds = || of_case().filter(|sample| sample.round > 0 && !sample.cut);
    let per_unit = |value: fn(&Sample) -> Option<f64>| {
        let values: Vec<(f64, u64)> = rounds().filter_map(|sample| Some((value(sample)?, sample.rows))).collect();
        let (total, rows) = values.iter().fold((0.0, 0), |(total, rows), (value, n)| (total + value, rows + n));
        (rows > 0).then(|| total / rows as f64)
    };
    let median = |value: fn(&Sample) -> Option<u64>| {
        let values: Vec<f64> = rounds().filter_map(|sample| value(sample).map(|value| value as f64)).collect();
        Summary::of(&values).map(|summary| summary.median)
    };
    let seconds: Vec<f64> = rounds().map(|sample| sample.seconds).collect();
    let rates: Vec<f64> = rounds().map(|sample| sample.rows as f64 / sample.seconds).collect();
    let mut errors = BTreeMap::new();
    for (code, n) in of_case().flat_map(|sample| &sample.errors) {
        *errors.entry(code.clone()).or_default() += n;
    }
    Line {
        case,
        seconds: Summary::of(&seconds),
        rate: Summary::of(&rates),
        cut_at: of_case().find(|sample| sample.cut).map(|sample| sample.rows),
        speed_up: against(Role::Baseline),
        of_limit: against(Role::Limit),
        client_cpu: per_unit(|sample| sample.client_cpu),
        server_cpu: per_unit(|sample| sample.server_cpu),
        bytes_sent: per_unit(|sample| sample.bytes_sent.map(|bytes| bytes as f64)),
        table_bytes: median(|sample| sample.table_bytes),
        pages_read: median(|sample| sample.pages_read),
        pages_written: median(|sample| sample.pages_written),
        latency: merged(rounds().filter_map(|sample| sample.latency.as_ref())),
        acquire: merged(rounds().filter_map(|sample| sample.acquire.as_ref())),
        errors,
        done: rounds().map(|sample| sample.rows).sum(),
        failed: rounds().flat_map(|sample| sample.errors.values()).sum(),
    }
}

fn merged<'a>(all: impl Iterator<Item = &'a Latencies>) -> Option<Latencies> {
    all.fold(None, |sum: Option<Latencies>, one| {
        let mut sum = sum.unwrap_or_default();
        sum.merge(one);
        Some(sum)
    })
}

/// What one row costs in two cases, by round.
fn pairs(results: &Results, a: &str, b: &str) -> Vec<(f64, f64)> {
    let b = results.costs(b);
    let in_round = |round: u32| b.iter().find(|(other, _)| *other == round).map(|(_, cost)| *cost);
    results.costs(a).into_iter().filter_map(|(round, cost)| Some((cost, in_round(round)?))).collect()
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

/// A column of numbers.
struct NumberColumn {
    head: String,
    digits: usize,
    value: fn(&Line<'_>) -> Option<f64>,
}

/// The columns that have values for these lines.
fn columns(lines: &[Line<'_>]) -> Vec<NumberColumn> {
    let column = |head: &str, digits, value| NumberColumn { head: head.into(), digits, value };
    let unit = lines.first().map(|line| line.case.unit).unwrap_or_default();
    let unit = if lines.iter().all(|line| line.case.unit == unit) { unit.name() } else { "number" };
    let does_as_much_each_time = lines.iter().all(|line| line.case.rows > 0);
    let mut columns = match does_as_much_each_time {
        true => vec![
            column("ms: median", 1, |line| line.seconds.as_ref().map(|seconds| seconds.median * 1e3)),
            column("least", 1, |line| line.seconds.as_ref().map(|seconds| seconds.min * 1e3)),
            column("most", 1, |line| line.seconds.as_ref().map(|seconds| seconds.max * 1e3)),
            column(&format!("{unit}/s"), 0, |line| line.median_rate()),
        ],
        false => vec![
            column(&format!("{unit}/s: median"), 0, |line| line.median_rate()),
            column("least", 0, |line| line.rate.as_ref().map(|rate| rate.min)),
            column("most", 0, |line| line.rate.as_ref().map(|rate| rate.max)),
        ],
    };
    if lines.iter().all(|line| line.case.unit == Unit::Queries) {
        // After the times, so that a case that was cut shows it first.
        columns.extend([
            column("asked", 0, |line| line.rate.as_ref().map(|_| (line.done + line.failed) as f64)),
            column("answered", 0, |line| line.rate.as_ref().map(|_| line.done as f64)),
            column("failed", 0, |line| line.rate.as_ref().map(|_| line.failed as f64)),
        ]);
    }
    let optional = [
        column("speed-up", 1, |line| line.speed_up),
        column("of the limit", 2, |line| line.of_limit),
        column("ms: mean", 3, |line| line.latency.as_ref().map(|all| all.mean().as_secs_f64() * 1e3)),
        column("p50", 3, |line| quantile(line.latency.as_ref(), 0.5)),
        column("p95", 3, |line| quantile(line.latency.as_ref(), 0.95)),
        column("p99", 3, |line| quantile(line.latency.as_ref(), 0.99)),
        column("max", 3, |line| quantile(line.latency.as_ref(), 1.0)),
        column("acquire us: mean", 1, |line| line.acquire.as_ref().map(|all| all.mean().as_secs_f64() * 1e6)),
        column("acquire p95", 1, |line| quantile(line.acquire.as_ref(), 0.95).map(|ms| ms * 1e3)),
        column("acquire p99", 1, |line| quantile(line.acquire.as_ref(), 0.99).map(|ms| ms * 1e3)),
        column("client CPU us", 2, |line| line.client_cpu.map(|seconds| seconds * 1e6)),
        column("server CPU us", 2, |line| line.server_cpu.map(|seconds| seconds * 1e6)),
        column("bytes sent", 0, |line| line.bytes_sent),
        column("table MiB", 1, |line| line.table_bytes.map(|bytes| bytes / MIB)),
        column("pages read", 0, |line| line.pages_read),
        column("pages written", 0, |line| line.pages_written),
    ];
    columns.extend(optional.into_iter().filter(|column| lines.iter().any(|line| (column.value)(line).is_some())));
    columns
}

/// In milliseconds.
fn quantile(latencies: Option<&Latencies>, share: f64) -> Option<f64> {
    latencies.map(|latencies| latencies.quantile(share).as_secs_f64() * 1e3)
}

impl Line<'_> {
    /// Rows a second in the median.
    pub fn median_rate(&self) -> Option<f64> {
        self.rate.as_ref().map(|rate| rate.median)
    }

    /// `1213: 4, 1205: 1`.
    pub(crate) fn shown_errors(&self) -> String {
        self.errors.iter().map(|(code, n)| format!("{code}: {n}")).collect::<Vec<_>>().join(", ")
    }
}

/// All lines as text of at most `width` columns, if that is possible: settings that are the same in all cases, other units, and errors
/// go into notes below; then the least important columns are left out, which a note reports.
pub fn fitted(results: &Results, width: usize) -> String {
    let all = lines(results);
    // Pings among rows: their columns are empty for all others, and their rates no rates of rows.
    let unit = all.first().map(|line| line.case.unit).unwrap_or_default();
    let (shown, others): (Vec<Line<'_>>, Vec<Line<'_>>) = all.into_iter().partition(|line| line.case.unit == unit);
    let mut notes = Vec::new();
    let mut table = cells(&shown, Style::Text);
    let is_wide = |table: &[Vec<String>]| widths(table).iter().map(|column| column + 2).sum::<usize>() > width + 2;
    if is_wide(&table) {
        // A row may be longer only because it was cut.
        for (row, line) in table.iter_mut().skip(1).zip(&shown) {
            if let Some(rows) = line.cut_at {
                row.iter_mut().filter(|cell| cell.starts_with("cut after ")).for_each(|cell| *cell = "cut".into());
                notes.push(format!("{}: cut after {} {}", line.case.id, grouped(rows as f64, 0), unit.name()));
            }
        }
    }
    if is_wide(&table) && take_column(&mut table, "errors") {
        let failed = shown.iter().filter(|line| !line.errors.is_empty());
        notes.extend(failed.map(|line| format!("{}: errors {}", line.case.id, line.shown_errors())));
    }
    for name in shown.first().map(|line| line.case.with.clone()).unwrap_or_default().keys() {
        let value = |line: &Line<'_>| line.case.with.get(name).cloned().unwrap_or_default();
        if is_wide(&table) && shown.iter().all(|line| value(line) == value(&shown[0])) && take_column(&mut table, name)
        {
            notes.push(format!("{name} of all cases: {}", value(&shown[0])));
        }
    }
    let mut left_out = Vec::new();
    for name in LEAST_FIRST {
        if is_wide(&table) && take_column(&mut table, name) {
            left_out.push(name);
        }
    }
    if !left_out.is_empty() {
        notes.push(format!(
            "not shown in {width} columns: {} (`--json`, or `inrush bench report FILE --markdown`, has all)",
            left_out.join(", ")
        ));
    }
    notes.extend(others.iter().map(other));
    let notes: String = notes.iter().map(|note| wrapped(note.split(' '), width, "  ")).collect();
    aligned(&table) + if notes.is_empty() { "" } else { "\n" } + &notes
}

/// A case of another unit than the table's, in words.
fn other(line: &Line<'_>) -> String {
    let mut text = line.case.id.clone();
    if let Some(rate) = line.median_rate() {
        text += &format!(": {} {}/s", grouped(rate, 0), line.case.unit.name());
    }
    if let Some(latency) = &line.latency {
        let ms = |share: f64| latency.quantile(share).as_secs_f64() * 1e3;
        text += &format!(", ms: p50 {:.3}, p95 {:.3}, max {:.3}", ms(0.5), ms(0.95), ms(1.0));
    }
    text
}

fn take_column(table: &mut [Vec<String>], name: &str) -> bool {
    let at = table.first().and_then(|head| head.iter().position(|cell| cell == name));
    if let Some(at) = at {
        table.iter_mut().for_each(|row| drop(row.remove(at)));
    }
    at.is_some()
}

/// All lines.
pub fn render(results: &Results, style: Style) -> String {
    let table = cells(&lines(results), style);
    match style {
        Style::Text => aligned(&table),
        Style::Markdown => markdown(&table),
        Style::Csv => table
            .iter()
            .map(|cells| cells.iter().map(|cell| quoted(cell)).collect::<Vec<_>>().join(",") + "\n")
            .collect(),
    }
}

/// The heads of the columns, then a row a line.
pub(crate) fn cells(lines: &[Line<'_>], style: Style) -> Vec<Vec<String>> {
    let mut with: Vec<&str> = lines.iter().flat_map(|line| line.case.with.keys().map(String::as_str)).collect();
    with.sort_unstable();
    with.dedup();
    if with.len() > FEW_SETTINGS && style != Style::Csv {
        with.retain(|name| lines.iter().any(|line| line.case.with.get(*name) != lines[0].case.with.get(*name)));
    }
    let columns = columns(lines);
    let has_errors = lines.iter().any(|line| !line.errors.is_empty());
    let mut head: Vec<String> = std::iter::once("what").chain(with.iter().copied()).map(str::to_owned).collect();
    head.extend(columns.iter().map(|column| column.head.clone()));
    head.extend(has_errors.then(|| "errors".to_owned()));
    let number = |value: Option<f64>, digits: usize| match (value, style) {
        (None, Style::Csv) => String::new(),
        (None, _) => "-".into(),
        (Some(value), Style::Csv) => value.to_string(),
        (Some(value), _) => grouped(value, digits),
    };
    let rows = lines.iter().map(|line| {
        let mut cells = vec![line.case.subject.clone()];
        cells.extend(with.iter().map(|name| line.case.with.get(*name).cloned().unwrap_or_default()));
        cells.extend(columns.iter().enumerate().map(|(i, column)| match line.cut_at {
            Some(rows) if i == 0 => format!("cut after {rows} {}", line.case.unit.name()),
            _ => number((column.value)(line), column.digits),
        }));
        cells.extend(has_errors.then(|| line.shown_errors()));
        cells
    });
    std::iter::once(head).chain(rows).collect()
}

/// One document of all of it, for `--json`.
pub fn json(results: &Results) -> String {
    let cases: Vec<_> = lines(results)
        .iter()
        .map(|line| {
            json!({
                "case": line.case, "seconds": summary(line.seconds.as_ref()), "rate": summary(line.rate.as_ref()),
                "cut_at": line.cut_at, "rows_per_second": line.median_rate(), "speed_up": line.speed_up,
                "of_limit": line.of_limit, "client_cpu": line.client_cpu, "server_cpu": line.server_cpu,
                "bytes_sent": line.bytes_sent, "table_bytes": line.table_bytes, "pages_read": line.pages_read,
                "pages_written": line.pages_written, "latency": percentiles(line.latency.as_ref()),
                "acquire": percentiles(line.acquire.as_ref()), "errors": line.errors, "done": line.done, "failed": line.failed,
            })
        })
        .collect();
    let complete = results.end.as_ref().is_some_and(|end| end.complete);
    let document = json!({ "inrush": "bench", "version": 1, "run": results.run, "complete": complete, "cases": cases });
    format!("{document:#}")
}

fn summary(summary: Option<&Summary>) -> serde_json::Value {
    let Some(summary) = summary else { return serde_json::Value::Null };
    let interval = summary.interval.map(|interval| [interval.low, interval.high]);
    json!({
        "n": summary.n, "median": summary.median, "min": summary.min, "max": summary.max, "interval": interval,
        "outliers": summary.outliers, "two_modes": summary.two_modes,
    })
}

/// In seconds.
fn percentiles(latencies: Option<&Latencies>) -> serde_json::Value {
    let Some(all) = latencies else { return serde_json::Value::Null };
    let at = |share: f64| all.quantile(share).as_secs_f64();
    json!({
        "n": all.count(), "mean": all.mean().as_secs_f64(), "p50": at(0.5), "p95": at(0.95), "p99": at(0.99), "p999": at(0.999),
        "max": at(1.0),
    })
}

/// `12,345.6`.
pub(crate) fn grouped(value: f64, digits: usize) -> String {
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

/// The longest cell of each column.
fn widths(table: &[Vec<String>]) -> Vec<usize> {
    let n_columns = table.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        table.iter().filter_map(|cells| cells.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    (0..n_columns).map(width).collect()
}

/// The first column is text, the others are aligned right.
fn aligned(table: &[Vec<String>]) -> String {
    let widths = widths(table);
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

const MIB: f64 = (1 << 20) as f64;

/// With more settings than this, settings that are the same in all cases are not shown in text.
const FEW_SETTINGS: usize = 2;

/// The columns that a narrow table does without, the least important first.
const LEAST_FIRST: [&str; 15] = [
    "bytes sent",
    "client CPU us",
    "server CPU us",
    "acquire us: mean",
    "ms: mean",
    "least",
    "most",
    "p95",
    "acquire p95",
    "asked",
    "max",
    "pages read",
    "pages written",
    "of the limit",
    "p50",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::{Record, Sample, Unit};
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
            group: String::new(),
            rows: 1_000,
            unit: Unit::Rows,
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
what           commits           ms: median    least     most  rows/s  speed-up  of the limit  client CPU us
row               once              2,000.0  2,000.0  4,000.0     500       1.0          0.01         266.67
multi-row         once                 40.0     40.0     80.0  25,000      50.0          0.50           5.33
slow, very        once  cut after 77 rows        -        -       -         -             -              -
insert-select     once                 20.0     20.0     40.0  50,000     100.0          1.00           2.67
";
        let squeeze = |text: &str| text.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
        assert_eq!(squeeze(&render(&results(), Style::Text)), squeeze(want));
    }

    #[test]
    fn what_a_load_leaves_on_the_disk() {
        let mut results = results();
        for sample in results.samples.iter_mut().filter(|sample| sample.case == "multi-row") {
            sample.table_bytes = Some(3 << 19);
            sample.pages_read = Some(u64::from(sample.round));
            sample.pages_written = Some(4_000);
        }
        let csv = render(&results, Style::Csv);
        let mut rows = csv.lines();
        assert!(rows.next().is_some_and(|head| head.ends_with(",table MiB,pages read,pages written")), "{csv}");
        // Not those of the warm-up.
        assert!(rows.any(|row| row.starts_with("multi-row,") && row.ends_with(",1.5,2,4000")), "{csv}");
        let json: serde_json::Value = serde_json::from_str(&json(&results)).unwrap();
        assert_eq!(
            (&json["cases"][1]["table_bytes"], &json["cases"][0]["pages_read"]),
            (&1_572_864.0.into(), &().into())
        );
    }

    #[test]
    fn a_narrow_table_says_what_it_leaves_out() {
        let mut results = results();
        let ping = Case {
            id: "ping".into(),
            subject: "ping".into(),
            unit: Unit::Queries,
            role: Role::Subject,
            ..results.cases[0].clone()
        };
        results.samples.push(Sample { case: "ping".into(), round: 1, seconds: 1.0, rows: 21, ..Sample::default() });
        results.cases.push(ping);
        results.samples[1].errors = BTreeMap::from([("1213".into(), 4)]);
        for width in [60, 80, 100, 200] {
            let text = fitted(&results, width);
            assert!(text.lines().all(|line| line.chars().count() <= width), "{width}: {text}");
            assert!(
                text.contains("rows/s") && text.contains("speed-up") && text.contains("1213: 4"),
                "{width}: {text}"
            );
            assert!(text.contains("cut after 77 rows") && text.contains("ping: 21 queries/s"), "{width}: {text}");
        }
        assert!(fitted(&results, 200).contains("client CPU us") && !fitted(&results, 200).contains("not shown"));
        let narrow = fitted(&results, 80);
        assert!(
            narrow.contains("not shown in 80 columns: client CPU us") && narrow.contains("commits of all"),
            "{narrow}"
        );
        assert_eq!(lines(&results).last().unwrap().speed_up, None, "pings are no rows");
    }

    #[test]
    fn queries_are_told_apart_from_those_that_failed() {
        let mut results = results();
        results.cases.truncate(1);
        results.cases[0].unit = Unit::Queries;
        results.samples.retain(|sample| sample.case == "row");
        for sample in &mut results.samples {
            sample.rows = 999;
            sample.errors = BTreeMap::from([("timeout".to_owned(), 1)]);
            sample.acquire = Some(Latencies::new());
        }
        let text = render(&results, Style::Text);
        let (head, row) = text.split_once('\n').unwrap();
        let words = |line: &str| {
            line.split("  ").map(str::trim).filter(|word| !word.is_empty()).map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(words(head)[5..9], ["queries/s", "asked", "answered", "failed"]);
        assert_eq!(words(row)[5..9], ["500", "3,000", "2,997", "3"]);
        assert_eq!(
            (words(head).last().unwrap().as_str(), words(row).last().unwrap().as_str()),
            ("errors", "timeout: 4")
        );
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
