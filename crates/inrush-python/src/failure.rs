//! Errors as exceptions of `inrush._errors`: PEP 249's tree, each with what the library knows of the fault.

use crate::report;
use arrow_schema::ArrowError;
use inrush_core::error::InputFault;
use inrush_core::load::report::{Report, Stop};
use inrush_core::{Error, FrontEnd, Kind};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The exception for an error.
pub(crate) fn exception(py: Python<'_>, error: &Error) -> PyErr {
    made(py, class_of(error), error, None, None)
}

/// The exception for a load that did not begin.
pub(crate) fn not_begun(py: Python<'_>, error: &Error, job: Option<&str>) -> PyErr {
    made(py, class_of(error), error, None, job)
}

/// The exception for an error of a stream: one of ours that went through Arrow, or another producer's.
pub(crate) fn of_arrow(py: Python<'_>, error: ArrowError) -> PyErr {
    exception(py, &inrush_adbc::batches::of_arrow(error))
}

/// An error of the package itself: it cannot do what was requested.
pub(crate) fn interface(py: Python<'_>, message: impl Into<std::borrow::Cow<'static, str>>) -> PyErr {
    made(py, "InterfaceError", &Error::config(message), None, None)
}

/// A value that no column takes.
pub(crate) fn data(py: Python<'_>, message: impl Into<std::borrow::Cow<'static, str>>) -> PyErr {
    exception(py, &Error::data(message))
}

/// The exception for a load that stopped, with its report. `raised`: what the code that gives the rows has raised; if it is about a value,
/// the load's exception is, too.
pub(crate) fn stopped(py: Python<'_>, report: &Report, job: Option<&str>, raised: Option<&PyErr>) -> Option<PyErr> {
    let stopped = match report.stop.as_ref()? {
        Stop::BadData(error) | Stop::Failed(error) | Stop::Unreadable(error) => {
            made(py, "LoadError", error, Some(report), job)
        }
        Stop::Interrupted => {
            let error = Error::new(Kind::Interrupted, "the load was stopped: what is stored stays");
            made(py, "LoadError", &error, Some(report), job)
        }
    };
    let Some(raised) = raised else { return Some(stopped) };
    let tell = || -> PyResult<()> {
        if raised.value(py).is_instance(&py.import("inrush._errors")?.getattr("Error")?)? {
            for known in ["args", "place", "hint", "kind"] {
                stopped.value(py).setattr(known, raised.value(py).getattr(known)?)?;
            }
        }
        Ok(())
    };
    match tell() {
        Ok(()) => {
            stopped.set_cause(py, Some(raised.clone_ref(py)));
            Some(stopped)
        }
        Err(error) => Some(error),
    }
}

/// The exception for a load that was aborted and does not end.
pub(crate) fn left(py: Python<'_>) -> PyErr {
    let message = "the load was stopped, and the code that gives its rows does not come back: what is stored stays";
    made(py, "LoadError", &Error::new(Kind::Interrupted, message), None, None)
}

/// What an exception says, without the hint of ours.
pub(crate) fn said(py: Python<'_>, error: &PyErr) -> String {
    let value = error.value(py);
    let is_ours = value.hasattr("hint").unwrap_or(false);
    let first = || value.getattr("args").and_then(|args| args.get_item(0)).and_then(|first| first.extract::<String>());
    match first() {
        Ok(first) if is_ours => first,
        _ => value.to_string(),
    }
}

/// The error that the loader gets for an exception in the code that gives the rows. The exception itself is kept with the iterator.
pub(crate) fn raised_while_reading(said: &str) -> Error {
    Error::data(format!("the rows could not be read: {said}"))
}

/// `job`: what data without a path are called.
fn made(py: Python<'_>, class: &str, error: &Error, report: Option<&Report>, job: Option<&str>) -> PyErr {
    let make = || -> PyResult<PyErr> {
        let module = py.import("inrush._errors")?;
        let known = PyDict::new(py);
        known.set_item("kind", kind(error.kind()))?;
        known.set_item("code", error.code())?;
        known.set_item("sqlstate", (error.kind() == Kind::Server).then(|| error.sql_state()))?;
        let is_nan = match error.input_fault() {
            InputFault::NumberWord(word) => *word == "NaN",
            InputFault::Value { shown, .. } => **shown == *"NaN",
            _ => false,
        };
        let hint = match is_nan {
            true => Some("`nan=\"null\"` stores NULL in its place".into()),
            false => error.hint().map(|hint| FrontEnd::Python.names(hint, true)),
        };
        known.set_item("hint", hint)?;
        known.set_item("row", error.row())?;
        known.set_item("is_retryable", error.is_retryable())?;
        known.set_item("is_outcome_unknown", error.is_outcome_unknown())?;
        if let Some(place) = error.place() {
            let line = (place.line > 0).then_some(place.line);
            known
                .set_item("place", module.getattr("Place")?.call1((&*place.source, line, place.column.as_deref()))?)?;
        }
        if let Some(report) = report {
            known.set_item("report", report::as_report(py, report)?)?;
        }
        let mut message = FrontEnd::Python.names(&error.to_string(), false).into_owned();
        if let Some(place) = error.place().filter(|place| place.line > 0 && is_in_memory(&place.source, job)) {
            let placed = format!("line {}", place.line);
            message = message.replacen(&placed, &format!("row {}", place.line), 1);
        }
        let made = module.getattr(class)?.call((message,), Some(&known))?;
        Ok(PyErr::from_value(made))
    };
    make().unwrap_or_else(|error| error)
}

/// The name of a kind: `.kind` of every exception.
fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Io => "io",
        Kind::Protocol => "protocol",
        Kind::Server => "server",
        Kind::Data => "data",
        Kind::Config => "config",
        Kind::Guarantee => "guarantee",
        Kind::Interrupted => "interrupted",
        _ => "application",
    }
}

/// PEP 249's class for an error.
fn class_of(error: &Error) -> &'static str {
    match error.kind() {
        Kind::Config => "ProgrammingError",
        Kind::Data => "DataError",
        Kind::Guarantee => "IntegrityError",
        Kind::Protocol => "InternalError",
        Kind::Server => of_server(error),
        _ => "OperationalError",
    }
}

fn of_server(error: &Error) -> &'static str {
    if error.is_unique_violation()
        || error.is_foreign_key_violation()
        || error.is_not_null_violation()
        || error.is_check_violation()
    {
        return "IntegrityError";
    }
    if error.is_data_too_long() || error.sql_state().starts_with("22") {
        return "DataError";
    }
    match error.sql_state().get(..2) {
        // ER_UNKNOWN_COM_ERROR, ER_NOT_SUPPORTED_YET.
        Some("0A") => "NotSupportedError",
        _ if matches!(error.code(), 1047 | 1235) => "NotSupportedError",
        Some("42") => "ProgrammingError",
        _ => "OperationalError",
    }
}

/// Whether a source has rows rather than lines.
fn is_in_memory(source: &str, job: Option<&str>) -> bool {
    source == "data" || Some(source) == job
}
