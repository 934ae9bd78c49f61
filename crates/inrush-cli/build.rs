//! Tells a release build which commit it is of, for `--version` and the results of `inrush bench`. A build for development does not ask: it would be
//! built anew after each commit.

use std::env;
use std::fs;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let value = |name: &str| env::var(name).unwrap_or_default();
    let is_release = value("PROFILE") == "release";
    let build = |commit: &str| {
        let (version, target, profile) = (value("CARGO_PKG_VERSION"), value("TARGET"), value("PROFILE"));
        println!("cargo:rustc-env=INRUSH_VERSION={version} ({commit}{profile} build for {target})");
    };
    if !is_release {
        return build("");
    }
    let git = |arguments: &[&str]| {
        let output = Command::new("git").args(arguments).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        (output.status.success() && !text.trim().is_empty()).then(|| text.trim().to_owned())
    };
    let commit = match fs::read_to_string(".cargo_vcs_info.json") {
        // A packaged crate, which names its commit. A repository around it is another project's.
        Ok(info) => {
            let is_commit = |word: &&str| word.len() == 40 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
            info.split('"').find(is_commit).map(|commit| commit[..12].to_owned())
        }
        Err(_) => {
            for file in ["HEAD", "logs/HEAD"] {
                if let Some(path) = git(&["rev-parse", "--git-path", file]) {
                    println!("cargo:rerun-if-changed={path}");
                }
            }
            git(&["rev-parse", "--short=12", "HEAD"])
        }
    };
    build(&commit.as_ref().map_or(String::new(), |commit| format!("commit {commit}, ")));
    if let Some(commit) = commit {
        println!("cargo:rustc-env=INRUSH_COMMIT={commit}");
    }
}
