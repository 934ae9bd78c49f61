//! With statement-based replication a load runs again on each replica, with locks of REPEATABLE READ.

use super::{Area, Rule};
use crate::doctor::facts::Facts;
use crate::doctor::finding::Symptom;

/// The rule.
pub(super) const RULE: Rule = Rule {
    name: "binlog-format",
    area: Area::Binlog,
    about: "With statement-based replication a load runs again on each replica, with locks of REPEATABLE READ.",
    source: "MySQL manual, binlog_format",
    check,
};

fn check(facts: &Facts) -> Option<Symptom> {
    if facts.is_on("log_bin") != Some(true)
        || facts.var("binlog_format").is_none_or(|format| !format.eq_ignore_ascii_case("statement"))
    {
        return None;
    }
    Some(
        Symptom::known(
            "the binlog holds statements",
            1.5,
            "loads need stricter locks, and replicas run the whole statement again",
        )
        .because(facts.shown("binlog_format"))
        .do_this("`SET GLOBAL binlog_format = ROW`"),
    )
}
