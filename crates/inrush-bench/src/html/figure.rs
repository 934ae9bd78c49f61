//! A figure of the page: panels of pictures, the meaning of the colours, the finding, and the numbers as a table below. Pure.

use super::svg::escaped;
use crate::table::Line;
use crate::table::grouped;
use std::fmt::Write as _;

/// The gap between two lines of text.
#[derive(Debug, Default)]
pub(super) struct Figure {
    /// The id of the element.
    pub(super) id: String,
    pub(super) title: String,
    /// A sentence, in which `this` is code.
    pub(super) finding: String,
    pub(super) legend: Vec<Key>,
    pub(super) panels: Vec<Panel>,
    /// How to read it.
    pub(super) caption: String,
    pub(super) table: Table,
    /// Whether it is shown only on request.
    pub(super) folded: bool,
}

/// One picture of a figure.
#[derive(Debug)]
pub(super) struct Panel {
    pub(super) title: String,
    /// For a whole line of a large screen; `None` if panels are shown side by side.
    pub(super) wide: Option<String>,
    /// For half of it, or for a telephone.
    pub(super) narrow: String,
}

/// What a colour or a sign means.
#[derive(Debug)]
pub(super) struct Key {
    /// How it is drawn, and in which colour.
    pub(super) class: String,
    pub(super) text: String,
}

/// Numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct Table {
    pub(super) head: Vec<String>,
    /// The first cell is what the others are of.
    pub(super) rows: Vec<Vec<String>>,
}

impl Panel {
    /// Drawn as wide as there is room for, if it is the only one.
    pub(super) fn draw(title: String, is_only: bool, draw: impl Fn(f64) -> String) -> Self {
        Self { title, wide: is_only.then(|| draw(WIDE)), narrow: draw(NARROW) }
    }
}

impl Key {
    pub(super) fn new(class: impl Into<String>, text: impl Into<String>) -> Self {
        Self { class: class.into(), text: text.into() }
    }
}

impl Figure {
    /// The element; `number` counts from 1.
    pub(super) fn html(&self, number: usize) -> String {
        let mut out = format!("<figure id=\"{}\">\n<h2>{}</h2>\n", escaped(&self.id), escaped(&self.title));
        if !self.finding.is_empty() {
            let _ = writeln!(out, "<p class=\"finding\">{}</p>", with_code(&self.finding));
        }
        if self.folded {
            out += "<details class=\"pictures\"><summary>Show the picture</summary>\n";
        }
        if !self.legend.is_empty() {
            out += "<ul class=\"legend\">";
            for Key { class, text } in &self.legend {
                let _ = write!(out, "<li><i class=\"{class}\"></i>{}</li>", escaped(text));
            }
            out += "</ul>\n";
        }
        let _ = writeln!(out, "<div class=\"panels{}\">", if self.panels.len() > 1 { " many" } else { "" });
        for panel in &self.panels {
            out += "<div class=\"panel\">\n";
            if !panel.title.is_empty() {
                let _ = writeln!(out, "<h3>{}</h3>", escaped(&panel.title));
            }
            out += panel.wide.as_deref().unwrap_or_default();
            out += &panel.narrow;
            out += "</div>\n";
        }
        out += "</div>\n";
        if self.folded {
            out += "</details>\n";
        }
        let _ = writeln!(out, "<figcaption><b>Figure {number}.</b> {}</figcaption>", with_code(&self.caption));
        if !self.table.rows.is_empty() {
            let summary = format!("Numbers of figure {number}");
            let _ = writeln!(
                out,
                "<details class=\"numbers\"><summary>{summary}</summary>{}</details>",
                self.table.html(&summary)
            );
        }
        out + "</figure>\n"
    }
}

impl Table {
    /// In a box of its own, which scrolls where it is too wide.
    pub(super) fn html(&self, label: &str) -> String {
        let mut out = format!(
            "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"{}\"><table class=\"sortable\"><thead><tr>",
            escaped(label)
        );
        let class = |column: usize| if self.is_words(column) { " class=\"words\"" } else { "" };
        let classes: Vec<&str> = (0..self.head.len()).map(class).collect();
        for (head, class) in self.head.iter().zip(&classes) {
            let _ = write!(out, "<th scope=\"col\"{class}>{}</th>", escaped(head));
        }
        out += "</tr></thead><tbody>\n";
        for row in &self.rows {
            out += "<tr>";
            for (i, cell) in row.iter().enumerate() {
                let cell = escaped(cell);
                let _ = match i {
                    0 => write!(out, "<th scope=\"row\">{cell}</th>"),
                    _ => write!(out, "<td{}>{cell}</td>", classes.get(i).unwrap_or(&"")),
                };
            }
            out += "</tr>\n";
        }
        out + "</tbody></table></div>\n"
    }

    /// Whether no cell of the column is a number.
    fn is_words(&self, column: usize) -> bool {
        let cells = || self.rows.iter().filter_map(|row| row.get(column));
        !cells().any(|cell| cell.starts_with(|c: char| c.is_ascii_digit()))
            && cells().any(|cell| cell.starts_with(char::is_alphabetic))
    }
}

/// Text with code between backticks.
pub(crate) fn with_code(text: &str) -> String {
    let mut out = String::new();
    let mut parts = text.split('`').peekable();
    let mut is_code = false;
    while let Some(part) = parts.next() {
        match is_code && parts.peek().is_some() {
            true => out += &format!("<code>{}</code>", escaped(part)),
            // A backtick without another is one.
            false if is_code => out += &format!("`{}", escaped(part)),
            // A number and its sign stay on one line.
            false => out += &escaped(&part.replace(" %", "\u{a0}%")),
        }
        is_code = !is_code;
    }
    out
}

/// The result of a case, for a tooltip: its name first, a line for each number.
pub(super) fn told(line: &Line<'_>, label: &str) -> String {
    let unit = line.case.unit.name();
    let mut text = label.to_owned();
    if let Some(rows) = line.cut_at {
        text += &format!("\ncut after {} {unit}", grouped(rows as f64, 0));
    }
    let Some(rate) = &line.rate else {
        return text + if line.cut_at.is_none() { "\nnot measured" } else { "" };
    };
    text += &format!("\n{} {unit}/s, median of {}", amount(rate.median), rate.n);
    text += &format!("\nleast {}, most {}", amount(rate.min), amount(rate.max));
    if let Some(interval) = rate.interval {
        text += &format!("\n95 % interval {} to {}", amount(interval.low), amount(interval.high));
    }
    if let Some(times) = line.speed_up {
        text += &format!("\n{} × the baseline", amount(times));
    }
    if let Some(share) = line.of_limit {
        text += &format!("\n{:.0} % of the limit", share * 100.0);
    }
    if rate.two_modes {
        text += "\ntwo groups of rounds: the median is typical of neither";
    }
    text
}

/// A number for readers: with thousands separators, three digits at least.
pub(super) fn amount(value: f64) -> String {
    let digits = match value.abs() {
        size if size >= 100.0 => 0,
        size if size >= 10.0 => 1,
        size if size >= 1.0 => 2,
        _ => 3,
    };
    grouped(value, digits)
}

pub(super) fn cell(value: Option<f64>) -> String {
    value.map_or("–".into(), amount)
}

/// The width of the page's column, and about half of it.
pub(super) const WIDE: f64 = 900.0;
pub(super) const NARROW: f64 = 436.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backticks_are_code() {
        assert_eq!(with_code("use `a<b>`, not `c"), "use <code>a&lt;b&gt;</code>, not `c");
        assert_eq!(with_code("``"), "<code></code>");
    }

    #[test]
    fn amounts_have_three_digits() {
        assert_eq!([75_544.2, 57.71, 1.234, 0.01].map(amount), ["75,544", "57.7", "1.23", "0.010"]);
    }
}
