//! Jobs of one load whose rows are sorted together: the first has the lines of all chunks, and each has a *claim*. A claim is a line
//! without records, after all places of any source, that names the other jobs. So no job is continued alone, or with other jobs.

use super::{Jobs, OpenJob, keep_mine};
use crate::fault;
use crate::loader::lanes::lane::Lane;
use crate::loader::sql;
use inrush_core::load::checksum::checksum;
use inrush_core::load::ledger::{ChunkLine, Fence, Totals};
use inrush_core::{Error, Kind, Result};
use std::mem;
use std::sync::Arc;

/// Splits what is stored of a job into its chunks and its claim.
pub(crate) fn split(lines: Vec<ChunkLine>) -> (Vec<ChunkLine>, Option<ChunkLine>) {
    let (claims, stored): (Vec<_>, Vec<_>) = lines.into_iter().partition(is_claim);
    (stored, claims.into_iter().next())
}

fn is_claim(line: &ChunkLine) -> bool {
    line.span.start == CLAIM && line.records == 0
}

/// 2⁴⁸: no source has so many bytes.
const CLAIM: u64 = 1 << 48;

impl Jobs {
    /// A number that says which jobs are sorted together, in their order; `None` without a ledger.
    fn group_hash(&self) -> Option<u64> {
        let ids: Vec<u8> = self.jobs.iter().flat_map(|job| job.fence.job.0).collect();
        (!ids.is_empty()).then(|| checksum(&ids))
    }

    /// Checks that jobs of earlier runs were sorted together with the same other jobs.
    pub(crate) fn check_claims(&self, sorts: bool) -> Result<()> {
        let group = self.group_hash().filter(|_| sorts && self.jobs.len() > 1);
        let has_begun = self.jobs.iter().any(|job| job.claim.is_some() || !job.lines.is_empty());
        let is_same = |job: &OpenJob| job.claim.as_ref().map(|claim| claim.checksum) == group;
        match self.jobs.iter().find(|job| has_begun && !is_same(job)) {
            None => Ok(()),
            Some(job) if job.claim.is_some() => Err(in_other_company(format!(
                "rows of `{}` were sorted together with those of other files, and some are stored",
                job.name
            ))),
            Some(job) => Err(in_other_company(format!(
                "`{}` was not among the files whose rows were sorted together, of which some are stored",
                job.name
            ))),
        }
    }

    /// Writes the claims that are missing, in one transaction, before the first chunk.
    pub(crate) fn claim(&mut self, first: &mut Lane<'_>) -> Result<()> {
        let Some(group) = self.group_hash().filter(|_| self.jobs.len() > 1) else { return Ok(()) };
        if self.jobs.iter().all(|job| job.claim.is_some()) {
            return Ok(());
        }
        let claim = ChunkLine {
            span: CLAIM..CLAIM + 1,
            first_record: 1,
            records: 0,
            first_line: 1,
            lines: 0,
            rows: 0,
            skipped: 0,
            rejected: 0,
            checksum: group,
        };
        let mut fences: Vec<&Fence> = self.jobs.iter().map(|job| &job.fence).collect();
        // In the order in which jobs are taken over.
        fences.sort_by_key(|fence| fence.job);
        first.run_to_its_end("the claims of the files", |connection| {
            for fence in &fences {
                // An attempt whose answer was lost may have written them.
                let there = sql::first_row(connection, &fence.settle_query(CLAIM))?;
                if fence.settle(&there, group)? {
                    continue;
                }
                keep_mine(connection, fence)?;
                if connection.execute(&fence.chunk_statement(&claim), ())?.affected != 1 {
                    connection.execute("ROLLBACK", ())?;
                    return Err(Fence::taken_over());
                }
            }
            fault::point("claims.written");
            connection.execute("COMMIT", ()).map(drop)
        })?;
        fault::point("claims.stored");
        self.jobs.iter_mut().for_each(|job| job.claim = Some(claim.clone()));
        Ok(())
    }

    /// The lines of the chunks that are stored, ascending.
    pub(crate) fn take_lines(&mut self) -> Vec<ChunkLine> {
        self.jobs.first_mut().map(|job| mem::take(&mut job.lines)).unwrap_or_default()
    }

    /// Remembers how many records of each source there are, and how many of them were rejected before they were sorted.
    pub(crate) fn set_shares(&mut self, per_source: &[(u64, u64)]) {
        self.shares = per_source.to_vec();
    }

    /// The job of each source.
    pub(crate) fn fences_of(&self, names: &[Arc<str>]) -> Vec<(Arc<str>, Fence)> {
        let jobs = names.iter().zip(&self.jobs);
        if self.jobs.len() > 1 {
            jobs.map(|(name, job)| (name.clone(), job.fence.clone())).collect()
        } else {
            Vec::new()
        }
    }

    /// The totals of each job. The lines have only their sum, so rows that the server skipped or rejected are counted with the first.
    pub(crate) fn shared_out(&self, mut totals: Vec<Totals>) -> Vec<Totals> {
        for (job, totals) in self.jobs.iter().zip(&mut totals) {
            totals.chunks -= u64::from(job.claim.is_some()).min(totals.chunks);
        }
        let [first, others @ ..] = &mut totals[..] else { return totals };
        if others.is_empty() || self.shares.len() != self.jobs.len() {
            return totals;
        }
        let of = |(records, rejected): &(u64, u64)| Totals {
            chunks: 0,
            records: *records,
            rows: records.saturating_sub(*rejected),
            skipped: 0,
            rejected: *rejected,
        };
        let shares: Vec<Totals> = self.shares[1..].iter().map(of).collect();
        let sum = shares.iter().fold(Totals::default(), |sum, share| sum.plus(share));
        let rest = |all: u64, part: u64| all.checked_sub(part);
        let left = (|| {
            Some(Totals {
                records: rest(first.records, sum.records)?,
                rows: rest(first.rows, sum.rows)?,
                rejected: rest(first.rejected, sum.rejected)?,
                ..*first
            })
        })();
        // So many rows of others were skipped that their jobs cannot be determined.
        let Some(left) = left else { return totals };
        *first = left;
        others.iter_mut().zip(shares).for_each(|(other, share)| *other = share);
        totals
    }
}

fn in_other_company(message: String) -> Error {
    Error::new(Kind::Guarantee, message).with_hint(
        "go on with the same files in the same order; or `inrush load --forget JOB` for each of them, and begin anew with an empty table",
    )
}
