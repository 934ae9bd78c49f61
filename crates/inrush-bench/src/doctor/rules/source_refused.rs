//! A load stops at the first row that the table cannot hold.

use super::{Area, Rule};
use crate::doctor::facts::Facts;
use crate::doctor::finding::{Effect, Symptom};
use inrush::sans_io::human;

/// The rule.
pub(super) const RULE: Rule = Rule {
    name: "source-refused",
    area: Area::Source,
    about: "A load stops at the first row that the table cannot hold.",
    source: "checked by this command",
    check,
};

fn check(facts: &Facts) -> Option<Symptom> {
    let source = facts.source.as_ref().filter(|source| source.refused > 0)?;
    let effect = Effect::Blocks { what: "`inrush load` stops at the first of these rows".into() };
    let title = match source.refused {
        1 => "a row of the files would be refused".to_owned(),
        n => format!("{} rows of the files would be refused", human::exact(n)),
    };
    Some(
        Symptom::new(title, effect)
            .because(format!("{} rows were read", human::exact(source.rows)))
            .because(source.first_refused.clone().map_or_else(|| "the first is not known".into(), |first| format!("the first: {first}")))
            .do_this("mend the rows or the table; `inrush load --bad-rows skip` leaves them out and writes them to a file of rejects"),
    )
}
