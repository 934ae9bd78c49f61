//! Numbers with a decimal comma, groups of digits, a currency or a percent sign.

use super::{Percent, ValueFormats};

/// Writes a number as SQL does: digits, a point, digits. False: it is not one in these formats.
pub(super) fn rewrite(formats: &ValueFormats, text: &str, out: &mut Vec<u8>) -> bool {
    let start = out.len();
    let is_number = parse(formats, text).is_some_and(|number| number.write(out));
    if !is_number {
        out.truncate(start);
    }
    is_number
}

/// The number that bytes are, the first one the greatest; `None` for one of more than 64 bits.
pub(super) fn of_bytes(bytes: &[u8]) -> Option<u64> {
    let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
    let bytes = &bytes[zeros..];
    (bytes.len() <= 8).then(|| bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)))
}

/// The parts of a parsed number.
struct Number<'t> {
    is_negative: bool,
    /// With its groups.
    int: &'t str,
    separator: Option<char>,
    fraction: &'t str,
    exponent: &'t str,
    is_share: bool,
}

fn parse<'t>(formats: &ValueFormats, text: &'t str) -> Option<Number<'t>> {
    // The sign of a currency may stand on either side of that of the number.
    let rest = without_currency_before(formats, blank(text));
    let (is_negative, rest) = match rest.strip_prefix(['-', '\u{2212}']) {
        Some(rest) => (true, rest),
        None => (false, rest.strip_prefix('+').unwrap_or(rest)),
    };
    let rest = without_currency_before(formats, blank(rest));
    let rest = without_currency_behind(formats, rest);
    let (is_percent, rest) = match rest.strip_suffix('%') {
        Some(rest) if formats.percent.is_some() => (true, blank(rest)),
        _ => (false, rest),
    };
    let (mantissa, exponent) = match rest.find(['e', 'E']) {
        Some(at) => rest.split_at(at),
        None => (rest, ""),
    };
    let (int, fraction) = match mantissa.split_once(formats.decimal.unwrap_or('.')) {
        Some((int, fraction)) if is_digits(fraction) => (int, fraction),
        Some(_) => return None,
        None => (mantissa, ""),
    };
    let is_exponent = |text: &str| is_digits(text[1..].strip_prefix(['-', '+']).unwrap_or(&text[1..]));
    if !exponent.is_empty() && (is_percent || !is_exponent(exponent)) {
        return None;
    }
    if int.is_empty() && fraction.is_empty() {
        return None;
    }
    let separator = formats.thousands.filter(|_| !is_digits(int) && !int.is_empty());
    if separator.is_none() && !int.is_empty() && !is_digits(int) {
        return None;
    }
    let is_share = is_percent && formats.percent == Some(Percent::Share);
    Some(Number { is_negative, int, separator, fraction, exponent, is_share })
}

impl Number<'_> {
    /// False: the digits are not in groups of three.
    fn write(&self, out: &mut Vec<u8>) -> bool {
        if self.is_negative {
            out.push(b'-');
        }
        let start = out.len();
        match self.separator {
            None => out.extend_from_slice(self.int.as_bytes()),
            Some(separator) => {
                let mut groups = self.int.split(|c| is_separator(c, separator));
                let first = groups.next().unwrap_or_default();
                // A zero in front is that of a code, which would lose it.
                if !is_digits(first) || first.len() > 3 || first.starts_with('0') {
                    return false;
                }
                out.extend_from_slice(first.as_bytes());
                for group in groups {
                    if group.len() != 3 || !is_digits(group) {
                        return false;
                    }
                    out.extend_from_slice(group.as_bytes());
                }
            }
        }
        if self.is_share {
            self.write_share(start, out);
            return true;
        }
        if out.len() == start {
            out.push(b'0');
        }
        if !self.fraction.is_empty() {
            out.push(b'.');
            out.extend_from_slice(self.fraction.as_bytes());
        }
        out.extend_from_slice(self.exponent.as_bytes());
        true
    }

    /// The digits that begin at `start` are those before the point of a number of hundredths.
    fn write_share(&self, start: usize, out: &mut Vec<u8>) {
        let n_int = out.len() - start;
        if n_int < 3 {
            out.splice(start..start, std::iter::repeat_n(b'0', 3 - n_int));
        }
        let point = out.len() - 2;
        out.insert(point, b'.');
        out.extend_from_slice(self.fraction.as_bytes());
    }
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_separator(c: char, separator: char) -> bool {
    c == separator || separator == ' ' && is_blank(c) || separator == '\'' && c == '\u{2019}'
}

/// Blanks, also those that do not break a line.
fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\u{a0}' | '\u{202f}' | '\u{2009}')
}

fn blank(text: &str) -> &str {
    text.trim_matches(is_blank)
}

fn without_currency_before<'t>(formats: &ValueFormats, text: &'t str) -> &'t str {
    formats.currencies.iter().find_map(|sign| text.strip_prefix(&sign[..])).map_or(text, blank)
}

fn without_currency_behind<'t>(formats: &ValueFormats, text: &'t str) -> &'t str {
    formats.currencies.iter().find_map(|sign| text.strip_suffix(&sign[..])).map_or(text, blank)
}
