//! Each statement opens the partitions that its rows go to; rows in no order open all of them.

use super::{Area, Rule};
use crate::doctor::facts::Facts;
use crate::doctor::finding::Symptom;

/// The rule.
pub(super) const RULE: Rule = Rule {
    name: "partitions",
    area: Area::Table,
    about: "Each statement opens the partitions that its rows go to; rows in no order open all of them.",
    source: "MySQL manual, 'Restrictions and Limitations on Partitioning'",
    check,
};

fn check(facts: &Facts) -> Option<Symptom> {
    let table = facts.table.as_ref().filter(|table| table.partitions > 100)?;
    Some(
        Symptom::known(
            format!("{} partitions", table.partitions),
            1.0,
            "a statement of many rows writes to many of them, each with its own indexes",
        )
        .because(format!("`{}` has {} partitions", table.name, table.partitions))
        .do_this("rows in the order of the partition (`--sort key` if the key begins with it)"),
    )
}
