//! The copy of a table that samples are loaded into: the same columns, indexes and partitions, in a schema of its own. The table itself is
//! never written to.

use super::service::callers::CallerRows;
use crate::own_schema::{self, OwnSchema};
use crate::rights::May;
use crate::rows_of_table::columns;
use inrush::Config;
use inrush::blocking::Connection;
use inrush::sans_io::column::ident::quote_table;
use inrush::sans_io::{Error, Result};
use inrush::table::TableName;

/// The copy.
pub struct TableCopy {
    schema: OwnSchema,
    connection: Connection,
    /// The table, and the statement that makes the copy.
    original: TableName,
    create: String,
    /// The name of the copy.
    pub name: TableName,
    /// What the copy lacks and a load would meet: triggers and foreign keys, in words.
    pub left_out: Vec<String>,
    /// Whether triggers of the table would be seen: that takes the right TRIGGER.
    pub sees_triggers: bool,
    /// Whether it has a primary key.
    pub has_key: bool,
    /// How many secondary indexes it has.
    pub n_indexes: u64,
    /// Whether TRUNCATE is refused, since old rows are kept.
    is_versioned: bool,
}

impl TableCopy {
    /// Makes an empty copy.
    ///
    /// # Errors
    /// `Config` if there is no such table, or none that can be copied or loaded into; `Server` if this user may not make the copy.
    pub fn make(config: &Config, table: &TableName) -> Result<Self> {
        let mut connection = Connection::connect(config)?;
        // A load may take longer than the server waits for an idle connection.
        connection.execute("SET SESSION wait_timeout = 2000000", ())?;
        let names = (&table.schema, &table.name);
        let kind = connection.query_opt::<(String, Option<String>)>(
            "SELECT TABLE_TYPE, ENGINE FROM information_schema.TABLES WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ?",
            names,
        )?;
        check_kind(table, kind.as_ref().map(|(kind, engine)| (kind.as_str(), engine.as_deref().unwrap_or_default())))?;
        if columns(&mut connection, table)?.is_empty() {
            return Err(Error::config(format!(
                "all columns of {} are generated: no value is loaded into it",
                table.quoted()
            ))
            .with_hint("`inrush tune` needs a table with a column that takes values"));
        }
        let rights = own_schema::rights(&mut connection);
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
        // Defaults that this session would refuse, such as a zero date, are those of the table.
        connection.execute("SET SESSION sql_mode = ''", ())?;
        let schema = OwnSchema::create(config, PREFIX, "samples are loaded into a copy of the table")?;
        let counted = |n: u64, what: &str| (n > 0).then(|| inrush::sans_io::human::counted(n, what));
        let left_out = [counted(triggers, "trigger"), counted(foreign_keys, "foreign key")];
        // The name of the table, which rules and messages name.
        let name = TableName { schema: schema.name().to_owned(), name: table.name.clone() };
        Self {
            create: format!("CREATE TABLE {} LIKE {}", name.quoted(), table.quoted()),
            name,
            schema,
            connection,
            original: table.clone(),
            left_out: left_out.into_iter().flatten().collect(),
            sees_triggers: triggers > 0 || rights.on_table("TRIGGER", &table.schema, &table.name) == May::Yes,
            has_key: keys > 0,
            n_indexes,
            is_versioned: kind.is_some_and(|(kind, _)| kind == VERSIONED),
        }
        .created()
    }

    /// Makes an empty table for texts of so many bytes, a copy of none.
    ///
    /// # Errors
    /// `Server` if this user may not make it.
    pub fn of_texts(config: &Config, bytes: usize) -> Result<Self> {
        let mut connection = Connection::connect(config)?;
        connection.execute("SET SESSION wait_timeout = 2000000", ())?;
        let schema = OwnSchema::create(config, PREFIX, "rows are inserted")?;
        let name = TableName { schema: schema.name().to_owned(), name: "texts".into() };
        Self {
            create: CallerRows::ddl(&name, bytes),
            original: name.clone(),
            name,
            schema,
            connection,
            left_out: Vec::new(),
            sees_triggers: true,
            has_key: true,
            n_indexes: 0,
            is_versioned: false,
        }
        .created()
    }

    fn created(mut self) -> Result<Self> {
        match self.create() {
            Ok(()) => Ok(self),
            Err(error) => Err(self.schema.remove_after(error)),
        }
    }

    fn create(&mut self) -> Result<()> {
        /// ER_TABLE_WITHOUT_PK of MySQL, ER_REQUIRES_PRIMARY_KEY of MariaDB.
        const NO_KEY: [u16; 2] = [3750, 1173];
        let is_refused = |error: &Error| NO_KEY.contains(&error.code());
        let created = self.connection.execute(&self.create, ());
        let created = match created.as_ref().map_err(is_refused) {
            // The session's own variable, if this user may set it.
            Err(true) if self.connection.execute("SET SESSION sql_require_primary_key = OFF", ()).is_ok() => {
                self.connection.execute(&self.create, ())
            }
            _ => created,
        };
        created.map(drop).map_err(|error| match is_refused(&error) {
            true => Error::config(format!(
                "{} has no primary key, and this server makes no table without one, so no copy of it",
                self.original.quoted()
            ))
            .with_hint("as a user who may set `sql_require_primary_key` (SESSION_VARIABLES_ADMIN), or give the table a primary key"),
            false => error,
        })
    }

    /// Empties it.
    ///
    /// # Errors
    /// `Server` if the server fails.
    pub fn empty(&mut self) -> Result<()> {
        let table = quote_table(&self.name.schema, &self.name.name);
        if self.is_versioned {
            self.connection.execute(&format!("DROP TABLE IF EXISTS {table}"), ())?;
            return self.create();
        }
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

    /// Removes it because of this error, and returns the error. If it cannot be removed, the error says that too.
    pub fn remove_after(self, error: Error) -> Error {
        self.schema.remove_after(error)
    }
}

/// Refuses what is no table, and tables whose copies would have the same rows: those of other tables or of other servers.
fn check_kind(table: &TableName, kind: Option<(&str, &str)>) -> Result<()> {
    match kind {
        Some(("BASE TABLE" | VERSIONED, engine)) if COPIED.iter().any(|one| engine.eq_ignore_ascii_case(one)) => Ok(()),
        Some(("BASE TABLE" | VERSIONED, engine)) => Err(Error::config(format!(
            "{} is a table of {engine}, and tables of {} alone are copied",
            table.quoted(),
            COPIED.join(", ")
        ))
        .with_hint("options that suit a table of these engines with the same columns may suit it too")),
        Some(_) => Err(Error::config(format!("{} is no table that rows are loaded into", table.quoted()))),
        None => Err(Error::config(format!("there is no table {} that this user may see", table.quoted()))
            .with_hint("`inrush load FILE --into TABLE --create-table` makes it; then tune with its rows or the file")),
    }
}

/// The engines whose tables have their rows for themselves, so that a copy is empty.
const COPIED: [&str; 5] = ["InnoDB", "ROCKSDB", "MyISAM", "Aria", "MEMORY"];

/// The type of a table of MariaDB that keeps old rows.
const VERSIONED: &str = "SYSTEM VERSIONED";

/// The beginning of the names of the schemas.
pub const PREFIX: &str = "inrush_tune_";
