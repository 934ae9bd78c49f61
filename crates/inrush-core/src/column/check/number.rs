//! Parses a number as people write it: `-12.50e3`. INT, DECIMAL, FLOAT and BIT share this parser.

/// The parts of a number; it has at least one digit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Number<'a> {
    pub(super) negative: bool,
    int: &'a [u8],
    fraction: &'a [u8],
    exponent: i64,
    /// Zeros before the first digit that counts, and the number of digits that count.
    leading_zeros: usize,
    significant: usize,
}

impl<'a> Number<'a> {
    /// Parses `text`: sign, digits with or without a point, exponent; nothing else, no blanks.
    pub(super) fn parse(text: &'a [u8]) -> Option<Self> {
        let (negative, unsigned) = split_sign(text);
        let (mantissa, exponent) = match unsigned.iter().position(|b| matches!(b, b'e' | b'E')) {
            Some(at) => (&unsigned[..at], exponent(&unsigned[at + 1..])?),
            None => (unsigned, 0),
        };
        let (int, fraction) = match mantissa.iter().position(|b| *b == b'.') {
            Some(at) => (&mantissa[..at], &mantissa[at + 1..]),
            None => (mantissa, &mantissa[..0]),
        };
        if int.len() + fraction.len() == 0 || !all_digits(int) || !all_digits(fraction) {
            return None;
        }
        let mut number = Self { negative, int, fraction, exponent, leading_zeros: 0, significant: 0 };
        number.find_significant();
        Some(number)
    }

    fn find_significant(&mut self) {
        let all = self.int.len() + self.fraction.len();
        let digits = || self.int.iter().chain(self.fraction);
        self.leading_zeros = digits().take_while(|d| **d == b'0').count();
        let trailing_zeros = digits().rev().take_while(|d| **d == b'0').count();
        self.significant = all.saturating_sub(self.leading_zeros + trailing_zeros);
    }

    pub(super) fn is_zero(&self) -> bool {
        self.significant == 0
    }

    /// Digits before the point, zeros in front not counted; as written out without an exponent.
    pub(super) fn int_digits(&self) -> u64 {
        self.point().max(0) as u64
    }

    /// Digits after the point, zeros at the end not counted.
    pub(super) fn scale(&self) -> u64 {
        (self.significant as i64).saturating_sub(self.point()).max(0) as u64
    }

    /// Where the point is, counted from the first digit that counts.
    fn point(&self) -> i64 {
        if self.is_zero() {
            return 0;
        }
        (self.int.len() as i64 - self.leading_zeros as i64).saturating_add(self.exponent)
    }

    /// Writes the number without an exponent and without needless zeros. The caller has checked `int_digits` and `scale` first:
    /// they determine the length of the result.
    pub(super) fn write_plain(&self, out: &mut Vec<u8>) {
        if self.is_zero() {
            return out.push(b'0');
        }
        if self.negative {
            out.push(b'-');
        }
        let point = self.point();
        let mut digits = self.int.iter().chain(self.fraction).skip(self.leading_zeros).take(self.significant).copied();
        if point <= 0 {
            out.push(b'0');
        }
        for _ in 0..point.max(0) {
            out.push(digits.next().unwrap_or(b'0'));
        }
        if self.scale() > 0 {
            out.push(b'.');
            out.extend(std::iter::repeat_n(b'0', point.min(0).unsigned_abs() as usize));
            out.extend(digits);
        }
    }

    /// Writes the number in the form that JSON and all servers' functions take. `text` is its text. It is copied if it has that
    /// form; otherwise the number is written plain, or with an exponent if plain would be long.
    pub(super) fn write_json(&self, text: &[u8], out: &mut Vec<u8>) {
        let leading_zero = self.int.len() > 1 && self.int[0] == b'0';
        let no_point = self.fraction.is_empty() && text.contains(&b'.');
        if !self.int.is_empty() && !leading_zero && !no_point && text[0] != b'+' {
            out.extend_from_slice(text);
        } else if self.int_digits() + self.scale() <= 40 {
            self.write_plain(out);
        } else {
            self.write_scientific(out);
        }
    }

    fn write_scientific(&self, out: &mut Vec<u8>) {
        if self.negative {
            out.push(b'-');
        }
        let mut digits = self.int.iter().chain(self.fraction).skip(self.leading_zeros).take(self.significant).copied();
        out.extend(digits.next());
        if self.significant > 1 {
            out.push(b'.');
            out.extend(digits);
        }
        out.push(b'e');
        out.extend_from_slice(itoa::Buffer::new().format(self.point().saturating_sub(1)).as_bytes());
    }

    /// The number as an integer, if it is one of at most 30 digits.
    pub(super) fn to_integer(self) -> Option<i128> {
        if self.scale() > 0 || self.int_digits() > 30 {
            return None;
        }
        let mut digits = self.int.iter().chain(self.fraction).skip(self.leading_zeros).take(self.significant);
        let mut value = 0;
        for _ in 0..self.int_digits() {
            value = value * 10 + digits.next().map_or(0, |d| i128::from(d - b'0'));
        }
        Some(if self.negative { -value } else { value })
    }
}

/// `-` or `+` in front; the rest.
pub(super) fn split_sign(text: &[u8]) -> (bool, &[u8]) {
    match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    }
}

/// Without blanks and tabs around it.
pub(super) fn trim(text: &[u8]) -> &[u8] {
    let blank = |b: &u8| matches!(b, b' ' | b'\t');
    let start = text.iter().take_while(|b| blank(b)).count();
    let end = text.len() - text[start..].iter().rev().take_while(|b| blank(b)).count();
    &text[start..end]
}

/// The words that mean 1 and 0 where a truth value goes.
pub(super) fn truth(text: &[u8]) -> Option<bool> {
    let is = |words: &[&str]| words.iter().any(|w| text.eq_ignore_ascii_case(w.as_bytes()));
    if is(&["true", "t", "yes"]) {
        Some(true)
    } else if is(&["false", "f", "no"]) {
        Some(false)
    } else {
        None
    }
}

/// Up to 19 digits as a number.
#[inline]
pub(super) fn digits(text: &[u8]) -> Option<u64> {
    if text.is_empty() || text.len() > 19 {
        return None;
    }
    let mut value = 0u64;
    for byte in text {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        value = value * 10 + u64::from(digit);
    }
    Some(value)
}

/// Number of digits in front.
#[inline]
pub(super) fn digit_run(text: &[u8]) -> usize {
    let mut n = 0;
    while n < text.len() && text[n].is_ascii_digit() {
        n += 1;
    }
    n
}

pub(super) fn all_digits(text: &[u8]) -> bool {
    text.iter().all(u8::is_ascii_digit)
}

fn exponent(text: &[u8]) -> Option<i64> {
    let (negative, digits) = split_sign(text);
    if digits.is_empty() || !all_digits(digits) {
        return None;
    }
    // Stops growing where every further digit only says "out of range" once more.
    let value = digits.iter().fold(0i64, |v, d| (v * 10 + i64::from(d - b'0')).min(1 << 40));
    Some(if negative { -value } else { value })
}

/// The smallest and the largest value of an integer type.
pub(super) fn range(bytes: u8, unsigned: bool) -> (i64, u64) {
    let bits = u32::from(bytes) * 8;
    if unsigned { (0, u64::MAX >> (64 - bits)) } else { (i64::MIN >> (64 - bits), i64::MAX as u64 >> (64 - bits)) }
}
