//! Rows that come in another order than that of the primary key are written to pages all over the table.

use super::random_key::out_of_order;
use super::{Area, Rule};
use crate::doctor::facts::Facts;
use crate::doctor::finding::Symptom;

/// The rule.
pub(super) const RULE: Rule = Rule {
    name: "source-order",
    area: Area::Source,
    about: "Rows that come in another order than that of the primary key are written to pages all over the table.",
    source: "MySQL manual, 'Bulk Data Loading for InnoDB Tables'",
    check,
};

fn check(facts: &Facts) -> Option<Symptom> {
    let share = facts.source.as_ref()?.descending.filter(|share| *share > SORTED)?;
    let table = facts.table.as_ref()?;
    Some(
        out_of_order(facts, table, "the rows of the files are not in the order of the primary key")
            .because(format!("{:.0} % of the sampled rows have a lesser key than the row before", share * 100.0))
            .do_this("`inrush load --sort key` writes them in that order; `inrush tune` with the files measures what it brings"),
    )
}

/// Fewer rows than that out of order cost nothing that is seen.
const SORTED: f64 = 0.02;
