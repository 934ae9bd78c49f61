//! Results as Arrow record batches, for threads.
//!
//! Made of `tokio/arrow.rs` by `INRUSH_WRITE_BLOCKING=1 cargo test -p inrush-testkit --test blocking_twin`.

use super::{Connection, ResultRows};
use crate::kept_batches::KeptBatches;
use crate::sql::{Form, Sql};
use crate::{ArrowOptions, Result};
use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use inrush_core::convert::Params;
use inrush_core::convert::arrow::Batches;
use inrush_core::wire::{ColumnDef, Row};
use std::borrow::BorrowMut;

/// A result that is being read, a record batch at a time, over a connection that it borrows. See
/// [`Connection::query_arrow_iter`].
pub type ArrowBatches<'c> = ResultBatches<&'c mut Connection>;

/// A result that is being read, a record batch at a time, over a connection that it borrows ([`ArrowBatches`]) or owns: a
/// [`Connection`], or one [from a pool](super::PooledConnection), which goes back to it with the result.
///
/// If it is dropped before its end, only time is lost: the connection reads the rest before its next command.
/// It is an [`arrow_array::RecordBatchReader`], so whatever takes one (a Parquet writer, a [load](crate::Loader)) takes it.
#[derive(Debug)]
pub struct ResultBatches<C> {
    rows: ResultRows<C>,
    batches: Batches,
    is_over: bool,
}

impl Connection {
    /// Runs a statement and collects its result set as record batches. A result set without rows gives a batch without rows; a statement
    /// without a result set gives no batch.
    ///
    /// The statement is prepared even without values, because a FLOAT as text has lost digits. How types become Arrow's:
    /// [`sans_io::convert::arrow`](crate::sans_io::convert::arrow).
    ///
    /// # Errors
    /// `Data` for a value that its Arrow type cannot hold: see [`ArrowOptions::invalid_dates`]; `Config` if the result is larger than
    /// [`Config::with_max_result`](crate::Config::with_max_result) allows; those of [`execute`](Connection::execute).
    pub fn query_arrow(&mut self, sql: &(impl Sql + ?Sized), params: impl Params) -> Result<Vec<RecordBatch>> {
        let mut kept = KeptBatches::new(&self.config);
        let mut batches = self.query_arrow_iter(sql, params, &ArrowOptions::default())?;
        while let Some(batch) = batches.next_batch()? {
            kept.push(batch)?;
        }
        Ok(kept.into_batches())
    }

    /// Runs a statement and reads its result set a record batch at a time, so that memory holds one.
    ///
    /// ```
    /// # let shop = inrush_testkit::shop::open();
    /// # let mut connection = inrush::blocking::Connection::connect(&shop.url())?;
    /// # let mut n_rows = Vec::new();
    /// let options = inrush::ArrowOptions::default().with_batch_rows(10_000);
    /// let mut batches = connection.query_arrow_iter("SELECT * FROM people", (), &options)?;
    /// while let Some(batch) = batches.next_batch()? {
    ///     println!("{} rows", batch.num_rows());
    /// #     n_rows.push(batch.num_rows());
    /// }
    /// # assert_eq!(n_rows, [3]);
    /// # Ok::<(), inrush::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`execute`](Connection::execute), up to the first row.
    pub fn query_arrow_iter(
        &mut self,
        sql: &(impl Sql + ?Sized),
        params: impl Params,
        options: &ArrowOptions,
    ) -> Result<ArrowBatches<'_>> {
        ResultBatches::open(self, sql, params, options)
    }
}

impl<C: BorrowMut<Connection>> ResultBatches<C> {
    /// Runs a statement over `connection` and reads its result set a record batch at a time, as
    /// [`Connection::query_arrow_iter`] does. After an error `connection` is dropped: one from a pool goes back to it.
    ///
    /// # Errors
    /// Those of [`Connection::query_arrow_iter`].
    pub fn open(connection: C, sql: &(impl Sql + ?Sized), params: impl Params, options: &ArrowOptions) -> Result<Self> {
        let rows = ResultRows::in_form(connection, sql, &params, Form::Binary)?;
        let batches = Batches::new(rows.columns(), options);
        let is_over = rows.columns().is_empty();
        Ok(Self { rows, batches, is_over })
    }

    /// The schema of every batch.
    pub fn schema(&self) -> &SchemaRef {
        self.batches.schema()
    }

    /// The next batch. `None`: the result is over. After an error nothing follows; the connection is usable unless the error is
    /// fatal.
    ///
    /// # Errors
    /// `Data` for a value that its Arrow type cannot hold; `Server` if the statement fails in the middle of its rows; `Io` if the
    /// connection is lost or a time-out passes.
    pub fn next_batch(&mut self) -> Result<Option<RecordBatch>> {
        if self.is_over {
            return Ok(None);
        }
        let batch = self.read();
        self.is_over |= batch.is_err();
        batch
    }

    /// The columns of the result.
    pub fn columns(&self) -> &[ColumnDef] {
        self.rows.columns()
    }

    /// The next row instead of the next batch, in binary form if the server could prepare the statement: for writers that need no arrays.
    /// A row is in a batch or is returned here, so a result is read in one way. `None`: the result is over.
    ///
    /// # Errors
    /// Those of [`next_batch`](Self::next_batch), but for values.
    pub fn next_row(&mut self) -> Result<Option<Row<'_>>> {
        self.rows.next_row()
    }

    /// Whether every row was read: no batch follows.
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// Returns the connection, also before the end of the result: then it reads the rest before its next command.
    pub fn into_connection(self) -> C {
        self.rows.into_connection()
    }

    fn read(&mut self) -> Result<Option<RecordBatch>> {
        while let Some(row) = self.rows.next_row()? {
            if let Some(full) = self.batches.push(row)? {
                return Ok(Some(full));
            }
        }
        self.is_over = true;
        self.batches.finish()
    }
}
