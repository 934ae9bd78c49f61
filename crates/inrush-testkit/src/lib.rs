//! Test tools of inrush; never published, only ever a dev-dependency.
//!
//! | module | what lives there |
//! |---|---|
//! | [`browser`] | a real browser without a window, for tests of pages |
//! | [`script`], [`captured`] | a scripted peer for conversations, and packets of real servers |
//! | [`closed_port`] | a port on which no program listens |
//! | [`fuzz_harness`] | any bytes at all into every decoder and conversation; shared with the fuzz targets |
//! | [`dice`] | random numbers that a seed repeats, and how long a campaign takes |
//! | [`http`] | plain HTTP requests |
//! | [`object_server`] | an HTTP server for objects whose faults are scripted |
//! | [`mod@patience`] | how long a test waits at most: the upper bound of every wait |
//! | [`proxy`] | a proxy in front of a real server, by a policy: it cuts, makes one fault after the other, or throttles |
//! | [`servers`] | the real servers: how to reach them, SQL through their own client, throw-away schemas |
//! | [`stores`] | the real object stores: how to reach them, throw-away buckets |
//! | [`shop`] | a few tables with rows, for the examples in rustdoc |
//! | [`tidy`] | the project's rules that no compiler checks |

// A test tool's way to fail is to panic.
#![allow(clippy::panic)]

pub mod blocking_twin;
pub mod browser;
pub mod captured;
pub mod closed_port;
pub mod dice;
pub mod fuzz_harness;
pub mod http;
pub mod object_server;
pub mod patience;
pub mod proxy;
pub mod script;
pub mod servers;
pub mod shop;
pub mod stores;
pub mod tidy;
