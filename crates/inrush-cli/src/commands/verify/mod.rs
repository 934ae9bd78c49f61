//! `inrush verify`: whether two tables, or files and a table, have the same rows, and which they do not have.
//!
//! ```text
//! args -> two configurations, two names -> inrush::verify_tables -> differences: lines, a file -> summary, exit code
//! args -> files, a table -> a copy that the files fill -> the same
//! ```

use super::differences::{self, Sink};
use super::file_args::FileArgs;
use super::load::{
    FilesVerified, LoadArgs, Request, TableFiles, TableLoad, Watch, by_table, compare, is_for_many, loads_of_export,
    parse_rate, verify_files,
};
use super::masks::MaskArgs;
use crate::connection::{ConnectArgs, Environment, hint_at_login, other_server};
use crate::{Output, exit};
use clap::Args;
use inrush::table::TableName;
use inrush::{Config, Verified, VerifyOptions};
use inrush_core::human;
use inrush_core::{Error, Result};
use serde_json::json;
use std::path::PathBuf;
use std::time::Instant;

/// Compare two tables row by row, or files with a table; the servers compute digests, and only rows that differ travel.
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES, disable_help_flag = true)]
pub(crate) struct VerifyArgs {
    /// Two tables, `table` or `database.table`, a name with a dot in it in backticks ('`a.b`'): the one that is right, and the one that is compared with it, on the same server or on that of `--other`. With `--into`: files, as for `inrush load`. Or the folder of an export, whose files are compared with the tables that they are of
    #[arg(required = true, value_name = "TABLE|FILE")]
    what: Vec<String>,

    /// Compare files with this table: `table` or `database.table`; 'database.*' compares each file with the table of its name
    #[arg(long, value_name = "TABLE", conflicts_with = "other")]
    into: Option<String>,

    /// Rows that only the second table, or only the table and not the files, has are no difference
    #[arg(long)]
    subset: bool,

    /// The other table's server: mysql://user@host:3306/database. Its password: INRUSH_OTHER_PASSWORD or `--other-password-file`
    #[arg(long, value_name = "URL")]
    other: Option<String>,

    /// File whose first line is the password for `--other`
    #[arg(long, value_name = "FILE", requires = "other")]
    other_password_file: Option<PathBuf>,

    /// Only these columns, besides those of the key [default: all that are not generated]; with `--into` the column of each field, in order, and `@name` skips a field
    #[arg(long, value_name = "a,b")]
    columns: Option<String>,

    /// Only rows that fulfil this condition of SQL, in both tables
    #[arg(long = "where", value_name = "SQL")]
    condition: Option<String>,

    /// The most rows a second that are read of each table: `5000`, `50k` [default: as fast as it goes]
    #[arg(long, value_name = "ROWS/s")]
    rate: Option<String>,

    /// Compare one state of both tables (of each, on two servers), seen under a lock for milliseconds [default: each query sees the rows of its moment, and rows that seem to differ are read once more]
    #[arg(long)]
    snapshot: bool,

    /// Note in this file which ranges of two tables are equal; the same command skips them after an interruption. It is removed at the end
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,

    /// Pairs of connections that compare side by side, where the key's ranges can be compared: see docs/verify.md
    #[arg(long, default_value_t = 2, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    lanes: u16,

    /// Print so many differences with their values
    #[arg(long, default_value_t = 20, value_name = "N")]
    differences: usize,

    /// Write all differences to this new file: `.csv`, or `.sql` with statements that make the other table like the first
    #[arg(long, value_name = "FILE")]
    differences_to: Option<PathBuf>,

    /// Files: have the server check less while their rows are compared, as the load of them did: `zero-dates` (0000-00-00)
    #[arg(long, value_name = "CHECKS", value_parser = ["zero-dates"], hide_possible_values = true, help_heading = "Files")]
    unchecked: Option<String>,

    #[command(flatten)]
    reading: FileArgs,

    #[command(flatten)]
    masks: MaskArgs,

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
  inrush verify orders.csv --into shop.orders -h db1
  inrush verify monday.csv.gz --into shop.orders -h db1 --subset
  inrush verify backup -h db1

Exit codes: 0 equal, 2 they differ, 4 equal but for rows of the files that cannot be stored, 1 wrong usage, 3 a server failed";

/// Compares, and returns the exit code.
pub(crate) fn run(args: &VerifyArgs, output: &Output) -> Result<u8> {
    let signals = Watch::start(output.clone())?;
    if args.into.is_none() && args.what.len() != 1 {
        return tables(args, &signals, output);
    }
    let config = args.connect.config(&Environment::of_process())?;
    output.detail_host(&config);
    let load = args.load(args.into.clone(), args.what.clone());
    if let Some(loads) = loads_of_export(&load, &config, output)? {
        return with_files(args, loads, true, &config, (&signals, output));
    }
    let Some(into) = &args.into else {
        return load.names_no_manifest().map_or_else(|| tables(args, &signals, output), Err);
    };
    let load = |one: TableFiles| TableLoad { args: args.load(Some(one.into), one.files), table: one.table, rows: None };
    let loads = by_table(&args.what, into)?.into_iter().map(load).collect();
    with_files(args, loads, is_for_many(into), &config, (&signals, output))
}

fn tables(args: &VerifyArgs, signals: &Watch, output: &Output) -> Result<u8> {
    let began = Instant::now();
    let names = match &args.what[..] {
        [one, other] if !is_for_files(args) => [TableName::parse(one)?, TableName::parse(other)?],
        _ => {
            return Err(Error::config("two tables are compared, or files with the table of `--into`")
                .with_hint("`inrush verify TABLE OTHER-TABLE`, or `inrush verify FILE.. --into TABLE`"));
        }
    };
    let one = args.connect.config(&Environment::of_process())?;
    let other = match &args.other {
        Some(url) => other_server(url, args.other_password_file.as_deref())?,
        None => one.clone(),
    };
    output.detail_host(&one);
    if args.other.is_none() && names[0] == names[1] {
        return Err(Error::config("a table is compared with itself").with_hint("`--other URL` names the other server"));
    }
    let mut sink =
        Sink::new(args.differences_to.as_deref(), args.differences, (&other, &names[1])).map_err(hint_at_login)?;
    let columns = args.columns.iter().flat_map(|list| list.split(',')).map(|name| name.trim().to_owned());
    let mut options = args
        .options()?
        .with_columns(columns.filter(|name| !name.is_empty()))
        .with_subset(args.subset)
        .with_described(sink.n_described());
    if let Some(file) = &args.checkpoint {
        options = options.with_checkpoint(file);
    }
    let verified = compare([&one, &other], &names, &options, &mut sink, (signals, output)).map_err(hint_at_login)?;
    let code = if verified.is_equal() { exit::OK } else { exit::DATA };
    sink.finish()?;
    if output.is_json() {
        output.result(&with_host(as_json(&verified, &sink, code), &one).to_string());
    } else {
        output.result(&(as_text(&verified, &sink, began) + &at_host(&one)));
    }
    Ok(code)
}

/// Whether there are options that only files have.
fn is_for_files(args: &VerifyArgs) -> bool {
    args.reading != FileArgs::of_defaults() || args.masks.is_used() || args.unchecked.is_some()
}

/// Compares files with one table, or with several.
fn with_files(
    args: &VerifyArgs,
    loads: Vec<TableLoad>,
    is_for_many: bool,
    config: &Config,
    (signals, output): (&Watch, &Output),
) -> Result<u8> {
    if loads.len() > 1 && args.differences_to.is_some() {
        return Err(Error::config("`--differences-to` writes the differences of one table")
            .with_hint("compare the files of each table by a command of its own: `--into TABLE`"));
    }
    if args.checkpoint.is_some() {
        return Err(Error::config("`--checkpoint` is for two tables")
            .with_hint("files are loaded into a copy, which is dropped at the end: compare them in one go"));
    }
    let (mut code, mut documents) = (exit::OK, Vec::new());
    for table in loads {
        let args_of_table = &table.args;
        let request = Request {
            load: args_of_table,
            rows: table.rows,
            subset: args.subset,
            once: true,
            has_nulls: false,
            options: args.options()?,
        };
        let name = TableName::parse(args_of_table.into())?;
        let mut sink = Sink::new(args.differences_to.as_deref(), args.differences, (config, &name))?;
        let done = verify_files(&request, config, &mut sink, signals, output).map_err(hint_at_login);
        if done.as_ref().is_ok_and(FilesVerified::is_compared) {
            sink.finish()?;
        }
        let done = match done {
            Err(error) if is_for_many => {
                output.error(&format!("table `{}`: {}", table.table, exit::explain(&error)));
                code = exit::worst([code, exit::code_of(&error)]);
                continue;
            }
            done => done?,
        };
        code = exit::worst([code, done.code()]);
        if output.is_json() {
            documents.push(with_host(with_table(done.as_json(&sink), &table.table, done.code()), config));
        } else {
            let head = if is_for_many { format!("{}: ", table.table) } else { String::new() };
            output.result(&(head + &done.as_text(&sink) + &at_host(config)));
        }
        done.explain(output);
        if done.code() == exit::INTERRUPTED {
            break;
        }
    }
    match (output.is_json(), documents.pop()) {
        (true, Some(document)) if !is_for_many => output.result(&document.to_string()),
        (true, last) => {
            documents.extend(last);
            output.result(&json!({ "exit_code": code, "tables": documents }).to_string());
        }
        _ => {}
    }
    Ok(code)
}

/// Names the server that was taken of several hosts.
fn with_host(mut document: serde_json::Value, config: &Config) -> serde_json::Value {
    document["host"] = json!(config.taken_host());
    document
}

/// The same as a line of text.
fn at_host(config: &Config) -> String {
    config.taken_host().map_or_else(String::new, |host| format!("\nserver: `{host}`, of the hosts that are named"))
}

fn with_table(mut document: serde_json::Value, table: &str, code: u8) -> serde_json::Value {
    document["table"] = json!(table);
    document["exit_code"] = json!(code);
    document
}

impl VerifyArgs {
    /// The options that hold for tables and files.
    fn options(&self) -> Result<VerifyOptions> {
        let mut options = VerifyOptions::new().with_lanes(self.lanes.into()).with_snapshot(self.snapshot);
        if let Some(rate) = &self.rate {
            options = options.with_rate(parse_rate("--rate", rate)?);
        }
        if let Some(condition) = &self.condition {
            options = options.with_condition(condition);
        }
        Ok(options)
    }

    /// The load of files that are compared with a table.
    fn load(&self, into: Option<String>, files: Vec<String>) -> LoadArgs {
        let reading = (self.columns.clone(), self.reading.clone(), self.masks.clone());
        LoadArgs::of_files(files, into, reading, self.unchecked.clone())
    }
}

fn as_json(verified: &Verified, sink: &Sink, code: u8) -> serde_json::Value {
    json!({
        "equal": verified.is_equal(),
        "rows": verified.rows,
        "other_rows": verified.other_rows,
        "missing": verified.missing,
        "extra": verified.extra,
        "different": verified.different,
        "earlier": { "ranges": verified.earlier_ranges, "rows": verified.earlier_rows },
        "key": verified.key,
        "columns": verified.columns,
        "differences": sink.shown().iter().map(differences::as_json).collect::<Vec<_>>(),
        "notes": sink.notes(),
        "exit_code": code,
    })
}

fn as_text(verified: &Verified, sink: &Sink, began: Instant) -> String {
    let mut lines = sink.lines(["here", "there"]);
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
    if verified.earlier_ranges > 0 {
        lines.push(format!(
            "{} of these, in {}, were compared by an earlier run, and not read again: the checkpoint has them as equal",
            human::counted(verified.earlier_rows, "row"),
            human::counted(verified.earlier_ranges, "range")
        ));
    }
    if verified.key.is_empty() && !verified.is_equal() {
        lines.push("there is no key: a changed row is one that is missing and one that is extra".to_owned());
    }
    lines.join("\n")
}
