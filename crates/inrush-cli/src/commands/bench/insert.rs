//! `inrush bench insert`: every write method, committed statement by statement and once.

use super::experiment::{self, Common, Experiment, RunPlan, ServerFacts};
use super::peers::{self, PeerArgs};
use super::place::{BenchPlace, SCHEMA};
use crate::Output;
use clap::{Args, ValueEnum};
use inrush_bench::dataset::Users;
use inrush_bench::insert::{self, Operation, Settings, Writer};
use inrush_bench::peer::{PeerCell, Peers};
use inrush_bench::results::{Case, Sample};
use inrush_core::{Error, Result};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Compare all insert methods
#[derive(Debug, Args)]
#[command(disable_help_flag = true)]
pub(crate) struct InsertArgs {
    /// How many rows, one or more numbers
    #[arg(long, value_name = "ROWS,..", value_delimiter = ',', default_value = "100,1000,10000", value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    rows: Vec<u64>,

    /// Rows a statement, where a statement may carry many
    #[arg(long, value_name = "ROWS", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    statement_rows: u64,

    /// What is done with the rows
    #[arg(long, value_enum, default_value_t = Doing::Insert)]
    operation: Doing,

    /// Also run a case that writes nothing: what the lab itself takes
    #[arg(long)]
    overhead: bool,

    #[command(flatten)]
    peers: PeerArgs,

    #[command(flatten)]
    common: Common,
}

/// A cell of ours, or of a program of others.
#[derive(Clone, Debug)]
pub(super) enum Cell {
    Ours(insert::Cell),
    Peer(PeerCell),
}

/// What runs them.
pub(super) struct Bench {
    writer: Writer,
    peers: Option<Peers>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Doing {
    /// They come into an empty table
    Insert,
    /// All columns get other values, by the key
    Update,
    /// They go, by the key
    Delete,
}

impl Doing {
    fn operation(self) -> Operation {
        match self {
            Doing::Insert => Operation::Insert,
            Doing::Update => Operation::Update,
            Doing::Delete => Operation::Delete,
        }
    }
}

/// Runs the experiment.
pub(super) fn run(args: &InsertArgs, output: &Output) -> Result<u8> {
    if args.peers.are_wanted() && cfg!(debug_assertions) {
        output.notice("this is a debug build: compared with peers, its own methods are slower than in a release build");
    }
    experiment::perform(args, output)
}

impl Experiment for InsertArgs {
    const NAME: &'static str = "insert";
    type Cell = Cell;
    type Bench = Bench;

    fn common(&self) -> &Common {
        &self.common
    }

    fn options(&self) -> BTreeMap<String, String> {
        let rows = self.rows.iter().map(u64::to_string).collect::<Vec<_>>().join(",");
        let mut options = BTreeMap::from([
            ("rows".into(), rows),
            ("statement-rows".into(), self.statement_rows.to_string()),
            ("operation".into(), self.operation.operation().name().into()),
        ]);
        options.extend(self.peers.versions().map(|versions| ("peers".into(), versions)));
        options
    }

    fn plan(&self, facts: &ServerFacts) -> Result<RunPlan<Cell>> {
        let operation = self.operation.operation();
        let (cells, mut left_out) = insert::cells(operation, &self.rows, &facts.allowed());
        let mut cells: Vec<Cell> = cells.into_iter().map(Cell::Ours).collect();
        if self.overhead {
            cells.extend(insert::cells_of_nothing(operation, &self.rows).map(Cell::Ours));
        }
        if self.peers.are_wanted() {
            if operation != Operation::Insert {
                return Err(Error::config("peers insert rows, and do nothing else")
                    .with_hint("leave out `--peers` or `--operation`"));
            }
            let (theirs, missing) = self.peers.plan(&self.rows, facts)?;
            cells.extend(theirs.into_iter().map(Cell::Peer));
            left_out.extend(missing);
        }
        Ok(RunPlan { cells, left_out, ddl: vec![Users::ddl("bench_users")] })
    }

    fn case(&self, cell: &Cell) -> Case {
        match cell {
            Cell::Ours(cell) => cell.case(),
            Cell::Peer(cell) => cell.case(),
        }
    }

    fn start(&self, place: &BenchPlace, facts: &ServerFacts, _: &[Cell], stop: &Arc<AtomicBool>) -> Result<Bench> {
        let settings = Settings {
            schema: SCHEMA.into(),
            operation: self.operation.operation(),
            users: Users::new(self.common.seed),
            most: self.rows.iter().copied().max().unwrap_or(1),
            many: self.statement_rows,
            cap: self.common.cap(),
            folder: facts.files.clone().ok(),
        };
        let (users, most) = (settings.users, settings.most);
        let mut writer = Writer::new(&place.config, settings)?;
        let peers = match self.peers.are_wanted() {
            true => {
                writer.make_target()?;
                self.peers.start(facts, stop, &users.tsv(1..most + 1), most)?
            }
            false => None,
        };
        Ok(Bench { writer, peers })
    }

    fn run(&self, bench: &mut Bench, cell: &Cell) -> Result<Sample> {
        let Bench { writer, peers } = bench;
        let written = match (cell, peers) {
            (Cell::Ours(cell), _) => writer.run(cell)?,
            (Cell::Peer(cell), Some(peers)) => {
                let cap = self.common.cap();
                writer.run_other(cell.rows, || peers.run(cell, peers::TABLE, self.statement_rows, cap))?
            }
            (Cell::Peer(_), None) => return Err(Error::config("no peers are started")),
        };
        Ok(written.sample())
    }
}
