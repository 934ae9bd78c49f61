//! DATE, DATETIME, TIMESTAMP and TIME: the fields side by side in one big-endian number.
//!
//! The standard forms (`2013-01-05 07:03:00`, `07:03:00`) are read by position, all others as numbers between other bytes.

use super::int::sign;

#[inline]
pub(super) fn append_date(cell: &[u8], key: &mut Vec<u8>) {
    key.extend_from_slice(&date(cell).0.to_be_bytes()[1..]);
}

#[derive(Clone, Copy, Debug)]
pub(super) struct DateTimeOrder {
    whole: bool,
}

impl DateTimeOrder {
    pub(super) fn new(fsp: u8) -> Self {
        Self { whole: fsp == 0 }
    }

    #[inline]
    pub(super) fn append(self, cell: &[u8], key: &mut Vec<u8>) {
        let (date, rest) = date(cell);
        let rest = rest.split_first().map_or(rest, |(_, rest)| rest);
        let (hours, rest) = number(rest);
        let (seconds, micros) = below_hours(hours.min(0xff), rest);
        let whole = u64::from(date) << 20 | seconds;
        if self.whole {
            key.extend_from_slice(&whole.to_be_bytes()[2..]);
        } else {
            key.extend_from_slice(&(whole << 20 | micros).to_be_bytes());
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct TimeOrder {
    whole: bool,
}

impl TimeOrder {
    pub(super) fn new(fsp: u8) -> Self {
        Self { whole: fsp == 0 }
    }

    #[inline]
    pub(super) fn append(self, cell: &[u8], key: &mut Vec<u8>) {
        let (negative, cell) = sign(cell);
        let (hours, rest) = number(cell);
        let (seconds, micros) = below_hours(hours.min(0x7ff), rest);
        let middle = 1_u64 << 47;
        let size = seconds << 20 | if self.whole { 0 } else { micros };
        let value = if negative { middle - size } else { middle + size };
        let bytes = value.to_be_bytes();
        // 2 bytes that are never used in front; a whole second needs none of the last 20 bits.
        key.extend_from_slice(&bytes[2..if self.whole { 6 } else { 8 }]);
    }
}

/// Year, month and day, and what follows.
#[inline]
fn date(cell: &[u8]) -> (u32, &[u8]) {
    if let Some((text, rest)) = cell.split_first_chunk::<10>() {
        let digit = |at: usize| u32::from(text[at].wrapping_sub(b'0'));
        let fits = [0, 1, 2, 3, 5, 6, 8, 9].iter().all(|at| digit(*at) < 10);
        if fits && digit(4) > 9 && digit(7) > 9 {
            let year = digit(0) * 1000 + digit(1) * 100 + digit(2) * 10 + digit(3);
            return (pack(year, digit(5) * 10 + digit(6), digit(8) * 10 + digit(9)), rest);
        }
    }
    let (year, rest) = number(cell);
    let (month, rest) = number(rest.split_first().map_or(rest, |(_, rest)| rest));
    let (day, rest) = number(rest.split_first().map_or(rest, |(_, rest)| rest));
    (pack(year.min(9999), month, day), rest)
}

#[inline]
fn pack(year: u32, month: u32, day: u32) -> u32 {
    year << 9 | month.min(15) << 5 | day.min(31)
}

/// Hours and `:MM:SS.ffffff` as seconds with 6 bits for each part below the hours, and microseconds.
#[inline]
fn below_hours(hours: u32, rest: &[u8]) -> (u64, u64) {
    let (minutes, rest) = number(rest.strip_prefix(b":").unwrap_or(rest));
    let (seconds, rest) = number(rest.strip_prefix(b":").unwrap_or(rest));
    let mut micros = 0;
    if let Some(digits) = rest.strip_prefix(b".") {
        for at in 0..6 {
            let digit = digits.get(at).map_or(0, |byte| byte.wrapping_sub(b'0')).min(9);
            micros = micros * 10 + u64::from(digit);
        }
    }
    (u64::from(hours << 12 | minutes.min(63) << 6 | seconds.min(63)), micros)
}

/// The digits in front as a number, and what follows.
#[inline]
fn number(text: &[u8]) -> (u32, &[u8]) {
    let (mut value, mut at) = (0_u32, 0);
    while let Some(byte) = text.get(at)
        && byte.is_ascii_digit()
    {
        value = value.saturating_mul(10).saturating_add((byte - b'0').into());
        at += 1;
    }
    (value, &text[at..])
}

#[cfg(test)]
mod tests {
    use crate::column::order::tests::{ascends, equal};

    #[test]
    fn dates() {
        ascends(
            "date",
            &["0001-01-01", "1999-12-31", "2000-01-01", "2000-02-01", "2000-10-01", "2000-10-09", "9999-12-31"],
        );
        equal("date", &["2013-01-05", "2013/01/05", "2013-1-5", "2013.1.5"]);
        equal("date", &["", "word"]);
    }

    #[test]
    fn date_times() {
        for ty in ["datetime", "timestamp", "datetime(6)", "timestamp(3)"] {
            ascends(
                ty,
                &[
                    "1999-12-31 23:59:59",
                    "2000-01-01",
                    "2000-01-01 00:00:01",
                    "2000-01-01 00:01:00",
                    "2000-01-01 01:00:00",
                ],
            );
            equal(ty, &["2000-01-01", "2000-01-01 00:00:00", "2000-01-01T00:00:00", "2000-1-1 0:00"]);
        }
        ascends(
            "datetime(6)",
            &["2000-01-01 00:00:00", "2000-01-01 00:00:00.000001", "2000-01-01 00:00:00.5", "2000-01-01 00:00:01"],
        );
        equal("datetime(3)", &["2000-01-01 00:00:00.5", "2000-01-01 00:00:00.500"]);
    }

    #[test]
    fn times() {
        for ty in ["time", "time(6)"] {
            ascends(
                ty,
                &[
                    "-838:59:59",
                    "-100:00:00",
                    "-00:00:01",
                    "00:00:00",
                    "00:00:59",
                    "00:01:00",
                    "09:00:00",
                    "10:00:00",
                    "838:59:59",
                ],
            );
            equal(ty, &["00:00:00", "-00:00:00", "0:0:0", "", "word"]);
        }
        ascends("time(3)", &["-00:00:00.5", "-00:00:00.25", "00:00:00", "00:00:00.25", "00:00:00.5", "00:00:01"]);
    }
}
