//! The end of a chunk's transaction: what must be true before COMMIT is sent, and what its answer means.
//!
//! Invariants: COMMIT is sent only after every earlier answer was read; the session has autocommit off, so nothing is ever
//! committed by accident.

use super::lane::{Attempt, Lane, Undone, some_rows_stay};
use super::options::MaxBad;
use super::prepare::{Prepared, stopping};
use super::replay::{ReplayEnd, replay};
use super::tally::{ChunkEnd, too_many};
use crate::fault;
use inrush_core::Error;
use inrush_core::bulk::Reject;
use inrush_core::bulk::judge::Warning;
use inrush_core::bulk::report::Stop;
use inrush_core::session::{Discard, Query};

impl Lane<'_> {
    /// Replays a chunk strictly. Its verdict counts, whatever the first attempt's warnings said.
    pub(super) fn replay(&mut self, chunk: &Prepared, warnings: &[Warning]) -> Attempt {
        if !self.shared.table.transactional {
            let error = Error::data("the server found fault with rows of this chunk, and its table cannot roll back")
                .at(chunk.work.batch.origin.place(0));
            return Attempt::Over(ChunkEnd::Unknown(error));
        }
        self.shared.count_replay();
        match self.roll_back() {
            Ok(Undone::All) => {}
            Ok(Undone::NotAll) => {
                return Attempt::Over(ChunkEnd::Unknown(some_rows_stay("the server found fault with rows")));
            }
            Err(error) => return self.failed(error),
        }
        self.waits(Some("INSERT"));
        match replay(&mut self.connection, chunk, self.shared) {
            Ok(ReplayEnd::Done { rows, rejects, noted }) => {
                // Every row went in as strict SQL: what the LOAD warned of does no harm.
                let proved: &[Warning] = if rejects.is_empty() { warnings } else { &[] };
                self.note(proved);
                self.commit(chunk, rows, rejects, &noted)
            }
            Ok(ReplayEnd::BadRow(reject)) => self.stopped(Stop::BadData(stopping(&reject, 1))),
            Err(error) => self.failed(error),
        }
    }

    pub(super) fn commit(&mut self, chunk: &Prepared, rows: u64, rejects: Vec<Reject>, noted: &[Warning]) -> Attempt {
        if self.shared.table.transactional && rows > 0 {
            // A chunk after a bad one stays out, so that what is stored ends where the message says.
            if !self.wants_commit(chunk) {
                return self.not_wanted();
            }
            if let Some(stop) = self.too_many_bad(chunk, &rejects) {
                return self.stopped(stop);
            }
            if !self.connection.session().in_transaction() {
                let error = Error::protocol(
                    "the transaction ended before its COMMIT: the table or a trigger commits by itself",
                );
                return Attempt::Over(ChunkEnd::Unknown(error));
            }
        }
        self.waits(Some("COMMIT"));
        self.note(noted);
        match self.connection.run(fault::told("commit.sent", Query::new("COMMIT", &mut Discard))) {
            Ok(_) => {
                fault::point("commit.answered");
                Attempt::Over(ChunkEnd::Stored { rows, rejects })
            }
            // An answer, so the server decided: a COMMIT that failed rolled back.
            Err(error) if !error.is_fatal() && self.shared.table.transactional => self.failed(error),
            Err(error) => Attempt::Over(ChunkEnd::Unknown(error.outcome_unknown())),
        }
    }

    /// Judged before the COMMIT, so that a small file with too many bad rows leaves nothing behind.
    fn too_many_bad(&self, chunk: &Prepared, late: &[Reject]) -> Option<Stop> {
        let found = (chunk.rejects.len() + late.len()) as u64;
        let done = self.shared.control.snapshot();
        let exceeded = |most: MaxBad| found > 0 && most.is_exceeded(done.rejected + found, done.read, false);
        let first = chunk.rejects.iter().chain(late).min_by_key(|reject| reject.place.line)?;
        self.shared
            .options
            .max_bad
            .filter(|most| exceeded(*most))
            .map(|_| too_many(done.rejected + found, done.read, Some(first)))
    }

    /// A stop on request still commits what is on its way; a bad row before this chunk does not.
    fn wants_commit(&self, chunk: &Prepared) -> bool {
        self.shared.control.wants(chunk.work.number)
    }
}
