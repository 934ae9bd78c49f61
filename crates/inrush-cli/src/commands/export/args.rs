//! The options of `inrush export`, and their values.

use super::file::{Layout, Split};
use super::known::ErrorValues;
use super::tables::{Table, quoted};
use crate::commands::load::parse_rate;
use crate::commands::manifest::{CsvText, USUAL_NULL};
use crate::commands::masks::MaskArgs;
use crate::connection::ConnectArgs;
use clap::{Args, ValueEnum};
use inrush::{InvalidDates, ReadLock};
use inrush_core::{Error, Result};
use inrush_files::{CsvStyle, FileOptions, Format, SqlStyle, WrittenCompression, WrittenFormat};
use std::num::NonZeroU64;
use std::path::PathBuf;

/// Write tables to files, all of them as they are at one moment.
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES, disable_help_flag = true)]
pub(crate) struct ExportArgs {
    /// Tables: `table`, `database.table`; 'database.*' is all of its tables, without views. A name with a dot in it is in backticks: '`a.b`'
    #[arg(required_unless_present = "query", value_name = "TABLE")]
    pub(super) tables: Vec<String>,

    /// The rows of a query instead, in `query.parquet`
    #[arg(long, value_name = "SQL", conflicts_with_all = ["tables", "columns", "condition", "lanes", "snapshot"])]
    pub(super) query: Option<String>,

    /// The folder for the files and `manifest.json`: a new one, or an empty one; of a store `s3://bucket/folder`, `gs://`, `az://`
    #[arg(long, value_name = "FOLDER", required = true)]
    pub(super) to: PathBuf,

    /// The files' format: `parquet`, `arrow` (IPC), `csv`, `tsv`, `jsonl`, `sql` (INSERT statements, for the client programs)
    #[arg(long, default_value = "parquet", value_name = "FORMAT", value_enum, hide_possible_values = true)]
    format: FormatArg,

    /// SQL: no CREATE TABLE before the rows
    #[arg(long)]
    no_create: bool,

    /// Compress CSV, JSON Lines and SQL: `gzip`, `zstd`. Parquet and Arrow have Zstandard inside
    #[arg(long, default_value = "none", value_name = "none|gzip|zstd", value_enum, hide_possible_values = true)]
    compress: CompressArg,

    /// CSV: what is between fields, one byte; `\t` is a tab [default: a comma, for `tsv` a tab]
    #[arg(long, value_name = "C", help_heading = "CSV")]
    delimiter: Option<String>,

    /// CSV: what is around fields that need it, one byte; the empty text means no quoting [default: `"`]
    #[arg(long, value_name = "C", help_heading = "CSV")]
    quote: Option<String>,

    /// CSV: what stands before a quote in quotes, such as `\` [default: a quote]; with `--quote ''` before what is special in any field
    #[arg(long, value_name = "C", help_heading = "CSV")]
    escape: Option<String>,

    /// CSV: the field that means NULL [default: `\N`]
    #[arg(long, value_name = "TEXT", help_heading = "CSV")]
    null: Option<String>,

    /// CSV: no line of names
    #[arg(long, help_heading = "CSV")]
    no_header: bool,

    /// A new file after so many rows or bytes: `1000000`, `256MiB`
    #[arg(long, value_name = "ROWS|BYTES")]
    split: Option<String>,

    /// The most rows a second, of all connections together: `5000`, `50k` [default: as fast as it goes]
    #[arg(long, value_name = "ROWS/s")]
    rate: Option<String>,

    /// Rows in the order of the primary key, within each file and from file to file
    #[arg(long, value_name = "key", value_enum, hide_possible_values = true, conflicts_with = "query")]
    pub(super) order: Option<OrderArg>,

    /// Only these columns, of each table; generated ones too [default: all that are not generated]
    #[arg(long, value_name = "a,b", value_delimiter = ',')]
    pub(super) columns: Vec<String>,

    /// Only rows that fulfil this condition of SQL, in each table
    #[arg(long = "where", value_name = "SQL")]
    pub(super) condition: Option<String>,

    /// Connections that read side by side. A table with a primary key is read in so many parts, a file each
    #[arg(long, default_value_t = 2, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(super) lanes: u16,

    /// How all connections come to read one state: `auto` locks all tables for a moment (FLUSH TABLES WITH READ LOCK), or if the user may
    /// not, as `tables` does, these tables (LOCK TABLES), or reads by one connection; `none` takes no lock, and each reads the state of
    /// its own moment
    #[arg(long, default_value = "auto", value_name = "auto|tables|none", value_enum, hide_possible_values = true)]
    snapshot: SnapshotArg,

    /// Days that no calendar has, such as `0000-00-00`: `error`, `null`, or `text`, which makes texts of all dates
    #[arg(long, default_value = "error", value_name = "error|null|text", value_enum, hide_possible_values = true)]
    invalid_dates: DatesArg,

    /// The error value of an ENUM (index 0), which servers show as '' though it is not the member '': `error`, `null`, or `empty`, an empty text
    #[arg(
        long,
        default_value = "error",
        value_name = "error|null|empty",
        value_enum,
        hide_possible_values = true,
        conflicts_with = "query"
    )]
    invalid_enums: EnumsArg,

    /// For tests: rows of CSV and SQL go through arrays, as those of other formats do
    #[arg(long, hide = true)]
    pub(super) via_arrays: bool,

    #[command(flatten)]
    pub(super) masks: MaskArgs,

    #[command(flatten)]
    pub(super) connect: ConnectArgs,

    /// Print help (`-h` is the host, as in the mysql client)
    #[arg(long, action = clap::ArgAction::Help, help_heading = "Everywhere")]
    help: Option<bool>,
}

const EXAMPLES: &str = "\
Examples:
  inrush export orders customers --to backup -D shop -h db1
  inrush export 'shop.*' --to shop-2026 --lanes 4 -h db1
  inrush export orders --where \"created >= '2026-01-01'\" --format csv --to new-orders -D shop -h db1

Back in: inrush load FOLDER";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FormatArg {
    Parquet,
    Arrow,
    Csv,
    Tsv,
    Jsonl,
    Sql,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum CompressArg {
    None,
    Gzip,
    Zstd,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum OrderArg {
    Key,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum SnapshotArg {
    Auto,
    Tables,
    None,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum DatesArg {
    Error,
    Null,
    Text,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum EnumsArg {
    Error,
    Null,
    Empty,
}

impl ExportArgs {
    pub(super) fn format(&self) -> WrittenFormat {
        match self.format {
            FormatArg::Parquet => WrittenFormat::Parquet,
            FormatArg::Arrow => WrittenFormat::Arrow,
            FormatArg::Csv | FormatArg::Tsv => WrittenFormat::Csv,
            FormatArg::Jsonl => WrittenFormat::JsonLines,
            FormatArg::Sql => WrittenFormat::Sql,
        }
    }

    /// How files of lines are compressed.
    fn compression(&self) -> Result<WrittenCompression> {
        let compression = match self.compress {
            CompressArg::None => WrittenCompression::None,
            CompressArg::Gzip => WrittenCompression::Gzip,
            CompressArg::Zstd => WrittenCompression::Zstd,
        };
        match self.format {
            FormatArg::Parquet | FormatArg::Arrow if compression != WrittenCompression::None => {
                Err(Error::config(format!("files of {} have Zstandard inside", self.format().extension()))
                    .with_hint("`--compress` is for `--format csv`, `jsonl` and `sql`"))
            }
            _ => Ok(compression),
        }
    }

    /// How files are written.
    ///
    /// # Errors
    /// `Config` for options that are not understood or contradict each other.
    pub(super) fn layout(&self) -> Result<Layout> {
        if self.no_create && self.format != FormatArg::Sql {
            return Err(Error::config("`--no-create` is for `--format sql`"));
        }
        if self.query.is_some() && self.format == FormatArg::Sql {
            return Err(Error::config("`--format sql` is for tables: the rows of a query are of none")
                .with_hint("`--columns` and `--where` choose columns and rows of a table"));
        }
        let compression = self.compression()?;
        let name = if self.format == FormatArg::Tsv { "tsv" } else { self.format().extension() };
        Ok(Layout {
            format: self.format(),
            style: self.style()?,
            compression,
            extension: format!("{name}{}", compression.extension()),
            split: self.split.as_deref().map(Split::parse).transpose()?,
        })
    }

    fn style(&self) -> Result<CsvStyle> {
        let given = [
            ("delimiter", self.delimiter.is_some()),
            ("quote", self.quote.is_some()),
            ("escape", self.escape.is_some()),
            ("null", self.null.is_some()),
            ("no-header", self.no_header),
        ];
        let is_csv = self.format() == WrittenFormat::Csv;
        if let Some((option, _)) = given.iter().find(|(_, is_given)| *is_given && !is_csv) {
            return Err(Error::config(format!("`--{option}` is for `--format csv` and `tsv`")));
        }
        let options = FileOptions {
            format: Format::Csv,
            delimiter: self.delimiter.clone(),
            quote: self.quote.clone(),
            escape: self.escape.clone(),
            nulls: self.null.iter().cloned().collect(),
            header: Some(!self.no_header),
            ..FileOptions::default()
        };
        CsvStyle::new(&options.csv_options(false)?, if self.format == FormatArg::Tsv { b'\t' } else { b',' })
    }

    /// What stands around the rows of a table in SQL; `is_one_schema`: all tables are of one database, which is not named.
    pub(super) fn sql_style(&self, table: &Table, definition: Option<&str>, is_one_schema: bool) -> SqlStyle {
        let name = if is_one_schema { quoted(&table.name.name) } else { table.name.quoted() };
        let create = definition.filter(|_| !self.no_create).and_then(|text| text.split_once(&quoted(&table.name.name)));
        let before = create.map_or(String::new(), |(create, rest)| format!("{create}IF NOT EXISTS {name}{rest};\n"));
        SqlStyle { table: name, before }
    }

    /// The style of CSV as the manifest has it; `None` for the default one.
    pub(super) fn csv_text(&self) -> Option<CsvText> {
        let is_usual = self.format != FormatArg::Tsv
            && !self.no_header
            && [&self.delimiter, &self.quote, &self.escape, &self.null].into_iter().all(Option::is_none);
        let default = if self.format == FormatArg::Tsv { "\\t" } else { "," };
        let is_escaped = self.escape.is_some() && self.quote.as_deref() == Some("");
        (self.format() == WrittenFormat::Csv && !is_usual).then(|| CsvText {
            delimiter: self.delimiter.clone().unwrap_or_else(|| default.to_owned()),
            quote: self.quote.clone().unwrap_or_else(|| "\"".to_owned()),
            escape: self.escape.clone(),
            null: (!is_escaped).then(|| self.null.clone().unwrap_or_else(|| USUAL_NULL.to_owned())),
            header: !self.no_header,
        })
    }

    /// The most rows a second.
    pub(super) fn rate(&self) -> Result<Option<NonZeroU64>> {
        self.rate.as_deref().map(|rate| parse_rate("--rate", rate)).transpose()
    }

    pub(super) fn lock(&self) -> ReadLock {
        match self.snapshot {
            SnapshotArg::Auto => ReadLock::Global,
            SnapshotArg::Tables => ReadLock::Tables,
            SnapshotArg::None => ReadLock::None,
        }
    }

    pub(super) fn error_values(&self) -> ErrorValues {
        match self.invalid_enums {
            EnumsArg::Error => ErrorValues::Refuse,
            EnumsArg::Null => ErrorValues::Null,
            EnumsArg::Empty => ErrorValues::Empty,
        }
    }

    pub(super) fn invalid_dates(&self) -> InvalidDates {
        match self.invalid_dates {
            DatesArg::Error => InvalidDates::Refuse,
            DatesArg::Null => InvalidDates::Null,
            DatesArg::Text => InvalidDates::Text,
        }
    }
}
