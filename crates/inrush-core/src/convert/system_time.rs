//! The standard library's instants as values. No clock is read here.
#![allow(clippy::disallowed_types)]

use crate::convert::from_value::micros_in_zone;
use crate::convert::{FromValue, ToValue};
use crate::value::Value;
use crate::wire::ColumnDef;
use jiff::tz::TimeZone;
use std::time::{Duration, SystemTime};

impl ToValue for SystemTime {
    fn to_value(&self) -> Value<'_> {
        Value::Instant(micros_of(*self))
    }
}

impl FromValue<'_> for SystemTime {
    const KIND: &'static str = "an instant (`SystemTime`)";
    const NEEDS_ZONE: bool = true;

    fn from_value(_value: Value<'_>, _column: &ColumnDef) -> Option<Self> {
        None
    }

    fn from_value_in(value: Value<'_>, _column: &ColumnDef, zone: Option<&TimeZone>) -> Option<Self> {
        let micros = micros_in_zone(value, zone)?;
        let distance = Duration::from_micros(micros.unsigned_abs());
        if micros < 0 {
            SystemTime::UNIX_EPOCH.checked_sub(distance)
        } else {
            SystemTime::UNIX_EPOCH.checked_add(distance)
        }
    }
}

/// Microseconds since 1970; an instant that is too far away stays too far, so that it is refused.
fn micros_of(instant: SystemTime) -> i64 {
    let whole = |distance: Duration| i64::try_from(distance.as_micros()).unwrap_or(i64::MAX);
    match instant.duration_since(SystemTime::UNIX_EPOCH) {
        Ok(after) => whole(after),
        // Rounded down, like any other fraction of a microsecond.
        Err(before) => -whole(before.duration() + Duration::from_nanos(999)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convert::from_value::tests::{read, read_in};
    use crate::value::DateTime;

    #[test]
    fn there_and_back() {
        for micros in [0, 1, -1, 1_709_251_198_000_001] {
            let shown = Value::DateTime(DateTime::from_micros_since_epoch(micros).unwrap());
            let instant = read_in::<SystemTime>(shown, "+00:00").unwrap();
            assert_eq!(instant.to_value(), Value::Instant(micros));
        }
        assert_eq!(read::<SystemTime>(Value::DateTime(DateTime::default())), None);
    }
    #[test]
    fn a_fraction_is_cut_off() {
        let at = |nanos| micros_of(SystemTime::UNIX_EPOCH + Duration::from_nanos(nanos));
        assert_eq!((at(1_999), at(2_000)), (1, 2));
        let before = |nanos| micros_of(SystemTime::UNIX_EPOCH - Duration::from_nanos(nanos));
        assert_eq!((before(1), before(1_000), before(1_001)), (-1, -1, -2));
    }
}
