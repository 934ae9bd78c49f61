//! Arrow's C interface as Python objects have it: `__arrow_c_stream__`, `__arrow_c_array__`, `__arrow_c_schema__`
//! (<https://arrow.apache.org/docs/format/CDataInterface/PyCapsuleInterface.html>).
//!
//! No column is copied. All of the crate's `unsafe` is here.

use crate::failure;
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi};
use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_array::{RecordBatch, RecordBatchIterator, RecordBatchReader, StructArray};
use arrow_schema::{ArrowError, DataType, SchemaRef};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};
use std::ffi::CStr;

const STREAM: &CStr = c"arrow_array_stream";
const ARRAY: &CStr = c"arrow_array";
const SCHEMA: &CStr = c"arrow_schema";

/// Rows of another library.
pub(crate) type Reader = Box<dyn RecordBatchReader + Send>;

/// The rows of an object; `None` if it has no Arrow data.
pub(crate) fn reader(object: &Bound<'_, PyAny>) -> PyResult<Option<Reader>> {
    if object.hasattr("__arrow_c_stream__")? {
        let capsule = object.call_method0("__arrow_c_stream__")?;
        let stream = stream(capsule.cast::<PyCapsule>()?)?;
        let reader = RecordBatchStreamReader::try_new(stream).map_err(|error| refused(object, &error))?;
        return Ok(Some(Box::new(reader)));
    }
    if object.hasattr("__arrow_c_array__")? {
        let capsules = object.call_method0("__arrow_c_array__")?;
        let capsules = capsules.cast::<PyTuple>()?;
        let (schema, array) = (capsules.get_item(0)?, capsules.get_item(1)?);
        let batch = batch(object, schema.cast::<PyCapsule>()?, array.cast::<PyCapsule>()?)?;
        let schema = batch.schema();
        return Ok(Some(Box::new(RecordBatchIterator::new([Ok(batch)], schema))));
    }
    Ok(None)
}

/// The error for types that Arrow's library for Rust does not support, and for data that are a single column.
fn refused(object: &Bound<'_, PyAny>, error: &ArrowError) -> PyErr {
    let class = object.get_type().name().map_or_else(|_| "?".into(), |name| name.to_string());
    failure::data(object.py(), format!("the Arrow data of a `{class}` cannot be read: {error}"))
}

fn stream(capsule: &Bound<'_, PyCapsule>) -> PyResult<FFI_ArrowArrayStream> {
    let pointer = capsule.pointer_checked(Some(STREAM))?.cast::<FFI_ArrowArrayStream>();
    // SAFETY: a capsule of this name holds such a struct, valid while the capsule lives. Moved out, it is marked as released, so that the
    // capsule's destructor leaves it alone.
    #[expect(unsafe_code, reason = "Arrow's C interface")]
    let stream = unsafe { FFI_ArrowArrayStream::from_raw(pointer.as_ptr()) };
    Ok(stream)
}

fn batch(
    object: &Bound<'_, PyAny>,
    schema: &Bound<'_, PyCapsule>,
    array: &Bound<'_, PyCapsule>,
) -> PyResult<RecordBatch> {
    let schema = schema.pointer_checked(Some(SCHEMA))?.cast::<FFI_ArrowSchema>();
    let array = array.pointer_checked(Some(ARRAY))?.cast::<FFI_ArrowArray>();
    // SAFETY: as above, for both structs.
    #[expect(unsafe_code, reason = "Arrow's C interface")]
    let (schema, array) =
        unsafe { (FFI_ArrowSchema::from_raw(schema.as_ptr()), FFI_ArrowArray::from_raw(array.as_ptr())) };
    // SAFETY: the producer says that the array is of this schema; lengths and offsets are checked here.
    #[expect(unsafe_code, reason = "Arrow's C interface")]
    let data = unsafe { from_ffi(array, &schema) }.map_err(|error| refused(object, &error))?;
    if !matches!(data.data_type(), DataType::Struct(_)) {
        return Err(failure::data(
            object.py(),
            "an Arrow array is one column without a name: pass a table or a record batch",
        ));
    }
    Ok(RecordBatch::from(StructArray::from(data)))
}

/// A capsule for `__arrow_c_stream__`.
pub(crate) fn of_reader<'py>(py: Python<'py>, reader: Reader) -> PyResult<Bound<'py, PyCapsule>> {
    PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(reader), STREAM)
}

/// A capsule for `__arrow_c_schema__`.
pub(crate) fn of_schema<'py>(py: Python<'py>, schema: &SchemaRef) -> PyResult<Bound<'py, PyCapsule>> {
    let schema = FFI_ArrowSchema::try_from(schema.as_ref()).map_err(|e| PyValueError::new_err(e.to_string()))?;
    PyCapsule::new_with_value(py, schema, SCHEMA)
}
