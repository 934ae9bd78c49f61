//! `inrush bench pressure`: how many rows a server takes from many clients at once, second by second.

mod view;

use super::experiment::{self, Common, Experiment, RunPlan, ServerFacts, check_clients, exit_code_of_errors, listed};
use super::place::{BenchPlace, SCHEMA};
use super::query::clients;
use crate::Output;
use clap::{Args, ValueEnum};
use inrush_bench::pressure::{self, Bench, Cell, On, Pace, Settings, Until};
use inrush_bench::results::{Case, Results, Sample};
use inrush_bench::runner::Effort;
use inrush_core::{Error, Result};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use view::View;

/// Write with many clients at once, and show the rows of each second
#[derive(Debug, Args)]
#[command(disable_help_flag = true)]
#[command(after_help = "Each case is run once; with `--quick` or `--full` in rounds. `--cap` holds for `--rows` only.")]
pub(crate) struct PressureArgs {
    /// What is concurrent, one or more [default: all]
    #[arg(long, value_enum, value_name = "WHAT,..", value_delimiter = ',', hide_default_value = true)]
    on: Vec<Concurrent>,

    /// How many clients write at the same time, one or more numbers
    #[arg(long, value_name = "N,..", value_delimiter = ',', default_value = "10", value_parser = clients)]
    clients: Vec<usize>,

    /// So many rows a second are due, whether a client is free or not, and what each took is counted from when it was due; by default
    /// each client sends the next one when the last one is answered
    #[arg(long, value_name = "ROWS/S", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    rate: Option<u64>,

    /// For so long each case: `60s`, `5min` [default: 10s]
    #[arg(long = "for", value_name = "TIME", value_parser = super::time, conflicts_with = "rows")]
    length: Option<Duration>,

    /// So many rows each case, for `--cap` at most
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=10_000_000_000))]
    rows: Option<u64>,

    /// Clients begin one after the other within this time, or the rate rises to its final value; this time does not count
    #[arg(long, value_name = "TIME", value_parser = super::time, default_value = "0s")]
    ramp_up: Duration,

    /// Rows a statement of `connections-multi-row`
    #[arg(long, value_name = "ROWS", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    statement_rows: u64,

    /// A statement that takes longer has failed
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    timeout: u64,

    #[command(flatten)]
    common: Common,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Concurrent {
    /// Nothing: one thread
    One,
    /// Threads that share a prepared statement
    Statement,
    /// Threads that share a connection, with a statement each
    Connection,
    /// Threads with a connection each
    Connections,
    /// Threads with a connection each, and many rows a statement
    ConnectionsMultiRow,
    /// Threads that bring single rows to an inserter
    Inserter,
}

impl Concurrent {
    fn on(self) -> On {
        match self {
            Concurrent::One => On::One,
            Concurrent::Statement => On::Statement,
            Concurrent::Connection => On::Connection,
            Concurrent::Connections => On::Connections,
            Concurrent::ConnectionsMultiRow => On::ConnectionsMultiRow,
            Concurrent::Inserter => On::Inserter,
        }
    }
}

/// Runs the experiment.
pub(super) fn run(args: &PressureArgs, output: &Output) -> Result<u8> {
    experiment::perform(&Pressure { args, output }, output)
}

/// The experiment, and the output for its progress.
struct Pressure<'a> {
    args: &'a PressureArgs,
    output: &'a Output,
}

impl PressureArgs {
    fn until(&self) -> Until {
        match (self.rows, self.length) {
            (Some(rows), _) => Until::Rows(rows),
            (None, length) => Until::For(length.unwrap_or(LENGTH)),
        }
    }

    fn ways(&self) -> Vec<On> {
        if self.on.is_empty() { On::ALL.to_vec() } else { self.on.iter().map(|on| on.on()).collect() }
    }
}

impl Experiment for Pressure<'_> {
    const NAME: &'static str = "pressure";
    const SHOWS_ITSELF: bool = true;
    type Cell = Cell;
    type Bench = (Bench, View);

    fn common(&self) -> &Common {
        &self.args.common
    }

    fn options(&self) -> BTreeMap<String, String> {
        let PressureArgs { clients, rate, ramp_up, statement_rows, timeout, .. } = self.args;
        let names: Vec<&str> = self.args.ways().iter().map(|on| on.name()).collect();
        let mut options = BTreeMap::from([
            ("on".into(), names.join(",")),
            ("clients".into(), listed(clients)),
            ("ramp-up".into(), ramp_up.as_secs_f64().to_string()),
            ("statement-rows".into(), statement_rows.to_string()),
            ("timeout".into(), timeout.to_string()),
        ]);
        match self.args.until() {
            Until::For(length) => options.insert("for".into(), length.as_secs_f64().to_string()),
            Until::Rows(rows) => options.insert("rows".into(), rows.to_string()),
        };
        options.extend(rate.map(|rate| ("rate".into(), rate.to_string())));
        options
    }

    fn effort(&self) -> Effort {
        self.args.common.effort(Effort::ONCE)
    }

    fn plan(&self, facts: &ServerFacts) -> Result<RunPlan<Cell>> {
        if self.args.until() == Until::For(Duration::ZERO) {
            return Err(Error::config("`--for 0s` measures nothing"));
        }
        let cells = pressure::cells(&self.args.ways(), &self.args.clients);
        let connections: Vec<usize> = cells.iter().map(|cell| cell.on.connections(cell.clients)).collect();
        check_clients(facts, "--clients", &connections)?;
        Ok(RunPlan { cells, left_out: Vec::new(), ddl: vec![pressure::ddl("bench_pressure")] })
    }

    fn case(&self, cell: &Cell) -> Case {
        cell.case(self.args.until())
    }

    fn start(&self, place: &BenchPlace, _: &ServerFacts, _: &[Cell], stop: &Arc<AtomicBool>) -> Result<(Bench, View)> {
        let args = self.args;
        let settings = Settings {
            schema: SCHEMA.into(),
            pace: Pace { rate: args.rate.map(|rate| rate as f64), ramp_up: args.ramp_up, until: args.until() },
            many: args.statement_rows,
            timeout: Duration::from_secs(args.timeout),
            cap: args.common.cap(),
        };
        let view = View::new(self.output);
        let watching = view.clone();
        let bench = Bench::new(&place.config, settings, stop, move |now| watching.show(now))?;
        Ok((bench, view))
    }

    fn run(&self, (bench, view): &mut (Bench, View), cell: &Cell) -> Result<Sample> {
        let done = bench.run(cell);
        view.clear();
        done
    }

    fn ended_by(&self, (bench, _): &mut (Bench, View)) -> Option<Error> {
        bench.ended_by()
    }

    fn exit_code(&self, results: &Results) -> u8 {
        exit_code_of_errors(results)
    }
}

const LENGTH: Duration = Duration::from_secs(10);
