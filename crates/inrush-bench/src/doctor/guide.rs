//! The list of all rules for the guide: `docs/doctor.md` holds it between two marks, and a test compares them.

use super::RULES;
use std::fmt::Write as _;

/// The rules as tables of Markdown, one an area.
pub fn rules() -> String {
    let mut out = String::new();
    let mut areas = Vec::new();
    for rule in RULES {
        if !areas.contains(&rule.area) {
            areas.push(rule.area);
        }
    }
    areas.sort_by_key(|area| area.shown());
    for area in areas {
        let _ = writeln!(out, "### {}\n\n| rule | what it knows | source |\n|---|---|---|", area.shown());
        for rule in RULES.iter().filter(|rule| rule.area == area) {
            let _ = writeln!(out, "| `{}` | {} | {} |", rule.name, rule.about, rule.source);
        }
        out.push('\n');
    }
    out
}
