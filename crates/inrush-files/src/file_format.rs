//! Formats of files: as they were given, else by their names and first bytes.

use crate::arrow;
use crate::decompress::Compression;
use inrush_core::error::{Error, Result};

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

    /// The format of a text. `member`: its name in an archive, or nothing; `archive`: the name of that, or of the file.
    ///
    /// # Errors
    /// `Config` for a format that is not a text, and one that is not read.
    pub(crate) fn of_text(self, path: &str, member: &str, archive: &str) -> Result<TextFormat> {
        let is_named = |endings: [&str; 2]| [member, archive].iter().any(|name| endings.contains(&&ending(name)[..]));
        match self {
            Self::Jsonl => Ok(TextFormat::JsonLines),
            Self::Json => Ok(TextFormat::Json),
            Self::Csv => Ok(TextFormat::Delimited(b',')),
            Self::Tsv => Ok(TextFormat::Delimited(b'\t')),
            Self::Xlsx => Err(Error::config(format!("`{path}` is no workbook (.xlsx)"))),
            Self::Parquet | Self::Arrow => {
                Err(Error::config(format!("`{path}` is a member of an archive, and this format is read from its end"))
                    .with_hint("unpack it first"))
            }
            Self::Auto if is_named(["jsonl", "ndjson"]) => Ok(TextFormat::JsonLines),
            Self::Auto if is_named(["json", "geojson"]) => Ok(TextFormat::Json),
            Self::Auto => {
                let endings = [ending(member), ending(path)];
                if endings.iter().any(|ending| matches!(&ending[..], "tsv" | "tab")) {
                    return Ok(TextFormat::Delimited(b'\t'));
                }
                refuse_other_format(path, &endings)?;
                Ok(TextFormat::Delimited(b','))
            }
        }
    }

    pub(crate) fn is_parquet(self, path: &str, head: &[u8]) -> bool {
        match self {
            Self::Auto => head.starts_with(PARQUET_MAGIC) || ending(path) == "parquet",
            format => format == Self::Parquet,
        }
    }

    pub(crate) fn is_arrow_file(self, head: &[u8]) -> bool {
        matches!(self, Self::Auto | Self::Arrow) && head.starts_with(arrow::MAGIC)
    }

    pub(crate) fn is_arrow_stream(self, path: &str, head: &[u8]) -> bool {
        match self {
            Self::Auto => {
                head.starts_with(&arrow::CONTINUATION)
                    || matches!(&ending(path)[..], "arrow" | "arrows" | "feather" | "ipc")
            }
            format => format == Self::Arrow,
        }
    }
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
}

/// The part of a name after its last point, without the ending of a compression.
pub(crate) fn ending(name: &str) -> String {
    let name = Compression::of_name(name).1;
    name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase()).unwrap_or_default()
}

/// What a Parquet file begins and ends with.
const PARQUET_MAGIC: &[u8] = b"PAR1";

/// Refuses formats that are not read, by the ending of the name.
pub(crate) fn refuse_other_format(path: &str, endings: &[String]) -> Result<()> {
    let foreign = |(ending, ..): &&(&str, &str, &str)| endings.iter().any(|own| own == ending);
    match OTHER_FORMATS.iter().find(foreign) {
        Some((other, why, hint)) => Err(Error::config(format!("`{path}` is named `.{other}`, {why}")).with_hint(*hint)),
        None => Ok(()),
    }
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
