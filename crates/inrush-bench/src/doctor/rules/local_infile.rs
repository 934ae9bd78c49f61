//! Without `local_infile` the fastest method is refused. inrush then takes prepared statements of many rows (MariaDB: bulk).

use super::{Area, Rule};
use crate::doctor::facts::Facts;
use crate::doctor::finding::Symptom;

/// The rule.
pub(super) const RULE: Rule = Rule {
    name: "local-infile",
    area: Area::Limits,
    about: "Without `local_infile` the fastest method is refused. inrush then takes prepared statements of many rows (MariaDB: bulk).",
    source: "MySQL manual, local_infile; docs/results of this project",
    check,
};

fn check(facts: &Facts) -> Option<Symptom> {
    if facts.is_on("local_infile") != Some(false) {
        return None;
    }
    Some(
        Symptom::known("LOAD DATA LOCAL is off", 2.5, "loads take the second fastest method; how much slower: `inrush bench load`")
            .because(facts.shown("local_infile"))
            .do_this(if facts.may("SYSTEM_VARIABLES_ADMIN") || facts.may("SUPER") { "`SET GLOBAL local_infile = ON`: this user may" } else { "an administrator's `SET GLOBAL local_infile = ON`: this user may not" })
            .at_risk("a server that someone else controls may request files of a client that offers LOCAL; inrush sends only what it was given"),
    )
}
