//! Loads of a program's own record batches: a table into another one, on a second run refused, and a load that nobody waits for.

use crate::place::{Place, everywhere};
use arrow_array::{ArrayRef, Int64Array, RecordBatch, RecordBatchIterator, RecordBatchReader};
use inrush::{ArrowOptions, Config, Kind, Loader, blocking};
use inrush_files::{CsvOptions, record_batches};
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Waker};

fn config(place: &Place) -> Config {
    Config::from_url(&place.schema.url()).unwrap()
}

/// Small chunks, so that there are many.
fn options() -> CsvOptions {
    CsvOptions::default().with_batch_rows(Some(2000))
}

fn load(
    place: &Place,
    into: &str,
    name: &str,
    batches: impl RecordBatchReader + Send + 'static,
) -> inrush::Result<u64> {
    let source = record_batches(name, batches, &options())?;
    let report = Loader::new(config(place), into).load(vec![source])?;
    assert!(report.stop.is_none(), "{:?}", report.stop);
    Ok(report.stored - report.resumed.rows)
}

#[test]
fn a_query_goes_into_a_table_once() {
    everywhere("batches_once", |place| {
        let columns = "id INT PRIMARY KEY, n DECIMAL(20,4), day DATE, at DATETIME(6), b VARBINARY(9), t TEXT, f DOUBLE";
        place.sql(&format!("CREATE TABLE old ({columns}); CREATE TABLE new ({columns})"));
        place.sql(
            "INSERT INTO old VALUES (1, -1.5, '2024-02-29', '1999-12-31 23:59:59.999999', x'00FF', 'ä\\n', 1e-300), \
             (2, NULL, NULL, NULL, NULL, NULL, NULL), (3, 9999999999999999.9999, '9999-12-31', '1000-01-01', x'', '', 0.1)",
        );
        let query = || {
            let connection = blocking::Connection::connect(config(place)).unwrap();
            let options = ArrowOptions::default().with_batch_rows(2);
            blocking::ResultBatches::open(connection, "SELECT * FROM old ORDER BY id", (), &options).unwrap()
        };
        assert_eq!(load(place, "new", "old rows", query()).unwrap(), 3);
        let rows = |table| place.sql(&format!("SELECT id, n, day, at, HEX(b), HEX(t), f FROM {table} ORDER BY id"));
        assert_eq!(rows("new"), rows("old"));
        let again = load(place, "new", "old rows", query()).unwrap_err();
        assert_eq!(again.kind(), Kind::Guarantee, "{again}");
        assert!(again.to_string().contains("a stream that begins like `old rows, begins with "), "{again}");
        assert_eq!(place.sql("SELECT COUNT(*) FROM new"), "3");
    });
}

/// A query that is killed under way is an error of the load, and nothing of it stays unreported.
#[test]
fn a_query_that_fails_stops_the_load() {
    everywhere("batches_fail", |place| {
        place.sql("CREATE TABLE n (id BIGINT PRIMARY KEY)");
        let schema = numbers(0..1).schema();
        let fails = arrow_schema::ArrowError::ExternalError(Box::new(inrush::Error::server(1317, *b"70100", "killed")));
        let batches = (0..40).map(|i| Ok(numbers(i * 1000..(i + 1) * 1000))).chain([Err(fails)]);
        let source = record_batches("numbers", RecordBatchIterator::new(batches, schema), &options()).unwrap();
        let report = Loader::new(config(place), "n").load(vec![source]).unwrap();
        let stop = format!("{:?}", report.stop);
        assert!(stop.contains("killed") && stop.contains("cannot read `numbers`"), "{stop}");
        assert_eq!(place.sql("SELECT COUNT(*) FROM n"), report.stored.to_string());
    });
}

/// The future is dropped while the load runs: it ends by itself, between two chunks, and the same load goes on there.
#[test]
fn a_load_that_nobody_waits_for_stops() {
    everywhere("batches_dropped", |place| {
        place.sql("CREATE TABLE n (id BIGINT PRIMARY KEY)");
        // As fast as the lanes take them; more than any machine loads before it is asked to stop.
        let batches = |end: i64| {
            let batches = (0..end).map(|i| Ok(numbers(i * 1000..(i + 1) * 1000)));
            RecordBatchIterator::new(batches, numbers(0..1).schema())
        };
        let source = record_batches("numbers", batches(1 << 40), &options()).unwrap();
        let loader = Loader::new(config(place), "n");
        let control = loader.control();
        let mut running = Box::pin(loader.load_async(vec![source]));
        assert!(pin!(&mut running).poll(&mut Context::from_waker(Waker::noop())).is_pending());
        while control.snapshot().stored == 0 {
            // Beside ours there is the future's, and the thread's as long as it runs.
            assert!(Arc::strong_count(&control) > 2, "the load has ended by itself");
            std::thread::yield_now();
        }
        drop(running);
        assert!(control.is_stopping());
        // The thread lets go of its handle when it is over.
        while Arc::strong_count(&control) > 1 {
            std::thread::yield_now();
        }
        let stored = control.snapshot().stored;
        assert_eq!(place.sql("SELECT COUNT(*) FROM n"), stored.to_string());
        // Not every chunk before the last one that is stored need be.
        let last: i64 = place.sql("SELECT MAX(id) FROM n").parse().unwrap();
        let end = last / 1000 + 20;
        let rest = load(place, "n", "numbers", batches(end)).unwrap();
        assert_eq!(rest, end as u64 * 1000 - stored);
        assert_eq!(place.sql("SELECT COUNT(*), MAX(id) FROM n"), format!("{},{}", end * 1000, end * 1000 - 1));
    });
}

fn numbers(ids: std::ops::Range<i64>) -> RecordBatch {
    RecordBatch::try_from_iter([("id", Arc::new(Int64Array::from_iter_values(ids)) as ArrayRef)]).unwrap()
}
