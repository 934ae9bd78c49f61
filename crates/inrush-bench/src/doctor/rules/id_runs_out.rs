//! An INSERT that needs an id beyond the type's greatest value fails.

use super::{Area, Rule};
use crate::doctor::facts::Facts;
use crate::doctor::finding::Symptom;
use inrush::sans_io::human;

/// The rule.
pub(super) const RULE: Rule = Rule {
    name: "id-runs-out",
    area: Area::Table,
    about: "An INSERT that needs an id beyond the type's greatest value fails.",
    source: "MySQL manual, 'Using AUTO_INCREMENT'",
    check,
};

fn check(facts: &Facts) -> Option<Symptom> {
    let table = facts.table.as_ref()?;
    let (next, most) = table.auto_increment?;
    if next < most / 5 * 4 {
        return None;
    }
    Some(
        Symptom::known(
            format!("{:.0} % of all ids are used", next as f64 / most as f64 * 100.0),
            20.0,
            "the load fails when they are at an end",
        )
        .because(format!("the next id is {}, the greatest {}", human::exact(next), human::exact(most)))
        .do_this("`ALTER TABLE .. MODIFY id BIGINT UNSIGNED AUTO_INCREMENT`, before the load"),
    )
}
