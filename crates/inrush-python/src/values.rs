//! Values of results as Python objects: numbers, `str`, `bytes`, `decimal.Decimal`, `datetime`; a TIME is a `timedelta`.

use crate::known::{DATE, DATETIME, DECIMAL, TIMEDELTA};
use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{Array, RecordBatch};
use arrow_schema::{DataType, TimeUnit};
use pyo3::IntoPyObjectExt as _;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString, PyTuple};

/// The rows of a batch as tuples.
pub(crate) fn rows<'py>(py: Python<'py>, batch: &RecordBatch) -> PyResult<Bound<'py, PyList>> {
    let columns = batch.columns().iter().map(|array| column(py, array.as_ref())).collect::<PyResult<Vec<_>>>()?;
    let mut columns: Vec<_> = columns.into_iter().map(Vec::into_iter).collect();
    let rows = PyList::empty(py);
    for _ in 0..batch.num_rows() {
        rows.append(PyTuple::new(py, columns.iter_mut().filter_map(Iterator::next).collect::<Vec<_>>())?)?;
    }
    Ok(rows)
}

fn column<'py>(py: Python<'py>, array: &dyn Array) -> PyResult<Vec<Bound<'py, PyAny>>> {
    (0..array.len()).map(|row| value(py, array, row)).collect()
}

fn value<'py>(py: Python<'py>, array: &dyn Array, row: usize) -> PyResult<Bound<'py, PyAny>> {
    if array.is_null(row) {
        return Ok(py.None().into_bound(py));
    }
    macro_rules! number {
        ($type:ty) => {
            array.as_primitive::<$type>().value(row).into_bound_py_any(py)
        };
    }
    match array.data_type() {
        DataType::Null => Ok(py.None().into_bound(py)),
        DataType::Boolean => array.as_boolean().value(row).into_bound_py_any(py),
        DataType::Int8 => number!(Int8Type),
        DataType::Int16 => number!(Int16Type),
        DataType::Int32 => number!(Int32Type),
        DataType::Int64 => number!(Int64Type),
        DataType::UInt8 => number!(UInt8Type),
        DataType::UInt16 => number!(UInt16Type),
        DataType::UInt32 => number!(UInt32Type),
        DataType::UInt64 => number!(UInt64Type),
        // Keeps only the digits that a FLOAT has.
        DataType::Float32 => {
            let value = array.as_primitive::<Float32Type>().value(row);
            value.to_string().parse::<f64>().unwrap_or_else(|_| value.into()).into_bound_py_any(py)
        }
        DataType::Float64 => number!(Float64Type),
        DataType::Decimal128(..) => decimal(py, &array.as_primitive::<Decimal128Type>().value_as_string(row)),
        DataType::Decimal256(..) => decimal(py, &array.as_primitive::<Decimal256Type>().value_as_string(row)),
        DataType::Utf8 => Ok(PyString::new(py, array.as_string::<i32>().value(row)).into_any()),
        DataType::Binary => Ok(PyBytes::new(py, array.as_binary::<i32>().value(row)).into_any()),
        DataType::Date32 => {
            let days = array.as_primitive::<Date32Type>().value(row);
            // Day 1 is the first of January of the year 1.
            DATE.get(py)?.call_method1("fromordinal", (i64::from(days) + 719_163,))
        }
        DataType::Timestamp(TimeUnit::Microsecond, None) => {
            let micros = array.as_primitive::<TimestampMicrosecondType>().value(row);
            let (days, rest) = (micros.div_euclid(DAY), micros.rem_euclid(DAY));
            let midnight = DATETIME.get(py)?.call_method1("fromordinal", (days + 719_163,))?;
            midnight.add(TIMEDELTA.get(py)?.call1((0, rest / SECOND, rest % SECOND))?)
        }
        DataType::Duration(TimeUnit::Microsecond) => {
            let micros = array.as_primitive::<DurationMicrosecondType>().value(row);
            let (days, rest) = (micros.div_euclid(DAY), micros.rem_euclid(DAY));
            TIMEDELTA.get(py)?.call1((days, rest / SECOND, rest % SECOND))
        }
        DataType::List(_) => {
            let items = array.as_list::<i32>().value(row);
            Ok(PyList::new(py, column(py, items.as_ref())?)?.into_any())
        }
        other => Err(PyTypeError::new_err(format!("there is no Python type for Arrow's {other} here: use `.arrow()`"))),
    }
}

const SECOND: i64 = 1_000_000;
const DAY: i64 = 86_400 * SECOND;

fn decimal<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    DECIMAL.get(py)?.call1((text,))
}
