//! Folders of mydumper, and of programs that write the same files.
//!
//! | file, also compressed | what is in it |
//! |---|---|
//! | `metadata`, before its end `metadata.partial` | when the dump began and ended |
//! | `shop-schema-create.sql` | CREATE DATABASE |
//! | `shop.orders-schema.sql` | a CREATE TABLE; for a view that of a table in its place |
//! | `shop.orders.00000.sql`, `shop.orders.sql` | INSERTs, or a LOAD DATA of a file `.dat` beside it |
//! | `shop.v-schema-view.sql`, `shop.orders-schema-triggers.sql` | what it says |
//! | `shop-schema-post.sql`, `-schema-routines.sql`, `-schema-events.sql` | routines and events |
//!
//! Names in files are not those of tables: characters that a file system does not take are replaced. So what a file is about is read in it.

use super::DumpFolder;
use crate::decompress::Compression;
use crate::dump::contents::{DumpContents, Reading};
use crate::dump::statements::{Statements, Zone, is_utf8, settled};
use crate::dump::words::{self, LoadData, Statement};
use crate::script::script_bytes;
use inrush_core::error::{Error, Result};
use inrush_core::sql::Dialect;

/// Whether a folder with these files is one.
pub(super) fn is_of(files: &[String]) -> bool {
    let is_metadata = |file: &String| file == METADATA || file == PARTIAL;
    files.iter().any(|file| plain(file).ends_with(CREATE))
        || files.iter().any(is_metadata) && files.iter().any(|file| plain(file).ends_with(SCHEMA))
}

pub(super) fn read(folder: &DumpFolder) -> Result<DumpContents> {
    check_end(folder)?;
    let database = database(folder)?;
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
    folder.add(&ending_in(&["-schema-post.sql", "-schema-routines.sql", "-schema-events.sql"]), &mut reading)?;
    folder.add(&folder.views_in_order(&views)?, &mut reading)?;
    folder.add(&ending_in(&["-schema-triggers.sql", "-schema-trigger.sql"]), &mut reading)?;
    let mut contents = reading.end();
    let is_rows = |file: &&String| plain(file).ends_with(".sql") && !is_definition(file);
    let mut zone = None;
    for file in of_database.iter().filter(is_rows) {
        add_rows(folder, file, &mut contents, &mut zone)?;
    }
    if let Some(Zone::Is(zone)) = zone {
        contents.time_zone = Some(zone);
    }
    Ok(contents)
}

/// Adds the rows of a file to their table.
fn add_rows(folder: &DumpFolder, file: &str, contents: &mut DumpContents, zone: &mut Option<Zone>) -> Result<()> {
    let path = folder.path_of(file);
    let Some(head) = head(&path)? else { return Ok(()) };
    if *zone.get_or_insert(head.zone.clone()) != head.zone {
        return Err(Error::data(format!(
            "the rows of `{path}` are in another time zone than those of the files before it"
        )));
    }
    let table = contents.table(&head.table);
    table.has_rows = true;
    let Some(load) = head.load else {
        if table.text.is_some() {
            return Err(mixed(&path, &head.table));
        }
        table.files.push(format!("{path}#{}", head.table));
        return Ok(());
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
    if !table.files.is_empty() && table.text.as_ref() != Some(&load.text) {
        return Err(mixed(&path, &head.table));
    }
    let name = load.file.rsplit('/').next().unwrap_or_default();
    let stored = folder.files.iter().find(|file| *file == name || plain(file) == name);
    let stored = stored.ok_or_else(|| folder.missing(name, &format!("`{file}`")))?;
    table.files.push(folder.path_of(stored));
    table.text = Some(load.text);
    Ok(())
}

/// The first character set of the columns of a table that is no UTF-8.
fn charset_of(definition: Option<&str>) -> Option<String> {
    match words::statement(definition?.as_bytes(), Dialect::default()) {
        Statement::Create(created) => created.charsets.into_iter().find(|name| !is_utf8(name) && name != "binary"),
        _ => None,
    }
}

fn mixed(path: &str, table: &str) -> Error {
    Error::data(format!("the rows of `{path}` are written in another way than others of table `{table}`"))
        .with_hint("it is the folder of several dumps: dump again, into a new one")
}

/// The beginning of a file of rows.
struct Head {
    table: String,
    zone: Zone,
    load: Option<LoadData>,
}

/// Reads a file up to its first rows; `None` if it has none.
fn head(path: &str) -> Result<Option<Head>> {
    let (bytes, _) = script_bytes(path)?;
    let mut statements = Statements::new(bytes, MOST_BYTES);
    let doing = format!("cannot read `{path}`");
    while let Some(part) = settled(&doing, statements.next())? {
        let (text, dialect) = (statements.text(&part), statements.settings().dialect);
        let zone = statements.settings().time_zone.clone();
        let refused = |error: Error| error.while_doing(&format!("`{path}`"));
        if words::is_load_data(text, dialect) {
            let load = words::load_data(text, dialect).ok_or_else(|| refused(super::super::other(text, part.line)))?;
            return Ok(Some(Head { table: load.table.clone(), zone, load: Some(load) }));
        }
        match words::statement(text, dialect) {
            Statement::Insert(head) => return Ok(Some(Head { table: head.table, zone, load: None })),
            Statement::Other => return Err(refused(super::super::other(text, part.line))),
            _ => statements.note(&part),
        }
    }
    Ok(None)
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
        for file in folder.files.iter().filter(|file| plain(file).ends_with(".sql")) {
            let prefix = file.split('.').next().unwrap_or_default().to_owned();
            if !databases.iter().any(|(other, _)| *other == prefix) {
                databases.push((prefix.clone(), prefix));
            }
        }
    }
    let (prefix, _) = folder.chosen(&databases)?;
    let others = databases.iter().map(|(other, _)| other.clone()).filter(|other| other != prefix).collect();
    Ok(Database { prefix: prefix.clone(), others })
}

/// Whether a file is of the database: the longest name that it begins with counts.
fn is_in(database: &Database, file: &str) -> bool {
    let is_of = |prefix: &str| {
        file.strip_prefix(prefix).is_some_and(|rest| rest.starts_with('.') || rest.starts_with("-schema"))
    };
    let is_longer = |other: &String| other.len() > database.prefix.len() && is_of(other);
    is_of(&database.prefix) && !database.others.iter().any(is_longer)
}

/// The view that a file makes.
fn view_of(folder: &DumpFolder, file: &str) -> Result<String> {
    let mut reading = Reading::default();
    folder.add(&[file.to_owned()], &mut reading)?;
    Ok(reading.end().others.into_iter().find_map(|other| other.view).unwrap_or_default())
}

/// Whether the name of a file says that it has no rows.
fn is_definition(file: &str) -> bool {
    let name = plain(file).trim_end_matches(".sql");
    let kinds = [
        "",
        "-view",
        "-triggers",
        "-trigger",
        "-post",
        "-routines",
        "-events",
        "-create",
        "-sequence",
        "-create-tablespace",
    ];
    kinds.iter().any(|kind| name.ends_with(&format!("-schema{kind}")))
}

/// The name without the ending of a compression.
fn plain(file: &str) -> &str {
    Compression::of_name(file).1
}

const METADATA: &str = "metadata";
const PARTIAL: &str = "metadata.partial";
const CREATE: &str = "-schema-create.sql";
const SCHEMA: &str = "-schema.sql";

/// What a file begins with is shorter.
const MOST_BYTES: usize = 1 << 30;
