//! A row that owns its content, for programs that know the columns only at run time.

use crate::convert::{ColumnIndex, FromRow, FromValue};
use crate::error::Result;
use crate::wire::{ColumnDef, Row, RowFormat};
use jiff::tz::TimeZone;
use std::sync::Arc;

/// A row that owns its columns and values. Its values are read like those of a [`Row`]; it can be kept, sent to another thread, cloned.
///
/// Each one has a copy of the columns' descriptions. `query_result_sets` keeps them once for all rows.
///
/// ```
/// # use inrush_core::{convert::OwnedRow, Result};
/// fn print(rows: &[OwnedRow]) -> Result<()> {
///     for row in rows {
///         for (at, column) in row.columns().iter().enumerate() {
///             println!("{} = {:?}", column.name, row.get::<Option<String>>(at)?);
///         }
///     }
///     Ok(())
/// }
/// ```
#[derive(Clone, Debug)]
pub struct OwnedRow {
    columns: Arc<[ColumnDef]>,
    body: Arc<[u8]>,
    format: RowFormat,
    zone: Option<TimeZone>,
}

impl OwnedRow {
    /// The same row, borrowed: what reads rows takes this.
    pub fn as_row(&self) -> Row<'_> {
        Row::new(&self.columns, &self.body, self.format).in_zone(self.zone.as_ref())
    }

    /// The columns.
    pub fn columns(&self) -> &[ColumnDef] {
        &self.columns
    }

    /// The value of one column, by position or by name.
    ///
    /// # Errors
    /// As [`Row::get`].
    pub fn get<'s, T: FromValue<'s>>(&'s self, column: impl ColumnIndex) -> Result<T> {
        self.as_row().get(column)
    }

    /// The row as another type: a tuple, a struct.
    ///
    /// # Errors
    /// As [`FromRow::from_row`].
    pub fn to<'s, T: FromRow<'s>>(&'s self) -> Result<T> {
        T::from_row(self.as_row())
    }
}

impl<'r> FromRow<'r> for OwnedRow {
    fn from_row(row: Row<'r>) -> Result<Self> {
        // A damaged row is an error now, not when it is read.
        for value in row.values() {
            value?;
        }
        Ok(Self {
            columns: row.columns().into(),
            body: row.body().into(),
            format: row.format(),
            zone: row.zone().cloned(),
        })
    }
}
