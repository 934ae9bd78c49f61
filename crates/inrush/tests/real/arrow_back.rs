//! Arrow into the servers: what was read as Arrow is written back and is the same, and types that no result has are stored as
//! they are meant.

use crate::batches::methods;
use crate::cases::{Route, Twin, in_cases};
use crate::types::{all_probes, filled};
use arrow_array::types::{Float16Type, Float32Type, Int8Type, Int32Type};
use arrow_array::*;
use inrush::sans_io::convert::Rows;
use inrush::{BatchOptions, BatchReport, InZone, Result};
use inrush_testkit::servers;
use jiff::tz::TimeZone;
use std::sync::Arc;

fn write(twin: &mut Twin, sql: &str, rows: &impl Rows, options: &BatchOptions) -> Result<BatchReport> {
    match twin {
        Twin::Blocking(c) => c.execute_batch_with(sql, rows, options),
        Twin::Tokio(c, runtime) => runtime.block_on(c.execute_batch_with(sql, rows, options)),
    }
}

fn read(twin: &mut Twin, sql: &str) -> Result<Vec<RecordBatch>> {
    match twin {
        Twin::Blocking(c) => c.query_arrow(sql, ()),
        Twin::Tokio(c, runtime) => runtime.block_on(c.query_arrow(sql, ())),
    }
}

#[test]
fn what_was_read_is_written_back_by_each_method() {
    in_cases(servers::with_local_infile(), &[Route::Tcp], |case| {
        let (schema, probes) = (case.server.schema("arrowback"), all_probes(case));
        let twin = filled(case, case.config(), schema.name(), &probes);
        drop(twin);
        let config = case.config().with_database(schema.name()).with_local_infile(true).with_multi_statements(true);
        let mut twin = case.open_with(&config);
        twin.execute("CREATE TABLE copy LIKE t").unwrap();
        let batches = read(&mut twin, "SELECT * FROM t ORDER BY id").unwrap();
        let insert = format!("INSERT INTO copy VALUES ({})", vec!["?"; batches[0].num_columns()].join(", "));
        for method in methods(case) {
            let options = BatchOptions::new().with_method(method);
            let report = write(&mut twin, &insert, &batches[0], &options).unwrap_or_else(|e| panic!("{method}: {e}"));
            assert_eq!((report.n_rows, report.affected, report.warnings), (4, 4, 0), "{method}");
            let copied = read(&mut twin, "SELECT * FROM copy ORDER BY id").unwrap();
            assert_eq!(copied, batches, "{method}");
            twin.execute("DELETE FROM copy").unwrap();
        }
    });
}

/// A column of two values, the type it goes into, and what the server says of them.
type Odd = (ArrayRef, &'static str, [&'static str; 2]);

fn odd() -> Vec<Odd> {
    let texts = StringArray::from(vec!["x", "y"]);
    let runs = RunArray::<Int32Type>::try_new(&Int32Array::from(vec![1, 2]), &texts).unwrap();
    let dictionary = DictionaryArray::<Int8Type>::new(Int8Array::from(vec![1, 0]), Arc::new(texts));
    let halves = [1.5, -2.5].map(|n: f32| <Float16Type as ArrowPrimitiveType>::Native::from_f32(n));
    let list = [[1.5, 2.0], [0.0, 1.0]].map(|numbers| Some(numbers.map(Some)));
    let list = FixedSizeListArray::from_iter_primitive::<Float32Type, _, _>(list, 2);
    vec![
        (Arc::new(dictionary), "VARCHAR(5)", ["y", "x"]),
        (Arc::new(runs), "VARCHAR(5)", ["x", "y"]),
        (Arc::new(Float16Array::from_iter_values(halves)), "FLOAT", ["1.5", "-2.5"]),
        (Arc::new(list), "VARBINARY(8)", ["\0\0\u{C0}?\0\0\0@", "\0\0\0\0\0\0\u{80}?"]),
        (Arc::new(LargeStringArray::from(vec!["ä", "€"])), "VARCHAR(5)", ["ä", "€"]),
        (Arc::new(Date64Array::from(vec![0, -86_400_000])), "DATE", ["1970-01-01", "1969-12-31"]),
        (Arc::new(Time32SecondArray::from(vec![0, 86_399])), "TIME", ["00:00:00", "23:59:59"]),
        (Arc::new(Time64NanosecondArray::from(vec![0, 1_000])), "TIME(6)", ["00:00:00.000000", "00:00:00.000001"]),
        (Arc::new(DurationMillisecondArray::from(vec![-1, 90_000_000])), "TIME(3)", ["-00:00:00.001", "25:00:00.000"]),
        (Arc::new(TimestampSecondArray::from(vec![0, 1])), "DATETIME", ["1970-01-01 00:00:00", "1970-01-01 00:00:01"]),
        (
            Arc::new(TimestampNanosecondArray::from(vec![-1_000, 0])),
            "DATETIME(6)",
            ["1969-12-31 23:59:59.999999", "1970-01-01 00:00:00.000000"],
        ),
        (
            Arc::new(TimestampMillisecondArray::from(vec![1_709_251_199_001, 0]).with_timezone("-05:00")),
            "DATETIME(3)",
            ["2024-03-01 01:59:59.001", "1970-01-01 02:00:00.000"],
        ),
        (
            Arc::new(Decimal32Array::from(vec![-5, 100]).with_precision_and_scale(9, 2).unwrap()),
            "DECIMAL(5,2)",
            ["-0.05", "1.00"],
        ),
        (
            Arc::new(Decimal64Array::from(vec![-5, 100]).with_precision_and_scale(18, -2).unwrap()),
            "DECIMAL(8,0)",
            ["-500", "10000"],
        ),
    ]
}

#[test]
fn types_that_no_result_has() {
    in_cases(servers::with_local_infile(), &[Route::Tcp], |case| {
        let schema = case.server.schema("arrowodd");
        let mut twin = case.open_with(&case.config().with_database(schema.name()));
        for (array, ty, want) in odd() {
            twin.execute(&format!("CREATE TABLE t (id INT PRIMARY KEY, c {ty})")).unwrap();
            let ids: ArrayRef = Arc::new(Int32Array::from(vec![1, 2]));
            let kind = array.data_type().clone();
            let batch = RecordBatch::try_from_iter([("id", ids), ("c", array)]).unwrap();
            let zone = TimeZone::fixed(jiff::tz::offset(2));
            let insert = "INSERT INTO t (id, c) VALUES (:id, :c)";
            let report = write(&mut twin, insert, &InZone(&batch, zone), &BatchOptions::new())
                .unwrap_or_else(|e| panic!("{kind}: {e}"));
            assert_eq!((report.affected, report.warnings), (2, 0), "{kind}");
            for (id, want) in (1..).zip(want) {
                // Bytes are given as the characters of their numbers.
                let byte = |c: char| format!("{:02X}", u32::from(c));
                let hex: String = match ty.starts_with("VARBINARY") {
                    true => want.chars().map(byte).collect(),
                    false => want.bytes().map(char::from).map(byte).collect(),
                };
                let sql = format!("SELECT HEX(CONCAT(c)) FROM t WHERE id = {id}");
                assert_eq!(twin.ask(&sql), hex, "{kind}: {want}");
            }
            twin.execute("DROP TABLE t").unwrap();
        }
    });
}
