//! `inrush tune`: the options of `inrush load` that are fastest for one table on one server, measured on a copy of it.
//!
//! ```text
//! args -> copy of the table, sample -> inrush_bench::tune::race, each candidate by the code of `inrush load` -> verdict -> one command
//! ```

mod callers;

use super::file_args::FileArgs;
use super::load::{self, LoadArgs, LoaderArgs, Watch};
use super::shell_word::quoted;
use crate::connection::{ConnectArgs, Environment, hint_at_login};
use crate::{Output, exit};
use clap::parser::ValueSource;
use clap::{Args, Command};
use inrush::table::TableName;
use inrush::{BadRows, Config, FrontEnd, Loader, Method, Report, Stop};
use inrush_bench::rows_of_table::RowsOfTable;
use inrush_bench::stats::Ratio;
use inrush_bench::tune::copy::TableCopy;
use inrush_bench::tune::race::{self, Measure, Outcome, Space};
use inrush_bench::tune::sample::{Sizing, SizingLoad, budget_that_decides};
use inrush_bench::tune::verdict::{self, Advice, Certainty, Rate};
use inrush_bench::tune::{Candidate, Options};
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
    #[arg(value_name = "TABLE", required_unless_present = "callers")]
    table: Option<String>,

    /// The files that are to be loaded; a sample is their first rows [default: rows of the table itself, without the reading of a file]
    #[arg(value_name = "FILE")]
    files: Vec<String>,

    /// How long to measure: `90s`, `5m`; no measurement begins later
    #[arg(long, value_name = "TIME", default_value = "2m", value_parser = super::bench::time)]
    budget: Duration,

    /// Rows of the sample [default: as many as the defaults load in a hundredth of the budget]
    #[arg(long, value_name = "ROWS", value_parser = clap::value_parser!(u64).range(1..))]
    rows: Option<u64>,

    /// Tune an inserter and a pool instead, for a service of so many callers that insert single rows at the same time
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=MOST_CALLERS), conflicts_with_all = ["rows", "write_job"], help_heading = CALLERS)]
    callers: Option<u64>,

    /// Bytes of a row, if no table is named
    #[arg(long, value_name = "BYTES", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=MOST_ROW_BYTES), requires = "callers", conflicts_with = "table", help_heading = CALLERS)]
    row_bytes: u64,

    /// Processors of the server, for published formulas [default: those of this machine, if the server runs on it]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=4096), requires = "callers", help_heading = CALLERS)]
    server_cores: Option<u64>,

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

const CALLERS: &str = "Callers of a service";
const STOPPING: &str = "stopping after this load; once more leaves at once, and what was made for it stays";
const MOST_CALLERS: u64 = 20_000;
const MOST_ROW_BYTES: u64 = 1 << 20;

const EXAMPLES: &str = "\
Examples:
  inrush tune shop.orders orders.csv -h db1
  inrush tune shop.orders -h db1 --budget 5m
  inrush tune --callers 256 --row-bytes 100 -h db1
  inrush tune shop.visits --callers 256 -h db1

Compared are methods, numbers of connections, sizes of a chunk, sorting and deferred indexes. \
The last line is a command to copy, with options only where they are faster than none. \
With `--callers` these are lanes and batches of an inserter and sizes of a pool, and it ends in code to copy.

The copy is in a schema of its own, `inrush_tune_..`, which is dropped at the end. \
The server's disk, its binlog and its replicas get what is measured: samples, for as long as the budget.

Exit codes: 0 there is a result, 1 wrong usage, 3 the server failed, 130 interrupted";

/// Measures, and returns the exit code. `command` is the whole one, by which the command line was parsed.
pub(crate) fn run(args: &TuneArgs, output: &Output, command: Command) -> Result<u8> {
    let given = given(command, std::env::args_os());
    match (args.callers, &args.table) {
        (Some(n), _) => {
            let given: Vec<String> = given.into_iter().map(|(name, _)| name).collect();
            callers::run(args, n as usize, &given, output)
        }
        (None, Some(table)) => tune_load(args, table, given, output),
        // The argument is required then.
        (None, None) => Err(Error::config("it takes a table, or `--callers`")),
    }
}

/// The options of a load into `table`; `given` are those of the command line.
fn tune_load(args: &TuneArgs, table: &str, given: Vec<(String, Vec<String>)>, output: &Output) -> Result<u8> {
    if args.files.iter().any(|file| file == "-") {
        return Err(Error::config("a sample is read again and again, and standard input (`-`) can be read only once"));
    }
    if let Some(file) = &args.write_job {
        check_new(file)?;
    }
    args.handed_on().options()?;
    let signals = Watch::start(output.clone())?;
    let config = args.connect.config(&Environment::of_process())?;
    let (named, table) = (table, TableName::parse(table)?.in_schema(config.database())?);
    let files = inrush_files::expand(&args.files)?;
    // From here on there is something to remove.
    signals.hold(STOPPING);
    let mut copy = TableCopy::make(&config, &table).map_err(hint_at_login)?;
    let space = Space {
        methods: Method::LOADS.to_vec(),
        lanes: vec![1, 2, 4],
        batches: [1, 4, 16].map(|mib| mib << 20).to_vec(),
        has_key: copy.has_key,
        has_indexes: copy.n_indexes > 0,
    };
    let began = Instant::now();
    let sample = match &files[..] {
        [] => match RowsOfTable::read(&config, &table, args.rows.unwrap_or(MOST_ROWS), MOST_BYTES, args.budget / 10) {
            Ok(rows) => Sample::Table(rows),
            Err(error) => return Err(copy.remove_after(error)),
        },
        _ => Sample::Files(files),
    };
    let (mut loading, mut given) = (args.handed_on(), given);
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
        end: began + args.budget,
        race_began: began,
        signals: &signals,
        output,
        n_done: 0,
        n_of_race: 0,
        spent: Duration::ZERO,
    };
    let sized = trials.choose_rows();
    let raced = sized.and_then(|()| race::run(&space, &mut trials));
    output.set_line(None);
    let (last, limit, to_decide) = (trials.last.take(), trials.rows, trials.budget_to_decide());
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
        named,
        table: &table,
        sample: &sample,
        last: &last,
        limit,
        left_out: &left_out,
        sees_triggers,
        given,
        to_decide: to_decide.filter(|_| verdict::lacks_turns(&advice)),
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
        given
            .into_iter()
            .filter_map(|(name, text)| Some((name, text.as_ref()?)))
            .fold(LoaderArgs::default(), |options, (name, text)| options.with(name, text))
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
    /// The load by the defaults that chose this size.
    sized: Option<SizingLoad>,
    /// No measurement begins after that.
    end: Instant,
    /// When the size was chosen: shares of the time are of what was left then.
    race_began: Instant,
    signals: &'a Watch,
    output: &'a Output,
    n_done: u32,
    /// Loads since the size was chosen, and the time that they took with all that belongs to them.
    n_of_race: u32,
    spent: Duration,
}

impl Trials<'_> {
    /// Chooses how many rows a sample has. The first load also warms the server up.
    fn choose_rows(&mut self) -> Result<()> {
        if let Some(rows) = self.args.rows {
            self.rows = rows.min(self.args.reading.limit.unwrap_or(rows));
            self.begin_race();
            return Ok(());
        }
        let most = self.args.reading.limit.unwrap_or(MOST_ROWS).min(MOST_ROWS);
        let mut sizing = Sizing::new(self.args.budget, FIRST_ROWS, LEAST_ROWS, most);
        while let Some(rows) = sizing.next_rows().filter(|_| sizing.chosen().is_none() || Instant::now() < self.end) {
            self.rows = rows;
            let began = Instant::now();
            let seconds = self.measure(&Candidate::DEFAULT)?.map_err(Error::config)?;
            let is_all = self.last.as_ref().is_some_and(|report| report.read < rows);
            sizing.add(SizingLoad { rows, is_all, wall: began.elapsed().as_secs_f64(), seconds });
        }
        self.sized = sizing.chosen();
        self.rows = self.sized.map_or(self.rows, |chosen| chosen.rows);
        self.begin_race();
        Ok(())
    }

    fn begin_race(&mut self) {
        (self.race_began, self.n_of_race, self.spent) = (Instant::now(), 0, Duration::ZERO);
    }

    /// The budget that has time for enough turns of samples like these; `None` if none has.
    fn budget_to_decide(&self) -> Option<Duration> {
        let mean = self.spent.checked_div(self.n_of_race).map(|mean| mean.as_secs_f64());
        budget_that_decides(self.args.budget, mean.or(self.sized.map(|sized| sized.wall)).unwrap_or_default())
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
                let loader = Loader::new(self.config.clone(), into).with_front_end(FrontEnd::Command);
                loader.with_options(options).load(vec![rows.source(self.rows)?])
            }
        }
    }
}

impl Measure<Candidate> for Trials<'_> {
    fn measure(&mut self, candidate: &Candidate) -> Result<std::result::Result<f64, String>> {
        // The time is over: the sample was measured by the defaults when its size was chosen.
        if *candidate == Candidate::DEFAULT
            && self.left() <= 0.0
            && let Some(sized) = self.sized
        {
            return Ok(Ok(sized.seconds));
        }
        self.output.detail(&format!("measuring {candidate}, {} rows", self.rows));
        if self.output.shows_progress() && self.output.is_terminal() {
            let left = human::whole_time(self.end.saturating_duration_since(Instant::now()));
            self.output.set_line(Some(&format!("{} loads measured, about {left} left; now {candidate}", self.n_done)));
        }
        let interrupted = || Err(Error::new(Kind::Interrupted, "interrupted"));
        if self.signals.is_over() {
            return interrupted();
        }
        let began = Instant::now();
        self.copy.empty()?;
        let loaded = self.load(candidate);
        if self.signals.is_over() {
            return interrupted();
        }
        (self.n_done, self.n_of_race) = (self.n_done + 1, self.n_of_race + 1);
        self.spent += began.elapsed();
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
        let left = self.end.saturating_duration_since(Instant::now()).as_secs_f64();
        left / self.end.saturating_duration_since(self.race_began).as_secs_f64().max(1e-9)
    }
}

/// The result, to be shown.
struct TuneResult<'a> {
    args: &'a TuneArgs,
    /// The table as the command line has it.
    named: &'a str,
    table: &'a TableName,
    sample: &'a Sample,
    last: &'a Report,
    /// The most rows that a sample could have.
    limit: u64,
    left_out: &'a [String],
    sees_triggers: bool,
    /// The options of this command line that `inrush load` takes too.
    given: Vec<(String, Vec<String>)>,
    /// The budget that decides, if this one had too few turns.
    to_decide: Option<Duration>,
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
        words.extend(["--into".into(), quoted(self.named)]);
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
        text += &lacks(self.left_out, self.sees_triggers);
        if self.last.rejected > 0 {
            let _ = writeln!(
                text,
                "{} of the sample cannot be stored and were skipped{}; the command below stops there (`--bad-rows` says what else it may do)",
                human::counted(self.last.rejected, "row"),
                first_reject(self.last).unwrap_or_default()
            );
        }
        text += "\nseconds a load:\n";
        text += &(arms(&self.outcome) + &refusals(&self.outcome));
        text += &not_measured(&self.outcome);
        let _ = write!(text, "\n{}\n{}", self.sentence(), self.command());
        text
    }

    fn sentence(&self) -> String {
        let Advice { rate, next, .. } = &self.advice;
        let mut text = conclusion(&self.outcome, &self.advice, self.to_decide);
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
        let mut json = options_of(&self.outcome, &self.advice, &options);
        let more = json!({
            "inrush": "tune",
            "version": 1,
            "table": self.table.quoted(),
            "server": self.last.server,
            "sample_rows": self.last.read,
            "rejected_rows": self.last.rejected,
            "left_out": self.left_out,
            "sees_triggers": self.sees_triggers,
            "rows_in_all": self.rows_in_all(),
            "budget_to_decide_seconds": self.to_decide.map(|budget| budget.as_secs()),
            "command": self.command(),
            "exit_code": exit::OK,
        });
        if let (Value::Object(json), Value::Object(more)) = (&mut json, more) {
            json.extend(more);
        }
        json
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
        format!("# By inrush tune: {}\n{lines}", short_interval(&self.advice.rate))
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
const OWN: [&str; 6] = ["budget", "rows", "write-job", "callers", "row-bytes", "server-cores"];

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

/// A rate with its interval.
fn short_interval(rate: &Rate) -> String {
    let interval = rate.interval.map(|at| format!(" ({} to {})", human::short(at.low), human::short(at.high)));
    format!("{} rows/s{}", human::short(rate.median), interval.unwrap_or_default())
}

/// What a copy lacks, as lines.
fn lacks(left_out: &[String], sees_triggers: bool) -> String {
    let mut text = String::new();
    if !left_out.is_empty() {
        let _ = writeln!(text, "the copy lacks {}: writing into the table itself takes longer", left_out.join(" and "));
    }
    if !sees_triggers {
        text +=
            "triggers cannot be seen without the right TRIGGER: if the table has some, writing into it takes longer\n";
    }
    text
}

/// The medians of all that were measured, a line each.
fn arms<C: Options>(outcome: &Outcome<C>) -> String {
    let turns = |arm: &race::Arm<C>| human::counted(arm.seconds.len() as u64, "turn");
    let mut finalists: Vec<_> = outcome.finalists.iter().collect();
    finalists.sort_by(|a, b| a.median().total_cmp(&b.median()));
    let mut text = String::new();
    for arm in finalists {
        let default = if arm.candidate == C::DEFAULT && !arm.candidate.to_string().contains("defaults") {
            ", the default"
        } else {
            ""
        };
        let _ = writeln!(text, "  {:>8.3}  {} (median of {}{default})", arm.median(), arm.candidate, turns(arm));
    }
    if !outcome.dropped.is_empty() {
        text += "dropped on the way, after fewer turns:\n";
    }
    for arm in outcome.dropped.iter().take(SHOWN) {
        let _ = writeln!(text, "  {:>8.3}  {} ({})", arm.median(), arm.candidate, turns(arm));
    }
    if let Some(more) = outcome.dropped.len().checked_sub(SHOWN).filter(|more| *more > 0) {
        let _ = writeln!(text, "  and {more} others");
    }
    text
}

/// What to take and why, with its rate, without a full stop.
fn conclusion<C: Options>(outcome: &Outcome<C>, advice: &Advice<C>, to_decide: Option<Duration>) -> String {
    let Advice { candidate, certainty, gain, rate, .. } = advice;
    let text = match certainty {
        Certainty::Faster => {
            format!("`{candidate}` is faster than the defaults, which take {} as long.", times(gain))
        }
        Certainty::DefaultsAreEnough => "The defaults are as fast as anything that was measured.".to_owned(),
        Certainty::Undecided => format!("{} With the defaults:", undecided(outcome, advice, to_decide)),
    };
    format!("{text} {}", short_interval(rate))
}

/// The outcome and the advice as JSON, with `of` for options.
fn options_of<C: Options>(outcome: &Outcome<C>, advice: &Advice<C>, of: &dyn Fn(&C) -> Value) -> Value {
    let Advice { candidate, fastest, certainty, gain, rate, next } = advice;
    let arm = |arm: &race::Arm<C>| json!({ "options": of(&arm.candidate), "seconds": arm.seconds });
    json!({
        "finalists": outcome.finalists.iter().map(arm).collect::<Vec<_>>(),
        "dropped": outcome.dropped.iter().map(arm).collect::<Vec<_>>(),
        "refused": outcome.refused.iter().map(|(one, why)| json!({ "options": of(one), "why": why })).collect::<Vec<_>>(),
        "not_measured": outcome.not_measured.iter().map(of).collect::<Vec<_>>(),
        "options": of(candidate),
        "certainty": certainty.name(),
        "fastest": of(fastest),
        "defaults_take_times": ratio(gain),
        "rows_per_second": { "median": rate.median, "low": rate.interval.map(|at| at.low), "high": rate.interval.map(|at| at.high) },
        "next": next.as_ref().map(|(one, times)| json!({ "options": of(one), "takes_times": ratio(times) })),
    })
}

/// The reasons of what was refused, each with its candidates, as lines.
fn refusals<C: Display>(outcome: &Outcome<C>) -> String {
    let mut all: Vec<(&str, String)> = Vec::new();
    for (candidate, why) in &outcome.refused {
        match all.iter_mut().find(|(known, _)| known == why) {
            Some((_, candidates)) => *candidates += &format!(", {candidate}"),
            None => all.push((why, candidate.to_string())),
        }
    }
    all.iter().map(|(why, candidates)| format!("  refused: {candidates}: {why}\n")).collect()
}

/// What was left when the time was over, as a line.
fn not_measured<C: Display>(outcome: &Outcome<C>) -> String {
    let left = &outcome.not_measured;
    let named: Vec<String> = left.iter().take(SHOWN).map(C::to_string).collect();
    let more = left.len().saturating_sub(SHOWN);
    match left.len() {
        0 => String::new(),
        _ if more == 0 => format!("not measured, for want of time: {}\n", named.join(", ")),
        _ => format!("not measured, for want of time: {} and {more} others\n", named.join(", ")),
    }
}

/// Why nothing is decided, and the budget that would decide.
fn undecided<C: Options>(outcome: &Outcome<C>, advice: &Advice<C>, to_decide: Option<Duration>) -> String {
    let turns = human::counted(outcome.finalists[0].seconds.len() as u64, "turn");
    let budget = match to_decide {
        Some(budget) => format!("`--budget {}`", short(budget)),
        None => "no `--budget` of a day or less".into(),
    };
    let (fastest, times) = (advice.fastest, times(&advice.gain));
    match (fastest == C::DEFAULT, advice.gain.interval) {
        (true, _) if outcome.finalists.len() == 1 && outcome.dropped.is_empty() => {
            format!("Undecided: nothing but the defaults was measured in this time; {budget} compares options.")
        }
        (true, _) => {
            format!(
                "Undecided: the defaults were the fastest, but there was time for {turns} only; {budget} has time for enough."
            )
        }
        (false, None) => format!(
            "Undecided: `{fastest}` may be faster than the defaults, which took {times} as long; there was time for {turns} only, and \
             {budget} has time for enough."
        ),
        (false, Some(_)) => format!(
            "Undecided: `{fastest}` may be faster than the defaults, which take {times} as long; the machine is noisy, and at a quieter \
             time the same command decides."
        ),
    }
}

/// A time as `--budget` takes it.
fn short(time: Duration) -> String {
    match time.as_secs() {
        seconds if seconds.is_multiple_of(60) => format!("{}m", seconds / 60),
        seconds => format!("{seconds}s"),
    }
}

/// The first sample.
const FIRST_ROWS: u64 = 1000;
/// The smallest sample that is chosen.
const LEAST_ROWS: u64 = 100;
/// The largest sample.
const MOST_ROWS: u64 = 5_000_000;
/// Memory for rows of the table itself.
const MOST_BYTES: usize = 256 << 20;
/// How many dropped candidates are shown.
const SHOWN: usize = 3;
