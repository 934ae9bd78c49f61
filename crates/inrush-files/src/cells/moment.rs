//! Dates and times in the form of ISO 8601: with a blank between date and time of day without a zone, else with `T` and `Z`. A fraction has
//! no zeros at its end, and a whole second has no fraction.

use arrow_schema::TimeUnit;

/// Days since 1970-01-01.
pub(super) fn date(days: i64, out: &mut Vec<u8>) {
    let (year, month, day) = civil(days);
    if !(0..=9999).contains(&year) {
        return out.extend_from_slice(format!("{year:+06}-{month:02}-{day:02}").as_bytes());
    }
    let ([a, b], [c, d]) = (pair(year as u32 / 100), pair(year as u32 % 100));
    let ([e, f], [g, h]) = (pair(month), pair(day));
    out.extend_from_slice(&[a, b, c, d, b'-', e, f, b'-', g, h]);
}

/// A timestamp of so many units since 1970; `zoned` if it is in UTC.
pub(crate) fn moment(value: i64, unit: TimeUnit, zoned: bool, out: &mut Vec<u8>) {
    let (per_second, width) = parts(unit);
    let (seconds, fraction) = (value.div_euclid(per_second), value.rem_euclid(per_second));
    date(seconds.div_euclid(DAY), out);
    out.push(if zoned { b'T' } else { b' ' });
    clock(seconds.rem_euclid(DAY) as u64, out);
    put_fraction(fraction as u32, width, out);
    if zoned {
        out.push(b'Z');
    }
}

/// A time of day or a time span, such as `-838:59:59.999999`.
pub(crate) fn span(value: i64, unit: TimeUnit, out: &mut Vec<u8>) {
    let (per_second, width) = parts(unit);
    if value < 0 {
        out.push(b'-');
    }
    let value = value.unsigned_abs();
    clock(value / per_second as u64, out);
    put_fraction((value % per_second as u64) as u32, width, out);
}

/// Milliseconds since 1970, which should be whole days.
pub(super) fn date_of_millis(millis: i64, out: &mut Vec<u8>) {
    if millis % (DAY * 1000) == 0 {
        date(millis / (DAY * 1000), out)
    } else {
        moment(millis, TimeUnit::Millisecond, false, out)
    }
}

fn clock(seconds: u64, out: &mut Vec<u8>) {
    let (hours, rest) = (seconds / 3600, (seconds % 3600) as u32);
    match hours {
        0..100 => out.extend_from_slice(&pair(hours as u32)),
        _ => out.extend_from_slice(itoa::Buffer::new().format(hours).as_bytes()),
    }
    let ([a, b], [c, d]) = (pair(rest / 60), pair(rest % 60));
    out.extend_from_slice(&[b':', a, b, b':', c, d]);
}

pub(crate) fn put_fraction(fraction: u32, width: usize, out: &mut Vec<u8>) {
    if fraction > 0 {
        out.push(b'.');
        digits(fraction, width, out);
        while out.last() == Some(&b'0') {
            out.pop();
        }
    }
}

/// Units of a second, and the digits of its fraction.
fn parts(unit: TimeUnit) -> (i64, usize) {
    match unit {
        TimeUnit::Second => (1, 0),
        TimeUnit::Millisecond => (1_000, 3),
        TimeUnit::Microsecond => (1_000_000, 6),
        TimeUnit::Nanosecond => (1_000_000_000, 9),
    }
}

/// Two digits.
fn pair(number: u32) -> [u8; 2] {
    [b'0' + (number / 10) as u8, b'0' + (number % 10) as u8]
}

fn digits(mut number: u32, width: usize, out: &mut Vec<u8>) {
    let start = out.len();
    out.resize(start + width, b'0');
    for digit in out[start..].iter_mut().rev() {
        *digit += (number % 10) as u8;
        number /= 10;
    }
}

/// Year, month and day of a day of the Gregorian calendar, by its eras of 400 years that begin in March.
fn civil(days: i64) -> (i64, u32, u32) {
    let days = days + 719_468;
    let (era, day_of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (era * 400 + year_of_era + i64::from(month <= 2), month as u32, day as u32)
}

/// Seconds.
const DAY: i64 = 86_400;
