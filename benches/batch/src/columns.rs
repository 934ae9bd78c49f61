//! The rows as a `RecordBatch`.

use crate::Person;
use arrow_array::{
    Array, ArrayRef, Float64Array, Int32Array, Int64Array, RecordBatch, StringArray, TimestampMicrosecondArray,
};
use arrow_schema::ArrowError;
use bench_lib::Result;
use jiff::civil::DateTime;
use std::sync::Arc;

pub(crate) fn of(people: &[Person]) -> Result<RecordBatch, ArrowError> {
    let column = |name, array: ArrayRef| (name, array);
    RecordBatch::try_from_iter([
        column("id", Arc::new(Int64Array::from_iter_values(people.iter().map(|person| person.0)))),
        column("name", Arc::new(StringArray::from_iter_values(people.iter().map(|person| &person.1)))),
        column("age", Arc::new(Int32Array::from_iter_values(people.iter().map(|person| person.2)))),
        column("email", Arc::new(StringArray::from_iter_values(people.iter().map(|person| &person.3)))),
        column("score", Arc::new(Float64Array::from_iter_values(people.iter().map(|person| person.4)))),
        column(
            "created",
            Arc::new(TimestampMicrosecondArray::from_iter_values(people.iter().map(|person| micros(person.5)))),
        ),
    ])
}

/// As `people::renumber` does.
pub(crate) fn renumber(batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
    let ids = batch.column(0).as_any().downcast_ref::<Int64Array>().expect("made so");
    let mut columns = batch.columns().to_vec();
    columns[0] = Arc::new(Int64Array::from_iter_values(ids.values().iter().map(|id| id + batch.num_rows() as i64)));
    RecordBatch::try_new(batch.schema(), columns)
}

fn micros(moment: DateTime) -> i64 {
    moment.to_zoned(jiff::tz::TimeZone::UTC).expect("a moment of this century").timestamp().as_microsecond()
}
