//! BIT(n): a whole number from 0 to 2^n - 1, in decimal, as `0x1f`, `0b101`, `x'1f'` or `b'101'`. It is always sent as a
//! number: a server stores the text `1` as the bits of the character, 0x31.

use super::number::{self, Number};
use super::{Judge, Verdict, Why};

#[derive(Clone, Debug)]
pub(super) struct BitJudge {
    max: u64,
    bool: bool,
}

impl BitJudge {
    pub(super) fn new(bits: u8) -> Self {
        Self { max: u64::MAX >> (64 - u32::from(bits.clamp(1, 64))), bool: bits == 1 }
    }

    #[cold]
    fn judge_unusual(&self, cell: &[u8], out: &mut Vec<u8>) -> Verdict {
        let text = number::trim(cell);
        let value = match (number::truth(text), with_base(text)) {
            (Some(truth), _) if self.bool => Some(i128::from(truth)),
            (_, Some(value)) => value,
            _ => match Number::parse(text) {
                None => return Verdict::Bad(Why::Shape),
                Some(number) if number.scale() > 0 => return Verdict::Bad(Why::Fraction),
                Some(number) => number.to_integer(),
            },
        };
        match value {
            Some(value) if (0..=i128::from(self.max)).contains(&value) => {
                out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
                Verdict::Rewrite
            }
            _ => Verdict::Bad(Why::Range),
        }
    }
}

impl Judge for BitJudge {
    #[inline]
    fn judge(&self, cell: &[u8], out: &mut Vec<u8>) -> Verdict {
        match number::digits(cell) {
            Some(value) if value <= self.max => Verdict::Keep,
            _ => self.judge_unusual(cell, out),
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
