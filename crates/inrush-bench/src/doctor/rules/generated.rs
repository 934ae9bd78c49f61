//! A stored generated column is computed for each row that is written.

use super::{Area, Rule};
use crate::doctor::facts::Facts;
use crate::doctor::finding::Symptom;
use inrush::sans_io::human;

/// The rule.
pub(super) const RULE: Rule = Rule {
    name: "generated",
    area: Area::Table,
    about: "A stored generated column is computed for each row that is written.",
    source: "MySQL manual, 'CREATE TABLE and Generated Columns'",
    check,
};

fn check(facts: &Facts) -> Option<Symptom> {
    let table = facts.table.as_ref().filter(|table| !table.generated.is_empty())?;
    Some(
        Symptom::known(
            format!("each row computes {}", human::counted(table.generated.len() as u64, "stored column")),
            0.5,
            "the expression, once a row, and its bytes on the disk",
        )
        .because(table.generated.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "))
        .do_this("VIRTUAL instead of STORED, where no one needs the stored value"),
    )
}
