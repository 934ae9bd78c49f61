//! Curves: the result of each second, by the client's clock and by the server's, a panel a case. Pure.

use super::chart::{Chart, Series};
use super::figure::{Figure, Key, Panel, Table, cell};
use super::scale::{Scale, short};
use super::series::{self, Names};
use crate::results::{Results, Sample, Tick};
use crate::stats::Summary;
use crate::table::Line;
use std::collections::BTreeMap;
use std::ops::Range;

/// The figure; `None` if nothing was counted by seconds, or if files were loaded in so few seconds that the curves show nothing.
pub(super) fn figure(results: &Results, lines: &[Line<'_>]) -> Option<Figure> {
    let cases: Vec<(&Line<'_>, Curves)> =
        lines.iter().filter_map(|line| Curves::of(results, line).map(|curves| (line, curves))).collect();
    let unit = cases.first()?.0.case.unit.name();
    let all: Vec<&Line<'_>> = cases.iter().map(|(line, _)| *line).collect();
    let names = Names::of(&all, &[]);
    let last = cases.iter().map(|(_, curves)| curves.last()).fold(1.0, f64::max);
    if results.run.experiment == "load" && last < FEW {
        return None;
    }
    let rates = cases.iter().flat_map(|(_, curves)| curves.rates()).collect::<Vec<_>>();
    // On one scale, low curves would be flat.
    let mosts = || cases.iter().map(|(_, curves)| curves.rates().into_iter().fold(0.0, f64::max));
    let is_one_scale = mosts().fold(f64::MAX, f64::min) * FAR_APART >= mosts().fold(0.0, f64::max);
    let by_server = cases.iter().any(|(_, curves)| !curves.server.middle.is_empty());
    let has_rounds = cases.iter().any(|(_, curves)| curves.client.rounds.len() > 1);
    let has_errors = cases.iter().any(|(_, curves)| !curves.client.errors.is_empty());
    let width = cases.iter().map(|(_, curves)| curves.bucket).max().unwrap_or(1);

    let panel = |(line, curves): &(&Line<'_>, Curves)| {
        let label = names.label(line.case);
        let chart = Chart {
            label: format!("Curves: {unit} in each second. {label}"),
            x: Scale::seconds(last),
            x_title: "second".into(),
            x_names: Scale::seconds(last).ticks_of_seconds(),
            y: Scale::from_zero(if is_one_scale { rates.clone() } else { curves.rates() }.into_iter()),
            y_title: format!("{unit}/s"),
            ends_title: String::new(),
            series: vec![curves.client.series("c0"), curves.server.series("c1")],
            places: curves.places(unit),
            height: 150.0,
        };
        Panel::draw(if cases.len() > 1 { label } else { String::new() }, cases.len() == 1, |width| chart.draw(width))
    };
    let mut legend = vec![Key::new("line c0", "the client's clock: answers that came within the second")];
    let of_server = match results.run.experiment.as_str() {
        "load" => "the server's counter: rows inserted, not yet committed ones included",
        _ => "the server's clock: rows by the time they were written at",
    };
    legend.extend(by_server.then(|| Key::new("line c1", of_server)));
    legend.extend(has_errors.then(|| Key::new("dot error", "seconds with errors")));
    let mut caption = format!("{} within each second, from the start.", unit_of(unit));
    if has_rounds {
        caption += " The strong line is the median of the rounds, the faint ones are the rounds.";
    }
    if width > 1 {
        caption += &format!(" Each point is the mean of {width} seconds.");
    }
    if !is_one_scale {
        caption += " Each picture has a scale of its own.";
    }
    caption += " Parts of a second, at the end and by the server's clock at the start too, are left out.";
    Some(Figure {
        id: "seconds".into(),
        title: "Second by second".into(),
        legend,
        panels: cases.iter().map(panel).collect(),
        caption,
        table: numbers(&cases, &names, by_server),
        ..Figure::default()
    })
}

/// A case's, by both clocks.
struct Curves {
    client: Curve,
    server: Curve,
    /// Seconds of a point.
    bucket: u32,
}

/// All rounds by one clock, as (second, rate).
#[derive(Default)]
struct Curve {
    rounds: Vec<Vec<(f64, f64)>>,
    middle: Vec<(f64, f64)>,
    /// Seconds, and how many.
    errors: Vec<(f64, u64)>,
}

impl Curves {
    fn of(results: &Results, line: &Line<'_>) -> Option<Self> {
        let of_case = || results.samples.iter().filter(|sample| sample.case == line.case.id && sample.round > 0);
        let both = |sample: &Sample| sample.curve.iter().chain(&sample.server_curve).map(|tick| tick.second).max();
        let last = of_case().filter_map(both).max()?;
        let bucket = last / MOST + 1;
        let client = Curve::of(of_case().map(|sample| &sample.curve[..]), bucket, false);
        let server = Curve::of(of_case().map(|sample| &sample.server_curve[..]), bucket, true);
        Some(Self { client, server, bucket })
    }

    fn last(&self) -> f64 {
        let ends = self.client.middle.iter().chain(&self.server.middle).map(|(second, _)| *second);
        ends.fold(0.0, f64::max)
    }

    fn rates(&self) -> Vec<f64> {
        let rounds = self.client.rounds.iter().chain(&self.server.rounds).flatten();
        rounds.map(|(_, rate)| *rate).collect()
    }

    fn places(&self, unit: &str) -> Vec<(f64, String)> {
        let longer = if self.client.middle.len() >= self.server.middle.len() { &self.client } else { &self.server };
        let told = |second: f64| {
            let mut text = format!("second {second}");
            for (clock, curve) in [("client", &self.client), ("server", &self.server)] {
                if let Some(rate) = curve.at(second) {
                    text += &format!("\n{clock}: {} {unit}/s", short(rate));
                }
            }
            if let Some((_, n)) = self.client.errors.iter().find(|(at, _)| *at == second) {
                text += &format!("\nerrors: {n}");
            }
            text
        };
        longer.middle.iter().map(|(second, _)| (*second, told(*second))).collect()
    }
}

impl Curve {
    /// `by_server`: its clock, whose first second began before the run.
    fn of<'s>(rounds: impl Iterator<Item = &'s [Tick]>, bucket: u32, by_server: bool) -> Self {
        let mut curve = Self::default();
        let mut of_buckets = BTreeMap::<u32, Vec<f64>>::new();
        for ticks in rounds.filter(|ticks| !ticks.is_empty()) {
            let whole = whole_seconds(ticks, by_server);
            let first_of = |at: u32| f64::from(at * bucket);
            // A second that the file does not name had nothing.
            let mut rates: BTreeMap<u32, f64> =
                (whole.start / bucket..=(whole.end - 1) / bucket).map(|at| (at, 0.0)).collect();
            for tick in ticks {
                let at = tick.second / bucket;
                if tick.errors > 0 {
                    curve.add_errors(first_of(at), tick.errors);
                }
                if whole.contains(&tick.second) {
                    let seconds = whole.end.min((at + 1) * bucket) - whole.start.max(at * bucket);
                    *rates.entry(at).or_default() += tick.rows as f64 / f64::from(seconds);
                }
            }
            rates.iter().for_each(|(at, rate)| of_buckets.entry(*at).or_default().push(*rate));
            curve.rounds.push(rates.into_iter().map(|(at, rate)| (first_of(at), rate)).collect());
        }
        let median = |rates: &[f64]| Summary::of(rates).map_or(0.0, |summary| summary.median);
        curve.middle = of_buckets.iter().map(|(at, rates)| (f64::from(at * bucket), median(rates))).collect();
        curve
    }

    fn add_errors(&mut self, second: f64, n: u64) {
        match self.errors.iter_mut().find(|(at, _)| *at == second) {
            Some((_, sum)) => *sum += n,
            None => self.errors.push((second, n)),
        }
    }

    fn at(&self, second: f64) -> Option<f64> {
        self.middle.iter().find(|(at, _)| *at == second).map(|(_, rate)| *rate)
    }

    fn series(&self, class: &str) -> Series {
        Series {
            class: class.into(),
            points: self.middle.clone(),
            faint: if self.rounds.len() > 1 { self.rounds.clone() } else { Vec::new() },
            errors: self.errors.iter().map(|(second, _)| *second).collect(),
            ..Series::default()
        }
    }
}

/// The seconds that were measured whole: the run ends within its last second. If there are only a few seconds, all count.
fn whole_seconds(ticks: &[Tick], by_server: bool) -> Range<u32> {
    let seconds = || ticks.iter().map(|tick| tick.second);
    let (first, last) = (seconds().min().unwrap_or(0), seconds().max().unwrap_or(0));
    let start = if by_server { first + 1 } else { 0 };
    if start + 1 < last { start..last } else { 0..last + 1 }
}

/// A row a second, two columns a case.
fn numbers(cases: &[(&Line<'_>, Curves)], names: &Names<'_>, by_server: bool) -> Table {
    let mut head = vec!["second".to_owned()];
    for (line, _) in cases {
        let label = names.label(line.case);
        head.push(format!("{label}: client"));
        head.extend(by_server.then(|| format!("{label}: server")));
    }
    let mut seconds: Vec<f64> = cases
        .iter()
        .flat_map(|(_, curves)| curves.client.middle.iter().chain(&curves.server.middle))
        .map(|(second, _)| *second)
        .collect();
    seconds.sort_by(f64::total_cmp);
    seconds.dedup();
    let row = |second: &f64| {
        let mut row = vec![series::number(*second)];
        for (_, curves) in cases {
            row.push(cell(curves.client.at(*second)));
            row.extend(by_server.then(|| cell(curves.server.at(*second))));
        }
        row
    };
    Table { head, rows: seconds.iter().map(row).collect() }
}

fn unit_of(unit: &str) -> &'static str {
    if unit == "queries" { "Queries answered" } else { "Rows stored" }
}

/// How many times the lowest curve the highest may be on one scale.
const FAR_APART: f64 = 4.0;

/// The last whole second of a load that is too short for a picture.
const FEW: f64 = 3.0;

/// Points of a curve, about.
const MOST: u32 = 150;

#[cfg(test)]
mod tests {
    use super::*;

    fn tick(second: u32, rows: u64) -> Tick {
        Tick { second, rows, errors: u64::from(rows == 0) }
    }

    #[test]
    fn seconds_are_put_together() {
        let ticks = [tick(0, 10), tick(1, 30), tick(4, 5), tick(5, 1)];
        let curve = Curve::of([&ticks[..], &[]].into_iter(), 2, false);
        assert_eq!(curve.middle, [(0.0, 20.0), (2.0, 0.0), (4.0, 5.0)]);
        let rounds = [vec![tick(0, 1)], vec![tick(0, 9), tick(1, 4)], vec![tick(0, 3), tick(1, 0)]];
        let curve = Curve::of(rounds.iter().map(Vec::as_slice), 1, false);
        assert_eq!((&curve.middle[..], &curve.errors[..]), (&[(0.0, 3.0), (1.0, 2.0)][..], &[(1.0, 1)][..]));
    }

    #[test]
    fn parts_of_seconds_are_no_dips() {
        let ticks = [tick(0, 6), tick(1, 30), tick(2, 31), tick(3, 29), tick(4, 1)];
        let middle = |by_server| Curve::of([&ticks[..]].into_iter(), 1, by_server).middle;
        assert_eq!(middle(true), [(1.0, 30.0), (2.0, 31.0), (3.0, 29.0)]);
        assert_eq!(middle(false), [(0.0, 6.0), (1.0, 30.0), (2.0, 31.0), (3.0, 29.0)]);
        let by_two = Curve::of([&ticks[..]].into_iter(), 2, true);
        assert_eq!(by_two.middle, [(0.0, 30.0), (2.0, 30.0)]);
        // The error in a part of a second is still one.
        let ends = [tick(0, 5), tick(1, 5), tick(2, 5), tick(3, 0)];
        assert_eq!(Curve::of([&ends[..]].into_iter(), 1, false).errors, [(3.0, 1)]);
    }
}
