//! A table read whole: in one part, or in ranges of a column side by side, over a connection each.

use crate::connection;
use crate::failure;
use crate::result::Result;
use crate::wait::patiently;
use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, SchemaRef};
use inrush::ArrowOptions;
use inrush::blocking::{self, Aborter, ResultBatches};
use inrush::sans_io::column::ident::quote_ident;
use inrush::table::TableName;
use inrush_core::Error;
use pyo3::prelude::*;
use std::sync::mpsc::{IntoIter, SyncSender, sync_channel};
use std::thread;

/// The most parts.
const MAX_PARTS: usize = 256;

/// Reads a table.
#[pyfunction]
#[pyo3(signature = (table, to, columns=None, partition_on=None, partitions=1, batch_rows=None, invalid_dates=None))]
#[expect(clippy::too_many_arguments, reason = "called by one function of Python")]
pub(crate) fn read(
    py: Python<'_>,
    table: &str,
    to: &Bound<'_, PyAny>,
    columns: Option<Vec<String>>,
    partition_on: Option<&str>,
    partitions: usize,
    batch_rows: Option<usize>,
    invalid_dates: Option<&str>,
) -> PyResult<Result> {
    let config = connection::config(to)?;
    let options = connection::arrow_options(py, batch_rows, invalid_dates)?;
    if !(1..=MAX_PARTS).contains(&partitions) {
        return Err(failure::interface(
            py,
            format!("`partitions={partitions}` is not understood: it takes 1 to {MAX_PARTS}"),
        ));
    }
    if partitions > 1 && partition_on.is_none() {
        return Err(failure::interface(
            py,
            "`partitions` needs `partition_on`: a column of whole numbers, best the primary key",
        ));
    }
    let table = quoted(table, config.database()).map_err(|error| failure::exception(py, &error))?;
    let columns = list(columns.as_deref());
    let opened = patiently(py, &[], || {
        let mut connection = blocking::Connection::connect(&config)?;
        let queries = match partition_on {
            Some(column) => inrush::parts::of_table(&mut connection, &columns, &table, column, partitions)?,
            None => vec![format!("SELECT {columns} FROM {table}")],
        };
        Parts::open(connection, queries, &options)
    })?;
    Ok(Result::new(opened.schema, opened.batches, opened.aborters))
}

fn quoted(table: &str, database: Option<&str>) -> inrush::Result<String> {
    Ok(TableName::parse(table)?.in_schema(database)?.quoted())
}

fn list(columns: Option<&[String]>) -> String {
    match columns {
        None | Some([]) => "*".into(),
        Some(columns) => columns.iter().map(|column| quote_ident(column)).collect::<Vec<_>>().join(", "),
    }
}

/// Parts that are being read.
struct Parts {
    schema: SchemaRef,
    batches: Box<dyn Iterator<Item = Batch> + Send>,
    aborters: Vec<Aborter>,
}

type Batch = std::result::Result<RecordBatch, ArrowError>;

impl Parts {
    /// Opens all of them before the first is read, so that what fails fails at once.
    fn open(first: blocking::Connection, queries: Vec<String>, options: &ArrowOptions) -> inrush::Result<Self> {
        let config = first.config().clone();
        let mut first = Some(first);
        let (mut parts, mut aborters) = (Vec::new(), Vec::new());
        for sql in queries {
            let connection = first.take().map_or_else(|| blocking::Connection::connect(&config), Ok)?;
            aborters.push(connection.aborter());
            parts.push(ResultBatches::open(connection, &sql, (), options)?);
        }
        let Some(schema) = parts.first().map(|part| part.schema().clone()) else {
            return Err(Error::protocol("a query of no parts"));
        };
        let batches: Box<dyn Iterator<Item = Batch> + Send> = match parts.len() {
            1 => Box::new(parts.into_iter().flatten()),
            _ => Box::new(side_by_side(parts)?),
        };
        Ok(Self { schema, batches, aborters })
    }
}

/// Reads each part in a thread. The channel has room for one batch of each part. A thread ends when the receiver is dropped.
fn side_by_side(parts: Vec<ResultBatches<blocking::Connection>>) -> inrush::Result<IntoIter<Batch>> {
    let (batches, taken) = sync_channel(parts.len());
    for part in parts {
        let batches: SyncSender<Batch> = batches.clone();
        let read = move || {
            // An error is the last of its part.
            part.into_iter().all(|batch| batches.send(batch).is_ok());
        };
        thread::Builder::new()
            .name("inrush read".into())
            .spawn(read)
            .map_err(|error| Error::io("cannot start a thread", error))?;
    }
    Ok(taken.into_iter())
}
