//! Whether the next raw chunk of a source is worth validating for pass-through.

/// Skips validations that will most likely fail: a failed one costs up to two fifths of parsing the raw chunk (docs/notes/csv.md). So if
/// all validations of a source fail, few are tried.
#[derive(Debug, Default)]
pub(crate) struct PassThroughBackOff {
    /// Validations in a row that failed.
    n_failed: u32,
    /// How many raw chunks are still to be parsed without one.
    left_out: u32,
}

impl PassThroughBackOff {
    /// Whether the next raw chunk is validated.
    pub(crate) fn allows(&mut self) -> bool {
        let allows = self.left_out == 0;
        self.left_out = self.left_out.saturating_sub(1);
        allows
    }

    /// Learns whether a validation succeeded.
    pub(crate) fn learn(&mut self, was_enough: bool) {
        self.n_failed = if was_enough { 0 } else { self.n_failed + 1 };
        self.left_out = match self.n_failed {
            0 => 0,
            n => 1 << (n - 1).min(MOST_LEFT_OUT.ilog2()),
        };
    }
}

/// 256 of 4 MiB each would be about a gigabyte: an unusual source may be unusual at its beginning only.
const MOST_LEFT_OUT: u32 = 64;

#[cfg(test)]
mod tests {
    use super::*;

    /// Which of some raw chunks are validated, when those of `enough` pass.
    #[track_caller]
    fn check(n: usize, enough: impl Fn(usize) -> bool, want: &[usize]) {
        let mut back_off = PassThroughBackOff::default();
        let mut looked_at = Vec::new();
        for i in 0..n {
            if back_off.allows() {
                back_off.learn(enough(i));
                looked_at.push(i);
            }
        }
        assert_eq!(looked_at, want);
    }

    #[test]
    fn all_are_looked_at_as_long_as_it_helps() {
        check(6, |_| true, &[0, 1, 2, 3, 4, 5]);
    }
    #[test]
    fn fewer_and_fewer_where_it_does_not() {
        check(300, |_| false, &[0, 2, 5, 10, 19, 36, 69, 134, 199, 264]);
    }
    #[test]
    fn all_again_once_it_does() {
        check(12, |i| i > 4, &[0, 2, 5, 6, 7, 8, 9, 10, 11]);
    }
    #[test]
    fn an_exception_costs_one() {
        check(8, |i| i != 3, &[0, 1, 2, 3, 5, 6, 7]);
    }
}
