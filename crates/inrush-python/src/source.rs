//! What is loaded, as sources of the loader.
//!
//! Iterators are Python code: they run in the thread that called `load`, where their exceptions and Ctrl-C belong. Some objects can also
//! be used in that thread only. The loader's reader sends a [`Request`] and waits for the answer. Arrow streams need no interpreter and
//! are read by the loader itself.

use crate::capsule::{self, Reader};
use crate::cells::{ColumnSample, Rows, Taming};
use crate::failure;
use crate::truncated::Truncated;
use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use inrush_core::{Error, Kind};
use inrush_files::{CsvOptions, FileSource, Format, expand, found_header, open_all};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyIterator;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

/// The most rows of a batch.
const ROWS: usize = 10_000;

/// One argument of `load`.
pub(crate) enum Data {
    /// Files by their paths; folders and patterns stand for those in them.
    Paths(Vec<String>),
    /// Rows in Arrow's form, and how many there are, if that is known.
    Arrow(Reader, Option<u64>),
    /// An iterator of objects in Arrow's form.
    Batches(Py<PyAny>),
    /// An iterator of rows.
    Rows(Py<PyAny>, Rows),
}

/// A request to the thread that called.
pub(crate) struct Request {
    /// Which iterator.
    pub(crate) iterator: usize,
    pub(crate) reply: SyncSender<Reply>,
}

/// Sends a request; returns false if the receiver is gone.
pub(crate) type Ask = Arc<dyn Fn(Request) -> bool + Send + Sync>;

/// The next of an iterator: `None` at its end. An error means that an exception waits in the iterator.
pub(crate) type Reply = Result<Option<Pulled>, String>;

/// What an iterator gave.
pub(crate) enum Pulled {
    Stream(Reader),
    Rows(RecordBatch, Option<Vec<ColumnSample>>),
}

/// An iterator, for the thread that called.
pub(crate) struct Iterator_ {
    iterator: Py<PyAny>,
    rows: Option<Rows>,
    /// What it raised.
    pub(crate) raised: Option<PyErr>,
}

impl Iterator_ {
    /// Asks for the next.
    pub(crate) fn next(&mut self, py: Python<'_>) -> Reply {
        self.try_next(py).map_err(|error| {
            let said = error.to_string();
            self.raised = Some(error);
            said
        })
    }

    fn try_next(&mut self, py: Python<'_>) -> PyResult<Option<Pulled>> {
        let mut iterator = self.iterator.bind(py).cast::<PyIterator>()?.clone();
        let Some(rows) = &mut self.rows else {
            let Some(item) = iterator.next() else { return Ok(None) };
            let item = item?;
            return match capsule::reader(&item)? {
                Some(reader) => Ok(Some(Pulled::Stream(reader))),
                None => Err(PyTypeError::new_err(format!(
                    "an iterator of Arrow data gave a `{}`, which has no Arrow data",
                    item.get_type().name()?
                ))),
            };
        };
        let is_first = rows.schema().is_none();
        let mut columns = Vec::new();
        let batch = rows.take(py, &mut iterator.take(ROWS), is_first.then_some(&mut columns))?;
        if batch.num_rows() == 0 && !is_first {
            return Ok(None);
        }
        Ok(Some(Pulled::Rows(batch, is_first.then_some(columns))))
    }
}

/// Data as what the loader's thread opens, and its iterators.
pub(crate) struct PlannedSources {
    pub(crate) sources: Vec<Planned>,
    pub(crate) iterators: Vec<Iterator_>,
}

/// A source that is not open yet.
pub(crate) enum Planned {
    Paths(Vec<String>),
    Arrow(Reader, Option<u64>),
    /// The iterator of this number.
    Pulled(usize),
}

impl PlannedSources {
    pub(crate) fn new(data: Vec<Data>) -> Self {
        let mut plan = PlannedSources { sources: Vec::new(), iterators: Vec::new() };
        for one in data {
            let planned = match one {
                Data::Paths(paths) => Planned::Paths(paths),
                Data::Arrow(reader, n_rows) => Planned::Arrow(reader, n_rows),
                Data::Batches(iterator) => plan.pulled(iterator, None),
                Data::Rows(iterator, rows) => plan.pulled(iterator, Some(rows)),
            };
            plan.sources.push(planned);
        }
        plan
    }

    fn pulled(&mut self, iterator: Py<PyAny>, rows: Option<Rows>) -> Planned {
        self.iterators.push(Iterator_ { iterator, rows, raised: None });
        Planned::Pulled(self.iterators.len() - 1)
    }
}

/// How sources are opened.
pub(crate) struct Opening<'a> {
    /// The name by which a later run recognizes them.
    pub(crate) job: Option<String>,
    /// Whether it recognizes them by all of them.
    pub(crate) by_content: bool,
    /// The format of the files, as it was given.
    pub(crate) format: Format,
    pub(crate) csv: &'a CsvOptions,
    pub(crate) taming: Taming,
    pub(crate) ask: Ask,
}

/// Sources that are open.
#[derive(Default)]
pub(crate) struct Opened {
    pub(crate) sources: Vec<Box<dyn FileSource>>,
    /// The columns of the first rows, if they are rows of Python.
    pub(crate) columns: Option<Vec<ColumnSample>>,
    /// Whether they have names of their fields.
    pub(crate) have_header: bool,
    /// The files, if they are files.
    pub(crate) files: Vec<String>,
}

impl Opening<'_> {
    /// Opens all of them, in the loader's thread.
    pub(crate) fn open_all(&self, planned: Vec<Planned>) -> inrush::Result<Opened> {
        let mut opened = Opened { have_header: true, ..Opened::default() };
        for source in planned {
            match source {
                Planned::Paths(paths) => {
                    opened.files = expand(&paths)?;
                    opened.sources = open_all(&opened.files, self.format, self.csv)?;
                    opened.have_header = found_header(&opened.sources, self.csv)?;
                }
                Planned::Arrow(reader, n_rows) => opened.sources.push(self.open(reader, n_rows)?),
                Planned::Pulled(iterator) => {
                    if let Some((batches, columns)) = PulledBatches::start(iterator, self.ask.clone())? {
                        opened.sources.push(self.open(Box::new(batches), None)?);
                        opened.columns = columns;
                    }
                }
            }
        }
        Ok(opened)
    }

    /// Rows of a program.
    fn open(&self, reader: Reader, n_rows: Option<u64>) -> inrush::Result<Box<dyn FileSource>> {
        let reader: Reader = if self.taming.truncates { Box::new(Truncated::new(reader)) } else { reader };
        // What only text has does not concern them.
        let options = CsvOptions::default()
            .with_memory(self.csv.memory)
            .with_batch_rows(self.csv.batch_rows)
            .with_batch_bytes(self.csv.batch_bytes)
            .with_nulls(if self.taming.nan_is_null { vec![b"NaN".to_vec()] } else { Vec::new() });
        let mut source = match &self.job {
            Some(job) if self.by_content => inrush_files::record_batches_by_content(job, reader, &options)?,
            Some(job) => inrush_files::record_batches(job, reader, &options)?,
            None => inrush_files::record_batches_once("data", reader, &options)?,
        };
        if let Some(n_rows) = n_rows {
            source.expect_rows(n_rows);
        }
        Ok(source)
    }
}

/// What an iterator gives, as one stream of batches.
struct PulledBatches {
    iterator: usize,
    ask: Ask,
    schema: SchemaRef,
    current: Option<Reader>,
    first: Option<RecordBatch>,
}

impl PulledBatches {
    fn start(iterator: usize, to: Ask) -> inrush::Result<Option<(Self, Option<Vec<ColumnSample>>)>> {
        let (schema, current, first, columns) = match ask(iterator, &to)? {
            None => return Ok(None),
            Some(Pulled::Stream(reader)) => (reader.schema(), Some(reader), None, None),
            Some(Pulled::Rows(batch, columns)) => (batch.schema(), None, Some(batch), columns),
        };
        Ok(Some((Self { iterator, ask: to, schema, current, first }, columns)))
    }

    fn pull(&mut self) -> inrush::Result<Option<RecordBatch>> {
        loop {
            if let Some(first) = self.first.take() {
                return Ok(Some(first));
            }
            if let Some(reader) = &mut self.current {
                match reader.next() {
                    Some(batch) => return batch.map(Some).map_err(|error| Error::data(error.to_string())),
                    None => self.current = None,
                }
            }
            match ask(self.iterator, &self.ask)? {
                None => return Ok(None),
                Some(Pulled::Rows(batch, _)) => return Ok(Some(batch)),
                Some(Pulled::Stream(reader)) => {
                    let names = |schema: &SchemaRef| {
                        schema
                            .fields()
                            .iter()
                            .map(|field| (field.name().clone(), field.data_type().clone()))
                            .collect::<Vec<_>>()
                    };
                    if names(&reader.schema()) != names(&self.schema) {
                        return Err(Error::data("a later part has other columns than the first one, or other types")
                            .with_hint("make all parts alike, or load them one by one"));
                    }
                    self.current = Some(reader);
                }
            }
        }
    }
}

fn ask(iterator: usize, to: &Ask) -> inrush::Result<Option<Pulled>> {
    let (reply, replies): (_, Receiver<Reply>) = sync_channel(1);
    // The receiver is gone if the caller has given up.
    let gone = || Error::new(Kind::Interrupted, "the program that gives the rows has ended");
    if !to(Request { iterator, reply }) {
        return Err(gone());
    }
    match replies.recv() {
        Ok(Ok(pulled)) => Ok(pulled),
        Ok(Err(said)) => Err(failure::raised_while_reading(&said)),
        Err(_) => Err(gone()),
    }
}

impl Iterator for PulledBatches {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.pull().map_err(|error| ArrowError::ExternalError(Box::new(error))).transpose()
    }
}

impl RecordBatchReader for PulledBatches {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}
