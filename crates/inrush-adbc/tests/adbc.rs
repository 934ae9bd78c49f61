//! The driver as clients of other languages use it: a C program that loads the shared library, on every server.

// The helpers of tests fail like tests.
#![allow(clippy::unwrap_used, clippy::panic)]

use inrush_testkit::servers;
use std::path::PathBuf;
use std::process::Command;

/// Cargo builds the shared library beside the tests of its crate.
fn library() -> PathBuf {
    let tests = std::env::current_exe().unwrap();
    let path = tests.parent().unwrap().join("libinrush_adbc.so");
    assert!(path.exists(), "{} is not there", path.display());
    path
}

#[test]
fn a_client_in_c() {
    let folder = tempfile::tempdir().unwrap();
    let client = folder.path().join("client");
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client.c");
    let compiled = Command::new("cc")
        .args(["-Wall", "-Werror", "-Wno-strict-prototypes", "-g", "-o"])
        .arg(&client)
        .args([source, "-ldl", "-pthread"])
        .output()
        .unwrap();
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    for server in servers::all() {
        let schema = server.schema("adbc_c");
        let done = Command::new(&client).arg(library()).arg(server.url(schema.name())).output().unwrap();
        let said = String::from_utf8(done.stdout).unwrap();
        let want = "number 42\n\
                    mistake status 5 code 1064 state 42000 message says so\n\
                    bound 3\ningested 3\nsum 42\nrows 6\ncancelled soon\nreleased\n";
        assert_eq!(said, want, "{}: {}", server.instance, String::from_utf8_lossy(&done.stderr));
        assert!(done.status.success(), "{}", server.instance);
    }
}
