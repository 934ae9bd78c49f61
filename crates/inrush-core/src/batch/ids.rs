//! Generated ids of many rows, as runs: a million ids that follow each other take no more memory than one.

/// The generated id of each row of a batch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ids {
    runs: Vec<Run>,
    n_rows: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    /// The row of the first id.
    row: usize,
    first: u64,
    step: u64,
    n: usize,
}

impl Ids {
    /// The id of this row, if it has one.
    pub fn get(&self, row: usize) -> Option<u64> {
        let run = &self.runs[..self.runs.partition_point(|run| run.row <= row)].last()?;
        let i = row - run.row;
        (i < run.n && run.first > 0).then(|| run.first.wrapping_add(run.step.wrapping_mul(i as u64)))
    }

    /// How many rows there are, those without an id included.
    pub fn len(&self) -> usize {
        self.n_rows
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.n_rows == 0
    }

    /// The id of each row, in order.
    pub fn iter(&self) -> impl Iterator<Item = Option<u64>> {
        (0..self.n_rows).map(|row| self.get(row))
    }

    /// Whether no row has one.
    pub(super) fn has_none(&self) -> bool {
        self.runs.iter().all(|run| run.first == 0)
    }

    /// `n` rows whose ids are `first`, `first + step` ..; with `first` 0 they have none.
    pub(super) fn push(&mut self, first: u64, step: u64, n: usize) {
        let row = self.n_rows;
        self.n_rows += n;
        if let Some(last) = self.runs.last_mut()
            && let Some(gap) = last.gap_to(first)
            && (n == 1 || gap == step || first == 0)
        {
            last.step = gap;
            last.n += n;
            return;
        }
        self.runs.push(Run { row, first, step, n });
    }
}

impl Run {
    /// Returns the step with which `id` continues the run, or `None` if it does not. A run of one id may still take any step.
    fn gap_to(&self, id: u64) -> Option<u64> {
        if self.first == 0 || id == 0 {
            return (self.first == id).then_some(0);
        }
        let last = self.first.wrapping_add(self.step.wrapping_mul(self.n as u64 - 1));
        id.checked_sub(last).filter(|gap| *gap > 0 && (self.n == 1 || *gap == self.step))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pushes: &[(u64, u64, usize)], n_runs: usize, want: &[u64]) {
        let mut ids = Ids::default();
        for (first, step, n) in pushes {
            ids.push(*first, *step, *n);
        }
        let got: Vec<_> = ids.iter().map(Option::unwrap_or_default).collect();
        assert_eq!((&got[..], ids.runs.len()), (want, n_runs));
    }

    #[test]
    fn of_statements_that_follow_each_other() {
        check(&[(7, 1, 3), (10, 1, 2)], 1, &[7, 8, 9, 10, 11]);
        check(&[(7, 2, 2), (11, 2, 2)], 1, &[7, 9, 11, 13]);
    }
    #[test]
    fn with_others_between_them() {
        check(&[(7, 1, 2), (20, 1, 2)], 2, &[7, 8, 20, 21]);
    }
    #[test]
    fn one_by_one() {
        check(&[(5, 1, 1), (6, 1, 1), (7, 1, 1)], 1, &[5, 6, 7]);
        check(&[(5, 1, 1), (8, 1, 1), (11, 1, 1), (12, 1, 1)], 2, &[5, 8, 11, 12]);
        check(&[(5, 1, 1), (3, 1, 1)], 2, &[5, 3]);
    }
    #[test]
    fn one_and_then_many() {
        check(&[(5, 1, 1), (6, 1, 3)], 1, &[5, 6, 7, 8]);
        check(&[(5, 1, 1), (9, 1, 2)], 2, &[5, 9, 10]);
    }
    #[test]
    fn rows_without_one() {
        check(&[(0, 0, 1), (0, 1, 1), (4, 1, 1), (0, 0, 2)], 3, &[0, 0, 4, 0, 0]);
        assert!(Ids::default().has_none());
    }
}
