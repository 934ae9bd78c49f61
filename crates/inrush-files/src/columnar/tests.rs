//! Parquet and Arrow files as people write them: whole, in parts, left out, damaged.

use crate::{CsvOptions, FileSource, Format, open};
use arrow_array::*;
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use arrow_schema::{DataType, Field, Schema};
use inrush_core::error::{Kind, Result};
use inrush_core::load::ledger::ChunkLine;
use inrush_core::load::{Batch, ColumnKind, FieldUse};
use parquet::arrow::ArrowWriter;
use parquet::basic::{BrotliLevel, Compression, ZstdLevel};
use parquet::file::properties::{WriterProperties, WriterVersion};
use std::sync::Arc;
use tempfile::TempDir;

#[test]
fn every_format_gives_the_same_rows() {
    let want: Vec<String> = (0..ROWS).map(row).collect();
    for file in every_file() {
        let mut reader = file.open(CsvOptions::default()).unwrap();
        assert_eq!(reader.fields(), ["id", "name", "score", "seen", "tag"], "{}", file.name);
        assert_eq!(rows(&mut *reader), want, "{}", file.name);
    }
}

#[test]
fn batches_are_cut_by_rows_or_bytes_and_numbered_on() {
    for file in every_file() {
        let mut reader = file.open(CsvOptions { batch_rows: Some(1000), ..CsvOptions::default() }).unwrap();
        let mut at = 0;
        while let Some(batch) = reader.next().unwrap() {
            assert_eq!((batch.origin.span.start, batch.origin.first_record), (at, at + 1), "{}", file.name);
            assert_eq!((batch.origin.span.end - at, batch.utf8), (batch.rows.num_rows() as u64, true));
            at = batch.origin.span.end;
            assert!(batch.rows.num_rows() == 1000 || at == ROWS as u64, "{} at {at}", file.name);
        }
        assert_eq!(at, ROWS as u64);
        let mut reader = file.open(CsvOptions { batch_bytes: 20_000, ..CsvOptions::default() }).unwrap();
        let sizes: Vec<u64> = std::iter::from_fn(|| reader.next().unwrap()).map(|batch| batch.bytes()).collect();
        assert!(sizes.len() > 10 && sizes.iter().all(|bytes| *bytes < 60_000), "{}: {sizes:?}", file.name);
        let mut reader = file.open(CsvOptions { limit: Some(1234), ..CsvOptions::default() }).unwrap();
        assert_eq!(rows(&mut *reader).len(), 1234, "{}", file.name);
    }
}

#[test]
fn parquet_tells_how_much_is_left() {
    for file in every_file() {
        let mut reader = file.open(CsvOptions { batch_bytes: 20_000, ..CsvOptions::default() }).unwrap();
        assert_eq!(reader.bytes_left().is_some(), file.name.ends_with("parquet"), "{}", file.name);
        let Some(mut left) = reader.bytes_left() else { continue };
        assert!(left > 0);
        while let Some(batch) = reader.next().unwrap() {
            left = reader.bytes_left().unwrap();
            assert_eq!(left > 0, batch.origin.span.end < ROWS as u64, "{}", file.name);
        }
        assert_eq!(left, 0, "{}", file.name);
        let mut reader = file.open(CsvOptions { limit: Some(1000), ..CsvOptions::default() }).unwrap();
        assert!(reader.next().unwrap().is_some());
        assert_eq!(reader.bytes_left(), Some(0), "{}", file.name);
    }
}

#[test]
fn only_what_is_used_is_read() {
    for file in every_file() {
        let mut reader = file.open(CsvOptions::default()).unwrap();
        // A sample first: its rows have all fields.
        reader.infer_types(1000).unwrap();
        reader.select(&[2, 0, 2].map(|index| FieldUse { index, ..FieldUse::default() }));
        let want: Vec<String> = (0..ROWS).map(|n| format!("{}|{}|{}", score(n), n, score(n))).collect();
        assert_eq!(rows(&mut *reader), want, "{}", file.name);
    }
}

#[test]
fn what_is_stored_is_left_out_and_compared() {
    for file in every_file() {
        let cut =
            |verify: bool, lines: &[ChunkLine]| -> Result<Vec<String>> {
                let mut reader = file.open(CsvOptions { batch_rows: Some(700), ..CsvOptions::default() }).unwrap();
                reader.resume(lines, verify)?;
                let mut rows = Vec::new();
                while let Some(batch) = reader.next()? {
                    assert!(lines.iter().all(
                        |line| line.span.end <= batch.origin.span.start || line.span.start >= batch.origin.span.end
                    ));
                    rows.extend(texts(&batch));
                }
                Ok(rows)
            };
        let mut reader = file.open(CsvOptions { batch_rows: Some(997), ..CsvOptions::default() }).unwrap();
        let all: Vec<ChunkLine> = std::iter::from_fn(|| reader.next().unwrap()).map(|batch| line(&batch)).collect();
        let stored: Vec<ChunkLine> =
            all.iter().enumerate().filter(|(i, _)| ![0, 3, 4, 9].contains(i)).map(|(_, line)| line.clone()).collect();
        let want: Vec<String> =
            (0..ROWS).filter(|n| !stored.iter().any(|line| line.span.contains(&(*n as u64)))).map(row).collect();
        assert_eq!(cut(true, &stored).unwrap(), want, "{}", file.name);
        assert_eq!(cut(false, &stored).unwrap(), want, "{}", file.name);
        assert!(cut(true, &all).unwrap().is_empty());
        let mut wrong = stored.clone();
        wrong[2].checksum ^= 1;
        assert_eq!(cut(true, &wrong).unwrap_err().kind(), Kind::Guarantee, "{}", file.name);
        assert_eq!(cut(false, &wrong).unwrap(), want);
        let mut beyond = stored.clone();
        beyond.last_mut().unwrap().span.end += 1;
        assert_eq!(cut(true, &beyond).unwrap_err().kind(), Kind::Guarantee, "{}", file.name);
    }
}

#[test]
fn types_come_from_the_schema_and_lengths_from_the_data() {
    for file in every_file() {
        let fields = file.open(CsvOptions::default()).unwrap().infer_types(4 << 20).unwrap();
        let types: Vec<String> =
            fields.iter().map(|f| f.ddl_type() + if f.nullable { "" } else { " NOT NULL" }).collect();
        let want = [
            "INT UNSIGNED NOT NULL",
            "VARCHAR(64) NOT NULL",
            "DECIMAL(9,2)",
            "DATETIME(6) NOT NULL",
            "VARCHAR(64) NOT NULL",
        ];
        assert_eq!(types, want, "{}", file.name);
    }
}

#[test]
fn damaged_files_are_errors() {
    let folder = TempDir::new().unwrap();
    for file in every_file() {
        let bytes = std::fs::read(file.path()).unwrap();
        for cut in [0, 3, 7, 12, 100, bytes.len() / 2, bytes.len() - 20] {
            let path = folder.path().join(file.name);
            std::fs::write(&path, &bytes[..cut]).unwrap();
            let read = open(path.to_str().unwrap(), file.format(), &CsvOptions::default()).and_then(|mut reader| {
                while reader.next()?.is_some() {}
                Ok(())
            });
            // A stream has no end of its own: cut between two messages it is a shorter one.
            assert!(read.is_err() || file.name.ends_with(".arrows"), "{} cut at {cut}", file.name);
        }
    }
}

#[test]
fn options_of_text_are_refused() {
    let file = parquet("a.parquet", WriterProperties::default());
    let options = CsvOptions { delimiter: Some(b';'), ..CsvOptions::default() };
    assert!(file.open(options).err().unwrap().message().contains("`--delimiter` has no meaning"));
}

#[test]
fn a_uuid_of_parquet_is_known() {
    let schema = "message m { required fixed_len_byte_array(16) u (UUID); required binary j (JSON); }";
    let schema = Arc::new(parquet::schema::parser::parse_message_type(schema).unwrap());
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("u.parquet");
    let mut writer = parquet::file::writer::SerializedFileWriter::new(
        std::fs::File::create(&path).unwrap(),
        schema,
        Default::default(),
    )
    .unwrap();
    let mut group = writer.next_row_group().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    let value = parquet::data_type::FixedLenByteArray::from((0..16).collect::<Vec<u8>>());
    column.typed::<parquet::data_type::FixedLenByteArrayType>().write_batch(&[value], None, None).unwrap();
    column.close().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    column.typed::<parquet::data_type::ByteArrayType>().write_batch(&["{}".into()], None, None).unwrap();
    column.close().unwrap();
    group.close().unwrap();
    writer.close().unwrap();
    let mut reader = open(path.to_str().unwrap(), Format::Auto, &CsvOptions::default()).unwrap();
    let types: Vec<String> = reader.infer_types(1000).unwrap().iter().map(|f| f.ddl_type()).collect();
    assert_eq!(types, ["BINARY(16)", "JSON"]);
    reader.select(&[
        FieldUse { index: 0, ..FieldUse::default() },
        FieldUse { index: 0, column_kind: ColumnKind::Bytes, ..FieldUse::default() },
    ]);
    let batch = reader.next().unwrap().unwrap();
    let cell = |i: usize| batch.rows.column(i).as_any().downcast_ref::<BinaryViewArray>().unwrap().value(0).to_vec();
    assert_eq!((cell(0), cell(1)), (b"00010203-0405-0607-0809-0a0b0c0d0e0f".to_vec(), (0..16).collect()));
}

/// A file with the rows of [`batch`], in a folder of its own.
struct Written {
    folder: TempDir,
    name: &'static str,
}

impl Written {
    fn path(&self) -> String {
        self.folder.path().join(self.name).to_str().unwrap().to_owned()
    }

    fn open(&self, options: CsvOptions) -> Result<Box<dyn FileSource>> {
        open(&self.path(), Format::Auto, &options)
    }

    fn format(&self) -> Format {
        if self.name.contains("parquet") { Format::Parquet } else { Format::Arrow }
    }
}

/// A few bytes that expand to more than the memory, and to less.
#[test]
fn what_a_few_bytes_blow_up_to_is_refused_before_it_is_decoded() {
    let batch = |values: ArrayRef| RecordBatch::try_from_iter([("v", values)]).unwrap();
    let zeros = batch(Arc::new(Int64Array::from(vec![0; 2 << 20])));
    let text = batch(Arc::new(StringArray::from(vec!["x".repeat(16 << 20)])));
    let mut list = builder::ListBuilder::new(builder::Int32Builder::new());
    list.values().append_slice(&vec![7; 1 << 20]);
    list.append(true);
    let list = batch(Arc::new(list.finish()));
    let plain_zstd = || WriterProperties::builder().set_compression(Compression::ZSTD(ZstdLevel::default()));
    let as_parquet = |name, batch: &RecordBatch, properties: WriterProperties| {
        written(name, |file| {
            let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties)).unwrap();
            writer.write(batch).unwrap();
            writer.close().unwrap();
        })
    };
    let arrow = written("zeros.arrow", |file| {
        let options = IpcWriteOptions::default().try_with_compression(Some(CompressionType::ZSTD)).unwrap();
        let mut writer = FileWriter::try_new_with_options(file, &zeros.schema(), options).unwrap();
        writer.write(&zeros).unwrap();
        writer.finish().unwrap();
    });
    let files = [
        (arrow, "comes to 16 MiB, more than the 1 MiB of `--memory`"),
        (
            as_parquet("text.parquet", &text, plain_zstd().set_dictionary_enabled(false).build()),
            "comes to 16 MiB, more than the 1 MiB of `--memory`",
        ),
        (as_parquet("list.parquet", &list, plain_zstd().build()), "a row of column `v.list.item` has 1048576 values"),
    ];
    for (file, want) in files {
        assert!(std::fs::metadata(file.path()).unwrap().len() < 40_000, "{}", file.name);
        let read = |memory| {
            let mut reader = file.open(CsvOptions { memory, ..CsvOptions::default() })?;
            reader.next().map(|batch| batch.unwrap().rows.num_rows())
        };
        let error = read(1 << 20).unwrap_err();
        assert!(error.to_string().contains(want), "{}: {error}", file.name);
        assert!(read(64 << 20).unwrap() > 0, "{}", file.name);
    }
}

fn every_file() -> Vec<Written> {
    let small_groups = |compression| {
        WriterProperties::builder()
            .set_max_row_group_row_count(Some(3_000))
            .set_data_page_row_count_limit(500)
            .set_compression(compression)
    };
    let zstd = Compression::ZSTD(ZstdLevel::default());
    vec![
        parquet("a.parquet", WriterProperties::default()),
        parquet("groups.parquet", small_groups(Compression::SNAPPY).build()),
        parquet("v2.parquet", small_groups(zstd).set_writer_version(WriterVersion::PARQUET_2_0).build()),
        parquet("lz4.parquet", small_groups(Compression::LZ4_RAW).set_dictionary_enabled(false).build()),
        parquet("brotli.parquet", small_groups(Compression::BROTLI(BrotliLevel::default())).build()),
        arrow_file("a.arrow", None),
        arrow_file("zstd.feather", Some(CompressionType::ZSTD)),
        arrow_file("lz4.feather", Some(CompressionType::LZ4_FRAME)),
        arrow_stream("a.arrows"),
    ]
}

fn parquet(name: &'static str, properties: WriterProperties) -> Written {
    written(name, |file| {
        let mut writer = ArrowWriter::try_new(file, schema(), Some(properties)).unwrap();
        batches().iter().for_each(|batch| writer.write(batch).unwrap());
        writer.close().unwrap();
    })
}

fn arrow_file(name: &'static str, compression: Option<CompressionType>) -> Written {
    written(name, |file| {
        let options = IpcWriteOptions::default().try_with_compression(compression).unwrap();
        let mut writer = FileWriter::try_new_with_options(file, &schema(), options).unwrap();
        batches().iter().for_each(|batch| writer.write(batch).unwrap());
        writer.finish().unwrap();
    })
}

fn arrow_stream(name: &'static str) -> Written {
    written(name, |file| {
        let mut writer = StreamWriter::try_new(file, &schema()).unwrap();
        batches().iter().for_each(|batch| writer.write(batch).unwrap());
        writer.finish().unwrap();
    })
}

fn written(name: &'static str, write: impl FnOnce(std::fs::File)) -> Written {
    let written = Written { folder: TempDir::new().unwrap(), name };
    write(std::fs::File::create(written.path()).unwrap());
    written
}

fn schema() -> Arc<Schema> {
    Arc::new(Schema::new(vec![
        Field::new("id", DataType::UInt32, false),
        Field::new("name", DataType::Utf8, false),
        Field::new("score", DataType::Decimal128(9, 2), true),
        Field::new("seen", DataType::Timestamp(arrow_schema::TimeUnit::Microsecond, None), false),
        Field::new("tag", DataType::Dictionary(Box::new(DataType::Int16), Box::new(DataType::Utf8)), false),
    ]))
}

fn batches() -> Vec<RecordBatch> {
    let batch = |range: std::ops::Range<usize>| {
        let score = |n: usize| (!n.is_multiple_of(7)).then_some(n as i128 * 101);
        let keys = Int16Array::from_iter_values(range.clone().map(|n| (n % 3) as i16));
        let tags = DictionaryArray::new(keys, Arc::new(StringArray::from_iter_values((0..3).map(tag))));
        let columns: Vec<ArrayRef> = vec![
            Arc::new(UInt32Array::from_iter_values(range.clone().map(|n| n as u32))),
            Arc::new(StringArray::from_iter_values(range.clone().map(name))),
            Arc::new(Decimal128Array::from_iter(range.clone().map(score)).with_precision_and_scale(9, 2).unwrap()),
            Arc::new(TimestampMicrosecondArray::from_iter_values(range.map(|n| n as i64 * 1_000_000))),
            Arc::new(tags),
        ];
        RecordBatch::try_new(schema(), columns).unwrap()
    };
    (0..ROWS).step_by(2_500).map(|start| batch(start..(start + 2_500).min(ROWS))).collect()
}

fn name(n: usize) -> String {
    format!("the name of {n}")
}

fn tag(n: usize) -> &'static str {
    ["red", "green", "a blue like the sky"][n % 3].split_at(if n % 3 == 2 { 11 } else { 3 }).0
}

fn score(n: usize) -> String {
    if n.is_multiple_of(7) { "(null)".into() } else { format!("{}.{:02}", n * 101 / 100, n * 101 % 100) }
}

/// What row `n` is as text.
fn row(n: usize) -> String {
    let seen = format!("1970-01-01 {:02}:{:02}:{:02}", n / 3600, n / 60 % 60, n % 60);
    format!("{n}|{}|{}|{seen}|{}", name(n), score(n), tag(n))
}

fn rows(reader: &mut dyn FileSource) -> Vec<String> {
    std::iter::from_fn(|| reader.next().unwrap()).flat_map(|batch| texts(&batch)).collect()
}

fn texts(batch: &Batch) -> Vec<String> {
    let cell = |column: &ArrayRef, row: usize| {
        let column = column.as_any().downcast_ref::<BinaryViewArray>().unwrap();
        if column.is_null(row) { "(null)".into() } else { String::from_utf8_lossy(column.value(row)).into_owned() }
    };
    let row = |row: usize| batch.rows.columns().iter().map(|column| cell(column, row)).collect::<Vec<_>>().join("|");
    (0..batch.rows.num_rows()).map(row).collect()
}

fn line(batch: &Batch) -> ChunkLine {
    ChunkLine {
        span: batch.origin.span.clone(),
        first_record: batch.origin.first_record,
        records: batch.records(),
        first_line: batch.origin.first_line,
        lines: batch.origin.lines,
        rows: batch.records(),
        skipped: 0,
        rejected: 0,
        checksum: batch.checksum(),
    }
}

const ROWS: usize = 10_000;
