//! Reads the server's description of a table, query by query. Pure: a shell sends each [`Reading::query`] and passes its rows to
//! [`Reading::take`] until there is none left.

use crate::table::TableName;
use inrush_core::column::{Column, ColumnType};
use inrush_core::profile::Profile;
use inrush_core::value::Value;
use inrush_core::wire::Row;
use inrush_core::write::Table;
use inrush_core::{Error, Kind, Result};

/// A table that is being read.
#[derive(Debug)]
pub(crate) struct Reading {
    name: TableName,
    reader: Reader,
    json_is_text: bool,
    /// How often a query may be sent again whose answer a KILL QUERY may have changed.
    repeats_left: u8,
    state: State,
}

/// The caller that reads the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reader {
    /// A load, whose connection is fresh. Its target must exist.
    Load,
    /// A batch, in a session that may have temporary tables. What cannot be read is not checked.
    Batch,
}

/// What exists under a name.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum NamedObject {
    /// A table.
    Table(Table),
    /// A view. A load does not read its columns.
    View(Table),
    /// A temporary table. The server does not report its columns, and it hides any other table of this name.
    Temporary,
    /// No such table, or none that this user may see.
    NoTable,
    /// Not even such a schema. Only a load queries that.
    NoSchema,
}

#[derive(Debug)]
enum State {
    ExpectTable,
    ExpectSchema,
    ExpectDefinition(Draft),
    ExpectColumns(Draft),
    ExpectJsonChecks(Draft),
    Done(NamedObject),
}

#[derive(Debug)]
struct Draft {
    table: Table,
    is_view: bool,
}

impl Reading {
    /// Begins to read the table; its schema is known.
    pub(crate) fn new(name: TableName, reader: Reader, profile: &Profile) -> Self {
        Self { name, reader, json_is_text: profile.json_is_text, repeats_left: REPEATS, state: State::ExpectTable }
    }

    /// The next query for the server.
    pub(crate) fn query(&self) -> Option<String> {
        Some(Self::in_full(match &self.state {
            State::ExpectTable => table_query(&self.name),
            State::ExpectSchema => {
                format!("SELECT 1 FROM information_schema.SCHEMATA WHERE SCHEMA_NAME = {}", literal(&self.name.schema))
            }
            State::ExpectDefinition(_) => format!("SHOW CREATE TABLE {}", self.name.quoted()),
            State::ExpectColumns(draft) => columns_query(&draft.table),
            State::ExpectJsonChecks(draft) => checks_query(&draft.table),
            State::Done(_) => return None,
        }))
    }

    /// The same query, answered in full whatever `sql_select_limit` is: a batch's session is its user's own, and stays unchanged. It has no
    /// hint `SET_VAR` or `SET STATEMENT`: the server reports those as changes, and a pool would reset the session.
    fn in_full(query: String) -> String {
        if query.starts_with("SELECT ") { query + " LIMIT 9223372036854775807" } else { query }
    }

    /// Takes the error that answered it. A query that the server refuses for good, because a right is missing for example, counts as one
    /// without rows.
    ///
    /// # Errors
    /// The same error, if the server might answer the next time.
    pub(crate) fn refused(&mut self, error: Error) -> Result<()> {
        /// ER_NO_SUCH_USER: what MySQL answers to a query on TABLES that a KILL QUERY hits (docs/notes/failures.md).
        const NO_SUCH_USER: u16 = 1449;
        if !is_refused_for_good(&error) {
            return Err(error);
        }
        if error.code() == NO_SUCH_USER && self.may_repeat() {
            return Ok(());
        }
        self.take(Vec::new())
    }

    fn may_repeat(&mut self) -> bool {
        let may = self.repeats_left > 0;
        self.repeats_left = self.repeats_left.saturating_sub(1);
        may
    }

    /// Takes its rows: each value as text, NULL as the empty text.
    pub(crate) fn take(&mut self, rows: Vec<Vec<String>>) -> Result<()> {
        self.state = match std::mem::replace(&mut self.state, State::Done(NamedObject::NoTable)) {
            State::ExpectTable => self.take_table(rows),
            State::ExpectSchema if rows.is_empty() => State::Done(NamedObject::NoSchema),
            State::ExpectSchema => State::Done(NamedObject::NoTable),
            State::ExpectDefinition(draft) => match rows.first().and_then(|row| row.get(1)) {
                Some(sql) if sql.starts_with("CREATE TEMPORARY") => State::Done(NamedObject::Temporary),
                _ => State::ExpectColumns(draft),
            },
            // MariaDB answers a query on COLUMNS that a KILL QUERY hits with no row and no error (docs/notes/failures.md).
            State::ExpectColumns(draft) if rows.is_empty() && self.may_repeat() => State::ExpectColumns(draft),
            State::ExpectColumns(mut draft) => {
                draft.table.columns = columns(rows)?;
                match self.json_is_text {
                    true => State::ExpectJsonChecks(draft),
                    false => draft.done(),
                }
            }
            State::ExpectJsonChecks(mut draft) => {
                let json: Vec<String> = rows.into_iter().filter_map(json_column).collect();
                for column in draft.table.columns.iter_mut().filter(|column| json.contains(&column.name)) {
                    column.ty = ColumnType::Json;
                }
                draft.done()
            }
            done @ State::Done(_) => done,
        };
        Ok(())
    }

    /// What was found, once there is no query left.
    pub(crate) fn found(self) -> NamedObject {
        match self.state {
            State::Done(found) => found,
            _ => NamedObject::NoTable,
        }
    }

    fn take_table(&self, rows: Vec<Vec<String>>) -> State {
        let rows = rows.into_iter().filter_map(|row| <[String; 6]>::try_from(row).ok()).collect();
        match (the_one_meant(rows, &self.name), self.reader) {
            (None, Reader::Load) => State::ExpectSchema,
            (None, Reader::Batch) => State::Done(NamedObject::NoTable),
            (Some([kind, engine, transactions, schema, name, _]), reader) => {
                let transactional = transactions == "YES";
                let table = Table { schema, name, engine, transactional, columns: Vec::new() };
                let is_view = kind.contains("VIEW");
                match reader {
                    // MariaDB lists them since 11.2.
                    _ if kind.contains("TEMPORARY") => State::Done(NamedObject::Temporary),
                    Reader::Load if is_view => State::Done(NamedObject::View(table)),
                    Reader::Load => State::ExpectColumns(Draft { table, is_view }),
                    Reader::Batch => State::ExpectDefinition(Draft { table, is_view }),
                }
            }
        }
    }
}

impl Draft {
    fn done(self) -> State {
        State::Done(match self.is_view {
            true => NamedObject::View(self.table),
            false => NamedObject::Table(self.table),
        })
    }
}

/// The rows of an answer in the form that [`Reading::take`] needs: each value as text, NULL as the empty text. A server may repeat a row
/// for ever, so there is a limit on their memory.
#[derive(Debug)]
pub(crate) struct Texts {
    rows: Vec<Vec<String>>,
    n_bytes: usize,
    max_bytes: usize,
}

impl Texts {
    pub(crate) fn new(max_bytes: usize) -> Self {
        Self { rows: Vec::new(), n_bytes: 0, max_bytes }
    }

    pub(crate) fn take(&mut self, row: Row<'_>) -> Result<()> {
        let text = |value: Value<'_>| String::from_utf8_lossy(value.as_bytes().unwrap_or_default()).into_owned();
        let texts = row.values().map(|value| Ok(text(value?))).collect::<Result<Vec<String>>>()?;
        let n_bytes: usize = texts.iter().map(|text| text.len().max(LEAST_ALLOCATION) + size_of::<String>()).sum();
        self.n_bytes += n_bytes + size_of::<Vec<String>>() + LEAST_ALLOCATION;
        if self.n_bytes > self.max_bytes {
            let message = format!("the server's answer to a question of ours takes more than {} bytes", self.max_bytes);
            return Err(Error::protocol(message).with_hint("do not trust this server, unless its tables are that many"));
        }
        self.rows.push(texts);
        Ok(())
    }

    pub(crate) fn into_rows(self) -> Vec<Vec<String>> {
        self.rows
    }
}

/// The smallest allocation, and what is lost between two.
const LEAST_ALLOCATION: usize = 16;

/// The schema of names compares them without case and accents: on most servers it finds `Orders` for `orders`.
fn table_query(name: &TableName) -> String {
    format!(
        "SELECT t.TABLE_TYPE, COALESCE(t.ENGINE, ''), COALESCE(e.TRANSACTIONS, ''), t.TABLE_SCHEMA, t.TABLE_NAME, \
         @@lower_case_table_names \
         FROM information_schema.TABLES t LEFT JOIN information_schema.ENGINES e ON e.ENGINE = t.ENGINE \
         WHERE t.TABLE_SCHEMA = {} AND t.TABLE_NAME = {}",
        literal(&name.schema),
        literal(&name.name)
    )
}

/// MariaDB has the text NULL, and quotes around a default that is this text.
fn columns_query(table: &Table) -> String {
    format!(
        "SELECT COLUMN_NAME, COLUMN_TYPE, IS_NULLABLE, COLUMN_DEFAULT IS NOT NULL /*M! AND COLUMN_DEFAULT <> 'NULL' */, EXTRA, \
         COALESCE(CHARACTER_SET_NAME, ''), COALESCE(GENERATION_EXPRESSION, '') \
         FROM information_schema.COLUMNS WHERE {} ORDER BY ORDINAL_POSITION",
        is_exactly("TABLE_SCHEMA", table)
    )
}

fn checks_query(table: &Table) -> String {
    format!(
        "SELECT CHECK_CLAUSE FROM information_schema.CHECK_CONSTRAINTS WHERE {} AND LEVEL = 'Column'",
        is_exactly("CONSTRAINT_SCHEMA", table)
    )
}

/// Among tables with nearly the same name the one of exactly this name; where the server ignores case (its
/// `lower_case_table_names`, the last column, is not 0), one that differs by case alone. A temporary table hides the other one.
fn the_one_meant(found: Vec<[String; 6]>, name: &TableName) -> Option<[String; 6]> {
    let is_exact = |row: &[String; 6]| row[3] == name.schema && row[4] == name.name;
    let is_same = |row: &[String; 6]| {
        row[5] != "0"
            && row[3].to_lowercase() == name.schema.to_lowercase()
            && row[4].to_lowercase() == name.name.to_lowercase()
    };
    let is_hiding = |row: &[String; 6]| row[0].contains("TEMPORARY") && is_exact(row);
    let position = |is: &dyn Fn(&[String; 6]) -> bool| found.iter().position(is);
    let at = position(&is_hiding).or_else(|| position(&is_exact)).or_else(|| position(&is_same))?;
    found.into_iter().nth(at)
}

/// Those that a statement without a list of columns means come first.
fn columns(mut rows: Vec<Vec<String>>) -> Result<Vec<Column>> {
    let is_invisible =
        |row: &Vec<String>| row.get(4).is_some_and(|extra| extra.to_ascii_uppercase().contains("INVISIBLE"));
    rows.sort_by_key(is_invisible);
    rows.into_iter().map(column).collect()
}

fn column(row: Vec<String>) -> Result<Column> {
    let [name, ty, nullable, has_default, extra, charset, expression] =
        <[String; 7]>::try_from(row).map_err(|_| Error::protocol("information_schema.COLUMNS has an odd shape"))?;
    let extra = extra.to_ascii_uppercase();
    let nullable = nullable == "YES";
    let has_default = has_default == "1" || extra.contains("DEFAULT_GENERATED");
    let auto_increment = extra.contains("AUTO_INCREMENT");
    Ok(Column {
        ty: ColumnType::parse(&ty),
        nullable,
        optional: nullable || auto_increment || has_default,
        has_default,
        auto_increment,
        generated: !expression.is_empty() || extra.contains("VIRTUAL GENERATED") || extra.contains("STORED GENERATED"),
        charset: (!charset.is_empty()).then_some(charset),
        keeps_spelling: false,
        name,
    })
}

/// JSON that is text is LONGTEXT with a CHECK that calls json_valid() for the column.
fn json_column(row: Vec<String>) -> Option<String> {
    let clause = row.into_iter().next()?;
    Some(clause.strip_prefix("json_valid(`")?.strip_suffix("`)")?.replace("``", "`"))
}

/// The condition that a row of information_schema is about exactly this table. Equal names as the server compares them come
/// first, because with those the server need not search all tables.
pub(crate) fn is_exactly(schema_column: &str, table: &Table) -> String {
    let same = |column: &str, text: &str| {
        format!("{column} = {} AND CAST({column} AS BINARY) = {}", literal(text), hex_literal(text))
    };
    format!("{} AND {}", same(schema_column, &table.schema), same("TABLE_NAME", &table.name))
}

/// A string literal that is right in every sql_mode: hex has no escapes.
pub(crate) fn literal(text: &str) -> String {
    if text.is_empty() { "''".into() } else { format!("CONVERT({} USING utf8mb4)", hex_literal(text)) }
}

/// The bytes of a text.
fn hex_literal(text: &str) -> String {
    format!("x'{}'", text.bytes().map(|b| format!("{b:02x}")).collect::<String>())
}

/// Whether the server would refuse a query of a table's description again: a right is missing, for example. A query that was
/// interrupted is different: without the description, rows would go unchecked, or be refused.
fn is_refused_for_good(error: &Error) -> bool {
    /// ER_QUERY_INTERRUPTED, ER_STATEMENT_TIMEOUT (MariaDB), ER_QUERY_TIMEOUT (MySQL)
    const INTERRUPTED: [u16; 3] = [1317, 1969, 3024];
    error.kind() == Kind::Server && !error.is_fatal() && !error.is_retryable() && !INTERRUPTED.contains(&error.code())
}

/// A query takes a millisecond; so many KILLs in a row hit it only by intent.
const REPEATS: u8 = 5;

#[cfg(test)]
mod tests;
