//! A value as an SQL literal that means the same in every sql_mode.
//!
//! | value | literal | because |
//! |---|---|---|
//! | text | `'it''s'` | every quote doubled; every backslash too, unless the session is in NO_BACKSLASH_ESCAPES. It is read in utf8mb4, where no byte of a longer character looks like a quote |
//! | bytes | `_binary'..'` | half the length of `X'..'`, and read faster (docs/notes/encode.md) |
//! | a number with a fraction | `1.5e0` | without an exponent it would be a DECIMAL; the shortest digits that come back as the same number |
//! | a FLOAT | as the DOUBLE it is | as the server takes a FLOAT that is bound |
//! | a day, a moment, a time | `'2024-02-29'` | in quotes: a column makes of it what it is |

use super::block::Block;
use crate::error::{Error, Result};
use crate::value::{Date, Value};
use crate::wire::stmt;

/// What bytes are appended to.
pub trait Put: std::io::Write {
    /// Appends a byte.
    fn push(&mut self, byte: u8);

    /// Appends bytes, most often few.
    fn put(&mut self, bytes: &[u8]);
}

impl Put for Vec<u8> {
    fn push(&mut self, byte: u8) {
        self.push(byte);
    }

    fn put(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }
}

impl Put for Block<'_> {
    #[inline]
    fn push(&mut self, byte: u8) {
        self.push(byte);
    }

    #[inline]
    fn put(&mut self, bytes: &[u8]) {
        self.put(bytes);
    }
}

/// Appends the literal of `value`. `backslash_escapes` is false where the session is in NO_BACKSLASH_ESCAPES.
///
/// # Errors
/// `Data` for a number that SQL has no literal for: NaN and the infinities. Nothing has been appended then.
#[inline]
pub fn put_literal(value: &Value<'_>, backslash_escapes: bool, out: &mut impl Put) -> Result<()> {
    match *value {
        Value::Null => out.put(b"NULL"),
        Value::Default => out.put(b"DEFAULT"),
        Value::Text(text) => put_quoted(text.as_bytes(), backslash_escapes, out),
        Value::Bytes(bytes) => {
            out.put(b"_binary");
            put_quoted(bytes, backslash_escapes, out);
        }
        Value::Int(n) => out.put(itoa::Buffer::new().format(n).as_bytes()),
        Value::UInt(n) => out.put(itoa::Buffer::new().format(n).as_bytes()),
        Value::Float(n) => return put_double(n.into(), out),
        Value::Double(n) => return put_double(n, out),
        Value::Date(_) | Value::DateTime(_) | Value::Time(_) => {
            out.push(b'\'');
            put_moment(value, out);
            out.push(b'\'');
        }
        Value::Instant(_) | Value::Written(_) | Value::Json(_) => return stmt::check(&[*value]),
    }
    Ok(())
}

fn put_double(n: f64, out: &mut impl Put) -> Result<()> {
    if !n.is_finite() {
        return Err(not_finite(n));
    }
    let mut buffer = zmij::Buffer::new();
    let digits = buffer.format_finite(n).as_bytes();
    out.put(digits);
    // After it come a sign and three digits at most.
    if !digits[digits.len().saturating_sub(5)..].contains(&b'e') {
        out.put(b"e0");
    }
    Ok(())
}

#[cold]
pub(super) fn not_finite(n: f64) -> Error {
    Error::data(format!("`{n}` is not a number that a column holds"))
}

/// Appends `'text'`.
#[inline]
fn put_quoted(text: &[u8], backslash_escapes: bool, out: &mut impl Put) {
    let backslash = if backslash_escapes { b'\\' } else { b'\'' };
    out.push(b'\'');
    if has_none(text, [b'\'', backslash]) {
        out.put(text)
    } else {
        put_doubled(text, backslash, out)
    }
    out.push(b'\'');
}

/// Quotes, and these backslashes, twice.
#[cold]
fn put_doubled(text: &[u8], backslash: u8, out: &mut impl Put) {
    let mut start = 0;
    for at in memchr::memchr2_iter(b'\'', backslash, text) {
        out.put(&text[start..=at]);
        start = at;
    }
    out.put(&text[start..]);
}

/// Whether none of these bytes is in the text. Eight bytes at once: a search that begins with a call takes longer than most cells are
/// long.
#[inline]
pub(super) fn has_none<const N: usize>(text: &[u8], bytes: [u8; N]) -> bool {
    let Some(last) = text.last_chunk::<8>() else {
        return !text.iter().any(|byte| bytes.contains(byte));
    };
    let hits = |word: &[u8; 8]| {
        let word = u64::from_le_bytes(*word);
        bytes.iter().fold(0, |hits, byte| hits | zero_bytes(word ^ (ONES * u64::from(*byte))))
    };
    text.as_chunks::<8>().0.iter().fold(hits(last), |found, word| found | hits(word)) == 0
}

/// Not 0 if a byte is 0.
#[inline]
fn zero_bytes(word: u64) -> u64 {
    word.wrapping_sub(ONES) & !word & (ONES << 7)
}

/// Appends `2024-02-29`, `2024-02-29 23:59:59`, `-838:59:59`, the latter two with six digits of a fraction if there is one.
#[inline]
pub(super) fn put_moment(value: &Value<'_>, out: &mut impl Put) {
    match *value {
        Value::Date(date) if date.is_in_range() => {
            let mut text = *b"0000-00-00";
            set_date(&mut text, date);
            out.put(&text);
        }
        Value::DateTime(moment) if moment.is_in_range() => {
            let mut text = *b"0000-00-00 00:00:00";
            set_date(&mut text, moment.date);
            set_pair(&mut text[11..], moment.hour);
            set_pair(&mut text[14..], moment.minute);
            set_pair(&mut text[17..], moment.second);
            out.put(&text);
            put_fraction(moment.micros, out);
        }
        // Writing into memory does not fail.
        _ => drop(write!(out, "{value}")),
    }
}

#[inline]
fn put_fraction(micros: u32, out: &mut impl Put) {
    if micros > 0 {
        let mut text = *b".000000";
        set_pair(&mut text[1..], (micros / 10_000 % 100) as u8);
        set_pair(&mut text[3..], (micros / 100 % 100) as u8);
        set_pair(&mut text[5..], (micros % 100) as u8);
        out.put(&text);
    }
}

#[inline]
fn set_date(text: &mut [u8], date: Date) {
    set_pair(text, (date.year / 100) as u8);
    set_pair(&mut text[2..], (date.year % 100) as u8);
    set_pair(&mut text[5..], date.month);
    set_pair(&mut text[8..], date.day);
}

/// Two digits of a number below 100.
#[inline]
fn set_pair(text: &mut [u8], n: u8) {
    text[0] = b'0' + n / 10 % 10;
    text[1] = b'0' + n % 10;
}

const ONES: u64 = 0x0101_0101_0101_0101;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{DateTime, Time};
    use proptest::prelude::*;

    fn literal(value: Value<'_>, backslash_escapes: bool) -> Result<String> {
        let mut out = b"<".to_vec();
        put_literal(&value, backslash_escapes, &mut out)?;
        Ok(String::from_utf8_lossy(&out[1..]).into_owned())
    }

    #[track_caller]
    fn check(value: Value<'_>, want: &str) {
        assert_eq!(literal(value, true).unwrap(), want);
    }

    #[track_caller]
    fn check_text(text: &str, with_escapes: &str, without: &str) {
        for (flag, want) in [(true, with_escapes), (false, without)] {
            assert_eq!(literal(Value::Text(text), flag).unwrap(), want);
            assert_eq!(literal(Value::Bytes(text.as_bytes()), flag).unwrap(), format!("_binary{want}"));
        }
    }

    fn date(year: u16, month: u8, day: u8) -> Date {
        Date { year, month, day }
    }

    #[test]
    fn words() {
        check(Value::Null, "NULL");
        check(Value::Default, "DEFAULT");
    }
    #[test]
    fn whole_numbers() {
        check(Value::Int(0), "0");
        check(Value::Int(i64::MIN), "-9223372036854775808");
        check(Value::UInt(u64::MAX), "18446744073709551615");
    }
    #[test]
    fn numbers_with_a_fraction() {
        check(Value::Double(812.37), "812.37e0");
        check(Value::Double(-0.0), "-0.0e0");
        check(Value::Double(1e300), "1e+300");
        check(Value::Double(5e-324), "5e-324");
        check(Value::Double(0.1), "0.1e0");
        check(Value::Float(0.1), "0.10000000149011612e0");
    }
    #[test]
    fn what_is_no_number_is_refused() {
        for n in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let error = literal(Value::Double(n), true).unwrap_err();
            assert_eq!(error.message(), format!("`{n}` is not a number that a column holds"));
        }
        assert!(literal(Value::Float(f32::NAN), true).is_err());
    }
    #[test]
    fn texts() {
        check_text("", "''", "''");
        check_text("it's", "'it''s'", "'it''s'");
        check_text(r"a\b", r"'a\\b'", r"'a\b'");
        check_text(r"\'", r"'\\'''", r"'\'''");
        check_text("a\0\n\"é€🦀", "'a\0\n\"é€🦀'", "'a\0\n\"é€🦀'");
        check_text("longer than eight: it's", "'longer than eight: it''s'", "'longer than eight: it''s'");
    }
    #[test]
    fn days_and_moments() {
        check(Value::Date(date(2024, 2, 29)), "'2024-02-29'");
        check(Value::Date(date(0, 0, 0)), "'0000-00-00'");
        let moment = DateTime { date: date(9999, 12, 31), hour: 23, minute: 59, second: 58, micros: 0 };
        check(Value::DateTime(moment), "'9999-12-31 23:59:58'");
        check(Value::DateTime(DateTime { micros: 7, ..moment }), "'9999-12-31 23:59:58.000007'");
        check(Value::DateTime(DateTime { micros: 999_999, ..moment }), "'9999-12-31 23:59:58.999999'");
    }
    #[test]
    fn times() {
        let time = Time { negative: true, days: 34, hours: 22, minutes: 59, seconds: 59, micros: 0 };
        check(Value::Time(time), "'-838:59:59'");
        check(Value::Time(Time { micros: 1, ..Time::default() }), "'00:00:00.000001'");
    }
    #[test]
    fn what_no_calendar_has_is_for_the_server_to_refuse() {
        check(Value::Date(date(12345, 200, 99)), "'12345-200-99'");
        check(Value::DateTime(DateTime { hour: 200, ..DateTime::default() }), "'0000-00-00 200:00:00'");
    }

    proptest! {
        #[test]
        fn texts_come_back(text in r"[a'\\]{0,20}|.{0,200}", backslash_escapes: bool) {
            let literal = literal(Value::Text(&text), backslash_escapes).unwrap();
            let inside = literal[1..literal.len() - 1].replace("''", "'");
            let inside = if backslash_escapes { inside.replace(r"\\", r"\") } else { inside };
            prop_assert_eq!(inside, text);
        }

        #[test]
        fn numbers_come_back(n: f64) {
            if n.is_finite() {
                let literal = literal(Value::Double(n), true).unwrap();
                prop_assert_eq!(literal.parse::<f64>().unwrap().to_bits(), n.to_bits());
                prop_assert!(literal.contains('e'));
            }
        }
    }
}
