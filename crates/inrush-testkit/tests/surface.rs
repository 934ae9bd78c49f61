//! What the crate `inrush` makes public is what `docs/surface.txt` lists, so that a change of it is seen in a review.
//!
//! Rewrite the list with `INRUSH_WRITE_SURFACE=1 cargo test -p inrush-testkit --test surface`.
//!
//! Listed are the crate's own items and the types of `inrush-core` that it names itself. What else `inrush::sans_io` has is for people who
//! build on the protocol; its docs say that it may change.

// The helpers of tests fail like tests.
#![allow(clippy::unwrap_used, clippy::panic)]

use public_api::Builder;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

const OTHER_CRATES: &str = "bigdecimal,chrono,rust_decimal,serde_json,time,uuid";

#[test]
fn the_public_surface_is_the_one_that_is_listed() {
    let outer = described("inrush", &format!("full,{OTHER_CRATES}"));
    let inner = described("inrush-core", &format!("arrow,loader,compression,{OTHER_CRATES}"));
    let surface = surface(&outer, &inner);
    let path = root().join("docs/surface.txt");
    if std::env::var_os("INRUSH_WRITE_SURFACE").is_some() {
        return std::fs::write(path, surface).unwrap();
    }
    let listed = std::fs::read_to_string(path).unwrap();
    let (listed, surface): (BTreeSet<_>, BTreeSet<_>) = (listed.lines().collect(), surface.lines().collect());
    let gone = listed.difference(&surface).map(|line| format!("- {line}\n"));
    let new = surface.difference(&listed).map(|line| format!("+ {line}\n"));
    let changes: String = gone.chain(new).collect();
    assert!(
        changes.is_empty(),
        "the public surface is not what docs/surface.txt lists:\n{changes}\
         if that is meant: INRUSH_WRITE_SURFACE=1 cargo test -p inrush-testkit --test surface, and a line in CHANGELOG.md"
    );
}

/// Makes rustdoc describe a crate, and returns the file.
fn described(package: &str, features: &str) -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let output = Command::new(env!("CARGO"))
        .args(["rustdoc", "--quiet", "--locked", "--lib", "--package", package, "--features", features, "--target-dir"])
        .arg(target)
        .current_dir(root())
        .env("RUSTDOC", root().join("scripts/lib/rustdoc_json"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    target.join("doc").join(package.replace('-', "_")).with_extension("json")
}

/// All public items, one a line, sorted.
fn surface(outer: &Path, inner: &Path) -> String {
    let renamed = renamed(outer);
    let mut lines: BTreeSet<String> = BTreeSet::new();
    for path in [outer, inner] {
        let api = Builder::from_rustdoc_json(path)
            .omit_blanket_impls(true)
            .omit_auto_trait_impls(true)
            .omit_auto_derived_impls(true)
            .build()
            .unwrap();
        let items = api.items().map(|item| short(&item.to_string(), &renamed));
        lines.extend(items.filter(|line| !line.starts_with("pub use") && is_ours(line)));
    }
    lines.into_iter().map(|line| line + "\n").collect()
}

/// Paths in `inrush-core` of what `inrush` names itself, and these names.
fn renamed(outer: &Path) -> Vec<(String, String)> {
    let crate_: Value = serde_json::from_slice(&std::fs::read(outer).unwrap()).unwrap();
    let uses = crate_["index"].as_object().unwrap().values().filter_map(|item| item["inner"].get("use"));
    let mut renamed = Vec::new();
    for item in uses {
        let (source, name) = (item["source"].as_str().unwrap(), item["name"].as_str().unwrap());
        let Some(path) = crate_["paths"][item["id"].to_string()]["path"].as_array() else { continue };
        let defined: Vec<_> = path.iter().map(|part| part.as_str().unwrap()).collect();
        if defined.len() > 1 && defined[0] == "inrush_core" {
            let module = if source.contains("::pipeline::") { "inrush::pipeline" } else { "inrush" };
            renamed.extend([source.to_owned(), defined.join("::")].map(|from| (from, format!("{module}::{name}"))));
        }
    }
    renamed
}

/// A line with our own names, and without the paths of Rust's.
fn short(line: &str, renamed: &[(String, String)]) -> String {
    let is_in_path = |char: char| char.is_alphanumeric() || matches!(char, '_' | ':');
    let mut short = String::new();
    let mut rest = line;
    while let Some(begin) = rest.find(|char: char| char.is_alphanumeric() || char == '_') {
        short += &rest[..begin];
        rest = &rest[begin..];
        let end = rest.find(|char| !is_in_path(char)).unwrap_or(rest.len());
        let path = &rest[..end];
        rest = &rest[end..];
        let ours = renamed.iter().find_map(|(from, to)| {
            let behind = path.strip_prefix(from.as_str())?;
            (behind.is_empty() || behind.starts_with("::")).then(|| format!("{to}{behind}"))
        });
        short += &match ours {
            Some(ours) => ours,
            None if ["core::", "alloc::", "std::"].iter().any(|of_rust| path.starts_with(of_rust)) => {
                path.rsplit("::").next().unwrap_or(path).to_owned()
            }
            None => path.to_owned(),
        };
    }
    short + rest
}

/// Whether a line is about an item of ours: one of `inrush`, or what `inrush` calls its own.
fn is_ours(line: &str) -> bool {
    let about = match line.strip_prefix("impl") {
        Some(header) if header.contains("impl inrush::") || header.contains("> inrush::") => return true,
        Some(header) => return header.contains(" inrush::"),
        None => line,
    };
    about.split(' ').find(|word| word.contains("::")).is_some_and(|word| word.starts_with("inrush::"))
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

#[test]
fn lines_are_shortened() {
    let renamed = [("inrush_core::error::Error".to_owned(), "inrush::Error".to_owned())];
    let check = |line: &str, want: &str| assert_eq!(short(line, &renamed), want);
    check("pub fn inrush_core::error::Error::code(&self) -> u16", "pub fn inrush::Error::code(&self) -> u16");
    check("pub fn inrush::f() -> core::option::Option<alloc::vec::Vec<u8>>", "pub fn inrush::f() -> Option<Vec<u8>>");
    check("impl core::fmt::Debug for inrush_core::error::Errors", "impl Debug for inrush_core::error::Errors");
}
