//! A statement, and a row, cannot be longer than `max_allowed_packet`.

use super::{Area, Rule};
use crate::doctor::facts::Facts;
use crate::doctor::finding::Symptom;
use inrush::sans_io::human;

/// The rule.
pub(super) const RULE: Rule = Rule {
    name: "max-packet",
    area: Area::Limits,
    about: "A statement, and a row, cannot be longer than `max_allowed_packet`.",
    source: "MySQL manual, max_allowed_packet",
    check,
};

fn check(facts: &Facts) -> Option<Symptom> {
    let bytes = facts.number("max_allowed_packet").filter(|bytes| *bytes < 16 << 20)?;
    Some(
        Symptom::known(
            format!("no statement may be longer than {}", human::bytes(bytes as f64)),
            if bytes < 1 << 20 { 3.0 } else { 0.3 },
            "rows longer than that cannot be stored, and smaller statements cost more round trips",
        )
        .because(facts.shown("max_allowed_packet"))
        .do_this("`SET GLOBAL max_allowed_packet = 67108864`; connections that are opened later have it"),
    )
}
