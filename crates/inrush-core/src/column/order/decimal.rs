//! DECIMAL: the digits without the point as one big-endian number with its sign bit flipped; beyond 38 digits packed, two a byte.

use super::int::sign;

#[derive(Clone, Copy, Debug)]
pub(super) struct DecimalOrder {
    int_digits: usize,
    scale: usize,
}

impl DecimalOrder {
    pub(super) fn new(precision: u8, scale: u8) -> Self {
        let scale = usize::from(scale.min(MAX_DIGITS as u8));
        Self { int_digits: usize::from(precision).min(MAX_DIGITS).saturating_sub(scale), scale }
    }

    #[inline]
    pub(super) fn append(self, cell: &[u8], key: &mut Vec<u8>) {
        let (negative, unsigned) = sign(cell);
        let (int, fraction) = split(unsigned);
        match self.int_digits + self.scale {
            0..=18 => {
                let size = if int.len() > self.int_digits {
                    10_u64.pow((self.int_digits + self.scale) as u32) - 1
                } else {
                    self.digits(int, fraction).fold(0, |size, digit| size * 10 + u64::from(digit))
                };
                let middle = 1 << 63;
                key.extend_from_slice(&if negative { middle - size } else { middle + size }.to_be_bytes());
            }
            19..=38 => {
                let size = if int.len() > self.int_digits {
                    10_u128.pow((self.int_digits + self.scale) as u32) - 1
                } else {
                    self.digits(int, fraction).fold(0, |size, digit| size * 10 + u128::from(digit))
                };
                let middle = 1 << 127;
                key.extend_from_slice(&if negative { middle - size } else { middle + size }.to_be_bytes());
            }
            _ => self.append_packed(negative, int, fraction, key),
        }
    }

    fn append_packed(self, negative: bool, int: &[u8], fraction: &[u8], key: &mut Vec<u8>) {
        let mut packed = [0; 1 + MAX_DIGITS.div_ceil(2)];
        let n_bytes = 1 + (self.int_digits + self.scale).div_ceil(2);
        if int.len() > self.int_digits {
            for at in 0..self.int_digits + self.scale {
                packed[1 + at / 2] |= 9 << (4 * (1 - at % 2));
            }
        } else {
            let missing = self.int_digits - int.len();
            for (at, digit) in (missing..).zip(self.digits(int, fraction)) {
                packed[1 + at / 2] |= digit << (4 * (1 - at % 2));
            }
        }
        packed[0] = 0x80;
        if negative && packed[1..n_bytes].iter().any(|byte| *byte > 0) {
            packed[..n_bytes].iter_mut().for_each(|byte| *byte = !*byte);
        }
        key.extend_from_slice(&packed[..n_bytes]);
    }

    /// The digits before the point, then as many as the scale after it.
    #[inline]
    fn digits<'d>(self, int: &'d [u8], fraction: &'d [u8]) -> impl Iterator<Item = u8> + 'd {
        let fraction = &fraction[..fraction.len().min(self.scale)];
        let zeros = std::iter::repeat_n(b'0', self.scale - fraction.len());
        int.iter().chain(fraction).copied().chain(zeros).map(|digit| digit - b'0')
    }
}

/// The digits before the point without zeros in front, and those after it.
#[inline]
fn split(text: &[u8]) -> (&[u8], &[u8]) {
    let zeros = text.iter().take_while(|byte| **byte == b'0').count();
    let (int, rest) = run(&text[zeros..]);
    let fraction = rest.strip_prefix(b".").map_or(&[][..], |rest| run(rest).0);
    (int, fraction)
}

#[inline]
fn run(text: &[u8]) -> (&[u8], &[u8]) {
    text.split_at(text.iter().take_while(|byte| byte.is_ascii_digit()).count())
}

/// The most digits a DECIMAL has.
const MAX_DIGITS: usize = 65;

#[cfg(test)]
mod tests {
    use crate::column::order::tests::{ascends, compares, equal};
    use proptest::prelude::*;

    const TYPES: [&str; 4] = ["decimal(12,3)", "decimal(30,10)", "decimal(65,30)", "decimal(60,3)"];

    #[test]
    fn sorted() {
        for ty in TYPES {
            ascends(
                ty,
                &["-100000", "-12.5", "-12.25", "-1", "-0.5", "0", "0.001", "0.01", "1", "1.5", "2", "10", "99999.999"],
            );
            equal(ty, &["0", "-0", "-0.000", "00", ".0", ""]);
            equal(ty, &["1.5", "01.5", "1.50", "+1.5", "1.500"]);
        }
    }

    #[test]
    fn at_the_limits() {
        let nines = "9".repeat(65);
        ascends("decimal(65,0)", &[&format!("-{nines}"), &format!("-1{}", "0".repeat(64)), "-1", "0", "1", &nines]);
        equal("decimal(65,0)", &[&nines, &format!("1{nines}")]);
        ascends("decimal(38,0)", &[&format!("-{}", "9".repeat(38)), "0", &"9".repeat(38)]);
        equal("decimal(18,2)", &["9999999999999999.99", "123456789012345678901234567890"]);
        ascends("decimal(38,38)", &["-0.5", "0.00000000000000000000000000000000000001", "0.5"]);
        ascends("decimal(1,1)", &["-0.1", "0", "0.9"]);
    }

    proptest! {
        #[test]
        fn as_numbers(a in -99_999_999_i64..99_999_999, b in -99_999_999_i64..99_999_999, few in any::<bool>()) {
            let (a, b) = if few { (a % 3000, b % 3000) } else { (a, b) };
            let text = |n: i64| {
                format!("{}{}.{:03}", if n < 0 { "-" } else { "" }, n.abs() / 1000, n.abs() % 1000)
            };
            for ty in TYPES {
                compares(ty, &text(a), &text(b), a.cmp(&b));
            }
        }
    }
}
