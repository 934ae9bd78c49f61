//! `inrush tune --callers N`: an inserter and a pool for a service whose callers insert single rows, measured in a schema of its own.
//!
//! ```text
//! a table of texts, or a copy -> race of inserters, race of pools (inrush_bench::tune::service) -> verdicts, formulas of others -> code to copy
//! ```

use super::{STOPPING, TuneArgs, arms, conclusion, not_measured, options_of, refusals, short_interval};
use crate::commands::load::Watch;
use crate::connection::{ConnectArgs, Environment, hint_at_login};
use crate::{Output, exit};
use clap::{Args as _, Command};
use inrush::Config;
use inrush::blocking::Connection;
use inrush::table::TableName;
use inrush_bench::facts::ServerProcess;
use inrush_bench::histogram::Latencies;
use inrush_bench::tune::Options;
use inrush_bench::tune::copy::TableCopy;
use inrush_bench::tune::race::{Measure, Outcome};
use inrush_bench::tune::sample::{Sizing, SizingLoad, budget_that_decides};
use inrush_bench::tune::service::callers::{CallerRows, Callers, Inserted};
use inrush_bench::tune::service::{self, Alone, Formula, Together};
use inrush_bench::tune::verdict::{self, Advice};
use inrush_core::{Error, Kind, Result, human};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::{Duration, Instant};

/// Measures, and returns the exit code. `given` are the options of the command line.
pub(super) fn run(args: &TuneArgs, n_callers: usize, given: &[String], output: &Output) -> Result<u8> {
    check(args, given)?;
    let signals = Watch::start(output.clone())?;
    let config = args.connect.config(&Environment::of_process())?;
    let table = args.table.as_deref().map(|table| TableName::parse(table)?.in_schema(config.database())).transpose()?;
    // From here on there is something to remove.
    signals.hold(STOPPING);
    let mut copy = match &table {
        Some(table) => TableCopy::make(&config, table),
        None => TableCopy::of_texts(&config, args.row_bytes as usize),
    }
    .map_err(hint_at_login)?;
    let measured = measure(args, n_callers, (&config, table.as_ref()), &mut copy, (&signals, output));
    output.set_line(None);
    let (service, removed) = match measured {
        Ok(service) => (service, copy.remove()),
        Err(error) if error.kind() == Kind::Interrupted => {
            output.error("interrupted: there is no result");
            return copy.remove().map(|()| exit::INTERRUPTED);
        }
        Err(error) => return Err(copy.remove_after(error)),
    };
    output.result(&match output.is_json() {
        true => service.as_json().to_string(),
        false => service.as_text(),
    });
    removed.map(|()| exit::OK)
}

/// Refuses options of the files of a load.
fn check(args: &TuneArgs, given: &[String]) -> Result<()> {
    if !args.files.is_empty() {
        return Err(Error::config("`--callers` insert rows of the table or of `--row-bytes`, and no file"));
    }
    let connect = ConnectArgs::augment_args(Command::new("connect"));
    let is_of_connection = |name: &str| connect.get_arguments().any(|arg| arg.get_long() == Some(name));
    match given.iter().find(|name| !is_of_connection(name)) {
        Some(name) => {
            Err(Error::config(format!("`--{name}` is an option of a load, and `--callers` tunes an inserter")))
        }
        None => Ok(()),
    }
}

/// Runs both races.
fn measure(
    args: &TuneArgs,
    n_callers: usize,
    (config, table): (&Config, Option<&TableName>),
    copy: &mut TableCopy,
    (signals, output): (&Watch, &Output),
) -> Result<Service> {
    let began = Instant::now();
    let server = Server::read(config, args.server_cores.map(|cores| cores as usize))?;
    let rows = match table {
        Some(table) => CallerRows::of_table(config, table, MOST_ROWS, MOST_BYTES)?,
        None => CallerRows::texts(args.row_bytes as usize),
    };
    let most_rows = rows.most();
    if most_rows < n_callers as u64 {
        return Err(Error::config(format!(
            "{} has {}, each of which its unique key allows once: too few for {n_callers} callers",
            table.map_or_else(String::new, TableName::quoted),
            human::counted(most_rows, "row")
        ))
        .with_hint("fewer callers, or `--row-bytes N` instead of the table"));
    }
    let callers = Callers::new(config, copy.name.clone(), rows, n_callers)?;
    let mut trials = Trials {
        callers: &callers,
        copy,
        most_rows,
        rows: 0,
        sized: None,
        latencies: BTreeMap::new(),
        part: args.budget.mul_f64(FOR_TOGETHER),
        end: began + args.budget.mul_f64(FOR_TOGETHER),
        race_began: began,
        n_of_race: 0,
        spent: Duration::ZERO,
        signals,
        output,
    };
    let together_rows = trials.choose_rows::<Together>(n_callers)?;
    let together = service::race_together(n_callers, server.room, &mut trials)?;
    let together_decides = trials.budget_to_decide(FOR_TOGETHER);
    (trials.part, trials.end) = (args.budget.mul_f64(1.0 - FOR_TOGETHER), began + args.budget);
    let formulas = service::formulas(server.cores, server.own_cores);
    let alone_rows = trials.choose_rows::<Alone>(n_callers)?;
    let alone = service::race_alone(&service::pool_sizes(n_callers, server.room, &formulas), &mut trials)?;
    let alone_decides = trials.budget_to_decide(1.0 - FOR_TOGETHER);
    let latencies = std::mem::take(&mut trials.latencies);
    let nothing = || Error::config("nothing was measured to its end");
    Ok(Service {
        n_callers,
        row: match table {
            Some(table) => format!("a row like those of {}", table.quoted()),
            None => format!("a row of {} bytes", args.row_bytes),
        },
        row_bytes: table.is_none().then_some(args.row_bytes),
        table: table.map(|table| (table.clone(), args.table.clone().unwrap_or_default())),
        left_out: trials.copy.left_out.clone(),
        sees_triggers: trials.copy.sees_triggers,
        together_advice: verdict::of(&together, together_rows).ok_or_else(nothing)?,
        alone_advice: verdict::of(&alone, alone_rows).ok_or_else(nothing)?,
        together: (together, together_rows),
        together_decides,
        alone: (alone, alone_rows),
        alone_decides,
        server,
        formulas,
        latencies,
    })
}

/// What must be known of the server.
struct Server {
    version: String,
    /// Connections that it has room for.
    room: usize,
    max_connections: usize,
    /// Its processors, if they are known.
    cores: Option<usize>,
    /// Those of this machine.
    own_cores: usize,
}

impl Server {
    fn read(config: &Config, cores: Option<usize>) -> Result<Self> {
        let mut connection = Connection::connect(config)?;
        let own_cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let mut number = |sql: &str| {
            let row: Option<(String, String)> = connection.query_first(sql, ()).ok().flatten();
            row.and_then(|(_, value)| value.parse::<usize>().ok())
        };
        let max_connections = number("SHOW GLOBAL VARIABLES LIKE 'max_connections'").unwrap_or(151);
        let used = number("SHOW GLOBAL STATUS LIKE 'Threads_connected'").unwrap_or(1);
        // MariaDB has as many groups of threads as it sees processors.
        let groups = number("SHOW GLOBAL VARIABLES LIKE 'thread_pool_size'");
        let local = ServerProcess::find(&mut connection).map(|_| own_cores);
        Ok(Self {
            version: connection.server_version().to_string(),
            room: max_connections.saturating_sub(used + SPARE).max(1),
            max_connections,
            cores: cores.or(local).or(groups),
            own_cores,
        })
    }
}

/// Has callers insert rows.
struct Trials<'a> {
    callers: &'a Callers,
    copy: &'a mut TableCopy,
    /// As many as can be inserted into the empty table.
    most_rows: u64,
    /// Rows of a sample.
    rows: u64,
    /// The sample of the defaults that chose this size.
    sized: Option<SizingLoad>,
    /// How long callers waited, by the options.
    latencies: BTreeMap<String, Latencies>,
    /// The time for this race.
    part: Duration,
    /// No measurement of this race begins after that.
    end: Instant,
    /// When the size was chosen: shares of the time are of what was left then.
    race_began: Instant,
    /// Samples since then, and the time that they took with all that belongs to them.
    n_of_race: u32,
    spent: Duration,
    signals: &'a Watch,
    output: &'a Output,
}

impl Trials<'_> {
    /// Chooses how many rows a sample has.
    fn choose_rows<C: Options>(&mut self, n_callers: usize) -> Result<u64>
    where
        Self: Measure<C>,
    {
        self.sized = None;
        let least = n_callers as u64;
        let mut sizing = Sizing::new(self.part, (least * 4).max(FIRST_ROWS), least, self.most_rows);
        while let Some(rows) = sizing.next_rows().filter(|_| sizing.chosen().is_none() || Instant::now() < self.end) {
            self.rows = rows;
            let began = Instant::now();
            let seconds = self.measure(&C::DEFAULT)?.map_err(Error::config)?;
            sizing.add(SizingLoad { rows, is_all: false, wall: began.elapsed().as_secs_f64(), seconds });
        }
        self.sized = sizing.chosen();
        self.rows = self.sized.map_or(self.rows, |chosen| chosen.rows);
        // What was measured with other numbers of rows is no part of the result.
        self.latencies.remove(&C::DEFAULT.to_string());
        (self.race_began, self.n_of_race, self.spent) = (Instant::now(), 0, Duration::ZERO);
        Ok(self.rows)
    }

    /// The whole budget in which this race has time for enough turns of samples like these, if its part is such a share; `None` if none has.
    fn budget_to_decide(&self, share: f64) -> Option<Duration> {
        let mean = self.spent.checked_div(self.n_of_race).map(|mean| mean.as_secs_f64());
        let seconds = mean.or(self.sized.map(|sized| sized.wall)).unwrap_or_default();
        budget_that_decides(self.part.div_f64(share), seconds / share)
    }

    fn trial<C: Options>(
        &mut self,
        candidate: &C,
        insert: impl FnOnce(&Callers, u64, &dyn Fn() -> bool) -> Result<Inserted>,
    ) -> Result<std::result::Result<f64, String>> {
        // The time is over: the sample was measured by the defaults when its size was chosen.
        if let (true, true, Some(sized)) = (*candidate == C::DEFAULT, self.left_of_part() <= 0.0, self.sized) {
            return Ok(Ok(sized.seconds));
        }
        self.output.detail(&format!("measuring {candidate}"));
        if self.output.shows_progress() && self.output.is_terminal() {
            let left = human::whole_time(self.end.saturating_duration_since(Instant::now()));
            self.output.set_line(Some(&format!("measuring {candidate}; about {left} left for this comparison")));
        }
        let began = Instant::now();
        self.copy.empty()?;
        let is_over = || self.signals.is_over();
        let inserted = match insert(self.callers, self.rows, &is_over) {
            Ok(inserted) => inserted,
            Err(error) if error.kind() == Kind::Interrupted || *candidate == C::DEFAULT => return Err(error),
            Err(error) => return Ok(Err(error.message().to_owned())),
        };
        let stored = self.copy.count()?;
        if stored != self.rows {
            let message = format!("{} rows were acknowledged by {candidate}, and the table holds {stored}", self.rows);
            return Err(Error::new(Kind::Protocol, message));
        }
        self.latencies.entry(candidate.to_string()).or_default().merge(&inserted.latency);
        (self.n_of_race, self.spent) = (self.n_of_race + 1, self.spent + began.elapsed());
        Ok(Ok(inserted.seconds))
    }

    fn left_of_part(&self) -> f64 {
        let left = self.end.saturating_duration_since(Instant::now()).as_secs_f64();
        left / self.end.saturating_duration_since(self.race_began).as_secs_f64().max(1e-9)
    }
}

impl Measure<Together> for Trials<'_> {
    fn measure(&mut self, candidate: &Together) -> Result<std::result::Result<f64, String>> {
        self.trial(candidate, |callers, n, is_over| callers.together(*candidate, n, is_over))
    }

    fn left(&self) -> f64 {
        self.left_of_part()
    }
}

impl Measure<Alone> for Trials<'_> {
    fn measure(&mut self, candidate: &Alone) -> Result<std::result::Result<f64, String>> {
        self.trial(candidate, |callers, n, is_over| callers.alone(*candidate, n, is_over))
    }

    fn left(&self) -> f64 {
        self.left_of_part()
    }
}

/// The result, to be shown.
struct Service {
    n_callers: usize,
    row: String,
    row_bytes: Option<u64>,
    /// The table, and its name on the command line.
    table: Option<(TableName, String)>,
    left_out: Vec<String>,
    sees_triggers: bool,
    server: Server,
    /// The outcome, and how many rows a sample had.
    together: (Outcome<Together>, u64),
    /// The budget that decides, if this one has too few turns.
    together_decides: Option<Duration>,
    together_advice: Advice<Together>,
    alone: (Outcome<Alone>, u64),
    alone_decides: Option<Duration>,
    alone_advice: Advice<Alone>,
    formulas: Vec<Formula>,
    latencies: BTreeMap<String, Latencies>,
}

impl Service {
    /// How many times as many rows the inserter stored as statements of their own, each with the options of the result.
    fn gain(&self) -> f64 {
        self.together_advice.rate.median / self.alone_advice.rate.median
    }

    /// Connections by Little's law: the mean number at work is the rate times the time of one statement, measured without others.
    fn little(&self) -> Option<usize> {
        let (outcome, rows) = &self.alone;
        let one = outcome.finalists.iter().chain(&outcome.dropped).find(|arm| arm.candidate.connections == 1)?;
        let statement = one.median() / *rows as f64;
        Some((self.alone_advice.rate.median * statement).ceil() as usize)
    }

    fn code(&self) -> String {
        let table = self.table.as_ref().map_or("TABLE", |(_, name)| name);
        service::code(table, self.together_advice.candidate, self.alone_advice.candidate)
    }

    /// Seconds of a pool of this size for the sample, if it was measured.
    fn seconds_of(&self, connections: usize) -> Option<f64> {
        let outcome = &self.alone.0;
        let arm =
            outcome.finalists.iter().chain(&outcome.dropped).find(|arm| arm.candidate.connections == connections)?;
        Some(arm.median())
    }

    fn latency(&self, options: &impl ToString) -> Option<[Duration; 2]> {
        let latency = self.latencies.get(&options.to_string())?;
        Some([0.5, 0.99].map(|share| latency.quantile(share)))
    }

    fn waits(&self, options: &impl ToString) -> String {
        let ms = |time: Duration| format!("{:.1} ms", time.as_secs_f64() * 1e3);
        self.latency(options).map_or_else(String::new, |[half, most]| {
            format!("; half of the callers wait less than {}, 99 of 100 less than {}", ms(half), ms(most))
        })
    }

    fn as_text(&self) -> String {
        let mut text = String::new();
        let cores = match self.server.cores {
            Some(cores) => human::counted(cores as u64, "core"),
            None => "its number of cores is not known, `--server-cores N` gives it".into(),
        };
        let _ = writeln!(
            text,
            "{} on {} ({cores}): each inserts {}, waits until it is stored, and inserts the next",
            human::counted(self.n_callers as u64, "caller"),
            self.server.version,
            self.row
        );
        text += &super::lacks(&self.left_out, self.sees_triggers);
        let (together, rows) = &self.together;
        let _ = writeln!(text, "\nthrough an inserter, seconds for {}:", human::counted(*rows, "row"));
        text += &(arms(together) + &refusals(together) + &not_measured(together));
        let (alone, rows) = &self.alone;
        let _ = writeln!(text, "\nby a statement each, over a pool, seconds for {}:", human::counted(*rows, "row"));
        text += &(arms(alone) + &refusals(alone) + &not_measured(alone));
        text += "\nwhat published formulas say about a pool:\n";
        let best = alone.finalists.iter().map(|arm| arm.median()).fold(f64::MAX, f64::min);
        for Formula { formula, by, least, most, .. } in &self.formulas {
            let range = if least == most { least.to_string() } else { format!("{least} to {most}") };
            let measured = match (least == most, self.seconds_of(*least)) {
                (true, Some(seconds)) => format!("; measured, {:.2} times as long as the best", seconds / best),
                (true, None) => "; not measured".into(),
                (false, _) => String::new(),
            };
            let _ = writeln!(text, "  {range:>8}  {formula} ({by}){measured}");
        }
        if let Some(connections) = self.little() {
            let _ = writeln!(
                text,
                "  {connections:>8}  rows a second x time of a statement on one connection alone (Little's law), for the rate of the result"
            );
        }
        let _ = writeln!(
            text,
            "\nThe inserter: {}{}.",
            conclusion(together, &self.together_advice, self.together_decides),
            self.waits(&self.together_advice.candidate)
        );
        let _ = writeln!(
            text,
            "The pool: {}{}.",
            conclusion(alone, &self.alone_advice, self.alone_decides),
            self.waits(&self.alone_advice.candidate)
        );
        let _ = write!(
            text,
            "The inserter stores {:.1} times as many rows as statements of their own. It takes {} of the pool while it has rows.\n\n{}\n// expected: {}",
            self.gain(),
            human::counted(self.together_advice.candidate.lanes as u64, "connection"),
            self.code(),
            short_interval(&self.together_advice.rate)
        );
        text
    }

    fn as_json(&self) -> Value {
        let formulas = self.formulas.iter().map(|one| {
            json!({
                "formula": one.formula, "by": one.by, "source": one.source,
                "connections": { "least": one.least, "most": one.most },
            })
        });
        let Alone { connections } = self.alone_advice.candidate;
        let Together { lanes, batch_rows } = self.together_advice.candidate;
        json!({
            "inrush": "tune callers",
            "version": 1,
            "server": self.server.version,
            "server_cores": self.server.cores,
            "max_connections": self.server.max_connections,
            "callers": self.n_callers,
            "table": self.table.as_ref().map(|(table, _)| table.quoted()),
            "row_bytes": self.row_bytes,
            "left_out": self.left_out,
            "sees_triggers": self.sees_triggers,
            "inserter": self.race_json(&self.together, &self.together_advice, self.together_decides, &together_json),
            "pool": self.race_json(&self.alone, &self.alone_advice, self.alone_decides, &alone_json),
            "formulas": formulas.collect::<Vec<_>>(),
            "littles_law_connections": self.little(),
            "inserter_times_pool": self.gain(),
            "options": { "lanes": lanes, "batch_rows": batch_rows, "pool_max": connections.max(lanes) },
            "code": self.code(),
            "exit_code": exit::OK,
        })
    }

    fn race_json<C: Options>(
        &self,
        (outcome, rows): &(Outcome<C>, u64),
        advice: &Advice<C>,
        to_decide: Option<Duration>,
        of: &dyn Fn(&C) -> Value,
    ) -> Value {
        let mut race = options_of(outcome, advice, of);
        let to_decide = to_decide.filter(|_| verdict::lacks_turns(advice));
        race["budget_to_decide_seconds"] = json!(to_decide.map(|budget| budget.as_secs()));
        race["sample_rows"] = json!(rows);
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        race["wait_ms"] =
            json!(self.latency(&advice.candidate).map(|[p50, p99]| json!({ "p50": ms(p50), "p99": ms(p99) })));
        race
    }
}

fn together_json(options: &Together) -> Value {
    json!({ "lanes": options.lanes, "batch_rows": options.batch_rows })
}

fn alone_json(options: &Alone) -> Value {
    json!({ "connections": options.connections })
}

/// The first sample.
const FIRST_ROWS: u64 = 1000;
/// Rows of a table that are inserted again.
const MOST_ROWS: u64 = 1_000_000;
const MOST_BYTES: usize = 256 << 20;
/// The share of the budget for the inserter.
const FOR_TOGETHER: f64 = 0.5;
/// Connections that are left to others.
const SPARE: usize = 3;
