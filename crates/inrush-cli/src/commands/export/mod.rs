//! `inrush export`: tables as files, all from one state of the server.
//!
//! ```text
//! args -> tables (names, columns, keys) -> ReadView (N connections) -> parts -> lanes: part -> Arrow batches -> file -> folder, manifest
//! ```
//!
//! Invariant: a file has its name only when it is whole and on disk, and `manifest.json` comes last; so what a folder with a manifest holds is
//! an export that ended.

mod args;
mod file;
mod folder;
pub(crate) mod known;
pub(crate) mod lanes;
pub(crate) mod pace;
mod parts;
pub(crate) mod tables;

use crate::commands::manifest::{Exported, Manifest, RowsOf, VERSION, lock_name};
use crate::commands::masks::{self, Masked};
use crate::connection::{Environment, hint_at_login};
use crate::{Output, exit};
pub(crate) use args::ExportArgs;
use folder::Folder;
use inrush::blocking::Connection;
use inrush::parts::check_condition;
use inrush::{ReadLock, ReadView};
use inrush_core::human;
use inrush_core::{Error, Result};
use known::Known;
use lanes::{Orders, Part};
use pace::Pace;
use std::time::Instant;
use tables::Table;

/// Exports, and returns the exit code.
pub(crate) fn run(args: &ExportArgs, output: &Output) -> Result<u8> {
    let began = Instant::now();
    let (layout, rate) = (args.layout()?, args.rate()?);
    let rules = args.masks.rules(output)?;
    if rules.is_some() && args.query.is_some() {
        return Err(Error::config(
            "`--mask` is for tables: the types of a query's columns are not known before it runs",
        )
        .with_hint("`--columns` and `--where` choose columns and rows of a table"));
    }
    // TIMESTAMPs are instants; a file has them in UTC, whatever the server's zone is.
    let config = args.connect.config(&Environment::of_process())?.with_time_zone(TIME_ZONE)?;
    output.detail_host(&config);
    let mut connection = Connection::connect(&config).map_err(hint_at_login)?;
    let tables = tables::find(&mut connection, &args.tables, &args.columns)?;
    for table in &tables {
        if let Some(condition) = &args.condition {
            check_condition(&mut connection, &table.name.quoted(), condition)?;
        }
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
        csv: args.csv_text(),
        tables: Vec::new(),
    };
    let lock = view.lock();
    drop(connection);

    let mut connections = view.into_connections();
    let (mut parts, mut sql) = (Vec::new(), Vec::new());
    let is_one_schema = tables.windows(2).all(|pair| pair[0].name.schema == pair[1].name.schema);
    for (at, table) in tables.iter().enumerate() {
        let changed = |error| lanes::named(error, &table.file_name);
        parts.extend(parts::of_table(table, at, args, connections.first_mut()).map_err(changed)?);
        let definition = match connections.first_mut().filter(|_| table.engine.is_some()) {
            Some(connection) => Some(tables::definition(connection, &table.name).map_err(changed)?),
            None => None,
        };
        let (database, name) = (table.name.schema.clone(), table.name.name.clone());
        let columns = table.columns.clone();
        sql.push(args.sql_style(table, definition.as_deref(), is_one_schema));
        manifest.tables.push(Exported::of(RowsOf::Table { database, table: name, columns, definition }));
    }
    if let Some(query) = &args.query {
        let stem = QUERY.to_owned();
        parts.push(Part { table: manifest.tables.len(), query: query.clone(), known: Known::default(), stem });
        manifest.tables.push(Exported::of(RowsOf::Query { query: query.clone(), columns: Vec::new() }));
    }
    let orders = Orders {
        masks: &masks,
        layout,
        sql,
        invalid_dates: args.invalid_dates(),
        error_values: args.error_values(),
        via_arrays: args.via_arrays,
        pace: Pace::start(rate),
    };
    let written = lanes::write_all(connections, &parts, &orders, &mut folder, output)?;
    for (part, written) in parts.iter().zip(written) {
        let table = &mut manifest.tables[part.table];
        written.files.into_iter().for_each(|file| table.add(file));
        table.hex = written.hex;
        if let RowsOf::Query { columns, .. } = &mut table.rows_of {
            *columns = written.columns;
        }
    }
    folder.finish(&manifest)?;
    show(&manifest, config.taken_host(), lock, args, began, output);
    Ok(exit::OK)
}

fn show(manifest: &Manifest, host: Option<String>, lock: ReadLock, args: &ExportArgs, began: Instant, output: &Output) {
    if output.is_json() {
        let mut document = manifest.as_json();
        document["exit_code"] = exit::OK.into();
        document["host"] = host.into();
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
        "{} of {}{}, {} in {} to `{}`, and manifest.json\n{state}{position}",
        human::counted(rows, "row"),
        match &args.query {
            Some(_) => "the query".to_owned(),
            None => human::counted(manifest.tables.len() as u64, "table"),
        },
        host.map_or_else(String::new, |host| format!(" at `{host}`")),
        human::counted(files().count() as u64, "file"),
        human::time(began.elapsed()),
        args.to.display(),
    ));
    output.detail(&format!("{} in the files", human::bytes(bytes as f64)));
}

/// The name of the files of a query's rows, without what follows.
const QUERY: &str = "query";

/// The session's zone: that of TIMESTAMPs in the files.
const TIME_ZONE: &str = "+00:00";

/// An error of what goes with files of the folder.
fn cannot(doing: &str, path: &std::path::Path, error: std::io::Error) -> Error {
    Error::io(format!("cannot {doing} `{}`", path.display()), error)
}
