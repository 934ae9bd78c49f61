//! One list of behaviours on every engine that speaks MySQL's protocol. What an engine cannot do is refused with a reason of ours: an
//! error that only the server words is a failure. The outcome is docs/engines.md: a run compares it, `INRUSH_WRITE_ENGINES=1` writes it.
//!
//! MySQL's own partitions are part of the usual tests. The other engines are started by `scripts/engines test NAME`, which names one in
//! `INRUSH_TEST_ENGINE`; their test exists with the feature `fire` only, so that no run without an engine counts as passed.

// The helpers of tests fail like tests.
#![allow(clippy::unwrap_used, clippy::panic)]

mod driver;
mod ground;
mod loads;
mod matrix;
#[allow(dead_code, unreachable_pub, reason = "shared with the tests of `load`")]
#[path = "../load/place.rs"]
mod place;
#[allow(dead_code, unused_macros, unused_imports, unreachable_pub, reason = "shared with the tests of `load`")]
#[path = "../load/server_of_own.rs"]
mod server_of_own;

use ground::{Ground, Outcome};
use inrush_testkit::servers::{Server, one};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Something that a user does, by its name in the matrix.
type Behaviour = (&'static str, fn(&Ground<'_>) -> Outcome);

const BEHAVIOURS: &[&[Behaviour]] = &[loads::BEHAVIOURS, driver::BEHAVIOURS];

#[test]
fn partitions_of_mysql() {
    run("partitions", vec![one("mysql-9.7")]);
}

#[test]
#[cfg(feature = "fire")]
fn engine_of_the_environment() {
    let nodes = inrush_testkit::servers::engine();
    run(&nodes[0].name.clone(), nodes);
}

/// Runs every behaviour in a schema of its own, and compares what became of them with docs/engines.md.
fn run(engine: &str, nodes: Vec<Server>) {
    let guarantee = ground::guarantee(engine, &nodes);
    let mut outcomes = vec![("exactly once", guarantee.clone())];
    let mut failed = Vec::new();
    for &(name, behaviour) in BEHAVIOURS.iter().copied().flatten() {
        let ground = Ground::new(engine, &nodes, guarantee.is_ok());
        match catch_unwind(AssertUnwindSafe(|| behaviour(&ground))) {
            Ok(outcome) => outcomes.push((name, outcome)),
            Err(panic) => failed.push(format!("{name}: {}", place::message(&*panic))),
        }
    }
    assert!(failed.is_empty(), "{} behaviours fail on {engine}\n{}", failed.len(), failed.join("\n\n"));
    matrix::compare(engine, &nodes[0].version, &outcomes);
}
