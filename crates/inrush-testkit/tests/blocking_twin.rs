//! The blocking shell is the async one, translated: each file of `src/blocking` that is made is what `src/tokio` makes of it.
//!
//! Write them with `INRUSH_WRITE_BLOCKING=1 cargo test -p inrush-testkit --test blocking_twin`.

// The helpers of tests fail like tests.
#![allow(clippy::unwrap_used, clippy::panic)]

use inrush_testkit::blocking_twin::{FILES, blocking};
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

#[test]
fn the_blocking_shell_is_made_of_the_async_one() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../inrush/src");
    let mut others = Vec::new();
    for name in FILES {
        let made = std::fs::read_to_string(source.join("tokio").join(format!("{name}.rs"))).unwrap();
        let made = formatted(&blocking(name, &made).unwrap_or_else(|error| panic!("{error}")));
        let path = source.join("blocking").join(format!("{name}.rs"));
        if std::env::var_os("INRUSH_WRITE_BLOCKING").is_some() {
            std::fs::write(path, made).unwrap();
        } else if std::fs::read_to_string(path).unwrap() != made {
            others.push(name);
        }
    }
    assert!(
        others.is_empty(),
        "not what `src/tokio` makes of it: {others:?} of `src/blocking`; change `src/tokio`, then \
         INRUSH_WRITE_BLOCKING=1 cargo test -p inrush-testkit --test blocking_twin"
    );
}

/// By rustfmt, with the rules of the workspace.
fn formatted(text: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut rustfmt = Command::new("rustfmt")
        .args(["--edition", "2024", "--config-path"])
        .arg(root)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("rustfmt is part of the toolchain");
    rustfmt.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let output = rustfmt.wait_with_output().unwrap();
    assert!(output.status.success(), "rustfmt does not read:\n{text}");
    String::from_utf8(output.stdout).unwrap()
}
