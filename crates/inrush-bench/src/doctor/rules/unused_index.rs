//! An index that no query reads is written all the same.

use super::{Area, Rule};
use crate::doctor::facts::{Facts, Index};
use crate::doctor::finding::Symptom;

/// The rule.
pub(super) const RULE: Rule = Rule {
    name: "unused-index",
    area: Area::Table,
    about: "An index that no query reads is written all the same.",
    source: "MySQL manual, table_io_waits_summary_by_index_usage; sys.schema_unused_indexes",
    check,
};

fn check(facts: &Facts) -> Option<Symptom> {
    let table = facts.table.as_ref()?;
    let is_used = |index: &Index| index.reads.is_none_or(|reads| reads > 0);
    // Before it has run for a while, a server has read nothing.
    if facts.count("uptime").unwrap_or_default() < 3600 || table.secondary().all(is_used) {
        return None;
    }
    let names: Vec<String> = table
        .secondary()
        .filter(|index| !is_used(index) && !index.is_unique)
        .map(|index| format!("`{}`", index.name))
        .collect();
    if names.is_empty() {
        return None;
    }
    Some(
        Symptom::known(
            format!("{} that no query has read", Facts::indexes(names.len() as u64)),
            names.len() as f64 * 0.8,
            "an entry a row in each, for nothing",
        )
        .because(format!("{}: no read since the server started {} ago", names.join(", "), facts.uptime()))
        .do_this("`ALTER TABLE .. ALTER INDEX .. INVISIBLE` (MariaDB: IGNORED) for a month, then drop it")
        .at_risk("reports that run once a month may need it"),
    )
}
