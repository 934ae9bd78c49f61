//! `inrush tune`: the options of `inrush load` that are fastest for one table on one server, measured on a copy of it.
//!
//! ```text
//! args -> copy of the table, sample -> inrush_bench::tune::race, each candidate by the code of `inrush load` -> verdict -> one command
//! ```

use super::file_args::FileArgs;
use super::load::{self, LoadArgs, LoaderArgs, Watch};
use crate::connection::{ConnectArgs, Environment, hint_at_login};
use crate::{Output, exit};
use clap::parser::ValueSource;
use clap::{Args, Command};
use inrush::table::TableName;
use inrush::{BadRows, Config, Loader, Method, Report, Stop};
use inrush_bench::stats::Ratio;
use inrush_bench::tune::{Candidate, Options};
use inrush_bench::tune::copy::TableCopy;
use inrush_bench::tune::race::{self, Measure, Outcome, Space};
use inrush_bench::tune::rows_of_table::RowsOfTable;
use inrush_bench::tune::verdict::{self, Advice, Certainty, Rate};
use inrush_core::{Error, Kind, Result, human};
use serde_json::{Value, json};
use std::ffi::OsString;
use std::fmt::{Display, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Find the fastest options of `inrush load` for a table: loads a sample into a copy of it, again and again.
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES, disable_help_flag = true)]
pub(crate) struct TuneArgs {
    /// The table: `table` or `database.table`. Nothing is written to it
    #[arg(value_name = "TABLE")]
    table: String,

    /// The files that are to be loaded; a sample is their first rows [default: rows of the table itself, without the reading of a file]
    #[arg(value_name = "FILE")]
    files: Vec<String>,

    /// How long to measure: `90s`, `5m`; no measurement begins later
    #[arg(long, value_name = "TIME", default_value = "2m", value_parser = super::bench::time)]
    budget: Duration,

    /// Rows of the sample [default: as many as the defaults load in a sixtieth of the budget]
    #[arg(long, value_name = "ROWS", value_parser = clap::value_parser!(u64).range(1..))]
    rows: Option<u64>,

    /// Write the result as a job file, for `inrush load --job FILE`
    #[arg(long, value_name = "FILE", requires = "files")]
    write_job: Option<PathBuf>,

    /// As for `inrush load`: `at-least-once` for tables that cannot roll back
    #[arg(long, value_name = "exactly-once|at-least-once")]
    guarantee: Option<String>,

    /// As for `inrush load`: `unique`, `foreign-keys`, `zero-dates`
    #[arg(long, value_name = "WHAT,..")]
    unchecked: Option<String>,

    /// The column of each field, in order; `@name` skips a field
    #[arg(long, value_name = "a,b,@skip", help_heading = "Files")]
    columns: Option<String>,

    #[command(flatten)]
    reading: FileArgs,

    #[command(flatten)]
    connect: ConnectArgs,

    /// Print help (`-h` is the host, as in the mysql client)
    #[arg(long, action = clap::ArgAction::Help, help_heading = "Everywhere")]
    help: Option<bool>,
}

const EXAMPLES: &str = "\
Examples:
  inrush tune shop.orders orders.csv -h db1
  inrush tune shop.orders -h db1 --budget 5m

Compared are methods, numbers of connections, sizes of a chunk, sorting and deferred indexes. \
The last line is a command to copy, with options only where they are faster than none.

The copy is in a schema of its own, `inrush_tune_..`, which is dropped at the end. \
The server's disk, its binlog and its replicas get what is measured: samples, for as long as the budget.

Exit codes: 0 there is a result, 1 wrong usage, 3 the server failed, 130 interrupted";

/// Measures, and returns the exit code. `command` is the whole one, by which the command line was parsed.
pub(crate) fn run(args: &TuneArgs, output: &Output, command: Command) -> Result<u8> {
    if args.files.iter().any(|file| file == "-") {
        return Err(Error::config("a sample is read again and again, and standard input (`-`) can be read only once"));
    }
    if let Some(file) = &args.write_job {
        check_new(file)?;
    }
    args.handed_on().options()?;
    let signals = Watch::start(output.clone())?;
    let config = args.connect.config(&Environment::of_process())?;
    let table = TableName::parse(&args.table)?.in_schema(config.database())?;
    let files = inrush_files::expand(&args.files)?;
    // From here on there is something to remove.
    signals.hold();
    let mut copy = TableCopy::make(&config, &table).map_err(hint_at_login)?;
    let space = Space {
        methods: Method::LOADS.to_vec(),
        lanes: vec![1, 2, 4],
        batches: [1, 4, 16].map(|mib| mib << 20).to_vec(),
        has_key: copy.has_key,
        has_indexes: copy.n_indexes > 0,
    };
    let sample = match &files[..] {
        [] => match RowsOfTable::read(&config, &table, args.rows.unwrap_or(MOST_ROWS), MOST_BYTES) {
            Ok(rows) => Sample::Table(rows),
            Err(error) => return Err(copy.remove_after(error)),
        },
        _ => Sample::Files(files),
    };
    let mut loading = args.handed_on();
    let mut given = given(command, std::env::args_os());
    if matches!(&sample, Sample::Table(rows) if rows.has_invalid_dates) && !loading.has("unchecked") {
        loading = loading.with("unchecked", "zero-dates");
        given.push(("unchecked".into(), vec!["zero-dates".into()]));
    }
    let mut trials = Trials {
        args,
        loading: &loading,
        config: &config,
        copy: &mut copy,
        sample: &sample,
        rows: FIRST_ROWS,
        last: None,
        sized: None,
        began: Instant::now(),
        signals: &signals,
        output,
        n_done: 0,
    };
    let sized = trials.choose_rows();
    let raced = sized.and_then(|()| race::run(&space, &mut trials));
    output.set_line(None);
    let (last, limit) = (trials.last.take(), trials.rows);
    let (left_out, sees_triggers) = (copy.left_out.clone(), copy.sees_triggers);
    let (outcome, removed) = match raced {
        Ok(outcome) => (outcome, copy.remove()),
        Err(error) if error.kind() == Kind::Interrupted => {
            output.error("interrupted: there is no result");
            return copy.remove().map(|()| exit::INTERRUPTED);
        }
        Err(error) => return Err(copy.remove_after(error)),
    };
    let last = last.ok_or_else(|| Error::config("nothing was measured"))?;
    let advice = verdict::of(&outcome, last.read).ok_or_else(|| Error::config("nothing was measured to its end"))?;
    let found = TuneResult {
        args,
        table: &table,
        sample: &sample,
        last: &last,
        limit,
        left_out: &left_out,
        sees_triggers,
        given,
        outcome,
        advice,
    };
    output.result(&match output.is_json() {
        true => found.as_json().to_string(),
        false => found.as_text(),
    });
    if let Some(file) = &args.write_job {
        std::fs::write(file, found.job_file(file))
            .map_err(|error| Error::io(format!("cannot write `{}`", file.display()), error))?;
    }
    removed.map(|()| exit::OK)
}

impl TuneArgs {
    /// The options that every load of a sample has.
    fn handed_on(&self) -> LoaderArgs {
        let given = [("guarantee", &self.guarantee), ("unchecked", &self.unchecked)];
        given.into_iter().filter_map(|(name, text)| Some((name, text.as_ref()?))).fold(
            LoaderArgs::default(),
            |options, (name, text)| options.with(name, text),
        )
    }
}

/// Refuses a file that is there, or that cannot be written, before anything is measured.
fn check_new(file: &Path) -> Result<()> {
    let wrong =
        |error: std::io::Error| Error::config(format!("cannot write the job file `{}`: {error}", file.display()));
    std::fs::File::create_new(file).map_err(wrong)?;
    std::fs::remove_file(file).map_err(wrong)
}

/// Where the sample's rows come from.
enum Sample {
    Files(Vec<String>),
    Table(RowsOfTable),
}

/// Loads the sample.
struct Trials<'a> {
    args: &'a TuneArgs,
    /// The options that every load of a sample has.
    loading: &'a LoaderArgs,
    config: &'a Config,
    copy: &'a mut TableCopy,
    sample: &'a Sample,
    /// Rows of a sample.
    rows: u64,
    /// The report of the last load that ended well.
    last: Option<Report>,
    /// Seconds that the defaults took for a sample of this size.
    sized: Option<f64>,
    began: Instant,
    signals: &'a Watch,
    output: &'a Output,
    n_done: u32,
}

impl Trials<'_> {
    /// Chooses how many rows a sample has: so many that the defaults take a sixtieth of the budget, or all there are.
    fn choose_rows(&mut self) -> Result<()> {
        let most = self.args.reading.limit.unwrap_or(MOST_ROWS).min(MOST_ROWS);
        if let Some(rows) = self.args.rows {
            self.rows = rows.min(self.args.reading.limit.unwrap_or(rows));
            return Ok(());
        }
        self.rows = self.rows.min(most);
        let goal = (self.args.budget.as_secs_f64() / 60.0).clamp(0.2, 10.0);
        // The first one also warms the server up. The rate rises with the rows, so three steps.
        for _ in 0..3 {
            let seconds = self.measure(&Candidate::DEFAULT)?.map_err(Error::config)?;
            self.sized = Some(seconds);
            let read = self.last.as_ref().map_or(0, |report| report.read);
            if seconds >= goal / 1.5 || read < self.rows || self.rows == most || self.left() <= 0.0 {
                break;
            }
            self.sized = None;
            let times = (goal / seconds.max(0.001)).min(20.0);
            self.rows = ((self.rows as f64 * times) as u64).clamp(1, most);
        }
        Ok(())
    }

    fn load(&mut self, candidate: &Candidate) -> Result<Report> {
        let into = self.copy.name.quoted();
        match self.sample {
            Sample::Files(files) => {
                let mut reading = self.args.reading.clone();
                reading.limit = Some(self.rows);
                let reading = (self.args.columns.clone(), reading);
                let args = LoadArgs::for_trial(files.clone(), into, reading, self.loading, candidate);
                load::load(&args, self.config, self.signals, &Output::new(true, true, false, false).without_notices())
            }
            Sample::Table(rows) => {
                let options = candidate.apply(self.loading.options()?.with_bad_rows(BadRows::Skip));
                Loader::new(self.config.clone(), into).with_options(options).load(vec![rows.source(self.rows)?])
            }
        }
    }
}

impl Measure<Candidate> for Trials<'_> {
    fn measure(&mut self, candidate: &Candidate) -> Result<std::result::Result<f64, String>> {
        // The time is over: the sample was measured by the defaults when its size was chosen.
        if *candidate == Candidate::DEFAULT
            && self.left() <= 0.0
            && let Some(seconds) = self.sized
        {
            return Ok(Ok(seconds));
        }
        self.output.detail(&format!("measuring {candidate}"));
        if self.output.shows_progress() && self.output.is_terminal() {
            let left = human::whole_time(self.args.budget.saturating_sub(self.began.elapsed()));
            self.output.set_line(Some(&format!("{} loads measured, about {left} left; now {candidate}", self.n_done)));
        }
        let interrupted = || Err(Error::new(Kind::Interrupted, "interrupted"));
        if self.signals.is_over() {
            return interrupted();
        }
        self.copy.empty()?;
        let loaded = self.load(candidate);
        if self.signals.is_over() {
            return interrupted();
        }
        self.n_done += 1;
        let report = match loaded {
            Ok(report) => report,
            // The loader refused the options, or the server the method.
            Err(error)
                if *candidate != Candidate::DEFAULT && matches!(error.kind(), Kind::Config | Kind::Guarantee) =>
            {
                return Ok(Err(error.message().to_owned()));
            }
            Err(error) => return Err(error),
        };
        match exit::code_of_report(&report) {
            exit::OK | exit::REJECTED => {}
            exit::INTERRUPTED => return interrupted(),
            _ => {
                let why = report.stop.as_ref().map_or_else(String::new, why);
                return match *candidate == Candidate::DEFAULT {
                    true => Err(Error::config(format!("the sample cannot be loaded: {why}"))),
                    false => Ok(Err(why)),
                };
            }
        }
        if report.read == 0 {
            return Err(Error::config("the files have no rows to sample"));
        }
        if report.stored == 0 {
            let why = first_reject(&report).unwrap_or_default();
            return Err(Error::config(format!("no row of the sample can be stored{why}")));
        }
        let seconds = report.elapsed.as_secs_f64();
        self.last = Some(report);
        Ok(Ok(seconds))
    }

    fn left(&self) -> f64 {
        1.0 - self.began.elapsed().as_secs_f64() / self.args.budget.as_secs_f64()
    }
}

/// The result, to be shown.
struct TuneResult<'a> {
    args: &'a TuneArgs,
    table: &'a TableName,
    sample: &'a Sample,
    last: &'a Report,
    /// The most rows that a sample could have.
    limit: u64,
    left_out: &'a [String],
    sees_triggers: bool,
    /// The options of this command line that `inrush load` takes too.
    given: Vec<(String, Vec<String>)>,
    outcome: Outcome<Candidate>,
    advice: Advice<Candidate>,
}

impl TuneResult<'_> {
    /// How many rows the files have, about: by their size, where that says it.
    fn rows_in_all(&self) -> Option<u64> {
        let Sample::Files(files) = self.sample else { return None };
        let limit = self.args.reading.limit;
        if self.last.read < self.limit || limit.is_some_and(|limit| limit <= self.last.read) {
            return Some(self.last.read);
        }
        let is_plain =
            |file: &str| ["csv", "tsv", "txt", "jsonl", "ndjson"].iter().any(|end| file.ends_with(&format!(".{end}")));
        if self.last.bytes == 0 || !files.iter().all(|file| is_plain(file)) {
            return None;
        }
        let sizes = files.iter().map(|file| Some(std::fs::metadata(file).ok()?.len()));
        let bytes: u64 = sizes.sum::<Option<u64>>()?;
        let rows = (bytes as f64 / self.last.bytes as f64 * self.last.read as f64) as u64;
        Some(limit.map_or(rows, |limit| limit.min(rows)))
    }

    /// The command to copy, with the options that this one was given.
    fn command(&self) -> String {
        let mut words = vec!["inrush".to_owned(), "load".to_owned()];
        match self.sample {
            Sample::Files(_) => words.extend(self.args.files.iter().map(|file| quoted(file))),
            Sample::Table(_) => words.push("FILE".into()),
        }
        words.extend(["--into".into(), quoted(&self.args.table)]);
        for (name, values) in &self.given {
            if values.is_empty() {
                words.push(format!("--{name}"));
            }
            // With a `=`, so that a value may begin with a dash.
            words.extend(values.iter().map(|value| match value.starts_with('-') {
                true => quoted(&format!("--{name}={value}")),
                false => format!("--{name} {}", quoted(value)),
            }));
        }
        let found = self.advice.candidate.options().into_iter();
        words.extend(found.flat_map(|(name, value)| std::iter::once(format!("--{name}")).chain(value)));
        words.join(" ")
    }

    fn as_text(&self) -> String {
        let mut text = String::new();
        let of = match self.sample {
            Sample::Files(files) => files.join(", "),
            Sample::Table(_) => "the table itself; reading a file is not measured".into(),
        };
        let _ = writeln!(
            text,
            "a copy of {} on {}, {} of {of}",
            self.table.quoted(),
            self.last.server,
            human::counted(self.last.read, "row")
        );
        if !self.left_out.is_empty() {
            let _ = writeln!(
                text,
                "the copy lacks {}: a load into the table itself takes longer",
                self.left_out.join(" and ")
            );
        }
        if !self.sees_triggers {
            text += "triggers cannot be seen without the right TRIGGER: if the table has some, a load into it takes longer\n";
        }
        if self.last.rejected > 0 {
            let _ = writeln!(
                text,
                "{} of the sample cannot be stored and were skipped{}; the command below stops there (`--bad-rows` says what else it may do)",
                human::counted(self.last.rejected, "row"),
                first_reject(self.last).unwrap_or_default()
            );
        }
        let turns = human::counted(self.outcome.finalists[0].seconds.len() as u64, "turn");
        let _ = writeln!(text, "\nseconds a load, median of {turns}:");
        let mut finalists: Vec<_> = self.outcome.finalists.iter().collect();
        finalists.sort_by(|a, b| a.median().total_cmp(&b.median()));
        for arm in finalists {
            let _ = writeln!(text, "  {:>8.3}  {}", arm.median(), arm.candidate);
        }
        if !self.outcome.dropped.is_empty() {
            let _ = writeln!(text, "dropped on the way, after fewer turns:");
        }
        for arm in self.outcome.dropped.iter().take(SHOWN) {
            let _ = writeln!(
                text,
                "  {:>8.3}  {} ({})",
                arm.median(),
                arm.candidate,
                human::counted(arm.seconds.len() as u64, "turn")
            );
        }
        if let Some(more) = self.outcome.dropped.len().checked_sub(SHOWN).filter(|more| *more > 0) {
            let _ = writeln!(text, "  and {more} others");
        }
        for (why, candidates) in refusals(&self.outcome) {
            let _ = writeln!(text, "  refused: {candidates}: {why}");
        }
        text += &not_measured(&self.outcome);
        let _ = write!(text, "\n{}\n{}", self.sentence(), self.command());
        text
    }

    fn sentence(&self) -> String {
        let Advice { candidate, certainty, gain, rate, next, .. } = &self.advice;
        let mut text = match certainty {
            Certainty::Faster => {
                format!("`{candidate}` is faster than the defaults, which take {} as long.", times(gain))
            }
            Certainty::DefaultsAreEnough => "The defaults are as fast as anything that was measured.".to_owned(),
            Certainty::Undecided => format!("{} With the defaults:", undecided(&self.outcome, &self.advice)),
        };
        let _ = write!(text, " {}", per_second(rate));
        if let Some(rows) = self.rows_in_all() {
            let seconds = Duration::from_secs_f64(rows as f64 / rate.median);
            let _ =
                write!(text, "; about {} for all of about {}", human::whole_time(seconds), human::counted(rows, "row"));
        }
        text.push('.');
        if let Some((next, ratio)) = next {
            let _ = write!(text, " Next is `{next}`: {} as long.", times(ratio));
        }
        text
    }

    fn as_json(&self) -> Value {
        let Advice { candidate, certainty, gain, rate, next, .. } = &self.advice;
        let arm = |arm: &race::Arm| json!({ "options": options(&arm.candidate), "seconds": arm.seconds });
        json!({
            "inrush": "tune",
            "version": 1,
            "table": self.table.quoted(),
            "server": self.last.server,
            "sample_rows": self.last.read,
            "rejected_rows": self.last.rejected,
            "left_out": self.left_out,
            "sees_triggers": self.sees_triggers,
            "finalists": self.outcome.finalists.iter().map(arm).collect::<Vec<_>>(),
            "dropped": self.outcome.dropped.iter().map(arm).collect::<Vec<_>>(),
            "refused": self.outcome.refused.iter().map(|(one, why)| json!({ "options": options(one), "why": why })).collect::<Vec<_>>(),
            "not_measured": self.outcome.not_measured.iter().map(options).collect::<Vec<_>>(),
            "options": options(candidate),
            "certainty": certainty.name(),
            "fastest": options(&self.advice.fastest),
            "defaults_take_times": ratio(gain),
            "rows_per_second": { "median": rate.median, "low": rate.interval.map(|at| at.low), "high": rate.interval.map(|at| at.high) },
            "rows_in_all": self.rows_in_all(),
            "next": next.as_ref().map(|(one, times)| json!({ "options": options(one), "takes_times": ratio(times) })),
            "command": self.command(),
            "exit_code": exit::OK,
        })
    }

    /// Keys and values of a job file in this folder.
    fn job_file(&self, file: &Path) -> String {
        let folder = file.parent().unwrap_or(Path::new(""));
        let place = |name: &String| {
            let absolute = std::path::absolute(name).unwrap_or_else(|_| name.into());
            let folder = std::path::absolute(folder).unwrap_or_default();
            absolute.strip_prefix(&folder).unwrap_or(&absolute).display().to_string()
        };
        // Texts, numbers, switches and lists are written alike in JSON and in TOML.
        let mut lines = vec![
            ("files", json!(self.args.files.iter().map(place).collect::<Vec<_>>())),
            ("into", json!(self.table.quoted())),
        ];
        let found = self.advice.candidate.options().into_iter();
        lines.extend(found.map(|(name, value)| (name, option(name, value))));
        lines.extend(self.given.iter().map(|(name, values)| match &values[..] {
            [] => (name.as_str(), json!(true)),
            [value] => (name.as_str(), json!(value)),
            values => (name.as_str(), json!(values)),
        }));
        let lines: String = lines.iter().map(|(name, value)| format!("{name} = {value}\n")).collect();
        format!("# By inrush tune: {}\n{lines}", per_second(&self.advice.rate))
    }
}

/// The first row that cannot be stored, and why.
fn first_reject(report: &Report) -> Option<String> {
    report.first_rejects.first().map(|reject| format!(" (the first: {}, {})", reject.place, reject.reason))
}

/// Why a load stopped.
fn why(stop: &Stop) -> String {
    match stop {
        Stop::BadData(error) | Stop::Failed(error) | Stop::Unreadable(error) => error.to_string(),
        Stop::Interrupted => "interrupted".into(),
    }
}

/// The options of a command line that `inrush load` takes too, by their long names, each with its values: all but those of this command
/// and those about how it speaks.
pub(crate) fn given(command: Command, arguments: impl Iterator<Item = OsString>) -> Vec<(String, Vec<String>)> {
    // It was parsed before.
    let Ok(matches) = command.clone().try_get_matches_from(arguments) else { return Vec::new() };
    let (Some(("tune", given)), Some(tune)) = (matches.subcommand(), command.find_subcommand("tune")) else {
        return Vec::new();
    };
    let of = |arg: &clap::Arg| {
        let name = arg.get_long().filter(|name| !OWN.contains(name))?;
        let id = arg.get_id().as_str();
        if given.value_source(id) != Some(ValueSource::CommandLine) {
            return None;
        }
        let values = match arg.get_action().takes_values() {
            true => given.get_raw(id)?.map(|value| value.to_string_lossy().into_owned()).collect(),
            false => Vec::new(),
        };
        Some((name.to_owned(), values))
    };
    tune.get_arguments().filter_map(of).collect()
}

/// Options that `inrush load` lacks.
const OWN: [&str; 3] = ["budget", "rows", "write-job"];

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,@%+".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

fn options(candidate: &Candidate) -> Value {
    candidate.options().into_iter().map(|(name, value)| (name.to_owned(), option(name, value))).collect()
}

/// The value of an option in JSON: a switch is `true`, and a number of lanes a number.
fn option(name: &str, value: Option<String>) -> Value {
    match value {
        None => json!(true),
        Some(number) if name == "lanes" => number.parse::<u64>().map_or(json!(number), Value::from),
        Some(value) => json!(value),
    }
}

fn ratio(ratio: &Ratio) -> Value {
    json!({ "median": ratio.times, "low": ratio.interval.map(|at| at.low), "high": ratio.interval.map(|at| at.high) })
}

fn times(ratio: &Ratio) -> String {
    match ratio.interval {
        Some(at) => format!("{:.2} times ({:.2} to {:.2})", ratio.times, at.low, at.high),
        None => format!("{:.2} times", ratio.times),
    }
}

fn per_second(rate: &Rate) -> String {
    let interval = rate.interval.map(|at| format!(" ({} to {})", human::short(at.low), human::short(at.high)));
    format!("{} rows/s{}", human::short(rate.median), interval.unwrap_or_default())
}

/// The reasons of what was refused, each with its candidates.
fn refusals(outcome: &Outcome<Candidate>) -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> = Vec::new();
    for (candidate, why) in &outcome.refused {
        match all.iter_mut().find(|(known, _)| known == why) {
            Some((_, candidates)) => *candidates += &format!(", {candidate}"),
            None => all.push((why.clone(), candidate.to_string())),
        }
    }
    all
}

/// What was left when the time was over, as a line.
fn not_measured<C: Display>(outcome: &Outcome<C>) -> String {
    let left = &outcome.not_measured;
    let named: Vec<String> = left.iter().take(SHOWN).map(C::to_string).collect();
    let more = left.len().saturating_sub(SHOWN);
    match left.len() {
        0 => String::new(),
        _ if more == 0 => format!("not measured, as the time was over: {}\n", named.join(", ")),
        _ => format!("not measured, as the time was over: {} and {more} others\n", named.join(", ")),
    }
}

/// Why nothing is decided.
fn undecided<C: Options>(outcome: &Outcome<C>, advice: &Advice<C>) -> String {
    let turns = human::counted(outcome.finalists[0].seconds.len() as u64, "turn");
    let (fastest, times) = (advice.fastest, times(&advice.gain));
    match (fastest == C::DEFAULT, advice.gain.interval) {
        (true, _) if outcome.finalists.len() == 1 && outcome.dropped.is_empty() => {
            "Undecided: nothing but the defaults was measured in this time; a longer `--budget` compares options.".into()
        }
        (true, _) => {
            format!("Undecided: the defaults were the fastest, but there was time for {turns} only; a longer `--budget` decides.")
        }
        (false, None) => format!(
            "Undecided: `{fastest}` may be faster than the defaults, which took {times} as long; there was time for {turns} only, and a longer \
             `--budget` decides."
        ),
        (false, Some(_)) => format!(
            "Undecided: `{fastest}` may be faster than the defaults, which take {times} as long; the machine is noisy, and a longer `--budget` \
             decides more."
        ),
    }
}

/// The first sample.
const FIRST_ROWS: u64 = 10_000;
/// The largest sample.
const MOST_ROWS: u64 = 5_000_000;
/// Memory for rows of the table itself.
const MOST_BYTES: usize = 256 << 20;
/// How many dropped candidates are shown.
const SHOWN: usize = 3;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_for_a_shell() {
        assert_eq!(quoted("a.csv"), "a.csv");
        assert_eq!(quoted("my file"), "'my file'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted(""), "''");
    }
}
