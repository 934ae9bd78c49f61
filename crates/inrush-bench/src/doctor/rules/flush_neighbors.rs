//! Writing the neighbours of a changed page helps spinning disks only.

use super::{Area, Rule};
use crate::doctor::facts::Facts;
use crate::doctor::finding::Symptom;

/// The rule.
pub(super) const RULE: Rule = Rule {
    name: "flush-neighbors",
    area: Area::Disk,
    about: "Writing the neighbours of a changed page helps spinning disks only.",
    source: "MySQL manual, innodb_flush_neighbors",
    check,
};

fn check(facts: &Facts) -> Option<Symptom> {
    facts.number("innodb_flush_neighbors").filter(|n| *n > 0)?;
    Some(
        Symptom::known(
            "neighbours of a changed page are written with it",
            0.4,
            "more bytes a changed page, which only a spinning disk repays",
        )
        .because(facts.shown("innodb_flush_neighbors"))
        .do_this("`SET GLOBAL innodb_flush_neighbors = 0` for an SSD"),
    )
}
