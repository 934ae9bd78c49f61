//! Whether the next stretch of a source is worth a look.

/// How much hope there is that the next stretch is one to look at only: a look that is not enough costs up to two fifths of what taking the
/// stretch apart does (docs/notes/csv.md), so of a source where it never is, few are looked at.
#[derive(Debug, Default)]
pub(super) struct Hope {
    /// Looks in a row that were not enough.
    n_failed: u32,
    /// How many stretches are still to be taken apart without a look.
    left_out: u32,
}

impl Hope {
    /// Whether the next stretch is looked at.
    pub(super) fn allows(&mut self) -> bool {
        let allows = self.left_out == 0;
        self.left_out = self.left_out.saturating_sub(1);
        allows
    }

    /// Learns whether a look was enough.
    pub(super) fn learn(&mut self, was_enough: bool) {
        self.n_failed = if was_enough { 0 } else { self.n_failed + 1 };
        self.left_out = match self.n_failed {
            0 => 0,
            n => 1 << (n - 1).min(MOST_LEFT_OUT.ilog2()),
        };
    }
}

/// About a gigabyte of 4 MiB each would be 256: what is unusual may be so in its beginning only.
const MOST_LEFT_OUT: u32 = 64;

#[cfg(test)]
mod tests {
    use super::*;

    /// Which of some stretches are looked at, when those of `enough` are as usual.
    #[track_caller]
    fn check(n: usize, enough: impl Fn(usize) -> bool, want: &[usize]) {
        let mut hope = Hope::default();
        let mut looked_at = Vec::new();
        for i in 0..n {
            if hope.allows() {
                hope.learn(enough(i));
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
