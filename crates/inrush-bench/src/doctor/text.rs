//! The findings as text for a terminal.

use super::Examination;
use crate::wrap::wrapped;
use inrush::sans_io::human;
use std::fmt::Write as _;

/// The findings, wrapped to `width` columns.
pub fn shown(examination: &Examination, width: usize) -> String {
    let Examination { server, table, findings, n_rules, is_probed, has_twins, unknown } = examination;
    let mut out = match table {
        Some(table) => format!("{table} on {server}\n"),
        None => format!("{server}\n"),
    };
    let mut paragraph = |indent: usize, text: &str| {
        let blanks = " ".repeat(indent);
        let _ = write!(out, "{blanks}{}", wrapped(text.split(' '), width.saturating_sub(indent), &blanks));
    };
    for (i, finding) in findings.iter().enumerate() {
        paragraph(0, "");
        paragraph(0, &format!("{}. {}  [{}]", i + 1, finding.title, finding.rule));
        paragraph(3, &finding.effect.shown());
        for evidence in &finding.evidence {
            paragraph(3, &format!("- {evidence}"));
        }
        paragraph(3, &format!("do: {}", finding.advice));
        if let Some(risk) = finding.risk.shown() {
            paragraph(3, &format!("risk: {risk}"));
        }
    }
    paragraph(0, "");
    for unknown in unknown {
        paragraph(0, &format!("not known: {unknown}"));
    }
    let found = match findings.len() {
        0 => "nothing found".to_owned(),
        n => human::counted(n as u64, "finding"),
    };
    let changed = match (is_probed, has_twins) {
        (false, false) => "nothing was changed",
        (true, false) => "the probe's schema is dropped",
        (false, true) => "nothing was changed but on twins, which are removed",
        (true, true) => "the probe's schema is dropped, the twins are removed",
    };
    paragraph(0, &format!("{found} by {n_rules} rules; {changed}"));
    out.trim_end().to_owned()
}
