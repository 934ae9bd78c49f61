//! `bigdecimal`: a DECIMAL of any length.

use super::digits;
use crate::convert::{FromValue, ToValue};
use crate::error::{Error, Result};
use crate::value::{Value, WriteValue};
use crate::wire::ColumnDef;
use bigdecimal::BigDecimal;
use std::io::Write as _;
use std::str::FromStr as _;

impl ToValue for BigDecimal {
    fn to_value(&self) -> Value<'_> {
        Value::Written(self)
    }
}

impl WriteValue for BigDecimal {
    fn write(&self, out: &mut Vec<u8>) -> Result<()> {
        // A DECIMAL has 65 digits, 30 of them after the point; one with an exponent of a billion must not fill the memory.
        let scale = self.fractional_digit_count();
        if scale.unsigned_abs() > MOST_ZEROS {
            return Err(Error::data(format!(
                "a number with the exponent {} is not one that a column holds",
                -i128::from(scale)
            )));
        }
        // Writing to memory does not fail.
        let _ = write!(out, "{}", self.to_plain_string());
        Ok(())
    }
}

/// A DECIMAL, a whole number, or the text of one; not a FLOAT or a DOUBLE, whose digits are not exact.
impl FromValue<'_> for BigDecimal {
    const KIND: &'static str = "a decimal number (`bigdecimal::BigDecimal`)";

    fn from_value(value: Value<'_>, column: &ColumnDef) -> Option<Self> {
        Self::from_str(&digits(value, column)?).ok()
    }
}

const MOST_ZEROS: u64 = 1_000;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convert::from_value::tests::read;

    #[test]
    fn there_and_back() {
        let long = format!("-{}.{}", "9".repeat(35), "1".repeat(30));
        for text in ["0", "0.10", long.as_str()] {
            let number = BigDecimal::from_str(text).unwrap();
            assert_eq!(number.to_value().to_string(), text);
            assert_eq!(read::<BigDecimal>(Value::Bytes(text.as_bytes())), Some(number));
        }
        assert_eq!(BigDecimal::from_str("1e3").unwrap().to_value().to_string(), "1000");
        let huge = BigDecimal::from_str("1e1000000000").unwrap();
        assert!(huge.write(&mut Vec::new()).is_err());
        assert_eq!(read::<BigDecimal>(Value::Double(0.1)), None);
    }
}
