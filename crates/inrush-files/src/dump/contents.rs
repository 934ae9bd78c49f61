//! What a dump consists of: its tables with their definitions, and the statements that are no rows.

use super::row_text::RowText;
use super::rows::unreadable;
use super::statements::{Settings, Statements, Zone, settled};
use super::words::{self, CreateTable, Statement};
use crate::script::script_bytes;
use inrush_core::error::{Error, Result};
use inrush_core::sql::Dialect;
use std::collections::BTreeMap;
use std::io::Read;
use std::ops::Range;

/// What is in a dump.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct DumpContents {
    /// The tables that it defines or has rows of, in the order in which they come first.
    pub tables: Vec<DumpTable>,
    /// Everything else that would be played after the rows, in its order: settings, views, triggers, routines, events, ALTER TABLE.
    pub others: Vec<OtherStatement>,
    /// What is not played: statements about replication, and about the database itself.
    pub left_out: Vec<OtherStatement>,
    /// The databases that it names by USE or CREATE DATABASE.
    pub databases: Vec<String>,
    /// The time zone of its TIMESTAMPs at its first row, if it says it.
    pub time_zone: Option<String>,
    /// Files of a folder that are not read: users.
    pub unread: Vec<String>,
}

/// A table of a dump.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct DumpTable {
    /// Its name, without a database.
    pub name: String,
    /// The name that it has in the dump, by which its rows are found.
    pub name_in_dump: String,
    /// Its CREATE TABLE, with the name in backticks; `None` if the dump has only rows.
    pub definition: Option<String>,
    /// Whether it has an INSERT.
    pub has_rows: bool,
    /// The files of its rows, of a folder; none if they are in the dump itself.
    pub files: Vec<String>,
    /// The rows that it has, if a folder says it.
    pub n_rows: Option<u64>,
    /// How the files are read that are no SQL.
    pub text: Option<RowText>,
    /// Why its rows are not read: their character set.
    pub unreadable: Option<String>,
}

/// A statement that is no row.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OtherStatement {
    /// Its text, without a delimiter.
    pub text: Vec<u8>,
    /// The line in which it begins, counted from 1.
    pub line: u64,
    /// Its file, of a folder.
    pub file: Option<String>,
    /// Whether it only sets variables.
    pub is_setting: bool,
    /// What it is about: ``trigger `t` ``; `None` for settings and others that have no name.
    pub subject: Option<String>,
    /// The table of an ALTER TABLE, a trigger or an index.
    pub table: Option<String>,
    /// The view that it makes.
    pub view: Option<String>,
    /// The trigger that it makes or drops, and whether it drops it.
    trigger: Option<(String, bool)>,
    /// The bytes of the text that say `DEFINER = ..`.
    definer: Option<Range<usize>>,
    /// How its quotes are read.
    dialect: Dialect,
}

impl OtherStatement {
    /// Where it is, for a message: `line 5`, or with its file.
    pub fn place(&self) -> String {
        match &self.file {
            Some(file) => format!("line {} of `{file}`", self.line),
            None => format!("line {}", self.line),
        }
    }

    pub(super) fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// Takes another text for the same kind of statement.
    pub(super) fn set_text(&mut self, text: Vec<u8>) {
        self.subject = words::subject(&text, self.dialect);
        self.definer = words::definer(&text, self.dialect);
        self.text = text;
    }

    /// The tables and views that its queries read, as it names them, without their databases.
    pub fn tables_read(&self) -> Vec<String> {
        words::tables_read(&self.text, self.dialect)
    }

    /// Whether it names the user whose rights a view, a trigger, a routine or an event has.
    pub fn has_definer(&self) -> bool {
        self.definer.is_some()
    }

    /// The same with another user, in quotes as in SQL, or without one, which is the user who plays it.
    #[must_use]
    pub fn with_definer(&self, user: Option<&str>) -> Self {
        let Some(range) = self.definer.clone() else { return self.clone() };
        let clause = user.map(|user| format!("DEFINER={user}")).unwrap_or_default();
        let mut text = self.text.clone();
        text.splice(range.clone(), clause.bytes());
        let definer = user.map(|_| range.start..range.start + clause.len());
        Self { text, definer, ..self.clone() }
    }
}

/// No value is longer on a server.
const MOST_BYTES: usize = 1 << 30;

impl DumpContents {
    /// Reads a dump to its end: a file, an object or a compressed one.
    ///
    /// # Errors
    /// Those of [`script_bytes`]; `Data` for a dump that was cut off; `Config` for standard input, which can be read only once.
    pub fn read(path: &str) -> Result<Self> {
        if path == "-" {
            return Err(Error::config(
                "a dump of several tables is read twice, and standard input (`-`) can be read only once",
            )
            .with_hint("save it as a file, or load one table of it, which is named"));
        }
        let (bytes, _) = script_bytes(path)?;
        Self::of_bytes(path, bytes)
    }

    /// The same of a text.
    pub(crate) fn of_bytes(name: &str, bytes: impl Read) -> Result<Self> {
        let mut reading = Reading::default();
        reading.add(name, None, bytes)?;
        Ok(reading.end())
    }

    pub(super) fn table(&mut self, name: &str) -> &mut DumpTable {
        let at = self.tables.iter().position(|table| table.name == name).unwrap_or_else(|| {
            self.tables.push(DumpTable {
                name: name.to_owned(),
                name_in_dump: name.to_owned(),
                ..DumpTable::default()
            });
            self.tables.len() - 1
        });
        &mut self.tables[at]
    }

    /// DROP TRIGGER names no table: it is that of the CREATE TRIGGER of the same name.
    fn note_dropped_triggers(&mut self) {
        let made = |other: &OtherStatement| match (&other.trigger, &other.table) {
            (Some((name, false)), Some(table)) => Some((name.clone(), table.clone())),
            _ => None,
        };
        let made: Vec<_> = self.others.iter().filter_map(made).collect();
        for other in &mut self.others {
            if let Some((name, true)) = &other.trigger {
                other.table = made.iter().find(|(made, _)| made == name).map(|(_, table)| table.clone());
            }
        }
    }

    /// Tables that were made to be dropped again, in place of views that come later.
    fn forget(&mut self, dropped: &[String], line: u64) -> Result<()> {
        if let Some(table) = self.tables.iter().find(|table| table.has_rows && dropped.contains(&table.name)) {
            return Err(twice(&table.name, line));
        }
        self.tables.retain(|table| !dropped.contains(&table.name));
        Ok(())
    }

    fn note_database(&mut self, name: Option<String>) {
        if let Some(name) = name.filter(|name| !self.databases.contains(name)) {
            self.databases.push(name);
        }
    }
}

/// Reads a dump that consists of one text or several.
#[derive(Default)]
pub(super) struct Reading {
    contents: DumpContents,
    /// The zone of the first rows.
    zone: Option<Zone>,
    /// That of the first table.
    database: Option<Option<String>>,
    altered: Vec<String>,
    /// The character sets of the texts of each table that is defined.
    charsets: BTreeMap<String, Vec<String>>,
}

impl Reading {
    /// Reads a text to its end. `file` is its name within a folder.
    pub(super) fn add(&mut self, name: &str, file: Option<&str>, bytes: impl Read) -> Result<()> {
        self.add_statements(name, file, Statements::new(bytes, MOST_BYTES))
    }

    /// The same, where a `;` ends a statement only at the end of its line.
    pub(super) fn add_lines(&mut self, name: &str, file: &str, bytes: impl Read) -> Result<()> {
        // The last line may have no end.
        let bytes = bytes.chain(&b"\n"[..]);
        self.add_statements(name, Some(file), Statements::new(bytes, MOST_BYTES).ending_at_lines())
    }

    fn add_statements<R: Read>(&mut self, name: &str, file: Option<&str>, mut statements: Statements<R>) -> Result<()> {
        let Self { contents, zone, database, altered, charsets } = self;
        if file.is_some() {
            // Whether a file says USE is its own.
            *database = None;
        }
        let doing = format!("cannot read `{name}`");
        while let Some(part) = settled(&doing, statements.next())? {
            let text = statements.text(&part);
            let named = |error: Error| error.while_doing(&format!("`{name}`"));
            super::check_ended(&part, text).map_err(named)?;
            if part.is_first {
                let settings = statements.settings();
                let statement = words::statement(text, settings.dialect);
                let is_setting = statement == Statement::Set;
                let mut is_in = |of_table: &Option<String>| {
                    let of_table = of_table.clone().or_else(|| settings.database.clone());
                    *database.get_or_insert(of_table.clone()) == of_table
                };
                let of_table = match &statement {
                    Statement::Alter(table) => Some(table.clone()),
                    Statement::Schema(table) => table.clone(),
                    _ => None,
                };
                let other = || OtherStatement {
                    text: text.to_vec(),
                    line: part.line,
                    file: file.map(str::to_owned),
                    is_setting,
                    subject: words::subject(text, settings.dialect),
                    table: of_table.clone(),
                    view: words::view(text, settings.dialect),
                    trigger: words::trigger(text, settings.dialect),
                    definer: words::definer(text, settings.dialect),
                    dialect: settings.dialect,
                };
                match statement {
                    Statement::Insert(head) => {
                        let is_new = *zone.get_or_insert(settings.time_zone.clone()) != settings.time_zone;
                        if is_new {
                            return Err(named(other_zone(part.line)));
                        }
                        super::check_mode(settings, part.line).map_err(named)?;
                        if !is_in(&head.database) {
                            return Err(named(other_database(&head.table, part.line)));
                        }
                        if altered.contains(&head.table) {
                            return Err(named(rows_after_alter(&head.table, part.line)));
                        }
                        contents.note_database(head.database);
                        let of_table = charsets.get(&head.table).map(|charsets| &charsets[..]);
                        let why = unreadable(settings.charset.as_deref(), of_table);
                        let table = contents.table(&head.table);
                        table.has_rows = true;
                        table.unreadable = table.unreadable.take().or(why);
                    }
                    Statement::Create(created) => {
                        super::check_meaning(settings, &created, part.line).map_err(named)?;
                        check_letters(settings, &created, part.line).map_err(named)?;
                        if !is_in(&created.database) {
                            return Err(named(other_database(&created.table, part.line)));
                        }
                        contents.note_database(created.database);
                        let table = contents.table(&created.table);
                        if table.definition.is_some() || table.has_rows {
                            return Err(named(twice(&created.table, part.line)));
                        }
                        table.definition = Some(created.definition);
                        charsets.insert(created.table, created.charsets);
                    }
                    Statement::Drop(tables) => contents.forget(&tables, part.line).map_err(named)?,
                    Statement::LeftOut => {
                        contents.left_out.push(other());
                        statements.note(&part);
                    }
                    Statement::Database(name) => contents.note_database(Some(name)),
                    Statement::Use(name) => {
                        statements.use_database(&name);
                        contents.note_database(Some(name));
                    }
                    // It may set other things as well.
                    Statement::Frame => statements.note(&part),
                    Statement::Set => {
                        contents.others.push(other());
                        statements.note(&part);
                    }
                    Statement::Alter(table) => {
                        contents.others.push(other());
                        altered.push(table);
                    }
                    Statement::Schema(_) => contents.others.push(other()),
                    Statement::Other => return Err(named(super::other(text, part.line))),
                }
            }
            if !part.is_last {
                let n = statements.text(&part).len();
                statements.release(&part, n);
            }
        }
        Ok(())
    }

    /// What was read of all of them.
    pub(super) fn end(self) -> DumpContents {
        let Self { mut contents, zone, .. } = self;
        contents.note_dropped_triggers();
        if let Some(Zone::Is(zone)) = zone {
            contents.time_zone = Some(zone);
        }
        // Settings alone do nothing.
        if contents.others.iter().all(|other| other.is_setting) {
            contents.others.clear();
        }
        contents
    }
}

fn twice(table: &str, line: u64) -> Error {
    Error::data(format!("line {line}: table `{table}` comes twice: the dump is several ones"))
        .with_hint("load the last of them; `inrush run` plays all of it as it is")
}

fn other_database(table: &str, line: u64) -> Error {
    Error::data(format!("line {line}: table `{table}` is of another database than those before"))
        .with_hint("dump each database by itself; `inrush run` plays such a dump as it is")
}

fn rows_after_alter(table: &str, line: u64) -> Error {
    Error::data(format!("line {line}: rows of table `{table}` come after an ALTER TABLE of it"))
        .with_hint("`inrush run` plays such a dump as it is")
}

/// Refuses a definition whose names, comments or defaults would be read in another character set than the dump's. Dump programs write
/// definitions in UTF-8, whatever the rows are in.
fn check_letters(settings: &Settings, created: &CreateTable, line: u64) -> Result<()> {
    let charset = settings.charset.as_deref().filter(|charset| *charset != "binary");
    let Some(charset) = charset.filter(|_| !created.definition.is_ascii()) else { return Ok(()) };
    Err(Error::config(format!(
        "line {line}: the definition of table `{}` is in {charset} (SET NAMES), not in UTF-8",
        created.table
    ))
    .with_hint("dump it again in the character set utf8mb4; `inrush run` plays it as it is"))
}

fn other_zone(line: u64) -> Error {
    Error::data(format!("line {line}: the rows from here on are in another time zone than those before"))
        .with_hint("`inrush run` plays such a dump as it is")
}
