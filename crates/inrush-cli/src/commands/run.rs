//! `inrush run`: plays scripts of SQL over one connection, statement after statement. An INSERT longer than the server takes goes out as several.

use crate::connection::{ConnectArgs, Environment, hint_at_login};
use crate::{Output, exit};
use clap::Args;
use inrush::SplitOptions;
use inrush::blocking::Connection;
use inrush_core::session::{Outcome, Query, Sink};
use inrush_core::sql::{Cut, Lexeme, Lexer, ScriptCutter, ScriptStatement};
use inrush_core::value::Value;
use inrush_core::wire::{ColumnDef, Row};
use inrush_core::write::split::SplitInsert;
use inrush_core::{Error, Kind, Place, Result, human};
use inrush_files::{Meter, script_bytes};
use serde_json::json;
use std::io::Read;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Run SQL scripts: dumps, schemas, INSERTs of any length
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES, disable_help_flag = true)]
pub(crate) struct RunArgs {
    /// Scripts, in their order; `-` is standard input. They may be compressed (gzip, zstd, lz4, xz, bzip2) or in an object store
    #[arg(required = true, value_name = "FILE")]
    files: Vec<String>,

    /// Continue after a statement that the server refuses; each is reported, and the exit code is 3
    #[arg(long)]
    force: bool,

    /// Cut an INSERT that is longer than this between its rows [default: longer than the server takes]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    split_bytes: Option<usize>,

    /// Cut an INSERT that has more rows than this
    #[arg(long, value_name = "ROWS", value_parser = clap::value_parser!(u64).range(1..))]
    split_rows: Option<u64>,

    /// Commit each part of an INSERT that is cut, instead of all of them together
    #[arg(long)]
    split_commit: bool,

    #[command(flatten)]
    connect: ConnectArgs,

    /// Print help (`-h` is the host, as in the mysql client)
    #[arg(long, action = clap::ArgAction::Help, help_heading = "Everywhere")]
    help: Option<bool>,
}

const EXAMPLES: &str = "\
Examples:
  inrush run schema.sql rows.sql.gz -h db1 -D shop
  mysqldump shop | inrush run - -h db2 -D shop
  inrush run rows.sql -D shop --split-rows 1000 --split-commit

Rows that a statement returns are printed as `mysql --batch` prints them, after `\\G` a line for each value. DELIMITER is understood; other commands of the \
mysql client (SOURCE, \\.) are not. A script is not run exactly once: what is to be loaded so is a file for `inrush load`.

Exit codes: 0 all statements ran, 1 wrong usage, 2 a file cannot be read or was cut off, or a transaction was left open, 3 the server refused a statement";

fn size(text: &str) -> Result<usize, String> {
    let bytes = human::bytes_of(text).and_then(|(bytes, _)| usize::try_from(bytes).ok());
    bytes.filter(|bytes| *bytes > 0).ok_or_else(|| "expected a size, such as 256KiB or 1MB".to_owned())
}

/// Runs the scripts, and returns the exit code.
pub(crate) fn run(args: &RunArgs, output: &Output) -> Result<u8> {
    let config = args.connect.config(&Environment::of_process())?;
    let mut connection = Connection::connect(&config).map_err(hint_at_login)?;
    output.detail_host(connection.config());
    let options = SplitOptions::new()
        .with_max_bytes(args.split_bytes)
        .with_max_rows(args.split_rows)
        .with_commits_each(args.split_commit);
    let most = connection.statement_bytes()?;
    let mut player = Player { connection, options, most, output, done: Done::default(), shown: Instant::now() };
    let began = Instant::now();
    for file in &args.files {
        if let Err(error) = player.play(file, args.force) {
            return Err(player.stopped(error));
        }
    }
    output.set_line(None);
    player.find_transaction()?;
    Ok(player.conclude(began.elapsed()))
}

/// What plays scripts.
struct Player<'a> {
    connection: Connection,
    options: SplitOptions,
    /// The longest text of a statement that the server takes.
    most: usize,
    output: &'a Output,
    done: Done,
    /// When progress was shown last.
    shown: Instant,
}

/// What was done so far.
#[derive(Default)]
struct Done {
    statements: u64,
    affected: u64,
    /// Those of them in the transaction that is open.
    uncommitted: u64,
    warnings: u64,
    /// INSERTs that were cut.
    cut: u64,
    failed: Vec<Error>,
    n_failed: u64,
}

impl Player<'_> {
    fn play(&mut self, file: &str, force: bool) -> Result<()> {
        let (mut bytes, meter) = script_bytes(file)?;
        let (mut cutter, mut buffer, mut is_whole) = (ScriptCutter::default(), Vec::new(), false);
        let source: Arc<str> = file.into();
        loop {
            // A statement before it may have changed how quotes are read.
            cutter.set_dialect(self.connection.session().dialect());
            let cut = cutter.next(&buffer, is_whole);
            match cut.map_err(|error| error.while_doing(&format!("`{file}`")))? {
                Cut::End => return Ok(()),
                Cut::More => {
                    buffer.drain(..cutter.drain());
                    if buffer.len() > MOST_BYTES {
                        return Err(endless(file, cutter.line()));
                    }
                    is_whole = !fill(&mut *bytes, &mut buffer)
                        .map_err(|error| Error::data(format!("cannot read `{file}` to its end: {error}")))?;
                }
                Cut::Statement(ScriptStatement { range, line, is_vertical, .. }) => {
                    let place = Place { source: source.clone(), line, column: None };
                    let affected = self.done.affected;
                    let end = self.execute(&buffer[range.clone()], is_vertical);
                    self.done.uncommitted = match self.connection.session().in_transaction() {
                        true => self.done.uncommitted + (self.done.affected - affected),
                        false => 0,
                    };
                    if let Err(error) = end.map_err(|error| explained(error, &buffer[range]).at(place)) {
                        self.refused(error, force)?;
                    }
                    self.done.statements += 1;
                    self.show(file, line, &meter);
                }
            }
        }
    }

    fn execute(&mut self, sql: &[u8], is_vertical: bool) -> Result<()> {
        let limits = self.options.limits(self.most);
        let is_long = |sql: &[u8]| {
            let split = SplitInsert::parse(sql, self.connection.session().dialect());
            sql.len() > self.most || split.is_ok_and(|split| split.exceeds(&limits))
        };
        if (sql.len() > limits.max_bytes || self.options.max_rows.is_some()) && is_long(sql) {
            let report = self.connection.execute_split(sql, &self.options)?;
            self.done.affected += report.affected;
            self.done.warnings += report.warnings;
            self.done.cut += u64::from(report.n_statements > 1);
            return Ok(());
        }
        match is_vertical {
            true => {
                let mut sink = Vertical { output: self.output, names: Vec::new(), n_rows: 0, done: &mut self.done };
                self.connection.run(Query::new(sql, &mut sink)).map(drop)
            }
            false => {
                let mut sink = Printed { output: self.output, line: Vec::new(), done: &mut self.done };
                self.connection.run(Query::new(sql, &mut sink)).map(drop)
            }
        }
    }

    /// A statement that failed ends the run, unless the server refused it and `force` was given.
    fn refused(&mut self, error: Error, force: bool) -> Result<()> {
        if !force || error.kind() != Kind::Server || error.is_fatal() {
            return Err(error);
        }
        self.output.error(&exit::explain(&error));
        self.done.n_failed += 1;
        if self.done.failed.len() < MOST_KEPT {
            self.done.failed.push(error);
        }
        Ok(())
    }

    /// An error if the scripts end within a transaction that changed rows: the server rolls it back when the connection is closed.
    fn find_transaction(&mut self) -> Result<()> {
        if self.done.uncommitted > 0 {
            // An error says nothing of the transaction: a deadlock has ended it, most others have not.
            self.connection.ping()?;
        }
        match self.done.uncommitted {
            lost if lost > 0 && self.connection.session().in_transaction() => Err(Error::data(format!(
                "the scripts end within a transaction, which is rolled back: it had changed {}",
                human::counted(lost, "row")
            ))
            .with_hint("the last file may have been cut off; or it needs a COMMIT at its end")),
            _ => Ok(()),
        }
    }

    /// Adds to the error that ends the run what was done before.
    fn stopped(&self, error: Error) -> Error {
        self.output.set_line(None);
        let before = human::counted(self.done.statements, "statement");
        let known = match error.is_outcome_unknown() {
            true => "; whether this one did is not known",
            false => "",
        };
        match error.hint() {
            Some(_) => error,
            None => error.with_hint(format!("{before} before it ran{known}; what they committed stays")),
        }
    }

    fn show(&mut self, file: &str, line: u64, meter: &Meter) {
        if !self.output.shows_progress() || !self.output.is_terminal() || self.shown.elapsed() < SHOW_EVERY {
            return;
        }
        self.shown = Instant::now();
        let share = meter.total().filter(|total| *total > 0).map(|total| meter.bytes_read() * 100 / total);
        let share = share.map(|share| format!(" ({share} %)")).unwrap_or_default();
        let statements = human::counted(self.done.statements, "statement");
        self.output.set_line(Some(&format!("{file}, line {line}{share}: {statements}")));
    }

    fn conclude(&self, took: Duration) -> u8 {
        let Done { statements, affected, uncommitted: _, warnings, cut, failed, n_failed } = &self.done;
        let code = if *n_failed > 0 { exit::SERVER } else { exit::OK };
        if self.output.is_json() {
            let failed: Vec<_> = failed
                .iter()
                .map(|error| {
                    let place = error.place();
                    json!({
                        "file": place.map(|place| &*place.source), "line": place.map(|place| place.line),
                        "code": error.code(), "message": error.message(),
                    })
                })
                .collect();
            let document = json!({
                "inrush": "run", "version": 1, "exit_code": code, "statements": statements, "affected_rows": affected,
                "warnings": warnings, "cut_statements": cut, "failed_statements": n_failed, "first_failures": failed,
                "seconds": took.as_secs_f64(),
            });
            self.output.result(&format!("{document:#}"));
            return code;
        }
        let mut text = format!("{} in {}", human::counted(*statements, "statement"), human::time(took));
        text += &format!(", {} affected", human::counted(*affected, "row"));
        for (number, what, end) in [(cut, "INSERT", " cut"), (warnings, "warning", ""), (n_failed, "error", "")] {
            if *number > 0 {
                text += &format!(", {}{end}", human::counted(*number, what));
            }
        }
        self.output.notice(&text);
        code
    }
}

/// A hint for what the client program would have done itself.
fn explained(error: Error, sql: &[u8]) -> Error {
    let mut lexer = Lexer::new(sql, inrush_core::sql::Dialect::default());
    let first = lexer.next_token().filter(|token| token.lexeme == Lexeme::Word).map(|token| &sql[token.range]);
    let is_source = first.is_some_and(|word| word.eq_ignore_ascii_case(b"SOURCE")) || sql.starts_with(b"\\.");
    match error.code() {
        SYNTAX if is_source => error.with_hint(
            "SOURCE is a command of the mysql client: name the files in their order, `inrush run a.sql b.sql`",
        ),
        NO_TRANSACTIONS => {
            error.with_hint("the table has no transactions: `--split-commit` commits each part of the INSERT by itself")
        }
        NO_DATABASE => error.with_hint("`-D DATABASE` opens one"),
        _ => error,
    }
}

/// ER_PARSE_ERROR
const SYNTAX: u16 = 1064;

/// ER_GTID_UNSAFE_NON_TRANSACTIONAL_TABLE
const NO_TRANSACTIONS: u16 = 1785;

/// ER_NO_DB_ERROR
const NO_DATABASE: u16 = 1046;

/// A text without an end would fill the memory.
fn endless(file: &str, line: u64) -> Error {
    Error::data(format!("`{file}`: the statement that begins in line {line} has more than 2 GiB"))
        .with_hint("a quote or a comment may be open there, or a delimiter may be missing; or it is no script of SQL")
}

const MOST_BYTES: usize = 2 << 30;

/// As many failures are in the JSON document.
const MOST_KEPT: usize = 100;

const SHOW_EVERY: Duration = Duration::from_millis(200);

/// Reads as much again as the buffer has, so that a statement of any length is read in few steps; `false` at the end.
fn fill(bytes: &mut dyn Read, buffer: &mut Vec<u8>) -> std::io::Result<bool> {
    let want = buffer.len().max(READ_BYTES) as u64;
    Ok(bytes.take(want).read_to_end(buffer)? as u64 == want)
}

const READ_BYTES: usize = 256 << 10;

/// Prints results as they arrive, in the manner of `mysql --batch`: a line of names, then a line for each row, between tabs.
struct Printed<'a> {
    output: &'a Output,
    line: Vec<u8>,
    done: &'a mut Done,
}

impl Printed<'_> {
    fn add(&mut self, value: Option<&[u8]>) {
        for byte in value.unwrap_or(b"NULL") {
            match byte {
                b'\t' => self.line.extend_from_slice(b"\\t"),
                b'\n' => self.line.extend_from_slice(b"\\n"),
                b'\\' => self.line.extend_from_slice(b"\\\\"),
                0 => self.line.extend_from_slice(b"\\0"),
                byte => self.line.push(*byte),
            }
        }
        self.line.push(b'\t');
    }

    fn print(&mut self) {
        self.line.pop();
        if !self.output.is_json() {
            self.output.row(&self.line);
        }
        self.line.clear();
    }
}

impl Sink for Printed<'_> {
    fn columns(&mut self, columns: &[ColumnDef]) -> Result<()> {
        columns.iter().for_each(|column| self.add(Some(column.name.as_bytes())));
        self.print();
        Ok(())
    }

    fn row(&mut self, row: Row<'_>) -> Result<()> {
        for value in row.values() {
            match value? {
                Value::Bytes(bytes) => self.add(Some(bytes)),
                _ => self.add(None),
            }
        }
        self.print();
        Ok(())
    }

    fn end(&mut self, outcome: &Outcome) -> Result<()> {
        self.done.affected += outcome.affected;
        self.done.warnings += u64::from(outcome.warnings);
        Ok(())
    }
}

/// Prints results that are asked for by `\G`: a line for each value, after the name of its column.
struct Vertical<'a> {
    output: &'a Output,
    /// Each as wide as the longest one.
    names: Vec<String>,
    n_rows: u64,
    done: &'a mut Done,
}

impl Sink for Vertical<'_> {
    fn columns(&mut self, columns: &[ColumnDef]) -> Result<()> {
        let width = columns.iter().map(|column| column.name.chars().count()).max().unwrap_or(0);
        self.names = columns.iter().map(|column| format!("{:>width$}", column.name)).collect();
        self.n_rows = 0;
        Ok(())
    }

    fn row(&mut self, row: Row<'_>) -> Result<()> {
        self.n_rows += 1;
        let stars = "*".repeat(27);
        let mut text = format!("{stars} {}. row {stars}", self.n_rows).into_bytes();
        for (name, value) in self.names.iter().zip(row.values()) {
            text.extend_from_slice(format!("\n{name}: ").as_bytes());
            match value? {
                Value::Bytes(bytes) => text.extend_from_slice(bytes),
                _ => text.extend_from_slice(b"NULL"),
            }
        }
        if !self.output.is_json() {
            self.output.row(&text);
        }
        Ok(())
    }

    fn end(&mut self, outcome: &Outcome) -> Result<()> {
        self.done.affected += outcome.affected;
        self.done.warnings += u64::from(outcome.warnings);
        Ok(())
    }
}
