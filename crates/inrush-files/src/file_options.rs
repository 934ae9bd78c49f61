//! The options of files as a user writes them, for every front end: texts under the names that the command has, parsed and checked into a
//! [`Format`] and [`CsvOptions`]. Errors name the command's options.

use crate::dialect::{AutoDetect, CsvOptions, HeaderNames};
use crate::file_format::Format;
use crate::formats::{DateFormat, Percent, ValueFormats};
use crate::widths::Widths;
use encoding_rs::Encoding;
use inrush_core::error::{Error, Result};

/// The given options for reading files. `Default`: no option was given.
#[derive(Clone, Debug, Default)]
pub struct FileOptions {
    /// `--format`.
    pub format: Format,
    /// `--json-path`.
    pub json_path: Option<String>,
    /// `--delimiter`; `auto` finds it out.
    pub delimiter: Option<String>,
    /// `--quote`; `auto` finds it out.
    pub quote: Option<String>,
    /// `--escape`.
    pub escape: Option<String>,
    /// `--comment`.
    pub comment: Option<String>,
    /// `--header`, `--no-header`.
    pub header: Option<bool>,
    /// `--header-names keep`.
    pub keeps_names: bool,
    /// `--null`.
    pub nulls: Vec<String>,
    /// `--encoding`; `auto` guesses it.
    pub encoding: Option<String>,
    /// `--decimal`.
    pub decimal: Option<char>,
    /// `--thousands`.
    pub thousands: Option<char>,
    /// `--currency`.
    pub currencies: Vec<String>,
    /// `--percent`.
    pub percent: Option<Percent>,
    /// `--true`.
    pub trues: Vec<String>,
    /// `--false`.
    pub falses: Vec<String>,
    /// `--date-format`.
    pub date_formats: Vec<String>,
    /// Cells of BIT columns are the bytes of their numbers, as LOAD DATA of a server reads them.
    pub bits_as_bytes: bool,
    /// `--widths`.
    pub widths: Option<String>,
    /// `--extra-fields ignore`.
    pub ignores_extra_fields: bool,
    /// `--missing-fields null`.
    pub nulls_missing_fields: bool,
    /// `--formulas`: the results of formulas are what a workbook has.
    pub takes_stored_formulas: bool,
    /// `--sample all`: the names of JSON are those of all records.
    pub reads_all_names: bool,
    /// `--skip`; `auto` skips all lines before the table.
    pub skip: Option<String>,
    /// `--limit`.
    pub limit: Option<u64>,
}

impl FileOptions {
    /// The options of the reader. `makes_table`: a header's names become those of a new table.
    ///
    /// # Errors
    /// `Config`, which names the option that is not understood.
    pub fn csv_options(&self, makes_table: bool) -> Result<CsvOptions> {
        let defaults = CsvOptions::default();
        let given = |option: &Option<String>| option.as_deref().filter(|text| *text != AUTO).map(str::to_owned);
        let (delimiter, quote, encoding) = (given(&self.delimiter), given(&self.quote), given(&self.encoding));
        // A given format is read as its standard says, except for properties whose own option asks for detection.
        let is_auto = self.format == Format::Auto;
        let asked = |option: &Option<String>| option.as_deref().map_or(is_auto, |text| text == AUTO);
        let auto_detect = AutoDetect {
            delimiter: asked(&self.delimiter),
            quote: asked(&self.quote) && self.escape.is_none(),
            header: is_auto && self.header.is_none(),
            skip: self.skip.as_deref() == Some(AUTO),
            encoding: self.encoding.as_deref() == Some(AUTO),
        };
        let quote = match quote.as_deref() {
            None => defaults.quote,
            Some("") => None,
            Some(text) => Some(one_byte("--quote", text)?),
        };
        let skip = match self.skip.as_deref() {
            None | Some(AUTO) => 0,
            Some(text) => text.parse().map_err(|_| {
                Error::config(format!("`--skip {text}` is not understood"))
                    .with_hint("it takes a number of lines, or `auto`")
            })?,
        };
        let names = match (self.keeps_names, makes_table) {
            (true, _) => HeaderNames::Keep,
            (false, false) => HeaderNames::Trim,
            (false, true) => HeaderNames::CleanUp,
        };
        let nulls: Vec<_> = self.nulls.iter().map(|text| text.clone().into_bytes()).collect();
        Ok(defaults
            .with_delimiter(delimiter.map(|text| one_byte("--delimiter", &text)).transpose()?)
            .with_quote(quote)
            .with_escape(self.escape.as_deref().map(|text| one_byte("--escape", text)).transpose()?)
            .with_comment(self.comment.clone().map(String::into_bytes))
            .with_header(self.header.unwrap_or(true))
            .with_nulls(nulls)
            .with_encoding(encoding.as_deref().map(encoding_of).transpose()?)
            .with_skip(skip)
            .with_limit(self.limit)
            .with_json_path(self.json_path.as_deref().map(path_of_keys))
            .with_widths(self.widths.as_deref().map(Widths::parse).transpose()?)
            .with_ignore_extra_fields(self.ignores_extra_fields)
            .with_null_missing_fields(self.nulls_missing_fields)
            .with_formats(self.value_formats()?)
            .with_stored_formulas(self.takes_stored_formulas)
            .with_all_names(self.reads_all_names)
            .with_names(names)
            .with_auto_detect(auto_detect))
    }

    /// How numbers and dates are written.
    fn value_formats(&self) -> Result<ValueFormats> {
        let dates = self.date_formats.iter().map(|text| DateFormat::parse(text)).collect::<Result<Vec<_>>>()?;
        let formats = ValueFormats::default()
            .with_decimal(self.decimal.filter(|sign| *sign != '.'))
            .with_thousands(self.thousands)
            .with_currencies(self.currencies.clone())
            .with_percent(self.percent)
            .with_trues(self.trues.clone())
            .with_falses(self.falses.clone())
            .with_dates(dates)
            .with_bits_as_bytes(self.bits_as_bytes);
        formats.check()?;
        Ok(formats)
    }
}

/// The value of an option that asks for detection.
const AUTO: &str = "auto";

/// The keys of `--json-path`.
fn path_of_keys(path: &str) -> Vec<String> {
    path.split('.').filter(|key| !key.is_empty()).map(str::to_owned).collect()
}

fn encoding_of(name: &str) -> Result<&'static Encoding> {
    Encoding::for_label(name.as_bytes()).ok_or_else(|| {
        Error::config(format!("`--encoding {name}` is not known"))
            .with_hint("it takes the names of the WHATWG Encoding Standard: `utf-8`, `latin1`, `windows-1252`, `shift_jis`, `gb18030`, ..")
    })
}

/// A delimiter, quote or escape: one byte, or the two characters `\t`.
fn one_byte(option: &str, text: &str) -> Result<u8> {
    match text {
        "\\t" => Ok(b'\t'),
        _ if text.len() == 1 => Ok(text.as_bytes()[0]),
        _ => Err(Error::config(format!("`{option} {text}` is not one byte"))
            .with_hint("it takes one ASCII character, or `\\t`")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_byte_options() {
        assert_eq!(one_byte("--delimiter", "\\t").unwrap(), b'\t');
        assert_eq!(one_byte("--delimiter", "\t").unwrap(), b'\t');
        assert_eq!(one_byte("--delimiter", ";").unwrap(), b';');
        assert!(one_byte("--delimiter", "||").is_err());
        assert!(one_byte("--delimiter", "é").is_err());
        assert!(one_byte("--delimiter", "").is_err());
    }

    /// The given options decide what is detected.
    #[test]
    fn what_is_given_is_not_found_out() {
        let found = |options: FileOptions| options.csv_options(false).unwrap().auto_detect;
        let all = AutoDetect { delimiter: true, quote: true, header: true, skip: false, encoding: false };
        assert_eq!(found(FileOptions::default()), all);
        let text = |text: &str| Some(text.to_owned());
        let check = |options: FileOptions, want: AutoDetect| assert_eq!(found(options), want);
        check(FileOptions { delimiter: text(";"), ..Default::default() }, AutoDetect { delimiter: false, ..all });
        check(FileOptions { quote: text(""), ..Default::default() }, AutoDetect { quote: false, ..all });
        check(FileOptions { escape: text("\\"), ..Default::default() }, AutoDetect { quote: false, ..all });
        check(FileOptions { header: Some(true), ..Default::default() }, AutoDetect { header: false, ..all });
        check(FileOptions { header: Some(false), ..Default::default() }, AutoDetect { header: false, ..all });
        check(FileOptions { skip: text("auto"), ..Default::default() }, AutoDetect { skip: true, ..all });
        check(FileOptions { encoding: text("auto"), ..Default::default() }, AutoDetect { encoding: true, ..all });
        check(FileOptions { format: Format::Csv, ..Default::default() }, AutoDetect::default());
    }

    #[test]
    fn mistakes_name_their_option() {
        let text = |text: &str| Some(text.to_owned());
        let check = |options: FileOptions, want: &str| {
            assert!(options.csv_options(false).unwrap_err().message().contains(want), "{want}");
        };
        check(FileOptions { delimiter: text("||"), ..Default::default() }, "`--delimiter ||`");
        check(FileOptions { skip: text("few"), ..Default::default() }, "`--skip few`");
        check(FileOptions { encoding: text("utf-9"), ..Default::default() }, "`--encoding utf-9`");
        check(FileOptions { widths: text("wide"), ..Default::default() }, "`--widths wide`");
        check(FileOptions { date_formats: vec!["%Q".into()], ..Default::default() }, "`--date-format %Q`");
    }
}
