//! Several tables, one after the other: a report each, then the total.

use super::args::LoadArgs;
use super::interrupt::Watch;
use super::show;
use crate::{Output, exit};
use inrush::documents::as_json;
use inrush::sans_io::load::report::Report;
use inrush_core::human;
use inrush_core::{Error, Result};
use serde_json::{Value, json};

/// The load of one of several tables.
pub(crate) struct TableLoad {
    /// Its name in messages.
    pub(crate) table: String,
    pub(crate) args: LoadArgs,
    /// The rows that its files have, where that is known.
    pub(crate) rows: Option<u64>,
}

/// What became of a table.
struct Outcome {
    table: String,
    report: Result<Report>,
}

impl Outcome {
    fn code(&self) -> u8 {
        self.report.as_ref().map_or_else(exit::code_of, exit::code_of_report)
    }
}

/// Loads each table. If one fails, the others are loaded; an interrupt ends all of it. The exit code
/// is the worst one.
pub(crate) fn run(args: &LoadArgs, tables: Vec<TableLoad>, signals: &Watch, output: &Output) -> Result<u8> {
    args.check_names_for_many()?;
    let mut outcomes = Vec::new();
    for TableLoad { table, args, rows } in tables {
        let report = super::load(&args, signals, output).and_then(|report| check_rows(report, rows));
        if !output.is_json() {
            match &report {
                Ok(report) => {
                    show::report(report, args.reject_file(), output);
                    output.result("");
                }
                Err(error) => output.error(&format!("table `{table}`: {}", exit::explain(error))),
            }
        }
        let outcome = Outcome { table, report };
        let is_over = outcome.code() == exit::INTERRUPTED;
        outcomes.push(outcome);
        if is_over {
            break;
        }
    }
    let worst = worst(outcomes.iter().map(Outcome::code));
    if output.is_json() {
        output.result(&format!("{:#}", document(&outcomes, worst)));
        for outcome in &outcomes {
            match &outcome.report {
                Ok(report) => show::why_it_stopped(report, output),
                Err(error) => output.error(&format!("table `{}`: {}", outcome.table, exit::explain(error))),
            }
        }
    } else {
        output.result(&summary(&outcomes));
    }
    Ok(worst)
}

/// Compares the rows that were read with those that the files have.
fn check_rows(report: Report, rows: Option<u64>) -> Result<Report> {
    match rows {
        Some(rows) if report.stop.is_none() && report.read != rows => Err(Error::data(format!(
            "{} were read, and the manifest has {}",
            human::counted(report.read, "row"),
            human::counted(rows, "row")
        ))),
        _ => Ok(report),
    }
}

/// The most severe of several exit codes.
fn worst(codes: impl Iterator<Item = u8>) -> u8 {
    let order = [exit::OK, exit::REJECTED, exit::PROMISE, exit::USAGE, exit::DATA, exit::SERVER, exit::INTERRUPTED];
    codes.max_by_key(|code| order.iter().position(|one| one == code)).unwrap_or(exit::OK)
}

/// The sums of all reports: rows by outcome, bytes, seconds.
fn total(outcomes: &[Outcome]) -> ([(&'static str, u64); 6], u64, f64) {
    let reports = || outcomes.iter().filter_map(|outcome| outcome.report.as_ref().ok());
    let sum = |count: fn(&Report) -> u64| reports().map(count).sum::<u64>();
    let rows = [
        ("read", sum(|report| report.read)),
        ("stored", sum(|report| report.stored)),
        ("skipped", sum(|report| report.skipped)),
        ("rejected", sum(|report| report.rejected)),
        ("not_loaded", sum(|report| report.not_loaded)),
        ("unknown", sum(|report| report.unknown)),
    ];
    (rows, sum(|report| report.bytes), reports().map(|report| report.elapsed.as_secs_f64()).sum())
}

fn summary(outcomes: &[Outcome]) -> String {
    let (rows, bytes, seconds) = total(outcomes);
    let whole = outcomes.iter().filter(|outcome| outcome.code() == exit::OK).count();
    let [(_, read), (_, stored), fates @ ..] = rows;
    let fates: String = fates
        .iter()
        .filter(|(_, count)| *count > 0)
        .map(|(fate, count)| format!(" + {} {}", human::exact(*count), fate.replace('_', " ")))
        .collect();
    format!(
        "total     {whole} of {} stored whole\nrows      {} read = {} stored{fates}\nspeed     {} rows/s, {}/s, {}",
        human::counted(outcomes.len() as u64, "table"),
        human::exact(read),
        human::exact(stored),
        human::short(stored as f64 / seconds.max(0.001)),
        human::bytes(bytes as f64 / seconds.max(0.001)),
        human::time(std::time::Duration::from_secs_f64(seconds)),
    )
}

fn document(outcomes: &[Outcome], worst: u8) -> Value {
    let tables: Vec<Value> = outcomes
        .iter()
        .map(|outcome| match &outcome.report {
            Ok(report) => as_json(report),
            Err(error) => json!({
                "inrush": "load", "version": 1, "exit_code": exit::code_of(error), "table": outcome.table,
                "error": { "message": error.to_string(), "hint": error.hint(), "code": error.code() },
            }),
        })
        .collect();
    let (rows, bytes, seconds) = total(outcomes);
    let rows: serde_json::Map<_, _> = rows.iter().map(|(fate, count)| ((*fate).to_owned(), json!(count))).collect();
    json!({
        "inrush": "load",
        "version": 1,
        "exit_code": worst,
        "tables": tables,
        "total": { "tables": outcomes.len(), "rows": rows, "bytes": bytes, "seconds": seconds },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_code_is_told() {
        let check = |codes: &[u8], want: u8| assert_eq!(worst(codes.iter().copied()), want, "{codes:?}");
        check(&[0, 0], 0);
        check(&[0, 4, 0], 4);
        check(&[4, 5, 0], 5);
        check(&[2, 4, 5, 1], 2);
        check(&[3, 2], 3);
        check(&[3, 130], 130);
    }
}
