//! Infers the type of each column from a sample, for `--create-table`.
//!
//! A type must also hold rows outside of the sample, so it is wider: whole numbers get INT at least, numbers with a point DOUBLE unless
//! they have the format of money, texts a length well above the longest in the sample. Codes that consist of digits (`007`, `+49 30`) stay
//! text. A text such as `NA` is a missing value only in a column that otherwise consists of numbers or times.
//! There is no BOOL: 0 and 1 fit an INT, and `true` stays readable as text.

mod shape;

use arrow_array::{Array, BinaryViewArray, RecordBatch};
use inrush_core::value::column::ColumnType;
use shape::Shape;
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
    /// Texts that must be read as NULL for the type to fit (`NA`, `NULL`, `-` ..).
    pub null_texts: Vec<String>,
    /// For DATETIME: values end in `Z` or an offset, so they are converted to the session's time zone.
    pub zoned: bool,
}

impl Inferred {
    /// Whether its values are texts.
    pub fn is_text(&self) -> bool {
        matches!(self.ty, ColumnType::VarChar { .. } | ColumnType::Text { .. })
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
        let ty = match self.ty {
            ColumnType::Text { .. } if in_key => format!("VARCHAR({KEY_CHARS})"),
            ColumnType::Blob { .. } if in_key => format!("VARBINARY({KEY_CHARS})"),
            _ => self.ddl_type(),
        };
        // Without explicit_defaults_for_timestamp servers give a TIMESTAMP NOT NULL a default.
        let is_timestamp = matches!(self.ty, ColumnType::Timestamp { .. });
        format!("{ty} {}", if in_key || !(self.nullable || is_timestamp) { "NOT NULL" } else { "NULL" })
    }

    /// A type for the same field of two files: the wider one of a kind, a text for two kinds.
    #[must_use]
    pub fn widened_by(self, other: &Inferred) -> Inferred {
        let max_chars = self.max_chars.max(other.max_chars);
        let ty = wider(&self.ty, &other.ty).unwrap_or_else(|| ColumnType::VarChar {
            chars: 255.max(u32::try_from(max_chars * 2).unwrap_or(u32::MAX)).min(16_000),
        });
        Inferred { ty, nullable: self.nullable || other.nullable, max_chars, zoned: self.zoned || other.zoned, ..self }
    }
}

/// A type that holds the values of both; `None` for two kinds.
fn wider(one: &ColumnType, other: &ColumnType) -> Option<ColumnType> {
    use ColumnType::{Date, DateTime, Decimal, Double, Float, Int, Text, Time, Timestamp, VarBinary, VarChar};
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

/// How texts such as `NA` are treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NullTexts {
    /// They are NULL in a column that is otherwise not text.
    Find,
    /// All NULLs are NULL already.
    AreTexts,
}

/// Infers the types of all columns of a sample of texts.
pub(crate) fn infer_types(sample: &RecordBatch, null_texts: NullTexts) -> Vec<Inferred> {
    let schema = sample.schema();
    let columns = schema.fields().iter().zip(sample.columns());
    columns
        .map(|(field, column)| {
            let mut facts = Facts::default();
            if let Some(cells) = column.as_any().downcast_ref::<BinaryViewArray>() {
                cells.iter().for_each(|cell| facts.note(cell, null_texts));
            }
            facts.judge(field.name())
        })
        .collect()
}

/// Whether SQL reads it as a number, and writes it so.
pub(crate) fn is_number(cell: &[u8]) -> bool {
    matches!(Shape::of(cell), Shape::Int(_) | Shape::Point { .. } | Shape::Exponent)
}

/// Whether it is a date, a time or both as SQL writes them.
pub(crate) fn is_date_or_time(cell: &[u8]) -> bool {
    matches!(Shape::of(cell), Shape::Date | Shape::DateTime { .. } | Shape::Time { .. })
}

/// A text that means NULL in one column means NULL in all columns that are not text: a file is consistent, and a column may have no
/// missing value in the sample.
pub(crate) fn share_null_texts(columns: &mut [Inferred]) {
    let all: BTreeSet<String> = columns.iter().flat_map(|column| column.null_texts.iter().cloned()).collect();
    for column in columns.iter_mut().filter(|column| !column.is_text()) {
        column.nullable |= !all.is_empty();
        column.null_texts = all.iter().cloned().collect();
    }
}

/// Statistics of the sample of one field.
#[derive(Debug, Default)]
struct Facts {
    nulls: bool,
    /// Texts of the sample that often mean NULL.
    null_texts: BTreeSet<&'static str>,
    /// Cells that are neither.
    values: u64,
    ints: u64,
    min: i128,
    max: i128,
    points: u64,
    /// Digits after the point: the minimum and the maximum.
    scales: Option<(usize, usize)>,
    int_digits: usize,
    significant: usize,
    /// A value that a DOUBLE would change.
    beyond_double: bool,
    exponents: u64,
    dates: u64,
    date_times: u64,
    times: u64,
    fsp: usize,
    zoned: bool,
    max_chars: usize,
    max_bytes: usize,
}

impl Facts {
    fn note(&mut self, cell: Option<&[u8]>, null_texts: NullTexts) {
        let Some(cell) = cell else {
            self.nulls = true;
            return;
        };
        self.max_chars = self.max_chars.max(String::from_utf8_lossy(cell).chars().count());
        self.max_bytes = self.max_bytes.max(cell.len());
        if null_texts == NullTexts::Find
            && let Some(text) = NULL_TEXTS.iter().find(|text| text.as_bytes() == cell)
        {
            self.null_texts.insert(text);
            return;
        }
        self.values += 1;
        match Shape::of(cell) {
            Shape::Int(value) => {
                self.ints += 1;
                self.min = self.min.min(value);
                self.max = self.max.max(value);
                self.int_digits =
                    self.int_digits.max(value.unsigned_abs().checked_ilog10().map_or(1, |log| log as usize + 1));
            }
            Shape::Point { int_digits, scale, significant } => {
                self.points += 1;
                self.int_digits = self.int_digits.max(int_digits);
                self.significant = self.significant.max(significant);
                self.beyond_double |= significant > DOUBLE_DIGITS && !is_double(cell);
                let (least, most) = self.scales.unwrap_or((scale, scale));
                self.scales = Some((least.min(scale), most.max(scale)));
            }
            Shape::Exponent => self.exponents += 1,
            Shape::Date => self.dates += 1,
            Shape::DateTime { fsp, zoned } => {
                self.date_times += 1;
                self.fsp = self.fsp.max(fsp);
                self.zoned |= zoned;
            }
            Shape::Time { fsp } => {
                self.times += 1;
                self.fsp = self.fsp.max(fsp);
            }
            Shape::Text => {}
        }
    }

    fn judge(self, name: &str) -> Inferred {
        let (ty, is_text) = match self.narrow_type() {
            Some(ty) => (ty, false),
            None => (text_type(self.max_chars, self.max_bytes), true),
        };
        // In a text column they are ordinary texts.
        let null_texts: Vec<_> = self.null_texts.iter().filter(|_| !is_text).map(|text| (*text).to_owned()).collect();
        Inferred {
            name: name.to_owned(),
            zoned: self.zoned && matches!(ty, ColumnType::DateTime { .. }),
            ty,
            nullable: self.nulls || !null_texts.is_empty(),
            max_chars: self.max_chars,
            null_texts,
        }
    }

    /// A type other than text that all values fit.
    fn narrow_type(&self) -> Option<ColumnType> {
        let all = |n: u64| self.values > 0 && n == self.values;
        let fsp = self.fsp as u8;
        if all(self.ints) {
            return self.int_type();
        }
        if all(self.ints + self.points + self.exponents) {
            return Some(self.point_type());
        }
        if all(self.dates) {
            return Some(ColumnType::Date);
        }
        if all(self.dates + self.date_times) {
            return Some(ColumnType::DateTime { fsp });
        }
        all(self.times).then_some(ColumnType::Time { fsp })
    }

    /// INT at least, because a sample has the first rows, which have small numbers.
    fn int_type(&self) -> Option<ColumnType> {
        let int = |bytes, unsigned| Some(ColumnType::Int { bytes, unsigned, bool: false });
        if i32::try_from(self.min).is_ok() && i32::try_from(self.max).is_ok() {
            int(4, false)
        } else if i64::try_from(self.min).is_ok() && i64::try_from(self.max).is_ok() {
            int(8, false)
        } else if u64::try_from(self.min).is_ok() && u64::try_from(self.max).is_ok() {
            int(8, true)
        } else {
            // A number of 20 to 38 digits is a code rather than a quantity.
            Some(ColumnType::Decimal { precision: DECIMAL_DIGITS, scale: 0, unsigned: false })
        }
    }

    /// Money has the same two to four digits after each point; all other numbers are measurements, and DOUBLE holds any scale.
    fn point_type(&self) -> ColumnType {
        let decimal = |scale: usize| {
            let precision = (self.int_digits + scale).max(18);
            (precision <= DECIMAL_DIGITS.into() && scale <= 30).then_some(ColumnType::Decimal {
                precision: precision as u8,
                scale: scale as u8,
                unsigned: false,
            })
        };
        let double = ColumnType::Double { unsigned: false, digits: None };
        match self.scales {
            Some((least, most)) if least == most && (2..=4).contains(&most) && self.points == self.values => {
                decimal(most).unwrap_or(double)
            }
            // More digits than a DOUBLE distinguishes are significant.
            Some((_, most)) if (self.significant > 17 || self.beyond_double) && self.exponents == 0 => {
                decimal(most).unwrap_or(double)
            }
            _ => double,
        }
    }
}

/// Whether a DOUBLE, printed with as many digits as the text has, is the text again.
fn is_double(cell: &[u8]) -> bool {
    let digits = |text: &str| {
        let mantissa = text.split(['e', 'E']).next().unwrap_or_default();
        let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
        digits.trim_start_matches('0').trim_end_matches('0').to_owned()
    };
    let text = String::from_utf8_lossy(cell);
    let wanted = digits(&text);
    let Ok(number) = text.trim().parse::<f64>() else { return false };
    digits(&format!("{:.*e}", wanted.len().saturating_sub(1), number.abs())) == wanted
}

/// Any number of so many digits survives a DOUBLE.
const DOUBLE_DIGITS: usize = 15;

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
pub(crate) fn fit_row(columns: &mut [Inferred]) {
    let bytes = |ty: &ColumnType| match ty {
        ColumnType::VarChar { chars } => 4 * *chars as usize + 2,
        ColumnType::Decimal { .. } => 30,
        ColumnType::Text { .. } => 12,
        _ => 8,
    };
    loop {
        let row: usize = columns.iter().map(|column| bytes(&column.ty) + 1).sum();
        let longest = columns.iter_mut().max_by_key(|column| match column.ty {
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

/// Texts that programs write for a missing value.
const NULL_TEXTS: &[&str] = &[
    "NA", "N/A", "n/a", "#N/A", "NULL", "null", "Null", "\\N", "NaN", "nan", "NAN", "None", "none", "nil", "-", "--",
    ".", "?", "(null)",
];

/// A key has at most 3,072 bytes, four a character.
const KEY_CHARS: u32 = 512;

/// The lengths a VARCHAR gets.
const VARCHARS: &[u32] = &[16, 32, 64, 128, 255];

/// TEXT and MEDIUMTEXT, in bytes.
const TEXT: u32 = 65_535;
const MEDIUMTEXT: u32 = (1 << 24) - 1;

/// The most digits of a DECIMAL.
const DECIMAL_DIGITS: u8 = 65;

/// A little less than the server's limit, for the overhead of a row.
const ROW_BYTES: usize = 60_000;

#[cfg(test)]
mod tests;
