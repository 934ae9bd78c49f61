//! What a load waited for, and whether one wait was most of it: then there is something to say about a slow load. Pure.

use std::time::Duration;

/// The time of a load's connections, all of them together, and that of its reader.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LoadWaits {
    /// Connections, for the answer to COMMIT and to the lines of the ledger.
    pub commit: Duration,
    /// Connections, for rows to be sent and for the server's answer to them.
    pub rows: Duration,
    /// Connections, in chunks that were tried more than once or in parts, pauses included.
    pub retries: Duration,
    /// Connections, for their next chunk.
    pub chunks: Duration,
    /// The reader, for the bytes and the records of the source.
    pub source: Duration,
    /// The reader, because of a limit of rows a second.
    pub rate: Duration,
}

impl LoadWaits {
    /// The times by their names in reports for programs.
    pub fn named(&self) -> [(&'static str, Duration); 6] {
        [
            ("commit", self.commit),
            ("rows", self.rows),
            ("retries", self.retries),
            ("chunks", self.chunks),
            ("source", self.source),
            ("rate", self.rate),
        ]
    }
}

/// What most of the time of a slow load went into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitCause {
    /// Its connections waited for COMMIT.
    Commit,
    /// Its connections waited for the server to take rows.
    Rows,
    /// Its connections stored chunks more than once.
    Retries,
    /// Its connections waited for rows, and the reader for the source.
    Source,
    /// The same, and the reader waited because of a limit of rows a second.
    Rate,
    /// The same, and the load yielded to others.
    Throttle,
    /// The same, and the reader waited for nothing: this program parsed, checked and encoded.
    Client,
}

impl WaitCause {
    /// Its name in reports for programs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Commit => "commit",
            Self::Rows => "rows",
            Self::Retries => "retries",
            Self::Source => "source",
            Self::Rate => "rate",
            Self::Throttle => "throttle",
            Self::Client => "client",
        }
    }
}

/// Returns what a slow load waited for, and the share of its connections' time. `None` for a load that was short or fast, that did something
/// else for most of the time (a sort, indexes at the end), or without a wait that was more than half of it. `rows` are those that this run read,
/// `yielded` is how long it yielded to others.
pub fn slow(waits: &LoadWaits, yielded: Duration, elapsed: Duration, rows: u64) -> Option<(WaitCause, f64)> {
    let LoadWaits { commit, rows: for_rows, retries, chunks, source, rate } = *waits;
    let in_all = commit + for_rows + retries + chunks;
    if elapsed < SHORT || rows as f64 > elapsed.as_secs_f64() * FAST || in_all < elapsed / 2 {
        return None;
    }
    let parts =
        [(Some(WaitCause::Commit), commit), (Some(WaitCause::Rows), for_rows), (Some(WaitCause::Retries), retries)];
    let (cause, most) = parts.into_iter().chain([(None, chunks)]).max_by_key(|(_, time)| *time)?;
    let share = most.as_secs_f64() / in_all.as_secs_f64();
    if share <= 0.5 {
        return None;
    }
    let of_reader = || {
        let parts = [(WaitCause::Source, source), (WaitCause::Rate, rate), (WaitCause::Throttle, yielded)];
        let (cause, most) = parts.into_iter().max_by_key(|(_, time)| *time)?;
        Some(if most >= elapsed / 2 { cause } else { WaitCause::Client })
    };
    Some((cause.or_else(of_reader)?, share))
}

/// A shorter load is over before advice is read.
const SHORT: Duration = Duration::from_secs(10);

/// Rows a second that are not slow: the fastest loads of docs/results on two cores.
const FAST: f64 = 100_000.0;

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    /// Waits in seconds: commit, rows, retries, chunks; source, rate, yielded.
    #[track_caller]
    fn check(connections: [u64; 4], reader: [u64; 3], elapsed: u64, rows: u64, want: Option<(WaitCause, f64)>) {
        let [commit, for_rows, retries, chunks] = connections.map(seconds);
        let [source, rate, yielded] = reader.map(seconds);
        let waits = LoadWaits { commit, rows: for_rows, retries, chunks, source, rate };
        assert_eq!(slow(&waits, yielded, seconds(elapsed), rows), want);
    }

    #[test]
    fn one_wait_is_most_of_it() {
        check([30, 8, 1, 1], [0, 0, 0], 20, 1000, Some((WaitCause::Commit, 0.75)));
        check([2, 36, 1, 1], [0, 0, 0], 20, 1000, Some((WaitCause::Rows, 0.9)));
        check([2, 2, 15, 1], [0, 0, 0], 20, 1000, Some((WaitCause::Retries, 0.75)));
    }
    #[test]
    fn rows_that_do_not_come() {
        check([1, 3, 0, 16], [15, 0, 0], 20, 1000, Some((WaitCause::Source, 0.8)));
        check([1, 3, 0, 16], [1, 18, 0], 20, 1000, Some((WaitCause::Rate, 0.8)));
        check([1, 3, 0, 16], [1, 0, 15], 20, 1000, Some((WaitCause::Throttle, 0.8)));
        check([1, 3, 0, 16], [4, 0, 0], 20, 1000, Some((WaitCause::Client, 0.8)));
        // Of two connections.
        check([1, 7, 0, 32], [4, 0, 0], 20, 1000, Some((WaitCause::Client, 0.8)));
    }
    #[test]
    fn nothing_to_say() {
        check([9, 0, 0, 0], [0, 0, 0], 9, 1000, None);
        check([20, 0, 0, 0], [0, 0, 0], 20, 2_000_001, None);
        check([20, 0, 0, 0], [0, 0, 0], 20, 2_000_000, Some((WaitCause::Commit, 1.0)));
        check([10, 10, 10, 10], [0, 0, 0], 20, 1000, None);
        check([5, 5, 0, 0], [0, 0, 0], 10, 1000, None);
        // A sort, or indexes that were built at the end.
        check([9, 0, 0, 0], [0, 0, 0], 20, 1000, None);
        check([0, 0, 0, 0], [0, 0, 0], 20, 0, None);
    }
}
