//! Full-text indexes write an entry for each word, with their own tables and caches; spatial ones search a tree for each row.

use super::{Area, Rule};
use crate::doctor::facts::Facts;
use crate::doctor::finding::Symptom;

/// The rule.
pub(super) const RULE: Rule = Rule {
    name: "fulltext",
    area: Area::Table,
    about: "Full-text indexes write an entry for each word, with their own tables and caches; spatial ones search a tree for each row.",
    source: "MySQL manual, 'InnoDB Full-Text Indexes'",
    check,
};

fn check(facts: &Facts) -> Option<Symptom> {
    let table = facts.table.as_ref()?;
    let index = table.secondary().find(|index| ["FULLTEXT", "SPATIAL"].contains(&index.kind.as_str()))?;
    Some(
        Symptom::known(
            format!(
                "the index `{}` is {}",
                index.name,
                if index.kind == "FULLTEXT" { "a full-text index" } else { "spatial" }
            ),
            3.0,
            "many times the work of a plain index for each row",
        )
        .because(index.columns.iter().map(|(name, ty)| format!("`{name}` {ty}")).collect::<Vec<_>>().join(", "))
        .do_this("build it when the rows are in"),
    )
}
