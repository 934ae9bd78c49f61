//! `inrush load dump.sql --into 'shop.*'`: all tables of a dump, made if they are missing, then everything of it that is no row. A dump is a file
//! in SQL, or a folder of mydumper or MySQL Shell.
//!
//! ```text
//! argument -> the dump is read to its end, of a folder all but the rows -> tables on the server: there or made -> a load and a ledger job each
//!          -> views, triggers, routines, events, ALTER TABLE, in their order, if all rows are stored
//! ```
//!
//! Invariant: no table is dropped, and nothing that could change rows is played before all of them are stored.

use super::args::LoadArgs;
use super::interrupt::Watch;
use super::manifest::tables::{self, Missing, RestoreTarget};
use super::many::{self, TableLoad};
use super::sources;
use crate::commands::file_args::ManifestFormat;
use crate::commands::manifest::CsvText;
use crate::connection::{Environment, hint_at_login};
use crate::{Output, exit};
use inrush::blocking::Connection;
use inrush::sans_io::load::FieldTarget;
use inrush::sans_io::load::ledger::State;
use inrush::sans_io::write::Computed;
use inrush::sans_io::write::expression::Part;
use inrush::table::TableName;
use inrush::{Config, JobStatus, Loader, execute_until_stopped};
use inrush_core::column::ident::quote_ident;
use inrush_core::{Error, Kind, Result, human, zone};
use inrush_files::{DumpContents, DumpFolder, DumpTable, OtherStatement, RowText};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Loads the dump that the arguments name, if they name one for several tables, and returns the exit code.
pub(super) fn run(args: &LoadArgs, signals: &Watch, output: &Output) -> Result<Option<u8>> {
    let [file] = &args.files[..] else { return Ok(None) };
    let is_for_all = args.into().is_empty() || sources::is_for_many(args.into());
    let folder = DumpFolder::find(file)?;
    match &folder {
        None if is_for_all && args.file_format().is_dump(file) => {}
        None => return Ok(None),
        Some(folder) if is_for_all => {
            args.check_for_dump_folder()?;
            output.notice(&format!("`{file}` is a dump by {}", folder.program()));
        }
        Some(folder) => {
            return Err(Error::config(format!(
                "`{file}` is a dump by {}, which is loaded into a database",
                folder.program()
            ))
            .with_hint("`--into 'DATABASE.*'` names it; `--only orders` beside it takes one table"));
        }
    }
    args.check_for_dump()?;
    let config = args.connect.config(&Environment::of_process())?;
    let database = database(args.into(), config.database())?;
    let mut contents = match &folder {
        Some(folder) => folder.read()?,
        None => DumpContents::read(file)?,
    };
    args.dump.choose(file, &mut contents)?;
    check(file, &contents)?;
    if args.dump.takes_rows() {
        contents.tables.iter().try_for_each(check_readable)?;
    }
    let args = args.for_dump(time_zone(file, &contents, args.time_zone())?);
    let of = |table: &DumpTable| RestoreTarget {
        name: TableName { schema: database.clone(), name: table.name.clone() },
        database: String::new(),
        definition: table.definition.clone(),
    };
    let targets: Vec<_> = contents.tables.iter().map(of).collect();
    let mut connection = Connection::connect(&config).map_err(hint_at_login)?;
    check_letters(&mut connection, file, &contents)?;
    let there = kinds(&mut connection, &database)?;
    check_kinds(&contents, &there, &args)?;
    let (missing, _) = tables::plan(&mut connection, &targets, true)?;
    if !args.dump.takes_schema() && !missing.is_empty() {
        return Err(Error::config(format!("{} is not there, and `--rows-only` makes no table", missing.names()))
            .with_hint("make the tables first, or load without `--rows-only`"));
    }
    let is_filled = |(table, target): &(&DumpTable, &RestoreTarget)| {
        let is_checked = !args.is_dry_run() || !missing.has(&target.name);
        table.has_rows && args.dump.takes_rows() && is_checked
    };
    let with_rows: Vec<_> = contents.tables.iter().zip(&targets).filter(is_filled).collect();
    let with_rows = || with_rows.iter().copied();
    let to_fill: Vec<_> = with_rows().filter(|(_, target)| !missing.has(&target.name)).collect();
    check_triggers(&mut connection, file, &to_fill, &args)?;
    if let Some(folder) = &folder
        && !args.loads_again()
        && !args.fills_alone()
    {
        check_files_of_jobs(folder, &to_fill, &Loader::status(&config, &database)?)?;
    }
    if args.fills_alone() && !args.dump.takes_rows() {
        return Err(Error::config(
            "`--truncate` and `--schema-only` exclude each other: no row takes the place of those that are there",
        ));
    }
    let missing = if args.dump.is_strict() { unchanged(missing, &mut connection)? } else { missing };
    needed(&contents, &there, &missing, &database).iter().for_each(|line| output.notice(line));
    match args.is_dry_run() {
        true if !missing.is_empty() => output.notice(&format!(
            "{} would be made; rows are checked against tables that are there, so theirs are not",
            missing.names()
        )),
        true => {}
        false => missing.create(&mut connection, "another server", signals, |line| output.notice(line))?,
    }
    drop(connection);
    let load = |(table, target): (&DumpTable, &RestoreTarget)| TableLoad {
        table: table.name.clone(),
        args: match &table.text {
            Some(text) => of_text(&args, target, table, text),
            None => {
                let definition = (!table.files.is_empty()).then(|| table.definition.clone().unwrap_or_default());
                args.for_table_of_dump(&target.name, files_of(file, table), definition)
            }
        },
        rows: table.n_rows.filter(|_| args.reads_all()).map(|rows| (rows, "`metadata` of the dump says")),
    };
    let then = |code: u8| {
        if !contents.left_out.is_empty() {
            output.notice(&format!("left out: {}", listed(&contents.left_out)));
        }
        if !contents.unread.is_empty() {
            output.notice(&format!("not read: {}; `inrush run` plays it", contents.unread.join(", ")));
        }
        play(&contents.others, code, &args, &config, &database, (signals, output))
    };
    many::run_then(&args, with_rows().map(load).collect(), signals, output, then).map(Some)
}

/// The files of a table's rows.
fn files_of(file: &str, table: &DumpTable) -> Vec<String> {
    match table.files.is_empty() {
        true => vec![format!("{file}#{}", table.name_in_dump)],
        false => table.files.clone(),
    }
}

/// The load of files that are no SQL.
fn of_text(args: &LoadArgs, target: &RestoreTarget, table: &DumpTable, text: &RowText) -> LoadArgs {
    let csv = CsvText {
        delimiter: text.delimiter.clone(),
        quote: text.quote.clone(),
        escape: Some(text.escape.clone()).filter(|escape| !escape.is_empty()),
        null: None,
        header: false,
    };
    let field = |(column, decoded): &(String, Option<String>)| match decoded {
        Some(_) => FieldTarget::Skip(column.clone()),
        None => FieldTarget::Column(column.clone()),
    };
    let computed = text.columns.iter().filter_map(|(column, decoded)| {
        let function = decoded.as_ref()?;
        let field = || Part::Field(column.clone());
        // For a text that it cannot decode, one kind of server returns NULL without a warning. A word as a number is an error of the row, and NULL
        // as a number is NULL.
        let checked = format!("),CONCAT('bad text for {function}: ',");
        let parts = vec![
            Part::Sql(format!("COALESCE({function}(")),
            field(),
            Part::Sql(checked),
            field(),
            Part::Sql(")+0)".into()),
        ];
        Some(Computed { column: column.clone(), parts })
    });
    let columns = (text.columns.iter().map(field).collect(), computed.collect());
    args.for_manifest(&target.name, table.files.clone(), (ManifestFormat::Csv, Some(&csv)), columns)
        .with_bits_as_bytes(text.bits_as_bytes)
}

/// Refuses two tables whose names differ by case, on a server that takes them for one: the rows of both would become one table's.
fn check_letters(connection: &mut Connection, file: &str, contents: &DumpContents) -> Result<()> {
    let names: Vec<_> = contents.tables.iter().map(|table| (table.name.to_lowercase(), &table.name)).collect();
    let is_same = |at: &usize| names[..*at].iter().find(|(lower, _)| *lower == names[*at].0).map(|(_, name)| *name);
    let Some((one, other)) = (0..names.len()).find_map(|at| Some((is_same(&at)?, names[at].1))) else { return Ok(()) };
    match connection.query_one::<u64>("SELECT @@lower_case_table_names", ())? {
        0 => Ok(()),
        _ => Err(Error::config(format!(
            "`{file}` has the tables {} and {}, which are one table on this server: `lower_case_table_names` is not 0",
            quote_ident(one),
            quote_ident(other)
        ))
        .with_hint("`--rename` gives one of them another name; `--except` leaves it out")),
    }
}

/// What is in a database by its name: whether it is a view.
fn kinds(connection: &mut Connection, database: &str) -> Result<BTreeMap<String, bool>> {
    let rows = connection.query::<(String, String)>(
        "SELECT TABLE_NAME, TABLE_TYPE FROM information_schema.TABLES WHERE TABLE_SCHEMA = ?",
        (database,),
    )?;
    Ok(rows.into_iter().map(|(name, kind)| (name, kind.ends_with("VIEW"))).collect())
}

/// Refuses a view in the place of a table, and a table in the place of a view: neither is what the dump has.
fn check_kinds(contents: &DumpContents, there: &BTreeMap<String, bool>, args: &LoadArgs) -> Result<()> {
    let tables = contents.tables.iter().map(|table| (&table.name, false));
    let views = contents.others.iter().filter(|_| args.dump.takes_schema()).filter_map(|other| other.view.as_ref());
    for (name, is_view) in tables.chain(views.map(|view| (view, true))) {
        if there.get(name).is_some_and(|other| *other != is_view) {
            let (here, of_dump) = if is_view { ("table", "view") } else { ("view", "table") };
            return Err(Error::config(format!("{} is a {here} here, and a {of_dump} in the dump", quote_ident(name)))
                .with_hint("drop or rename it, or load into another database"));
        }
    }
    Ok(())
}

/// Sentences about tables that foreign keys refer to, and which are neither there nor made.
fn needed(contents: &DumpContents, there: &BTreeMap<String, bool>, missing: &Missing, database: &str) -> Vec<String> {
    let mut lines = Vec::new();
    for table in &contents.tables {
        let name = TableName { schema: database.to_owned(), name: table.name.clone() };
        let Some(definition) = table.definition.as_deref().filter(|_| missing.has(&name)) else { continue };
        let referred: BTreeSet<_> = tables::references(definition).into_iter().collect();
        for (schema, other) in referred {
            let is_made = contents.tables.iter().any(|table| table.name == other) || there.contains_key(&other);
            if schema.is_none_or(|schema| schema == database) && !is_made {
                lines.push(format!(
                    "{} has a foreign key to {}, which is not there and not made: the rows of the dump are stored, and later ones \
                     refused until it is there",
                    quote_ident(&table.name),
                    quote_ident(&other)
                ));
            }
        }
    }
    lines
}

/// Refuses rows of tables whose triggers would fire for them: the dump has what they wrote when the rows were made. Tables whose rows are
/// stored are passed over, as their triggers may be those of the dump.
fn check_triggers(
    connection: &mut Connection,
    file: &str,
    to_fill: &[(&DumpTable, &RestoreTarget)],
    args: &LoadArgs,
) -> Result<()> {
    let events = match args.makes_rows_anew()? {
        true => "IN ('INSERT', 'DELETE')",
        false => "IN ('INSERT', 'UPDATE', 'DELETE')",
    };
    let mut jobs = None;
    for (table, target) in to_fill {
        let names = connection.query::<String>(
            &format!(
                "SELECT TRIGGER_NAME FROM information_schema.TRIGGERS WHERE EVENT_OBJECT_SCHEMA = ? AND EVENT_OBJECT_TABLE = ? \
                 AND EVENT_MANIPULATION {events} ORDER BY 1"
            ),
            (&target.name.schema, &target.name.name),
        )?;
        if names.is_empty() {
            continue;
        }
        let jobs = match &mut jobs {
            Some(jobs) => jobs,
            None => {
                jobs.insert(Loader::status(&args.connect.config(&Environment::of_process())?, &target.name.schema)?)
            }
        };
        let source_of = |file: &String| {
            let file = file.strip_suffix(&format!("#{}", table.name_in_dump)).unwrap_or(file);
            std::fs::canonicalize(file).map_or_else(|_| file.to_owned(), |path| path.display().to_string())
        };
        let sources: Vec<_> = files_of(file, table).iter().map(source_of).collect();
        let of = format!("{}.{}", target.name.schema, target.name.name);
        // Some servers take names that differ by case for the same.
        let is_stored = |source: &String| {
            let is_of = |job: &&JobStatus| job.source == *source && job.target.to_lowercase() == of.to_lowercase();
            jobs.iter().filter(is_of).any(|job| job.run.is_none())
        };
        if !args.loads_again() && sources.iter().all(is_stored) {
            continue;
        }
        let names: Vec<_> = names.iter().map(|name| quote_ident(name)).collect();
        let again = match args.dump.takes_schema() {
            true => "the dump makes its own after the rows",
            false => "the same command with `--schema-only` makes those of the dump after the rows",
        };
        return Err(Error::new(
            Kind::Guarantee,
            format!(
                "{} has triggers ({}), which would change rows once more: the dump has what they wrote when its rows were made",
                target.name.quoted(),
                names.join(", ")
            ),
        )
        .with_hint(format!(
            "drop them; {again}{}",
            match table.files.is_empty() {
                true => format!(
                    ". As any other file, with the triggers, `{file}#{}` loads the rows of one table: `--into {}`",
                    table.name_in_dump, table.name
                ),
                false => String::new(),
            }
        )));
    }
    Ok(())
}

/// Refuses a folder that lacks a file of which earlier runs have stored rows: those that are left would be missing, and the same rows under
/// another name would be stored again.
fn check_files_of_jobs(
    folder: &DumpFolder,
    to_fill: &[(&DumpTable, &RestoreTarget)],
    jobs: &[JobStatus],
) -> Result<()> {
    let canonical = |path: &str| std::fs::canonicalize(path).unwrap_or_else(|_| PathBuf::from(path));
    let place = canonical(folder.path());
    for (table, target) in to_fill {
        let source_of =
            |file: &String| canonical(file.strip_suffix(&format!("#{}", table.name_in_dump)).unwrap_or(file));
        let files: Vec<_> = table.files.iter().map(source_of).collect();
        let of = format!("{}.{}", target.name.schema, target.name.name).to_lowercase();
        let is_of = |job: &&JobStatus| {
            !job.is_kept_table
                && job.target.to_lowercase() == of
                && Path::new(&job.source).parent() == Some(&place)
                && !files.iter().any(|file| *file == Path::new(&job.source))
                // It may be of a table whose name differs by case, or of one that had another name here before.
                && !Path::new(&job.source).exists()
        };
        for job in jobs.iter().filter(is_of) {
            let plain = |path: &Path| path.with_extension("").display().to_string();
            let gone = Path::new(&job.source);
            let is_same = |file: &&PathBuf| {
                let file = file.as_path();
                plain(file) == gone.display().to_string() || plain(gone) == file.display().to_string() || {
                    is_compressed(file) && is_compressed(gone) && plain(file) == plain(gone)
                }
            };
            let twin = files.iter().find(is_same);
            if job.state == State::Done && twin.is_none() {
                continue;
            }
            let stored = human::counted(job.totals.rows, "row");
            let what = match twin {
                Some(twin) => format!(
                    "{stored} of table {} are stored from `{}`, which is gone, and `{}` is there in its place",
                    quote_ident(&table.name),
                    job.source,
                    twin.display()
                ),
                None => format!(
                    "{stored} of table {} are stored from `{}`, which is gone and was not whole",
                    quote_ident(&table.name),
                    job.source
                ),
            };
            return Err(Error::data(what).with_hint(format!(
                "put the file back under its name, and the same command goes on{}. `inrush load --forget {}` drops what the ledger has of it: its \
                 rows stay in the table, so delete them before",
                // Without the file its rows would be missing then.
                if twin.is_some() { "; or `--truncate` empties the tables, and loads all of the folder" } else { "" },
                job.id
            )));
        }
    }
    Ok(())
}

fn is_compressed(file: &Path) -> bool {
    file.extension().is_some_and(|ending| ending == "gz" || ending == "zst")
}

/// The missing tables, if this server takes them as the dump defines them.
fn unchanged(missing: Missing, connection: &mut Connection) -> Result<Missing> {
    let mut changes = Vec::new();
    let missing = missing.for_server(connection, |change| changes.push(change.to_owned()))?;
    match changes.is_empty() {
        true => Ok(missing),
        false => Err(Error::config(format!("the dump is of another kind of server: {}", changes.join("; ")))
            .with_hint("without `--strict` the tables are made like this; or make them first, as they should be here")),
    }
}

/// The database that is filled.
fn database(into: &str, default: Option<&str>) -> Result<String> {
    let none = || {
        Error::config("no database is named for the tables of the dump").with_hint(
            "`--into 'DATABASE.*'` or `-D DATABASE` names it; of a file, `--into TABLE` loads the rows of one table",
        )
    };
    match into.strip_suffix(".*") {
        Some(schema) => Ok(TableName::parse(&format!("{schema}.t"))?.schema),
        None => default.map(str::to_owned).ok_or_else(none),
    }
}

fn check(file: &str, contents: &DumpContents) -> Result<()> {
    if let [first, second, ..] = &contents.databases[..] {
        return Err(Error::config(format!("`{file}` is of several databases: `{first}`, `{second}` .."))
            .with_hint("dump each database by itself; `inrush run` plays such a dump as it is"));
    }
    if contents.tables.is_empty() {
        return Err(
            Error::config(format!("`{file}` has no table")).with_hint("`inrush run` plays scripts of every kind")
        );
    }
    if let Some(table) = contents.tables.iter().find(|table| table.name.starts_with("inrush_")) {
        return Err(Error::config(format!("`{file}` has a table of the ledger of loads, `{}`", table.name)).with_hint(
            "a ledger belongs to the rows beside it: `--except` with the tables `inrush_..` leaves it out",
        ));
    }
    Ok(())
}

/// Refuses rows that would be refused once they are read, before a table is made for them.
fn check_readable(table: &DumpTable) -> Result<()> {
    let Some(why) = &table.unreadable else { return Ok(()) };
    Err(Error::config(format!("the rows of {} are not read: {why}", quote_ident(&table.name_in_dump))).with_hint(
        "dump again in the character set utf8mb4 (`--default-character-set=utf8mb4`, of mydumper `--set-names utf8mb4`); `--except` leaves the \
         table out, `--schema-only` all rows; `inrush run` plays a script as it is",
    ))
}

/// The zone of the load: that of the dump, unless another one is requested.
fn time_zone(file: &str, contents: &DumpContents, given: &str) -> Result<String> {
    match &contents.time_zone {
        Some(zone) if zone::spelling(zone) != zone::spelling(given) && given != DEFAULT_ZONE => Err(Error::config(
            format!("`{file}` says that its times are in the zone `{zone}`, and `--time-zone {given}` another one"),
        )
        .with_hint("leave `--time-zone` out")),
        Some(zone) => Ok(zone.clone()),
        None => Ok(given.to_owned()),
    }
}

/// Plays what is no row, once all rows are stored. Returns the exit code. A statement may wait for others who use its table: a signal ends it, at
/// the server too.
fn play(
    others: &[OtherStatement],
    code: u8,
    args: &LoadArgs,
    config: &Config,
    database: &str,
    (signals, output): (&Watch, &Output),
) -> Result<u8> {
    if others.is_empty() {
        return Ok(exit::OK);
    }
    if args.is_dry_run() || !matches!(code, exit::OK | exit::REJECTED) {
        let why = if args.is_dry_run() { "`--dry-run`" } else { "not all rows are stored: the same command goes on" };
        output.notice(&format!("not played ({why}): {}", listed(others)));
        return Ok(exit::OK);
    }
    let _held = signals.held("stopping: a statement that waits is ended at the server; once more leaves at once");
    let connect = || Connection::connect(config.clone().with_database(database)).map_err(hint_at_login);
    let (mut connection, mut file) = (connect()?, &others[0].file);
    let (mut n_played, mut n_there) = (0_u64, 0_u64);
    let mut needing = Vec::new();
    let mut warned = BTreeSet::new();
    for other in others {
        if signals.is_over() {
            return Err(interrupted(other));
        }
        if other.file != *file {
            // What a file sets is its own.
            (connection, file) = (connect()?, &other.file);
        }
        let doing = || match &other.file {
            Some(_) => format!("the statement in {}, `{}`", other.place(), beginning(&other.text)),
            None => format!("the statement in {} of the dump, `{}`", other.place(), beginning(&other.text)),
        };
        let mut played = execute_until_stopped(&mut connection, &other.text, || signals.is_over());
        if let Err(error) = &played
            && error.code() == UNKNOWN_COLLATION
            && !args.dump.is_strict()
            && let Some((text, changes)) = tables::with_known_collations(&mut connection, &other.text)?
        {
            for (theirs, ours) in changes {
                output.notice(&format!(
                    "{}: this server has no collation {theirs}; {ours} takes its place",
                    named(other)
                ));
            }
            played = execute_until_stopped(&mut connection, text, || signals.is_over());
        }
        match played {
            Ok(()) => {
                n_played += u64::from(!other.is_setting);
                if other.has_definer() {
                    let rows = connection.query::<(String, u16, String)>("SHOW WARNINGS", ())?;
                    warned.extend(rows.into_iter().filter(|row| row.1 == NO_SUCH_USER).map(|row| row.2));
                }
            }
            Err(error) if error.kind() == Kind::Interrupted => return Err(interrupted(other)),
            Err(error) if is_there(&error) => n_there += 1,
            // A comment that this server does not execute: `/*M!100616 SET .. */`.
            Err(error) if error.code() == EMPTY => {}
            Err(error) if args.dump.leaves_out_tables() && NEEDS_ANOTHER.contains(&error.code()) => {
                needing.push(format!("{} ({})", named(other), error.message()));
            }
            Err(error) if other.has_definer() && MAY_NOT_DEFINE.contains(&error.code()) => {
                return Err(error.while_doing(&doing()).with_hint(
                    "this user may not make it for the user after DEFINER: `--definers strip` makes it for the user who loads; \
                     all rows are stored, and the same command with it plays what is left",
                ));
            }
            Err(error) => {
                return Err(error
                    .while_doing(&doing())
                    .with_hint("all rows are stored; the same command plays it again, and passes over what is there"));
            }
        }
    }
    let there = if n_there > 0 {
        format!("; {} passed over, as what they create is there", human::exact(n_there))
    } else {
        String::new()
    };
    output.notice(&format!("played {}{there}", human::counted(n_played, "other statement")));
    if !needing.is_empty() {
        output.notice(&format!("left out, as they need a table that is left out: {}", needing.join("; ")));
    }
    for warning in warned {
        output.notice(&format!("{warning}: what it defines fails until that user is created"));
    }
    Ok(exit::OK)
}

fn interrupted(before: &OtherStatement) -> Error {
    Error::new(Kind::Interrupted, format!("interrupted before {} was played", named(before)))
        .with_hint("all rows are stored; the same command plays what is left, and passes over what is there")
}

/// Whether what a statement makes is there already.
fn is_there(error: &Error) -> bool {
    /// ER_CANT_CREATE_TABLE, which MariaDB says with the number of the storage engine's error for a foreign key of the same name.
    const CANNOT_CREATE: u16 = 1005;
    THERE.contains(&error.code()) || (error.code() == CANNOT_CREATE && error.message().contains("errno: 121"))
}

/// ER_TABLE_EXISTS_ERROR, ER_DUP_FIELDNAME, ER_DUP_KEYNAME, ER_MULTIPLE_PRI_KEY, ER_SP_ALREADY_EXISTS, ER_TRG_ALREADY_EXISTS, ER_EVENT_ALREADY_EXISTS,
/// ER_FK_DUP_NAME
const THERE: [u16; 8] = [1050, 1060, 1061, 1068, 1304, 1359, 1537, 1826];

/// ER_EMPTY_QUERY
const EMPTY: u16 = 1065;

/// ER_UNKNOWN_COLLATION
const UNKNOWN_COLLATION: u16 = 1273;

/// ER_NO_SUCH_USER, of a DEFINER.
const NO_SUCH_USER: u16 = 1449;

/// ER_NO_SUCH_TABLE, ER_VIEW_INVALID, ER_FK_CANNOT_OPEN_PARENT
const NEEDS_ANOTHER: [u16; 3] = [1146, 1356, 1824];

/// ER_SPECIFIC_ACCESS_DENIED_ERROR
const MAY_NOT_DEFINE: [u16; 1] = [1227];

const DEFAULT_ZONE: &str = "+00:00";

/// The statements of a list that are no settings, shortly.
fn listed(others: &[OtherStatement]) -> String {
    let others: Vec<_> =
        others.iter().filter(|other| !other.is_setting || others.iter().all(|other| other.is_setting)).collect();
    let shown: Vec<_> = others.iter().take(MOST_LISTED).map(|other| named(other)).collect();
    let more = match others.len().saturating_sub(MOST_LISTED) {
        0 => String::new(),
        n => format!("; and {n} more"),
    };
    format!("{}{more}", shown.join("; "))
}

/// A statement in a list: what it is about, or its beginning.
fn named(other: &OtherStatement) -> String {
    match &other.subject {
        Some(subject) => format!("{subject} ({})", other.place()),
        None => format!("{}, `{}`", other.place(), beginning(&other.text)),
    }
}

const MOST_LISTED: usize = 20;

/// The beginning of a statement, on one line.
fn beginning(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(&text[..text.len().min(240)]).into_owned();
    let words: Vec<_> = text.split_whitespace().collect();
    let line = words.join(" ");
    match line.char_indices().nth(60) {
        Some((at, _)) => format!("{} ..", &line[..at]),
        None => line,
    }
}
