//! Each page is encrypted when it is written and decrypted when it is read.

use super::{Area, Rule};
use crate::doctor::facts::Facts;
use crate::doctor::finding::Symptom;

/// The rule.
pub(super) const RULE: Rule = Rule {
    name: "encrypted",
    area: Area::Table,
    about: "Each page is encrypted when it is written and decrypted when it is read.",
    source: "MySQL manual, 'InnoDB Data-at-Rest Encryption'",
    check,
};

fn check(facts: &Facts) -> Option<Symptom> {
    let table = facts.table.as_ref().filter(|table| table.encrypted)?;
    Some(
        Symptom::known(
            format!("`{}` is encrypted on the disk", table.name),
            0.3,
            "processor time of each page that is written, some percent with AES instructions",
        )
        .because("the table's options say so")
        .do_this("nothing, if it must be"),
    )
}
