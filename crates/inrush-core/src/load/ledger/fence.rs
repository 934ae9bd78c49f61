//! The fence: what a chunk's transaction writes into the ledger before its COMMIT, and the query that finds out afterwards
//! whether it was committed.
//!
//! After a client dies, the server may still run its COMMIT seconds later. So the last statement before COMMIT reads the job's
//! line with a shared lock and the epoch of the run: a newer run changes that epoch first, which waits for every transaction that
//! holds the lock and keeps those out that do not hold it yet. A plain read would see neither.
//!
//! In a cluster a lock is known to its own node only, and a node certifies a transaction by the rows that it has *written*. There each
//! transaction of a run also changes the job's line ([`Fence::mark_statement`]), which the taking over changes too: of both, the one that is
//! later in the cluster's order fails.

use super::tables::{Ledger, columns, hex, text};
use super::{ChunkLine, JobId};
use crate::error::{Error, Kind, Place, Reason, Result};
use crate::load::Reject;
use std::borrow::Cow;
use std::sync::Arc;

/// One run's right to store chunks of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fence {
    /// The ledger with the job's line.
    pub ledger: Ledger,
    /// The job.
    pub job: JobId,
    /// The run.
    pub epoch: u32,
}

impl Fence {
    /// Changes the job's line, if it belongs to this run, so that a cluster's certification sees that this transaction needs it; `None` where
    /// a lock is enough. It must affect exactly one row, like [`Fence::chunk_statement`], which it precedes.
    ///
    /// `chunks` is no count while the job runs: see [`JobLine`](super::JobLine).
    pub fn mark_statement(&self) -> Option<String> {
        self.ledger.is_marked.then(|| {
            format!(
                "UPDATE {} AS l JOIN (SELECT 1 AS one) AS o SET `chunks` = `chunks` + 1 WHERE {}",
                self.ledger.jobs(),
                self.ours()
            )
        })
    }

    /// Writes a chunk's line: the last statement before COMMIT. It must affect exactly one row; none means that another run has
    /// taken the job over, and the chunk must be rolled back.
    pub fn chunk_statement(&self, line: &ChunkLine) -> String {
        let numbers = [
            line.span.start,
            line.span.end,
            line.first_record,
            line.records,
            line.first_line,
            line.lines,
            line.rows,
            line.skipped,
            line.rejected,
            line.checksum,
        ];
        let numbers = numbers.map(|number| number.to_string()).join(", ");
        format!(
            "INSERT INTO {} ({}) SELECT `id`, {numbers}, `epoch` FROM {} WHERE {} {}",
            self.ledger.chunks(),
            columns(&CHUNK_COLUMNS),
            self.ledger.jobs(),
            self.ours(),
            // What the transaction has written is locked.
            if self.ledger.is_marked { "" } else { self.ledger.shared_lock }
        )
    }

    /// Writes the rejects of the chunk that begins at `chunk_start`, in statements of at most `max_bytes` where that is possible; with
    /// their records only if `keeps_records`.
    pub fn reject_statements(
        &self,
        chunk_start: u64,
        rejects: &[Reject],
        keeps_records: bool,
        max_bytes: usize,
    ) -> Vec<String> {
        let head = format!("INSERT INTO {} ({}) VALUES ", self.ledger.rejects(), columns(&REJECT_COLUMNS));
        let room = max_bytes.min(STATEMENT_BYTES).saturating_sub(head.len()).max(SMALLEST_ROOM);
        let mut statements = Vec::new();
        let mut statement = String::new();
        for row in rejects.iter().flat_map(|reject| self.reject_rows(chunk_start, reject, keeps_records, room)) {
            if !statement.is_empty() && statement.len() + row.len() > head.len() + room {
                statements.push(std::mem::take(&mut statement));
            }
            statement.push_str(if statement.is_empty() { &head } else { ", " });
            statement.push_str(&row);
        }
        if !statement.is_empty() {
            statements.push(statement);
        }
        statements
    }

    /// Counts `n` rows of a stored chunk as rejected.
    pub fn leave_out_statement(&self, start: u64, n: u64) -> String {
        format!(
            "UPDATE {} AS c JOIN (SELECT 1 AS one) AS o SET `n_rows` = `n_rows` - {n}, `rejected` = `rejected` + {n} \
             WHERE `job` = {} AND `start` = {start}",
            self.ledger.chunks(),
            self.job.literal()
        )
    }

    /// Returns the query that finds out whether the chunk that begins at `start` is stored. Its read waits for a transaction that
    /// is still writing the chunk's line. It returns one row of (epoch, checksum), or none.
    pub fn settle_query(&self, start: u64) -> String {
        format!(
            "SELECT `epoch`, `checksum` FROM {} WHERE `job` = {} AND `start` = {start} {}",
            self.ledger.chunks(),
            self.job.literal(),
            self.ledger.shared_lock
        )
    }

    /// Returns the query that finds out whose the job is once a chunk has failed. It takes no lock: a newer run that is in this one's way has
    /// committed its epoch before its rows. A locking read would wait for the transactions of that run, and a cluster's node ends such a read
    /// (1213) to apply what the newer run writes into the same line on another node.
    pub fn epoch_query(&self) -> String {
        format!("SELECT `epoch` FROM {} WHERE `id` = {}", self.ledger.jobs(), self.job.literal())
    }

    /// Whether the answer to [`Fence::epoch_query`] or [`Fence::state_query`] shows that another run has taken the job over.
    pub fn is_taken_over(&self, state: &[String]) -> bool {
        matches!(state, [epoch, ..] if *epoch != self.epoch.to_string())
    }

    /// Whether the answer to [`Fence::settle_query`] shows that this run stored this chunk. A line of another run, or with the
    /// checksum of another text, is an error: it must not exist.
    pub fn settle(&self, answer: &[String], checksum: u64) -> Result<bool> {
        match answer {
            [] => Ok(false),
            [epoch, sum] if *epoch == self.epoch.to_string() && *sum == checksum.to_string() => Ok(true),
            [epoch, _] if *epoch != self.epoch.to_string() => Err(taken_over()),
            _ => Err(Error::protocol("the ledger has another line where a chunk of this run was to be stored")),
        }
    }

    /// The condition on the line of the job by which only this run finds it.
    pub(super) fn ours(&self) -> String {
        format!("`id` = {} AND `epoch` = {} AND `state` = 'running'", self.job.literal(), self.epoch)
    }

    fn reject_rows(&self, chunk_start: u64, reject: &Reject, keeps_record: bool, room: usize) -> Vec<String> {
        let column = reject.place.column.as_deref().unwrap_or_default();
        let column: String = column.chars().take(COLUMN_CHARS).collect();
        let reason = shortened(&reject.reason);
        let row = |part: u32, column: &str, reason: &str, raw: &[u8]| {
            format!(
                "({}, {}, {part}, {chunk_start}, {}, {}, {}, {})",
                self.job.literal(),
                reject.place.line,
                text(column),
                reject.code,
                text(reason),
                hex(raw)
            )
        };
        let bare = row(0, &column, reason, b"").len() + PART_DIGITS;
        let piece = (room.saturating_sub(bare) / 2).max(SMALLEST_PIECE);
        if !keeps_record {
            return vec![row(NOT_KEPT, &column, reason, b"")];
        }
        if reject.raw.is_empty() {
            return vec![row(0, &column, reason, b"")];
        }
        let parts = (0..).zip(reject.raw.chunks(piece));
        parts.map(|(part, raw)| if part == 0 { row(0, &column, reason, raw) } else { row(part, "", "", raw) }).collect()
    }
}

/// A line of `inrush_reject` as [`RejectRow::query`] gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RejectRow {
    /// The line of the source on which the record begins, or the record's number where there are no lines.
    pub line: u64,
    /// Which part of the record it is, counted from 0; see [`RejectRow::is_kept`].
    pub part: u32,
    /// The column, empty if no single field is at fault.
    pub column: String,
    /// The server's error code, 0 if we found it ourselves.
    pub code: u16,
    /// Why.
    pub reason: String,
    /// The record, or this part of it.
    pub raw: Vec<u8>,
}

impl RejectRow {
    /// All rejects of a job, in the order of the source: rows of (line, part, column, code, reason, raw).
    pub fn query(ledger: &Ledger, job: JobId) -> String {
        format!(
            "SELECT `line`, `part`, `column_name`, `code`, `reason`, `raw` FROM {} WHERE `job` = {} AND `line` > 0 ORDER BY `job`, `line`, `part`",
            ledger.rejects(),
            job.literal()
        )
    }

    /// Whether the record was kept. If not, only the reason of the refusal was.
    pub fn is_kept(&self) -> bool {
        self.part != NOT_KEPT
    }

    /// The reject as a load reports it, `raw` being the whole record.
    pub fn into_reject(self, source: &Arc<str>) -> Reject {
        let column = (!self.column.is_empty()).then(|| self.column.as_str().into());
        let place = Place { source: source.clone(), line: self.line, column };
        Reject { place, reason: self.reason, fault: Default::default(), code: self.code, raw: self.raw }
    }
}

/// The error that the older of two runs of a job gets.
pub(super) fn taken_over() -> Error {
    lost(TAKEN_OVER).with_hint("it goes on where this one ended; `inrush load --status` shows how far it is")
}

/// The error of a run that has lost its job.
fn lost(message: impl Into<Cow<'static, str>>) -> Error {
    Error::new(Kind::Server, message).because(Reason::JobTakenOver)
}

const TAKEN_OVER: &str = "another run has taken this job over";

impl Fence {
    /// The error for a chunk's line that found no job of this run.
    pub fn taken_over() -> Error {
        taken_over()
    }

    /// The same error with the user who did it, after the ledger was read. `fate` is the row of [`Fence::fate_query`],
    /// `forgotten_by` what [`JobLine::forgotten_by_query`](super::JobLine::forgotten_by_query) found, `me` this user.
    pub fn what_became_of_it(&self, fate: &[String], forgotten_by: Option<&str>, me: &str) -> Error {
        let [epoch, state, owner] = fate else {
            let by = forgotten_by.map_or_else(String::new, |user| format!(" by user `{user}`"));
            return lost(format!(
                "this job was forgotten{by}, with `--forget` or by a load that emptied the table, and this run ended"
            ))
            .with_hint(
                "look into the table before you load this file again: what this run has stored may be there, and would be stored a \
                 second time",
            );
        };
        let raised = epoch.parse::<u32>().ok().map(|now| now.wrapping_sub(self.epoch));
        if raised.is_none_or(|n| n >= MANY_RUNS) {
            return lost(format!(
                "this job was forgotten while this run was at work, and user `{owner}` has begun it anew"
            ))
            .with_hint(
                "look into the table: what this run has stored may be there, and is being stored a second time",
            );
        }
        if state == "done" {
            return lost(format!("{TAKEN_OVER}, and has finished it: user `{owner}`"))
                .with_hint("nothing is missing; `inrush load --status` shows what is stored");
        }
        if owner.is_empty() || owner == me {
            return taken_over();
        }
        lost(format!("user `{owner}` has taken this job over with `--force`")).with_hint(
            "it is theirs now: their run goes on where this one ended; ask them before you load this file again",
        )
    }
}

const CHUNK_COLUMNS: [&str; 12] = [
    "job",
    "start",
    "end",
    "first_record",
    "records",
    "first_line",
    "n_lines",
    "n_rows",
    "skipped",
    "rejected",
    "checksum",
    "epoch",
];

const REJECT_COLUMNS: [&str; 8] = ["job", "line", "part", "start", "column_name", "code", "reason", "raw"];

/// The number of the part of a reject whose record is not kept.
const NOT_KEPT: u32 = u32::MAX;

/// The message of a server itself is short; a value that it quotes may be long.
fn shortened(reason: &str) -> &str {
    let mut end = reason.len().min(REASON_BYTES);
    while !reason.is_char_boundary(end) {
        end -= 1;
    }
    &reason[..end]
}

const REASON_BYTES: usize = 4096;

/// An upper bound for how often one job is taken over. A job that is begun again after it was forgotten has a random epoch.
const MANY_RUNS: u32 = 10_000;

/// Servers' names have 64 characters.
const COLUMN_CHARS: usize = 256;

/// Large enough for any statement.
const STATEMENT_BYTES: usize = 1 << 20;

/// A server that allows less than this cannot be loaded into anyway.
const SMALLEST_ROOM: usize = 1024;

const SMALLEST_PIECE: usize = 64;

/// The most digits that the number of a part has more than `0`.
const PART_DIGITS: usize = 9;

#[cfg(test)]
mod tests;
