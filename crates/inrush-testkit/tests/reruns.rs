//! What `scripts/test` makes of failed tests: run again by themselves, reported as flaky or red.
//!
//! Feeds output of `cargo test` to `scripts/lib/reruns.sh`, with a stand-in for the command that runs a test by itself.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::process::Command;

#[test]
fn a_green_run_says_nothing() {
    let run = settle(GREEN, 0, "fails");
    assert_eq!((run.code, run.printed.as_str(), run.flaky.as_str()), (0, "", ""));
}

#[test]
fn what_passes_by_itself_is_flaky() {
    let run = settle(RED, 101, "passes");
    assert_eq!(run.code, 0, "{}", run.printed);
    let lines: Vec<&str> = run.flaky.lines().collect();
    assert_eq!(lines.len(), 2, "{}", run.flaky);
    assert!(
        lines[0].starts_with("FLAKY: queue::waits, first failure: src/queue.rs:7:5: assertion failed: late"),
        "{}",
        lines[0]
    );
    assert!(lines[1].starts_with("FLAKY: cuts::each, first failure: tests/real/cuts.rs:9:1: cut"), "{}", lines[1]);
    assert!(run.first.contains("a line of the first run"), "{}", run.first);
}

#[test]
fn what_passes_the_second_time_by_itself_is_flaky() {
    let run = settle(RED, 101, "passes_later");
    assert_eq!(run.code, 0, "{}", run.printed);
    assert_eq!(run.flaky.lines().count(), 2);
}

#[test]
fn what_fails_by_itself_is_red_and_named_with_its_place() {
    let run = settle(RED, 101, "fails");
    assert_eq!((run.code, run.flaky.as_str()), (1, ""));
    for part in [
        "== 2 failed",
        "queue::waits (--lib)\n  src/queue.rs:7:5: assertion failed: late left: 1 right: 2\n",
        "cuts::each (--test real)\n  tests/real/cuts.rs:9:1: cut\n",
    ] {
        assert!(run.printed.contains(part), "`{part}` is not in\n{}", run.printed);
    }
}

#[test]
fn a_name_that_matches_nothing_by_itself_is_red() {
    assert_eq!(settle(RED, 101, "matches_nothing").code, 1);
}

#[test]
fn a_crash_is_red() {
    let run = settle(
        "     Running tests/real/main.rs (target/debug/deps/real-1)\n\nrunning 2 tests\ntest a ... ok\nerror: test failed, to rerun pass `-p inrush --test real`\n",
        101,
        "passes",
    );
    assert_eq!(run.code, 1);
    assert!(run.printed.contains("--test real ended without the names of failed tests"), "{}", run.printed);
}

#[test]
fn what_does_not_compile_is_red() {
    let run = settle("error[E0308]: mismatched types\n --> src/lib.rs:1:1\n", 101, "passes");
    assert_eq!(run.code, 1);
    assert!(run.printed.contains("E0308"), "{}", run.printed);
}

#[test]
fn many_are_not_run_again_and_fit_into_sixty_lines() {
    let names: String = (0..200).map(|i| format!("    t{i}\n")).collect();
    let said: String = (0..200)
        .map(|i| format!("---- t{i} stdout ----\nthread 't{i}' panicked at src/a.rs:{i}:1:\nbad\n\n"))
        .collect();
    let log = format!(
        "failures:\n\n{said}\nfailures:\n{names}\ntest result: FAILED. 0 passed; 200 failed\n\nerror: test failed, to rerun pass `-p a --lib`\n"
    );
    let run = settle(&log, 101, "passes");
    assert_eq!((run.code, run.flaky.as_str()), (1, ""));
    assert!(run.printed.contains("== 200 failed") && run.printed.contains("and 176 more"), "{}", run.printed);
    assert!(run.printed.lines().count() < 60);
}

struct Settled {
    code: i32,
    printed: String,
    /// The list of flaky tests.
    flaky: String,
    /// What was kept of the first of them.
    first: String,
}

/// Judges a run by its output and exit code; `alone` is how a test that is run by itself ends.
fn settle(log: &str, status: i32, alone: &str) -> Settled {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::write(path.join("log"), log).unwrap();
    fs::write(path.join("log.status"), format!("{status}\n")).unwrap();
    let script = format!(
        r#"set -euo pipefail
           . "$REPO/scripts/lib/reruns.sh"
           passes() {{ echo "test result: ok. 1 passed; 0 failed"; }}
           fails() {{ echo "test result: FAILED. 0 passed; 1 failed"; return 101; }}
           matches_nothing() {{ echo "test result: ok. 0 passed; 0 failed"; }}
           passes_later() {{ local name=${{*: -2:1}}; if [[ -e $name ]]; then passes; else touch "$name"; fails; fi; }}
           CARGO_TEST=({alone})
           forget_flaky
           settle log"#
    );
    let output = Command::new("bash")
        .args(["-c", &script])
        .env("REPO", concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
        .env("INRUSH_FLAKY", path.join("flaky"))
        .current_dir(path)
        .output()
        .unwrap();
    Settled {
        code: output.status.code().unwrap(),
        printed: String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr),
        flaky: fs::read_to_string(path.join("flaky/list")).unwrap(),
        first: fs::read_to_string(path.join("flaky/1.txt")).unwrap_or_default(),
    }
}

const GREEN: &str = "running 1 test\ntest a ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored\n";

/// Two targets with a failed test each. What the first one printed looks like the list of names.
const RED: &str = "\
running 2 tests
test queue::fits ... ok
test queue::waits ... FAILED

failures:

---- queue::waits stdout ----
failures:
    none::of_these
a line of the first run

thread 'queue::waits' (7) panicked at src/queue.rs:7:5:
assertion failed: late
  left: 1
 right: 2
stack backtrace:
   0: rust_begin_unwind

failures:
    queue::waits

test result: FAILED. 1 passed; 1 failed; 0 ignored

error: test failed, to rerun pass `-p inrush-core --lib`
     Running tests/real/main.rs (target/debug/deps/real-1)

running 1 test
test cuts::each ... FAILED

failures:

---- cuts::each stdout ----

thread 'cuts::each' (8) panicked at tests/real/cuts.rs:9:1:
cut


failures:
    cuts::each

test result: FAILED. 0 passed; 1 failed; 0 ignored

error: test failed, to rerun pass `-p inrush --test real`
error: 2 targets failed:
    `-p inrush-core --lib`
    `-p inrush --test real`
";
