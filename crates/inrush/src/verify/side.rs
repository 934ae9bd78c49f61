//! One of the two tables: its connection, its columns, its key; and both of them as a pair, which asks the same of both at once.

use super::VerifyOptions;
use crate::blocking::Connection;
use crate::parts::{Bounds, PartBy, check_condition, estimated_rows};
use crate::read_view::{ReadLock, ReadView};
use crate::table::TableName;
use crate::{Config, Error, Result};
use inrush_core::column::{Column, ColumnType};
use inrush_core::verify::{self, Compared};
use std::collections::HashMap;
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
    /// The collations of the texts of the table, by the name of the column.
    collations: HashMap<String, String>,
    /// When the table was made, and its columns: another text if it was recreated or altered.
    definition: String,
}

impl Side {
    pub(super) fn open((config, name): (&Config, &TableName), options: &VerifyOptions) -> Result<Self> {
        let config = config.clone().with_time_zone("+00:00")?;
        let mut connection = connect(&config)?;
        // Of several servers all connections are to the same one.
        let config = connection.config().clone();
        let default = connection.query_one::<Option<String>>("SELECT DATABASE()", ())?;
        let name = name.clone().in_schema(default.as_deref())?;
        let Some(found) = connection.target(&name)? else {
            return Err(Error::config(format!("there is no table {} that this user may see", name.quoted())));
        };
        let is_usable = |column: &str| {
            !options.columns_alone || options.columns.iter().any(|name| name.eq_ignore_ascii_case(column))
        };
        let key = key(&mut connection, &found.schema, &found.name, is_usable)?;
        let collations = connection.query::<(String, String)>(
            "SELECT COLUMN_NAME, COLLATION_NAME FROM information_schema.COLUMNS
             WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? AND COLLATION_NAME IS NOT NULL",
            (&found.schema, &found.name),
        )?;
        let definition = definition(&mut connection, &found.schema, &found.name)?;
        Ok(Self {
            config,
            connection,
            table: name.quoted(),
            columns: found.columns.clone(),
            key,
            collations: collations.into_iter().collect(),
            definition,
        })
    }

    /// Refuses a condition that is none for the table.
    pub(super) fn check_condition(&mut self, condition: &str) -> Result<()> {
        check_condition(&mut self.connection, &self.table, condition)
    }

    /// Another connection for the same table.
    pub(super) fn again(&self) -> Result<Connection> {
        connect(&self.config)
    }
}

fn connect(config: &Config) -> Result<Connection> {
    prepared(Connection::connect(config)?)
}

/// With the settings on which the digests depend.
fn prepared(mut connection: Connection) -> Result<Connection> {
    connection.execute("SET SESSION sql_mode = ''", ())?;
    Ok(connection)
}

/// When a table was made, and its columns with their types and collations.
fn definition(connection: &mut Connection, schema: &str, table: &str) -> Result<String> {
    let made = connection.query_one::<Option<String>>(
        "SELECT CAST(CREATE_TIME AS CHAR) FROM information_schema.TABLES WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ?",
        (schema, table),
    )?;
    let columns = connection.query::<(String, String, Option<String>)>(
        "SELECT COLUMN_NAME, COLUMN_TYPE, COLLATION_NAME FROM information_schema.COLUMNS
         WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? ORDER BY ORDINAL_POSITION",
        (schema, table),
    )?;
    Ok(format!("{made:?} {columns:?}"))
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
    /// The first column of the key, if its ranges have the same rows in both tables.
    range: Option<PartBy>,
    /// The conditions of the rows of each side that are compared.
    conditions: [String; 2],
    /// Whether the second side's rows are those whose key the first table has, which one server can find out.
    joins: bool,
    is_one_server: bool,
    is_snapshot: bool,
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
        let range = key.first().and_then(|name| range(&one, &other, name, is_one_family));
        let of_both = options.condition.as_ref().map_or("TRUE".to_owned(), |condition| format!("({condition}\n)"));
        let of_first = match &options.condition_of_first {
            Some(condition) => format!("{of_both} AND ({condition}\n)"),
            None => of_both.clone(),
        };
        let conditions = [of_first, of_both];
        let joins = options.subset && is_one_server;
        let is_snapshot = options.snapshot;
        Ok(Self { one, other, sql, range, conditions, joins, is_one_server, is_snapshot })
    }

    /// The larger number of rows, as the optimizers estimate.
    pub(super) fn estimated_rows(&mut self) -> Result<u64> {
        let one = estimated_rows(&mut self.one.connection, &self.one.table)?;
        Ok(one.max(estimated_rows(&mut self.other.connection, &self.other.table)?))
    }

    /// The ends of ranges of about so many rows, by the first table; `None`: there are no ranges, or one.
    pub(super) fn bounds(&mut self, rows: u64, cell_rows: u64) -> Result<Option<Bounds>> {
        let Some(by) = &self.range else { return Ok(None) };
        let most = if matches!(by, PartBy::Whole(_)) { usize::MAX } else { CELLS_OF_OTHERS };
        let n = usize::try_from(rows.div_ceil(cell_rows)).unwrap_or(usize::MAX).min(most);
        let bounds = Bounds::find(&mut self.one.connection, &self.one.table, by, n)?;
        Ok(Some(bounds).filter(|bounds| !bounds.literals.is_empty()))
    }

    /// The column of the ranges, in backticks.
    pub(super) fn range_column(&self) -> Option<&str> {
        self.range.as_ref().map(|_| self.sql[0].key[0].quoted())
    }

    /// What is compared, for a checkpoint.
    pub(super) fn identity(&self) -> String {
        let mut texts = self.conditions.iter().map(String::as_str).collect::<Vec<_>>();
        texts.push(if self.joins { "joins" } else { "" });
        let sides = [&self.one, &self.other].map(|side| (side.config.server(), &side.definition));
        for (sql, (server, definition)) in self.sql.iter().zip(&sides) {
            texts.extend([server, *definition, &sql.table, &sql.digest, &sql.key_digest].map(String::as_str));
            texts.extend(sql.documents.iter().map(String::as_str));
        }
        verify::identity(&texts)
    }

    /// The condition of a side for rows in a range of the key, or for all.
    pub(super) fn condition(&self, side: usize, range: Option<&str>) -> String {
        let of = |side: usize| match range {
            Some(range) => format!("({range}) AND {}", self.conditions[side]),
            None => self.conditions[side].clone(),
        };
        let condition = of(side);
        if side == 0 || !self.joins {
            return condition;
        }
        let one = &self.sql[0];
        let keys = match (&self.range, &one.key[..]) {
            (Some(PartBy::Whole(_)), [column]) => [column.quoted(); 2],
            _ => [self.sql[1].key_digest.as_str(), &one.key_digest],
        };
        format!("{condition} AND {} IN (SELECT {} FROM {} WHERE {})", keys[0], keys[1], one.table, of(0))
    }

    pub(super) fn key_names(&self) -> Vec<String> {
        self.sql[0].key.iter().map(|column| column.quoted().to_owned()).collect()
    }

    pub(super) fn column_names(&self) -> Vec<String> {
        self.sql[0].columns.iter().map(|column| column.quoted().to_owned()).collect()
    }

    /// A lane whose first side is read by this connection.
    pub(super) fn connections_by(&self, reader: Connection) -> Result<Connections> {
        Ok(Connections { one: prepared(reader)?, other: self.other.again()? })
    }

    /// Connections for at most so many lanes.
    pub(super) fn connections(&self, lanes: usize) -> Result<Vec<Connections>> {
        if !self.is_snapshot {
            return (0..lanes)
                .map(|_| Ok(Connections { one: self.one.again()?, other: self.other.again()? }))
                .collect();
        }
        let (one, other) = match self.is_one_server {
            true => {
                let tables = [self.one.table.clone(), self.other.table.clone()];
                let both = ReadView::open(&self.one.config, &tables, 2 * lanes, ReadLock::Global)?;
                if both.n_connections() < 2 {
                    return Err(no_lock());
                }
                let mut one = both.into_connections();
                let other = one.split_off(one.len() / 2);
                (one, other)
            }
            false => {
                let open = |side: &Side| {
                    let tables = [side.table.clone()];
                    Ok::<_, Error>(ReadView::open(&side.config, &tables, lanes, ReadLock::Global)?.into_connections())
                };
                (open(&self.one)?, open(&self.other)?)
            }
        };
        one.into_iter()
            .zip(other)
            .map(|(one, other)| Ok(Connections { one: prepared(one)?, other: prepared(other)? }))
            .collect()
    }
}

fn no_lock() -> Error {
    Error::config("no lock was to be had under which both tables could be seen in one state")
        .with_hint("give the right RELOAD (for all tables) or LOCK TABLES (for these), or compare without `--snapshot`")
}

/// What the ranges of a column are made of, if each has the same rows in both tables. No range has the rows without a key, which a table
/// that lacks the other's key may have.
fn range(one: &Side, other: &Side, name: &str, is_one_family: bool) -> Option<PartBy> {
    let (first, second) = (one.column(name, "").ok()?, other.column(name, "").ok()?);
    if first.nullable || second.nullable {
        return None;
    }
    let collation = |side: &Side, column: &Column| side.collations.get(&column.name).cloned();
    let name = first.name.clone();
    match (&first.ty, &second.ty) {
        (ColumnType::Int { .. }, ColumnType::Int { .. }) => Some(PartBy::Whole(name)),
        (ColumnType::Date, ColumnType::Date) => Some(PartBy::Day(name)),
        (ColumnType::DateTime { .. }, ColumnType::DateTime { .. })
        | (ColumnType::Timestamp { .. }, ColumnType::Timestamp { .. }) => Some(PartBy::Moment(name)),
        (
            ColumnType::Binary { .. } | ColumnType::VarBinary { .. },
            ColumnType::Binary { .. } | ColumnType::VarBinary { .. },
        ) => Some(PartBy::Bytes(name)),
        // Two kinds of servers may sort texts of one collation differently.
        (
            ColumnType::Char { .. } | ColumnType::VarChar { .. },
            ColumnType::Char { .. } | ColumnType::VarChar { .. },
        ) => {
            let is_one = is_one_family && collation(one, first) == collation(other, second);
            is_one.then_some(PartBy::Text(name))
        }
        _ => None,
    }
}

/// More cells by ranges of times and texts, whose conditions name all ends below, would make long statements.
const CELLS_OF_OTHERS: usize = 128;

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
