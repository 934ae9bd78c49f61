//! Numbers and dates as people of a country write them, by options. Nothing is guessed: for a new table only a format that can be read in
//! one way alone is used. A cell that does not fit is a bad row, never another value.
//!
//! | module | what |
//! |---|---|
//! | `number` | decimal comma, groups of digits, currency and percent signs |
//! | `apply` | a batch of text with its cells rewritten |
//! | `propose` | which option would make the cells of a column fit |

mod apply;
mod number;
mod propose;

pub use propose::Proposal;
pub(crate) use propose::propose;

use crate::moment;
use inrush_core::error::{Error, Result};
use inrush_core::load::ColumnKind;
use std::fmt;

/// How numbers and dates are written in a text file. The default is how SQL writes them.
///
/// ```
/// use inrush_files::{DateFormat, ValueFormats};
/// # fn main() -> Result<(), inrush_core::Error> {
/// let german = ValueFormats::default()
///     .with_decimal(',')
///     .with_thousands('.')
///     .with_dates([DateFormat::parse("%d.%m.%Y")?]);
/// # german.check()
/// # }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ValueFormats {
    /// The character before the fraction; `None` is a point.
    pub decimal: Option<char>,
    /// The character between groups of three digits; `None`: digits are not grouped. A blank stands for the narrow and the no-break one too.
    pub thousands: Option<char>,
    /// Signs that may precede or follow a number.
    pub currencies: Vec<String>,
    /// What a percent sign after a number means; `None`: numbers have no percent sign.
    pub percent: Option<Percent>,
    /// Words that mean true in columns of whole numbers and bits, in any case.
    pub trues: Vec<String>,
    /// Words that mean false there.
    pub falses: Vec<String>,
    /// Formats of dates and times, for one column or for all other columns. The first format that fits is used.
    pub dates: Vec<DateFormat>,
    /// Whether a cell of a BIT column is the bytes of its number, the first byte the greatest, as LOAD DATA of a server reads it.
    pub bits_as_bytes: bool,
}

/// What a percent sign means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Percent {
    /// `12.5 %` is 12.5.
    Strip,
    /// `12.5 %` is 0.125.
    Share,
}

/// A format of dates or times, as `strptime` has them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DateFormat {
    /// The field it is for; `None`: all dates and times that have no format of their own.
    pub column: Option<String>,
    /// Such as `%d.%m.%Y %H:%M`.
    pub format: String,
}

inrush_core::setters!(ValueFormats {
    with_decimal => decimal: into Option<char>,
    with_thousands => thousands: into Option<char>,
    with_currencies => currencies: into Vec<String>,
    with_percent => percent: into Option<Percent>,
    with_trues => trues: into Vec<String>,
    with_falses => falses: into Vec<String>,
    with_dates => dates: into Vec<DateFormat>,
    with_bits_as_bytes => bits_as_bytes: as bool,
});

impl ValueFormats {
    /// Whether any format differs from SQL's.
    pub fn is_any(&self) -> bool {
        *self != Self::default()
    }

    /// Fails unless it makes sense.
    ///
    /// # Errors
    /// `Config`.
    pub fn check(&self) -> Result<()> {
        let (decimal, thousands) = (self.decimal.unwrap_or('.'), self.thousands);
        if thousands == Some(decimal) {
            let hint = "a point before the fraction is what is read unless `--decimal` says otherwise";
            return Err(Error::config(format!(
                "`{decimal}` cannot stand both between groups of digits and before the fraction"
            ))
            .with_hint(hint));
        }
        for (option, sign) in [("--decimal", Some(decimal)), ("--thousands", thousands)] {
            if let Some(sign) =
                sign.filter(|sign| sign.is_alphanumeric() || matches!(sign, '-' | '+' | '%' | '(' | ')'))
            {
                return Err(Error::config(format!("`{option} {sign}`: that is a part of numbers")));
            }
        }
        if self.currencies.iter().any(|sign| sign.trim().is_empty() || sign.contains(|c: char| c.is_ascii_digit())) {
            return Err(Error::config("`--currency` is a sign or a word without digits, such as `€` or `EUR`"));
        }
        if let Some(sign) = self.currencies.iter().find(|sign| self.is_part_of_numbers(sign)) {
            return Err(Error::config(format!("`--currency {}`: that is a part of numbers", quoted(sign)))
                .with_hint("it takes a sign or a word such as `€` or `EUR`"));
        }
        let words =
            || self.trues.iter().map(|word| ("--true", word)).chain(self.falses.iter().map(|word| ("--false", word)));
        if let Some((option, _)) = words().find(|(_, word)| word.trim().is_empty()) {
            return Err(Error::config(format!("`{option}` is a word, such as `yes`, `ja` or `Y`")));
        }
        let is_false = |word: &&String| self.falses.iter().any(|other| is_word(other, word));
        if let Some(word) = self.trues.iter().find(is_false) {
            return Err(Error::config(format!("`{word}` cannot be both `--true` and `--false`")));
        }
        self.dates.iter().try_for_each(|format| moment::check(&format.format))
    }

    /// Whether leaving a sign out would leave out what a number is made of: the minus of `-5`, the point of `.5`.
    fn is_part_of_numbers(&self, sign: &str) -> bool {
        let is_sign = |c: char| matches!(c, '-' | '+' | '\u{2212}' | '%');
        let is_part = |c: char| {
            is_sign(c)
                || c.is_whitespace()
                || matches!(c, '.' | ',' | '\'' | '(' | ')' | 'e' | 'E')
                || Some(c) == self.decimal
                || Some(c) == self.thousands
        };
        let sign = sign.trim();
        sign.chars().all(is_part) || sign.starts_with(is_sign) || sign.ends_with(is_sign)
    }

    /// Whether a cell is a word for true, or for false.
    fn truth(&self, cell: &str) -> Option<bool> {
        let is_one = |words: &[String]| words.iter().any(|word| is_word(word, cell));
        if is_one(&self.trues) {
            Some(true)
        } else if is_one(&self.falses) {
            Some(false)
        } else {
            None
        }
    }

    /// Whether there are words for true and false.
    fn has_truths(&self) -> bool {
        !(self.trues.is_empty() && self.falses.is_empty())
    }

    /// Whether numbers have options of their own.
    fn has_numbers(&self) -> bool {
        self.decimal.is_some() || self.thousands.is_some() || !self.currencies.is_empty() || self.percent.is_some()
    }

    /// The options as they would be given, for messages.
    fn number_options(&self) -> String {
        let mut options = Vec::new();
        options.extend(self.decimal.map(|sign| format!("--decimal {}", quoted(&sign.to_string()))));
        options.extend(self.thousands.map(|sign| format!("--thousands {}", quoted(&sign.to_string()))));
        options.extend(self.currencies.iter().map(|sign| format!("--currency {}", quoted(sign))));
        options.extend(self.percent.map(|percent| format!("--percent {}", percent.name())));
        options.join(" ")
    }

    /// How the cells of a field are rewritten that goes into a column of this kind.
    fn rule(&self, field: &str, column_kind: ColumnKind) -> Rule<'_> {
        match column_kind {
            ColumnKind::Bits if self.bits_as_bytes => Rule::Bytes,
            ColumnKind::Integer | ColumnKind::Bits | ColumnKind::Decimal if self.has_truths() => Rule::Truth(self),
            ColumnKind::Integer | ColumnKind::Bits | ColumnKind::Decimal | ColumnKind::Float | ColumnKind::Double
                if self.has_numbers() =>
            {
                Rule::Number(self)
            }
            ColumnKind::Moment | ColumnKind::Time if !self.dates.is_empty() => self.date_rule(field),
            _ => Rule::Keep,
        }
    }

    fn date_rule(&self, field: &str) -> Rule<'_> {
        let is_own = |format: &&DateFormat| {
            format.column.as_deref().is_some_and(|column| column.trim().eq_ignore_ascii_case(field.trim()))
        };
        let own: Vec<&str> = self.dates.iter().filter(is_own).map(|format| &format.format[..]).collect();
        if !own.is_empty() {
            return Rule::Date { formats: own, or_iso: false };
        }
        let general = self.dates.iter().filter(|format| format.column.is_none()).map(|format| &format.format[..]);
        match general.collect::<Vec<_>>() {
            formats if formats.is_empty() => Rule::Keep,
            formats => {
                let or_iso = !formats.iter().any(|format| moment::bends_sql(format));
                Rule::Date { formats, or_iso }
            }
        }
    }
}

/// Shows the options for these formats.
impl fmt::Display for ValueFormats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.number_options())?;
        let mut separator = if self.has_numbers() { " " } else { "" };
        for (option, words) in [("--true", &self.trues), ("--false", &self.falses)] {
            for word in words {
                write!(f, "{separator}{option} {}", quoted(word))?;
                separator = " ";
            }
        }
        for format in &self.dates {
            let column = format.column.as_ref().map_or(String::new(), |column| format!("{column}="));
            write!(f, "{separator}--date-format {}", quoted(&(column + &format.format)))?;
            separator = " ";
        }
        match self.bits_as_bytes {
            true => write!(f, "{separator}bits as bytes"),
            false => Ok(()),
        }
    }
}

impl Percent {
    /// The meaning of this name, `strip` or `share`.
    pub fn parse(name: &str) -> Option<Self> {
        [Self::Strip, Self::Share].into_iter().find(|percent| percent.name() == name)
    }

    fn name(self) -> &'static str {
        match self {
            Self::Strip => "strip",
            Self::Share => "share",
        }
    }
}

impl DateFormat {
    /// Reads `FORMAT`, or `FIELD=FORMAT`.
    ///
    /// # Errors
    /// `Config` for what is not a format.
    pub fn parse(text: &str) -> Result<Self> {
        let (column, format) = match text.split_once('=') {
            Some((column, format)) if !column.contains('%') && !column.trim().is_empty() => (Some(column), format),
            _ => (None, text),
        };
        moment::check(format)?;
        Ok(Self { column: column.map(|column| column.trim().to_owned()), format: format.to_owned() })
    }
}

/// How the cells of one column are rewritten.
#[derive(Debug)]
enum Rule<'f> {
    Keep,
    /// The bytes of a number.
    Bytes,
    /// A word for true or false, else a number.
    Truth(&'f ValueFormats),
    Number(&'f ValueFormats),
    Date {
        formats: Vec<&'f str>,
        /// A date that is written as SQL does is one as well: by these formats it can be nothing else.
        or_iso: bool,
    },
}

impl Rule<'_> {
    /// Writes the cell as SQL does. False: it does not fit.
    fn rewrite(&self, cell: &[u8], out: &mut Vec<u8>) -> bool {
        if let Rule::Bytes = self {
            return number::of_bytes(cell).map(|number| out.extend_from_slice(number.to_string().as_bytes())).is_some();
        }
        let Ok(text) = str::from_utf8(cell) else { return false };
        match self {
            Rule::Keep | Rule::Bytes => {
                out.extend_from_slice(cell);
                true
            }
            Rule::Truth(formats) => match formats.truth(text) {
                Some(truth) => {
                    out.push(if truth { b'1' } else { b'0' });
                    true
                }
                None if formats.has_numbers() => number::rewrite(formats, text, out),
                None => {
                    out.extend_from_slice(cell);
                    true
                }
            },
            Rule::Number(formats) => number::rewrite(formats, text, out),
            Rule::Date { formats, or_iso } => {
                formats.iter().any(|format| moment::rewrite(format, text.trim(), out))
                    || (*or_iso && moment::is_sql(text)) && {
                        out.extend_from_slice(cell);
                        true
                    }
            }
        }
    }

    /// Why a cell does not fit.
    fn reason(&self, cell: &[u8]) -> String {
        let n_bytes = cell.len();
        let cell = String::from_utf8_lossy(cell);
        match self {
            Rule::Keep => String::new(),
            Rule::Bytes => format!("its {n_bytes} bytes are no number of 64 bits"),
            Rule::Truth(formats) | Rule::Number(formats) => {
                format!("`{cell}` is no number by `{}`", formats.number_options())
            }
            Rule::Date { formats, .. } => {
                format!("`{cell}` is no date or time by `--date-format '{}'`", formats.join("', '"))
            }
        }
    }
}

/// Whether two words are the same except for case and blanks around them.
fn is_word(word: &str, other: &str) -> bool {
    word.trim().to_lowercase() == other.trim().to_lowercase()
}

/// An option's value as a shell takes it.
fn quoted(text: &str) -> String {
    match text.chars().all(|c| c.is_alphanumeric() || matches!(c, ',' | '.' | '_' | '%' | '-')) {
        true => text.to_owned(),
        false => format!("'{}'", text.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests;
