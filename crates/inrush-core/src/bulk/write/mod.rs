//! The commands of a batch: rows of values become the bytes of one write method, a method a file.
//!
//! A writer takes as many of the rows it is offered as one command holds, and says which. What is written was checked before.

use crate::error::Result;
use crate::session::Statement;
use crate::session::pipeline::Bound;
use crate::wire::BoundRows;
use std::ops::Range;

/// Writes the next command of one method.
pub trait Writer: Send {
    /// Makes a command of the first of `rows`.
    ///
    /// # Errors
    /// Those of [`BoundRows::row`].
    fn next(&mut self, rows: &dyn BoundRows, range: Range<usize>) -> Result<Next>;
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

/// One command.
#[derive(Clone, Debug)]
pub enum Command {
    /// COM_QUERY of this text.
    Query(Vec<u8>),
    /// COM_STMT_EXECUTE of this statement, which the connection prepares if it does not have it.
    Execute(Statement, Bound),
    /// COM_STMT_BULK_EXECUTE of it.
    Bulk(Statement, BulkBody),
}

/// What stands behind the statement's number in a COM_STMT_BULK_EXECUTE: flags, types, rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BulkBody(pub Vec<u8>);

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
