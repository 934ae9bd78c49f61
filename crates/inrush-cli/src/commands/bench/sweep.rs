//! `inrush bench sweep`: rows a statement, connections, and the shape of the table, in every combination.

use super::experiment::{self, Common, Experiment, RunPlan, ServerFacts};
use super::place::{BenchPlace, SCHEMA};
use crate::Output;
use clap::{Args, ValueEnum};
use inrush::sans_io::write::Method;
use inrush_bench::results::{Case, Role, Sample};
use inrush_bench::sweep::{self, Cell, Limits, Settings, Sweeper};
use inrush_core::{Error, Result};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Vary rows a statement, connections, columns, indexes and partitions, and find where more hurts
#[derive(Debug, Args)]
#[command(disable_help_flag = true)]
pub(crate) struct SweepArgs {
    /// Rows a statement, one or more numbers; each statement is committed by itself
    #[arg(long, value_name = "ROWS,..", value_delimiter = ',', default_value = "1,10,100,1000,10000", value_parser = clap::value_parser!(u64).range(1..=200_000))]
    statement_rows: Vec<u64>,

    /// Connections that write at the same time, a thread each
    #[arg(long, value_name = "N,..", value_delimiter = ',', default_value = "1,2,4", value_parser = clap::value_parser!(u64).range(1..=1024))]
    connections: Vec<u64>,

    /// Columns of the table: a key, a number, two texts, then numbers
    #[arg(long, value_name = "N,..", value_delimiter = ',', default_value = "4", value_parser = clap::value_parser!(u64).range(2..=500))]
    columns: Vec<u64>,

    /// Secondary indexes of the table, of one column each
    #[arg(long, value_name = "N,..", value_delimiter = ',', default_value = "1", value_parser = clap::value_parser!(u64).range(0..=60))]
    indexes: Vec<u64>,

    /// Partitions of the table, by the hash of the key; 0 is a table without
    #[arg(long, value_name = "N,..", value_delimiter = ',', default_value = "0", value_parser = clap::value_parser!(u64).range(0..=1024))]
    partitions: Vec<u64>,

    /// Lines that others have published, instead of rows a statement and connections
    #[arg(long, value_enum, conflicts_with_all = ["statement_rows", "connections"])]
    grid: Option<Known>,

    /// One of [`sweep::methods`].
    #[arg(long, help = format!("How rows are written: {}", methods()), default_value = "multi-row", value_name = "METHOD", value_parser = method)]
    method: Method,

    /// How long each combination is run, each time
    #[arg(long = "for", value_name = "SECONDS", default_value_t = 1.0, value_parser = seconds)]
    time: f64,

    #[command(flatten)]
    common: Common,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Known {
    /// 1 to 50,000 rows a statement with 16 connections; 1 to 128 connections with 1,000 rows a statement
    Published,
}

/// Runs the experiment.
pub(super) fn run(args: &SweepArgs, output: &Output) -> Result<u8> {
    args.check()?;
    experiment::perform(args, output)
}

impl SweepArgs {
    /// Reports invalid options, before it connects to a server.
    fn check(&self) -> Result<()> {
        let least = |numbers: &[u64]| numbers.iter().copied().min().unwrap_or(0);
        let (columns, indexes) = (least(&self.columns), self.indexes.iter().copied().max().unwrap_or(0));
        if indexes < columns {
            return Ok(());
        }
        Err(Error::config(format!("`--indexes {indexes}` is too many for a table of {columns} columns"))
            .with_hint("each index is on a column of its own, and the key has one already: more `--columns`"))
    }

    fn grids(&self) -> Vec<sweep::Grid> {
        let grid = sweep::Grid {
            statement_rows: self.statement_rows.clone(),
            connections: self.connections.clone(),
            columns: self.columns.clone(),
            indexes: self.indexes.clone(),
            partitions: self.partitions.clone(),
        };
        match self.grid {
            Some(Known::Published) => grid.published(),
            None => vec![grid],
        }
    }
}

impl Experiment for SweepArgs {
    const NAME: &'static str = "sweep";
    /// The first is what the others are held against.
    type Cell = (Cell, Role);
    type Bench = Sweeper;

    fn common(&self) -> &Common {
        &self.common
    }

    fn options(&self) -> BTreeMap<String, String> {
        let shown = |numbers: &[u64]| numbers.iter().map(u64::to_string).collect::<Vec<_>>().join(",");
        let mut options = BTreeMap::from([
            ("columns".into(), shown(&self.columns)),
            ("indexes".into(), shown(&self.indexes)),
            ("partitions".into(), shown(&self.partitions)),
            ("method".into(), self.method.name().into()),
            ("for".into(), self.time.to_string()),
        ]);
        match self.grid {
            Some(Known::Published) => {
                options.insert("grid".into(), "published".into());
            }
            None => {
                options.insert("statement-rows".into(), shown(&self.statement_rows));
                options.insert("connections".into(), shown(&self.connections));
            }
        }
        options
    }

    fn plan(&self, facts: &ServerFacts) -> Result<RunPlan<(Cell, Role)>> {
        if let Some(why) = facts.allowed().refuses(self.method) {
            return Err(Error::config(format!("`--method {}`: {why}", self.method)));
        }
        let (cells, left_out) = sweep::cells(&self.grids(), self.method, &Limits::of(&facts.server));
        if cells.is_empty() {
            let reason = left_out.first().map(|one| one.reason.clone()).unwrap_or_default();
            return Err(Error::config(format!("nothing is left to be measured on this server: {reason}")));
        }
        let ddl = cells.iter().map(|cell| cell.table(0).ddl("bench_sbtest", cell.indexes as usize, cell.partitions));
        let mut ddl: Vec<String> = ddl.collect();
        ddl.sort_unstable();
        ddl.dedup();
        let role = |i: usize| if i == 0 { Role::Baseline } else { Role::Subject };
        let cells = cells.into_iter().enumerate().map(|(i, cell)| (cell, role(i))).collect();
        Ok(RunPlan { cells, left_out, ddl })
    }

    fn case(&self, (cell, role): &(Cell, Role)) -> Case {
        cell.case(*role)
    }

    fn start(
        &self,
        place: &BenchPlace,
        _: &ServerFacts,
        cells: &[(Cell, Role)],
        stop: &Arc<AtomicBool>,
    ) -> Result<Sweeper> {
        let settings = Settings {
            schema: SCHEMA.into(),
            seed: self.common.seed,
            time: Duration::from_secs_f64(self.time),
            cap: self.common.cap(),
            stop: Arc::clone(stop),
        };
        let cells: Vec<Cell> = cells.iter().map(|(cell, _)| *cell).collect();
        Sweeper::new(&place.config, settings, &cells)
    }

    fn run(&self, bench: &mut Sweeper, (cell, _): &(Cell, Role)) -> Result<Sample> {
        bench.run(cell)
    }
}

/// Parses one of [`sweep::methods`].
fn method(text: &str) -> std::result::Result<Method, String> {
    sweep::methods().find(|method| method.name() == text).ok_or_else(|| format!("it takes {}", methods()))
}

/// Lists them.
fn methods() -> String {
    sweep::methods().map(|method| format!("`{method}`")).collect::<Vec<_>>().join(", ")
}

fn seconds(text: &str) -> std::result::Result<f64, String> {
    match text.parse() {
        Ok(seconds) if (0.01..=86_400.0).contains(&seconds) => Ok(seconds),
        _ => Err("seconds, 0.01 to 86400".into()),
    }
}
