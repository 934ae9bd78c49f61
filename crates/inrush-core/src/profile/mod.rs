//! What a server can do and how a client must speak to it: one file for each engine, one [`Profile`] for each connection.
//!
//! A login reads the version of the server's greeting once ([`Profile::of`]). All other code reads features: nothing outside of this
//! module compares a vendor or a version number (`inrush-testkit/src/tidy.rs` checks that). A feature has the name of what it is about,
//! not of the engine that has it, and it is here only if some code reads it.
//!
//! | file | engine |
//! |---|---|
//! | [`mysql`] | MySQL, Percona Server, Aurora MySQL, and all that do not name themselves |
//! | [`mariadb`] | MariaDB |
//! | [`oceanbase`] | OceanBase, seekdb |
//! | [`polardbx`] | PolarDB-X |
//! | [`relative`] | engines that speak MySQL's protocol and have no file of their own yet |
//! | [`shardingsphere`] | Apache ShardingSphere-Proxy |
//! | [`tidb`] | TiDB |
//! | [`vitess`] | Vitess |
//! | [`engine`] | not an engine: their names |
//! | [`cluster`] | not an engine: the cluster that a server may be a node of, which its variables say |

mod cluster;
mod engine;
mod mariadb;
mod mysql;
mod oceanbase;
mod polardbx;
mod relative;
mod shardingsphere;
mod tidb;
mod vitess;

pub use cluster::Cluster;
pub use engine::Engine;

use crate::wire::{Capabilities, MariaDbCapabilities, ServerVersion, Vendor};

/// The features of one server.
///
/// ```
/// use inrush_core::profile::Profile;
/// use inrush_core::wire::ServerVersion;
///
/// let profile = Profile::of(&ServerVersion::parse("5.5.5-10.11.19-MariaDB"));
/// assert!(profile.bulk_execute && !profile.row_alias);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Profile {
    /// The engine's name, for messages.
    pub name: &'static str,
    /// Which programs and drivers are made for it: `mysql` or `mariadb`.
    pub family: &'static str,

    /// LOAD DATA LOCAL: the engine has it; after a login, both sides agreed on it.
    pub local_infile: bool,
    /// COM_STMT_BULK_EXECUTE: the engine has it; after a login, both sides agreed on it.
    pub bulk_execute: bool,
    /// A result for each row of a COM_STMT_BULK_EXECUTE, likewise.
    pub unit_results: bool,

    /// INSERT .. RETURNING.
    pub returning: bool,
    /// The rows of one INSERT .. VALUES get ids that follow each other, in every lock mode of AUTO_INCREMENT.
    pub consecutive_ids: bool,
    /// `INSERT .. VALUES .. AS new ON DUPLICATE KEY UPDATE a = new.a`. Otherwise the update says `VALUES(a)`.
    pub row_alias: bool,
    /// The clause of a SELECT that locks rows against writers and lets others read them.
    pub shared_lock: &'static str,
    /// The session that has locked the tables may RENAME them (MariaDB: error 1192).
    pub rename_under_lock: bool,
    /// Where several sessions fill a table in the order of its key, extents stay empty between their rows: the table gets a tenth larger
    /// (docs/notes/sort.md).
    pub lanes_leave_room: bool,
    /// The text before a SELECT by which the server names its partitions, in the fourth column of the answer.
    pub explain_partitions: &'static str,
    /// Partitions by KEY hash a DATE as bytes, not as a number.
    pub hashes_days_as_bytes: bool,
    /// Partitions by HASH and KEY are ranges of a hash of 64 bits, and `part_route` names the partition of values.
    pub hash_ranges: bool,
    /// The error for a duplicate names the key after its table: `t.PRIMARY`.
    pub key_has_table: bool,
    /// A prepared statement keeps what a parameter once was: a text bound where a number was bound before is stored as a number.
    /// Such a statement is prepared again.
    pub keeps_param_types: bool,

    /// Settings of a load's session besides those that every engine has. The load fails if the server refuses one.
    pub required_settings: &'static [&'static str],
    /// The same for settings that a version may lack or a user may not set; one that is refused stays as it is. The limit on a
    /// statement's time is among them; its unit differs (MySQL: milliseconds, reads only; MariaDB: seconds, all statements).
    pub optional_settings: &'static [&'static str],
    /// Without both unique and foreign key checks the engine fills an empty table in a mode in which one refused statement also
    /// removes the rows of all earlier ones, and the transaction continues (docs/notes/modes.md).
    pub needs_a_key_check: bool,

    /// LOAD DATA commits by itself while it runs: its rows are not part of a transaction.
    pub loads_commit: bool,
    /// LOAD DATA drops rows that a CHECK refuses without a warning, and stores rows that a foreign key refuses.
    pub loads_unchecked: bool,
    /// An ALTER that makes an index too long makes it one of a prefix, or of a hash, without an error.
    pub shortens_keys: bool,
    /// A transaction is committed as a whole, on all servers that its rows are on.
    pub commits_together: bool,
    /// The fence of a load's ledger is a write of the job's line: a locking read is not sure to keep others out, or is not tested.
    pub marks_jobs: bool,
    /// LOCK TABLES keeps other sessions out until the names of tables are exchanged.
    pub locks_tables: bool,
    /// CREATE TEMPORARY TABLE .. SELECT.
    pub temporary_tables: bool,

    /// `max_allowed_packet` in bytes where the server does not say it: the smallest default of all versions.
    pub packet_bytes: usize,
    /// The most bytes that a statement of several rows should have.
    pub statement_bytes: usize,
    /// The most bytes of rows that one transaction takes.
    pub transaction_bytes: usize,

    /// The last second that a TIMESTAMP holds, as a Unix time.
    pub timestamp_max: i64,
    /// TIME goes up to 838:59:59.999999; otherwise to 838:59:59 sharp.
    pub time_ends_in_fraction: bool,
    /// JSON is a LONGTEXT with a CHECK, and kept as written; otherwise it is a type with a binary form, which has limits of its own.
    pub json_is_text: bool,
    /// Levels of nesting that a JSON document may have.
    pub json_depth: u32,
    /// A table can have VECTOR columns.
    pub has_vectors: bool,
    /// A table can have UUID columns.
    pub has_uuids: bool,
    /// What a VECTOR takes.
    pub vectors: Vectors,

    /// LOAD DATA LOCAL is the fastest method for a large batch.
    pub prefers_load_data: bool,
    /// Bound rows cost the server about half of what text costs, so that a batch of a hundred is worth a preparation
    /// (docs/notes/batch-speed.md).
    pub binds_fast: bool,
    /// One INSERT of text costs the server less than a prepared one.
    pub prefers_text: bool,
    /// One INSERT of text costs no more than a prepared one (docs/notes/multi-row.md).
    pub text_is_fast: bool,
}

/// What a VECTOR column takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Vectors {
    /// The function that makes a VECTOR from a text such as `[1,2,3]`.
    pub from_text: &'static str,
    /// VECTOR(n) takes exactly n numbers; otherwise up to n.
    pub exact_length: bool,
    /// The square of a vector's length must fit into a FLOAT, which is stored with it.
    pub bounded_length: bool,
    /// Numbers below the smallest normal FLOAT are stored; otherwise they are refused.
    pub subnormals: bool,
}

impl Profile {
    /// The profile of the engine that has this version. An engine is a file and an arm here.
    pub fn of(version: &ServerVersion) -> Self {
        match version.vendor {
            Vendor::MySql => mysql::profile(version),
            Vendor::MariaDb => mariadb::profile(version),
            Vendor::OceanBase => oceanbase::profile(version),
            Vendor::TiDb => tidb::profile(version),
            Vendor::Vitess => vitess::profile(version),
            Vendor::PolarDbX => polardbx::profile(version),
            Vendor::ShardingSphere => shardingsphere::profile(version),
            Vendor::SingleStore => relative::profile(version),
        }
    }

    /// The same after a login that agreed on these capabilities.
    pub(crate) fn agreed(self, capabilities: Capabilities, mariadb: MariaDbCapabilities) -> Self {
        Self {
            local_infile: self.local_infile && capabilities.contains(Capabilities::CLIENT_LOCAL_FILES),
            bulk_execute: mariadb.contains(MariaDbCapabilities::MARIADB_CLIENT_STMT_BULK_OPERATIONS),
            unit_results: mariadb.contains(MariaDbCapabilities::MARIADB_CLIENT_BULK_UNIT_RESULTS),
            ..self
        }
    }
}

impl From<ServerVersion> for Profile {
    fn from(version: ServerVersion) -> Self {
        Self::of(&version)
    }
}

/// 4 MiB: the smallest default of `max_allowed_packet` of MySQL since 5.6.6 and MariaDB since 10.1.7.
const SMALLEST_DEFAULT_PACKET: usize = 4 << 20;

#[cfg(test)]
mod tests;
