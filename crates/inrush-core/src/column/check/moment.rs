//! Parses dates and times as people and programs write them: `2013-01-05`, `2013/1/5 7:03`, `20130105T070300Z`.
//!
//! Only a text with one possible meaning is read: the year comes first and has four digits. `05/01/2013` is not a date here (in a
//! file it may be May or January; the reader of the file is given its format).

use super::Why;
use super::number::{self, split_sign};
use crate::value as wire;

/// A date, perhaps with a time of day, perhaps with the offset of its time zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Moment {
    pub(super) date: Date,
    pub(super) time: Option<TimeOfDay>,
    /// Seconds east of Greenwich.
    pub(super) offset: Option<i32>,
}

/// A day of the calendar, from 0001-01-01 to 9999-12-31.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Date {
    pub(super) year: u16,
    pub(super) month: u8,
    pub(super) day: u8,
}

/// A time of day.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct TimeOfDay {
    pub(super) hour: u8,
    pub(super) minute: u8,
    pub(super) second: u8,
    pub(super) fraction: Fraction,
}

/// A fraction of a second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Fraction {
    pub(super) micros: u32,
    /// Some digit after the sixth is not zero.
    finer: bool,
}

impl Moment {
    /// Reads any spelling.
    pub(super) fn parse(text: &[u8]) -> Result<Moment, Why> {
        let mut rest = Rest(number::trim(text));
        let (date, compact_time) = rest.date().ok_or(Why::Shape)?;
        let mut moment = Moment { date, time: None, offset: None };
        if let Some(time) = compact_time {
            moment.time = Some(time);
            moment.offset = rest.zone().ok_or(Why::Shape)?;
        } else if rest.time_follows() {
            moment.time = Some(rest.time_of_day().ok_or(Why::Shape)?);
            moment.offset = rest.zone().ok_or(Why::Shape)?;
        }
        let time_is_real = moment.time.is_none_or(TimeOfDay::is_real);
        if rest.0.is_empty() && date.is_real() && time_is_real { Ok(moment) } else { Err(Why::Shape) }
    }
}

impl Date {
    /// Reads `YYYY-MM-DD` only: the shape that needs no rewriting.
    #[inline]
    pub(super) fn parse_canonical(text: &[u8; 10]) -> Option<Date> {
        let (year_month, day) = text.split_first_chunk::<8>()?;
        let pairs = pairs_of_digits(year_month, b"0000-00-")?;
        let (tens, ones) = (day[0].wrapping_sub(b'0'), day[1].wrapping_sub(b'0'));
        if tens > 9 || ones > 9 {
            return None;
        }
        let year = u16::from(pairs[0]) * 100 + u16::from(pairs[2]);
        let date = Date { year, month: pairs[5], day: tens * 10 + ones };
        date.is_real().then_some(date)
    }

    /// A day that exists.
    #[inline]
    fn is_real(self) -> bool {
        let leap = self.month == 2 && is_leap(self.year);
        let days = DAYS.get(usize::from(self.month)).copied().unwrap_or(0) + u8::from(leap);
        self.year > 0 && self.day > 0 && self.day <= days
    }

    pub(super) fn write(self, out: &mut Vec<u8>) {
        write_digits(self.year.into(), 4, out);
        out.push(b'-');
        write_digits(self.month.into(), 2, out);
        out.push(b'-');
        write_digits(self.day.into(), 2, out);
    }
}

/// A date of a row or a parameter; false for one that no calendar has.
pub(super) fn is_real_date(date: &wire::Date) -> bool {
    date.year > 0 && date.is_valid()
}

impl From<wire::Date> for Moment {
    fn from(date: wire::Date) -> Self {
        let date = Date { year: date.year, month: date.month, day: date.day };
        Self { date, time: None, offset: None }
    }
}

impl From<wire::DateTime> for Moment {
    fn from(moment: wire::DateTime) -> Self {
        let fraction = Fraction::from_micros(moment.micros);
        let time = TimeOfDay { hour: moment.hour, minute: moment.minute, second: moment.second, fraction };
        Self { time: Some(time), ..Self::from(moment.date) }
    }
}

impl TimeOfDay {
    /// Reads `HH:MM:SS` only.
    #[inline]
    pub(super) fn parse_canonical(text: &[u8; 8]) -> Option<TimeOfDay> {
        let pairs = pairs_of_digits(text, b"00:00:00")?;
        let time = TimeOfDay { hour: pairs[0], minute: pairs[3], second: pairs[6], fraction: Fraction::default() };
        time.is_real().then_some(time)
    }

    /// A time that exists. A second 60 is a second of UTC, but no server knows it.
    #[inline]
    fn is_real(self) -> bool {
        self.hour < 24 && self.minute < 60 && self.second < 60
    }

    pub(super) fn is_midnight(self) -> bool {
        self == TimeOfDay::default()
    }

    pub(super) fn write(self, fsp: u8, out: &mut Vec<u8>) {
        write_digits(self.hour.into(), 2, out);
        out.push(b':');
        write_digits(self.minute.into(), 2, out);
        out.push(b':');
        write_digits(self.second.into(), 2, out);
        self.fraction.write(fsp, out);
    }
}

impl Fraction {
    pub(super) fn from_micros(micros: u32) -> Fraction {
        Fraction { micros, finer: false }
    }

    /// Reads the digits after the point.
    pub(super) fn parse(digits: &[u8]) -> Option<Fraction> {
        if digits.is_empty() || !number::all_digits(digits) {
            return None;
        }
        let micros = (0..6).fold(0, |v, at| v * 10 + digits.get(at).map_or(0, |d| u32::from(d - b'0')));
        Some(Fraction { micros, finer: digits.iter().skip(6).any(|d| *d != b'0') })
    }

    /// True if a type with so many digits holds it exactly.
    pub(super) fn fits(self, fsp: u8) -> bool {
        !self.finer && self.micros.is_multiple_of(10u32.pow(6 - u32::from(fsp.min(6))))
    }

    /// Writes the point and `fsp` digits; nothing for a whole second.
    pub(super) fn write(self, fsp: u8, out: &mut Vec<u8>) {
        if self.micros > 0 && fsp > 0 {
            out.push(b'.');
            write_digits(self.micros / 10u32.pow(6 - u32::from(fsp.min(6))), fsp.into(), out);
        }
    }
}

/// Reads eight characters at once: where `shape` has a `0` must be a digit, elsewhere what `shape` has. Byte `i` of the result
/// is the number that the digits `i` and `i + 1` make.
///
/// It works on all eight bytes of one word: a digit less `0` is below 10 and a right separator is 0, so adding 0x76 or 0x7f to
/// them leaves the top bit of each byte clear.
#[inline]
fn pairs_of_digits(text: &[u8; 8], shape: &[u8; 8]) -> Option<[u8; 8]> {
    let digits = u64::from_le_bytes(*text) ^ u64::from_le_bytes(*shape);
    let room = u64::from_le_bytes(shape.map(|b| if b == b'0' { 0x76 } else { 0x7f }));
    if (digits.wrapping_add(room) | digits) & 0x8080_8080_8080_8080 != 0 {
        return None;
    }
    Some((digits * 10 + (digits >> 8)).to_le_bytes())
}

fn is_leap(year: u16) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

/// What is still to be read.
pub(super) struct Rest<'a>(pub(super) &'a [u8]);

impl<'a> Rest<'a> {
    /// A date; with it a time if both are one run of 14 digits.
    fn date(&mut self) -> Option<(Date, Option<TimeOfDay>)> {
        match self.run().len() {
            4 => {
                let year = self.number(4, 4)?;
                let separator = *self.0.first().filter(|b| matches!(b, b'-' | b'/' | b'.'))?;
                self.expect(separator)?;
                let month = self.number(1, 2)?;
                self.expect(separator)?;
                let day = self.number(1, 2)?;
                Some((date(year, month, day), None))
            }
            length @ (8 | 14) => {
                let date = date(self.number(4, 4)?, self.number(2, 2)?, self.number(2, 2)?);
                Some((date, if length == 14 { Some(self.compact_time()?) } else { None }))
            }
            _ => None,
        }
    }

    /// Skips the text between a date and its time; `false` at the end.
    fn time_follows(&mut self) -> bool {
        match self.0.first() {
            Some(b'T' | b't') => {
                self.0 = &self.0[1..];
                true
            }
            Some(b' ') => {
                self.blanks();
                true
            }
            _ => false,
        }
    }

    fn time_of_day(&mut self) -> Option<TimeOfDay> {
        match self.run().len() {
            1 | 2 => {
                let hour = self.number(1, 2)? as u8;
                self.expect(b':')?;
                let minute = self.number(2, 2)? as u8;
                let (second, fraction) = self.seconds()?;
                Some(TimeOfDay { hour, minute, second, fraction })
            }
            6 => self.compact_time(),
            _ => None,
        }
    }

    /// `HHMMSS`, perhaps with a fraction.
    fn compact_time(&mut self) -> Option<TimeOfDay> {
        let (hour, minute) = (self.number(2, 2)? as u8, self.number(2, 2)? as u8);
        Some(TimeOfDay { hour, minute, second: self.number(2, 2)? as u8, fraction: self.fraction()? })
    }

    /// `:SS`, perhaps with a fraction; an empty text means zero.
    pub(super) fn seconds(&mut self) -> Option<(u8, Fraction)> {
        if self.expect(b':').is_none() {
            return Some((0, Fraction::default()));
        }
        Some((self.number(2, 2)? as u8, self.fraction()?))
    }

    fn fraction(&mut self) -> Option<Fraction> {
        // ISO 8601 allows the comma, and even prefers it.
        if self.expect(b'.').or_else(|| self.expect(b',')).is_none() {
            return Some(Fraction::default());
        }
        let digits = self.run();
        self.0 = &self.0[digits.len()..];
        Fraction::parse(digits)
    }

    /// `Z`, `UTC`, `GMT`, `+02:00`, `+0200`, `+02`; the inner `None` if nothing follows.
    fn zone(&mut self) -> Option<Option<i32>> {
        self.blanks();
        let rest = self.0;
        if rest.is_empty() {
            return Some(None);
        }
        if [&b"Z"[..], b"UTC", b"GMT"].iter().any(|word| rest.eq_ignore_ascii_case(word)) {
            self.0 = &[];
            return Some(Some(0));
        }
        let (negative, _) = split_sign(rest);
        if !matches!(rest[0], b'+' | b'-') {
            return None;
        }
        self.0 = &rest[1..];
        let hours = self.number(2, 2)?;
        let minutes = if self.0.is_empty() {
            0
        } else {
            let _ = self.expect(b':');
            self.number(2, 2)?
        };
        let seconds = (hours * 3600 + minutes * 60) as i32;
        (hours < 24 && minutes < 60).then_some(Some(if negative { -seconds } else { seconds }))
    }

    /// The digits that come next.
    pub(super) fn run(&self) -> &'a [u8] {
        let length = self.0.iter().take_while(|b| b.is_ascii_digit()).count();
        &self.0[..length]
    }

    /// A number of at least `min` digits; takes at most `max`.
    pub(super) fn number(&mut self, min: usize, max: usize) -> Option<u32> {
        let run = self.run();
        let taken = &run[..run.len().min(max)];
        if taken.len() < min {
            return None;
        }
        self.0 = &self.0[taken.len()..];
        number::digits(taken).map(|n| n as u32)
    }

    pub(super) fn expect(&mut self, byte: u8) -> Option<()> {
        let rest = self.0.strip_prefix(&[byte])?;
        self.0 = rest;
        Some(())
    }

    pub(super) fn blanks(&mut self) {
        let n = self.0.iter().take_while(|b| **b == b' ').count();
        self.0 = &self.0[n..];
    }
}

fn date(year: u32, month: u32, day: u32) -> Date {
    // At most 4, 2 and 2 digits were read.
    Date { year: year as u16, month: month as u8, day: day as u8 }
}

/// `value` in so many digits, with zeros in front.
pub(super) fn write_digits(value: u32, width: u32, out: &mut Vec<u8>) {
    for place in (0..width).rev() {
        out.push(b'0' + (value / 10u32.pow(place) % 10) as u8);
    }
}

/// Days of the months from January at 1; no month 0.
const DAYS: [u8; 13] = [0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
