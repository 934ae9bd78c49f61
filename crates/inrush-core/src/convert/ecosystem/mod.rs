//! Types of other crates as values: one feature and one file for each crate.
//!
//! | feature | types |
//! |---|---|
//! | `chrono` | `NaiveDate`, `NaiveDateTime`, `NaiveTime`, `TimeDelta`, `DateTime<Utc>`, `DateTime<FixedOffset>`; any `DateTime` as a parameter |
//! | `time` | `Date`, `PrimitiveDateTime`, `Time`, `Duration`, `OffsetDateTime` |
//! | `uuid` | `Uuid` as its 16 bytes, `Hyphenated` and `Simple` as text; reads either |
//! | `rust_decimal` | `Decimal` |
//! | `bigdecimal` | `BigDecimal` |
//! | `serde_json` | `serde_json::Value`, and [`Json`] of whatever serde knows |
//!
//! Instants (`DateTime<Utc>`, `OffsetDateTime`) travel as a clock in the session's time zone shows them, which must be known.

#[cfg(feature = "bigdecimal")]
mod bigdecimal;
#[cfg(feature = "chrono")]
mod chrono;
#[cfg(feature = "serde_json")]
mod json;
#[cfg(feature = "rust_decimal")]
mod rust_decimal;
#[cfg(feature = "time")]
mod time;
#[cfg(feature = "uuid")]
mod uuid;

#[cfg(feature = "serde_json")]
pub use json::Json;

/// A decimal number of a value, in digits.
#[cfg(any(feature = "bigdecimal", feature = "rust_decimal"))]
fn digits<'a>(value: crate::value::Value<'a>, column: &crate::wire::ColumnDef) -> Option<std::borrow::Cow<'a, str>> {
    use crate::convert::FromValue as _;
    use crate::value::Value;
    use crate::wire::ColumnType;
    match value {
        // A number of type FLOAT or DOUBLE is no decimal one: its digits are not exact.
        Value::Bytes(_) | Value::Text(_) if column.ty != ColumnType::MYSQL_TYPE_BIT => value.as_str().map(Into::into),
        Value::Int(_) | Value::UInt(_) | Value::Bytes(_) => Some(i128::from_value(value, column)?.to_string().into()),
        _ => None,
    }
}
