//! The settings of a twin: those of the examined server, with its memory and redo log scaled to the sample.

use super::changes::Change;
use crate::doctor::facts::Facts;
use inrush::sans_io::human;

/// How much smaller the twins are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Scale {
    /// The sample's share of the table, 0 to 1; 1: all of it, or no table was named.
    share: f64,
    /// Bytes of the sample with its indexes.
    sample: u64,
    /// The examined server's buffer pool.
    pool: u64,
    /// The smallest buffer pool that a twin starts with.
    least_pool: u64,
    /// Whether the table fits into it.
    fits: bool,
}

impl Scale {
    /// For a sample that has so many bytes in a twin's table.
    pub(super) fn of(facts: &Facts, sample: u64) -> Self {
        let table = facts.table.as_ref().map(|table| table.data_bytes + table.index_bytes).filter(|bytes| *bytes > 0);
        let share = table.map_or(1.0, |bytes| (sample as f64 / bytes as f64).min(1.0));
        let pool = facts.number("innodb_buffer_pool_size").unwrap_or(128 << 20);
        let least_pool = LEAST_POOL * (facts.number("innodb_page_size").unwrap_or(PAGE) / PAGE).max(1);
        Self { share, sample, pool, least_pool, fits: table.is_none_or(|bytes| bytes <= pool / 10 * 8) }
    }

    /// The buffer pool of a twin. One that holds the whole table need not be larger than the sample's.
    fn pool(&self) -> u64 {
        match self.fits {
            true => self.pool.min(self.large_pool()),
            false => self.scaled_pool().clamp(self.least_pool, self.large_pool()),
        }
    }

    fn scaled_pool(&self) -> u64 {
        (self.pool as f64 * self.share) as u64
    }

    /// A buffer pool that the sample fits into several times.
    fn large_pool(&self) -> u64 {
        (self.sample * 4).clamp(128 << 20, 1 << 30)
    }

    /// The lines that a change adds to the settings.
    pub(super) fn lines_of(&self, change: &Change) -> Vec<String> {
        match change.is_pool {
            true => vec![format!("innodb_buffer_pool_size={}", self.large_pool())],
            false => change.set.clone(),
        }
    }

    /// Why a change cannot be measured with this sample.
    pub(super) fn forbids(&self, change: &Change) -> Option<String> {
        // What matters is how much of the table the pool holds, and no server starts with less than some MiB.
        (change.is_pool && !self.fits && self.scaled_pool() < self.least_pool).then(|| {
            format!(
                "the sample is {:.2} % of the table, and a buffer pool of that share, {}, is too small for a server",
                self.share * 100.0,
                human::bytes(self.scaled_pool() as f64)
            )
        })
    }
}

/// The lines with which the data of a twin are made: a server has one page size for all its tables.
pub(super) fn of_data(facts: &Facts) -> Vec<String> {
    facts.number("innodb_page_size").map(|bytes| format!("innodb_page_size={bytes}")).into_iter().collect()
}

/// The lines of a twin's option file.
pub(super) fn of(facts: &Facts, scale: &Scale) -> Vec<String> {
    let mut lines: Vec<String> = COPIED
        .iter()
        .filter_map(|name| Some((name, facts.var(name)?)))
        .filter(|(_, value)| is_plain(value))
        .map(|(name, value)| format!("loose_{name}={value}"))
        .collect();
    lines.push(format!("innodb_buffer_pool_size={}", scale.pool()));
    lines.push(format!("loose_innodb_buffer_pool_chunk_size={}", 1 << 20));
    lines.extend(NOTHING_OF_BEFORE.map(str::to_owned));
    for name in ["innodb_redo_log_capacity", "innodb_log_file_size"] {
        // MySQL 8.0.30 and later have both, and heed the first.
        if let Some(bytes) = facts.number(name).filter(|bytes| *bytes > 0) {
            let bytes = ((bytes as f64 * scale.share) as u64).clamp(LEAST_REDO.min(bytes), 2 << 30);
            lines.push(format!("loose_{name}={bytes}"));
            break;
        }
    }
    if facts.is_on("log_bin") == Some(true) {
        lines.extend(["log_bin=twin", "server_id=1"].map(str::to_owned));
    }
    lines
}

/// Whether a value means the same in an option file.
fn is_plain(value: &str) -> bool {
    !value.is_empty() && value.chars().all(|c| c.is_ascii_alphanumeric() || "_-.,".contains(c))
}

/// What may change how long writing takes, but for what is scaled. A server that lacks one ignores it (`loose_`).
const COPIED: [&str; 36] = [
    "autocommit",
    "binlog_cache_size",
    "binlog_checksum",
    "binlog_commit_wait_count",
    "binlog_commit_wait_usec",
    "binlog_format",
    "binlog_group_commit_sync_delay",
    "binlog_group_commit_sync_no_delay_count",
    "binlog_row_image",
    "binlog_transaction_compression",
    "character_set_server",
    "collation_server",
    "default_storage_engine",
    "explicit_defaults_for_timestamp",
    "general_log",
    "innodb_adaptive_hash_index",
    "innodb_autoinc_lock_mode",
    "innodb_change_buffering",
    "innodb_checksum_algorithm",
    "innodb_default_row_format",
    "innodb_doublewrite",
    "innodb_file_per_table",
    "innodb_flush_log_at_trx_commit",
    "innodb_flush_method",
    "innodb_flush_neighbors",
    "innodb_io_capacity",
    "innodb_io_capacity_max",
    "innodb_log_buffer_size",
    "innodb_log_writer_threads",
    "innodb_use_native_aio",
    "log_bin_compress",
    "long_query_time",
    "performance_schema",
    "query_cache_type",
    "slow_query_log",
    "sync_binlog",
];

/// A server that was started again finds nothing in its memory.
const NOTHING_OF_BEFORE: [&str; 2] = ["innodb_buffer_pool_dump_at_shutdown=0", "innodb_buffer_pool_load_at_startup=0"];

/// Both vendors' servers start with 5 MiB, and have their own tables in it as well.
const LEAST_POOL: u64 = 6 << 20;
/// The page size of that; larger pages take as much more.
const PAGE: u64 = 16 << 10;
const LEAST_REDO: u64 = 16 << 20;
