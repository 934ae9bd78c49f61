//! BIT(n): a whole number from 0 to 2^n - 1, in decimal, as `0x1f`, `0b101`, `x'1f'` or `b'101'`. It is always sent as a
//! number: a server stores the text `1` as the bits of the character, 0x31.

use super::number::{self, Number};
use super::{CellValidator, Verdict, Why};
use crate::value::Value;

#[derive(Clone, Debug)]
pub(super) struct BitValidator {
    max: u64,
    bool: bool,
}

impl BitValidator {
    pub(super) fn new(bits: u8) -> Self {
        Self { max: u64::MAX >> (64 - u32::from(bits.clamp(1, 64))), bool: bits == 1 }
    }

    pub(super) fn uint(&self, value: u64) -> Verdict {
        if value <= self.max { Verdict::Keep } else { Verdict::Bad(Why::Range) }
    }

    /// Returns the bits in the bytes of a result, the first byte the greatest.
    pub(super) fn bits(&self, bytes: &[u8]) -> Result<u64, Why> {
        if bytes.is_empty() {
            return Err(Why::Shape);
        }
        let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
        Value::Bytes(&bytes[zeros..]).bits().filter(|value| *value <= self.max).ok_or(Why::TooManyBits)
    }

    /// The number that a text writes.
    pub(super) fn number(&self, text: &[u8]) -> Result<u64, Why> {
        match number::digits(text) {
            Some(value) if value <= self.max => Ok(value),
            _ => self.unusual_number(text),
        }
    }

    #[cold]
    fn unusual_number(&self, cell: &[u8]) -> Result<u64, Why> {
        let text = number::trim(cell);
        let value = match (number::truth(text), with_base(text)) {
            (Some(truth), _) if self.bool => Some(i128::from(truth)),
            (_, Some(value)) => value,
            _ => match Number::parse(text) {
                None => return Err(Why::Shape),
                Some(number) if number.scale() > 0 => return Err(Why::Fraction),
                Some(number) => number.to_integer(),
            },
        };
        value.and_then(|value| u64::try_from(value).ok()).filter(|value| *value <= self.max).ok_or(Why::Range)
    }
}

impl CellValidator for BitValidator {
    #[inline]
    fn validate(&self, cell: &[u8], out: &mut Vec<u8>) -> Verdict {
        match number::digits(cell) {
            Some(value) if value <= self.max => Verdict::Keep,
            _ => match self.unusual_number(cell) {
                Ok(value) => {
                    out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
                    Verdict::Rewrite
                }
                Err(why) => Verdict::Bad(why),
            },
        }
    }
}

/// A number with its base in front: `None` if it is not one, `Some(None)` if it is too large for any BIT.
fn with_base(text: &[u8]) -> Option<Option<i128>> {
    let (base, digits) = match text {
        [b'0', b'x' | b'X', digits @ ..] | [b'x' | b'X', b'\'', digits @ .., b'\''] => (16, digits),
        [b'0', b'b' | b'B', digits @ ..] | [b'b' | b'B', b'\'', digits @ .., b'\''] => (2, digits),
        _ => return None,
    };
    if digits.is_empty() || !digits.iter().all(|d| (*d as char).is_digit(base)) {
        return None;
    }
    let digits = std::str::from_utf8(digits).ok()?;
    Some(u64::from_str_radix(digits, base).ok().map(i128::from))
}
