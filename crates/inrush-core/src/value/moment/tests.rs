use crate::value::moment::*;

#[track_caller]
fn check_date(text: &str, want: Option<i32>) {
    let date = Date::parse(text.as_bytes()).unwrap();
    assert_eq!((date.days_since_epoch(), date.is_valid()), (want, want.is_some()), "{text}");
    assert_eq!(date.to_string(), text);
}

#[test]
fn days() {
    check_date("1970-01-01", Some(0));
    check_date("1969-12-31", Some(-1));
    check_date("2024-02-29", Some(19_782));
    check_date("2000-02-29", Some(11_016));
    check_date("9999-12-31", Some(2_932_896));
    check_date("0000-01-01", Some(-719_528));
    for impossible in ["0000-00-00", "2024-00-10", "2024-10-00", "2024-02-31", "2023-02-29", "1900-02-29", "2024-13-01"]
    {
        check_date(impossible, None);
    }
}

#[test]
fn every_day_follows_the_one_before() {
    let mut expected = Date { year: 0, month: 1, day: 1 }.days_since_epoch().unwrap();
    for year in 0..=9999 {
        for month in 1..=12 {
            for day in 1..=days_of_month(year, month) {
                assert_eq!(Date { year, month, day }.days_since_epoch(), Some(expected));
                expected += 1;
            }
        }
    }
    assert_eq!(expected, 2_932_897);
}

#[track_caller]
fn check_moment(text: &str, want: Option<i64>) {
    let moment = DateTime::parse(text.as_bytes()).unwrap();
    assert_eq!(moment.micros_since_epoch(), want, "{text}");
}

#[test]
fn moments() {
    check_moment("1970-01-01 00:00:00", Some(0));
    check_moment("1970-01-01", Some(0));
    check_moment("1970-01-01T00:00:01", Some(1_000_000));
    check_moment("1969-12-31 23:59:59.999999", Some(-1));
    check_moment("2024-02-29 23:59:58.5", Some(1_709_251_198_500_000));
    check_moment("2024-02-29 24:00:00", None);
    check_moment("2024-02-29 00:60:00", None);
    check_moment("2024-02-31 00:00:00", None);
}

#[track_caller]
fn check_time(text: &str, want: i64) {
    let time = Time::parse(text.as_bytes()).unwrap();
    assert_eq!(time.as_micros(), Some(want), "{text}");
    assert_eq!(Time::from_micros(want), Some(time), "{text}");
    assert_eq!(time.to_string(), text);
}

#[test]
fn times() {
    check_time("00:00:00", 0);
    check_time("-00:00:00.000001", -1);
    check_time("838:59:59.999999", 3_020_399_999_999);
    check_time("-838:59:59", -3_020_399_000_000);
    check_time("23:59:59", 86_399_000_000);
    check_time("24:00:00", 86_400_000_000);
}

#[test]
fn what_no_server_writes() {
    for text in
        ["", "2024-2-29", "2024-02-29 ", "2024-02-29 1:00:00", "x024-02-29", "2024-02-29 00:00:00.", "2024/02/29"]
    {
        assert_eq!(DateTime::parse(text.as_bytes()), None, "{text}");
    }
    assert_eq!(DateTime::parse(b"2024-02-29 00:00:00.1234567"), None);
    for text in ["", "-", ":", "1:00:00", "00:00", "00:00:00.", "0000000000:00:00", "00:00:0x", "+01:00:00"] {
        assert_eq!(Time::parse(text.as_bytes()), None, "{text}");
    }
    let absurd = Time { days: u32::MAX, ..Time::default() };
    assert_eq!(absurd.as_micros(), None);
    assert_eq!(Time { hours: 24, ..Time::default() }.as_micros(), None);
    assert_eq!(Time::from_micros(i64::MAX).unwrap().days, 106_751_991);
}

#[test]
fn every_day_of_four_digits_is_found_again() {
    for days in FIRST_DAY..=LAST_DAY {
        let date = Date::from_days_since_epoch(days).unwrap();
        assert_eq!(date.days_since_epoch(), Some(days), "{date}");
    }
    for days in [i32::MIN, FIRST_DAY - 1, LAST_DAY + 1, i32::MAX] {
        assert_eq!(Date::from_days_since_epoch(days), None);
    }
}

#[track_caller]
fn check_micros(micros: i64, want: Option<&str>) {
    let moment = DateTime::from_micros_since_epoch(micros);
    assert_eq!(moment.map(|moment| moment.to_string()).as_deref(), want);
    assert_eq!(moment.and_then(|moment| moment.micros_since_epoch()), want.map(|_| micros));
}

#[test]
fn moments_by_microseconds() {
    check_micros(0, Some("1970-01-01 00:00:00"));
    check_micros(-1, Some("1969-12-31 23:59:59.999999"));
    check_micros(1_709_251_198_000_001, Some("2024-02-29 23:59:58.000001"));
    check_micros(i64::from(FIRST_DAY) * MICROS_OF_DAY, Some("0000-01-01 00:00:00"));
    check_micros(i64::from(FIRST_DAY) * MICROS_OF_DAY - 1, None);
    check_micros((i64::from(LAST_DAY) + 1) * MICROS_OF_DAY - 1, Some("9999-12-31 23:59:59.999999"));
    check_micros((i64::from(LAST_DAY) + 1) * MICROS_OF_DAY, None);
    check_micros(i64::MIN, None);
    check_micros(i64::MAX, None);
}
