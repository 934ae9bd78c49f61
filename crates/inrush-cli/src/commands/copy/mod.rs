//! `inrush copy`: tables of one database into another one, on another server or the same.
//!
//! ```text
//! args -> two configurations, of two databases -> plan (tables, what of them is copied) -> ReadView of the source (one connection)
//!      -> tables that earlier runs have copied are compared -> missing tables are made
//!      -> table by table: rows in the order of the key -> a load with a job of its own in the target's ledger -> compared
//! ```
//!
//! Invariant: a run adds rows only to tables that were empty or that this copy has begun to fill, and only if the source still has what is stored,
//! in the same order. So what a copy of several runs stores is what the source holds in the state that the last run reads.

mod args;
mod conditions;
mod masked;
mod plan;
mod rows;
mod same_server;
mod show;

use crate::commands::differences::Sink;
use crate::commands::load::{Watch, load_rows, why_it_stopped};
use crate::commands::rows_read;
use crate::connection::hint_at_login;
use crate::{Output, exit};
pub(crate) use args::CopyArgs;
use inrush::blocking::Connection;
use inrush::sans_io::load::report::{Report, Stop};
use inrush::{Config, LoadOptions, Loader, ReadLock, ReadView, Verified, VerifyControl, VerifyOptions, verify_seen_by};
use inrush_core::human;
use inrush_core::{Error, Kind, Result};
use inrush_files::mask::{ColumnMask, MaskRule};
use plan::{CopyPlan, EarlierRuns, PlannedTable};
use rows::RowsOf;
use show::{CopiedTable, CopyComparison};
use std::num::NonZeroU64;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Instant;

/// Copies, and returns the exit code.
pub(crate) fn run(args: &CopyArgs, output: &Output) -> Result<u8> {
    let began = Instant::now();
    let signals = Watch::start(output.clone())?;
    let options = args.load_options()?;
    let read_rate = args.read_rate()?;
    let [from, to] = args.servers()?;
    // Of several hosts one is taken for all that is done.
    let mut source = Connection::connect(&from).map_err(|error| at("the source", hint_at_login(error)))?;
    let mut target = Connection::connect(&to).map_err(|error| at("the target", hint_at_login(error)))?;
    let configs = [source.config().clone(), target.config().clone()];
    same_server::refuse(&mut source, &mut target)?;
    let server = source.server_version().to_string();
    let rules = args.masks.rules(output)?;
    let mut plan = CopyPlan::make((&mut source, &configs[0]), (&mut target, &configs[1]), args, rules.as_ref())?;
    drop(source);
    if !plan.not_copied.is_empty() && !output.is_json() {
        output.notice(&format!("not copied: {}", show::not_copied(&plan)));
    }
    for (table, other) in &plan.partial {
        output.notice(&format!(
            "rows of `{table}` may refer to rows of `{other}` that `--where` leaves out: foreign keys are not checked"
        ));
    }
    if args.dry_run {
        show::dry_run(&plan, &configs, output);
        return Ok(exit::OK);
    }
    // From here on there is something to report.
    signals.hold("stopping; once more leaves at once");
    let copy = CopyRun { args, options, read_rate, configs: &configs, signals: &signals, output };
    let mut copied: Vec<CopiedTable> = Vec::new();
    let code = match copy.tables(&mut plan, target, &server, &mut copied) {
        Err(error) if error.kind() == Kind::Interrupted => {
            output.error("interrupted: what is stored stays");
            output.notice("the same command goes on where this one stopped");
            exit::INTERRUPTED
        }
        code => code?,
    };
    copied.sort_by_key(|one| plan.tables.iter().position(|table| table.source.name == one.name));
    show::result(&plan, &copied, &configs, code, began, output);
    Ok(code)
}

/// What all steps need.
struct CopyRun<'a> {
    args: &'a CopyArgs,
    options: LoadOptions,
    /// The most rows a second that are read of the source.
    read_rate: Option<NonZeroU64>,
    /// Of the source and the target.
    configs: &'a [Config; 2],
    signals: &'a Watch,
    output: &'a Output,
}

impl CopyRun<'_> {
    /// Copies the tables and compares them; `copied` is what became of each that it came to. Returns the exit code.
    ///
    /// # Errors
    /// `Interrupted` if a signal came between two steps, or while there was nothing to finish.
    fn tables(
        &self,
        plan: &mut CopyPlan,
        mut target: Connection,
        server: &str,
        copied: &mut Vec<CopiedTable>,
    ) -> Result<u8> {
        let names: Vec<_> = plan.tables.iter().map(|table| table.source.name.quoted()).collect();
        let view = ReadView::open(&self.configs[0], &names, 1, ReadLock::OneConnection)?;
        let Some(mut reader) = view.into_connections().pop() else {
            return Err(Error::protocol("no connection was opened"));
        };
        let mut to_copy = Vec::new();
        for table in &plan.tables {
            self.go_on()?;
            let job = match &table.state {
                EarlierRuns::Copied { job, .. } => job,
                EarlierRuns::Otherwise { job } => {
                    let name = table.source.name.quoted();
                    self.output
                        .notice(&format!("{name} was copied with other options, and is copied anew (`--truncate`)"));
                    Loader::forget(&self.configs[1], &table.target.schema, job, self.args.force)?;
                    to_copy.push(table);
                    continue;
                }
                _ => {
                    to_copy.push(table);
                    continue;
                }
            };
            let (earlier, again) = self.compare_earlier(reader, table, job)?;
            reader = again;
            match earlier {
                EarlierCopy::Stays(comparison) => copied.push(CopiedTable::earlier(table, comparison)),
                EarlierCopy::Anew => to_copy.push(table),
            }
        }
        self.go_on()?;
        std::mem::take(&mut plan.missing).create(&mut target, server, self.signals, |line| self.output.notice(line))?;
        target.close();
        for table in to_copy {
            self.go_on()?;
            let (report, again) = self.load(reader, table)?;
            let code = exit::code_of_report(&report);
            if report.stop.is_some() {
                if !self.output.is_json() {
                    self.output.error(&format!("table {}:", table.source.name.quoted()));
                }
                why_it_stopped(&report, self.output);
            }
            copied.push(CopiedTable::by(table, report));
            match again {
                Some(again) if code == exit::OK => reader = again,
                _ => return Ok(code),
            }
        }
        let mut code = exit::OK;
        if !self.args.no_verify {
            for one in copied.iter_mut().filter(|one| one.is_new()) {
                self.go_on()?;
                let Some(table) = plan.tables.iter().find(|table| table.source.name == one.name) else { continue };
                let (comparison, again) = self.compare(reader, table)?;
                reader = again;
                if !comparison.is_equal() {
                    code = exit::DATA;
                }
                one.comparison = Some(comparison);
            }
        }
        Ok(code)
    }

    /// # Errors
    /// `Interrupted` after a signal.
    fn go_on(&self) -> Result<()> {
        match self.signals.is_over() {
            false => Ok(()),
            true => Err(interrupted()),
        }
    }

    /// Decides about a table that an earlier run has copied: it is compared, unless its rows may be older than the source's.
    fn compare_earlier(
        &self,
        reader: Connection,
        table: &PlannedTable,
        job: &str,
    ) -> Result<(EarlierCopy, Connection)> {
        let name = table.source.name.quoted();
        if self.args.fuzzy {
            self.output.notice(&format!("{name} was copied by an earlier run, and is left as it is (`--fuzzy`)"));
            return Ok((EarlierCopy::Stays(None), reader));
        }
        let (comparison, reader) = self.compare(reader, table)?;
        let verified = &comparison.verified;
        if comparison.is_equal() {
            return Ok((EarlierCopy::Stays(Some(comparison)), reader));
        }
        let of_values = match &comparison.masked {
            Some(masked) if verified.is_equal() => {
                format!(
                    "of {}, masked, the target lacks {}, and has {} others",
                    human::counted(masked.rows, "row"),
                    masked.missing,
                    masked.extra
                )
            }
            _ => format!(
                "of {}, the target lacks {}, has {} more, and has other values in {}",
                human::counted(verified.rows, "row"),
                verified.missing,
                verified.extra,
                verified.different
            ),
        };
        let what =
            format!("{name} was copied by an earlier run, and the two tables are not equal any more: {of_values}");
        if !self.args.truncate {
            return Err(Error::new(Kind::Guarantee, what).with_hint(ANEW));
        }
        self.output.notice(&format!("{what}; it is copied anew (`--truncate`)"));
        Loader::forget(&self.configs[1], &table.target.schema, job, self.args.force)?;
        Ok((EarlierCopy::Anew, reader))
    }

    /// Compares a table of the state that `reader` sees with the one at the target.
    fn compare(&self, reader: Connection, table: &PlannedTable) -> Result<(CopyComparison, Connection)> {
        let (one, other) = (&table.source.name, &table.target);
        let failed = |error: Error| error.while_doing(&format!("comparing {}", one.quoted()));
        let sink = Sink::new(None, SHOWN, (&self.configs[1], other))?;
        let mut options = VerifyOptions::new().with_described(sink.n_described());
        if let Some(condition) = &table.condition {
            options = options.with_condition_of_first(condition);
        }
        if let Some(rate) = self.read_rate {
            options = options.with_rate_of_ranges(rate);
        }
        let Some(masks) = &table.masks else {
            let (verified, sink, reader) = self.compare_on_servers(reader, table, &options, sink)?;
            return Ok((CopyComparison { verified, sink, masked: None }, reader));
        };
        let is_over = || self.signals.is_over();
        let target = self.configs[1].clone().with_time_zone(args::TIME_ZONE)?;
        let (masked, reader) = masked::compare(reader, table, &target, self.read_rate, &is_over).map_err(failed)?;
        let is_plain = |mask: &Option<ColumnMask>| mask.as_ref().is_none_or(|mask| *mask.rule() == MaskRule::Keep);
        let all = table.source.columns.iter().zip(&masks.masks.masks);
        let plain: Vec<_> = all.filter(|(_, mask)| is_plain(mask)).map(|(column, _)| column.clone()).collect();
        if plain.is_empty() {
            let verified = Verified::default();
            return Ok((CopyComparison { verified, sink, masked: Some(masked) }, reader));
        }
        // A masked key finds no row again.
        let has_plain_key = table.source.has_key_of(&plain);
        let options = options.with_columns(plain).with_columns_alone(!has_plain_key);
        let (verified, sink, reader) = self.compare_on_servers(reader, table, &options, sink)?;
        Ok((CopyComparison { verified, sink, masked: Some(masked) }, reader))
    }

    fn compare_on_servers(
        &self,
        reader: Connection,
        table: &PlannedTable,
        options: &VerifyOptions,
        mut sink: Sink,
    ) -> Result<(Verified, Sink, Connection)> {
        let control = Arc::new(VerifyControl::new());
        let _under_way = self.signals.of_comparison(control.clone());
        let sides = [(&self.configs[0], &table.source.name), (&self.configs[1], &table.target)];
        let (over, is_over) = channel::<()>();
        let (verified, reader) = thread::scope(|scope| {
            let counted = &control;
            let progress = scope.spawn(move || rows_read::show(&is_over, || counted.rows(), self.output));
            let verified = verify_seen_by(reader, sides[0], sides[1], options, &control, |found| sink.take(found));
            drop(over);
            let _ = progress.join();
            verified
        })
        .map_err(|error| error.while_doing(&format!("comparing {}", table.source.name.quoted())))?;
        Ok((verified, sink, reader))
    }

    /// Loads the rows that are missing of a table. Returns no connection if it was interrupted: it may wait for the source still.
    fn load(&self, reader: Connection, table: &PlannedTable) -> Result<(Report, Option<Connection>)> {
        let (report, reader) = self.load_once(reader, table, self.options.clone())?;
        let has_changed = matches!(&report.stop, Some(Stop::Unreadable(error)) if error.kind() == Kind::Guarantee);
        let job = report.jobs.first().map(|job| job.id.to_string());
        match (has_changed, job, reader) {
            (true, Some(job), Some(reader)) if self.args.fuzzy || self.args.truncate => {
                let name = table.source.name.quoted();
                self.output.notice(&format!("rows of {name} have changed since an earlier run: it is copied anew"));
                Loader::forget(&self.configs[1], &table.target.schema, &job, self.args.force)?;
                self.load_once(reader, table, self.options.clone().with_truncate(true))
            }
            (_, _, reader) => Ok((with_our_hints(report), reader)),
        }
    }

    fn load_once(
        &self,
        reader: Connection,
        table: &PlannedTable,
        options: LoadOptions,
    ) -> Result<(Report, Option<Connection>)> {
        let rows = rows::read(reader, RowsOf::source(table), &options, self.read_rate, || self.signals.is_over())?;
        let into = table.target.quoted();
        let report = load_rows(rows.source, (&self.configs[1], &into), options, (self.signals, self.output))
            .map_err(|error| error.while_doing(&format!("copying {}", table.source.name.quoted())))?;
        if matches!(report.stop, Some(Stop::Interrupted)) {
            return Ok((report, None));
        }
        let reader = rows.reader.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        Ok((report, reader))
    }
}

fn interrupted() -> Error {
    Error::new(Kind::Interrupted, "the copy was interrupted")
}

/// What becomes of a table that an earlier run has copied.
enum EarlierCopy {
    Stays(Option<CopyComparison>),
    Anew,
}

/// The report with hints that name what a copy can do.
fn with_our_hints(mut report: Report) -> Report {
    report.stop = report.stop.map(|stop| match stop {
        Stop::Unreadable(error) if error.kind() == Kind::Guarantee => Stop::Unreadable(error.with_hint(ANEW)),
        Stop::Unreadable(error) if error.is_fatal() => Stop::Unreadable(
            error.with_hint("the connection to the source was lost; the same command goes on"),
        ),
        Stop::Unreadable(error) if error.kind() == Kind::Data && error.hint().is_none_or(|hint| hint.contains("`--")) => Stop::Unreadable(
            error.with_hint("change the value at the source: no other server would take it for the same; the same command goes on"),
        ),
        Stop::BadData(error) if error.hint().is_none_or(|hint| hint.contains("`--")) => Stop::BadData(error.with_hint(
            "the column of the target must hold the value as it is: alter it there, or change the value at the source; the same command goes on",
        )),
        other => other,
    });
    report
}

/// An error with the side that it is about.
fn at(side: &str, error: Error) -> Error {
    error.while_doing(&format!("connecting to {side}"))
}

/// What a user can do about rows that have changed between two runs.
const ANEW: &str = "the source, or the copy, was written to since: `--truncate` copies such tables anew; `--fuzzy` does so with one that is not whole yet, and leaves whole ones as they are";

/// Differences with their values.
const SHOWN: usize = 20;
