use super::*;
use arrow_array::{
    ArrayRef, BinaryArray, BooleanArray, DurationMicrosecondArray, Float64Array, Int64Array, StringArray,
};
use arrow_schema::{DataType, Field};
use std::sync::Arc;

fn csv(name: &str, array: ArrayRef) -> String {
    let batch = RecordBatch::try_from_iter([(name, array)]).unwrap();
    let mut writer = BatchWriter::new(WrittenFormat::Csv, &batch.schema(), Vec::new()).unwrap();
    writer.write(&batch).unwrap();
    String::from_utf8(writer.finish().unwrap()).unwrap()
}

#[track_caller]
fn texts(cells: &[Option<&str>], want: &str) {
    assert_eq!(csv("c", Arc::new(StringArray::from(cells.to_vec()))), format!("c\n{want}"));
}

#[test]
fn what_could_be_read_otherwise_is_in_quotes() {
    texts(&[Some("a"), None, Some(""), Some(r"\N")], "a\n\\N\n\"\"\n\"\\N\"\n");
    texts(
        &[Some("a,b"), Some("say \"hi\""), Some("two\nlines"), Some(" a"), Some("\"")],
        concat!("\"a,b\"\n", "\"say \"\"hi\"\"\"\n", "\"two\nlines\"\n", "\" a\"\n", "\"\"\"\"\n"),
    );
}

#[test]
fn values_have_the_spelling_of_their_columns() {
    assert_eq!(csv("a \"b\"", Arc::new(Int64Array::from(vec![i64::MIN]))), "\"a \"\"b\"\"\"\n-9223372036854775808\n");
    assert_eq!(csv("f", Arc::new(Float64Array::from(vec![0.1, -1e300]))), "f\n0.1\n-1e+300\n");
    assert_eq!(csv("b", Arc::new(BooleanArray::from(vec![true, false]))), "b\n1\n0\n");
    let span = DurationMicrosecondArray::from(vec![-3_020_399_000_001]);
    assert_eq!(csv("t", Arc::new(span)), "t\n-838:59:59.000001\n");
}

#[test]
fn bytes_are_no_text() {
    let schema = Arc::new(Schema::new(vec![Field::new("photo", DataType::Binary, true)]));
    let error = BatchWriter::new(WrittenFormat::Csv, &schema, Vec::new()).map(|_| ()).unwrap_err();
    assert!(error.to_string().starts_with("column `photo` holds bytes"), "{error}");
}

#[test]
fn a_full_disk_is_named() {
    struct Full;
    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::ErrorKind::StorageFull.into())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let batch = RecordBatch::try_from_iter([("b", Arc::new(BinaryArray::from(vec![&b"x"[..]])) as ArrayRef)]).unwrap();
    for format in [WrittenFormat::Parquet, WrittenFormat::Arrow] {
        let written = BatchWriter::new(format, &batch.schema(), Full)
            .and_then(|mut writer| writer.write(&batch).map(|()| writer))
            .and_then(|writer| writer.finish().map(|_| ()));
        let error = written.unwrap_err();
        assert!(error.to_string().contains("no storage space"), "{format:?}: {error}");
    }
}
