//! Names of types: words that were replaced by those of the field do not come back, and an ambiguous word names one type.

use std::collections::BTreeMap;

/// Complaints about the names in the sources of the product's crates; `files` holds (path relative to the repository's root, text).
pub fn check_names(files: &[(String, String)]) -> Vec<String> {
    let mut found = Vec::new();
    let mut defined: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (path, text) in files.iter().filter(|(path, _)| is_of_product(path)) {
        for (i, line) in text.lines().enumerate() {
            let code = super::code_of(line);
            let mut words = code.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
            if let Some((old, new)) = words.find_map(|word| REPLACED.iter().find(|(old, _)| *old == word)) {
                found.push(format!("{path}:{}: `{old}` is called `{new}`", i + 1));
            }
            if let Some(name) = AMBIGUOUS.iter().find(|name| defines(code, name)) {
                defined.entry(*name).or_default().push(format!("{path}:{}", i + 1));
            }
        }
    }
    let several = defined.iter().filter(|(_, places)| places.len() > 1);
    let complaint = |(name, places): (&&str, &Vec<String>)| {
        format!("`{name}` names several types, so say of what each is: {}", places.join(", "))
    };
    found.extend(several.map(complaint));
    found
}

/// The testkit is for tests, which may use any words.
fn is_of_product(path: &str) -> bool {
    let is_test = path.ends_with("/tests.rs") || path.contains("/tests/");
    path.starts_with("crates/") && path.contains("/src/") && !path.starts_with("crates/inrush-testkit/") && !is_test
}

/// Whether a line defines a type of this name. An alias counts only at the left margin: associated types have given names.
fn defines(code: &str, name: &str) -> bool {
    let words = code.split(['<', '(', ')', '{', ';', ' ', '=', ':']).filter(|word| !word.is_empty());
    let mut rest = words.skip_while(|word| ["pub", "crate", "super"].contains(word));
    match rest.next() {
        Some("struct" | "enum" | "trait" | "union") => rest.next() == Some(name),
        Some("type") => !code.starts_with(' ') && rest.next() == Some(name),
        _ => false,
    }
}

/// Words that named up to eight types each.
const AMBIGUOUS: &[&str] =
    &["Column", "Shape", "Found", "Target", "Place", "Way", "Step", "Plan", "Facts", "Session", "Ledger", "Prepared"];

/// Old names and new ones.
const REPLACED: &[(&str, &str)] = &[
    ("Harmless", "AcceptedWarnings"),
    ("Tells", "ResultDetail"),
    ("Crooked", "Retried"),
    ("ChunkEnd", "ChunkOutcome"),
    ("AsItStands", "PassThrough"),
    ("as_it_stands", "batch_passes_through"),
    ("take_apart", "parse"),
    ("Spares", "BufferPool"),
    ("Notice", "LoadEvent"),
    ("Observer", "EventHandler"),
    ("starves", "lacks_memory_for"),
    ("Presence", "RunLock"),
    ("Asked", "StatementSource"),
    ("Learn", "PrepareForCache"),
    ("Noted", "SavedEvent"),
    ("is_unmade", "is_deferred"),
    ("put_usual", "put_common"),
    ("TakeValue", "ValueVisitor"),
    ("Judge", "CellValidator"),
    ("AnyJudge", "AnyValidator"),
    ("Whereabouts", "SourceLocation"),
    ("Untaken", "PendingBytes"),
    ("FindOut", "AutoDetect"),
    ("Shows", "NumberFormatKind"),
    ("Unheard", "UnreportedErrors"),
    ("keep_house", "maintain"),
    ("Keeper", "Maintenance"),
    ("come_to_rest", "prepare_for_return"),
    ("have_it_killed", "kill_query"),
    ("forgive_rows", "reset_row_errors"),
    ("Strange", "Unexpected"),
];
