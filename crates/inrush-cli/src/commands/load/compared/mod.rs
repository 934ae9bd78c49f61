//! Files against a table: they are loaded into a copy of its definition by the loader itself, with all of its conversions and checks, and
//! the copy is compared with the table.
//!
//! ```text
//! copy (CREATE TABLE .. LIKE) -> load -> the columns that the files fill -> inrush::verify_tables -> DROP TABLE
//! ```

mod copy;

use super::args::LoadArgs;
use super::interrupt::Watch;
use super::stopped::why_it_stopped;
use super::{check_rows, load};
use crate::commands::differences::{Sink, as_json as difference_json};
use crate::commands::rows_read;
use crate::{Output, exit};
use copy::Copy;
use inrush::sans_io::load::report::Report;
use inrush::table::TableName;
use inrush::{Config, Loader, Verified, VerifyControl, VerifyOptions, verify_tables};
use inrush_core::human;
use inrush_core::{Error, Result};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

/// What is compared, and how.
pub(crate) struct Request<'a> {
    /// The files, the table, and how they are read.
    pub(crate) load: &'a LoadArgs,
    /// The rows that the files have, where that is known, and what says it.
    pub(crate) rows: Option<(u64, &'static str)>,
    /// Whether the table may have other rows.
    pub(crate) subset: bool,
    /// Whether rows that the table has more often than the files are a difference.
    pub(crate) once: bool,
    /// Whether rows of a file that lacks a field have NULL in its column: they were stored by INSERTs, and no trigger fills it.
    pub(crate) has_nulls: bool,
    /// Lanes, rate, condition.
    pub(crate) options: VerifyOptions,
}

/// How it ended.
pub(crate) struct FilesVerified {
    /// Of the load into the copy.
    report: Report,
    /// `None`: the files could not be read to their end.
    verified: Option<Verified>,
    /// The columns that not all of the files fill.
    not_compared: Vec<String>,
    once: bool,
    subset: bool,
    elapsed: Duration,
}

/// Compares the files of a load with its table.
pub(crate) fn verify(
    request: &Request<'_>,
    config: &Config,
    sink: &mut Sink,
    signals: &Watch,
    output: &Output,
) -> Result<FilesVerified> {
    let began = Instant::now();
    let (table, columns) = target(config, request.load.into())?;
    let copy = Copy::make(config, &table, output)?;
    let args = request.load.for_copy(copy.name.quoted());
    let report = load(&args, config, signals, output)
        .map_err(|error| error.while_doing(&format!("loading the files into a copy of {}", table.quoted())))?;
    let report = check_rows(report, request.rows)?;
    let mut compared = report.columns.clone();
    if request.has_nulls {
        compared.extend(report.null_elsewhere.iter().cloned());
    }
    let mut done = FilesVerified {
        not_compared: columns.into_iter().filter(|name| !compared.contains(name)).collect(),
        report,
        verified: None,
        once: request.once,
        subset: request.subset,
        elapsed: Duration::ZERO,
    };
    if done.report.stop.is_none() {
        let options = request
            .options
            .clone()
            .with_columns(compared)
            .with_columns_alone(true)
            .with_subset(request.subset)
            .with_described(sink.n_described());
        let names = [copy.name.clone(), table];
        done.verified = Some(compare([config, config], &names, &options, sink, (signals, output))?);
    }
    drop(copy);
    done.elapsed = began.elapsed();
    Ok(done)
}

/// Compares two tables, with progress, until a signal.
pub(crate) fn compare(
    configs: [&Config; 2],
    names: &[TableName; 2],
    options: &VerifyOptions,
    sink: &mut Sink,
    (signals, output): (&Watch, &Output),
) -> Result<Verified> {
    let control = Arc::new(VerifyControl::new());
    let _under_way = signals.of_comparison(control.clone());
    let (over, is_over) = channel::<()>();
    thread::scope(|scope| {
        let counted = &control;
        let progress = scope.spawn(move || rows_read::show(&is_over, || counted.rows(), output));
        let sides = [(configs[0], &names[0]), (configs[1], &names[1])];
        let verified = verify_tables(sides[0], sides[1], options, &control, |difference| sink.take(difference));
        drop(over);
        let _ = progress.join();
        verified
    })
}

/// The table with its database, and the names of its columns that are not generated.
fn target(config: &Config, into: &str) -> Result<(TableName, Vec<String>)> {
    let table = TableName::parse(into)?.in_schema(config.database())?;
    let Some(columns) = Loader::columns(config, into)? else {
        return Err(Error::config(format!("there is no table {} that this user may see", table.quoted())));
    };
    let names = columns.into_iter().filter(|column| !column.generated).map(|column| column.name);
    Ok((table, names.collect()))
}

impl FilesVerified {
    fn differs(&self) -> bool {
        self.verified
            .as_ref()
            .is_some_and(|verified| verified.missing > 0 || verified.different > 0 || (self.once && verified.extra > 0))
    }

    pub(crate) fn code(&self) -> u8 {
        match (exit::code_of_report(&self.report), self.differs()) {
            (exit::OK | exit::REJECTED, true) => exit::DATA,
            (code, _) => code,
        }
    }

    /// Whether the files could be read to their end.
    pub(crate) fn is_compared(&self) -> bool {
        self.verified.is_some()
    }

    pub(crate) fn as_json(&self, sink: &Sink) -> Value {
        let verified = self.verified.as_ref();
        json!({
            "equal": verified.map(|_| !self.differs()),
            "rows": verified.map(|verified| verified.rows),
            "rejected": self.report.rejected,
            "missing": verified.map(|verified| verified.missing),
            "extra": verified.map(|verified| verified.extra),
            "different": verified.map(|verified| verified.different),
            "key": verified.map(|verified| &verified.key),
            "columns": verified.map(|verified| &verified.columns),
            "not_compared": self.not_compared,
            "subset": self.subset,
            "differences": sink.shown().iter().map(difference_json).collect::<Vec<_>>(),
            "notes": sink.notes(),
            "seconds": self.elapsed.as_secs_f64(),
        })
    }

    /// The lines of differences, then the result.
    pub(crate) fn as_text(&self, sink: &Sink) -> String {
        let Some(verified) = &self.verified else {
            return "not compared: the files could not be read to their end".into();
        };
        let mut lines = sink.lines(["in the files", "in the table"]);
        let took = human::time(self.elapsed);
        let of_files = format!("{} of the files", human::counted(verified.rows, "row"));
        lines.push(match (self.differs(), self.subset) {
            (false, false) => format!("equal: {of_files}, and the table has no others ({took})"),
            (false, true) => format!("equal: {of_files} are in the table ({took})"),
            (true, _) => format!(
                "not equal: of {of_files}, the table lacks {}, has {} {}, and has other values in {} ({took})",
                verified.missing,
                verified.extra,
                if self.subset { "more often" } else { "more" },
                verified.different
            ),
        });
        if !self.once && verified.extra > 0 {
            lines.push(format!("the table has rows more often than the files: {}", human::exact(verified.extra)));
        }
        if self.report.rejected > 0 {
            lines.push(format!("rejected, and not compared: {}", human::counted(self.report.rejected, "row")));
        }
        if !self.not_compared.is_empty() {
            lines
                .push(format!("not compared, as not all of the files have them: `{}`", self.not_compared.join("`, `")));
        }
        if verified.key.is_empty() && self.differs() {
            lines.push(
                "the files have no key of the table: a changed row is one that is missing and one that is extra".into(),
            );
        }
        lines.join("\n")
    }

    /// Prints why the files could not be read to their end, if that is so.
    pub(crate) fn explain(&self, output: &Output) {
        why_it_stopped(&self.report, output);
    }
}
