//! `inrush load FOLDER/manifest.json`: an export goes back in, table by table, in the order of their foreign keys.
//!
//! ```text
//! argument -> manifest -> files compared (size, hash) -> tables on the server: there or made, ordered -> a load and a ledger job each
//! ```
//!
//! Invariant: no table is made and no row is sent before every file is what the manifest says.

mod definition;
mod files;
mod order;
pub(crate) mod tables;

use super::MANIFEST;
use super::args::LoadArgs;
use super::interrupt::Watch;
use super::many::{self, TableLoad};
use crate::Output;
use crate::commands::file_args::ManifestFormat;
use crate::commands::manifest::{Exported, RowsOf};
use crate::connection::{Environment, hint_at_login};
use files::FoundManifest;
use inrush::Config;
use inrush::blocking::Connection;
use inrush::sans_io::load::FieldTarget;
use inrush::sans_io::write::Computed;
use inrush::sans_io::write::expression::Part;
use inrush::table::TableName;
use inrush_core::{Error, Result};
use tables::RestoreTarget;

/// Loads the export that the arguments name, if they name one, and returns the exit code.
pub(super) fn run(args: &LoadArgs, signals: &Watch, output: &Output) -> Result<Option<u8>> {
    let Some(found) = files::find(&args.files)? else { return Ok(None) };
    let config = args.connect.config(&Environment::of_process())?;
    let (format, targets) = read(&found, args, &config, output)?;
    let mut connection = Connection::connect(&config).map_err(hint_at_login)?;
    let (missing, order) = tables::plan(&mut connection, &targets, args.leaves_foreign_keys()?)?;
    if args.is_dry_run() && !missing.is_empty() {
        return Err(Error::config(format!("{} is not there, and `--dry-run` makes no table", missing.names()))
            .with_hint("make the tables first, or load without `--dry-run`"));
    }
    missing.create(&mut connection, &found.manifest.server, signals, |line| output.notice(line))?;
    drop(connection);
    let load = |at: usize| table_load(&found, &targets[at], &found.manifest.tables[at], format, args);
    many::run(args, order.into_iter().map(load).collect(), signals, output).map(Some)
}

/// The load of each table of the export that the arguments name, if they name one: for comparing them.
pub(crate) fn loads(args: &LoadArgs, config: &Config, output: &Output) -> Result<Option<Vec<TableLoad>>> {
    let Some(found) = files::find(&args.files)? else { return Ok(None) };
    let (format, targets) = read(&found, args, config, output)?;
    let pairs = targets.iter().zip(&found.manifest.tables);
    Ok(Some(pairs.map(|(target, exported)| table_load(&found, target, exported, format, args)).collect()))
}

/// The format of the files, which are what the manifest says, and the table of each entry.
fn read(
    found: &FoundManifest,
    args: &LoadArgs,
    config: &Config,
    output: &Output,
) -> Result<(ManifestFormat, Vec<RestoreTarget>)> {
    args.check_for_manifest()?;
    if found.manifest.format == "sql" {
        return Err(Error::config(format!("`{}` is of files of SQL, which are not loaded here", found.name)).with_hint(
            "the server's own client runs them: `mysql DATABASE < FILE`; `inrush load` takes exports of the other formats",
        ));
    }
    let format = ManifestFormat::parse(&found.manifest.format).ok_or_else(|| {
        Error::config(format!("`{}` is of files of the format `{}`", found.name, found.manifest.format))
            .with_hint("it is not known here; a newer `inrush` wrote it")
    })?;
    let targets = targets(found, args, config.database())?;
    match args.trusts_source() {
        true => output.detail("the files are not compared with the manifest (`--trust-source`)"),
        false => found.check()?,
    }
    Ok((format, targets))
}

/// The table of each entry of the manifest, in its order.
fn targets(found: &FoundManifest, args: &LoadArgs, default: Option<&str>) -> Result<Vec<RestoreTarget>> {
    let exported = &found.manifest.tables;
    let own: Vec<_> = exported.iter().filter_map(|one| one.rows_of.database()).collect();
    let into = Destination::parse(args.into(), default, own.windows(2).any(|pair| pair[0] != pair[1]), exported.len())?;
    let mut targets: Vec<RestoreTarget> = Vec::new();
    for one in exported {
        let target = match (&one.rows_of, &into) {
            (RowsOf::Query { .. }, Destination::Table(name)) => {
                RestoreTarget { name: name.clone(), database: String::new(), definition: None }
            }
            (RowsOf::Query { .. }, _) => {
                return Err(Error::config(format!("`{}` has the rows of a query, which name no table", found.name))
                    .with_hint("name the table to fill: `--into TABLE`"));
            }
            (RowsOf::Table { database, table, definition, .. }, into) => {
                let name = match into {
                    Destination::Table(name) => name.clone(),
                    Destination::Database(schema) => TableName { schema: schema.clone(), name: table.clone() },
                    Destination::Own => TableName { schema: database.clone(), name: table.clone() },
                };
                RestoreTarget { name, database: database.clone(), definition: definition.clone() }
            }
        };
        if let Some(other) = targets.iter().find(|other| other.name == target.name) {
            return Err(Error::config(format!(
                "{} is for the tables of this name in `{}` and in `{}`",
                target.name.quoted(),
                other.database,
                target.database
            ))
            .with_hint("leave `--into` and `-D` out, and each goes into a database of its own name"));
        }
        targets.push(target);
    }
    Ok(targets)
}

/// Where the rows go.
enum Destination {
    /// The database that each table was of.
    Own,
    Database(String),
    Table(TableName),
}

impl Destination {
    /// By `--into` and the connection's database. `n` entries are in the manifest.
    fn parse(into: &str, default: Option<&str>, is_of_several: bool, n: usize) -> Result<Self> {
        let no_default = || Error::config("`--into '*'` needs a database: `-D DATABASE`, or `--into 'DATABASE.*'`");
        match into {
            "" if default.is_some() && is_of_several => Err(Error::config(
                "the manifest has tables of several databases, and the connection names one",
            )
            .with_hint(
                "`--into '*'` puts all of them into that one; without `-D` each goes into a database of its own name",
            )),
            "" => Ok(default.map_or(Self::Own, |name| Self::Database(name.to_owned()))),
            "*" => Ok(Self::Database(default.ok_or_else(no_default)?.to_owned())),
            into => match into.strip_suffix(".*") {
                // A name in backticks or without, as that of a table.
                Some(schema) => Ok(Self::Database(TableName::parse(&format!("{schema}.t"))?.schema)),
                None if n == 1 => Ok(Self::Table(TableName::parse(into)?.in_schema(default)?)),
                None => Err(Error::config(format!("`--into {into}` is one table, and the manifest has {n}"))
                    .with_hint("`--into 'DATABASE.*'` names the database for all of them")),
            },
        }
    }
}

/// The load of one table: its files, read as they were written.
fn table_load(
    found: &FoundManifest,
    target: &RestoreTarget,
    exported: &Exported,
    format: ManifestFormat,
    args: &LoadArgs,
) -> TableLoad {
    let unhex = |column: &String| Computed {
        column: column.clone(),
        parts: vec![Part::Sql("UNHEX(".into()), Part::Field(column.clone()), Part::Sql(")".into())],
    };
    let files = exported.files.iter().map(|file| found.path(file)).collect();
    let computed = exported.hex.iter().map(unhex).collect();
    let field = |column: &String| match exported.hex.contains(column) {
        true => FieldTarget::Skip(column.clone()),
        false => FieldTarget::Column(column.clone()),
    };
    let csv = found.manifest.csv.as_ref();
    let fields = match &exported.rows_of {
        RowsOf::Table { columns, .. } => columns.iter().map(field).collect(),
        // Bytes are decoded by the names of their fields, which these files do not have.
        RowsOf::Query { columns, .. } if csv.is_some_and(|csv| !csv.header) && !exported.hex.is_empty() => {
            columns.iter().map(field).collect()
        }
        RowsOf::Query { .. } => Vec::new(),
    };
    let one = args.for_manifest(&target.name, files, (format, csv), (fields, computed));
    TableLoad {
        table: target.name.name.clone(),
        args: one,
        rows: args.reads_all().then_some((exported.rows, MANIFEST)),
    }
}
