//! The shape of one cell. Stricter than the checks of the core: an ambiguous cell has no shape.

/// The shape of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
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
    Exponent,
    /// `YYYY-MM-DD`.
    Date,
    /// `YYYY-MM-DD`, a blank or `T`, `HH:MM`, perhaps `:SS`, perhaps a fraction, perhaps `Z` or an offset.
    DateTime {
        /// Digits of the fraction.
        fsp: usize,
        /// It ends in `Z` or an offset.
        zoned: bool,
    },
    /// `HH:MM:SS`, perhaps with a fraction.
    Time {
        /// Digits of the fraction.
        fsp: usize,
    },
    /// Anything else.
    Text,
}

impl Shape {
    pub(super) fn of(cell: &[u8]) -> Self {
        let Ok(text) = str::from_utf8(cell) else { return Self::Text };
        number(text).or_else(|| date_or_time(text)).unwrap_or(Self::Text)
    }
}

fn number(text: &str) -> Option<Shape> {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let (int, fraction) = match mantissa.split_once('.') {
        Some((int, fraction)) => (int, Some(fraction)),
        None => (mantissa, None),
    };
    // A zero in front of a digit makes it a code: a postal code, an article number.
    let is_code = int.len() > 1 && int.starts_with('0');
    let is_number = is_digits(int) || (int.is_empty() && fraction.is_some());
    if is_code || !is_number || fraction.is_some_and(|fraction| !is_digits(fraction)) {
        return None;
    }
    if let Some(exponent) = exponent {
        let digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        let value: f64 = if is_digits(digits) { text.parse().ok()? } else { return None };
        return value.is_finite().then_some(Shape::Exponent);
    }
    let Some(fraction) = fraction else { return text.parse().ok().map(Shape::Int) };
    let all = format!("{int}{fraction}");
    Some(Shape::Point {
        int_digits: if int == "0" { 0 } else { int.len() },
        scale: fraction.len(),
        significant: all.trim_start_matches('0').len(),
    })
}

fn date_or_time(text: &str) -> Option<Shape> {
    let Some((_, rest)) = text.split_at_checked(10).filter(|(date, _)| is_date(date)) else {
        return time(text, 8).filter(|(_, rest)| rest.is_empty()).map(|(fsp, _)| Shape::Time { fsp });
    };
    if rest.is_empty() {
        return Some(Shape::Date);
    }
    let (fsp, zone) = time(rest.strip_prefix(['T', ' '])?, 5)?;
    let zoned = is_zone(zone);
    (zoned || zone.is_empty()).then_some(Shape::DateTime { fsp, zoned })
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

/// Takes `HH:MM:SS` off the front (or `HH:MM`, if 5 bytes are enough), and a fraction: its digits, and what is left.
fn time(text: &str, least: usize) -> Option<(usize, &str)> {
    let is_time = |text: &str| numbers(text, ':', [2, 2, 2]).is_some_and(|(h, m, s)| h < 24 && m < 60 && s < 60);
    if let Some((_, rest)) = text.split_at_checked(8).filter(|(front, _)| is_time(front)) {
        let Some(fraction) = rest.strip_prefix('.') else { return Some((0, rest)) };
        let fsp = fraction.bytes().take_while(u8::is_ascii_digit).count();
        return (1..=6).contains(&fsp).then(|| (fsp, &fraction[fsp..]));
    }
    let (front, rest) = text.split_at_checked(least).filter(|_| least == 5)?;
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
