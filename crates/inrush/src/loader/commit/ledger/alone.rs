//! Statements that commit by themselves (TRUNCATE, CREATE, ALTER, RENAME) are not undone if the fence finds that a newer run has taken the
//! job over: a late TRUNCATE would remove the newer run's rows.
//!
//! So they run under locks of the jobs, and only if the jobs are this run's once the locks are taken; a job is taken over under the same
//! locks. By then, such a statement of an older run is over, and that run begins no more of them.

use super::Jobs;
use crate::blocking::Connection;
use crate::fault;
use crate::loader::control::Control;
use crate::loader::lanes::retry::{Tried, Why, Work};
use crate::loader::plan::target::Target;
use crate::loader::sql;
use inrush_core::load::steps::JobLocks;
use inrush_core::{Error, Kind, Result};
use std::mem;

impl Jobs {
    /// Runs statements that commit by themselves while no other run of these jobs does so, can take the jobs over or has taken them over.
    /// Without a ledger, runs cannot be distinguished from each other, so `run` is called directly.
    pub(crate) fn alone<T>(
        &mut self,
        connection: &mut Connection,
        target: &Target,
        run: impl FnOnce(&mut Connection, &mut Jobs) -> Result<T>,
    ) -> Result<T> {
        if self.jobs.is_empty() {
            return run(connection, self);
        }
        fault::point("alone.before");
        let locks = JobLocks::of(self.jobs.iter().map(|job| job.fence.job));
        while_locked(&locks, connection, target, |connection| {
            self.keep_mine(connection)?;
            run(connection, self)
        })
    }
}

/// Runs `run` while no other session has any of the locks.
pub(crate) fn while_locked<T>(
    locks: &JobLocks,
    connection: &mut Connection,
    target: &Target,
    run: impl FnOnce(&mut Connection) -> Result<T>,
) -> Result<T> {
    if target.cluster.with_local_locks().is_some() {
        // They keep out no connection to another node. What needs them is refused there (`promise`).
        return run(connection);
    }
    let mut has_waited = false;
    let taken = target.load.retrying(0, Work::OtherRun).without_back_off().run(Control::is_stopping, |_| {
        if mem::replace(&mut has_waited, true) {
            target.load.control.waits(0, Some("another run of this load"));
        }
        match take(locks, connection) {
            Ok(true) => Tried::Done(()),
            Ok(false) => match free(locks, connection) {
                Ok(()) => Tried::Contended(Error::new(Kind::Server, "another run of this load is at work")),
                Err(error) => Tried::Refused(error),
            },
            Err(error) => Tried::Refused(error),
        }
    });
    taken.map_err(|gave_up| match gave_up.why {
        Why::TimeIsOver if !target.load.control.is_stopping() => {
            still_at_work(locks, connection, target).unwrap_or_else(|error| error)
        }
        Why::TimeIsOver | Why::Interrupted => {
            Error::new(Kind::Interrupted, "interrupted while another run of this load was at work")
        }
        Why::Final | Why::TooLarge => gave_up.error,
    })?;
    let done = run(connection);
    // A connection that is gone no longer has them.
    let _ = free(locks, connection);
    done
}

fn take(locks: &JobLocks, connection: &mut Connection) -> Result<bool> {
    for query in locks.take_queries(LOOK_AGAIN_SECONDS) {
        if sql::first_row(connection, &query)? != ["1"] {
            return Ok(false);
        }
    }
    Ok(true)
}

fn free(locks: &JobLocks, connection: &mut Connection) -> Result<()> {
    locks.free_statements().iter().try_for_each(|statement| connection.execute(statement, ()).map(drop))
}

fn still_at_work(locks: &JobLocks, connection: &mut Connection, target: &Target) -> Result<Error> {
    let mut owners = Vec::new();
    for query in locks.owner_queries() {
        owners.extend(sql::first_row(connection, &query)?.into_iter().filter(|owner| !owner.is_empty()));
    }
    let owner = owners.first().map_or("another one", String::as_str);
    let message =
        format!("another run of this load still prepares or ends table `{}`: connection {owner}", target.name());
    Ok(Error::new(Kind::Server, message)
        .with_hint("wait for it (SHOW PROCESSLIST), or KILL it; then run the same command again"))
}

/// Short, so that the wait is reported soon.
const LOOK_AGAIN_SECONDS: u32 = 5;
