//! Callers that insert single rows at the same time, each waiting until its row is stored: tasks, as a service has them.

use super::{Alone, Together};
use crate::histogram::Latencies;
use crate::query::runtime;
use crate::tune::Options as _;
use crate::workers::ended_early;
use inrush::blocking::Connection;
use inrush::sans_io::column::ident::quote_ident;
use inrush::sans_io::wire::ColumnType;
use inrush::sans_io::{Error, Kind, Result};
use inrush::table::TableName;
use inrush::{
    ColumnDef, Config, FromRow as _, Inserter, InserterOptions, OwnedRow, Pool, PoolOptions, Statement, Value,
};
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};
use tokio::runtime::Runtime;
use tokio::sync::watch;

/// The rows that callers insert.
#[derive(Clone, Debug)]
pub enum CallerRows {
    /// A text of so many bytes each.
    Texts(Vec<String>),
    /// Rows of a table.
    OfTable {
        /// The columns that get values.
        columns: Vec<String>,
        /// The rows.
        rows: Vec<OwnedRow>,
        /// Whether a row may be inserted once only, because of a unique key.
        once: bool,
    },
}

/// What callers did.
#[derive(Clone, Debug)]
pub struct Inserted {
    /// From the first row to the last answer.
    pub seconds: f64,
    /// How long each caller waited for its row.
    pub latency: Latencies,
}

/// Callers of one table.
pub struct Callers {
    runtime: Runtime,
    config: Config,
    table: TableName,
    rows: Arc<CallerRows>,
    n_callers: usize,
}

impl CallerRows {
    /// Rows of so many bytes, for a table with the columns of [`CallerRows::ddl`].
    pub fn texts(bytes: usize) -> Self {
        let text = |n: u64| {
            let mut state = n.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
            let mut text = String::with_capacity(bytes + 16);
            while text.len() < bytes {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                text += &format!("{state:016x}");
            }
            text.truncate(bytes);
            text
        };
        Self::Texts((1..=DIFFERENT.min((MOST_BYTES / bytes.max(1)).max(1) as u64)).map(text).collect())
    }

    /// The table for texts of so many bytes.
    pub fn ddl(table: &TableName, bytes: usize) -> String {
        let kind = if bytes <= MOST_VARCHAR { format!("VARCHAR({})", bytes.max(1)) } else { "MEDIUMTEXT".into() };
        format!(
            "CREATE TABLE {} (id BIGINT AUTO_INCREMENT PRIMARY KEY, content {kind} CHARACTER SET latin1 NOT NULL) ENGINE=InnoDB",
            table.quoted()
        )
    }

    /// Up to `n` rows of a table, about `bytes` bytes of them, without the values that the server generates.
    ///
    /// # Errors
    /// `Config` for a table without rows or without columns that callers have values for; those of the server.
    pub fn of_table(config: &Config, table: &TableName, n: u64, bytes: usize) -> Result<Self> {
        let mut connection = Connection::connect(config)?;
        let names = (&table.schema, &table.name);
        let columns = connection.query::<String>(
            "SELECT COLUMN_NAME FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? \
             AND COALESCE(GENERATION_EXPRESSION, '') = '' AND EXTRA NOT LIKE '%auto_increment%' ORDER BY ORDINAL_POSITION",
            names,
        )?;
        if columns.is_empty() {
            return Err(Error::config(format!("the server generates all columns of {}", table.quoted()))
                .with_hint("`--row-bytes N` instead of a table measures rows of N bytes"));
        }
        // A unique key that the server completes has no row twice.
        let unique: u64 = connection.query_one(
            "SELECT COUNT(DISTINCT INDEX_NAME) FROM information_schema.STATISTICS s WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? \
             AND NON_UNIQUE = 0 AND NOT EXISTS (SELECT 1 FROM information_schema.STATISTICS i JOIN information_schema.COLUMNS c \
             USING (TABLE_SCHEMA, TABLE_NAME, COLUMN_NAME) WHERE i.TABLE_SCHEMA = s.TABLE_SCHEMA AND i.TABLE_NAME = s.TABLE_NAME \
             AND i.INDEX_NAME = s.INDEX_NAME AND c.EXTRA LIKE '%auto_increment%')",
            names,
        )?;
        let quoted: Vec<String> = columns.iter().map(|name| quote_ident(name)).collect();
        let sql = format!("SELECT {} FROM {} LIMIT ?", quoted.join(", "), table.quoted());
        let (mut rows, mut n_bytes) = (Vec::new(), 0);
        // With a parameter values come as what they are, not as texts.
        let mut result = connection.query_iter(&sql, (n,))?;
        while let Some(row) = result.next_row()? {
            n_bytes += row.body().len();
            rows.push(OwnedRow::from_row(row)?);
            if n_bytes >= bytes {
                break;
            }
        }
        match rows.is_empty() {
            true => Err(Error::config(format!("{} has no rows that callers could insert", table.quoted()))
                .with_hint("`--row-bytes N` instead of a table measures rows of N bytes")),
            false => Ok(Self::OfTable { columns, rows, once: unique > 0 }),
        }
    }

    /// How many rows can be inserted into an empty table.
    pub fn most(&self) -> u64 {
        match self {
            Self::OfTable { rows, once: true, .. } => rows.len() as u64,
            _ => u64::MAX,
        }
    }

    fn columns(&self) -> Vec<String> {
        match self {
            Self::Texts(_) => vec!["content".into()],
            Self::OfTable { columns, .. } => columns.clone(),
        }
    }

    /// The values of row `number`.
    fn values(&self, number: u64) -> Result<Vec<Value<'_>>> {
        match self {
            Self::Texts(texts) => Ok(vec![Value::Text(&texts[number as usize % texts.len()])]),
            Self::OfTable { rows, .. } => {
                let row = &rows[number as usize % rows.len()];
                row.columns()
                    .iter()
                    .zip(row.as_row().values())
                    .map(|(column, value)| Ok(typed(column, value?)))
                    .collect()
            }
        }
    }
}

/// A value as its column takes it: text as text, which is bytes in a result.
fn typed<'v>(column: &ColumnDef, value: Value<'v>) -> Value<'v> {
    /// The collation of bytes.
    const BINARY: u16 = 63;
    let is_text = column.collation != BINARY || TEXTS_IN_BYTES.contains(&column.ty);
    match value {
        Value::Bytes(bytes) if is_text => std::str::from_utf8(bytes).map_or(value, Value::Text),
        value => value,
    }
}

impl Callers {
    /// `n_callers` callers with `rows` for `table`, which has their columns.
    ///
    /// # Errors
    /// `Io` if no threads can be started.
    pub fn new(config: &Config, table: TableName, rows: CallerRows, n_callers: usize) -> Result<Self> {
        let config = config.clone().with_query_timeout(Some(LIMIT));
        Ok(Self { runtime: runtime()?, config, table, rows: Arc::new(rows), n_callers })
    }

    /// Inserts the first `n` rows through an inserter. `is_over` says whether to stop.
    ///
    /// # Errors
    /// Those of the server; `Interrupted`.
    pub fn together(&self, options: Together, n: u64, is_over: &dyn Fn() -> bool) -> Result<Inserted> {
        let Together { lanes, batch_rows } = options;
        let pool = PoolOptions::new().with_max(lanes.max(Alone::DEFAULT.connections));
        let options =
            InserterOptions::new().with_lanes(lanes).with_batch_rows(batch_rows).with_columns(self.rows.columns());
        self.runtime.block_on(async {
            let pool = Pool::new(self.config.clone().with_pool(pool))?;
            let inserter = pool.inserter_with(&self.table.quoted(), &options)?;
            // Reads the table and connects, which is no part of inserting.
            inserter.flush().await?;
            let inserted = self.insert(&ByInserter(inserter.clone()), n, is_over).await?;
            inserter.close().await?;
            Ok(inserted)
        })
    }

    /// Inserts the first `n` rows by a statement each, over connections of a pool.
    ///
    /// # Errors
    /// Those of the server; `Interrupted`.
    pub fn alone(&self, options: Alone, n: u64, is_over: &dyn Fn() -> bool) -> Result<Inserted> {
        let connections = options.connections.min(self.n_callers);
        let columns: Vec<String> = self.rows.columns().iter().map(|name| quote_ident(name)).collect();
        let values = vec!["?"; columns.len()].join(", ");
        let sql = format!("INSERT INTO {} ({}) VALUES ({values})", self.table.quoted(), columns.join(", "));
        let statement = Statement::new(&sql)?;
        self.runtime.block_on(async {
            let pool = Pool::new(self.config.clone().with_pool(PoolOptions::new().with_max(options.connections)))?;
            // All of them are open before the clock starts.
            let mut open = Vec::new();
            for _ in 0..connections {
                let mut connection = pool.get().await?;
                connection.prepare(&sql).await?;
                open.push(connection);
            }
            drop(open);
            self.insert(&ByStatement(pool, statement), n, is_over).await
        })
    }

    /// Each caller inserts one row after the other until all are stored. The first error ends it.
    async fn insert(&self, by: &impl Insert, n: u64, is_over: &dyn Fn() -> bool) -> Result<Inserted> {
        let (gate, is_open) = watch::channel(false);
        let (next, stop) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
        let task = || {
            let (by, rows, mut is_open) = (by.clone(), Arc::clone(&self.rows), is_open.clone());
            let (next, stop) = (Arc::clone(&next), Arc::clone(&stop));
            tokio::spawn(async move {
                let mut latency = Latencies::new();
                // The gate outlives the tasks.
                let _ = is_open.wait_for(|is_open| *is_open).await;
                while !stop.load(Relaxed) {
                    let number = next.fetch_add(1, Relaxed);
                    if number >= n {
                        break;
                    }
                    let began = Instant::now();
                    if let Err(error) = by.insert(&rows.values(number)?).await {
                        stop.store(true, Relaxed);
                        return Err(error);
                    }
                    latency.record(began.elapsed());
                }
                Ok(latency)
            })
        };
        let tasks: Vec<_> = (0..self.n_callers).map(|_| task()).collect();
        let began = Instant::now();
        gate.send_replace(true);
        let mut latency = Latencies::new();
        for mut task in tasks {
            let done = loop {
                match tokio::time::timeout(LOOK_EVERY, &mut task).await {
                    Ok(done) => break done.map_err(ended_early)?,
                    Err(_) => stop.fetch_or(is_over(), Relaxed),
                };
            };
            latency.merge(&done?);
        }
        let seconds = began.elapsed().as_secs_f64();
        match latency.count() == n {
            true => Ok(Inserted { seconds, latency }),
            false => Err(Error::new(Kind::Interrupted, "interrupted")),
        }
    }
}

/// How a caller's row gets into the table.
trait Insert: Clone + Send + Sync + 'static {
    fn insert(&self, row: &[Value<'_>]) -> impl Future<Output = Result<()>> + Send;
}

#[derive(Clone)]
struct ByInserter(Inserter);

#[derive(Clone)]
struct ByStatement(Pool, Statement);

impl Insert for ByInserter {
    async fn insert(&self, row: &[Value<'_>]) -> Result<()> {
        self.0.insert(row).await.map(drop)
    }
}

impl Insert for ByStatement {
    async fn insert(&self, row: &[Value<'_>]) -> Result<()> {
        self.0.execute(&self.1, row).await.map(drop)
    }
}

/// Types whose values are texts, although their collation is that of bytes.
const TEXTS_IN_BYTES: [ColumnType; 3] =
    [ColumnType::MYSQL_TYPE_DECIMAL, ColumnType::MYSQL_TYPE_NEWDECIMAL, ColumnType::MYSQL_TYPE_JSON];

/// Different texts, so that no part of the server sees the same one again and again.
const DIFFERENT: u64 = 256;
/// Memory for them.
const MOST_BYTES: usize = 64 << 20;
/// A longer VARCHAR takes the whole of a row.
const MOST_VARCHAR: usize = 16_000;
/// A statement may take so long.
const LIMIT: Duration = Duration::from_secs(60);
const LOOK_EVERY: Duration = Duration::from_millis(20);
