//! Each entry of a secondary index holds the whole primary key.

use super::{Area, Rule};
use crate::doctor::facts::Facts;
use crate::doctor::finding::Symptom;

/// The rule.
pub(super) const RULE: Rule = Rule {
    name: "wide-key",
    area: Area::Table,
    about: "Each entry of a secondary index holds the whole primary key.",
    source: "MySQL manual, 'Clustered and Secondary Indexes'",
    check,
};

fn check(facts: &Facts) -> Option<Symptom> {
    let table = facts.table.as_ref()?;
    let key = table.primary().filter(|key| key.bytes > 16)?;
    let n = table.secondary().count();
    if n < 2 {
        return None;
    }
    Some(
        Symptom::known(
            format!("the primary key has up to {} bytes, and each of {n} other indexes holds it", key.bytes),
            (n as f64 * key.bytes as f64 / 100.0).min(3.0),
            format!("up to {} bytes more a row", n as u64 * (key.bytes - 8)),
        )
        .because(key.columns.iter().map(|(name, ty)| format!("`{name}` {ty}")).collect::<Vec<_>>().join(", "))
        .do_this("a short primary key, with the present one as a unique index"),
    )
}
