//! Encryption takes processor time of both sides for each byte.

use super::{Area, Rule};
use crate::doctor::facts::Facts;
use crate::doctor::finding::{Effect, Symptom};
use inrush::sans_io::human;

/// The rule.
pub(super) const RULE: Rule = Rule {
    name: "tls-cost",
    area: Area::Network,
    about: "Encryption takes processor time of both sides for each byte.",
    source: "measured by this command",
    check,
};

fn check(facts: &Facts) -> Option<Symptom> {
    let (with, without) = (facts.link.upload?, facts.link.upload_plain?);
    let factor = facts.load_gain(with, without);
    if factor < 1.05 {
        return None;
    }
    Some(
        Symptom::new(
            "encryption slows loads",
            Effect::Measured {
                factor,
                what: "a load without TLS, by the bytes that travel and the time to store them".into(),
            },
        )
        .because(format!("{} a second with TLS, {} without", human::bytes(with), human::bytes(without)))
        .do_this("keep it; on one machine a Unix socket needs none, and a processor with AES instructions is faster"),
    )
}
