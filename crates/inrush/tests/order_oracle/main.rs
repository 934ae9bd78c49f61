//! The order of keys against real servers: rows are stored in a table, read as the server orders them, and our key of each must not be
//! below that of the row before it.
//!
//! An exact part has no inversion at all, by `ORDER BY` and in the clustered index. Of the others the share of inverted neighbours is
//! printed (docs/notes/sort-order.md has them) and bounded.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

mod cells;
mod collations;
mod keys;
mod oracle;
mod types;
