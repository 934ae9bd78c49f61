//! Every parameter that a hint or a guide names exists.

use super::*;
use std::fs;
use std::path::Path;

/// Words before a `=` in backticks that are not parameters of a connection.
const OTHERS: &[&str] = &["a", "column", "left", "method", "methods", "name", "partitions"];

/// The sources and guides of the project, without their tests.
fn texts(folder: &Path, found: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let (path, name) = (entry.path(), entry.file_name().into_string().unwrap());
        if path.is_dir() && !matches!(name.as_str(), "tests" | "target" | "examples" | "notes" | "adr" | "results") {
            texts(&path, found);
        } else if (name.ends_with(".rs") && name != "tests.rs") || name.ends_with(".md") {
            found.push((path.display().to_string(), fs::read_to_string(&path).unwrap()));
        }
    }
}

/// The parameters that a text names: `name=value`, `name` in the URL, and all that look like one.
fn named(text: &str) -> Vec<(&str, &str)> {
    let mut names = Vec::new();
    let mut parts = text.split('`').peekable();
    while let Some(part) = parts.next() {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        let is_word = |more: &[u8]| {
            name.starts_with(|c: char| c.is_ascii_lowercase())
                && name.bytes().all(|b| b.is_ascii_lowercase() || b == b'-' || more.contains(&b))
        };
        let is_in_url = parts.peek().is_some_and(|behind| behind.starts_with(" in the URL"));
        let looks_like = name.starts_with("pool-") || name.ends_with("-timeout");
        // An argument of Python, whose texts are in quotes.
        let is_python = value.starts_with(['"', '\\']) || ["True", "False"].contains(&value);
        let has_value = part.contains('=') && !value.contains([' ', '\n']) && !is_python;
        if (is_in_url && is_word(b"_")) || ((looks_like || has_value) && is_word(b"")) {
            names.push((name, value));
        }
    }
    names
}

#[test]
fn every_parameter_that_is_named_somewhere_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = Vec::new();
    texts(&root.join("crates"), &mut found);
    texts(&root.join("docs"), &mut found);
    for file in ["README.md", "SECURITY.md"] {
        found.push((file.to_owned(), fs::read_to_string(root.join(file)).unwrap()));
    }
    let mut n_named = 0;
    for (file, text) in &found {
        for (name, value) in named(text) {
            // A value that does not fit does not matter: it may be a placeholder.
            let is_known = !matches!(set(&mut Config::new(), name, Some(value)), Ok(false));
            assert!(is_known || OTHERS.contains(&name), "{file} names `{name}`, which no URL takes");
            n_named += usize::from(is_known);
        }
    }
    assert!(n_named > 40, "{n_named}: the names are not found any more");
}

/// Only the user may choose less than verified TLS: no message proposes it, because a server or a man in the middle could provoke the message.
#[test]
fn no_message_proposes_weaker_tls() {
    let mut found = Vec::new();
    texts(&Path::new(env!("CARGO_MANIFEST_DIR")).join(".."), &mut found);
    for (file, text) in found.iter().filter(|(file, _)| file.ends_with(".rs")) {
        for weaker in ["preferred", "disabled", "verify-ca"]
            .iter()
            .flat_map(|mode| ["--tls ", "tls="].map(|o| format!("{o}{mode}")))
        {
            assert!(!text.contains(&weaker), "{file} has `{weaker}`");
        }
    }
}

#[test]
fn names_are_found() {
    let text = "set `local-infile=1`, `max_packet` in the URL or `pool-max`; `a = b`, `nan=\"null\"`, `index=True`, `x`, `query-timeout`";
    let names: Vec<_> = named(text).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["local-infile", "max_packet", "pool-max", "query-timeout"]);
}

#[test]
fn the_names_to_offer_exist() {
    for name in KNOWN.split(", ") {
        assert!(!matches!(set(&mut Config::new(), name, Some("1")), Ok(false)), "{name}");
    }
}
