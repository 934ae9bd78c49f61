//! `inrush bench load`: writes a file into a table, and compares with what the server does by itself.

use super::experiment::{self, Common, Experiment, RunPlan, ServerFacts, listed};
use super::place::{self, BenchPlace, SCHEMA};
use crate::Output;
use crate::commands::server::parse_size;
use crate::local_server::Throwaway;
use clap::Args;
use inrush::{LoadOption, Sort};
use inrush_bench::load::data::Data;
use inrush_bench::load::{self, Axes, Cell, FileKind, Input, LoadWriter, Loads, Order, Settings};
use inrush_bench::results::{Case, Results, Sample};
use inrush_core::{Error, Result};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Compare ways to load a file: lanes, INSERTs of many rows, and what the server does by itself
#[derive(Debug, Args)]
#[command(disable_help_flag = true)]
pub(crate) struct LoadArgs {
    /// Rows to generate: `t1`, `t2`, `t5` to `t8` (docs/bench.md), or a table of TPC-H such as `tpch:lineitem`
    #[arg(long, value_name = "NAME", default_value = "t1")]
    data: String,

    /// How many rows of `t1`, `t2`, `t5` to `t8`
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

    /// Rows a commit of the loader's INSERTs; `none` leaves them out
    #[arg(long, value_name = "ROWS,..", value_delimiter = ',', default_value = "100,1000,10000", value_parser = commit_rows)]
    commit_rows: Vec<usize>,

    /// Orders in which the loader sends the rows: `none`, `key`, `auto`, `server` [default: none,key for `t6` and `t8`]
    #[arg(long, value_name = "ORDER,..", value_delimiter = ',', value_parser = sort)]
    sort: Vec<Sort>,

    /// Secondary indexes of `t6`, `t7` and `t8`: 0 to 2
    #[arg(long, value_name = "N,..", value_delimiter = ',', conflicts_with = "file")]
    indexes: Vec<usize>,

    /// Have the loader build them after the rows, too
    #[arg(long, requires = "indexes")]
    defer_indexes: bool,

    /// Start a server with a buffer pool of each size, such as 128MiB or 2GiB, for every case
    #[arg(long, value_name = "SIZE,..", value_delimiter = ',', value_parser = parse_size)]
    server_memory: Vec<u64>,

    /// Profile the server during each case by `perf`, and show what takes its time; it must run on this machine
    #[arg(long)]
    profile: bool,

    #[command(flatten)]
    common: Common,
}

/// Runs the experiment.
pub(super) fn run(args: &LoadArgs, output: &Output) -> Result<u8> {
    args.check()?;
    experiment::perform(args, output)
}

impl LoadArgs {
    fn input(&self) -> Result<Input> {
        match &self.file {
            Some(path) => Ok(Input::File(path.clone(), self.table.clone())),
            None => self.generated().map(Input::Made),
        }
    }

    fn generated(&self) -> Result<Data> {
        Data::named(&self.data, self.rows, self.scale)
    }

    fn file_kind(&self) -> Result<FileKind> {
        Ok(match &self.file {
            Some(_) => FileKind::Foreign,
            None if self.generated()?.is_shuffled() => FileKind::Shuffled,
            None => FileKind::Ascending,
        })
    }

    /// Refuses wrong options before a server is started.
    fn check(&self) -> Result<()> {
        self.input()?.check()?;
        let Some(asked) = self.indexes.iter().max() else { return Ok(()) };
        let most = self.generated()?.most_indexes();
        if *asked > most {
            return Err(Error::config(format!("`--indexes {asked}`: `{}` may have {most} of them", self.data))
                .with_hint("`t6`, `t7` and `t8` may have two"));
        }
        Ok(())
    }

    fn axes(&self) -> Result<Axes> {
        let is_default = self.sort.is_empty() && self.file_kind()? == FileKind::Shuffled;
        Ok(Axes {
            lanes: self.lanes.clone(),
            commit_rows: self.commit_rows.iter().copied().filter(|rows| *rows > 0).collect(),
            sorts: if is_default { vec![Sort::None, Sort::Key] } else { self.sort.clone() },
            indexes: self.indexes.clone(),
            defers: self.defer_indexes,
            memory: self.server_memory.clone(),
        })
    }
}

impl Experiment for LoadArgs {
    const NAME: &'static str = "load";
    type Cell = Cell;
    type Bench = (Loads, Option<Arc<Throwaway>>);

    fn common(&self) -> &Common {
        &self.common
    }

    fn options(&self) -> BTreeMap<String, String> {
        let shown_lanes = |lanes: &usize| if *lanes == 0 { "auto".into() } else { lanes.to_string() };
        let lanes = self.lanes.iter().map(shown_lanes).collect::<Vec<String>>().join(",");
        let axes = self.axes().unwrap_or_default();
        let commit_rows = if axes.commit_rows.is_empty() { "none".into() } else { listed(&axes.commit_rows) };
        let mut options = BTreeMap::from([("lanes".into(), lanes), ("commit-rows".into(), commit_rows)]);
        if !axes.sorts.is_empty() {
            let names: Vec<&str> = axes.sorts.iter().map(|sort| Order::Sort(*sort).name()).collect();
            options.insert("order".into(), names.join(","));
        }
        if !self.indexes.is_empty() {
            options.insert("indexes".into(), listed(&self.indexes));
            options.insert("defer-indexes".into(), self.defer_indexes.to_string());
        }
        if self.profile {
            options.insert("profile".into(), "true".into());
        }
        if !self.server_memory.is_empty() {
            let sizes: Vec<String> = self.server_memory.iter().map(|bytes| format!("{}MiB", bytes >> 20)).collect();
            options.insert("server-memory".into(), sizes.join(","));
        }
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

    fn plan(&self, facts: &ServerFacts) -> Result<RunPlan<Cell>> {
        let (cells, left_out) = load::cells(&self.axes()?, self.file_kind()?, &facts.allowed());
        let input = self.input()?;
        let indexes: &[usize] = if self.indexes.is_empty() { &[0] } else { &self.indexes };
        let ddl = indexes.iter().map(|indexes| input.ddl("bench_load", *indexes)).collect::<Result<_>>()?;
        Ok(RunPlan { cells, left_out, ddl })
    }

    fn server_memory(&self) -> Option<u64> {
        self.server_memory.iter().max().copied()
    }

    fn varied_settings(&self) -> Option<(&'static str, String)> {
        (!self.server_memory.is_empty()).then(|| ("innodb_buffer_pool_size", listed(&self.server_memory)))
    }

    fn case(&self, cell: &Cell) -> Case {
        // The number of rows of other data is not known before.
        let is_known = self.file.is_none() && !self.data.starts_with("tpch:");
        cell.case(if is_known { self.rows } else { 0 })
    }

    fn start(
        &self,
        place: &BenchPlace,
        facts: &ServerFacts,
        cells: &[Cell],
        stop: &Arc<AtomicBool>,
    ) -> Result<Self::Bench> {
        let settings = Settings {
            schema: SCHEMA.into(),
            seed: self.common.seed,
            cap: self.common.cap(),
            folder: facts.files.clone().ok(),
            copies: cells.iter().any(|cell| cell.way == LoadWriter::Copy),
            sorts_file: cells.iter().any(|cell| cell.order == Some(Order::SortedFile)),
            profiles: self.profile,
            stop: Arc::clone(stop),
        };
        Ok((Loads::new(&place.config, settings, &self.input()?)?, place.throwaway()))
    }

    fn run(&self, (loads, server): &mut Self::Bench, cell: &Cell) -> Result<Sample> {
        if let (Some(server), Some(memory)) = (server, cell.memory) {
            place::start(server, Some(memory))?;
            loads.reconnect()?;
        }
        loads.run(cell)
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

fn commit_rows(text: &str) -> std::result::Result<usize, String> {
    match (text, text.parse()) {
        ("none", _) => Ok(0),
        (_, Ok(rows @ 1..=1_000_000)) => Ok(rows),
        _ => Err("1 to 1000000, or `none`".into()),
    }
}

fn sort(text: &str) -> std::result::Result<Sort, String> {
    let takes = LoadOption::find("sort").map_or("", |option| option.takes);
    Sort::parse(text).ok_or_else(|| format!("it takes {takes}"))
}

fn scale(text: &str) -> std::result::Result<f64, String> {
    match text.parse() {
        Ok(scale) if (0.001..=1_000.0).contains(&scale) => Ok(scale),
        _ => Err("a factor, 0.001 to 1000".into()),
    }
}
