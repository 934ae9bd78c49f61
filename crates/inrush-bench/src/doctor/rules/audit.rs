//! An audit plugin writes each statement, or each access to a table, to its log.

use super::{Area, Rule};
use crate::doctor::facts::Facts;
use crate::doctor::finding::Symptom;

/// The rule.
pub(super) const RULE: Rule = Rule {
    name: "audit",
    area: Area::Logs,
    about: "An audit plugin writes each statement, or each access to a table, to its log.",
    source: "MariaDB KB, Audit Plugin; MySQL manual, audit_log",
    check,
};

fn check(facts: &Facts) -> Option<Symptom> {
    let plugin = facts.plugins.iter().find(|name| name.contains("audit"))?;
    if facts.is_on("server_audit_logging") == Some(false) {
        return None;
    }
    Some(
        Symptom::known(
            "an audit plugin logs what is written",
            1.5,
            "a write a statement, more with a flush each (`audit_log_strategy = SYNCHRONOUS`)",
        )
        .because(format!("the plugin `{plugin}` is active"))
        .do_this("statements of many rows are one entry each; exclude the loader's user if the rules allow it"),
    )
}
