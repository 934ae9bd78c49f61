//! The project's rules that no compiler checks: which crate and module may use which ([`check_modules`]), a charter at the top of each
//! file, words that must not be in the repository, licences and sources of dependencies.
//!
//! Every rule is a pure function from text to complaints, so that a test can show it something bad. The run over the
//! real tree is in `tests/tidy.rs`.

mod modules;
mod names;
mod pages;
mod source;

use inrush_core::error::{Class, codes};
pub use modules::check_modules;
pub use names::check_names;
pub use pages::{SUMMARY, check_anchors, check_links, check_summary};

/// Complaints about one tracked text file; `path` is relative to the repository's root, with `/`.
pub fn check_file(path: &str, text: &str) -> Vec<String> {
    let mut found = check_words(path, text);
    if path.ends_with(".rs") {
        // tests.rs is next to the file that it tests, whose charter covers both.
        if !path.ends_with("/tests.rs") {
            found.extend(check_charter(path, text));
        }
        found.extend(check_macros(path, text));
        found.extend(check_core_modules(path, text));
        found.extend(check_error_codes(path, text));
        found.extend(check_vendors(path, text));
        found.extend(check_comments(path, text));
    }
    found
}

/// A Rust file must begin with a comment that gives its purpose.
pub fn check_charter(path: &str, text: &str) -> Option<String> {
    let first = text.lines().next().unwrap_or_default();
    let charter = first.strip_prefix("//!").map(str::trim).unwrap_or_default();
    (charter.len() < 10).then(|| format!("{path}:1: opens without a charter (`//! What this file is for`)"))
}

/// Nothing unfinished and nothing skipped.
pub fn check_macros(path: &str, text: &str) -> Vec<String> {
    complain(path, text, |line| {
        let code = code_of(line);
        UNFINISHED.iter().copied().find(|mark| code.contains(mark)).map(|mark| format!("`{mark}` in a committed file"))
    })
}

/// Comments of sources use the field's words: what is in backticks or brackets is a name, and is not read.
pub fn check_comments(path: &str, text: &str) -> Vec<String> {
    if !path.contains("/src/") {
        return Vec::new();
    }
    complain(path, text, |line| {
        let comment = line.trim_start().strip_prefix("//")?;
        let prose: String = comment.split('`').step_by(2).collect::<Vec<_>>().join(" ").to_lowercase();
        let words: Vec<&str> =
            prose.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|w| !w.is_empty()).collect();
        let stands = |odd: &[&str]| words.windows(odd.len()).any(|some| some == odd);
        let (odd, plain) = ODD_WORDS.iter().find(|(odd, _)| stands(&odd.split(' ').collect::<Vec<_>>()))?;
        Some(format!("`{odd}` in a comment: {plain}"))
    })
}

/// Words that comments used in place of the field's, and what to write.
const ODD_WORDS: &[(&str, &str)] = &[
    ("told", "reported, sent, passed"),
    ("tells", "reports, sends, returns"),
    ("nobody", "no caller, no thread, no connection"),
    ("whoever", "the caller, the user"),
    ("anew", "again, a new one"),
    ("as it stands", "unchanged, exactly as in"),
    ("goes on", "continues"),
    ("usual", "common, default"),
    ("usually", "in most cases"),
    ("look at", "read, check, validate"),
    ("looks at", "reads, checks, validates"),
    ("looked at", "read, checked, validated"),
    ("take apart", "parse"),
    ("taken apart", "parsed"),
];

/// No path of one machine, and no host of a package registry or a mirror.
pub fn check_words(path: &str, text: &str) -> Vec<String> {
    if path.ends_with("Cargo.lock") {
        return Vec::new();
    }
    complain(path, text, |line| {
        let word = FORBIDDEN.iter().map(|halves| halves.concat()).find(|word| begins_in(line, word))?;
        Some(format!("`{word}` belongs to one machine or one registry, not into the repository"))
    })
}

/// Inside the core, a module uses only those below it.
pub fn check_core_modules(path: &str, text: &str) -> Vec<String> {
    let Some(inside) = path.strip_prefix("crates/inrush-core/src/") else {
        return Vec::new();
    };
    let mut steps: Vec<_> = inside.trim_end_matches(".rs").split('/').filter(|step| *step != "mod").collect();
    let Some((module, allowed)) = CORE_MODULES.iter().find(|(module, _)| *module == steps[0]) else {
        // lib.rs only declares the modules; any other file is a module that has no rule yet.
        return if inside == "lib.rs" {
            Vec::new()
        } else {
            vec![format!("{path}: no rule for this module in tidy.rs")]
        };
    };
    steps.retain(|step| !step.is_empty());
    complain(path, text, |line| {
        let code = code_of(line);
        let upward = used_modules(code, steps.len()).into_iter().find(|used| {
            used != module && CORE_MODULES.iter().any(|(known, _)| known == used) && !allowed.contains(&used.as_str())
        })?;
        Some(format!("`{module}` must not use `{upward}`"))
    })
}

/// One table says what an error code means for a retry or a connection: no other file lists such codes.
pub fn check_error_codes(path: &str, text: &str) -> Vec<String> {
    if !path.contains("/src/") || path.ends_with("/tests.rs") || path.ends_with("inrush-core/src/error/codes.rs") {
        return Vec::new();
    }
    complain(path, text, |line| {
        let numbers = code_of(line).split(|c: char| !c.is_alphanumeric()).filter_map(|word| word.parse().ok());
        let mut listed: Vec<u16> = numbers.filter(|code| codes::of(*code).0 != Class::Other).collect();
        listed.dedup();
        (listed.len() > 1).then(|| format!("lists error codes {listed:?}: their table is `error/codes.rs` of the core"))
    })
}

/// Only the profiles of engines compare a server's vendor or version; all other code reads their features. Tests may compare: they say
/// what each server does.
pub fn check_vendors(path: &str, text: &str) -> Vec<String> {
    let is_code = path.starts_with("crates/") && (path.contains("/src/") || path.contains("/examples/"));
    let is_test = path.ends_with("tests.rs") || path.contains("/tests/");
    if !is_code || is_test || VENDOR_FILES.iter().any(|(allowed, _)| path.starts_with(allowed)) {
        return Vec::new();
    }
    let without_tests = text.split("\n#[cfg(test)]\nmod tests").next().unwrap_or_default();
    complain(path, without_tests, |line| {
        let code = code_of(line);
        let mark = VENDOR_MARKS.iter().find(|mark| code.contains(*mark) && !code.starts_with("pub use "))?;
        Some(format!("`{mark}` outside of the core's `profile`: name the feature and read it from there"))
    })
}

/// Which of our crates each may depend on; `edges` holds (crate, dependency, whether only for tests).
pub fn check_crates(edges: &[(String, String, bool)]) -> Vec<String> {
    let bad = |(from, to, for_tests): &&(String, String, bool)| {
        let Some((_, allowed)) = CRATES.iter().find(|(name, _)| name == from) else {
            return true;
        };
        // A crate reaches itself so that its tests have all its features. The loader's tests and its example read files.
        let is_of_tests = to == "inrush-testkit" || to == from || (from == "inrush" && to == "inrush-files");
        !(allowed.contains(&to.as_str()) || is_of_tests && *for_tests)
    };
    edges.iter().filter(bad).map(|(from, to, _)| format!("`{from}` must not depend on `{to}`")).collect()
}

/// A dependency's licence and source; `source` is `None` for a crate of this repository.
pub fn check_dependency(name: &str, license: Option<&str>, source: Option<&str>) -> Vec<String> {
    let mut found = Vec::new();
    if source.is_some_and(|source| source != CRATES_IO) {
        found.push(format!("`{name}` comes from {}", source.unwrap_or_default()));
    }
    match license {
        Some(expression) if is_allowed(expression) => {}
        other => found.push(format!("`{name}` has the licence {}", other.unwrap_or("(none named)"))),
    }
    found
}

/// Whether an SPDX expression can be satisfied with allowed licences alone. The old `/` means OR.
pub fn is_allowed(expression: &str) -> bool {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let words: Vec<_> = spaced.split_whitespace().collect();
    let mut rest = words.as_slice();
    any_of(&mut rest) && rest.is_empty()
}

/// Whether `line` holds `word` other than as the rest of a longer path or name.
fn begins_in(line: &str, word: &str) -> bool {
    let starts = |(at, _)| !line[..at].ends_with(|c: char| c.is_alphanumeric() || "_-.}".contains(c));
    line.match_indices(word).any(starts)
}

fn any_of(words: &mut &[&str]) -> bool {
    let mut allowed = all_of(words);
    while let ["OR", rest @ ..] = *words {
        *words = rest;
        // Both sides must be read, whatever the first one said.
        allowed |= all_of(words);
    }
    allowed
}

fn all_of(words: &mut &[&str]) -> bool {
    let mut allowed = one_license(words);
    while let ["AND", rest @ ..] = *words {
        *words = rest;
        allowed &= one_license(words);
    }
    allowed
}

fn one_license(words: &mut &[&str]) -> bool {
    match *words {
        ["(", rest @ ..] => {
            *words = rest;
            let allowed = any_of(words);
            let closed = words.first() == Some(&")");
            *words = words.get(1..).unwrap_or_default();
            allowed && closed
        }
        [name, "WITH", exception, rest @ ..] => {
            *words = rest;
            LICENSES.contains(&format!("{name} WITH {exception}").as_str())
        }
        [name, rest @ ..] => {
            *words = rest;
            LICENSES.contains(name)
        }
        [] => false,
    }
}

/// The first steps of all paths in a line that begin at the crate's root, by `crate::` or by enough `super::`.
fn used_modules(code: &str, depth: usize) -> Vec<String> {
    let mut used = Vec::new();
    let supers = "super::".repeat(depth);
    for root in ["crate::", supers.as_str()] {
        for (at, _) in code.match_indices(root) {
            let before = code[..at].chars().next_back();
            let after = &code[at + root.len()..];
            // `$crate` in a macro is ours too; a longer name that ends in `crate`, or one more `super`, is not.
            if before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':') {
                continue;
            }
            used.extend(match after.strip_prefix('{') {
                Some(group) => first_steps(group),
                None => vec![leading_name(after)],
            });
        }
    }
    used
}

/// `error::{A, B}, wire::C}` holds `error` and `wire`.
fn first_steps(group: &str) -> Vec<String> {
    let mut steps = vec![leading_name(group)];
    let mut depth = 0;
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => steps.push(leading_name(group[at + 1..].trim_start())),
            _ => {}
        }
    }
    steps
}

fn leading_name(text: &str) -> String {
    text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}

/// The line without its comment. A `//` inside a string ends it too early, which only makes a check milder.
fn code_of(line: &str) -> &str {
    line.split("//").next().unwrap_or_default()
}

fn complain(path: &str, text: &str, rule: impl Fn(&str) -> Option<String>) -> Vec<String> {
    let numbered = text.lines().enumerate();
    numbered.filter_map(|(i, line)| rule(line).map(|what| format!("{path}:{}: {what}", i + 1))).collect()
}

/// Crates of ours and what each may depend on (ARCHITECTURE.md). A new edge needs a decision record.
const CRATES: &[(&str, &[&str])] = &[
    ("inrush-core", &[]),
    ("inrush-derive", &[]),
    ("inrush", &["inrush-core", "inrush-derive"]),
    ("inrush-files", &["inrush-core"]),
    ("inrush-bench", &["inrush-core", "inrush", "inrush-files"]),
    ("inrush-cli", &["inrush-core", "inrush", "inrush-files", "inrush-bench"]),
    ("inrush-adbc", &["inrush-core", "inrush", "inrush-files"]),
    ("inrush-python", &["inrush-core", "inrush", "inrush-files", "inrush-adbc"]),
    ("inrush-testkit", &["inrush-core"]),
];

/// Modules of the core and those below each.
const CORE_MODULES: &[(&str, &[&str])] = &[
    ("error", &[]),
    ("front_end", &["error"]),
    ("human", &[]),
    ("printable", &[]),
    ("setters", &[]),
    ("retry", &["error"]),
    ("zone", &["error", "value", "wire"]),
    ("value", &["error"]),
    ("wire", &["sql", "error", "value"]),
    ("profile", &["wire"]),
    ("auth", &["error", "wire"]),
    ("convert", &["error", "setters", "value", "wire", "zone"]),
    ("column", &["error", "printable", "value", "wire", "profile", "convert", "zone"]),
    ("sql", &["error"]),
    ("session", &["error", "retry", "value", "wire", "profile", "auth", "convert", "sql", "zone"]),
    ("route", &["value", "wire", "profile", "column"]),
    ("verify", &["error", "column"]),
    ("write", &["error", "setters", "value", "wire", "profile", "convert", "session", "sql", "column", "zone"]),
    ("batch", &["error", "retry", "value", "wire", "profile", "convert", "session", "sql", "column", "write", "zone"]),
    (
        "load",
        &[
            "error", "human", "retry", "value", "wire", "profile", "convert", "session", "sql", "column", "route",
            "write", "zone",
        ],
    ),
];

/// Files and folders that may name vendors, and why.
const VENDOR_FILES: &[(&str, &str)] = &[
    ("crates/inrush-core/src/profile/", "here a vendor becomes features"),
    ("crates/inrush-core/src/wire/version.rs", "reads the vendor from the greeting"),
    ("crates/inrush-adbc/src/info.rs", "ADBC asks for the vendor's name"),
    ("crates/inrush-cli/src/local_server/", "runs a vendor's programs, which have options and files of their own"),
    ("crates/inrush-cli/src/commands/server.rs", "shows which of these programs runs"),
    ("crates/inrush-testkit/", "for tests only"),
];

/// What compares a vendor or a version.
const VENDOR_MARKS: &[&str] = &[
    "Vendor",
    ".vendor",
    "is_mariadb",
    "is_mysql",
    "is_at_least(",
    "version.numbers",
    "version().numbers",
    "server.numbers",
    "contains(\"MariaDB\")",
    "contains(\"mariadb\")",
    "== \"MariaDB\"",
    "== \"MySQL\"",
    "== \"mariadb\"",
    "== \"mysql\"",
];

const UNFINISHED: &[&str] =
    &[concat!("to", "do!("), concat!("unimple", "mented!("), concat!("db", "g!("), concat!("#[ig", "nore")];

/// In halves, so that this file does not hold what it looks for.
const FORBIDDEN: &[[&str; 2]] = &[
    ["/wo", "rk/"],
    ["/ro", "ot/"],
    ["/ho", "me/"],
    ["/tm", "p/"],
    ["deb.deb", "ian.org"],
    ["snapshot.deb", "ian.org"],
    ["index.cra", "tes.io"],
    ["static.cra", "tes.io"],
    ["pypi", ".org"],
    ["files.python", "hosted.org"],
    ["registry.npm", "js.org"],
    ["proxy.go", "lang.org"],
    ["repo.maven", ".apache.org"],
];

/// The same list as in deny.toml.
const LICENSES: &[&str] = &[
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "CC0-1.0",
    "CDLA-Permissive-2.0",
    "ISC",
    "MIT",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
    "bzip2-1.0.6",
];

const CRATES_IO: &str = "registry+https://github.com/rust-lang/crates.io-index";
