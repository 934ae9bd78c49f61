//! A trigger runs for each row that is inserted.

use super::{Area, Rule};
use crate::doctor::facts::Facts;
use crate::doctor::finding::Symptom;
use inrush::sans_io::human;

/// The rule.
pub(super) const RULE: Rule = Rule {
    name: "triggers",
    area: Area::Table,
    about: "A trigger runs for each row that is inserted.",
    source: "MySQL manual, 'Trigger Syntax and Examples'",
    check,
};

fn check(facts: &Facts) -> Option<Symptom> {
    let table = facts.table.as_ref().filter(|table| !table.insert_triggers.is_empty())?;
    Some(
        Symptom::known(
            format!("each row runs {}", human::counted(table.insert_triggers.len() as u64, "trigger")),
            4.0,
            "the statements of the trigger, once a row; only they know how much that is",
        )
        .because(table.insert_triggers.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "))
        .do_this("do the trigger's work with one statement when the rows are in, if its meaning allows it"),
    )
}
