//! Warnings about the numbers: an incomplete run, cases that were cut, outliers, errors. Pure.

use super::figure::{amount, with_code};
use crate::results::{End, Results, Sample};
use crate::table::Line;
use std::fmt::Write as _;

/// A list, or nothing.
pub(super) fn section(results: &Results, lines: &[Line<'_>]) -> String {
    let mut notes = Vec::new();
    notes.extend(ending(results));
    notes.extend(results.run.left_out.iter().map(|one| one.sentence() + "."));
    notes.extend(cut(lines));
    notes.extend(errors(lines));
    notes.extend(lines.iter().filter_map(two_modes));
    notes.extend(lines.iter().filter_map(|line| outliers(results, line)));
    notes.extend(rounds(lines));
    if notes.is_empty() {
        return String::new();
    }
    let item = |note: &String| format!("<li>{}</li>\n", with_code(note));
    let (first, more) = notes.split_at(notes.len().min(MANY));
    let mut out = "<aside id=\"notes\">\n<h2>To be read with care</h2>\n<ul>\n".to_owned();
    out.extend(first.iter().map(item));
    out += "</ul>\n";
    if !more.is_empty() {
        let _ = writeln!(out, "<details><summary>{} more</summary><ul>", more.len());
        out.extend(more.iter().map(item));
        out += "</ul></details>\n";
    }
    out + "</aside>\n"
}

fn ending(results: &Results) -> Option<String> {
    match &results.end {
        None => Some("The run was killed: this is what it had measured.".into()),
        Some(end) if !end.complete => {
            let reason = end.reason.as_deref().unwrap_or("it was interrupted");
            Some(format!("The run did not come to its end: {reason}."))
        }
        Some(End { reason: Some(why), .. }) => Some(format!("Fewer rounds than usual: {why}.")),
        _ => None,
    }
}

fn cut(lines: &[Line<'_>]) -> Option<String> {
    let cut: Vec<String> = lines
        .iter()
        .filter_map(|line| Some((line, line.cut_at?)))
        .map(|(line, rows)| format!("`{}` after {} {}", line.case.id, amount(rows as f64), line.case.unit.name()))
        .collect();
    (!cut.is_empty()).then(|| format!("Cut by the time cap and not run again, so without a rate: {}.", listed(&cut)))
}

fn errors(lines: &[Line<'_>]) -> Option<String> {
    let failed = lines.iter().filter(|line| !line.errors.is_empty());
    let failed: Vec<String> = failed.map(|line| format!("`{}` ({})", line.case.id, line.shown_errors())).collect();
    (!failed.is_empty()).then(|| format!("Errors by code, which were counted and survived: {}.", listed(&failed)))
}

fn two_modes(line: &Line<'_>) -> Option<String> {
    let summary = summary(line)?;
    summary
        .two_modes
        .then(|| format!("`{}`: the rounds fall into two groups, the median is typical of neither.", line.case.id))
}

fn outliers(results: &Results, line: &Line<'_>) -> Option<String> {
    let summary = summary(line)?;
    let counts = |sample: &&Sample| sample.case == line.case.id && sample.round > 0 && !sample.cut;
    let rounds: Vec<&Sample> = results.samples.iter().filter(counts).collect();
    let told = |i: &usize| {
        let sample = rounds.get(*i)?;
        let value = if line.case.rows > 0 { sample.seconds } else { sample.rows as f64 / sample.seconds };
        Some(format!("round {} ({} × the median)", sample.round, amount(value / summary.median)))
    };
    let apart: Vec<String> = summary.outliers.iter().filter_map(told).collect();
    let what = if line.case.rows > 0 { "time" } else { "rate" };
    (!apart.is_empty()).then(|| format!("`{}`: far from the others by its {what}: {}.", line.case.id, listed(&apart)))
}

/// The summary of the varying quantity: the seconds, or the rate of a case that runs for a fixed time.
fn summary<'l>(line: &'l Line<'_>) -> Option<&'l crate::stats::Summary> {
    if line.case.rows > 0 { line.seconds.as_ref() } else { line.rate.as_ref() }
}

fn rounds(lines: &[Line<'_>]) -> Option<String> {
    let least = lines.iter().filter_map(|line| line.rate.as_ref()).map(|rate| rate.n).min()?;
    (least < ENOUGH).then(|| {
        "Fewer than six rounds have no interval: read small differences as none. `--full` runs as many as it takes."
            .into()
    })
}

/// The first few of them.
fn listed(all: &[String]) -> String {
    let more = all.len().saturating_sub(MANY);
    let mut text = all[..all.len() - more].join(", ");
    if more > 0 {
        text += &format!(" and {more} more");
    }
    text
}

const MANY: usize = 6;

/// Rounds that have an interval.
const ENOUGH: usize = 6;
