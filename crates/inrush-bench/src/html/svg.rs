//! Pictures as text: a few shapes, with everything that comes from a file escaped. Pure.
//!
//! Colours and weights are the style sheet's: shapes have classes. A mark's title is its tooltip; where no script runs the
//! browser shows it by itself.

use std::fmt::Write as _;

/// A picture that is being drawn.
#[derive(Debug)]
pub(super) struct Svg {
    width: f64,
    height: f64,
    body: String,
}

impl Svg {
    pub(super) fn new(width: f64, height: f64) -> Self {
        Self { width, height, body: String::new() }
    }

    pub(super) fn line(&mut self, class: &str, from: (f64, f64), to: (f64, f64)) {
        let ((x1, y1), (x2, y2)) = ((num(from.0), num(from.1)), (num(to.0), num(to.1)));
        self.push(format_args!(r#"<path class="{class}" d="M{x1} {y1}L{x2} {y2}"/>"#));
    }

    /// Left, top, width, height.
    pub(super) fn rect(&mut self, class: &str, x: f64, y: f64, width: f64, height: f64) {
        let [x, y, width, height] = [x, y, width.max(0.0), height.max(0.0)].map(num);
        self.push(format_args!(r#"<rect class="{class}" x="{x}" y="{y}" width="{width}" height="{height}"/>"#));
    }

    /// Through all points.
    pub(super) fn polyline(&mut self, class: &str, points: &[(f64, f64)]) {
        self.path(class, &joined(points));
    }

    /// Between an upper and a lower edge.
    pub(super) fn band(&mut self, class: &str, upper: &[(f64, f64)], lower: &[(f64, f64)]) {
        let around: Vec<_> = upper.iter().chain(lower.iter().rev()).copied().collect();
        self.path(class, &(joined(&around) + "Z"));
    }

    /// One path for all of them, because there may be thousands.
    pub(super) fn dots(&mut self, class: &str, points: &[(f64, f64)]) {
        let d: String = points.iter().map(|(x, y)| format!("M{} {}h0", num(*x), num(*y))).collect();
        self.path(class, &d);
    }

    /// Draws one of a few shapes around a point; `number` selects the shape.
    pub(super) fn shape(&mut self, class: &str, number: usize, (x, y): (f64, f64), r: f64) {
        let d = match number % 4 {
            0 => format!("M{} {}a{r} {r} 0 1 0 {} 0a{r} {r} 0 1 0 -{} 0Z", num(x - r), num(y), 2.0 * r, 2.0 * r),
            1 => format!("M{} {}h{}v{}h-{}Z", num(x - r), num(y - r), 2.0 * r, 2.0 * r, 2.0 * r),
            2 => format!("M{} {}l{r} {}h-{}Z", num(x), num(y - r), 2.0 * r, 2.0 * r),
            _ => format!("M{} {}l{r} {r}l-{r} {r}l-{r} -{r}Z", num(x), num(y - r)),
        };
        self.path(class, &d);
    }

    pub(super) fn path(&mut self, class: &str, d: &str) {
        self.push(format_args!(r#"<path class="{class}" d="{d}"/>"#));
    }

    /// `class` also sets the text's place relative to the point: `e` ends there, `m` has its middle there.
    pub(super) fn text(&mut self, class: &str, (x, y): (f64, f64), text: &str) {
        let (x, y, text) = (num(x), num(y), escaped(text));
        self.push(format_args!(r#"<text class="{class}" x="{x}" y="{y}">{text}</text>"#));
    }

    /// Draws one mark with `draw`; the first line of its `title` is its name.
    pub(super) fn mark(&mut self, class: &str, title: &str, draw: impl FnOnce(&mut Self)) {
        self.push(format_args!(r#"<g class="mark {class}"><title>{}</title>"#, escaped(title)));
        draw(self);
        self.body.push_str("</g>\n");
    }

    /// The element; `label` is its description for screen readers.
    pub(super) fn finish(self, class: &str, label: &str) -> String {
        let (width, height) = (num(self.width), num(self.height));
        let label = escaped(label);
        format!(
            "<svg class=\"{class}\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" role=\"group\" aria-label=\"{label}\">\n{}</svg>\n",
            self.body
        )
    }

    fn push(&mut self, text: std::fmt::Arguments<'_>) {
        // Writing to a String does not fail.
        let _ = self.body.write_fmt(text);
        self.body.push('\n');
    }
}

/// Text, escaped for an element or an attribute.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' => out.push(c),
            // A browser would pass over them, or take NUL for an error.
            c if c.is_control() => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

fn joined(points: &[(f64, f64)]) -> String {
    let step = |(i, (x, y)): (usize, &(f64, f64))| format!("{}{} {}", if i == 0 { 'M' } else { 'L' }, num(*x), num(*y));
    points.iter().enumerate().map(step).collect()
}

/// A tenth of a pixel is enough.
fn num(value: f64) -> String {
    let value = if value.is_finite() { value } else { 0.0 };
    let text = format!("{value:.1}");
    let text = text.strip_suffix(".0").unwrap_or(&text);
    if text == "-0" { "0".into() } else { text.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_from_files_is_text() {
        assert_eq!(escaped("<a b=\"c\" d='e'>&\0"), "&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;\u{fffd}");
        let mut svg = Svg::new(10.0, 10.0);
        svg.mark("", "</title><script>", |svg| svg.text("", (0.0, 1.25), "<b>"));
        let text = svg.finish("", "\"><script>");
        assert!(!text.contains("<script") && !text.contains("<b>"), "{text}");
        assert!(text.contains(r#"<text class="" x="0" y="1.2">&lt;b&gt;</text>"#), "{text}");
    }

    #[test]
    fn numbers_are_places() {
        assert_eq!([1.0, 0.04, -0.04, 12.34, f64::NAN].map(num), ["1", "0", "0", "12.3", "0"]);
    }
}
