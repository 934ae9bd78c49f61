//! `chrono`. Fractions of a microsecond are cut off; a leap second has no form on a server and is refused.

use crate::convert::from_value::micros_in_zone;
use crate::convert::{FromValue, ToValue};
use crate::value::{Date, DateTime, Time, Value};
use crate::wire::ColumnDef;
use chrono::{
    Datelike as _, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, TimeZone, Timelike as _, Utc,
};
use jiff::tz;

impl ToValue for NaiveDate {
    fn to_value(&self) -> Value<'_> {
        Value::Date(day(*self))
    }
}

impl ToValue for NaiveDateTime {
    fn to_value(&self) -> Value<'_> {
        Value::DateTime(DateTime {
            date: day(self.date()),
            hour: self.hour() as u8,
            minute: self.minute() as u8,
            second: second(&self.time()),
            micros: self.nanosecond() % 1_000_000_000 / 1_000,
        })
    }
}

impl ToValue for NaiveTime {
    fn to_value(&self) -> Value<'_> {
        Value::Time(Time {
            hours: self.hour() as u8,
            minutes: self.minute() as u8,
            seconds: second(self),
            micros: self.nanosecond() % 1_000_000_000 / 1_000,
            ..Time::default()
        })
    }
}

impl ToValue for TimeDelta {
    fn to_value(&self) -> Value<'_> {
        // A span that is longer than any TIME stays too long, so that it is refused.
        let longest = if *self < Self::zero() { -i64::MAX } else { i64::MAX };
        Value::Time(Time::from_micros(self.num_microseconds().unwrap_or(longest)).unwrap_or_default())
    }
}

impl<Z: TimeZone> ToValue for chrono::DateTime<Z> {
    fn to_value(&self) -> Value<'_> {
        Value::Instant(self.timestamp_micros())
    }
}

impl FromValue<'_> for NaiveDate {
    const KIND: &'static str = "a day of the calendar (`chrono::NaiveDate`)";

    fn from_value(value: Value<'_>, _column: &ColumnDef) -> Option<Self> {
        date(value.as_date()?)
    }
}

impl FromValue<'_> for NaiveDateTime {
    const KIND: &'static str = "a moment of the calendar (`chrono::NaiveDateTime`)";

    fn from_value(value: Value<'_>, _column: &ColumnDef) -> Option<Self> {
        let moment = value.as_date_time()?;
        let (hour, minute, second) = (moment.hour.into(), moment.minute.into(), moment.second.into());
        date(moment.date)?.and_hms_micro_opt(hour, minute, second, moment.micros)
    }
}

impl FromValue<'_> for NaiveTime {
    const KIND: &'static str = "a time of day (`chrono::NaiveTime`)";

    fn from_value(value: Value<'_>, _column: &ColumnDef) -> Option<Self> {
        match value.as_time()? {
            Time { negative: false, days: 0, hours, minutes, seconds, micros } => {
                Self::from_hms_micro_opt(hours.into(), minutes.into(), seconds.into(), micros)
            }
            _ => None,
        }
    }
}

impl FromValue<'_> for TimeDelta {
    const KIND: &'static str = "a span of time (`chrono::TimeDelta`)";

    fn from_value(value: Value<'_>, _column: &ColumnDef) -> Option<Self> {
        value.as_time()?.as_micros().map(Self::microseconds)
    }
}

macro_rules! instants {
    ($($zone:ty = $kind:literal),*) => { $(
        impl FromValue<'_> for chrono::DateTime<$zone> {
            const KIND: &'static str = $kind;
            const NEEDS_ZONE: bool = true;

            fn from_value(_value: Value<'_>, _column: &ColumnDef) -> Option<Self> {
                None
            }

            fn from_value_in(value: Value<'_>, _column: &ColumnDef, zone: Option<&tz::TimeZone>) -> Option<Self> {
                chrono::DateTime::<Utc>::from_timestamp_micros(micros_in_zone(value, zone)?).map(Into::into)
            }
        }
    )* };
}

instants! {
    Utc = "an instant (`chrono::DateTime<Utc>`)",
    FixedOffset = "an instant (`chrono::DateTime<FixedOffset>`)"
}

/// A year before 0 becomes one after 9999, which no column holds either, so that it is refused.
fn day(date: NaiveDate) -> Date {
    let year = u16::try_from(date.year()).unwrap_or(u16::MAX);
    Date { year, month: date.month() as u8, day: date.day() as u8 }
}

/// A leap second is 60, which is refused.
fn second(time: &NaiveTime) -> u8 {
    if time.nanosecond() >= 1_000_000_000 { 60 } else { time.second() as u8 }
}

fn date(date: Date) -> Option<NaiveDate> {
    NaiveDate::from_ymd_opt(date.year.into(), date.month.into(), date.day.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convert::from_value::tests::{read, read_in};

    #[test]
    fn there_and_back() {
        let day = NaiveDate::from_ymd_opt(2024, 2, 29).unwrap();
        let moment = day.and_hms_micro_opt(23, 59, 58, 7).unwrap();
        assert_eq!(read::<NaiveDate>(day.to_value()), Some(day));
        assert_eq!(read::<NaiveDateTime>(moment.to_value()), Some(moment));
        assert_eq!(read::<NaiveTime>(moment.time().to_value()), Some(moment.time()));
        let span = TimeDelta::microseconds(-3_020_399_000_001);
        assert_eq!(read::<TimeDelta>(span.to_value()), Some(span));
        let instant = moment.and_utc();
        assert_eq!(instant.to_value(), Value::Instant(instant.timestamp_micros()));
        let shown = Value::DateTime(DateTime::from_micros_since_epoch(instant.timestamp_micros()).unwrap());
        assert_eq!(read_in::<chrono::DateTime<Utc>>(shown, "+00:00"), Some(instant));
        let later = read_in::<chrono::DateTime<Utc>>(shown, "+02:00").unwrap();
        assert_eq!(instant - later, TimeDelta::hours(2));
        assert_eq!(read::<chrono::DateTime<Utc>>(shown), None);
    }
    #[test]
    fn what_no_column_holds_stays_so() {
        let Value::Date(day) = NaiveDate::from_ymd_opt(-1, 1, 1).unwrap().to_value() else { panic!() };
        assert!(!day.is_in_range());
        let leap = NaiveTime::from_hms_micro_opt(23, 59, 59, 1_500_000).unwrap();
        let Value::Time(time) = leap.to_value() else { panic!() };
        assert_eq!(time.seconds, 60);
        let Value::Time(time) = TimeDelta::MAX.to_value() else { panic!() };
        assert!(time.days > 35);
        assert_eq!(read::<NaiveTime>(Value::Text("24:00:00")), None);
        assert_eq!(read::<NaiveDate>(Value::Text("2023-02-29")), None);
    }
}
