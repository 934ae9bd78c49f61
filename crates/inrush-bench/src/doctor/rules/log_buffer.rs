//! `Innodb_log_waits` counts writers that waited for room in the log buffer.

use super::{Area, Rule};
use crate::doctor::facts::Facts;
use crate::doctor::finding::{Effect, Symptom};

/// The rule.
pub(super) const RULE: Rule = Rule {
    name: "log-buffer",
    area: Area::RedoLog,
    about: "`Innodb_log_waits` counts writers that waited for room in the log buffer.",
    source: "MySQL manual, Innodb_log_waits",
    check,
};

fn check(facts: &Facts) -> Option<Symptom> {
    let share = facts.share("innodb_log_waits", "innodb_log_write_requests").filter(|share| *share > 0.0001)?;
    Some(
        Symptom::new(
            "writers waited for room in the log buffer",
            Effect::Attributed { share, of: "all writes to the log buffer waited".into() },
        )
        .because(facts.counted("innodb_log_waits"))
        .because(facts.shown("innodb_log_buffer_size"))
        .do_this("`innodb_log_buffer_size = 64M`"),
    )
}
