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
    // What is faster than a load ever is does not slow it.
    if without < with * 1.2 || with > FAST {
        return None;
    }
    Some(
        Symptom::new(
            "encryption slows long statements",
            Effect::Measured {
                factor: without / with,
                what: "of a long statement's bytes a second, without TLS".into(),
            },
        )
        .because(format!("{} a second with TLS, {} without", human::bytes(with), human::bytes(without)))
        .do_this("keep it; on one machine a Unix socket needs none, and a processor with AES instructions is faster"),
    )
}

/// Bytes a second that no load of this project reaches.
const FAST: f64 = 1.5e9;
