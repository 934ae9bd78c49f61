//! Write methods as values: what each is for the code that chooses it, runs it and reports on it, one row a method
//! (`Method::properties`). Which one is taken: [`choose`](super::choose).

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

/// What the answers to a method's commands report about single rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RowReport {
    /// Each row has a reply, with its id and its count.
    EachReply,
    /// Ids and counts of all rows of a command, if the server has unit results and they are requested.
    UnitResults,
    /// The ids of a statement of many rows, where the server gives them; no counts.
    Ids,
    /// Nothing.
    Nothing,
}

/// What a method is for the code that chooses it, runs it and reports on it.
struct MethodProperties {
    name: &'static str,
    rows_per_command: RowsPerCommand,
    reports: RowReport,
    takes_any_statement: bool,
    waits_for_replies: bool,
    leaves_rows: bool,
    /// The command that an error may refuse.
    refused_as: Option<Refusable>,
    /// Bytes of a command of a batch, by default.
    bytes: usize,
    /// The same for a load.
    bytes_of_loads: usize,
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

    /// What the method is: one row a method.
    fn properties(self) -> MethodProperties {
        let row = |name, rows_per_command, reports| MethodProperties {
            name,
            rows_per_command,
            reports,
            takes_any_statement: false,
            waits_for_replies: false,
            leaves_rows: false,
            refused_as: None,
            bytes: usize::MAX,
            bytes_of_loads: usize::MAX,
        };
        match self {
            Method::LoadData => MethodProperties {
                refused_as: Some(Refusable::LoadLocal),
                ..row("load-data", RowsPerCommand::File, RowReport::Nothing)
            },
            Method::Bulk => MethodProperties {
                takes_any_statement: true,
                leaves_rows: true,
                refused_as: Some(Refusable::BulkExecute),
                bytes: BULK_BYTES,
                bytes_of_loads: BULK_BYTES_OF_LOADS,
                ..row("bulk", RowsPerCommand::Many, RowReport::UnitResults)
            },
            Method::MultiRowPrepared => MethodProperties {
                refused_as: Some(Refusable::Prepared),
                bytes: BOUND_BYTES,
                bytes_of_loads: BOUND_BYTES,
                ..row("multi-row-prepared", RowsPerCommand::Many, RowReport::Ids)
            },
            Method::MultiRow => MethodProperties {
                bytes: TEXT_BYTES,
                bytes_of_loads: TEXT_BYTES,
                ..row("multi-row", RowsPerCommand::Many, RowReport::Ids)
            },
            Method::Pipelined => MethodProperties {
                takes_any_statement: true,
                ..row("pipelined", RowsPerCommand::Single, RowReport::EachReply)
            },
            Method::Prepared => MethodProperties {
                takes_any_statement: true,
                waits_for_replies: true,
                ..row("prepared", RowsPerCommand::Single, RowReport::EachReply)
            },
        }
    }

    /// The name on the command line and in reports.
    pub fn name(self) -> &'static str {
        self.properties().name
    }

    /// Whether it writes by any statement with placeholders (UPDATE, DELETE), not by INSERTs alone.
    pub fn takes_any_statement(self) -> bool {
        self.properties().takes_any_statement
    }

    /// What one command of it carries.
    pub fn rows_per_command(self) -> RowsPerCommand {
        self.properties().rows_per_command
    }

    /// What the answers to its commands report about single rows.
    pub(crate) fn reports(self) -> RowReport {
        self.properties().reports
    }

    /// Whether a command is sent only after the reply to the one before.
    pub(crate) fn waits_for_replies(self) -> bool {
        self.properties().waits_for_replies
    }

    /// Whether a command of an UPDATE or a DELETE that fails leaves the rows before the bad one changed: the server runs it as many statements.
    pub(crate) fn leaves_rows(self) -> bool {
        self.properties().leaves_rows
    }

    /// How large a command of it becomes by default. A load keeps several in flight within 1 MiB. `statement_bytes`:
    /// [`Profile::statement_bytes`](crate::profile::Profile::statement_bytes).
    pub(crate) fn limits(self, is_load: bool, statement_bytes: usize, max_packet: usize) -> Limits {
        let MethodProperties { bytes, bytes_of_loads, .. } = self.properties();
        Limits::new(if is_load { bytes_of_loads } else { bytes }.min(statement_bytes), max_packet)
    }

    /// Whether an error refuses the method itself, not these rows: [`Error::refuses`].
    pub fn is_refused_by(self, error: &Error) -> bool {
        self.properties().refused_as.is_some_and(|command| error.refuses(command))
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
