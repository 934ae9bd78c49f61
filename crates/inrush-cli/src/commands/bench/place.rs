//! The server of a measurement: the named one, or a temporary one; and a schema that no other program uses.

use crate::Output;
use crate::connection::{ConnectArgs, Environment};
use crate::local_server::Throwaway;
use inrush::Config;
use inrush::blocking::Connection;
use inrush_core::{Error, Result};
use std::sync::Arc;

/// A server with an empty schema for the lab. Dropping it stops a server that was started for it.
pub(super) struct BenchPlace {
    pub(super) config: Config,
    local: Option<Arc<Throwaway>>,
    /// Whether the schema was there before.
    is_ours: bool,
    /// Holds the lock on the schema; the server releases it with the connection, however the run ends.
    _lock: Connection,
}

impl BenchPlace {
    /// Finds the server, or starts one, with a buffer pool of `memory` if that is given; locks the schema against other runs, and makes it.
    ///
    /// # Errors
    /// Those of the server; `Config` while another run holds the lock, or if a server is named and `memory` is given.
    pub(super) fn find(connect: &ConnectArgs, memory: Option<u64>, output: &Output) -> Result<Self> {
        let (config, local) = match (connect.config_if_named(&Environment::of_process())?, memory) {
            (Some(_), Some(_)) => {
                return Err(Error::config("`--server-memory` starts a server of its own, and another one is named")
                    .with_hint(
                        "leave out `--url`, `--host`, `--socket` and INRUSH_URL; INRUSH_MYSQLD names the program",
                    ));
            }
            (Some(config), None) => (config, None),
            (None, _) => {
                output.notice("no server is named: starting a temporary local one");
                let local = Throwaway::new(&std::env::temp_dir(), "bench")?;
                start(&local, memory)?;
                (local.config()?, Some(Arc::new(local)))
            }
        };
        // The database of the user, if one is named, is not touched, nor needed.
        let config = config.without_database();
        let mut connection = Connection::connect(&config)?;
        lock(&mut connection, &config)?;
        let there: Option<u64> = connection
            .query_opt(&format!("SELECT 1 FROM information_schema.schemata WHERE schema_name = '{SCHEMA}'"), ())?;
        if there.is_none() {
            connection.execute(&format!("CREATE DATABASE `{SCHEMA}` CHARACTER SET utf8mb4"), ()).map_err(|e| {
                e.with_hint(format!(
                    "the lab writes into a schema of its own; `GRANT ALL ON `{SCHEMA}`.* TO ..` lets it"
                ))
            })?;
        }
        Ok(Self { config, local, is_ours: there.is_none(), _lock: connection })
    }

    /// Drops the benchmark's tables, and the schema if it was created for them.
    pub(super) fn clean_up(&self) -> Result<()> {
        let mut connection = Connection::connect(&self.config)?;
        match self.is_ours {
            true => connection.execute(&format!("DROP DATABASE IF EXISTS `{SCHEMA}`"), ())?,
            false => {
                let tables = TABLES.map(|table| format!("`{SCHEMA}`.{table}")).join(", ");
                connection.execute(&format!("DROP TABLE IF EXISTS {tables}"), ())?
            }
        };
        Ok(())
    }

    /// Whether the server goes with it.
    pub(super) fn is_local(&self) -> bool {
        self.local.is_some()
    }

    /// The server if it was started for the lab.
    pub(super) fn throwaway(&self) -> Option<Arc<Throwaway>> {
        self.local.clone()
    }
}

/// Starts a server, with a buffer pool of `memory` if that is given, whose settings are comparable then.
///
/// # Errors
/// Those of the start.
pub(super) fn start(server: &Throwaway, memory: Option<u64>) -> Result<()> {
    let mut set = vec!["local_infile=1".to_owned()];
    if memory.is_some() {
        set.extend(COMPARABLE.map(str::to_owned));
    }
    server.start(memory, set).map_err(|e| match e.hint() {
        Some(_) => e,
        None => e.with_hint("name a server: `--url mysql://user@host`, `-h HOST` or `-S SOCKET`"),
    })
}

/// Takes the lock on the schema for this connection.
fn lock(connection: &mut Connection, config: &Config) -> Result<()> {
    // The connection is idle for as long as the run takes.
    connection.execute(&format!("SET SESSION wait_timeout = {LONGEST_IDLE}"), ())?;
    let taken: Option<i64> = connection.query_one(&format!("SELECT GET_LOCK('{LOCK}', {LOCK_SECONDS})"), ())?;
    if taken == Some(1) {
        return Ok(());
    }
    let holder: Option<u64> = connection.query_one(&format!("SELECT IS_USED_LOCK('{LOCK}')"), ())?;
    let server = match config.socket().filter(|_| config.uses_socket()) {
        Some(socket) => socket.display().to_string(),
        None => format!("{}:{}", config.host(), config.port()),
    };
    let holder = match holder {
        Some(id) => id,
        // It ended just now.
        None => {
            return Err(Error::config(format!("another `inrush bench` run held the schema `{SCHEMA}` on {server}"))
                .with_hint("run the same command again"));
        }
    };
    // Not every server has this table, nor lets every user read it.
    let account: Option<(Option<String>, Option<String>)> = connection
        .query_opt(
            &format!(
                "SELECT processlist_user, processlist_host FROM performance_schema.threads WHERE processlist_id = {holder}"
            ),
            (),
        )
        .unwrap_or_default();
    let account = match account {
        Some((Some(user), Some(host))) => format!(" of `{user}`@`{host}`"),
        _ => String::new(),
    };
    let message = format!(
        "another `inrush bench` run uses the schema `{SCHEMA}` on {server}: connection {holder}{account} holds its lock"
    );
    Err(Error::config(message).with_hint(format!(
        "wait until that run ends, or end it by Ctrl-C; `KILL {holder}` on the server releases the lock of a run that hangs"
    )))
}

/// The lock that a run of the lab takes with GET_LOCK. It contains the schema's name, so that no other lock has the same name.
const LOCK: &str = "inrush bench: inrush_bench";

/// A run that ended just now may hold it still.
const LOCK_SECONDS: u32 = 2;

/// In seconds: the most that every server takes.
const LONGEST_IDLE: u32 = 2_147_483;

/// The only schema that the lab writes into.
pub(super) const SCHEMA: &str = "inrush_bench";

/// All objects that a benchmark may have created.
const TABLES: [&str; 9] = [
    "bench_users",
    "bench_source",
    "bench_changes",
    "bench_people",
    "bench_orders",
    "bench_pressure",
    "bench_sbtest",
    "bench_load",
    "bench_load_source",
];

/// Settings of servers that are compared by their memory. A redo log that is large for all of them (the two vendors name it differently),
/// so that none writes pages earlier than its memory makes it; and nothing is read into the memory that an earlier case had there.
const COMPARABLE: [&str; 4] = [
    "loose-innodb-redo-log-capacity=2G",
    "loose-innodb-log-file-size=2G",
    "innodb-buffer-pool-dump-at-shutdown=0",
    "innodb-buffer-pool-load-at-startup=0",
];
