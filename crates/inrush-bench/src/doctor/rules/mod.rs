//! The rules, a file each: a condition on the facts, its evidence, effect, advice, and the source of the fact.
//!
//! A rule returns `None` also if it cannot know: what could not be read is listed beside the findings.

mod adaptive_hash;
mod audit;
mod autoinc_lock;
mod binlog_cache;
mod binlog_compression;
mod binlog_flush;
mod binlog_format;
mod binlog_row_image;
mod buffer_pool;
mod busy_client;
mod change_buffer;
mod checks;
mod commit_delay;
mod commit_flush;
mod compressed;
mod compression;
mod connections;
mod doublewrite;
mod encrypted;
mod engine;
mod flush_method;
mod flush_neighbors;
mod foreign_keys;
mod fulltext;
mod generated;
mod group;
mod id_runs_out;
mod io_capacity;
mod ledger_rights;
mod local_infile;
mod log_buffer;
mod log_writers;
mod many_indexes;
mod max_packet;
mod name_resolve;
mod new_threads;
mod no_primary_key;
mod page_wait;
mod partitions;
mod query_cache;
mod random_key;
mod read_only;
mod redo_off;
mod redo_small;
mod redundant_index;
mod replica;
mod replicas;
mod round_trip;
mod semi_sync;
mod socket;
mod source_order;
mod source_refused;
mod source_slow;
mod statement_log;
mod text_key;
mod tls_cost;
mod triggers;
mod unused_index;
mod wide_key;

use super::facts::Facts;
use super::finding::Symptom;

/// A rule.
#[derive(Debug)]
pub struct Rule {
    /// Its name, which stays the same: `redo-small`.
    pub name: &'static str,
    /// What it is about.
    pub area: Area,
    /// The fact behind it.
    pub about: &'static str,
    /// Where the fact is documented.
    pub source: &'static str,
    pub(super) check: fn(&Facts) -> Option<Symptom>,
}

/// What a rule is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Area {
    /// What a commit waits for, and what a crash loses.
    Durability,
    /// The redo log.
    RedoLog,
    /// The buffer pool and other caches.
    Memory,
    /// How pages are written.
    Disk,
    /// What writers wait for each other for.
    Locks,
    /// The binlog.
    Binlog,
    /// What the server refuses.
    Limits,
    /// Logs of statements.
    Logs,
    /// Replicas and groups.
    Replication,
    /// The table.
    Table,
    /// The way to the server.
    Network,
    /// This machine.
    Client,
    /// The files that are to be loaded.
    Source,
    /// What the user may do.
    Rights,
}

impl Area {
    /// As a heading.
    pub fn shown(self) -> &'static str {
        match self {
            Self::Durability => "Durability",
            Self::RedoLog => "Redo log",
            Self::Memory => "Memory",
            Self::Disk => "Disk",
            Self::Locks => "Locks",
            Self::Binlog => "Binlog",
            Self::Limits => "Limits",
            Self::Logs => "Logs",
            Self::Replication => "Replication",
            Self::Table => "Table",
            Self::Network => "Network",
            Self::Client => "Client",
            Self::Source => "Files",
            Self::Rights => "Rights",
        }
    }
}

/// All rules, by area.
pub const RULES: &[Rule] = &[
    commit_flush::RULE,
    binlog_flush::RULE,
    commit_delay::RULE,
    redo_small::RULE,
    log_buffer::RULE,
    redo_off::RULE,
    doublewrite::RULE,
    buffer_pool::RULE,
    page_wait::RULE,
    io_capacity::RULE,
    flush_neighbors::RULE,
    flush_method::RULE,
    autoinc_lock::RULE,
    binlog_row_image::RULE,
    binlog_cache::RULE,
    binlog_format::RULE,
    binlog_compression::RULE,
    max_packet::RULE,
    local_infile::RULE,
    statement_log::RULE,
    audit::RULE,
    query_cache::RULE,
    adaptive_hash::RULE,
    change_buffer::RULE,
    log_writers::RULE,
    read_only::RULE,
    connections::RULE,
    new_threads::RULE,
    name_resolve::RULE,
    semi_sync::RULE,
    replica::RULE,
    replicas::RULE,
    group::RULE,
    no_primary_key::RULE,
    random_key::RULE,
    wide_key::RULE,
    text_key::RULE,
    many_indexes::RULE,
    unused_index::RULE,
    redundant_index::RULE,
    fulltext::RULE,
    triggers::RULE,
    foreign_keys::RULE,
    generated::RULE,
    checks::RULE,
    compressed::RULE,
    engine::RULE,
    id_runs_out::RULE,
    partitions::RULE,
    encrypted::RULE,
    round_trip::RULE,
    tls_cost::RULE,
    socket::RULE,
    compression::RULE,
    busy_client::RULE,
    source_slow::RULE,
    source_refused::RULE,
    source_order::RULE,
    ledger_rights::RULE,
];
