//! The statistics of a sample, column by column, and the types that follow. A sample comes batch by batch, so that it may be a whole file.

use super::cause::{Cause, Why};
use super::{DECIMAL_DIGITS, Inferred, UUID_CHARS, share_null_texts, text_type};
use crate::moment::FoundFormat;
use crate::shape::Shape;
use arrow_array::{Array, BinaryViewArray, RecordBatch};
use inrush_core::bulk::Origin;
use inrush_core::value::column::ColumnType;
use std::collections::BTreeSet;

/// What the texts of a sample may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Texts {
    /// Anything: `NA` may be a missing value, `true` a 1, `31/01/2024` a date.
    Any,
    /// The same, but all missing values are NULL already.
    NoNulls,
    /// Values of JSON, which say themselves whether they are texts.
    Json,
}

/// The columns of a sample under inspection.
#[derive(Debug)]
pub(crate) struct Inference {
    columns: Vec<Facts>,
    texts: Texts,
}

impl Inference {
    pub(crate) fn new(n_columns: usize, texts: Texts) -> Self {
        Self { columns: (0..n_columns).map(|_| Facts::default()).collect(), texts }
    }

    /// Looks at some more rows, which come from there.
    pub(crate) fn note(&mut self, rows: &RecordBatch, origin: &Origin) {
        for (facts, column) in self.columns.iter_mut().zip(rows.columns()) {
            if let Some(cells) = column.as_any().downcast_ref::<BinaryViewArray>() {
                cells.iter().enumerate().for_each(|(row, cell)| facts.note(row, cell, self.texts));
            }
        }
        let mut new: Vec<&mut Example> =
            self.columns.iter_mut().flat_map(Facts::examples).filter(|example| example.line == 0).collect();
        new.sort_by_key(|example| example.row);
        let mut places = origin.places();
        new.into_iter().for_each(|example| example.line = places.of(example.row).line);
    }

    /// The types of all columns, by these names. `is_all`: the sample was all of the file.
    pub(crate) fn judge(self, names: &[String], is_all: bool) -> Vec<Inferred> {
        let texts = self.texts;
        let mut fields: Vec<_> = names.iter().zip(self.columns).map(|(name, facts)| facts.judge(name, texts)).collect();
        share_null_texts(&mut fields, is_all);
        // A value may be missing after the sample.
        fields.iter_mut().for_each(|field| field.nullable |= !is_all);
        fields
    }
}

/// A cell that shows something, by its row in its batch until its line is known.
#[derive(Debug)]
struct Example {
    cell: String,
    row: usize,
    line: u64,
}

/// How many cells are of a kind, and the first of them.
#[derive(Debug, Default)]
struct Tally {
    n: u64,
    first: Option<Example>,
}

impl Tally {
    fn count(&mut self, row: usize, cell: &[u8]) {
        self.n += 1;
        self.note(row, cell);
    }

    fn note(&mut self, row: usize, cell: &[u8]) {
        self.first.get_or_insert_with(|| Example { cell: String::from_utf8_lossy(cell).into_owned(), row, line: 0 });
    }

    fn cause(&self, why: Why) -> Option<Cause> {
        self.first.as_ref().map(|first| Cause::new(&first.cell, first.line, why))
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
    ints: Tally,
    points: Tally,
    /// Numbers with an exponent; of them those that may be codes (`1E5`).
    exponents: Tally,
    code_exponents: Tally,
    /// What looks like a number and is none.
    codes: Tally,
    dates: Tally,
    date_times: Tally,
    times: Tally,
    booleans: Tally,
    uuids: Tally,
    documents: Tally,
    texts: Tally,
    min: i128,
    max: i128,
    int_digits: usize,
    /// Digits after the point: the minimum and the maximum.
    scales: Option<(usize, usize)>,
    significant: usize,
    /// A value that a DOUBLE would change.
    beyond_double: Tally,
    fsp: usize,
    zoned: bool,
    /// A UUID that a UUID column would not give back as it is.
    other_uuids: bool,
    /// How the texts would have to be written to be dates.
    format: FoundFormat,
    max_chars: usize,
    max_bytes: usize,
}

impl Facts {
    fn note(&mut self, row: usize, cell: Option<&[u8]>, texts: Texts) {
        let Some(cell) = cell else {
            self.nulls = true;
            return;
        };
        self.max_chars = self.max_chars.max(String::from_utf8_lossy(cell).chars().count());
        self.max_bytes = self.max_bytes.max(cell.len());
        if texts == Texts::Any
            && let Some(text) = NULL_TEXTS.iter().find(|text| text.as_bytes() == cell)
        {
            self.null_texts.insert(text);
            return;
        }
        self.values += 1;
        match Shape::of(cell) {
            Shape::Int(value) => {
                self.ints.count(row, cell);
                self.min = self.min.min(value);
                self.max = self.max.max(value);
                let digits = value.unsigned_abs().checked_ilog10().map_or(1, |log| log as usize + 1);
                self.int_digits = self.int_digits.max(digits);
                self.note_digits(row, cell, digits);
            }
            Shape::Point { int_digits, scale, significant } => {
                self.points.count(row, cell);
                self.int_digits = self.int_digits.max(int_digits);
                self.significant = self.significant.max(significant);
                self.note_digits(row, cell, significant);
                let (least, most) = self.scales.unwrap_or((scale, scale));
                self.scales = Some((least.min(scale), most.max(scale)));
            }
            Shape::Exponent { may_be_code } => {
                self.exponents.count(row, cell);
                if may_be_code {
                    self.code_exponents.count(row, cell);
                }
                let mantissa = cell.split(|byte| matches!(byte, b'e' | b'E')).next().unwrap_or_default();
                let digits = mantissa.iter().filter(|byte| byte.is_ascii_digit()).count();
                // Few digits may be beyond the least number that there is.
                self.note_digits(row, cell, digits.max(DOUBLE_DIGITS + 1));
            }
            Shape::Code => self.codes.count(row, cell),
            Shape::Date => self.dates.count(row, cell),
            Shape::DateTime { fsp, zoned } => {
                self.date_times.count(row, cell);
                self.fsp = self.fsp.max(fsp);
                self.zoned |= zoned;
            }
            Shape::Time { fsp } => {
                self.times.count(row, cell);
                self.fsp = self.fsp.max(fsp);
            }
            Shape::Boolean => self.booleans.count(row, cell),
            Shape::Uuid { stays } => {
                self.uuids.count(row, cell);
                self.other_uuids |= !stays;
            }
            Shape::Document => self.documents.count(row, cell),
            Shape::Text => {
                self.texts.count(row, cell);
                self.format.note(cell);
            }
        }
    }

    fn note_digits(&mut self, row: usize, cell: &[u8], digits: usize) {
        if digits > DOUBLE_DIGITS && (digits > MOST_PRINTED || !is_double(cell)) {
            self.beyond_double.note(row, cell);
        }
    }

    fn examples(&mut self) -> impl Iterator<Item = &mut Example> {
        let Self { ints, points, exponents, code_exponents, codes, .. } = self;
        let Self { dates, date_times, times, booleans, uuids, documents, texts, beyond_double, .. } = self;
        let numbers = [ints, points, exponents, code_exponents, codes, beyond_double];
        let others = [dates, date_times, times, booleans, uuids, documents, texts];
        numbers.into_iter().chain(others).filter_map(|tally| tally.first.as_mut())
    }

    fn judge(self, name: &str, texts: Texts) -> Inferred {
        let format = (texts != Texts::Json && self.values > 0 && self.texts.n == self.values)
            .then(|| self.format.only())
            .flatten();
        let found = match format {
            Some((_, true)) => Ok(ColumnType::DateTime { fsp: 0 }),
            Some((_, false)) => Ok(ColumnType::Date),
            None => self.narrow_type(texts),
        };
        let (ty, cause) = match found {
            Ok(ty) => (ty, None),
            Err(cause) => (text_type(self.max_chars, self.max_bytes), cause),
        };
        let null_texts: Vec<_> = self.null_texts.iter().map(|text| (*text).to_owned()).collect();
        let mut field = Inferred {
            zoned: self.zoned && matches!(ty, ColumnType::DateTime { .. }),
            max_chars: self.max_chars,
            date_format: format.map(|(format, _)| format.to_owned()),
            cause,
            ..Inferred::new(name, ty, self.nulls)
        };
        field.null_texts = null_texts;
        field.has_values = self.values > 0 && self.max_chars > 0;
        field.with_null_texts()
    }

    /// A type other than text that all values fit; why there is none, if that is worth saying.
    fn narrow_type(&self, texts: Texts) -> Result<ColumnType, Option<Cause>> {
        let all = |n: u64| self.values > 0 && n == self.values;
        let fsp = self.fsp as u8;
        if all(self.ints.n) {
            return Ok(self.int_type());
        }
        if all(self.ints.n + self.exponents.n) && self.code_exponents.n == self.exponents.n && texts != Texts::Json {
            return Err(self.code_exponents.cause(Why::Spelling));
        }
        if all(self.ints.n + self.points.n + self.exponents.n) {
            return self.point_type().ok_or_else(|| self.beyond_double.cause(Why::Digits));
        }
        if all(self.dates.n) {
            return Ok(ColumnType::Date);
        }
        if all(self.dates.n + self.date_times.n) {
            return Ok(ColumnType::DateTime { fsp });
        }
        if all(self.times.n) {
            return Ok(ColumnType::Time { fsp });
        }
        let is_bit = (0..=1).contains(&self.min) && (0..=1).contains(&self.max);
        if all(self.booleans.n) || (all(self.booleans.n + self.ints.n) && self.booleans.n > 0 && is_bit) {
            return Ok(ColumnType::Int { bytes: 1, unsigned: false, bool: true });
        }
        if all(self.uuids.n) {
            return Ok(if self.other_uuids { ColumnType::Char { chars: UUID_CHARS } } else { ColumnType::Uuid });
        }
        if all(self.documents.n) {
            return Ok(ColumnType::Json);
        }
        Err(self.cause())
    }

    /// Why it is a text, where most of it is something else.
    fn cause(&self) -> Option<Cause> {
        let numbers = self.ints.n + self.points.n + self.exponents.n;
        if self.codes.n > 0 && numbers + self.codes.n == self.values {
            return self.codes.cause(Why::Spelling);
        }
        let kinds: [(&'static str, &[&Tally]); 6] = [
            ("numbers", &[&self.ints, &self.points, &self.exponents]),
            ("dates", &[&self.dates, &self.date_times]),
            ("times", &[&self.times]),
            ("true or false", &[&self.booleans]),
            ("UUIDs", &[&self.uuids]),
            ("JSON", &[&self.documents]),
        ];
        let count = |tallies: &[&Tally]| tallies.iter().map(|tally| tally.n).sum::<u64>();
        let (most, _) = kinds.iter().copied().max_by_key(|(_, tallies)| count(tallies))?;
        let others = kinds.iter().filter(|(kind, _)| *kind != most).flat_map(|(_, tallies)| tallies.iter().copied());
        let others = others.chain([&self.codes, &self.texts]).filter_map(|tally| tally.first.as_ref());
        let n = kinds.iter().find(|(kind, _)| *kind == most).map_or(0, |(_, tallies)| count(tallies));
        let first = others.min_by_key(|example| example.line)?;
        (2 * n >= self.values && n > 0)
            .then(|| Cause::new(&first.cell, first.line, Why::Kind { most, n, of: self.values }))
    }

    /// INT at least, because a sample has the first rows, which have small numbers.
    fn int_type(&self) -> ColumnType {
        let int = |bytes, unsigned| ColumnType::Int { bytes, unsigned, bool: false };
        if i32::try_from(self.min).is_ok() && i32::try_from(self.max).is_ok() {
            int(4, false)
        } else if i64::try_from(self.min).is_ok() && i64::try_from(self.max).is_ok() {
            int(8, false)
        } else if u64::try_from(self.min).is_ok() && u64::try_from(self.max).is_ok() {
            int(8, true)
        } else {
            // A number of 20 to 38 digits is a code rather than a quantity.
            ColumnType::Decimal { precision: DECIMAL_DIGITS, scale: 0, unsigned: false }
        }
    }

    /// Money has the same two to four digits after each point; all other numbers are measurements, and DOUBLE holds any scale, unless it
    /// would lose digits.
    fn point_type(&self) -> Option<ColumnType> {
        let decimal = |scale: usize| {
            let precision = (self.int_digits + scale).max(18);
            (precision <= DECIMAL_DIGITS.into() && scale <= 30).then_some(ColumnType::Decimal {
                precision: precision as u8,
                scale: scale as u8,
                unsigned: false,
            })
        };
        let is_exact = self.beyond_double.first.is_none();
        let double = || is_exact.then_some(ColumnType::Double { unsigned: false, digits: None });
        match self.scales {
            Some((least, most)) if least == most && (2..=4).contains(&most) && self.points.n == self.values => {
                decimal(most).or_else(double)
            }
            scales if !is_exact && self.exponents.n == 0 => decimal(scales.map_or(0, |(_, most)| most)),
            _ => double(),
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

/// No DOUBLE needs more digits than these to be told from all others; who writes more means them.
const MOST_PRINTED: usize = 17;

/// Texts that programs write for a missing value.
const NULL_TEXTS: &[&str] = &[
    "NA", "N/A", "n/a", "#N/A", "NULL", "null", "Null", "\\N", "NaN", "nan", "NAN", "None", "none", "nil", "-", "--",
    ".", "?", "(null)",
];
