//! Reports of loads as `inrush._report.Report`.

use inrush_core::load::Reject;
use inrush_core::load::report::{Job, Records, Report};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

/// The report as Python's object.
pub(crate) fn as_report<'py>(py: Python<'py>, report: &Report) -> PyResult<Bound<'py, PyAny>> {
    let fields = PyDict::new(py);
    macro_rules! set {
        ($($name:literal: $value:expr,)*) => { $(fields.set_item($name, $value)?;)* };
    }
    set! {
        "table": &report.table,
        "server": &report.server,
        "host": &report.host,
        "mode": report.mode.name(),
        "method": report.method.name(),
        "method_reason": &report.method_reason,
        "lanes": report.lanes,
        "time_zone": &report.time_zone,
        "dry_run": report.dry_run,
        "changed": report.changed,
        "resumed": report.resumed.rows,
        "chunks": report.chunks,
        "replays": report.replays,
        "bytes": report.bytes,
        "seconds": report.elapsed.as_secs_f64(),
        "yielded_seconds": report.yielded.as_secs_f64(),
        "sorted_by": report.sort.as_ref().map(|sort| sort.columns.clone()),
        "sort_reason": &report.order.reason,
        "pending": &report.pending,
    }
    for (name, count) in report.counts() {
        fields.set_item(name, count)?;
    }
    let class = |name: &str| py.import("inrush._report")?.getattr(name);
    let retries = PyList::empty(py);
    for retry in &report.retries {
        retries.append(class("Retry")?.call1((retry.code, &retry.message, retry.times))?)?;
    }
    fields.set_item("retries", retries)?;
    fields.set_item("jobs", list(py, &report.jobs, |job| class("Job")?.call1(job_fields(job)))?)?;
    fields.set_item(
        "rejects",
        list(py, &report.first_rejects, |reject| class("Reject")?.call1(reject_fields(reject)))?,
    )?;
    let waits = PyDict::new(py);
    for (name, time) in report.waits.named() {
        waits.set_item(format!("{name}_seconds"), time.as_secs_f64())?;
    }
    let slow = report.slow_because();
    waits.set_item("slow_for", slow.map(|(cause, _)| cause.name()))?;
    waits.set_item("slow_share", slow.map(|(_, share)| share))?;
    fields.set_item("waits", class("Waits")?.call((), Some(&waits))?)?;
    let records = |records: &Records| class("Records")?.call1((&*records.source, records.first, records.last));
    fields.set_item("stored_records", list(py, &report.stored_records, records)?)?;
    fields.set_item("unknown_records", list(py, &report.unknown_records, records)?)?;
    class("Report")?.call((), Some(&fields))
}

fn list<'py, T>(
    py: Python<'py>,
    items: &[T],
    each: impl Fn(&T) -> PyResult<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyList>> {
    PyList::new(py, items.iter().map(each).collect::<PyResult<Vec<_>>>()?)
}

fn job_fields(job: &Job) -> (String, String, &'static str, Option<&str>) {
    (job.id.to_string(), job.source.to_string(), job.state.name(), job.state.loaded_on())
}

fn reject_fields(reject: &Reject) -> (String, u64, Option<&str>, u16, &str) {
    let place = &reject.place;
    (place.source.to_string(), place.line, place.column.as_deref(), reject.code, &reject.reason)
}
