//! Without a redo log a crash of the server makes its data unusable. It is meant for loading a new server.

use super::{Area, Rule};
use crate::doctor::facts::Facts;
use crate::doctor::finding::Symptom;

/// The rule.
pub(super) const RULE: Rule = Rule {
    name: "redo-off",
    area: Area::Durability,
    about: "Without a redo log a crash of the server makes its data unusable. It is meant for loading a new server.",
    source: "MySQL manual, ALTER INSTANCE DISABLE INNODB REDO_LOG",
    check,
};

fn check(facts: &Facts) -> Option<Symptom> {
    if facts.status.get("innodb_redo_log_enabled").map(String::as_str) != Some("OFF") {
        return None;
    }
    Some(
        Symptom::known(
            "redo logging is off: a crash loses the whole server",
            100.0,
            "faster writes for a server that may be thrown away",
        )
        .because("`Innodb_redo_log_enabled` is OFF")
        .do_this("`ALTER INSTANCE ENABLE INNODB REDO_LOG` as soon as the server holds rows that matter"),
    )
}
