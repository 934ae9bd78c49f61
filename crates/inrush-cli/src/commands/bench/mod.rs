//! `inrush bench`: measures which way of writing is fastest on a server, and shows what was measured. What is measured and what numbers
//! mean is part of `inrush-bench`; this module has options, files and the server.

mod experiment;
mod insert;
mod load;
mod peers;
mod place;
mod pool;
mod pressure;
mod progress;
mod query;
mod report;
mod rtt;
mod sweep;
mod tour;

use crate::connection::as_usage;
use crate::wrap::wrapped;
use crate::{Output, exit};
use clap::{Args, Subcommand};
use inrush_bench::compare::{self, Change};
use inrush_bench::results::{End, Results};
use inrush_bench::table::{self, Style};
use inrush_bench::{advice, busy, facts, heat_map, knee, profile};
use inrush_core::human;
use inrush_core::{Error, Result};
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Measure which way of writing is fastest on your server
#[derive(Debug, Args)]
#[command(disable_help_flag = true, args_conflicts_with_subcommands = true)]
#[command(after_help = "Alone it is a tour of about two minutes that ends with what to do on this server.\n\
    Everything is written into a schema of its own, `inrush_bench`, which is dropped again.\n\
    One run at a time uses it: a second one on the same server is refused (exit code 1).\n\
    If no server is named, a temporary local one is started.")]
pub(crate) struct BenchArgs {
    #[command(subcommand)]
    verb: Option<Verb>,

    #[command(flatten)]
    tour: tour::TourArgs,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Insert(Box<insert::InsertArgs>),
    Sweep(Box<sweep::SweepArgs>),
    Rtt(Box<rtt::RttArgs>),
    Load(Box<load::LoadArgs>),
    Query(Box<query::QueryArgs>),
    Pool(Box<pool::PoolArgs>),
    Pressure(Box<pressure::PressureArgs>),
    Report(report::ReportArgs),
    /// Compare two runs: the second against the first
    Compare {
        /// Results before
        before: PathBuf,
        /// Results after
        after: PathBuf,
        /// Exit code 4 if a case is surely slower by more than this
        #[arg(long, value_name = "PERCENT", value_parser = percent)]
        fail_if_slower: Option<f64>,
        /// Compare runs of different servers or machines as well
        #[arg(long)]
        anyway: bool,
        /// Print help
        #[arg(long, action = clap::ArgAction::Help)]
        help: Option<bool>,
    },
}

/// Runs the command.
pub(crate) fn run(args: &BenchArgs, output: &Output) -> Result<u8> {
    let Some(verb) = &args.verb else { return tour::run(&args.tour, output) };
    match verb {
        Verb::Insert(args) => insert::run(args, output),
        Verb::Sweep(args) => sweep::run(args, output),
        Verb::Rtt(args) => rtt::run(args, output),
        Verb::Load(args) => load::run(args, output),
        Verb::Query(args) => query::run(args, output),
        Verb::Pool(args) => pool::run(args, output),
        Verb::Pressure(args) => pressure::run(args, output),
        Verb::Report(args) => report::run(args, output),
        Verb::Compare { before, after, fail_if_slower, anyway, help: _ } => {
            let (before, after) = (read(before)?, read(after)?);
            if !anyway {
                compare::same_place(&before, &after)?;
            }
            let changes = compare::changes(&before, &after)?;
            output.result(compare::render(&changes, output.width()).trim_end());
            let differences = compare::differences(&before, &after);
            differences.iter().for_each(|line| output.notice(&format!("not the same: {line}")));
            let is_slower = |change: &Change| fail_if_slower.is_some_and(|most| change.is_slower_than(most));
            Ok(if changes.iter().any(is_slower) { exit::REJECTED } else { exit::OK })
        }
    }
}

/// The text report of results: their origin, the table, and conclusions.
fn text_report(results: &Results, width: usize) -> String {
    [
        facts::shown(&results.run, width),
        shown(results, Style::Text, width),
        conclusions(results).join("\n"),
        profile::shown(results),
    ]
    .join("\n")
}

/// What follows from the numbers, a sentence a line, and what failed. From the numbers of a busy machine nothing does.
fn conclusions(results: &Results) -> Vec<String> {
    let (verdicts, failures) = match results.run.experiment.as_str() {
        "insert" => (advice::of(results), Vec::new()),
        "load" => (inrush_bench::load::sentences(results), Vec::new()),
        "rtt" => (inrush_bench::rtt::sentences(results), Vec::new()),
        "sweep" => (knee::sentences(results), Vec::new()),
        "query" => (inrush_bench::query::verdicts(results), inrush_bench::query::failures(results)),
        "pool" => (inrush_bench::pool::verdicts(results), inrush_bench::query::failures(results)),
        "pressure" => (inrush_bench::pressure::verdicts(results), inrush_bench::pressure::failures(results)),
        _ => Default::default(),
    };
    [busy::or_withheld(results, verdicts), failures].concat()
}

/// The table, as text of at most `width` columns; for eyes with a map of two axes below it, and with what was left out.
fn shown(results: &Results, style: Style, width: usize) -> String {
    let mut text = if style == Style::Text { table::fitted(results, width) } else { table::render(results, style) };
    if style == Style::Csv {
        return text;
    }
    let map = if style == Style::Text { heat_map::render(results, width) } else { String::new() };
    let left_out = results.run.left_out.iter().map(|one| one.sentence() + "\n").collect();
    for part in [map, left_out] {
        text += if part.is_empty() { "" } else { "\n" };
        text += &part;
    }
    // Tables and maps fit; sentences break between words.
    if style == Style::Text { wrapped(&text, width, 2) } else { text }
}

fn read(path: &Path) -> Result<Results> {
    let name = path.display().to_string();
    let file = File::open(path).map_err(|e| as_usage(Error::io(format!("cannot read `{name}`"), e)))?;
    Results::read(&name, BufReader::new(file))
}

fn note_if_partial(results: &Results, output: &Output) {
    match &results.end {
        None => output.notice("the run was killed: this is what it had measured"),
        Some(end) if !end.complete => {
            output.notice(&format!(
                "the run did not come to its end: {}",
                end.reason.as_deref().unwrap_or("it was interrupted")
            ));
        }
        Some(End { reason: Some(why), .. }) => output.notice(&format!("fewer rounds than usual: {why}")),
        _ => {}
    }
}

/// `10s`, `500ms`, `2min`, `1h`; seconds without a unit.
pub(crate) fn time(text: &str) -> std::result::Result<Duration, String> {
    let time = human::time_of(text).filter(|time| *time <= LONGEST);
    time.ok_or_else(|| "a time such as `10s`, `500ms` or `5min`, a day at most".into())
}

/// `10%` or `10`, as a share.
fn percent(text: &str) -> std::result::Result<f64, String> {
    let number: f64 =
        text.trim_end_matches('%').parse().map_err(|_| "a number of percent, such as `10%`".to_owned())?;
    if number.is_finite() && number >= 0.0 {
        Ok(number / 100.0)
    } else {
        Err("a number of percent, such as `10%`".into())
    }
}

const LONGEST: Duration = Duration::from_secs(86_400);
