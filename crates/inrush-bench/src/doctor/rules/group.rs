//! In a group each commit travels to all members and is certified; large transactions stop the others.

use super::{Area, Rule};
use crate::doctor::facts::Facts;
use crate::doctor::finding::{Effect, Symptom};

/// The rule.
pub(super) const RULE: Rule = Rule {
    name: "group",
    area: Area::Replication,
    about: "In a group each commit travels to all members and is certified; large transactions stop the others.",
    source: "MySQL manual, 'Group Replication'; Galera documentation, 'Certification-Based Replication'",
    check,
};

fn check(facts: &Facts) -> Option<Symptom> {
    let n = facts.group_members.filter(|n| *n > 1)?;
    let paused =
        facts.status.get("wsrep_flow_control_paused").and_then(|value| value.parse::<f64>().ok()).unwrap_or_default();
    let effect = match paused > 0.01 {
        true => Effect::Attributed {
            share: paused,
            of: "the time since the last reset replication was paused by flow control".into(),
        },
        false => Effect::Known {
            what: "a round trip to the others for each commit; conflicts come at COMMIT".into(),
            weight: 1.5,
        },
    };
    Some(
        Symptom::new(format!("a group of {n} members certifies each transaction"), effect)
            .because(facts.shown(if facts.var("wsrep_on").is_some() {
                "wsrep_max_ws_size"
            } else {
                "group_replication_transaction_size_limit"
            }))
            .do_this("load through one member, chunks of some MiB (`--batch 4M`)"),
    )
}
