//! A row's values as Rust types: `row.get::<u64>("id")`. Enough to read catalog tables with; a number is a number whether it
//! came as text or in binary form.

use crate::error::{Error, Result};
use crate::wire::{ColumnDef, Row, Value};

impl<'a> Row<'a> {
    /// The value of one column, by position or by name. Reads the row from its start.
    pub fn get<T: FromValue<'a>>(&self, column: impl ColumnIndex) -> Result<T> {
        let position = column.position(self.columns()).ok_or_else(|| no_such_column(self.columns()))?;
        let value = self.values().nth(position).unwrap_or(Ok(Value::Null))?;
        self.convert(position, value)
    }

    /// The error for a value that cannot become a `T`.
    pub(crate) fn misfit<T: FromValue<'a>>(&self, position: usize, value: &Value<'a>) -> Error {
        let name = self.columns().get(position).map_or("?", |column| &column.name);
        Error::data(format!("column `{name}` holds {}, which is not {}", value.shown(), T::KIND))
    }
}

/// A Rust type that a value can become.
pub trait FromValue<'a>: Sized {
    /// What it is, with its article: `a whole number`.
    const KIND: &'static str;

    /// The value as this type, if it is one.
    fn from_value(value: Value<'a>) -> Option<Self>;
}

/// What names a column: its position from 0, or its name, in which case does not matter (MySQL 8 answers in capitals where
/// a catalog table is asked in small letters).
pub trait ColumnIndex {
    /// The column's position.
    fn position(&self, columns: &[ColumnDef]) -> Option<usize>;
}

impl ColumnIndex for usize {
    fn position(&self, columns: &[ColumnDef]) -> Option<usize> {
        (*self < columns.len()).then_some(*self)
    }
}

impl ColumnIndex for &str {
    fn position(&self, columns: &[ColumnDef]) -> Option<usize> {
        columns.iter().position(|column| column.name.eq_ignore_ascii_case(self))
    }
}

impl<'a> FromValue<'a> for Value<'a> {
    const KIND: &'static str = "a value";

    fn from_value(value: Value<'a>) -> Option<Self> {
        Some(value)
    }
}

impl<'a, T: FromValue<'a>> FromValue<'a> for Option<T> {
    const KIND: &'static str = T::KIND;

    fn from_value(value: Value<'a>) -> Option<Self> {
        if value.is_null() { Some(None) } else { T::from_value(value).map(Some) }
    }
}

impl<'a> FromValue<'a> for &'a [u8] {
    const KIND: &'static str = "bytes";

    fn from_value(value: Value<'a>) -> Option<Self> {
        value.as_bytes()
    }
}

impl<'a> FromValue<'a> for &'a str {
    const KIND: &'static str = "text";

    fn from_value(value: Value<'a>) -> Option<Self> {
        value.as_str()
    }
}

impl FromValue<'_> for Vec<u8> {
    const KIND: &'static str = "bytes";

    fn from_value(value: Value<'_>) -> Option<Self> {
        value.as_bytes().map(<[u8]>::to_vec)
    }
}

/// Any value but NULL and bytes that are not text, as the server would print it.
impl FromValue<'_> for String {
    const KIND: &'static str = "text";

    fn from_value(value: Value<'_>) -> Option<Self> {
        match value {
            Value::Null => None,
            Value::Bytes(_) => value.as_str().map(str::to_owned),
            other => Some(other.to_string()),
        }
    }
}

impl FromValue<'_> for f64 {
    const KIND: &'static str = "a number";

    fn from_value(value: Value<'_>) -> Option<Self> {
        value.as_f64()
    }
}

/// As the server sees it: zero is false, any other number is true.
impl FromValue<'_> for bool {
    const KIND: &'static str = "a truth value";

    fn from_value(value: Value<'_>) -> Option<Self> {
        value.as_i64().map(|n| n != 0)
    }
}

macro_rules! whole_numbers {
    ($($int:ty),*) => { $(
        impl FromValue<'_> for $int {
            const KIND: &'static str = concat!("a whole number that fits ", stringify!($int));

            fn from_value(value: Value<'_>) -> Option<Self> {
                let signed = value.as_i64().and_then(|n| Self::try_from(n).ok());
                signed.or_else(|| value.as_u64().and_then(|n| Self::try_from(n).ok()))
            }
        }
    )* };
}

whole_numbers!(i8, i16, i32, i64, u8, u16, u32, u64, usize);

fn no_such_column(columns: &[ColumnDef]) -> Error {
    let names: Vec<_> = columns.iter().map(|column| format!("`{}`", column.name)).collect();
    Error::config(format!("the result has no such column; it has {}", names.join(", ")))
}

#[cfg(test)]
mod tests;
