//! What a column surely takes unchanged, in a form that costs one or two comparisons for each value: a fast check that decides
//! nearly all values. A value outside the bounds is not yet bad; it needs the column's full check (`column::check`).

use crate::value::{Date, Value};
use std::ops::Range;

/// What one placeholder surely takes.
#[derive(Clone, Debug, PartialEq)]
pub struct Bounds {
    /// Whether NULL is within.
    pub null: bool,
    /// Which other values are.
    pub within: Within,
}

/// Values of the kind that a column gets in most cases.
#[derive(Clone, Debug, PartialEq)]
pub enum Within {
    /// All values.
    Any,
    /// No value: each needs the full check.
    Nothing,
    /// Whole numbers of both kinds.
    Int {
        /// The least one.
        min: i64,
        /// The greatest one.
        max: u64,
    },
    /// Texts.
    Text {
        /// Bytes of the longest one.
        max: usize,
        /// Only those of ASCII.
        ascii: bool,
    },
    /// Bytes, as many at most.
    Bytes {
        /// Bytes of the longest one.
        max: usize,
    },
    /// Numbers with a fraction.
    Double {
        /// The greatest one, whatever its sign.
        max: f64,
        /// None below zero.
        unsigned: bool,
        /// None that becomes 0 when it is rounded to a single.
        single: bool,
    },
    /// Days of the calendar from year 1 on.
    Date,
    /// Moments of days of the calendar.
    DateTime {
        /// From this year on.
        first_year: u16,
        /// Up to this one, but not in it.
        end_year: u16,
        /// With microseconds.
        micros: bool,
    },
}

impl Bounds {
    /// For a placeholder that accepts any value.
    pub const NONE: Self = Self { null: true, within: Within::Any };

    /// Whether the first value and every `stride`th after it are within.
    pub fn holds_all(&self, values: &[Value<'_>], stride: usize) -> bool {
        values.iter().step_by(stride.max(1)).all(|value| self.holds(value))
    }

    /// For moments: the range that is within, in microseconds since 1970-01-01 00:00:00, and whether values with a fraction of a
    /// second are.
    pub(crate) fn micros(&self) -> Option<(Range<i64>, bool)> {
        let Within::DateTime { first_year, end_year, micros } = self.within else { return None };
        let first = Date { year: first_year, month: 1, day: 1 }.days_since_epoch()?;
        let last = Date { year: end_year.checked_sub(1)?, month: 12, day: 31 }.days_since_epoch()?;
        let micros_of = |day: i32| i64::from(day) * 86_400_000_000;
        Some((micros_of(first)..micros_of(last + 1), micros))
    }

    /// Whether the value is within.
    #[inline(always)]
    pub fn holds(&self, value: &Value<'_>) -> bool {
        match (value, &self.within) {
            (Value::Int(n), Within::Int { min, max }) => n >= min && (*n < 0 || *n as u64 <= *max),
            (Value::UInt(n), Within::Int { max, .. }) => n <= max,
            (Value::Text(text), Within::Text { max, ascii }) => text.len() <= *max && (!ascii || text.is_ascii()),
            (Value::Bytes(bytes), Within::Bytes { max }) => bytes.len() <= *max,
            (Value::Double(n), Within::Double { max, unsigned, single }) => {
                n.abs() <= *max && (!unsigned || n.is_sign_positive()) && (!single || *n == 0.0 || *n as f32 != 0.0)
            }
            (Value::Date(date), Within::Date) => date.year > 0 && date.is_valid(),
            (Value::DateTime(moment), Within::DateTime { first_year, end_year, micros }) => {
                let date = &moment.date;
                let is_in_any_month = date.month.wrapping_sub(1) < 12 && date.day.wrapping_sub(1) < 28;
                date.year >= *first_year
                    && date.year < *end_year
                    && (is_in_any_month || date.is_valid())
                    && (moment.hour < 24 && moment.minute < 60 && moment.second < 60)
                    && (moment.micros == 0 || (*micros && moment.micros < 1_000_000))
            }
            (Value::Null, _) => self.null,
            (Value::Instant(_) | Value::Written(_) | Value::Json(_), _) => false,
            (_, within) => matches!(within, Within::Any),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convert::{Columns, Rows};
    use crate::value::DateTime;
    use arrow_array::{TimestampMicrosecondArray, TimestampMillisecondArray};

    /// How many of the moments are within by rows and by columns, which must be as many.
    #[track_caller]
    fn check(within: Within, micros: &[i64], want: usize) {
        let bounds = [Bounds { null: false, within }];
        let moments: Vec<_> = micros.iter().map(|n| (DateTime::from_micros_since_epoch(*n),)).collect();
        assert_eq!(moments.bind(&[], 1).unwrap().n_within(0..micros.len(), &bounds), want);
        let array = TimestampMicrosecondArray::from_iter_values(micros.iter().copied());
        let columns = Columns::default().with("a", &array);
        assert_eq!(columns.bind(&[], 1).unwrap().n_within(0..micros.len(), &bounds), want);
        if micros.iter().all(|n| n % 1_000 == 0) {
            let array = TimestampMillisecondArray::from_iter_values(micros.iter().map(|n| n / 1_000));
            let columns = Columns::default().with("a", &array);
            assert_eq!(columns.bind(&[], 1).unwrap().n_within(0..micros.len(), &bounds), want);
        }
    }

    fn years(first_year: u16, end_year: u16, micros: bool) -> Within {
        Within::DateTime { first_year, end_year, micros }
    }

    #[test]
    fn moments_by_rows_and_by_columns() {
        const SECOND: i64 = 1_000_000;
        // 1971-01-01 and 2037-01-01.
        let (first, end) = (31_536_000 * SECOND, 2_114_380_800 * SECOND);
        check(years(1971, 2037, false), &[first, end - SECOND, first], 3);
        check(years(1971, 2037, false), &[first, first - SECOND], 1);
        check(years(1971, 2037, false), &[first, first, end], 2);
        check(years(1971, 2037, false), &[first, first + 1], 1);
        check(years(1971, 2037, true), &[first, first + 1, end - 1], 3);
        check(years(0, 0, true), &[first], 0);
        check(years(1, 10_000, true), &[-62_135_596_800 * SECOND, 253_402_300_799 * SECOND], 2);
        check(years(1, 10_000, true), &[253_402_300_800 * SECOND], 0);
        check(Within::Any, &[first], 1);
        check(Within::Nothing, &[first], 0);
        check(Within::Date, &[first], 0);
    }
    #[test]
    fn nulls_are_within_where_they_may_be() {
        let columns = Columns::default().with("a", &[Some(1), None, Some(3)]);
        let columns = columns.bind(&[], 1).unwrap();
        let rows = [(Some(1),), (None,), (Some(3),)];
        let rows = rows.bind(&[], 1).unwrap();
        for (null, want) in [(true, 3), (false, 1)] {
            let bounds = [Bounds { null, within: Within::Int { min: 0, max: 9 } }];
            assert_eq!((columns.n_within(0..3, &bounds), rows.n_within(0..3, &bounds)), (want, want));
            assert_eq!((columns.n_within(2..3, &bounds), rows.n_within(2..3, &bounds)), (1, 1));
        }
        assert_eq!((columns.n_within(0..3, &[]), rows.n_within(0..3, &[])), (0, 0));
    }
}
