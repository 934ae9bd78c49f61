//! The pure core of inrush: bytes and decisions.
//!
//! Nothing in this crate knows a socket, a file, a thread or a clock (`clippy.toml` forbids them). Time, randomness
//! and bytes come in as arguments; bytes and verdicts go out as values. That is what makes every rule in here testable by a
//! one-line table and every protocol step breakable by a script.
//!
//! | module | what lives there |
//! |---|---|
//! | [`error`] | the one error type, and [`Place`]: where in the input a fault lies |
//! | [`wire`] | bytes <-> packets, a packet a file |
//! | [`profile`] | what a server can do and how a client must speak to it, an engine a file |
//! | [`auth`] | authentication plugins, one a file |
//! | [`session`] | the order of packets: a [`session::Conversation`] a file |
//! | [`value`] | columns of values: target types, checks, text |
//! | [`bulk`] | decisions about many rows: batches, plan, encoding, report |
//!
//! Edges inside: `bulk -> session -> wire`, `bulk -> value -> wire`, `session -> auth -> wire`; `bulk`, `session` and `value` use `profile`,
//! which uses `wire`; never upwards.

pub mod auth;
pub mod bulk;
pub mod error;
pub mod printable;
pub mod profile;
pub mod session;
pub mod value;
pub mod wire;

pub use error::{Error, Kind, Place, Result};
