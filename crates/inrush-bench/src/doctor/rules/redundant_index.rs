//! An index whose columns are the first ones of another serves no query that the other does not.

use super::{Area, Rule};
use crate::doctor::facts::{Facts, Index};
use crate::doctor::finding::Symptom;

/// The rule.
pub(super) const RULE: Rule = Rule {
    name: "redundant-index",
    area: Area::Table,
    about: "An index whose columns are the first ones of another serves no query that the other does not.",
    source: "MySQL manual, 'Multiple-Column Indexes'; sys.schema_redundant_indexes",
    check,
};

fn check(facts: &Facts) -> Option<Symptom> {
    let table = facts.table.as_ref()?;
    let is_part = |one: &Index, other: &Index| {
        one.name != other.name
            && !one.is_unique
            && one.kind == "BTREE"
            && other.kind == "BTREE"
            && other.columns.starts_with(&one.columns)
            && (one.columns.len() < other.columns.len() || one.name > other.name)
    };
    let found = table.secondary().find_map(|one| Some((one, table.indexes.iter().find(|other| is_part(one, other))?)));
    let (one, other) = found?;
    Some(
        Symptom::known(
            format!("the index `{}` is the beginning of `{}`", one.name, other.name),
            0.8,
            "an entry a row for no query of its own",
        )
        .because(one.columns.iter().map(|(name, _)| format!("`{name}`")).collect::<Vec<_>>().join(", "))
        .do_this(format!("`DROP INDEX` `{}`", one.name)),
    )
}
