//! Times to the microsecond, on request (`nanoseconds="truncate"`). Without it a finer one fails its check.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    DurationMicrosecondType, DurationNanosecondType, Time64MicrosecondType, Time64NanosecondType,
    TimestampMicrosecondType, TimestampNanosecondType,
};
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchOptions, RecordBatchReader};
use arrow_schema::TimeUnit::{Microsecond, Nanosecond};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use std::sync::Arc;

/// The same rows with such times.
pub(crate) struct Truncated<R> {
    batches: R,
    schema: SchemaRef,
}

impl<R: RecordBatchReader> Truncated<R> {
    pub(crate) fn new(batches: R) -> Self {
        let schema = batches.schema();
        let fields: Vec<Field> = schema.fields().iter().map(|field| truncated_field(field)).collect();
        Self { batches, schema: Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone())) }
    }
}

fn truncated_field(field: &Field) -> Field {
    let ty = match field.data_type() {
        DataType::Timestamp(Nanosecond, zone) => DataType::Timestamp(Microsecond, zone.clone()),
        DataType::Time64(Nanosecond) => DataType::Time64(Microsecond),
        DataType::Duration(Nanosecond) => DataType::Duration(Microsecond),
        other => other.clone(),
    };
    field.clone().with_data_type(ty)
}

fn truncated(column: &ArrayRef) -> ArrayRef {
    match column.data_type() {
        DataType::Timestamp(Nanosecond, zone) => {
            let array = column.as_primitive::<TimestampNanosecondType>();
            Arc::new(array.unary::<_, TimestampMicrosecondType>(to_micros).with_timezone_opt(zone.clone()))
        }
        DataType::Time64(Nanosecond) => {
            let array = column.as_primitive::<Time64NanosecondType>();
            Arc::new(array.unary::<_, Time64MicrosecondType>(to_micros))
        }
        DataType::Duration(Nanosecond) => {
            let array = column.as_primitive::<DurationNanosecondType>();
            Arc::new(array.unary::<_, DurationMicrosecondType>(|nanos| nanos / 1000))
        }
        _ => column.clone(),
    }
}

/// For a moment: cuts the digits beyond microseconds, before 1970 as well as after it.
fn to_micros(nanos: i64) -> i64 {
    nanos.div_euclid(1000)
}

impl<R: RecordBatchReader> Iterator for Truncated<R> {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let batch = match self.batches.next()? {
            Ok(batch) => batch,
            Err(error) => return Some(Err(error)),
        };
        let columns = batch.columns().iter().map(truncated).collect();
        let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        Some(RecordBatch::try_new_with_options(self.schema.clone(), columns, &options))
    }
}

impl<R: RecordBatchReader> RecordBatchReader for Truncated<R> {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}
