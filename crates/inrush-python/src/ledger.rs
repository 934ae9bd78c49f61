//! The ledger of loads: `inrush.status` and `inrush.forget`.

use crate::ending::Visit;
use crate::{connection, failure};
use inrush::{JobRun, JobStatus, Loader, NamedJob};
use inrush_core::load::ledger::State;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

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
    let jobs = jobs.iter().filter(|job| !job.is_kept_table);
    PyList::new(py, jobs.map(|job| as_status(py, job)).collect::<PyResult<Vec<_>>>()?)
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
    let (named, names) = (job.named.as_ref(), PyDict::new(py));
    names.set_item("job", named.map(NamedJob::name))?;
    names.set_item("part", named.and_then(NamedJob::part_name))?;
    names.set_item("parts", named.and_then(NamedJob::parts))?;
    let known = (
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
    );
    py.import("inrush._report")?.getattr("JobStatus")?.call(known, Some(&names))
}
