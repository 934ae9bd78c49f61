//! The ledger for people: what is loaded, what is not loaded to its end, and how to forget it.

use super::tables;
use crate::Config;
use crate::blocking::Connection;
use crate::loader::{Loader, sql};
use inrush_core::column::ident::quote_table;
use inrush_core::load::ledger::{JobId, JobLine, JobStep, LastRun, Ledger, Mapping, NamedJob, RunLocks, State, Totals};
use inrush_core::load::steps::{Copied, Index, Kept, indexes, kept};
use inrush_core::profile::Cluster;
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
    /// How its source is read, and where its fields go.
    pub mapping: Mapping,
    /// The part of a named job that it is, or the whole job, whose line has the number of its parts and no rows.
    pub named: Option<NamedJob>,
    /// Whether it is finished.
    pub state: State,
    /// The name of the last step that is finished.
    pub step: &'static str,
    /// What is stored of it.
    pub totals: Totals,
    /// The statement that makes the indexes again that it dropped and has not rebuilt yet.
    pub rebuild: Option<String>,
    /// The columns that the table got for it, as text; `None` if there are none.
    pub added: Option<String>,
    /// The columns that the table is to get before its first row, as text; `None` if there are none.
    pub to_add: Option<String>,
    /// The columns that the table has widened for it, as text; `None` if there are none.
    pub widened: Option<String>,
    /// The columns that the table is to widen before its first row, as text; `None` if there are none.
    pub to_widen: Option<String>,
    /// When it was begun, in UTC.
    pub started: String,
    /// When it was finished, in UTC; empty if it is not.
    pub finished: String,
    /// What is known of its last run; `None` once it is finished.
    pub run: Option<JobRun>,
    /// How far it is; `None` once it is finished.
    pub progress: Option<JobProgress>,
    /// The table that the job, a refresh, has replaced and keeps; of a line that [is about](Self::is_kept_table) a kept table that table.
    pub kept: Option<KeptTable>,
    /// Whether the line is about a kept table, and no job.
    pub is_kept_table: bool,
    /// Whether the rows that it has inserted were deleted by an undo ([`Mode::Undo`](crate::Mode::Undo)).
    pub are_rows_undone: bool,
    /// The id of its line, which is another one while its rows are in a kept table.
    pub(crate) line: JobId,
    /// The refresh that keeps the table with its rows.
    pub(crate) aside: Option<Aside>,
}

/// A refresh that has replaced the rows of other jobs, and keeps them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Aside {
    /// The name of the kept table.
    pub(crate) table: String,
    /// The job that keeps it, if the ledger still has it.
    pub(crate) by: Option<JobId>,
}

/// A table that a refresh has replaced and that is kept for a while, so that [`Loader::undo`] can put it back.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct KeptTable {
    /// Its name. Once the refresh was undone it holds what the refresh had made of the table.
    pub table: String,
    /// Until when, in UTC; a load that finishes later drops it.
    pub until: String,
    /// Whether the refresh was undone.
    pub is_undone: bool,
}

/// How far a job is that is not finished.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct JobProgress {
    /// The share of the file that is stored, in percent; `None` for compressed files and files that are not text: the ledger does not
    /// record it for them.
    pub percent: Option<u8>,
    /// Rows that the run at work has stored a second, without those of earlier runs; `None` if none is at work.
    pub rows_per_second: Option<u64>,
    /// How many seconds the remaining part will take at this rate.
    pub seconds_left: Option<u64>,
}

impl JobProgress {
    /// Of a job whose chunks cover so much of the source; `run`: what the run at work has done.
    fn of(line: &JobLine, covered: u64, run: Option<Done>) -> Self {
        let size = line.size.filter(|size| *size > 0 && covered <= *size && is_plain_text(&line.source));
        let run = run.filter(|run| run.seconds > 0 && run.rows > 0);
        let left = |size: u64, run: Done| {
            let left = u128::from(run.seconds) * u128::from(size - covered) / u128::from(run.covered.max(1));
            u64::try_from(left).unwrap_or(u64::MAX)
        };
        Self {
            percent: size.map(|size| (u128::from(covered) * 100 / u128::from(size)) as u8),
            rows_per_second: run.map(|run| run.rows / run.seconds),
            seconds_left: size.zip(run).map(|(size, run)| left(size, run)),
        }
    }
}

/// What a run has done so far.
#[derive(Clone, Copy)]
struct Done {
    seconds: u64,
    rows: u64,
    /// How much of the source.
    covered: u64,
}

/// Whether places in the source are bytes of the file: by its name, for the ledger does not say how it is compressed.
fn is_plain_text(source: &str) -> bool {
    const PLAIN: [&str; 6] = ["csv", "tsv", "txt", "tab", "jsonl", "ndjson"];
    let ending = source.rsplit_once('.').map_or("", |(_, ending)| ending);
    !source.contains('#') && PLAIN.iter().any(|plain| ending.eq_ignore_ascii_case(plain))
}

/// The run that began, or took over, a job last.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum JobRun {
    /// It is connected now: its connection holds a lock of the server.
    Active {
        /// When it began, in UTC.
        since: String,
        /// The server's number of its connection.
        connection_id: u64,
        /// `user@host` of that connection; `None` if this user may not see the connections of others (privilege PROCESS).
        client: Option<String>,
    },
    /// It ended in order, without finishing the job.
    Ended {
        /// When, in UTC.
        on: String,
        /// The error, or `interrupted`.
        why: String,
    },
    /// It is not connected, and left no note: it was killed, or lost the server and may be trying to reconnect.
    Gone {
        /// When it began, in UTC.
        since: String,
    },
    /// An older version ran it, or keeps its ledger in an older form.
    Unknown,
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
    /// The error of the server or the network.
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
    /// `Config` if `id` is empty, or if no job or more than one is meant, `Guarantee` if it is another user's, else the error of the server
    /// or the network.
    pub fn forget(config: &Config, schema: &str, id: &str, force: bool) -> Result<Forgotten> {
        if id.is_empty() {
            return Err(Error::config("the id of the job to forget is empty")
                .with_hint("`inrush load --status` lists the ids: give one, or its first digits"));
        }
        let mut connection = Connection::connect(config)?;
        let ledger = ledger(&mut connection, schema)?;
        let job = meant(&mut connection, &ledger, id)?;
        let me = sql::first_row(&mut connection, "SELECT CURRENT_USER()")?.concat();
        if job.is_kept_table {
            let why = format!("{} is the line about a kept table, which would stay for good without it", job.id);
            return Err(Error::new(Kind::Guarantee, why)
                .with_hint("a later load drops the table when its time is over; DROP TABLE does it sooner"));
        }
        let is_foreign = !job.owner.is_empty() && job.owner != me;
        if is_foreign && !force {
            return Err(Error::new(Kind::Guarantee, format!("job {} is one of user `{}`", job.id, job.owner)).with_hint(
                "a run of it may be at work, which would stop, and once it is forgotten the same rows can be loaded twice: ask them; \
                 then `--force` forgets it",
            ));
        }
        connection.execute("START TRANSACTION", ())?;
        let mut counts = [0; 3];
        for (statement, count) in JobLine::forget_statements(&ledger, job.line).iter().zip(&mut counts) {
            *count = connection.execute(statement, ())?.affected;
        }
        if is_foreign && job.state == State::Running {
            connection.execute(&JobLine::forgotten_by_statement(&ledger, job.line), ())?;
        }
        connection.execute("COMMIT", ())?;
        connection.close();
        let [_, chunks, rejects] = counts;
        Ok(Forgotten { job, chunks, rejects })
    }
}

/// The job whose id begins so.
pub(crate) fn meant(connection: &mut Connection, ledger: &Ledger, id: &str) -> Result<JobStatus> {
    let is_meant = |job: &JobStatus| job.id.begins_with(id) || job.line.begins_with(id);
    let mut meant: Vec<_> = read(connection, ledger)?.into_iter().filter(is_meant).collect();
    match (meant.pop(), meant.len()) {
        (Some(job), 0) => Ok(job),
        (None, _) => Err(Error::config(format!("database `{}` has no job `{}`", ledger.schema, id.escape_debug()))
            .with_hint("`inrush load --status` lists them")),
        (_, more) => Err(Error::config(format!("`{id}` is the beginning of the ids of {} jobs", more + 1))
            .with_hint("give more of its digits")),
    }
}

/// The line about a table that is kept for the refresh of this job, and the job's whole id. The job itself may be gone.
pub(crate) fn kept_for(connection: &mut Connection, ledger: &Ledger, id: &str) -> Result<Option<(KeptTable, JobId)>> {
    let of = |job: JobStatus| {
        let refresh = JobId::parse(job.source.rsplit_once(kept::BEFORE_JOB)?.1).ok()?;
        job.kept.filter(|_| job.is_kept_table && refresh.begins_with(id)).map(|kept| (kept, refresh))
    };
    let jobs = read(connection, ledger)?;
    // Then another of them is meant.
    if jobs.iter().any(|job| !job.is_kept_table && job.id.begins_with(id)) {
        return Ok(None);
    }
    Ok(jobs.into_iter().filter_map(of).next_back())
}

pub(crate) fn ledger(connection: &mut Connection, schema: &str) -> Result<Ledger> {
    // All lines are read, whatever settings the server gives its sessions.
    sql::set_answers(connection)?;
    let shared_lock = connection.session().profile().shared_lock;
    let schema = schema.to_owned();
    let mut ledger = Ledger { schema, shared_lock, is_marked: false, has_owners: false, has_runs: false };
    tables::learn_later_columns(connection, &mut ledger)?;
    Ok(ledger)
}

/// The statement that creates the indexes again, by our own writer: the ledger's text is data, and people may run this statement.
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
    let lines = sql::rows(connection, &JobLine::query(ledger, None, false))?;
    let lines = lines.iter().map(|row| JobLine::parse(row)).collect::<Result<Vec<_>>>()?;
    let mut runs = runs(connection, &lines)?;
    let extents = sql::rows(connection, &JobLine::extents_query(ledger))?;
    let kept_tables = kept_tables(ledger, &lines);
    let aside = aside(ledger, &lines);
    for line in lines {
        let is_kept_table = line.mapping.get(kept::KEPT).is_some();
        let kept = match Copied::parse(&line.copied).and_then(|copied| copied.kept) {
            _ if is_kept_table => kept_tables.get(&line.id).cloned(),
            Some(tag) if line.state == State::Done => {
                let name = line.target.strip_prefix(&format!("{}.", ledger.schema)).unwrap_or(&line.target);
                kept_tables.get(&JobId::of_kept(&ledger.schema, name, &tag.to_string())).cloned()
            }
            _ => None,
        };
        let run = runs.remove(&line.id);
        let totals = match line.state {
            State::Running => sums.get(&line.id.to_string()).copied().unwrap_or_default(),
            State::Done => line.totals,
        };
        let rebuild = rebuild_statement(ledger, &line);
        // The line names them before the table is altered.
        let is_altered = line.state == State::Done || line.step >= JobStep::Create || totals.chunks > 0;
        let columns = line.mapping.plain(Mapping::ADDED);
        let (added, to_add) = if is_altered { (columns, None) } else { (None, columns) };
        let columns = line.mapping.plain(Mapping::WIDENED);
        let (widened, to_widen) = if is_altered { (columns, None) } else { (None, columns) };
        let id = line.id.to_string();
        let progress = extents.iter().find(|row| row.first() == Some(&id)).map(|row| {
            let number = |at: usize| row.get(at).and_then(|text| text.parse::<u64>().ok());
            let done = || Some(Done { seconds: number(2)?, rows: number(3)?, covered: number(4)? });
            let is_active = matches!(run, Some(JobRun::Active { .. }));
            JobProgress::of(&line, number(1).unwrap_or(0), done().filter(|_| is_active))
        });
        let (own_id, aside) = aside.get(&line.id).cloned().unzip();
        jobs.push(JobStatus {
            id: own_id.unwrap_or(line.id),
            are_rows_undone: Copied::parse(&line.copied).is_some_and(|copied| copied.is_undone_by_rows()),
            line: line.id,
            aside,
            source: line.source,
            named: NamedJob::of_mapping(&line.mapping),
            mapping: line.mapping,
            state: line.state,
            step: line.step.name(),
            totals,
            rebuild,
            added,
            to_add,
            widened,
            to_widen,
            owner: line.owner,
            target: line.target,
            started: line.started,
            finished: line.finished,
            run,
            progress,
            kept,
            is_kept_table,
        });
    }
    jobs.sort_by(|a, b| a.started.cmp(&b.started));
    Ok(jobs)
}

/// The jobs whose rows are in kept tables, by the ids of their lines: the ids that they had and will have again, each unless another job has it.
fn aside(ledger: &Ledger, lines: &[JobLine]) -> BTreeMap<JobId, (JobId, Aside)> {
    let kept = |line: &JobLine| Kept::of_line(&ledger.schema, line).ok()?.filter(|kept| !kept.is_undone);
    let mut aside = BTreeMap::new();
    for kept in lines.iter().filter_map(kept) {
        let is_by = |line: &&JobLine| {
            Copied::parse(&line.copied).is_some_and(|copied| copied.kept.as_ref() == Some(&kept.tag))
                && line.target.to_lowercase() == format!("{}.{}", ledger.schema, kept.table).to_lowercase()
        };
        let by = lines.iter().find(is_by).map(|line| line.id);
        for line in lines.iter().filter(|line| line.target == kept.target() && line.id != kept.id()) {
            aside.insert(line.id, (kept.aside(line.id), Aside { table: kept.name(), by }));
        }
    }
    let mut n_of: BTreeMap<JobId, usize> = BTreeMap::new();
    for line in lines {
        *n_of.entry(aside.get(&line.id).map_or(line.id, |(own, _)| *own)).or_default() += 1;
    }
    for (line, (own, _)) in &mut aside {
        if n_of.get(own) != Some(&1) {
            *own = *line;
        }
    }
    aside
}

/// The kept tables, by the ids of their lines. A line that is none of ours names no table.
fn kept_tables(ledger: &Ledger, lines: &[JobLine]) -> BTreeMap<JobId, KeptTable> {
    let of = |line: &JobLine| {
        let kept = Kept::of_line(&ledger.schema, line).ok()??;
        let until = line.finished.clone();
        Some((line.id, KeptTable { table: kept.name_now(), until, is_undone: kept.is_undone }))
    };
    lines.iter().filter_map(of).collect()
}

/// The last run of each job that is not finished.
fn runs(connection: &mut Connection, lines: &[JobLine]) -> Result<BTreeMap<JobId, JobRun>> {
    let open: Vec<&JobLine> = lines.iter().filter(|line| line.state == State::Running).collect();
    let mut holders = Vec::new();
    for query in RunLocks::of(open.iter().map(|line| (line.id, line.epoch))).holder_queries() {
        match sql::first_row(connection, &query) {
            Ok(row) => holders.extend(row),
            Err(error) if error.is_fatal() => return Err(error),
            // A server without such locks, for example one that is reached through some proxies: then it is unknown.
            Err(_) => return Ok(open.iter().map(|line| (line.id, JobRun::Unknown)).collect()),
        }
    }
    let is_any_held = holders.iter().any(|id| !id.is_empty());
    let clients = if is_any_held { sql::rows(connection, "SHOW PROCESSLIST")? } else { Vec::new() };
    // A run on another node of a cluster: its lock is not seen here.
    let is_local =
        !open.is_empty() && Cluster::read(&sql::rows(connection, Cluster::QUERY)?).with_local_locks().is_some();
    let run = |line: &JobLine, holder: &str| match run(&line.run, holder, &clients) {
        JobRun::Gone { .. } if is_local => JobRun::Unknown,
        run => run,
    };
    Ok(open.into_iter().zip(holders).map(|(line, holder)| (line.id, run(line, &holder))).collect())
}

/// `holder` is the connection that holds the run's lock, empty for none; `clients` is what SHOW PROCESSLIST answers.
fn run(run: &LastRun, holder: &str, clients: &[Vec<String>]) -> JobRun {
    if let Ok(connection_id) = holder.parse() {
        let client = clients.iter().find(|client| client.first().is_some_and(|id| id == holder));
        let client = client.and_then(|client| Some(format!("{}@{}", client.get(1)?, client.get(2)?)));
        return JobRun::Active { since: run.began.clone(), connection_id, client };
    }
    match (&run.began[..], &run.ended[..]) {
        ("", _) => JobRun::Unknown,
        (since, "") => JobRun::Gone { since: since.to_owned() },
        (_, on) => JobRun::Ended { on: on.to_owned(), why: run.error.clone() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(last: [&str; 3], holder: &str, want: JobRun) {
        let [began, ended, error] = last.map(str::to_owned);
        let clients = [["7", "app", "localhost"].map(str::to_owned).to_vec()];
        assert_eq!(run(&LastRun { began, ended, error }, holder, &clients), want);
    }

    #[test]
    fn how_far_a_job_is() {
        let row = ["07".repeat(16), "1".into(), "3".into(), "shop.people".into(), "/a.csv".into(), "1000".into()];
        let rest = ["5", "77", "", "begin", "", "running", "0", "0", "0", "0", "0", "noon", "", "", "", "", "", ""];
        let row: Vec<String> = row.into_iter().chain(rest.map(str::to_owned)).collect();
        let line = JobLine::parse(&row).unwrap();
        let of = |line: &JobLine, covered, seconds: Option<u64>| {
            let done = |seconds| Done { seconds, rows: 50, covered: 250 };
            let progress = JobProgress::of(line, covered, seconds.map(done));
            (progress.percent, progress.rows_per_second, progress.seconds_left)
        };
        assert_eq!(of(&line, 250, Some(10)), (Some(25), Some(5), Some(30)));
        assert_eq!(of(&line, 250, None), (Some(25), None, None));
        // A run that continued after half of it: its own rows and its own part of the file say how fast it is.
        assert_eq!(of(&line, 750, Some(10)), (Some(75), Some(5), Some(10)));
        // More than there is: places of a text that is compressed.
        assert_eq!(of(&line, 2500, Some(10)), (None, Some(5), None));
        let zipped = JobLine { source: "/a.csv.gz".into(), ..line };
        assert_eq!(of(&zipped, 250, Some(10)), (None, Some(5), None));
    }

    #[test]
    fn the_lock_decides_then_what_was_noted() {
        let active = |id, client: Option<&str>| JobRun::Active {
            since: "noon".into(),
            connection_id: id,
            client: client.map(str::to_owned),
        };
        check(["noon", "", ""], "7", active(7, Some("app@localhost")));
        check(["noon", "", ""], "8", active(8, None));
        check(["noon", "", ""], "", JobRun::Gone { since: "noon".into() });
        check(["noon", "one", "no room"], "", JobRun::Ended { on: "one".into(), why: "no room".into() });
        check(["", "", ""], "", JobRun::Unknown);
    }
}
