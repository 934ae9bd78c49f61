//! One of the two tables: its connection, its columns, its key; and both of them as a pair, which asks the same of both at once.

use super::VerifyOptions;
use crate::blocking::Connection;
use crate::table::TableName;
use crate::{Config, Error, Result};
use inrush_core::column::{Column, ColumnType};
use inrush_core::verify::{self, Compared};
use std::thread;

/// A connection and a table.
pub(super) struct Side {
    pub(super) config: Config,
    pub(super) connection: Connection,
    /// In backticks.
    pub(super) table: String,
    columns: Vec<Column>,
    /// The columns of the primary key, or of a unique key without NULL.
    key: Vec<String>,
}

impl Side {
    pub(super) fn open((config, name): (&Config, &TableName), options: &VerifyOptions) -> Result<Self> {
        let config = config.clone().with_time_zone("+00:00")?;
        let mut connection = connect(&config)?;
        let default = connection.query_one::<Option<String>>("SELECT DATABASE()", ())?;
        let name = name.clone().in_schema(default.as_deref())?;
        let Some(found) = connection.target(&name)? else {
            return Err(Error::config(format!("there is no table {} that this user may see", name.quoted())));
        };
        let is_usable = |column: &str| {
            !options.columns_alone || options.columns.iter().any(|name| name.eq_ignore_ascii_case(column))
        };
        let key = key(&mut connection, &found.schema, &found.name, is_usable)?;
        Ok(Self { config, connection, table: name.quoted(), columns: found.columns.clone(), key })
    }

    /// Another connection for the same table.
    pub(super) fn again(&self) -> Result<Connection> {
        connect(&self.config)
    }
}

/// With the settings on which the digests depend.
fn connect(config: &Config) -> Result<Connection> {
    let mut connection = Connection::connect(config)?;
    connection.execute("SET SESSION sql_mode = ''", ())?;
    Ok(connection)
}

/// The primary key, or the unique key with the fewest columns none of which may be NULL; of usable columns only.
fn key(
    connection: &mut Connection,
    schema: &str,
    table: &str,
    is_usable: impl Fn(&str) -> bool,
) -> Result<Vec<String>> {
    let parts = connection.query::<(String, Option<String>, Option<String>, Option<u64>)>(
        "SELECT INDEX_NAME, COLUMN_NAME, NULLABLE, SUB_PART FROM information_schema.STATISTICS
         WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? AND NON_UNIQUE = 0 ORDER BY INDEX_NAME <> 'PRIMARY', INDEX_NAME, SEQ_IN_INDEX",
        (schema, table),
    )?;
    let mut keys: Vec<(String, Option<Vec<String>>)> = Vec::new();
    for (index, column, nullable, prefix) in parts {
        if keys.last().is_none_or(|(last, _)| *last != index) {
            keys.push((index, Some(Vec::new())));
        }
        let is_usable =
            nullable.as_deref() != Some("YES") && prefix.is_none() && column.as_deref().is_some_and(&is_usable);
        if let Some((_, columns)) = keys.last_mut() {
            *columns = match (columns.take(), column) {
                (Some(mut columns), Some(column)) if is_usable => {
                    columns.push(column);
                    Some(columns)
                }
                _ => None,
            };
        }
    }
    let usable: Vec<_> =
        keys.into_iter().filter_map(|(name, columns)| columns.map(|columns| (name, columns))).collect();
    let primary = usable.iter().position(|(name, _)| name == "PRIMARY");
    let best = primary.or_else(|| (0..usable.len()).min_by_key(|i| usable[*i].1.len()));
    Ok(best.map_or(Vec::new(), |at| usable[at].1.clone()))
}

/// Both tables, and the SQL that is the same for both but for character sets.
pub(super) struct Pair {
    pub(super) one: Side,
    pub(super) other: Side,
    pub(super) sql: [Sql; 2],
    /// The column of the key if that is one whole number in both tables.
    pub(super) range_column: Option<String>,
    /// The condition of the rows that are compared.
    pub(super) condition: String,
    /// Whether the second side's rows are those whose key the first table has, which one server can find out.
    joins: bool,
}

/// The SQL of one side.
#[derive(Clone, Debug)]
pub(super) struct Sql {
    pub(super) table: String,
    pub(super) columns: Vec<Compared>,
    pub(super) key: Vec<Compared>,
    /// The digest of a row.
    pub(super) digest: String,
    /// The digest of its key; of the row if there is none.
    pub(super) key_digest: String,
    /// SQL of the documents, which the digests leave out: see [`Compared::document`].
    pub(super) documents: Vec<String>,
}

impl Pair {
    pub(super) fn new(one: Side, other: Side, options: &VerifyOptions, is_one_server: bool) -> Result<Self> {
        let names = names(&one, &other, options)?;
        let family = |side: &Side| side.connection.session().profile().family;
        let is_one_family = family(&one) == family(&other);
        let compared = |names: &[String], is_first: bool| {
            let compare = |name: &String| {
                let (mine, theirs) = if is_first { (&one, &other) } else { (&other, &one) };
                Compared::new(mine.column(name, &other.table)?, theirs.column(name, &other.table)?, is_one_family)
            };
            names.iter().map(compare).collect::<Result<Vec<_>>>()
        };
        let key: &[String] = match one.key.iter().all(|name| other.column(name, "").is_ok()) {
            true => &one.key,
            false => &[],
        };
        let sql = |is_first: bool, table: &str| {
            let (columns, key) = (compared(&names, is_first)?, compared(key, is_first)?);
            let digest = verify::digest(&columns);
            let key_digest = if key.is_empty() { digest.clone() } else { verify::digest(&key) };
            let documents = columns.iter().filter_map(Compared::document).collect();
            Ok::<_, Error>(Sql { table: table.to_owned(), columns, key, digest, key_digest, documents })
        };
        let sql = [sql(true, &one.table)?, sql(false, &other.table)?];
        // No range has the rows without a key, which a table that lacks the other's key may have.
        let is_number = |side: &Side, name: &str| {
            side.column(name, "").is_ok_and(|column| !column.nullable && matches!(column.ty, ColumnType::Int { .. }))
        };
        let range_column = match key {
            [name] if is_number(&one, name) && is_number(&other, name) => Some(sql[0].key[0].quoted().to_owned()),
            _ => None,
        };
        let condition = options.condition.as_ref().map_or("TRUE".to_owned(), |condition| format!("({condition}\n)"));
        let joins = options.subset && is_one_server;
        Ok(Self { one, other, sql, range_column, condition, joins })
    }

    /// The condition of a side for rows in a range of the key, or for all.
    pub(super) fn condition(&self, side: usize, range: Option<(i128, i128)>) -> String {
        let condition = match (range, &self.range_column) {
            (Some((low, high)), Some(column)) => format!("{column} BETWEEN {low} AND {high} AND {}", self.condition),
            _ => self.condition.clone(),
        };
        if side == 0 || !self.joins {
            return condition;
        }
        let one = &self.sql[0];
        let keys = match &self.range_column {
            Some(column) => [column, column],
            None => [&self.sql[1].key_digest, &one.key_digest],
        };
        format!("{condition} AND {} IN (SELECT {} FROM {} WHERE {condition})", keys[0], keys[1], one.table)
    }

    pub(super) fn key_names(&self) -> Vec<String> {
        self.sql[0].key.iter().map(|column| column.quoted().to_owned()).collect()
    }

    pub(super) fn column_names(&self) -> Vec<String> {
        self.sql[0].columns.iter().map(|column| column.quoted().to_owned()).collect()
    }

    /// Connections for another lane.
    pub(super) fn again(&self) -> Result<Connections> {
        Ok(Connections { one: self.one.again()?, other: self.other.again()? })
    }
}

/// The names of the columns that are compared: the key first.
fn names(one: &Side, other: &Side, options: &VerifyOptions) -> Result<Vec<String>> {
    let own: Vec<_> = one.columns.iter().filter(|column| !column.generated).map(|column| column.name.clone()).collect();
    let mut names = match options.columns.is_empty() {
        true => own.clone(),
        false => {
            let mut names: Vec<String> = one.key.clone();
            for name in &options.columns {
                let name = &one.column(name, &one.table)?.name;
                if !names.contains(name) {
                    names.push(name.clone());
                }
            }
            names
        }
    };
    names.dedup();
    if options.columns.is_empty() {
        let lacks = |side: &Side, name: &String| side.column(name, "").is_err();
        if let Some(name) = own.iter().find(|name| lacks(other, name)) {
            return Err(only_in(name, &one.table, &other.table));
        }
        let theirs = other.columns.iter().filter(|column| !column.generated);
        if let Some(column) = theirs.into_iter().find(|column| lacks(one, &column.name)) {
            return Err(only_in(&column.name, &other.table, &one.table));
        }
    }
    Ok(names)
}

fn only_in(name: &str, table: &str, other: &str) -> Error {
    Error::config(format!("{table} has a column `{name}`, and {other} has none of that name"))
        .with_hint("`--columns` names those that are to be compared")
}

impl Side {
    fn column(&self, name: &str, table: &str) -> Result<&Column> {
        let found = self.columns.iter().find(|column| column.name.eq_ignore_ascii_case(name));
        found.ok_or_else(|| {
            let names: Vec<_> = self.columns.iter().map(|column| format!("`{}`", column.name)).collect();
            Error::config(format!("{table} has no column `{name}`")).with_hint(format!("it has {}", names.join(", ")))
        })
    }
}

/// A connection to each side.
pub(super) struct Connections {
    pub(super) one: Connection,
    pub(super) other: Connection,
}

impl Connections {
    /// Asks both sides at once.
    pub(super) fn both<T: Send>(&mut self, ask: impl Fn(&mut Connection, usize) -> Result<T> + Sync) -> Result<[T; 2]> {
        let (one, other, ask) = (&mut self.one, &mut self.other, &ask);
        thread::scope(|scope| {
            let other = scope.spawn(move || ask(other, 1));
            let one = ask(one, 0);
            let other = other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            Ok([one?, other?])
        })
    }
}
