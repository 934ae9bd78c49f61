//! MariaDB from 10.6 on.

use super::{Profile, SMALLEST_DEFAULT_PACKET, Vectors};
use crate::wire::ServerVersion;

pub(super) fn profile(version: &ServerVersion) -> Profile {
    Profile {
        name: "MariaDB",
        family: "mariadb",

        local_infile: true,
        bulk_execute: true,
        unit_results: version.is_at_least(11, 5, 1),

        returning: version.is_at_least(10, 5, 0),
        // RETURNING gives the ids themselves.
        consecutive_ids: false,
        row_alias: false,
        shared_lock: "LOCK IN SHARE MODE",
        rename_under_lock: false,
        lanes_leave_room: false,
        explain_partitions: "EXPLAIN PARTITIONS",
        hashes_days_as_bytes: true,
        hash_ranges: false,
        key_has_table: false,
        keeps_param_types: false,

        // A session can switch CHECK constraints off.
        required_settings: &["check_constraint_checks=1"],
        optional_settings: &["max_statement_time=0", "old_mode=''", "sql_if_exists=0"],
        loads_commit: false,
        loads_unchecked: false,
        shortens_keys: true,
        commits_together: true,
        marks_jobs: false,
        locks_tables: true,
        temporary_tables: true,
        needs_a_key_check: true,

        packet_bytes: SMALLEST_DEFAULT_PACKET,
        statement_bytes: usize::MAX,
        transaction_bytes: usize::MAX,

        // On 64-bit systems the 4 bytes are read as unsigned since 11.5.
        timestamp_max: if version.is_at_least(11, 5, 0) { u32::MAX as i64 } else { i32::MAX as i64 },
        time_ends_in_fraction: true,
        json_is_text: true,
        json_depth: 31,
        has_vectors: version.is_at_least(11, 7, 0),
        has_uuids: version.is_at_least(10, 7, 0),
        vectors: Vectors { from_text: "VEC_FromText", exact_length: true, bounded_length: true, subnormals: true },

        // COM_STMT_BULK_EXECUTE is faster (docs/notes/batch-speed.md).
        prefers_load_data: false,
        binds_fast: true,
        prefers_text: false,
        text_is_fast: false,
    }
}
