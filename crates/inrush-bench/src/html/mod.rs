//! Results as a page: one file of HTML that needs nothing else, made of the records alone. Pure.
//!
//! ```text
//! results -> table lines -> figures (bars, lines, heat maps, curves, percentiles), each with its numbers -> page
//! ```
//! Pictures are drawn here, as SVG, so that they are visible without a script and on paper. The script only shows a mark's numbers, sorts
//! tables and changes the colours.
//!
//! Invariant: every text of a file goes through [`svg::escaped`].

mod bars;
mod chart;
mod curves;
mod figure;
mod heat;
mod lines;
mod notes;
mod percentiles;
mod scale;
mod series;
mod surroundings;
mod svg;
mod text_width;

use crate::results::{Results, Role, Run};
use crate::table::{self, Line, Style};
pub(crate) use figure::with_code;
use figure::{Figure, Table, amount};
use std::fmt::Write as _;
pub(crate) use svg::escaped;

/// The page. `conclusions` are sentences, the most important one first; text between backticks is code.
pub fn page(results: &Results, conclusions: &[String]) -> String {
    let lines = table::lines(results);
    let run = &results.run;
    let title = title(run);
    let mut out = head(&format!("{} · {}", title, run.server.version), &run.inrush.version);
    // The overhead is text: a case that does nothing would be the longest bar.
    let (own, drawn): (Vec<_>, Vec<_>) = lines.iter().cloned().partition(|line| line.case.role == Role::Lab);
    header(&mut out, results, &drawn, &title, conclusions);
    out += "<main>\n";
    out += &notes::section(results, &drawn);
    for (i, figure) in figures(results, &of_one_unit(&drawn)).iter().enumerate() {
        out += &figure.html(i + 1);
    }
    out += "<section id=\"cases\">\n<h2>All cases</h2>\n";
    for line in &own {
        let _ = writeln!(out, "<p>{}</p>", with_code(&overhead(line, &drawn)));
    }
    let mut cells = table::cells(&lines, Style::Text);
    let head = if cells.is_empty() { Vec::new() } else { cells.remove(0) };
    out += &Table { head, rows: cells }.html("All cases");
    out += "</section>\n";
    out += &surroundings::section(run);
    out += "</main>\n";
    let _ = writeln!(
        out,
        "<footer><p>Made by <code>inrush bench report --html</code> of the records of the run alone: every number here was measured, none is \
         estimated. Experiment <code>{}</code>, format {}.</p></footer>",
        escaped(&run.experiment),
        run.version,
    );
    out + &tail()
}

/// A page from its first byte to the start of its body.
fn head(title: &str, version: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"generator\" content=\"inrush {}\">\n<title>{}</title>\n<link rel=\"icon\" href=\"data:,\">\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n",
        escaped(version),
        escaped(title),
    )
}

/// The end of a page.
fn tail() -> String {
    format!("<div id=\"tip\" role=\"status\" hidden></div>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n")
}

/// A page in the style of the lab's. `kicker` is what made it; `facts` and `body` are HTML.
pub(crate) fn frame(kicker: &str, title: &str, version: &str, facts: &str, body: &str) -> String {
    let (kicker, shown) = (escaped(kicker), escaped(title));
    format!(
        "{}<header>\n<div class=\"top\"><p class=\"kicker\">{kicker}</p>\
         <button id=\"theme\" type=\"button\" hidden>Dark</button></div>\n<h1>{shown}</h1>\n\
         <p class=\"facts\">{facts}</p>\n</header>\n<main>\n{body}</main>\n{}",
        head(title, version),
        tail()
    )
}

/// The lines with the most frequent unit. Pings are not rows, so they get no bar next to those of rows.
fn of_one_unit<'r>(lines: &[Line<'r>]) -> Vec<Line<'r>> {
    let n = |line: &Line<'_>| lines.iter().filter(|other| other.case.unit == line.case.unit).count();
    let unit = lines.iter().max_by_key(|line| n(line)).map(|line| line.case.unit);
    lines.iter().filter(|line| Some(line.case.unit) == unit).cloned().collect()
}

/// The pictures for the file, the most informative first.
fn figures(results: &Results, lines: &[Line<'_>]) -> Vec<Figure> {
    let maps = heat::figures(lines);
    let bars = bars::figure(results, lines);
    let mut figures = Vec::new();
    // A large number of bars is for lookups only; a map and lines show the result.
    let (first, last) = if bars.as_ref().is_some_and(|bars| bars.folded) { (None, bars) } else { (bars, None) };
    figures.extend(first);
    figures.extend(maps);
    figures.extend(lines::figures(lines));
    figures.extend(curves::figure(results, lines));
    figures.extend(percentiles::LATENCY.figure(lines));
    figures.extend(percentiles::ACQUIRE.figure(lines));
    figures.extend(last);
    figures
}

fn header(out: &mut String, results: &Results, lines: &[Line<'_>], title: &str, conclusions: &[String]) {
    let run = &results.run;
    let rounds = results.samples.iter().map(|sample| sample.round).max().unwrap_or(0);
    let by = match run.server.transport.as_str() {
        "" => String::new(),
        transport => format!(" by {transport}"),
    };
    let facts = [
        format!("{}{by}", run.server.version),
        format!("{} cases, {rounds} {}", results.cases.len(), if rounds == 1 { "round" } else { "rounds" }),
        format!("inrush {}", run.inrush.version),
    ];
    let facts: Vec<String> = facts.iter().map(|fact| format!("<span>{}</span>", escaped(fact))).collect();
    let _ = write!(
        out,
        "<header>\n<div class=\"top\"><p class=\"kicker\">inrush bench {}</p>\
         <button id=\"theme\" type=\"button\" hidden>Dark</button></div>\n<h1>{}</h1>\n\
         <p class=\"facts\"><time datetime=\"{}\">{}</time>{}</p>\n",
        escaped(&run.experiment),
        escaped(title),
        escaped(&run.at),
        escaped(&date(&run.at)),
        facts.concat(),
    );
    let own = answer(lines);
    let mut sentences = conclusions.iter().map(String::as_str).filter(|text| !text.trim().is_empty());
    if let Some(first) = sentences.next().or(own.as_deref()) {
        let _ = writeln!(out, "<p class=\"answer\">{}</p>", with_code(first));
    }
    let more: Vec<&str> = sentences.collect();
    if !more.is_empty() {
        let items: String = more.iter().map(|text| format!("<li>{}</li>", with_code(text))).collect();
        let _ = writeln!(out, "<ul class=\"answers\">{items}</ul>");
    }
    *out += "</header>\n";
}

/// The answer for an experiment without its own conclusion: the fastest case.
fn answer(lines: &[Line<'_>]) -> Option<String> {
    let ours = lines.iter().filter(|line| line.case.role != Role::Limit);
    let (line, rate) = ours.filter_map(|line| Some((line, line.median_rate()?))).max_by(|a, b| a.1.total_cmp(&b.1))?;
    Some(format!("The fastest case is `{}`: {} {} a second.", line.case.id, amount(rate), line.case.unit.name()))
}

/// How far a case that does nothing is from those that do something.
fn overhead(line: &Line<'_>, drawn: &[Line<'_>]) -> String {
    let of_group = drawn.iter().filter(|other| other.case.group == line.case.group);
    let fastest = of_group.filter_map(Line::median_rate).fold(0.0, f64::max);
    let rate = line.median_rate().unwrap_or_default();
    let times =
        if fastest > 0.0 { format!(", {} × the fastest beside it", amount(rate / fastest)) } else { String::new() };
    let (id, unit) = (&line.case.id, line.case.unit.name());
    format!("`{id}` is what the lab itself takes, and in no picture: {} {unit} a second{times}.", amount(rate))
}

fn title(run: &Run) -> String {
    let doing = run.options.get("operation").map(String::as_str);
    let title = match (run.experiment.as_str(), doing) {
        ("insert", Some("update")) => "Ways to change rows",
        ("insert", Some("delete")) => "Ways to delete rows",
        ("insert", _) => "Ways to write rows",
        ("sweep", _) => "How many rows a statement, how many connections",
        ("rtt", _) => "Writing to a server that is far away",
        ("load", _) => "Ways to load a file",
        ("query", _) => "Queries under pressure",
        ("pool", _) => "A pool of connections",
        ("pressure", _) => "What to make concurrent",
        (other, _) => return other.to_owned(),
    };
    title.to_owned()
}

/// `2 January 2026, 03:04 UTC`; a text that is not a time stays unchanged.
fn date(at: &str) -> String {
    at.parse::<jiff::Timestamp>().map_or_else(|_| at.to_owned(), |at| at.strftime("%-d %B %Y, %H:%M UTC").to_string())
}

/// No external resource, whatever text the file contains.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:";

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

#[cfg(test)]
mod tests;
