//! A delay before each flush of the binlog collects more commits in a group; one connection alone only waits.

use super::{Area, Rule};
use crate::doctor::facts::Facts;
use crate::doctor::finding::Symptom;

/// The rule.
pub(super) const RULE: Rule = Rule {
    name: "commit-delay",
    area: Area::Durability,
    about: "A delay before each flush of the binlog collects more commits in a group; one connection alone only waits.",
    source: "MySQL manual, binlog_group_commit_sync_delay; MariaDB KB, binlog_commit_wait_usec",
    check,
};

fn check(facts: &Facts) -> Option<Symptom> {
    let name = ["binlog_group_commit_sync_delay", "binlog_commit_wait_usec"]
        .into_iter()
        .find(|name| facts.number(name).is_some_and(|n| n > 0))?;
    let micros = facts.number(name)?;
    // MariaDB waits only if its count is set as well.
    if name == "binlog_commit_wait_usec" && facts.number("binlog_commit_wait_count") == Some(0) {
        return None;
    }
    Some(
        Symptom::known(
            "commits are delayed on purpose",
            3.0,
            format!("each commit of one connection waits {micros} µs longer"),
        )
        .because(facts.shown(name))
        .do_this("load with several lanes (`--lanes 4`), or set it to 0 while a single connection writes"),
    )
}
