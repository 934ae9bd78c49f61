//! Dumps that are folders, as mydumper and MySQL Shell write them: which of their files is what, and the contents of all of them as those of
//! one dump, in the order in which it is loaded.
//!
//! ```text
//! names of files -> finished? which database? -> tables -> heads of the files of rows -> routines, views, triggers
//! ```
//!
//! Invariant: of the files of rows, only the beginnings are read here.

mod mydumper;
mod mysql_shell;

use super::contents::{DumpContents, DumpTable, Reading};
use super::statements::Statements;
use super::words::{self, Statement};
use crate::script::script_bytes;
use inrush_core::error::{Error, Result};
use inrush_core::sql::Dialect;
use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::path::Path;

/// A folder with the files of a dump.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DumpFolder {
    path: String,
    program: Program,
    /// The names of its files, in the order of the numbers in them.
    files: Vec<String>,
    /// The database of it that is requested.
    database: Option<String>,
}

/// What wrote it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Program {
    Mydumper,
    MysqlShell,
}

/// Refuses `x.sql` beside `x.sql.gz`: as two files of a table they would be its rows twice.
fn check_compressed_twice(files: &[String]) -> Result<()> {
    for file in files {
        let Some((plain, _)) = file.rsplit_once('.').filter(|(_, ending)| matches!(*ending, "gz" | "zst")) else {
            continue;
        };
        let twin = |other: &&String| {
            *other != file && other.strip_prefix(plain).is_some_and(|end| ["", ".gz", ".zst"].contains(&end))
        };
        if let Some(other) = files.iter().find(twin) {
            return Err(Error::data(format!(
                "the folder has `{file}` and `{other}`, which are the same file of the dump"
            ))
            .with_hint("remove one of them: compare the folder with its origin"));
        }
    }
    Ok(())
}

impl DumpFolder {
    /// The dump that a path names: a folder, or a folder and one of the databases in it after a `#`. `None` for other files and folders.
    ///
    /// # Errors
    /// `Config` for a folder that cannot be read; `Data` for a dump with a pipe or the like among its files.
    pub fn find(path: &str) -> Result<Option<Self>> {
        let (folder, database) = match path.rsplit_once('#') {
            Some((folder, database)) if !Path::new(path).exists() => (folder, Some(database.to_owned())),
            _ => (path, None),
        };
        if !Path::new(folder).is_dir() {
            return Ok(None);
        }
        let cannot_read = |error| Error::config(format!("cannot read the folder `{folder}`: {error}"));
        let (mut files, mut irregular) = (Vec::new(), None);
        for entry in std::fs::read_dir(folder).map_err(cannot_read)? {
            let path = entry.map_err(cannot_read)?.path();
            if !path.is_dir() {
                files.extend(path.file_name().and_then(|name| name.to_str()).map(str::to_owned));
                // To open a pipe would block.
                irregular = irregular.or_else(|| (!path.is_file()).then(|| path.display().to_string()));
            }
        }
        files.sort_by(|one, other| by_numbers(one, other));
        let program = match () {
            () if mysql_shell::is_of(&files) => Program::MysqlShell,
            () if mydumper::is_of(&files) => Program::Mydumper,
            () => return Ok(None),
        };
        if let Some(irregular) = irregular {
            return Err(Error::data(format!("`{irregular}` is no regular file, and the folder is a dump"))
                .with_hint("it is a pipe, a socket, a device or a broken link: compare the folder with its origin"));
        }
        check_compressed_twice(&files)?;
        let path = folder.trim_end_matches('/').to_owned();
        Ok(Some(Self { path, program, files, database }))
    }

    /// Where it is.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The program that wrote it.
    pub fn program(&self) -> &'static str {
        match self.program {
            Program::Mydumper => "mydumper",
            Program::MysqlShell => "MySQL Shell",
        }
    }

    /// Reads all of it but the rows.
    ///
    /// # Errors
    /// `Data` for a dump that did not come to its end, and for files that are missing or cannot be read; `Config` for several databases,
    /// of which none is named.
    pub fn read(&self) -> Result<DumpContents> {
        let contents = match self.program {
            Program::Mydumper => mydumper::read(self)?,
            Program::MysqlShell => mysql_shell::read(self)?,
        };
        contents.tables.iter().try_for_each(check_text)?;
        Ok(contents)
    }

    fn has(&self, file: &str) -> bool {
        self.files.iter().any(|one| one == file)
    }

    fn path_of(&self, file: &str) -> String {
        format!("{}/{file}", self.path)
    }

    /// The text of a small file.
    fn text_of(&self, file: &str) -> Result<String> {
        let path = self.path_of(file);
        let (mut bytes, _) = script_bytes(&path)?;
        let mut text = Vec::new();
        bytes.read_to_end(&mut text).map_err(|error| Error::data(format!("cannot read `{path}`: {error}")))?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    }

    /// Adds the statements of these files.
    fn add(&self, files: &[String], reading: &mut Reading) -> Result<()> {
        for file in files {
            let path = self.path_of(file);
            let (bytes, _) = script_bytes(&path)?;
            reading.add(&path, Some(file), bytes)?;
        }
        Ok(())
    }

    /// The one of these databases that is taken: the requested one, or the only one.
    fn chosen<'a>(&self, databases: &'a [(String, String)]) -> Result<&'a (String, String)> {
        let names: Vec<_> = databases.iter().map(|(_, name)| format!("`{name}`")).collect();
        match (&self.database, databases) {
            (None, [only]) => Ok(only),
            (None, []) => Err(Error::config(format!("`{}` is a dump of no database", self.path))),
            (None, [(_, first), ..]) => {
                Err(Error::config(format!("`{}` is a dump of several databases: {}", self.path, names.join(", ")))
                    .with_hint(format!("name one after a `#`: `{}#{first}`", self.path)))
            }
            (Some(wanted), all) => all.iter().find(|(_, name)| name == wanted).ok_or_else(|| {
                Error::config(format!("`{}` is no dump of a database `{wanted}`", self.path))
                    .with_hint(format!("it is one of {}", names.join(", ")))
            }),
        }
    }

    /// The error of a dump that did not come to its end.
    fn unfinished(&self, why: &str) -> Error {
        Error::data(format!("`{}` is a dump by {} that did not come to its end: {why}", self.path, self.program()))
            .with_hint("dump again; if it was copied here, compare the folder with its origin")
    }

    fn missing(&self, file: &str, by: &str) -> Error {
        Error::data(format!("`{}` has no file `{file}`, which {by} names", self.path))
            .with_hint("compare the folder with its origin, or dump again")
    }

    /// Files of views, each after those of the views that it reads.
    fn views_in_order(&self, views: &[(String, String)]) -> Result<Vec<String>> {
        let mut left = Vec::new();
        for (name, file) in views {
            let text = self.text_of(file)?;
            let reads = words::tables_read(text.as_bytes(), dialect_of(text.as_bytes()));
            left.push((name, file, reads.iter().map(|name| name.to_lowercase()).collect::<BTreeSet<_>>()));
        }
        let mut ordered = Vec::new();
        while !left.is_empty() {
            let reads_none = |at: &usize| {
                let others = left.iter().enumerate().filter(|(other, _)| other != at);
                others.map(|(_, (name, ..))| name.to_lowercase()).all(|name| !left[*at].2.contains(&name))
            };
            let Some(next) = (0..left.len()).find(reads_none) else {
                let names: Vec<_> = left.iter().map(|(name, ..)| format!("`{name}`")).collect();
                return Err(Error::data(format!("views of `{}` need each other: {}", self.path, names.join(", ")))
                    .with_hint("dump again without one of them, and make it after the load"));
            };
            ordered.push(left.remove(next).1.clone());
        }
        Ok(ordered)
    }
}

/// How quotes are read in a file of one view.
fn dialect_of(text: &[u8]) -> Dialect {
    let mut statements = Statements::new(text, text.len());
    let mut dialect = Dialect::default();
    while let Ok(Some(part)) = statements.next() {
        let now = statements.settings().dialect;
        match words::statement(statements.text(&part), now) {
            Statement::Set | Statement::LeftOut => statements.note(&part),
            Statement::Schema(_) => dialect = now,
            _ => {}
        }
    }
    dialect
}

/// Refuses rows that are not read as LOAD DATA reads them. Within quotes `\N` is NULL and `\t` a tab there, and without an escape the word NULL
/// is NULL.
fn check_text(table: &DumpTable) -> Result<()> {
    let Some(text) = &table.text else { return Ok(()) };
    let what = match (&*text.quote, &*text.escape) {
        ("", "\\") => return Ok(()),
        ("", escape) => format!("escaped by `{escape}`, not by `\\`"),
        (quote, _) => format!("enclosed by `{quote}`"),
    };
    let file = table.files.first().map_or("its files", |file| file);
    Err(Error::data(format!("the rows of table `{}` in `{file}` are not read: fields are {what}", table.name))
        .with_hint("dump again with the dump program's own defaults for fields: no quotes, escaped by a backslash"))
}

/// Compares names so that 2 comes before 10.
fn by_numbers(one: &str, other: &str) -> Ordering {
    parts(one).cmp(&parts(other)).then_with(|| one.cmp(other))
}

/// A name as texts, each with the number after it.
fn parts(name: &str) -> Vec<(&str, u64)> {
    let mut parts = Vec::new();
    let mut rest = name;
    while !rest.is_empty() {
        let text = rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len());
        let digits = rest[text..].find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len() - text);
        parts.push((&rest[..text], rest[text..text + digits].parse().unwrap_or(0)));
        rest = &rest[text + digits..];
    }
    parts
}

#[cfg(test)]
mod tests;
