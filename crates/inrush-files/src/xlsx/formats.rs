//! The kind of a number format: only the format shows whether a number of a workbook is a day or a time.

/// What a cell with a number shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum NumberFormatKind {
    #[default]
    Number,
    /// A day, and a time of day if the number has one.
    Day,
    /// A day with its time.
    Moment,
    /// A time of day.
    Time,
    /// Hours, minutes and seconds, which may be more than 24, 60 and 60.
    Duration,
}

/// A format that every program knows by its number.
pub(super) fn builtin(id: u32) -> NumberFormatKind {
    match id {
        14..=17 | 27..=31 | 34..=36 | 50..=54 | 57..=58 => NumberFormatKind::Day,
        18..=21 | 32..=33 | 45 | 47 | 55..=56 => NumberFormatKind::Time,
        22 => NumberFormatKind::Moment,
        46 => NumberFormatKind::Duration,
        _ => NumberFormatKind::Number,
    }
}

/// A format by its code, such as `yyyy-mm-dd hh:mm;@`. The first section counts, which is that of positive numbers.
pub(super) fn custom(code: &str) -> NumberFormatKind {
    let (mut has_day, mut has_month_or_minute, mut has_time) = (false, false, false);
    let mut chars = code.chars();
    while let Some(c) = chars.next() {
        match c.to_ascii_lowercase() {
            ';' => break,
            '"' => while chars.next().is_some_and(|c| c != '"') {},
            // The next one is shown as it is, is as wide as the blank, or is repeated.
            '\\' | '_' | '*' => drop(chars.next()),
            '[' => {
                let inside: String = chars.by_ref().take_while(|c| *c != ']').collect();
                let inside = inside.to_ascii_lowercase();
                let is_all = |unit| !inside.is_empty() && inside.chars().all(|c| c == unit);
                if ['h', 'm', 's'].into_iter().any(is_all) {
                    return NumberFormatKind::Duration;
                }
            }
            'a' if is_half_of_day(chars.as_str()) => {
                has_time = true;
                let _ = chars.by_ref().find(|c| matches!(c, 'p' | 'P'));
                if chars.as_str().starts_with(['m', 'M']) {
                    chars.next();
                }
            }
            'y' | 'd' => has_day = true,
            'h' | 's' => has_time = true,
            'm' => has_month_or_minute = true,
            // General, which has no day in it.
            'g' if chars.as_str().to_ascii_lowercase().starts_with("eneral") => drop(chars.nth(5)),
            _ => {}
        }
    }
    match (has_day || (has_month_or_minute && !has_time), has_time) {
        (true, true) => NumberFormatKind::Moment,
        (true, false) => NumberFormatKind::Day,
        (false, true) => NumberFormatKind::Time,
        (false, false) => NumberFormatKind::Number,
    }
}

/// What follows the `a` of `AM/PM` or `A/P`.
fn is_half_of_day(rest: &str) -> bool {
    let starts = |text: &str| rest.get(..text.len()).is_some_and(|start| start.eq_ignore_ascii_case(text));
    starts("m/pm") || starts("/p")
}
