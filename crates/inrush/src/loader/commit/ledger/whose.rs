//! Which run has a job: the error of a run that another run, or a user, has ended.

use super::Jobs;
use crate::loader::lanes::lane::Lane;
use crate::loader::plan::target::Target;
use crate::loader::sql;
use inrush_core::error::Reason;
use inrush_core::load::ledger::JobLine;
use inrush_core::load::report::JobState;
use inrush_core::{Error, Result};

impl Jobs {
    /// If the error says that another run has taken the jobs over, adds which run did it and what that means for the rows. Any other error
    /// stays unchanged, and so does one for which the ledger has no details.
    pub(crate) fn explained(&mut self, target: &Target, error: Error) -> Error {
        if error.reason() != Reason::JobTakenOver {
            return error;
        }
        self.fate = Some(JobState::TakenOver);
        match self.fate(target) {
            Ok(Some((said, is_gone))) => {
                if is_gone {
                    self.fate = Some(JobState::Forgotten);
                }
                said
            }
            _ => error,
        }
    }

    /// What became of the first job that is no longer this run's, and whether it is gone.
    fn fate(&self, target: &Target) -> Result<Option<(Error, bool)>> {
        let mut connection = Lane::open(0, target)?.into_connection();
        let me = sql::first_row(&mut connection, "SELECT CURRENT_USER()")?.concat();
        for job in &self.jobs {
            let fate = sql::first_row(&mut connection, &job.fence.fate_query())?;
            if fate.first().is_some_and(|epoch| *epoch == job.fence.epoch.to_string()) {
                continue;
            }
            let by = JobLine::forgotten_by_query(&job.fence.ledger, job.fence.job);
            let by = sql::first_row(&mut connection, &by)?.into_iter().next();
            connection.close();
            return Ok(Some((job.fence.what_became_of_it(&fate, by.as_deref(), &me), fate.is_empty())));
        }
        Ok(None)
    }
}
