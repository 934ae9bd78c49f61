//! A read-only server refuses writes of users without a special right.

use super::{Area, Rule};
use crate::doctor::facts::Facts;
use crate::doctor::finding::{Effect, Symptom};

/// The rule.
pub(super) const RULE: Rule = Rule {
    name: "read-only",
    area: Area::Limits,
    about: "A read-only server refuses writes of users without a special right.",
    source: "MySQL manual, read_only",
    check,
};

fn check(facts: &Facts) -> Option<Symptom> {
    let name = ["super_read_only", "read_only", "innodb_read_only"].into_iter().find(|name| {
        facts.var(name).is_some_and(|value| !matches!(value.to_ascii_uppercase().as_str(), "OFF" | "0"))
    })?;
    Some(
        Symptom::new("the server is read-only", Effect::Blocks { what: "writes are refused".into() })
            .because(facts.shown(name))
            .do_this("write to the primary; `SHOW REPLICA STATUS` names it"),
    )
}
