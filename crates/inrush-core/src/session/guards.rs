//! The transaction and savepoints that guards hold open on a connection, and what must be undone after a guard was dropped.
//!
//! Depth 1 is the transaction, 2 and more are savepoints in it. A guard that is dropped without an end leaves an *undo*, which is
//! sent before anything else. The server's own view comes from the IN_TRANS flag of its OKs; an ERR has no flag, and any ERR may
//! have ended the transaction (1213, MariaDB's 1020, a CREATE TABLE that failed), so after one the server is queried again.
//!
//! Rows that were queued and never written count like a statement that failed without a report: they spoil the transaction.
//!
//! Invariant: while a guard is open nothing is sent once the server is known to have ended the transaction: each statement
//! would be committed by itself.

use crate::error::{Error, Result};

/// The guards that are open on one connection.
#[derive(Debug, Default)]
pub(crate) struct Guards {
    depth: u32,
    undo_from: Option<u32>,
    /// Whether the server flags its transactions at all; a proxy may not.
    is_flagged: bool,
    ended: Option<Ended>,
    unwritten: Option<Unwritten>,
}

/// Rows that were accepted for writing, but whose writer was dropped before it wrote them.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Unwritten {
    n_rows: u64,
    table: Box<str>,
    /// The innermost guard that was open.
    depth: u32,
}

/// The server ended the transaction while its guard was open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Ended {
    /// The error that ended it; 0: a statement that succeeded ended it.
    code: u16,
}

impl Guards {
    /// The transaction has begun. `is_flagged`: its OK had the IN_TRANS flag.
    pub(crate) fn began(&mut self, is_flagged: bool) {
        *self = Self { depth: 1, is_flagged, ..Self::default() };
    }

    /// The depth of the next savepoint.
    pub(crate) fn next_depth(&self) -> u32 {
        self.depth + 1
    }

    /// A savepoint is set.
    pub(crate) fn entered(&mut self, depth: u32) {
        self.depth = depth;
    }

    /// The guard of this depth ended, and with it the ones inside: committed, released or undone.
    pub(crate) fn left(&mut self, depth: u32) {
        match depth {
            0 | 1 => *self = Self::default(),
            _ => {
                self.depth = self.depth.min(depth - 1);
                self.undo_from = None;
                self.unwritten = self.unwritten.take().filter(|unwritten| unwritten.depth < depth);
            }
        }
    }

    /// The guard of this depth was dropped without an end, so everything since must be undone.
    pub(crate) fn abandon(&mut self, depth: u32) {
        if depth > self.depth {
            return;
        }
        match (depth, self.ended) {
            // Savepoints end with their transaction: there is nothing to roll back to.
            (2.., Some(_)) => self.left(depth),
            _ => self.undo_from = Some(self.undo_from.map_or(depth, |from| from.min(depth))),
        }
    }

    /// A transaction may be half begun, or half ended: in any case it must be rolled back.
    pub(crate) fn undo_all(&mut self) {
        self.depth = self.depth.max(1);
        self.undo_from = Some(1);
    }

    /// The depth from which on everything is to be undone before anything else is sent.
    pub(crate) fn undo_from(&self) -> Option<u32> {
        self.undo_from
    }

    /// Whether a guard is open.
    pub(crate) fn is_open(&self) -> bool {
        self.depth > 0
    }

    /// Handles the flag of an OK, and the code of the ERR that came before it.
    pub(crate) fn see(&mut self, in_transaction: bool, refusal: Option<u16>) {
        if self.depth > 0 && self.is_flagged && !in_transaction {
            self.ended.get_or_insert(Ended { code: refusal.unwrap_or(0) });
        }
    }

    /// The server's error with this code ended the transaction. A transaction that is open now is another one.
    pub(crate) fn lost(&mut self, code: u16) {
        if self.depth > 0 {
            self.ended.get_or_insert(Ended { code });
        }
    }

    /// Whether the server is known to have ended the transaction.
    pub(crate) fn is_over(&self) -> bool {
        self.ended.is_some()
    }

    /// Whether the server must be queried for whether the transaction is still open: it answered the last command with an error.
    pub(crate) fn is_unsure(&self, refusal: Option<u16>) -> bool {
        self.depth > 0 && self.is_flagged && self.ended.is_none() && refusal.is_some()
    }

    /// Rows for this table were never written. In a transaction they spoil it, from the innermost open savepoint on: it can be
    /// undone, and nothing else. Outside of one, the next use fails, once.
    pub(crate) fn forgot(&mut self, n_rows: u64, table: &str) {
        let depth = self.depth;
        self.unwritten.get_or_insert_with(|| Unwritten { n_rows, table: table.into(), depth });
    }

    /// Drops the error for unwritten rows, because no caller is left to receive it.
    pub(crate) fn forgive(&mut self) {
        self.unwritten = None;
    }

    /// Whether what belongs to the open transaction may be sent.
    pub(crate) fn check(&mut self) -> Result<()> {
        if let Some(unwritten) = &self.unwritten {
            let error = unwritten.error();
            self.unwritten = self.unwritten.take().filter(|unwritten| unwritten.depth > 0);
            return Err(error);
        }
        match self.ended {
            None => Ok(()),
            Some(Ended { code: 0 }) => Err(Error::config("the transaction is over: a statement in it ended it")
                .with_hint(
                    "CREATE, ALTER, DROP, TRUNCATE, LOCK TABLES, COMMIT and their like commit at once: keep them out",
                )),
            Some(Ended { code }) => {
                // With the code of the earlier bad row, this error would look like another bad row.
                let shown = if OF_ROWS.contains(&code) { 0 } else { code };
                let message = format!("the transaction is over: the server ended it at an earlier error, {code}");
                Err(Error::server(shown, *b"HY000", message)
                    .with_hint("a transaction that met a deadlock must run again from its start"))
            }
        }
    }
}

impl Unwritten {
    fn error(&self) -> Error {
        let Self { n_rows, table, depth } = self;
        let error =
            Error::config(format!("{n_rows} rows for `{table}` were never written: a `BulkInserter` was dropped"));
        match depth {
            0 => error.with_hint("`finish()` writes what is queued"),
            _ => error
                .with_hint("`finish()` writes what is queued; without them the transaction can only be rolled back"),
        }
    }
}

/// Errors about a row: NULL, a duplicate, a value that does not fit, a foreign key, a CHECK. They may end a transaction on
/// MariaDB (`unique_checks = 0` on an empty table).
const OF_ROWS: &[u16] =
    &[1048, 1062, 1169, 1216, 1217, 1264, 1265, 1292, 1364, 1366, 1406, 1451, 1452, 1586, 3819, 4025];

#[cfg(test)]
mod tests;
