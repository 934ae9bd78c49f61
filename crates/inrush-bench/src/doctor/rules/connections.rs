//! Beyond `max_connections` the server refuses further clients.

use super::{Area, Rule};
use crate::doctor::facts::Facts;
use crate::doctor::finding::Symptom;

/// The rule.
pub(super) const RULE: Rule = Rule {
    name: "connections",
    area: Area::Limits,
    about: "Beyond `max_connections` the server refuses further clients.",
    source: "MySQL manual, max_connections",
    check,
};

fn check(facts: &Facts) -> Option<Symptom> {
    let (used, most) = (facts.count("threads_connected")?, facts.number("max_connections")?);
    if used * 10 < most * 9 {
        return None;
    }
    Some(
        Symptom::known("nearly all connections are in use", 2.0, "lanes may be refused, and other clients with them")
            .because(format!("{used} of {most} connections"))
            .do_this("fewer lanes (`--lanes 2`), smaller pools of applications, or a higher `max_connections`"),
    )
}
