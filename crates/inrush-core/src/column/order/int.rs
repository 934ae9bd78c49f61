//! Integers, BIT and YEAR: big-endian numbers as wide as the type, the sign bit flipped.

#[derive(Clone, Copy, Debug)]
pub(super) struct IntOrder {
    bytes: usize,
    unsigned: bool,
}

impl IntOrder {
    pub(super) fn new(bytes: u8, unsigned: bool) -> Self {
        Self { bytes: usize::from(bytes.clamp(1, 8)), unsigned }
    }

    /// BIT(bits). Its cells are numbers too.
    pub(super) fn bits(bits: u8) -> Self {
        Self::new(bits.div_ceil(8), true)
    }

    #[inline]
    pub(super) fn append(self, cell: &[u8], key: &mut Vec<u8>) {
        let (negative, size) = read(cell);
        let bits = self.bytes as u32 * 8;
        let value = if self.unsigned {
            if negative { 0 } else { size.min(u64::MAX >> (64 - bits)) }
        } else {
            let middle = 1 << (bits - 1);
            if negative { middle - size.min(middle) } else { middle + size.min(middle - 1) }
        };
        key.extend_from_slice(&value.to_be_bytes()[8 - self.bytes..]);
    }
}

/// YEAR as one byte, as the server stores it.
#[inline]
pub(super) fn append_year(cell: &[u8], key: &mut Vec<u8>) {
    let year = match (read(cell).1, cell.len()) {
        // A text of one or two digits; `0000` is the year 0.
        (year @ 0..=69, 1..=2) => year + 2000,
        (year @ 70..=99, 1..=2) => year + 1900,
        (year, _) => year,
    };
    key.push(year.saturating_sub(1900).min(255) as u8);
}

/// Sign and size; stops at the first byte that is no digit. Too large numbers become the largest.
#[inline]
pub(super) fn read(cell: &[u8]) -> (bool, u64) {
    let (negative, digits) = sign(cell);
    let mut size = 0_u64;
    let sure = digits.len() <= 19;
    for byte in digits {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            break;
        }
        size = if sure { size * 10 + u64::from(digit) } else { size.saturating_mul(10).saturating_add(digit.into()) };
    }
    (negative, size)
}

#[inline]
pub(super) fn sign(cell: &[u8]) -> (bool, &[u8]) {
    match cell {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] => (false, digits),
        _ => (false, cell),
    }
}

#[cfg(test)]
mod tests {
    use crate::column::order::tests::{ascends, equal};
    use proptest::prelude::*;

    #[test]
    fn signed() {
        ascends("int", &["-2147483648", "-10", "-9", "-1", "0", "1", "2", "10", "2147483647"]);
        ascends("tinyint", &["-128", "-1", "0", "1", "127"]);
        ascends("bigint", &["-9223372036854775808", "-1", "0", "9223372036854775807"]);
        ascends("mediumint", &["-8388608", "0", "8388607"]);
        equal("int", &["7", "007", "+7"]);
        equal("int", &["0", "-0", ""]);
    }

    #[test]
    fn unsigned() {
        ascends("bigint unsigned", &["0", "1", "9223372036854775808", "18446744073709551615"]);
        equal("bigint unsigned", &["18446744073709551615", "00018446744073709551615", "99999999999999999999999"]);
        ascends("tinyint unsigned", &["0", "9", "10", "255"]);
    }

    #[test]
    fn bits() {
        ascends("bit(12)", &["0", "1", "9", "10", "255", "256", "4095"]);
        ascends("bit(64)", &["0", "18446744073709551615"]);
    }

    #[test]
    fn years() {
        ascends("year", &["0000", "1901", "1999", "2000", "2155"]);
        equal("year", &["2013", "13"]);
        equal("year", &["1970", "70"]);
    }

    proptest! {
        #[test]
        fn as_numbers(a in any::<i64>(), b in any::<i64>(), small in any::<bool>()) {
            let (a, b) = if small { (a % 1000, b % 1000) } else { (a, b) };
            crate::column::order::tests::compares("bigint", &a.to_string(), &b.to_string(), a.cmp(&b));
        }

        #[test]
        fn as_unsigned_numbers(a in any::<u64>(), b in any::<u64>()) {
            crate::column::order::tests::compares("bigint unsigned", &a.to_string(), &b.to_string(), a.cmp(&b));
        }
    }
}
