//! Where differences go: the first few are printed, all of them into a file of CSV or SQL.

use inrush::table::TableName;
use inrush::{Difference, DifferenceKind};
use inrush_core::column::ident::quote_ident;
use inrush_core::{Error, Result};
use serde_json::{Value, json};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

pub(crate) struct Sink {
    shown: Vec<Difference>,
    most_shown: usize,
    /// Differences that are not shown.
    n_hidden: u64,
    file: Option<Writer>,
    /// Its name, also once it is written.
    path: Option<PathBuf>,
}

struct Writer {
    path: PathBuf,
    file: BufWriter<File>,
    /// The table that the statements change; `None` for CSV.
    mended: Option<String>,
}

impl Sink {
    /// Makes the file, which must be new.
    pub(crate) fn new(file: Option<&Path>, most_shown: usize, mended: &TableName) -> Result<Self> {
        let path = file.map(Path::to_owned);
        let file = file.map(|path| Writer::new(path, mended)).transpose()?;
        Ok(Self { shown: Vec::new(), most_shown, n_hidden: 0, file, path })
    }

    /// How many differences need their values.
    pub(crate) fn n_described(&self) -> usize {
        if self.file.is_some() { usize::MAX } else { self.most_shown }
    }

    pub(crate) fn take(&mut self, difference: Difference) -> Result<()> {
        if let Some(writer) = &mut self.file {
            writer.write(&difference)?;
        }
        match self.shown.len() < self.most_shown {
            true => self.shown.push(difference),
            false => self.n_hidden += 1,
        }
        Ok(())
    }

    pub(crate) fn shown(&self) -> &[Difference] {
        &self.shown
    }

    /// A line for each that is shown, and one for the others, with words for the two sides.
    pub(crate) fn lines(&self, sides: [&str; 2]) -> Vec<String> {
        let mut lines: Vec<_> = self.shown.iter().map(|difference| difference.in_words(sides)).collect();
        if self.n_hidden > 0 {
            lines.push(match &self.path {
                Some(file) => format!("and {} more: all are in `{}`", self.n_hidden, file.display()),
                None => format!("and {} more; `--differences-to FILE` writes all", self.n_hidden),
            });
        }
        lines
    }

    /// Writes the file to its end.
    pub(crate) fn finish(&mut self) -> Result<()> {
        let Some(Writer { path, mut file, .. }) = self.file.take() else { return Ok(()) };
        file.flush().and_then(|()| file.get_ref().sync_all()).map_err(|error| cannot(&path, error))
    }
}

pub(crate) fn as_json(difference: &Difference) -> Value {
    let key: serde_json::Map<_, _> =
        difference.key.iter().map(|(column, value)| (name(column), json!(value))).collect();
    let columns: Vec<_> = difference
        .values
        .iter()
        .map(|(column, one, other)| json!({ "column": name(column), "value": one, "other": other }))
        .collect();
    json!({ "kind": kind(difference.kind), "times": difference.times, "key": key, "columns": columns })
}

fn kind(kind: DifferenceKind) -> &'static str {
    match kind {
        DifferenceKind::Missing => "missing",
        DifferenceKind::Extra => "extra",
        _ => "different",
    }
}

/// The name in backticks, with its database if it has one.
fn quoted(table: &TableName) -> String {
    match table.schema.is_empty() {
        true => quote_ident(&table.name),
        false => table.quoted(),
    }
}

/// Without its backticks.
fn name(quoted: &str) -> String {
    quoted.trim_matches('`').replace("``", "`")
}

impl Writer {
    fn new(path: &Path, mended: &TableName) -> Result<Self> {
        let is_sql = match path.extension().and_then(|extension| extension.to_str()) {
            Some("sql") => true,
            Some("csv") => false,
            _ => {
                return Err(Error::config(format!("`{}` is neither .csv nor .sql", path.display()))
                    .with_hint("`--differences-to FILE.csv`, or FILE.sql for statements"));
            }
        };
        let file = File::create_new(path).map_err(|error| Error::config(cannot(path, error).to_string()))?;
        let mut writer =
            Self { path: path.to_owned(), file: BufWriter::new(file), mended: is_sql.then(|| quoted(mended)) };
        let head = match is_sql {
            true => {
                "-- Makes the second table like the first.\nSET NAMES utf8mb4, time_zone = '+00:00', sql_mode = 'NO_AUTO_VALUE_ON_ZERO';\n"
            }
            false => "kind,times,key,column,value,other\n",
        };
        writer.file.write_all(head.as_bytes()).map_err(|error| cannot(path, error))?;
        Ok(writer)
    }

    fn write(&mut self, difference: &Difference) -> Result<()> {
        let text = match &self.mended {
            Some(table) => statement(table, difference),
            None => records(difference),
        };
        self.file.write_all(text.as_bytes()).map_err(|error| cannot(&self.path, error))
    }
}

fn statement(table: &str, difference: &Difference) -> String {
    if difference.values.is_empty() {
        return format!("-- by hand: {difference}\n");
    }
    let pairs = |pairs: &mut dyn Iterator<Item = (&String, &String)>, equals: &str, between: &str| {
        pairs.map(|(column, value)| format!("{column} {equals} {value}")).collect::<Vec<_>>().join(between)
    };
    let names = || difference.values.iter().map(|(column, ..)| column.as_str()).collect::<Vec<_>>().join(", ");
    let ours = || difference.values.iter().filter_map(|(column, one, _)| one.as_ref().map(|value| (column, value)));
    let all =
        || difference.values.iter().filter_map(|(column, one, other)| Some((column, other.as_ref().or(one.as_ref())?)));
    // A row without a key is found by all of its values.
    let rows = match difference.key.is_empty() {
        true => all().map(|(column, value)| is_byte_by_byte(column, value)).collect::<Vec<_>>().join(" AND "),
        false => pairs(&mut difference.key.iter().map(|(column, value)| (column, value)), "<=>", " AND "),
    };
    match difference.kind {
        DifferenceKind::Missing => {
            let values: Vec<_> = ours().map(|(_, value)| value.as_str()).collect();
            let row = format!("({})", values.join(", "));
            let all = vec![row; usize::try_from(difference.times).unwrap_or(1)];
            format!("INSERT INTO {table} ({}) VALUES {};\n", names(), all.join(", "))
        }
        DifferenceKind::Extra => format!("DELETE FROM {table} WHERE {rows} LIMIT {};\n", difference.times),
        _ => format!("UPDATE {table} SET {} WHERE {rows};\n", pairs(&mut ours(), "=", ", ")),
    }
}

/// The condition that a column has this value and no other that its collation calls equal. A document of JSON is compared as its text.
fn is_byte_by_byte(column: &str, literal: &str) -> String {
    match literal.starts_with('\'') {
        true => format!("CAST(CONVERT({column} USING utf8mb4) AS BINARY) <=> CAST({literal} AS BINARY)"),
        false => format!("{column} <=> {literal}"),
    }
}

/// A line for each column.
fn records(difference: &Difference) -> String {
    let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    let key: Vec<_> = difference.key.iter().map(|(column, value)| format!("{column} = {value}")).collect();
    let begin = format!("{},{},{}", kind(difference.kind), difference.times, quoted(&key.join(", ")));
    let value = |value: &Option<String>| value.as_deref().map(quoted).unwrap_or_default();
    let line = |(column, one, other): &(String, Option<String>, Option<String>)| {
        format!("{begin},{},{},{}\n", quoted(&name(column)), value(one), value(other))
    };
    match difference.values.is_empty() {
        true => format!("{begin},,,\n"),
        false => difference.values.iter().map(line).collect(),
    }
}

fn cannot(path: &Path, error: std::io::Error) -> Error {
    Error::io(format!("cannot write `{}`", path.display()), error)
}
