//! `innodb_io_capacity` limits how many pages a second are written in the background; 200 is a single spinning disk.

use super::{Area, Rule};
use crate::doctor::facts::Facts;
use crate::doctor::finding::Symptom;

/// The rule.
pub(super) const RULE: Rule = Rule {
    name: "io-capacity",
    area: Area::Disk,
    about: "`innodb_io_capacity` limits how many pages a second are written in the background; 200 is a single spinning disk.",
    source: "MySQL manual, innodb_io_capacity",
    check,
};

fn check(facts: &Facts) -> Option<Symptom> {
    let capacity = facts.number("innodb_io_capacity").filter(|n| *n <= 200)?;
    if facts.innodb_bytes? < 1 << 30 {
        return None;
    }
    Some(
        Symptom::known(
            "the server writes pages as if its disk turned",
            1.0,
            "changed pages pile up, then writers wait for all of them",
        )
        .because(format!("`innodb_io_capacity` is {capacity}"))
        .do_this("`SET GLOBAL innodb_io_capacity = 2000` (and `_max` = 4000) for an SSD"),
    )
}
