//! `inrush bench load`: a file into a table, beside what the server does by itself.

use super::experiment::{self, Common, Experiment, Facts, Plan};
use super::place::{Place, SCHEMA};
use crate::Output;
use clap::Args;
use inrush_bench::load::data::Data;
use inrush_bench::load::{self, Cell, Input, Loads, Settings};
use inrush_bench::results::{Case, Results, Sample};
use inrush_core::Result;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Compare ways to load a file: lanes, INSERTs of many rows, and what the server does by itself
#[derive(Debug, Args)]
#[command(disable_help_flag = true)]
pub(crate) struct LoadArgs {
    /// Rows to generate: `t1`, `t2`, `t5` (docs/bench.md), or a table of TPC-H such as `tpch:lineitem`
    #[arg(long, value_name = "NAME", default_value = "t1")]
    data: String,

    /// How many rows of `t1`, `t2` or `t5`
    #[arg(long, value_name = "ROWS", default_value_t = 200_000, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    rows: u64,

    /// How much of TPC-H; 1 is about a gigabyte
    #[arg(long, value_name = "FACTOR", default_value_t = 0.01, value_parser = scale)]
    scale: f64,

    /// A file of yours instead, of any format that `inrush load` reads
    #[arg(long, value_name = "FILE", conflicts_with_all = ["data", "rows", "scale"])]
    file: Option<PathBuf>,

    /// The columns of its table: 'id INT PRIMARY KEY, name VARCHAR(40)' [default: found in the file]
    #[arg(long, value_name = "COLUMNS", requires = "file")]
    table: Option<String>,

    /// Lanes of the loader; `auto` finds out how many are worth it
    #[arg(long, value_name = "N,..", value_delimiter = ',', default_value = "1,2,auto", value_parser = lanes)]
    lanes: Vec<usize>,

    /// Rows a commit of the loader's INSERTs
    #[arg(long, value_name = "ROWS,..", value_delimiter = ',', default_value = "100,1000,10000", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    commit_rows: Vec<u32>,

    #[command(flatten)]
    common: Common,
}

/// Runs the experiment.
pub(super) fn run(args: &LoadArgs, output: &Output) -> Result<u8> {
    args.input()?.check()?;
    experiment::perform(args, output)
}

impl LoadArgs {
    fn input(&self) -> Result<Input> {
        match &self.file {
            Some(path) => Ok(Input::File(path.clone(), self.table.clone())),
            None => Data::named(&self.data, self.rows, self.scale).map(Input::Made),
        }
    }
}

impl Experiment for LoadArgs {
    const NAME: &'static str = "load";
    type Cell = Cell;
    type Bench = Loads;

    fn common(&self) -> &Common {
        &self.common
    }

    fn options(&self) -> BTreeMap<String, String> {
        let shown_lanes = |lanes: &usize| if *lanes == 0 { "auto".into() } else { lanes.to_string() };
        let lanes = self.lanes.iter().map(shown_lanes).collect::<Vec<String>>().join(",");
        let commit_rows = self.commit_rows.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
        let mut options = BTreeMap::from([("lanes".into(), lanes), ("commit-rows".into(), commit_rows)]);
        match &self.file {
            Some(path) => {
                options.insert("file".into(), path.display().to_string());
            }
            None => {
                options.insert("data".into(), self.data.clone());
                let (name, value) = match self.data.starts_with("tpch:") {
                    true => ("scale", self.scale.to_string()),
                    false => ("rows", self.rows.to_string()),
                };
                options.insert(name.into(), value);
            }
        }
        options
    }

    fn plan(&self, facts: &Facts) -> Result<Plan<Cell>> {
        let commit_rows: Vec<usize> = self.commit_rows.iter().map(|rows| *rows as usize).collect();
        let (cells, left_out) = load::cells(&self.lanes, &commit_rows, self.file.is_some(), &facts.allowed());
        Ok(Plan { cells, left_out, ddl: vec![self.input()?.ddl("bench_load")?] })
    }

    fn case(&self, cell: &Cell) -> Case {
        // Of the others it is not known before.
        let is_known = self.file.is_none() && !self.data.starts_with("tpch:");
        cell.case(if is_known { self.rows } else { 0 })
    }

    fn start(&self, place: &Place, facts: &Facts, _: &[Cell], stop: &Arc<AtomicBool>) -> Result<Loads> {
        let settings = Settings {
            schema: SCHEMA.into(),
            seed: self.common.seed,
            cap: self.common.cap(),
            folder: facts.files.clone().ok(),
            stop: Arc::clone(stop),
        };
        Loads::new(&place.config, settings, &self.input()?)
    }

    fn run(&self, bench: &mut Loads, cell: &Cell) -> Result<Sample> {
        bench.run(cell)
    }

    fn exit_code(&self, results: &Results) -> u8 {
        experiment::exit_code_of_errors(results)
    }
}

fn lanes(text: &str) -> std::result::Result<usize, String> {
    match (text, text.parse()) {
        ("auto", _) => Ok(0),
        (_, Ok(lanes @ 1..=64)) => Ok(lanes),
        _ => Err("1 to 64, or `auto`".into()),
    }
}

fn scale(text: &str) -> std::result::Result<f64, String> {
    match text.parse() {
        Ok(scale) if (0.001..=1_000.0).contains(&scale) => Ok(scale),
        _ => Err("a factor, 0.001 to 1000".into()),
    }
}
