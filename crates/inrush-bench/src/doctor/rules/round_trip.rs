//! A statement that waits for its answer takes a round trip at least, whatever it does.

use super::{Area, Rule};
use crate::doctor::facts::Facts;
use crate::doctor::finding::Symptom;
use inrush::sans_io::human;
use std::time::Duration;

/// The rule.
pub(super) const RULE: Rule = Rule {
    name: "round-trip",
    area: Area::Network,
    about: "A statement that waits for its answer takes a round trip at least, whatever it does.",
    source: "measured by this command",
    check,
};

fn check(facts: &Facts) -> Option<Symptom> {
    let time = facts.link.round_trip.filter(|time| *time > Duration::from_micros(500))?;
    let millis = format!("{:.2} ms", time.as_secs_f64() * 1000.0);
    let a_second = 1.0 / time.as_secs_f64();
    Some(
        Symptom::known(format!("a round trip takes {}", millis), (time.as_secs_f64() * 1000.0).clamp(1.0, 8.0), format!("a program that waits for each INSERT writes {} rows a second at most", human::short(a_second)))
            .because(format!("the median of some pings is {}", millis))
            .do_this("many rows a statement, a pipeline, or LOAD DATA: `inrush load` does, `docs/writing-fast.md` has the calls of the library"),
    )
}
