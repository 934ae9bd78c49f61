//! What all experiments have in common: a server is found, a file of results begun, cases run in rounds, what was measured shown, the
//! schema cleaned up. An [`Experiment`] defines its cases and how one is run.

use super::place::{BenchPlace, SCHEMA};
use super::progress::Progress;
use crate::connection::{ConnectArgs, as_usage};
use crate::{Output, exit};
use clap::Args;
use inrush::Config;
use inrush::blocking::Connection;
use inrush::sans_io::profile::Profile;
use inrush_bench::insert::Allowed;
use inrush_bench::results::{Case, End, LeftOut, Program, Record, Results, Run, Sample, Server, VERSION};
use inrush_bench::runner::{self, Broken, Effort};
use inrush_bench::table;
use inrush_bench::{facts, server_file};
use inrush_core::human;
use inrush_core::{Error, Kind, Result};
use signal_hook::consts::{SIGINT, SIGTERM};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufWriter;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Options of every experiment.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "The run")]
pub(super) struct Common {
    /// A warm-up and three rounds; so it is without this
    #[arg(long, conflicts_with = "full")]
    pub(super) quick: bool,

    /// Each case once, without a warm-up: for cases that take minutes
    #[arg(long, conflicts_with_all = ["quick", "full"])]
    pub(super) once: bool,

    /// Eight rounds and more, until the medians are known within `--precision` or `--budget` is over
    #[arg(long)]
    pub(super) full: bool,

    /// With `--full`: half the 95 % interval of a median, as a share of it [default: 2%]
    #[arg(long, value_name = "PERCENT", value_parser = super::percent, requires = "full")]
    precision: Option<f64>,

    /// Once each case was run, none begins after so long, such as `90s` or `2h` [default: 10min, with `--full` 30min]
    #[arg(long, value_name = "TIME", value_parser = super::time, conflicts_with = "once")]
    budget: Option<Duration>,

    /// A case that takes longer is cut, and shown as cut
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub(super) cap: u64,

    /// Of the rows and of the order of the cases
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub(super) seed: u64,

    /// Where results are kept [default: inrush-bench-EXPERIMENT-TIME.jsonl]
    #[arg(short, long, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,

    /// Do not drop tables and schema
    #[arg(long)]
    pub(super) keep: bool,

    #[command(flatten)]
    pub(super) connect: ConnectArgs,

    /// Print help
    #[arg(long, action = clap::ArgAction::HelpLong)]
    help: Option<bool>,
}

impl Common {
    /// How long a case may take.
    pub(super) fn cap(&self) -> Duration {
        Duration::from_secs(self.cap)
    }

    fn effort_name(&self) -> &'static str {
        match (self.once, self.full) {
            (true, _) => "once",
            (_, true) => "full",
            _ => "quick",
        }
    }

    /// The given options, or the defaults.
    pub(super) fn effort(&self, default: Effort) -> Effort {
        let full = Effort {
            precision: self.precision.unwrap_or(Effort::FULL.precision),
            budget: self.budget.unwrap_or(Effort::FULL.budget),
            ..Effort::FULL
        };
        match (self.once, self.quick, self.full) {
            (true, ..) => Effort::ONCE,
            (.., true) => full,
            (_, true, _) => Effort { budget: self.budget.unwrap_or(Effort::QUICK.budget), ..Effort::QUICK },
            _ => Effort { budget: self.budget.unwrap_or(default.budget), ..default },
        }
    }
}

/// The facts about a server that are known before anything is measured.
pub(super) struct ServerFacts {
    /// How it is reached.
    pub(super) config: Config,
    pub(super) profile: Profile,
    pub(super) server: Server,
    /// Where it reads files that we write; or why it does not.
    pub(super) files: std::result::Result<PathBuf, String>,
}

impl ServerFacts {
    fn of(connection: &mut Connection, config: &Config) -> Result<Self> {
        let transport = if config.uses_socket() { "socket" } else { "tcp" };
        Ok(Self {
            config: config.clone(),
            profile: *connection.session().profile(),
            server: facts::server(connection, transport)?,
            files: server_file::folder(connection),
        })
    }

    /// What it lets the ways to write do.
    pub(super) fn allowed(&self) -> Allowed {
        let local_infile = self.server.settings.get("local_infile").is_some_and(|value| value == "ON" || value == "1");
        Allowed { profile: self.profile, local_infile, no_files: self.files.clone().err() }
    }
}

/// The plan of a measurement.
pub(super) struct RunPlan<C> {
    pub(super) cells: Vec<C>,
    pub(super) left_out: Vec<LeftOut>,
    /// The tables.
    pub(super) ddl: Vec<String>,
}

/// One of the lab's experiments.
pub(super) trait Experiment {
    /// As on the command line.
    const NAME: &'static str;
    /// Whether it has a view of its own of a case that runs.
    const SHOWS_ITSELF: bool = false;
    /// The parameters of a case.
    type Cell;
    /// What runs cases: connections, tables.
    type Bench;

    fn common(&self) -> &Common;

    /// The options besides [`Common`].
    fn options(&self) -> BTreeMap<String, String>;

    fn plan(&self, facts: &ServerFacts) -> Result<RunPlan<Self::Cell>>;

    fn case(&self, cell: &Self::Cell) -> Case;

    /// Prepares all cells. `stop` is set when the user interrupts: long operations check it.
    fn start(
        &self,
        place: &BenchPlace,
        facts: &ServerFacts,
        cells: &[Self::Cell],
        stop: &Arc<AtomicBool>,
    ) -> Result<Self::Bench>;

    /// Runs a cell once. The caller adds case and round to errors.
    fn run(&self, bench: &mut Self::Bench, cell: &Self::Cell) -> Result<Sample>;

    /// Why the last case ended early although it measured something; no further case is run then.
    fn ended_by(&self, _bench: &mut Self::Bench) -> Option<Error> {
        None
    }

    /// The exit code after all cases were run.
    fn exit_code(&self, _results: &Results) -> u8 {
        exit::OK
    }

    /// The memory of the server that is started for the experiment; `None` if it runs on any server, named or not.
    fn server_memory(&self) -> Option<u64> {
        None
    }

    /// Settings of the server that differ between cases, with all their values.
    fn varied_settings(&self) -> Option<(&'static str, String)> {
        None
    }

    /// How often each cell is run.
    fn effort(&self) -> Effort {
        self.common().effort(Effort::QUICK)
    }
}

/// The server lets so many clients in.
pub(super) fn check_clients(facts: &ServerFacts, option: &str, clients: &[usize]) -> Result<()> {
    let most = facts.server.settings.get("max_connections").and_then(|value| value.parse::<usize>().ok());
    match (clients.iter().max(), most) {
        // One is ours.
        (Some(clients), Some(most)) if *clients >= most => Err(Error::config(format!(
            "`{option}` asks for {clients} connections, and the server has `max_connections={most}`"
        ))
        .with_hint("fewer of them, or `SET GLOBAL max_connections = ..`")),
        _ => Ok(()),
    }
}

/// The exit code of an experiment that counts errors and continues.
pub(super) fn exit_code_of_errors(results: &Results) -> u8 {
    let has_errors = results.samples.iter().any(|sample| !sample.errors.is_empty());
    if has_errors { exit::REJECTED } else { exit::OK }
}

/// Numbers with commas between them, as they are given.
pub(super) fn listed<T: ToString>(numbers: &[T]) -> String {
    numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
}

/// Runs an experiment on the server that was named, or on one that is started for it.
pub(super) fn perform(experiment: &impl Experiment, output: &Output) -> Result<u8> {
    let common = experiment.common();
    at_a_place(&common.connect, experiment.server_memory(), common.keep, output, |place, stop| {
        let results = measure(experiment, place, stop, output, Duration::MAX, &|results| match output.is_json() {
            true => output.result(&table::json(results)),
            false => show(results, output),
        })?;
        Ok(experiment.exit_code(&results))
    })
}

/// Runs `work` on the named server, or on a temporary one, and cleans up. With `memory` it is a temporary one of that size.
pub(super) fn at_a_place(
    connect: &ConnectArgs,
    memory: Option<u64>,
    keep: bool,
    output: &Output,
    work: impl FnOnce(&BenchPlace, &Arc<AtomicBool>) -> Result<u8>,
) -> Result<u8> {
    let stop = on_signals(false)?;
    let place = BenchPlace::find(connect, memory, output)?;
    if !place.is_local() {
        // A server of our own has to be stopped in order; it is near, and answers.
        on_signals(true)?;
    }
    let done = work(&place, &stop);
    if !keep || place.is_local() {
        place.clean_up().or_else(|error| {
            // What went wrong first matters more.
            output.notice(&format!("the schema `{SCHEMA}` could not be cleaned up: {error}"));
            if done.is_ok() { Err(error) } else { Ok(()) }
        })?;
    }
    done
}

/// Measures and writes the results to a file. Once each case was run, no case begins after `budget`. Calls `show` with the results so
/// far, also after an error.
pub(super) fn measure<E: Experiment>(
    experiment: &E,
    place: &BenchPlace,
    stop: &Arc<AtomicBool>,
    output: &Output,
    budget: Duration,
    show: &dyn Fn(&Results),
) -> Result<Results> {
    let mut connection = Connection::connect(&place.config)?;
    let facts = ServerFacts::of(&mut connection, &place.config)?;
    drop(connection);
    let plan = experiment.plan(&facts)?;
    let run = describe(experiment, &facts.server, plan.left_out, plan.ddl);

    let common = experiment.common();
    let named = || PathBuf::from(format!("inrush-bench-{}-{}.jsonl", E::NAME, stamp(&run.at)));
    let path = common.output.clone().unwrap_or_else(named);
    let shown = path.display().to_string();
    let file = File::create_new(&path).map_err(|e| {
        as_usage(Error::io(format!("cannot write `{shown}`"), e))
            .with_hint("`--output FILE` names another file; existing files are not overwritten")
    })?;
    let mut file = BufWriter::new(file);
    Record::Run(Box::new(run)).write(&mut file)?;
    let started = Instant::now();
    let measured = rounds(experiment, place, &facts, &plan.cells, (stop, budget), &mut file, output);
    drop(file);

    let results = super::read(&path)?;
    show(&results);
    output.notice(&format!("results: {shown} ({})", human::time(started.elapsed())));
    super::note_if_partial(&results, output);
    measured.map(|()| results)
}

fn rounds<E: Experiment>(
    experiment: &E,
    place: &BenchPlace,
    facts: &ServerFacts,
    cells: &[E::Cell],
    (stop, budget): (&Arc<AtomicBool>, Duration),
    file: &mut BufWriter<File>,
    output: &Output,
) -> Result<()> {
    let started = Instant::now();
    let mut progress = (!E::SHOWS_ITSELF).then(|| Progress::start(E::NAME, cells.len(), experiment.effort(), output));
    let mut bench = match experiment.start(place, facts, cells, stop) {
        Ok(bench) => bench,
        Err(error) => {
            Record::End(End { complete: false, reason: Some(error.to_string()) }).write(file)?;
            return Err(error);
        }
    };
    let cases: Vec<Case> = cells.iter().map(|cell| experiment.case(cell)).collect();
    let run_one = |at: usize, round: u32| {
        if stop.load(Relaxed) {
            return Err(Error::new(Kind::Interrupted, "interrupted").into());
        }
        if let Some(progress) = &mut progress {
            progress.begin(&cases[at].id, round);
        }
        let sample = experiment.run(&mut bench, &cells[at])?;
        output.detail(&format!("round {round}: {}: {:.1} ms", cases[at].id, sample.seconds * 1e3));
        let sample = Sample { case: cases[at].id.clone(), round, ..sample };
        match experiment.ended_by(&mut bench) {
            Some(error) => Err(Broken { error, sample: Some(Box::new(sample)) }),
            None => Ok(sample),
        }
    };
    let seed = experiment.common().seed;
    let effort = experiment.effort();
    let effort = Effort { budget: effort.budget.min(budget), ..effort };
    runner::run(&cases, effort, seed, run_one, || started.elapsed(), |record| record.write(file))
}

fn describe<E: Experiment>(experiment: &E, server: &Server, left_out: Vec<LeftOut>, ddl: Vec<String>) -> Run {
    let common = experiment.common();
    let mut options = experiment.options();
    let effort = experiment.effort();
    options.insert("effort".into(), common.effort_name().into());
    if common.full {
        options.insert("precision".into(), effort.precision.to_string());
    }
    if common.full || common.budget.is_some() {
        options.insert("budget".into(), effort.budget.as_secs_f64().to_string());
    }
    options.insert("cap".into(), common.cap.to_string());
    let mut server = server.clone();
    server.settings.extend(experiment.varied_settings().map(|(name, values)| (name.to_owned(), values)));
    Run {
        version: VERSION,
        experiment: E::NAME.into(),
        at: now(),
        seed: common.seed,
        inrush: Program {
            version: env!("CARGO_PKG_VERSION").into(),
            commit: option_env!("INRUSH_COMMIT").map(Into::into),
        },
        machine: facts::machine(),
        server,
        ddl,
        options,
        left_out,
    }
}

/// The settings, the table and what follows.
pub(super) fn show(results: &Results, output: &Output) {
    if !results.cases.is_empty() {
        output.result(super::text_report(results, output.width()).trim_end());
    }
}

/// Now, as names of files have it.
pub(super) fn stamp_of_now() -> String {
    stamp(&now())
}

/// Now, in UTC.
fn now() -> String {
    jiff::Timestamp::now().strftime("%FT%TZ").to_string()
}

/// `20260102-030405`.
fn stamp(at: &str) -> String {
    at.chars().filter(|c| c.is_ascii_digit() || *c == 'T').collect::<String>().replace('T', "-")
}

/// Set by the first Ctrl-C or SIGTERM from now on; optionally the second ends the program at once.
fn on_signals(second_ends: bool) -> Result<Arc<AtomicBool>> {
    let seen = Arc::new(AtomicBool::new(false));
    let listen = |signal| {
        if second_ends {
            // It is registered first, so it sees the effect of earlier signals.
            signal_hook::flag::register_conditional_shutdown(signal, i32::from(exit::INTERRUPTED), seen.clone())?;
        }
        signal_hook::flag::register(signal, seen.clone())
    };
    for signal in [SIGINT, SIGTERM] {
        listen(signal).map_err(|e| Error::io("cannot listen for signals", e))?;
    }
    Ok(seen)
}
