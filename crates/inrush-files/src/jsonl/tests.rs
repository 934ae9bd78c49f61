//! Files of JSON Lines: their fields, their rows, their bad lines; left out in parts.

use super::*;
use crate::dialect::{TableColumn, TableColumns};
use arrow_array::Array;
use arrow_array::cast::AsArray;
use inrush_core::column::ColumnType;

#[test]
fn names_become_columns_in_the_order_of_their_appearance() {
    let mut reader = reader(
        "{\"id\":1,\"name\":\"Ann\"}\n\n{\"name\":\"B\\u00f6b\",\"id\":2,\"at\":null}\r\n{\"at\":[1, 2],\"id\":3}",
    );
    assert_eq!(reader.fields(), ["id", "name", "at"]);
    assert_eq!(rows(&mut reader), ["1|Ann|(null)", "2|Böb|(null)", "3|(null)|[1, 2]"]);
}

#[test]
fn numbers_keep_their_digits_and_words_become_numbers() {
    let text = "{\"n\":12345678901234567890.123456789012345678901234567890,\"b\":true}\n{\"n\":1E5,\"b\":false}\n";
    assert_eq!(rows(&mut reader(text)), ["12345678901234567890.123456789012345678901234567890|1", "1E5|0"]);
}

#[test]
fn a_json_column_takes_values_as_they_stand() {
    let mut reader =
        reader("{\"j\":\"a \\\"b\\\"\",\"t\":\"a \\\"b\\\"\"}\n{\"j\":true,\"t\":{}}\n{\"j\":{\"x\":1},\"t\":null}\n");
    let json = FieldUse { index: 0, column_kind: ColumnKind::Json, ..FieldUse::default() };
    reader.select(&[json, FieldUse { index: 1, ..FieldUse::default() }]);
    assert_eq!(rows(&mut reader), [r#""a \"b\""|a "b""#, "true|{}", r#"{"x":1}|(null)"#]);
}

#[test]
fn bad_lines_are_rejects_with_their_lines() {
    let text = b"{\"a\":1}\n{\"a\":\n \n{\"a\":2,\"a\":3}\n{\"a\":\"\xff\"}\n{\"a\":4}\n{\"a\":\"\x01\"}\nnull\n";
    let mut reader = reader_of(text, CsvOptions::default());
    let batch = reader.next().unwrap().unwrap();
    assert_eq!(texts(&batch), ["1", "4"]);
    let rejects: Vec<_> = batch.rejects.iter().map(|reject| (reject.place.line, reject.reason.as_str())).collect();
    let want = [
        (2, "not valid JSON: a value is missing at byte 6 of the line"),
        (3, "not valid JSON: it is no object at byte 2 of the line"),
        (4, "`a` occurs twice"),
        (5, "the text is not valid UTF-8"),
        (7, "not valid JSON: there is a control character in it"),
        (8, "not valid JSON: it is no object at byte 1 of the line"),
    ];
    assert_eq!(rejects, want);
    assert_eq!(batch.rejects[0].raw, b"{\"a\":\n");
    assert_eq!(batch.origin.place(1).line, 6);
    assert_eq!(batch.raw(1), b"{\"a\":4}\n");
}

#[test]
fn a_name_that_comes_late_is_a_bad_record() {
    let text: String = (0..SAMPLE_ROWS + 2)
        .map(|n| if n == SAMPLE_ROWS + 1 { "{\"a\":1,\"late\":2}\n".to_owned() } else { format!("{{\"a\":{n}}}\n") })
        .collect();
    let mut reader = reader(&text);
    assert_eq!(reader.fields(), ["a"]);
    let batch = reader.next().unwrap().unwrap();
    assert_eq!(batch.rejects[0].reason, "none of the first records has a `late`, so there is no column for it");
    assert_eq!(batch.rejects[0].place.column.as_deref(), Some("late"));
}

#[test]
fn what_is_stored_is_left_out() {
    let text: String = (0..1000).map(|n| format!("{{\"n\":{n},\"t\":\"text \\u00e9 {n}\"}}\n")).collect();
    let options = CsvOptions { batch_bytes: 700, ..CsvOptions::default() };
    let mut whole = reader_of(text.as_bytes(), options.clone());
    let lines: Vec<ChunkLine> = std::iter::from_fn(|| whole.next().unwrap()).map(|batch| chunk_line(&batch)).collect();
    assert!(lines.len() > 20);
    let stored: Vec<ChunkLine> = lines.iter().step_by(3).cloned().collect();
    let mut resumed = reader_of(text.as_bytes(), options);
    resumed.resume(&stored, true).unwrap();
    let want: Vec<String> = (0..1000u64)
        .filter(|n| !stored.iter().any(|line| (line.first_record..line.first_record + line.records).contains(&(n + 1))))
        .map(|n| format!("{n}|text é {n}"))
        .collect();
    assert_eq!(rows(&mut resumed), want);
}

#[test]
fn types_are_those_of_the_values() {
    let text = "{\"i\":1,\"s\":\"007\",\"q\":\"12\",\"b\":true,\"d\":\"2024-01-31\",\"j\":[1],\"m\":1,\"f\":0.5}\n\
                {\"i\":-5,\"s\":\"x\",\"q\":\"13\",\"b\":false,\"d\":\"2024-02-01\",\"j\":{},\"m\":\"x\",\"f\":1}\n";
    let types: Vec<String> = reader(text).infer_types(1 << 20).unwrap().iter().map(Inferred::ddl_type).collect();
    assert_eq!(types, ["INT", "VARCHAR(64)", "VARCHAR(64)", "TINYINT(1)", "DATE", "JSON", "JSON", "DOUBLE"]);
    assert!(matches!(reader("{\"a\":1}\n").infer_types(100).unwrap()[0].ty, ColumnType::Int { .. }));
}

#[test]
fn what_is_no_json_at_all_is_refused() {
    for text in ["a,b\n1,2\n", "[1,2]\n", "{\n  \"a\": 1\n}\n", "\x01\n"] {
        assert!(open(text.as_bytes(), &CsvOptions::default()).is_err(), "{text}");
    }
    assert!(reader("").fields().is_empty());
}

/// Names in the first record, and few in each record after it.
fn sparse(n_names: usize, n_records: usize) -> String {
    let names: Vec<_> = (0..n_names).map(|i| format!("\"n{i}\":{i}")).collect();
    format!("{{{}}}\n", names.join(",")) + &"{\"n7\":7}\n".repeat(n_records)
}

#[test]
fn more_names_than_a_table_has_columns_are_refused() {
    let read = |n_names| open(sparse(n_names, 0).as_bytes(), &CsvOptions::default());
    assert_eq!(read(MAX_FIELDS).unwrap().fields().len(), 4_096);
    let error = read(MAX_FIELDS + 1).err().unwrap();
    assert!(error.message().ends_with("have more than 4096 names, and no table has more columns"), "{error}");
}

/// Each record has a place for every name: so many are in a batch as there is memory for.
#[test]
fn many_names_make_small_batches() {
    let options = CsvOptions { memory: 1 << 20, batch_rows: Some(100_000), ..CsvOptions::default() };
    let mut reader = reader_of(sparse(1_000, 2_000).as_bytes(), options);
    assert_eq!(reader.infer_types(1 << 20).unwrap().len(), 1_000);
    assert!(reader.peek(1 << 20).unwrap().unwrap().rows.num_rows() <= 8);
    let mut n_rows = 0;
    while let Some(batch) = reader.next().unwrap() {
        assert!((1..=8).contains(&batch.rows.num_rows()), "{}", batch.rows.num_rows());
        n_rows += batch.rows.num_rows();
    }
    assert_eq!(n_rows, 2_001);
}

fn reader(text: &str) -> JsonlReader {
    reader_of(text.as_bytes(), CsvOptions::default())
}

fn reader_of(text: &[u8], options: CsvOptions) -> JsonlReader {
    open(text, &options).unwrap()
}

fn open(text: &[u8], options: &CsvOptions) -> Result<JsonlReader> {
    JsonlReader::open(OpenedFile::of_bytes("a.jsonl", std::io::Cursor::new(text.to_vec())), options)
}

fn rows(reader: &mut JsonlReader) -> Vec<String> {
    let mut rows = Vec::new();
    while let Some(batch) = reader.next().unwrap() {
        assert!(batch.rejects.is_empty() && batch.utf8, "{:?}", batch.rejects);
        assert!(batch.origin.verbatim.is_none(), "no server reads JSON");
        rows.extend(texts(&batch));
    }
    rows
}

fn texts(batch: &Batch) -> Vec<String> {
    let cell = |column: &ArrayRef, row: usize| {
        let column = column.as_any().downcast_ref::<BinaryViewArray>().unwrap();
        if column.is_null(row) { "(null)".into() } else { String::from_utf8(column.value(row).to_vec()).unwrap() }
    };
    let row = |row: usize| batch.rows.columns().iter().map(|column| cell(column, row)).collect::<Vec<_>>().join("|");
    (0..batch.rows.num_rows()).map(row).collect()
}

fn chunk_line(batch: &Batch) -> ChunkLine {
    ChunkLine {
        span: batch.origin.span.clone(),
        first_record: batch.origin.first_record,
        records: batch.records(),
        first_line: batch.origin.first_line,
        lines: batch.origin.lines,
        rows: batch.rows.num_rows() as u64,
        skipped: 0,
        rejected: batch.rejects.len() as u64,
        checksum: batch.checksum(),
    }
}

#[test]
fn names_become_those_of_columns() {
    let text = "{\"a \":1,\"A\":2,\"\":3,\"a\":4}\n";
    let mut reader = reader_of(text.as_bytes(), CsvOptions::default().with_names(HeaderNames::CleanUp));
    assert_eq!(reader.fields(), ["a", "A_2", "c3", "a_3"]);
    assert_eq!(FileSource::renamed(&reader).len(), 4);
    let batch = reader.next().unwrap().unwrap();
    let cell = |i: usize| String::from_utf8_lossy(batch.rows.column(i).as_binary_view().value(0)).into_owned();
    assert_eq!([0, 1, 2, 3].map(cell), ["1", "2", "3", "4"]);
}

/// Records of one name, and one more after those of the sample.
fn late(record: &str) -> String {
    "{\"a\":1}\n".repeat(SAMPLE_ROWS + 1) + record
}

fn of_table(columns: &[(&str, bool)]) -> CsvOptions {
    let columns: Vec<_> = columns
        .iter()
        .map(|(name, is_spare)| TableColumn { is_spare: *is_spare, ..TableColumn::named(name) })
        .collect();
    CsvOptions::default().with_columns_of_table(TableColumns::new(move || Ok(Some(columns.clone()))))
}

/// What becomes of a late record.
#[track_caller]
fn check_late(options: &CsvOptions, record: &str, fields: &[&str], want: Result<&str, &str>) {
    let mut reader = reader_of(late(record).as_bytes(), options.clone());
    assert_eq!(reader.fields(), fields);
    let mut last = None;
    while let Some(batch) = reader.next().unwrap() {
        last = Some(batch);
    }
    let batch = last.unwrap();
    match (want, batch.rejects.last()) {
        (Ok(row), None) => assert_eq!(texts(&batch).last().unwrap(), row),
        (Err(reason), Some(reject)) => assert_eq!(reject.reason, reason),
        (want, reject) => panic!("{want:?}, {:?}", reject.map(|reject| &reject.reason)),
    }
}

#[test]
fn a_late_name_is_the_table_s() {
    let record = "{\"LATE\":2,\"a\":3}\n";
    let table = of_table(&[("A", true), ("Late", true), ("id", false), ("never", true)]);
    check_late(&table, record, &["a", "Late", "never"], Ok("3|2|(null)"));
    let kept = of_table(&[("a", true), ("late", false)]);
    let default = "none of the first records has a `LATE`, so its column was to have its default";
    check_late(&kept, record, &["a"], Err(default));
    // A name that is a column of the table is not left out.
    check_late(&kept.clone().with_ignore_extra_fields(true), record, &["a"], Err(default));
    let lacks = of_table(&[("a", true)]);
    check_late(&lacks, record, &["a"], Err("none of the first records has a `LATE`, and the table has no such column"));
    check_late(&lacks.clone().with_ignore_extra_fields(true), record, &["a"], Ok("3"));
    let twice = "{\"Late\":2,\"late\":3}\n";
    check_late(&of_table(&[("late", true)]), twice, &["a", "late"], Err("`late` occurs twice"));
    // The whole file is known.
    assert_eq!(reader_of(b"{\"a\":1}\n", table).fields(), ["a"]);
}

#[test]
fn names_of_all_records_are_read_where_that_is_asked_for() {
    let folder = tempfile::TempDir::new().unwrap();
    let path = folder.path().join("a.jsonl");
    std::fs::write(&path, late("{\"late\":2,\"b\":1}\n")).unwrap();
    let open = |options: &CsvOptions| {
        let file = crate::open::open(path.to_str().unwrap(), crate::file_format::Format::Auto, options).unwrap();
        file.fields().to_vec()
    };
    assert_eq!(open(&CsvOptions::default()), ["a"]);
    assert_eq!(open(&CsvOptions::default().with_all_names(true)), ["a", "late", "b"]);
    let known = of_table(&[("late", false), ("a", false)]).with_all_names(true);
    assert_eq!(open(&known.with_ignore_extra_fields(true)), ["a", "late"]);
}

#[test]
fn a_record_beyond_the_memory_is_refused() {
    let options = CsvOptions::default().with_memory(1 << 20);
    let text = format!("{{\"a\":\"{}\"}}\n", "x".repeat(2 << 20));
    let error = open(text.as_bytes(), &options).err().unwrap();
    assert_eq!(error.message(), "a record is longer than 1048576 bytes");
    assert_eq!(error.hint(), Some("raise `--memory` if that is meant"));
}
