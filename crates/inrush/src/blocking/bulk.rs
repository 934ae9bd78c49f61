//! Rows that a thread brings one at a time, for one connection.
//!
//! Made of `tokio/bulk.rs` by `INRUSH_WRITE_BLOCKING=1 cargo test -p inrush-testkit --test blocking_twin`.

use super::Connection;
use crate::bulk::{Bulk, BulkOptions, BulkReport};
use crate::{Params, Result};
use std::fmt;

/// Collects rows of one table and writes them in batches; [`finish`](BulkInserter::finish) writes the rest.
///
/// In a transaction the rows are part of it, outside of one each batch is committed by itself. If it is dropped while rows are queued, it
/// cannot write them: then the connection's next use fails with that error, and a transaction can only be rolled back.
///
/// ```
/// # let shop = inrush_testkit::shop::open();
/// # let mut connection = inrush::blocking::Connection::connect(&shop.url())?;
/// let mut tx = connection.begin()?;
/// let mut people = tx.bulk("people", &["name", "age"])?;
/// for n in 0..100 {
///     people.push((format!("guest {n}"), 20 + n % 50))?;
/// }
/// let report = people.finish()?;
/// tx.commit()?;
/// # assert_eq!(report.n_rows, 100);
/// # Ok::<(), inrush::Error>(())
/// ```
#[must_use = "rows that are queued are written by `finish`"]
pub struct BulkInserter<'c> {
    connection: &'c mut Connection,
    bulk: Bulk,
}

impl Connection {
    /// Collects rows for these columns of a table, `name` or `schema.name`, and writes them in batches.
    ///
    /// # Errors
    /// `Config` for an invalid name, and without columns.
    pub fn bulk(&mut self, table: &str, columns: &[&str]) -> Result<BulkInserter<'_>> {
        self.bulk_with(table, columns, &BulkOptions::new())
    }

    /// The same, with options for the batches.
    ///
    /// # Errors
    /// Those of [`Connection::bulk`].
    pub fn bulk_with(&mut self, table: &str, columns: &[&str], options: &BulkOptions) -> Result<BulkInserter<'_>> {
        Ok(BulkInserter { bulk: Bulk::new(table, columns, options.clone())?, connection: self })
    }
}

impl BulkInserter<'_> {
    /// Queues a row, and writes what is queued if that is enough for a batch.
    ///
    /// # Errors
    /// The error of this row, which is left out; or the error of a batch: then none of its rows is stored, the error's
    /// [row](crate::Error::row) counts from the first row that was pushed, and nothing more is written.
    pub fn push(&mut self, row: impl Params) -> Result<()> {
        match self.bulk.push(&row)? {
            true => self.flush(),
            false => Ok(()),
        }
    }

    /// Queues the rows of an iterator, and writes whenever they are enough for a batch: no more than a batch of them is in memory.
    ///
    /// # Errors
    /// Those of [`push`](BulkInserter::push), at the first row that has one.
    pub fn extend(&mut self, rows: impl IntoIterator<Item = impl Params>) -> Result<()> {
        for row in rows {
            self.push(row)?;
        }
        Ok(())
    }

    /// Writes what is queued.
    ///
    /// # Errors
    /// Those of [`Connection::execute_batch_with`]: then none of the queued rows is stored, and nothing more is written.
    pub fn flush(&mut self) -> Result<()> {
        let Self { connection, bulk } = self;
        if bulk.queued() == 0 {
            return Ok(());
        }
        let end = connection.execute_batch_with(&bulk.statement, &bulk.rows, &bulk.options.batch);
        bulk.written(end.map(BulkReport::from))
    }

    /// Writes the rest, and returns the report of all rows.
    ///
    /// # Errors
    /// Those of [`flush`](BulkInserter::flush).
    pub fn finish(mut self) -> Result<BulkReport> {
        self.flush()?;
        self.bulk.report()
    }

    /// Rows that wait to be written.
    pub fn queued(&self) -> u64 {
        self.bulk.queued()
    }

    /// Rows that are written.
    pub fn flushed(&self) -> u64 {
        self.bulk.flushed()
    }

    /// Rows that the server counts as affected so far.
    pub fn affected(&self) -> u64 {
        self.bulk.affected()
    }
}

impl Drop for BulkInserter<'_> {
    fn drop(&mut self) {
        if let Some((n_rows, table)) = self.bulk.left_behind() {
            self.connection.session_mut().forgot_rows(n_rows, table);
        }
    }
}

impl fmt::Debug for BulkInserter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BulkInserter").field("queued", &self.queued()).field("flushed", &self.flushed()).finish()
    }
}
