//! With `innodb_autoinc_lock_mode` 0 or 1, LOAD DATA and INSERT .. SELECT lock the counter until they end, so lanes run one after the other.

use super::{Area, Rule};
use crate::doctor::facts::Facts;
use crate::doctor::finding::Symptom;

/// The rule.
pub(super) const RULE: Rule = Rule {
    name: "autoinc-lock",
    area: Area::Locks,
    about: "With `innodb_autoinc_lock_mode` 0 or 1, LOAD DATA and INSERT .. SELECT lock the counter until they end, so lanes run one after the other.",
    source: "MySQL manual, 'AUTO_INCREMENT Handling in InnoDB'",
    check,
};

fn check(facts: &Facts) -> Option<Symptom> {
    let mode = facts.number("innodb_autoinc_lock_mode").filter(|mode| *mode < 2)?;
    let table = facts.table.as_ref();
    if table.is_some_and(|table| table.auto_increment.is_none()) {
        return None;
    }
    let weight = if table.is_some() { 3.0 } else { 0.8 };
    Some(
        Symptom::known(
            "statements of many rows wait for each other's AUTO_INCREMENT",
            weight,
            "LOAD DATA into the table runs on one connection at a time",
        )
        .because(format!("`innodb_autoinc_lock_mode` is {mode}"))
        .do_this("`innodb_autoinc_lock_mode = 2` in the option file, or give the ids in the file")
        .at_risk("the replicas must use row-based replication, as ids of one statement need not follow each other"),
    )
}
