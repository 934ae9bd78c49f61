//! The end of the jobs: the file of the rejects out of the ledger, then one transaction that makes each job one line.
//!
//! The answer to its COMMIT may be lost like any other: then the lines of the ledger show whether it was committed.

use super::Jobs;
use crate::blocking::Connection;
use crate::fault;
use crate::loader::SHOWN_REJECTS;
use crate::loader::control::Control;
use crate::loader::lanes::lane::Lane;
use crate::loader::lanes::retry::{Tried, Why, Work};
use crate::loader::options::BadRows;
use crate::loader::plan::target::Target;
use crate::loader::report::event::LoadEvent;
use crate::loader::report::rejects::OrderedRejects;
use crate::loader::sql;
use inrush_core::load::Reject;
use inrush_core::load::ledger::{Fence, JobLine, JobStep, RejectRow, Totals};
use inrush_core::load::steps::Copied;
use inrush_core::session::{Discard, Query};
use inrush_core::wire::Row;
use inrush_core::{Error, Kind, Result};

/// What surrounds the rows of a load once they are stored: statements of the user, indexes, the swap of an atomic load. Handed in, because
/// those steps are written in the ledger and so use it.
#[derive(Clone, Copy)]
pub(crate) struct LastSteps {
    /// Whether there are any.
    pub(crate) has_any: fn(&Target) -> bool,
    /// Settles which rows are stored, where that is not known before the last one.
    pub(crate) settle: RunSteps,
    /// Runs them.
    pub(crate) run: RunSteps,
    /// Undoes what an unfinished load has prepared for them.
    pub(crate) clean_up: RunSteps,
}

type RunSteps = fn(&mut Connection, &Target, &mut Jobs) -> Result<()>;

impl Jobs {
    /// Finishes all jobs, once all their rows are stored: runs the last steps on a connection, writes the rejects to their file, makes each
    /// job one line. A lost connection is opened again. Returns the first rejects of all runs, where they were read.
    pub(crate) fn finish(&mut self, target: &Target, steps: LastSteps, want: &Totals) -> Result<Option<Vec<Reject>>> {
        if self.is_all_loaded() || self.jobs.is_empty() && !(steps.has_any)(target) {
            return Ok(None);
        }
        self.stored = want.rows;
        let mut first = None;
        let ending = target.load.retrying(0, Work::Step("the end of the load")).after_rows();
        let ended = ending.run(Control::is_stopping, |_| {
            let mut of_file = None;
            match self.attempt(target, steps, want, &mut of_file, &mut first) {
                Ok(()) => Tried::Done(()),
                // An error of the disk has nothing to do with the server; and a step of unknown outcome is not done twice.
                Err(error) if of_file.is_some() || self.is_unsettled => Tried::Refused(of_file.unwrap_or(error)),
                Err(error) => Tried::Failed(error),
            }
        });
        match ended {
            Ok(()) => Ok(first),
            Err(gave_up) if gave_up.why == Why::Interrupted => Err(not_ended(gave_up.interrupted("interrupted"))),
            Err(_) if self.is_taken_over(target).unwrap_or(false) => Err(Fence::taken_over()),
            // It is about rows, not about the end.
            Err(gave_up) if gave_up.error.kind() == Kind::Data => Err(gave_up.error),
            Err(gave_up) => Err(not_ended(gave_up.error)),
        }
    }

    /// Forgets the jobs that no run can continue. What cannot be forgotten stays as a line of the ledger, and does no harm.
    pub(crate) fn forget_passing(&mut self, target: &Target, steps: LastSteps) {
        let passing: Vec<Fence> = self.jobs.iter().filter(|job| !job.is_lasting).map(|job| job.fence.clone()).collect();
        let gives_up = !self.can_go_on() && (target.load.options.atomic || !self.indexes.is_empty());
        if target.load.options.dry_run || passing.is_empty() && !gives_up {
            return;
        }
        if let Ok(lane) = Lane::open(0, target) {
            let mut connection = lane.into_connection();
            if gives_up && (steps.clean_up)(&mut connection, target, self).is_err() {
                // The line has the definitions of indexes that could not be rebuilt.
                return;
            }
            let _ = passing.iter().try_for_each(|fence| {
                fence.remove_statements().iter().try_for_each(|statement| connection.execute(statement, ()).map(drop))
            });
            let _ = connection.execute("COMMIT", ());
            connection.close();
        }
    }

    /// An error of the reject file is left in `of_file` too, the first rejects in `first`.
    fn attempt(
        &mut self,
        target: &Target,
        steps: LastSteps,
        want: &Totals,
        of_file: &mut Option<Error>,
        first: &mut Option<Vec<Reject>>,
    ) -> Result<()> {
        let mut connection = Lane::open(0, target)?.into_connection();
        if self.is_settled(&mut connection)? {
            return Ok(());
        }
        if self.jobs.is_empty() {
            return (steps.run)(&mut connection, target, self);
        }
        (steps.settle)(&mut connection, target, self)?;
        let totals = self.totals(&mut connection, target, want)?;
        self.note(&mut connection, JobStep::Chunks)?;
        (steps.run)(&mut connection, target, self)?;
        let has_rejects = totals.iter().any(|totals| totals.rejected > 0);
        let mut shown = Vec::new();
        match &target.load.options.bad_rows {
            BadRows::Divert(path) if has_rejects => {
                // From here on a file of this name is ours.
                self.note(&mut connection, JobStep::Rejects)?;
                fault::point("file.before");
                // And no other run may write it, until this transaction ends.
                self.keep_mine(&mut connection)?;
                let mut keep = |error: Error| of_file.insert(error).clone();
                let mut file =
                    OrderedRejects::create(path, &target.load.reject_header, target.load.reject_store.as_deref())
                        .map_err(&mut keep)?;
                let mut missing: u64 = totals.iter().map(|totals| totals.rejected).sum();
                for job in &self.jobs {
                    each_reject(&mut connection, &job.fence, |row| {
                        let is_kept = row.is_kept();
                        let reject = row.into_reject(&job.name);
                        show(&mut shown, &reject);
                        if !is_kept {
                            return Ok(());
                        }
                        missing = missing.saturating_sub(1);
                        file.add(reject).map_err(&mut keep)
                    })?;
                }
                // A session that was lost meanwhile keeps no other run away.
                self.keep_mine(&mut connection)?;
                file.finish().map_err(keep)?;
                if missing > 0 {
                    target.load.notify(&LoadEvent::RejectsNotKept { missing });
                }
                fault::point("file.written");
            }
            _ if has_rejects => {
                for job in &self.jobs {
                    each_reject(&mut connection, &job.fence, |row| {
                        show(&mut shown, &row.into_reject(&job.name));
                        Ok(())
                    })?;
                }
            }
            _ => {}
        }
        *first = has_rejects.then_some(shown);
        self.end(&mut connection, &totals)?;
        self.drop_kept_too_long(&mut connection, target);
        connection.close();
        Ok(())
    }

    /// Whether an attempt whose answer was lost had succeeded. If not, the lines say which of its steps did: the read waits for a COMMIT
    /// that the server is still busy with.
    fn is_settled(&mut self, connection: &mut Connection) -> Result<bool> {
        let mut n_done = 0;
        for job in &mut self.jobs {
            let state = sql::first_row(connection, &job.fence.state_query())?;
            match state.iter().map(String::as_str).collect::<Vec<_>>()[..] {
                [epoch, "running", step] if epoch == job.fence.epoch.to_string() => {
                    job.step = JobStep::parse(step)
                        .ok_or_else(|| Error::protocol("a line of `inrush_job` names a step that there is not"))?;
                }
                [epoch, "done", _] if epoch == job.fence.epoch.to_string() => n_done += 1,
                [] if !job.is_lasting => n_done += 1,
                _ => return Err(Fence::taken_over()),
            }
        }
        connection.execute("COMMIT", ())?;
        Ok(n_done == self.jobs.len() && n_done > 0)
    }

    /// Whether the end failed because a newer run has taken a job over.
    fn is_taken_over(&self, target: &Target) -> Result<bool> {
        let mut connection = Lane::open(0, target)?.into_connection();
        for job in &self.jobs {
            if job.fence.is_taken_over(&sql::first_row(&mut connection, &job.fence.state_query())?) {
                return Ok(true);
            }
        }
        connection.close();
        Ok(false)
    }

    /// The totals of each job's lines. They must be what this run and those before it have counted: otherwise no job is noted as done.
    fn totals(&mut self, connection: &mut Connection, target: &Target, want: &Totals) -> Result<Vec<Totals>> {
        let mut all = Vec::new();
        for job in &self.jobs {
            all.push(Totals::parse(&sql::first_row(connection, &job.fence.totals_query())?)?);
        }
        let sum = all.iter().fold(Totals::default(), |sum, totals| sum.plus(totals));
        let counts = |totals: &Totals| (totals.records, totals.rows, totals.skipped, totals.rejected);
        self.late = if target.sort.by_server() { want.rows.saturating_sub(sum.rows) } else { 0 };
        let want = Totals { rows: want.rows - self.late, rejected: want.rejected + self.late, ..*want };
        if counts(&sum) != counts(&want) {
            return Err(Error::protocol(format!(
                "the ledger counts {} records, {} rows, {} skipped, {} rejected, and the load {}, {}, {}, {}",
                sum.records, sum.rows, sum.skipped, sum.rejected, want.records, want.rows, want.skipped, want.rejected
            )));
        }
        Ok(self.shared_out(all))
    }

    /// Notes in the lines of the jobs whose rows this load has deleted that they are undone.
    fn note_undone(&self, connection: &mut Connection, totals: &[Totals]) -> Result<()> {
        for (job, totals) in self.jobs.iter().zip(totals) {
            let Some(undone) = job.undoes else { continue };
            let copied = Copied::of_undone_rows(totals.rows).to_string();
            let statement = JobLine::undone_statement(&job.fence.ledger, undone, &copied);
            if connection.execute(&statement, ())?.affected != 1 {
                connection.execute("ROLLBACK", ())?;
                return Err(Error::new(
                    Kind::Guarantee,
                    format!("`{}` was loaded once more, or forgotten, while its rows were deleted", job.name),
                )
                .with_hint("look at the rows of the table; `inrush load --status` lists the job"));
            }
        }
        Ok(())
    }

    /// One transaction for all: a session that sees one of them done sees all of them done.
    fn end(&self, connection: &mut Connection, totals: &[Totals]) -> Result<()> {
        let mut ends: Vec<_> = self.jobs.iter().zip(totals).collect();
        // In the order in which jobs are taken over.
        ends.sort_by_key(|(job, _)| job.fence.job);
        let mut first = Vec::new();
        let mut rest = Vec::new();
        for (job, totals) in ends {
            let statements = match job.is_lasting {
                true => job.fence.finish_statements(totals),
                false => job.fence.remove_statements(),
            };
            let [line, chunks, rejects] = statements;
            first.push(line);
            rest.extend([chunks, rejects]);
        }
        for statement in first {
            if connection.execute(&statement, ())?.affected != 1 {
                connection.execute("ROLLBACK", ())?;
                return Err(Fence::taken_over());
            }
        }
        for statement in rest {
            connection.execute(&statement, ())?;
        }
        self.note_undone(connection, totals)?;
        connection.run(fault::told("done.sent", Query::new("COMMIT", &mut Discard)))?;
        fault::point("done.answered");
        Ok(())
    }
}

fn not_ended(error: Error) -> Error {
    error.while_doing("every row is stored, but the load is not ended")
}

/// Adds a reject to those that the report shows, if there is room.
fn show(shown: &mut Vec<Reject>, reject: &Reject) {
    if shown.len() < SHOWN_REJECTS {
        shown.push(reject.clone());
    }
}

/// Hands over every reject of a job, its parts put together.
fn each_reject(
    connection: &mut Connection,
    fence: &Fence,
    mut each: impl FnMut(RejectRow) -> Result<()>,
) -> Result<()> {
    let mut whole: Option<RejectRow> = None;
    connection.query_each(&RejectRow::query(&fence.ledger, fence.job), (), |row| {
        let part = reject_row(row)?;
        match &mut whole {
            Some(reject) if reject.line == part.line => {
                if reject.raw.len() + part.raw.len() > MAX_REJECT_BYTES {
                    return Err(Error::protocol("the parts of a row in `inrush_reject` are longer than any record"));
                }
                reject.raw.extend_from_slice(&part.raw);
            }
            _ => {
                if let Some(reject) = whole.replace(part) {
                    each(reject)?;
                }
            }
        }
        Ok(())
    })?;
    whole.map_or(Ok(()), each)
}

/// No record of a file is longer (SECURITY.md); one of a table is its line of text.
const MAX_REJECT_BYTES: usize = 256 << 20;

fn reject_row(row: Row<'_>) -> Result<RejectRow> {
    let odd = || Error::protocol("a line of `inrush_reject` has an odd shape");
    let mut fields = Vec::new();
    for value in row.values() {
        fields.push(value?.as_bytes().unwrap_or_default().to_vec());
    }
    let [line, part, column, code, reason, raw] = <[Vec<u8>; 6]>::try_from(fields).map_err(|_| odd())?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ok(RejectRow {
        line: text(&line).parse().map_err(|_| odd())?,
        part: text(&part).parse().map_err(|_| odd())?,
        column: text(&column),
        code: text(&code).parse().map_err(|_| odd())?,
        reason: text(&reason),
        raw,
    })
}
