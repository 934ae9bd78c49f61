//! Texts that were written before: dates and amounts come up again and again, and looking one up is less work than writing it
//! (docs/notes/load-speed.md).

/// The views of some values that came before. Values share its places: the last one that came has it.
#[derive(Debug, Default)]
pub(super) struct Memo {
    /// Nothing, until the first value comes.
    keys: Vec<i64>,
    views: Vec<u128>,
    hits: usize,
    misses: usize,
}

impl Memo {
    /// The view of `value`, which `write` makes if it is not known; what has none is not remembered. Where most values come for the
    /// first time, nothing is any more.
    #[inline]
    pub(super) fn view(&mut self, value: i64, write: impl FnOnce() -> Option<u128>) -> Option<u128> {
        if self.misses > self.hits + PLACES {
            return write();
        }
        if self.keys.is_empty() {
            // No view of a value that is written is 0.
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
}

/// Days of eleven years; 96 KiB.
const PLACES: usize = 4096;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_written_again_when_another_had_its_place() {
        let mut memo = Memo::default();
        let mut written = Vec::new();
        for value in [0, 7, 7, 7 + PLACES as i64, 7, -1, -1, 0] {
            let text = (value >= 0).then(|| u128::from(value.unsigned_abs()) + 1);
            let view = memo.view(value, || {
                written.push(value);
                text
            });
            assert_eq!(view, text);
        }
        assert_eq!(written, [0, 7, 7 + PLACES as i64, 7, -1, -1]);
    }

    #[test]
    fn values_that_never_come_again_are_not_remembered() {
        let mut memo = Memo::default();
        (0..10_000).for_each(|value| assert_eq!(memo.view(value, || Some(1)), Some(1)));
        assert_eq!(memo.view(9_999, || Some(2)), Some(2));
    }
}
