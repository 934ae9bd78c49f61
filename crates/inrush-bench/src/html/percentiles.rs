//! Percentiles: how long the slowest took, from the median to one in ten thousand, a line a case. Pure.

use super::chart::{Chart, Series};
use super::figure::{Figure, Panel, Table, cell};
use super::lines::{COLOURS, Colours};
use super::scale::{Scale, short};
use super::series::{self, Names, Part};
use crate::histogram::Latencies;
use crate::results::Role;
use crate::table::Line;

/// What was timed.
pub(super) struct Timed {
    pub(super) id: &'static str,
    pub(super) title: &'static str,
    /// As in `time to ..`.
    pub(super) what: &'static str,
    pub(super) of: for<'l> fn(&'l Line<'_>) -> Option<&'l Latencies>,
}

/// Each statement.
pub(super) const LATENCY: Timed = Timed {
    id: "latency",
    title: "How long a statement takes",
    what: "from when a statement should have been sent to its answer",
    of: |line| line.latency.as_ref(),
};

/// Each connection out of a pool.
pub(super) const ACQUIRE: Timed = Timed {
    id: "acquire",
    title: "How long a connection is waited for",
    what: "to get a connection out of the pool",
    of: |line| line.acquire.as_ref(),
};

impl Timed {
    /// The figure; `None` if nothing was timed.
    pub(super) fn figure(&self, lines: &[Line<'_>]) -> Option<Figure> {
        let of = |line: &Line<'_>| (self.of)(line).filter(|all| all.count() > 0).is_some();
        let parts = series::by_group(lines).into_iter().filter_map(|part| {
            let timed: Vec<_> = part.lines.into_iter().filter(|line| of(line)).collect();
            (!timed.is_empty()).then_some(Part { title: part.title, lines: timed })
        });
        let parts = series::by_common_setting(parts.collect()).into_iter();
        let parts: Vec<Part<'_, '_>> = parts.flat_map(|part| series::split(part, &[], MOST)).collect();
        let all = || parts.iter().flat_map(|part| &part.lines).filter_map(|line| (self.of)(line));
        let points = || all().flat_map(points);
        points().next()?;
        let y = Scale::log(points().map(|(_, ms)| ms));
        let highest = points().map(|(share, _)| share).fold(0.5, f64::max);
        let mut colours = Colours::default();
        let mut table = Table { head: Vec::new(), rows: Vec::new() };
        table.head.extend(["case", "count", "mean ms"].map(str::to_owned));
        table.head.extend(COLUMNS.iter().map(|(_, name)| format!("p{name} ms")));
        table.head.push("max ms".into());
        let panels = parts.iter().map(|part| {
            let names = Names::of(&part.lines, &[]);
            let mut drawn = Vec::new();
            for line in &part.lines {
                let Some(timed) = (self.of)(line) else { continue };
                let label = names.label(line.case);
                let number = colours.number(&label);
                let head = if parts.len() > 1 { format!("{label}, {}", part.title) } else { label.clone() };
                table.rows.push(row(head.trim_end_matches(", ").to_owned(), timed));
                let class = match line.case.role {
                    Role::Baseline => "base".to_owned(),
                    Role::Limit => "limit".to_owned(),
                    Role::Subject | Role::Lab => format!("c{}", number % COLOURS),
                };
                drawn.push(Series {
                    end: label.clone(),
                    label,
                    class,
                    shape: Some(number / COLOURS),
                    points: points_of(timed),
                    ..Series::default()
                });
            }
            let places = SHARES.iter().filter(|(share, _)| drawn.iter().any(|series| at(series, *share).is_some()));
            let chart = Chart {
                label: format!("Percentiles of the time {}. {}", self.what, part.title),
                x: Scale::tail(highest),
                x_title: "percentile, by what is left of it".into(),
                x_names: COLUMNS
                    .iter()
                    .filter(|(share, _)| *share <= highest)
                    .map(|(share, name)| (*share, (*name).into()))
                    .collect(),
                y: y.clone(),
                y_title: "ms, logarithmic".into(),
                places: places.map(|(share, name)| (*share, told(name, *share, &drawn))).collect(),
                height: (drawn.len() as f64 * 13.0 + 10.0).max(if parts.len() > 1 { 210.0 } else { 250.0 }),
                ends_title: String::new(),
                series: drawn,
            };
            Panel::draw(part.title.clone(), parts.len() == 1, |width| chart.draw(width))
        });
        let panels = panels.collect();
        Some(Figure {
            id: self.id.into(),
            title: self.title.into(),
            panels,
            caption: format!(
                "Milliseconds {}, all rounds together. A line ends where too few were counted to say more: the 99.9th percentile needs a thousand.",
                self.what
            ),
            table,
            ..Figure::default()
        })
    }
}

fn row(label: String, timed: &Latencies) -> Vec<String> {
    let ms = |share: f64| timed.quantile(share).as_secs_f64() * 1e3;
    let mut row = vec![label, timed.count().to_string(), exact(timed.mean().as_secs_f64() * 1e3)];
    row.extend(COLUMNS.iter().map(|(share, _)| if can_say(timed, *share) { exact(ms(*share)) } else { cell(None) }));
    row.push(exact(timed.max().as_secs_f64() * 1e3));
    row
}

fn exact(ms: f64) -> String {
    format!("{ms:.3}")
}

fn points(timed: &Latencies) -> impl Iterator<Item = (f64, f64)> {
    let shares = SHARES.iter().map(|(share, _)| *share).filter(|share| can_say(timed, *share));
    shares.map(|share| (share, timed.quantile(share).as_secs_f64() * 1e3))
}

fn points_of(timed: &Latencies) -> Vec<(f64, f64)> {
    points(timed).collect()
}

/// Whether at least one sample is beyond this share.
fn can_say(timed: &Latencies, share: f64) -> bool {
    timed.count() as f64 * (1.0 - share) >= 0.999_999
}

fn at(series: &Series, share: f64) -> Option<f64> {
    series.points.iter().find(|(place, _)| *place == share).map(|(_, ms)| *ms)
}

/// The text for all lines at one percentile, the slowest first: their order in the picture.
fn told(name: &str, share: f64, drawn: &[Series]) -> String {
    let mut here: Vec<(f64, &str)> =
        drawn.iter().filter_map(|series| Some((at(series, share)?, series.label.as_str()))).collect();
    here.sort_by(|a, b| b.0.total_cmp(&a.0));
    let lines = here.iter().map(|(ms, label)| format!("\n{label}: {} ms", short(*ms)));
    format!("{name} % took no longer than{}", lines.collect::<String>())
}

/// Lines in one panel.
const MOST: usize = 12;

/// Where a line has its points.
const SHARES: [(f64, &str); 9] = [
    (0.5, "50"),
    (0.75, "75"),
    (0.9, "90"),
    (0.95, "95"),
    (0.99, "99"),
    (0.995, "99.5"),
    (0.999, "99.9"),
    (0.9995, "99.95"),
    (0.9999, "99.99"),
];

/// What the table and the axis name.
const COLUMNS: [(f64, &str); 6] =
    [(0.5, "50"), (0.9, "90"), (0.95, "95"), (0.99, "99"), (0.999, "99.9"), (0.9999, "99.99")];
