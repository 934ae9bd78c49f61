//! Write methods as values: their names, what one command of each carries, and which errors refuse them. Which one is taken: [`choose`](super::choose).

use super::Limits;
use crate::error::codes::Refusable;
use crate::error::{Error, Result};
use std::fmt;

/// A method to write rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Method {
    /// LOAD DATA LOCAL INFILE, streamed from memory.
    LoadData,
    /// MariaDB's COM_STMT_BULK_EXECUTE: one statement, followed by the values of many rows.
    Bulk,
    /// INSERT .. VALUES (?,?),(?,?).. with the values bound.
    MultiRowPrepared,
    /// INSERT .. VALUES (..),(..) as escaped text.
    MultiRow,
    /// COM_STMT_EXECUTE for each row, sent while the replies are read.
    Pipelined,
    /// COM_STMT_EXECUTE for each row, one at a time.
    Prepared,
}

/// What one command of a method carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowsPerCommand {
    /// One row.
    Single,
    /// Many rows of one statement.
    Many,
    /// A file.
    File,
}

impl Method {
    /// All methods.
    pub const ALL: [Method; 6] = [
        Method::LoadData,
        Method::Bulk,
        Method::MultiRowPrepared,
        Method::MultiRow,
        Method::Pipelined,
        Method::Prepared,
    ];

    /// Those of a load from files.
    pub const LOADS: [Method; 4] = [Method::LoadData, Method::Bulk, Method::MultiRowPrepared, Method::MultiRow];

    /// The name on the command line and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Method::LoadData => "load-data",
            Method::Bulk => "bulk",
            Method::MultiRowPrepared => "multi-row-prepared",
            Method::MultiRow => "multi-row",
            Method::Pipelined => "pipelined",
            Method::Prepared => "prepared",
        }
    }

    /// Whether it writes by any statement with placeholders (UPDATE, DELETE), not by INSERTs alone.
    pub fn takes_any_statement(self) -> bool {
        match self {
            Method::LoadData | Method::MultiRowPrepared | Method::MultiRow => false,
            Method::Bulk | Method::Pipelined | Method::Prepared => true,
        }
    }

    /// What one command of it carries.
    pub fn rows_per_command(self) -> RowsPerCommand {
        match self {
            Method::Prepared | Method::Pipelined => RowsPerCommand::Single,
            Method::LoadData => RowsPerCommand::File,
            Method::Bulk | Method::MultiRow | Method::MultiRowPrepared => RowsPerCommand::Many,
        }
    }

    /// How large a command of it becomes by default. A load keeps several in flight within 1 MiB.
    pub(crate) fn limits(self, is_load: bool, max_packet: usize) -> Limits {
        let bytes = match self {
            Method::MultiRow => TEXT_BYTES,
            Method::Bulk if is_load => BULK_BYTES_OF_LOADS,
            Method::Bulk => BULK_BYTES,
            Method::MultiRowPrepared => BOUND_BYTES,
            Method::LoadData | Method::Pipelined | Method::Prepared => usize::MAX,
        };
        Limits::new(bytes, max_packet)
    }

    /// Whether an error refuses the method itself, not these rows: [`Error::refuses`].
    pub fn is_refused_by(self, error: &Error) -> bool {
        match self {
            Method::LoadData => error.refuses(Refusable::LoadLocal),
            Method::Bulk => error.refuses(Refusable::BulkExecute),
            Method::MultiRowPrepared => error.refuses(Refusable::Prepared),
            Method::MultiRow | Method::Pipelined | Method::Prepared => false,
        }
    }

    /// The one of `methods` that has this name; `auto` is `None`.
    pub fn parse(name: &str, methods: &[Method]) -> Result<Option<Method>> {
        if name == "auto" {
            return Ok(None);
        }
        methods.iter().find(|method| method.name() == name).map(|method| Some(*method)).ok_or_else(|| {
            let known: Vec<_> = methods.iter().map(|method| format!("`{}`", method.name())).collect();
            Error::config(format!("`{name}` is not a write method"))
                .with_hint(format!("it takes `auto`, {}", known.join(", ")))
        })
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Bytes of a text statement: large enough that round trips and the parser's start do not count, small enough that the server keeps
/// the statement's tree in its caches (docs/notes/multi-row.md).
const TEXT_BYTES: usize = 128 * 1024;

/// Bytes of an execution of many rows; in most cases the limit of rows is reached first. Longer rows are so long that the parser
/// does not count.
const BOUND_BYTES: usize = 1024 * 1024;

/// Bytes of a bulk command of a batch (docs/notes/bulk.md).
const BULK_BYTES: usize = 1024 * 1024;

/// The same for loads, which keep several in flight within 1 MiB.
const BULK_BYTES_OF_LOADS: usize = 256 * 1024;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        for method in Method::ALL {
            assert_eq!(Method::parse(method.name(), &Method::ALL).unwrap(), Some(method));
        }
        assert_eq!(Method::parse("auto", &[]).unwrap(), None);
        assert!(Method::parse("fast", &Method::ALL).is_err());
        assert!(Method::parse("prepared", &Method::LOADS).is_err());
    }
}
