//! Bars: the median rate of each case with its spread and every round, a panel for each group of cases that are compared. Pure.

use super::figure::{Figure, Key, Panel, Table, amount, cell, told};
use super::scale::{Scale, short};
use super::series::{self, Names, Part};
use super::svg::Svg;
use super::text_width::{LABEL, clipped, width as width_of};
use crate::results::{Results, Role};
use crate::table::Line;
use std::collections::BTreeMap;

/// The figure with a bar for each case; `None` if no case has samples.
pub(super) fn figure(results: &Results, lines: &[Line<'_>]) -> Option<Figure> {
    let rounds = Rounds::of(results, lines);
    let scale = Scale::of_rates(rounds.0.values().flatten().copied());
    rounds.0.values().flatten().next()?;
    let unit = lines.first()?.case.unit.name();
    let mut parts = series::by_group(lines);
    // The most rows first, of what was measured: what few take is mostly the start.
    let is_of_one_size = |part: &Part<'_, '_>| part.lines.windows(2).all(|two| two[0].case.rows == two[1].case.rows);
    if parts.iter().all(is_of_one_size) {
        let rows =
            |part: &Part<'_, '_>| part.lines.iter().filter(|line| line.rate.is_some()).map(|line| line.case.rows).max();
        parts.sort_by_key(|part| std::cmp::Reverse(rows(part)));
    }
    let variants = Variants::of(&parts);
    let order = subjects_by_rate(&parts);

    let has_many = parts.len() > 1;
    let panel = |part: &Part<'_, '_>| {
        let names = Names::of(&part.lines, &variants.without());
        let mut cases = part.lines.clone();
        // Stable: the cases of a subject stay in the order of the file.
        cases.sort_by_key(|line| order.iter().position(|subject| *subject == line.case.subject));
        let rows: Vec<Row<'_, '_>> = cases
            .iter()
            .map(|line| Row {
                line,
                label: names.label(line.case),
                full: Names::of(&part.lines, &[]).label(line.case),
                class: variants.class(line),
                rounds: rounds.of_case(&line.case.id),
            })
            .collect();
        let title = if part.title.is_empty() && has_many { "others".to_owned() } else { part.title.clone() };
        let label = format!("Bars: {unit} a second. {title}");
        Panel::draw(title, !has_many, |width| draw(width, &rows, &scale, unit, &label))
    };
    let mut caption = format!(
        "Median {unit} a second of each case; every dot is a round, the line through them reaches over the 95 % interval of the median, or from \
         the least to the most where there are fewer than six rounds."
    );
    if lines.iter().any(|line| line.speed_up.is_some()) {
        caption +=
            " The speed-up is the median of the ratios within each round, so it is not quite the ratio of two medians.";
    }
    if scale.is_log() {
        caption += " The scale is logarithmic: read where a bar ends, not how long it is.";
    }
    Some(Figure {
        id: "rates".into(),
        title: if lines.iter().all(|line| line.case.rows > 0) {
            "How fast each way is"
        } else {
            "How much each case did"
        }
        .into(),
        legend: variants.legend(lines),
        panels: parts.iter().map(panel).collect(),
        caption,
        table: numbers(lines, &parts, unit),
        // For so many bars in one panel another picture is better.
        folded: parts.iter().any(|part| part.lines.len() > MANY),
        ..Figure::default()
    })
}

/// The rates of the rounds that count, by case.
struct Rounds(BTreeMap<String, Vec<f64>>);

impl Rounds {
    fn of(results: &Results, lines: &[Line<'_>]) -> Self {
        let rates =
            |id: &str| results.costs(id).into_iter().map(|(_, cost)| 1.0 / cost).filter(|rate| rate.is_finite());
        Self(lines.iter().map(|line| (line.case.id.clone(), rates(&line.case.id).collect())).collect())
    }

    fn of_case(&self, id: &str) -> &[f64] {
        self.0.get(id).map_or(&[], Vec::as_slice)
    }
}

/// The setting that distinguishes the bars of one subject by colour, if it is one setting of few values.
struct Variants<'r> {
    name: Option<&'r str>,
    values: Vec<&'r str>,
}

impl<'r> Variants<'r> {
    fn of(parts: &[Part<'_, 'r>]) -> Self {
        let mut names: Vec<&str> = parts.iter().flat_map(|part| Names::of(&part.lines, &[]).settings).collect();
        names.sort_unstable();
        names.dedup();
        let subjects = parts.iter().any(|part| Names::of(&part.lines, &[]).subjects);
        let none = Self { name: None, values: Vec::new() };
        let [name] = names[..] else { return none };
        let mut values: Vec<&str> = Vec::new();
        for line in parts.iter().flat_map(|part| &part.lines) {
            let value = line.case.with.get(name).map_or("", String::as_str);
            if !values.contains(&value) {
                values.push(value);
            }
        }
        if subjects && values.len() <= 4 { Self { name: Some(name), values } } else { none }
    }

    fn without(&self) -> Vec<&str> {
        self.name.into_iter().collect()
    }

    fn class(&self, line: &Line<'_>) -> String {
        let of_role = match line.case.role {
            Role::Subject | Role::Lab => "",
            Role::Baseline => " base",
            Role::Limit => " limit",
        };
        let value = self.name.map(|name| line.case.with.get(name).map_or("", String::as_str));
        let place = value.and_then(|value| self.values.iter().position(|one| *one == value)).unwrap_or(0);
        format!("{}{of_role}", self.colour(place))
    }

    /// Numbers are shades of one colour.
    fn colour(&self, place: usize) -> String {
        let are_numbers = self.values.len() > 2 && self.values.iter().all(|value| value.parse::<f64>().is_ok());
        if are_numbers { format!("r{}", 2 + place * 6 / (self.values.len() - 1)) } else { format!("c{place}") }
    }

    fn legend(&self, lines: &[Line<'_>]) -> Vec<Key> {
        let name = self.name.unwrap_or_default();
        let variant = |(i, value): (usize, &&str)| {
            Key::new(
                format!("box {}", self.colour(i)),
                match value.parse::<f64>() {
                    Ok(_) => series::setting(name, value),
                    Err(_) => format!("{} {value}", series::shown(name)),
                },
            )
        };
        let mut keys: Vec<Key> = self.values.iter().enumerate().map(variant).collect();
        let has = |role: Role| lines.iter().any(|line| line.case.role == role);
        if has(Role::Baseline) {
            keys.push(Key::new("rule base", "the baseline"));
        }
        if has(Role::Limit) {
            keys.push(Key::new("rule limit", "the limit: what the server does by itself"));
        }
        keys
    }
}

/// The subjects, the fastest first: by the rate of their best case over the best rate of its group, averaged over all groups.
fn subjects_by_rate<'r>(parts: &[Part<'_, 'r>]) -> Vec<&'r str> {
    let mut subjects: Vec<(&str, f64)> = Vec::new();
    for line in parts.iter().flat_map(|part| &part.lines) {
        if !subjects.iter().any(|(subject, _)| *subject == line.case.subject) {
            subjects.push((&line.case.subject, 0.0));
        }
    }
    for part in parts {
        let best = |of: &dyn Fn(&Line<'_>) -> bool| {
            let rates = part.lines.iter().filter(|line| of(line)).filter_map(|line| line.median_rate());
            rates.fold(0.0, f64::max)
        };
        let most = best(&|_| true);
        for (subject, sum) in subjects.iter_mut().filter(|_| most > 0.0) {
            *sum += best(&|line| line.case.subject == *subject) / most;
        }
    }
    subjects.sort_by(|a, b| b.1.total_cmp(&a.1));
    subjects.into_iter().map(|(subject, _)| subject).collect()
}

/// One bar.
struct Row<'a, 'r> {
    line: &'a Line<'r>,
    /// The text next to the bar; bars with the same label are drawn together.
    label: String,
    /// Its name where it is shown alone.
    full: String,
    class: String,
    rounds: &'a [f64],
}

fn draw(width: f64, rows: &[Row<'_, '_>], scale: &Scale, unit: &str, label: &str) -> String {
    let needed = rows.iter().map(|row| width_of(&row.label, LABEL)).fold(0.0, f64::max) + 12.0;
    // Names that would take more room than the bars are above them.
    let is_above = needed > width * 0.4;
    let left = if is_above { 14.0 } else { needed.max(48.0) };
    let has_times = rows.iter().any(|row| row.line.speed_up.is_some());
    let right = width - if has_times { 124.0 } else { 60.0 };
    let scale = scale.clone().between(left, right);

    let mut places = Vec::new();
    let mut y = TOP;
    for (i, row) in rows.iter().enumerate() {
        let is_first = i == 0 || rows[i - 1].label != row.label;
        if is_first && i > 0 {
            y += GAP;
        }
        if is_first && is_above {
            y += PITCH;
        }
        places.push(y);
        y += PITCH;
    }
    let bottom = y + 4.0;
    let mut svg = Svg::new(width, bottom + 38.0);
    grid(&mut svg, &scale, TOP - 4.0, bottom);
    svg.text(
        "axis m",
        ((left + right) / 2.0, bottom + 33.0),
        &format!("{unit} a second{}", if scale.is_log() { ", logarithmic" } else { "" }),
    );
    svg.text("head e", (width - if has_times { TIMES } else { 2.0 }, TOP - 9.0), &format!("{unit}/s"));
    if has_times {
        svg.text("head e", (width - 2.0, TOP - 9.0), "speed-up");
    }
    let role_rate = |role: Role| {
        let rates = rows.iter().filter(|row| row.line.case.role == role).filter_map(|row| row.line.median_rate());
        rates.fold(None, |most: Option<f64>, rate| Some(most.map_or(rate, |most| most.max(rate))))
    };
    for (role, class) in [(Role::Baseline, "rule base"), (Role::Limit, "rule limit")] {
        if let Some(rate) = role_rate(role) {
            svg.line(class, (scale.at(rate), TOP - 4.0), (scale.at(rate), bottom));
        }
    }
    for (i, (row, y)) in rows.iter().zip(&places).enumerate() {
        let is_first = i == 0 || rows[i - 1].label != row.label;
        if is_first {
            let n = rows[i..].iter().take_while(|other| other.label == row.label).count() as f64;
            match is_above {
                true => svg.text("label over", (2.0, y - 4.0), &clipped(&row.label, width - 4.0, LABEL)),
                false => svg.text("label e", (left - 8.0, y + n * PITCH / 2.0 + 2.5), &row.label),
            }
        }
        bar(&mut svg, row, *y, &scale, left, width, has_times);
    }
    svg.finish("", label)
}

fn bar(svg: &mut Svg, row: &Row<'_, '_>, y: f64, scale: &Scale, left: f64, width: f64, has_times: bool) {
    let middle = y + PITCH / 2.0 - 1.5;
    let mut title = told(row.line, &row.full);
    if row.rounds.len() > 1 && row.rounds.len() <= 12 {
        let rounds: Vec<_> = row.rounds.iter().map(|rate| short(*rate)).collect();
        title += &format!("\nrounds: {}", rounds.join(", "));
    }
    svg.mark(&row.class, &title, |svg| {
        svg.rect("hit", 0.0, y - 1.5, width, PITCH);
        let Some(rate) = &row.line.rate else {
            let what = row.line.cut_at.map_or("not measured".into(), |rows| {
                format!("cut after {} {}", amount(rows as f64), row.line.case.unit.name())
            });
            return svg.text("cut", (left + 5.0, middle + 4.0), &what);
        };
        svg.rect("bar", left, middle - 4.5, scale.at(rate.median) - left, 9.0);
        let (low, high) = rate.interval.map_or((rate.min, rate.max), |interval| (interval.low, interval.high));
        let (low, high) = (scale.at(low), scale.at(high));
        let tick = |x: f64| format!("M{x:.1} {:.1}v5", middle - 2.5);
        svg.path("whisker", &format!("M{low:.1} {middle:.1}H{high:.1}{}{}", tick(low), tick(high)));
        let dots: Vec<_> = row.rounds.iter().map(|rate| (scale.at(*rate), middle)).collect();
        svg.dots("dots", &dots);
        svg.text("value e", (width - if has_times { TIMES } else { 2.0 }, middle + 4.0), &short(rate.median));
        if let Some(times) = row.line.speed_up {
            svg.text("value e", (width - 2.0, middle + 4.0), &format!("{}×", short(times)));
        }
    });
}

/// Upright lines at the ticks, with their labels below.
fn grid(svg: &mut Svg, scale: &Scale, top: f64, bottom: f64) {
    for tick in scale.ticks(4) {
        let class = if tick.label.is_empty() { "grid fine" } else { "grid" };
        svg.line(class, (tick.at, top), (tick.at, bottom));
        svg.text("tick m", (tick.at, bottom + 15.0), &tick.label);
    }
}

fn numbers(lines: &[Line<'_>], parts: &[Part<'_, '_>], unit: &str) -> Table {
    let mut head = vec!["case".to_owned()];
    let has_groups = parts.len() > 1;
    let has_times = lines.iter().any(|line| line.speed_up.is_some());
    let has_limit = lines.iter().any(|line| line.of_limit.is_some());
    head.extend(has_groups.then(|| "group".into()));
    let has_intervals = lines.iter().any(|line| line.rate.as_ref().is_some_and(|rate| rate.interval.is_some()));
    head.extend(["rounds", &format!("{unit}/s: median"), "least", "most"].map(str::to_owned));
    head.extend(has_intervals.then_some(["95 % from", "to"]).into_iter().flatten().map(str::to_owned));
    head.extend(has_times.then(|| "speed-up".into()));
    head.extend(has_limit.then(|| "of the limit".into()));
    let mut rows = Vec::new();
    for part in parts {
        let names = Names::of(&part.lines, &[]);
        for line in &part.lines {
            let rate = line.rate.as_ref();
            let interval = rate.and_then(|rate| rate.interval);
            let mut row = vec![names.label(line.case)];
            row.extend(has_groups.then(|| part.title.clone()));
            row.push(rate.map_or("0".into(), |rate| rate.n.to_string()));
            row.push(match line.cut_at {
                Some(rows) => format!("cut after {}", amount(rows as f64)),
                None => cell(rate.map(|rate| rate.median)),
            });
            row.push(cell(rate.map(|rate| rate.min)));
            row.push(cell(rate.map(|rate| rate.max)));
            if has_intervals {
                row.push(cell(interval.map(|interval| interval.low)));
                row.push(cell(interval.map(|interval| interval.high)));
            }
            row.extend(has_times.then(|| cell(line.speed_up)));
            row.extend(has_limit.then(|| line.of_limit.map_or("–".into(), |share| format!("{:.0} %", share * 100.0))));
            rows.push(row);
        }
    }
    Table { head, rows }
}

const TOP: f64 = 24.0;
const PITCH: f64 = 15.0;
const GAP: f64 = 7.0;
const MANY: usize = 36;

/// How wide the column of speed-ups is.
const TIMES: f64 = 66.0;
