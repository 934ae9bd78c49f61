//! The commands of a batch: rows of values become the bytes of one write method, a method a file.
//!
//! A writer takes as many of the rows it is offered as one command holds, and says which. What is written was checked before.

pub mod bulk;
pub mod literal;
pub mod load_data;
pub mod multi_row_prepared;
pub mod multi_statement;
pub mod prepared;
mod repeat;
#[cfg(test)]
mod round_trip;
#[cfg(test)]
mod shown;
pub mod text;

use crate::convert::BoundRows;
use crate::error::Result;
use crate::session::Statement;
pub use crate::session::pipeline::Command;
pub use crate::wire::BulkBody;
pub use bulk::Bulk;
pub use multi_row_prepared::MultiRowPrepared;
pub use prepared::Prepared;
use std::ops::Range;

/// Writes the next command of one method.
pub trait Writer: Send {
    /// Makes a command of the first of `rows`.
    ///
    /// # Errors
    /// Those of [`BoundRows::row`].
    fn next(&mut self, rows: &dyn BoundRows, range: Range<usize>) -> Result<Next>;

    /// The statements that so many rows are likely to need, so that all of them can be prepared in one flight
    /// ([`Turn::learn`](crate::session::pipeline::Turn::learn)). One that is not named here is prepared where it is met.
    fn statements(&mut self, _n_rows: usize) -> Vec<Statement> {
        Vec::new()
    }
}

/// What a [`Writer`] made.
#[derive(Debug)]
pub enum Next {
    /// A command that holds the first `n_rows` of the range.
    Command {
        /// What is sent.
        command: Command,
        /// How many rows are in it.
        n_rows: usize,
    },
    /// The first row alone is longer than a command may be.
    TooLong {
        /// The bytes of the command that would have held it.
        bytes: usize,
    },
}

/// How large a command may become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes that a command of several rows should have at most.
    pub bytes: usize,
    /// Bytes of a command whatever its rows: `max_allowed_packet` less 2.
    pub max_bytes: usize,
    /// Rows of a command.
    pub rows: usize,
}
