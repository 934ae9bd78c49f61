//! The server looks up the name of each new client's address, unless it knows it already.

use super::{Area, Rule};
use crate::doctor::facts::Facts;
use crate::doctor::finding::Symptom;

/// The rule.
pub(super) const RULE: Rule = Rule {
    name: "name-resolve",
    area: Area::Network,
    about: "The server looks up the name of each new client's address, unless it knows it already.",
    source: "MySQL manual, skip_name_resolve",
    check,
};

fn check(facts: &Facts) -> Option<Symptom> {
    if facts.is_on("skip_name_resolve") != Some(false) || facts.link.is_socket {
        return None;
    }
    Some(
        Symptom::known(
            "the server looks up names of clients",
            0.1,
            "a slow name server delays the first connection of each address",
        )
        .because(facts.shown("skip_name_resolve"))
        .do_this("`skip_name_resolve = ON`, if no account is granted by a host's name"),
    )
}
