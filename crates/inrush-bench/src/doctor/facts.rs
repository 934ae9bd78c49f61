//! What the rules know of a server, a table and the way to them. Plain values, so that a test writes them down.

use super::gain::Gain;
use super::source::Source;
use inrush::sans_io::human;
use std::collections::BTreeMap;
use std::time::Duration;

/// What was read.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// The version and the way: `MySQL 9.7.4 by TCP, TLS`.
    pub server: String,
    /// Global variables, names in lower case.
    pub variables: BTreeMap<String, String>,
    /// Global status counters, names in lower case.
    pub status: BTreeMap<String, String>,
    /// What the user may do, as SHOW GRANTS writes it.
    pub grants: Vec<String>,
    /// Flushes of the redo log's files and of the binlog's since the server started, or while the probe committed (performance_schema).
    pub redo_sync: Option<Sync>,
    /// See [`Self::redo_sync`].
    pub binlog_sync: Option<Sync>,
    /// Blocks of 4 KiB that the probe wrote to the file system of the server's data, each until it was on the disk.
    pub disk_sync: Option<Sync>,
    /// The time of all COMMIT statements and of all INSERT, LOAD DATA and REPLACE statements since the server started.
    pub commit_time: Option<(Duration, Duration)>,
    /// Bytes of all tables and indexes of InnoDB.
    pub innodb_bytes: Option<u64>,
    /// Replicas that read the binlog now.
    pub replicas: Option<u64>,
    /// Whether this server applies another one's changes, and how far it lags in seconds.
    pub replica_of: Option<Option<u64>>,
    /// Members of a group (Group Replication or Galera).
    pub group_members: Option<u64>,
    /// Active plugins, names in lower case.
    pub plugins: Vec<String>,
    /// The way to the server.
    pub link: Link,
    /// The table, if one was named.
    pub table: Option<Table>,
    /// The files that are to be loaded, if some were named.
    pub source: Option<Source>,
    /// What the probe measured, if it was allowed.
    pub probe: Option<Probe>,
    /// What changed settings brought on twins, by rule.
    pub gains: BTreeMap<&'static str, Gain>,
    /// What could not be read.
    pub unknown: Vec<String>,
}

/// What the probe measured. A time of zero was not measured.
#[derive(Clone, Copy, Debug, Default)]
pub struct Probe {
    /// A row that is committed by itself, until its answer is there.
    pub single: Duration,
    /// How much longer that takes than a row in a transaction.
    pub commit: Duration,
    /// 1,000 short rows in one statement, without COMMIT.
    pub thousand_rows: Duration,
    /// Rows of the table that were copied.
    pub sampled: u64,
    /// Copying them into a table with all indexes.
    pub all_indexes: Duration,
    /// Copying them into the same without its secondary indexes.
    pub no_indexes: Duration,
}

/// Flushes of a kind of file to the disk.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sync {
    /// How many.
    pub count: u64,
    /// The mean time of one.
    pub mean: Duration,
}

/// The way to the server, as it was measured.
#[derive(Clone, Debug, Default)]
pub struct Link {
    /// Whether it is a Unix socket.
    pub is_socket: bool,
    /// Whether the bytes are encrypted.
    pub is_tls: bool,
    /// Whether the bytes are compressed.
    pub is_compressed: bool,
    /// The server's own Unix socket, if it is on this machine.
    pub local_socket: Option<String>,
    /// The median time of a round trip.
    pub round_trip: Option<Duration>,
    /// Bytes a second that a long statement travels at, and the same over other ways: without TLS, by the socket, compressed.
    pub upload: Option<f64>,
    /// See [`Self::upload`].
    pub upload_plain: Option<f64>,
    /// See [`Self::upload`].
    pub upload_socket: Option<f64>,
    /// See [`Self::upload`].
    pub upload_compressed: Option<f64>,
    /// Share of this machine's processors that other programs used meanwhile.
    pub busy: Option<f64>,
}

/// A table.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// `schema.table`, for messages.
    pub name: String,
    /// The schema.
    pub schema: String,
    /// The name in the schema.
    pub table: String,
    /// The storage engine.
    pub engine: String,
    /// COMPACT, DYNAMIC, COMPRESSED ..
    pub row_format: String,
    /// Rows, as the server estimates them.
    pub rows: u64,
    /// Bytes of the clustered index.
    pub data_bytes: u64,
    /// Bytes of the secondary indexes.
    pub index_bytes: u64,
    /// The next AUTO_INCREMENT value, and the greatest that its column holds.
    pub auto_increment: Option<(u64, u64)>,
    /// Whether it is encrypted.
    pub encrypted: bool,
    /// Partitions.
    pub partitions: u64,
    /// Names of triggers that run for each inserted row.
    pub insert_triggers: Vec<String>,
    /// Tables that its foreign keys refer to.
    pub parents: Vec<String>,
    /// Columns that are computed when a row is written.
    pub generated: Vec<String>,
    /// CHECK constraints.
    pub checks: u64,
    /// The indexes, the primary key first.
    pub indexes: Vec<Index>,
}

/// An index.
#[derive(Clone, Debug, Default)]
pub struct Index {
    /// The name; `PRIMARY` is the clustered one.
    pub name: String,
    /// Whether a value is unique.
    pub is_unique: bool,
    /// BTREE, FULLTEXT, SPATIAL, HASH.
    pub kind: String,
    /// The columns in order, with their types: `("id", "bigint unsigned")`.
    pub columns: Vec<(String, String)>,
    /// Bytes of a key at most, as far as the types tell it.
    pub bytes: u64,
    /// The columns whose text may have characters of several bytes, which are compared by the rules of a language.
    pub by_language: Vec<String>,
    /// Reads of it since the server started; `None`: not known.
    pub reads: Option<u64>,
}

impl Facts {
    /// A global variable.
    pub fn var(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str)
    }

    /// The first of these variables that the server has.
    pub fn any_var(&self, names: &[&str]) -> Option<&str> {
        names.iter().find_map(|name| self.var(name))
    }

    /// A variable that is a number.
    pub fn number(&self, name: &str) -> Option<u64> {
        self.var(name)?.parse().ok()
    }

    /// Whether a variable is on; `None`: the server does not have it.
    pub fn is_on(&self, name: &str) -> Option<bool> {
        self.var(name).map(|value| matches!(value.to_ascii_uppercase().as_str(), "ON" | "1" | "YES" | "TRUE"))
    }

    /// A status counter.
    pub fn count(&self, name: &str) -> Option<u64> {
        self.status.get(name)?.parse().ok()
    }

    /// A counter's share of another; `None` below 100 events, which say nothing.
    pub fn share(&self, part: &str, all: &str) -> Option<f64> {
        let all = self.count(all).filter(|all| *all >= 100)?;
        Some(self.count(part)? as f64 / all as f64)
    }

    /// `name = value`, as evidence.
    pub fn shown(&self, name: &str) -> String {
        format!("`{name}` is {}", self.var(name).filter(|value| !value.is_empty()).unwrap_or("not set"))
    }

    /// `counter: n`, as evidence.
    pub fn counted(&self, name: &str) -> String {
        format!("`{name}` is {} since the start {} ago", self.count(name).unwrap_or_default(), self.uptime())
    }

    /// `1 index`, `2 indexes`.
    pub fn indexes(n: u64) -> String {
        format!("{n} index{}", if n == 1 { "" } else { "es" })
    }

    /// How long a wait for the disk took, and of how many: as evidence.
    pub fn flushes(what: &str, sync: Sync) -> String {
        format!(
            "a flush of {what} took {:.2} ms in the mean of {}",
            sync.mean.as_secs_f64() * 1000.0,
            human::exact(sync.count)
        )
    }

    /// How long the disk itself takes, as evidence, if the probe could measure it.
    pub fn disk(&self) -> Option<String> {
        let Sync { count, mean } = self.disk_sync?;
        let millis = mean.as_secs_f64() * 1000.0;
        Some(format!(
            "4 KiB take {millis:.2} ms until they are on the disk of the server's data (the median of {count})"
        ))
    }

    /// How long the server runs.
    pub fn uptime(&self) -> String {
        human::time(Duration::from_secs(self.count("uptime").unwrap_or_default()))
    }

    /// How many times as fast a load is whose bytes travel at `other` bytes a second instead of `this`. The server also takes time to store
    /// them, which no network changes.
    pub fn load_gain(&self, this: f64, other: f64) -> f64 {
        let storing = 1.0 / self.stored_bytes();
        (storing + 1.0 / this) / (storing + 1.0 / other)
    }

    /// Rows of the table that the server copies a second on one connection, by the probe.
    pub fn stored_rows(&self) -> Option<f64> {
        let probe = self.probe.filter(|probe| !probe.all_indexes.is_zero())?;
        Some(probe.sampled as f64 / probe.all_indexes.as_secs_f64())
    }

    /// Bytes a second that the server stores of the table: by the probe, or else what servers with two cores store.
    fn stored_bytes(&self) -> f64 {
        let table = self.table.as_ref().filter(|table| table.rows > 0 && table.data_bytes > 0);
        match (self.stored_rows(), table) {
            (Some(rows), Some(table)) => (rows * table.data_bytes as f64 / table.rows as f64).max(1.0),
            _ => STORED_BYTES,
        }
    }

    /// The share of a commit's wait for the disk that is the redo log's; the rest is the binlog's.
    pub fn redo_share(&self) -> f64 {
        let waits_for_binlog = self.is_on("log_bin") == Some(true) && self.number("sync_binlog") == Some(1);
        match (self.var("innodb_flush_log_at_trx_commit") == Some("1"), waits_for_binlog) {
            (true, true) => match (self.redo_sync, self.binlog_sync) {
                (Some(redo), Some(binlog)) if redo.mean + binlog.mean > Duration::ZERO => {
                    redo.mean.as_secs_f64() / (redo.mean + binlog.mean).as_secs_f64()
                }
                _ => 0.5,
            },
            (true, false) => 1.0,
            (false, _) => 0.0,
        }
    }

    /// The size of the redo log, whatever the server's version calls it.
    pub fn redo_bytes(&self) -> Option<u64> {
        if let Some(bytes) = self.number("innodb_redo_log_capacity").filter(|bytes| *bytes > 0) {
            return Some(bytes);
        }
        Some(self.number("innodb_log_file_size")? * self.number("innodb_log_files_in_group").unwrap_or(1))
    }

    /// Whether any grant names this right, or all rights.
    pub fn may(&self, right: &str) -> bool {
        self.grants.iter().any(|grant| {
            let grant = grant.to_uppercase();
            grant.contains(right) || grant.contains("ALL PRIVILEGES")
        })
    }
}

impl Link {
    /// Whether the server is on this machine.
    pub fn is_local(&self) -> bool {
        self.is_socket || self.local_socket.is_some()
    }
}

impl Table {
    /// The indexes besides the clustered one.
    pub fn secondary(&self) -> impl Iterator<Item = &Index> {
        self.indexes.iter().filter(|index| index.name != "PRIMARY")
    }

    /// The primary key.
    pub fn primary(&self) -> Option<&Index> {
        self.indexes.iter().find(|index| index.name == "PRIMARY")
    }
}

impl Probe {
    /// How many times as fast a program is that commits every 1,000 rows, if this share of a commit took no time.
    pub fn without_commit(&self, share: f64) -> f64 {
        let [commit, rows] = [self.commit, self.thousand_rows].map(|time| time.as_secs_f64());
        (rows + commit) / (rows + commit * (1.0 - share)).max(1e-9)
    }
}

/// What loads store a second on two cores (docs/results).
pub(super) const STORED_BYTES: f64 = 20e6;
