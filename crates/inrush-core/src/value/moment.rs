//! Dates and times: reading them from text, and whether the calendar has them. The servers store days that no calendar has
//! (`0000-00-00`, `2024-02-31`), so a text can be readable without being valid.

use super::{Date, DateTime, Time};

impl Date {
    /// Reads `2024-02-29`, as the server writes it.
    pub fn parse(text: &[u8]) -> Option<Self> {
        let [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = *text else { return None };
        let year = u16::from(pair(y1, y2)?) * 100 + u16::from(pair(y3, y4)?);
        Some(Self { year, month: pair(m1, m2)?, day: pair(d1, d2)? })
    }

    /// Whether its parts are in their ranges, zeros and short months aside.
    pub(crate) fn is_in_range(&self) -> bool {
        self.year <= 9999 && self.month <= 12 && self.day <= 31
    }

    /// Whether the calendar has this day.
    pub fn is_valid(&self) -> bool {
        self.year <= 9999 && self.day >= 1 && self.day <= days_of_month(self.year, self.month)
    }

    /// Days since 1970-01-01, if the calendar has this day.
    pub fn days_since_epoch(&self) -> Option<i32> {
        if !self.is_valid() {
            return None;
        }
        // A year that begins in March has its leap day at its end, so that months have fixed places in it.
        let (year, month) = match self.month {
            month @ 3.. => (i32::from(self.year), i32::from(month) - 3),
            month => (i32::from(self.year) - 1, i32::from(month) + 9),
        };
        let day_of_year = (153 * month + 2) / 5 + i32::from(self.day) - 1;
        let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
        Some(year * 365 + leap_days + day_of_year - MARCH_OF_YEAR_ZERO)
    }

    /// The day so many days after 1970-01-01, if its year has four digits.
    ///
    /// Division by constants only, and multiplications for the rest (Neri and Schneider, "Euclidean affine functions and their
    /// application to calendar algorithms", 2022): a few nanoseconds for each cell of a column.
    #[inline]
    pub fn from_days_since_epoch(days: i32) -> Option<Self> {
        if !(FIRST_DAY..=LAST_DAY).contains(&days) {
            return None;
        }
        // From March of a year 400 years earlier: no number is negative.
        let day = (days + MARCH_OF_YEAR_ZERO + DAYS_OF_400_YEARS as i32) as u32;
        let quarters = 4 * day + 3;
        let (century, day) = (quarters / DAYS_OF_400_YEARS, quarters % DAYS_OF_400_YEARS / 4);
        // 2^32 / 1461, rounded up: the high half is the year, the low one the day in it.
        let years = 2_939_745 * u64::from(4 * day + 3);
        let (year, day) = ((years >> 32) as u32, (years as u32) / 2_939_745 / 4);
        // The same for months, with 2^16 / 30.6.
        let months = 2_141 * day + 197_913;
        let (month, day) = (months >> 16, (months as u16) / 2_141);
        // January and February belong to the next year.
        let next = u32::from(month > 12);
        let year = 100 * century + year + next - 400;
        Some(Self { year: year as u16, month: (month - 12 * next) as u8, day: day as u8 + 1 })
    }
}

impl DateTime {
    /// Reads `2024-02-29 23:59:58` with or without a fraction, as the server writes it; also a mere date, which is its midnight.
    pub fn parse(text: &[u8]) -> Option<Self> {
        let (date, rest) = text.split_at_checked(10)?;
        let date = Date::parse(date)?;
        if rest.is_empty() {
            return Some(Self { date, ..Self::default() });
        }
        let [b' ' | b'T', h1, h2, b':', m1, m2, b':', s1, s2, ref rest @ ..] = *rest else { return None };
        let micros = fraction(rest)?;
        Some(Self { date, hour: pair(h1, h2)?, minute: pair(m1, m2)?, second: pair(s1, s2)?, micros })
    }

    /// Whether its parts are in their ranges, zeros and short months aside.
    pub(crate) fn is_in_range(&self) -> bool {
        let is_time = self.hour < 24 && self.minute < 60 && self.second < 60 && self.micros < 1_000_000;
        is_time && self.date.is_in_range()
    }

    /// Whether the calendar has this day, and the day this time.
    pub fn is_valid(&self) -> bool {
        self.date.is_valid() && self.is_in_range()
    }

    /// Microseconds since 1970-01-01 00:00:00 by the same clock, if it is valid.
    pub fn micros_since_epoch(&self) -> Option<i64> {
        if !self.is_valid() {
            return None;
        }
        let seconds = i64::from(self.hour) * 3600 + i64::from(self.minute) * 60 + i64::from(self.second);
        let days = i64::from(self.date.days_since_epoch()?);
        Some((days * 86_400 + seconds) * 1_000_000 + i64::from(self.micros))
    }

    /// The moment so many microseconds after 1970-01-01 00:00:00, if its year has four digits.
    #[inline]
    pub fn from_micros_since_epoch(micros: i64) -> Option<Self> {
        let (days, micros) = (micros.div_euclid(MICROS_OF_DAY), micros.rem_euclid(MICROS_OF_DAY) as u64);
        let date = Date::from_days_since_epoch(i32::try_from(days).ok()?)?;
        let (second, micros) = ((micros / 1_000_000) as u32, (micros % 1_000_000) as u32);
        let (hour, minute, second) = ((second / 3600) as u8, (second / 60 % 60) as u8, (second % 60) as u8);
        Some(Self { date, hour, minute, second, micros })
    }
}

impl Time {
    /// Reads `-838:59:59.000001`, as the server writes it.
    pub fn parse(text: &[u8]) -> Option<Self> {
        let (negative, text) = match text {
            [b'-', rest @ ..] => (true, rest),
            _ => (false, text),
        };
        let colon = text.iter().position(|byte| *byte == b':')?;
        let (hours, rest) = text.split_at(colon);
        let [b':', m1, m2, b':', s1, s2, ref rest @ ..] = *rest else { return None };
        // 838 is the greatest; nine digits cannot overflow.
        if !(2..=9).contains(&hours.len()) {
            return None;
        }
        let hours = hours.iter().try_fold(0, |hours, byte| Some(hours * 10 + u32::from(digit(*byte)?)))?;
        Some(Self {
            negative,
            days: hours / 24,
            hours: (hours % 24) as u8,
            minutes: pair(m1, m2)?,
            seconds: pair(s1, s2)?,
            micros: fraction(rest)?,
        })
    }

    /// Whether its parts are in their ranges.
    pub fn is_valid(&self) -> bool {
        self.hours < 24 && self.minutes < 60 && self.seconds < 60 && self.micros < 1_000_000
    }

    /// The whole span in microseconds, if it is valid and i64 can hold it.
    pub fn as_micros(&self) -> Option<i64> {
        if !self.is_valid() {
            return None;
        }
        let hours = i64::from(self.days) * 24 + i64::from(self.hours);
        let seconds = hours * 3600 + i64::from(self.minutes) * 60 + i64::from(self.seconds);
        let micros = seconds.checked_mul(1_000_000)?.checked_add(self.micros.into())?;
        Some(if self.negative { -micros } else { micros })
    }

    /// The time of a span in microseconds, if it has few enough days to be written.
    pub fn from_micros(micros: i64) -> Option<Self> {
        let (seconds, fraction) = (micros.unsigned_abs() / 1_000_000, micros.unsigned_abs() % 1_000_000);
        Some(Self {
            negative: micros < 0,
            days: u32::try_from(seconds / 86_400).ok()?,
            hours: (seconds / 3600 % 24) as u8,
            minutes: (seconds / 60 % 60) as u8,
            seconds: (seconds % 60) as u8,
            micros: fraction as u32,
        })
    }
}

fn days_of_month(year: u16, month: u8) -> u8 {
    match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => 29,
        2 => 28,
        _ => 0,
    }
}

/// Nothing, or a point and one to six digits: microseconds.
fn fraction(text: &[u8]) -> Option<u32> {
    let [b'.', digits @ ..] = text else { return text.is_empty().then_some(0) };
    if !(1..=6).contains(&digits.len()) {
        return None;
    }
    let read = digits.iter().try_fold(0, |micros, byte| Some(micros * 10 + u32::from(digit(*byte)?)))?;
    Some(read * 10_u32.pow(6 - digits.len() as u32))
}

fn pair(tens: u8, ones: u8) -> Option<u8> {
    Some(digit(tens)? * 10 + digit(ones)?)
}

fn digit(byte: u8) -> Option<u8> {
    byte.is_ascii_digit().then(|| byte - b'0')
}

/// Days from 0000-03-01 to 1970-01-01.
const MARCH_OF_YEAR_ZERO: i32 = 719_468;

const DAYS_OF_400_YEARS: u32 = 146_097;

/// 0000-01-01.
const FIRST_DAY: i32 = -719_528;

/// 9999-12-31.
const LAST_DAY: i32 = 2_932_896;

const MICROS_OF_DAY: i64 = 86_400_000_000;

#[cfg(test)]
mod tests;
