//! Where differences go: the first few are printed, all of them into a file of CSV or SQL.

mod mend;

use inrush::table::TableName;
use inrush::{Config, Difference, DifferenceKind};
use inrush_core::{Error, Result};
use mend::{MendedTable, Script};
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
    /// What the file does not say or do.
    notes: Vec<String>,
}

/// The file under way. It is removed unless it is written to its end.
struct Writer {
    path: PathBuf,
    file: BufWriter<File>,
    form: Form,
    is_whole: bool,
}

enum Form {
    Csv,
    Sql(Box<Script>),
}

impl Sink {
    /// Makes the file, which must be new. `mended`: the table that its statements change.
    pub(crate) fn new(file: Option<&Path>, most_shown: usize, mended: (&Config, &TableName)) -> Result<Self> {
        let path = file.map(Path::to_owned);
        let file = file.map(|path| Writer::new(path, mended)).transpose()?;
        Ok(Self { shown: Vec::new(), most_shown, n_hidden: 0, file, path, notes: Vec::new() })
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
        let in_file = |note: &String| format!("{}: {note}", self.path.as_deref().unwrap_or(Path::new("")).display());
        lines.extend(self.notes.iter().map(in_file));
        lines
    }

    /// What the statements of the file do not do.
    pub(crate) fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Writes the file to its end.
    pub(crate) fn finish(&mut self) -> Result<()> {
        let Some(mut writer) = self.file.take() else { return Ok(()) };
        if let Form::Sql(script) = &writer.form {
            self.notes = script.notes();
        }
        writer.finish().map_err(|error| cannot(&writer.path, error))
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

/// Without its backticks.
fn name(quoted: &str) -> String {
    quoted.trim_matches('`').replace("``", "`")
}

impl Writer {
    fn new(path: &Path, (config, mended): (&Config, &TableName)) -> Result<Self> {
        let is_sql = match path.extension().and_then(|extension| extension.to_str()) {
            Some("sql") => true,
            Some("csv") => false,
            _ => {
                return Err(Error::config(format!("`{}` is neither .csv nor .sql", path.display()))
                    .with_hint("`--differences-to FILE.csv`, or FILE.sql for statements"));
            }
        };
        let table = if is_sql { Some(MendedTable::read(config, mended)?) } else { None };
        let file = File::create_new(path).map_err(|error| Error::config(cannot(path, error).to_string()))?;
        let mut writer = Self { path: path.to_owned(), file: BufWriter::new(file), form: Form::Csv, is_whole: false };
        match table {
            Some(table) => {
                let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
                let script = Script::begin(table, folder).map_err(|error| cannot(path, error))?;
                writer.form = Form::Sql(Box::new(script));
            }
            None => {
                let head = "kind,times,key,column,value,other\n";
                writer.file.write_all(head.as_bytes()).map_err(|error| cannot(path, error))?;
            }
        }
        Ok(writer)
    }

    fn write(&mut self, difference: &Difference) -> Result<()> {
        let written = match &mut self.form {
            Form::Sql(script) => script.add(difference),
            Form::Csv => self.file.write_all(records(difference).as_bytes()),
        };
        written.map_err(|error| cannot(&self.path, error))
    }

    fn finish(&mut self) -> std::io::Result<()> {
        if let Form::Sql(script) = std::mem::replace(&mut self.form, Form::Csv) {
            script.finish(&mut self.file)?;
        }
        self.file.flush()?;
        self.file.get_ref().sync_all()?;
        self.is_whole = true;
        Ok(())
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        if !self.is_whole {
            // The same command may begin again.
            let _ = std::fs::remove_file(&self.path);
        }
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
