//! What is changed on a twin for each rule that can be measured so: the advice of the rule, or what it warns of.

use crate::doctor::facts::Facts;

/// A change of one setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Change {
    /// The rule whose effect it shows.
    pub(super) rule: &'static str,
    /// In words: `sync_binlog = 0`.
    pub(super) what: String,
    /// Lines of the option file.
    pub(super) set: Vec<String>,
    /// On how many connections the work is done.
    pub(super) lanes: usize,
    /// Whether only many rows show it.
    pub(super) is_heavy: bool,
    /// Whether it is a larger buffer pool, whose size is a matter of the scale.
    pub(super) is_pool: bool,
}

impl Change {
    fn of(rule: &'static str, set: &[&str]) -> Self {
        let what = set.iter().map(|line| line.replacen('=', " = ", 1)).collect::<Vec<_>>().join(", ");
        let set = set.iter().map(|line| format!("loose_{line}")).collect();
        Self { rule, what: format!("`{what}`"), set, lanes: 1, is_heavy: false, is_pool: false }
    }

    fn heavy(self) -> Self {
        Self { is_heavy: true, ..self }
    }
}

/// The changes for those of the rules `found` that are of a setting.
pub(super) fn of(found: &[&str], facts: &Facts) -> Vec<Change> {
    found.iter().filter_map(|rule| change(rule, facts)).collect()
}

fn change(rule: &str, facts: &Facts) -> Option<Change> {
    let has = |name: &str| facts.var(name).is_some();
    Some(match rule {
        "commit-flush" => Change::of("commit-flush", &["innodb_flush_log_at_trx_commit=2"]),
        "binlog-flush" => Change::of("binlog-flush", &["sync_binlog=0"]),
        "commit-delay" if has("binlog_commit_wait_count") => {
            Change::of("commit-delay", &["binlog_commit_wait_count=0"])
        }
        "commit-delay" => Change::of("commit-delay", &["binlog_group_commit_sync_delay=0"]),
        "redo-small" if has("innodb_redo_log_capacity") => {
            Change::of("redo-small", &["innodb_redo_log_capacity=1G"]).heavy()
        }
        "redo-small" => Change::of("redo-small", &["innodb_log_file_size=1G"]).heavy(),
        "log-buffer" => Change::of("log-buffer", &["innodb_log_buffer_size=64M"]).heavy(),
        "doublewrite" => Change::of("doublewrite", &["innodb_doublewrite=OFF"]).heavy(),
        "buffer-pool" | "page-wait" => {
            let rule = if rule == "page-wait" { "page-wait" } else { "buffer-pool" };
            let what = "a buffer pool that holds the table and its indexes".to_owned();
            Change { what, is_pool: true, ..Change::of(rule, &[]) }.heavy()
        }
        "io-capacity" => Change::of("io-capacity", &["innodb_io_capacity=2000", "innodb_io_capacity_max=4000"]).heavy(),
        "flush-neighbors" => Change::of("flush-neighbors", &["innodb_flush_neighbors=0"]).heavy(),
        "flush-method" => Change::of("flush-method", &["innodb_flush_method=O_DIRECT"]).heavy(),
        "autoinc-lock" => Change { lanes: 2, ..Change::of("autoinc-lock", &["innodb_autoinc_lock_mode=2"]) },
        "binlog-cache" => Change::of("binlog-cache", &["binlog_cache_size=16M"]),
        "binlog-format" => Change::of("binlog-format", &["binlog_format=ROW"]),
        "binlog-compression" if has("log_bin_compress") => Change::of("binlog-compression", &["log_bin_compress=OFF"]),
        "binlog-compression" => Change::of("binlog-compression", &["binlog_transaction_compression=OFF"]),
        "statement-log" => {
            Change::of("statement-log", &["general_log=OFF", "slow_query_log=OFF", "long_query_time=10"])
        }
        "query-cache" => Change::of("query-cache", &["query_cache_type=0", "query_cache_size=0"]),
        "adaptive-hash" => Change { lanes: 2, ..Change::of("adaptive-hash", &["innodb_adaptive_hash_index=OFF"]) },
        "log-writers" => Change::of("log-writers", &["innodb_log_writer_threads=OFF"]),
        _ => return None,
    })
}
