//! Python values as what a column takes: text or bytes; and rows of them as record batches.
//!
//! A row's values are texts as a CSV file has them, so that every value meets the same checks, whatever it came from. Only `bytes` stay
//! bytes. A value that has no such text is an error that names row and column.

use crate::failure;
use crate::known::{DECIMAL, ENUM, JSON, UTC, UUID};
use arrow_array::builder::{BinaryBuilder, StringBuilder};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use inrush_core::error::{Error, Place};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{
    PyBool, PyByteArray, PyBytes, PyDate, PyDateTime, PyDelta, PyDict, PyFloat, PyFrozenSet, PyInt, PyList, PyMapping,
    PySet, PyString, PyTime, PyTuple, PyType,
};
use std::collections::HashSet;
use std::sync::Arc;

/// How values that no column holds are changed. By default they are errors.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Taming {
    /// NaN is NULL.
    pub(crate) nan_is_null: bool,
    /// Digits beyond microseconds are cut.
    pub(crate) truncates: bool,
}

/// A value, as a column takes it.
pub(crate) enum Cell<'py> {
    Null,
    /// NaN.
    Nan,
    Int(i64),
    /// A whole number of more than 64 bits, or anything else that is written as it is.
    Text(String),
    /// A time that is finer than a microsecond, and without those digits.
    TooFine(String, String),
    Str(Bound<'py, PyString>),
    Float(f64),
    Bool(bool),
    Bytes(Bound<'py, PyBytes>),
}

/// What kind of value it is, for the type of a new column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ValueKind {
    Null,
    Bool,
    Int,
    Decimal,
    Float,
    Text,
    Bytes,
    Date,
    DateTime,
    /// With an offset from UTC.
    Moment,
    Time,
    Json,
}

/// The cell and the kind of a value.
pub(crate) fn cell<'py>(value: &Bound<'py, PyAny>) -> PyResult<(Cell<'py>, ValueKind)> {
    if value.is_none() {
        return Ok((Cell::Null, ValueKind::Null));
    }
    if let Ok(text) = value.cast_exact::<PyString>() {
        return Ok((Cell::Str(text.clone()), ValueKind::Text));
    }
    if value.is_exact_instance_of::<PyInt>() {
        return int(value);
    }
    if let Ok(number) = value.cast::<PyFloat>() {
        return Ok((float(number.value()), ValueKind::Float));
    }
    other(value)
}

fn int<'py>(value: &Bound<'py, PyAny>) -> PyResult<(Cell<'py>, ValueKind)> {
    Ok((
        value.extract().map_or_else(|_| value.str().map(|text| Cell::Text(text.to_string())), |n| Ok(Cell::Int(n)))?,
        ValueKind::Int,
    ))
}

fn float<'py>(value: f64) -> Cell<'py> {
    if value.is_nan() { Cell::Nan } else { Cell::Float(value) }
}

/// The rarer types, in the order in which one is a subclass of another.
fn other<'py>(value: &Bound<'py, PyAny>) -> PyResult<(Cell<'py>, ValueKind)> {
    let py = value.py();
    let text = |text: String, kind| Ok((Cell::Text(text), kind));
    if let Ok(is) = value.cast::<PyBool>() {
        return Ok((Cell::Bool(is.is_true()), ValueKind::Bool));
    }
    let class = value.get_type();
    match &*class.name()?.to_string_lossy() {
        // Types of pandas and NumPy: no other types have these names, so their modules need not be imported to recognize them.
        "NAType" | "NaTType" => return Ok((Cell::Null, ValueKind::Null)),
        "datetime64" => return Ok((numpy_moment(value)?, ValueKind::DateTime)),
        "timedelta64" => {
            return Err(PyTypeError::new_err("a numpy.timedelta64 has no type of a column: use datetime.timedelta"));
        }
        _ => {}
    }
    if value.is_instance(ENUM.get(py)?)? {
        return cell(&value.getattr("value")?);
    }
    if value.is_instance_of::<PyInt>() {
        return int(value);
    }
    if value.is_instance_of::<PyString>() {
        return Ok((Cell::Str(value.str()?), ValueKind::Text));
    }
    if let Ok(bytes) = value.cast::<PyBytes>() {
        return Ok((Cell::Bytes(bytes.clone()), ValueKind::Bytes));
    }
    if let Ok(bytes) = value.cast::<PyByteArray>() {
        return Ok((Cell::Bytes(PyBytes::new(py, &bytes.to_vec())), ValueKind::Bytes));
    }
    if class.name()?.to_string_lossy() == "memoryview" {
        return Ok((Cell::Bytes(value.call_method0("tobytes")?.cast_into()?), ValueKind::Bytes));
    }
    if value.is_instance(DECIMAL.get(py)?)? {
        if value.call_method0("is_nan")?.is_truthy()? {
            return Ok((Cell::Nan, ValueKind::Decimal));
        }
        return text(value.call_method1("__format__", ("f",))?.extract()?, ValueKind::Decimal);
    }
    if value.is_instance_of::<PyDateTime>() {
        return moment(value);
    }
    if value.is_instance_of::<PyDate>() {
        return text(value.call_method0("isoformat")?.extract()?, ValueKind::Date);
    }
    if value.is_instance_of::<PyTime>() {
        if !value.getattr("tzinfo")?.is_none() {
            return Err(PyTypeError::new_err(
                "a time of day with a time zone has no type of a column: leave the zone out",
            ));
        }
        return text(value.call_method0("isoformat")?.extract()?, ValueKind::Time);
    }
    if value.is_instance_of::<PyDelta>() {
        return Ok((span(value)?, ValueKind::Time));
    }
    if value.is_instance(UUID.get(py)?)? {
        return text(value.str()?.extract()?, ValueKind::Text);
    }
    if value.is_instance_of::<PyDict>() || value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        return text(json(value)?, ValueKind::Json);
    }
    if value.hasattr("tolist")? && value.hasattr("dtype")? {
        // A number of numpy, or an array.
        let plain = value.call_method0("tolist")?;
        if plain.get_type().is(&class) {
            return Err(unstorable(&class));
        }
        return cell(&plain);
    }
    Err(unstorable(&class))
}

fn unstorable(class: &Bound<'_, PyType>) -> PyErr {
    let name = class.fully_qualified_name().map_or_else(|_| "?".into(), |name| name.to_string());
    PyTypeError::new_err(format!(
        "a value of type `{name}` has no type of a column: make it a number, a text or bytes first"
    ))
}

/// Without an offset a DATETIME, with one a moment.
fn moment<'py>(value: &Bound<'py, PyAny>) -> PyResult<(Cell<'py>, ValueKind)> {
    let is_fine = is_set(value, "nanosecond")?;
    let (plain, kind) = match value.getattr("tzinfo")?.is_none() || value.call_method0("utcoffset")?.is_none() {
        true => (value.clone(), ValueKind::DateTime),
        // An offset may have seconds, which SQL does not take.
        false => (value.call_method1("astimezone", (UTC.get(value.py())?,))?, ValueKind::Moment),
    };
    let text: String = plain.call_method1("isoformat", (" ",))?.extract()?;
    Ok((if is_fine { cut(text) } else { Cell::Text(text) }, kind))
}

/// Whether an attribute exists and is not 0: nanoseconds, which only classes of pandas have.
fn is_set(value: &Bound<'_, PyAny>, name: &str) -> PyResult<bool> {
    if value.hasattr(name)? { value.getattr(name)?.is_truthy() } else { Ok(false) }
}

/// Cuts digits beyond microseconds off a time; the result is [`Cell::TooFine`] if they are not all 0.
fn cut<'py>(exact: String) -> Cell<'py> {
    let Some((front, behind)) = exact.split_once('.') else { return Cell::Text(exact) };
    let n_digits = behind.bytes().take_while(u8::is_ascii_digit).count();
    let (digits, zone) = behind.split_at(n_digits);
    let (kept, lost) = digits.split_at(digits.len().min(6));
    let cut = format!("{front}.{kept}{zone}");
    if lost.bytes().all(|digit| digit == b'0') { Cell::Text(cut) } else { Cell::TooFine(exact, cut) }
}

/// `2026-11-24T01:02:03.123456789`. Of a coarser unit the date, or the time to the second.
fn numpy_moment<'py>(value: &Bound<'py, PyAny>) -> PyResult<Cell<'py>> {
    let text_of = |value: &Bound<'py, PyAny>| value.str()?.extract::<String>();
    let mut text = text_of(value)?;
    if text == "NaT" {
        return Err(PyValueError::new_err("NaT in a numpy.datetime64: use None"));
    }
    if !text.contains(':') {
        let unit = if text.contains('T') { "datetime64[s]" } else { "datetime64[D]" };
        text = text_of(&value.call_method1("astype", (unit,))?)?;
    }
    Ok(cut(text.replace('T', " ")))
}

/// A span as a TIME: `-26:03:04.000005`. Digits beyond microseconds are rounded towards 0.
fn span<'py>(value: &Bound<'py, PyAny>) -> PyResult<Cell<'py>> {
    let part = |name: &str| value.getattr(name)?.extract::<i64>();
    let is_fine = is_set(value, "nanoseconds")?;
    let micros = i128::from(part("days")? * 86_400 + part("seconds")?) * 1_000_000 + i128::from(part("microseconds")?);
    let micros = if is_fine && micros < 0 { micros + 1 } else { micros };
    let (sign, micros) = if micros < 0 { ("-", -micros) } else { ("", micros) };
    let seconds = micros / 1_000_000;
    let text = format!("{sign}{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    let text = match micros % 1_000_000 {
        0 => text,
        behind => format!("{text}.{behind:06}"),
    };
    Ok(if is_fine { Cell::TooFine(value.str()?.extract()?, text) } else { Cell::Text(text) })
}

fn json(value: &Bound<'_, PyAny>) -> PyResult<String> {
    let options = PyDict::new(value.py());
    options.set_item("allow_nan", false)?;
    options.set_item("ensure_ascii", false)?;
    options.set_item("separators", (",", ":"))?;
    let text = JSON.get(value.py())?.call((value,), Some(&options))?.extract()?;
    // After `json.dumps`, which refuses a value that contains itself.
    check_keys(value, DEEPEST)?;
    Ok(text)
}

/// Deeper than any server takes JSON.
const DEEPEST: u32 = 200;

/// Refuses a dict if two of its keys become the same text, as 1 and "1" do: a server would keep one of them.
fn check_keys(value: &Bound<'_, PyAny>, depth: u32) -> PyResult<()> {
    let Some(depth) = depth.checked_sub(1) else { return Ok(()) };
    if let Ok(dict) = value.cast::<PyDict>() {
        let is_text = |key: &Bound<'_, PyAny>| key.is_exact_instance_of::<PyString>();
        if !dict.keys().iter().all(|key| is_text(&key)) {
            let mut texts = HashSet::new();
            for key in dict.keys() {
                let text = if key.is_instance_of::<PyString>() {
                    key.str()?
                } else {
                    JSON.get(value.py())?.call1((&key,))?.str()?
                };
                if !texts.insert(text.extract::<String>()?) {
                    return Err(PyValueError::new_err(format!("two keys of a dict are `{text}` in JSON")));
                }
            }
        }
        return dict.values().iter().try_for_each(|value| check_keys(&value, depth));
    }
    match value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        true => value.try_iter()?.try_for_each(|value| check_keys(&value?, depth)),
        false => Ok(()),
    }
}

/// What data in memory are called in errors.
pub(crate) const MEMORY: &str = "data";

/// The shortest text that is this number; of a large whole number all digits, which that text may round.
fn float_text(value: f64) -> String {
    const EXACT: std::ops::Range<f64> = 9_007_199_254_740_992.0..18_446_744_073_709_551_616.0;
    if EXACT.contains(&value.abs()) { (value as i128).to_string() } else { format!("{value:?}") }
}

fn too_fine(py: Python<'_>, exact: &str) -> PyErr {
    let told = Error::data(format!("`{exact}` has digits behind microseconds, which no column holds"));
    failure::exception(py, &told.with_hint("`nanoseconds=\"truncate\"` leaves them out"))
}

fn nan(py: Python<'_>) -> PyErr {
    failure::exception(
        py,
        &Error::data("NaN, which no column holds").with_hint("`nan=\"null\"` stores NULL in its place"),
    )
}

/// Rows, from the first of them on. The first rows decide which columns are of bytes.
pub(crate) struct Rows {
    pub(crate) names: Vec<String>,
    taming: Taming,
    /// `None` before the first rows.
    schema: Option<SchemaRef>,
    /// How many rows were taken.
    taken: u64,
}

/// The values of the first rows in a column.
#[derive(Clone, Debug)]
pub(crate) struct ColumnSample {
    pub(crate) name: String,
    pub(crate) kinds: Vec<ValueKind>,
    /// The length of its longest text.
    pub(crate) longest_chars: usize,
    pub(crate) longest_bytes: usize,
    /// The most digits of its decimals before and after the point.
    pub(crate) digits: (usize, usize),
    /// Any whole number below zero, and any beyond 64 bits.
    pub(crate) has_negative: bool,
    pub(crate) is_huge: bool,
}

impl Rows {
    pub(crate) fn new(names: Vec<String>, taming: Taming) -> Self {
        Self { names, taming, schema: None, taken: 0 }
    }

    /// The schema, after the first rows.
    pub(crate) fn schema(&self) -> Option<&SchemaRef> {
        self.schema.as_ref()
    }

    /// Takes rows: sequences of as many values as there are columns. What a program may change between two rows is read before the next
    /// row is asked for.
    pub(crate) fn take<'py>(
        &mut self,
        py: Python<'py>,
        rows: &mut dyn Iterator<Item = PyResult<Bound<'py, PyAny>>>,
        columns: Option<&mut Vec<ColumnSample>>,
    ) -> PyResult<RecordBatch> {
        let mut cells: Vec<Vec<Cell<'_>>> = self.names.iter().map(|_| Vec::new()).collect();
        let mut kinds: Vec<ColumnSample> = self.names.iter().map(|name| ColumnSample::new(name)).collect();
        let mut n_rows = 0;
        for row in rows {
            let row = row?;
            n_rows += 1;
            let row_number = self.taken + n_rows;
            let n_values = row.len()?;
            if n_values != self.names.len() {
                let want = self.names.len();
                return Err(failure::data(py, format!("row {row_number} has {n_values} values, the first one {want}")));
            }
            for (column, value) in row.try_iter()?.enumerate() {
                let (cell, kind) = cell(&value?).map_err(|error| self.at(row.py(), row_number, column, &error))?;
                kinds[column].note(&cell, kind);
                cells[column].push(cell);
            }
        }
        let schema = self.schema.get_or_insert_with(|| schema_of(&kinds)).clone();
        let mut arrays = Vec::with_capacity(cells.len());
        for (at, cells) in cells.iter().enumerate() {
            let array = self.array(py, at, cells, schema.field(at).data_type())?;
            arrays.push(array);
        }
        self.taken += n_rows;
        if let Some(columns) = columns {
            *columns = kinds;
        }
        RecordBatch::try_new(schema, arrays).map_err(|e| PyValueError::new_err(e.to_string()))
    }

    fn array(&self, py: Python<'_>, column: usize, cells: &[Cell<'_>], ty: &DataType) -> PyResult<ArrayRef> {
        if *ty == DataType::Binary {
            let mut builder = BinaryBuilder::with_capacity(cells.len(), 0);
            for (at, cell) in cells.iter().enumerate() {
                match cell {
                    Cell::Null => builder.append_null(),
                    Cell::Bytes(value) => builder.append_value(value.as_bytes()),
                    Cell::Str(text) => builder.append_value(text.to_cow()?.as_bytes()),
                    _ => return Err(self.mixed(py, column, at, "no bytes", "bytes")),
                }
            }
            return Ok(Arc::new(builder.finish()));
        }
        let mut builder = StringBuilder::with_capacity(cells.len(), 0);
        let mut text = String::new();
        for (at, cell) in cells.iter().enumerate() {
            match cell {
                Cell::Null => builder.append_null(),
                Cell::Nan if self.taming.nan_is_null => builder.append_null(),
                Cell::Nan => {
                    return Err(self.at(py, self.taken + at as u64 + 1, column, &nan(py)));
                }
                Cell::Str(value) => match value.to_str() {
                    Ok(value) => builder.append_value(value),
                    Err(error) => return Err(self.at(py, self.taken + at as u64 + 1, column, &error)),
                },
                Cell::Text(value) => builder.append_value(value),
                Cell::TooFine(_, cut) if self.taming.truncates => builder.append_value(cut),
                Cell::TooFine(exact, _) => {
                    return Err(self.at(py, self.taken + at as u64 + 1, column, &too_fine(py, exact)));
                }
                Cell::Bool(value) => builder.append_value(if *value { "1" } else { "0" }),
                Cell::Int(value) => {
                    use std::fmt::Write as _;
                    text.clear();
                    let _ = write!(text, "{value}");
                    builder.append_value(&text);
                }
                Cell::Float(value) => builder.append_value(float_text(*value)),
                Cell::Bytes(_) => return Err(self.mixed(py, column, at, "bytes", "other values")),
            }
        }
        Ok(Arc::new(builder.finish()))
    }

    fn mixed(&self, py: Python<'_>, column: usize, at: usize, is: &str, before: &str) -> PyErr {
        let error = PyTypeError::new_err(format!("{is} in a column that has {before} in its first rows"));
        self.at(py, self.taken + at as u64 + 1, column, &error)
    }

    /// The error of a value, with its row and column.
    fn at(&self, py: Python<'_>, row: u64, column: usize, error: &PyErr) -> PyErr {
        let place = Place { source: MEMORY.into(), line: row, column: Some((*self.names[column]).into()) };
        let mut told = Error::data(failure::said(py, error)).at(place);
        if let Ok(hint) = error.value(py).getattr("hint").and_then(|hint| hint.extract::<String>()) {
            told = told.with_hint(hint);
        }
        failure::exception(py, &told)
    }
}

fn schema_of(columns: &[ColumnSample]) -> SchemaRef {
    let field = |column: &ColumnSample| {
        let ty = if column.kinds.iter().find(|kind| **kind != ValueKind::Null) == Some(&ValueKind::Bytes) {
            DataType::Binary
        } else {
            DataType::Utf8
        };
        Field::new(&column.name, ty, true)
    };
    Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>()))
}

impl ColumnSample {
    fn new(name: &str) -> Self {
        Self {
            name: name.into(),
            kinds: Vec::new(),
            longest_chars: 0,
            longest_bytes: 0,
            digits: (0, 0),
            has_negative: false,
            is_huge: false,
        }
    }

    fn note(&mut self, cell: &Cell<'_>, kind: ValueKind) {
        if !self.kinds.contains(&kind) {
            self.kinds.push(kind);
        }
        let mut chars = |chars: usize, bytes: usize| {
            self.longest_chars = self.longest_chars.max(chars);
            self.longest_bytes = self.longest_bytes.max(bytes);
        };
        match cell {
            Cell::Str(text) => {
                if let Ok(text) = text.to_cow() {
                    chars(text.chars().count(), text.len());
                }
            }
            Cell::Bytes(value) => {
                let bytes = value.as_bytes().len();
                chars(bytes, bytes);
            }
            Cell::TooFine(_, cut) => chars(cut.len(), cut.len()),
            Cell::Text(text) => {
                chars(text.chars().count(), text.len());
                self.has_negative |= text.starts_with('-');
                if kind == ValueKind::Decimal {
                    let digits = text.trim_start_matches('-');
                    let (before, behind) = digits.split_once('.').unwrap_or((digits, ""));
                    self.digits = (self.digits.0.max(before.len()), self.digits.1.max(behind.len()));
                }
                self.is_huge |= kind == ValueKind::Int;
            }
            Cell::Int(value) => {
                chars(20, 20);
                self.has_negative |= *value < 0;
            }
            Cell::Float(_) => chars(25, 25),
            Cell::Bool(_) => chars(1, 1),
            Cell::Null | Cell::Nan => {}
        }
    }
}

/// A value to be bound to a placeholder.
pub(crate) enum Owned {
    Null,
    Int(i64),
    Double(f64),
    Text(String),
    Bytes(Vec<u8>),
}

/// The values of one execution. What is one value, or has no order, is refused: a text would give its characters, a dict its keys.
pub(crate) fn bound(values: &Bound<'_, PyAny>, row: Option<usize>) -> PyResult<Vec<Owned>> {
    let is_refused = values.is_instance_of::<PyString>()
        || values.is_instance_of::<PyBytes>()
        || values.is_instance_of::<PyByteArray>()
        || values.is_instance_of::<PySet>()
        || values.is_instance_of::<PyFrozenSet>()
        || values.cast::<PyMapping>().is_ok();
    if is_refused {
        let class = values.get_type().name()?;
        let told = Error::data(format!("the values are a `{class}`: they go by their places, in a tuple or a list"));
        let told = match row {
            Some(row) => told.at_row(row as u64),
            None => told,
        };
        return Err(failure::exception(values.py(), &told));
    }
    let mut all = Vec::new();
    for (at, value) in values.try_iter()?.enumerate() {
        let owned = cell(&value?).and_then(|(cell, _)| cell.into_owned()).map_err(|error| {
            let told = Error::data(format!("value {}: {}", at + 1, failure::said(values.py(), &error)));
            let told = match row {
                Some(row) => told.at_row(row as u64),
                None => told,
            };
            failure::exception(values.py(), &told)
        })?;
        all.push(owned);
    }
    Ok(all)
}

impl Cell<'_> {
    fn into_owned(self) -> PyResult<Owned> {
        Ok(match self {
            Cell::Null => Owned::Null,
            Cell::Nan => return Err(PyValueError::new_err("NaN, which no column holds: None is NULL")),
            Cell::Int(value) => Owned::Int(value),
            Cell::Bool(value) => Owned::Int(value.into()),
            Cell::Float(value) => Owned::Double(value),
            Cell::Text(text) => Owned::Text(text),
            Cell::TooFine(exact, _) => {
                return Err(PyValueError::new_err(format!(
                    "`{exact}` has digits behind microseconds, which no column holds: round it first"
                )));
            }
            Cell::Str(text) => Owned::Text(text.to_cow()?.into_owned()),
            Cell::Bytes(value) => Owned::Bytes(value.as_bytes().to_vec()),
        })
    }
}

impl inrush::ToValue for Owned {
    fn to_value(&self) -> inrush::Value<'_> {
        match self {
            Owned::Null => inrush::Value::Null,
            Owned::Int(value) => inrush::Value::Int(*value),
            Owned::Double(value) => inrush::Value::Double(*value),
            Owned::Text(text) => inrush::Value::Text(text),
            Owned::Bytes(bytes) => inrush::Value::Bytes(bytes),
        }
    }
}
