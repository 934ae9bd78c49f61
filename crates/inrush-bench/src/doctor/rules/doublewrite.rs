//! The doublewrite buffer writes each changed page twice, so that a crash cannot leave half a page.

use super::{Area, Rule};
use crate::doctor::facts::Facts;
use crate::doctor::finding::Symptom;
use inrush::sans_io::human;

/// The rule.
pub(super) const RULE: Rule = Rule {
    name: "doublewrite",
    area: Area::Durability,
    about: "The doublewrite buffer writes each changed page twice, so that a crash cannot leave half a page.",
    source: "MySQL manual, innodb_doublewrite; MariaDB KB, innodb_doublewrite",
    check,
};

fn check(facts: &Facts) -> Option<Symptom> {
    if facts.is_on("innodb_doublewrite") != Some(true) && facts.var("innodb_doublewrite") != Some("fast") {
        return None;
    }
    let (data, pool) = (facts.innodb_bytes?, facts.number("innodb_buffer_pool_size")?);
    // Pages that stay in memory are written seldom.
    if data <= pool {
        return None;
    }
    Some(
        Symptom::known("each changed page is written twice", 0.5, "twice the bytes of changed pages, in large blocks")
            .because(facts.shown("innodb_doublewrite"))
            .because(format!(
                "InnoDB's tables have {}, the buffer pool {}",
                human::bytes(data as f64),
                human::bytes(pool as f64)
            ))
            .do_this("leave it on, unless the file system writes whole pages (ZFS)")
            .loses("without it a crash in the middle of a page leaves a table that cannot be repaired"),
    )
}
