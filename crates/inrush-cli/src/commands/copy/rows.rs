//! The rows of a table as a source for a load. A thread of its own reads them, so that the load never waits for a query that it could have sent
//! before.
//!
//! Invariant: the rows come in the same order in every run, as long as the table does not change: by the primary key, or without one as the table
//! has them.

use super::plan::PlannedTable;
use crate::commands::export::known::{ErrorValues, Known};
use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use inrush::blocking::{Connection, ResultBatches};
use inrush::{ArrowOptions, BatchSize, InvalidDates, LoadOptions};
use inrush_core::{Error, Result};
use inrush_files::{CsvOptions, FileSource, WrittenFormat, record_batches_by_name};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// CopyRows that are being read.
pub(super) struct CopyRows {
    pub(super) source: Box<dyn FileSource>,
    /// Returns the connection, once the source is read or dropped.
    pub(super) reader: JoinHandle<Option<Connection>>,
}

/// Begins to read a table.
///
/// # Errors
/// `Interrupted` if `is_over` says so before the server has answered: a query may wait long for its first row.
pub(super) fn read(
    connection: Connection,
    table: &PlannedTable,
    load: &LoadOptions,
    is_over: impl Fn() -> bool,
) -> Result<CopyRows> {
    let (query, known) = (query(table), table.source.known.clone());
    let (schemas, opened) = sync_channel(1);
    let (sender, receiver) = sync_channel(QUEUED);
    let read = move || {
        let (batches, known, schema) = match open(connection, &query, known) {
            Ok(open) => open,
            Err(error) => {
                let _ = schemas.send(Err(error));
                return None;
            }
        };
        let _ = schemas.send(Ok(schema.clone()));
        Some(send(batches, &known, &schema, &sender))
    };
    let thread = thread::Builder::new().name("inrush-copy".to_owned());
    let reader = thread.spawn(read).map_err(|error| Error::io("cannot start a thread", error))?;
    let schema = loop {
        match opened.recv_timeout(POLL) {
            Ok(schema) => {
                break schema
                    .map_err(|error: Error| error.while_doing(&format!("reading {}", table.source.name.quoted())))?;
            }
            Err(RecvTimeoutError::Timeout) if is_over() => return Err(super::interrupted()),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Err(Error::protocol("the thread that reads rows has ended")),
        }
    };
    let source = record_batches_by_name(&table.job, ReceivedBatches { schema, receiver }, &cuts(load))?;
    Ok(CopyRows { source, reader })
}

/// Sends the query, and returns its rows and what the batches will be.
fn open(
    connection: Connection,
    query: &str,
    mut known: Known,
) -> Result<(ResultBatches<Connection>, Known, SchemaRef)> {
    let options = ArrowOptions::default()
        .with_batch_rows(BATCH_ROWS)
        .with_batch_bytes(BATCH_BYTES)
        // All dates go as texts, because days that no calendar has are values too.
        .with_invalid_dates(InvalidDates::Text);
    let batches = ResultBatches::open(connection, query, (), &options)?;
    known.add_documents(batches.columns());
    let schema = known.schema(batches.schema(), WrittenFormat::Parquet, ErrorValues::Refuse);
    Ok((batches, known, schema))
}

/// How batches are cut, which become chunks: see [`BatchSize`].
fn cuts(load: &LoadOptions) -> CsvOptions {
    let cuts = CsvOptions::default().with_memory(load.memory);
    match load.batch {
        BatchSize::Rows(rows) => cuts.with_batch_rows(Some(rows)).with_batch_bytes(BatchSize::MOST_BYTES),
        BatchSize::Bytes(bytes) => cuts.with_batch_bytes(bytes),
        BatchSize::Auto => cuts,
    }
}

fn query(table: &PlannedTable) -> String {
    let (columns, name) = (table.source.select_list(), table.source.name.quoted());
    match table.source.order() {
        Ok(key) => format!("SELECT {columns} FROM {name} ORDER BY {key}"),
        // By no index: which one an optimizer takes may change.
        Err(_) => format!("SELECT {columns} FROM {name} USE INDEX ()"),
    }
}

/// Reads until the end, an error, or no load takes rows any more.
fn send(
    mut batches: ResultBatches<Connection>,
    known: &Known,
    schema: &SchemaRef,
    sender: &SyncSender<Result<RecordBatch, ArrowError>>,
) -> Connection {
    while let Some(batch) = batches.next_batch().transpose() {
        let batch = batch.and_then(|batch| known.without_error_values(batch, ErrorValues::Refuse));
        let batch = batch.and_then(|batch| Known::batch(schema, &batch));
        let is_last = batch.is_err();
        if sender.send(batch.map_err(|error| ArrowError::ExternalError(Box::new(error)))).is_err() || is_last {
            break;
        }
    }
    batches.into_connection()
}

/// The batches, as they come out of the thread.
struct ReceivedBatches {
    schema: SchemaRef,
    receiver: Receiver<Result<RecordBatch, ArrowError>>,
}

impl Iterator for ReceivedBatches {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.receiver.recv().ok()
    }
}

impl RecordBatchReader for ReceivedBatches {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}

/// CopyRows and bytes of a batch: enough for columns to be worth it.
const BATCH_ROWS: usize = 16_384;
const BATCH_BYTES: usize = 4 << 20;

/// How often a signal is looked for while a query waits for its first row.
const POLL: Duration = Duration::from_millis(50);

/// Batches that are read ahead.
const QUEUED: usize = 2;
