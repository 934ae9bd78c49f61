//! The project's rules over the real tree, and for each rule something bad that it must find.

// The helpers of tests fail like tests.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::path::Path;
use std::process::Command;

use inrush_testkit::tidy;
use serde_json::Value;

#[test]
fn every_file_keeps_the_rules() {
    let files = run("git", &["ls-files", "--cached", "--others", "--exclude-standard"]);
    let mut n_files = 0;
    let mut found = Vec::new();
    for path in files.lines() {
        // A file deleted but not yet committed as such, or one that is no text.
        let Ok(text) = std::fs::read_to_string(root().join(path)) else { continue };
        n_files += 1;
        found.extend(tidy::check_file(path, &text));
        if path.ends_with(".md") {
            found.extend(tidy::check_links(path, &text, |linked| root().join(linked).exists()));
            found.extend(tidy::check_anchors(path, &text, |page| std::fs::read_to_string(root().join(page)).ok()));
        }
    }
    assert!(n_files > 20, "only {n_files} files seen");
    assert!(found.is_empty(), "\n{}", found.join("\n"));
}

#[test]
fn the_site_has_every_page() {
    let paths = run("git", &["ls-files", "--cached", "--others", "--exclude-standard", "*.md"]);
    let read = |path: &str| Some((path.to_owned(), std::fs::read_to_string(root().join(path)).ok()?));
    let pages: Vec<_> = paths.lines().filter_map(read).collect();
    let summary = std::fs::read_to_string(root().join(tidy::SUMMARY)).unwrap();
    let found = tidy::check_summary(&summary, &pages);
    assert!(found.is_empty(), "\n{}", found.join("\n"));
}

#[test]
fn modules_use_only_those_below() {
    let paths = run("git", &["ls-files", "--cached", "--others", "--exclude-standard", "crates/*.rs"]);
    let read = |path: &str| Some((path.to_owned(), std::fs::read_to_string(root().join(path)).ok()?));
    let files: Vec<_> = paths.lines().filter_map(read).collect();
    assert!(files.len() > 100, "only {} files seen", files.len());
    let found = tidy::check_modules(&files);
    assert!(found.is_empty(), "\n{}", found.join("\n"));
}

#[test]
fn names_say_what_they_are() {
    let paths = run("git", &["ls-files", "--cached", "--others", "--exclude-standard", "crates/*.rs"]);
    let read = |path: &str| Some((path.to_owned(), std::fs::read_to_string(root().join(path)).ok()?));
    let files: Vec<_> = paths.lines().filter_map(read).collect();
    let found = tidy::check_names(&files);
    assert!(found.is_empty(), "\n{}", found.join("\n"));
}

#[test]
fn finds_replaced_and_ambiguous_names() {
    let of = |lines: &[(&str, &str)]| {
        let files: Vec<_> = lines.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
        tidy::check_names(&files).len()
    };
    let (a, b) = ("crates/inrush-core/src/a.rs", "crates/inrush/src/b.rs");
    assert_eq!(of(&[(a, "use x::ChunkEnd;")]), 1);
    assert_eq!(of(&[(a, "let n = 1; // ChunkEnd"), (b, "struct MyChunkEnd;")]), 0);
    assert_eq!(of(&[(a, "pub struct Plan<'a> {"), (b, "    pub(crate) enum Plan {")]), 1);
    assert_eq!(of(&[(a, "pub(super) trait Step {"), (b, "type Step = u8;")]), 1);
    assert_eq!(of(&[(a, "pub struct Plan;"), (b, "struct LoadPlan(Plan);")]), 0);
    assert_eq!(of(&[(a, "struct Target;"), (b, "    type Target = Target;")]), 0);
    assert_eq!(of(&[(a, "struct Plan;"), ("crates/inrush/src/b/tests.rs", "struct Plan;")]), 0);
}

#[test]
fn crates_depend_downwards() {
    let metadata = metadata(&["--no-deps"]);
    let mut edges = Vec::new();
    for package in metadata["packages"].as_array().unwrap() {
        for dependency in package["dependencies"].as_array().unwrap() {
            if dependency["path"].is_string() {
                let for_tests = dependency["kind"] == "dev";
                edges.push((name(package), name(dependency), for_tests));
            }
        }
    }
    assert!(edges.len() >= 5, "only {edges:?}");
    assert_eq!(tidy::check_crates(&edges), [""; 0]);
}

#[test]
fn dependencies_are_free_and_from_one_source() {
    let metadata = metadata(&[]);
    let mut found = Vec::new();
    for package in metadata["packages"].as_array().unwrap() {
        found.extend(tidy::check_dependency(&name(package), package["license"].as_str(), package["source"].as_str()));
    }
    assert_eq!(found, [""; 0]);
}

#[test]
fn deny_toml_allows_the_same_licences() {
    let text = std::fs::read_to_string(root().join("deny.toml")).unwrap();
    let list = text.split_once("allow = [").unwrap().1.split_once(']').unwrap().0;
    let names: Vec<_> = list.split('"').skip(1).step_by(2).collect();
    assert!(names.len() > 5);
    for name in &names {
        assert!(tidy::is_allowed(name), "{name} is in deny.toml only");
    }
}

#[track_caller]
fn finds(path: &str, text: &str, want: &str) {
    let text =
        if path.ends_with(".rs") && want != "charter" { format!("//! A charter for it.\n{text}") } else { text.into() };
    let found = tidy::check_file(path, &text);
    assert!(found.len() == 1 && found[0].contains(want), "want one complaint with `{want}`, found {found:?}");
}

#[track_caller]
fn passes(path: &str, text: &str) {
    assert_eq!(tidy::check_file(path, &format!("//! A charter for it.\n{text}")), [""; 0]);
}

const LOAD: &str = "crates/inrush-core/src/load/plan.rs";
const WIRE: &str = "crates/inrush-core/src/wire/ok.rs";
const AUTH: &str = "crates/inrush-core/src/auth/native.rs";

#[test]
fn finds_a_missing_charter() {
    finds("a.rs", "use std::fmt;\n", "charter")
}
#[test]
fn finds_an_empty_charter() {
    finds("a.rs", "//!\n", "charter")
}
#[test]
fn finds_an_empty_file() {
    finds("a.rs", "", "charter")
}
#[test]
fn finds_unfinished_work() {
    finds("a.rs", concat!("fn f() { to", "do!() }"), "do!(")
}
#[test]
fn finds_a_skipped_test() {
    finds("a.rs", concat!("#[ig", "nore = \"slow\"]"), "nore")
}
#[test]
fn finds_a_machines_path() {
    finds("README.md", concat!("cd /wo", "rk/inrush"), "one machine")
}
#[test]
fn a_folder_of_that_name_is_no_machines_path() {
    passes("scripts/x.sh", concat!("ls $home/ro", "ot/usr a/tm", "p/b"))
}
#[test]
fn finds_odd_words_in_comments() {
    let of = |line: &str| tidy::check_comments("crates/x/src/y.rs", line);
    for line in ["/// Nobody waits.", "    // It is told once.", "//! Sent as it stands.", "// Looked at twice"] {
        assert_eq!(of(line).len(), 1, "{line}");
    }
    for line in ["/// See [`told`].", "let told = 1; // of the server", "/// As `nobody`.", "/// It stands as a name"] {
        assert_eq!(of(line), [""; 0], "{line}");
    }
    assert_eq!(tidy::check_comments("docs/x.md", "// told"), [""; 0]);
}
#[test]
fn a_test_file_needs_no_charter() {
    assert_eq!(tidy::check_file("crates/x/src/y/tests.rs", "use super::*;"), [""; 0])
}
#[test]
fn finds_a_mirrors_host() {
    finds("scripts/x.sh", concat!("curl http://deb.deb", "ian.org/x"), "one registry")
}
#[track_caller]
fn links(path: &str, text: &str, want: usize) {
    let found = tidy::check_links(path, text, |linked| ["README.md", "docs/load.md", "docs"].contains(&linked));
    assert_eq!(found.len(), want, "{found:?}");
}
#[test]
fn finds_a_link_that_leads_nowhere() {
    links("docs/load.md", "see [a](load.md) and [b](gone.md)", 1)
}
#[test]
fn links_count_from_their_file() {
    links("docs/load.md", "[up](../README.md) [here](./load.md#times)", 0)
}
#[test]
fn links_from_the_root() {
    links("README.md", "[guide](docs/load.md) [folder](docs/) [wrong](load.md)", 1)
}
#[test]
fn links_elsewhere_are_not_followed() {
    links("README.md", "[web](https://example.org/x) [part](#part)", 0)
}
#[track_caller]
fn anchor(text: &str, want: usize) {
    let other = "# One\n```sh\n# Two\n```\n## Three: `a_b`, c\n## One\n### [Four](x.md) e\n";
    let found = tidy::check_anchors("docs/a.md", text, |page| (page == "docs/b.md").then(|| other.to_owned()));
    assert_eq!(found.len(), want, "{found:?}");
}
#[test]
fn links_to_headings_are_followed() {
    anchor("[x](b.md#one) [y](b.md#three-a_b-c) [z](./b.md#one-1) [v](b.md#four-e)", 0);
    anchor("# Here\n[x](#here) [y](https://example.org/b.md#gone) [z](gone.md#gone)", 0);
}
#[test]
fn finds_a_heading_that_is_not_there() {
    anchor("[x](b.md#two)", 1);
    anchor("# Here\n[x](#there)", 1);
}
#[track_caller]
fn summary(summary: &str, pages: &[(&str, &str)], want: &[&str]) {
    let pages: Vec<_> = pages.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
    let found = tidy::check_summary(summary, &pages);
    let is_as_wanted = found.iter().zip(want).all(|(found, want)| found.contains(want));
    assert!(found.len() == want.len() && is_as_wanted, "want {want:?}, found {found:?}");
}
#[test]
fn a_summary_with_all_pages() {
    let pages = [("docs/a.md", "[up](../README.md) [code](../x/y.rs)"), ("README.md", ""), ("x/z.md", "[f](y)")];
    summary("[r](../README.md)\n- [a](a.md)", &pages, &[]);
}
#[test]
fn finds_a_page_that_is_not_in_the_summary() {
    summary("- [a](a.md)", &[("docs/a.md", ""), ("docs/b/c.md", "")], &["lists `docs/b/c.md` 0 times"]);
    summary("- [a](a.md)\n- [b](./a.md)", &[("docs/a.md", "")], &["lists `docs/a.md` 2 times"]);
}
#[test]
fn finds_links_that_the_site_cannot_follow() {
    let pages = [("docs/a.md", "[up](../README.md#x)\n[folder](../benches/peers)")];
    summary("- [a](a.md)", &pages, &["links to `README.md`", "links to `benches/peers`"]);
}
#[test]
fn finds_wire_using_load() {
    finds(WIRE, "use crate::load::LoadPlan;", "must not use `load`")
}
#[test]
fn finds_it_in_a_group() {
    finds(WIRE, "use crate::{error::{A, B}, session::Step};", "must not use `session`")
}
#[test]
fn finds_it_by_super() {
    finds(WIRE, "use super::super::column::Column;", "must not use `column`")
}
#[test]
fn finds_it_inside_a_line() {
    finds(AUTH, "let x = crate::session::login();", "must not use `session`")
}
#[test]
fn finds_an_unknown_module() {
    finds("crates/inrush-core/src/misc.rs", "", "no rule")
}
#[test]
fn load_may_use_all() {
    passes(LOAD, "use crate::{column::Column, session::Step};\nuse crate::error::Error;")
}
#[test]
fn comments_may_point_upwards() {
    passes(WIRE, "//! See [`crate::load`].\n// as crate::session does")
}
#[test]
fn neighbours_are_not_upwards() {
    passes(WIRE, "use super::load::Thing;\nuse super::column;")
}

/// The files of a crate named `x`, each `name: text`.
#[track_caller]
fn modules(files: &[(&str, &str)], want: &[&str]) {
    let file = |(name, text): &(&str, &str)| (format!("crates/x/src/{name}.rs"), (*text).to_owned());
    let found = tidy::check_modules(&files.iter().map(file).collect::<Vec<_>>());
    let is_as_wanted = found.iter().zip(want).all(|(found, want)| found.contains(want));
    assert!(found.len() == want.len() && is_as_wanted, "want {want:?}, found {found:?}");
}
#[test]
fn finds_neighbours_that_use_each_other() {
    modules(
        &[("a", "use crate::b::B;"), ("b", "fn f() { super::a::g() }")],
        &["src: modules use each other in a circle: a -> b (`crate::b::B` in a), b -> a (`super::a::g` in b)"],
    )
}
#[test]
fn finds_a_long_circle() {
    modules(&[("a", "use crate::b::B;"), ("b", "use crate::c::C;"), ("c", "use crate::a::A;")], &["a -> b"])
}
#[test]
fn finds_a_circle_of_folders() {
    modules(&[("a/x", "use crate::b::y::Y;"), ("a", ""), ("b/y", ""), ("b", "use crate::a::x::X;")], &["b -> a"])
}
#[test]
fn finds_a_circle_inside_a_folder() {
    modules(&[("a", ""), ("a/x", "use super::y;"), ("a/y", "use super::x;")], &["crates/x/src/a: "])
}
#[test]
fn finds_a_circle_by_a_name_that_is_exported_again() {
    modules(&[("lib", "pub use b::B;"), ("a", "use crate::B;"), ("b", "use super::a::A; struct B;")], &["a -> b"])
}
#[test]
fn finds_a_circle_by_a_glob() {
    modules(&[("lib", "use b::*;"), ("a", "use crate::B;"), ("b", "use crate::a::A; struct B;")], &["a -> b"])
}
#[test]
fn a_module_and_what_is_inside_are_one_thing() {
    modules(&[("a", "use x::X;"), ("a/x", "use super::A;")], &[])
}
#[test]
fn one_direction_is_no_circle() {
    modules(&[("a", "use crate::{b::B, c::C};"), ("b", "use crate::c::C;"), ("c", "")], &[])
}
#[test]
fn tests_may_use_everything() {
    modules(
        &[
            ("a", "use crate::b::B;"),
            ("b", "#[cfg(test)] mod tests { use crate::a::A; }"),
            ("b/tests", "use crate::a::A;"),
        ],
        &[],
    )
}
#[track_caller]
fn layers(name: &str, files: &[(&str, &str)], want: usize) {
    let file = |(file, text): &(&str, &str)| (format!("crates/{name}/src/{file}.rs"), (*text).to_owned());
    let found = tidy::check_modules(&files.iter().map(file).collect::<Vec<_>>());
    assert_eq!(found.len(), want, "{found:?}");
}
#[test]
fn finds_the_net_using_the_loader() {
    layers("inrush", &[("net", "use crate::loader::Loader;"), ("loader", "")], 1)
}
#[test]
fn finds_neighbours_of_a_layer() {
    layers("inrush", &[("blocking", "use crate::tokio::Connection;"), ("tokio", "")], 1)
}
#[test]
fn finds_a_module_without_a_layer() {
    layers("inrush-files", &[("misc", "")], 1)
}
#[test]
fn downwards_is_allowed() {
    layers("inrush", &[("loader", "use crate::net::Link;"), ("net", "use crate::config::Config;"), ("config", "")], 0)
}

#[test]
fn finds_a_second_table_of_error_codes() {
    finds("crates/inrush/src/pool/full.rs", "const FULL: &[u16] = &[1040, 1203];", "error/codes.rs");
    finds(LOAD, "DEADLOCK | 1205 | 2013 => again,", "[1205, 2013]")
}
#[test]
fn one_error_code_is_no_table() {
    passes(LOAD, "const KILLED: u16 = 1317; // not 1927\nmatches!(code, 1295 | 1047 | 1210)")
}

#[test]
fn finds_a_vendor_outside_the_profiles() {
    finds("crates/inrush/src/batch.rs", "if session.version().vendor == V {}", ".vendor")
}
#[test]
fn finds_a_version_outside_the_profiles() {
    finds("crates/inrush-core/src/load/lane.rs", "if server.is_at_least(8, 0, 19) {}", "is_at_least(");
    finds("crates/inrush-bench/src/facts.rs", "if server.numbers >= (8, 0, 13) {}", "server.numbers");
}
#[test]
fn finds_a_vendor_by_its_name() {
    finds("crates/inrush-cli/src/exit.rs", "if profile.name == \"MariaDB\" {}", "MariaDB")
}
#[test]
fn profiles_and_tests_may_compare_vendors() {
    for path in
        ["crates/inrush-core/src/profile/mysql.rs", "crates/inrush/tests/real/basics.rs", "crates/x/src/y/tests.rs"]
    {
        passes(path, "match version.vendor { Vendor::MySql => version.is_at_least(8, 0, 0) }");
    }
    passes("crates/inrush/src/batch.rs", "fn f() {}\n#[cfg(test)]\nmod tests {\n    use x::Vendor;\n}");
}

#[track_caller]
fn edge(from: &str, to: &str, for_tests: bool, want: usize) {
    assert_eq!(tidy::check_crates(&[(from.into(), to.into(), for_tests)]).len(), want);
}
#[test]
fn core_depends_on_none() {
    edge("inrush-core", "inrush", false, 1)
}
#[test]
fn files_not_on_the_shell() {
    edge("inrush-files", "inrush", false, 1)
}
#[test]
fn testkit_only_for_tests() {
    edge("inrush-cli", "inrush-testkit", false, 1)
}
#[test]
fn testkit_for_tests() {
    edge("inrush-cli", "inrush-testkit", true, 0)
}
#[test]
fn an_unknown_crate_needs_a_rule() {
    edge("inrush-extra", "inrush-core", false, 1)
}
#[test]
fn cli_on_files() {
    edge("inrush-cli", "inrush-files", false, 0)
}

#[track_caller]
fn license(expression: &str, want: bool) {
    assert_eq!(tidy::is_allowed(expression), want, "{expression}");
}
#[test]
fn a_choice_with_one_allowed() {
    license("GPL-3.0 OR MIT", true)
}
#[test]
fn both_must_be_allowed() {
    license("MIT AND GPL-3.0", false)
}
#[test]
fn parentheses_bind() {
    license("(GPL-3.0 OR MIT) AND Unicode-3.0", true)
}
#[test]
fn and_binds_stronger() {
    license("GPL-3.0 AND MIT OR GPL-2.0", false)
}
#[test]
fn the_old_slash_is_or() {
    license("GPL-3.0/Apache-2.0", true)
}
#[test]
fn an_exception_counts() {
    license("Apache-2.0 WITH LLVM-exception", true)
}
#[test]
fn another_exception_does_not() {
    license("MIT WITH Classpath-exception-2.0", false)
}
#[test]
fn nonsense_is_refused() {
    license("MIT MIT", false)
}
#[test]
fn an_open_parenthesis_is_refused() {
    license("(MIT", false)
}
#[test]
fn no_licence_is_found() {
    assert_eq!(tidy::check_dependency("x", None, None).len(), 1)
}
#[test]
fn another_source_is_found() {
    assert_eq!(tidy::check_dependency("x", Some("MIT"), Some("git+https://example.org/x")).len(), 1)
}

fn metadata(arguments: &[&str]) -> Value {
    let json = run("cargo", &[&["metadata", "--format-version=1", "--locked"], arguments].concat());
    serde_json::from_str(&json).unwrap()
}

fn name(package: &Value) -> String {
    package["name"].as_str().unwrap().to_owned()
}

fn run(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).current_dir(root()).output().unwrap();
    assert!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}
