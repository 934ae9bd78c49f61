//! What is known about a column's cells without reading them, because of the values that they were written from.

/// Holds for all cells that are not NULL.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Known {
    /// Nothing.
    #[default]
    Nothing,
    /// They are whole numbers from `min` to `max`: digits, and a minus before those below zero.
    Int {
        /// The least, or less.
        min: i64,
        /// The greatest, or more.
        max: i64,
    },
    /// They are decimals in the same form, with at most this many digits before the point and at most this many after it.
    Decimal {
        /// At least one.
        int_digits: usize,
        /// None, and there is no point.
        scale: usize,
        /// Some may be below zero.
        negative: bool,
    },
    /// They are UTF-8 of up to so many bytes.
    Text {
        /// Of the longest one, or more.
        longest: u32,
    },
    /// They are days of the calendar from year 1 to 9999: `2026-01-02`.
    Date,
    /// They, and those that are NULL, were checked for this very column.
    Checked,
}

impl Known {
    /// What is known of the cells of both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Known::Int { min: a, max: b }, Known::Int { min: c, max: d }) => {
                Known::Int { min: a.min(c), max: b.max(d) }
            }
            (
                Known::Decimal { int_digits: a, scale: b, negative: c },
                Known::Decimal { int_digits: d, scale: e, negative: f },
            ) => Known::Decimal { int_digits: a.max(d), scale: b.max(e), negative: c || f },
            (Known::Text { longest: a }, Known::Text { longest: b }) => Known::Text { longest: a.max(b) },
            (Known::Date, Known::Date) => Known::Date,
            (Known::Checked, Known::Checked) => Known::Checked,
            _ => Known::Nothing,
        }
    }
}
