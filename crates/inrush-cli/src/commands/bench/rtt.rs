//! `inrush bench rtt`: every write method over ways of several round trips.

use super::experiment::{self, Common, Experiment, RunPlan, ServerFacts};
use super::place::{BenchPlace, SCHEMA};
use crate::Output;
use clap::Args;
use inrush_bench::dataset::Users;
use inrush_bench::relay::Link;
use inrush_bench::results::{Case, Sample};
use inrush_bench::rtt::{self, Cell, Route, Settings, Ways};
use inrush_core::Result;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Compare all insert methods over longer round trips to the server: relays on this machine delay every byte
#[derive(Debug, Args)]
#[command(disable_help_flag = true)]
pub(crate) struct RttArgs {
    /// Round trips of the relays, in milliseconds; 0 shows what a relay costs by itself
    #[arg(long, value_name = "MS,..", value_delimiter = ',', default_value = "0,0.5,5,30", value_parser = milliseconds)]
    rtt: Vec<f64>,

    /// A round trip takes up to so many milliseconds more, at random
    #[arg(long, value_name = "MS", default_value_t = 0.0, value_parser = milliseconds)]
    jitter: f64,

    /// Megabits a second in each direction [default: as many as there are]
    #[arg(long, value_name = "MBIT", value_parser = megabits)]
    bandwidth: Option<f64>,

    /// How many rows, one or more numbers
    #[arg(long, value_name = "ROWS,..", value_delimiter = ',', default_value = "100", value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    rows: Vec<u64>,

    /// Rows a statement, where a statement may carry many
    #[arg(long, value_name = "ROWS", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    statement_rows: u64,

    #[command(flatten)]
    common: Common,
}

/// Runs the experiment.
pub(super) fn run(args: &RttArgs, output: &Output) -> Result<u8> {
    experiment::perform(args, output)
}

impl Experiment for RttArgs {
    const NAME: &'static str = "rtt";
    type Cell = Cell;
    type Bench = Ways;

    fn common(&self) -> &Common {
        &self.common
    }

    fn options(&self) -> BTreeMap<String, String> {
        let rtt = self.rtt.iter().map(f64::to_string).collect::<Vec<_>>().join(",");
        let rows = self.rows.iter().map(u64::to_string).collect::<Vec<_>>().join(",");
        let mut options = BTreeMap::from([
            ("rtt".into(), rtt),
            ("jitter".into(), self.jitter.to_string()),
            ("rows".into(), rows),
            ("statement-rows".into(), self.statement_rows.to_string()),
        ]);
        options.extend(self.bandwidth.map(|megabits| ("bandwidth".into(), megabits.to_string())));
        options
    }

    fn plan(&self, facts: &ServerFacts) -> Result<RunPlan<Cell>> {
        let (cells, left_out) = rtt::cells(&Route::all(&self.rtt), &self.rows, &facts.allowed());
        Ok(RunPlan { cells, left_out, ddl: vec![Users::ddl("bench_users")] })
    }

    fn case(&self, cell: &Cell) -> Case {
        cell.case()
    }

    fn start(&self, place: &BenchPlace, _: &ServerFacts, cells: &[Cell], _: &Arc<AtomicBool>) -> Result<Ways> {
        let settings = Settings {
            schema: SCHEMA.into(),
            users: Users::new(self.common.seed),
            most: self.rows.iter().copied().max().unwrap_or(1),
            many: self.statement_rows,
            cap: self.common.cap(),
            link: Link {
                round_trip: Duration::ZERO,
                jitter: Duration::from_secs_f64(self.jitter / 1e3),
                bytes_per_second: self.bandwidth.map(|megabits| (megabits * 1e6 / 8.0) as u64),
                seed: self.common.seed,
            },
        };
        Ways::new(&place.config, &settings, cells)
    }

    fn run(&self, bench: &mut Ways, cell: &Cell) -> Result<Sample> {
        bench.run(cell)
    }
}

fn milliseconds(text: &str) -> std::result::Result<f64, String> {
    match text.parse() {
        Ok(ms) if (0.0..=10_000.0).contains(&ms) => Ok(ms),
        _ => Err("milliseconds, 0 to 10000".into()),
    }
}

fn megabits(text: &str) -> std::result::Result<f64, String> {
    match text.parse() {
        Ok(megabits) if (0.001..=1e6).contains(&megabits) => Ok(megabits),
        _ => Err("megabits a second, 0.001 to 1000000".into()),
    }
}
