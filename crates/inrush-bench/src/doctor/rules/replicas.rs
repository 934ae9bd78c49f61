//! Replicas apply what is loaded, in most cases with less parallelism than a load has.

use super::{Area, Rule};
use crate::doctor::facts::Facts;
use crate::doctor::finding::Symptom;
use inrush::sans_io::human;

/// The rule.
pub(super) const RULE: Rule = Rule {
    name: "replicas",
    area: Area::Replication,
    about: "Replicas apply what is loaded, in most cases with less parallelism than a load has.",
    source: "MySQL manual, SHOW REPLICAS",
    check,
};

fn check(facts: &Facts) -> Option<Symptom> {
    let n = facts.replicas.filter(|n| *n > 0)?;
    Some(
        Symptom::known(
            format!("{} follow", human::counted(n, "replica")),
            0.2,
            "they may lag while rows are loaded faster than they apply them",
        )
        .because(format!("{n} connections read the binlog"))
        .do_this("`inrush load --max-lag 5s` keeps them less than five seconds behind"),
    )
}
