//! SQL dumps: the rows of their INSERTs as lines for the reader of CSV, and what else is in them.
//!
//! ```text
//! bytes -> statements (a script's, an INSERT in parts) -> words (which table, which columns)
//!       -> rows (of one table) -> cells (a row of literals as a line) -> csv
//!       -> contents (which tables, their definitions, everything that is no row)
//! ```
//!
//! Nothing is executed here. A value that is no literal is refused: only a server knows it.
//!
//! Invariant: memory depends on the longest row and the longest statement that is no INSERT, not on the dump.

mod cells;
mod contents;
mod rows;
mod statements;
mod words;

pub use contents::{DumpContents, DumpTable, OtherStatement};
pub(crate) use rows::Rows;

#[cfg(test)]
mod tests;
