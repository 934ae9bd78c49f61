//! A read view: one state of tables, read over several connections at a time.
//!
//! InnoDB gives each transaction a read view of its own. Those of several connections are the same if no other session could commit while
//! they were begun. So a lock is held for these milliseconds: the weakest that the user may take and that does not wait for long
//! ([`ReadLock`] says which it became). Equal positions of the binary log before and after prove nothing: events leave the log before
//! their rows are visible.
//!
//! Invariant: all transactions were begun under one lock, or there is one connection, or [`ReadLock::None`] was asked for.

use crate::blocking::Connection;
use crate::{Config, FromRow, Kind, Reason, Result, Row};
use std::time::Duration;

/// What kept others from committing while the transactions of a [`ReadView`] were begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReadLock {
    /// FLUSH TABLES WITH READ LOCK: no other session could commit to any table.
    Global,
    /// LOCK TABLES .. READ: no other session could commit to these tables.
    Tables,
    /// Nothing: there is one connection, whose transaction is consistent by itself.
    OneConnection,
    /// Nothing, as requested: each connection sees the rows of its own moment.
    None,
}

/// Where a server's binary log was when a [`ReadView`] was begun.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BinlogPosition {
    /// The log's file.
    pub file: String,
    /// The byte in it after the last event.
    pub position: u64,
    /// The GTIDs of all transactions so far, as the server writes them; empty where it keeps none.
    pub gtids: String,
}

/// Connections whose transactions see the same rows.
///
/// ```
/// # let shop = inrush_testkit::shop::open();
/// # let config = inrush::Config::parse(&shop.url())?;
/// use inrush::{ReadLock, ReadView};
/// let view = ReadView::open(&config, &["people".to_owned()], 2, ReadLock::Tables)?;
/// # assert_eq!(view.lock(), ReadLock::Tables);
/// for mut connection in view.into_connections() {
///     assert_eq!(connection.query_one::<u64>("SELECT COUNT(*) FROM people", ())?, 3);
/// }
/// # Ok::<(), inrush::Error>(())
/// ```
#[derive(Debug)]
pub struct ReadView {
    connections: Vec<Connection>,
    lock: ReadLock,
    position: Option<BinlogPosition>,
}

impl ReadView {
    /// Opens at most `n` connections that see one state of `tables` (as SQL has them, in backticks). It takes the first of the locks from `lock`
    /// on that the user may take and gets within five seconds; if there is none, it opens one connection. Under
    /// [`ReadLock::None`] each of the `n` sees the rows of its own moment.
    ///
    /// FLUSH TABLES WITH READ LOCK waits for statements that run, and LOCK TABLES for transactions that have written to the tables; both
    /// keep others from writing while they wait. The lock is released before this returns.
    ///
    /// Tables of engines without transactions (MyISAM) show their rows at the time of the read.
    ///
    /// # Errors
    /// Those of connecting, and of the server.
    pub fn open(config: &Config, tables: &[String], n: usize, lock: ReadLock) -> Result<Self> {
        let first = reader(config)?;
        let config = &first.config().clone();
        let mut connections = vec![first];
        for _ in 1..n {
            connections.push(reader(config)?);
        }
        let (lock, guard) = match lock {
            _ if connections.len() == 1 => (ReadLock::OneConnection, None),
            ReadLock::Global | ReadLock::Tables => take_lock(config, tables, lock)?,
            ReadLock::OneConnection | ReadLock::None => (lock, None),
        };
        if lock == ReadLock::OneConnection {
            connections.truncate(1);
        }
        begin(&mut connections)?;
        let mut position = None;
        if let Some(mut guard) = guard {
            position = binlog_position(&mut guard)?;
            guard.execute("UNLOCK TABLES", ())?;
        }
        Ok(Self { connections, lock, position })
    }

    /// What kept others from committing.
    pub fn lock(&self) -> ReadLock {
        self.lock
    }

    /// Where the binary log was; `None` without a lock, a log or the right to read it (REPLICATION CLIENT, or BINLOG MONITOR).
    pub fn position(&self) -> Option<&BinlogPosition> {
        self.position.as_ref()
    }

    /// The number of connections.
    pub fn n_connections(&self) -> usize {
        self.connections.len()
    }

    /// The connections, each in a transaction that is read only. A table that is altered meanwhile is an error (1412) at its first read.
    pub fn into_connections(self) -> Vec<Connection> {
        self.connections
    }
}

/// In every other isolation level the server warns, and begins a transaction without a read view.
fn reader(config: &Config) -> Result<Connection> {
    let mut connection = Connection::connect(config)?;
    connection.execute("SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ", ())?;
    // A reader may be idle for long, and may be slow to take rows; neither may end the transaction.
    connection.execute("SET SESSION wait_timeout = 604800, net_write_timeout = 3600", ())?;
    Ok(connection)
}

fn begin(connections: &mut [Connection]) -> Result<()> {
    for connection in connections {
        connection.execute("START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY", ())?;
    }
    Ok(())
}

/// Takes this lock or a lesser one; returns the connection that holds it.
fn take_lock(config: &Config, tables: &[String], lock: ReadLock) -> Result<(ReadLock, Option<Connection>)> {
    let mut guard = Connection::connect(config)?;
    guard.execute(&format!("SET SESSION lock_wait_timeout = {}", MAY_WAIT.as_secs()), ())?;
    if lock == ReadLock::Global && is_locked(guard.execute("FLUSH TABLES WITH READ LOCK", ()))? {
        return Ok((ReadLock::Global, Some(guard)));
    }
    let locks: Vec<_> = tables.iter().map(|table| format!("{table} READ")).collect();
    if !locks.is_empty() && is_locked(guard.execute(&format!("LOCK TABLES {}", locks.join(", ")), ()))? {
        return Ok((ReadLock::Tables, Some(guard)));
    }
    Ok((ReadLock::OneConnection, None))
}

/// Whether the lock is held; it is no error if the server does not give it.
fn is_locked<T>(answer: Result<T>) -> Result<bool> {
    match answer {
        Ok(_) => Ok(true),
        Err(error) if matches!(error.reason(), Reason::AccessDenied | Reason::LockTimedOut) => Ok(false),
        Err(error) => Err(error),
    }
}

/// While it waits, a lock of all tables blocks all writers.
const MAY_WAIT: Duration = Duration::from_secs(5);

fn binlog_position(guard: &mut Connection) -> Result<Option<BinlogPosition>> {
    // The first is MySQL's since 8.2, which 8.4 has alone; MariaDB has the second.
    for statement in ["SHOW BINARY LOG STATUS", "SHOW MASTER STATUS"] {
        match guard.query::<Position>(statement, ()) {
            Ok(rows) => {
                let Some(Position(mut position)) = rows.into_iter().next() else { return Ok(None) };
                if position.gtids.is_empty()
                    && let Ok(gtids) = guard.query_one::<String>("SELECT @@global.gtid_binlog_pos", ())
                {
                    position.gtids = gtids;
                }
                return Ok(Some(position));
            }
            Err(error) if error.kind() == Kind::Server && !error.is_fatal() => {}
            Err(error) => return Err(error),
        }
    }
    Ok(None)
}

/// A row of SHOW BINARY LOG STATUS: file, position, two filters, and on MySQL the GTIDs.
struct Position(BinlogPosition);

impl FromRow<'_> for Position {
    fn from_row(row: Row<'_>) -> Result<Self> {
        let text = |at: usize| if at < row.columns().len() { row.get::<Option<String>>(at) } else { Ok(None) };
        let gtids = text(4)?.unwrap_or_default().replace('\n', "");
        Ok(Self(BinlogPosition { file: text(0)?.unwrap_or_default(), position: row.get(1)?, gtids }))
    }
}
