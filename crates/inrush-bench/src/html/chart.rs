//! Lines over an axis: the common part of sweeps, percentiles and seconds. Every place of the axis has a mark that shows the numbers of
//! all lines there. Pure.

use super::scale::Scale;
use super::svg::Svg;
use super::text_width::{SMALL, clipped, width as width_of};

/// A picture of lines.
#[derive(Debug)]
pub(super) struct Chart {
    /// Its description.
    pub(super) label: String,
    pub(super) x: Scale,
    pub(super) x_title: String,
    /// The values that the axis may name.
    pub(super) x_names: Vec<(f64, String)>,
    pub(super) y: Scale,
    pub(super) y_title: String,
    pub(super) series: Vec<Series>,
    /// Above the names of the lines.
    pub(super) ends_title: String,
    /// A place of the axis and its text.
    pub(super) places: Vec<(f64, String)>,
    pub(super) height: f64,
}

/// One line of it.
#[derive(Debug, Default)]
pub(super) struct Series {
    pub(super) label: String,
    /// The text at its end; may be empty.
    pub(super) end: String,
    pub(super) class: String,
    /// The shape of its points; `None` if there are too many points.
    pub(super) shape: Option<usize>,
    pub(super) points: Vec<(f64, f64)>,
    /// The least and the most at each point.
    pub(super) band: Vec<(f64, f64)>,
    /// Lines that the other one is the middle of.
    pub(super) faint: Vec<Vec<(f64, f64)>>,
    /// The most that it reaches, and where it comes near that.
    pub(super) peak: Option<(f64, f64)>,
    pub(super) knee: Option<(f64, f64)>,
    /// Where something went wrong.
    pub(super) errors: Vec<f64>,
}

impl Chart {
    pub(super) fn draw(&self, width: f64) -> String {
        let (left, top) = (54.0, 22.0);
        let texts = self.series.iter().map(|series| &series.end).chain([&self.ends_title]);
        let longest = texts.map(|text| width_of(text, SMALL)).fold(0.0, f64::max);
        let right = width - if longest > 0.0 { (longest + ENDS).clamp(50.0, width * MOST_ENDS) } else { 12.0 };
        let bottom = top + self.height;
        let x = self.x.clone().between(left, right);
        let y = self.y.clone().between(bottom, top);
        let mut svg = Svg::new(width, bottom + 40.0);

        for tick in y.ticks((self.height / 44.0) as usize) {
            let class = if tick.label.is_empty() { "grid fine" } else { "grid" };
            svg.line(class, (left, tick.at), (right, tick.at));
            svg.text("tick e", (left - 7.0, tick.at + 4.0), &tick.label);
        }
        svg.line("rim", (left, bottom), (right, bottom));
        self.name_places(&mut svg, &x, bottom);
        svg.text("axis m", ((left + right) / 2.0, bottom + 34.0), &self.x_title);
        svg.text("axis", (2.0, 11.0), &self.y_title);
        svg.text("axis", (right + 18.0, 11.0), &self.ends_title);

        let on = |points: &[(f64, f64)]| points.iter().map(|(a, b)| (x.at(*a), y.at(*b))).collect::<Vec<_>>();
        for series in self.series.iter().filter(|series| series.band.len() > 1) {
            let edge = |pick: fn(&(f64, f64)) -> f64| {
                let points = series.points.iter().zip(&series.band).map(|((at, _), band)| (*at, pick(band)));
                on(&points.collect::<Vec<_>>())
            };
            svg.band(&format!("band {}", series.class), &edge(|band| band.1), &edge(|band| band.0));
        }
        for series in &self.series {
            series.faint.iter().for_each(|line| svg.polyline(&format!("faint {}", series.class), &on(line)));
        }
        for series in &self.series {
            let points = on(&series.points);
            svg.polyline(&format!("line {}", series.class), &points);
            if let Some(number) = series.shape {
                points.iter().for_each(|at| svg.shape(&format!("point {}", series.class), number, *at, 3.0));
            }
            for (sign, number, at) in [("knee", 3, series.knee), ("peak", 0, series.peak)] {
                if let Some((at_x, at_y)) = at {
                    let r = if sign == "knee" { 6.5 } else { 6.0 };
                    svg.shape(&format!("{sign} {}", series.class), number, (x.at(at_x), y.at(at_y)), r);
                }
            }
            let errors: Vec<_> = series.errors.iter().map(|at| (x.at(*at), bottom - 4.0)).collect();
            if !errors.is_empty() {
                svg.dots("error", &errors);
            }
        }
        self.label_ends(&mut svg, &x, &y, right, (top, bottom), width);
        self.mark_places(&mut svg, &x, &y, top, bottom, (left, right));
        svg.finish("", &self.label)
    }

    fn name_places(&self, svg: &mut Svg, x: &Scale, bottom: f64) {
        let half = |name: &str| width_of(name, SMALL) / 2.0;
        // The last one always has its name.
        let last = self.x_names.len().saturating_sub(1);
        let end = self.x_names.last().map_or(0.0, |(value, name)| x.at(*value) - half(name) - 5.0);
        let mut free = f64::MIN;
        for (i, (value, name)) in self.x_names.iter().enumerate() {
            let at = x.at(*value);
            let half = half(name);
            svg.line("rim", (at, bottom), (at, bottom + 4.0));
            if i == last || (at - half >= free && at + half <= end) {
                svg.text("tick m", (at, bottom + 17.0), name);
                free = at + half + 7.0;
            }
        }
    }

    /// Draws the names of the lines next to their ends, without overlap.
    fn label_ends(&self, svg: &mut Svg, x: &Scale, y: &Scale, right: f64, (top, bottom): (f64, f64), width: f64) {
        let mut ends: Vec<(&Series, (f64, f64))> = self
            .series
            .iter()
            .filter(|series| !series.end.is_empty())
            .filter_map(|series| series.points.last().map(|(a, b)| (series, (x.at(*a), y.at(*b)))))
            .collect();
        ends.sort_by(|a, b| a.1.1.total_cmp(&b.1.1));
        let wanted: Vec<f64> = ends.iter().map(|(_, (_, y))| *y).collect();
        for ((series, from), at) in ends.iter().zip(apart(&wanted, 13.0, top, bottom)) {
            svg.line(&format!("lead {}", series.class), (from.0 + 5.0, from.1), (right + 14.0, at));
            let name = (right + 18.0, at + 4.0);
            svg.text(&format!("end {}", series.class), name, &clipped(&series.end, width - right - ENDS, SMALL));
        }
    }

    /// From halfway to the place before to halfway to the next one.
    fn mark_places(&self, svg: &mut Svg, x: &Scale, y: &Scale, top: f64, bottom: f64, ends: (f64, f64)) {
        let at: Vec<f64> = self.places.iter().map(|(value, _)| x.at(*value)).collect();
        for (i, (value, title)) in self.places.iter().enumerate() {
            let from = if i == 0 { ends.0 - 6.0 } else { (at[i - 1] + at[i]) / 2.0 };
            let to = at.get(i + 1).map_or(ends.1 + 6.0, |next| (at[i] + next) / 2.0);
            svg.mark("place", title, |svg| {
                svg.rect("hit", from, top - 4.0, to - from, bottom - top + 22.0);
                svg.line("cross", (at[i], top), (at[i], bottom));
                let here = self.series.iter().filter_map(|series| series.points.iter().find(|(a, _)| a == value));
                let here: Vec<_> = here.map(|(_, b)| (at[i], y.at(*b))).collect();
                if !here.is_empty() && here.len() * self.places.len() <= MANY {
                    svg.dots("here", &here);
                }
            });
        }
    }
}

/// Places `gap` apart at least and as near as can be to those that are wanted, which ascend.
fn apart(wanted: &[f64], gap: f64, top: f64, bottom: f64) -> Vec<f64> {
    let mut at = wanted.to_vec();
    for i in 1..at.len() {
        at[i] = at[i].max(at[i - 1] + gap);
    }
    // Labels that were pushed out below are pushed up again, with those above.
    let mut most = bottom;
    for place in at.iter_mut().rev() {
        *place = place.min(most);
        most = *place - gap;
    }
    // More than there is room for: from the top on.
    let mut least = top;
    for place in &mut at {
        *place = place.max(least);
        least = *place + gap;
    }
    at
}

/// Between the end of the axis and the edge, without the names of the lines.
const ENDS: f64 = 20.0;

/// The share of a picture that names of lines may take.
const MOST_ENDS: f64 = 0.56;

/// Dots in all tooltips together.
const MANY: usize = 600;

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(wanted: &[f64], want: &[f64]) {
        assert_eq!(apart(wanted, 10.0, 0.0, 100.0), want);
    }

    #[test]
    fn names_do_not_lie_upon_each_other() {
        check(&[], &[]);
        check(&[5.0, 50.0], &[5.0, 50.0]);
        check(&[50.0, 51.0, 52.0], &[50.0, 60.0, 70.0]);
        check(&[99.0, 99.0, 100.0], &[80.0, 90.0, 100.0]);
        assert_eq!(apart(&[1.0; 12], 10.0, 0.0, 100.0)[..2], [0.0, 10.0]);
    }
}
