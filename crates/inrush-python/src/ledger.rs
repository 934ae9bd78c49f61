//! The ledger of loads: `inrush.status` and `inrush.forget`.

use crate::ending::Visit;
use crate::{connection, failure};
use inrush::{JobRun, JobStatus, Loader};
use inrush_core::load::ledger::State;
use pyo3::prelude::*;
use pyo3::types::PyList;

/// Jobs of a database, the newest last.
#[pyfunction]
#[pyo3(signature = (to, database=None))]
pub(crate) fn status<'py>(
    py: Python<'py>,
    to: &Bound<'py, PyAny>,
    database: Option<&str>,
) -> PyResult<Bound<'py, PyList>> {
    let config = connection::config(to)?;
    let schema = database.or(config.database()).ok_or_else(|| no_database(py))?.to_owned();
    let jobs = Visit::new()
        .detached(py, || Loader::status(&config, &schema))
        .map_err(|error| failure::exception(py, &error))?;
    PyList::new(py, jobs.iter().map(|job| as_status(py, job)).collect::<PyResult<Vec<_>>>()?)
}

/// Forgets a job.
#[pyfunction]
#[pyo3(signature = (job, to, database=None, force=false))]
pub(crate) fn forget<'py>(
    py: Python<'py>,
    job: &str,
    to: &Bound<'py, PyAny>,
    database: Option<&str>,
    force: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let config = connection::config(to)?;
    let schema = database.or(config.database()).ok_or_else(|| no_database(py))?.to_owned();
    let forgotten = Visit::new()
        .detached(py, || Loader::forget(&config, &schema, job, force))
        .map_err(|error| failure::exception(py, &error))?;
    as_status(py, &forgotten.job)
}

fn no_database(py: Python<'_>) -> PyErr {
    failure::interface(py, "no database is named: put it into the URL, or give `database`")
}

fn as_status<'py>(py: Python<'py>, job: &JobStatus) -> PyResult<Bound<'py, PyAny>> {
    let run = match &job.run {
        Some(JobRun::Active { .. }) => "active",
        Some(JobRun::Ended { .. }) => "ended",
        Some(JobRun::Gone { .. }) => "gone",
        _ => "none",
    };
    let why = match &job.run {
        Some(JobRun::Ended { why, .. }) => Some(why.as_str()),
        _ => None,
    };
    py.import("inrush._report")?.getattr("JobStatus")?.call1((
        job.id.to_string(),
        &job.target,
        &job.source,
        &job.owner,
        if job.state == State::Done { "done" } else { "unfinished" },
        run,
        why,
        job.totals.rows,
        job.totals.rejected,
        &job.started,
        Some(&job.finished).filter(|finished| !finished.is_empty()),
    ))
}
