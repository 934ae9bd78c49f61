//! Statements that write many rows, for batches and loads: what a statement does with its placeholders ([`template`]), which method
//! writes it ([`choose`]), the commands of each method, one file for each, and the meaning of their answers.
//!
//! A writer takes as many of the offered rows ([`RowSource`]) as one command holds, and returns how many. All values were checked before.

pub mod answer;
pub(crate) mod block;
pub mod bulk;
pub mod choose;
pub mod expression;
#[cfg(feature = "loader")]
pub(crate) mod fields;
mod insert;
pub mod literal;
pub mod load_data;
pub mod load_text;
pub mod method;
pub mod multi_row_prepared;
pub mod prepared;
mod repeat;
#[cfg(test)]
mod round_trip;
pub mod row_source;
pub mod search;
mod separators;
#[cfg(test)]
mod shown;
pub mod split;
mod table;
pub mod template;
pub mod text;
mod writers;

use crate::error::Result;
use crate::session::Statement;
pub use crate::session::pipeline::Command;
pub use crate::wire::BulkBody;
pub use bulk::Bulk;
pub use choose::{Allowed, Choice, Chooser, LocalInfile, Need, Obstacle, Rows};
pub use expression::Computed;
pub use insert::Insert;
pub use method::{Method, RowsPerCommand};
pub use multi_row_prepared::MultiRowPrepared;
pub use prepared::PreparedWriter;
pub use row_source::{CheckedRows, RowSource};
pub use separators::Separators;
use std::ops::Range;
pub use table::Table;
pub use template::Template;
pub use writers::{Writers, writer};

/// Writes the next command of one method.
pub trait Writer: Send {
    /// Makes a command from the first rows of `range`, which is not empty, in the memory of `spare`, which is empty.
    ///
    /// # Errors
    /// Those of [`BoundRows::row`](crate::convert::BoundRows::row).
    fn next(&mut self, rows: RowSource<'_>, range: Range<usize>, spare: Vec<u8>) -> Result<Next>;

    /// The statements that so many rows are likely to need, so that all of them can be prepared in one flight
    /// ([`NextCommand::prepare_ahead`](crate::session::pipeline::NextCommand::prepare_ahead)). One that is not named here is prepared where it is met.
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

impl Limits {
    /// `max_packet` is the server's `max_allowed_packet`; the command byte belongs to the packet, which must be shorter than that.
    pub fn new(bytes: usize, max_packet: usize) -> Self {
        let max_bytes = max_packet.saturating_sub(2);
        Self { bytes: bytes.min(max_bytes), max_bytes, rows: usize::MAX }
    }
}
