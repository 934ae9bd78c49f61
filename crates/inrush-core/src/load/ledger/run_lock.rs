//! The locks by which a server knows that a run is connected: one for each job, held by a connection of the run as long as it
//! loads.
//!
//! A server frees the locks of a session (GET_LOCK) when the session ends, for any reason. So a lock that is held means that the
//! run is connected now, and one that is free means that it is not: no guess from times is needed. The epoch is in the name, so
//! that the lock of an older run says nothing about the run that has the job. These locks do not exclude other runs; the fence
//! does that.

use super::JobId;

/// The locks of the jobs of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunLocks {
    /// At most 64 characters each: such names are the whole server's.
    names: Vec<String>,
}

impl RunLocks {
    /// For these jobs and the epochs of the run.
    pub fn of(runs: impl IntoIterator<Item = (JobId, u32)>) -> Self {
        Self { names: runs.into_iter().map(|(job, epoch)| format!("inrush run {job} {epoch}")).collect() }
    }

    /// Takes them without waiting: each query answers with a row of how many of its locks were taken, and has the number of all.
    pub fn take_queries(&self) -> Vec<(String, usize)> {
        let query = |names: &[String]| {
            let calls: Vec<_> = names.iter().map(|name| format!("GET_LOCK('{name}', 0)")).collect();
            (format!("SELECT {}", calls.join(" + ")), names.len())
        };
        self.names.chunks(AT_ONCE).map(query).collect()
    }

    /// Returns the queries for the connections that hold them: rows of ids, in order, NULL for a free one.
    pub fn holder_queries(&self) -> Vec<String> {
        let query = |names: &[String]| {
            let calls: Vec<_> = names.iter().map(|name| format!("IS_USED_LOCK('{name}')")).collect();
            format!("SELECT {}", calls.join(", "))
        };
        self.names.chunks(AT_ONCE).map(query).collect()
    }
}

/// Locks of a statement: far from what any server allows, and few statements for thousands of files.
const AT_ONCE: usize = 200;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements() {
        let locks = RunLocks::of([(JobId([1; 16]), 7), (JobId([2; 16]), u32::MAX)]);
        let (one, two) = ("inrush run ".to_owned() + &"01".repeat(16), "inrush run ".to_owned() + &"02".repeat(16));
        let (one, two) = (one + " 7", two + " 4294967295");
        assert!(two.len() <= 64);
        assert_eq!(locks.take_queries(), [(format!("SELECT GET_LOCK('{one}', 0) + GET_LOCK('{two}', 0)"), 2)]);
        assert_eq!(locks.holder_queries(), [format!("SELECT IS_USED_LOCK('{one}'), IS_USED_LOCK('{two}')")]);
        let many = RunLocks::of((0..1000).map(|epoch| (JobId([1; 16]), epoch)));
        assert_eq!((many.take_queries().len(), many.holder_queries().len()), (5, 5));
        assert!(RunLocks::default().holder_queries().is_empty());
    }
}
