//! Files of a few kilobytes that come to gigabytes when they are decoded: a load ends with an error before it takes the memory.

use crate::place::{Place, on};
use crate::tuning::watched;
use arrow_array::{ArrayRef, Int64Array, RecordBatch};
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions};
use inrush_testkit::servers::all;
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::column::page::{CompressedPage, Page, PageWriter};
use parquet::column::writer::ColumnCloseResult;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedPageWriter, TrackedWrite};
use parquet::schema::parser::parse_message_type;
use std::io::{Read, Write};
use std::sync::Arc;

#[test]
fn a_file_of_a_few_kilobytes_takes_no_gigabytes() {
    on(all().into_iter().take(1).collect(), "blown_up", |place| {
        place.sql("CREATE TABLE t (v LONGTEXT)");
        let files = [
            (
                "list.parquet",
                list_of_nulls(600_000_000),
                1_000,
                "a row of column `v.list.item` has 600000000 values, which take ",
            ),
            (
                "text.parquet",
                one_text(1_000_000_000),
                40_000,
                "a page of column `v` comes to 953 MiB, more than the 256 MiB of",
            ),
            ("zeros.arrow", zeros(40_000_000), 40_000, "a compressed batch of "),
        ];
        for (name, bytes, most, why) in files {
            assert!(bytes.len() < most, "{name}: {}", bytes.len());
            place.write(name, bytes);
            for options in ["--into t", "--into made --create-table"] {
                check(place, &format!("{name} {options}"), name, why);
            }
        }
        assert_eq!(place.sql("SELECT COUNT(*) FROM t"), "0");
    });
}

#[track_caller]
fn check(place: &Place, arguments: &str, name: &str, why: &str) {
    let command = place.command(&format!("{arguments} --memory 256MiB --json -q")).spawn().unwrap();
    let (output, peak_mib) = watched(command);
    let done = place.done(&output);
    assert_eq!(done.code, 2, "{arguments}: {done}");
    done.says(&format!("cannot read `{name}` as "));
    done.says(why);
    done.says("raise `--memory`");
    assert!(peak_mib < 256 + 64, "{arguments}: {peak_mib} MiB at its peak\n{done}");
}

/// One row: a list of so many NULLs.
fn list_of_nulls(n: u32) -> Vec<u8> {
    let mut page = Vec::new();
    // Of repetition levels a 0, which begins the row, and ones; of definition levels NULLs only.
    let mut repetition = vec![2, 0];
    varint(&mut repetition, (n - 1) << 1);
    repetition.push(1);
    let mut definition = Vec::new();
    varint(&mut definition, n << 1);
    definition.push(2);
    for levels in [repetition, definition] {
        page.extend((levels.len() as u32).to_le_bytes());
        page.extend(levels);
    }
    let size = page.len();
    let schema = "message m { optional group v (LIST) { repeated group list { optional int32 item; } } }";
    parquet_of(schema, page, size, n, Compression::UNCOMPRESSED)
}

/// One row: a text of so many bytes.
fn one_text(len: u32) -> Vec<u8> {
    let plain = len.to_le_bytes();
    let mut encoder = zstd::Encoder::new(Vec::new(), 1).unwrap();
    encoder.write_all(&plain).unwrap();
    std::io::copy(&mut std::io::repeat(b'x').take(len.into()), &mut encoder).unwrap();
    let page = encoder.finish().unwrap();
    let zstd = Compression::ZSTD(ZstdLevel::default());
    parquet_of("message m { required binary v (UTF8); }", page, len as usize + plain.len(), 1, zstd)
}

/// A file of one column and one row, in one page. Its footer has other numbers of bytes and values.
fn parquet_of(schema: &str, page: Vec<u8>, size: usize, n_values: u32, compression: Compression) -> Vec<u8> {
    let page = Page::DataPage {
        buf: page.into(),
        num_values: n_values,
        encoding: Encoding::PLAIN,
        def_level_encoding: Encoding::RLE,
        rep_level_encoding: Encoding::RLE,
        statistics: None,
    };
    let mut pages = TrackedWrite::new(tempfile::tempfile().unwrap());
    SerializedPageWriter::new(&mut pages).write_page(CompressedPage::new(page, size)).unwrap();
    let len = pages.bytes_written();
    let pages = pages.into_inner().unwrap();
    let mut file = Vec::new();
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let mut writer = SerializedFileWriter::new(&mut file, schema, Arc::new(WriterProperties::default())).unwrap();
    let column = writer.schema_descr().column(0);
    let metadata = ColumnChunkMetaData::builder(column)
        .set_compression(compression)
        .set_encodings(vec![Encoding::PLAIN, Encoding::RLE])
        .set_num_values(1)
        .set_total_compressed_size(len as i64)
        .set_total_uncompressed_size(len as i64)
        .set_data_page_offset(0)
        .build()
        .unwrap();
    let closed = ColumnCloseResult {
        bytes_written: len as u64,
        rows_written: 1,
        metadata,
        bloom_filter: None,
        column_index: None,
        offset_index: None,
    };
    let mut group = writer.next_row_group().unwrap();
    group.append_column(&pages, closed).unwrap();
    group.close().unwrap();
    writer.close().unwrap();
    file
}

fn zeros(n: usize) -> Vec<u8> {
    let column: ArrayRef = Arc::new(Int64Array::from(vec![0; n]));
    let rows = RecordBatch::try_from_iter([("v", column)]).unwrap();
    let options = IpcWriteOptions::default().try_with_compression(Some(CompressionType::ZSTD)).unwrap();
    let mut file = Vec::new();
    let mut writer = FileWriter::try_new_with_options(&mut file, &rows.schema(), options).unwrap();
    writer.write(&rows).unwrap();
    writer.finish().unwrap();
    drop(writer);
    file
}

fn varint(out: &mut Vec<u8>, mut value: u32) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}
