//! A redo log that is full makes every writer wait until changed pages are written (a checkpoint).

use super::{Area, Rule};
use crate::doctor::facts::Facts;
use crate::doctor::finding::Symptom;
use inrush::sans_io::human;

/// The rule.
pub(super) const RULE: Rule = Rule {
    name: "redo-small",
    area: Area::RedoLog,
    about: "A redo log that is full makes every writer wait until changed pages are written (a checkpoint).",
    source: "MySQL manual, innodb_redo_log_capacity, and 'Configuring InnoDB Redo Log'; MariaDB KB, innodb_log_file_size",
    check,
};

fn check(facts: &Facts) -> Option<Symptom> {
    let bytes = facts.redo_bytes()?;
    let pool = facts.number("innodb_buffer_pool_size").unwrap_or(128 << 20);
    // Half of the pool may be changed pages; beyond 1 GiB the log is seldom the limit.
    if bytes >= (pool / 2).clamp(256 << 20, 1 << 30) {
        return None;
    }
    let name = if facts.number("innodb_redo_log_capacity").is_some_and(|n| n > 0) {
        "innodb_redo_log_capacity"
    } else {
        "innodb_log_file_size"
    };
    Some(
        Symptom::known(
            format!("the redo log has {} only", human::bytes(bytes as f64)),
            if bytes < 128 << 20 { 4.0 } else { 2.0 },
            "a load writes changed pages early and often, and waits when the log is full",
        )
        .because(facts.shown(name))
        .because(format!("the buffer pool has {}", human::bytes(pool as f64)))
        .do_this(format!(
            "`SET GLOBAL {name} = {}` while it loads (MariaDB before 10.9: in the option file)",
            (pool / 2).clamp(1 << 30, 8 << 30)
        ))
        .at_risk("recovery after a crash reads more of the log"),
    )
}
