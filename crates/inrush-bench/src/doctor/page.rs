//! The findings as a page: one file of HTML that needs nothing else.

use super::{Examination, Finding};
use crate::html::{escaped, with_code};
use std::fmt::Write as _;

/// The page.
pub fn page(examination: &Examination, version: &str) -> String {
    let Examination { server, table, findings, n_rules, unknown, .. } = examination;
    let title = match table {
        Some(table) => format!("What slows writing to {table}"),
        None => "What slows writing to this server".to_owned(),
    };
    let mut body = String::new();
    for (i, finding) in findings.iter().enumerate() {
        section(&mut body, i + 1, finding);
    }
    if findings.is_empty() {
        body += "<section><h2>Nothing found</h2></section>\n";
    }
    if !unknown.is_empty() {
        let items: String = unknown.iter().map(|line| format!("<li>{}</li>", with_code(line))).collect();
        let _ = writeln!(body, "<section id=\"unknown\"><h2>What could not be read</h2><ul>{items}</ul></section>");
    }
    let about = format!("{} of {n_rules} rules apply", findings.len());
    let facts = format!("{}<span>{}</span><span>inrush {}</span>", escaped(server), escaped(&about), escaped(version));
    crate::html::frame("inrush doctor", &title, version, &facts, &body)
}

fn section(out: &mut String, number: usize, finding: &Finding) {
    let evidence: String = finding.evidence.iter().map(|line| format!("<li>{}</li>", with_code(line))).collect();
    let risk = finding.risk.shown().map(|risk| format!("<p><b>Risk</b> {}</p>", with_code(&risk))).unwrap_or_default();
    let _ = writeln!(
        out,
        "<section id=\"{}\"><h2>{number}. {}</h2>\n<p class=\"answer\">{}</p>\n<ul>{evidence}</ul>\n<p><b>Do</b> {}</p>\n{risk}\
         <p class=\"facts\">{}<span>{}</span></p></section>",
        finding.rule,
        with_code(&finding.title),
        with_code(&finding.effect.shown()),
        with_code(&finding.advice),
        finding.rule,
        escaped(finding.source),
    );
}
