//! The tables that refreshes have replaced and keep for a while: their lines in the ledger, and their end.
//!
//! A kept table has a line of its own, with the time until which it is kept. Jobs whose rows are in it have their lines put aside: they have the
//! kept table as their target, and another id, so that a load into the table does not find them.

use super::Jobs;
use super::tables::PROGRAM;
use crate::blocking::Connection;
use crate::fault;
use crate::loader::plan::target::Target;
use crate::loader::report::event::LoadEvent;
use crate::loader::sql;
use inrush_core::Result;
use inrush_core::load::ledger::{JobId, JobLine, Ledger, Start};
use inrush_core::load::steps::Kept;
use inrush_core::load::steps::kept::BEFORE_JOB;
use std::time::Duration;

impl Jobs {
    /// Writes the line about the table that is to be kept for so long.
    pub(crate) fn write_kept(&self, connection: &mut Connection, kept: &Kept, seconds: u64) -> Result<()> {
        let Some(first) = self.jobs.first() else { return Ok(()) };
        self.keep_mine(connection)?;
        let start = Start {
            id: kept.id(),
            target: &kept.target(),
            source: &format!("`{}{BEFORE_JOB}{}", kept.table, first.fence.job),
            identity: None,
            mapping: &kept.mapping(),
            program: PROGRAM,
        };
        for statement in JobLine::keep_statements(&first.fence.ledger, &start, seconds) {
            connection.execute(&statement, ())?;
        }
        connection.execute("COMMIT", ()).map(drop)
    }

    /// Writes what its line says once more. Part of the transaction of the caller.
    pub(crate) fn rewrite_kept(&self, connection: &mut Connection, kept: &Kept) -> Result<()> {
        let Some(first) = self.jobs.first() else { return Ok(()) };
        let statement = JobLine::kept_statement(&first.fence.ledger, kept.id(), &kept.target(), &kept.mapping());
        connection.execute(&statement, ()).map(drop)
    }

    /// The time for which the table is kept begins: it was written down before the RENAME, and that may be long ago. Part of the transaction of
    /// the caller.
    pub(crate) fn keep_from_now(&self, connection: &mut Connection, kept: &Kept, time: Option<Duration>) -> Result<()> {
        let (Some(first), Some(time)) = (self.jobs.first(), time) else { return Ok(()) };
        let statement = JobLine::keep_from_now_statement(&first.fence.ledger, kept.id(), time.as_secs());
        connection.execute(&statement, ()).map(drop)
    }

    /// Puts all other jobs of the target aside, whose rows are in the kept table. The transaction stays open.
    pub(crate) fn put_others_aside(&self, connection: &mut Connection, target: &Target, kept: &Kept) -> Result<()> {
        let Some(first) = self.jobs.first() else { return Ok(()) };
        let others = JobLine::others_query(&first.fence.ledger, &target.name(), &self.ids());
        move_jobs(connection, &first.fence.ledger, &others, kept, &kept.target())
    }

    /// Drops what was kept for long enough. A table that is in use, or that this user may not drop, stays for a later load.
    pub(crate) fn drop_kept_too_long(&self, connection: &mut Connection, target: &Target) {
        let Some(first) = self.jobs.first() else { return };
        if let Ok(dropped) = drop_kept_too_long(connection, &first.fence.ledger) {
            dropped.into_iter().for_each(|table| target.load.notify(&LoadEvent::KeptTooLong { table }));
        }
    }
}

/// Gives the jobs of a query another target, and the ids that they have there.
pub(crate) fn move_jobs(
    connection: &mut Connection,
    ledger: &Ledger,
    query: &str,
    kept: &Kept,
    target: &str,
) -> Result<()> {
    for row in sql::rows(connection, query)? {
        let id = JobId::parse(row.first().map_or("", String::as_str))?;
        for statement in JobLine::move_statements(ledger, id, kept.aside(id), target) {
            connection.execute(&statement, ())?;
        }
    }
    Ok(())
}

/// Drops the tables that were kept for long enough, and the lines of the jobs whose rows are in them. Returns their names.
pub(crate) fn drop_kept_too_long(connection: &mut Connection, ledger: &Ledger) -> Result<Vec<String>> {
    let lines = sql::rows(connection, &JobLine::kept_too_long_query(ledger))?;
    if lines.is_empty() {
        return Ok(Vec::new());
    }
    connection.execute("COMMIT", ())?;
    let (mut dropped, mut failed) = (Vec::new(), Ok(()));
    connection.execute(&format!("SET SESSION lock_wait_timeout = {DROP_WAIT_SECONDS}"), ())?;
    for row in lines {
        // One that stays does not keep the others.
        match drop_kept(connection, ledger, &row) {
            Ok(name) => dropped.extend(name),
            Err(error) if error.is_fatal() => return Err(error),
            Err(error) => failed = Err(error),
        }
    }
    // The error comes again with the next call, and what was dropped is gone.
    if dropped.is_empty() { failed.map(|()| dropped) } else { Ok(dropped) }
}

/// Drops the table that a line is about. Returns its name; `None` if it was gone, or if its refresh is at work or being undone.
fn drop_kept(connection: &mut Connection, ledger: &Ledger, row: &[String]) -> Result<Option<String>> {
    let Some(kept) = Kept::of_line(&ledger.schema, &JobLine::parse(row)?)? else { return Ok(None) };
    let at_work = JobLine::refresh_at_work_query(ledger, &kept.tag.to_string());
    if !sql::rows(connection, &at_work)?.is_empty() {
        return Ok(None);
    }
    let is_there = sql::is_there(connection, &ledger.schema, &kept.name_now())?;
    connection.execute(&kept.drop_statement(), ())?;
    fault::point("kept.dropped");
    connection.execute("START TRANSACTION", ())?;
    // An undo that came first has renamed the table, so it was not dropped.
    let now = sql::rows(connection, &JobLine::query(ledger, Some(&[kept.id()]), true))?;
    if now.first().map(Vec::as_slice) != Some(row) || !sql::rows(connection, &at_work)?.is_empty() {
        return connection.execute("COMMIT", ()).map(|_| None);
    }
    for row in sql::rows(connection, &JobLine::others_query(ledger, &kept.target(), &[]))? {
        let id = JobId::parse(row.first().map_or("", String::as_str))?;
        for statement in JobLine::forget_statements(ledger, id) {
            connection.execute(&statement, ())?;
        }
    }
    connection.execute("COMMIT", ())?;
    Ok(is_there.then(|| kept.name_now()))
}

/// How long it waits for sessions that use such a table.
const DROP_WAIT_SECONDS: u32 = 5;
