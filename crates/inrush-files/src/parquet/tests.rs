//! Parquet files of a few bytes that expand to gigabytes: they are read in smaller batches, or refused before they are decoded.

use super::header;
use crate::{CsvOptions, Format, open};
use arrow_array::builder::{Int32Builder, ListBuilder, StringBuilder};
use arrow_array::*;
use arrow_schema::{DataType, Field, Schema};
use inrush_core::error::Result;
use inrush_core::load::Batch;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::file::metadata::{
    ColumnChunkMetaData, ColumnChunkMetaDataBuilder, ParquetMetaData, ParquetMetaDataReader, ParquetMetaDataWriter,
};
use parquet::file::properties::{WriterProperties, WriterPropertiesBuilder, WriterVersion};
use std::sync::Arc;

/// A file of one column `v`.
fn file(values: ArrayRef, properties: WriterPropertiesBuilder) -> Vec<u8> {
    let batch = RecordBatch::try_from_iter([("v", values)]).unwrap();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties.build())).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    bytes
}

fn zstd() -> WriterPropertiesBuilder {
    WriterProperties::builder().set_compression(Compression::ZSTD(ZstdLevel::default()))
}

fn each_version() -> [WriterPropertiesBuilder; 2] {
    [zstd(), zstd().set_writer_version(WriterVersion::PARQUET_2_0)]
}

/// Reads a file with so many MiB of memory. Returns the rows of each batch, after `each` has checked it.
fn read(bytes: &[u8], mib: usize, mut each: impl FnMut(&Batch)) -> Result<Vec<usize>> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    std::fs::write(&path, bytes).unwrap();
    let options = CsvOptions { memory: mib << 20, ..CsvOptions::default() };
    let mut reader = open(path.to_str().unwrap(), Format::Auto, &options)?;
    let mut rows = Vec::new();
    while let Some(batch) = reader.next()? {
        each(&batch);
        rows.push(batch.rows.num_rows());
    }
    Ok(rows)
}

#[track_caller]
fn check_refused(bytes: &[u8], mib: usize, why: &str) {
    let error = read(bytes, mib, |_| ()).unwrap_err();
    assert!(error.message().contains(why), "{error}");
    assert!(error.message().contains("a.parquet") && error.hint().unwrap().contains("raise `--memory`"), "{error:?}");
}

/// Rows of lists: as many items as `n_items` gives for a row.
fn lists(n_rows: usize, n_items: impl Fn(usize) -> usize) -> ArrayRef {
    let mut lists = ListBuilder::new(Int32Builder::new());
    for row in 0..n_rows {
        lists.values().append_slice(&vec![7; n_items(row)]);
        lists.append(true);
    }
    Arc::new(lists.finish())
}

#[test]
fn one_long_list_among_many_empty_ones_is_refused() {
    for properties in each_version() {
        let bytes = file(lists(300_000, |row| if row == 200_000 { 3 << 20 } else { 0 }), properties);
        assert!(bytes.len() < 10_000, "{}", bytes.len());
        check_refused(&bytes, 32, "a row of column `v.list.item` has 3145728 values, which take ");
        assert_eq!(read(&bytes, 256, |_| ()).unwrap().iter().sum::<usize>(), 300_000);
    }
}

#[test]
fn long_lists_are_read_in_batches_that_fit() {
    for properties in each_version() {
        let bytes = file(lists(20_000, |row| if row % 100 == 0 { 10_000 } else { 1 }), properties);
        let mut items = 0;
        let rows = read(&bytes, 4, |batch| {
            let column = batch.rows.column(0).as_any().downcast_ref::<BinaryViewArray>().unwrap();
            items += column.iter().flatten().map(|list| list.split(|byte| *byte == b',').count()).sum::<usize>();
        });
        assert_eq!(rows.unwrap().iter().sum::<usize>(), 20_000);
        assert_eq!(items, 200 * 10_000 + 19_800);
    }
}

/// The first rows are the long ones, so an average is misleading.
#[test]
fn a_huge_text_of_a_dictionary_is_not_copied() {
    let text = "x".repeat(1 << 20);
    let texts = StringArray::from_iter_values((0..4_000).map(|row| if row < 40 { &text[..] } else { "" }));
    let bytes = file(Arc::new(texts), zstd().set_dictionary_page_size_limit(4 << 20));
    assert!(bytes.len() < 10_000, "{}", bytes.len());
    let rows = read(&bytes, 32, |batch| {
        assert!(batch.rows.get_array_memory_size() < 4 << 20);
        assert!(batch.bytes() < 40 << 20, "{}", batch.bytes());
    });
    assert_eq!(rows.unwrap().iter().sum::<usize>(), 4_000);
}

#[test]
fn a_list_of_huge_texts_of_a_dictionary_is_refused() {
    let mut lists = ListBuilder::new(StringBuilder::new());
    let text = "x".repeat(200_000);
    for _ in 0..1000 {
        lists.values().append_value(&text);
    }
    lists.append(true);
    let bytes = file(Arc::new(lists.finish()), zstd().set_dictionary_page_size_limit(4 << 20));
    assert!(bytes.len() < 10_000, "{}", bytes.len());
    check_refused(&bytes, 32, "lists or structs have more than 32 MiB as JSON");
    assert_eq!(read(&bytes, 400, |_| ()).unwrap(), [1]);
}

#[test]
fn texts_that_repeat_the_one_before_are_read_in_batches_that_fit() {
    let text = "x".repeat(100_000);
    let texts = StringArray::from_iter_values((0..2_000).map(|_| &text));
    for properties in each_version() {
        let properties = properties.set_dictionary_enabled(false).set_encoding(Encoding::DELTA_BYTE_ARRAY);
        let bytes = file(Arc::new(texts.clone()), properties);
        assert!(bytes.len() < 30_000, "{}", bytes.len());
        let rows = read(&bytes, 16, |batch| assert!(batch.rows.get_array_memory_size() < 40 << 20)).unwrap();
        assert_eq!(rows.iter().sum::<usize>(), 2_000);
    }
}

#[test]
fn a_page_that_comes_to_more_than_the_memory_is_refused() {
    let text = "x".repeat(40 << 20);
    let bytes = file(Arc::new(StringArray::from(vec![&text[..]])), zstd().set_dictionary_enabled(false));
    assert!(bytes.len() < 30_000, "{}", bytes.len());
    check_refused(&bytes, 32, "a page of column `v` comes to 40 MiB, more than the 32 MiB of `--memory`");
    assert_eq!(read(&bytes, 128, |_| ()).unwrap(), [1]);
}

/// The size in a page's header may differ from the footer.
#[test]
fn a_header_that_names_another_size_is_refused() {
    let properties = WriterProperties::builder().set_dictionary_enabled(false);
    let mut bytes = file(Arc::new(Int64Array::from(vec![7; 1000])), properties);
    // A data page, and its size, in zigzag: 8,000 bytes and the levels.
    assert_eq!(bytes[4..7], [0x15, 0x00, 0x15]);
    let len = bytes[7..].iter().position(|byte| *byte < 0x80).unwrap() + 1;
    bytes.splice(7..7 + len, [0xfe, 0xff, 0xff, 0xff, 0x0f]);
    check_refused(&bytes, 256, "a page of column `v` comes to 2047 MiB");
}

/// A NULL of a fixed number of items takes as much as another value.
#[test]
fn rows_of_a_huge_fixed_width_are_refused() {
    let item = Arc::new(Field::new("item", DataType::Int32, true));
    let lists = FixedSizeListArray::new_null(item.clone(), 1, 1);
    let bytes = file(Arc::new(lists), zstd());
    let claimed = Schema::new(vec![Field::new("v", DataType::FixedSizeList(item, 1 << 30), true)]);
    let wide = parquet::arrow::encode_arrow_schema(&claimed);
    let narrow = Schema::new(vec![Field::new(
        "v",
        DataType::FixedSizeList(Arc::new(Field::new("item", DataType::Int32, true)), 1),
        true,
    )]);
    let narrow = parquet::arrow::encode_arrow_schema(&narrow);
    let at = bytes.windows(narrow.len()).position(|window| window == narrow.as_bytes()).unwrap();
    let mut bytes = bytes;
    assert_eq!(wide.len(), narrow.len());
    bytes.splice(at..at + narrow.len(), wide.bytes());
    check_refused(&bytes, 256, "its rows have 4096 MiB each");
}

#[test]
fn arrays_of_lists_and_texts_of_every_kind_are_views() {
    let mut lists = ListBuilder::new(StringBuilder::new());
    lists.values().append_value("a text of more than twelve bytes");
    lists.values().append_value("b");
    lists.append(true);
    lists.append(false);
    let bytes = file(Arc::new(lists.finish()), zstd());
    read(&bytes, 16, |batch| {
        let column = batch.rows.column(0).as_any().downcast_ref::<BinaryViewArray>().unwrap();
        let rows: Vec<_> = column.iter().collect();
        assert_eq!(rows, [Some(&b"[\"a text of more than twelve bytes\",\"b\"]"[..]), None]);
    })
    .unwrap();
}

/// A footer that says something else of the columns.
fn with_footer(bytes: &[u8], change: impl Fn(ColumnChunkMetaData) -> ColumnChunkMetaDataBuilder) -> Vec<u8> {
    let mut reader = ParquetMetaDataReader::new();
    reader.try_parse(&bytes::Bytes::from(bytes.to_vec())).unwrap();
    let metadata = reader.finish().unwrap();
    let groups = metadata.row_groups().iter().map(|group| {
        let columns = group.columns().iter().map(|column| change(column.clone()).build().unwrap());
        let builder = group.clone().into_builder().set_column_metadata(columns.collect());
        builder.build().unwrap()
    });
    let changed = ParquetMetaData::new(metadata.file_metadata().clone(), groups.collect());
    let len = u32::from_le_bytes(*bytes[..bytes.len() - 4].last_chunk().unwrap()) as usize;
    let mut file = bytes[..bytes.len() - 8 - len].to_vec();
    ParquetMetaDataWriter::new(&mut file, &changed).finish().unwrap();
    file
}

#[test]
fn a_dictionary_at_byte_0_is_none() {
    let values = || Arc::new(Int32Array::from_iter_values(0..39)) as ArrayRef;
    let file = file(values(), WriterProperties::builder().set_dictionary_enabled(false));
    let zero = with_footer(&file, |column| column.into_builder().set_dictionary_page_offset(Some(0)));
    assert_eq!(read(&zero, 64, |_| ()).unwrap(), [39]);
}

/// The first page, with the sum of its bytes in its header as other writers have it.
fn with_checksum(bytes: &[u8], crc: u32) -> Vec<u8> {
    // Thrift: three numbers, then field 5; the sum is field 4.
    let mut at = 4;
    for _ in 0..3 {
        assert_eq!(bytes[at], 0x15);
        at += 1;
        at += bytes[at..].iter().position(|byte| *byte < 0x80).unwrap() + 1;
    }
    assert_eq!(bytes[at], 0x2c);
    let (mut field, crc) = (vec![0x15], i64::from(crc as i32));
    let mut rest = ((crc << 1) ^ (crc >> 63)) as u64;
    while rest >= 0x80 {
        field.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    field.extend([rest as u8, 0x1c]);
    let more = field.len() as i64 - 1;
    let longer = [&bytes[..at], &field, &bytes[at + 1..]].concat();
    with_footer(&longer, |column| {
        let size = column.compressed_size() + more;
        column.into_builder().set_total_compressed_size(size)
    })
}

/// A page says the sum of its bytes, and it is compared.
#[test]
fn a_page_with_another_checksum_is_damaged() {
    let values = Arc::new(Int32Array::from_iter_values(0..1_000)) as ArrayRef;
    let properties = WriterProperties::builder().set_dictionary_enabled(false);
    let file = file(values, properties.set_writer_version(WriterVersion::PARQUET_1_0));
    let size = header::read(&file[4..]).unwrap();
    let page = &file[4 + size.len as usize..][..size.stored as usize];
    let mut crc = flate2::Crc::new();
    crc.update(page);
    assert_eq!(read(&with_checksum(&file, crc.sum()), 64, |_| ()).unwrap(), [1_000]);
    let error = read(&with_checksum(&file, crc.sum() ^ 1), 64, |_| ()).unwrap_err();
    assert!(error.message().contains("CRC"), "{error}");
}

#[test]
fn nan_is_null_where_that_is_said() {
    let file = file(Arc::new(Float64Array::from(vec![Some(1.5), Some(f64::NAN), None])), WriterProperties::builder());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    std::fs::write(&path, file).unwrap();
    let open = |nulls: &[&[u8]]| {
        let nulls: Vec<Vec<u8>> = nulls.iter().map(|null| null.to_vec()).collect();
        open(path.to_str().unwrap(), Format::Auto, &CsvOptions::default().with_nulls(nulls))
    };
    let nulls = |reader: &mut dyn crate::FileSource| reader.next().unwrap().unwrap().rows.column(0).null_count();
    assert_eq!(nulls(&mut *open(&[]).unwrap()), 1);
    assert_eq!(nulls(&mut *open(&[b"NaN"]).unwrap()), 2);
    assert!(open(&[b"nan"]).unwrap().infer_types(100).unwrap()[0].nullable);
    let error = open(&[b"NA"]).err().unwrap();
    assert!(error.message().starts_with("`--null` has no meaning for "), "{error}");
}
