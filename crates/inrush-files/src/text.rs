//! Opens texts: chooses the reader, and detects the dialect from their beginning.

use crate::applies::FileKind;
use crate::csv::{CsvReader, READ_BYTES};
use crate::decompress::{Compression, MAGIC_BYTES, peek_own_errors};
use crate::dialect::CsvOptions;
use crate::dump::{KnownTable, Rows};
use crate::escaped;
use crate::file_format::TextFormat;
use crate::file_source::FileSource;
use crate::fixed_width::FixedWidth;
use crate::input::Utf8;
use crate::json_elements::{Elements, OnlyObject, only_object};
use crate::jsonl::JsonlReader;
use crate::on_disk::{OnDisk, Seekable};
use crate::opened_file::{OpenedFile, TextPlace};
use crate::script::without_mark;
use crate::sniff::{DetectedDialect, Sample, find_encoding, likely_encoding, sniff, sniff_lines};
use crate::widths::Widths;
use crate::xlsx::{self, Fill};
use crate::zip_member::Directory;
use encoding_rs::{Encoding, UTF_16BE, UTF_16LE};
use inrush_core::error::{Error, InputFault, Result};
use std::io::{self, Read};

/// Opens a text of this format.
pub(crate) fn open_text(file: OpenedFile<'_>, format: TextFormat, options: &CsvOptions) -> Result<Box<dyn FileSource>> {
    let kind = match (format, &options.widths) {
        (TextFormat::JsonLines, _) => FileKind::JsonLines,
        (TextFormat::Json, _) => FileKind::Json,
        (TextFormat::Sql, _) => FileKind::Dump,
        (TextFormat::Delimited(_), None) => FileKind::Delimited,
        (TextFormat::Delimited(_), Some(_)) => FileKind::FixedWidth,
    };
    kind.check(file.path, options)?;
    match (format, &options.widths) {
        (TextFormat::JsonLines, _) => Ok(Box::new(JsonlReader::open(file, options)?)),
        (TextFormat::Json, _) => open_json(file, options),
        (TextFormat::Sql, _) => open_dump(file, options),
        (TextFormat::Delimited(_), Some(widths)) => open_fixed_width(file, widths, options),
        (TextFormat::Delimited(delimiter), None) => open_delimited(file, delimiter, options),
    }
}

/// `delimiter` is the one of the format.
fn open_delimited(file: OpenedFile<'_>, delimiter: u8, options: &CsvOptions) -> Result<Box<dyn FileSource>> {
    if !options.auto_detect.is_any() {
        return Ok(Box::new(CsvReader::with(file, delimiter, options, READ_BYTES)?));
    }
    let (bytes, most, file) = match file.plain_file() {
        // Nothing of the sample stays in memory: there may be thousands of files.
        Some(place) => {
            let mut bytes = Vec::new();
            place.exact(0, SAMPLE).read_to_end(&mut bytes).map_err(|e| cannot_read(file.path, e))?;
            (bytes, SAMPLE, file)
        }
        None => {
            let (bytes, file) = file.peek(STREAM_SAMPLE);
            (bytes, STREAM_SAMPLE, file)
        }
    };
    let (is_all, comment) = ((bytes.len() as u64) < most, options.comment.as_deref());
    let sample = Sample { name: file.path, bytes: &bytes, is_all, delimiter, lacks_ends: false, wide: None, comment };
    let found = sniff(sample, options)?;
    let options = found.applied_to(options);
    let likely = if options.encoding.is_none() { likely_encoding(sample) } else { None };
    let reader = CsvReader::with(file, delimiter, &options, READ_BYTES).map_err(|error| match &likely {
        // Of the header: rows are read later.
        Some(likely) if *error.input_fault() == InputFault::Encoding => error.with_hint(likely.clone()),
        _ => error,
    })?;
    Ok(Box::new(reader.with_found(found, likely)))
}

/// Lines that are cut by widths.
fn open_fixed_width(file: OpenedFile<'_>, widths: &Widths, options: &CsvOptions) -> Result<Box<dyn FileSource>> {
    let path = file.path;
    let (sample, file) = file.peek(STREAM_SAMPLE);
    let encoding = match options.auto_detect.is_any() {
        true => find_encoding(of_lines(path, &sample), options)?,
        false => options.encoding,
    };
    let (widths, comment) = (widths.clone(), options.comment.clone());
    let lines = |bytes| FixedWidth::new(bytes, encoding, widths, comment, options.max_record);
    let file = file.try_rewritten(lines).map_err(|e| cannot_read(path, e))?;
    let options = CsvOptions { encoding: None, ..of_escaped_lines(options) };
    let (sample, file) = file.peek(STREAM_SAMPLE);
    let found = found_in_lines(of_lines(path, &sample), &options)?;
    open_lines(file, found, options)
}

/// The reader of lines that [`escaped`] writes.
fn open_lines(file: OpenedFile<'_>, found: DetectedDialect, options: CsvOptions) -> Result<Box<dyn FileSource>> {
    let is_new = (options.header, options.skip) != (found.header, found.skip);
    let options = CsvOptions { header: found.header, skip: found.skip, ..options };
    let mut reader = CsvReader::with(file, escaped::DELIMITER, &options, READ_BYTES)?;
    reader.pass_blank_lines();
    Ok(Box::new(if is_new { reader.with_found(found, None) } else { reader }))
}

/// A sample, as long as that of a stream, of lines that [`escaped`] writes, or of what they are made of.
fn of_lines<'a>(name: &'a str, bytes: &'a [u8]) -> Sample<'a> {
    let is_all = (bytes.len() as u64) < STREAM_SAMPLE;
    Sample { name, bytes, is_all, delimiter: escaped::DELIMITER, lacks_ends: true, wide: None, comment: None }
}

/// What is detected from such lines, if the options leave anything open.
fn found_in_lines(sample: Sample<'_>, options: &CsvOptions) -> Result<DetectedDialect> {
    match options.auto_detect.is_any() {
        true => sniff_lines(sample, options),
        false => Ok(DetectedDialect { header: options.header, skip: options.skip, ..DetectedDialect::default() }),
    }
}

/// The options for lines that [`escaped`] writes.
fn of_escaped_lines(options: &CsvOptions) -> CsvOptions {
    CsvOptions {
        delimiter: Some(escaped::DELIMITER),
        quote: None,
        escape: Some(escaped::ESCAPE),
        comment: None,
        cr_ends: false,
        ..options.clone()
    }
}

/// A JSON document, whose records are read like lines.
fn open_json(file: OpenedFile<'_>, options: &CsvOptions) -> Result<Box<dyn FileSource>> {
    let path = file.path;
    // A document is cut into elements as UTF-8.
    let (head, file) = file.peek(MAGIC_BYTES);
    let marked = Encoding::for_bom(&head).map(|(encoding, _)| encoding);
    let wide = marked.or(options.encoding).filter(|encoding| [UTF_16LE, UTF_16BE].contains(encoding));
    let file = match wide {
        Some(wide) => file.try_rewritten(|bytes| Utf8::new(bytes, wide)).map_err(|e| cannot_read(path, e))?,
        None => file,
    };
    let options = &CsvOptions { encoding: options.encoding.filter(|_| wide.is_none()), ..options.clone() };
    let (sample, file) = file.peek(STREAM_SAMPLE);
    let object = if options.json_path.is_none() { only_object(&sample) } else { OnlyObject::default() };
    let arrays = if object.arrays.is_empty() { object.nested_tables() } else { &object.arrays[..] };
    if let Some(first) = arrays.first().filter(|_| arrays.len() <= MOST_ARRAYS) {
        let others: String = arrays[1..].iter().map(|key| format!(", `{key}`")).collect();
        return Err(Error::config(format!("`{path}` is one object, with rows in `{first}`{others}"))
            .with_hint(format!("`--json-path {first}` loads these; `--json-path .` loads the object as one row")));
    }
    if object.has_rows_by_key() {
        let rows = format!(
            "if each is a row: `jq -c 'to_entries[] | {{key}} + .value' {path} | inrush load - --format jsonl ..`"
        );
        let is_small = object.objects <= MOST_JSON_COLUMNS && (sample.len() as u64) < STREAM_SAMPLE;
        let one = if is_small { "; `--json-path .` loads all of it as one row" } else { "" };
        return Err(Error::config(format!("`{path}` is one object, with an object in each of its keys"))
            .with_hint(format!("{rows}{one}")));
    }
    let file = file
        .try_rewritten(|bytes| Ok(Elements::new(bytes, options.json_path.as_deref())))
        .map_err(|e| cannot_read(path, e))?;
    Ok(Box::new(JsonlReader::open(file, options)?))
}

/// The rows of one table of a dump, which are read like lines of CSV.
fn open_dump(file: OpenedFile<'_>, options: &CsvOptions) -> Result<Box<dyn FileSource>> {
    let path = file.path;
    let Some(table) = &options.dump_table else {
        return Err(Error::config(format!("`{path}` is a dump in SQL, and no table of it is named"))
            .with_hint(format!("name one after a `#`: `{path}#orders`")));
    };
    let OpenedFile { bytes, meter, compression, place, .. } = file;
    let known = KnownTable { columns: options.columns_of_table.clone(), definition: options.dump_definition.clone() };
    let rows = Rows::new(path, without_mark(path, bytes)?, table, known, options.max_record)?;
    let (header, zone) = (rows.has_names(), rows.time_zone().map(str::to_owned));
    let file = OpenedFile { path, bytes: Box::new(rows), meter, compression, place, is_rewritten: true };
    let options = CsvOptions { header, rows_of_dump: Some(table.clone()), ..of_escaped_lines(options) };
    let reader = CsvReader::with(file, escaped::DELIMITER, &options, READ_BYTES)?;
    let found = DetectedDialect { header, ..DetectedDialect::default() };
    Ok(Box::new(reader.with_found(found, None).with_time_zone(zone)))
}

/// A sheet, whose rows are read like lines of CSV.
pub(crate) fn open_workbook(
    path: &str,
    archive: &str,
    bytes: &OnDisk,
    directory: Directory<Seekable>,
    sheet: Option<&str>,
    options: &CsvOptions,
) -> Result<Box<dyn FileSource>> {
    FileKind::Sheet.check(path, options)?;
    let from = |at| Box::new(bytes.from(at)) as Box<dyn Read + Send>;
    let opened = xlsx::open(archive, directory, &from, sheet, None, options)?;
    let place = TextPlace::OnDisk(bytes.of_member(&opened.name));
    let (sample, mut lines) = peek_own_errors(opened.lines, STREAM_SAMPLE).map_err(|error| question(path, &error))?;
    let mut meter = opened.meter;
    // Empty cells at the end of a row are not there.
    let lined = CsvOptions { null_missing_fields: true, ..of_escaped_lines(options) };
    let found = found_in_lines(of_lines(path, &sample), &lined)?;
    if !found.header {
        // The columns are counted in the first row then.
        let rows = sample.split(|byte| *byte == b'\n').skip(usize::try_from(found.skip).unwrap_or(usize::MAX));
        let width = rows.map(|row| row.split(|byte| *byte == escaped::DELIMITER).count()).max().unwrap_or(0);
        let fill = Fill { line: u32::try_from(found.skip).unwrap_or(u32::MAX), width: width as u32 };
        let directory = Directory::read(archive, bytes.seekable())?;
        let opened = xlsx::open(archive, directory, &from, sheet, Some(fill), options)?;
        (lines, meter) = (opened.lines, opened.meter);
    }
    let file = OpenedFile { path, bytes: lines, meter, compression: Compression::Zip, place, is_rewritten: true };
    open_lines(file, found, lined)
}

fn cannot_read(path: &str, error: io::Error) -> Error {
    Error::io(format!("cannot read `{path}`"), error)
}

/// An error of a reader before the first row, when its options can still be given.
fn question(path: &str, error: &Error) -> Error {
    let hint = error.hint().unwrap_or_default().replace("FILE", path);
    Error::config(format!("{} (`{path}`)", error.message())).with_hint(hint)
}

/// The bytes at a file's beginning from which its dialect is detected.
const SAMPLE: u64 = 1 << 20;

/// The same for bytes that stay in memory until they are read: the beginning of a stream or of a compressed file.
const STREAM_SAMPLE: u64 = 256 << 10;

/// More arrays are data, not tables.
const MOST_ARRAYS: usize = 8;

/// Objects with more columns than this are not meant as a table.
const MOST_JSON_COLUMNS: usize = 100;
