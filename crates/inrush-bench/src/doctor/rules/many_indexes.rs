//! Each index of a table is one more entry to write for each row, in an order of its own.

use super::{Area, Rule};
use crate::doctor::facts::Facts;
use crate::doctor::finding::Symptom;

/// The rule.
pub(super) const RULE: Rule = Rule {
    name: "many-indexes",
    area: Area::Table,
    about: "Each index of a table is one more entry to write for each row, in an order of its own.",
    source: "MySQL manual, 'Optimizing INSERT Statements'",
    check,
};

fn check(facts: &Facts) -> Option<Symptom> {
    let table = facts.table.as_ref()?;
    let n = table.secondary().count();
    if n < 3 {
        return None;
    }
    Some(
        Symptom::known(
            format!("{n} indexes besides the primary key"),
            (n as f64 * 0.6).min(6.0),
            format!("{} entries a row instead of one", n + 1),
        )
        .because(table.secondary().map(|index| format!("`{}`", index.name)).collect::<Vec<_>>().join(", "))
        .do_this("`inrush load --defer-indexes` builds them when the rows are in; drop those that no query needs"),
    )
}
