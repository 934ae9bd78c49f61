//! The options about how files are read: those of `inrush load`, and of `inrush verify` for files.

use crate::commands::manifest::{CsvText, USUAL_NULL};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, ValueEnum};
use inrush_files::{FileOptions, Format, Percent};

/// How files are read.
#[derive(Clone, Debug, PartialEq, Eq, Args)]
#[command(next_help_heading = "Files")]
pub(crate) struct FileArgs {
    /// The format, by one of [`Format::NAMES`].
    #[arg(
        long,
        help = format_help(),
        value_parser = formats(),
        default_value = "auto",
        value_name = "FORMAT",
        hide_possible_values = true
    )]
    format: Format,

    /// Where the array of rows is in a JSON document: `data.rows`; `.` is the document itself
    #[arg(long, value_name = "KEY.KEY")]
    json_path: Option<String>,

    /// Field delimiter, one byte; `\t` is a tab; `auto` detects it [default: auto; with `--format csv` a comma]
    #[arg(long, value_name = "auto|C")]
    delimiter: Option<String>,

    /// Quote character, one byte; the empty text means no quoting [default: `auto`, with `--format csv` `"`]
    #[arg(long, value_name = "auto|C")]
    quote: Option<String>,

    /// Escape character, one byte, such as `\` [default: as `--quote`; a doubled quote is a quote]
    #[arg(long, value_name = "C")]
    escape: Option<String>,

    /// Skip lines that begin with this text, such as `#`, anywhere in a file; a first field in quotes does not begin with it
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    comment: Option<String>,

    /// The first line has the names of the columns, whatever it looks like
    #[arg(long, overrides_with = "no_header")]
    header: bool,

    /// `auto` leaves out blanks around the names of a header, and makes column names of empty, double and long ones for a new table; `keep`
    #[arg(long, value_enum, default_value = "auto", value_name = "auto|keep", hide_possible_values = true)]
    header_names: NamesArg,

    /// The first line is data: fields go into the columns in order
    #[arg(long, overrides_with = "header")]
    pub(crate) no_header: bool,

    /// A whole unquoted field that means NULL, such as `NA`; may be given several times
    #[arg(long, value_name = "TEXT")]
    null: Vec<String>,

    /// The files' character set: `latin1`, `utf-16le`, ..; `auto` guesses it [default: utf-8, or that of a byte order mark]
    #[arg(long, value_name = "auto|NAME")]
    encoding: Option<String>,

    /// The character before the fraction of a number, such as `,`
    #[arg(long, value_name = "C")]
    decimal: Option<char>,

    /// The character between groups of three digits: `.`, `,`, `'` or a blank
    #[arg(long, value_name = "C")]
    thousands: Option<char>,

    /// A sign or word that may stand before or after numbers, such as `€`; may be given several times
    #[arg(long, value_name = "SIGN")]
    currency: Vec<String>,

    /// What `12.5 %` is: 12.5 (`strip`) or 0.125 (`share`)
    #[arg(long, value_enum, value_name = "strip|share", hide_possible_values = true)]
    percent: Option<PercentArg>,

    /// A word that means true in columns of whole numbers and bits, in any case: `yes`, `ja`, `Y`; may be given several times
    #[arg(long = "true", value_name = "TEXT")]
    trues: Vec<String>,

    /// A word that means false there
    #[arg(long = "false", value_name = "TEXT")]
    falses: Vec<String>,

    /// How dates and times are written, as for strptime: `%d.%m.%Y %H:%M`, of one field `FIELD=FORMAT`; may be given several times
    #[arg(long, value_name = "[FIELD=]FORMAT")]
    date_format: Vec<String>,

    /// Fields without a delimiter: so many characters each, `5,10,8`; `rest` as the last one is the rest of the line
    #[arg(long, value_name = "N,N")]
    widths: Option<String>,

    /// What to do with fields after those of the header, and names in JSON that are no columns: `error` or `ignore`
    #[arg(long, value_enum, default_value = "error", value_name = "error|ignore", hide_possible_values = true)]
    extra_fields: ExtraFields,

    /// What fields that a record lacks at its end become: an `error` or `null`
    #[arg(long, value_enum, default_value = "error", value_name = "error|null", hide_possible_values = true)]
    missing_fields: MissingFields,

    /// What to do with a formula of a workbook whose result is not in the file: an `error`, or take what is `stored`: NULL, or 0
    #[arg(long, value_enum, default_value = "error", value_name = "error|stored", hide_possible_values = true)]
    formulas: Formulas,

    /// A column that is computed, by SQL in which `@name` is a field's text; may be given several times
    #[arg(long, value_name = "COLUMN=SQL")]
    pub(crate) set: Vec<String>,

    /// The zone of times without an offset: `+02:00`, `Europe/Berlin`
    #[arg(long, default_value = "+00:00", value_name = "ZONE", allow_hyphen_values = true)]
    pub(crate) time_zone: String,

    /// Skip the first N lines of each file, before its header; `auto` skips all lines before its table
    #[arg(long, default_value = "0", value_name = "auto|N")]
    skip: String,

    /// Load at most the first N records of each file
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<u64>,

    /// Cells of BIT columns are the bytes of their numbers: the files of a dump say so, no option.
    #[arg(skip)]
    bits_as_bytes: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum PercentArg {
    Strip,
    Share,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ExtraFields {
    Error,
    Ignore,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum MissingFields {
    Error,
    Null,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Formulas {
    Error,
    Stored,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum NamesArg {
    Auto,
    Keep,
}

/// The format of an export's files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ManifestFormat {
    Csv,
    Jsonl,
    Parquet,
    Arrow,
}

impl ManifestFormat {
    /// By its name in the manifest.
    pub(crate) fn parse(name: &str) -> Option<Self> {
        [("csv", Self::Csv), ("jsonl", Self::Jsonl), ("parquet", Self::Parquet), ("arrow", Self::Arrow)]
            .into_iter()
            .find_map(|(known, format)| (known == name).then_some(format))
    }
}

/// A command line without options.
#[derive(Parser)]
struct Defaults {
    #[command(flatten)]
    reading: FileArgs,
}

impl FileArgs {
    /// Without an option.
    pub(crate) fn of_defaults() -> Self {
        Defaults::parse_from(["inrush"]).reading
    }

    /// The same for files of an export, which are read as it wrote them.
    pub(crate) fn of_export(&self, format: ManifestFormat, csv: Option<&CsvText>) -> Self {
        let format_of = |format| Self { format, ..self.clone() };
        match format {
            ManifestFormat::Csv => Self {
                header: csv.is_none_or(|csv| csv.header),
                no_header: csv.is_some_and(|csv| !csv.header),
                header_names: NamesArg::Keep,
                delimiter: csv.map(|csv| csv.delimiter.clone()),
                quote: csv.map(|csv| csv.quote.clone()),
                escape: csv.and_then(|csv| csv.escape.clone()),
                null: csv.map_or(Some(USUAL_NULL.into()), |csv| csv.null.clone()).into_iter().collect(),
                ..format_of(Format::Csv)
            },
            ManifestFormat::Jsonl => format_of(Format::Jsonl),
            ManifestFormat::Parquet => format_of(Format::Parquet),
            ManifestFormat::Arrow => format_of(Format::Arrow),
        }
    }

    /// The same for files that LOAD DATA of a server would read: of BIT columns they have the bytes.
    pub(crate) fn with_bits_as_bytes(self, bits_as_bytes: bool) -> Self {
        Self { bits_as_bytes, ..self }
    }

    /// Options that contradict the manifest of an export, and whether each is given.
    pub(crate) fn contradicting_export(&self) -> [(&'static str, bool); 17] {
        [
            ("format", self.format != Format::Auto),
            ("json-path", self.json_path.is_some()),
            ("delimiter", self.delimiter.is_some()),
            ("quote", self.quote.is_some()),
            ("escape", self.escape.is_some()),
            ("comment", self.comment.is_some()),
            ("header", self.header),
            ("no-header", self.no_header),
            ("null", !self.null.is_empty()),
            ("encoding", self.encoding.is_some()),
            ("decimal", self.decimal.is_some()),
            ("thousands", self.thousands.is_some()),
            ("date-format", !self.date_format.is_empty()),
            ("widths", self.widths.is_some()),
            ("set", !self.set.is_empty()),
            ("time-zone", self.time_zone != "+00:00"),
            ("skip", self.skip != "0"),
        ]
    }

    /// The options about the files.
    pub(crate) fn options(&self, reads_all_names: bool) -> FileOptions {
        FileOptions {
            format: self.file_format(),
            json_path: self.json_path.clone(),
            delimiter: self.delimiter.clone(),
            quote: self.quote.clone(),
            escape: self.escape.clone(),
            comment: self.comment.clone(),
            header: if self.no_header { Some(false) } else { self.header.then_some(true) },
            keeps_names: self.header_names == NamesArg::Keep,
            nulls: self.null.clone(),
            encoding: self.encoding.clone(),
            decimal: self.decimal,
            thousands: self.thousands,
            currencies: self.currency.clone(),
            percent: self.percent.map(|percent| match percent {
                PercentArg::Strip => Percent::Strip,
                PercentArg::Share => Percent::Share,
            }),
            trues: self.trues.clone(),
            falses: self.falses.clone(),
            date_formats: self.date_format.clone(),
            bits_as_bytes: self.bits_as_bytes,
            widths: self.widths.clone(),
            ignores_extra_fields: self.extra_fields == ExtraFields::Ignore,
            nulls_missing_fields: self.missing_fields == MissingFields::Null,
            takes_stored_formulas: self.formulas == Formulas::Stored,
            reads_all_names,
            skip: Some(self.skip.clone()),
            limit: self.limit,
        }
    }

    /// What the files are.
    pub(crate) fn file_format(&self) -> Format {
        self.format
    }
}

/// The formats by their names.
fn formats() -> impl TypedValueParser<Value = Format> {
    let names = Format::NAMES.map(|(name, _)| name);
    PossibleValuesParser::new(names).map(|name| Format::parse(&name).unwrap_or_default())
}

/// Lists the formats.
fn format_help() -> String {
    let names = Format::NAMES.iter().map(|(name, _)| *name).filter(|name| *name != "auto");
    let names: Vec<_> = names.map(|name| format!("`{name}`")).collect();
    format!("{}; `auto` detects it, and of a text its delimiter, quotes and header", names.join(", "))
}
