//! Numbers for people: `336,776`, `1.2 M`, `21 MB`, `3.9 s`; and times as people write them.

use std::time::Duration;

/// `336,776`.
pub fn exact(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Two or three significant digits with a unit: `312 k`, `1.2 M`.
pub fn short(number: f64) -> String {
    let (value, unit) = match number {
        n if n >= 999.5e6 => (n / 1e9, " G"),
        n if n >= 999.5e3 => (n / 1e6, " M"),
        n if n >= 999.5 => (n / 1e3, " k"),
        n => (n, ""),
    };
    if value < 9.95 && !unit.is_empty() { format!("{value:.1}{unit}") } else { format!("{value:.0}{unit}") }
}

/// `21 MB`, `950 B`: powers of ten, as disks and networks count.
pub fn bytes(number: f64) -> String {
    match short(number) {
        text if text.contains(' ') => text + "B",
        text => text + " B",
    }
}

/// `0.4 s`, `3.9 s`, `2 min 5 s`, `1 h 2 min`.
pub fn time(elapsed: Duration) -> String {
    let seconds = elapsed.as_secs();
    match seconds {
        0..60 => format!("{:.1} s", elapsed.as_secs_f64()),
        60..3600 => format!("{} min {} s", seconds / 60, seconds % 60),
        _ => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
    }
}

/// `4 s`, `2 min 5 s`, `1 h 2 min`: rounded up.
pub fn whole_time(time: Duration) -> String {
    let seconds = time.as_secs() + u64::from(time.subsec_nanos() > 0);
    match seconds {
        0..60 => format!("{seconds} s"),
        _ => self::time(Duration::from_secs(seconds)),
    }
}

/// Parses a time: `500ms`, `30s`, `10m`, `10min`, `2h` or a bare number of seconds.
pub fn time_of(text: &str) -> Option<Duration> {
    let number = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let seconds = match &text[number.len()..] {
        "ms" => 0.001,
        "s" | "" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return None,
    };
    Duration::try_from_secs_f64(number.parse::<f64>().ok()? * seconds).ok()
}

/// Parses a number like `4MiB`, `512k` or `64000`. Also returns whether it has a unit of bytes.
pub fn bytes_of(text: &str) -> Option<(u64, bool)> {
    const UNITS: [(&str, u64); 9] = [
        ("k", 1 << 10),
        ("kb", 1 << 10),
        ("kib", 1 << 10),
        ("m", 1 << 20),
        ("mb", 1 << 20),
        ("mib", 1 << 20),
        ("g", 1 << 30),
        ("gb", 1 << 30),
        ("gib", 1 << 30),
    ];
    with_unit(text, &UNITS)
}

/// Parses rows a second: `5000`, `50k`, `1M` or `1M/s`.
pub fn rate_of(text: &str) -> Option<u64> {
    let (rows, _) = with_unit(text.strip_suffix("/s").unwrap_or(text), &[("k", 1_000), ("m", 1_000_000)])?;
    Some(rows)
}

/// A number with a unit or without one: its value, and whether there was one.
fn with_unit(text: &str, units: &[(&str, u64)]) -> Option<(u64, bool)> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let number: u64 = digits.parse().ok()?;
    let unit = text[digits.len()..].to_ascii_lowercase();
    if unit.is_empty() {
        return Some((number, false));
    }
    let (_, factor) = units.iter().find(|(name, _)| *name == unit)?;
    Some((number.checked_mul(*factor)?, true))
}

/// `1 row`, `2 rows`.
pub fn counted(number: u64, what: &str) -> String {
    format!("{} {what}{}", exact(number), if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_time(text: &str, want: Option<u64>) {
        assert_eq!(time_of(text), want.map(Duration::from_millis), "{text}");
    }

    #[test]
    fn times() {
        check_time("60s", Some(60_000));
        check_time("0.5", Some(500));
        check_time("250ms", Some(250));
        check_time("2min", Some(120_000));
        check_time("10m", Some(600_000));
        check_time("1h", Some(3_600_000));
        for bad in ["-1s", "soon", "10 s", "", "s", "inf", "1e400s", "nan", "9e19h", "1d"] {
            check_time(bad, None);
        }
    }

    #[test]
    fn numbers() {
        assert_eq!(exact(0), "0");
        assert_eq!(exact(999), "999");
        assert_eq!(exact(336_776), "336,776");
        assert_eq!(exact(1_234_567_890), "1,234,567,890");
        assert_eq!(short(950.0), "950");
        assert_eq!(short(1_240.0), "1.2 k");
        assert_eq!(short(312_400.0), "312 k");
        assert_eq!(short(999_900.0), "1.0 M");
        assert_eq!(short(21.4e6), "21 M");
        assert_eq!(bytes(21.4e6), "21 MB");
        assert_eq!(bytes(12.0), "12 B");
        assert_eq!(time(Duration::from_millis(3_940)), "3.9 s");
        assert_eq!(time(Duration::from_secs(125)), "2 min 5 s");
        assert_eq!(time(Duration::from_secs(3_725)), "1 h 2 min");
        let whole = |ms| whole_time(Duration::from_millis(ms));
        assert_eq!([0, 10, 59_001, 61_000].map(whole), ["0 s", "1 s", "1 min 0 s", "1 min 1 s"]);
        assert_eq!(counted(1, "row"), "1 row");
        assert_eq!(counted(2, "row"), "2 rows");
    }
}
