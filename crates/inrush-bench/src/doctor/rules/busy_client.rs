//! A load parses, checks and encodes on this machine, next to other programs.

use super::{Area, Rule};
use crate::doctor::facts::Facts;
use crate::doctor::finding::Symptom;

/// The rule.
pub(super) const RULE: Rule = Rule {
    name: "busy-client",
    area: Area::Client,
    about: "A load parses, checks and encodes on this machine, next to other programs.",
    source: "measured by this command",
    check,
};

fn check(facts: &Facts) -> Option<Symptom> {
    let busy = facts.link.busy.filter(|busy| *busy > 0.7)?;
    Some(
        Symptom::known(
            "other programs use this machine's processors",
            2.0,
            "a load parses, checks and encodes here, and waits for them",
        )
        .because(format!("{:.0} % of the processors were in use", busy * 100.0))
        .do_this("load from another machine, or later"),
    )
}
