//! A job's line: how it is read, begun, taken over, kept up to date, finished, forgotten.
//!
//! Every statement that changes a line names the epoch that it expects, except for those that make a new epoch. The line of a job
//! that still runs has no counts: they are the sums of its chunks' lines.

use super::fence::Fence;
use super::step::{JobStep, State};
use super::tables::{Ledger, VERSION, columns, hex, or_null, text};
use super::{ChunkLine, Identity, JobId, Mapping};
use crate::error::{Error, Result};

/// What the ledger knows of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobLine {
    /// Which job.
    pub id: JobId,
    /// Which version of the ledger wrote it.
    pub version: u8,
    /// Which run may store chunks.
    pub epoch: u32,
    /// `schema.table`.
    pub target: String,
    /// The source's name wherever the program is started.
    pub source: String,
    /// What the source was.
    pub size: Option<u64>,
    /// See `size`.
    pub modified: Option<i64>,
    /// See `size`.
    pub hash: Option<u64>,
    /// How it is read.
    pub mapping: Mapping,
    /// The last step that is finished.
    pub step: JobStep,
    /// Definitions of indexes that are to be rebuilt.
    pub indexes: Option<String>,
    /// Whether it is finished.
    pub state: State,
    /// What is stored; for a job that still runs, only after [`JobLine::sums_query`] was run.
    pub totals: Totals,
    /// When it was begun, in UTC.
    pub started: String,
    /// When it was finished, in UTC; empty if it is not.
    pub finished: String,
    /// The account whose job it is, as the server spells it; empty if an older version began it.
    pub owner: String,
    /// What an atomic load has copied: a text of [`Copied`](crate::load::steps::Copied); empty if nothing.
    pub copied: String,
    /// The last run of it.
    pub run: LastRun,
}

/// What a job's line says about the run that last began or took over the job. All texts are empty if that was a run of an older
/// version.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LastRun {
    /// When it began, in UTC.
    pub began: String,
    /// When it ended without finishing the job, in UTC; empty if it did not, or could not write that down.
    pub ended: String,
    /// Why.
    pub error: String,
}

/// Counts of a job.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Chunks stored.
    pub chunks: u64,
    /// Records of them.
    pub records: u64,
    /// Rows of them that are in the table.
    pub rows: u64,
    /// Rows that the mode left out.
    pub skipped: u64,
    /// Records that were rejected.
    pub rejected: u64,
}

impl JobLine {
    /// Reads the lines of these jobs, or of all; `locked` keeps others from changing them until the transaction ends. Each row is
    /// for [`JobLine::parse`].
    pub fn query(ledger: &Ledger, jobs: Option<&[JobId]>, locked: bool) -> String {
        let ids = jobs.map_or(String::new(), |jobs| format!(" WHERE `id` IN ({})", list(jobs)));
        let lock = if locked { " FOR UPDATE" } else { "" };
        let owners = if ledger.has_owners { "`owner`, `copied`" } else { "'', ''" };
        let runs = if ledger.has_runs { READ_RUNS } else { "'', '', ''" };
        format!("SELECT {READ_COLUMNS}, {owners}, {runs} FROM {}{ids} ORDER BY `id`{lock}", ledger.jobs())
    }

    /// Sums what is stored of the jobs that have chunks: rows of the job's id and of what is for [`Totals::parse`].
    pub fn sums_query(ledger: &Ledger) -> String {
        format!("SELECT LOWER(HEX(`job`)), {SUMS} FROM {} GROUP BY `job`", ledger.chunks())
    }

    /// How far the jobs are that are not finished: rows of the id, how much of the source its chunks cover, for how many seconds the last
    /// run has been at work, and whether it is the first one.
    pub fn extents_query(ledger: &Ledger) -> String {
        let seconds = match ledger.has_runs {
            true => "TIMESTAMPDIFF(SECOND, j.`run_began`, UTC_TIMESTAMP())",
            false => "NULL",
        };
        let chunks = |sum: &str, whose: &str| {
            let chunks = ledger.chunks();
            format!(
                "(SELECT COALESCE(SUM({sum}), 0) FROM {chunks} AS c WHERE c.`job` = j.`id` AND c.`records` > 0{whose})"
            )
        };
        const OF_LAST_RUN: &str = " AND c.`epoch` = j.`epoch`";
        format!(
            "SELECT LOWER(HEX(j.`id`)), {}, {seconds}, {}, {} FROM {} AS j WHERE j.`state` = 'running'",
            chunks("c.`end` - c.`start`", ""),
            chunks("c.`n_rows`", OF_LAST_RUN),
            chunks("c.`end` - c.`start`", OF_LAST_RUN),
            ledger.jobs()
        )
    }

    /// Reads a row of [`JobLine::query`].
    pub fn parse(row: &[String]) -> Result<Self> {
        let odd = || Error::protocol("a line of `inrush_job` has an odd shape");
        let row: &[String; 24] = row.try_into().map_err(|_| odd())?;
        fn number<T: std::str::FromStr>(text: &str) -> Result<T> {
            text.parse().map_err(|_| Error::protocol(format!("`{}` is no number of the ledger", text.escape_debug())))
        }
        fn perhaps<T: std::str::FromStr>(text: &str) -> Result<Option<T>> {
            if text.is_empty() { Ok(None) } else { number(text).map(Some) }
        }
        Ok(Self {
            id: JobId::parse(&row[0]).map_err(|_| odd())?,
            version: number(&row[1])?,
            epoch: number(&row[2])?,
            target: row[3].clone(),
            source: row[4].clone(),
            size: perhaps(&row[5])?,
            modified: perhaps(&row[6])?,
            hash: perhaps(&row[7])?,
            mapping: Mapping::parse(&row[8]),
            step: JobStep::parse(&row[9]).ok_or_else(odd)?,
            indexes: (!row[10].is_empty()).then(|| row[10].clone()),
            state: State::parse(&row[11]).ok_or_else(odd)?,
            totals: match (Totals::parse(&row[12..17])?, State::parse(&row[11])) {
                // Until it ends the column of its chunks is the mark of a fence ([`fence`](super::fence)).
                (_, Some(State::Running)) => Totals::default(),
                (totals, _) => totals,
            },
            started: row[17].clone(),
            finished: row[18].clone(),
            owner: row[19].clone(),
            copied: row[20].clone(),
            run: LastRun { began: row[21].clone(), ended: row[22].clone(), error: row[23].clone() },
        })
    }

    /// Begins a job that has no line. `epoch` is drawn at random, so that it cannot equal the epoch of a run of a job that was
    /// forgotten since.
    pub fn insert_statement(ledger: &Ledger, start: &Start<'_>, epoch: u32) -> String {
        let values = [
            start.id.literal(),
            VERSION.to_string(),
            epoch.to_string(),
            text(start.target),
            text(start.source),
            or_null(start.identity.and_then(|i| i.size)),
            or_null(start.identity.and_then(|i| i.modified)),
            or_null(start.identity.map(|i| i.hash)),
            text(&start.mapping.to_string()),
            "'begin'".into(),
            "NULL".into(),
            "'running'".into(),
        ];
        let (owner, me) = if ledger.has_owners { (", `owner`", ", CURRENT_USER()") } else { ("", "") };
        let (run, now) = if ledger.has_runs { (", `run_began`", ", UTC_TIMESTAMP(6)") } else { ("", "") };
        format!(
            "INSERT INTO {} ({}{owner}{run}) VALUES ({}, 0, 0, 0, 0, 0, UTC_TIMESTAMP(6), NULL, {}{me}{now})",
            ledger.jobs(),
            columns(&COLUMNS),
            values.join(", "),
            text(start.program)
        )
    }

    /// Writes the head of a named job, which is done from its beginning. It fails (1062) where another load has written it.
    pub fn insert_head_statement(ledger: &Ledger, start: &Start<'_>) -> String {
        let values = [
            start.id.literal(),
            VERSION.to_string(),
            "0".into(),
            text(start.target),
            text(start.source),
            "NULL, NULL, NULL".into(),
            text(&start.mapping.to_string()),
            "'begin', NULL, 'done', 0, 0, 0, 0, 0, UTC_TIMESTAMP(6), UTC_TIMESTAMP(6)".into(),
            text(start.program),
        ];
        let (owner, me) = if ledger.has_owners { (", `owner`", ", CURRENT_USER()") } else { ("", "") };
        format!("INSERT INTO {} ({}{owner}) VALUES ({}{me})", ledger.jobs(), columns(&COLUMNS), values.join(", "))
    }

    /// Writes the line about a table that a refresh keeps for so long, which is done from its beginning: two statements, the first removes an
    /// earlier one.
    pub fn keep_statements(ledger: &Ledger, start: &Start<'_>, seconds: u64) -> [String; 2] {
        let values = [
            start.id.literal(),
            VERSION.to_string(),
            "0".into(),
            text(start.target),
            text(start.source),
            "NULL, NULL, NULL".into(),
            text(&start.mapping.to_string()),
            "'begin', NULL, 'done', 0, 0, 0, 0, 0, UTC_TIMESTAMP(6)".into(),
            format!("UTC_TIMESTAMP(6) + INTERVAL {seconds} SECOND"),
            text(start.program),
        ];
        let (owner, me) = if ledger.has_owners { (", `owner`", ", CURRENT_USER()") } else { ("", "") };
        let jobs = ledger.jobs();
        [
            format!("DELETE FROM {jobs} USING {jobs} WHERE `id` = {}", start.id.literal()),
            format!("INSERT INTO {jobs} ({}{owner}) VALUES ({}{me})", columns(&COLUMNS), values.join(", ")),
        ]
    }

    /// Lets the time for which a table is kept begin.
    pub fn keep_from_now_statement(ledger: &Ledger, id: JobId, seconds: u64) -> String {
        format!(
            "UPDATE {} AS l JOIN (SELECT 1 AS one) AS o SET `finished` = UTC_TIMESTAMP(6) + INTERVAL {seconds} SECOND WHERE `id` = {}",
            ledger.jobs(),
            id.literal()
        )
    }

    /// The lines about tables that were kept for long enough: each row is for [`JobLine::parse`].
    pub fn kept_too_long_query(ledger: &Ledger) -> String {
        Self::query(ledger, None, false).replace(
            " ORDER BY",
            " WHERE `state` = 'done' AND `mapping` LIKE 'kept: %' AND `finished` < UTC_TIMESTAMP(6) ORDER BY",
        )
    }

    /// A refresh that keeps the table of this tag, and is not finished or is being undone: a row, or none.
    pub fn refresh_at_work_query(ledger: &Ledger, tag: &str) -> String {
        format!(
            "SELECT 1 FROM {} WHERE `copied` LIKE '%kept={tag}%' AND (`state` = 'running' OR `copied` LIKE '% undoing=1') LIMIT 1",
            ledger.jobs()
        )
    }

    /// The unfinished and the finished jobs of a target that have stored rows since the line of this id was written, and were not undone: rows
    /// of the id.
    pub fn others_since_query(ledger: &Ledger, target: &str, but: &[JobId], since: JobId) -> String {
        format!(
            "SELECT LOWER(HEX(j.`id`)) FROM {0} AS j JOIN {0} AS k ON k.`id` = {3} WHERE j.`target` = {1} AND j.`id` NOT IN ({2}) \
             AND (j.`state` = 'running' OR j.`finished` > k.`started` AND COALESCE(j.`copied`, '') NOT LIKE '% undone=1') ORDER BY j.`id`",
            ledger.jobs(),
            text(target),
            list(but),
            since.literal()
        )
    }

    /// Gives a job another id and another target: for one transaction.
    pub fn move_statements(ledger: &Ledger, id: JobId, to: JobId, target: &str) -> [String; 3] {
        let lines = |table: String| {
            let (to, id) = (to.literal(), id.literal());
            format!("UPDATE {table} AS l JOIN (SELECT 1 AS one) AS o SET `job` = {to} WHERE `job` = {id}")
        };
        [
            format!(
                "UPDATE {} AS l JOIN (SELECT 1 AS one) AS o SET `id` = {}, `target` = {} WHERE `id` = {}",
                ledger.jobs(),
                to.literal(),
                text(target),
                id.literal()
            ),
            lines(ledger.chunks()),
            lines(ledger.rejects()),
        ]
    }

    /// Changes what a finished job's line says of its copy.
    pub fn copied_statement(ledger: &Ledger, id: JobId, copied: &str) -> String {
        format!(
            "UPDATE {} AS l JOIN (SELECT 1 AS one) AS o SET `copied` = {} WHERE `id` = {} AND `state` = 'done'",
            ledger.jobs(),
            text(copied),
            id.literal()
        )
    }

    /// Notes in a finished job's line that its rows were deleted, unless it was loaded again since.
    pub fn undone_statement(ledger: &Ledger, (id, epoch): (JobId, u32), copied: &str) -> String {
        format!("{} AND `epoch` = {epoch}", Self::copied_statement(ledger, id, copied))
    }

    /// A refresh of a target that is being undone, so that either table may have its name: a row of the id, or none. `None` where an
    /// older version created the table, which keeps no tables.
    pub fn being_undone_query(ledger: &Ledger, target: &str) -> Option<String> {
        ledger.has_owners.then(|| {
            format!(
                "SELECT LOWER(HEX(`id`)) FROM {} WHERE `target` = {} AND `copied` LIKE '% undoing=1' ORDER BY `id` LIMIT 1",
                ledger.jobs(),
                text(target)
            )
        })
    }

    /// Changes what the line about a kept table says once the refresh is undone: its target and its mapping; it is kept for as long again.
    pub fn kept_statement(ledger: &Ledger, id: JobId, target: &str, mapping: &Mapping) -> String {
        format!(
            "UPDATE {} AS l JOIN (SELECT 1 AS one) AS o SET `target` = {}, `mapping` = {}, \
             `finished` = UTC_TIMESTAMP(6) + INTERVAL GREATEST(TIMESTAMPDIFF(SECOND, `started`, `finished`), 1) SECOND WHERE `id` = {}",
            ledger.jobs(),
            text(target),
            text(&mapping.to_string()),
            id.literal()
        )
    }

    /// Restarts a job whose line exists and has this epoch: three statements for one transaction. The first must affect one row.
    pub fn restart_statements(ledger: &Ledger, start: &Start<'_>, epoch: u32) -> [String; 3] {
        let identity = start.identity;
        let update = format!(
            "UPDATE {} AS l JOIN (SELECT 1 AS one) AS o SET `version` = {VERSION}, `epoch` = `epoch` + 1, `target` = {}, `source` = {}, `size` = {}, `modified` = {}, \
             `hash` = {}, `mapping` = {}, `step` = 'begin', `indexes` = NULL, `state` = 'running', \
             `chunks` = 0, `records` = 0, `n_rows` = 0, `skipped` = 0, `rejected` = 0, `started` = UTC_TIMESTAMP(6), \
             `finished` = NULL, `program` = {}{}{} WHERE `id` = {} AND `epoch` = {epoch}",
            ledger.jobs(),
            text(start.target),
            text(start.source),
            or_null(identity.and_then(|i| i.size)),
            or_null(identity.and_then(|i| i.modified)),
            or_null(identity.map(|i| i.hash)),
            text(&start.mapping.to_string()),
            text(start.program),
            if ledger.has_owners { ", `copied` = '', `owner` = CURRENT_USER()" } else { "" },
            begins_run(ledger),
            start.id.literal()
        );
        let [chunks, rejects] = remove_lines(ledger, start.id);
        [update, chunks, rejects]
    }

    /// Takes a job over from the run that has it: waits for every open transaction that stores a chunk of it, and keeps all later
    /// ones out. It stores the current identity of the source, because the source may have been corrected since, and how it is read, because
    /// more columns may be widened for it.
    pub fn take_over_statement(ledger: &Ledger, start: &Start<'_>) -> String {
        let identity = start.identity;
        format!(
            "UPDATE {} AS l JOIN (SELECT 1 AS one) AS o SET `epoch` = `epoch` + 1{}{}, `size` = {}, `modified` = {}, `hash` = {}, `mapping` = {} WHERE `id` = {} AND `state` = 'running'",
            ledger.jobs(),
            if ledger.has_owners { ", `owner` = CURRENT_USER()" } else { "" },
            begins_run(ledger),
            or_null(identity.and_then(|i| i.size)),
            or_null(identity.and_then(|i| i.modified)),
            or_null(identity.map(|i| i.hash)),
            text(&start.mapping.to_string()),
            start.id.literal()
        )
    }

    /// The lines of a job's stored chunks, in order; each row is for [`ChunkLine::parse`].
    pub fn chunks_query(ledger: &Ledger, id: JobId) -> String {
        format!(
            "SELECT `start`, `end`, `first_record`, `records`, `first_line`, `n_lines`, `n_rows`, `skipped`, `rejected`, `checksum` \
             FROM {} WHERE `job` = {} ORDER BY `start`",
            ledger.chunks(),
            id.literal()
        )
    }

    /// Forgets a job: three statements for one transaction. The first waits for open transactions of a run; the others remove
    /// what these stored.
    pub fn forget_statements(ledger: &Ledger, id: JobId) -> [String; 3] {
        let [chunks, rejects] = remove_lines(ledger, id);
        [format!("DELETE FROM {0} USING {0} WHERE `id` = {1}", ledger.jobs(), id.literal()), chunks, rejects]
    }

    /// Removes what an earlier job of this id has left: rows that name the user who forgot it.
    pub fn clear_statement(ledger: &Ledger, id: JobId) -> String {
        let [_, rejects] = remove_lines(ledger, id);
        rejects
    }

    /// Records who forgot the job, for a run of another user that is stopped by it. No record is on line 0.
    pub fn forgotten_by_statement(ledger: &Ledger, id: JobId) -> String {
        format!(
            "INSERT INTO {} (`job`, `line`, `part`, `start`, `column_name`, `code`, `reason`, `raw`) \
             VALUES ({}, 0, 0, 0, 'forgotten', 0, CURRENT_USER(), '')",
            ledger.rejects(),
            id.literal()
        )
    }

    /// Returns the query for that record: a row of the user, or none.
    pub fn forgotten_by_query(ledger: &Ledger, id: JobId) -> String {
        format!(
            "SELECT `reason` FROM {} WHERE `job` = {} AND `line` = 0 AND `column_name` = 'forgotten'",
            ledger.rejects(),
            id.literal()
        )
    }

    /// The other jobs of a target, which become void once it is emptied: rows of the id.
    pub fn others_query(ledger: &Ledger, target: &str, but: &[JobId]) -> String {
        format!(
            "SELECT LOWER(HEX(`id`)) FROM {} WHERE `target` = {} AND `id` NOT IN ({}) ORDER BY `id` FOR UPDATE",
            ledger.jobs(),
            text(target),
            list(but)
        )
    }

    /// The other jobs of a target that have done a step and are not finished: rows of the id.
    pub fn others_at_work_query(ledger: &Ledger, target: &str, but: &[JobId]) -> String {
        format!(
            "SELECT LOWER(HEX(`id`)) FROM {} WHERE `target` = {} AND `id` NOT IN ({}) AND `state` = 'running' AND `step` <> 'begin'",
            ledger.jobs(),
            text(target),
            list(but)
        )
    }

    /// The other jobs of a target that fill a copy of it, and are not finished: rows of the id. `None` where an older version created the
    /// table, which does not record copies.
    pub fn others_with_copy_query(ledger: &Ledger, target: &str, but: &[JobId]) -> Option<String> {
        let before_swap = JobStep::ALL.iter().filter(|step| (JobStep::Make..JobStep::Indexes).contains(*step));
        let steps: Vec<String> = before_swap.map(|step| format!("'{}'", step.name())).collect();
        ledger.has_owners.then(|| {
            format!(
                "SELECT LOWER(HEX(`id`)) FROM {} WHERE `target` = {} AND `id` NOT IN ({}) AND `state` = 'running' AND `copied` <> '' \
                 AND `step` IN ({}) ORDER BY `id`",
                ledger.jobs(),
                text(target),
                list(but),
                steps.join(", ")
            )
        })
    }
}

/// What a job's line says from its beginning.
#[derive(Clone, Copy, Debug)]
pub struct Start<'a> {
    /// Which job.
    pub id: JobId,
    /// `schema.table`.
    pub target: &'a str,
    /// The source's name wherever the program is started.
    pub source: &'a str,
    /// What the source is.
    pub identity: Option<&'a Identity>,
    /// How it is read.
    pub mapping: &'a Mapping,
    /// Our own name and version.
    pub program: &'a str,
}

impl Fence {
    /// Finds the job's line if it belongs to this run, and keeps others from changing it until the transaction ends.
    pub fn mine_query(&self) -> String {
        format!("SELECT `epoch` FROM {} WHERE {} FOR UPDATE", self.ledger.jobs(), self.ours())
    }

    /// Records that a step is finished.
    pub fn step_statement(&self, step: JobStep) -> String {
        format!(
            "UPDATE {} AS l JOIN (SELECT 1 AS one) AS o SET `step` = '{}' WHERE {}",
            self.ledger.jobs(),
            step.name(),
            self.ours()
        )
    }

    /// Stores the definitions of indexes before they are dropped, so that a later run that continues the job can make them again.
    pub fn indexes_statement(&self, indexes: &str) -> String {
        format!(
            "UPDATE {} AS l JOIN (SELECT 1 AS one) AS o SET `indexes` = {} WHERE {}",
            self.ledger.jobs(),
            text(indexes),
            self.ours()
        )
    }

    /// Records what an atomic load has copied.
    pub fn copied_statement(&self, copied: &str) -> String {
        format!(
            "UPDATE {} AS l JOIN (SELECT 1 AS one) AS o SET `copied` = {} WHERE {}",
            self.ledger.jobs(),
            text(copied),
            self.ours()
        )
    }

    /// Records that this run ends without finishing the job, and why; `None` where an older version created the table.
    pub fn run_ended_statement(&self, error: &str) -> Option<String> {
        let error: String = error.chars().take(ERROR_CHARS).collect();
        self.ledger.has_runs.then(|| {
            format!(
                "UPDATE {} AS l JOIN (SELECT 1 AS one) AS o SET `run_ended` = UTC_TIMESTAMP(6), `run_error` = {} WHERE {}",
                self.ledger.jobs(),
                text(&error),
                self.ours()
            )
        })
    }

    /// Returns the query for the fate of the job: one row of (epoch, state, owner), or none.
    pub fn fate_query(&self) -> String {
        let owner = if self.ledger.has_owners { "`owner`" } else { "''" };
        format!("SELECT `epoch`, `state`, {owner} FROM {} WHERE `id` = {}", self.ledger.jobs(), self.job.literal())
    }

    /// Counts what is stored of the job; the row is for [`Totals::parse`].
    pub fn totals_query(&self) -> String {
        format!("SELECT {SUMS} FROM {} WHERE `job` = {}", self.ledger.chunks(), self.job.literal())
    }

    /// Ends the job: for one transaction. The first must affect one row, else another run has taken the job over.
    pub fn finish_statements(&self, totals: &Totals) -> [String; 3] {
        let done = format!(
            "UPDATE {} AS l JOIN (SELECT 1 AS one) AS o SET `state` = 'done', `step` = 'verify', `indexes` = NULL, `chunks` = {}, `records` = {}, `n_rows` = {}, \
             `skipped` = {}, `rejected` = {}, `finished` = UTC_TIMESTAMP(6) WHERE {}",
            self.ledger.jobs(),
            totals.chunks,
            totals.records,
            totals.rows,
            totals.skipped,
            totals.rejected,
            self.ours()
        );
        let [chunks, rejects] = remove_lines(&self.ledger, self.job);
        [done, chunks, rejects]
    }

    /// Removes the job completely: for sources that cannot be read again, so that no run could continue it. As
    /// [`Fence::finish_statements`].
    pub fn remove_statements(&self) -> [String; 3] {
        let [chunks, rejects] = remove_lines(&self.ledger, self.job);
        [format!("DELETE FROM {0} USING {0} WHERE {1}", self.ledger.jobs(), self.ours()), chunks, rejects]
    }

    /// Returns the query for the job's line after the answer to a COMMIT was lost. It returns one row of (epoch, state, step), or
    /// none. It waits for a transaction that is still writing the line.
    pub fn state_query(&self) -> String {
        format!(
            "SELECT `epoch`, `state`, `step` FROM {} WHERE `id` = {} {}",
            self.ledger.jobs(),
            self.job.literal(),
            self.ledger.shared_lock
        )
    }
}

impl ChunkLine {
    /// Reads a row of [`JobLine::chunks_query`].
    pub fn parse(row: &[String]) -> Result<Self> {
        let odd = |_| Error::protocol("a line of `inrush_chunk` has an odd shape");
        let numbers = row.iter().map(|text| text.parse::<u64>().map_err(odd)).collect::<Result<Vec<_>>>()?;
        let [start, end, first_record, records, first_line, lines, rows, skipped, rejected, checksum] = numbers[..]
        else {
            return Err(Error::protocol("a line of `inrush_chunk` has an odd shape"));
        };
        let span = start..end;
        // Wrong numbers in the table must not lead to sums that break the report.
        let whole = rows.checked_add(skipped).and_then(|n| n.checked_add(rejected));
        let is_sane = whole.is_some_and(|n| n <= records) && numbers[2..9].iter().all(|&n| n <= MOST);
        if !is_sane {
            return Err(Error::protocol("a line of `inrush_chunk` counts more rows than it has records"));
        }
        Ok(Self { span, first_record, records, first_line, lines, rows, skipped, rejected, checksum })
    }
}

impl Totals {
    /// Both together.
    #[must_use]
    pub fn plus(&self, other: &Totals) -> Totals {
        // The ledger is data: invalid numbers in it must not end the program.
        Totals {
            chunks: self.chunks.saturating_add(other.chunks),
            records: self.records.saturating_add(other.records),
            rows: self.rows.saturating_add(other.rows),
            skipped: self.skipped.saturating_add(other.skipped),
            rejected: self.rejected.saturating_add(other.rejected),
        }
    }

    /// Returns the sums of these chunks' lines.
    pub fn of(lines: &[ChunkLine]) -> Totals {
        let one = |line: &ChunkLine| Totals {
            chunks: 1,
            records: line.records,
            rows: line.rows,
            skipped: line.skipped,
            rejected: line.rejected,
        };
        lines.iter().fold(Totals::default(), |sum, line| sum.plus(&one(line)))
    }

    /// Reads a row of [`Fence::totals_query`].
    pub fn parse(row: &[String]) -> Result<Self> {
        let odd = |_| Error::protocol("the ledger's sums have an odd shape");
        let numbers = row.iter().map(|text| text.parse::<u64>().map_err(odd)).collect::<Result<Vec<_>>>()?;
        let [chunks, records, rows, skipped, rejected] = numbers[..] else {
            return Err(Error::protocol("the ledger's sums have an odd shape"));
        };
        Ok(Self { chunks, records, rows, skipped, rejected })
    }
}

/// In the multi-table syntax, like the UPDATEs of job lines. If KILL QUERY hits a single-table statement, MariaDB answers with OK
/// and no row (docs/notes/client-traps.md), and a chunk's line that stays would count as stored when the job is restarted.
fn remove_lines(ledger: &Ledger, id: JobId) -> [String; 2] {
    // No alias: a session without a database does not find it (1046).
    [ledger.chunks(), ledger.rejects()]
        .map(|table| format!("DELETE FROM {table} USING {table} WHERE `job` = {}", id.literal()))
}

fn list(jobs: &[JobId]) -> String {
    // An empty list is not valid SQL; no job has the id of all zeros.
    if jobs.is_empty() { hex(&[0; 16]) } else { jobs.iter().map(|id| id.literal()).collect::<Vec<_>>().join(", ") }
}

const COLUMNS: [&str; 20] = [
    "id", "version", "epoch", "target", "source", "size", "modified", "hash", "mapping", "step", "indexes", "state",
    "chunks", "records", "n_rows", "skipped", "rejected", "started", "finished", "program",
];

/// Assignments that follow others: a run of the job begins.
fn begins_run(ledger: &Ledger) -> &'static str {
    if ledger.has_runs { ", `run_began` = UTC_TIMESTAMP(6), `run_ended` = NULL, `run_error` = ''" } else { "" }
}

/// As many as `run_error` takes.
const ERROR_CHARS: usize = 1024;

/// Those of [`Ledger::RUN_COLUMNS`], each as a text.
const READ_RUNS: &str = "\
DATE_FORMAT(`run_began`, '%Y-%m-%d %H:%i:%s'), DATE_FORMAT(`run_ended`, '%Y-%m-%d %H:%i:%s'), `run_error`";

/// 19 columns, each as a text; those of [`Ledger::OWNER_COLUMNS`] and [`Ledger::RUN_COLUMNS`] follow.
const READ_COLUMNS: &str = "\
LOWER(HEX(`id`)), `version`, `epoch`, `target`, `source`, `size`, `modified`, `hash`, `mapping`, `step`, \
`indexes`, `state`, `chunks`, `records`, `n_rows`, `skipped`, `rejected`, DATE_FORMAT(`started`, '%Y-%m-%d %H:%i:%s'), \
DATE_FORMAT(`finished`, '%Y-%m-%d %H:%i:%s')";

/// More than any source has.
const MOST: u64 = 1 << 48;

/// SUM is a DECIMAL, whose text is a whole number.
const SUMS: &str = "\
COUNT(*), COALESCE(SUM(`records`), 0), COALESCE(SUM(`n_rows`), 0), COALESCE(SUM(`skipped`), 0), COALESCE(SUM(`rejected`), 0)";

#[cfg(test)]
mod tests;
