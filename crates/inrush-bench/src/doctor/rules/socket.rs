//! A Unix socket has less overhead than TCP over loopback, and needs no TLS.

use super::{Area, Rule};
use crate::doctor::facts::Facts;
use crate::doctor::finding::{Effect, Symptom};
use inrush::sans_io::human;

/// The rule.
pub(super) const RULE: Rule = Rule {
    name: "socket",
    area: Area::Network,
    about: "A Unix socket has less overhead than TCP over loopback, and needs no TLS.",
    source: "measured by this command",
    check,
};

fn check(facts: &Facts) -> Option<Symptom> {
    let socket = facts.link.local_socket.as_ref().filter(|_| !facts.link.is_socket)?;
    let (tcp, by_socket) = (facts.link.upload?, facts.link.upload_socket?);
    let factor = facts.load_gain(tcp, by_socket);
    if factor < 1.05 {
        return None;
    }
    Some(
        Symptom::new(
            "the server is on this machine, and is reached by TCP",
            Effect::Measured {
                factor,
                what: "a load over its Unix socket, by the bytes that travel and the time to store them".into(),
            },
        )
        .because(format!("{} a second by TCP, {} by `{socket}`", human::bytes(tcp), human::bytes(by_socket)))
        .do_this(format!("`-S {socket}`")),
    )
}
