//! The experiment `pool`: many callers that each take a connection from a pool, run one query and return it. It measures the number of
//! queries, and the time to get a connection. The choice of cases is pure and in this file; `callers` are the threads and the
//! tasks, and [`Bench`] runs a case.

mod bench;
mod callers;

pub use bench::{Bench, Settings};

use crate::query::Client;
use crate::results::{Case, Results, Role, Unit};
use crate::table::{self, grouped};
use std::collections::BTreeMap;

/// One cell of the experiment's table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Which of the two pools, and so the kind of its callers.
    pub client: Client,
    /// It keeps so many connections.
    pub min: usize,
    /// It has at most so many.
    pub max: usize,
    /// The number of concurrent callers.
    pub callers: usize,
}

impl Cell {
    /// Its record in the results, if each caller runs `queries`.
    pub fn case(&self, queries: u64) -> Case {
        let Self { client, min, max, callers } = *self;
        Case {
            id: format!("{} / {min} to {max} / {callers}", client.name()),
            subject: client.name().into(),
            with: [("min", min), ("max", max), ("callers", callers)]
                .map(|(name, n)| (name.into(), n.to_string()))
                .into(),
            group: format!("{callers} callers"),
            rows: callers as u64 * queries,
            unit: Unit::Queries,
            role: Role::Subject,
        }
    }
}

/// The cells of all combinations that a pool can be.
pub fn cells(kinds: &[Client], min: &[usize], max: &[usize], callers: &[usize]) -> Vec<Cell> {
    let mut cells = Vec::new();
    for &client in kinds {
        for (&min, &max) in
            min.iter().flat_map(|min| max.iter().map(move |max| (min, max))).filter(|(min, max)| min <= max)
        {
            cells.extend(callers.iter().map(|&callers| Cell { client, min, max, callers }));
        }
    }
    cells
}

/// For each number of callers the pool with the most answers, and the time of waiting.
pub fn verdicts(results: &Results) -> Vec<String> {
    let lines = table::lines(results);
    let mut groups: BTreeMap<usize, &str> = BTreeMap::new();
    for (i, case) in results.cases.iter().enumerate() {
        if !groups.values().any(|group| *group == case.group) {
            groups.insert(i, &case.group);
        }
    }
    let best = |group: &&str| {
        let of_group = lines.iter().filter(|line| line.case.group == **group);
        let rated = of_group.filter_map(|line| Some((line, line.median_rate().filter(|rate| *rate > 0.0)?)));
        let (line, rate) = rated.max_by(|a, b| a.1.total_cmp(&b.1))?;
        let with = |name: &str| line.case.with.get(name).map(String::as_str).unwrap_or_default();
        let mut text = format!(
            "{group}: most by the {} pool of {} to {} connections, {} queries/s",
            line.case.subject,
            with("min"),
            with("max"),
            grouped(rate, 0)
        );
        if let Some(acquire) = &line.acquire {
            let us = |share: f64| grouped(acquire.quantile(share).as_secs_f64() * 1e6, 1);
            text += &format!("; a connection in {} us, 99 of 100 within {} us", us(0.5), us(0.99));
        }
        Some(text + ".")
    };
    groups.values().filter_map(best).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::histogram::Latencies;
    use crate::results::{Sample, tests::results};
    use std::time::Duration;

    #[test]
    fn no_pool_keeps_more_than_it_may_have() {
        let cells = cells(&[Client::Async], &[5, 20], &[10, 50], &[1, 100]);
        let ids: Vec<String> = cells.iter().map(|cell| cell.case(10).id).collect();
        let want = ["5 to 10 / 1", "5 to 10 / 100", "5 to 50 / 1", "5 to 50 / 100", "20 to 50 / 1", "20 to 50 / 100"];
        assert_eq!(ids, want.map(|id| format!("async / {id}")));
    }

    #[test]
    fn the_best_pool_is_told() {
        let mut results = results(&[]);
        results.cases = cells(&[Client::Async], &[0], &[2, 8], &[16]).iter().map(|cell| cell.case(100)).collect();
        let mut acquire = Latencies::new();
        acquire.record(Duration::from_nanos(499_900));
        for (max, seconds) in [(2, 4.0), (8, 2.0)] {
            let case = format!("async / 0 to {max} / 16");
            let sample =
                Sample { case, round: 1, seconds, rows: 1600, acquire: Some(acquire.clone()), ..Sample::default() };
            results.samples.push(sample);
        }
        let want = "16 callers: most by the async pool of 0 to 8 connections, 800 queries/s; a connection in 500.0 us, 99 of 100 within 500.0 us.";
        assert_eq!(verdicts(&results), [want]);
    }
}
