//! Values that no column holds, made such as one does, on request: NaN as NULL (`nan="null"`), times to the microsecond
//! (`nanoseconds="truncate"`). Without it they fail their checks.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, DurationMicrosecondType, DurationNanosecondType, Float16Type, Float32Type, Float64Type,
    Time64MicrosecondType, Time64NanosecondType, TimestampMicrosecondType, TimestampNanosecondType,
};
use arrow_array::{Array, ArrayRef, PrimitiveArray, RecordBatch, RecordBatchReader};
use arrow_buffer::NullBuffer;
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef, TimeUnit};
use std::sync::Arc;

/// What is to be done.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Taming {
    pub(crate) nan_is_null: bool,
    pub(crate) truncates: bool,
}

/// The same rows with such values.
pub(crate) struct Tamed<R> {
    batches: R,
    schema: SchemaRef,
    taming: Taming,
}

impl<R: RecordBatchReader> Tamed<R> {
    pub(crate) fn new(batches: R, taming: Taming) -> Self {
        let schema = batches.schema();
        let fields: Vec<Field> = schema.fields().iter().map(|field| taming.field(field)).collect();
        Self { batches, schema: Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone())), taming }
    }
}

impl Taming {
    fn field(self, field: &Field) -> Field {
        use TimeUnit::{Microsecond, Nanosecond};
        let field = field.clone();
        match field.data_type() {
            ty if ty.is_floating() && self.nan_is_null => field.with_nullable(true),
            DataType::Timestamp(Nanosecond, zone) if self.truncates => {
                let ty = DataType::Timestamp(Microsecond, zone.clone());
                field.with_data_type(ty)
            }
            DataType::Time64(Nanosecond) if self.truncates => field.with_data_type(DataType::Time64(Microsecond)),
            DataType::Duration(Nanosecond) if self.truncates => field.with_data_type(DataType::Duration(Microsecond)),
            _ => field,
        }
    }

    fn column(self, column: &ArrayRef) -> ArrayRef {
        use TimeUnit::Nanosecond;
        match column.data_type() {
            DataType::Float16 if self.nan_is_null => replaced::<Float16Type>(column, |value| value.is_nan()),
            DataType::Float32 if self.nan_is_null => replaced::<Float32Type>(column, |value| value.is_nan()),
            DataType::Float64 if self.nan_is_null => replaced::<Float64Type>(column, |value| value.is_nan()),
            DataType::Timestamp(Nanosecond, zone) if self.truncates => {
                let zone = zone.clone();
                let array = column.as_primitive::<TimestampNanosecondType>();
                Arc::new(array.unary::<_, TimestampMicrosecondType>(to_micros).with_timezone_opt(zone))
            }
            DataType::Time64(Nanosecond) if self.truncates => {
                let array = column.as_primitive::<Time64NanosecondType>();
                Arc::new(array.unary::<_, Time64MicrosecondType>(to_micros))
            }
            DataType::Duration(Nanosecond) if self.truncates => {
                let array = column.as_primitive::<DurationNanosecondType>();
                Arc::new(array.unary::<_, DurationMicrosecondType>(|nanos| nanos / 1000))
            }
            _ => column.clone(),
        }
    }
}

/// Of a moment: the digits go, before 1970 as well as after it.
fn to_micros(nanos: i64) -> i64 {
    nanos.div_euclid(1000)
}

impl<R: RecordBatchReader> Iterator for Tamed<R> {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let batch = match self.batches.next()? {
            Ok(batch) => batch,
            Err(error) => return Some(Err(error)),
        };
        let columns = batch.columns().iter().map(|column| self.taming.column(column)).collect();
        Some(RecordBatch::try_new(self.schema.clone(), columns))
    }
}

impl<R: RecordBatchReader> RecordBatchReader for Tamed<R> {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}

/// NULL in the place of what is no number.
fn replaced<T: ArrowPrimitiveType>(column: &ArrayRef, is_nan: impl Fn(T::Native) -> bool) -> ArrayRef {
    let array = column.as_primitive::<T>();
    if !array.values().iter().any(|value| is_nan(*value)) {
        return column.clone();
    }
    let numbers = NullBuffer::from_iter(array.values().iter().map(|value| !is_nan(*value)));
    let nulls = NullBuffer::union(array.nulls(), Some(&numbers));
    Arc::new(PrimitiveArray::<T>::new(array.values().clone(), nulls))
}
