//! How fast single-row executions go through a pipeline; numbers in docs/notes/pipeline.md.
//!
//! `cargo run --release -p inrush --example pipeline_rate URL [ROWS [COMMANDS [BYTES]]]` fills a table `pipeline_rate` and drops it again. With
//! a window of one command they go one by one. Under `time` it tells the CPU, under `strace -c` the system calls.

#![allow(clippy::print_stdout, reason = "an example talks to a person")]

use inrush::sans_io::session::Pipeline;
use inrush::sans_io::session::pipeline::{Decision, Flight, NextCommand, Reply, Window};
use inrush::{Config, Result, Statement, blocking};
use std::time::Instant;

/// Numbers as rows.
struct Numbers {
    insert: Statement,
    next: usize,
    end: usize,
    n_stored: u64,
}

impl Flight for Numbers {
    fn next(&mut self, next: NextCommand<'_>) -> Result<Decision> {
        if self.next == self.end {
            return next.end();
        }
        self.next += 1;
        next.execute(&self.insert, (self.next, "twelve bytes"))
    }

    fn reply(&mut self, _step: u64, reply: Result<Reply>) -> Result<()> {
        if let Reply::Done(outcome) = reply? {
            self.n_stored += outcome.affected;
        }
        Ok(())
    }
}

fn main() -> Result<()> {
    let mut args = std::env::args().skip(1);
    let url = args.next().unwrap_or_default();
    let mut number = |default: usize| args.next().and_then(|text| text.parse().ok()).unwrap_or(default);
    let (n_rows, usual) = (number(100_000), Window::default());
    let window = Window { n_commands: number(usual.n_commands), n_bytes: number(usual.n_bytes) };

    let mut connection = blocking::Connection::connect(&Config::from_url(&url)?)?;
    connection.execute("DROP TABLE IF EXISTS pipeline_rate", ())?;
    connection.execute("CREATE TABLE pipeline_rate (id INT PRIMARY KEY, v VARCHAR(20))", ())?;
    connection.execute("SET autocommit = 0", ())?;
    let insert = connection.prepare("INSERT INTO pipeline_rate VALUES (?, ?)")?;
    let mut pipeline = Pipeline::new(Numbers { insert, next: 0, end: n_rows, n_stored: 0 }).with_window(window);
    let start = Instant::now();
    connection.run(&mut pipeline)??;
    connection.execute("COMMIT", ())?;
    let rate = n_rows as f64 / start.elapsed().as_secs_f64();
    println!("{} rows stored, {rate:.0} rows/s, {window:?}", pipeline.into_flight().n_stored);
    connection.execute("DROP TABLE pipeline_rate", ()).map(drop)
}
