//! The locks that a run holds while it runs statements that commit by themselves: TRUNCATE, CREATE, ALTER, RENAME.
//!
//! They are locks of the session (GET_LOCK), because such a statement ends the transaction, and with it the row locks, before it
//! begins. The server frees them when the session ends, so not before a statement that outlives its client.

use crate::load::ledger::JobId;

/// The locks of all jobs of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobLocks {
    /// At most 64 characters each; such names are server-wide. They are sorted, so that two runs cannot deadlock.
    names: Vec<String>,
}

impl JobLocks {
    /// For these jobs.
    pub fn of(jobs: impl IntoIterator<Item = JobId>) -> Self {
        let mut names: Vec<_> = jobs.into_iter().map(|job| format!("inrush job {job}")).collect();
        names.sort();
        Self { names }
    }

    /// The lock of a part of a named job, which its load holds from its beginning to its end.
    pub fn of_part(part: JobId) -> Self {
        Self { names: vec![format!("inrush part {part}")] }
    }

    /// Takes them, and waits up to `seconds` for the first one that another session holds. Each query returns a row: 1, or 0 if
    /// that was not enough; some may be taken all the same.
    pub fn take_queries(&self, seconds: u32) -> Vec<String> {
        self.each(|name| format!("GET_LOCK('{name}', {seconds})"), |all| format!("SELECT {}", all.join(" AND ")))
    }

    /// Returns queries for the other connection that has one of them, when this one has none: each answers with a row of its id,
    /// or of NULL.
    pub fn owner_queries(&self) -> Vec<String> {
        self.each(|name| format!("IS_USED_LOCK('{name}')"), |all| format!("SELECT COALESCE({})", all.join(", ")))
    }

    /// Releases them.
    pub fn free_statements(&self) -> Vec<String> {
        self.each(|name| format!("RELEASE_LOCK('{name}')"), |all| format!("DO {}", all.join(", ")))
    }

    fn each(&self, call: impl Fn(&str) -> String, statement: impl Fn(&[String]) -> String) -> Vec<String> {
        let calls: Vec<String> = self.names.iter().map(|name| call(name)).collect();
        calls.chunks(AT_ONCE).map(statement).collect()
    }
}

/// Locks of a statement: far from what any server allows, and few statements for thousands of files.
const AT_ONCE: usize = 200;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements() {
        let locks = JobLocks::of([JobId([2; 16]), JobId([1; 16])]);
        let (one, two) = ("inrush job ".to_owned() + &"01".repeat(16), "inrush job ".to_owned() + &"02".repeat(16));
        assert_eq!(locks.take_queries(5), [format!("SELECT GET_LOCK('{one}', 5) AND GET_LOCK('{two}', 5)")]);
        assert_eq!(locks.owner_queries(), [format!("SELECT COALESCE(IS_USED_LOCK('{one}'), IS_USED_LOCK('{two}'))")]);
        assert_eq!(locks.free_statements(), [format!("DO RELEASE_LOCK('{one}'), RELEASE_LOCK('{two}')")]);
    }

    #[test]
    fn thousands_of_jobs_are_some_statements() {
        let locks = JobLocks::of((0..1000_u64).map(|i| JobId::of("s", "t", &i.to_string())));
        assert_eq!(locks.take_queries(5).len(), 5);
        assert_eq!(locks.take_queries(5).concat().matches("GET_LOCK").count(), 1000);
    }
}
