//! Dates and times by a format of strptime, as the crate jiff reads them: the names of months and days are English.

mod found;
mod strict;

pub(crate) use found::FoundFormat;

use inrush_core::column::check::is_date_or_time;
use inrush_core::error::{Error, Result};
use jiff::civil::DateTime;
use jiff::fmt::strtime::{self, BrokenDownTime};
use jiff::tz::{AmbiguousOffset, Offset, TimeZone};
use std::io::Write as _;

/// Fails unless it is a format that has a date or a time.
pub(crate) fn check(format: &str) -> Result<()> {
    let wrong = |why: &str| {
        Error::config(format!("`--date-format {format}` is not understood: {why}"))
            .with_hint("it takes what strptime does, such as `%d.%m.%Y`, `%m/%d/%Y %I:%M %p`, or `FIELD=%d.%m.%Y`")
    };
    // What it would write must be what it reads.
    let sample = DateTime::constant(2001, 12, 31, 23, 58, 59, 0);
    let zoned = sample.to_zoned(TimeZone::UTC).map_err(|error| wrong(&error.to_string()))?;
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
    DateTime(DateTime, Option<Offset>),
    Time(jiff::civil::Time),
}

/// Writes the date or time as SQL does. Returns false if the text is not in this format, or if the day does not exist.
pub(crate) fn rewrite(format: &str, text: &str, out: &mut Vec<u8>) -> bool {
    let Some(parts) = read(format, text) else { return false };
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

fn read(format: &str, text: &str) -> Option<Parts> {
    let read = strtime::parse(format, text).ok()?;
    let is_strict = strict::has_whole_year(format, text)
        && !(read.second() == Some(LAST_SECOND) && strict::has_second_60(format, text));
    is_strict.then(|| parts(&read)).flatten()
}

/// The second as which a second 60 is read.
const LAST_SECOND: i8 = 59;

fn parts(read: &BrokenDownTime) -> Option<Parts> {
    let has_time = read.hour().is_some();
    match (read.to_date(), has_time) {
        (Ok(date), false) => Some(Parts::Date(date)),
        (Ok(date), true) => {
            let at = date.to_datetime(read.to_time().ok()?);
            Some(Parts::DateTime(at, offset(read, at)?))
        }
        // With a format that has a date, the day must exist.
        (Err(_), true) if read.day().is_none() && read.month().is_none() && read.year().is_none() => {
            read.to_time().ok().map(Parts::Time)
        }
        (Err(_), _) => None,
    }
}

/// The offset in the text, or the offset of its time zone at that time. Returns `None` if the zone is unknown, or if its clocks skipped
/// that time or showed it twice.
fn offset(read: &BrokenDownTime, at: DateTime) -> Option<Option<Offset>> {
    match (read.offset(), read.iana_time_zone()) {
        (Some(offset), _) => Some(Some(offset)),
        (None, None) => Some(None),
        (None, Some(zone)) => match TimeZone::get(zone).ok()?.to_ambiguous_timestamp(at).offset() {
            AmbiguousOffset::Unambiguous { offset } => Some(Some(offset)),
            AmbiguousOffset::Gap { .. } | AmbiguousOffset::Fold { .. } => None,
        },
    }
}

/// Whether the format reads what SQL writes for a date or a time, and means another one: `%Y-%d-%m`.
pub(crate) fn bends_sql(format: &str) -> bool {
    SQL_TEXTS.iter().any(|(text, means)| {
        let mut written = Vec::new();
        rewrite(format, text, &mut written) && written != means.as_bytes()
    })
}

/// Dates and times as SQL writes them, and in full. Within each, all numbers differ.
const SQL_TEXTS: &[(&str, &str)] = &[
    ("2001-02-03", "2001-02-03"),
    ("2001-02-03 04:05", "2001-02-03 04:05:00"),
    ("2001-02-03T04:05", "2001-02-03 04:05:00"),
    ("2001-02-03 04:05:06", "2001-02-03 04:05:06"),
    ("2001-02-03T04:05:06", "2001-02-03 04:05:06"),
    ("04:05", "04:05:00"),
    ("04:05:06", "04:05:06"),
];

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
