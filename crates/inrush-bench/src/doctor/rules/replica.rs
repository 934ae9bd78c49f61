//! Rows that are written to a replica are on no other server, and may stop its replication.

use super::{Area, Rule};
use crate::doctor::facts::Facts;
use crate::doctor::finding::Symptom;

/// The rule.
pub(super) const RULE: Rule = Rule {
    name: "replica",
    area: Area::Replication,
    about: "Rows that are written to a replica are on no other server, and may stop its replication.",
    source: "MySQL manual, SHOW REPLICA STATUS",
    check,
};

fn check(facts: &Facts) -> Option<Symptom> {
    let lag = facts.replica_of?;
    Some(
        Symptom::known(
            "this server is a replica: rows written here are nowhere else",
            50.0,
            "replication stops at the first conflict",
        )
        .because(match lag {
            Some(seconds) => format!("it lags {seconds} s"),
            None => "its lag is not known: it may be stopped".to_owned(),
        })
        .do_this("write to its source, unless this table is meant to differ"),
    )
}
