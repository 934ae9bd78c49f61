//! One value, borrowed from the received packet or from the caller: a cell of a row, or a parameter. Its bytes are `wire`'s, the
//! Rust types and Arrow arrays of users are in `convert`.

mod moment;

use crate::error::Result;
use std::fmt;

/// One value of a row, or one parameter.
///
/// A text result set holds `Null` and `Bytes` only, whatever the column's type; the `as_..` methods read numbers in either form.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
    /// NULL.
    Null,
    /// Bytes: text, decimals, blobs, JSON, bits; as a parameter: bytes that no character set changes.
    Bytes(&'a [u8]),
    /// Text as a parameter, in the connection's character set. Results come as [`Value::Bytes`], because they are not checked for
    /// valid text.
    Text(&'a str),
    /// A signed integer.
    Int(i64),
    /// An unsigned integer.
    UInt(u64),
    /// A FLOAT.
    Float(f32),
    /// A DOUBLE.
    Double(f64),
    /// A DATE.
    Date(Date),
    /// A DATETIME or TIMESTAMP.
    DateTime(DateTime),
    /// A TIME.
    Time(Time),
    /// The column's DEFAULT, in a row of a batch whose method supports it: as text, or in bulk (MariaDB). Not in an expression.
    Default,
    /// Microseconds since 1970-01-01 00:00:00 UTC, as a parameter: a DATETIME or TIMESTAMP once the session's time zone is known.
    /// Code that takes parameters converts it ([`convert::resolve`](crate::convert::resolve)); it is never sent in this form.
    Instant(i64),
    /// Text or bytes that are written when they are needed, as a parameter. Code that takes parameters writes it; it is never
    /// sent in this form.
    Written(&'a dyn WriteValue),
    /// The same for the JSON of any value that serde can serialize (feature `serde_json`).
    Json(&'a dyn WriteJson),
}

/// A Rust value that is text or bytes for the server, but does not store those: a decimal number, a document. Its
/// [`ToValue`](crate::convert::ToValue) is `Value::Written(self)`.
pub trait WriteValue: Sync {
    /// Whether it is text in the connection's character set; else bytes that no character set changes.
    fn is_text(&self) -> bool {
        true
    }

    /// Appends the text or the bytes; text is UTF-8.
    ///
    /// # Errors
    /// The reason why the value cannot be written, of any kind of error; `out` may then have some of it.
    fn write(&self, out: &mut Vec<u8>) -> Result<()>;
}

/// A Rust value that can be written as JSON: with the feature `serde_json` whatever serde can serialize.
pub trait WriteJson: Sync {
    /// Appends the JSON.
    ///
    /// # Errors
    /// `Data`: JSON cannot represent it, as with a map whose keys are no texts; `out` may then have some of it.
    fn write_json(&self, out: &mut Vec<u8>) -> Result<()>;
}

impl fmt::Debug for dyn WriteValue + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", Value::Written(self).to_string())
    }
}

impl fmt::Debug for dyn WriteJson + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&Value::Json(self).to_string())
    }
}

/// Compares the written texts.
impl<'b> PartialEq<dyn WriteJson + 'b> for dyn WriteJson + '_ {
    fn eq(&self, other: &(dyn WriteJson + 'b)) -> bool {
        let (mut a, mut b) = (Vec::new(), Vec::new());
        self.write_json(&mut a).is_ok() && other.write_json(&mut b).is_ok() && a == b
    }
}

/// Compares the written texts.
impl<'b> PartialEq<dyn WriteValue + 'b> for dyn WriteValue + '_ {
    fn eq(&self, other: &(dyn WriteValue + 'b)) -> bool {
        let (mut a, mut b) = (Vec::new(), Vec::new());
        self.is_text() == other.is_text() && self.write(&mut a).is_ok() && other.write(&mut b).is_ok() && a == b
    }
}

/// A day. Zero in any part is possible, as the server knows it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date {
    /// 0 to 9999.
    pub year: u16,
    /// 0 to 12.
    pub month: u8,
    /// 0 to 31.
    pub day: u8,
}

/// A moment, without a zone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DateTime {
    /// The day.
    pub date: Date,
    /// 0 to 23.
    pub hour: u8,
    /// 0 to 59.
    pub minute: u8,
    /// 0 to 59.
    pub second: u8,
    /// 0 to 999,999.
    pub micros: u32,
}

/// A span of time, up to 838 hours either way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Time {
    /// Whether it is before zero.
    pub negative: bool,
    /// Whole days.
    pub days: u32,
    /// 0 to 23.
    pub hours: u8,
    /// 0 to 59.
    pub minutes: u8,
    /// 0 to 59.
    pub seconds: u8,
    /// 0 to 999,999.
    pub micros: u32,
}

impl<'a> Value<'a> {
    /// Whether it is NULL.
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// Whether it must still be converted before it is sent: see [`convert::resolve`](crate::convert::resolve).
    #[inline]
    pub fn is_deferred(&self) -> bool {
        matches!(self, Self::Instant(_) | Self::Written(_) | Self::Json(_))
    }

    /// The bytes, if it came as bytes or text.
    pub fn as_bytes(&self) -> Option<&'a [u8]> {
        match *self {
            Self::Bytes(bytes) => Some(bytes),
            Self::Text(text) => Some(text.as_bytes()),
            _ => None,
        }
    }

    /// The text, if it came as bytes that are UTF-8, or as text.
    pub fn as_str(&self) -> Option<&'a str> {
        self.as_bytes().and_then(|bytes| std::str::from_utf8(bytes).ok())
    }

    /// The number, if it is a whole one that is not negative.
    pub fn as_u64(&self) -> Option<u64> {
        match *self {
            Self::UInt(n) => Some(n),
            Self::Int(n) => u64::try_from(n).ok(),
            _ => parse_whole(self.as_bytes()?)?.try_into().ok(),
        }
    }

    /// The number, if it is a whole one.
    pub fn as_i64(&self) -> Option<i64> {
        match *self {
            Self::Int(n) => Some(n),
            Self::UInt(n) => i64::try_from(n).ok(),
            _ => parse_whole(self.as_bytes()?)?.try_into().ok(),
        }
    }

    /// The number.
    pub fn as_f64(&self) -> Option<f64> {
        match *self {
            Self::Double(n) => Some(n),
            Self::Float(n) => Some(f64::from(n)),
            Self::Int(n) => Some(n as f64),
            Self::UInt(n) => Some(n as f64),
            _ => self.as_str()?.parse().ok(),
        }
    }

    /// The day, if it is one: see [`Date::is_valid`].
    pub fn as_date(&self) -> Option<Date> {
        match *self {
            Self::Date(date) => Some(date),
            _ => Date::parse(self.as_bytes()?),
        }
    }

    /// The moment, if it is one; that of a day is its midnight. See [`DateTime::is_valid`].
    pub fn as_date_time(&self) -> Option<DateTime> {
        match *self {
            Self::DateTime(moment) => Some(moment),
            Self::Date(date) => Some(DateTime { date, ..DateTime::default() }),
            _ => DateTime::parse(self.as_bytes()?),
        }
    }

    /// The span of time, if it is one.
    pub fn as_time(&self) -> Option<Time> {
        match *self {
            Self::Time(time) => Some(time),
            _ => Time::parse(self.as_bytes()?),
        }
    }

    /// The number that a BIT column's bytes stand for, the first one the greatest.
    pub fn bits(&self) -> Option<u64> {
        match *self {
            Self::UInt(n) => Some(n),
            _ => {
                let bytes = self.as_bytes().filter(|bytes| bytes.len() <= 8)?;
                Some(bytes.iter().fold(0, |n, byte| n << 8 | u64::from(*byte)))
            }
        }
    }

    /// The value as a text result set of a column with so many decimals shows it: fractions of seconds have as many digits, or
    /// more if they would be lost.
    pub fn printed(&self, decimals: u8) -> Printed<'a> {
        Printed { value: *self, decimals, is_fixed: false, width: 0 }
    }

    /// The same with a column's other attributes for numbers: whether a FLOAT or DOUBLE has always so many digits after the point,
    /// and the digits that leading zeros fill.
    pub(crate) fn printed_as(&self, decimals: u8, is_fixed: bool, width: usize) -> Printed<'a> {
        Printed { value: *self, decimals, is_fixed, width }
    }

    /// The value in a message, cut to a length that fits a line.
    pub(crate) fn shown(&self) -> String {
        let text = self.to_string();
        match text.char_indices().nth(MAX_SHOWN) {
            _ if matches!(self, Self::Null | Self::Default) => text,
            Some((end, _)) => format!("`{}..`", &text[..end]),
            None => format!("`{text}`"),
        }
    }
}

/// See [`Value::printed`].
pub struct Printed<'a> {
    value: Value<'a>,
    decimals: u8,
    /// A FLOAT or DOUBLE has exactly so many digits after the point.
    is_fixed: bool,
    /// Zeros in front make a number this long (ZEROFILL); 0: they do not.
    width: usize,
}

/// The decimals of a FLOAT or DOUBLE that was declared without digits after the point.
pub(crate) const NO_DECIMALS: u8 = 31;
/// No column declares more digits than that.
const MAX_WIDTH: usize = 255;

const MAX_SHOWN: usize = 60;

/// Reads `-12`, and `-12.00`, as whole DECIMALs are written.
pub(crate) fn parse_whole(text: &[u8]) -> Option<i128> {
    let (negative, text) = match text {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, text),
    };
    let (digits, fraction) = text.split_at(text.iter().position(|byte| *byte == b'.').unwrap_or(text.len()));
    if digits.is_empty() || !fraction.iter().skip(1).all(|digit| *digit == b'0') {
        return None;
    }
    let n = match digits.len() {
        // Numbers that u64 holds in any case.
        ..=19 => i128::from(digits.iter().try_fold(0_u64, |n, byte| Some(n * 10 + u64::from(digit(*byte)?)))?),
        _ => digits.iter().try_fold(0_i128, |n, byte| n.checked_mul(10)?.checked_add(digit(*byte)?.into()))?,
    };
    Some(if negative { -n } else { n })
}

#[inline]
fn digit(byte: u8) -> Option<u8> {
    byte.is_ascii_digit().then(|| byte - b'0')
}

impl fmt::Display for Value<'_> {
    /// As the server would print it in a text result set.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("NULL"),
            Self::Bytes(bytes) => f.write_str(&String::from_utf8_lossy(bytes)),
            Self::Text(text) => f.write_str(text),
            Self::Int(n) => n.fmt(f),
            Self::UInt(n) => n.fmt(f),
            Self::Float(n) if is_plain(f64::from(*n)) => n.fmt(f),
            Self::Float(n) => write!(f, "{n:e}"),
            Self::Double(n) if is_plain(*n) => n.fmt(f),
            Self::Double(n) => write!(f, "{n:e}"),
            Self::Date(date) => date.fmt(f),
            Self::DateTime(moment) => moment.fmt(f),
            Self::Time(time) => time.fmt(f),
            Self::Default => f.write_str("DEFAULT"),
            Self::Instant(micros) => match DateTime::from_micros_since_epoch(*micros) {
                Some(moment) => write!(f, "{moment}+00:00"),
                None => write!(f, "{micros} us after 1970-01-01"),
            },
            Self::Written(value) => show_written(f, |out| value.write(out)),
            Self::Json(value) => show_written(f, |out| value.write_json(out)),
        }
    }
}

fn show_written(f: &mut fmt::Formatter<'_>, write: impl FnOnce(&mut Vec<u8>) -> Result<()>) -> fmt::Result {
    let mut text = Vec::new();
    match write(&mut text) {
        Ok(()) => f.write_str(&String::from_utf8_lossy(&text)),
        Err(error) => write!(f, "({error})"),
    }
}

impl fmt::Display for Printed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decimals = usize::from(self.decimals);
        let (whole, micros) = match self.value {
            Value::DateTime(moment) => (Value::DateTime(DateTime { micros: 0, ..moment }), moment.micros),
            Value::Time(time) => (Value::Time(Time { micros: 0, ..time }), time.micros),
            Value::Int(_) | Value::UInt(_) => return padded(&self.value.to_string(), self.width, f),
            Value::Double(n) if self.is_fixed => return padded(&format!("{n:.decimals$}"), self.width, f),
            Value::Float(n) if self.is_fixed => return padded(&format!("{n:.decimals$}"), self.width, f),
            Value::Double(_) | Value::Float(_) => return padded(&self.value.to_string(), self.width, f),
            value => return value.fmt(f),
        };
        whole.fmt(f)?;
        let (mut digits, mut rest) = (6, micros);
        while digits > decimals && rest.is_multiple_of(10) {
            (digits, rest) = (digits - 1, rest / 10);
        }
        if digits > 0 { write!(f, ".{rest:0digits$}") } else { Ok(()) }
    }
}

fn padded(digits: &str, width: usize, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let width = width.min(MAX_WIDTH);
    write!(f, "{digits:0>width$}")
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

impl fmt::Display for DateTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:02}:{:02}:{:02}", self.date, self.hour, self.minute, self.second)?;
        fraction(f, self.micros)
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.negative { "-" } else { "" };
        let hours = u64::from(self.days) * 24 + u64::from(self.hours);
        write!(f, "{sign}{hours:02}:{:02}:{:02}", self.minutes, self.seconds)?;
        fraction(f, self.micros)
    }
}

/// Whether the servers print a number without an exponent (docs/notes/types.md).
fn is_plain(n: f64) -> bool {
    n == 0.0 || (1e-15..1e15).contains(&n.abs())
}

fn fraction(f: &mut fmt::Formatter<'_>, micros: u32) -> fmt::Result {
    if micros > 0 {
        write!(f, ".{micros:06}")?;
    }
    Ok(())
}
