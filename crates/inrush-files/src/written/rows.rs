//! Rows of a result as lines, without arrays between: each value goes from the server's row into its line.
//!
//! Invariant: the lines, and the values that are refused, are those of the same rows as record batches.

use crate::cells::{moment, number};
use arrow_schema::{DataType, Schema, TimeUnit};
use inrush_core::convert::arrow::{InvalidDates, Why, refusal};
use inrush_core::error::{Error, Kind, Result};
use inrush_core::load::ColumnKind;
use inrush_core::value::{Date, Value};
use inrush_core::wire::{ColumnDef, ColumnType, Row};
use std::io::Write as _;

/// How the rows of a result are written to a file of CSV or SQL.
#[derive(Debug)]
pub struct RowLayout {
    columns: Vec<RowColumn>,
    nulls_dates: bool,
    /// Rows that were written.
    n_rows: u64,
    /// A value on its way.
    scratch: Vec<u8>,
}

#[derive(Debug)]
struct RowColumn {
    def: ColumnDef,
    spelling: Spelling,
    nullable: bool,
    /// What becomes of some texts, in this order.
    texts: Vec<(Box<[u8]>, TextRule)>,
}

/// What becomes of a text.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum TextRule {
    /// An error, made of the column's name.
    Refuse(fn(&str) -> Error),
    /// NULL.
    Null,
    /// An empty text.
    Empty,
}

/// How the values of a column are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Spelling {
    Null,
    Signed,
    Unsigned,
    /// Four digits.
    Year,
    Truth,
    Bits,
    Float,
    Double,
    Decimal {
        scale: usize,
    },
    Day,
    Moment,
    Span,
    /// A day or a moment as text, with so many digits of a fraction.
    DateText {
        decimals: u8,
    },
    Text,
    Bytes,
}

impl RowLayout {
    /// For a result with these columns. `read` and `written` are the schemas of its record batches and of the file. `None`: a column needs
    /// arrays.
    pub fn new(defs: &[ColumnDef], (read, written): (&Schema, &Schema), invalid_dates: InvalidDates) -> Option<Self> {
        let fields = read.fields().iter().zip(written.fields());
        let column = |(def, (read, written)): (
            &ColumnDef,
            (&std::sync::Arc<arrow_schema::Field>, &std::sync::Arc<arrow_schema::Field>),
        )| {
            Some(RowColumn {
                def: def.clone(),
                spelling: Spelling::of(def, read.data_type(), written.data_type())?,
                nullable: read.is_nullable(),
                texts: Vec::new(),
            })
        };
        let columns = defs.iter().zip(fields).map(column).collect::<Option<_>>()?;
        let nulls_dates = invalid_dates == InvalidDates::Null;
        Some(Self { columns, nulls_dates, n_rows: 0, scratch: Vec::new() })
    }

    /// Adds what becomes of a text in the columns of this name.
    pub fn add_rule(&mut self, column: &str, text: &str, rule: TextRule) {
        for found in self.columns.iter_mut().filter(|found| found.def.name == column) {
            found.texts.push((text.as_bytes().into(), rule));
        }
    }

    /// Passes the cells of a row to `put`, in their order.
    pub(super) fn write(&mut self, row: &Row<'_>, mut put: impl FnMut(usize, Cell<'_>) -> Result<()>) -> Result<()> {
        let mut n_values = 0;
        for ((at, column), value) in self.columns.iter().enumerate().zip(row.values()) {
            let value = value?;
            let refused = |why| refusal(&column.def, &value, why, self.n_rows + 1);
            if value.is_null() {
                if !column.nullable {
                    return Err(refused(Why::Null));
                }
                put(at, Cell::Null)?;
                n_values += 1;
                continue;
            }
            match column.spelling {
                Spelling::Text => {
                    let text = value.as_bytes().ok_or_else(|| refused(Why::Shape))?;
                    simdutf8::basic::from_utf8(text).map_err(|_| refused(Why::Utf8))?;
                    put(at, column.ruled(text)?)?;
                }
                Spelling::Bytes => put(at, Cell::Bytes(value.as_bytes().ok_or_else(|| refused(Why::Shape))?))?,
                spelling => {
                    self.scratch.clear();
                    match spelling.write(&value, &mut self.scratch) {
                        Ok(()) => put(at, spelling.cell(&self.scratch))?,
                        Err(Why::Date) if self.nulls_dates => put(at, Cell::Null)?,
                        Err(why) => return Err(refused(why)),
                    }
                }
            }
            n_values += 1;
        }
        if n_values != self.columns.len() {
            return Err(Error::new(Kind::Config, "the row belongs to another result"));
        }
        self.n_rows += 1;
        Ok(())
    }
}

/// A value as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cell<'a> {
    Null,
    /// A number of SQL, of [`PLAIN`] bytes.
    Number(&'a [u8]),
    /// A FLOAT or a DOUBLE, so too.
    Float(&'a [u8]),
    /// A text of [`PLAIN`] bytes.
    Plain(&'a [u8]),
    Text(&'a [u8]),
    /// Any bytes, which are written as hexadecimal digits.
    Bytes(&'a [u8]),
}

/// The bytes of numbers, days and times.
pub(super) const PLAIN: &[u8] = b"0123456789+-.:eE ";

impl RowColumn {
    /// A text, or what takes its place.
    fn ruled<'a>(&self, mut text: &'a [u8]) -> Result<Cell<'a>> {
        for (known, rule) in &self.texts {
            if **known == *text {
                match rule {
                    TextRule::Refuse(error) => return Err(error(&self.def.name)),
                    TextRule::Null => return Ok(Cell::Null),
                    TextRule::Empty => text = b"",
                }
            }
        }
        Ok(Cell::Text(text))
    }
}

impl Spelling {
    fn of(def: &ColumnDef, read: &DataType, written: &DataType) -> Option<Self> {
        Some(match (read, written) {
            (DataType::UInt16, DataType::Utf8) => Self::Year,
            // As a list in CSV.
            (_, DataType::List(_)) => return None,
            (DataType::List(_), DataType::Binary) => Self::Bytes,
            (DataType::Null, _) => Self::Null,
            (DataType::Boolean, _) => Self::Truth,
            (DataType::UInt64, _) if def.ty == ColumnType::MYSQL_TYPE_BIT => Self::Bits,
            (ty, _) if ty.is_signed_integer() => Self::Signed,
            (ty, _) if ty.is_unsigned_integer() => Self::Unsigned,
            (DataType::Float32, _) => Self::Float,
            (DataType::Float64, _) => Self::Double,
            (DataType::Decimal128(_, scale) | DataType::Decimal256(_, scale), _) => {
                Self::Decimal { scale: usize::try_from(*scale).ok()? }
            }
            (DataType::Date32, _) => Self::Day,
            (DataType::Timestamp(..), _) => Self::Moment,
            (DataType::Duration(_), _) => Self::Span,
            (DataType::Utf8, _) if is_day(def) => Self::DateText { decimals: 0 },
            (DataType::Utf8, _) if is_moment(def) => Self::DateText { decimals: def.decimals },
            (DataType::Utf8, _) => Self::Text,
            (DataType::Binary, _) => Self::Bytes,
            _ => return None,
        })
    }

    /// Writes a value that is neither NULL nor a text nor bytes.
    fn write(self, value: &Value<'_>, out: &mut Vec<u8>) -> Result<(), Why> {
        match self {
            Self::Null | Self::Text | Self::Bytes => return Err(Why::Shape),
            Self::Signed => put_integer(value.as_i64().ok_or(Why::Shape)?, out),
            Self::Unsigned => put_integer(value.as_u64().ok_or(Why::Shape)?, out),
            Self::Bits => put_integer(value.bits().ok_or(Why::Shape)?, out),
            Self::Truth => out.push(b'0' + u8::from(value.bits().ok_or(Why::Shape)? != 0)),
            Self::Year => {
                let year = value.as_u64().filter(|year| *year <= 9999).ok_or(Why::Shape)? as u32;
                out.extend([pair(year / 100), pair(year % 100)].concat());
            }
            Self::Float => {
                let number = match value {
                    Value::Float(number) => *number,
                    _ => value.as_str().and_then(|text| text.parse().ok()).ok_or(Why::Shape)?,
                };
                number::single(number, ColumnKind::Float, out);
            }
            Self::Double => number::double(value.as_f64().ok_or(Why::Shape)?, ColumnKind::Double, out),
            Self::Decimal { scale } => decimal(value.as_bytes().ok_or(Why::Shape)?, scale, out)?,
            Self::Day => put_day(value.as_date().filter(Date::is_valid).ok_or(Why::Date)?, out),
            Self::Moment => {
                let moment = value.as_date_time().filter(|moment| moment.is_valid()).ok_or(Why::Date)?;
                put_day(moment.date, out);
                let [hour, minute, second] = [moment.hour, moment.minute, moment.second].map(|part| pair(part.into()));
                out.extend([&b" "[..], &hour, b":", &minute, b":", &second].concat());
                moment::put_fraction(moment.micros, 6, out);
            }
            Self::Span => {
                let micros = value.as_time().and_then(|time| time.as_micros()).ok_or(Why::Shape)?;
                moment::span(micros, TimeUnit::Microsecond, out);
            }
            Self::DateText { decimals } => match value {
                Value::Bytes(text) => out.extend_from_slice(text),
                // Writing to memory does not fail.
                _ => drop(write!(out, "{}", value.printed(decimals))),
            },
        }
        Ok(())
    }

    fn cell(self, text: &[u8]) -> Cell<'_> {
        match self {
            Self::Float | Self::Double => Cell::Float(text),
            Self::Signed | Self::Unsigned | Self::Bits | Self::Truth | Self::Decimal { .. } => Cell::Number(text),
            Self::Year | Self::Day | Self::Moment | Self::Span => Cell::Plain(text),
            // A server writes these.
            Self::Null | Self::Text | Self::Bytes | Self::DateText { .. } => Cell::Text(text),
        }
    }
}

fn is_day(def: &ColumnDef) -> bool {
    matches!(def.ty, ColumnType::MYSQL_TYPE_DATE | ColumnType::MYSQL_TYPE_NEWDATE)
}

fn is_moment(def: &ColumnDef) -> bool {
    matches!(def.ty, ColumnType::MYSQL_TYPE_DATETIME | ColumnType::MYSQL_TYPE_TIMESTAMP)
}

fn put_integer(number: impl itoa::Integer, out: &mut Vec<u8>) {
    out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
}

fn put_day(date: Date, out: &mut Vec<u8>) {
    let (year, [m, n], [d, e]) = (u32::from(date.year), pair(date.month.into()), pair(date.day.into()));
    let ([a, b], [y, z]) = (pair(year / 100), pair(year % 100));
    out.extend_from_slice(&[a, b, y, z, b'-', m, n, b'-', d, e]);
}

/// Two digits.
fn pair(number: u32) -> [u8; 2] {
    [b'0' + (number / 10) as u8, b'0' + (number % 10) as u8]
}

/// A DECIMAL as the server writes it, without zeros before its digits, with a digit before the point and `scale` after it; zero has no sign.
fn decimal(text: &[u8], scale: usize, out: &mut Vec<u8>) -> Result<(), Why> {
    let (is_negative, number) = match text {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, text),
    };
    let point = number.iter().position(|byte| *byte == b'.').unwrap_or(number.len());
    let (before, after) = (&number[..point], number.get(point + 1..).unwrap_or_default());
    if before.len() + after.len() == 0 || !before.iter().chain(after).all(u8::is_ascii_digit) {
        return Err(Why::Shape);
    }
    let before = &before[before.iter().take_while(|digit| **digit == b'0').count()..];
    let (after, lost) = after.split_at(after.len().min(scale));
    if lost.iter().any(|digit| *digit != b'0') {
        return Err(Why::Digits);
    }
    if is_negative && (!before.is_empty() || after.iter().any(|digit| *digit != b'0')) {
        out.push(b'-');
    }
    out.extend_from_slice(if before.is_empty() { b"0" } else { before });
    if scale > 0 {
        out.push(b'.');
        out.extend_from_slice(after);
        out.extend(std::iter::repeat_n(b'0', scale - after.len()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, scale: usize, want: Result<&str, Why>) {
        let mut out = Vec::new();
        let got = decimal(text.as_bytes(), scale, &mut out).map(|()| String::from_utf8(out).unwrap());
        assert_eq!(got.as_deref().map_err(|why| *why), want, "{text}");
    }

    #[test]
    fn decimals_have_one_spelling() {
        check("-12.50", 2, Ok("-12.50"));
        check("0000.5", 3, Ok("0.500"));
        check("-0.00", 2, Ok("0.00"));
        check("-0.01", 2, Ok("-0.01"));
        check(".5", 1, Ok("0.5"));
        check("000", 0, Ok("0"));
        check("007.00", 0, Ok("7"));
        check("1.25", 1, Err(Why::Digits));
        check("", 1, Err(Why::Shape));
        check("1e5", 0, Err(Why::Shape));
    }
}
