//! DATE, DATETIME and TIMESTAMP: real days only, and no fraction finer than the column holds (MySQL rounds it, MariaDB cuts it,
//! both silently). A time with an offset is converted to the session's zone.

use super::moment::{self, Date, Fraction, Moment, TimeOfDay};
use super::{CellValidator, Rules, Verdict, Why};
use crate::column::ZoneTables;
use crate::convert::bounds::Within;
use crate::value as wire;
use jiff::civil;
use jiff::tz::{AmbiguousOffset, Offset, TimeZone};
use std::ops::Range;

/// DATE. A time of day may follow it if it is midnight; the server would drop any other time with a note.
#[derive(Clone, Debug)]
pub(super) struct DateValidator {
    zone: TimeZone,
    takes_zero: bool,
}

impl DateValidator {
    pub(super) fn new(rules: &Rules) -> Self {
        Self { zone: rules.zone.clone(), takes_zero: rules.zero_dates }
    }

    pub(super) fn date(&self, date: &wire::Date) -> Verdict {
        if moment::is_real_date(date) { Verdict::Keep } else { Verdict::Bad(Why::Shape) }
    }

    pub(super) fn moment(&self, moment: &wire::DateTime) -> Verdict {
        if *moment == (wire::DateTime { date: moment.date, ..Default::default() }) {
            return self.date(&moment.date);
        }
        Verdict::Bad(if moment.is_valid() { Why::TimeOfDay } else { Why::Shape })
    }
}

impl CellValidator for DateValidator {
    #[inline]
    fn validate(&self, cell: &[u8], out: &mut Vec<u8>) -> Verdict {
        if let Ok(ten) = <&[u8; 10]>::try_from(cell)
            && Date::parse_canonical(ten).is_some()
        {
            return Verdict::Keep;
        }
        if self.takes_zero && is_zero(cell) {
            out.extend_from_slice(ZERO);
            return Verdict::Rewrite;
        }
        match Moment::parse(cell).and_then(|moment| in_zone(moment, &self.zone)) {
            Ok(moment) if moment.time.is_none_or(TimeOfDay::is_midnight) && !has_fraction(&moment) => {
                moment.date.write(out);
                Verdict::Rewrite
            }
            Ok(_) => Verdict::Bad(Why::TimeOfDay),
            Err(why) => Verdict::Bad(why),
        }
    }
}

/// DATETIME and TIMESTAMP.
#[derive(Clone, Debug)]
pub(super) struct DateTimeValidator {
    fsp: u8,
    zone: TimeZone,
    /// What is known about the server's table for it.
    tables: ZoneTables,
    /// TIMESTAMP: the last Unix time it holds.
    max: Option<i64>,
    takes_zero: bool,
    /// The session's zone has one offset for ever.
    fixed: bool,
    /// Years whose every whole second it holds: none for a TIMESTAMP whose zone has gaps.
    whole_years: Range<u16>,
}

impl DateTimeValidator {
    pub(super) fn date_time(fsp: u8, rules: &Rules) -> Self {
        let fixed = rules.zone.to_fixed_offset().is_ok();
        Self {
            fsp,
            zone: rules.zone.clone(),
            tables: rules.tables.clone(),
            max: None,
            takes_zero: rules.zero_dates,
            fixed,
            whole_years: 1..10_000,
        }
    }

    pub(super) fn timestamp(fsp: u8, rules: &Rules) -> Self {
        let date_time = Self::date_time(fsp, rules);
        let whole_years = if date_time.fixed { *CLEAR_YEARS.start()..CLEAR_YEARS.end() + 1 } else { 0..0 };
        Self { max: Some(rules.profile.timestamp_max), whole_years, ..date_time }
    }

    /// The values that are far from every limit and in a standard form.
    pub(super) fn within(&self) -> Within {
        let Range { start: first_year, end: end_year } = self.whole_years;
        Within::DateTime { first_year, end_year, micros: self.fsp == 6 }
    }

    pub(super) fn moment(&self, moment: &wire::DateTime) -> Verdict {
        if !(moment::is_real_date(&moment.date) && moment.is_valid()) {
            return Verdict::Bad(Why::Shape);
        }
        if moment.micros > 0 && !Moment::from(*moment).time.unwrap_or_default().fraction.fits(self.fsp) {
            return Verdict::Bad(Why::Fraction);
        }
        if self.max.is_none() || (self.fixed && CLEAR_YEARS.contains(&moment.date.year)) {
            return Verdict::Keep;
        }
        self.in_range(&Moment::from(*moment)).map_or_else(Verdict::Bad, |()| Verdict::Keep)
    }

    pub(super) fn date(&self, date: &wire::Date) -> Verdict {
        self.moment(&wire::DateTime { date: *date, ..Default::default() })
    }

    /// Reads `YYYY-MM-DD HH:MM:SS` only, and `YYYY-MM-DD` for midnight; with no more digits of a fraction than the column has.
    fn parse_canonical(&self, cell: &[u8]) -> Option<Moment> {
        let (date, rest) = cell.split_first_chunk::<10>()?;
        let date = Date::parse_canonical(date)?;
        if rest.is_empty() {
            return Some(Moment { date, time: None, offset: None });
        }
        let (time, fraction) = rest.strip_prefix(b" ")?.split_first_chunk::<8>()?;
        let mut time = TimeOfDay::parse_canonical(time)?;
        if let [b'.', digits @ ..] = fraction {
            if digits.len() > self.fsp.into() {
                return None;
            }
            time.fraction = Fraction::parse(digits)?;
        } else if !fraction.is_empty() {
            return None;
        }
        Some(Moment { date, time: Some(time), offset: None })
    }

    #[cold]
    fn validate_uncommon(&self, cell: &[u8], out: &mut Vec<u8>) -> Verdict {
        if self.takes_zero && is_zero(cell) {
            out.extend_from_slice(ZERO);
            return Verdict::Rewrite;
        }
        match self.rewrite(cell, out) {
            Ok(()) => Verdict::Rewrite,
            Err(why) => Verdict::Bad(why),
        }
    }

    fn rewrite(&self, cell: &[u8], out: &mut Vec<u8>) -> Result<(), Why> {
        let moment = Moment::parse(cell)?;
        let is_instant = moment.offset.is_some();
        let moment = in_zone(moment, &self.zone)?;
        let time = moment.time.unwrap_or_default();
        if !time.fraction.fits(self.fsp) {
            return Err(Why::Fraction);
        }
        // The server converts the clock that we make from this instant back to an instant, by a table of its own.
        if self.max.is_some() && is_instant && self.tables == ZoneTables::NotCompared {
            return Err(Why::ZoneNotCompared);
        }
        self.in_range(&moment)?;
        moment.date.write(out);
        out.push(b' ');
        time.write(self.fsp, out);
        Ok(())
    }

    /// Whether the type holds a moment in the session's zone.
    fn in_range(&self, moment: &Moment) -> Result<(), Why> {
        let Some(max) = self.max else { return Ok(()) };
        if self.fixed && CLEAR_YEARS.contains(&moment.date.year) {
            return Ok(());
        }
        if self.zone.is_unknown() {
            // Within a day of both ends, and at a leap of its clocks, the server's own zone decides.
            let seconds = Offset::UTC.to_timestamp(civil(moment)).map_err(|_| Why::Range)?.as_second();
            return if (-DAY..=max + DAY).contains(&seconds) { Ok(()) } else { Err(Why::Range) };
        }
        let seconds = match self.zone.to_ambiguous_timestamp(civil(moment)).offset() {
            AmbiguousOffset::Gap { .. } => return Err(Why::NotInZone),
            // The server would have to guess which of the two instants is meant, and might guess wrong.
            AmbiguousOffset::Fold { .. } => return Err(Why::TwiceInZone),
            AmbiguousOffset::Unambiguous { offset } => {
                offset.to_timestamp(civil(moment)).map_err(|_| Why::Range)?.as_second()
            }
        };
        if self.tables.differ_at(seconds) {
            return Err(Why::ZoneDiffers);
        }
        // The servers store a zero date as second 0.
        if (1..=max).contains(&seconds) { Ok(()) } else { Err(Why::Range) }
    }
}

impl CellValidator for DateTimeValidator {
    #[inline]
    fn validate(&self, cell: &[u8], out: &mut Vec<u8>) -> Verdict {
        if let Ok(text) = cell.try_into()
            && let Some(year) = year_of_usual(text)
            && (self.max.is_none() || (self.fixed && CLEAR_YEARS.contains(&year)))
        {
            return Verdict::Keep;
        }
        match self.parse_canonical(cell) {
            Some(moment) => match self.in_range(&moment) {
                Ok(()) => Verdict::Keep,
                Err(why) => Verdict::Bad(why),
            },
            None => self.validate_uncommon(cell, out),
        }
    }
}

/// The year of a real `YYYY-MM-DD HH:MM:SS`, the form of nearly every cell.
#[inline]
fn year_of_usual(text: &[u8; 19]) -> Option<u16> {
    let (date, rest) = text.split_first_chunk::<10>()?;
    let (blank, time) = rest.split_first()?;
    let date = Date::parse_canonical(date)?;
    TimeOfDay::parse_canonical(time.first_chunk()?)?;
    (*blank == b' ').then_some(date.year)
}

/// A moment with an offset, as the clock of `zone` shows it.
fn in_zone(moment: Moment, zone: &TimeZone) -> Result<Moment, Why> {
    let Some(seconds) = moment.offset else { return Ok(moment) };
    if zone.is_unknown() {
        return Err(Why::ZoneUnknown);
    }
    let offset = Offset::from_seconds(seconds).map_err(|_| Why::Shape)?;
    let timestamp = offset.to_timestamp(civil(&moment)).map_err(|_| Why::Range)?;
    let local = zone.to_datetime(timestamp);
    let year = u16::try_from(local.year()).ok().filter(|year| *year > 0).ok_or(Why::Range)?;
    let fraction = moment.time.unwrap_or_default().fraction;
    Ok(Moment {
        date: Date { year, month: local.month() as u8, day: local.day() as u8 },
        time: Some(TimeOfDay {
            hour: local.hour() as u8,
            minute: local.minute() as u8,
            second: local.second() as u8,
            fraction,
        }),
        offset: None,
    })
}

/// The moment to the second; every part of it was checked when it was read.
fn civil(moment: &Moment) -> civil::DateTime {
    let time = moment.time.unwrap_or_default();
    civil::DateTime::new(
        moment.date.year as i16,
        moment.date.month as i8,
        moment.date.day as i8,
        time.hour as i8,
        time.minute as i8,
        time.second as i8,
        0,
    )
    .unwrap_or(civil::DateTime::ZERO)
}

fn has_fraction(moment: &Moment) -> bool {
    !moment.time.unwrap_or_default().fraction.fits(0)
}

/// Whether it is the zero date, possibly followed by midnight.
fn is_zero(cell: &[u8]) -> bool {
    let Some(time) = cell.strip_prefix(ZERO) else { return false };
    let midnight = time.strip_prefix(b" ").or(time.strip_prefix(b"T")).and_then(|time| time.strip_prefix(b"00:00:00"));
    let is_fraction = |text: &[u8]| text.strip_prefix(b".").is_some_and(|digits| digits.iter().all(|d| *d == b'0'));
    time.is_empty() || midnight.is_some_and(|rest| rest.is_empty() || is_fraction(rest))
}

const ZERO: &[u8] = b"0000-00-00";

const DAY: i64 = 86_400;

/// Years that a TIMESTAMP holds whatever the offset of the zone: one short of both ends.
const CLEAR_YEARS: std::ops::RangeInclusive<u16> = 1971..=2036;
