//! Numbers for people: `336,776`, `1.2 M`, `21 MB`, `3.9 s`.

use std::time::Duration;

/// `336,776`.
pub(crate) fn exact(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Two or three significant digits with a unit: `312 k`, `1.2 M`.
pub(crate) fn short(number: f64) -> String {
    let (value, unit) = match number {
        n if n >= 999.5e6 => (n / 1e9, " G"),
        n if n >= 999.5e3 => (n / 1e6, " M"),
        n if n >= 999.5 => (n / 1e3, " k"),
        n => (n, ""),
    };
    if value < 9.95 && !unit.is_empty() { format!("{value:.1}{unit}") } else { format!("{value:.0}{unit}") }
}

/// `21 MB`, `950 B`: powers of ten, as disks and networks count.
pub(crate) fn bytes(number: f64) -> String {
    match short(number) {
        text if text.contains(' ') => text + "B",
        text => text + " B",
    }
}

/// `0.4 s`, `3.9 s`, `2 min 5 s`, `1 h 2 min`.
pub(crate) fn time(elapsed: Duration) -> String {
    let seconds = elapsed.as_secs();
    match seconds {
        0..60 => format!("{:.1} s", elapsed.as_secs_f64()),
        60..3600 => format!("{} min {} s", seconds / 60, seconds % 60),
        _ => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
    }
}

/// `1 row`, `2 rows`.
pub(crate) fn counted(number: u64, what: &str) -> String {
    format!("{} {what}{}", exact(number), if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(counted(1, "row"), "1 row");
        assert_eq!(counted(2, "row"), "2 rows");
    }
}
