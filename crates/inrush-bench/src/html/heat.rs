//! Heat maps: the rate by two settings that are numbers, a panel for everything else that a case is. Pure.

use super::figure::{Figure, Key, Panel, Table, amount, told};
use super::scale::short;
use super::series::{self, Axis, Names};
use super::svg::Svg;
use super::text_width::{SMALL, width as width_of};
use crate::table::Line;

/// One figure for each pair of settings if most of its combinations were measured, the largest first.
pub(super) fn figures(lines: &[Line<'_>]) -> Vec<Figure> {
    let measured: Vec<&Line<'_>> = lines.iter().filter(|line| line.rate.is_some()).collect();
    let axes = series::axes(&measured);
    let mut maps: Vec<(usize, Figure)> = Vec::new();
    for (i, a) in axes.iter().enumerate() {
        for b in &axes[i + 1..] {
            // The setting with more values is on the vertical axis, which has room for any number.
            let (x, y) = if a.values.len() > b.values.len() { (b, a) } else { (a, b) };
            maps.extend(figure(&measured, x, y).map(|figure| (x.values.len() * y.values.len(), figure)));
        }
    }
    maps.sort_by_key(|(cells, _)| std::cmp::Reverse(*cells));
    maps.into_iter().map(|(_, figure)| figure).take(MOST).collect()
}

fn figure(lines: &[&Line<'_>], x: &Axis<'_>, y: &Axis<'_>) -> Option<Figure> {
    let unit = lines.first()?.case.unit.name();
    let without = [x.name, y.name];
    let slices: Vec<Slice<'_, '_>> =
        series::together(lines, &without).into_iter().filter_map(|cases| Slice::of(cases, x, y)).collect();
    let (x_name, y_name) = (series::shown(x.name), series::shown(y.name));
    let colours = Colours::of(slices.iter().flat_map(|slice| &slice.cells).map(|cell| cell.rate))?;
    let firsts: Vec<&Line<'_>> = slices.iter().filter_map(|slice| slice.cells.first().map(|cell| cell.line)).collect();
    let names = Names::of(&firsts, &without);

    let mut table = Table { head: vec![format!("{y_name} \\ {x_name}")], rows: Vec::new() };
    table.head.extend(x.values.iter().map(|value| series::number(*value)));
    let panel = |slice: &Slice<'_, '_>| {
        let first = slice.cells.first().map(|cell| names.label(cell.line.case)).unwrap_or_default();
        let title = if slices.len() > 1 { first } else { String::new() };
        let label = format!("Heat map: {unit} a second by {x_name} and {y_name}. {title}");
        Panel::draw(title, slices.len() == 1, |width| slice.draw(&colours, width, &label))
    };
    for slice in &slices {
        let title = slice.cells.first().map(|cell| names.label(cell.line.case)).filter(|_| slices.len() > 1);
        for value in slice.y.values.iter().rev() {
            let head = title.iter().map(|title| format!("{title}: ")).collect::<String>() + &series::number(*value);
            let cells =
                x.values.iter().map(|at| slice.cell(*at, *value).map_or("–".into(), |cell| amount(cell.rate)));
            table.rows.push(std::iter::once(head).chain(cells).collect());
        }
    }
    let peak = slices.iter().flat_map(|slice| &slice.cells).max_by(|a, b| a.rate.total_cmp(&b.rate))?;
    let finding = format!(
        "The peak is {} {unit}/s, at {x_name} {} and {y_name} {}.",
        short(peak.rate),
        series::number(peak.x),
        series::number(peak.y)
    );
    Some(Figure {
        id: format!("{}-and-{}", x.name, y.name),
        title: format!("{} and {y_name} together", sentence(&x_name)),
        finding,
        legend: colours.legend(unit),
        panels: slices.iter().map(panel).collect(),
        caption: format!(
            "Median {unit} a second by {x_name} and {y_name}{}. The frame is the peak of a map, dots are cells with 90 % of it or more.",
            if colours.is_log { "; shades by logarithm" } else { "" }
        ),
        table,
        folded: false,
    })
}

/// The cases that differ in nothing but the two settings.
struct Slice<'a, 'r> {
    x: Axis<'r>,
    y: Axis<'r>,
    cells: Vec<Cell<'a, 'r>>,
}

struct Cell<'a, 'r> {
    x: f64,
    y: f64,
    rate: f64,
    line: &'a Line<'r>,
}

impl<'a, 'r> Slice<'a, 'r> {
    /// Returns `None` if most of the map would be empty.
    fn of(cases: Vec<&'a Line<'r>>, x: &Axis<'r>, y: &Axis<'r>) -> Option<Self> {
        let cell = |line: &'a Line<'r>| {
            let (x, y) = (series::place(line.case, x.name)?, series::place(line.case, y.name)?);
            Some(Cell { x, y, rate: line.median_rate()?, line })
        };
        let cells: Vec<Cell<'_, '_>> = cases.into_iter().filter_map(cell).collect();
        let used = |axis: &Axis<'r>, at: fn(&Cell<'_, '_>) -> f64| {
            let values = axis.values.iter().copied().filter(|value| cells.iter().any(|cell| at(cell) == *value));
            Axis { name: axis.name, values: values.collect() }
        };
        let (x, y) = (used(x, |cell| cell.x), used(y, |cell| cell.y));
        let all = x.values.len() * y.values.len();
        let is_map = x.values.len() > 1 && y.values.len() > 1 && cells.len() as f64 >= FULL_ENOUGH * all as f64;
        is_map.then_some(Self { x, y, cells })
    }

    fn cell(&self, x: f64, y: f64) -> Option<&Cell<'a, 'r>> {
        self.cells.iter().find(|cell| cell.x == x && cell.y == y)
    }

    fn draw(&self, colours: &Colours, width: f64, label: &str) -> String {
        let names = |axis: &Axis<'_>| axis.values.iter().map(|value| series::number(*value)).collect::<Vec<_>>();
        let (x_names, y_names) = (names(&self.x), names(&self.y));
        let longest = y_names.iter().map(|name| width_of(name, SMALL)).fold(0.0, f64::max);
        let (left, top) = (longest + 14.0, 20.0);
        let n = x_names.len() as f64;
        // Cells that are far wider than high are hard to compare.
        let cell_width = ((width - left - 2.0) / n).min(150.0);
        let cell_height = 27.0;
        let bottom = top + cell_height * y_names.len() as f64;
        let right = left + cell_width * n;
        let mut svg = Svg::new(width, bottom + 40.0);
        let size = if cell_width < 44.0 { " small" } else { "" };
        let most = self.cells.iter().map(|cell| cell.rate).fold(0.0, f64::max);

        svg.text("axis", (2.0, 11.0), &series::shown(self.y.name));
        svg.text("axis m", ((left + right) / 2.0, bottom + 34.0), &series::shown(self.x.name));
        for (i, name) in x_names.iter().enumerate() {
            svg.text("tick m", (left + (i as f64 + 0.5) * cell_width, bottom + 16.0), name);
        }
        let mut frame = None;
        // The first value of the vertical axis is at the bottom, as on any other axis.
        for (j, (name, y)) in y_names.iter().zip(&self.y.values).enumerate() {
            let from_top = bottom - (j as f64 + 1.0) * cell_height;
            svg.text("tick e", (left - 7.0, from_top + cell_height / 2.0 + 4.0), name);
            for (i, x) in self.x.values.iter().enumerate() {
                let from_left = left + i as f64 * cell_width;
                let (middle, line) = (from_left + cell_width / 2.0, from_top + cell_height / 2.0 + 4.0);
                let Some(cell) = self.cell(*x, *y) else {
                    svg.rect("no-cell", from_left, from_top, cell_width, cell_height);
                    continue;
                };
                let shade = colours.shade(cell.rate);
                svg.mark(&format!("cell k{shade}"), &told(cell.line, &self.named(cell)), |svg| {
                    svg.rect("", from_left, from_top, cell_width, cell_height);
                    svg.text(&format!("m{size}"), (middle, line), &short(cell.rate));
                    if cell.rate >= 0.9 * most {
                        svg.dots("near", &[(from_left + cell_width - 5.0, from_top + 5.0)]);
                    }
                });
                if cell.rate >= most {
                    frame = Some((from_left, from_top));
                }
            }
        }
        if let Some((x, y)) = frame {
            svg.rect("frame", x, y, cell_width, cell_height);
        }
        svg.finish("", label)
    }

    fn named(&self, cell: &Cell<'_, '_>) -> String {
        let at = |axis: &Axis<'_>, value: f64| format!("{} {}", series::shown(axis.name), series::number(value));
        format!("{}: {}, {}", cell.line.case.subject, at(&self.x, cell.x), at(&self.y, cell.y))
    }
}

/// Nine shades between the least and the most of all panels.
struct Colours {
    least: f64,
    most: f64,
    is_log: bool,
}

impl Colours {
    fn of(rates: impl Iterator<Item = f64>) -> Option<Self> {
        let (least, most) = rates.filter(|rate| rate.is_finite() && *rate > 0.0).fold(None, |bounds, rate| {
            let (least, most): (f64, f64) = bounds.unwrap_or((rate, rate));
            Some((least.min(rate), most.max(rate)))
        })?;
        Some(Self { least, most, is_log: most > 30.0 * least })
    }

    fn shade(&self, rate: f64) -> usize {
        let share = match self.is_log {
            true => (rate / self.least).ln() / (self.most / self.least).ln(),
            false => (rate - self.least) / (self.most - self.least),
        };
        if share.is_finite() { (share.clamp(0.0, 1.0) * 8.0).round() as usize } else { 8 }
    }

    fn legend(&self, unit: &str) -> Vec<Key> {
        let mut keys = vec![Key::new("blank", format!("{} {unit}/s", short(self.least))), Key::new("box k0 first", "")];
        keys.extend((1..8).map(|shade| Key::new(format!("box k{shade} joined"), "")));
        keys.push(Key::new("box k8 joined", short(self.most)));
        keys
    }
}

fn sentence(words: &str) -> String {
    let mut chars = words.chars();
    chars.next().map(|first| first.to_uppercase().collect::<String>() + chars.as_str()).unwrap_or_default()
}

/// Maps of one page.
const MOST: usize = 3;

/// Cells of a map that must have been measured.
const FULL_ENOUGH: f64 = 0.6;
