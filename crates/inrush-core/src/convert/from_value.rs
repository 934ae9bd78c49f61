//! A row's values as Rust types: `row.get::<u64>("id")`. A number is a number and a date a date, whether it came as text or in
//! binary form; a value that does not fit is an error that names column, value and type. Numbers are in `numbers.rs`, dates and
//! times in `moments.rs`.
//!
//! | Rust | takes |
//! |---|---|
//! | all integers | whole numbers in their range, DECIMALs without a fraction, BITs |
//! | `bool` | the same: 0 is false |
//! | `f64`, `f32` | any number; f32 only one that it can hold |
//! | `&str`, `String`, `Cow<str>`, `Box<str>`, `Arc<str>` | text, and bytes that are UTF-8; the owned ones any value, as the server would print it |
//! | `&[u8]`, `Vec<u8>`, `Cow<[u8]>`, `[u8; N]` | bytes and text; the array exactly N of them |
//! | `Vec<f32>` | a VECTOR |
//! | [`Date`](crate::value::Date), [`DateTime`](crate::value::DateTime), [`Time`](crate::value::Time) | theirs, also days that no calendar has |
//! | jiff's civil `Date`, `DateTime`, `Time`, its `SignedDuration` | theirs, if jiff can hold them |
//! | `std::time::Duration` | a TIME that is not below zero |
//! | `jiff::Timestamp`, `SystemTime` | a moment, in the session's time zone, which must be known |
//! | types of other crates | see `convert::ecosystem`, a feature each |
//! | `Option<T>` | NULL, and what `T` takes |

use jiff::tz::TimeZone;
use std::borrow::Cow;
use std::sync::Arc;

use crate::error::{Conversion, Error, Result};
use crate::value::{Date, DateTime, NO_DECIMALS, Time, Value, parse_whole};
use crate::wire::{ColumnDef, ColumnFlags, ColumnType, Row, RowFormat};

mod moments;
mod numbers;

pub(super) use moments::micros as micros_in_zone;

impl<'a> Row<'a> {
    /// The value of one column, by position or by name. Reads the row from its start.
    pub fn get<T: FromValue<'a>>(&self, column: impl ColumnIndex) -> Result<T> {
        let position = column.position(self.columns()).ok_or_else(|| no_such_column(self.columns()))?;
        let value = self.values().nth(position).unwrap_or(Ok(Value::Null))?;
        self.convert(position, value)
    }

    /// A value of this row, that of column `position`, as a Rust type.
    #[inline]
    pub fn convert<T: FromValue<'a>>(&self, position: usize, value: Value<'a>) -> Result<T> {
        let column = self.columns().get(position).ok_or_else(|| no_such_column(self.columns()))?;
        let value = if T::AS_SENT { value } else { self.typed(value, column) };
        T::from_value_in(value, column, self.zone()).ok_or_else(|| misfit::<T>(column, &value, self.zone().is_some()))
    }

    /// The same by a function instead of the type's own conversion: for `#[inrush(with = "..")]`.
    pub fn convert_with<T>(
        &self,
        position: usize,
        value: Value<'a>,
        convert: impl FnOnce(Value<'a>, &ColumnDef) -> Option<T>,
    ) -> Result<T> {
        let column = self.columns().get(position).ok_or_else(|| no_such_column(self.columns()))?;
        let value = self.typed(value, column);
        convert(value, column).ok_or_else(|| misfits(column, &value, std::any::type_name::<T>(), None))
    }

    /// Converts a value to its binary form: the text of a number, a date or a time becomes one. So the form in which a row was
    /// sent does not matter for a Rust type.
    #[inline]
    fn typed(&self, value: Value<'a>, column: &ColumnDef) -> Value<'a> {
        match (self.format(), value) {
            (RowFormat::Text, Value::Bytes(text)) => typed(text, column).unwrap_or(value),
            _ => value,
        }
    }
}

/// Parses the text of a number, a date or a time. `None` for a column of texts or bytes, and for a text that is none of these.
#[inline]
fn typed(text: &[u8], column: &ColumnDef) -> Option<Value<'static>> {
    use ColumnType::*;
    match column.ty {
        MYSQL_TYPE_TINY | MYSQL_TYPE_SHORT | MYSQL_TYPE_INT24 | MYSQL_TYPE_LONG | MYSQL_TYPE_LONGLONG
        | MYSQL_TYPE_YEAR => {
            let n = parse_whole(text)?;
            match u64::try_from(n) {
                Ok(n) if column.is_unsigned() => Some(Value::UInt(n)),
                _ => i64::try_from(n).ok().map(Value::Int),
            }
        }
        MYSQL_TYPE_FLOAT => std::str::from_utf8(text).ok()?.parse().ok().map(Value::Float),
        MYSQL_TYPE_DOUBLE => std::str::from_utf8(text).ok()?.parse().ok().map(Value::Double),
        MYSQL_TYPE_DATE | MYSQL_TYPE_NEWDATE => Date::parse(text).map(Value::Date),
        MYSQL_TYPE_DATETIME | MYSQL_TYPE_TIMESTAMP => DateTime::parse(text).map(Value::DateTime),
        MYSQL_TYPE_TIME => Time::parse(text).map(Value::Time),
        _ => None,
    }
}

/// A Rust type that a value can become.
pub trait FromValue<'a>: Sized {
    /// The name of the type for messages, with its article and its Rust name: ``a number (`f64`)``.
    const KIND: &'static str;

    /// Converts the value to this type, if it is one. The column defines the meaning of bytes: those of a BIT are a number.
    fn from_value(value: Value<'a>, column: &ColumnDef) -> Option<Self>;

    /// The same in a session whose time zone is known: instants are read by it. All other types ignore it.
    #[inline]
    fn from_value_in(value: Value<'a>, column: &ColumnDef, _zone: Option<&TimeZone>) -> Option<Self> {
        Self::from_value(value, column)
    }

    /// Whether it needs the session's time zone.
    const NEEDS_ZONE: bool = false;

    /// Whether it takes a value in the form in which it was sent, so that it may borrow the text of a number. All other types get
    /// numbers, dates and times in binary form, whether the row came as text or in binary form.
    const AS_SENT: bool = false;

    /// Why a value cannot be converted, where there is more to say than that.
    #[cold]
    fn why_not(_value: Value<'a>) -> Option<String> {
        None
    }
}

/// A reference to a column: its position from 0, or its name, ignoring case (MySQL 8 returns upper-case names for a query of a
/// catalog table in lower case).
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

/// In the form in which it was sent: a number of a text row is text.
impl<'a> FromValue<'a> for Value<'a> {
    const KIND: &'static str = "a value (`Value`)";
    const AS_SENT: bool = true;

    fn from_value(value: Value<'a>, _column: &ColumnDef) -> Option<Self> {
        Some(value)
    }
}

impl<'a, T: FromValue<'a>> FromValue<'a> for Option<T> {
    const KIND: &'static str = T::KIND;

    #[inline]
    fn from_value(value: Value<'a>, column: &ColumnDef) -> Option<Self> {
        if value.is_null() { Some(None) } else { T::from_value(value, column).map(Some) }
    }

    #[inline]
    fn from_value_in(value: Value<'a>, column: &ColumnDef, zone: Option<&TimeZone>) -> Option<Self> {
        if value.is_null() { Some(None) } else { T::from_value_in(value, column, zone).map(Some) }
    }

    const NEEDS_ZONE: bool = T::NEEDS_ZONE;
    const AS_SENT: bool = T::AS_SENT;

    fn why_not(value: Value<'a>) -> Option<String> {
        T::why_not(value)
    }
}

impl<'a> FromValue<'a> for &'a [u8] {
    const KIND: &'static str = "bytes (`&[u8]`)";

    #[inline]
    fn from_value(value: Value<'a>, _column: &ColumnDef) -> Option<Self> {
        value.as_bytes()
    }
}

impl<'a> FromValue<'a> for &'a str {
    const KIND: &'static str = "text (`&str`)";

    #[inline]
    fn from_value(value: Value<'a>, _column: &ColumnDef) -> Option<Self> {
        value.as_str()
    }
}

impl FromValue<'_> for Vec<u8> {
    const KIND: &'static str = "bytes (`Vec<u8>`)";

    fn from_value(value: Value<'_>, _column: &ColumnDef) -> Option<Self> {
        value.as_bytes().map(<[u8]>::to_vec)
    }
}

impl<'a> FromValue<'a> for Cow<'a, [u8]> {
    const KIND: &'static str = "bytes (`Cow<[u8]>`)";

    fn from_value(value: Value<'a>, _column: &ColumnDef) -> Option<Self> {
        value.as_bytes().map(Cow::Borrowed)
    }
}

impl<const N: usize> FromValue<'_> for [u8; N] {
    const KIND: &'static str = "so many bytes (`[u8; N]`)";

    fn from_value(value: Value<'_>, _column: &ColumnDef) -> Option<Self> {
        value.as_bytes()?.try_into().ok()
    }
}

impl FromValue<'_> for Box<str> {
    const KIND: &'static str = "text (`Box<str>`)";
    const AS_SENT: bool = true;

    fn from_value(value: Value<'_>, column: &ColumnDef) -> Option<Self> {
        Cow::<str>::from_value(value, column).map(Into::into)
    }
}

impl FromValue<'_> for Arc<str> {
    const KIND: &'static str = "text (`Arc<str>`)";
    const AS_SENT: bool = true;

    fn from_value(value: Value<'_>, column: &ColumnDef) -> Option<Self> {
        Cow::<str>::from_value(value, column).map(Into::into)
    }
}

/// Any value but NULL and bytes that are not text, as the server would print it.
impl FromValue<'_> for String {
    const KIND: &'static str = "text (`String`)";
    const AS_SENT: bool = true;

    fn from_value(value: Value<'_>, column: &ColumnDef) -> Option<Self> {
        Cow::<str>::from_value(value, column).map(Cow::into_owned)
    }
}

/// The value as a text result set of this column shows it.
fn printed(value: &Value<'_>, column: &ColumnDef) -> String {
    let is_float = matches!(column.ty, ColumnType::MYSQL_TYPE_FLOAT | ColumnType::MYSQL_TYPE_DOUBLE);
    let has_zeros = column.flags.contains(ColumnFlags::ZEROFILL_FLAG);
    let width = if has_zeros { column.length as usize } else { 0 };
    value.printed_as(column.decimals, is_float && column.decimals < NO_DECIMALS, width).to_string()
}

/// The same, borrowed where it came as text.
impl<'a> FromValue<'a> for Cow<'a, str> {
    const KIND: &'static str = "text (`Cow<str>`)";
    const AS_SENT: bool = true;

    fn from_value(value: Value<'a>, column: &ColumnDef) -> Option<Self> {
        match value {
            Value::Null => None,
            Value::Bytes(_) | Value::Text(_) => value.as_str().map(Cow::Borrowed),
            other => Some(Cow::Owned(printed(&other, column))),
        }
    }
}

fn misfit<'a, T: FromValue<'a>>(column: &ColumnDef, value: &Value<'a>, has_zone: bool) -> Error {
    let error = misfits(column, value, T::KIND, T::why_not(*value));
    match T::NEEDS_ZONE && !has_zone && value.as_date_time().is_some() {
        true => error.with_hint("the session's time zone is not known: `time-zone=+00:00` in the URL sets it"),
        false => error,
    }
}

fn misfits(column: &ColumnDef, value: &Value<'_>, kind: &'static str, why: Option<String>) -> Error {
    let (name, shown) = (&column.name, value.shown());
    let from = if value.is_null() { "NULL" } else { sql_type(column) };
    let why = why.filter(|_| !value.is_null()).map(|why| format!(": {why}")).unwrap_or_default();
    let message = format!("column `{name}` holds {shown}, which is not {kind}{why}");
    let error = Error::conversion_failed(Conversion::new(name, from, kind), message);
    match column.ty {
        _ if value.is_null() => error.with_hint("`Option` takes NULL"),
        ColumnType::MYSQL_TYPE_DOUBLE if matches!(value, Value::Double(_)) && kind.starts_with(WHOLE_NUMBER) => error
            .with_hint(
                "the server computes this one as a DOUBLE; `CAST(.. AS SIGNED)` in the statement makes it whole",
            ),
        ColumnType::MYSQL_TYPE_DATE | ColumnType::MYSQL_TYPE_DATETIME | ColumnType::MYSQL_TYPE_TIMESTAMP
            if value.as_date_time().is_some_and(|moment| !moment.is_valid()) =>
        {
            error.with_hint("no calendar has this day; `String` and inrush's own `Date` and `DateTime` take it")
        }
        _ => error,
    }
}

/// The SQL type of a column of a result, without length and digits.
fn sql_type(column: &ColumnDef) -> &'static str {
    use ColumnType::*;
    let unsigned = column.flags.contains(ColumnFlags::UNSIGNED_FLAG);
    let signed = |signed, or_not| if unsigned { or_not } else { signed };
    match column.ty {
        MYSQL_TYPE_TINY => signed("TINYINT", "TINYINT UNSIGNED"),
        MYSQL_TYPE_SHORT => signed("SMALLINT", "SMALLINT UNSIGNED"),
        MYSQL_TYPE_INT24 => signed("MEDIUMINT", "MEDIUMINT UNSIGNED"),
        MYSQL_TYPE_LONG => signed("INT", "INT UNSIGNED"),
        MYSQL_TYPE_LONGLONG => signed("BIGINT", "BIGINT UNSIGNED"),
        MYSQL_TYPE_DECIMAL | MYSQL_TYPE_NEWDECIMAL => "DECIMAL",
        MYSQL_TYPE_FLOAT => "FLOAT",
        MYSQL_TYPE_DOUBLE => "DOUBLE",
        MYSQL_TYPE_BIT => "BIT",
        MYSQL_TYPE_YEAR => "YEAR",
        MYSQL_TYPE_DATE | MYSQL_TYPE_NEWDATE => "DATE",
        MYSQL_TYPE_TIME | MYSQL_TYPE_TIME2 => "TIME",
        MYSQL_TYPE_DATETIME | MYSQL_TYPE_DATETIME2 => "DATETIME",
        MYSQL_TYPE_TIMESTAMP | MYSQL_TYPE_TIMESTAMP2 => "TIMESTAMP",
        MYSQL_TYPE_JSON => "JSON",
        MYSQL_TYPE_GEOMETRY => "GEOMETRY",
        MYSQL_TYPE_VECTOR => "VECTOR",
        MYSQL_TYPE_NULL => "NULL",
        MYSQL_TYPE_STRING if column.collation == BINARY => "BINARY",
        MYSQL_TYPE_STRING => "CHAR",
        MYSQL_TYPE_VARCHAR | MYSQL_TYPE_VAR_STRING if column.collation == BINARY => "VARBINARY",
        MYSQL_TYPE_VARCHAR | MYSQL_TYPE_VAR_STRING => "VARCHAR",
        _ if column.collation == BINARY => "BLOB",
        _ => "TEXT",
    }
}

/// How the kinds of whole numbers begin.
pub(super) const WHOLE_NUMBER: &str = "a whole number";

/// The collation of bytes that are not text.
const BINARY: u16 = 63;

fn no_such_column(columns: &[ColumnDef]) -> Error {
    let names: Vec<_> = columns.iter().map(|column| format!("`{}`", column.name)).collect();
    Error::config(format!("the result has no such column; it has {}", names.join(", ")))
}

#[cfg(test)]
pub(super) mod tests;
