//! Engines without transactions cannot undo a part of a statement: no load into them is exactly once.

use super::{Area, Rule};
use crate::doctor::facts::Facts;
use crate::doctor::finding::{Effect, Symptom};

/// The rule.
pub(super) const RULE: Rule = Rule {
    name: "engine",
    area: Area::Table,
    about: "Engines without transactions cannot undo a part of a statement: no load into them is exactly once.",
    source: "MySQL manual, 'Alternative Storage Engines'",
    check,
};

fn check(facts: &Facts) -> Option<Symptom> {
    let table = facts.table.as_ref().filter(|table| !table.engine.is_empty())?;
    if ["innodb", "rocksdb", "ndbcluster", "tokudb"].contains(&table.engine.to_lowercase().as_str()) {
        return None;
    }
    Some(
        Symptom::new(
            format!("`{}` is a table of {}", table.name, table.engine),
            Effect::Blocks { what: "no transactions: a load that is cut leaves rows that it cannot count".into() },
        )
        .because(format!("ENGINE={}", table.engine))
        .do_this("`ALTER TABLE .. ENGINE=InnoDB`, or `inrush load --guarantee at-least-once`"),
    )
}
