//! The pure core of inrush: bytes and decisions.
//!
//! This crate uses no socket, file, thread or clock (`clippy.toml` forbids them). Time, randomness and bytes are arguments; bytes
//! and verdicts are return values. So every rule in here can be tested by a one-line table, and every protocol step by a scripted
//! server.
//!
//! | module | content |
//! |---|---|
//! | [`error`] | the one error type, [`Place`]: the position of a fault in the input, and the table of the servers' error codes |
//! | [`front_end`] | the names that options have in messages: of the command, the library, Python |
//! | [`retry`] | what is run again after an error, when, and for how long |
//! | [`wire`] | bytes <-> packets, one file for each packet |
//! | [`convert`] | values on the wire <-> Rust types and Arrow arrays |
//! | [`profile`] | what a server can do and how a client must speak to it, one file for each engine |
//! | [`auth`] | authentication plugins, one file for each |
//! | [`session`] | the order of packets: one file for each [`session::Conversation`] |
//! | [`sql`] | the lexical rules of SQL: quotes, comments, words; where a statement of a script ends |
//! | [`value`] | one value: a cell of a row, a parameter |
//! | [`column`] | what a column takes: its type, checks, the order of its values |
//! | [`write`] | statements that write many rows, a method a file, for batches and loads |
//! | [`batch`] | one batch: rows of values for one statement |
//! | [`load`] | a load: its plan, encoding, ledger, modes, report (feature `loader`) |
//! | [`route`] | which partition a row goes to (feature `loader`) |
//! | [`verify`] | digests of rows as SQL (feature `loader`) |
//! | [`human`] | numbers and times as people read them |
//! | [`zone`] | a session's time zone: by its name, and between instants and clocks |
//! | `setters` | the `with_` methods of options |
//!
//! Edges inside: `batch, load -> write -> session, column, convert`; `load -> route -> column`; `session -> auth, convert`; `column ->
//! convert`; `auth, convert -> wire -> value`; `session`, `column` and what is above them use `profile -> wire`; `session`, `write`, `batch`
//! and `load` use `retry`; `convert`, `session` and `column` use `zone`; `write`, `load`, `session` and `wire` use `sql`; all use `error`; never upwards.
//!
//! | feature | what it adds |
//! |---|---|
//! | `arrow` | results as Arrow record batches, arrays and record batches as rows |
//! | `loader` | what only loads need, all of [`load`]; it implies `arrow` |
//! | `compression` | zlib and Zstandard of the protocol |
#![cfg_attr(docsrs, feature(doc_cfg))]
// Code that batches and loads share has parts for loads alone. A build with all features finds dead code.
#![cfg_attr(not(all(feature = "loader", feature = "compression")), allow(dead_code, unused_imports))]

pub mod auth;
pub mod batch;
pub mod column;
pub mod convert;
pub mod error;
pub mod front_end;
pub mod human;
#[cfg(feature = "loader")]
pub mod load;
pub mod printable;
pub mod profile;
pub mod retry;
#[cfg(feature = "loader")]
pub mod route;
pub mod session;
mod setters;
pub mod sql;
pub mod value;
#[cfg(feature = "loader")]
pub mod verify;
pub mod wire;
pub mod write;
pub mod zone;

pub use error::{Class, Error, Kind, Place, Result};
pub use front_end::FrontEnd;
