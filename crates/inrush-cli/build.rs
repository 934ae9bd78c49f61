//! Tells a release build which commit it is of, for the results of `inrush bench`. A build for development does not ask: it would be
//! built anew after each commit.

use std::env;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if env::var("PROFILE").as_deref() != Ok("release") {
        return;
    }
    let git = |arguments: &[&str]| {
        let output = Command::new("git").args(arguments).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        (output.status.success() && !text.trim().is_empty()).then(|| text.trim().to_owned())
    };
    for file in ["HEAD", "logs/HEAD"] {
        if let Some(path) = git(&["rev-parse", "--git-path", file]) {
            println!("cargo:rerun-if-changed={path}");
        }
    }
    if let Some(commit) = git(&["rev-parse", "--short=12", "HEAD"]) {
        println!("cargo:rustc-env=INRUSH_COMMIT={commit}");
    }
}
