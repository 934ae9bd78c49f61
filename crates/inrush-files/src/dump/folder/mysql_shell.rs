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
use crate::dump::contents::{DumpContents, Reading};
use crate::dump::row_text::RowText;
use crate::dump::statements::is_utf8;
use inrush_core::error::{Error, Result};
use serde_json::Value;

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
    let databases: Vec<_> = texts(&whole["schemas"]).map(|name| (base_name(&whole, name), name.to_owned())).collect();
    let (base, _) = folder.chosen(&databases)?;
    let database = document(folder, &format!("{base}.json"))?;
    let mut reading = Reading::default();
    let tables: Vec<_> = texts(&database["tables"]).map(|name| (name, base_name(&database, name))).collect();
    let there = |name: String| -> Vec<String> { if folder.has(&name) { vec![name] } else { Vec::new() } };
    for (_, base) in &tables {
        folder.add(&there(format!("{base}.sql")), &mut reading)?;
    }
    folder.add(&there(format!("{base}.sql")), &mut reading)?;
    let views = texts(&database["views"]).map(|name| (name.to_owned(), format!("{}.sql", base_name(&database, name))));
    let views: Vec<_> = views.filter(|(_, file)| folder.has(file)).collect();
    folder.add(&folder.views_in_order(&views)?, &mut reading)?;
    for (_, base) in &tables {
        folder.add(&there(format!("{base}.triggers.sql")), &mut reading)?;
    }
    let mut contents = reading.end();
    for (name, base) in &tables {
        add_rows(folder, (name, base), &end, &mut contents)?;
    }
    if whole["tzUtc"].as_bool().unwrap_or(true) {
        contents.time_zone = Some("+00:00".into());
    }
    contents.unread = there("@.users.sql".into());
    Ok(contents)
}

/// Adds the files of a table's rows to it.
fn add_rows(folder: &DumpFolder, (name, base): (&str, &str), end: &Value, contents: &mut DumpContents) -> Result<()> {
    let file = format!("{base}.json");
    if !folder.has(&file) {
        // Without rows.
        contents.table(name);
        return Ok(());
    }
    let of_table = document(folder, &file)?;
    let ending = format!(".{}", of_table["extension"].as_str().unwrap_or("tsv.zst"));
    let partitions = of_table["basenames"].as_object().into_iter().flat_map(|all| all.values());
    let bases: Vec<_> = match partitions.filter_map(Value::as_str).collect::<Vec<_>>() {
        none if none.is_empty() => vec![base],
        partitions => partitions,
    };
    let is_of = |file: &str| bases.iter().any(|base| is_chunk(file, base, &ending));
    let written = end["chunkFileBytes"].as_object();
    if let Some(missing) = written.into_iter().flat_map(|all| all.keys()).find(|file| is_of(file) && !folder.has(file))
    {
        return Err(folder.missing(missing, "`@.done.json`"));
    }
    let mut files: Vec<_> = folder.files.iter().filter(|file| is_of(file)).cloned().collect();
    // The last one, `@@9`, would come first.
    files.sort_by_key(|file| file.contains("@@"));
    if let Some(other) = files.iter().find(|file| written.is_some_and(|all| !all.contains_key(*file))) {
        return Err(Error::data(format!(
            "`{}` has a file `{other}`, of which `@.done.json` says nothing",
            folder.path
        ))
        .with_hint("it is of another dump: compare the folder with its origin"));
    }
    let table = contents.table(name);
    table.files = files.iter().map(|file| folder.path_of(file)).collect();
    table.has_rows = !files.is_empty();
    table.text = Some(row_text(folder, &file, &of_table["options"])?);
    Ok(())
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
        Err(Error::config(format!(
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
    })
}

/// What names in files are written like.
fn base_name(document: &Value, name: &str) -> String {
    document["basenames"][name].as_str().unwrap_or(name).to_owned()
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
