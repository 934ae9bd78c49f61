//! Opens a file by its name and its first bytes: which format, how compressed, how long.

use crate::address::Address;
use crate::arrow::{self, Arrow};
use crate::columnar::{Columnar, Cuts, SourceLocation};
use crate::csv::{CsvReader, READ_BYTES};
use crate::decompress::{Compression, MAGIC_BYTES, decompress, peek, peek_before_errors, peek_own_errors};
use crate::dialect::CsvOptions;
use crate::escaped;
use crate::file_source::FileSource;
use crate::fixed_width::FixedWidth;
use crate::input::{Meter, Metered, Utf8};
use crate::json_elements::{Elements, OnlyObject, only_object};
use crate::jsonl::JsonlReader;
use crate::objects::{self, Opened};
use crate::on_disk::{OnDisk, Seekable};
use crate::parquet::Parquet;
use crate::sniff::{DetectedDialect, Sample, find_encoding, likely_encoding, sniff, sniff_lines};
use crate::tar_member::{self, is_tar};
use crate::widths::Widths;
use crate::xlsx::{self, Fill, is_workbook};
use crate::zip_member::{self, Directory};
use encoding_rs::{Encoding, UTF_16BE, UTF_16LE};
use inrush_core::error::{Error, InputFault, Kind, Result};
use inrush_core::load::checksum::checksum;
use std::any::Any;
use std::fs::File;
use std::io::{self, Read};
use std::sync::Arc;

/// What kind of file it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// By its first bytes for Parquet and Arrow, by its files for a workbook, else by its name: TSV for `.tsv` and `.tab`,
    /// JSON Lines for `.jsonl` and `.ndjson`, JSON for `.json` and `.geojson`, CSV for every other name.
    #[default]
    Auto,
    /// Fields between commas.
    Csv,
    /// Fields between tabs; quotes work as in CSV.
    Tsv,
    /// JSON Lines: an object on each line.
    Jsonl,
    /// A JSON document: an array of objects, by itself or within objects; or objects one after the other.
    Json,
    /// Parquet.
    Parquet,
    /// Arrow IPC, as a file (Feather) or a stream.
    Arrow,
    /// A sheet of an Excel workbook.
    Xlsx,
}

impl Format {
    /// All of them, by the names that a user writes.
    pub const NAMES: [(&'static str, Self); 8] = [
        ("auto", Self::Auto),
        ("csv", Self::Csv),
        ("tsv", Self::Tsv),
        ("jsonl", Self::Jsonl),
        ("json", Self::Json),
        ("parquet", Self::Parquet),
        ("arrow", Self::Arrow),
        ("xlsx", Self::Xlsx),
    ];

    /// The format of this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(known, _)| *known == name).map(|(_, format)| *format)
    }
}

/// Opens `path`, or standard input if it is `-`. A zip or tar archive must hold one file, or be followed by `#` and the name of
/// one of its files; a workbook the same with its sheets.
///
/// # Errors
/// `Config` for what cannot be opened, has another format than the name or the options say, or is not read; `Data` for a damaged file.
pub fn open(path: &str, format: Format, options: &CsvOptions) -> Result<Box<dyn FileSource>> {
    let mut file = open_once(path, format, options)?;
    let json = (&mut *file as &mut dyn Any).downcast_mut::<JsonlReader>();
    if let Some(json) = json.filter(|json| options.all_names && json.may_have_more_names()) {
        let mut again = open_once(path, format, options)?;
        if let Some(again) = (&mut *again as &mut dyn Any).downcast_mut::<JsonlReader>() {
            json.take_all_names(again)?;
        }
    }
    Ok(file)
}

fn open_once(path: &str, format: Format, options: &CsvOptions) -> Result<Box<dyn FileSource>> {
    if path == "-" {
        return open_stream(path, Box::new(io::stdin()), None, format, options);
    }
    if let Some((address, member)) = at_address(path)? {
        return open_object(&address, member, format, options);
    }
    let (file, archive, member) = open_path(path)?;
    let metadata = file.metadata().map_err(|e| cannot_open(path, e))?;
    if metadata.is_dir() {
        return Err(Error::config(format!("`{path}` is a directory")).with_hint("name the files in it"));
    }
    if !metadata.is_file() {
        return open_stream(path, Box::new(file), None, format, options);
    }
    open_placed(path, archive, member, OnDisk::new(path, archive, None, &file)?, format, options)
}

/// A file or an object, whose bytes are read from any place of it.
fn open_placed(
    path: &str,
    archive: &str,
    member: Option<&str>,
    place: OnDisk,
    format: Format,
    options: &CsvOptions,
) -> Result<Box<dyn FileSource>> {
    let cannot_read = |e| Error::io(format!("cannot read `{path}`"), e);
    let mut head = Vec::new();
    place.exact(0, MAGIC_BYTES).read_to_end(&mut head).map_err(cannot_read)?;
    match (Compression::of(path, &head)?, member) {
        // By its beginning alone: what only has the name is refused as that.
        (Compression::None, None) if is_parquet("", &head, format) => open_parquet(path, place, options),
        (Compression::None, None) if is_arrow_file(&head, format) => open_arrow_file(path, place, options),
        (Compression::Zip, member) => {
            let directory = Directory::read(archive, place.seekable())?;
            if format == Format::Xlsx || (format == Format::Auto && is_workbook(&directory.names())) {
                return open_workbook(path, archive, &place, directory, member, options);
            }
            // A document that is a zip archive inside.
            if let (Format::Auto, None) = (format, member) {
                refuse_other_format(path, &[ending(path)])?;
            }
            let member = zip_member::open(directory, member)?;
            let place = place.of_member(&member.name);
            let of = OfArchive { path, archive, member: &member.name, compression: Compression::Zip, place };
            of.open(member.bytes, member.meter, format, options)
        }
        (compression, member) => {
            let (head, _) = peek_before_errors(plain_from(&place, compression, None).map_err(cannot_read)?, TAR_HEAD);
            match member {
                _ if is_tar(&head) => open_tar(path, archive, &place, compression, member, format, options),
                Some(_) => Err(Error::config(format!("`{archive}` is neither a zip archive nor a tar archive"))),
                None => open_stream(path, Box::new(place.from(0)), Some(place), format, options),
            }
        }
    }
}

/// The address that a name is, and the name of the member of an archive after a `#`; `None` for the path of a file.
fn at_address(path: &str) -> Result<Option<(Address, Option<&str>)>> {
    match Address::parse(path).transpose()? {
        Some(address) if address.scheme.is_http() => {
            let (url, member) = path.split_once('#').map_or((path, None), |(url, member)| (url, Some(member)));
            Ok(Address::parse(url).transpose()?.map(|address| (address, member)))
        }
        other => Ok(other.map(|address| (address, None))),
    }
}

/// An object. Its key may contain a `#` as well.
fn open_object(
    address: &Address,
    member: Option<&str>,
    format: Format,
    options: &CsvOptions,
) -> Result<Box<dyn FileSource>> {
    let (archive, member, opened) = match objects::open(address) {
        Err(error) if member.is_none() && objects::is_missing(&error) => open_archive(address).ok_or(error)??,
        opened => (address.clone(), member.map(str::to_owned), opened?),
    };
    let (archive, member) = (archive.shown(), member.as_deref());
    let path = member.map_or_else(|| archive.clone(), |member| format!("{archive}#{member}"));
    match opened {
        Opened::Object(object) => {
            let place = OnDisk::of_object(&path, &object);
            open_placed(&path, &archive, member, place, format, options)
        }
        Opened::Stream(bytes) => open_stream(&path, bytes, None, format, options),
    }
}

/// The first object whose key ends before a `#` of the address; the rest is a member's name.
fn open_archive(address: &Address) -> Option<Result<(Address, Option<String>, Opened)>> {
    let places = address.key.match_indices('#').map(|(at, _)| (&address.key[..at], &address.key[at + 1..]));
    places.filter(|(key, _)| !key.is_empty()).find_map(|(key, member)| {
        let archive = address.with_key(key);
        match objects::open(&archive) {
            Err(error) if objects::is_missing(&error) => None,
            opened => Some(opened.map(|opened| (archive, Some(member.to_owned()), opened))),
        }
    })
}

/// The plain bytes of a file from its beginning; the meter counts the bytes that are read of the file.
fn plain_from(place: &OnDisk, compression: Compression, meter: Option<Arc<Meter>>) -> io::Result<Box<dyn Read + Send>> {
    let bytes = place.from(0);
    match meter {
        Some(meter) => decompress(Box::new(Metered::new(bytes, meter)), compression),
        None => decompress(Box::new(bytes), compression),
    }
}

/// A member of a tar archive, which may be compressed.
fn open_tar(
    path: &str,
    archive: &str,
    bytes: &OnDisk,
    compression: Compression,
    member: Option<&str>,
    format: Format,
    options: &CsvOptions,
) -> Result<Box<dyn FileSource>> {
    let cannot_read = |e| Error::io(format!("cannot read `{archive}`"), e);
    let is_plain = compression == Compression::None;
    let member = match is_plain {
        true => tar_member::find(archive, &mut bytes.from(0), member)?,
        false => {
            let mut plain = tar_member::Stream(plain_from(bytes, compression, None).map_err(cannot_read)?);
            tar_member::find(archive, &mut plain, member)?
        }
    };
    let meter = Meter::new(Some(if is_plain { member.size } else { bytes.size() }));
    let plain: Box<dyn Read + Send> = match is_plain {
        true => Box::new(Metered::new(bytes.from(member.start), meter.clone())),
        false => {
            let mut plain = plain_from(bytes, compression, Some(meter.clone())).map_err(cannot_read)?;
            io::copy(&mut (&mut plain).take(member.start), &mut io::sink()).map_err(cannot_read)?;
            plain
        }
    };
    let plain = Box::new(tar_member::Whole::new(plain, member.size));
    let place = bytes.of_member(&member.name);
    let of = OfArchive { path, archive, member: &member.name, compression: Compression::Tar, place };
    of.open(plain, meter, format, options)
}

/// A member of an archive.
struct OfArchive<'a> {
    path: &'a str,
    archive: &'a str,
    member: &'a str,
    compression: Compression,
    place: OnDisk,
}

impl OfArchive<'_> {
    /// Opens it as what its bytes and its name say; it may be compressed.
    fn open(
        self,
        bytes: Box<dyn Read + Send>,
        meter: Arc<Meter>,
        format: Format,
        options: &CsvOptions,
    ) -> Result<Box<dyn FileSource>> {
        let Self { path, archive, member, compression, place } = self;
        let cannot_read = |e| Error::io(format!("cannot read `{path}`"), e);
        let (head, bytes) = peek_before_errors(bytes, MAGIC_BYTES);
        let inner = Compression::of(path, &head)?;
        let is_read_from_end = inner == Compression::Zip
            || is_parquet(member, &head, format)
            || is_arrow_file(&head, format)
            || is_arrow_stream(member, &head, format);
        if is_read_from_end {
            return Err(Error::config(format!("`{member}` in `{archive}` is a file that is read from its end"))
                .with_hint("unpack it first"));
        }
        let plain = decompress(bytes, inner).map_err(cannot_read)?;
        open_text([member, archive], path, plain, meter, compression, Some(place), format, options)
    }
}

/// Opens the file, and returns its path and the name of the member or sheet after a `#`. Both such a name and the path of a file may
/// contain a `#`.
fn open_path(path: &str) -> Result<(File, &str, Option<&str>)> {
    let error = match File::open(path) {
        Ok(file) => return Ok((file, path, None)),
        Err(error) => error,
    };
    if error.kind() == io::ErrorKind::NotFound {
        refuse_address(path)?;
    }
    let mut last = None;
    for (at, _) in path.match_indices('#').filter(|_| error.kind() == io::ErrorKind::NotFound) {
        let (archive, member) = (&path[..at], &path[at + 1..]);
        match File::open(archive) {
            Ok(file) => return Ok((file, archive, Some(member))),
            Err(error) => last = Some(cannot_open(archive, error)),
        }
    }
    Err(last.unwrap_or_else(|| cannot_open(path, error)))
}

/// Refuses an address and says that it is one. The message does not repeat a login or a signature in it.
fn refuse_address(path: &str) -> Result<()> {
    let Some((scheme, rest)) = path.split_once("://") else { return Ok(()) };
    if let Some((_, own)) = ALIASES.iter().find(|(known, _)| scheme.eq_ignore_ascii_case(known)) {
        return Err(Error::config(format!("addresses that begin with `{scheme}://` are not read"))
            .with_hint(format!("write it as {own}")));
    }
    let Some((_, fetch)) = FETCH.iter().find(|(known, _)| scheme.eq_ignore_ascii_case(known)) else { return Ok(()) };
    let shown = rest.split(['?', '#']).next().unwrap_or_default();
    let shown = shown.rsplit_once('@').map_or(shown, |(_, place)| place);
    Err(Error::config(format!("`{scheme}://{shown}` is an address of a kind that is not read"))
        .with_hint(format!("fetch it first, so that a broken download is not loaded as a short file: `{fetch}`")))
}

/// Without a place on the disk it is a stream that only a later run's input may repeat.
fn open_stream(
    path: &str,
    bytes: Box<dyn Read + Send>,
    place: Option<OnDisk>,
    format: Format,
    options: &CsvOptions,
) -> Result<Box<dyn FileSource>> {
    let cannot_read = |e| Error::io(format!("cannot read `{path}`"), e);
    let meter = Meter::new(place.as_ref().map(OnDisk::size));
    let (head, bytes) = peek(Box::new(Metered::new(bytes, meter.clone())), MAGIC_BYTES).map_err(cannot_read)?;
    let compression = Compression::of(path, &head)?;
    match Compression::of_name(path).0 {
        _ if compression == Compression::Zip => {
            return Err(Error::config("a zip archive cannot be read from a pipe: its directory is at its end")
                .with_hint("name the file itself, or pipe the output of `unzip -p`"));
        }
        Some(named) if named != compression => {
            return Err(Error::data(format!("`{path}` is not what its name says: it is {}", compression.describe())));
        }
        _ => {}
    }
    let plain = refuse_twice(path, compression, decompress(bytes, compression).map_err(cannot_read)?)?;
    // The name determines the format of a compressed stream.
    let head = if compression == Compression::None { head } else { Vec::new() };
    let is_on_disk = place.is_some() && compression == Compression::None;
    if !is_on_disk && (is_parquet(path, &head, format) || is_arrow_file(&head, format)) {
        return Err(Error::config(format!(
            "`{path}` is a file that is read from its end, and cannot be read from a stream"
        ))
        .with_hint("name the file itself, decompressed"));
    }
    if is_arrow_stream(path, &head, format) {
        columnar_options(path, options)?;
        let (location, plain) = match place {
            Some(place) => (SourceLocation::OnDisk(place), plain),
            None => {
                let (head, plain) = peek(plain, STREAM_HEAD).map_err(cannot_read)?;
                (SourceLocation::Stream { name: "-".into(), hash: checksum(&head) }, plain)
            }
        };
        let arrow = Arrow::open_stream(path, plain, options.memory)?;
        return Ok(Box::new(Columnar::new(path, arrow, meter, cuts(options), location)?.renaming(options.names)));
    }
    open_text(["", path], path, plain, meter, compression, place, format, options)
}

/// Refuses data that is compressed a second time inside.
fn refuse_twice(path: &str, outer: Compression, plain: Box<dyn Read + Send>) -> Result<Box<dyn Read + Send>> {
    if outer == Compression::None {
        return Ok(plain);
    }
    let (head, plain) = peek_before_errors(plain, MAGIC_BYTES);
    match Compression::of(path, &head)? {
        Compression::None => Ok(plain),
        inner => {
            let (inside, outer) = (inner.describe(), outer.describe());
            let message = format!("`{path}` is {outer}, and what is in it is {inside}");
            let program = match outer.rsplit(' ').next() {
                Some("zstd") => "zstd",
                Some("lz4") => "lz4",
                Some("xz") => "xz",
                Some("bzip2") => "bzip2",
                _ => "gzip",
            };
            Err(Error::config(message).with_hint(match inner {
                Compression::Zip => format!("`{program} -dc {path} > inside.zip`, then load that"),
                _ => format!("`{program} -dc {path} | inrush load - ..` loads it"),
            }))
        }
    }
}

/// `names` are the names that may determine the format.
#[expect(clippy::too_many_arguments, reason = "everything known about a file, passed on in one place")]
fn open_text(
    names: [&str; 2],
    path: &str,
    plain: Box<dyn Read + Send>,
    meter: Arc<Meter>,
    compression: Compression,
    place: Option<OnDisk>,
    format: Format,
    options: &CsvOptions,
) -> Result<Box<dyn FileSource>> {
    let is_jsonl = match format {
        Format::Auto => names.iter().any(|name| matches!(&ending(name)[..], "jsonl" | "ndjson")),
        format => format == Format::Jsonl,
    };
    if is_jsonl {
        refuse(path, JSON_OPTIONS, options)?;
        let lines = JsonlReader::line_options(options);
        let text = CsvReader::with(path, plain, meter, compression, b',', &lines, READ_BYTES)?.placed(place);
        return Ok(Box::new(JsonlReader::new(text, options)?));
    }
    let is_json = match format {
        Format::Auto => names.iter().any(|name| matches!(&ending(name)[..], "json" | "geojson")),
        format => format == Format::Json,
    };
    if is_json {
        return open_json(path, plain, meter, compression, place, options);
    }
    if options.json_path.is_some() {
        return Err(Error::config(format!("`--json-path` has no meaning for `{path}`, which is no JSON document"))
            .with_hint("if it is one, `--format json`"));
    }
    let delimiter = delimiter(path, names[0], format)?;
    if let Some(widths) = &options.widths {
        return open_fixed_width(path, plain, meter, compression, place, widths, options);
    }
    if !options.auto_detect.is_any() {
        return Ok(Box::new(
            CsvReader::with(path, plain, meter, compression, delimiter, options, READ_BYTES)?.placed(place),
        ));
    }
    let cannot_read = |e| Error::io(format!("cannot read `{path}`"), e);
    let (bytes, is_all, plain) = match &place {
        // Nothing of the sample stays in memory: there may be thousands of files.
        Some(place) if compression == Compression::None => {
            let mut bytes = Vec::new();
            place.exact(0, SAMPLE).read_to_end(&mut bytes).map_err(cannot_read)?;
            let is_all = (bytes.len() as u64) < SAMPLE;
            (bytes, is_all, plain)
        }
        _ => {
            let (bytes, plain) = peek_before_errors(plain, STREAM_SAMPLE);
            let is_all = (bytes.len() as u64) < STREAM_SAMPLE;
            (bytes, is_all, plain)
        }
    };
    let comment = options.comment.as_deref();
    let sample = Sample { name: path, bytes: &bytes, is_all, delimiter, lacks_ends: false, wide: None, comment };
    let found = sniff(sample, options)?;
    let options = found.applied_to(options);
    let likely = if options.encoding.is_none() { likely_encoding(sample) } else { None };
    let reader = CsvReader::with(path, plain, meter, compression, delimiter, &options, READ_BYTES);
    let reader = reader.map_err(|error| match &likely {
        // Of the header: rows are read later.
        Some(likely) if *error.input_fault() == InputFault::Encoding => error.with_hint(likely.clone()),
        _ => error,
    })?;
    Ok(Box::new(reader.placed(place).with_found(found, likely)))
}

/// Lines that are cut by widths.
fn open_fixed_width(
    path: &str,
    plain: Box<dyn Read + Send>,
    meter: Arc<Meter>,
    compression: Compression,
    place: Option<OnDisk>,
    widths: &Widths,
    options: &CsvOptions,
) -> Result<Box<dyn FileSource>> {
    if let Some((option, _)) = [DELIMITER, QUOTE, ESCAPE].iter().find(|(_, is_given)| is_given(options)) {
        return Err(Error::config(format!("`{option}` has no meaning with `--widths`: nothing is between the fields")));
    }
    let (sample, plain) = peek_before_errors(plain, STREAM_SAMPLE);
    let is_all = (sample.len() as u64) < STREAM_SAMPLE;
    let encoding = match options.auto_detect.is_any() {
        true => find_encoding(of_lines(path, &sample, is_all), options)?,
        false => options.encoding,
    };
    let cannot_read = |e| Error::io(format!("cannot read `{path}`"), e);
    let (widths, comment) = (widths.clone(), options.comment.clone());
    let lines = FixedWidth::new(plain, encoding, widths, comment, options.max_record).map_err(cannot_read)?;
    let options = CsvOptions { encoding: None, ..of_escaped_lines(options) };
    let (sample, lines) = peek_before_errors(Box::new(lines), STREAM_SAMPLE);
    let is_all = (sample.len() as u64) < STREAM_SAMPLE;
    let found = found_in_lines(of_lines(path, &sample, is_all), &options)?;
    open_lines(path, lines, meter, compression, place, found, options)
}

/// The reader of lines that [`escaped`] writes.
fn open_lines(
    path: &str,
    lines: Box<dyn Read + Send>,
    meter: Arc<Meter>,
    compression: Compression,
    place: Option<OnDisk>,
    found: DetectedDialect,
    options: CsvOptions,
) -> Result<Box<dyn FileSource>> {
    let is_new = (options.header, options.skip) != (found.header, found.skip);
    let options = CsvOptions { header: found.header, skip: found.skip, ..options };
    let reader = CsvReader::with(path, lines, meter, compression, escaped::DELIMITER, &options, READ_BYTES)?;
    let mut reader = reader.placed(place).rewritten();
    reader.pass_blank_lines();
    Ok(Box::new(if is_new { reader.with_found(found, None) } else { reader }))
}

/// A sample of lines that [`escaped`] writes, or of what they are made of.
fn of_lines<'a>(name: &'a str, bytes: &'a [u8], is_all: bool) -> Sample<'a> {
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
fn open_json(
    path: &str,
    plain: Box<dyn Read + Send>,
    meter: Arc<Meter>,
    compression: Compression,
    place: Option<OnDisk>,
    options: &CsvOptions,
) -> Result<Box<dyn FileSource>> {
    refuse(path, JSON_OPTIONS, options)?;
    // A document is cut into elements as UTF-8.
    let (head, plain) = peek_before_errors(plain, MAGIC_BYTES);
    let marked = Encoding::for_bom(&head).map(|(encoding, _)| encoding);
    let wide = marked.or(options.encoding).filter(|encoding| [UTF_16LE, UTF_16BE].contains(encoding));
    let plain = match wide {
        Some(encoding) => {
            Box::new(Utf8::new(plain, encoding).map_err(|e| Error::io(format!("cannot read `{path}`"), e))?)
        }
        None => plain,
    };
    let options = &CsvOptions { encoding: options.encoding.filter(|_| wide.is_none()), ..options.clone() };
    let (sample, plain) = peek_before_errors(plain, STREAM_SAMPLE);
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
    let keys = options.json_path.as_deref();
    let lines = JsonlReader::line_options(options);
    let elements = Box::new(Elements::new(plain, keys));
    let text = CsvReader::with(path, elements, meter, compression, b',', &lines, READ_BYTES)?.placed(place).rewritten();
    Ok(Box::new(JsonlReader::new(text, options)?))
}

/// A sheet, whose rows are read like lines of CSV.
fn open_workbook(
    path: &str,
    archive: &str,
    bytes: &OnDisk,
    directory: Directory<Seekable>,
    sheet: Option<&str>,
    options: &CsvOptions,
) -> Result<Box<dyn FileSource>> {
    refuse(path, CELL_OPTIONS, options)?;
    if options.json_path.is_some() {
        return Err(Error::config(format!("`--json-path` has no meaning for `{path}`, which is a workbook")));
    }
    let from = |at| Box::new(bytes.from(at)) as Box<dyn Read + Send>;
    let opened = xlsx::open(archive, directory, &from, sheet, None, options)?;
    let place = bytes.of_member(&opened.name);
    let (sample, mut lines) = peek_own_errors(opened.lines, STREAM_SAMPLE).map_err(|error| question(path, &error))?;
    let mut meter = opened.meter;
    let is_all = (sample.len() as u64) < STREAM_SAMPLE;
    // Empty cells at the end of a row are not there.
    let lined = CsvOptions { null_missing_fields: true, ..of_escaped_lines(options) };
    let found = found_in_lines(of_lines(path, &sample, is_all), &lined)?;
    if !found.header {
        // The columns are counted in the first row then.
        let rows = sample.split(|byte| *byte == b'\n').skip(usize::try_from(found.skip).unwrap_or(usize::MAX));
        let width = rows.map(|row| row.split(|byte| *byte == escaped::DELIMITER).count()).max().unwrap_or(0);
        let fill = Fill { line: u32::try_from(found.skip).unwrap_or(u32::MAX), width: width as u32 };
        let directory = Directory::read(archive, bytes.seekable())?;
        let opened = xlsx::open(archive, directory, &from, sheet, Some(fill), options)?;
        (lines, meter) = (opened.lines, opened.meter);
    }
    open_lines(path, lines, meter, Compression::Zip, Some(place), found, lined)
}

fn open_parquet(path: &str, place: OnDisk, options: &CsvOptions) -> Result<Box<dyn FileSource>> {
    columnar_options(path, options)?;
    let meter = Meter::new(Some(place.size()));
    let parquet = Parquet::open(path, place.clone(), meter.clone(), options.batch_bytes, options.memory)?;
    Ok(Box::new(
        Columnar::new(path, parquet, meter, cuts(options), SourceLocation::OnDisk(place))?.renaming(options.names),
    ))
}

fn open_arrow_file(path: &str, place: OnDisk, options: &CsvOptions) -> Result<Box<dyn FileSource>> {
    columnar_options(path, options)?;
    let meter = Meter::new(Some(place.size()));
    let arrow = Arrow::open_file(path, place.clone(), meter.clone(), options.memory)?;
    Ok(Box::new(
        Columnar::new(path, arrow, meter, cuts(options), SourceLocation::OnDisk(place))?.renaming(options.names),
    ))
}

/// An error of a reader before the first row, when its options can still be given.
fn question(path: &str, error: &Error) -> Error {
    let hint = error.hint().unwrap_or_default().replace("FILE", path);
    Error::config(format!("{} (`{path}`)", error.message())).with_hint(hint)
}

pub(crate) fn cuts(options: &CsvOptions) -> Cuts {
    Cuts {
        rows: options.batch_rows,
        bytes: options.batch_bytes,
        limit: options.limit,
        memory: options.memory,
        nan_is_null: !options.nulls.is_empty(),
    }
}

pub(crate) fn columnar_options(path: &str, options: &CsvOptions) -> Result<()> {
    refuse(path, TYPED_OPTIONS, options)
}

/// Refuses options of text parsing for formats with names and types, where they would have no effect.
fn refuse(path: &str, meaningless: &[Given], options: &CsvOptions) -> Result<()> {
    match meaningless.iter().find(|(_, is_given)| is_given(options)) {
        Some((option, _)) => {
            Err(Error::config(format!("`{option}` has no meaning for `{path}`, whose values have names and types")))
        }
        None => Ok(()),
    }
}

/// An option, and whether it was given.
type Given = (&'static str, fn(&CsvOptions) -> bool);

/// Options of text parsing, which do not apply to typed values.
const TYPED_OPTIONS: &[Given] = &[
    DELIMITER,
    QUOTE,
    ESCAPE,
    COMMENT,
    WIDTHS,
    NO_HEADER,
    EXTRA_FIELDS,
    MISSING_FIELDS,
    FORMATS,
    // A number may be NaN.
    ("--null", |options| options.nulls.iter().any(|null| !null.eq_ignore_ascii_case(b"NaN"))),
    ENCODING,
    SKIP,
];

/// The same for JSON.
const JSON_OPTIONS: &[Given] = &[DELIMITER, QUOTE, ESCAPE, COMMENT, WIDTHS, NO_HEADER, MISSING_FIELDS, FORMATS, NULL];

const DELIMITER: Given = ("--delimiter", |options| options.delimiter.is_some());
const QUOTE: Given = ("--quote", |options| options.quote != Some(b'"'));
const ESCAPE: Given = ("--escape", |options| options.escape.is_some());
const COMMENT: Given = ("--comment", |options| options.comment.is_some());
const EXTRA_FIELDS: Given = ("--extra-fields", |options| options.ignore_extra_fields);
const SKIP: Given = ("--skip", |options| options.skip > 0);
const NO_HEADER: Given = ("--no-header", |options| !options.header);
const MISSING_FIELDS: Given = ("--missing-fields", |options| options.null_missing_fields);
const NULL: Given = ("--null", |options| !options.nulls.is_empty());
const FORMATS: Given = ("--decimal, --thousands, --currency, --percent, --true, --false, --date-format", |options| {
    options.formats.is_any()
});

/// Options that say how a text is written, which a cell of a workbook is not.
const CELL_OPTIONS: &[Given] = &[DELIMITER, QUOTE, ESCAPE, COMMENT, WIDTHS, ENCODING];

const WIDTHS: Given = ("--widths", |options| options.widths.is_some());

const ENCODING: Given = ("--encoding", |options| options.encoding.is_some());

fn is_parquet(path: &str, head: &[u8], format: Format) -> bool {
    match format {
        Format::Auto => head.starts_with(PARQUET_MAGIC) || ending(path) == "parquet",
        format => format == Format::Parquet,
    }
}

fn is_arrow_file(head: &[u8], format: Format) -> bool {
    matches!(format, Format::Auto | Format::Arrow) && head.starts_with(arrow::MAGIC)
}

fn is_arrow_stream(path: &str, head: &[u8], format: Format) -> bool {
    match format {
        Format::Auto => {
            head.starts_with(&arrow::CONTINUATION)
                || matches!(&ending(path)[..], "arrow" | "arrows" | "feather" | "ipc")
        }
        format => format == Format::Arrow,
    }
}

/// The part of a name after its last point, without the ending of a compression.
fn ending(name: &str) -> String {
    let name = Compression::of_name(name).1;
    name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase()).unwrap_or_default()
}

/// The bytes at a file's beginning from which its dialect is detected.
const SAMPLE: u64 = 1 << 20;

/// The same for bytes that stay in memory until they are read: the beginning of a stream or of a compressed file.
const STREAM_SAMPLE: u64 = 256 << 10;

/// What addresses that are not read begin with, and what fetches their files.
const FETCH: &[(&str, &str)] = &[
    ("ftp", "curl -fLO URL"),
    ("ftps", "curl -fLO URL"),
    ("sftp", "scp HOST:FILE ."),
    ("hdfs", "hdfs dfs -get URL ."),
];

/// Other programs' names of stores, and ours.
const ALIASES: &[(&str, &str)] = &[
    ("s3a", "`s3://bucket/key`"),
    ("s3n", "`s3://bucket/key`"),
    ("gcs", "`gs://bucket/key`"),
    ("abfs", "`az://container/key`, with the account in AZURE_STORAGE_ACCOUNT_NAME"),
    ("abfss", "`az://container/key`, with the account in AZURE_STORAGE_ACCOUNT_NAME"),
    ("wasbs", "`az://container/key`, with the account in AZURE_STORAGE_ACCOUNT_NAME"),
];

/// More arrays are data, not tables.
const MOST_ARRAYS: usize = 8;

/// Objects with more columns than this are not meant as a table.
const MOST_JSON_COLUMNS: usize = 100;

/// A tar archive is known by its first header.
const TAR_HEAD: u64 = 512;

/// Bytes of its beginning that identify a stream, as for a stream of text.
pub(crate) const STREAM_HEAD: u64 = 64 << 10;

/// What a Parquet file begins and ends with.
const PARQUET_MAGIC: &[u8] = b"PAR1";

/// The delimiter of the format, which may follow from the name of the file (or of the archive's member).
fn delimiter(path: &str, member: &str, format: Format) -> Result<u8> {
    let endings = [ending(member), ending(path)];
    match format {
        Format::Csv => Ok(b','),
        Format::Tsv => Ok(b'\t'),
        Format::Xlsx => Err(Error::config(format!("`{path}` is no workbook (.xlsx)"))),
        Format::Jsonl | Format::Json | Format::Parquet | Format::Arrow => {
            Err(Error::config(format!("`{path}` is a member of an archive, and this format is read from its end"))
                .with_hint("unpack it first"))
        }
        Format::Auto if endings.iter().any(|ending| matches!(&ending[..], "tsv" | "tab")) => Ok(b'\t'),
        Format::Auto => {
            refuse_other_format(path, &endings)?;
            Ok(b',')
        }
    }
}

/// Refuses formats that are not read, by the ending of the name.
fn refuse_other_format(path: &str, endings: &[String]) -> Result<()> {
    let foreign = |(ending, ..): &&(&str, &str, &str)| endings.iter().any(|own| own == ending);
    match OTHER_FORMATS.iter().find(foreign) {
        Some((other, why, hint)) => Err(Error::config(format!("`{path}` is named `.{other}`, {why}")).with_hint(*hint)),
        None => Ok(()),
    }
}

fn cannot_open(path: &str, error: io::Error) -> Error {
    Error::new(Kind::Config, format!("cannot open `{path}`: {error}"))
}

const NOT_READ: &str = "a format that is not read";

const IS_NONE: &str = "and does not begin as such a file";

/// Endings of formats that are not read as text, what is wrong, and what to do with such a file.
const OTHER_FORMATS: &[(&str, &str, &str)] = &[
    ("parquet", IS_NONE, "if it is CSV, `--format csv`"),
    ("arrow", IS_NONE, "if it is CSV, `--format csv`"),
    ("feather", IS_NONE, "if it is CSV, `--format csv`"),
    ("avro", NOT_READ, "write it as Parquet first"),
    ("orc", NOT_READ, "write it as Parquet first"),
    ("xls", NOT_READ, "save it as .xlsx or CSV first"),
    ("xlsb", NOT_READ, "save it as .xlsx or CSV first"),
    ("ods", NOT_READ, "save it as .xlsx or CSV first"),
    (
        "xlsx",
        IS_NONE,
        "is it one with a password? save it without; in an archive unpack it; if it is CSV, `--format csv`",
    ),
];

#[cfg(test)]
mod tests;
