//! Rust values as parameters: `(18, "Ann", None::<i32>)`. Strings and bytes are borrowed, never copied.

use std::borrow::Cow;

use crate::wire::Value;
use crate::wire::value::{Date, DateTime, Time};

/// A Rust value that a placeholder can stand for.
pub trait ToValue {
    /// The value as it is sent; it borrows from the Rust value.
    fn to_value(&self) -> Value<'_>;
}

impl<T: ToValue + ?Sized> ToValue for &T {
    fn to_value(&self) -> Value<'_> {
        (**self).to_value()
    }
}

impl<T: ToValue> ToValue for Option<T> {
    fn to_value(&self) -> Value<'_> {
        self.as_ref().map_or(Value::Null, T::to_value)
    }
}

impl<T: ToValue + ToOwned + ?Sized> ToValue for Cow<'_, T> {
    fn to_value(&self) -> Value<'_> {
        (**self).to_value()
    }
}

impl ToValue for Value<'_> {
    fn to_value(&self) -> Value<'_> {
        *self
    }
}

impl ToValue for str {
    fn to_value(&self) -> Value<'_> {
        Value::Text(self)
    }
}

impl ToValue for String {
    fn to_value(&self) -> Value<'_> {
        Value::Text(self)
    }
}

impl ToValue for [u8] {
    fn to_value(&self) -> Value<'_> {
        Value::Bytes(self)
    }
}

impl<const N: usize> ToValue for [u8; N] {
    fn to_value(&self) -> Value<'_> {
        Value::Bytes(self)
    }
}

impl ToValue for Vec<u8> {
    fn to_value(&self) -> Value<'_> {
        Value::Bytes(self)
    }
}

macro_rules! to_value {
    ($($ty:ty => $variant:ident($value:ident => $to:expr)),* $(,)?) => { $(
        impl ToValue for $ty {
            fn to_value(&self) -> Value<'_> {
                let $value = *self;
                Value::$variant($to)
            }
        }
    )* };
}

to_value! {
    bool => Int(b => b.into()),
    i8 => Int(n => n.into()),
    i16 => Int(n => n.into()),
    i32 => Int(n => n.into()),
    i64 => Int(n => n),
    isize => Int(n => n as i64),
    u8 => UInt(n => n.into()),
    u16 => UInt(n => n.into()),
    u32 => UInt(n => n.into()),
    u64 => UInt(n => n),
    usize => UInt(n => n as u64),
    f32 => Float(n => n),
    f64 => Double(n => n),
    Date => Date(date => date),
    DateTime => DateTime(moment => moment),
    Time => Time(time => time),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(value: impl ToValue, want: Value<'_>) {
        assert_eq!(value.to_value(), want);
    }

    #[test]
    fn numbers() {
        check(-1i8, Value::Int(-1));
        check(u64::MAX, Value::UInt(u64::MAX));
        check(true, Value::Int(1));
        check(1.5f32, Value::Float(1.5));
    }
    #[test]
    fn texts_and_bytes() {
        check("ä", Value::Text("ä"));
        check(String::from("a"), Value::Text("a"));
        check(b"a", Value::Bytes(b"a"));
        check(Cow::Borrowed("a"), Value::Text("a"));
    }
    #[test]
    fn what_may_be_absent() {
        check(Some(3u8), Value::UInt(3));
        check(None::<&str>, Value::Null);
    }
}
