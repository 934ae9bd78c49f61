//! Inserters: single rows of many threads, or of many tasks of `asyncio`, which are sent together.
//!
//! For `asyncio` the rows are written by tasks of a runtime of its own, which never takes the interpreter's lock: what became of a row waits
//! in a list, and a byte in a socket wakes the event loop, which takes the list whole.

use crate::connection::config;
use crate::failure;
use crate::params::{Params, named};
use crate::wait::patiently;
use inrush::{Config, Inserted, InserterOptions, OnDuplicate};
use inrush_core::Error;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::io::{Read as _, Write as _};
use std::os::fd::AsRawFd as _;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::runtime::Runtime;

/// An inserter for threads.
#[pyclass(frozen)]
pub(crate) struct Inserter {
    /// The process that made it: its threads are not in a child.
    pid: u32,
    inserter: inrush::blocking::Inserter,
}

/// The same for `asyncio`.
#[pyclass(frozen)]
pub(crate) struct AsyncInserter {
    pid: u32,
    inserter: inrush::Inserter,
    answers: Arc<Answers>,
    /// Readable when there are answers.
    is_woken: Mutex<UnixStream>,
    /// Ended by `shutdown`, in the background: its tasks are the inserter's.
    runtime: Mutex<Option<Runtime>>,
}

/// The outcomes of rows since the last call that took them.
struct Answers {
    list: Mutex<Vec<(u64, inrush::Result<Option<u64>>)>>,
    wake: UnixStream,
}

#[pymethods]
impl Inserter {
    #[new]
    fn new(to: &Bound<'_, PyAny>, table: &str, options: &Bound<'_, PyDict>) -> PyResult<Self> {
        let py = to.py();
        let (config, options) = (config(to)?, read_options(options)?);
        let inserter = patiently(py, &[], || inrush::blocking::Pool::new(config)?.inserter_with(table, &options))?;
        Ok(Self { pid: std::process::id(), inserter })
    }

    /// Stores a row and returns once it is stored; returns the id that the server made.
    fn insert(&self, py: Python<'_>, row: &Bound<'_, PyAny>) -> PyResult<Option<u64>> {
        self.check(py)?;
        let row = Params::of(row)?;
        let inserted = patiently(py, &[], || match &row {
            Params::ByPlace(values) => self.inserter.insert(values),
            Params::ByName(values) => self.inserter.insert(named(values)),
        })?;
        Ok(inserted.id)
    }

    fn flush(&self, py: Python<'_>) -> PyResult<()> {
        self.check(py)?;
        patiently(py, &[], || self.inserter.flush())
    }

    fn close(&self, py: Python<'_>) -> PyResult<()> {
        self.check(py)?;
        patiently(py, &[], || self.inserter.close())
    }

    /// Rows stored, failed, of unknown fate, waiting; batches.
    fn status(&self) -> (u64, u64, u64, usize, u64) {
        counts(self.inserter.status())
    }
}

impl Inserter {
    fn check(&self, py: Python<'_>) -> PyResult<()> {
        of_this_process(py, self.pid)
    }
}

#[pymethods]
impl AsyncInserter {
    #[new]
    fn new(to: &Bound<'_, PyAny>, table: &str, options: &Bound<'_, PyDict>) -> PyResult<Self> {
        let py = to.py();
        let (config, options) = (config(to)?, read_options(options)?);
        let (wake, is_woken) = UnixStream::pair()?;
        wake.set_nonblocking(true)?;
        is_woken.set_nonblocking(true)?;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("inrush inserter")
            .enable_all()
            .build()?;
        let inserter =
            runtime.block_on(open(config, table, &options)).map_err(|error| failure::exception(py, &error))?;
        let answers = Arc::new(Answers { list: Mutex::default(), wake });
        Ok(Self {
            pid: std::process::id(),
            inserter,
            answers,
            is_woken: Mutex::new(is_woken),
            runtime: Mutex::new(Some(runtime)),
        })
    }

    /// What the event loop watches.
    fn fileno(&self) -> i32 {
        lock(&self.is_woken).as_raw_fd()
    }

    /// Queues a row. Its result is reported under this number.
    fn bring(&self, py: Python<'_>, number: u64, row: &Bound<'_, PyAny>) -> PyResult<()> {
        let row = Params::of(row)?;
        let (inserter, answers) = (self.inserter.clone(), self.answers.clone());
        self.spawn(py, async move {
            let inserted: inrush::Result<Inserted> = match &row {
                Params::ByPlace(values) => inserter.insert(values).await,
                Params::ByName(values) => inserter.insert(named(values)).await,
            };
            answers.tell(number, inserted.map(|inserted| inserted.id));
        })
    }

    /// Waits for all rows; with `close`, it takes no more.
    fn flush(&self, py: Python<'_>, number: u64, close: bool) -> PyResult<()> {
        let (inserter, answers) = (self.inserter.clone(), self.answers.clone());
        self.spawn(py, async move {
            let done = if close { inserter.close().await } else { inserter.flush().await };
            answers.tell(number, done.map(|()| None));
        })
    }

    /// What became of rows since the last call: the number, the id, and the exception.
    fn answers(&self, py: Python<'_>) -> Vec<(u64, Option<u64>, Option<Py<PyAny>>)> {
        let mut bytes = [0; 64];
        while matches!(lock(&self.is_woken).read(&mut bytes), Ok(1..)) {}
        let list = std::mem::take(&mut *lock(&self.answers.list));
        let each = list.into_iter().map(|(number, answer)| match answer {
            Ok(id) => (number, id, None),
            Err(error) => (number, None, Some(failure::exception(py, &error).into_value(py).into_any())),
        });
        each.collect()
    }

    fn status(&self) -> (u64, u64, u64, usize, u64) {
        counts(self.inserter.status())
    }

    /// Ends its threads. Rows that are not stored yet are not.
    fn shutdown(&self) {
        let runtime = lock(&self.runtime).take();
        match runtime {
            Some(runtime) if self.pid == std::process::id() => runtime.shutdown_background(),
            // The parent's threads are not here.
            other => std::mem::forget(other),
        }
    }
}

impl AsyncInserter {
    fn spawn(&self, py: Python<'_>, task: impl Future<Output = ()> + Send + 'static) -> PyResult<()> {
        of_this_process(py, self.pid)?;
        let is_open = match &*lock(&self.runtime) {
            Some(runtime) => {
                runtime.spawn(task);
                true
            }
            None => false,
        };
        if is_open { Ok(()) } else { Err(failure::interface(py, "this inserter is closed")) }
    }
}

impl Drop for AsyncInserter {
    fn drop(&mut self) {
        self.shutdown();
    }
}

impl Answers {
    fn tell(&self, number: u64, answer: inrush::Result<Option<u64>>) {
        let mut list = lock(&self.list);
        let is_first = list.is_empty();
        list.push((number, answer));
        drop(list);
        if is_first {
            // A socket that is full wakes in any case.
            let _ = (&self.wake).write(&[1]);
        }
    }
}

async fn open(config: Config, table: &str, options: &InserterOptions) -> inrush::Result<inrush::Inserter> {
    inrush::Pool::new(config)?.inserter_with(table, options)
}

fn of_this_process(py: Python<'_>, pid: u32) -> PyResult<()> {
    match pid == std::process::id() {
        true => Ok(()),
        false => Err(failure::interface(
            py,
            "this inserter is of the process that has forked this one: make one in the child",
        )),
    }
}

fn counts(status: inrush::InserterStatus) -> (u64, u64, u64, usize, u64) {
    (status.stored, status.failed, status.unknown, status.queued + status.in_flight + status.waiting, status.batches)
}

fn read_options(given: &Bound<'_, PyDict>) -> PyResult<InserterOptions> {
    let mut options = InserterOptions::new();
    for (name, value) in given {
        let name: String = name.extract()?;
        if value.is_none() {
            continue;
        }
        options = match &*name {
            "columns" => options.with_columns(value.extract::<Vec<String>>()?),
            "lanes" => options.with_lanes(value.extract()?),
            "batch_rows" => options.with_batch_rows(value.extract()?),
            "queue_rows" => options.with_queue_rows(value.extract()?),
            "exactly_once" => options.with_exactly_once(value.extract()?),
            "retry_for" => {
                let seconds = Duration::try_from_secs_f64(value.extract()?);
                options
                    .with_retries_for(seconds.map_err(|_| failure::interface(given.py(), "`retry_for` takes seconds"))?)
            }
            "on_duplicate" => options.with_on_duplicate(match value.extract::<String>().as_deref() {
                Ok("fail") => OnDuplicate::Fail,
                Ok("keep") => OnDuplicate::Keep,
                Ok("update") => OnDuplicate::Update,
                Ok(_) => {
                    let takes = "`on_duplicate` takes \"fail\", \"keep\", \"update\", or columns to update";
                    return Err(failure::exception(given.py(), &Error::config(takes)));
                }
                Err(_) => OnDuplicate::UpdateColumns(value.extract()?),
            }),
            other => return Err(failure::interface(given.py(), format!("`{other}` is no option of an inserter"))),
        };
    }
    Ok(options)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
