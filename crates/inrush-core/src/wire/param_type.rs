//! The type that one parameter is sent as, over many rows: the type of its first value, as long as the others fit.

use crate::value::Value;
use crate::wire::{ColumnType, stmt};

/// Type and flag of one parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParamType([u8; 2]);

impl ParamType {
    /// The type of a parameter that was only NULL so far.
    pub(crate) const UNKNOWN: Self = Self([ColumnType::MYSQL_TYPE_NULL as u8, 0]);

    pub(crate) const INT: Self = Self([LONGLONG, 0]);
    pub(crate) const UINT: Self = Self([LONGLONG, stmt::UNSIGNED]);
    pub(crate) const TEXT: Self = Self([ColumnType::MYSQL_TYPE_VAR_STRING as u8, 0]);
    pub(crate) const BYTES: Self = Self([ColumnType::MYSQL_TYPE_BLOB as u8, 0]);
    pub(crate) const DOUBLE: Self = Self([ColumnType::MYSQL_TYPE_DOUBLE as u8, 0]);
    pub(crate) const DATE: Self = Self([ColumnType::MYSQL_TYPE_DATE as u8, 0]);
    pub(crate) const DATE_TIME: Self = Self([ColumnType::MYSQL_TYPE_DATETIME as u8, 0]);

    /// The bytes that are sent.
    #[inline]
    pub(crate) fn bytes(self) -> [u8; 2] {
        self.0
    }

    /// The type of this value alone.
    pub(crate) fn of(value: &Value<'_>) -> Self {
        Self(stmt::type_bytes(value))
    }

    /// Whether the value can be sent as this type; the first value that is not NULL sets the type. A whole number that both kinds
    /// of integers hold has the same bytes in both. NULL and DEFAULT have none.
    #[inline]
    pub(crate) fn takes(&mut self, value: &Value<'_>) -> bool {
        let of_value = stmt::type_bytes(value);
        if self.0 == of_value || of_value == Self::UNKNOWN.0 {
            return true;
        }
        if *self == Self::UNKNOWN {
            self.0 = of_value;
            return true;
        }
        self.0[0] == LONGLONG
            && match value {
                Value::Int(n) => *n >= 0,
                Value::UInt(n) => i64::try_from(*n).is_ok(),
                _ => false,
            }
    }
}

const LONGLONG: u8 = ColumnType::MYSQL_TYPE_LONGLONG as u8;

#[cfg(test)]
mod tests {
    use super::*;

    /// The type after the first value, and whether it takes the second.
    #[track_caller]
    fn check(first: Value<'_>, second: Value<'_>, want: bool) {
        let mut ty = ParamType::UNKNOWN;
        assert!(ty.takes(&first));
        assert_eq!(ty.takes(&second), want, "{ty:?}");
    }

    #[test]
    fn null_fits_any_and_decides_nothing() {
        check(Value::Null, Value::Text("a"), true);
        check(Value::Text("a"), Value::Null, true);
        check(Value::Default, Value::Int(1), true);
    }
    #[test]
    fn integers_fit_where_both_kinds_hold_them() {
        check(Value::Int(-1), Value::UInt(1), true);
        check(Value::Int(-1), Value::UInt(i64::MAX as u64), true);
        check(Value::Int(-1), Value::UInt(1 << 63), false);
        check(Value::UInt(u64::MAX), Value::Int(0), true);
        check(Value::UInt(u64::MAX), Value::Int(-1), false);
    }
    #[test]
    fn others_do_not() {
        check(Value::Int(1), Value::Double(1.0), false);
        check(Value::Double(1.0), Value::Float(1.0), false);
        check(Value::Text("a"), Value::Bytes(b"a"), false);
        check(Value::Text("a"), Value::Int(1), false);
    }
}
