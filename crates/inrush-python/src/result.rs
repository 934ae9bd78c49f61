//! Results: rows that stream, as Arrow's batches or as tuples.

use crate::capsule;
use crate::ending::Visit;
use crate::wait::patiently;
use crate::{failure, values};
use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use inrush::blocking::Aborter;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyList};
use std::mem;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What gives the batches. Dropped, it gives its connection back.
type Batches = Box<dyn Iterator<Item = std::result::Result<RecordBatch, ArrowError>> + Send>;

/// A result: its batches, once.
#[pyclass(frozen)]
pub(crate) struct Result {
    schema: SchemaRef,
    /// The process that runs the query: a forked child has only a copy.
    pid: u32,
    state: Mutex<State>,
    /// The aborters of the connections that the batches come from.
    aborters: Vec<Aborter>,
}

enum State {
    Ready(Batches),
    /// A thread reads the next rows.
    Busy,
    /// Another owner has them: a stream of Arrow.
    HandedOver,
    Over,
}

#[pymethods]
impl Result {
    /// Arrow's stream of the rows that were not read yet.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // The protocol lets a producer that cannot cast ignore it.
        let _ = requested_schema;
        let batches = match self.take(py, State::HandedOver)? {
            Some(batches) => batches,
            None => Box::new(std::iter::empty()),
        };
        capsule::of_reader(py, Box::new(Typed { schema: self.schema.clone(), batches: Some(batches) }))
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        capsule::of_schema(py, &self.schema)
    }

    /// Names and types of the columns.
    #[getter]
    fn columns(&self) -> Vec<(String, String)> {
        self.schema.fields().iter().map(|field| (field.name().clone(), field.data_type().to_string())).collect()
    }

    /// The next rows as a list of tuples; `None` at the end.
    fn next_rows<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyList>>> {
        let Some(mut batches) = self.take(py, State::Busy)? else { return Ok(None) };
        let read = patiently(py, &self.aborters, move || {
            let next = batches.next();
            Ok((next, batches))
        });
        let next = match read {
            Ok((Some(Ok(batch)), batches)) => {
                // It may have been closed in the meantime.
                let mut state = self.state();
                if matches!(*state, State::Busy) {
                    *state = State::Ready(batches);
                }
                return values::rows(py, &batch).map(Some);
            }
            Ok((None, _)) => Ok(None),
            Ok((Some(Err(error)), _)) => Err(failure::of_arrow(py, error)),
            // Ctrl-C: its connection is closed.
            Err(error) => Err(error),
        };
        *self.state() = State::Over;
        next
    }

    /// Gives the rest up.
    fn close(&self, py: Python<'_>) {
        let rest = mem::replace(&mut *self.state(), State::Over);
        Visit::new().detached(py, || drop(rest));
    }
}

impl Result {
    pub(crate) fn new(schema: SchemaRef, batches: Batches, aborters: Vec<Aborter>) -> Self {
        Self { schema, pid: std::process::id(), state: Mutex::new(State::Ready(batches)), aborters }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the batches; returns `None` after their end.
    fn take(&self, py: Python<'_>, then: State) -> PyResult<Option<Batches>> {
        let mut state = self.state();
        let why_not = match &*state {
            State::Ready(_) if self.pid != std::process::id() => {
                "this result is of the process that has forked this one: run the query in the child"
            }
            State::Ready(_) => {
                let State::Ready(batches) = mem::replace(&mut *state, then) else { return Ok(None) };
                return Ok(Some(batches));
            }
            State::Over => return Ok(None),
            State::Busy => "another thread reads this result",
            State::HandedOver => {
                "the result was read already: it streams, so it is there once; run the query again, or keep what you read"
            }
        };
        // Python code makes the exception, and meanwhile another thread may run that waits for this lock.
        drop(state);
        Err(failure::interface(py, why_not))
    }
}

/// Batches with their schema; dropped at their end, so that the connection is free before the stream is.
struct Typed {
    schema: SchemaRef,
    batches: Option<Batches>,
}

impl Iterator for Typed {
    type Item = std::result::Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = self.batches.as_mut()?.next();
        if !matches!(next, Some(Ok(_))) {
            self.batches = None;
        }
        next
    }
}

impl RecordBatchReader for Typed {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}
