//! The copy of a table that samples are loaded into: the same columns, indexes and partitions, in a schema of its own. The table itself is
//! never written to.

use crate::own_schema::OwnSchema;
use inrush::Config;
use inrush::blocking::Connection;
use inrush::sans_io::column::ident::{quote_ident, quote_table};
use inrush::sans_io::{Error, Result};
use inrush::table::TableName;

/// The copy.
pub struct TableCopy {
    schema: OwnSchema,
    connection: Connection,
    /// The name of the copy.
    pub name: TableName,
    /// What the copy lacks and a load would meet: triggers and foreign keys, in words.
    pub left_out: Vec<String>,
    /// Whether it has a primary key.
    pub has_key: bool,
    /// How many secondary indexes it has.
    pub n_indexes: u64,
}

impl TableCopy {
    /// Makes an empty copy.
    ///
    /// # Errors
    /// `Config` if there is no such table; `Server` if this user may not make the copy.
    pub fn make(config: &Config, table: &TableName) -> Result<Self> {
        let mut connection = Connection::connect(config)?;
        // A load may take longer than the server waits for an idle connection.
        connection.execute("SET SESSION wait_timeout = 2000000", ())?;
        let names = (&table.schema, &table.name);
        let is_there = connection.query_opt::<(String, Option<String>)>(
            "SELECT TABLE_TYPE, ENGINE FROM information_schema.TABLES WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ?",
            names,
        )?;
        match is_there.as_ref().map(|(kind, engine)| (kind.as_str(), engine.as_deref().unwrap_or_default())) {
            Some(("BASE TABLE" | "SYSTEM VERSIONED", engine))
                if COPIED.iter().any(|one| engine.eq_ignore_ascii_case(one)) => {}
            // The copy of some others has the same rows: those of other tables or of other servers.
            Some(("BASE TABLE" | "SYSTEM VERSIONED", engine)) => {
                return Err(Error::config(format!(
                    "{} is a table of {engine}, and tables of {} alone are copied",
                    table.quoted(),
                    COPIED.join(" and ")
                ))
                .with_hint("options that suit a table of these engines with the same columns may suit it too"));
            }
            Some(_) => return Err(Error::config(format!("{} is no table that rows are loaded into", table.quoted()))),
            None => {
                return Err(Error::config(format!("there is no table {} that this user may see", table.quoted()))
                    .with_hint(
                        "`inrush load FILE --into TABLE --create-table` makes it; then tune with its rows or the file",
                    ));
            }
        }
        let mut count = |sql: &str| connection.query_one::<u64>(sql, names);
        let sequences = count(
            "SELECT COUNT(*) FROM information_schema.COLUMNS \
             WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? AND COLUMN_DEFAULT LIKE '%nextval(%'",
        )?;
        if sequences > 0 {
            return Err(Error::config(format!(
                "{} has a default of a sequence, whose numbers the samples would use up",
                table.quoted()
            ))
            .with_hint("make a copy of the table without that default, and tune the copy"));
        }
        let triggers = count(
            "SELECT COUNT(*) FROM information_schema.TRIGGERS WHERE EVENT_OBJECT_SCHEMA = ? AND EVENT_OBJECT_TABLE = ?",
        )?;
        let foreign_keys = count(
            "SELECT COUNT(*) FROM information_schema.TABLE_CONSTRAINTS \
             WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? AND CONSTRAINT_TYPE = 'FOREIGN KEY'",
        )?;
        let n_indexes = count(
            "SELECT COUNT(DISTINCT INDEX_NAME) FROM information_schema.STATISTICS \
             WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? AND INDEX_NAME <> 'PRIMARY'",
        )?;
        let keys = count(
            "SELECT COUNT(*) FROM information_schema.TABLE_CONSTRAINTS \
             WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? AND CONSTRAINT_TYPE = 'PRIMARY KEY'",
        )?;
        let schema = OwnSchema::create(
            config,
            PREFIX,
            "samples are loaded into a copy of the table in a schema of its own: it needs the right to create and drop one",
        )?;
        // The name of the table, which rules and messages name.
        let name = TableName { schema: schema.name().to_owned(), name: table.name.clone() };
        connection.execute(&format!("CREATE TABLE {} LIKE {}", name.quoted(), table.quoted()), ())?;
        let counted = |n: u64, what: &str| (n > 0).then(|| inrush::sans_io::human::counted(n, what));
        let left_out = [counted(triggers, "trigger"), counted(foreign_keys, "foreign key")];
        Ok(Self {
            schema,
            connection,
            name,
            left_out: left_out.into_iter().flatten().collect(),
            has_key: keys > 0,
            n_indexes,
        })
    }

    /// Empties it.
    ///
    /// # Errors
    /// `Server` if the server fails.
    pub fn empty(&mut self) -> Result<()> {
        let table = quote_table(&self.name.schema, &self.name.name);
        self.connection.execute(&format!("TRUNCATE TABLE {table}"), ()).map(drop)
    }

    /// How many rows are in it.
    ///
    /// # Errors
    /// `Server` if the server fails.
    pub fn count(&mut self) -> Result<u64> {
        self.connection.query_one(&format!("SELECT COUNT(*) FROM {}", self.name.quoted()), ())
    }

    /// Removes it with its schema.
    ///
    /// # Errors
    /// `Server` with the statement that removes it.
    pub fn remove(self) -> Result<()> {
        self.schema.remove()
    }
}

/// The columns of a table that take values, quoted.
///
/// # Errors
/// `Server` if the server fails.
pub fn columns(connection: &mut Connection, table: &TableName) -> Result<Vec<String>> {
    let names = connection.query::<String>(
        "SELECT COLUMN_NAME FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? \
         AND COALESCE(GENERATION_EXPRESSION, '') = '' ORDER BY ORDINAL_POSITION",
        (&table.schema, &table.name),
    )?;
    Ok(names.iter().map(|name| quote_ident(name)).collect())
}

/// The engines whose tables have their rows for themselves, so that a copy is empty.
const COPIED: [&str; 2] = ["InnoDB", "ROCKSDB"];

/// The beginning of the names of the schemas.
pub const PREFIX: &str = "inrush_tune_";
