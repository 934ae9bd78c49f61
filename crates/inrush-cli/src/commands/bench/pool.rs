//! `inrush bench pool`: the time to get a connection from a pool that many callers share.

use super::experiment::{self, Common, Experiment, RunPlan, ServerFacts, check_clients, exit_code_of_errors, listed};
use super::place::{BenchPlace, SCHEMA};
use super::query::{Clients, clients};
use crate::Output;
use clap::Args;
use inrush_bench::pool::{self, Bench, Cell, Settings};
use inrush_bench::results::{Case, Results, Sample};
use inrush_core::{Error, Result};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Measure a pool of connections that many callers share
#[derive(Debug, Args)]
#[command(disable_help_flag = true)]
pub(crate) struct PoolArgs {
    /// Which pool: that of threads, that of tasks
    #[arg(long, value_enum, default_value_t = Clients::Both)]
    client: Clients,

    /// How many connections it keeps, one or more numbers
    #[arg(long, value_name = "N,..", value_delimiter = ',', default_value = "5")]
    min: Vec<usize>,

    /// How many it may have, one or more numbers
    #[arg(long, value_name = "N,..", value_delimiter = ',', default_value = "10,50", value_parser = clients)]
    max: Vec<usize>,

    /// How many callers use the pool at the same time, one or more numbers
    #[arg(long, value_name = "N,..", value_delimiter = ',', default_value = "10,50,200", value_parser = clients)]
    concurrency: Vec<usize>,

    /// How many queries each caller runs, each with a connection of the pool
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u64).range(1..=100_000_000))]
    queries: u64,

    /// How many queries of each caller are a warm-up
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u64).range(0..=100_000_000))]
    warmup: u64,

    /// The query; it may change nothing
    #[arg(long, value_name = "TEXT", default_value = "SELECT 1")]
    sql: String,

    /// A query that takes longer has failed, and so has one that waits longer for a connection
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    timeout: u64,

    #[command(flatten)]
    common: Common,
}

/// Runs the experiment.
pub(super) fn run(args: &PoolArgs, output: &Output) -> Result<u8> {
    experiment::perform(args, output)
}

impl Experiment for PoolArgs {
    const NAME: &'static str = "pool";
    type Cell = Cell;
    type Bench = Bench;

    fn common(&self) -> &Common {
        &self.common
    }

    fn options(&self) -> BTreeMap<String, String> {
        BTreeMap::from([
            ("client".into(), self.client.name().into()),
            ("min".into(), listed(&self.min)),
            ("max".into(), listed(&self.max)),
            ("concurrency".into(), listed(&self.concurrency)),
            ("queries".into(), self.queries.to_string()),
            ("warmup".into(), self.warmup.to_string()),
            ("sql".into(), self.sql.clone()),
            ("timeout".into(), self.timeout.to_string()),
        ])
    }

    fn plan(&self, facts: &ServerFacts) -> Result<RunPlan<Cell>> {
        check_clients(facts, "--max", &self.max)?;
        let cells = pool::cells(self.client.kinds(), &self.min, &self.max, &self.concurrency);
        if cells.is_empty() {
            let (min, max) = (listed(&self.min), listed(&self.max));
            let message = format!("no pool keeps {min} connections and has at most {max}");
            return Err(Error::config(message).with_hint("`--min` must not be above `--max`"));
        }
        Ok(RunPlan { cells, left_out: Vec::new(), ddl: Vec::new() })
    }

    fn case(&self, cell: &Cell) -> Case {
        cell.case(self.queries)
    }

    fn start(&self, place: &BenchPlace, _: &ServerFacts, _: &[Cell], stop: &Arc<AtomicBool>) -> Result<Bench> {
        let settings = Settings {
            schema: SCHEMA.into(),
            sql: self.sql.clone(),
            queries: self.queries,
            warm_up: self.warmup,
            timeout: Duration::from_secs(self.timeout),
            cap: self.common.cap(),
        };
        Bench::new(&place.config, settings, stop)
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
