//! The general log writes each statement to a file, under a lock. So does a slow log whose limit is 0.

use super::{Area, Rule};
use crate::doctor::facts::Facts;
use crate::doctor::finding::Symptom;

/// The rule.
pub(super) const RULE: Rule = Rule {
    name: "statement-log",
    area: Area::Logs,
    about: "The general log writes each statement to a file, under a lock. So does a slow log whose limit is 0.",
    source: "MySQL manual, 'The General Query Log' and 'The Slow Query Log'",
    check,
};

fn check(facts: &Facts) -> Option<Symptom> {
    let general = facts.is_on("general_log") == Some(true);
    let is_slow_on = ["slow_query_log", "log_slow_query"].iter().any(|name| facts.is_on(name) == Some(true));
    let limit = ["long_query_time", "log_slow_query_time"].iter().find_map(|name| facts.var(name)?.parse::<f64>().ok());
    let slow = is_slow_on && limit.is_some_and(|seconds| seconds <= 0.001);
    if !general && !slow {
        return None;
    }
    let name = if general { "general_log" } else { "long_query_time" };
    Some(
        Symptom::known(
            "the server writes every statement to a log",
            3.0,
            "a write of the whole statement, one after the other",
        )
        .because(facts.shown(name))
        .do_this(if general { "`SET GLOBAL general_log = OFF`" } else { "`SET GLOBAL long_query_time = 1`" }),
    )
}
