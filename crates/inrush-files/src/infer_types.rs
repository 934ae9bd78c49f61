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
//! | `numbers` | those of its numbers, which those of other files may join |
//! | `room` | how long texts may be: with room for later ones, and within the limits of a row and of a key |
//! | `given` | a type that a user gives |
//! | `cause` | why a column is a text |

mod cause;
mod facts;
mod given;
mod numbers;
mod room;

pub use cause::{Cause, Why};
pub(crate) use facts::Inference;
pub use facts::{Texts, often_means_null};
pub use numbers::Numbers;
pub use room::{fit_key, fit_row, tighten};
pub(crate) use room::{text_type, varchar};

use given::without_null;
use inrush_core::column::ColumnType;
use inrush_core::error::{Error, Result};
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
    /// The sample has empty texts in quotes: they are NULL unless the column is a text.
    pub empties: bool,
    /// For DATETIME: values end in `Z` or an offset, so they are converted to the session's time zone.
    pub zoned: bool,
    /// The only format by which its dates can be read, where they are not written as SQL writes them: `%d/%m/%Y`.
    pub date_format: Option<String>,
    /// Why it is a text although most of it is not, or looks like something else.
    pub cause: Option<Cause>,
    /// The type as a user gave it, instead of the one found.
    pub given: Option<String>,
    /// Its numbers and truth values, where a sample of texts showed them.
    pub numbers: Option<Numbers>,
    /// Whether its type was inferred from the texts of a sample. If so, this type must not change a later text that would have
    /// led to another type.
    pub keeps_spelling: bool,
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
            empties: false,
            zoned: false,
            date_format: None,
            cause: None,
            given: None,
            numbers: None,
            keeps_spelling: false,
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
        let ty = given::parse(text).map_err(|why| {
            Error::config(format!("`--type {}={text}`: {why}", self.name)).with_hint(
                "it takes a type of CREATE TABLE, then CHARACTER SET, COLLATE, and NULL or NOT NULL: `INT UNSIGNED`, `VARCHAR(80)`, \
                 `DECIMAL(12,2) NOT NULL`, `ENUM('a','b')`; ALTER TABLE adds what else a column has",
            )
        })?;
        (self.ty, self.given, self.cause, self.keeps_spelling) = (ty, Some(text.to_owned()), None, false);
        Ok(())
    }

    /// Whether the user's type says NOT NULL.
    pub(crate) fn is_given_not_null(&self) -> bool {
        let given = self.given.as_deref().unwrap_or_default();
        without_null(given) != given && given.to_ascii_uppercase().ends_with("NOT NULL")
    }

    /// Whether its values are numbers, dates or times: a text such as `NA` is no such value.
    pub(crate) fn is_number_or_moment(ty: &ColumnType) -> bool {
        use ColumnType::{Date, DateTime, Time, Timestamp, Year};
        is_number(ty) || matches!(ty, Date | DateTime { .. } | Time { .. } | Timestamp { .. } | Year)
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
            ColumnType::Text { .. } if in_key => format!("VARCHAR({})", room::KEY_CHARS),
            ColumnType::Blob { .. } if in_key => format!("VARBINARY({})", room::KEY_CHARS),
            _ => self.ddl_type(),
        };
        // Without explicit_defaults_for_timestamp servers give a TIMESTAMP NOT NULL a default.
        let is_timestamp = matches!(self.ty, ColumnType::Timestamp { .. });
        format!("{ty} {}", null(self.nullable || is_timestamp))
    }

    /// A type for the same field of two files, which holds the values of both without a change; a text where no other type does.
    #[must_use]
    pub fn widened_by(self, other: &Inferred) -> Inferred {
        let max_chars = self.max_chars.max(other.max_chars);
        let found = match (self.has_values, other.has_values) {
            (true, false) => Some(self.ty.clone()),
            (false, true) => Some(other.ty.clone()),
            _ => self.wider_type(other),
        };
        let cause = self.cause.clone().or_else(|| other.cause.clone()).or_else(|| {
            let is_one_text = self.is_text() && other.is_text();
            (found.is_none() && !is_one_text).then(|| Cause::of_files(&self.ddl_type(), &other.ddl_type()))
        });
        let null_texts: BTreeSet<_> = self.null_texts.iter().chain(&other.null_texts).cloned().collect();
        let numbers = match (&self.numbers, &other.numbers) {
            (Some(one), Some(other)) => Some(one.and(other)),
            _ => None,
        };
        let merged = Inferred {
            ty: found.unwrap_or_else(|| {
                let max_chars = max_chars.max(decimal_chars(&self.ty)).max(decimal_chars(&other.ty));
                text_type(max_chars, 4 * max_chars)
            }),
            nullable: self.nullable || other.nullable,
            max_chars,
            has_values: self.has_values || other.has_values,
            zoned: self.zoned || other.zoned,
            null_texts: null_texts.into_iter().collect(),
            empties: self.empties || other.empties,
            date_format: self.date_format.or_else(|| other.date_format.clone()),
            cause,
            numbers,
            keeps_spelling: self.keeps_spelling || other.keeps_spelling,
            ..self
        };
        merged.with_null_texts()
    }

    /// The type of both; `None` for two kinds, and where neither type holds all values of both.
    fn wider_type(&self, other: &Inferred) -> Option<ColumnType> {
        match (&self.numbers, &other.numbers) {
            // As if both files were one.
            (Some(one), Some(other_numbers)) if is_number(&self.ty) && is_number(&other.ty) => {
                one.and(other_numbers).ty()
            }
            _ => wider(&self.ty, &other.ty),
        }
    }

    /// The same; a column that reads texts as NULL is nullable.
    fn with_null_texts(mut self) -> Self {
        self.nullable |= (self.empties || !self.null_texts.is_empty()) && !self.is_text();
        self
    }
}

fn is_number(ty: &ColumnType) -> bool {
    matches!(
        ty,
        ColumnType::Int { .. } | ColumnType::Decimal { .. } | ColumnType::Float { .. } | ColumnType::Double { .. }
    )
}

/// A type that holds all possible values of both; `None` if only a text does.
fn wider(one: &ColumnType, other: &ColumnType) -> Option<ColumnType> {
    use ColumnType::{Blob, Char, Date, DateTime, Int, Text, Time, Timestamp, Uuid, VarBinary, VarChar};
    Some(match (one.clone(), other.clone()) {
        (one, other) if one == other => one,
        // What a truth value is as a number differs from file to file.
        (Int { bool: true, .. }, Int { .. }) | (Int { .. }, Int { bool: true, .. }) => return None,
        (one, other) if is_number(&one) && is_number(&other) => return wider_number(&one, &other),
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
        (Blob { bytes }, Blob { bytes: more }) => Blob { bytes: bytes.max(more) },
        (Blob { bytes }, VarBinary { .. }) | (VarBinary { .. }, Blob { bytes }) => Blob { bytes },
        _ => return None,
    })
}

/// The same of two types of numbers.
fn wider_number(one: &ColumnType, other: &ColumnType) -> Option<ColumnType> {
    use ColumnType::{Decimal, Double, Float, Int};
    match (one, other) {
        (Int { bytes, unsigned, .. }, Int { bytes: more, unsigned: other, .. }) if unsigned == other => {
            Some(Int { bytes: *bytes.max(more), unsigned: *unsigned, bool: false })
        }
        // The signed type must hold all values of the unsigned one as well.
        (Int { bytes, unsigned, .. }, Int { bytes: more, .. }) => {
            let (signed, other) = if *unsigned { (*more, *bytes) } else { (*bytes, *more) };
            match other {
                8 => Some(Decimal { precision: 20, scale: 0, unsigned: false }),
                4 => Some(Int { bytes: 8, unsigned: false, bool: false }),
                2 | 3 => Some(Int { bytes: signed.max(4), unsigned: false, bool: false }),
                _ => Some(Int { bytes: signed.max(2), unsigned: false, bool: false }),
            }
        }
        (Float { .. } | Double { .. }, Float { .. } | Double { .. }) => Some(Double { unsigned: false, digits: None }),
        (Float { .. } | Double { .. }, exact) | (exact, Float { .. } | Double { .. }) => {
            let (int_digits, scale) = digits(exact);
            (int_digits + scale <= SURE_DIGITS).then_some(Double { unsigned: false, digits: None })
        }
        _ => {
            let ((int_digits, scale), (other_digits, other_scale)) = (digits(one), digits(other));
            let (int_digits, scale) = (int_digits.max(other_digits), scale.max(other_scale));
            let precision = int_digits + scale;
            (precision <= DECIMAL_DIGITS).then_some(Decimal { precision, scale, unsigned: false })
        }
    }
}

/// How many characters a DECIMAL may have, with its sign, its point, and a zero before that; the values of other numbers are shorter than
/// any text.
fn decimal_chars(ty: &ColumnType) -> usize {
    if let ColumnType::Decimal { precision, .. } = ty { usize::from(*precision) + 3 } else { 0 }
}

/// How many digits an exact number may have before and after the point.
fn digits(ty: &ColumnType) -> (u8, u8) {
    match ty {
        ColumnType::Int { bytes: 1, .. } => (3, 0),
        ColumnType::Int { bytes: 2, .. } => (5, 0),
        ColumnType::Int { bytes: 3, .. } => (8, 0),
        ColumnType::Int { bytes: 4, .. } => (10, 0),
        ColumnType::Int { .. } => (20, 0),
        ColumnType::Decimal { precision, scale, .. } => (precision.saturating_sub(*scale), *scale),
        _ => (0, 0),
    }
}

/// Any number of so many digits survives a DOUBLE.
const SURE_DIGITS: u8 = 15;

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

/// The length of a UUID's text.
const UUID_CHARS: u32 = 36;

/// The most digits of a DECIMAL.
const DECIMAL_DIGITS: u8 = 65;

#[cfg(test)]
mod tests;
