//! Takes a finished refresh back: the table that it has replaced, and keeps, gets its name again.
//!
//! What the refresh had made of the table is kept in its place, so nothing is lost. While the RENAME runs, a transaction has all lines of the
//! ledger locked: no load begins meanwhile, and one that has begun is seen. The names of the tables show whether the RENAME was done, so a
//! command that was killed is finished by the next one.

use super::commit::ledger::kept::{drop_kept_too_long, move_jobs};
use super::commit::ledger::status::{ledger, meant};
use super::commit::ledger::tables;
use super::open::steps;
use super::{Loader, sql};
use crate::Config;
use crate::blocking::Connection;
use crate::fault;
use crate::table::TableName;
use inrush_core::column::ident::quote_table;
use inrush_core::load::ledger::{JobId, JobLine, Ledger, State};
use inrush_core::load::steps::{Copied, Kept, kept};
use inrush_core::write::Table;
use inrush_core::{Error, Kind, Result};

/// How a load is undone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UndoOptions {
    /// Whether everything is checked and nothing changed.
    pub dry_run: bool,
    /// Whether a job of another user is undone, too.
    pub force: bool,
}

/// A refresh that was undone, or would be.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Undone {
    /// The jobs of the load, of which one was named.
    pub jobs: Vec<JobId>,
    /// `schema.table`, which is as it was before the load.
    pub target: String,
    /// The name of the table that holds what the load had made of it.
    pub aside: String,
    /// Until when that is kept, in UTC.
    pub until: String,
    /// Whether an earlier call has undone it.
    pub was_undone: bool,
}

impl Loader {
    /// Takes a finished refresh ([`with_replace`](crate::LoadOptions::with_replace), [`with_atomic`](crate::LoadOptions::with_atomic)) back that keeps
    /// the table which it has replaced ([`with_keep_old`](crate::LoadOptions::with_keep_old)), by one RENAME. The job is named by its id or by as much
    /// of its beginning as no other job has. What the load had made of the table is kept for as long, under another name. A second call changes
    /// nothing.
    ///
    /// # Errors
    /// `Config` if no job or more than one is meant, `Guarantee` if the refresh cannot be taken back: the job is not finished, or is another
    /// user's, nothing is kept, the table has another definition by now, or other loads have stored rows in it since. Else the error of the server
    /// or the network.
    pub fn undo(config: &Config, schema: &str, id: &str, options: UndoOptions) -> Result<Undone> {
        if id.is_empty() {
            return Err(Error::config("the id of the job to undo is empty")
                .with_hint("`inrush load --status` lists the ids: give one, or its first digits"));
        }
        let mut connection = Connection::connect(config)?;
        let ledger = ledger(&mut connection, schema)?;
        let job = meant(&mut connection, &ledger, id)?;
        if job.is_kept_table {
            return Err(Error::config(format!("{} is the line about a kept table, and no job", job.id))
                .with_hint("`inrush load --status` lists the jobs: give the one that keeps the table"));
        }
        let me = sql::first_row(&mut connection, "SELECT CURRENT_USER()")?.concat();
        if !job.owner.is_empty() && job.owner != me && !options.force {
            return Err(refused(format!("job {} is one of user `{}`", job.id, job.owner))
                .with_hint("ask them; then `--force` undoes it"));
        }
        let undone = Undo { ledger: &ledger, id: job.id }.run(&mut connection, config, options)?;
        connection.close();
        Ok(undone)
    }

    /// Drops the tables of a schema that loads have kept for long enough, and returns their names. Each load with a ledger does the same
    /// when it is finished.
    ///
    /// # Errors
    /// The error of the server or the network.
    pub fn drop_kept(config: &Config, schema: &str) -> Result<Vec<String>> {
        let mut connection = Connection::connect(config)?;
        let ledger = ledger(&mut connection, schema)?;
        let dropped = match tables::are_there(&mut connection, &ledger)? {
            true => drop_kept_too_long(&mut connection, &ledger)?,
            false => tables::may_read(&mut connection, &ledger).map(|()| Vec::new())?,
        };
        connection.close();
        Ok(dropped)
    }
}

struct Undo<'a> {
    ledger: &'a Ledger,
    id: JobId,
}

impl Undo<'_> {
    fn run(&self, connection: &mut Connection, config: &Config, options: UndoOptions) -> Result<Undone> {
        // Locks the gaps, too, so that no line is added.
        connection.execute("SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ", ())?;
        connection.execute("START TRANSACTION", ())?;
        let lines = sql::rows(connection, &JobLine::query(self.ledger, None, true))?;
        let lines = lines.iter().map(|row| JobLine::parse(row)).collect::<Result<Vec<_>>>()?;
        let (line, kept, until) = self.kept(&lines)?;
        let mut of_load: Vec<(JobId, Copied)> = Vec::new();
        for other in lines.iter().filter(|other| other.target == line.target && other.state == State::Done) {
            if let Some(copied) = Copied::parse(&other.copied).filter(|copied| copied.kept.as_ref() == Some(&kept.tag))
            {
                of_load.push((other.id, copied));
            }
        }
        let jobs: Vec<JobId> = of_load.iter().map(|(id, _)| *id).collect();
        let undone = Undone {
            target: line.target.clone(),
            aside: kept.undone_name(),
            until,
            was_undone: kept.is_undone,
            jobs: jobs.clone(),
        };
        if kept.is_undone {
            return Ok(undone);
        }
        let is_there = |connection: &mut Connection, name: &str| sql::is_there(connection, &kept.schema, name);
        let is_renamed = !is_there(connection, &kept.name())? && is_there(connection, &kept.undone_name())?;
        if !is_renamed {
            self.check(connection, &line.target, &kept, &jobs)?;
            if options.dry_run {
                return Ok(undone);
            }
            fault::point("undo.before");
            // Its own connection: the RENAME commits.
            let mut other = Connection::connect(config)?;
            other.execute(&format!("SET SESSION lock_wait_timeout = {RENAME_WAIT_SECONDS}"), ())?;
            other.execute(&kept.undo_statement(), ()).map_err(|e| e.while_doing("cannot put the old table back"))?;
            other.close();
            fault::point("undo.renamed");
        }
        if options.dry_run {
            return Ok(undone);
        }
        let back = JobLine::others_query(self.ledger, &kept.target(), &[kept.id()]);
        move_jobs(connection, self.ledger, &back, &kept, &line.target)?;
        for (id, copied) in of_load {
            let copied = Copied { is_undone: true, ..copied };
            connection.execute(&JobLine::copied_statement(self.ledger, id, &copied.to_string()), ())?;
        }
        let now = Kept { is_undone: true, ..kept };
        let statement = JobLine::kept_statement(self.ledger, now.id(), &now.target(), &now.mapping());
        connection.execute(&statement, ())?;
        fault::point("undo.noted");
        connection.execute("COMMIT", ())?;
        Ok(undone)
    }

    /// The job's line, what it keeps, and until when.
    fn kept<'l>(&self, lines: &'l [JobLine]) -> Result<(&'l JobLine, Kept, String)> {
        let gone = || Error::config(format!("job {} is not in the ledger any more", self.id));
        let line = lines.iter().find(|line| line.id == self.id).ok_or_else(gone)?;
        if let Some(error) = line.of_another_version() {
            return Err(error);
        }
        if line.state != State::Done {
            return Err(refused(format!("job {} is not finished, so there is nothing to undo", line.id))
                .with_hint(format!("its command finishes it; or `inrush load --forget {}` gives it up", line.id)));
        }
        let tag = Copied::parse(&line.copied).and_then(|copied| copied.kept).ok_or_else(|| {
            refused(format!("job {} has kept no table that could be put back", line.id)).with_hint(
                "only a refresh (`--replace-table`, `--atomic`) with `--keep-old 24h` can be undone, for as long",
            )
        })?;
        let table = line.target.strip_prefix(&format!("{}.", self.ledger.schema)).unwrap_or_default();
        let id = JobId::of_kept(&self.ledger.schema, table, &tag.to_string());
        let dropped = || {
            refused(format!("what job {} has replaced is not kept any more: its time was over", line.id))
                .with_hint("a backup has it, or the files that it was loaded from")
        };
        let of_table = lines.iter().find(|line| line.id == id).ok_or_else(dropped)?;
        let kept = Kept::of_line(&self.ledger.schema, of_table)?.ok_or_else(dropped)?;
        Ok((line, kept, of_table.finished.clone()))
    }

    /// Refuses to put the old table back where that would undo what others did.
    fn check(&self, connection: &mut Connection, target: &str, kept: &Kept, jobs: &[JobId]) -> Result<()> {
        let Kept { schema, table, .. } = kept;
        if !sql::is_there(connection, schema, &kept.name())? {
            return Err(refused(format!(
                "table `{}`, which was kept, is gone: somebody dropped or renamed it",
                kept.name()
            )));
        }
        let name = TableName { schema: schema.clone(), name: table.clone() };
        let Some(found) = sql::read_table(connection, &name)? else {
            return Err(refused(format!("table `{table}` is gone: somebody dropped or renamed it"))
                .with_hint(format!("`RENAME TABLE {} TO {table}` puts the old one back", kept.name())));
        };
        let create = sql::first_row(connection, &format!("SHOW CREATE TABLE {}", quote_table(schema, table)))?;
        if kept::shape(create.get(1).map_or("", String::as_str), table) != kept.shape {
            return Err(refused(format!("table `{table}` has another definition than the load gave it"))
                .with_hint(format!("look at it and at `{}`, and exchange their names yourself", kept.name())));
        }
        self.check_surroundings(connection, &found)?;
        let since = JobLine::others_since_query(self.ledger, target, jobs, kept.id());
        let since: Vec<String> = sql::rows(connection, &since)?.into_iter().flatten().collect();
        if since.is_empty() {
            return Ok(());
        }
        Err(refused(format!(
            "table `{table}` has rows of other loads since (job {}), which would be gone with it",
            since.join(", ")
        ))
        .with_hint(
            "finish them if they are not; once `inrush load --forget` has forgotten them, the load can be undone",
        ))
    }

    /// What a refresh refuses: triggers, foreign keys and a history, which the other table has not.
    fn check_surroundings(&self, connection: &mut Connection, table: &Table) -> Result<()> {
        steps::check_atomic(connection, table, "inrush undo").map_err(|error| match error.kind() {
            Kind::Guarantee => Error::new(Kind::Guarantee, error.message().to_owned())
                .with_hint("they came after the load: drop them first, or exchange the names of the tables yourself"),
            _ => error,
        })
    }
}

fn refused(message: String) -> Error {
    Error::new(Kind::Guarantee, message)
}

const RENAME_WAIT_SECONDS: u32 = 60;
