//! `inrush bench query`: how many queries clients get answered, and how long each waits.

use super::experiment::{self, Common, Experiment, RunPlan, ServerFacts, check_clients, exit_code_of_errors, listed};
use super::place::{BenchPlace, SCHEMA};
use crate::Output;
use clap::{Args, ValueEnum};
use inrush_bench::query::{self, Bench, Cell, Client, Mode, Settings};
use inrush_bench::results::{Case, Results, Sample};
use inrush_core::{Error, Result};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Measure how many queries threads and tasks get answered
#[derive(Debug, Args)]
#[command(disable_help_flag = true)]
pub(crate) struct QueryArgs {
    /// The clients: threads with a connection each, or tasks
    #[arg(long, value_enum, default_value_t = Clients::Both)]
    client: Clients,

    /// How many at the same time, one or more numbers
    #[arg(long, value_name = "N,..", value_delimiter = ',', default_value = "1,10,50", value_parser = clients)]
    clients: Vec<usize>,

    /// How many queries each client runs
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..=100_000_000))]
    queries: u64,

    /// How many queries of each client are a warm-up
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u64).range(0..=100_000_000))]
    warmup: u64,

    /// The query; it may change nothing
    #[arg(long, value_name = "TEXT", default_value = "SELECT 1")]
    sql: String,

    /// Query a join of two tables, which are created for it
    #[arg(long, conflicts_with = "sql")]
    join: bool,

    /// By a prepared statement instead of as text
    #[arg(long)]
    prepared: bool,

    /// A query that takes longer has failed
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    timeout: u64,

    /// One at a time, some in one text, or some in one flight
    #[arg(long, value_enum, default_value_t = How::Normal)]
    mode: How,

    /// How many travel together, with `--mode batch` and `--mode pipeline`
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    batch_size: u64,

    #[command(flatten)]
    common: Common,
}

/// The kind of clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Clients {
    /// Threads
    Blocking,
    /// Tasks
    Async,
    /// Both, one after the other
    Both,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum How {
    /// One, and its answer is waited for
    Normal,
    /// As one text of many statements
    Batch,
    /// In one flight
    Pipeline,
}

impl Clients {
    pub(super) fn kinds(self) -> &'static [Client] {
        match self {
            Clients::Blocking => &[Client::Blocking],
            Clients::Async => &[Client::Async],
            Clients::Both => &[Client::Blocking, Client::Async],
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Clients::Blocking => "blocking",
            Clients::Async => "async",
            Clients::Both => "both",
        }
    }
}

impl How {
    fn mode(self) -> Mode {
        match self {
            How::Normal => Mode::Normal,
            How::Batch => Mode::Batch,
            How::Pipeline => Mode::Pipeline,
        }
    }
}

/// A number of clients.
pub(super) fn clients(text: &str) -> std::result::Result<usize, String> {
    match text.trim().parse() {
        Ok(n) if (1..=MOST_CLIENTS).contains(&n) => Ok(n),
        _ => Err(format!("a number from 1 to {MOST_CLIENTS}")),
    }
}

/// More threads than any machine gains from.
const MOST_CLIENTS: usize = 10_000;

/// Runs the experiment.
pub(super) fn run(args: &QueryArgs, output: &Output) -> Result<u8> {
    experiment::perform(args, output)
}

impl QueryArgs {
    fn query(&self) -> &str {
        if self.join { query::JOIN } else { &self.sql }
    }
}

impl Experiment for QueryArgs {
    const NAME: &'static str = "query";
    type Cell = Cell;
    type Bench = Bench;

    fn common(&self) -> &Common {
        &self.common
    }

    fn options(&self) -> BTreeMap<String, String> {
        let mut options = BTreeMap::from([
            ("client".into(), self.client.name().into()),
            ("clients".into(), listed(&self.clients)),
            ("queries".into(), self.queries.to_string()),
            ("warmup".into(), self.warmup.to_string()),
            ("sql".into(), self.query().into()),
            ("prepared".into(), self.prepared.to_string()),
            ("timeout".into(), self.timeout.to_string()),
            ("mode".into(), self.mode.mode().name().into()),
        ]);
        if self.mode != How::Normal {
            options.insert("batch-size".into(), self.batch_size.to_string());
        }
        options
    }

    fn plan(&self, facts: &ServerFacts) -> Result<RunPlan<Cell>> {
        if self.mode == How::Batch && self.prepared {
            return Err(Error::config("many statements in one text cannot be prepared")
                .with_hint("`--mode pipeline --prepared` sends many executions in one flight"));
        }
        check_clients(facts, "--clients", &self.clients)?;
        let cells = query::cells(self.client.kinds(), &self.clients);
        let ddl = if self.join { query::join_ddl().to_vec() } else { Vec::new() };
        Ok(RunPlan { cells, left_out: Vec::new(), ddl })
    }

    fn case(&self, cell: &Cell) -> Case {
        cell.case(self.queries, self.clients.iter().copied().min().unwrap_or(1))
    }

    fn start(&self, place: &BenchPlace, _: &ServerFacts, _: &[Cell], stop: &Arc<AtomicBool>) -> Result<Bench> {
        let settings = Settings {
            schema: SCHEMA.into(),
            sql: self.query().into(),
            join: self.join,
            prepared: self.prepared,
            mode: self.mode.mode(),
            batch: self.batch_size,
            queries: self.queries,
            warm_up: self.warmup,
            timeout: Duration::from_secs(self.timeout),
            cap: self.common.cap(),
            seed: self.common.seed,
        };
        Bench::new(&place.config, &settings, stop)
    }

    fn run(&self, bench: &mut Bench, cell: &Cell) -> Result<Sample> {
        bench.run(cell)
    }

    fn ended_by(&self, bench: &mut Bench) -> Option<Error> {
        bench.ended_by()
    }

    fn exit_code(&self, results: &Results) -> u8 {
        exit_code_of_errors(results)
    }
}
