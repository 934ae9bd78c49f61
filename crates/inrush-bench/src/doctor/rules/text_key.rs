//! Hashes and UUIDs as text of many languages: each comparison of an index follows the rules of a language that they have none of.

use super::{Area, Rule};
use crate::doctor::facts::Facts;
use crate::doctor::finding::Symptom;

/// The rule.
pub(super) const RULE: Rule = Rule {
    name: "text-key",
    area: Area::Table,
    about: "Indexes on hashes or UUIDs in a character set of several bytes compare them by the rules of a language.",
    source: "MySQL manual, 'Choosing Data Types for Character Sets' and 'The binary Collation Compared to _bin Collations'",
    check,
};

fn check(facts: &Facts) -> Option<Symptom> {
    let table = facts.table.as_ref()?;
    let is_code = |ty: &str| {
        let ty = ty.to_lowercase();
        CODES.iter().any(|code| ty == *code || ty == format!("var{code}"))
    };
    let mut in_key = false;
    let mut columns: Vec<String> = Vec::new();
    for index in &table.indexes {
        for (name, ty) in index.columns.iter().filter(|(name, ty)| is_code(ty) && index.by_language.contains(name)) {
            in_key |= index.name == "PRIMARY";
            let shown = format!("`{name}` {ty}");
            if !columns.contains(&shown) {
                columns.push(shown);
            }
        }
    }
    if columns.is_empty() {
        return None;
    }
    Some(
        Symptom::known(
            "indexed codes are compared as text of a language",
            if in_key { 1.2 } else { 0.6 },
            "each comparison takes several times as long as one of bytes; a row makes some in each index",
        )
        .because(columns.join(", "))
        .do_this("`CHARACTER SET ascii COLLATE ascii_bin` for hexadecimal digits, or BINARY(16) for a UUID"),
    )
}

/// The types of hashes and UUIDs as text.
const CODES: [&str; 4] = ["char(32)", "char(36)", "char(40)", "char(64)"];
