//! For each row the parent row is looked up and locked.

use super::{Area, Rule};
use crate::doctor::facts::Facts;
use crate::doctor::finding::Symptom;
use inrush::sans_io::human;

/// The rule.
pub(super) const RULE: Rule = Rule {
    name: "foreign-keys",
    area: Area::Table,
    about: "For each row the parent row is looked up and locked.",
    source: "MySQL manual, 'FOREIGN KEY Constraints'",
    check,
};

fn check(facts: &Facts) -> Option<Symptom> {
    let table = facts.table.as_ref().filter(|table| !table.parents.is_empty())?;
    Some(
        Symptom::known(
            format!("each row is looked up in {}", human::counted(table.parents.len() as u64, "other table")),
            table.parents.len() as f64 * 0.8,
            "a look-up and a shared lock in the parent a row",
        )
        .because(table.parents.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "))
        .do_this("`inrush load --unchecked foreign-keys`, if the rows are known to be right")
        .at_risk("rows without a parent are stored"),
    )
}
