//! `inrush verify`: whether two tables have the same rows, and which they do not have.
//!
//! ```text
//! args -> two configurations, two names -> inrush::verify_tables -> differences: lines, a file -> summary, exit code
//! ```

mod differences;

use super::rows_read;
use crate::connection::{ConnectArgs, Environment, hint_at_login, other_server};
use crate::{Output, exit};
use clap::Args;
use differences::Sink;
use inrush::table::TableName;
use inrush::{Config, Verified, VerifyControl, VerifyOptions, verify_tables};
use inrush_core::human;
use inrush_core::{Error, Result};
use serde_json::json;
use std::path::PathBuf;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Instant;

/// Compare two tables row by row; the servers compute digests, and only rows that differ travel.
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES, disable_help_flag = true)]
pub(crate) struct VerifyArgs {
    /// The table that is right: `table` or `database.table`
    #[arg(value_name = "TABLE")]
    table: String,

    /// The table that is compared with it: on the same server, or on that of `--other`
    #[arg(value_name = "OTHER-TABLE")]
    other_table: String,

    /// The other table's server: mysql://user@host:3306/database. Its password: INRUSH_OTHER_PASSWORD or `--other-password-file`
    #[arg(long, value_name = "URL")]
    other: Option<String>,

    /// File whose first line is the password for `--other`
    #[arg(long, value_name = "FILE", requires = "other")]
    other_password_file: Option<PathBuf>,

    /// Only these columns, besides those of the key [default: all that are not generated]
    #[arg(long, value_name = "a,b", value_delimiter = ',')]
    columns: Vec<String>,

    /// Only rows that fulfil this condition of SQL, in both tables
    #[arg(long = "where", value_name = "SQL")]
    condition: Option<String>,

    /// Pairs of connections that compare side by side, where the key is one whole number
    #[arg(long, default_value_t = 2, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    lanes: u16,

    /// Print so many differences with their values
    #[arg(long, default_value_t = 20, value_name = "N")]
    differences: usize,

    /// Write all differences to this new file: `.csv`, or `.sql` with statements that make the other table like the first
    #[arg(long, value_name = "FILE")]
    differences_to: Option<PathBuf>,

    #[command(flatten)]
    connect: ConnectArgs,

    /// Print help (`-h` is the host, as in the mysql client)
    #[arg(long, action = clap::ArgAction::Help, help_heading = "Everywhere")]
    help: Option<bool>,
}

const EXAMPLES: &str = "\
Examples:
  inrush verify shop.orders archive.orders -h db1
  inrush verify shop.orders shop.orders -h db1 --other mysql://reader@db2
  inrush verify orders orders -D shop -h db1 --other mysql://reader@db2/shop --differences-to mend.sql

Exit codes: 0 the tables are equal, 2 they differ, 1 wrong usage, 3 a server failed";

/// Compares, and returns the exit code.
pub(crate) fn run(args: &VerifyArgs, output: &Output) -> Result<u8> {
    let began = Instant::now();
    let one = args.connect.config(&Environment::of_process())?;
    let other = match &args.other {
        Some(url) => other_server(url, args.other_password_file.as_deref())?,
        None => one.clone(),
    };
    let names = [TableName::parse(&args.table)?, TableName::parse(&args.other_table)?];
    if args.other.is_none() && names[0] == names[1] {
        return Err(Error::config("a table is compared with itself").with_hint("`--other URL` names the other server"));
    }
    let mut sink = Sink::new(args.differences_to.as_deref(), args.differences, &names[1])?;
    let options = VerifyOptions::new()
        .with_columns(args.columns.iter().cloned())
        .with_lanes(args.lanes.into())
        .with_described(if sink.wants_values() { usize::MAX } else { args.differences });
    let options = match &args.condition {
        Some(condition) => options.with_condition(condition),
        None => options,
    };
    let verified = compare([&one, &other], &names, &options, &mut sink, output).map_err(hint_at_login)?;
    let code = if verified.is_equal() { exit::OK } else { exit::DATA };
    sink.finish()?;
    if output.is_json() {
        output.result(&as_json(&verified, &sink, code).to_string());
    } else {
        output.result(&as_text(args, &verified, &sink, began));
    }
    Ok(code)
}

fn as_json(verified: &Verified, sink: &Sink, code: u8) -> serde_json::Value {
    json!({
        "equal": verified.is_equal(),
        "rows": verified.rows,
        "other_rows": verified.other_rows,
        "missing": verified.missing,
        "extra": verified.extra,
        "different": verified.different,
        "key": verified.key,
        "columns": verified.columns,
        "differences": sink.as_json(),
        "exit_code": code,
    })
}

fn as_text(args: &VerifyArgs, verified: &Verified, sink: &Sink, began: Instant) -> String {
    let mut lines: Vec<String> = sink.lines().collect();
    if sink.n_hidden > 0 {
        lines.push(format!(
            "and {} more{}",
            sink.n_hidden,
            match &args.differences_to {
                Some(file) => format!(": all are in `{}`", file.display()),
                None => "; `--differences-to FILE` writes all".to_owned(),
            }
        ));
    }
    let took = human::time(began.elapsed());
    lines.push(match verified.is_equal() {
        true => format!("equal: {} in {took}", human::counted(verified.rows, "row")),
        false => format!(
            "not equal: of {}, the other table lacks {}, has {} more, and has other values in {} ({took})",
            human::counted(verified.rows, "row"),
            verified.missing,
            verified.extra,
            verified.different
        ),
    });
    if verified.key.is_empty() && !verified.is_equal() {
        lines.push("there is no key: a changed row is one that is missing and one that is extra".to_owned());
    }
    lines.join("\n")
}

fn compare(
    configs: [&Config; 2],
    names: &[TableName; 2],
    options: &VerifyOptions,
    sink: &mut Sink,
    output: &Output,
) -> Result<Verified> {
    let control = VerifyControl::new();
    let (over, is_over) = channel::<()>();
    thread::scope(|scope| {
        let counted = &control;
        let progress = scope.spawn(move || rows_read::show(&is_over, || counted.rows(), output));
        let sides = [(configs[0], &names[0]), (configs[1], &names[1])];
        let verified = verify_tables(sides[0], sides[1], options, &control, |difference| sink.take(difference));
        drop(over);
        let _ = progress.join();
        verified
    })
}
