//! Lines: the rate against a setting that is a number, a line for everything else that a case is; the peak and the knee of each. Pure.

use super::chart::{Chart, Series};
use super::figure::{Figure, Key, Panel, Table, amount, cell};
use super::scale::{Scale, short};
use super::series::{self, Axis, Names, Part};
use crate::results::Role;
use crate::table::Line;
use std::collections::BTreeSet;

/// A figure for each setting that has at least three values.
pub(super) fn figures(lines: &[Line<'_>]) -> Vec<Figure> {
    let all: Vec<&Line<'_>> = lines.iter().collect();
    let mut figures: Vec<Figure> = enough(&all).iter().filter_map(|axis| figure(&all, axis)).collect();
    if figures.is_empty() {
        // A setting that only some cases have, such as the round trip, which the direct route lacks.
        let names: BTreeSet<&String> = lines.iter().flat_map(|line| line.case.with.keys()).collect();
        for name in names {
            let with: Vec<&Line<'_>> = lines.iter().filter(|line| line.case.with.contains_key(name)).collect();
            let axes = enough(&with).into_iter().filter(|axis| axis.name == name);
            figures.extend(axes.filter_map(|axis| figure(&with, &axis)));
        }
    }
    figures
}

/// The settings of three values at least.
fn enough<'r>(lines: &[&Line<'r>]) -> Vec<Axis<'r>> {
    series::axes(lines).into_iter().filter(|axis| axis.values.len() >= ENOUGH).collect()
}

fn figure(lines: &[&Line<'_>], axis: &Axis<'_>) -> Option<Figure> {
    let unit = lines.first()?.case.unit.name();
    let has_place = |line: &&Line<'_>| series::place(line.case, axis.name).is_some();
    let placed: Vec<&Line<'_>> = lines.iter().copied().filter(has_place).collect();
    // A single case is not a line; its bar is elsewhere.
    let on_axis: Vec<&Line<'_>> = series::together(&placed, &[axis.name])
        .into_iter()
        .filter(|line| line.len() > 1)
        .flatten()
        .filter(|line| line.rate.is_some())
        .collect();
    // A setting that only other cases have makes no line.
    if !series::together(&on_axis, &[axis.name]).iter().any(|line| line.len() >= ENOUGH) {
        return None;
    }
    let rates: Vec<f64> =
        on_axis.iter().filter_map(|line| line.rate.as_ref()).flat_map(|rate| [rate.min, rate.max]).collect();
    let parts = series::split(Part { title: String::new(), lines: on_axis }, &[axis.name], MOST);
    // Lines of one thing are compared by how far they are below its peak, so the axis begins at zero. Lines of several things are too
    // far apart for that.
    let are_ramps = parts.iter().all(|part| Ramp::of(&Names::of(&part.lines, &[axis.name]), &part.lines).is_some());
    let rates = rates.into_iter();
    let y = if are_ramps { Scale::from_zero(rates) } else { Scale::of_rates(rates) };
    let name = series::shown(axis.name);
    let mut colours = Colours::default();
    let mut table = Table { head: vec!["line".into()], rows: Vec::new() };
    table.head.extend(axis.values.iter().map(|value| series::number(*value)));
    table.head.extend(["peak", "at", "90 % of it at", "below 90 % again at"].map(str::to_owned));
    let mut best: Option<(LineShape, String)> = None;
    let (n_parts, mut panels) = (parts.len(), Vec::new());
    for part in &parts {
        // Lines have names, single cases have none.
        let names = Names::of(if n_parts == 1 { &placed } else { &part.lines }, &[axis.name]);
        let ramp = Ramp::of(&names, &part.lines);
        let mut all = Vec::new();
        for cases in series::together(&part.lines, &[axis.name]) {
            let Some(first) = cases.first() else { continue };
            let label = names.label(first.case);
            let points = Points::of(&cases, axis);
            let shape = points.shape();
            table.rows.push(points.row(axis, &shape, &titled(&part.title, &label)));
            let is_better =
                |best: &Option<(LineShape, String)>| best.as_ref().is_none_or(|(other, _)| shape.peak.1 > other.peak.1);
            if first.case.role != Role::Limit && is_better(&best) {
                best = Some((shape.clone(), titled(&part.title, &label)));
            }
            let number = colours.number(&label);
            let class = match (first.case.role, &ramp) {
                (Role::Baseline, _) => "base".to_owned(),
                (Role::Limit, _) => "limit".to_owned(),
                (_, Some(ramp)) => ramp.class(first),
                _ => format!("c{}", number % COLOURS),
            };
            let is_line = points.medians.len() > 1;
            all.push(Series {
                end: ramp.as_ref().and_then(|ramp| ramp.value(first)).unwrap_or_else(|| label.clone()),
                label,
                class,
                shape: Some(number / COLOURS),
                peak: is_line.then_some(shape.peak),
                knee: (is_line && shape.knee.0 < shape.peak.0).then_some(shape.knee),
                points: points.medians,
                band: points.bands,
                ..Series::default()
            });
        }
        let places = axis.values.iter().map(|value| (*value, told(*value, &name, &all, unit)));
        let x = Scale::of_axis(&axis.values);
        let chart = Chart {
            label: format!("Lines: {unit} a second against {name}. {}", part.title),
            x_title: name.clone() + if x.is_even() { " (evenly spaced)" } else { ", logarithmic" },
            x,
            x_names: axis.values.iter().map(|value| (*value, series::number(*value))).collect(),
            y_title: format!("{unit}/s{}", if y.is_log() { ", logarithmic" } else { "" }),
            y: y.clone(),
            places: places.collect(),
            // Names of lines need space.
            height: (all.len() as f64 * 13.0 + 10.0).max(if n_parts > 1 { 210.0 } else { 260.0 }),
            ends_title: ramp.map(|ramp| series::shown(ramp.name)).unwrap_or_default(),
            series: all,
        };
        panels.push(Panel::draw(part.title.clone(), n_parts == 1, |width| chart.draw(width)));
    }
    let finding = best.map(|(shape, label)| shape.told(&name, &label, unit)).unwrap_or_default();
    Some(Figure {
        id: format!("by-{}", axis.name),
        title: format!("By {name}"),
        finding,
        legend: vec![
            Key::new("sign peak", "peak"),
            Key::new("sign knee", "knee: the first to reach 90 % of the peak"),
            Key::new("box band", "least to most"),
        ],
        panels,
        caption: format!(
            "Median {unit} a second by {name}; the band reaches from the least to the most of the rounds."
        ),
        table,
        folded: false,
    })
}

/// The medians of one line, ascending, with the least and the most.
struct Points {
    medians: Vec<(f64, f64)>,
    bands: Vec<(f64, f64)>,
}

/// The description of a line.
#[derive(Clone, Debug, PartialEq)]
struct LineShape {
    peak: (f64, f64),
    knee: (f64, f64),
    /// Where more became less.
    fall: Option<f64>,
}

impl Points {
    fn of(cases: &[&Line<'_>], axis: &Axis<'_>) -> Self {
        let point = |line: &&Line<'_>| {
            let rate = line.rate.as_ref()?;
            Some(((series::place(line.case, axis.name)?, rate.median), (rate.min, rate.max)))
        };
        let mut points: Vec<_> = cases.iter().filter_map(point).collect();
        points.sort_by(|a, b| a.0.0.total_cmp(&b.0.0));
        // Two cases with the same value on this axis do not differ in the picture: keep the first.
        points.dedup_by(|a, b| a.0.0 == b.0.0);
        let (medians, bands) = points.into_iter().unzip();
        Self { medians, bands }
    }

    fn shape(&self) -> LineShape {
        let peak =
            self.medians.iter().copied().fold((0.0, 0.0), |best, point| if point.1 > best.1 { point } else { best });
        let enough = |point: &&(f64, f64)| point.1 >= NEAR * peak.1;
        let knee = self.medians.iter().find(enough).copied().unwrap_or(peak);
        let fall = self.medians.iter().find(|point| point.0 > peak.0 && point.1 < NEAR * peak.1).map(|point| point.0);
        LineShape { peak, knee, fall }
    }

    fn row(&self, axis: &Axis<'_>, shape: &LineShape, label: &str) -> Vec<String> {
        let at = |value: &f64| self.medians.iter().find(|(place, _)| place == value).map(|(_, rate)| *rate);
        let mut row = vec![label.to_owned()];
        row.extend(axis.values.iter().map(|value| cell(at(value))));
        row.extend([amount(shape.peak.1), series::number(shape.peak.0), series::number(shape.knee.0)]);
        row.push(shape.fall.map_or("–".into(), series::number));
        row
    }
}

impl LineShape {
    fn told(&self, name: &str, label: &str, unit: &str) -> String {
        let mut text = format!(
            "The highest line is `{label}`: {} {unit}/s at {name} {}",
            short(self.peak.1),
            series::number(self.peak.0)
        );
        if self.knee.0 < self.peak.0 {
            text += &format!("; 90 % of that from {} on", series::number(self.knee.0));
        }
        if let Some(fall) = self.fall {
            text += &format!("; from {} on it is below 90 %", series::number(fall));
        }
        text + "."
    }
}

/// Shades for lines that differ by one number.
struct Ramp<'r> {
    name: &'r str,
    values: Vec<f64>,
}

impl<'r> Ramp<'r> {
    fn of(names: &Names<'r>, lines: &[&Line<'r>]) -> Option<Self> {
        let [name] = names.settings[..] else { return None };
        let axis = series::axes(lines).into_iter().find(|axis| axis.name == name)?;
        (!names.subjects && axis.values.len() >= ENOUGH).then_some(Self { name, values: axis.values })
    }

    fn value(&self, line: &Line<'_>) -> Option<String> {
        series::place(line.case, self.name).map(series::number)
    }

    fn class(&self, line: &Line<'_>) -> String {
        let place = series::place(line.case, self.name).unwrap_or_default();
        let i = self.values.iter().position(|value| *value >= place).unwrap_or(0);
        format!("r{}", 2 + i * 6 / (self.values.len() - 1))
    }
}

/// A number for each name, the same in all panels.
#[derive(Default)]
pub(super) struct Colours(Vec<String>);

impl Colours {
    pub(super) fn number(&mut self, label: &str) -> usize {
        self.0.iter().position(|other| other == label).unwrap_or_else(|| {
            self.0.push(label.to_owned());
            self.0.len() - 1
        })
    }
}

/// All lines at one place, the highest first.
fn told(at: f64, name: &str, all: &[Series], unit: &str) -> String {
    let here = |series: &Series| {
        let i = series.points.iter().position(|(place, _)| *place == at)?;
        let (low, high) = series.band.get(i).copied().unwrap_or_default();
        Some((series.points[i].1, low, high, series.label.clone()))
    };
    let mut here: Vec<_> = all.iter().filter_map(here).collect();
    here.sort_by(|a, b| b.0.total_cmp(&a.0));
    let lines = here.iter().map(|(median, low, high, label)| {
        format!("\n{label}: {} ({} to {})", short(*median), short(*low), short(*high))
    });
    format!("{name} {}, {unit}/s{}", series::number(at), lines.collect::<String>())
}

fn titled(title: &str, label: &str) -> String {
    if title.is_empty() { label.to_owned() } else { format!("{label}, {title}") }
}

/// Values that make a line.
const ENOUGH: usize = 3;

/// Lines in one panel.
const MOST: usize = 12;

/// As the style sheet has them.
pub(super) const COLOURS: usize = 8;

/// The share of the peak that counts as near it.
const NEAR: f64 = 0.9;

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(rates: &[f64], peak: f64, knee: f64, fall: Option<f64>) {
        let medians: Vec<_> = rates.iter().enumerate().map(|(i, rate)| (i as f64, *rate)).collect();
        let shape = Points { bands: vec![(0.0, 0.0); medians.len()], medians }.shape();
        assert_eq!((shape.peak.0, shape.knee.0, shape.fall), (peak, knee, fall));
    }

    #[test]
    fn the_knee_comes_before_the_peak() {
        check(&[1.0, 5.0, 9.5, 10.0, 9.0, 8.0], 3.0, 2.0, Some(5.0));
        check(&[1.0, 2.0, 3.0], 2.0, 2.0, None);
        check(&[7.0], 0.0, 0.0, None);
        check(&[10.0, 1.0, 9.9], 0.0, 0.0, Some(1.0));
    }
}
