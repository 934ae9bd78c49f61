//! Statements that make the second table like the first, in an order in which no two rows of a unique key meet.
//!
//! ```text
//! DELETE extra rows -> take out rows whose unique keys change -> UPDATE the others -> put those back, changed -> INSERT missing rows
//! ```
//! Invariant: the file is one transaction, and its COMMIT is written last. A statement that fails, or a file that is cut, changes nothing in a
//! table with transactions.

use inrush::blocking::Connection;
use inrush::table::TableName;
use inrush::{Config, Difference, DifferenceKind};
use inrush_core::Result;
use inrush_core::column::ident::quote_ident;
use std::fs::File;
use std::io::{self, BufWriter, Seek as _, Write};
use std::path::Path;

/// The table that the statements change, as they need to know it. Columns are in backticks.
#[derive(Clone, Debug, Default)]
pub(crate) struct MendedTable {
    /// As the user named it.
    name: String,
    /// All columns that are not generated.
    columns: Vec<String>,
    /// Those with ON UPDATE CURRENT_TIMESTAMP.
    on_update: Vec<String>,
    unique: UniqueColumns,
    has_triggers: bool,
}

/// The columns whose changes a unique key may refuse.
#[derive(Clone, Debug)]
enum UniqueColumns {
    /// A unique key of an expression, or of a generated column.
    Any,
    These(Vec<String>),
}

impl Default for UniqueColumns {
    fn default() -> Self {
        Self::These(Vec::new())
    }
}

impl MendedTable {
    /// Reads the table. One that is not there has nothing, which the comparison reports.
    pub(super) fn read(config: &Config, name: &TableName) -> Result<Self> {
        let quoted = if name.schema.is_empty() { quote_ident(&name.name) } else { name.quoted() };
        let TableName { schema, name } = name.clone().in_schema(config.database())?;
        let mut connection = Connection::connect(config)?;
        let found = connection.query::<(String, String)>(
            "SELECT COLUMN_NAME, LOWER(EXTRA) FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? ORDER BY ORDINAL_POSITION",
            (&schema, &name),
        )?;
        // `default_generated` marks an ordinary column whose default is an expression.
        let is_generated = |extra: &str| extra.contains(" generated");
        let unique = connection.query::<Option<String>>(
            "SELECT DISTINCT COLUMN_NAME FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? AND NON_UNIQUE = 0",
            (&schema, &name),
        )?;
        let triggers = connection.query_one::<u64>(
            "SELECT COUNT(*) FROM information_schema.TRIGGERS WHERE EVENT_OBJECT_SCHEMA = ? AND EVENT_OBJECT_TABLE = ?",
            (&schema, &name),
        )?;
        connection.close();
        let is_own = |column: &String| found.iter().any(|(name, extra)| name == column && !is_generated(extra));
        let these: Option<Vec<_>> = unique
            .iter()
            .map(|column| column.as_ref().filter(|name| is_own(name)).map(|name| quote_ident(name)))
            .collect();
        let named = |is_meant: &dyn Fn(&str) -> bool| {
            found.iter().filter(|(_, extra)| is_meant(extra)).map(|(name, _)| quote_ident(name)).collect()
        };
        Ok(Self {
            name: quoted,
            columns: named(&|extra| !is_generated(extra)),
            on_update: named(&|extra| extra.contains("on update")),
            unique: these.map_or(UniqueColumns::Any, UniqueColumns::These),
            has_triggers: triggers > 0,
        })
    }
}

/// The statements of a file, which are written when all are known.
pub(super) struct Script {
    table: MendedTable,
    deletes: Statements,
    taken: Statements,
    updates: Statements,
    inserts: Statements,
    /// Differences that no statement mends.
    pub(super) by_hand: u64,
}

/// Statements in a temporary file without a name.
struct Statements {
    file: BufWriter<File>,
    is_empty: bool,
}

impl Statements {
    fn begin(folder: &Path) -> io::Result<Self> {
        Ok(Self { file: BufWriter::new(tempfile::tempfile_in(folder)?), is_empty: true })
    }

    fn add(&mut self, statement: &str) -> io::Result<()> {
        self.is_empty = false;
        self.file.write_all(statement.as_bytes())
    }

    fn copy_to(self, out: &mut impl Write) -> io::Result<()> {
        let mut file = self.file.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.rewind()?;
        io::copy(&mut file, out).map(|_| ())
    }
}

impl Script {
    /// No statement yet; those to come are kept in `folder`.
    pub(super) fn begin(table: MendedTable, folder: &Path) -> io::Result<Self> {
        let [deletes, taken, updates, inserts] = [(); 4].map(|()| Statements::begin(folder));
        Ok(Self { table, deletes: deletes?, taken: taken?, updates: updates?, inserts: inserts?, by_hand: 0 })
    }

    /// Adds what mends a difference.
    pub(super) fn add(&mut self, difference: &Difference) -> io::Result<()> {
        if difference.values.is_empty() {
            self.by_hand += 1;
            // A line end in a value would end the comment.
            let line = difference.to_string().replace(['\n', '\r'], " ");
            return self.deletes.add(&format!("-- by hand: {line}\n"));
        }
        match difference.kind {
            DifferenceKind::Missing => self.inserts.add(&self.table.insert(difference)),
            DifferenceKind::Extra => self.deletes.add(&self.table.delete(difference)),
            _ if self.table.may_meet_others(difference) => self.taken.add(&self.table.take_out(difference)),
            _ => self.updates.add(&self.table.update(difference)),
        }
    }

    /// What the statements do not do, for the file and the report.
    pub(super) fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.by_hand > 0 {
            notes.push(format!(
                "{} left to be mended by hand: see the comments `-- by hand`",
                differences(self.by_hand)
            ));
        }
        if self.table.has_triggers {
            notes.push(
                "the table has triggers, which these statements fire; compare the tables again afterwards".to_owned(),
            );
        }
        notes
    }

    /// Writes all of it.
    pub(super) fn finish(self, out: &mut impl Write) -> io::Result<()> {
        let MendedTable { name, columns, .. } = &self.table;
        writeln!(out, "-- Makes {} like the first table, in one transaction.", name.replace(['\n', '\r'], " "))?;
        for note in self.notes() {
            writeln!(out, "-- {note}")?;
        }
        out.write_all(HEAD.as_bytes())?;
        let columns = columns.join(", ");
        let has_taken = !self.taken.is_empty;
        if has_taken {
            writeln!(out, "CREATE TEMPORARY TABLE {TAKEN} AS SELECT {columns} FROM {name} WHERE FALSE;")?;
        }
        out.write_all(b"START TRANSACTION;\n")?;
        self.deletes.copy_to(out)?;
        if has_taken {
            out.write_all(b"-- Rows whose unique keys change, as two of them may exchange their values.\n")?;
        }
        self.taken.copy_to(out)?;
        self.updates.copy_to(out)?;
        if has_taken {
            writeln!(out, "INSERT INTO {name} ({columns}) SELECT {columns} FROM {TAKEN};")?;
        }
        self.inserts.copy_to(out)?;
        out.write_all(b"COMMIT;\n")?;
        if has_taken {
            writeln!(out, "DROP TEMPORARY TABLE {TAKEN};")?;
        }
        Ok(())
    }
}

fn differences(n: u64) -> String {
    if n == 1 { "1 difference is".to_owned() } else { format!("{n} differences are") }
}

/// Foreign keys: rows of the first table refer to what is there, and DELETE with ON DELETE CASCADE would change other tables.
const HEAD: &str = "\
-- Foreign keys are not checked meanwhile, and no other table is changed: compare those that refer to it too.
SET NAMES utf8mb4, time_zone = '+00:00', sql_mode = 'NO_AUTO_VALUE_ON_ZERO,ALLOW_INVALID_DATES', foreign_key_checks = 0;
";

/// The rows that are taken out.
const TAKEN: &str = "`inrush taken out`";

impl MendedTable {
    fn insert(&self, difference: &Difference) -> String {
        let names: Vec<_> = difference.values.iter().map(|(column, ..)| column.as_str()).collect();
        let values: Vec<_> = ours(difference).map(|(_, value)| value.as_str()).collect();
        let row = format!("({})", values.join(", "));
        let all = vec![row; usize::try_from(difference.times).unwrap_or(1)];
        format!("INSERT INTO {} ({}) VALUES {};\n", self.name, names.join(", "), all.join(", "))
    }

    fn delete(&self, difference: &Difference) -> String {
        format!("DELETE FROM {} WHERE {} LIMIT {};\n", self.name, condition(difference), difference.times)
    }

    fn update(&self, difference: &Difference) -> String {
        let mut pairs: Vec<_> = ours(difference).map(|(column, value)| format!("{column} = {value}")).collect();
        // A time of the last change would become that of the statement.
        let is_set = |name: &str| difference.values.iter().any(|(column, ..)| is_same(column, name));
        pairs.extend(self.on_update.iter().filter(|name| !is_set(name)).map(|name| format!("{name} = {name}")));
        format!("UPDATE {} SET {} WHERE {};\n", self.name, pairs.join(", "), condition(difference))
    }

    /// Puts the row, as it should be, among those that are taken out.
    fn take_out(&self, difference: &Difference) -> String {
        let values: Vec<_> = self.columns.iter().map(|name| value(difference, name)).collect();
        let (name, rows) = (&self.name, condition(difference));
        format!(
            "INSERT INTO {TAKEN} ({}) SELECT {} FROM {name} WHERE {rows};\nDELETE FROM {name} WHERE {rows};\n",
            self.columns.join(", "),
            values.join(", ")
        )
    }

    /// Whether another row may have the value that a unique key takes by this difference.
    fn may_meet_others(&self, difference: &Difference) -> bool {
        match &self.unique {
            UniqueColumns::Any => true,
            UniqueColumns::These(names) => {
                difference.values.iter().any(|(column, ..)| names.iter().any(|name| is_same(column, name)))
            }
        }
    }
}

/// What a column gets: the first table's value, or its own.
fn value<'a>(difference: &'a Difference, column: &'a str) -> &'a str {
    ours(difference).find(|(name, _)| is_same(name, column)).map_or(column, |(_, value)| value)
}

fn is_same(one: &str, other: &str) -> bool {
    one.to_lowercase() == other.to_lowercase()
}

/// The columns that change, with the first table's values.
fn ours(difference: &Difference) -> impl Iterator<Item = (&String, &String)> {
    difference.values.iter().filter_map(|(column, one, _)| one.as_ref().map(|value| (column, value)))
}

/// The condition that finds the row: by its key, else by all of its values.
fn condition(difference: &Difference) -> String {
    let all =
        difference.values.iter().filter_map(|(column, one, other)| Some((column, other.as_ref().or(one.as_ref())?)));
    let by_key = difference.key.iter().map(|(column, value)| match value.starts_with('\'') {
        // For the index, and for keys that a collation calls equal.
        true => format!("{column} <=> {value} AND {}", is_byte_by_byte(column, value)),
        false => format!("{column} <=> {value}"),
    });
    let conditions: Vec<_> = match difference.key.is_empty() {
        true => all.map(|(column, value)| is_byte_by_byte(column, value)).collect(),
        false => by_key.collect(),
    };
    conditions.join(" AND ")
}

/// The condition that a column has this value and no other that its collation calls equal. A document of JSON is compared as its text.
fn is_byte_by_byte(column: &str, literal: &str) -> String {
    match literal.starts_with('\'') {
        true => format!("CAST(CONVERT({column} USING utf8mb4) AS BINARY) <=> CAST({literal} AS BINARY)"),
        false => format!("{column} <=> {literal}"),
    }
}
