//! The fuzz harness: arbitrary bytes for every reader. No reader may panic, hang or take unbounded memory, and the size of reads must not
//! matter. The fuzz targets and the stable tests share these functions.

use crate::csv::CsvReader;
use crate::decompress::{Compression, decompress};
use crate::dialect::{AutoDetect, CsvOptions, Doubts, HeaderNames};
use crate::dump::{DumpContents, KnownTable, Rows};
use crate::file_format::Format;
use crate::file_source::FileSource;
use crate::fixed_width::FixedWidth;
use crate::formats::{DateFormat, Percent, ValueFormats};
use crate::infer_types::Inferred;
use crate::json_elements::{Elements, only_object};
use crate::jsonl::JsonlReader;
use crate::open::open;
use crate::opened_file::OpenedFile;
use crate::sniff::{Sample, sniff};
use crate::tar_member;
use crate::widths::Widths;
use crate::xlsx;
use crate::zip_member::{self, Directory};
use arrow_array::cast::AsArray;
use inrush_core::column::Column;
use inrush_core::column::Rules;
use inrush_core::column::check::Check;
use inrush_core::error::Result;
use inrush_core::load::Source;
use inrush_core::load::checksum::checksum;
use inrush_core::load::encode::load_data;
use inrush_core::wire::ServerVersion;
use std::io::{Cursor, Read};
use std::sync::atomic::{AtomicU64, Ordering};

/// A target, which accepts any bytes.
pub type FuzzTarget = fn(&[u8]);

/// Every target with its name.
// `columnar` is not among them: a fuzzer ends at any panic, and the panics of decoders are caught (see `guard`).
pub const ALL: &[(&str, FuzzTarget)] = &[
    ("csv", csv),
    ("csv_cuts", csv_cuts),
    ("csv_pass_through", csv_pass_through),
    ("found_out", found_out),
    ("dump", dump),
    ("jsonl", jsonl),
    ("containers", containers),
    ("workbook", workbook),
];

/// CSV: the first four bytes choose the dialect and the sizes, the rest is the file.
pub fn csv(bytes: &[u8]) {
    let Some((&[bytes_with_meaning, switches, sizes, read_bytes], text)) = bytes.split_first_chunk() else { return };
    let options = options(bytes_with_meaning, switches, sizes);
    let in_one_go = outcome(text, &options, 1 << 16);
    assert_eq!(in_one_go, outcome(text, &options, usize::from(read_bytes) + 1), "the size of reads matters");
}

/// CSV cut before it is parsed: single records, small batches and one batch must have the same records.
pub fn csv_cuts(bytes: &[u8]) {
    let Some((&[bytes_with_meaning, switches, sizes], text)) = bytes.split_first_chunk() else { return };
    let whole = CsvOptions { batch_bytes: 1 << 20, batch_rows: None, ..options(bytes_with_meaning, switches, sizes) };
    let small = CsvOptions { batch_bytes: usize::from(sizes) + 1, ..whole.clone() };
    let single = CsvOptions { batch_rows: Some(1), ..whole.clone() };
    let records = records(text, &whole);
    assert_eq!(self::records(text, &small), records, "a batch's size matters");
    assert_eq!(self::records(text, &single), records, "the place of a record in its batch matters");
}

/// Detection returns the same result each time, for any bytes. As a JSON document, the bytes become the same lines however the reads
/// are cut.
pub fn found_out(bytes: &[u8]) {
    let all = AutoDetect { delimiter: true, quote: true, header: true, skip: true, encoding: true };
    let options = CsvOptions::default().with_auto_detect(all);
    let sample =
        Sample { name: "fuzz", bytes, is_all: true, delimiter: b',', lacks_ends: false, wide: None, comment: None };
    let found = || sniff(sample, &options).map(|found| format!("{found:?}")).map_err(|error| error.to_string());
    assert_eq!(found(), found(), "what is found out differs from time to time");
    let _ = only_object(bytes);
    let widths = Widths::parse("1,3,rest").unwrap_or_else(|_| unreachable!("these are widths"));
    let cut = |piece: usize| {
        let bytes = Box::new(Pieces { bytes: bytes.to_vec(), at: 0, piece });
        let mut lines = Vec::new();
        let read = FixedWidth::new(bytes, None, widths.clone(), Some(b"#".to_vec()), 200)
            .and_then(|mut text| text.read_to_end(&mut lines));
        (read.is_ok(), lines)
    };
    let (one, all) = (cut(1), cut(usize::MAX));
    // How much comes before the error of a line that is too long depends on the reads.
    assert!(one.0 == all.0 && (!one.0 || one.1 == all.1), "the size of reads matters");
    for path in [None, Some(["a".to_owned()].as_slice())] {
        let lines = |piece: usize| {
            let mut lines = Vec::new();
            let mut elements = Elements::new(Pieces { bytes: bytes.to_vec(), at: 0, piece }, path);
            elements.read_to_end(&mut lines).map(|_| lines).map_err(|error| error.to_string())
        };
        assert_eq!(lines(1), lines(usize::MAX), "the size of reads matters");
    }
}

/// A dump in SQL: its contents and the rows of its table `t`, however the reads are cut.
pub fn dump(bytes: &[u8]) {
    let pieces = |piece: usize| Pieces { bytes: bytes.to_vec(), at: 0, piece };
    let contents = |piece: usize| DumpContents::of_bytes("fuzz", pieces(piece)).map_err(|error| error.to_string());
    assert_eq!(contents(1), contents(usize::MAX), "the size of reads matters");
    let lines = |piece: usize| {
        let mut lines = Vec::new();
        let read =
            Rows::new("fuzz", pieces(piece), "t", KnownTable::default(), 1 << 20).map_err(|error| error.to_string());
        read.and_then(|mut rows| rows.read_to_end(&mut lines).map_err(|error| error.to_string())).map(|_| lines)
    };
    assert_eq!(lines(1), lines(usize::MAX), "the size of reads matters");
}

/// Bytes that are read in pieces.
struct Pieces {
    bytes: Vec<u8>,
    at: usize,
    piece: usize,
}

impl Read for Pieces {
    fn read(&mut self, space: &mut [u8]) -> std::io::Result<usize> {
        let n = self.piece.min(space.len());
        let n = (&self.bytes[self.at..]).read(&mut space[..n])?;
        self.at += n;
        Ok(n)
    }
}

/// CSV that is validated for pass-through: if a chunk passes, parsing it must find only rows of cells that need no change. The columns have
/// the types that are inferred from the beginning of the file.
pub fn csv_pass_through(bytes: &[u8]) {
    let Some((&[bytes_with_meaning, switches, sizes], text)) = bytes.split_first_chunk() else { return };
    let options = options(bytes_with_meaning, switches, sizes);
    let validate = || -> Result<()> {
        let mut reader = CsvReader::new("fuzz", Cursor::new(text.to_vec()), &options)?;
        let fields = reader.infer_types(usize::from(sizes) + 1)?;
        reader.read_as(&fields);
        let checks = checks(fields);
        while let Some(chunk) = reader.next_raw_chunk()? {
            let seen = chunk.pass_through(&checks);
            let batch = chunk.parse()?;
            let Some(pass_through) = seen else { continue };
            let mut bad = Vec::new();
            let columns = checks.iter().zip(batch.rows.columns());
            let columns: Vec<_> =
                columns.map(|(check, cells)| check.run(cells.as_binary_view(), batch.utf8, &mut bad)).collect();
            assert!(
                batch.rejects.is_empty() && bad.is_empty() && pass_through.n_rows() == batch.records(),
                "not all are rows"
            );
            let separators = load_data::batch_passes_through(&batch, &columns, &[]);
            // With an escape, parsing does not determine whether it occurs.
            let gives_up = options.escape.is_some() && separators.is_none();
            assert!(gives_up || load_data::passes_through(&pass_through) == separators, "it cannot be passed through");
        }
        Ok(())
    };
    // Errors of reading are checked by another target.
    let _ = validate();
}

/// The checks of columns with the inferred types of these fields.
fn checks(fields: Vec<Inferred>) -> Vec<Check> {
    let rules = Rules::utc(ServerVersion::parse("9.7.4"));
    fields.into_iter().map(|field| Check::new(&Column::new(field.name, field.ty), &rules)).collect()
}

fn options(bytes_with_meaning: u8, switches: u8, sizes: u8) -> CsvOptions {
    let one_of = |choices: &[Option<u8>], by: u8| choices[usize::from(by) % choices.len()];
    CsvOptions {
        delimiter: one_of(&[None, Some(b'\t'), Some(b' '), Some(0)], bytes_with_meaning),
        quote: one_of(&[Some(b'"'), None, Some(b'a')], bytes_with_meaning >> 2),
        escape: one_of(&[None, Some(b'\\'), Some(b'"')], bytes_with_meaning >> 5),
        comment: (bytes_with_meaning & 0x80 != 0).then(|| b"#".to_vec()),
        header: switches & 1 == 0,
        nulls: if switches & 2 == 0 { Vec::new() } else { vec![b"NA".to_vec(), b"".to_vec()] },
        encoding: [None, Some(encoding_rs::SHIFT_JIS), Some(encoding_rs::UTF_16LE), Some(encoding_rs::GB18030)]
            [usize::from(switches >> 2) % 4],
        skip: u64::from(switches >> 4) % 3,
        limit: (switches & 0x80 != 0).then_some(9),
        batch_rows: Some(usize::from(sizes % 8) + 1),
        batch_bytes: usize::from(sizes) + 1,
        max_record: usize::from(sizes) * 4 + 1,
        memory: 64 << 20,
        cr_ends: false,
        json_path: None,
        widths: None,
        ignore_extra_fields: sizes & 1 != 0,
        null_missing_fields: sizes & 2 != 0,
        formats: if sizes & 4 == 0 { ValueFormats::default() } else { german() },
        names: HeaderNames::Keep,
        all_names: false,
        ignore_late_names: false,
        stored_formulas: false,
        auto_detect: AutoDetect::default(),
        columns_of_table: None,
        dump_table: None,
        dump_definition: None,
        rows_of_dump: None,
        doubts: Doubts { swallowing: switches & 0x40 != 0, backslashes: sizes & 8 != 0 },
    }
}

fn german() -> ValueFormats {
    let dates = ["%d.%m.%Y", "%d.%m.%Y %H:%M"].map(|format| DateFormat { column: None, format: format.to_owned() });
    ValueFormats::default().with_decimal(',').with_thousands('.').with_percent(Percent::Share).with_dates(dates)
}

/// The result of a complete file, as text, including invalid UTF-8.
fn outcome(text: &[u8], options: &CsvOptions, read_bytes: usize) -> Vec<String> {
    let mut lines = Vec::new();
    if let Err(error) = read(text, options, read_bytes, &mut lines) {
        lines.push(error.to_string());
    }
    lines
}

fn read(text: &[u8], options: &CsvOptions, read_bytes: usize, lines: &mut Vec<String>) -> Result<()> {
    let file = OpenedFile::of_bytes("fuzz", Cursor::new(text.to_vec()));
    let mut reader = CsvReader::with(file, b',', options, read_bytes)?;
    let fields = reader.infer_types(200)?;
    lines.push(format!("{fields:?}"));
    reader.read_as(&fields);
    while let Some(batch) = reader.next()? {
        let origin = &batch.origin;
        let place = (origin.first_record, origin.first_line, &origin.record_starts, &origin.record_ends);
        lines.push(format!("{:?} {place:?} {:?}", batch.rows.columns(), batch.rejects));
    }
    Ok(())
}

/// Every record with its line: its text, and its fields or its fault; then the error, if any.
fn records(text: &[u8], options: &CsvOptions) -> Vec<(u64, String)> {
    let mut seen = Vec::new();
    let mut gather = || -> Result<()> {
        let bytes = Cursor::new(text.to_vec());
        let mut reader = CsvReader::new("fuzz", bytes, options)?;
        while let Some(chunk) = reader.next_raw_chunk()? {
            let n_records = chunk.records();
            let batch = chunk.parse()?;
            assert_eq!(batch.records(), n_records, "the number of records differs");
            for row in 0..batch.rows.num_rows() {
                let fields: Vec<_> = batch.rows.columns().iter().map(|column| column.slice(row, 1)).collect();
                seen.push((batch.origin.place(row).line, format!("{:?} {fields:?}", batch.origin.raw(row))));
            }
            seen.extend(batch.rejects.iter().map(|reject| (reject.place.line, format!("{reject:?}"))));
        }
        Ok(())
    };
    let error = gather().err().map(|error| (u64::MAX, error.to_string()));
    seen.sort();
    seen.extend(error);
    seen
}

/// Compressions and archives, by the first bytes.
pub fn containers(bytes: &[u8]) {
    let open = || -> Result<Box<dyn Read + Send>> {
        let bytes = Cursor::new(bytes.to_vec());
        match Compression::of("fuzz", bytes.get_ref())? {
            Compression::Zip => Ok(zip_member::open(Directory::read("fuzz", bytes)?, None)?.bytes),
            other => decompress(Box::new(bytes), other).map_err(|e| inrush_core::error::Error::io("cannot read", e)),
        }
    };
    // An error is a valid result; a bomb is cut off.
    let _ = open().map(|plain| std::io::copy(&mut plain.take(1 << 24), &mut std::io::sink()));
    let _ = open().map(|plain| tar_member::find("fuzz", &mut tar_member::Stream(plain.take(1 << 24)), None));
}

/// The XML of a sheet: the same lines however the reads are cut.
pub fn workbook(bytes: &[u8]) {
    let lines = |piece: usize| xlsx::lines_of(Box::new(Pieces { bytes: bytes.to_vec(), at: 0, piece }));
    assert_eq!(lines(1), lines(usize::MAX), "the size of reads matters");
}

/// JSON Lines, in reads of two sizes: the same rows and the same faults.
pub fn jsonl(bytes: &[u8]) {
    let outcome = |read_bytes: usize| {
        let options = CsvOptions { batch_bytes: 64, max_record: 256, ..CsvOptions::default() };
        let file = OpenedFile::of_bytes("fuzz", Cursor::new(bytes.to_vec()));
        let mut lines = Vec::new();
        let read = || -> Result<()> {
            let mut reader = JsonlReader::with(file, &options, read_bytes)?;
            lines.push(format!("{:?}", reader.infer_types(200)?));
            while let Some(batch) = reader.next()? {
                lines.push(format!("{:?} {:?}", batch.rows.columns(), batch.rejects));
            }
            Ok(())
        };
        let end = read().err().map(|error| error.to_string());
        (lines, end)
    };
    assert_eq!(outcome(1 << 20), outcome(3));
}

/// Parquet and Arrow files and streams, by their first bytes.
pub fn columnar(bytes: &[u8]) {
    let Ok(mut file) = tempfile() else { return };
    if std::io::Write::write_all(&mut file.0, bytes).is_err() {
        return;
    }
    for format in [Format::Parquet, Format::Arrow] {
        let _ = open(&file.1, format, &CsvOptions::default()).and_then(|mut reader| {
            let checks = checks(reader.infer_types(1000)?);
            while let Some(chunk) = reader.next_raw_chunk()? {
                let written = chunk.write(&checks, &Vec::with_capacity);
                let batch = chunk.parse()?;
                let same = written.is_none_or(|(_, text)| checksum(&text) == batch.checksum());
                assert!(same, "the written text differs from the parsed cells");
            }
            Ok(())
        });
    }
    let _ = std::fs::remove_file(&file.1);
}

/// A temporary file, for readers that seek.
fn tempfile() -> std::io::Result<(std::fs::File, String)> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let name = format!("inrush-fuzz-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    let path = std::env::temp_dir().join(name);
    Ok((std::fs::File::create(&path)?, path.to_string_lossy().into_owned()))
}

#[cfg(test)]
mod tests;
