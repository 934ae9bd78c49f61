//! Infers the type of each column from a sample, for `--create-table`.
//!
//! A type must also hold rows outside of the sample, so it is wider: whole numbers get INT at least, numbers with a point DOUBLE unless
//! they have the format of money, texts a length well above the longest in the sample. No type changes a value: codes that consist of
//! digits (`007`, `+49 30`) stay text, and digits that a DOUBLE would lose make a DECIMAL or a text. A text such as `NA` is a missing
//! value only in a column that otherwise consists of something else than text.
//!
//! | module | what |
//! |---|---|
//! | `facts` | the statistics of a column's cells, and the type that follows |
//! | `cause` | why a column is a text |

mod cause;
mod facts;

pub use cause::{Cause, Why};
pub(crate) use facts::Inference;
pub use facts::Texts;

use inrush_core::error::{Error, Result};
use inrush_core::value::column::ColumnType;
use std::collections::BTreeSet;

/// A field and its type by a sample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inferred {
    /// The field's name.
    pub name: String,
    /// A type that holds all values of the sample.
    pub ty: ColumnType,
    /// Whether a value is missing in the sample, or may be in the rest.
    pub nullable: bool,
    /// Length of the longest value, in characters.
    pub max_chars: usize,
    /// Whether anything says what type it has: a value that is neither missing, nor empty, nor one of `null_texts`; or the file itself.
    pub has_values: bool,
    /// Texts of the sample that often mean NULL (`NA`, `NULL`, `-` ..): they are read so unless the column is a text.
    pub null_texts: Vec<String>,
    /// For DATETIME: values end in `Z` or an offset, so they are converted to the session's time zone.
    pub zoned: bool,
    /// The only format by which its dates can be read, where they are not written as SQL writes them: `%d/%m/%Y`.
    pub date_format: Option<String>,
    /// Why it is a text although most of it is not, or looks like something else.
    pub cause: Option<Cause>,
    /// The type as a user gave it, instead of the one found.
    pub given: Option<String>,
}

impl Inferred {
    /// A field of this type without anything else to say.
    pub fn new(name: impl Into<String>, ty: ColumnType, nullable: bool) -> Self {
        Self {
            name: name.into(),
            ty,
            nullable,
            max_chars: 0,
            has_values: true,
            null_texts: Vec::new(),
            zoned: false,
            date_format: None,
            cause: None,
            given: None,
        }
    }

    /// Whether its values are texts.
    pub fn is_text(&self) -> bool {
        use ColumnType::{Binary, Blob, Char, Enum, Set, Text, VarBinary, VarChar};
        matches!(
            self.ty,
            Char { .. }
                | VarChar { .. }
                | Text { .. }
                | Enum { .. }
                | Set { .. }
                | Binary { .. }
                | VarBinary { .. }
                | Blob { .. }
        )
    }

    /// Takes the type that a user gives: `CHAR(5)`, `DECIMAL(10,2) NOT NULL`.
    ///
    /// # Errors
    /// `Config` for what is not a type of a column.
    pub fn set_type(&mut self, text: &str) -> Result<()> {
        let text = text.trim();
        let ty = ColumnType::parse(without_null(text));
        let behind = text.rsplit_once(')').map_or(text, |(_, behind)| behind);
        let is_one_type = behind.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b' ' | b'_'));
        if !is_one_type || matches!(ty, ColumnType::Other(_)) {
            return Err(Error::config(format!("`--type {}={text}`: that is no type of a column that is known", self.name))
                .with_hint("it takes what CREATE TABLE does: `INT UNSIGNED`, `VARCHAR(80)`, `DECIMAL(12,2) NOT NULL`, `ENUM('a','b')`"));
        }
        (self.ty, self.given, self.cause) = (ty, Some(text.to_owned()), None);
        Ok(())
    }

    /// The type as CREATE TABLE spells it: `INT`, `DATETIME(6)`, `VARCHAR(16)`.
    pub fn ddl_type(&self) -> String {
        match &self.ty {
            ColumnType::DateTime { fsp: 0 } => "DATETIME".into(),
            ColumnType::Timestamp { fsp: 0 } => "TIMESTAMP".into(),
            ColumnType::Time { fsp: 0 } => "TIME".into(),
            ColumnType::Int { bool: true, .. } => "TINYINT(1)".into(),
            ty => ty.to_string(),
        }
    }
}

impl Inferred {
    /// The type with NULL or NOT NULL. A column of the primary key holds no NULL, and a text in it has a length.
    pub fn definition(&self, in_key: bool) -> String {
        let null = |nullable: bool| if in_key || !nullable { "NOT NULL" } else { "NULL" };
        if let Some(given) = &self.given {
            return match without_null(given) {
                bare if bare == given => format!("{bare} {}", null(self.nullable)),
                bare => format!("{bare} {}", null(!given.to_ascii_uppercase().ends_with("NOT NULL"))),
            };
        }
        let ty = match self.ty {
            ColumnType::Text { .. } if in_key => format!("VARCHAR({KEY_CHARS})"),
            ColumnType::Blob { .. } if in_key => format!("VARBINARY({KEY_CHARS})"),
            _ => self.ddl_type(),
        };
        // Without explicit_defaults_for_timestamp servers give a TIMESTAMP NOT NULL a default.
        let is_timestamp = matches!(self.ty, ColumnType::Timestamp { .. });
        format!("{ty} {}", null(self.nullable || is_timestamp))
    }

    /// A type for the same field of two files: the wider one of a kind, a text for two kinds.
    #[must_use]
    pub fn widened_by(self, other: &Inferred) -> Inferred {
        let max_chars = self.max_chars.max(other.max_chars);
        let ty = match (self.has_values, other.has_values) {
            (true, false) => self.ty.clone(),
            (false, true) => other.ty.clone(),
            _ => wider(&self.ty, &other.ty).unwrap_or_else(|| ColumnType::VarChar {
                chars: 255.max(u32::try_from(max_chars * 2).unwrap_or(u32::MAX)).min(16_000),
            }),
        };
        let null_texts: BTreeSet<_> = self.null_texts.iter().chain(&other.null_texts).cloned().collect();
        let merged = Inferred {
            ty,
            nullable: self.nullable || other.nullable,
            max_chars,
            has_values: self.has_values || other.has_values,
            zoned: self.zoned || other.zoned,
            null_texts: null_texts.into_iter().collect(),
            date_format: self.date_format.or_else(|| other.date_format.clone()),
            cause: self.cause.or_else(|| other.cause.clone()),
            ..self
        };
        merged.with_null_texts()
    }

    /// The same; a column that reads texts as NULL is nullable.
    fn with_null_texts(mut self) -> Self {
        self.nullable |= !self.null_texts.is_empty() && !self.is_text();
        self
    }
}

/// A type without the `NULL` or `NOT NULL` at its end.
fn without_null(ty: &str) -> &str {
    let strip = |text: &'_ str, word: &str| {
        let at = text.len().checked_sub(word.len())?;
        let is_word = text.is_char_boundary(at) && text[at..].eq_ignore_ascii_case(word);
        (is_word && text[..at].ends_with([' ', ')'])).then_some(at)
    };
    let Some(at) = strip(ty, "NULL") else { return ty };
    let bare = ty[..at].trim_end();
    strip(bare, "NOT").map_or(bare, |at| bare[..at].trim_end())
}

/// A type that holds the values of both; `None` for two kinds.
fn wider(one: &ColumnType, other: &ColumnType) -> Option<ColumnType> {
    use ColumnType::{
        Char, Date, DateTime, Decimal, Double, Float, Int, Text, Time, Timestamp, Uuid, VarBinary, VarChar,
    };
    let double = Double { unsigned: false, digits: None };
    Some(match (one.clone(), other.clone()) {
        (one, other) if one == other => one,
        (Int { bytes, unsigned, .. }, Int { bytes: more, unsigned: other, .. }) if unsigned == other => {
            Int { bytes: bytes.max(more), unsigned, bool: false }
        }
        // The signed type must hold all values of the unsigned one as well.
        (Int { bytes, unsigned, .. }, Int { bytes: more, .. }) => {
            let (signed, other) = if unsigned { (more, bytes) } else { (bytes, more) };
            match signed.max(2 * other) {
                3 | 4 => Int { bytes: 4, unsigned: false, bool: false },
                bytes @ (2 | 8) => Int { bytes, unsigned: false, bool: false },
                // The wider of both kinds, as for a sample of CSV.
                _ => Int { bytes: 8, unsigned: true, bool: false },
            }
        }
        (Decimal { precision, scale, .. }, Decimal { precision: digits, scale: behind, .. }) => {
            let scale = scale.max(behind);
            let ahead = (precision - scale.min(precision)).max(digits - behind.min(digits));
            Decimal { precision: (ahead + scale).min(DECIMAL_DIGITS), scale, unsigned: false }
        }
        (Int { .. }, Decimal { precision, scale, .. }) | (Decimal { precision, scale, .. }, Int { .. }) => {
            Decimal { precision: precision.max(20 + scale).min(DECIMAL_DIGITS), scale, unsigned: false }
        }
        (Int { .. } | Decimal { .. } | Float { .. } | Double { .. }, Float { .. } | Double { .. })
        | (Float { .. } | Double { .. }, Int { .. } | Decimal { .. }) => double,
        (Date, DateTime { fsp }) | (DateTime { fsp }, Date) => DateTime { fsp },
        (DateTime { fsp }, DateTime { fsp: more }) => DateTime { fsp: fsp.max(more) },
        (Timestamp { fsp }, Timestamp { fsp: more }) => Timestamp { fsp: fsp.max(more) },
        (Timestamp { fsp }, DateTime { fsp: more }) | (DateTime { fsp }, Timestamp { fsp: more }) => {
            DateTime { fsp: fsp.max(more) }
        }
        (Time { fsp }, Time { fsp: more }) => Time { fsp: fsp.max(more) },
        (Uuid, Char { chars: UUID_CHARS }) | (Char { chars: UUID_CHARS }, Uuid) => Char { chars: UUID_CHARS },
        (VarChar { chars }, VarChar { chars: more }) => VarChar { chars: chars.max(more) },
        (VarBinary { bytes }, VarBinary { bytes: more }) => VarBinary { bytes: bytes.max(more) },
        (Text { bytes }, Text { bytes: more }) => Text { bytes: bytes.max(more) },
        (Text { bytes }, VarChar { .. }) | (VarChar { .. }, Text { bytes }) => Text { bytes },
        (ColumnType::Blob { bytes }, ColumnType::Blob { bytes: more }) => ColumnType::Blob { bytes: bytes.max(more) },
        (ColumnType::Blob { bytes }, VarBinary { .. }) | (VarBinary { .. }, ColumnType::Blob { bytes }) => {
            ColumnType::Blob { bytes }
        }
        _ => return None,
    })
}

/// A text that means NULL in one column means NULL in all columns that are not text: a file is consistent, and a column may have no
/// missing value in the sample, unless that is all of the file.
pub(crate) fn share_null_texts(columns: &mut [Inferred], is_all: bool) {
    let others = columns.iter().filter(|column| !column.is_text());
    let all: BTreeSet<String> = others.flat_map(|column| column.null_texts.iter().cloned()).collect();
    for column in columns.iter_mut().filter(|column| !column.is_text()) {
        column.nullable |= !all.is_empty() && !is_all;
        column.null_texts = all.iter().cloned().collect();
    }
}

/// Takes the types that were found once the texts for missing values were NULL, where they are others.
pub(crate) fn settle(fields: &mut [Inferred], settled: Vec<Inferred>) {
    for (field, settled) in fields.iter_mut().zip(settled) {
        if field.ty != settled.ty && !field.is_text() {
            *field = settled;
        }
    }
}

/// A quarter more than the longest text of the sample; above 255 characters, a TEXT.
pub(crate) fn text_type(max_chars: usize, max_bytes: usize) -> ColumnType {
    let wanted = (max_chars + max_chars / 4) as u32;
    match VARCHARS.iter().find(|chars| **chars >= wanted) {
        Some(&chars) => ColumnType::VarChar { chars },
        None if max_bytes < TEXT as usize / 4 => ColumnType::Text { bytes: TEXT },
        None if max_bytes < MEDIUMTEXT as usize / 4 => ColumnType::Text { bytes: MEDIUMTEXT },
        None => ColumnType::Text { bytes: u32::MAX },
    }
}

/// A row may have 65,535 bytes, TEXT columns not counted: turns the longest VARCHARs into TEXT until it fits.
pub fn fit_row(columns: &mut [Inferred]) {
    let bytes = |ty: &ColumnType| match ty {
        ColumnType::VarChar { chars } | ColumnType::Char { chars } => 4 * *chars as usize + 2,
        ColumnType::Decimal { .. } => 30,
        ColumnType::Text { .. } => 12,
        _ => 8,
    };
    loop {
        let row: usize = columns.iter().map(|column| bytes(&column.ty) + 1).sum();
        let longest = columns.iter_mut().filter(|column| column.given.is_none()).max_by_key(|column| match column.ty {
            ColumnType::VarChar { chars } => chars,
            _ => 0,
        });
        match longest {
            Some(Inferred { ty: ty @ ColumnType::VarChar { .. }, .. }) if row > ROW_BYTES => {
                *ty = ColumnType::Text { bytes: TEXT };
            }
            _ => return,
        }
    }
}

/// A key has at most 3,072 bytes, four a character.
const KEY_CHARS: u32 = 512;

/// The lengths a VARCHAR gets.
const VARCHARS: &[u32] = &[16, 32, 64, 128, 255];

/// The length of a UUID's text.
const UUID_CHARS: u32 = 36;

/// TEXT and MEDIUMTEXT, in bytes.
const TEXT: u32 = 65_535;
const MEDIUMTEXT: u32 = (1 << 24) - 1;

/// The most digits of a DECIMAL.
const DECIMAL_DIGITS: u8 = 65;

/// A little less than the server's limit, for the overhead of a row.
const ROW_BYTES: usize = 60_000;

#[cfg(test)]
mod tests;
