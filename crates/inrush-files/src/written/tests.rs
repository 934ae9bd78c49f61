use super::*;
use crate::FileOptions;
use arrow_array::{
    ArrayRef, BinaryArray, BooleanArray, Decimal128Array, DurationMicrosecondArray, Float64Array, Int64Array,
    StringArray,
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
fn compressed_lines_are_read_back() {
    use std::io::Read as _;
    let batch =
        RecordBatch::try_from_iter([("n", Arc::new(Int64Array::from_iter_values(0..100_000)) as ArrayRef)]).unwrap();
    let written = |compression| {
        let mut writer = BatchWriter::compressed(WrittenFormat::Csv, compression, &batch.schema(), Vec::new()).unwrap();
        writer.write(&batch).unwrap();
        writer.finish().unwrap()
    };
    let plain = written(WrittenCompression::None);
    let (gzip, zstd) = (written(WrittenCompression::Gzip), written(WrittenCompression::Zstd));
    let mut text = Vec::new();
    flate2::read::GzDecoder::new(&gzip[..]).read_to_end(&mut text).unwrap();
    assert_eq!(text, plain);
    assert_eq!(zstd::decode_all(&zstd[..]).unwrap(), plain);
    assert!(gzip.len() < plain.len() && zstd.len() < plain.len());
}

#[test]
fn a_line_of_json_is_an_object() {
    let decimal = |text: &str, precision| {
        let value: i128 = text.replace('.', "").parse().unwrap();
        Arc::new(Decimal128Array::from(vec![value]).with_precision_and_scale(precision, 2).unwrap()) as ArrayRef
    };
    let batch = RecordBatch::try_from_iter_with_nullable([
        ("n", Arc::new(Int64Array::from(vec![i64::MAX])) as ArrayRef, false),
        ("f", Arc::new(Float64Array::from(vec![0.1])), false),
        ("nan", Arc::new(Float64Array::from(vec![f64::NAN])), false),
        ("b", Arc::new(BooleanArray::from(vec![true])), false),
        ("short", decimal("-12.50", 4), false),
        ("long", decimal("12345678901234567.89", 19), false),
        ("say \"hi\"", Arc::new(StringArray::from(vec!["two\nlines, \u{1}"])), false),
        ("none", Arc::new(StringArray::from(vec![None::<&str>])), true),
    ])
    .unwrap();
    let mut writer = BatchWriter::new(WrittenFormat::JsonLines, &batch.schema(), Vec::new()).unwrap();
    writer.write(&batch).unwrap();
    let want = concat!(
        r#"{"n":9223372036854775807,"f":0.1,"nan":"NaN","b":true,"short":-12.50,"long":"12345678901234567.89","#,
        r#""say \"hi\"":"two\nlines, \u0001","none":null}"#,
        "\n"
    );
    assert_eq!(String::from_utf8(writer.finish().unwrap()).unwrap(), want);
}

#[test]
fn a_document_stands_as_it_is() {
    let mark: std::collections::HashMap<_, _> = [("ARROW:extension:name".to_owned(), "arrow.json".to_owned())].into();
    let schema = Arc::new(Schema::new(vec![Field::new("j", DataType::Utf8, true).with_metadata(mark)]));
    let line = |text: &str| {
        let column = Arc::new(StringArray::from(vec![text]));
        let mut writer = BatchWriter::new(WrittenFormat::JsonLines, &schema, Vec::new()).unwrap();
        writer.write(&RecordBatch::try_new(schema.clone(), vec![column]).unwrap())?;
        Ok::<_, Error>(String::from_utf8(writer.finish()?).unwrap())
    };
    assert_eq!(line("{\"a\":\n[1, \"x\"]}").unwrap(), "{\"j\":{\"a\": [1, \"x\"]}}\n");
    assert!(line(" null ").unwrap_err().to_string().contains("which a reader of JSON Lines takes for NULL"));
}

#[test]
fn bytes_are_hexadecimal_digits() {
    let photos: ArrayRef = Arc::new(BinaryArray::from(vec![Some(&[0, 0xff, 0x2c][..]), Some(&[]), None]));
    assert_eq!(csv("photo", photos.clone()), "photo\n00ff2c\n\"\"\n\\N\n");
    let batch = RecordBatch::try_from_iter([("photo", photos)]).unwrap();
    let mut writer = BatchWriter::new(WrittenFormat::JsonLines, &batch.schema(), Vec::new()).unwrap();
    writer.write(&batch).unwrap();
    let want = "{\"photo\":\"00ff2c\"}\n{\"photo\":\"\"}\n{\"photo\":null}\n";
    assert_eq!(String::from_utf8(writer.finish().unwrap()).unwrap(), want);
    assert_eq!(WrittenFormat::Csv.hex_columns(&batch.schema()), ["photo"]);
    assert_eq!(WrittenFormat::Parquet.hex_columns(&batch.schema()), [""; 0]);
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

/// A line of three cells, as this style writes it and as the reader reads it.
#[track_caller]
fn styled(options: &FileOptions, delimiter: u8, want: std::result::Result<&str, &str>) {
    let cells = [Some("a;b\t\"c\\"), None, Some(""), Some("NA"), Some("x\ny")];
    let columns = cells.map(|cell| Arc::new(StringArray::from(vec![cell])) as ArrayRef);
    let names = ["a", "b", "c", "d", "e"];
    let batch =
        RecordBatch::try_from_iter_with_nullable(names.into_iter().zip(columns).map(|(n, c)| (n, c, true))).unwrap();
    let write = || {
        let style = CsvStyle::new(&options.csv_options(false)?, delimiter)?;
        let none = WrittenCompression::None;
        let mut writer = BatchWriter::styled(WrittenFormat::Csv, &style, none, &batch.schema(), Vec::new())?;
        writer.write(&batch)?;
        Ok::<_, Error>(String::from_utf8(writer.finish()?).unwrap())
    };
    assert_eq!(write().as_deref().map_err(|error| error.message()), want);
}

#[test]
fn csv_has_the_style_of_a_load() {
    let some = |text: &str| Some(text.to_owned());
    let csv = FileOptions { format: crate::Format::Csv, ..FileOptions::default() };
    styled(&csv, b'\t', Ok("a\tb\tc\td\te\n\"a;b\t\"\"c\\\"\t\\N\t\"\"\tNA\t\"x\ny\"\n"));
    let other = FileOptions { delimiter: some(";"), nulls: vec!["NA".into()], header: Some(false), ..csv.clone() };
    styled(&other, b',', Ok("\"a;b\t\"\"c\\\";NA;\"\";\"NA\";\"x\ny\"\n"));
    let single = FileOptions { quote: some("'"), escape: some("\\"), header: Some(false), ..csv.clone() };
    styled(&single, b',', Ok("'a;b\t\"c\\\\',\\N,'',NA,'x\ny'\n"));
    let outfile = FileOptions { quote: some(""), escape: some("\\"), header: Some(false), ..csv.clone() };
    styled(&outfile, b'\t', Ok("a;b\\t\"c\\\\\t\\N\t\tNA\tx\\ny\n"));
    styled(&FileOptions { quote: some(""), ..csv.clone() }, b'|', Err("`x\\ny` cannot be told apart without quotes"));
    styled(
        &FileOptions { nulls: vec!["a,b".into()], ..csv.clone() },
        b',',
        Err("the text for NULL, `a,b`, has a delimiter, a quote or a line end in it"),
    );
    styled(
        &FileOptions { delimiter: some("\""), ..csv.clone() },
        b',',
        Err("the quote and the delimiter are the same, `\"`"),
    );
    let contradicts = FileOptions { quote: some(""), escape: some("\\"), nulls: vec!["x".into()], ..csv };
    styled(&contradicts, b',', Err("with an escape and without quotes, NULL is the escape and N"));
}

#[test]
fn rows_become_statements() {
    let batch = RecordBatch::try_from_iter_with_nullable([
        ("n", Arc::new(Int64Array::from(vec![-1, 2])) as ArrayRef, false),
        ("f", Arc::new(Float64Array::from(vec![1e-300, -0.0])), false),
        ("a`b", Arc::new(StringArray::from(vec![Some("it's\\ \n\r\0\u{1a}"), None])), true),
        ("b", Arc::new(BinaryArray::from(vec![&b"\x00\xff"[..], b""])), false),
        ("t", Arc::new(DurationMicrosecondArray::from(vec![-1, 0])), false),
    ])
    .unwrap();
    let write = |batch: &RecordBatch, style: &SqlStyle| {
        let mut writer = BatchWriter::sql(style, WrittenCompression::None, &batch.schema(), Vec::new()).unwrap();
        writer.write(batch).unwrap();
        String::from_utf8(writer.finish().unwrap()).unwrap()
    };
    let style = SqlStyle { table: "`t`".into(), before: "CREATE TABLE `t` (..);\n".into() };
    let text = write(&batch, &style);
    let rows = r"CREATE TABLE `t` (..);
INSERT INTO `t` (`n`, `f`, `a``b`, `b`, `t`) VALUES
(-1,1e-300,'it\'s\\ \n\r\0\Z',X'00ff','-00:00:00.000001'),
(2,-0e0,NULL,X'','00:00:00');
SET sql_mode = @inrush_mode";
    assert!(text.contains(rows), "{text}");
    assert!(!write(&batch.slice(0, 0), &style).contains("INSERT"));
    // Statements end below 1 MiB; a row that is longer has one of its own.
    let long = ["x".repeat(400_000), "y".repeat(700_000), "z".repeat(2_000_000), "w".into(), "v".into()];
    let batch = RecordBatch::try_from_iter([("c", Arc::new(StringArray::from(long.to_vec())) as ArrayRef)]).unwrap();
    let text = write(&batch, &style);
    let lengths: Vec<_> = text.split("INSERT").skip(1).map(str::len).collect();
    assert_eq!(lengths.len(), 4);
    assert!([0, 1, 3].iter().all(|at| lengths[*at] < sql::MOST_BYTES), "{lengths:?}");
}
