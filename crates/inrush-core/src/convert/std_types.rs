//! More types of the standard library as values: numbers that are not zero, numbers of 128 bits, addresses, characters, arrays of floats.
//!
//! | Rust | as a parameter | reads |
//! |---|---|---|
//! | `NonZeroU32` and its like | the number | a number that is not 0 |
//! | `i128`, `u128` | a number, or text beyond 64 bits, which a DECIMAL holds | whole numbers (see `from_value`) |
//! | `IpAddr`, `Ipv4Addr`, `Ipv6Addr` | text | text, as of MariaDB's INET4 and INET6 |
//! | `char` | text | a text of one character |
//! | `[f32; N]` | the bytes of a VECTOR | a VECTOR of just so many numbers |

use crate::convert::{FromValue, ToValue};
use crate::error::Result;
use crate::value::{Value, WriteValue};
use crate::wire::ColumnDef;
use std::io::Write as _;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::num::{NonZeroI8, NonZeroI16, NonZeroI32, NonZeroI64, NonZeroU8, NonZeroU16, NonZeroU32, NonZeroU64};

macro_rules! non_zero {
    ($($ty:ident: $int:ty => $variant:ident),*) => { $(
        impl ToValue for $ty {
            #[inline]
            fn to_value(&self) -> Value<'_> {
                Value::$variant(self.get().into())
            }
        }

        impl FromValue<'_> for $ty {
            const KIND: &'static str = concat!("a whole number but 0 that fits `", stringify!($ty), "`");

            #[inline]
            fn from_value(value: Value<'_>, column: &ColumnDef) -> Option<Self> {
                <$int>::from_value(value, column).and_then(Self::new)
            }
        }
    )* };
}

non_zero! {
    NonZeroI8: i8 => Int, NonZeroI16: i16 => Int, NonZeroI32: i32 => Int, NonZeroI64: i64 => Int,
    NonZeroU8: u8 => UInt, NonZeroU16: u16 => UInt, NonZeroU32: u32 => UInt, NonZeroU64: u64 => UInt
}

macro_rules! written {
    ($($ty:ty),*) => { $(
        impl WriteValue for $ty {
            fn write(&self, out: &mut Vec<u8>) -> Result<()> {
                // Writing to memory does not fail.
                let _ = write!(out, "{self}");
                Ok(())
            }
        }
    )* };
}

written!(i128, u128, IpAddr, Ipv4Addr, Ipv6Addr, char);

impl ToValue for i128 {
    fn to_value(&self) -> Value<'_> {
        match (i64::try_from(*self), u64::try_from(*self)) {
            (Ok(n), _) => Value::Int(n),
            (_, Ok(n)) => Value::UInt(n),
            _ => Value::Written(self),
        }
    }
}

impl ToValue for u128 {
    fn to_value(&self) -> Value<'_> {
        u64::try_from(*self).map_or(Value::Written(self), Value::UInt)
    }
}

macro_rules! texts {
    ($($ty:ty: $kind:literal),*) => { $(
        impl ToValue for $ty {
            fn to_value(&self) -> Value<'_> {
                Value::Written(self)
            }
        }

        impl FromValue<'_> for $ty {
            const KIND: &'static str = $kind;

            fn from_value(value: Value<'_>, _column: &ColumnDef) -> Option<Self> {
                value.as_str()?.parse().ok()
            }
        }
    )* };
}

texts! {
    IpAddr: "the text of an IP address (`IpAddr`)",
    Ipv4Addr: "the text of an IPv4 address (`Ipv4Addr`)",
    Ipv6Addr: "the text of an IPv6 address (`Ipv6Addr`)",
    char: "a text of one character (`char`)"
}

#[cfg(target_endian = "little")]
impl<const N: usize> ToValue for [f32; N] {
    #[inline]
    fn to_value(&self) -> Value<'_> {
        self.as_slice().to_value()
    }
}

impl<const N: usize> FromValue<'_> for [f32; N] {
    const KIND: &'static str = "a vector of so many numbers (`[f32; N]`)";

    fn from_value(value: Value<'_>, column: &ColumnDef) -> Option<Self> {
        Vec::<f32>::from_value(value, column)?.try_into().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convert::from_value::tests::read;

    /// The value as it is sent, and the value that is read from it.
    #[track_caller]
    fn check<T: ToValue + for<'a> FromValue<'a> + PartialEq + std::fmt::Debug>(value: T, sent: &str) {
        let text = value.to_value().to_string();
        assert_eq!(text, sent);
        assert_eq!(read::<T>(Value::Text(&text)), Some(value));
    }

    #[test]
    fn there_and_back() {
        check(NonZeroU32::MAX, "4294967295");
        check(NonZeroI64::MIN, "-9223372036854775808");
        check(-i128::MAX, "-170141183460469231731687303715884105727");
        check(u128::from(u64::MAX), "18446744073709551615");
        check(IpAddr::V4(Ipv4Addr::LOCALHOST), "127.0.0.1");
        check(Ipv6Addr::LOCALHOST, "::1");
        check('🦀', "🦀");
    }

    #[test]
    fn what_is_none() {
        assert_eq!(read::<NonZeroU8>(Value::Int(0)), None);
        assert_eq!(read::<char>(Value::Text("ab")), None);
        assert_eq!(read::<char>(Value::Text("")), None);
        assert_eq!(read::<IpAddr>(Value::Text("1.2.3")), None);
        assert_eq!(i128::from(i64::MAX).to_value(), Value::Int(i64::MAX));
    }
}
