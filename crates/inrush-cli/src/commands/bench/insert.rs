//! `inrush bench insert`: every write method, committed statement by statement and once.

use super::place::{Place, SCHEMA};
use crate::connection::ConnectArgs;
use crate::{Output, exit, human};
use clap::Args;
use inrush::blocking::Connection;
use inrush_bench::advice;
use inrush_bench::dataset::Users;
use inrush_bench::insert::{self, Cell, Writer};
use inrush_bench::results::{Program, Record, Results, Run, Sample, VERSION};
use inrush_bench::runner::{self, Effort};
use inrush_bench::table::{self, Style};
use inrush_bench::{facts, insert::LeftOut};
use inrush_core::{Error, Kind, Result};
use signal_hook::consts::{SIGINT, SIGTERM};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufWriter;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Compare all ways to insert rows
#[derive(Debug, Args)]
#[command(disable_help_flag = true)]
pub(crate) struct InsertArgs {
    /// How many rows, one or more numbers
    #[arg(long, value_name = "ROWS,..", value_delimiter = ',', default_value = "100,1000,10000", value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    rows: Vec<u64>,

    /// Rows a statement, where a statement may carry many
    #[arg(long, value_name = "ROWS", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    statement_rows: u64,

    /// Rounds until the medians are known within 2 %, half an hour at most; by default a warm-up and three rounds
    #[arg(long)]
    full: bool,

    /// A case that takes longer is cut, and shown as cut
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    cap: u64,

    /// Of the rows and of the order of the cases
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,

    /// Where results are kept [default: inrush-bench-insert-TIME.jsonl]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Leave tables and schema behind
    #[arg(long)]
    keep: bool,

    #[command(flatten)]
    connect: ConnectArgs,

    /// Print help
    #[arg(long, action = clap::ArgAction::HelpLong)]
    help: Option<bool>,
}

/// Runs the experiment.
pub(super) fn run(args: &InsertArgs, output: &Output) -> Result<u8> {
    let stop = on_signals(false)?;
    let place = Place::find(&args.connect, output)?;
    if !place.is_local() {
        // A server of our own has to be stopped in order; it is near, and answers.
        on_signals(true)?;
    }
    let done = measure(args, &place, &stop, output);
    if !args.keep || place.is_local() {
        place.clean_up().or_else(|error| {
            // What went wrong first matters more.
            output.notice(&format!("the schema `{SCHEMA}` could not be cleaned up: {error}"));
            if done.is_ok() { Err(error) } else { Ok(()) }
        })?;
    }
    done
}

fn measure(args: &InsertArgs, place: &Place, stop: &AtomicBool, output: &Output) -> Result<u8> {
    let mut connection = Connection::connect(&place.config)?;
    let run = describe(args, place, &mut connection)?;
    let local_infile = run.server.settings.get("local_infile").is_some_and(|value| value == "ON" || value == "1");
    let vendor = connection.server_version().vendor;
    let (cells, left_out) = insert::cells(&args.rows, vendor, local_infile);
    drop(connection);

    let path =
        args.output.clone().unwrap_or_else(|| PathBuf::from(format!("inrush-bench-insert-{}.jsonl", stamp(&run.at))));
    let shown = path.display().to_string();
    let file = File::create_new(&path).map_err(|e| {
        Error::io(format!("cannot write `{shown}`"), e)
            .with_hint("`--output FILE` names another one; none is written over")
    })?;
    let mut file = BufWriter::new(file);
    Record::Run(Box::new(run)).write(&mut file)?;
    let started = Instant::now();
    let measured = rounds(args, place, &cells, stop, &mut file, started, output);
    drop(file);

    let results = super::read(&path)?;
    show(&results, &left_out, output);
    output.notice(&format!("results: {shown} ({})", human::time(started.elapsed())));
    super::note_if_partial(&results, output);
    measured.map(|()| exit::OK)
}

fn rounds(
    args: &InsertArgs,
    place: &Place,
    cells: &[Cell],
    stop: &AtomicBool,
    file: &mut BufWriter<File>,
    started: Instant,
    output: &Output,
) -> Result<()> {
    let most = args.rows.iter().copied().max().unwrap_or(1);
    let cap = Duration::from_secs(args.cap);
    let mut writer = Writer::new(&place.config, SCHEMA, Users::new(args.seed), most, args.statement_rows, cap)?;
    let cases: Vec<_> = cells.iter().map(Cell::case).collect();
    let run_one = |at: usize, round: u32| {
        if stop.load(Relaxed) {
            return Err(Error::new(Kind::Interrupted, "interrupted"));
        }
        let written = writer.run(&cells[at])?;
        output.detail(&format!("round {round}: {}: {:.1} ms", cases[at].id, written.took.as_secs_f64() * 1e3));
        Ok(Sample {
            case: cases[at].id.clone(),
            round,
            seconds: written.took.as_secs_f64(),
            rows: written.rows,
            cut: written.cut,
            client_cpu: Some(written.client_cpu.as_secs_f64()),
            ..Sample::default()
        })
    };
    let effort = if args.full { Effort::FULL } else { Effort::QUICK };
    runner::run(&cases, effort, args.seed, run_one, || started.elapsed(), |record| record.write(file))
}

fn describe(args: &InsertArgs, place: &Place, connection: &mut Connection) -> Result<Run> {
    let options = BTreeMap::from([
        ("rows".to_owned(), args.rows.iter().map(u64::to_string).collect::<Vec<_>>().join(",")),
        ("statement-rows".to_owned(), args.statement_rows.to_string()),
        ("effort".to_owned(), if args.full { "full" } else { "quick" }.to_owned()),
        ("cap".to_owned(), args.cap.to_string()),
    ]);
    let transport = if place.config.uses_socket() { "socket" } else { "tcp" };
    Ok(Run {
        version: VERSION,
        experiment: "insert".into(),
        at: jiff::Timestamp::now().strftime("%FT%TZ").to_string(),
        seed: args.seed,
        inrush: Program {
            version: env!("CARGO_PKG_VERSION").into(),
            commit: option_env!("INRUSH_COMMIT").map(Into::into),
        },
        machine: facts::machine(),
        server: facts::server(connection, transport)?,
        ddl: vec![Users::ddl("bench_users")],
        options,
    })
}

fn show(results: &Results, left_out: &[LeftOut], output: &Output) {
    if output.is_json() {
        output.result(&table::json(results));
        return;
    }
    let mut text = facts::shown(&results.run) + "\n" + &table::render(results, Style::Text);
    for way in left_out {
        text += &format!("{} is not measured: {}\n", way.way, way.reason);
    }
    for line in advice::of(results) {
        text += &format!("{line}\n");
    }
    output.result(text.trim_end());
}

/// `20260102-030405`.
fn stamp(at: &str) -> String {
    at.chars().filter(|c| c.is_ascii_digit() || *c == 'T').collect::<String>().replace('T', "-")
}

/// Set by the first Ctrl-C or SIGTERM from now on; the second ends the program at once where that is asked for.
fn on_signals(second_ends: bool) -> Result<Arc<AtomicBool>> {
    let seen = Arc::new(AtomicBool::new(false));
    let listen = |signal| {
        if second_ends {
            // Looks at what earlier signals left, because it is asked first.
            signal_hook::flag::register_conditional_shutdown(signal, i32::from(exit::INTERRUPTED), seen.clone())?;
        }
        signal_hook::flag::register(signal, seen.clone())
    };
    for signal in [SIGINT, SIGTERM] {
        listen(signal).map_err(|e| Error::io("cannot listen for signals", e))?;
    }
    Ok(seen)
}
