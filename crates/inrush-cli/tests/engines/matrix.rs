//! docs/engines.md: a section an engine with what it refuses, and above them the matrix that is made of the sections.

use crate::ground::{Outcome, Refusal};
use crate::{BEHAVIOURS, Behaviour};
use std::fmt::Write as _;
use std::path::PathBuf;

/// Compares an engine's outcomes with its section, or writes it where `INRUSH_WRITE_ENGINES` is set.
pub(crate) fn compare(engine: &str, version: &str, outcomes: &[(&str, Outcome)]) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/engines.md");
    let text = std::fs::read_to_string(&path).unwrap();
    let (head, mut sections) = parse(&text);
    let lines = outcomes.iter().filter_map(|(name, outcome)| refusal_line(name, outcome)).collect();
    let old = sections.iter().position(|section| section.engine == engine);
    // The server's packages change under a test; what it does is compared.
    let is_writing = std::env::var_os("INRUSH_WRITE_ENGINES").is_some();
    let version = match old {
        Some(at) if !is_writing => sections[at].version.clone(),
        _ => version.to_owned(),
    };
    let section = Section { engine: engine.to_owned(), version, lines };
    match old {
        Some(at) => sections[at] = section,
        None => sections.push(section),
    }
    let new = format!("{head}{}", render(&sections));
    if is_writing {
        std::fs::write(&path, new).unwrap();
    } else {
        assert!(
            new == text,
            "docs/engines.md is not what {engine} does; `INRUSH_WRITE_ENGINES=1` writes it. It does:\n{}",
            render(&sections)
        );
    }
}

/// What is known of an engine.
struct Section {
    engine: String,
    version: String,
    /// Refused behaviours alone.
    lines: Vec<String>,
}

const BEGIN: &str = "<!-- From here on written by the tests: INRUSH_WRITE_ENGINES=1 -->\n";

fn parse(text: &str) -> (String, Vec<Section>) {
    let (head, written) = text.split_once(BEGIN).expect("docs/engines.md has the line behind which tests write");
    let sections = written.split("\n### ").skip(1).map(|section| {
        let (title, rest) = section.split_once('\n').unwrap();
        let (engine, version) = title.split_once(": ").unwrap();
        let lines = rest.lines().filter(|line| line.starts_with("- ")).map(str::to_owned).collect();
        Section { engine: engine.to_owned(), version: version.to_owned(), lines }
    });
    (head.to_owned(), sections.collect())
}

fn render(sections: &[Section]) -> String {
    let mut text = format!("{BEGIN}\n| |");
    sections.iter().for_each(|section| write!(text, " {} |", section.engine).unwrap());
    let _ = write!(text, "\n|---|{}\n", "---|".repeat(sections.len()));
    for name in names() {
        let cells: String = sections.iter().map(|section| format!(" {} |", cell(section, name))).collect();
        let _ = writeln!(text, "| {name} |{cells}");
    }
    for section in sections {
        let lines = if section.lines.is_empty() { "Everything.".to_owned() } else { section.lines.join("\n") };
        let _ = write!(text, "\n### {}: {}\n{lines}\n", section.engine, section.version);
    }
    text
}

fn names() -> impl Iterator<Item = &'static str> {
    std::iter::once("exactly once").chain(BEHAVIOURS.iter().copied().flatten().map(|(name, _): &Behaviour| *name))
}

fn refusal_line(name: &str, outcome: &Outcome) -> Option<String> {
    Some(match outcome {
        Ok(()) => return None,
        Err(Refusal::Promise(words)) => format!("- {name}: refused: {words}"),
        Err(Refusal::NotThere(words)) => format!("- {name}: not there: {words}"),
    })
}

fn cell(section: &Section, name: &str) -> &'static str {
    let starts = |kind: &str| section.lines.iter().any(|line| line.starts_with(&format!("- {name}: {kind}: ")));
    match (starts("refused"), starts("not there")) {
        (true, _) => "refused",
        (_, true) => "not there",
        _ => "yes",
    }
}
