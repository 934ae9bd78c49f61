//! A statement that waits for its answer takes a round trip at least, whatever it does.

use super::{Area, Rule};
use crate::doctor::facts::Facts;
use crate::doctor::finding::{Effect, Symptom};
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
    // Over a Unix socket there is no network: what is slow is a busy machine.
    let time = facts.link.round_trip.filter(|time| *time > Duration::from_micros(500) && !facts.link.is_socket)?;
    let millis = format!("{:.2} ms", time.as_secs_f64() * 1000.0);
    let a_second = human::short(1.0 / time.as_secs_f64());
    let probe = facts.probe.filter(|probe| probe.single > time);
    let effect = match probe {
        Some(probe) => Effect::Measured {
            factor: probe.single.as_secs_f64() / (probe.single - time).as_secs_f64(),
            what: "a program that waits for each row, beside the server".into(),
        },
        None => Effect::Known {
            what: format!("a program that waits for each INSERT writes {a_second} rows a second at most"),
            weight: (time.as_secs_f64() * 1000.0).clamp(1.0, 8.0),
        },
    };
    let mut found = Symptom::new(format!("a round trip takes {millis}"), effect)
        .because(format!("the median of some pings is {millis}"));
    if let Some(probe) = probe {
        let single = probe.single.as_secs_f64() * 1000.0;
        found =
            found.because(format!("a row that is committed by itself takes {single:.2} ms, the round trip among them"));
    }
    Some(found.do_this("many rows a statement, a pipeline, or LOAD DATA: `inrush load` does, `docs/writing-fast.md` has the calls of the library"))
}
