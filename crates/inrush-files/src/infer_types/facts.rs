//! The statistics of a sample, column by column, and the types that follow. A sample comes batch by batch, so that it may be a whole file.

use super::cause::{Cause, Why};
use super::numbers::Numbers;
use super::{Inferred, UUID_CHARS, share_null_texts, text_type};
use crate::moment::FoundFormat;
use arrow_array::{Array, BinaryViewArray, RecordBatch};
use inrush_core::column::ColumnType;
use inrush_core::column::check::{CellShape, ends_in_zero};
use inrush_core::load::Origin;
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
    columns: Vec<FieldFacts>,
    texts: Texts,
}

impl Inference {
    pub(crate) fn new(n_columns: usize, texts: Texts) -> Self {
        Self { columns: (0..n_columns).map(|_| FieldFacts::default()).collect(), texts }
    }

    /// Examines more rows, which come from `origin`.
    pub(crate) fn note(&mut self, rows: &RecordBatch, origin: &Origin) {
        for (facts, column) in self.columns.iter_mut().zip(rows.columns()) {
            if let Some(cells) = column.as_any().downcast_ref::<BinaryViewArray>() {
                cells.iter().enumerate().for_each(|(row, cell)| facts.note(row, cell, self.texts));
            }
        }
        let mut new: Vec<&mut Example> =
            self.columns.iter_mut().flat_map(FieldFacts::examples).filter(|example| example.line == 0).collect();
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
struct FieldFacts {
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
    /// Texts that look like numbers and are not.
    codes: Tally,
    dates: Tally,
    date_times: Tally,
    times: Tally,
    booleans: Tally,
    uuids: Tally,
    documents: Tally,
    texts: Tally,
    /// Empty texts in quotes: NULL unless the column is a text.
    empties: bool,
    numbers: Numbers,
    /// Values that would lose digits in a DOUBLE.
    beyond_double: Tally,
    /// Values that would lose zeros at the end in a DOUBLE.
    with_zeros: Tally,
    fsp: usize,
    zoned: bool,
    /// A UUID that a UUID column would not give back as it is.
    other_uuids: bool,
    /// How the texts would have to be written to be dates.
    format: FoundFormat,
    max_chars: usize,
    max_bytes: usize,
}

impl FieldFacts {
    fn note(&mut self, row: usize, cell: Option<&[u8]>, texts: Texts) {
        let Some(cell) = cell else {
            self.nulls = true;
            return;
        };
        self.max_chars = self.max_chars.max(String::from_utf8_lossy(cell).chars().count());
        self.max_bytes = self.max_bytes.max(cell.len());
        if cell.is_empty() && texts != Texts::Json {
            self.empties = true;
            return;
        }
        if texts == Texts::Any
            && let Some(text) = NULL_TEXTS.iter().find(|text| text.as_bytes() == cell)
        {
            self.null_texts.insert(text);
            return;
        }
        self.values += 1;
        let shape = CellShape::of(cell);
        self.numbers.note(shape, cell, texts == Texts::Json);
        if is_number(shape) && !shape.survives_double(cell) {
            self.beyond_double.note(row, cell);
        } else if is_number(shape) && ends_in_zero(cell) {
            self.with_zeros.note(row, cell);
        }
        match shape {
            CellShape::Int(_) => self.ints.count(row, cell),
            CellShape::Point { .. } => self.points.count(row, cell),
            CellShape::Exponent { may_be_code } => {
                self.exponents.count(row, cell);
                if may_be_code {
                    self.code_exponents.count(row, cell);
                }
            }
            CellShape::Code => self.codes.count(row, cell),
            CellShape::Date => self.dates.count(row, cell),
            CellShape::DateTime { fsp, zoned } => {
                self.date_times.count(row, cell);
                self.fsp = self.fsp.max(fsp);
                self.zoned |= zoned;
            }
            CellShape::Time { fsp } => {
                self.times.count(row, cell);
                self.fsp = self.fsp.max(fsp);
            }
            CellShape::Boolean => self.booleans.count(row, cell),
            CellShape::Uuid { stays } => {
                self.uuids.count(row, cell);
                self.other_uuids |= !stays;
            }
            CellShape::Document => self.documents.count(row, cell),
            CellShape::Text => {
                self.texts.count(row, cell);
                self.format.note(cell);
            }
        }
    }

    fn examples(&mut self) -> impl Iterator<Item = &mut Example> {
        let Self { ints, points, exponents, code_exponents, codes, .. } = self;
        let Self { dates, date_times, times, booleans, uuids, documents, texts, beyond_double, with_zeros, .. } = self;
        let numbers = [ints, points, exponents, code_exponents, codes, beyond_double, with_zeros];
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
            None => self.narrow_type(),
        };
        let (ty, cause) = match found {
            Ok(ty) => (ty, None),
            Err(cause) => (text_type(self.max_chars, self.max_bytes), cause),
        };
        let has_values = self.values > 0 && self.max_chars > 0;
        let null_texts: Vec<_> = self.null_texts.iter().map(|text| (*text).to_owned()).collect();
        let mut field = Inferred {
            zoned: self.zoned && matches!(ty, ColumnType::DateTime { .. }),
            max_chars: self.max_chars,
            date_format: format.map(|(format, _)| format.to_owned()),
            cause,
            numbers: Some(self.numbers),
            keeps_spelling: true,
            ..Inferred::new(name, ty, self.nulls)
        };
        field.null_texts = null_texts;
        field.empties = self.empties;
        field.has_values = has_values;
        field.with_null_texts()
    }

    /// A type other than text that all values fit. The error is the reason why no type fits, if it is worth reporting.
    fn narrow_type(&self) -> Result<ColumnType, Option<Cause>> {
        let all = |n: u64| self.values > 0 && n == self.values;
        let fsp = self.fsp as u8;
        if all(self.numbers.count()) {
            return self.numbers.ty().ok_or_else(|| self.cause_among_numbers());
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
        if all(self.uuids.n) {
            return Ok(if self.other_uuids { ColumnType::Char { chars: UUID_CHARS } } else { ColumnType::Uuid });
        }
        if all(self.documents.n) {
            return Ok(ColumnType::Json);
        }
        Err(self.cause())
    }

    /// Why it is a text although all of it are numbers or truth values.
    fn cause_among_numbers(&self) -> Option<Cause> {
        if self.booleans.n > 0 {
            self.cause()
        } else if self.numbers.may_be_codes() {
            self.code_exponents.cause(Why::Spelling)
        } else if self.numbers.loses_zeros_only() {
            self.with_zeros.cause(Why::Spelling)
        } else {
            self.beyond_double.cause(Why::Digits)
        }
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
}

/// Whether programs write this text for a missing value.
pub fn often_means_null(text: &str) -> bool {
    NULL_TEXTS.contains(&text)
}

fn is_number(shape: CellShape) -> bool {
    matches!(shape, CellShape::Int(_) | CellShape::Point { .. } | CellShape::Exponent { .. })
}

/// Texts that programs write for a missing value.
const NULL_TEXTS: &[&str] = &[
    "NA", "N/A", "n/a", "#N/A", "NULL", "null", "Null", "\\N", "NaN", "nan", "NAN", "None", "none", "nil", "-", "--",
    ".", "?", "(null)",
];
