//! `inrush undo`: takes a finished refresh back while the table that it has replaced is kept. Which loads can be undone, and how, is the
//! library's.

use crate::connection::{ConnectArgs, Environment, hint_at_login};
use crate::{Output, exit};
use clap::Args;
use inrush::{Config, Loader, UndoOptions, Undone};
use inrush_core::{Error, Result};
use serde_json::{Value, json};

/// Take a finished refresh (`inrush load --replace-table --keep-old 24h`) back: the old table gets its name again.
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES, disable_help_flag = true)]
pub(crate) struct UndoArgs {
    /// The job, by its id or the beginning of it: `inrush load --status` lists them
    #[arg(value_name = "JOB", required_unless_present = "sweep", conflicts_with = "sweep")]
    job: Option<String>,

    /// Drop the tables of the database that were kept for long enough; each load that finishes does so, too
    #[arg(long)]
    sweep: bool,

    /// Check everything and change nothing
    #[arg(long, conflicts_with = "sweep")]
    dry_run: bool,

    /// Undo a job of another user
    #[arg(long, conflicts_with = "sweep")]
    force: bool,

    #[command(flatten)]
    connect: ConnectArgs,

    /// Print help (`-h` is the host, as in the mysql client)
    #[arg(long, action = clap::ArgAction::Help, help_heading = "Everywhere")]
    help: Option<bool>,
}

const EXAMPLES: &str = "\
Examples:
  inrush undo ab88709a -D shop
  inrush undo ab88709a -D shop --dry-run
  inrush undo --sweep -D shop

Exit codes:
    0  the old table is in its place, by this command or by an earlier one
    1  wrong usage, or there is no such job
    3  the server or the network failed: the same command goes on
    5  refused: it would undo what others did, or nothing is kept; the message says why";

/// Undoes, or sweeps, and returns the exit code.
pub(crate) fn run(args: &UndoArgs, output: &Output) -> Result<u8> {
    let config = args.connect.config(&Environment::of_process())?;
    let Some(schema) = config.database().map(str::to_owned) else {
        return Err(Error::config("no database is chosen, so there is no ledger to read")
            .with_hint("name it in the URL (`mysql://user@host/DATABASE`) or with `-D DATABASE`"));
    };
    let (text, document) = match &args.job {
        Some(job) => undo(args, &config, &schema, job)?,
        None => sweep(&config, &schema)?,
    };
    output.result(&if output.is_json() { format!("{document:#}") } else { output.fitted(&text, HANG) });
    Ok(exit::OK)
}

/// What continues a line is indented by so much.
const HANG: usize = 4;

fn undo(args: &UndoArgs, config: &Config, schema: &str, job: &str) -> Result<(String, Value)> {
    let options = UndoOptions { dry_run: args.dry_run, force: args.force };
    let undone = Loader::undo(config, schema, job, options).map_err(hint_at_login)?;
    let document = json!({
        "inrush": "undo",
        "version": 1,
        "exit_code": exit::OK,
        "jobs": undone.jobs.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "table": undone.target,
        "aside": undone.aside,
        "until": format!("{}Z", undone.until.replacen(' ', "T", 1)),
        "already": undone.was_undone,
        "dry_run": args.dry_run,
    });
    Ok((described(&undone, args.dry_run), document))
}

fn described(undone: &Undone, is_dry: bool) -> String {
    let Undone { target, aside, until, .. } = undone;
    let jobs: Vec<String> = undone.jobs.iter().map(ToString::to_string).collect();
    let jobs = format!("{} {}", if jobs.len() == 1 { "job" } else { "jobs" }, jobs.join(", "));
    if undone.was_undone {
        return format!(
            "{jobs}: undone before; what the load had made of `{target}` is in `{aside}` until {until} UTC"
        );
    }
    if is_dry {
        return format!("{jobs} can be undone: `{target}` would be as it was before, and `{aside}` as it is now");
    }
    format!(
        "undid {jobs}: `{target}` is as it was before; what the load had made of it is in `{aside}` until {until} UTC"
    )
}

fn sweep(config: &Config, schema: &str) -> Result<(String, Value)> {
    let dropped = Loader::drop_kept(config, schema).map_err(hint_at_login)?;
    let text = match dropped.is_empty() {
        true => format!("database `{schema}` has no table that was kept for long enough"),
        false => format!("dropped {}", dropped.join(", ")),
    };
    Ok((text, json!({ "inrush": "undo", "version": 1, "exit_code": exit::OK, "dropped": dropped })))
}
