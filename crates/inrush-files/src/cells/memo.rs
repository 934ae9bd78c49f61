//! A cache of formatted values: dates and amounts repeat often, and a lookup is cheaper than formatting (docs/notes/load-speed.md).

use super::moment;
use inrush_core::column::{INLINE, view};

/// The views of some earlier values. Values share its slots: the last one replaces the others.
#[derive(Debug, Default)]
pub(crate) struct Memo {
    /// Empty until the first value.
    keys: Vec<i64>,
    views: Vec<u128>,
    hits: usize,
    misses: usize,
}

impl Memo {
    /// The view of `value`, computed by `write` if it is not cached; a value without a view is not cached. If most values are new, the cache
    /// is switched off.
    #[inline]
    pub(crate) fn view(&mut self, value: i64, write: impl FnOnce() -> Option<u128>) -> Option<u128> {
        if self.misses > self.hits + PLACES {
            return write();
        }
        if self.keys.is_empty() {
            // The view of a formatted value is never 0.
            (self.keys, self.views) = (vec![0; PLACES], vec![0; PLACES]);
        }
        let place = value as usize % PLACES;
        if self.keys[place] == value && self.views[place] != 0 {
            self.hits += 1;
            return Some(self.views[place]);
        }
        self.misses += 1;
        let view = write()?;
        (self.keys[place], self.views[place]) = (value, view);
        Some(view)
    }

    /// The view of a day since 1970; a day far outside of the calendar has none, and is written to `text` instead.
    #[inline]
    pub(crate) fn date(&mut self, day: i32, text: &mut Vec<u8>) -> Option<u128> {
        self.view(day.into(), || {
            text.clear();
            moment::date(day.into(), text);
            (text.len() <= INLINE).then(|| view(text, 0, 0))
        })
    }
}

/// Days of eleven years; 96 KiB.
const PLACES: usize = 4096;

#[cfg(test)]
mod tests {
    use super::*;

    /// A day has the same text whatever was cached before.
    #[track_caller]
    fn check(days: impl IntoIterator<Item = i32>) {
        let (mut memo, mut text) = (Memo::default(), Vec::new());
        for day in days {
            let mut want = Vec::new();
            moment::date(day.into(), &mut want);
            match memo.date(day, &mut text) {
                Some(view_of) => assert_eq!(view_of, view(&want, 0, 0), "{day}"),
                None => assert!(text == want && want.len() > INLINE, "{day}"),
            }
        }
    }

    #[test]
    fn days_that_share_a_place() {
        let places = PLACES as i32;
        check([0, 7, 7, 7 + places, 7, 7 - places, -1, -1, 0, 0]);
    }

    #[test]
    fn days_that_never_come_again() {
        check(0..10_000);
        check((0..30_000).map(|n| n % 10_000 * 7));
    }

    #[test]
    fn days_beyond_the_calendar() {
        check([i32::MAX, i32::MIN, i32::MAX, 2_932_896, 2_932_897, -719_163]);
    }
}
