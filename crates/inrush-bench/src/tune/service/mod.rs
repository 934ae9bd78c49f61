//! A service whose callers insert single rows: how many lanes and how large batches an inserter should have, and how many connections a pool,
//! if each row is a statement of its own. Pure: what is compared, what the formulas of others say, and the code to copy; [`callers`] insert.

pub mod callers;

use super::Options;
use super::race::{Measure, Outcome, Race};
use std::fmt;

/// The options of an inserter that are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Together {
    /// Batches that are written at the same time, each on a connection of its own.
    pub lanes: usize,
    /// The most rows of a batch.
    pub batch_rows: usize,
}

/// The connections of a pool: each row is a statement of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Alone {
    /// The most connections.
    pub connections: usize,
}

impl Options for Together {
    /// Those of [`InserterOptions`](inrush::InserterOptions).
    const DEFAULT: Self = Self { lanes: 2, batch_rows: 4096 };
}

impl Options for Alone {
    /// That of [`PoolOptions`](inrush::PoolOptions).
    const DEFAULT: Self = Self { connections: 10 };
}

impl fmt::Display for Together {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lanes = if self.lanes == 1 { "lane" } else { "lanes" };
        write!(f, "{} {lanes}, batches of {} rows", self.lanes, self.batch_rows)
    }
}

impl fmt::Display for Alone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.connections, if self.connections == 1 { "connection" } else { "connections" })
    }
}

/// Compares inserters for so many callers, on a server that has room for `most` connections.
///
/// # Errors
/// Those of [`Measure::measure`].
pub fn race_together(
    callers: usize,
    most: usize,
    measure: &mut dyn Measure<Together>,
) -> inrush::Result<Outcome<Together>> {
    let mut race = Race::start(measure)?;
    let may = |lanes: &usize| *lanes <= most.min(callers).min(MOST_LANES);
    let field = LANES.into_iter().filter(may).map(|lanes| Together { lanes, ..Together::DEFAULT });
    race.heats(&field.filter(|one| *one != Together::DEFAULT).collect::<Vec<_>>())?;
    let more = |best: Together| {
        let lanes = Some(best.lanes * 2).filter(|lanes| best.lanes == LANES[LANES.len() - 1] && may(lanes));
        lanes.map(|lanes| Together { lanes, ..best }).into_iter().collect()
    };
    // A caller waits for its row, so a batch never has more rows than there are callers.
    let batches = |best: Together| {
        let sizes = [1, 2, 4].map(|parts| callers / best.lanes / parts);
        sizes
            .into_iter()
            .filter(|rows| (LEAST_BATCH..callers).contains(rows))
            .map(|batch_rows| Together { batch_rows, ..best })
            .collect()
    };
    race.improve(&[&more, &batches])?;
    race.finish()
}

/// Compares pools of these sizes.
///
/// # Errors
/// Those of [`Measure::measure`].
pub fn race_alone(sizes: &[usize], measure: &mut dyn Measure<Alone>) -> inrush::Result<Outcome<Alone>> {
    let mut race = Race::start(measure)?;
    let field = sizes.iter().map(|connections| Alone { connections: *connections });
    race.heats(&field.filter(|one| *one != Alone::DEFAULT).collect::<Vec<_>>())?;
    race.finish()
}

/// The sizes of pools that are worth a measurement: some powers of two, and those of the formulas; none has more connections than there are
/// callers, or than the server has room for.
pub fn pool_sizes(callers: usize, most: usize, formulas: &[Formula]) -> Vec<usize> {
    let of_formulas = formulas.iter().flat_map(|formula| [formula.least, formula.most]);
    let mut sizes: Vec<usize> =
        POOLS.into_iter().chain(of_formulas).filter(|n| (1..=most.min(callers)).contains(n)).collect();
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

/// What a published formula says about the size of a pool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Formula {
    /// As its authors write it.
    pub formula: &'static str,
    /// Whose it is.
    pub by: &'static str,
    /// Where it is published.
    pub source: &'static str,
    /// The fewest connections that it recommends here.
    pub least: usize,
    /// The most.
    pub most: usize,
}

/// The formulas for a server of `cores` processors, called from a machine of `own_cores`. Those whose numbers are not known are left out.
pub fn formulas(cores: Option<usize>, own_cores: usize) -> Vec<Formula> {
    let of_server = cores.into_iter().flat_map(|cores| {
        [
            Formula {
                formula: "cores of the server x 2 + disks (one here)",
                by: "HikariCP",
                source: "https://github.com/brettwooldridge/HikariCP/wiki/About-Pool-Sizing",
                least: cores * 2 + 1,
                most: cores * 2 + 1,
            },
            Formula {
                formula: "1 to 10 for each core of the server",
                by: "Oracle UCP",
                source: "https://docs.oracle.com/en/database/oracle/oracle-database/21/jjucp/optimizing-real-world-performance.html",
                least: cores,
                most: cores * 10,
            },
        ]
    });
    let of_client = Formula {
        formula: "cores of the client x 2 + 1",
        by: "Prisma, up to version 6",
        source: "https://www.prisma.io/docs/v6/orm/prisma-client/setup-and-configuration/databases-connections/connection-pool",
        least: own_cores * 2 + 1,
        most: own_cores * 2 + 1,
    };
    of_server.chain([of_client]).collect()
}

/// Code to copy: a pool and an inserter with these options, those that are the defaults left out. `config` is a variable of the program.
pub fn code(table: &str, together: Together, alone: Alone) -> String {
    let connections = alone.connections.max(together.lanes);
    let mut pool = "inrush::PoolOptions::new()".to_owned();
    if connections != Alone::DEFAULT.connections {
        pool += &format!(".with_max({connections})");
    }
    let mut options = "inrush::InserterOptions::new()".to_owned();
    if together.lanes != Together::DEFAULT.lanes {
        options += &format!(".with_lanes({})", together.lanes);
    }
    if together.batch_rows != Together::DEFAULT.batch_rows {
        options += &format!(".with_batch_rows({})", together.batch_rows);
    }
    format!(
        "let pool = inrush::Pool::new(config.with_pool({pool}))?;\n\
         let options = {options};\n\
         let inserter = pool.inserter_with({table:?}, &options)?;"
    )
}

/// Numbers of lanes of the first turn.
const LANES: [usize; 4] = [1, 2, 4, 8];
/// What an inserter may have.
const MOST_LANES: usize = 64;
/// Smaller batches are commits of a few rows each, which is what an inserter avoids.
const LEAST_BATCH: usize = 8;
/// Sizes of pools.
const POOLS: [usize; 8] = [1, 2, 4, 8, 16, 32, 64, 128];

#[cfg(test)]
mod tests;
