//! MySQL from 5.7 on, Percona Server and Aurora MySQL. Also servers that do not identify themselves: they emulate MySQL.

use super::{Profile, SMALLEST_DEFAULT_PACKET, Vectors};
use crate::wire::ServerVersion;

pub(super) fn profile(version: &ServerVersion) -> Profile {
    Profile {
        name: "MySQL",
        family: "mysql",

        local_infile: true,
        bulk_execute: false,
        unit_results: false,

        returning: false,
        consecutive_ids: true,
        // VALUES(a) is deprecated from 8.0.20 on: a warning for each statement.
        row_alias: version.is_at_least(8, 0, 19),
        shared_lock: if version.is_at_least(8, 0, 1) { "FOR SHARE" } else { "LOCK IN SHARE MODE" },
        rename_under_lock: version.is_at_least(8, 0, 13),
        lanes_leave_room: true,
        // Another format may be the session's default.
        explain_partitions: "EXPLAIN FORMAT=TRADITIONAL",
        hashes_days_as_bytes: false,
        hash_ranges: false,
        key_has_table: version.is_at_least(8, 0, 19),
        keeps_param_types: true,

        required_settings: &[],
        optional_settings: &[
            "max_execution_time=0",
            "show_gipk_in_create_table_and_information_schema=1",
            "information_schema_stats_expiry=0",
            "show_create_table_verbosity=0",
        ],
        loads_commit: false,
        loads_unchecked: false,
        shortens_keys: false,
        commits_together: true,
        marks_jobs: false,
        locks_tables: true,
        temporary_tables: true,
        needs_a_key_check: false,

        packet_bytes: SMALLEST_DEFAULT_PACKET,
        statement_bytes: usize::MAX,
        transaction_bytes: usize::MAX,

        timestamp_max: i32::MAX as i64,
        time_ends_in_fraction: false,
        json_is_text: false,
        json_depth: 100,
        has_vectors: version.is_at_least(9, 0, 0),
        has_uuids: false,
        vectors: Vectors {
            from_text: "STRING_TO_VECTOR",
            exact_length: false,
            bounded_length: false,
            subnormals: false,
        },

        prefers_load_data: true,
        binds_fast: false,
        prefers_text: false,
        text_is_fast: true,
    }
}
