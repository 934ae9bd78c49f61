//! The adaptive hash index must follow each insert, under its latches. MySQL 8.4 and MariaDB 10.5 have it off.

use super::{Area, Rule};
use crate::doctor::facts::Facts;
use crate::doctor::finding::Symptom;

/// The rule.
pub(super) const RULE: Rule = Rule {
    name: "adaptive-hash",
    area: Area::Memory,
    about: "The adaptive hash index must follow each insert, under its latches. MySQL 8.4 and MariaDB 10.5 have it off.",
    source: "MySQL manual, innodb_adaptive_hash_index",
    check,
};

fn check(facts: &Facts) -> Option<Symptom> {
    if facts.is_on("innodb_adaptive_hash_index") != Some(true) {
        return None;
    }
    Some(
        Symptom::known(
            "the adaptive hash index is on",
            0.4,
            "writers of one table wait for its latches if many insert",
        )
        .because(facts.shown("innodb_adaptive_hash_index"))
        .do_this("`SET GLOBAL innodb_adaptive_hash_index = OFF` while it loads, and measure the queries without it"),
    )
}
