//! With `sync_binlog = 1` each group of commits waits until the binlog is on the disk, a second wait beside the redo log's.

use super::{Area, Rule};
use crate::doctor::facts::Facts;
use crate::doctor::finding::Symptom;

/// The rule.
pub(super) const RULE: Rule = Rule {
    name: "binlog-flush",
    area: Area::Durability,
    about: "With `sync_binlog = 1` each group of commits waits until the binlog is on the disk, a second wait beside the redo log's.",
    source: "MySQL manual, sync_binlog; MariaDB KB, sync_binlog",
    check,
};

fn check(facts: &Facts) -> Option<Symptom> {
    if facts.is_on("log_bin") != Some(true) || facts.number("sync_binlog") != Some(1) {
        return None;
    }
    let mut found = Symptom::known(
        "each commit waits for the binlog as well",
        1.5,
        "a second wait for the disk a group of commits",
    )
    .because(facts.shown("sync_binlog"));
    if let Some(sync) = facts.binlog_sync {
        found = found.because(Facts::flushes("the binlog", sync));
    }
    Some(
        found
            .do_this("put more rows into a transaction, or commit on several connections")
            .loses("`sync_binlog = 0` or `1000` does not wait: after a crash of the machine replicas may have rows that this server lacks, or the other way round"),
    )
}
