//! Folders of mydumper, and of programs that write the same files.
//!
//! | file, also compressed | what is in it |
//! |---|---|
//! | `metadata`, before its end `metadata.partial` | when the dump began and ended; since 0.14 the rows of each table |
//! | `shop-schema-create.sql` | CREATE DATABASE |
//! | `shop.orders-schema.sql` | a CREATE TABLE; for a view that of a table in its place |
//! | `shop.orders.00000.sql`, `shop.orders.sql` | INSERTs, or a LOAD DATA of a file `.dat` beside it |
//! | `shop.v-schema-view.sql`, `shop.orders-schema-triggers.sql` | what it says |
//! | `shop-schema-post.sql`, `-schema-routines.sql`, `-schema-events.sql` | routines and events |
//!
//! In files of triggers, routines and events, and only there, a `;` ends a statement where it ends its line: mydumper writes no DELIMITER, and
//! a blank after each `;` within a body.
//!
//! Names in files are not those of tables: characters that a file system does not take are replaced. So what a file is about is read in it.

use super::DumpFolder;
use crate::decompress::Compression;
use crate::dump::contents::{DumpContents, Reading};
use crate::dump::row_text::RowText;
use crate::dump::rows::unreadable;
use crate::dump::statements::{Statements, Zone, is_utf8, settled};
use crate::dump::words::{self, CreateTable, LoadData, Statement};
use crate::script::script_bytes;
use inrush_core::error::{Error, Result};
use inrush_core::sql::Dialect;
use std::collections::BTreeMap;

/// Whether a folder with these files is one.
pub(super) fn is_of(files: &[String]) -> bool {
    let is_metadata = |file: &String| file == METADATA || file == PARTIAL;
    files.iter().any(|file| plain(file).ends_with(CREATE))
        || files.iter().any(is_metadata) && files.iter().any(|file| plain(file).ends_with(SCHEMA))
}

pub(super) fn read(folder: &DumpFolder) -> Result<DumpContents> {
    check_end(folder)?;
    let database = database(folder)?;
    check_files(folder, &database)?;
    let of_database: Vec<_> = folder.files.iter().filter(|file| is_in(&database, file)).cloned().collect();
    let ending_in = |endings: &[&str]| -> Vec<String> {
        of_database.iter().filter(|file| endings.iter().any(|ending| plain(file).ends_with(ending))).cloned().collect()
    };
    let mut reading = Reading::default();
    folder.add(&ending_in(&[SCHEMA, "-schema-sequence.sql"]), &mut reading)?;
    let mut views = Vec::new();
    for file in ending_in(&["-schema-view.sql"]) {
        views.push((view_of(folder, &file)?, file));
    }
    let post = ending_in(&["-schema-post.sql", "-schema-routines.sql", "-schema-events.sql"]);
    add_bodies(folder, &post, &mut reading)?;
    folder.add(&folder.views_in_order(&views)?, &mut reading)?;
    add_bodies(folder, &ending_in(&["-schema-triggers.sql", "-schema-trigger.sql"]), &mut reading)?;
    let mut contents = reading.end();
    let is_rows = |file: &&String| plain(file).ends_with(".sql") && !is_definition(file);
    let (mut zone, mut stems) = (None, BTreeMap::new());
    for file in of_database.iter().filter(is_rows) {
        if let Some(table) = add_rows(folder, file, &mut contents, &mut zone)? {
            check_name(folder, file, table, &mut stems)?;
        }
    }
    check_text_files(folder, &of_database, &contents)?;
    note_counts(folder, &database, &mut contents)?;
    if let Some(Zone::Is(zone)) = zone {
        contents.time_zone = Some(zone);
    }
    Ok(contents)
}

/// Adds statements whose inner ones have delimiters as well.
fn add_bodies(folder: &DumpFolder, files: &[String], reading: &mut Reading) -> Result<()> {
    for file in files {
        let path = folder.path_of(file);
        let (bytes, _) = script_bytes(&path)?;
        reading.add_lines(&path, file, bytes)?;
    }
    Ok(())
}

/// Refuses files that were cut off to nothing, and scripts of no database.
fn check_files(folder: &DumpFolder, database: &Database) -> Result<()> {
    for file in folder.files.iter().filter(|file| is_script(file) || is_text(file)) {
        let is_known = is_in(database, file) || database.others.iter().any(|other| begins_with(other, file));
        if is_script(file) && !is_known && plain(file) != TABLESPACES {
            return Err(Error::data(format!("`{}` is of no database of the dump", folder.path_of(file)))
                .with_hint("move it out of the folder, or dump again, into a new one"));
        }
        let path = folder.path_of(file);
        let is_empty = std::fs::metadata(&path).is_ok_and(|about| about.len() == 0);
        if is_in(database, file) && is_empty {
            return Err(empty(&path));
        }
    }
    Ok(())
}

/// Refuses files of rows that no LOAD DATA reads: its script is missing.
fn check_text_files(folder: &DumpFolder, files: &[String], contents: &DumpContents) -> Result<()> {
    let is_read = |path: &String| contents.tables.iter().any(|table| table.files.contains(path));
    match files.iter().filter(|file| is_text(file)).map(|file| folder.path_of(file)).find(|path| !is_read(path)) {
        None => Ok(()),
        Some(path) => Err(Error::data(format!("no script of the dump loads the rows of `{path}`")).with_hint(
            "a file of the same name with the ending `.sql` is missing: compare the folder with its origin",
        )),
    }
}

/// Notes how many rows each table has, if `metadata` says it, and refuses a table whose files are all missing.
fn note_counts(folder: &DumpFolder, database: &Database, contents: &mut DumpContents) -> Result<()> {
    for (table, n_rows) in counts(&folder.text_of(METADATA)?, database) {
        match contents.tables.iter_mut().find(|one| one.name == table) {
            Some(found) if found.has_rows => found.n_rows = Some(n_rows),
            // The name of a file: its table has another one.
            None if table.starts_with("mydumper_") => {}
            _ if n_rows == 0 => {}
            _ => {
                return Err(folder.unfinished(&format!(
                    "`metadata` says that table `{table}` has {n_rows} rows, and no file has them"
                )));
            }
        }
    }
    Ok(())
}

/// The tables of a database, and their rows: `rows = 5` after a line ``[`shop`.`t`]``. Where the name of a table is no name of a file, later
/// versions say it in a line of its own.
fn counts(metadata: &str, database: &Database) -> Vec<(String, u64)> {
    let mut counts = Vec::new();
    let mut table: Option<String> = None;
    for line in metadata.lines().map(str::trim) {
        if line.starts_with('[') {
            table = table_of(line)
                .filter(|(of, _)| [&database.prefix, &database.name].contains(&of))
                .map(|(_, table)| table);
        }
        let (Some(table), Some((key, value))) = (&mut table, line.split_once('=')) else { continue };
        match (key.trim(), value.trim().parse()) {
            ("real_table_name", _) => *table = value.trim().to_owned(),
            (key, Ok(n_rows)) if key.eq_ignore_ascii_case("rows") => counts.push((table.clone(), n_rows)),
            _ => {}
        }
    }
    counts
}

/// The database and the table of a line ``[`shop`.`t`]``.
fn table_of(line: &str) -> Option<(String, String)> {
    let inside = line.strip_prefix('[')?.strip_suffix(']')?;
    let quote = inside.chars().next().filter(|quote| ['`', '"'].contains(quote))?;
    let (database, table) = inside.strip_prefix(quote)?.strip_suffix(quote)?.split_once(&format!("{quote}.{quote}"))?;
    Some((database.to_owned(), table.to_owned()))
}

fn empty(path: &str) -> Error {
    Error::data(format!("`{path}` is empty")).with_hint(
        "compare the folder with its origin, or dump again; if `--build-empty-files` of mydumper made it, remove it",
    )
}

/// Refuses a file whose name differs from those of the other files of its table by more than numbers: `shop.t.00000 (copy).sql`.
fn check_name<'a>(
    folder: &DumpFolder,
    file: &'a str,
    table: String,
    stems: &mut BTreeMap<String, (&'a str, &'a str)>,
) -> Result<()> {
    let mut stem = plain(file).trim_end_matches(".sql");
    while let Some((rest, digits)) = stem.rsplit_once('.')
        && !digits.is_empty()
        && digits.bytes().all(|byte| byte.is_ascii_digit())
    {
        stem = rest;
    }
    match stems.get(&table) {
        Some((other, first)) if *other != stem => Err(Error::data(format!(
            "`{}` and `{}` have rows of table `{table}`, and their names differ by more than a number",
            folder.path_of(file),
            folder.path_of(first)
        ))
        .with_hint("one may be a copy of another file: compare the folder with its origin")),
        Some(_) => Ok(()),
        None => {
            stems.insert(table, (stem, file));
            Ok(())
        }
    }
}

/// Adds the rows of a file to their table, which is returned; `None` if it has none.
fn add_rows(
    folder: &DumpFolder,
    file: &str,
    contents: &mut DumpContents,
    zone: &mut Option<Zone>,
) -> Result<Option<String>> {
    let path = folder.path_of(file);
    let Some(head) = head(&path, file)? else { return Ok(None) };
    if *zone.get_or_insert(head.zone.clone()) != head.zone {
        return Err(Error::data(format!(
            "the rows of `{path}` are in another time zone than those of the files before it"
        )));
    }
    let table = contents.table(&head.table);
    table.has_rows = true;
    let Some(load) = head.load else {
        let of_table = created(table.definition.as_deref()).map(|created| created.charsets);
        let why = unreadable(head.charset.as_deref(), of_table.as_deref());
        table.unreadable = table.unreadable.take().or(why);
        if table.text.is_some() {
            return Err(mixed(&path, &head.table));
        }
        table.files.push(format!("{path}#{}", head.table));
        return Ok(Some(head.table));
    };
    let said = load.charset.as_deref().unwrap_or("binary");
    // The bytes are as the columns have them then.
    let charset = match said {
        "binary" => charset_of(table.definition.as_deref()),
        said => Some(said.to_owned()),
    };
    if let Some(charset) = charset.filter(|name| !is_utf8(name)) {
        return Err(Error::config(format!("the texts that `{path}` loads are in {charset}, not in UTF-8"))
            .with_hint("dump again with `--set-names utf8mb4`"));
    }
    let is_alike = |text: &RowText| load.text == RowText { bits_as_bytes: false, ..text.clone() };
    if !table.files.is_empty() && !table.text.as_ref().is_some_and(is_alike) {
        return Err(mixed(&path, &head.table));
    }
    let name = load.file.rsplit('/').next().unwrap_or_default();
    let stored = folder.files.iter().find(|file| *file == name || plain(file) == name);
    let stored = stored.ok_or_else(|| folder.missing(name, &format!("`{file}`")))?;
    table.files.push(folder.path_of(stored));
    // A table without a definition may have such columns as well.
    let bits_as_bytes = table.definition.as_deref().is_none_or(has_bits);
    table.text = Some(RowText { bits_as_bytes, ..load.text });
    Ok(Some(head.table))
}

/// The first character set of the columns of a table that is no UTF-8.
fn charset_of(definition: Option<&str>) -> Option<String> {
    created(definition)?.charsets.into_iter().find(|name| !is_utf8(name) && name != "binary")
}

fn created(definition: Option<&str>) -> Option<CreateTable> {
    match words::statement(definition?.as_bytes(), Dialect::default()) {
        Statement::Create(created) => Some(created),
        _ => None,
    }
}

/// Whether a table has a BIT column.
fn has_bits(definition: &str) -> bool {
    created(Some(definition)).is_none_or(|created| created.columns.iter().any(|column| column.ty == "BIT"))
}

fn mixed(path: &str, table: &str) -> Error {
    Error::data(format!("the rows of `{path}` are written in another way than others of table `{table}`"))
        .with_hint("it is the folder of several dumps: dump again, into a new one")
}

/// The beginning of a file of rows.
struct Head {
    table: String,
    zone: Zone,
    /// That of INSERTs, if it is no UTF-8.
    charset: Option<String>,
    load: Option<LoadData>,
}

/// Reads a file of INSERTs up to the first one, and one that loads another file to its end; `None` if it has no rows.
fn head(path: &str, file: &str) -> Result<Option<Head>> {
    let (bytes, _) = script_bytes(path)?;
    let mut statements = Statements::new(bytes, MOST_BYTES);
    let doing = format!("cannot read `{path}`");
    let (mut found, mut is_empty) = (None, true);
    while let Some(part) = settled(&doing, statements.next())? {
        is_empty = false;
        let (text, dialect) = (statements.text(&part), statements.settings().dialect);
        let zone = statements.settings().time_zone.clone();
        let refused = |error: Error| error.while_doing(&format!("`{path}`"));
        let is_load = words::is_load_data(text, dialect);
        match (words::statement(text, dialect), &found) {
            (Statement::Set | Statement::Frame | Statement::LeftOut, _) => statements.note(&part),
            (_, Some(Head { table, .. })) => {
                return Err(refused(super::super::besides_rows(text, part.line, table)));
            }
            _ if is_load => {
                super::super::check_ended(&part, text).map_err(refused)?;
                let load =
                    words::load_data(text, dialect).ok_or_else(|| refused(super::super::other(text, part.line)))?;
                found = Some(Head { table: load.table.clone(), zone, charset: None, load: Some(load) });
            }
            (Statement::Insert(head), None) => {
                let charset = statements.settings().charset.clone();
                return Ok(Some(Head { table: head.table, zone, charset, load: None }));
            }
            (Statement::Other, None) => return Err(refused(super::super::other(text, part.line))),
            (Statement::Use(_) | Statement::Database(_), None) => {}
            (Statement::Create(_) | Statement::Drop(_) | Statement::Schema(_) | Statement::Alter(_), None) => {
                return Err(unknown_kind(path));
            }
        }
    }
    match () {
        () if is_empty => Err(empty(path)),
        () if found.is_none() && plain(file).contains("-schema") => Err(unknown_kind(path)),
        () => Ok(found),
    }
}

/// The error of a script that is neither rows nor one of the kinds that mydumper writes.
fn unknown_kind(path: &str) -> Error {
    Error::data(format!("`{path}` has no rows, and its name says none of the kinds that are read")).with_hint(
        "move it out of the folder, and play it with `inrush run` after the load; or dump again with mydumper",
    )
}

/// Refuses a dump that did not come to its end.
fn check_end(folder: &DumpFolder) -> Result<()> {
    if folder.has(PARTIAL) {
        return Err(folder.unfinished("it has a file `metadata.partial`, which becomes `metadata` at the end"));
    }
    if !folder.has(METADATA) {
        return Err(folder.unfinished("it has no file `metadata`"));
    }
    match folder.text_of(METADATA)?.to_ascii_lowercase().contains("finished dump at") {
        true => Ok(()),
        false => Err(folder.unfinished("its `metadata` does not say `Finished dump at`")),
    }
}

/// The database that is taken: what the names of its files begin with, and those of the others.
struct Database {
    prefix: String,
    name: String,
    others: Vec<String>,
}

fn database(folder: &DumpFolder) -> Result<Database> {
    let mut databases = Vec::new();
    for file in folder.files.iter().filter(|file| plain(file).ends_with(CREATE)) {
        let prefix = plain(file).trim_end_matches(CREATE).to_owned();
        let mut reading = Reading::default();
        folder.add(std::slice::from_ref(file), &mut reading)?;
        let name = reading.end().databases.pop().unwrap_or_else(|| prefix.clone());
        databases.push((prefix, name));
    }
    if databases.is_empty() {
        for file in folder.files.iter().filter(|file| is_script(file) && plain(file) != TABLESPACES) {
            let prefix = database_of(file).to_owned();
            if !databases.iter().any(|(other, _)| *other == prefix) {
                databases.push((prefix.clone(), prefix));
            }
        }
    }
    let (prefix, name) = folder.chosen(&databases)?;
    let others = databases.iter().map(|(other, _)| other.clone()).filter(|other| other != prefix).collect();
    Ok(Database { prefix: prefix.clone(), name: name.clone(), others })
}

/// The database by the name of a file: what comes before the table, or before the kind of a file of the whole database.
fn database_of(file: &str) -> &str {
    let of_whole = KINDS.iter().find_map(|kind| plain(file).strip_suffix(&format!("-schema{kind}.sql")));
    match of_whole.filter(|name| !name.contains('.')) {
        Some(name) => name,
        None => file.split('.').next().unwrap_or_default(),
    }
}

/// Whether a file is of the database: the longest name that it begins with counts.
fn is_in(database: &Database, file: &str) -> bool {
    let is_longer = |other: &String| other.len() > database.prefix.len() && begins_with(other, file);
    begins_with(&database.prefix, file) && !database.others.iter().any(is_longer)
}

fn begins_with(prefix: &str, file: &str) -> bool {
    file.strip_prefix(prefix).is_some_and(|rest| rest.starts_with('.') || rest.starts_with("-schema"))
}

/// The view that a file makes.
fn view_of(folder: &DumpFolder, file: &str) -> Result<String> {
    let mut reading = Reading::default();
    folder.add(&[file.to_owned()], &mut reading)?;
    Ok(reading.end().others.into_iter().find_map(|other| other.view).unwrap_or_default())
}

/// Whether the name of a file says that it has no rows.
fn is_definition(file: &str) -> bool {
    KINDS.iter().any(|kind| plain(file).ends_with(&format!("-schema{kind}.sql")))
}

fn is_script(file: &str) -> bool {
    plain(file).ends_with(".sql")
}

/// Whether a LOAD DATA reads a file.
fn is_text(file: &str) -> bool {
    plain(file).ends_with(".dat") || plain(file).ends_with(".csv")
}

/// The name without the ending of a compression.
fn plain(file: &str) -> &str {
    Compression::of_name(file).1
}

const METADATA: &str = "metadata";
const PARTIAL: &str = "metadata.partial";
const CREATE: &str = "-schema-create.sql";
const SCHEMA: &str = "-schema.sql";

/// It is of no database, and not read.
const TABLESPACES: &str = "all-schema-create-tablespace.sql";

/// What comes after `-schema` in the names of files without rows.
const KINDS: [&str; 9] =
    ["", "-view", "-triggers", "-trigger", "-post", "-routines", "-events", "-create", "-sequence"];

/// What a file begins with is shorter.
const MOST_BYTES: usize = 1 << 30;
