//! The examples, run as a reader would run them, on every server.

use inrush_testkit::servers;
use std::path::PathBuf;
use std::process::Command;

/// Runs an example; it must end well and say this.
#[track_caller]
fn check(name: &str, says: &[&str]) {
    for server in servers::with_local_infile() {
        let schema = server.schema("example");
        let output = Command::new(program(name)).env("INRUSH_URL", schema.url()).output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{name} on {}: {output:?}", server.name);
        for text in says {
            assert!(said.contains(text), "{name} on {} does not say `{text}`:\n{said}", server.name);
        }
    }
}

/// `cargo test` builds the examples beside the tests, unless it is told to run these tests alone.
fn program(name: &str) -> PathBuf {
    let tests = std::env::current_exe().unwrap();
    let program = tests.ancestors().nth(2).unwrap().join("examples").join(name);
    assert!(program.exists(), "no {}: `cargo build -p inrush --examples` makes it", program.display());
    program
}

#[test]
fn queries() {
    check(
        "queries",
        &["2 rows, ids from 1", "Bob is of no known age", "Cy is there: false", "column `age` holds NULL"],
    );
}
#[test]
fn statements() {
    check("statements", &["3 notes, 1300023 bytes", "no placeholder `:writer`"]);
}
#[test]
fn arrow() {
    check("arrow", &["day: Date32", "amount: Decimal128(10, 2)", "2 rows", "1 rows of 3 columns"]);
}
#[test]
fn pipelines() {
    check("pipelines", &["step 2: 1062", "1000 rows in one flight"]);
}
#[test]
fn inserter() {
    check(
        "inserter",
        &["500 rows, all with ids: true", "in less than 50 batches: true", "not stored: error 1062", "closed: true"],
    );
}
#[test]
fn pools() {
    check("pools", &["8 threads, at most 4 connections", "the next user finds no basket"]);
}
#[test]
fn transactions() {
    check("transactions", &["[(1, 0), (2, 11)]"]);
}
#[test]
fn tasks() {
    check("tasks", &["sum up to 2870", "query time-out", "row 2"]);
}
#[test]
fn batches() {
    let says =
        ["2 rows by ", "row Some(1): Duplicate entry", "2 stored, 1 not", "row 2 has id Some(", "10 people, 320 years"];
    check("batches", &says);
}
#[test]
fn loader() {
    let says = [
        "line 3, column `age`); hint: `LoadOptions::with_bad_rows(BadRows::",
        "3 read, 2 stored by this run, 1 rejected",
        "2 are stored, 0 of them by this run",
        r#"[(1, "Ann"), (3, "Cy")]"#,
    ];
    check("loader", &says);
}
#[test]
fn settings() {
    check("settings", &["db.example.org:3307", "7000 bytes"]);
}
