//! The experiment `query`: clients that repeat the same query, as threads and as tasks. The choice of cases is pure and in
//! this file; `blocking` and `tasks` are the two kinds of clients, `people` the tables of the JOIN, and [`Bench`] runs a case.

mod bench;
mod blocking;
mod people;
mod tasks;
mod work;

pub use bench::{Bench, Settings};
pub(crate) use bench::{check, runtime};
pub use people::{JOIN, TABLES as JOIN_TABLES, ddl as join_ddl};

use crate::results::{Case, Results, Role, Unit};
use crate::table::{self, Line, grouped};
use std::collections::BTreeMap;

/// A kind of client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Client {
    /// A thread with a connection.
    Blocking,
    /// A task with one.
    Async,
}

/// How queries are sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// One, and its answer is waited for.
    #[default]
    Normal,
    /// Some in one text, which is answered as a whole.
    Batch,
    /// Some in one flight, each with its answer.
    Pipeline,
}

/// One cell of the experiment's table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// The kind of client.
    pub client: Client,
    /// How many of them at the same time.
    pub clients: usize,
}

impl Client {
    /// As in tables and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Client::Blocking => "blocking",
            Client::Async => "async",
        }
    }
}

impl Mode {
    /// As on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Normal => "normal",
            Mode::Batch => "batch",
            Mode::Pipeline => "pipeline",
        }
    }
}

impl Cell {
    /// Its record in the results, if each client runs `queries`. The speed-up is relative to the fewest clients of this kind.
    pub fn case(&self, queries: u64, fewest: usize) -> Case {
        let Self { client, clients } = *self;
        Case {
            id: format!("{} / {clients}", client.name()),
            subject: client.name().into(),
            with: BTreeMap::from([("clients".into(), clients.to_string())]),
            group: client.name().into(),
            rows: clients as u64 * queries,
            unit: Unit::Queries,
            role: if clients == fewest { Role::Baseline } else { Role::Subject },
        }
    }
}

/// The cells for these kinds and numbers of clients.
pub fn cells(kinds: &[Client], clients: &[usize]) -> Vec<Cell> {
    kinds.iter().flat_map(|client| clients.iter().map(|clients| Cell { client: *client, clients: *clients })).collect()
}

/// Conclusions: for each kind of client the number of clients with the most answers; and failures.
pub fn verdicts(results: &Results) -> Vec<String> {
    let lines = table::lines(results);
    let mut subjects: Vec<&str> = lines.iter().map(|line| &*line.case.subject).collect();
    subjects.dedup();
    let most = |subject: &&str| {
        let of_subject = lines.iter().filter(|line| line.case.subject == **subject);
        let rate = |line: &Line<'_>| line.median_rate().unwrap_or(0.0);
        let best = of_subject.max_by(|a, b| rate(a).total_cmp(&rate(b))).filter(|line| rate(line) > 0.0)?;
        let clients = best.case.with.get("clients").map(String::as_str).unwrap_or_default();
        let mut text = format!("{subject}: most with {clients} clients, {} queries/s", grouped(rate(best), 0));
        if let Some(times) = best.speed_up.filter(|_| best.case.role != Role::Baseline) {
            text += &format!(", {times:.1} times as many as with the fewest");
        }
        Some(text + ".")
    };
    subjects.iter().filter_map(most).collect()
}

/// A sentence for each case in which something failed.
pub fn failures(results: &Results) -> Vec<String> {
    let of = |case: &Case| {
        let samples = || results.samples.iter().filter(|sample| sample.case == case.id);
        let n: u64 = samples().flat_map(|sample| sample.errors.values()).sum();
        let words = samples().find_map(|sample| sample.first_error.as_deref())?;
        let done: u64 = samples().map(|sample| sample.rows).sum();
        let unit = case.unit.name();
        Some(format!("{}: {n} of {} {unit} failed; the first error: {words}", case.id, n + done))
    };
    results.cases.iter().filter_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::{Sample, tests::results};

    #[test]
    fn each_kind_has_its_baseline() {
        let cells = cells(&[Client::Blocking, Client::Async], &[1, 10]);
        let cases: Vec<Case> = cells.iter().map(|cell| cell.case(50, 1)).collect();
        let ids: Vec<&str> = cases.iter().map(|case| &*case.id).collect();
        assert_eq!(ids, ["blocking / 1", "blocking / 10", "async / 1", "async / 10"]);
        assert_eq!(cases.iter().map(|case| case.rows).collect::<Vec<_>>(), [50, 500, 50, 500]);
        assert_eq!(cases.iter().filter(|case| case.role == Role::Baseline).count(), 2);
    }

    #[test]
    fn the_best_and_the_failures_are_told() {
        let mut results = results(&[]);
        results.cases = cells(&[Client::Async], &[1, 10]).iter().map(|cell| cell.case(100, 1)).collect();
        for (id, rows, seconds) in [("async / 1", 100, 1.0), ("async / 10", 999, 2.0)] {
            let sample = Sample { case: id.into(), round: 1, seconds, rows, ..Sample::default() };
            results.samples.push(sample);
        }
        results.samples[1].errors = BTreeMap::from([("1317".into(), 1)]);
        results.samples[1].first_error = Some("query execution was interrupted".into());
        assert_eq!(
            [verdicts(&results), failures(&results)].concat(),
            [
                "async: most with 10 clients, 500 queries/s, 5.0 times as many as with the fewest.",
                "async / 10: 1 of 1000 queries failed; the first error: query execution was interrupted",
            ]
        );
    }
}
