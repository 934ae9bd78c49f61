//! Each write to a table drops its queries from the query cache, under one lock for the whole server.

use super::{Area, Rule};
use crate::doctor::facts::Facts;
use crate::doctor::finding::Symptom;

/// The rule.
pub(super) const RULE: Rule = Rule {
    name: "query-cache",
    area: Area::Memory,
    about: "Each write to a table drops its queries from the query cache, under one lock for the whole server.",
    source: "MariaDB KB, Query Cache",
    check,
};

fn check(facts: &Facts) -> Option<Symptom> {
    if facts.is_on("query_cache_type") != Some(true) || facts.number("query_cache_size") == Some(0) {
        return None;
    }
    Some(
        Symptom::known(
            "the query cache is on",
            1.0,
            "each statement that writes takes its lock and drops what it holds of the table",
        )
        .because(facts.shown("query_cache_type"))
        .do_this("`SET GLOBAL query_cache_type = OFF`, and `query_cache_size = 0`"),
    )
}
