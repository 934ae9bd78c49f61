//! Compressed statements are worth it where the network is slower than the compression.

use super::{Area, Rule};
use crate::doctor::facts::Facts;
use crate::doctor::finding::{Effect, Symptom};
use inrush::sans_io::human;

/// The rule.
pub(super) const RULE: Rule = Rule {
    name: "compression",
    area: Area::Network,
    about: "Compressed statements are worth it where the network is slower than the compression.",
    source: "measured by this command",
    check,
};

fn check(facts: &Facts) -> Option<Symptom> {
    let (plain, compressed) = (facts.link.upload?, facts.link.upload_compressed?);
    let factor = facts.load_gain(plain, compressed);
    if factor < 1.1 || facts.link.is_socket || facts.link.local_socket.is_some() {
        return None;
    }
    Some(
        Symptom::new(
            "the network is slower than compression",
            Effect::Measured {
                factor,
                what: "a compressed load, by the bytes that travel and the time to store them".into(),
            },
        )
        .because(format!("{} a second as it is, {} compressed", human::bytes(plain), human::bytes(compressed)))
        .do_this("`?compression=zstd` in the URL (zlib on MariaDB)"),
    )
}
