//! Numbers from values, and vectors of them. The text form, the binary form and the bytes of a BIT give the same result.

use crate::convert::FromValue;
use crate::value::{self, Value};
use crate::wire::{ColumnDef, ColumnType};

macro_rules! whole_numbers {
    ($($int:ty),*) => { $(
        impl FromValue<'_> for $int {
            const KIND: &'static str = concat!("a whole number that fits `", stringify!($int), "`");

            #[inline]
            fn from_value(value: Value<'_>, column: &ColumnDef) -> Option<Self> {
                Self::try_from(whole(value, column)?).ok()
            }
        }
    )* };
}

whole_numbers!(i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, u128, usize);

/// As the server sees it: zero is false, any other number is true.
impl FromValue<'_> for bool {
    const KIND: &'static str = "a truth value (`bool`)";

    #[inline]
    fn from_value(value: Value<'_>, column: &ColumnDef) -> Option<Self> {
        whole(value, column).map(|n| n != 0)
    }
}

/// Rounded to 53 bits, as any conversion to `f64` is.
impl FromValue<'_> for f64 {
    const KIND: &'static str = "a number (`f64`)";

    #[inline]
    fn from_value(value: Value<'_>, column: &ColumnDef) -> Option<Self> {
        match value {
            Value::Bytes(_) if column.ty == ColumnType::MYSQL_TYPE_BIT => value.bits().map(|n| n as f64),
            _ => value.as_f64(),
        }
    }
}

/// A FLOAT, or a number that loses nothing.
impl FromValue<'_> for f32 {
    const KIND: &'static str = "a number that fits `f32`";

    #[inline]
    fn from_value(value: Value<'_>, column: &ColumnDef) -> Option<Self> {
        match value {
            Value::Float(n) => Some(n),
            Value::Bytes(_) if column.ty == ColumnType::MYSQL_TYPE_FLOAT => value.as_str()?.parse().ok(),
            _ => {
                let n = f64::from_value(value, column)?;
                (f64::from(n as f32) == n).then_some(n as f32)
            }
        }
    }
}

/// The numbers of a VECTOR, which come as the bytes of FLOATs in either form.
impl FromValue<'_> for Vec<f32> {
    const KIND: &'static str = "a vector (`Vec<f32>`)";

    fn from_value(value: Value<'_>, column: &ColumnDef) -> Option<Self> {
        let is_binary = column.collation == BINARY;
        let (numbers, []) = value.as_bytes().filter(|_| is_binary)?.as_chunks() else { return None };
        Some(numbers.iter().map(|number| f32::from_le_bytes(*number)).collect())
    }
}

/// A whole number, if the value is one.
#[inline]
fn whole(value: Value<'_>, column: &ColumnDef) -> Option<i128> {
    match value {
        Value::Int(n) => Some(n.into()),
        Value::UInt(n) => Some(n.into()),
        Value::Bytes(_) if column.ty == ColumnType::MYSQL_TYPE_BIT => value.bits().map(i128::from),
        Value::Bytes(text) => value::parse_whole(text),
        Value::Text(text) => value::parse_whole(text.as_bytes()),
        _ => None,
    }
}

/// The number of the collation that is none.
const BINARY: u16 = 63;
