//! What Rust's peers share: the protocol (docs/schema/peers-1.md), the rows, the clock. A peer is what it says of itself and a [`Writer`].

mod rows;
pub mod text;

pub use bench_lib::{Error, Result};
pub use rows::Person;

use bench_lib::cpu;
use serde::Deserialize;
use serde_json::{Value, json};
use std::io::{BufRead, Write};
use std::time::{Duration, Instant};

/// Where the server is.
#[derive(Clone, Deserialize)]
pub struct Server {
    pub host: String,
    pub port: u16,
    pub socket: Option<String>,
    pub tls: bool,
    pub user: String,
    pub database: String,
    /// Not of the message: from the environment.
    #[serde(skip)]
    pub password: String,
}

/// One case.
#[derive(Deserialize)]
pub struct Run {
    pub subject: String,
    commits: String,
    rows: usize,
    pub statement_rows: usize,
    first: usize,
    pub table: String,
    cap: f64,
}

impl Run {
    /// Whether all rows are one transaction.
    pub fn is_once(&self) -> bool {
        self.commits == "once"
    }

    /// An INSERT up to where the values follow.
    pub fn head(&self) -> String {
        format!("INSERT INTO {} (id, name, age, email, score, created) VALUES ", self.table)
    }

    /// An INSERT of so many rows, with placeholders.
    pub fn insert(&self, n_rows: usize) -> String {
        self.head() + &vec!["(?, ?, ?, ?, ?, ?)"; n_rows].join(", ")
    }
}

/// A connection that writes rows.
pub trait Writer {
    /// Writes rows until there are no more or the time is up, and returns how many are stored. Starts the clock once all is prepared.
    fn run(&mut self, run: &Run, rows: &[Person], clock: &mut Clock) -> Result<usize>;
}

/// Runs from the first byte sent to the last answer.
pub struct Clock {
    cap: Duration,
    start: Option<(Instant, (f64, f64), u64)>,
}

impl Clock {
    pub fn start(&mut self) {
        self.start = Some((Instant::now(), cpu(), bench_lib::n_allocations()));
    }

    /// Whether the time is up.
    pub fn is_over(&self) -> bool {
        self.start.is_some_and(|(start, ..)| start.elapsed() >= self.cap)
    }
}

/// Reports its name and runs the requests that it reads, until its input ends. `version` is the library's, `cases` are (subject, needs).
pub fn serve<W: Writer>(peer: &str, version: &str, cases: &[(&str, &[&str])], connect: impl Fn(&Server) -> Result<W>) {
    let cases: Vec<Value> = cases
        .iter()
        .map(|(subject, needs)| json!({ "subject": subject, "commits": ["each", "once"], "needs": needs }))
        .collect();
    say(&json!({
        "protocol": 1, "peer": peer, "version": version, "routes": ["tcp", "tls", "socket"], "cases": cases
    }));
    let mut prepared: Option<(W, Vec<Person>)> = None;
    for line in std::io::stdin().lock().lines() {
        let answer = line.map_err(Error::from).and_then(|line| obey(&line, &mut prepared, &connect));
        say(&answer.unwrap_or_else(|error| json!({ "error": error.to_string() })));
    }
}

fn obey<W: Writer>(
    line: &str,
    prepared: &mut Option<(W, Vec<Person>)>,
    connect: &impl Fn(&Server) -> Result<W>,
) -> Result<Value> {
    let message: Value = serde_json::from_str(line)?;
    match message["op"].as_str() {
        Some("prepare") => {
            let mut server: Server = serde_json::from_value(message["server"].clone())?;
            server.password = std::env::var("INRUSH_PASSWORD").unwrap_or_default();
            let rows = rows::read(message["file"].as_str().ok_or("no `file`")?)?;
            let n_rows = rows.len();
            *prepared = Some((connect(&server)?, rows));
            Ok(json!({ "ready": n_rows }))
        }
        Some("run") => {
            let (writer, rows) = prepared.as_mut().ok_or("not prepared")?;
            let run: Run = serde_json::from_value(message)?;
            let rows = rows.get(run.first - 1..run.first - 1 + run.rows).ok_or("more rows than the file has")?;
            let mut clock = Clock { cap: Duration::from_secs_f64(run.cap), start: None };
            let stored = writer.run(&run, rows, &mut clock)?;
            let (start, (user, system), allocations_before) = clock.start.ok_or("no clock ran")?;
            let seconds = start.elapsed().as_secs_f64();
            let (user, system) = (cpu().0 - user, cpu().1 - system);
            let mut answer = json!({ "seconds": seconds, "rows": stored, "cut": stored < rows.len(), "client_cpu": user + system, "client_user": user });
            if cfg!(feature = "allocations") {
                answer["allocations"] = json!(bench_lib::n_allocations() - allocations_before);
            }
            Ok(answer)
        }
        _ => Err("an op that is not known".into()),
    }
}

fn say(message: &Value) {
    let mut out = std::io::stdout().lock();
    // If this fails, the process that started this one has ended, and the input ends next.
    let _ = writeln!(out, "{message}").and_then(|()| out.flush());
}
