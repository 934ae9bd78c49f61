//! Rows as Arrow: text and binary, all at once and batch by batch, hold what a row says.

use super::{COLUMNS, COMPUTED, of_one_server};
use crate::cases::{Route, in_cases};
use crate::twins::with_twin;
use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, TimeUnit};
use inrush::{ArrowOptions, FromValue, OwnedRow};
use inrush_testkit::servers;
use jiff::{SignedDuration, civil};
use std::fmt::Debug;

#[test]
fn arrow_holds_what_a_row_says() {
    in_cases(servers::with_local_infile(), &[Route::Unix], |case| {
        let schema = case.server.schema("waysarrow");
        let columns: Vec<_> = COLUMNS.iter().chain(of_one_server(case)).collect();
        let declared: Vec<_> = columns.iter().enumerate().map(|(i, (ty, _))| format!("c{i} {ty}")).collect();
        let literals: Vec<_> = columns.iter().map(|(_, literal)| *literal).collect();
        let config = case.config().with_database(schema.name()).with_time_zone("+02:00").unwrap();
        with_twin!(case, config, connection => {
            wait!(connection.execute(&format!("CREATE TABLE t ({})", declared.join(", ")), ())).unwrap();
            wait!(connection.execute(&format!("INSERT INTO t VALUES ({})", literals.join(", ")), ())).unwrap();
            let mut differ = Vec::new();
            for sql in ["SELECT * FROM t", &format!("SELECT {COMPUTED} FROM t")] {
                let prepared = wait!(connection.prepare(sql)).unwrap();
                let row: OwnedRow = wait!(connection.query_one(&prepared, ())).unwrap();
                let mut batches: Vec<(&str, RecordBatch)> = vec![
                    ("text", wait!(connection.query_arrow(sql, ())).unwrap().remove(0)),
                    ("binary", wait!(connection.query_arrow(&prepared, ())).unwrap().remove(0)),
                ];
                let options = ArrowOptions::default();
                let mut iter = wait!(connection.query_arrow_iter(sql, (), &options)).unwrap();
                batches.push(("text, one by one", wait!(iter.next_batch()).unwrap().unwrap()));
                drop(iter);
                let mut iter = wait!(connection.query_arrow_iter(&prepared, (), &options)).unwrap();
                batches.push(("binary, one by one", wait!(iter.next_batch()).unwrap().unwrap()));
                drop(iter);
                for (way, batch) in batches {
                    assert_eq!((batch.num_rows(), batch.num_columns()), (1, row.columns().len()), "{way}");
                    for (at, (array, field)) in batch.columns().iter().zip(batch.schema_ref().fields()).enumerate() {
                        let (cell, want) = cell(array, &row, at);
                        if cell != want {
                            differ.push(format!("{way}, {} as {}: {cell}\n    and not {want}", field.name(), field.data_type()));
                        }
                    }
                }
            }
            assert!(differ.is_empty(), "{}: {} differ:\n{}", case.server.name, differ.len(), differ.join("\n"));
        });
    });
}

/// The first cell of the array, and what the row has there as the Rust type that goes with the array's.
fn cell(array: &ArrayRef, row: &OwnedRow, at: usize) -> (String, String) {
    fn read<'r, T: FromValue<'r> + Debug>(row: &'r OwnedRow, at: usize) -> String {
        row.get::<T>(at).map_or_else(|error| error.to_string(), |value| format!("{value:?}"))
    }
    macro_rules! number {
        ($arrow:ty, $rust:ty) => {
            (format!("{:?}", array.as_primitive::<$arrow>().value(0)), read::<$rust>(row, at))
        };
    }
    let micros = SignedDuration::from_micros;
    if array.is_null(0) {
        return ("None".into(), read::<Option<i64>>(row, at));
    }
    match array.data_type() {
        DataType::Boolean => (format!("{:?}", array.as_boolean().value(0)), read::<bool>(row, at)),
        DataType::Int8 => number!(Int8Type, i8),
        DataType::Int16 => number!(Int16Type, i16),
        DataType::Int32 => number!(Int32Type, i32),
        DataType::Int64 => number!(Int64Type, i64),
        DataType::UInt8 => number!(UInt8Type, u8),
        DataType::UInt16 => number!(UInt16Type, u16),
        DataType::UInt32 => number!(UInt32Type, u32),
        DataType::UInt64 => number!(UInt64Type, u64),
        DataType::Float32 => number!(Float32Type, f32),
        DataType::Float64 => number!(Float64Type, f64),
        DataType::Decimal128(..) => {
            let want = row.get::<bigdecimal::BigDecimal>(at).unwrap().to_string();
            (array.as_primitive::<Decimal128Type>().value_as_string(0), want)
        }
        DataType::Date32 => {
            let days = SignedDuration::from_hours(24 * i64::from(array.as_primitive::<Date32Type>().value(0)));
            (format!("{:?}", civil::date(1970, 1, 1) + days), read::<civil::Date>(row, at))
        }
        DataType::Timestamp(TimeUnit::Microsecond, None) => {
            let clock = micros(array.as_primitive::<TimestampMicrosecondType>().value(0));
            (format!("{:?}", civil::date(1970, 1, 1).at(0, 0, 0, 0) + clock), read::<civil::DateTime>(row, at))
        }
        DataType::Duration(TimeUnit::Microsecond) => {
            let time = micros(array.as_primitive::<DurationMicrosecondType>().value(0));
            (format!("{time:?}"), read::<SignedDuration>(row, at))
        }
        DataType::Utf8 => (format!("{:?}", array.as_string::<i32>().value(0)), read::<String>(row, at)),
        DataType::Binary => (format!("{:?}", array.as_binary::<i32>().value(0)), read::<Vec<u8>>(row, at)),
        DataType::List(_) => {
            let list = array.as_list::<i32>().value(0);
            (format!("{:?}", list.as_primitive::<Float32Type>().values().to_vec()), read::<Vec<f32>>(row, at))
        }
        other => (format!("a cell of {other}"), "a type that is listed".into()),
    }
}
