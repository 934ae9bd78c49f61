//! The experiment `pressure`: concurrent clients write the same small row, for a time or a number of times, with several kinds of
//! concurrency. It counts the rows of every second by the client's clock and by the server's. The choice of cases is pure and in this
//! file; the `pacer` schedules the rows, `writers` are the clients, and [`Bench`] runs a case.

mod bench;
mod pacer;
mod writers;

pub use bench::{Bench, Now, Settings, ddl};
pub use pacer::{Pace, Until};

use crate::query;
use crate::results::{Case, Results, Role, Unit};
use crate::table::{self, Line, grouped};
use std::collections::BTreeMap;

/// What is concurrent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum On {
    /// Nothing: one thread.
    One,
    /// Threads that share a prepared statement.
    Statement,
    /// Threads that share a connection, with a statement each.
    Connection,
    /// Threads with a connection each.
    Connections,
    /// Threads with a connection each, and many rows a statement.
    ConnectionsMultiRow,
    /// Threads that bring rows to an inserter.
    Inserter,
}

/// One cell of the experiment's table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// What is concurrent.
    pub on: On,
    /// How many threads.
    pub clients: usize,
}

impl On {
    /// All, in the order of the table: the baseline first.
    pub const ALL: [On; 6] =
        [On::One, On::Statement, On::Connection, On::Connections, On::ConnectionsMultiRow, On::Inserter];

    /// As in tables and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            On::One => "one",
            On::Statement => "statement",
            On::Connection => "connection",
            On::Connections => "connections",
            On::ConnectionsMultiRow => "connections-multi-row",
            On::Inserter => "inserter",
        }
    }

    /// How many connections so many threads need.
    pub fn connections(self, clients: usize) -> usize {
        match self {
            On::One | On::Statement | On::Connection => 1,
            On::Connections | On::ConnectionsMultiRow => clients,
            On::Inserter => INSERTER_LANES,
        }
    }

    /// How many rows a statement carries, when statements may carry `many`.
    fn statement_rows(self, many: u64) -> u64 {
        if self == On::ConnectionsMultiRow { many } else { 1 }
    }
}

impl Cell {
    /// Its record in the results.
    pub fn case(&self, until: Until) -> Case {
        let Self { on, clients } = *self;
        Case {
            id: format!("{} / {clients}", on.name()),
            subject: on.name().into(),
            with: BTreeMap::from([("clients".into(), clients.to_string())]),
            group: String::new(),
            rows: if let Until::Rows(rows) = until { rows } else { 0 },
            unit: Unit::Rows,
            role: if on == On::One { Role::Baseline } else { Role::Subject },
        }
    }
}

/// The cells for these kinds of concurrency and numbers of clients.
pub fn cells(ways: &[On], clients: &[usize]) -> Vec<Cell> {
    let of = |on: &On| match on {
        On::One => vec![Cell { on: *on, clients: 1 }],
        _ => clients.iter().map(|clients| Cell { on: *on, clients: *clients }).collect(),
    };
    On::ALL.iter().filter(|on| ways.contains(on)).flat_map(of).collect()
}

/// The method with the most rows.
pub fn verdicts(results: &Results) -> Vec<String> {
    let lines = table::lines(results);
    let rated = lines.iter().filter_map(|line| Some((line, line.median_rate().filter(|rate| *rate > 0.0)?)));
    let best = rated.max_by(|a, b| a.1.total_cmp(&b.1)).filter(|_| rate_of(results).is_none());
    let sentence = |(line, rate): (&Line<'_>, f64)| {
        let mut text = format!("Most by `{}`: {} rows/s", line.case.id, grouped(rate, 0));
        if let Some(times) = line.speed_up.filter(|_| line.case.role != Role::Baseline) {
            text += &format!(", {times:.1} times as many as one thread");
        }
        text + "."
    };
    best.map(sentence).into_iter().collect()
}

/// Rates that were not kept, and failures.
pub fn failures(results: &Results) -> Vec<String> {
    let mut said = Vec::new();
    let asked = rate_of(results);
    for (case, rate) in results.cases.iter().filter_map(|case| Some((case, asked?))) {
        let samples = || results.samples.iter().filter(|sample| sample.case == case.id);
        let unsent: u64 = samples().filter_map(|sample| sample.unsent).sum();
        if unsent > 0 {
            said.push(format!(
                "{}: cannot keep up with {} rows/s: {} rows that were due were not even sent; what it took says nothing of those.",
                case.id,
                grouped(rate, 0),
                grouped(unsent as f64, 0)
            ));
        }
    }
    said.extend(query::failures(results));
    said
}

/// The requested rate, in rows a second.
fn rate_of(results: &Results) -> Option<f64> {
    results.run.options.get("rate").and_then(|rate| rate.parse().ok())
}

/// Connections of the inserter.
const INSERTER_LANES: usize = 2;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::{Sample, tests::results};
    use std::time::Duration;

    #[test]
    fn the_baseline_comes_first_and_is_one() {
        let cells = cells(&[On::Connections, On::One], &[4, 8]);
        let cases: Vec<Case> = cells.iter().map(|cell| cell.case(Until::Rows(7))).collect();
        assert_eq!(
            cases.iter().map(|case| &*case.id).collect::<Vec<_>>(),
            ["one / 1", "connections / 4", "connections / 8"]
        );
        assert_eq!((cases[0].role, cases[1].role, cases[1].rows), (Role::Baseline, Role::Subject, 7));
        assert_eq!(cells[0].case(Until::For(Duration::from_secs(1))).rows, 0);
    }

    fn told(rate: Option<&str>) -> Vec<String> {
        let mut results = results(&[]);
        let cells = cells(&[On::Connections, On::One], &[4]);
        results.cases = cells.iter().map(|cell| cell.case(Until::For(Duration::from_secs(1)))).collect();
        results.run.options.extend(rate.map(|rate| ("rate".to_owned(), rate.to_owned())));
        for (id, rows, unsent) in [("one / 1", 1000, 4000), ("connections / 4", 3500, 0)] {
            let unsent = rate.map(|_| unsent);
            results.samples.push(Sample { case: id.into(), round: 1, seconds: 1.0, rows, unsent, ..Sample::default() });
        }
        [verdicts(&results), failures(&results)].concat()
    }

    #[test]
    fn the_best_is_told_or_who_is_late() {
        assert_eq!(told(None), ["Most by `connections / 4`: 3,500 rows/s, 3.5 times as many as one thread."]);
        let late = "one / 1: cannot keep up with 5,000 rows/s: 4,000 rows that were due were not even sent; what it took says nothing of those.";
        assert_eq!(told(Some("5000")), [late]);
    }
}
