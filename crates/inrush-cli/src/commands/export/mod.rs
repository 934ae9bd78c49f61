//! `inrush export`: tables as files, all from one state of the server.
//!
//! ```text
//! args -> tables (names, columns, keys) -> ReadView (N connections) -> parts -> lanes: part -> Arrow batches -> file -> folder, manifest
//! ```
//!
//! Invariant: a file has its name only when it is whole and on disk, and `manifest.json` comes last; so what a folder with a manifest holds is
//! an export that ended.

mod folder;
mod known;
mod lanes;
mod tables;

use crate::commands::manifest::{Exported, Manifest, RowsOf, VERSION, lock_name};
use crate::commands::masks::{self, MaskArgs, Masked};
use crate::connection::{ConnectArgs, Environment, hint_at_login};
use crate::{Output, exit};
use clap::{Args, ValueEnum};
use folder::Folder;
use inrush::blocking::Connection;
use inrush::{InvalidDates, ReadLock, ReadView};
use inrush_core::human;
use inrush_core::{Error, Result};
use inrush_files::{WrittenCompression, WrittenFormat};
use known::Known;
use lanes::Part;
use std::path::PathBuf;
use std::time::Instant;
use tables::Table;

/// Write tables to files, all of them as they are at one moment.
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES, disable_help_flag = true)]
pub(crate) struct ExportArgs {
    /// Tables: `table`, `database.table`; 'database.*' is all of its tables, without views
    #[arg(required_unless_present = "query", value_name = "TABLE")]
    tables: Vec<String>,

    /// The rows of a query instead, in `query.parquet`
    #[arg(long, value_name = "SQL", conflicts_with_all = ["tables", "columns", "condition", "lanes", "snapshot"])]
    query: Option<String>,

    /// The folder for the files and `manifest.json`: a new one, or an empty one; of a store `s3://bucket/folder`, `gs://`, `az://`
    #[arg(long, value_name = "FOLDER", required = true)]
    to: PathBuf,

    /// The files' format: `parquet`, `arrow` (IPC), `csv`, `jsonl`
    #[arg(long, default_value = "parquet", value_name = "FORMAT", value_enum, hide_possible_values = true)]
    format: FormatArg,

    /// Compress CSV and JSON Lines: `gzip`, `zstd`. Parquet and Arrow have Zstandard inside
    #[arg(long, default_value = "none", value_name = "none|gzip|zstd", value_enum, hide_possible_values = true)]
    compress: CompressArg,

    /// Rows in the order of the primary key, within each file and from file to file
    #[arg(long, value_name = "key", value_enum, hide_possible_values = true, conflicts_with = "query")]
    order: Option<OrderArg>,

    /// Only these columns, of each table; generated ones too [default: all that are not generated]
    #[arg(long, value_name = "a,b", value_delimiter = ',')]
    columns: Vec<String>,

    /// Only rows that fulfil this condition of SQL, in each table
    #[arg(long = "where", value_name = "SQL")]
    condition: Option<String>,

    /// Connections that read side by side. A table with a primary key of one whole number is read in so many parts, a file each
    #[arg(long, default_value_t = 2, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    lanes: u16,

    /// How all connections come to read one state: `auto` locks all tables for a moment (FLUSH TABLES WITH READ LOCK), or if the user may
    /// not, as `tables` does, these tables (LOCK TABLES), or reads by one connection; `none` takes no lock, and each reads the state of
    /// its own moment
    #[arg(long, default_value = "auto", value_name = "auto|tables|none", value_enum, hide_possible_values = true)]
    snapshot: SnapshotArg,

    /// Days that no calendar has, such as `0000-00-00`: `error`, `null`, or `text`, which makes texts of all dates
    #[arg(long, default_value = "error", value_name = "error|null|text", value_enum, hide_possible_values = true)]
    invalid_dates: DatesArg,

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
  inrush export orders customers --to backup -D shop -h db1
  inrush export 'shop.*' --to shop-2026 --lanes 4 -h db1
  inrush export orders --where \"created >= '2026-01-01'\" --format csv --to new-orders -D shop -h db1

Back in: inrush load FOLDER";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FormatArg {
    Parquet,
    Arrow,
    Csv,
    Jsonl,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum CompressArg {
    None,
    Gzip,
    Zstd,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum OrderArg {
    Key,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum SnapshotArg {
    Auto,
    Tables,
    None,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum DatesArg {
    Error,
    Null,
    Text,
}

impl ExportArgs {
    fn format(&self) -> WrittenFormat {
        match self.format {
            FormatArg::Parquet => WrittenFormat::Parquet,
            FormatArg::Arrow => WrittenFormat::Arrow,
            FormatArg::Csv => WrittenFormat::Csv,
            FormatArg::Jsonl => WrittenFormat::JsonLines,
        }
    }

    /// How files of lines are compressed.
    fn compression(&self) -> Result<WrittenCompression> {
        let compression = match self.compress {
            CompressArg::None => WrittenCompression::None,
            CompressArg::Gzip => WrittenCompression::Gzip,
            CompressArg::Zstd => WrittenCompression::Zstd,
        };
        match self.format {
            FormatArg::Parquet | FormatArg::Arrow if compression != WrittenCompression::None => {
                Err(Error::config(format!("files of {} have Zstandard inside", self.format().extension()))
                    .with_hint("`--compress` is for `--format csv` and `jsonl`"))
            }
            _ => Ok(compression),
        }
    }

    /// What names of files end with, after a dot.
    fn extension(&self) -> Result<String> {
        Ok(format!("{}{}", self.format().extension(), self.compression()?.extension()))
    }

    fn lock(&self) -> ReadLock {
        match self.snapshot {
            SnapshotArg::Auto => ReadLock::Global,
            SnapshotArg::Tables => ReadLock::Tables,
            SnapshotArg::None => ReadLock::None,
        }
    }

    fn invalid_dates(&self) -> InvalidDates {
        match self.invalid_dates {
            DatesArg::Error => InvalidDates::Refuse,
            DatesArg::Null => InvalidDates::Null,
            DatesArg::Text => InvalidDates::Text,
        }
    }
}

/// Exports, and returns the exit code.
pub(crate) fn run(args: &ExportArgs, output: &Output) -> Result<u8> {
    let began = Instant::now();
    args.compression()?;
    let rules = args.masks.rules(output)?;
    if rules.is_some() && args.query.is_some() {
        return Err(Error::config(
            "`--mask` is for tables: the types of a query's columns are not known before it runs",
        )
        .with_hint("`--columns` and `--where` choose columns and rows of a table"));
    }
    // TIMESTAMPs are instants; a file has them in UTC, whatever the server's zone is.
    let config = args.connect.config(&Environment::of_process())?.with_time_zone(TIME_ZONE)?;
    let mut connection = Connection::connect(&config).map_err(hint_at_login)?;
    let tables = tables::find(&mut connection, &args.tables, &args.columns)?;
    for table in &tables {
        if !table.left_out.is_empty() {
            output.notice(&format!(
                "left out of {}: {}, which the server generates; `--columns` names them to have them",
                table.name.quoted(),
                table.left_out.join(", ")
            ));
        }
        if let Some(engine) = table.engine.as_ref().filter(|_| !table.has_transactions) {
            output.notice(&format!("{} is read as it is meanwhile: {engine} has no transactions", table.name.quoted()));
        }
    }
    let masks = match &rules {
        None => Vec::new(),
        Some(rules) => {
            let read = |table: &Table| Masked::read(&config, &table.name.quoted());
            let masked = tables.iter().map(read).collect::<Result<Vec<_>>>()?;
            masks::check_names(rules, &masked)?;
            let of = |(masked, table): (&Masked, &Table)| masked.of_columns(rules, &table.columns);
            masked.iter().zip(&tables).map(of).collect::<Result<Vec<_>>>()?
        }
    };
    let mut folder = Folder::open(&args.to)?;
    let names: Vec<String> = tables.iter().map(|table| table.name.quoted()).collect();
    let n = if args.query.is_some() { 1 } else { usize::from(args.lanes) };
    let view = ReadView::open(&config, &names, n, args.lock())?;
    if view.n_connections() < n {
        output.notice("one connection reads: no lock was to be had (rights: RELOAD for all tables, LOCK TABLES for these; or others kept them for 5 s). `--snapshot none` reads by more, each with the rows of its own moment");
    }
    let mut manifest = Manifest {
        inrush_export: VERSION,
        server: connection.server_version().to_string(),
        begun: jiff::Timestamp::now().round(jiff::Unit::Second).unwrap_or_default().to_string(),
        lock: lock_name(view.lock()).to_owned(),
        binary_log: view.position().map(Into::into),
        time_zone: TIME_ZONE.to_owned(),
        format: args.format().extension().to_owned(),
        tables: Vec::new(),
    };
    let lock = view.lock();
    drop(connection);

    let mut connections = view.into_connections();
    let mut parts = Vec::new();
    for (at, table) in tables.iter().enumerate() {
        parts.extend(parts_of(table, at, args, connections.first_mut())?);
        let definition = match connections.first_mut().filter(|_| table.engine.is_some()) {
            Some(connection) => Some(tables::definition(connection, &table.name)?),
            None => None,
        };
        let (database, name) = (table.name.schema.clone(), table.name.name.clone());
        let columns = table.columns.clone();
        manifest.tables.push(Exported::of(RowsOf::Table { database, table: name, columns, definition }));
    }
    if let Some(query) = &args.query {
        let file = format!("{QUERY}.{}", args.extension()?);
        parts.push(Part { table: manifest.tables.len(), query: query.clone(), known: Known::default(), file });
        manifest.tables.push(Exported::of(RowsOf::Query { query: query.clone() }));
    }
    let files = lanes::write_all(
        connections,
        &parts,
        &masks,
        &mut folder,
        (args.format(), args.compression()?, args.invalid_dates()),
        output,
    )?;
    for (part, written) in parts.iter().zip(files) {
        let table = &mut manifest.tables[part.table];
        table.add(written.file);
        table.hex = written.hex;
    }
    folder.finish(&manifest)?;
    show(&manifest, lock, args, began, output);
    Ok(exit::OK)
}

/// The queries of a table, and the names of their files.
fn parts_of(table: &Table, at: usize, args: &ExportArgs, connection: Option<&mut Connection>) -> Result<Vec<Part>> {
    let columns = table.columns.iter().map(|name| tables::quoted(name)).collect::<Vec<_>>().join(", ");
    let all = match &args.condition {
        None => format!("SELECT {columns} FROM {}", table.name.quoted()),
        Some(condition) => format!("SELECT {columns} FROM {} WHERE {condition}", table.name.quoted()),
    };
    let n = usize::from(args.lanes);
    let queries = match (&table.key, connection) {
        // A part of a condition of one's own would be read from a derived table, which may be made first, as a whole.
        (Some(key), Some(connection)) if n > 1 && args.condition.is_none() => {
            inrush::parts::of_table(connection, &columns, &table.name.quoted(), key, n)?
        }
        _ => vec![all],
    };
    let extension = args.extension()?;
    let only = queries.len() == 1;
    let name = |number: usize| match only {
        true => format!("{}.{extension}", table.file_name),
        false => format!("{}.{}.{extension}", table.file_name, number + 1),
    };
    let order = match args.order {
        None => String::new(),
        Some(OrderArg::Key) => format!(" ORDER BY {}", table.order()?),
    };
    let part = |(i, query): (usize, String)| Part {
        table: at,
        query: query + &order,
        known: table.known.clone(),
        file: name(i),
    };
    Ok(queries.into_iter().enumerate().map(part).collect())
}

fn show(manifest: &Manifest, lock: ReadLock, args: &ExportArgs, began: Instant, output: &Output) {
    if output.is_json() {
        let mut document = manifest.as_json();
        document["exit_code"] = exit::OK.into();
        return output.result(&document.to_string());
    }
    let files = || manifest.tables.iter().flat_map(|table| &table.files);
    let (rows, bytes): (u64, u64) = files().fold((0, 0), |(rows, bytes), file| (rows + file.rows, bytes + file.bytes));
    let state = match lock {
        ReadLock::Global => {
            "one state of the tables, by a lock of all tables for a moment (FLUSH TABLES WITH READ LOCK)"
        }
        ReadLock::Tables => "one state of the tables, by a lock of these for a moment (LOCK TABLES .. READ)",
        ReadLock::OneConnection => "one state of the tables, by one transaction",
        _ => "each connection the state of its own moment",
    };
    let position = manifest.binary_log.as_ref().map_or(String::new(), |position| {
        format!(
            "\nbinary log: {}, {}{}",
            position.file,
            position.position,
            if position.gtids.is_empty() { String::new() } else { format!(", GTIDs {}", position.gtids) }
        )
    });
    output.result(&format!(
        "{} of {}, {} in {} to `{}`, and manifest.json\n{state}{position}",
        human::counted(rows, "row"),
        match &args.query {
            Some(_) => "the query".to_owned(),
            None => human::counted(manifest.tables.len() as u64, "table"),
        },
        human::counted(files().count() as u64, "file"),
        human::time(began.elapsed()),
        args.to.display(),
    ));
    output.detail(&format!("{} in the files", human::bytes(bytes as f64)));
}

/// The file of a query's rows, without its extension.
const QUERY: &str = "query";

/// The session's zone: that of TIMESTAMPs in the files.
const TIME_ZONE: &str = "+00:00";

/// An error of what goes with files of the folder.
fn cannot(doing: &str, path: &std::path::Path, error: std::io::Error) -> Error {
    Error::io(format!("cannot {doing} `{}`", path.display()), error)
}
