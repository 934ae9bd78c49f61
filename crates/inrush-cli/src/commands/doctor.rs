//! `inrush doctor`: what slows writing to a server or a table. It reads facts by queries; only `--probe` writes, and `--twin` on servers of
//! its own.

mod files;
mod twins;

use super::file_args::FileArgs;
use super::load::Watch;
use crate::connection::{ConnectArgs, Environment, hint_at_login};
use crate::{Output, exit};
use clap::Args;
use files::LoadedFiles;
use inrush::table::TableName;
use inrush_bench::doctor::{self, Examination, Files, Scope, Twins};
use inrush_core::{Error, Kind, Result};
use serde_json::json;
use std::path::PathBuf;
use twins::LocalTwins;

/// Say what slows writing to a server or a table, with evidence and effect; reads only, unless `--probe`.
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES, disable_help_flag = true)]
pub(crate) struct DoctorArgs {
    /// The table that is written to: `table` or `database.table` [default: the server alone is examined]
    #[arg(value_name = "TABLE")]
    table: Option<String>,

    /// The files that are to be loaded into it: their first rows are read and checked, and with `--probe` loaded into a copy
    #[arg(value_name = "FILE")]
    files: Vec<String>,

    /// Measure on the server as well: writes some thousand rows into a schema of its own and drops it; replicas and the binlog get both
    #[arg(long)]
    probe: bool,

    /// Measure what settings cost: two servers like it are started on this machine, and one of them gets a setting changed. They need its
    /// server program (INRUSH_MYSQLD names one), about a minute a setting, and 3 GiB of disk
    #[arg(long)]
    twin: bool,

    /// The folder for the servers of `--twin`, on the disk to be measured [default: the one for temporary files]
    #[arg(long, value_name = "FOLDER", requires = "twin")]
    twin_dir: Option<PathBuf>,

    /// Write the findings as a page to this file
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,

    /// The column of each field, in order; `@name` skips a field
    #[arg(long, value_name = "a,b,@skip", requires = "files", help_heading = "Files")]
    columns: Option<String>,

    #[command(flatten)]
    reading: FileArgs,

    #[command(flatten)]
    connect: ConnectArgs,

    /// Print help (`-h` is the host, as in the mysql client)
    #[arg(long, action = clap::ArgAction::Help, help_heading = "Everywhere")]
    help: Option<bool>,
}

const EXAMPLES: &str = "\
Examples:
  inrush doctor -h db1
  inrush doctor shop.orders -h db1 --probe
  inrush doctor shop.orders orders.csv -h db1 --probe
  inrush doctor shop.orders -h db1 --twin
  inrush doctor shop.orders -h db1 --html orders.html

Each finding says how its effect is known: blocks, measured (now, over this connection), twin (on servers like it, \
with one setting changed), counted (by the server's own counters since its start), or known (a fact with its source, without a number).

Exit codes: 0 the examination ended, whatever it found, 1 wrong usage, 2 a file cannot be read, 3 the server failed, 130 interrupted";

/// Examines, and returns the exit code.
pub(crate) fn run(args: &DoctorArgs, output: &Output) -> Result<u8> {
    let config = args.connect.config(&Environment::of_process())?;
    let table = args.table.as_deref().map(|table| TableName::parse(table)?.in_schema(config.database())).transpose()?;
    let signals = match args.twin || !args.files.is_empty() {
        true => Some(Watch::start(output.clone())?),
        false => None,
    };
    let mut files = match (&signals, &table) {
        (Some(signals), Some(table)) if !args.files.is_empty() => {
            Some(LoadedFiles::new(args, &config, table, signals)?)
        }
        _ => None,
    };
    let mut twins = match &signals {
        Some(signals) if args.twin => Some(LocalTwins::new(args.twin_dir.clone(), signals, output)?),
        _ => None,
    };
    let asked = Scope {
        table: table.clone(),
        files: files.as_mut().map(|files| files as &mut dyn Files),
        may_probe: args.probe,
        twins: twins.as_mut().map(|twins| twins as &mut dyn Twins),
    };
    let examined = doctor::examine(&config, asked);
    // Before anything is said: who reads it may go on to something else.
    drop(twins);
    let examination = match examined {
        Err(error) if error.kind() == Kind::Interrupted => {
            output.error("interrupted: there is no result");
            return Ok(exit::INTERRUPTED);
        }
        examined => examined.map_err(hint_at_login)?,
    };
    if let Some(file) = &args.html {
        let page = doctor::page(&examination, env!("INRUSH_VERSION"));
        std::fs::write(file, page).map_err(|error| Error::io(format!("cannot write `{}`", file.display()), error))?;
    }
    output.result(&match output.is_json() {
        true => as_json(&examination).to_string(),
        false => doctor::shown(&examination, output.width()),
    });
    Ok(exit::OK)
}

fn as_json(examination: &Examination) -> serde_json::Value {
    let Examination { server, table, findings, n_rules, is_probed, has_twins, unknown } = examination;
    json!({
        "server": server,
        "table": table,
        "findings": findings,
        "rules": n_rules,
        "probed": is_probed,
        "twins": has_twins,
        "unknown": unknown,
        "exit_code": exit::OK,
    })
}
