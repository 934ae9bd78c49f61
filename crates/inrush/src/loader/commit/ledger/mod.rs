//! The ledger of a load while it runs: which jobs it has opened, how far each is, and how they end. What the lines say and what is to
//! be done about them is the core's.

mod alone;
mod compare;
mod ended;
mod finish;
mod group;
pub(crate) mod kept;
mod left_out;
mod opening;
pub(crate) mod promise;
pub(crate) mod status;
pub(crate) mod tables;
pub(crate) mod twins;
mod whose;

pub(crate) use finish::LastSteps;
pub(crate) use opening::open;
pub use status::{Forgotten, JobProgress, JobRun, JobStatus, KeptTable};

use crate::blocking::Connection;
use crate::fault;
use crate::loader::plan::target::Target;
use crate::loader::sql;
use inrush_core::load::ledger::{ChunkLine, Fence, JobId, JobLine, JobStep, NamedJob, Totals};
use inrush_core::load::report::{Job, JobState, Records};
use inrush_core::load::steps::{Copied, Index, indexes};
use inrush_core::{Error, Result};
use std::sync::Arc;

/// The jobs of a load; none without a ledger (a dry run, at-least-once).
#[derive(Debug, Default)]
pub(crate) struct Jobs {
    /// Those that this run has taken over, in the order of the sources.
    jobs: Vec<OpenJob>,
    /// Those that were finished before.
    already_loaded: Vec<Job>,
    /// Indexes that an earlier run dropped and that are not rebuilt yet.
    indexes: Vec<Index>,
    /// What an atomic load has copied, if anything yet.
    copied: Option<Copied>,
    /// What became of the jobs where another run, or a user, has ended this one.
    fate: Option<JobState>,
    /// Of jobs that are sorted together: records of each, and how many of them were rejected before they were sorted.
    shares: Vec<(u64, u64)>,
    /// Rows that were left out after they had been counted as stored: see [`Jobs::leave_out`].
    late: u64,
    /// How many rows this load has stored, over all runs, before any were left out late.
    stored: u64,
    /// Without a ledger: whether the answer to a COMMIT after statements of the user is lost, so that it is unknown whether they were run.
    is_unsettled: bool,
}

/// A job that this run has taken over.
#[derive(Debug)]
struct OpenJob {
    fence: Fence,
    /// The source as the user wrote it.
    name: Arc<str>,
    named: Option<NamedJob>,
    /// Whether a later run can read the source again.
    is_lasting: bool,
    /// The last step that is finished.
    step: JobStep,
    /// What earlier runs have stored.
    resumed: Totals,
    /// Which records that are.
    stored: Vec<Records>,
    /// Of rows that are sorted: the lines of what is stored.
    lines: Vec<ChunkLine>,
    /// Of jobs that are sorted together: see [`group`].
    claim: Option<ChunkLine>,
    /// The job whose rows it deletes, and its epoch.
    undoes: Option<(JobId, u32)>,
}

impl Jobs {
    /// Whether there is a ledger.
    pub(crate) fn is_kept(&self) -> bool {
        !self.jobs.is_empty() || !self.already_loaded.is_empty()
    }

    /// Whether every source was loaded by an earlier run.
    pub(crate) fn is_all_loaded(&self) -> bool {
        self.jobs.is_empty() && !self.already_loaded.is_empty()
    }

    /// Runs a step of all jobs and notes that it is finished. Returns whether it ran: not if it did in an earlier run. A step before the
    /// first chunk is not done again if it was done for one of the jobs, or if one of the files is loaded.
    pub(crate) fn step(
        &mut self,
        connection: &mut Connection,
        step: JobStep,
        run: impl FnOnce(&mut Connection, &Jobs) -> Result<()>,
    ) -> Result<bool> {
        let is_done = |job: &OpenJob| job.step >= step;
        let is_done = if step < JobStep::Chunks {
            // A run without this step may have stored rows, too.
            let has_rows = |job: &OpenJob| job.resumed.chunks > 0;
            self.jobs.iter().any(|job| is_done(job) || has_rows(job)) || !self.already_loaded.is_empty()
        } else {
            self.is_kept() && self.jobs.iter().all(is_done)
        };
        if !is_done {
            fault::point("step.before");
            run(connection, self)?;
            fault::point("step.after");
        }
        self.note(connection, step).map_err(|error| self.unsettled(step, error))?;
        fault::point("step.noted");
        Ok(!is_done)
    }

    /// What a lost answer to the COMMIT of a step means: with a ledger, its note shows the outcome; without one, the outcome is unknown.
    fn unsettled(&mut self, step: JobStep, error: Error) -> Error {
        let option = match step {
            JobStep::Before => "--before",
            JobStep::After => "--after",
            _ => return error,
        };
        if self.is_kept() || !error.is_fatal() {
            return error;
        }
        self.is_unsettled = true;
        error
            .while_doing(&format!("the answer to the COMMIT behind `{option}` was lost, and without a ledger nobody knows what was done"))
            .with_hint(format!("look whether the statements of `{option}` have had their effect; with the default guarantee the ledger records it"))
            .outcome_unknown()
    }

    /// Runs a step that belongs to these jobs alone, whatever was loaded before them: unless it was done for one of them.
    pub(crate) fn own_step(
        &mut self,
        connection: &mut Connection,
        step: JobStep,
        run: impl FnOnce(&mut Connection, &Jobs) -> Result<()>,
    ) -> Result<()> {
        if !self.is_done(step) {
            fault::point("step.before");
            run(connection, self)?;
            fault::point("step.after");
        }
        self.note(connection, step)?;
        fault::point("step.noted");
        Ok(())
    }

    /// Whether a step was done for one of the jobs.
    pub(crate) fn is_done(&self, step: JobStep) -> bool {
        self.jobs.iter().any(|job| job.step >= step)
    }

    /// Notes that a step is about to be taken, so that what it leaves is known to be these jobs' own.
    pub(crate) fn intend(&mut self, connection: &mut Connection, step: JobStep) -> Result<()> {
        self.note(connection, step)
    }

    /// The ids of the jobs that are not finished.
    pub(crate) fn ids(&self) -> Vec<JobId> {
        self.jobs.iter().map(|job| job.fence.job).collect()
    }

    /// Whether no other job of the target has taken a step and is not finished.
    pub(crate) fn are_alone(&self, connection: &mut Connection, target: &Target) -> Result<bool> {
        let Some(first) = self.jobs.first() else { return Ok(false) };
        let query = JobLine::others_at_work_query(&first.fence.ledger, &target.name(), &self.ids());
        Ok(sql::rows(connection, &query)?.is_empty())
    }

    /// The other jobs of the target that fill a copy of it, and are not finished.
    pub(crate) fn others_with_copy(&self, connection: &mut Connection, target: &Target) -> Result<Vec<JobId>> {
        let Some(first) = self.jobs.first() else { return Ok(Vec::new()) };
        let query = JobLine::others_with_copy_query(&first.fence.ledger, &target.name(), &self.ids());
        let rows = query.map_or(Ok(Vec::new()), |query| sql::rows(connection, &query))?;
        rows.iter().map(|row| JobId::parse(row.first().map_or("", String::as_str))).collect()
    }

    /// Forgets all other jobs of the target, whose rows are gone. The transaction stays open.
    pub(crate) fn forget_others(&self, connection: &mut Connection, target: &Target) -> Result<()> {
        let Some(first) = self.jobs.first() else { return Ok(()) };
        let ledger = &first.fence.ledger;
        for row in sql::rows(connection, &JobLine::others_query(ledger, &target.name(), &self.ids()))? {
            let id = JobId::parse(row.first().map_or("", String::as_str))?;
            for statement in JobLine::forget_statements(ledger, id) {
                connection.execute(&statement, ())?;
            }
        }
        Ok(())
    }

    /// Notes definitions of indexes in every job's line, before they are dropped.
    pub(crate) fn note_indexes(&mut self, connection: &mut Connection, indexes: Vec<Index>) -> Result<()> {
        let text = indexes::add(&indexes);
        let statements = self.jobs.iter().map(|job| (&job.fence, job.fence.indexes_statement(&text)));
        guarded(connection, statements.collect())?;
        self.indexes = indexes;
        Ok(())
    }

    /// The indexes that are to be rebuilt.
    pub(crate) fn indexes(&self) -> &[Index] {
        &self.indexes
    }

    /// What an atomic load has copied.
    pub(crate) fn copied(&self) -> Option<&Copied> {
        self.copied.as_ref()
    }

    /// Notes it in every job's line, in the transaction that is open. [`Jobs::set_copied`] follows once that is committed.
    pub(crate) fn write_copied(&self, connection: &mut Connection, copied: &Copied) -> Result<()> {
        self.keep_mine(connection)?;
        let mut jobs = self.jobs.iter();
        jobs.try_for_each(|job| connection.execute(&job.fence.copied_statement(&copied.to_string()), ()).map(drop))
    }

    /// See [`Jobs::write_copied`].
    pub(crate) fn set_copied(&mut self, copied: Copied) {
        self.copied = Some(copied);
    }

    /// Whether the ledger can keep what was copied, if there is one.
    pub(crate) fn can_note_copied(&self) -> bool {
        self.jobs.iter().all(|job| job.fence.ledger.has_owners)
    }

    /// Whether a later run can continue one of them.
    pub(crate) fn can_go_on(&self) -> bool {
        self.jobs.iter().any(|job| job.is_lasting)
    }

    /// What earlier runs have stored of the jobs, those that are finished among them.
    pub(crate) fn resumed(&self) -> Totals {
        self.jobs.iter().fold(self.already_loaded(), |sum, job| sum.plus(&job.resumed))
    }

    /// What earlier runs have stored of the jobs that they have finished.
    pub(crate) fn already_loaded(&self) -> Totals {
        self.already_loaded.iter().fold(Totals::default(), |sum, job| sum.plus(&job.resumed))
    }

    /// How many rows this load has stored, once all are.
    pub(crate) fn stored(&self) -> u64 {
        self.stored.saturating_sub(self.late)
    }

    /// Which records that are.
    pub(crate) fn take_stored_records(&mut self) -> Vec<Records> {
        self.jobs.iter_mut().flat_map(|job| std::mem::take(&mut job.stored)).collect()
    }

    /// Whether an earlier run may have put the file of the rejects in its place.
    pub(crate) fn may_have_reject_file(&self) -> bool {
        self.jobs.iter().any(|job| job.step >= JobStep::Rejects)
    }

    /// The jobs, in the form that the report has them.
    pub(crate) fn job_reports(self, is_finished: bool) -> Vec<Job> {
        let fate = self.fate;
        let told = |job: OpenJob| {
            let state = match (is_finished, job.is_lasting) {
                (false, true) if fate.is_some() => fate.clone().unwrap_or(JobState::TakenOver),
                (_, false) => JobState::Forgotten,
                (true, true) => JobState::Done,
                (false, true) => JobState::Unfinished,
            };
            Job { id: job.fence.job, source: job.name, named: job.named, state, resumed: job.resumed }
        };
        self.already_loaded.into_iter().chain(self.jobs.into_iter().map(told)).collect()
    }

    /// Makes sure that all jobs are this run's until the transaction ends.
    fn keep_mine(&self, connection: &mut Connection) -> Result<()> {
        let mut fences: Vec<&Fence> = self.jobs.iter().map(|job| &job.fence).collect();
        // In the order in which jobs are taken over.
        fences.sort_by_key(|fence| fence.job);
        fences.into_iter().try_for_each(|fence| keep_mine(connection, fence))
    }

    fn note(&mut self, connection: &mut Connection, step: JobStep) -> Result<()> {
        let behind = || self.jobs.iter().filter(|job| job.step < step);
        guarded(connection, behind().map(|job| (&job.fence, job.fence.step_statement(step))).collect())?;
        self.jobs.iter_mut().for_each(|job| job.step = job.step.max(step));
        Ok(())
    }
}

/// Marks the job's line in a cluster. `false`: the job is another run's by now.
pub(crate) fn mark(connection: &mut Connection, fence: &Fence) -> Result<bool> {
    match fence.mark_statement() {
        Some(statement) => Ok(connection.execute(&statement, ())?.affected == 1),
        None => Ok(true),
    }
}

/// Changes lines in one transaction, each only if it is this run's. What is already as it should be, after an answer that was lost,
/// counts as changed.
fn guarded(connection: &mut Connection, statements: Vec<(&Fence, String)>) -> Result<()> {
    for (fence, statement) in statements {
        keep_mine(connection, fence)?;
        connection.execute(&statement, ())?;
    }
    connection.execute("COMMIT", ()).map(drop)
}

/// Makes sure that a job is this run's until the transaction ends; in a cluster until its COMMIT succeeds.
fn keep_mine(connection: &mut Connection, fence: &Fence) -> Result<()> {
    let is_mine = !sql::rows(connection, &fence.mine_query())?.is_empty();
    if !(is_mine && mark(connection, fence)?) {
        connection.execute("ROLLBACK", ())?;
        return Err(Fence::taken_over());
    }
    Ok(())
}
