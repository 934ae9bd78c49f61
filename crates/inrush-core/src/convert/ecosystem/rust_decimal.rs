//! `rust_decimal`: a DECIMAL of up to 28 digits, to the last one.

use super::digits;
use crate::convert::{FromValue, ToValue};
use crate::error::Result;
use crate::value::{Value, WriteValue};
use crate::wire::ColumnDef;
use rust_decimal::Decimal;
use std::io::Write as _;

impl ToValue for Decimal {
    fn to_value(&self) -> Value<'_> {
        Value::Written(self)
    }
}

impl WriteValue for Decimal {
    fn write(&self, out: &mut Vec<u8>) -> Result<()> {
        // Writing to memory does not fail.
        let _ = write!(out, "{self}");
        Ok(())
    }
}

/// A DECIMAL, a whole number, or the text of one; not a FLOAT or a DOUBLE, whose digits are not exact.
impl FromValue<'_> for Decimal {
    const KIND: &'static str = "a decimal number of up to 28 digits (`rust_decimal::Decimal`)";

    fn from_value(value: Value<'_>, column: &ColumnDef) -> Option<Self> {
        Self::from_str_exact(&digits(value, column)?).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convert::from_value::tests::read;

    #[test]
    fn there_and_back() {
        for text in ["0", "-0.10", "79228162514264337593543950335", "0.0000000000000000000000000001"] {
            let number: Decimal = Decimal::from_str_exact(text).unwrap();
            assert_eq!(number.to_value().to_string(), text);
            assert_eq!(read::<Decimal>(Value::Bytes(text.as_bytes())), Some(number));
        }
        assert_eq!(read::<Decimal>(Value::Int(-5)), Some(Decimal::from(-5)));
        assert_eq!(read::<Decimal>(Value::Bytes(b"79228162514264337593543950336")), None);
        assert_eq!(read::<Decimal>(Value::Double(0.1)), None);
    }
}
