//! Semisynchronous replication makes each commit wait for a replica's answer.

use super::{Area, Rule};
use crate::doctor::facts::Facts;
use crate::doctor::finding::Symptom;

/// The rule.
pub(super) const RULE: Rule = Rule {
    name: "semi-sync",
    area: Area::Replication,
    about: "Semisynchronous replication makes each commit wait for a replica's answer.",
    source: "MySQL manual, 'Semisynchronous Replication'",
    check,
};

fn check(facts: &Facts) -> Option<Symptom> {
    let name = ["rpl_semi_sync_source_enabled", "rpl_semi_sync_master_enabled"]
        .into_iter()
        .find(|name| facts.is_on(name) == Some(true))?;
    let clients = facts.count("rpl_semi_sync_source_clients").or(facts.count("rpl_semi_sync_master_clients"));
    if clients == Some(0) {
        return None;
    }
    Some(
        Symptom::known(
            "each commit waits for a replica",
            2.5,
            "a round trip to the replica and its write, each commit",
        )
        .because(facts.shown(name))
        .do_this("more rows in a transaction, more lanes")
        .loses("without it a lost primary takes with it the commits that no replica has"),
    )
}
