//! What is loaded, as sources of the loader.
//!
//! Iterators are Python code: they are asked in the thread that called `load`, where their exceptions and Ctrl-C belong, and where objects
//! that know only one thread are at home. The loader's reader sends a [`Request`] and waits for the answer. Arrow streams need no
//! interpreter and are read by the loader itself.

use crate::capsule::{self, Reader};
use crate::cells::{Column, Rows};
use crate::failure;
use crate::tamed::{Tamed, Taming};
use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use inrush_core::{Error, Kind};
use inrush_files::{CsvOptions, FileSource, Format};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyList;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

/// As many rows become a batch.
const ROWS: usize = 10_000;

/// What one argument of `load` is.
pub(crate) enum Data {
    /// A file by its path.
    Path(String),
    /// Rows in Arrow's form, and how many there are, if that is known.
    Arrow(Reader, Option<u64>),
    /// An iterator of objects in Arrow's form.
    Batches(Py<PyAny>),
    /// An iterator of lists of rows.
    Rows(Py<PyAny>, Rows),
}

/// A question to the thread that called.
pub(crate) struct Request {
    /// Which iterator.
    pub(crate) iterator: usize,
    pub(crate) reply: SyncSender<Reply>,
}

/// Sends a question; false if nobody is there any more.
pub(crate) type Ask = Arc<dyn Fn(Request) -> bool + Send + Sync>;

/// The next of an iterator: `None` at its end. An error means that an exception waits in the iterator.
pub(crate) type Reply = Result<Option<Pulled>, String>;

/// What an iterator gave.
pub(crate) enum Pulled {
    Stream(Reader),
    Rows(RecordBatch, Option<Vec<Column>>),
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
        let iterator = self.iterator.bind(py);
        let Some(rows) = &mut self.rows else {
            let Some(item) = iterator.cast::<pyo3::types::PyIterator>()?.clone().next() else { return Ok(None) };
            let item = item?;
            return match capsule::reader(&item)? {
                Some(reader) => Ok(Some(Pulled::Stream(reader))),
                None => Err(PyTypeError::new_err(format!(
                    "an iterator of Arrow data gave a `{}`, which has no Arrow data",
                    item.get_type().name()?
                ))),
            };
        };
        // Python's side hands out lists of at most so many rows; an empty one is the end.
        let list = iterator.call1((ROWS,))?;
        let list = list.cast::<PyList>()?;
        let is_first = rows.schema().is_none();
        if list.is_empty() && !is_first {
            return Ok(None);
        }
        let mut columns = Vec::new();
        let batch = rows.take(list, is_first.then_some(&mut columns))?;
        Ok(Some(Pulled::Rows(batch, is_first.then_some(columns))))
    }
}

/// Data as what the loader's thread opens, and its iterators.
pub(crate) struct Plan {
    pub(crate) sources: Vec<Planned>,
    pub(crate) iterators: Vec<Iterator_>,
}

/// A source that is not open yet.
pub(crate) enum Planned {
    Path(String),
    Arrow(Reader, Option<u64>),
    /// The iterator of this number.
    Pulled(usize),
}

impl Plan {
    pub(crate) fn new(data: Vec<Data>) -> Self {
        let mut plan = Plan { sources: Vec::new(), iterators: Vec::new() };
        for one in data {
            let planned = match one {
                Data::Path(path) => Planned::Path(path),
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
pub(crate) struct Opening {
    /// By which a later run knows them.
    pub(crate) job: Option<String>,
    pub(crate) csv: CsvOptions,
    pub(crate) taming: Taming,
    pub(crate) ask: Ask,
}

/// A source that is open.
pub(crate) struct Opened {
    pub(crate) source: Box<dyn FileSource>,
    /// Whether it is no file.
    pub(crate) is_in_memory: bool,
    /// What its first rows have, if they are rows of Python.
    pub(crate) columns: Option<Vec<Column>>,
}

impl Opening {
    /// Opens a source, in the loader's thread. `None`: an iterator without anything in it. `number` is its place among several.
    pub(crate) fn open(&self, planned: Planned, number: Option<usize>) -> inrush::Result<Option<Opened>> {
        let (reader, n_rows, columns): (Reader, _, _) = match planned {
            Planned::Path(path) => {
                let source = inrush_files::open(&path, Format::Auto, &self.csv)?;
                return Ok(Some(Opened { source, is_in_memory: false, columns: None }));
            }
            Planned::Arrow(reader, n_rows) => (reader, n_rows, None),
            Planned::Pulled(iterator) => match PulledBatches::start(iterator, self.ask.clone())? {
                Some((batches, columns)) => (Box::new(batches), None, columns),
                None => return Ok(None),
            },
        };
        let reader: Reader = match self.taming {
            Taming { nan_is_null: false, truncates: false } => reader,
            taming => Box::new(Tamed::new(reader, taming)),
        };
        // What only text has does not concern them.
        let options = CsvOptions::default().with_memory(self.csv.memory);
        let place = number.map_or_else(String::new, |number| format!(" #{}", number + 1));
        let mut source = match &self.job {
            Some(job) => inrush_files::record_batches(&format!("{job}{place}"), reader, &options)?,
            None => inrush_files::record_batches_once(&format!("data{place}"), reader, &options)?,
        };
        if let Some(n_rows) = n_rows {
            source.expect_rows(n_rows);
        }
        Ok(Some(Opened { source, is_in_memory: true, columns }))
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
    fn start(iterator: usize, to: Ask) -> inrush::Result<Option<(Self, Option<Vec<Column>>)>> {
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
    // Nobody is there to ask when the caller has given up.
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
