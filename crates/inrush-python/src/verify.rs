//! Two tables compared, on one server or on two.

use crate::connection;
use crate::failure;
use crate::wait::until_done;
use inrush::table::TableName;
use inrush::{Config, Difference, DifferenceKind, Verified, VerifyControl, VerifyOptions, verify_tables};
use inrush_core::Error;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};
use std::num::NonZeroU64;
use std::path::PathBuf;

/// The most pairs of connections.
const MAX_LANES: usize = 256;

/// Compares two tables.
#[pyfunction]
#[pyo3(signature = (table, other_table, to, other, columns, condition, lanes, subset, differences, rate, checkpoint, snapshot))]
#[expect(clippy::too_many_arguments, reason = "called by one function of Python")]
pub(crate) fn verify<'py>(
    py: Python<'py>,
    table: &str,
    other_table: &str,
    to: &Bound<'py, PyAny>,
    other: &Bound<'py, PyAny>,
    columns: Vec<String>,
    condition: Option<String>,
    lanes: usize,
    subset: bool,
    differences: usize,
    rate: Option<NonZeroU64>,
    checkpoint: Option<PathBuf>,
    snapshot: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let failed = |error: Error| failure::exception(py, &error);
    if !(1..=MAX_LANES).contains(&lanes) {
        let message = format!("`lanes` takes 1 to {MAX_LANES}, not {lanes}");
        return Err(failure::interface(py, message));
    }
    let one = connection::config(to)?;
    let two = if other.is_none() { one.clone() } else { other_server(other)? };
    let (name, other_name) = (TableName::parse(table).map_err(failed)?, TableName::parse(other_table).map_err(failed)?);
    if other.is_none() && name == other_name {
        return Err(failure::interface(py, "a table is compared with itself: `other` names the other server"));
    }
    let options = VerifyOptions::new().with_columns(columns).with_subset(subset).with_lanes(lanes);
    let mut options = options.with_described(differences).with_snapshot(snapshot);
    if let Some(rate) = rate {
        options = options.with_rate(rate);
    }
    if let Some(file) = checkpoint {
        options = options.with_checkpoint(file);
    }
    if let Some(condition) = condition {
        options = options.with_condition(condition);
    }
    let control = VerifyControl::new();
    let mut found = Vec::new();
    let take = |difference: Difference| {
        if found.len() < differences {
            found.push(difference);
        }
        Ok(())
    };
    let compare = || verify_tables((&one, &name), (&two, &other_name), &options, &control, take);
    let verified = until_done(py, || control.stop(), compare)?;
    as_report(py, &verified, &found)
}

/// The other table's server. Its password is in INRUSH_OTHER_PASSWORD, as INRUSH_PASSWORD is for the first one.
fn other_server(other: &Bound<'_, PyAny>) -> PyResult<Config> {
    let Ok(url) = other.cast::<PyString>() else { return connection::config(other) };
    let config = Config::parse(&url.to_string()).map_err(|error| failure::exception(other.py(), &error))?;
    Ok(match std::env::var("INRUSH_OTHER_PASSWORD") {
        Ok(password) if !config.has_secret() => config.with_password(password),
        _ => config,
    })
}

fn as_report<'py>(py: Python<'py>, verified: &Verified, found: &[Difference]) -> PyResult<Bound<'py, PyAny>> {
    let module = py.import("inrush._report")?;
    let differences = PyList::empty(py);
    for difference in found {
        let key = PyDict::new(py);
        for (column, value) in &difference.key {
            key.set_item(name(column), value)?;
        }
        let values = PyDict::new(py);
        for (column, value, other) in &difference.values {
            values.set_item(name(column), (value, other))?;
        }
        let fields = (kind(difference.kind), difference.times, key, values);
        differences.append(module.getattr("Difference")?.call1(fields)?)?;
    }
    let fields = PyDict::new(py);
    for (field, count) in [
        ("rows", verified.rows),
        ("other_rows", verified.other_rows),
        ("missing", verified.missing),
        ("extra", verified.extra),
        ("different", verified.different),
    ] {
        fields.set_item(field, count)?;
    }
    let names = |quoted: &[String]| quoted.iter().map(|column| name(column)).collect::<Vec<_>>();
    fields.set_item("key", names(&verified.key))?;
    fields.set_item("columns", names(&verified.columns))?;
    fields.set_item("differences", differences)?;
    module.getattr("Verified")?.call((), Some(&fields))
}

/// A column's name without its backticks.
fn name(quoted: &str) -> String {
    let bare = quoted.strip_prefix('`').and_then(|rest| rest.strip_suffix('`'));
    bare.map_or_else(|| quoted.to_owned(), |bare| bare.replace("``", "`"))
}

fn kind(kind: DifferenceKind) -> &'static str {
    match kind {
        DifferenceKind::Missing => "missing",
        DifferenceKind::Extra => "extra",
        _ => "different",
    }
}
