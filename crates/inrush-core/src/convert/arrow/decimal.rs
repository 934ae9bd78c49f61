//! DECIMAL as the server writes it, `-12.50`, as a whole number of units of its last digit.

use arrow_buffer::i256;

use super::Why;

/// As units of 10^-scale, with at most `precision` digits (38 at most).
pub(super) fn parse_128(text: &[u8], precision: u8, scale: u8) -> Result<i128, Why> {
    let digits = Digits::read(text, precision, scale)?;
    let units = digits.iter().fold(0, |units: i128, digit| units * 10 + i128::from(digit));
    Ok(if digits.negative { -units } else { units })
}

/// The same with up to 76 digits.
pub(super) fn parse_256(text: &[u8], precision: u8, scale: u8) -> Result<i256, Why> {
    let digits = Digits::read(text, precision, scale)?;
    let mut units = i256::ZERO;
    let (mut part, mut unit) = (0, 1);
    let mut left = digits.iter();
    // In parts that fit into u64: one multiplication of 256 bits for each digit would be slow.
    loop {
        let digit = left.next();
        if let Some(digit) = digit {
            (part, unit) = (part * 10 + u64::from(digit), unit * 10);
        }
        if digit.is_none() || unit == PART {
            units = units.wrapping_mul(i256::from_i128(unit.into())).wrapping_add(i256::from_i128(part.into()));
            (part, unit) = (0, 1);
        }
        if digit.is_none() {
            return Ok(if digits.negative { units.wrapping_neg() } else { units });
        }
    }
}

/// A parsed number's digits: `before` has no leading zeros, and at most as many digits as the scale follow the point.
struct Digits<'a> {
    negative: bool,
    before: &'a [u8],
    behind: &'a [u8],
    /// Zeros that follow.
    padding: usize,
}

impl<'a> Digits<'a> {
    fn read(text: &'a [u8], precision: u8, scale: u8) -> Result<Self, Why> {
        let (negative, number) = match text {
            [b'-', rest @ ..] => (true, rest),
            _ => (false, text),
        };
        let point = memchr::memchr(b'.', number).unwrap_or(number.len());
        let (before, behind) = number.split_at(point);
        let behind = behind.get(1..).unwrap_or_default();
        if before.len() + behind.len() == 0 || !before.iter().chain(behind).all(u8::is_ascii_digit) {
            return Err(Why::Shape);
        }
        let n_zeros = before.iter().take_while(|digit| **digit == b'0').count();
        let before = &before[n_zeros..];
        let (behind, lost) = behind.split_at(behind.len().min(scale.into()));
        if before.len() + usize::from(scale) > usize::from(precision) || lost.iter().any(|digit| *digit != b'0') {
            return Err(Why::Digits);
        }
        Ok(Self { negative, before, behind, padding: usize::from(scale) - behind.len() })
    }

    fn iter(&self) -> impl Iterator<Item = u8> {
        let written = self.before.iter().chain(self.behind).map(|digit| digit - b'0');
        written.chain(std::iter::repeat_n(0, self.padding))
    }
}

/// Eighteen digits.
const PART: u64 = 1_000_000_000_000_000_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, (precision, scale): (u8, u8), want: Result<&str, Why>) {
        let got = parse_256(text.as_bytes(), precision, scale).map(|units| units.to_string());
        assert_eq!(got.as_deref().map_err(|why| *why), want, "{text}");
        if precision <= 38 {
            let got = parse_128(text.as_bytes(), precision, scale).map(|units| units.to_string());
            assert_eq!(got.as_deref().map_err(|why| *why), want, "{text} in 128 bits");
        }
    }

    #[test]
    fn units_of_the_last_digit() {
        check("0", (1, 0), Ok("0"));
        check("-0.5", (1, 1), Ok("-5"));
        check("1.5", (10, 4), Ok("15000"));
        check("000.50", (5, 2), Ok("50"));
        check(".5", (5, 2), Ok("50"));
        check("5.", (5, 2), Ok("500"));
        check("1.500", (3, 1), Ok("15"));
        check(&"9".repeat(38), (38, 0), Ok(&"9".repeat(38)));
        check(&format!("-{}.{}", "9".repeat(8), "9".repeat(30)), (38, 30), Ok(&format!("-{}", "9".repeat(38))));
    }

    #[test]
    fn of_many_digits() {
        let (before, behind) = ("12345678901234567890123456789012345", "000000000000000000000000000001");
        check(&format!("-{before}.{behind}"), (65, 30), Ok(&format!("-{before}{behind}")));
        check(&"9".repeat(76), (76, 0), Ok(&"9".repeat(76)));
        check("1.5", (76, 38), Ok(&format!("15{}", "0".repeat(37))));
    }

    #[test]
    fn what_has_no_room() {
        check("10", (1, 0), Err(Why::Digits));
        check("1.25", (5, 1), Err(Why::Digits));
        check(&"9".repeat(77), (76, 0), Err(Why::Digits));
    }

    #[test]
    fn what_is_no_number() {
        for text in ["", "-", ".", "1e5", "1,5", "+1", "1.5.5", "--1", " 1"] {
            check(text, (20, 5), Err(Why::Shape));
        }
    }
}
