//! `inrush load` under fire, on every test server: killed, cut off, refused, out of luck, and run again until it is done. Whatever
//! happened: no row is lost, none is doubled, the rejects are complete.
//!
//! The short form is part of the usual tests; `scripts/fire` runs the long one (docs/fire.md). The binary has fault points here: a
//! dev-dependency switches that feature on, so it is in no binary that `cargo build` makes.

// The helpers of tests fail like tests.
#![allow(clippy::unwrap_used, clippy::panic)]

mod altered;
mod copies;
#[cfg(feature = "fire")]
mod engines;
mod job;
mod kills;
mod network;
#[cfg(feature = "fire")]
mod node;
mod own;
#[allow(dead_code, unreachable_pub, reason = "shared with the tests of `load`")]
#[path = "../load/place.rs"]
mod place;
mod rows;
mod run;
#[path = "../load/server_of_own.rs"]
mod server_of_own;
#[path = "../load/session.rs"]
mod session;
mod sessions;
mod signals;
mod sleepers;
#[cfg(feature = "fire")]
mod soak;
mod spills;
mod table;
mod taken_back;
mod trace;
mod undone;
