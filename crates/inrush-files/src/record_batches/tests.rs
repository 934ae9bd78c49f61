//! Record batches in many divisions, in a later run, and with errors.

use super::*;
use arrow_array::{ArrayRef, Int64Array, RecordBatchIterator, StringArray};
use arrow_schema::Schema;
use inrush_core::error::Kind;
use inrush_core::load::Batch;
use inrush_core::load::ledger::{ChunkLine, Identity};
use std::ops::Range;

/// Rows with these numbers, in batches of `n`.
fn numbered(rows: Range<i64>, n: usize) -> Box<dyn FileSource> {
    let rows: Vec<i64> = rows.collect();
    let batches: Vec<_> = rows.chunks(n).map(|some| Ok(batch(some))).collect();
    record_batches("numbers", RecordBatchIterator::new(batches, batch(&[]).schema()), &CsvOptions::default()).unwrap()
}

fn batch(ids: &[i64]) -> RecordBatch {
    let texts: StringArray = ids.iter().map(|id| Some(format!("row {id}"))).collect();
    let ids = Int64Array::from(ids.to_vec());
    RecordBatch::try_from_iter([("id", Arc::new(ids) as ArrayRef), ("text", Arc::new(texts))]).unwrap()
}

fn lines(source: &mut dyn FileSource) -> Vec<String> {
    let mut lines = Vec::new();
    while let Some(batch) = source.next().unwrap() {
        lines.extend((0..batch.rows.num_rows()).map(|row| String::from_utf8(batch.raw(row)).unwrap()));
    }
    lines
}

#[test]
fn no_row_is_lost_however_they_come() {
    let want: Vec<String> = (0..20_000).map(|id| format!("{id},row {id}\n")).collect();
    for n in [1, 7, 6_000, 20_000] {
        assert_eq!(lines(&mut *numbered(0..20_000, n)), want, "{n}");
    }
    assert_eq!(lines(&mut *numbered(0..0, 1)), [""; 0]);
}

#[test]
fn names_become_those_of_columns() {
    let column = |n: i64| Arc::new(Int64Array::from(vec![n])) as ArrayRef;
    let rows = RecordBatch::try_from_iter([("a ", column(1)), ("A", column(2)), ("", column(3))]).unwrap();
    let batches = RecordBatchIterator::new([Ok(rows.clone())], rows.schema());
    let options = CsvOptions::default().with_names(crate::dialect::HeaderNames::CleanUp);
    let mut source = record_batches("names", batches, &options).unwrap();
    assert_eq!(source.fields(), ["a", "A_2", "c3"]);
    let types = source.infer_types(1 << 20).unwrap();
    assert_eq!(types.iter().map(|field| &field.name[..]).collect::<Vec<_>>(), ["a", "A_2", "c3"]);
    assert_eq!(lines(&mut *source), ["1,2,3\n"]);
}

#[test]
fn the_first_rows_name_it_however_they_come() {
    let identity = |rows, n| -> Identity { numbered(rows, n).identity().unwrap().unwrap() };
    let want = identity(0..20_000, 20_000);
    assert_eq!((&want.name[..], want.size), ("numbers", None));
    for n in [1, 7, 6_000] {
        assert_eq!(identity(0..20_000, n), want, "{n}");
    }
    assert_ne!(identity(1..20_001, 7), want);
    assert_ne!(identity(0..10, 7), want);
}

/// Ten rows of a hundred, as the ledger has them.
fn stored(first: u64) -> ChunkLine {
    let batch = numbered(0..100, 100).next().unwrap().unwrap();
    let checksum = Batch { rows: batch.rows.slice(first as usize, 10), ..batch }.checksum();
    ChunkLine {
        span: first..first + 10,
        first_record: first + 1,
        records: 10,
        first_line: first + 1,
        lines: 10,
        rows: 10,
        skipped: 0,
        rejected: 0,
        checksum,
    }
}

#[test]
fn a_later_run_compares_what_is_stored() {
    let mut source = numbered(0..100, 30);
    source.resume(&[stored(0), stored(20)], true).unwrap();
    assert_eq!(lines(&mut *source).len(), 80);
    let mut other = numbered(1..101, 30);
    other.resume(&[stored(0)], true).unwrap();
    assert_eq!(other.next().unwrap_err().kind(), Kind::Guarantee);
}

fn error_of(last: std::result::Result<RecordBatch, ArrowError>) -> Error {
    let batches = RecordBatchIterator::new([Ok(batch(&[1])), last], batch(&[]).schema());
    record_batches("numbers", batches, &CsvOptions::default()).map(|_| ()).unwrap_err()
}

#[test]
fn errors_come_out_as_they_were() {
    let ours = Error::server(1317, *b"70100", "Query execution was interrupted");
    let error = error_of(Err(ArrowError::ExternalError(Box::new(ours))));
    assert_eq!(error.code(), 1317);
    assert!(error.to_string().contains("cannot read `numbers`"), "{error}");
    let error = error_of(Err(ArrowError::ParseError("no".into())));
    assert!(error.to_string().contains("cannot read `numbers`: Parser error: no"), "{error}");
    let other = RecordBatch::try_from_iter([("id", Arc::new(Int64Array::from(vec![1])) as ArrayRef)]).unwrap();
    assert!(error_of(Ok(other)).to_string().contains("other columns"));
    let none = RecordBatchIterator::new([], Arc::new(Schema::empty()));
    let error = record_batches("numbers", none, &CsvOptions::default()).map(|_| ()).unwrap_err();
    assert_eq!((error.kind(), error.message()), (Kind::Config, "`numbers` has no columns"));
}

/// A stream does not know its length. The caller may set it, and only the estimate of what is left depends on it.
#[test]
fn what_is_left_follows_from_the_rows_that_are_expected() {
    let mut source = numbered(0..20_000, 6_000);
    assert_eq!(source.bytes_left(), None);
    source.expect_rows(20_000);
    let left = source.bytes_left().unwrap();
    assert!((200_000..400_000).contains(&left), "{left}");
    source.set_batch_bytes(20_000);
    source.next().unwrap().unwrap();
    assert!(source.bytes_left().unwrap() < left);
    assert!(lines(&mut *source).len() > 15_000);
    assert_eq!(source.bytes_left(), Some(0));
    let mut wrong = numbered(0..20_000, 6_000);
    wrong.expect_rows(5);
    assert_eq!(lines(&mut *wrong).len(), 20_000);
}
