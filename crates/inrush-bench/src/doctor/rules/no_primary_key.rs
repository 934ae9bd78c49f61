//! A table without a primary key gets a hidden one; replicas of row-based replication search whole tables for each changed row.

use super::{Area, Rule};
use crate::doctor::facts::Facts;
use crate::doctor::finding::Symptom;

/// The rule.
pub(super) const RULE: Rule = Rule {
    name: "no-primary-key",
    area: Area::Table,
    about: "A table without a primary key gets a hidden one; replicas of row-based replication search whole tables for each changed row.",
    source: "MySQL manual, 'Clustered and Secondary Indexes'",
    check,
};

fn check(facts: &Facts) -> Option<Symptom> {
    let table = facts.table.as_ref().filter(|table| table.primary().is_none())?;
    Some(
        Symptom::known(
            format!("`{}` has no primary key", table.name),
            1.5,
            "rows in no order that a query can use, and no way to tell equal rows apart",
        )
        .because(Facts::indexes(table.indexes.len() as u64))
        .do_this("add one; `inrush load` stores rows exactly once without it, but cannot sort by it"),
    )
}
