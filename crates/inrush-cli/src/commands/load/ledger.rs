//! `inrush load --status` and `--forget`: the ledger as people read it, and as programs do.

use super::LoadArgs;
use crate::connection::{self, Environment};
use crate::{Output, exit, human};
use inrush::sans_io::bulk::ledger::State;
use inrush::table::TableName;
use inrush::{Config, JobStatus, Loader};
use inrush_core::{Error, Result};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Lists the jobs of a database, or forgets one.
pub(super) fn run(args: &LoadArgs, output: &Output) -> Result<u8> {
    let config = args.connect.config(&Environment::of_process())?;
    let schema = schema(args, &config)?;
    let table = named_table(args)?;
    let (text, document) = match &args.forget {
        Some(job) => forget(&config, &schema, job, args.force),
        None => status(&config, &schema, table.as_deref()),
    }
    .map_err(connection::hint_at_login)?;
    output.result(&if output.is_json() { format!("{document:#}") } else { text });
    Ok(exit::OK)
}

fn schema(args: &LoadArgs, config: &Config) -> Result<String> {
    let named = match args.into() {
        "" => String::new(),
        table => TableName::parse(table)?.schema,
    };
    match (named.is_empty(), config.database()) {
        (false, _) => Ok(named),
        (true, Some(database)) => Ok(database.to_owned()),
        (true, None) => Err(Error::config("no database is chosen, so there is no ledger to read")
            .with_hint("name it in the URL (`mysql://user@host/DATABASE`) or with `-D DATABASE`")),
    }
}

/// The table of `--into`, whose jobs alone are wanted.
fn named_table(args: &LoadArgs) -> Result<Option<String>> {
    match args.into() {
        "" => Ok(None),
        table => Ok(Some(TableName::parse(table)?.name).filter(|name| name != "*")),
    }
}

fn status(config: &Config, schema: &str, table: Option<&str>) -> Result<(String, Value)> {
    let mut jobs = Loader::status(config, schema)?;
    if let Some(table) = table {
        let target = format!("{schema}.{table}");
        // Some servers take names that differ by case for the same.
        jobs.retain(|job| job.target.to_lowercase() == target.to_lowercase());
    }
    let text = match (jobs.is_empty(), table) {
        (true, None) => format!("database `{schema}` has no load in its ledger"),
        (true, Some(table)) => format!("database `{schema}` has no load into table `{table}` in its ledger"),
        (false, _) => jobs.iter().map(described).collect::<Vec<_>>().join("\n"),
    };
    let jobs: Vec<Value> = jobs.iter().map(as_json).collect();
    Ok((text, json!({ "inrush": "load", "version": 1, "exit_code": exit::OK, "jobs": jobs })))
}

fn forget(config: &Config, schema: &str, job: &str, force: bool) -> Result<(String, Value)> {
    let forgotten = Loader::forget(config, schema, job, force)?;
    let job = &forgotten.job;
    let text = format!(
        "forgot {}: `{}` into {}, with {} and {}; what is stored of it ({}) stays in the table",
        job.id,
        job.source,
        job.target,
        human::counted(forgotten.chunks, "chunk line"),
        human::counted(forgotten.rejects, "reject line"),
        human::counted(job.totals.rows, "row")
    );
    let text = match &job.rebuild {
        Some(statement) => format!(
            "{text}\nit had dropped indexes, and they are not rebuilt; make those that are missing:\n{statement}"
        ),
        None => text,
    };
    let removed = json!({ "chunks": forgotten.chunks, "rejects": forgotten.rejects });
    Ok((
        text,
        json!({ "inrush": "load", "version": 1, "exit_code": exit::OK, "forgotten": as_json(job), "removed": removed }),
    ))
}

/// One job in two lines.
fn described(job: &JobStatus) -> String {
    let mut text =
        format!("{}  {}  {}: {}", job.id, job.state.name(), job.target, human::counted(job.totals.rows, "row"));
    if job.totals.rejected > 0 {
        let _ = write!(text, ", {} rejected", human::exact(job.totals.rejected));
    }
    if job.totals.skipped > 0 {
        let _ = write!(text, ", {} skipped", human::exact(job.totals.skipped));
    }
    let _ = match job.state {
        State::Running => write!(text, " so far, begun {} UTC", job.started),
        State::Done => write!(text, ", {} to {} UTC", job.started, job.finished),
    };
    if !job.owner.is_empty() {
        let _ = write!(text, ", by {}", job.owner);
    }
    let _ = write!(text, "\n    {}", job.source);
    text
}

fn as_json(job: &JobStatus) -> Value {
    json!({
        "job": job.id.to_string(),
        "table": job.target,
        "source": job.source,
        "owner": (!job.owner.is_empty()).then_some(&job.owner),
        "state": job.state.name(),
        "step": job.step,
        "rebuild": job.rebuild,
        "chunks": job.totals.chunks,
        "records": job.totals.records,
        "rows": job.totals.rows,
        "skipped": job.totals.skipped,
        "rejected": job.totals.rejected,
        "started": job.started,
        "finished": (!job.finished.is_empty()).then_some(&job.finished),
    })
}
