//! What a chunk sends.

use inrush_core::write::Command;
use inrush_core::write::{Method, Separators};

/// The bytes of a chunk, by method.
pub(crate) enum Payload {
    /// The text of a LOAD.
    LoadData(Vec<u8>),
    /// The same, if the batch's own text can be sent; whether it is ASCII, if that is known.
    PassThrough { separators: Separators, is_ascii: Option<bool> },
    /// INSERTs of many rows, as text or bound.
    MultiRow { method: Method, statements: Vec<Statement> },
}

/// One INSERT.
pub(crate) struct Statement {
    pub(crate) command: Command,
    /// The rows that are in it.
    pub(crate) n_rows: u64,
}

impl Payload {
    pub(crate) fn method(&self) -> Method {
        match self {
            Payload::LoadData(_) | Payload::PassThrough { .. } => Method::LoadData,
            Payload::MultiRow { method, .. } => *method,
        }
    }

    /// Bytes that were made of the batch.
    pub(crate) fn memory(&self) -> usize {
        match self {
            Payload::LoadData(text) => text.len(),
            Payload::PassThrough { .. } => 0,
            Payload::MultiRow { statements, .. } => {
                statements.iter().map(|statement| statement.command.n_bytes()).sum()
            }
        }
    }
}
