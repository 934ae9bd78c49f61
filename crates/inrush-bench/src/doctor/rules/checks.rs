//! Each constraint is an expression that is evaluated for each row.

use super::{Area, Rule};
use crate::doctor::facts::Facts;
use crate::doctor::finding::Symptom;
use inrush::sans_io::human;

/// The rule.
pub(super) const RULE: Rule = Rule {
    name: "checks",
    area: Area::Table,
    about: "Each constraint is an expression that is evaluated for each row.",
    source: "MySQL manual, 'CHECK Constraints'",
    check,
};

fn check(facts: &Facts) -> Option<Symptom> {
    let table = facts.table.as_ref().filter(|table| table.checks > 3)?;
    Some(
        Symptom::known(
            format!("each row passes {}", human::counted(table.checks, "CHECK constraint")),
            0.3,
            "an expression each, once a row",
        )
        .because(format!("{} constraints", table.checks))
        .do_this("keep them: they cost little and hold for every writer"),
    )
}
