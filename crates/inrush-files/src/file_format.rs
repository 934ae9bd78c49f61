//! Formats of files: as they were given, else by their names and first bytes. One row a format says how its files are known and which reader
//! they need (`Format::layouts`).

use crate::arrow::{self, Arrow};
use crate::columnar::{self, SourceLocation};
use crate::decompress::Compression;
use crate::dialect::CsvOptions;
use crate::file_source::FileSource;
use crate::input::Meter;
use crate::on_disk::OnDisk;
use crate::other_formats;
use crate::parquet::Parquet;
use crate::xlsx::is_workbook;
use inrush_core::error::{Error, Result};
use std::io::Read;
use std::sync::Arc;

/// What kind of file it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// By its first bytes for Parquet and Arrow, by its files for a workbook, else by its name: TSV for `.tsv` and `.tab`,
    /// JSON Lines for `.jsonl` and `.ndjson`, JSON for `.json` and `.geojson`, SQL for `.sql`, CSV for every other name.
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
    /// A dump in SQL: the rows of its INSERTs into one table.
    Sql,
}

impl Format {
    /// All of them, by the names that a user writes.
    pub const NAMES: [(&'static str, Self); 9] = [
        ("auto", Self::Auto),
        ("csv", Self::Csv),
        ("tsv", Self::Tsv),
        ("jsonl", Self::Jsonl),
        ("json", Self::Json),
        ("parquet", Self::Parquet),
        ("arrow", Self::Arrow),
        ("xlsx", Self::Xlsx),
        ("sql", Self::Sql),
    ];

    /// The format of this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(known, _)| *known == name).map(|(_, format)| *format)
    }

    /// How files of the format look; of `Auto`, those of every format. Text that is no other format is CSV.
    fn layouts(self) -> Vec<Layout> {
        let text = |endings, format| Layout { magic: b"", endings, reader: Reader::Text(format), hint: "" };
        let typed = |magic, endings, typed| Layout { magic, endings, reader: Reader::Typed(typed), hint: IF_CSV };
        match self {
            Self::Auto => Self::NAMES[1..].iter().flat_map(|(_, format)| format.layouts()).collect(),
            Self::Csv => vec![text(&[], TextFormat::Delimited(b','))],
            Self::Tsv => vec![text(&["tsv", "tab"], TextFormat::Delimited(b'\t'))],
            Self::Jsonl => vec![text(&["jsonl", "ndjson"], TextFormat::JsonLines)],
            Self::Json => vec![text(&["json", "geojson"], TextFormat::Json)],
            Self::Sql => vec![text(&["sql"], TextFormat::Sql)],
            Self::Parquet => vec![typed(b"PAR1", &["parquet"], Typed::FromEnd(open_parquet))],
            Self::Arrow => vec![
                typed(arrow::MAGIC, &[], Typed::FromEnd(open_arrow_file)),
                typed(
                    &arrow::CONTINUATION,
                    &["arrow", "arrows", "feather", "ipc"],
                    Typed::FromStart(open_arrow_stream),
                ),
            ],
            Self::Xlsx => vec![Layout { magic: b"", endings: &["xlsx"], reader: Reader::Workbook, hint: IF_WORKBOOK }],
        }
    }

    /// The format of a text. `member`: its name in an archive, or nothing; `archive`: the name of that, or of the file.
    ///
    /// # Errors
    /// `Config` for a format that is not a text, and one that is not read.
    pub(crate) fn of_text(self, path: &str, member: &str, archive: &str) -> Result<TextFormat> {
        let layouts = self.layouts();
        if self == Self::Auto {
            let by_name = |name: &str| layouts.iter().find(|layout| layout.is_text() && layout.is_named(&ending(name)));
            if let Some(Layout { reader: Reader::Text(format), .. }) = [member, archive].into_iter().find_map(by_name) {
                return Ok(*format);
            }
            refuse_other_format(path, &[ending(member), ending(path)])?;
            return Ok(TextFormat::Delimited(b','));
        }
        match layouts.first().map(|layout| layout.reader) {
            Some(Reader::Text(format)) => Ok(format),
            Some(Reader::Workbook) => Err(Error::config(format!("`{path}` is no workbook (.xlsx)"))),
            Some(Reader::Typed(_)) | None => {
                Err(Error::config(format!("`{path}` is a member of an archive, and this format is read from its end"))
                    .with_hint("unpack it first"))
            }
        }
    }

    /// The reader of a file with typed columns: by its beginning, else by its name. A format that was requested needs neither.
    pub(crate) fn of_typed(self, name: &str, head: &[u8]) -> Option<Typed> {
        let layouts = self.layouts();
        let mut typed = layouts.iter().filter_map(|layout| match layout.reader {
            Reader::Typed(typed) => Some((layout, typed)),
            Reader::Text(_) | Reader::Workbook => None,
        });
        let by_head = typed.clone().find(|(layout, _)| head.starts_with(layout.magic));
        let other = || match self {
            Self::Auto => typed.find(|(layout, _)| layout.is_named(&ending(name))),
            _ => typed.next_back(),
        };
        by_head.or_else(other).map(|(_, typed)| typed)
    }

    /// Whether a file of this name, which is no archive, is a dump in SQL.
    pub fn is_dump(self, name: &str) -> bool {
        self.layouts().iter().any(|layout| {
            matches!(layout.reader, Reader::Text(TextFormat::Sql))
                && (self == Self::Sql || layout.is_named(&ending(name)))
        })
    }

    /// Whether a zip archive with files of these names is a workbook.
    pub(crate) fn of_workbook(self, names: &[&str]) -> bool {
        self == Self::Xlsx || (self == Self::Auto && is_workbook(names))
    }
}

/// How files of a format look, and what reads them.
struct Layout {
    /// Their first bytes; empty for texts.
    magic: &'static [u8],
    /// What their names end in.
    endings: &'static [&'static str],
    reader: Reader,
    /// What to do with a file that has only the name.
    hint: &'static str,
}

impl Layout {
    fn is_text(&self) -> bool {
        matches!(self.reader, Reader::Text(_))
    }

    fn is_named(&self, ending: &str) -> bool {
        self.endings.contains(&ending)
    }
}

#[derive(Clone, Copy)]
enum Reader {
    Text(TextFormat),
    Typed(Typed),
    Workbook,
}

/// A format of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextFormat {
    /// An object on each line.
    JsonLines,
    /// A JSON document.
    Json,
    /// Fields with this byte between them.
    Delimited(u8),
    /// A dump in SQL.
    Sql,
}

/// What opens a file with typed columns.
#[derive(Clone, Copy)]
pub(crate) enum Typed {
    /// Begins at the end of the file, which must be there as it is.
    FromEnd(OpenFile),
    /// Reads decompressed bytes from the beginning.
    FromStart(OpenStream),
}

type OpenFile = fn(&str, OnDisk, &CsvOptions) -> Result<Box<dyn FileSource>>;

type OpenStream =
    fn(&str, Box<dyn Read + Send>, Arc<Meter>, SourceLocation, &CsvOptions) -> Result<Box<dyn FileSource>>;

fn open_parquet(path: &str, place: OnDisk, options: &CsvOptions) -> Result<Box<dyn FileSource>> {
    let meter = Meter::new(Some(place.size()));
    let parquet = Parquet::open(path, place.clone(), meter.clone(), options.batch_bytes, options.memory)?;
    columnar::open(path, parquet, meter, SourceLocation::OnDisk(place), options)
}

fn open_arrow_file(path: &str, place: OnDisk, options: &CsvOptions) -> Result<Box<dyn FileSource>> {
    let meter = Meter::new(Some(place.size()));
    let arrow = Arrow::open_file(path, place.clone(), meter.clone(), options.memory)?;
    columnar::open(path, arrow, meter, SourceLocation::OnDisk(place), options)
}

fn open_arrow_stream(
    path: &str,
    bytes: Box<dyn Read + Send>,
    meter: Arc<Meter>,
    location: SourceLocation,
    options: &CsvOptions,
) -> Result<Box<dyn FileSource>> {
    columnar::open(path, Arrow::open_stream(path, bytes, options.memory)?, meter, location, options)
}

/// The part of a name after its last point, without the ending of a compression.
pub(crate) fn ending(name: &str) -> String {
    let name = Compression::of_name(name).1;
    name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase()).unwrap_or_default()
}

/// Refuses a text whose name has the ending of another format.
pub(crate) fn refuse_other_format(path: &str, endings: &[String]) -> Result<()> {
    for ending in endings {
        if let Some(layout) = Format::Auto.layouts().iter().find(|layout| !layout.is_text() && layout.is_named(ending))
        {
            return Err(Error::config(format!("`{path}` is named `.{ending}`, and does not begin as such a file"))
                .with_hint(layout.hint));
        }
    }
    other_formats::refuse_name(path, endings)
}

const IF_CSV: &str = "if it is CSV, `--format csv`";

const IF_WORKBOOK: &str =
    "is it one with a password? save it without; in an archive unpack it; if it is CSV, `--format csv`";

#[cfg(test)]
mod tests;
