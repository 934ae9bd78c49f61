//! A server that keeps no threads makes one for each connection.

use super::{Area, Rule};
use crate::doctor::facts::Facts;
use crate::doctor::finding::Symptom;

/// The rule.
pub(super) const RULE: Rule = Rule {
    name: "new-threads",
    area: Area::Limits,
    about: "A server that keeps no threads makes one for each connection.",
    source: "MySQL manual, Threads_created",
    check,
};

fn check(facts: &Facts) -> Option<Symptom> {
    let share = facts.share("threads_created", "connections").filter(|share| *share > 0.2)?;
    Some(
        Symptom::known(
            "most connections get a new thread",
            0.3,
            "some 0.1 ms a connection; programs that connect for each statement notice it",
        )
        .because(format!("{:.0} % of all connections", share * 100.0))
        .because(facts.shown("thread_cache_size"))
        .do_this("a pool in the application, or `SET GLOBAL thread_cache_size = 32`"),
    )
}
