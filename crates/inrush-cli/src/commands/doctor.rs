//! `inrush doctor`: what slows writing to a server or a table. It reads facts by queries; only `--probe` writes.

use crate::connection::{ConnectArgs, Environment, hint_at_login};
use crate::{Output, exit};
use clap::Args;
use inrush::table::TableName;
use inrush_bench::doctor::{self, Examination};
use inrush_core::{Error, Result};
use serde_json::json;
use std::path::PathBuf;

/// Say what slows writing to a server or a table, with evidence and effect; reads only, unless `--probe`.
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES, disable_help_flag = true)]
pub(crate) struct DoctorArgs {
    /// The table that is written to: `table` or `database.table` [default: the server alone is examined]
    #[arg(value_name = "TABLE")]
    table: Option<String>,

    /// Measure on the server as well: writes some thousand rows into a schema of its own and drops it; replicas and the binlog get both
    #[arg(long)]
    probe: bool,

    /// Write the findings as a page to this file
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,

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
  inrush doctor shop.orders -h db1 --html orders.html

Each finding says how its effect is known: blocks, measured (now, over this connection), \
counted (by the server's own counters since its start), or known (a fact with its source, without a number).

Exit codes: 0 the examination ended, whatever it found, 1 wrong usage, 3 the server failed";

/// Examines, and returns the exit code.
pub(crate) fn run(args: &DoctorArgs, output: &Output) -> Result<u8> {
    let config = args.connect.config(&Environment::of_process())?;
    let table = args.table.as_deref().map(TableName::parse).transpose()?;
    let examination = doctor::examine(&config, table.as_ref(), args.probe).map_err(hint_at_login)?;
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
    let Examination { server, table, findings, n_rules, is_probed, unknown } = examination;
    json!({
        "server": server,
        "table": table,
        "findings": findings,
        "rules": n_rules,
        "probed": is_probed,
        "unknown": unknown,
        "exit_code": exit::OK,
    })
}
