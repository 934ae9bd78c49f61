//! Each index of a table is one more entry to write for each row, in an order of its own.

use super::{Area, Rule};
use crate::doctor::facts::Facts;
use crate::doctor::finding::{Effect, Symptom};
use inrush::sans_io::human;

/// The rule.
pub(super) const RULE: Rule = Rule {
    name: "many-indexes",
    area: Area::Table,
    about: "Each index of a table is one more entry to write for each row, in an order of its own.",
    source: "MySQL manual, 'Optimizing INSERT Statements'",
    check,
};

fn check(facts: &Facts) -> Option<Symptom> {
    let table = facts.table.as_ref()?;
    let n = table.secondary().count();
    if n < 3 {
        return None;
    }
    let probe = facts.probe.filter(|probe| !probe.no_indexes.is_zero());
    let effect = match probe {
        Some(probe) => Effect::Measured {
            factor: probe.all_indexes.as_secs_f64() / probe.no_indexes.as_secs_f64(),
            what: "rows of the table copied within the server, without these indexes".into(),
        },
        None => {
            Effect::Known { what: format!("{} entries a row instead of one", n + 1), weight: (n as f64 * 0.6).min(6.0) }
        }
    };
    let mut symptom = Symptom::new(format!("{n} indexes besides the primary key"), effect);
    if let Some(probe) = probe {
        let [all, none] = [probe.all_indexes, probe.no_indexes].map(|time| probe.sampled as f64 / time.as_secs_f64());
        let rows = human::exact(probe.sampled);
        symptom = symptom.because(format!(
            "{rows} rows: {} a second with all indexes, {} without",
            human::short(all),
            human::short(none)
        ));
    }
    Some(
        symptom
            .because(table.secondary().map(|index| format!("`{}`", index.name)).collect::<Vec<_>>().join(", "))
            .do_this("`inrush load --defer-indexes` builds them when the rows are in; drop those that no query needs"),
    )
}
