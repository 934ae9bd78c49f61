//! `time`. Fractions of a microsecond are cut off.

use crate::convert::from_value::micros_in_zone;
use crate::convert::{FromValue, ToValue};
use crate::value::{self, Value};
use crate::wire::ColumnDef;
use jiff::tz::TimeZone;
use time::{Date, Duration, Month, OffsetDateTime, PrimitiveDateTime, Time, UtcDateTime};

impl ToValue for Date {
    fn to_value(&self) -> Value<'_> {
        Value::Date(day(*self))
    }
}

impl ToValue for PrimitiveDateTime {
    fn to_value(&self) -> Value<'_> {
        Value::DateTime(value::DateTime {
            date: day(self.date()),
            hour: self.hour(),
            minute: self.minute(),
            second: self.second(),
            micros: self.microsecond(),
        })
    }
}

impl ToValue for Time {
    fn to_value(&self) -> Value<'_> {
        Value::Time(value::Time {
            hours: self.hour(),
            minutes: self.minute(),
            seconds: self.second(),
            micros: self.microsecond(),
            ..value::Time::default()
        })
    }
}

impl ToValue for Duration {
    fn to_value(&self) -> Value<'_> {
        // A span that is longer than any TIME stays too long, so that it is refused.
        let longest = if self.is_negative() { -i64::MAX } else { i64::MAX };
        let micros = i64::try_from(self.whole_microseconds()).unwrap_or(longest);
        Value::Time(value::Time::from_micros(micros).unwrap_or_default())
    }
}

impl ToValue for OffsetDateTime {
    fn to_value(&self) -> Value<'_> {
        instant(self.unix_timestamp_nanos())
    }
}

impl ToValue for UtcDateTime {
    fn to_value(&self) -> Value<'_> {
        instant(self.unix_timestamp_nanos())
    }
}

impl FromValue<'_> for Date {
    const KIND: &'static str = "a day of the calendar (`time::Date`)";

    fn from_value(value: Value<'_>, _column: &ColumnDef) -> Option<Self> {
        date(value.as_date()?)
    }
}

impl FromValue<'_> for PrimitiveDateTime {
    const KIND: &'static str = "a moment of the calendar (`time::PrimitiveDateTime`)";

    fn from_value(value: Value<'_>, _column: &ColumnDef) -> Option<Self> {
        let moment = value.as_date_time()?;
        let time = Time::from_hms_micro(moment.hour, moment.minute, moment.second, moment.micros).ok()?;
        Some(Self::new(date(moment.date)?, time))
    }
}

impl FromValue<'_> for Time {
    const KIND: &'static str = "a time of day (`time::Time`)";

    fn from_value(value: Value<'_>, _column: &ColumnDef) -> Option<Self> {
        match value.as_time()? {
            value::Time { negative: false, days: 0, hours, minutes, seconds, micros } => {
                Self::from_hms_micro(hours, minutes, seconds, micros).ok()
            }
            _ => None,
        }
    }
}

impl FromValue<'_> for Duration {
    const KIND: &'static str = "a span of time (`time::Duration`)";

    fn from_value(value: Value<'_>, _column: &ColumnDef) -> Option<Self> {
        value.as_time()?.as_micros().map(Self::microseconds)
    }
}

macro_rules! instants {
    ($($instant:ty = $kind:literal),*) => { $(
        impl FromValue<'_> for $instant {
            const KIND: &'static str = $kind;
            const NEEDS_ZONE: bool = true;

            fn from_value(_value: Value<'_>, _column: &ColumnDef) -> Option<Self> {
                None
            }

            fn from_value_in(value: Value<'_>, _column: &ColumnDef, zone: Option<&TimeZone>) -> Option<Self> {
                Self::from_unix_timestamp_nanos(i128::from(micros_in_zone(value, zone)?) * 1_000).ok()
            }
        }
    )* };
}

instants! {
    OffsetDateTime = "an instant (`time::OffsetDateTime`)",
    UtcDateTime = "an instant (`time::UtcDateTime`)"
}

/// Rounded down, like the servers' own clocks.
fn instant(nanos: i128) -> Value<'static> {
    let longest = if nanos < 0 { i64::MIN } else { i64::MAX };
    Value::Instant(i64::try_from(nanos.div_euclid(1_000)).unwrap_or(longest))
}

/// A year before 0 becomes one after 9999, which no column holds either, so that it is refused.
fn day(date: Date) -> value::Date {
    let year = u16::try_from(date.year()).unwrap_or(u16::MAX);
    value::Date { year, month: date.month().into(), day: date.day() }
}

fn date(date: value::Date) -> Option<Date> {
    Date::from_calendar_date(date.year.into(), Month::try_from(date.month).ok()?, date.day).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convert::from_value::tests::{read, read_in};

    #[test]
    fn there_and_back() {
        let day = Date::from_calendar_date(2024, Month::February, 29).unwrap();
        let time = Time::from_hms_micro(23, 59, 58, 7).unwrap();
        let moment = PrimitiveDateTime::new(day, time);
        assert_eq!(read::<Date>(day.to_value()), Some(day));
        assert_eq!(read::<Time>(time.to_value()), Some(time));
        assert_eq!(read::<PrimitiveDateTime>(moment.to_value()), Some(moment));
        let span = Duration::microseconds(-3_020_399_000_001);
        assert_eq!(read::<Duration>(span.to_value()), Some(span));
        let instant = moment.assume_utc();
        let Value::Instant(micros) = instant.to_value() else { panic!() };
        let shown = Value::DateTime(value::DateTime::from_micros_since_epoch(micros).unwrap());
        assert_eq!(read_in::<OffsetDateTime>(shown, "+00:00"), Some(instant));
        assert_eq!(read_in::<UtcDateTime>(shown, "+00:00"), Some(instant.into()));
        assert_eq!(read::<OffsetDateTime>(shown), None);
    }
    #[test]
    fn what_no_column_holds_stays_so() {
        let Value::Date(day) = Date::MIN.to_value() else { panic!() };
        assert!(!day.is_in_range());
        let Value::Time(time) = Duration::MIN.to_value() else { panic!() };
        assert!(time.negative && time.days > 35);
    }
}
