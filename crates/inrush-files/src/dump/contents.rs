//! What a dump consists of: its tables with their definitions, and the statements that are no rows.

use super::statements::{Statements, Zone, settled};
use super::words::{self, Statement};
use crate::script::script_bytes;
use inrush_core::error::{Error, Result};
use std::io::Read;

/// What is in a dump.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct DumpContents {
    /// The tables that it defines or has rows of, in the order in which they come first.
    pub tables: Vec<DumpTable>,
    /// Everything else that would be played after the rows, in its order: settings, views, triggers, routines, events, ALTER TABLE.
    pub others: Vec<OtherStatement>,
    /// Statements about replication, which are left out.
    pub replication: Vec<OtherStatement>,
    /// The databases that it names by USE or CREATE DATABASE.
    pub databases: Vec<String>,
    /// The time zone of its TIMESTAMPs at its first row, if it says it.
    pub time_zone: Option<String>,
}

/// A table of a dump.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct DumpTable {
    /// Its name, without a database.
    pub name: String,
    /// Its CREATE TABLE, with the name in backticks; `None` if the dump has only rows.
    pub definition: Option<String>,
    /// Whether it has an INSERT.
    pub has_rows: bool,
}

/// A statement that is no row.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OtherStatement {
    /// Its text, without a delimiter.
    pub text: Vec<u8>,
    /// The line in which it begins, counted from 1.
    pub line: u64,
    /// Whether it only sets variables.
    pub is_setting: bool,
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
            .with_hint("save it as a file; or load one table of it: `--into TABLE`"));
        }
        let (bytes, _) = script_bytes(path)?;
        Self::of_bytes(path, bytes)
    }

    /// The same of a text.
    pub(crate) fn of_bytes(name: &str, bytes: impl Read) -> Result<Self> {
        let mut contents = Self::default();
        let mut statements = Statements::new(bytes, MOST_BYTES);
        let doing = format!("cannot read `{name}`");
        while let Some(part) = settled(&doing, statements.next())? {
            let text = statements.text(&part);
            if part.is_first {
                let statement = words::statement(text, statements.settings().dialect);
                let is_setting = statement == Statement::Set;
                let other = || OtherStatement { text: text.to_vec(), line: part.line, is_setting };
                match statement {
                    Statement::Insert(head) => {
                        if contents.time_zone.is_none()
                            && let Zone::Is(zone) = &statements.settings().time_zone
                        {
                            contents.time_zone = Some(zone.clone());
                        }
                        contents.table(&head.table).has_rows = true;
                    }
                    Statement::Create(created) => contents.table(&created.table).definition = Some(created.definition),
                    Statement::Drop(tables) => contents.forget(&tables),
                    Statement::Replication => contents.replication.push(other()),
                    Statement::Database(name) => contents.note_database(name),
                    Statement::Frame => {}
                    Statement::Set => {
                        contents.others.push(other());
                        statements.note(&part);
                    }
                    Statement::Other => contents.others.push(other()),
                }
            }
            if !part.is_last {
                let n = statements.text(&part).len();
                statements.release(&part, n);
            }
        }
        // Settings alone do nothing.
        if contents.others.iter().all(|other| other.is_setting) {
            contents.others.clear();
        }
        Ok(contents)
    }

    fn table(&mut self, name: &str) -> &mut DumpTable {
        let at = self.tables.iter().position(|table| table.name == name).unwrap_or_else(|| {
            self.tables.push(DumpTable { name: name.to_owned(), ..DumpTable::default() });
            self.tables.len() - 1
        });
        &mut self.tables[at]
    }

    /// Tables that were made to be dropped again, in place of views that come later.
    fn forget(&mut self, dropped: &[String]) {
        self.tables.retain(|table| table.has_rows || !dropped.contains(&table.name));
    }

    fn note_database(&mut self, name: String) {
        if !self.databases.contains(&name) {
            self.databases.push(name);
        }
    }
}
