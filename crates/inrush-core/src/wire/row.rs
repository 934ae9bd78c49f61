//! A row of a result set, text or binary, still in its packet.
//!
//! ```text
//! text    per column: fb for NULL, else the value as text after its length
//!
//! binary  00
//!         null bitmap, (columns + 9) / 8 bytes, first bit at position 2
//!         per column that is not NULL: the value in its type's form
//! ```

use crate::value::{Date, DateTime, Time, Value};
use crate::wire::{ColumnDef, ColumnType, Cursor, Malformed};
use jiff::tz::TimeZone;

/// One row, borrowed from its packet.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    columns: &'a [ColumnDef],
    body: &'a [u8],
    format: RowFormat,
    zone: Option<&'a TimeZone>,
    prefix: &'static str,
}

/// How the values of a result set are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowFormat {
    /// The reply to COM_QUERY.
    Text,
    /// The reply to COM_STMT_EXECUTE.
    Binary,
}

impl<'a> Row<'a> {
    /// The row in `body`. Nothing is checked before [`Row::values`] reads it.
    pub fn new(columns: &'a [ColumnDef], body: &'a [u8], format: RowFormat) -> Self {
        Self { columns, body, format, zone: None, prefix: "" }
    }

    /// The same row of a session in this time zone, by which instants are read.
    #[must_use]
    pub fn in_zone(self, zone: Option<&'a TimeZone>) -> Self {
        Self { zone, ..self }
    }

    /// The same row, in which columns are searched by their names with this prefix.
    pub(crate) fn prefixed(self, prefix: &'static str) -> Self {
        Self { prefix, ..self }
    }

    /// The prefix of the names of the columns that are searched; empty as a rule.
    pub fn prefix(&self) -> &'static str {
        self.prefix
    }

    /// The session's time zone, if it is known.
    pub fn zone(&self) -> Option<&'a TimeZone> {
        self.zone
    }

    /// The result set's columns.
    pub fn columns(&self) -> &'a [ColumnDef] {
        self.columns
    }

    /// The packet.
    pub fn body(&self) -> &'a [u8] {
        self.body
    }

    /// How the values are written.
    pub fn format(&self) -> RowFormat {
        self.format
    }

    /// The values from left to right. Ends after the last column or at the first error; bytes after the last column are an error,
    /// too.
    pub fn values(&self) -> Values<'a> {
        let mut rest = Cursor::new(self.body, "row");
        let (mut nulls, mut broken): (&[u8], _) = (&[], None);
        if self.format == RowFormat::Binary {
            let head = rest.expect(0x00).and_then(|()| rest.take((self.columns.len() + 9) / 8));
            match head {
                Ok(bitmap) => nulls = bitmap,
                Err(malformed) => broken = Some(malformed),
            }
        }
        Values { columns: self.columns, next: 0, nulls, rest, format: self.format, broken }
    }
}

/// Iterates over the values of a row.
#[derive(Clone, Debug)]
pub struct Values<'a> {
    columns: &'a [ColumnDef],
    next: usize,
    nulls: &'a [u8],
    rest: Cursor<'a>,
    format: RowFormat,
    broken: Option<Malformed>,
}

impl<'a> Iterator for Values<'a> {
    type Item = Result<Value<'a>, Malformed>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if let Some(malformed) = self.broken.take() {
            self.next = self.columns.len();
            return Some(Err(malformed));
        }
        let column = self.columns.get(self.next)?;
        self.next += 1;
        let value = match self.format {
            RowFormat::Text => self.rest.nullable_bytes().map(|bytes| bytes.map_or(Value::Null, Value::Bytes)),
            RowFormat::Binary if self.is_null(self.next - 1) => Ok(Value::Null),
            RowFormat::Binary => binary(&mut self.rest, column),
        };
        let is_last = self.next == self.columns.len();
        let value = value.and_then(|value| if is_last { self.rest.end().map(|()| value) } else { Ok(value) });
        if value.is_err() {
            self.next = self.columns.len();
        }
        Some(value)
    }
}

impl Values<'_> {
    fn is_null(&self, column: usize) -> bool {
        // The first two bits are reserved.
        let bit = column + 2;
        self.nulls.get(bit / 8).is_some_and(|byte| byte & (1 << (bit % 8)) != 0)
    }
}

fn binary<'a>(r: &mut Cursor<'a>, column: &ColumnDef) -> Result<Value<'a>, Malformed> {
    use ColumnType::*;
    let unsigned = column.is_unsigned();
    Ok(match column.ty {
        MYSQL_TYPE_NULL => Value::Null,
        MYSQL_TYPE_TINY => match r.u8()? {
            n if unsigned => Value::UInt(n.into()),
            n => Value::Int((n as i8).into()),
        },
        MYSQL_TYPE_SHORT | MYSQL_TYPE_YEAR => match r.u16()? {
            n if unsigned => Value::UInt(n.into()),
            n => Value::Int((n as i16).into()),
        },
        MYSQL_TYPE_LONG | MYSQL_TYPE_INT24 => match r.u32()? {
            n if unsigned => Value::UInt(n.into()),
            n => Value::Int((n as i32).into()),
        },
        MYSQL_TYPE_LONGLONG => match r.u64()? {
            n if unsigned => Value::UInt(n),
            n => Value::Int(n as i64),
        },
        MYSQL_TYPE_FLOAT => Value::Float(f32::from_bits(r.u32()?)),
        MYSQL_TYPE_DOUBLE => Value::Double(f64::from_bits(r.u64()?)),
        MYSQL_TYPE_DATE | MYSQL_TYPE_NEWDATE => Value::Date(date_time(r)?.date),
        MYSQL_TYPE_DATETIME | MYSQL_TYPE_TIMESTAMP => Value::DateTime(date_time(r)?),
        MYSQL_TYPE_TIME => Value::Time(time(r)?),
        MYSQL_TYPE_UNKNOWN
        | MYSQL_TYPE_TIMESTAMP2
        | MYSQL_TYPE_DATETIME2
        | MYSQL_TYPE_TIME2
        | MYSQL_TYPE_TYPED_ARRAY => return Err(r.malformed("a column's type is not known")),
        MYSQL_TYPE_DECIMAL
        | MYSQL_TYPE_NEWDECIMAL
        | MYSQL_TYPE_VARCHAR
        | MYSQL_TYPE_BIT
        | MYSQL_TYPE_VECTOR
        | MYSQL_TYPE_JSON
        | MYSQL_TYPE_ENUM
        | MYSQL_TYPE_SET
        | MYSQL_TYPE_TINY_BLOB
        | MYSQL_TYPE_MEDIUM_BLOB
        | MYSQL_TYPE_LONG_BLOB
        | MYSQL_TYPE_BLOB
        | MYSQL_TYPE_VAR_STRING
        | MYSQL_TYPE_STRING
        | MYSQL_TYPE_GEOMETRY => Value::Bytes(r.lenenc_bytes()?),
    })
}

/// Length 0, 4, 7 or 11: what is zero at the end is left out.
fn date_time(r: &mut Cursor<'_>) -> Result<DateTime, Malformed> {
    let length = r.u8()?;
    let mut moment = DateTime::default();
    if !matches!(length, 0 | 4 | 7 | 11) {
        return Err(r.malformed("a date has a length no date has"));
    }
    if length >= 4 {
        moment.date = Date { year: r.u16()?, month: r.u8()?, day: r.u8()? };
    }
    if length >= 7 {
        (moment.hour, moment.minute, moment.second) = (r.u8()?, r.u8()?, r.u8()?);
    }
    if length == 11 {
        moment.micros = r.u32()?;
    }
    Ok(moment)
}

/// Length 0, 8 or 12.
fn time(r: &mut Cursor<'_>) -> Result<Time, Malformed> {
    let length = r.u8()?;
    let mut time = Time::default();
    if !matches!(length, 0 | 8 | 12) {
        return Err(r.malformed("a time has a length no time has"));
    }
    if length >= 8 {
        time = Time {
            negative: r.u8()? != 0,
            days: r.u32()?,
            hours: r.u8()?,
            minutes: r.u8()?,
            seconds: r.u8()?,
            micros: 0,
        };
    }
    if length == 12 {
        time.micros = r.u32()?;
    }
    Ok(time)
}

#[cfg(test)]
mod tests;
