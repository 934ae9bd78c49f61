//! Threads of their own that write the redo log help many writers; few writers commit faster without them.

use super::{Area, Rule};
use crate::doctor::facts::Facts;
use crate::doctor::finding::Symptom;

/// The rule.
pub(super) const RULE: Rule = Rule {
    name: "log-writers",
    area: Area::RedoLog,
    about: "Threads of their own that write the redo log help many writers; few writers commit faster without them.",
    source: "MySQL manual, innodb_log_writer_threads",
    check,
};

fn check(facts: &Facts) -> Option<Symptom> {
    if facts.is_on("innodb_log_writer_threads") != Some(true) {
        return None;
    }
    Some(
        Symptom::known("threads of their own write the redo log", 0.4, "a commit of few connections waits for two threads more")
            .because(facts.shown("innodb_log_writer_threads"))
            .do_this("with fewer than about 16 writing connections, try `SET GLOBAL innodb_log_writer_threads = OFF` and measure"),
    )
}
