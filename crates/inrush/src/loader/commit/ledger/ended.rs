//! The note of a run that ends without finishing its jobs: when, and why. `--status` prints it; nothing else depends on it. A run that
//! was killed, or has no connection, leaves none.

use super::Jobs;
use crate::loader::lanes::lane::Lane;
use crate::loader::plan::target::Target;
use inrush_core::Result;
use inrush_core::load::ledger::{Fence, RunLocks};

impl Jobs {
    /// The locks of this run.
    pub(crate) fn run_locks(&self) -> RunLocks {
        RunLocks::of(self.jobs.iter().map(|job| (job.fence.job, job.fence.epoch)))
    }

    /// Notes in the jobs' lines that this run ends, and why.
    pub(crate) fn note_end(&self, target: &Target, why: &str) {
        note_end(target, self.jobs.iter().map(|job| &job.fence), why);
    }
}

/// Notes it for these jobs. Errors are ignored: the load has ended with its own error, and that one counts.
pub(crate) fn note_end<'a>(target: &Target, jobs: impl Iterator<Item = &'a Fence>, why: &str) {
    // A user who aborts a load does not wait for one more connection.
    let statements: Vec<String> = jobs.filter_map(|fence| fence.run_ended_statement(why)).collect();
    if statements.is_empty() || target.load.control.is_aborted() {
        return;
    }
    let _ = execute(target, &statements);
}

fn execute(target: &Target, statements: &[String]) -> Result<()> {
    let mut connection = Lane::open(0, target)?.into_connection();
    statements.iter().try_for_each(|statement| connection.execute(statement, ()).map(drop))?;
    connection.execute("COMMIT", ())?;
    connection.close();
    Ok(())
}
