//! The ledger for people: what is loaded, what is not loaded to its end, and how to forget it.

use super::tables;
use crate::Config;
use crate::blocking::Connection;
use crate::loader::{Loader, sql};
use inrush_core::bulk::ledger::{JobId, JobLine, Ledger, State, Totals};
use inrush_core::bulk::steps::{Index, indexes};
use inrush_core::value::ident::quote_table;
use inrush_core::{Error, Kind, Result};
use std::collections::BTreeMap;

/// A job as the ledger knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobStatus {
    /// Which job.
    pub id: JobId,
    /// `schema.table`.
    pub target: String,
    /// The account whose job it is; empty if an older version began it.
    pub owner: String,
    /// The source's name wherever the program is started.
    pub source: String,
    /// Whether it is finished.
    pub state: State,
    /// The name of the last step that is finished.
    pub step: &'static str,
    /// What is stored of it.
    pub totals: Totals,
    /// The statement that makes the indexes again that it dropped and has not rebuilt yet.
    pub rebuild: Option<String>,
    /// When it was begun, in UTC.
    pub started: String,
    /// When it was finished, in UTC; empty if it is not.
    pub finished: String,
}

/// A job that the ledger has forgotten. Its rows are still in the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forgotten {
    /// What was known of it.
    pub job: JobStatus,
    /// Lines of chunks that were removed.
    pub chunks: u64,
    /// Lines of rejects that were removed.
    pub rejects: u64,
}

impl Loader {
    /// Every job that the ledger of a schema knows, the newest last.
    ///
    /// # Errors
    /// What the server or the network said.
    pub fn status(config: &Config, schema: &str) -> Result<Vec<JobStatus>> {
        let mut connection = Connection::connect(config)?;
        let ledger = ledger(&mut connection, schema)?;
        let jobs = read(&mut connection, &ledger)?;
        connection.close();
        Ok(jobs)
    }

    /// Forgets a job, named by its id or by as much of its beginning as no other job has. A run of it that is at work stops. A job of
    /// another user is forgotten only with `force`.
    ///
    /// # Errors
    /// `Config` if no job or more than one is meant, `Guarantee` if it is another user's, else what the server or the network said.
    pub fn forget(config: &Config, schema: &str, id: &str, force: bool) -> Result<Forgotten> {
        let mut connection = Connection::connect(config)?;
        let ledger = ledger(&mut connection, schema)?;
        let mut meant: Vec<_> =
            read(&mut connection, &ledger)?.into_iter().filter(|job| job.id.begins_with(id)).collect();
        let job = match (meant.pop(), meant.len()) {
            (Some(job), 0) if !id.is_empty() => job,
            (None, _) => {
                return Err(Error::config(format!("database `{schema}` has no job `{}`", id.escape_debug()))
                    .with_hint("`inrush load --status` lists them"));
            }
            (_, more) => {
                return Err(Error::config(format!("`{id}` could be each of {} jobs", more + 1))
                    .with_hint("give more of its digits"));
            }
        };
        let me = sql::first_row(&mut connection, "SELECT CURRENT_USER()")?.concat();
        let is_foreign = !job.owner.is_empty() && job.owner != me;
        if is_foreign && !force {
            return Err(Error::new(Kind::Guarantee, format!("job {} is one of user `{}`", job.id, job.owner)).with_hint(
                "a run of it may be at work, which would stop, and once it is forgotten the same rows can be loaded twice: ask them; \
                 then `--force` forgets it",
            ));
        }
        connection.execute("START TRANSACTION", ())?;
        let mut counts = [0; 3];
        for (statement, count) in JobLine::forget_statements(&ledger, job.id).iter().zip(&mut counts) {
            *count = connection.execute(statement, ())?.affected;
        }
        if is_foreign && job.state == State::Running {
            connection.execute(&JobLine::forgotten_by_statement(&ledger, job.id), ())?;
        }
        connection.execute("COMMIT", ())?;
        connection.close();
        let [_, chunks, rejects] = counts;
        Ok(Forgotten { job, chunks, rejects })
    }
}

fn ledger(connection: &mut Connection, schema: &str) -> Result<Ledger> {
    // Whatever the server gives its sessions, all lines are read.
    sql::set_answers(connection)?;
    let shared_lock = connection.session().profile().shared_lock;
    let mut ledger = Ledger { schema: schema.to_owned(), shared_lock, has_owners: false };
    ledger.has_owners = tables::has_later_columns(connection, &ledger)?;
    Ok(ledger)
}

/// The statement that makes the indexes again, by our own writer: the ledger's text is data, and people are about to run this.
fn rebuild_statement(ledger: &Ledger, line: &JobLine) -> Option<String> {
    let table = line.target.strip_prefix(&ledger.schema)?.strip_prefix('.')?;
    let table = quote_table(&ledger.schema, table);
    let indexes = Index::stored(line.indexes.as_deref()?).ok()?;
    Some(indexes::add_statements(&table, &indexes).join(";\n"))
}

fn read(connection: &mut Connection, ledger: &Ledger) -> Result<Vec<JobStatus>> {
    if !tables::are_there(connection, ledger)? {
        return tables::may_read(connection, ledger).map(|()| Vec::new());
    }
    let mut sums = BTreeMap::new();
    for row in sql::rows(connection, &JobLine::sums_query(ledger))? {
        if let Some((id, totals)) = row.split_first() {
            sums.insert(id.clone(), Totals::parse(totals)?);
        }
    }
    let mut jobs = Vec::new();
    for row in sql::rows(connection, &JobLine::query(ledger, None, false))? {
        let line = JobLine::parse(&row)?;
        let totals = match line.state {
            State::Running => sums.get(&line.id.to_string()).copied().unwrap_or_default(),
            State::Done => line.totals,
        };
        let rebuild = rebuild_statement(ledger, &line);
        jobs.push(JobStatus {
            id: line.id,
            source: line.source,
            state: line.state,
            step: line.step.name(),
            totals,
            rebuild,
            owner: line.owner,
            target: line.target,
            started: line.started,
            finished: line.finished,
        });
    }
    jobs.sort_by(|a, b| a.started.cmp(&b.started));
    Ok(jobs)
}
