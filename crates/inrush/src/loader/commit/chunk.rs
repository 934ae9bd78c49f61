//! The end of a chunk's transaction: what must be true before COMMIT is sent, and what its answer means.
//!
//! Invariants: COMMIT is sent only after every earlier answer was read; the session has autocommit off, so nothing is ever
//! committed by accident; with a fence, a chunk counts as stored if and only if its line is in the ledger.

use super::ledger::mark;
use crate::fault;
use crate::loader::SHOWN_REJECTS;
use crate::loader::control::{Control, LINES};
use crate::loader::lanes::lane::{Attempt, Lane, Undone, some_rows_stay};
use crate::loader::lanes::replay::ReplayEnd;
use crate::loader::lanes::retry::{GaveUp, Why, Work};
use crate::loader::lanes::waits::aborted;
use crate::loader::options::{BadRows, MaxBad};
use crate::loader::read::prepare::{PreparedChunk, stopping};
use crate::loader::report::counters::{ChunkOutcome, too_many};
use crate::loader::sql;
use inrush_core::load::Reject;
use inrush_core::load::ledger::Fence;
use inrush_core::load::modes::Counted;
use inrush_core::load::report::Stop;
use inrush_core::session::{Discard, Query};
use inrush_core::write::answer::{LoadWarning, miscounted};
use inrush_core::{Error, Result};
use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

impl Lane<'_> {
    /// Replays a chunk strictly. Its verdict counts, whatever the first attempt's warnings said.
    pub(crate) fn replay(&mut self, chunk: &mut PreparedChunk, warnings: &[LoadWarning]) -> Attempt {
        if !self.target.table.transactional {
            let error = Error::data("the server found fault with rows of this chunk, and its table cannot roll back")
                .at(chunk.place());
            return Attempt::Over(ChunkOutcome::Unknown(error));
        }
        self.target.load.count_replay();
        match self.roll_back() {
            Ok(Undone::All) => {}
            Ok(Undone::NotAll) => {
                return Attempt::Over(ChunkOutcome::Unknown(some_rows_stay("the server found fault with rows")));
            }
            Err(error) => return self.failed(error),
        }
        self.waits(Some("INSERT"));
        let replayed = match chunk.parsed(self.target) {
            Ok(rows) => self.run_replay(rows),
            Err(stop) => return self.stopped(stop),
        };
        match replayed {
            Ok(ReplayEnd::Done { counted, rejects, noted }) => {
                // Every row was inserted under strict SQL, so the warnings of the LOAD do no harm.
                let proved: &[LoadWarning] = if rejects.is_empty() { warnings } else { &[] };
                self.note(proved);
                self.commit(chunk, counted, rejects, &noted)
            }
            Ok(ReplayEnd::BadRow(reject)) => self.stopped(Stop::BadData(stopping(&reject, 1))),
            Err(error) => self.failed(error),
        }
    }

    pub(crate) fn commit(
        &mut self,
        chunk: &PreparedChunk,
        counted: Counted,
        rejects: Vec<Reject>,
        noted: &[LoadWarning],
    ) -> Attempt {
        if self.target.table.transactional && (counted.stored > 0 || chunk.plan.fence.is_some()) {
            // A chunk after a bad one stays out, so that what is stored ends where the message says.
            if !self.wants_commit(chunk) {
                return self.not_wanted();
            }
            if let Some(stop) = self.too_many_bad(chunk, &rejects) {
                return self.stopped(stop);
            }
            if counted.stored > 0 && !self.connection.session().in_transaction() {
                return Attempt::Over(ChunkOutcome::Unknown(ended_early()));
            }
        }
        self.note(noted);
        match &chunk.plan.fence {
            Some(fence) => self.commit_behind(fence, chunk, counted, rejects),
            None => self.commit_unguarded(counted, rejects),
        }
    }

    /// Without a ledger: if the answer to a COMMIT is lost, its outcome stays unknown.
    fn commit_unguarded(&mut self, counted: Counted, rejects: Vec<Reject>) -> Attempt {
        match self.send_commit() {
            Ok(()) => Attempt::Over(ChunkOutcome::Stored { counted, rejects }),
            // An answer, so the server decided: a COMMIT that failed rolled back.
            Err(error) if !error.is_fatal() && self.target.table.transactional => self.failed(error),
            Err(error) => Attempt::Over(ChunkOutcome::Unknown(error.outcome_unknown())),
        }
    }

    /// Commits with the chunk's line in the ledger, in the same transaction: a chunk is stored exactly if its line exists.
    fn commit_behind(
        &mut self,
        fence: &Fence,
        chunk: &PreparedChunk,
        counted: Counted,
        rejects: Vec<Reject>,
    ) -> Attempt {
        match self.write_lines(fence, chunk, counted, &rejects) {
            Ok(true) => {}
            Ok(false) => return self.stopped(Stop::Failed(Fence::taken_over())),
            Err(error) => return self.failed(error),
        }
        // If another statement of the transaction has committed by itself, the lock on the job is released.
        if !self.connection.session().in_transaction() {
            return Attempt::Over(ChunkOutcome::Unknown(ended_early()));
        }
        match self.send_commit() {
            Ok(()) => Attempt::Over(ChunkOutcome::Stored { counted, rejects }),
            Err(lost) => self.settle(fence, chunk, counted, rejects, lost),
        }
    }

    /// Writes the rejects and the line of a chunk. `false`: the job is another run's by now.
    fn write_lines(&mut self, fence: &Fence, chunk: &PreparedChunk, counted: Counted, late: &[Reject]) -> Result<bool> {
        self.waits(Some(LINES));
        let start = chunk.origin().span.start;
        // Whole records for a reject file; else the reasons, as many as a report shows, for the run that finishes the job.
        let (keeps_records, most) = match self.target.load.options.bad_rows {
            BadRows::Divert(_) => (true, usize::MAX),
            BadRows::Skip => (false, SHOWN_REJECTS),
            BadRows::Stop => (false, 0),
        };
        if most > 0 {
            for rejects in [chunk.rejects(), late] {
                let rejects = &rejects[..rejects.len().min(most)];
                for (fence, rejects) in by_job(fence, &chunk.plan.fences_of_rejects, rejects) {
                    for statement in fence.reject_statements(start, &rejects, keeps_records, self.target.max_packet - 2)
                    {
                        self.connection.run(fault::told("rejects.sent", Query::new(&statement, &mut Discard)))?;
                        fault::point("rejects.answered");
                    }
                }
            }
        }
        if !mark(&mut self.connection, fence)? {
            return Ok(false);
        }
        let line = chunk.line(counted, late.len() as u64);
        let statement = fence.chunk_statement(&line);
        let outcome = self.connection.run(fault::told("line.sent", Query::new(&statement, &mut Discard)))?;
        fault::point("line.answered");
        match outcome.affected {
            0 => Ok(false),
            1 => Ok(true),
            n => Err(miscounted(n, 1)),
        }
    }

    fn send_commit(&mut self) -> Result<()> {
        self.waits(Some("COMMIT"));
        self.connection.run(fault::told("commit.sent", Query::new("COMMIT", &mut Discard)))?;
        fault::point("commit.answered");
        Ok(())
    }

    /// After a COMMIT without a good answer: reads its outcome from the ledger. The read waits for a server that may still be busy with
    /// the COMMIT. Retries until the server answers, the time limit passes, or the load is aborted.
    fn settle(
        &mut self,
        fence: &Fence,
        chunk: &PreparedChunk,
        counted: Counted,
        rejects: Vec<Reject>,
        lost: Error,
    ) -> Attempt {
        let asking =
            self.target.load.retrying(self.number, Work::Chunk(chunk.place())).at_least_for(ASK_FOR).after_rows();
        let answer = asking.run(Control::is_aborted, |reconnect| {
            self.must_reconnect |= reconnect;
            self.ask_ledger(fence, chunk).into()
        });
        let settled = match answer {
            Ok(answer) => fence.settle(&answer, chunk.checksum),
            Err(GaveUp { why: Why::Interrupted, .. }) => {
                return Attempt::Over(ChunkOutcome::Unknown(not_settled(&aborted())));
            }
            Err(GaveUp { error, .. }) => return Attempt::Over(ChunkOutcome::Unknown(not_settled(&error))),
        };
        fault::point("settled");
        match settled {
            Ok(true) => Attempt::Over(ChunkOutcome::Stored { counted, rejects }),
            Ok(false) => Attempt::Failed(lost),
            Err(error) => Attempt::Over(ChunkOutcome::NotStored(Some(Stop::Failed(error)))),
        }
    }

    /// Returns the outcome of a chunk to report. Rows of a newer run make an older run fail in many ways, for example by keys that
    /// already exist or by tables that are gone; then the row is not at fault, and the outcome says that the job was taken over. If
    /// the ledger does not answer, the outcome stays as it is.
    pub(crate) fn unless_taken_over(&mut self, chunk: &PreparedChunk, end: ChunkOutcome) -> ChunkOutcome {
        match (&end, &chunk.plan.fence) {
            (ChunkOutcome::NotStored(Some(Stop::BadData(_) | Stop::Failed(_))), Some(fence))
                if self.is_taken_over(fence).unwrap_or(false) =>
            {
                ChunkOutcome::NotStored(Some(Stop::Failed(Fence::taken_over())))
            }
            _ => end,
        }
    }

    /// Reads from the ledger whose the job is, if that needs no new connection: no other run cuts a connection.
    fn is_taken_over(&mut self, fence: &Fence) -> Result<bool> {
        if self.must_reconnect || self.connection.session().is_dead() {
            return Ok(false);
        }
        let epoch = sql::first_row(&mut self.connection, &fence.epoch_query())?;
        // The next transaction must not see the state of this read.
        self.must_reconnect |= self.roll_back().is_err();
        Ok(fence.is_taken_over(&epoch))
    }

    /// Reads the chunk's line in the ledger, in the form that [`Fence::settle`] needs.
    fn ask_ledger(&mut self, fence: &Fence, chunk: &PreparedChunk) -> Result<Vec<String>> {
        self.be_connected()?;
        // A refused COMMIT may have left a transaction open, which would see its own line.
        self.roll_back()?;
        self.waits(Some("the ledger"));
        let answer = sql::first_row(&mut self.connection, &fence.settle_query(chunk.origin().span.start))?;
        // Releases the lock that the read took.
        self.must_reconnect |= self.roll_back().is_err();
        Ok(answer)
    }

    /// Checked before the COMMIT, so that a small file with too many bad rows stores nothing.
    fn too_many_bad(&self, chunk: &PreparedChunk, late: &[Reject]) -> Option<Stop> {
        let found = (chunk.rejects().len() + late.len()) as u64;
        let done = self.target.load.control.snapshot();
        let exceeded = |most: MaxBad| found > 0 && most.is_exceeded(done.rejected + found, done.read, false);
        let first = chunk.rejects().iter().chain(late).min_by_key(|reject| reject.place.line)?;
        self.target
            .load
            .options
            .max_bad
            .filter(|most| exceeded(*most))
            .map(|_| too_many(done.rejected + found, done.read, Some(first)))
    }

    /// A stop on request still commits what is on its way; a bad row before this chunk does not.
    fn wants_commit(&self, chunk: &PreparedChunk) -> bool {
        self.target.load.control.wants(chunk.number)
    }
}

/// Rejects under the jobs that keep them: if rows were sorted together, each source has its own job.
fn by_job<'a>(
    fence: &'a Fence,
    of_sources: &'a [(Arc<str>, Fence)],
    rejects: &'a [Reject],
) -> Vec<(&'a Fence, Cow<'a, [Reject]>)> {
    if of_sources.is_empty() {
        return vec![(fence, Cow::Borrowed(rejects))];
    }
    let of =
        |name: &Arc<str>| rejects.iter().filter(|reject| reject.place.source == *name).cloned().collect::<Vec<_>>();
    of_sources.iter().map(|(name, fence)| (fence, Cow::Owned(of(name)))).collect()
}

/// A query costs only time; an unknown outcome costs the time of a person.
const ASK_FOR: Duration = Duration::from_secs(10);

fn ended_early() -> Error {
    Error::protocol("the transaction ended before its COMMIT: the table or a trigger commits by itself")
}

fn not_settled(error: &Error) -> Error {
    Error::new(error.kind(), format!("the answer to COMMIT was lost, and the ledger cannot be asked: {error}"))
        .with_hint("run the same command again: the ledger knows what is stored")
        .outcome_unknown()
}
