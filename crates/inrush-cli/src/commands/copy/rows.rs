//! The rows of a table as a source for a load. A thread of its own reads them, so that the load never waits for a query that it could have sent
//! before.
//!
//! Invariant: the rows come in the same order in every run, as long as the table does not change: by the primary key, or without one as the table
//! has them.

use super::plan::{CopyMasks, PlannedTable};
use crate::commands::export::known::{ErrorValues, Known};
use crate::commands::export::lanes::hidden;
use crate::commands::export::pace::Pace;
use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use inrush::blocking::{Connection, ResultBatches};
use inrush::sans_io::load::ledger::Mapping;
use inrush::{ArrowOptions, BatchSize, InvalidDates, LoadOptions};
use inrush_core::{Error, Result};
use inrush_files::mask::mask_batch;
use inrush_files::{CsvOptions, FileSource, WrittenFormat, record_batches_by_name};
use std::num::NonZeroU64;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// CopyRows that are being read.
pub(super) struct CopyRows {
    pub(super) source: Box<dyn FileSource>,
    /// Returns the connection, once the source is read or dropped.
    pub(super) reader: JoinHandle<Option<Connection>>,
    pub(super) schema: SchemaRef,
}

/// Which rows are read, and how.
pub(super) struct RowsOf {
    query: String,
    /// For messages.
    table: String,
    job: String,
    reading: Mapping,
    known: Known,
    masks: Option<CopyMasks>,
}

impl RowsOf {
    /// Those that are copied, masked, in the order in which each run reads them.
    pub(super) fn source(table: &PlannedTable) -> Self {
        Self {
            query: query(table),
            table: table.source.name.quoted(),
            job: table.job.clone(),
            reading: table.reading.clone(),
            known: table.source.known.clone(),
            masks: table.masks.clone(),
        }
    }

    /// Those of the copy.
    pub(super) fn target(table: &PlannedTable) -> Self {
        let name = table.target.quoted();
        let query = format!("SELECT {} FROM {name}", table.source.select_list());
        Self { query, table: name, masks: None, ..Self::source(table) }
    }
}

/// Begins to read rows.
///
/// # Errors
/// `Interrupted` if `is_over` says so before the server has answered: a query may wait long for its first row.
pub(super) fn read(
    connection: Connection,
    rows: RowsOf,
    load: &LoadOptions,
    rate: Option<NonZeroU64>,
    is_over: impl Fn() -> bool,
) -> Result<CopyRows> {
    let RowsOf { query, table, job, reading, known, masks } = rows;
    let (schemas, opened) = sync_channel(1);
    let (sender, receiver) = sync_channel(QUEUED);
    let read = move || {
        let (batches, known, schema) = match open(connection, &query, known, rate) {
            Ok(open) => open,
            Err(error) => {
                let _ = schemas.send(Err(error));
                return None;
            }
        };
        let _ = schemas.send(Ok(schema.clone()));
        Some(send(batches, &known, &schema, masks, (rate, &sender)))
    };
    let thread = thread::Builder::new().name("inrush-copy".to_owned());
    let reader = thread.spawn(read).map_err(|error| Error::io("cannot start a thread", error))?;
    let schema = loop {
        match opened.recv_timeout(POLL) {
            Ok(schema) => {
                break schema.map_err(|error: Error| error.while_doing(&format!("reading {table}")))?;
            }
            Err(RecvTimeoutError::Timeout) if is_over() => return Err(super::interrupted()),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Err(Error::protocol("the thread that reads rows has ended")),
        }
    };
    let batches = ReceivedBatches { schema: schema.clone(), receiver };
    let source = record_batches_by_name(&job, batches, &cuts(load), reading)?;
    Ok(CopyRows { source, reader, schema })
}

/// Sends the query, and returns its rows and what the batches will be.
fn open(
    connection: Connection,
    query: &str,
    mut known: Known,
    rate: Option<NonZeroU64>,
) -> Result<(ResultBatches<Connection>, Known, SchemaRef)> {
    let options = ArrowOptions::default()
        .with_batch_rows(rate.map_or(BATCH_ROWS, rows_at_a_time))
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
    let condition = table.condition.as_ref().map_or(String::new(), |condition| format!(" WHERE ({condition}\n)"));
    match table.source.order() {
        Ok(key) => format!("SELECT {columns} FROM {name}{condition} ORDER BY {key}"),
        // By no index: which one an optimizer takes may change.
        Err(_) => format!("SELECT {columns} FROM {name} USE INDEX (){condition}"),
    }
}

/// Reads until the end, an error, or no load takes rows any more.
fn send(
    mut batches: ResultBatches<Connection>,
    known: &Known,
    schema: &SchemaRef,
    masks: Option<CopyMasks>,
    (rate, sender): (Option<NonZeroU64>, &SyncSender<Result<RecordBatch, ArrowError>>),
) -> Connection {
    let (pace, mut n_rows, never) = (Pace::start(rate), 0, AtomicBool::new(false));
    let masks = masks.map(|masks| (masks.unique(), masks));
    let shown = |error: Error| if masks.is_some() { hidden(error) } else { error };
    while let Some(batch) = batches.next_batch().transpose() {
        let batch = batch.map_err(shown).and_then(|batch| known.without_error_values(batch, ErrorValues::Refuse));
        let batch = match &masks {
            Some((unique, masks)) => batch.and_then(|batch| mask_batch(&batch, &masks.masks, unique)),
            None => batch,
        };
        let batch = batch.and_then(|batch| Known::batch(schema, &batch));
        let is_last = batch.is_err();
        n_rows += batch.as_ref().map_or(0, |batch| batch.num_rows() as u64);
        // At most a quarter of a second, by the size of a batch.
        pace.wait(n_rows, &never);
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

/// The rows of a batch under a rate: those of a quarter of a second.
fn rows_at_a_time(rate: NonZeroU64) -> usize {
    usize::try_from(rate.get() / 4).unwrap_or(BATCH_ROWS).clamp(1, BATCH_ROWS)
}

/// Rows and bytes of a batch: enough for columns to be worth it.
const BATCH_ROWS: usize = 16_384;
const BATCH_BYTES: usize = 4 << 20;

/// How often a signal is looked for while a query waits for its first row.
const POLL: Duration = Duration::from_millis(50);

/// Batches that are read ahead.
const QUEUED: usize = 2;
