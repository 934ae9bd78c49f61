//! Dates and times from values: in the server's form, and as jiff types, which refuse days that no calendar has.

use crate::convert::FromValue;
use crate::value::{Date, DateTime, Time, Value};
use crate::wire::ColumnDef;
use crate::zone;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, civil};
use std::time::Duration;

impl FromValue<'_> for Date {
    const KIND: &'static str = "a day (`Date`)";

    #[inline]
    fn from_value(value: Value<'_>, _column: &ColumnDef) -> Option<Self> {
        value.as_date()
    }
}

impl FromValue<'_> for DateTime {
    const KIND: &'static str = "a moment (`DateTime`)";

    #[inline]
    fn from_value(value: Value<'_>, _column: &ColumnDef) -> Option<Self> {
        value.as_date_time()
    }
}

impl FromValue<'_> for Time {
    const KIND: &'static str = "a time (`Time`)";

    #[inline]
    fn from_value(value: Value<'_>, _column: &ColumnDef) -> Option<Self> {
        value.as_time()
    }
}

impl FromValue<'_> for civil::Date {
    const KIND: &'static str = "a day of the calendar (`jiff::civil::Date`)";

    fn from_value(value: Value<'_>, _column: &ColumnDef) -> Option<Self> {
        day(value.as_date()?)
    }
}

impl FromValue<'_> for civil::DateTime {
    const KIND: &'static str = "a moment of the calendar (`jiff::civil::DateTime`)";

    fn from_value(value: Value<'_>, _column: &ColumnDef) -> Option<Self> {
        let moment = value.as_date_time()?;
        let time = time_of_day(moment.hour, moment.minute, moment.second, moment.micros)?;
        Some(day(moment.date)?.to_datetime(time))
    }
}

impl FromValue<'_> for civil::Time {
    const KIND: &'static str = "a time of day (`jiff::civil::Time`)";

    fn from_value(value: Value<'_>, _column: &ColumnDef) -> Option<Self> {
        match value.as_time()? {
            Time { negative: false, days: 0, hours, minutes, seconds, micros } => {
                time_of_day(hours, minutes, seconds, micros)
            }
            // There is no -00:00:00, so the rest is not a time of day.
            _ => None,
        }
    }
}

impl FromValue<'_> for SignedDuration {
    const KIND: &'static str = "a span of time (`jiff::SignedDuration`)";

    fn from_value(value: Value<'_>, _column: &ColumnDef) -> Option<Self> {
        value.as_time()?.as_micros().map(SignedDuration::from_micros)
    }
}

impl FromValue<'_> for Duration {
    const KIND: &'static str = "a span of time that is not below zero (`Duration`)";

    fn from_value(value: Value<'_>, _column: &ColumnDef) -> Option<Self> {
        value.as_time()?.as_micros()?.try_into().ok().map(Duration::from_micros)
    }
}

impl FromValue<'_> for Timestamp {
    const KIND: &'static str = "an instant (`jiff::Timestamp`)";
    const NEEDS_ZONE: bool = true;

    fn from_value(_value: Value<'_>, _column: &ColumnDef) -> Option<Self> {
        None
    }

    fn from_value_in(value: Value<'_>, _column: &ColumnDef, zone: Option<&TimeZone>) -> Option<Self> {
        Timestamp::from_microsecond(micros(value, zone)?).ok()
    }
}

/// Returns the instant of a value in a session in this zone, in microseconds since 1970-01-01 00:00:00 UTC.
pub(crate) fn micros(value: Value<'_>, zone: Option<&TimeZone>) -> Option<i64> {
    zone::instant(value.as_date_time().filter(DateTime::is_valid)?, zone?)
}

fn day(date: Date) -> Option<civil::Date> {
    let (month, day) = (i8::try_from(date.month).ok()?, i8::try_from(date.day).ok()?);
    civil::Date::new(i16::try_from(date.year).ok()?, month, day).ok()
}

fn time_of_day(hours: u8, minutes: u8, seconds: u8, micros: u32) -> Option<civil::Time> {
    let small = |n: u8| i8::try_from(n).ok();
    let nanos = i32::try_from(micros).ok()?.checked_mul(1000)?;
    civil::Time::new(small(hours)?, small(minutes)?, small(seconds)?, nanos).ok()
}
