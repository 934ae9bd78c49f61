//! Folders of MySQL Shell: `util.dumpInstance()`, `dumpSchemas()`, `dumpTables()`.
//!
//! | file | what is in it |
//! |---|---|
//! | `@.json`, at its end `@.done.json` | databases and how names are written in files; the files of rows |
//! | `shop.json`, `shop.sql` | its tables and views; its events and routines |
//! | `shop@orders.json`, `shop@orders.sql` | how its rows are written; its CREATE TABLE |
//! | `shop@orders@0.tsv.zst`, the last one `shop@orders@@1.tsv.zst`; `shop@orders.tsv.zst` | rows |
//! | `shop@orders.triggers.sql`; `shop@v.sql`, `shop@v.pre.sql` | triggers; a view, and what is in its place meanwhile |
//! | `@.users.sql` | users and what they may do |

use super::DumpFolder;
use crate::decompress::{Compression, MAGIC_BYTES};
use crate::dump::contents::{DumpContents, Reading};
use crate::dump::row_text::RowText;
use crate::dump::statements::is_utf8;
use inrush_core::column::ident::quote_ident;
use inrush_core::error::{Error, Result};
use serde_json::Value;
use std::fs::File;
use std::io::Read;

/// Whether a folder with these files is one.
pub(super) fn is_of(files: &[String]) -> bool {
    files.iter().any(|file| file == BEGIN)
}

pub(super) fn read(folder: &DumpFolder) -> Result<DumpContents> {
    if !folder.has(END) {
        return Err(folder.unfinished("it has no file `@.done.json`"));
    }
    let (whole, end) = (document(folder, BEGIN)?, document(folder, END)?);
    let charset = whole["defaultCharacterSet"].as_str().unwrap_or("utf8mb4");
    if !is_utf8(charset) {
        return Err(Error::config(format!("the texts of `{}` are in {charset}, not in UTF-8", folder.path))
            .with_hint("dump again with `defaultCharacterSet: \"utf8mb4\"`"));
    }
    check_capabilities(folder, &whole)?;
    let databases: Vec<_> = texts(&whole["schemas"]).map(|name| (base_name(&whole, name), name.to_owned())).collect();
    let (base, _) = folder.chosen(&databases)?;
    let list = format!("{base}.json");
    let database = document(folder, &list)?;
    let by = format!("`{list}`");
    let mut reading = Reading::default();
    let mut tables = Vec::new();
    for name in texts(&database["tables"]) {
        tables.push(Table::read(folder, name, base_name(&database, name), (&database, &by))?);
    }
    for table in &tables {
        folder.add(&present(folder, format!("{}.sql", table.base), table.has_definition, &by)?, &mut reading)?;
    }
    let script = format!("{base}.sql");
    let has_routines = ROUTINES.iter().any(|(_, list)| texts(&database[list]).next().is_some());
    let is_script_needed = has_routines || includes(&database, "includesDdl");
    folder.add(&present(folder, script.clone(), is_script_needed, &by)?, &mut reading)?;
    let mut views = Vec::new();
    for name in texts(&database["views"]) {
        let file = format!("{}.sql", base_name(&database, name));
        present(folder, file.clone(), true, &by)?;
        views.push((name.to_owned(), file));
    }
    folder.add(&folder.views_in_order(&views)?, &mut reading)?;
    for table in &tables {
        let triggers = present(folder, table.triggers_file(), table.triggers().next().is_some(), &table.by())?;
        folder.add(&triggers, &mut reading)?;
    }
    let mut contents = reading.end();
    for (kind, names) in ROUTINES {
        for name in texts(&database[names]) {
            check_made(folder, &contents, (kind, name), &script, &by)?;
        }
    }
    for (name, file) in &views {
        check_made(folder, &contents, ("view", name), file, &by)?;
    }
    for table in &tables {
        if table.has_definition && contents.table(table.name).definition.is_none() {
            return Err(not_made(folder, ("table", table.name), &format!("{}.sql", table.base), &by));
        }
        for name in table.triggers() {
            check_made(folder, &contents, ("trigger", name), &table.triggers_file(), &table.by())?;
        }
        add_rows(folder, table, &end, &mut contents)?;
    }
    if whole["tzUtc"].as_bool() == Some(false) {
        return Err(Error::data(
            "the dump has its TIMESTAMPs in the time zone of its server (`tzUtc: false`), which it does not name",
        )
        .with_hint("dump again with `tzUtc: true`, which is the default"));
    }
    contents.time_zone = Some("+00:00".into());
    if folder.has(USERS) {
        contents.unread.push(USERS.into());
    }
    Ok(contents)
}

/// A table, by the files in JSON.
struct Table<'a> {
    name: &'a str,
    base: String,
    /// What its own file says; `None` in a dump without rows, by some versions.
    own: Option<Value>,
    has_definition: bool,
}

impl<'a> Table<'a> {
    fn read(folder: &DumpFolder, name: &'a str, base: String, (database, by): (&Value, &str)) -> Result<Self> {
        let own = present(folder, format!("{base}.json"), includes(database, "includesData"), by)?;
        let own = own.first().map(|file| document(folder, file)).transpose()?;
        let has_definition = includes(own.as_ref().unwrap_or(database), "includesDdl");
        Ok(Self { name, base, own, has_definition })
    }

    fn triggers(&self) -> impl Iterator<Item = &str> {
        self.own.iter().flat_map(|own| texts(&own["triggers"]))
    }

    fn triggers_file(&self) -> String {
        format!("{}.triggers.sql", self.base)
    }

    /// Its file, as messages name it.
    fn by(&self) -> String {
        format!("`{}.json`", self.base)
    }
}

/// Refuses a dump of a form that is not known. A program that does not know a capability reads such a dump without what it stands for.
fn check_capabilities(folder: &DumpFolder, whole: &Value) -> Result<()> {
    let all = whole["capabilities"].as_array().into_iter().flatten();
    let Some(other) = all.filter_map(|one| one["id"].as_str()).find(|id| !CAPABILITIES.contains(id)) else {
        return Ok(());
    };
    Err(Error::data(format!("`{}` is of a form that is not read: it has the capability `{other}`", folder.path))
        .with_hint("dump again with MySQL Shell 8.4, or load it with `util.loadDump()`"))
}

/// The file of this name, if it is there.
///
/// # Errors
/// `Data` if it is missing and needed, as `by` says.
fn present(folder: &DumpFolder, file: String, is_needed: bool, by: &str) -> Result<Vec<String>> {
    match folder.has(&file) {
        true => Ok(vec![file]),
        false if is_needed => Err(folder.missing(&file, by)),
        false => Ok(Vec::new()),
    }
}

/// Refuses a file without the statement that makes what `by` names.
fn check_made(
    folder: &DumpFolder,
    contents: &DumpContents,
    (kind, name): (&str, &str),
    file: &str,
    by: &str,
) -> Result<()> {
    let subject = format!("{kind} {}", quote_ident(name));
    match contents.others.iter().any(|other| other.subject.as_ref() == Some(&subject)) {
        true => Ok(()),
        false => Err(not_made(folder, (kind, name), file, by)),
    }
}

fn not_made(folder: &DumpFolder, (kind, name): (&str, &str), file: &str, by: &str) -> Error {
    Error::data(format!("`{}` does not make {kind} {}, which {by} names", folder.path_of(file), quote_ident(name)))
        .with_hint("the file may have been cut off: compare it with its origin, or dump again")
}

/// Adds the files of a table's rows to it.
fn add_rows(folder: &DumpFolder, table: &Table<'_>, end: &Value, contents: &mut DumpContents) -> Result<()> {
    let Some(own) = table.own.as_ref().filter(|own| includes(own, "includesData")) else {
        contents.table(table.name);
        return Ok(());
    };
    let Some(written) = end["chunkFileBytes"].as_object() else {
        return Err(Error::data(format!("`{}` does not list the files of rows", folder.path_of(END)))
            .with_hint("dump again with a later version of MySQL Shell, which lists them as `chunkFileBytes`"));
    };
    let ending = format!(".{}", own["extension"].as_str().unwrap_or("tsv.zst"));
    let partitions = own["basenames"].as_object().into_iter().flat_map(|all| all.values());
    let bases: Vec<_> = match partitions.filter_map(Value::as_str).collect::<Vec<_>>() {
        none if none.is_empty() => vec![&*table.base],
        partitions => partitions,
    };
    let is_of = |file: &str| bases.iter().any(|base| is_chunk(file, base, &ending));
    if let Some(missing) = written.keys().find(|file| is_of(file) && !folder.has(file)) {
        return Err(folder.missing(missing, "`@.done.json`"));
    }
    let mut files: Vec<_> = folder.files.iter().filter(|file| is_of(file)).cloned().collect();
    // The last one, `@@9`, would come first.
    files.sort_by_key(|file| file.contains("@@"));
    for file in &files {
        let Some(bytes) = written.get(file) else {
            return Err(Error::data(format!(
                "`{}` has a file `{file}`, of which `@.done.json` says nothing",
                folder.path
            ))
            .with_hint("it is of another dump: compare the folder with its origin"));
        };
        check_size(folder, file, bytes)?;
    }
    if files.is_empty() {
        // One without rows has an empty file.
        return Err(Error::data(format!("`@.done.json` of `{}` names no file of table `{}`", folder.path, table.name))
            .with_hint("compare the folder with its origin, or dump again"));
    }
    let of_table = contents.table(table.name);
    of_table.files = files.iter().map(|file| folder.path_of(file)).collect();
    of_table.has_rows = true;
    of_table.text = Some(row_text(folder, &format!("{}.json", table.base), &own["options"])?);
    Ok(())
}

/// Refuses a file that was cut off, as far as its size and its beginning say it: the list has the bytes before compression. A compressed file
/// that ends after its first bytes is an error when it is read.
fn check_size(folder: &DumpFolder, file: &str, bytes: &Value) -> Result<()> {
    let path = folder.path_of(file);
    let cannot_read = |error: std::io::Error| Error::data(format!("cannot read `{path}`: {error}"));
    let cut_off = |what: String| {
        Err(Error::data(format!("`{path}` {what}"))
            .with_hint("the file may have been cut off: compare it with its origin, or dump again"))
    };
    let stored = File::open(&path).map_err(cannot_read)?;
    let size = stored.metadata().map_err(cannot_read)?.len();
    let want = bytes.as_u64().unwrap_or(size);
    let Some(compression) = Compression::of_name(file).0 else {
        return if size == want { Ok(()) } else { cut_off(format!("has {size} bytes, and {want} by `@.done.json`")) };
    };
    let mut head = Vec::new();
    stored.take(MAGIC_BYTES).read_to_end(&mut head).map_err(cannot_read)?;
    if Compression::of(&path, &head)? == compression || (size == 0 && want == 0) {
        return Ok(());
    }
    cut_off(format!("has {size} bytes, and is not {}", compression.describe()))
}

/// Whether a file has rows of a table: `shop@t.tsv.zst`, `shop@t@0.tsv.zst`, `shop@t@@0.tsv.zst`.
fn is_chunk(file: &str, base: &str, ending: &str) -> bool {
    let between = file.strip_prefix(base).and_then(|rest| rest.strip_suffix(ending));
    between.is_some_and(|between| match between.strip_prefix('@') {
        None => between.is_empty(),
        Some(rest) => {
            let number = rest.strip_prefix('@').unwrap_or(rest);
            !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
        }
    })
}

/// How the rows of a table are written.
fn row_text(folder: &DumpFolder, file: &str, options: &Value) -> Result<RowText> {
    let not_read = |what: &str, value: &str| {
        Err(Error::data(format!(
            "`{}` has rows that are not read: {what} is `{}`",
            folder.path_of(file),
            value.escape_debug()
        ))
        .with_hint("dump again with MySQL Shell's own defaults"))
    };
    let text = |name: &str, default: &str| options[name].as_str().unwrap_or(default).to_owned();
    let line = text("linesTerminatedBy", "\n");
    if !["\n", "\r\n"].contains(&&*line) {
        return not_read("linesTerminatedBy", &line);
    }
    let charset = text("defaultCharacterSet", "utf8mb4");
    if !is_utf8(&charset) {
        return not_read("defaultCharacterSet", &charset);
    }
    let mut columns = Vec::new();
    for column in texts(&options["columns"]) {
        let decoded = options["decodeColumns"][column].as_str().map(str::to_owned);
        if let Some(other) = decoded.as_deref().filter(|function| !["UNHEX", "FROM_BASE64"].contains(function)) {
            return not_read("decodeColumns", other);
        }
        columns.push((column.to_owned(), decoded));
    }
    Ok(RowText {
        delimiter: text("fieldsTerminatedBy", "\t"),
        quote: text("fieldsEnclosedBy", ""),
        escape: text("fieldsEscapedBy", "\\"),
        columns,
        // It encodes them.
        bits_as_bytes: false,
    })
}

/// What names in files are written like.
fn base_name(document: &Value, name: &str) -> String {
    document["basenames"][name].as_str().unwrap_or(name).to_owned()
}

/// Whether a dump says that it has this; it does unless it denies it.
fn includes(document: &Value, what: &str) -> bool {
    document[what].as_bool().unwrap_or(true)
}

fn texts(list: &Value) -> impl Iterator<Item = &str> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str)
}

fn document(folder: &DumpFolder, file: &str) -> Result<Value> {
    if !folder.has(file) {
        return Err(folder.missing(file, "a dump by MySQL Shell"));
    }
    serde_json::from_str(&folder.text_of(file)?).map_err(|error| {
        Error::data(format!("`{}` is no document of JSON: {error}", folder.path_of(file)))
            .with_hint("compare it with its origin, or dump again")
    })
}

const BEGIN: &str = "@.json";
const END: &str = "@.done.json";
const USERS: &str = "@.users.sql";

/// What is in `shop.sql`, and the lists of it in `shop.json`.
const ROUTINES: [(&str, &str); 3] = [("procedure", "procedures"), ("function", "functions"), ("event", "events")];

/// Those that are read. Of the others, `multifile_schema_ddl` has events and routines in files of their own.
const CAPABILITIES: [&str; 1] = ["partition_awareness"];
