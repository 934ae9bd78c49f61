//! Rows that turn out to be bad when their chunks are stored already: they leave the counts of their chunks' lines and become rejects, in
//! the transaction that removes them.

use super::Jobs;
use crate::blocking::Connection;
use crate::loader::options::BadRows;
use crate::loader::plan::target::Target;
use crate::loader::sql;
use inrush_core::load::Reject;
use inrush_core::load::ledger::{ChunkLine, JobLine};
use inrush_core::load::steps::keyless::job_and_record;
use inrush_core::{Error, Result};
use std::collections::BTreeMap;
use std::sync::Arc;

impl Jobs {
    /// The source of a job, by its number in the order of the sources.
    pub(crate) fn source(&self, number: usize) -> Option<Arc<str>> {
        self.jobs.get(number).map(|job| job.name.clone())
    }

    /// How many rows were left out after they had been counted as stored.
    pub(crate) fn late(&self) -> u64 {
        self.late
    }

    /// Notes that the rows of these numbers, ascending, are rejects, and commits that with what removed them from the table.
    pub(crate) fn leave_out(
        &self,
        connection: &mut Connection,
        target: &Target,
        rejects: &[(u64, Reject)],
    ) -> Result<()> {
        self.keep_mine(connection)?;
        let keeps_records = matches!(target.load.options.bad_rows, BadRows::Divert(_));
        for (number, job) in self.jobs.iter().enumerate() {
            let ours: Vec<(u64, &Reject)> = rejects
                .iter()
                .map(|(number, reject)| (job_and_record(*number), reject))
                .filter(|((job, _), _)| *job == number)
                .map(|((_, record), reject)| (record, reject))
                .collect();
            if ours.is_empty() {
                continue;
            }
            let fence = &job.fence;
            let lines = sql::rows(connection, &JobLine::chunks_query(&fence.ledger, fence.job))?;
            let mut lines = lines.iter().map(|row| ChunkLine::parse(row)).collect::<Result<Vec<_>>>()?;
            lines.retain(|line| line.records > 0);
            lines.sort_by_key(|line| line.first_record);
            let mut by_chunk: BTreeMap<u64, Vec<Reject>> = BTreeMap::new();
            for (record, reject) in ours {
                let behind = lines.partition_point(|line| line.first_record <= record);
                let line = behind.checked_sub(1).map(|at| &lines[at]);
                let line = line.filter(|line| record < line.first_record + line.records);
                let line =
                    line.ok_or_else(|| Error::protocol("the copy of the table has a row of no chunk of the ledger"))?;
                by_chunk.entry(line.span.start).or_default().push(reject.clone());
            }
            for (start, rejects) in by_chunk {
                let counted = connection.execute(&fence.leave_out_statement(start, rejects.len() as u64), ())?;
                if counted.affected != 1 {
                    connection.execute("ROLLBACK", ())?;
                    return Err(Error::protocol("a chunk's line in the ledger is gone"));
                }
                // A run that kept no records may have stored some of the rows.
                let (with, without): (Vec<_>, Vec<_>) = rejects.into_iter().partition(|reject| !reject.raw.is_empty());
                for (rejects, keeps) in [(with, keeps_records), (without, false)] {
                    for statement in fence.reject_statements(start, &rejects, keeps, target.max_packet) {
                        connection.execute(&statement, ())?;
                    }
                }
            }
        }
        connection.execute("COMMIT", ()).map(drop)
    }
}
