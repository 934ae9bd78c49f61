//! Compares what is stored of a job with its source before the job is taken over. A run that has another file under the same name, on
//! another machine for example, is refused; the run that has the right file continues.

use super::group::split;
use crate::blocking::Connection;
use crate::loader::control::Control;
use crate::loader::lanes::waits::on_sources;
use crate::loader::plan::target::Target;
use crate::loader::sql;
use inrush_core::Result;
use inrush_core::load::Source;
use inrush_core::load::ledger::{ChunkLine, Identity, JobId, JobLine, Ledger, Mapping, NamedJob, State};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A source that is to become a job.
pub(crate) struct Candidate {
    pub(crate) id: JobId,
    /// The source as the user wrote it.
    pub(crate) name: Arc<str>,
    pub(crate) named: Option<NamedJob>,
    /// Its name in the ledger.
    pub(crate) key: String,
    pub(crate) identity: Option<Identity>,
    pub(crate) mapping: Mapping,
    /// A column for values of the source that the table lacks, and would get.
    pub(crate) lacks: Option<String>,
    /// The job whose rows it deletes.
    pub(crate) undoes: Option<JobId>,
}

/// Lines of chunks that their source was found to hold.
#[derive(Debug, Default)]
pub(crate) struct Compared(BTreeMap<JobId, Vec<ChunkLine>>);

impl Compared {
    /// Reads what is stored of each unfinished job, and compares it if the source can be read twice. An older run may store more
    /// meanwhile.
    pub(crate) fn compare_all(
        &mut self,
        connection: &mut Connection,
        (target, ledger): (&Target, &Ledger),
        candidates: &[Candidate],
        sources: &mut Vec<Box<dyn Source>>,
    ) -> Result<()> {
        // What is sorted is compared while it is merged.
        if target.load.options.trust_source || target.load.options.again || target.sort.sorts() {
            return Ok(());
        }
        let ids: Vec<JobId> = candidates.iter().map(|candidate| candidate.id).collect();
        let lines = sql::rows(connection, &JobLine::query(ledger, Some(&ids), false))?;
        let lines = lines.iter().map(|row| JobLine::parse(row)).collect::<Result<Vec<_>>>()?;
        for (number, candidate) in candidates.iter().enumerate() {
            // A job that is refused for another reason is not compared, so that it is refused soon.
            let goes_on = |line: &&JobLine| {
                line.id == candidate.id
                    && line.state == State::Running
                    && line.of_another_version().is_none()
                    && line.difference_under_way(&candidate.mapping).is_none()
            };
            if lines.iter().any(|line| goes_on(&line)) {
                let stored = sql::rows(connection, &JobLine::chunks_query(ledger, candidate.id))?;
                let stored = stored.iter().map(|row| ChunkLine::parse(row)).collect::<Result<Vec<_>>>()?;
                connection.execute("COMMIT", ())?;
                let (stored, _) = split(stored);
                self.compare(candidate.id, stored, number, (&target.load.control, sources))?;
            }
        }
        connection.execute("COMMIT", ()).map(drop)
    }

    /// Makes the only source of `sources` leave out what is stored, once the job is this run's. What was compared before is not
    /// read again.
    pub(crate) fn resume(
        &mut self,
        job: JobId,
        stored: Vec<ChunkLine>,
        control: &Control,
        sources: &mut Vec<Box<dyn Source>>,
    ) -> Result<()> {
        let all = self.compare(job, stored.clone(), 0, (control, sources))?;
        on_sources(control, sources, move |sources| {
            sources.iter_mut().try_for_each(|source| source.resume(&stored, !all))
        })?
    }

    /// Compares the lines that were not compared yet with the source of this number. Returns whether all of them are compared now.
    fn compare(
        &mut self,
        job: JobId,
        stored: Vec<ChunkLine>,
        number: usize,
        (control, sources): (&Control, &mut Vec<Box<dyn Source>>),
    ) -> Result<bool> {
        let before = self.0.entry(job).or_default();
        let new: Vec<ChunkLine> = stored.into_iter().filter(|line| !before.contains(line)).collect();
        if new.is_empty() {
            return Ok(true);
        }
        let (is_compared, new) = on_sources(control, sources, move |sources| {
            (sources.get_mut(number).map_or(Ok(false), |source| source.compare(&new)), new)
        })?;
        if !is_compared? {
            return Ok(false);
        }
        before.extend(new);
        Ok(true)
    }
}
