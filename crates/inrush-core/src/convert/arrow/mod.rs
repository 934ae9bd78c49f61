//! Result rows, text or binary, as Arrow: [`Batches`] takes them one by one and returns a `RecordBatch` when it has enough.
//!
//! | column | Arrow |
//! |---|---|
//! | TINYINT to BIGINT, by width and sign; YEAR | Int8 to UInt64; UInt16 |
//! | FLOAT, DOUBLE | Float32, Float64 |
//! | DECIMAL(p,s) | Decimal128(p,s) up to 38 digits, else Decimal256 |
//! | BIT(1), wider BIT | Boolean, UInt64 |
//! | DATE | Date32 |
//! | DATETIME, TIMESTAMP | Timestamp(Microsecond) without a zone: what the session's clock shows |
//! | TIME | Duration(Microsecond): it may be negative and longer than a day |
//! | CHAR, TEXT, ENUM, SET, JSON | Utf8 |
//! | BINARY, BLOB, GEOMETRY | Binary |
//! | MySQL's VECTOR | List(Float32); MariaDB reports a VECTOR like a VARBINARY |
//!
//! Arrow has no day like `0000-00-00`; [`InvalidDates`] defines how such a day is converted.

mod column;
mod decimal;
mod field;

use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::{Schema, SchemaRef};

use crate::error::{Error, Kind, Result};
use crate::value::Value;
use crate::wire::{ColumnDef, Row};

use column::ArrowColumn;
use field::ArrowTarget;

/// How results become record batches.
///
/// ```
/// use inrush_core::convert::arrow::{ArrowOptions, InvalidDates};
/// let options = ArrowOptions::default().with_batch_rows(10_000).with_invalid_dates(InvalidDates::Null);
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ArrowOptions {
    /// A batch has at most this many rows.
    pub batch_rows: usize,
    /// A batch takes about this many bytes at most; a single row that takes more is a batch of its own.
    pub batch_bytes: usize,
    /// How days that no calendar has are converted.
    pub invalid_dates: InvalidDates,
}

/// How `0000-00-00`, `2024-02-31` and other days are converted that the server stores but no calendar has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InvalidDates {
    /// An error that names the column and the value.
    #[default]
    Refuse,
    /// NULL.
    Null,
    /// All DATE, DATETIME and TIMESTAMP columns become text, as the server writes it.
    Text,
}

crate::setters!(ArrowOptions {
    with_batch_rows => batch_rows: as usize,
    with_batch_bytes => batch_bytes: as usize,
    with_invalid_dates => invalid_dates: as InvalidDates,
});

impl Default for ArrowOptions {
    fn default() -> Self {
        Self { batch_rows: 65_536, batch_bytes: 16 * 1024 * 1024, invalid_dates: InvalidDates::default() }
    }
}

/// Collects rows of one result set into record batches. After an error it cannot be used any more.
#[derive(Debug)]
pub struct Batches {
    schema: SchemaRef,
    defs: Vec<ColumnDef>,
    columns: Vec<ArrowColumn>,
    /// Bytes that a row takes in addition to those of its values.
    row_bytes: usize,
    max_rows: usize,
    max_bytes: usize,
    n_rows: usize,
    n_bytes: usize,
    /// Rows in the batches that are finished.
    n_before: u64,
    n_batches: u64,
}

impl Batches {
    /// For a result with these columns.
    pub fn new(defs: &[ColumnDef], options: &ArrowOptions) -> Self {
        let targets: Vec<_> = defs.iter().map(|def| ArrowTarget::of(def, options.invalid_dates)).collect();
        let fields: Vec<_> =
            defs.iter().zip(&targets).map(|(def, target)| target.field(def, options.invalid_dates)).collect();
        Self {
            defs: defs.to_vec(),
            row_bytes: targets.iter().map(ArrowTarget::width).sum(),
            columns: targets
                .into_iter()
                .zip(&fields)
                .map(|(target, field)| ArrowColumn::new(target, field.is_nullable(), options.invalid_dates))
                .collect(),
            schema: Arc::new(Schema::new(fields)),
            max_rows: options.batch_rows.max(1),
            max_bytes: options.batch_bytes.min(MAX_BATCH_BYTES),
            n_rows: 0,
            n_bytes: 0,
            n_before: 0,
            n_batches: 0,
        }
    }

    /// The schema of every batch.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Adds a row of this result. If the row does not fit into the current batch, returns that batch, finished.
    pub fn push(&mut self, row: Row<'_>) -> Result<Option<RecordBatch>> {
        let bytes = self.row_bytes + row.body().len();
        if bytes > MAX_BATCH_BYTES {
            return Err(Error::data(format!("a row of {bytes} bytes is too large for Arrow's 32-bit offsets")));
        }
        let is_full = self.n_rows >= self.max_rows || (self.n_rows > 0 && self.n_bytes + bytes > self.max_bytes);
        let full = if is_full { Some(self.take()?) } else { None };
        let mut n_values = 0;
        for ((value, column), def) in row.values().zip(&mut self.columns).zip(&self.defs) {
            let value = value?;
            if let Err(why) = column.push(&value) {
                return Err(refusal(def, &value, why, self.n_before + self.n_rows as u64 + 1));
            }
            n_values += 1;
        }
        if n_values != self.columns.len() {
            return Err(Error::new(Kind::Config, "the row belongs to another result"));
        }
        self.n_rows += 1;
        self.n_bytes += bytes;
        Ok(full)
    }

    /// The last batch. A result without rows is one batch without rows, so that its schema is known.
    pub fn finish(&mut self) -> Result<Option<RecordBatch>> {
        match self.n_rows == 0 && self.n_batches > 0 {
            true => Ok(None),
            false => self.take().map(Some),
        }
    }

    fn take(&mut self) -> Result<RecordBatch> {
        let arrays = self.columns.iter_mut().map(ArrowColumn::finish).collect();
        let options = RecordBatchOptions::new().with_row_count(Some(self.n_rows));
        self.n_before += self.n_rows as u64;
        self.n_batches += 1;
        (self.n_rows, self.n_bytes) = (0, 0);
        RecordBatch::try_new_with_options(self.schema.clone(), arrays, &options)
            .map_err(|e| Error::new(Kind::Protocol, format!("the result's values do not fit its columns: {e}")))
    }
}

/// Why a value cannot be converted to a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Why {
    /// Not what the column's type says.
    Shape,
    /// No calendar has it.
    Date,
    /// Bytes that are not UTF-8 in a text column.
    Utf8,
    /// More digits than the result announced.
    Digits,
    /// NULL in a column that the result announced as NOT NULL.
    Null,
}

/// The error of a value, in a row that is counted from 1.
pub fn refusal(def: &ColumnDef, value: &Value<'_>, why: Why, row: u64) -> Error {
    let shown = value.shown();
    let (name, ty) = (&def.name, def.ty);
    let what = match why {
        Why::Shape => format!("does not fit its type {ty:?}"),
        Why::Date => "is a day that no calendar has".to_owned(),
        Why::Utf8 => "is not UTF-8".to_owned(),
        Why::Digits => "has more digits than the server announced".to_owned(),
        Why::Null => "the server promised not to send".to_owned(),
    };
    let error = Error::data(format!("column `{name}` holds {shown} in row {row}, which {what}"));
    match why {
        Why::Shape | Why::Null => error,
        Why::Date => error.with_hint("`InvalidDates::Null` makes it NULL, `InvalidDates::Text` keeps it as text"),
        Why::Utf8 => error.with_hint("`SET NAMES utf8mb4` makes the server send UTF-8"),
        Why::Digits => error.with_hint("a CAST to DECIMAL with more digits in the statement makes room"),
    }
}

/// An upper limit for a batch, whatever is requested: Arrow counts the bytes of a column with 31 bits.
const MAX_BATCH_BYTES: usize = 1 << 30;

#[cfg(test)]
mod tests;
