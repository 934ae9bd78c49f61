//! Compressing the binlog takes processor time in the writer's own thread.

use super::{Area, Rule};
use crate::doctor::facts::Facts;
use crate::doctor::finding::Symptom;

/// The rule.
pub(super) const RULE: Rule = Rule {
    name: "binlog-compression",
    area: Area::Binlog,
    about: "Compressing the binlog takes processor time in the writer's own thread.",
    source: "MySQL manual, binlog_transaction_compression; MariaDB KB, log_bin_compress",
    check,
};

fn check(facts: &Facts) -> Option<Symptom> {
    let name = ["binlog_transaction_compression", "log_bin_compress"]
        .into_iter()
        .find(|name| facts.is_on(name) == Some(true))?;
    Some(
        Symptom::known(
            "the binlog is compressed by the thread that writes",
            0.5,
            "processor time of each transaction, for a smaller binlog",
        )
        .because(facts.shown(name))
        .do_this(
            "`SET SESSION` it to OFF for a load, if the user may and the disk and the replicas' network have room",
        ),
    )
}
