//! What a field looks like, as far as the sniffer must know.

/// The shape of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FieldShape {
    Empty,
    /// A whole number that may be a year.
    Year,
    /// A number, in the form of any country.
    Number,
    /// A day, a time, a moment.
    Moment,
    /// Any other text.
    Text,
}

impl FieldShape {
    pub(super) fn of(field: &[u8]) -> Self {
        let field = field.trim_ascii();
        if field.is_empty() {
            return Self::Empty;
        }
        if field.len() == 4 && field.iter().all(u8::is_ascii_digit) && matches!(&field[..2], b"18" | b"19" | b"20") {
            return Self::Year;
        }
        if is_number(field) {
            return Self::Number;
        }
        if is_moment(field) { Self::Moment } else { Self::Text }
    }
}

/// Whether the field is a word for a missing value.
pub(super) fn is_null_text(field: &[u8]) -> bool {
    let words: [&[u8]; 10] = [b"NA", b"N/A", b"#N/A", b"NULL", b"NaN", b"None", b"-", b"?", b".", b"\\N"];
    words.iter().any(|word| field.eq_ignore_ascii_case(word))
}

/// `-1`, `1.5`, `1,5`, `1.234.567,89`, `1e-3`, `12 %`, `$3`.
pub(super) fn is_number(field: &[u8]) -> bool {
    let text = field.strip_suffix(b"%").unwrap_or(field).trim_ascii();
    let text = text.strip_prefix(b"$").unwrap_or(text);
    let text = text.strip_prefix(b"-").or(text.strip_prefix(b"+")).unwrap_or(text);
    let (mantissa, exponent) = match text.iter().position(|byte| matches!(byte, b'e' | b'E')) {
        Some(at) => (&text[..at], Some(&text[at + 1..])),
        None => (text, None),
    };
    let is_exponent = |text: &[u8]| {
        let digits = text.strip_prefix(b"-").or(text.strip_prefix(b"+")).unwrap_or(text);
        !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
    };
    mantissa.iter().any(u8::is_ascii_digit)
        && mantissa.iter().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b','))
        && exponent.is_none_or(is_exponent)
}

/// Digits with the marks of days and times between them: `2024-01-31`, `31.1.2024 10:00`, `10:00:00.5`, `2024-01-31T10:00:00Z`.
fn is_moment(field: &[u8]) -> bool {
    let marks = field.iter().filter(|byte| matches!(byte, b'-' | b'/' | b':' | b'.')).count();
    let is_part =
        |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'-' | b'/' | b':' | b'.' | b' ' | b'T' | b'Z' | b'+');
    marks >= 1
        && field[0].is_ascii_digit()
        && field.iter().all(is_part)
        && field.iter().filter(|byte| byte.is_ascii_digit()).count() >= 3
}
