//! Several tables, one after the other: a report each, then the total.

use super::args::LoadArgs;
use super::interrupt::Watch;
use super::stopped::why_it_stopped;
use super::{Loaded, show, slow};
use crate::{Output, exit};
use inrush::sans_io::load::report::Report;
use inrush_core::human;
use inrush_core::{Error, Result};
use serde_json::{Value, json};

/// The load of one of several tables.
pub(crate) struct TableLoad {
    /// Its name in messages.
    pub(crate) table: String,
    pub(crate) args: LoadArgs,
    /// The rows that its files have, where that is known, and what says it.
    pub(crate) rows: Option<(u64, &'static str)>,
}

/// What became of a table.
struct Outcome {
    table: String,
    loaded: Result<Loaded>,
}

impl Outcome {
    fn code(&self) -> u8 {
        self.loaded.as_ref().map_or_else(exit::code_of, Loaded::code)
    }

    fn report(&self) -> Option<&Report> {
        self.loaded.as_ref().ok().map(|loaded| &loaded.report)
    }
}

/// Loads each table. If one fails, the others are loaded; an interrupt ends all of it. The exit code
/// is the worst one.
pub(crate) fn run(args: &LoadArgs, tables: Vec<TableLoad>, signals: &Watch, output: &Output) -> Result<u8> {
    run_then(args, tables, signals, output, |_| Ok(exit::OK))
}

/// The same, and then something that belongs to the command, by the exit code of the loads. Its error is in the JSON document.
pub(super) fn run_then(
    args: &LoadArgs,
    tables: Vec<TableLoad>,
    signals: &Watch,
    output: &Output,
    then: impl FnOnce(u8) -> Result<u8>,
) -> Result<u8> {
    args.check_names_for_many()?;
    let mut outcomes = Vec::new();
    for TableLoad { table, args, rows } in tables {
        let loaded = super::load_and_verify(&args, rows, signals, output);
        if !output.is_json() {
            match &loaded {
                Ok(loaded) => {
                    show::report(&loaded.report, args.reject_file(), loaded.verified.as_ref(), output);
                    slow::sentence(&loaded.report, &args).iter().for_each(|line| output.notice(line));
                    output.result("");
                }
                Err(error) => output.error(&format!("table `{table}`: {}", exit::explain(error))),
            }
        }
        let outcome = Outcome { table, loaded };
        let is_over = outcome.code() == exit::INTERRUPTED;
        outcomes.push(outcome);
        if is_over {
            break;
        }
    }
    let worst = exit::worst(outcomes.iter().map(Outcome::code));
    if output.is_json() {
        let after = then(worst);
        let worst = exit::worst([worst, after.as_ref().map_or_else(exit::code_of, |code| *code)]);
        output.result(&format!("{:#}", document(&outcomes, worst, after.as_ref().err())));
        if let Err(error) = &after {
            output.error(&exit::explain(error));
        }
        for outcome in &outcomes {
            match &outcome.loaded {
                Ok(loaded) => {
                    why_it_stopped(&loaded.report, output);
                    loaded.verified.iter().for_each(|verified| verified.explain(output));
                }
                Err(error) => output.error(&format!("table `{}`: {}", outcome.table, exit::explain(error))),
            }
        }
        return Ok(worst);
    }
    if !outcomes.is_empty() {
        output.result(&summary(&outcomes, args.is_dry_run()));
    }
    then(worst).map(|code| exit::worst([worst, code]))
}

/// The sums of all reports: rows by outcome, bytes, seconds.
fn total(outcomes: &[Outcome]) -> ([(&'static str, u64); 6], u64, f64) {
    let reports = || outcomes.iter().filter_map(Outcome::report);
    let sum = |count: fn(&Report) -> u64| reports().map(count).sum::<u64>();
    let rows = [
        ("read", sum(|report| report.read)),
        ("stored", sum(|report| report.stored)),
        ("skipped", sum(|report| report.skipped)),
        ("rejected", sum(|report| report.rejected)),
        ("not_loaded", sum(|report| report.not_loaded)),
        ("unknown", sum(|report| report.unknown)),
    ];
    (
        rows,
        sum(|report| report.bytes),
        reports().map(|report| report.elapsed.as_secs_f64()).fold(0.0, |sum, seconds| sum + seconds),
    )
}

/// The total as people read it. A dry run stores nothing.
fn summary(outcomes: &[Outcome], is_dry_run: bool) -> String {
    let stored_as = if is_dry_run { "would be stored" } else { "stored" };
    let (rows, bytes, seconds) = total(outcomes);
    let whole = outcomes.iter().filter(|outcome| outcome.code() == exit::OK).count();
    let [(_, read), (_, stored), fates @ ..] = rows;
    let fates: String = fates
        .iter()
        .filter(|(_, count)| *count > 0)
        .map(|(fate, count)| format!(" + {} {}", human::exact(*count), fate.replace('_', " ")))
        .collect();
    format!(
        "total     {whole} of {} {stored_as} whole\nrows      {} read = {} {stored_as}{fates}\nspeed     {} rows/s, {}/s, {}",
        human::counted(outcomes.len() as u64, "table"),
        human::exact(read),
        human::exact(stored),
        human::short(stored as f64 / seconds.max(0.001)),
        human::bytes(bytes as f64 / seconds.max(0.001)),
        human::time(std::time::Duration::from_secs_f64(seconds)),
    )
}

fn document(outcomes: &[Outcome], worst: u8, error: Option<&Error>) -> Value {
    let tables: Vec<Value> = outcomes
        .iter()
        .map(|outcome| match &outcome.loaded {
            Ok(loaded) => show::document(&loaded.report, loaded.verified.as_ref()),
            Err(error) => json!({
                "inrush": "load", "version": 1, "exit_code": exit::code_of(error), "table": outcome.table,
                "error": as_json(error),
            }),
        })
        .collect();
    let (rows, bytes, seconds) = total(outcomes);
    let rows: serde_json::Map<_, _> = rows.iter().map(|(fate, count)| ((*fate).to_owned(), json!(count))).collect();
    let mut document = json!({
        "inrush": "load",
        "version": 1,
        "exit_code": worst,
        "tables": tables,
        "total": { "tables": outcomes.len(), "rows": rows, "bytes": bytes, "seconds": seconds },
    });
    if let Some(error) = error {
        document["error"] = as_json(error);
    }
    document
}

fn as_json(error: &Error) -> Value {
    json!({ "message": error.to_string(), "hint": error.hint(), "code": error.code() })
}
