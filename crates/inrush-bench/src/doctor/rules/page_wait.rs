//! A writer that finds no clean page waits until one is written.

use super::{Area, Rule};
use crate::doctor::facts::Facts;
use crate::doctor::finding::{Effect, Symptom};

/// The rule.
pub(super) const RULE: Rule = Rule {
    name: "page-wait",
    area: Area::Memory,
    about: "A writer that finds no clean page waits until one is written.",
    source: "MySQL manual, Innodb_buffer_pool_wait_free",
    check,
};

fn check(facts: &Facts) -> Option<Symptom> {
    let share = facts
        .share("innodb_buffer_pool_wait_free", "innodb_buffer_pool_write_requests")
        .filter(|share| *share > 0.0001)?;
    Some(
        Symptom::new(
            "writers waited for a free page",
            Effect::Attributed { share, of: "all writes to pages waited".into() },
        )
        .because(facts.counted("innodb_buffer_pool_wait_free"))
        .because(facts.shown("innodb_io_capacity"))
        .do_this("a larger buffer pool, or a higher `innodb_io_capacity` if the disk has more to give"),
    )
}
