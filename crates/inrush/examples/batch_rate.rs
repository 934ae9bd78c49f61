//! How fast the writers of batches are, method by method and size by size; numbers in docs/notes/multi-row.md and bulk.md.
//!
//! `cargo run --release -p inrush --example batch_rate URL PID ROWS ROUNDS SPEC..` fills a table `batch_rate` in one transaction for each
//! spec in each round, and drops it again. A spec is `METHOD:ROWS:BYTES`, the limits of a command: `bulk:1000000:131072`,
//! `multi-row-prepared:512:1048576`, `encode-bulk:..` and `encode-multi-row-prepared:..` for the client's part without a server. PID is the
//! server's process, for its CPU.

#![allow(clippy::print_stdout, reason = "an example talks to a person")]

use inrush::sans_io::convert::{BoundRows, Rows};
use inrush::sans_io::session::Pipeline;
use inrush::sans_io::session::pipeline::{Decision, Flight, NextCommand, Reply};
use inrush::sans_io::write::RowSource;
use inrush::sans_io::write::template::Template;
use inrush::sans_io::write::{Bulk, Limits, MultiRowPrepared, Next, Writer};
use inrush::{Config, Error, Result, Statement, blocking};
use std::collections::BTreeMap;
use std::time::Instant;

/// Rows as one flight.
struct Batch<'a> {
    writer: Box<dyn Writer>,
    rows: &'a dyn BoundRows,
    next: usize,
    n_stored: u64,
}

impl Flight for Batch<'_> {
    fn next(&mut self, next: NextCommand<'_>) -> Result<Decision> {
        if self.next == self.rows.n_rows() {
            return next.end();
        }
        match self.writer.next(RowSource::Bound(self.rows), self.next..self.rows.n_rows(), Vec::new())? {
            Next::Command { command, n_rows } => {
                self.next += n_rows;
                next.send(&command)
            }
            Next::TooLong { bytes } => Err(Error::config(format!("a row of {bytes} bytes"))),
        }
    }

    fn reply(&mut self, _step: u64, reply: Result<Reply>) -> Result<()> {
        if let Reply::Done(outcome) = reply? {
            self.n_stored += outcome.affected;
        }
        Ok(())
    }
}

type Row = (u64, String, u8, String, f64, String);

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [url, pid, n_rows, n_rounds, specs @ ..] = &args[..] else {
        return Err(Error::config("URL PID ROWS ROUNDS SPEC.."));
    };
    let number = |text: &str| text.parse::<usize>().map_err(|_| Error::config(format!("`{text}` is no number")));
    let data: Vec<Row> = (1..=number(n_rows)? as u64).map(row).collect();
    let mut connection = blocking::Connection::connect(&Config::from_url(url)?)?;
    let mut times: BTreeMap<&str, Vec<[f64; 3]>> = BTreeMap::new();
    for round in 0..number(n_rounds)? {
        for i in 0..specs.len() {
            let spec = &specs[(i * 7 + round * 3) % specs.len()];
            times.entry(spec).or_default().push(run(&mut connection, &data, pid, spec)?);
        }
    }
    println!("| spec | ms | server CPU ms | client CPU ms |\n|---|---|---|---|");
    for (spec, rounds) in times {
        let median = |which: usize| {
            let mut all: Vec<f64> = rounds.iter().map(|times| times[which]).collect();
            all.sort_by(f64::total_cmp);
            format!("{:.1} ({:.1})", all[all.len() / 2], all[0])
        };
        println!("| {spec} | {} | {} | {} |", median(0), median(1), median(2));
    }
    Ok(())
}

/// Seconds on the clock, of the server's CPU, of ours.
fn run(connection: &mut blocking::Connection, data: &[Row], pid: &str, spec: &str) -> Result<[f64; 3]> {
    let mut parts = spec.split(':');
    let method = parts.next().unwrap_or_default();
    let mut number =
        || parts.next().and_then(|text| text.parse().ok()).ok_or_else(|| Error::config("METHOD:ROWS:BYTES"));
    let limits = Limits { rows: number()?, bytes: number()?, max_bytes: 16_000_000 };
    let insert =
        Statement::new("INSERT INTO batch_rate (id, name, age, email, score, created) VALUES (?, ?, ?, ?, ?, ?)")?;
    let rows = data.bind(insert.names(), insert.marks().len())?;
    let writer: Box<dyn Writer> = match method.trim_start_matches("encode-") {
        "bulk" => Box::new(Bulk::new(&insert, limits, false)?),
        "bulk-unit" => Box::new(Bulk::new(&insert, limits, true)?),
        _ => Box::new(MultiRowPrepared::new(&insert, &Template::parse(&insert), limits)?),
    };
    if method.starts_with("encode-") {
        return encode(writer, &*rows);
    }
    connection.execute("DROP TABLE IF EXISTS batch_rate", ())?;
    connection.execute(DDL, ())?;
    let (server, client, start) = (cpu(pid), cpu("self"), Instant::now());
    connection.execute("BEGIN", ())?;
    let mut pipeline = Pipeline::new(Batch { writer, rows: &*rows, next: 0, n_stored: 0 });
    connection.run(&mut pipeline)??;
    connection.execute("COMMIT", ())?;
    let took = start.elapsed();
    let used = [took.as_secs_f64() * 1e3, (cpu(pid) - server) / 1e6, (cpu("self") - client) / 1e6];
    let n_stored = pipeline.into_flight().n_stored;
    connection.execute("DROP TABLE batch_rate", ())?;
    // A reply of unit results has no count.
    assert!(n_stored == data.len() as u64 || method == "bulk-unit", "{n_stored} rows");
    Ok(used)
}

fn encode(mut writer: Box<dyn Writer>, rows: &dyn BoundRows) -> Result<[f64; 3]> {
    let (client, start) = (cpu("self"), Instant::now());
    let mut at = 0;
    while at < rows.n_rows() {
        match writer.next(RowSource::Bound(rows), at..rows.n_rows(), Vec::new())? {
            Next::Command { command, n_rows } => {
                at += n_rows;
                std::hint::black_box(command);
            }
            Next::TooLong { .. } => break,
        }
    }
    Ok([start.elapsed().as_secs_f64() * 1e3, 0.0, (cpu("self") - client) / 1e6])
}

/// Nanoseconds of all threads of a process.
fn cpu(pid: &str) -> f64 {
    let tasks = std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let run = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("schedstat")).ok());
    run.filter_map(|text| text.split(' ').next()?.parse::<f64>().ok()).sum()
}

fn row(id: u64) -> Row {
    let mixed = id.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
    let name = format!("{} {}", FIRST[mixed as usize % FIRST.len()], LAST[(mixed >> 8) as usize % LAST.len()]);
    let email = format!("{}{}@example.com", name.to_lowercase().replace(' ', "."), mixed % 9973);
    let created = format!("2021-{:02}-{:02} {:02}:{:02}:00", mixed % 12 + 1, mixed % 28 + 1, mixed % 24, mixed % 60);
    (id, name, (18 + mixed % 77) as u8, email, (mixed % 100_000) as f64 / 100.0, created)
}

const DDL: &str = "CREATE TABLE batch_rate (id BIGINT PRIMARY KEY, name VARCHAR(100) NOT NULL, age INT, email VARCHAR(200), score DOUBLE, created DATETIME)";
const FIRST: [&str; 5] = ["Ann", "Robert", "Katherine", "Li", "Mohammed"];
const LAST: [&str; 5] = ["Smith", "O Brien", "Fernandez", "Ng", "Abdulrahman"];
