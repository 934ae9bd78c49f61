//! ROW_FORMAT=COMPRESSED compresses each changed page, and again whenever its log is full.

use super::{Area, Rule};
use crate::doctor::facts::Facts;
use crate::doctor::finding::Symptom;

/// The rule.
pub(super) const RULE: Rule = Rule {
    name: "compressed",
    area: Area::Table,
    about: "ROW_FORMAT=COMPRESSED compresses each changed page, and again whenever its log is full.",
    source: "MySQL manual, 'InnoDB Table Compression'",
    check,
};

fn check(facts: &Facts) -> Option<Symptom> {
    let table = facts.table.as_ref().filter(|table| table.row_format.eq_ignore_ascii_case("compressed"))?;
    Some(
        Symptom::known(
            format!("`{}` has compressed pages", table.name),
            3.0,
            "a page is compressed again and again while rows are added to it",
        )
        .because("ROW_FORMAT=COMPRESSED")
        .do_this("load into a plain table and `ALTER TABLE` it at the end, or leave compression to the file system"),
    )
}
