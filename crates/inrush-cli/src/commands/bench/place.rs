//! The server of a measurement: the named one, or a temporary one; and a schema that no other program uses.

use crate::Output;
use crate::connection::{ConnectArgs, Environment};
use crate::local_server::{LocalServer, StartOptions};
use inrush::Config;
use inrush::blocking::Connection;
use inrush_core::Result;
use std::path::PathBuf;
use std::time::Duration;

/// A server with an empty schema for the lab. Dropping it stops a server that was started for it.
pub(super) struct Place {
    pub(super) config: Config,
    local: Option<Throwaway>,
    /// Whether the schema was there before.
    is_ours: bool,
}

/// A local server, and the folder that it is in.
struct Throwaway {
    server: LocalServer,
    folder: PathBuf,
}

impl Place {
    /// Finds the server, or starts one; makes the schema.
    pub(super) fn find(connect: &ConnectArgs, output: &Output) -> Result<Self> {
        let (config, local) = match connect.config_if_named(&Environment::of_process())? {
            Some(config) => (config, None),
            None => {
                output.notice("no server is named: starting a temporary local one");
                let local = Throwaway::start()?;
                (local.config()?, Some(local))
            }
        };
        // The database of the user, if one is named, is not touched, nor needed.
        let config = config.without_database();
        let mut connection = Connection::connect(&config)?;
        let there: Option<u64> = connection
            .query_opt(&format!("SELECT 1 FROM information_schema.schemata WHERE schema_name = '{SCHEMA}'"), ())?;
        if there.is_none() {
            connection.execute(&format!("CREATE DATABASE `{SCHEMA}` CHARACTER SET utf8mb4"), ()).map_err(|e| {
                e.with_hint(format!(
                    "the lab writes into a schema of its own; `GRANT ALL ON `{SCHEMA}`.* TO ..` lets it"
                ))
            })?;
        }
        Ok(Self { config, local, is_ours: there.is_none() })
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
}

impl Throwaway {
    fn start() -> Result<Self> {
        let folder = std::env::temp_dir().join(format!("inrush-bench-{}", std::process::id()));
        let server = LocalServer::at(&folder)?;
        let local = Self { server, folder };
        let options = StartOptions { port: None, memory: None, set: vec!["local_infile=1".into()], patience: PATIENCE };
        local.server.start(&options).map_err(|e| match e.hint() {
            Some(_) => e,
            None => e.with_hint("name a server: `--url mysql://user@host`, `-h HOST` or `-S SOCKET`"),
        })?;
        Ok(local)
    }

    fn config(&self) -> Result<Config> {
        Ok(Config::new().with_socket(self.server.socket()).with_user("root").with_password(self.server.password()?))
    }
}

impl Drop for Throwaway {
    fn drop(&mut self) {
        // The error cannot be reported any more.
        if self.server.stop(PATIENCE).is_ok() {
            let _ = std::fs::remove_dir_all(&self.folder);
        }
    }
}

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

const PATIENCE: Duration = Duration::from_secs(120);
