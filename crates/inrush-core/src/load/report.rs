//! The outcome of the rows: counts that add up, and ranges of the source for everything that is not simply "all stored".
//!
//! Invariant: `read = stored + skipped + rejected + not_loaded + unknown`; in a load that finished, the last two are 0.

use super::ledger::{JobId, NamedJob, Totals};
use super::slow::{self, LoadWaits, WaitCause};
use super::sort::Choice;
use super::tuner::Tuned;
use super::{Mode, Reject};
use crate::error::Error;
use crate::write::Method;
use crate::write::answer::LoadWarning;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// A range of records of one source, both ends included.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Records {
    /// Which of the load's sources, counted from 0: sources keep their order.
    pub source_index: usize,
    /// The source's name.
    pub source: Arc<str>,
    /// First record, counted from 1 without the header.
    pub first: u64,
    /// Last record.
    pub last: u64,
    /// Line of the first record.
    pub first_line: u64,
    /// Line on which the last record begins.
    pub last_line: u64,
}

impl Records {
    /// How many records it spans.
    pub fn count(&self) -> u64 {
        self.last + 1 - self.first
    }
}

impl fmt::Display for Records {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}, records {} to {} (lines {} to {})",
            self.source, self.first, self.last, self.first_line, self.last_line
        )
    }
}

/// Merges adjacent ranges, in the order of the sources.
pub fn merge(mut stretches: Vec<Records>) -> Vec<Records> {
    stretches.sort();
    let mut merged: Vec<Records> = Vec::new();
    for next in stretches {
        match merged.last_mut() {
            Some(last) if last.source_index == next.source_index && last.last + 1 == next.first => {
                last.last = next.last;
                last.last_line = next.last_line;
            }
            _ => merged.push(next),
        }
    }
    merged
}

/// Why chunks were tried again, and how often.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Retry {
    /// The server's error code, 0 where the network failed.
    pub code: u16,
    /// The message of the first occurrence.
    pub message: String,
    /// How often.
    pub times: u64,
}

/// Counts one more retry because of this error.
pub fn count_retry(retries: &mut Vec<Retry>, error: &Error) {
    match retries.iter_mut().find(|retry| retry.code == error.code()) {
        Some(retry) => retry.times += 1,
        None => retries.push(Retry { code: error.code(), message: error.to_string(), times: 1 }),
    }
}

/// Why a load stopped before the end of its sources.
#[derive(Debug)]
pub enum Stop {
    /// A bad row, and bad rows stop a load; or more of them than `--max-bad`.
    BadData(Error),
    /// The server or the network failed.
    Failed(Error),
    /// Reading a source failed before its end.
    Unreadable(Error),
    /// The user or the caller stopped the load.
    Interrupted,
}

/// What the ledger says about a source of a load.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// Which job, for `--forget`.
    pub id: JobId,
    /// The source's name as the user wrote it.
    pub source: Arc<str>,
    /// The part of a named job that it is.
    pub named: Option<NamedJob>,
    /// The state of the job.
    pub state: JobState,
    /// What earlier runs had stored from it.
    pub resumed: Totals,
}

/// The state of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JobState {
    /// Nothing of it is missing.
    Done,
    /// The same command continues it.
    Unfinished,
    /// An earlier run had finished it, at this time (UTC): nothing was read. Its counts are included in the report's.
    AlreadyLoaded(String),
    /// The source cannot be read again, or the job was removed (`--forget`): the ledger no longer has it.
    Forgotten,
    /// Another run has it now.
    TakenOver,
}

impl JobState {
    /// Its name in reports for programs.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Unfinished => "unfinished",
            Self::AlreadyLoaded(_) => "already-loaded",
            Self::Forgotten => "forgotten",
            Self::TakenOver => "taken-over",
        }
    }

    /// When an earlier run had finished it, in UTC.
    pub fn loaded_on(&self) -> Option<&str> {
        match self {
            Self::AlreadyLoaded(on) => Some(on),
            _ => None,
        }
    }
}

/// What was sorted before it was sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sort {
    /// By these columns of the clustered key.
    pub columns: Vec<String>,
    /// Whether their order is the server's in each case, or only near to it.
    pub is_exact: bool,
    /// Why.
    pub reason: String,
    /// Records that were read.
    pub records: u64,
    /// Bytes of text that they were in the sources (decompressed).
    pub source_bytes: u64,
    /// Runs that memory held, and that were merged.
    pub runs: usize,
    /// Bytes of temporary files.
    pub bytes: u64,
    /// How long it took, until the first row could be sent.
    pub elapsed: Duration,
}

/// The result of a load.
#[derive(Debug)]
pub struct Report {
    /// The target, `schema.table`.
    pub table: String,
    /// The columns that get values of every source: from a field, or computed of one.
    pub columns: Vec<String>,
    /// The columns that get values of some sources, and NULL in the rows of the others.
    pub null_elsewhere: Vec<String>,
    /// The server's version text.
    pub server: String,
    /// The address of the server that was taken of several hosts; `None` if only one was named.
    pub host: Option<String>,
    /// The method that was used in the end.
    pub method: Method,
    /// Why this method.
    pub method_reason: String,
    /// Parallel connections: the number at the end, if it was tuned during the load.
    pub lanes: usize,
    /// What was tuned during the load, and why: the first decisions of the tuner.
    pub tuning: Vec<Tuned>,
    /// Whether rows were sorted, or would be by what a dry run knows, and why.
    pub order: Choice,
    /// What was sorted; `None` if rows were sent as they came.
    pub sort: Option<Sort>,
    /// The session zone of times without an offset.
    pub time_zone: String,
    /// Transactions that were committed.
    pub chunks: u64,
    /// Chunks that were replayed by strict INSERTs because the answer to a LOAD left a doubt.
    pub replays: u64,
    /// Transactions that were run again, by the error that made it necessary, in the order in which they were first met.
    pub retries: Vec<Retry>,
    /// The sources as the ledger knows them; empty without one.
    pub jobs: Vec<Job>,
    /// What an unfinished load leaves to the run that continues it, as text for people.
    pub pending: Vec<String>,
    /// What earlier runs had stored of these sources; it is part of the counts that follow.
    pub resumed: Totals,
    /// Records read from the sources.
    pub read: u64,
    /// What was done with a row whose key existed.
    pub mode: Mode,
    /// Rows that are in the table (updated or deleted in these modes), those of earlier runs among them: see [`Report::stored_by_this_run`].
    pub stored: u64,
    /// Rows that the mode left out: their key existed (ignore), or did not (update, delete).
    pub skipped: u64,
    /// The rows of the table that have other values now or were replaced (upsert, update, replace); `None` if the server did not
    /// report it.
    pub changed: Option<u64>,
    /// Records refused by us or by the server, and left out on request.
    pub rejected: u64,
    /// Records that were read but not loaded because the load stopped first: certainly not in the table.
    pub not_loaded: u64,
    /// Records whose COMMIT got no answer: in the table, or not.
    pub unknown: u64,
    /// Bytes of text read (decompressed).
    pub bytes: u64,
    /// How long it took, from the first connection to the last answer.
    pub elapsed: Duration,
    /// The part of it in which the load yielded to others.
    pub yielded: Duration,
    /// What its connections and its reader waited for.
    pub waits: LoadWaits,
    /// Which records are stored (in ranges that contain rejects, all except these).
    pub stored_records: Vec<Records>,
    /// Which records' fate is unknown.
    pub unknown_records: Vec<Records>,
    /// Some of the rejected records, the first of the load.
    pub first_rejects: Vec<Reject>,
    /// Warnings of the server that a strict replay proved harmless, once a code and column.
    pub harmless: Vec<LoadWarning>,
    /// Whether nothing was sent because only a check was requested.
    pub dry_run: bool,
    /// Why it stopped early, if it did.
    pub stop: Option<Stop>,
}

impl Report {
    /// Returns how many rows were read, and the counts of their outcomes, which add up to it, by their names in reports for
    /// programs.
    pub fn counts(&self) -> [(&'static str, u64); 6] {
        [
            ("read", self.read),
            ("stored", self.stored),
            ("skipped", self.skipped),
            ("rejected", self.rejected),
            ("not_loaded", self.not_loaded),
            ("unknown", self.unknown),
        ]
    }

    /// Rows that this run stored; the others were stored by earlier runs of the same job. 0 where it was loaded already.
    pub fn stored_by_this_run(&self) -> u64 {
        self.stored - self.resumed.rows
    }

    /// What a slow load waited for, and the share of its connections' time: see [`slow::slow`].
    pub fn slow_because(&self) -> Option<(WaitCause, f64)> {
        slow::slow(&self.waits, self.yielded, self.elapsed, self.read.saturating_sub(self.resumed.records))
    }

    /// Whether the counts add up.
    pub fn adds_up(&self) -> bool {
        self.read == self.counts()[1..].iter().map(|(_, count)| count).sum::<u64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records(source_index: usize, first: u64, last: u64) -> Records {
        let source = Arc::from(["a.csv", "b.csv"][source_index]);
        Records { source_index, source, first, last, first_line: first + 1, last_line: last + 1 }
    }

    #[track_caller]
    fn check(stretches: &[(usize, u64, u64)], want: &[(usize, u64, u64)]) {
        let merged = merge(stretches.iter().map(|&(s, a, b)| records(s, a, b)).collect());
        assert_eq!(merged, want.iter().map(|&(s, a, b)| records(s, a, b)).collect::<Vec<_>>());
    }

    #[test]
    fn touching_ranges_become_one() {
        check(&[(0, 1, 10), (0, 11, 20)], &[(0, 1, 20)]);
    }
    #[test]
    fn in_any_order() {
        check(&[(0, 11, 20), (0, 21, 30), (0, 1, 10)], &[(0, 1, 30)]);
    }
    #[test]
    fn a_gap_stays() {
        check(&[(0, 1, 10), (0, 12, 20)], &[(0, 1, 10), (0, 12, 20)]);
    }
    #[test]
    fn sources_stay_apart() {
        check(&[(1, 11, 20), (0, 1, 10)], &[(0, 1, 10), (1, 11, 20)]);
    }
    #[test]
    fn retries_are_counted_by_code() {
        let mut retries = Vec::new();
        let lost = || Error::new(crate::Kind::Io, "the server closed the connection");
        for error in [Error::server(1213, *b"40001", "Deadlock found"), lost(), Error::server(1213, *b"40001", "again")]
        {
            count_retry(&mut retries, &error);
        }
        let found: Vec<_> = retries.iter().map(|retry| (retry.code, retry.message.as_str(), retry.times)).collect();
        let deadlock = "Deadlock found (server error 1213, SQLSTATE 40001)";
        assert_eq!(found, [(1213, deadlock, 2), (0, "the server closed the connection", 1)]);
    }
    #[test]
    fn says_where() {
        assert_eq!(records(0, 1, 9).to_string(), "a.csv, records 1 to 9 (lines 2 to 10)");
    }
}
