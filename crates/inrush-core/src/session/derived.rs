//! The parameter types that a server derives from the target columns, and keeps.
//!
//! MySQL derives a parameter's type when it prepares the statement, and keeps it when the table is altered: a text that goes into
//! what was a DOUBLE becomes a DOUBLE first, although the column is a DECIMAL now, and `007` becomes `7` in what was an INT.
//! Nothing in its answers shows that. So a kept statement is prepared again for a value that this conversion would change
//! (docs/notes/session-state.md). Tested by `real/kept_statements.rs`.

use crate::value::{Date, DateTime, Value};
use crate::wire::stmt::Family;
use crate::wire::{ColumnDef, ColumnType};

/// The kind of a parameter's derived type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Derived {
    /// A type that changes no value, or one that is not known.
    #[default]
    Other,
    /// A whole number or a DECIMAL.
    Exact,
    /// A FLOAT or DOUBLE.
    Float,
    /// A DATE.
    Date,
    /// A DATETIME or TIMESTAMP.
    DateTime,
    /// A TIME.
    Time,
}

impl Derived {
    /// Returns the type of the parameter that the server describes in this packet.
    pub(crate) fn of(description: &[u8]) -> Self {
        use ColumnType::*;
        match ColumnDef::type_of(description) {
            Some(
                MYSQL_TYPE_TINY
                | MYSQL_TYPE_SHORT
                | MYSQL_TYPE_INT24
                | MYSQL_TYPE_LONG
                | MYSQL_TYPE_LONGLONG
                | MYSQL_TYPE_DECIMAL
                | MYSQL_TYPE_NEWDECIMAL
                | MYSQL_TYPE_YEAR,
            ) => Self::Exact,
            Some(MYSQL_TYPE_FLOAT | MYSQL_TYPE_DOUBLE) => Self::Float,
            Some(MYSQL_TYPE_DATE | MYSQL_TYPE_NEWDATE) => Self::Date,
            Some(MYSQL_TYPE_DATETIME | MYSQL_TYPE_TIMESTAMP) => Self::DateTime,
            Some(MYSQL_TYPE_TIME) => Self::Time,
            _ => Self::Other,
        }
    }

    /// Whether the value may change when it is converted to this type.
    #[inline]
    pub(crate) fn bends(self, value: &Value<'_>) -> bool {
        match Family::of(value) {
            Family::Text => self.bends_text(value.as_bytes().unwrap_or_default()),
            family => self.bends_all(family),
        }
    }

    /// Whether some values of the family may change.
    #[inline]
    pub(crate) fn may_bend(self, family: Family) -> bool {
        self.bends_all(family) || (family == Family::Text && self != Self::Other)
    }

    /// Whether all values of the family may change.
    #[inline]
    pub(crate) fn bends_all(self, family: Family) -> bool {
        family == Family::Number && !matches!(self, Self::Other | Self::Exact | Self::Float)
    }

    pub(crate) fn bends_text(self, text: &[u8]) -> bool {
        match self {
            Self::Other => false,
            Self::Exact => !is_plain(text, DECIMAL_DIGITS),
            Self::Float => !is_plain(text, f64::DIGITS as usize) || has_zeros_behind(text),
            Self::Date => Date::parse(text).is_none(),
            Self::DateTime => text.len() > WHOLE_SECONDS || DateTime::parse(text).is_none(),
            Self::Time => true,
        }
    }
}

/// A number as the server prints it: no zeros in front, no exponent, at most so many digits.
fn is_plain(text: &[u8], most: usize) -> bool {
    let unsigned = text.strip_prefix(b"-").unwrap_or(text);
    let point = unsigned.iter().position(|byte| *byte == b'.');
    let (whole, fraction) = unsigned.split_at(point.unwrap_or(unsigned.len()));
    let fraction = fraction.get(1..).unwrap_or_default();
    let is_digits = |digits: &[u8]| !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    let is_zero = whole.iter().chain(fraction).all(|byte| *byte == b'0');
    is_digits(whole)
        && (point.is_none() || is_digits(fraction))
        && (whole.len() == 1 || whole[0] != b'0')
        && whole.len() + fraction.len() <= most
        && !(is_zero && unsigned.len() < text.len())
}

fn has_zeros_behind(text: &[u8]) -> bool {
    text.contains(&b'.') && text.last() == Some(&b'0')
}

/// Those of the longest DECIMAL.
const DECIMAL_DIGITS: usize = 65;
/// The length of `2024-02-29 23:59:58`.
const WHOLE_SECONDS: usize = 19;

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(derived: Derived, value: Value<'_>, want: bool) {
        assert_eq!(derived.bends(&value), want, "{derived:?}, {value:?}");
    }

    #[test]
    fn texts_that_stay_what_they_are() {
        for text in ["0", "7", "-12", "1234567890.123456789012345678", "1.50"] {
            check(Derived::Exact, Value::Text(text), false);
        }
        for text in ["0.1", "123456789012345", "-3.25"] {
            check(Derived::Float, Value::Text(text), false);
        }
        check(Derived::Date, Value::Text("2024-02-29"), false);
        check(Derived::DateTime, Value::Text("2024-02-29 10:11:12"), false);
        check(Derived::Other, Value::Text("007"), false);
    }
    #[test]
    fn texts_that_do_not() {
        for text in ["007", "1e3", "", " 1", "-0", "1.", ".5", "abc"] {
            check(Derived::Exact, Value::Text(text), true);
            check(Derived::Float, Value::Bytes(text.as_bytes()), true);
        }
        for text in ["1234567890.123456789", "-9007199254740993", "0.10"] {
            check(Derived::Float, Value::Text(text), true);
        }
        check(Derived::Date, Value::Text("2024-02-29 10:11:12"), true);
        check(Derived::DateTime, Value::Text("2024-02-29 10:11:12.5"), true);
        check(Derived::Time, Value::Text("10:11:12"), true);
    }
    #[test]
    fn numbers_and_moments() {
        check(Derived::Exact, Value::Int(i64::MIN), false);
        check(Derived::Float, Value::Int(i64::MAX), false);
        check(Derived::Date, Value::Int(20_240_229), true);
        check(Derived::Time, Value::Double(0.1), true);
        check(Derived::Time, Value::DateTime(DateTime::default()), false);
        check(Derived::Exact, Value::Null, false);
    }
}
