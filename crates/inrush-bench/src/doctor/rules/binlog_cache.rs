//! A transaction larger than `binlog_cache_size` writes its changes to a temporary file before they go to the binlog.

use super::{Area, Rule};
use crate::doctor::facts::Facts;
use crate::doctor::finding::Symptom;

/// The rule.
pub(super) const RULE: Rule = Rule {
    name: "binlog-cache",
    area: Area::Binlog,
    about: "A transaction larger than `binlog_cache_size` writes its changes to a temporary file before they go to the binlog.",
    source: "MySQL manual, Binlog_cache_disk_use",
    check,
};

fn check(facts: &Facts) -> Option<Symptom> {
    let share = facts.share("binlog_cache_disk_use", "binlog_cache_use").filter(|share| *share > 0.05)?;
    Some(
        Symptom::known(
            "transactions are larger than the binlog's cache",
            1.0,
            "their changes go into a temporary file first",
        )
        .because(format!("{:.0} % of the transactions wrote a temporary file", share * 100.0))
        .because(facts.shown("binlog_cache_size"))
        .do_this("`SET GLOBAL binlog_cache_size = 16M`; it is memory of each connection that writes"),
    )
}
