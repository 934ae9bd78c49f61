//! `inrush load --status` and `--forget`: the ledger as people read it, and as programs do.

use super::LoadArgs;
use crate::connection::{self, Environment};
use crate::{Output, exit};
use inrush::sans_io::load::ledger::State;
use inrush::table::TableName;
use inrush::{Config, Forgotten, JobRun, JobStatus, Loader, NamedJob};
use inrush_core::human;
use inrush_core::{Error, Result};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::time::Duration;

/// Lists the jobs of a database, or forgets some.
pub(super) fn run(args: &LoadArgs, output: &Output) -> Result<u8> {
    let config = args.connect.config(&Environment::of_process())?;
    let schema = schema(args, &config)?;
    let table = named_table(args)?;
    let forget = |job: &String| Loader::forget(&config, &schema, job, args.force).map_err(connection::hint_at_login);
    let listed = || listed(args, &config, &schema, table.as_deref()).map_err(connection::hint_at_login);
    let meant = match &args.forget {
        None => Vec::new(),
        Some(jobs) if !jobs.is_empty() => jobs.clone(),
        Some(_) => named_jobs(args, &listed()?)?,
    };
    let (text, document) = match &meant[..] {
        [] => {
            let (name, part) = (args.job_name.as_deref(), args.part.as_deref());
            status(none_listed(name, part, &schema, table.as_deref()), &listed()?)
        }
        [job] => {
            let forgotten = forget(job)?;
            let mut document = json!({ "inrush": "load", "version": 1, "exit_code": exit::OK });
            merge(&mut document, removed(&forgotten));
            (forgotten_text(&forgotten), document)
        }
        several => return Ok(forget_each(several, forget, output)),
    };
    output.result(&if output.is_json() { format!("{document:#}") } else { output.fitted(&text, HANG) });
    Ok(exit::OK)
}

/// Forgets several jobs; one that cannot be forgotten does not keep the others. The exit code is the worst one.
fn forget_each(jobs: &[String], forget: impl Fn(&String) -> Result<Forgotten>, output: &Output) -> u8 {
    let mut code = exit::OK;
    let mut results = Vec::new();
    for job in jobs {
        let mut result = json!({ "job": job });
        match forget(job) {
            Ok(forgotten) => {
                merge(&mut result, removed(&forgotten));
                if !output.is_json() {
                    output.result(&output.fitted(&forgotten_text(&forgotten), HANG));
                }
            }
            Err(error) => {
                code = code.max(exit::code_of(&error));
                let explained = json!({ "message": error.to_string(), "hint": error.hint(), "code": error.code() });
                merge(&mut result, json!({ "error": explained }));
                output.error(&exit::explain(&error));
            }
        }
        results.push(result);
    }
    if output.is_json() {
        let document = json!({ "inrush": "load", "version": 1, "exit_code": code, "results": results });
        output.result(&format!("{document:#}"));
    }
    code
}

/// What continues a line is indented by so much.
const HANG: usize = 4;

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

/// The jobs of the database, or of the table or the name that is given.
fn listed(args: &LoadArgs, config: &Config, schema: &str, table: Option<&str>) -> Result<Vec<JobStatus>> {
    let mut jobs = Loader::status(config, schema)?;
    if let Some(table) = table {
        let target = format!("{schema}.{table}");
        // Some servers take names that differ by case for the same.
        jobs.retain(|job| job.target.to_lowercase() == target.to_lowercase());
    }
    if let Some(name) = &args.job_name {
        let is_meant = |named: &NamedJob| {
            named.name() == name && args.part.as_deref().is_none_or(|part| named.part_name() == Some(part))
        };
        jobs.retain(|job| job.named.as_ref().is_some_and(is_meant));
    }
    Ok(jobs)
}

/// The text of an empty list: which jobs are not in the ledger.
fn none_listed(name: Option<&str>, part: Option<&str>, schema: &str, table: Option<&str>) -> String {
    let into = table.map_or_else(String::new, |table| format!(" into table `{table}`"));
    match name {
        None => format!("database `{schema}` has no load{into} in its ledger"),
        Some(name) => {
            let part = part.map_or_else(String::new, |part| format!("part {part} of "));
            format!("database `{schema}` has no {part}job `{name}`{into} in its ledger")
        }
    }
}

/// The list of jobs; `none`: the text if there are none.
fn status(none: String, jobs: &[JobStatus]) -> (String, Value) {
    let text = match jobs.is_empty() {
        true => none,
        false => jobs.iter().map(|job| described(job, jobs)).collect::<Vec<_>>().join("\n"),
    };
    let jobs: Vec<Value> = jobs.iter().map(as_json).collect();
    (text, json!({ "inrush": "load", "version": 1, "exit_code": exit::OK, "jobs": jobs }))
}

/// The ids of the jobs that `--job-name` and `--part` mean.
fn named_jobs(args: &LoadArgs, jobs: &[JobStatus]) -> Result<Vec<String>> {
    let Some(name) = &args.job_name else {
        return Err(Error::config("`--forget` needs the jobs to forget")
            .with_hint("`inrush load --status` lists them: give some digits of an id, or `--job-name NAME`"));
    };
    if jobs.is_empty() {
        let part = args.part.as_ref().map_or_else(String::new, |part| format!("part {part} of "));
        return Err(Error::config(format!("the ledger has no {part}job {name}"))
            .with_hint("`inrush load --status` lists what it has"));
    }
    Ok(jobs.iter().map(|job| job.id.to_string()).collect())
}

fn forgotten_text(forgotten: &Forgotten) -> String {
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
    match &job.rebuild {
        Some(statement) => format!(
            "{text}\nit had dropped indexes, and they are not rebuilt; make those that are missing:\n{statement}"
        ),
        None => text,
    }
}

fn removed(forgotten: &Forgotten) -> Value {
    let removed = json!({ "chunks": forgotten.chunks, "rejects": forgotten.rejects });
    json!({ "forgotten": as_json(&forgotten.job), "removed": removed })
}

/// Adds the fields of one object to another.
fn merge(object: &mut Value, more: Value) {
    if let (Some(object), Value::Object(more)) = (object.as_object_mut(), more) {
        object.extend(more);
    }
}

/// One job in two lines; three if it is not finished. The whole of a named job is a line about its parts, which are among `all`.
fn described(job: &JobStatus, all: &[JobStatus]) -> String {
    if let Some(whole) = job.named.as_ref().filter(|named| named.part_name().is_none()) {
        return described_whole(job, whole, all);
    }
    if let Some(kept) = job.kept.as_ref().filter(|_| job.is_kept_table) {
        let line = format!("{}  kept  {} until {} UTC", job.id, job.target, kept.until);
        return format!(
            "{line}\n    {}",
            if kept.is_undone { "what a load had made of it, which was undone" } else { &job.source }
        );
    }
    let mut text = format!("{}  {}  {}: {}", job.id, word(job), job.target, human::counted(job.totals.rows, "row"));
    if job.totals.rejected > 0 {
        let _ = write!(text, ", {} rejected", human::exact(job.totals.rejected));
    }
    if job.totals.skipped > 0 {
        let _ = write!(text, ", {} skipped", human::exact(job.totals.skipped));
    }
    let _ = match job.state {
        State::Running => write!(text, " so far{}, begun {} UTC", progress(job), job.started),
        State::Done => write!(text, ", {} to {} UTC", job.started, job.finished),
    };
    if !job.owner.is_empty() {
        let _ = write!(text, ", by {}", job.owner);
    }
    let _ = write!(text, "\n    {}", job.source);
    if let Some(added) = &job.added {
        let _ = write!(text, "\n    columns added for it: {added}");
    }
    if let Some(to_add) = &job.to_add {
        let _ = write!(text, "\n    columns to be added before its first row: {to_add}");
    }
    if let Some(widened) = &job.widened {
        let _ = write!(text, "\n    columns widened for it: {widened}");
    }
    if let Some(to_widen) = &job.to_widen {
        let _ = write!(text, "\n    columns to be widened before its first row: {to_widen}");
    }
    if let Some(kept) = &job.kept {
        let _ = match kept.is_undone {
            true => write!(
                text,
                "\n    undone: what it had made of the table is in `{}` until {} UTC",
                kept.table, kept.until
            ),
            false => write!(
                text,
                "\n    the old table is kept as `{}` until {} UTC: `inrush undo` puts it back",
                kept.table, kept.until
            ),
        };
    }
    if let Some(run) = &job.run {
        let _ = write!(text, "\n    {}", last_run(run));
    }
    text
}

/// A named job: how many of its parts are loaded.
fn described_whole(job: &JobStatus, whole: &NamedJob, all: &[JobStatus]) -> String {
    let is_part = |other: &&JobStatus| {
        let named = other.named.as_ref();
        other.target == job.target
            && named.is_some_and(|named| named.part_name().is_some() && named.name() == whole.name())
    };
    let parts: Vec<&JobStatus> = all.iter().filter(is_part).collect();
    let n_done = parts.iter().filter(|part| part.state == State::Done).count();
    let rows: u64 = parts.iter().map(|part| part.totals.rows).sum();
    let loaded = match whole.parts() {
        Some(all) => format!("{n_done} of {} loaded", human::counted(all, "part")),
        None => format!("{} loaded", human::counted(n_done as u64, "part")),
    };
    let begun = match parts.len() - n_done {
        0 => String::new(),
        n => format!(", {n} begun"),
    };
    let rows = human::counted(rows, "row");
    format!("{}  {whole}  {}: {loaded}{begun}, {rows}, since {} UTC", job.id, job.target, job.started)
}

/// How far it is and how fast, as far as that is known.
fn progress(job: &JobStatus) -> String {
    let progress = job.progress.unwrap_or_default();
    let percent = progress.percent.map(|percent| format!(" ({percent}%)")).unwrap_or_default();
    let rate =
        progress.rows_per_second.map(|rate| format!(", {} rows/s", human::short(rate as f64))).unwrap_or_default();
    let left = progress.seconds_left.map(|left| format!(", {} left", human::whole_time(Duration::from_secs(left))));
    percent + &rate + &left.unwrap_or_default()
}

/// The state of a job, in a word or two.
fn word(job: &JobStatus) -> &'static str {
    match &job.run {
        None if job.are_rows_undone || job.kept.as_ref().is_some_and(|kept| kept.is_undone) => "undone",
        None => "done",
        Some(JobRun::Active { .. }) => "running",
        Some(JobRun::Ended { .. }) => "stopped",
        Some(JobRun::Gone { .. }) => "broken off",
        Some(_) => "unfinished",
    }
}

fn last_run(run: &JobRun) -> String {
    match run {
        JobRun::Active { since, connection_id, client } => {
            let of = client.as_ref().map_or_else(String::new, |client| format!(" of {client}"));
            let since = if since.is_empty() { String::new() } else { format!(" since {since} UTC") };
            format!("a run is at work{since}, on connection {connection_id}{of}")
        }
        JobRun::Ended { on, why } => format!("its last run stopped on {on} UTC: {why}"),
        JobRun::Gone { since } => {
            format!("its last run, begun {since} UTC, was killed, or has lost the server: it is not connected")
        }
        _ => "an older version of inrush ran it last, so it is not known whether a run is at work".into(),
    }
}

fn as_json(job: &JobStatus) -> Value {
    json!({
        "job": job.id.to_string(),
        "table": job.target,
        "source": job.source,
        "job_name": job.named.as_ref().map(NamedJob::name),
        "part": job.named.as_ref().and_then(NamedJob::part_name),
        "parts": job.named.as_ref().and_then(NamedJob::parts),
        "owner": (!job.owner.is_empty()).then_some(&job.owner),
        "state": job.state.name(),
        "run": job.run.as_ref().map(run_json),
        "percent": job.progress.and_then(|progress| progress.percent),
        "rows_per_second": job.progress.and_then(|progress| progress.rows_per_second),
        "seconds_left": job.progress.and_then(|progress| progress.seconds_left),
        "step": job.step,
        "rebuild": job.rebuild,
        "kept": job.kept.as_ref().map(|kept| {
            json!({ "table": kept.table, "until": zoned(&kept.until), "undone": kept.is_undone, "is_line_of_it": job.is_kept_table })
        }),
        "rows_undone": job.are_rows_undone,
        "added": job.added,
        "to_add": job.to_add,
        "widened": job.widened,
        "to_widen": job.to_widen,
        "chunks": job.totals.chunks,
        "records": job.totals.records,
        "rows": job.totals.rows,
        "skipped": job.totals.skipped,
        "rejected": job.totals.rejected,
        "started": zoned(&job.started),
        "finished": zoned(&job.finished),
    })
}

/// A time of the ledger, which is in UTC, by RFC 3339; `None` for an empty text.
fn zoned(time: &str) -> Option<String> {
    (!time.is_empty()).then(|| format!("{}Z", time.replacen(' ', "T", 1)))
}

fn run_json(run: &JobRun) -> Value {
    match run {
        JobRun::Active { since, connection_id, client } => {
            json!({ "state": "active", "since": zoned(since), "connection_id": connection_id, "client": client })
        }
        JobRun::Ended { on, why } => json!({ "state": "ended", "on": zoned(on), "why": why }),
        JobRun::Gone { since } => json!({ "state": "gone", "since": zoned(since) }),
        _ => json!({ "state": "unknown" }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(run: JobRun, want: &str) {
        assert_eq!(last_run(&run), want);
    }

    #[test]
    fn an_empty_list_names_what_is_not_there() {
        let cases = [
            ((None, None, None), "no load"),
            ((None, None, Some("t")), "no load into table `t`"),
            ((Some("foo"), None, None), "no job `foo`"),
            ((Some("foo"), Some("1"), None), "no part 1 of job `foo`"),
            ((Some("foo"), None, Some("t")), "no job `foo` into table `t`"),
        ];
        for ((name, part, table), what) in cases {
            let text = none_listed(name, part, "shop", table);
            assert_eq!(text, format!("database `shop` has {what} in its ledger"));
        }
    }

    #[test]
    fn times_have_a_zone() {
        assert_eq!(zoned("2026-11-22 11:27:42").as_deref(), Some("2026-11-22T11:27:42Z"));
        assert_eq!(zoned(""), None);
    }

    #[test]
    fn the_last_run_in_words() {
        let since = || "2026-11-22 11:27:42".to_owned();
        let active = |client| JobRun::Active { since: since(), connection_id: 7, client };
        check(
            active(Some("app@localhost".into())),
            "a run is at work since 2026-11-22 11:27:42 UTC, on connection 7 of app@localhost",
        );
        check(active(None), "a run is at work since 2026-11-22 11:27:42 UTC, on connection 7");
        check(
            JobRun::Ended { on: since(), why: "interrupted".into() },
            "its last run stopped on 2026-11-22 11:27:42 UTC: interrupted",
        );
        check(
            JobRun::Gone { since: since() },
            "its last run, begun 2026-11-22 11:27:42 UTC, was killed, or has lost the server: it is not connected",
        );
    }
}
