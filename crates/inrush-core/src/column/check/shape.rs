//! The shape of one cell, from which columns of a new table get their types. Stricter than the checks: an ambiguous cell has no
//! shape.

use super::network::takes_uuid;
use crate::column::json::{Limits, Scanner, Span};

/// The shape of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellShape {
    /// A whole number of at most 38 digits, without a `+` and without zeros in front.
    Int(i128),
    /// A number with a point.
    Point {
        /// Digits before the point, a lone zero not counted.
        int_digits: usize,
        /// Digits after it.
        scale: usize,
        /// Digits from the first that is not zero.
        significant: usize,
    },
    /// A number with an exponent.
    Exponent {
        /// Digits, an `E` and digits: no program writes numbers in this form.
        may_be_code: bool,
    },
    /// Looks like a number, but its text would change if it were read as one: zeros or a `+` in front, more digits than any
    /// number has.
    Code,
    /// `YYYY-MM-DD`.
    Date,
    /// `YYYY-MM-DD`, a blank or `T`, `HH:MM`, perhaps `:SS`, perhaps a fraction, perhaps `Z` or an offset.
    DateTime {
        /// Digits of the fraction.
        fsp: usize,
        /// It ends in `Z` or an offset.
        zoned: bool,
    },
    /// `HH:MM`, perhaps `:SS`, perhaps a fraction.
    Time {
        /// Digits of the fraction.
        fsp: usize,
    },
    /// `true` or `false`, in capitals or not.
    Boolean,
    /// 32 hexadecimal digits with hyphens between the groups.
    Uuid {
        /// A UUID column accepts it and returns it unchanged: it has no capitals.
        stays: bool,
    },
    /// A JSON object or array.
    Document,
    /// Anything else.
    Text,
}

impl CellShape {
    /// Returns the shape of a cell.
    pub fn of(cell: &[u8]) -> Self {
        let Ok(text) = str::from_utf8(cell) else { return Self::Text };
        number(text).or_else(|| date_or_time(text)).or_else(|| other(text)).unwrap_or(Self::Text)
    }

    /// Whether a DOUBLE keeps all digits of this cell, which is a number of this shape.
    pub fn survives_double(self, cell: &[u8]) -> bool {
        let text = String::from_utf8_lossy(cell);
        let digits = match self {
            Self::Int(value) => value.unsigned_abs().checked_ilog10().map_or(1, |log| log as usize + 1),
            Self::Point { significant, .. } => significant,
            // Even few digits may be below the smallest number.
            Self::Exponent { .. } => significant_digits(&text).len().max(DOUBLE_DIGITS + 1),
            _ => return false,
        };
        digits <= DOUBLE_DIGITS || (digits <= MOST_PRINTED && is_double(&text))
    }
}

/// Whether SQL reads it as a number, and writes it in this form.
pub fn is_number(cell: &[u8]) -> bool {
    matches!(CellShape::of(cell), CellShape::Int(_) | CellShape::Point { .. } | CellShape::Exponent { .. })
}

/// Whether it is a date, a time or both as SQL writes them.
pub fn is_date_or_time(cell: &[u8]) -> bool {
    matches!(CellShape::of(cell), CellShape::Date | CellShape::DateTime { .. } | CellShape::Time { .. })
}

fn other(text: &str) -> Option<CellShape> {
    if text.eq_ignore_ascii_case("true") || text.eq_ignore_ascii_case("false") {
        return Some(CellShape::Boolean);
    }
    let is_hyphen = |at: usize| matches!(at, 8 | 13 | 18 | 23);
    let is_uuid = |(at, byte): (usize, u8)| if is_hyphen(at) { byte == b'-' } else { byte.is_ascii_hexdigit() };
    if text.len() == 36 && text.bytes().enumerate().all(is_uuid) {
        let stays = !text.bytes().any(|byte| byte.is_ascii_uppercase()) && takes_uuid(text.as_bytes());
        return Some(CellShape::Uuid { stays });
    }
    let is_within = |from, to| text.starts_with(from) && text.ends_with(to);
    let all = Span { start: 0, end: text.len() };
    let is_document = (is_within('{', '}') || is_within('[', ']'))
        && Scanner::new(text.as_bytes(), all, Limits::default()).document().is_ok();
    is_document.then_some(CellShape::Document)
}

fn number(text: &str) -> Option<CellShape> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let (int, fraction) = match mantissa.split_once('.') {
        Some((int, fraction)) => (int, Some(fraction)),
        None => (mantissa, None),
    };
    let is_number = is_digits(int) || (int.is_empty() && fraction.is_some());
    let exponent_digits = exponent.map(|exponent| exponent.strip_prefix(['+', '-']).unwrap_or(exponent));
    if !is_number || [fraction, exponent_digits].into_iter().flatten().any(|digits| !is_digits(digits)) {
        return None;
    }
    // A zero in front of a digit makes it a code: a postal code, an article number. Phone numbers begin with a plus.
    if (int.len() > 1 && int.starts_with('0')) || text.starts_with('+') {
        return Some(CellShape::Code);
    }
    if let Some(exponent) = exponent {
        let is_finite = text.parse::<f64>().is_ok_and(f64::is_finite);
        let may_be_code = text.starts_with(|c: char| c.is_ascii_digit()) && fraction.is_none() && is_digits(exponent);
        return Some(if is_finite { CellShape::Exponent { may_be_code } } else { CellShape::Code });
    }
    let Some(fraction) = fraction else { return Some(text.parse().map_or(CellShape::Code, CellShape::Int)) };
    let all = format!("{int}{fraction}");
    Some(CellShape::Point {
        int_digits: if int == "0" { 0 } else { int.len() },
        scale: fraction.len(),
        significant: all.trim_start_matches('0').len(),
    })
}

fn date_or_time(text: &str) -> Option<CellShape> {
    let Some((_, rest)) = text.split_at_checked(10).filter(|(date, _)| is_date(date)) else {
        return time(text).filter(|(_, rest)| rest.is_empty()).map(|(fsp, _)| CellShape::Time { fsp });
    };
    if rest.is_empty() {
        return Some(CellShape::Date);
    }
    let (fsp, zone) = time(rest.strip_prefix(['T', ' '])?)?;
    let zoned = is_zone(zone);
    (zoned || zone.is_empty()).then_some(CellShape::DateTime { fsp, zoned })
}

fn is_date(text: &str) -> bool {
    let Some((year, month, day)) = numbers(text, '-', [4, 2, 2]) else { return false };
    let days = match month {
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    year >= 1000 && (1..=days).contains(&day)
}

/// Takes `HH:MM:SS` or `HH:MM` off the front, and a fraction: its digits, and what is left.
fn time(text: &str) -> Option<(usize, &str)> {
    let is_time = |text: &str| numbers(text, ':', [2, 2, 2]).is_some_and(|(h, m, s)| h < 24 && m < 60 && s < 60);
    if let Some((_, rest)) = text.split_at_checked(8).filter(|(front, _)| is_time(front)) {
        let Some(fraction) = rest.strip_prefix('.') else { return Some((0, rest)) };
        let fsp = fraction.bytes().take_while(u8::is_ascii_digit).count();
        return (1..=6).contains(&fsp).then(|| (fsp, &fraction[fsp..]));
    }
    let (front, rest) = text.split_at_checked(5)?;
    is_time(&format!("{front}:00")).then_some((0, rest))
}

/// `Z`, `+02`, `+0200` or `+02:00`, up to 14 hours.
fn is_zone(text: &str) -> bool {
    let Some(offset) = text.strip_prefix(['+', '-']) else { return text == "Z" };
    let digits = offset.replacen(':', "", usize::from(offset.len() == 5 && offset.as_bytes()[2] == b':'));
    let padded = if digits.len() == 2 { format!("{digits}00") } else { digits };
    let minutes = |number: u32| number / 100 * 60 + number % 100;
    padded.len() == 4 && is_digits(&padded) && padded.parse().is_ok_and(|n: u32| n % 100 < 60 && minutes(n) <= 14 * 60)
}

/// Three numbers of so many digits.
fn numbers(text: &str, separator: char, digits: [usize; 3]) -> Option<(u32, u32, u32)> {
    let mut parts = text.split(separator);
    let mut next = |digits: usize| {
        let part = parts.next().filter(|part| part.len() == digits && is_digits(part))?;
        part.parse::<u32>().ok()
    };
    let numbers = (next(digits[0])?, next(digits[1])?, next(digits[2])?);
    parts.next().is_none().then_some(numbers)
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a DOUBLE, printed with as many digits as the text has, is the text again.
fn is_double(text: &str) -> bool {
    let wanted = significant_digits(text);
    let Ok(number) = text.trim().parse::<f64>() else { return false };
    significant_digits(&format!("{:.*e}", wanted.len().saturating_sub(1), number.abs())) == wanted
}

/// The digits of a number from the first to the last that is no zero.
fn significant_digits(text: &str) -> String {
    let mantissa = text.split(['e', 'E']).next().unwrap_or_default();
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    digits.trim_start_matches('0').trim_end_matches('0').to_owned()
}

/// Whether a number without an exponent ends in a zero after the point, which a DOUBLE does not give back. `20.0` does not count:
/// programs print a value that happens to be whole in this form.
pub fn ends_in_zero(cell: &[u8]) -> bool {
    let fraction = cell.rsplit(|byte| *byte == b'.').next().unwrap_or_default();
    fraction.len() < cell.len()
        && fraction.len() > 1
        && fraction.ends_with(b"0")
        && fraction.iter().all(u8::is_ascii_digit)
}

/// Any number of so many digits survives a DOUBLE.
const DOUBLE_DIGITS: usize = 15;

/// No DOUBLE needs more digits than this to be distinguished from all others; more digits in a text are meant to be kept.
const MOST_PRINTED: usize = 17;
