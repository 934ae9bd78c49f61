//! NaN as NULL: what programs write where a number is missing, and no column of a server holds.

use arrow_array::cast::AsArray;
use arrow_array::types::{Float16Type, Float32Type, Float64Type};
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType, PrimitiveArray, RecordBatch, RecordBatchOptions};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, Field, Schema};
use std::sync::Arc;

/// The rows with NULL in the place of NaN. Numbers within lists and objects stay.
pub(super) fn without_nan(rows: RecordBatch) -> RecordBatch {
    let columns: Vec<ArrayRef> = rows.columns().iter().map(replaced).collect();
    let nullable = |field: &Arc<Field>| match field.data_type().is_floating() {
        true => Arc::new(field.as_ref().clone().with_nullable(true)),
        false => field.clone(),
    };
    let schema = rows.schema();
    let fields: Vec<Arc<Field>> = schema.fields().iter().map(nullable).collect();
    let schema = Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()));
    let options = RecordBatchOptions::new().with_row_count(Some(rows.num_rows()));
    // The columns have the lengths and the types that they had.
    RecordBatch::try_new_with_options(schema, columns, &options).unwrap_or(rows)
}

fn replaced(column: &ArrayRef) -> ArrayRef {
    match column.data_type() {
        DataType::Float16 => of_type::<Float16Type>(column, |value| value.is_nan()),
        DataType::Float32 => of_type::<Float32Type>(column, |value| value.is_nan()),
        DataType::Float64 => of_type::<Float64Type>(column, |value| value.is_nan()),
        _ => column.clone(),
    }
}

fn of_type<T: ArrowPrimitiveType>(column: &ArrayRef, is_nan: impl Fn(T::Native) -> bool) -> ArrayRef {
    let array = column.as_primitive::<T>();
    if !array.values().iter().any(|value| is_nan(*value)) {
        return column.clone();
    }
    let numbers = NullBuffer::from_iter(array.values().iter().map(|value| !is_nan(*value)));
    let nulls = NullBuffer::union(array.nulls(), Some(&numbers));
    Arc::new(PrimitiveArray::<T>::new(array.values().clone(), nulls))
}
