//! A session's time zone by name: the one that the server is set to, and that converts values.

use crate::error::{Error, Result};
use crate::value::DateTime;
use jiff::tz::{AmbiguousOffset, Offset, TimeZone};

/// Finds a zone: `+02:00`, `UTC`, or a name of the IANA database. `SYSTEM` is the server's own and unknown here.
///
/// # Errors
/// `Config` for what is none of these.
pub fn find(name: &str) -> Result<TimeZone> {
    if let Some(zone) = fixed(name) {
        return Ok(zone);
    }
    TimeZone::get(name).map_err(|_| {
        Error::config(format!("`{name}` is not a time zone"))
            .with_hint("give an offset such as `+02:00`, or a name such as `Europe/Berlin`")
    })
}

/// The zone of a session by the server's name for it; unknown for `SYSTEM` and for a name that only the server knows.
pub fn of_session(name: &str) -> TimeZone {
    find(name).unwrap_or_else(|_| TimeZone::unknown())
}

/// An offset in the one spelling that servers return: `+5:45` as `+05:45`, no offset at all as `+00:00`.
pub fn spelling(name: &str) -> String {
    match fixed(name).and_then(|zone| zone.to_fixed_offset().ok()) {
        Some(offset) => {
            let minutes = offset.seconds().abs() / 60;
            let sign = if offset.seconds() < 0 { '-' } else { '+' };
            format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60)
        }
        None => name.to_owned(),
    }
}

/// The clock of the zone at an instant, in microseconds since 1970-01-01 00:00:00 UTC. `None`: the year is not from 0 to 9999.
pub fn clock(micros: i64, zone: &TimeZone) -> Option<DateTime> {
    let offset = match zone.to_fixed_offset() {
        Ok(offset) => offset,
        Err(_) => zone.to_offset(nearest(micros)),
    };
    DateTime::from_micros_since_epoch(micros.checked_add(i64::from(offset.seconds()) * 1_000_000)?)
}

/// The instant, or the last one that jiff knows: its calendar ends a day before that of the servers, and no zone changes its clocks then.
fn nearest(micros: i64) -> jiff::Timestamp {
    let (min, max) = (jiff::Timestamp::MIN.as_microsecond(), jiff::Timestamp::MAX.as_microsecond());
    jiff::Timestamp::from_microsecond(micros.clamp(min, max)).unwrap_or(jiff::Timestamp::MAX)
}

/// The instant of a clock time in the zone, in microseconds since 1970-01-01 00:00:00 UTC. `None`: that clock time does not
/// occur, occurs twice, or no calendar has the day.
pub fn instant(shown: DateTime, zone: &TimeZone) -> Option<i64> {
    let micros = shown.micros_since_epoch()?;
    let at = |seconds: i32| micros.checked_sub(i64::from(seconds) * 1_000_000);
    if let Ok(offset) = zone.to_fixed_offset() {
        return at(offset.seconds());
    }
    let part = |n: u8| i8::try_from(n).ok();
    let (year, nanos) = (i16::try_from(shown.date.year).ok()?, i32::try_from(shown.micros).ok()?.checked_mul(1_000)?);
    let (month, day) = (part(shown.date.month)?, part(shown.date.day)?);
    let (hour, minute, second) = (part(shown.hour)?, part(shown.minute)?, part(shown.second)?);
    let civil = jiff::civil::DateTime::new(year, month, day, hour, minute, second, nanos).ok()?;
    match zone.to_ambiguous_timestamp(civil).offset() {
        AmbiguousOffset::Unambiguous { offset } => at(offset.seconds()),
        _ => None,
    }
}

/// `+hh:mm` or `-hh:mm`, within the servers' range of -13:59 to +14:00 (MariaDB: -12:59 to +13:00).
fn fixed(text: &str) -> Option<TimeZone> {
    let (sign, rest) = match text.as_bytes().first()? {
        b'+' => (1, &text[1..]),
        b'-' => (-1, &text[1..]),
        _ => return None,
    };
    let (hours, minutes) = rest.split_once(':')?;
    let number = |part: &str| part.bytes().all(|b| b.is_ascii_digit()).then(|| part.parse::<i32>().ok()).flatten();
    let (hours, minutes) = (number(hours)?, number(minutes)?);
    if hours > 14 || minutes > 59 {
        return None;
    }
    Offset::from_seconds(sign * (hours * 3600 + minutes * 60)).ok().map(TimeZone::fixed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, seconds: i32) {
        let zone = find(name).unwrap();
        assert_eq!(zone.to_fixed_offset().unwrap().seconds(), seconds);
    }

    #[test]
    fn offsets() {
        check("+00:00", 0);
        check("+02:00", 7200);
        check("-05:30", -19800);
        check("+5:45", 20700);
    }
    #[test]
    fn names() {
        assert_eq!(find("Europe/Berlin").unwrap().iana_name(), Some("Europe/Berlin"));
        assert!(find("UTC").is_ok());
    }
    #[test]
    fn a_zone_that_only_the_server_knows() {
        assert!(of_session("SYSTEM").is_unknown() && of_session("").is_unknown());
        assert!(!of_session("UTC").is_unknown() && !of_session("+00:00").is_unknown());
    }
    #[test]
    fn an_offset_has_one_spelling() {
        let spelled = ["+5:45", "-5:30", "-00:00", "+02:00", "Europe/Berlin"].map(spelling);
        assert_eq!(spelled, ["+05:45", "-05:30", "+00:00", "+02:00", "Europe/Berlin"]);
    }
    #[test]
    fn the_last_day_of_the_calendar_is_read_and_written() {
        let last = DateTime::parse(b"9999-12-31 23:59:59.999999").unwrap();
        for name in ["+00:00", "+02:00", "-11:00", "Europe/Berlin", "America/New_York"] {
            let zone = find(name).unwrap();
            let micros = instant(last, &zone).unwrap();
            assert_eq!(clock(micros, &zone), Some(last), "{name}");
            assert_eq!(clock(micros + 1, &zone), None, "{name}");
        }
    }
    #[test]
    fn nonsense_is_named() {
        for name in ["", "SYSTEM", "+25:00", "+1:99", "+x:y", "Mars/Base"] {
            assert!(find(name).unwrap_err().hint().is_some(), "{name}");
        }
    }
}
