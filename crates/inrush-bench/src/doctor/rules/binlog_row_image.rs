//! The binlog holds a changed row before and after the change, with all columns.

use super::{Area, Rule};
use crate::doctor::facts::Facts;
use crate::doctor::finding::Symptom;

/// The rule.
pub(super) const RULE: Rule = Rule {
    name: "binlog-row-image",
    area: Area::Binlog,
    about: "The binlog holds a changed row before and after the change, with all columns.",
    source: "MySQL manual, binlog_row_image",
    check,
};

fn check(facts: &Facts) -> Option<Symptom> {
    if facts.is_on("log_bin") != Some(true)
        || facts.var("binlog_row_image").is_none_or(|image| !image.eq_ignore_ascii_case("full"))
    {
        return None;
    }
    Some(
        Symptom::known("the binlog holds all columns of changed rows, before and after", 0.3, "more bytes for `--mode upsert` and `replace`; inserted rows are the same")
            .because(facts.shown("binlog_row_image"))
            .do_this("`SET SESSION binlog_row_image = MINIMAL` if every table has a primary key and no consumer needs the old values")
            .at_risk("change data capture sees fewer columns"),
    )
}
