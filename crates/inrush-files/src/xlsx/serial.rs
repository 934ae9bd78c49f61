//! Numbers of cells as texts: the shortest that read back to the same number, and days and times as SQL writes them.

use super::formats::NumberFormatKind;
use jiff::Span;
use jiff::civil::Date;

/// The text of a number that is shown like this. A number outside of the calendar stays a number, or a day that no column takes.
pub(super) fn text(number: &str, format: NumberFormatKind, is_1904: bool) -> String {
    let digits = number.strip_prefix('-').unwrap_or(number);
    // A whole number keeps all its digits, also those that a program would round.
    if format == NumberFormatKind::Number && !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return number.to_owned();
    }
    match number.trim().parse::<f64>() {
        Ok(value) if value.is_finite() => moment(value, format, is_1904).unwrap_or_else(|| shortest(value)),
        _ => number.to_owned(),
    }
}

fn shortest(value: f64) -> String {
    let size = value.abs();
    let is_plain = value == 0.0 || (1e-15..1e21).contains(&size);
    // Minus zero is not worth a sign.
    let value = if value == 0.0 { 0.0 } else { value };
    if is_plain { format!("{value}") } else { format!("{value:e}") }
}

/// `None`: it is shown as a number, or is beyond the calendar.
fn moment(value: f64, format: NumberFormatKind, is_1904: bool) -> Option<String> {
    if format == NumberFormatKind::Number || value.abs() > MOST_DAYS {
        return None;
    }
    // Programs count in milliseconds; smaller digits are a rounding error.
    let all = (value * DAY as f64).round() as i64;
    if format == NumberFormatKind::Duration {
        let sign = if all < 0 { "-" } else { "" };
        return Some(format!("{sign}{}", time(all.abs())));
    }
    let (days, rest) = (all.div_euclid(DAY), all.rem_euclid(DAY));
    match format {
        _ if all < 0 => None,
        NumberFormatKind::Time if days == 0 => Some(time(rest)),
        NumberFormatKind::Day if rest == 0 => day(days, is_1904),
        _ => Some(format!("{} {}", day(days, is_1904)?, time(rest))),
    }
}

/// The day for a number of days. If 1900 counts as a leap year, day 0 and day 60 are not in the calendar.
fn day(days: i64, is_1904: bool) -> Option<String> {
    let first = match (is_1904, days) {
        (true, _) => Date::constant(1904, 1, 1),
        (false, 0) => return Some("1900-01-00".to_owned()),
        (false, 60) => return Some("1900-02-29".to_owned()),
        (false, ..60) => Date::constant(1899, 12, 31),
        (false, _) => Date::constant(1899, 12, 30),
    };
    first.checked_add(Span::new().try_days(days).ok()?).ok().map(|day| day.to_string())
}

/// `HH:MM:SS`, and milliseconds if there are any.
fn time(milliseconds: i64) -> String {
    let (seconds, rest) = (milliseconds / 1000, milliseconds % 1000);
    let whole = format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    match rest {
        0 => whole,
        rest => format!("{whole}.{}", format!("{rest:03}").trim_end_matches('0')),
    }
}

/// Milliseconds.
const DAY: i64 = 86_400_000;

/// The end of the year 9999.
const MOST_DAYS: f64 = 2_958_466.0;
