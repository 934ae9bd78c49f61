//! Refuses texts that strptime reads in an unintended way: a year of two digits by `%Y`, which would be in the first century, and a
//! second 60, which it changes to 59.

use jiff::fmt::strtime;

/// Whether the year of `text` has as many digits as its directive in `format` says: `%Y` four, `%y` two. `text` is one that the format reads.
pub(super) fn has_whole_year(format: &str, text: &str) -> bool {
    let Some(year) = year_of(format) else { return true };
    let mut runs = text.split(|c: char| !c.is_ascii_digit()).filter(|run| !run.is_empty());
    runs.nth(year.run).is_some_and(|run| run.len() == year.digits)
}

/// Whether `text`, which the format reads, has a second 60. A 61 in its place is invalid as a second, but valid as a year, a fraction
/// and so on.
pub(super) fn has_second_60(format: &str, text: &str) -> bool {
    text.match_indices("60").any(|(at, two)| {
        let other = [&text[..at], "61", &text[at + two.len()..]].concat();
        strtime::parse(format, &other).is_err()
    })
}

/// Where the digits of a year are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Year {
    /// How many runs of digits are before its own.
    run: usize,
    /// How many digits that run has: those of the year, and of the numbers next to it without a separator.
    digits: usize,
}

/// The year of a format; `None` if it has none, or a number next to it that has no fixed number of digits.
fn year_of(format: &str) -> Option<Year> {
    let whole = EXPANDED.iter().fold(format.to_owned(), |format, (short, long)| format.replace(short, long));
    let (mut run, mut digits, mut has_year) = (0, 0, false);
    let mut chars = whole.chars().peekable();
    while let Some(c) = chars.next() {
        let width = match c {
            '%' => {
                while chars
                    .next_if(|c| matches!(c, '-' | '_' | '0' | '^' | '#' | ':' | '.') || c.is_ascii_digit())
                    .is_some()
                {}
                let directive = chars.next()?;
                has_year |= matches!(directive, 'Y' | 'y' | 'G' | 'g');
                width_of(directive)?
            }
            _ => usize::from(c.is_ascii_digit()),
        };
        match width {
            0 if has_year && digits > 0 => break,
            0 => {
                run += usize::from(digits > 0);
                digits = 0;
            }
            _ => digits += width,
        }
    }
    has_year.then_some(Year { run, digits })
}

/// How many digits a directive has in full; `None` for any number of them.
fn width_of(directive: char) -> Option<usize> {
    Some(match directive {
        'Y' | 'G' => 4,
        'y' | 'g' | 'C' | 'm' | 'd' | 'e' | 'H' | 'k' | 'I' | 'l' | 'M' | 'S' | 'U' | 'V' | 'W' => 2,
        'j' => 3,
        'u' | 'w' => 1,
        'f' | 'N' | 's' | 'z' | 'Q' => return None,
        _ => 0,
    })
}

/// Directives that stand for several.
const EXPANDED: &[(&str, &str)] = &[("%D", "%m/%d/%y"), ("%F", "%Y-%m-%d"), ("%T", "%H:%M:%S"), ("%R", "%H:%M")];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_year_of_a_format() {
        let check = |format: &str, want: Option<(usize, usize)>| {
            assert_eq!(year_of(format).map(|year| (year.run, year.digits)), want, "{format}");
        };
        check("%d.%m.%Y", Some((2, 4)));
        check("%d.%m.%y", Some((2, 2)));
        check("%-d/%-m/%-Y", Some((2, 4)));
        check("%Y%m%dT%H%M", Some((0, 8)));
        check("%y%m%d", Some((0, 6)));
        check("%A, %d %B %Y at %H:%M", Some((1, 4)));
        check("%D", Some((2, 2)));
        check("%F %T", Some((0, 4)));
        check("%H:%M", None);
        check("%d%b%Y%z", None);
    }

    #[test]
    fn seconds_that_no_clock_shows() {
        let check = |format: &str, text: &str, want: bool| assert_eq!(has_second_60(format, text), want, "{text}");
        check("%d.%m.%Y %H:%M:%S", "31.12.2016 23:59:60", true);
        check("%d.%m.%Y %H:%M:%S", "31.12.1960 23:59:59", false);
        check("%d.%m.%Y %H:%M:%S", "31.12.1960 23:59:60", true);
        check("%H:%M:%S%.f", "23:59:59.60", false);
        check("%d.%m.%y %S", "31.12.60 59", false);
    }
}
