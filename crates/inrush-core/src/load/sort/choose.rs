//! Whether a sort is worth it: a decision from what is known before the first row, with its reason for people.

use std::fmt;

/// What the decision depends on; sizes in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SortFacts {
    /// The server's memory for pages (`innodb_buffer_pool_size`); `None` if the server does not report it.
    pub buffer_pool: Option<u64>,
    /// What the table takes on the server now, with its indexes.
    pub table: u64,
    /// About how many bytes of text are still to come; `None` if the sources do not know.
    pub to_come: Option<u64>,
    /// Of so many neighbours in the first rows ..
    pub looked_at: usize,
    /// .. so many descend.
    pub descents: usize,
    /// The free bytes in the temporary folder, if that is known.
    pub free: Option<u64>,
}

/// Whether rows are sorted, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// They are, before they are sent.
    pub sorts: bool,
    /// The server does, once all of them are stored ([`keyless`](crate::load::steps::keyless)).
    pub by_server: bool,
    /// For people: a clause.
    pub reason: String,
    /// How many times the rate of unsorted rows is expected of sorted ones, if that can be estimated: see [`SortFacts::gain`].
    pub gain: Option<f64>,
}

impl Choice {
    /// Rows go as they come.
    pub fn unsorted(reason: impl Into<String>) -> Self {
        Self { sorts: false, by_server: false, reason: reason.into(), gain: None }
    }

    /// Rows are sorted first.
    pub fn sorted(reason: impl Into<String>, gain: Option<f64>) -> Self {
        Self { sorts: true, gain, ..Self::unsorted(reason) }
    }

    /// The server is to sort them.
    pub fn by_server(reason: impl Into<String>) -> Self {
        Self { by_server: true, ..Self::unsorted(reason) }
    }
}

impl SortFacts {
    /// Returns how many times faster rows are expected to be loaded in the order of the key. A row whose page is not in the
    /// buffer pool costs one page read and one page write. The share of such rows follows from the sizes; their cost was measured
    /// on one kind of disk (docs/notes/sort.md). `None` where a size is not known.
    pub fn gain(&self) -> Option<f64> {
        let (pool, to_come) = (self.buffer_pool? as f64, self.to_come? as f64);
        let (before, after) = (self.table as f64, self.table as f64 + to_come);
        if after <= pool || to_come <= 0.0 {
            return Some(1.0);
        }
        let from = before.max(pool);
        let missing = (after - from - pool * (after / from).ln()) / to_come;
        // If rows are in no order, half of the neighbours descend.
        let disorder = match self.looked_at {
            0 => 1.0,
            looked_at => (2.0 * self.descents as f64 / looked_at as f64).min(1.0),
        };
        Some(1.0 + COST_OF_A_PAGE * missing * disorder)
    }
}

/// How many times longer a row takes if it needs a page from the disk.
const COST_OF_A_PAGE: f64 = 45.0;

/// Temporary space that text takes: keys, places, headers (docs/notes/sort.md).
pub fn spill_bytes(text: u64) -> u64 {
    text / 5 * 6
}

/// Disk space that the server needs to sort rows of so many bytes: for the rows without keys, for its temporary files, for the table.
pub fn server_bytes(rows: u64) -> u64 {
    rows.saturating_mul(3)
}

/// Decides from the [`SortFacts`] of a table with a key to sort by. Text whose keys come in no order takes one and a half times its
/// size, because split pages stay two thirds full (docs/notes/sort.md, "When it is worth it").
pub fn choose(facts: &SortFacts) -> Choice {
    let sorts = |reason: String| Choice::sorted(reason, facts.gain());
    let stays = |reason: String| Choice::unsorted(reason);
    let Some(to_come) = facts.to_come else {
        return stays("nobody knows how much is to come".into());
    };
    let Some(pool) = facts.buffer_pool else {
        return stays("the server does not tell how large its buffer pool is".into());
    };
    let expected = facts.table.saturating_add(to_come / 2 * 3);
    let sizes = format!("{} expected, buffer pool {}", Size(expected), Size(pool));
    if expected < pool {
        return stays(format!("the table fits into the server's memory ({sizes})"));
    }
    if to_come < facts.table / LEAST_SHARE {
        return stays(format!("{} are little beside the {} that are there", Size(to_come), Size(facts.table)));
    }
    if facts.looked_at > 0 && (facts.descents as f64) < LEAST_DESCENTS * facts.looked_at as f64 {
        return stays("the rows come in the order of the key".into());
    }
    let needed = spill_bytes(to_come);
    if let Some(free) = facts.free.filter(|free| *free < needed) {
        return stays(format!(
            "the table outgrows the server's memory ({sizes}), but a sort needs {} of temporary space and {} are free",
            Size(needed),
            Size(free)
        ));
    }
    sorts(format!("the table outgrows the server's memory ({sizes}), and the rows come in no order of the key"))
}

/// One in so many: if the load has fewer rows than that share of the table, its rows hardly ever share a page.
const LEAST_SHARE: u64 = 50;

/// Runs of some twenty ascending rows fill consecutive pages by themselves.
const LEAST_DESCENTS: f64 = 0.05;

/// Bytes for people.
struct Size(u64);

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MIB: u64 = 1 << 20;
        match self.0 {
            bytes if bytes < 10 * MIB => write!(f, "{:.1} MiB", bytes as f64 / MIB as f64),
            bytes if bytes < 10_240 * MIB => write!(f, "{} MiB", bytes / MIB),
            bytes => write!(f, "{:.1} GiB", bytes as f64 / (1024 * MIB) as f64),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1 GiB of random keys into an empty table, 128 MiB of memory.
    fn facts() -> SortFacts {
        SortFacts {
            buffer_pool: Some(128 << 20),
            table: 0,
            to_come: Some(1 << 30),
            looked_at: 1000,
            descents: 500,
            free: Some(10 << 30),
        }
    }

    #[track_caller]
    fn check(change: impl FnOnce(&mut SortFacts), sorts: bool, reason: &str) {
        let mut facts = facts();
        change(&mut facts);
        let choice = choose(&facts);
        assert_eq!(choice.sorts, sorts, "{choice:?}");
        assert!(choice.reason.contains(reason), "{choice:?}");
    }

    #[test]
    fn random_keys_into_a_table_that_outgrows_the_memory() {
        check(|_| {}, true, "(1536 MiB expected, buffer pool 128 MiB)");
    }
    #[test]
    fn a_table_that_is_large_already() {
        check(|f| (f.table, f.to_come) = (10 << 30, Some(1 << 30)), true, "11.5 GiB expected");
    }
    #[test]
    fn a_table_that_fits() {
        check(|f| f.to_come = Some(1 << 20), false, "fits into the server's memory (1.5 MiB expected");
    }
    #[test]
    fn a_table_that_fits_only_if_its_pages_are_full() {
        check(|f| f.to_come = Some(100 << 20), true, "150 MiB expected");
        check(|f| f.to_come = Some(80 << 20), false, "120 MiB expected");
    }
    #[test]
    fn few_rows_into_a_large_table() {
        check(|f| f.table = 100 << 30, false, "1024 MiB are little beside the 100.0 GiB");
    }
    #[test]
    fn rows_in_order() {
        check(|f| f.descents = 49, false, "in the order of the key");
        check(|f| f.descents = 50, true, "in no order");
        check(|f| (f.looked_at, f.descents) = (0, 0), true, "in no order");
    }
    #[test]
    fn what_it_gains() {
        let gain = |change: &dyn Fn(&mut SortFacts)| {
            let mut facts = SortFacts { looked_at: 0, ..facts() };
            change(&mut facts);
            facts.gain().map(|gain| (gain * 10.0).round() / 10.0)
        };
        assert_eq!(gain(&|f| f.to_come = Some(128 << 20)), Some(1.0));
        assert_eq!(gain(&|f| f.to_come = Some(537 << 20)), Some(19.9));
        assert_eq!(gain(&|f| (f.to_come, f.looked_at, f.descents) = (Some(537 << 20), 1000, 250)), Some(10.4));
        assert_eq!(gain(&|f| (f.table, f.to_come) = (100 << 30, Some(1 << 30))), Some(45.9));
        assert_eq!(gain(&|f| f.to_come = None), None);
        assert_eq!(gain(&|f| f.to_come = Some(0)), Some(1.0));
    }

    #[test]
    fn a_full_disk() {
        check(|f| f.free = Some(1 << 30), false, "needs 1228 MiB of temporary space and 1024 MiB are free");
        check(|f| f.free = None, true, "");
    }
    #[test]
    fn what_nobody_knows() {
        check(|f| f.to_come = None, false, "nobody knows");
        check(|f| f.buffer_pool = None, false, "does not tell");
    }
}
