//! Results as Arrow: every type in both forms, whole and in pieces, and what is refused.

use crate::cases::{Route, Twin, everywhere, in_cases};
use crate::types::{all_probes, both_forms, filled};
use arrow_array::cast::AsArray as _;
use arrow_array::types::{Float32Type, Int64Type, UInt64Type};
use arrow_array::{Array as _, RecordBatch};
use arrow_schema::{DataType, TimeUnit};
use inrush::sans_io::convert::arrow::Batches;
use inrush::{ArrowOptions, InvalidDates, Kind, Result, ResultSet};
use inrush_testkit::servers::{self, Vendor};

fn query_arrow(twin: &mut Twin, sql: &str) -> Result<Vec<RecordBatch>> {
    match twin {
        Twin::Blocking(c) => c.query_arrow(sql, ()),
        Twin::Tokio(c, runtime) => runtime.block_on(c.query_arrow(sql, ())),
    }
}

/// Reads at most `most` batches, and drops the rest.
fn read(twin: &mut Twin, sql: &str, options: &ArrowOptions, most: usize) -> Result<Vec<RecordBatch>> {
    macro_rules! read {
        ($connection:expr $(, $wait:tt)?) => {{
            let mut batches = $connection.query_arrow_iter(sql, (), options)$(.$wait)??;
            let mut read = Vec::new();
            while read.len() < most
                && let Some(batch) = batches.next_batch()$(.$wait)??
            {
                assert_eq!(&batch.schema(), batches.schema());
                read.push(batch);
            }
            Ok(read)
        }};
    }
    match twin {
        Twin::Blocking(connection) => read!(connection),
        Twin::Tokio(connection, runtime) => runtime.block_on(async { read!(connection, await) }),
    }
}

fn batch(result: &ResultSet) -> RecordBatch {
    let mut batches = Batches::new(result.columns(), &ArrowOptions::default());
    for row in result.rows() {
        assert!(batches.push(row).unwrap().is_none());
    }
    batches.finish().unwrap().unwrap()
}

#[test]
fn every_type_is_the_same_in_both_forms() {
    in_cases(servers::all(), &[Route::Tcp], |case| {
        let (schema, probes) = (case.server.schema("arrow"), all_probes(case));
        let mut twin = filled(case, case.config(), schema.name(), &probes);
        let [text, binary] = both_forms(&mut twin).map(|result| batch(&result));
        assert_eq!(text.num_columns(), probes.len() + 1);
        for (i, (text, binary)) in text.columns().iter().zip(binary.columns()).enumerate() {
            assert_eq!(text, binary, "c{i}");
            // Two rows of values, two of NULLs; the first column is the id.
            assert_eq!(text.null_count(), if i == 0 { 0 } else { 2 }, "c{i}");
        }
        let sql = "SELECT * FROM t ORDER BY id";
        assert_eq!(query_arrow(&mut twin, sql).unwrap(), std::slice::from_ref(&binary));
        let one_each = ArrowOptions::default().with_batch_rows(1);
        let rows = read(&mut twin, sql, &one_each, usize::MAX).unwrap();
        assert_eq!(rows, (0..4).map(|i| binary.slice(i, 1)).collect::<Vec<_>>());
    });
}

#[test]
fn types_are_what_the_columns_say() {
    everywhere(|case| {
        let mut twin = case.open();
        let sql = "SELECT CAST(1.5 AS DECIMAL(65,30)) d, 18446744073709551615 u, DATE'2024-02-29' a, TIME'-01:00:00' t, \
                   TIMESTAMP'2024-02-29 00:00:00' m, 'x' s, x'FF' b, NULL n";
        let batches = query_arrow(&mut twin, sql).unwrap();
        let types: Vec<_> = batches[0].schema().fields().iter().map(|field| field.data_type().clone()).collect();
        let micros = TimeUnit::Microsecond;
        let want = [
            DataType::Decimal256(65, 30),
            DataType::UInt64,
            DataType::Date32,
            DataType::Duration(micros),
            DataType::Timestamp(micros, None),
            DataType::Utf8,
            DataType::Binary,
            DataType::Null,
        ];
        assert_eq!(types, want);
        assert!(!batches[0].schema().field(5).is_nullable());
    });
}

#[test]
fn floats_lose_nothing_without_values_either() {
    everywhere(|case| {
        let schema = case.server.schema("arrowfloat");
        let mut twin = case.open_with(&case.config().with_database(schema.name()));
        twin.execute("CREATE TABLE t (f FLOAT)").unwrap();
        twin.execute("INSERT INTO t VALUES (16777216), (0.1)").unwrap();
        assert_eq!(twin.ask("SELECT f FROM t LIMIT 1"), "16777200");
        let batches = query_arrow(&mut twin, "SELECT f FROM t").unwrap();
        assert_eq!(batches[0].column(0).as_primitive::<Float32Type>().values(), &[16_777_216.0, 0.1]);
    });
}

const COUNT: &str =
    "WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 900) SELECT n, REPEAT('x', n) x FROM s";

#[test]
fn a_result_comes_in_pieces_and_may_be_left() {
    everywhere(|case| {
        let mut twin = case.open();
        let options = ArrowOptions::default().with_batch_rows(400);
        let batches = read(&mut twin, COUNT, &options, usize::MAX).unwrap();
        assert_eq!(batches.iter().map(RecordBatch::num_rows).collect::<Vec<_>>(), [400, 400, 100]);
        let small = ArrowOptions::default().with_batch_bytes(10_000);
        let batches = read(&mut twin, COUNT, &small, usize::MAX).unwrap();
        assert_eq!(batches.iter().map(RecordBatch::num_rows).sum::<usize>(), 900);
        assert!(batches.len() > 40, "{}", batches.len());
        assert_eq!(read(&mut twin, COUNT, &options, 1).unwrap().len(), 1);
        assert_eq!(twin.ask("SELECT 'on'"), "on");
    });
}

#[test]
fn no_rows_and_no_result() {
    everywhere(|case| {
        let mut twin = case.open();
        let batches = query_arrow(&mut twin, "SELECT 1 AS n FROM (SELECT 1) AS t WHERE 1 = 0").unwrap();
        assert_eq!((batches.len(), batches[0].num_rows(), batches[0].num_columns()), (1, 0, 1));
        assert!(query_arrow(&mut twin, "SET @a = 1").unwrap().is_empty());
        assert_eq!(twin.ask("SELECT @a"), "1");
    });
}

#[test]
fn what_cannot_be_prepared_comes_as_text() {
    everywhere(|case| {
        let mut twin = case.open();
        let help = "HELP 'no such topic'";
        let prepared = twin.prepare(help).and_then(|statement| twin.query_result_sets(&statement, &[]));
        // MariaDB can prepare whatever has a result set.
        assert_eq!(prepared.err().map_or(0, |e| e.code()), if case.server.vendor == Vendor::Mysql { 1295 } else { 0 });
        let batches = query_arrow(&mut twin, help).unwrap();
        assert_eq!(batches[0].num_rows(), 0);
        assert_eq!(query_arrow(&mut twin, "SELEKT 1").unwrap_err().code(), 1064);
        let batches = query_arrow(&mut twin, "SELECT 7").unwrap();
        assert_eq!(batches[0].num_rows(), 1);
    });
}

#[test]
fn values_reach_the_statement() {
    everywhere(|case| {
        let mut twin = case.open();
        let sql = "SELECT CAST(? AS UNSIGNED) AS u, CAST(? AS SIGNED) AS i";
        let batches = match &mut twin {
            Twin::Blocking(c) => c.query_arrow(sql, (u64::MAX, i64::MIN)),
            Twin::Tokio(c, runtime) => runtime.block_on(c.query_arrow(sql, (u64::MAX, i64::MIN))),
        }
        .unwrap();
        assert_eq!(batches[0].column(0).as_primitive::<UInt64Type>().values(), &[u64::MAX]);
        assert_eq!(batches[0].column(1).as_primitive::<Int64Type>().values(), &[i64::MIN]);
    });
}

#[test]
fn invalid_dates_by_each_choice() {
    in_cases(servers::all(), &[Route::Tcp], |case| {
        let schema = case.server.schema("arrowdates");
        let mut twin = case.open_with(&case.config().with_database(schema.name()));
        twin.execute("SET SESSION sql_mode = 'ALLOW_INVALID_DATES'").unwrap();
        twin.execute("CREATE TABLE t (d DATE NOT NULL)").unwrap();
        twin.execute("INSERT INTO t VALUES ('2024-02-29'), ('0000-00-00'), ('2024-02-31')").unwrap();
        let sql = "SELECT d FROM t";
        let read = |twin: &mut Twin, invalid_dates| {
            let options = ArrowOptions::default().with_invalid_dates(invalid_dates);
            read(twin, sql, &options, usize::MAX).map(|batches| batches[0].column(0).clone())
        };
        let error = read(&mut twin, InvalidDates::Refuse).unwrap_err();
        let want = "column `d` holds `0000-00-00` in row 2, which is a day that no calendar has";
        assert_eq!((error.kind(), error.message(), error.is_fatal()), (Kind::Data, want, false));
        assert_eq!(twin.ask("SELECT 'on'"), "on");
        let dates = read(&mut twin, InvalidDates::Null).unwrap();
        assert_eq!((dates.is_null(0), dates.is_null(1), dates.is_null(2)), (false, true, true));
        let texts = read(&mut twin, InvalidDates::Text).unwrap();
        let texts: Vec<_> = texts.as_string::<i32>().iter().flatten().collect();
        assert_eq!(texts, ["2024-02-29", "0000-00-00", "2024-02-31"]);
    });
}

#[test]
fn a_collected_result_has_a_limit() {
    in_cases(servers::all(), &[Route::Tcp], |case| {
        let mut twin = case.open_with(&case.config().with_max_result(50_000));
        let error = query_arrow(&mut twin, COUNT).unwrap_err();
        assert!(error.message().contains("more than 50000 bytes") && !error.is_fatal(), "{error}");
        assert_eq!(twin.ask("SELECT 'on'"), "on");
    });
}
