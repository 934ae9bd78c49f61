//! A load keeps its ledger in tables beside the target. Without the rights for them it is not exactly once.

use super::{Area, Rule};
use crate::doctor::facts::Facts;
use crate::doctor::finding::{Effect, Symptom};

/// The rule.
pub(super) const RULE: Rule = Rule {
    name: "ledger-rights",
    area: Area::Rights,
    about: "A load keeps its ledger in tables beside the target. Without the rights for them it is not exactly once.",
    source: "docs/jobs.md of this project",
    check,
};

fn check(facts: &Facts) -> Option<Symptom> {
    let schema = facts.table.as_ref()?.name.split('.').next()?.to_lowercase();
    if facts.grants.is_empty() {
        return None;
    }
    let covers = |grant: &str| {
        let grant = grant.to_lowercase().replace(['`', '\\'], "");
        grant.contains(" on *.*")
            || grant.contains(&format!(" on {schema}.*"))
            || grant.contains('%')
            || grant.starts_with("grant `")
            || !grant.contains(" on ")
    };
    let may = |right: &str| {
        facts.grants.iter().any(|grant| {
            let upper = grant.to_uppercase();
            covers(grant) && (upper.contains("ALL PRIVILEGES") || upper.contains(right) || !upper.contains(" ON "))
        })
    };
    let missing: Vec<&str> =
        ["SELECT", "INSERT", "UPDATE", "DELETE", "CREATE"].into_iter().filter(|right| !may(right)).collect();
    if missing.is_empty() {
        return None;
    }
    Some(
        Symptom::new(
            "this user cannot keep a ledger beside the table",
            Effect::Blocks { what: "a load that is cut cannot continue exactly once".into() },
        )
        .because(format!("no {} on `{schema}.*`", missing.join(", ")))
        .do_this(format!("`GRANT {} ON {schema}.* TO ..`, or `--guarantee at-least-once`", missing.join(", "))),
    )
}
