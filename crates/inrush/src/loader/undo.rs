//! Takes a finished refresh back: the table that it has replaced, and keeps, gets its name again.
//!
//! What the refresh had made of the table is kept in its place, so nothing is lost. While the RENAME runs, a transaction has all lines of the
//! ledger locked: no load begins meanwhile, and one that has begun is seen. Before that it is noted that the refresh is being undone, and while
//! that stands no load of the table begins: a server may still do the RENAME of a command that was killed. The names of the tables show whether
//! it was done, so the next command finishes what a killed one has begun.

use super::commit::ledger::KeptTable;
use super::commit::ledger::kept::{drop_kept_too_long, move_jobs};
use super::commit::ledger::status::{Aside, kept_for, ledger, meant};
use super::commit::ledger::tables;
use super::open::steps;
use super::{Loader, sql};
use crate::Config;
use crate::blocking::Connection;
use crate::fault;
use crate::table::TableName;
use inrush_core::column::ident::quote_table;
use inrush_core::load::ledger::{JobId, JobLine, Ledger, State};
use inrush_core::load::steps::copied::next_id;
use inrush_core::load::steps::kept::BEFORE_JOB;
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
        let job = match meant(&mut connection, &ledger, id) {
            Err(error) if error.kind() == Kind::Config => {
                return Err(match kept_for(&mut connection, &ledger, id)? {
                    Some((kept, job)) => forgotten_since(&kept, job),
                    None => error,
                });
            }
            job => job?,
        };
        if let Some(Aside { table, by }) = job.aside {
            let first = by.map_or_else(String::new, |by| format!(": `inrush undo {by}`"));
            return Err(refused(format!(
                "job {} has its rows in `{table}`: a later refresh has replaced them, and keeps them there",
                job.id
            ))
            .with_hint(format!("undo the later refresh first{first}; then this one can be undone")));
        }
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
        let mut found = self.found(connection)?;
        if found.kept.is_undone {
            return Ok(found.undone());
        }
        if !found.is_renamed(connection)? {
            let checked = self.check(connection, &found);
            if checked.is_err() || options.dry_run {
                // A command that was killed may have noted it.
                if found.is_being_undone() && !options.dry_run {
                    self.note(connection, &found.load, |copied| copied.is_being_undone = false)?;
                }
                return checked.map(|()| found.undone());
            }
            self.note(connection, &found.load, |copied| copied.is_being_undone = true)?;
            fault::point("undo.before");
            found = self.found(connection)?;
            if !found.kept.is_undone && !found.is_renamed(connection)? {
                self.rename(connection, config, &found)?;
            }
            fault::point("undo.renamed");
        }
        if options.dry_run || found.kept.is_undone {
            return Ok(found.undone());
        }
        let Refresh { target, kept, load, .. } = &found;
        let back = JobLine::others_query(self.ledger, &kept.target(), &[kept.id()]);
        move_jobs(connection, self.ledger, &back, kept, target)?;
        let now = Kept { is_undone: true, ..kept.clone() };
        let statement = JobLine::kept_statement(self.ledger, now.id(), &now.target(), &now.mapping());
        connection.execute(&statement, ())?;
        fault::point("undo.noted");
        self.note(connection, load, |copied| (copied.is_undone, copied.is_being_undone) = (true, false))?;
        // Until when it is kept now.
        let kept = self.found(connection)?;
        connection.execute("COMMIT", ())?;
        Ok(Undone { was_undone: false, ..kept.undone() })
    }

    /// Exchanges the tables, or notes that this was not done.
    fn rename(&self, connection: &mut Connection, config: &Config, found: &Refresh) -> Result<()> {
        let Refresh { kept, load, .. } = found;
        let renamed = self.check(connection, found).and_then(|()| {
            // Its own connection: the RENAME commits.
            let mut other = Connection::connect(config)?;
            other.execute(&format!("SET SESSION lock_wait_timeout = {RENAME_WAIT_SECONDS}"), ())?;
            // The ids that the new table has handed out are not handed out again.
            let create = show_create(&mut other, &kept.schema, &kept.table)?;
            if let Some(next) = next_id(&create) {
                let table = quote_table(&kept.schema, &kept.name());
                other.execute(&format!("ALTER TABLE {table} AUTO_INCREMENT = {next}"), ())?;
            }
            other.execute(&kept.undo_statement(), ())?;
            other.close();
            Ok(())
        });
        match renamed {
            Err(error) if !found.is_renamed(connection)? => {
                // Without an answer it may still be done.
                if !error.is_fatal() {
                    self.note(connection, load, |copied| copied.is_being_undone = false)?;
                }
                Err(error.while_doing("cannot put the old table back"))
            }
            _ => Ok(()),
        }
    }

    /// Notes something of the jobs of the load, and ends the transaction.
    fn note(&self, connection: &mut Connection, load: &[(JobId, Copied)], change: impl Fn(&mut Copied)) -> Result<()> {
        for (id, copied) in load {
            let mut copied = copied.clone();
            change(&mut copied);
            connection.execute(&JobLine::copied_statement(self.ledger, *id, &copied.to_string()), ())?;
        }
        connection.execute("COMMIT", ()).map(drop)
    }

    /// What the ledger says, all of it locked in a transaction that begins here.
    fn found(&self, connection: &mut Connection) -> Result<Refresh> {
        connection.execute("START TRANSACTION", ())?;
        let lines = sql::rows(connection, &JobLine::query(self.ledger, None, true))?;
        let lines = lines.iter().map(|row| JobLine::parse(row)).collect::<Result<Vec<_>>>()?;
        let (line, kept, until) = self.kept(&lines)?;
        let mut load: Vec<(JobId, Copied)> = Vec::new();
        for other in lines.iter().filter(|other| other.target == line.target && other.state == State::Done) {
            if let Some(copied) = Copied::parse(&other.copied).filter(|copied| copied.kept.as_ref() == Some(&kept.tag))
            {
                load.push((other.id, copied));
            }
        }
        Ok(Refresh { target: line.target.clone(), kept, until, load })
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
            let is_its = |other: &&JobLine| other.source.ends_with(&format!("{BEFORE_JOB}{}", line.id));
            let earlier = |other: &JobLine| Kept::of_line(&self.ledger.schema, other).ok().flatten();
            if let Some(earlier) = lines.iter().filter(is_its).find_map(earlier) {
                return refused(format!(
                    "job {} was loaded again since its refresh, without a table that it keeps",
                    line.id
                ))
                .with_hint(left(&earlier.name_now()));
            }
            refused(format!("job {} has kept no table that could be put back", line.id)).with_hint(
                "a refresh (`--replace-table`, `--atomic`) with `--keep-old 24h` can be undone, for as long; what an insert has stored is \
                 deleted by its own command with `--mode undo`",
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
    fn check(&self, connection: &mut Connection, found: &Refresh) -> Result<()> {
        let kept = &found.kept;
        let Kept { schema, table, .. } = kept;
        if !sql::is_there(connection, schema, &kept.name())? {
            return Err(refused(format!(
                "table `{}`, which was kept, is gone: somebody dropped or renamed it",
                kept.name()
            )));
        }
        let name = TableName { schema: schema.clone(), name: table.clone() };
        let Some(as_it_is) = sql::read_table(connection, &name)? else {
            return Err(refused(format!("table `{table}` is gone: somebody dropped or renamed it"))
                .with_hint(format!("`RENAME TABLE {} TO {table}` puts the old one back", kept.name())));
        };
        if kept::shape(&show_create(connection, schema, table)?, table) != kept.shape {
            return Err(refused(format!("table `{table}` has another definition than the load gave it"))
                .with_hint(format!("look at it and at `{}`, and exchange their names yourself", kept.name())));
        }
        self.check_surroundings(connection, &as_it_is)?;
        let since = JobLine::others_since_query(self.ledger, &found.target, &found.jobs(), kept.id());
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

/// A refresh as the ledger has it.
struct Refresh {
    target: String,
    kept: Kept,
    /// Until when the table is kept.
    until: String,
    /// The jobs of the load, and what they note.
    load: Vec<(JobId, Copied)>,
}

impl Refresh {
    fn jobs(&self) -> Vec<JobId> {
        self.load.iter().map(|(id, _)| *id).collect()
    }

    fn is_being_undone(&self) -> bool {
        self.load.iter().any(|(_, copied)| copied.is_being_undone)
    }

    fn is_renamed(&self, connection: &mut Connection) -> Result<bool> {
        let Kept { schema, .. } = &self.kept;
        Ok(!sql::is_there(connection, schema, &self.kept.name())?
            && sql::is_there(connection, schema, &self.kept.undone_name())?)
    }

    fn undone(&self) -> Undone {
        Undone {
            target: self.target.clone(),
            aside: self.kept.undone_name(),
            until: self.until.clone(),
            was_undone: self.kept.is_undone,
            jobs: self.jobs(),
        }
    }
}

fn show_create(connection: &mut Connection, schema: &str, table: &str) -> Result<String> {
    let row = sql::first_row(connection, &format!("SHOW CREATE TABLE {}", quote_table(schema, table)))?;
    Ok(row.into_iter().nth(1).unwrap_or_default())
}

/// The error for a refresh whose job is not in the ledger any more, while its table is kept.
fn forgotten_since(kept: &KeptTable, job: JobId) -> Error {
    let what = if kept.is_undone { "was undone before" } else { "cannot be undone" };
    refused(format!(
        "the refresh of job {job} {what}: a later load has emptied or replaced the table, which forgets its jobs, or \
         `inrush load --forget` did"
    ))
    .with_hint(left(&kept.table))
}

fn left(table: &str) -> String {
    format!(
        "table `{table}` is still there for a while: take rows from it, or exchange the names of the tables yourself"
    )
}

fn refused(message: String) -> Error {
    Error::new(Kind::Guarantee, message)
}

/// All loads of the database wait as long as it waits for sessions that use the table.
const RENAME_WAIT_SECONDS: u32 = 10;
