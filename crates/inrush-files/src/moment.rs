//! Dates and times by a format of strptime, as the crate jiff reads them: the names of months and days are English.

mod found;

pub(crate) use found::FoundFormat;

use crate::shape::is_date_or_time;
use inrush_core::error::{Error, Result};
use jiff::civil::DateTime;
use jiff::fmt::strtime::{self, BrokenDownTime};
use std::io::Write as _;

/// Fails unless it is a format that has a date or a time.
pub(crate) fn check(format: &str) -> Result<()> {
    let wrong = |why: &str| {
        Error::config(format!("`--date-format {format}` is not understood: {why}"))
            .with_hint("it takes what strptime does, such as `%d.%m.%Y`, `%m/%d/%Y %I:%M %p`, or `FIELD=%d.%m.%Y`")
    };
    // What it would write must be what it reads.
    let sample = DateTime::constant(2001, 12, 31, 23, 58, 59, 0);
    let zoned = sample.to_zoned(jiff::tz::TimeZone::UTC).map_err(|error| wrong(&error.to_string()))?;
    let text = strtime::format(format, &zoned).map_err(|error| wrong(&error.to_string()))?;
    let read = strtime::parse(format, &text).map_err(|error| wrong(&error.to_string()))?;
    match parts(&read) {
        Some(_) => Ok(()),
        None => Err(wrong("it has neither a whole date nor a time")),
    }
}

/// What a text has.
enum Parts {
    Date(jiff::civil::Date),
    DateTime(DateTime, Option<jiff::tz::Offset>),
    Time(jiff::civil::Time),
}

/// Writes the date or time as SQL does. False: the text is not in this format, or there is no such day.
pub(crate) fn rewrite(format: &str, text: &str, out: &mut Vec<u8>) -> bool {
    let Some(parts) = strtime::parse(format, text).ok().as_ref().and_then(parts) else { return false };
    let written = match parts {
        Parts::Date(date) => write!(out, "{date}"),
        Parts::Time(time) => write!(out, "{time}"),
        Parts::DateTime(at, None) => write!(out, "{} {}", at.date(), at.time()),
        Parts::DateTime(at, Some(offset)) => {
            let (sign, seconds) = (if offset.is_negative() { '-' } else { '+' }, offset.seconds().unsigned_abs());
            write!(out, "{} {}{sign}{:02}:{:02}", at.date(), at.time(), seconds / 3600, seconds / 60 % 60)
        }
    };
    written.is_ok()
}

fn parts(read: &BrokenDownTime) -> Option<Parts> {
    let has_time = read.hour().is_some();
    match (read.to_date(), has_time) {
        (Ok(date), false) => Some(Parts::Date(date)),
        (Ok(date), true) => Some(Parts::DateTime(date.to_datetime(read.to_time().ok()?), read.offset())),
        // A format with a date must have a day that there is.
        (Err(_), true) if read.day().is_none() && read.month().is_none() && read.year().is_none() => {
            read.to_time().ok().map(Parts::Time)
        }
        (Err(_), _) => None,
    }
}

/// Whether it is a date or a time as SQL writes them.
pub(crate) fn is_sql(text: &str) -> bool {
    is_date_or_time(text.as_bytes())
}

/// How people write dates.
pub(crate) const DATES: &[&str] = &[
    "%d.%m.%Y",
    "%d/%m/%Y",
    "%m/%d/%Y",
    "%d-%m-%Y",
    "%m-%d-%Y",
    "%Y/%m/%d",
    "%Y.%m.%d",
    "%d.%m.%y",
    "%d/%m/%y",
    "%m/%d/%y",
    "%d %b %Y",
    "%d-%b-%Y",
    "%d-%b-%y",
    "%b %d, %Y",
    "%d %B %Y",
    "%B %d, %Y",
    "%b %d %Y",
];

/// What follows a date where there is a time.
pub(crate) const TIMES: &[&str] =
    &["", " %H:%M", " %H:%M:%S", " %I:%M %p", " %I:%M:%S %p", ", %H:%M", ", %H:%M:%S", ", %I:%M %p", ", %I:%M:%S %p"];
